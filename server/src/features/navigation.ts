/**
 * Finds where the words of a line lead: the files of an Include, the Define of a `${VARIABLE}`, the
 * Macro of a Use, existing paths. Positions in other files are line numbers; the caller opens the
 * files.
 */
import { forEachLineOf, summarize, type FileSummary } from '../config/file-summary';
import { localPathOf, resolvePath } from '../config/files';
import type { IncludeNode, Model } from '../config/model';
import { argumentTable, type Argument } from '../directives/values';
import type { Tree } from '../syntax/document';
import { argumentsOf, LineKind, spelledName, type Line, type Word } from '../syntax/line';
import { groupedBy } from '../syntax/groups';
import { cacheOf } from '../syntax/memory';
import { List, Section } from '../syntax/tree';
import { variablesIn } from '../syntax/variables';
import type { Engine } from '../analysis/engine';
import { argumentsExpectedAfter } from './arguments-at';
import { linesDefining } from '../symbols/definitions';
import type { NamesInOtherFiles } from '../symbols/names-elsewhere';
import { nameAt } from './names-in-line';

/** The facts about the workspace that navigation needs. */
export interface NavigationContext {
  /** The configurations to search: those that read the file, or all configurations. */
  readonly configurationModels: readonly Model[];
  /** The path of the file with symbolic links resolved; null if the document has none. */
  readonly path: string | null;
  /** The engine that has analyzed the file's tree. */
  readonly engine?: Engine;
  /** The names in the other files of the configurations that read the file. */
  readonly namesInOtherFiles?: NamesInOtherFiles;
  /** Whether a path of this machine is a file or a folder; null if neither exists. */
  kindOfPath(path: string): 'file' | 'folder' | null;
  /**
   * The current summary of a file; null if the file was not read. Its lines may have moved since
   * the walk through the configuration.
   */
  fileSummary(path: string): FileSummary | null;
}

/** UTF-16 offsets in the current file. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A line in a file to which the editor can jump. */
export interface JumpTarget {
  /** The path, with symbolic links resolved. */
  readonly path: string;
  /** The 0-based line number. */
  readonly row: number;
}

/** A name in the text, with the lines that define it. */
export interface NameWithDefinitions extends Span {
  /** The lines that define the name. */
  readonly targets: readonly JumpTarget[];
}

/** A path in the text that opens a file when clicked. */
export interface PathLink extends Span {
  /** The place to open. */
  readonly target: JumpTarget;
  /** The text that the editor shows when the mouse is over the link. */
  readonly tooltip: string;
}

/** The definition of the name at an offset; null if there is none. */
export function definitionAt(
  tree: Tree,
  offset: number,
  navigationContext: NavigationContext,
): NameWithDefinitions | null {
  const placedLine = tree.lineAt(offset);
  if (!placedLine) return null;
  const { line } = placedLine;
  if (line.kind !== LineKind.Directive && line.kind !== LineKind.Open) return null;
  const offsetInLine = offset - placedLine.offset;
  const target =
    targetsOfVariableAt(line, offsetInLine, navigationContext) ??
    targetsOfWordAt(line, offsetInLine, navigationContext) ??
    definedNameAt(tree, line, offsetInLine, navigationContext);
  return (
    target && { start: placedLine.offset + target.start, end: placedLine.offset + target.end, targets: target.targets }
  );
}

/**
 * The links of a file: its Include lines, and other paths unless the file is long. Clients request
 * them after every change, so the time must not depend on the file's size.
 */
export function linksIn(tree: Tree, navigationContext: NavigationContext): PathLink[] {
  const links: PathLink[] = [];
  const addLinks = (line: Line, offset: number) => {
    for (const { start, end, targets } of targetsInLine(line, contextWithCachedKinds)) {
      if (targets.length !== 1) continue;
      links.push({ start: offset + start, end: offset + end, target: targets[0]!, tooltip: 'Open the file' });
    }
  };
  // Cached, because many lines name the same few directories.
  const kindByPath = new Map<string, ReturnType<NavigationContext['kindOfPath']>>();
  const contextWithCachedKinds: NavigationContext = {
    ...navigationContext,
    kindOfPath(path) {
      let kindOnDisk = kindByPath.get(path);
      if (kindOnDisk === undefined) kindByPath.set(path, (kindOnDisk = navigationContext.kindOfPath(path)));
      return kindOnDisk;
    },
  };
  const visit = (list: List, listOffset: number): void => {
    let offset = listOffset;
    for (const child of list.children) {
      if (child instanceof List) visit(child, offset);
      else if (child instanceof Section) visit(child.body, offset + child.open.length);
      else addLinks(child, offset);
      offset += child.length;
    }
  };
  if (tree.lineCount <= MAX_LINES_FOR_ALL_LINKS) visit(tree.root, 0);
  else
    forEachLineOf(summarize(tree.root), (line, _rows, offset) => {
      if (links.length < MAX_LINKS_OF_FILE && isInclude(line)) addLinks(line, offset);
    });
  return links;
}

/** Where other files define a variable. */
export function variableDefinitionsInOtherFiles(
  name: string,
  navigationContext: NavigationContext,
): readonly JumpTarget[] {
  return variableDefinitions(name, navigationContext).filter(({ path }) => path !== navigationContext.path);
}

/** The paths of the files that an Include line reads; null if no configuration reads the line. */
export function includedFiles(line: Line, { configurationModels, path }: NavigationContext): readonly string[] | null {
  if (path === null) return null;
  const keyOfLine = includeKey(line);
  const pathsOfModels = configurationModels.flatMap((model) => {
    const nodesOfFile = model.includes.get(path);
    const nodes = nodesOfFile && nodesByKey(nodesOfFile).get(keyOfLine);
    return nodes ? [pathsOfNodes(nodes)] : [];
  });
  return pathsOfModels.length <= 1 ? (pathsOfModels[0] ?? null) : [...new Set(pathsOfModels.flat())];
}

/** The paths of the files that equal Include lines read. Cached for all of these lines. */
function pathsOfNodes(nodes: readonly IncludeNode[]): readonly string[] {
  let paths = cachedPathsOfNodes.get(nodes);
  if (!paths) {
    const distinctPaths = new Set<string>();
    for (const { files } of nodes) for (const { path } of files) distinctPaths.add(path);
    cachedPathsOfNodes.set(nodes, (paths = [...distinctPaths]));
  }
  return paths;
}

const cachedPathsOfNodes = cacheOf<readonly IncludeNode[], readonly string[]>();

/** Groups Include lines by their keys, because a file may have thousands of them. */
function nodesByKey(nodes: readonly IncludeNode[]): ReadonlyMap<string, readonly IncludeNode[]> {
  let groupedNodes = cachedNodesByKey.get(nodes);
  if (!groupedNodes) cachedNodesByKey.set(nodes, (groupedNodes = groupedBy(nodes, ({ line }) => includeKey(line))));
  return groupedNodes;
}

const cachedNodesByKey = cacheOf<readonly IncludeNode[], ReadonlyMap<string, readonly IncludeNode[]>>();

/** The Include lines, in any file, that read one of the files. */
export function includingLines(
  files: ReadonlySet<string>,
  { configurationModels, fileSummary }: NavigationContext,
): readonly JumpTarget[] {
  const includeNodes = configurationModels
    .flatMap((model) => [...model.includes.values()].flat())
    .filter((node) => node.files.some(({ path }) => files.has(path)));
  return withoutRepeats(
    includeNodes.map(({ file, line, row }) => ({ path: file, row: currentRow(fileSummary(file), line, row) })),
  );
}

/**
 * The current 0-based line number of a line that the walk through the configuration has read.
 * `rowAtWalk`: its number at the time of the walk, which is returned if the line is not found.
 */
export function currentRow(fileSummary: FileSummary | null, line: Line, rowAtWalk: number): number {
  return (fileSummary && rowByLine(fileSummary).get(line)) ?? rowAtWalk;
}

/**
 * The Include lines that read a file. Empty if the file is read once, outside of all sections,
 * because then these lines tell the user nothing special.
 */
export function distinctiveIncludes(model: Model, path: string): readonly IncludeNode[] {
  const readings = model.files.get(path) ?? [];
  if (readings.length < 2 && readings.every(({ containers }) => containers.length === 0)) return [];
  return readings.flatMap(({ includedBy }) => includedBy);
}

// ---------------------------------------------------------------------------------------------------------------------

/** Limit in lines. Longer files have links on their Include lines only. */
const MAX_LINES_FOR_ALL_LINKS = 3000;
/** Limit for the links of a long file. */
const MAX_LINKS_OF_FILE = 2000;

/** A name or path in the text, with the lines or files that it leads to. */
interface FoundTargets extends Span {
  readonly targets: readonly JumpTarget[];
}

function variableDefinitions(name: string, { configurationModels, fileSummary }: NavigationContext): JumpTarget[] {
  const definitions = configurationModels.flatMap((model) => model.variables.get(name.toLowerCase()) ?? []);
  return withoutRepeats(
    definitions.map(({ file, line, row }) => ({ path: file, row: currentRow(fileSummary(file), line, row) })),
  );
}

/**
 * The lines that define the variable at an offset in the line; null if there is no variable, or no
 * such line.
 */
function targetsOfVariableAt(
  line: Line,
  offsetInLine: number,
  navigationContext: NavigationContext,
): FoundTargets | null {
  for (const { name, start, end } of variablesIn(line.text)) {
    if (offsetInLine < start || offsetInLine > end) continue;
    const targets = variableDefinitions(name, navigationContext);
    return targets.length > 0 ? { start, end, targets } : null;
  }
  return null;
}

/**
 * The macro that the line uses, or the file that a path in the line names; null if the offset in
 * the line is in neither.
 */
function targetsOfWordAt(line: Line, offsetInLine: number, navigationContext: NavigationContext): FoundTargets | null {
  if (line.name === 'use') {
    const [name] = argumentsOf(line);
    if (!name || offsetInLine < name.start || offsetInLine > name.end) return null;
    const macros = navigationContext.configurationModels.flatMap(
      (model) => model.macros.get(name.value.toLowerCase()) ?? [],
    );
    const targets = macros.map((macro) => ({
      path: macro.file,
      row: currentRow(navigationContext.fileSummary(macro.file), macro.line, macro.row),
    }));
    return targets.length > 0 ? { start: name.start, end: name.end, targets: withoutRepeats(targets) } : null;
  }
  return (
    targetsInLine(line, navigationContext).find(({ start, end }) => offsetInLine >= start && offsetInLine <= end) ??
    null
  );
}

/**
 * The name at an offset in the line that other lines define, such as a log format, a balancer, a
 * map or an environment variable, with these lines; null if there is none.
 */
function definedNameAt(
  tree: Tree,
  line: Line,
  offsetInLine: number,
  { path, engine, namesInOtherFiles }: NavigationContext,
): FoundTargets | null {
  const nameAtOffset = nameAt(line, offsetInLine);
  if (!nameAtOffset) return null;
  const targetsInFile =
    path === null
      ? []
      : linesDefining(tree, engine, nameAtOffset.kind, nameAtOffset.name, MAX_JUMP_TARGETS).map(({ offset }) => ({
          path,
          row: tree.positionAt(offset).line,
        }));
  const targetsElsewhere = namesInOtherFiles?.placesDefining(nameAtOffset.kind, nameAtOffset.name) ?? [];
  const targets = withoutRepeats(
    [...targetsInFile, ...targetsElsewhere].map(({ path: file, row }) => ({ path: file, row })),
  ).slice(0, MAX_JUMP_TARGETS);
  return targets.length > 0 ? { start: nameAtOffset.start, end: nameAtOffset.end, targets } : null;
}

/** Limit for the number of targets. A longer list is of no use. */
const MAX_JUMP_TARGETS = 100;

/** The words of a line that are paths of existing files, each with the files. */
function targetsInLine(line: Line, navigationContext: NavigationContext): FoundTargets[] {
  if (line.kind !== LineKind.Directive) return [];
  if (isInclude(line)) {
    const [word] = argumentsOf(line);
    const files = (word && includedFiles(line, navigationContext)) ?? [];
    return word && files.length > 0
      ? [{ start: word.start, end: word.end, targets: files.map((path) => ({ path, row: 0 })) }]
      : [];
  }
  return pathWordsOf(line).flatMap((word) => {
    const targetPath = existingFile(word, navigationContext);
    return targetPath === null ? [] : [{ start: word.start, end: word.end, targets: [{ path: targetPath, row: 0 }] }];
  });
}

const cachedPathWords = cacheOf<Line, readonly Word[]>();

/**
 * The words of a line that are paths, by the directive's table of arguments. Cached for the line,
 * which most edits do not replace.
 */
function pathWordsOf(line: Line): readonly Word[] {
  const table = DIRECTIVES_OF_BINARIES.has(line.name) ? undefined : argumentTable(line.name);
  if (!table?.arguments.some(isPath)) return [];
  let pathArguments = cachedPathWords.get(line);
  if (!pathArguments) {
    const words = argumentsOf(line);
    const wordValues = words.map(({ value }) => value);
    pathArguments = words.filter((_, index) =>
      argumentsExpectedAfter(table, wordValues.slice(0, index)).some(({ argument }) => isPath(argument)),
    );
    cachedPathWords.set(line, pathArguments);
  }
  return pathArguments;
}

function isPath({ kinds }: Argument): boolean {
  return kinds.some((kind) => kind === 'file' || kind === 'path');
}

/** Directives that name files which are not text. */
const DIRECTIVES_OF_BINARIES = new Set(['loadmodule', 'loadfile']);

/**
 * The path of the file that a word names, in one of the first two configurations. Null if no such
 * file exists, or if the word has a variable or names a program (`|program`).
 */
function existingFile({ value }: Word, { configurationModels, kindOfPath }: NavigationContext): string | null {
  if (value === '' || value.includes('${') || value.startsWith('|')) return null;
  for (const { serverRoot, pathMap } of configurationModels.slice(0, 2)) {
    const localPath = localPathOf(resolvePath(serverRoot, value), pathMap);
    if (kindOfPath(localPath) === 'file') return localPath;
  }
  return null;
}

function isInclude(line: Line): boolean {
  return line.name === 'include' || line.name === 'includeoptional';
}

/**
 * A text that identifies an Include line, even after an edit of its file made a new line object.
 */
function includeKey(line: Line): string {
  return `${spelledName(line).toLowerCase()} ${argumentsOf(line)[0]?.value ?? ''}`;
}

const cachedRows = cacheOf<FileSummary, Map<Line, number>>();

/** The 0-based numbers of the lines of a file, by line object. */
function rowByLine(fileSummary: FileSummary): Map<Line, number> {
  let cachedRowsOfFile = cachedRows.get(fileSummary);
  if (!cachedRowsOfFile) {
    const rowOfLine = new Map<Line, number>();
    forEachLineOf(fileSummary, (line, row) => rowOfLine.set(line, row));
    cachedRows.set(fileSummary, (cachedRowsOfFile = rowOfLine));
  }
  return cachedRowsOfFile;
}

function withoutRepeats(targets: readonly JumpTarget[]): JumpTarget[] {
  const seenTargets = new Set<string>();
  return targets.filter(({ path, row }) => !seenTargets.has(`${path} ${row}`) && seenTargets.add(`${path} ${row}`));
}
