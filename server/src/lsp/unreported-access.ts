/**
 * Finds old access lines that no rule reports and no plan converts, and explains why they are not
 * converted.
 */
import { activityInVersion } from '../access/conditions';
import { OLD_ACCESS_NAMES } from '../access/read';
import { itemsAround } from '../analysis/suppression';
import { isTransparent, sectionKind } from '../config/sections';
import type { Target } from '../config/target';
import type { Tree } from '../syntax/document';
import { spelledName, type Line } from '../syntax/line';
import { forEachItem, Section, type List, type PlacedLine } from '../syntax/tree';

/** Why an old line is not converted, and the line at which the user can do something about it. */
export interface UnreportedReason {
  readonly reason: string;
  /** The 0-based line that the user should look at. */
  readonly line: number;
  /**
   * What the user can do there, as the beginning of a sentence. The caller adds `FILE:LINE` to it.
   */
  readonly help: string;
}

/** A section and its offset in the file. */
interface PlacedSection {
  readonly item: Section;
  readonly offset: number;
}

/**
 * The offset of the old access line at `offset`. If the opening tag of a section is at `offset`:
 * the offset of the first old line in the section. Null if there is none. Offsets in UTF-16 units.
 */
export function oldLineAt(tree: Tree, offset: number): number | null {
  const innermostItem = itemsAround(tree, offset).at(-1);
  if (!innermostItem) return null;
  const { item, offset: start } = innermostItem;
  if (!(item instanceof Section)) return OLD_ACCESS_NAMES.has(item.name) ? start : null;
  const bodyStart = start + item.open.length;
  if (offset >= bodyStart) return null;
  return firstLine(item.body, bodyStart, { isWanted: ({ name }) => OLD_ACCESS_NAMES.has(name) })?.offset ?? null;
}

/**
 * The innermost section around an offset whose lines apply only to some requests, such as
 * `<Directory>` and not `<IfModule>`. Null if there is none.
 */
export function scopeOf(tree: Tree, offset: number): PlacedSection | null {
  return placedSectionsAround(tree, offset).findLast(({ item }) => !isTransparent(sectionKind(item.name))) ?? null;
}

/** Explains why the old line at an offset is not converted. */
export function whyUnreported(tree: Tree, offset: number, target: Target): UnreportedReason {
  const sections = placedSectionsAround(tree, offset);
  const isReadBy = (version: '2.2' | '2.4', { open }: Section) =>
    activityInVersion(version, open, target) !== 'inactive';
  const isReadBy24 = (section: Section) => isReadBy('2.4', section);
  const sectionNeverRead = sections.find(({ item }) => !isReadBy('2.2', item) && !isReadBy24(item));
  if (sectionNeverRead)
    return {
      reason: `no version reads the lines in ${tagText(sectionNeverRead.item)}`,
      line: tree.positionAt(sectionNeverRead.offset).line,
      help: 'Check whether you need these lines',
    };
  const unreadSection = sections.find(({ item }) => !isReadBy24(item));
  if (unreadSection) return whyUnread(tree, offset, unreadSection, isReadBy24);
  const macro = sections.find(({ item }) => item.name === 'macro');
  const innermostSection = macro ?? sections.at(-1);
  const lineOfSection = tree.positionAt(innermostSection?.offset ?? offset).line;
  return {
    reason: macro
      ? 'no configuration here uses this macro, so it is not known which requests these lines apply to'
      : 'no configuration here reads these lines at this place',
    line: lineOfSection,
    help: innermostSection ? `Convert ${tagText(innermostSection.item)} by hand` : 'Convert the line by hand',
  };
}

// ---------------------------------------------------------------------------------------------------------------------

function placedSectionsAround(tree: Tree, offset: number): PlacedSection[] {
  return itemsAround(tree, offset).flatMap(({ item, offset: start }) =>
    item instanceof Section ? [{ item, offset: start }] : [],
  );
}

/**
 * Explains why an old line is not converted in a section that 2.4 does not read. Names the line of
 * 2.4 that httpd 2.4 reads instead, if there is one. `isReadBy24`: whether 2.4 may read the lines
 * in a section.
 */
function whyUnread(
  tree: Tree,
  offset: number,
  unreadSection: PlacedSection,
  isReadBy24: (section: Section) => boolean,
): UnreportedReason {
  const reason = `httpd 2.4 does not read the lines in ${tagText(unreadSection.item)}`;
  const scope = scopeOf(tree, offset);
  const lineOf24 = scope
    ? firstLine(scope.item.body, scope.offset + scope.item.open.length, { isWanted: isRequire, enters: isReadBy24 })
    : firstLine(tree.root, 0, { isWanted: isRequire, enters: isReadBy24 });
  if (!lineOf24)
    return {
      reason,
      line: tree.positionAt(unreadSection.offset).line,
      help: `Remove ${tagText(unreadSection.item)} and </${spelledName(unreadSection.item.open)}>`,
    };
  const { line } = tree.positionAt(lineOf24.offset);
  return {
    reason: `${reason}. It reads ${lineOf24.line.text.trim()} instead`,
    line,
    help: 'Check who has access in 2.4',
  };
}

function isRequire({ name }: Line): boolean {
  return name === 'require';
}

/**
 * The first line of a list for which `isWanted` returns true, also inside conditional sections, but
 * not in those for which `enters` returns false. `listOffset`: the offset of the list. Null if
 * there is none.
 */
function firstLine(
  list: List,
  listOffset: number,
  filter: { readonly isWanted: (line: Line) => boolean; readonly enters?: (section: Section) => boolean },
): PlacedLine | null {
  let placedLine: PlacedLine | null = null;
  forEachItem(list, listOffset, (item, offset) => {
    if (placedLine) return;
    if (!(item instanceof Section)) placedLine = filter.isWanted(item) ? { line: item, offset } : null;
    else if (isTransparent(sectionKind(item.name)) && filter.enters?.(item) !== false)
      placedLine = firstLine(item.body, offset + item.open.length, filter);
  });
  return placedLine;
}

function tagText({ open }: Section): string {
  return open.text.trim();
}
