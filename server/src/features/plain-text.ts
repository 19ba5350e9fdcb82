/**
 * Converts our own Markdown for editors that show plain text: removes marks, puts tables in
 * columns, adds the addresses of links.
 */

export function plainText(markdown: string): string {
  const out: string[] = [];
  const lines = markdown.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    if (line.startsWith('```')) {
      while (++i < lines.length && !lines[i]!.startsWith('```')) out.push(`    ${lines[i]}`);
    } else if (line.startsWith('|')) {
      const rows: string[] = [];
      for (; i < lines.length && lines[i]!.startsWith('|'); i++) rows.push(lines[i]!);
      i--;
      out.push(...table(rows));
    } else out.push(inline(line.replace(/^#+ /, '').trimEnd()));
  }
  return out
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Code, bold, links, escapes, in this order: code is not processed again. Each pattern is bounded,
 * because an unmatched mark searches up to its bound.
 */
const MARKS =
  /(`{1,9}) ?(.{1,2000}?) ?\1(?!`)|\*\*|\[((?:\\.|[^\]\\]){0,2000})\]\(([^)\s]{0,2000})\)|\\([!-/:-@[-`{-~])/g;

function inline(text: string): string {
  return text.replace(
    MARKS,
    (
      _all,
      _ticks: string | undefined,
      code: string | undefined,
      label: string | undefined,
      target: string | undefined,
      escaped: string | undefined,
    ) => {
      if (code !== undefined) return code;
      if (label !== undefined) return target ? `${inline(label)}: ${target}` : inline(label);
      return escaped ?? '';
    },
  );
}

/**
 * Pads cells to the widest of their column; removes the line under the head, and a head without
 * words.
 */
function table(rows: readonly string[]): string[] {
  const cells = rows
    .filter((row) => !/^\|[\s:|-]*\|$/.test(row) || !row.includes('-'))
    .map((row) =>
      row
        .replace(/^\||\|\s*$/g, '')
        .split(/(?<!\\)\|/)
        .map((cell) => inline(cell.trim().replace(/\\\|/g, '|'))),
    );
  const filledRows = cells.filter((row) => row.some((cell) => cell !== ''));
  const widths = (filledRows[0] ?? []).map((_, column) =>
    Math.max(...filledRows.map((row) => row[column]?.length ?? 0)),
  );
  return filledRows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  );
}
