/**
 * Writes messages to standard error: problems, notes and progress. Also applies styles to the text
 * of the result.
 */

import { USUAL_WIDTH } from './wrap';
import { withHiddenShown } from '../syntax/hidden-text';

/**
 * The least number of columns that is assumed. With fewer columns, there is no room for a text
 * after its label.
 */
const MIN_COLUMNS = 40;

/** For each style, the codes that begin and end it. */
const STYLES = {
  bold: [1, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
  gray: [90, 39],
} as const;

/** A style that a text can have on a terminal. */
export type Style = keyof typeof STYLES;

/** Which messages are written, and whether styles are used. */
export interface TerminalOptions {
  readonly color?: 'auto' | 'always' | 'never';
  /** Whether to write only problems. */
  readonly isQuiet?: boolean;
  /** Whether the result goes to a file. */
  readonly writesToFile?: boolean;
}

/** The terminal of the user: messages go to standard error, styles apply to standard output. */
export class Terminal {
  /**
   * Whether some file could not be read or written, or a named directory has no configuration. Then
   * the exit code is 2.
   */
  hadProblems = false;
  /** When the last progress message was written (in milliseconds), and its width. */
  private lastProgressTime = 0;
  private lastProgressWidth = 0;
  private readonly isInteractive: boolean;
  /** Whether the result goes to a terminal. */
  readonly isScreen: boolean;
  readonly isQuiet: boolean;
  private readonly hasColor: boolean;
  /**
   * The width of text: 80 columns, or less on a narrower screen. If the width of the screen is
   * unknown, 80.
   */
  readonly columns: number;

  constructor({ color = 'auto', isQuiet = false, writesToFile = false }: TerminalOptions = {}) {
    this.isQuiet = isQuiet;
    this.isInteractive = !isQuiet && process.stderr.isTTY === true && process.env.TERM !== 'dumb';
    this.isScreen = !writesToFile && process.stdout.isTTY === true;
    this.columns = this.isScreen
      ? Math.max(MIN_COLUMNS, Math.min(USUAL_WIDTH, process.stdout.columns || USUAL_WIDTH))
      : USUAL_WIDTH;
    const wantsColor = process.env.FORCE_COLOR
      ? process.env.FORCE_COLOR !== '0'
      : this.isScreen && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
    this.hasColor = color === 'auto' ? wantsColor : color === 'always';
  }

  /** Reports a problem with a file. */
  reportProblem(path: string, message: string): void {
    this.hadProblems = true;
    this.writeMessage(`${path}: ${message}`);
  }

  /** Reports why the command cannot run. */
  reportFailure(message: string): void {
    this.hadProblems = true;
    this.writeMessage(message);
  }

  /** Writes a note, unless the user wants only problems. */
  note(message: string): void {
    if (!this.isQuiet) this.writeMessage(message);
  }

  /** Writes the summary at the end of a run to standard error, unchanged. */
  summary(text: string): void {
    this.clearProgress();
    if (!this.isQuiet) process.stderr.write(text);
  }

  private writeMessage(message: string): void {
    this.clearProgress();
    process.stderr.write(`httpd-upgrade: ${printable(message)}\n`);
  }

  /**
   * Shows what the program is doing. The next message replaces the line. Writes at most ten times a
   * second, and only on a terminal. A function `message` is called only if its result is written.
   */
  showProgress(message: string | (() => string)): void {
    if (!this.isInteractive) return;
    const now = Date.now();
    if (now - this.lastProgressTime < 100) return;
    this.lastProgressTime = now;
    // A terminal of unknown width reports 0.
    const availableColumns = (process.stderr.columns || 80) - 1;
    const printableMessage = printable(typeof message === 'string' ? message : message());
    const fittingText =
      printableMessage.length > availableColumns
        ? `${printableMessage.slice(0, availableColumns - 1)}…`
        : printableMessage;
    process.stderr.write(`\r${fittingText.padEnd(this.lastProgressWidth)}`);
    this.lastProgressWidth = fittingText.length;
  }

  /** Removes the progress message. */
  clearProgress(): void {
    if (this.lastProgressWidth === 0) return;
    process.stderr.write(`\r${' '.repeat(this.lastProgressWidth)}\r`);
    this.lastProgressWidth = 0;
  }

  /**
   * Adds a style to a text for standard output. The text does not change unless standard output is
   * a terminal with colours.
   */
  style(style: Style, text: string): string {
    if (!this.hasColor) return text;
    const [on, off] = STYLES[style];
    return `\x1b[${on}m${text}\x1b[${off}m`;
  }

  /**
   * Makes a text a link to a page (OSC 8). The text does not change unless it goes to a terminal
   * with colours.
   */
  link(url: string, text: string): string {
    return this.hasColor && this.isScreen ? `\x1b]8;;${url}\x1b\\${text}\x1b]8;;\x1b\\` : text;
  }
}

/**
 * Makes a text safe to print on one line: without control characters, with invisible characters as
 * `<U+202E>`. Text longer than any path or message is cut.
 */
export function printable(text: string): string {
  return cutText(withHiddenShown(text)).replace(/[\t\n\r]/g, '·');
}

/**
 * Like `printable`, but keeps line ends and tabs. Make a name printable before you put it into such
 * a text, because it may contain a line end.
 */
export function printableLines(text: string): string {
  return withHiddenShown(text).replace(/\r(?!\n)/g, '·');
}

function cutText(text: string): string {
  return text.length <= MAX_PRINTABLE_LENGTH ? text : `${text.slice(0, MAX_PRINTABLE_LENGTH)}…`;
}

/** Paths have at most 4096 characters; our longest messages contain a few paths. */
const MAX_PRINTABLE_LENGTH = 20_000;

/** A number with its noun: `1 file`, `2 files`, `2 fixes`. */
export function countWithNoun(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${noun}${noun.endsWith('x') ? 'es' : 's'}`;
}
