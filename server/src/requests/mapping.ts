/**
 * What a URL leads to: a file, a redirect, another server. The order is that of the hooks for
 * translate_name: mod_rewrite (rewriting.ts), mod_proxy, mod_alias, mod_userdir, mod_vhost_alias,
 * core.
 */
import { MAPPERS } from '../access/mappers';
import type { ConfigLine } from '../config/configuration';
import { isAbsolute } from '../config/files';
import { locationsApplied, patternOf } from './applied';
import { linesOf, type Asking } from './asking';
import { aliasLength, groupsOf, matchesRegex, substituted } from './patterns';
import type { Mapped, RewriteEnd } from './mapped';
import { documentRoot, resolved, SYSTEM_FOLDERS } from './server-paths';
import { wordsOf } from './site';

/** `rules`: what the rules of the server make of the URL. */
export function mappedUrl(asking: Asking, rules: RewriteEnd): Mapped {
  if (rules.kind === 'none') return mappedByLines(asking.url, asking);
  const { line } = rules;
  if (rules.kind === 'unknown')
    return unlessAssumed({ kind: 'unknown', path: '', line }, asking) ?? mappedByLines(asking.url, asking);
  if (rules.kind === 'proxy') return { kind: 'proxy', path: rules.path, line };
  if (rules.kind === 'redirect') return { kind: 'redirect', path: rules.path, status: rules.status, line };
  return rules.passes ? mappedByLines(rules.path, asking) : ofRewritten(rules.path, line, asking);
}

function mappedByLines(url: string, asking: Asking): Mapped {
  return (
    proxied(url, asking) ??
    redirectedInLocation(asking) ??
    redirected(url, asking) ??
    aliasedInLocation(url, asking) ??
    aliased(url, asking) ??
    ofUser(url, asking) ??
    unlessAssumed(ofModule(url, asking), asking) ??
    ofVirtualRoot(url, asking) ??
    ofDocumentRoot(url, asking)
  );
}

/**
 * A rewritten URL is a path of the server if its first part exists there, and otherwise below the
 * document root (prefix_stat and hook_uri2file in mod_rewrite.c).
 */
function ofRewritten(path: string, line: ConfigLine, asking: Asking): Mapped {
  const [, first = ''] = path.split('/');
  const { site } = asking;
  if (first !== '' && site.kind(`/${first}`) !== null) return { kind: 'file', path, base: `/${first}`, line };
  if (SYSTEM_FOLDERS.has(first)) return { kind: 'unknown', path, line };
  return ofDocumentRoot(path, asking);
}

/** Null for a target that is unknown and taken to be the usual one (OpenFacts.assumesUsual). */
function unlessAssumed(mapped: Mapped | null, { facts }: Asking): Mapped | null {
  return mapped?.kind === 'unknown' && facts.assumesUsual ? null : mapped;
}

/** The status of a Redirect line, and its other words. */
export function redirectOf({ name, words }: { readonly name: string; readonly words: readonly string[] }): {
  readonly status: number;
  readonly rest: readonly string[];
} {
  if (name === 'redirectpermanent') return { status: 301, rest: words };
  if (name === 'redirecttemp') return { status: 302, rest: words };
  const [first = '', ...rest] = words;
  const named = STATUSES.get(first.toLowerCase());
  if (named !== undefined) return { status: named, rest };
  if (/^\d{3}$/.test(first)) return { status: Number(first), rest };
  return { status: 302, rest: words };
}

/** Whether a Redirect line of a section names no URL, and so is for the whole section. */
export function isForSection({ status, rest }: { readonly status: number; readonly rest: readonly string[] }): boolean {
  // add_redirect_internal in modules/mappers/mod_alias.c.
  return rest.length === (status >= 300 && status < 400 ? 1 : 0);
}

// ---------------------------------------------------------------------------------------------------------------------

const STATUSES = new Map([
  ['permanent', 301],
  ['temp', 302],
  ['seeother', 303],
  ['gone', 410],
]);

const PROXY = new Set(['proxypass', 'proxypassmatch']);
const REDIRECTS = new Set(['redirect', 'redirectmatch', 'redirecttemp', 'redirectpermanent']);
const ALIASES = new Set(['alias', 'scriptalias', 'aliasmatch', 'scriptaliasmatch']);
const USER_DIR = new Set(['userdir']);
const VIRTUAL_ROOTS = new Set([
  'virtualdocumentroot',
  'virtualdocumentrootip',
  'virtualscriptalias',
  'virtualscriptaliasip',
]);

/** proxy_trans: the lines of the main server come first. */
function proxied(url: string, asking: Asking): Mapped | null {
  for (const scope of asking.scopes) {
    for (const line of linesOf(scope, PROXY, asking)) {
      const [from = '', to = ''] = wordsOf(line);
      const target = proxyTarget(url, { line, from, to }, asking);
      if (target === null) continue;
      return to === '!' ? null : { kind: 'proxy', path: target, line };
    }
  }
  return null;
}

function proxyTarget(
  url: string,
  { line, from, to }: { readonly line: ConfigLine; readonly from: string; readonly to: string },
  asking: Asking,
): string | null {
  if (line.line.name === 'proxypassmatch') {
    if (!matchesRegex(from, url, { facts: asking.facts, place: asking.site.placeOf(line) })) return null;
    const groups = groupsOf(from, url);
    return groups ? (/\$\d/.test(to) ? substituted(to, groups) : to + url.slice(groups[0]!.length)) : to;
  }
  const length = aliasLength(url, from);
  return length > 0 ? to + url.slice(length) : null;
}

const LOCATION_ALIASES = new Set(['alias', 'scriptalias']);
const PRESERVE_PATH = new Set(['aliaspreservepath']);

/**
 * The Redirect of a `<Location>` for its whole section (try_redirect in mod_alias.c). It comes
 * before access control. Those of `<Directory>` come after it: after-access.ts. 2.2 has none.
 */
function redirectedInLocation(asking: Asking): Mapped | null {
  if (asking.site.version === '2.2') return null;
  for (const { lines } of locationsApplied(asking, REDIRECTS).reverse())
    for (const line of [...lines].reverse()) {
      if (!REDIRECTS.has(line.line.name)) continue;
      const redirect = redirectOf({ name: line.line.name, words: wordsOf(line) });
      if (isForSection(redirect))
        return { kind: 'redirect', path: redirect.rest[0] ?? '', status: redirect.status, line };
    }
  return null;
}

/** The Alias of a `<Location>` for its whole section (try_alias in mod_alias.c). 2.2 has none. */
function aliasedInLocation(url: string, asking: Asking): Mapped | null {
  if (asking.site.version === '2.2') return null;
  const locations = locationsApplied(asking, LOCATION_ALIASES);
  for (const { lines, scope } of locations.reverse()) {
    const line = lines.findLast((each) => LOCATION_ALIASES.has(each.line.name) && wordsOf(each).length === 1);
    if (!line) continue;
    const [to = ''] = wordsOf(line);
    if (/[$%]\{/.test(to)) return { kind: 'unknown', path: '', line };
    const base = resolved(asking.site.configuration.serverRoot, to);
    const sections = locationsApplied(asking, PRESERVE_PATH).flatMap((each) => each.lines);
    const preserve = [...asking.scopes.flatMap((each) => linesOf(each, PRESERVE_PATH, asking)), ...sections].findLast(
      (each) => PRESERVE_PATH.has(each.line.name),
    );
    const { isRegex, text } = patternOf(scope);
    const isKept = !isRegex && preserve !== undefined && wordsOf(preserve)[0]?.toLowerCase() === 'on';
    return { kind: 'file', path: isKept ? resolved('/', base + url.slice(aliasLength(url, text))) : base, base, line };
  }
  return null;
}

/** try_redirect: the lines of the virtual host come first. */
function redirected(url: string, asking: Asking): Mapped | null {
  for (const scope of [...asking.scopes].reverse()) {
    for (const line of linesOf(scope, REDIRECTS, asking)) {
      const { status, rest } = redirectOf({ name: line.line.name, words: wordsOf(line) });
      const [from = '', to = ''] = rest;
      const isMatch =
        line.line.name === 'redirectmatch'
          ? matchesRegex(from, url, { facts: asking.facts, place: asking.site.placeOf(line) })
          : aliasLength(url, from) > 0;
      if (isMatch) return { kind: 'redirect', path: to, status, line };
    }
  }
  return null;
}

/** try_alias_list: the lines of the virtual host come first. */
function aliased(url: string, asking: Asking): Mapped | null {
  for (const scope of [...asking.scopes].reverse()) {
    for (const line of linesOf(scope, ALIASES, asking)) {
      const mapped = aliasedBy(line, url, asking);
      if (mapped) return mapped;
    }
  }
  return null;
}

function aliasedBy(line: ConfigLine, url: string, asking: Asking): Mapped | null {
  const { serverRoot } = asking.site.configuration;
  const [from = '', to = ''] = wordsOf(line);
  if (from.includes('${') || to.includes('${')) return { kind: 'unknown', path: '', line };
  if (!line.line.name.endsWith('match')) {
    const length = aliasLength(url, from);
    if (length === 0) return null;
    return { kind: 'file', path: resolved(serverRoot, to + url.slice(length)), base: resolved(serverRoot, to), line };
  }
  if (!matchesRegex(from, url, { facts: asking.facts, place: asking.site.placeOf(line) })) return null;
  const groups = groupsOf(from, url);
  if (groups === null && /[$&]/.test(to)) return { kind: 'unknown', path: to, line };
  const path = resolved(serverRoot, groups ? substituted(to, groups) : to);
  return { kind: 'file', path, base: resolved(serverRoot, folderBefore(to)), line };
}

/** translate_userdir in modules/mappers/mod_userdir.c. */
function ofUser(url: string, asking: Asking): Mapped | null {
  const name = /^\/~([^/]+)/.exec(url)?.[1];
  if (name === undefined || name === '.' || name === '..') return null;
  const lines = asking.scopes.flatMap((scope) => linesOf(scope, USER_DIR, asking));
  let paths: readonly string[] | null = null;
  let source: ConfigLine | null = null;
  let isOff = false;
  const users = { enabled: new Set<string>(), disabled: new Set<string>() };
  for (const line of lines) {
    const [first = '', ...names] = wordsOf(line);
    if (/^disabled?$/i.test(first)) {
      if (names.length === 0) isOff = true;
      else for (const each of names) users.disabled.add(each);
    } else if (/^enabled?$/i.test(first)) for (const each of names) users.enabled.add(each);
    else {
      paths = [first, ...names];
      source = line;
    }
  }
  if (paths === null || users.disabled.has(name) || (isOff && !users.enabled.has(name))) return null;
  const rest = url.slice(name.length + 2);
  const homes = paths.map((each) => {
    if (/^[a-z]+:\/\//i.test(each)) return null;
    if (isAbsolute(each)) return each.includes('*') ? each.replace('*', name) : `${each.replace(/\/$/, '')}/${name}`;
    return asking.site.kind(`/home/${name}`) === 'folder' ? `/home/${name}/${each}` : null;
  });
  const there = homes.find((each) => each !== null && asking.site.kind(each) !== null) ?? homes.at(-1);
  if (there === null || there === undefined) return { kind: 'unknown', path: `~${name}${rest}`, line: source };
  const base = resolved('/', there);
  return { kind: 'file', path: resolved('/', there + rest), base, line: source };
}

/** Lines of other modules that may map any URL. */
function ofModule(url: string, asking: Asking): Mapped | null {
  for (const scope of asking.scopes) {
    const lines = linesOf(scope, MAPPERS, asking).filter(({ line }) => !VIRTUAL_ROOTS.has(line.name));
    const line = lines.find(
      (each) => !each.line.name.startsWith('wsgi') || aliasLength(url, wordsOf(each)[0] ?? '') > 0,
    );
    if (line) return { kind: 'unknown', path: '', line };
  }
  return null;
}

/** mod_vhost_alias. */
function ofVirtualRoot(url: string, asking: Asking): Mapped | null {
  for (const scope of [...asking.scopes].reverse()) {
    const line = linesOf(scope, VIRTUAL_ROOTS, asking).at(-1);
    const [path = 'none'] = line ? wordsOf(line) : [];
    if (!line || path.toLowerCase() === 'none') continue;
    if (line.line.name !== 'virtualdocumentroot' || asking.hostName === '') return { kind: 'unknown', path: '', line };
    const root = resolved('/', interpolated(path, asking));
    return { kind: 'file', path: resolved('/', root + url), base: root, line };
  }
  return null;
}

/** vhost_alias_interpolate: parts of the host name, counted from 1, or from the end. */
function interpolated(path: string, { hostName, port }: Asking): string {
  const parts = hostName.split('.');
  return path.replace(
    /%(?:(%)|(p)|(-?\d+)(\+)?(?:\.(-?\d+)(\+)?)?)/g,
    (
      _,
      percent: string | undefined,
      isPort: string | undefined,
      first: string | undefined,
      more: string | undefined,
      second: string | undefined,
      secondMore: string | undefined,
    ) => {
      if (percent) return '%';
      if (isPort) return String(port);
      const word = pieceOf(parts, Number(first), more !== undefined, '.') ?? '_';
      return second === undefined ? word : (pieceOf([...word], Number(second), secondMore !== undefined, '') ?? '_');
    },
  );
}

function pieceOf(parts: readonly string[], number: number, isMore: boolean, glue: string): string | null {
  if (number === 0) return parts.join(glue);
  const index = number > 0 ? number - 1 : parts.length + number;
  if (index < 0 || index >= parts.length) return null;
  if (!isMore) return parts[index]!;
  return number > 0 ? parts.slice(index).join(glue) : parts.slice(0, index + 1).join(glue);
}

function ofDocumentRoot(url: string, asking: Asking): Mapped {
  const { path: base, line, isAssumed } = documentRoot(asking);
  if (base.includes('${')) return { kind: 'unknown', path: base, line };
  if (isAssumed) asking.note({ what: `no DocumentRoot line: \`${base}\` is assumed`, place: null });
  return { kind: 'file', path: resolved('/', base + url), base, line };
}

/** The folder of a target before its first reference to a group. */
function folderBefore(target: string): string {
  const at = target.search(/[$&]/);
  return at < 0 ? target : target.slice(0, target.lastIndexOf('/', at) + 1) || '/';
}
