import { forEachScope } from '../config/loaded-modules';
import type { ConfigFile, ConfigLine, Configuration, PlacedSection, Scope } from '../config/configuration';
import { namesInUse } from '../config/lines-by-name';
import { sectionKind } from '../config/sections';
import { argumentsOf, type Line } from '../syntax/line';
import { firstIndexFrom } from '../syntax/sorted';
import { forEachItem, Section, type List } from '../syntax/tree';
import { contentSpan, shortened } from './support/edits';
import type { ConfigurationFinding, ConfigurationRule, RelatedPlace } from './rule';

/**
 * Finds `Require not` lines without a line that allows requests, and Require sections that stay
 * empty. This rule reports them if lines come from included files or macros; the rule
 * require-not-alone reports all others.
 */
export const requireIncluded: ConfigurationRule = {
  id: 'require-included',
  title: '"Require not" lines and <RequireAll> sections that an Include or Use leaves incomplete',
  consequence: 'will not start',
  fix: 'none',
  checks: 'configuration',
  names: ['require', 'include', 'includeoptional', 'use'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authz_core.html#require',
  examples: [
    {
      title: 'A RequireAll whose included file allows nobody',
      before:
        '<Directory /srv>\n    <RequireAll>\n        Include /srv/conf/blocked.conf\n    </RequireAll>\n</Directory>\n',
      finds: ['only-negative'],
      files: { '/srv/conf/blocked.conf': 'Require not ip 192.0.2.7\n' },
    },
    {
      title: 'A RequireAll whose included file has no Require line',
      before:
        '<Directory /srv>\n    <RequireAll>\n        Include /srv/conf/blocked.conf\n    </RequireAll>\n</Directory>\n',
      finds: ['empty'],
      files: { '/srv/conf/blocked.conf': '# Require not ip 192.0.2.7\n' },
    },
    {
      title: 'A macro with "Require not"',
      before:
        '<Macro Block $who>\n    Require not ip $who\n</Macro>\n<Directory /srv>\n    Use Block 192.0.2.7\n</Directory>\n',
      finds: ['not'],
    },
    {
      title: 'Not reported: a line beside the Include allows',
      before:
        '<Directory /srv>\n    <RequireAll>\n        Require all granted\n        Include /srv/conf/blocked.conf\n    </RequireAll>\n</Directory>\n',
      finds: [],
      files: { '/srv/conf/blocked.conf': 'Require not ip 192.0.2.7\n' },
    },
  ],
  check({ configuration }) {
    const usedNames = namesInUse(configuration);
    const hasContainers = REQUIRE_SECTIONS.some((name) => usedNames.hasSection(name));
    if (!usedNames.hasName('require') && !hasContainers) return [];
    if (![...INCLUDING_DIRECTIVES].some((name) => usedNames.mayBeNested(name)) && !usedNames.hasSection('macro'))
      return [];
    const findingByPlace = new Map<string, ConfigurationFinding>();
    const addFinding = (finding: ConfigurationFinding) => {
      const placeKey = `${finding.file}:${finding.start}`;
      if (!findingByPlace.has(placeKey)) findingByPlace.set(placeKey, finding);
    };
    const hasGap = gapFinder(configuration);
    // `names` is set for a scope that has only the text of its own section, without lines of
    // included files or macros.
    const mayHaveIncludedLines = (scope: Scope) =>
      !scope.names && scope.kind !== 'server' && scope.kind !== 'virtualhost';
    forEachScope(
      configuration.rootScope,
      () => true,
      (scope) => {
        if (mayHaveIncludedLines(scope) && scope.activity === 'active')
          addFindingsOfScope(scope, configuration, hasGap, addFinding);
      },
    );
    return [...findingByPlace.values()];
  },
};

const REQUIRE_SECTIONS = ['requireall', 'requireany', 'requirenone'];
const INCLUDING_DIRECTIVES = new Set(['include', 'includeoptional', 'use']);

/** The top level of a section, or a Require section in it. */
interface RequireContainer {
  /** Null for the top level, which combines its lines as RequireAny does. */
  readonly placedSection: PlacedSection | null;
  readonly kind: 'all' | 'any' | 'none';
  readonly file: ConfigFile;
  readonly children: (RequireContainer | ConfigLine)[];
  /** The last Include or Use line directly in the container; null if there is none. */
  includeLine: ConfigLine | null;
  /** Whether httpd certainly reads a line in the container, so that the container exists. */
  isCertain: boolean;
}

/**
 * Passes the findings about the Require lines and sections of a scope to `add`. `hasGap`: whether
 * some lines of the scope are unknown.
 */
function addFindingsOfScope(
  scope: Scope,
  configuration: Configuration,
  hasGap: (scope: Scope) => boolean,
  add: (finding: ConfigurationFinding) => void,
): void {
  const visit = (container: RequireContainer, parent: RequireContainer | null): void => {
    const { placedSection, kind, children } = container;
    for (const child of children) {
      if (kind !== 'all' && isNegative(child) && isFromElsewhere(child, container) && isCertainLine(child))
        add(findingOfRequireNot(child, container, scope));
      if (isContainer(child)) visit(child, container);
    }
    if (placedSection === null || parent === null || !container.isCertain || hasGap(scope)) return;
    if (!placedSection.isInMacro && placedSection.file === parent.file && !mayGetLines(container)) return;
    if (children.length === 0) add(findingOfEmpty(container, placedSection, scope));
    else if (kind === 'all' && parent.kind !== 'all' && isOnlyNegative(container))
      add(findingOfOnlyNegative(container, placedSection, scope));
  };
  visit(readContainers(scope), null);
  for (const placedSection of emptyContainersOfMacros(scope, configuration))
    add(findingOfEmpty({ kind: kindOf(placedSection), includeLine: null }, placedSection, scope));
}

/**
 * Require sections in macros that have no Require line, and no line that may add a Require line.
 * The rule require-not-alone reports empty sections that are not in macros.
 */
function emptyContainersOfMacros(scope: Scope, { fragments }: Configuration): readonly PlacedSection[] {
  if (scope.lines.some(({ line, activity }) => line.name === 'use' && activity !== 'active')) return [];
  const emptyContainers: PlacedSection[] = [];
  for (const { list, file, fileOffsetOf } of fragments.get(scope) ?? []) {
    if (list === file.tree.root) continue;
    const walk = (body: List, base: number): void =>
      forEachItem(body, base, (item, offset) => {
        if (!(item instanceof Section)) return;
        const kindOfSection = sectionKind(item.name);
        if (kindOfSection === 'authorization' && !mayGetRequires(item.body))
          emptyContainers.push({ section: item, file, offset: fileOffsetOf(offset), isInMacro: true });
        else if (kindOfSection === 'authorization' || kindOfSection === 'limit')
          walk(item.body, offset + item.open.length);
      });
    walk(list, 0);
  }
  return emptyContainers;
}

/** Whether the list has a section, a Require line, or a line that may add a Require line. */
function mayGetRequires(list: List): boolean {
  let mayGetRequire = false;
  forEachItem(list, 0, (item) => {
    mayGetRequire ||=
      item instanceof Section ||
      item.name === 'require' ||
      item.name.startsWith('${') ||
      INCLUDING_DIRECTIVES.has(item.name);
  });
  return mayGetRequire;
}

/**
 * The tree of Require sections and Require lines of a scope. It includes the lines of included
 * files and macros.
 */
function readContainers(scope: Scope): RequireContainer {
  const newContainer = (placedSection: PlacedSection | null): RequireContainer => ({
    placedSection,
    kind: placedSection === null ? 'any' : kindOf(placedSection),
    file: placedSection?.file ?? scope.file,
    children: [],
    includeLine: null,
    isCertain: false,
  });
  const topContainer = newContainer(null);
  const containerBySection = new Map<Section, RequireContainer>();
  for (const scopeLine of scope.lines) {
    if (scopeLine.line.name !== 'require' && !INCLUDING_DIRECTIVES.has(scopeLine.line.name)) continue;
    let container = topContainer;
    for (const placedSection of scopeLine.enclosingSections) {
      if (sectionKind(placedSection.section.name) !== 'authorization') continue;
      let innerContainer = containerBySection.get(placedSection.section);
      if (!innerContainer) {
        containerBySection.set(placedSection.section, (innerContainer = newContainer(placedSection)));
        container.children.push(innerContainer);
      }
      if (scopeLine.activity === 'active') innerContainer.isCertain = true;
      container = innerContainer;
    }
    if (scopeLine.line.name === 'require') container.children.push(scopeLine);
    else container.includeLine = scopeLine;
  }
  return topContainer;
}

/**
 * Returns a function that tells whether some lines of a scope are unknown, because of a missing
 * file, a macro or Perl.
 */
function gapFinder({ gaps, fragments }: Configuration): (scope: Scope) => boolean {
  const offsetsByFile = new Map<string, number[]>();
  for (const { file, offset } of gaps) {
    const offsets = offsetsByFile.get(file.path);
    if (offsets) offsets.push(offset);
    else offsetsByFile.set(file.path, [offset]);
  }
  for (const offsets of offsetsByFile.values()) offsets.sort((a, b) => a - b);
  return (scope) => {
    if (gaps.length === 0) return false;
    if (fragments.get(scope)?.some(({ file }) => offsetsByFile.has(file.path))) return true;
    const offsets = offsetsByFile.get(scope.file.path) ?? [];
    const scopeEnd = scope.offset + (scope.section?.length ?? 0);
    return (offsets[firstIndexFrom(offsets, scope.offset)] ?? scopeEnd) < scopeEnd;
  };
}

/** The kind of the container: `all`, `any` or `none`. */
function kindOf({ section: { name } }: PlacedSection): RequireContainer['kind'] {
  return name.slice('require'.length) as RequireContainer['kind'];
}

function isContainer(child: RequireContainer | ConfigLine): child is RequireContainer {
  return 'children' in child;
}

/** Whether this is a `Require not` line or a RequireNone section, which can only deny. */
function isNegative(child: RequireContainer | ConfigLine): boolean {
  if (isContainer(child)) return child.kind === 'none';
  return argumentsOf(child.expandedLine)[0]?.value.toLowerCase() === 'not';
}

/**
 * Whether the line or section comes from another file than its container, or from a macro. The rule
 * require-not-alone cannot see such a line or section.
 */
function isFromElsewhere(child: RequireContainer | ConfigLine, container: RequireContainer): boolean {
  return (
    child.file !== container.file || (isContainer(child) ? child.placedSection!.isInMacro : child.macro !== undefined)
  );
}

/**
 * Whether an Include or Use line may add lines to the container. Lines in a RequireAll inside a
 * RequireAll count as lines of the outer one.
 */
function mayGetLines({ includeLine, kind, children }: RequireContainer): boolean {
  if (includeLine !== null) return true;
  return kind === 'all' && children.some((child) => isContainer(child) && child.kind === 'all' && mayGetLines(child));
}

/** Whether httpd certainly reads the line, or some Require line in the container. */
function isCertainLine(child: RequireContainer | ConfigLine): boolean {
  return isContainer(child) ? child.children.some(isCertainLine) : child.activity === 'active';
}

/**
 * Whether no line in a RequireAll can allow a request. httpd counts the lines of a nested
 * RequireAll as lines of the outer one.
 */
function isOnlyNegative({ children }: RequireContainer): boolean {
  return children.every((child) =>
    isContainer(child) && child.kind === 'all' ? isOnlyNegative(child) : isNegative(child),
  );
}

const CONTAINER_NAMES = { all: 'RequireAll', any: 'RequireAny', none: 'RequireNone' } as const;

function findingOfRequireNot(
  child: RequireContainer | ConfigLine,
  parent: RequireContainer,
  scope: Scope,
): ConfigurationFinding {
  const isNested = isContainer(child);
  const negativeName = isNested ? '`<RequireNone>`' : '`Require not`';
  const [open, offset] = isNested
    ? [child.placedSection!.section.open, child.placedSection!.offset]
    : [child.line, child.offset];
  const parentPlace = placeOfContainer(parent, scope);
  return {
    file: child.file.path,
    messageId: isNested ? 'none' : 'not',
    ...contentSpan(open, offset),
    what: `${negativeName} must be inside \`<RequireAll>\``,
    cause: `\`${lineText(parentPlace.line)}\` in ${parentPlace.file}:${parentPlace.row + 1} brings this line in, and has no \`<RequireAll>\` around it.`,
    help: 'Write `<RequireAll>` around the line that brings it in, with a line that allows requests, such as `Require all granted`.',
    serverText: `${isNested ? '<RequireNone>' : 'negative Require'} directive has no effect in <${CONTAINER_NAMES[parent.kind]}> directive`,
    related: [parentPlace],
  };
}

function findingOfEmpty(
  { includeLine, kind }: Pick<RequireContainer, 'includeLine' | 'kind'>,
  placedSection: PlacedSection,
  scope: Scope,
): ConfigurationFinding {
  return {
    ...spanOf(placedSection),
    messageId: 'empty',
    what: `\`<${CONTAINER_NAMES[kind]}>\` contains no \`Require\` line`,
    ...(includeLine && { cause: `\`${lineText(includeLine.line)}\` brings none in.` }),
    help: `Add a \`Require\` line to it, or remove it from \`${tagOf(scope)}\`.`,
    serverText: `<${CONTAINER_NAMES[kind]}> directive contains no authorization directives`,
  };
}

function findingOfOnlyNegative(
  { includeLine }: RequireContainer,
  placedSection: PlacedSection,
  scope: Scope,
): ConfigurationFinding {
  return {
    ...spanOf(placedSection),
    messageId: 'only-negative',
    what: '`<RequireAll>` contains only lines that deny',
    ...(includeLine && { cause: `\`${lineText(includeLine.line)}\` brings in no line that allows requests.` }),
    help: `Add a line that allows requests of \`${tagOf(scope)}\`, such as \`Require all granted\`.`,
    serverText: 'AH01624: <RequireAll> directive contains only negative authorization directives',
  };
}

function spanOf({ file, section, offset }: PlacedSection): Pick<ConfigurationFinding, 'file' | 'start' | 'end'> {
  return { file: file.path, ...contentSpan(section.open, offset) };
}

/** The tag of a scope as written, shortened. */
function tagOf({ section, kind }: Scope): string {
  return section ? lineText(section.open) : `<${kind}>`;
}

function lineText(line: Line): string {
  return shortened(line.text.trim(), 48);
}

/** The place of the container's tag. For the top level, the tag of the scope. */
function placeOfContainer({ placedSection, file }: RequireContainer, scope: Scope): RelatedPlace {
  const { open } = placedSection?.section ?? scope.section!;
  const row = file.tree.positionAt(placedSection?.offset ?? scope.offset).line;
  return { file: file.path, line: open, row, rowOffset: 0, message: `\`${lineText(open)}\`` };
}
