/**
 * Finds the modules that LoadModule lines load, and how certain it is that the others are missing.
 * Findings about missing modules use this result.
 */
import { module as moduleFacts } from '../directives';
import { argumentsOf } from '../syntax/line';
import { cacheOf, lazy } from '../syntax/memory';
import {
  linesIn,
  type ConfigFile,
  type ConfigLine,
  type Configuration,
  type DirectiveNames,
  type Gap,
  type Scope,
} from './configuration';
import type { Activity } from './activity';
import { resolvePath, serverPathOf, type FileView } from './files';
import { builtInModules, detectDistribution, isLoadedByRedHat, PROFILES, type Distribution } from './distribution';
import { moduleNamed } from './modules';
import { namesInUse } from './lines-by-name';
import type { NameSet } from './name-set';
import { ReadingOrder } from './reading-order';
import { isWrittenAtStart, SUSE_BUILT_IN, type ServiceFile } from './service-file';

/** A LoadModule line, with the module that it loads. */
export interface LoadModuleLine {
  /**
   * The manual's name (`mod_alias`, `event`); for a third-party module, the name that `moduleNamed`
   * makes.
   */
  readonly module: string;
  readonly configLine: ConfigLine;
}

/** The modules that a configuration loads, and those built into the server. */
export interface LoadedModules {
  /** All LoadModule lines in reading order, also those that httpd may skip. */
  readonly loadLines: readonly LoadModuleLine[];
  readonly mainFile: ConfigFile;
  /**
   * The line after which a new LoadModule line goes if no line loads a module of httpd. It is the
   * last LoadModule line of another module, or else the ServerRoot line. Null for a distribution
   * that has LoadModule lines in other files.
   */
  readonly lineAboveNewLoadModule: ConfigLine | null;
  /** The files of the configuration, by their paths with links resolved. */
  readonly files: Configuration['files'];
  /** Computes the order in which httpd reads the lines. Null if no view of the files was given. */
  readonly readingOrder: (() => ReadingOrder) | null;
  readonly distribution: Distribution | null;
  /**
   * The distribution's file with the modules that its start script loads; null if there is none.
   */
  readonly serviceFile: ServiceFile | null;
  /**
   * Whether the lines load everything that the server has: no include is missing, and lines load
   * the modules that every server needs.
   */
  readonly isComplete: boolean;
  /**
   * The path in the Include line for the files that load the modules of Red Hat's 2.4 packages.
   * Null if this copy has these files, or if no line includes them.
   */
  readonly pathOfMissingPackageLoads: string | null;
  /** Whether the 2.4 server will have a module. `module`: its name in 2.4. */
  activityOfModule(module: string): Activity;
  /** How certain it is that a module is missing. Null if a line loads it or may load it. */
  absenceOf(module: string): ModuleAbsence | null;
}

/** A module that no line loads: how certain it is that the server does not have it. */
export interface ModuleAbsence {
  /**
   * `certain`: the server cannot have it; `part`: a part of the configuration is missing or
   * unreadable; `built-in`: it may be compiled in.
   */
  readonly certainty: 'certain' | 'part' | 'built-in';
  /**
   * A condition under which the server has the module anyway, as the end of a sentence after
   * "unless". % stands for the modules. Empty if there is none.
   */
  readonly exception: string;
  /** Whether the lines load what a server needs. A missing module is reported only in that case. */
  readonly loadsWholeServer: boolean;
  /**
   * Set if the server's other modules are files, and this module may be compiled in or loaded by a
   * missing part. Then a LoadModule line inside an `<IfModule !…>` is right, whether the server has
   * the module or not.
   */
  readonly otherModulesAreFiles?: true;
  /** Set if Red Hat's package loads the module in a part that this copy lacks. */
  readonly isInPackage?: true;
}

/**
 * Modules of 2.2 and the modules that replace them in 2.4. Other rules change their LoadModule
 * lines.
 */
const SUCCESSOR_BY_MODULE: Readonly<Record<string, string>> = {
  mod_authn_alias: 'mod_authn_core',
  mod_disk_cache: 'mod_cache_disk',
};

/**
 * Modules that nearly every server has. If LoadModule lines load some of them, the modules of this
 * server are files, not compiled in. Then a module without such a line is not loaded.
 */
const USUAL_MODULES = [
  'mod_authz_host',
  'mod_mime',
  'mod_dir',
  'mod_alias',
  'mod_negotiation',
  'mod_autoindex',
  'mod_setenvif',
  'mod_auth_basic',
  'mod_authn_file',
  'mod_authz_user',
  'mod_authz_core',
  'mod_env',
];
const MIN_USUAL_MODULES = 3;

/**
 * The modules that mod_ossl of Oracle HTTP Server replaces: it has their directives itself (Oracle,
 * "Administering Oracle HTTP Server", appendix "Oracle HTTP Server Module Directives";
 * SSLSessionCache).
 */
const MODULES_IN_OSSL = ['mod_ssl', 'mod_socache_shmcb', 'mod_socache_dbm'];

/**
 * Modules that a distribution compiles in (PROFILES) or may compile in. If the distribution is
 * unknown, a module of this list may be compiled in even if no line loads it.
 */
const MODULES_MAYBE_BUILT_IN = new Set([
  ...Object.values(PROFILES).flatMap(({ builtIn }) => [...(builtIn ?? [])]),
  'prefork',
  'worker',
  'event',
  'mpm_winnt',
  'mod_http',
]);

/**
 * The distribution that the paths in a configuration show; null if they show none. The paths in
 * LoadModule lines count only if the configuration was read with the name `loadmodule`.
 */
export function distributionOf({ files, pathMap, rootScope, serverRoot }: Configuration): Distribution | null {
  return detectDistribution({
    files: [...files.keys()].flatMap((file) => [file, serverPathOf(file, pathMap)]),
    loadModulePaths: rootScope.lines
      .filter(({ line }) => line.name === 'loadmodule')
      .map(({ line }) => argumentsOf(line)[1]?.value ?? ''),
    serverRoot,
  });
}

/**
 * Reads the LoadModule lines of a configuration that was read with the name `loadmodule`.
 * `modulesInSettings`: compiled-in modules set by the user, which take precedence over the
 * distribution's. `serviceFile`: the distribution's start file, which also loads modules. `view`:
 * the files, if the configuration was read with the names `include` and `includeoptional`.
 */
export function readLoadedModules(
  configuration: Configuration,
  distribution: Distribution | null,
  modulesInSettings: ReadonlySet<string> | null = null,
  serviceFile: ServiceFile | null = null,
  view: FileView | null = null,
): LoadedModules {
  const loadLines: LoadModuleLine[] = [];
  const activityByModule = new Map<string, Activity>();
  let isReadable = true;
  linesOf(configuration, 'loadmodule').forEach((configLine) => {
    const identifier = argumentsOf(configLine.line)[0]?.value;
    const moduleName = identifier === undefined ? null : moduleNamed(identifier);
    if (moduleName === null) {
      if (identifier?.includes('${')) isReadable = false;
      return;
    }
    const module = SUCCESSOR_BY_MODULE[moduleName] ?? moduleName;
    loadLines.push({ module, configLine });
    if (activityByModule.get(module) !== 'active')
      activityByModule.set(module, configLine.activity === 'active' ? 'active' : 'unknown');
  });
  for (const { name } of serviceFile?.modules ?? []) {
    const module = moduleNamed(`${name}_module`);
    if (module !== null) activityByModule.set(SUCCESSOR_BY_MODULE[module] ?? module, 'active');
  }
  if (activityByModule.has('mod_ossl'))
    for (const module of MODULES_IN_OSSL) activityByModule.set(module, activityByModule.get('mod_ossl')!);
  const isBuiltInUnknown = distribution === null || PROFILES[distribution].builtIn === null;
  const usualCount = USUAL_MODULES.filter((module) => activityByModule.get(module) === 'active').length;
  const gaps = configuration.gaps.filter(
    ({ what }) =>
      serviceFile === null ||
      (serviceFile.includesListedFiles && /include\.conf$/.test(what)) ||
      !isWrittenAtStart(what),
  );
  const unseenParts = unseenPartsText(gaps, isReadable);
  const isModuleListComplete = isReadable && gaps.length === 0 && usualCount >= MIN_USUAL_MODULES;
  const builtIn =
    modulesInSettings ??
    (serviceFile
      ? new Set(SUSE_BUILT_IN)
      : (builtInModules(distribution, configuration.serverRoot) ?? new Set(['core', 'mod_so'])));
  const arePackageLoadsMissing = lacksPackageLoads(configuration, distribution);
  return {
    loadLines,
    mainFile: configuration.rootScope.file,
    files: configuration.files,
    readingOrder: view && lazy(() => new ReadingOrder(configuration, includeLinesOf(configuration), view)),
    get lineAboveNewLoadModule() {
      const isBuiltFromSources = distribution === null || distribution === 'upstream';
      return isBuiltFromSources && serviceFile === null ? lineAboveNewLoadModule(configuration) : null;
    },
    distribution,
    serviceFile,
    isComplete: isModuleListComplete,
    pathOfMissingPackageLoads:
      distribution === null || distribution === 'rhel' ? pathOfMissingPackageLoads(gaps) : null,
    absenceOf(module) {
      if (builtIn.has(module) || activityByModule.has(module)) return null;
      if (arePackageLoadsMissing && isLoadedByRedHat(module))
        return module.startsWith('mod_') && unseenParts !== null
          ? { certainty: 'part', exception: unseenParts, loadsWholeServer: false, isInPackage: true }
          : null;
      const loadsUsualModules = usualCount >= MIN_USUAL_MODULES;
      const mayBeBuiltIn =
        modulesInSettings === null && (!loadsUsualModules || (isBuiltInUnknown && MODULES_MAYBE_BUILT_IN.has(module)));
      const mayBeLoaded = mayBeBuiltIn || (unseenParts !== null && moduleFacts(module)?.['2.2'] !== undefined);
      const factsOfServer = {
        loadsWholeServer: loadsUsualModules && !mayBeBuiltIn,
        ...(loadsUsualModules && mayBeLoaded && { otherModulesAreFiles: true as const }),
      };
      if (unseenParts !== null) return { certainty: 'part', exception: unseenParts, ...factsOfServer };
      return mayBeBuiltIn
        ? { certainty: 'built-in', exception: '% compiled in', ...factsOfServer }
        : { certainty: 'certain', exception: '', loadsWholeServer: loadsUsualModules };
    },
    activityOfModule(module) {
      if (builtIn.has(module)) return 'active';
      const activityOfLoad = activityByModule.get(module);
      if (activityOfLoad !== undefined) return activityOfLoad;
      return isModuleListComplete &&
        (modulesInSettings !== null || !isBuiltInUnknown || !MODULES_MAYBE_BUILT_IN.has(module))
        ? 'inactive'
        : 'unknown';
    },
  };
}

function includeLinesOf(configuration: Configuration): readonly ConfigLine[] {
  return ['include', 'includeoptional'].flatMap((name) => linesOf(configuration, name));
}

/** See `LoadedModules.lineAboveNewLoadModule`. */
function lineAboveNewLoadModule(configuration: Configuration): ConfigLine | null {
  const isUnconditional = ({ activity, conditionals, enclosingSections, macro, line }: ConfigLine) =>
    activity === 'active' &&
    conditionals.length === 0 &&
    enclosingSections.length === 0 &&
    macro === undefined &&
    !line.isJoined;
  const loadsOtherModule = ({ line }: ConfigLine) => moduleNamed(argumentsOf(line)[0]?.value ?? '') === null;
  const loadLines = linesOf(configuration, 'loadmodule').filter(
    (configLine) => isUnconditional(configLine) && loadsOtherModule(configLine),
  );
  return loadLines.at(-1) ?? linesOf(configuration, 'serverroot').find(isUnconditional) ?? null;
}

/**
 * The path in a missing Include of conf.modules.d (`LoadedModules.pathOfMissingPackageLoads`). Null
 * if there is none.
 */
function pathOfMissingPackageLoads(gaps: Configuration['gaps']): string | null {
  return gaps.find(isGapOfPackageLoads)?.what ?? null;
}

/** The files of conf.modules.d only load modules (httpd.spec of Red Hat and Fedora). */
function isGapOfPackageLoads({ reason, what }: Gap): boolean {
  return reason === 'include-missing' && /(^|\/)conf\.modules\.d(\/\*(\.conf)?|\/?)$/.test(what);
}

/**
 * Whether the configuration includes conf.modules.d of Red Hat's packages, but the copy does not
 * have it. The contents of that folder are known even so: LoadModule lines (`isLoadedByRedHat`).
 */
export function lacksPackageLoads(
  configuration: Pick<Configuration, 'gaps' | 'serverRoot'>,
  distribution: Distribution | null,
): boolean {
  return configuration.gaps.some((gap) => isMissingPackageFolder(gap, configuration.serverRoot, distribution));
}

/** Whether a missing part is conf.modules.d of Red Hat's packages, below ServerRoot. */
export function isMissingPackageFolder(
  { reason, what }: Pick<Gap, 'what'> & { readonly reason: string },
  serverRoot: string,
  distribution: Distribution | null,
): boolean {
  return (
    distribution === 'rhel' &&
    (reason === 'include-missing' || reason === 'include-folder-missing') &&
    resolvePath(serverRoot, what) === resolvePath(serverRoot, PROFILES.rhel.loadModuleFiles!)
  );
}

/**
 * Whether nothing is missing in the copy, except perhaps the files that load the modules of the
 * packages.
 */
export function lacksAtMostPackageLoads({ gaps }: Configuration): boolean {
  return gaps.every(isGapOfPackageLoads);
}

/**
 * A clause about an unread part that may load modules. % stands for the modules. Null if there is
 * no such part.
 */
function unseenPartsText(gaps: Configuration['gaps'], isReadable: boolean): string | null {
  if (!isReadable) return 'the LoadModule line with a variable loads %';
  const gap = gaps.find(({ reason }) => reason !== 'macro') ?? gaps[0];
  if (gap === undefined) return null;
  switch (gap.reason) {
    case 'include-missing':
      return `${gap.what}, which is not in this copy, loads %`;
    case 'include-variable':
      return `${gap.what}, of which the variable is not known here, loads %`;
    case 'macro':
      return `the macro ${gap.what} loads %`;
    case 'perl':
      return `<${gap.what}> loads %`;
    case 'variable-line':
      return `the line that begins with ${gap.what} loads %`;
    case 'condition':
      return `${gap.what}, which holds for one version only, loads %`;
    case 'mpm':
      return `${gap.what}, which depends on the MPM, loads %`;
    case 'too-deep':
    case 'too-many':
      return `${gap.what}, which is not read to its end, loads %`;
  }
}

/**
 * The gathered lines of a directive, scope by scope, in the order of the scopes. Lines in macros
 * are not included.
 */
export function linesOf(configuration: Configuration, name: string): readonly ConfigLine[] {
  let linesByName = linesByNameCache.get(configuration);
  if (!linesByName) linesByNameCache.set(configuration, (linesByName = new Map()));
  let lines = linesByName.get(name);
  if (!lines)
    linesByName.set(
      name,
      (lines = namesInUse(configuration).hasName(name) ? gatherLines(configuration, name) : NO_LINES),
    );
  return lines;
}

/** The container sections with a name in lower case, in order. */
export function scopesOf(configuration: Configuration, kind: string): readonly Scope[] {
  const scopes: Scope[] = [];
  const tagName = `<${kind}`;
  const walk = (scope: Scope) => {
    for (const child of scope.children) {
      if (child.kind === 'macro') continue;
      if (child.kind === kind) scopes.push(child);
      if (!child.names || child.names.hasName(tagName)) walk(child);
    }
  };
  if (namesInUse(configuration).hasSection(kind)) walk(configuration.rootScope);
  return scopes;
}

/**
 * Visits the top level and every container section that may have the wanted names (see
 * `Scope.names`). A section is visited before the sections inside it.
 */
export function forEachScope(
  scope: Scope,
  mayHaveNames: (names: NameSet) => boolean,
  visit: (scope: Scope) => void,
): void {
  if (scope.kind === 'macro' || (scope.names && !mayHaveNames(scope.names))) return;
  visit(scope);
  if (scope.names && !scope.names.hasScopes) return;
  for (const child of scope.children)
    if (!child.names || mayHaveNames(child.names)) forEachScope(child, mayHaveNames, visit);
}

const linesByNameCache = cacheOf<Configuration, Map<string, readonly ConfigLine[]>>();
const NO_LINES: readonly ConfigLine[] = [];

/** The lines of a directive, as `linesOf` returns them, without the cache. */
function gatherLines(configuration: Configuration, name: string): readonly ConfigLine[] {
  const foundLines: ConfigLine[] = [];
  const onlyThisName: DirectiveNames = { has: (each) => each === name };
  const visit = (scope: Scope): void => {
    for (const configLine of linesIn(scope, onlyThisName)) foundLines.push(configLine);
  };
  if (namesInUse(configuration).mayBeNested(name))
    forEachScope(configuration.rootScope, (inside) => inside.hasName(name), visit);
  else scopesWithoutNames(configuration).forEach(visit);
  return foundLines;
}

/**
 * Returns the top level, and the container sections without a set of names (`Scope.names`), so that
 * any directive can be in them. A section with such a set has a line with a given name only if the
 * name is in the set.
 */
function scopesWithoutNames(configuration: Configuration): readonly Scope[] {
  let scopes = scopesWithoutNamesCache.get(configuration);
  if (!scopes) {
    const foundScopes: Scope[] = [];
    forEachScope(
      configuration.rootScope,
      () => false,
      (scope) => foundScopes.push(scope),
    );
    scopesWithoutNamesCache.set(configuration, (scopes = foundScopes));
  }
  return scopes;
}

const scopesWithoutNamesCache = cacheOf<Configuration, readonly Scope[]>();
