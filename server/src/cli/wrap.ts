/** Text for a terminal of 80 columns: broken between words, never within one. */

export const COLUMNS = 80;

/** Lines of a text, each behind the same blanks. What is longer than a line stands on its own. */
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

/** The same with something in front of the first line, which the others stand behind. */
export function hanging(lead: string, text: string, width = COLUMNS): string[] {
  const [first = '', ...others] = wrapped(text, ' '.repeat(lead.length), width);
  return [lead + first.slice(lead.length), ...others];
}
