/** Shows this program's Markdown in editors that support only plain text. */

/**
 * Converts Markdown to plain text: removes markup, puts tables in columns, writes out the addresses
 * of links.
 */
export function plainText(markdown: string): string {
  const plainLines: string[] = [];
  const markdownLines = markdown.split('\n');
  for (let i = 0; i < markdownLines.length; i++) {
    const line = markdownLines[i]!;
    if (line.startsWith('```')) {
      while (++i < markdownLines.length && !markdownLines[i]!.startsWith('```'))
        plainLines.push(`    ${markdownLines[i]}`);
    } else if (line.startsWith('|')) {
      const tableRows: string[] = [];
      for (; i < markdownLines.length && markdownLines[i]!.startsWith('|'); i++) tableRows.push(markdownLines[i]!);
      i--;
      plainLines.push(...plainTable(tableRows));
    } else plainLines.push(plainInline(line.replace(/^#+ /, '').trimEnd()));
  }
  return plainLines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Matches code, bold, links and escapes, in this order, so that code is not processed again. Each
 * part has a maximum length, so that the search for the end of an unmatched mark stops early.
 */
const INLINE_MARKUP =
  /(`{1,9}) ?(.{1,2000}?) ?\1(?!`)|\*\*|\[((?:\\.|[^\]\\]){0,2000})\]\(([^)\s]{0,2000})\)|\\([!-/:-@[-`{-~])/g;

/** One line of Markdown as plain text. A label that has an address is followed by it. */
function plainInline(text: string): string {
  return text.replace(
    INLINE_MARKUP,
    (
      _all,
      _ticks: string | undefined,
      code: string | undefined,
      label: string | undefined,
      target: string | undefined,
      escaped: string | undefined,
    ) => {
      if (code !== undefined) return code;
      if (label !== undefined) return target ? `${plainInline(label)}: ${target}` : plainInline(label);
      return escaped ?? '';
    },
  );
}

/**
 * Pads the cells of a table to the widest of their column. Removes the line below the head, and a
 * head without words.
 */
function plainTable(rows: readonly string[]): string[] {
  const cells = rows
    .filter((row) => !/^\|[\s:|-]*\|$/.test(row) || !row.includes('-'))
    .map((row) =>
      row
        .replace(/^\||\|\s*$/g, '')
        .split(/(?<!\\)\|/)
        .map((cell) => plainInline(cell.trim().replace(/\\\|/g, '|'))),
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
