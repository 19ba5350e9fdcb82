/** Compares the patterns of sections and mappings with paths, as httpd does. */
import { globPattern } from '../config/files';
import { cache } from '../syntax/memory';
import { regexMatches } from '../syntax/regex-match';
import type { OpenFacts } from './open-facts';
import type { FileLine } from './model';

/**
 * Whether a regular expression of the configuration matches. If this program cannot run the
 * expression, the answer is an open fact.
 */
export function matchesRegex(
  pattern: string,
  text: string,
  { facts, place, ignoreCase }: { readonly facts: OpenFacts; readonly place: FileLine; readonly ignoreCase?: boolean },
): boolean {
  const knownMatch = regexMatches(pattern, withAsciiStandIns(pattern, text), { ignoreCase });
  if (knownMatch !== null) return knownMatch;
  if (lacksFixedBeginning(pattern, text, ignoreCase === true)) return false;
  return facts.holds(`regex ${ignoreCase ? 'i' : ''} ${pattern} ${text}`, {
    what: `whether the pattern \`${pattern}\` matches \`${text}\``,
    place,
  });
}

/**
 * Whether a text lacks the literal beginning of a pattern, so that the pattern certainly does not
 * match. False for a pattern with alternatives or options.
 */
function lacksFixedBeginning(pattern: string, text: string, ignoreCase: boolean): boolean {
  const [, fixedStart = '', nextCharacter = ''] = /^\^([\w/-]*)(.?)/s.exec(pattern) ?? [];
  if (pattern.includes('|') || pattern.includes('(?') || pattern.includes('(*')) return false;
  const literalStart = /[?*{]/.test(nextCharacter) ? fixedStart.slice(0, -1) : fixedStart;
  return ignoreCase ? !text.toLowerCase().startsWith(literalStart.toLowerCase()) : !text.startsWith(literalStart);
}

/**
 * Replaces each byte outside of ASCII by an ASCII character that is not in the pattern. For PCRE,
 * such a byte is no letter, digit or space, so the character is none of these either. Returns the
 * text unchanged if the pattern has a range.
 */
function withAsciiStandIns(pattern: string, text: string): string {
  if (/^[\x20-\x7e]*$/.test(text) || (pattern.includes('[') && pattern.includes('-'))) return text;
  const standInCharacter = ['`', '~', '"', ';'].find((character) => !pattern.includes(character));
  if (standInCharacter === undefined) return text;
  const byteCountOf = (character: string) =>
    character.codePointAt(0)! < 0x800 ? 2 : character.codePointAt(0)! < 0x10000 ? 3 : 4;
  return text.replace(/[^\x20-\x7e]/gu, (character) =>
    character < ' ' || character === '\x7f' ? character : standInCharacter.repeat(byteCountOf(character)),
  );
}

/**
 * The texts of a pattern's groups; the first is the whole match. Null if the pattern does not match
 * or if they are unknown. `RegExp` cannot take long here, because regexMatches returns true only if
 * an engine with backtracking needs few steps.
 */
export function matchedGroups(pattern: string, text: string, ignoreCase = false): readonly string[] | null {
  if (regexMatches(pattern, text, { ignoreCase }) !== true) return null;
  try {
    const regexMatch = new RegExp(
      pattern.replace(/^\(\?i\)/, ''),
      ignoreCase || pattern.startsWith('(?i)') ? 'i' : '',
    ).exec(text);
    return regexMatch && regexMatch.map((group) => group ?? '');
  } catch {
    return null;
  }
}

/**
 * Replaces references such as `$1` and `&` by the texts of the groups (ap_pregsub in
 * server/util.c).
 */
export function withGroups(text: string, groups: readonly string[]): string {
  return text.replace(
    /\\([$&])|\$(\d)|&/g,
    (reference, escapedCharacter: string | undefined, digit: string | undefined) =>
      escapedCharacter !== undefined
        ? escapedCharacter
        : digit === undefined
          ? (groups[0] ?? '')
          : (groups[Number(digit)] ?? reference.slice(2)),
  );
}

/**
 * The length of the part of `url` that matches `alias`, the URL in an Alias or Redirect line. 0 if
 * it does not match (alias_matches in modules/mappers/mod_alias.c). Repeated slashes match one
 * slash.
 */
export function matchedUrlLength(url: string, alias: string): number {
  let urlIndex = 0;
  let aliasIndex = 0;
  while (aliasIndex < alias.length) {
    if (alias[aliasIndex] === '/') {
      if (url[urlIndex] !== '/') return 0;
      while (alias[aliasIndex] === '/') aliasIndex++;
      while (url[urlIndex] === '/') urlIndex++;
    } else {
      if (url[urlIndex] !== alias[aliasIndex]) return 0;
      aliasIndex++;
      urlIndex++;
    }
  }
  if (alias !== '' && !alias.endsWith('/') && urlIndex < url.length && url[urlIndex] !== '/') return 0;
  return urlIndex;
}

/**
 * Whether a path matches a pattern with wildcards, as apr_fnmatch with APR_FNM_PATHNAME: `*` does
 * not match a slash.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  let glob = globByPattern.get(pattern);
  if (!glob) {
    if (globByPattern.size >= MAX_CACHED_GLOBS) globByPattern.clear();
    globByPattern.set(pattern, (glob = globPattern(pattern)));
  }
  return glob.test(text);
}

/**
 * Maximum number of cached patterns. They are cached because each request is compared with the same
 * ones.
 */
const MAX_CACHED_GLOBS = 500;
const globByPattern = cache<string, ReturnType<typeof globPattern>>();

/** Like `matchesGlob`, without APR_FNM_PATHNAME: `*` also matches slashes. */
export function matchesAcrossSlashes(pattern: string, text: string): boolean {
  return matchesGlob(pattern.replaceAll('/', '\u0001'), text.replaceAll('/', '\u0001'));
}
