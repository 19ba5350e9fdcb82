/**
 * Finds lines whose first word is no directive of httpd or of a known module. A module that is not
 * known here may have the directive, or another program processes the file first.
 */
import { commandNamed } from '../directives/commands';
import { directive } from '../directives/index';
import { thirdPartyModules } from '../directives/third-party';
import { isByteOrderMark, LineKind, type Line } from '../syntax/line';
import { NodeKind, type List, type Section } from '../syntax/tree';
import { cachedByNames, namesIn } from './name-set';
import { sectionKind } from './sections';

/**
 * Whether a list or one of its sections has a directive or section that neither httpd nor a known
 * module has. Lines in conditional sections count, because a module that `<IfModule>` tests can
 * decide access.
 */
export function hasUnknownName(list: List): boolean {
  let hasUnknown = false;
  forEachUnknown(list, 0, () => {
    hasUnknown = true;
    return false;
  });
  return hasUnknown;
}

/**
 * An unknown line. `offset`: its offset in UTF-16 units, counted from the same point as the `base`
 * of the search.
 */
export interface UnknownLine {
  readonly line: Line;
  readonly offset: number;
}

/**
 * The unknown lines of a list that starts at an offset, in order. `unreadSections`: sections to
 * leave out.
 */
export function unknownLines(list: List, base: number, unreadSections = NO_SECTIONS): UnknownLine[] {
  const foundLines: UnknownLine[] = [];
  const visit = (line: Line, offset: number) => {
    foundLines.push({ line, offset });
    return foundLines.length < MAX_LISTED_LINES;
  };
  forEachUnknown(list, base, visit, unreadSections);
  return foundLines;
}

/**
 * Whether an unknown line can be a directive of a module. Any other line belongs to a template, a
 * script or an HTML page.
 */
export function mayBeDirective({ name }: Line): boolean {
  return /^[a-z][a-z0-9_.-]*$/.test(name);
}

// ---------------------------------------------------------------------------------------------------------------------

/** Maximum number of lines that are listed. */
const MAX_LISTED_LINES = 100;

const NO_SECTIONS: ReadonlySet<Section> = new Set();

/** Visits unknown lines until `visit` returns false. Returns whether it visited all of them. */
function forEachUnknown(
  list: List,
  base: number,
  visit: (line: Line, offset: number) => boolean,
  unreadSections = NO_SECTIONS,
): boolean {
  const names = namesIn(list);
  if (!names.hasTooManyNames && !hasUnknownNameIn(names)) return true;
  let offset = base;
  for (const child of list.children) {
    switch (child.kind) {
      case NodeKind.List:
        if (!forEachUnknown(child, offset, visit, unreadSections)) return false;
        break;
      case NodeKind.Section:
        if (!isKnownName(child.name, true) && !visit(child.open, offset)) return false;
        if (sectionKind(child.name) === 'opaque' || unreadSections.has(child)) break;
        if (!forEachUnknown(child.body, offset + child.open.length, visit, unreadSections)) return false;
        break;
      case LineKind.Directive:
        if (!isKnownName(child.name, false) && !visit(child, offset)) return false;
        break;
    }
    offset += child.length;
  }
  return true;
}

const hasUnknownNameIn = cachedByNames((names) =>
  names.hasSome((name) => !(name.startsWith('<') ? isKnownName(name.slice(1), true) : isKnownName(name, false))),
);

/**
 * Directives of the core, the logs, the cache and the MPMs of 1.3 and 2.0. No module of 2.2 has
 * them, so 2.2 does not start with such a line, and none of them allows or denies requests. The
 * rule removed-directive reports them.
 */
const OLD_CORE_DIRECTIVES: ReadonlySet<string> = new Set([
  'accessconfig',
  'resourceconfig',
  'agentlog',
  'refererlog',
  'refererignore',
  'nocache',
  'cachesize',
  'cachegcinterval',
  'cachegcdaily',
  'cachegcunused',
  'cachegcclean',
  'cachegcmemusage',
  'cacheexpirycheck',
  'cacheforcecompletion',
  'assignuserid',
  'childperuserid',
  'numservers',
  'maxthreadsperchild',
  'cgicommandarg',
]);

/**
 * Whether the name is that of a known directive or section, or may become one: it is empty or has a
 * variable.
 */
function isKnownName(name: string, isSection: boolean): boolean {
  if (name === '' || name.includes('${') || isByteOrderMark(name)) return true;
  return (
    commandNamed(name, isSection) !== undefined ||
    (!isSection && OLD_CORE_DIRECTIVES.has(name)) ||
    directive(name, { section: isSection }) !== undefined ||
    thirdPartyModules(name, isSection).length > 0
  );
}
