/**
 * Finds conditions about modules whose LoadModule line 2.4 does not accept unchanged. When the user
 * changes such a line, the condition gets another result.
 */
import { module as moduleOf } from '../directives';
import { argumentsOf, LineKind, type Line } from '../syntax/line';
import { forEachLine, type List } from '../syntax/tree';
import { moduleNamed } from './modules';

/** Modules of 2.2 that were replaced in 2.4, without `mod_`, as distributions name them. */
export const REPLACEMENT_BY_MODULE: ReadonlyMap<string, string> = new Map([
  ['disk_cache', 'cache_disk'],
  ['authn_alias', 'authn_core'],
]);

/** Whether 2.2 has a module of this name (without `mod_`) and 2.4 does not. */
export function isModuleOf22Only(name: string): boolean {
  const module = moduleNamed(`${name}_module`);
  const facts = module === null ? undefined : moduleOf(module);
  return facts?.['2.2'] !== undefined && facts['2.4'] === undefined;
}

/**
 * Whether a section is an `<IfModule>` that tests a module whose LoadModule line 2.4 does not
 * accept unchanged, and contains more than cache directives.
 */
export function testsOldModule(open: Line, body: List): boolean {
  if (open.name !== 'ifmodule') return false;
  const testedModule = (argumentsOf(open)[0]?.value ?? '').replace(/^!/, '').toLowerCase();
  if (!testedModule.includes('${') && !OLD_MODULES.has(testedModule.replace(/^mod_(.*)\.c$/, '$1_module')))
    return false;
  let hasOnlyCacheDirectives = true;
  forEachLine(body, 0, body.length, ({ kind, name: directive }) => {
    if (kind === LineKind.Directive || kind === LineKind.Open)
      hasOnlyCacheDirectives &&= /^(m?cache|ifmodule$)/.test(directive);
  });
  return !hasOnlyCacheDirectives;
}

/**
 * Whether a line makes mod_mem_cache cache something: a CacheEnable line with `mem` or `fd`, or
 * with a variable instead.
 */
export function enablesMemoryCache(line: Line): boolean {
  return line.name === 'cacheenable' && /^(mem|fd|.*\$\{.*)$/.test(argumentsOf(line)[0]?.value ?? '');
}

/** Identifiers of the modules whose LoadModule lines 2.4 does not accept unchanged. */
const OLD_MODULES = new Set([
  'authn_default_module',
  'authz_default_module',
  'authn_alias_module',
  'disk_cache_module',
  'mem_cache_module',
]);
