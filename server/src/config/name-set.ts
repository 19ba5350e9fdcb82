/**
 * The sets of names in parts of a file. Equal sets are one object, so what follows from a set is
 * computed only once. Each list of the tree stores its set. An edit makes new lists, and so new
 * sets, only around the changed line.
 */
import { LineKind, type Line } from '../syntax/line';
import { cache, latestValue, recentSlots } from '../syntax/memory';
import { NodeKind, type Item, type List, type Section } from '../syntax/tree';
import { sectionKind, type SectionKind } from './sections';

/** Names of directives and sections. Equal sets are almost always one object. */
export class NameSet {
  /**
   * Whether one of the names affects later lines or includes more lines. A list with such a name
   * must be read in order.
   */
  readonly mustReadInOrder: boolean;
  /** Whether there may be sections that are scopes of their own. */
  readonly hasScopes: boolean;
  private readonly sectionKinds: ReadonlySet<SectionKind>;
  private readonly unionByOther = new Map<NameSet, NameSet>();

  /**
   * `names`: the names in lower case, with `<` before the name of a section, and `${` for a
   * variable outside of comments. Null if there are too many names to store.
   */
  constructor(private readonly names: ReadonlySet<string> | null) {
    this.sectionKinds = new Set(
      [...(names ?? [])].filter((name) => name.startsWith('<')).map((name) => sectionKind(name.slice(1))),
    );
    this.mustReadInOrder = this.hasKind('opaque') || NAMES_READ_IN_ORDER.some((name) => this.hasName(name));
    this.hasScopes = this.hasKind('container') || this.hasKind('other');
  }

  /** Whether the set may contain the name. */
  hasName(name: string): boolean {
    return this.names === null || this.names.has(name);
  }

  /** Whether there may be a section of the kind. */
  hasKind(kind: SectionKind): boolean {
    return this.names === null || this.sectionKinds.has(kind);
  }

  /** Whether the list has too many names to store. Then the set counts as having every name. */
  get hasTooManyNames(): boolean {
    return this.names === null;
  }

  /** Whether a name of the set fulfils `test`. True if there are too many names to store. */
  hasSome(test: (name: string) => boolean): boolean {
    if (this.names === null) return true;
    for (const name of this.names) if (test(name)) return true;
    return false;
  }

  /** All names of the set; null if there are too many to store. */
  get allNames(): ReadonlySet<string> | null {
    return this.names;
  }

  /** The set of the names of this set and of another. */
  unionWith(other: NameSet): NameSet {
    if (other === this || other === NO_NAMES || this.names === null) return this;
    if (this === NO_NAMES || other.names === null) return other;
    let union = this.unionByOther.get(other);
    if (union === undefined) {
      union = nameSetOf(new Set([...this.names, ...other.names]));
      if (this.unionByOther.size >= MAX_CACHED_SETS) this.unionByOther.clear();
      this.unionByOther.set(other, union);
    }
    return union;
  }
}

/** The element of a set which shows that a line has a variable, in its name or in its arguments. */
export const VARIABLE_NAME = '${';

const NAMES_READ_IN_ORDER = [
  'include',
  'includeoptional',
  'loadmodule',
  'serverroot',
  'define',
  'undefine',
  'use',
  'undefmacro',
  '<macro',
  '<ifdefine',
  VARIABLE_NAME,
];

const NO_NAMES = new NameSet(new Set());

/** The names in a list and in its sections. */
export function namesIn(list: List): NameSet {
  const cachedNames = list.names as NameSet | undefined;
  if (cachedNames !== undefined) return cachedNames;
  const recentList = list.height === 0 ? recentLists[list.children.length % RECENT_LIST_COUNT] : null;
  const names = recentList && haveSameNames(list, recentList) ? namesIn(recentList) : namesOf(list);
  if (list.height === 0) recentLists[list.children.length % RECENT_LIST_COUNT] = list;
  list.names = names;
  return names;
}

/**
 * How many recent lists are stored. A list is compared with one of them, chosen by its number of
 * children. Often both have the same names, because neighbouring sections often have the same
 * lines.
 */
const RECENT_LIST_COUNT = 8;
const recentLists = recentSlots<List | null>(RECENT_LIST_COUNT, null);

/**
 * Whether two lists of lines and sections have the same names in the same order, and no variables.
 */
function haveSameNames(list: List, recentList: List): boolean {
  if (list.children.length !== recentList.children.length || namesIn(recentList).hasName(VARIABLE_NAME)) return false;
  for (let i = 0; i < list.children.length; i++) {
    const item = list.children[i] as Item;
    const recentItem = recentList.children[i] as Item;
    if (item.kind !== recentItem.kind || item.name !== recentItem.name) return false;
    if (item.kind !== NodeKind.Section) {
      if (item.mayHaveVariable) return false;
    } else if (item.open.mayHaveVariable || namesIn(item.body) !== namesIn((recentItem as Section).body)) return false;
  }
  return true;
}

/** As `namesIn`, without the cache. */
function namesOf(list: List): NameSet {
  let namesInside = NO_NAMES;
  for (let i = 0; i < list.children.length; i++) {
    const child = list.children[i]!;
    if (child.kind === NodeKind.Section) namesInside = namesInside.unionWith(namesIn(child.body));
    else if (child.kind === NodeKind.List) namesInside = namesInside.unionWith(namesIn(child));
  }
  return list.height === 0 ? namesOfChildren(list).unionWith(namesInside) : namesInside;
}

/** Makes a function that computes the result of `question` only once for each set of names. */
export function cachedByNames(question: (names: NameSet) => boolean): (names: NameSet) => boolean {
  const answerByNames = new Map<NameSet, boolean>();
  // The last two sets of names are compared first. In a file with similar virtual hosts, all hosts
  // have one set, and their inner sections have another.
  let lastNames: NameSet | null = null;
  let namesBeforeLast: NameSet | null = null;
  let answerForLastNames = false;
  let answerForNamesBeforeLast = false;
  return (names) => {
    if (names === lastNames) return answerForLastNames;
    if (names === namesBeforeLast) return answerForNamesBeforeLast;
    let answer = answerByNames.get(names);
    if (answer === undefined) answerByNames.set(names, (answer = question(names)));
    namesBeforeLast = lastNames;
    answerForNamesBeforeLast = answerForLastNames;
    lastNames = names;
    return (answerForLastNames = answer);
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** A list with more names than this counts as having any name. */
const MAX_NAMES_PER_LIST = 160;

/**
 * Maximum numbers of cached sets and names. They are needed because a file that is no configuration
 * has as many names as lines.
 */
const MAX_CACHED_SETS = 1024;
const MAX_CACHED_NAMES = 20_000;

const ANY_NAME = new NameSet(null);

/**
 * A name with two random-looking numbers. The sums of these numbers identify a set of names.
 * `lastListNumber`: the number of the last list that had the name.
 */
interface NameMember {
  readonly name: string;
  readonly sum1: number;
  readonly sum2: number;
  lastListNumber: number;
}

const directiveMembers = cache<string, NameMember>();
const sectionMembers = cache<string, NameMember>();
const setCache = cache<number, NameSet>();
/** The list being read: its number, and its names so far. */
const currentReading = latestValue({ listNumber: 0, members: [] as NameMember[] });

function namesOfChildren(list: List): NameSet {
  currentReading.value.listNumber++;
  currentReading.value.members.length = 0;
  for (let i = 0; i < list.children.length; i++) {
    const child = list.children[i]!;
    switch (child.kind) {
      case LineKind.Directive:
        addName(directiveMembers, child.name);
        addVariable(child);
        break;
      case LineKind.Open:
      case LineKind.Close:
        addVariable(child);
        break;
      case NodeKind.Section:
        addName(sectionMembers, child.name);
        addVariable(child.open);
    }
  }
  return setOfMembers();
}

function addVariable(line: Line): void {
  if (line.mayHaveVariable && line.text.includes(VARIABLE_NAME)) addName(directiveMembers, VARIABLE_NAME);
}

function addName(memberByName: Map<string, NameMember>, name: string): void {
  let member = memberByName.get(name);
  if (member === undefined) {
    if (memberByName.size >= MAX_CACHED_NAMES) memberByName.clear();
    memberByName.set(name, (member = memberOf(memberByName === sectionMembers ? `<${name}` : name)));
  }
  const { listNumber, members } = currentReading.value;
  if (member.lastListNumber === listNumber) return;
  member.lastListNumber = listNumber;
  members.push(member);
}

/** The set of the names of `currentReading`. */
function setOfMembers(): NameSet {
  const { members } = currentReading.value;
  if (members.length === 0) return NO_NAMES;
  let sum1 = 0;
  let sum2 = 0;
  for (let i = 0; i < members.length; i++) {
    sum1 = (sum1 + members[i]!.sum1) | 0;
    sum2 = (sum2 + members[i]!.sum2) | 0;
  }
  return cachedSet(sum1, sum2, () => new Set(members.map(({ name }) => name)));
}

function nameSetOf(names: ReadonlySet<string>): NameSet {
  if (names.size > MAX_NAMES_PER_LIST) return ANY_NAME;
  let sum1 = 0;
  let sum2 = 0;
  for (const name of names) {
    const member = memberOf(name);
    sum1 = (sum1 + member.sum1) | 0;
    sum2 = (sum2 + member.sum2) | 0;
  }
  return cachedSet(sum1, sum2, () => names);
}

function cachedSet(sum1: number, sum2: number, names: () => ReadonlySet<string>): NameSet {
  // The key is made of 53 bits of the two sums.
  const keyOfSums = (sum1 >>> 0) * 0x200000 + (sum2 >>> 11);
  let sharedSet = setCache.get(keyOfSums);
  if (sharedSet === undefined) {
    if (setCache.size >= MAX_CACHED_SETS) setCache.clear();
    setCache.set(keyOfSums, (sharedSet = new NameSet(names())));
  }
  return sharedSet;
}

function memberOf(name: string): NameMember {
  let a = 0x811c9dc5;
  let b = 0x9747b28c ^ name.length;
  for (let i = 0; i < name.length; i++) {
    a = Math.imul(a ^ name.charCodeAt(i), 0x01000193);
    b = Math.imul((b << 13) | (b >>> 19), 0x85ebca6b) ^ name.charCodeAt(i);
  }
  return { name, sum1: withMixedBits(a), sum2: withMixedBits(b), lastListNumber: 0 };
}

function withMixedBits(sum: number): number {
  let mixedSum = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  mixedSum = Math.imul(mixedSum ^ (mixedSum >>> 13), 0xc2b2ae35);
  return (mixedSum ^ (mixedSum >>> 16)) | 0;
}
