/**
 * Where the server's paths are on this machine, as far as the root file's place and its ServerRoot tell.
 *
 * A root that does not lie where its ServerRoot, or its layout, says that it lies is a copy from another machine. Then paths of that machine are looked for in the copy and nowhere
 * else: what this machine has under the same name is somebody else's.
 */
import { baseName, driveOf, isWithin, parentOf, partsOf, resolvePath, unmapped, type PathMap } from './files';

/** What relative paths are below, and where the files are. */
export interface Layout {
  readonly serverRoot: string;
  readonly map: PathMap;
}

/** What is known before any line is read. */
export interface LayoutOptions {
  /** The main file. */
  readonly root: string;
  /** What a person said. */
  readonly serverRoot?: string;
  readonly map?: PathMap;
  /** A path without links. */
  readonly identity: (path: string) => string;
}

/** `/etc/httpd` for `/etc/httpd/conf/httpd.conf`, the file's own folder otherwise: the layouts of httpd itself and of Debian. */
export function guessServerRoot(root: string): string {
  const folder = parentOf(root);
  return folder.endsWith('/conf') ? parentOf(folder) : folder;
}

/** The layout in front of a ServerRoot line. Debian's apache2.conf need not have one: /etc/apache2 is compiled in. */
export function layoutOf(options: LayoutOptions): Layout {
  const { root, serverRoot } = options;
  const map = mapOf(options);
  const guessed = guessServerRoot(root);
  if (isMoved(root, map))
    return { serverRoot: serverRoot ?? guessServerRoot(unmapped(root, map)), map: closed(map.entries, []) };
  if (serverRoot !== undefined) return { serverRoot, map };
  if (root.endsWith('/apache2.conf') && !isOwnPlace(DEBIAN_ROOT, options))
    return { serverRoot: DEBIAN_ROOT, map: copyOf(DEBIAN_ROOT, guessed, options) };
  const image = imageOf(root);
  return {
    serverRoot: guessed,
    map:
      image === null
        ? map
        : closed([...map.entries, { from: image, to: image }, { from: '/etc', to: `${image}/etc` }], [image]),
  };
}

/** The layout behind a ServerRoot line of an absolute path. */
export function layoutAt(line: string, options: LayoutOptions): Layout {
  const { root, serverRoot } = options;
  const map = mapOf(options);
  if (isMoved(root, map)) return { serverRoot: serverRoot ?? line, map: closed(map.entries, []) };
  const isForeign = driveOf(line) !== '' && driveOf(root) === '';
  const isSame =
    serverRoot === line || (isForeign && serverRoot !== undefined && resolvePath('/', serverRoot) === line);
  if (serverRoot !== undefined && !isSame) {
    // The person said where here is what the line names.
    return {
      serverRoot: line,
      map: closed([...map.entries, { from: serverRoot, to: serverRoot }, { from: line, to: serverRoot }], [serverRoot]),
    };
  }
  const isOwn = !isForeign && (serverRoot !== undefined || isOwnPlace(line, options));
  return { serverRoot: line, map: isOwn ? map : copyOf(line, guessServerRoot(root), options) };
}

export interface CopiedInclude {
  /** The path as the server has it. */
  readonly path: string;
  /** What was found where the map so far says that it is. */
  readonly found: readonly string[];
  /** The directory of the main file, as it was named. */
  readonly folder: string;
  readonly map: PathMap;
  /** What a person said of the places of paths. */
  readonly given: PathMap | undefined;
  /** The files that a path of this machine brings in. */
  readonly included: (path: string) => readonly string[];
}

/**
 * The files that an Include brings in, and the map from there on. Where nothing is at an absolute path, and its part from a directory with the name of the main file's on leads to files
 * here, the tree was copied from there: `/etc/apache2/vhosts.d` is `apache2/vhosts.d`, although ServerRoot names neither (Gentoo: /usr/lib/apache2; macOS: /usr).
 */
export function copiedInclude({ path, found, folder, map, given, included }: CopiedInclude): {
  readonly files: readonly string[];
  readonly map: PathMap;
} {
  const same = { files: found, map };
  if (found.length > 0 || (given?.entries.length ?? 0) > 0 || path.startsWith(`${folder}/`)) return same;
  const at = `${path}/`.indexOf(`/${baseName(folder)}/`);
  if (at < 0) return same;
  const end = at + baseName(folder).length + 1;
  const files = included(folder + path.slice(end));
  return files.length === 0
    ? same
    : { files, map: { ...map, entries: [...map.entries, { from: path.slice(0, end), to: folder }] } };
}

// ---------------------------------------------------------------------------------------------------------------------

const NO_MAP: PathMap = { entries: [] };

function mapOf({ root, map = NO_MAP }: LayoutOptions): PathMap {
  return driveOf(root) === '' ? map : { ...map, hasDrives: true };
}

const DEBIAN_ROOT = '/etc/apache2';

/** Whether a person said that the root lies somewhere else on the server. */
function isMoved(root: string, map: PathMap): boolean {
  return map.entries.length > 0 && unmapped(root, map) !== root;
}

/** Where packages put the main file of a server whose ServerRoot is somewhere else: Gentoo's, macOS's, FreeBSD's (httpd.conf.in and pkg-plist of www/apache22 and www/apache24). */
const APART: ReadonlyMap<string, readonly string[]> = new Map([
  ['/etc/apache2', ['/usr/lib/apache2', '/usr/lib64/apache2', '/usr/lib32/apache2', '/usr']],
  ['/private/etc/apache2', ['/usr']],
  ['/usr/local/etc/apache22', ['/usr/local']],
  ['/usr/local/etc/apache24', ['/usr/local']],
]);

/** Whether the root lies at or below its ServerRoot, or this below the root's own directory, or both where a package has them. */
function isOwnPlace(serverRoot: string, { root, identity }: LayoutOptions): boolean {
  const guessed = guessServerRoot(root);
  if (APART.get(guessed)?.includes(serverRoot)) return true;
  return [serverRoot, identity(serverRoot)].some((place) => isWithin(root, place) || isWithin(place, guessed));
}

/**
 * The map of a copy: `/etc/httpd` there is the folder above `conf/` here. Where all of that path stands at the end of the folder's own, the copy is one of the whole file system;
 * below a folder `etc`, paths that begin with /etc are there. The copy's own paths stay what they are.
 */
function copyOf(serverRoot: string, guessed: string, options: LayoutOptions): PathMap {
  const { root } = options;
  const map = mapOf(options);
  const top = driveOf(serverRoot) === '' ? null : topOnDrive(serverRoot, guessed);
  if (top !== null) return closed([...map.entries, { from: top.to, to: top.to }, top], [top.to]);
  const whole = [
    serverRoot,
    ...[...APART]
      .filter(([from, roots]) => roots.includes(serverRoot) && from.startsWith(`${serverRoot}/`))
      .map(([from]) => from),
  ].find((path) => guessed.endsWith(path));
  if (whole !== undefined) {
    const top = guessed.slice(0, -whole.length);
    return closed([...map.entries, { from: top, to: top }, { from: '/', to: top }], [top]);
  }
  const isBelow = [...APART].some(([from, roots]) => roots.includes(serverRoot) && from.startsWith(`${serverRoot}/`));
  const image = isBelow ? null : imageOf(root);
  const etc =
    image === null
      ? []
      : [
          { from: image, to: image },
          { from: '/etc', to: `${image}/etc` },
        ];
  // A ServerRoot that only a package has tells where its main file was.
  const places =
    image === null ? [...APART].filter(([, roots]) => roots.includes(serverRoot)).map(([from]) => from) : [];
  const same = places.filter((from) => baseName(from) === baseName(guessed));
  const apart = (same.length > 0 ? same : places).map((from) => ({ from, to: guessed }));
  return closed(
    [...map.entries, { from: guessed, to: guessed }, ...apart, { from: serverRoot, to: guessed }, ...etc],
    [guessed, ...(image === null ? [] : [image])],
  );
}

/**
 * Where a copy has all of the path of a ServerRoot on a drive but the drive, its directory at the top of the drive is here: `C:/xampp` is `/x/xampp` for `C:/xampp/apache` in `/x/xampp/apache`.
 */
function topOnDrive(serverRoot: string, guessed: string): { readonly from: string; readonly to: string } | null {
  const tail = partsOf(serverRoot).slice(1);
  const here = guessed.split('/');
  if (tail.length === 0 || here.slice(-tail.length).join('/').toLowerCase() !== tail.join('/')) return null;
  return {
    from: serverRoot.split('/').slice(0, 2).join('/'),
    to: here.slice(0, here.length - tail.length + 1).join('/'),
  };
}

/** `/x` for `/x/etc/httpd/conf/httpd.conf`; null where there is no such folder, or `etc` is the machine's own. */
function imageOf(root: string): string | null {
  return /^(.+)\/etc\//.exec(root)?.[1] ?? null;
}

function closed(entries: PathMap['entries'], within: readonly string[]): PathMap {
  return { entries, within: [...new Set([...within, ...entries.map(({ to }) => to)])] };
}
