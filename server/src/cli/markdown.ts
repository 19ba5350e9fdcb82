/**
 * Shows Markdown on a terminal. Supports only the syntax that this program writes. The address of a
 * link follows its text, and tables are in columns.
 */
import { printableLines, type Terminal } from './terminal';
import { wrapTextAfter } from './wrap';

/** The Markdown as text for a terminal. */
export function markdownForTerminal(markdown: string, terminal: Terminal): string {
  const rows: string[] = [];
  let table: string[][] = [];
  let isCode = false;
  const endTable = () => {
    if (table.length > 0) rows.push(...tableRows(table, terminal));
    table = [];
  };
  for (const line of printableLines(markdown).split('\n')) {
    if (line.startsWith('```')) {
      isCode = !isCode;
      continue;
    }
    if (!isCode && line.startsWith('|')) {
      const cells = line
        .slice(1, line.lastIndexOf('|'))
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replace(/\\\|/g, '|'));
      if (!cells.every((cell) => /^:?-+:?$/.test(cell))) table.push(cells);
      continue;
    }
    endTable();
    rows.push(...(isCode ? [`    ${line}`] : wrappedLine(styledInline(line, terminal), terminal)));
  }
  endTable();
  return `${rows
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Wraps a line between words if the output is a screen. In a list item, further lines are indented
 * by the width of the list mark.
 */
function wrappedLine(line: string, terminal: Terminal): string[] {
  if (!terminal.isScreen) return [line];
  const listMark = /^- /.exec(line)?.[0] ?? '';
  return wrapTextAfter(listMark, line.slice(listMark.length), terminal.columns);
}

/** A line with headings and bold text as styles, and without other markup. */
function styledInline(line: string, terminal: Terminal): string {
  const heading = /^#+ (.*)$/.exec(line);
  if (heading) return terminal.style('bold', withoutMarkup(heading[1]!));
  const boldAndPlainParts = line.split(/(\*\*.+?\*\*)/);
  return boldAndPlainParts
    .map((part) =>
      part.startsWith('**') && part.length > 4
        ? terminal.style('bold', withoutMarkup(part.slice(2, -2)))
        : withoutMarkup(part),
    )
    .join('');
}

/**
 * A text without its markup; backticks around several words stay. The address of a link follows its
 * text.
 */
function withoutMarkup(text: string): string {
  return (
    text
      .replace(/\[([^[\]]+)\]\(([^()\s]+)\)/g, (_, label: string, url: string) =>
        /^https?:/.test(url) ? `${label.replace(/`/g, '')} (${url})` : label,
      )
      // Removes the backticks around one word, keeps them around several words. In code, a
      // backslash is a character of the text.
      .replace(/(`{1,9})(.{1,2000}?)\1|\\([\\`*_{}[\]()#+.!|<>-])/g, (foundText, _, code?: string, escaped?: string) =>
        code === undefined ? escaped! : /\s/.test(code) ? foundText : code,
      )
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
      .replace(/&amp;/g, '&')
  );
}

/** The rows of a table in columns; the first row is bold. */
function tableRows(table: readonly string[][], terminal: Terminal): string[] {
  const cellTexts = table.map((cells) => cells.map((cell) => withoutMarkup(cell.replace(/\*\*/g, ''))));
  const widths = cellTexts[0]!.map((_, column) => Math.max(...cellTexts.map((cells) => (cells[column] ?? '').length)));
  return cellTexts.map((cells, row) => {
    const tableLine = `  ${cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('   ')
      .trimEnd()}`;
    return row === 0 ? terminal.style('bold', tableLine) : tableLine;
  });
}
