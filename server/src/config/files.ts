/**
 * The files of a configuration as the evaluation sees them: by absolute paths with forward slashes, as trees. Handed in
 * from above, because only a host can read; synchronous, because the evaluation is.
 */
import type { Tree } from '../syntax/document';
import { cacheOf } from '../syntax/memory';
import type { Steps } from './resumable';

export interface FileView {
  /** The parsed file, or null where it is missing, unreadable or no text. */
  read(path: string): Tree | null;
  /** Names in a folder, or null where it is none. */
  list(path: string): readonly string[] | null;
  /** What a path is, links followed. */
  kind(path: string): 'file' | 'folder' | null;
  /** The path without links: the same for all names of a file. */
  identity(path: string): string;
  /** What a symbolic link names, as it is written; null for what is no link. Left out where nobody can tell. */
  link?(path: string): string | null;
  /** Whether a file that was read is not UTF-8: names in it that are not ASCII are other bytes than those of files whose names look alike. */
  isOtherEncoding?(path: string): boolean;
  /** The paths of which the view would say something else by now, of those that were asked for. `open` gives what an editor has open now. Left out where nobody can tell. */
  stale?(open: (path: string) => Tree | null): Steps<readonly string[]>;
}

export interface MapEntry {
  readonly from: string;
  readonly to: string;
  /** A directory that nothing below `to` leads out of, links followed: what does is nowhere. Of settings that come with the files. */
  readonly stays?: string;
}

/** How paths in a configuration map to where the files are: for trees that were copied from another machine. */
export interface PathMap {
  /** The first entry whose `from` is a leading path of what is asked applies. No slash at the end. */
  readonly entries: readonly MapEntry[];
  /** Of a copy: its files lie below these directories. What no entry names, and what a link leads to elsewhere, is nowhere. */
  readonly within?: readonly string[];
  /** Whether this machine's own paths have drives, as on Windows. */
  readonly hasDrives?: boolean;
}

export function mapped(path: string, map: PathMap): string {
  for (const { from, to } of map.entries) {
    const rest = restBelow(path, from);
    if (rest !== null) return rest === '' ? to : joined(to, rest);
  }
  // A path of Windows names nothing on another machine.
  const isForeign = driveOf(path) !== '' && map.hasDrives !== true;
  return map.within || isForeign ? joined(NOWHERE, path.replace(/^\//, '')) : path;
}

/** Nothing can lie below a device. */
const NOWHERE = '/dev/null';

/**
 * The same, as the files here are spelled: on Windows a path leads to a file in whatever case it is written, and httpd goes on with the name that the file has
 * (APR_FILEPATH_TRUENAME; apr_filepath_merge in file_io/win32/filepath.c of APR).
 */
export function mappedHere(path: string, map: PathMap, view: Pick<FileView, 'kind' | 'list'>): string {
  const here = mapped(path, map);
  if (driveOf(path) === '' || here.startsWith(`${NOWHERE}/`) || view.kind(here) !== null) return here;
  const parts = here.split('/');
  let known = parts.length - 1;
  while (known > 1 && view.kind(parts.slice(0, known).join('/')) !== 'folder') known--;
  let folder = parts.slice(0, known).join('/');
  for (; known < parts.length; known++) {
    const wanted = parts[known]!.toLowerCase();
    const name = view.list(folder === '' ? '/' : folder)?.find((each) => each.toLowerCase() === wanted);
    if (name === undefined) break;
    folder += `/${name}`;
  }
  return [folder, ...parts.slice(known)].join('/');
}

/**
 * The files of a copy: those of the machine around it are not there, whatever path or link leads to them. A link there names a path of the server: one to `/etc/apache2/sites-available/shop`
 * leads to the file of the copy.
 */
export function viewWithin<View extends Pick<FileView, 'identity' | 'list'>>(view: View & Viewed, map: PathMap): View {
  const { within } = map;
  const bound = map.entries.flatMap(({ to, stays }) => (stays === undefined ? [] : [{ to, stays }]));
  if (!within) return bound.length > 0 ? viewBound(view, bound) : view;
  const tops = within.map((top) => view.identity(top));
  const isIn = (path: string): boolean => {
    const identity = view.identity(path);
    if (leavesBounds(path, identity, bound, view)) return false;
    return tops.some((top) => identity === top || identity.startsWith(top === '/' ? '/' : `${top}/`));
  };
  const { kind, link } = view;
  const leadsTo = (path: string): string => {
    if (!kind || !link || within.length === 0) return path;
    let at = path;
    for (let count = 0; count < MOST_LINKS; count++) {
      if (isIn(at) && kind.call(view, at) !== null) return at;
      const next = behindLink(at, [...within, ...tops], (each) => link.call(view, each), map);
      if (next === null) return path;
      at = next;
    }
    return path;
  };
  return {
    ...onlyWhere(view, (path) => {
      const at = leadsTo(path);
      return isIn(at) ? at : null;
    }),
    identity: (path: string) => view.identity(leadsTo(path)),
  };
}

type Viewed = Pick<FileView, 'identity' | 'list'> &
  Partial<Pick<FileView, 'kind' | 'read' | 'link'>> & {
    readonly content?: (path: string) => string | null;
    readonly digest?: (path: string) => unknown;
    readonly included?: (path: string) => readonly string[];
  };

/** A view that asks of another path, or that has nothing there (null). */
function onlyWhere<View extends Pick<FileView, 'identity' | 'list'>>(
  view: View & Viewed,
  placeOf: (path: string) => string | null,
): View {
  const only =
    <Answer>(ask: (path: string) => Answer) =>
    (path: string): Answer | null => {
      const at = placeOf(path);
      return at === null ? null : ask(at);
    };
  const seen = {
    list: only((path) => view.list(path)),
    ...(view.kind && { kind: only((path) => view.kind!(path)) }),
  };
  return {
    ...view,
    ...seen,
    ...(view.content && { content: only((path) => view.content!(path)) }),
    ...(view.digest && { digest: only((path) => view.digest!(path)) }),
    ...(view.included && { included: (path: string) => includedFiles(path, { kind: () => null, ...seen }) }),
    ...(view.read && { read: only((path) => view.read!(path)) }),
  };
}

type Bound = readonly { readonly to: string; readonly stays: string }[];

/** A view in which nothing leads out of the directories that settings are bound to. */
function viewBound<View extends Pick<FileView, 'identity' | 'list'>>(view: View & Viewed, bound: Bound): View {
  return onlyWhere(view, (path) => (leavesBounds(path, view.identity(path), bound, view) ? null : path));
}

function leavesBounds(path: string, identity: string, bound: Bound, view: Pick<FileView, 'identity'>): boolean {
  return bound.some(
    ({ to, stays }) => isWithin(path, to) && !isWithin(identity, stays) && !isWithin(identity, view.identity(stays)),
  );
}

/**
 * Whether a place that a setting names lies in the directory of the settings, links followed as far as it exists. It is written with `/`, or as on Windows. Without `view`
 * the text alone decides.
 */
export function staysBelow(place: string, folder: string, view?: Pick<FileView, 'identity'>): boolean {
  // An address, a drive by itself, a share: none of them is a path below a directory.
  if (place.includes('\0') || (/^[\w+.-]+:/.test(place) && !isAbsolute(place)) || /^[\\/]{2}/.test(place)) return false;
  if (driveOf(place) === '' && driveOf(folder) === '' && place.split(/[\\/]/).reduce(depthAfter, 0) < 0) return false;
  const path = resolvePath(folder, place);
  if (!isWithin(path, folder)) return false;
  if (!view) return true;
  // The nearest that exists: what does not is its own identity.
  for (let at = path; at !== folder && at !== parentOf(at); at = parentOf(at)) {
    const identity = view.identity(at);
    if (identity !== at) return isWithin(identity, folder) || isWithin(identity, view.identity(folder));
  }
  return true;
}

/**
 * What binds a ServerRoot that a setting names: where it lies below none of these folders, and no entry says where it is here, nothing of it is read that leads out of the
 * first. Entries to be added to the map.
 */
export function boundRoot(
  serverRoot: string,
  folders: readonly string[],
  map: PathMap,
  view?: Pick<FileView, 'identity'>,
): MapEntry[] {
  const [stays] = folders;
  if (stays === undefined || !isAbsolute(serverRoot) || mapped(serverRoot, map) !== serverRoot) return [];
  if (folders.some((folder) => staysBelow(serverRoot, folder, view))) return [];
  return [{ from: serverRoot, to: serverRoot, stays }];
}

/** How deep a path is below where it begins; it stays negative once it was above. */
function depthAfter(depth: number, part: string): number {
  if (depth < 0) return depth;
  return part === '..' ? depth - 1 : part === '' || part === '.' ? depth : depth + 1;
}

/** As many as Linux follows (path_resolution(7)). */
const MOST_LINKS = 40;

/** Where a path leads to behind the first link in it below one of some directories, by the names of a copy; null where there is none. */
function behindLink(
  path: string,
  tops: readonly string[],
  link: (path: string) => string | null,
  map: PathMap,
): string | null {
  const at = firstLink(path, tops, link);
  if (at === null) return null;
  const target = link(at)!;
  // A `..` behind a directory that is a link itself leads out of what that one names: the text alone does not tell where to.
  for (const { index } of target.matchAll(/\/\.\.(?=\/|$)/g)) {
    const named = target.slice(0, index);
    if (/^[./]*$/.test(named)) continue;
    const folder = linkTarget(at, named, map);
    if (!tops.some((top) => isWithin(folder, top)) || firstLink(folder, tops, link) !== null) return null;
  }
  return linkTarget(at, target, map) + path.slice(at.length);
}

/** The first link in a path below one of some directories; null where there is none. */
function firstLink(path: string, tops: readonly string[], link: (path: string) => string | null): string | null {
  const top = tops.find((each) => path.startsWith(`${each}/`));
  if (top === undefined) return null;
  for (let end = path.indexOf('/', top.length + 1); ; end = path.indexOf('/', end + 1)) {
    const at = end < 0 ? path : path.slice(0, end);
    if (link(at) !== null) return at;
    if (end < 0) return null;
  }
}

/** The path that a link of a copy names there. */
export function linkTarget(link: string, target: string, map: PathMap): string {
  return target.startsWith('/') ? mapped(resolvePath('/', target), map) : resolvePath(parentOf(link), target);
}

/** How the configuration names a path of this machine: the other way round. */
export function unmapped(here: string, map: PathMap): string {
  for (const { from, to } of map.entries) {
    // That a copy's own paths stay what they are is no name for them.
    if (from === to) continue;
    if (here === to) return from;
    if (here.startsWith(`${to}/`)) return joined(from, here.slice(to.length + 1));
  }
  return here;
}

/** Whether a path of the configuration is absolute, on Unix or on Windows (`C:/Apache24`). */
export function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path);
}

/** `C:` for `c:\\Apache24` and all that lies on that drive; '' for what has no drive. The letter is in upper case, as httpd has it. */
export function driveOf(path: string): string {
  return path.charCodeAt(1) === COLON && /^[A-Za-z]:([\\/]|$)/.test(path) ? `${path[0]!.toUpperCase()}:` : '';
}

const COLON = 58;

/**
 * Joins a path to the folder it is relative to, and takes out `.`, `..` and double slashes. A path of Windows comes out as `C:/Apache24/conf`, whatever slashes it has;
 * what begins with a slash lies on the drive of the folder (apr_filepath_merge in file_io/win32/filepath.c of APR).
 */
export function resolvePath(base: string, path: string): string {
  const own = driveOf(path);
  const drive = own === '' ? driveOf(base) : own;
  if (drive !== '') return onDrive(drive, base, own === '' ? path : path.slice(own.length));
  if (isPlain(path)) return path;
  return `/${walked(path.startsWith('/') ? path : `${base}/${path}`)}`;
}

function onDrive(drive: string, base: string, path: string): string {
  const slashed = path.replaceAll('\\', '/');
  // A share of another machine lies on no drive.
  if (slashed.startsWith('//')) return `/${walked(slashed)}`;
  const isRooted = slashed.startsWith('/') || driveOf(base) !== drive;
  return `${drive}/${walked(isRooted ? slashed : `${base.slice(drive.length).replaceAll('\\', '/')}/${slashed}`)}`;
}

function walked(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}

/** What a path has behind a directory, without the slash; null where it does not lie in it. The case of what lies on a drive does not matter. */
function restBelow(path: string, directory: string): string | null {
  if (path.length < directory.length) return null;
  const isBlind = driveOf(directory) !== '';
  const head = path.slice(0, directory.length);
  if (isBlind ? head.toLowerCase() !== directory.toLowerCase() : head !== directory) return null;
  const rest = path.slice(directory.length);
  if (rest === '' || directory.endsWith('/')) return rest;
  return rest.startsWith('/') ? rest.slice(1) : null;
}

/** Whether a path is a directory's, or lies below it. */
export function isWithin(path: string, directory: string): boolean {
  return restBelow(path, directory) !== null;
}

/** What lies in a directory under a name. */
export function joined(directory: string, name: string): string {
  return directory.endsWith('/') ? directory + name : `${directory}/${name}`;
}

/** The directories around one, the root first; nothing is around a root. */
export function foldersAround(folder: string): string[] {
  const around = parentOf(folder);
  return around === folder ? [] : [...foldersAround(around), around];
}

/** The components of a path of the server, as they are compared: those on a drive without regard to case. */
export function partsOf(path: string): string[] {
  if (isPlain(path)) return path.length === 1 ? [] : path.slice(1).split('/');
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return driveOf(path) === '' ? parts : parts.map((part) => part.toLowerCase());
}

/** The path that has these components. */
export function pathOfParts(parts: readonly string[]): string {
  const path = parts.join('/');
  if (driveOf(path) === '') return `/${path}`;
  return parts.length === 1 ? `${path}/` : path;
}

/** Whether it is absolute, and has nothing in it that goes another way. */
function isPlain(path: string): boolean {
  return (
    path.startsWith('/') && !path.includes('//') && !path.includes('/.') && (path.length === 1 || !path.endsWith('/'))
  );
}

export function parentOf(path: string): string {
  return resolvePath(path, '..');
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Deepest nesting of includes and of wildcards; AP_MAX_INCLUDE_DEPTH and AP_MAX_INCLUDE_DIR_DEPTH of server/config.c. */
export const MAX_INCLUDE_DEPTH = 128;

/** Most files one Include may bring in here: httpd has no limit, but somebody's `Include /` must end. */
export const MAX_FILES = 20_000;

/** Names in directories that one Include may look at: a link to `/` in the tree of a configuration must end. */
export const MAX_NAMES = 50_000;

const incomplete = cacheOf<readonly string[], true>();

/** Whether `includedFiles` ended before it had seen all directories. */
export function isIncomplete(files: readonly string[]): boolean {
  return incomplete.has(files);
}

/**
 * The files that `Include` brings in, in httpd's order: a folder with everything below it, a wildcard in any component, each folder's
 * names by byte value, wildcards never matching a leading dot (docs/how-httpd-reads.md, "Includes").
 */
export function includedFiles(path: string, view: Pick<FileView, 'kind' | 'list'>): string[] {
  const found: string[] = [];
  let names = 0;
  const namesIn = (folder: string): readonly string[] => {
    const list = view.list(folder) ?? [];
    names += list.length + 1;
    return sorted(list);
  };
  const isOver = (): boolean => {
    const isOver = names >= MAX_NAMES || found.length >= MAX_FILES;
    if (isOver) incomplete.set(found, true);
    return isOver;
  };
  const enter = (current: string, depth: number): void => {
    if (depth > MAX_INCLUDE_DEPTH || isOver()) return;
    const kind = view.kind(current);
    // A name that is listed and leads nowhere, or to no regular file, is what httpd stops at: whoever reads it will see.
    if (kind === 'file' || (kind === null && depth > 0)) found.push(current);
    if (kind !== 'folder') return;
    for (const name of namesIn(current)) enter(`${current === '/' ? '' : current}/${name}`, depth + 1);
  };
  const match = (folder: string, parts: readonly string[], depth: number): void => {
    if (depth > MAX_INCLUDE_DEPTH || isOver()) return;
    const [part = '', ...rest] = parts;
    if (!hasWildcard(part)) {
      const next = `${folder}/${part}`;
      if (rest.length > 0) match(next, rest, depth + 1);
      else enter(next, 0);
      return;
    }
    const pattern = globPattern(part);
    for (const name of namesIn(folder === '' ? '/' : folder)) {
      if (!pattern.test(name) || (name.startsWith('.') && !part.startsWith('.'))) continue;
      const next = `${folder}/${name}`;
      if (rest.length === 0) enter(next, depth + 1);
      // What is in a folder that cannot be read, nobody here knows: it stands for itself, as something that whoever reads it will miss.
      else if (view.kind(next) === 'folder') {
        if (view.list(next) === null) found.push(next);
        else match(next, rest, depth + 1);
      }
    }
  };
  if (hasWildcard(path)) match('', path.split('/').filter(Boolean), 0);
  else enter(path, 0);
  return found;
}

/** What is other bytes in a file that is not UTF-8. */
export function isMoreThanAscii(text: string): boolean {
  return /[^\0-\x7f]/.test(text);
}

export function hasWildcard(text: string): boolean {
  return /[*?[]/.test(text);
}

/**
 * The directory in which the first wildcard of a path is looked for, without the slash at its end: `/etc/httpd` for
 * `/etc/httpd/*.d/a`, '' for the root and for a path that is relative. The whole path where there is none.
 */
export function wildcardFolder(path: string): string {
  const wildcard = path.search(/[*?[]/);
  return wildcard < 0 ? path : path.slice(0, Math.max(0, path.lastIndexOf('/', wildcard)));
}

/** What a wildcard matches. */
export interface Glob {
  test(name: string): boolean;
}

/**
 * apr_fnmatch of one component: `*`, `?`, `[…]` with ranges and `!` or `^`, backslash quotes. No regular expression, because one with many
 * stars takes exponential time where it does not match: here a star that has matched is never tried again once a later one has.
 */
export function globPattern(glob: string): Glob {
  const tokens = globTokens(glob);
  return { test: (name) => tokens !== null && matchesGlob(tokens, name) };
}

/** A star, or what one UTF-16 unit has to be. */
type GlobToken = '*' | ((unit: string) => boolean);

/** null for a glob that matches nothing, such as one with a range that runs backwards. */
function globTokens(glob: string): GlobToken[] | null {
  const tokens: GlobToken[] = [];
  const literal = (unit: string) => tokens.push((given) => given === unit);
  for (let i = 0; i < glob.length; i++) {
    const character = glob[i]!;
    if (character === '*') {
      if (tokens[tokens.length - 1] !== '*') tokens.push('*');
    } else if (character === '?') tokens.push((unit) => unit !== '/');
    else if (character === '[') {
      const end = glob.indexOf(']', i + (/[!^]/.test(glob[i + 1] ?? '') ? 3 : 2));
      if (end < 0) {
        literal('[');
        continue;
      }
      const set = setOf(
        glob
          .slice(i + 1, end)
          .replace(/^[!^]/, '^')
          .replace(/[\\\]]/g, '\\$&'),
      );
      if (set === null) return null;
      tokens.push((unit) => set.test(unit));
      i = end;
    } else if (character === '\\' && i + 1 < glob.length) literal(glob[++i]!);
    else literal(character);
  }
  return tokens;
}

function setOf(body: string): RegExp | null {
  try {
    return new RegExp(`^[${body}]$`);
  } catch {
    return null;
  }
}

function matchesGlob(tokens: readonly GlobToken[], name: string): boolean {
  let token = 0;
  let star = -1;
  let from = 0;
  for (let at = 0; at < name.length; ) {
    const expected = tokens[token];
    if (expected === '*') {
      star = token++;
      from = at;
    } else if (expected !== undefined && expected(name[at]!)) {
      token++;
      at++;
    } else if (star >= 0 && name[from] !== '/') {
      // The last star takes one more; those before it have all that they need.
      token = star + 1;
      at = ++from;
    } else return false;
  }
  while (tokens[token] === '*') token++;
  return token === tokens.length;
}

function sorted(names: readonly string[]): string[] {
  return [...names].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
