/** `explain -`, `explain FILE`: a log from standard input, a pipe or a file, read piece by piece. */
import { createReadStream, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';
import type { ExplainOptions } from '../features/explain';
import { LogReader, type LogSummary } from '../features/log-summary';
import { forTerminal } from './markdown';
import { printable, type Terminal } from './terminal';
import { STDIN } from './streams';

/** Whether a term is a log to read: `-`, or the path of a file or pipe. A word without `.`, `/` or `\` is a term. */
export function isLog(term: string): boolean {
  if (term === STDIN) return true;
  if (!/[./\\]/.test(term) || term.includes('\n')) return false;
  try {
    const found = statSync(term);
    return found.isFile() || found.isFIFO();
  } catch {
    return false;
  }
}

/** Longer lines are cut, so that a file without line ends cannot fill the memory. */
const MAX_LINE = 64 * 1024;

export async function readLog(term: string, options: ExplainOptions): Promise<LogSummary> {
  const input: Readable = term === STDIN ? process.stdin : createReadStream(term);
  const reader = new LogReader(options);
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let isFirst = true;
  for await (const chunk of input) {
    const text = rest + decoder.write(chunk as Buffer);
    const lines = (isFirst ? text.replace(/^\uFEFF/, '') : text).split('\n');
    isFirst = false;
    rest = lines.pop()!.slice(0, MAX_LINE);
    for (const line of lines) reader.take(line);
  }
  reader.take(rest + decoder.end());
  return reader.summary();
}

/** The answers for people: each kind once, with its count and its first line. */
export function summaryText({ lines, kinds }: LogSummary, terminal: Terminal): string {
  const unknown = kinds.filter(({ isKnown }) => !isKnown).length;
  const head = `${lines} ${lines === 1 ? 'line' : 'lines'}, ${kinds.length} ${kinds.length === 1 ? 'kind' : 'kinds'}${unknown > 0 ? `, ${unknown} not known` : ''}. What stops most comes first.\n`;
  const parts = kinds.map(({ count, firstLine, lastLine, example, markdown }) => {
    const where = firstLine === lastLine ? `line ${firstLine}` : `lines ${firstLine} to ${lastLine}`;
    // The page of a directive is for `explain NAME`.
    const answer = markdown.split('\n\n').slice(0, 4).join('\n\n');
    return `\n${'-'.repeat(40)}\n${count}×, ${where}: ${printable(example.slice(0, 200))}\n\n${forTerminal(answer, terminal)}`;
  });
  return head + parts.join('');
}

/** The answers for programs; docs/ci.md has the keys. */
export function summaryJson({ lines, kinds }: LogSummary): string {
  return `${JSON.stringify({ version: 1, lines, kinds: kinds.map(({ markdown: _, ...kind }) => kind) }, null, 2)}\n`;
}
