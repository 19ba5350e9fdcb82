/**
 * Modules that do not come with httpd: their directives, where these may be used, and what became
 * of each module for 2.4.
 *
 * data/third-party.json has the facts, each with its source; one line there adds a module.
 * generated/third-party.json has the directives of the modules that Debian packages
 * (server/scripts/generate-third-party.mjs reads them from the modules' command tables).
 */
import { lazy } from '../syntax/memory';
import { addTo } from '../syntax/groups';

/** A module that does not come with httpd. */
export interface ThirdPartyModule {
  /** As in LoadModule: `wsgi_module`. */
  readonly identifier: string;
  /** All identifiers that LoadModule lines use for it. */
  readonly identifiers: readonly string[];
  /** As in `<IfModule>`: `mod_wsgi.c`. */
  readonly source: string;
  /** `mod_wsgi.so`, without suffixes that packages add for versions. */
  readonly file: string;
  /** Debian's package for 2.4; undefined if there is none. */
  readonly package?: string;
  /** In the module's spelling, sections with their `<`. */
  readonly directives: readonly string[];
  /**
   * The places of each directive, one letter for each. The command table of the module shows only
   * `s`, `d` and `h`; the other letters are from the source of the directive's function.
   *
   * - `s` server and virtual hosts; `w` like `s`, but in a virtual host the module warns, and the
   *   line applies to the whole server
   * - `g` server only, because the function uses GLOBAL_ONLY of httpd; `m` server only, with a
   *   message of the module's own
   * - `d` directories, locations and files; `p` directories and locations; `l` locations
   * - `h` .htaccess files; `o` .htaccess files, with some versions or builds of the module
   */
  readonly places: Readonly<Record<string, string>>;
  /** Beginnings of names. Every directive that begins with one of them belongs to the module. */
  readonly prefixes: readonly string[];
  /** The vendor's server for 2.4 that contains the module, as in `Distribution`. */
  readonly vendor?: 'ihs' | 'ohs';
  /** What the module is for, as the words after "The module": `runs PHP pages`. */
  readonly about?: string;
  /** Advice to the user: what to do about the module for 2.4. */
  readonly advice?: string;
  /**
   * What the module does. `login`: it identifies the user. `refuses`: it refuses requests.
   * `groups`: it decides `Require group`. `address`: it changes the address of the client.
   */
  readonly does: readonly ('login' | 'refuses' | 'groups' | 'address')[];
  /** The directives that make the module refuse requests (access_checker hooks). */
  readonly refuses: readonly string[];
  /** The directives that make the module decide `Require group` in 2.2 (auth_checker hooks). */
  readonly groups: readonly string[];
  /**
   * The directives that make the module answer requests, or map URLs to files. For such requests,
   * no directory has to exist (access/mappers.ts).
   */
  readonly serves: readonly string[];
  /**
   * The word after `Require` with which the module checks groups in 2.4, such as `ldap-group`.
   * Absent if it has none.
   */
  readonly groupWord?: string;
  /** The words directly after `Require` that the module provides in 2.4. */
  readonly words24: readonly string[];
  /** File names that only versions of the module for 2.4 have. */
  readonly files24: readonly string[];
  /** The module's identifier and file for 2.4, if one of them differs from 2.2. */
  readonly load24?: { readonly identifier: string; readonly file: string };
  /** Directives that the module's version for 2.4 lacks. The values say what to do instead. */
  readonly removed: Readonly<Record<string, string>>;
  /** The directives by which the module finds the address of the client. */
  readonly address?: AddressFacts;
}

/** Names of the directives of a module that changes the address of the client. */
export interface AddressFacts {
  /**
   * The directives that switch the module on, if it is off by default. Empty if it is always on.
   */
  readonly on: readonly string[];
  /** Whether the module trusts only the proxies that its lines name. */
  readonly needsProxies?: boolean;
  readonly header: readonly string[];
  readonly proxies: readonly string[];
  /** The header that the module reads if no line names another header. */
  readonly default: string;
}

/**
 * The modules that have a directive or section with this name; empty if no known module has it.
 * `name` is in lower case, without the `<` of a section.
 */
export function thirdPartyModules(name: string, isSection: boolean): readonly ThirdPartyModule[] {
  const { modulesByExactName, prefixes } = modulesByDirective();
  const exactMatches = modulesByExactName.get(isSection ? `<${name}` : name);
  if (exactMatches !== undefined) return exactMatches;
  for (const [prefix, modulesWithPrefix] of prefixes) if (name.startsWith(prefix)) return modulesWithPrefix;
  return NO_MODULES;
}

/**
 * The word after `Require` that asks for a group in 2.4, such as `ldap-group`, for the module that
 * has this directive. Undefined if no module with this directive has such a word.
 */
export function groupWordOf(directive: string): string | undefined {
  return thirdPartyModules(directive, false).find(({ groupWord }) => groupWord !== undefined)?.groupWord;
}

/**
 * The modules that have this directive, and their spelling of it. undefined unless all of them
 * refuse it in a virtual host as httpd does (ap_check_cmd_context with GLOBAL_ONLY). `name` is in
 * lower case, with the `<` of a section.
 */
export function refusedInVirtualHost(name: string): RefusedInVirtualHost | undefined {
  return refusedByDirective().get(name);
}

/** A directive that modules refuse in a virtual host, and these modules. */
export interface RefusedInVirtualHost {
  /** The directive as the modules spell it. */
  readonly spelledName: string;
  readonly modules: readonly ThirdPartyModule[];
}

/** All known third-party modules. */
export function allThirdPartyModules(): readonly ThirdPartyModule[] {
  return modules();
}

/**
 * The module by its identifier, source file, file, or one of these without `.c`, `.so`, `_module`;
 * in upper or lower case. Undefined if it is not known.
 */
export function thirdPartyModule(name: string): ThirdPartyModule | undefined {
  return moduleByBareName().get(bareModuleName(name));
}

// ---------------------------------------------------------------------------------------------------------------------

const NO_MODULES: readonly ThirdPartyModule[] = [];

/**
 * A module that Debian packages, as in generated/third-party.json. `directives`: the places of each
 * directive, in the letters of `ThirdPartyModule.places`.
 */
interface PackagedModule {
  readonly identifier: string;
  readonly source: string;
  readonly file: string;
  readonly package: string;
  readonly directives: Readonly<Record<string, string>>;
}

/**
 * An entry of data/third-party.json: the facts about one module, which may have several
 * identifiers, sources and files.
 */
type ModuleFactsRow = Omit<Partial<ThirdPartyModule>, 'directives'> & {
  readonly identifiers: readonly string[];
  readonly sources: readonly string[];
  readonly files: readonly string[];
  readonly directives?: Readonly<Record<string, string>>;
};

const factRows = lazy(() => require('./data/third-party.json') as readonly ModuleFactsRow[]);

const modules = lazy((): readonly ThirdPartyModule[] => {
  const allPackagedModules = require('./generated/third-party.json') as readonly PackagedModule[];
  const usedPackages = new Set<PackagedModule>();
  const modulesWithFacts = factRows().map((each) => {
    const packagedModules = allPackagedModules.filter(({ identifier }) => each.identifiers.includes(identifier));
    for (const packagedModule of packagedModules) usedPackages.add(packagedModule);
    return moduleFromFacts(
      each,
      packagedModules[0],
      Object.assign({}, ...packagedModules.map(({ directives }) => directives), each.directives),
    );
  });
  const unusedPackagedModules = allPackagedModules
    .filter((each) => !usedPackages.has(each))
    .map((each) =>
      moduleFromFacts(
        { identifiers: [each.identifier], sources: [each.source], files: [each.file] },
        each,
        each.directives,
      ),
    );
  return [...modulesWithFacts, ...unusedPackagedModules];
});

function moduleFromFacts(
  facts: ModuleFactsRow,
  packagedModule: PackagedModule | undefined,
  places: Readonly<Record<string, string>>,
): ThirdPartyModule {
  return {
    prefixes: [],
    does: [],
    refuses: [],
    groups: [],
    serves: [],
    words24: [],
    files24: [],
    removed: {},
    ...facts,
    identifier: packagedModule?.identifier ?? facts.identifiers[0]!,
    source: packagedModule?.source ?? facts.sources[0]!,
    file: packagedModule?.file ?? facts.files[0]!,
    ...(packagedModule && { package: packagedModule.package }),
    directives: Object.keys(places),
    places,
  };
}

/**
 * The modules that have a directive, by its exact name or by the prefix of its name, in lower case.
 */
interface ModulesByDirective {
  readonly modulesByExactName: ReadonlyMap<string, readonly ThirdPartyModule[]>;
  readonly prefixes: readonly (readonly [prefix: string, modules: readonly ThirdPartyModule[]])[];
}

const modulesByDirective = lazy((): ModulesByDirective => {
  const modulesByExactName = new Map<string, ThirdPartyModule[]>();
  const prefixes: (readonly [string, readonly ThirdPartyModule[]])[] = [];
  for (const entry of modules()) {
    for (const directive of entry.directives)
      addTo(modulesByExactName, directive.toLowerCase().replace(/>$/, ''), entry);
    for (const prefix of entry.prefixes) prefixes.push([prefix.toLowerCase(), [entry]]);
  }
  return { modulesByExactName, prefixes };
});

const refusedByDirective = lazy((): ReadonlyMap<string, RefusedInVirtualHost> => {
  const refusedByName = new Map<string, RefusedInVirtualHost>();
  for (const { places } of modules())
    for (const spelledDirective of Object.keys(places)) {
      const directiveName = spelledDirective.toLowerCase().replace(/>$/, '');
      const modulesHavingIt = modulesByDirective().modulesByExactName.get(directiveName)!;
      const allRefuse = modulesHavingIt.every((owner) => owner.places[spelledDirective]?.startsWith('g'));
      if (allRefuse) refusedByName.set(directiveName, { spelledName: spelledDirective, modules: modulesHavingIt });
    }
  return refusedByName;
});

const moduleByBareName = lazy((): ReadonlyMap<string, ThirdPartyModule> => {
  const moduleByName = new Map<string, ThirdPartyModule>();
  for (const entry of modules())
    for (const name of [entry.file, entry.source, entry.identifier]) moduleByName.set(bareModuleName(name), entry);
  for (const each of factRows()) {
    const module = modules().find(({ identifiers }) => identifiers === each.identifiers)!;
    for (const name of [...each.files, ...each.sources, ...each.identifiers])
      if (!moduleByName.has(bareModuleName(name))) moduleByName.set(bareModuleName(name), module);
  }
  return moduleByName;
});

/**
 * The name of a module without the parts in which its names differ: `wsgi` for `mod_wsgi.so` and
 * `wsgi_module`.
 */
function bareModuleName(name: string): string {
  return name
    .replace(/^.*[/\\]/, '')
    .toLowerCase()
    .replace(/\.(so|c|cc|cpp|dll)$/, '')
    .replace(/_module$/, '')
    .replace(/^mod_|^lib/, '');
}
