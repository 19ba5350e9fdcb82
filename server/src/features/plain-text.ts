/** Our own Markdown for editors that show plain text: what marks it up is taken out, tables stand in columns, links say where they lead. */

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
 * Code, bold, links, escapes, in this order: what stands in code is not looked at again. With
 * bounds, because each mark that begins nothing looks as far as its bound.
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

/** Cells are padded to the widest of their column; the line under the head goes, and so does a head without words. */
function table(rows: readonly string[]): string[] {
  const cells = rows
    .filter((row) => !/^\|[\s:|-]*\|$/.test(row) || !row.includes('-'))
    .map((row) =>
      row
        .replace(/^\||\|\s*$/g, '')
        .split(/(?<!\\)\|/)
        .map((cell) => inline(cell.trim().replace(/\\\|/g, '|'))),
    );
  const shown = cells.filter((row) => row.some((cell) => cell !== ''));
  const widths = (shown[0] ?? []).map((_, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)));
  return shown.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  );
}
