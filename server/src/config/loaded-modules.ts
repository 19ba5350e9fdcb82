/**
 * What the LoadModule lines of a configuration load, and what of that is certain: the ground for everything that is said about
 * modules that are missing.
 */
import { argumentsOf } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { linesIn, type ConfigLine, type Configuration, type Names, type Scope } from './configuration';
import type { Activity } from './activity';
import { builtInOf, PROFILES, type Distribution } from './distribution';
import { moduleNamed } from './modules';
import { mentionsIn } from './lines-by-name';
import type { NameSet } from './name-set';
import { isWrittenAtStart, SUSE_BUILT_IN, type ServiceFile } from './service-file';

/** A LoadModule line. */
export interface Load {
  /** By the manual's name (`mod_alias`, `event`); of one that is not httpd's own, see moduleNamed. */
  readonly module: string;
  readonly at: ConfigLine;
}

export interface LoadedModules {
  /** In the order in which they are read; those that may not be read, too. */
  readonly loads: readonly Load[];
  /** Where a LoadModule line can be written if no line loads a module of httpd: after the last LoadModule line of another module, or after ServerRoot. null for a distribution, which has other files for them. */
  readonly otherPlace: ConfigLine | null;
  readonly distribution: Distribution | null;
  /** What the start script of the distribution loads beside them; null where nothing is known of one. */
  readonly service: ServiceFile | null;
  /** Whether the lines are all that the server loads: no include is missing, and the modules of every server are loaded by lines, not compiled in. */
  readonly isComplete: boolean;
  /** Whether 2.4 will have the module; by the name that 2.4 has for it. */
  has(module: string): Activity;
  /** That nothing that is seen here loads the module, and how much that says; null where something does, or may. */
  absence(module: string): Absence | null;
}

/** A module that nothing loads. */
export interface Absence {
  /** `certain`: nothing else can have it; `part`: a part of the configuration is not here, or cannot be read; `built-in`: it may be compiled in. */
  readonly certainty: 'certain' | 'part' | 'built-in';
  /** What may have it all the same: for a sentence that begins with "unless", % for the modules; '' where nothing may. */
  readonly unless: string;
  /** Whether the lines are those of a server that loads what it needs: then what they do not load is worth a word of its own. */
  readonly isServer: boolean;
}

/** Modules of 2.2 that are another one in 2.4: the rules about their LoadModule lines put it there. */
const SUCCESSORS: Readonly<Record<string, string>> = {
  mod_authn_alias: 'mod_authn_core',
  mod_disk_cache: 'mod_cache_disk',
};

/** What every server has, compiled in or loaded; where some are loaded, the server is one that loads. */
const USUAL = [
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
const ENOUGH = 3;

/** What some builders compile in (PROFILES), or may have: of these nothing is known where nobody knows whose server it is. */
const PERHAPS_BUILT_IN = new Set([
  ...Object.values(PROFILES).flatMap(({ builtIn }) => [...builtIn]),
  'prefork',
  'worker',
  'event',
  'mpm_winnt',
  'mod_http',
]);

/** Reads the LoadModule lines of a configuration that was read with the name `loadmodule`. `given` is what a person said that is compiled in; it goes before what the distribution tells. `service`: what the start script loads. */
export function loadedModules(
  configuration: Configuration,
  distribution: Distribution | null,
  given: ReadonlySet<string> | null = null,
  service: ServiceFile | null = null,
): LoadedModules {
  const loads: Load[] = [];
  const states = new Map<string, Activity>();
  let isReadable = true;
  linesOf(configuration, 'loadmodule').forEach((at) => {
    const identifier = argumentsOf(at.line)[0]?.value;
    const name = identifier === undefined ? null : moduleNamed(identifier);
    if (name === null) {
      if (identifier?.includes('${')) isReadable = false;
      return;
    }
    const module = SUCCESSORS[name] ?? name;
    loads.push({ module, at });
    if (states.get(module) !== 'active') states.set(module, at.activity === 'active' ? 'active' : 'unknown');
  });
  for (const { name } of service?.modules ?? []) {
    const module = moduleNamed(`${name}_module`);
    if (module !== null) states.set(SUCCESSORS[module] ?? module, 'active');
  }
  const usual = USUAL.filter((module) => states.get(module) === 'active').length;
  const gaps = configuration.gaps.filter(
    ({ what }) => service === null || (service.includesMore && /include\.conf$/.test(what)) || !isWrittenAtStart(what),
  );
  const part = unseen(gaps, isReadable);
  const isComplete = isReadable && gaps.length === 0 && usual >= ENOUGH;
  const builtIn =
    given ??
    (service
      ? new Set(SUSE_BUILT_IN)
      : (builtInOf(distribution, configuration.serverRoot) ?? new Set(['core', 'mod_so'])));
  return {
    loads,
    get otherPlace() {
      const isOwnBuild = distribution === null || distribution === 'upstream';
      return isOwnBuild && service === null ? otherPlace(configuration) : null;
    },
    distribution,
    service,
    isComplete,
    absence(module) {
      if (builtIn.has(module) || states.has(module)) return null;
      const isServer = usual >= ENOUGH;
      const mayBeBuiltIn = given === null && (!isServer || (distribution === null && PERHAPS_BUILT_IN.has(module)));
      if (part !== null) return { certainty: 'part', unless: part, isServer: isServer && !mayBeBuiltIn };
      return mayBeBuiltIn
        ? { certainty: 'built-in', unless: '% compiled in', isServer: false }
        : { certainty: 'certain', unless: '', isServer };
    },
    has(module) {
      if (builtIn.has(module)) return 'active';
      const state = states.get(module);
      if (state !== undefined) return state;
      return isComplete && (given !== null || distribution !== null || !PERHAPS_BUILT_IN.has(module))
        ? 'inactive'
        : 'unknown';
    },
  };
}

function otherPlace(configuration: Configuration): ConfigLine | null {
  const isPlain = ({ activity, conditionals, within, macro, line }: ConfigLine) =>
    activity === 'active' && conditionals.length === 0 && within.length === 0 && macro === undefined && !line.isJoined;
  const isOfOthers = ({ line }: ConfigLine) => moduleNamed(argumentsOf(line)[0]?.value ?? '') === null;
  const loads = linesOf(configuration, 'loadmodule').filter((at) => isPlain(at) && isOfOthers(at));
  return loads.at(-1) ?? linesOf(configuration, 'serverroot').find(isPlain) ?? null;
}

/** What may load modules and is not seen; null where nothing is. */
function unseen(gaps: Configuration['gaps'], isReadable: boolean): string | null {
  if (!isReadable) return 'the LoadModule line with a variable loads %';
  const gap = gaps.find(({ reason }) => reason !== 'macro') ?? gaps[0];
  if (gap === undefined) return null;
  switch (gap.reason) {
    case 'include-missing':
      return `${gap.what}, which is not here, loads %`;
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

/** The gathered lines of a name, in the order of the scopes; what stands in a macro is text and no configuration. */
export function linesOf(configuration: Configuration, name: string): readonly ConfigLine[] {
  let names = byName.get(configuration);
  if (!names) byName.set(configuration, (names = new Map()));
  let lines = names.get(name);
  if (!lines)
    names.set(name, (lines = mentionsIn(configuration).has(name) ? readLines(configuration, name) : NO_LINES));
  return lines;
}

/** The container sections of a name in lower case, in order. */
export function scopesOf(configuration: Configuration, kind: string): readonly Scope[] {
  const found: Scope[] = [];
  const name = `<${kind}`;
  const walk = (scope: Scope) => {
    for (const child of scope.children) {
      if (child.kind === 'macro') continue;
      if (child.kind === kind) found.push(child);
      if (!child.names || child.names.has(name)) walk(child);
    }
  };
  if (mentionsIn(configuration).hasSection(kind)) walk(configuration.root);
  return found;
}

/** The top level and every container section that may hold something of interest (see `Scope.names`), each before those in it. */
export function forEachScope(
  scope: Scope,
  mayMatter: (names: NameSet) => boolean,
  visit: (scope: Scope) => void,
): void {
  if (scope.kind === 'macro' || (scope.names && !mayMatter(scope.names))) return;
  visit(scope);
  if (scope.names && !scope.names.hasScopes) return;
  for (const child of scope.children) if (!child.names || mayMatter(child.names)) forEachScope(child, mayMatter, visit);
}

const byName = cacheOf<Configuration, Map<string, readonly ConfigLine[]>>();
const NO_LINES: readonly ConfigLine[] = [];

function readLines(configuration: Configuration, name: string): readonly ConfigLine[] {
  const lines: ConfigLine[] = [];
  const names: Names = { has: (each) => each === name };
  const visit = (scope: Scope): void => {
    for (const at of linesIn(scope, names)) lines.push(at);
  };
  if (mentionsIn(configuration).mayBeNested(name))
    forEachScope(configuration.root, (inside) => inside.has(name), visit);
  else openScopes(configuration).forEach(visit);
  return lines;
}

/** The top level, and the sections of which nobody knows which names stand in them: of what stands in no other section, these have all lines. */
function openScopes(configuration: Configuration): readonly Scope[] {
  let scopes = open.get(configuration);
  if (!scopes) {
    const found: Scope[] = [];
    forEachScope(
      configuration.root,
      () => false,
      (scope) => found.push(scope),
    );
    open.set(configuration, (scopes = found));
  }
  return scopes;
}

const open = cacheOf<Configuration, readonly Scope[]>();
