/**
 * Lists the sections of a server in the order of the text, each with the directories, files or URLs
 * to which it applies.
 */
import type { Configuration, Scope } from '../config/configuration';
import { driveOf, hasWildcard, isAbsolute, pathComponents, resolvePath, withoutQuotes } from '../config/files';
import { lazy } from '../syntax/memory';
import { activitiesAfterRemoval, type RemovedConditions } from './one-version';
import { isAccessLine } from './read';
import { NO_ACCESS, type SectionAccess } from './section-access';
import {
  asDeepestPath,
  isDriveless,
  isRelative,
  literalPrefixOfRegex,
  namesOfRelativePath,
  type SectionEntry,
  type Stage,
} from './section-order';

/** A .htaccess file that the server reads. */
export interface HtaccessFile {
  readonly scope: Scope;
  /** The words of AllowOverride that apply to the file. Null if they are unknown. */
  readonly overrideWords: readonly string[] | null;
  /**
   * The virtual hosts that read the file. `all` or absent: every server reads it. Null if it is
   * unknown which hosts read it.
   */
  readonly readingHosts?: 'all' | readonly Scope[] | null;
}

/** A configuration with its .htaccess files. */
export interface ServerFiles {
  readonly configuration: Configuration;
  readonly htaccess: readonly HtaccessFile[];
}

/**
 * Calls `visit` for each scope of the configuration, and then for each scope of the .htaccess
 * files.
 */
export function forEachScope({ configuration, htaccess }: ServerFiles, visit: (scope: Scope) => void): void {
  const walk = (scope: Scope): void => {
    visit(scope);
    const { children } = scope;
    for (let i = 0; i < children.length; i++) walk(children[i]!);
  };
  walk(configuration.rootScope);
  htaccess.forEach(({ scope }) => walk(scope));
}

/** Whether the server runs on Windows. It does if a path has a drive letter. */
export function usesWindowsPaths(files: ServerFiles): boolean {
  let hasDriveLetter = driveOf(files.configuration.serverRoot) !== '';
  forEachScope(files, ({ kind, words, folder }) => {
    if (kind === 'htaccess') hasDriveLetter ||= driveOf(folder!) !== '';
    if (kind === 'directory') hasDriveLetter ||= driveOf(words[0] ?? '') !== '';
  });
  return hasDriveLetter;
}

/**
 * The virtual hosts that read a .htaccess file; null in the list stands for every server. In each
 * of these hosts, the file applies like a section of the host.
 */
export function hostsReading({ readingHosts = 'all' }: HtaccessFile): readonly (Scope | null)[] {
  return readingHosts === 'all' || readingHosts === null ? EVERY_SERVER : readingHosts;
}

/**
 * Lists all sections in the order of the text. `readAccess` reads the access lines of a section.
 */
export function listSections(
  files: ServerFiles,
  isOnWindows: boolean,
  removedConditions: RemovedConditions,
  readAccess: (entry: SectionEntry) => SectionAccess,
): SectionEntry[] {
  const entries: SectionEntry[] = [];
  const directories = lazy(() => absoluteDirectories(files));
  // A section with a relative path is certainly the innermost one only if the path of no other
  // directory in the configuration can contain its path.
  const isInnermost = (partsBelowServerRoot: readonly string[]) => {
    const relativePath = `/${partsBelowServerRoot.join('/')}/`;
    return !directories().some((directory) => directory === null || directory.includes(relativePath));
  };
  const scopesWithUnknownReaders = new Set(
    files.htaccess.flatMap(({ scope, readingHosts }) => (readingHosts === null ? [scope] : [])),
  );
  const collect = (scope: Scope, host: Scope | null, parent: SectionEntry | null): void => {
    const requestsOfSection = requestsOf(scope, isOnWindows, isInnermost);
    let newEntry: SectionEntry | null = null;
    if (requestsOfSection !== null) {
      const { stage, isRegex, pattern, prefix, pathParts } = requestsOfSection;
      const readBy = activitiesAfterRemoval(scope, removedConditions);
      newEntry = {
        scope,
        host,
        parent,
        isOnWindows,
        orderNumber: entries.length,
        mayBeSkippedIn22: readBy.in22 === 'unknown' || scopesWithUnknownReaders.has(scope),
        readBy,
        stage,
        isHtaccess: scope.kind === 'htaccess',
        isRegex,
        pathParts,
        prefix,
        pattern,
        isPattern: stage === 'directory' && (hasWildcard(prefix) || pathParts.some(hasWildcard)),
        ownAccess: NO_ACCESS,
      };
      newEntry.ownAccess = readAccess(newEntry);
      entries.push(newEntry);
    }
    const innerHost = scope.kind === 'virtualhost' ? scope : host;
    const { children } = scope;
    for (let i = 0; i < children.length; i++) collect(children[i]!, innerHost, newEntry ?? parent);
  };
  collect(files.configuration.rootScope, null, null);
  for (const each of files.htaccess) for (const host of hostsReading(each)) collect(each.scope, host, null);
  return entries;
}

// ---------------------------------------------------------------------------------------------------------------------

const EVERY_SERVER: readonly null[] = [null];
const NO_PARTS: readonly string[] = [];

/**
 * The requests to which a section applies, without the restrictions of the sections around it.
 * `SectionEntry` explains the fields.
 */
interface RequestsOfSection {
  readonly stage: Stage;
  readonly isRegex: boolean;
  readonly pattern: string;
  readonly prefix: string;
  readonly pathParts: readonly string[];
}

/**
 * Returns the requests to which a section applies. Null if the scope is the main server, or if it
 * is for neither directories, files nor URLs and has no access lines.
 */
function requestsOf(
  scope: Scope,
  isOnWindows: boolean,
  isInnermost: (partsBelowServerRoot: readonly string[]) => boolean,
): RequestsOfSection | null {
  const { kind, words } = scope;
  const isTilde = words[0] === '~';
  const argument = (isTilde ? words[1] : words[0]) ?? '';
  // An unknown path may be any folder.
  const isPathUnknown = () => argument.includes('${') || isDriveless(scope, isOnWindows) || isRelative(scope);
  switch (kind) {
    case 'server':
      return null;
    case 'htaccess':
      return requestsToDirectory(scope.folder!);
    case 'directory': {
      const partsBelowServerRoot = isTilde ? null : namesOfRelativePath(argument);
      if (partsBelowServerRoot !== null && isInnermost(partsBelowServerRoot))
        return {
          stage: 'directory',
          isRegex: false,
          pattern: '',
          prefix: '',
          pathParts: asDeepestPath(partsBelowServerRoot),
        };
      if (isPathUnknown()) return requestsAnywhere('directorymatch', argument);
      return isTilde
        ? requestsWithPrefix('directorymatch', argument)
        : requestsToDirectory(resolvePath('/', isOnWindows ? argument : withoutQuotes(argument)));
    }
    case 'directorymatch':
      return isPathUnknown()
        ? requestsAnywhere('directorymatch', argument)
        : requestsWithPrefix('directorymatch', argument);
    case 'files':
      return { ...requestsAnywhere('files', argument), isRegex: isTilde || isPathUnknown() };
    case 'filesmatch':
      return requestsAnywhere('files', argument);
    case 'location':
      if (isPathUnknown()) return requestsAnywhere('location', argument);
      if (isTilde) return requestsWithPrefix('location', argument);
      return {
        stage: 'location',
        isRegex: hasWildcard(argument),
        pattern: argument,
        // Beside a wildcard, a backslash quotes the next character.
        prefix: hasWildcard(argument) ? argument.replace(/[*?[\\].*/, '') : argument,
        pathParts: NO_PARTS,
      };
    case 'locationmatch':
      return isPathUnknown() ? requestsAnywhere('location', argument) : requestsWithPrefix('location', argument);
    case 'proxy':
    case 'proxymatch':
      return requestsAnywhere('proxy', argument);
    default:
      // httpd may apply the lines of a virtual host, or of a section of another kind, to any
      // request for that host.
      return hasAccessLines(scope) ? requestsAnywhere('location', kind) : null;
  }
}

/** The requests to which a `<Directory>` or .htaccess file applies. */
function requestsToDirectory(path: string): RequestsOfSection {
  return { stage: 'directory', isRegex: false, pattern: '', prefix: path, pathParts: pathComponents(path) };
}

/** The requests to which a section applies if its regular expression may match anywhere. */
function requestsAnywhere(stage: Stage, pattern: string): RequestsOfSection {
  return { stage, isRegex: true, pattern, prefix: '', pathParts: NO_PARTS };
}

/**
 * The requests to which a section applies if all matches of its pattern begin with the same text.
 */
function requestsWithPrefix(stage: Stage, pattern: string): RequestsOfSection {
  return { stage, isRegex: true, pattern, prefix: literalPrefixOfRegex(pattern), pathParts: NO_PARTS };
}

function hasAccessLines({ lines }: Scope): boolean {
  for (let i = 0; i < lines.length; i++) if (isAccessLine(lines[i]!) || lines[i]!.line.name === 'authtype') return true;
  return false;
}

/**
 * The absolute directories of sections and .htaccess files, in lower case, with a slash at both
 * ends. Null stands for a pattern or an unknown path.
 */
function absoluteDirectories(files: ServerFiles): readonly (string | null)[] {
  const directories: (string | null)[] = [];
  forEachScope(files, ({ kind, words, folder }) => {
    if ((kind !== 'directory' && kind !== 'htaccess') || words[0] === '~') return;
    const directoryPath = kind === 'htaccess' ? folder! : (words[0] ?? '');
    if (namesOfRelativePath(directoryPath) !== null) return;
    const isUnknown = kind === 'directory' && (/[*?[~$]/.test(directoryPath) || !isAbsolute(directoryPath));
    directories.push(isUnknown ? null : `/${resolvePath('/', directoryPath).toLowerCase()}/`);
  });
  return directories;
}
