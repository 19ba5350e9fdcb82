/**
 * Decides what httpd answers after access is granted, if that is another status: Redirect lines in
 * sections (fixup_redir in mod_alias.c), and the index or listing of a directory (mod_dir,
 * mod_autoindex).
 */
import type { ConfigLine, Scope } from '../config/configuration';
import { linesOf, type RequestContext } from './asking';
import type { AccessDecision } from './deciding';
import { setsOption } from './options';
import { namesNoUrl, redirectOf } from './mapping';
import { matchedUrlLength, matchesRegex } from './patterns';
import type { AppliedSection } from './section';
import { wordsOf } from './site';

/** The redirect by a Redirect line in a section. Null if no such line applies to the URL. */
export function redirectOfSections(
  sections: readonly AppliedSection[],
  requestContext: RequestContext,
): { readonly status: number; readonly path: string; readonly line: ConfigLine } | null {
  // The lines of inner sections come first (merge_alias_dir_config in mod_alias.c).
  for (const { lines } of [...sections].reverse())
    for (const line of lines) {
      if (!line.line.name.startsWith('redirect')) continue;
      const { status, otherWords } = redirectOf({ name: line.line.name, words: wordsOf(line) });
      const [from = '', to = ''] = otherWords;
      const isMatch =
        line.line.name === 'redirectmatch'
          ? matchesRegex(from, requestContext.url, {
              facts: requestContext.facts,
              place: requestContext.site.placeOf(line),
            })
          : namesNoUrl({ status, otherWords }) || matchedUrlLength(requestContext.url, from) > 0;
      if (isMatch) return { status, path: to === '' ? from : to, line };
    }
  return null;
}

/**
 * The ErrorDocument line that applies to a status, if its value is a whole URL, so that httpd
 * answers with a redirect. Otherwise null.
 */
export function errorRedirect(
  status: number,
  sections: readonly AppliedSection[],
  requestContext: RequestContext,
): ConfigLine | null {
  const errorDocumentLines = linesOfContexts(sections, ERROR_DOCUMENT, requestContext).flat();
  const lineOfStatus = errorDocumentLines.findLast((each) => wordsOf(each)[0] === String(status)) ?? null;
  return lineOfStatus && /^\w+:\/\//.test(wordsOf(lineOfStatus)[1] ?? '') ? lineOfStatus : null;
}

/** The file names of the DirectoryIndex that applies; `index.html` if no line sets them. */
export function indexNames(sections: readonly AppliedSection[], requestContext: RequestContext): readonly string[] {
  let names: readonly string[] = ['index.html'];
  for (const lines of linesOfContexts(sections, DIRECTORY_INDEX, requestContext)) {
    const words = lines.flatMap(wordsOf);
    if (words.length > 0) names = words.filter((word) => word.toLowerCase() !== 'disabled');
  }
  return names;
}

/** The URL of the FallbackResource that applies. Null if there is none. */
export function fallbackUrl(sections: readonly AppliedSection[], requestContext: RequestContext): string | null {
  const fallbackLine = linesOfContexts(sections, FALLBACK_RESOURCE, requestContext).flat().at(-1);
  const url = fallbackLine ? (wordsOf(fallbackLine)[0] ?? '') : '';
  return url.startsWith('/') ? url.split('?', 1)[0]! : null;
}

/**
 * Whether httpd redirects the URL of a directory without a slash at its end to the URL with the
 * slash (DirectorySlash).
 */
export function redirectsToSlash(sections: readonly AppliedSection[], requestContext: RequestContext): boolean {
  const directorySlashLine = linesOfContexts(sections, DIRECTORY_SLASH, requestContext).flat().at(-1);
  return directorySlashLine === undefined || wordsOf(directorySlashLine)[0]?.toLowerCase() !== 'off';
}

/**
 * The refusal of a directory without an index file. Null if httpd does not refuse the request, but
 * answers with a listing, 404 or 405.
 */
export function listingRefusal(
  sections: readonly AppliedSection[],
  requestContext: RequestContext,
): AccessDecision | null {
  const { site, facts, request } = requestContext;
  // Listings are only for GET and HEAD (handle_autoindex in mod_autoindex.c).
  if (request.method !== 'GET' && request.method !== 'HEAD') return null;
  const { modules, loadedModules } = site.configuration;
  const isLoaded =
    modules.length === 0 || loadedModules.has('mod_autoindex.c') || site.hasModule('mod_autoindex', null, false, facts);
  if (!isLoaded) return null;
  const { isSet, line } = stateOfOption(sections, 'indexes', site.version === '2.2', requestContext);
  if (isSet) return null;
  return {
    access: 'denied',
    why: 'the directory has no index file, and Options does not allow a listing',
    lines: line ? [line] : [],
  };
}

/**
 * The refusal of a script that Options does not allow to run (cgi_handler in mod_cgi.c). Null if it
 * may run, or if the file is no script. `name`: the name of the file.
 */
export function scriptRefusal(
  name: string,
  sections: readonly AppliedSection[],
  requestContext: RequestContext,
): AccessDecision | null {
  const { site } = requestContext;
  const { modules, loadedModules } = site.configuration;
  const isLoaded = modules.length === 0 || loadedModules.has('mod_cgi.c') || loadedModules.has('mod_cgid.c');
  if (!isLoaded || !isRunAsScript(name, sections, requestContext)) return null;
  const { isSet, line } = stateOfOption(sections, 'execcgi', site.version === '2.2', requestContext);
  if (isSet) return null;
  return {
    access: 'denied',
    why: 'the file is a CGI script, and Options does not allow ExecCGI',
    lines: line ? [line] : [],
  };
}

/** Whether the handler of a file is `cgi-script`. SetHandler replaces AddHandler. */
function isRunAsScript(name: string, sections: readonly AppliedSection[], requestContext: RequestContext): boolean {
  const handlerLines = linesOfContexts(sections, HANDLER_DIRECTIVES, requestContext).flat();
  const setHandlerLine = handlerLines.findLast(({ line }) => line.name === 'sethandler');
  const handlerName = setHandlerLine && wordsOf(setHandlerLine)[0]?.toLowerCase();
  if (handlerName !== undefined && handlerName !== 'none') return handlerName === 'cgi-script';
  let isCgiExtension = false;
  for (const extension of name.toLowerCase().split('.').slice(1))
    for (const line of handlerLines) {
      const words = wordsOf(line).map((word) => word.toLowerCase());
      const extensions = line.line.name === 'addhandler' ? words.slice(1) : words;
      if (!extensions.some((each) => each.replace(/^\./, '') === extension)) continue;
      isCgiExtension = line.line.name === 'addhandler' && words[0] === 'cgi-script';
    }
  return isCgiExtension;
}

/**
 * Whether Options sets an option for the request, and the line that decides it. `isSetByDefault`:
 * whether it is set if no line decides.
 */
export function stateOfOption(
  sections: readonly AppliedSection[],
  option: string,
  isSetByDefault: boolean,
  requestContext: RequestContext,
): { readonly isSet: boolean; readonly line: ConfigLine | null } {
  let optionState: { readonly isSet: boolean; readonly line: ConfigLine | null } = {
    isSet: isSetByDefault,
    line: null,
  };
  for (const line of linesOfContexts(sections, OPTIONS_DIRECTIVE, requestContext).flat()) {
    const isSet = setsOption(wordsOf(line), option);
    if (isSet !== null) optionState = { isSet, line };
  }
  return optionState;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Names of directives, as the sets that `linesOfContexts` takes. */
const DIRECTORY_INDEX = new Set(['directoryindex']);
const FALLBACK_RESOURCE = new Set(['fallbackresource']);
const ERROR_DOCUMENT = new Set(['errordocument']);
const DIRECTORY_SLASH = new Set(['directoryslash']);
const OPTIONS_DIRECTIVE = new Set(['options']);
const HANDLER_DIRECTIVES = new Set(['sethandler', 'addhandler', 'removehandler']);

/**
 * The lines of these directives, in the order in which httpd merges them: one list for the main
 * server, one for the virtual host, and then one for each section.
 */
function linesOfContexts(
  sections: readonly AppliedSection[],
  names: ReadonlySet<string>,
  requestContext: RequestContext,
): readonly (readonly ConfigLine[])[] {
  return [
    ...requestContext.scopes.map((scope: Scope) => linesOf(scope, names, requestContext)),
    ...sections.map(({ lines }) => lines.filter(({ line }) => names.has(line.name))),
  ];
}
