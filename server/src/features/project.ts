/**
 * A project: configurations with the conversion of their access control and the findings of
 * configuration rules, and what follows from them for each file (its findings, the edits of its
 * fixes, the configurations that read it). Immutable: after a change a new project is made. The
 * command line, the library, the page in a browser and the plan of an editor use it.
 */
import {
  ALL_MISSING_INCLUDES_QUESTION,
  openQuestion,
  openQuestionId,
  openQuestionTexts,
  type OpenQuestion,
} from '../access/open-question';
import { reasonText } from '../access/not-converted';
import { OLD_ACCESS_NAMES } from '../access/read';
import {
  accessFix,
  mayReportConvertedLines,
  type AccessOfLine,
  type AccessChange,
  type AccessConversion,
} from '../analysis/access-conversion';
import type { Analysis } from '../analysis/analysis';
import {
  ANSWER_NO_ACCESS_CONTROL,
  ANSWER_NO_HOSTS,
  isSettled,
  questionIdOrFallback,
  type AnswerSet,
} from '../analysis/answers';
import type { Engine, FileInfo, PlacedFinding } from '../analysis/engine';
import { applyEdits, fixText, type FixResult, type FixSelection } from '../analysis/fixes';
import { reasonInFile, reasonWithWaitingCount } from '../analysis/refusal-text';
import { isWithin, parentOf, type FileView } from '../config/files';
import { isMissingPackageFolder } from '../config/loaded-modules';
import type { Model, ServerSettings } from '../config/model';
import { namesIn } from '../config/name-set';
import { HELP_FOR_UNKNOWN, orderAllowDeny } from '../rules/order-allow-deny';
import type { Edit, Fix } from '../rules/rule';
import { loadsModuleOf24 } from '../rules/support/facts';
import { Tree } from '../syntax/document';
import { cacheOf, lazy } from '../syntax/memory';
import {
  moreDetailedRule,
  configurationFindings,
  rulesWithWaitingFixes,
  selectConfigurationFixes,
  type ConfigurationFixes,
} from './configuration-findings';
import { reportedProblemOf, withoutCoveredFindings } from './covered-findings';

/** The settings that apply to each file. */
export interface SettingsByFile {
  /** The rules and settings with which a file is checked. */
  engineOf(file: string): Engine;
  /**
   * The settings for the server with this main file: how it is built and started, and where its
   * files are on this machine.
   */
  serverOf(file: string): ServerSettings;
}

/** A file of a project, with what rules need to check it. */
export interface ProjectFile {
  /** The path, with symbolic links resolved. */
  readonly path: string;
  readonly tree: Tree;
  /** The facts about the file that its text does not show. */
  readonly info: FileInfo;
  /** The rules and settings with which the file is checked. */
  readonly engine: Engine;
}

/** The values from which `Project` is made. */
export interface ProjectParts {
  /** Reads the files. */
  readonly view: FileView;
  readonly settings: SettingsByFile;
  /** The models of the configurations: the lines of each in the order in which httpd reads them. */
  readonly configurationModels: readonly Model[];
  /** The conversion of the old access control of all configurations. */
  readonly accessConversion: AccessConversion;
  /** Whether configuration rules can read a disk. False in a browser, which has none. */
  readonly hasDisk?: boolean;
  /**
   * Whether only the fixes are needed. Then the rule that compares the answers of both versions
   * finds nothing, because it takes long and has no fix.
   */
  readonly needsOnlyFixes?: boolean;
  /**
   * Why no fix may change a file, as sentences that end with what to do; null if fixes may change
   * it.
   */
  readonly whyUnchanged: (file: string) => string | null;
  /**
   * Whether to report findings also for questions that the user has answered
   * (`EngineOptions.showsAnswered`).
   */
  readonly showsAnswered?: boolean;
}

/** A finding that is fixed by edits in other files only. */
interface FindingFixedElsewhere {
  readonly finding: PlacedFinding;
  readonly fileOfFinding: string;
  readonly fileOfEdits: string;
}

/** A project. All paths have symbolic links resolved. */
export class Project {
  readonly view: FileView;
  readonly settings: SettingsByFile;
  /** The models of the configurations. */
  readonly configurationModels: readonly Model[];
  /** The conversion of the old access control of all configurations. */
  readonly accessConversion: AccessConversion;
  /**
   * Why no fix may change a file, as sentences that end with what to do; null if fixes may change
   * it.
   */
  readonly whyUnchanged: ProjectParts['whyUnchanged'];
  /** The findings of configuration rules by file. */
  private readonly configurationFindingsByFile = new Map<string, readonly PlacedFinding[]>();
  private readonly fixesBySafety = new Map<boolean, ConfigurationFixes>();
  private readonly cachedRootsByFile = lazy(() => this.rootsByFile());
  private readonly showsAnswered: boolean | undefined;

  constructor({
    view,
    settings,
    configurationModels,
    accessConversion,
    hasDisk = true,
    needsOnlyFixes,
    whyUnchanged,
    showsAnswered,
  }: ProjectParts) {
    this.view = view;
    this.settings = settings;
    this.configurationModels = configurationModels;
    this.accessConversion = accessConversion;
    this.whyUnchanged = whyUnchanged;
    this.showsAnswered = showsAnswered;
    for (const model of hasDisk ? configurationModels : []) {
      const { mainFile } = model;
      const [engine, server] = [settings.engineOf(mainFile), settings.serverOf(mainFile)];
      const findingsByFile = configurationFindings({
        mainFile,
        view,
        engine,
        server,
        model,
        showsAnswered,
        needsOnlyFixes,
      });
      for (const [file, findings] of findingsByFile)
        if (!this.configurationFindingsByFile.has(file)) this.configurationFindingsByFile.set(file, findings);
    }
  }

  /** The model of the configuration with this main file; undefined if the walk did not read it. */
  modelOf(root: string): Model | undefined {
    return this.configurationModels.find((each) => each.mainFile === root);
  }

  /** The main files of the configurations that read a file; '' if none does. */
  rootsOf(path: string): readonly string[] {
    return this.cachedRootsByFile().get(path) ?? NO_READERS;
  }

  /** Whether `root` is no configuration, but the key for the files that no configuration reads. */
  isStandalone(root: string): boolean {
    return this.accessConversion.configurations.some((each) => each.mainFile === root && each.isStandalone);
  }

  /**
   * Whether it is certain that no configuration reads a file through any Include. False if there is
   * no configuration. `answerSet`: the user's answers, or other answers to try.
   */
  isOutsideAllConfigurations({ path, tree, engine }: ProjectFile, answerSet = engine.answerSet): boolean {
    if (
      this.configurationModels.length === 0 ||
      this.rootsOf(path).some((root) => root !== '' && !this.isStandalone(root))
    )
      return false;
    return this.configurationModels.every(cannotReadFileTest(tree, answerSet));
  }

  /**
   * Whether no server reads the file, under the assumption that the missing files of all Include
   * lines have no access lines.
   */
  isOutsideByAssumption(file: ProjectFile): boolean {
    const { answerSet } = file.engine;
    const answersWithAssumption = new Map([
      ...answerSet.answers,
      [MISSING_INCLUDES_ID, ANSWER_NO_ACCESS_CONTROL] as const,
    ]);
    return this.isOutsideAllConfigurations(file, { ...answerSet, answers: answersWithAssumption });
  }

  /** The questions, open or answered, about missing files of a configuration. */
  questionsAboutMissingFiles(root: string): readonly OpenQuestion[] {
    return this.accessConversion.configurations
      .filter(({ mainFile }) => mainFile === root)
      .flatMap(({ waitsFor, restsOn }) => [...waitsFor, ...restsOn])
      .filter(({ kind }) => kind === ALL_MISSING_INCLUDES_QUESTION.kind);
  }

  /** The main files of the configurations that read each file. */
  private rootsByFile(): ReadonlyMap<string, readonly string[]> {
    const rootsByPath = new Map<string, readonly string[]>();
    const addReader = (root: string, files: Iterable<string>) => {
      // Most files are read by one configuration. All such files share one list, which saves
      // memory.
      const onlyThisRoot = [root];
      for (const path of files) {
        const earlierRoots = rootsByPath.get(path);
        if (!earlierRoots?.includes(root)) rootsByPath.set(path, earlierRoots ? [...earlierRoots, root] : onlyThisRoot);
      }
    };
    for (const { mainFile, files } of this.accessConversion.configurations) addReader(mainFile, files);
    for (const { mainFile, files } of this.configurationModels) addReader(mainFile, files.keys());
    return rootsByPath;
  }

  /**
   * All findings of a file in the order of the text, including those about its configuration. If a
   * line rule and a configuration rule report the same problem, it is listed once. The findings of
   * the last file are cached, because a run needs them several times in a row.
   */
  findings(file: ProjectFile): readonly PlacedFinding[] {
    const { path, tree, info, engine } = file;
    const { lastFindings } = this;
    if (
      lastFindings?.path === path &&
      lastFindings.tree === tree &&
      lastFindings.info === info &&
      lastFindings.engine === engine
    )
      return lastFindings.findings;
    const analysis = engine.analyze(tree, { ...info, showsAnswered: this.showsAnswered });
    const whyUnchanged = this.whyUnchanged(path);
    const findingsOfConfiguration = this.configurationFindings(path).map((finding) =>
      this.withoutImpossibleFixes(finding),
    );
    const allFindings = mergedFindings(
      tree,
      analysis.findingsInOrder(),
      findingsOfConfiguration,
      this.accessConversion.isPartOfConfiguration(path)
        ? this.conversionResultAdder(path, tree)
        : (finding) => withReasonInFile(finding, path, analysis),
    );
    const findings =
      whyUnchanged === null
        ? [...allFindings]
        : Array.from(allFindings, (finding) => this.withoutFixes(finding, whyUnchanged));
    this.lastFindings = { path, tree, info, engine, findings };
    return findings;
  }

  /**
   * Returns the finding; without its fix, if the fix also needs another file that no fix may
   * change.
   */
  private withoutImpossibleFixes(finding: PlacedFinding): PlacedFinding {
    for (const { elsewhere = [] } of finding.fixes) {
      for (const [file, editsOfFile] of elsewhere) {
        const whyUnchanged = editsOfFile.length > 0 ? this.whyUnchanged(file) : null;
        if (whyUnchanged !== null) return this.withoutFixes(finding, whyUnchanged);
      }
    }
    return finding;
  }

  /**
   * A finding without its fix, because no fix may change a file. Its help says what to do by hand,
   * and why the file stays as it is.
   */
  private withoutFixes(finding: PlacedFinding, whyUnchanged: string): PlacedFinding {
    if (!finding.hasFixes && finding.waitsFor.length === 0) return finding;
    const safeFix = finding.fixes.find(({ safety }) => safety === 'safe');
    const help = finding.help ?? (safeFix && `${safeFix.title}.`);
    const findingWithoutFix = finding.withoutFixes(help === undefined ? whyUnchanged : `${help} ${whyUnchanged}`);
    this.findingsWithWithheldFix.add(findingWithoutFix);
    return findingWithoutFix;
  }

  /** Whether a file has findings whose fixes are withheld because no fix may change the file. */
  hasWithheldFixes(file: ProjectFile): boolean {
    return (
      this.whyUnchanged(file.path) !== null &&
      this.findings(file).some((finding) => this.findingsWithWithheldFix.has(finding))
    );
  }

  private readonly findingsWithWithheldFix = new WeakSet<PlacedFinding>();

  private lastFindings: (ProjectFile & { readonly findings: readonly PlacedFinding[] }) | null = null;

  /** The findings of configuration rules in a file, in the order of the text. */
  configurationFindings(path: string): readonly PlacedFinding[] {
    return this.configurationFindingsByFile.get(path) ?? [];
  }

  /**
   * The findings of configuration rules in a file, without those that the fixes of these rules
   * resolve.
   */
  private remainingFindings(path: string, includesUnsafe: boolean): readonly PlacedFinding[] {
    return this.configurationFindings(path).filter(
      (finding) => !this.configurationFixes(includesUnsafe).fixedFindings.includes(finding),
    );
  }

  /** The findings of configuration rules that are fixed by edits in other files only. */
  fixedThroughOtherFiles(includesUnsafe: boolean): readonly FindingFixedElsewhere[] {
    const { fixedFindings, editsOfEachFix } = this.configurationFixes(includesUnsafe);
    const fileByFinding = new Map(
      [...this.configurationFindingsByFile].flatMap(([file, list]) => list.map((finding) => [finding, file] as const)),
    );
    return fixedFindings.flatMap((finding, index) => {
      const fileOfFinding = fileByFinding.get(finding)!;
      const [fileOfEdits] = editsOfEachFix[index]!.keys();
      return fileOfEdits === undefined || editsOfEachFix[index]!.has(fileOfFinding)
        ? []
        : [{ finding, fileOfFinding, fileOfEdits }];
    });
  }

  /**
   * The edits of each fix of a configuration rule, by file. `includesUnsafe`: also of fixes that
   * may change the behaviour of the server.
   */
  editsOfConfigurationFixes(includesUnsafe: boolean): readonly ReadonlyMap<string, readonly Edit[]>[] {
    return this.configurationFixes(includesUnsafe).editsOfEachFix;
  }

  /**
   * The edits of a file that the conversion of access control and the fixes of configuration rules
   * make. `includesUnsafe`: also those that may change the behaviour of the server.
   */
  editsOfFile(path: string, includesUnsafe: boolean): readonly Edit[] {
    return [
      ...this.accessConversion.editsOfFile(path, includesUnsafe),
      ...(this.configurationFixes(includesUnsafe).editsByFile.get(path) ?? []),
    ];
  }

  /**
   * The text of a file after the conversion of access control and its fixes, and the findings that
   * remain. With `rules`, fixes of configuration rules are left out. A file that no fix may change
   * stays as it is.
   */
  fixedFileResult(
    { path, tree, info, engine }: ProjectFile,
    { unsafe = false, rules }: FixSelection = {},
  ): Omit<FixResult, 'fixes'> {
    if (this.whyUnchanged(path) !== null)
      return { text: tree.text(), appliedCount: 0, remainingFindings: this.findings({ path, tree, info, engine }) };
    const edits = rules ? this.accessConversion.editsOfFile(path, unsafe) : this.editsOfFile(path, unsafe);
    const convertedText = edits.length > 0 ? applyEdits(tree.text(), edits) : tree.text();
    const isConverted = this.accessConversion.editsOfFile(path, unsafe).length > 0;
    const fileInfo = isConverted ? { ...info, isConverted } : info;
    const { text, appliedCount, remainingFindings } = fixText(engine, convertedText, fileInfo, {
      unsafe,
      ...(rules && { rules }),
    });
    const configurationFindingsLeft = rules ? this.configurationFindings(path) : this.remainingFindings(path, unsafe);
    return {
      text,
      appliedCount: appliedCount + edits.length,
      remainingFindings: [...remainingFindings, ...configurationFindingsLeft],
    };
  }

  /**
   * The ids of the rules whose fixes in a file have to wait for findings of configuration rules;
   * undefined if there are none.
   */
  rulesWithWaitingFixes(path: string): ReadonlySet<string> | undefined {
    return rulesWithWaitingFixes(this.configurationFindings(path));
  }

  /** The fixes of configuration rules that are applied together. They are cached. */
  private configurationFixes(includesUnsafe: boolean): ConfigurationFixes {
    const cachedFixes = this.fixesBySafety.get(includesUnsafe);
    if (cachedFixes) return cachedFixes;
    // A file that two servers read is not changed: a fix would have to be right for both.
    const isReadByOne = (file: string) => this.configurationModels.filter(({ files }) => files.has(file)).length === 1;
    const mayChange = (file: string) => this.whyUnchanged(file) === null && isReadByOne(file);
    const fixes = selectConfigurationFixes(this.configurationFindingsByFile, { unsafe: includesUnsafe, mayChange });
    this.fixesBySafety.set(includesUnsafe, fixes);
    return fixes;
  }

  /** The conversion of the lines of a finding; null if the finding is not about access control. */
  conversionOfFinding(finding: PlacedFinding, path: string, tree: Tree): AccessOfLine | null {
    if (!mayReportConvertedLines(finding.rule)) return null;
    return finding.firstResultOfLines(tree, (offset) => this.accessConversion.resultAt(path, offset));
  }

  /**
   * Returns a function that adds to a finding what the conversion does with its lines: the fix, or
   * why they are not converted. Findings that are not about access control stay as they are.
   */
  private conversionResultAdder(path: string, tree: Tree): (finding: PlacedFinding) => PlacedFinding {
    return (finding) => {
      const conversionResult = this.conversionOfFinding(finding, path, tree);
      if (conversionResult === null) return finding;
      if ('change' in conversionResult)
        return finding.withFix(conversionResult.change.safety, () => fixForFile(conversionResult.change, path));
      const { waitsFor } = conversionResult;
      const whyNotConverted = `Not converted: ${reasonText(conversionResult.refusal)}.`;
      if (finding.rule !== orderAllowDeny) return finding.withParts({ cause: `${finding.cause} ${whyNotConverted}` });
      // If the conversion also waits for answers about unknown directives, but the reason is
      // another one, the help says how to answer.
      const asksAboutDirectives = waitsFor.some(({ kind }) => kind === 'unknown-directives');
      const help =
        asksAboutDirectives && conversionResult.refusal.code !== 'unknown-directives' ? HELP_FOR_UNKNOWN : undefined;
      return finding.withParts({ help, cause: whyNotConverted, waitsFor });
    };
  }

  /**
   * Why an old access line of a file stays; null if it is converted, or if no configuration reads
   * the file. `offset`: the start of the line in UTF-16 units.
   */
  refusalAt(path: string, offset: number): string | null {
    const conversionResult = this.accessConversion.resultAt(path, offset);
    if (!conversionResult || !('refusal' in conversionResult)) return null;
    return reasonWithWaitingCount(this.accessConversion.configurations, conversionResult.refusal, { path, offset });
  }

  /**
   * The open questions about the access control of the configuration with this main file, and the
   * questions on whose answers its conversion rests. If `root` is '', those of the standalone
   * files.
   */
  openQuestionsOf(root: string): readonly OpenQuestion[] {
    return this.accessConversion.configurations
      .filter((each) => (each.isStandalone ? '' : each.mainFile) === root)
      .filter(
        (each) => each.whyNothingConverted !== null || each.changes.length > 0 || each.furtherQuestions.length > 0,
      )
      .flatMap(({ waitsFor, restsOn, furtherQuestions }) => [...waitsFor, ...restsOn, ...furtherQuestions]);
  }

  /**
   * These files, and all files of the configurations that read one of them. Files whose lines show
   * that the server runs 2.4 are left out.
   */
  filesOf22(paths: readonly string[]): readonly string[] {
    const groups = [
      ...this.configurationModels.map((model) => ({ files: [...model.files.keys()], isFor24: model.isFor24 })),
      ...this.accessConversion.configurations.map((each) => ({ files: each.files, isFor24: each.showsSignsOf24() })),
    ];
    return filesOf22(paths, groups, (file) => loadsModuleOf24(this.view.read(file)?.root ?? NO_LINES));
  }

  /**
   * Sentences about the configurations whose access control is not converted because one of their
   * files cannot change, such as a file that the user did not name. `displayName`: see
   * `conversionNotes`.
   */
  blockedConversions(displayName: (path: string) => string): readonly string[] {
    return this.accessConversion.configurations.flatMap(({ mainFile, whyNothingConverted }) =>
      whyNothingConverted?.code === 'file-cannot-change'
        ? [`The access control of ${displayName(mainFile)} is not converted: ${reasonText(whyNothingConverted)}.`]
        : [],
    );
  }

  /**
   * Notes for the user, each once, that say why conversions are not safe or not made at all.
   * `displayName` returns the name of a file as texts for users show it.
   */
  conversionNotes(displayName: (path: string) => string): readonly string[] {
    return this.accessConversion.configurations.flatMap(({ mainFile, changes, whyNothingConverted, waitsFor }) => {
      const shownName = displayName(mainFile);
      if (whyNothingConverted !== null)
        return [`${shownName}: nothing is converted: ${reasonText(whyNothingConverted)}`];
      return changes.length === 0 ? [] : openQuestionTexts(waitsFor).map((text) => `${shownName}: ${text}`);
    });
  }
}

/**
 * Adds why an old access line has no fix, if other sections of its file are the reason. `path`: the
 * file, which no known configuration reads.
 */
function withReasonInFile(finding: PlacedFinding, path: string, analysis: Analysis): PlacedFinding {
  // A finding that has never had a fix already has the reason.
  if (finding.rule !== orderAllowDeny || finding.hasFixes || finding.ruleFixes.length === 0) return finding;
  const reason = analysis.refusalAt(finding.start);
  return reason === null
    ? finding
    : finding.withParts({ help: undefined, cause: `Not converted: ${reasonInFile(reason, path)}.` });
}

/**
 * Returns these files and the files of all groups that contain one of them, without files that
 * certainly belong to a 2.4 server. A group has the files of a configuration, and whether the whole
 * configuration certainly belongs to 2.4. `isOf24` returns whether a file alone shows that.
 */
export function filesOf22(
  paths: readonly string[],
  groups: readonly { readonly files: readonly string[]; readonly isFor24: boolean }[],
  isOf24: (file: string) => boolean,
): readonly string[] {
  const wantedPaths = new Set(paths);
  const wantedGroups = groups.filter(({ files }) => files.some((file) => wantedPaths.has(file)));
  const filesOf24 = new Set(wantedGroups.flatMap(({ files, isFor24 }) => (isFor24 || files.some(isOf24) ? files : [])));
  const allFiles = new Set([...paths.filter((file) => !isOf24(file)), ...wantedGroups.flatMap(({ files }) => files)]);
  return [...allFiles].filter((file) => !filesOf24.has(file));
}

/**
 * Whether a file lies in the directory of a configuration that certainly does not read it. `path`
 * has its symbolic links resolved. The user's answers count: see `cannotReadFileTest`.
 */
export function isUnreadNeighbour(path: string, tree: Tree | null, server: ModelsAndAnswers): boolean {
  const cannotReadFile = cannotReadFileTest(tree, server.answerSet);
  return server.configurationModels.some(
    (model) => cannotReadFile(model) && isWithin(path, parentOf(model.mainFile).replace(/(?<=.)\/conf$/, '')),
  );
}

/** The configurations that may read a file, and the answers that apply to it. */
export interface ModelsAndAnswers {
  readonly configurationModels: readonly Pick<Model, 'mainFile' | 'gaps' | 'serverRoot' | 'distribution'>[];
  /** The user's answers to open questions. */
  readonly answerSet: AnswerSet;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Returns a function that tests a configuration: whether it certainly does not read the file with
 * this tree, although some of its own files may be missing in this copy (`gaps`). True if there are
 * no gaps. A file with access lines is certainly not a missing file of these kinds:
 * - Files that have no access lines, as the user answered.
 * - Files of conf.modules.d in Red Hat's packages, which have only LoadModule lines.
 * A file with virtual hosts is certainly not one of the files that have none, as the user answered.
 * With any other gap, and with any gap if `tree` is null, the function returns false.
 */
function cannotReadFileTest(
  tree: Tree | null,
  answerSet: AnswerSet,
): (model: Pick<Model, 'gaps' | 'serverRoot' | 'distribution'>) => boolean {
  const names = namesIn(tree?.root ?? NO_LINES);
  const hasAccessLines = names.hasSome((name) => OLD_ACCESS_NAMES.has(name) || name === 'require');
  // A virtual host in a macro exists only if a line uses the macro.
  const hasHosts = !names.hasTooManyNames && names.hasName('<virtualhost') && !names.hasName('<macro');
  const isAnswered = ({ reason, what }: Model['gaps'][number]) => {
    const question = openQuestion('include-unseen', what);
    return (
      (reason === 'include-missing' || reason === 'include-folder-missing') &&
      isSettled(question, answerSet, false) &&
      (hasAccessLines ||
        (hasHosts && answerSet.answers.get(questionIdOrFallback(question, answerSet)) === ANSWER_NO_HOSTS))
    );
  };
  return ({ gaps, serverRoot, distribution }) =>
    gaps.every((gap) => isAnswered(gap) || (hasAccessLines && isMissingPackageFolder(gap, serverRoot, distribution)));
}

/** The id of the question about all missing files. */
const MISSING_INCLUDES_ID = openQuestionId(ALL_MISSING_INCLUDES_QUESTION);

const NO_LINES = Tree.parse('').root;
/** The main files for a file that no configuration reads. */
const NO_READERS: readonly string[] = [''];

/** The fixes of each change, by file. */
const fixesByChange = cacheOf<AccessChange, Map<string, Fix>>();

/**
 * Makes a fix for one file from a change. All lines of the file that the change affects share one
 * fix object.
 */
function fixForFile(change: AccessChange, file: string): Fix {
  const cachedFixes = fixesByChange.get(change) ?? new Map<string, Fix>();
  fixesByChange.set(change, cachedFixes);
  let fix = cachedFixes.get(file);
  if (!fix) cachedFixes.set(file, (fix = accessFix(change, file)));
  return fix;
}

/**
 * Merges the findings of single lines and those of the configuration in the order of the text. A
 * problem that both report appears once. `withFacts` adds the facts of the configuration to a
 * finding.
 */
function* mergedFindings(
  tree: Tree,
  findingsAboutLines: Iterable<PlacedFinding>,
  findingsOfConfiguration: readonly PlacedFinding[],
  withFacts: (finding: PlacedFinding) => PlacedFinding,
): Generator<PlacedFinding> {
  // An array if the findings are read twice.
  const findingsOfLines = findingsOfConfiguration.some(({ about }) => about)
    ? [...findingsAboutLines]
    : findingsAboutLines;
  const shownFindings = withoutCoveredFindings(tree, findingsOfConfiguration, () =>
    [...findingsOfLines].map(reportedProblemOf),
  );
  const placeOf = (rule: string, { start }: PlacedFinding) => `${rule} ${tree.lineAt(start)?.offset}`;
  const reportedPlaces = new Set(shownFindings.map((finding) => placeOf(finding.rule.id, finding)));
  let nextShown = 0;
  for (const finding of findingsOfLines) {
    while (nextShown < shownFindings.length && shownFindings[nextShown]!.start <= finding.start)
      yield withFacts(shownFindings[nextShown++]!);
    const moreDetailedId = moreDetailedRule(finding.rule.id, finding.messageId);
    if (moreDetailedId === null || !reportedPlaces.has(placeOf(moreDetailedId, finding))) yield withFacts(finding);
  }
  while (nextShown < shownFindings.length) yield withFacts(shownFindings[nextShown++]!);
}
