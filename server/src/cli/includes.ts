/** The command `includes ROOT`: lists the files of a configuration. */
import { configView } from '../config/config-view';
import type { Model } from '../config/model';
import { readModel } from '../config/read-model';
import { includeTreeRows, includeTreeText, type IncludeRow } from '../features/include-tree';
import { diskFileView } from '../host/node-files';
import { jsonWithVisibleText } from '../syntax/hidden-text';
import type { VerifyFormat } from './arguments';
import { mainFileProblem } from './files';
import type { Output } from './output';
import { mainFileAsGiven } from './request-root';
import type { SettingsByFile } from '../features/project';
import { printable, type Terminal } from './terminal';
import { shortPath } from './short-path';

/** Writes for each main file in `roots` the list of the files of its configuration. */
export async function showIncludes(
  roots: readonly string[],
  format: VerifyFormat,
  settings: SettingsByFile,
  output: Output,
  terminal: Terminal,
): Promise<void> {
  const files = diskFileView();
  const view = configView(files);
  const jsonConfigurations: object[] = [];
  for (const givenRoot of roots) {
    const mainFileResult = await mainFileAsGiven(givenRoot, files);
    if ('problem' in mainFileResult) {
      terminal.reportProblem(givenRoot, mainFileResult.problem);
      continue;
    }
    const { mainFile } = mainFileResult;
    const model = readModel({
      mainFile,
      view,
      target: settings.engineOf(mainFile).target,
      server: settings.serverOf(mainFile),
    });
    if (!model) terminal.reportProblem(givenRoot, mainFileProblem(view.kind(mainFile)));
    else if (format === 'json')
      jsonConfigurations.push({ root: shortPath(model.mainFile), rows: includeRowsJson(model) });
    else output.write(includeTreeText(includeTreeRows(model, shortPath).map(printableRow)));
    await output.waitForReader();
  }
  if (format === 'json') output.write(`${jsonWithVisibleText({ version: 1, configurations: jsonConfigurations })}\n`);
}

/**
 * The rows of the list as JSON. For a file, `file` is its path and `line` is null. For an Include
 * line, `file` is the file that contains it and `line` its 0-based line.
 */
function includeRowsJson(model: Model): object[] {
  return includeTreeRows(model, shortPath).map(({ level, label, detail, path: file, row }) => ({
    level,
    text: label,
    ...(detail !== '' && { detail }),
    file: shortPath(file),
    line: row,
  }));
}

/**
 * Makes a row safe to print: names of files and texts of lines may contain line ends and control
 * characters.
 */
function printableRow(row: IncludeRow): IncludeRow {
  return { ...row, label: printable(row.label), detail: printable(row.detail) };
}
