/**
 * Writes further macros after a macro whose Use lines need different new lines: for example
 * `Require ip` for an address and `Require host` for a name. The largest group of Use lines keeps
 * the macro. Each other group gets a macro with its own lines, and its Use lines get that name.
 */
import type { ConfigFile, ConfigLine, PlacedUse, Scope } from '../config/configuration';
import { DIRECTORY_SECTIONS } from '../config/sections';
import { argumentsOf, LineKind, type Line } from '../syntax/line';
import { addTo } from '../syntax/groups';
import { forEachItem, Section, textOf, type List } from '../syntax/tree';
import type { ConversionInput } from './conversion-input';
import type { SectionLines } from './decide-section';
import { isAccessLine } from './read';
import type { TextEdit } from './rewrite';
import { sectionEdits } from './section-edits';
import type { SectionEntry } from './section-order';
import { keyOfAccessLines, sharedLines } from './shared-text';

/** A macro to write after an existing one, for some of its Use lines. */
export interface SecondMacro extends Pick<SectionLines, 'tree' | 'authMerging'> {
  readonly name: string;
  readonly macro: PlacedMacro;
  /** A section of one of the Use lines; the others need the same lines. */
  readonly scope: Scope;
  readonly uses: readonly PlacedUse[];
}

interface PlacedMacro {
  readonly section: Section;
  readonly file: ConfigFile;
  readonly offset: number;
}

/** What happens to a macro whose Use lines need different lines. */
export interface SplitMacro {
  /** A section that needs the lines which the macro itself gets. */
  readonly keptEntry: SectionEntry;
  readonly secondMacros: readonly SecondMacro[];
}

/**
 * Groups the sections that read their access lines from one macro by the new lines that they need.
 * Null if the macro must not be split. `keyOf`: equal for sections with equal new lines.
 */
export function splitMacro(
  entries: readonly SectionEntry[],
  convertedSections: ReadonlyMap<SectionEntry, SectionLines>,
  input: ConversionInput,
  keyOf: (entry: SectionEntry) => string,
): SplitMacro | null {
  const { configuration, options, survey } = input;
  if (options.keepsBoth === true || survey.source !== '2.2' || configuration.gaps.length > 0) return null;
  const uses = new Map<SectionEntry, PlacedUse>();
  for (const entry of entries) {
    const use = useOf(entry.scope);
    if (use === null || !convertedSections.has(entry)) return null;
    uses.set(entry, use);
  }
  const accessLines = new Set(entries.map(({ scope }) => keyOfAccessLines(scope)));
  const [first] = entries;
  const { name } = uses.get(first!)!.macro;
  const found = macroLines([...configuration.files.values()]);
  const macro = found && onlyMacro(found, name);
  if (!macro || accessLines.size > 1 || !isPlainMacro(macro, first!.scope)) return null;
  if (!areAllUses([...uses.values()], found.usesOf(name))) return null;

  const groups = new Map<string, SectionEntry[]>();
  for (const entry of entries) addTo(groups, keyOf(entry), entry);
  const [kept, ...others] = [...groups.values()].sort((a, b) => b.length - a.length);
  if (others.length === 0 || groups.size > MAX_GROUPS) return null;
  const secondMacros: SecondMacro[] = [];
  for (const [index, group] of others.entries()) {
    const newName = `${name}_${index + 2}`;
    if (found.isTaken(newName)) return null;
    const [{ scope }] = group as [SectionEntry];
    const { tree, authMerging } = convertedSections.get(group[0]!)!;
    secondMacros.push({ name: newName, macro, scope, tree, authMerging, uses: group.map((each) => uses.get(each)!) });
  }
  return { keptEntry: kept![0]!, secondMacros };
}

/** Lines that stay as they are where access lines are written a second time. */
export const LOGIN_LINES: ReadonlySet<string> = new Set([
  'authtype',
  'authname',
  'authuserfile',
  'authgroupfile',
  'authbasicprovider',
]);

/** The edits that write the second macros of a macro, by file. */
export function* secondMacroEdits(secondMacros: readonly SecondMacro[]): Iterable<readonly [ConfigFile, TextEdit]> {
  const [first] = secondMacros;
  if (first === undefined) return;
  const { section, file, offset } = first.macro;
  const end = offset + section.length;
  yield [file, { start: end, end, text: secondMacros.map(textOfSecondMacro).join('') }];
  for (const { name, uses } of secondMacros)
    for (const use of uses) {
      const { start, end: after } = argumentsOf(use.line)[0]!;
      yield [use.file, { start: use.offset + start, end: use.offset + after, text: name }];
    }
}

// ---------------------------------------------------------------------------------------------------------------------

/** Limit of macros, with the first one. */
const MAX_GROUPS = 4;

/**
 * The Use line that inserts the access lines of a section. Null if there is none or more than one,
 * or if its text cannot be changed for this section alone.
 */
function useOf(scope: Scope): PlacedUse | null {
  const lines = sharedLines(scope);
  const use = lines?.[0]?.use;
  if (!lines || use === undefined || scope.activity !== 'active') return null;
  const { line } = use;
  const name = argumentsOf(line)[0];
  const isPlain = name !== undefined && !line.isJoined && line.text.slice(name.start, name.end) === name.value;
  return isPlain && lines.every((at) => at.use?.line === line && at.use.offset === use.offset) ? use : null;
}

interface MacroLines {
  readonly macros: readonly PlacedMacro[];
  usesOf(name: string): readonly { readonly file: ConfigFile; readonly offset: number }[];
  /** Whether any line has the name. */
  isTaken(name: string): boolean;
}

/**
 * All Use, UndefMacro and `<Macro>` lines, also those in conditions and in macros. Null if one of
 * them has a name that is not written out.
 */
function macroLines(files: readonly ConfigFile[]): MacroLines | null {
  const macros: PlacedMacro[] = [];
  const uses = new Map<string, { file: ConfigFile; offset: number }[]>();
  const names = new Map<string, number>();
  let isPlain = true;
  const note = (line: Line): string => {
    const name = argumentsOf(line)[0]?.value ?? '';
    isPlain &&= PLAIN_NAME.test(name);
    names.set(name.toLowerCase(), (names.get(name.toLowerCase()) ?? 0) + 1);
    return name.toLowerCase();
  };
  const walk = (file: ConfigFile, list: List, base: number) =>
    forEachItem(list, base, (item, offset) => {
      if (item instanceof Section) {
        if (item.name === 'macro') {
          note(item.open);
          macros.push({ section: item, file, offset });
        }
        walk(file, item.body, offset + item.open.length);
      } else if (item.name === 'use') addTo(uses, note(item), { file, offset });
      else if (item.name === 'undefmacro' || item.name === 'macro') isPlain = false;
    });
  for (const file of files) walk(file, file.tree.root, 0);
  if (!isPlain) return null;
  return {
    macros,
    usesOf: (name) => uses.get(name.toLowerCase()) ?? [],
    isTaken: (name) => names.has(name.toLowerCase()),
  };
}

const PLAIN_NAME = /^[\w.-]+$/;

/** The macro with this name, if there is only one. */
function onlyMacro({ macros }: MacroLines, name: string): PlacedMacro | null {
  const same = macros.filter(({ section }) => argumentsOf(section.open)[0]!.value.toLowerCase() === name.toLowerCase());
  return same.length === 1 && same[0]!.file.readings === 1 ? same[0]! : null;
}

/** Whether these are all Use lines of a macro, each for one section. */
function areAllUses(uses: readonly PlacedUse[], all: ReturnType<MacroLines['usesOf']>): boolean {
  const keyOf = ({ file, offset }: Pick<PlacedUse, 'file' | 'offset'>) => `${offset} ${file.path}`;
  const known = new Set(uses.map(keyOf));
  return known.size === uses.length && all.every((use) => known.has(keyOf(use)));
}

/**
 * Whether the copy of a macro has the same effect as the macro: it has only lines that no other fix
 * changes, and no access lines besides those of the section.
 */
function isPlainMacro({ section, file, offset }: PlacedMacro, { lines }: Scope): boolean {
  const old = new Set(lines.filter(isAccessLine).map((at: ConfigLine) => at.offset));
  let isPlain =
    PLAIN_TAG.test(section.open.text) &&
    section.close.text.endsWith('\n') &&
    section.unpairedTagCount === 0 &&
    file.tree.root.templateLineCount === 0;
  const walk = (list: List, base: number) =>
    forEachItem(list, base, (item, at) => {
      if (item instanceof Section) {
        isPlain &&= DIRECTORY_SECTIONS.includes(item.name);
        walk(item.body, at + item.open.length);
      } else if (item.kind === LineKind.Directive) isPlain &&= LOGIN_LINES.has(item.name) || old.has(at);
    });
  walk(section.body, offset + section.open.length);
  return isPlain;
}

/** The tag of a macro in one line, with a name that is not in quotes. */
const PLAIN_TAG = /^[ \t]*<macro[ \t]+[\w.-]+(?:[ \t][^\\\n]*)?>[ \t]*\r?\n$/i;

function textOfSecondMacro({ macro, name, ...lines }: SecondMacro): string {
  const { section, offset } = macro;
  const whole = section.open.text + textOf(section.body) + section.close.text;
  const { start, end } = argumentsOf(section.open)[0]!;
  const edits = [...sectionEdits(lines)!].sort((a, b) => b.start - a.start || b.end - a.end);
  const changed = edits.reduce(
    (text, edit) => text.slice(0, edit.start - offset) + edit.text + text.slice(edit.end - offset),
    whole,
  );
  return changed.slice(0, start) + name + changed.slice(end);
}
