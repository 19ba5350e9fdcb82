/** The report as Markdown: what a file says is shown as it stands there (markdown-text.ts). */
import { code, codeBlock, escape } from '../markdown-text';
import type { Page } from './page';

export function markdownPage(): Page {
  return {
    text: escape,
    code,
    block: (text) => `\n\n${codeBlock(text)}`,
    strong: (text) => `**${text}**`,
    document: ({ title, lead, body, end }) => `${[`# ${title}`, ...lead, ...body, end].join('\n\n').trimEnd()}\n`,
    section: ({ level, title }, body) => [`${'#'.repeat(level)} ${escape(title)}`, ...body].join('\n\n'),
    paragraph: (text) => text,
    command(text) {
      const plain = text.replace(/\s+/g, ' ');
      const fence = '`'.repeat(Math.max(3, ...[...plain.matchAll(/`+/g)].map(([run]) => run.length + 1)));
      return `${fence}sh\n${plain}\n${fence}`;
    },
    list: (items, isOrdered = false) =>
      items.map((item, index) => `${isOrdered ? `${index + 1}.` : '-'} ${item}`).join('\n'),
    choices: (items) =>
      items.map(({ isTaken, marked }) => `- ${isTaken === null ? '' : isTaken ? '[x] ' : '[ ] '}${marked}`).join('\n'),
    table: (_caption, head, rows) =>
      [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n'),
    progress(parts) {
      const total = parts.reduce((sum, { count }) => sum + count, 0);
      const shares = parts.map(({ label, count }) => `${label}: ${count}`).join(' · ');
      // A bar of one kind says nothing.
      if (parts.some(({ count }) => count === total)) return shares;
      let done = 0;
      // Each part from where the one before has ended, so that they fill the bar together.
      const bar = parts.map(({ kind, count }) => {
        const from = Math.round((done * WIDTH) / total);
        done += count;
        return SIGNS[kind].repeat(Math.round((done * WIDTH) / total) - from);
      });
      return `\`${bar.join('')}\` ${shares}`;
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------------

const WIDTH = 30;
const SIGNS = { ready: '█', waiting: '▒', hand: '·' } as const;

/** A bar ends a cell, in a code span too. */
function cell(text: string): string {
  return text.replace(/\\?\|/g, '\\|');
}
