/** Parses and checks the command line. */
import path from 'node:path';
import { CommanderError } from 'commander';
import { answerProblem, type Answers } from '../analysis/answers';
import { DISTRIBUTIONS, PROFILES, type Distribution } from '../config/distribution';
import { resolvePath, type PathMap } from '../config/files';
import { moduleByAnyName } from '../config/modules';
import { parseTarget, type Target } from '../config/target';
import { serverAddress, type ServerAddress } from '../host/server-address';
import { REQUEST_SERVERS, type Request, type RequestServer } from '../requests/model';
import { parseClient, parseRequest } from '../requests/parse';
import type { Severity } from '../rules/rule';
import { settingsFromOptions } from '../settings/options';
import type { SettingValues } from '../settings/values';
import {
  EXPLAIN_REQUEST,
  defineProgram,
  type ACCESS_FORMATS,
  type ALIGNMENTS,
  type CHANGES_TO_FAIL_ON,
  type COLOR_MODES,
  type CHECK_FORMATS,
  type OptionValues,
  type PLAN_FORMATS,
  type REQUESTS_FORMATS,
  type SHELLS,
  type VERIFY_FORMATS,
} from './program';

/**
 * The possible values of `--format` (they depend on the command), of the argument SHELL, and of
 * `--color`.
 */
export type PlanFormat = (typeof PLAN_FORMATS)[number];
export type VerifyFormat = (typeof VERIFY_FORMATS)[number];
export type AccessFormat = (typeof ACCESS_FORMATS)[number];
export type CheckFormat = (typeof CHECK_FORMATS)[number];
export type Shell = (typeof SHELLS)[number];
export type ColorMode = (typeof COLOR_MODES)[number];

/** The options and paths that most commands have. */
export interface CommonArguments {
  readonly paths: readonly string[];
  /**
   * The paths as the user gave them. Present if `paths` was replaced by the main files of collected
   * servers.
   */
  readonly givenPaths?: readonly string[];
  /** The files in `paths` that the server does not read. */
  readonly unreadPaths?: readonly string[];
  /** The version of the 2.4 server; null if the user does not give it. */
  readonly target: Target | null;
  readonly distribution: Distribution | null;
  readonly server: GivenServer;
  /** The command fails if a problem has this severity or a higher one. Null for `never`. */
  readonly failOn: Severity | null;
  /** The given options that are also settings (settings/options.ts). */
  readonly settings: Partial<SettingValues>;
  /** The user's answers to questions of the plan. The keys are ids of questions. */
  readonly answers: Answers;
  /** The path of the project file; null to search for it. */
  readonly projectFile: string | null;
  /** Patterns with the syntax of .gitignore. */
  readonly exclude: readonly string[];
  readonly isQuiet: boolean;
  readonly color: ColorMode;
}

/** The options about known problems, which are explained in baseline.ts. */
export interface GivenBaseline {
  readonly file: string;
  readonly updatesFile: boolean;
  readonly showsOnlyNew: boolean;
}

/** The options of `format`. */
export interface GivenFormat {
  /**
   * What to do with the formatted text. Null shows the changes, or prints the text for standard
   * input.
   */
  readonly mode: 'check' | 'diff' | 'write' | null;
  readonly indent: { readonly tabSize: number; readonly insertSpaces: boolean };
  readonly alignment: (typeof ALIGNMENTS)[number];
  readonly stdinName: string | null;
  readonly format: VerifyFormat;
}

/**
 * Facts about the server that no file shows and that the user gives as options. A fact is null if
 * the user does not give it.
 */
export interface GivenServer {
  readonly serverRoot: string | null;
  readonly map: PathMap | null;
  readonly defines: ReadonlyMap<string, string> | null;
  /**
   * The modules that are compiled into the server, by their names in the manual. Null if the user
   * gives none.
   */
  readonly builtIn: ReadonlySet<string> | null;
}

/**
 * The arguments of `explain` for one request: the request itself, or a log line about it, and the
 * main file.
 */
export interface GivenRequest {
  /** Null if `logLine` is given. */
  readonly request: Request | null;
  readonly logLine: string | null;
  readonly mainFile: string;
  /** Show the answer of this server only. Null for all servers. */
  readonly onlyServer: RequestServer | null;
}

/** The command, with its options and paths. */
export type Arguments =
  | ({
      readonly command: 'check';
      readonly format: CheckFormat;
      readonly output: string | null;
      readonly baseline: GivenBaseline | null;
      readonly stdinName: string | null;
      /** Whether to check strings in PHP code. */
      readonly readsPhpStrings: boolean;
    } & CommonArguments)
  | ({
      readonly command: 'fix';
      readonly write: boolean;
      readonly showsDiff: boolean;
      readonly unsafe: boolean;
      readonly keepsBoth: boolean;
      /** Change only lines and files that the server does not read. */
      readonly changesOnlyDormant: boolean;
      readonly stdinName: string | null;
      /** If the input is an archive: the path for the fixed copy. */
      readonly output?: string | null;
      readonly format: VerifyFormat;
    } & CommonArguments)
  | ({ readonly command: 'format' } & GivenFormat & CommonArguments)
  | ({ readonly command: 'plan'; readonly format: PlanFormat; readonly output: string | null } & CommonArguments)
  /** `output`: where to write the converted copy of an archive. */
  | ({ readonly command: 'migrate'; readonly output: string | null } & CommonArguments)
  | ({ readonly command: 'includes'; readonly format: VerifyFormat } & CommonArguments)
  /**
   * `httpd`: the path of the program, or a command that runs it elsewhere; null to search for it.
   */
  | ({
      readonly command: 'verify';
      readonly httpd: string | null;
      /**
       * Whether httpd must read the files where they are, although the httpd of this machine has
       * its configuration elsewhere.
       */
      readonly inPlace: boolean;
      readonly format: VerifyFormat;
    } & CommonArguments)
  /** `term`: a term to explain, or a log: `-` or a path. */
  | { readonly command: 'explain'; readonly term: string; readonly format: VerifyFormat }
  | ({ readonly command: 'explain-request'; readonly format: VerifyFormat } & GivenRequest & CommonArguments)
  | ({ readonly command: 'access'; readonly format: AccessFormat; readonly output: string | null } & CommonArguments)
  | ({
      readonly command: 'access-diff';
      readonly format: AccessFormat;
      readonly output: string | null;
      readonly oldPathOrRevision: string;
      readonly currentPath: string;
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
  /** `line` is counted from 1. */
  | {
      readonly command: 'explain-access';
      readonly path: string;
      readonly line: number;
      readonly format: VerifyFormat;
    }
  /** `id`: null for the last change. */
  | {
      readonly command: 'undo';
      readonly id: string | null;
      readonly listsChanges: boolean;
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
   * A wrong command line. `helpCommand`: the command whose help explains it; null for the help of
   * the program.
   */
  | { readonly command: 'wrong'; readonly reason: string; readonly helpCommand: string | null };

/**
 * Parses a command line, without the program's name. Never throws: an invalid command line becomes
 * the command `wrong`.
 */
export function readArguments(argv: readonly string[]): Arguments {
  const commandLine = isExplainRequest(argv) ? [EXPLAIN_REQUEST, ...argv.slice(1)] : argv;
  return parseCommandLine(commandLine);
}

/**
 * Whether the command is `explain` with an option about a request. Without such an option, the
 * words after `explain` are a term, and commander must not read options in them.
 */
function isExplainRequest([command, ...words]: readonly string[]): boolean {
  return command === 'explain' && words.some((word) => /^--(request|root)(=|$)/.test(word));
}

/** Lets commander parse the command line. Its errors become the result `wrong`. */
function parseCommandLine(argv: readonly string[]): Arguments {
  if (argv.length === 0) return { command: 'nothing', text: helpText() };
  let readResult: Arguments | null = null;
  let helpOutput = '';
  const commands = defineProgram(
    (command, values, words) => (readResult = readCommand(command, values, words)),
    (text) => (helpOutput += text),
  );
  try {
    commands.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // For an unknown command, commander would show the help of all commands.
    if (argv[0] === 'help' && argv[1] !== undefined && !isCommand(argv[1])) return parseCommandLine([argv[1]]);
    if (error.code === 'commander.version') return { command: 'version' };
    if (error.code === 'commander.helpDisplayed' || error.code === 'commander.help')
      return helpOutput === '' ? { command: 'help', text: helpText() } : { command: 'help', text: helpOutput };
    return wrongCommandLine(errorText(error, argv), argv[0] === EXPLAIN_REQUEST ? 'explain' : argv[0]);
  }
  return readResult ?? { command: 'nothing', text: helpText() };
}

/** The help of the whole program. */
export function helpText(): string {
  let writtenHelp = '';
  defineProgram(
    () => {},
    (part) => (writtenHelp += part),
  ).outputHelp();
  return writtenHelp;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Whether a word is the name of a command, `help` or an option. */
function isCommand(word: string): boolean {
  return (
    word.startsWith('-') || word === 'help' || defineProgram(() => {}).commands.some((each) => each.name() === word)
  );
}

/**
 * With these options, a client chooses how it connects to the language server. The library
 * vscode-languageserver parses them.
 */
const TRANSPORT_OPTIONS = ['stdio', 'nodeIpc', 'socket', 'pipe'];

/** Makes the arguments of a command from its parsed options (`values`) and its other words. */
function readCommand(command: string, values: OptionValues, words: readonly string[]): Arguments {
  switch (command) {
    case 'undo':
      if (values.list === true && words.length > 0)
        return wrongCommandLine('--list and an ID do not work together: use one of them', command);
      return {
        command,
        id: words[0] ?? null,
        listsChanges: values.list === true,
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
      return TRANSPORT_OPTIONS.some((each) => values[each] !== undefined)
        ? { command }
        : wrongCommandLine(
            'server needs an option such as --stdio: editors start "httpd-upgrade server --stdio"',
            command,
          );
    case 'man':
    case 'collect':
    case 'version':
      return { command };
  }
  const isAccess = command === 'access';
  const commonArguments = readCommonArguments(isAccess ? { ...values, failOn: undefined } : values, words);
  if (typeof commonArguments === 'string') return wrongCommandLine(commonArguments, command);
  switch (command) {
    case 'check':
      return readCheck(values, commonArguments);
    case 'fix':
      return readFix(values, commonArguments);
    case 'format':
      return readFormat(values, commonArguments);
    case 'plan':
      return { command, format: values.format as PlanFormat, output: optionText(values.output), ...commonArguments };
    case 'verify':
      return {
        command,
        httpd: optionText(values.httpd),
        inPlace: values.inPlace === true,
        format: values.format as VerifyFormat,
        ...commonArguments,
      };
    case 'migrate':
      return { command, output: optionText(values.output), ...commonArguments };
    case 'includes':
      return { command, format: values.format as VerifyFormat, ...commonArguments };
    case 'access':
      return readAccess(values, commonArguments);
    case 'requests':
      return {
        command,
        format: values.format as (typeof REQUESTS_FORMATS)[number],
        output: optionText(values.output),
        ...commonArguments,
      };
    case 'compare':
      return readCompare(values, commonArguments);
    case EXPLAIN_REQUEST:
      return readExplainRequest(values, words, commonArguments);
    default:
      throw new Error(`no reader for ${command}`);
  }
}

/**
 * The error of the library commander as a reason for users: in the words of this program, with the
 * suggestion of the library.
 */
function errorText({ code, message }: CommanderError, argv: readonly string[]): string {
  const [first = '', suggestion] = message.replace(/^error: /, '').split('\n');
  if (code === 'commander.missingArgument' && /'(path|root)'/.test(first))
    return 'no files given: add files or directories';
  if (code === 'commander.missingArgument' && /'term'/.test(first))
    return 'explain needs something to explain: a directive, a rule, a module, a status or a line of the error log';
  if (code === 'commander.unknownCommand' && /[./\\]/.test(argv[0] ?? ''))
    return `${first}; to check a file: httpd-upgrade check ${argv[0]}`;
  if (code === 'commander.excessArguments') return first.split(': ', 1)[0]!.replace(/\.$/, '');
  return suggestion === undefined ? first.replace(/\.$/, '') : `${first} ${suggestion}`.replace(/\.$/, '');
}

/** Reads `explain TERM`. `--format` may also come after the term. */
function readExplainTerm(values: OptionValues, words: readonly string[]): Arguments {
  const lastWords = words.slice(-2);
  const endsWithFormat =
    words.length > 2 && lastWords[0] === '--format' && (lastWords[1] === 'json' || lastWords[1] === 'text');
  const format = (endsWithFormat ? lastWords[1] : values.format) as VerifyFormat;
  const termWords = endsWithFormat ? words.slice(0, -2) : words;
  return values.access === true
    ? readExplainAccess(termWords, format)
    : { command: 'explain', term: termWords.join(' '), format };
}

/** Makes the arguments of `explain --request` and `explain --root`. */
function readExplainRequest(
  values: OptionValues,
  words: readonly string[],
  commonArguments: CommonArguments,
): Arguments {
  const requestWord = optionText(values.request);
  const givenRoot = optionText(values.root);
  const root = givenRoot ?? words.at(-1);
  const otherWords = givenRoot === null ? words.slice(0, -1) : words;
  if (root === undefined) return wrongCommandLine('--request needs the main configuration file', 'explain');
  if (requestWord !== null && otherWords.length > 0)
    return wrongCommandLine(
      `with --request, explain takes the main configuration file and no term: omit "${otherWords.join(' ')}"`,
      'explain',
    );
  const clientText = optionText(values.from);
  if (parseClient(clientText) === null)
    return wrongCommandLine(
      `--from is an IP address, a host name such as client.example.org, or both, not "${clientText}"`,
      'explain',
    );
  const request =
    requestWord === null
      ? null
      : parseRequest(requestWord, {
          from: clientText,
          user: optionText(values.user),
          headers: (values.header ?? []) as readonly string[],
        });
  if (requestWord !== null && request === null)
    return wrongCommandLine(
      '--request is a method and a URL, such as "GET https://host/path", and --header is "Name: value"',
      'explain',
    );
  return {
    command: EXPLAIN_REQUEST,
    format: values.format as VerifyFormat,
    ...commonArguments,
    request,
    logLine: requestWord === null ? otherWords.join(' ') : null,
    mainFile: root,
    onlyServer: REQUEST_SERVERS.find((server) => server === values.at) ?? null,
    paths: [root],
  };
}

/** Makes the arguments of `access`, with or without `--diff`. */
function readAccess(values: OptionValues, commonArguments: CommonArguments): Arguments {
  const format = values.format as AccessFormat;
  const output = optionText(values.output);
  const [oldPathOrRevision, now, ...others] = commonArguments.paths;
  if (values.diff !== true)
    return now === undefined
      ? { command: 'access', format, output, ...commonArguments }
      : wrongCommandLine('access shows one configuration; to compare two, add --diff', 'access');
  if (oldPathOrRevision === undefined || now === undefined || others.length > 0)
    return wrongCommandLine('--diff needs two configurations: OLD and NEW', 'access');
  if (now.startsWith('git:')) return wrongCommandLine('only OLD can be a revision: git:REVISION NEW', 'access');
  return {
    command: 'access-diff',
    format,
    output,
    oldPathOrRevision,
    currentPath: now,
    servers: [values.oldServer as RequestServer, values.newServer as RequestServer],
    failOnChange: values.failOn as (typeof CHANGES_TO_FAIL_ON)[number],
    ...commonArguments,
  };
}

/** Makes the arguments of `compare`. */
function readCompare(values: OptionValues, commonArguments: CommonArguments): Arguments {
  const servers = { old: serverAddress(String(values.old)), new: serverAddress(String(values.new)) };
  if (typeof servers.old === 'string') return wrongCommandLine(`--old ${servers.old}`, 'compare');
  if (typeof servers.new === 'string') return wrongCommandLine(`--new ${servers.new}`, 'compare');
  return {
    command: 'compare',
    servers: { old: servers.old, new: servers.new },
    credentials: optionText(values.credentials),
    format: values.format as VerifyFormat,
    output: optionText(values.output),
    ...commonArguments,
  };
}

/** Makes the arguments of `explain --access FILE:LINE`. */
function readExplainAccess(words: readonly string[], format: VerifyFormat): Arguments {
  const otherOption = words.find((word) => word.startsWith('--'));
  if (otherOption !== undefined)
    return wrongCommandLine(
      `--access takes no ${otherOption.split('=', 1)[0]}: it shows who has access by the lines of the file alone. Omit the option`,
      'explain',
    );
  const [, path = '', line = ''] = (words.length === 1 && /^(.+):(\d+)$/.exec(words[0] ?? '')) || [];
  if (Number(line) === 0)
    return wrongCommandLine(
      '--access needs a file and a line with Order, Allow, Deny, Satisfy or Require: "--access httpd.conf:95"',
      'explain',
    );
  return { command: 'explain-access', path, line: Number(line), format };
}

/** Makes the arguments of `check`. */
function readCheck(values: OptionValues, commonArguments: CommonArguments): Arguments {
  const baseline = optionText(values.baseline);
  const [isUpdate, isNewOnly] = [values.updateBaseline === true, values.newOnly === true];
  if (baseline === null && (isUpdate || isNewOnly))
    return wrongCommandLine(`${isUpdate ? '--update-baseline' : '--new-only'} needs --baseline FILE`, 'check');
  if (isUpdate && isNewOnly)
    return wrongCommandLine('--update-baseline and --new-only do not work together: use one of them', 'check');
  return {
    command: 'check',
    format: values.format as CheckFormat,
    output: optionText(values.output),
    baseline: baseline === null ? null : { file: baseline, updatesFile: isUpdate, showsOnlyNew: isNewOnly },
    stdinName: optionText(values.stdinFilename),
    readsPhpStrings: values.strings !== false,
    ...commonArguments,
  };
}

/** Makes the arguments of `fix`. */
function readFix(values: OptionValues, commonArguments: CommonArguments): Arguments {
  if (values.diff && values.write)
    return wrongCommandLine('--diff and --write do not work together: use one of them', 'fix');
  const keepsBoth = values.keepBoth === true;
  if (keepsBoth && values.unsafe) return wrongCommandLine('--keep-both writes only safe fixes: omit --unsafe', 'fix');
  return {
    command: 'fix',
    keepsBoth,
    write: values.write === true,
    showsDiff: values.diff === true,
    unsafe: values.unsafe === true,
    changesOnlyDormant: values.dormant === true,
    output: optionText(values.output),
    stdinName: optionText(values.stdinFilename),
    format: values.format as VerifyFormat,
    ...commonArguments,
  };
}

const FORMAT_MODES = ['check', 'diff', 'write'] as const;

/** Makes the arguments of `format`. */
function readFormat(values: OptionValues, commonArguments: CommonArguments): Arguments {
  const [mode = null, ...others] = FORMAT_MODES.filter((each) => values[each]);
  if (others.length > 0)
    return wrongCommandLine('--check, --diff and --write do not work together: use one of them', 'format');
  const indent = optionText(values.indent) ?? '4';
  if (!/^(?:tab|[1-9]|1[0-6])$/.test(indent))
    return wrongCommandLine(`--indent is a number of spaces from 1 to 16, or tab, not "${indent}"`, 'format');
  return {
    command: 'format',
    mode,
    indent: indent === 'tab' ? { tabSize: 8, insertSpaces: false } : { tabSize: Number(indent), insertSpaces: true },
    alignment: values.alignment as GivenFormat['alignment'],
    format: values.format as VerifyFormat,
    stdinName: optionText(values.stdinFilename),
    ...commonArguments,
  };
}

/** The value of an option; null if it is not given or has no value. */
function optionText(value: OptionValues[string]): string | null {
  return typeof value === 'string' ? value : null;
}

/** Reads the options that most commands have. Returns the error if an option is wrong. */
function readCommonArguments(values: OptionValues, positionals: readonly string[]): CommonArguments | string {
  const target = values.target === undefined ? null : parseTarget(String(values.target));
  if (values.target !== undefined && !target) return `--target must be 2.4 or 2.4.N, not "${String(values.target)}"`;
  const distribution = DISTRIBUTIONS.find((name) => name === values.distribution) ?? null;
  const server = readServerOptions(values);
  if (typeof server === 'string') return server;
  const answers = readAnswers((values.answer ?? []) as readonly string[]);
  if (typeof answers === 'string') return answers;
  const settings = settingsFromOptions(values);
  if (typeof settings === 'string') return settings;
  const threshold = optionText(values.failOn) ?? 'warning';
  return {
    paths: positionals,
    target,
    distribution,
    server,
    failOn: threshold === 'never' ? null : (threshold as Severity),
    settings,
    answers,
    projectFile: optionText(values.config),
    exclude: (values.exclude ?? []) as readonly string[],
    isQuiet: values.quiet === true,
    color: (values.color ?? 'auto') as ColorMode,
  };
}

/**
 * Parses answers `ID=VALUE`. An id may contain `=`, so the longest known id is used. Returns the
 * error if an answer is wrong.
 */
function readAnswers(givenAnswers: readonly string[]): Answers | string {
  const answerById = new Map<string, string>();
  for (const text of givenAnswers) {
    const equalsIndexes = [...text.matchAll(/=/g)].map(({ index }) => index).reverse();
    const idEnd = equalsIndexes.find((at) => answerProblem(text.slice(0, at), text.slice(at + 1)) === null);
    if (idEnd === undefined)
      return equalsIndexes.length === 0
        ? `--answer must be ID=VALUE, such as "htaccess-unseen:/var/www=none", not "${text}"`
        : reasonFromSentence(
            answerProblem(text.slice(0, equalsIndexes.at(-1)), text.slice(equalsIndexes.at(-1)! + 1))!,
          );
    answerById.set(text.slice(0, idEnd), text.slice(idEnd + 1));
  }
  return answerById;
}

/** A sentence as a reason in a message: it begins in lower case and has no full stop. */
function reasonFromSentence(sentence: string): string {
  return `${sentence[0]!.toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`;
}

/** Reads the options about the server. Returns the error if an option is wrong. */
function readServerOptions(values: OptionValues): GivenServer | string {
  const mapEntries: { from: string; to: string }[] = [];
  for (const mapText of (values.map ?? []) as readonly string[]) {
    const equalsIndex = mapText.indexOf('=');
    if (equalsIndex <= 0) return `--map must be FROM=TO, such as "/etc/httpd=./etc/httpd", not "${mapText}"`;
    mapEntries.push({
      from: normalizedPath(mapText.slice(0, equalsIndex)),
      to: normalizedPath(path.resolve(mapText.slice(equalsIndex + 1))),
    });
  }
  const defines = ((values.define ?? []) as readonly string[]).map((text): [string, string] => {
    const equalsIndex = text.indexOf('=');
    return equalsIndex < 0 ? [text, ''] : [text.slice(0, equalsIndex), text.slice(equalsIndex + 1)];
  });
  const builtIn = values.modules === undefined ? null : readModuleList(String(values.modules));
  if (typeof builtIn === 'string') return builtIn;
  const givenRoot = values.serverRoot;
  return {
    serverRoot: givenRoot === undefined ? null : path.resolve(String(givenRoot)),
    map: mapEntries.length > 0 ? { entries: mapEntries.sort((a, b) => b.from.length - a.from.length) } : null,
    defines: defines.length > 0 ? new Map(defines) : null,
    builtIn,
  };
}

/**
 * Parses a list of compiled-in modules: the name of a profile, or modules by any of their names.
 * Modules that every server has are added. Returns the error if a name is wrong.
 */
function readModuleList(list: string): ReadonlySet<string> | string {
  const profile = DISTRIBUTIONS.find((candidate) => candidate === list);
  if (profile)
    return (
      PROFILES[profile].builtIn ??
      `The compiled-in modules of ${PROFILES[profile].title} are not known: give the names that its httpd -l lists`
    );
  const moduleNames = new Set(['core', 'mod_so']);
  for (const name of list
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)) {
    const module = moduleByAnyName(name);
    if (module === null)
      return `--modules is ${DISTRIBUTIONS.join(', ')}, or names of modules such as "mod_so,mod_log_config", not "${name}"`;
    moduleNames.add(module);
  }
  return moduleNames;
}

/** An absolute path with slashes, without `.` and `..`. */
function normalizedPath(file: string): string {
  return resolvePath('/', file);
}

/** The result for a wrong command line. `command`: the command whose help explains it. */
function wrongCommandLine(reason: string, command?: string): Arguments {
  return {
    command: 'wrong',
    reason,
    helpCommand: command !== undefined && COMMAND_NAMES.has(command) ? command : null,
  };
}

/** The commands whose help a message can name. */
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
