/**
 * All places of a name: which files belong together, and where in each the name stands. Positions are those of the tree that is handed in.
 */
import type { Model } from '../config/model';
import { module as findModule } from '../directives';
import type { Tree } from '../syntax/document';
import { occurrenceAt, type NameKind, type Occurrence } from './names-in-line';
import { compared, forEachOccurrence, type Placed, type Wanted } from './occurrences';

/** A name of some kind. */
export interface Named {
  readonly kind: NameKind;
  readonly name: string;
}

/** The files that a name may be in. */
export interface NamesAround {
  /** The file that somebody asks about, without links. */
  readonly own: string;
  /** What an editor has open, as it is now, by path without links. */
  readonly open: ReadonlyMap<string, Tree>;
  /** Files that are not open and may have one of the names. */
  closedWith(wanted: readonly Wanted[]): Iterable<string>;
  /** All configurations there are. */
  readonly models: readonly Model[];
  /** Whether a configuration admits the .htaccess that a file is. */
  admits(path: string): boolean;
}

/** The name at an offset of a file (UTF-16); null where there is none that other lines may have, too. */
export function namedAt(tree: Tree, offset: number): { readonly occurrence: Occurrence; readonly base: number } | null {
  const placed = tree.lineAt(offset);
  if (!placed) return null;
  const occurrence = occurrenceAt(
    placed.line,
    offset - placed.offset,
    ({ kind, isPattern }) => !isPattern && !UNNAMED.has(kind),
  );
  return occurrence && { occurrence, base: placed.offset };
}

/** What to look for to find a name: some have more than one. */
export function wantedFor({ kind, name }: Named): Wanted[] {
  if (kind !== 'module') return [{ kind, name: compared(name) }];
  const facts = findModule(name)?.['2.4'];
  const names = facts ? [facts.identifier, facts.sourceFile] : [name];
  return [...new Set(names.flatMap((each) => (each ? [compared(each)] : [])))].map((each) => ({ kind, name: each }));
}

/** Whether an occurrence is one of the name, by the case rules of its kind. */
export function isOf({ kind, name }: Named, occurrence: Occurrence): boolean {
  return kind === 'module' || !EXACT.has(kind) || occurrence.name === name;
}

/** Names of these kinds differ by their letters' case, see test/httpd/names.slow.test.ts. */
export const EXACT: ReadonlySet<NameKind> = new Set<NameKind>(['rewrite-map', 'authn-provider', 'authz-provider']);

/**
 * The files that may have one of the names and belong to the file that is asked about: those of its configurations, and of all that read one of
 * these files, too; a file that no configuration reads stands for itself. The file itself comes first. `others` are looked for in
 * the same files, and make no further ones belong to them.
 */
export function filesWith(wanted: readonly Wanted[], around: NamesAround, others: readonly Wanted[] = []): string[] {
  const { own, open, closedWith } = around;
  const having = (names: readonly Wanted[]) => [
    ...[...open].flatMap(([path, tree]) => (hasOne(tree, names) ? [path] : [])),
    ...closedWith(names),
  ];
  const named = new Set([own, ...having(wanted)]);
  const within = scopeOf(own, named, around);
  if (within === null) return [own];
  return [...new Set([...named, ...(others.length > 0 ? having(others) : [])])].filter((path) => within(path));
}

function hasOne(tree: Tree, wanted: readonly Wanted[]): boolean {
  let has = false;
  forEachOccurrence(tree.root, wanted, () => {
    has = true;
    return false;
  });
  return has;
}

/** Whether a file counts, for names of which these files may have some; null where the file stands for itself. */
export function scopeOf(
  own: string,
  candidates: Iterable<string>,
  { models, admits }: Pick<NamesAround, 'models' | 'admits'>,
): ((path: string) => boolean) | null {
  const mine = new Set(admits(own) ? models : models.filter(({ files }) => files.has(own)));
  if (mine.size === 0) return null;
  const paths = [...candidates];
  for (let isMore = true; isMore; ) {
    isMore = false;
    const shared = paths.filter((path) => [...mine].some(({ files }) => files.has(path)));
    for (const model of models) {
      if (mine.has(model) || !shared.some((path) => model.files.has(path))) continue;
      mine.add(model);
      isMore = true;
    }
  }
  return (path) => admits(path) || [...mine].some(({ files }) => files.has(path));
}

/** The places of a name in one file, in order; no more than `most`. */
export function placesOf(tree: Tree, named: Named, most: number): Placed[] {
  const found: Placed[] = [];
  forEachOccurrence(tree.root, wantedFor(named), ({ occurrence, line, isPlain }, offset, row) => {
    if (isOf(named, occurrence)) found.push({ occurrence, line, isPlain, offset, row });
    return found.length < most;
  });
  return found;
}

// ---------------------------------------------------------------------------------------------------------------------

/** What is read for other reasons than to be looked for. */
const UNNAMED: ReadonlySet<NameKind> = new Set<NameKind>(['argument', 'parameter', 'opaque', 'path', 'host-pattern']);
