import { activityOf } from '../config/activity';
import { nameInTag } from '../config/condition';
import type { ConfigFile, ConfigLine, Configuration } from '../config/configuration';
import { namesInUse } from '../config/lines-by-name';
import { linesOf, type LoadModuleLine } from '../config/loaded-modules';
import { moduleNamed, MPM_NAMES } from '../config/modules';
import { namesIn } from '../config/name-set';
import { sectionKind } from '../config/sections';
import type { Target } from '../config/target';
import { module as moduleFacts } from '../directives';
import { LineKind, type Line } from '../syntax/line';
import { addTo } from '../syntax/groups';
import { forEachItem, Section, type List } from '../syntax/tree';
import type { ConfigurationFinding, ConfigurationRule, ConfigurationSubject, Fix } from './rule';
import { contentSpan, headlineOr, shortened } from './support/edits';
import { fittingTitle } from './support/fix-title';
import { shortName } from './support/load-module-fix';

/** Directives that configure the MPM. Moving them past lines of other modules changes nothing. */
const MPM_DIRECTIVES: ReadonlySet<string> = new Set([
  'maxrequestworkers',
  'maxclients',
  'serverlimit',
  'threadlimit',
  'threadsperchild',
  'startservers',
  'minsparethreads',
  'maxsparethreads',
  'minspareservers',
  'maxspareservers',
  'maxrequestsperchild',
  'maxconnectionsperchild',
  'asyncrequestworkerfactor',
]);

/** The other name of a directive that has two names. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['maxclients', 'maxrequestworkers'],
  ['maxrequestworkers', 'maxclients'],
  ['maxrequestsperchild', 'maxconnectionsperchild'],
  ['maxconnectionsperchild', 'maxrequestsperchild'],
]);

/**
 * Finds `<IfModule>` sections above the LoadModule line of their module. httpd decides the
 * condition where it reads it (start_ifmod of server/core.c), so it skips them without a message.
 */
export const ifmoduleAboveLoad: ConfigurationRule = {
  id: 'ifmodule-above-load',
  title: '<IfModule> above the LoadModule line of its module',
  consequence: 'ignored',
  fix: 'suggestion',
  scope: 'configuration',
  names: ['loadmodule', 'include', 'includeoptional', ...MPM_DIRECTIVES],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#ifmodule',
  examples: [
    {
      title: 'The limits of an MPM that is loaded below',
      before:
        '<IfModule prefork.c>\n    MaxRequestWorkers 300\n</IfModule>\nLoadModule mpm_prefork_module modules/mod_mpm_prefork.so\n',
      after:
        'LoadModule mpm_prefork_module modules/mod_mpm_prefork.so\n<IfModule prefork.c>\n    MaxRequestWorkers 300\n</IfModule>\n',
      finds: ['skipped'],
    },
    {
      title: 'Not reported: the module is loaded above, or perhaps elsewhere',
      before:
        '<IfModule mod_ssl.c>\n    Listen 443\n</IfModule>\nLoadModule mpm_prefork_module modules/mod_mpm_prefork.so\n<IfModule prefork.c>\n    MaxRequestWorkers 300\n</IfModule>\n',
      finds: [],
    },
  ],
  check(subject) {
    const { configuration, modules, target } = subject;
    const { readingOrder } = modules;
    if (readingOrder === null || modules.loadLines.length === 0 || !namesInUse(configuration).hasSection('ifmodule'))
      return [];
    const sections = new Map<string, TestedSection[]>();
    for (const file of configuration.files.values())
      for (const tested of testedSections(file, configuration, target)) addTo(sections, tested.module, tested);
    return [...sections].flatMap(([module, tested]) => {
      const loads = loadsOf(subject, module);
      const load = loads.find(({ configLine: { activity } }) => activity === 'active');
      if (load === undefined || isLoadedElsewhere(subject, module)) return [];
      const isAbove = ({ path, offset }: TestedSection) =>
        loads.every(
          ({ configLine: { file, offset: other, macro } }) =>
            macro === undefined && readingOrder().isBefore({ path, offset }, { path: file.path, offset: other }),
        ) && unreadParts(configuration).every((part) => readingOrder().isBefore({ path, offset }, part));
      const skipped = tested.filter(isAbove);
      return skipped.length === 0 ? [] : [findingOf(module, skipped, load, subject)];
    });
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/** An `<IfModule>` without `!` that has lines, and is in no condition that may be false. */
interface TestedSection {
  /** The name of the module that the section tests for, as the manual spells it. */
  readonly module: string;
  readonly section: Section;
  readonly file: ConfigFile;
  readonly path: string;
  readonly offset: number;
  /** Whether no section is around it. */
  readonly isOutermost: boolean;
}

/** The LoadModule lines of a module that httpd may read. */
function loadsOf({ modules }: ConfigurationSubject, module: string): readonly LoadModuleLine[] {
  return modules.loadLines.filter(
    ({ module: loaded, configLine }) => loaded === module && configLine.activity !== 'inactive',
  );
}

/** Whether the start script of the distribution loads the module, too. */
function isLoadedElsewhere({ modules }: ConfigurationSubject, module: string): boolean {
  return modules.serviceFile?.modules.some(({ name }) => moduleNamed(`${name}_module`) === module) === true;
}

/** The offsets of Include lines and other places whose text was not read and may load modules. */
function unreadParts({ gaps }: Configuration): { path: string; offset: number }[] {
  return gaps
    .filter(({ reason }) => reason !== 'condition' && reason !== 'mpm')
    .map(({ file, offset }) => ({ path: file.path, offset }));
}

function testedSections(
  file: ConfigFile,
  { decideCondition, loadedModules }: Configuration,
  target: Target,
): TestedSection[] {
  const found: TestedSection[] = [];
  const walk = (list: List, base: number, isOutermost: boolean): void => {
    if (!namesIn(list).hasName('<ifmodule')) return;
    forEachItem(list, base, (item, offset) => {
      if (!(item instanceof Section) || item.name === 'macro') return;
      const kind = sectionKind(item.name);
      if (kind === 'opaque' || kind === 'other') return;
      const condition = item.name === 'ifmodule' ? nameInTag(item.open, 4) : null;
      const module = condition === null || condition.isNegated ? null : moduleNamed(condition.name);
      if (module !== null && module !== 'core' && hasLines(item.body))
        found.push({ module, section: item, file, path: file.path, offset, isOutermost });
      const isRead =
        kind !== 'conditional' ||
        (decideCondition?.(item.open, loadedModules) ?? activityOf(item.open, target)) === 'active';
      if (isRead) walk(item.body, offset + item.open.length, false);
    });
  };
  if (file.readingCount === 1) walk(file.tree.root, 0, true);
  return found;
}

function hasLines(list: List): boolean {
  let isFound = false;
  forEachItem(list, 0, (item) => void (isFound ||= item instanceof Section || item.kind === LineKind.Directive));
  return isFound;
}

function findingOf(
  module: string,
  [first, ...others]: readonly TestedSection[],
  load: LoadModuleLine,
  subject: ConfigurationSubject,
) {
  const { section, path, offset } = first!;
  const condition = section.open.text.trim();
  const { configLine } = load;
  const rowOfLoadLine = configLine.file.tree.positionAt(configLine.offset).line;
  const where = `${configLine.file.path.slice(configLine.file.path.lastIndexOf('/') + 1)}:${rowOfLoadLine + 1}`;
  const finding: ConfigurationFinding = {
    file: path,
    messageId: 'skipped',
    ...contentSpan(section.open, offset),
    what: headlineOr(
      `\`${condition}\` is above its LoadModule line, so httpd skips it`,
      `\`${shortened(condition, 40)}\` is above its LoadModule line, so httpd skips it`,
    ),
    cause: `httpd decides \`<IfModule>\` where it reads it, and ${where} loads the module later.${MPM_NAMES.has(module) ? ' httpd 2.2 has its MPM compiled in, so the place of the section did not matter.' : ''}`,
    help: `Put the LoadModule line (${where}) above the section, or the section below that line.`,
    related: [
      {
        file: configLine.file.path,
        line: configLine.line,
        row: rowOfLoadLine,
        rowsAbove: 0,
        message: 'loads the module',
      },
      ...others.map((other) => ({
        file: other.path,
        line: other.section.open,
        row: other.file.tree.positionAt(other.offset).line,
        rowsAbove: 0,
        message: 'skipped, too',
      })),
    ],
    fixes:
      MPM_NAMES.has(module) && path !== configLine.file.path
        ? fixesMovingSection(first!, load, subject)
        : fixesMovingLine(module, first!, load),
  };
  return finding;
}

/**
 * The fix that moves the LoadModule line above the section. Empty if they are in different files or
 * inside other sections, or if the module must be loaded after another one.
 */
function fixesMovingLine(module: string, { section, path, offset, isOutermost }: TestedSection, load: LoadModuleLine) {
  const { line, file, offset: start, conditionals, enclosingSections } = load.configLine;
  const isFree = (moduleFacts(module)?.loadAfter ?? []).length === 0;
  const isAlone = isOutermost && conditionals.length === 0 && enclosingSections.length === 0;
  if (!isFree || !isAlone || file.path !== path || !/\n$/.test(line.text) || section.open.isJoined) return [];
  const fix: Fix = {
    title: fittingTitle(
      `Move LoadModule ${shortName(module)}_module above <IfModule>`,
      'Move the LoadModule line above <IfModule>',
    ),
    safety: 'suggestion',
    assumes: 'httpd should read this section',
    edits: [
      { start: offset, end: offset, text: line.text },
      { start, end: start + line.length, text: '' },
    ],
  };
  return [fix];
}

/**
 * The fix that moves an MPM's section below the Include line through which httpd reads the MPM's
 * LoadModule line. It is safe for a file of 2.2, if no other line sets the same for this MPM.
 */
function fixesMovingSection(
  { module, section, path, offset, file, isOutermost }: TestedSection,
  { configLine }: LoadModuleLine,
  { configuration, modules, isConverted }: ConfigurationSubject,
): Fix[] {
  const line = modules.readingOrder!().lineTo({ path: configLine.file.path, offset: configLine.offset }, path);
  const names = new Set<string>();
  forEachItem(section.body, 0, (item) => {
    if (item instanceof Section) names.add('<');
    else if (item.kind === LineKind.Directive) names.add(item.name);
  });
  if (line === null || !isOutermost || ![...names].every((name) => MPM_DIRECTIVES.has(name))) return [];
  let endOfIncludeItem: number | null = null;
  forEachItem(file.tree.root, 0, (item, start) => {
    if (start <= line.offset && line.offset < start + item.length) endOfIncludeItem = start + item.length;
  });
  const text = file.tree.text();
  if (endOfIncludeItem === null || text[endOfIncludeItem - 1] !== '\n') return [];
  const isInSection = (line: ConfigLine) =>
    line.file.path === path && offset <= line.offset && line.offset < offset + section.length;
  const isSetElsewhere = [...names]
    .flatMap((name) => [name, OTHER_NAMES.get(name) ?? []].flat())
    .flatMap((name) => linesOf(configuration, name))
    .some((other) => !isInSection(other) && other.conditionals.every(({ open }) => mayHoldWith(module, open)));
  const fix: Fix = {
    title: 'Move the <IfModule> section below the Include line',
    edits: [
      { start: offset, end: offset + section.length, text: '' },
      { start: endOfIncludeItem, end: endOfIncludeItem, text: text.slice(offset, offset + section.length) },
    ],
    ...(isConverted && !isSetElsewhere
      ? { safety: 'safe' as const }
      : { safety: 'suggestion' as const, assumes: 'httpd should read this section' }),
  };
  return [fix];
}

/**
 * Whether a condition may be true in a server that runs this MPM. False if it needs another MPM.
 */
function mayHoldWith(mpm: string, open: Line): boolean {
  const condition = nameInTag(open, 4);
  const tested = condition === null ? null : moduleNamed(condition.name);
  if (tested === null || !MPM_NAMES.has(tested)) return true;
  return (tested === mpm) !== condition!.isNegated;
}
