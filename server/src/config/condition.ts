/**
 * The condition in the tag of an `<IfVersion>`, `<IfModule>` or `<IfDefine>`, as 2.2 and 2.4 read
 * it. For an `<IfVersion>`, also whether the condition is true. Sources:
 * modules/metadata/mod_version.c (start_ifversion, compare_version, match_version; they are equal
 * in both versions), server/core.c of 2.2 (start_ifmod: TAKE1) and of 2.4 (start_cond_section:
 * RAW_ARGS, the first word). test/config/condition.test.ts compares with recorded answers of both
 * servers.
 */
import { argumentsOf, lexLines, logicalText, type Line } from '../syntax/line';
import { cache } from '../syntax/memory';
import { regexMatches } from '../syntax/regex-match';

/**
 * A released version of httpd. `suffix`: the text after the numbers, such as `-dev`. A pattern can
 * match it.
 */
export interface Release {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  readonly suffix?: string;
}

/** The name in an `<IfModule>` or `<IfDefine>`, and whether `!` negates it. */
export interface NameInTag {
  readonly name: string;
  readonly isNegated: boolean;
}

/**
 * The name in the tag of an `<IfModule>` or `<IfDefine>`. Null if a server of that version refuses
 * the tag.
 */
export function nameInTag(open: Line, minor: 2 | 4): NameInTag | null {
  const argumentText = tagText(open);
  const endOfTag = argumentText.lastIndexOf('>');
  if (endOfTag < 0) return null;
  // 2.2 accepts only one unquoted word (invoke_cmd, TAKE1). The name ends before the last `>`.
  if (minor === 2 && (/\s/.test(argumentText) || /^["']/.test(argumentText))) return null;
  const isNegated = argumentText.startsWith('!');
  const nameText = argumentText.slice(isNegated ? 1 : 0, endOfTag);
  if (nameText === '') return null;
  return { isNegated, name: minor === 2 ? nameText : (wordsInTag(nameText)[0] ?? '') };
}

/**
 * Whether an `<IfVersion>` is true for a release. Null if httpd refuses the tag, or if this program
 * cannot evaluate its pattern.
 */
export function isTrueForVersion(open: Line, release: Release): boolean | null {
  const versionTag = readVersionTag(wordsInTag(tagText(open)));
  return versionTag && isTrueForRelease(versionTag, release);
}

/**
 * The results of `isTrueForVersion` for several releases of one minor version, in the order of the
 * releases. `releases`: consecutive patch releases, the oldest first.
 */
export function resultsForReleases(open: Line, releases: readonly Release[]): readonly (boolean | null)[] {
  const argumentText = tagText(open);
  const { minor, patch } = releases[0]!;
  const releasesAndText = `${minor}.${patch}+${releases.length} ${argumentText}`;
  let answers = cachedAnswers.get(releasesAndText);
  if (!answers) {
    const versionTag = readVersionTag(wordsInTag(argumentText));
    if (cachedAnswers.size >= 500) cachedAnswers.clear();
    cachedAnswers.set(
      releasesAndText,
      (answers = releases.map((release) => versionTag && isTrueForRelease(versionTag, release))),
    );
  }
  return answers;
}

// ---------------------------------------------------------------------------------------------------------------------

const cachedAnswers = cache<string, readonly (boolean | null)[]>();

/**
 * The text after the name in a section tag, including the `>` of the tag, as httpd passes it to the
 * function of the section. httpd removes a `>` at the end of the name: `<IfVersion> 2.4.7>` is
 * `<IfVersion 2.4.7>` (ap_build_config_sub in server/config.c).
 */
function tagText(open: Line): string {
  const { text } = logicalText(open);
  return text.replace(/^\s*["']?<[^\s>"']*(?:>(?=\s+\S))?["']?/, '').trim();
}

function wordsInTag(text: string): string[] {
  const [line] = lexLines(`x ${text}`);
  return line ? argumentsOf(line).map(({ value }) => value) : [];
}

/** The parsed arguments of an `<IfVersion>` tag: `!`, the comparison and the version. */
interface VersionTag {
  readonly isReversed: boolean;
  readonly operator: string;
  readonly includesEqual: boolean;
  /** The numbers of a version, or a pattern as text. */
  readonly version: readonly number[] | string;
}

/**
 * Reads an `<IfVersion>` tag. Null if the server refuses it, because the operator is unknown, or
 * the version or pattern is invalid.
 */
function readVersionTag(words: readonly string[]): VersionTag | null {
  if (words.length === 0 || words.length > 3) return null;
  let [operator, version, end] = words as [string, string?, string?];
  // A single argument is the version. If it is in quotes, the `>` after it is a word of its own.
  if (version === undefined) [operator, version] = ['=', operator];
  if (end === undefined && version === '>') [operator, version, end] = ['=', operator, '>'];
  if (end !== '>') {
    if (!version.endsWith('>')) return null;
    version = version.slice(0, -1);
  }
  const isReversed = operator.length > 1 && operator.startsWith('!');
  const baseOperator = isReversed ? operator.slice(1) : operator;
  if (!/^(?:[=<>]=?|~)$/.test(baseOperator)) return null;
  const operatorKind = baseOperator.charAt(0);
  const isPattern = operatorKind === '~' || (operatorKind === '=' && version.startsWith('/'));
  if (operatorKind === '=' && isPattern && (version.length < 2 || !version.endsWith('/'))) return null;
  const wantedVersion = isPattern ? (operatorKind === '~' ? version : version.slice(1, -1)) : versionNumbersOf(version);
  return wantedVersion === null
    ? null
    : { isReversed, operator: operatorKind, includesEqual: baseOperator.length === 2, version: wantedVersion };
}

/**
 * Returns the numbers of major[.minor[.patch]]; a missing number is 0. Null for text of another
 * form, and for a number with more than nine digits: atoi, with which httpd reads it, overflows, so
 * `< 2.4.999999999999` is false in 2.4.71.
 */
function versionNumbersOf(text: string): readonly number[] | null {
  const match = /^(\d{1,9})(?:\.(\d{0,9})(?:\.(\d{0,9})\.?)?)?$/.exec(text);
  return match && [1, 2, 3].map((index) => Number(match[index] || 0));
}

function isTrueForRelease(
  { isReversed, operator, includesEqual, version }: VersionTag,
  release: Release,
): boolean | null {
  const { major, minor, patch, suffix = '' } = release;
  if (typeof version === 'string') {
    const isMatch = regexMatches(version, `${major}.${minor}.${patch}${suffix}`);
    return isMatch === null ? null : isMatch !== isReversed;
  }
  let order = 0;
  for (let i = 0; i < 3 && order === 0; i++) order = Math.sign([major, minor, patch][i]! - version[i]!);
  const isOrderAsWanted =
    operator === '=' ? order === 0 : (operator === '<' ? order < 0 : order > 0) || (includesEqual && order === 0);
  return isOrderAsWanted !== isReversed;
}
