/**
 * Finds and runs an httpd program: one on this machine, or one that a command starts (`docker exec
 * web httpd`). It only tests configurations (`httpd -t`). It is never started as a server, and
 * never run through a shell.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/** An httpd 2.4 that can test configurations. */
export interface Httpd {
  /**
   * The program that is started, and its first arguments. The arguments of httpd come after them.
   */
  readonly command: readonly string[];
  /** Such as `2.4.62`. */
  readonly version: string;
  /**
   * Whether the files of httpd are on another machine, or in a container. Assumed if the command is
   * more than the path of a program.
   */
  readonly isOnOtherMachine: boolean;
  /** Compiled-in modules as `-l` lists them: `mod_so.c`. */
  readonly builtInModules: ReadonlySet<string>;
  /** The directory of httpd's modules; null if it was not found. */
  readonly modulesFolder: string | null;
  /** The main file that httpd reads by default; null if it is not known. */
  readonly defaultConfiguration: string | null;
}

/** The result of `httpd -t`. `stderr`: its messages, even if it wrote them to standard output. */
export interface ConfigTestResult {
  readonly isOk: boolean;
  readonly stderr: string;
}

const PROGRAM_NAMES = ['apache2', 'httpd', 'httpd2', 'httpd24'];
const PROGRAM_FOLDERS = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/sbin',
  '/usr/local/apache2/bin',
  '/usr/local/apache24/bin',
  '/opt/homebrew/bin',
  '/opt/local/sbin',
  '/opt/rh/httpd24/root/usr/sbin',
];
const MODULE_FOLDERS = [
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

/** Milliseconds until a program that does not answer counts as stuck. */
const PROGRAM_TIMEOUT_MS = 60_000;

/**
 * Finds the program: the given one, or one of this machine. If no program can be used, returns a
 * sentence with the reason.
 */
export async function findHttpd(wantedCommand: string | null): Promise<Httpd | string> {
  const commands = wantedCommand !== null ? [splitCommand(wantedCommand)] : candidateCommands();
  if (commands.length === 0)
    return 'no httpd 2.4 is found here: install one (apache2-bin on Debian, httpd on Fedora), or name it with --httpd PROGRAM';
  let problem = '';
  for (const command of commands) {
    const httpdOrProblem = await inspectHttpd(command);
    if (typeof httpdOrProblem !== 'string') return httpdOrProblem;
    problem ||= httpdOrProblem;
  }
  return problem;
}

/**
 * Runs a configuration test. `httpdOptions` are options such as `-f`, `-d`, `-D`. `environment`:
 * variables that the configuration uses. Rejects if the program does not end normally, for example
 * after `signal`.
 */
export async function configTest(
  { command }: Httpd,
  httpdOptions: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<ConfigTestResult> {
  const { code, stdout, stderr: err } = await runCommand(command, ['-t', ...httpdOptions], environment, signal);
  if (code === null) throw new Error(err);
  return { isOk: code === 0, stderr: err || stdout };
}

/**
 * Splits a command at spaces and quotes, as a shell does. An absolute path that exists is one word.
 * The first word becomes an absolute path. The current directory is never searched for programs,
 * even if PATH contains it, because it may be an untrusted copy.
 */
export function splitCommand(text: string): string[] {
  const [program, ...words] = path.isAbsolute(text) && existsSync(text) ? [text] : splitWords(text);
  if (program === undefined) return [];
  if (/[/\\]/.test(program)) return [path.resolve(program), ...words];
  const suffixes = process.platform === 'win32' ? ['', '.exe'] : [''];
  const files = programSearchPath().flatMap((folder) => suffixes.map((suffix) => path.join(folder, program + suffix)));
  return [files.find(isProgram) ?? program, ...words];
}

/** The words of a text, split at spaces; quotes keep spaces in a word. */
function splitWords(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}

/**
 * Whether a main file is the configuration of this httpd: it is in the directory of the compiled-in
 * main file, or in a directory beside it (Debian's `/etc/apache2-NAME` for several servers).
 */
export function isConfigurationOf({ defaultConfiguration, isOnOtherMachine }: Httpd, mainFile: string): boolean {
  if (defaultConfiguration === null || isOnOtherMachine) return false;
  const configurationFolder = realPath(path.dirname(defaultConfiguration));
  const realMainFile = realPath(mainFile);
  return (
    realMainFile.startsWith(`${configurationFolder}${path.sep}`) ||
    (configurationFolder === '/etc/apache2' && /^\/etc\/apache2-[\w.-]+\//.test(realMainFile))
  );
}

/** The path of a module's file; null if this machine does not have the module. */
export function moduleFile({ modulesFolder }: Httpd, fileName: string): string | null {
  const file = modulesFolder === null || fileName === '' ? null : path.join(modulesFolder, fileName);
  return file !== null && existsSync(file) ? file : null;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The directories to search for programs: the absolute entries of PATH, then the usual directories
 * of httpd.
 */
function programSearchPath(): string[] {
  return [
    ...(process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder)),
    ...PROGRAM_FOLDERS,
  ];
}

/** The httpd programs of this machine, one command each. */
function candidateCommands(): string[][] {
  const programs = new Set(
    programSearchPath()
      .flatMap((folder) => PROGRAM_NAMES.map((name) => path.join(folder, name)))
      .filter(isProgram),
  );
  return [...programs].map((program) => [program]);
}

/** A colon and the first line of the error message; '' if the program ended without a message. */
function failureReason(code: number | null, err: string): string {
  return code === null || err ? `: ${err.trim().split('\n')[0]}` : '';
}

const NO_OUTPUT = { code: null, stdout: '', stderr: '' } as const;

/**
 * Finds out the facts about the httpd of a command. If it is not a usable httpd 2.4, returns the
 * reason as a sentence.
 */
async function inspectHttpd(command: readonly string[]): Promise<Httpd | string> {
  const commandText = command.join(' ');
  if (command.length === 0) return '--httpd names no program';
  const { code, stdout, stderr } = path.isAbsolute(command[0]!) ? await runCommand(command, ['-V']) : NO_OUTPUT;
  const version = /Apache\/(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (version === undefined) {
    if (/^spawn .* ENOENT$/.test(stderr.trim()) || !path.isAbsolute(command[0]!))
      return `${commandText}: this program does not exist. Give the path of an httpd 2.4`;
    return `${commandText} is not httpd, or it does not run${failureReason(code, stderr)}`;
  }
  if (!version.startsWith('2.4.')) return `${commandText} is httpd ${version}, but the check needs httpd 2.4`;
  const isOnOtherMachine = command.length > 1;
  const compiledSetting = (name: string) => new RegExp(`-D ${name}="([^"]*)"`).exec(stdout)?.[1];
  const httpdRoot = compiledSetting('HTTPD_ROOT');
  const { stdout: moduleList } = await runCommand(command, ['-l']);
  const configurationFile = compiledSetting('SERVER_CONFIG_FILE');
  return {
    command,
    version,
    isOnOtherMachine,
    builtInModules: new Set([...moduleList.matchAll(/^[ \t]*(\S+\.c)[ \t\r]*$/gm)].map(([, name = '']) => name)),
    modulesFolder: isOnOtherMachine
      ? null
      : ([...(httpdRoot === undefined ? [] : [path.join(httpdRoot, 'modules')]), ...MODULE_FOLDERS].find(
          holdsModules,
        ) ?? null),
    defaultConfiguration:
      configurationFile === undefined || httpdRoot === undefined
        ? null
        : path.posix.resolve(httpdRoot, configurationFile),
  };
}

/** The path with links resolved; unchanged if there is no such file. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** Whether the directory has a module file of httpd. */
function holdsModules(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => /^mod_\w+\.so$/.test(name));
  } catch {
    return false;
  }
}

/** Whether this user can run a file. */
function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * The environment of httpd, apart from the variables of the configuration. It has no variables of
 * the loader (LD_PRELOAD) and none of the user's, because a configuration could print them.
 */
const MINIMAL_ENVIRONMENT: NodeJS.ProcessEnv =
  process.platform === 'win32'
    ? { PATH: `${process.env.SystemRoot}\\System32`, SystemRoot: process.env.SystemRoot }
    : { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };

/**
 * Runs a command with options of httpd. `environment`: variables that the configuration uses.
 * `code` is null if the program did not end normally.
 */
function runCommand(
  [program = '', ...commandArguments]: readonly string[],
  httpdOptions: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      program,
      [...commandArguments, ...httpdOptions],
      {
        timeout: PROGRAM_TIMEOUT_MS,
        killSignal: 'SIGKILL',
        ...(signal && { signal }),
        maxBuffer: 16 * 1024 * 1024,
        // A command such as `ssh` or `docker` gets the environment of the user, and no variables of
        // the configuration.
        ...(commandArguments.length > 0
          ? { env: { ...process.env, LC_ALL: 'C' } }
          : {
              env: { ...MINIMAL_ENVIRONMENT, ...environment, LC_ALL: 'C' },
              cwd: path.parse(program).root || undefined,
            }),
      },
      (error, stdout, err) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
        resolve({
          code,
          stdout,
          stderr:
            code === null
              ? error!.killed
                ? `no answer in ${PROGRAM_TIMEOUT_MS / 1000} seconds`
                : error!.message.split('\n')[0]!
              : err,
        });
      },
    );
  });
}
