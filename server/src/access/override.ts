/** What AllowOverride says of a folder's .htaccess files: it goes by folders, not by requests. */
import type { Configuration, Scope } from '../config/configuration';
import { hasWildcard, resolvePath } from '../config/files';
import { argumentsOf } from '../syntax/line';
import { partMatch, partsOf } from './entries';

/**
 * The words of AllowOverride in effect in a folder, in lower case: 2.2's default is All. null where nobody can say, because a pattern
 * or a virtual host has its own.
 */
export function overrideAt(configuration: Configuration, folder: string): readonly string[] | null {
  return overrideWords(configuration, folder)?.words ?? null;
}

/** Whether no AllowOverride stands over a folder: 2.2 takes all of a .htaccess there, and 2.4 nothing: it answers 500 where there is a line. */
export function isOverrideDefault(configuration: Configuration, folder: string): boolean {
  return overrideWords(configuration, folder)?.isDefault === true;
}

function overrideWords(configuration: Configuration, folder: string): { readonly words: readonly string[]; readonly isDefault: boolean } | null {
  let words: readonly string[] = ['all'];
  let isDefault = true;
  let isKnown = true;
  const parts = partsOf(folder);
  const candidates: { scope: Scope; depth: number }[] = [];
  const walk = (scope: Scope): void => {
    for (const child of scope.children) {
      walk(child);
      if (!child.lines.some(({ line }) => line.name === 'allowoverride')) continue;
      const isLiteral = child.kind === 'directory' && child.words[0] !== '~' && !child.words[0]?.includes('${') && child.parent?.kind === 'server' && child.activity === 'active';
      const own = partsOf(child.words[0] === '~' ? '' : resolvePath('/', child.words[0] ?? ''));
      if (isLiteral && !own.some(hasWildcard)) {
        if (own.length <= parts.length && own.every((part, i) => part === parts[i])) candidates.push({ scope: child, depth: own.length });
      } else if (child.kind !== 'directory' || child.words[0] === '~' || couldBeAt(own, parts)) {
        isKnown = false;
      }
    }
  };
  walk(configuration.root);
  for (const { scope } of candidates.sort((a, b) => a.depth - b.depth)) {
    for (const { line, activity } of scope.lines) {
      if (line.name !== 'allowoverride') continue;
      if (activity !== 'active') isKnown = false;
      words = argumentsOf(line).map((word) => word.value.toLowerCase());
      isDefault = false;
    }
  }
  return isKnown ? { words: words.filter((word) => word !== 'none'), isDefault } : null;
}

function couldBeAt(own: readonly string[], parts: readonly string[]): boolean {
  return own.every((part, i) => i >= parts.length || partMatch(part, parts[i]) !== 'no') && own.length <= parts.length;
}
