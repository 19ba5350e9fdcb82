/**
 * Finds old access lines that have neither a finding nor a planned conversion, and explains why
 * they stay.
 */
import { activityInVersion } from '../access/conditions';
import { OLD_NAMES } from '../access/read';
import { itemsAround } from '../analysis/suppression';
import { isTransparent, sectionKind } from '../config/sections';
import type { Target } from '../config/target';
import type { Tree } from '../syntax/document';
import { spelledName, type Line } from '../syntax/line';
import { forEachItem, Section, type List, type PlacedLine } from '../syntax/tree';

export interface WhyUnreported {
  readonly reason: string;
  /** The 0-based line that the user should look at. */
  readonly line: number;
  /** What the user can do there, as the beginning of a sentence. The line is named after it. */
  readonly help: string;
}

interface PlacedSection {
  readonly item: Section;
  readonly offset: number;
}

/**
 * The offset of the old access line at `offset`, or of the first old line of the section whose tag
 * is at `offset`; null if there is none. Offsets in UTF-16 units.
 */
export function oldLineAt(tree: Tree, offset: number): number | null {
  const innermost = itemsAround(tree, offset).at(-1);
  if (!innermost) return null;
  const { item, offset: start } = innermost;
  if (!(item instanceof Section)) return OLD_NAMES.has(item.name) ? start : null;
  const bodyStart = start + item.open.length;
  if (offset >= bodyStart) return null;
  return firstLine(item.body, bodyStart, { fits: ({ name }) => OLD_NAMES.has(name) })?.offset ?? null;
}

/**
 * The innermost section around an offset whose lines apply only to some requests; null if there is
 * none.
 */
export function scopeOf(tree: Tree, offset: number): PlacedSection | null {
  return sectionsAround(tree, offset).findLast(({ item }) => !isTransparent(sectionKind(item.name))) ?? null;
}

/** Explains why the old line at an offset stays. */
export function whyUnreported(tree: Tree, offset: number, target: Target): WhyUnreported {
  const sections = sectionsAround(tree, offset);
  const isReadBy = (version: '2.2' | '2.4', { open }: Section) =>
    activityInVersion(version, open, target) !== 'inactive';
  const isRead = (section: Section) => isReadBy('2.4', section);
  const never = sections.find(({ item }) => !isReadBy('2.2', item) && !isRead(item));
  if (never)
    return {
      reason: `no version reads the lines in ${tagText(never.item)}`,
      line: tree.positionAt(never.offset).line,
      help: 'Check whether you need these lines',
    };
  const unread = sections.find(({ item }) => !isRead(item));
  if (unread) return whyUnread(tree, offset, unread, isRead);
  const macro = sections.find(({ item }) => item.name === 'macro');
  const scope = macro ?? sections.at(-1);
  const line = tree.positionAt(scope?.offset ?? offset).line;
  return {
    reason: macro
      ? 'no configuration here uses this macro, so it is not known which requests these lines apply to'
      : 'no configuration here reads these lines at this place',
    line,
    help: scope ? `Convert ${tagText(scope.item)} by hand` : 'Convert the line by hand',
  };
}

// ---------------------------------------------------------------------------------------------------------------------

function sectionsAround(tree: Tree, offset: number): PlacedSection[] {
  return itemsAround(tree, offset).flatMap(({ item, offset: start }) =>
    item instanceof Section ? [{ item, offset: start }] : [],
  );
}

function whyUnread(
  tree: Tree,
  offset: number,
  unread: PlacedSection,
  isRead: (section: Section) => boolean,
): WhyUnreported {
  const reason = `httpd 2.4 does not read the lines in ${tagText(unread.item)}`;
  const scope = scopeOf(tree, offset);
  const instead = scope
    ? firstLine(scope.item.body, scope.offset + scope.item.open.length, { fits: isRequire, enters: isRead })
    : firstLine(tree.root, 0, { fits: isRequire, enters: isRead });
  if (!instead)
    return {
      reason,
      line: tree.positionAt(unread.offset).line,
      help: `Remove ${tagText(unread.item)} and </${spelledName(unread.item.open)}>`,
    };
  const { line } = tree.positionAt(instead.offset);
  return {
    reason: `${reason}. It reads ${instead.line.text.trim()} instead`,
    line,
    help: 'Check who has access in 2.4',
  };
}

function isRequire({ name }: Line): boolean {
  return name === 'require';
}

/**
 * The first line for which `fits` returns true, without the lines of sections for which `enters`
 * returns false; null if there is none.
 */
function firstLine(
  list: List,
  base: number,
  filter: { readonly fits: (line: Line) => boolean; readonly enters?: (section: Section) => boolean },
): PlacedLine | null {
  let placedLine: PlacedLine | null = null;
  forEachItem(list, base, (item, offset) => {
    if (placedLine) return;
    if (!(item instanceof Section)) placedLine = filter.fits(item) ? { line: item, offset } : null;
    else if (isTransparent(sectionKind(item.name)) && filter.enters?.(item) !== false)
      placedLine = firstLine(item.body, offset + item.open.length, filter);
  });
  return placedLine;
}

function tagText({ open }: Section): string {
  return open.text.trim();
}
