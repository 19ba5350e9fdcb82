/** Text for a terminal of 80 columns: wrapped between words, never within one. */

export const COLUMNS = 80;

/**
 * The lines of a text, each with the same indentation. A word longer than a line is on its own
 * line.
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

/** The same with `lead` before the first line; the others are indented by its width. */
export function hanging(lead: string, text: string, width = COLUMNS): string[] {
  const [first = '', ...others] = wrapped(text, ' '.repeat(lead.length), width);
  return [lead + first.slice(lead.length), ...others];
}
