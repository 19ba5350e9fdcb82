/** Where the server's paths are on this machine, as far as the root file's place and its ServerRoot tell. */
import { resolvePath, type PathMap } from './files';

/** `/etc/httpd` for `/etc/httpd/conf/httpd.conf`, the file's own folder otherwise: the layouts of httpd itself and of Debian. */
export function guessServerRoot(root: string): string {
  const folder = resolvePath(root, '..');
  return folder.endsWith('/conf') ? resolvePath(folder, '..') : folder;
}

/**
 * A tree that was copied from another machine: `/etc/httpd` there is the folder above `conf/` here, and so on for all paths. null
 * where ServerRoot is this machine's own, or a folder of the tree itself.
 */
function guessedMap(serverRoot: string, guessed: string, root: string): PathMap | null {
  if (serverRoot === guessed || root.startsWith(`${serverRoot}/`) || serverRoot.startsWith(`${guessed}/`)) return null;
  const entries = [{ from: serverRoot, to: guessed }];
  if (guessed.endsWith(serverRoot)) entries.push({ from: '/', to: guessed.slice(0, -serverRoot.length) });
  const copied = /^(.+)\/etc\//.exec(root);
  if (copied) entries.push({ from: '/etc', to: `${copied[1]}/etc` });
  return { entries };
}

/** The map where a ServerRoot line stands. One that names this place says that the machine is this one: its `/` is the one here. */
export function mapAt(serverRoot: string, guessed: string, root: string, before: PathMap): PathMap {
  return guessedMap(serverRoot, guessed, root) ?? { entries: before.entries.filter(({ from }) => from !== '/') };
}

/**
 * What the root file's own path tells: below a folder `etc` that is not the machine's, paths that begin with /etc are there. And Debian's
 * apache2.conf need not say ServerRoot: /etc/apache2 is compiled in.
 */
export function mapOfRoot(root: string): PathMap {
  const copied = /^(.+)\/etc\//.exec(root);
  const debian = root.endsWith('/apache2.conf') ? guessedMap(DEBIAN_ROOT, guessServerRoot(root), root)?.entries ?? [] : [];
  return { entries: [...debian, ...(copied ? [{ from: '/etc', to: `${copied[1]}/etc` }] : [])] };
}

const DEBIAN_ROOT = '/etc/apache2';
