/** `httpd -t` for tests: what the real server says to a configuration, and where. */
import { execFile } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { Sandbox, type SandboxOptions } from './sandbox';

/** A line of the server's output. */
export interface ServerMessage {
  /** Such as `AH00526`; httpd's errors while reading a file have none. */
  readonly code?: string;
  readonly message: string;
  /** 1-based; undefined where httpd names none, or names a line of another file than `file`. */
  readonly line?: number;
  /** Relative to the server root. */
  readonly file?: string;
}

export interface ConfigVerdict {
  readonly ok: boolean;
  readonly exitCode: number;
  /** What httpd stopped at; it stops at the first error. */
  readonly error?: ServerMessage;
  /** What it said besides and went on. */
  readonly warnings: readonly ServerMessage[];
  readonly stderr: string;
}

const TIME_LIMIT = 20_000;
const MAX_ERRORS = 200;
/** Sections that leave the context of their body as it is. */
const WITHOUT_CONTEXT = /^(if(module|define|version|file|directive|section)|macro)$/;

/** Asks httpd to check a configuration. Any number of calls may be under way: they wait for a processor. */
export async function configTest(config: string, options: SandboxOptions = {}): Promise<ConfigVerdict> {
  return withSlot(async () => {
    const sandbox = new Sandbox(options, 8080);
    try {
      sandbox.configure(config);
      return await verdictIn(sandbox);
    } finally {
      sandbox.remove();
    }
  });
}

/** The same of what a sandbox holds, at once. */
export async function verdictIn(sandbox: Sandbox): Promise<ConfigVerdict> {
  const { exitCode, stderr } = await run(sandbox);
  return { ok: exitCode === 0, exitCode, stderr, ...readMessages(stderr, exitCode, sandbox) };
}

/**
 * All errors of a configuration, in the order in which httpd comes to them. It stops at the first one, so it is asked again
 * and again, each time without the line it stopped at. A section's tags are replaced together, by ones with which its body
 * stays in the context it was in: what is inside is checked, and is not blamed for the tag.
 * An error without a line (a check of the whole configuration) ends the search, and so does one in an included file.
 */
export async function configTestAll(config: string, options: SandboxOptions = {}): Promise<ServerMessage[]> {
  const name = options.name ?? 'httpd.conf';
  const lines = config.split('\n');
  const errors: ServerMessage[] = [];
  while (errors.length < MAX_ERRORS) {
    const { error } = await configTest(lines.join('\n'), options);
    if (!error) return errors;
    errors.push(error);
    if (error.line === undefined || error.file !== name || lines[error.line - 1].trim() === '') return errors;
    removeDirective(lines, error.line - 1);
  }
  throw new Error(`more than ${MAX_ERRORS} errors`);
}

/**
 * Empties the logical line that ends in a physical line; for an opening tag that has its closing tag, both are replaced. `isNested`
 * says that the lines stand in a directory's section of another file.
 */
export function removeDirective(lines: string[], last: number, isNested = false): void {
  let first = last;
  while (first > 0 && isContinued(lines[first - 1])) first--;
  const section = /^\s*<(\w+)/.exec(lines[first])?.[1].toLowerCase();
  const close = section === undefined ? -1 : closingLine(lines, first, section);
  const [newOpen, newClose] = section === undefined || close < 0 || isNested ? ['', ''] : neutralTags(lines, first, section);
  for (let line = first; line <= last; line++) lines[line] = '';
  lines[last] = newOpen;
  if (close >= 0) lines[close] = newClose;
}

/** Tags that are right where the given section stands and give its body the same of httpd's contexts. */
function neutralTags(lines: readonly string[], line: number, section: string): [string, string] {
  if (WITHOUT_CONTEXT.test(section)) return ['', ''];
  const parents = openSections(lines, line).filter((parent) => !WITHOUT_CONTEXT.test(parent));
  if (parents.some((parent) => parent !== 'virtualhost')) return ['', ''];
  if (section !== 'virtualhost') return ['<Directory "/removed">', '</Directory>'];
  return parents.length > 0 ? ['', ''] : ['<VirtualHost 127.0.0.99:99>', '</VirtualHost>'];
}

function openSections(lines: readonly string[], end: number): string[] {
  const open: string[] = [];
  for (const line of lines.slice(0, end)) {
    const tag = /^\s*<(\/?)(\w+)/.exec(line);
    if (!tag) continue;
    if (!tag[1]) open.push(tag[2].toLowerCase());
    else if (open.at(-1) === tag[2].toLowerCase()) open.pop();
  }
  return open;
}

function closingLine(lines: readonly string[], open: number, section: string): number {
  let depth = 0;
  for (let line = open; line < lines.length; line++) {
    const tag = /^\s*<(\/?)(\w+)/.exec(lines[line]);
    if (tag?.[2].toLowerCase() !== section) continue;
    depth += tag[1] ? -1 : 1;
    if (depth === 0) return line;
  }
  return -1;
}

function isContinued(line: string): boolean {
  return /\\\r?$/.test(line);
}

function run(sandbox: Sandbox): Promise<{ exitCode: number; stderr: string }> {
  return new Promise((resolve, reject) => {
    execFile(sandbox.httpd.binary, sandbox.arguments('-t'), { timeout: TIME_LIMIT, killSignal: 'SIGKILL' }, (error, _stdout, stderr) => {
      if (error && typeof error.code !== 'number') reject(error);
      else resolve({ exitCode: Number(error?.code ?? 0), stderr });
    });
  });
}

/**
 * httpd writes an error as `AH00526: Syntax error on line N of F:` and the text on the next line, or, where it could not even read the
 * file, all on one line, once for each file that includes the next one (server/main.c, server/config.c).
 */
function readMessages(stderr: string, exitCode: number, sandbox: Sandbox): Pick<ConfigVerdict, 'error' | 'warnings'> {
  const rows = stderr.split('\n').map(withoutPrefix).filter((row) => row !== '' && row !== 'Syntax OK');
  if (exitCode === 0) return { warnings: rows.map((row) => readWarning(row, sandbox)) };
  const start = rows.findIndex((row) => row.includes('Syntax error on line '));
  if (start >= 0) {
    const error = readError(rows.slice(start).join('\n'), sandbox);
    return { error, warnings: rows.slice(0, start).map((row) => readWarning(row, sandbox)) };
  }
  const text = rows.filter((row) => !row.startsWith('AH00014')).at(-1) ?? stderr;
  return { error: splitCode(text), warnings: rows.filter((row) => row !== text).map((row) => readWarning(row, sandbox)) };
}

function readError(text: string, sandbox: Sandbox): ServerMessage {
  const code = splitCode(text).code;
  const place = [...text.matchAll(/(?:Syntax error on line|used on line) (\d+) of "?(\/[^"\n]*?)"*(?: error while substituting)?:(?=\s)/g)].at(-1);
  if (!place) return { code, message: text };
  const message = text.slice(place.index + place[0].length).trim();
  return { code, message, line: Number(place[1]), file: path.relative(sandbox.root, place[2]) };
}

function readWarning(row: string, sandbox: Sandbox): ServerMessage {
  const place = /in line (\d+) of (\/\S+?)\.?$/.exec(row) ?? /(?<= )(\/\S+):(\d+)$/.exec(row);
  if (!place) return splitCode(row);
  const [line, file] = place[1].startsWith('/') ? [place[2], place[1]] : [place[1], place[2]];
  return { ...splitCode(row), line: Number(line), file: path.relative(sandbox.root, file) };
}

function splitCode(row: string): ServerMessage {
  const match = /^(AH\d{5}): (.*)$/s.exec(row);
  return match ? { code: match[1], message: match[2] } : { message: row };
}

/** Removes `[date] [module:level] [pid …] (errno)text: `, which a message that goes through the log has. */
function withoutPrefix(row: string): string {
  return row.trim().replace(/^(?:\[[^\]]*\] ?)+/, '').replace(/^\(.*?\).*?: (?=AH\d{5})/, '');
}

// As many servers at a time as there are processors: more would only make each one slower, up to its time limit.
const waiting: (() => void)[] = [];
let slots = Math.max(2, os.cpus().length);

async function withSlot<T>(job: () => Promise<T>): Promise<T> {
  if (slots > 0) slots--;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await job();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else slots++;
  }
}
