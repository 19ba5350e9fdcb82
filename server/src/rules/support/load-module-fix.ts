/** Fixes that add LoadModule lines, in the style and at the place of the lines that exist. */
import { choiceQuestion, type OpenQuestion } from '../../access/open-question';
import type { Distribution } from '../../config/distribution';
import type { LoadModuleLine, LoadedModules } from '../../config/loaded-modules';
import { moduleNamed as moduleInConfiguration, MPM_NAMES } from '../../config/modules';
import { namesIn } from '../../config/name-set';
import { module as moduleNamed } from '../../directives';
import type { Tree } from '../../syntax/document';
import { argumentsOf, contentEnd, contentStart, indentOf, LineKind } from '../../syntax/line';
import { forEachItem, Section, type Item } from '../../syntax/tree';
import { joinedItems, lineEnd } from './edits';
import { fittingTitle } from './fix-title';
import { editsToLoad, loadModuleOf, withDirectoryOf24 } from './load-module';
import type { Edit, Fix } from '../rule';

export interface LoadingFixes {
  /** For the help of the finding: what to do. */
  readonly advice: string;
  /** Returns the fixes for a finding in this file. */
  readonly fixes: (file: string) => readonly Fix[];
}

/**
 * Modules that are in packages of their own, or are built only on demand. EXTRA_MODULES below has
 * those of all distributions.
 *
 * Red Hat: the packages of httpd.spec and mod_http2.spec, the modules that the spec switches off,
 * and those that configure leaves out even with `all` (default `no` in modules/…/config.m4).
 *
 * Upstream: modules that are not in configure's selection `most`, or that need a library which a
 * system may lack. mod_cgid replaces mod_cgi if the MPM has threads
 * (modules/generators/config5.m4).
 *
 * Windows: the modules of upstream, and those that build on Unix only.
 *
 * IBM HTTP Server 9 and Oracle HTTP Server 12.2.1: all modules except those that the vendor names
 * in its steps for the upgrade ("Migrating IBM HTTP Server configuration files from a previous
 * release"; release notes of Oracle HTTP Server, "Authorization and Access Control").
 */
const SEPARATE_MODULES: Readonly<Record<'rhel' | 'upstream', ReadonlySet<string>>> = {
  rhel: new Set([
    'mod_ssl',
    'mod_ldap',
    'mod_authnz_ldap',
    'mod_session',
    'mod_session_cookie',
    'mod_session_crypto',
    'mod_session_dbd',
    'mod_auth_form',
    'mod_proxy_html',
    'mod_xml2enc',
    'mod_lua',
    'mod_md',
    'mod_http2',
    'mod_proxy_http2',
    'mod_imagemap',
    'mod_file_cache',
    'mod_ident',
    'mod_cern_meta',
    'mod_socache_dc',
  ]),
  upstream: new Set([
    'mod_ssl',
    'mod_ldap',
    'mod_authnz_ldap',
    'mod_session_crypto',
    'mod_proxy_html',
    'mod_xml2enc',
    'mod_lua',
    'mod_md',
    'mod_http2',
    'mod_proxy_http2',
    'mod_brotli',
    'mod_suexec',
    'mod_cgi',
    'mod_socache_dc',
    'mod_asis',
    'mod_cern_meta',
    'mod_ident',
    'mod_imagemap',
    'mod_usertrack',
    'mod_mime_magic',
    'mod_log_forensic',
    'mod_charset_lite',
    'mod_reflector',
    'mod_dav_lock',
    'mod_slotmem_plain',
    'mod_watchdog',
    'mod_proxy_hcheck',
    'mod_heartbeat',
    'mod_heartmonitor',
  ]),
};

const VENDOR_MODULES: ReadonlySet<string> = new Set(['mod_authz_core', 'mod_access_compat']);
const ALL_EXCEPT_VENDOR_MODULES = { has: (module: string) => !VENDOR_MODULES.has(module) };

const EXTRA_MODULES: Readonly<Record<Exclude<Distribution, 'debian'>, Pick<ReadonlySet<string>, 'has'>>> = {
  ...SEPARATE_MODULES,
  windows: new Set([
    ...SEPARATE_MODULES.upstream,
    'mod_unixd',
    'mod_cgid',
    'mod_privileges',
    'event',
    'worker',
    'prefork',
  ]),
  ihs: ALL_EXCEPT_VENDOR_MODULES,
  ohs: ALL_EXCEPT_VENDOR_MODULES,
};

/**
 * Takes the manual's name of a missing module. Returns the advice and the fixes that load it.
 * `isEarly`: a file that is included between the LoadModule lines may need the module, so the new
 * line goes above all of them.
 */
export function fixesToLoad(module: string, modules: LoadedModules, isEarly = false): LoadingFixes {
  const moduleName = shortName(module);
  const { distribution } = modules;
  const missingModules = [...withPrerequisites(module, modules)];
  const isInEveryBuild =
    distribution === null && !missingModules.some((each) => EXTRA_MODULES.upstream.has(each) || MPM_NAMES.has(each));
  const placedEdit = placeOfNewLines(missingModules, modules, isEarly);
  if (placedEdit === null) return { advice: `Load ${moduleName}_module.`, fixes: () => [] };
  const { file, edit, isShared } = placedEdit;
  const isExtraModule =
    distribution !== null && distribution !== 'debian'
      ? missingModules.some((each) => EXTRA_MODULES[distribution].has(each))
      : distribution === null;
  // A module that every build has is compiled in, or is in the directory of the other modules.
  const isFixSafe = !isShared && (isInEveryBuild || !isExtraModule);
  const title =
    missingModules.length > 2
      ? `Load ${shortName(missingModules[missingModules.length - 1]!)}_module and what it needs`
      : `Load ${missingModules.map((each) => `${shortName(each)}_module`).join(' and ')}`;
  const assumption = isFixSafe ? {} : { assumes: 'the file of the module is in the directory of the other modules' };
  return {
    advice: `Load ${moduleName}_module.`,
    fixes: (findingFile) => [
      {
        title,
        safety: isFixSafe ? 'safe' : 'suggestion',
        ...assumption,
        ...(findingFile === file ? { edits: [edit] } : { edits: [], elsewhere: new Map([[file, [edit]]]) }),
      },
    ],
  };
}

export const MODULES_QUESTION = choiceQuestion('modules');

/**
 * The question whether these modules are separate files on the 2.4 server. If the checked files
 * lack those that load the modules of packages, the question also names these missing files.
 */
export function modulesQuestion(
  missingModules: readonly string[],
  { pathOfMissingPackageLoads: packageLoads }: Pick<LoadedModules, 'pathOfMissingPackageLoads'>,
): OpenQuestion {
  return choiceQuestion('modules', packageLoads === null ? missingModules : [...missingModules, packageLoads]);
}

/**
 * Returns the identifier without `_module`: `authz_core` for mod_authz_core, `mpm_event` for event.
 */
export function shortName(module: string): string {
  return moduleNamed(module)?.['2.4']?.identifier?.replace(/_module$/, '') ?? module.replace(/^mod_/, '');
}

/**
 * The name for a2enmod: the file in mods-available of Debian's package apache2. This name is the
 * identifier for all modules but one.
 */
export function debianName(module: string): string {
  return module === 'mod_dumpio' ? 'dump_io' : shortName(module);
}

/** Whether a line loads the PHP module. It runs only with the MPM prefork. */
export function loadsPhp({ loadLines }: LoadedModules): boolean {
  return loadLines.some(({ module }) => /^mod_php/.test(module));
}

/** Whether a2enmod of Debian enables the modules of this configuration. */
export function isDebianLayout(modules: LoadedModules): boolean {
  const isOfHttpd = ({ module }: LoadModuleLine) => moduleNamed(module) !== undefined;
  return modules.distribution === 'debian' && (hasFileForEachModule(modules) || !modules.loadLines.some(isOfHttpd));
}

/** Whether the configuration has a file for each module, as on Debian. */
function hasFileForEachModule({ loadLines }: LoadedModules): boolean {
  return loadLines.filter(({ configLine }) => /\.load$/.test(configLine.file.path)).length > loadLines.length / 2;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * One fix that loads all of the missing modules. The list is empty if no line shows the style of
 * LoadModule lines. `areOtherModulesFiles`: the other modules of the server are separate files, so
 * each missing module is a file or is compiled in. Otherwise the user must answer whether the
 * missing modules are files.
 */
export function fixesToLoadAll(
  names: readonly string[],
  modules: LoadedModules,
  findingFile: string,
  areOtherModulesFiles: boolean,
): readonly Fix[] {
  const missingModules = [...new Set(names.flatMap((module) => [...withPrerequisites(module, modules)]))];
  const placedEdit = missingModules.length === 0 ? null : placeOfNewLines(missingModules, modules);
  if (placedEdit === null) return [];
  const { file, edit, isShared } = placedEdit;
  const title =
    missingModules.length > 2
      ? fittingTitle(
          `Load the modules ${joinedItems(missingModules.map(shortName))}`,
          `Load ${shortName(missingModules[0]!)}_module and ${missingModules.length - 1} more modules`,
        )
      : `Load ${missingModules.map((each) => `${shortName(each)}_module`).join(' and ')}`;
  const edits = findingFile === file ? { edits: [edit] } : { edits: [], elsewhere: new Map([[file, [edit]]]) };
  if (areOtherModulesFiles && !isShared && !missingModules.some((each) => EXTRA_MODULES.upstream.has(each)))
    return [{ title, safety: 'safe', ...edits }];
  return [
    {
      title,
      safety: 'suggestion',
      assumes: 'the modules are files in the directory of the other modules',
      choice: { openQuestion: modulesQuestion(missingModules, modules), values: ['files'] },
      ...edits,
    },
  ];
}

/**
 * Puts the line of a module that may already be in the server into an `<IfModule>` that tests for
 * the module. The line of an MPM stays as it is, because missing-module.ts makes a test for the
 * MPM.
 */
function linesInConditions(
  lines: readonly string[],
  missingModules: readonly string[],
  modules: LoadedModules,
): readonly string[] {
  return lines.flatMap((line, i) => {
    const module = missingModules[i]!;
    const moduleAbsence = modules.absenceOf(module);
    const mayBeLoaded = moduleAbsence?.certainty === 'part' && moduleNamed(module)?.['2.2'] !== undefined;
    if (MPM_NAMES.has(module) || !(mayBeLoaded || moduleAbsence?.otherModulesAreFiles)) return [line];
    const indent = /^\s*/.exec(line)![0];
    return [`${indent}<IfModule !${shortName(module)}_module>`, line, `${indent}</IfModule>`];
  });
}

/** The module, after the missing modules that have to be loaded before it. */
function* withPrerequisites(module: string, modules: LoadedModules): Iterable<string> {
  for (const earlierModule of moduleNamed(module)?.loadAfter ?? [])
    if (modules.absenceOf(earlierModule) !== null) yield* withPrerequisites(earlierModule, modules);
  yield module;
}

interface PlacedEdit {
  readonly file: string;
  readonly edit: Edit;
  /** Whether the configuration reads the file at several places. */
  readonly isShared: boolean;
}

/**
 * The edit that adds LoadModule lines for the missing modules, with its file. Null if no place is
 * suitable. `isEarly`: as for `fixesToLoad`.
 */
function placeOfNewLines(
  missingModules: readonly string[],
  modules: LoadedModules,
  isEarly = false,
): PlacedEdit | null {
  const anchor = anchorFor(missingModules, modules);
  const modelArguments = anchor && loadModuleOf(anchor.configLine.line);
  if (!anchor || !modelArguments) return placeWithoutHttpdLines(missingModules, modules);
  const { line, offset, file } = anchor.configLine;
  const eol = lineEnd(line);
  const isLastLine = !/\n$/.test(line.text);
  const content = line.text.slice(contentStart(line), contentEnd(line));
  const plainLines = missingModules.map((module) => {
    let changedContent = content;
    // The edits are applied from the last to the first, so that the offsets stay right.
    for (const edit of [...editsToLoad(modelArguments, shortName(module))].reverse()) {
      changedContent =
        changedContent.slice(0, edit.start - contentStart(line)) +
        edit.text +
        changedContent.slice(edit.end - contentStart(line));
    }
    return `${indentOf(line)}${withDirectoryOf24(changedContent)}`;
  });
  const newLines = linesInConditions(plainLines, missingModules, modules);
  const loadsMpm = missingModules.some((module) => MPM_NAMES.has(module));
  if (hasFileForEachModule(modules)) {
    const prerequisiteModules = missingModules.flatMap(prerequisites);
    const isBelowLoads = modules.loadLines.some(({ module }) => prerequisiteModules.includes(module));
    const placeOfInclude = placeAtIncludeOfLoads(modules.mainFile.tree, loadsMpm, isBelowLoads);
    return placeOfInclude && insertionAt(modules.mainFile, placeOfInclude, newLines);
  }
  // The new lines must stay below the LoadModule lines of modules that they need.
  const mayMoveUp = !missingModules
    .flatMap(prerequisites)
    .some((each) => modules.loadLines.some(({ module }) => module === each));
  const placeAboveTest = mayMoveUp ? placeAboveTests(missingModules, modules, anchor) : null;
  if (placeAboveTest !== null) return insertionAt(placeAboveTest.file, { start: placeAboveTest.start, eol }, newLines);
  // A LoadModule line or an included file that needs the new module may come before this place.
  // Then the new line goes above it.
  const dependentLine = modules.loadLines.find(({ module }) =>
    prerequisites(module).some((before) => missingModules.includes(before)),
  );
  const isActiveAtTopLevel = ({ configLine }: LoadModuleLine) =>
    configLine.activity === 'active' &&
    configLine.conditionals.length === 0 &&
    configLine.enclosingSections.length === 0 &&
    configLine.macro === undefined;
  const firstDependentLine = isEarly ? modules.loadLines.find(isActiveAtTopLevel) : dependentLine;
  if (firstDependentLine && modules.loadLines.indexOf(firstDependentLine) <= modules.loadLines.indexOf(anchor)) {
    const { configLine } = firstDependentLine;
    if (configLine.conditionals.length > 0 || configLine.macro !== undefined) return null;
    return insertionAt(configLine.file, { start: configLine.offset, eol }, newLines);
  }
  const lineEndOffset = offset + line.length;
  const text = isLastLine ? newLines.map((each) => eol + each).join('') : newLines.map((each) => each + eol).join('');
  return { file: file.path, edit: { start: lineEndOffset, end: lineEndOffset, text }, isShared: file.readingCount > 1 };
}

/** The edit that inserts the lines at `start`, above the line that starts there. */
function insertionAt(
  { path, readingCount }: LoadModuleLine['configLine']['file'],
  { start, eol }: { readonly start: number; readonly eol: string },
  lines: readonly string[],
): PlacedEdit {
  const text = lines.map((each) => each + eol).join('');
  return { file: path, edit: { start, end: start, text }, isShared: readingCount > 1 };
}

/**
 * Where to insert LoadModule lines in the main file: at the start of the first Include line for
 * `*.load` files, or below that line if `isBelow`. For an MPM: above the first section that tests
 * for an MPM, if that is farther up. `eol`: the line end of the Include line. Null if there is no
 * such Include line, or if it ends without a newline.
 */
function placeAtIncludeOfLoads(tree: Tree, isMpm: boolean, isBelow: boolean): { start: number; eol: string } | null {
  let foundPlace: { start: number; eol: string } | null = null;
  forEachItem(tree.root, 0, (item, offset) => {
    if (foundPlace !== null || item instanceof Section || !/^include(optional)?$/.test(item.name)) return;
    const isOfLoads = argumentsOf(item).some(({ value }) => /\*\.load$/.test(value));
    if (isOfLoads && /\n$/.test(item.text))
      foundPlace = { start: isBelow ? offset + item.length : offset, eol: lineEnd(item) };
  });
  const includePlace = foundPlace as { start: number; eol: string } | null;
  return includePlace && isMpm
    ? { ...includePlace, start: offsetOfFirstTest(tree, includePlace.start, [...MPM_NAMES]) ?? includePlace.start }
    : includePlace;
}

/**
 * The place above the first section that tests for one of the modules before a LoadModule line,
 * also in another file. Null if there is no such section. 2.2 has its MPM and other modules
 * compiled in. 2.4 evaluates `<IfModule prefork.c>` when it reads the line (start_ifmod of
 * server/core.c), so it must load the module above this section.
 */
function placeAboveTests(
  missingModules: readonly string[],
  { files, readingOrder }: LoadedModules,
  { configLine: { file, offset } }: LoadModuleLine,
): { readonly file: LoadModuleLine['configLine']['file']; readonly start: number } | null {
  const loadLinePlace = { path: file.path, offset };
  let testStart = offsetOfFirstTest(file.tree, offset, missingModules);
  let earliestPlace = testStart === null ? null : { path: file.path, offset: testStart };
  if (readingOrder !== null)
    for (const { path, tree, readingCount } of files.values()) {
      if (path === file.path || readingCount > 1) continue;
      testStart = offsetOfFirstTest(tree, tree.length, missingModules);
      const divergingPlace =
        testStart === null ? null : readingOrder().divergingLine({ path, offset: testStart }, loadLinePlace);
      if (divergingPlace !== null && (earliestPlace === null || readingOrder().isBefore(divergingPlace, earliestPlace)))
        earliestPlace = divergingPlace;
    }
  const fileOfPlace = earliestPlace === null ? undefined : files.get(earliestPlace.path);
  return fileOfPlace ? { file: fileOfPlace, start: startAround(fileOfPlace.tree, earliestPlace!.offset) } : null;
}

/**
 * The offset of the outermost section or line around an offset, or of the comments directly above
 * it.
 */
function startAround(tree: Tree, offset: number): number {
  return firstItem(tree, (item, start) => offset < start + item.length && item.kind !== LineKind.Comment) ?? offset;
}

/**
 * The offset of the first outermost section before `end` that tests for one of the modules, or of
 * the comments directly above it; null if there is none.
 */
function offsetOfFirstTest(tree: Tree, end: number, modules: readonly string[]): number | null {
  if (!namesIn(tree.root).hasName('<ifmodule')) return null;
  return firstItem(tree, (item, start) => start < end && item instanceof Section && testsModule(item, modules));
}

/**
 * The offset of the first outermost item for which `isWanted` is true, or of the comments directly
 * above it. Null if there is no such item.
 */
function firstItem(tree: Tree, isWanted: (item: Item, offset: number) => boolean): number | null {
  let foundOffset: number | null = null;
  let commentsOffset: number | null = null;
  forEachItem(tree.root, 0, (item, offset) => {
    if (foundOffset !== null) return;
    if (isWanted(item, offset)) foundOffset = commentsOffset ?? offset;
    const isComment = !(item instanceof Section) && item.kind === LineKind.Comment;
    commentsOffset = isComment ? (commentsOffset ?? offset) : null;
  });
  return foundOffset;
}

/**
 * Whether a section, or a section inside it, tests for one of the modules. If one of these is an
 * MPM, a test for any MPM counts.
 */
function testsModule({ name, open, body }: Section, modules: readonly string[]): boolean {
  const tested = name === 'ifmodule' ? (argumentsOf(open)[0]?.value.replace(/^!/, '') ?? '') : '';
  const module = moduleInConfiguration(tested) ?? '';
  if (modules.some((each) => each === module || (MPM_NAMES.has(each) && MPM_NAMES.has(module)))) return true;
  let isInside = false;
  forEachItem(body, 0, (item) => void (isInside ||= item instanceof Section && testsModule(item, modules)));
  return isInside;
}

/**
 * The place of new lines if no LoadModule line loads a module of httpd. It is below a line that
 * loads another module, whose directory the new lines use, or below ServerRoot. Null if there is no
 * such place, or if the path of the directory needs quotes or has a variable.
 */
function placeWithoutHttpdLines(missingModules: readonly string[], modules: LoadedModules): PlacedEdit | null {
  const { lineAboveNewLoadModule } = modules;
  if (lineAboveNewLoadModule === null) return null;
  const { line, offset, file } = lineAboveNewLoadModule;
  const modelPath = loadModuleOf(line)?.file.value.replace(/\\/g, '/') ?? 'modules/';
  const directory = modelPath.slice(0, modelPath.lastIndexOf('/') + 1) || 'modules/';
  if (/[\s"'$]/.test(directory)) return null;
  const eol = lineEnd(line);
  const plainLines = missingModules.map((module) => {
    const moduleName = shortName(module);
    return withDirectoryOf24(`LoadModule ${moduleName}_module ${directory}mod_${moduleName}.so`);
  });
  const newLines = linesInConditions(plainLines, missingModules, modules);
  const lineEndOffset = offset + line.length;
  const isLastLine = !/\n$/.test(line.text);
  const text = newLines.map((each) => (isLastLine ? eol + each : each + eol)).join('');
  return { file: file.path, edit: { start: lineEndOffset, end: lineEndOffset, text }, isShared: file.readingCount > 1 };
}

/**
 * Returns the LoadModule line below which a new line goes; null if no line is suitable. It is the
 * last line of a module that must be loaded first. If there is none, it is the line whose module
 * has the most similar name, or else the last line of the block.
 */
function anchorFor(missingModules: readonly string[], modules: LoadedModules): LoadModuleLine | null {
  const usableLoads = modules.loadLines.filter(
    ({ configLine, module }) =>
      configLine.activity === 'active' &&
      configLine.conditionals.length === 0 &&
      configLine.enclosingSections.length === 0 &&
      !configLine.line.isJoined &&
      configLine.macro === undefined &&
      hasUsualFileName(module, configLine.line),
  );
  if (usableLoads.length === 0) return null;
  const prerequisiteModules = missingModules.flatMap(prerequisites);
  const prerequisiteLines = usableLoads.filter(({ module }) => prerequisiteModules.includes(module));
  if (prerequisiteLines.length > 0) return prerequisiteLines.at(-1)!;
  let bestLoad = lastLineOfMainFile(usableLoads);
  let bestLength = 3;
  for (const load of usableLoads) {
    const commonLength = commonPrefixLength(
      shortName(load.module),
      shortName(missingModules[missingModules.length - 1]!),
    );
    if (commonLength >= bestLength) [bestLoad, bestLength] = [load, commonLength];
  }
  return bestLoad;
}

/** The last LoadModule line of the file that has the most LoadModule lines. */
function lastLineOfMainFile(loads: readonly LoadModuleLine[]): LoadModuleLine {
  const counts = new Map<string, number>();
  for (const { configLine } of loads) counts.set(configLine.file.path, (counts.get(configLine.file.path) ?? 0) + 1);
  const highestCount = Math.max(...counts.values());
  return loads.filter(({ configLine }) => counts.get(configLine.file.path) === highestCount).at(-1)!;
}

/**
 * Whether the module's file has its usual name. Then the file of the new module is assumed to have
 * its usual name, too.
 */
function hasUsualFileName(module: string, line: LoadModuleLine['configLine']['line']): boolean {
  const loadModuleLine = loadModuleOf(line);
  return (
    loadModuleLine !== null &&
    /^mod_\w+\.so$/.test(loadModuleLine.fileName) &&
    moduleNamed(module)?.['2.4'] !== undefined
  );
}

/**
 * The modules that must be loaded before this module. In 2.4.34, mod_lbmethod_… modules call
 * functions of mod_proxy_balancer.
 */
function prerequisites(module: string): readonly string[] {
  return module.startsWith('mod_lbmethod_') ? ['mod_proxy_balancer'] : (moduleNamed(module)?.loadAfter ?? []);
}

function commonPrefixLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
