/**
 * What a server answers to one request, and why:
 *
 *     decide(request: Request, configuration: RequestConfiguration, server: RequestServer): Answer
 *
 * The answer is `unknown` if it depends on facts that the files do not show; `Answer.unknown` lists
 * them. Types: model.ts. A request from text: parse.ts. Pure: it reads files through a view, and of
 * the .htaccess files only those on the path of the request.
 *
 * Steps, as in ap_process_request_internal (server/request.c): the virtual host (virtual-host.ts),
 * the target of the URL (mapping.ts), the sections (applied.ts), the decision (deciding.ts).
 */
import type { Scope } from '../config/configuration';
import { ADDRESS_NAMES } from '../access/client-address';
import { isAccessLine } from '../access/read';
import type { ConfigLine } from '../config/configuration';
import { parentOf } from '../config/files';
import {
  errorRedirect,
  fallbackUrl,
  indexNames,
  listingRefused,
  redirectIn,
  redirectsToSlash,
  scriptRefused,
} from './after-access';
import { lazy } from '../syntax/memory';
import { appliedToPath, appliedToProxy } from './applied';
import type { AppliedSection, AppliedSections } from './section';
import { lastLine, linesOf, type Asking } from './asking';
import { decided, type Decided } from './deciding';
import { NO_REWRITING, type Mapped } from './mapped';
import { mappedUrl } from './mapping';
import type {
  Access,
  Answer,
  AnsweringHost,
  Request,
  RequestConfiguration,
  RequestServer,
  RequestTarget,
  SectionRow,
  UnknownFact,
} from './model';
import { explore, type OpenFacts } from './open-facts';
import { isQuotedTag, siteOf, textOf, wordsOf, type Site } from './site';
import { directoryRules, serverRules, type DirectoryEnd } from './rewriting';
import { unstartable } from './start';
import { urlPath } from './url';
import { chosenHost } from './virtual-host';

export function decide(request: Request, configuration: RequestConfiguration, server: RequestServer): Answer {
  const site = siteOf(configuration, server);
  if (!site) return noAnswer(server, 'the main file cannot be read');
  const { results, decisive } = explore(
    (facts) => computed(request, site, facts),
    ({ answer }) => answer.access,
  );
  const [first] = results as [Computed];
  const isKnown = results.length === 1 && decisive.length === 0;
  const { answer, notes } = first;
  const unknown = merged([...decisive, ...results.flatMap((each) => each.answer.unknown), ...notes]);
  return {
    ...answer,
    sections: results.length === 1 ? answer.sections : uncertainSections(results.map((each) => each.answer.sections)),
    access: isKnown ? answer.access : 'unknown',
    because: isKnown ? answer.because : [],
    why: isKnown ? answer.why : 'it depends on facts that the files do not show',
    unknown,
  };
}

/** One computation of an answer. */
export interface Computed {
  readonly answer: Answer;
  readonly notes: readonly UnknownFact[];
  /** The sections that apply, in the order of the server. */
  readonly sections: readonly AppliedSection[];
}

/** The answer with one set of open facts, for comparisons of several servers (together.ts). */
export function computed(request: Request, site: Site, facts: OpenFacts): Computed {
  return new Computation(request, site, facts).run();
}

// ---------------------------------------------------------------------------------------------------------------------

function noAnswer(server: RequestServer, what: string): Answer {
  return {
    server,
    access: 'unknown',
    because: [],
    why: what,
    host: { name: '', place: null, why: what },
    target: { kind: 'unknown', path: '', place: null },
    sections: [],
    unknown: [{ what, place: null }],
  };
}

/** Computes the answer with one set of open facts. */
class Computation {
  private readonly notes: UnknownFact[] = [];
  private host: AnsweringHost = { name: '', place: null, why: '' };
  private target: RequestTarget = NO_TARGET;
  private applied: AppliedSections | null = null;
  private redirects = 0;
  private rewritings = 0;
  /** The path that the URL is mapped to, with the part after the file. */
  private mapped: Extract<Mapped, { kind: 'file' }> | null = null;

  constructor(
    private readonly request: Request,
    private readonly site: Site,
    private readonly facts: OpenFacts,
  ) {}

  run(): Computed {
    const decision = this.decision();
    const { site, applied } = this;
    // Comparisons of many requests do not read them.
    const rows = lazy(() => (applied ? rowsOf(applied, site) : []));
    const answer: Answer = {
      server: site.server,
      access: decision.access,
      because: unique(decision.lines.map((line) => site.reasonOf(line))),
      why: decision.why,
      host: this.host,
      target: this.target,
      get sections() {
        return rows();
      },
      unknown: [],
    };
    return { answer, notes: this.notes, sections: applied?.sections ?? [] };
  }

  private decision(): Decided {
    const { site, facts, request } = this;
    const chosen = chosenHost(request, site, facts);
    if (!chosen) {
      this.notes.push({ what: 'which virtual host answers: its names or addresses are unknown', place: null });
      return undecided('the virtual host is unknown');
    }
    this.host = chosen.answering;
    this.notes.push(...chosen.notes);
    if (/[a-z]/.test(request.method))
      this.notes.push({
        what: `\`${request.method}\` is not \`${request.method.toUpperCase()}\`: methods keep their case`,
        place: null,
      });
    const refused = unstartable(site);
    if (refused) return refused;
    const scopes = chosen.scope ? [site.root, chosen.scope] : [site.root];
    if (hasGap(site, chosen.scope, facts)) return undecided('a part of the configuration is not read');
    const misread = site.misread;
    if (misread) {
      this.notes.push(misread);
      return undecided('2.2 reads a line differently than this program');
    }
    if (site.hasQuotedTag) {
      const quoted = this.quotedTag(scopes.flatMap(({ lines }) => lines));
      if (quoted) return quoted;
    }
    const draft: Asking = {
      request,
      site,
      facts,
      scopes,
      hostName: chosen.name,
      port: chosen.port,
      url: request.path,
      unmerged: request.path,
      requestLine: `${request.method} ${request.path}${request.query && `?${request.query}`} HTTP/1.1`,
      rules: NO_REWRITING,
      note: (fact) => this.notes.push(fact),
    };
    const valueOf = (name: string, usual: string) => {
      const line = lastLine(name, draft);
      return (line && wordsOf(line)[0]?.toLowerCase()) ?? usual;
    };
    const slashes = valueOf('allowencodedslashes', 'off');
    const url = urlPath(request.path, site.version, slashes, valueOf('mergeslashes', 'on') !== 'off');
    if ('status' in url) {
      this.target = { kind: 'refused', path: request.path, place: null };
      const why = `${url.why}: httpd answers ${url.status} before access control`;
      return { access: 'granted', why, lines: [] };
    }
    if (url.isOtherEncoding || (/[^ -~]/.test(url.path) && site.hasOtherEncoding)) {
      const why = 'letters of the path have another encoding than UTF-8';
      this.notes.push({ what: why, place: null });
      return undecided(why);
    }
    const seen = addressChanged(draft) ? { ...request, from: null } : request;
    return this.ofUrl({ ...draft, request: seen, url: url.path, unmerged: url.unmerged });
  }

  /** The lines after a tag in quotes are not read as those of a section. Null if there is none. */
  private quotedTag(lines: readonly ConfigLine[]): Decided | null {
    const tag = lines.find(isQuotedTag);
    if (!tag) return null;
    this.notes.push({ what: `how httpd reads \`${textOf(tag.line)}\``, place: this.site.placeOf(tag) });
    return undecided('a tag is in quotes');
  }

  private ofUrl(asked: Asking, isRewritten = true): Decided {
    const rules = isRewritten ? serverRules(asked) : { ...NO_REWRITING, isLast: true };
    // `[PT]` changes the URL that Location sections match.
    const passed = rules.end.kind === 'path' && rules.end.passes ? rules.end.path : null;
    const asking = { ...asked, rules, ...(passed !== null && { url: passed, unmerged: passed }) };
    const mapped = mappedUrl(asking, rules.end);
    const place = mapped.line ? this.site.placeOf(mapped.line) : null;
    switch (mapped.kind) {
      case 'redirect':
        this.target = { kind: 'redirect', path: mapped.path, place };
        return redirected(mapped);
      case 'unknown':
        this.target = { kind: 'unknown', path: mapped.path, place };
        this.notes.push({ what: unknownTarget(mapped.line), place });
        return undecided('the target of the URL is unknown');
      case 'proxy':
        this.target = { kind: 'proxy', path: mapped.path, place };
        this.applied = appliedToProxy(mapped.path, asking);
        return this.ofSections(this.applied.sections, asking);
      case 'file': {
        // http_send_trace runs before the sections of directories are gathered.
        if (asking.request.method === 'TRACE') {
          this.target = { kind: 'file', path: mapped.path, place };
          return { access: 'granted', why: 'httpd answers TRACE before access control', lines: [] };
        }
        const applied = appliedToPath(mapped.path, mapped.base, asking);
        this.mapped = mapped;
        this.applied = applied;
        const { kind, path } = applied.target;
        this.target = { kind, path, place };
        if (applied.refusal) {
          const { access, why, lines } = applied.refusal;
          return { access, why, lines };
        }
        this.notePermissions(mapped.base, applied);
        return this.ofSections(applied.sections, asking);
      }
    }
  }

  /**
   * Notes the target and its directories, from `base` downwards, if not every user of the machine
   * may read them. httpd answers 403 if its User may not. The owner is not compared, because a copy
   * can have another owner.
   */
  private notePermissions(base: string, { target }: AppliedSections): void {
    if (target.kind === 'missing') return;
    const top = base.replace(/(?<=.)\/$/, '');
    for (let at = target.path.replace(/(?<=.)\/$/, ''); at === top || at.startsWith(`${top}/`); at = parentOf(at)) {
      const mode = this.site.kind(at) === null ? null : this.site.mode(at);
      // A file is read, a directory is passed through.
      if (mode === null || (mode & (this.site.kind(at) === 'folder' ? 0o001 : 0o004)) !== 0) continue;
      const bits = (mode & 0o777).toString(8).padStart(4, '0');
      this.notes.push({ what: `whether the server's user may read \`${at}\`: its mode is ${bits}`, place: null });
    }
  }

  private ofSections(sections: readonly AppliedSection[], asking: Asking): Decided {
    const handler = sections.flatMap(({ lines }) => lines).findLast(({ line }) => line.name === 'sethandler');
    const name = handler && wordsOf(handler)[0];
    if (handler && name !== undefined && !/^(none|default-handler)$/i.test(name) && this.target.kind !== 'proxy')
      this.target = { kind: 'handler', path: name, place: this.site.placeOf(handler) };
    const quoted = this.site.hasQuotedTag ? this.quotedTag(sections.flatMap(({ lines }) => lines)) : null;
    const decision = quoted ?? decided(sections, asking);
    const whole = (decision.access === 'granted' && this.afterAccess(sections, asking)) || decision;
    const status = whole.access === 'denied' ? 403 : whole.access === 'error' ? 500 : null;
    const line = status && errorRedirect(status, sections, asking);
    if (line) {
      const what = `\`${textOf(line.line)}\` redirects the client instead of the answer ${status}`;
      this.notes.push({ what, place: this.site.placeOf(line) });
    }
    return whole;
  }

  /** What changes the answer after access is granted. Null if nothing does. */
  private afterAccess(sections: readonly AppliedSection[], asking: Asking): Decided | null {
    if (this.target.kind === 'proxy' || this.applied === null) return null;
    // fixup_redir in mod_alias runs after mod_rewrite, and before its internal redirect.
    const rewritten = this.directoryEnd(sections, asking);
    if (rewritten && rewritten.kind !== 'url') return this.ofDirectoryEnd(rewritten);
    const redirect = redirectIn(sections, asking);
    if (redirect) {
      this.target = { kind: 'redirect', path: redirect.path, place: this.site.placeOf(redirect.line) };
      return redirected(redirect);
    }
    if (rewritten) return this.ofInternalRedirect(rewritten, asking);
    return this.inFallback(sections, asking) ?? this.inDirectory(sections, asking) ?? this.ofScript(sections, asking);
  }

  /** FallbackResource, for a URL that leads to no file (fixup_dflt in mod_dir.c). */
  private inFallback(sections: readonly AppliedSection[], asking: Asking): Decided | null {
    const { target, applied } = this;
    const url = target.kind === 'missing' ? fallbackUrl(sections, asking) : null;
    if (url === null || url === asking.url || this.redirects++ >= MAX_REDIRECTS) return null;
    const request = { ...asking.request, method: 'GET' };
    const found = this.ofUrl({ ...asking, request, url, unmerged: url, directory: undefined });
    if (found.access !== 'granted') return { ...found, why: `${found.why} (FallbackResource ${url})` };
    if (this.target.kind === 'file') return found;
    this.target = target;
    this.applied = applied;
    return null;
  }

  /** What rules of mod_rewrite in directories do. Null if they do nothing. */
  private directoryEnd(sections: readonly AppliedSection[], asking: Asking): DirectoryEnd | null {
    const { mapped } = this;
    if (asking.rules.isLast || !mapped) return null;
    const { path, kind } = this.applied!.target;
    const rest = mapped.path.startsWith(path) ? mapped.path.slice(path.length) : '';
    const isFolder = kind === 'directory' && rest === '/';
    const file = { path: isFolder ? `${path}/` : path, pathInfo: isFolder ? '' : rest, mapped };
    const end = directoryRules(sections, file, asking);
    return end?.kind === 'unknown' && this.facts.assumesUsual ? null : end;
  }

  private ofDirectoryEnd(end: Exclude<DirectoryEnd, { kind: 'url' }>): Decided {
    const { line } = end;
    const place = line ? this.site.placeOf(line) : null;
    switch (end.kind) {
      case 'forbidden': {
        const why = 'Options does not allow links, so mod_rewrite denies the request';
        return { access: 'denied', why, lines: line ? [line] : [] };
      }
      case 'redirect':
        this.target = { kind: 'redirect', path: end.path, place };
        return redirected(end);
      case 'proxy':
        this.target = { kind: 'proxy', path: end.path, place };
        return { access: 'granted', why: 'a rule hands the request to another server', lines: [end.line] };
      default:
        this.notes.push({ what: unknownTarget(line), place });
        return undecided('a RewriteRule changes the target');
    }
  }

  private ofInternalRedirect(end: Extract<DirectoryEnd, { kind: 'url' }>, asking: Asking): Decided {
    const { url, query, line, isLast } = end;
    // LimitInternalRecursion is 10.
    if (this.rewritings++ >= 10)
      return { access: 'error', why: 'the rules lead to the same rules again and again', lines: [line] };
    const request = { ...asking.request, query };
    const next = { ...asking, request, url, unmerged: url, directory: undefined, isRedirected: true };
    return this.ofUrl(next, !isLast);
  }

  private ofScript(sections: readonly AppliedSection[], asking: Asking): Decided | null {
    const { path, kind } = this.applied!.target;
    const isScriptAlias = this.mapped?.line?.line.name.startsWith('scriptalias') === true;
    if (isScriptAlias || kind === 'directory') return null;
    return scriptRefused(path.slice(path.lastIndexOf('/') + 1), sections, asking);
  }

  /** The index file or the listing of a directory. httpd asks for each index file (fixup_dir). */
  private inDirectory(sections: readonly AppliedSection[], asking: Asking): Decided | null {
    const { target } = this;
    if (target.kind !== 'directory' || this.site.kind(target.path.replace(/(?<=.)\/$/, '')) !== 'folder') return null;
    if (!asking.url.endsWith('/')) {
      if (redirectsToSlash(sections, asking)) return null;
      // With DirectorySlash Off, httpd looks for no index file.
      return listingRefused(sections, asking);
    }
    let refused: Decided | null = null;
    const { applied } = this;
    for (const name of indexNames(sections, asking)) {
      const url = name.startsWith('/') ? name : asking.url + name;
      if (this.redirects++ >= MAX_REDIRECTS) return undecided('too many index files');
      const request = { ...asking.request, method: 'GET' };
      const found = this.ofUrl({ ...asking, request, url, unmerged: url, directory: target.path });
      const isThere = this.target.kind !== 'missing' && this.target.kind !== 'directory';
      if (found.access === 'granted' && isThere) {
        this.applied = applied;
        return found;
      }
      if (found.access !== 'granted') refused = { ...found, why: `${found.why} (index file ${name})` };
      this.target = target;
    }
    this.target = target;
    this.applied = applied;
    return refused ?? listingRefused(sections, asking);
  }
}

/** As in mod_rewrite and ap_internal_redirect, a limit for requests that lead to others. */
const MAX_REDIRECTS = 20;

/**
 * Whether a module takes the address of the client from a header of the request: mod_remoteip in
 * 2.4, and modules such as mod_rpaf in 2.2. Which proxies it trusts is not computed here.
 */
function addressChanged(asking: Asking): boolean {
  const { request, site } = asking;
  const lines = asking.scopes.flatMap((scope) => linesOf(scope, ADDRESS, asking));
  const is24 = ({ line }: ConfigLine) => line.name.startsWith('remoteip');
  const header = lines.findLast(({ line }) => line.name.endsWith('header'));
  const name = header ? wordsOf(header)[0]?.toLowerCase() : 'x-forwarded-for';
  const isUsed = lines.some((line) => is24(line) === (site.version === '2.4'));
  return isUsed && name !== undefined && request.headers.has(name);
}

const ADDRESS = new Set(ADDRESS_NAMES);

const NO_TARGET: RequestTarget = { kind: 'unknown', path: '', place: null };

function undecided(why: string): Decided {
  return { access: 'unknown', why, lines: [] };
}

function redirected({ status, line }: { readonly status: number; readonly line: ConfigLine }): Decided {
  const access: Access = status === 403 ? 'denied' : status === 401 ? 'login' : status === 500 ? 'error' : 'granted';
  return { access, why: `httpd answers ${status} before access control`, lines: [line] };
}

function unknownTarget(line: ConfigLine | null): string {
  return line ? `where \`${line.line.text.trim()}\` leads` : 'where the URL leads';
}

/** Whether text that is not read may belong to the request. Asks for it. */
function hasGap(site: Site, host: Scope | null, facts: OpenFacts): boolean {
  const { gaps, fragments } = site.configuration;
  for (const gap of gaps) {
    if (gap.reason === 'include-missing' && /\.load$/.test(gap.what)) continue;
    const owner = site.root.children.find(
      (scope) =>
        scope.kind === 'virtualhost' &&
        ((scope.file === gap.file && gap.offset >= scope.offset && gap.offset < scope.offset + scope.section!.length) ||
          fragments
            .get(scope)
            ?.some(({ file }) => file === gap.file && !site.root.lines.some((at) => at.file === file))),
    );
    if (owner && owner !== host) continue;
    const place = site.placeOf(gap);
    if (
      facts.holds(`gap ${gap.what}`, {
        what: `\`${gap.what}\` is not in this copy, or not read`,
        place,
      })
    )
      return true;
  }
  return false;
}

/** A row for each section, and one for each .htaccess file that is not read. */
function rowsOf({ sections, unread }: AppliedSections, site: Site): SectionRow[] {
  const rows = sections.map(
    ({ scope, lines, folder }): SectionRow => ({
      ...site.placeOf(scope),
      name: scope.section
        ? textOf(scope.section.open)
        : `${folder ?? ''}${scope.file.path.slice(scope.file.path.lastIndexOf('/') + 1)}`,
      applies: true,
      adds: lines.filter(isShown).map(({ line }) => textOf(line)),
    }),
  );
  return [
    ...rows,
    ...unread.map(
      ({ path, why }): SectionRow => ({
        file: site.here(path),
        line: 0,
        name: path,
        applies: false,
        adds: [`not read: ${why}`],
      }),
    ),
  ];
}

function isShown(at: ConfigLine): boolean {
  return isAccessLine(at) || SHOWN.has(at.line.name);
}

const SHOWN = new Set(['authtype', 'authmerging', 'sslrequiressl', 'allowoverride']);

function unique<Place extends { readonly file: string; readonly line: number }>(places: readonly Place[]): Place[] {
  return [...new Map(places.map((place) => [`${place.file}:${place.line}`, place])).values()];
}

/** A section that only some results have may apply. */
function uncertainSections(all: readonly (readonly SectionRow[])[]): SectionRow[] {
  const rows = new Map<string, { readonly row: SectionRow; count: number }>();
  for (const row of all.flat()) {
    const key = `${row.file}:${row.line} ${row.applies}`;
    const entry = rows.get(key);
    if (entry) entry.count++;
    else rows.set(key, { row, count: 1 });
  }
  return [...rows.values()].map(({ row, count }) =>
    count === all.length || row.applies === false ? row : { ...row, applies: 'unknown' },
  );
}

function merged(facts: readonly UnknownFact[]): UnknownFact[] {
  return [...new Map(facts.map((fact) => [`${fact.what} ${fact.place?.file}:${fact.place?.line}`, fact])).values()];
}
