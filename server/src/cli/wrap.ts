/** Wraps text for a terminal of 80 columns, only between words. */

export const COLUMNS = 80;

/**
 * Wraps a text. Each line has the same indentation. A word longer than a line gets a line of its
 * own.
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

/** Wraps a text after `lead`. The other lines are indented by the width of `lead`. */
export function hanging(lead: string, text: string, width = COLUMNS): string[] {
  const [first = '', ...others] = wrapped(text, ' '.repeat(lead.length), width);
  return [lead + first.slice(lead.length), ...others];
}
