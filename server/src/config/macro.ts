/**
 * Expands macros as mod_macro does: makes the text that a Use line inserts, line by line. If httpd
 * refuses the Use line, gives the reason (modules/core/mod_macro.c: macro_section,
 * substitute_macro_args, use_macro; experiments in test/httpd/macros.test.ts).
 */
import { addTo } from '../syntax/groups';
import { lexLines, LineKind, logicalText, rawArguments, type Line } from '../syntax/line';
import { Tree } from '../syntax/document';
import { cache, cacheOf } from '../syntax/memory';
import { forEachItem, Section, textOf, type Item, type List } from '../syntax/tree';
import { SummarySection, forEachPart, type FileSummary } from './file-summary';
import type { ConditionResult } from './environment';
import { sectionKind } from './sections';

/** A `<Macro>` section: its name, parameters and body. */
export interface Macro {
  readonly name: string;
  readonly parameters: readonly string[];
  /** The body, without the tags. */
  readonly text: string;
  /**
   * The path of the file with the section, with symbolic links resolved. It is `THIS_FILE_PATH` or
   * '' if the file was read alone.
   */
  readonly file: string;
  /** The opening tag of the `<Macro>` section. */
  readonly line: Line;
  /** 0-based row of the opening tag when the file was read. */
  readonly row: number;
}

/** The result of a Use line; null if unknown. */
export type UseResult = Expansion | RefusedUse | null;

/**
 * The lines that a Use line inserts. Nested Use lines in them are expanded, decided conditions are
 * removed, and known variables are replaced.
 */
export interface Expansion {
  readonly kind: 'expands';
  readonly macro: Macro;
  /** The arguments of the Use line after the name. */
  readonly values: readonly string[];
  /** The lines that the server reads in place of the Use line. */
  readonly text: string;
  /** From which macro and row each run of lines in the text comes, in order. */
  readonly bodyOrigins: readonly BodyRun[];
  /** Nested Use lines that the server refuses; their rows in the text are empty. */
  readonly refusedUses: readonly { readonly row: number; readonly use: RefusedUse }[];
  /** A text that is equal for equal results. */
  readonly key: string;
}

/**
 * A run of lines in the expanded text. From row `row` on, the lines of the text are those of the
 * macro's body from row `bodyRow` on.
 */
export interface BodyRun {
  readonly row: number;
  readonly macro: Macro;
  readonly bodyRow: number;
}

/** The reason why httpd refuses a Use line. */
export type UseProblem = 'no-name' | 'none-defined' | 'undefined' | 'arguments' | 'recursive' | 'too-long';

/** A Use or UndefMacro line that httpd refuses. */
export interface RefusedUse {
  readonly kind: 'refused';
  readonly problem: UseProblem;
  readonly name: string;
  readonly macro: Macro | null;
  /** The number of arguments after the name. */
  readonly argumentCount: number;
  /** For `too-long`: the line of the body, 0-based. */
  readonly bodyRow: number;
  readonly key: string;
}

/**
 * The results of the Use lines of one file. They come from the configuration of the file, or from
 * the file alone. If all results are equal to earlier ones, this is the same object.
 */
export interface UsesOfFile {
  resultOf(line: Line): UseResult;
  /**
   * Whether the text of a Use line opens a section without closing it, or closes one without
   * opening it. Then the tags of the file alone do not show the scopes.
   */
  readonly isUnbalanced: boolean;
  /**
   * Whether rules look for errors in the text that a Use line inserts. False if the texts of
   * earlier Use lines have used up the limit.
   */
  searchesErrorsIn(text: string): boolean;
}

/** Longest line of a macro, with its line end (MAX_STRING_LEN in include/httpd.h). */
export const MAX_LINE_LENGTH = 8192;

/** Maximum number of characters of a macro's text after the arguments are put in. */
const MAX_EXPANSION_LENGTH = 1024 * 1024;

/**
 * Maximum number of characters of the distinct texts in which rules look for errors: a base, and an
 * amount for each Use line. Ten thousand virtual hosts from one macro stay below it.
 */
const MAX_CHECKED_LENGTH = 400_000;
const CHECKED_LENGTH_PER_USE = 1_000;

/**
 * How much a Use line adds to the limits of macros, from 0 to 1. On a real server, a Use line names
 * a host or a directory, so it is not very short. A shorter line adds less, so that a small file
 * cannot insert tens of thousands of sections.
 */
export function weightOfUse({ length }: Line): number {
  return Math.min(1, length / MIN_LENGTH_OF_REAL_USE) ** 4;
}

const MIN_LENGTH_OF_REAL_USE = 16;

/** Makes the result for a Use line that httpd refuses because of `problem`. */
export function refusedUse(
  problem: UseProblem,
  details: {
    readonly name: string;
    readonly macro?: Macro;
    readonly argumentCount?: number;
    readonly bodyRow?: number;
  },
): RefusedUse {
  const { name, macro = null, argumentCount = 0, bodyRow = 0 } = details;
  return {
    kind: 'refused',
    problem,
    name,
    macro,
    argumentCount,
    bodyRow,
    // Computed when it is needed, because a short file can have many such lines.
    get key() {
      return JSON.stringify([problem, name, argumentCount, bodyRow, macro?.parameters]);
    },
  };
}

/**
 * Returns the body with the arguments put in. As in mod_macro, comments are removed and continued
 * lines are joined. Every line keeps its row in the body. `tooLong`: the row of a line that is too
 * long for httpd. Null if the whole text is longer than the limit of this program.
 */
export function bodyWithValues(macro: Macro, values: readonly string[]): string | { readonly tooLong: number } | null {
  const valueByName = new Map<string, string>();
  for (const [index, name] of macro.parameters.entries())
    if (name !== '' && !valueByName.has(name)) valueByName.set(name, values[index]!);
  const replacements: ParameterValues | null =
    valueByName.size === 0 ? null : { findNextName: nameFinder(valueByName.keys()), values: valueByName };
  const rows: string[] = [];
  let textLength = 0;
  for (const { text, lineEnds } of bodyLinesOf(macro)) {
    const line = replacements === null || text === '' ? text : substitutedLine(text, replacements);
    if (line === null) return { tooLong: rows.length };
    textLength += line.length;
    if (textLength > MAX_EXPANSION_LENGTH) return null;
    rows.push(line);
    for (let i = 1; i < lineEnds; i++) rows.push('');
  }
  return rows.map((row) => `${row}\n`).join('');
}

/**
 * The number that httpd reports for a line of a macro, from 1 on. A continued line counts as one
 * line, and comments do not count.
 */
export function lineNumberIn(macro: Macro, bodyRow: number): number {
  let row = 0;
  let lineNumber = 0;
  for (const { lineEnds, isComment } of bodyLinesOf(macro)) {
    if (row > bodyRow) break;
    row += Math.max(1, lineEnds);
    if (!isComment) lineNumber++;
  }
  return Math.max(1, lineNumber);
}

/** The macro and the row in its body from which a row of an expansion comes. */
export function sourceOfRow(
  { bodyOrigins, macro }: Expansion,
  row: number,
): { readonly macro: Macro; readonly bodyRow: number } {
  let origin: BodyRun = { row: 0, macro, bodyRow: 0 };
  for (const candidate of bodyOrigins) {
    if (candidate.row > row) break;
    origin = candidate;
  }
  return { macro: origin.macro, bodyRow: origin.bodyRow + row - origin.row };
}

/**
 * What was found when the text of a macro was read: the results of its conditions and Use lines.
 * `expandedLine`: replaces the variables of a line; null if a value is unknown.
 */
export interface TextReading {
  readonly conditions: ReadonlyMap<Line, ConditionResult>;
  readonly uses: ReadonlyMap<Line, UseResult>;
  expandedLine(line: Line): Line | null;
}

/**
 * Makes the result of a Use line from the text with its arguments. Null if the result of a nested
 * Use line is unknown.
 */
export function expand(macro: Macro, values: readonly string[], tree: Tree, reading: TextReading): UseResult {
  const text = textOf(tree.root);
  const needsNoExpansion =
    reading.conditions.size === 0 && reading.uses.size === 0 && !text.includes('${') && !/<macro/i.test(text);
  if (needsNoExpansion) return expansionOf(macro, values, text, [{ row: 0, macro, bodyRow: 0 }], []);
  const expansionText = new ExpansionText(macro, reading);
  return expansionText.add(tree.root, 0)
    ? expansionOf(macro, values, expansionText.text, expansionText.bodyOrigins, expansionText.refusedUses)
    : null;
}

/** The tree of a text; cached by text. */
export function treeOfText(text: string): Tree {
  let tree = treeCache.get(text);
  if (!tree) {
    if (treeCache.size >= MAX_CACHED_TREES) treeCache.clear();
    treeCache.set(text, (tree = Tree.parse(text)));
  }
  return tree;
}

/** The results of the Use lines of one file. All places with the same context share them. */
export class FileUses implements UsesOfFile {
  readonly keyOfUses: string;
  readonly isUnbalanced: boolean;
  private readonly resultByText = new Map<string, UseResult>();
  /**
   * For lines with equal texts and different results: each result, in the order of the lines in the
   * file.
   */
  private readonly differingResultsByText = new Map<string, UseResult[]>();
  /**
   * The results by line object, for lines with equal texts and different results. They are assigned
   * again when the file changes.
   */
  private boundResultByLine = new WeakMap<Line, { readonly result: UseResult }>();
  private readonly textsToCheck = new Set<string>();

  /** `fileSummary`: the summary of the file from which `resultByLine` was computed. */
  constructor(
    private resultByLine: ReadonlyMap<Line, UseResult>,
    fileSummary: FileSummary,
  ) {
    let joinedKey = '';
    let isUnbalanced = false;
    let charactersLeft = MAX_CHECKED_LENGTH;
    for (const [line, result] of resultByLine) {
      charactersLeft += CHECKED_LENGTH_PER_USE * weightOfUse(line);
      if (result?.kind === 'expands' && charactersLeft > 0 && !this.textsToCheck.has(result.text)) {
        this.textsToCheck.add(result.text);
        charactersLeft -= result.text.length;
      }
      const lineText = keyOfLine(line);
      if (!this.resultByText.has(lineText)) this.resultByText.set(lineText, result);
      else if (this.resultByText.get(lineText)?.key !== result?.key) this.differingResultsByText.set(lineText, []);
      joinedKey += `\n${lineText}\t${result?.key ?? ''}`;
      isUnbalanced ||=
        result?.kind === 'expands' && result.text.includes('<') && treeOfText(result.text).root.looseTagCount > 0;
    }
    this.keyOfUses = joinedKey;
    this.isUnbalanced = isUnbalanced;
    if (this.differingResultsByText.size > 0)
      forEachUse(fileSummary, (line) =>
        this.differingResultsByText.get(keyOfLine(line))?.push(resultByLine.get(line) ?? null),
      );
  }

  resultOf(line: Line): UseResult {
    const cachedResult = this.resultByLine.get(line);
    if (cachedResult !== undefined) return cachedResult;
    const lineText = keyOfLine(line);
    return (
      (this.differingResultsByText.has(lineText)
        ? this.boundResultByLine.get(line)?.result
        : this.resultByText.get(lineText)) ?? null
    );
  }

  searchesErrorsIn(text: string): boolean {
    return this.textsToCheck.has(text);
  }

  /**
   * Assigns the results of lines with equal texts to the line objects in the current text of the
   * file.
   */
  bindLines(fileSummary: FileSummary): void {
    if (this.differingResultsByText.size === 0) return;
    const countByText = new Map<string, number>();
    forEachUse(fileSummary, (line) => {
      const lineText = keyOfLine(line);
      const resultsOfText = this.differingResultsByText.get(lineText);
      if (!resultsOfText) return;
      const indexOfUse = countByText.get(lineText) ?? 0;
      countByText.set(lineText, indexOfUse + 1);
      this.boundResultByLine.set(line, { result: resultsOfText[indexOfUse] ?? null });
    });
  }

  /** Takes over the line objects of a later reading whose results are equal. */
  takeLinesOf(later: FileUses): this {
    this.resultByLine = later.resultByLine;
    for (const [key, result] of later.resultByText) this.resultByText.set(key, result);
    for (const [key, results] of later.differingResultsByText) this.differingResultsByText.set(key, results);
    this.boundResultByLine = new WeakMap();
    return this;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

const treeCache = cache<string, Tree>();
const MAX_CACHED_TREES = 50_000;

/** A line of a body as mod_macro stores it. */
interface BodyLine {
  readonly text: string;
  /** The number of physical lines. */
  readonly lineEnds: number;
  readonly isComment: boolean;
}

const bodyCache = cacheOf<Macro, readonly BodyLine[]>();

/**
 * The lines of a macro's body. Comments are dropped (get_lines_till_end_token), and ap_cfg_getline
 * joins continued lines and trims white space.
 */
function bodyLinesOf(macro: Macro): readonly BodyLine[] {
  let bodyLines = bodyCache.get(macro);
  if (!bodyLines) {
    bodyLines = lexLines(macro.text).map((line) => {
      const isComment = line.kind === LineKind.Comment;
      return {
        text: isComment
          ? ''
          : logicalText(line)
              .text.replace(/\r?\n$/, '')
              .trim(),
        lineEnds: Math.max(1, line.lineEnds),
        isComment,
      };
    });
    bodyCache.set(macro, bodyLines);
  }
  return bodyLines;
}

/**
 * The line with the values of the parameters. Replaces the first parameter that occurs, and
 * continues after its value (substitute_macro_args). If several parameters fit at one place, the
 * longest is replaced. Null if the line becomes too long for httpd.
 */
function substitutedLine(text: string, { findNextName, values }: ParameterValues): string | null {
  let line = text;
  for (let match = findNextName(line, 0); match; ) {
    const { start, name } = match;
    const valueOfName = values.get(name)!;
    if (name !== valueOfName) {
      const replacement = name.startsWith('@') ? `"${valueOfName.replace(/["\\]/g, '\\$&')}"` : valueOfName;
      line = line.slice(0, start) + replacement + line.slice(start + name.length);
      if (line.length * 3 >= MAX_LINE_LENGTH && utf8Length(line) + 1 >= MAX_LINE_LENGTH) return null;
    }
    match = findNextName(line, start + valueOfName.length);
  }
  return line;
}

/**
 * The values of a macro's parameters, by name. If two parameters have one name, the first counts.
 */
interface ParameterValues {
  readonly findNextName: ReturnType<typeof nameFinder>;
  readonly values: ReadonlyMap<string, string>;
}

/**
 * Finds the first place after an offset where one of the names occurs. If several names fit at one
 * place, the longest is found. No name may be empty.
 */
export function nameFinder(
  names: Iterable<string>,
): (text: string, from: number) => { readonly start: number; readonly name: string } | null {
  const allNames = new Set(names);
  const lengthsByStart = new Map<string, number[]>();
  for (const name of allNames) {
    const lengthsOfStart = lengthsByStart.get(name[0]!);
    if (!lengthsOfStart?.includes(name.length)) addTo(lengthsByStart, name[0]!, name.length);
  }
  for (const each of lengthsByStart.values()) each.sort((a, b) => b - a);
  return (text, from) => {
    for (let index = from; index < text.length; index++) {
      for (const length of lengthsByStart.get(text[index]!) ?? NO_LENGTHS) {
        const candidateName = text.slice(index, index + length);
        if (allNames.has(candidateName)) return { start: index, name: candidateName };
      }
    }
    return null;
  };
}

const NO_LENGTHS: readonly number[] = [];

function utf8Length(text: string): number {
  let byteCount = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    byteCount += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return byteCount;
}

/**
 * Makes the result of a Use line, with its key. `origins`: where the lines of the text come from.
 */
function expansionOf(
  macro: Macro,
  values: readonly string[],
  text: string,
  origins: readonly BodyRun[],
  refusedUses: Expansion['refusedUses'],
): Expansion {
  // The positions in the body are part of the key, because users see them.
  const originsText = origins
    .map(({ row, macro: { name, text: body }, bodyRow }) => `${row} ${name} ${bodyRow} ${body.length}`)
    .join(',');
  return {
    kind: 'expands',
    macro,
    values,
    text,
    bodyOrigins: origins,
    refusedUses,
    key: `${macro.file}\t${originsText}\t${refusedUses.map(({ row, use }) => `${row} ${use.key}`).join(',')}\n${text}`,
  };
}

/** Collects the text of an expansion line by line. */
class ExpansionText {
  text = '';
  readonly bodyOrigins: BodyRun[] = [];
  readonly refusedUses: { row: number; use: RefusedUse }[] = [];
  private rowCount = 0;

  constructor(
    private readonly macro: Macro,
    private readonly reading: TextReading,
  ) {}

  /**
   * Adds the lines of a list. Returns false if the result of a nested Use line is unknown, or if
   * the text gets too long.
   */
  add(list: List, row: number): boolean {
    let isTextKnown = true;
    forEachItem(list, 0, (item: Item) => {
      isTextKnown &&= item instanceof Section ? this.addSection(item, row) : this.addLine(item, row);
      row += item.lineEnds;
    });
    return isTextKnown && this.text.length <= MAX_EXPANSION_LENGTH;
  }

  private addLine(line: Line, row: number): boolean {
    const { uses } = this.reading;
    if (line.kind === LineKind.Directive && line.name === 'use') {
      const useResult = uses.get(line) ?? null;
      if (useResult === null) return false;
      if (useResult.kind === 'expands') return this.addExpansion(useResult);
    }
    const refusal = uses.get(line);
    if (refusal?.kind === 'refused') {
      this.refusedUses.push({ row: this.rowCount, use: refusal });
      this.append('\n', this.macro, row);
      return true;
    }
    // The line may have a variable with an unknown value, even in its name or in a tag. Then it
    // stays as written.
    this.append(this.textOf(line), this.macro, row);
    return true;
  }

  private addSection(section: Section, row: number): boolean {
    const { open, body, close } = section;
    // A macro that is defined inside this macro inserts its lines only where it is used.
    if (section.name === 'macro') return true;
    const kindOfSection = sectionKind(section.name);
    if (kindOfSection === 'conditional') {
      const conditionActivity = this.reading.conditions.get(open)?.activity;
      if (conditionActivity === 'inactive') return true;
      if (conditionActivity === 'active') return this.add(body, row + open.lineEnds);
    }
    if (kindOfSection === 'opaque') this.append(textOf(body), this.macro, row);
    this.append(this.textOf(open), this.macro, row);
    if (kindOfSection !== 'opaque' && !this.add(body, row + open.lineEnds)) return false;
    this.append(close.text, this.macro, row + open.lineEnds + body.lineEnds);
    return true;
  }

  private addExpansion({ text, bodyOrigins, refusedUses }: Expansion): boolean {
    if (this.text.length + text.length > MAX_EXPANSION_LENGTH) return false;
    for (const { row, macro, bodyRow } of bodyOrigins)
      this.bodyOrigins.push({ row: this.rowCount + row, macro, bodyRow });
    for (const { row, use } of refusedUses) this.refusedUses.push({ row: this.rowCount + row, use });
    this.text += text;
    for (let newline = text.indexOf('\n'); newline >= 0; newline = text.indexOf('\n', newline + 1)) this.rowCount++;
    return true;
  }

  private textOf(line: Line): string {
    return line.text.includes('${') ? (this.reading.expandedLine(line)?.text ?? line.text) : line.text;
  }

  /** Adds a text from one row of a macro's body, with a newline at its end. */
  private append(text: string, macro: Macro, bodyRow: number): void {
    const lastRun = this.bodyOrigins.at(-1);
    if (!lastRun || lastRun.macro !== macro || lastRun.bodyRow - lastRun.row !== bodyRow - this.rowCount)
      this.bodyOrigins.push({ row: this.rowCount, macro, bodyRow });
    this.text += text.endsWith('\n') ? text : `${text}\n`;
    for (let newline = text.indexOf('\n'); newline >= 0; newline = text.indexOf('\n', newline + 1)) this.rowCount++;
    if (!text.endsWith('\n')) this.rowCount++;
  }
}

/** Visits Use and UndefMacro lines outside of macros, in order. */
function forEachUse(fileSummary: FileSummary, visit: (line: Line) => void): void {
  if (!fileSummary.hasUse) return;
  forEachPart(fileSummary, 0, 0, (item) => {
    if (item instanceof SummarySection) {
      if (item.text === null) forEachUse(item.body, visit);
    } else if (item.name === 'use' || item.name === 'undefmacro') visit(item);
  });
}

/** A text that is equal for lines with the same name and arguments. */
function keyOfLine(line: Line): string {
  return `${line.name} ${rawArguments(line).value}`;
}
