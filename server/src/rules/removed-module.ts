import { spelledName } from '../syntax/line';
import {
  argumentValues,
  contentSpan,
  fittingHeadline,
  joinedItems,
  lineEnd,
  NO_FINDINGS,
  removeLine,
  shortened,
} from './support/edits';
import { Fact, hasFact } from './support/facts';
import { editsToLoad, loadModuleOf, suggestionsIfTested, type LoadModule } from './support/load-module';
import type { Edit, Finding, Fix, LineRule } from './rule';
import type { Line } from '../syntax/line';
import { fittingTitle, titleToRemove } from './support/fix-title';

/**
 * Finds LoadModule lines of modules that 2.4 does not have, such as mod_authz_default,
 * mod_mem_cache, and modules of 1.3 and 2.0.
 */
export const removedModule: LineRule = {
  id: 'removed-module',
  title: 'LoadModule of a module that 2.4 does not have',
  consequence: 'will not start',
  since: 0,
  fix: 'safe',
  needsLineIn22: true,
  checks: 'line',
  names: ['loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/upgrading.html',
  examples: [
    {
      title: 'LoadModule lines of mod_authn_default and mod_authz_default',
      before:
        'LoadModule authn_default_module modules/mod_authn_default.so\nLoadModule authz_default_module modules/mod_authz_default.so\n',
      after: '',
      finds: ['merged', 'merged'],
    },
    {
      title: 'A LoadModule line of mod_mem_cache',
      before: 'LoadModule mem_cache_module modules/mod_mem_cache.so\n',
      after: '',
      finds: ['mem-cache'],
    },
    {
      title: 'A LoadModule line of a module of 2.0',
      before: 'LoadModule access_module modules/mod_access.so\n',
      after: 'LoadModule authz_host_module modules/mod_authz_host.so\n',
      finds: ['older'],
    },
    {
      title: 'A module of 2.0 that became four modules',
      before: 'LoadModule auth_module modules/mod_auth.so\n',
      after:
        'LoadModule auth_basic_module modules/mod_auth_basic.so\nLoadModule authn_file_module modules/mod_authn_file.so\nLoadModule authz_user_module modules/mod_authz_user.so\nLoadModule authz_groupfile_module modules/mod_authz_groupfile.so\n',
      finds: ['older'],
    },
  ],
  check({ line }) {
    const loadModule = loadModuleOf(line);
    const moduleName =
      loadModule &&
      (removedModuleName(loadModule.identifier.value, /_module$/) ??
        removedModuleName(loadModule.fileName.replace(/^mod_/, ''), /\.so$/));
    return loadModule && moduleName ? [FINDING_MAKER_BY_MODULE.get(moduleName)!(line, loadModule)] : NO_FINDINGS;
  },
};

/** The key in FINDING_BY_MODULE for a text that ends in `suffix`; null if there is none. */
function removedModuleName(text: string, suffix: RegExp): string | null {
  const nameWithoutSuffix = text.replace(suffix, '');
  return nameWithoutSuffix !== text && FINDING_MAKER_BY_MODULE.has(nameWithoutSuffix) ? nameWithoutSuffix : null;
}

/** For each removed module, without `_module`: the function that makes the finding of its line. */
const FINDING_MAKER_BY_MODULE: ReadonlyMap<string, (line: Line, loadModuleLine: LoadModule) => Finding> = new Map([
  ['authn_default', findingMakerIfMerged('mod_authn_core')],
  ['authz_default', findingMakerIfMerged('mod_authz_core')],
  ['mem_cache', findingOfMemCache],
  ['example', findingMakerIfRenamed('example_hooks')],
  ['access', findingMakerOf20('authz_host')],
  ['auth', findingMakerOf20('auth_basic', 'authn_file', 'authz_user', 'authz_groupfile')],
  ['auth_anon', findingMakerOf20('authn_anon')],
  ['auth_dbm', findingMakerOf20('authn_dbm', 'authz_dbm')],
  ['auth_ldap', findingMakerOf20('authnz_ldap')],
  ['imap', findingMakerOf20('imagemap')],
  // Names of modules in the httpd.conf of Apache 1.3 that no later version knows.
  ['config_log', findingMakerOf13(['log_config'])],
  ['includes', findingMakerOf13(['include'])],
  ['action', findingMakerOf13(['actions'])],
  ['anon_auth', findingMakerOf13(['authn_anon'])],
  ['dbm_auth', findingMakerOf13(['authn_dbm', 'authz_dbm'])],
  ['db_auth', findingMakerOf13(['authn_dbm', 'authz_dbm'])],
  ['auth_db', findingMakerOf13(['authn_dbm', 'authz_dbm'])],
  ['digest', findingMakerOf13(['auth_digest'])],
  ['mmap_static', findingMakerOf13(['file_cache'])],
  ['agent_log', findingMakerOf13('CustomLog with "%{User-agent}i"')],
  ['log_agent', findingMakerOf13('CustomLog with "%{User-agent}i"')],
  ['referer_log', findingMakerOf13('CustomLog with "%{Referer}i"')],
  ['log_referer', findingMakerOf13('CustomLog with "%{Referer}i"')],
  ['define', findingMakerOf13('Define of the core')],
  ['browser', findingMakerOf13('BrowserMatch of mod_setenvif')],
  ['cookies', findingMakerOf13(['usertrack'])],
  ['put', findingMakerOf13(['dav'])],
  ['apache_ssl', findingMakerOf13(['ssl'])],
]);

/** The names of all modules that this rule reports, without `_module`. */
export const REMOVED_MODULE_NAMES: ReadonlySet<string> = new Set([...FINDING_MAKER_BY_MODULE.keys()]);

/** The module's identifier as the line spells it, shortened for a headline. */
function spelledModule(line: Line): string {
  return shortened(argumentValues(line)[0] ?? spelledName(line), 30);
}

/** Returns the function for a module that `module` replaces in 2.4. */
function findingMakerIfMerged(module: string) {
  return (line: Line): Finding => ({
    messageId: 'merged',
    what: `\`${spelledModule(line)}\` was removed; ${module} replaces it`,
    cause: 'In 2.4 the file of this module does not exist.',
    help: 'Remove the line.',
    ...contentSpan(line),
    tag: 'deprecated',
    ...suggestionsIfTested([{ title: titleToRemove(line), safety: 'safe', edits: [removeLine(line)] }]),
  });
}

/** The title of a fix, such as `Load cache_disk_module instead of disk_cache_module`. */
function loadInsteadTitle(name: string, line: Line): string {
  return fittingTitle(`Load ${name}_module instead of ${spelledModule(line)}`, `Load ${name}_module instead`);
}

function findingOfMemCache(line: Line): Finding {
  const fix: Fix = { title: titleToRemove(line), safety: 'safe', edits: [removeLine(line)] };
  const { fixes, resolve } = suggestionsIfTested([fix]);
  const suggestion: Fix = { ...fix, safety: 'suggestion', assumes: 'you do not need a cache in memory' };
  return {
    messageId: 'mem-cache',
    what: `\`${spelledModule(line)}\` was removed`,
    cause: 'In 2.4 the file of this module does not exist.',
    help: 'Remove the line. httpd 2.4 has mod_cache_disk and mod_cache_socache instead.',
    ...contentSpan(line),
    tag: 'deprecated',
    fixes,
    resolve: (facts) => (hasFact(facts, Fact.memCache) ? { fixes: [suggestion] } : resolve!(facts)),
  };
}

/** Returns the function for a module that is called `name` in 2.4, without `mod_`. */
function findingMakerIfRenamed(name: string) {
  return (line: Line, loadModuleLine: LoadModule): Finding => ({
    messageId: 'renamed',
    what: `\`${spelledModule(line)}\` is now \`${name}_module\``,
    cause: 'In 2.4 the file with the old name does not exist.',
    help: `Remove the line. If you need this example for developers, load ${name}_module, which packages do not have.`,
    ...contentSpan(line),
    fixes: [
      {
        title: titleToRemove(line),
        safety: 'suggestion',
        assumes: 'no line uses this module, which is an example for developers',
        edits: [removeLine(line)],
      },
      {
        title: loadInsteadTitle(name, line),
        safety: 'suggestion',
        assumes: 'you want this module, which is an example for developers',
        edits: editsToLoad(loadModuleLine, name),
      },
    ],
  });
}

/**
 * Returns the function for a module of Apache 1.3. `replacement`: the modules that replace it,
 * without `mod_`, or a directive of a module that is usually loaded.
 */
function findingMakerOf13(replacement: readonly [string, ...string[]] | string) {
  return (line: Line, loadModuleLine: LoadModule): Finding => {
    const headline = `\`${spelledModule(line)}\` is a module of Apache 1.3`;
    return typeof replacement === 'string'
      ? {
          ...findingOfOlder(line, headline, replacement),
          help: `Use ${replacement} if you need it, and remove the line.`,
          fixes: [{ title: titleToRemove(line), safety: 'suggestion', edits: [removeLine(line)] }],
        }
      : {
          ...findingOfOlder(line, headline, joinedItems(replacement.map((name) => `mod_${name}`)), replacement.length),
          ...helpAndFixes(line, loadModuleLine, replacement),
        };
  };
}

/**
 * Returns the function for a module of 2.0. `names`: the modules that replace it, without `mod_`.
 */
function findingMakerOf20(...names: readonly [string, ...string[]]) {
  return (line: Line, loadModuleLine: LoadModule): Finding => ({
    ...findingOfOlder(
      line,
      `\`${spelledModule(line)}\` was removed before 2.2`,
      joinedItems(names.map((name) => `mod_${name}`)),
      names.length,
    ),
    ...helpAndFixes(line, loadModuleLine, names),
  });
}

/** The parts of a finding that are the same for modules of 1.3 and of 2.0. */
function findingOfOlder(line: Line, headline: string, replacement: string, count = 1): Finding {
  return {
    messageId: 'older',
    what: fittingHeadline(`${headline}; ${replacement} ${count > 1 ? 'replace' : 'replaces'} it`, headline),
    cause: 'Neither 2.2 nor 2.4 starts with this line.',
    ...contentSpan(line),
  };
}

/** What to do about a module that other modules replace. `names`: these modules without `mod_`. */
function helpAndFixes(
  line: Line,
  loadModuleLine: LoadModule,
  names: readonly [string, ...string[]],
): Pick<Finding, 'help' | 'fixes'> {
  const identifiers = joinedItems(names.map((name) => `${name}_module`));
  return {
    help: `Load ${identifiers} instead. If other lines load ${names.length > 1 ? 'them' : 'it'} already, remove the line.`,
    fixes: [
      {
        title: names.length > 1 ? `Load ${joinedItems(names)}` : loadInsteadTitle(names[0], line),
        safety: 'suggestion',
        edits: editsToLoadAll(line, loadModuleLine, names),
      },
      { title: titleToRemove(line), safety: 'suggestion', edits: [removeLine(line)] },
    ],
  };
}

/** Edits that make the line load the first module, and add a line for each of the others. */
function editsToLoadAll(
  line: Line,
  loadModuleLine: LoadModule,
  [first, ...others]: readonly [string, ...string[]],
): Edit[] {
  const { end } = contentSpan(line);
  const indentation = line.text.slice(0, line.nameStart);
  const addedLines = others.map((name) => {
    const lineText = editsToLoad(loadModuleLine, name)
      .toReversed()
      .reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), line.text.slice(0, end));
    return `${lineEnd(line)}${indentation}${lineText.slice(line.nameStart)}`;
  });
  return [
    ...editsToLoad(loadModuleLine, first),
    ...(addedLines.length > 0 ? [{ start: end, end, text: addedLines.join('') }] : []),
  ];
}
