/**
 * Finds the RewriteRules that apply to a request: those of the server (hook_uri2file in
 * modules/mappers/mod_rewrite.c), and those of a directory or .htaccess file (hook_fixup).
 * rewrite-list.ts runs them.
 */
import type { ConfigLine } from '../config/configuration';
import { stateOfOption } from './after-access';
import { locationsApplied, patternOf } from './applied';
import { linesOf, type RequestContext } from './asking';
import { NO_REWRITING, type UrlTarget, type RewriteEnd, type RewriteResult } from './mapped';
import { runRules } from './rewrite-list';
import type { AppliedSection } from './section';
import { findDocumentRoot } from './server-paths';
import { wordsOf } from './site';

/**
 * The result of the RewriteRules of the server for the URL. If a virtual host answers, its rules
 * count, and those of the main server only if it inherits them.
 */
export function runServerRules(requestContext: Omit<RequestContext, 'serverRewriting'>): RewriteResult {
  const contextBeforeRules: RequestContext = { ...requestContext, serverRewriting: NO_REWRITING };
  const linesOfScopes = requestContext.scopes.map((scope) => linesOf(scope, REWRITE_NAMES, contextBeforeRules));
  const linesOfServer = linesOfScopes.at(-1)!;
  if (linesOfServer.length === 0) return NO_REWRITING;
  const linesOfLocations = locationsApplied(contextBeforeRules).map(({ lines }) =>
    lines.filter(({ line }) => REWRITE_NAMES.has(line.name)),
  );
  if (!isEngineOn([...linesOfScopes, ...linesOfLocations])) return NO_REWRITING;
  const startRequest = {
    path: requestContext.url,
    pathInfo: '',
    query: requestContext.request.query,
    directory: null,
    isSubrequest: requestContext.directoryOfIndexFile !== undefined,
  };
  return runRules(mergedRules(linesOfScopes).lines, startRequest, contextBeforeRules);
}

/** Where the RewriteRules of a directory lead. `forbidden`: Options does not allow RewriteRules. */
export type DirectoryEnd =
  | Exclude<RewriteEnd, { readonly kind: 'path' | 'none' }>
  | { readonly kind: 'forbidden'; readonly line: ConfigLine | null }
  | {
      readonly kind: 'url';
      readonly url: string;
      readonly query: string;
      readonly line: ConfigLine;
      /** Whether no further rules apply to the new URL. */
      readonly isLast: boolean;
    };

/** The file of the request. `path`: without the part of the URL after the file's name. */
export interface RewrittenFile {
  readonly path: string;
  readonly pathInfo: string;
  readonly mappedFile: Extract<UrlTarget, { readonly kind: 'file' }>;
}

/** Runs the RewriteRules of directories. Null if they do not change the request. */
export function runDirectoryRules(
  sections: readonly AppliedSection[],
  file: RewrittenFile,
  requestContext: RequestContext,
): DirectoryEnd | null {
  const linesOfSections = sections.map(({ lines }) => lines.filter(({ line }) => REWRITE_NAMES.has(line.name)));
  const innermostIndex = linesOfSections.findLastIndex((lines) => lines.length > 0);
  if (innermostIndex < 0) return null;
  const linesOfServers = requestContext.scopes.map((scope) => linesOf(scope, REWRITE_NAMES, requestContext));
  if (!isEngineOn([...linesOfServers, ...linesOfSections])) return null;
  const directory = directoryOf(sections[innermostIndex]!);
  // If the URL of a directory has no slash at its end, mod_dir redirects it before the rules run.
  // The option AllowNoSlash of RewriteOptions changes that.
  const rulesAndOptions = mergedRules([
    ...linesOfServers.map(rewriteOptionsLines),
    ...linesOfSections.filter((lines) => lines.length > 0),
  ]);
  if (`${file.path}/` === directory && file.pathInfo === '' && !rulesAndOptions.hasOption('allownoslash')) return null;
  const linkOptions = ['followsymlinks', 'symlinksifownermatch'].map((name) =>
    stateOfOption(sections, name, true, requestContext),
  );
  if (linkOptions.every(({ isSet }) => !isSet)) return { kind: 'forbidden', line: linkOptions[0]!.line };
  const startRequest = {
    path: file.path,
    pathInfo: file.pathInfo,
    query: requestContext.request.query,
    directory,
    isSubrequest: requestContext.directoryOfIndexFile !== undefined,
  };
  const { end, isLast } = runRules(rulesAndOptions.lines, startRequest, requestContext);
  if (end.kind === 'none') return null;
  if (end.kind !== 'path') return end;
  if (end.path === file.path) return null;
  const rewriteBaseLine = linesOfSections[innermostIndex]!.findLast(({ line }) => line.name === 'rewritebase');
  const url = urlOfPath(
    end.path,
    { directory, base: rewriteBaseLine ? (wordsOf(rewriteBaseLine)[0] ?? '/') : null, file },
    requestContext,
  );
  return { kind: 'url', url, query: end.query, line: end.line, isLast };
}

// ---------------------------------------------------------------------------------------------------------------------

const REWRITE_NAMES = new Set(['rewriteengine', 'rewritecond', 'rewriterule', 'rewriteoptions', 'rewritebase']);

/** Whether the innermost RewriteEngine line is `On`. */
function isEngineOn(linesOfSections: readonly (readonly ConfigLine[])[]): boolean {
  const engineLine = linesOfSections.flat().findLast(({ line }) => line.name === 'rewriteengine');
  return engineLine !== undefined && wordsOf(engineLine)[0]?.toLowerCase() === 'on';
}

/** The RewriteOptions lines among some lines. */
function rewriteOptionsLines(lines: readonly ConfigLine[]): ConfigLine[] {
  return lines.filter(({ line }) => line.name === 'rewriteoptions');
}

/**
 * The rules and RewriteOptions that apply: the rules of the innermost section, and those of the
 * sections around it if RewriteOptions has a word such as `Inherit` (config_server_merge,
 * config_perdir_merge).
 */
function mergedRules(linesOfSections: readonly (readonly ConfigLine[])[]): {
  readonly lines: readonly ConfigLine[];
  readonly hasOption: (option: string) => boolean;
} {
  let activeRuleLines: readonly ConfigLine[] = [];
  let options = new Set<string>();
  for (const each of linesOfSections) {
    const activeLines = each.slice(0, each.findLastIndex(({ line }) => line.name === 'rewriterule') + 1);
    const optionWords = rewriteOptionsLines(each).flatMap(wordsOf);
    const outerOptions = options;
    if (optionWords.length > 0) options = new Set(optionWords.map((word) => word.toLowerCase()));
    const isInherited = (name: string) => outerOptions.has(name) && !options.has('ignoreinherit');
    if (options.has('inherit') || isInherited('inheritdown')) activeRuleLines = [...activeLines, ...activeRuleLines];
    else if (options.has('inheritbefore') || isInherited('inheritdownbefore'))
      activeRuleLines = [...activeRuleLines, ...activeLines];
    else activeRuleLines = activeLines;
  }
  return { lines: activeRuleLines, hasOption: (option) => options.has(option) };
}

/** The directory that mod_rewrite uses for the rules in a section (config_perdir_create). */
function directoryOf({ scope, folder }: AppliedSection): string {
  const directoryPath =
    folder !== null && (scope.kind === 'htaccess' || !/[*?[]/.test(patternOf(scope).text))
      ? folder
      : patternOf(scope).text;
  return directoryPath.endsWith('/') ? directoryPath : `${directoryPath}/`;
}

/**
 * The URL that mod_rewrite makes from the path to which the rules of a directory lead (hook_fixup,
 * "it was finally rewritten to a local path").
 */
function urlOfPath(
  path: string,
  { directory, base, file }: { readonly directory: string; readonly base: string | null; readonly file: RewrittenFile },
  requestContext: RequestContext,
): string {
  const withReplacedPrefix = (prefix: string, newPrefix: string): string | null => {
    const prefixWithSlash = `${prefix.replace(/\/$/, '')}/`;
    return path.startsWith(prefixWithSlash)
      ? `${newPrefix.replace(/\/$/, '')}/${path.slice(prefixWithSlash.length)}`
      : null;
  };
  const root = findDocumentRoot(requestContext).path;
  const usualUrl = base === null ? withReplacedPrefix(root, '') : withReplacedPrefix(directory, base);
  if (usualUrl !== null || requestContext.site.version === '2.2') return usualUrl ?? path;
  const { line, base: mappedBase } = file.mappedFile;
  const isAlias = line !== null && /^(script)?alias$|^userdir$|^virtual/.test(line.line.name);
  const pathAfterMapping = file.mappedFile.path.startsWith(mappedBase)
    ? file.mappedFile.path.slice(mappedBase.length)
    : null;
  const urlPrefix =
    pathAfterMapping !== null && requestContext.url.endsWith(pathAfterMapping)
      ? requestContext.url.slice(0, requestContext.url.length - pathAfterMapping.length)
      : null;
  return (
    (isAlias && urlPrefix !== null ? withReplacedPrefix(mappedBase, urlPrefix) : withReplacedPrefix(root, '')) ?? path
  );
}
