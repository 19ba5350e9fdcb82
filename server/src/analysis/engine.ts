/**
 * Runs the rules over a tree, and caches their findings on its immutable nodes, together with the
 * context of the node. An edit makes new nodes only from the changed line up to the root. So only
 * these nodes are checked again, and no cache must be cleared. The caches are fields of the nodes,
 * because a WeakMap would take ten times the time and memory.
 *
 * Text that is `inactive` is not checked, and neither are the lines in opaque sections (`<Perl>`).
 */
import type { OpenQuestion } from '../access/open-question';
import type { Source } from '../access/model';
import type { Distribution } from '../config/distribution';
import { fileContextWith, type FileContext } from '../config/file-context';
import { summarize } from '../config/file-summary';
import type { UsesOfFile } from '../config/macro';
import { isTransparent, sectionKind } from '../config/sections';
import { DEFAULT_TARGET, isNewForServer, parseTarget, type Target } from '../config/target';
import { usesFromFileAlone } from '../config/uses-in-file';
import { orderAllowDeny } from '../rules/order-allow-deny';
import { findingForBody, findingForFile, inactiveText } from '../rules/inactive-text';
import {
  isAboutComments,
  SEVERITY_OF,
  type ConfigurationRule,
  type Consequence,
  type Context,
  type Finding,
  type LineRuleInput,
  type Fix,
  type Member,
  type Rule,
  type Scope,
  type SectionRule,
  type Severity,
} from '../rules/rule';
import {
  ALL_FACTS,
  Fact,
  factsOfSection,
  factsOfTest,
  hasFact,
  plusFacts,
  type FileFacts,
} from '../rules/support/facts';
import type { Tree } from '../syntax/document';
import { indentOf, isByteOrderMark, LineKind, type Line } from '../syntax/line';
import { cacheOf, counters } from '../syntax/memory';
import { Template, TemplateTrait } from '../syntax/template';
import { List, NodeKind, Section } from '../syntax/tree';
import { Analysis, SharedAnalysis } from './analysis';
import {
  type AnswerSet,
  isForBothVersions,
  certainlyRuns22,
  isSettled,
  idOfQuestionAnsweredKeep,
  NO_ANSWERS,
  runningVersion,
  withVersionAnswer,
} from './answers';
import { Choices, isChoiceAnswered, needsNoChange } from './choices';
import { Contexts, cacheValue, type EngineContext } from './contexts';
import type { EngineOptions, EngineView, FileInfo } from './engine-view';
import { fileRuleInput } from './file-subject';
import { consequenceOf, PlacedFinding, severityOf } from './findings';
import { ignoreComments } from './ignored';
import {
  ListResult,
  NOTHING_FOUND,
  SectionResult,
  type CachedResult,
  type CachedFinding,
  type LineResult,
} from './results';
import { NO_CHECKS, RuleTable, type ChecksOfLine, type LineCheck } from './rule-table';
import { comparableText, SectionsByText, type ResultsOfEqualSections } from './same-sections';
import { isAboutShellWord } from './template-text';
import { findingsOfUses } from './uses';

export { Analysis, ListResult, PlacedFinding, type EngineOptions, type FileInfo };

/**
 * Whether a fix of the finding is one of several alternatives, among which the user's answer
 * decides.
 */
function hasChoice({ fixes }: Pick<Finding, 'fixes'>): boolean {
  return fixes !== undefined && fixes.some(({ choice }) => choice !== undefined);
}

/**
 * The consequences that a finding has in a .htaccess file, by its consequences in other files. An
 * error that would prevent the start of the server only makes requests fail there.
 */
const CONSEQUENCE_IN_HTACCESS: Partial<Record<Consequence, Consequence>> = {
  'will not start': 'requests get 500',
  'may not start': 'requests may get 500',
};

/**
 * Counts rule checks since the start of the program. Tests use it to measure the cost of an edit.
 */
export const checkCounts = counters({ checks: 0 });

/** Runs the rules on files, and caches their findings on the nodes of the trees. */
export class Engine implements EngineView {
  private readonly rules: RuleTable;
  private readonly contexts: Contexts;
  private readonly choices: Choices;
  /**
   * A cache of texts of lines without findings, as a table with a fixed number of slots.
   * `contextsWithoutFindings` has the context of the line in the same slot. `slotOfText` computes
   * the slot from the text.
   */
  private readonly textsWithoutFindings = new Array<string>(TEXT_SLOT_COUNT).fill('');
  private readonly contextsWithoutFindings = new Array<Context | null>(TEXT_SLOT_COUNT).fill(null);
  /** Whether the text that is being analyzed is one that a Use line inserts. */
  private isInsertedText = false;
  /** A section rule that does not run in the current analysis. Null if all rules run. */
  private excludedRule: Rule | null = null;
  /** All contexts of the file that is being analyzed. Null if it has only one context. */
  private sharedContexts: ReadonlySet<FileContext> | null = null;
  /**
   * The sections of the file that were analyzed so far, by text. Null if no file is being analyzed,
   * or if the file has several contexts.
   */
  private sectionsByText: SectionsByText | null = null;

  constructor(readonly options: EngineOptions) {
    const { target = DEFAULT_TARGET, accessSource = '', answerSet = NOTHING_ANSWERED } = options;
    this.answerSet = withVersionAnswer(answerSet);
    const runningPatch = parseTarget(accessSource)?.patch ?? Infinity;
    this.target = Number.isFinite(runningPatch)
      ? { ...target, runningPatch }
      : this.accessSource === '2.4'
        ? { ...target, runsUnknown24: true }
        : target;
    this.choices = new Choices(this.answerSet);
    this.contexts = new Contexts(this, this.target, this.distribution);
    this.rules = new RuleTable(options.rules, (rule) => this.isRuleOff(rule));
  }

  /** The rules that features/configuration-findings.ts runs. */
  get configurationRules(): readonly ConfigurationRule[] {
    return this.rules.configurationRules;
  }

  /**
   * The target version. It includes the release that the server runs now, if that is known. It is
   * one object, because callers compare targets by identity.
   */
  readonly target: Target;

  /**
   * The distribution whose package of httpd the server uses, from the settings. Null if no setting
   * names it.
   */
  get distribution(): Distribution | null {
    return this.options.distribution ?? null;
  }

  /**
   * The version that the server runs now. If a setting says `2.4`, that counts more than an answer
   * of the user.
   */
  get accessSource(): Source {
    return this.options.accessSource?.startsWith('2.4') || runningVersion(this.answerSet) === '2.4' ? '2.4' : '2.2';
  }

  /** The user's answers. An answer about the version that another answer contains is added. */
  readonly answerSet: AnswerSet;

  get keepsBoth(): boolean {
    return this.options.keepsBoth === true || isForBothVersions(this.answerSet);
  }

  isRuleOff(rule: Rule): boolean {
    if (rule.isAbout22 && !isForBothVersions(this.answerSet)) return true;
    if (rule.isMisledByConversion && this.hasWrittenFixes) return true;
    return this.severityOf(rule) === 'off';
  }

  /** Whether fixes or suggestions of this program may have been written to these files. */
  get hasWrittenFixes(): boolean {
    return this.answerSet.isConvertedInPart === true || this.options.isUpgradeFrom22 === true;
  }

  get isFrom22(): boolean {
    const { isUpgradeFrom22 = false } = this.options;
    return (
      certainlyRuns22(this.answerSet) ||
      isForBothVersions(this.answerSet) ||
      (isUpgradeFrom22 && this.accessSource === '2.2')
    );
  }

  isSettled(openQuestion: OpenQuestion): boolean {
    return isSettled(openQuestion, this.answerSet, this.assumeStandalone);
  }

  idOfQuestionAnsweredKeep(openQuestions: readonly OpenQuestion[]): string | null {
    return idOfQuestionAnsweredKeep(openQuestions, this.answerSet);
  }

  get assumeStandalone(): boolean {
    return this.options.assumeStandalone === true;
  }

  /**
   * Analyzes a tree. The time depends on the number of nodes that were not analyzed by an earlier
   * call.
   */
  analyze(tree: Tree, file: FileInfo): Analysis {
    const { furtherContexts = [] } = file;
    if (furtherContexts.length === 0) return this.analyzeInFirstContext(tree, file);
    const fileInfos = [file, ...furtherContexts.map((fileContext) => ({ ...file, fileContext }))];
    return new SharedAnalysis(
      this,
      tree,
      this.withSharedContexts(fileInfos, () => this.analyzeInFirstContext(tree, file)),
      fileInfos,
    );
  }

  /** Analyzes a tree only in the first context of the file. */
  analyzeInFirstContext(tree: Tree, file: FileInfo): Analysis {
    const { isHtaccess, fileContext = null } = file;
    const uses = isHtaccess || this.rules.useRules.length === 0 ? null : fileContext?.uses;
    return this.analyzeInContext(tree, file, uses?.isUnbalanced ? withoutContainers(fileContext) : fileContext, uses);
  }

  /**
   * Analyzes a tree in one context. `givenUses`: the results of the Use lines; null if they are not
   * needed. If undefined, they are computed from the macros of the file itself.
   */
  private analyzeInContext(
    tree: Tree,
    file: FileInfo,
    fileContext: FileContext | null,
    givenUses: UsesOfFile | null | undefined,
  ): Analysis {
    const { isHtaccess } = file;
    const context = this.contexts.contextOf({
      containers: fileContext?.containers ?? [],
      limits: [],
      activity: fileContext?.activity ?? 'active',
      isHtaccess,
      fileContext,
    });
    const rootResult = this.rootResult(tree.root, context);
    const uses =
      givenUses === undefined && hasFact(rootResult.facts, Fact.uses)
        ? usesFromFileAlone(summarize(tree.root), fileContext?.macros ?? null, this.target)
        : (givenUses ?? null);
    if (givenUses === undefined && uses?.isUnbalanced)
      return this.analyzeInContext(tree, file, withoutContainers(fileContext), uses);
    const wholeFileFindings = [
      ...this.scopeFindings(null, tree.root, 0, context, rootResult),
      ...this.fileFindings(tree.root, context, rootResult.facts, uses?.isUnbalanced === true),
    ];
    if (uses)
      for (const { offset, rule, finding } of findingsOfUses(tree.root, context, {
        engine: this,
        rules: this.rules.useRules,
        uses,
      })) {
        wholeFileFindings.push({
          rule,
          finding: { ...finding, start: offset + finding.start, end: offset + finding.end },
        });
      }
    const unreadFinding =
      this.options.findsInactive && file.unreadReason !== undefined
        ? findingForFile(tree.root, file.unreadReason, this.target)
        : null;
    if (unreadFinding) wholeFileFindings.push({ rule: inactiveText, finding: unreadFinding });
    return new Analysis(this, tree, rootResult, wholeFileFindings, file);
  }

  /**
   * The result of all lines of a file. Sections with equal text share their results, unless the
   * file has several contexts.
   */
  private rootResult(root: List, context: Context): ListResult {
    if (this.sharedContexts !== null) return this.listResult(root, context);
    this.sectionsByText = new SectionsByText();
    try {
      return this.listResult(root, context);
    } finally {
      this.sectionsByText = null;
    }
  }

  /**
   * The findings in text that a Use line inserts: those of line rules, and those of section rules
   * with `isAboutSingleLines`. `except`: a section rule that is left out because it takes too long.
   */
  findingsIn(tree: Tree, context: Context, except: Rule): PlacedFinding[] {
    this.isInsertedText = true;
    this.excludedRule = except;
    const listResult = this.listResult(tree.root, context);
    this.isInsertedText = false;
    const sectionFindings = this.scopeFindings(null, tree.root, 0, context, listResult).filter(
      ({ rule }) => rule.checks === 'section' && rule.isAboutSingleLines,
    );
    this.excludedRule = null;
    return new Analysis(this, tree, listResult, sectionFindings, { isHtaccess: context.isHtaccess }).findings();
  }

  contextWith(context: Context, fileContext: FileContext | null): Context {
    const { containers, limits, activity, isHtaccess } = context;
    return this.contexts.contextOf({ containers, limits, activity, isHtaccess, fileContext });
  }

  /**
   * The findings in a list that stands in this context, from the cache or computed now. A list
   * does not know its context: two trees can share it, with another context in each.
   */
  listIn(list: List, context: Context): ListResult {
    return this.listResult(list, context);
  }

  sectionIn(section: Section, context: Context): SectionResult {
    return this.sectionResult(section, context);
  }

  lineIn(line: Line, context: Context): readonly CachedFinding[] {
    return this.findingsOfLine(line, isTagOrDirective(line) ? this.checksFor(line, context) : NO_CHECKS, context);
  }

  factsIn(node: Section | List): FileFacts {
    const cachedListResult = node.cache as ListResult | undefined;
    return cachedListResult !== undefined && engineOf(cachedListResult) === this ? cachedListResult.facts : ALL_FACTS;
  }

  factsOfLine(line: Line): FileFacts {
    return this.rules.factsOfLine(line);
  }

  /**
   * Makes the finding that the user sees from a cached finding. `base`: the offset in the file from
   * which its offsets count. Null if the finding is not shown in this file.
   */
  presentFinding(cachedFinding: CachedFinding, base: number, facts: FileFacts, file: FileInfo): PlacedFinding | null {
    const { rule, finding } = cachedFinding;
    const configuredSeverity = this.options.severities?.[rule.id];
    if (configuredSeverity === 'off' || isChoiceAnswered(finding.settledBy, this.answerSet)) return null;
    if (finding.resolve !== undefined && cachedFinding.resolved?.facts !== facts)
      cachedFinding.resolved = { facts, change: finding.resolve(facts) };
    const change = cachedFinding.resolved?.change;
    if (change === null) return null;
    const consequence = change?.consequence ?? consequenceOf(finding, rule);
    if (SEVERITY_OF[consequence] !== 'error' && this.isAlreadyEffective(rule)) return null;
    // An error that would prevent the start of the server only makes requests fail if it is in a
    // .htaccess file.
    const consequenceForRequests = file.isHtaccess ? CONSEQUENCE_IN_HTACCESS[consequence] : undefined;
    const placedFinding = new PlacedFinding(
      rule,
      finding,
      configuredSeverity ?? SEVERITY_OF[consequence],
      base,
      base,
      null,
      consequenceForRequests === undefined ? change : { ...change, consequence: consequenceForRequests },
    );
    const shownFinding = this.withFixesForVersions(placedFinding);
    return hasChoice(change?.fixes === undefined ? finding : change)
      ? this.withChosenFixes(shownFinding, file.showsAnswered)
      : shownFinding;
  }

  /**
   * Leaves out fixes that the user's answers do not select. Null if the answers mean that no change
   * is needed, unless `showsAnswered` is set.
   */
  private withChosenFixes(finding: PlacedFinding, showsAnswered = this.options.showsAnswered): PlacedFinding | null {
    if (!showsAnswered && needsNoChange(finding.ruleFixes, this.answerSet)) return null;
    return finding.withChangedFixes(({ fixes, baseOffset }) => ({
      fixes: this.choices.fixesAfterAnswers(fixes),
      baseOffset,
    }));
  }

  /**
   * Makes a placed finding from a finding of a configuration rule, whose offsets count from the
   * start of the file. Null if the server that runs now already has the change of the rule. Also
   * null if the user's answers mean that no change is needed, unless `showsAnswered` is set.
   */
  placedFinding(rule: ConfigurationRule, finding: Finding, showsAnswered?: boolean): PlacedFinding | null {
    if (this.isAlreadyEffective(rule)) return null;
    const configuredSeverity = this.options.severities?.[rule.id];
    const severity =
      configuredSeverity === undefined || configuredSeverity === 'off' ? severityOf(finding, rule) : configuredSeverity;
    const placedFinding = this.withFixesForVersions(new PlacedFinding(rule, finding, severity, 0));
    return hasChoice(finding) ? this.withChosenFixes(placedFinding, showsAnswered) : placedFinding;
  }

  /** Whether the server that runs now already has the change of httpd that the rule reports. */
  private isAlreadyEffective({ since }: Rule): boolean {
    return since !== undefined && !isNewForServer(since, this.target);
  }

  /**
   * If 2.2 also reads the files, removes the fixes of a finding and adds advice for both versions.
   * Findings about access control keep their fixes, because those write lines for both versions.
   */
  private withFixesForVersions(finding: PlacedFinding): PlacedFinding {
    if (!isForBothVersions(this.answerSet) || finding.rule === orderAllowDeny) return finding;
    const help = finding.helpForBothVersions;
    if (finding.isReadByBoth && help !== undefined && finding.severity === 'warning')
      return finding.asInfoWithoutFixes(help);
    const findingWithHelp = help === undefined ? finding : finding.withParts({ help });
    return findingWithHelp.withChangedFixes(({ fixes, baseOffset }) => ({
      fixes: fixes.flatMap((fix) => this.fixForBoth(fix) ?? []),
      baseOffset,
    }));
  }

  /**
   * The fix for files that both versions read. Null if its lines are not for both versions, or if
   * the user did not give the answer that selects the fix.
   */
  private fixForBoth({ title, edits, choice, isForBothVersions: isForBoth }: Fix): Fix | null {
    return isForBoth && choice && isChoiceAnswered(choice, this.answerSet)
      ? { title, safety: 'safe', edits, restsOn: [choice.openQuestion] }
      : null;
  }

  private severityOf(rule: Rule): Severity | 'off' {
    return this.options.severities?.[rule.id] ?? SEVERITY_OF[rule.consequence];
  }

  /**
   * Removes the cached results of the nodes of a tree, to free memory. A later call computes them
   * again.
   */
  forget({ root }: Tree): void {
    forgetList(root);
  }

  /** The result of a list in this context, from the cache or computed now. */
  private listResult(list: List, context: Context): ListResult {
    const cachedResult = cachedResultIn<ListResult>(list.cache, context);
    if (cachedResult !== undefined) return cachedResult;
    const newResult = new ListResult(context);
    let offset = 0;
    let lineEnds = 0;
    for (let index = 0; index < list.children.length; index++) {
      const child = list.children[index]!;
      const countBefore = newResult.findingCount;
      if (child.kind === NodeKind.List) newResult.add(this.listResult(child, context));
      else if (child.kind === NodeKind.Section) newResult.add(this.sectionResult(child, context));
      else this.addLineResult(newResult, child, context);
      if (newResult.findingCount > countBefore) {
        // Most lists have only one child with findings. An array literal of three numbers takes
        // less memory than an array to which numbers are added.
        if (newResult.childrenWithFindings === null) newResult.childrenWithFindings = [index, offset, lineEnds];
        else newResult.childrenWithFindings.push(index, offset, lineEnds);
      }
      offset += child.length;
      lineEnds += child.lineEnds;
    }
    list.cache = this.linkedResult(list.cache, newResult);
    return newResult;
  }

  /**
   * Checks a line, and adds its number of findings and its facts to the result of the list around
   * it.
   */
  private addLineResult(result: ListResult, line: Line, context: Context): void {
    const checks = isTagOrDirective(line) ? this.checksFor(line, context) : NO_CHECKS;
    result.findingCount += this.findingsOfLine(line, checks, context).length;
    if (checks.collectingRules.length > 0) result.hasMembers = true;
    if (checks.factsOfLine !== null) result.facts = plusFacts(result.facts, checks.factsOfLine(line));
  }

  /** The rules that check lines with the name and kind of this line in this context. */
  private checksFor(line: Line, context: Context): ChecksOfLine {
    const checksByName = (context as EngineContext).checksByKind[line.kind]!;
    return checksByName.get(line.name) ?? cacheValue(checksByName, line.name, this.rules.checksOf(line, context));
  }

  /**
   * The findings of a line, from the cache or computed now. Empty without a check for most lines.
   */
  private findingsOfLine(line: Line, checks: ChecksOfLine, context: Context): readonly CachedFinding[] {
    return (checks.mustBeChecked || needsTextChecks(line)) && line.template !== Template.Structure
      ? this.lineFindings(line, checks, context)
      : NOTHING_FOUND;
  }

  /** Like `findingsOfLine`, for a line that must be checked. */
  private lineFindings(
    line: Line,
    { checksForName, checksForAllNames }: ChecksOfLine,
    context: Context,
  ): readonly CachedFinding[] {
    const cachedResult = cachedResultIn<LineResult>(line.cache, context);
    if (cachedResult !== undefined) return cachedResult.findings;
    // The findings of a line depend only on its text and context. Many lines have the same text and
    // no findings, so this is looked up first.
    const slot = slotOfText(line);
    if (this.textsWithoutFindings[slot] === line.text && this.contextsWithoutFindings[slot] === context) {
      this.cacheLineResult(line, context, NOTHING_FOUND);
      return NOTHING_FOUND;
    }
    let foundFindings: CachedFinding[] = [];
    const ruleInput: LineRuleInput = { line, context };
    if (needsTextChecks(line) || (line.kind === LineKind.Directive && isByteOrderMark(line.name)))
      this.runChecks(this.rules.textChecks, ruleInput, foundFindings);
    this.runChecks(checksForName, ruleInput, foundFindings);
    // Rules for the name of the directive come first, because they explain more. After an error,
    // the rules for all names are left out, because httpd stops at this line.
    for (let i = 0; i < checksForAllNames.length && !hasError(foundFindings); i++)
      this.addFindings(checksForAllNames[i]!, ruleInput, foundFindings);
    if (foundFindings.length > 0) foundFindings = this.withoutFindingsOnShellWords(foundFindings, line, context);
    if (foundFindings.length === 0) {
      this.textsWithoutFindings[slot] = line.text;
      this.contextsWithoutFindings[slot] = context;
    }
    this.cacheLineResult(line, context, foundFindings);
    return foundFindings;
  }

  /**
   * Leaves out findings about words that only look like variables of httpd, but are variables of a
   * shell.
   */
  private withoutFindingsOnShellWords(cachedFindings: CachedFinding[], line: Line, context: Context): CachedFinding[] {
    // In a macro, a dollar sign begins a parameter, and not a variable of a shell.
    const isMacroText =
      this.isInsertedText || line.name === 'macro' || line.name === 'use' || context.containers.includes('macro');
    const isAboutShell = ({ finding, rule }: CachedFinding) =>
      isAboutShellWord(line, finding, rule, context.fileContext);
    return !isMacroText && cachedFindings.some(isAboutShell)
      ? cachedFindings.filter((each) => !isAboutShell(each))
      : cachedFindings;
  }

  private runChecks(checks: readonly LineCheck[], ruleInput: LineRuleInput, cachedFindings: CachedFinding[]): void {
    for (let i = 0; i < checks.length; i++) this.addFindings(checks[i]!, ruleInput, cachedFindings);
  }

  /** Runs one check of a line, and adds its findings. If the check fails, reports the failure. */
  private addFindings({ rule, check }: LineCheck, ruleInput: LineRuleInput, cachedFindings: CachedFinding[]): void {
    checkCounts.checks++;
    let findings: readonly Finding[];
    try {
      findings = check(ruleInput);
    } catch (error) {
      findings = this.reportFailure(rule, error);
    }
    for (let i = 0; i < findings.length; i++) cachedFindings.push({ rule, finding: findings[i]! });
  }

  runSafely<F extends Finding>(rule: Rule, findingsOf: () => readonly F[]): readonly F[] {
    try {
      return findingsOf();
    } catch (error) {
      return this.reportFailure(rule, error);
    }
  }

  /**
   * Reports an error that a rule threw. If it is no `Error`, such as a cancellation, throws it
   * again.
   */
  private reportFailure(rule: Rule, error: unknown): readonly never[] {
    if (!this.options.onFailure || !(error instanceof Error)) throw error;
    this.options.onFailure(rule.id, error);
    return [];
  }

  /**
   * Links a new result of a node with the node's results for other contexts of the same file. Drops
   * results for contexts of other files, and results that several nodes share.
   */
  private linkedResult<Result extends CachedResult<Result>>(cache: unknown, result: Result): Result {
    let otherResults: Result | null = null;
    for (let oldResult = this.sharedContexts && (cache as Result | null | undefined); oldResult; ) {
      const { otherContext }: Result = oldResult;
      const { fileContext } = oldResult.context;
      if (
        engineOf(oldResult) === this &&
        !oldResult.isShared &&
        fileContext !== result.context.fileContext &&
        fileContext !== null &&
        this.sharedContexts!.has(fileContext)
      ) {
        oldResult.otherContext = otherResults;
        otherResults = oldResult;
      }
      oldResult = otherContext;
    }
    result.otherContext = otherResults;
    return result;
  }

  /** Stores the findings of a line in this context on the line. */
  private cacheLineResult(line: Line, context: Context, cachedFindings: readonly CachedFinding[]): void {
    const cache = line.cache as LineResult | undefined;
    // The result that all lines without findings share belongs to no node, so it must not be
    // linked.
    const linkedBefore = cache?.findings === NOTHING_FOUND ? undefined : cache;
    if (cachedFindings.length === 0 && (this.sharedContexts === null || linkedBefore === undefined))
      line.cache = this.emptyResultIn(context);
    else
      line.cache = this.linkedResult<LineResult>(linkedBefore, {
        context,
        findings: cachedFindings === NOTHING_FOUND ? [] : cachedFindings,
        otherContext: null,
      });
  }

  withSharedContexts<Result>(fileInfos: readonly FileInfo[], job: () => Result): Result {
    this.sharedContexts = new Set(fileInfos.flatMap(({ fileContext }) => fileContext ?? []));
    try {
      return job();
    } finally {
      this.sharedContexts = null;
    }
  }

  /** The result that all lines without findings share in a context. */
  private emptyResultIn(context: Context): LineResult {
    return ((context as EngineContext).emptyResult ??= { context, findings: NOTHING_FOUND, otherContext: null });
  }

  /** The result of a section in this context, from the cache or computed now. */
  private sectionResult(section: Section, context: Context): SectionResult {
    const cachedResult = cachedResultIn<SectionResult>(section.cache, context);
    if (cachedResult !== undefined) return cachedResult;
    const { kind, isScope } = this.contexts.factsOfSection(section.name, context);
    const contextInside = this.contexts.contextInside(section, context);
    const newResult =
      kind === 'opaque' || contextInside.activity === 'inactive'
        ? this.unreadSectionResult(section, context)
        : ((isScope ? this.equalSectionResult(section, contextInside, context) : null) ??
          this.readSectionResult(section, context, contextInside, isScope));
    section.cache = newResult.isShared ? newResult : this.linkedResult(section.cache, newResult);
    return newResult;
  }

  /** The result of a section whose lines are not analyzed. */
  private unreadSectionResult(section: Section, context: Context): SectionResult {
    const unreadResult = this.sectionWithTagFindings(section, context);
    this.setMembersOfTag(unreadResult, section, context);
    const fadedFinding =
      this.options.findsInactive && sectionKind(section.name) === 'conditional' && context.activity !== 'inactive'
        ? findingForBody(section, context)
        : null;
    if (fadedFinding) {
      unreadResult.findings = [{ rule: inactiveText, finding: fadedFinding }];
      unreadResult.findingCount++;
    }
    return unreadResult;
  }

  /** The result of a section whose lines are analyzed. */
  private readSectionResult(section: Section, context: Context, bodyContext: Context, isScope: boolean): SectionResult {
    const sectionResult = this.sectionWithTagFindings(section, context);
    const body = this.listResult(section.body, bodyContext);
    sectionResult.bodyContext = bodyContext;
    const bodyFacts = factsOfSection(section, bodyContext.activity, bodyContext.containers, body.facts);
    sectionResult.add(body);
    this.addLineResult(sectionResult, section.close, context);
    sectionResult.facts = plusFacts(sectionResult.facts, bodyFacts);
    if (!isScope) return sectionResult;
    sectionResult.findings = this.scopeFindings(section, section.body, section.open.length, bodyContext, body);
    sectionResult.findingCount += sectionResult.findings.length;
    this.setMembersOfTag(sectionResult, section, context);
    return sectionResult;
  }

  /**
   * The result of an earlier section with the same lines and an equal tag. If there is no earlier
   * result, checks this section, and stores its result for later sections. Null if the section
   * cannot be compared with others.
   */
  private equalSectionResult(section: Section, bodyContext: Context, context: Context): SectionResult | null {
    const equalSections =
      this.sectionsByText === null ? null : this.resultsOfEqualSections(this.sectionsByText, section, bodyContext);
    if (equalSections === null || !this.hasPlainTags(section, context)) return null;
    const { open } = section;
    const cachedResult = equalSections.resultForTag(open, context);
    if (cachedResult === null) {
      const sectionResult = this.readSectionResult(section, context, bodyContext, true);
      equalSections.add(open, sectionResult);
      return sectionResult;
    }
    return cachedResult.facts ===
      factsOfSection(section, bodyContext.activity, bodyContext.containers, equalSections.body.facts)
      ? cachedResult
      : null;
  }

  /**
   * The results of earlier sections with the same lines. The lines of this section then share the
   * cached results of those lines. Null if the section cannot be compared with others.
   */
  private resultsOfEqualSections(
    sectionsByText: SectionsByText,
    section: Section,
    bodyContext: Context,
  ): ResultsOfEqualSections | null {
    const { body } = section;
    const sectionText = cachedResultIn(body.cache, bodyContext) === undefined ? comparableText(section) : null;
    if (sectionText === null) return null;
    const equalSections = sectionsByText.resultsOf(sectionText, bodyContext);
    if (equalSections === undefined) {
      const bodyResult = this.listResult(body, bodyContext);
      // Each Use line is checked separately, so sections with Use lines share no result.
      return hasFact(bodyResult.facts, Fact.uses) ? null : sectionsByText.add(sectionText, bodyContext, bodyResult);
    }
    body.cache = equalSections.body;
    // If there are findings, the lines get their results later, when the findings are shown.
    if (equalSections.body.findingCount === 0) {
      const emptyResult = this.emptyResultIn(bodyContext);
      for (let i = 0; i < body.children.length; i++) body.children[i]!.cache = emptyResult;
    }
    return equalSections;
  }

  /** Whether the tags of a section have no findings, and only their names matter. */
  private hasPlainTags({ open, close }: Section, context: Context): boolean {
    const checksOfOpenTag = this.checksFor(open, context);
    return (
      !checksOfOpenTag.needsArguments &&
      this.findingsOfLine(open, checksOfOpenTag, context).length === 0 &&
      this.lineIn(close, context).length === 0
    );
  }

  /** A result that has only the findings and facts of the opening tag so far. */
  private sectionWithTagFindings(section: Section, context: Context): SectionResult {
    const tagResult = new SectionResult(context);
    this.addLineResult(tagResult, section.open, context);
    if (section.name === 'ifmodule') tagResult.facts = plusFacts(tagResult.facts, factsOfTest(section));
    return tagResult;
  }

  /**
   * Sets `hasMembers` for the scope around the section. In that scope, only the section's tag can
   * be a member.
   */
  private setMembersOfTag(result: SectionResult, { open }: Section, context: Context): void {
    result.hasMembers = this.checksFor(open, context).collectingRules.length > 0;
  }

  /**
   * The findings of section rules in one scope. `section`: the section of the scope, or null for
   * the top level of a file. `bodyOffset`: where the body begins; the offsets of the findings count
   * from the same place.
   */
  private scopeFindings(
    section: Section | null,
    body: List,
    bodyOffset: number,
    context: Context,
    { hasMembers, facts }: ListResult,
  ): readonly CachedFinding[] {
    if (!hasMembers) return NOTHING_FOUND;
    const foundFindings: CachedFinding[] = [];
    const tag = section && { indent: indentOf(section.open), template: section.open.template };
    const membersByRule = new Map<SectionRule, Member[]>();
    this.collectMembers(body, bodyOffset, context, [], membersByRule);
    // A closure here would be created for each rule, although most rules have no line in a section.
    const { scopeRules } = this.rules;
    for (let i = 0; i < scopeRules.length; i++) {
      const rule = scopeRules[i]!;
      const members = membersByRule.get(rule);
      if (members === undefined || rule === this.excludedRule) continue;
      if (body.templateLineCount > 0 && isChangedByTemplate(rule, body, members) && !rule.isAboutSingleLines) continue;
      this.addScopeFindings(rule, { tag, body, bodyOffset, context, facts, members }, foundFindings);
    }
    return foundFindings.length === 0 ? NOTHING_FOUND : foundFindings.slice();
  }

  private addScopeFindings(rule: RuleTable['scopeRules'][number], scope: Scope, cachedFindings: CachedFinding[]): void {
    this.addCheckFindings(rule, () => rule.check(scope), cachedFindings);
  }

  /** Runs a check of a rule, and adds its findings to `cachedFindings`. */
  private addCheckFindings(rule: Rule, check: () => readonly Finding[], cachedFindings: CachedFinding[]): void {
    checkCounts.checks++;
    const findings = this.runSafely(rule, check);
    for (let i = 0; i < findings.length; i++) cachedFindings.push({ rule, finding: findings[i]! });
  }

  /**
   * Adds the lines of a scope to `membersByRule`: for each section rule, the lines with the names
   * that the rule collects.
   */
  private collectMembers(
    list: List,
    base: number,
    context: Context,
    enclosingSections: readonly Section[],
    membersByRule: Map<SectionRule, Member[]>,
  ): void {
    let offset = base;
    for (const child of list.children) {
      if (child instanceof List) {
        if (this.listResult(child, context).hasMembers)
          this.collectMembers(child, offset, context, enclosingSections, membersByRule);
      } else {
        const lineOrTag = child instanceof Section ? child.open : child;
        this.collectMember(lineOrTag, offset, context, enclosingSections, membersByRule);
        if (child instanceof Section && isTransparent(sectionKind(child.name))) {
          const resultOfChild = this.sectionResult(child, context);
          if (resultOfChild.hasMembers && resultOfChild.bodyContext)
            this.collectMembers(
              child.body,
              offset + child.open.length,
              resultOfChild.bodyContext,
              [...enclosingSections, child],
              membersByRule,
            );
        }
      }
      offset += child.length;
    }
  }

  /** Adds a line to `membersByRule` for each section rule that collects its name. */
  private collectMember(
    line: Line,
    offset: number,
    context: Context,
    enclosingSections: readonly Section[],
    membersByRule: Map<SectionRule, Member[]>,
  ): void {
    if (line.kind !== LineKind.Directive && line.kind !== LineKind.Open) return;
    const rules = this.rules.rulesCollecting(line.name, context);
    if (rules.length === 0) return;
    const member = { line, offset, enclosingSections, activity: context.activity };
    for (const rule of rules) {
      const members = membersByRule.get(rule);
      if (members === undefined) membersByRule.set(rule, [member]);
      else members.push(member);
    }
  }

  /** The findings of rules that check the file as a whole. */
  private fileFindings(
    rootList: List,
    context: Context,
    facts: FileFacts,
    hasUnbalancedUses: boolean,
  ): CachedFinding[] {
    const foundFindings: CachedFinding[] = [];
    const options = { nodeResults: this, rootList, context, facts, hasUnbalancedUses };
    for (const names of this.rules.fileRules) {
      const { rule } = names;
      // Template text can change the file, so a finding about the whole file may be wrong.
      if (rootList.templateLineCount > 0 && !rule.handlesTemplates) continue;
      const file = fileRuleInput(options, names);
      if (file) this.addCheckFindings(rule, () => rule.checkFile!(file), foundFindings);
    }
    return foundFindings;
  }

  commentFindings(tree: Tree, wholeFileFindings: readonly CachedFinding[], context: Context): readonly CachedFinding[] {
    if (tree.root.pragmaCount === 0 || this.rules.commentRules.length === 0) return NOTHING_FOUND;
    const comments = ignoreComments({
      tree,
      context,
      engine: this,
      wholeFileFindings: wholeFileFindings.map(({ rule, finding }) => ({ id: rule.id, finding })),
      commentStateOf: (id) => {
        const rule = this.rules.ruleById.get(id);
        if (!rule) return 'unknown';
        const isJudged = rule.checks !== 'configuration' && !isAboutComments(rule) && !this.isRuleOff(rule);
        return isJudged ? 'judged' : 'unjudged';
      },
    });
    if (comments.length === 0) return NOTHING_FOUND;
    const ruleIds = [...this.rules.ruleById.keys()];
    const foundFindings: CachedFinding[] = [];
    for (const rule of this.rules.commentRules)
      this.addCheckFindings(rule, () => rule.checkComments!({ comments, ruleIds }), foundFindings);
    return foundFindings;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Whether a line must be checked because of its text: it is continued, has invisible characters, or
 * may be longer than httpd allows. One UTF-16 unit has at most three bytes.
 */
function needsTextChecks(line: Line): boolean {
  return line.isJoined || line.mayHaveInvisible || line.length * 3 >= MAX_LINE_BYTES;
}

const withoutContainersCache = cacheOf<FileContext, FileContext>();

/**
 * Returns the context with unknown containers. It is used if the text that a macro inserts in the
 * file contains only one tag of a pair. Returns null for null.
 */
function withoutContainers(fileContext: FileContext | null): FileContext | null {
  if (fileContext === null) return null;
  let cachedContext = withoutContainersCache.get(fileContext);
  if (!cachedContext)
    withoutContainersCache.set(fileContext, (cachedContext = fileContextWith(fileContext, { containers: null })));
  return cachedContext;
}

function isTagOrDirective({ kind }: Line): boolean {
  return kind === LineKind.Directive || kind === LineKind.Open || kind === LineKind.Close;
}

/**
 * Maximum length of a line of httpd, in bytes (MAX_STRING_LEN of httpd.h, without the final zero).
 */
const MAX_LINE_BYTES = 8191;

/**
 * The cached result of a node in a context. Undefined if there is none. If a file has several
 * contexts, each node has one result for each of them.
 */
function cachedResultIn<Result extends CachedResult<Result>>(cache: unknown, context: Context): Result | undefined {
  for (let result = cache as Result | null | undefined; result; result = result.otherContext)
    if (result.context === context) return result;
  return undefined;
}

/** Removes the cached results of a list and of all nodes in it. */
function forgetList(list: List): void {
  list.cache = undefined;
  for (const child of list.children) {
    if (child instanceof List) forgetList(child);
    else {
      child.cache = undefined;
      if (child instanceof Section) {
        child.open.cache = child.close.cache = undefined;
        forgetList(child.body);
      }
    }
  }
}

/** The engine that computed a cached result. */
function engineOf({ context }: CachedResult<unknown>): object {
  return (context as EngineContext).engine;
}

/** Number of slots in the table of texts of lines without findings. */
const TEXT_SLOT_COUNT = 512;

const NOTHING_ANSWERED: AnswerSet = { answers: NO_ANSWERS, folder: '' };

/** The slot of a text in the table: a hash of three of its characters and its length. */
function slotOfText({ text, nameStart }: Line): number {
  const { length } = text;
  return (
    (length * 31 +
      text.charCodeAt(nameStart) * 7 +
      text.charCodeAt(length >> 1) * 3 +
      text.charCodeAt(length > 1 ? length - 2 : 0)) %
    TEXT_SLOT_COUNT
  );
}

/** Whether one of the findings is an error, before the user's settings. */
function hasError(cachedFindings: readonly CachedFinding[]): boolean {
  for (let i = 0; i < cachedFindings.length; i++)
    if (severityOf(cachedFindings[i]!.finding, cachedFindings[i]!.rule) === 'error') return true;
  return false;
}

/** Whether template text may change the lines that a rule needs. */
function isChangedByTemplate(rule: SectionRule, body: List, members: readonly Member[]): boolean {
  return (
    !rule.handlesTemplates &&
    (body.branchLineCount > 0 ||
      (body.templateTraits & TemplateTrait.AnyWord) !== 0 ||
      members.some(({ line }) => line.template !== Template.None))
  );
}
