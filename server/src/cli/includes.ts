/** `httpd-upgrade includes ROOT`: lists the files of a configuration. */
import path from 'node:path';
import { configView } from '../config/config-view';
import { readModel } from '../config/read-model';
import { includeTree, includeTreeText, type IncludeRow } from '../features/include-tree';
import { nodeFiles } from '../host/node-files';
import { rootProblem } from './files';
import type { Output } from './output';
import type { Projects } from './project';
import { printable, type Terminal } from './terminal';

export async function showIncludes(
  roots: readonly string[],
  projects: Projects,
  output: Output,
  terminal: Terminal,
): Promise<void> {
  const view = configView(nodeFiles());
  for (const given of roots) {
    const root = path.resolve(given);
    const model = readModel({ root, view, target: projects.engineOf(root).target, server: projects.serverOf(root) });
    if (!model) terminal.problem(given, rootProblem(view.kind(root)));
    else output.write(includeTreeText(includeTree(model, (file) => shortest(file)).map(printableRow)));
    await output.settle();
  }
}

/** Names of files and texts of lines may contain line ends and control characters. */
function printableRow(row: IncludeRow): IncludeRow {
  return { ...row, label: printable(row.label), detail: printable(row.detail) };
}

/** Relative to the current directory, if that is shorter. */
function shortest(file: string): string {
  const relative = path.relative('', file);
  return relative !== '' && relative.length < file.length ? relative : file;
}
