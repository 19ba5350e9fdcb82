/** What AllowOverride and AllowOverrideList grant the .htaccess files of a folder (core.c of 2.4: set_override, set_override_list). */
import { globPattern, hasWildcard, resolvePath, unmapped } from './files';
import type { Model, ModelScope, OverrideLine } from './model';

export interface Overrides {
  /** Classes in lower case (`all` for all; `options=indexes` where only some options may be set). null where it is not certain which. */
  readonly classes: ReadonlySet<string> | null;
  /** Names of directives in lower case. */
  readonly list: ReadonlySet<string> | null;
}

/**
 * What holds in a folder, as this machine names it; null where the configuration does not serve it, or does not read .htaccess files
 * there: 2.4 does so only where some AllowOverride says it.
 */
export function overridesAt(model: Model, here: string): Overrides | null {
  const folder = unmapped(here, model.map);
  if (!model.served.some((served) => folder === served || folder.startsWith(served === '/' ? served : `${served}/`))) return null;
  const hosts = new Set(model.overrides.map(({ scope }) => hostOf(scope)).filter((host) => host !== null));
  const answers = [null, ...hosts].map((host) => overridesOf(model.overrides.filter(({ scope }) => hostOf(scope) === null || hostOf(scope) === host), folder));
  const [first] = answers;
  // Virtual hosts that grant different things: which of them serves the folder, nobody says.
  if (answers.some((answer) => answer === UNKNOWN || JSON.stringify(answer) !== JSON.stringify(first))) return { classes: null, list: null };
  const { words, list } = first as Granted;
  if (words.every((word) => word === 'none') && list === null) return null;
  return { classes: new Set(words.filter((word) => word !== 'none')), list: list && new Set(list) };
}

// ---------------------------------------------------------------------------------------------------------------------

interface Granted {
  readonly words: readonly string[];
  readonly list: readonly string[] | null;
}

const UNKNOWN = Symbol('unknown');

/** The lines of the longest path win, the later one of two with the same path. */
function overridesOf(lines: readonly OverrideLine[], folder: string): Granted | typeof UNKNOWN {
  const parts = partsOf(folder);
  const applying: { line: OverrideLine; depth: number }[] = [];
  for (const line of lines) {
    const depth = depthOf(line.scope, parts);
    if (depth === UNKNOWN) return UNKNOWN;
    if (depth === null) continue;
    if (line.activity !== 'active') return UNKNOWN;
    applying.push({ line, depth });
  }
  let words: readonly string[] = ['none'];
  let list: readonly string[] | null = null;
  for (const { line } of applying.sort((a, b) => a.depth - b.depth)) {
    const given = line.words.map((word) => word.toLowerCase());
    if (line.name === 'allowoverride') words = given;
    else list = given[0] === 'none' ? null : given;
  }
  return { words, list };
}

/** How many components of the folder a section's path takes; null where it does not apply. */
function depthOf(scope: ModelScope, parts: readonly string[]): number | null | typeof UNKNOWN {
  if (scope.name === 'directorymatch' || scope.words[0] === '~') return UNKNOWN;
  if (scope.name !== 'directory' || scope.words[0] === undefined) return null;
  if (scope.words[0].includes('${')) return UNKNOWN;
  const own = partsOf(resolvePath('/', scope.words[0]));
  if (own.length > parts.length) return null;
  return own.every((part, index) => (hasWildcard(part) ? globPattern(part).test(parts[index]) : part === parts[index])) ? own.length : null;
}

function hostOf(scope: ModelScope | null): ModelScope | null {
  for (let current = scope; current; current = current.parent) if (current.name === 'virtualhost') return current;
  return null;
}

function partsOf(path: string): string[] {
  return path.split('/').filter(Boolean);
}
