/**
 * Collects everything that the result of `httpd -t` for a configuration depends on. The results are
 * recorded with these values, so that a later change is noticed. Pure functions.
 */
import { parentOf } from '../config/files';
import type { Model, ServerSettings } from '../config/model';
import type { Tree } from '../syntax/document';

/**
 * The files of a configuration in reading order, as pairs of path and text, and the options that
 * change what httpd reads. Paths are relative to the main file's directory. Null if a file cannot
 * be read. `enabledModules`: modules that the check loads because the user has enabled them on the
 * server.
 */
export function checkedFiles(
  model: Model,
  read: (path: string) => Tree | null,
  { defineFlags, defines }: ServerSettings,
  enabledModules: readonly string[] = [],
): { readonly files: readonly (readonly [string, string])[]; readonly options: readonly string[] } | null {
  const folder = parentOf(model.mainFile).replace(/\/?$/, '/');
  const files: [string, string][] = [];
  for (const path of new Set([model.mainFile, ...model.files.keys()])) {
    const tree = read(path);
    if (tree === null) return null;
    files.push([path.startsWith(folder) ? path.slice(folder.length) : path, tree.text()]);
  }
  const options = [
    ...[...(defineFlags ?? [])].map(([name, isFlagOn]) => `flag ${name} ${isFlagOn}`),
    ...[...(defines ?? [])].map(([name, value]) => `define ${name} ${value}`),
    ...enabledModules.map((name) => `enabled ${name}`),
  ];
  return { files, options: options.sort() };
}
