/**
 * Summarizes a whole log: one explanation for each kind of line, with counts, the most severe kinds
 * first. Memory is limited: at most MAX_UNKNOWN_KINDS unknown kinds, with one example each.
 */
import { explainLine, type ExplainOptions, type Explanation } from './explain';
import { parseLogLine, type LogLine } from './log-line';

/**
 * One kind of line with its explanation, or the explanation of one term. The keys are those of
 * `explain --format json`.
 */
export interface LogKind {
  /** Identifies the kind: the AH code, the title of the page, or the module of an unknown line. */
  readonly id: string;
  readonly title: string;
  readonly code: string | null;
  readonly level: string | null;
  readonly module: string | null;
  /** Whether there is a page about the message. */
  readonly isKnown: boolean;
  count: number;
  /** The 1-based numbers of the first and the last line of this kind in the log. */
  readonly firstLine: number;
  lastLine: number;
  /** The first line of this kind, cut at 500 characters. */
  readonly example: string;
  readonly headline: string;
  readonly help: string;
  /** The whole explanation, in Markdown. */
  readonly markdown: string;
}

/** The kinds of lines in a log file. */
export interface LogSummary {
  /** Number of lines that are not empty. */
  readonly lines: number;
  /** The kinds, the worst first, such as those that prevent the start of the server. */
  readonly kinds: readonly LogKind[];
}

/**
 * Maximum number of kinds without a page of messages that the summary lists separately. Lines of
 * further such kinds are counted together as `Other lines`.
 */
const MAX_UNKNOWN_KINDS = 1000;
/** Maximum number of line shapes (see `shapeOf`) whose kind is remembered. */
const MAX_REMEMBERED_SHAPES = 10_000;
/** The start of a log line with a date, such as `[Mon Jan 2 …`. */
const LINE_WITH_DATE = /^\[[A-Z][a-z]{2} [A-Z][a-z]{2} /;

/** Reads a log file line by line, and counts the kinds of its lines. */
export class LogReader {
  private readonly kindByShape = new Map<string, LogKind>();
  private readonly kindByKey = new Map<string, LogKind>();
  private lineNumber = 0;
  private lineCount = 0;
  private unknownCount = 0;
  /**
   * A line `Syntax error on line …:` whose reason is expected in the next line; null if there is
   * none.
   */
  private openSyntaxError: string | null = null;

  constructor(private readonly options: ExplainOptions) {}

  /** Reads the next line of the log, without its line end. */
  readLine(text: string): void {
    this.lineNumber += 1;
    const trimmedLine = text.trim();
    // `tail` prints a line such as `==> error.log <==` before the lines of the next file.
    if (trimmedLine === '' || /^==> .* <==$/.test(trimmedLine)) return;
    this.lineCount += 1;
    // A line with a date is not the reason for a `Syntax error` line without a date.
    if (this.openSyntaxError !== null && LINE_WITH_DATE.test(trimmedLine) && !LINE_WITH_DATE.test(this.openSyntaxError))
      this.countOpenSyntaxError();
    const joinedText = this.openSyntaxError === null ? trimmedLine : `${this.openSyntaxError}\n${trimmedLine}`;
    const logLine = parseLogLine(joinedText);
    if (this.openSyntaxError === null && logLine.code === 'AH00526') {
      this.openSyntaxError = trimmedLine;
      return;
    }
    this.openSyntaxError = null;
    this.countLine(logLine, joinedText);
  }

  /** The summary of the lines so far. */
  summary(): LogSummary {
    this.countOpenSyntaxError();
    const kinds = [...this.kindByKey.values()].sort((a, b) => severityRank(a) - severityRank(b) || b.count - a.count);
    return { lines: this.lineCount, kinds };
  }

  /** Counts the line `Syntax error on line …:` without a reason, if there is one. */
  private countOpenSyntaxError(): void {
    if (this.openSyntaxError !== null) this.countLine(parseLogLine(this.openSyntaxError), this.openSyntaxError);
    this.openSyntaxError = null;
  }

  /** Counts a line under its kind. */
  private countLine(line: LogLine, text: string): void {
    const lineShape = shapeOf(line);
    const cachedKind = this.kindByShape.get(lineShape) ?? this.kindOf(lineShape, line, text);
    cachedKind.count += 1;
    cachedKind.lastLine = this.lineNumber;
  }

  /** Finds or makes the kind of a line whose shape is new. */
  private kindOf(shape: string, line: LogLine, text: string): LogKind {
    // If there are very many kinds of lines, a further kind is not explained. Lines with a code or
    // a status always are, because there are not many of these.
    const isShapeRemembered =
      this.kindByShape.size < MAX_REMEMBERED_SHAPES || line.code !== undefined || line.status !== undefined;
    const explanation = isShapeRemembered ? explainLine(line, text, this.options) : OTHER_LINES;
    const isMessageKnown = explanation.isUnknown !== true;
    const isCountedAsOther = !isMessageKnown && this.unknownCount >= MAX_UNKNOWN_KINDS;
    const kindKey = isCountedAsOther ? '' : isMessageKnown ? explanationKey(explanation, shape) : shape;
    const newKind = logKindOf(isCountedAsOther ? OTHER_LINES : explanation, line, text);
    const kindOfLine = this.kindByKey.get(kindKey) ?? { ...newKind, count: 0, firstLine: this.lineNumber };
    if (!isMessageKnown && !this.kindByKey.has(kindKey)) this.unknownCount += 1;
    this.kindByKey.set(kindKey, kindOfLine);
    if (this.kindByShape.size < MAX_REMEMBERED_SHAPES) this.kindByShape.set(shape, kindOfLine);
    return kindOfLine;
  }
}

/**
 * One line or term with its explanation, as a kind with the count 1. `text` is the line or term.
 */
export function logKindOf(explanation: Explanation, { code, level, module }: LogLine, text: string): LogKind {
  return {
    id: explanation.title,
    title: explanation.title,
    code: code ?? null,
    level: level ?? null,
    module: module ?? null,
    isKnown: explanation.isUnknown !== true,
    count: 1,
    firstLine: 1,
    lastLine: 1,
    example: text.slice(0, 500),
    headline: firstParagraph(explanation.markdown).replace(/\*\*|\\(?=[*_`[\]<])/g, ''),
    help: /\*\*What to do:\*\* (.*)/.exec(explanation.markdown)?.[1] ?? '',
    markdown: explanation.markdown,
  };
}

const OTHER_LINES: Explanation = {
  title: 'Other lines',
  markdown: `**Other lines**\n\nThe log has more kinds of lines than this list shows.\n\n**What to do:** Give these lines alone to \`httpd-upgrade explain\`.`,
  isUnknown: true,
};

/**
 * A key that is equal for lines with the same explanation. Messages about rejected lines share a
 * headline but differ in their words, so `shape` (see `shapeOf`) is a part of their key.
 */
function explanationKey({ title, markdown }: Explanation, shape: string): string {
  return `${title}\n${firstParagraph(markdown)}\n${markdown.includes(' Its words: ') ? shape : ''}`;
}

function firstParagraph(markdown: string): string {
  return markdown.split('\n', 1)[0]!;
}

/** The words of a line without quoted names, paths and numbers: the same for lines of one kind. */
function shapeOf({ code, status, level = '', module = '', file, isHtaccess, message }: LogLine): string {
  if (status !== undefined) return String(status);
  if (code !== undefined && code !== 'AH00526') return code;
  // In `Invalid command 'X'`, the name decides about the explanation.
  if (message.startsWith('Invalid command ')) return message;
  const messageShape = message.slice(0, 300).replace(/'[^']*'|"[^"]*"|\/\S+|\d+/g, '…');
  return `${module}:${level} ${file === undefined ? '' : isHtaccess ? 'h' : 'f'} ${messageShape}`;
}

/**
 * The rank for sorting: 0 for messages that prevent the start, 1 for requests with 500, then denied
 * requests, then the rest by level.
 */
function severityRank({ level, markdown, isKnown, example }: LogKind): number {
  if (/\.ht\w+: /.test(example)) return 1;
  if (/Syntax error on line \d/.test(example)) return 0;
  if (
    level === 'emerg' ||
    (isKnown && /httpd (?:does not start|stopped)[:.]|with this line\. Its words/.test(markdown))
  )
    return 0;
  if (isKnown && /\b(?:got|get|gets) 50\d\b/.test(markdown)) return 1;
  if (isKnown && /\b(?:got|get|gets) 40[13]\b|\(40[13]\)/.test(markdown)) return 2;
  if (level === 'alert' || level === 'crit' || level === 'error') return 3;
  if (level === 'warn') return 4;
  return level === null ? 3 : 5;
}
