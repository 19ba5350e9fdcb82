/**
 * Finds out where a URL leads: to a file, a redirect, or another server. The modules are asked in
 * the order of their translate_name hooks: mod_rewrite (rewriting.ts), mod_proxy, mod_alias,
 * mod_userdir, mod_vhost_alias, core.
 */
import { MAP_ANY_URL } from '../access/mappers';
import { hasUnknownPart } from '../access/require';
import type { ConfigLine } from '../config/configuration';
import { isAbsolute } from '../config/files';
import { locationsApplied, patternOf } from './applied';
import { linesOf, type RequestContext } from './asking';
import { matchedUrlLength, matchedGroups, matchesRegex, withGroups } from './patterns';
import type { UrlTarget, RewriteEnd } from './mapped';
import { findDocumentRoot, absolutePath, SYSTEM_FOLDERS } from './server-paths';
import { wordsOf } from './site';

/** Finds where the URL of a request leads. `rewriteEnd`: where the server's RewriteRules lead. */
export function mapUrl(requestContext: RequestContext, rewriteEnd: RewriteEnd): UrlTarget {
  if (rewriteEnd.kind === 'none') return mappedByDirectives(requestContext.url, requestContext);
  const { line } = rewriteEnd;
  if (rewriteEnd.kind === 'unknown')
    return (
      targetUnlessIgnored({ kind: 'unknown', path: '', line }, requestContext) ??
      mappedByDirectives(requestContext.url, requestContext)
    );
  if (rewriteEnd.kind === 'proxy') return { kind: 'proxy', path: rewriteEnd.path, line };
  if (rewriteEnd.kind === 'redirect')
    return { kind: 'redirect', path: rewriteEnd.path, status: rewriteEnd.status, line };
  return rewriteEnd.passesToUrl
    ? mappedByDirectives(rewriteEnd.path, requestContext)
    : mappedByRewriting(rewriteEnd.path, line, requestContext);
}

/** Where a URL leads if no RewriteRule changes it. `url`: the path to map. */
function mappedByDirectives(url: string, requestContext: RequestContext): UrlTarget {
  return (
    mappedByProxyPass(url, requestContext) ??
    redirectInLocation(requestContext) ??
    mappedByRedirect(url, requestContext) ??
    aliasInLocation(url, requestContext) ??
    mappedByAlias(url, requestContext) ??
    mappedByUserDir(url, requestContext) ??
    targetUnlessIgnored(mappedByOtherModule(url, requestContext), requestContext) ??
    mappedByVirtualRoot(url, requestContext) ??
    mappedByDocumentRoot(url, requestContext)
  );
}

/**
 * Where a URL leads after a RewriteRule changed it to a path (prefix_stat and hook_uri2file in
 * mod_rewrite.c). If the first name of the path exists at the top of the file system, the path is
 * that of a file. If it is a usual system directory that this copy lacks, the target is unknown.
 * Otherwise the path is below the document root.
 */
function mappedByRewriting(path: string, line: ConfigLine, requestContext: RequestContext): UrlTarget {
  const [, firstFolder = ''] = path.split('/');
  const { site } = requestContext;
  if (firstFolder !== '' && site.kind(`/${firstFolder}`) !== null)
    return { kind: 'file', path, base: `/${firstFolder}`, line };
  if (SYSTEM_FOLDERS.has(firstFolder)) return { kind: 'unknown', path, line };
  return mappedByDocumentRoot(path, requestContext);
}

/**
 * Returns `mappedTarget`. Returns null if it is unknown and `OpenFacts.assumesUsual` is set, as if
 * the line that makes it unknown had no effect.
 */
function targetUnlessIgnored(mappedTarget: UrlTarget | null, { facts }: RequestContext): UrlTarget | null {
  return mappedTarget?.kind === 'unknown' && facts.assumesUsual ? null : mappedTarget;
}

/** The status of a Redirect line, and its words without the status. */
export function redirectOf({ name, words }: { readonly name: string; readonly words: readonly string[] }): {
  readonly status: number;
  readonly otherWords: readonly string[];
} {
  if (name === 'redirectpermanent') return { status: 301, otherWords: words };
  if (name === 'redirecttemp') return { status: 302, otherWords: words };
  const [firstWord = '', ...otherWords] = words;
  const namedStatus = STATUS_OF_WORD.get(firstWord.toLowerCase());
  if (namedStatus !== undefined) return { status: namedStatus, otherWords };
  if (/^\d{3}$/.test(firstWord)) return { status: Number(firstWord), otherWords };
  return { status: 302, otherWords: words };
}

/** Whether a Redirect line in a section names no URL, so it applies to all URLs of the section. */
export function namesNoUrl({
  status,
  otherWords,
}: {
  readonly status: number;
  readonly otherWords: readonly string[];
}): boolean {
  // A Redirect line without a URL has only the URL of its target. If its status is no redirect, it
  // has no URL at all (add_redirect_internal in modules/mappers/mod_alias.c).
  return otherWords.length === (status >= 300 && status < 400 ? 1 : 0);
}

// ---------------------------------------------------------------------------------------------------------------------

/** The statuses that a Redirect line can name by a word. */
const STATUS_OF_WORD = new Map([
  ['permanent', 301],
  ['temp', 302],
  ['seeother', 303],
  ['gone', 410],
]);

const PROXY_NAMES = new Set(['proxypass', 'proxypassmatch']);
const REDIRECT_NAMES = new Set(['redirect', 'redirectmatch', 'redirecttemp', 'redirectpermanent']);
const ALIAS_NAMES = new Set(['alias', 'scriptalias', 'aliasmatch', 'scriptaliasmatch']);
const USER_DIR_NAMES = new Set(['userdir']);
const VIRTUAL_ROOT_NAMES = new Set([
  'virtualdocumentroot',
  'virtualdocumentrootip',
  'virtualscriptalias',
  'virtualscriptaliasip',
]);

/**
 * The proxied server, if a ProxyPass matches the URL (proxy_trans). The lines of the main server
 * come before those of the virtual host. Null if none does, or if the ProxyPass that matches
 * excludes the URL (`!`).
 */
function mappedByProxyPass(url: string, requestContext: RequestContext): UrlTarget | null {
  for (const scope of requestContext.scopes) {
    for (const line of linesOf(scope, PROXY_NAMES, requestContext)) {
      const [aliasUrl = '', targetPath = ''] = wordsOf(line);
      const target = proxyTarget(url, { line, from: aliasUrl, to: targetPath }, requestContext);
      if (target === null) continue;
      return targetPath === '!' ? null : { kind: 'proxy', path: target, line };
    }
  }
  return null;
}

/** The URL to which a ProxyPass line sends a request. Null if the line does not match the URL. */
function proxyTarget(
  url: string,
  { line, from, to }: { readonly line: ConfigLine; readonly from: string; readonly to: string },
  requestContext: RequestContext,
): string | null {
  if (line.line.name === 'proxypassmatch') {
    if (!matchesRegex(from, url, { facts: requestContext.facts, place: requestContext.site.placeOf(line) }))
      return null;
    const groups = matchedGroups(from, url);
    return groups ? (/\$\d/.test(to) ? withGroups(to, groups) : to + url.slice(groups[0]!.length)) : to;
  }
  const matchedLength = matchedUrlLength(url, from);
  return matchedLength > 0 ? to + url.slice(matchedLength) : null;
}

const LOCATION_ALIAS_NAMES = new Set(['alias', 'scriptalias']);
const PRESERVE_PATH_NAME = new Set(['aliaspreservepath']);

/**
 * The result of a Redirect without a URL in a `<Location>` (try_redirect in mod_alias.c). httpd
 * applies such a line before access control, but a Redirect in a `<Directory>` after access control
 * (after-access.ts). 2.2 has no such lines. Null if there is none.
 */
function redirectInLocation(requestContext: RequestContext): UrlTarget | null {
  if (requestContext.site.version === '2.2') return null;
  for (const { lines } of locationsApplied(requestContext, REDIRECT_NAMES).reverse())
    for (const line of [...lines].reverse()) {
      if (!REDIRECT_NAMES.has(line.line.name)) continue;
      const parsedRedirect = redirectOf({ name: line.line.name, words: wordsOf(line) });
      if (namesNoUrl(parsedRedirect))
        return { kind: 'redirect', path: parsedRedirect.otherWords[0] ?? '', status: parsedRedirect.status, line };
    }
  return null;
}

/**
 * The result of an Alias without a URL in a `<Location>` (try_alias in mod_alias.c). 2.2 has no
 * such lines. Null if there is none.
 */
function aliasInLocation(url: string, requestContext: RequestContext): UrlTarget | null {
  if (requestContext.site.version === '2.2') return null;
  const locations = locationsApplied(requestContext, LOCATION_ALIAS_NAMES);
  for (const { lines, scope } of locations.reverse()) {
    const aliasLine = lines.findLast((each) => LOCATION_ALIAS_NAMES.has(each.line.name) && wordsOf(each).length === 1);
    if (!aliasLine) continue;
    const [targetPath = ''] = wordsOf(aliasLine);
    if (/[$%]\{/.test(targetPath)) return { kind: 'unknown', path: '', line: aliasLine };
    const mappedPath = absolutePath(requestContext.site.configuration.serverRoot, targetPath);
    const linesOfLocations = locationsApplied(requestContext, PRESERVE_PATH_NAME).flatMap((each) => each.lines);
    const preserveLine = [
      ...requestContext.scopes.flatMap((each) => linesOf(each, PRESERVE_PATH_NAME, requestContext)),
      ...linesOfLocations,
    ].findLast((each) => PRESERVE_PATH_NAME.has(each.line.name));
    const { isRegex, text } = patternOf(scope);
    const isRestOfUrlKept = !isRegex && preserveLine !== undefined && wordsOf(preserveLine)[0]?.toLowerCase() === 'on';
    return {
      kind: 'file',
      path: isRestOfUrlKept ? absolutePath('/', mappedPath + url.slice(matchedUrlLength(url, text))) : mappedPath,
      base: mappedPath,
      line: aliasLine,
    };
  }
  return null;
}

/**
 * The result of the server's Redirect lines (try_redirect). The lines of the virtual host come
 * before those of the main server. Null if no line matches the URL.
 */
function mappedByRedirect(url: string, requestContext: RequestContext): UrlTarget | null {
  for (const scope of [...requestContext.scopes].reverse()) {
    for (const line of linesOf(scope, REDIRECT_NAMES, requestContext)) {
      const { status, otherWords } = redirectOf({ name: line.line.name, words: wordsOf(line) });
      const [redirectUrl = '', redirectTarget = ''] = otherWords;
      const isMatch =
        line.line.name === 'redirectmatch'
          ? matchesRegex(redirectUrl, url, { facts: requestContext.facts, place: requestContext.site.placeOf(line) })
          : matchedUrlLength(url, redirectUrl) > 0;
      if (isMatch) return { kind: 'redirect', path: redirectTarget, status, line };
    }
  }
  return null;
}

/**
 * The result of the server's Alias lines (try_alias_list). The lines of the virtual host come
 * before those of the main server. Null if no line matches the URL.
 */
function mappedByAlias(url: string, requestContext: RequestContext): UrlTarget | null {
  for (const scope of [...requestContext.scopes].reverse()) {
    for (const line of linesOf(scope, ALIAS_NAMES, requestContext)) {
      const mappedTarget = targetOfAlias(line, url, requestContext);
      if (mappedTarget) return mappedTarget;
    }
  }
  return null;
}

/** Where an Alias line leads. Null if it does not match the URL. */
function targetOfAlias(line: ConfigLine, url: string, requestContext: RequestContext): UrlTarget | null {
  const { serverRoot } = requestContext.site.configuration;
  const [aliasUrl = '', targetPath = ''] = wordsOf(line);
  const isUrlUnknown = hasUnknownPart(aliasUrl);
  const isUnknown = isUrlUnknown || hasUnknownPart(targetPath);
  if (!line.line.name.endsWith('match')) {
    const matchedLength = isUrlUnknown ? 0 : matchedUrlLength(url, aliasUrl);
    // An Alias with a known URL matches no other URLs, even if its target is not known.
    if (!isUrlUnknown && matchedLength === 0) return null;
    if (isUnknown) return { kind: 'unknown', path: '', line };
    return {
      kind: 'file',
      path: absolutePath(serverRoot, targetPath + url.slice(matchedLength)),
      base: absolutePath(serverRoot, targetPath),
      line,
    };
  }
  if (isUnknown) return { kind: 'unknown', path: '', line };
  if (!matchesRegex(aliasUrl, url, { facts: requestContext.facts, place: requestContext.site.placeOf(line) }))
    return null;
  const groups = matchedGroups(aliasUrl, url);
  if (groups === null && /[$&]/.test(targetPath)) return { kind: 'unknown', path: targetPath, line };
  const mappedPath = absolutePath(serverRoot, groups ? withGroups(targetPath, groups) : targetPath);
  return { kind: 'file', path: mappedPath, base: absolutePath(serverRoot, folderBeforeGroup(targetPath)), line };
}

/**
 * The result of UserDir (translate_userdir in modules/mappers/mod_userdir.c). Null if UserDir does
 * not map the URL.
 */
function mappedByUserDir(url: string, requestContext: RequestContext): UrlTarget | null {
  const userName = /^\/~([^/]+)/.exec(url)?.[1];
  if (userName === undefined || userName === '.' || userName === '..') return null;
  const userDirLines = requestContext.scopes.flatMap((scope) => linesOf(scope, USER_DIR_NAMES, requestContext));
  let homePatterns: readonly string[] | null = null;
  let userDirLine: ConfigLine | null = null;
  let areUsersDisabled = false;
  const userLists = { enabled: new Set<string>(), disabled: new Set<string>() };
  for (const line of userDirLines) {
    const [firstWord = '', ...names] = wordsOf(line);
    if (/^disabled?$/i.test(firstWord)) {
      if (names.length === 0) areUsersDisabled = true;
      else for (const each of names) userLists.disabled.add(each);
    } else if (/^enabled?$/i.test(firstWord)) for (const each of names) userLists.enabled.add(each);
    else {
      homePatterns = [firstWord, ...names];
      userDirLine = line;
    }
  }
  if (
    homePatterns === null ||
    userLists.disabled.has(userName) ||
    (areUsersDisabled && !userLists.enabled.has(userName))
  )
    return null;
  const pathInHome = url.slice(userName.length + 2);
  const homes = homePatterns.map((each) => {
    if (/^[a-z]+:\/\//i.test(each)) return null;
    if (isAbsolute(each))
      return each.includes('*') ? each.replace('*', userName) : `${each.replace(/\/$/, '')}/${userName}`;
    return requestContext.site.kind(`/home/${userName}`) === 'folder' ? `/home/${userName}/${each}` : null;
  });
  const existingHome = homes.find((each) => each !== null && requestContext.site.kind(each) !== null) ?? homes.at(-1);
  if (existingHome === null || existingHome === undefined)
    return { kind: 'unknown', path: `~${userName}${pathInHome}`, line: userDirLine };
  const homePath = absolutePath('/', existingHome);
  return { kind: 'file', path: absolutePath('/', existingHome + pathInHome), base: homePath, line: userDirLine };
}

/** The result of lines of other modules that may map any URL. Null if there is no such line. */
function mappedByOtherModule(url: string, requestContext: RequestContext): UrlTarget | null {
  for (const scope of requestContext.scopes) {
    const mappingLines = linesOf(scope, MAP_ANY_URL, requestContext).filter(
      ({ line }) => !VIRTUAL_ROOT_NAMES.has(line.name),
    );
    const matchingLine = mappingLines.find(
      (each) => !each.line.name.startsWith('wsgi') || matchedUrlLength(url, wordsOf(each)[0] ?? '') > 0,
    );
    if (matchingLine) return { kind: 'unknown', path: '', line: matchingLine };
  }
  return null;
}

/** The result of mod_vhost_alias. Null if it does not map the URL. */
function mappedByVirtualRoot(url: string, requestContext: RequestContext): UrlTarget | null {
  for (const scope of [...requestContext.scopes].reverse()) {
    const virtualRootLine = linesOf(scope, VIRTUAL_ROOT_NAMES, requestContext).at(-1);
    const [path = 'none'] = virtualRootLine ? wordsOf(virtualRootLine) : [];
    if (!virtualRootLine || path.toLowerCase() === 'none') continue;
    if (virtualRootLine.line.name !== 'virtualdocumentroot' || requestContext.hostName === '')
      return { kind: 'unknown', path: '', line: virtualRootLine };
    const root = absolutePath('/', withPartsOfHostName(path, requestContext));
    return { kind: 'file', path: absolutePath('/', root + url), base: root, line: virtualRootLine };
  }
  return null;
}

/**
 * Replaces `%1`, `%2` and so on by parts of the host name. They count from its beginning or from
 * its end (vhost_alias_interpolate).
 */
function withPartsOfHostName(path: string, { hostName, port }: RequestContext): string {
  const hostNameParts = hostName.split('.');
  return path.replace(
    /%(?:(%)|(p)|(-?\d+)(\+)?(?:\.(-?\d+)(\+)?)?)/g,
    (
      _,
      percent: string | undefined,
      portLetter: string | undefined,
      partNumber: string | undefined,
      partPlus: string | undefined,
      letterNumber: string | undefined,
      letterPlus: string | undefined,
    ) => {
      if (percent) return '%';
      if (portLetter) return String(port);
      const selectedPart = partOfHostName(hostNameParts, Number(partNumber), partPlus !== undefined, '.') ?? '_';
      return letterNumber === undefined
        ? selectedPart
        : (partOfHostName([...selectedPart], Number(letterNumber), letterPlus !== undefined, '') ?? '_');
    },
  );
}

/**
 * One part of a name, counted from 1, or from the end (-1). With `takesRest`, also the parts after
 * it, or before it if it is counted from the end. All parts for 0. Null if there is no such part.
 */
function partOfHostName(parts: readonly string[], number: number, takesRest: boolean, glue: string): string | null {
  if (number === 0) return parts.join(glue);
  const partIndex = number > 0 ? number - 1 : parts.length + number;
  if (partIndex < 0 || partIndex >= parts.length) return null;
  if (!takesRest) return parts[partIndex]!;
  return number > 0 ? parts.slice(partIndex).join(glue) : parts.slice(0, partIndex + 1).join(glue);
}

/** The note about an answer for which the default of DocumentRoot is assumed. */
export const ASSUMED_DOCUMENT_ROOT =
  'these files have no DocumentRoot line: its default, `htdocs` below ServerRoot, is assumed';

/** The file below the document root. */
function mappedByDocumentRoot(url: string, requestContext: RequestContext): UrlTarget {
  const { path: base, line, isAssumed } = findDocumentRoot(requestContext);
  if (hasUnknownPart(base)) return { kind: 'unknown', path: base, line };
  if (isAssumed) requestContext.noteFact({ what: ASSUMED_DOCUMENT_ROOT, place: null });
  return { kind: 'file', path: absolutePath('/', base + url), base, line };
}

/**
 * The directory in a target before its first reference to a group of the pattern, such as `$1`.
 * Without such a reference, the whole target.
 */
function folderBeforeGroup(target: string): string {
  const firstGroupIndex = target.search(/[$&]/);
  return firstGroupIndex < 0 ? target : target.slice(0, target.lastIndexOf('/', firstGroupIndex) + 1) || '/';
}
