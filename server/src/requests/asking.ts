/**
 * The context of one decision: a request and the server that answers it. All steps of the decision
 * share it.
 */
import type { ConfigLine, Scope } from '../config/configuration';
import { groupedBy } from '../syntax/groups';
import { cacheOf } from '../syntax/memory';
import type { RewriteResult } from './mapped';
import type { OpenFacts } from './open-facts';
import type { Request, UnknownFact } from './model';
import type { Site } from './site';

/** A request at one server, with facts from the virtual host and the Listen lines. */
export interface RequestContext {
  readonly request: Request;
  readonly site: Site;
  readonly facts: OpenFacts;
  /** The main server and, if one answers the request, the virtual host. */
  readonly scopes: readonly Scope[];
  /** The name that `%{SERVER_NAME}` and a Host header have. */
  readonly hostName: string;
  readonly port: number;
  /** The path of the URL, as httpd compares it with sections. */
  readonly url: string;
  /**
   * The path of the URL with which httpd compares regular expressions. Repeated slashes stay in
   * 2.2, in 2.4 before 2.4.39, and with `MergeSlashes Off`.
   */
  readonly pathForRegexes: string;
  /**
   * If httpd asks for an index file: the path of its directory. httpd uses the sections that apply
   * to the directory, and does not compare their patterns again (`cache->cached` in
   * ap_directory_walk).
   */
  readonly directoryOfIndexFile?: string;
  /** `GET /path?query HTTP/1.1`, as the client sends it. */
  readonly requestLine: string;
  /** Whether a RewriteRule in a directory led to this URL. */
  readonly isInternallyRewritten?: boolean;
  /** The result of the server's RewriteRules for the URL. */
  readonly serverRewriting: RewriteResult;
  /** Records a fact for the user that does not change the decision. */
  readonly noteFact: (fact: UnknownFact) => void;
}

/** How much the comparison of a name adds to `OpenFacts.workDone`. */
const WORK_OF_NAME = 0.2;

/**
 * The lines of the directives `names` that the server reads in a scope, without inner scopes.
 */
export function linesOf(scope: Scope, names: ReadonlySet<string>, { site, facts }: RequestContext): ConfigLine[] {
  facts.workDone += scope.lines.length * WORK_OF_NAME;
  return linesNamed(scope, names).filter((configLine) => site.isRead(configLine, facts));
}

/**
 * The sections of the given kinds that the server reads directly in a scope. `kinds` must not have
 * the kind of virtual hosts.
 */
export function scopesIn(scope: Scope, kinds: ReadonlySet<string>, { site, facts }: RequestContext): Scope[] {
  const sections = sectionsWithoutHosts(scope);
  facts.workDone += sections.length * WORK_OF_NAME;
  return sections.filter((child) => kinds.has(child.kind) && site.isRead(child, facts));
}

/**
 * The sections directly in a scope, without virtual hosts. Cached, because the main server can have
 * thousands of virtual hosts, and a request to each of them needs its other sections.
 */
export function sectionsWithoutHosts(scope: Scope): readonly Scope[] {
  let sections = sectionsByScope.get(scope);
  if (sections === undefined)
    sectionsByScope.set(scope, (sections = scope.children.filter(({ kind }) => kind !== 'virtualhost')));
  return sections;
}

/**
 * The last line of a directive in the virtual host; if there is none, the last one in the main
 * server. Null if the main server has none, too.
 */
export function lastLine(name: string, requestContext: RequestContext): ConfigLine | null {
  const names = new Set([name]);
  for (const scope of [...requestContext.scopes].reverse()) {
    const lastLineInScope = linesOf(scope, names, requestContext).at(-1);
    if (lastLineInScope) return lastLineInScope;
  }
  return null;
}

// ---------------------------------------------------------------------------------------------------------------------

/** The lines of a scope by name, and by the sets of names that requests need. */
interface LinesOfScope {
  readonly linesByName: ReadonlyMap<string, readonly ConfigLine[]>;
  readonly linesBySetOfNames: Map<ReadonlySet<string>, readonly ConfigLine[]>;
}

const linesByScope = cacheOf<Scope, LinesOfScope>();
const sectionsByScope = cacheOf<Scope, readonly Scope[]>();

/**
 * The lines with these names, in the order of the text. Cached, because one answer needs the lines
 * of dozens of names.
 */
function linesNamed(scope: Scope, names: ReadonlySet<string>): readonly ConfigLine[] {
  if (scope.lines.length === 0) return NO_LINES;
  let lines = linesByScope.get(scope);
  if (lines === undefined)
    linesByScope.set(
      scope,
      (lines = { linesByName: groupedBy(scope.lines, ({ line }) => line.name), linesBySetOfNames: new Map() }),
    );
  if (names.size === 1) for (const name of names) return lines.linesByName.get(name) ?? NO_LINES;
  let namedLines = lines.linesBySetOfNames.get(names);
  if (namedLines === undefined)
    lines.linesBySetOfNames.set(names, (namedLines = scope.lines.filter(({ line }) => names.has(line.name))));
  return namedLines;
}

const NO_LINES: readonly ConfigLine[] = [];
