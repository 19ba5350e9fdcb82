/**
 * The command `verify ROOT`: lets a real httpd read the configuration (`httpd -t`), and shows its
 * messages at the user's lines. No server is started.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  isFileOfHttpdModule,
  makeCheckCopy,
  whyLineIsRefused,
  type CheckCopy,
  type CopiedFile,
  type UncheckedLine,
} from '../analysis/check-copy';
import {
  REASON_START_WITHOUT_MPM,
  reasonOfAbsentModule,
  reasonOfMachine,
  reasonOfUnsetAccount,
  reasonOfUnsetVariable,
  firstWord,
  isUncheckedBecauseOfMachine,
  lastRowsOf,
  readServerMessages,
  emptyLogicalLine,
  type ServerMessage,
} from '../analysis/server-check';
import type { OpenStep } from '../analysis/open-steps';
import { skippedLines } from '../analysis/skipped-lines';
import { modulesUsedIn } from '../analysis/used-modules';
import {
  findUnreadLines,
  unreadText,
  textAboutNames,
  type LinesNotRead,
  type UnreadLines,
} from '../analysis/unread-lines';
import { localPathOf, serverPathOf } from '../config/files';
import { configView } from '../config/config-view';
import { builtInModules, isWindowsServerRoot } from '../config/distribution';
import type { Model, ServerSettings } from '../config/model';
import { moduleNamed } from '../config/modules';
import { readModel } from '../config/read-model';
import type { Target } from '../config/target';
import { module } from '../directives/index';
import { thirdPartyModules } from '../directives/third-party';
import { encode, type Encoding } from '../host/decode';
import { configTest, findHttpd, isConfigurationOf, moduleFile, type Httpd } from '../host/httpd';
import { diskFileView, type DiskFileView } from '../host/node-files';
import { mainFileProblem } from './files';
import { mainFileAsGiven } from './request-root';
import type { SettingsByFile } from '../features/project';
import { countWithNoun, printable, type Terminal } from './terminal';
import { wrapText } from './wrap';
import { addTo } from '../syntax/groups';
import { shortPath } from './short-path';
import { shellWord } from '../syntax/shell-word';

/** The result of `verify`, as its JSON shows it. */
export interface Verdict {
  readonly version: 1;
  readonly httpd: { readonly program: string; readonly version: string };
  readonly root: string;
  readonly files: number;
  /**
   * How httpd read the configuration: at its own path, through a command that runs httpd elsewhere,
   * or as a copy in a temporary directory.
   */
  readonly way: 'in-place' | 'command' | 'copy';
  /**
   * Whether httpd read a copy although the files are at the paths that the server uses. The reason:
   * this machine's httpd has its configuration elsewhere, and `--in-place` was not given.
   */
  readonly claimsPlace: boolean;
  readonly ok: boolean;
  /**
   * Whether there is no error, and every line was checked, apart from things that only the server
   * has: accounts, directories, certificates. False if httpd did not read lines in `<IfDefine>`,
   * and it is not known with which names the server starts.
   */
  readonly accepted: boolean;
  /**
   * The errors of httpd. Their lines are counted from 0, as in all JSON output; null if the message
   * names no line.
   */
  readonly problems: readonly VerifyMessage[];
  readonly warnings: readonly VerifyMessage[];
  /** Lines that could not be checked on this machine. */
  readonly unchecked: readonly VerifyMessage[];
  /**
   * The lines in `<IfDefine>` that httpd did not read, because of the names with which it started.
   * Null if it read all of them.
   */
  readonly unread: UnreadLines | null;
  /** The files with template text, which httpd cannot read. */
  readonly templates: readonly string[];
  /**
   * Modules of this machine that httpd loaded although no file of the copy loads them: those of the
   * plan (`VerifyRequest.modulesOfPlan`), and those that every packaged 2.4 loads. They have the
   * names for `a2enmod`.
   */
  readonly assumedModules: readonly string[];
  /** Those of `assumedModules` that the configuration needs. */
  readonly neededModules: readonly string[];
}

/**
 * A message about the configuration: its file as users see it, and its 0-based line. Both are null
 * if the message names none.
 */
interface VerifyMessage {
  readonly file: string | null;
  readonly line: number | null;
  /** The code of the message, such as `AH00526`; null if it has none. */
  readonly code: string | null;
  readonly message: string;
  /** The task on the server that is not done and causes the error, if there is one. */
  readonly step?: OpenStep;
}

/** The configuration to check, and the httpd that reads it. */
export interface VerifyRequest {
  readonly mainFile: string;
  readonly httpd: string | null;
  /**
   * Whether httpd must read the files where they are, although this machine's httpd has its
   * configuration elsewhere. Then httpd loads the configured modules, whose code runs.
   */
  readonly inPlace?: boolean;
  /** The names and values of `-D` options. Null if the user gives none. */
  readonly defines: ReadonlyMap<string, string> | null;
  readonly settings: SettingsByFile;
  /**
   * Modules that the user has enabled on the server, by their names for `a2enmod`. The check of a
   * copy loads them.
   */
  readonly enabledModules?: readonly string[];
  /**
   * Returns the modules that the plan tells the user to enable, by their names for `a2enmod`. They
   * are loaded if files are missing in the copy, because such a file may load them. Their files are
   * always taken from this machine.
   */
  readonly modulesOfPlan?: () => Promise<readonly string[]>;
  readonly terminal: VerifyTerminal;
  /** Stops the httpd program. The promise is then rejected. */
  readonly signal?: AbortSignal;
}

/** The methods of a terminal that `verify` needs, to show progress and errors. */
export type VerifyTerminal = Pick<Terminal, 'reportFailure' | 'reportProblem' | 'showProgress' | 'clearProgress'>;

/** Runs the check. If httpd cannot run, reports the reason and returns null. */
export async function verify({
  mainFile: givenMainFile,
  httpd: program,
  inPlace: isInPlaceWanted = false,
  defines,
  settings,
  enabledModules = [],
  modulesOfPlan = () => Promise.resolve([]),
  terminal,
  signal,
}: VerifyRequest): Promise<Verdict | null> {
  const httpd = await findHttpd(program);
  if (typeof httpd === 'string') return (terminal.reportFailure(httpd), null);
  const view = diskFileView();
  const mainFileResult = await mainFileAsGiven(givenMainFile, view);
  if ('problem' in mainFileResult) return (terminal.reportProblem(givenMainFile, mainFileResult.problem), null);
  const { mainFile } = mainFileResult;
  const { target } = settings.engineOf(mainFile);
  const modelOf = (server: ServerSettings) => readModel({ mainFile, view: configView(view), target, server });
  const model = modelOf(settings.serverOf(mainFile));
  if (!model) return (terminal.reportProblem(givenMainFile, mainFileProblem(view.kind(mainFile))), null);
  const server = settings.serverOf(mainFile);
  const definesOfAnswers = [...(server.defineFlags ?? [])].flatMap(([name, isOn]): [string, string][] =>
    isOn ? [[name, '']] : [],
  );
  const definedNames = defines ?? server.defines ?? null;
  const definesOfStartFile = [...(model.startOptions?.defineFlags ?? [])].flatMap((name): [string, string][] =>
    definedNames !== null || server.defineFlags?.has(name) ? [] : [[name, '']],
  );
  const defineOptions = [...new Map([...definesOfStartFile, ...definesOfAnswers, ...(definedNames ?? [])])].flatMap(
    ([name, value]) => ['-D', value === '' ? name : `${name}=${value}`],
  );
  const context: VerifyContext = {
    httpd,
    model,
    target,
    view,
    defineOptions,
    ...divideVariables(model.startOptions?.environment ?? new Map()),
    enabledModules,
    modulesOfPlan,
    terminal,
    signal,
  };
  terminal.showProgress(`${httpd.command.join(' ')} reads ${countWithNoun(model.files.size, 'file')}`);
  const areFilesAtServerPaths = isAtServerPaths(model);
  const isInPlace = isInPlaceWanted || (areFilesAtServerPaths && isConfigurationOf(httpd, mainFile));
  const checkResult = await (httpd.isOnOtherMachine
    ? checkByCommand(context)
    : isInPlace
      ? checkInPlace(context)
      : checkAsCopy(context));
  terminal.clearProgress();
  if (checkResult === null) return null;
  const { way, problems, warnings, assumedModules, neededModules } = checkResult;
  // If the names of `-D` are unknown (`defines: null`), the model also has the files that lines in
  // `<IfDefine>` include.
  const modelWithUnread = server.defines == null ? model : (modelOf({ ...server, defines: null }) ?? model);
  const { unreadLines, isUnread } = linesNotReadIn({ ...context, model: modelWithUnread }, server, definedNames);
  const files = new Map([...model.files.keys()].map((file) => [shortPath(file), file]));
  const uncheckedMessages = checkResult.unchecked.filter(
    ({ file, line }) => file === null || line === null || !isUnread(files.get(file) ?? file, line),
  );
  return {
    version: 1,
    httpd: { program: httpd.command.join(' '), version: httpd.version },
    root: shortPath(mainFile),
    files: model.files.size,
    way,
    claimsPlace: areFilesAtServerPaths && !isInPlace && way === 'copy',
    ok: problems.length === 0,
    // A command may run httpd on another machine with other files, so its result does not show that
    // these files are accepted.
    accepted:
      way !== 'command' &&
      problems.length === 0 &&
      assumedModules.length === 0 &&
      unreadLines?.isKnown !== false &&
      uncheckedMessages.every(({ message }) => isUncheckedBecauseOfMachine(message)),
    problems,
    warnings,
    unchecked: uncheckedMessages,
    unread: unreadLines,
    templates: [...model.files.keys()]
      .filter((file) => (view.read(file)?.root.templateLineCount ?? 0) > 0)
      .map(shortPath),
    assumedModules,
    neededModules,
  };
}

/**
 * The result as text. `lineAt` returns the text of a 0-based line, or null. `argumentsToRepeat`:
 * the options and paths of this run, for the next command. `namesMainFile`: whether the user named
 * a directory, so that the text must name the main file.
 */
export function verdictText(
  verdict: Verdict,
  lineAt: (file: string, line: number) => string | null,
  {
    terminal,
    argumentsToRepeat,
    namesMainFile = false,
  }: { readonly terminal: Terminal; readonly argumentsToRepeat: string; readonly namesMainFile?: boolean },
): string {
  const { way, claimsPlace, problems, warnings, unchecked, unread: unreadLines, templates } = verdict;
  const verdictRows = templates.length === 0 ? [] : [...wrapText(templateText(templates, way)), ''];
  const placePrefix = ({ file, line }: VerifyMessage) =>
    file === null ? '' : `${printable(file)}${line === null ? '' : `:${line + 1}`}: `;
  const lineOf = ({ file, line }: VerifyMessage) => {
    const sourceLine = file === null || line === null ? null : lineAt(file, line);
    return sourceLine ? [`    ${printable(sourceLine.trim())}`] : [];
  };
  const shownExplanations = new Set<string>();
  let isLinkShown = false;
  let shownStep: string | null = null;
  for (const problem of groupedBySteps(problems)) {
    const step = problem.step ? stepText(problem.step) : null;
    if (step !== null && step !== shownStep) verdictRows.push(`open step on the server: ${printable(step)}`);
    shownStep = step;
    verdictRows.push(
      `${placePrefix(problem)}${terminal.style('red', 'error')}: ${printable(withoutShownExplanation(problem.message, shownExplanations))}${problem.code === null ? '' : ` (${problem.code})`}`,
    );
    verdictRows.push(...lineOf(problem), ...moduleRows(problem));
    if (!isLinkShown && LINK_AS_TEXT_ERROR.test(problem.message)) verdictRows.push(...wrapText(LINK_AS_TEXT_MESSAGE));
    isLinkShown ||= LINK_AS_TEXT_ERROR.test(problem.message);
  }
  const firstDebianWarning = warnings.find(({ message }) => DEBIAN_VARIABLE_WARNING.test(message));
  for (const warning of warnings)
    verdictRows.push(
      `${placePrefix(warning)}${terminal.style('yellow', 'warning')}: ${printable(warning.message)}${warning.code === null ? '' : ` (${warning.code})`}`,
      ...(warning === firstDebianWarning ? wrapText(ENVVARS_TEXT, '    ') : []),
    );
  const messagesByReason = new Map<string, VerifyMessage[]>();
  for (const each of isOnlyMpmUnchecked(unchecked) ? [] : unchecked) addTo(messagesByReason, each.message, each);
  for (const [message, sameMessage] of messagesByReason) {
    const [first] = sameMessage;
    verdictRows.push(
      `${placePrefix(first!)}not checked${sameMessage.length > 1 ? ` (also ${countWithNoun(sameMessage.length - 1, 'other line')})` : ''}: ${printable(message)}`,
      ...lineOf(first!),
    );
  }
  if (verdictRows.length > 0) verdictRows.push('');
  if (namesMainFile) verdictRows.push(`Main configuration file: ${printable(verdict.root)}`);
  verdictRows.push(...resultRows(verdict, terminal), ...openStepsText(problems));
  if (unreadLines !== null) verdictRows.push(...rowsAboutUnreadLines(unreadLines, way, argumentsToRepeat));
  if (unchecked.length > 0 && !isOnlyPartlyChecked(verdict)) verdictRows.push(...uncheckedRows(unchecked));
  // Without an MPM, the files are only a part of a configuration, and httpd cannot read them where
  // they are.
  if (claimsPlace && !unchecked.some(({ message }) => message.startsWith(REASON_START_WITHOUT_MPM)))
    verdictRows.push(
      ...wrapText(
        "This is not the configuration of this machine's httpd. So httpd read a copy of it, without third-party modules: loading a module runs its code. If you trust the configuration, let httpd read the files where they are, with all modules:",
      ),
      `  httpd-upgrade verify --in-place ${printable(argumentsToRepeat)}`,
    );
  const untestedThings = [
    '.htaccess files',
    ...(way === 'copy' ? ['whether files and directories exist'] : []),
    'ports',
    'certificates',
  ];
  verdictRows.push(
    ...wrapText(`Not tested: ${untestedThings.join(', ')} and logs. Only the running 2.4 server tests these.`),
    problems.length > 0 ? 'To see what to do about the errors:' : 'To see what is left to do:',
    `  httpd-upgrade plan ${printable(argumentsToRepeat)}`,
  );
  return `${verdictRows.join('\n')}\n`;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Whether httpd reported no error, but some lines were not checked for another reason than that
 * this machine lacks an account or a file of the server.
 */
function isOnlyPartlyChecked({ problems, unchecked }: Verdict): boolean {
  return problems.length === 0 && unchecked.some(({ message }) => !isUncheckedBecauseOfMachine(message));
}

/** Rows of text: what httpd read, and whether it reported errors. */
function resultRows(verdict: Verdict, terminal: Pick<Terminal, 'style'>): string[] {
  const {
    httpd,
    files,
    way,
    problems,
    unchecked,
    unread: unreadLines,
    templates,
    assumedModules,
    neededModules,
  } = verdict;
  const readText = `httpd ${httpd.version} (${printable(httpd.program)}) read ${way === 'copy' ? 'a temporary copy of ' : ''}${countWithNoun(files, 'file')}${way === 'copy' ? '. In the copy, paths that this machine does not have are replaced' : ''}`;
  const readRows = [
    ...wrapText(`${readText}.`),
    ...(assumedModules.length > 0 ? wrapText(textOfAssumedModules(assumedModules, neededModules)) : []),
  ];
  if (problems.length > 0) {
    const moreText = way === 'copy' ? '' : ' It stops at the first error. There may be more.';
    return [
      ...readRows,
      `${terminal.style('red', `httpd reports ${countWithNoun(problems.length, 'error')}`)}.${moreText}`,
    ];
  }
  // The result must not begin like a pass if lines were not checked.
  if (isOnlyPartlyChecked(verdict))
    return [
      ...readRows,
      ...uncheckedRows(unchecked).map((row) => terminal.style('yellow', row)),
      `${terminal.style('yellow', `httpd reports no error in the ${isOnlyMpmUnchecked(unchecked) ? 'lines that it read' : 'other lines'}`)}.`,
    ];
  const color = unreadLines?.isKnown === false || templates.length > 0 ? 'yellow' : 'green';
  const scopeText = unreadLines === null && templates.length === 0 ? '' : ' in the lines that it read';
  return [...readRows, `${terminal.style(color, `httpd reports no error${scopeText}`)}.`];
}

/** Whether only the MPM was not checked. */
function isOnlyMpmUnchecked(unchecked: readonly VerifyMessage[]): boolean {
  return unchecked.every(({ message }) => message.startsWith(REASON_START_WITHOUT_MPM));
}

/** Rows with the number of lines that could not be checked, or why the MPM could not. */
function uncheckedRows(unchecked: readonly VerifyMessage[]): string[] {
  if (isOnlyMpmUnchecked(unchecked)) return wrapText(`The MPM is not checked: ${unchecked[0]!.message}.`);
  const count = unchecked.some(({ message }) => message.startsWith(UNREAD_REST_MESSAGE))
    ? 0
    : unchecked.filter(({ line }) => line !== null).length;
  return [
    `${count > 0 ? countWithNoun(count, 'line') : 'Some lines'} could not be checked here: "not checked" above says why.`,
  ];
}

/**
 * Sentences about the modules that httpd loaded although no file of the copy loads them. `needed`:
 * those that the lines need.
 */
export function textOfAssumedModules(modules: readonly string[], needed: readonly string[]): string {
  const others = modules.filter((each) => !needed.includes(each));
  const texts = [
    needed.length > 0
      ? `Your lines need these modules, but no line here loads them: ${needed.map((name) => (name.startsWith('mpm_') ? `an MPM such as ${name}` : name)).join(', ')}. Write a LoadModule line for each that the 2.4 server does not load (Debian: a2enmod NAME).`
      : '',
    others.length > 0
      ? `httpd loaded ${needed.length > 0 ? 'other modules, too' : 'these modules'}, only for this check: ${others.join(', ')}.`
      : '',
  ];
  return texts.filter((text) => text !== '').join(' ');
}

/** A sentence that says what it means that these files are templates. */
function templateText(files: readonly string[], way: Verdict['way']): string {
  const otherFilesText = files.length > 1 ? ` and ${countWithNoun(files.length - 1, 'other file')}` : '';
  const effectText =
    way === 'copy'
      ? 'Lines with placeholders are not checked.'
      : 'Errors at lines with placeholders do not mean that the server rejects them.';
  return `${printable(files[0]!)}${otherFilesText} ${files.length > 1 ? 'are templates' : 'is a template'}: httpd cannot read placeholders such as @NAME@. ${effectText} Run verify on the finished ${files.length > 1 ? 'files' : 'file'}, with values in place of the placeholders.`;
}

/**
 * Matches the error for a file that is a symbolic link on the server. In this copy, it is a text
 * file with the path of the link's target.
 */
const LINK_AS_TEXT_ERROR = /^Invalid command '\.{1,2}\/[\w.+@/-]+'/;

/** The explanation below an error that `LINK_AS_TEXT_ERROR` matches. */
const LINK_AS_TEXT_MESSAGE =
  'This file is a symbolic link on the server. In this copy it is a text file with the path of its target, as git on Windows writes it. plan has the command that makes such files links again.';

/** Matches the warning about a variable that Debian's start script sets. */
const DEBIAN_VARIABLE_WARNING = /^Config variable \$\{APACHE_\w+\} is not defined/;

/** The advice below a warning that `DEBIAN_VARIABLE_WARNING` matches. */
const ENVVARS_TEXT =
  'On Debian, /etc/apache2/envvars sets this variable. Copy that file into the directory of apache2.conf, then run again.';

/** The lines in `<IfDefine>` that this run of httpd did not read. */
function linesNotReadIn(
  { model, view, defineOptions }: VerifyContext,
  { defineFlags = new Map() }: ServerSettings,
  givenDefines: ReadonlyMap<string, string> | null,
): LinesNotRead {
  return findUnreadLines(model, {
    startNames: namesOfOptions(defineOptions),
    namesNeverStarted: new Set([...defineFlags].flatMap(([name, isOn]) => (isOn ? [] : [name]))),
    areStartNamesKnown: givenDefines !== null || (model.startOptions?.defineFlags.size ?? 0) > 0,
    readTree: (file) => view.read(file),
  });
}

/** The names in the options `-D NAME` and `-D NAME=VALUE`. */
function namesOfOptions(defineOptions: readonly string[]): ReadonlySet<string> {
  return new Set(defineOptions.filter((_, index) => index % 2 === 1).map((word) => word.replace(/=.*/s, '')));
}

/** Rows of text: what httpd did not read, why, and how to let it read these lines. */
function rowsAboutUnreadLines(skippedLines: UnreadLines, way: Verdict['way'], argumentsToRepeat: string): string[] {
  const { names } = skippedLines;
  const unreadRows = wrapText(unreadText(skippedLines, way === 'command'));
  if (names.length === 0) return unreadRows;
  if (skippedLines.isKnown)
    return wrapText(
      `${unreadText(skippedLines, way === 'command')} ${names.length === 1 ? `If the server starts with it, add -D ${printable(names[0]!)}.` : 'If the server starts with one of them, add -D NAME.'}`,
    );
  const areNamesMany = names.length > MAX_NAMES_TO_REPEAT;
  const repeatedOptions = names.slice(0, MAX_NAMES_TO_REPEAT).map((name) => `-D ${shellWord(name)}`);
  const [neverText, neverName] = names.length === 1 ? [names[0]!, names[0]!] : ['one of them', 'NAME'];
  const allNamesRows = areNamesMany ? [`All names: ${names.map(printable).join(', ')}.`] : [];
  return [
    ...unreadRows,
    ...wrapText(
      `If the server starts with ${names.length === 1 ? 'it' : 'them'}, run this${areNamesMany ? ' with its names, for example' : ''}:`,
    ),
    `  httpd-upgrade verify ${printable(repeatedOptions.join(' '))} ${printable(argumentsToRepeat)}`,
    ...wrapText(
      [
        ...allNamesRows,
        textAboutNames(names),
        printable(`If the server never starts with ${neverText}, add --answer define:${neverName}=off.`),
      ].join(' '),
    ),
  ];
}

/** The suggested command has at most this many names. If there are more, a row lists them all. */
const MAX_NAMES_TO_REPEAT = 3;

/** Removes the explanation after the comma from a message, if it was already shown. */
function withoutShownExplanation(message: string, shownExplanations: Set<string>): string {
  const [, first = message, tail = ''] = /^(.*?)(, perhaps misspelled or .*)$/s.exec(message) ?? [];
  if (tail === '' || !shownExplanations.has(tail)) {
    shownExplanations.add(tail);
    return message;
  }
  return first;
}

/** For a directive of a third-party module: the module, and what to do. Empty for other errors. */
function moduleRows({ message, step }: VerifyMessage): string[] {
  const [, bracket, name] = /^Invalid command '(<?)([^'>]+)>?'/.exec(message) ?? [];
  const [module] = name === undefined || step ? [] : thirdPartyModules(name.toLowerCase(), bracket === '<');
  if (module === undefined) return [];
  const title = module.source.replace(/\.c$/, '');
  return wrapText(
    `It belongs to ${title}, which is not loaded. Install ${title} in a version for 2.4 and load it with LoadModule, or remove the line.`,
    '    ',
  );
}

/** The errors that no open step explains come first. The others are grouped by their steps. */
function groupedBySteps(problems: readonly VerifyMessage[]): readonly VerifyMessage[] {
  const groups = new Map<string, VerifyMessage[]>([['', []]]);
  for (const problem of problems) addTo(groups, problem.step ? stepText(problem.step) : '', problem);
  return [...groups.values()].flat();
}

function stepText({ title, commands }: OpenStep): string {
  return commands.length > 0 ? commands.join('; ') : title;
}

/**
 * Rows of text: how many errors come from tasks on the server that are not done, and which tasks.
 * Empty if there are none.
 */
function openStepsText(problems: readonly VerifyMessage[]): string[] {
  const steps = problems.flatMap(({ step }) => step ?? []);
  if (steps.length === 0) return [];
  const otherCount = problems.length - steps.length;
  return [
    `${steps.length === problems.length ? (otherCount + steps.length === 1 ? 'It comes' : 'All of them come') : `${steps.length} of them ${steps.length === 1 ? 'comes' : 'come'}`} from steps on the server that are still open:`,
    ...[...new Set(steps.map(stepText))].map((text) => `  ${printable(text)}`),
  ];
}

/** What each way to run httpd needs. */
interface VerifyContext {
  readonly httpd: Httpd;
  readonly model: Model;
  readonly target: Target;
  readonly view: DiskFileView;
  /** The arguments `-D NAME` for httpd. */
  readonly defineOptions: readonly string[];
  readonly enabledModules: readonly string[];
  readonly modulesOfPlan: () => Promise<readonly string[]>;
  readonly environment: Readonly<Record<string, string>>;
  /** The options `-C LINE`, for variables that httpd does not get from its environment. */
  readonly defineLines: readonly string[];
  readonly terminal: VerifyTerminal;
  readonly signal: AbortSignal | undefined;
}

/** The parts of the result that depend on how httpd is run. */
type CheckResult = Pick<Verdict, 'way' | 'problems' | 'warnings' | 'unchecked' | 'assumedModules' | 'neededModules'>;

/**
 * Whether the configuration is at the paths that the server uses, so that no map of paths is
 * needed.
 */
function isAtServerPaths({ pathMap }: Model): boolean {
  return pathMap.copyFolders === undefined && pathMap.entries.every(({ from, to }) => from === to);
}

/** Names of variables that can be set in the environment or by Define. */
const VARIABLE_NAME = /^\w+$/;

/**
 * Divides the variables of the distribution's start file. Variables as in Debian's envvars
 * (APACHE_… and LANG) go into the environment of httpd. Other variables become `Define` lines, so
 * that no library sees them (LD_PRELOAD, OPENSSL_CONF, GCONV_PATH and so on).
 * Left out: all variables with an invalid name, or with a control character in the value. Also left
 * out: other variables with `${` in the value, because httpd would replace it in the Define line.
 */
function divideVariables(variables: ReadonlyMap<string, string>): Pick<VerifyContext, 'environment' | 'defineLines'> {
  const validVariables = [...variables].filter(([name, value]) => VARIABLE_NAME.test(name) && !/[\0-\x1f]/.test(value));
  const isEnvironmentName = (name: string) => /^APACHE_[A-Z_]+$/.test(name) || name === 'LANG';
  const variablesToDefine = validVariables.filter(([name, value]) => !isEnvironmentName(name) && !value.includes('${'));
  return {
    environment: Object.fromEntries(validVariables.filter(([name]) => isEnvironmentName(name))),
    defineLines: variablesToDefine.flatMap(([name, value]) => [
      '-C',
      `Define ${name} "${value.replace(/["\\]/g, '\\$&')}"`,
    ]),
  };
}

/**
 * Codes of messages about this machine, not about the configuration: host names that cannot be
 * resolved, an existing pid file, a missing DocumentRoot.
 */
const CODES_ABOUT_THIS_MACHINE = /^AH(00547|00558|00557|00112|00098|01574|00548)$/;

/**
 * Lets httpd of this machine read the configuration at its own path. If httpd refuses it, checks a
 * copy instead.
 */
async function checkInPlace(context: VerifyContext): Promise<CheckResult | null> {
  const { httpd, model, defineOptions, defineLines, environment, signal } = context;
  const { isOk, stderr } = await configTest(
    httpd,
    [...defineOptions, ...defineLines, '-f', model.mainFile],
    environment,
    signal,
  );
  // A module or an account may be missing only on this machine. That is no error of the
  // configuration, so a copy is checked instead.
  if (!isOk) return checkAsCopy(context);
  return {
    way: 'in-place',
    problems: [],
    warnings: warningsOf(readServerMessages(stderr, isOk).warnings, (file) => file),
    unchecked: [],
    assumedModules: [],
    neededModules: [],
  };
}

/**
 * Lets the command of the user run httpd, which reads the configuration at the server's paths. If
 * httpd cannot be used so, reports the reason and returns null.
 */
async function checkByCommand({
  httpd,
  model,
  defineOptions,
  terminal,
  signal,
}: VerifyContext): Promise<CheckResult | null> {
  const serverPath = serverPathOf(model.mainFile, model.pathMap);
  const fileOptionWords = serverPath === httpd.defaultConfiguration ? [] : ['-f', serverPath];
  const wordWithShellCharacters = [...defineOptions, ...fileOptionWords].find((word) => !/^[\w@%+=:,./-]+$/.test(word));
  if (wordWithShellCharacters !== undefined) {
    terminal.reportFailure(
      `${httpd.command.join(' ')} is not started: a shell on the other machine would read ${wordWithShellCharacters}; rename it, or verify a copy with an httpd of this machine`,
    );
    return null;
  }
  const { isOk, stderr } = await configTest(httpd, [...defineOptions, ...fileOptionWords], {}, signal);
  const { error, warnings } = readServerMessages(stderr, isOk);
  if (error && error.line === undefined && /could not open|No such file/i.test(error.message)) {
    terminal.reportFailure(
      `${httpd.command.join(' ')} does not find ${serverPath}: ${error.message.trim().split('\n')[0]}; --map FROM=TO says where the server has the files`,
    );
    return null;
  }
  const localPath = (file: string) => localPathOf(file, model.pathMap);
  return {
    way: 'command',
    problems: error ? [messageAt(error, localPath)] : [],
    warnings: warningsOf(warnings, localPath),
    unchecked: [],
    assumedModules: [],
    neededModules: [],
  };
}

/**
 * Matches the error for a missing MPM. Its code AH00534 does not identify it: "More than one MPM
 * loaded" has the same code (server/main.c).
 */
const NO_MPM = /No MPM loaded\.$/;

/**
 * The largest number of runs of httpd, and their largest total time. Each run omits the line at
 * which the run before stopped. A run takes 50 ms, and more on a busy machine.
 */
const MAX_HTTPD_RUNS = 100;
const MAX_TOTAL_RUNNING_MS = 10_000;

/**
 * Removes the lines of the copy that name a user or group which this machine does not have.
 * `message`: the error of httpd. Returns a problem for each removed line; none if the message is
 * not about an account.
 */
function removeLinesWithUnknownAccount(
  copy: CheckCopy,
  message: string,
): { fileIndex: number; problem: VerifyMessage }[] {
  const accountMatch = UNKNOWN_ACCOUNT.exec(message);
  if (accountMatch === null) return [];
  const [, kind, name] = accountMatch;
  const variable = /\$\{(\w+)\}/.exec(name!)?.[1];
  const directiveNames = kind === 'user' ? ['User', 'SuexecUserGroup'] : ['Group', 'SuexecUserGroup'];
  return linesWithWord(copy, directiveNames, name!).map(({ fileIndex, lineIndex }) => {
    const { path: file, rows, lines } = copy.files[fileIndex]!;
    const problem = {
      file: shortPath(file),
      line: rows[lineIndex]!,
      code: null,
      message: variable === undefined ? `there is no ${kind} ${name} here` : reasonOfUnsetAccount(kind!, variable),
    };
    emptyLogicalLine(lines, lineIndex);
    return { fileIndex, problem };
  });
}

/**
 * Lets httpd of this machine read a copy. After an error, removes the rejected line from the copy
 * and lets httpd read it again, until it accepts the copy or a limit is reached.
 */
async function checkAsCopy({
  httpd,
  model,
  target,
  view,
  defineOptions,
  defineLines: givenDefineLines,
  enabledModules,
  modulesOfPlan,
  environment,
  terminal,
  signal,
}: VerifyContext): Promise<CheckResult | null> {
  const copyFolder = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-verify-'));
  try {
    for (const name of ['files', 'include', 'empty', 'root', 'root/logs', 'root/run', 'root/conf'])
      mkdirSync(path.join(copyFolder, name));
    const copy = makeCheckCopy(model, {
      copyFolder,
      readTree: (file) => view.read(file),
      server: { builtIn: httpd.builtInModules, moduleFile: (name) => moduleFile(httpd, name) },
    });
    const writtenCopy = writeCopy(copy, copyFolder, {
      encodingOf: (file) => view.cachedFile(file)?.encoding ?? 'utf-8',
      isReadable: (file) => file.startsWith(`${copyFolder}/`) || moduleFile(httpd, path.basename(file)) === file,
    });
    const assumedModules = await modulesToAssume(copy, { httpd, model, modulesOfPlan });
    const neededModules = await neededModulesAmong(assumedModules, { model, view, modulesOfPlan });
    const modulesToLoad = [...new Set([...enabledModules, ...assumedModules])];
    const problems: VerifyMessage[] = [];
    const uncheckedMessages: VerifyMessage[] = copy.uncheckedLines.map(messageOfUncheckedLine);
    const options = [
      ...defineOptions,
      ...givenDefineLines,
      '-d',
      path.join(copyFolder, 'root'),
      '-C',
      `DefaultRuntimeDir "${copyFolder}/root/run"`,
      ...modulesToLoad.flatMap((name) => loadModuleOptions(httpd, name)),
      ...loadFileOptions(httpd, model),
      '-f',
      path.join(copyFolder, 'files', '0.conf'),
    ];
    const checkResult = (warnings: readonly ServerMessage[]): CheckResult => ({
      way: 'copy',
      problems: sortedInReadingOrder(problems, copy),
      warnings: warningsOf(warnings.map(writtenCopy.withOriginalPlace), (file) => file),
      unchecked: sortedInReadingOrder([...uncheckedMessages, ...skippedMessages()], copy),
      assumedModules,
      neededModules,
    });
    let isMpmAdded = false;
    const skippedMessages = () =>
      skippedLines(copy, {
        release: { major: 2, minor: 4, patch: Number(httpd.version.split('.')[2]) },
        target,
        modulesAtStart: new Set([
          ...[...httpd.builtInModules].map((source) => moduleNamed(source) ?? source),
          ...options.flatMap((option) => modulesLoadedBy(option)),
        ]),
        startNames: namesOfOptions(defineOptions),
        mayHaveMoreModules: !copy.hasAllLines && model.modules === null,
        filesIncludedBy: writtenCopy.filesIncludedBy,
      }).map(messageOfUncheckedLine);
    const startTime = Date.now();
    for (let runCount = 1; ; runCount++) {
      const { isOk, stderr } = await configTest(httpd, options, environment, signal);
      const { error, warnings } = readServerMessages(stderr, isOk);
      if (!error) return checkResult(warnings);
      const fileIndex = error.file === undefined ? -1 : writtenCopy.indexOf(error.file);
      const { why, isOfLine } = reasonOnThisMachine(error, { copy, index: fileIndex, warnings, model });
      const messages = why === null ? problems : uncheckedMessages;
      const message = (why ?? error.message)
        .replace(/^\S+: (?=Configuration error)/, '')
        .replace(/^\S+\/files\/\d+\.conf:\d+: /, '')
        // The message must not show paths of the copy.
        .replaceAll(`${copyFolder}/root/modules/`, '')
        .replaceAll(`${copyFolder}/root`, model.serverRoot)
        .replaceAll(copyFolder, '');
      const code = why === null ? (error.code ?? null) : null;
      const mpmFile = NO_MPM.test(error.message) ? moduleFile(httpd, 'mod_mpm_event.so') : null;
      if (mpmFile !== null && !isMpmAdded) {
        // Without an MPM, httpd stops after the modules. A server built from source may have an MPM
        // compiled in, which this machine's httpd lacks.
        isMpmAdded = true;
        if (!hasBuiltInMpm(model)) messages.push({ file: null, line: null, code, message });
        options.push('-C', `LoadModule mpm_event_module "${mpmFile}"`);
        continue;
      }
      const accountProblems = error.line === undefined ? removeLinesWithUnknownAccount(copy, error.message) : [];
      if (accountProblems.length > 0) {
        uncheckedMessages.push(...accountProblems.map(({ problem }) => problem));
        for (const { fileIndex } of accountProblems) writtenCopy.write(fileIndex);
        continue;
      }
      if (fileIndex < 0 || error.line === undefined) {
        // The error is about the configuration as a whole, so further runs do not help.
        messages.push({ file: null, line: null, code, message });
        return checkResult([]);
      }
      terminal.showProgress(`${countWithNoun(problems.length, 'error')} so far`);
      const { lines } = copy.files[fileIndex]!;
      const errorRow = Math.max(0, Math.min(error.line, lines.length) - 1);
      const rejectedName = firstWord(lines, errorRow);
      // httpd would report the same error for each line with an unknown or missing directive. All
      // these lines get the message now and are removed from the copy, so that httpd need not run
      // for each.
      const areAllRejected = !isOfLine && isRejectedEverywhere(rejectedName, error, why);
      const logFormatLetter = /^Unrecognized LogFormat directive %(\w)$/.exec(error.message)?.[1];
      const rejectedPlaces = areAllRejected
        ? linesRejectedAlike(copy, rejectedName, { fileIndex, lineIndex: errorRow }).filter(
            (at) =>
              (at.fileIndex === fileIndex && at.lineIndex === errorRow) ||
              hasLogFormatLetter(copy, at, logFormatLetter),
          )
        : [{ fileIndex, lineIndex: errorRow }];
      const textBefore = lines.join('\n');
      for (const { fileIndex, lineIndex } of rejectedPlaces) {
        const { path: pathOfFile, lines: linesOfFile, rows: rowsOfFile } = copy.files[fileIndex]!;
        // The message for each line spells the directive as that line does.
        const messageForLine = message.replace(`'${rejectedName}'`, () => `'${firstWord(linesOfFile, lineIndex)}'`);
        messages.push({
          file: shortPath(pathOfFile),
          line: rowsOfFile[lineIndex] ?? null,
          code,
          message: messageForLine,
        });
        const wantedClosingTag = /^Expected (<\/\S+>) but saw /.exec(error.message)?.[1];
        if (wantedClosingTag !== undefined) copy.files[fileIndex]!.lines[lineIndex] = wantedClosingTag;
        else emptyLogicalLine(copy.files[fileIndex]!.lines, lineIndex, /^Invalid command '</.test(error.message));
        writtenCopy.write(fileIndex);
      }
      const isLineRemoved = lines.join('\n') !== textBefore;
      if (isLineRemoved && runCount < MAX_HTTPD_RUNS && Date.now() - startTime < MAX_TOTAL_RUNNING_MS) continue;
      uncheckedMessages.push(messageOfRest(copy.files[fileIndex]!, errorRow, isLineRemoved ? runCount : null));
      return checkResult([]);
    }
  } finally {
    rmSync(copyFolder, { recursive: true, force: true });
  }
}

/**
 * The beginning of the message about what the last run of httpd did not read. Its place is the line
 * where httpd stopped.
 */
const UNREAD_REST_MESSAGE = 'what httpd reads after this line';

/**
 * The message about the rest of a configuration, at the row of a copied file where httpd stopped.
 * `runs`: the number of runs, if the configuration has more errors than the limits allow to find;
 * otherwise null.
 */
function messageOfRest({ path: file, rows }: CopiedFile, row: number, runs: number | null): VerifyMessage {
  const why =
    runs === null
      ? ''
      : `. httpd stops at the first error, so it ran ${countWithNoun(runs, 'time')}, each time without the lines before. Correct these lines, then run verify again`;
  return { file: shortPath(file), line: rows[row] ?? null, code: null, message: `${UNREAD_REST_MESSAGE}${why}` };
}

/**
 * Whether httpd gives the same error for each line with this name. `why`: the reason that
 * `reasonOnThisMachine` returns.
 */
function isRejectedEverywhere(name: string, { message }: ServerMessage, why: string | null): boolean {
  return !/^(<|Error$)/.test(name) && (why !== null || /^Invalid command /.test(message));
}

/**
 * Returns why this machine causes an error; null if the configuration may cause it. `isOfLine`:
 * whether the reason is in this line, so that httpd may accept other lines with the same directive.
 */
function reasonOnThisMachine(
  error: ServerMessage,
  {
    copy,
    index,
    warnings,
    model,
  }: { copy: CheckCopy; index: number; warnings: readonly ServerMessage[]; model: Model },
): { readonly why: string | null; readonly isOfLine: boolean } {
  const why = reasonOfMachine(error, copy);
  if (why !== null) return { why, isOfLine: /^Unknown (?:DAV|Auth[nz]) provider/.test(error.message) };
  const copiedLines = copy.files[index]?.lines ?? [];
  const errorRow = (error.line ?? 0) - 1;
  const reasonOfLine =
    (hasVariables(model) ? null : reasonOfUnsetVariable(copiedLines[errorRow] ?? '', warnings)) ??
    reasonOfAbsentModule(copy, copiedLines, errorRow);
  return { why: reasonOfLine, isOfLine: reasonOfLine !== null };
}

/** Whether a start file of the server, such as Debian's envvars, sets variables for httpd. */
function hasVariables({ startOptions }: Model): boolean {
  return (startOptions?.environment.size ?? 0) > 0;
}

/**
 * Whether a line has a letter of LogFormat (parse_log_item in mod_log_config.c); true if `letter`
 * is undefined.
 */
function hasLogFormatLetter(
  { files }: CheckCopy,
  { fileIndex, lineIndex }: CopiedLine,
  logFormatLetter: string | undefined,
): boolean {
  if (logFormatLetter === undefined) return true;
  return new RegExp(`(?:^|[^%])(?:%%)*%[<>!,\\d]*(\\{[^}]*\\})?[<>]?${logFormatLetter}`).test(
    files[fileIndex]!.lines[lineIndex]!,
  );
}

/**
 * Whether the server's httpd probably has a compiled-in MPM, judged by its distribution and
 * ServerRoot.
 */
function hasBuiltInMpm({ distribution, serverRoot }: Model): boolean {
  const builtInNames = builtInModules(distribution, serverRoot);
  return ['event', 'worker', 'prefork', 'mpm_winnt'].some((name) => builtInNames?.has(name));
}

/**
 * The modules that every packaged 2.4 loads, if the user changes nothing: the packages of Debian,
 * Red Hat (`isLoadedByRedHat`) and SUSE, and the main file that httpd itself installs. They have
 * the names for `a2enmod`.
 */
const USUAL_MODULES = [
  ...['alias', 'auth_basic', 'authn_core', 'authn_file', 'authz_core', 'authz_host', 'authz_user'],
  ...['autoindex', 'dir', 'env', 'mime', 'reqtimeout', 'setenvif'],
];

/**
 * The modules that a file which is missing in the copy may load: those that the plan names for
 * `a2enmod`, and those that every packaged 2.4 loads. The latter only if no line loads
 * mod_authz_core, without which no 2.4 works: then the missing file has the LoadModule lines. Only
 * modules that come with httpd and that this machine can load. Empty if no file is missing.
 */
async function modulesToAssume(
  { hasAllLines }: CheckCopy,
  { httpd, model: { foundModules }, modulesOfPlan }: Pick<VerifyContext, 'httpd' | 'model' | 'modulesOfPlan'>,
): Promise<readonly string[]> {
  if (hasAllLines) return [];
  const usualModules = foundModules.has('mod_authz_core')
    ? []
    : USUAL_MODULES.filter((name) => !foundModules.has(`mod_${name}`));
  return [...new Set([...(await modulesOfPlan()), ...usualModules])]
    .filter((name) => isFileOfHttpdModule(`mod_${name}.so`) && loadModuleOptions(httpd, name).length > 0)
    .sort();
}

/** Those of the assumed modules that the plan names, or that a line of the configuration uses. */
async function neededModulesAmong(
  assumedModules: readonly string[],
  { model, view, modulesOfPlan }: Pick<VerifyContext, 'model' | 'view' | 'modulesOfPlan'>,
): Promise<readonly string[]> {
  if (assumedModules.length === 0) return [];
  const namesOfPlan = await modulesOfPlan();
  const usedModules = modulesUsedIn([...model.files.keys()].flatMap((file) => view.read(file) ?? []));
  return assumedModules.filter((name) => namesOfPlan.includes(name) || usedModules.has(`mod_${name}`));
}

/**
 * Options that load a module before the configuration is read, as `a2enmod` does on the server:
 * the modules that it needs come first. Empty if the module is not installed here.
 */
function loadModuleOptions(httpd: Httpd, name: string): string[] {
  const file = httpd.builtInModules.has(`mod_${name}.c`) ? null : moduleFile(httpd, `mod_${name}.so`);
  if (file === null) return [];
  const neededModules = module(`mod_${name}`)?.loadAfter ?? [];
  return [
    ...neededModules.flatMap((each) => loadModuleOptions(httpd, each.replace(/^mod_/, ''))),
    '-C',
    `LoadModule ${name}_module "${file}"`,
  ];
}

/**
 * The module that an argument of httpd with a LoadModule line loads, by its name in the manual.
 * Empty for other arguments.
 */
function modulesLoadedBy(argument: string): readonly string[] {
  const identifier = /^LoadModule (\w+) /.exec(argument)?.[1];
  return identifier === undefined ? [] : [moduleNamed(identifier) ?? identifier];
}

/**
 * Options that load the files which modules of a Windows configuration need, but not as modules.
 * Windows does that itself when it loads a module. Empty for other systems.
 */
function loadFileOptions(httpd: Httpd, { foundModules, distribution, serverRoot }: Model): string[] {
  const isWindows = distribution === 'windows' || isWindowsServerRoot(serverRoot);
  if (!isWindows || !httpd.builtInModules.has('mod_so.c')) return [];
  const neededModules = new Set([...foundModules].flatMap((name) => module(name)?.loadAfter ?? []));
  return [...neededModules].flatMap((name) => {
    const file = moduleFile(httpd, `${name}.so`);
    return file === null ? [] : ['-C', `LoadFile "${file}"`];
  });
}

/**
 * Matches the message for an unknown account, which names no line (ap_uname2id and ap_gname2id in
 * server/util.c).
 */
const UNKNOWN_ACCOUNT = /bad (user|group) name (\S+)/;

/** The lines of these directives in the copy that contain a word. */
function linesWithWord({ files }: CheckCopy, names: readonly string[], word: string): CopiedLine[] {
  const hasWord = (line: string) => line.split(/[\s"']+/).includes(word);
  return files.flatMap(({ lines }, fileIndex) =>
    names
      .flatMap((name) => lastRowsOf(lines, name))
      .filter((lineIndex) => hasWord(lines[lineIndex]!))
      .map((lineIndex) => ({ fileIndex, lineIndex })),
  );
}

/** A logical line of a file in the copy, identified by its last physical line. */
interface CopiedLine {
  /** Index into `CheckCopy.files`. */
  readonly fileIndex: number;
  /** Index into the lines of that file. */
  readonly lineIndex: number;
}

/** The lines with this name that httpd rejects for the same reason as the line `rejected`. */
function linesRejectedAlike({ files }: CheckCopy, name: string, rejected: CopiedLine): CopiedLine[] {
  return files.flatMap(({ lines }, fileIndex) => {
    const isConditional = areLinesConditional(lines);
    return lastRowsOf(lines, name)
      .filter(
        (lineIndex) =>
          (fileIndex === rejected.fileIndex && lineIndex === rejected.lineIndex) || !isConditional[lineIndex],
      )
      .map((lineIndex) => ({ fileIndex, lineIndex }));
  });
}

/**
 * For each line, whether it is inside a condition that may be false in 2.4. httpd itself reports an
 * error in such a line if it reads the line.
 */
function areLinesConditional(lines: readonly string[]): readonly boolean[] {
  const openConditions: boolean[] = [];
  return lines.map((line) => {
    if (/^\s*<\/If[a-z]+/i.test(line)) openConditions.pop();
    else if (/^\s*<If[a-z]+/i.test(line)) openConditions.push(/^\s*<If(?:Version|Define|Module\s+["']?!)/i.test(line));
    return openConditions.includes(true);
  });
}

/** Sorts messages by the order in which httpd reads the files, and then by line. */
function sortedInReadingOrder(messages: VerifyMessage[], { files }: CheckCopy): VerifyMessage[] {
  const positionByPath = new Map(files.map((file, index) => [shortPath(file.path), index]));
  const positionOf = ({ file }: VerifyMessage) => (file === null ? -1 : (positionByPath.get(file) ?? files.length));
  return messages.sort((a, b) => positionOf(a) - positionOf(b) || (a.line ?? -1) - (b.line ?? -1));
}

/** How to write the lines of the copy. */
interface WriteCopyOptions {
  encodingOf(file: string): Encoding;
  /** Whether the copy may name this path: it is in the copy, or is a module of this machine. */
  isReadable(file: string): boolean;
}

/**
 * Writes the copy to the disk, and maps its files to the originals. Throws before it writes
 * anything if a line might read a file outside of the copy.
 */
function writeCopy(
  { files, filesByIncludeFolder }: CheckCopy,
  copyFolder: string,
  { encodingOf, isReadable }: WriteCopyOptions,
) {
  const write = (index: number) => {
    const { path: file, lines } = files[index]!;
    const copiedText = lines.join('\n');
    const bytes = Buffer.from(encode(copiedText, encodingOf(file)) ?? Buffer.from(copiedText));
    // The check reads bytes, as httpd does, whatever the encoding of the text is.
    for (const line of bytes.toString('latin1').split('\n'))
      if (whyLineIsRefused(line, isReadable) !== null)
        throw new Error(`${file}: this line cannot be verified: ${line}`);
    writeFileSync(path.join(copyFolder, 'files', `${index}.conf`), bytes);
  };
  files.forEach((_, index) => write(index));
  const targetByLink = new Map<string, number>();
  for (const [name, targets] of filesByIncludeFolder) {
    mkdirSync(path.join(copyFolder, 'include', name));
    targets.forEach((target, position) => {
      const link = path.join(copyFolder, 'include', name, `${String(position).padStart(5, '0')}.conf`);
      symlinkSync(path.join(copyFolder, 'files', `${target}.conf`), link);
      targetByLink.set(link, target);
    });
  }
  const indexOf = (file: string): number => {
    const fileNumber = targetByLink.get(file) ?? Number(/\/files\/(\d+)\.conf$/.exec(file)?.[1] ?? -1);
    return file.startsWith(`${copyFolder}/`) && fileNumber < files.length ? fileNumber : -1;
  };
  const filesIncludedBy = (pathOrPattern: string): readonly number[] => {
    const folderName = /\/include\/(\d+)\/\*\.conf$/.exec(pathOrPattern)?.[1];
    if (folderName !== undefined) return filesByIncludeFolder.get(folderName) ?? [];
    const index = indexOf(pathOrPattern);
    return index < 0 ? [] : [index];
  };
  const withOriginalPlace = (message: ServerMessage): ServerMessage => {
    const { file, line } = message;
    const copiedFile = file === undefined ? undefined : files[indexOf(file)];
    if (!copiedFile) return message;
    const originalRow = line === undefined ? undefined : copiedFile.rows[line - 1];
    return { ...message, file: copiedFile.path, ...(originalRow === undefined ? {} : { line: originalRow + 1 }) };
  };
  return { write, indexOf, filesIncludedBy, withOriginalPlace };
}

/**
 * The warnings that are about the configuration, not about this machine. `localPath`: see
 * `messageAt`.
 */
function warningsOf(warnings: readonly ServerMessage[], localPath: (file: string) => string): VerifyMessage[] {
  return warnings
    .filter(({ code }) => code === undefined || !CODES_ABOUT_THIS_MACHINE.test(code))
    .map((each) => messageAt(each, localPath));
}

/**
 * A message of httpd in the form of the result. `localPath` returns the path of a file on this
 * machine.
 */
function messageAt({ file, line, code, message }: ServerMessage, localPath: (file: string) => string): VerifyMessage {
  return {
    file: file === undefined ? null : shortPath(localPath(file)),
    line: line === undefined ? null : line - 1,
    code: code ?? null,
    message,
  };
}

/** The message about a line that the copy left out. */
function messageOfUncheckedLine({ file, line, reason }: UncheckedLine): VerifyMessage {
  return { file: shortPath(file), line, code: null, message: reason };
}
