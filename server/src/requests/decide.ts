/**
 * Computes what a server answers to one request, and why:
 *
 * decide(request: Request, configuration: RequestConfiguration, server: RequestServer): Answer
 *
 * The answer is `unknown` if it depends on facts that the files do not show; `Answer.unknown` lists
 * these facts. The types are in model.ts, and parse.ts makes a request from text. The function is
 * pure: it reads files only through a view. Of the .htaccess files, it reads only those on the path
 * of the request.
 *
 * Steps, as in ap_process_request_internal (server/request.c): the virtual host (virtual-host.ts),
 * the target of the URL (mapping.ts), the sections (applied.ts), the decision (deciding.ts).
 */
import type { Scope } from '../config/configuration';
import { CLIENT_ADDRESS_DIRECTIVES } from '../access/client-address';
import { isAccessLine } from '../access/read';
import { isPlaceholder } from '../access/require';
import type { ConfigLine } from '../config/configuration';
import { isWithin, parentOf } from '../config/files';
import { lineWithUnknownVariable } from '../config/virtual-host-lines';
import {
  errorRedirect,
  fallbackUrl,
  indexNames,
  listingRefusal,
  redirectOfSections,
  redirectsToSlash,
  scriptRefusal,
} from './after-access';
import { cacheOf, lazy } from '../syntax/memory';
import { sectionsForPath, sectionsForProxy } from './applied';
import type { AppliedSection, AppliedSections } from './section';
import { lastLine, linesOf, type RequestContext } from './asking';
import { decideAccess, type AccessDecision } from './deciding';
import { NO_REWRITING, type UrlTarget } from './mapped';
import { mapUrl } from './mapping';
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
import { hostInIfDefine, type OptionalHost } from './open-host';
import { readsDebianLoadFiles, isQuotedTag, siteOf, textOf, wordsOf, type Site } from './site';
import { runDirectoryRules, runServerRules, type DirectoryEnd } from './rewriting';
import { decisionIfNotStarting } from './start';
import { decodeUrlPath } from './url';
import { chooseHost } from './virtual-host';

/**
 * Computes the answer of a server to a request. `limit`: a limit of the work that several answers
 * share (`workLimit`); without it, each answer has a limit of its own. `ignoresMissingParts`: see
 * OpenFacts.
 */
export function decide(
  request: Request,
  configuration: RequestConfiguration,
  server: RequestServer,
  { limit, ignoresMissingParts }: { readonly limit?: WorkLimit; readonly ignoresMissingParts?: boolean } = {},
): Answer {
  const site = siteOf(configuration, server);
  if (!site) return unknownAnswer(server, 'the main file cannot be read');
  const { count, mayGoOn } = limit ?? workLimit(site);
  const { results, decisiveFacts } = explore(
    (facts) => count(facts, computeAnswer(request, site, facts)),
    ({ answer }) => answer.access,
    { mayGoOn, ignoresMissingParts },
  );
  const [firstResult] = results as [ComputedAnswer];
  const isAnswerKnown = results.length === 1 && decisiveFacts.length === 0;
  const { answer, unknownFacts } = firstResult;
  const allUnknownFacts = uniqueFacts([
    ...decisiveFacts,
    ...results.flatMap((each) => each.answer.unknown),
    ...unknownFacts,
  ]);
  // If the search for sections ended early in some results, only the complete results are compared.
  const resultsOfFullSearch = results.filter((each) => !each.isSearchCutShort);
  const comparedResults = resultsOfFullSearch.length > 0 ? resultsOfFullSearch : results;
  return {
    ...answer,
    target: commonTarget(comparedResults.map((each) => each.answer.target)),
    sections:
      comparedResults.length === 1
        ? comparedResults[0]!.answer.sections
        : joinedSectionRows(comparedResults.map((each) => each.answer.sections)),
    access: isAnswerKnown ? answer.access : 'unknown',
    because: isAnswerKnown ? answer.because : [],
    why: isAnswerKnown ? answer.why : WHY_ANSWER_UNKNOWN,
    unknown: allUnknownFacts,
  };
}

/** The reason of an answer that depends on facts which are listed with it. */
export const WHY_ANSWER_UNKNOWN = 'the answer depends on facts that the files do not show';

/** Maximum number of computations in `accessInCopy`. */
const MAX_RUNS_IN_COPY = 128;

/**
 * The access that a server gives if the .htaccess files that this copy lacks do not exist on the
 * server either. `unknown` if it depends on other facts, or if a limit ends the computation.
 */
export function accessInCopy(request: Request, configuration: RequestConfiguration, server: RequestServer): Access {
  const site = siteOf(configuration, server);
  if (!site) return 'unknown';
  let runCount = 0;
  const limit = workLimit(site);
  const { results, isStopped } = explore(
    (facts) => {
      runCount += 1;
      const { answer } = limit.count(facts, computeAnswer(request, site, facts));
      const needsMissingFile = [...facts.askedFacts.values()].some(
        ({ fact, holds }) => holds && fact.accessFileOf !== undefined,
      );
      return needsMissingFile ? null : answer.access;
    },
    String,
    { maxRuns: MAX_RUNS_IN_COPY, mayGoOn: limit.mayGoOn },
  );
  const [access, ...otherAccesses] = results.filter((each) => each !== null);
  return access === undefined || otherAccesses.length > 0 || runCount >= MAX_RUNS_IN_COPY || isStopped
    ? 'unknown'
    : access;
}

/**
 * The paths, macros and tags of the parts that this copy lacks, or that this program does not read.
 */
export function namesOfMissingParts(configuration: RequestConfiguration): string[] {
  const site = siteOf(configuration, '2.4-compat');
  return site ? [...new Set(gapsOf(site).map(({ what }) => what))] : [];
}

/**
 * The first virtual host that httpd reads only with a certain name (`-D`), if the files do not show
 * whether the name is set. The result has advice for the user. Null if there is no such host.
 */
export function optionalHost(configuration: RequestConfiguration): OptionalHost | null {
  const site = siteOf(configuration, '2.4-compat');
  return site && hostInIfDefine(site, 80);
}

/** An answer that was computed with one assumption about each fact that the files do not show. */
export interface ComputedAnswer {
  readonly answer: Answer;
  readonly unknownFacts: readonly UnknownFact[];
  /** The virtual host that answers. Null for the main server, and if it is unknown. */
  readonly hostScope: Scope | null;
  /** The sections that apply, in the order of the server. */
  readonly sections: readonly AppliedSection[];
  /** Whether the search for sections ended early, because a .htaccess file cannot be evaluated. */
  readonly isSearchCutShort: boolean;
}

/** Computes the answer with the assumptions in `facts`. together.ts uses it to compare servers. */
export function computeAnswer(request: Request, site: Site, facts: OpenFacts): ComputedAnswer {
  return new AnswerComputation(request, site, facts).computeAnswer();
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Limit of the work for one answer (`OpenFacts.workDone`): this base for a short file, and
 * `WORK_OF_CHARACTER` for each character of the files. Above it, the answer is unknown. A short
 * file that is included often cannot take long, and a long configuration still gets an answer.
 */
const WORK_OF_SHORT_FILE = 1_500_000;
const WORK_OF_CHARACTER = 60;

/** Counts the work of computations, and decides whether one more may run. */
export interface WorkLimit {
  /**
   * Subtracts the work that a finished computation did (`facts.workDone`). Returns `result`
   * unchanged, so that a call can be wrapped around the computation.
   */
  count<Result>(facts: OpenFacts, result: Result): Result;
  /** Whether the limit is not reached yet. */
  mayGoOn(): boolean;
}

/** Makes a limit that grows with the length of the configuration's files. */
export function workLimit({ configuration }: Site): WorkLimit {
  const trees = new Set([...configuration.files.values()].map(({ tree }) => tree));
  const totalLength = [...trees].reduce((sum, { root }) => sum + root.length, 0);
  let workLeft = WORK_OF_SHORT_FILE + WORK_OF_CHARACTER * totalLength;
  return {
    count: (facts, result) => {
      workLeft -= facts.workDone;
      return result;
    },
    mayGoOn: () => workLeft > 0,
  };
}

/**
 * The target that all answers have. If their targets are a directory and files in it, such as index
 * files, the result is the directory. Otherwise it is unknown.
 */
function commonTarget(targets: readonly RequestTarget[]): RequestTarget {
  const [firstTarget] = targets as [RequestTarget];
  if (targets.every(({ path }) => path === firstTarget.path)) return firstTarget;
  const directory = targets.find(({ kind }) => kind === 'directory');
  const isOfDirectory = ({ kind, path }: RequestTarget) =>
    (kind === 'directory' || kind === 'file') && isWithin(path, directory!.path.replace(/(?<=.)\/$/, ''));
  return directory && targets.every(isOfDirectory) ? directory : UNKNOWN_TARGET;
}

/** An answer that is unknown for this reason. */
function unknownAnswer(server: RequestServer, reason: string): Answer {
  return {
    server,
    access: 'unknown',
    because: [],
    why: reason,
    host: { name: '', place: null, why: reason },
    target: { kind: 'unknown', path: '', place: null },
    sections: [],
    unknown: [{ what: reason, place: null }],
  };
}

/** Computes one answer, with the assumptions in `facts`. */
class AnswerComputation {
  private readonly unknownFacts: UnknownFact[] = [];
  private host: AnsweringHost = { name: '', place: null, why: '' };
  private hostScope: Scope | null = null;
  private target: RequestTarget = UNKNOWN_TARGET;
  /** If the target is a handler: whether the URL leads to a file. */
  private hasFile = false;
  private appliedSections: AppliedSections | null = null;
  /** The number of requests for index files and FallbackResource so far. */
  private redirectCount = 0;
  /** The number of internal redirects by RewriteRules so far. */
  private rewritingCount = 0;
  /**
   * The file to which the URL is mapped. Its path may continue after the name of the file. Null if
   * the URL leads to no file, and before it is mapped.
   */
  private mappedFile: Extract<UrlTarget, { kind: 'file' }> | null = null;

  constructor(
    private readonly request: Request,
    private readonly site: Site,
    private readonly facts: OpenFacts,
  ) {}

  /** Decides the request. The answer still has no list of unknown facts. */
  computeAnswer(): ComputedAnswer {
    const decision = this.decideRequest();
    const { site, appliedSections } = this;
    // The rows are computed on first use, because comparisons of many requests do not need them.
    const sectionRows = lazy(() => (appliedSections ? rowsOf(appliedSections, site) : []));
    const answer: Answer = {
      server: site.server,
      access: decision.access,
      because: uniquePlaces(decision.lines.map((line) => site.reasonOf(line))),
      why: decision.why,
      ...(decision.losing && { losing: { ...decision.losing, line: site.reasonOf(decision.losing.line) } }),
      host: this.host,
      target: this.target,
      get sections() {
        return sectionRows();
      },
      unknown: [],
    };
    return {
      answer,
      unknownFacts: this.unknownFacts,
      hostScope: this.hostScope,
      sections: appliedSections?.sections ?? [],
      isSearchCutShort: appliedSections?.earlyAnswer?.access === 'unknown',
    };
  }

  /** Chooses the virtual host, checks that its lines are known, decodes the URL, and decides. */
  private decideRequest(): AccessDecision {
    const { site, facts, request } = this;
    facts.workDone += site.root.children.length / 5;
    const chosenHost = chooseHost(request, site, facts);
    if (!chosenHost) {
      this.unknownFacts.push(unknownHostFact(site, request));
      return unknownDecision('the virtual host is unknown');
    }
    this.host = chosenHost.answeringHost;
    this.hostScope = chosenHost.scope;
    this.unknownFacts.push(...chosenHost.unknownFacts);
    if (/[a-z]/.test(request.method))
      this.unknownFacts.push({
        what: `\`${request.method}\` is not \`${request.method.toUpperCase()}\`: methods keep their case`,
        place: null,
      });
    const decisionAtStart = decisionIfNotStarting(site);
    if (decisionAtStart) return decisionAtStart;
    const scopes = chosenHost.scope ? [site.root, chosenHost.scope] : [site.root];
    if (mayMissLines(site, chosenHost.scope, facts)) return unknownDecision('a part of the configuration is not read');
    const differentLineFact = site.differentlyReadLine;
    if (differentLineFact) {
      this.unknownFacts.push(differentLineFact);
      return unknownDecision('2.2 reads a line differently than this program');
    }
    if (site.hasQuotedTag) {
      const unknownBecauseOfTag = this.unknownIfTagIsQuoted(scopes.flatMap(({ lines }) => lines));
      if (unknownBecauseOfTag) return unknownBecauseOfTag;
    }
    const draftContext: RequestContext = {
      request,
      site,
      facts,
      scopes,
      hostName: chosenHost.name,
      port: chosenHost.port,
      url: request.path,
      pathForRegexes: request.path,
      requestLine: `${request.method} ${request.path}${request.query && `?${request.query}`} HTTP/1.1`,
      serverRewriting: NO_REWRITING,
      noteFact: (fact) => this.unknownFacts.push(fact),
    };
    const firstArgumentOf = (name: string, usualValue: string) => {
      const lineOfDirective = lastLine(name, draftContext);
      return (lineOfDirective && wordsOf(lineOfDirective)[0]?.toLowerCase()) ?? usualValue;
    };
    const encodedSlashes = firstArgumentOf('allowencodedslashes', 'off');
    const mergesSlashes = site.hasMergeSlashes && firstArgumentOf('mergeslashes', 'on') !== 'off';
    const url = decodeUrlPath(request.path, { version: site.version, encodedSlashes, mergesSlashes });
    if ('status' in url) {
      this.target = { kind: 'refused', path: request.path, place: null };
      const reason = `${url.why}: httpd answers ${url.status} before access control`;
      return { access: 'granted', why: reason, lines: [] };
    }
    if (url.isOtherEncoding || (/[^ -~]/.test(url.path) && site.hasOtherEncoding)) {
      const reason = 'letters of the path have another encoding than UTF-8';
      this.unknownFacts.push({ what: reason, place: null });
      return unknownDecision(reason);
    }
    const requestAsSeen = mayAddressBeReplaced(draftContext) ? { ...request, from: null } : request;
    return this.decideUrl({
      ...draftContext,
      request: requestAsSeen,
      url: url.path,
      pathForRegexes: url.pathForRegexes,
    });
  }

  /**
   * An unknown answer if a section tag in quotes comes before the deciding lines: httpd reads it as
   * a tag, but this program does not. Otherwise null.
   */
  private unknownIfTagIsQuoted(lines: readonly ConfigLine[]): AccessDecision | null {
    const tag = lines.find(isQuotedTag);
    if (!tag) return null;
    this.unknownFacts.push({ what: `how httpd reads \`${textOf(tag.line)}\``, place: this.site.placeOf(tag) });
    return unknownDecision('a tag is in quotes');
  }

  /**
   * Maps the URL, finds the sections that apply, and decides. `runsServerRules`: whether the
   * server's RewriteRules run.
   */
  private decideUrl(originalContext: RequestContext, runsServerRules = true): AccessDecision {
    const { assumedFile } = originalContext.request;
    const serverRewriting =
      runsServerRules && assumedFile === undefined
        ? runServerRules(originalContext)
        : { ...NO_REWRITING, isLast: true };
    // With the flag `[PT]`, Location sections are compared with the changed URL.
    const { end } = serverRewriting;
    const passedPath = end.kind === 'path' && end.passesToUrl ? end.path : null;
    const requestContext: RequestContext = {
      ...originalContext,
      serverRewriting,
      ...(passedPath !== null && { url: passedPath, pathForRegexes: passedPath }),
    };
    const mappedTarget: UrlTarget =
      assumedFile === undefined
        ? mapUrl(requestContext, end)
        : { kind: 'file', path: assumedFile, base: parentOf(assumedFile), line: null };
    const mappingPlace = mappedTarget.line ? this.site.placeOf(mappedTarget.line) : null;
    switch (mappedTarget.kind) {
      case 'redirect':
        this.target = { kind: 'redirect', path: mappedTarget.path, place: mappingPlace };
        return redirectDecision(mappedTarget);
      case 'unknown':
        this.target = { kind: 'unknown', path: mappedTarget.path, place: mappingPlace };
        this.unknownFacts.push({ what: reasonOfUnknownTarget(mappedTarget.line), place: mappingPlace });
        return unknownDecision('the target of the URL is unknown');
      case 'proxy':
        this.target = { kind: 'proxy', path: mappedTarget.path, place: mappingPlace };
        this.appliedSections = sectionsForProxy(mappedTarget.path, requestContext);
        return this.decideBySections(this.appliedSections.sections, requestContext);
      case 'file': {
        // httpd answers TRACE before it looks for the sections of directories (http_send_trace).
        if (requestContext.request.method === 'TRACE') {
          this.target = { kind: 'file', path: mappedTarget.path, place: mappingPlace };
          return { access: 'granted', why: 'httpd answers TRACE before access control', lines: [] };
        }
        const appliedSections = sectionsForPath(mappedTarget.path, mappedTarget.base, requestContext);
        this.mappedFile = mappedTarget;
        this.appliedSections = appliedSections;
        const { kind, path } = appliedSections.target;
        this.target = { kind, path, place: mappingPlace };
        if (appliedSections.earlyAnswer) {
          const { access, why, lines } = appliedSections.earlyAnswer;
          return { access, why, lines };
        }
        this.notePermissions(mappedTarget.base, appliedSections);
        return this.decideBySections(appliedSections.sections, requestContext);
      }
    }
  }

  /**
   * Adds a note if not every user of the machine may read the target, or enter its directories
   * below `base`. httpd answers 403 if its own user may not. The owner of the files is not
   * compared, because a copy can have another owner.
   */
  private notePermissions(base: string, { target }: AppliedSections): void {
    if (target.kind === 'missing') return;
    const topFolder = base.replace(/(?<=.)\/$/, '');
    let currentPath = target.path.replace(/(?<=.)\/$/, '');
    const pathsToEnter: string[] = [];
    for (; currentPath !== topFolder && isWithin(currentPath, topFolder); currentPath = parentOf(currentPath))
      pathsToEnter.push(currentPath);
    if (currentPath === topFolder) pathsToEnter.push(topFolder);
    for (const path of pathsToEnter) {
      const mode = this.site.kind(path) === null ? null : this.site.mode(path);
      // The user of the server must be able to read a file, and to enter a directory.
      if (mode === null || (mode & (this.site.kind(path) === 'folder' ? 0o001 : 0o004)) !== 0) continue;
      const modeText = (mode & 0o777).toString(8).padStart(4, '0');
      this.unknownFacts.push({
        what: `whether the server's user may read \`${path}\`: its mode is ${modeText}`,
        place: null,
      });
    }
  }

  /** Decides by the sections that apply to the target, and by what comes after access control. */
  private decideBySections(sections: readonly AppliedSection[], requestContext: RequestContext): AccessDecision {
    const handler = sections.flatMap(({ lines }) => lines).findLast(({ line }) => line.name === 'sethandler');
    const handlerName = handler && wordsOf(handler)[0];
    if (
      handler &&
      handlerName !== undefined &&
      !/^(none|default-handler)$/i.test(handlerName) &&
      this.target.kind !== 'proxy'
    ) {
      this.hasFile = this.target.kind === 'file';
      this.target = { kind: 'handler', path: handlerName, place: this.site.placeOf(handler) };
    }
    const unknownBecauseOfTag = this.site.hasQuotedTag
      ? this.unknownIfTagIsQuoted(sections.flatMap(({ lines }) => lines))
      : null;
    const decision = unknownBecauseOfTag ?? decideAccess(sections, requestContext);
    const finalDecision =
      (decision.access === 'granted' && this.decideAfterAccess(sections, requestContext)) || decision;
    const status = finalDecision.access === 'denied' ? 403 : finalDecision.access === 'error' ? 500 : null;
    const redirectLine = status && errorRedirect(status, sections, requestContext);
    if (redirectLine) {
      const factText = `\`${textOf(redirectLine.line)}\` redirects the client instead of the answer ${status}`;
      this.unknownFacts.push({ what: factText, place: this.site.placeOf(redirectLine) });
    }
    return finalDecision;
  }

  /**
   * The answer if something other than access control changes it after access is granted. Null if
   * nothing does.
   */
  private decideAfterAccess(
    sections: readonly AppliedSection[],
    requestContext: RequestContext,
  ): AccessDecision | null {
    if (this.target.kind === 'proxy' || this.appliedSections === null) return null;
    // fixup_redir of mod_alias runs after the rules of mod_rewrite, and before the internal
    // redirect that they make.
    const rulesResult = this.resultOfDirectoryRules(sections, requestContext);
    if (rulesResult && rulesResult.kind !== 'url') return this.decideDirectoryEnd(rulesResult);
    const redirectTarget = redirectOfSections(sections, requestContext);
    if (redirectTarget) {
      this.target = { kind: 'redirect', path: redirectTarget.path, place: this.site.placeOf(redirectTarget.line) };
      return redirectDecision(redirectTarget);
    }
    if (rulesResult) return this.decideInternalRedirect(rulesResult, requestContext);
    return (
      this.decideFallback(sections, requestContext) ??
      this.decideDirectory(sections, requestContext) ??
      this.decideScript(sections, requestContext)
    );
  }

  /**
   * The answer for the URL of FallbackResource, if the requested URL leads to no file (fixup_dflt
   * in mod_dir.c). Null if no FallbackResource applies, or if its URL is allowed but leads to no
   * file.
   */
  private decideFallback(sections: readonly AppliedSection[], requestContext: RequestContext): AccessDecision | null {
    const { target, appliedSections } = this;
    const url = target.kind === 'missing' ? fallbackUrl(sections, requestContext) : null;
    if (url === null || url === requestContext.url || this.redirectCount++ >= MAX_REDIRECTS) return null;
    const request = { ...requestContext.request, method: 'GET' };
    const decisionOfRewrittenUrl = this.decideUrl({
      ...requestContext,
      request,
      url,
      pathForRegexes: url,
      directoryOfIndexFile: undefined,
    });
    if (decisionOfRewrittenUrl.access !== 'granted')
      return { ...decisionOfRewrittenUrl, why: `${decisionOfRewrittenUrl.why} (FallbackResource ${url})` };
    if (this.target.kind === 'file') return decisionOfRewrittenUrl;
    this.target = target;
    this.appliedSections = appliedSections;
    return null;
  }

  /** The result of RewriteRules in directories. Null if they do not change the request. */
  private resultOfDirectoryRules(
    sections: readonly AppliedSection[],
    requestContext: RequestContext,
  ): DirectoryEnd | null {
    const { mappedFile } = this;
    if (requestContext.serverRewriting.isLast || !mappedFile) return null;
    const { path, kind } = this.appliedSections!.target;
    const pathAfterMapping = mappedFile.path.startsWith(path) ? mappedFile.path.slice(path.length) : '';
    const isFolder = kind === 'directory' && pathAfterMapping === '/';
    const file = {
      path: isFolder ? `${path}/` : path,
      pathInfo: isFolder ? '' : pathAfterMapping,
      mappedFile,
    };
    const rulesEnd = runDirectoryRules(sections, file, requestContext);
    return rulesEnd?.kind === 'unknown' && this.facts.assumesUsual ? null : rulesEnd;
  }

  /** The answer if RewriteRules in directories end the request, other than with a new URL. */
  private decideDirectoryEnd(end: Exclude<DirectoryEnd, { kind: 'url' }>): AccessDecision {
    const { line } = end;
    const place = line ? this.site.placeOf(line) : null;
    switch (end.kind) {
      case 'forbidden': {
        const why = 'Options does not allow links, so mod_rewrite denies the request';
        return { access: 'denied', why, lines: line ? [line] : [] };
      }
      case 'redirect':
        this.target = { kind: 'redirect', path: end.path, place };
        return redirectDecision(end);
      case 'proxy':
        this.target = { kind: 'proxy', path: end.path, place };
        return { access: 'granted', why: 'a rule hands the request to another server', lines: [end.line] };
      default:
        this.unknownFacts.push({ what: reasonOfUnknownTarget(line), place });
        return unknownDecision('a RewriteRule changes the target');
    }
  }

  /** The answer for the URL to which RewriteRules in directories lead. */
  private decideInternalRedirect(
    end: Extract<DirectoryEnd, { kind: 'url' }>,
    requestContext: RequestContext,
  ): AccessDecision {
    const { url, query, line, isLast } = end;
    // httpd ends after ten internal redirects (LimitInternalRecursion).
    if (this.rewritingCount++ >= 10)
      return { access: 'error', why: 'the rules lead to the same rules again and again', lines: [line] };
    const request = { ...requestContext.request, query };
    const nextContext: RequestContext = {
      ...requestContext,
      request,
      url,
      pathForRegexes: url,
      directoryOfIndexFile: undefined,
      isInternallyRewritten: true,
    };
    return this.decideUrl(nextContext, !isLast);
  }

  /** The refusal of a script that may not run. Null if the target is no such script. */
  private decideScript(sections: readonly AppliedSection[], requestContext: RequestContext): AccessDecision | null {
    const { path, kind } = this.appliedSections!.target;
    const isScriptAlias = this.mappedFile?.line?.line.name.startsWith('scriptalias') === true;
    if (isScriptAlias || kind === 'directory') return null;
    return scriptRefusal(path.slice(path.lastIndexOf('/') + 1), sections, requestContext);
  }

  /**
   * The answer for a directory: the answer for its index file, or a refused listing. Null if
   * nothing changes the answer. For each name of an index file, httpd makes an internal request
   * (fixup_dir).
   */
  private decideDirectory(sections: readonly AppliedSection[], requestContext: RequestContext): AccessDecision | null {
    const { target } = this;
    if (target.kind !== 'directory' || this.site.kind(target.path.replace(/(?<=.)\/$/, '')) !== 'folder') return null;
    if (!requestContext.url.endsWith('/')) {
      if (redirectsToSlash(sections, requestContext)) return null;
      // With DirectorySlash Off, httpd looks for no index file.
      return listingRefusal(sections, requestContext);
    }
    let refusedDecision: AccessDecision | null = null;
    const { appliedSections } = this;
    for (const name of indexNames(sections, requestContext)) {
      const url = name.startsWith('/') ? name : requestContext.url + name;
      if (this.redirectCount++ >= MAX_REDIRECTS) return unknownDecision('too many index files');
      const request = { ...requestContext.request, method: 'GET' };
      const decisionOfIndexFile = this.decideUrl({
        ...requestContext,
        request,
        url,
        pathForRegexes: url,
        directoryOfIndexFile: target.path,
      });
      // A handler does not make an index file out of a file that is missing.
      const { kind } = this.target;
      const hasTargetFile = kind === 'handler' ? this.hasFile : kind !== 'missing' && kind !== 'directory';
      if (decisionOfIndexFile.access === 'granted' && hasTargetFile) {
        this.appliedSections = appliedSections;
        return decisionOfIndexFile;
      }
      if (decisionOfIndexFile.access !== 'granted')
        refusedDecision = { ...decisionOfIndexFile, why: `${decisionOfIndexFile.why} (index file ${name})` };
      this.target = target;
    }
    this.target = target;
    this.appliedSections = appliedSections;
    return refusedDecision ?? listingRefusal(sections, requestContext);
  }
}

/**
 * Limit of internal redirects for one request. mod_rewrite and ap_internal_redirect have such
 * limits, too.
 */
const MAX_REDIRECTS = 20;

/**
 * Whether a module replaces the address of the client by one from a header: mod_remoteip in 2.4,
 * and modules such as mod_rpaf in 2.2. The program does not compute which proxies the module
 * trusts.
 */
function mayAddressBeReplaced(requestContext: RequestContext): boolean {
  const { request, site } = requestContext;
  const addressLines = requestContext.scopes.flatMap((scope) => linesOf(scope, ADDRESS_DIRECTIVES, requestContext));
  const isRemoteIpLine = ({ line }: ConfigLine) => line.name.startsWith('remoteip');
  const header = addressLines.findLast(({ line }) => line.name.endsWith('header'));
  const headerName = header ? wordsOf(header)[0]?.toLowerCase() : 'x-forwarded-for';
  const hasLineOfVersion = addressLines.some((line) => isRemoteIpLine(line) === (site.version === '2.4'));
  return hasLineOfVersion && headerName !== undefined && request.headers.has(headerName);
}

/** Directives that can replace the client's address. */
const ADDRESS_DIRECTIVES = new Set(CLIENT_ADDRESS_DIRECTIVES);

/** Why it is unknown which virtual host answers. Cached, because many requests ask for it. */
function unknownHostFact(site: Site, { port }: Request): UnknownFact {
  const factByPort = unknownHostFacts.get(site) ?? new Map<number, UnknownFact>();
  unknownHostFacts.set(site, factByPort);
  const cachedFact = factByPort.get(port ?? 80) ?? unknownHostAt(site, port ?? 80);
  factByPort.set(port ?? 80, cachedFact);
  return cachedFact;
}

const unknownHostFacts = cacheOf<Site, Map<number, UnknownFact>>();

/** Why it is unknown which virtual host answers at a port. */
function unknownHostAt(site: Site, port: number): UnknownFact {
  const lineWithVariable = lineWithUnknownVariable(site.configuration);
  if (lineWithVariable !== null)
    return {
      what: `which virtual host answers: \`${lineWithVariable.words.join(' ')}\` has a variable that no line here defines`,
      place: site.placeOf(lineWithVariable),
    };
  const conditionalHost = hostInIfDefine(site, port);
  return {
    what: `which virtual host answers: ${conditionalHost === null ? 'the name, address or port of a <VirtualHost> is not known, for example because of a missing file' : `${conditionalHost.tag} ${conditionalHost.advice}`}`,
    place: conditionalHost?.place ?? null,
  };
}

/** The target before the URL is mapped, and if it is unknown. */
const UNKNOWN_TARGET: RequestTarget = { kind: 'unknown', path: '', place: null };

/** A decision that is unknown for this reason. */
function unknownDecision(reason: string): AccessDecision {
  return { access: 'unknown', why: reason, lines: [] };
}

/** The decision for a URL that a Redirect or a rule answers with a status. */
function redirectDecision({ status, line }: { readonly status: number; readonly line: ConfigLine }): AccessDecision {
  const access: Access = status === 403 ? 'denied' : status === 401 ? 'login' : status === 500 ? 'error' : 'granted';
  return {
    access,
    why: `httpd answers ${status}${status < 400 ? ', a redirect,' : ''} before access control, so no access line applies`,
    lines: [line],
  };
}

/**
 * What is unknown about the target. `line`: the line that maps the URL; null if it is unknown, too.
 */
function reasonOfUnknownTarget(line: ConfigLine | null): string {
  if (!line) return 'where the URL leads';
  const reason = isPlaceholder(line.line.text)
    ? 'this file is a template; use the installed file, which has values for its placeholders'
    : 'these files do not show it';
  return `which directory or URL \`${line.line.text.trim()}\` leads to: ${reason}`;
}

/**
 * Whether a file that is missing or not read is assumed to contain lines for the request. Each such
 * file is an open fact.
 */
function mayMissLines(site: Site, host: Scope | null, facts: OpenFacts): boolean {
  const gaps = gapsOf(site);
  facts.workDone += gaps.length;
  return gaps.some(
    ({ key, enclosingHost: virtualHost, unknownFact }) =>
      (!virtualHost || virtualHost === host) && facts.holds(key, unknownFact()),
  );
}

/** A part of the configuration that was not read, and the virtual host that it belongs to. */
interface PlacedGap {
  readonly what: string;
  /** The key of the open fact. Made once, because each request asks for it. */
  readonly key: string;
  /** The virtual host that contains the gap. Undefined if none does. */
  readonly enclosingHost: Scope | undefined;
  readonly unknownFact: () => UnknownFact;
}

const gapsBySite = cacheOf<Site, readonly PlacedGap[]>();

/**
 * The gaps of a configuration that may matter for requests. Gaps with the same text are listed once
 * for each virtual host.
 */
function gapsOf(site: Site): readonly PlacedGap[] {
  let gaps = gapsBySite.get(site);
  if (!gaps) gapsBySite.set(site, (gaps = placedGaps(site)));
  return gaps;
}

/** Finds the gaps for `gapsOf`. */
function placedGaps(site: Site): PlacedGap[] {
  const { gaps, fragments } = site.configuration;
  const hosts = site.root.children.filter(({ kind }) => kind === 'virtualhost');
  const filesOfServer = new Set(site.root.lines.map(({ file }) => file));
  const seenGapsByScope = new Map<Scope | undefined, Set<string>>();
  return gaps.flatMap((gap): PlacedGap[] => {
    const { what, file, offset } = gap;
    if (gap.reason === 'include-missing' && readsDebianLoadFiles(what)) return [];
    const enclosingHost = hosts.find(
      (scope) =>
        (scope.file === file && offset >= scope.offset && offset < scope.offset + scope.section!.length) ||
        (!filesOfServer.has(file) && fragments.get(scope)?.some((each) => each.file === file)),
    );
    const seenGaps = seenGapsByScope.get(enclosingHost) ?? new Set();
    if (seenGaps.has(what)) return [];
    seenGapsByScope.set(enclosingHost, seenGaps.add(what));
    return [
      {
        what,
        key: `gap ${what}`,
        enclosingHost,
        unknownFact: lazy(() => ({
          what: `\`${what}\` is not ${gap.reason === 'include-missing' ? 'in this copy' : 'read'}`,
          place: site.placeOf(gap),
          includedPath: what,
          isOfMissingPart: true,
        })),
      },
    ];
  });
}

/** One row for each section that applies, and for each .htaccess file that is not read. */
function rowsOf({ sections, unreadFiles }: AppliedSections, site: Site): SectionRow[] {
  const rowsOfAppliedSections = sections.map(
    ({ scope, lines, folder }): SectionRow => ({
      ...site.placeOf(scope),
      name: scope.section
        ? textOf(scope.section.open)
        : `${folder ?? ''}${scope.file.path.slice(scope.file.path.lastIndexOf('/') + 1)}`,
      applies: true,
      adds: lines.filter(isShownLine).map(({ line }) => textOf(line)),
    }),
  );
  return [
    ...rowsOfAppliedSections,
    ...unreadFiles.map(
      ({ path, why }): SectionRow => ({
        file: site.localPath(path),
        line: 0,
        name: path,
        applies: false,
        adds: [`not read: ${why}`],
      }),
    ),
  ];
}

/** Whether the row of a section shows the line. */
function isShownLine(configLine: ConfigLine): boolean {
  return isAccessLine(configLine) || SHOWN_NAMES.has(configLine.line.name);
}

/** Directives that are shown besides those that `isAccessLine` knows. */
const SHOWN_NAMES = new Set(['authtype', 'authmerging', 'sslrequiressl', 'allowoverride']);

/** The places without repeated ones. */
function uniquePlaces<Place extends { readonly file: string; readonly line: number }>(
  places: readonly Place[],
): Place[] {
  return [...new Map(places.map((place) => [`${place.file}:${place.line}`, place])).values()];
}

/**
 * Joins the rows of several possible answers (`rowsOfResults`). If only some of them have a
 * section, `applies` of its row is `unknown`.
 */
function joinedSectionRows(rowsOfResults: readonly (readonly SectionRow[])[]): SectionRow[] {
  const countedRowByKey = new Map<string, { readonly row: SectionRow; count: number }>();
  for (const row of rowsOfResults.flat()) {
    const rowKey = `${row.file}:${row.line} ${row.applies}`;
    const countedRow = countedRowByKey.get(rowKey);
    if (countedRow) countedRow.count++;
    else countedRowByKey.set(rowKey, { row, count: 1 });
  }
  return [...countedRowByKey.values()].map(({ row, count }) =>
    count === rowsOfResults.length || row.applies === false ? row : { ...row, applies: 'unknown' },
  );
}

/** The facts without repeated ones. */
function uniqueFacts(facts: readonly UnknownFact[]): UnknownFact[] {
  return [...new Map(facts.map((fact) => [`${fact.what} ${fact.place?.file}:${fact.place?.line}`, fact])).values()];
}
