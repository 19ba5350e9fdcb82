/** An httpd program of this machine, or one that a command leads to (`docker exec web httpd`): asked to read a configuration, never started as a server, and never by way of a shell. */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

export interface Httpd {
  /** The program, and words that go before its own arguments. */
  readonly command: readonly string[];
  /** `2.4.62`. */
  readonly version: string;
  /** Whether its files are not this machine's: the command is more than a program. */
  readonly isElsewhere: boolean;
  /** As `-l` lists them: `mod_so.c`. */
  readonly builtIn: ReadonlySet<string>;
  /** Where its modules are; null where that is not found. */
  readonly modules: string | null;
  /** What it reads where nothing else is asked for. */
  readonly configuration: string | null;
}

export interface Said {
  readonly isOk: boolean;
  readonly stderr: string;
}

const PROGRAMS = ['apache2', 'httpd', 'httpd2', 'httpd24'];
const FOLDERS = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/sbin',
  '/usr/local/apache2/bin',
  '/usr/local/apache24/bin',
  '/opt/homebrew/bin',
  '/opt/local/sbin',
  '/opt/rh/httpd24/root/usr/sbin',
];
const MODULES = [
  '/usr/lib/apache2/modules',
  '/usr/lib64/httpd/modules',
  '/usr/lib/httpd/modules',
  '/usr/lib64/apache2',
  '/usr/lib64/apache2/modules',
  '/usr/libexec/apache2',
  '/usr/local/libexec/apache24',
  '/usr/local/apache2/modules',
  '/opt/homebrew/lib/httpd/modules',
  '/opt/rh/httpd24/root/usr/lib64/httpd/modules',
];

/** What asked for an answer and got none in this time is stuck, in milliseconds. */
const PATIENCE = 60_000;

/** The program of a command line's option, or the one that is found; a sentence where there is none, or none that will do. */
export async function findHttpd(given: string | null): Promise<Httpd | string> {
  const commands = given !== null ? [commandOf(given)] : candidates();
  if (commands.length === 0)
    return 'no httpd 2.4 is found here: install one (apache2-bin on Debian, httpd on Fedora), or name it with --httpd PROGRAM';
  let problem = '';
  for (const command of commands) {
    const found = await inspect(command);
    if (typeof found !== 'string') return found;
    problem ||= found;
  }
  return problem;
}

/** Lets it read a configuration. Its own words are `-f`, `-d`, `-D` and the like. Rejects where it does not come to its end, as after `signal`. */
export async function configTest(
  { command }: Httpd,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Said> {
  const { code, out, err } = await run(command, ['-t', ...words], environment, signal);
  if (code === null) throw new Error(err);
  return { isOk: code === 0, stderr: err || out };
}

/**
 * Words of a command as a shell would part them; no other of its ways. An absolute path that is there is one word. The first word becomes an absolute path: the
 * directory in which this program runs may be a copy that somebody else has made, and is searched for no program, whatever PATH has.
 */
export function commandOf(text: string): string[] {
  const [program, ...words] = path.isAbsolute(text) && existsSync(text) ? [text] : wordsOf(text);
  if (program === undefined) return [];
  if (/[/\\]/.test(program)) return [path.resolve(program), ...words];
  const suffixes = process.platform === 'win32' ? ['', '.exe'] : [''];
  const files = searched().flatMap((folder) => suffixes.map((suffix) => path.join(folder, program + suffix)));
  return [files.find(isProgram) ?? program, ...words];
}

function wordsOf(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}

/**
 * Whether a main file is where this httpd has its configuration: in the directory of the file that was compiled in, or, as Debian has
 * several, in one beside it (`/etc/apache2-NAME`).
 */
export function isOfThisMachine({ configuration, isElsewhere }: Httpd, root: string): boolean {
  if (configuration === null || isElsewhere) return false;
  const home = realOf(path.dirname(configuration));
  const own = realOf(root);
  return own.startsWith(`${home}${path.sep}`) || (home === '/etc/apache2' && /^\/etc\/apache2-[\w.-]+\//.test(own));
}

/** The path of a module's file; null where it is not here. */
export function moduleFile({ modules }: Httpd, name: string): string | null {
  const file = modules === null || name === '' ? null : path.join(modules, name);
  return file !== null && existsSync(file) ? file : null;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Where programs are: no entry of PATH that depends on the directory in which this program runs. */
function searched(): string[] {
  return [...(process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder)), ...FOLDERS];
}

function candidates(): string[][] {
  const found = new Set(
    searched()
      .flatMap((folder) => PROGRAMS.map((name) => path.join(folder, name)))
      .filter(isProgram),
  );
  return [...found].map((program) => [program]);
}

/** Why a program did not answer: what it or the system says; '' where neither does. */
function reasonOf(code: number | null, err: string): string {
  return code === null || err ? `: ${err.trim().split('\n')[0]}` : '';
}

const NO_PROGRAM = { code: null, out: '', err: '' } as const;

async function inspect(command: readonly string[]): Promise<Httpd | string> {
  const named = command.join(' ');
  if (command.length === 0) return '--httpd names no program';
  const { code, out, err } = path.isAbsolute(command[0]!) ? await run(command, ['-V']) : NO_PROGRAM;
  const version = /Apache\/(\d+\.\d+\.\d+)/.exec(out)?.[1];
  if (version === undefined) {
    if (/^spawn .* ENOENT$/.test(err.trim()) || !path.isAbsolute(command[0]!))
      return `${named}: this program does not exist`;
    return `${named} is not httpd, or it does not run${reasonOf(code, err)}`;
  }
  if (!version.startsWith('2.4.')) return `${named} is httpd ${version}, but the check needs httpd 2.4`;
  const isElsewhere = command.length > 1;
  const setting = (name: string) => new RegExp(`-D ${name}="([^"]*)"`).exec(out)?.[1];
  const root = setting('HTTPD_ROOT');
  const { out: list } = await run(command, ['-l']);
  const file = setting('SERVER_CONFIG_FILE');
  return {
    command,
    version,
    isElsewhere,
    builtIn: new Set([...list.matchAll(/^[ \t]*(\S+\.c)[ \t\r]*$/gm)].map(([, name = '']) => name)),
    modules: isElsewhere
      ? null
      : ([...(root === undefined ? [] : [path.join(root, 'modules')]), ...MODULES].find(holdsModules) ?? null),
    configuration: file === undefined || root === undefined ? null : path.posix.resolve(root, file),
  };
}

function realOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function holdsModules(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => /^mod_\w+\.so$/.test(name));
  } catch {
    return false;
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * What httpd gets of variables besides those of the configuration. Neither what a loader reads (LD_PRELOAD and its like) nor what the
 * user keeps in variables, which a configuration would only have to name.
 */
const BARE: NodeJS.ProcessEnv =
  process.platform === 'win32'
    ? { PATH: `${process.env.SystemRoot}\\System32`, SystemRoot: process.env.SystemRoot }
    : { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };

/** `code` is null where it did not run to its end. */
function run(
  [program = '', ...before]: readonly string[],
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  return new Promise((resolve) => {
    execFile(
      program,
      [...before, ...words],
      {
        timeout: PATIENCE,
        killSignal: 'SIGKILL',
        ...(signal && { signal }),
        maxBuffer: 16 * 1024 * 1024,
        // A command that leads to another machine needs what the user's own commands have, and gets nothing else.
        ...(before.length > 0
          ? { env: { ...process.env, LC_ALL: 'C' } }
          : { env: { ...BARE, ...environment, LC_ALL: 'C' }, cwd: path.parse(program).root || undefined }),
      },
      (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
        resolve({
          code,
          out,
          err:
            code === null
              ? error!.killed
                ? `no answer in ${PATIENCE / 1000} seconds`
                : error!.message.split('\n')[0]!
              : err,
        });
      },
    );
  });
}
