/** Writes the report as Markdown. Text from files is escaped (markdown-text.ts). */
import { codeSpan, codeBlock, escapeMarkdown } from '../markdown-text';
import type { ReportWriter } from './page';

/** Writes a report page as Markdown. */
export function markdownWriter(): ReportWriter {
  return {
    text: escapeMarkdown,
    code: codeSpan,
    block: (text) => `\n\n${codeBlock(text)}`,
    // No link is written: since the report has no links at all, text of a file cannot imitate one.
    rule: codeSpan,
    strong: (text) => `**${text}**`,
    document: ({ title, lead, body, end }) => `${[`# ${title}`, ...lead, ...body, end].join('\n\n').trimEnd()}\n`,
    section: ({ level, title }, body) => [`${'#'.repeat(level)} ${escapeMarkdown(title)}`, ...body].join('\n\n'),
    paragraph: (text) => text,
    command(text) {
      const oneLine = text.replace(/\s+/g, ' ');
      const fence = '`'.repeat(Math.max(3, ...[...oneLine.matchAll(/`+/g)].map(([run]) => run.length + 1)));
      return `${fence}sh\n${oneLine}\n${fence}`;
    },
    list: (items, isOrdered = false) =>
      items.map((item, index) => `${isOrdered ? `${index + 1}.` : '-'} ${item}`).join('\n'),
    choices: (items) =>
      items.map(({ isChecked, markedText }) => `- ${isChecked ? '[x]' : '[ ]'} ${markedText}`).join('\n'),
    table: (_caption, headCells, rows) =>
      [headCells, headCells.map(() => '---'), ...rows]
        .map((cells) => `| ${cells.map(escapedCell).join(' | ')} |`)
        .join('\n'),
    progress(parts) {
      const total = parts.reduce((sum, { count }) => sum + count, 0);
      const sharesText = parts.map(({ label, count }) => `${label}: ${count}`).join(' · ');
      // A bar with only one kind of parts shows nothing.
      if (parts.some(({ count }) => count === total)) return sharesText;
      let countSoFar = 0;
      // The ends of the parts are rounded, so that the parts fill the bar together.
      const bar = parts.map(({ kind, count }) => {
        const startColumn = Math.round((countSoFar * BAR_WIDTH) / total);
        countSoFar += count;
        return BAR_CHARACTERS[kind].repeat(Math.round((countSoFar * BAR_WIDTH) / total) - startColumn);
      });
      return `\`${bar.join('')}\` ${sharesText}`;
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The number of characters in a bar. */
const BAR_WIDTH = 30;
const BAR_CHARACTERS = { ready: '█', waiting: '▒', hand: '·' } as const;

/** Escapes the vertical bar, which would end the cell of a table even in a code span. */
function escapedCell(text: string): string {
  return text.replace(/\\?\|/g, '\\|');
}
