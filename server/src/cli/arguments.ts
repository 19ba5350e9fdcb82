/** What the command line was given, read and checked. */
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Source } from '../access/model';
import { answerProblem, type Answers } from '../analysis/answers';
import { DISTRIBUTIONS, PROFILES, type Distribution } from '../config/distribution';
import { resolvePath, type PathMap } from '../config/files';
import { moduleByAnyName } from '../config/modules';
import { parseTarget, type Target } from '../config/target';
import { SEVERITIES, type Severity } from '../rules/rule';

export type PlanFormat = 'text' | 'json' | 'markdown' | 'html';
const PLAN_FORMATS: readonly PlanFormat[] = ['text', 'json', 'markdown', 'html'];

export type VerifyFormat = 'text' | 'json';

export type Format = 'text' | 'json' | 'sarif' | 'github';
const FORMATS: readonly Format[] = ['text', 'json', 'sarif', 'github'];

interface Common {
  readonly paths: readonly string[];
  /** null where it is not given. */
  readonly target: Target | null;
  readonly distribution: Distribution | null;
  readonly server: GivenServer;
  /** null for `never`. */
  readonly failOn: Severity | null;
  readonly assumeStandalone: boolean;
  /** To questions of the plan, by their ids. */
  readonly answers: Answers;
  /** null for what the project file says. */
  readonly source: Source | null;
}

/** What no file says of the server; null where it is not given. */
export interface GivenServer {
  readonly serverRoot: string | null;
  readonly map: PathMap | null;
  readonly defines: ReadonlyMap<string, string> | null;
  /** Modules compiled in, by the manual's names. */
  readonly builtIn: ReadonlySet<string> | null;
}

export type Arguments =
  | ({ readonly command: 'check'; readonly format: Format } & Common)
  | ({ readonly command: 'fix'; readonly write: boolean; readonly unsafe: boolean; readonly keepsBoth: boolean } & Common)
  | ({ readonly command: 'plan'; readonly format: PlanFormat } & Common)
  | ({ readonly command: 'migrate' } & Common)
  | ({ readonly command: 'includes' } & Common)
  /** `httpd`: the program, or a command that leads to one; null to look for it. */
  | ({ readonly command: 'verify'; readonly httpd: string | null; readonly format: VerifyFormat } & Common)
  | { readonly command: 'explain'; readonly term: string }
  /** A 1-based line of a file. */
  | { readonly command: 'explain-access'; readonly path: string; readonly line: number }
  /** The last change where no id is given. */
  | { readonly command: 'undo'; readonly id: string | null; readonly isList: boolean }
  | { readonly command: 'completion'; readonly shell: Shell }
  | { readonly command: 'server' }
  | { readonly command: 'help' }
  | { readonly command: 'version' }
  /** Nothing was asked for. */
  | { readonly command: 'nothing' }
  /** Why it cannot run. */
  | { readonly command: 'wrong'; readonly reason: string };

export const USAGE = `httpd-upgrade: brings Apache httpd 2.2 configuration to 2.4

  httpd-upgrade check [--format text|json|sarif|github] PATH…
      Report lines that 2.4 rejects, ignores or reads differently. PATH is a
      configuration file, or a directory with such files.

  httpd-upgrade fix [--diff | --write] [--unsafe] PATH…
      Show (default) or write all safe fixes. Safe fixes do not change what the
      server does. --unsafe also applies suggestions: review them first.
      --keep-both converts only access control, and keeps the lines of 2.2 next
      to those of 2.4 (<IfModule>), for files that both versions read.
      It writes all files or none. "undo" restores the old files.

  httpd-upgrade undo [--list] [ID]
      Restore the files from before the last fix --write, or from before the
      one with this ID, if nobody has changed the files since.

  httpd-upgrade plan [--format text|json|markdown|html] PATH…
      Show the upgrade plan: fixes that are ready, questions to answer, changes
      to make by hand. Markdown and HTML are a report for the person who
      approves the upgrade. It shows who has access before and after.

  httpd-upgrade migrate PATH…
      Do the upgrade as a conversation in the terminal: ask each question, show
      the changes, then write all files or none.

  httpd-upgrade verify [--httpd PROGRAM] [--format text|json] ROOT
      Let a real httpd 2.4 read the configuration (httpd -t), and show its
      messages at your lines. This starts no server. It reads a copied tree
      with the paths of this machine. PROGRAM can also be a command:
      "docker exec web httpd".

  httpd-upgrade includes ROOT
      List the files of a configuration, in the order in which httpd reads them.

  httpd-upgrade explain TERM
      Explain a rule, a directive, a module, an AH code, a flag, a variable, a
      status or a line of the error log. Examples: "explain AH01797",
      "explain 403 forbidden".

  httpd-upgrade explain --access FILE:LINE
      Show who has access to a section: in 2.2, in 2.4 with mod_access_compat,
      and after the conversion.

  httpd-upgrade completion bash|zsh|fish
      Print the completion script for a shell.

  httpd-upgrade server --stdio
      Run the language server, for any editor.

Options of check, fix, plan, migrate and verify
  --target 2.4|2.4.N      the version of the new server (default 2.4)
  --distribution debian|rhel|upstream
                          who built the server (default: found by its paths)
  --modules LIST|debian|rhel|upstream
                          compiled-in modules, such as mod_logio
  --server-root DIR       the directory on this machine that is ServerRoot
  --map FROM=TO           the server's directory FROM is TO on this machine
  -D NAME[=VALUE]         the server starts with -D NAME; with one -D, all
                          other names count as not defined
  --fail-on error|warning|info|never
                          exit with 1 for problems of this severity or above
                          (default warning)
  --source 2.2|2.4        the server whose access control the fixes keep: 2.2
                          (default), or 2.4 with mod_access_compat
  --assume-standalone     no file outside of PATH restricts access; fixes that
                          depend only on this are then safe
  --answer ID=VALUE       answer a question of the plan, for example
                          htaccess-unseen:/var/www=none

A file .httpd-upgrade.json, in the directory of PATH or above, can contain these
settings for a team, and the severity of each rule. Options override the file.

Exit codes
  0    no problem with the severity of --fail-on (verify: httpd accepts all
       lines; plan, migrate, undo: done)
  1    problems (verify: httpd rejects lines)
  2    the command could not run (migrate: no terminal)
  130  migrate was interrupted
`;

export function readArguments(argv: readonly string[]): Arguments {
  const [command, ...rest] = argv;
  if (command === undefined) return { command: 'nothing' };
  if (command === 'help' || isAskedFor('--help', argv) || isAskedFor('-h', argv)) return { command: 'help' };
  if (command === '--version' || command === '-V' || command === 'version') return { command: 'version' };
  switch (command) {
    case 'check':
      return check(rest);
    case 'fix':
      return fix(rest);
    case 'plan':
      return plan(rest);
    case 'migrate': {
      const parsed = parse(rest, COMMON);
      const common = typeof parsed === 'string' ? parsed : readCommon(parsed);
      return typeof common === 'string' ? wrong(common) : { command, ...common };
    }
    case 'verify':
      return verify(rest);
    case 'undo':
      return undo(rest);
    case 'includes':
      return includes(rest);
    case 'explain':
      if (rest[0] === '--access') return explainAccess(rest.slice(1));
      return rest.length === 0 ? wrong('explain needs a term: a rule, a directive, a module, an AH code or a line of the log') : { command, term: rest.join(' ') };
    case 'completion':
      return rest.length === 1 && SHELLS.includes(rest[0] as Shell) ? { command, shell: rest[0] as Shell } : wrong(`completion is for ${SHELLS.join(', ')}: give one of these`);
    case 'server':
      return rest.some((word) => TRANSPORT.test(word)) ? { command } : wrong('server needs a transport: editors start "httpd-upgrade server --stdio"');
    default:
      if (command.startsWith('-')) return wrong(`the first word must be a command (check, fix, undo, plan, migrate, verify, includes, explain, completion or server), not "${command}"`);
      return wrong(`there is no command "${command}"${/[./\\]/.test(command) ? `; to check a file, use "httpd-upgrade check ${command}"` : ''}`);
  }
}

export type Shell = 'bash' | 'zsh' | 'fish';
const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish'];

/** How the server can be reached; the protocol's library reads them itself. */
const TRANSPORT = /^--(stdio|node-ipc|(socket|pipe)=.+)$/;

/** Among the options: behind `--` everything is a path. */
function isAskedFor(option: string, argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).includes(option);
}

// ---------------------------------------------------------------------------------------------------------------------

const COMMON = {
  target: { type: 'string' },
  distribution: { type: 'string' },
  modules: { type: 'string' },
  'server-root': { type: 'string' },
  map: { type: 'string', multiple: true },
  define: { type: 'string', short: 'D', multiple: true },
  'fail-on': { type: 'string' },
  'assume-standalone': { type: 'boolean' },
  answer: { type: 'string', multiple: true },
  source: { type: 'string' },
} as const;

export interface CommandWords {
  readonly options: readonly string[];
  /** What an option takes, where that is one of a few words. */
  readonly values: Readonly<Record<string, readonly string[]>>;
}

/** What there is to complete. */
export const COMMANDS: Readonly<Record<string, CommandWords>> = {
  check: withCommon(['--format'], { '--format': FORMATS }),
  fix: withCommon(['--diff', '--write', '--unsafe']),
  undo: { options: ['--list'], values: {} },
  plan: withCommon(['--format'], { '--format': PLAN_FORMATS }),
  migrate: withCommon([]),
  verify: withCommon(['--httpd', '--format'], { '--format': ['text', 'json'] }),
  includes: withCommon([]),
  explain: { options: ['--access'], values: {} },
  completion: { options: [], values: { completion: SHELLS } },
  server: { options: ['--stdio'], values: {} },
};

function withCommon(options: readonly string[], values: CommandWords['values'] = {}): CommandWords {
  return {
    options: [...options, ...Object.keys(COMMON).map((name) => (name === 'define' ? '-D' : `--${name}`))],
    values: { ...values, '--target': ['2.4'], '--distribution': DISTRIBUTIONS, '--modules': DISTRIBUTIONS, '--fail-on': ['error', 'warning', 'info', 'never'], '--source': ['2.2', '2.4'] },
  };
}

function explainAccess(rest: readonly string[]): Arguments {
  const match = rest.length === 1 ? /^(.+):(\d+)$/.exec(rest[0]) : null;
  if (!match || Number(match[2]) === 0) return wrong('--access needs a file and a line with Order, Allow, Deny, Satisfy or Require, such as "--access httpd.conf:95"');
  return { command: 'explain-access', path: match[1], line: Number(match[2]) };
}

function check(argv: readonly string[]): Arguments {
  const parsed = parse(argv, { ...COMMON, format: { type: 'string' } });
  if (typeof parsed === 'string') return wrong(parsed);
  const common = readCommon(parsed);
  if (typeof common === 'string') return wrong(common);
  const format = (parsed.values.format ?? 'text') as Format;
  if (!FORMATS.includes(format)) return wrong(`--format is one of ${FORMATS.join(', ')}, not "${format}"`);
  return { command: 'check', format, ...common };
}

function fix(argv: readonly string[]): Arguments {
  const parsed = parse(argv, { ...COMMON, diff: { type: 'boolean' }, write: { type: 'boolean' }, unsafe: { type: 'boolean' }, 'keep-both': { type: 'boolean' } });
  if (typeof parsed === 'string') return wrong(parsed);
  const common = readCommon(parsed);
  if (typeof common === 'string') return wrong(common);
  if (parsed.values.diff && parsed.values.write) return wrong('--diff and --write do not work together: use one of them');
  const keepsBoth = parsed.values['keep-both'] === true;
  if (keepsBoth && parsed.values.unsafe) return wrong('--keep-both takes no suggestions: omit --unsafe');
  return { command: 'fix', keepsBoth, write: parsed.values.write === true, unsafe: parsed.values.unsafe === true, ...common };
}

function plan(argv: readonly string[]): Arguments {
  const parsed = parse(argv, { ...COMMON, format: { type: 'string' } });
  if (typeof parsed === 'string') return wrong(parsed);
  const common = readCommon(parsed);
  if (typeof common === 'string') return wrong(common);
  const format = (parsed.values.format ?? 'text') as PlanFormat;
  if (!PLAN_FORMATS.includes(format)) return wrong(`--format of a plan is one of ${PLAN_FORMATS.join(', ')}, not "${format}"`);
  return { command: 'plan', format, ...common };
}

function verify(argv: readonly string[]): Arguments {
  const parsed = parse(argv, { ...COMMON, httpd: { type: 'string' }, format: { type: 'string' } });
  if (typeof parsed === 'string') return wrong(parsed);
  const common = readCommon(parsed);
  if (typeof common === 'string') return wrong(common);
  if (common.paths.length > 1) return wrong('verify takes one file: the main configuration file');
  const format = String(parsed.values.format ?? 'text');
  if (format !== 'text' && format !== 'json') return wrong(`--format of verify is text or json, not "${format}"`);
  return { command: 'verify', httpd: parsed.values.httpd === undefined ? null : String(parsed.values.httpd), format, ...common };
}

function undo(argv: readonly string[]): Arguments {
  const parsed = parse(argv, { list: { type: 'boolean' } });
  if (typeof parsed === 'string') return wrong(parsed);
  const [id = null, ...others] = parsed.positionals;
  if (others.length > 0) return wrong('undo takes one ID; "undo --list" shows them');
  const isList = parsed.values.list === true;
  if (isList && id !== null) return wrong('--list takes no ID');
  return { command: 'undo', id, isList };
}

function includes(argv: readonly string[]): Arguments {
  const parsed = parse(argv, COMMON);
  if (typeof parsed === 'string') return wrong(parsed);
  const common = readCommon(parsed);
  return typeof common === 'string' ? wrong(common) : { command: 'includes', ...common };
}

type Parsed = { readonly values: Record<string, string | boolean | readonly string[] | undefined>; readonly positionals: readonly string[] };

function parse(argv: readonly string[], options: Parameters<typeof parseArgs>[0] extends infer T ? (T extends { options?: infer O } ? O : never) : never): Parsed | string {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true }) as Parsed;
  } catch (error) {
    const [message] = (error as Error).message.split('. To specify');
    return message[0].toLowerCase() + message.slice(1);
  }
}

function readCommon({ values, positionals }: Parsed): Common | string {
  if (positionals.length === 0) return 'no files given: add files or directories';
  const target = values.target === undefined ? null : parseTarget(String(values.target));
  if (values.target !== undefined && !target) return `--target is 2.4 or 2.4.N, not "${String(values.target)}"`;
  const distribution = DISTRIBUTIONS.find((known) => known === values.distribution) ?? null;
  if (values.distribution !== undefined && !distribution) return `--distribution is ${DISTRIBUTIONS.join(', ')}, not "${String(values.distribution)}"`;
  const server = readServer(values);
  if (typeof server === 'string') return server;
  if (values.source !== undefined && values.source !== '2.2' && values.source !== '2.4') return `--source is 2.2, or 2.4 for a server with mod_access_compat, not "${String(values.source)}"`;
  const answers = readAnswers((values.answer ?? []) as readonly string[]);
  if (typeof answers === 'string') return answers;
  const threshold = String(values['fail-on'] ?? 'warning');
  if (threshold !== 'never' && (threshold === 'hint' || !SEVERITIES.includes(threshold as Severity))) {
    return `--fail-on is error, warning, info or never, not "${threshold}"`;
  }
  return {
    paths: positionals,
    target,
    distribution,
    server,
    failOn: threshold === 'never' ? null : (threshold as Severity),
    assumeStandalone: values['assume-standalone'] === true,
    answers,
    source: (values.source as Source | undefined) ?? null,
  };
}

/** `ID=VALUE`: an id may have a `=` of its own, in the path that it names, so the longest id that fits counts. */
function readAnswers(given: readonly string[]): Answers | string {
  const answers = new Map<string, string>();
  for (const text of given) {
    const ends = [...text.matchAll(/=/g)].map(({ index }) => index).reverse();
    const end = ends.find((at) => answerProblem(text.slice(0, at), text.slice(at + 1)) === null);
    if (end === undefined) return ends.length === 0 ? `--answer is ID=VALUE, such as "htaccess-unseen:/var/www=none", not "${text}"` : withoutDot(answerProblem(text.slice(0, ends.at(-1)), text.slice(ends.at(-1)! + 1))!);
    answers.set(text.slice(0, end), text.slice(end + 1));
  }
  return answers;
}

function withoutDot(sentence: string): string {
  return `${sentence[0].toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`;
}

function readServer(values: Parsed['values']): GivenServer | string {
  const entries: { from: string; to: string }[] = [];
  for (const pair of (values.map ?? []) as readonly string[]) {
    const at = pair.indexOf('=');
    if (at <= 0) return `--map is FROM=TO, such as "/etc/httpd=./etc/httpd", not "${pair}"`;
    entries.push({ from: withoutSlash(pair.slice(0, at)), to: withoutSlash(path.resolve(pair.slice(at + 1))) });
  }
  const defines = ((values.define ?? []) as readonly string[]).map((text): [string, string] => {
    const at = text.indexOf('=');
    return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  });
  const builtIn = values.modules === undefined ? null : readModules(String(values.modules));
  if (typeof builtIn === 'string') return builtIn;
  const given = values['server-root'];
  return {
    serverRoot: given === undefined ? null : path.resolve(String(given)),
    map: entries.length > 0 ? { entries: entries.sort((a, b) => b.from.length - a.from.length) } : null,
    defines: defines.length > 0 ? new Map(defines) : null,
    builtIn,
  };
}

/** A profile's name, or modules by any of their names; what every server has is among them without a word. */
function readModules(list: string): ReadonlySet<string> | string {
  const profile = DISTRIBUTIONS.find((known) => known === list);
  if (profile) return PROFILES[profile].builtIn;
  const found = new Set(['core', 'mod_so']);
  for (const name of list.split(',').map((each) => each.trim()).filter(Boolean)) {
    const module = moduleByAnyName(name);
    if (module === null) return `--modules is debian, rhel, upstream, or names of modules such as "mod_so,mod_log_config", not "${name}"`;
    found.add(module);
  }
  return found;
}

function withoutSlash(file: string): string {
  return resolvePath('/', file);
}

function wrong(reason: string): Arguments {
  return { command: 'wrong', reason };
}
