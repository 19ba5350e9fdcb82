/**
 * Finds lines and sections of a configuration by name, without their scopes. Rules use this to
 * decide quickly whether they must look closer, which is rare. The sets of names on the lists
 * (name-set.ts) show whether a name occurs. The lines themselves are gathered on first use.
 */
import { LineKind, type Line } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { NodeKind, type List, type Section } from '../syntax/tree';
import type { Configuration, DirectiveNames } from './configuration';
import { cachedByNames, namesIn, VARIABLE_NAME, type NameSet } from './name-set';

/** Which directives and sections occur in the files of a configuration, by their names. */
export interface NamesInUse {
  /**
   * Whether a directive occurs, also in lines that httpd does not read and in macros. False for a
   * name with which the configuration was not read.
   */
  hasName(name: string): boolean;
  /** Whether a section occurs, by its name in lower case. */
  hasSection(name: string): boolean;
  /** Whether any line may contain a variable. */
  readonly mayHaveVariables: boolean;
  /** Whether a directive of the name may be in a section. */
  mayBeNested(name: string): boolean;
  /** The directives with this name. */
  lines(name: string): readonly Line[];
  /** The sections with this name. */
  sections(name: string): readonly Section[];
  /** Gathers the lines of several names in one walk. The name of a section has `<` before it. */
  gatherLines(names: Iterable<string>): void;
  /** The names of all directives that occur and with which the configuration was read. */
  lineNames(): readonly string[];
  /** The names of all sections that occur. */
  sectionNames(): readonly string[];
}

/** The names in a configuration. The result is cached. */
export function namesInUse(configuration: Configuration): NamesInUse {
  let usedNames = namesInUseCache.get(configuration);
  if (!usedNames) namesInUseCache.set(configuration, (usedNames = new NamesInTrees(configuration)));
  return usedNames;
}

// ---------------------------------------------------------------------------------------------------------------------

const namesInUseCache = cacheOf<Configuration, NamesInUse>();

/** Finds the names in the trees of all files of a configuration. */
class NamesInTrees implements NamesInUse {
  private readonly roots: readonly List[];
  private readonly names: DirectiveNames;
  /** All names; null if a file has too many to store. */
  private readonly allNames: ReadonlySet<string> | null;
  private readonly cachedLines: FoundLines = { linesByName: new Map(), sectionsByName: new Map() };

  constructor({ files, names }: Configuration) {
    this.roots = [...files.values()].map(({ tree }) => tree.root);
    this.names = names;
    this.allNames = allNamesIn(this.roots);
  }

  hasName(name: string): boolean {
    return this.allNames === null ? this.lines(name).length > 0 : this.allNames.has(name) && this.names.has(name);
  }

  hasSection(name: string): boolean {
    return this.allNames === null ? this.sections(name).length > 0 : this.allNames.has(`<${name}`);
  }

  get mayHaveVariables(): boolean {
    return this.allNames?.has(VARIABLE_NAME) !== false;
  }

  mayBeNested(name: string): boolean {
    for (const root of this.roots) for (const names of namesInSections(root)) if (names.hasName(name)) return true;
    return false;
  }

  lines(name: string): readonly Line[] {
    if (this.allNames?.has(name) === false || !this.names.has(name)) return NO_ITEMS;
    this.gatherLines([name]);
    return this.cachedLines.linesByName.get(name)!;
  }

  sections(name: string): readonly Section[] {
    if (this.allNames?.has(`<${name}`) === false) return NO_ITEMS;
    this.gatherLines([`<${name}`]);
    return this.cachedLines.sectionsByName.get(name)!;
  }

  gatherLines(names: Iterable<string>): void {
    const { linesByName, sectionsByName } = this.cachedLines;
    const newLines: FoundLines = { linesByName: new Map(), sectionsByName: new Map() };
    for (const name of names) {
      if (this.allNames?.has(name) === false) continue;
      if (!name.startsWith('<')) {
        if (!linesByName.has(name) && this.names.has(name)) newLines.linesByName.set(name, []);
      } else if (!sectionsByName.has(name.slice(1))) newLines.sectionsByName.set(name.slice(1), []);
    }
    if (newLines.linesByName.size + newLines.sectionsByName.size === 0) return;
    const isWanted = (name: string) =>
      name.startsWith('<') ? newLines.sectionsByName.has(name.slice(1)) : newLines.linesByName.has(name);
    const mayHoldWanted = cachedByNames((inside) => inside.hasSome(isWanted));
    for (const root of this.roots) gatherFrom(root, newLines, mayHoldWanted);
    for (const [name, linesOfName] of newLines.linesByName) linesByName.set(name, linesOfName);
    for (const [name, sectionsOfName] of newLines.sectionsByName) sectionsByName.set(name, sectionsOfName);
  }

  lineNames(): readonly string[] {
    const allNames = this.allNames ?? readAllNames(this.roots);
    return [...allNames].filter((name) => !name.startsWith('<') && name !== VARIABLE_NAME && this.names.has(name));
  }

  sectionNames(): readonly string[] {
    const allNames = this.allNames ?? readAllNames(this.roots);
    return [...allNames].filter((name) => name.startsWith('<')).map((name) => name.slice(1));
  }
}

/** The lines and sections found so far, by their names in lower case. */
interface FoundLines {
  readonly linesByName: Map<string, Line[]>;
  readonly sectionsByName: Map<string, Section[]>;
}

const NO_ITEMS: readonly never[] = [];

/**
 * Adds the lines and sections of a list whose names are keys in `foundLines`. Skips each list for
 * whose names `mayHold` returns false.
 */
function gatherFrom(list: List, foundLines: FoundLines, mayHold: (names: NameSet) => boolean): void {
  if (!mayHold(namesIn(list))) return;
  const { children } = list;
  for (let i = 0; i < children.length; i++) {
    const child = children[i]!;
    if (child.kind === LineKind.Directive) foundLines.linesByName.get(child.name)?.push(child);
    else if (child.kind === NodeKind.Section) {
      foundLines.sectionsByName.get(child.name)?.push(child);
      gatherFrom(child.body, foundLines, mayHold);
    } else if (child.kind === NodeKind.List) gatherFrom(child, foundLines, mayHold);
  }
}

/** The names in some lists; null if a list has too many names to store. */
function allNamesIn(roots: readonly List[]): ReadonlySet<string> | null {
  const allNames = new Set<string>();
  for (const { allNames: names } of new Set(roots.map(namesIn))) {
    if (names === null) return null;
    for (const name of names) allNames.add(name);
  }
  return allNames;
}

/** Reads every line and returns all names. The name of a section gets `<` before it. */
function readAllNames(roots: readonly List[]): ReadonlySet<string> {
  const allNames = new Set<string>();
  const visit = ({ children }: List): void => {
    for (const child of children) {
      if (child.kind === LineKind.Directive) allNames.add(child.name);
      else if (child.kind === NodeKind.List) visit(child);
      else if (child.kind === NodeKind.Section) {
        allNames.add(`<${child.name}`);
        visit(child.body);
      }
    }
  };
  roots.forEach(visit);
  return allNames;
}

/**
 * The distinct sets of names in the sections of a file. There are few of them, even if there are
 * many sections.
 */
function namesInSections(root: List): ReadonlySet<NameSet> {
  let cachedNames = namesInSectionsCache.get(root);
  if (!cachedNames) {
    const distinctNameSets = new Set<NameSet>();
    addNamesInSections(root, distinctNameSets);
    namesInSectionsCache.set(root, (cachedNames = distinctNameSets));
  }
  return cachedNames;
}

const namesInSectionsCache = cacheOf<List, ReadonlySet<NameSet>>();

function addNamesInSections({ children }: List, distinctSets: Set<NameSet>): void {
  let lastNames: NameSet | null = null;
  for (let i = 0; i < children.length; i++) {
    const child = children[i]!;
    if (child.kind === NodeKind.List) addNamesInSections(child, distinctSets);
    else if (child.kind === NodeKind.Section) {
      const namesInBody = namesIn(child.body);
      if (namesInBody !== lastNames) distinctSets.add((lastNames = namesInBody));
    }
  }
}
