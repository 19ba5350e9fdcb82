/**
 * The lines for the main server, from any file: for each directive the line in force at the end.
 * Reads the lists of one file and looks up names of others; needs an existing walk.
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
import type { Elsewhere } from '../symbols/names-elsewhere';
import { shortened, type TopLine } from '../symbols/names-of-file';
import { rowNow } from './navigation';

/** Facts about a configuration: the only one that reads the file. */
export interface Configured {
  readonly model: Model;
  /** The path of the file with symbolic links resolved. */
  readonly path: string;
  readonly elsewhere: Elsewhere;
  /** The current summary of a file. */
  fileSummary(path: string): FileSummary | null;
}

export interface MainLine {
  /** As written, the name in its own spelling. */
  readonly text: string;
  readonly name: string;
  /** The path of the line's file; null if the line is in the current file. */
  readonly path: string | null;
  readonly row: number;
  /** The undecided condition around it. */
  readonly condition: string | null;
}

export interface MainServer {
  /**
   * The line that sets a directive for the main server; undefined if no line sets it, null if that
   * is unknown.
   */
  line(name: string): MainLine | null | undefined;
  /** Whether all lines for the main server are known. */
  readonly isWhole: boolean;
}

/** A line of the scope itself, not of its sections. */
export interface OwnLine {
  readonly line: Line;
  /** UTF-16, from the start of the list. */
  readonly offset: number;
  /** The innermost condition around it. */
  readonly condition: Line | null;
}

export interface OwnLines {
  /** The last line of each name that may be in force. */
  readonly names: ReadonlyMap<string, OwnLine>;
  /** Include and Use lines. */
  readonly others: readonly Line[];
  readonly isComplete: boolean;
}

/** Counter for tests: items read since the start of the program. */
export const work = counters({ items: 0 });

/**
 * Reads the lines for the main server in a file and in the rest of its configuration. Null if the
 * file is too long, or is read inside a section of another file.
 */
export function mainServerOf(
  tree: Tree,
  fileContext: FileContext | null,
  configured: Configured | null,
): MainServer | null {
  const ownLines = topLevel(tree.root, fileContext);
  if (!ownLines.isComplete) return null;
  const ownLine = (name: string): MainLine | undefined => {
    const entry = ownLines.names.get(name);
    return (
      entry && {
        ...mainLineText(entry.line),
        path: null,
        row: tree.positionAt(entry.offset).line,
        condition: entry.condition && tagOf(entry.condition),
      }
    );
  };
  if (!configured) return { line: ownLine, isWhole: ownLines.others.length === 0 };
  const { model, path, elsewhere } = configured;
  const isMain = (model.files.get(path) ?? []).some(({ containers }) => containers.length === 0);
  if (!isMain) return null;
  const order = new Order(configured);
  const cachedLines = new Map<string, MainLine | null | undefined>();
  const find = (name: string): MainLine | null | undefined => {
    const others = elsewhere.topLines(name);
    if (!others) return null;
    const lines: { readonly line: MainLine; readonly position: readonly number[] }[] = [];
    const mine = ownLine(name);
    if (mine) lines.push({ line: mine, position: [...order.of(path), mine.row] });
    for (const each of others) {
      const reading = mainReading(model, each.path);
      if (!reading) continue;
      for (const line of each.lines) {
        const condition = conditionOf(line, reading);
        if (condition !== undefined)
          lines.push({
            line: { text: line.text, name: nameOf(line.text), path: each.path, row: line.row, condition },
            position: [...order.of(each.path), line.row],
          });
      }
    }
    return lines.sort((a, b) => compare(a.position, b.position)).pop()?.line;
  };
  const line = (name: string) => {
    if (!cachedLines.has(name)) cachedLines.set(name, find(name));
    return cachedLines.get(name);
  };
  const isUsing =
    ownLines.others.some((each) => each.name === 'use') || line('use') !== undefined || line('perl') !== undefined;
  return { line, isWhole: model.gaps.length === 0 && !isUsing };
}

/**
 * The lines of a virtual host, including those that it includes and uses; null if some are unknown.
 */
export function virtualHostNames(
  section: Section,
  fileContext: FileContext | null,
  configured: Configured | null,
): ReadonlySet<string> | null {
  const ownLines = linesOf(section.body, fileContext);
  if (!ownLines.isComplete || ownLines.names.has('perl')) return null;
  const names = new Set(ownLines.names.keys());
  if (ownLines.others.length === 0) return names;
  if (!configured) return null;
  const { model, path, elsewhere } = configured;
  const includes = model.includes.get(path) ?? [];
  for (const line of ownLines.others) {
    if (line.name === 'use') {
      const lines = usedLines(line, model.files.get(path) ?? []);
      if (!lines || lines.others.length > 0) return null;
      for (const name of lines.names.keys()) names.add(name);
      continue;
    }
    const nodes = alike(line, includes, (node) => node.line);
    if (nodes.length === 0) return null;
    const pending = [...nodes];
    for (let node = pending.pop(); node; node = pending.pop()) {
      if (node.problem) return null;
      for (const file of node.files) {
        const fileNames = elsewhere.file(file.path);
        if (
          !fileNames.isComplete ||
          fileNames.topLines.has('use') ||
          fileNames.topLines.has('perl') ||
          names.size > MAX_NAMES
        )
          return null;
        for (const name of fileNames.topLines.keys()) names.add(name);
        for (const included of file.includes) pending.push(included);
      }
    }
  }
  return names;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Longer lists or virtual hosts are not read, and have no hints. */
const MAX_ITEMS = 5_000;
const MAX_NAMES = 5_000;

/** Limit for nested includes. */
const MAX_DEPTH = 30;

const tops = cacheOf<List, { readonly fileContext: FileContext | null; readonly lines: OwnLines }>();

/** The file's top level; cached with the list, which an edit replaces. */
function topLevel(root: List, fileContext: FileContext | null): OwnLines {
  const cached = tops.get(root);
  if (cached?.fileContext === fileContext) return cached.lines;
  const lines = linesOf(root, fileContext);
  tops.set(root, { fileContext, lines });
  return lines;
}

function linesOf(list: List, fileContext: FileContext | null): OwnLines {
  const names = new Map<string, OwnLine>();
  const others: Line[] = [];
  let left = MAX_ITEMS;
  const walk = (node: List, base: number, condition: Line | null): void => {
    let offset = base;
    for (const child of node.children as readonly (Item | List)[]) {
      if (left <= 0) return;
      if (child instanceof List) walk(child, offset, condition);
      else {
        left--;
        work.items++;
        if (!(child instanceof Section)) {
          if (child.kind === LineKind.Directive) {
            if (child.name === 'include' || child.name === 'includeoptional' || child.name === 'use')
              others.push(child);
            else names.set(child.name, { line: child, offset, condition });
          }
        } else {
          const kind = sectionKind(child.name);
          const activity = kind === 'conditional' ? fileContext?.activityOf(child) : 'active';
          if (isTransparent(kind) && activity !== 'inactive')
            walk(child.body, offset + child.open.length, activity === 'active' ? condition : child.open);
          else if (kind === 'opaque') names.set(child.name, { line: child.open, offset, condition });
        }
      }
      offset += child.length;
    }
  };
  walk(list, 0, null);
  return { names, others, isComplete: left > 0 };
}

function mainReading({ files }: Model, path: string): Reading | undefined {
  return files.get(path)?.find(({ containers, activity }) => containers.length === 0 && activity !== 'inactive');
}

/**
 * The undecided condition around a line, as text; null if there is none, undefined if the line is
 * inactive.
 */
function conditionOf({ conditions }: TopLine, { conditions: answers, activity }: Reading): string | null | undefined {
  let openQuestion = activity === 'unknown' ? 'a condition' : null;
  for (const open of conditions) {
    const answer = answers.get(open)?.activity ?? activityByText(open, answers);
    if (answer === 'inactive') return undefined;
    if (answer === 'unknown') openQuestion = tagOf(open);
  }
  return openQuestion;
}

/** A file that was opened after the walk has other line objects with the same text. */
function activityByText(open: Line, answers: Reading['conditions']): Activity {
  const activities = alike(open, [...answers], ([line]) => line).map(([, { activity }]) => activity);
  return activities.length > 0 && activities.every((activity) => activity === activities[0])
    ? activities[0]!
    : 'unknown';
}

const expansions = cacheOf<object, OwnLines>();

function usedLines(line: Line, readings: readonly Reading[]): OwnLines | null {
  const answers = readings.flatMap(({ uses }) => alike(line, [...uses], ([open]) => open)).map(([, answer]) => answer);
  const [answer] = answers;
  if (!answer || answer.kind !== 'expands' || answers.some((each) => each?.key !== answer.key)) return null;
  let lines = expansions.get(answer);
  if (!lines) expansions.set(answer, (lines = linesOf(treeOfText(answer.text).root, null)));
  return lines.isComplete ? lines : null;
}

/**
 * The record of the walk for a line: by object, or by text if the file was opened after the walk.
 */
function alike<Recorded>(
  line: Line,
  recorded: readonly Recorded[],
  lineOf: (each: Recorded) => Line,
): readonly Recorded[] {
  const same = recorded.filter((each) => lineOf(each) === line);
  return same.length > 0 ? same : recorded.filter((each) => lineOf(each).text.trim() === line.text.trim());
}

/**
 * The position where a file is read, as rows of the Include lines that lead there, outermost first:
 * later positions compare greater.
 */
class Order {
  private readonly cachedOrder = new Map<string, readonly number[]>();

  constructor(private readonly configured: Configured) {}

  of(path: string, depth = 0): readonly number[] {
    const cached = this.cachedOrder.get(path);
    if (cached) return cached;
    const { model, fileSummary } = this.configured;
    const includeNode = depth > MAX_DEPTH ? undefined : mainReading(model, path)?.includedBy[0];
    const position = includeNode
      ? [
          ...this.of(includeNode.file, depth + 1),
          rowNow(fileSummary(includeNode.file), includeNode.line, includeNode.row),
          includeNode.files.findIndex((file) => file.path === path),
        ]
      : [];
    this.cachedOrder.set(path, position);
    return position;
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

function mainLineText(line: Line): { text: string; name: string } {
  return { text: shortened(`${spelledName(line)} ${rawArguments(line).value}`.trimEnd()), name: spelledName(line) };
}

function nameOf(text: string): string {
  return /^\S*/.exec(text)![0];
}

function tagOf(open: Line): string {
  return `<${spelledName(open)} ${rawArguments(open).value}>`;
}
