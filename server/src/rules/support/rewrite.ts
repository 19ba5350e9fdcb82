import type { Context } from '../rule';

/**
 * Whether the pattern of a `RewriteRule` matches no request, because it begins with a slash and the
 * rule is for a directory. mod_rewrite compares such a rule with the path below the directory,
 * without a slash at its start (mod_rewrite.c: apply_rewrite_rule, `dconf->directory`).
 */
export function neverMatches(pattern: string, { isHtaccess, containers }: Context): boolean {
  const isForDirectory = containers.length === 0 ? isHtaccess : containers.at(-1) === 'directory';
  return isForDirectory && pattern.startsWith('^/') && !/[|]|^\^\/[?*{]/.test(pattern);
}
