/**
 * Summarizes a whole log line by line: one answer for each kind of line, with counts, the most
 * severe kinds first. Memory is bounded: MAX_UNKNOWN unknown kinds, with one example each.
 */
import { explainLine, type ExplainOptions, type Explanation } from './explain';
import { parseLogLine, type LogLine } from './log-line';

/** One kind of line, or the answer to one term. The keys are those of `explain --format json`. */
export interface LogKind {
  /** The AH code, the title of the page, or the module of an unknown line. */
  readonly id: string;
  readonly title: string;
  readonly code: string | null;
  readonly level: string | null;
  readonly module: string | null;
  /** False for an unknown message. */
  readonly isKnown: boolean;
  count: number;
  /** 1-based. */
  readonly firstLine: number;
  lastLine: number;
  /** The first line of this kind, cut at 500 characters. */
  readonly example: string;
  readonly headline: string;
  readonly help: string;
  /** The whole answer, in Markdown. */
  readonly markdown: string;
}

export interface LogSummary {
  /** Number of lines that are not empty. */
  readonly lines: number;
  readonly kinds: readonly LogKind[];
}

/** Limit for unknown kinds, and forms of lines, with separate answers. */
const MAX_UNKNOWN = 1000;
const MAX_SHAPES = 10_000;
const DATED = /^\[[A-Z][a-z]{2} [A-Z][a-z]{2} /;

export class LogReader {
  private readonly byShape = new Map<string, LogKind>();
  private readonly byAnswer = new Map<string, LogKind>();
  private number = 0;
  private lines = 0;
  private unknown = 0;
  /** A `Syntax error on line …:` whose reason is in the next line. */
  private open: string | null = null;

  constructor(private readonly options: ExplainOptions) {}

  /** Takes the next line of the log, without its line end. */
  take(text: string): void {
    this.number += 1;
    const written = text.trim();
    // `tail` prints the name of the next file.
    if (written === '' || /^==> .* <==$/.test(written)) return;
    this.lines += 1;
    // A line with a date is not the reason of a `Syntax error` line without one.
    if (this.open !== null && DATED.test(written) && !DATED.test(this.open)) this.flush();
    const joined = this.open === null ? written : `${this.open}\n${written}`;
    const line = parseLogLine(joined);
    if (this.open === null && line.code === 'AH00526') {
      this.open = written;
      return;
    }
    this.open = null;
    this.count(line, joined);
  }

  /** The result so far, the most severe kinds first. */
  summary(): LogSummary {
    this.flush();
    const kinds = [...this.byAnswer.values()].sort((a, b) => rank(a) - rank(b) || b.count - a.count);
    return { lines: this.lines, kinds };
  }

  private flush(): void {
    if (this.open !== null) this.count(parseLogLine(this.open), this.open);
    this.open = null;
  }

  private count(line: LogLine, text: string): void {
    const shape = shapeOf(line);
    const cached = this.byShape.get(shape) ?? this.kindOf(shape, line, text);
    cached.count += 1;
    cached.lastLine = this.number;
  }

  private kindOf(shape: string, line: LogLine, text: string): LogKind {
    // A code is looked up directly, however many other lines there are.
    const hasPlace = this.byShape.size < MAX_SHAPES || line.code !== undefined || line.status !== undefined;
    const explanation = hasPlace ? explainLine(line, text, this.options) : OTHERS;
    const isKnown = explanation.isUnknown !== true;
    const isOther = !isKnown && this.unknown >= MAX_UNKNOWN;
    const answer = isOther ? '' : isKnown ? answerKey(explanation, shape) : shape;
    const made = answerTo(isOther ? OTHERS : explanation, line, text);
    const kind = this.byAnswer.get(answer) ?? { ...made, count: 0, firstLine: this.number };
    if (!isKnown && !this.byAnswer.has(answer)) this.unknown += 1;
    this.byAnswer.set(answer, kind);
    if (this.byShape.size < MAX_SHAPES) this.byShape.set(shape, kind);
    return kind;
  }
}

/** The answer to one line or term. `text`: the request. */
export function answerTo(explanation: Explanation, { code, level, module }: LogLine, text: string): LogKind {
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
    headline: firstOf(explanation.markdown).replace(/\*\*|\\(?=[*_`[\]<])/g, ''),
    help: /\*\*What to do:\*\* (.*)/.exec(explanation.markdown)?.[1] ?? '',
    markdown: explanation.markdown,
  };
}

const OTHERS: Explanation = {
  title: 'Other lines',
  markdown: `**Other lines**\n\nThe log has more kinds of lines than this list shows.\n\n**What to do:** Give these lines alone to \`httpd-upgrade explain\`.`,
  isUnknown: true,
};

/**
 * Equal for lines with one answer. Rejected lines of one file have different words under one
 * headline, so their shape also counts.
 */
function answerKey({ title, markdown }: Explanation, shape: string): string {
  return `${title}\n${firstOf(markdown)}\n${markdown.includes(' Its words: ') ? shape : ''}`;
}

function firstOf(markdown: string): string {
  return markdown.split('\n', 1)[0]!;
}

/** The common part of lines of one kind: without quoted names, paths and numbers. */
function shapeOf({ code, status, level = '', module = '', file, isHtaccess, message }: LogLine): string {
  if (status !== undefined) return String(status);
  if (code !== undefined && code !== 'AH00526') return code;
  // The name in `Invalid command 'X'` decides the answer.
  if (message.startsWith('Invalid command ')) return message;
  const words = message.slice(0, 300).replace(/'[^']*'|"[^"]*"|\/\S+|\d+/g, '…');
  return `${module}:${level} ${file === undefined ? '' : isHtaccess ? 'h' : 'f'} ${words}`;
}

/**
 * Order by severity: the start, then requests with 500, then denied ones, then the rest by level.
 */
function rank({ level, markdown, isKnown, example }: LogKind): number {
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
