/** Directories of the server: its document root, and which of them are in this copy. */
import type { ConfigLine } from '../config/configuration';
import { parentOf, resolvePath } from '../config/files';
import { lastLine, type Asking } from './asking';
import { wordsOf } from './site';

/** The DocumentRoot, and its line; `isAssumed`: no line has one. */
export function documentRoot(asking: Asking): {
  readonly path: string;
  readonly line: ConfigLine | null;
  readonly isAssumed: boolean;
} {
  const line = lastLine('documentroot', asking);
  const [path] = line ? wordsOf(line) : [];
  return {
    path: resolved(asking.site.configuration.serverRoot, path ?? 'htdocs'),
    line,
    isAssumed: path === undefined,
  };
}

/** An absolute path with the slash at its end, if it has one. */
export function resolved(serverRoot: string, path: string): string {
  const whole = resolvePath(serverRoot, path);
  return path.endsWith('/') && !whole.endsWith('/') ? `${whole}/` : whole;
}

/**
 * Whether a directory, or one around it, is in this copy: what is not there then does not exist.
 * Every machine has the directories at the top.
 */
export function isAtHand(base: string, { site }: Asking): boolean {
  for (let at = base; at.split('/').length > 2; at = parentOf(at)) if (site.kind(at) === 'folder') return true;
  return site.kind(base) !== null;
}

/** Directories that most machines have. */
export const SYSTEM_FOLDERS = new Set(
  'bin boot data dev etc export home lib lib64 media mnt opt proc root run sbin srv sys tmp usr var www'.split(' '),
);
