/**
 * Writes further macros if the Use lines of a macro need different new lines, for example `Require
 * ip` for an address and `Require host` for a name. The macro itself gets the lines for the largest
 * group of Use lines. Each other group gets a copy of the macro with its own lines, and its Use
 * lines name that copy.
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

/**
 * A copy of a macro, with the new lines that some Use lines need. It is written after the macro.
 */
export interface SecondMacro extends Pick<SectionLines, 'tree' | 'authMerging'> {
  readonly name: string;
  readonly macro: PlacedMacro;
  /**
   * A section into which one of these Use lines inserts the macro. The sections of the other Use
   * lines need the same new lines.
   */
  readonly scope: Scope;
  readonly uses: readonly PlacedUse[];
}

/** A macro, with its file and its offset in that file. */
interface PlacedMacro {
  readonly section: Section;
  readonly file: ConfigFile;
  readonly offset: number;
}

/** The new lines for a macro whose Use lines need different lines. */
export interface SplitMacro {
  /** One of the sections whose new lines the macro itself gets. They all need the same lines. */
  readonly entryWithSharedLines: SectionEntry;
  readonly secondMacros: readonly SecondMacro[];
}

/**
 * Divides the sections that read their access lines from one macro by the new lines that they need.
 * The largest group keeps the macro. `keyOfLines`: returns the same text for sections with the same
 * new lines. Null if the macro cannot be copied, or if all sections need the same lines.
 */
export function splitMacro(
  entries: readonly SectionEntry[],
  linesByEntry: ReadonlyMap<SectionEntry, SectionLines>,
  input: ConversionInput,
  keyOfLines: (entry: SectionEntry) => string,
): SplitMacro | null {
  const { configuration, options, survey } = input;
  if (options.keepsBoth === true || survey.source !== '2.2' || configuration.gaps.length > 0) return null;
  const useByEntry = new Map<SectionEntry, PlacedUse>();
  for (const entry of entries) {
    const use = useLineOf(entry.scope);
    if (use === null || !linesByEntry.has(entry)) return null;
    useByEntry.set(entry, use);
  }
  const keysOfAccessLines = new Set(entries.map(({ scope }) => keyOfAccessLines(scope)));
  const [firstEntry] = entries;
  const { name } = useByEntry.get(firstEntry!)!.macro;
  const linesOfMacros = collectMacroLines([...configuration.files.values()]);
  const macro = linesOfMacros && onlyMacroNamed(linesOfMacros, name);
  if (!macro || keysOfAccessLines.size > 1 || !isPlainMacro(macro, firstEntry!.scope)) return null;
  if (!areAllUses([...useByEntry.values()], linesOfMacros.usesOf(name))) return null;

  const entriesByLines = new Map<string, SectionEntry[]>();
  for (const entry of entries) addTo(entriesByLines, keyOfLines(entry), entry);
  const [largestGroup, ...otherGroups] = [...entriesByLines.values()].sort((a, b) => b.length - a.length);
  if (otherGroups.length === 0 || entriesByLines.size > MAX_GROUPS_OF_USES) return null;
  const secondMacros: SecondMacro[] = [];
  for (const [index, group] of otherGroups.entries()) {
    const newName = `${name}_${index + 2}`;
    if (linesOfMacros.isNameTaken(newName)) return null;
    const [{ scope }] = group as [SectionEntry];
    const { tree, authMerging } = linesByEntry.get(group[0]!)!;
    secondMacros.push({
      name: newName,
      macro,
      scope,
      tree,
      authMerging,
      uses: group.map((each) => useByEntry.get(each)!),
    });
  }
  return { entryWithSharedLines: largestGroup![0]!, secondMacros };
}

/** Names of login lines. A copy of a macro or an included file has them unchanged. */
export const LOGIN_DIRECTIVES: ReadonlySet<string> = new Set([
  'authtype',
  'authname',
  'authuserfile',
  'authgroupfile',
  'authbasicprovider',
]);

/**
 * The edits that write the copies of a macro and change the names in Use lines, each with its file.
 */
export function* secondMacroEdits(secondMacros: readonly SecondMacro[]): Iterable<readonly [ConfigFile, TextEdit]> {
  const [first] = secondMacros;
  if (first === undefined) return;
  const { section, file, offset } = first.macro;
  const macroEnd = offset + section.length;
  yield [file, { start: macroEnd, end: macroEnd, text: secondMacros.map(textOfSecondMacro).join('') }];
  for (const { name, uses } of secondMacros)
    for (const use of uses) {
      const { start, end: nameEnd } = argumentsOf(use.line)[0]!;
      yield [use.file, { start: use.offset + start, end: use.offset + nameEnd, text: name }];
    }
}

// ---------------------------------------------------------------------------------------------------------------------

/** Limit of groups of Use lines that need different lines. The largest group keeps the macro. */
const MAX_GROUPS_OF_USES = 4;

/**
 * The Use line that inserts the access lines of a section. Null if there are several Use lines or
 * none, or if the macro's name in the line cannot be replaced.
 */
function useLineOf(scope: Scope): PlacedUse | null {
  const lines = sharedLines(scope);
  const use = lines?.[0]?.use;
  if (!lines || use === undefined || scope.activity !== 'active') return null;
  const { line } = use;
  const nameArgument = argumentsOf(line)[0];
  const isNameWrittenOut =
    nameArgument !== undefined &&
    !line.isJoined &&
    line.text.slice(nameArgument.start, nameArgument.end) === nameArgument.value;
  return isNameWrittenOut && lines.every((at) => at.use?.line === line && at.use.offset === use.offset) ? use : null;
}

/**
 * The macros of a configuration, and the Use lines. Upper and lower case of their names do not
 * matter.
 */
interface MacroLines {
  readonly macros: readonly PlacedMacro[];
  usesOf(name: string): readonly { readonly file: ConfigFile; readonly offset: number }[];
  /** Whether a macro or a Use line has the name. */
  isNameTaken(name: string): boolean;
}

/**
 * Collects all Use and `<Macro>` lines, also those in conditions and in macros. Null if one of them
 * has a name with other characters than letters, digits, `_`, `.` and `-`, or if there is an
 * UndefMacro line.
 */
function collectMacroLines(files: readonly ConfigFile[]): MacroLines | null {
  const macros: PlacedMacro[] = [];
  const usesByName = new Map<string, { file: ConfigFile; offset: number }[]>();
  const countByName = new Map<string, number>();
  let areNamesPlain = true;
  const recordName = (line: Line): string => {
    const macroName = argumentsOf(line)[0]?.value ?? '';
    areNamesPlain &&= PLAIN_MACRO_NAME.test(macroName);
    countByName.set(macroName.toLowerCase(), (countByName.get(macroName.toLowerCase()) ?? 0) + 1);
    return macroName.toLowerCase();
  };
  const walk = (file: ConfigFile, list: List, base: number) =>
    forEachItem(list, base, (item, offset) => {
      if (item instanceof Section) {
        if (item.name === 'macro') {
          recordName(item.open);
          macros.push({ section: item, file, offset });
        }
        walk(file, item.body, offset + item.open.length);
      } else if (item.name === 'use') addTo(usesByName, recordName(item), { file, offset });
      else if (item.name === 'undefmacro' || item.name === 'macro') areNamesPlain = false;
    });
  for (const file of files) walk(file, file.tree.root, 0);
  if (!areNamesPlain) return null;
  return {
    macros,
    usesOf: (name) => usesByName.get(name.toLowerCase()) ?? [],
    isNameTaken: (name) => countByName.has(name.toLowerCase()),
  };
}

const PLAIN_MACRO_NAME = /^[\w.-]+$/;

/**
 * The macro with this name. Null if several macros have it, or if its file is read more than once.
 */
function onlyMacroNamed({ macros }: MacroLines, name: string): PlacedMacro | null {
  const macrosWithName = macros.filter(
    ({ section }) => argumentsOf(section.open)[0]!.value.toLowerCase() === name.toLowerCase(),
  );
  return macrosWithName.length === 1 && macrosWithName[0]!.file.readingCount === 1 ? macrosWithName[0]! : null;
}

/**
 * Whether `uses` are all Use lines of a macro, each of them for one section. `allUses`: all Use
 * lines with the macro's name.
 */
function areAllUses(uses: readonly PlacedUse[], allUses: ReturnType<MacroLines['usesOf']>): boolean {
  const keyOfUse = ({ file, offset }: Pick<PlacedUse, 'file' | 'offset'>) => `${offset} ${file.path}`;
  const knownKeys = new Set(uses.map(keyOfUse));
  return knownKeys.size === uses.length && allUses.every((use) => knownKeys.has(keyOfUse(use)));
}

/**
 * Whether a copy of a macro has the same effect as the macro. It does if the macro contains only
 * the access lines of `scope`, login lines and directory sections.
 */
function isPlainMacro({ section, file, offset }: PlacedMacro, { lines }: Scope): boolean {
  const accessOffsets = new Set(lines.filter(isAccessLine).map((at: ConfigLine) => at.offset));
  let hasOnlyAllowedLines =
    PLAIN_MACRO_TAG.test(section.open.text) &&
    section.close.text.endsWith('\n') &&
    section.looseTagCount === 0 &&
    file.tree.root.templateLineCount === 0;
  const walk = (list: List, base: number) =>
    forEachItem(list, base, (item, at) => {
      if (item instanceof Section) {
        hasOnlyAllowedLines &&= DIRECTORY_SECTIONS.includes(item.name);
        walk(item.body, at + item.open.length);
      } else if (item.kind === LineKind.Directive)
        hasOnlyAllowedLines &&= LOGIN_DIRECTIVES.has(item.name) || accessOffsets.has(at);
    });
  walk(section.body, offset + section.open.length);
  return hasOnlyAllowedLines;
}

/** Matches the tag of a macro on one line, with a name that is not in quotes. */
const PLAIN_MACRO_TAG = /^[ \t]*<macro[ \t]+[\w.-]+(?:[ \t][^\\\n]*)?>[ \t]*\r?\n$/i;

/** The text of the copy of a macro, with its own name and its new lines. */
function textOfSecondMacro({ macro, name, ...lines }: SecondMacro): string {
  const { section, offset } = macro;
  const macroText = section.open.text + textOf(section.body) + section.close.text;
  const { start, end } = argumentsOf(section.open)[0]!;
  const edits = [...sectionEdits(lines)!].sort((a, b) => b.start - a.start || b.end - a.end);
  const changedText = edits.reduce(
    (text, edit) => text.slice(0, edit.start - offset) + edit.text + text.slice(edit.end - offset),
    macroText,
  );
  return changedText.slice(0, start) + name + changedText.slice(end);
}
