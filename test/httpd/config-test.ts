/** `httpd -t` for tests: the messages of the real server for a configuration, with their lines. */
import { execFile } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { readServerMessages, emptyLogicalLine, type ServerMessage } from '../../server/src/analysis/server-check';
import { testedAhead, type Ended } from './ahead';
import { Sandbox, type SandboxOptions } from './sandbox';

export { emptyLogicalLine, type ServerMessage };

export interface ConfigVerdict {
  readonly ok: boolean;
  readonly exitCode: number;
  /** What httpd stopped at; it stops at the first error. */
  readonly error?: ServerMessage;
  /** Warnings after which it continued. */
  readonly warnings: readonly ServerMessage[];
  readonly stderr: string;
}

const TIME_LIMIT = 100_000;
const MAX_ERRORS = 200;

/**
 * Asks httpd to check a configuration. Any number of calls may be under way: they wait for a
 * processor.
 */
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
 * All errors of a configuration, in the order in which httpd finds them. It stops at the first one,
 * so it runs again and again, each time without the line it stopped at. A section's tags are
 * replaced together by ones that keep the context of its body: its lines are checked, and are not
 * blamed for the tag. An error without a line (a check of the whole configuration) ends the search,
 * and so does one in an included file.
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
    emptyLogicalLine(lines, error.line - 1);
  }
  throw new Error(`more than ${MAX_ERRORS} errors`);
}

async function run(sandbox: Sandbox): Promise<Ended> {
  return (await testedAhead(sandbox, TIME_LIMIT)) ?? testedApart(sandbox);
}

/** What a httpd of its own says of a sandbox. */
export function testedApart(sandbox: Sandbox): Promise<Ended> {
  return new Promise((resolve, reject) => {
    execFile(
      sandbox.httpd.binary,
      sandbox.arguments('-t'),
      { timeout: TIME_LIMIT, killSignal: 'SIGKILL' },
      (error, _stdout, stderr) => {
        if (error && typeof error.code !== 'number') reject(error);
        else resolve({ exitCode: Number(error?.code ?? 0), stderr });
      },
    );
  });
}

/** Files relative to the server root. */
function readMessages(stderr: string, exitCode: number, { root }: Sandbox): Pick<ConfigVerdict, 'error' | 'warnings'> {
  const below = (said: ServerMessage): ServerMessage =>
    said.file === undefined ? said : { ...said, file: path.relative(root, said.file) };
  const { error, warnings } = readServerMessages(stderr, exitCode === 0);
  return { ...(error && { error: below(error) }), warnings: warnings.map(below) };
}

// As many servers at a time as there are processors: more would only make each one slower, up to
// its time limit.
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
