/** How `fix` and `format` show files that change: as text, or with `--format json`. */
import { visibleJson } from '../syntax/hidden-text';
import type { VerifyFormat } from './arguments';
import type { Output } from './output';
import { relativePath, type Summary } from './report-form';
import { writeDiff } from './show-diff';
import { printable, type Terminal } from './terminal';
import type { FixedFile } from './written';

type Shown = FixedFile & { readonly fixes?: number };

interface ChangedFiles {
  readonly isText: boolean;
  /** A file that would change. */
  add(file: Shown): Promise<void>;
  /** A file that was written; `what` was done, for people. */
  addWritten(file: Shown, what: string): Promise<void>;
  /** `left`: the problems in the new texts. */
  end(left?: Summary): void;
  /** A sentence for people. */
  summary(text: string): void;
}

export function changedFiles(
  format: VerifyFormat,
  {
    isWritten,
    terminal,
    output,
  }: { readonly isWritten: boolean; readonly terminal: Terminal; readonly output: Output },
): ChangedFiles {
  return format === 'json' ? new ChangesAsJson(isWritten, output) : new ChangesAsText(terminal, output);
}

class ChangesAsText implements ChangedFiles {
  readonly isText = true;

  constructor(
    private readonly terminal: Terminal,
    private readonly output: Output,
  ) {}

  add({ file, before, after }: Shown): Promise<void> {
    return writeDiff(file, before, after, this.terminal, this.output);
  }

  async addWritten({ file }: Shown, what: string): Promise<void> {
    this.output.write(`${printable(file.path)}: ${what}\n`);
  }

  end(): void {}

  summary(text: string): void {
    this.terminal.summary(text);
  }
}

/** One JSON object: each file with its new text and the difference. */
class ChangesAsJson implements ChangedFiles {
  readonly isText = false;
  private readonly files: object[] = [];

  constructor(
    private readonly isWritten: boolean,
    private readonly output: Output,
  ) {}

  async add({ file, before, after, fixes }: Shown): Promise<void> {
    const { unifiedDiff } = await import('./diff');
    const diff = unifiedDiff(file.path, before, after);
    this.files.push({ path: relativePath(file.path), ...(fixes !== undefined && { fixes }), diff, after });
  }

  addWritten(file: Shown): Promise<void> {
    return this.add(file);
  }

  end(left?: Summary): void {
    const problems = left && { error: left.error, warning: left.warning, info: left.info, hint: left.hint };
    this.output.write(`${visibleJson({ version: 1, written: this.isWritten, files: this.files, left: problems })}\n`);
  }

  summary(): void {}
}
