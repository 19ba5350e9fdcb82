/** Paths of the server: its document root, and whether a directory is in this copy. */
import type { ConfigLine } from '../config/configuration';
import { parentOf, resolvePath } from '../config/files';
import { lastLine, type RequestContext } from './asking';
import { wordsOf } from './site';

/** The DocumentRoot that applies, with its line. `isAssumed`: no line sets it. */
export function findDocumentRoot(requestContext: RequestContext): {
  readonly path: string;
  readonly line: ConfigLine | null;
  readonly isAssumed: boolean;
} {
  const documentRootLine = lastLine('documentroot', requestContext);
  const [path] = documentRootLine ? wordsOf(documentRootLine) : [];
  return {
    path: absolutePath(requestContext.site.configuration.serverRoot, path ?? 'htdocs'),
    line: documentRootLine,
    isAssumed: path === undefined,
  };
}

/** Resolves a path against ServerRoot, and keeps a slash at its end. */
export function absolutePath(serverRoot: string, path: string): string {
  const resolvedPath = resolvePath(serverRoot, path);
  return path.endsWith('/') && !resolvedPath.endsWith('/') ? `${resolvedPath}/` : resolvedPath;
}

/**
 * Whether a directory, or one of its parents, is in this copy. If so, a name that is missing below
 * it does not exist on the server either. Directories such as `/var` do not count, because every
 * machine has them.
 */
export function isInCopy(base: string, { site }: RequestContext): boolean {
  for (let folder = base; folder.split('/').length > 2; folder = parentOf(folder))
    if (!SHARED_FOLDERS.has(folder) && site.kind(folder) === 'folder') return true;
  return site.kind(base) !== null;
}

/** Directories with files of many programs: a copy of httpd's files has only a part of them. */
const SHARED_FOLDERS: ReadonlySet<string> = new Set(['/usr/local', '/usr/share', '/usr/lib', '/usr/lib64', '/var/lib']);

/** The names of directories at the top of the file system that most machines have. */
export const SYSTEM_FOLDERS = new Set(
  'bin boot data dev etc export home lib lib64 media mnt opt proc root run sbin srv sys tmp usr var www'.split(' '),
);
