/**
 * A whole server, what the program is asked to do with it, and what requests must get afterwards.
 */
import { ROOT, type ServerSpec, type Tree } from '../disk';

/** Who has yet to make it right. */
export type Part = 'engine' | 'planner' | 'writer' | 'lsp' | 'editor' | 'templates';

export interface Case {
  readonly name: string;
  readonly tree: Tree;
  readonly urls: readonly string[];
  /**
   * Command lines, one after another, in the tree's directory. Default: `fix --write` on the first
   * server's main file.
   */
  readonly run?: readonly (readonly string[])[];
  /**
   * In an editor that has the tree open: Fix All in each of these files by itself, or each
   * preferred quick fix by itself.
   */
  readonly editor?: 'fix-all' | 'preferred';
  readonly inFiles?: readonly string[];
  /** Whose answers are to be kept, as `--source` says. Default: 2.2's. */
  readonly source?: '2.4';
  /** Not as root. */
  readonly asOther?: boolean;
  /**
   * What 2.2 answers, and 2.4 has to: `URL from ADDRESS as USER` (the last may be left out), at the
   * first virtual host.
   */
  readonly answers: Readonly<Record<string, number>>;
  /** Files, or all below a directory, that have to be as they were. */
  readonly untouched?: readonly string[];
  /** A text that has to stand in a file afterwards, so that doing nothing does not pass. */
  readonly contains?: Readonly<Record<string, string>>;
}

export const OPEN = 'Order allow,deny\nAllow from all\n';
export const SHUT = 'Order deny,allow\nDeny from all\n';
/** Who asks from this machine. */
export const HERE = `${SHUT}Allow from 127.0.0.1\n`;
export const LOGIN = `AuthType Basic\nAuthName "members"\nAuthUserFile ${ROOT}/conf/passwd\nRequire valid-user\n`;
export const NOBODY = `<Directory />\nAllowOverride None\n${SHUT}</Directory>\n`;

export const H = `${ROOT}/www`;

export function section(open: string, body: string): string {
  return `<${open}>\n${body}</${/^\w+/.exec(open)![0]}>\n`;
}

/** A main file that serves `www`. */
export function main(...parts: readonly string[]): string {
  return `ServerRoot "${ROOT}"\nPidFile run/httpd.pid\nListen 80\nDocumentRoot "${H}"\n${parts.join('')}`;
}

export const MAIN = 'conf/httpd.conf';

/** A tree with one server. */
export function tree(
  text: string,
  files: Readonly<Record<string, string>> = {},
  more: Omit<Partial<Tree>, 'servers' | 'files'> & { server?: Partial<ServerSpec> } = {},
): Tree {
  const { server, ...rest } = more;
  return {
    files: { [server?.main ?? MAIN]: text, 'www/f': 'f', 'conf/passwd': '', ...files },
    servers: [{ main: MAIN, ...server }],
    ...rest,
  };
}
