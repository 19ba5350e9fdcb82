/**
 * Finds modules by the names that a configuration has for them: the identifier in LoadModule, the
 * source file in `<IfModule>`.
 */
import { module, modules } from '../directives/index';
import { thirdPartyModule } from '../directives/third-party';
import { cache, cacheOf, lazy } from '../syntax/memory';

/** The MPMs that both versions have, by the names of their source files. */
export const MPM_NAMES: ReadonlySet<string> = new Set(['prefork', 'worker', 'event']);

/**
 * The manual's name (`core`, `mod_alias`, `event`) of a module that is given by its identifier
 * (`alias_module`) or source file (`mod_alias.c`). A third-party module gets the usual name of its
 * source file: `mod_wsgi` for `wsgi_module`. Null for other names. Case-sensitive, as in httpd
 * (mod_so.c and core.c, strcmp).
 */
export function moduleNamed(name: string): string | null {
  let cachedName = moduleNameCache.get(name);
  if (cachedName === undefined) {
    cachedName = findModuleName(name);
    if (moduleNameCache.size > 2000) moduleNameCache.clear();
    moduleNameCache.set(name, cachedName);
  }
  return cachedName;
}

/**
 * The manual's name of a module, from any name that users write: `mod_unixd`, `unixd`,
 * `mod_unixd.c`, `unixd_module`, `prefork`, `mpm_prefork`. Null if there is no such module.
 */
export function moduleByAnyName(name: string): string | null {
  const candidates = [name, `${name}.c`, `${name}_module`].flatMap((each) => moduleNamed(each) ?? []);
  return candidates.find((each) => !isThirdPartyModule(each)) ?? candidates[0] ?? null;
}

/**
 * The correct name, if a name in an `<IfModule>` is a probable mistake: `mod_rewrite.c` for
 * `mod_rewrite`, `rewrite`, `mod_Rewrite.c`. undefined for correct names and for third-party
 * modules, whose identifiers may be anything (`mod_shib`).
 */
export function moduleNameMeant(name: string): string | undefined {
  const meantName = correctNameByWrittenName().get(name.toLowerCase());
  return meantName === undefined ||
    meantName === name ||
    moduleNamed(name) === 'core' ||
    thirdPartyModule(name) !== undefined
    ? undefined
    : meantName;
}

/** Whether a module, by its name, does not come with httpd. */
export function isThirdPartyModule(name: string): boolean {
  return !modulesOfHttpd().has(name);
}

/**
 * Whether some of the modules have directives that are not known here. The directives of modules
 * that Debian packages are known, because their command tables were read.
 */
export function hasUnknownModules(modules: ReadonlySet<string>): boolean {
  let hasUnknown = hasUnknownCache.get(modules);
  if (hasUnknown === undefined)
    hasUnknownCache.set(
      modules,
      (hasUnknown = [...modules].some(
        (name) => isThirdPartyModule(name) && thirdPartyModule(name)?.package === undefined,
      )),
    );
  return hasUnknown;
}

/** Whether all modules come with httpd. If so, all their providers are known. */
export function areAllModulesOfHttpd(modules: ReadonlySet<string>): boolean {
  let areOfHttpd = areAllOfHttpdCache.get(modules);
  if (areOfHttpd === undefined) areAllOfHttpdCache.set(modules, (areOfHttpd = ![...modules].some(isThirdPartyModule)));
  return areOfHttpd;
}

const hasUnknownCache = cacheOf<ReadonlySet<string>, boolean>();
const areAllOfHttpdCache = cacheOf<ReadonlySet<string>, boolean>();

// ---------------------------------------------------------------------------------------------------------------------

const modulesOfHttpd = lazy((): ReadonlySet<string> => new Set(modules().map((each) => each.name)));

const moduleNameCache = cache<string, string | null>();

/** The names that users probably meant, by the names that they wrote, in lower case. */
const correctNameByWrittenName = lazy((): ReadonlyMap<string, string> => {
  const correctNames = new Map<string, string>();
  for (const module of modules()) {
    for (const facts of [module['2.2'], module['2.4']]) {
      if (!facts?.sourceFile || !facts.identifier) continue;
      const bareName = facts.sourceFile.replace(/^mod_|\.c$/g, '');
      const namesToRecognize = [
        bareName,
        `${bareName}.c`,
        `mod_${bareName}`,
        `mod_${bareName}.so`,
        `mod_${bareName}_module`,
        `mpm_${bareName}.c`,
      ];
      for (const writtenName of [...namesToRecognize, facts.sourceFile])
        correctNames.set(writtenName.toLowerCase(), facts.sourceFile);
      correctNames.set(facts.identifier.toLowerCase(), facts.identifier);
    }
  }
  return correctNames;
});

/**
 * Names for parts of the core. The manual describes all parts as `core`
 * (directives/data/modules.json).
 */
const CORE_NAMES = new Set(['core.c', 'core_module', 'http_core.c', 'http_module']);

/** As `moduleNamed`, without the cache. */
function findModuleName(name: string): string | null {
  if (CORE_NAMES.has(name)) return 'core';
  const knownModule = module(name);
  const facts = knownModule?.['2.4'] ?? knownModule?.['2.2'];
  if (knownModule && facts) return facts.identifier === name || facts.sourceFile === name ? knownModule.name : null;
  const foreignModule = thirdPartyModule(name);
  if (foreignModule && (foreignModule.identifier === name || foreignModule.source === name))
    return `mod_${foreignModule.identifier.replace(/^mod_|_module$/g, '')}`;
  if (/^[\w-]+_module$/.test(name)) return `mod_${name.slice(0, -'_module'.length)}`;
  return /^[\w-]+\.c$/.test(name) ? name.slice(0, -'.c'.length) : null;
}
