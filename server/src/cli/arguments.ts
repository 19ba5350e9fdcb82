/** The parsed and checked command line. */
import path from 'node:path';
import { CommanderError } from 'commander';
import { answerProblem, type Answers } from '../analysis/answers';
import { DISTRIBUTIONS, PROFILES, type Distribution } from '../config/distribution';
import { resolvePath, type PathMap } from '../config/files';
import { moduleByAnyName } from '../config/modules';
import { parseTarget, type Target } from '../config/target';
import { serverAddress, type ServerAddress } from '../host/server-address';
import { REQUEST_SERVERS, type Request, type RequestServer } from '../requests/model';
import { clientOf, parseRequest } from '../requests/parse';
import type { Severity } from '../rules/rule';
import { settingsGiven } from '../settings/options';
import type { SettingValues } from '../settings/values';
import {
  EXPLAIN_REQUEST,
  program,
  type ACCESS_FORMATS,
  type ALIGNMENTS,
  type CHANGES_TO_FAIL_ON,
  type COLOR_MODES,
  type FORMATS,
  type OptionValues,
  type PLAN_FORMATS,
  type REQUESTS_FORMATS,
  type SHELLS,
  type VERIFY_FORMATS,
} from './program';

export type PlanFormat = (typeof PLAN_FORMATS)[number];
export type VerifyFormat = (typeof VERIFY_FORMATS)[number];
export type AccessFormat = (typeof ACCESS_FORMATS)[number];
export type Format = (typeof FORMATS)[number];
export type Shell = (typeof SHELLS)[number];
export type ColorMode = (typeof COLOR_MODES)[number];

/** The options and paths that most commands have. */
export interface CommonArguments {
  readonly paths: readonly string[];
  /**
   * The paths as the user gave them. Present if `paths` was replaced by the main files of collected
   * servers.
   */
  readonly namedPaths?: readonly string[];
  /** Those of `paths` that are files which the server does not read. */
  readonly unreadPaths?: readonly string[];
  /** null if not given. */
  readonly target: Target | null;
  readonly distribution: Distribution | null;
  readonly server: GivenServer;
  /** The least severity of a problem that makes the command fail. Null for `never`. */
  readonly failOn: Severity | null;
  /** Options that are also settings (settings/options.ts), as far as they are given. */
  readonly settings: Partial<SettingValues>;
  /** The user's answers to questions of the plan. The keys are ids of questions. */
  readonly answers: Answers;
  /** The path of the project file; null to search for it. */
  readonly config: string | null;
  /** Patterns with the syntax of .gitignore. */
  readonly exclude: readonly string[];
  readonly isQuiet: boolean;
  readonly color: ColorMode;
}

/** The options about known problems: see baseline.ts. */
export interface GivenBaseline {
  readonly file: string;
  readonly isUpdate: boolean;
  readonly isNewOnly: boolean;
}

export interface GivenFormat {
  /** null if no mode is given. */
  readonly mode: 'check' | 'diff' | 'write' | null;
  readonly indent: { readonly tabSize: number; readonly insertSpaces: boolean };
  readonly alignment: (typeof ALIGNMENTS)[number];
  readonly stdinName: string | null;
  readonly format: VerifyFormat;
}

/** What the user says about the server that no file shows; null if not given. */
export interface GivenServer {
  readonly serverRoot: string | null;
  readonly map: PathMap | null;
  readonly defines: ReadonlyMap<string, string> | null;
  /** Compiled-in modules, by the manual's names. */
  readonly builtIn: ReadonlySet<string> | null;
}

/**
 * What `explain` is asked about a request: the request itself, or a log line about it, and the main
 * file.
 */
export interface GivenRequest {
  /** Null if `logLine` is given. */
  readonly request: Request | null;
  readonly logLine: string | null;
  readonly root: string;
  /** The server that answers. Null for all of them. */
  readonly at: RequestServer | null;
}

export type Arguments =
  | ({
      readonly command: 'check';
      readonly format: Format;
      readonly output: string | null;
      readonly baseline: GivenBaseline | null;
      readonly stdinName: string | null;
      /** Whether to check strings in PHP code. */
      readonly readsStrings: boolean;
    } & CommonArguments)
  | ({
      readonly command: 'fix';
      readonly write: boolean;
      readonly isDiff: boolean;
      readonly unsafe: boolean;
      readonly keepsBoth: boolean;
      /** Change only lines and files that the server does not read. */
      readonly isDormant: boolean;
      readonly stdinName: string | null;
      /** If the input is an archive: the path for the fixed copy. */
      readonly output?: string | null;
      readonly format: VerifyFormat;
    } & CommonArguments)
  | ({ readonly command: 'format' } & GivenFormat & CommonArguments)
  | ({ readonly command: 'plan'; readonly format: PlanFormat; readonly output: string | null } & CommonArguments)
  /** `output`: where to write the migrated copy of an archive. */
  | ({ readonly command: 'migrate'; readonly output: string | null } & CommonArguments)
  | ({ readonly command: 'includes'; readonly format: VerifyFormat } & CommonArguments)
  /** `httpd`: the program, or a command that leads to one; null to search for it. */
  | ({
      readonly command: 'verify';
      readonly httpd: string | null;
      /**
       * Whether to let httpd read the configuration where it is, although this machine's httpd has
       * its own elsewhere.
       */
      readonly inPlace: boolean;
      readonly format: VerifyFormat;
    } & CommonArguments)
  /** A term, or a log: `-` or a path. */
  | { readonly command: 'explain'; readonly term: string; readonly format: VerifyFormat }
  | ({ readonly command: 'explain-request'; readonly format: VerifyFormat } & GivenRequest & CommonArguments)
  | ({ readonly command: 'access'; readonly format: AccessFormat; readonly output: string | null } & CommonArguments)
  | ({
      readonly command: 'access-diff';
      readonly format: AccessFormat;
      readonly output: string | null;
      readonly old: string;
      readonly now: string;
      readonly servers: readonly [old: RequestServer, now: RequestServer];
      readonly failOnChange: (typeof CHANGES_TO_FAIL_ON)[number];
    } & CommonArguments)
  | ({
      readonly command: 'requests';
      readonly format: (typeof REQUESTS_FORMATS)[number];
      readonly output: string | null;
    } & CommonArguments)
  | ({
      readonly command: 'compare';
      readonly servers: { readonly old: ServerAddress; readonly new: ServerAddress };
      readonly credentials: string | null;
      readonly format: VerifyFormat;
      readonly output: string | null;
    } & CommonArguments)
  /** A 1-based line of a file. */
  | {
      readonly command: 'explain-access';
      readonly path: string;
      readonly line: number;
      readonly format: VerifyFormat;
    }
  /** null for the last change. */
  | {
      readonly command: 'undo';
      readonly id: string | null;
      readonly isList: boolean;
      readonly format: VerifyFormat;
    }
  | { readonly command: 'rules'; readonly format: VerifyFormat }
  | { readonly command: 'collect' }
  | { readonly command: 'mcp'; readonly allowsVerify: boolean }
  | { readonly command: 'completion'; readonly shell: Shell }
  | { readonly command: 'man' }
  | { readonly command: 'server' }
  | { readonly command: 'help'; readonly text: string }
  | { readonly command: 'version' }
  /** An empty command line. */
  | { readonly command: 'nothing'; readonly text: string }
  /**
   * Why it cannot run, and the command whose help explains it; null for the help of the program.
   */
  | { readonly command: 'wrong'; readonly reason: string; readonly about: string | null };

/**
 * Parses a command line, without the program's name. Never throws: an invalid one becomes `wrong`.
 */
export function readArguments(given: readonly string[]): Arguments {
  const argv = isAboutRequest(given) ? [EXPLAIN_REQUEST, ...given.slice(1)] : given;
  return readWords(argv);
}

/**
 * Whether the command is `explain` with one of these options. Without them, the library must pass
 * all words on unchanged.
 */
function isAboutRequest([command, ...words]: readonly string[]): boolean {
  return command === 'explain' && words.some((word) => /^--(request|root)(=|$)/.test(word));
}

function readWords(argv: readonly string[]): Arguments {
  if (argv.length === 0) return { command: 'nothing', text: helpText() };
  let given: Arguments | null = null;
  let written = '';
  const commands = program(
    (command, values, words) => (given = read(command, values, words)),
    (text) => (written += text),
  );
  try {
    commands.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // For an unknown command, the library would show the help of all commands.
    if (argv[0] === 'help' && argv[1] !== undefined && !isCommand(argv[1])) return readWords([argv[1]]);
    if (error.code === 'commander.version') return { command: 'version' };
    if (error.code === 'commander.helpDisplayed' || error.code === 'commander.help')
      return written === '' ? { command: 'help', text: helpText() } : { command: 'help', text: written };
    return wrong(reasonOf(error, argv), argv[0]);
  }
  return given ?? { command: 'nothing', text: helpText() };
}

/** The help of the whole program. */
export function helpText(): string {
  let text = '';
  program(
    () => {},
    (part) => (text += part),
  ).outputHelp();
  return text;
}

// ---------------------------------------------------------------------------------------------------------------------

function isCommand(word: string): boolean {
  return word.startsWith('-') || word === 'help' || program(() => {}).commands.some((each) => each.name() === word);
}

/**
 * Options with which a client chooses the connection to the language server. The protocol's library
 * parses them.
 */
const TRANSPORTS = ['stdio', 'nodeIpc', 'socket', 'pipe'];

function read(command: string, values: OptionValues, words: readonly string[]): Arguments {
  switch (command) {
    case 'undo':
      if (values.list === true && words.length > 0)
        return wrong('--list and an ID do not work together: use one of them', command);
      return {
        command,
        id: words[0] ?? null,
        isList: values.list === true,
        format: values.format as VerifyFormat,
      };
    case 'explain':
      return readExplainTerm(values, words);
    case 'rules':
      return { command, format: values.format as VerifyFormat };
    case 'mcp':
      return { command, allowsVerify: values.allowVerify === true };
    case 'completion':
      return { command, shell: words[0] as Shell };
    case 'server':
      return TRANSPORTS.some((each) => values[each] !== undefined)
        ? { command }
        : wrong('server needs an option such as --stdio: editors start "httpd-upgrade server --stdio"', command);
    case 'man':
    case 'collect':
    case 'version':
      return { command };
  }
  const isAccess = command === 'access';
  const common = readCommon(isAccess ? { ...values, failOn: undefined } : values, words);
  if (typeof common === 'string') return wrong(common, command);
  switch (command) {
    case 'check':
      return readCheck(values, common);
    case 'fix':
      return readFix(values, common);
    case 'format':
      return readFormat(values, common);
    case 'plan':
      return { command, format: values.format as PlanFormat, output: textOf(values.output), ...common };
    case 'verify':
      return {
        command,
        httpd: textOf(values.httpd),
        inPlace: values.inPlace === true,
        format: values.format as VerifyFormat,
        ...common,
      };
    case 'migrate':
      return { command, output: textOf(values.output), ...common };
    case 'includes':
      return { command, format: values.format as VerifyFormat, ...common };
    case 'access':
      return readAccess(values, common);
    case 'requests':
      return {
        command,
        format: values.format as (typeof REQUESTS_FORMATS)[number],
        output: textOf(values.output),
        ...common,
      };
    case 'compare':
      return readCompare(values, common);
    case EXPLAIN_REQUEST:
      return readExplainRequest(values, words, common);
    default:
      throw new Error(`no reader for ${command}`);
  }
}

/** Rewrites an error of the library commander: without "error:", and with a suggestion. */
function reasonOf({ code, message }: CommanderError, argv: readonly string[]): string {
  const [first = '', meant] = message.replace(/^error: /, '').split('\n');
  if (code === 'commander.missingArgument' && /'(path|root)'/.test(first))
    return 'no files given: add files or directories';
  if (code === 'commander.missingArgument' && /'term'/.test(first))
    return 'explain needs something to explain: a directive, a rule, a module, a status or a line of the error log';
  if (code === 'commander.unknownCommand' && /[./\\]/.test(argv[0] ?? ''))
    return `${first}; to check a file: httpd-upgrade check ${argv[0]}`;
  if (code === 'commander.excessArguments') return first.split(': ', 1)[0]!.replace(/\.$/, '');
  return meant === undefined ? first.replace(/\.$/, '') : `${first} ${meant}`.replace(/\.$/, '');
}

/** Reads `explain TERM`. `--format` may also come after the term. */
function readExplainTerm(values: OptionValues, words: readonly string[]): Arguments {
  const last = words.slice(-2);
  const isLast = words.length > 2 && last[0] === '--format' && (last[1] === 'json' || last[1] === 'text');
  const format = (isLast ? last[1] : values.format) as VerifyFormat;
  const others = isLast ? words.slice(0, -2) : words;
  return values.access === true
    ? readExplainAccess(others, format)
    : { command: 'explain', term: others.join(' '), format };
}

function readExplainRequest(values: OptionValues, words: readonly string[], common: CommonArguments): Arguments {
  const text = textOf(values.request);
  const given = textOf(values.root);
  const root = given ?? words.at(-1);
  const others = given === null ? words.slice(0, -1) : words;
  if (root === undefined) return wrong('--request needs the main configuration file', 'explain');
  if (text !== null && others.length > 0)
    return wrong(`one main configuration file is enough, not "${words.join(' ')}"`, 'explain');
  const from = textOf(values.from);
  if (clientOf(from) === null)
    return wrong(`--from is an IP address, a host name such as client.example.org, or both, not "${from}"`, 'explain');
  const request =
    text === null
      ? null
      : parseRequest(text, { from, user: textOf(values.user), headers: (values.header ?? []) as readonly string[] });
  if (text !== null && request === null)
    return wrong(
      '--request is a method and a URL, such as "GET https://host/path", and --header is "Name: value"',
      'explain',
    );
  return {
    command: EXPLAIN_REQUEST,
    format: values.format as VerifyFormat,
    ...common,
    request,
    logLine: text === null ? others.join(' ') : null,
    root,
    at: REQUEST_SERVERS.find((server) => server === values.at) ?? null,
    paths: [root],
  };
}

function readAccess(values: OptionValues, common: CommonArguments): Arguments {
  const format = values.format as AccessFormat;
  const output = textOf(values.output);
  const [old, now, ...others] = common.paths;
  if (values.diff !== true)
    return now === undefined
      ? { command: 'access', format, output, ...common }
      : wrong('access shows one configuration; to compare two, add --diff', 'access');
  if (old === undefined || now === undefined || others.length > 0)
    return wrong('--diff needs two configurations: OLD and NEW', 'access');
  if (now.startsWith('git:')) return wrong('only OLD can be a revision: git:REVISION NEW', 'access');
  return {
    command: 'access-diff',
    format,
    output,
    old,
    now,
    servers: [values.oldServer as RequestServer, values.newServer as RequestServer],
    failOnChange: values.failOn as (typeof CHANGES_TO_FAIL_ON)[number],
    ...common,
  };
}

function readCompare(values: OptionValues, common: CommonArguments): Arguments {
  const servers = { old: serverAddress(String(values.old)), new: serverAddress(String(values.new)) };
  if (typeof servers.old === 'string') return wrong(`--old ${servers.old}`, 'compare');
  if (typeof servers.new === 'string') return wrong(`--new ${servers.new}`, 'compare');
  return {
    command: 'compare',
    servers: { old: servers.old, new: servers.new },
    credentials: textOf(values.credentials),
    format: values.format as VerifyFormat,
    output: textOf(values.output),
    ...common,
  };
}

function readExplainAccess(words: readonly string[], format: VerifyFormat): Arguments {
  const [, path = '', line = ''] = (words.length === 1 && /^(.+):(\d+)$/.exec(words[0] ?? '')) || [];
  if (Number(line) === 0)
    return wrong(
      '--access needs a file and a line with Order, Allow, Deny, Satisfy or Require: "--access httpd.conf:95"',
      'explain',
    );
  return { command: 'explain-access', path, line: Number(line), format };
}

function readCheck(values: OptionValues, common: CommonArguments): Arguments {
  const baseline = textOf(values.baseline);
  const [isUpdate, isNewOnly] = [values.updateBaseline === true, values.newOnly === true];
  if (baseline === null && (isUpdate || isNewOnly))
    return wrong(`${isUpdate ? '--update-baseline' : '--new-only'} needs --baseline FILE`, 'check');
  if (isUpdate && isNewOnly)
    return wrong('--update-baseline and --new-only do not work together: use one of them', 'check');
  return {
    command: 'check',
    format: values.format as Format,
    output: textOf(values.output),
    baseline: baseline === null ? null : { file: baseline, isUpdate, isNewOnly },
    stdinName: textOf(values.stdinFilename),
    readsStrings: values.strings !== false,
    ...common,
  };
}

function readFix(values: OptionValues, common: CommonArguments): Arguments {
  if (values.diff && values.write) return wrong('--diff and --write do not work together: use one of them', 'fix');
  const keepsBoth = values.keepBoth === true;
  if (keepsBoth && values.unsafe) return wrong('--keep-both writes only safe fixes: omit --unsafe', 'fix');
  return {
    command: 'fix',
    keepsBoth,
    write: values.write === true,
    isDiff: values.diff === true,
    unsafe: values.unsafe === true,
    isDormant: values.dormant === true,
    output: textOf(values.output),
    stdinName: textOf(values.stdinFilename),
    format: values.format as VerifyFormat,
    ...common,
  };
}

const MODES = ['check', 'diff', 'write'] as const;

function readFormat(values: OptionValues, common: CommonArguments): Arguments {
  const [mode = null, ...others] = MODES.filter((each) => values[each]);
  if (others.length > 0) return wrong('--check, --diff and --write do not work together: use one of them', 'format');
  const indent = textOf(values.indent) ?? '4';
  if (!/^(?:tab|[1-9]|1[0-6])$/.test(indent))
    return wrong(`--indent is a number of spaces from 1 to 16, or tab, not "${indent}"`, 'format');
  return {
    command: 'format',
    mode,
    indent: indent === 'tab' ? { tabSize: 8, insertSpaces: false } : { tabSize: Number(indent), insertSpaces: true },
    alignment: values.alignment as GivenFormat['alignment'],
    format: values.format as VerifyFormat,
    stdinName: textOf(values.stdinFilename),
    ...common,
  };
}

function textOf(value: OptionValues[string]): string | null {
  return typeof value === 'string' ? value : null;
}

function readCommon(values: OptionValues, positionals: readonly string[]): CommonArguments | string {
  const target = values.target === undefined ? null : parseTarget(String(values.target));
  if (values.target !== undefined && !target) return `--target must be 2.4 or 2.4.N, not "${String(values.target)}"`;
  const distribution = DISTRIBUTIONS.find((name) => name === values.distribution) ?? null;
  const server = readServer(values);
  if (typeof server === 'string') return server;
  const answers = readAnswers((values.answer ?? []) as readonly string[]);
  if (typeof answers === 'string') return answers;
  const settings = settingsGiven(values);
  if (typeof settings === 'string') return settings;
  const threshold = textOf(values.failOn) ?? 'warning';
  return {
    paths: positionals,
    target,
    distribution,
    server,
    failOn: threshold === 'never' ? null : (threshold as Severity),
    settings,
    answers,
    config: textOf(values.config),
    exclude: (values.exclude ?? []) as readonly string[],
    isQuiet: values.quiet === true,
    color: (values.color ?? 'auto') as ColorMode,
  };
}

/**
 * Parses answers `ID=VALUE`. An id may contain `=`, so the longest known id is used. Returns the
 * error if one is wrong.
 */
function readAnswers(given: readonly string[]): Answers | string {
  const answers = new Map<string, string>();
  for (const text of given) {
    const ends = [...text.matchAll(/=/g)].map(({ index }) => index).reverse();
    const end = ends.find((at) => answerProblem(text.slice(0, at), text.slice(at + 1)) === null);
    if (end === undefined)
      return ends.length === 0
        ? `--answer must be ID=VALUE, such as "htaccess-unseen:/var/www=none", not "${text}"`
        : withoutDot(answerProblem(text.slice(0, ends.at(-1)), text.slice(ends.at(-1)! + 1))!);
    answers.set(text.slice(0, end), text.slice(end + 1));
  }
  return answers;
}

function withoutDot(sentence: string): string {
  return `${sentence[0]!.toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`;
}

function readServer(values: OptionValues): GivenServer | string {
  const entries: { from: string; to: string }[] = [];
  for (const pair of (values.map ?? []) as readonly string[]) {
    const at = pair.indexOf('=');
    if (at <= 0) return `--map must be FROM=TO, such as "/etc/httpd=./etc/httpd", not "${pair}"`;
    entries.push({ from: withoutSlash(pair.slice(0, at)), to: withoutSlash(path.resolve(pair.slice(at + 1))) });
  }
  const defines = ((values.define ?? []) as readonly string[]).map((text): [string, string] => {
    const at = text.indexOf('=');
    return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  });
  const builtIn = values.modules === undefined ? null : readModules(String(values.modules));
  if (typeof builtIn === 'string') return builtIn;
  const given = values.serverRoot;
  return {
    serverRoot: given === undefined ? null : path.resolve(String(given)),
    map: entries.length > 0 ? { entries: entries.sort((a, b) => b.from.length - a.from.length) } : null,
    defines: defines.length > 0 ? new Map(defines) : null,
    builtIn,
  };
}

/**
 * Parses a list of compiled-in modules: the name of a profile, or modules by any of their names.
 * Modules that every server has are added. Returns the error if a name is wrong.
 */
function readModules(list: string): ReadonlySet<string> | string {
  const profile = DISTRIBUTIONS.find((candidate) => candidate === list);
  if (profile)
    return (
      PROFILES[profile].builtIn ??
      `The compiled-in modules of ${PROFILES[profile].title} are not known: give the names that its httpd -l lists`
    );
  const found = new Set(['core', 'mod_so']);
  for (const name of list
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)) {
    const module = moduleByAnyName(name);
    if (module === null)
      return `--modules is ${DISTRIBUTIONS.join(', ')}, or names of modules such as "mod_so,mod_log_config", not "${name}"`;
    found.add(module);
  }
  return found;
}

function withoutSlash(file: string): string {
  return resolvePath('/', file);
}

/** Makes the result for a wrong command line. `about`: the command whose help explains it. */
function wrong(reason: string, about?: string): Arguments {
  return { command: 'wrong', reason, about: about !== undefined && COMMAND_NAMES.has(about) ? about : null };
}

const COMMAND_NAMES: ReadonlySet<string> = new Set([
  'check',
  'fix',
  'format',
  'undo',
  'plan',
  'migrate',
  'verify',
  'includes',
  'explain',
  'access',
  'requests',
  'compare',
  'rules',
  'collect',
  'completion',
  'server',
  'mcp',
]);
