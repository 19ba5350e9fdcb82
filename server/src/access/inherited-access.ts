/**
 * The access that a section inherits from earlier sections: host rules, Satisfy and Require for
 * each class of methods. 2.2 inherits each of the three separately (docs/access-control.md, "What
 * 2.2 decides"). An Order, Allow or Deny line replaces all inherited host rules. A Satisfy line
 * replaces Satisfy for its methods. A Require line replaces all inherited Require lines.
 */
import { cacheOf, numbering } from '../syntax/memory';
import type { HostRules, Section22, Source, Tree24, UserRequirement } from './model';
import { needsOwnTree, type ValueWithMethods, type SectionAccess } from './section-access';
import type { MethodClass, Survey } from './survey';

/** The access that results when httpd has merged some of the sections that apply to a request. */
export interface InheritedAccess {
  readonly rulesByMethod: ReadonlyMap<MethodClass, Section22>;
  /**
   * The Require tree of the merged sections in 2.4. Null if none of them has Require lines. It is
   * used only if the server already runs 2.4 (`source` is 2.4).
   */
  readonly tree: Tree24 | null;
  readonly hasAuthType: boolean;
  /** Whether 2.4 reads one of the AuthType lines that apply. */
  readonly hasAuthType24: boolean;
  readonly hasGroupFile: boolean;
  /** Whether one of the sections gets a Require tree in 2.4. */
  readonly hasTreeIn24: boolean;
}

/** The state before the first section: every client has access. */
export function startState({ methodClasses }: Survey): InheritedAccess {
  const noRules: Section22 = { hostRules: null, satisfy: 'all', userRequirements: [] };
  return {
    rulesByMethod: new Map(methodClasses.map((method) => [method, noRules])),
    tree: null,
    hasAuthType: false,
    hasAuthType24: false,
    hasGroupFile: false,
    hasTreeIn24: false,
  };
}

/** The access after one more section, as `source` merges it into `state`. */
export function accessAfter(state: InheritedAccess, ownAccess: SectionAccess, source: Source): InheritedAccess {
  const rulesByMethod = new Map<MethodClass, Section22>();
  for (const [method, inheritedSection] of state.rulesByMethod) {
    const { hostRules, userRequirements } = methodLinesOf(ownAccess, method);
    // mod_access_compat keeps Order, Allow, Deny and Satisfy in one record. A section with one of
    // these lines replaces the whole inherited record.
    if (source === '2.4' && (ownAccess.hostRules !== null || ownAccess.satisfyByMethod.size > 0))
      rulesByMethod.set(method, {
        hostRules: hostRules ?? NO_HOST_LINES,
        satisfy: ownAccess.satisfyByMethod.get(method) ?? 'all',
        userRequirements: NO_REQUIREMENTS,
      });
    else
      rulesByMethod.set(method, {
        hostRules: hostRules ?? inheritedSection.hostRules,
        satisfy: ownAccess.satisfyByMethod.get(method) ?? inheritedSection.satisfy,
        userRequirements: userRequirements ?? inheritedSection.userRequirements,
      });
  }
  return {
    rulesByMethod,
    tree: ownAccess.tree24 ?? state.tree,
    hasAuthType: state.hasAuthType || ownAccess.hasAuthType,
    hasAuthType24: state.hasAuthType24 || ownAccess.hasAuthType24,
    hasGroupFile: state.hasGroupFile || ownAccess.hasGroupFile,
    // A section that only 2.2 reads has no tree in 2.4.
    hasTreeIn24:
      state.hasTreeIn24 ||
      (needsOwnTree(ownAccess) && (ownAccess.unconverted24 === null || ownAccess.unconverted24.tree !== null)),
  };
}

/**
 * Returns a key that is equal for equal states. Host rules, requirements and trees are in it as the
 * number that identifies the object (`idOf`), not as text. So the key is short.
 */
export function stateKey({
  rulesByMethod,
  tree,
  hasAuthType,
  hasAuthType24,
  hasGroupFile,
  hasTreeIn24,
}: InheritedAccess): string {
  const partsOfMethods = [...rulesByMethod.values()].map(
    ({ hostRules, satisfy, userRequirements }) => `${idOf(hostRules)} ${satisfy} ${idOf(userRequirements)}`,
  );
  return `${partsOfMethods.join(', ')} ${idOf(tree)} ${hasAuthType} ${hasAuthType24} ${hasGroupFile} ${hasTreeIn24}`;
}

/** A number that identifies an object; 0 for null. */
export function idOf(value: object | null): number {
  return value === null ? 0 : numberOfObject(value);
}

// ---------------------------------------------------------------------------------------------------------------------

const numberOfObject = numbering();

const NO_REQUIREMENTS: readonly UserRequirement[] = [];

/** Host rules of mod_access_compat without an Allow or Deny. */
const NO_HOST_LINES: HostRules = { order: 'deny,allow', allow: [], deny: [] };

/**
 * The lines of a section for one class of methods. There is one object for each section and class,
 * so `stateKey` can compare the lists by their `idOf`.
 */
interface MethodLines {
  readonly hostRules: HostRules | null;
  readonly userRequirements: readonly UserRequirement[] | null;
}

const methodLinesCache = cacheOf<SectionAccess, Map<MethodClass, MethodLines>>();

function methodLinesOf(ownAccess: SectionAccess, method: MethodClass): MethodLines {
  const linesByMethod = methodLinesCache.get(ownAccess) ?? new Map<MethodClass, MethodLines>();
  methodLinesCache.set(ownAccess, linesByMethod);
  let methodLines = linesByMethod.get(method);
  if (!methodLines) {
    const valuesOfMethod = <T>(values: readonly ValueWithMethods<T>[]) =>
      values.filter(({ methods }) => methods.has(method)).map(({ value }) => value);
    const hostRules: HostRules | null = ownAccess.hostRules && {
      order: ownAccess.hostRules.orderByMethod.get(method) ?? 'deny,allow',
      allow: valuesOfMethod(ownAccess.hostRules.allow),
      deny: valuesOfMethod(ownAccess.hostRules.deny),
    };
    linesByMethod.set(
      method,
      (methodLines = {
        hostRules,
        userRequirements: ownAccess.userRequirements && valuesOfMethod(ownAccess.userRequirements),
      }),
    );
  }
  return methodLines;
}
