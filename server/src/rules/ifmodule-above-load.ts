import { choiceQuestion } from '../access/open-question';
import { activityOf } from '../config/activity';
import { nameInTag } from '../config/condition';
import type { ConfigFile, ConfigLine, Configuration } from '../config/configuration';
import { baseName } from '../config/files';
import { PROFILES } from '../config/distribution';
import { namesInUse } from '../config/lines-by-name';
import { linesOf } from '../config/loaded-modules';
import { moduleNamed, MPM_NAMES } from '../config/modules';
import { namesIn } from '../config/name-set';
import { sectionKind } from '../config/sections';
import type { Target } from '../config/target';
import { module as moduleFacts } from '../directives';
import { argumentsOf, LineKind, type Line } from '../syntax/line';
import { addTo } from '../syntax/groups';
import { forEachItem, Section, type List } from '../syntax/tree';
import type { ConfigurationFinding, ConfigurationRule, ConfigurationRuleInput, Fix } from './rule';
import { contentSpan, fittingHeadline, shortened } from './support/edits';
import { fittingTitle } from './support/fix-title';
import { loadsPhp, shortName } from './support/load-module-fix';

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
const OTHER_NAME_OF: ReadonlyMap<string, string> = new Map([
  ['maxclients', 'maxrequestworkers'],
  ['maxrequestworkers', 'maxclients'],
  ['maxrequestsperchild', 'maxconnectionsperchild'],
  ['maxconnectionsperchild', 'maxrequestsperchild'],
]);

const MPM_QUESTION = choiceQuestion('mpm');

/**
 * Finds `<IfModule>` sections above the LoadModule line of their module. httpd decides the
 * condition when it reads the tag (start_ifmod of server/core.c), before it loads the module. So it
 * skips the section without a message, or reads it if the condition is `!mod_authz_core.c`. The
 * LoadModule line of an MPM or of mod_authz_core may be missing, because it is new in 2.4. For such
 * a line, the rule expects the place where the other lines load modules.
 */
export const ifmoduleAboveLoad: ConfigurationRule = {
  id: 'ifmodule-above-load',
  title: '<IfModule> above the LoadModule line of its module',
  consequence: 'may not start',
  fix: 'suggestion',
  checks: 'configuration',
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
      title: 'Lines for both versions above the LoadModule lines',
      before:
        '<Directory "/srv/www">\n    <IfModule mod_authz_core.c>\n        Require all granted\n    </IfModule>\n    <IfModule !mod_authz_core.c>\n        Order allow,deny\n        Allow from all\n    </IfModule>\n</Directory>\nLoadModule authz_core_module modules/mod_authz_core.so\nLoadModule access_compat_module modules/mod_access_compat.so\n',
      finds: ['skipped', 'read'],
    },
    {
      title: 'Not reported: the module is loaded above, or perhaps elsewhere',
      before:
        '<IfModule mod_ssl.c>\n    Listen 443\n</IfModule>\nLoadModule mpm_prefork_module modules/mod_mpm_prefork.so\n<IfModule prefork.c>\n    MaxRequestWorkers 300\n</IfModule>\n',
      finds: [],
    },
  ],
  check(ruleInput) {
    const { configuration, modules, target } = ruleInput;
    const { readingOrder } = modules;
    if (readingOrder === null || !namesInUse(configuration).hasSection('ifmodule')) return [];
    const sectionsByTest = new Map<string, TestedSection[]>();
    for (const file of configuration.files.values())
      for (const tested of testedSectionsIn(file, configuration, target))
        addTo(sectionsByTest, `${tested.isNegated ? '!' : ''}${tested.module}`, tested);
    return [...sectionsByTest.values()].flatMap((sectionsOfModule) => {
      const load = moduleLoadOf(ruleInput, sectionsOfModule[0]!.module);
      if (load === null) return [];
      const isAbove = ({ path, offset }: TestedSection) =>
        load.lines.every(
          ({ file, offset: other, macro }) =>
            macro === undefined && readingOrder().isBefore({ path, offset }, { path: file.path, offset: other }),
        ) && gapPlaces(configuration).every((part) => readingOrder().isBefore({ path, offset }, part));
      const misplacedSections = sectionsOfModule.filter(isAbove);
      return misplacedSections.length === 0 ? [] : [findingOf(misplacedSections, load, ruleInput)];
    });
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/** An `<IfModule>` section that has lines. All conditions around it are true. */
interface TestedSection {
  /** Whether the condition has `!`. Such sections are of interest for mod_authz_core alone. */
  readonly isNegated: boolean;
  /** The name of the module that the section tests for, as the manual spells it. */
  readonly module: string;
  readonly section: Section;
  readonly file: ConfigFile;
  readonly path: string;
  readonly offset: number;
  /** Whether no section is around the `<IfModule>` section. */
  readonly isOutermost: boolean;
}

/** The lines that load a module in 2.4. */
interface ModuleLoad {
  /** All lines that may load the module: LoadModule lines, or Include lines that lead to them. */
  readonly lines: readonly ConfigLine[];
  /** The line that loads the module. */
  readonly line: ConfigLine;
  /**
   * Whether the configuration has this line. If not, the line is expected, because 2.4 needs the
   * module.
   */
  readonly isPresent: boolean;
}

/** The lines that load a module. Null if they are unknown, or if the service file also loads it. */
function moduleLoadOf(ruleInput: ConfigurationRuleInput, module: string): ModuleLoad | null {
  const { modules } = ruleInput;
  if (modules.serviceFile?.modules.some(({ name }) => moduleNamed(`${name}_module`) === module)) return null;
  const lines = modules.loadLines
    .filter(({ module: loaded, configLine }) => loaded === module && configLine.activity !== 'inactive')
    .map(({ configLine }) => configLine);
  const line = lines.find(({ activity }) => activity === 'active');
  if (line !== undefined) return { lines, line, isPresent: true };
  return lines.length > 0 || modules.absenceOf(module) === null ? null : expectedModuleLoad(ruleInput, module);
}

/**
 * The lines that will load mod_authz_core, or the MPM of the answer or of PHP. 2.4 does not start
 * without them. Null for other modules, and if the module may be compiled in.
 */
function expectedModuleLoad(
  { configuration, modules, answerTo }: ConfigurationRuleInput,
  module: string,
): ModuleLoad | null {
  const loadModuleFiles = modules.distribution === null ? null : PROFILES[modules.distribution].loadModuleFiles;
  const includes = loadModuleFiles === null ? [] : includesOf(configuration, loadModuleFiles);
  if (MPM_NAMES.has(module)) {
    // The place of the MPM's LoadModule line is known only on Debian. Elsewhere, a start script can
    // name the MPM, as on SUSE.
    // With PHP as a module, there is no question: the MPM is prefork.
    const expectedMpm = answerTo(MPM_QUESTION) ?? (loadsPhp(modules) ? 'prefork' : null);
    if (expectedMpm !== module || modules.loadLines.some((load) => MPM_NAMES.has(load.module))) return null;
    return modules.distribution === 'debian' ? loadAtFirstOf(includes) : null;
  }
  if (module !== 'mod_authz_core' || modules.serviceFile !== null) return null;
  if (includes.length > 0) return loadAtFirstOf(includes);
  if (modules.absenceOf(module)?.certainty === 'built-in') return null;
  return loadAtFirstOf(
    modules.loadLines.map(({ configLine }) => configLine).filter(({ activity }) => activity !== 'inactive'),
  );
}

/** The Include lines whose path contains `part`. */
function includesOf(configuration: Configuration, part: string): readonly ConfigLine[] {
  return ['include', 'includeoptional']
    .flatMap((name) => linesOf(configuration, name))
    .filter(({ expandedLine }) => argumentsOf(expandedLine)[0]?.value.includes(part) === true);
}

/** The expected load of a module at the first of these lines; null if there are no lines. */
function loadAtFirstOf(lines: readonly ConfigLine[]): ModuleLoad | null {
  return lines.length === 0 ? null : { lines, line: lines[0]!, isPresent: false };
}

/**
 * The Include lines and similar places that lead to files which could not be read. Such files may
 * load modules.
 */
function gapPlaces({ gaps }: Configuration): { path: string; offset: number }[] {
  return gaps
    .filter(({ reason }) => reason !== 'condition' && reason !== 'mpm')
    .map(({ file, offset }) => ({ path: file.path, offset }));
}

/** The sections that the rule checks in a file; none if the configuration reads the file twice. */
function testedSectionsIn(
  file: ConfigFile,
  { decideCondition, loadedModules }: Configuration,
  target: Target,
): TestedSection[] {
  const testedSections: TestedSection[] = [];
  const walk = (list: List, base: number, isOutermost: boolean): void => {
    if (!namesIn(list).hasName('<ifmodule')) return;
    forEachItem(list, base, (item, offset) => {
      if (!(item instanceof Section) || item.name === 'macro') return;
      const kindOfSection = sectionKind(item.name);
      if (kindOfSection === 'opaque' || kindOfSection === 'other') return;
      const condition = item.name === 'ifmodule' ? nameInTag(item.open, 4) : null;
      const module = condition === null ? null : moduleNamed(condition.name);
      const isNegated = condition?.isNegated === true;
      if (
        module !== null &&
        module !== 'core' &&
        (!isNegated || module === 'mod_authz_core') &&
        hasDirectiveOrSection(item.body)
      )
        testedSections.push({ module, isNegated, section: item, file, path: file.path, offset, isOutermost });
      const isBodyRead =
        kindOfSection !== 'conditional' ||
        (decideCondition?.(item.open, loadedModules) ?? activityOf(item.open, target)) === 'active';
      if (isBodyRead) walk(item.body, offset + item.open.length, false);
    });
  };
  if (file.readingCount === 1) walk(file.tree.root, 0, true);
  return testedSections;
}

/** Whether the list has more than comments and blank lines. */
function hasDirectiveOrSection(list: List): boolean {
  let hasLine = false;
  forEachItem(list, 0, (item) => void (hasLine ||= item instanceof Section || item.kind === LineKind.Directive));
  return hasLine;
}

function findingOf([first, ...others]: readonly TestedSection[], load: ModuleLoad, ruleInput: ConfigurationRuleInput) {
  const { section, path, offset, module, isNegated } = first!;
  const condition = section.open.text.trim();
  const { line } = load;
  const rowOfLoadLine = line.file.tree.positionAt(line.offset).line;
  const placeText = `${line.file.path.slice(line.file.path.lastIndexOf('/') + 1)}:${rowOfLoadLine + 1}`;
  const isIncludeLine = line.line.name !== 'loadmodule';
  const loadText = isIncludeLine ? 'Include line' : `line that loads ${shortName(module)}_module`;
  const isInOneFile = path === line.file.path;
  const positionText = isInOneFile ? 'above' : 'read before';
  const [loadsText, aboveText] = load.isPresent
    ? ['loads the module later', 'its LoadModule line']
    : isIncludeLine
      ? ['includes the files that load it later', `the Include line of ${shortName(module)}`]
      : ['and the lines below it load modules later', 'the LoadModule lines'];
  const finding: ConfigurationFinding = {
    file: path,
    messageId: isNegated ? 'read' : 'skipped',
    ...(!isNegated && { consequence: 'ignored' as const }),
    ...contentSpan(section.open, offset),
    what: isNegated
      ? `\`${condition}\` is ${positionText} ${aboveText}, so 2.4 reads it, too`
      : fittingHeadline(
          `\`${condition}\` is ${positionText} ${aboveText}, so httpd skips it`,
          `\`${shortened(condition, 40)}\` is ${positionText} ${aboveText}, so httpd skips it`,
        ),
    cause: `httpd decides \`<IfModule>\` where it reads it, and ${placeText} ${loadsText}.${MPM_NAMES.has(module) ? ' httpd 2.2 has its MPM compiled in, so the place of the section did not matter.' : ''}${isNegated ? ' There, 2.4 refuses directives that it does not have. Without mod_access_compat, it also refuses Order, Allow, Deny and Satisfy.' : ''}`,
    help:
      MPM_NAMES.has(module) && !load.isPresent
        ? `Put the section below the Include lines of mods-enabled: mpm_${module}.conf there sets the same.`
        : isInOneFile
          ? `Move the ${loadText} (${placeText}) above the section, or the section below that line.`
          : path === ruleInput.configuration.rootScope.file.path
            ? `Move the section below the Include line that leads to ${placeText}.`
            : `Move the ${loadText} (${placeText}) above the Include line that leads to ${baseName(path)}.`,
    related: [
      {
        file: line.file.path,
        line: line.line,
        row: rowOfLoadLine,
        rowOffset: 0,
        message: load.isPresent ? 'loads the module' : 'loads modules',
      },
      ...others.map((other) => ({
        file: other.path,
        line: other.section.open,
        row: other.file.tree.positionAt(other.offset).line,
        rowOffset: 0,
        message: isNegated ? 'read by 2.4, too' : 'skipped, too',
      })),
    ],
    fixes:
      MPM_NAMES.has(module) && (path !== line.file.path || !load.isPresent)
        ? fixesMovingSection(first!, load, ruleInput)
        : fixesMovingLine(first!, load),
  };
  return finding;
}

/**
 * The fix that moves the LoadModule line above the section. Empty if they are in different files or
 * inside other sections, or if the module must be loaded after another one.
 */
function fixesMovingLine({ module, section, path, offset, isOutermost }: TestedSection, load: ModuleLoad) {
  const { line, file, offset: start, conditionals, enclosingSections } = load.line;
  const needsNoOtherModule = (moduleFacts(module)?.loadAfter ?? []).length === 0;
  const isOutsideOfSections = isOutermost && conditionals.length === 0 && enclosingSections.length === 0;
  if (
    !load.isPresent ||
    !needsNoOtherModule ||
    !isOutsideOfSections ||
    file.path !== path ||
    !/\n$/.test(line.text) ||
    section.open.isJoined
  )
    return [];
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
 * LoadModule line. On Debian, it goes below all Include lines of mods-enabled, because
 * mpm_prefork.conf there sets the same. The fix is safe if no other line sets the same for this
 * MPM, and if the files are from 2.2 or no line loads the MPM yet.
 */
function fixesMovingSection(
  { module, section, path, offset, file, isOutermost }: TestedSection,
  load: ModuleLoad,
  { configuration, modules, isConverted }: ConfigurationRuleInput,
): Fix[] {
  const loadingLines = load.isPresent ? [load.line] : includesOf(configuration, 'mods-enabled/');
  const loadingPlaces = loadingLines.map(({ file, offset }) =>
    modules.readingOrder!().lineLeadingTo({ path: file.path, offset }, path),
  );
  const lastPlace = loadingPlaces.reduce((last, place) =>
    last && place && place.offset > last.offset ? place : place && last,
  );
  const namesInBody = new Set<string>();
  forEachItem(section.body, 0, (item) => {
    if (item instanceof Section) namesInBody.add('<');
    else if (item.kind === LineKind.Directive) namesInBody.add(item.name);
  });
  if (lastPlace === null || !isOutermost || ![...namesInBody].every((name) => MPM_DIRECTIVES.has(name))) return [];
  let endOfIncludeItem: number | null = null;
  forEachItem(file.tree.root, 0, (item, start) => {
    if (start <= lastPlace.offset && lastPlace.offset < start + item.length) endOfIncludeItem = start + item.length;
  });
  const fileText = file.tree.text();
  if (endOfIncludeItem === null || fileText[endOfIncludeItem - 1] !== '\n') return [];
  const isInSection = (line: ConfigLine) =>
    line.file.path === path && offset <= line.offset && line.offset < offset + section.length;
  const isSetElsewhere = [...namesInBody]
    .flatMap((name) => [name, OTHER_NAME_OF.get(name) ?? []].flat())
    .flatMap((name) => linesOf(configuration, name))
    .some((other) => !isInSection(other) && other.conditionals.every(({ open }) => mayHoldWith(module, open)));
  const fix: Fix = {
    title: 'Move the <IfModule> section below the Include line',
    edits: [
      { start: offset, end: offset + section.length, text: '' },
      { start: endOfIncludeItem, end: endOfIncludeItem, text: fileText.slice(offset, offset + section.length) },
    ],
    ...((isConverted || !load.isPresent) && !isSetElsewhere
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
