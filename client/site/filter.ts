/**
 * The field above a long table: shows the rows that have all words of it. A line that is copied
 * from a log shows the messages that it can be.
 */
const field = document.querySelector<HTMLInputElement>('#filter');
const rows = [...document.querySelectorAll<HTMLTableRowElement>('table.list tbody tr')];
const texts = rows.map((row) => (row.textContent ?? '').toLowerCase());

/** The fixed parts of each message, in the order of the text; too short ones say nothing. */
const parts = rows.map((row) =>
  (row.querySelector('a')?.textContent ?? '')
    .toLowerCase()
    .split('…')
    .map((part) => part.trim())
    .filter((part) => part.length > 3),
);

function matches(text: string): boolean[] {
  const [code] = /\bah\d{5}\b/.exec(text) ?? [];
  const words = code === undefined ? text.split(/\s+/).filter(Boolean) : [code];
  const found = texts.map((each) => words.every((word) => each.includes(word)));
  if (found.includes(true) || words.length < 3) return found;
  return parts.map((each) => each.length > 0 && each.every((part) => text.includes(part)));
}

function filter(): void {
  const text = field!.value.trim().toLowerCase();
  const found = matches(text);
  rows.forEach((row, index) => {
    row.hidden = !found[index];
  });
  document.querySelector('#filter-count')!.textContent =
    text === '' ? '' : `${found.filter(Boolean).length} of ${rows.length}`;
}

field?.addEventListener('input', filter);
