/**
 * Lines of 2.2 that the server does not read: files that no configuration reads, branches whose
 * condition does not hold, and sections that are commented out. Nothing that they say acts, so to
 * convert them changes nothing now. They are changed when a user asks for it, and then they are
 * looked at as if they were read, each by itself.
 *
 * A branch, or a commented section, is looked at in a text that has it and the tags of the
 * sections around it at their places, and white space everywhere else: so what is found there has
 * the offsets of the file.
 */
import { activityOf } from '../config/activity';
import { askedName } from '../config/condition';
import { moduleNamed } from '../config/modules';
import { sectionKind } from '../config/sections';
import type { Target } from '../config/target';
import { directive, module } from '../directives/index';
import type { Edit } from '../rules/rule';
import { Tree } from '../syntax/document';
import { LineKind, type Line } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { forEachItem, Section, type List } from '../syntax/tree';
import { Engine } from './engine';
import type { FileInfo } from './engine-view';
import type { PlacedFinding } from './findings';
import { applyEdits, fixText, selectFixes } from './fixes';

/** The lines of 2.2 in what the server does not read of a file, as 0-based rows. */
export function dormantLines(engine: Engine, tree: Tree, info: FileInfo): ReadonlySet<number> {
  const rows = new Set<number>();
  for (const { findings } of partsOf(engine, tree, info))
    for (const finding of findings)
      if (finding.severity === 'error' || finding.severity === 'warning')
        for (const { start } of [finding, ...finding.places]) rows.add(tree.positionAt(start).line);
  return rows;
}

export interface DormantResult {
  readonly text: string;
  /** How many fixes went in. */
  readonly fixes: number;
}

/**
 * The text of a file with what the server does not read of it converted; the same text where there
 * is nothing to convert.
 */
export function withDormantConverted(engine: Engine, text: string, info: FileInfo): DormantResult {
  let current = text;
  let fixes = 0;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const chosen = partsOf(engine, Tree.parse(current), info).flatMap((part) => fixesIn(part, current));
    if (chosen.length === 0) break;
    fixes += chosen.length;
    current = applyEdits(current, chosen.flat());
  }
  return { text: current, fixes };
}

/**
 * The text of a file that no configuration reads, converted, whatever lies around it; the same
 * text where there is nothing to convert.
 */
export function withUnreadConverted(engine: Engine, text: string, info: FileInfo): DormantResult {
  const fixed = fixText(aloneWith(engine), text, { ...info, hasNeighbours: false });
  const { text: made, fixes } = withDormantConverted(engine, fixed.text, info);
  return { text: made, fixes: fixed.applied + fixes };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Fixes that lie over each other need another round. */
const MOST_ROUNDS = 10;

/** UTF-16 units. In longer files, which programs have made, no branch is looked at. */
const MOST_TEXT = 1_000_000;

/** So many parts of a file are looked at. */
const MOST_PARTS = 200;

/** From the start of a line to the end of one. */
interface Span {
  readonly start: number;
  readonly end: number;
  /** Its lines are comments: the first `#` of each is no part of what it says. */
  readonly isComment: boolean;
}

interface Part extends Span {
  /** What is found in it, and nothing outside of it. */
  readonly findings: readonly PlacedFinding[];
}

const engines = cacheOf<Engine, Engine>();

/** The same engine for text that nothing lies around. */
function aloneWith(engine: Engine): Engine {
  let alone = engines.get(engine);
  if (!alone) engines.set(engine, (alone = new Engine({ ...engine.options, assumeStandalone: true })));
  return alone;
}

function partsOf(engine: Engine, tree: Tree, info: FileInfo): Part[] {
  if (tree.length > MOST_TEXT || tree.root.templates > 0) return [];
  const found = new Parts(engine.target, info);
  found.lookIn(tree.root, 0, []);
  if (found.spans.length === 0) return [];
  const text = tree.text();
  const alone = { isHtaccess: info.isHtaccess };
  return found.spans.flatMap(({ span, around }): Part[] => {
    const findings = aloneWith(engine)
      .analyze(Tree.parse(shownText(text, span, around)), alone)
      .findings();
    const own = findings.filter(({ start, end }) => start >= span.start && end <= span.end);
    return own.length > 0 ? [{ ...span, findings: own }] : [];
  });
}

/** A tag of a section around a part. */
type Tag = readonly [line: Line, offset: number];

/** Gathers what the server does not read of a file. */
class Parts {
  readonly spans: { readonly span: Span; readonly around: readonly Tag[] }[] = [];

  constructor(
    private readonly target: Target,
    private readonly info: FileInfo,
  ) {}

  /** Looks through a list at an offset of the file. */
  lookIn(list: List, base: number, around: readonly Tag[]): void {
    let comments: Tag[] = [];
    const endOfComments = () => {
      for (const span of commentedSections(comments)) this.add(span, around);
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
        if (!tellsVersions(item.open, this.target)) this.add({ start, end, isComment: false }, around);
        return;
      }
      const tags: readonly Tag[] = [
        [item.open, offset],
        [item.close, end],
      ];
      this.lookIn(item.body, start, kind === 'conditional' ? around : [...around, ...tags]);
    });
    endOfComments();
  }

  /** Whether the body of a section is not read, in any place where the file is. */
  private isInactive(section: Section): boolean {
    const { surroundings, others = [] } = this.info;
    const places = surroundings ? [surroundings, ...others] : [];
    const own = activityOf(section.open, this.target);
    if (places.length === 0) return own === 'inactive';
    return places.every((each) => (each.activityOf(section) ?? own) === 'inactive');
  }

  private add(span: Span, around: readonly Tag[]): void {
    if (span.end > span.start && this.spans.length < MOST_PARTS) this.spans.push({ span, around });
  }
}

/**
 * Whether a condition tells 2.2 from 2.4: then what it guards is for the version that reads it,
 * and right as it is.
 */
function tellsVersions(open: Line, target: Target): boolean {
  if (open.name === 'ifversion' || activityOf(open, target) !== 'unknown') return true;
  if (open.name !== 'ifmodule') return false;
  const asked = askedName(open, 4);
  const name = asked && moduleNamed(asked.name);
  const known = name ? module(name) : undefined;
  return known !== undefined && (known['2.2'] === undefined || known['2.4'] === undefined);
}

/**
 * Sections of which each line is commented out, and is a line of httpd without its `#`; the
 * outermost ones.
 */
function commentedSections(comments: readonly Tag[]): Span[] {
  const spans: Span[] = [];
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
 * Where the section ends that begins with a comment; null where none does, or a line in it is
 * prose.
 */
function endOfSection(comments: readonly Tag[], from: number): number | null {
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

/** A comment's text with white space in the place of its first `#`. */
function uncommented(text: string): string {
  return text.replace('#', ' ');
}

/** The file's text with white space everywhere but in the part and the tags around it. */
function shownText(text: string, { start, end, isComment }: Span, around: readonly Tag[]): string {
  const shown: { readonly at: number; readonly text: string }[] = around.map(([line, at]) => ({ at, text: line.text }));
  const own = text.slice(start, end);
  shown.push({ at: start, text: isComment ? own.replace(/(?<![^\n])([^\S\n]*)#/g, '$1 ') : own });
  shown.sort((a, b) => a.at - b.at);
  let made = '';
  for (const each of shown) made += blank(text.slice(made.length, each.at)) + each.text;
  return made + blank(text.slice(made.length));
}

function blank(text: string): string {
  return text.replace(/[^\r\n]/g, ' ');
}

/** The edits of each fix in a part: of those that change nothing outside of it. */
function fixesIn({ start, end, isComment, findings }: Part, text: string): (readonly Edit[])[] {
  return selectFixes(findings).flatMap(({ edits, fix }): (readonly Edit[])[] => {
    const isWithin = edits.every((edit) => edit.start >= start && edit.end <= end);
    if (!isWithin || fix.elsewhere) return [];
    return [isComment ? edits.map((edit) => asComment(edit, text)) : edits];
  });
}

/** An edit of a text that is a comment: each line that it writes is one. */
function asComment(edit: Edit, text: string): Edit {
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
