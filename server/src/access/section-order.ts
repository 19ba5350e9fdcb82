/**
 * Sections as the server applies them to a request: in which order, and whether one may apply where another does. Section order: docs/how-httpd-reads.md, "The
 * order of sections"; ap_core_reorder_directories in server/core.c, ap_directory_walk, ap_file_walk and ap_location_walk in server/request.c. Everything here errs towards "may apply".
 */
import type { BothAnswers, Scope } from '../config/configuration';
import { driveOf, globPattern, hasWildcard, isAbsolute, pathOfParts, type Glob } from '../config/files';
import { cache } from '../syntax/memory';
import { regexMatches } from '../syntax/regex-match';
import type { DoubtPlace } from './doubt';
import { notConverted, type NotConverted } from './not-converted';
import type { SectionAccess } from './section-access';
import { withoutClasses } from '../syntax/regex';

export const STAGES = ['directory', 'directorymatch', 'files', 'location', 'proxy'] as const;
export type Stage = (typeof STAGES)[number];

/** A scope as the request processing sees it. */
export interface Entry {
  readonly scope: Scope;
  readonly stage: Stage;
  /** null: the main server. */
  readonly host: Scope | null;
  /** For directories: path components or patterns. */
  readonly parts: readonly string[];
  /** Whether there are wildcards among them. */
  readonly isPattern: boolean;
  readonly isHtaccess: boolean;
  readonly isRegex: boolean;
  /** For patterns: the text that every match starts with. For locations and directories. */
  readonly prefix: string;
  /** Files, Location: the words that say what matches. */
  readonly pattern: string;
  readonly parent: Entry | null;
  /** Of a server on Windows: patterns of files and directories match in any case (USE_ICASE in server/core.c of both). */
  readonly isOnWindows: boolean;
  /** Reading order. */
  readonly order: number;
  /** Whether the section may be left out by a conditional, as 2.2 reads it. */
  readonly isOptional: boolean;
  /** Whether it is there for each version: unknown for both is the same in both. */
  readonly readBy: BothAnswers;
  own: SectionAccess;
}

export type Applies = 'yes' | 'maybe' | 'no';

/** Order of the directory stage: by depth, then main server before virtual host, then by reading order; .htaccess behind the sections of its depth. */
export function sortedDirectories(entries: readonly Entry[]): Entry[] {
  return entries.filter((entry) => entry.stage === 'directory').sort(compareDirectories);
}

/** Negative where a directory's section comes before another one. */
export function compareDirectories(a: Entry, b: Entry): number {
  return (
    a.parts.length - b.parts.length ||
    Number(a.isHtaccess) - Number(b.isHtaccess) ||
    hostRank(a) - hostRank(b) ||
    a.order - b.order
  );
}

function directoryRank(entry: Entry): number[] {
  return [entry.parts.length, Number(entry.isHtaccess), hostRank(entry), entry.order];
}

/** Regular expressions come behind all directories, by the slashes that their text has (reorder_sorter in server/core.c). */
function patternRank(entry: Entry): number[] {
  return [entry.pattern.split('/').length, hostRank(entry), entry.order];
}

function byRank(rank: (entry: Entry) => number[]): (a: Entry, b: Entry) => number {
  return (a, b) => {
    const first = rank(a);
    const second = rank(b);
    const at = first.findIndex((value, i) => value !== second[i]);
    return at < 0 ? 0 : first[at]! - (second[at] ?? -1);
  };
}

export function sortedPatterns(entries: readonly Entry[]): Entry[] {
  return entries.filter((entry) => entry.stage === 'directorymatch').sort(comparePatterns);
}

/** Server level, virtual host, then those of directories, in the directories' order. */
export function sortedFiles(entries: readonly Entry[]): Entry[] {
  return entries.filter((entry) => entry.stage === 'files').sort(compareFiles);
}

function filesRank(entry: Entry): number[] {
  const { parent } = entry;
  if (parent === null) return [0, hostRank(entry), entry.order];
  return parent.stage === 'directory'
    ? [1, ...directoryRank(parent), entry.order]
    : [2, ...patternRank(parent), entry.order];
}

export const comparePatterns = byRank(patternRank);
export const compareFiles = byRank(filesRank);
/** Locations apply in reading order, those of the main server first. */
export const compareLocations = byRank((entry) => [hostRank(entry), entry.order]);

/** What of a section's argument keeps us from knowing where it applies, or from its applying alike in both versions. */
export function argumentProblem({
  scope,
  stage,
  parts,
  isHtaccess,
  isRegex,
  pattern,
  isOnWindows,
}: Entry): NotConverted | null {
  const { words, file, offset } = scope;
  const tag = { path: file.path, offset };
  if (words.some((word) => word.includes('${'))) return notConverted('tag-variable', tag);
  if (isHtaccess) return null;
  if (words.length === 0) return notConverted('tag-without-argument', tag);
  const isSomewhere = isBelowAll(parts);
  if (!isSomewhere && isRelative(scope)) return notConverted('relative-path', tag);
  if (stage.startsWith('directory') && isOnWindows && hasShortName(scope.words.at(-1)!))
    return notConverted('short-name', tag);
  if (!isSomewhere && isDriveless(scope, isOnWindows))
    return notConverted(/^[\\/]{2}[^\\/]/.test(scope.words.at(-1)!) ? 'other-machine' : 'no-drive', tag);
  // REG_NOTEOL in ap_directory_walk of 2.2.
  if (stage === 'directorymatch' && /(^|[^\\])(\\\\)*\$/.test(pattern)) return notConverted('dollar-in-pattern', tag);
  if (isRegex && /^(.*~|.*match)$/.test(`${scope.kind}${scope.words[0] === '~' ? '~' : ''}`) && pattern === '')
    return notConverted('tag-without-pattern', tag);
  return null;
}

/** Whether a part of a path of Windows may be another name of a directory, as PROGRA~1 is. */
export function hasShortName(path: string): boolean {
  return /~\d/.test(path);
}

/** Of a server on Windows: the path of a `<Directory>` is on whatever drive the server was started from. `/` alone is all drives (dirsection in server/core.c of both). */
export function isDriveless({ kind, words }: Pick<Scope, 'kind' | 'words'>, isOnWindows: boolean): boolean {
  if (!isOnWindows || kind !== 'directory') return false;
  const path = words[0] ?? '';
  return path !== '/' && path !== '~' && driveOf(path) === '';
}

/** Whether a `<Directory>` has a path that is not absolute. */
export function isRelative({ kind, words }: Pick<Scope, 'kind' | 'words'>): boolean {
  return kind === 'directory' && words[0] !== '~' && !isAbsolute(words[0] ?? '');
}

/**
 * The components of a relative path of a `<Directory>` as names: `cgi-bin`. Null for a path that is
 * absolute, has wildcards, or goes another way. It lies below the directory in which httpd runs when
 * it reads its configuration, which is the installation for a service of Windows (dirsection in
 * server/core.c and winnt_rewrite_args in server/mpm/winnt/mpm_winnt.c of both).
 */
export function relativeParts(path: string): readonly string[] | null {
  if (/^[\\/~]|[:*?[\]~$\\]/.test(path)) return null;
  const parts = path.replace(/\/$/, '').split('/');
  return parts.every((part) => !/^\.*$/.test(part)) ? parts.map((part) => part.toLowerCase()) : null;
}

/**
 * What a relative path matches, as a pattern: directories further down than all others. The section
 * applies after each section of a directory that contains its own, and no section is inside it.
 */
export function belowAll(parts: readonly string[]): readonly string[] {
  return [...BELOW_ALL, ...parts];
}

/** The components that `belowAll` got; null for those of another path. */
export function namesBelowAll(parts: readonly string[]): readonly string[] | null {
  return isBelowAll(parts) ? parts.slice(BELOW_ALL.length) : null;
}

function isBelowAll(parts: readonly string[]): boolean {
  return parts.length > BELOW_ALL.length && BELOW_ALL.every((part, i) => parts[i] === part);
}

const BELOW_ALL: readonly string[] = new Array<string>(100).fill('*');

function hostRank(entry: Entry): number {
  return entry.host === null ? 0 : 1;
}

/** Whether `other`, which comes first, applies to what `entry` (a directory) applies to. */
export function appliesBelow(other: Entry, entry: Entry): Applies {
  return appliesAt(other, entry.parts);
}

/** Whether a directory section applies in a folder whose own components may be patterns. */
export function appliesAt(entry: Entry, folder: readonly string[]): Applies {
  if (entry.parts.length > folder.length) {
    // A pattern further down may match folders that nobody names; a literal one is a place of its own.
    const isPattern = entry.parts.some(hasWildcard);
    return isPattern && folder.every((part, i) => partMatch(entry.parts[i]!, part) !== 'no') ? 'maybe' : 'no';
  }
  let result: Applies = 'yes';
  for (let i = 0; i < entry.parts.length; i++) {
    const part = entry.parts[i]!;
    const match = partMatch(part, folder[i]!);
    if (match === 'no') return 'no';
    if (match === 'maybe') result = 'maybe';
    // A wildcard is compared with the name as the file has it.
    if (entry.isOnWindows && hasWildcard(part)) result = 'maybe';
  }
  return result;
}

export function partMatch(pattern: string, part: string): Applies {
  if (pattern === part) return 'yes';
  if (!hasWildcard(pattern) && !hasWildcard(part)) return 'no';
  if (!hasWildcard(part)) return globOf(pattern).test(part) ? 'yes' : 'no';
  return 'maybe';
}

/** Whether the section may apply somewhere at or below a folder, or the folder is one it may apply in. */
export function couldHold(entry: Entry, folder: readonly string[]): boolean {
  const path = pathOfParts(folder);
  const prefix = entry.isOnWindows ? entry.prefix.toLowerCase() : entry.prefix;
  // On Windows the folder without components is any, on whatever drive.
  return (
    path.startsWith(prefix) ||
    prefix.startsWith(path) ||
    hasWildcard(path) ||
    (entry.isOnWindows && folder.length === 0)
  );
}

/** Whether a folder is the section's, or lies below it. */
export function holdsFolder(parent: Entry, folder: readonly string[]): boolean {
  if (isBelowAll(parent.parts)) return true;
  if (parent.stage === 'directory') return parent.parts.length <= folder.length && appliesAt(parent, folder) !== 'no';
  return couldHold(parent, folder);
}

export function isBelow(folder: readonly string[], place: readonly string[]): boolean {
  return folder.length >= place.length && place.every((part, i) => partMatch(folder[i]!, part) !== 'no');
}

export function filesOverlap(a: Entry, b: Entry): Applies {
  if (a.pattern === b.pattern && a.isRegex === b.isRegex) return 'yes';
  const isPlain = (entry: Entry) => !entry.isRegex && !hasWildcard(entry.pattern);
  if (isPlain(a) && isPlain(b)) return 'no';
  if (isPlain(b)) return matchesName(a, b.pattern);
  if (isPlain(a)) return matchesName(a, b.pattern) === 'no' && matchesName(b, a.pattern) === 'no' ? 'no' : 'maybe';
  return 'maybe';
}

/** Each wildcard is read once: each is compared with many names. */
function globOf(pattern: string): Glob {
  let glob = globs.get(pattern);
  if (glob === undefined) {
    if (globs.size >= MOST_GLOBS) globs.clear();
    globs.set(pattern, (glob = globPattern(pattern)));
  }
  return glob;
}

const MOST_GLOBS = 2000;
const globs = cache<string, Glob>();

/** Whether a Files section matches a plain name. */
function matchesName(entry: Entry, name: string): Applies {
  if (!entry.isRegex) return globOf(entry.pattern).test(name) ? 'yes' : 'no';
  const answer = regexMatches(entry.pattern, name, { ignoreCase: entry.isOnWindows });
  return answer === null ? 'maybe' : answer ? 'yes' : 'no';
}

export function sortedLocations(entries: readonly Entry[]): Entry[] {
  return entries.filter((entry) => entry.stage === 'location').sort(compareLocations);
}

export function locationOverlap(other: Entry, entry: Entry): Applies {
  const a = other.prefix;
  const b = entry.prefix;
  if (!other.isRegex) {
    if (b.startsWith(a.endsWith('/') ? a : `${a}/`)) return 'yes';
    // What a pattern matches may go on behind the same letters.
    if (b === a) return entry.isRegex ? 'maybe' : 'yes';
    // The other one is further in, or begins with the same letters as a pattern of ours.
    return a.startsWith(b) ? 'maybe' : 'no';
  }
  if (other.pattern === entry.pattern && entry.isRegex) return 'yes';
  return a.startsWith(b) || b.startsWith(a) ? 'maybe' : 'no';
}

/** Whether an alternative may stand outside of all groups; where groups are hard to tell, one may. */
function mayAlternate(source: string): boolean {
  if (!source.includes('|')) return false;
  const plain = withoutClasses(source.replace(/\\./g, ''));
  if (/\\[QE]/.test(source) || /\(\?[^:]|[[\]\\]/.test(plain)) return true;
  let depth = 0;
  for (const character of plain) {
    if (character === '(') depth++;
    else if (character === ')') depth--;
    if (depth < 0 || (depth === 0 && character === '|')) return true;
  }
  return depth > 0;
}

/** The text that everything a regular expression matches starts with, '' unless it is anchored. */
export function literalPrefix(source: string): string {
  if (!source.startsWith('^')) return '';
  if (mayAlternate(source)) return '';
  const literal = /^\^((?:[\w/-]|\\\.)*)/.exec(source)![1]!;
  const next = source[1 + literal.length] ?? '';
  // A quantifier belongs to the character before it.
  const kept = /[?*{+]/.test(next) ? literal.replace(/(\\\.|.)$/, '') : literal;
  return kept.replace(/\\\./g, '.');
}

/** The tag of a section. */
export function placeOf({ scope }: Entry): DoubtPlace {
  return { path: scope.file.path, offset: scope.offset };
}
