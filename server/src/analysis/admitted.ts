/**
 * Fixes in a .htaccess, and AllowOverride. A line whose class AllowOverride does not grant makes every answer a 500, in 2.2 and in 2.4: a fix that takes
 * such a line away, or writes one of another class, is only right where AllowOverride is known to grant what it has to, or where another line stays that
 * is refused whenever this one is.
 *
 * Sources: server/config.c of both versions (invoke_cmd: `req_override & cmd->override`), set_options in server/core.c (override_opts);
 * experiments: test/httpd/htaccess-admitted.test.ts.
 */
import { LONE_DOUBT } from './access-conversion';
import { applyEdits } from './fixes';
import type { PlacedFinding, PlacedFixes } from './findings';
import { isTransparent, sectionKind } from '../config/sections';
import type { Surroundings } from '../config/surroundings';
import { directive, type DirectiveFacts, type Version } from '../directives';
import type { Edit, Fix } from '../rules/rule';
import { Tree } from '../syntax/document';
import { argumentsOf, LineKind, type Line } from '../syntax/line';
import { forEachItem, Section, type List } from '../syntax/tree';

export interface Admission {
  readonly tree: Tree;
  /** What the configuration says about the file; null where none reads it. */
  readonly surroundings: Surroundings | null;
  /** A person's word that nothing outside of a file that no configuration reads has a say. */
  readonly isVouched: boolean;
  /** All findings of the file, for which lines stay; asked for once at most. */
  readonly findings: () => readonly PlacedFinding[];
}

/** What AllowOverride has to do with fixes of one .htaccess. */
export class Admitted {
  private staying: ReadonlySet<string> | null = null;

  constructor(private readonly of: Admission) {}

  /** The fixes, with those as suggestions that nobody can call safe without knowing AllowOverride. */
  minded({ fixes, base }: PlacedFixes): PlacedFixes {
    if (fixes.every(({ safety }) => safety !== 'safe')) return { fixes, base };
    return { fixes: fixes.map((fix) => (fix.safety === 'safe' ? this.mindedFix(fix, base) : fix)), base };
  }

  private mindedFix(fix: Fix, base: number): Fix {
    const { tree, surroundings, isVouched } = this.of;
    const edits = fix.edits.map((edit) => ({ start: base + edit.start, end: base + edit.end, text: edit.text }));
    const before: Need[] = [];
    const after: Need[] = [];
    for (const { start, end, within } of regionsOf(tree, edits)) {
      const text = tree.text(start, end);
      before.push(...needsOf(Tree.parse(text).root, '2.2'));
      after.push(...needsOf(Tree.parse(applyEdits(text, within.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start })))).root, '2.4'));
    }
    const changed = differing(before, after);
    if (changed.length === 0) return fix;
    if (surroundings?.overrides) {
      if (changed.every((need) => isGranted(need, surroundings))) return fix;
    } else if (changed.every(({ key }) => key !== null) && changed.every(({ key }) => this.stays.has(key!))) return fix;
    const assumes = `AllowOverride allows ${[...new Set(changed.map(({ words }) => words))].join(' and ')} there`;
    if (surroundings) return { ...fix, safety: 'suggestion', assumes };
    return isVouched ? { ...fix, restsOn: [...(fix.restsOn ?? []), LONE_DOUBT] } : { ...fix, safety: 'suggestion', assumes, waitsFor: [...(fix.waitsFor ?? []), LONE_DOUBT] };
  }

  /** Keys of what lines need that stay as they are, whatever is fixed and whatever conditions hold. */
  private get stays(): ReadonlySet<string> {
    return (this.staying ??= stayingIn(this.of.tree, this.of.findings()));
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** What a line asks of AllowOverride. */
interface Need {
  /** Alike for lines that are refused alike; null for what nobody knows, or what is refused in any .htaccess. */
  readonly key: string | null;
  /** One of these classes, in lower case; `all` for any. */
  readonly classes: readonly string[];
  /** The directive's name in lower case. */
  readonly name: string;
  /** Of Options: which it sets, in lower case. */
  readonly options: readonly string[];
  /** For people. */
  readonly words: string;
}

function needsOf(list: List, version: Version): Need[] {
  const needs: Need[] = [];
  eachLine(list, 0, false, (line) => needs.push(...needOf(line, version)));
  return needs;
}

function needOf(line: Line, version: Version): Need[] {
  const { name } = line;
  const known = directive(name, { section: line.kind === LineKind.Open });
  const own = known?.[version];
  // What only the other version has is what a person wrote for that one.
  const facts: DirectiveFacts | undefined = own?.arguments ? own : known?.[version === '2.2' ? '2.4' : '2.2'];
  if (!facts?.arguments || !facts.contexts.includes('.htaccess') || facts.override.length === 0) return [{ key: null, classes: [], name, options: [], words: `what ${line.text.trim()} needs` }];
  const classes = facts.override.map((each) => each.toLowerCase());
  if (classes.includes('all')) return [];
  const options = name === 'options' ? [...new Set(argumentsOf(line).map(({ value }) => value.replace(/^[+-]/, '').toLowerCase()))].sort() : [];
  return [{ key: [...classes, ...options].join(' '), classes, name, options, words: [facts.override.join(' or '), ...options].join(' ') }];
}

/** What one side needs and the other does not. */
function differing(before: readonly Need[], after: readonly Need[]): Need[] {
  const lacking = (from: readonly Need[], other: readonly Need[]) => from.filter(({ key, name }) => !other.some((each) => each.key === key && (key !== null || each.name === name)));
  return [...lacking(before, after), ...lacking(after, before)];
}

function isGranted({ key, classes, name, options }: Need, { overrides, overrideList }: Surroundings): boolean {
  if (key === null) return false;
  if (overrides!.has('all') || overrideList?.has(name)) return true;
  if (classes.some((each) => overrides!.has(each))) return true;
  // `AllowOverride Options=Indexes`: these options, and every other directive of the class.
  const some = [...overrides!].find((each) => each.startsWith('options='));
  if (some === undefined || !classes.includes('options')) return false;
  const admitted = new Set(some.slice('options='.length).split(','));
  return options.every((each) => admitted.has(each));
}

/** A stretch of whole logical lines, and the edits in it. */
interface Region {
  readonly start: number;
  readonly end: number;
  readonly within: readonly Edit[];
}

/** The logical lines that edits touch. A line that only begins where an edit ends is not touched. */
function regionsOf(tree: Tree, edits: readonly Edit[]): Region[] {
  const regions: { start: number; end: number; within: Edit[] }[] = [];
  for (const edit of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    const first = tree.lineAt(edit.start);
    const start = first?.offset ?? edit.start;
    const isWhole = (first === null || edit.start === start || edit.text.endsWith('\n')) && (edit.text === '' || edit.text.endsWith('\n'));
    const last = tree.lineAt(edit.end);
    const end = last === null || (isWhole && last.offset === edit.end) ? edit.end : last.offset + last.line.length;
    const known = regions.at(-1);
    if (known && start < known.end) {
      known.end = Math.max(known.end, end);
      known.within.push(edit);
    } else regions.push({ start, end, within: [edit] });
  }
  return regions;
}

/** What is refused alike in both versions as long as it stands there: lines under no condition, of which nobody has found anything. */
function stayingIn(tree: Tree, findings: readonly PlacedFinding[]): ReadonlySet<string> {
  const found = findings.flatMap((finding) => [finding, ...finding.places, ...finding.ownFixes.flatMap(({ edits }) => edits.map(({ start, end }) => ({ start: finding.ownFixBase + start, end: finding.ownFixBase + end })))]);
  const touched = found.map(({ start, end }) => ({ start, end })).sort((a, b) => a.start - b.start);
  const stays = new Set<string>();
  let next = 0;
  let until = 0;
  eachLine(tree.root, 0, true, (line, offset) => {
    let isTouched = until > offset;
    for (; next < touched.length && touched[next]!.start < offset + line.length; next++) {
      const { start, end } = touched[next]!;
      until = Math.max(until, end);
      // What is inserted at the line's beginning may change it, too.
      isTouched ||= end > offset || start === offset;
    }
    if (isTouched || ACCESS.has(line.name) || line.text.includes('${')) return;
    const [need, ...others] = needOf(line, '2.2');
    if (need?.key == null || others.length > 0 || needOf(line, '2.4')[0]?.key !== need.key) return;
    stays.add(need.key);
    // Where the class is not granted at all, no option is.
    if (need.options.length > 0) stays.add(need.classes.join(' '));
  });
  return stays;
}

/** Conversions of access control move these, or take them away. */
const ACCESS: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy', 'require', 'authtype', 'authmerging', 'limit', 'limitexcept', 'files', 'filesmatch']);

/** The directives and sections of a text, in order; those under a condition are left out on demand. */
function eachLine(list: List, base: number, isUnconditional: boolean, visit: (line: Line, offset: number) => void): void {
  forEachItem(list, base, (item, offset) => {
    if (!(item instanceof Section)) {
      if (item.kind === LineKind.Directive || item.kind === LineKind.Open) visit(item, offset);
      return;
    }
    visit(item.open, offset);
    const kind = sectionKind(item.name);
    if (isUnconditional && kind === 'conditional') return;
    if (kind !== 'container' && !isTransparent(kind)) return;
    eachLine(item.body, offset + item.open.length, isUnconditional, visit);
  });
}
