/** The conversion of a whole configuration as edits, file by file, and what is to be said of the sections that stay. */
import type { ConfigFile, ConfigLine, Configuration, Gap, PlacedSection, Scope } from '../config/configuration';
import { indentOf, Line } from '../syntax/line';
import { forEachItem } from '../syntax/tree';
import { doubt, mergedDoubts, type Doubt, type DoubtKind } from './doubt';
import { commentsAbove, holdsOnly, rewriteEdits, type PlacedLine, type TextEdit } from './rewrite';
import { overrideLines } from './override';
import { printTree } from './print';
import { templateDoubts } from './template';
import { ACCESS_NAMES, filesOf, nameOf, wholeAccess, type Conversion, type Htaccess, type WholeOptions } from './whole';

export interface AccessPlan {
  /** Edits by path; offsets are the file's. */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  /** Sections that get a Require tree. */
  readonly converted: number;
  readonly refusals: readonly { readonly path: string; readonly offset: number; readonly section: string; readonly reason: string }[];
  /** What is not known of the configuration; while there is such a thing, the edits are a suggestion. */
  readonly doubts: readonly Doubt[];
  /** Whether the old line at an offset of a file goes. */
  covers(path: string, offset: number): boolean;
  /** Why the old line at an offset of a file stays, null where it goes or is none. */
  reasonAt(path: string, offset: number): string | null;
}

export function planAccess(configuration: Configuration, htaccess: readonly Htaccess[], doubts: readonly Doubt[], options: WholeOptions = {}): AccessPlan {
  const { conversions, refusals } = wholeAccess(configuration, htaccess, options);
  const edits = new Map<string, TextEdit[]>();
  const covered = new Set<string>();
  for (const conversion of conversions) {
    for (const { file, offset } of conversion.scope.lines.filter(isOld)) covered.add(`${offset} ${file.path}`);
    const { path } = fileOf(conversion.scope);
    const list = edits.get(path) ?? [];
    list.push(...editsOf(conversion));
    edits.set(path, list);
  }
  const admitted = admissions(configuration, conversions);
  for (const { line: { file, line, offset }, names } of admitted) {
    const eol = line.text.endsWith('\r\n') ? '\r\n' : '\n';
    const text = `${indentOf(line)}AllowOverrideList ${names.join(' ')}`;
    const edit = line.text.endsWith('\n') ? text + eol : eol + text;
    edits.set(file.path, [...(edits.get(file.path) ?? []), { start: offset + line.length, end: offset + line.length, text: edit }]);
  }
  const reasons = new Map<string, string>();
  for (const { scope, reason } of refusals) for (const { file, offset } of scope.lines.filter(isOld)) reasons.set(`${offset} ${file.path}`, reason);
  for (const [path, list] of [...edits]) if (list.length === 0) edits.delete(path);
  return {
    edits,
    converted: conversions.length,
    refusals: refusals.map(({ scope, reason }) => ({ path: scope.file.path, offset: scope.offset, section: nameOf(scope), reason })),
    doubts: mergedDoubts([...gapDoubts(configuration), ...templateDoubts(filesOf(configuration, htaccess), (name) => ACCESS_NAMES.has(name)), ...doubts, ...admitted.map(({ line, names }) => admissionDoubt(line, names))]),
    covers: (path, offset) => covered.has(`${offset} ${path}`),
    reasonAt: (path, offset) => reasons.get(`${offset} ${path}`) ?? null,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

function editsOf({ scope, tree, merging }: Conversion): TextEdit[] {
  const file = fileOf(scope);
  const lines = scope.lines.filter((line) => line.file === file);
  const old = lines.filter(isOld);
  const requires = lines.filter(({ line }) => line.name === 'require');
  const anchor = lines.find(({ line }) => line.name === 'authtype') ?? firstLine(scope);
  const gone = new Set([...old, ...requires].map(({ line }) => line));
  const around = [...new Map(lines.filter(({ line }) => gone.has(line)).flatMap(({ within }) => within).map((limit) => [limit.offset, limit])).values()];
  const isGone = ({ section }: PlacedSection) => holdsOnly(section, (line) => gone.has(line));
  const comments = commentsAbove(scope.section ? scope.section.body : file.tree.root, scope.section ? scope.offset + scope.section.open.length : 0, old);
  return rewriteEdits({ old, requires, tree, comments, open: scope.section?.open ?? null, limits: outermost(around.filter(isGone)), kept: outermost(around.filter((limit) => !isGone(limit))), anchor, lead: merging ? `AuthMerging ${merging}` : undefined });
}

function outermost(sections: readonly PlacedSection[]): PlacedSection[] {
  return sections.filter(({ offset }) => !sections.some((other) => other.offset < offset && offset < other.offset + other.section.length));
}

interface Admission {
  /** The AllowOverride in effect. */
  readonly line: ConfigLine;
  readonly names: readonly string[];
}

/** What AllowOverrideList has to name so that converted .htaccess files are taken: `Require` alone, and the containers that are written, as the server knows them. */
function admissions(configuration: Configuration, conversions: readonly Conversion[]): Admission[] {
  const found = new Map<ConfigLine, Set<string>>();
  for (const { unadmitted, tree } of conversions) {
    for (const line of unadmitted.flatMap((folder) => overrideLines(configuration, folder) ?? [])) {
      const names = found.get(line) ?? new Set(['Require']);
      for (const [, name] of printTree(tree, { indent: '', step: '', eol: '\n' }).matchAll(/^<(Require\w+)>/gm)) names.add(`"<${name}"`);
      found.set(line, names);
    }
  }
  return [...found].map(([line, names]) => ({ line, names: [...names] }));
}

function admissionDoubt(at: ConfigLine, names: readonly string[]): Doubt {
  const all = names.map((name) => name.replace(/["<]/g, '')).join(', ');
  return doubt('override-admitted', at.line.text.trim(), [{ path: at.file.path, offset: at.offset }], all);
}

function isOld({ line }: ConfigLine): boolean {
  return line.name === 'order' || line.name === 'allow' || line.name === 'deny' || line.name === 'satisfy';
}

/** Where the access lines of a scope stand; its own file where it has none. */
function fileOf(scope: Scope): ConfigFile {
  return (scope.lines.find(isOld) ?? scope.lines.find(({ line }) => line.name === 'require') ?? scope).file;
}

/** The first line in a section: a login that is included needs its tree here, for the included file may serve others, too. */
function firstLine({ section, offset }: Scope): PlacedLine | undefined {
  let first: PlacedLine | undefined;
  if (section) forEachItem(section.body, offset + section.open.length, (item, at) => (first ??= { line: item instanceof Line ? item : item.open, offset: at }));
  return first;
}

function gapDoubts(configuration: Configuration): Doubt[] {
  return configuration.gaps.map(({ reason, what, file, offset }) => doubt(GAPS[reason], what, [{ path: file.path, offset }], reason === 'include-variable' ? 'include' : undefined));
}

const GAPS: Readonly<Record<Gap['reason'], DoubtKind>> = {
  'include-missing': 'include-unseen', 'include-variable': 'variable', 'variable-line': 'variable', macro: 'macro', perl: 'perl', 'too-deep': 'too-deep',
};
