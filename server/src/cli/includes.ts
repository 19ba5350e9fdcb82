/** The command `includes ROOT`: lists the files of a configuration. */
import path from 'node:path';
import { configView } from '../config/config-view';
import type { Model } from '../config/model';
import { readModel } from '../config/read-model';
import { includeTree, includeTreeText, type IncludeRow } from '../features/include-tree';
import { diskFileView } from '../host/node-files';
import { visibleJson } from '../syntax/hidden-text';
import type { VerifyFormat } from './arguments';
import { rootProblem } from './files';
import type { Output } from './output';
import { givenRoot } from './request-root';
import type { SettingsOf } from '../features/project';
import { printable, type Terminal } from './terminal';

export async function showIncludes(
  roots: readonly string[],
  format: VerifyFormat,
  projects: SettingsOf,
  output: Output,
  terminal: Terminal,
): Promise<void> {
  const files = diskFileView();
  const view = configView(files);
  const found: object[] = [];
  for (const given of roots) {
    const main = await givenRoot(given, files);
    if ('problem' in main) {
      terminal.problem(given, main.problem);
      continue;
    }
    const { root } = main;
    const model = readModel({ root, view, target: projects.engineOf(root).target, server: projects.serverOf(root) });
    if (!model) terminal.problem(given, rootProblem(view.kind(root)));
    else if (format === 'json') found.push({ root: shortest(model.root), rows: rowsOf(model) });
    else output.write(includeTreeText(includeTree(model, shortest).map(printableRow)));
    await output.settle();
  }
  if (format === 'json') output.write(`${visibleJson({ version: 1, configurations: found })}\n`);
}

/**
 * The rows of the list as JSON. `file` is the file of the row, or the file with the Include line.
 * `line` is the row (0-based) of an Include line; null for a file.
 */
function rowsOf(model: Model): object[] {
  return includeTree(model, shortest).map(({ level, label, detail, path: file, row }) => ({
    level,
    text: label,
    ...(detail !== '' && { detail }),
    file: shortest(file),
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

/** The path of a file for output: relative to the current directory, if that is shorter. */
function shortest(file: string): string {
  const relative = path.relative('', file);
  return relative !== '' && relative.length < file.length ? relative : file;
}
