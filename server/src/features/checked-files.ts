/**
 * Collects the input of `httpd -t` for a configuration, as values that identify it: the results of
 * checks are recorded for these values. Pure.
 */
import { parentOf } from '../config/files';
import type { Model, ServerSettings } from '../config/model';
import type { Tree } from '../syntax/document';

/**
 * The files of a configuration in reading order, with paths relative to the main file's directory,
 * and the options that change what httpd reads. Null if a file cannot be read. `enabled`: modules
 * that the check loads because the user has enabled them on the server.
 */
export function checkedFiles(
  model: Model,
  read: (path: string) => Tree | null,
  { defineFlags, defines }: ServerSettings,
  enabled: readonly string[] = [],
): { readonly files: readonly (readonly [string, string])[]; readonly options: readonly string[] } | null {
  const folder = parentOf(model.mainFile).replace(/\/?$/, '/');
  const files: [string, string][] = [];
  for (const path of new Set([model.mainFile, ...model.files.keys()])) {
    const tree = read(path);
    if (tree === null) return null;
    files.push([path.startsWith(folder) ? path.slice(folder.length) : path, tree.text()]);
  }
  const options = [
    ...[...(defineFlags ?? [])].map(([name, isOn]) => `flag ${name} ${isOn}`),
    ...[...(defines ?? [])].map(([name, value]) => `define ${name} ${value}`),
    ...enabled.map((name) => `enabled ${name}`),
  ];
  return { files, options: options.sort() };
}
