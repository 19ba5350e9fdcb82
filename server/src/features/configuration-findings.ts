/**
 * Runs the rules about whole configurations: the main file and all files that it includes. Each
 * finding names its file. A pure function of the files in the view, for the command line and the
 * language server.
 */
import { accessConditions } from '../access/conditions';
import type { OpenQuestion } from '../access/open-question';
import { isForBothVersions, certainlyRuns22, questionIdOrFallback } from '../analysis/answers';
import type { Diagnostic } from 'vscode-languageserver-types';
import { isMadeByTemplate } from '../access/template';
import type { Engine, PlacedFinding } from '../analysis/engine';
import { selectedFix, SelectedEdits, type FixSelection } from '../analysis/fixes';
import { isSuppressed } from '../analysis/suppression';
import { findingForAnyTemplateText } from '../analysis/template-text';
import type { Activity } from '../config/activity';
import { readConfiguration, type Configuration, type DirectiveNames, type ReadOptions } from '../config/configuration';
import { isSummaryOf } from '../config/file-summary';
import { viewOfCopy, type FileView } from '../config/files';
import { distributionOf, linesOf, readLoadedModules, type LoadedModules } from '../config/loaded-modules';
import { configView } from '../config/config-view';
import type { Model, ServerSettings } from '../config/model';
import { readModel } from '../config/read-model';
import { includeNoMatch } from '../rules/include-no-match';
import { missingModule } from '../rules/missing-module';
import { nameVirtualHost } from '../rules/one-line';
import { virtualHostComesAlive } from '../rules/virtual-host-comes-alive';
import { sectionKind } from '../config/sections';
import { namesIn } from '../config/name-set';
import { findServiceFile } from '../config/service-file';
import type { ConfigurationFinding, ConfigurationRule, ConfigurationRuleInput, Edit } from '../rules/rule';
import { argumentsOf, type Line } from '../syntax/line';
import { lazy } from '../syntax/memory';
import { forEachItem, Section, type List } from '../syntax/tree';

/** The configuration to check, and the settings for it. */
export interface ConfigurationFindingsOptions {
  readonly mainFile: string;
  readonly view: FileView;
  readonly engine: Engine;
  /** The facts about the server in the user's settings. */
  readonly server?: ServerSettings;
  /**
   * The model of the configuration, if the caller has one. A model that was made from other trees
   * is not used.
   */
  readonly model?: Model;
  /**
   * Whether to return also findings whose question the user has answered
   * (`EngineOptions.showsAnswered`).
   */
  readonly showsAnswered?: boolean;
  /** Whether only findings with fixes are needed (`ProjectParts`). */
  readonly needsOnlyFixes?: boolean;
}

/**
 * The findings by file, each list in the order of the text. Paths have symbolic links resolved. The
 * edits of a fix are for the finding's file; `elsewhere` has its edits of other files. Empty if the
 * main file cannot be read, or if no rule about configurations is enabled.
 */
export function configurationFindings(
  options: ConfigurationFindingsOptions,
): ReadonlyMap<string, readonly PlacedFinding[]> {
  const { engine, mainFile, view, server = {} } = options;
  const findingsByFile = new Map<string, PlacedFinding[]>();
  if (engine.configurationRules.length === 0) return findingsByFile;
  const model =
    options.model && isMadeFromTrees(options.model, view)
      ? options.model
      : readModel({ mainFile, view: configView(view), target: engine.target, server });
  const activityOfCondition = model ? conditionActivityFinder(model) : undefined;
  const readMainFile = (options: Pick<ReadOptions, 'names'> & Partial<ReadOptions>) =>
    readConfiguration({
      root: mainFile,
      view,
      decideCondition: activityOfCondition,
      ...options,
      target: engine.target,
      pathMap: server.pathMap,
      serverRoot: server.serverRoot,
      defines: server.defines,
      defineFlags: server.defineFlags,
    });
  const conditionsOfBothVersions = accessConditions('2.2', engine.target);
  const readForBothVersions = (names: DirectiveNames) =>
    readMainFile({
      names,
      oneVersionNames: names,
      decideCondition: (open, ...facts) => {
        const answerOfBothVersions = conditionsOfBothVersions(open, ...facts);
        return typeof answerOfBothVersions === 'object'
          ? answerOfBothVersions
          : (activityOfCondition?.(open) ?? answerOfBothVersions);
      },
    })!;
  // LoadModule lines are read first: they decide which other lines are needed.
  const loadModuleReading = readMainFile({
    names: new Set(['loadmodule', 'include']),
    skipsSection: ({ name }) => sectionKind(name) === 'container',
  });
  if (!loadModuleReading) return findingsByFile;
  const distribution =
    engine.distribution ?? server.distribution ?? model?.distribution ?? distributionOf(loadModuleReading);
  const service = findServiceFile(
    linesOf(loadModuleReading, 'include').map(({ expandedLine }) => argumentsOf(expandedLine)[0]?.value ?? ''),
    loadModuleReading.pathMap,
    viewOfCopy(view, loadModuleReading.pathMap),
  );
  const modulesOfFirstReading = readLoadedModules(loadModuleReading, distribution, server.builtIn, service);
  const configuration = readMainFile({
    names: neededDirectiveNames(engine.configurationRules, modulesOfFirstReading),
  })!;
  const rules = runnableRules(configuration, engine.configurationRules);
  const localView = viewOfCopy(view, configuration.pathMap);
  const modules = readLoadedModules(configuration, distribution, server.builtIn, service, localView);
  const answerTo = (openQuestion: OpenQuestion) =>
    engine.answerSet.answers.get(questionIdOrFallback(openQuestion, engine.answerSet)) ?? null;
  const requestConfigurations = requestConfigurationsFor(options);
  for (const rule of rules) {
    for (const finding of engine.runSafely(rule, () =>
      rule.check({
        configuration,
        readForBothVersions,
        modules,
        view: localView,
        target: engine.target,
        isConverted: engine.answerSet.isConvertedInPart === true,
        hasWrittenFixes: engine.hasWrittenFixes,
        distribution,
        ...requestConfigurations,
        answerTo,
      }),
    )) {
      // A finding may be in a .htaccess file, which only the view can read.
      const tree = configuration.files.get(finding.file)?.tree ?? localView.read(finding.file);
      if (!tree || isSuppressed(tree, finding.start, rule.id)) continue;
      const placedFinding = engine.placedFinding(
        rule,
        withoutFixesInMacros(finding, configuration),
        options.showsAnswered,
      );
      const shownFinding =
        placedFinding === null || tree.root.templateLineCount === 0
          ? placedFinding
          : findingForAnyTemplateText(tree.root, placedFinding, 0);
      if (shownFinding === null) continue;
      const findingsSoFar = findingsByFile.get(finding.file);
      if (findingsSoFar) findingsSoFar.push(shownFinding);
      else findingsByFile.set(finding.file, [shownFinding]);
    }
  }
  for (const findings of findingsByFile.values()) findings.sort((a, b) => a.start - b.start || a.end - b.end);
  return findingsByFile;
}

/**
 * Whether the files may show what 2.2 answers. False if the server already runs 2.4, or if it runs
 * 2.2 but the files may already have lines of 2.4 (`certainlyRuns22`).
 */
function mayShowAnswersOf22({ accessSource, answerSet }: Engine): boolean {
  return accessSource !== '2.4' && !certainlyRuns22(answerSet);
}

/**
 * The functions that make the configuration to which rules can send requests. `requests` is null if
 * the files do not show what 2.2 answers, or if only fixes are needed. `requestsOf22` is null
 * unless 2.2 and 2.4 both read the files.
 */
function requestConfigurationsFor({
  mainFile,
  view,
  engine,
  server = {},
  needsOnlyFixes = false,
}: ConfigurationFindingsOptions): Pick<ConfigurationRuleInput, 'requests' | 'requestsOf22'> {
  const mpm = engine.answerSet.answers.get('mpm') ?? null;
  const requestConfiguration = lazy(() => ({
    mainFile,
    files: { view },
    convertedFiles: () => null,
    server,
    target: engine.target,
    mpm: mpm === 'keep' ? null : mpm,
  }));
  return {
    requests: !needsOnlyFixes && mayShowAnswersOf22(engine) ? requestConfiguration : null,
    requestsOf22: isForBothVersions(engine.answerSet) ? requestConfiguration : null,
  };
}

/**
 * The rules that can run. A template decides which lines exist and which files they include, so
 * most rules cannot judge a configuration with template text.
 */
function runnableRules({ files }: Configuration, rules: readonly ConfigurationRule[]): readonly ConfigurationRule[] {
  return isMadeByTemplate(files.values()) ? rules.filter(({ isForTemplates }) => isForTemplates) : rules;
}

/**
 * Removes fixes that edit the text of a macro. Their offsets would be wrong, because the findings
 * are for the macro's text after its parameters are replaced.
 */
function withoutFixesInMacros(finding: ConfigurationFinding, { files }: Configuration): ConfigurationFinding {
  const isInMacro = (file: string, edits: readonly Edit[]): boolean => {
    const tree = files.get(file)?.tree;
    if (!tree || !namesIn(tree.root).hasName('<macro')) return false;
    const macros = macrosIn(tree.root, 0);
    return edits.some(({ start, end }) => macros.some((macro) => start < macro.end && end > macro.start));
  };
  const fixes = finding.fixes?.filter(
    ({ edits, elsewhere }) =>
      ![[finding.file, edits] as const, ...(elsewhere ?? [])].some(([file, fileEdits]) => isInMacro(file, fileEdits)),
  );
  return fixes?.length === finding.fixes?.length ? finding : { ...finding, fixes };
}

/**
 * The start and end of each macro in a list, as offsets in the file. `listOffset`: where the list
 * starts.
 */
function macrosIn(list: List, listOffset: number): { readonly start: number; readonly end: number }[] {
  const macros: { readonly start: number; readonly end: number }[] = [];
  forEachItem(list, listOffset, (item, offset) => {
    if (!(item instanceof Section)) return;
    if (item.name === 'macro') macros.push({ start: offset, end: offset + item.length });
    else macros.push(...macrosIn(item.body, offset + item.open.length));
  });
  return macros;
}

/** The fixes that were selected for the findings of configuration rules. */
export interface ConfigurationFixes {
  /** The edits of all selected fixes, by file: offsets in the file, without overlaps. */
  readonly editsByFile: ReadonlyMap<string, readonly Edit[]>;
  /** The findings that these fixes resolve. */
  readonly fixedFindings: readonly PlacedFinding[];
  /** For each of `fixedFindings`, in the same order, the edits of its fix by file. */
  readonly editsOfEachFix: readonly ReadonlyMap<string, readonly Edit[]>[];
}

/**
 * Selects one fix for each finding. The edits of a fix in several files are applied together or not
 * at all. `mayChange` returns whether a file can be changed.
 */
export function selectConfigurationFixes(
  findings: ReadonlyMap<string, readonly PlacedFinding[]>,
  {
    unsafe = false,
    rules,
    mayChange = () => true,
  }: FixSelection & { readonly mayChange?: (file: string) => boolean } = {},
): ConfigurationFixes {
  const selectedByFile = new Map<string, SelectedEdits>();
  const fixedFindings: PlacedFinding[] = [];
  const editsOfEachFix: ReadonlyMap<string, readonly Edit[]>[] = [];
  for (const [file, list] of findings) {
    for (const finding of list) {
      if (rules && !rules.includes(finding.rule.id)) continue;
      const fix = selectedFix(finding.fixes, { unsafe, rules });
      if (!fix) continue;
      const editsOfFiles: [string, readonly Edit[]][] = [[file, fix.edits], ...(fix.elsewhere ?? [])];
      const isFixApplicable = editsOfFiles.every(
        ([each, fileEdits]) =>
          fileEdits.length === 0 ||
          (mayChange(each) && !fileEdits.some((edit) => selectedByFile.get(each)?.overlapsWith(edit) === true)),
      );
      if (!isFixApplicable) continue;
      for (const [each, editsOfFile] of editsOfFiles) {
        if (editsOfFile.length === 0) continue;
        const selectedOfFile = selectedByFile.get(each) ?? new SelectedEdits();
        selectedOfFile.add(editsOfFile);
        selectedByFile.set(each, selectedOfFile);
      }
      fixedFindings.push(finding);
      editsOfEachFix.push(new Map(editsOfFiles.filter(([, editsInFile]) => editsInFile.length > 0)));
    }
  }
  return {
    editsByFile: new Map([...selectedByFile].map(([file, { edits }]) => [file, edits])),
    fixedFindings,
    editsOfEachFix,
  };
}

/**
 * The id of the configuration rule that reports the same problem with more details than a rule for
 * single lines; null if there is none.
 */
export function moreDetailedRule(rule: string, messageId: string): string | null {
  if (
    (rule === 'unknown-directive' && messageId === 'module-missing') ||
    (rule === 'invalid-value' && messageId === 'refused')
  )
    return missingModule.id;
  if (rule === nameVirtualHost.id) return virtualHostComesAlive.id;
  return rule === 'include-wildcard' ? includeNoMatch.id : null;
}

/**
 * The ids of the rules whose fixes in a file have to wait, because a finding about the
 * configuration needs the lines that they remove; undefined if there are none.
 */
export function rulesWithWaitingFixes(findings: readonly PlacedFinding[]): ReadonlySet<string> | undefined {
  const mustWait = findings.some(({ rule, messageId }) => rule === virtualHostComesAlive && messageId === 'named');
  return mustWait ? RULES_WITH_WAITING_FIXES : undefined;
}

/** The rules whose fixes can have to wait: see `rulesWithWaitingFixes`. */
const RULES_WITH_WAITING_FIXES: ReadonlySet<string> = new Set([nameVirtualHost.id]);

/**
 * Returns the diagnostics of single lines, without those that a configuration rule reports with
 * more details.
 */
export function withoutDuplicates(
  lineDiagnostics: readonly Diagnostic[],
  configurationDiagnostics: readonly Diagnostic[],
): Diagnostic[] {
  const reportedPlaces = new Set(configurationDiagnostics.map(({ code, range }) => `${code} ${range.start.line}`));
  return lineDiagnostics.filter(
    ({ code, data, range }) =>
      !reportedPlaces.has(
        `${moreDetailedRule(String(code), (data as { message?: string } | undefined)?.message ?? '')} ${range.start.line}`,
      ),
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/** Decides which directives to read: those that some rule needs. */
function neededDirectiveNames(rules: readonly ConfigurationRule[], modules: LoadedModules): DirectiveNames {
  const alwaysWantedNames = new Set(rules.flatMap((rule) => rule.names));
  const wantedByName = new Map<string, boolean>();
  return {
    has(name) {
      let isNameWanted = wantedByName.get(name);
      if (isNameWanted === undefined)
        wantedByName.set(
          name,
          (isNameWanted =
            alwaysWantedNames.has(name) || rules.some((rule) => rule.needsName?.(name, modules) === true)),
        );
      return isNameWanted;
    },
  };
}

/**
 * Whether a model was made from these trees. Trees with the same text are not enough: a model
 * identifies conditions by line objects.
 */
function isMadeFromTrees(model: Model, view: FileView): boolean {
  return [...model.files].every(([path, readings]) => {
    const tree = view.read(path);
    return tree !== null && readings.every(({ fileSummary }) => isSummaryOf(fileSummary, tree.root));
  });
}

/**
 * Returns a function that takes the open tag of a condition. It returns what the walk through the
 * configuration decided about the condition; undefined if that is unknown.
 */
function conditionActivityFinder(model: Model): (open: Line) => Activity | undefined {
  const activityByTag = new Map<Line, Activity>();
  for (const readings of model.files.values()) {
    for (const { conditions } of readings) {
      for (const [openTag, { activity }] of conditions)
        activityByTag.set(
          openTag,
          activityByTag.has(openTag) && activityByTag.get(openTag) !== activity ? 'unknown' : activity,
        );
    }
  }
  return (openTag) => {
    const activity = activityByTag.get(openTag);
    return activity === 'unknown' ? undefined : activity;
  };
}
