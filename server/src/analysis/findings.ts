/**
 * A finding with its position in the file, and its text. Rules make the parts of the text
 * (MessageParts of rules/rule.ts). Only this file joins these parts, and only for findings that are
 * shown.
 */
import type { OpenQuestion } from '../access/open-question';
import {
  changedFix,
  SEVERITY_OF,
  type Consequence,
  type Finding,
  type Fix,
  type ResolvedParts,
  type Rule,
  type MessageParts,
  type Severity,
  type Span,
} from '../rules/rule';
import type { Tree } from '../syntax/document';

/** Fixes, with the offset from which the offsets of their edits count. */
export interface PlacedFixes {
  readonly fixes: readonly Fix[];
  readonly baseOffset: number;
  /** The safety of the fix, if there is only one and its safety is known before it is made. */
  readonly safety?: Fix['safety'];
}

/**
 * What a problem leads to, such as `will not start`. Does not depend on the severity that the user
 * configured for the rule.
 */
export function consequenceOf({ consequence }: Pick<Finding, 'consequence'>, rule: Rule): Consequence {
  return consequence ?? rule.consequence;
}

/** The severity of a finding before the user's settings. It depends only on the consequence. */
export function severityOf(finding: Pick<Finding, 'consequence'>, rule: Rule): Severity {
  return SEVERITY_OF[consequenceOf(finding, rule)];
}

/** A part of the explanation below a headline. */
export interface Explanation {
  /** `note`: why it is a problem. `help`: what to do. `server`: the message of httpd. */
  readonly kind: 'note' | 'help' | 'server';
  readonly text: string;
}

/** The parts below the headline, in reading order. */
export function explanations({ cause, help, serverText }: Omit<MessageParts, 'consequence'>): Explanation[] {
  const explanationParts: Explanation[] = [];
  if (cause) explanationParts.push({ kind: 'note', text: cause });
  if (help) explanationParts.push({ kind: 'help', text: help });
  if (serverText) explanationParts.push({ kind: 'server', text: serverText });
  return explanationParts;
}

/**
 * The consequence as sentences for the text of a finding. Empty for a consequence that needs no
 * sentence. Also empty if the cause says what changed in 2.4, because then the cause is shown
 * instead.
 */
function consequenceSentences({ consequence, cause }: Pick<MessageParts, 'cause'> & WithConsequence): string[] {
  if (consequence === 'no effect' || tellsChange({ consequence, cause })) return [];
  return [CONSEQUENCE_SENTENCES[consequence] ?? `In httpd 2.4: ${consequence}.`];
}

/** Whether the cause says what changed in 2.4. */
function tellsChange({ consequence, cause }: Pick<MessageParts, 'cause'> & WithConsequence): boolean {
  return consequence === 'meaning changed' && cause !== undefined && cause !== '';
}

/** The consequence, which `MessageParts` has only if it is not that of the rule. */
interface WithConsequence {
  readonly consequence: Consequence;
}

/** Each consequence as a sentence. */
const CONSEQUENCE_SENTENCES: Partial<Record<Consequence, string>> = {
  'will not start': 'httpd 2.4 will not start.',
  'may not start': 'httpd 2.4 may not start.',
  'requests get 500': 'In httpd 2.4, requests get 500.',
  'requests may get 500': 'In httpd 2.4, requests may get 500.',
  'access opens': 'In httpd 2.4, access opens.',
  ignored: 'It is ignored in httpd 2.4.',
  'meaning changed': 'httpd 2.4 treats it differently.',
  'probably a mistake': 'This is probably a mistake.',
  renamed: 'It is renamed in httpd 2.4.',
  deprecated: 'It is deprecated in httpd 2.4.',
  'check before the upgrade': 'Check this before the upgrade.',
  'check after the upgrade': 'Check this when you upgrade.',
};

/**
 * The short text for an editor: the headline, the consequence, and the help; without a help, the
 * cause. The cause is also added to a help if it says what changed, or if the finding has related
 * lines.
 */
export function shortEditorText(
  parts: MessageParts & WithConsequence & { readonly related?: PlacedFinding['related'] },
): string {
  const explanationRows = consequenceSentences(parts);
  if (parts.cause && parts.help && (parts.related?.length || tellsChange(parts))) explanationRows.push(parts.cause);
  if (parts.help) explanationRows.push(`Help: ${parts.help}`);
  else if (parts.cause) explanationRows.push(parts.cause);
  else if (parts.serverText) explanationRows.push(`Message of httpd: ${parts.serverText}`);
  return explanationRows.length === 0 ? parts.what : `${parts.what}\n\n${explanationRows.join('\n')}`;
}

/** The full text for an editor: the headline, an empty line, the rest. */
export function fullEditorText(parts: MessageParts & WithConsequence): string {
  const explanationRows = consequenceSentences(parts);
  for (const { kind, text } of explanations(parts))
    explanationRows.push(kind === 'note' ? text : kind === 'help' ? `Help: ${text}` : `Message of httpd: ${text}`);
  return explanationRows.length === 0 ? parts.what : `${parts.what}\n\n${explanationRows.join('\n')}`;
}

/**
 * The fixes that the rule makes. They are computed on use, because a conversion of the whole
 * configuration may replace them before they are needed.
 */
class RuleFixes implements PlacedFixes {
  constructor(private readonly finding: PlacedFinding) {}

  get fixes(): readonly Fix[] {
    return this.finding.ruleFixes;
  }

  get baseOffset(): number {
    return this.finding.ruleFixBase;
  }
}

/**
 * One fix that is computed on use, because most findings are only counted. Its safety is known
 * before it is computed. The offsets of its edits count from the start of the file.
 */
class LazyFix implements PlacedFixes {
  readonly baseOffset = 0;
  private cachedFixes: readonly Fix[] | null = null;

  constructor(
    readonly safety: Fix['safety'],
    private readonly makeFix: () => Fix,
  ) {}

  get fixes(): readonly Fix[] {
    return (this.cachedFixes ??= [this.makeFix()]);
  }
}

/**
 * A finding with its position in the file. All its getters give offsets from the start of the file.
 * Only the offsets in the edits of fixes count from `fixBase` or `ruleFixBase`.
 */
export class PlacedFinding {
  private cachedFixes: PlacedFixes | null = null;

  constructor(
    readonly rule: Rule,
    private readonly finding: Finding,
    readonly severity: Severity,
    /** The offset in the file from which the offsets of the finding count. */
    readonly baseOffset: number,
    /** The offset in the file from which the edits of the rule's fixes count. */
    readonly ruleFixBase: number = baseOffset,
    /**
     * Fixes that replace the fixes of the rule, or a function that changes these. Null if the fixes
     * of the rule stay.
     */
    private readonly replacingFixes: PlacedFixes | ((fixes: PlacedFixes) => PlacedFixes) | null = null,
    /**
     * Parts of the finding that depend on the rest of the file, and replace those of `finding`. The
     * object `finding` never changes, because its node caches it.
     */
    private readonly change?: ResolvedParts,
  ) {}

  /** UTF-16 offset in the file. */
  get start(): number {
    // If a range includes the end of a continued line, the end of the finding can be smaller than
    // its start.
    return this.baseOffset + Math.min(this.finding.start, this.finding.end);
  }

  get end(): number {
    return this.baseOffset + Math.max(this.finding.start, this.finding.end);
  }

  /** Further lines with the same problem. Offsets count from the start of the file. */
  get places(): readonly Span[] {
    const { places } = this.finding;
    return places
      ? places.map(({ start, end }) => ({ start: this.baseOffset + start, end: this.baseOffset + end }))
      : NO_PLACES;
  }

  /** Whether a line of the finding overlaps the range [from, to]. */
  overlaps(from: number, to: number): boolean {
    if (this.start <= to && this.end >= from) return true;
    const {
      baseOffset,
      finding: { places = NO_PLACES },
    } = this;
    for (let i = 0; i < places.length; i++)
      if (baseOffset + places[i]!.start <= to && baseOffset + places[i]!.end >= from) return true;
    return false;
  }

  /**
   * Calls `ask` with the offset of each line of the finding, until a result is not null. Returns
   * this result; null if all results are null.
   */
  firstResultOfLines<T>(tree: Tree, ask: (offset: number) => T | null): T | null {
    const { lineStart } = this.finding;
    const resultOfFirstLine = ask(
      lineStart === undefined ? tree.lineAt(this.start)!.offset : this.baseOffset + lineStart,
    );
    if (resultOfFirstLine !== null) return resultOfFirstLine;
    for (const { start } of this.places) {
      const resultOfPlace = ask(tree.lineAt(start)!.offset);
      if (resultOfPlace !== null) return resultOfPlace;
    }
    return null;
  }

  /** The id of the message, among the messages of the rule. */
  get messageId(): string {
    return this.finding.messageId;
  }

  /** The headline: what is wrong, in one sentence. */
  get what(): string {
    return shortenedText(this.change?.what ?? this.finding.what, MAX_HEADLINE_LENGTH);
  }

  /** What the problem leads to, such as `will not start`. */
  get consequence(): Consequence {
    return this.change?.consequence ?? consequenceOf(this.finding, this.rule);
  }

  /** Why this is a problem. Undefined if the headline says it. */
  get cause(): string | undefined {
    return shortenedText(this.change?.cause ?? this.finding.cause, MAX_EXPLANATION_LENGTH);
  }

  /** What the user has to do. Undefined if there is no advice. */
  get help(): string | undefined {
    return shortenedText(this.change?.help ?? this.finding.help, MAX_EXPLANATION_LENGTH);
  }

  /** The advice to show if 2.2 also reads the file. Undefined if the usual advice is right then. */
  get helpForBothVersions(): string | undefined {
    const { help, helpForBothVersions, isReadByBoth, fixes = [] } = this.finding;
    if (isReadByBoth) return helpForBothVersions ?? ADVICE_TO_KEEP_FOR_BOTH;
    if (helpForBothVersions !== undefined || fixes.length === 0) return helpForBothVersions;
    const isAboutLoading = fixes.some(({ title }) => /\bLoad\b|LoadModule|_module\b/.test(title));
    const advice = this.rule.needsLineIn22 ? helpWithoutRemoval(help, isAboutLoading) : help;
    if (advice !== undefined && COMPLETE_ADVICE_FOR_BOTH.test(advice)) return advice;
    return [advice, isAboutLoading ? ADVICE_ABOUT_LOADMODULE_FOR_BOTH : ADVICE_ABOUT_LINES_FOR_BOTH]
      .filter(Boolean)
      .join(' ');
  }

  /**
   * True if both versions accept the line, so that it can stay as long as 2.2 reads the file.
   * Otherwise undefined.
   */
  get isReadByBoth(): true | undefined {
    return this.finding.isReadByBoth;
  }

  /** Whether the line may be right as it is, so that the user only checks it. */
  get mayStay(): true | undefined {
    return this.finding.mayStay;
  }

  /** The exact message of httpd for this problem. Undefined if it is not known. */
  get serverText(): string | undefined {
    return shortenedText(this.finding.serverText, MAX_EXPLANATION_LENGTH);
  }

  /** Commands to run on the server, one on each line. Undefined if there are none. */
  get run(): string | undefined {
    return this.finding.run;
  }

  /** The open questions whose answers may change the text or the commands of the finding. */
  get asks(): readonly OpenQuestion[] {
    return this.finding.asks ?? NO_QUESTIONS;
  }

  /** The full text for an editor. */
  get message(): string {
    return fullEditorText(this);
  }

  /** Other lines that explain the problem. Undefined if there are none. */
  get related(): Finding['related'] {
    return this.finding.related;
  }

  /**
   * The sections that the finding is about. Offsets count from the start of the file. Undefined for
   * most findings.
   */
  get about(): Finding['about'] {
    return this.finding.about?.map(({ start, end }) => ({
      start: this.baseOffset + start,
      end: this.baseOffset + end,
    }));
  }

  /** How the editor shows the text: struck through or faded. Undefined for most findings. */
  get tag(): Finding['tag'] {
    return this.finding.tag;
  }

  /**
   * The open questions that must be answered before the first fix is safe. If there is no fix, the
   * questions that must be answered before there can be one.
   */
  get waitsFor(): readonly OpenQuestion[] {
    const [first] = this.fixes;
    return (first ? first.waitsFor : this.finding.waitsFor) ?? NO_QUESTIONS;
  }

  /** The fixes of the finding, the best one first. */
  get fixes(): readonly Fix[] {
    return this.placedFixes.fixes;
  }

  /**
   * The safety of the fix, if there is only one and its safety is known without computing it.
   * Otherwise undefined.
   */
  get safetyOfOnlyFix(): Fix['safety'] | undefined {
    return this.placedFixes.safety;
  }

  /** Whether there is at least one fix. */
  get hasFixes(): boolean {
    return this.safetyOfOnlyFix !== undefined || this.fixes.length > 0;
  }

  /** The offset in the file from which the offsets of the fixes' edits count. */
  get fixBase(): number {
    return this.placedFixes.baseOffset;
  }

  /**
   * The fixes that the rule makes, without changes that depend on the rest of the file. If there
   * are none, there may still be a fix of the whole configuration.
   */
  get ruleFixes(): readonly Fix[] {
    const { change, finding } = this;
    const fixes = change?.fixes ?? finding.fixes;
    if (fixes !== undefined) return fixes;
    const make = change?.fixesLater ?? finding.fixesLater;
    return make === undefined ? NO_FIXES : make();
  }

  /**
   * Those of `ruleFixes` that are alternatives, among which the user's answer decides. Fixes from
   * `fixesLater` are never alternatives.
   */
  get fixesToChoose(): readonly Fix[] {
    const choiceFixes = (this.change?.fixes ?? this.finding.fixes)?.filter(({ choice }) => choice !== undefined);
    return choiceFixes === undefined || choiceFixes.length === 0 ? NO_FIXES : choiceFixes;
  }

  /** The parts of the text, for callers that do not show the finding as one text. */
  get messageParts(): MessageParts {
    const { consequence, serverText, run, asks } = this.finding;
    const { what, cause, help } = this;
    return { what, consequence: this.change?.consequence ?? consequence, cause, help, serverText, run, asks };
  }

  /**
   * The same finding with some parts replaced. The edits of new fixes must have offsets from the
   * start of the file.
   */
  withParts({
    fixes,
    ...parts
  }: { readonly fixes?: readonly Fix[] } & Partial<Pick<Finding, 'cause' | 'help' | 'waitsFor'>>): PlacedFinding {
    const finding = hasNoParts(parts) ? this : this.withChange(parts);
    return fixes ? finding.withFixSource({ fixes, baseOffset: 0 }) : finding;
  }

  /**
   * The same finding with a single fix, which is computed on use. The edits of the fix must have
   * offsets from the start of the file.
   */
  withFix(safety: Fix['safety'], make: () => Fix): PlacedFinding {
    return this.withFixSource(new LazyFix(safety, make));
  }

  /**
   * The same finding with some parts replaced, or placed at another one of its lines. Offsets in
   * `change` count from `baseOffset`.
   */
  withChange(change: Partial<MessageParts & Span & Pick<Finding, 'places' | 'waitsFor'>>): PlacedFinding {
    return new PlacedFinding(
      this.rule,
      { ...this.changedFinding, ...(change.start !== undefined && { lineStart: undefined }), ...change },
      this.severity,
      this.baseOffset,
      this.ruleFixBase,
      this.replacingFixes,
    );
  }

  /**
   * The same finding without the lines for which `isLeftOut` returns true. Null if no line is left.
   */
  withoutLines(isLeftOut: (offset: number) => boolean): PlacedFinding | null {
    const {
      baseOffset,
      finding: { start, end, places = NO_PLACES },
    } = this;
    const remainingPlaces = [{ start, end }, ...places].filter((place) => !isLeftOut(baseOffset + place.start));
    if (remainingPlaces.length > places.length) return this;
    const [first, ...others] = remainingPlaces;
    return first ? this.withChange({ ...first, places: others }) : null;
  }

  /** The same finding with another severity. */
  withSeverity(severity: Severity): PlacedFinding {
    return this.withFixSource(this.replacingFixes, severity);
  }

  /** The same finding with all fixes as suggestions. */
  withSuggestions(): PlacedFinding {
    return this.withChangedFixes(({ fixes, baseOffset }) => ({
      fixes: fixes.map((fix) => changedFix(fix, { safety: 'suggestion' })),
      baseOffset,
    }));
  }

  /** The same finding, moved by a number of UTF-16 units. */
  movedBy(units: number): PlacedFinding {
    return new PlacedFinding(
      this.rule,
      this.finding,
      this.severity,
      this.baseOffset + units,
      this.ruleFixBase + units,
      this.replacingFixes,
      this.change,
    );
  }

  /** The same finding with only those fixes for which `isKept` returns true. */
  withSelectedFixes(isKept: (fix: Fix) => boolean): PlacedFinding {
    return this.withChangedFixes((before) => ({ baseOffset: before.baseOffset, fixes: before.fixes.filter(isKept) }));
  }

  /** The same finding with another help, and without fixes or open questions for fixes. */
  withoutFixes(help: string): PlacedFinding {
    const { waitsFor: _waitsFor, fixes: _fixes, fixesLater: _fixesLater, ...rest } = this.changedFinding;
    return new PlacedFinding(this.rule, { ...rest, help }, this.severity, this.baseOffset, this.ruleFixBase);
  }

  /** The same finding with changed fixes, which are computed on use. */
  withChangedFixes(make: (before: PlacedFixes) => PlacedFixes): PlacedFinding {
    const { replacingFixes } = this;
    if (replacingFixes === null) return this.withFixSource(make);
    return this.withFixSource((fixes) =>
      make(typeof replacingFixes === 'function' ? replacingFixes(fixes) : replacingFixes),
    );
  }

  /** The same finding with replaced fixes. */
  withReplacedFixes(fixes: PlacedFixes): PlacedFinding {
    return this.withFixSource(fixes);
  }

  /**
   * The finding without fixes, as an info, because its lines can stay as long as 2.2 reads them.
   */
  asInfoWithoutFixes(help: string): PlacedFinding {
    return this.withParts({ help }).withFixSource({ fixes: [], baseOffset: 0 }, 'info');
  }

  /** The same finding with other fixes, and maybe another severity. */
  private withFixSource(fixSource: PlacedFinding['replacingFixes'], severity = this.severity): PlacedFinding {
    return new PlacedFinding(
      this.rule,
      this.finding,
      severity,
      this.baseOffset,
      this.ruleFixBase,
      fixSource,
      this.change,
    );
  }

  /** The finding, with the parts replaced that depend on the rest of the file. */
  private get changedFinding(): Finding {
    const { finding, change } = this;
    return change === undefined
      ? finding
      : {
          ...finding,
          what: change.what ?? finding.what,
          consequence: change.consequence ?? finding.consequence,
          cause: change.cause ?? finding.cause,
          help: change.help ?? finding.help,
          fixes: change.fixes ?? finding.fixes,
          fixesLater: change.fixesLater ?? finding.fixesLater,
        };
  }

  /** The fixes of the finding, with the offset from which the offsets of their edits count. */
  private get placedFixes(): PlacedFixes {
    return (this.cachedFixes ??= this.computeFixes());
  }

  private computeFixes(): PlacedFixes {
    const { replacingFixes } = this;
    if (replacingFixes === null) return new RuleFixes(this);
    return typeof replacingFixes === 'function' ? replacingFixes(new RuleFixes(this)) : replacingFixes;
  }
}

/**
 * Maximum lengths of the headline and of the explanation (`MAX_EXPLANATION_LENGTH`), in UTF-16
 * units. Limits are needed because a text can contain the name of a file, which can be very long.
 */
const MAX_HEADLINE_LENGTH = 400;
const MAX_EXPLANATION_LENGTH = 10_000;

/**
 * The help without the last sentence for files that both versions read, because this sentence is
 * the same in all findings. Undefined if nothing is left.
 */
export function withoutNoteForBoth(help: string | undefined): string | undefined {
  return (
    help?.replace(ADVICE_ABOUT_LINES_FOR_BOTH, '').replace(ADVICE_ABOUT_LOADMODULE_FOR_BOTH, '').trim() || undefined
  );
}

/**
 * The help without the parts that tell the user to remove a line. 2.2 needs the line. Undefined if
 * there is no help.
 */
function helpWithoutRemoval(help: string | undefined, isAboutLoading: boolean): string | undefined {
  const section = isAboutLoading ? '`<IfVersion < 2.4>`' : '`<IfModule !mod_authz_core.c>`';
  return help
    ?.replace(/, or remove [^.]*/g, '')
    .replace(/\bRemove (the line|`\w+`)/, `Put $1 into ${section}`)
    .split(/(?<=\.) /)
    .filter((sentence) => !/\bremove\b/i.test(sentence))
    .join(' ');
}

/** The advice for a line that both versions accept. */
const ADVICE_TO_KEEP_FOR_BOTH = 'Keep the line: both versions read it. Change it after the last 2.2 server is gone.';

/**
 * Matches advice to which no sentence about both versions must be added: it mentions both versions,
 * or names the section for the line.
 */
const COMPLETE_ADVICE_FOR_BOTH = /\bboth versions\b|^Put (the line|`\w+`) into `<If[^`]*>`\.?$/;

/** The sentence for lines that only one version accepts. */
const ADVICE_ABOUT_LINES_FOR_BOTH =
  '2.2 reads this file, too: put lines of 2.2 into `<IfModule !mod_authz_core.c>`, and lines of 2.4 into `<IfModule mod_authz_core.c>`.';

/** The sentence for LoadModule lines, which cannot be in a section that tests for their module. */
const ADVICE_ABOUT_LOADMODULE_FOR_BOTH =
  '2.2 reads this file, too: put LoadModule lines of 2.2 into `<IfVersion < 2.4>`, and those of 2.4 into `<IfVersion >= 2.4>`. mod_version must be loaded before them.';

/** The text, or its first `maxLength` characters and an ellipsis. Undefined for undefined. */
function shortenedText<Text extends string | undefined>(text: Text, maxLength: number): Text | string {
  return text === undefined || text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}

/** Whether the object has no properties. */
function hasNoParts(change: object): boolean {
  for (const _ in change) return false;
  return true;
}

const NO_QUESTIONS: readonly OpenQuestion[] = [];
const NO_FIXES: readonly Fix[] = [];
const NO_PLACES: readonly Span[] = [];
