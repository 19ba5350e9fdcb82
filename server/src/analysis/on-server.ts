/**
 * Makes the tasks on the server, such as installing a package: what the upgrade needs besides
 * changes of the configuration. The plan has a task only if a line or a file of the configuration
 * causes it, and lists these lines and files. Does no I/O.
 */
import type { Distribution } from '../config/distribution';
import { activityOf } from '../config/activity';
import { namesIn } from '../config/name-set';
import { moduleNamed } from '../config/modules';
import { isModuleOf22Only, REPLACEMENT_BY_MODULE } from '../config/old-modules';
import { sourceTextOf, type BuiltModules, type StartOptions } from '../config/service-file';
import { DEFAULT_TARGET, isNewForServer, type Target } from '../config/target';
import { argumentsOf, spelledName, type Line, LineKind } from '../syntax/line';
import type { Tree } from '../syntax/document';
import { forEachItem, Section, type List } from '../syntax/tree';
import { Fact, hasFact, type FileFacts } from '../rules/support/facts';
import { shortened } from '../rules/support/edits';
import { debianName } from '../rules/support/load-module-fix';
import { ANY_PHP_ANSWER, PHP_SETTINGS, phpSetting, phpSettingIn, mayHavePhpSettingComment } from '../rules/support/php';
import { isForBothVersions, type AnswerSet } from './answers';
import { optionForReadingLine, sentenceStartForOption } from './conditions-around';
import type { PlacedFinding } from './engine';
import type { FileInfo } from './engine-view';
import { tasksOf, type OnServerItem, type PlanPlace } from './server-tasks';
import { moduleLinesTasks } from './module-lines';
import { EXAMPLES_OF_STOCK_ITEMS, stockFileTasks, takesNewMainFile, type StockFile } from './stock-layout';
import { EXAMPLE_OF_FILES_TO_ENABLE } from './files-to-enable';
import { addTo } from '../syntax/groups';

/** A line that causes a task on the server, and what the task's text shows about it. */
interface ServerCause {
  /** The id of the task. */
  readonly id: string;
  /** Offset in the file. */
  readonly offset: number;
  /** The name that the task's text shows for this place: a module, a directory or a program. */
  readonly shownName?: string;
  /** The commands for the task, one on each line. */
  readonly commands?: string;
  /** Whether 2.4 does not start before the task is done. */
  readonly isBlocking?: boolean;
  /**
   * The option of httpd without which it does not read the line, from `optionForReadingLine`. Null
   * if there is none.
   */
  readonly option: string | null;
  /**
   * Whether a finding of a rule causes the task. Such a cause also counts in files for 2.4, because
   * rules already check for which version a file is written.
   */
  readonly isCausedByFinding: boolean;
}

/** Facts about the server that decide the texts of tasks. */
export interface ServerFacts {
  readonly target: Target;
  readonly distribution: Distribution | null;
  /** The options in the distribution's file for starting httpd. Null if there is no such file. */
  readonly startOptions?: StartOptions | null;
  /**
   * Whether fixes of this program may have written the lines of 2.4. Then these lines do not show
   * which version the server runs.
   */
  readonly isFrom22?: boolean;
  /** The MPM that the user chose for 2.4. */
  readonly mpm?: string;
  /** The MPM that a LoadModule line of httpd.conf loads, if the user chose none. */
  readonly mpmOfLine?: string;
  /** Whether httpd.conf includes the files of Red Hat's packages that load modules. */
  readonly includesPackageLoads?: boolean;
  /** Debian: the names of the modules that mods-enabled enables, as in `rewrite`. */
  readonly enabledModules?: readonly string[];
  /** Whether 2.2 also reads the files. Then no task may remove what 2.2 needs. */
  readonly isForBoth?: boolean;
}

/** The lines of a file that cause tasks on the server. */
export interface FileCauses {
  readonly tree: Tree;
  /** The causes of tasks in the file, by the id of the task, in the order of the text. */
  readonly causesByTask: ReadonlyMap<string, readonly ServerCause[]>;
  /**
   * The directives in the file that decide whether tasks exist. One of them can make a task
   * unneeded (`ServerTask.directivesThatMakeUnneeded`).
   */
  readonly directiveNames: ReadonlySet<string>;
  /** Whether the file loads a module that only 2.4 has, so that it is written for 2.4. */
  readonly loadsModulesOf24: boolean;
}

/**
 * Finds the causes of tasks in a file, in one walk over the file. Only lines that may cause a task
 * are parsed.
 */
export function causesIn(
  tree: Tree,
  findings: Iterable<PlacedFinding>,
  facts: FileFacts,
  { target, answerSet }: Pick<ServerFacts, 'target'> & { readonly answerSet: Pick<AnswerSet, 'answers'> },
  {
    isHtaccess = false,
    fileContext,
    furtherContexts = [],
  }: Partial<Pick<FileInfo, 'isHtaccess' | 'fileContext' | 'furtherContexts'>> = {},
): FileCauses {
  const causesByTask = new Map<string, ServerCause[]>();
  const addCause = (cause: Omit<ServerCause, 'option'>) =>
    addTo(causesByTask, cause.id, {
      option: cause.id === START_OPTIONS_TASK ? null : optionForReadingLine(tree, cause.offset, fileContext ?? null),
      ...cause,
    });
  const contexts = [fileContext, ...furtherContexts];
  const isNeverRead = (section: Section) =>
    section.name === 'ifdefine' && contexts.every((each) => each?.activityOf(section) === 'inactive');
  const foundDirectives = new Set<string>();
  const phpAnswer = answerSet.answers.get('php') ?? '';
  const lacksPhpModule = phpAnswer === 'none';
  const isTaskOfOtherAnswer = (id: string) =>
    (PHP_TASKS.includes(id) && !lacksPhpModule) ||
    (id === PHP_MODULE_TASK && !isPhpVersion(phpAnswer) && phpAnswer !== ANY_PHP_ANSWER);
  const isPossibleTask = (id: string, isForPhpModule: boolean, lineArguments: readonly string[]) =>
    !isTaskOfOtherAnswer(id) || (isForPhpModule && isForUserIni(id, lineArguments));
  const isPhpCondition = ({ name, open }: Section) => lacksPhpModule && name === 'ifmodule' && /php/.test(open.text);
  // PHP-FPM reads no line of a .htaccess file. So the settings stay a task until an answer says how
  // PHP runs.
  const opensUserIniLines = (section: Section) =>
    isHtaccess && !lacksPhpModule && !isPhpVersion(phpAnswer) && isConditionForPhpModule(section);
  const isForBoth = isForBothVersions(answerSet);
  for (const finding of findings) {
    if (isForBoth && finding.isReadByBoth)
      addCause({
        id: LATER_CHANGES_TASK,
        offset: finding.start,
        shownName: directiveNameAt(tree, finding.start),
        isCausedByFinding: true,
      });
    const taskOfFinding =
      taskForFinding(finding.rule.id, finding.messageId, 'findings') ??
      taskForFinding(finding.rule.id, finding.messageId, 'findingsWithFixes');
    if (taskOfFinding === null) continue;
    for (const { start } of [finding, ...finding.places]) {
      const lineArguments = taskOfFinding.nameOf ? argumentsOf(tree.lineAt(start)!.line).map(({ value }) => value) : [];
      const shownName = taskOfFinding.showsHeadline ? finding.what : taskOfFinding.nameOf?.(lineArguments);
      if (lacksPhpModule && shownName !== undefined && /^php\d?_module$/.test(shownName)) continue;
      addCause({
        id: taskOfFinding.id,
        offset: start,
        shownName,
        commands: finding.run,
        // If a fix in the files solves the problem, the task does not prevent the start of 2.4.
        isBlocking: finding.severity === 'error' && isSolvedOnServer(finding.rule.id, finding.messageId),
        isCausedByFinding: true,
      });
    }
  }
  const walk = (list: List, base: number, isForPhpModule: boolean): void =>
    forEachItem(list, base, (item, offset) => {
      if (item instanceof Section) {
        if (item.name === 'ifdefine')
          addCause({ id: START_OPTIONS_TASK, offset, shownName: flagNameOf(item.open), isCausedByFinding: false });
        if (isNeverRead(item)) return;
        const isBodyForPhpModule = isForPhpModule || opensUserIniLines(item);
        if (isPhpCondition(item) || isBodyForPhpModule || activityOf(item.open, target) !== 'inactive')
          walk(item.body, offset + item.open.length, isBodyForPhpModule);
        return;
      }
      const setting = item.kind === LineKind.Comment ? phpSettingIn(item.text) : null;
      if (setting !== null) addCause({ id: PHP_SETTINGS_TASK, offset, shownName: setting, isCausedByFinding: true });
      const tasksOfLine = item.kind === LineKind.Directive ? TASKS_BY_DIRECTIVE.get(item.name) : undefined;
      if (tasksOfLine === undefined) return;
      foundDirectives.add(item.name);
      const lineArguments = argumentsOf(item).map(({ value }) => value);
      if (item.name === 'loadmodule' && /^php\d?_module$/.test(lineArguments[0] ?? ''))
        foundDirectives.add(LOAD_MODULE_OF_PHP);
      for (const { id, isCausedBy } of tasksOfLine) {
        if (!isPossibleTask(id, isForPhpModule, lineArguments)) continue;
        const cause = id === PHP_MODULE_TASK ? namePhpToInstall(phpAnswer, item) : isCausedBy!(lineArguments, item);
        if (cause !== false)
          addCause({ id, offset, ...(cause !== true && { shownName: cause }), isCausedByFinding: false });
      }
    });
  const mayHaveCauses = namesIn(tree.root).hasSome((name) => TASKS_BY_DIRECTIVE.has(name) || name === '<ifdefine');
  if (mayHaveCauses || (tree.length < MAX_SEARCHED_LENGTH && mayHavePhpSettingComment(tree.text())))
    walk(tree.root, 0, false);
  return {
    tree,
    causesByTask,
    directiveNames: foundDirectives,
    loadsModulesOf24: hasFact(facts, Fact.loads24),
  };
}

/** The name of the directive in the line at an offset, as the user wrote it. */
function directiveNameAt(tree: Tree, offset: number): string {
  const { line } = tree.lineAt(offset)!;
  return spelledName(line);
}

/**
 * Whether a problem must be solved on the server, because no change of the configuration solves it.
 */
export function isSolvedOnServer(rule: string, messageId: string): boolean {
  return taskForFinding(rule, messageId, 'findings') !== null;
}

/** Whether a finding usually needs no action, so that the plan shows it as a note. */
export function isOnlyServerNote(rule: string, messageId: string): boolean {
  return taskForFinding(rule, messageId, 'findings')?.isNote === true;
}

/** A file of a configuration. */
export interface ServerFile {
  /** The absolute path. Without it, only the name that the plan shows tells the directory. */
  readonly path?: string;
  /** The lines that cause tasks. */
  readonly causes: FileCauses;
  /** Converts an offset in the file to the place that the plan shows. */
  readonly placeOf: (offset: number) => PlanPlace;
  /** Whether the configuration of a main file reads the file. */
  readonly isReadByServer?: boolean;
}

/**
 * Makes the tasks of one configuration, in the order of `SERVER_TASKS`. `moduleFiles`: the files of
 * Debian's mods-available that `files` does not have. `enablingTasks`: from `filesToEnableTasks`.
 */
export function onServerItems(
  files: readonly ServerFile[],
  facts: ServerFacts,
  moduleFiles: readonly StockFile[] = [],
  enablingTasks: readonly OnServerItem[] = [],
): OnServerItem[] {
  const mpmOfLine = facts.mpm === undefined ? mpmLoadedBy(files) : undefined;
  const factsWithMpm = mpmOfLine === undefined ? facts : { ...facts, mpm: mpmOfLine, mpmOfLine };
  // A configuration that was written for 2.4 needs no steps of an upgrade from 2.2.
  const loadsModulesOf24 = files.some(({ causes }) => causes.loadsModulesOf24);
  const isWrittenFor24 = factsWithMpm.isFrom22 !== true && factsWithMpm.isForBoth !== true && loadsModulesOf24;
  const taskItems = tasksOfTable(files, factsWithMpm, loadsModulesOf24, isWrittenFor24);
  if (isWrittenFor24 && factsWithMpm.target.runningPatch === undefined)
    return factsWithMpm.target.runsUnknown24 ? taskItems : [...taskItems, ...noteOfSteps(files, factsWithMpm)];
  const filesReadByServer = files.flatMap(({ causes: { tree }, placeOf, isReadByServer }) =>
    isReadByServer ? [{ tree, placeOf }] : [],
  );
  const indexAfterLayout = taskItems.findIndex(({ id }) => id === 'debian-layout') + 1;
  const stockTasks = stockFileTasks(filesReadByServer, factsWithMpm.distribution, factsWithMpm.isForBoth);
  const isMainFileNew = takesNewMainFile(stockTasks, factsWithMpm.distribution);
  const isNeeded = ({ id, isBlocking }: OnServerItem) =>
    !isMainFileNew || isBlocking === true || !TASKS_OF_OLD_MAIN_FILE.has(id);
  return [
    ...taskItems.slice(0, indexAfterLayout).filter(isNeeded),
    ...stockTasks,
    // If 2.2 also reads the files, its own main file decides which files are enabled.
    ...(factsWithMpm.isForBoth ? [] : enablingTasks),
    ...moduleLinesTasks([...filesReadByServer, ...moduleFiles], factsWithMpm.distribution),
    ...taskItems.slice(indexAfterLayout).filter(isNeeded),
  ];
}

/** Tasks that keep or change the old main file. They contradict the task to take the new one. */
const TASKS_OF_OLD_MAIN_FILE: ReadonlySet<string> = new Set(['debian-layout', 'package-modules']);

/** Tasks that concern the whole server, whatever lines cause them. */
const TASKS_OF_WHOLE_SERVER: ReadonlySet<string> = new Set([
  'strict-protocol',
  'error-log',
  'error-page-text',
  'beside',
]);

/**
 * The tasks for files that no main file reads, without those that the tasks of a main file contain.
 * `tasksOfMainFiles`: the tasks of all main files.
 */
export function tasksBesideMainFiles(
  tasks: readonly OnServerItem[],
  tasksOfMainFiles: readonly OnServerItem[],
): OnServerItem[] {
  return tasks.filter(
    (task) =>
      !TASKS_OF_WHOLE_SERVER.has(task.id) ||
      !tasksOfMainFiles.some(({ id, what }) => id === task.id && what === task.what),
  );
}

/**
 * The MPM of the first LoadModule line for an MPM, such as `prefork`; undefined if no line loads
 * one. These lines are among the places that cause the task `choose-mpm`.
 */
function mpmLoadedBy(files: readonly ServerFile[]): string | undefined {
  const causes = files.flatMap(({ causes }) => causes.causesByTask.get(CHOOSE_MPM_TASK) ?? []);
  return causes.map(({ shownName = '' }) => /^mpm_(\w+)_module$/.exec(shownName)?.[1]).find(Boolean);
}

/** A step of the plan that the command `explain` describes. */
export interface ExplainedStep {
  readonly id: string;
  readonly title: string;
  /** Returns the page in Markdown. */
  readonly page: () => string;
}

/**
 * All steps that a plan can list. In their texts, NAME stands for the names in the lines that cause
 * the step.
 */
export function explainedSteps(): readonly ExplainedStep[] {
  const stepsOfTable = SERVER_TASKS.map(({ id, title, what, source, isNote, exampleNames = ['NAME'] }) =>
    explainedStep({ id, title, isNote, what: what(exampleNames, EXAMPLE_FACTS, []) }, source),
  );
  return [
    ...stepsOfTable,
    ...EXAMPLES_OF_STOCK_ITEMS.map((item) => explainedStep(item, 'the stock files of the packages of 2.2 and 2.4')),
    explainedStep(EXAMPLE_OF_FILES_TO_ENABLE, 'debian/config-dir/apache2.conf of apache2 2.4.1-1; a2enmod of Debian'),
    explainedStep(NOTE_OF_STEPS, 'modules that only 2.4 has'),
  ];
}

/** Makes a step that `explain` describes. `source`: where the facts in its text come from. */
function explainedStep(
  { id, title, what, isNote }: Pick<OnServerItem, 'id' | 'title' | 'what' | 'isNote'>,
  source: string,
): ExplainedStep {
  const kindText = isNote ? 'A note of the plan' : 'A step of the plan, to do on the server';
  const whereText =
    'The command `plan` lists it with the lines that cause it. Names and places in this text are examples.';
  return {
    id,
    title,
    page: () => `# ${id}\n\n**${title}**\n\n${kindText}. ${whereText}\n\n${what}\n\n## Sources\n\n- ${source}\n`,
  };
}

/**
 * Returns a note for files that are already written for 2.4: the steps of an upgrade from 2.2 are
 * not listed. The user may still need them, because fixes on another machine may have written the
 * files. Empty if there are no such steps.
 */
function noteOfSteps(files: readonly ServerFile[], serverFacts: ServerFacts): OnServerItem[] {
  const steps = tasksOf(onServerItems(files, { ...serverFacts, isFrom22: true }));
  if (steps.length === 0) return [];
  return [{ ...NOTE_OF_STEPS, because: steps.flatMap(({ because: [first] }) => first ?? []) }];
}

/** The note that stands for the steps of an upgrade from 2.2. */
const NOTE_OF_STEPS = {
  id: 'steps-from-22',
  title: 'Steps of an upgrade',
  what: 'No action needed if the server already runs 2.4, for which the files are written. If you upgrade from 2.2, add `--source 2.2` to the command `plan`: it then lists the other steps on the server.',
  isNote: true,
} as const;

/** Example facts about a server, for texts that describe a task without a configuration. */
const EXAMPLE_FACTS: ServerFacts = {
  target: DEFAULT_TARGET,
  distribution: null,
  startOptions: {
    path: '',
    serverPath: '/etc/sysconfig/httpd',
    defineFlags: new Set(),
    environment: new Map(),
    mpm: { name: 'prefork', variable: 'HTTPD', file: '/etc/sysconfig/httpd', row: 0 },
    builtModules: { variable: 'APACHE2_MODULES', file: '/etc/portage/make.conf', row: 0, names: ['authn_default'] },
  },
};

/**
 * The tasks of `SERVER_TASKS` that these files cause. `loadsModulesOf24`: whether a file loads a
 * module that only 2.4 has. `isWrittenFor24`: whether the configuration was written for 2.4.
 */
function tasksOfTable(
  files: readonly ServerFile[],
  serverFacts: ServerFacts,
  loadsModulesOf24: boolean,
  isWrittenFor24: boolean,
): OnServerItem[] {
  // The files that cause a task, by the id of the task. Looking at all files for each task would
  // take longer, because most files cause few tasks.
  const filesByCause = new Map<string, ServerFile[]>();
  for (const file of files)
    for (const id of file.causes.causesByTask.keys()) {
      const filesWithCause = filesByCause.get(id);
      if (filesWithCause) filesWithCause.push(file);
      else filesByCause.set(id, [file]);
    }
  const filesToSearch = (id: string, isByName: boolean) => (isByName ? files : (filesByCause.get(id) ?? []));
  return SERVER_TASKS.flatMap(
    ({
      id,
      title,
      what,
      whatForBoth,
      appliesToServer,
      appliesToName,
      onlyInFiles,
      findings,
      causingFileName,
      isCausedByName,
      isNote,
      showsPlace,
      since = 0,
      commands: commandsOfTask,
      directivesThatMakeUnneeded = [],
    }): OnServerItem[] => {
      if (appliesToServer?.(serverFacts) === false) return [];
      const { runningPatch } = serverFacts.target;
      const isNoLongerNeeded =
        !isNewForServer(since, serverFacts.target) || (runningPatch === undefined && isWrittenFor24);
      const causingNameIn =
        isCausedByName && !loadsModulesOf24
          ? (path: string) => nameGivingCause(isCausedByName, causingFileName ?? onlyInFiles, path)
          : null;
      if (directivesThatMakeUnneeded.some((name) => files.some(({ causes }) => causes.directiveNames.has(name))))
        return [];
      const causingPlaces = new CausingPlaces();
      const shownNames = new Set<string>();
      const commands = new Set<string>();
      let isBlocking: true | undefined;
      for (const { path, causes, placeOf, isReadByServer } of filesToSearch(id, causingNameIn !== null)) {
        // A file whose name causes the task counts even if a fix removes its only line: the file
        // stays until modules of 2.4 are enabled.
        const causingName = isReadByServer && causingNameIn?.(placeOf(0).file);
        if (causingName) {
          shownNames.add(causingName);
          causingPlaces.add(placeOf(0), null, causingName);
        }
        for (const cause of causes.causesByTask.get(id) ?? []) {
          if (
            (isNoLongerNeeded && !cause.isCausedByFinding) ||
            appliesToName?.(cause.shownName ?? '', serverFacts) === false
          )
            continue;
          const causePlace = placeOf(cause.offset);
          const fileNameMatch = matchOfFile({ onlyInFiles, findings }, cause, [causePlace.file, path]);
          if (fileNameMatch === null) continue;
          if (fileNameMatch !== undefined) shownNames.add(fileNameMatch[1]!);
          causingPlaces.add(causePlace, cause.option, cause.shownName);
          if (cause.shownName !== undefined) shownNames.add(nameWithPlace(cause.shownName, causePlace, showsPlace));
          cause.commands?.split('\n').forEach((command) => commands.add(command));
          if (cause.isBlocking) isBlocking = true;
        }
      }
      for (const command of commandsOfTask?.([...shownNames], serverFacts) ?? []) commands.add(command);
      const { because, optionText } = causingPlaces;
      if (because.length === 0) return [];
      return [
        {
          id,
          title,
          what: `${textMakerOf({ what, whatForBoth }, serverFacts)([...shownNames], serverFacts, [...commands])}${optionText}`,
          because,
          ...(commands.size > 0 && { commands: [...commands] }),
          ...(isBlocking && { isBlocking }),
          ...(isNote && { isNote }),
        },
      ];
    },
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/** Returns the function that makes the text of a task, for 2.4 or for both versions. */
function textMakerOf(
  { what, whatForBoth = what }: Pick<ServerTask, 'what' | 'whatForBoth'>,
  { isForBoth }: ServerFacts,
): ServerTask['what'] {
  return isForBoth ? whatForBoth : what;
}

/** The name of a cause as a task's text shows it. `showsPlace`: as in `ServerTask`. */
function nameWithPlace(name: string, { file, line }: PlanPlace, showsPlace = false): string {
  return showsPlace ? `${name} (${file}:${line + 1})` : name;
}

/** The places that cause a task. */
class CausingPlaces {
  private readonly placeByKey = new Map<string, PlanPlace>();
  private readonly options = new Set<string | null>();
  /**
   * Places that httpd reads only with an option, and that have no name to show. They are used only
   * if there are no other places.
   */
  private readonly optionalPlaces = new Map<string, PlanPlace>();
  private readonly optionsOfOptionalPlaces = new Set<string | null>();

  /** Adds a place. `option`, `shownName`: as in `ServerCause`. */
  add(place: PlanPlace, option: string | null, shownName: string | undefined): void {
    const isOfOptionOnly = option !== null && shownName === undefined;
    (isOfOptionOnly ? this.optionalPlaces : this.placeByKey).set(`${place.line} ${place.file}`, place);
    (isOfOptionOnly ? this.optionsOfOptionalPlaces : this.options).add(option);
  }

  /** The places that the plan shows for the task. */
  get because(): readonly PlanPlace[] {
    return [...(this.placeByKey.size > 0 ? this.placeByKey : this.optionalPlaces).values()];
  }

  /**
   * A sentence about lines that httpd reads only with an option, after a space. '' if there are no
   * such lines.
   */
  get optionText(): string {
    const options = [...(this.placeByKey.size > 0 ? this.options : this.optionsOfOptionalPlaces)];
    const option = options.find((each) => each !== null);
    if (option == null) return '';
    return ` ${sentenceStartForOption(option)} ${options.length === 1 ? 'these lines' : 'some of these lines'}.`;
  }
}

/**
 * The match of a file's name or path with `onlyInFiles`. Null if neither matches, so that the file
 * cannot cause the task. Undefined if they do not matter: there is no pattern, or a finding in
 * `findings` is the cause.
 */
function matchOfFile(
  { onlyInFiles, findings }: Pick<ServerTask, 'onlyInFiles' | 'findings'>,
  { isCausedByFinding }: ServerCause,
  [name, path = name]: readonly [string, string | undefined],
): RegExpExecArray | null | undefined {
  if (onlyInFiles === undefined || (findings !== undefined && isCausedByFinding)) return undefined;
  // A name can lack the directory, for example if the user gave the directory as `.`.
  return onlyInFiles.exec(name) ?? onlyInFiles.exec(path);
}

/**
 * The part of a file's name that the text of a task shows. Null if the name does not cause the
 * task.
 */
function nameGivingCause(
  isByName: (name: string) => boolean,
  pattern: RegExp | undefined,
  path: string,
): string | null {
  const causingName = pattern?.exec(path)?.[1];
  return causingName !== undefined && isByName(causingName) ? causingName : null;
}

/**
 * The task that findings of a rule with this message cause. Null if there is none. `kind`: the list
 * of `ServerTask` in which the rule must be.
 */
function taskForFinding(rule: string, messageId: string, kind: 'findings' | 'findingsWithFixes'): ServerTask | null {
  const taskWithMessage = TASKS_BY_RULE[kind]
    .get(rule)
    ?.find(({ message }) => message === undefined || message === messageId);
  return taskWithMessage?.task ?? null;
}

/** A task on the server, with what causes it. */
interface ServerTask {
  readonly id: string;
  /** The title. It has at most 25 characters; a test checks that. */
  readonly title: string;
  /**
   * The task in one or two sentences. `causingNames`: the names that the causes show. `commands`:
   * the commands that follow the text.
   */
  readonly what: (causingNames: readonly string[], serverFacts: ServerFacts, commands: readonly string[]) => string;
  /** The text to use instead if 2.2 also reads the files. */
  readonly whatForBoth?: ServerTask['what'];
  /** The source of the facts in the task's text. */
  readonly source: string;
  /**
   * Example names for the text that `explain` shows. If absent, the text has the word NAME instead.
   */
  readonly exampleNames?: readonly string[];
  /** Directives, in lower case, whose lines may cause the task. */
  readonly names?: readonly string[];
  /**
   * Whether a line causes the task. `words`: the arguments of the line. If the result is a text, it
   * is the name that the task's text shows.
   */
  readonly isCausedBy?: (words: readonly string[], line: Line) => boolean | string;
  /** Findings that cause the task. The plan lists the task instead of them. */
  readonly findings?: readonly (readonly [rule: string, messageId?: string])[];
  /** Findings that cause the task, and that the plan also lists with their fixes. */
  readonly findingsWithFixes?: ServerTask['findings'];
  /**
   * A pattern of file names: only lines of these files can cause the task. The task's text shows
   * the first group of the match.
   */
  readonly onlyInFiles?: RegExp;
  /**
   * A pattern of file names for `isCausedByName`, used instead of `onlyInFiles` if lines of other
   * files can also cause the task. The task's text shows the first group of the match.
   */
  readonly causingFileName?: RegExp;
  /**
   * Whether a file that the configuration reads causes the task by its name alone. `name`: the
   * first group of the match.
   */
  readonly isCausedByName?: (name: string) => boolean;
  /** Makes commands for the task. Commands of findings are added to them. */
  readonly commands?: (causingNames: readonly string[], serverFacts: ServerFacts) => readonly string[];
  /** Returns the name that the task's text shows for a line which causes the task. */
  readonly nameOf?: (words: readonly string[]) => string | undefined;
  /** Whether the task's text shows the file and the line after each name of `nameOf`. */
  readonly showsPlace?: true;
  /** Whether the task's text shows the headlines of the findings that cause it. */
  readonly showsHeadline?: true;
  /** The patch release of 2.4 that first needs the task. Absent for 2.4.0. */
  readonly since?: number;
  /** Whether a server with these facts needs the task. */
  readonly appliesToServer?: (serverFacts: ServerFacts) => boolean;
  /** Set if the text only informs, and the user has nothing to do. */
  readonly isNote?: true;
  /**
   * Whether a cause counts on a server with these facts. `causingName`: the name that the cause
   * shows.
   */
  readonly appliesToName?: (causingName: string, serverFacts: ServerFacts) => boolean;
  /**
   * Directives that make the task unneeded: if the configuration has one of them, the plan does not
   * have the task.
   */
  readonly directivesThatMakeUnneeded?: readonly string[];
}

const alwaysTrue = () => true;
/** At most five of the names, and the number of the others. */
const firstNamesText = (names: readonly string[]) =>
  names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
/**
 * Returns a test for the arguments of a line: whether one of them is a wanted word. An argument can
 * have several words with semicolons between them, such as `INCLUDES;DEFLATE`.
 */
const hasOneOf =
  (...wanted: readonly string[]) =>
  (words: readonly string[]) =>
    words.some((word) =>
      word
        .toLowerCase()
        .split(';')
        .some((part) => wanted.includes(part)),
    );
/** Directives that name log files. */
const LOG_FILE_DIRECTIVES = ['errorlog', 'customlog', 'transferlog', 'forensiclog'];

/**
 * The name that the task to install PHP shows for a line: the version of the module, or, if it is
 * not known how PHP will run, the setting for PHP-FPM. `answer`: to the question `php`.
 */
function namePhpToInstall(answer: string, line: Line): string | false {
  const setting = phpSetting(line, true);
  if (setting === null) return false;
  return isPhpVersion(answer) ? `PHP ${answer}` : setting;
}

/** Whether an answer to the question `php` says that PHP runs as a module. */
function isPhpVersion(answer: string): boolean {
  return ['5', '7', '8'].includes(answer);
}

/** Whether a section is an `<IfModule>` that httpd reads only with a PHP module. */
function isConditionForPhpModule({ name, open }: Section): boolean {
  return name === 'ifmodule' && /^\s*<ifmodule\s+"?(?:mod_php\d?\.c|php\d?_module)\b/i.test(open.text);
}

/**
 * Whether the task with this id names a line for .user.ini. Only the PHP module has the setting
 * `engine`.
 */
function isForUserIni(id: string, [name]: readonly string[]): boolean {
  return id === PHP_MODULE_TASK && name?.toLowerCase() !== 'engine';
}

/** The text of the task about modules that were built for 2.2. */
function modulesToInstallText(causingNames: readonly string[]): string {
  return [
    `Install these modules in a version for 2.4: ${causingNames.map((name) => (/^php[345]_module$/.test(name) ? `${name} (or the PHP module that you use with 2.4)` : name)).join(', ')}. httpd 2.4 does not load modules that were built for 2.2.`,
    ...(causingNames.some((name) => /apple|^bonjour/.test(name))
      ? ['The modules of Apple come only with macOS: if 2.4 has no such file, remove the LoadModule line.']
      : []),
  ].join(' ');
}

/**
 * The id of the task about the php.ini settings that the PHP module read from the configuration.
 */
const PHP_SETTINGS_TASK = 'php-settings';
/** The id of the task about the scripts that the PHP module ran. */
const PHP_SCRIPTS_TASK = 'php-scripts';
/** The id of the task to install PHP. Lines cause it only if 2.4 gets, or may get, a PHP module. */
const PHP_MODULE_TASK = 'php-module';
/** The entry in `FileCauses.directiveNames` that stands for a LoadModule line of PHP. */
const LOAD_MODULE_OF_PHP = 'loadmodule php';
/** Ids of tasks that lines cause only if the user answered that 2.4 has no PHP module. */
const PHP_TASKS: readonly string[] = [PHP_SETTINGS_TASK, PHP_SCRIPTS_TASK];

/**
 * Comments in a file are searched only if the file is shorter than this (in UTF-16 units), because
 * a longer file is no .htaccess file.
 */
const MAX_SEARCHED_LENGTH = 100_000;

/**
 * The id of the task about names in `<IfDefine>`. It exists if a file of the distribution sets such
 * a name with -D.
 */
const START_OPTIONS_TASK = 'start-options';
/** The id of the step that chooses the MPM of Red Hat's packages. */
const CHOOSE_MPM_TASK = 'choose-mpm';

/** The id of the note about lines that can stay as long as 2.2 reads the files. */
const LATER_CHANGES_TASK = 'later-changes';

/** Matches the names of the MPMs that are for Unix. */
const MPM_NAME = /^(prefork|worker|event)$/;

/** The name in the tag of an `<IfDefine>`, without the `!` of a negation. */
function flagNameOf(open: Line): string {
  return (argumentsOf(open)[0]?.value ?? '').replace(/^!/, '');
}

/** Modules without which 2.4 does not start with Gentoo's main file. */
const MODULES_NEEDED_BY_GENTOO = ['authn_core', 'authz_core', 'authz_host', 'dir', 'mime', 'unixd'];

/**
 * The changes to the list of modules with which Gentoo builds its package: modules to remove, and
 * modules to add.
 */
function gentooModuleChanges(
  startOptions: StartOptions | null | undefined,
): Record<'remove' | 'add', readonly string[]> {
  const builtModules: BuiltModules | null | undefined = startOptions?.builtModules;
  if (!builtModules) return { remove: [], add: [] };
  const remove = builtModules.names.filter(isModuleOf22Only);
  const neededModules = [
    ...MODULES_NEEDED_BY_GENTOO,
    ...remove.flatMap((name) => REPLACEMENT_BY_MODULE.get(name) ?? []),
    ...(startOptions!.defineFlags.has('SSL') ? ['socache_shmcb'] : []),
  ];
  return { remove, add: [...new Set(neededModules)].filter((name) => !builtModules.names.includes(name)) };
}

/**
 * Systems that have no commands to enable modules. `isRecognizedBy` tests for a system by a
 * LoadModule line or by the ServerRoot.
 */
const SYSTEMS_WITHOUT_COMMANDS: Readonly<
  Record<
    string,
    {
      readonly isRecognizedBy: (serverRoot: string | undefined, words: readonly string[]) => boolean;
      readonly locationText: string;
      readonly commands: readonly string[];
    }
  >
> = {
  macos: {
    isRecognizedBy: (_, [identifier, path]) =>
      identifier === 'authz_host_module' && path?.startsWith('libexec/apache2/') === true,
    locationText: 'On macOS, 2.4 reads /etc/apache2/httpd.conf, and launchd runs it as org.apache.httpd.',
    commands: ['sudo apachectl configtest', 'sudo apachectl restart'],
  },
  homebrew: {
    isRecognizedBy: (serverRoot = '') =>
      /^\/(?:usr\/local|opt\/homebrew)\/(?:opt|Cellar)\/httpd(?:2\d)?(?:\/|$)/.test(serverRoot),
    locationText:
      'With Homebrew, 2.4 is the formula httpd, and reads etc/httpd/httpd.conf below the directory of Homebrew.',
    commands: ['apachectl configtest', 'brew services restart httpd'],
  },
  arch: {
    isRecognizedBy: (serverRoot) => serverRoot === '/etc/httpd',
    locationText: 'On Arch, 2.4 reads /etc/httpd/conf/httpd.conf, and systemd runs it as httpd.service.',
    commands: ['apachectl configtest', 'systemctl restart httpd.service'],
  },
};

/** The table of tasks, in the order in which the plan lists them. */
const SERVER_TASKS: readonly ServerTask[] = [
  {
    id: 'enable-modules',
    title: 'Enable modules',
    findings: [['missing-module', 'a2enmod']],
    what: (_, { distribution, enabledModules = [] }, commands) => {
      const modulesIn24 = enabledModules.filter((name) => !isModuleOf22Only(name));
      const [, mpm] = /^a2enmod (mpm_\w+)/.exec(commands[0] ?? '') ?? [];
      const otherMpms = ['mpm_event', 'mpm_worker', 'mpm_prefork'].filter((each) => each !== mpm);
      return [
        'Enable the modules that 2.4 needs. Without these modules, 2.4 does not start or behaves differently than 2.2.',
        modulesIn24.length > 0
          ? `If 2.4 runs on a new machine, also enable the modules of this copy that you need: \`a2enmod ${modulesIn24.join(' ')}\`.`
          : 'The lines here show them: also enable others that `ls mods-enabled` of the 2.2 server shows and that you need.',
        ...(mpm !== undefined && distribution === 'debian'
          ? [`a2enmod refuses ${mpm} while another MPM is enabled: then run "a2dismod ${otherMpms.join(' ')}" first.`]
          : []),
      ].join(' ');
    },
    source: 'a2enmod(8) of Debian; the findings of missing-module',
  },
  {
    id: 'modules-of-sections',
    title: 'Modules of <IfModule>',
    findings: [['missing-module', 'section']],
    nameOf: ([tested = '']) => debianName(moduleNamed(tested) ?? tested),
    showsPlace: true,
    exampleNames: ['ssl (sites-available/default-ssl:1)'],
    what: (causingNames) =>
      `Only <IfModule> sections need these modules: ${causingNames.join(', ')}. 2.4 starts without them, and skips the sections without a message: their sites and ports are then missing. Enable the modules that \`ls mods-enabled\` of the 2.2 server shows, or that your sites need: for example, \`a2enmod ${/^\S+/.exec(causingNames[0]!)![0]}\`.`,
    source: 'server/core.c of 2.4: start_ifmod; the rule missing-module',
  },
  {
    id: 'modules-of-package',
    title: 'Modules of the package',
    isNote: true,
    findings: [['missing-module', 'package']],
    what: () =>
      'No action needed if the server has the httpd package of 2.4: its files in conf.modules.d load modules that these lines need. They are not in this copy.',
    source: 'the rule missing-module',
  },
  {
    id: 'modules-of-names',
    title: 'Modules for names of -D',
    isNote: true,
    findings: [['missing-module', 'if-defined']],
    showsHeadline: true,
    exampleNames: ['`SSLSessionCache`: with `-D SSL`, no line loads mod_socache_shmcb'],
    what: (causingNames) =>
      `No action needed if the server never starts with these names (-D): ${causingNames.join('; ')}. If it does, repeat the command with the names: the fixes then load the modules.`,
    source: 'the rule missing-module',
  },
  {
    id: 'links-as-text',
    title: 'Make links again',
    findings: [['unknown-directive', 'link-text']],
    what: () =>
      'Make these files links again, then run again. Git without links (as on Windows) made them text files with the paths of their targets. Run the command in the copy, in the directory above: it changes files in directories such as mods-enabled.',
    commands: () => [
      `find . -path '*-enabled/*' -type f -exec sh -c 'for f do t=$(cat "$f"); case $t in ../*) [ -f "\${f%/*}/$t" ] && ln -sf "$t" "$f";; esac; done' sh {} +`,
    ],
    source: 'git-config(1): core.symlinks; the rule unknown-directive',
  },
  {
    id: 'enable-files',
    title: 'Rename enabled files',
    findings: [
      ['enabled-not-included', 'not-matched'],
      ['enabled-not-included', 'conf-d'],
      ['enabled-not-included', 'httpd-conf'],
    ],
    appliesToServer: ({ distribution }) => distribution === 'debian',
    what: () =>
      'Rename the files that 2.4 does not read, so that their names end in .conf, and enable them again. Leave out files that you do not need any more. Until then, 2.4 ignores these files.',
    source: 'NEWS.Debian of apache2 2.4.1-1; a2enmod of Debian',
  },
  {
    id: 'debian-layout',
    title: 'Keep your apache2.conf',
    appliesToServer: ({ distribution }) => distribution === 'debian',
    names: ['include', 'includeoptional'],
    isCausedBy: ([path = '']) =>
      /^(?:\/etc\/apache2\/)?(?:(?:conf\.d|sites-enabled)(?:\/\*?)?|httpd\.conf)$/.test(path),
    causingFileName: /\/((?:sites-(?:enabled|available)|conf\.d)\/[^/]+)$/,
    isCausedByName: (name) => name.startsWith('conf.d/') || !name.endsWith('.conf'),
    what: (causingNames) =>
      [
        'Keep using your own apache2.conf. If the package upgrade asks about it, answer N. If 2.4 runs on a new machine, copy your file over the file of the package, and copy the files that it includes: conf.d, an empty httpd.conf, too, and the sites. Your file reads the same files as before, so not conf-enabled.',
        `The apache2.conf of the 2.4 package reads only sites-enabled/*.conf and conf-enabled/*.conf${causingNames.length > 0 ? `, so not ${firstNamesText(causingNames)}` : ''}.`,
        "If you use the package's file instead, copy it over yours in this copy, but do not rename or move other files. Then run plan again: it has the commands that rename the files and enable them, such as a2ensite and a2enconf.",
      ].join(' '),
    source: 'NEWS.Debian and debian/config-dir/apache2.conf of apache2 2.4.1-1; a2enmod of Debian',
  },
  {
    id: 'sysconfig-modules',
    title: 'Edit APACHE_MODULES',
    findings: [['sysconfig-modules']],
    what: () => 'Remove the modules that 2.4 does not have from APACHE_MODULES in /etc/sysconfig/apache2.',
    whatForBoth: () =>
      'On the 2.4 server only, remove the modules that 2.4 does not have from APACHE_MODULES in /etc/sysconfig/apache2. The 2.2 server needs them.',
    source: 'a2enmod of openSUSE',
  },
  {
    id: 'disable-modules',
    title: 'Disable old modules',
    findingsWithFixes: [['removed-module'], ['authn-alias-module'], ['disk-cache-module']],
    onlyInFiles: /(?:^|\/)mods-(?:enabled|available)\/([\w-]+)\.load$/,
    isCausedByName: (name) => isModuleOf22Only(name) || REPLACEMENT_BY_MODULE.has(name),
    what: (causingNames) =>
      `Disable the ${causingNames.length === 1 ? 'module' : 'modules'} ${firstNamesText(causingNames)}, which 2.4 does not have under ${causingNames.length === 1 ? 'this name' : 'these names'}, so that no link is left in mods-enabled.`,
    whatForBoth: (causingNames) =>
      `On the 2.4 server only, disable the ${causingNames.length === 1 ? 'module' : 'modules'} ${firstNamesText(causingNames)}. If both versions read the same mods-enabled, disable nothing: put the LoadModule lines of these files into \`<IfVersion < 2.4>\`.`,
    commands: (causingNames) => {
      const replacements = causingNames.flatMap((name) => REPLACEMENT_BY_MODULE.get(name) ?? []);
      return [
        `a2dismod ${causingNames.join(' ')}`,
        ...(replacements.length > 0 ? [`a2enmod ${replacements.join(' ')}`] : []),
      ];
    },
    source: 'a2enmod of Debian (sub doit): a2dismod removes a link that leads nowhere, too',
  },
  {
    id: 'rebuilt-modules',
    title: 'Install rebuilt modules',
    findings: [
      ['third-party-module', 'known'],
      ['third-party-module', 'unknown'],
    ],
    nameOf: ([identifier]) => identifier,
    // After an answer to the question `php`, a fix writes a LoadModule line, about which there is
    // no finding. So the name of the module in the line causes the task.
    names: ['loadmodule'],
    isCausedBy: ([identifier = '']) => /^php7?_module$/.test(identifier) && identifier,
    what: (causingNames) =>
      `${modulesToInstallText(causingNames)} If the package of a module loads it in a file of its own, remove the LoadModule line named here.`,
    whatForBoth: modulesToInstallText,
    source: 'server/mod_so.c of 2.4: load_module; manual 2.4, upgrading: third party modules',
  },
  {
    id: PHP_MODULE_TASK,
    title: 'Install PHP for 2.4',
    exampleNames: ['PHP 8'],
    names: PHP_SETTINGS,
    isCausedBy: (_, line) => phpSetting(line, true) !== null,
    directivesThatMakeUnneeded: [LOAD_MODULE_OF_PHP],
    what: (causingNames) => {
      const [version] = causingNames;
      return /^PHP \d$/.test(version ?? '')
        ? `Install ${version} as a module for 2.4 (on Debian and Ubuntu, the package libapache2-mod-php), or ask your hosting provider for it. Without the module, httpd skips these lines in \`<IfModule>\` sections. Elsewhere, it does not start, or requests get 500.`
        : `Install PHP for 2.4, or ask your hosting provider how it runs: as a module (on Debian and Ubuntu, the package libapache2-mod-php) or with PHP-FPM. PHP-FPM does not read these lines. With it, write into .user.ini in the directory of the PHP files: ${causingNames.map((each) => each.replace(/^[^:]*: /, '')).join(', ')}.`;
    },
    source: 'manual of PHP: Apache 2.x on Unix systems; .user.ini files; Debian, package libapache2-mod-php',
  },
  {
    id: PHP_SCRIPTS_TASK,
    title: 'Connect PHP-FPM',
    names: ['addhandler', 'sethandler', 'addtype'],
    isCausedBy: ([handler = '']) => /^(?:php\d?-script|application\/x-httpd-php\d?)$/i.test(handler),
    // With an Action line, another program runs the scripts.
    directivesThatMakeUnneeded: ['action'],
    what: () =>
      'Connect PHP-FPM before 2.4 answers clients: without the PHP module these lines run no script, and clients get the source text with its passwords. In `<FilesMatch "\\.php$">`, write `SetHandler "proxy:unix:/run/php-fpm.sock|fcgi://localhost"` with the path of your socket (mod_proxy_fcgi). If you need no PHP, remove the scripts.',
    source: 'server/config.c of 2.4: ap_invoke_handler; manual 2.4, mod_proxy_fcgi: Examples',
  },
  {
    id: PHP_SETTINGS_TASK,
    title: 'Move PHP settings',
    exampleNames: ['.user.ini: SETTING'],
    names: PHP_SETTINGS,
    // A .htaccess file applies to the same directories as a .user.ini file. So PHP settings in a
    // .htaccess file can move to a .user.ini file.
    isCausedBy: (_, line) => phpSetting(line, true) ?? false,
    what: (causingNames) => {
      const namesInFile = causingNames.filter((each) => each.startsWith('.user.ini: ')).map((each) => each.slice(11));
      const namesInPool = causingNames
        .filter((each) => !namesInFile.includes(each.slice(11)))
        .map((each) => each.slice(14));
      return [
        'Without the PHP module, httpd ignores these settings.',
        ...(namesInFile.length > 0
          ? [`Write into .user.ini in the directory of the PHP files, for PHP-FPM: ${namesInFile.join(', ')}.`]
          : []),
        ...(namesInPool.length > 0 ? [`Write into the pool of PHP-FPM: ${namesInPool.join(', ')}.`] : []),
      ].join(' ');
    },
    source: 'manual of PHP: .user.ini files; PHP-FPM, php_admin_value; sapi/apache2handler/apache_config.c',
  },
  {
    id: 'windows-service',
    title: 'Install the 2.4 service',
    names: ['serverroot'],
    isCausedBy: ([path = '']) => /^[A-Za-z]:[\\/]/.test(path),
    what: () =>
      'On Windows, install the service of 2.4 from its directory bin. When you switch, stop and remove the service of 2.2 (-k stop, -k uninstall): two services cannot listen on the same port.',
    commands: () => ['httpd.exe -k install -n "Apache2.4"'],
    source: 'manual 2.4, platform/windows: running Apache as a service',
  },
  {
    id: 'new-place',
    title: 'Move to the 2.4 directory',
    names: ['serverroot'],
    isCausedBy: ([path = '']) => path === '/usr/local' || path === '/usr/apache2/2.2',
    onlyInFiles: /(?:^|\/)(apache22|2\.2)\/httpd\.conf$/,
    what: ([name]) =>
      name === 'apache22'
        ? 'Copy httpd.conf and the files that it includes to /usr/local/etc/apache24: 2.4 reads the httpd.conf there. In the paths of the Include lines there, change etc/apache22 to etc/apache24. In rc.conf, rename the variables that begin with apache22 (apache22_flags: apache24_flags).'
        : 'Copy httpd.conf and the files that it includes to /etc/apache2/2.4: 2.4 reads the httpd.conf there. In the paths of the Include lines there, change apache2/2.2 to apache2/2.4. 2.4 is a service of its own.',
    commands: ([name]) =>
      name === 'apache22'
        ? ['sysrc apache22_enable=NO apache24_enable=YES']
        : ['svcadm disable svc:/network/http:apache22', 'svcadm enable svc:/network/http:apache24'],
    source:
      'FreeBSD ports, www/apache24: files/apache24.in; OpenIndiana oi-userland, components/web/apache24: http-apache24.xml',
  },
  {
    id: 'dav-lock-db',
    title: 'Delete DavLockDB files',
    findings: [['changed-behaviour', 'dav-lock-db']],
    what: () => 'After you stop 2.2, delete the files of DavLockDB: 2.4 uses another format.',
    whatForBoth: () =>
      'Give each version its own DavLockDB, in `<IfVersion < 2.4>` and `<IfVersion >= 2.4>`: the files have different formats.',
    source: 'manual 2.4, upgrading: misc changes (mod_dav_fs)',
  },
  {
    id: 'cache-disk',
    title: 'Empty CacheRoot',
    findings: [['changed-behaviour', 'cache-disk']],
    what: () => 'Empty the directory of CacheRoot: 2.4 does not find the files that 2.2 cached.',
    whatForBoth: () =>
      'Give each version its own CacheRoot, in `<IfVersion < 2.4>` and `<IfVersion >= 2.4>`: 2.4 does not find the files that 2.2 cached.',
    source: 'manual 2.4, mod_cache_disk: CacheDirLevels; DEFAULT_DIRLEVELS in modules/cache/mod_cache_disk.c of both',
  },
  {
    id: 'error-documents',
    title: 'Replace error documents',
    findings: [['changed-behaviour', 'error-documents']],
    what: () =>
      'Keep the directory `error/` of the 2.4 package, and do not copy that of 2.2 over it: its files have conditions in the old syntax. The ErrorDocument lines stay as they are.',
    whatForBoth: () =>
      'Keep the error documents for 2.2. For 2.4, write SSILegacyExprParser on for their directory, in `<IfVersion >= 2.4>`: their conditions have the old syntax.',
    source: 'manual 2.4, upgrading: misc changes (mod_include)',
  },
  {
    id: 'ssi-expressions',
    title: 'Check SSI conditions',
    findings: [['ssi-expression']],
    what: () =>
      'Search for SSI pages with #if expr: 2.4 has a new syntax for these conditions. Rewrite them, or set SSILegacyExprParser on for their directory.',
    whatForBoth: () =>
      'Search for SSI pages with #if expr: 2.4 has a new syntax for these conditions. Keep them for 2.2. For 2.4, write SSILegacyExprParser on for their directory, in `<IfVersion >= 2.4>`.',
    source: 'modules/filters/mod_include.c of 2.4: parse_ap_expr; manual 2.4, upgrading: misc changes',
  },
  {
    id: 'piped-logs',
    title: 'Test log programs',
    names: LOG_FILE_DIRECTIVES,
    isCausedBy: ([target]) => target?.startsWith('|') === true && (/^\|[|$]?\s*(\S+)/.exec(target)?.[1] ?? true),
    what: (causingNames) => `Test the log programs: ${firstNamesText(causingNames)}. 2.4 starts them without a shell.`,
    source: 'server/log.c of 2.4: piped_log_spawn; manual 2.4, upgrading: misc changes',
  },
  {
    id: 'htpasswd-md5',
    title: 'Check htpasswd scripts',
    names: ['authuserfile'],
    isCausedBy: alwaysTrue,
    what: () =>
      'Check scripts that call htpasswd without an option and need crypt hashes: htpasswd writes MD5 hashes in 2.4 and from 2.2.18 on. Existing entries still work.',
    source: 'manual 2.4, upgrading: misc changes; CHANGES of 2.2.18; support/htpasswd.c of both',
  },
  {
    id: 'autoindex-xhtml',
    title: 'Check directory listings',
    findings: [['changed-behaviour', 'xhtml']],
    names: ['adddescription'],
    isCausedBy: alwaysTrue,
    what: () => 'Check the directory listings: in 2.4 they also show titles and descriptions of .xhtml files.',
    source:
      'manual 2.4, upgrading: misc changes (mod_autoindex); modules/generators/mod_autoindex.c of 2.4: find_title',
  },
  {
    id: 'substitute-length',
    title: 'Check lines over 1 MB',
    findings: [['changed-behaviour', 'substitute-length']],
    what: () =>
      'Check whether pages with Substitute have lines of more than 1 MB: in 2.4 such a line is an error. SubstituteMaxLineLength sets a higher limit.',
    source: 'manual 2.4, mod_substitute: SubstituteMaxLineLength',
  },
  {
    id: 'requests-compared',
    title: 'Compare the requests',
    findings: [
      ['access-opens', 'too-many-files'],
      ['access-opens', 'too-many-requests'],
    ],
    what: () =>
      'Compare both servers with `httpd-upgrade compare`: the configuration has too many files or requests to check which requests 2.4 allows and 2.2 denies.',
    source: 'the rule access-opens',
  },
  {
    id: 'patterns',
    title: 'URLs with newlines',
    isNote: true,
    findings: [
      ['pattern-difference', 'end-of-name'],
      ['pattern-difference', 'newline'],
    ],
    nameOf: patternIn,
    what: (causingNames) => {
      const advice = causingNames.some((pattern) => pattern.includes('$'))
        ? ' If users can upload files with any name, or a program answers all URLs, write `\\n?$` instead of `$`, but only in patterns that deny access.'
        : '';
      return `These patterns match URLs with a newline (\`%0a\`) differently in 2.4: ${patternsText(causingNames)}. Usually no action is needed.${advice}`;
    },
    source: 'the rule pattern-difference',
  },
  {
    id: 'merged-slashes',
    title: 'URLs with //',
    isNote: true,
    findings: [['pattern-difference', 'merged-slashes']],
    nameOf: patternIn,
    what: (causingNames) =>
      `These patterns also apply to URLs with \`//\` in 2.4: ${patternsText(causingNames)}. Usually no action is needed.`,
    source: 'the rule pattern-difference',
  },
  {
    id: 'deflate-grows',
    title: 'No action: mod_deflate',
    isNote: true,
    names: ['setoutputfilter', 'addoutputfilter', 'addoutputfilterbytype', 'filterprovider'],
    isCausedBy: hasOneOf('deflate'),
    what: () => 'No action needed: mod_deflate of 2.4 no longer compresses a response if that would make it larger.',
    source: 'manual 2.4, upgrading: misc changes (mod_deflate)',
  },
  {
    id: 'reqtimeout-defaults',
    title: 'Check slow clients',
    names: ['loadmodule'],
    isCausedBy: ([identifier]) => identifier === 'reqtimeout_module',
    directivesThatMakeUnneeded: ['requestreadtimeout'],
    what: () =>
      'Check whether you have slow clients: 2.4 limits the time for a request if mod_reqtimeout is loaded (header=20-40,MinRate=500 body=20,MinRate=500). RequestReadTimeout header=0 body=0 turns the limits off.',
    source: 'manual 2.4, mod_reqtimeout: RequestReadTimeout',
  },
  {
    id: 'header-underscore',
    title: 'Check request headers',
    names: [
      'scriptalias',
      'scriptaliasmatch',
      'addhandler',
      'sethandler',
      'options',
      'setenvif',
      'setenvifnocase',
      'rewritecond',
    ],
    isCausedBy(words, { name }) {
      if (name === 'setenvif' || name === 'setenvifnocase')
        return words[0] !== undefined && isOddHeader(words[0]) && words[0];
      if (name === 'rewritecond')
        return (
          [...(words[0] ?? '').matchAll(/%\{HTTP:([^}]+)\}/gi)].map(([, header = '']) => header).find(isOddHeader) ??
          false
        );
      if (name === 'options') return hasOneOf('execcgi', '+execcgi')(words);
      return (
        name.startsWith('scriptalias') ||
        /^(cgi-script|fcgid-script|fastcgi-script|application\/x-httpd-cgi)$/i.test(words[0] ?? '')
      );
    },
    what: (causingNames) =>
      `Check whether scripts read request headers whose name has an underscore or another special character${causingNames.length > 0 ? ` (${firstNamesText(causingNames)})` : ' (X_User)'}: 2.4 passes only headers with letters, digits and hyphens to scripts.`,
    source: 'manual 2.4, upgrading: misc changes; server/util_script.c of 2.4: ap_add_common_vars, http2env',
  },
  {
    id: 'selinux-labels',
    title: 'Label paths for SELinux',
    appliesToServer: ({ distribution }) => distribution === 'rhel',
    names: ['documentroot', 'alias', 'scriptalias', ...LOG_FILE_DIRECTIVES, 'davlockdb', 'cacheroot'],
    isCausedBy(words, { name }) {
      const servedPath = words[name === 'alias' || name === 'scriptalias' ? 1 : 0] ?? '';
      return servedPath.startsWith('/') && !LABELLED_PATHS.test(servedPath) && servedPath;
    },
    what: (causingNames) =>
      `Label these paths for SELinux: ${firstNamesText(causingNames)}. Use semanage fcontext and restorecon. The SELinux policy covers only the standard directories.`,
    source: 'httpd_selinux(8) of Red Hat: the file contexts of the policy',
  },
  {
    id: 'private-tmp',
    title: 'Move files out of /tmp',
    appliesToServer: ({ distribution }) => distribution === 'rhel' || distribution === 'debian',
    names: [
      'documentroot',
      'alias',
      'scriptalias',
      ...LOG_FILE_DIRECTIVES,
      'davlockdb',
      'cacheroot',
      'setenv',
      'wsgisocketprefix',
      'coredumpdirectory',
      'sslsessioncache',
      'scriptsock',
      'php_value',
      'php_admin_value',
    ],
    isCausedBy: (words, { name }) =>
      words
        .slice(name === 'alias' || name === 'scriptalias' ? 1 : 0)
        .map((word) => /(?:^|:)((?:\/var)?\/tmp(?:\/[^\s:(]*)?)/.exec(word)?.[1])
        .find((path) => path !== undefined) ?? false,
    what: (causingNames) =>
      `Move the files in ${firstNamesText(causingNames)}: systemd gives httpd its own private /tmp (PrivateTmp=true). Or set PrivateTmp=false in the systemd unit of httpd.`,
    source: 'httpd.service of Fedora and apache2.service of Debian: PrivateTmp=true; systemd.exec(5)',
  },
  {
    id: 'package-modules',
    title: 'Include conf.modules.d',
    appliesToServer: ({ distribution }) => distribution === 'rhel',
    names: ['loadmodule'],
    // Each of these lines is in the LoadModule block of a stock httpd.conf of 2.2. So one of them
    // shows that the file has that block.
    isCausedBy: ([identifier = '']) =>
      identifier === 'authz_host_module' || (/^(authnz_)?ldap_module$/.test(identifier) && identifier),
    onlyInFiles: /(?:^|\/)(httpd)\.conf$/,
    findings: [['missing-module', 'package-modules']],
    what: (causingNames, { includesPackageLoads }) =>
      [
        includesPackageLoads
          ? 'The files of conf.modules.d load the modules of the 2.4 packages.'
          : 'The packages of 2.4 load their modules in conf.modules.d. In httpd.conf, write Include conf.modules.d/*.conf above the first <IfModule> section: httpd skips a section for a module that is loaded below it.',
        `${includesPackageLoads ? 'Remove' : 'Then remove'} all LoadModule lines from httpd.conf, but not those of speling_module, usertrack_module and modules that you installed yourself.`,
        ...(causingNames.some((name) => name.endsWith('ldap_module'))
          ? ['If you use LDAP, install the package mod_ldap, which loads ldap_module and authnz_ldap_module.']
          : []),
        'A module that is loaded twice is only a warning; two different MPMs are an error.',
      ].join(' '),
    whatForBoth: () =>
      'The packages of 2.4 load their modules in conf.modules.d, which 2.2 does not have. In httpd.conf, write Include conf.modules.d/*.conf in `<IfVersion >= 2.4>`, above the first <IfModule> section. Put the LoadModule lines of 2.2 in httpd.conf into `<IfVersion < 2.4>`, and remove none. Those in other files, such as ssl_module in conf.d/ssl.conf, stay. LoadModule version_module stays above both sections. This loads the MPM and the modules that only 2.4 needs, too.',
    source: 'httpd.spec of Fedora 18 and later (RHEL 7): conf.modules.d/*.conf; AH01574 in modules/core/mod_so.c',
  },
  {
    id: CHOOSE_MPM_TASK,
    title: 'Choose the MPM',
    appliesToServer: ({ distribution, startOptions, mpm = '', includesPackageLoads }) =>
      distribution === 'rhel' && (startOptions?.mpm != null || MPM_NAME.test(mpm) || includesPackageLoads === true),
    // StartServers: the main file of 2.2 has it, also after its LoadModule lines are removed.
    names: ['loadmodule', 'startservers'],
    isCausedBy: ([identifier = ''], { name }) =>
      name === 'startservers' ||
      identifier === 'authz_host_module' ||
      (/^mpm_(prefork|worker|event)_module$/.test(identifier) && identifier),
    onlyInFiles: /(?:^|\/)(httpd)\.conf$/,
    what: (_, { startOptions, mpm, mpmOfLine }) =>
      `Choose the MPM in conf.modules.d/00-mpm.conf: ${startOptions?.mpm ? `2.4 does not read ${sourceTextOf(startOptions.mpm)}, and 2.2 runs ${startOptions.mpm.name}` : mpmOfLine ? `httpd.conf loads ${mpm}` : mpm ? `your answer is ${mpm}` : 'the one that 2.2 ran, usually prefork'}. Only one of the LoadModule lines there may be active.`,
    commands: (_, { startOptions, mpm = startOptions?.mpm?.name ?? '' }) =>
      MPM_NAME.test(mpm)
        ? [
            `sed -i -e 's/^LoadModule mpm_/#&/' -e 's/^# *\\(LoadModule mpm_${mpm}_module\\)/\\1/' /etc/httpd/conf.modules.d/00-mpm.conf`,
          ]
        : [],
    source: 'httpd.init of RHEL 6: HTTPD; httpd.service and conf.modules.d/00-mpm.conf of Fedora 18 and later (RHEL 7)',
  },
  {
    id: 'ibm-http-server',
    title: 'Install IBM HTTP Server 9',
    appliesToServer: ({ distribution }) => distribution === 'ihs',
    names: ['loadmodule', 'serverroot'],
    isCausedBy: ([identifier], { name }) =>
      name === 'serverroot' || /^(ibm_ssl|was_ap2[02])_module$/.test(identifier ?? ''),
    what: () =>
      'Install IBM HTTP Server 9, which is httpd 2.4, and the WebSphere plug-in for it (mod_was_ap24_http.so). If the installation directory is another one, change it in all paths. On Linux the MPM is event: remove `<IfModule worker.c>` around its settings.',
    whatForBoth: () =>
      'Install IBM HTTP Server 9, which is httpd 2.4, and the WebSphere plug-in for it (mod_was_ap24_http.so). Put paths that differ between the versions into `<IfVersion < 2.4>` and `<IfVersion >= 2.4>`. On Linux the MPM of 2.4 is event: keep `<IfModule worker.c>` for 2.2, and add a copy for `<IfModule mpm_event_module>`.',
    source: 'IBM HTTP Server 9.0.5, Migrating IBM HTTP Server configuration files from a previous release',
  },
  {
    id: 'oracle-http-server',
    title: 'Run the Upgrade Assistant',
    appliesToServer: ({ distribution }) => distribution === 'ohs',
    names: ['loadmodule'],
    isCausedBy: ([identifier]) => /^(ossl|authz_host|weblogic)_module$/.test(identifier ?? ''),
    what: () =>
      'Upgrade to Oracle HTTP Server 12.2.1, which is httpd 2.4, with the Upgrade Assistant of Oracle. It does not convert access control and `FilterProvider`: httpd-upgrade does. There the modules are in ${PRODUCT_HOME}/modules. mod_osso does not exist any more: WebGate replaces it.',
    source:
      'Oracle HTTP Server 12.2.1.4, release notes: Upgrading from Earlier Releases of Oracle HTTP Server; Understanding the Oracle HTTP Server Upgrade to 12c',
  },
  {
    id: 'portage-modules',
    title: 'Edit APACHE2_MODULES',
    appliesToServer: ({ startOptions }) =>
      Object.values(gentooModuleChanges(startOptions)).some((names) => names.length > 0),
    names: ['loadmodule'],
    isCausedBy: ([identifier]) => identifier === 'authz_host_module',
    what(_, { startOptions }) {
      const { remove, add } = gentooModuleChanges(startOptions);
      return [
        remove.length > 0 && `Remove ${remove.join(', ')}: 2.4 does not have ${remove.length === 1 ? 'it' : 'them'}.`,
        add.length > 0 && `Add ${add.join(', ')}: 2.4 needs ${add.length === 1 ? 'it' : 'them'}.`,
        `The list is ${sourceTextOf(startOptions!.builtModules!)}. Then build 2.4.`,
      ]
        .filter(Boolean)
        .join(' ');
    },
    commands: () => ['emerge --ask --oneshot www-servers/apache'],
    source:
      'Gentoo, www-servers/apache: IUSE_MODULES and MODULE_CRITICAL of apache-2.4.23.ebuild, and pkg_setup (socache_shmcb with ssl)',
  },
  {
    id: 'service',
    title: 'Enable modules, restart',
    exampleNames: ['macos'],
    names: ['loadmodule', 'serverroot'],
    isCausedBy: (words, { name }) =>
      Object.keys(SYSTEMS_WITHOUT_COMMANDS).find((system) =>
        SYSTEMS_WITHOUT_COMMANDS[system]!.isRecognizedBy(name === 'serverroot' ? words[0] : undefined, words),
      ) ?? false,
    // On Red Hat, ServerRoot has the same path as on Arch Linux. So this path means Arch Linux only
    // if the distribution is unknown.
    appliesToName: (causingName, { distribution }) => distribution === null || causingName !== 'arch',
    what: ([system]) =>
      `${SYSTEMS_WITHOUT_COMMANDS[system!]!.locationText} No command enables modules there: remove the # in front of the LoadModule line of each module that you need. Then check the configuration and restart the server.`,
    commands: ([system = '']) => SYSTEMS_WITHOUT_COMMANDS[system]?.commands ?? [],
    source:
      'Arch, package apache: httpd.conf and httpd.service; macOS: apachectl(8), httpd.conf in /etc/apache2; Homebrew, formula httpd: service and caveats',
  },
  {
    id: START_OPTIONS_TASK,
    title: 'Keep start options (-D)',
    appliesToName: (causingName, { startOptions }) => startOptions?.defineFlags.has(causingName) === true,
    what: (causingNames, { startOptions }) =>
      `Start 2.4 with ${firstNamesText(causingNames.map((name) => `-D ${name}`))}, too: ${startOptions?.serverPath} does this for 2.2, and <IfDefine> sections depend on it.`,
    source: 'httpd(8): -D; config/service-file.ts',
  },
  {
    id: 'strict-protocol',
    title: 'Test old clients',
    since: 25,
    names: ['listen'],
    isCausedBy: alwaysTrue,
    directivesThatMakeUnneeded: ['httpprotocoloptions'],
    what: (_, { target }) =>
      [
        `Test old and home-made clients: 2.4 answers 400 to invalid requests, for example with lines that end in LF only${target.patch >= 44 ? ', or with the Content-Length +5' : ''}.`,
        `Correct a client that fails. Until then, HttpProtocolOptions Unsafe accepts lines that end in LF only${target.patch >= 44 ? ', but not Content-Length: +5' : ''}.`,
      ].join(' '),
    source:
      'manual 2.4, core: HttpProtocolOptions (since 2.4.25); CHANGES of 2.2.32; server/vhost.c of 2.4.34: strict_hostname_check; server/util.c of 2.4.44: ap_parse_strict_length',
  },
  {
    id: 'error-log',
    title: 'Check error log readers',
    names: ['loglevel', 'errorlog'],
    isCausedBy: alwaysTrue,
    what: () =>
      'Check programs that read the error log, such as fail2ban. At LogLevel warn, 2.4 does not log a missing file (404). At LogLevel info it logs "AH00128: File does not exist". LogLevel warn core:info is enough. Each line of 2.4 also has the module, the process and a number (AH…).',
    source:
      'server/core.c of 2.4: default_handler; server/log.c of 2.4: do_errorlog_default; experiment: test/httpd/claims-behaviours.slow.test.ts',
  },
  {
    id: 'cgi-programs',
    title: 'Check CGI programs',
    names: ['scriptalias', 'scriptaliasmatch', 'addhandler', 'sethandler', 'options'],
    isCausedBy: (words, { name }) =>
      name === 'options'
        ? hasOneOf('execcgi', '+execcgi', '-execcgi')(words)
        : name.startsWith('scriptalias') || /^(cgi-script|application\/x-httpd-cgi)$/i.test(words[0] ?? ''),
    what: () =>
      'Check CGI programs and what reads their log lines. 2.4 logs what a program writes to stderr as "AH01215: stderr from …" (mod_cgi) or without date and number (mod_cgid). If a program answers 204, 2.4 removes the Content-Type.',
    source:
      'modules/generators/mod_cgi.c and mod_cgid.c of 2.4: log_scripterror; modules/http/http_filters.c of 2.4.24: ap_http_header_filter; experiment: test/httpd/claims-behaviours.slow.test.ts',
  },
  {
    id: 'extended-status',
    title: 'Check server-status',
    names: ['sethandler'],
    isCausedBy: hasOneOf('server-status'),
    directivesThatMakeUnneeded: ['extendedstatus'],
    what: () =>
      'Check who may see server-status: without ExtendedStatus, 2.4 also shows clients, requests and counters there. ExtendedStatus Off keeps the page of 2.2.',
    source: 'modules/generators/mod_status.c of 2.4: status_init, register_hooks (ap_extended_status = 1)',
  },
  {
    id: 'etag-deflate',
    title: 'Check ETags',
    names: ['setoutputfilter', 'addoutputfilter', 'addoutputfilterbytype', 'filterprovider'],
    isCausedBy: hasOneOf('deflate'),
    directivesThatMakeUnneeded: ['deflatealteretag'],
    what: (_, { target }) =>
      `Check caches and clients that compare ETags: 2.4 adds -gzip to the ETag of a compressed response.${target.patch >= 58 ? ' DeflateAlterETag NoChange keeps the ETag.' : ''}`,
    source:
      'modules/filters/mod_deflate.c of 2.4: deflate_check_etag; manual 2.4, mod_deflate: DeflateAlterETag (since 2.4.58)',
  },
  {
    id: 'listing-dates',
    title: 'Check listing dates',
    names: ['indexoptions'],
    isCausedBy: (words) =>
      hasOneOf('fancyindexing', '+fancyindexing')(words) && !hasOneOf('useolddateformat', '+useolddateformat')(words),
    what: (_, { target }) =>
      `Check programs that read directory listings: 2.4 writes a date as 2023-11-14 (14-Nov-2023 in 2.2).${target.patch >= 26 ? ' IndexOptions UseOldDateFormat keeps the date of 2.2.' : ''}`,
    source:
      'modules/generators/mod_autoindex.c of 2.4: output_directories; manual 2.4, mod_autoindex: UseOldDateFormat (since 2.4.26)',
  },
  {
    id: 'group-files',
    title: 'A missing group file',
    isNote: true,
    names: ['authgroupfile'],
    isCausedBy: ([path], { text }) => (path === undefined || /\$\{/.test(text) ? false : path),
    what: (causingNames) =>
      `No action needed if the 2.2 server has these group files: ${firstNamesText(causingNames.map((each) => `\`${shortened(each, 60)}\``))}. If one is missing, a section with \`Require group\` answers 500 in 2.2, and 401 in 2.4.`,
    source: 'modules/aaa/mod_authz_groupfile.c of 2.2 (check_user_access) and 2.4 (group_check_authorization, AH01665)',
  },
  {
    id: 'error-page-text',
    title: 'No action: error pages',
    isNote: true,
    names: ['listen'],
    isCausedBy: alwaysTrue,
    what: () => 'No action needed: the built-in 404 page of 2.4 does not show the URL.',
    source: 'modules/http/http_protocol.c of 2.4: get_canned_error_string',
  },
  {
    id: LATER_CHANGES_TASK,
    title: 'Change these lines later',
    isNote: true,
    what: (causingNames) =>
      `Both versions read these old lines, so they can stay: ${firstNamesText(causingNames)}. Change them after the last 2.2 server is gone.${causingNames.some((name) => /^include$/i.test(name)) ? ' For an Include with a wildcard, keep one file that always matches, even an empty one: 2.4 does not start without.' : ''}`,
    source:
      'server/mpm_common.c of 2.4: MaxClients, MaxRequestsPerChild; server/core.c of 2.4: NameVirtualHost, DefaultType',
  },
  {
    id: 'beside',
    title: 'Run 2.4 beside 2.2 first',
    names: ['listen'],
    isCausedBy: alwaysTrue,
    what: () =>
      'Before you switch, run 2.4 beside 2.2, with its own port (Listen), PidFile, Mutex directory and logs. If you built 2.2 from its sources, build/config.nice in its directory contains the build options.',
    source: 'manual 2.4, upgrading; install: upgrading (config.nice)',
  },
];

/** The pattern in the arguments of a line or tag, or else the first argument. */
function patternIn(words: readonly string[]): string | undefined {
  return words.find((word) => /[\^$\\*]/.test(word)) ?? words[0];
}

/** The patterns as a list for the text of a task, each shortened and in backticks. */
function patternsText(patterns: readonly string[]): string {
  return firstNamesText(patterns.map((each) => `\`${shortened(each, 40)}\``));
}

/**
 * Attributes of SetEnvIf that are not names of headers (special in
 * modules/metadata/mod_setenvif.c).
 */
const SETENVIF_ATTRIBUTES: ReadonlySet<string> = new Set([
  'remote_host',
  'remote_addr',
  'remote_user',
  'request_method',
  'request_protocol',
  'request_uri',
  'server_addr',
]);

/**
 * Whether `name` is the name of a header with characters other than letters, digits and hyphens.
 * 2.4 no longer passes such headers to scripts. False for an attribute of SetEnvIf, such as
 * `Request_Method`, which is no header. False for a pattern, because it is unknown which headers it
 * matches.
 */
function isOddHeader(name: string): boolean {
  return /^[\w.-]+$/.test(name) && /[^A-Za-z0-9-]/.test(name) && !SETENVIF_ATTRIBUTES.has(name.toLowerCase());
}

/**
 * Paths to which the SELinux policy for httpd gives a label. They can also be below the root of a
 * software collection (its %post: semanage fcontext -a -e / %{_scl_root}).
 */
const LABELLED_PATHS =
  /^(?:\/opt\/rh\/[^/]+\/root)?\/(var\/(www|log\/httpd|lib\/(dav|php|mod_\w+|httpd)|cache\/(httpd|mod_\w+)|run)|etc\/httpd|usr\/(share|lib|lib64|libexec)|run|dev|proc)(\/|$)/;

/**
 * The tasks that lines of a directive may cause. Directives that only make tasks unneeded have an
 * empty list.
 */
const TASKS_BY_DIRECTIVE: ReadonlyMap<string, readonly ServerTask[]> = tasksByDirective();

/**
 * The tasks of the table, by the directives that cause them. A directive that only makes tasks
 * unneeded has an empty list.
 */
function tasksByDirective(): Map<string, ServerTask[]> {
  const tasksByName = new Map<string, ServerTask[]>();
  for (const task of SERVER_TASKS) {
    for (const name of task.directivesThatMakeUnneeded ?? []) tasksByName.set(name, tasksByName.get(name) ?? []);
    for (const name of task.names ?? []) addTo(tasksByName, name, task);
  }
  return tasksByName;
}

/**
 * The tasks, by the rules whose findings cause them. If `message` is set, only findings with that
 * message id cause the task.
 */
const TASKS_BY_RULE = { findings: tasksByRule('findings'), findingsWithFixes: tasksByRule('findingsWithFixes') };

/** The tasks that findings in `kind` cause, by the id of the rule. */
function tasksByRule(
  kind: 'findings' | 'findingsWithFixes',
): Map<string, { task: ServerTask; message: string | undefined }[]> {
  const tasksByRuleId = new Map<string, { task: ServerTask; message: string | undefined }[]>();
  for (const task of SERVER_TASKS)
    for (const [rule, message] of task[kind] ?? []) addTo(tasksByRuleId, rule, { task, message });
  return tasksByRuleId;
}
