/**
 * The findings of one text of a file, in text order, with positions and fixes. They are made from
 * the findings that the nodes of the tree cache. Findings that a comment silences are left out.
 */
import type { NotConverted } from '../access/not-converted';
import { Fact, factsOf, hasFact, NO_FACTS, withoutFacts, type FileFacts } from '../rules/support/facts';
import { byteOrderMark } from '../rules/byte-order-mark';
import { conditionOneVersion } from '../rules/condition-one-version';
import { ifmoduleRenamed } from '../rules/ifmodule-renamed';
import { orderAllowDeny } from '../rules/order-allow-deny';
import { changedFix, isAboutComments, type Context, type Fix } from '../rules/rule';
import type { Tree } from '../syntax/document';
import type { Line } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { TemplateTrait } from '../syntax/template';
import { NodeKind, type Section, type List } from '../syntax/tree';
import {
  STANDALONE_QUESTION,
  standaloneAccess,
  standaloneQuestion,
  type StandaloneAccess,
  type StandaloneOptions,
} from './access-conversion';
import { HtaccessFixChecker } from './admitted';
import { findingUnderConditions } from './conditions-around';
import type { EngineView, FileInfo } from './engine-view';
import type { PlacedFinding, PlacedFixes } from './findings';
import { FindingsByPosition } from './found-by-place';
import { findingForAllParameters } from './macro-text';
import { NUMBERS_PER_CHILD, type CachedFinding, type ListResult } from './results';
import { isSuppressed } from './suppression';
import { findingForAnyTemplateText } from './template-text';

/**
 * A line or section that has findings. It is inside no other section. `offset` counts UTF-16 units
 * from the start of the file. `row` is 0-based, as in the protocol.
 */
export interface FindingGroup {
  /** The line or section. */
  readonly item: Line | Section;
  readonly offset: number;
  readonly row: number;
}

/** The analysis of one text of a file. After an edit, the file gets a new analysis. */
export class Analysis {
  private cachedCommentFindings: FindingsByPosition | null = null;
  private cachedWholeFileFindings: FindingsByPosition | null = null;
  private cachedAccess: StandaloneAccess | null = null;
  private cachedChecker: HtaccessFixChecker | null = null;
  private cachedFacts: FileFacts | null = null;

  constructor(
    private readonly engine: EngineView,
    readonly tree: Tree,
    /** The result for all lines of the tree. */
    readonly result: ListResult,
    /** Findings of rules that check the file as a whole. */
    readonly wholeFileFindings: readonly CachedFinding[],
    private readonly file: FileInfo,
  ) {}

  /** The facts about the whole file. */
  get facts(): FileFacts {
    return (this.cachedFacts ??= this.factsOfAll());
  }

  /** The facts of all lines, and those about the file that come from elsewhere. */
  private factsOfAll(): FileFacts {
    const { branchLineCount, pragmaCount, templateTraits } = this.tree.root;
    const asksForOldModule = this.file.asksForOldModule || this.file.fileContext?.asksForOldModule;
    const isTemplate = branchLineCount > 0 || (templateTraits & TemplateTrait.AnyWord) !== 0;
    const isFrom22 = this.file.isFrom22 === true || this.engine.isFrom22;
    return factsOf(
      isFrom22 ? withoutFacts(this.result.facts, Fact.loads24) : this.result.facts,
      pragmaCount > 0 ? Fact.silences : NO_FACTS,
      isTemplate ? Fact.templates : NO_FACTS,
      asksForOldModule ? Fact.dependsOnOldModule : NO_FACTS,
      this.file.fileContext?.usesMemoryCache ? Fact.memCache : NO_FACTS,
      this.engine.assumeStandalone ? Fact.standaloneAssumed : NO_FACTS,
      this.engine.accessSource === '2.4' ? Fact.fromCompat : NO_FACTS,
    );
  }

  /** The number of findings, including those that a comment silences. */
  get findingCount(): number {
    return this.result.findingCount + this.wholeFileFindings.length;
  }

  /**
   * The findings that overlap the range [from, to], in text order, but at most `limit`. Nodes
   * without findings are skipped.
   */
  findings(limit = Infinity, from = 0, to = Infinity): PlacedFinding[] {
    const placedFindings: PlacedFinding[] = [];
    for (const finding of this.findingsInOrder(from, to)) {
      if (placedFindings.length >= limit) break;
      placedFindings.push(finding);
    }
    return placedFindings;
  }

  /**
   * Like `findings`, but as a generator, so that the caller can stop early in a file with very many
   * findings.
   */
  *findingsInOrder(from = 0, to = Infinity): Generator<PlacedFinding> {
    const wholeFileFindings = this.findingsOfWholeFile(from, to);
    let nextIndex = 0;
    for (const group of this.groups(this.tree.root, 0, 0, from, to, this.result.context)) {
      for (const finding of this.findingsOfGroup(group, from, to)) {
        while (nextIndex < wholeFileFindings.length && compareByPosition(wholeFileFindings[nextIndex]!, finding) <= 0)
          yield wholeFileFindings[nextIndex++]!;
        yield finding;
      }
    }
    while (nextIndex < wholeFileFindings.length) yield wholeFileFindings[nextIndex++]!;
  }

  /**
   * The values on which the findings of a group depend, besides the node of the group. The trees
   * before and after an edit can share a node. If these values are equal for both trees, the
   * findings of the node differ only in their positions. Null if the findings depend on more than
   * these values.
   */
  get dependencies(): { readonly context: Context; readonly facts: FileFacts } | null {
    const { isHtaccess, unreadReason, htaccessContexts = [] } = this.file;
    const { pragmaCount, templateLineCount } = this.tree.root;
    if (
      isHtaccess ||
      htaccessContexts.length > 0 ||
      unreadReason !== undefined ||
      pragmaCount > 0 ||
      templateLineCount > 0 ||
      hasFact(this.facts, Fact.macros)
    )
      return null;
    return { context: this.result.context, facts: this.facts };
  }

  /** The findings about the file as a whole, in text order. */
  findingsOfWholeFile(from = 0, to = Infinity): PlacedFinding[] {
    const placedFindings: PlacedFinding[] = [];
    this.cachedWholeFileFindings ??= new FindingsByPosition(this.wholeFileFindings);
    for (const cachedFinding of this.cachedWholeFileFindings.findingsOverlapping(from, to))
      this.addShownFinding(cachedFinding, 0, from, to, placedFindings);
    this.cachedCommentFindings ??= new FindingsByPosition(
      this.engine.commentFindings(this.tree, this.wholeFileFindings, this.result.context),
    );
    for (const cachedFinding of this.cachedCommentFindings.findingsOverlapping(from, to))
      this.addShownFinding(cachedFinding, 0, from, to, placedFindings);
    return withoutCoveredFindings(placedFindings, () => []).sort(compareByPosition);
  }

  /**
   * The lines and sections that have findings and are inside no other section. All findings of a
   * group come before those of the next group.
   */
  findingGroups(): Iterable<FindingGroup> {
    return this.groups(this.tree.root, 0, 0, 0, Infinity, this.result.context);
  }

  /** The findings of one group, in text order. */
  findingsOfGroup({ item, offset }: FindingGroup, from = 0, to = Infinity): PlacedFinding[] {
    const placedFindings: PlacedFinding[] = [];
    this.walk(item, offset, from, to, this.result.context, placedFindings);
    const uncoveredFindings = withoutCoveredFindings(placedFindings, () => this.findingsOfWholeFile());
    return uncoveredFindings.length < 2 ? uncoveredFindings : uncoveredFindings.sort(compareByPosition);
  }

  /**
   * Like `findingGroups`, but only for the groups of a list that overlap the range [from, to].
   * `base` and `row`: where the list begins.
   */
  private *groups(
    list: List,
    base: number,
    row: number,
    from: number,
    to: number,
    context: Context,
  ): Generator<FindingGroup> {
    const openLists: {
      readonly list: List;
      readonly childrenWithFindings: readonly number[];
      next: number;
      baseOffset: number;
      row: number;
    }[] = [];
    const openList = (innerList: List, baseOffset: number, baseRow: number) => {
      const { childrenWithFindings } = this.engine.listIn(innerList, context);
      if (childrenWithFindings !== null)
        openLists.push({ list: innerList, childrenWithFindings, next: 0, baseOffset, row: baseRow });
    };
    openList(list, base, row);
    for (let innermost = openLists.at(-1); innermost; innermost = openLists.at(-1)) {
      const { childrenWithFindings, next } = innermost;
      if (next >= childrenWithFindings.length) {
        openLists.pop();
        continue;
      }
      innermost.next = next + NUMBERS_PER_CHILD;
      const child = innermost.list.children[childrenWithFindings[next]!]!;
      const offset = innermost.baseOffset + childrenWithFindings[next + 1]!;
      if (offset > to) return;
      if (offset + child.length < from) continue;
      if (child.kind === NodeKind.List) openList(child, offset, innermost.row + childrenWithFindings[next + 2]!);
      else yield { item: child, offset, row: innermost.row + childrenWithFindings[next + 2]! };
    }
  }

  /**
   * Adds to `placedFindings` the findings of a node that overlap the range [from, to]. `base`: the
   * offset of the node in the file.
   */
  private walk(
    node: Line | Section | List,
    base: number,
    from: number,
    to: number,
    context: Context,
    placedFindings: PlacedFinding[],
  ): void {
    if (node.kind === NodeKind.Section) this.walkSection(node, base, from, to, context, placedFindings);
    else if (node.kind === NodeKind.List)
      this.walkList(node, this.engine.listIn(node, context), base, from, to, context, placedFindings);
    else this.addShownFindings(this.engine.lineIn(node, context), base, from, to, placedFindings);
  }

  /** Like `walk`, for a section with its tags. */
  private walkSection(
    section: Section,
    base: number,
    from: number,
    to: number,
    context: Context,
    placedFindings: PlacedFinding[],
  ): void {
    const { findings, bodyContext, findingCount } = this.engine.sectionIn(section, context);
    this.addShownFindings(findings, base, from, to, placedFindings);
    const { open, body, close } = section;
    const bodyResult = bodyContext === null ? null : this.engine.listIn(body, bodyContext);
    // Tags rarely have findings. The tags are skipped if the section and its body account for all
    // findings.
    const doTagsHaveFindings = findingCount > findings.length + (bodyResult === null ? 0 : bodyResult.findingCount);
    if (doTagsHaveFindings) this.walk(open, base, from, to, context, placedFindings);
    if (bodyResult === null) return;
    this.walkList(body, bodyResult, base + open.length, from, to, bodyContext!, placedFindings);
    if (doTagsHaveFindings) this.walk(close, base + section.length - close.length, from, to, context, placedFindings);
  }

  /** Like `walk`, for the children of a list. */
  private walkList(
    list: List,
    { childrenWithFindings }: ListResult,
    base: number,
    from: number,
    to: number,
    context: Context,
    placedFindings: PlacedFinding[],
  ): void {
    for (let i = 0; childrenWithFindings !== null && i < childrenWithFindings.length; i += NUMBERS_PER_CHILD) {
      const child = list.children[childrenWithFindings[i]!]!;
      const offset = base + childrenWithFindings[i + 1]!;
      if (offset > to) return;
      if (offset + child.length >= from) this.walk(child, offset, from, to, context, placedFindings);
    }
  }

  /**
   * Adds cached findings about lines between `from` and `to`, except those that are not shown.
   * Offsets in the cached findings count from `base`.
   */
  private addShownFindings(
    cachedFindings: readonly CachedFinding[],
    base: number,
    from: number,
    to: number,
    placedFindings: PlacedFinding[],
  ): void {
    for (let i = 0; i < cachedFindings.length; i++)
      this.addShownFinding(cachedFindings[i]!, base, from, to, placedFindings);
  }

  /**
   * Adds a finding with its final fixes to `placedFindings`. It is left out if it is outside of the
   * range [from, to], if a comment silences it, or if it does not hold under the conditions around
   * it or for all texts of a template or a macro. `base`: the offset of the node that caches the
   * finding.
   */
  private addShownFinding(
    cachedFinding: CachedFinding,
    base: number,
    from: number,
    to: number,
    placedFindings: PlacedFinding[],
  ): void {
    const placedFinding = this.engine.presentFinding(cachedFinding, base, this.facts, this.file);
    if (!placedFinding || ((from > 0 || to < Infinity) && !placedFinding.overlaps(from, to))) return;
    const { root } = this.tree;
    const conditionFinding = findingUnderConditions(this.tree, placedFinding, {
      fileContext: this.file.fileContext ?? null,
      target: this.engine.target,
    });
    if (conditionFinding === null) return;
    const templateFinding =
      root.templateLineCount === 0 ? conditionFinding : findingForAnyTemplateText(root, conditionFinding, base);
    if (templateFinding === null) return;
    const macroFinding = !hasFact(this.facts, Fact.macros)
      ? templateFinding
      : findingForAllParameters(root, templateFinding, base);
    if (macroFinding === null) return;
    const finding =
      macroFinding.rule === orderAllowDeny
        ? this.isReadByConfiguration
          ? macroFinding.withReplacedFixes(NO_FIXES)
          : macroFinding.withChangedFixes((ownFixes) => this.accessFixes(macroFinding.start, ownFixes))
        : this.file.isHtaccess || this.file.htaccessContexts
          ? this.withFixesCheckedForOverride(this.withFixesIfIncluded(macroFinding))
          : this.withFixesIfIncluded(macroFinding);
    if (root.pragmaCount === 0) {
      placedFindings.push(finding);
      return;
    }
    const isSilenced = (offset: number) => isSuppressed(this.tree, offset, finding.rule.id);
    const shownFinding = finding.withoutLines(isSilenced);
    if (shownFinding === null) return;
    // No fix may change a silenced line, not even a fix of another line.
    placedFindings.push(
      shownFinding.withChangedFixes(({ fixes, baseOffset }) => ({
        fixes: fixes.filter((fix) => !fix.edits.some((edit) => isSilenced(baseOffset + edit.start))),
        baseOffset,
      })),
    );
  }

  /**
   * Returns the finding of a file that is or may be a .htaccess file. A fix that AllowOverride may
   * make wrong becomes a suggestion.
   */
  private withFixesCheckedForOverride(finding: PlacedFinding): PlacedFinding {
    const { isHtaccess, unreadReason, fileContext = null, htaccessContexts = [] } = this.file;
    if (unreadReason !== undefined || finding.ruleFixes.length === 0) return finding;
    // If httpd reads the file as a .htaccess file, all requests get status 500 because of the byte
    // order mark. Removing the mark ends that, which changes access. So the user must decide.
    if (finding.rule === byteOrderMark && htaccessContexts.length > 0)
      return finding.withChangedFixes(({ fixes, baseOffset }) => ({
        fixes: fixes.map((fix) => changedFix(fix, { safety: 'suggestion' })),
        baseOffset,
      }));
    this.cachedChecker ??= new HtaccessFixChecker({
      tree: this.tree,
      isHtaccess,
      htaccessContexts: isHtaccess ? [fileContext, ...htaccessContexts] : htaccessContexts,
      isStandalone: fileContext === null && !this.file.isOfConfiguration,
      isAnsweredStandalone: this.engine.isSettled(STANDALONE_QUESTION),
      findings: (from, to) => this.findings(Infinity, from, to),
    });
    const { cachedChecker } = this;
    return finding.withChangedFixes((fixes) => cachedChecker.checkedFixes(fixes));
  }

  /** Whether an unknown configuration may include the file. */
  private get mayBeIncludedElsewhere(): boolean {
    const { isHtaccess, isOfConfiguration, fileContext } = this.file;
    if (isHtaccess || isOfConfiguration || fileContext) return false;
    return !hasFact(this.facts, Fact.isRoot) || hasFact(this.facts, Fact.includes);
  }

  /**
   * Returns the finding of a file that an unknown configuration may include. A fix that the
   * rest of that configuration may make wrong becomes a suggestion.
   */
  private withFixesIfIncluded(finding: PlacedFinding): PlacedFinding {
    if (!this.mayBeIncludedElsewhere || !finding.ruleFixes.some(({ mayChangeConditions }) => mayChangeConditions))
      return finding;
    const isAnsweredStandalone = !this.file.hasNeighbours && this.engine.isSettled(STANDALONE_QUESTION);
    return finding.withChangedFixes(({ fixes, baseOffset }) => ({
      fixes: fixes.map((fix): Fix => {
        if (fix.safety !== 'safe' || !fix.mayChangeConditions) return fix;
        if (isAnsweredStandalone) return changedFix(fix, { restsOn: [standaloneQuestion(false)] });
        const assumes = 'no other file uses this module, or has an `<IfModule>` for it';
        return changedFix(fix, { safety: 'suggestion', assumes, waitsFor: [standaloneQuestion(false)] });
      }),
      baseOffset,
    }));
  }

  /**
   * Whether a known configuration reads the file. Then the conversion of that configuration
   * decides about its access lines.
   */
  private get isReadByConfiguration(): boolean {
    return this.file.isOfConfiguration === true || this.file.fileContext !== undefined;
  }

  /** The fixes for the access lines of one section, in a file that no configuration reads. */
  private accessFixes(start: number, fixes: PlacedFixes): PlacedFixes {
    return this.standaloneAccess.fixesAt(this.tree.lineAt(start)!.offset, fixes);
  }

  /**
   * The reason why the old line at an offset is not converted. Null if a configuration reads the
   * file, or if no other section of the file is the cause.
   */
  refusalAt(start: number): NotConverted | null {
    return this.isReadByConfiguration ? null : this.standaloneAccess.reasonAt(this.tree.lineAt(start)!.offset);
  }

  private get standaloneAccess(): StandaloneAccess {
    const { isHtaccess, hasNeighbours, mayBeIncluded } = this.file;
    const { accessSource } = this.engine;
    return (this.cachedAccess ??= sharedStandaloneAccess({
      tree: this.tree,
      isHtaccess,
      source: accessSource,
      keepsBoth: this.engine.keepsBoth,
      isAnsweredStandalone: !hasNeighbours && this.engine.isSettled(STANDALONE_QUESTION),
      hasOtherFiles: hasNeighbours,
      mayBeIncluded,
      userKeepsLines: this.engine.idOfQuestionAnsweredKeep([STANDALONE_QUESTION]) !== null,
      answerSet: this.engine.answerSet,
    }));
  }
}

/** A cached result of `standaloneAccess`, with the options that it was made from. */
interface AccessOfTree {
  readonly options: StandaloneOptions;
  readonly access: StandaloneAccess;
}

/**
 * The latest result for each tree. It is cached because each request makes a new analysis, often of
 * the same tree.
 */
const accessByTree = cacheOf<Tree, AccessOfTree>();

/** Like `standaloneAccess`, but returns the cached result if the options are the same. */
function sharedStandaloneAccess(options: StandaloneOptions): StandaloneAccess {
  const cachedAccess = accessByTree.get(options.tree);
  if (cachedAccess !== undefined && areSame(cachedAccess.options, options)) return cachedAccess.access;
  const access = standaloneAccess(options);
  accessByTree.set(options.tree, { options, access });
  return access;
}

function areSame(one: StandaloneOptions, other: StandaloneOptions): boolean {
  const optionNames = Object.keys(one) as (keyof StandaloneOptions)[];
  return optionNames.length === Object.keys(other).length && optionNames.every((name) => one[name] === other[name]);
}

const NO_FIXES: PlacedFixes = { fixes: [], baseOffset: 0 };

/**
 * The analysis of a file that is read in several contexts, for example by two virtual hosts. A
 * finding that several contexts have is shown once. Its fix is safe only if all contexts have the
 * finding. Nodes cache the results for each context separately.
 */
export class SharedAnalysis extends Analysis {
  override get dependencies(): null {
    return null;
  }

  constructor(
    private readonly sharedEngine: EngineView,
    tree: Tree,
    private readonly firstAnalysis: Analysis,
    private readonly fileInfos: readonly FileInfo[],
  ) {
    super(sharedEngine, tree, firstAnalysis.result, firstAnalysis.wholeFileFindings, fileInfos[0]!);
  }

  override get findingCount(): number {
    return this.findings().length;
  }

  override *findingsInOrder(from = 0, to = Infinity): Generator<PlacedFinding> {
    const findingsByKey = new Map<string, [PlacedFinding, ...PlacedFinding[]]>();
    for (const fileInfo of this.fileInfos) {
      const findingsOfContext = this.sharedEngine.withSharedContexts(this.fileInfos, () =>
        this.sharedEngine.analyzeInFirstContext(this.firstAnalysis.tree, fileInfo).findings(Infinity, from, to),
      );
      for (const finding of findingsOfContext) {
        const findingKey = `${finding.start} ${finding.end} ${finding.rule.id} ${finding.what}\n${finding.cause}`;
        const sameFindings = findingsByKey.get(findingKey);
        if (sameFindings) sameFindings.push(finding);
        else findingsByKey.set(findingKey, [finding]);
      }
    }
    const findingLists = [...findingsByKey.values()].sort(([a], [b]) => compareByPosition(a, b));
    for (const [finding, ...others] of findingLists) {
      const isEverywhere = others.length + 1 >= this.fileInfos.length;
      // The finding that an ignore comment silences nothing is shown only if all contexts have it.
      if (isEverywhere || !isAboutComments(finding.rule))
        yield isEverywhere ? findingForAllContexts(finding, others) : finding.withSuggestions();
    }
  }
}

/**
 * Returns a finding that all contexts have. A fix of it stays safe only if it is safe in all
 * contexts.
 */
function findingForAllContexts(finding: PlacedFinding, others: readonly PlacedFinding[]): PlacedFinding {
  if (others.length === 0 || finding.ruleFixes.length === 0) return finding;
  const isSafeElsewhere = (title: string) =>
    others.every(({ fixes }) => fixes.some((fix) => fix.title === title && fix.safety === 'safe'));
  return finding.withChangedFixes(({ fixes, baseOffset }) => ({
    fixes: fixes.map(
      (fix): Fix =>
        fix.safety === 'safe' && !isSafeElsewhere(fix.title) ? changedFix(fix, { safety: 'suggestion' }) : fix,
    ),
    baseOffset,
  }));
}

function compareByPosition(a: PlacedFinding, b: PlacedFinding): number {
  return a.start - b.start || a.end - b.end;
}

/**
 * Leaves out the finding that 2.4 lacks the module of an `<IfModule>` section, if another finding
 * says that 2.4 does not read the access lines in that section. `others`: further findings that may
 * say so.
 */
function withoutCoveredFindings(
  placedFindings: PlacedFinding[],
  others: () => readonly PlacedFinding[],
): PlacedFinding[] {
  const isAboutRemovedModule = ({ rule, messageId }: PlacedFinding) =>
    rule.id === ifmoduleRenamed.id && messageId === 'removed';
  if (!placedFindings.some(isAboutRemovedModule)) return placedFindings;
  const conditionFindings = [...placedFindings, ...others()].filter(({ rule }) => rule.id === conditionOneVersion.id);
  return placedFindings.filter(
    (each) =>
      !isAboutRemovedModule(each) ||
      !conditionFindings.some(({ start, end }) => start <= each.start && each.end <= end),
  );
}
