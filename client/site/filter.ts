/** The field above a long table: shows the rows that have all words of it. */
const field = document.querySelector<HTMLInputElement>('#filter');
const rows = [...document.querySelectorAll<HTMLTableRowElement>('table.list tbody tr')];
const texts = rows.map((row) => (row.textContent ?? '').toLowerCase());

function filter(): void {
  const words = field!.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  rows.forEach((row, index) => {
    row.hidden = !words.every((word) => texts[index]!.includes(word));
    if (!row.hidden) shown++;
  });
  document.querySelector('#filter-count')!.textContent = words.length === 0 ? '' : `${shown} of ${rows.length}`;
}

field?.addEventListener('input', filter);
