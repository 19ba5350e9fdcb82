/** Finds the modules that the lines of a configuration use. */
import { parseRequire } from '../access/require';
import { moduleNamed } from '../config/modules';
import { directive, providers } from '../directives/index';
import type { Tree } from '../syntax/document';
import { argumentsOf, LineKind, type Line } from '../syntax/line';
import { forEachItem, Section, type List } from '../syntax/tree';

/**
 * The modules of httpd 2.4 without which it refuses a line of these files, or requests for it, by
 * their names in the manual. Lines in an `<IfModule>` do not count for the module of its condition.
 * If several modules have a directive, all of them are in the result.
 */
export function modulesUsedIn(trees: Iterable<Tree>): ReadonlySet<string> {
  const usedModules = new Set<string>();
  for (const { root } of trees) addModulesOfList(root, [], usedModules);
  return usedModules;
}

// ---------------------------------------------------------------------------------------------------------------------

/** The module for each type of authentication, in lower case. */
const MODULES_OF_AUTH_TYPES: Readonly<Record<string, string>> = {
  basic: 'mod_auth_basic',
  digest: 'mod_auth_digest',
  form: 'mod_auth_form',
};

/**
 * Adds the modules that the lines of a list use to `usedModules`. `testedModules`: the modules of
 * the `<IfModule>` sections around the list.
 */
function addModulesOfList(list: List, testedModules: readonly string[], usedModules: Set<string>): void {
  forEachItem(list, 0, (item) => {
    const line = item instanceof Section ? item.open : item;
    for (const name of modulesOfLine(line)) if (!testedModules.includes(name)) usedModules.add(name);
    if (!(item instanceof Section)) return;
    const condition = line.name === 'ifmodule' ? (argumentsOf(line)[0]?.value ?? '') : '';
    const testedModule = moduleNamed(condition);
    addModulesOfList(item.body, testedModule === null ? testedModules : [...testedModules, testedModule], usedModules);
  });
}

/** The modules that contain the directive of a line, or that its words need. */
function modulesOfLine(line: Line): readonly string[] {
  if (line.name === '') return [];
  const isTag = line.kind !== LineKind.Directive;
  const modulesOfDirective = directive(line.name, { section: isTag })?.['2.4']?.modules ?? [];
  return [...modulesOfDirective, ...modulesOfWords(line)];
}

/** The modules that the words of a line need, such as `mod_authz_host` for `Require ip`. */
function modulesOfWords(line: Line): readonly string[] {
  const words = argumentsOf(line).map(({ value }) => value);
  switch (line.name) {
    case 'require':
      return providers('authz', '2.4').get(parseRequire(line).provider?.value.toLowerCase() ?? '') ?? [];
    case 'authtype':
      return [MODULES_OF_AUTH_TYPES[words[0]?.toLowerCase() ?? ''] ?? []].flat();
    case 'authbasicprovider':
    case 'authdigestprovider':
      return words.flatMap((word) => providers('authn', '2.4').get(word) ?? []);
    default:
      return [];
  }
}
