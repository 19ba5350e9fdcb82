/**
 * Runs the rules over a tree and caches what they find on its immutable nodes, each with the context it stood in. An edit
 * copies the path to the root; so exactly that path is looked at again, and there is no invalidation code. The caches are
 * fields of the nodes and not WeakMaps beside them: they live and die with the nodes all the same, and a field costs a
 * tenth of the time and memory.
 *
 * `inactive` text is not looked at. Bodies of opaque sections (`<Perl>`) neither.
 */
import type { Doubt } from '../access/doubt';
import type { Source } from '../access/model';
import { activityOf, both } from '../config/activity';
import type { Distribution } from '../config/distribution';
import { digestOf } from '../config/file-summary';
import type { UsesOfFile } from '../config/macro';
import { ownUses } from '../config/uses-in-file';
import { isTransparent, sectionKind, type SectionKind } from '../config/sections';
import { placeOf } from '../validation/place';
import { derived, type Surroundings } from '../config/file-context';
import { DEFAULT_TARGET, parseTarget, type Target } from '../config/target';
import {
  defining,
  DEFINING,
  Fact,
  ALL_FACTS,
  FACT_NAMES,
  hasFact,
  NO_FACTS,
  plusFacts,
  factsOfSection,
  factsOfTest,
  type FileFacts,
} from '../rules/support/facts';
import {
  SEVERITY_OF,
  type CommentRule,
  type ConfigurationRule,
  type Context,
  type FileRule,
  type Finding,
  type LineRule,
  type LineSubject,
  type Member,
  type Rule,
  type Severity,
  type TagRule,
  type Unit,
  type UnitRule,
  type UseRule,
} from '../rules/rule';
import { fadedBody, fadedFile, inactiveText } from '../rules/inactive-text';
import { type Answered, isFrom22, isSettled, keptBy, NO_ANSWERS, runningVersion } from './answers';
import { Choices, isAnsweredAway } from './choices';
import type { Tree } from '../syntax/document';
import { indentOf, isByteOrderMark, Line, LineKind } from '../syntax/line';
import { cacheOf, counters } from '../syntax/memory';
import { Template, TemplateTrait } from '../syntax/template';
import { List, looseTags, NodeKind, Section } from '../syntax/tree';
import { Analysis, SharedAnalysis } from './analysis';
import type { EngineOptions, EngineView, FileInfo } from './engine-view';
import { consequenceOf, PlacedFinding, severityOf } from './findings';
import { ignoreComments } from './ignored';
import { ListResult, NOTHING_FOUND, SectionResult, type Cached, type Found, type LineResult } from './results';
import { comparableText, SectionsByText, type SameSections } from './same-sections';
import { isOfShellWord } from './template-text';
import { usesIn } from './uses';

export { Analysis, ListResult, PlacedFinding, type EngineOptions, type FileInfo };

function hasChoice({ fixes }: Pick<Finding, 'fixes'>): boolean {
  return fixes !== undefined && fixes.some(({ choice }) => choice !== undefined);
}

/** Rule checks made since the start of the program, for the tests that count what an edit costs. */
export const work = counters({ checks: 0 });

export class Engine implements EngineView {
  private readonly dispatch = new Map<string, Dispatch>();
  private readonly unitRules: UnitRule[] = [];
  private readonly fileRules: FileRule[] = [];
  /** Asked by features/configuration-findings.ts. */
  readonly configurationRules: ConfigurationRule[] = [];
  private readonly tagRules: TagRule[] = [];
  private readonly commentRules: CommentRule[] = [];
  private readonly useRules: UseRule[] = [];
  private readonly oddChecks: LineCheck[] = [];
  private readonly everyChecks: EveryCheck[] = [];
  /** Some texts of lines in which nothing was found lately, and the contexts they stood in, by `slotOf`. */
  private readonly fine = new Array<string>(SLOTS).fill('');
  private readonly fineIn = new Array<Context | null>(SLOTS).fill(null);
  private readonly contexts = new Map<string, Context>();
  private readonly surrounded = new WeakMap<Surroundings, Map<string, Context>>();
  private readonly rules = new Map<string, Rule>();
  private readonly choices: Choices;
  /** The text that is looked at stands in the place of a Use. */
  private readsUse = false;
  /** Where else the file is read that is looked at; null for one that is read in one place. */
  private sharing: ReadonlySet<Surroundings> | null = null;

  /** The sections that this analysis has seen, of a file that is read in one place. */
  private seen: SectionsByText | null = null;

  constructor(readonly options: EngineOptions) {
    const { target = DEFAULT_TARGET, accessSource = '' } = options;
    const runs = parseTarget(accessSource)?.patch ?? Infinity;
    this.target = Number.isFinite(runs) ? { ...target, runs } : target;
    this.choices = new Choices(this.answered);
    for (const [name, of] of FACT_NAMES) this.dispatchOf(name).facts = of;
    for (const name of DEFINING) this.dispatchOf(name).facts = defining(name, this.dispatchOf(name).facts);
    for (const rule of options.rules) {
      this.rules.set(rule.id, rule);
      if (this.severityOf(rule) === 'off') continue;
      if (rule.scope === 'configuration') {
        this.configurationRules.push(rule);
        continue;
      }
      if (rule.scope === 'tags') {
        this.tagRules.push(rule);
        continue;
      }
      if (rule.scope === 'comments') {
        this.commentRules.push(rule);
        continue;
      }
      if (rule.scope === 'uses') {
        this.useRules.push(rule);
        continue;
      }
      if (rule.scope === 'unit') this.unitRules.push(rule);
      const index = rule.scope === 'file' ? this.fileRules.push(rule) - 1 : -1;
      if (rule.scope === 'line' && rule.oddLines) this.oddChecks.push({ rule, check: rule.check });
      if (rule.scope === 'line' && rule.everyLine) this.everyChecks.push({ rule, check: rule.check });
      for (const name of rule.names) {
        const dispatch = this.dispatchOf(name);
        const check = rule.scope === 'line' ? rule.check : rule.scope === 'file' ? rule.checkLine : undefined;
        if (check) dispatch.lineChecks.push({ rule, check });
        if (rule.scope === 'unit') dispatch.unitRules.push(rule);
        if (rule.scope === 'file') (rule.asks === undefined ? dispatch.fileRules : dispatch.askedRules).push(index);
      }
    }
  }

  /** With the release that the server runs now, where it is given. One object for all questions: contexts compare it by identity. */
  readonly target: Target;

  /** What a person said; null where nobody did. */
  get distribution(): Distribution | null {
    return this.options.distribution ?? null;
  }

  /** A setting that says 2.4 goes before an answer. */
  get accessSource(): Source {
    return this.options.accessSource?.startsWith('2.4') || runningVersion(this.answered) === '2.4' ? '2.4' : '2.2';
  }

  get answered(): Answered {
    return this.options.answered ?? NOTHING_ANSWERED;
  }

  /** Whether a rule was switched off. */
  isOff(rule: Rule): boolean {
    return this.severityOf(rule) === 'off';
  }

  get isFrom22(): boolean {
    return isFrom22(this.answered);
  }

  /** Whether what a person has said settles a doubt. */
  isSettled(doubt: Doubt): boolean {
    return isSettled(doubt, this.answered, this.assumeStandalone);
  }

  /** The first question of which a person has said that what waits for it stays as it is; null for none. */
  keptBy(doubts: readonly Doubt[]): string | null {
    return keptBy(doubts, this.answered);
  }

  get assumeStandalone(): boolean {
    return this.options.assumeStandalone === true;
  }

  /** Looks at what is new in the tree. Cost: the nodes that no earlier call has seen. */
  analyze(tree: Tree, file: FileInfo): Analysis {
    const { others = [] } = file;
    if (others.length === 0) return this.analyzePlace(tree, file);
    const places = [file, ...others.map((surroundings) => ({ ...file, surroundings }))];
    return new SharedAnalysis(
      this,
      tree,
      this.whileShared(places, () => this.analyzePlace(tree, file)),
      places,
    );
  }

  /** The file as it is read in the first of its places. */
  analyzePlace(tree: Tree, file: FileInfo): Analysis {
    const { isHtaccess, surroundings = null } = file;
    const uses = isHtaccess || this.useRules.length === 0 ? null : surroundings?.uses;
    return this.analyzeIn(tree, file, uses?.isUnbalanced ? withoutPlace(surroundings) : surroundings, uses);
  }

  /** `uses` left out: what the file itself tells of its Use lines. */
  private analyzeIn(
    tree: Tree,
    file: FileInfo,
    surroundings: Surroundings | null,
    given: UsesOfFile | null | undefined,
  ): Analysis {
    const { isHtaccess } = file;
    const context = this.context({
      containers: surroundings?.containers ?? [],
      limits: [],
      activity: surroundings?.activity ?? 'active',
      isHtaccess,
      surroundings,
    });
    const result = this.rootResult(tree.root, context);
    const uses =
      given === undefined && hasFact(result.facts, Fact.uses)
        ? ownUses(digestOf(tree.root), surroundings?.macros ?? null, this.target)
        : (given ?? null);
    if (given === undefined && uses?.isUnbalanced) return this.analyzeIn(tree, file, withoutPlace(surroundings), uses);
    const whole = [
      ...this.unitFindings(null, tree.root, 0, context, result),
      ...this.fileFindings(tree.root, context, result),
    ];
    // A macro may have the other tag of a pair.
    if (!uses?.isUnbalanced) for (const finding of this.tagFindings(tree.root, context)) whole.push(finding);
    if (uses)
      for (const { offset, rule, finding } of usesIn(tree.root, context, {
        engine: this,
        rules: this.useRules,
        uses,
      })) {
        whole.push({ rule, finding: { ...finding, start: offset + finding.start, end: offset + finding.end } });
      }
    const faded =
      this.options.findsInactive && file.unread !== undefined ? fadedFile(tree.root, file.unread, this.target) : null;
    if (faded) whole.push({ rule: inactiveText, finding: faded });
    return new Analysis(this, tree, result, whole, file);
  }

  private rootResult(root: List, context: Context): ListResult {
    if (this.sharing !== null) return this.listResult(root, context);
    this.seen = new SectionsByText();
    try {
      return this.listResult(root, context);
    } finally {
      this.seen = null;
    }
  }

  /** What rules about lines and sections find in text that stands in the place of a line; of the section around it nobody has the whole. */
  findingsIn(tree: Tree, context: Context): PlacedFinding[] {
    this.readsUse = true;
    const result = this.listResult(tree.root, context);
    this.readsUse = false;
    const around = this.unitFindings(null, tree.root, 0, context, result).filter(
      ({ rule }) => rule.scope === 'unit' && rule.standsAlone,
    );
    return new Analysis(this, tree, result, around, { isHtaccess: context.isHtaccess }).findings();
  }

  /** The same place in other surroundings. */
  contextWith(context: Context, surroundings: Surroundings | null): Context {
    const { containers, limits, activity, isHtaccess } = context;
    return this.context({ containers, limits, activity, isHtaccess, surroundings });
  }

  /**
   * What is known of a node where it stands. A node remembers one context, and the flat form of a broken file shares its nodes with the
   * paired one: whoever comes from above says which context is meant, and what was found in another one is found again.
   */
  listIn(list: List, context: Context): ListResult {
    return this.listResult(list, context);
  }

  sectionIn(section: Section, context: Context): SectionResult {
    return this.sectionResult(section, context);
  }

  lineIn(line: Line, context: Context): readonly Found[] {
    return this.foundIn(line, isTagOrDirective(line) ? this.checksFor(line, context) : NO_CHECKS, context);
  }

  /** What a section or a list says, after an analysis of its file by this engine; all there can be where there was none. */
  factsIn(node: Section | List): FileFacts {
    const result = node.cache as ListResult | undefined;
    return result !== undefined && engineOf(result) === this ? result.facts : ALL_FACTS;
  }

  factsOfLine(line: Line): FileFacts {
    if (line.kind !== LineKind.Directive) return NO_FACTS;
    return line.name.startsWith('${') ? Fact.includes : (this.dispatch.get(line.name)?.facts?.(line) ?? NO_FACTS);
  }

  /** Used by Analysis: what to show of a finding in this file, null for nothing. */
  present(found: Found, base: number, facts: FileFacts, isHtaccess: boolean): PlacedFinding | null {
    const { rule, finding } = found;
    const configured = this.options.severities?.[rule.id];
    if (configured === 'off') return null;
    if (finding.resolve !== undefined && found.resolved?.facts !== facts)
      found.resolved = { facts, change: finding.resolve(facts) };
    const change = found.resolved?.change;
    if (change === null) return null;
    const consequence = change?.consequence ?? consequenceOf(finding, rule);
    // What keeps a server from starting fails requests where it is read with them.
    const isRequests = isHtaccess && consequence === 'will not start';
    const placed = new PlacedFinding(
      rule,
      finding,
      configured ?? SEVERITY_OF[consequence],
      base,
      base,
      null,
      isRequests ? { ...change, consequence: 'requests get 500' } : change,
    );
    return hasChoice(change?.fixes === undefined ? finding : change) ? this.chosen(placed) : placed;
  }

  /** A finding with fixes among which a person chooses by an answer. */
  private chosen(finding: PlacedFinding): PlacedFinding | null {
    if (!this.options.showsAnswered && isAnsweredAway(finding.ownFixes, this.answered)) return null;
    return finding.withFixesOf(({ fixes, base }) => ({ fixes: this.choices.settled(fixes), base }));
  }

  /** A finding whose offsets are the file's, with the severity that is set for its rule; null where an answer leaves it nothing to say. */
  placed(rule: ConfigurationRule, finding: Finding): PlacedFinding | null {
    const configured = this.options.severities?.[rule.id];
    const severity = configured === undefined || configured === 'off' ? severityOf(finding, rule) : configured;
    const placed = new PlacedFinding(rule, finding, severity, 0);
    return hasChoice(finding) ? this.chosen(placed) : placed;
  }

  private severityOf(rule: Rule): Severity | 'off' {
    return this.options.severities?.[rule.id] ?? SEVERITY_OF[rule.consequence];
  }

  private dispatchOf(name: string): Dispatch {
    let dispatch = this.dispatch.get(name);
    if (!dispatch)
      this.dispatch.set(
        name,
        (dispatch = { lineChecks: [], unitRules: [], facts: null, fileRules: [], askedRules: [] }),
      );
    return dispatch;
  }

  private context(of: Omit<Context, 'target' | 'distribution' | 'place'>): Context {
    const contexts = of.surroundings === null ? this.contexts : this.contextsIn(of.surroundings);
    const key = `${of.isHtaccess ? 'h' : 's'} ${of.activity} ${of.containers.join(' ')} | ${of.limits.join(' ')}`;
    let context = contexts.get(key);
    if (!context) {
      const { containers, limits, activity, isHtaccess, surroundings } = of;
      const own: OwnContext = {
        containers,
        limits,
        activity,
        isHtaccess,
        surroundings,
        target: this.target,
        distribution: this.distribution ?? surroundings?.distribution ?? null,
        place: place(of),
        engine: this,
        checks: [new Map(), new Map(), new Map(), new Map(), new Map()],
        sections: new Map(),
        nothing: null,
      };
      context = own;
      if (contexts.size > 10_000) contexts.clear();
      contexts.set(key, context);
    }
    return context;
  }

  private contextsIn(surroundings: Surroundings): Map<string, Context> {
    let contexts = this.surrounded.get(surroundings);
    if (!contexts) this.surrounded.set(surroundings, (contexts = new Map()));
    return contexts;
  }

  private listResult(list: List, context: Context): ListResult {
    const cached = this.known<ListResult>(list.cache, context);
    if (cached !== undefined) return cached;
    const result = new ListResult(context);
    let offset = 0;
    let breaks = 0;
    for (let index = 0; index < list.children.length; index++) {
      const child = list.children[index]!;
      const before = result.count;
      if (child.kind === NodeKind.List) result.add(this.listResult(child, context), this.fileRules);
      else if (child.kind === NodeKind.Section) result.add(this.sectionResult(child, context), this.fileRules);
      else this.addLine(result, child, context);
      if (result.count > before) {
        // Nearly always it is the only one: an array of three takes less than one that something is added to.
        if (result.hot === null) result.hot = [index, offset, breaks];
        else result.hot.push(index, offset, breaks);
      }
      offset += child.length;
      breaks += child.breaks;
    }
    list.cache = this.kept(list.cache, result);
    return result;
  }

  private addLine(result: ListResult, line: Line, context: Context): void {
    const checks = isTagOrDirective(line) ? this.checksFor(line, context) : NO_CHECKS;
    result.count += this.foundIn(line, checks, context).length;
    if (!checks.adds) return;
    if (checks.unitRules.length > 0) result.hasMembers = true;
    if (checks.facts !== null) result.facts = plusFacts(result.facts, checks.facts(line));
    if (checks.fileRules.length > 0 && line.template === Template.None)
      this.addSummaries(result, line, checks.fileRules, context);
  }

  private addSummaries(result: ListResult, line: Line, fileRules: readonly number[], context: Context): void {
    for (const index of fileRules) {
      const rule = this.fileRules[index]!;
      const summary = rule.of(line, context);
      if (summary !== null) result.addSummary(index, summary, this.fileRules);
    }
  }

  /** The checks that a line of this name may need in this place. Worked out once for each name: most lines of a file have few names. */
  private checksFor(line: Line, context: Context): Checks {
    const known = (context as OwnContext).checks[line.kind]!;
    let checks = known.get(line.name);
    if (checks === undefined) {
      if (known.size >= MAX_NAMES) known.clear();
      known.set(line.name, (checks = this.newChecks(line, context)));
    }
    return checks;
  }

  private newChecks({ name, kind }: Line, context: Context): Checks {
    const dispatch = this.dispatch.get(name) ?? null;
    const line = { name, kind };
    const named = kind === LineKind.Close ? NO_LINE_CHECKS : (dispatch?.lineChecks ?? NO_LINE_CHECKS);
    const every = this.everyChecks.filter(({ rule }) => rule.concerns?.(line, context) !== false);
    const isOddName = kind === LineKind.Directive && isByteOrderMark(name);
    return {
      named,
      every,
      isNeeded: named.length + every.length > 0 || isOddName,
      ...(kind === LineKind.Close ? ADDS_NOTHING : addedBy(name, dispatch)),
    };
  }

  private foundIn(line: Line, checks: Checks, context: Context): readonly Found[] {
    return (checks.isNeeded || isOdd(line)) && line.template !== Template.Structure
      ? this.lineFindings(line, checks, context)
      : NOTHING_FOUND;
  }

  private lineFindings(line: Line, { named, every }: Checks, context: Context): readonly Found[] {
    const cached = this.known<LineResult>(line.cache, context);
    if (cached !== undefined) return cached.found;
    // Line rules see the text and the context and nothing else, and many lines of a file are the same.
    const slot = slotOf(line);
    if (this.fine[slot] === line.text && this.fineIn[slot] === context) {
      this.keepLine(line, context, NOTHING_FOUND);
      return NOTHING_FOUND;
    }
    let found: Found[] = [];
    const subject: LineSubject = { line, context };
    if (isOdd(line) || (line.kind === LineKind.Directive && isByteOrderMark(line.name)))
      this.run(this.oddChecks, subject, found);
    this.run(named, subject, found);
    // A rule that knows the directive by name has more to say of it than those that know every one; and of these the first has the
    // last word: the server, too, gets no further.
    for (let i = 0; i < every.length && !hasError(found); i++) this.ask(every[i]!, subject, found);
    if (found.length > 0) found = this.withoutShellWords(found, line, context);
    if (found.length === 0) {
      this.fine[slot] = line.text;
      this.fineIn[slot] = context;
    }
    this.keepLine(line, context, found);
    return found;
  }

  private withoutShellWords(found: Found[], line: Line, context: Context): Found[] {
    // A dollar is a macro's own where macros are written and used.
    const isOfMacro =
      this.readsUse || line.name === 'macro' || line.name === 'use' || context.containers.includes('macro');
    const isOne = ({ finding, rule }: Found) => isOfShellWord(line, finding, rule, context.surroundings);
    return !isOfMacro && found.some(isOne) ? found.filter((each) => !isOne(each)) : found;
  }

  private run(checks: readonly LineCheck[], subject: LineSubject, found: Found[]): void {
    for (let i = 0; i < checks.length; i++) this.ask(checks[i]!, subject, found);
  }

  private ask({ rule, check }: LineCheck, subject: LineSubject, found: Found[]): void {
    work.checks++;
    let findings: readonly Finding[];
    try {
      findings = check(subject);
    } catch (error) {
      findings = this.failed(rule, error);
    }
    for (let i = 0; i < findings.length; i++) found.push({ rule, finding: findings[i]! });
  }

  /** What a rule finds that is asked so; what it throws costs nobody else anything. */
  contained<F extends Finding>(rule: Rule, ask: () => readonly F[]): readonly F[] {
    try {
      return ask();
    } catch (error) {
      return this.failed(rule, error);
    }
  }

  /** What is no error ends the work of whoever threw it. */
  private failed(rule: Rule, error: unknown): readonly never[] {
    if (!this.options.onFailure || !(error instanceof Error)) throw error;
    this.options.onFailure(rule.id, error);
    return [];
  }

  /** What is known of a node in a context. A node of a file that is read in several places remembers one result for each. */
  private known<Result extends Cached<Result>>(cache: unknown, context: Context): Result | undefined {
    for (let result = cache as Result | null | undefined; result; result = result.other)
      if (result.context === context) return result;
    return undefined;
  }

  /** A new result with those of the file's other places behind it; what is of places that there are no more, or other nodes' as well, is left out. */
  private kept<Result extends Cached<Result>>(cache: unknown, result: Result): Result {
    let others: Result | null = null;
    for (let known = this.sharing && (cache as Result | null | undefined); known; ) {
      const { other }: Result = known;
      const { surroundings } = known.context;
      if (
        engineOf(known) === this &&
        !known.isShared &&
        surroundings !== result.context.surroundings &&
        surroundings !== null &&
        this.sharing!.has(surroundings)
      ) {
        known.other = others;
        others = known;
      }
      known = other;
    }
    result.other = others;
    return result;
  }

  private keepLine(line: Line, context: Context, found: readonly Found[]): void {
    const cache = line.cache as LineResult | undefined;
    // What all lines have that are fine belongs to none of them, and has nothing behind it.
    const before = cache?.found === NOTHING_FOUND ? undefined : cache;
    if (found.length === 0 && (this.sharing === null || before === undefined)) line.cache = this.nothingIn(context);
    else
      line.cache = this.kept<LineResult>(before, {
        context,
        found: found === NOTHING_FOUND ? [] : found,
        other: null,
      });
  }

  /** Runs a job about a file that is read in several places. */
  whileShared<Result>(places: readonly FileInfo[], job: () => Result): Result {
    this.sharing = new Set(places.flatMap(({ surroundings }) => surroundings ?? []));
    try {
      return job();
    } finally {
      this.sharing = null;
    }
  }

  /** One result for all the lines of a context that are fine, as most are. */
  private nothingIn(context: Context): LineResult {
    return ((context as OwnContext).nothing ??= { context, found: NOTHING_FOUND, other: null });
  }

  private sectionResult(section: Section, context: Context): SectionResult {
    const cached = this.known<SectionResult>(section.cache, context);
    if (cached !== undefined) return cached;
    const { kind, isUnit, inside: always } = this.kindOf(section.name, context);
    const inside = always ?? this.underCondition(section, context);
    const result =
      kind === 'opaque' || inside.activity === 'inactive'
        ? this.ofUnread(section, context)
        : ((isUnit ? this.ofSame(section, inside, context) : null) ?? this.ofRead(section, context, inside, isUnit));
    section.cache = result.isShared ? result : this.kept(section.cache, result);
    return result;
  }

  /** A section of which no line is looked at. */
  private ofUnread(section: Section, context: Context): SectionResult {
    const result = this.withOpen(section, context);
    this.asLine(result, section, context);
    const faded =
      this.options.findsInactive && sectionKind(section.name) === 'conditional' && context.activity !== 'inactive'
        ? fadedBody(section, context)
        : null;
    if (faded) {
      result.found = [{ rule: inactiveText, finding: faded }];
      result.count++;
    }
    return result;
  }

  private ofRead(section: Section, context: Context, inside: Context, isUnit: boolean): SectionResult {
    const result = this.withOpen(section, context);
    const body = this.listResult(section.body, inside);
    result.bodyContext = inside;
    const bodyFacts = factsOfSection(section, inside.activity, inside.containers, body.facts);
    result.add(body, this.fileRules);
    if (this.everyChecks.length > 0) this.addLine(result, section.close, context);
    result.facts = plusFacts(result.facts, bodyFacts);
    if (!isUnit) return result;
    result.found = this.unitFindings(section, section.body, section.open.length, inside, body);
    result.count += result.found.length;
    this.asLine(result, section, context);
    return result;
  }

  /** What was found in a section with the same lines, or what is found in this one for the next; null where that is not to be compared. */
  private ofSame(section: Section, inside: Context, context: Context): SectionResult | null {
    const same = this.seen === null ? null : this.sameLines(this.seen, section, inside);
    if (same === null || !this.isPlain(section, context)) return null;
    const { open } = section;
    const known = same.withTag(open, context);
    if (known === null) {
      const result = this.ofRead(section, context, inside, true);
      same.add(open, result);
      return result;
    }
    return known.facts === factsOfSection(section, inside.activity, inside.containers, same.body.facts) ? known : null;
  }

  /** The sections whose lines are those of this one, which from now on knows what is known of them. */
  private sameLines(seen: SectionsByText, section: Section, inside: Context): SameSections | null {
    const { body } = section;
    const text = this.known(body.cache, inside) === undefined ? comparableText(section) : null;
    if (text === null) return null;
    const same = seen.of(text, inside);
    if (same === undefined) {
      const result = this.listResult(body, inside);
      // What a Use comes to is asked of each by itself.
      return hasFact(result.facts, Fact.uses) ? null : seen.add(text, inside, result);
    }
    body.cache = same.body;
    // What was found in a line is found in this one when somebody asks for it.
    if (same.body.count === 0) {
      const nothing = this.nothingIn(inside);
      for (let i = 0; i < body.children.length; i++) body.children[i]!.cache = nothing;
    }
    return same;
  }

  /** Whether nothing is found in the tags of a section, and nothing is known of it but by the name. */
  private isPlain({ open, close }: Section, context: Context): boolean {
    const ofOpen = this.checksFor(open, context);
    return (
      !ofOpen.saysMore && this.foundIn(open, ofOpen, context).length === 0 && this.lineIn(close, context).length === 0
    );
  }

  private withOpen(section: Section, context: Context): SectionResult {
    const result = new SectionResult(context);
    this.addLine(result, section.open, context);
    if (section.name === 'ifmodule') result.facts = plusFacts(result.facts, factsOfTest(section));
    return result;
  }

  /** What stands in a container is not the business of the unit around it; its tag is. */
  private asLine(result: SectionResult, { open }: Section, context: Context): void {
    result.hasMembers = this.checksFor(open, context).unitRules.length > 0;
  }

  private kindOf(name: string, context: Context): KindOfSection {
    const { sections } = context as OwnContext;
    let known = sections.get(name);
    if (known === undefined) {
      const kind = sectionKind(name);
      const isUnit = !isTransparent(kind);
      const inside =
        kind === 'conditional'
          ? null
          : isUnit
            ? this.context({ ...context, containers: [...context.containers, name], limits: [] })
            : this.context({ ...context, limits: [...context.limits, name] });
      if (sections.size >= MAX_NAMES) sections.clear();
      sections.set(name, (known = { kind, isUnit, inside }));
    }
    return known;
  }

  private underCondition(section: Section, context: Context): Context {
    const own = context.surroundings?.activityOf(section) ?? activityOf(section.open, context.target);
    const activity = both(context.activity, own);
    return activity === context.activity ? context : this.context({ ...context, activity });
  }

  private unitFindings(
    section: Section | null,
    body: List,
    bodyOffset: number,
    context: Context,
    { hasMembers, facts }: ListResult,
  ): readonly Found[] {
    if (!hasMembers) return NOTHING_FOUND;
    const found: Found[] = [];
    const tag = section && { indent: indentOf(section.open), template: section.open.template };
    const gathered = new Map<UnitRule, Member[]>();
    this.gather(body, bodyOffset, context, [], gathered);
    for (const rule of this.unitRules) {
      const members = gathered.get(rule);
      if (members === undefined) continue;
      if (body.templates > 0 && isTorn(rule, body, members) && !rule.standsAlone) continue;
      this.askUnit(rule, { tag, body, bodyOffset, context, facts, members }, found);
    }
    return found.length === 0 ? NOTHING_FOUND : found.slice();
  }

  private askUnit(rule: UnitRule, unit: Unit, found: Found[]): void {
    work.checks++;
    const findings = this.contained(rule, () => rule.check(unit));
    for (let i = 0; i < findings.length; i++) found.push({ rule, finding: findings[i]! });
  }

  /** Adds the lines of a unit to `gathered`, by the unit rules that listen to their names. Skips lists without any. */
  private gather(
    list: List,
    base: number,
    context: Context,
    within: readonly Section[],
    gathered: Map<UnitRule, Member[]>,
  ): void {
    let offset = base;
    for (const child of list.children) {
      if (child instanceof List) {
        if (this.listResult(child, context).hasMembers) this.gather(child, offset, context, within, gathered);
      } else {
        const line = child instanceof Section ? child.open : child;
        this.gatherLine({ line, offset, within, activity: context.activity }, gathered);
        if (child instanceof Section && isTransparent(sectionKind(child.name))) {
          const result = this.sectionResult(child, context);
          if (result.hasMembers && result.bodyContext)
            this.gather(child.body, offset + child.open.length, result.bodyContext, [...within, child], gathered);
        }
      }
      offset += child.length;
    }
  }

  private gatherLine(member: Member, gathered: Map<UnitRule, Member[]>): void {
    const { kind, name } = member.line;
    if (kind !== LineKind.Directive && kind !== LineKind.Open) return;
    for (const rule of this.dispatch.get(name)?.unitRules ?? NO_UNIT_RULES) {
      const members = gathered.get(rule);
      if (members === undefined) gathered.set(rule, [member]);
      else members.push(member);
    }
  }

  private tagFindings(root: List, context: Context): Found[] {
    if (root.loose === 0 || this.tagRules.length === 0) return [];
    if (root.branches > 0) return [];
    const tags = looseTags(root, MOST_TAGS);
    if (root.templates > 0 && tags.some(({ line }) => line.template !== Template.None)) return [];
    return this.tagRules.flatMap((rule) => {
      work.checks++;
      return this.contained(rule, () => rule.check({ tags, context })).map((finding) => ({ rule, finding }));
    });
  }

  /** Used by Analysis: what there is to say of the comments that silence rules, given all else that was found. */
  commentFindings(tree: Tree, whole: readonly Found[], context: Context): readonly Found[] {
    if (tree.root.pragmas === 0 || this.commentRules.length === 0) return NOTHING_FOUND;
    const comments = ignoreComments({
      tree,
      context,
      engine: this,
      whole: whole.map(({ rule, finding }) => ({ id: rule.id, finding })),
      stateOf: (id) => {
        const rule = this.rules.get(id);
        if (!rule) return 'unknown';
        return rule.scope === 'configuration' || rule.scope === 'comments' || this.severityOf(rule) === 'off'
          ? 'unjudged'
          : 'judged';
      },
    });
    if (comments.length === 0) return NOTHING_FOUND;
    const ruleIds = [...this.rules.keys()];
    return this.commentRules.flatMap((rule) => {
      work.checks++;
      return this.contained(rule, () => rule.check({ comments, ruleIds })).map((finding) => ({ rule, finding }));
    });
  }

  private fileFindings(root: List, context: Context, result: ListResult): Found[] {
    const found: Found[] = [];
    // What a file says as a whole depends on what its template text says.
    if (root.templates > 0) return found;
    this.fileRules.forEach((rule, index) => {
      if (rule.asks !== undefined && !hasFact(result.facts, rule.asks)) return;
      const summary = this.summary(root, index, context);
      if (summary === undefined) return;
      work.checks++;
      const locate = (may: (s: unknown) => boolean, test: (line: Line) => boolean) =>
        this.locate(root, 0, index, context, may, test);
      for (const finding of this.contained(rule, () => rule.check({ summary, facts: result.facts, context, locate })))
        found.push({ rule, finding });
    });
    return found;
  }

  /** What a part of the file says to a file rule; undefined for nothing. */
  private summary(node: List | Section, index: number, context: Context): unknown {
    const result = node instanceof Section ? this.sectionResult(node, context) : this.listResult(node, context);
    const rule = this.fileRules[index]!;
    if (rule.asks === undefined) return result.summaries?.[index];
    result.asked ??= new Map();
    if (!result.asked.has(index)) result.asked.set(index, this.sum(node, result, index));
    return result.asked.get(index);
  }

  private sum(node: List | Section, result: ListResult, index: number): unknown {
    const rule = this.fileRules[index]!;
    let sum: unknown;
    const add = (summary: unknown) => {
      if (summary !== undefined && summary !== null) sum = sum === undefined ? summary : rule.plus(sum, summary);
    };
    const ofLine = (line: Line) =>
      this.dispatch.get(line.name)?.askedRules.includes(index) ? rule.of(line, result.context) : null;
    if (node instanceof Section) {
      add(ofLine(node.open));
      const { bodyContext } = result as SectionResult;
      if (bodyContext !== null) add(this.summary(node.body, index, bodyContext));
      return sum;
    }
    for (const child of node.children)
      add(child instanceof Line ? ofLine(child) : this.summary(child, index, result.context));
    return sum;
  }

  private locate(
    list: List,
    base: number,
    index: number,
    context: Context,
    may: (summary: unknown) => boolean,
    test: (line: Line) => boolean,
  ): { line: Line; offset: number } | null {
    let offset = base;
    for (const child of list.children) {
      if (child instanceof Line) {
        if ((child.kind === LineKind.Directive || child.kind === LineKind.Open) && test(child))
          return { line: child, offset };
      } else {
        const summary = this.summary(child, index, context);
        if (summary !== undefined && may(summary)) {
          if (child instanceof Section && test(child.open)) return { line: child.open, offset };
          const body = child instanceof Section ? child.body : child;
          const inside = child instanceof Section ? this.sectionResult(child, context).bodyContext : context;
          const found =
            inside &&
            this.locate(body, child instanceof Section ? offset + child.open.length : offset, index, inside, may, test);
          if (found) return found;
        }
      }
      offset += child.length;
    }
    return null;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Lines that some rules look at for their text and not for their name: continued, or longer than any line should be (a character has
 * three bytes at most), or with characters that are not seen. It is known without looking at the text. And those with a byte order mark in front of the name: their name tells.
 */
function isOdd(line: Line): boolean {
  return line.isJoined || line.mayHide || line.length * 3 >= LONG_LINE;
}

const placeless = cacheOf<Surroundings, Surroundings>();

/** The same of a file whose own tags do not tell what stands where, because macros have others. */
function withoutPlace(surroundings: Surroundings | null): Surroundings | null {
  if (surroundings === null) return null;
  let known = placeless.get(surroundings);
  if (!known) placeless.set(surroundings, (known = derived(surroundings, { containers: null })));
  return known;
}

function place({
  containers,
  limits,
  isHtaccess,
  surroundings,
}: Omit<Context, 'target' | 'distribution' | 'place'>): Context['place'] {
  return placeOf({
    containers,
    limits,
    isHtaccess,
    isWholeChain: surroundings !== null && surroundings.containers !== null,
    overrides: surroundings?.overrides ?? null,
    overrideList: surroundings?.overrideList,
  });
}

function isTagOrDirective({ kind }: Line): boolean {
  return kind === LineKind.Directive || kind === LineKind.Open || kind === LineKind.Close;
}

/** Past so many broken tags a file is no configuration. */
const MOST_TAGS = 1000;

/** Lines of so many bytes are where httpd's limits begin (MAX_STRING_LEN). */
const LONG_LINE = 8191;

interface LineCheck {
  readonly rule: Rule;
  readonly check: LineRule['check'];
}

/** What a line adds to what is known of the list that it stands in, as far as its name tells. */
interface Added {
  readonly unitRules: readonly UnitRule[];
  readonly facts: ((line: Line) => FileFacts) | null;
  readonly fileRules: readonly number[];
  /** Whether there is anything of this. */
  readonly adds: boolean;
  /** Whether a line adds what depends on more than its name. */
  readonly saysMore: boolean;
}

/** The checks of lines of one name in one context. */
interface Checks extends Added {
  /** By rules that listen to the name. */
  readonly named: readonly LineCheck[];
  /** By rules that listen to every line. */
  readonly every: readonly EveryCheck[];
  /** Whether there are any, or the name alone is odd. */
  readonly isNeeded: boolean;
}

interface EveryCheck extends LineCheck {
  readonly rule: LineRule;
}

const NO_LINE_CHECKS: readonly LineCheck[] = [];
const NO_UNIT_RULES: readonly UnitRule[] = [];

const ADDS_NOTHING: Added = { unitRules: NO_UNIT_RULES, facts: null, fileRules: [], adds: false, saysMore: false };

/** A line whose name is a variable may be anything. */
const ADDS_ANYTHING: Added = { ...ADDS_NOTHING, facts: () => Fact.includes, adds: true, saysMore: true };

const NO_CHECKS: Checks = { ...ADDS_NOTHING, named: [], every: [], isNeeded: false };

function addedBy(name: string, dispatch: Dispatch | null): Added {
  if (dispatch === null) return name.startsWith('${') ? ADDS_ANYTHING : ADDS_NOTHING;
  const { unitRules, facts, fileRules, askedRules } = dispatch;
  const adds = unitRules.length + fileRules.length > 0 || facts !== null;
  return { unitRules, facts, fileRules, adds, saysMore: fileRules.length + askedRules.length > 0 || facts !== null };
}

/** A file that is no configuration has as many first words as lines. */
const MAX_NAMES = 4096;

/** What the sections of one name have in common that stand in one context. */
interface KindOfSection {
  readonly kind: SectionKind;
  /** Whether the lines in it are a unit of their own. */
  readonly isUnit: boolean;
  /** The context of its lines; null where each section has to be asked. */
  readonly inside: Context | null;
}

/** A context as the engine makes it, with the checks by kind of line and name, and the sections by name. */
interface OwnContext extends Context {
  readonly engine: Engine;
  readonly checks: readonly Map<string, Checks>[];
  readonly sections: Map<string, KindOfSection>;
  /** What all its lines that are fine remember. */
  nothing: LineResult | null;
}

function engineOf({ context }: Cached<unknown>): Engine {
  return (context as OwnContext).engine;
}

const SLOTS = 512;

const NOTHING_ANSWERED: Answered = { answers: NO_ANSWERS, folder: '' };

/** Where a line's text is remembered: from what is at hand, without reading all of it. */
function slotOf({ text, nameStart }: Line): number {
  const { length } = text;
  return (
    (length * 31 +
      text.charCodeAt(nameStart) * 7 +
      text.charCodeAt(length >> 1) * 3 +
      text.charCodeAt(length > 1 ? length - 2 : 0)) %
    SLOTS
  );
}

function hasError(found: readonly Found[]): boolean {
  for (let i = 0; i < found.length; i++) if (severityOf(found[i]!.finding, found[i]!.rule) === 'error') return true;
  return false;
}

/** Whether template text keeps a rule from knowing what stands in a unit. */
function isTorn(rule: UnitRule, body: List, members: readonly Member[]): boolean {
  return (
    !rule.mindsTemplates &&
    (body.branches > 0 ||
      (body.templateTraits & TemplateTrait.AnyWord) !== 0 ||
      members.some(({ line }) => line.template !== Template.None))
  );
}

interface Dispatch {
  readonly lineChecks: LineCheck[];
  readonly unitRules: UnitRule[];
  facts: ((line: Line) => FileFacts) | null;
  readonly fileRules: number[];
  /** Those whose summaries are made when somebody asks. */
  readonly askedRules: number[];
}
