/**
 * Finds, for each directive, the line that finally applies to the main server. The line may be in
 * any file of the configuration. Of the current file, the lines are read. For the other files, the
 * names are looked up that the walk through the configuration has found in them.
 */
import type { Activity } from '../config/activity';
import type { FileSummary } from '../config/file-summary';
import { treeOfText } from '../config/macro';
import type { Model, Reading } from '../config/model';
import { isTransparent, sectionKind } from '../config/sections';
import type { FileContext } from '../config/file-context';
import type { Tree } from '../syntax/document';
import { LineKind, rawArguments, spelledName, type Line } from '../syntax/line';
import { cacheOf, counters } from '../syntax/memory';
import { List, Section, type Item } from '../syntax/tree';
import type { NamesInOtherFiles } from '../symbols/names-elsewhere';
import { shortenedValue, type TopLine } from '../symbols/names-of-file';
import { currentRow } from './navigation';

/** The only configuration that reads a file. */
export interface OnlyReader {
  /** The model of the configuration. */
  readonly model: Model;
  /** The path of the file with symbolic links resolved. */
  readonly path: string;
  /** The names that its other files define and use. */
  readonly namesInOtherFiles: NamesInOtherFiles;
  /** The current summary of a file; null if it was not read. */
  fileSummary(path: string): FileSummary | null;
}

/** A line that sets a directive for the main server: it is outside of all virtual hosts. */
export interface MainServerLine {
  /** The text of the line, shortened if it is long. The name is spelled as in the file. */
  readonly text: string;
  /** The name of the directive, as spelled in the file. */
  readonly name: string;
  /** The path of the file with the line; null if that is the current file. */
  readonly path: string | null;
  /** The 0-based line number. */
  readonly row: number;
  /** The condition around the line whose result is unknown; null if there is none. */
  readonly condition: string | null;
}

/** The lines of a configuration that are outside of all virtual hosts and directories. */
export interface MainServer {
  /**
   * The line that sets a directive for the main server. Undefined if no line sets it, null if that
   * is unknown.
   */
  lineSetting(name: string): MainServerLine | null | undefined;
  /** Whether all lines for the main server are known. */
  readonly areAllLinesKnown: boolean;
}

/** A line that is directly in a scope, not in a section inside it. */
export interface LineInScope {
  readonly line: Line;
  /** UTF-16 units from the start of the list. */
  readonly offset: number;
  /** The open tag of the innermost conditional section around the line; null if there is none. */
  readonly condition: Line | null;
}

/** The lines that are directly in one scope. */
export interface ScopeLines {
  /** The last line that may apply, by the lower-case name of its directive. */
  readonly lastLineOfDirective: ReadonlyMap<string, LineInScope>;
  /** The Include and Use lines. */
  readonly includesAndUses: readonly Line[];
  /** Whether all lines of the scope were read. */
  readonly isComplete: boolean;
}

/** Counts the tree items that were read since the start of the program; tests read it. */
export const workCounts = counters({ items: 0 });

/**
 * Finds the lines for the main server in a file and in the rest of its configuration. Null if the
 * file is too long, or if another file includes it inside a section.
 */
export function mainServerOf(
  tree: Tree,
  fileContext: FileContext | null,
  configuration: OnlyReader | null,
): MainServer | null {
  const linesInFile = topLevelLinesOf(tree.root, fileContext);
  if (!linesInFile.isComplete) return null;
  const lineInFile = (name: string): MainServerLine | undefined => {
    const lastLineInFile = linesInFile.lastLineOfDirective.get(name);
    return (
      lastLineInFile && {
        ...mainLineText(lastLineInFile.line),
        path: null,
        row: tree.positionAt(lastLineInFile.offset).line,
        condition: lastLineInFile.condition && openTagText(lastLineInFile.condition),
      }
    );
  };
  if (!configuration) return { lineSetting: lineInFile, areAllLinesKnown: linesInFile.includesAndUses.length === 0 };
  const { model, path, namesInOtherFiles } = configuration;
  const isPartOfMainServer = (model.files.get(path) ?? []).some(({ containers }) => containers.length === 0);
  if (!isPartOfMainServer) return null;
  const readingOrder = new ReadingOrder(configuration);
  const cachedLines = new Map<string, MainServerLine | null | undefined>();
  const findLineSetting = (name: string): MainServerLine | null | undefined => {
    const linesInOtherFiles = namesInOtherFiles.topLines(name);
    if (!linesInOtherFiles) return null;
    const placedLines: { readonly line: MainServerLine; readonly readingPosition: readonly number[] }[] = [];
    const lineInThisFile = lineInFile(name);
    if (lineInThisFile)
      placedLines.push({
        line: lineInThisFile,
        readingPosition: [...readingOrder.positionOf(path), lineInThisFile.row],
      });
    for (const each of linesInOtherFiles) {
      const reading = topLevelReading(model, each.path);
      if (!reading) continue;
      for (const line of each.lines) {
        const condition = conditionOf(line, reading);
        if (condition !== undefined)
          placedLines.push({
            line: { text: line.text, name: directiveName(line.text), path: each.path, row: line.row, condition },
            readingPosition: [...readingOrder.positionOf(each.path), line.row],
          });
      }
    }
    return placedLines.sort((a, b) => comparePositions(a.readingPosition, b.readingPosition)).pop()?.line;
  };
  const cachedLine = (name: string) => {
    if (!cachedLines.has(name)) cachedLines.set(name, findLineSetting(name));
    return cachedLines.get(name);
  };
  const hasUseLine =
    linesInFile.includesAndUses.some((each) => each.name === 'use') ||
    cachedLine('use') !== undefined ||
    cachedLine('perl') !== undefined;
  return { lineSetting: cachedLine, areAllLinesKnown: model.gaps.length === 0 && !hasUseLine };
}

/**
 * The names of the directives in a virtual host, including lines that it includes and macros that
 * it uses; null if some are unknown.
 */
export function virtualHostNames(
  section: Section,
  fileContext: FileContext | null,
  configuration: OnlyReader | null,
): ReadonlySet<string> | null {
  const hostLines = linesOf(section.body, fileContext);
  if (!hostLines.isComplete || hostLines.lastLineOfDirective.has('perl')) return null;
  const directiveNames = new Set(hostLines.lastLineOfDirective.keys());
  if (hostLines.includesAndUses.length === 0) return directiveNames;
  if (!configuration) return null;
  const { model, path, namesInOtherFiles } = configuration;
  const includes = model.includes.get(path) ?? [];
  for (const line of hostLines.includesAndUses) {
    if (line.name === 'use') {
      const linesOfMacro = linesOfUsedMacro(line, model.files.get(path) ?? []);
      if (!linesOfMacro || linesOfMacro.includesAndUses.length > 0) return null;
      for (const name of linesOfMacro.lastLineOfDirective.keys()) directiveNames.add(name);
      continue;
    }
    const nodes = walkRecordsOf(line, includes, (node) => node.line);
    if (nodes.length === 0) return null;
    const pendingIncludes = [...nodes];
    for (let node = pendingIncludes.pop(); node; node = pendingIncludes.pop()) {
      if (node.problem) return null;
      for (const file of node.files) {
        const namesInFile = namesInOtherFiles.namesOfFile(file.path);
        if (
          !namesInFile.isComplete ||
          namesInFile.topLines.has('use') ||
          namesInFile.topLines.has('perl') ||
          directiveNames.size > MAX_NAMES_OF_HOST
        )
          return null;
        for (const name of namesInFile.topLines.keys()) directiveNames.add(name);
        for (const includedNode of file.includes) pendingIncludes.push(includedNode);
      }
    }
  }
  return directiveNames;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * How many items of a file or virtual host are read. If there are more, `mainServerOf` and
 * `virtualHostNames` return null.
 */
const MAX_ITEMS_TO_READ = 5_000;

/** If a virtual host has more names than this, `virtualHostNames` returns null. */
const MAX_NAMES_OF_HOST = 5_000;

/** Maximum depth of nested includes. */
const MAX_INCLUDE_DEPTH = 30;

/** The lines of files, by the root of the tree. */
const cachedTopLevelLines = cacheOf<List, { readonly fileContext: FileContext | null; readonly lines: ScopeLines }>();

/** The lines at the top level of a file. The result is cached by list; an edit makes a new list. */
function topLevelLinesOf(root: List, fileContext: FileContext | null): ScopeLines {
  const cachedLines = cachedTopLevelLines.get(root);
  if (cachedLines?.fileContext === fileContext) return cachedLines.lines;
  const linesOfRoot = linesOf(root, fileContext);
  cachedTopLevelLines.set(root, { fileContext, lines: linesOfRoot });
  return linesOfRoot;
}

/**
 * The lines that are directly in a list, and those in its conditional sections that may be active.
 */
function linesOf(list: List, fileContext: FileContext | null): ScopeLines {
  const lastLineByName = new Map<string, LineInScope>();
  const includesAndUses: Line[] = [];
  let itemsLeft = MAX_ITEMS_TO_READ;
  const walk = (node: List, listOffset: number, condition: Line | null): void => {
    let offset = listOffset;
    for (const child of node.children as readonly (Item | List)[]) {
      if (itemsLeft <= 0) return;
      if (child instanceof List) walk(child, offset, condition);
      else {
        itemsLeft--;
        workCounts.items++;
        if (!(child instanceof Section)) {
          if (child.kind === LineKind.Directive) {
            if (child.name === 'include' || child.name === 'includeoptional' || child.name === 'use')
              includesAndUses.push(child);
            else lastLineByName.set(child.name, { line: child, offset, condition });
          }
        } else {
          const kindOfSection = sectionKind(child.name);
          const activity = kindOfSection === 'conditional' ? fileContext?.activityOf(child) : 'active';
          if (isTransparent(kindOfSection) && activity !== 'inactive')
            walk(child.body, offset + child.open.length, activity === 'active' ? condition : child.open);
          else if (kindOfSection === 'opaque') lastLineByName.set(child.name, { line: child.open, offset, condition });
        }
      }
      offset += child.length;
    }
  };
  walk(list, 0, null);
  return { lastLineOfDirective: lastLineByName, includesAndUses, isComplete: itemsLeft > 0 };
}

/**
 * The walk's first reading of a file at the top level under no inactive condition; undefined if
 * there is none.
 */
function topLevelReading({ files }: Model, path: string): Reading | undefined {
  return files.get(path)?.find(({ containers, activity }) => containers.length === 0 && activity !== 'inactive');
}

/**
 * The condition with unknown result around a line, as text. Null if there is none; undefined if the
 * line is inactive.
 */
function conditionOf(
  { conditions }: TopLine,
  { conditions: resultByTag, activity }: Reading,
): string | null | undefined {
  let unknownCondition = activity === 'unknown' ? 'a condition' : null;
  for (const openTag of conditions) {
    const activityOfCondition = resultByTag.get(openTag)?.activity ?? activityByText(openTag, resultByTag);
    if (activityOfCondition === 'inactive') return undefined;
    if (activityOfCondition === 'unknown') unknownCondition = openTagText(openTag);
  }
  return unknownCondition;
}

/**
 * Finds what the walk through the configuration decided about a condition. Compares the texts of
 * the lines, because a file that was opened after the walk has other line objects.
 */
function activityByText(openTag: Line, resultByTag: Reading['conditions']): Activity {
  const activities = walkRecordsOf(openTag, [...resultByTag], ([line]) => line).map(([, { activity }]) => activity);
  return activities.length > 0 && activities.every((activity) => activity === activities[0])
    ? activities[0]!
    : 'unknown';
}

/** The lines of macros after their parameters are replaced, by the result of the Use line. */
const cachedMacroLines = cacheOf<object, ScopeLines>();

/**
 * The lines that a Use line inserts. Null if they are unknown or too many, or if they differ
 * between readings of the file.
 */
function linesOfUsedMacro(line: Line, readings: readonly Reading[]): ScopeLines | null {
  const useResults = readings
    .flatMap(({ uses }) => walkRecordsOf(line, [...uses], ([open]) => open))
    .map(([, answer]) => answer);
  const [firstResult] = useResults;
  if (!firstResult || firstResult.kind !== 'expands' || useResults.some((each) => each?.key !== firstResult.key))
    return null;
  let macroLines = cachedMacroLines.get(firstResult);
  if (!macroLines) cachedMacroLines.set(firstResult, (macroLines = linesOf(treeOfText(firstResult.text).root, null)));
  return macroLines.isComplete ? macroLines : null;
}

/**
 * Finds what the walk recorded for a line: by the line object, or, if the file was opened after the
 * walk, by its text.
 */
function walkRecordsOf<Recorded>(
  line: Line,
  recorded: readonly Recorded[],
  lineOf: (each: Recorded) => Line,
): readonly Recorded[] {
  const recordsOfLine = recorded.filter((each) => lineOf(each) === line);
  return recordsOfLine.length > 0
    ? recordsOfLine
    : recorded.filter((each) => lineOf(each).text.trim() === line.text.trim());
}

/**
 * Compares positions in reading order. The position of a file is a list of numbers: for each
 * Include on the way to it, outermost first, the line number of the Include and the index of the
 * file among those that it reads.
 */
class ReadingOrder {
  private readonly cachedPositions = new Map<string, readonly number[]>();

  constructor(private readonly configuration: OnlyReader) {}

  /** The position of a file. `depth`: the number of Include lines that were followed already. */
  positionOf(path: string, depth = 0): readonly number[] {
    const cachedPosition = this.cachedPositions.get(path);
    if (cachedPosition) return cachedPosition;
    const { model, fileSummary } = this.configuration;
    const includeNode = depth > MAX_INCLUDE_DEPTH ? undefined : topLevelReading(model, path)?.includedBy[0];
    const position = includeNode
      ? [
          ...this.positionOf(includeNode.file, depth + 1),
          currentRow(fileSummary(includeNode.file), includeNode.line, includeNode.row),
          includeNode.files.findIndex((file) => file.path === path),
        ]
      : [];
    this.cachedPositions.set(path, position);
    return position;
  }
}

function comparePositions(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

/** The text of a line, shortened, and its name as spelled in the file. */
function mainLineText(line: Line): { text: string; name: string } {
  return {
    text: shortenedValue(`${spelledName(line)} ${rawArguments(line).value}`.trimEnd()),
    name: spelledName(line),
  };
}

function directiveName(text: string): string {
  return /^\S*/.exec(text)![0];
}

function openTagText(openTag: Line): string {
  return `<${spelledName(openTag)} ${rawArguments(openTag).value}>`;
}
