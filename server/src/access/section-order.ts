/**
 * Orders sections as httpd applies them to a request, and decides whether two sections can apply to
 * the same request: `yes`, `no` or `maybe`. Sources: docs/how-httpd-reads.md, "The order of
 * sections"; ap_core_reorder_directories in server/core.c; ap_directory_walk, ap_file_walk and
 * ap_location_walk in server/request.c.
 */
import type { ActivityInBothVersions, Scope } from '../config/configuration';
import { driveOf, globPattern, hasWildcard, isAbsolute, pathOfComponents, type Glob } from '../config/files';
import { cache } from '../syntax/memory';
import { regexMatches } from '../syntax/regex-match';
import type { FilePosition } from './open-question';
import { notConverted, type NotConverted } from './not-converted';
import type { SectionAccess } from './section-access';
import { withoutClasses } from '../syntax/regex';

/** The stages in which httpd applies the sections to a request, in their order. */
export const STAGES = ['directory', 'directorymatch', 'files', 'location', 'proxy'] as const;
export type Stage = (typeof STAGES)[number];

/**
 * A section with the facts that decide its order: the requests to which it applies, and its server.
 */
export interface SectionEntry {
  readonly scope: Scope;
  readonly stage: Stage;
  /** The virtual host. Null for the main server. */
  readonly host: Scope | null;
  /** For directories: the names in the path. A name may contain wildcards. */
  readonly pathParts: readonly string[];
  /** Whether a name contains a wildcard. */
  readonly isPattern: boolean;
  readonly isHtaccess: boolean;
  readonly isRegex: boolean;
  /**
   * For locations, and for directories with a regular expression: the text with which each matching
   * URL or path begins.
   */
  readonly prefix: string;
  /** For `<Files>` and `<Location>`: the name or pattern in the tag. */
  readonly pattern: string;
  /** The section around this one. Null for the outermost sections. */
  readonly parent: SectionEntry | null;
  /**
   * Whether the server runs on Windows, where patterns of files and directories ignore the case
   * (USE_ICASE in server/core.c of both versions).
   */
  readonly isOnWindows: boolean;
  /** Position in the order in which httpd reads the sections. */
  readonly orderNumber: number;
  /**
   * Whether 2.2 may skip the section. Either a condition around it may be false, or it is in a
   * .htaccess file and it is unknown which virtual hosts read that file.
   */
  readonly mayBeSkippedIn22: boolean;
  /**
   * Whether 2.2 and 2.4 read the section. If both values are `unknown`, either both versions read
   * it or neither does.
   */
  readonly readBy: ActivityInBothVersions;
  ownAccess: SectionAccess;
}

/** Whether a section applies to a request, for example to one to which another section applies. */
export type Applicability = 'yes' | 'maybe' | 'no';

/**
 * Sorts the sections of the stage `directory`: by depth, then main server before virtual host, then
 * in reading order. A .htaccess file comes after the sections of its depth.
 */
export function sortedDirectories(entries: readonly SectionEntry[]): SectionEntry[] {
  return entries.filter((entry) => entry.stage === 'directory').sort(compareDirectories);
}

/** Compares two directory sections for `sort`, by the order in which httpd applies them. */
export function compareDirectories(a: SectionEntry, b: SectionEntry): number {
  return (
    a.pathParts.length - b.pathParts.length ||
    Number(a.isHtaccess) - Number(b.isHtaccess) ||
    hostRank(a) - hostRank(b) ||
    a.orderNumber - b.orderNumber
  );
}

/**
 * Compares two sections with regular expressions for `sort`. httpd applies them after all
 * directories, ordered by the number of slashes in the expression (reorder_sorter in
 * server/core.c).
 */
export function comparePatterns(a: SectionEntry, b: SectionEntry): number {
  return slashesIn(a.pattern) - slashesIn(b.pattern) || compareLocations(a, b);
}

function slashesIn(pattern: string): number {
  let slashCount = 0;
  for (let slashIndex = pattern.indexOf('/'); slashIndex >= 0; slashIndex = pattern.indexOf('/', slashIndex + 1))
    slashCount++;
  return slashCount;
}

/** Sorts the sections of the stage `directorymatch`. */
export function sortedPatterns(entries: readonly SectionEntry[]): SectionEntry[] {
  return entries.filter((entry) => entry.stage === 'directorymatch').sort(comparePatterns);
}

/**
 * Sorts `<Files>` sections. First come those that are in no directory section, the main server
 * before the virtual host. Then come the others, in the order of their directory sections.
 */
export function sortedFiles(entries: readonly SectionEntry[]): SectionEntry[] {
  return entries.filter((entry) => entry.stage === 'files').sort(compareFiles);
}

/** Compares two `<Files>` sections for `sort`; see `sortedFiles`. */
export function compareFiles(a: SectionEntry, b: SectionEntry): number {
  const level = filesLevel(a);
  if (level !== filesLevel(b)) return level - filesLevel(b);
  if (a.parent === null || b.parent === null) return compareLocations(a, b);
  const orderOfParents = level === 1 ? compareDirectories(a.parent, b.parent) : comparePatterns(a.parent, b.parent);
  return orderOfParents || a.orderNumber - b.orderNumber;
}

/** The order of `<Files>` sections by the section around them: none, a directory, a pattern. */
function filesLevel({ parent }: SectionEntry): number {
  return parent === null ? 0 : parent.stage === 'directory' ? 1 : 2;
}

/**
 * Compares two locations for `sort`. httpd applies them in reading order, those of the main server
 * first.
 */
export function compareLocations(a: SectionEntry, b: SectionEntry): number {
  return hostRank(a) - hostRank(b) || a.orderNumber - b.orderNumber;
}

/**
 * Returns the reason if the argument of a section does not show to what it applies, or if the two
 * versions read the argument differently. Otherwise null.
 */
export function argumentProblem({
  scope,
  stage,
  pathParts,
  isHtaccess,
  isRegex,
  pattern,
  isOnWindows,
}: SectionEntry): NotConverted | null {
  const { words, file, offset } = scope;
  const tagPlace = { path: file.path, offset };
  if (words.some((word) => word.includes('${'))) return notConverted('tag-variable', tagPlace);
  if (isHtaccess) return null;
  if (words.length === 0) return notConverted('tag-without-argument', tagPlace);
  const hasDeepestPath = isDeepestPath(pathParts);
  if (!hasDeepestPath && isRelative(scope)) return notConverted('relative-path', tagPlace);
  if (stage.startsWith('directory') && isOnWindows && hasShortName(scope.words.at(-1)!))
    return notConverted('short-name', tagPlace);
  if (!hasDeepestPath && isDriveless(scope, isOnWindows))
    return notConverted(/^[\\/]{2}[^\\/]/.test(scope.words.at(-1)!) ? 'other-machine' : 'no-drive', tagPlace);
  // 2.2 compares this pattern with REG_NOTEOL, so `$` never matches (ap_directory_walk of 2.2).
  if (stage === 'directorymatch' && /(^|[^\\])(\\\\)*\$/.test(pattern))
    return notConverted('dollar-in-pattern', tagPlace);
  if (isRegex && /^(.*~|.*match)$/.test(`${scope.kind}${scope.words[0] === '~' ? '~' : ''}`) && pattern === '')
    return notConverted('tag-without-pattern', tagPlace);
  return null;
}

/**
 * Whether a name in a Windows path may be the short name of a directory with a longer name, such as
 * PROGRA~1.
 */
export function hasShortName(path: string): boolean {
  return /~\d/.test(path);
}

/**
 * Whether the path of a `<Directory>` on Windows has no drive. Then it is on the drive from which
 * the server was started. Only `/` means all drives (dirsection in server/core.c of both versions).
 */
export function isDriveless({ kind, words }: Pick<Scope, 'kind' | 'words'>, isOnWindows: boolean): boolean {
  if (!isOnWindows || kind !== 'directory') return false;
  const sectionPath = words[0] ?? '';
  return sectionPath !== '/' && sectionPath !== '~' && driveOf(sectionPath) === '';
}

/** Whether a `<Directory>` has a path that is not absolute. */
export function isRelative({ kind, words }: Pick<Scope, 'kind' | 'words'>): boolean {
  return kind === 'directory' && words[0] !== '~' && !isAbsolute(words[0] ?? '');
}

/**
 * The names in a relative path of a `<Directory>`, such as `cgi-bin`, in lower case. Null if the
 * path is absolute, has wildcards, or contains `.` or `..`.
 * The path is relative to the directory in which httpd reads its configuration. For a Windows
 * service, that is where httpd is installed (dirsection in server/core.c and winnt_rewrite_args in
 * server/mpm/winnt/mpm_winnt.c of both versions).
 */
export function namesOfRelativePath(path: string): readonly string[] | null {
  if (/^[\\/~]|[:*?[\]~$\\]/.test(path)) return null;
  const pathNames = path.replace(/\/$/, '').split('/');
  return pathNames.every((part) => !/^\.*$/.test(part)) ? pathNames.map((part) => part.toLowerCase()) : null;
}

/**
 * Makes a path for a section with a relative path. It begins with so many wildcards that it is
 * deeper than all other paths. So the section comes after all sections of outer directories, and no
 * other section is in it.
 */
export function asDeepestPath(parts: readonly string[]): readonly string[] {
  return [...DEEPEST_WILDCARDS, ...parts];
}

/**
 * The names of the relative path from which `asDeepestPath` made this path. Null for other paths.
 */
export function namesOfDeepestPath(parts: readonly string[]): readonly string[] | null {
  return isDeepestPath(parts) ? parts.slice(DEEPEST_WILDCARDS.length) : null;
}

function isDeepestPath(parts: readonly string[]): boolean {
  return parts.length > DEEPEST_WILDCARDS.length && DEEPEST_WILDCARDS.every((part, i) => parts[i] === part);
}

const DEEPEST_WILDCARDS: readonly string[] = new Array<string>(100).fill('*');

function hostRank(entry: SectionEntry): number {
  return entry.host === null ? 0 : 1;
}

/**
 * Whether the directory section `other` applies to all requests of `entry`, a later directory
 * section (`yes`), to some (`maybe`) or to none (`no`).
 */
export function applicabilityWithin(other: SectionEntry, entry: SectionEntry): Applicability {
  return applicabilityInFolder(other, entry.pathParts);
}

/**
 * Whether a directory section applies in a folder, whose names may contain wildcards: `yes`,
 * `maybe` or `no`.
 */
export function applicabilityInFolder(entry: SectionEntry, folder: readonly string[]): Applicability {
  if (entry.pathParts.length > folder.length) {
    // A pattern that is deeper than the folder may match folders below it that no section names. A
    // deeper path without wildcards does not count here, because its folder is checked separately.
    const isPattern = entry.pathParts.some(hasWildcard);
    return isPattern && folder.every((part, i) => componentMatch(entry.pathParts[i]!, part) !== 'no') ? 'maybe' : 'no';
  }
  let applicability: Applicability = 'yes';
  for (let i = 0; i < entry.pathParts.length; i++) {
    const part = entry.pathParts[i]!;
    const matchOfPart = componentMatch(part, folder[i]!);
    if (matchOfPart === 'no') return 'no';
    if (matchOfPart === 'maybe') applicability = 'maybe';
    // On Windows, httpd compares wildcards with the name as the file system spells it, which the
    // configuration does not show.
    if (entry.isOnWindows && hasWildcard(part)) applicability = 'maybe';
  }
  return applicability;
}

/** Whether a name in the path of a section matches a name of a folder. Both may have wildcards. */
export function componentMatch(pattern: string, name: string): Applicability {
  if (pattern === name) return 'yes';
  if (!hasWildcard(pattern) && !hasWildcard(name)) return 'no';
  if (!hasWildcard(name)) return compiledGlob(pattern).test(name) ? 'yes' : 'no';
  return 'maybe';
}

/** Whether a section with a regular expression may apply in a folder or below it. */
export function mayMatchWithin(
  entry: SectionEntry,
  folder: readonly string[],
  path = pathOfComponents(folder),
): boolean {
  const prefix = entry.isOnWindows ? entry.prefix.toLowerCase() : entry.prefix;
  // On Windows, the path without names stands for all drives.
  return (
    path.startsWith(prefix) ||
    prefix.startsWith(path) ||
    hasWildcard(path) ||
    (entry.isOnWindows && folder.length === 0)
  );
}

/** Whether a folder may be the folder of a section, or below it. */
export function isInFolderOf(parent: SectionEntry, folder: readonly string[]): boolean {
  if (isDeepestPath(parent.pathParts)) return true;
  if (parent.stage === 'directory')
    return parent.pathParts.length <= folder.length && applicabilityInFolder(parent, folder) !== 'no';
  return mayMatchWithin(parent, folder);
}

/** Whether a folder may be `parentFolder` or below it. Names in both may have wildcards. */
export function isBelow(folder: readonly string[], parentFolder: readonly string[]): boolean {
  return (
    folder.length >= parentFolder.length && parentFolder.every((part, i) => componentMatch(folder[i]!, part) !== 'no')
  );
}

/** Whether two `<Files>` sections apply to the same file: `yes`, `maybe` or `no`. */
export function overlapOfFiles(a: SectionEntry, b: SectionEntry): Applicability {
  if (a.pattern === b.pattern && a.isRegex === b.isRegex) return 'yes';
  const isFixedName = (entry: SectionEntry) => !entry.isRegex && !hasWildcard(entry.pattern);
  if (isFixedName(a) && isFixedName(b)) return 'no';
  if (isFixedName(b)) return matchOfName(a, b.pattern);
  if (isFixedName(a)) return matchOfName(a, b.pattern) === 'no' && matchOfName(b, a.pattern) === 'no' ? 'no' : 'maybe';
  return 'maybe';
}

/**
 * Compiles a pattern with wildcards. The result is cached, because each pattern is compared with
 * many names.
 */
function compiledGlob(pattern: string): Glob {
  let glob = globCache.get(pattern);
  if (glob === undefined) {
    if (globCache.size >= MAX_CACHED_GLOBS) globCache.clear();
    globCache.set(pattern, (glob = globPattern(pattern)));
  }
  return glob;
}

const MAX_CACHED_GLOBS = 2000;
const globCache = cache<string, Glob>();

/**
 * Whether a `<Files>` section matches a name without wildcards: `yes`, `no`, or `maybe` if the
 * regular expression cannot be evaluated.
 */
function matchOfName(entry: SectionEntry, name: string): Applicability {
  if (!entry.isRegex) return compiledGlob(entry.pattern).test(name) ? 'yes' : 'no';
  const isNameMatched = regexMatches(entry.pattern, name, { ignoreCase: entry.isOnWindows });
  return isNameMatched === null ? 'maybe' : isNameMatched ? 'yes' : 'no';
}

/** Sorts the sections of the stage `location`. */
export function sortedLocations(entries: readonly SectionEntry[]): SectionEntry[] {
  return entries.filter((entry) => entry.stage === 'location').sort(compareLocations);
}

/**
 * Whether the location `other` applies to the URLs of the location `entry`: to all (`yes`), perhaps
 * to some (`maybe`) or to none (`no`).
 */
export function overlapOfLocations(other: SectionEntry, entry: SectionEntry): Applicability {
  const otherPrefix = other.prefix;
  const entryPrefix = entry.prefix;
  if (!other.isRegex) {
    if (entryPrefix.startsWith(otherPrefix.endsWith('/') ? otherPrefix : `${otherPrefix}/`)) return 'yes';
    // Both begin with the same text, but a regular expression may need more text after it.
    if (entryPrefix === otherPrefix) return entry.isRegex ? 'maybe' : 'yes';
    // If the prefix of `other` begins with that of `entry`, some URLs may match both sections.
    // Otherwise no URL does.
    return otherPrefix.startsWith(entryPrefix) ? 'maybe' : 'no';
  }
  if (other.pattern === entry.pattern && entry.isRegex && hasWildcards(other) === hasWildcards(entry)) return 'yes';
  return otherPrefix.startsWith(entryPrefix) || entryPrefix.startsWith(otherPrefix) ? 'maybe' : 'no';
}

/**
 * Whether a location with a pattern is a `<Location>` with wildcards. The same text in a
 * `<LocationMatch>` or `<Location ~>` matches other URLs.
 */
function hasWildcards({ scope }: SectionEntry): boolean {
  return scope.kind === 'location' && scope.words[0] !== '~';
}

/**
 * Whether a regular expression may have a `|` outside of all groups. Also true if the groups cannot
 * be read.
 */
function mayHaveAlternatives(regexSource: string): boolean {
  if (!regexSource.includes('|')) return false;
  const sourceWithoutClasses = withoutClasses(regexSource.replace(/\\./g, ''));
  if (/\\[QE]/.test(regexSource) || /\(\?[^:]|[[\]\\]/.test(sourceWithoutClasses)) return true;
  let depth = 0;
  for (const character of sourceWithoutClasses) {
    if (character === '(') depth++;
    else if (character === ')') depth--;
    if (depth < 0 || (depth === 0 && character === '|')) return true;
  }
  return depth > 0;
}

/**
 * The text with which each match of a regular expression begins. Empty if the expression does not
 * begin with `^`, or may have alternatives.
 */
export function literalPrefixOfRegex(regexSource: string): string {
  if (!regexSource.startsWith('^')) return '';
  if (mayHaveAlternatives(regexSource)) return '';
  const literalText = /^\^((?:[\w/-]|\\\.)*)/.exec(regexSource)![1]!;
  const nextCharacter = regexSource[1 + literalText.length] ?? '';
  // A quantifier such as `?` makes the character before it optional, so the literal text ends
  // before that character.
  const certainLiteral = /[?*{+]/.test(nextCharacter) ? literalText.replace(/(\\\.|.)$/, '') : literalText;
  return certainLiteral.replace(/\\\./g, '.');
}

/** The place of a section's tag. */
export function tagPosition({ scope }: SectionEntry): FilePosition {
  return { path: scope.file.path, offset: scope.offset };
}
