/**
 * Computes the Require tree with which 2.4 decides as the old lines do now, in 2.2 or in 2.4 with
 * mod_access_compat.
 */
import { addTo } from '../syntax/groups';
import { thirdPartyGroupWord } from './group-words';
import type { InheritedAccess } from './inherited-access';
import type { Section22, SectionCompat, Tree24, UserRequirement } from './model';
import { isReason, notConvertedBecauseOfLine, notConverted, type NotConverted } from './not-converted';
import { isProvenCompat, provenTranslation } from './proof-cache';
import { requirementModule } from './read';
import { treeFor } from './read24';
import { REQUIRE_WORDS_OF_24 } from './section-access';
import type { MethodClass, Survey } from './survey';
import { withoutNeedlessContainers, translateCompat } from './translate';

/**
 * Returns the Require tree that decides in 2.4 as the access `state` does in `survey.source`. If
 * there is no such tree, returns the reason.
 */
export function treeOf(state: InheritedAccess, survey: Survey): Tree24 | NotConverted {
  if (survey.source === '2.4') return compatTreeOf(state, survey);
  const treeByMethod = new Map<MethodClass, Tree24>();
  for (const [method, section] of state.rulesByMethod) {
    const reasonOfModule = reasonOfRefusingModule(section, survey);
    if (reasonOfModule !== null) return reasonOfModule;
    const hasWordOf24 = section.userRequirements.some(({ text }) =>
      REQUIRE_WORDS_OF_24.has(text.split(/\s/, 1)[0]!.toLowerCase()),
    );
    if (hasWordOf24) return notConverted('require-of-24', null);
    const effectiveLines = effectiveRequirements(section.userRequirements, state.hasGroupFile, survey);
    if (isReason(effectiveLines)) return effectiveLines;
    const sectionWithEffectiveLines: Section22 = { ...section, userRequirements: effectiveLines };
    // In 2.2, if no module evaluates the Require lines, httpd asks for a login and refuses every
    // user.
    if (section.userRequirements.length > 0 && effectiveLines.length === 0)
      return notConverted('require-without-effect', null);
    const tree = provenTranslation(sectionWithEffectiveLines);
    if (tree === null) return notConverted('not-proven', null);
    treeByMethod.set(method, tree);
  }
  return treeOfMethods(treeByMethod);
}

/**
 * Returns those of the Require lines that have an effect in 2.2. httpd asks the modules in the
 * order in which they are loaded, until one of them decides (docs/access-control.md, "What 2.2
 * decides"). If it is unknown which lines have an effect, returns the reason.
 */
export function effectiveRequirements(
  requirements: readonly UserRequirement[],
  hasGroupFile: boolean,
  survey: Survey,
): readonly UserRequirement[] | NotConverted {
  const modules = new Set(
    requirements.map(({ text }) => requirementModule(text) ?? thirdPartyGroupWord(text) ?? UNKNOWN_MODULE),
  );
  const { groupOwner } = survey;
  // A third-party module may know the groups, and it is unknown whether that module decides.
  if (modules.has('groups') && groupOwner !== null)
    return notConverted('groups-of-module', groupOwner.place, groupOwner.description, groupOwner.groupWord);
  const { authoritativeLine } = survey;
  if (modules.has('groups') && !hasGroupFile && authoritativeLine !== null)
    return notConvertedBecauseOfLine('groups-without-file', authoritativeLine);
  if (modules.size <= 1) return requirements;
  const moduleNames = [...modules].map((each) => (each === 'groups' ? 'mod_authz_groupfile or mod_authz_dbm' : each));
  if (authoritativeLine !== null)
    return notConvertedBecauseOfLine('several-modules-authoritative', authoritativeLine, moduleNames);
  const loadIndexByModule = new Map<string, number>();
  for (const module of modules) {
    const files = module === 'groups' ? ['mod_authz_groupfile.c', 'mod_authz_dbm.c'] : [`${module}.c`];
    const loadIndexes = files.map((file) => survey.modules.indexOf(file)).filter((index) => index >= 0);
    if (loadIndexes.length !== 1) return notConverted('several-modules-in-any-order', null, moduleNames);
    loadIndexByModule.set(module, loadIndexes[0]!);
  }
  if (loadIndexByModule.has('mod_authz_owner') || loadIndexByModule.has('mod_authnz_ldap'))
    return notConverted('several-modules', null, moduleNames);
  // No AuthGroupFile applies here, so `Require group` has no effect. An inner section may add an
  // AuthGroupFile, and inherits these Require lines. In that section, `Require group` would decide.
  if (loadIndexByModule.has('groups') && !hasGroupFile && survey.hasGroupFiles)
    return notConverted('several-modules-group-file', null, moduleNames);
  const modulesInLoadOrder = [...modules].sort((a, b) => loadIndexByModule.get(a)! - loadIndexByModule.get(b)!);
  const decidingModule = modulesInLoadOrder.find((module) => module !== 'groups' || hasGroupFile);
  return requirements.filter(({ text }) => requirementModule(text) === decidingModule);
}

// ---------------------------------------------------------------------------------------------------------------------

/** Stands in a reason for the module of a Require line that no module of httpd evaluates. */
const UNKNOWN_MODULE = 'an unknown module';

/**
 * With Satisfy Any, 2.2 can admit a user with a login although a third-party module refuses the
 * client (ap_process_request_internal). 2.4 cannot do that, which is a reason not to convert.
 * Returns null if no line of such a module exists, or if Satisfy Any does not apply.
 */
function reasonOfRefusingModule(
  { satisfy }: Pick<Section22, 'satisfy'>,
  { refusingLine }: Survey,
): NotConverted | null {
  if (refusingLine === null || satisfy !== 'any') return null;
  return notConverted('satisfy-any-beside-module', refusingLine.place, refusingLine.description);
}

/**
 * Returns one Require tree that decides as mod_access_compat and mod_authz_core do together. If
 * there is none, returns the reason.
 */
function compatTreeOf(
  { rulesByMethod, tree: require24, hasAuthType }: InheritedAccess,
  survey: Survey,
): Tree24 | NotConverted {
  if (require24 === null && hasAuthType) return notConverted('login-without-require', null);
  const treeByMethod = new Map<MethodClass, Tree24>();
  for (const [method, { hostRules, satisfy }] of rulesByMethod) {
    const reasonOfModule = reasonOfRefusingModule({ satisfy }, survey);
    if (reasonOfModule !== null) return reasonOfModule;
    const appliesToMethod = ({
      methods,
      isExcept,
    }: {
      readonly methods: readonly string[];
      readonly isExcept: boolean;
    }) => methods.includes(method) !== isExcept;
    const treeOfMethod = require24 && treeFor(require24, appliesToMethod);
    const rulesOfMethod = {
      hostRules,
      satisfy,
      tree: treeOfMethod && treeForMethod(treeOfMethod, method, rulesByMethod),
    };
    const tree = translateCompat(rulesOfMethod);
    if (!isOnlySimplified(rulesOfMethod, tree) && !isProvenCompat(rulesOfMethod, tree))
      return notConverted('not-proven', null);
    treeByMethod.set(method, tree);
  }
  return treeOfMethods(treeByMethod);
}

/**
 * Returns the tree for requests of one class of methods. All requests of the class get the same
 * answer from a `Require method` line, so `all granted` or `all denied` replaces it. The line stays
 * if it names a method that has no class.
 */
function treeForMethod(tree: Tree24, method: MethodClass, methodClasses: { has(name: MethodClass): boolean }): Tree24 {
  if (tree.type === 'method') {
    if (!tree.methods.every((each) => methodClasses.has(each))) return tree;
    return { type: tree.methods.includes(method) !== tree.isNegated ? 'granted' : 'denied' };
  }
  if (tree.type !== 'any' && tree.type !== 'all') return tree;
  return { ...tree, inner: tree.inner.map((each) => treeForMethod(each, method, methodClasses)) };
}

/**
 * Whether `newTree` is the section's Require tree without needless containers, and nothing else
 * decides access in the section. Then it needs no proof.
 */
function isOnlySimplified({ hostRules, satisfy, tree }: SectionCompat, newTree: Tree24): boolean {
  return (
    hostRules === null &&
    satisfy === 'all' &&
    tree !== null &&
    JSON.stringify(newTree) === JSON.stringify(withoutNeedlessContainers(tree))
  );
}

/**
 * Joins the trees of all method classes. If they differ, the result has one branch for each named
 * method, and one for all other methods.
 */
function treeOfMethods(trees: ReadonlyMap<MethodClass, Tree24>): Tree24 {
  if (trees.size === 1) return trees.get('*')!;
  const treeTexts = new Set([...trees.values()].map((tree) => JSON.stringify(tree)));
  if (treeTexts.size === 1) return trees.get('*')!;
  const methodsByTreeText = new Map<string, MethodClass[]>();
  const treeTextOfOtherMethods = JSON.stringify(trees.get('*'));
  for (const [method, tree] of trees) {
    const treeText = JSON.stringify(tree);
    if (method !== '*' && treeText !== treeTextOfOtherMethods) addTo(methodsByTreeText, treeText, method);
  }
  const namedMethods = [...methodsByTreeText.values()].flat();
  const branches: Tree24[] = [...methodsByTreeText].map(([key, methods]) =>
    methodBranch({ type: 'method', methods, isNegated: false }, JSON.parse(key) as Tree24),
  );
  branches.push(
    methodBranch(
      { type: 'method', methods: namedMethods, isNegated: true },
      JSON.parse(treeTextOfOtherMethods) as Tree24,
    ),
  );
  const grantingBranches = branches.filter((tree) => tree.type !== 'denied');
  if (grantingBranches.length === 0) return { type: 'denied' };
  return grantingBranches.length === 1 ? grantingBranches[0]! : { type: 'any', inner: grantingBranches };
}

/**
 * The tree that decides as `tree` for requests whose method fulfils `methodLine`, and refuses all
 * other requests.
 */
function methodBranch(methodLine: Tree24 & { type: 'method' }, tree: Tree24): Tree24 {
  if (tree.type === 'denied') return tree;
  // httpd refuses a RequireAll that has only negated lines, so `all granted` stays beside a negated
  // method line.
  if (tree.type === 'granted') return methodLine.isNegated ? { type: 'all', inner: [methodLine, tree] } : methodLine;
  const inner = tree.type === 'all' ? tree.inner : [tree];
  return { type: 'all', inner: [methodLine, ...inner] };
}
