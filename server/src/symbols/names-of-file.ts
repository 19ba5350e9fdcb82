/**
 * The names in a file that other files of its configuration may use or inherit, as plain data
 * without tree or text. They are gathered once, when the file is read from the disk. For an open
 * file they are gathered when they are needed, and cached with its tree.
 */
import { isTransparent, sectionKind } from '../config/sections';
import type { Tree } from '../syntax/document';
import { LineKind, rawArguments, spelledName, type Line } from '../syntax/line';
import { cacheOf, counters } from '../syntax/memory';
import { List, Section, type Item } from '../syntax/tree';
import { readDefinitions, type DefinitionKind } from './definitions';

/** A line that defines a name. */
export interface NamedLine {
  readonly kind: DefinitionKind;
  readonly name: string;
  /** The value of the name, as far as the line shows it. */
  readonly value: string;
  /** The number of the line, 0-based. */
  readonly row: number;
}

/** A line at the top level of a file. It applies to the scope that includes the file. */
export interface TopLine {
  /** The line as written, with its arguments; shortened if long. */
  readonly text: string;
  readonly row: number;
  /** The open tags of the conditions around it, outermost first. */
  readonly conditions: readonly Line[];
}

/**
 * The names that one file defines, and the last lines of each directive at the top level of the
 * file.
 */
export interface FileNames {
  readonly definingLines: readonly NamedLine[];
  /**
   * The lines that may apply, in order, by the directive's name in lower case. There are several if
   * some of them are in conditional sections.
   */
  readonly topLines: ReadonlyMap<string, readonly TopLine[]>;
  /** Whether the file has AllowOverride or AllowOverrideList. */
  readonly hasOverride: boolean;
  /** Whether the whole file was read. */
  readonly isComplete: boolean;
}

/** Counter for tests: files read since the start of the program. */
export const namesOfFileCounts = counters({ files: 0 });

/** The names in a file, cached with its tree. */
export function fileNamesOf({ root }: Tree): FileNames {
  let names = fileNamesByList.get(root);
  if (!names) fileNamesByList.set(root, (names = gatherFileNames(root)));
  return names;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Maximum number of lines that are read of a file. */
const MAX_LINES_OF_FILE = 50_000;
/** Maximum number of definitions that are stored for a file. */
const MAX_DEFINED_NAMES = 1000;

/**
 * Maximum number of lines that are stored for one directive. There are several lines if some of
 * them are in conditional sections.
 */
const MAX_TOP_LINES = 4;

/** Maximum length of a text that `shortenedValue` returns, in UTF-16 units. */
const MAX_SHORTENED_LENGTH = 120;

const NO_CONDITIONS: readonly Line[] = [];
const NO_TOP_LINES: ReadonlyMap<string, readonly TopLine[]> = new Map();
/** The names of a file that has none. */
export const NO_FILE_NAMES: FileNames = {
  definingLines: [],
  topLines: NO_TOP_LINES,
  hasOverride: false,
  isComplete: true,
};

const fileNamesByList = cacheOf<List, FileNames>();

/** Reads the names in a file. */
function gatherFileNames(root: List): FileNames {
  namesOfFileCounts.files++;
  const definingLines: NamedLine[] = [];
  const topLinesByDirective = new Map<string, TopLine[]>();
  let hasOverride = false;
  let linesLeft = MAX_LINES_OF_FILE;
  const addDefinitions = (line: Line, row: number) => {
    readDefinitions(line, (kind, name, value = '') => {
      if (name !== '' && definingLines.length < MAX_DEFINED_NAMES)
        definingLines.push({ kind, name: copiedText(name), value: copiedText(shortenedValue(value)), row });
    });
  };
  const addTopLine = (line: Line, row: number, conditions: readonly Line[]) => {
    const topLine: TopLine = {
      text: copiedText(shortenedValue(`${spelledName(line)} ${rawArguments(line).value}`.trimEnd())),
      row,
      conditions,
    };
    const knownTopLines = topLinesByDirective.get(line.name);
    if (!knownTopLines || conditions.length === 0) topLinesByDirective.set(line.name, [topLine]);
    else if (knownTopLines.length < MAX_TOP_LINES) knownTopLines.push(topLine);
    else knownTopLines[MAX_TOP_LINES - 1] = topLine;
  };
  /** `conditions` is null within sections that are scopes of their own. */
  const walk = (list: List, startRow: number, conditions: readonly Line[] | null): number => {
    let row = startRow;
    for (const child of list.children as readonly (Item | List)[]) {
      if (linesLeft <= 0) return row;
      if (child instanceof List) walk(child, row, conditions);
      else if (child instanceof Section) {
        linesLeft--;
        const kind = sectionKind(child.name);
        addDefinitions(child.open, row);
        if (kind === 'opaque') {
          if (conditions) addTopLine(child.open, row, conditions);
        } else
          walk(
            child.body,
            row + child.open.lineEnds,
            conditions && isTransparent(kind)
              ? kind === 'conditional'
                ? [...conditions, child.open]
                : conditions
              : null,
          );
      } else if (child.kind === LineKind.Directive) {
        linesLeft--;
        addDefinitions(child, row);
        if (child.name === 'allowoverride' || child.name === 'allowoverridelist') hasOverride = true;
        if (conditions && child.name !== 'loadmodule') addTopLine(child, row, conditions);
      }
      row += child.lineEnds;
    }
    return row;
  };
  walk(root, 0, NO_CONDITIONS);
  if (definingLines.length === 0 && topLinesByDirective.size === 0 && !hasOverride && linesLeft > 0)
    return NO_FILE_NAMES;
  return {
    definingLines,
    topLines: topLinesByDirective.size > 0 ? topLinesByDirective : NO_TOP_LINES,
    hasOverride,
    isComplete: linesLeft > 0,
  };
}

/** The text, cut off with `…` if it is long. */
export function shortenedValue(text: string): string {
  return text.length > MAX_SHORTENED_LENGTH ? `${text.slice(0, MAX_SHORTENED_LENGTH - 1)}…` : text;
}

/** Copies a text. A slice would keep the whole text of the file in memory. */
function copiedText(text: string): string {
  return text.length < 13 ? text : ` ${text}`.slice(1);
}
