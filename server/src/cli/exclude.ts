/**
 * Files that a person leaves out: `--exclude`, as a line of .gitignore relative to where the command runs, and `.httpd-upgradeignore` in the directory of
 * what was given or above. A file that was given by itself is never left out. A file that is left out is still read where a configuration includes
 * it, and neither reported nor written.
 */
import { statSync, type Stats } from 'node:fs';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { explain } from '../host/node';
import { readSettingsNow } from '../host/read-now';
import type { Terminal } from './terminal';

export const IGNORE_FILE = '.httpd-upgradeignore';

/** Whether a file is left out, by its path here. */
export type IsExcluded = (file: string) => boolean;

/** `paths`: as given, patterns expanded. */
export function exclusion(patterns: readonly string[], paths: readonly string[], terminal: Terminal): IsExcluded {
  const sets: { readonly base: string; readonly rules: Ignore }[] = [];
  if (patterns.length > 0) sets.push({ base: process.cwd(), rules: ignore().add([...patterns]) });
  for (const file of new Set(paths.map(ignoreFileAbove))) {
    if (file === null) continue;
    try {
      const lines = readSettingsNow(file).toString('utf8').split(/\r?\n/);
      const slow = lines.filter(isSlow);
      if (slow.length > 0)
        terminal.problem(path.relative('', file), `has a pattern with too many **: ${slow[0]!.slice(0, 80)}`);
      sets.push({ base: path.dirname(file), rules: ignore().add(lines.filter((line) => !isSlow(line))) });
    } catch (error) {
      terminal.problem(path.relative('', file), explain(error).message);
    }
  }
  if (sets.length === 0) return () => false;
  const own = new Set(paths.map((given) => path.resolve(given)));
  return (file) => {
    const full = path.resolve(file);
    if (own.has(full)) return false;
    return sets.some(({ base, rules }) => {
      const below = path.relative(base, full).split(path.sep).join('/');
      return ignore.isPathValid(below) && rules.ignores(below);
    });
  };
}

/** Whether a path has a wildcard, a list in braces, or brackets with something between them. */
function isPattern(given: string): boolean {
  return /[*?{]/.test(given) || (given.includes('[') && given.lastIndexOf(']') > given.indexOf('[') + 1);
}

/** Patterns among the paths become the files that they match, where the shell has not done that. What matches nothing is reported. */
export async function expanded(paths: readonly string[], terminal: Terminal): Promise<string[]> {
  const found: string[] = [];
  for (const given of paths) {
    if (!isPattern(given) || statOf(given)) {
      found.push(given);
      continue;
    }
    const { glob } = await import('tinyglobby');
    const matches = await glob(given.split(path.sep).join('/'), {
      dot: true,
      onlyFiles: true,
      absolute: path.isAbsolute(given),
      expandDirectories: false,
    });
    if (matches.length === 0) terminal.problem(given, 'matches no file');
    found.push(...matches.sort());
  }
  return found;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Whether a pattern, of which `ignore` makes a regular expression, may take long: in a deep path the time grows with a power for each `**`. */
function isSlow(pattern: string): boolean {
  return pattern.split('/').filter((part) => part.includes('**')).length > MOST_STARS;
}

const MOST_STARS = 3;

function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The nearest one, from the directory of a file or from a directory upward; null where there is none. */
function ignoreFileAbove(given: string): string | null {
  const start = path.resolve(given);
  for (let folder = statOf(start)?.isDirectory() ? start : path.dirname(start); ; folder = path.dirname(folder)) {
    const file = path.join(folder, IGNORE_FILE);
    if (statOf(file)?.isFile()) return file;
    if (folder === path.dirname(folder)) return null;
  }
}
