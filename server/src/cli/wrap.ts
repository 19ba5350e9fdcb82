/** Wraps text for a terminal of 80 columns, only between words. */

/** The usual width of a text in columns. */
export const COLUMNS = 80;

/**
 * Wraps a text into rows of at most `width` columns, each with the indentation `indent`. A longer
 * word gets a row of its own.
 */
export function wrapped(text: string, indent = '', width = COLUMNS): string[] {
  const rows: string[] = [];
  let row = '';
  for (const word of text.split(' ')) {
    if (row !== '' && indent.length + row.length + 1 + word.length > width) {
      rows.push(indent + row);
      row = word;
    } else row = row === '' ? word : `${row} ${word}`;
  }
  return [...rows, indent + row];
}

/** Wraps a text after `lead`. Further rows are indented by the width of `lead`. */
export function wrappedAfter(lead: string, text: string, width = COLUMNS): string[] {
  const [first = '', ...others] = wrapped(text, ' '.repeat(lead.length), width);
  return [lead + first.slice(lead.length), ...others];
}
