/** The result of `fix --format json` and `format --format json`. */
import { visibleJson } from '../syntax/hidden-text';
import type { Summary } from './report-form';
import { relativePath } from './report-form';
import type { FixedFile } from './written';

/** The changed files, as rows of one JSON object. */
export class FixedRows {
  private readonly files: object[] = [];

  constructor(private readonly isWritten: boolean) {}

  async add({ file, before, after, fixes }: FixedFile & { readonly fixes?: number }): Promise<void> {
    const { unifiedDiff } = await import('./diff');
    this.files.push({
      path: relativePath(file.path),
      ...(fixes !== undefined && { fixes }),
      diff: unifiedDiff(file.path, before, after),
      after,
    });
  }

  /** `left`: the problems in the fixed texts. */
  text(left?: Summary): string {
    const problems = left && { error: left.error, warning: left.warning, info: left.info, hint: left.hint };
    return `${visibleJson({ version: 1, written: this.isWritten, files: this.files, left: problems })}\n`;
  }
}
