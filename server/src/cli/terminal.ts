/** What the commands say besides their result: problems, notes, progress, on standard error. And colours. */
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

export class Terminal {
  /** Whether something that was asked for could not be read or written. */
  hadProblems = false;
  private shown = 0;
  private width = 0;
  private readonly isInteractive = process.stderr.isTTY === true;
  private readonly hasColor = process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';

  /** Something that could not be done with a file. */
  problem(path: string, message: string): void {
    this.hadProblems = true;
    this.note(`${path}: ${message}`);
  }

  note(message: string): void {
    this.clear();
    process.stderr.write(`httpd-upgrade: ${message}\n`);
  }

  /** Shows what is being done on a line that the next message replaces; ten times a second at most, and only to people. */
  progress(message: string): void {
    if (!this.isInteractive) return;
    const now = Date.now();
    if (message === '') return this.clear();
    if (now - this.shown < 100) return;
    this.shown = now;
    const room = (process.stderr.columns ?? 80) - 1;
    const text = message.length > room ? `${message.slice(0, room - 1)}…` : message;
    process.stderr.write(`\r${text.padEnd(this.width)}`);
    this.width = text.length;
  }

  /** Clears the line of progress. */
  clear(): void {
    if (this.width === 0) return;
    process.stderr.write(`\r${' '.repeat(this.width)}\r`);
    this.width = 0;
  }

  /** Text in a style where standard output is a terminal that shows it. */
  style(style: Style, text: string): string {
    return this.hasColor ? styleText(style, text) : text;
  }
}
