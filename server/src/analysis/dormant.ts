/**
 * Converts lines of 2.2 that the server does not read: in files that no configuration reads, in
 * branches whose condition is false, and in commented-out sections. They have no effect, so their
 * conversion changes nothing now. It is only done if the user asks for it. Each part is analyzed
 * separately, as if httpd read it.
 *
 * A branch or a commented-out section is analyzed in a text that has only it and the tags of the
 * sections around it. All other text is replaced by white space, so that offsets stay the same.
 */
import { activityOf } from '../config/activity';
import { nameInTag } from '../config/condition';
import { moduleNamed } from '../config/modules';
import { sectionKind } from '../config/sections';
import type { Target } from '../config/target';
import { directive, module } from '../directives/index';
import { orderAllowDeny } from '../rules/order-allow-deny';
import type { Edit } from '../rules/rule';
import { Tree } from '../syntax/document';
import { LineKind, type Line } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { forEachItem, Section, type List } from '../syntax/tree';
import { Engine } from './engine';
import type { FileInfo } from './engine-view';
import type { PlacedFinding } from './findings';
import { applyEdits, fixText, selectFixes, type PlacedFix } from './fixes';

/** The rows (0-based) of lines of 2.2 that `withDormantConverted` converts. */
export function dormantLines(engine: Engine, tree: Tree, info: FileInfo): ReadonlySet<number> {
  const converted = partsOf(engine, tree, info).flatMap((part) =>
    part.findings.filter((each) => fixesIn({ ...part, findings: [each] }).length > 0),
  );
  return rowsOf(converted, tree);
}

/** The rows (0-based) of lines of 2.2 that `convertUnreadFile` converts. */
export function unreadFileLines(engine: Engine, tree: Tree, info: FileInfo): ReadonlySet<number> {
  const findings = separateEngine(engine).analyze(tree, asSeparate(info)).findings();
  const converted = findings.filter((each) => selectFixes([each]).length > 0);
  return new Set([...rowsOf(converted, tree), ...dormantLines(engine, tree, info)]);
}

export interface DormantResult {
  readonly text: string;
  /** Number of applied fixes. */
  readonly fixes: number;
  /** Whether a fix converts access control: it looks at no other section and no .htaccess file. */
  readonly convertsAccess: boolean;
}

/**
 * Converts the parts of a file that httpd does not read. Returns the same text if there is nothing
 * to convert.
 */
export function withDormantConverted(engine: Engine, text: string, info: FileInfo): DormantResult {
  let current = text;
  let fixes = 0;
  let convertsAccess = false;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const chosen = partsOf(engine, Tree.parse(current), info).flatMap((part) =>
      fixesIn(part).map((fix) => ({ ...fix, isComment: part.isComment })),
    );
    if (chosen.length === 0) break;
    fixes += chosen.length;
    convertsAccess ||= chosen.some(({ finding }) => finding.rule.id === orderAllowDeny.id);
    const before = current;
    current = applyEdits(
      before,
      chosen.flatMap(({ edits, isComment }) => (isComment ? edits.map((edit) => editAsComment(edit, before)) : edits)),
    );
  }
  return { text: current, fixes, convertsAccess };
}

/**
 * Converts a file that no configuration reads, regardless of the files around it. Returns the same
 * text if there is nothing to convert.
 */
export function convertUnreadFile(engine: Engine, text: string, info: FileInfo): DormantResult {
  const fixed = fixText(separateEngine(engine), text, asSeparate(info));
  const { text: made, fixes, convertsAccess } = withDormantConverted(engine, fixed.text, info);
  return {
    text: made,
    fixes: fixed.appliedCount + fixes,
    convertsAccess: convertsAccess || fixed.fixes.some(({ rule }) => rule === orderAllowDeny.id),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Maximum number of rounds. Several rounds are needed if fixes overlap. */
const MAX_ROUNDS = 10;

/**
 * Maximum length in UTF-16 units. Longer files are made by programs, so their branches are skipped.
 */
const MAX_TEXT_LENGTH = 1_000_000;

/** Limit of analyzed parts in a file. */
const MAX_PARTS = 200;

/** A range of whole lines. */
interface LineSpan {
  readonly start: number;
  readonly end: number;
  /** Whether the lines in the span are comments. The first `#` of each line is then ignored. */
  readonly isComment: boolean;
}

interface DormantPart extends LineSpan {
  /** The findings about lines of this part. */
  readonly findings: readonly PlacedFinding[];
}

const separateEngineCache = cacheOf<Engine, Engine>();

/** An engine with the same options, for text that is analyzed without other files. */
function separateEngine(engine: Engine): Engine {
  let alone = separateEngineCache.get(engine);
  if (!alone) separateEngineCache.set(engine, (alone = new Engine({ ...engine.options, assumeStandalone: true })));
  return alone;
}

/** The facts about a file, without the files around it. */
function asSeparate(info: FileInfo): FileInfo {
  return { ...info, hasNeighbours: false, isOfConfiguration: false };
}

function rowsOf(findings: readonly PlacedFinding[], tree: Tree): Set<number> {
  const starts = findings.flatMap((each) => [each, ...each.places]);
  return new Set(starts.map(({ start }) => tree.positionAt(start).line));
}

function partsOf(engine: Engine, tree: Tree, info: FileInfo): DormantPart[] {
  if (tree.length > MAX_TEXT_LENGTH || tree.root.templateLineCount > 0) return [];
  const found = new DormantPartFinder(engine.target, info);
  found.searchList(tree.root, 0, []);
  if (found.spans.length === 0) return [];
  const text = tree.text();
  const alone = { isHtaccess: info.isHtaccess };
  return found.spans.flatMap(({ span, tagsAround }): DormantPart[] => {
    const findings = separateEngine(engine)
      .analyze(Tree.parse(textWithPartOnly(text, span, tagsAround)), alone)
      .findings();
    const findingsInside = findings.filter(({ start, end }) => start >= span.start && end <= span.end);
    return findingsInside.length > 0 ? [{ ...span, findings: findingsInside }] : [];
  });
}

/** A tag of a section around a part. */
type PlacedTag = readonly [line: Line, offset: number];

/** Collects the parts of a file that httpd does not read. */
class DormantPartFinder {
  readonly spans: { readonly span: LineSpan; readonly tagsAround: readonly PlacedTag[] }[] = [];

  constructor(
    private readonly target: Target,
    private readonly info: FileInfo,
  ) {}

  /** Searches a list that begins at an offset of the file. */
  searchList(list: List, base: number, around: readonly PlacedTag[]): void {
    let comments: PlacedTag[] = [];
    const endOfComments = () => {
      for (const span of commentedSections(comments)) this.addPart(span, around);
      comments = [];
    };
    forEachItem(list, base, (item, offset) => {
      if (!(item instanceof Section)) {
        if (item.kind === LineKind.Comment && !item.isPragma && !item.isJoined) comments.push([item, offset]);
        else endOfComments();
        return;
      }
      endOfComments();
      const start = offset + item.open.length;
      const end = start + item.body.length;
      const kind = sectionKind(item.name);
      if (kind === 'opaque') return;
      if (kind === 'conditional' && this.isInactive(item)) {
        if (!isAboutVersion(item.open, this.target)) this.addPart({ start, end, isComment: false }, around);
        return;
      }
      const tags: readonly PlacedTag[] = [
        [item.open, offset],
        [item.close, end],
      ];
      this.searchList(item.body, start, kind === 'conditional' ? around : [...around, ...tags]);
    });
    endOfComments();
  }

  /** Whether httpd reads the body of a section in no context of the file. */
  private isInactive(section: Section): boolean {
    const { fileContext, furtherContexts = [] } = this.info;
    const places = fileContext ? [fileContext, ...furtherContexts] : [];
    const ownActivity = activityOf(section.open, this.target);
    if (places.length === 0) return ownActivity === 'inactive';
    return places.every((each) => (each.activityOf(section) ?? ownActivity) === 'inactive');
  }

  private addPart(span: LineSpan, tagsAround: readonly PlacedTag[]): void {
    if (span.end > span.start && this.spans.length < MAX_PARTS) this.spans.push({ span, tagsAround });
  }
}

/**
 * Whether a condition is about the version of httpd. The lines inside are then already written for
 * one version.
 */
function isAboutVersion(open: Line, target: Target): boolean {
  if (open.name === 'ifversion' || activityOf(open, target) !== 'unknown') return true;
  if (open.name !== 'ifmodule') return false;
  const asked = nameInTag(open, 4);
  const name = asked && moduleNamed(asked.name);
  const facts = name ? module(name) : undefined;
  return facts !== undefined && (facts['2.2'] === undefined || facts['2.4'] === undefined);
}

/** The outermost sections whose lines are all commented out, and are valid without the `#`. */
function commentedSections(comments: readonly PlacedTag[]): LineSpan[] {
  const spans: LineSpan[] = [];
  for (let at = 0; at < comments.length; at++) {
    const end = endOfSection(comments, at);
    if (end === null) continue;
    const [last, lastOffset] = comments[end]!;
    spans.push({ start: comments[at]![1], end: lastOffset + last.length, isComment: true });
    at = end;
  }
  return spans;
}

/**
 * The index of the last line of a section that begins with a comment. Null if no section begins
 * there, or if one of its lines is prose.
 */
function endOfSection(comments: readonly PlacedTag[], from: number): number | null {
  const open: string[] = [];
  for (let at = from; at < comments.length; at++) {
    const plain = uncommented(comments[at]![0].text).trim();
    const tag = /^<(\/?)([a-z]\w*)(?:\s[^<>]*)?>$/i.exec(plain);
    if (tag) {
      const name = tag[2]!.toLowerCase();
      if (tag[1] === '') {
        if (!directive(name, { section: true })) return null;
        open.push(name);
      } else if (open.pop() !== name) return null;
      if (open.length === 0) return at;
    } else if (open.length === 0) return null;
    else if (!/^(?:#.*)?$/.test(plain) && !directive(/^\S+/.exec(plain)![0], { section: false })) return null;
  }
  return null;
}

/** The text of a comment, with a space instead of its first `#`. */
function uncommented(text: string): string {
  return text.replace('#', ' ');
}

/**
 * The text of a file in which everything except a part, and the tags around it, is replaced by
 * white space.
 */
function textWithPartOnly(text: string, { start, end, isComment }: LineSpan, around: readonly PlacedTag[]): string {
  const shown: { readonly offset: number; readonly text: string }[] = around.map(([line, offset]) => ({
    offset,
    text: line.text,
  }));
  const sectionText = text.slice(start, end);
  shown.push({ offset: start, text: isComment ? sectionText.replace(/(?<![^\n])([^\S\n]*)#/g, '$1 ') : sectionText });
  shown.sort((a, b) => a.offset - b.offset);
  let made = '';
  for (const each of shown) made += whiteSpace(text.slice(made.length, each.offset)) + each.text;
  return made + whiteSpace(text.slice(made.length));
}

function whiteSpace(text: string): string {
  return text.replace(/[^\r\n]+/g, (words) => ' '.repeat(words.length));
}

/** The fixes of a part. A fix with an edit outside of the part is left out. */
function fixesIn({ start, end, findings }: Pick<DormantPart, 'start' | 'end' | 'findings'>): PlacedFix[] {
  return selectFixes(findings).filter(
    ({ edits, fix }) => !fix.elsewhere && edits.every((edit) => edit.start >= start && edit.end <= end),
  );
}

/** Changes an edit of commented-out text so that each line that it writes is a comment. */
function editAsComment(edit: Edit, text: string): Edit {
  const startOfLine = text.lastIndexOf('\n', edit.start - 1) + 1;
  const column = text.indexOf('#', startOfLine) - startOfLine;
  const [first = '', ...others] = edit.text.split('\n');
  const marked = (row: string) => {
    if (row === '') return row;
    return /\s/.test(row.charAt(column)) ? `${row.slice(0, column)}#${row.slice(column + 1)}` : `#${row}`;
  };
  const rows = [edit.start === startOfLine ? marked(first) : first, ...others.map(marked)];
  return { ...edit, text: rows.join('\n') };
}
