/**
 * The findings of one version of a file, in text order. They are made from the cached findings of
 * the tree's nodes, with positions and fixes. Findings that a comment silences are left out.
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
 * An outermost line or section with findings. `offset`: in UTF-16 units; `row`: 0-based, as in the
 * protocol.
 */
export interface FindingGroup {
  readonly item: Line | Section;
  readonly offset: number;
  readonly row: number;
}

/** The analysis of one version of a file. */
export class Analysis {
  private cachedCommentFindings: FindingsByPosition | null = null;
  private cachedWholeByPlace: FindingsByPosition | null = null;
  private cachedAccess: StandaloneAccess | null = null;
  private cachedChecker: HtaccessFixChecker | null = null;
  private cachedFacts: FileFacts | null = null;

  constructor(
    private readonly engine: EngineView,
    readonly tree: Tree,
    readonly result: ListResult,
    readonly wholeFileFindings: readonly CachedFinding[],
    private readonly file: FileInfo,
  ) {}

  /** The facts about the whole file. */
  get facts(): FileFacts {
    return (this.cachedFacts ??= this.factsOfAll());
  }

  private factsOfAll(): FileFacts {
    const { branchLineCount, pragmaCount, templateTraits } = this.tree.root;
    const asksForOldModule = this.file.asksForOldModule || this.file.fileContext?.asksForOldModule;
    const isTemplate = branchLineCount > 0 || (templateTraits & TemplateTrait.AnyWord) !== 0;
    const isFrom22 = this.file.isFrom22 === true || this.engine.isFrom22;
    return factsOf(
      isFrom22 ? withoutFacts(this.result.facts, Fact.loads24) : this.result.facts,
      pragmaCount > 0 ? Fact.silences : NO_FACTS,
      isTemplate ? Fact.templates : NO_FACTS,
      asksForOldModule ? Fact.hangsOnOldModule : NO_FACTS,
      this.engine.assumeStandalone ? Fact.standaloneAssumed : NO_FACTS,
      this.engine.accessSource === '2.4' ? Fact.fromCompat : NO_FACTS,
    );
  }

  /** Number of findings, including silenced ones. */
  get findingCount(): number {
    return this.result.findingCount + this.wholeFileFindings.length;
  }

  /**
   * Findings in text order: at most `limit`, only those that overlap [from, to]. Skips nodes
   * without findings.
   */
  findings(limit = Infinity, from = 0, to = Infinity): PlacedFinding[] {
    const placed: PlacedFinding[] = [];
    for (const finding of this.inOrder(from, to)) {
      if (placed.length >= limit) break;
      placed.push(finding);
    }
    return placed;
  }

  /** Like `findings`, as a generator for files with very many findings. */
  *inOrder(from = 0, to = Infinity): Generator<PlacedFinding> {
    const whole = this.findingsOfWholeFile(from, to);
    let next = 0;
    for (const group of this.groups(this.tree.root, 0, 0, from, to, this.result.context)) {
      for (const finding of this.findingsOfGroup(group, from, to)) {
        while (next < whole.length && compareByPosition(whole[next]!, finding) <= 0) yield whole[next++]!;
        yield finding;
      }
    }
    while (next < whole.length) yield whole[next++]!;
  }

  /**
   * The values on which the shown findings of a group depend, apart from the group's node. If they
   * are equal in two versions of a file, the findings of a shared node differ only by their
   * position. Null if the findings depend on more.
   */
  get dependencies(): { readonly context: Context; readonly facts: FileFacts } | null {
    const { isHtaccess, unreadReason, asHtaccess = [] } = this.file;
    const { pragmaCount, templateLineCount } = this.tree.root;
    if (
      isHtaccess ||
      asHtaccess.length > 0 ||
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
    const whole: PlacedFinding[] = [];
    this.cachedWholeByPlace ??= new FindingsByPosition(this.wholeFileFindings);
    for (const found of this.cachedWholeByPlace.findingsOverlapping(from, to))
      this.addShownFinding(found, 0, from, to, whole);
    this.cachedCommentFindings ??= new FindingsByPosition(
      this.engine.commentFindings(this.tree, this.wholeFileFindings, this.result.context),
    );
    for (const found of this.cachedCommentFindings.findingsOverlapping(from, to))
      this.addShownFinding(found, 0, from, to, whole);
    return whole.sort(compareByPosition);
  }

  /**
   * The outermost lines and sections with findings. All findings of one come before those of the
   * next.
   */
  findingGroups(): Iterable<FindingGroup> {
    return this.groups(this.tree.root, 0, 0, 0, Infinity, this.result.context);
  }

  /** The findings of one group, in text order. */
  findingsOfGroup({ item, offset }: FindingGroup, from = 0, to = Infinity): PlacedFinding[] {
    const placed: PlacedFinding[] = [];
    this.walk(item, offset, from, to, this.result.context, placed);
    const left = this.withoutCoveredFindings(placed);
    return left.length < 2 ? left : left.sort(compareByPosition);
  }

  /**
   * Two findings can be about one condition. If one finding explains that 2.4 does not read the
   * access control inside, this leaves out the other one, which reports that 2.4 has no such
   * module.
   */
  private withoutCoveredFindings(placed: PlacedFinding[]): PlacedFinding[] {
    const isRemoved = ({ rule, messageId }: PlacedFinding) => rule.id === ifmoduleRenamed.id && messageId === 'removed';
    if (!placed.some(isRemoved)) return placed;
    const conditionFindings = [...placed, ...this.findingsOfWholeFile()].filter(
      ({ rule }) => rule.id === conditionOneVersion.id,
    );
    return placed.filter(
      (each) => !isRemoved(each) || !conditionFindings.some(({ start, end }) => start <= each.start && each.end <= end),
    );
  }

  private *groups(
    list: List,
    base: number,
    row: number,
    from: number,
    to: number,
    context: Context,
  ): Generator<FindingGroup> {
    const around: {
      readonly list: List;
      readonly offsetsOfFindings: readonly number[];
      next: number;
      baseOffset: number;
      row: number;
    }[] = [];
    const enter = (inner: List, at: number, rows: number) => {
      const { childrenWithFindings } = this.engine.listIn(inner, context);
      if (childrenWithFindings !== null)
        around.push({ list: inner, offsetsOfFindings: childrenWithFindings, next: 0, baseOffset: at, row: rows });
    };
    enter(list, base, row);
    for (let top = around.at(-1); top; top = around.at(-1)) {
      const { offsetsOfFindings, next } = top;
      if (next >= offsetsOfFindings.length) {
        around.pop();
        continue;
      }
      top.next = next + NUMBERS_PER_CHILD;
      const child = top.list.children[offsetsOfFindings[next]!]!;
      const offset = top.baseOffset + offsetsOfFindings[next + 1]!;
      if (offset > to) return;
      if (offset + child.length < from) continue;
      if (child.kind === NodeKind.List) enter(child, offset, top.row + offsetsOfFindings[next + 2]!);
      else yield { item: child, offset, row: top.row + offsetsOfFindings[next + 2]! };
    }
  }

  private walk(
    node: Line | Section | List,
    base: number,
    from: number,
    to: number,
    context: Context,
    placed: PlacedFinding[],
  ): void {
    if (node.kind === NodeKind.Section) this.walkSection(node, base, from, to, context, placed);
    else if (node.kind === NodeKind.List)
      this.walkList(node, this.engine.listIn(node, context), base, from, to, context, placed);
    else this.addShownFindings(this.engine.lineIn(node, context), base, from, to, placed);
  }

  private walkSection(
    section: Section,
    base: number,
    from: number,
    to: number,
    context: Context,
    placed: PlacedFinding[],
  ): void {
    const { findings, bodyContext, findingCount } = this.engine.sectionIn(section, context);
    this.addShownFindings(findings, base, from, to, placed);
    const { open, body, close } = section;
    const inBody = bodyContext === null ? null : this.engine.listIn(body, bodyContext);
    // Tags rarely have findings. If the counts show none, this skips them.
    const hasInTags = findingCount > findings.length + (inBody === null ? 0 : inBody.findingCount);
    if (hasInTags) this.walk(open, base, from, to, context, placed);
    if (inBody === null) return;
    this.walkList(body, inBody, base + open.length, from, to, bodyContext!, placed);
    if (hasInTags) this.walk(close, base + section.length - close.length, from, to, context, placed);
  }

  private walkList(
    list: List,
    { childrenWithFindings }: ListResult,
    base: number,
    from: number,
    to: number,
    context: Context,
    placed: PlacedFinding[],
  ): void {
    for (let i = 0; childrenWithFindings !== null && i < childrenWithFindings.length; i += NUMBERS_PER_CHILD) {
      const child = list.children[childrenWithFindings[i]!]!;
      const offset = base + childrenWithFindings[i + 1]!;
      if (offset > to) return;
      if (offset + child.length >= from) this.walk(child, offset, from, to, context, placed);
    }
  }

  private addShownFindings(
    found: readonly CachedFinding[],
    base: number,
    from: number,
    to: number,
    placed: PlacedFinding[],
  ): void {
    for (let i = 0; i < found.length; i++) this.addShownFinding(found[i]!, base, from, to, placed);
  }

  private addShownFinding(found: CachedFinding, base: number, from: number, to: number, placed: PlacedFinding[]): void {
    const presented = this.engine.present(found, base, this.facts, this.file);
    if (!presented || ((from > 0 || to < Infinity) && !presented.overlaps(from, to))) return;
    const { root } = this.tree;
    const inCondition = findingUnderConditions(this.tree, presented, {
      fileContext: this.file.fileContext ?? null,
      target: this.engine.target,
    });
    if (inCondition === null) return;
    const inTemplate = root.templateLineCount === 0 ? inCondition : findingForAnyTemplateText(root, inCondition, base);
    if (inTemplate === null) return;
    const inMacro = !hasFact(this.facts, Fact.macros) ? inTemplate : findingForAllParameters(root, inTemplate, base);
    if (inMacro === null) return;
    const finding =
      inMacro.rule === orderAllowDeny
        ? this.isReadByConfiguration
          ? inMacro.withReplacedFixes(NO_FIXES)
          : inMacro.withChangedFixes((own) => this.accessFixes(inMacro.start, own))
        : this.file.isHtaccess || this.file.asHtaccess
          ? this.withAllowedFixes(this.withFixesOfPart(inMacro))
          : this.withFixesOfPart(inMacro);
    if (root.pragmaCount === 0) {
      placed.push(finding);
      return;
    }
    const isSilenced = (offset: number) => isSuppressed(this.tree, offset, finding.rule.id);
    const left = finding.without(isSilenced);
    if (left === null) return;
    // If a comment silences a line, no fix may change this line, not even a fix for another line.
    placed.push(
      left.withChangedFixes(({ fixes, baseOffset: from }) => ({
        fixes: fixes.filter((fix) => !fix.edits.some((edit) => isSilenced(from + edit.start))),
        baseOffset: from,
      })),
    );
  }

  /**
   * For a file that is or may be a .htaccess file: the finding, with fixes as suggestions if
   * AllowOverride may forbid them.
   */
  private withAllowedFixes(finding: PlacedFinding): PlacedFinding {
    const { isHtaccess, unreadReason, fileContext = null, asHtaccess = [] } = this.file;
    if (unreadReason !== undefined || finding.ownFixes.length === 0) return finding;
    // As a .htaccess file it gives 500 for all requests until the mark is gone.
    if (finding.rule === byteOrderMark && asHtaccess.length > 0)
      return finding.withChangedFixes(({ fixes, baseOffset }) => ({
        fixes: fixes.map((fix) => changedFix(fix, { safety: 'suggestion' })),
        baseOffset,
      }));
    this.cachedChecker ??= new HtaccessFixChecker({
      tree: this.tree,
      isHtaccess,
      htaccessContexts: isHtaccess ? [fileContext, ...asHtaccess] : asHtaccess,
      isStandalone: fileContext === null && !this.file.isOfConfiguration,
      isAnsweredStandalone: this.engine.isSettled(STANDALONE_QUESTION),
      findings: (from, to) => this.findings(Infinity, from, to),
    });
    const { cachedChecker } = this;
    return finding.withChangedFixes((fixes) => cachedChecker.checkedFixes(fixes));
  }

  /** Whether a configuration that is not available may include the file. */
  private get mayBePart(): boolean {
    const { isHtaccess, isOfConfiguration, fileContext } = this.file;
    if (isHtaccess || isOfConfiguration || fileContext) return false;
    return !hasFact(this.facts, Fact.isRoot) || hasFact(this.facts, Fact.includes);
  }

  /**
   * For a file that an unknown configuration may include: returns the finding, with its fixes as
   * suggestions if the rest of that configuration may make them wrong.
   */
  private withFixesOfPart(finding: PlacedFinding): PlacedFinding {
    if (!this.mayBePart || !finding.ownFixes.some(({ reachesOut }) => reachesOut)) return finding;
    const isVouched = !this.file.hasNeighbours && this.engine.isSettled(STANDALONE_QUESTION);
    return finding.withChangedFixes(({ fixes, baseOffset }) => ({
      fixes: fixes.map((fix): Fix => {
        if (fix.safety !== 'safe' || !fix.reachesOut) return fix;
        if (isVouched) return changedFix(fix, { restsOn: [standaloneQuestion(false)] });
        const assumes = 'no other file uses this module, or has an `<IfModule>` for it';
        return changedFix(fix, { safety: 'suggestion', assumes, waitsFor: [standaloneQuestion(false)] });
      }),
      baseOffset,
    }));
  }

  /**
   * Whether an available configuration reads the file. The conversion of that configuration then
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
   * Returns the reason if other sections of a standalone file hold back the old line at an offset.
   * Null if they do not.
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
      isAnsweredKeep: this.engine.idOfAnswerKeep([STANDALONE_QUESTION]) !== null,
      answerSet: this.engine.answerSet,
    }));
  }
}

interface AccessOfTree {
  readonly options: StandaloneOptions;
  readonly access: StandaloneAccess;
}

/** The latest result for each tree, because each request makes another analysis of one tree. */
const accessByTree = cacheOf<Tree, AccessOfTree>();

function sharedStandaloneAccess(options: StandaloneOptions): StandaloneAccess {
  const known = accessByTree.get(options.tree);
  if (known !== undefined && areSame(known.options, options)) return known.access;
  const access = standaloneAccess(options);
  accessByTree.set(options.tree, { options, access });
  return access;
}

function areSame(one: StandaloneOptions, other: StandaloneOptions): boolean {
  const names = Object.keys(one) as (keyof StandaloneOptions)[];
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

const NO_FIXES: PlacedFixes = { fixes: [], baseOffset: 0 };

/**
 * The analysis of a file that is read in several contexts, for example by two virtual hosts. A
 * finding that several contexts have is shown once. Its fix is only safe if all contexts have the
 * finding. Nodes cache the results of each context separately.
 */
export class SharedAnalysis extends Analysis {
  override get dependencies(): null {
    return null;
  }

  constructor(
    private readonly shared: EngineView,
    tree: Tree,
    private readonly firstAnalysis: Analysis,
    private readonly fileInfos: readonly FileInfo[],
  ) {
    super(shared, tree, firstAnalysis.result, firstAnalysis.wholeFileFindings, fileInfos[0]!);
  }

  override get findingCount(): number {
    return this.findings().length;
  }

  override *inOrder(from = 0, to = Infinity): Generator<PlacedFinding> {
    const found = new Map<string, [PlacedFinding, ...PlacedFinding[]]>();
    for (const place of this.fileInfos) {
      const ofPlace = this.shared.withSharedContexts(this.fileInfos, () =>
        this.shared.analyzePlace(this.firstAnalysis.tree, place).findings(Infinity, from, to),
      );
      for (const finding of ofPlace) {
        const key = `${finding.start} ${finding.end} ${finding.rule.id} ${finding.what}\n${finding.cause}`;
        const sameFindings = found.get(key);
        if (sameFindings) sameFindings.push(finding);
        else found.set(key, [finding]);
      }
    }
    const all = [...found.values()].sort(([a], [b]) => compareByPosition(a, b));
    for (const [finding, ...others] of all) {
      const isEverywhere = others.length + 1 >= this.fileInfos.length;
      // The finding that an ignore comment has no effect is shown only if all contexts have it.
      if (isEverywhere || !isAboutComments(finding.rule))
        yield isEverywhere ? findingForAllContexts(finding, others) : finding.withSuggestions();
    }
  }
}

/**
 * A finding that is the same in several contexts. A fix stays safe only if it is safe in all of
 * them.
 */
function findingForAllContexts(finding: PlacedFinding, others: readonly PlacedFinding[]): PlacedFinding {
  if (others.length === 0 || finding.ownFixes.length === 0) return finding;
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
