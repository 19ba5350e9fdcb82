/**
 * Restricts access to files below some folders. Files outside are not read and not listed: they
 * count as missing. A link that leads outside is known to be a link, but its target is not read.
 */
import type { FileView } from '../config/files';
import type { Tree } from '../syntax/document';
import type { FileContent, Host } from './host';

/**
 * The folders that may be read, as paths without a slash at the end. Null: everything may be read.
 */
export type ReadableFolders = readonly string[] | null;

/**
 * A view that shows only files below these folders. `openTree` returns the tree of a file that is
 * open in the editor: such a file may be read wherever it is.
 */
export function restrictedView<View extends FileView>(
  view: View,
  readableFolders: ReadableFolders,
  openTree: (path: string) => Tree | null = () => null,
): View {
  if (readableFolders === null) return view;
  const isInside = insideTest(readableFolders.flatMap((folder) => [folder, view.realPath(folder)]));
  // Both the path and the path with links resolved must be inside one of the folders.
  const isTargetInside = (path: string) => isInside(path) && isInside(view.realPath(path));
  const { findChangedPaths } = view;
  const openTreesOutside = new Map<string, Tree | null>();
  const openTreeOutside = (path: string) => {
    const tree = openTree(path);
    openTreesOutside.set(path, tree);
    return tree;
  };
  return {
    ...view,
    read: (path) => (isTargetInside(path) ? view.read(path) : openTreeOutside(path)),
    ...(findChangedPaths && {
      *findChangedPaths(now: typeof openTree) {
        const changedInside = yield* findChangedPaths.call(view, now);
        return [
          ...changedInside,
          ...[...openTreesOutside].flatMap(([path, tree]) => (now(path)?.text() === tree?.text() ? [] : [path])),
        ];
      },
    }),
    list: (path) => (isTargetInside(path) ? view.list(path) : null),
    kind: (path) => (isInside(path) ? view.kind(path) : null),
    realPath: (path) => (isInside(path) ? view.realPath(path) : path),
    ...(view.mode && { mode: (path: string) => (isTargetInside(path) ? view.mode!(path) : null) }),
    ...(view.link && { link: (path: string) => (isInside(path) ? view.link!(path) : null) }),
  };
}

/**
 * A host that reads only files below the folders that `readableFolders()` returns at each call. A
 * host whose files have no paths is returned as it is.
 */
export function restrictedHost(host: Host, readableFolders: () => ReadableFolders): Host {
  const { fileView, readNow, pathOf } = host;
  if (!fileView || !pathOf || !readNow) return host;
  let cachedView: FileView | undefined;
  // The view is made at its first use, so that other calls work even if the host cannot make it.
  const view = () => (cachedView ??= fileView(() => null));
  // `real`: the path with links resolved must be inside, too.
  const isInside = (uri: string, testedPath: 'given' | 'real'): boolean => {
    const folders = readableFolders();
    if (folders === null) return true;
    const path = pathOf(uri);
    if (path === null) return false;
    const isInFolders = insideTest(folders.flatMap((folder) => [folder, view().realPath(folder)]));
    return isInFolders(path) && (testedPath === 'given' || isInFolders(fileView(() => null).realPath(path)));
  };
  return {
    ...host,
    fileView: (open) => restrictedView(fileView(open), readableFolders(), open),
    readFile: async (uri) => (isInside(uri, 'real') ? host.readFile(uri) : OUTSIDE_PROBLEM),
    readNow: (uri) => (isInside(uri, 'real') ? readNow(uri) : OUTSIDE_PROBLEM),
    status: async (uri) => (isInside(uri, 'given') ? host.status(uri) : null),
    ...(host.linkTarget && {
      linkTarget: async (uri: string) => (isInside(uri, 'given') ? host.linkTarget!(uri) : null),
    }),
    list: async (uri) => (isInside(uri, 'real') ? host.list(uri) : null),
    findFiles(searchedFolders, isCancelled, onFile, _mayEnter, onLink) {
      const folders = readableFolders();
      return host.findFiles(
        searchedFolders,
        isCancelled,
        onFile,
        folders === null ? undefined : insideTest(folders.flatMap((folder) => [folder, view().realPath(folder)])),
        onLink,
      );
    },
  };
}

/** Returns a function that tests whether a path is one of the folders or below one. */
export function insideTest(folders: readonly string[]): (path: string) => boolean {
  const folderPrefixes = folders.map((folder) => `${comparablePath(folder)}/`.replace(/(?<!\/)\/+$/, '/'));
  return (path) => folderPrefixes.some((start) => `${comparablePath(path)}/`.startsWith(start));
}

// ---------------------------------------------------------------------------------------------------------------------

const OUTSIDE_PROBLEM: FileContent = {
  problem: { code: 'denied', message: 'is outside of the trusted workspace' },
};

/**
 * Returns the path in a form that can be compared: Windows accepts both slashes and ignores case.
 */
function comparablePath(path: string): string {
  return process.platform === 'win32' ? path.replace(/\\/g, '/').toLowerCase() : path;
}
