/** Runs the commands. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Engine, PlacedFinding } from '../analysis/engine';
import {
  questionIdOrFallback,
  isForBothVersions,
  certainlyRuns22,
  STANDALONE_QUESTION_ID,
  offeredChoices,
  questionId,
  type AnswerSet,
} from '../analysis/answers';
import { reasonInFile } from '../analysis/refusal-text';
import type { GapReason, ModelGap } from '../config/model';
import { questionTextOf, type CommentedOut, type UpgradePlan } from '../analysis/upgrade-plan';
import { fixability } from '../analysis/fixes';
import { shellPath, shellWord } from '../syntax/shell-word';
import { openQuestion } from '../access/open-question';
import { isHtaccessName } from '../config/configurations';
import { isCertainMainFileTree, isMainFileTree } from '../config/file-summary';
import { OLD_ACCESS_NAMES } from '../access/read';
import { namesIn } from '../config/name-set';
import {
  openQuestionId,
  openQuestionTexts,
  RUNNING_VERSION_QUESTION,
  type OpenQuestion,
} from '../access/open-question';
import { targetName } from '../config/target';
import type { RecordKind } from '../host/change-home';
import { isArchive, isCollected } from '../host/collected';
import { encode } from '../host/decode';
import type { ServerError } from '../analysis/open-steps';
import type { OnServerItem } from '../analysis/server-tasks';
import { explain as explainProblem } from '../host/node';
import { convertDormant, type DormantFileResult } from '../features/dormant-file';
import type { ExplainOptions } from '../features/explain';
import { diskFileView } from '../host/node-files';
import { isUnusedCopy } from '../directives/recognize';
import { CopiesOfMainFiles, originalFinder } from './main-file-copies';
import { ALL_RULES } from '../rules/all';
import { orderAllowDeny } from '../rules/order-allow-deny';
import { phpDirective } from '../rules/php-directive';
import { SEVERITIES, type Fix, type Severity } from '../rules/rule';
import { thirdPartyAdvice } from '../rules/third-party-module';
import { optionsFor } from '../settings/options';
import { optionRows } from './answer-options';
import { FilesWithOldLines } from './left-lines';
import { readArguments, type Arguments, type CommonArguments } from './arguments';
import { exclusionTest, expandPatterns } from './exclude';
import {
  filesInFolders,
  linkOutOfCheckout,
  serverFoldersOf,
  inputFiles,
  reportEmptyFolder,
  type InputFile,
} from './files';
import { isPhpFile, phpFiles } from './php-files';
import { findingsInPhp } from '../features/lines-in-php';
import type { Inputs } from './inputs';
import { Output } from './output';
import { isWithin } from '../config/files';
import { runToEnd } from '../config/resumable';
import { addTo, groupedBy } from '../syntax/groups';
import { lazy } from '../syntax/memory';
import type { PlannedProjectFile, GatheredPlan, PlanGatherer } from '../features/plan';
import { commentsLeftIn } from '../features/plan-findings';
import { settingsFor, UnusableSettingsError, type CliSettings } from './settings';
import { addToSummary, newSummary, reportFor, type Summary } from './report';
import { STDIN, readStreams } from './streams';
import { newChangedFilesOutput } from './changed-files';
import type { MainFilesBeside, PlanTextOptions, StoredAnswers } from './plan-text';
import { isOnlyServerNote, isSolvedOnServer } from '../analysis/on-server';
import { inactiveText } from '../rules/inactive-text';
import { mayHavePhpSettingComment } from '../rules/support/php';
import { countWithNoun, printable, Terminal } from './terminal';
import { wrapTextAfter, wrapText } from './wrap';
import type { FixedFile, Writer } from './written';
import { projectOfPaths, type ProjectOfPaths } from './project-of-paths';
import { Tree } from '../syntax/document';
import { forEachItem, Section, type List } from '../syntax/tree';
import { jsonWithVisibleText } from '../syntax/hidden-text';
import { shortPath } from './short-path';
import { noteUnusualNames } from './unusual-names';

type CommandOf<C extends Arguments['command']> = Extract<Arguments, { command: C }>;

/**
 * Runs a command line, without the program's name, and returns the exit code; null if the program
 * keeps running.
 */
export async function main(argv: readonly string[]): Promise<number | null> {
  try {
    return await runCommand(readArguments(argv));
  } catch (error) {
    if (error instanceof UnusableSettingsError) return 2;
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Runs a parsed command. If archives or directories of `collect` are among its paths, it runs with
 * the main files in them. Returns the exit code, or null as in `main`.
 */
async function runCommand(commandArguments: Arguments): Promise<number | null> {
  if ('paths' in commandArguments && commandArguments.givenPaths === undefined) {
    if (isOutputUseless(commandArguments)) {
      terminalFor(commandArguments).reportFailure(
        `--output is only for an archive of "collect", and ${commandArguments.command} changes other files in their place: copy the files, and run ${commandArguments.command} on the copy without --output`,
      );
      return 2;
    }
    for (const { from, to } of commandArguments.server.map?.entries ?? [])
      if (!existsSync(to))
        terminalFor(commandArguments).note(`--map: ${to} does not exist, so no file of ${from} is read there`);
    if (commandArguments.paths.some(isCollected))
      return (await import('./collected')).runOnCollected(commandArguments, terminalFor(commandArguments), runCommand);
  }
  switch (commandArguments.command) {
    case 'check':
      return check(commandArguments);
    case 'fix':
      return fix(commandArguments);
    case 'format':
      return format(commandArguments);
    case 'plan':
      return plan(commandArguments);
    case 'migrate':
      return migrate(commandArguments);
    case 'verify':
      return verify(commandArguments);
    case 'undo':
      return undo(commandArguments);
    case 'includes':
      return includes(commandArguments);
    case 'explain':
      return explain(commandArguments);
    case 'explain-access':
      return explainAccess(commandArguments);
    case 'explain-request':
      return explainRequest(commandArguments);
    case 'collect':
      process.stdout.write((await import('./collected')).collectScript());
      return 0;
    case 'access':
    case 'access-diff':
    case 'requests':
    case 'compare':
      return access(commandArguments);
    case 'completion':
      process.stdout.write((await import('./completion-script')).completionScript(commandArguments.shell));
      return 0;
    case 'server':
      await import('../node');
      return null;
    case 'mcp':
      await (await import('./mcp')).startMcp(main, commandArguments.allowsVerify);
      return 0;
    case 'rules':
      process.stdout.write((await import('./rules')).rulesText(commandArguments.format, new Terminal()));
      return 0;
    case 'man':
      process.stdout.write((await import('./man-page')).manPage());
      return 0;
    case 'help':
      process.stdout.write(commandArguments.text);
      return 0;
    case 'version':
      process.stdout.write(`httpd-upgrade ${(await import('./version')).version()}\n`);
      return 0;
    case 'nothing':
      process.stderr.write(commandArguments.text);
      return 2;
    case 'wrong':
      process.stderr.write(
        `httpd-upgrade: ${printable(commandArguments.reason)}\nTry "httpd-upgrade ${commandArguments.helpCommand === null ? '' : `${commandArguments.helpCommand} `}--help".\n`,
      );
      return 2;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** Runs `check`. Returns the exit code. */
async function check(commandArguments: CommandOf<'check'>): Promise<number> {
  const terminal = terminalFor(commandArguments, commandArguments.output);
  const baseline =
    commandArguments.baseline === null
      ? null
      : (await import('./baseline')).readBaseline(commandArguments.baseline, terminal);
  if (commandArguments.baseline !== null && baseline === null) return 2;
  const output = openOutput(commandArguments.output, terminal);
  if (!output) return 2;
  const settings = settingsFor(commandArguments, terminal);
  await warnOfUnfinished(terminal, commandArguments.paths);
  let emptyFolders: string[] = [];
  const inputs = await readInputs(commandArguments, terminal, commandArguments.stdinName, (folder) =>
    emptyFolders.push(folder),
  );
  const knownFindings = new WeakSet<PlacedFinding>();
  const report = reportFor(commandArguments.format, {
    terminal,
    write: (text) => output.write(text),
    argumentsToRepeat: [
      ...(commandArguments.stdinName === null ? [] : ['--stdin-filename', shellWord(commandArguments.stdinName)]),
      argumentsToRepeat(commandArguments),
    ].join(' '),
    argumentsToRepeatForWriting: argumentsToRepeatForWriting(commandArguments),
    isInputPiped: inputs.streams.length > 0,
    questionIdOf: (file, openQuestion) => questionIdOrFallback(openQuestion, settings.engineOf(file).answerSet),
    isKnown: baseline ? (finding) => knownFindings.has(finding) : null,
  });
  const summary = newSummary();
  /**
   * Counts the problems that decide the exit code: those that are not in the baseline, or all
   * problems if there is no baseline.
   */
  const countedProblems = baseline ? newSummary() : summary;
  let knownProblems = 0;
  const filesRead = await readFiles(commandArguments, settings, terminal, inputs);
  const withKnownMarked = function* (file: InputFile, findings: Iterable<PlacedFinding>): Generator<PlacedFinding> {
    for (const finding of findings) {
      const isKnownProblem = baseline?.isKnown(file.path, file.tree, finding) === true;
      if (isKnownProblem) {
        knownFindings.add(finding);
        knownProblems++;
      } else if (countedProblems !== summary) addToSummary(countedProblems, finding);
      if (isKnownProblem && commandArguments.baseline?.showsOnlyNew) continue;
      addToSummary(summary, finding);
      yield finding;
    }
  };
  const isUnreadFile = unreadFileTest(inputs, settings, filesRead);
  const copies = new CopiesOfMainFiles<FixResult>(settings.isUnused, terminal);
  // Only the formats text and json show parts of the plan. The other formats show only the
  // problems.
  const plan =
    commandArguments.format === 'text' || commandArguments.format === 'json'
      ? await makePlanGatherer(settings, filesRead)
      : null;
  for await (const file of filesInTurn(inputs, settings, filesRead)) {
    // Problems in a file that the server does not read cannot keep the server from starting.
    if (!inputs.streams.includes(file) && isUnreadFile(file)) {
      addUnreadFile(plan, file, copies, filesRead);
      continue;
    }
    if (plan) runToEnd(plan.addFile(fileOfPlan(file, filesRead)));
    summary.files++;
    baseline?.registerFile(file.path, file.tree, () => filesRead.findings(file));
    report.file(file.path, file.tree, withKnownMarked(file, filesRead.findings(file)));
    await output.waitForReader();
  }
  if (commandArguments.readsPhpStrings) {
    for await (const file of phpFiles(inputs.paths.concat(inputs.phpPaths), inputs.isExcluded, filesRead.snapshot)) {
      const remarks = findingsInPhp(file.tree.text(), settings.engineOf(file.path));
      if (remarks.length === 0) continue;
      summary.files++;
      emptyFolders = emptyFolders.filter((folder) => !isWithin(path.resolve(file.path), path.resolve(folder)));
      baseline?.registerFile(file.path, file.tree, () => remarks);
      report.file(file.path, file.tree, withKnownMarked(file, remarks));
      await output.waitForReader();
    }
  }
  emptyFolders.forEach((folder) => reportEmptyFolder(folder, terminal));
  noteFilesOutside(filesRead, terminal);
  noteUnusualNames(filesRead, leftOutTest(inputs, settings), terminal);
  const finishedPlan = plan && (await finishPlan(plan, { inputs, settings, filesRead })).plan;
  noteMissingIncludes(filesRead, finishedPlan, terminal);
  report.end(summary, {
    notes: filesRead.project.conversionNotes(shortPath),
    knownProblems:
      commandArguments.baseline && !commandArguments.baseline.updatesFile
        ? { count: knownProblems, isHidden: commandArguments.baseline.showsOnlyNew }
        : null,
    plan: finishedPlan,
  });
  await output.end();
  if (baseline) {
    if (baseline.resolvedCount > 0 && !commandArguments.baseline!.updatesFile)
      terminal.note(
        `${countWithNoun(baseline.resolvedCount, 'known problem')} ${baseline.resolvedCount === 1 ? 'is' : 'are'} gone: --update-baseline writes the baseline again`,
      );
    if (baseline.renamedFileCount > 0 && !commandArguments.baseline!.updatesFile)
      terminal.note(
        `${countWithNoun(baseline.renamedFileCount, 'file')} of the baseline ${baseline.renamedFileCount === 1 ? 'has a new name' : 'have new names'}: --update-baseline writes the baseline again`,
      );
    baseline.save();
  }
  return exitCode(terminal, countedProblems, commandArguments.failOn);
}

/**
 * Reads the streams among the paths of a command, and expands patterns. The files at the other
 * paths are read later. `onEmpty` is called for a directory without configuration.
 */
async function readInputs(
  commandArguments: CommonArguments & Pick<Arguments, 'command'>,
  terminal: Terminal,
  stdinName: string | null = null,
  onEmpty = (folder: string) => reportEmptyFolder(folder, terminal),
): Promise<Inputs> {
  const { streams, paths: pathsWithoutStreams } = await readStreams(commandArguments.paths, stdinName, terminal);
  const expandedPaths = await expandPatterns(pathsWithoutStreams, terminal);
  const phpPaths = expandedPaths.filter(isPhpFile);
  if (commandArguments.command !== 'check')
    for (const file of phpPaths)
      terminal.note(`${file}: PHP code is never changed. To see the lines in its strings, run "httpd-upgrade check"`);
  const configurationPaths = expandedPaths.filter(
    (file) => !isPhpFile(file) && !(mayWrite(commandArguments) && reportLinkOutOfCheckout(file, terminal)),
  );
  const isExcluded = exclusionTest(commandArguments.exclude, configurationPaths, terminal);
  // A command may read the files twice, but notes an empty directory once.
  const notedFolders = new Set<string>();
  const noteOnce = (folder: string) => {
    if (!notedFolders.has(folder)) onEmpty(folder);
    notedFolders.add(folder);
  };
  return {
    paths: configurationPaths,
    unreadPaths: commandArguments.unreadPaths ?? [],
    phpPaths,
    streams,
    isExcluded,
    async *files(filesRead) {
      yield* streams;
      const files = [...configurationPaths, ...filesRead.furtherFiles];
      yield* inputFiles(files, terminal, filesRead.findFileAlreadyRead, isExcluded, filesRead.snapshot, noteOnce);
    },
  };
}

/** Whether a command changes files. */
function mayWrite(commandArguments: CommonArguments & Pick<Arguments, 'command'>): boolean {
  return (
    ('write' in commandArguments && commandArguments.write === true) ||
    ('mode' in commandArguments && commandArguments.mode === 'write')
  );
}

/** Reports a named path that leads out of its checkout through a link. Returns whether it does. */
function reportLinkOutOfCheckout(namedPath: string, terminal: Terminal): boolean {
  const target = linkOutOfCheckout(namedPath);
  if (target === null) return false;
  terminal.reportProblem(
    namedPath,
    `is a link out of its checkout, to ${target}; not written. To change that, give its own path`,
  );
  return true;
}

/**
 * The terminal for the messages of a command. `output`: the file for its result; null for standard
 * output.
 */
function terminalFor(commandArguments: CommonArguments, output: string | null = null): Terminal {
  return new Terminal({
    color: commandArguments.color,
    isQuiet: commandArguments.isQuiet,
    writesToFile: output !== null,
  });
}

/** Opens the file for the result. If it cannot be written, reports that and returns null. */
function openOutput(file: string | null, terminal: Terminal): Output | null {
  try {
    return new Output(file);
  } catch (error) {
    const { code, message } = explainProblem(error);
    // A missing file would have been created, so the directory is missing.
    terminal.reportProblem(
      file ?? '',
      code === 'missing' ? 'cannot be written: its directory does not exist' : message,
    );
    return null;
  }
}

/**
 * Writes the fixed files, and records that the directories of their configurations are converted
 * from 2.2. Returns the files that were written.
 */
async function writeFixedFiles(
  writer: Writer,
  resultsToWrite: readonly FixResult[],
  {
    includesSuggestions,
    settings,
    filesRead,
    fixResultOf,
  }: {
    readonly includesSuggestions: boolean;
    readonly settings: CliSettings;
    readonly filesRead: ProjectOfPaths;
    readonly fixResultOf: (file: InputFile) => FixResult;
  },
): Promise<readonly FixResult[]> {
  // Must be computed before writing, because the written files have only lines of 2.4.
  const filesOf22 = filesRead.project.filesOf22(resultsToWrite.map(({ file }) => filesRead.realPathOf(file.path)));
  const filesWithEngine = (fits: (engine: Engine) => boolean) =>
    resultsToWrite.map(({ file }) => file.path).filter((file) => fits(settings.engineOf(file)));
  const convertedPaths = [
    ...(includesSuggestions ? [] : filesOf22),
    ...filesWithEngine(({ answerSet }) => certainlyRuns22(answerSet)),
  ];
  const upgradedPaths = [...filesOf22, ...filesWithEngine((engine) => engine.isFrom22)];
  const includedRealPaths = new Set(filesRead.furtherFiles.map(filesRead.realPathOf));
  const { whyRootMustNotWrite } = await import('./include-owners');
  const whyNotForRoot = whyRootMustNotWrite(filesRead.project.configurationModels);
  const writtenFiles = await writer.write(resultsToWrite, {
    furtherTargets: filesRead.changeableFiles.map(filesRead.realPathOf),
    whyNotWritten: (file) => {
      const realPath = filesRead.realPathOf(file);
      return includedRealPaths.has(realPath) ? whyNotForRoot(realPath) : null;
    },
    recordRefusals: (problems) => filesRead.markUnwritable(problems),
    fixWithoutRefused: ({ file }) => fixResultOf(file),
  });
  if (writtenFiles.length > 0) await rememberConverted({ converted: convertedPaths, upgraded: upgradedPaths });
  return writtenFiles;
}

/**
 * Whether a file that the user did not name is a program, such as a shell script. Notes it for the
 * user. An Include with a wildcard can lead to one, and `fix` must not change it: `case` at the
 * start of a line looks like a misspelled directive.
 */
function isProgram(
  { path: file, tree }: InputFile,
  isNamedByUser: (file: string) => boolean,
  terminal: Terminal,
): boolean {
  if (!tree.text().startsWith('#!') || isNamedByUser(file)) return false;
  terminal.note(`${file}: begins with #!, so it is a program and no configuration: it is not changed`);
  return true;
}

/**
 * Reports that the fixes of a file are left out, because a link or a main file leads to it and it
 * is outside of the given paths.
 */
function reportFileOutside(file: InputFile, filesRead: ProjectOfPaths, terminal: Terminal, isWrite: boolean): void {
  if (!filesRead.project.hasWithheldFixes(filesRead.projectFileOf(file))) return;
  const target = filesRead.realPathOf(file.path);
  const outsideText =
    target === path.resolve(file.path)
      ? 'is outside of what was given, and the main file is not where a server has it'
      : `leads to ${target}, which is not among what was given`;
  const howToChange = 'To change it, add this path to the command.';
  if (isWrite) terminal.reportProblem(file.path, `${outsideText}; not written. ${howToChange}`);
  else terminal.note(`${file.path}: ${outsideText}: its fixes are left out. ${howToChange}`);
}

/**
 * For --dormant: records the old lines that are still in a file. A main file beside the given one
 * is left out with a note: another server may read it, so it does not count as unread.
 */
function noteOldLines(
  { file, dormantResult }: FixResult,
  isUnread: boolean,
  {
    fixArguments,
    terminal,
    filesWithOldLines,
  }: {
    readonly fixArguments: CommandOf<'fix'>;
    readonly terminal: Terminal;
    readonly filesWithOldLines: FilesWithOldLines;
  },
): void {
  if (!dormantResult) return;
  if (isUnread || !isOtherMainFile(file, fixArguments.givenPaths ?? fixArguments.paths)) {
    filesWithOldLines.addFile(file, dormantResult);
    return;
  }
  const shownPath = shortPath(file.path);
  terminal.note(
    `${printable(shownPath)} stays: it looks like a main configuration file, too. To convert it: httpd-upgrade plan ${printable(shellPath(shownPath))}`,
  );
}

/** Whether a file is a main file with old access lines that the user did not name. */
function isOtherMainFile(file: InputFile, givenPaths: readonly string[]): boolean {
  const fullPath = path.resolve(file.path);
  const isInGivenPath = givenPaths.some((each) => isWithin(fullPath, path.resolve(each)));
  if (isInGivenPath || !isMainFileTree(file.tree.root, file.path)) return false;
  return namesIn(file.tree.root).hasSome((name) => OLD_ACCESS_NAMES.has(name));
}

/** For --dormant: the last rows, about files that keep old lines. Empty if there are none. */
function filesWithOldLinesText(commandArguments: CommandOf<'fix'>, filesWithOldLines: FilesWithOldLines): string {
  const commandOf = (words: string, file?: string) => {
    const repeatedArguments = argumentsToRepeat(
      file === undefined ? commandArguments : { ...commandArguments, paths: [], givenPaths: undefined },
    );
    return ['httpd-upgrade', words, repeatedArguments, file]
      .filter((each) => each !== undefined && each !== '')
      .join(' ');
  };
  return filesWithOldLines
    .rows(commandOf)
    .map((row) => `${row}\n`)
    .join('');
}

/** Whether a fix turns settings of PHP into comments. */
function movesPhpSettings({ before, after }: FixResult): boolean {
  return before !== after && mayHavePhpSettingComment(after) && !mayHavePhpSettingComment(before);
}

/** Records the directories of files that are converted, so that later runs know it. */
async function rememberConverted(files: Readonly<Record<RecordKind, readonly string[]>>): Promise<void> {
  const foldersOf = (kind: RecordKind) => files[kind].map((file) => path.dirname(path.resolve(file)));
  const changeHome = await import('../host/change-home');
  changeHome.rememberConverted({ converted: foldersOf('converted'), upgraded: foldersOf('upgraded') });
}

/**
 * Runs `fix`. `isStep`: whether it is a step of `migrate`, which itself shows what to do next.
 * Returns the exit code.
 */
async function fix(originalArguments: CommandOf<'fix'>, { isStep = false } = {}): Promise<number> {
  const fixArguments = withFoldersOfMainFiles(originalArguments);
  const terminal = terminalFor(fixArguments);
  const writer = fixArguments.write ? await openWriter(terminal) : null;
  if (fixArguments.write && !writer) return 2;
  if (!fixArguments.write) await warnOfUnfinished(terminal, fixArguments.paths);
  const output = new Output();
  const inputs = await readInputs(fixArguments, terminal, fixArguments.stdinName);
  await writer?.allowPaths(inputs.paths);
  if (fixArguments.write && inputs.streams.length > 0) {
    terminal.reportFailure('--write needs files: what comes from a pipe is fixed to standard output');
    return 2;
  }
  /**
   * `problemsAfterFixes` counts the problems in the fixed texts. `problemsNow` counts the problems
   * that the files have after the run; without --write, these are all problems.
   */
  const problemsAfterFixes = newSummary();
  const problemsNow = newSummary();
  /** The number of remaining problems that the plan lists as changes of files. */
  let remainingInFiles = 0;
  /** The number of remaining problems that the plan lists as tasks on the server. */
  let remainingOnServer = 0;
  const changesOutput = newChangedFilesOutput(fixArguments.format, { isWritten: fixArguments.write, terminal, output });
  let appliedFixes = 0;
  let changedFiles = 0;
  const { commandArguments, settings, filesRead } = await readFilesForFix(fixArguments, terminal, inputs);
  const isUnreadFile = unreadFileTest(inputs, settings, filesRead);
  const isNamedByUser = namedFileTest(inputs, filesRead);
  await noteFilesAside(commandArguments, { inputs, settings, filesRead, isStep }, terminal);
  const fixResultOf = (file: InputFile): FixResult => {
    if (commandArguments.changesOnlyDormant)
      return fixUnreadParts(file, filesRead, { isUnread: isUnreadFile(file), mayServerRead: isNamedByUser(file.path) });
    return fixFile(file, { commandArguments, settings, filesRead, fixesThroughOthers });
  };
  const fixesThroughOthers = new FixesThroughOthers(filesRead, commandArguments);
  const copies = new CopiesOfMainFiles<FixResult>(settings.isUnused, terminal, !isStep);
  const filesWithOldLines = new FilesWithOldLines(filesRead, isNamedByUser);
  const countProblems = (result: FixResult, { isFixed, isWritten }: { isFixed: boolean; isWritten: boolean }) => {
    const { file } = result;
    const findingsAfterFixes = fixesThroughOthers.findingsLeft(result);
    const isForBoth = isForBothVersions(settings.engineOf(file.path).answerSet);
    for (const finding of isFixed ? findingsAfterFixes : filesRead.findings(file)) {
      addToSummary(problemsAfterFixes, finding);
      // In the plan, such a problem is only a note.
      if (isForBoth && finding.isReadByBoth) continue;
      if (isChangeOfFile(finding)) remainingInFiles++;
      else if (finding.rule !== inactiveText) remainingOnServer++;
    }
    for (const finding of isWritten ? findingsAfterFixes : filesRead.findings(file)) addToSummary(problemsNow, finding);
  };
  /**
   * The questions that hold back fixes, by their ids. Each has one item for each problem that waits
   * for the answer. They are collected from the original files, because the fixed texts can have
   * other problems.
   */
  const openQuestionsById = new Map<string, OpenQuestion[]>();
  const asksAfterwards = writer !== null && !commandArguments.unsafe && !isStep && !commandArguments.changesOnlyDormant;
  /** With `--keep-both`: texts about the sections that are not converted, and why. */
  const unconvertedSections: string[] = [];
  const leftComments: CommentedOut[] = [];
  let hasMovedPhpSettings = false;
  const resultsToWrite: FixResult[] = [];
  const isPrintedWhole = changesOutput.isText && !commandArguments.showsDiff;
  for await (const file of inputs.files(filesRead)) {
    const isUnread = !inputs.streams.includes(file) && isUnreadFile(file);
    if (isProgram(file, isNamedByUser, terminal) || isLeftOut(file, isUnread, commandArguments, copies)) continue;
    const fixResult = fixResultOf(file);
    reportFileOutside(file, filesRead, terminal, fixArguments.write);
    const isChanged = fixResult.before !== fixResult.after;
    hasMovedPhpSettings ||= movesPhpSettings(fixResult);
    noteOldLines(fixResult, isUnread, { fixArguments, terminal, filesWithOldLines });
    // With --dormant, a file that the server reads is skipped unless the fix changes unread parts
    // of it.
    if (commandArguments.changesOnlyDormant && !isUnread && !isChanged) continue;
    problemsAfterFixes.files++;
    if (asksAfterwards)
      addOpenQuestions(
        openQuestionsById,
        findingsWithQuestions(commandArguments, filesRead.findings(file)),
        settings.engineOf(file.path).answerSet,
      );
    unconvertedSections.push(...unconvertedSectionsToList(file, filesRead, commandArguments));
    writer?.temporaryPlaces.addFile(file, fixResult.before, isMainFileTree(file.tree.root, file.path));
    leftComments.push(...commentsLeftBy(fixResult, commandArguments, filesRead));
    copies.addResult(fixResult);
    if (writer && isChanged) resultsToWrite.push(fixResult);
    else
      fixesThroughOthers.countAfterOtherFixes(fixResult, () =>
        countProblems(fixResult, { isFixed: !writer, isWritten: false }),
      );
    if (!isChanged) writer?.recordUnchanged(fixResult);
    const isFilePrinted = isPrintedWhole && inputs.streams.includes(file);
    if (isFilePrinted) output.write(encode(fixResult.after, file.encoding) ?? fixResult.after);
    if (writer || !isChanged) continue;
    changedFiles++;
    appliedFixes += fixResult.fixes;
    terminal.clearProgress();
    if (!isFilePrinted) await changesOutput.addChange(fixResult);
    await output.waitForReader();
  }
  const changesOfCopies = copies.results();
  const writtenResults = writer
    ? await writeFixedFiles(writer, [...resultsToWrite, ...changesOfCopies], {
        includesSuggestions: commandArguments.unsafe,
        settings,
        filesRead,
        fixResultOf: (file) => copies.resultOf(file, fixResultOf),
      })
    : [];
  const writtenByFile = new Map(writtenResults.map((each) => [each.file, each]));
  for (const plannedResult of resultsToWrite) {
    const writtenResult = writtenByFile.get(plannedResult.file);
    countProblems(writtenResult ?? plannedResult, {
      isFixed: writtenResult !== undefined,
      isWritten: writtenResult !== undefined,
    });
    if (!writtenResult) continue;
    changedFiles++;
    appliedFixes += writtenResult.fixes;
    await changesOutput.addWrittenFile(writtenResult, countWithNoun(writtenResult.fixes, 'fix'));
  }
  await copies.showChanges(changesOfCopies, changesOutput, commandArguments.write, writtenByFile);
  const areAllWritten = resultsToWrite.every(({ file }) => writtenByFile.has(file));
  fixesThroughOthers.unchangedFiles.forEach((each) =>
    countProblems(each, { isFixed: areAllWritten, isWritten: areAllWritten }),
  );
  changesOutput.end(problemsAfterFixes);
  await output.flush();
  terminal.clearProgress();
  if (!isStep)
    changesOutput.summary(
      fixSummary(commandArguments, {
        ...{
          changedFiles,
          appliedFixes,
          unwrittenFixes: fixCount(resultsToWrite.filter(({ file }) => !writtenByFile.has(file))),
          remaining: problemsAfterFixes,
          remainingInFiles,
          remainingOnServer,
          openQuestions: openQuestionsById,
          unconvertedSections,
          blockedConversions: filesRead.project.blockedConversions(shortPath),
          hasMovedPhpSettings,
          leftComments,
        },
        oppositeDecisions: filesRead.project.accessConversion.configurations.flatMap((each) =>
          each.changes.some(({ safety }) => commandArguments.unsafe || safety === 'safe') ? each.differencesOf24 : [],
        ),
      }) +
        hintToNameInput(commandArguments, inputs) +
        filesWithOldLinesText(commandArguments, filesWithOldLines),
    );
  return exitCode(terminal, { ...problemsNow, files: problemsAfterFixes.files }, commandArguments.failOn);
}

/**
 * For --dormant: adds the directories of main files to the paths, because unread files may be
 * there.
 */
function withFoldersOfMainFiles(commandArguments: CommandOf<'fix'>): CommandOf<'fix'> {
  if (!commandArguments.changesOnlyDormant) return commandArguments;
  const { paths, givenPaths = paths } = commandArguments;
  // `givenPaths` has the paths of the user, because suggested commands repeat them.
  return {
    ...commandArguments,
    givenPaths,
    paths: [...paths, ...serverFoldersOf(paths.filter((file) => !isArchive(file))).map(shortPath)],
  };
}

/** Returns a function: whether the user excludes a file, or the project file marks it as unused. */
function leftOutTest({ isExcluded }: Inputs, { isUnused }: CliSettings): (file: string) => boolean {
  return (file) => isExcluded(file) || isUnused(file);
}

/**
 * Returns a function that tests whether the server does not use a file. The file's name or the
 * project file shows that, or the file is a copy of a main file beside it. Files that the user
 * named count as used.
 */
function unusedFileTest(
  { paths, unreadPaths }: Pick<Inputs, 'paths' | 'unreadPaths'>,
  settings: CliSettings,
): (file: string) => boolean {
  const givenPaths = new Set(paths.map((each) => path.resolve(each)));
  const unreadFullPaths = new Set(unreadPaths.map((each) => path.resolve(each)));
  const findOriginal = originalFinder(settings.isUnused);
  const folders = paths.map((each) => ({ path: each, start: `${path.resolve(each)}${path.sep}` }));
  return (file) => {
    const fullPath = path.resolve(file);
    if (unreadFullPaths.has(fullPath)) return true;
    if (givenPaths.has(fullPath)) return false;
    const folder = folders.find(({ start }) => fullPath.startsWith(start))?.path ?? '.';
    return (
      isUnusedCopy(path.relative(folder, file).split(path.sep).join('/')) ||
      settings.isUnused(file) ||
      findOriginal(file) !== null
    );
  };
}

/**
 * Returns a function that tests whether the server does not read a file. True for unused files,
 * such as backups (`unusedFileTest`). Also true for a file that no configuration includes, if all
 * files that the configurations include are in this copy. Files that the user named
 * (`namedFileTest`) count as read.
 */
function unreadFileTest(
  inputs: Inputs,
  settings: CliSettings,
  filesRead: ProjectOfPaths,
): (file: InputFile) => boolean {
  const isNamedByUser = namedFileTest(inputs, filesRead);
  const isUnusedFile = unusedFileTest(inputs, settings);
  return ({ path: file }) =>
    filesRead.rootsOf(file)[0] === '' && (isUnusedFile(file) || (filesRead.isUnread(file) && !isNamedByUser(file)));
}

/**
 * Returns a function that tests whether the user named the file, or named a directory that contains
 * the file and no main file. A server may read such a file, although no main file in the given
 * paths includes it.
 */
function namedFileTest({ paths }: Inputs, filesRead: ProjectOfPaths): (file: string) => boolean {
  const givenPaths = new Set(paths.map((each) => path.resolve(each)));
  const hasMainFile = (folder: string) => {
    const realFolder = realpathSync(folder);
    return filesRead.project.configurationModels.some(
      ({ mainFile }) => isWithin(mainFile, realFolder) || isWithin(mainFile, folder),
    );
  };
  const foldersBeside = lazy(() =>
    [...givenPaths].filter((each) => statSync(each, { throwIfNoEntry: false })?.isDirectory() && !hasMainFile(each)),
  );
  return (file) => {
    const fullPath = path.resolve(file);
    return givenPaths.has(fullPath) || foldersBeside().some((folder) => isWithin(fullPath, folder));
  };
}

/**
 * Whether `fix` leaves out a file. It leaves out only files that the server does not read
 * (`isUnread`): copies of a main file, which get the changes of that file and are recorded in
 * `copies`; and, without --dormant, all others.
 */
function isLeftOut(
  file: InputFile,
  isUnread: boolean,
  commandArguments: CommandOf<'fix'>,
  copies: CopiesOfMainFiles<FixResult>,
): boolean {
  return isUnread && (copies.addFile(file) || !commandArguments.changesOnlyDormant);
}

/**
 * Returns a file in which the parts that the server does not read are fixed (`fix --dormant`), with
 * the problems that are left.
 */
function fixUnreadParts(
  file: InputFile,
  filesRead: ProjectOfPaths,
  howFileIsRead: Parameters<typeof convertDormant>[2],
): FixResult {
  const projectFile = filesRead.projectFileOf(file);
  const { engine, info } = projectFile;
  const dormantResult = convertDormant(filesRead.project, projectFile, howFileIsRead);
  const { text: after, fixes, isWholeFile } = dormantResult;
  const remainingFindings = isWholeFile ? engine.analyze(Tree.parse(after), info).findings() : [];
  return { file, before: file.tree.text(), after, fixes, remainingFindings, dormantResult };
}

/** The result of fixing one file. */
interface FixResult extends FixedFile {
  readonly fixes: number;
  /** With --dormant: the result of the conversion. */
  readonly dormantResult?: DormantFileResult;
  readonly remainingFindings: readonly PlacedFinding[];
}

/**
 * Warns if an interrupted run may have left temporary files. Does nothing for users who never wrote
 * files with this program.
 */
async function warnOfUnfinished(terminal: Terminal, paths: readonly string[]): Promise<void> {
  const { mayStoredChangesExist } = await import('../host/change-home');
  if (mayStoredChangesExist()) await (await import('./undo')).warnOfUnfinished(terminal, paths);
}

/**
 * Loads written.ts and makes the writer. Null if an interrupted run can neither be completed nor
 * taken back.
 */
async function openWriter(terminal: Terminal): Promise<Writer | null> {
  return (await import('./written')).openWriter(terminal);
}

/** The numbers in the summary that `fix` writes at its end. */
interface FixTotals {
  readonly changedFiles: number;
  readonly appliedFixes: number;
  /** The number of fixes in files that cannot be written. */
  readonly unwrittenFixes: number;
  /** Problems in the fixed texts. */
  readonly remaining: Summary;
  /** How many of the remaining problems the plan lists as changes of files. */
  readonly remainingInFiles: number;
  /** How many of the remaining problems the plan lists as tasks on the server. */
  readonly remainingOnServer: number;
  /**
   * The questions that hold back fixes, by their ids. Each has one item for each problem that waits
   * for the answer.
   */
  readonly openQuestions: ReadonlyMap<string, readonly OpenQuestion[]>;
  /** Sections that are not converted, with the reasons. */
  readonly unconvertedSections: readonly string[];
  /** Sentences about conversions that a file blocks, because it cannot change. */
  readonly blockedConversions: readonly string[];
  /** The comments about lines that the fixes remove, in the fixed texts. */
  readonly leftComments: readonly CommentedOut[];
  /** Whether settings of PHP become comments, because PHP-FPM does not read them. */
  readonly hasMovedPhpSettings: boolean;
  /**
   * Notes on places where a fix keeps the decision of 2.4 although the old lines decide
   * differently.
   */
  readonly oppositeDecisions: readonly string[];
}

/** Whether the plan lists the problem as a change of a file, not as a task on the server. */
function isChangeOfFile({ rule, messageId, fixes }: PlacedFinding): boolean {
  if (rule === inactiveText || isOnlyServerNote(rule.id, messageId)) return false;
  return fixes.length > 0 || !isSolvedOnServer(rule.id, messageId);
}

/**
 * With `--keep-both`: adds the answer "both versions read these files" to the arguments, so that
 * the suggested next commands have it, too.
 */
function withAnswerBothVersions(commandArguments: CommandOf<'fix'>): CommandOf<'fix'> {
  return commandArguments.keepsBoth
    ? { ...commandArguments, answers: new Map([...commandArguments.answers, ['versions', 'both']]) }
    : commandArguments;
}

/** With `--keep-both`: the texts of `unconvertedSectionsIn` about a file; else none. */
function unconvertedSectionsToList(
  file: InputFile,
  filesRead: ProjectOfPaths,
  { keepsBoth, changesOnlyDormant }: CommandOf<'fix'>,
): string[] {
  // With --dormant, `leftLines` lists what is not converted.
  return keepsBoth && !changesOnlyDormant ? unconvertedSectionsIn(file, filesRead) : [];
}

/** The sections of a file that are not converted, each with its line and the reason. */
function unconvertedSectionsIn(file: InputFile, filesRead: ProjectOfPaths): string[] {
  const { engine, info } = filesRead.projectFileOf(file);
  const analysisOfFileAlone = lazy(() => engine.analyze(file.tree, info));
  return [...filesRead.findings(file)].flatMap((finding) => {
    const { rule, start, cause, ruleFixes, waitsFor } = finding;
    if (rule !== orderAllowDeny || fixability(finding) === 'safe') return [];
    const findingPlace = `${file.path}:${file.tree.positionAt(start).line + 1}`;
    if (cause?.startsWith('Not converted: ') === true) return [`${findingPlace}: ${cause}`];
    // For a file that belongs to no configuration, the reason is in other sections of the file, or
    // in the lines themselves.
    const reason = analysisOfFileAlone().refusalAt(start);
    if (reason !== null) return [`${findingPlace}: Not converted: ${reasonInFile(reason, file.path)}.`];
    return [`${findingPlace}: Not converted: ${whyUnsafe(ruleFixes[0], waitsFor, engine.answerSet)}`];
  });
}

/**
 * Why `fix` does not convert a section by itself: a question is open, the fix assumes something, or
 * there is no fix.
 */
function whyUnsafe(fix: Fix | undefined, waitsFor: PlacedFinding['waitsFor'], answerSet: AnswerSet): string {
  const openIds = [...(fix?.waitsFor ?? []), ...waitsFor]
    .map((each) => questionId(each, answerSet))
    .filter((id) => id !== null && !answerSet.answers.has(id));
  if (openIds.length > 0)
    return `answer ${[...new Set(openIds)].map((id) => `"${id}"`).join(' and ')}, which plan asks, then run again.`;
  // The user's answer excludes the fix.
  const excludedQuestions = waitsFor.filter((each) => questionId(each, answerSet) === null);
  if (excludedQuestions.length > 0)
    return `${openQuestionTexts(excludedQuestions).join('; ')}. Write the lines by hand.`;
  if (fix?.assumes !== undefined) return `it would be right only if ${fix.assumes}. Write the lines by hand.`;
  return 'write the lines for both versions by hand.';
}

/** Maximum number of unconverted sections whose reasons `fix` shows. */
const MAX_REASONS_SHOWN = 10;

/**
 * The last text of `fix`: the counts, then the suggested next commands. The command for open
 * questions comes first, the one for suggestions last.
 */
function fixSummary(commandArguments: CommandOf<'fix'>, totals: FixTotals): string {
  const {
    appliedFixes,
    remaining,
    remainingInFiles,
    remainingOnServer,
    openQuestions,
    unconvertedSections,
    blockedConversions,
    hasMovedPhpSettings,
    leftComments,
    oppositeDecisions,
  } = totals;
  if (remaining.files === 0)
    return commandArguments.changesOnlyDormant ? 'There is nothing to fix that the server does not read.\n' : '';
  const isInputPiped = commandArguments.paths.includes(STDIN);
  const command = (words: string) => `  httpd-upgrade ${words}`;
  const summaryRows = fixCountRows(commandArguments, totals);
  summaryRows.push(
    ...unconvertedSections.slice(0, MAX_REASONS_SHOWN).flatMap((text) => wrapTextAfter('  ', printable(text))),
  );
  if (unconvertedSections.length > MAX_REASONS_SHOWN)
    summaryRows.push(`  and ${unconvertedSections.length - MAX_REASONS_SHOWN} more`);
  // With --keep-both, the rows above have the reasons of all sections.
  if (!commandArguments.changesOnlyDormant && !commandArguments.keepsBoth)
    summaryRows.push(...blockedConversions.flatMap((text) => wrapText(printable(text))));
  if (hasMovedPhpSettings)
    summaryRows.push(
      ...wrapText(
        'Comments with ".user.ini:" have settings for PHP-FPM: write them into .user.ini in the directory of the PHP files.',
      ),
    );
  summaryRows.push(...leftCommentRows(leftComments));
  if (appliedFixes > 0 && !commandArguments.changesOnlyDormant)
    summaryRows.push(
      ...oppositeDecisions.flatMap((each) =>
        wrapText(
          `${printable(each)} The fixes keep this access. If it is wrong, correct the new Require lines, for example to Require all granted.`,
        ),
      ),
    );
  summaryRows.push(...answerOptionRows(openQuestions));
  if (remaining.findings > 0 || openQuestions.size > 0)
    summaryRows.push(
      ...wrapText(
        `${remainingProblemsText(remainingInFiles, remainingOnServer)}To see what to do${remainingInFiles > 0 && remainingOnServer > 0 ? ' in the files and on the server' : ''}${openQuestions.size > 0 ? `, and how to find the ${openQuestions.size === 1 ? 'answer' : 'answers'}` : ''}:`,
      ),
      command(
        isInputPiped
          ? 'check -'
          : commandArguments.changesOnlyDormant
            ? `check ${argumentsToRepeat(commandArguments)}`
            : `plan ${argumentsToRepeat(withAnswerBothVersions(commandArguments))}`,
      ),
    );
  if (openQuestions.size > 0)
    summaryRows.push(
      'To answer step by step:',
      command(`migrate ${argumentsToRepeatForWriting(withAnswerBothVersions(commandArguments))}`),
    );
  if (!commandArguments.unsafe && !commandArguments.keepsBoth && remaining.suggestion > 0 && !isInputPiped)
    summaryRows.push(
      ...wrapText(
        `${remaining.findings === 1 ? 'The problem that is left' : `Of the problems that are left, ${remaining.suggestion}`} ${remaining.suggestion === 1 ? 'has a suggestion' : 'have suggestions'}, which can change what the server does. To read ${remaining.suggestion === 1 ? 'it' : 'them'}:`,
      ),
      command(`fix --diff --unsafe ${argumentsToRepeat(commandArguments)}`),
    );
  return `${summaryRows.join('\n')}\n`;
}

/**
 * The comments in a file that are about lines which the fixes remove. The comments themselves stay
 * in the file.
 */
function commentsLeftBy(
  { file, before, after }: FixResult,
  commandArguments: CommandOf<'fix'>,
  filesRead: ProjectOfPaths,
): readonly CommentedOut[] {
  if (before === after || commandArguments.changesOnlyDormant || commandArguments.keepsBoth) return [];
  return commentsLeftIn(file.tree, after, [...filesRead.findings(file)], shortPath(file.path));
}

/**
 * Lists the comments about removed lines, in this run only. A later plan cannot find them: a
 * comment alone does not show which line it was about.
 */
function leftCommentRows(comments: readonly CommentedOut[]): readonly string[] {
  if (comments.length === 0) return [];
  const shownComments = comments.slice(0, MAX_REASONS_SHOWN);
  return [
    ...wrapText(
      comments.length === 1
        ? 'One comment is about a directive that the fixes remove. Change or delete it by hand (this note is not shown again):'
        : `${comments.length} comments are about directives that the fixes remove. Change or delete them by hand (this note is not shown again):`,
    ),
    ...shownComments.flatMap(({ file, line, text }) =>
      wrapTextAfter('    ', `${printable(file)}:${line + 1} (about ${printable(text)})`),
    ),
    ...(comments.length > shownComments.length ? [`    and ${comments.length - shownComments.length} more`] : []),
  ];
}

/** Returns a file with the fixes of `fix`, and the problems that are left. */
function fixFile(
  file: InputFile,
  {
    commandArguments,
    settings,
    filesRead,
    fixesThroughOthers,
  }: {
    readonly commandArguments: CommandOf<'fix'>;
    readonly settings: CliSettings;
    readonly filesRead: ProjectOfPaths;
    readonly fixesThroughOthers: FixesThroughOthers;
  },
): FixResult {
  const { text, remainingFindings } = filesRead.project.fixedFileResult(filesRead.projectFileOf(file), {
    // Suggestions for access lines work only in 2.4, so they are not written if both versions read
    // the files.
    unsafe: commandArguments.unsafe && !settings.engineOf(file.path).keepsBoth,
    ...(commandArguments.keepsBoth && { rules: [orderAllowDeny.id, phpDirective.id] }),
  });
  const textBefore = file.tree.text();
  const fixes =
    textBefore === text ? 0 : fixesThroughOthers.countOf(file, [...filesRead.findings(file)], remainingFindings);
  return { file, before: textBefore, after: text, fixes, remainingFindings };
}

/**
 * Counts problems of a file that a fix solves with edits in other files. Such a problem counts as a
 * fix of the first of these other files.
 */
class FixesThroughOthers {
  constructor(
    private readonly filesRead: ProjectOfPaths,
    private readonly commandArguments: CommandOf<'fix'>,
  ) {}

  private readonly findingGroups = lazy(() => {
    const doOtherFilesStayUnchanged = this.commandArguments.keepsBoth || this.commandArguments.changesOnlyDormant;
    const fixedFindings = doOtherFilesStayUnchanged
      ? []
      : this.filesRead.project.fixedThroughOtherFiles(this.commandArguments.unsafe);
    return {
      findingsByTheirFile: groupedBy(fixedFindings, ({ fileOfFinding }) => fileOfFinding),
      findingsByEditedFile: groupedBy(fixedFindings, ({ fileOfEdits }) => fileOfEdits),
    };
  });

  /** Unchanged files whose problems are counted after writing. */
  readonly unchangedFiles: FixResult[] = [];

  /**
   * Calls `count`, or keeps an unchanged file for later. If a fix for one of its problems is
   * written in another file, its remaining problems are known only after all fixes.
   */
  countAfterOtherFixes(result: FixResult, count: () => void): void {
    if (
      this.commandArguments.write &&
      this.findingGroups().findingsByTheirFile.has(this.filesRead.realPathOf(result.file.path))
    )
      this.unchangedFiles.push(result);
    else count();
  }

  /** The number of fixes of a changed file; at least one. */
  countOf(file: InputFile, before: readonly PlacedFinding[], findingsAfter: readonly PlacedFinding[]): number {
    const realPath = this.filesRead.realPathOf(file.path);
    const { findingsByTheirFile, findingsByEditedFile } = this.findingGroups();
    const movedCount =
      (findingsByEditedFile.get(realPath)?.length ?? 0) - (findingsByTheirFile.get(realPath)?.length ?? 0);
    return Math.max(1, fixedProblemCount(before, findingsAfter, this.commandArguments) + movedCount);
  }

  /**
   * The problems of a file that remain after all fixes. For an unchanged file, these are its
   * problems without those that edits in other files fixed.
   */
  findingsLeft({ file, before, after, remainingFindings }: FixResult): readonly PlacedFinding[] {
    if (before !== after) return remainingFindings;
    const fixedFindings = this.findingGroups().findingsByTheirFile.get(this.filesRead.realPathOf(file.path)) ?? [];
    return [...this.filesRead.findings(file)].filter(
      ({ rule, start }) => !fixedFindings.some(({ finding }) => finding.rule === rule && finding.start === start),
    );
  }
}

/** The number of fixes in these results. */
function fixCount(results: readonly FixResult[]): number {
  return results.reduce((sum, { fixes }) => sum + fixes, 0);
}

/**
 * The rows with the number of written fixes; without --write, with the number of fixes to write,
 * and the command for that.
 */
function fixCountRows(
  commandArguments: CommandOf<'fix'>,
  { changedFiles, appliedFixes, unwrittenFixes, remaining }: FixTotals,
): string[] {
  const fixes = `${countWithNoun(appliedFixes, 'fix')} in ${countWithNoun(changedFiles, 'file')}`;
  const countRows: string[] = [];
  if (unwrittenFixes > 0)
    countRows.push(
      `${countWithNoun(unwrittenFixes, 'fix')} ${unwrittenFixes === 1 ? 'is' : 'are'} not written, for the reasons above.`,
    );
  else if (appliedFixes === 0)
    countRows.push(
      `Nothing to fix ${commandArguments.unsafe ? '' : 'safely '}in ${countWithNoun(remaining.files, 'file')}.`,
    );
  if (appliedFixes === 0) return countRows;
  if (commandArguments.paths.includes(STDIN)) return [...countRows, `${fixes}.`];
  if (commandArguments.write) return [...countRows, `Wrote ${fixes}. "httpd-upgrade undo" restores the old files.`];
  const command = `fix --write ${fixFlags(commandArguments)}${argumentsToRepeatForWriting(commandArguments)}`;
  return [...countRows, `${fixes}. Nothing is written yet. To write:`, `  httpd-upgrade ${command}`];
}

/**
 * A sentence with the number of remaining problems that need a change of files; empty if there are
 * none. It does not count steps on the server: only the plan knows them all, because lines without
 * a problem cause some of them.
 */
function remainingProblemsText(inFiles: number, onServer: number): string {
  if (inFiles === 0) return '';
  return `${countWithNoun(inFiles, 'problem')} ${inFiles === 1 ? 'is' : 'are'} left${onServer === 0 ? '' : ' in the files'}. `;
}

/** The flags of `fix` to repeat in the next command. */
function fixFlags({ unsafe, keepsBoth, changesOnlyDormant }: CommandOf<'fix'>): string {
  return [unsafe && '--unsafe ', keepsBoth && '--keep-both ', changesOnlyDormant && '--dormant ']
    .filter((flag) => flag !== false)
    .join('');
}

/**
 * The number of fixed problems of a file, counted as `check` and `plan` do: each problem once.
 */
function fixedProblemCount(
  before: readonly PlacedFinding[],
  findingsAfter: readonly PlacedFinding[],
  { unsafe, keepsBoth }: CommandOf<'fix'>,
): number {
  return unsafe || keepsBoth
    ? before.length - findingsAfter.length
    : before.filter((finding) => fixability(finding) === 'safe').length;
}

/**
 * A hint to name standard input, if it looks like a .htaccess file and has no name; otherwise
 * empty.
 */
function hintToNameInput({ stdinName, unsafe }: CommandOf<'fix'>, { streams }: Inputs): string {
  const isNameless = streams.some(({ path, tree }) => path === STDIN && isLikeHtaccess(tree));
  return isNameless && stdinName === null && !unsafe
    ? 'The access control is outside of all sections, as in a .htaccess file. If the text is one, add: --stdin-filename .htaccess\n'
    : '';
}

/** Whether an access line of 2.2 is outside of all sections, as only a .htaccess file has it. */
function isLikeHtaccess(tree: Tree): boolean {
  let hasOldLineOutside = false;
  const searchList = (list: List): void =>
    forEachItem(list, 0, (item) => {
      if (!(item instanceof Section)) hasOldLineOutside ||= OLD_ACCESS_DIRECTIVES.has(item.name);
      else if (SECTIONS_WITHOUT_SCOPE.has(item.name)) searchList(item.body);
    });
  searchList(tree.root);
  return hasOldLineOutside;
}

const OLD_ACCESS_DIRECTIVES: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy']);
/** Sections whose lines apply to the scope around the section. */
const SECTIONS_WITHOUT_SCOPE: ReadonlySet<string> = new Set([
  'ifmodule',
  'ifdefine',
  'ifversion',
  'limit',
  'limitexcept',
]);

/**
 * The findings whose open questions `fix` shows. With `--keep-both`, `fix` converts only access
 * control.
 */
function findingsWithQuestions(
  { keepsBoth }: CommandOf<'fix'>,
  findings: Iterable<PlacedFinding>,
): readonly PlacedFinding[] {
  return [...findings].filter(({ rule }) => !keepsBoth || rule === orderAllowDeny);
}

/** Adds to `questionsById` the questions that hold back the fixes of these findings. */
function addOpenQuestions(
  questionsById: Map<string, OpenQuestion[]>,
  findings: Iterable<PlacedFinding>,
  answerSet: AnswerSet,
): void {
  for (const { waitsFor } of findings) {
    const questionIds = waitsFor.map((openQuestion) => questionId(openQuestion, answerSet));
    // If one of the questions cannot be answered by an option, the answers to the others do not
    // help.
    if (questionIds.includes(null)) continue;
    for (const [at, id] of questionIds.entries())
      if (!answerSet.answers.has(id!)) addTo(questionsById, id!, waitsFor[at]!);
  }
}

/** The options that answer these questions, for the next command. */
function answerOptionRows(questionsById: ReadonlyMap<string, readonly OpenQuestion[]>): string[] {
  if (questionsById.size === 0) return [];
  const answerRows = optionRows(
    [...questionsById].map(([id, openQuestions]) => {
      const questionTexts = questionTextOf(id, openQuestions, null, { folder: process.cwd() })!;
      return { id, question: questionTexts.question, answers: offeredChoices(id, questionTexts, false) };
    }),
  );
  return [
    questionsById.size === 1
      ? 'One question is open. Add one of these options to the command:'
      : `${questionsById.size} questions are open. Add one of the options of each question to the command:`,
    ...answerRows.map((option) => `  ${option}`),
  ];
}

/** Runs `format`. Returns the exit code. */
async function format(commandArguments: CommandOf<'format'>): Promise<number> {
  const terminal = terminalFor(commandArguments);
  const writer = commandArguments.mode === 'write' ? await openWriter(terminal) : null;
  if (commandArguments.mode === 'write' && !writer) return 2;
  if (commandArguments.mode !== 'write') await warnOfUnfinished(terminal, commandArguments.paths);
  const inputs = await readInputs(commandArguments, terminal, commandArguments.stdinName);
  await writer?.allowPaths(inputs.paths);
  if (writer && inputs.streams.length > 0) {
    terminal.reportFailure('--write needs files: what comes from a pipe is formatted to standard output');
    return 2;
  }
  return (await import('./format')).runFormat({
    args: commandArguments,
    inputs,
    terminal,
    writer,
    settings: settingsFor(commandArguments, terminal),
  });
}

/** Runs `plan`. Returns the exit code. */
async function plan(commandArguments: CommandOf<'plan'>): Promise<number> {
  const terminal = terminalFor(commandArguments, commandArguments.output);
  const output = openOutput(commandArguments.output, terminal);
  if (!output) return 2;
  const settings = settingsFor({ ...commandArguments, showsAnswered: true }, terminal);
  await warnOfUnfinished(terminal, commandArguments.paths);
  const inputs = await readInputs(commandArguments, terminal);
  const filesRead = await readFiles(commandArguments, settings, terminal, inputs);
  const { unneededAnswers } = await import('../analysis/upgrade-plan');
  const gatheredPlan = await gatherPlan(inputs, settings, filesRead, terminal);
  terminal.clearProgress();
  noteFilesOutside(filesRead, terminal);
  noteMissingIncludes(filesRead, gatheredPlan.plan, terminal);
  await noteFilesAside(commandArguments, { inputs, settings, filesRead }, terminal);
  // After all fixes are written, every given answer looks unneeded, although it was needed before.
  // So there is no hint about unneeded answers then.
  const { questions, answered, ready, waiting } = gatheredPlan.plan.summary;
  const isEverythingWritten = questions === answered && ready + waiting === 0;
  const unneededIds = unneededAnswers(gatheredPlan.plan, commandArguments);
  if (!isEverythingWritten)
    for (const id of unneededIds) terminal.note(`The answer to "${id}" is not needed: no question asks for it now.`);
  const idsNoLongerAsked = isEverythingWritten ? unneededIds : [];
  const mainFilesBeside = mainFilesBesideText(gatheredPlan, commandArguments, 'plan');
  if (mainFilesBeside && commandArguments.format !== 'text')
    terminal.note(printable(`${mainFilesBeside.text} ${mainFilesBeside.command}`));
  output.write(
    await printPlan(commandArguments, gatheredPlan, {
      terminal,
      settings,
      filesRead,
      isInputPiped: inputs.streams.length > 0,
      idsNoLongerAsked,
      mainFilesBeside,
      areOthersThanHtaccess: (await kindOfStandaloneFiles(inputs, filesRead)) !== 'htaccess',
    }),
  );
  await output.end();
  return terminal.hadProblems ? 2 : 0;
}

/** Makes a `PlanGatherer`, which gets the files one by one. */
async function makePlanGatherer(settings: CliSettings, { project }: ProjectOfPaths): Promise<PlanGatherer> {
  const { PlanGatherer: Gatherer } = await import('../features/plan');
  const { isAccepted } = await import('../host/accepted');
  const { readCheckedFiles } = await import('./checked-now');
  return new Gatherer({
    project,
    displayName: shortPath,
    isAccepted: (root) => isAccepted(root, () => readCheckedFiles(root, settings)),
  });
}

/**
 * Notes files that the command does not read, but the server may: those with unusual names, and
 * main files among copies. `isStep`: whether `migrate` has noted the unusual names already.
 */
async function noteFilesAside(
  commandArguments: CommonArguments,
  {
    inputs,
    settings,
    filesRead,
    isStep = false,
  }: { inputs: Inputs; settings: CliSettings; filesRead: ProjectOfPaths; isStep?: boolean },
  terminal: Terminal,
): Promise<void> {
  if (!isStep) noteUnusualNames(filesRead, leftOutTest(inputs, settings), terminal);
  const isUnreadFile = unreadFileTest(inputs, settings, filesRead);
  await noteMainFilesAside(commandArguments, { inputs, filesRead, isUnreadFile }, terminal);
}

/**
 * If no main configuration file was found, names the files that have the lines of a main file, but
 * the name of a copy. The server may start with such a file, for example `httpd.conf-2019`.
 */
async function noteMainFilesAside(
  commandArguments: CommonArguments,
  {
    inputs,
    filesRead,
    isUnreadFile,
  }: { inputs: Inputs; filesRead: ProjectOfPaths; isUnreadFile: (file: InputFile) => boolean },
  terminal: Terminal,
): Promise<void> {
  if (filesRead.project.configurationModels.length > 0 || inputs.streams.length > 0) return;
  const mainFiles: string[] = [];
  for await (const file of inputs.files(filesRead))
    if (isCertainMainFileTree(file.tree.root) && isUnreadFile(file)) mainFiles.push(shortPath(file.path));
  terminal.clearProgress();
  for (const file of mainFiles.slice(0, MAX_MAIN_FILES_ASIDE)) {
    const command = `plan ${argumentsToRepeat({ ...commandArguments, givenPaths: [file, ...(commandArguments.givenPaths ?? commandArguments.paths)] })}`;
    terminal.note(
      `${printable(file)} has the lines of a main configuration file, but it is where copies are, or has the name of one. If the server starts with it: httpd-upgrade ${printable(command)}`,
    );
  }
}

/** Maximum number of main files that a note names. */
const MAX_MAIN_FILES_ASIDE = 3;

/** Notes which included files are not checked, because they are outside of the given directory. */
function noteFilesOutside({ outsideFiles, project, realPathOf }: ProjectOfPaths, terminal: Terminal): void {
  const [first, ...others] = outsideFiles;
  if (first === undefined) return;
  const file = realPathOf(first);
  const model = project.configurationModels.find(({ files }) => files.has(file));
  // A file without a main file can include other files, too.
  const advice =
    model === undefined
      ? 'add the path to the command'
      : `give the main configuration file: ${printable(shortPath(model.mainFile))}`;
  const isOneFile = others.length === 0;
  terminal.note(
    `${printable(shortPath(first))}${isOneFile ? '' : ` and ${countWithNoun(others.length, 'more file')}`} ${isOneFile ? 'is' : 'are'} included, but not checked: ${isOneFile ? 'it is' : 'they are'} outside of the given directory. To check ${isOneFile ? 'it' : 'them'}, too, ${advice}`,
  );
}

/**
 * Notes which included files are not in this copy, because nothing in them is checked. If the plan
 * asks a question about such files, the note is left out.
 */
function noteMissingIncludes({ project }: ProjectOfPaths, plan: UpgradePlan | null, terminal: Terminal): void {
  if (plan === null) return;
  const asksForIncludes = plan.configurations.some(({ questions }) =>
    questions.some(({ id }) => id.startsWith('include-unseen:')),
  );
  const isMissingInclude = ({ reason }: ModelGap) => GAP_REASONS_OF_MISSING_FILES.has(reason);
  const model = project.configurationModels.find(({ gaps }) => gaps.some(isMissingInclude));
  if (asksForIncludes || model === undefined) return;
  const [first, ...others] = new Map(
    model.gaps.filter(isMissingInclude).map((gap) => [`${gap.row} ${gap.file}`, gap] as const),
  ).values() as Iterable<ModelGap>;
  if (first === undefined) return;
  const firstGapPlace = `${printable(first.line.text.trim())} (${printable(shortPath(first.file))}:${first.row + 1})`;
  terminal.note(
    `not in this copy, so not checked: the files of ${firstGapPlace}${others.length === 0 ? '' : ` and of ${countWithNoun(others.length, 'other line')}`}. Copy them to the same place here, then run again. To see all: httpd-upgrade includes ${printable(shellPath(shortPath(model.mainFile)))}`,
  );
}

/** The reasons of gaps that are files or directories which this copy does not have. */
const GAP_REASONS_OF_MISSING_FILES: ReadonlySet<GapReason> = new Set<GapReason>([
  'include-missing',
  'include-folder-missing',
]);

/**
 * Returns the files one by one. Before it returns the next file, it frees what is cached about the
 * last one.
 */
async function* filesInTurn(
  inputs: Inputs,
  settings: CliSettings,
  filesRead: ProjectOfPaths,
): AsyncGenerator<InputFile> {
  let lastFile: InputFile | null = null;
  for await (const file of inputs.files(filesRead)) {
    if (lastFile) settings.engineOf(lastFile.path).forget(lastFile.tree);
    lastFile = file;
    yield file;
  }
}

/** Makes the plan from all files of the command. `terminal`: gets notes; null for no notes. */
async function gatherPlan(
  inputs: Inputs,
  settings: CliSettings,
  filesRead: ProjectOfPaths,
  terminal: Terminal | null,
): Promise<PlanOfCommand> {
  const copies = new CopiesOfMainFiles<FixResult>(settings.isUnused, terminal);
  const isUnreadFile = unreadFileTest(inputs, settings, filesRead);
  const plan = await makePlanGatherer(settings, filesRead);
  for await (const file of filesInTurn(inputs, settings, filesRead)) {
    if (isUnreadFile(file)) addUnreadFile(plan, file, copies, filesRead);
    else runToEnd(plan.addFile(fileOfPlan(file, filesRead)));
  }
  return finishPlan(plan, { inputs, settings, filesRead });
}

/**
 * Completes a plan to which all files of the command were added. First adds the files that `fix
 * --dormant` also looks at: those in the directories of the given main files, if nothing reads
 * them. Adds nothing if another main file is there, whose server may read them.
 */
async function finishPlan(
  plan: PlanGatherer,
  {
    inputs,
    settings,
    filesRead,
  }: {
    readonly inputs: Inputs;
    readonly settings: CliSettings;
    readonly filesRead: ProjectOfPaths;
  },
): Promise<PlanOfCommand> {
  const folders = serverFoldersOf(inputs.paths);
  const isUnused = unusedFileTest({ paths: folders, unreadPaths: inputs.unreadPaths }, settings);
  const files = (await filesInFolders(folders, filesRead.findFileAlreadyRead, inputs.isExcluded)).filter(
    ({ path: file }) => filesRead.rootsOf(file)[0] === '',
  );
  const givenPaths = new Set(inputs.paths.map((each) => path.resolve(each)));
  const otherMainFiles = files.filter(({ path: file, tree }) => !isUnused(file) && isMainFileTree(tree.root, file));
  for (const file of otherMainFiles.length > 0 ? [] : files)
    if (!givenPaths.has(path.resolve(file.path))) plan.addNeighbour(fileOfPlan(file, filesRead), isUnused(file.path));
  const findOriginal = originalFinder(settings.isUnused);
  const unreadPaths = new Set(inputs.unreadPaths.map((each) => path.resolve(each)));
  const copies = files.filter(({ path: file }) => !unreadPaths.has(path.resolve(file)) && findOriginal(file) !== null);
  const isAnsweredUnused = (file: string) =>
    settings.engineOf(inputs.paths[0]!).isSettled(openQuestion('other-main', path.resolve(file)));
  return {
    ...plan.finishPlan(),
    mainFilesBeside: [...otherMainFiles, ...copies]
      .map(({ path: file }) => shortPath(file))
      .filter((file) => !isAnsweredUnused(file)),
    folders: folders.map((each) => (path.relative('', each) === '' ? '.' : shortPath(each))),
  };
}

/** A plan, and the main files that it does not have. */
interface PlanOfCommand extends GatheredPlan {
  /** The main files in the directories of the given ones that the user did not name. */
  readonly mainFilesBeside: readonly string[];
  /** The directories of the given main files. */
  readonly folders: readonly string[];
}

/**
 * A text about main files that the plan does not have, and the command that converts all of them
 * together. Null if there are none, or if the input is an archive.
 */
function mainFilesBesideText(
  { mainFilesBeside, folders }: PlanOfCommand,
  commandArguments: CommonArguments,
  command: 'plan' | 'migrate',
): MainFilesBeside | null {
  if (mainFilesBeside.length === 0 || commandArguments.givenPaths?.some(isArchive)) return null;
  const isInFolder = (file: string) => folders.some((folder) => isWithin(path.resolve(file), path.resolve(folder)));
  const givenFiles = commandArguments.paths.filter(isInFolder);
  const otherPaths = commandArguments.paths.filter((file) => !isInFolder(file));
  const count = mainFilesBeside.length + givenFiles.length;
  const names = mainFilesBeside.slice(0, MAX_MAIN_FILES_ASIDE).join(', ');
  const moreCount = mainFilesBeside.length - MAX_MAIN_FILES_ASIDE;
  return {
    text: `${count} main configuration files here can read the same files. ${names}${moreCount > 0 ? ` and ${moreCount} more` : ''} ${mainFilesBeside.length === 1 ? 'is' : 'are'} not in this plan. Convert them together: if a shared file is converted for one of them, the others can no longer be converted. Run the command on the directory:`,
    command: `httpd-upgrade ${command} ${argumentsToRepeat({ ...commandArguments, paths: [...folders, ...otherPaths], givenPaths: undefined })}`,
    files: mainFilesBeside,
  };
}

/** Adds a file that no server reads to a plan, unless it is a copy of a main file. */
function addUnreadFile(
  plan: PlanGatherer | null,
  file: InputFile,
  copies: CopiesOfMainFiles<FixResult>,
  filesRead: ProjectOfPaths,
): void {
  if (!copies.addFile(file)) plan?.addUnreadFile(fileOfPlan(file, filesRead));
}

/** A file in the form in which a plan takes it. */
function fileOfPlan(file: InputFile, filesRead: ProjectOfPaths): PlannedProjectFile {
  return { ...filesRead.projectFileOf(file), name: shortPath(file.path) };
}

/** The answers in the project file of a configuration. Null if there are none. */
function storedAnswersFor(root: string | undefined, settings: CliSettings): StoredAnswers | null {
  const { file, answers } = settings.projectFileOf(root || '.');
  return file === null || answers.size === 0 ? null : { file: shortPath(file), answers };
}

/** Returns the text of the plan in the format that the user wants. */
async function printPlan(
  commandArguments: CommandOf<'plan'>,
  { plan: gatheredPlan, details, roots }: GatheredPlan,
  {
    terminal,
    settings,
    filesRead,
    isInputPiped,
    idsNoLongerAsked,
    mainFilesBeside,
    areOthersThanHtaccess,
  }: Pick<
    PlanTextOptions,
    'terminal' | 'isInputPiped' | 'idsNoLongerAsked' | 'mainFilesBeside' | 'areOthersThanHtaccess'
  > & {
    readonly settings: CliSettings;
    readonly filesRead: ProjectOfPaths;
  },
): Promise<string> {
  const { format } = commandArguments;
  if (format === 'json') return `${jsonWithVisibleText(gatheredPlan)}\n`;
  if (format === 'text')
    return (await import('./plan-text')).planText(gatheredPlan, {
      terminal,
      argumentsToRepeat: argumentsToRepeat(commandArguments),
      argumentsToRepeatForWriting: argumentsToRepeatForWriting(commandArguments),
      serverOptions: serverOptionWords(commandArguments.server),
      isInputPiped,
      idsNoLongerAsked,
      mainFilesBeside,
      areOthersThanHtaccess,
      // The answers in an archive are not in a project file of the user.
      storedAnswers: commandArguments.givenPaths?.some(isArchive) ? null : storedAnswersFor(roots[0], settings),
      answers: settings.engineOf(roots[0] || '.').answerSet.answers,
    });
  const { upgradeReport } = await import('../features/report/upgrade-report');
  const { accessProof } = await import('../features/report/access-proof');
  const { requestConfiguration } = await import('../features/requests');
  const { project, projectFileOf } = filesRead;
  const projectWithEdits = {
    accessConversion: project.accessConversion,
    editsOfFile: (file: string, unsafe: boolean) => project.editsOfFile(file, unsafe),
    infoOf: (path: string, tree: Tree) => projectFileOf({ path, tree }).info,
  };
  const proofOf = (root: string) =>
    root === ''
      ? null
      : accessProof(requestConfiguration({ root, view: project.view, settings, project: projectWithEdits }), shortPath);
  const { version } = await import('./version');
  // A report in Markdown may be committed to a repository, so it must not change with the date.
  return upgradeReport(
    {
      plan: gatheredPlan,
      details: details.map((each, index) => ({ ...each, proof: proofOf(roots[index]!) })),
      argumentsToRepeat: argumentsToRepeat(commandArguments),
      isInputPiped,
      madeBy: `httpd-upgrade ${version()}`,
      date: format === 'html' ? new Date().toISOString().slice(0, 10) : null,
    },
    format,
  );
}

/** Runs `migrate`. Returns the exit code. */
async function migrate(commandArguments: CommandOf<'migrate'>): Promise<number> {
  const terminal = terminalFor(commandArguments);
  const inputs = await readInputs(commandArguments, terminal);
  const { runMigrate } = await import('./migrate');
  await warnOfUnfinished(terminal, commandArguments.paths);
  let isFrom22 = false;
  let areNamesNoted = false;
  let mainFilesBeside: MainFilesBeside | null = null;
  return runMigrate({
    paths: inputs.paths,
    answers: commandArguments.answers,
    defines: commandArguments.server.defines,
    terminal,
    argumentsToRepeat: (answers) => argumentsToRepeat({ ...commandArguments, answers }),
    async plan(answers) {
      const options = { ...commandArguments, answers, showsAnswered: true };
      const settings = settingsFor(options, terminal);
      const filesRead = await readFiles(options, settings, terminal, inputs);
      if (!areNamesNoted) noteUnusualNames(filesRead, leftOutTest(inputs, settings), terminal);
      areNamesNoted = true;
      const planOfCommand = await gatherPlan(inputs, settings, filesRead, null);
      const { plan: gatheredPlan, roots } = planOfCommand;
      mainFilesBeside = mainFilesBesideText(planOfCommand, commandArguments, 'migrate');
      const mainFiles = roots.filter((root) => root !== '');
      const filesOf22 = new Set(filesRead.project.filesOf22(mainFiles));
      isFrom22 =
        mainFiles.length > 0 &&
        mainFiles.every((root) => {
          const engine = settings.engineOf(root);
          return engine.isFrom22 || (engine.accessSource === '2.2' && filesOf22.has(root));
        });
      return gatheredPlan;
    },
    isFrom22: () => isFrom22,
    mainFilesBeside: () => mainFilesBeside,
    fix: (answers, write) =>
      fix(
        {
          ...commandArguments,
          command: 'fix',
          write,
          showsDiff: !write,
          unsafe: false,
          keepsBoth: false,
          changesOnlyDormant: false,
          stdinName: null,
          format: 'text',
          answers,
        },
        { isStep: true },
      ),
    verify: (root, answers) =>
      verify({
        ...commandArguments,
        command: 'verify',
        httpd: null,
        inPlace: false,
        format: 'text',
        paths: [root],
        answers,
      }),
  });
}

/** Runs `verify`. Returns the exit code: 1 if httpd reports errors. */
async function verify(commandArguments: CommandOf<'verify'>): Promise<number> {
  const terminal = terminalFor(commandArguments);
  const output = new Output();
  const { verify: runVerify, verdictText } = await import('./verify');
  const root = commandArguments.paths[0]!;
  if (isHtaccessName(path.basename(root))) {
    terminal.reportFailure(
      `verify reads main configuration files. httpd reads ${printable(root)} only when a request comes: test it with a request to a 2.4 server`,
    );
    return 2;
  }
  const settings = settingsFor(commandArguments, terminal);
  const { readCheckedFiles } = await import('./checked-now');
  const { rememberAccepted } = await import('../host/accepted');
  const { readBytesNow, readingLimit } = await import('../host/read-now');
  const mainFile = diskFileView().realPath(path.resolve(root));
  const filesBefore = readCheckedFiles(mainFile, settings);
  const { modulesEnabledBy } = await import('../analysis/open-steps');
  const stepsOfPlan = lazy(() => stepsOnServer(commandArguments, settings, terminal));
  const serverVerdict = await runVerify({
    mainFile: root,
    httpd: commandArguments.httpd,
    inPlace: commandArguments.inPlace,
    defines: commandArguments.server.defines,
    settings,
    modulesOfPlan: async () => modulesEnabledBy((await stepsOfPlan()).flatMap(({ commands = [] }) => commands)),
    terminal,
  });
  if (serverVerdict === null) return 2;
  // `readingLimit` is set only in the server for agents, and this server writes nothing.
  if (readingLimit.value === null) {
    const filesAfter = readCheckedFiles(mainFile, settings);
    rememberAccepted(
      mainFile,
      serverVerdict.accepted && JSON.stringify(filesBefore) === JSON.stringify(filesAfter) ? filesAfter : null,
    );
  }
  const verdict = serverVerdict.ok
    ? serverVerdict
    : { ...serverVerdict, problems: await withOpenSteps(serverVerdict.problems, await stepsOfPlan()) };
  const lineOf = (file: string, line: number): string | null => {
    const content = readBytesNow(file);
    return 'bytes' in content ? (Buffer.from(content.bytes).toString('utf8').split('\n')[line] ?? null) : null;
  };
  output.write(
    commandArguments.format === 'json'
      ? `${jsonWithVisibleText(verdict)}\n`
      : verdictText(verdict, lineOf, {
          terminal,
          argumentsToRepeat: argumentsToRepeat(commandArguments),
          namesMainFile: statSync(commandArguments.paths[0]!, { throwIfNoEntry: false })?.isDirectory() === true,
        }),
  );
  await output.flush();
  return terminal.hadProblems ? 2 : verdict.ok ? 0 : 1;
}

/**
 * Returns the errors of httpd. An error that is caused by an open task on the server gets this task
 * as its `step`.
 */
async function withOpenSteps<Error extends ServerError>(
  problems: readonly Error[],
  onServer: readonly OnServerItem[],
): Promise<readonly Error[]> {
  const { openStepOf } = await import('../analysis/open-steps');
  return problems.map((each) => {
    const step = openStepOf(each, onServer);
    return step ? { ...each, step } : each;
  });
}

/** The open tasks on the server in the plan of the configuration. */
async function stepsOnServer(
  commandArguments: CommandOf<'verify'>,
  settings: CliSettings,
  terminal: Terminal,
): Promise<readonly OnServerItem[]> {
  const inputs = await readInputs(commandArguments, terminal);
  const filesRead = await readFiles(commandArguments, settings, terminal, inputs);
  const { plan } = await gatherPlan(inputs, settings, filesRead, null);
  const { mainFileAsGiven } = await import('./request-root');
  const view = diskFileView();
  const mainFileResult = await mainFileAsGiven(commandArguments.paths[0]!, view);
  const configurationsOfMain = plan.configurations.filter(
    ({ root }) =>
      'mainFile' in mainFileResult && view.realPath(path.resolve(root)) === view.realPath(mainFileResult.mainFile),
  );
  return (configurationsOfMain.length > 0 ? configurationsOfMain : plan.configurations).flatMap(
    (each) => each.onServer,
  );
}

/** Runs `undo`. Returns the exit code. */
async function undo({ id, listsChanges, format }: CommandOf<'undo'>): Promise<number> {
  const terminal = new Terminal();
  const output = new Output();
  await (await import('./undo')).runUndo({ id, listsChanges, format, terminal, write: (text) => output.write(text) });
  await output.flush();
  return terminal.hadProblems ? 2 : 0;
}

/** Runs `includes`. Returns the exit code. */
async function includes(commandArguments: CommandOf<'includes'>): Promise<number> {
  const terminal = terminalFor(commandArguments);
  const output = new Output();
  const { showIncludes } = await import('./includes');
  await showIncludes(
    commandArguments.paths,
    commandArguments.format,
    settingsFor(commandArguments, terminal),
    output,
    terminal,
  );
  await output.flush();
  return terminal.hadProblems ? 2 : 0;
}

/** Runs `explain` with a term or a log. Returns the exit code. */
async function explain(commandArguments: CommandOf<'explain'>): Promise<number> {
  const { explain: lookUp } = await import('../features/explain');
  const { rulePage } = await import('../rules/support/page');
  const rules = ALL_RULES.map((rule) => ({ id: rule.id, title: rule.title, page: () => rulePage(rule) }));
  const { explainedSteps } = await import('../analysis/on-server');
  const options = { rules, steps: explainedSteps(), adviceFor: thirdPartyAdvice };
  const log = await import('./explain-log');
  if (log.isLogArgument(commandArguments.term)) return explainLog(commandArguments, options);
  const foundTopic = lookUp(commandArguments.term, options);
  // Red Hat's log is called `error_log`. Without an ending, this name was looked up as a term
  // first.
  if (!('markdown' in foundTopic) && log.isFileOrPipe(commandArguments.term))
    return explainLog(commandArguments, options);
  if (commandArguments.format === 'json') process.stdout.write(log.answerJson(foundTopic, commandArguments.term));
  if ('markdown' in foundTopic) {
    if (commandArguments.format === 'json') return 0;
    const { markdownForTerminal } = await import('./markdown');
    process.stdout.write(markdownForTerminal(foundTopic.markdown, new Terminal()));
    return 0;
  }
  const hint =
    foundTopic.note ??
    (foundTopic.suggestions.length > 0
      ? `Nearest matches: ${foundTopic.suggestions.slice(0, 5).join(', ')}.`
      : 'Give a directive, a module, a rule, a flag, a variable, a status, or a line of the error log.');
  process.stderr.write(`httpd-upgrade: ${printable(`nothing found for "${commandArguments.term}". ${hint}`)}\n`);
  return 2;
}

/** Explains a whole log. Returns the exit code. */
async function explainLog(commandArguments: CommandOf<'explain'>, options: ExplainOptions): Promise<number> {
  const { NotALogError, readLog, summaryJson, summaryText } = await import('./explain-log');
  try {
    const summary = await readLog(commandArguments.term, options);
    process.stdout.write(
      commandArguments.format === 'json' ? summaryJson(summary) : summaryText(summary, new Terminal()),
    );
    return 0;
  } catch (error) {
    new Terminal().reportProblem(
      commandArguments.term,
      error instanceof NotALogError ? error.message : explainProblem(error).message,
    );
    return 2;
  }
}

/** Runs `explain --request` or `explain --root`. Returns the exit code. */
async function explainRequest(commandArguments: CommandOf<'explain-request'>): Promise<number> {
  const terminal = terminalFor(commandArguments);
  const output = new Output();
  const { requestExplanation } = await import('./explain-request');
  output.write(await requestExplanation(commandArguments, settingsFor(commandArguments, terminal), terminal));
  await output.flush();
  return terminal.hadProblems ? 2 : 0;
}

/** Runs `access`, `requests` or `compare`. Returns the exit code. */
async function access(
  commandArguments: CommandOf<'access'> | CommandOf<'access-diff'> | CommandOf<'requests'> | CommandOf<'compare'>,
): Promise<number> {
  const terminal = terminalFor(
    commandArguments,
    commandArguments.command === 'compare' ? null : commandArguments.output,
  );
  const output = commandArguments.command === 'compare' ? new Output() : openOutput(commandArguments.output, terminal);
  if (!output) return 2;
  const settings = settingsFor(commandArguments, terminal);
  const write = (text: string) => output.write(text);
  let code = 0;
  if (commandArguments.command === 'compare')
    code = await (await import('./compare')).runCompare({ args: commandArguments, settings, terminal, write });
  else if (commandArguments.command === 'requests')
    await (await import('./requests')).printRequests({ args: commandArguments, settings, terminal, write });
  else code = await (await import('./access')).showAccess({ args: commandArguments, settings, terminal, write });
  await output.end();
  return terminal.hadProblems ? 2 : code;
}

/** Runs `explain --access`. Returns the exit code. */
async function explainAccess(commandArguments: CommandOf<'explain-access'>): Promise<number> {
  const terminal = new Terminal();
  const {
    accessExplanationAt: accessAnswer,
    accessLineAt,
    explainAccess: explanation,
    PLAIN_TEXT_WRITER,
  } = await import('../features/explain-access');
  const { markdownForTerminal } = await import('./markdown');
  for await (const { tree } of inputFiles([commandArguments.path], terminal)) {
    const offset = commandArguments.line <= tree.lineCount ? accessLineAt(tree, commandArguments.line - 1) : null;
    const tablesOfLine = offset === null ? null : accessAnswer(tree, offset, PLAIN_TEXT_WRITER);
    if (offset !== null && tablesOfLine) {
      const { name, tables, convertedLines, remark } = tablesOfLine;
      const json = {
        version: 1,
        file: commandArguments.path,
        line: commandArguments.line - 1,
        name,
        says: tablesOfLine.sentenceEnd.replace(/^[: ]+/, ''),
        tables: tables.map(({ inWords: says, ...table }) => ({ ...table, says })),
        converted: convertedLines,
        also: remark,
      };
      process.stdout.write(
        commandArguments.format === 'json'
          ? `${jsonWithVisibleText(json)}\n`
          : markdownForTerminal(explanation(tree, offset)!, terminal),
      );
      return 0;
    }
    terminal.note(
      `${commandArguments.path}:${commandArguments.line}: this line is not an Order, Allow, Deny or Satisfy line, and no section with such lines begins here. Give the number of such a line. For Require lines, and for all sections, run "httpd-upgrade access"`,
    );
  }
  return 2;
}

/**
 * Reads the files of a command. The files of a configuration whose main file is given are checked
 * together.
 */
async function readFiles(
  commandArguments:
    | CommandOf<'check'>
    | CommandOf<'fix'>
    | CommandOf<'plan'>
    | CommandOf<'migrate'>
    | CommandOf<'verify'>,
  settings: CliSettings,
  terminal: Terminal,
  inputs: Inputs,
): Promise<ProjectOfPaths> {
  const { paths, isExcluded } = inputs;
  terminal.showProgress('Reading the configuration');
  const filesRead = await projectOfPaths({
    paths,
    streams: inputs.streams.map((each) => each.path),
    isExcluded,
    isUnused: unusedFileTest(inputs, settings),
    settings,
    unsafe: commandArguments.command === 'fix' && commandArguments.unsafe,
    onRead: (count, file) => terminal.showProgress(() => `${countWithNoun(count, 'file')}: ${path.relative('', file)}`),
  });
  terminal.clearProgress();
  return filesRead;
}

/**
 * Reads the files for `fix`. With `--keep-both`, .htaccess files without a main file are converted
 * as if the user had answered that no other file controls access, and, if some lines are of 2.4,
 * that 2.4 runs; `commandArguments` in the result has these answers.
 */
async function readFilesForFix(
  commandArguments: CommandOf<'fix'>,
  terminal: Terminal,
  inputs: Inputs,
): Promise<{
  readonly commandArguments: CommandOf<'fix'>;
  readonly settings: CliSettings;
  readonly filesRead: ProjectOfPaths;
}> {
  const settings = settingsFor({ ...commandArguments, writes: commandArguments.write }, terminal);
  const filesRead = await readFiles(commandArguments, settings, terminal, inputs);
  if (!commandArguments.keepsBoth || answersStandaloneQuestion(commandArguments))
    return { commandArguments, settings, filesRead };
  const kind = await kindOfStandaloneFiles(inputs, filesRead);
  if (kind !== 'htaccess') {
    if (kind === 'others')
      terminal.note(
        'an application ships these files? Then add --answer outside-unseen:.=none, which means that nothing else controls access to their directories and URLs',
      );
    return { commandArguments, settings, filesRead };
  }
  terminal.note(
    'converted as if nothing else controls access to the directories of these .htaccess files, because they are for both versions. To keep their lines, add --answer outside-unseen:.=keep',
  );
  const readFilesWithAnswer = async (id: string, answer: string, earlierArguments: CommandOf<'fix'>) => {
    const withAnswer = { ...earlierArguments, answers: new Map([...earlierArguments.answers, [id, answer]]) };
    const answeredSettings = settingsFor({ ...withAnswer, writes: commandArguments.write }, terminal);
    return {
      commandArguments: withAnswer,
      settings: answeredSettings,
      filesRead: await readFiles(withAnswer, answeredSettings, terminal, inputs),
    };
  };
  const withStandaloneAnswer = await readFilesWithAnswer(STANDALONE_QUESTION_ID, 'none', commandArguments);
  const version = openQuestionId(RUNNING_VERSION_QUESTION);
  const isVersionAsked = withStandaloneAnswer.filesRead.project
    .openQuestionsOf('')
    .some(({ coveringQuestion }) => coveringQuestion === RUNNING_VERSION_QUESTION);
  if (!isVersionAsked || commandArguments.answers.has(version)) return withStandaloneAnswer;
  terminal.note('some of these files have lines of 2.4: each version keeps the access that it gives now');
  // In 2.2 the old lines stay. So only the access that 2.4 gives now can change.
  return readFilesWithAnswer(version, '2.4', withStandaloneAnswer.commandArguments);
}

/** Whether the command line answers the question whether other files control access. */
function answersStandaloneQuestion({ settings, answers }: CommonArguments): boolean {
  const answeredIds = [...answers.keys()];
  return (
    settings['accessControl.assumeStandalone'] === true || answeredIds.some((id) => id.startsWith('outside-unseen:'))
  );
}

/**
 * The kind of the files, if none of them belongs to a configuration, as in a web application:
 * `htaccess` if all are .htaccess files, else `others`. Null if there are no files, or if one
 * belongs to a configuration.
 */
async function kindOfStandaloneFiles(inputs: Inputs, filesRead: ProjectOfPaths): Promise<'htaccess' | 'others' | null> {
  let kind: 'htaccess' | 'others' | null = null;
  for await (const { path: file } of inputs.files(filesRead)) {
    if (filesRead.rootsOf(file).some((root) => root !== '' && !filesRead.project.isStandalone(root))) return null;
    kind = isHtaccessName(file) && kind !== 'others' ? 'htaccess' : 'others';
  }
  return kind;
}

/** Whether `--output` has no effect: only for an archive do `fix` and `migrate` write a copy. */
function isOutputUseless(commandArguments: Arguments & CommonArguments): boolean {
  if (commandArguments.command !== 'fix' && commandArguments.command !== 'migrate') return false;
  return commandArguments.output !== null && !commandArguments.paths.some(isArchive);
}

/**
 * The suggested next command repeats at most this many paths. A shell pattern can give thousands.
 */
const MAX_REPEATED_PATHS = 8;

/**
 * The options and paths of this command as one text, for the next command that the output suggests.
 */
function argumentsToRepeat(commandArguments: CommonArguments): string {
  const givenPaths = commandArguments.givenPaths ?? commandArguments.paths;
  const optionWords = [
    ...(commandArguments.target ? ['--target', targetName(commandArguments.target)] : []),
    ...(commandArguments.distribution ? ['--distribution', commandArguments.distribution] : []),
    ...serverOptionWords(commandArguments.server),
    ...optionsFor(commandArguments.settings),
    ...[...commandArguments.answers].flatMap(([id, answer]) => ['--answer', shellWord(`${id}=${answer}`)]),
    ...(commandArguments.projectFile === null ? [] : ['--config', shellWord(commandArguments.projectFile)]),
    ...commandArguments.exclude.flatMap((pattern) => ['--exclude', shellWord(pattern)]),
    ...(givenPaths.length > MAX_REPEATED_PATHS ? ['PATH…'] : givenPaths.map((word) => shellPath(word))),
  ];
  return optionWords.join(' ');
}

/**
 * Like `argumentsToRepeat`, for a suggested command that writes. For an archive, it writes a copy.
 */
function argumentsToRepeatForWriting(commandArguments: CommonArguments): string {
  return `${commandArguments.givenPaths?.some(isArchive) ? '--output migrated ' : ''}${argumentsToRepeat(commandArguments)}`;
}

/** The options about the server, as words of a command. */
function serverOptionWords({ serverRoot, map, defines, builtIn }: CommandOf<'check'>['server']): string[] {
  return [
    ...(serverRoot === null ? [] : ['--server-root', shellWord(serverRoot)]),
    ...(map?.entries ?? []).flatMap(({ from, to }) => ['--map', shellWord(`${from}=${to}`)]),
    ...[...(defines ?? [])].flatMap(([name, value]) => ['-D', shellWord(value === '' ? name : `${name}=${value}`)]),
    ...(builtIn ? ['--modules', [...builtIn].join(',')] : []),
  ];
}

/**
 * The exit code: 2 if something could not be read, 1 for problems of the severity `failOn` or
 * above, otherwise 0.
 */
function exitCode(terminal: Terminal, summary: Summary, failOn: Severity | null): number {
  if (terminal.hadProblems) return 2;
  if (failOn === null) return 0;
  const countedSeverities = SEVERITIES.slice(0, SEVERITIES.indexOf(failOn) + 1);
  return countedSeverities.some((severity) => summary[severity] > 0) ? 1 : 0;
}
