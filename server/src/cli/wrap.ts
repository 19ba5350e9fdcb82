/** Wraps text for a terminal of 80 columns, only between words. */

/** The usual width of a text in columns. */
export const USUAL_WIDTH = 80;

/**
 * Wraps a text into rows of at most `width` columns, each with the indentation `indent`. A longer
 * word gets a row of its own.
 */
export function wrapText(text: string, indent = '', width = USUAL_WIDTH): string[] {
  const fullRows: string[] = [];
  let currentRow = '';
  for (const word of text.split(' ')) {
    if (currentRow !== '' && indent.length + currentRow.length + 1 + word.length > width) {
      fullRows.push(indent + currentRow);
      currentRow = word;
    } else currentRow = currentRow === '' ? word : `${currentRow} ${word}`;
  }
  return [...fullRows, indent + currentRow];
}

/** Wraps a text after `lead`. Further rows are indented by the width of `lead`. */
export function wrapTextAfter(lead: string, text: string, width = USUAL_WIDTH): string[] {
  const [first = '', ...others] = wrapText(text, ' '.repeat(lead.length), width);
  return [lead + first.slice(lead.length), ...others];
}
