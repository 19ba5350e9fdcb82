/**
 * Finds out which files the user excludes. `--exclude` gives a pattern as in .gitignore, relative
 * to the current directory. A file `.httpd-upgradeignore` in the directory of a given path, or
 * above it, contains such patterns. A file that the user names is never excluded. An excluded file
 * that a configuration includes is read, but its problems are not reported and it is not written.
 */
import { statSync, type Stats } from 'node:fs';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { explain } from '../host/node';
import { mayRead, readSettingsNow } from '../host/read-now';
import type { Terminal } from './terminal';

/** The name of the file with patterns of excluded files. */
export const IGNORE_FILE_NAME = '.httpd-upgradeignore';

/** Whether the user excludes a file. `file`: its path on this machine. */
export type IsExcluded = (file: string) => boolean;

/**
 * Makes the test for excluded files. `paths`: the paths of the command, after patterns were
 * expanded.
 */
export function exclusionTest(patterns: readonly string[], paths: readonly string[], terminal: Terminal): IsExcluded {
  const ruleSets: { readonly baseFolder: string; readonly rules: Ignore }[] = [];
  if (patterns.length > 0) ruleSets.push({ baseFolder: process.cwd(), rules: ignore().add([...patterns]) });
  for (const file of new Set(paths.map(ignoreFileAbove))) {
    if (file === null) continue;
    try {
      const patternLines = readSettingsNow(file).toString('utf8').split(/\r?\n/);
      const slowPatterns = patternLines.filter(isSlow);
      if (slowPatterns.length > 0)
        terminal.reportProblem(
          path.relative('', file),
          `has a pattern with too many **: ${slowPatterns[0]!.slice(0, 80)}`,
        );
      ruleSets.push({
        baseFolder: path.dirname(file),
        rules: ignore().add(patternLines.filter((line) => !isSlow(line))),
      });
    } catch (error) {
      terminal.reportProblem(path.relative('', file), explain(error).message);
    }
  }
  if (ruleSets.length === 0) return () => false;
  const givenPaths = new Set(paths.map((givenPath) => path.resolve(givenPath)));
  return (file) => {
    const fullPath = path.resolve(file);
    if (givenPaths.has(fullPath)) return false;
    return ruleSets.some(({ baseFolder, rules }) => {
      const relativePath = path.relative(baseFolder, fullPath).split(path.sep).join('/');
      return ignore.isPathValid(relativePath) && rules.ignores(relativePath);
    });
  };
}

/** Whether a path contains a wildcard, a list in braces, or non-empty brackets. */
function isPattern(givenPath: string): boolean {
  return (
    /[*?{]/.test(givenPath) || (givenPath.includes('[') && givenPath.lastIndexOf(']') > givenPath.indexOf('[') + 1)
  );
}

/**
 * Replaces patterns among the paths by the files that they match, if the shell has not done that.
 * Reports a pattern without matches.
 */
export async function expandPatterns(paths: readonly string[], terminal: Terminal): Promise<string[]> {
  const expandedPaths: string[] = [];
  for (const givenPath of paths) {
    if (!isPattern(givenPath) || statOf(givenPath)) {
      expandedPaths.push(givenPath);
      continue;
    }
    const { glob } = await import('tinyglobby');
    const matchingFiles = await glob(givenPath.split(path.sep).join('/'), {
      dot: true,
      onlyFiles: true,
      absolute: path.isAbsolute(givenPath),
      expandDirectories: false,
    });
    if (matchingFiles.length === 0) terminal.reportProblem(givenPath, 'matches no file');
    expandedPaths.push(...matchingFiles.sort());
  }
  return expandedPaths;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Whether matching this pattern may take too long: the library `ignore` makes a regular expression
 * of it, and in a deep path each `**` multiplies the time.
 */
function isSlow(pattern: string): boolean {
  return pattern.split('/').filter((part) => part.includes('**')).length > MAX_DOUBLE_STARS;
}

/** The largest number of path parts with `**` in a pattern. */
const MAX_DOUBLE_STARS = 3;

/**
 * The status of the file or directory at a path, with links followed; undefined if there is none,
 * or if it cannot be reached.
 */
export function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The nearest ignore file: in the directory of a path or above. Null if there is none. */
function ignoreFileAbove(givenPathOrFolder: string): string | null {
  const givenPath = path.resolve(givenPathOrFolder);
  for (
    let folder = statOf(givenPath)?.isDirectory() ? givenPath : path.dirname(givenPath);
    ;
    folder = path.dirname(folder)
  ) {
    const file = path.join(folder, IGNORE_FILE_NAME);
    if (mayRead(file) && statOf(file)?.isFile()) return file;
    if (folder === path.dirname(folder)) return null;
  }
}
