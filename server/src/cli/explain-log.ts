/** The command `explain` for a log: reads it from standard input, a pipe or a file, in pieces. */
import { createReadStream, realpathSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { ExplainOptions, Explanation, NothingFound } from '../features/explain';
import { isKernelFile, mayRead, readingLimit } from '../host/read-now';
import { parseLogLine } from '../features/log-line';
import { logKindOf, LogReader, type LogSummary } from '../features/log-summary';
import { markdownForTerminal } from './markdown';
import { printable, type Terminal } from './terminal';
import { STDIN } from './streams';

/**
 * Whether the argument of `explain` is a log: `-`, or the path of a file or pipe. A word without
 * `.`, `/` or `\` is a term.
 */
export function isLogArgument(term: string): boolean {
  return term === STDIN || (/[./\\]/.test(term) && isFileOrPipe(term));
}

/**
 * Whether a term is the path of a file or pipe, such as `error_log`. If reading is limited to some
 * directories (`readingLimit`), the result is false for files outside of them, and for all pipes:
 * reading a pipe might not end.
 */
export function isFileOrPipe(term: string): boolean {
  if (term.includes('\n') || term.includes('\0')) return false;
  try {
    if (!mayRead(term)) return false;
    const status = statSync(term);
    if (readingLimit.value !== null) return status.isFile() && !isKernelFile(realpathSync(term));
    return status.isFile() || status.isFIFO();
  } catch {
    return false;
  }
}

/** Longer lines are cut, so that a file without line ends cannot fill the memory. */
const MAX_LINE_LENGTH = 64 * 1024;

/** Thrown for a file that is not text. The message ends with an instruction to the user. */
export class NotALogError extends Error {}

/** Reads a log and explains each kind of line in it. Throws `NotALogError` if it is not text. */
export async function readLog(term: string, options: ExplainOptions): Promise<LogSummary> {
  const input: Readable = term === STDIN ? process.stdin : createReadStream(term);
  const reader = new LogReader(options);
  let decoder: TextDecoder | null = null;
  let incompleteLine = '';
  for await (const chunk of input) {
    const bytes = chunk as Buffer;
    decoder ??= decoderFor(bytes, term);
    const completeLines = (incompleteLine + decoder.decode(bytes, { stream: true })).split('\n');
    incompleteLine = completeLines.pop()!.slice(0, MAX_LINE_LENGTH);
    for (const line of completeLines) reader.readLine(line);
  }
  reader.readLine(incompleteLine + (decoder?.decode() ?? ''));
  return reader.summary();
}

/**
 * Chooses the encoding by the first bytes: PowerShell writes UTF-16. A byte order mark is skipped.
 * Throws if the bytes are no text.
 */
function decoderFor(bytes: Buffer, term: string): TextDecoder {
  const [, unpackCommand] =
    COMPRESSED_FORMATS.find(([magic]) => bytes.subarray(0, magic.length).equals(Buffer.from(magic))) ?? [];
  if (unpackCommand !== undefined) {
    const fileName = term === STDIN ? 'FILE' : term;
    throw new NotALogError(`this is compressed. Run \`${unpackCommand} ${fileName} | httpd-upgrade explain -\``);
  }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be');
  if (bytes.subarray(0, 4096).includes(0)) throw new NotALogError('this is no text. Give a log of httpd');
  return new TextDecoder('utf-8');
}

/** The first bytes of compressed files, and the command that unpacks each. */
const COMPRESSED_FORMATS: readonly (readonly [magic: readonly number[], command: string])[] = [
  [[0x1f, 0x8b], 'zcat'],
  [[0x42, 0x5a, 0x68], 'bzcat'],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], 'xzcat'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'zstdcat'],
  [[0x50, 0x4b, 0x03, 0x04], 'unzip -p'],
];

/**
 * The explanations as text: each kind of line once, with the number of such lines and the first of
 * them.
 */
export function summaryText({ lines, kinds }: LogSummary, terminal: Terminal): string {
  if (lines === 0)
    return 'The log is empty. Look for errors in the other logs: journalctl -u apache2 or -u httpd, ErrorLog.\n';
  const unknownCount = kinds.filter(({ isKnown }) => !isKnown).length;
  const countsLine = `${lines} ${lines === 1 ? 'line' : 'lines'}, ${kinds.length} ${kinds.length === 1 ? 'kind' : 'kinds'}${unknownCount > 0 ? `, ${unknownCount} not known` : ''}. What stops most comes first.\n`;
  const kindTexts = kinds.map(({ count, firstLine, lastLine, example, markdown }) => {
    const linesText = firstLine === lastLine ? `line ${firstLine}` : `lines ${firstLine} to ${lastLine}`;
    // Shows only the beginning of a long explanation, such as the page of a directive. `explain
    // NAME` shows the rest.
    const firstParagraphs = markdown.split('\n\n').slice(0, 4).join('\n\n');
    return `\n${'-'.repeat(40)}\n${count}×, ${linesText}: ${printable(example.slice(0, 200))}\n\n${markdownForTerminal(firstParagraphs, terminal)}`;
  });
  return countsLine + kindTexts.join('');
}

/** The explanations as JSON. docs/terminal.md has the keys. */
export function summaryJson({ lines, kinds }: LogSummary): string {
  return toJson({ version: 1, isLog: true, lines, kinds });
}

/**
 * The explanation of one term as JSON. It has the keys of the output for a log with one line, and
 * also `title` and `markdown`; if nothing is found, these are null, and `suggestions` has similar
 * terms.
 */
export function answerJson(explanation: Explanation | NothingFound, term: string): string {
  if (!('markdown' in explanation)) {
    const { suggestions } = explanation;
    return toJson({ version: 1, isLog: false, lines: 1, kinds: [], title: null, markdown: null, suggestions });
  }
  const { title, markdown } = explanation;
  // A code alone, such as `AH01797` or `1797`, is not parsed as a log line, so it is set here.
  const parsedLine =
    /^(?:AH)?\d{1,5}$/i.test(term.trim()) && MESSAGE_CODE.test(title)
      ? { ...parseLogLine(term), code: title }
      : parseLogLine(term);
  const kinds = [logKindOf(explanation, parsedLine, term)];
  return toJson({ version: 1, isLog: false, lines: 1, kinds, title, markdown });
}

const MESSAGE_CODE = /^AH\d{5}$/;

function toJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
