/** Shows the files that `fix` and `format` change: as text, or as JSON with `--format json`. */
import { jsonWithVisibleText } from '../syntax/hidden-text';
import type { VerifyFormat } from './arguments';
import type { Output } from './output';
import { reportPath, type Summary } from './report-form';
import { writeDiff } from './show-diff';
import { printable, type Terminal } from './terminal';
import type { FixedFile } from './written';

type ChangedFile = FixedFile & { readonly fixes?: number };

/** Shows the files that a command changes. */
export interface ChangedFilesOutput {
  readonly isText: boolean;
  /** Shows a file that would change. */
  addChange(file: ChangedFile): Promise<void>;
  /**
   * Shows in one line a file that was written, or a file that `format --check` found not formatted.
   * `doneText`: words about the file for readers, such as `2 fixes`.
   */
  addWrittenFile(file: ChangedFile, doneText: string): Promise<void>;
  /** Completes the output. `remaining`: the problems in the new texts. */
  end(remaining?: Summary): void;
  /** Shows a sentence for readers. JSON omits it. */
  summary(text: string): void;
}

/**
 * Makes the object that shows changed files as text or as JSON. `isWritten`: whether the command
 * writes the files; the JSON contains this.
 */
export function newChangedFilesOutput(
  format: VerifyFormat,
  {
    isWritten,
    terminal,
    output,
  }: { readonly isWritten: boolean; readonly terminal: Terminal; readonly output: Output },
): ChangedFilesOutput {
  return format === 'json' ? new ChangesAsJson(isWritten, output) : new ChangesAsText(terminal, output);
}

/** Shows each change as a diff, and each written file in one line. */
class ChangesAsText implements ChangedFilesOutput {
  readonly isText = true;

  constructor(
    private readonly terminal: Terminal,
    private readonly output: Output,
  ) {}

  addChange({ file, before, after }: ChangedFile): Promise<void> {
    return writeDiff(file, before, after, this.terminal, this.output);
  }

  async addWrittenFile({ file }: ChangedFile, doneText: string): Promise<void> {
    this.output.write(`${printable(file.path)}: ${doneText}\n`);
  }

  end(): void {}

  summary(text: string): void {
    this.terminal.summary(text);
  }
}

/** Writes one JSON object: each file with its new text and the difference. */
class ChangesAsJson implements ChangedFilesOutput {
  readonly isText = false;
  private readonly files: object[] = [];

  constructor(
    private readonly isWritten: boolean,
    private readonly output: Output,
  ) {}

  async addChange({ file, before, after, fixes }: ChangedFile): Promise<void> {
    const { unifiedDiff } = await import('./diff');
    const diff = unifiedDiff(file.path, before, after);
    this.files.push({ path: reportPath(file.path), ...(fixes !== undefined && { fixes }), diff, after });
  }

  addWrittenFile(file: ChangedFile): Promise<void> {
    return this.addChange(file);
  }

  end(remaining?: Summary): void {
    const problems = remaining && {
      error: remaining.error,
      warning: remaining.warning,
      info: remaining.info,
      hint: remaining.hint,
    };
    this.output.write(
      `${jsonWithVisibleText({ version: 1, written: this.isWritten, files: this.files, left: problems })}\n`,
    );
  }

  summary(): void {}
}
