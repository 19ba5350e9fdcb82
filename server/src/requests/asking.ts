/** One request at one server: what all steps of its decision share. */
import type { ConfigLine, Scope } from '../config/configuration';
import type { RewriteResult } from './mapped';
import type { OpenFacts } from './open-facts';
import type { Request, UnknownFact } from './model';
import type { Site } from './site';

/** The request with what the virtual host and the listened ports add to it. */
export interface Asking {
  readonly request: Request;
  readonly site: Site;
  readonly facts: OpenFacts;
  /** The main server and, if one answers, the virtual host. */
  readonly scopes: readonly Scope[];
  /** The name that `%{SERVER_NAME}` and a Host header have. */
  readonly hostName: string;
  readonly port: number;
  /** The path of the URL as sections compare it. */
  readonly url: string;
  /** The same with repeated slashes, as patterns of 2.2 compare it. */
  readonly unmerged: string;
  /**
   * For an index file: the path of its directory, whose sections apply to it without another look
   * at their patterns (`cache->cached` in ap_directory_walk).
   */
  readonly directory?: string;
  /** `GET /path?query HTTP/1.1`, as the client sends it. */
  readonly requestLine: string;
  /** Whether a rule of a directory led to this URL. */
  readonly isRedirected?: boolean;
  /** What the rules of the server make of the URL. */
  readonly rules: RewriteResult;
  /** Adds a fact that does not change the decision, but that the reader should know. */
  readonly note: (fact: UnknownFact) => void;
}

/** The lines of a scope with some names that the server reads, without inner scopes. */
export function linesOf(scope: Scope, names: ReadonlySet<string>, { site, facts }: Asking): ConfigLine[] {
  return scope.lines.filter((at) => names.has(at.line.name) && site.isRead(at, facts));
}

/** The inner scopes of a kind that the server reads. */
export function scopesIn(scope: Scope, kinds: ReadonlySet<string>, { site, facts }: Asking): Scope[] {
  return scope.children.filter((child) => kinds.has(child.kind) && site.isRead(child, facts));
}

/** The last line with a name: of the virtual host if it has one, otherwise of the main server. */
export function lastLine(name: string, asking: Asking): ConfigLine | null {
  const names = new Set([name]);
  for (const scope of [...asking.scopes].reverse()) {
    const line = linesOf(scope, names, asking).at(-1);
    if (line) return line;
  }
  return null;
}
