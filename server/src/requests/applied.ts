/**
 * Finds the sections and .htaccess files that apply to a request, in the order in which httpd
 * applies them: docs/how-httpd-reads.md, "The order of sections" (ap_directory_walk, ap_file_walk,
 * ap_location_walk and ap_if_walk in server/request.c).
 */
import { hasUnknownPart } from '../access/require';
import type { ConfigLine, Gap, Scope } from '../config/configuration';
import { hasWildcard, joinedPath, resolvePath } from '../config/files';
import { setsOption } from './options';
import { lastLine, linesOf, scopesIn, type RequestContext } from './asking';
import { isConditionTrue, tagExpression } from './expressions';
import { findAccessFileProblem } from './access-file';
import { overridesInSection, NO_OVERRIDE, type Overrides } from './overrides';
import type { AppliedSection, AppliedSections, EarlyAnswer, UnreadFile, SectionStep } from './section';
import { matchesAcrossSlashes, matchesGlob, matchesRegex } from './patterns';
import { findDocumentRoot, isInCopy } from './server-paths';
import { cacheOf } from '../syntax/memory';
import { readsDebianLoadFiles, wordsOf } from './site';

/**
 * The sections for a request whose URL leads to a path. `base`: the directory in the line that maps
 * the URL. The server certainly has this directory.
 */
export function sectionsForPath(path: string, base: string, requestContext: RequestContext): AppliedSections {
  const walk = new DirectoryWalk(requestContext);
  const target = walk.walkTo(path, base);
  if (walk.earlyAnswer)
    return { sections: walk.foundSections, unreadFiles: walk.unreadFiles, earlyAnswer: walk.earlyAnswer, target };
  const fileName = target.path.slice(target.path.lastIndexOf('/') + 1);
  const files = filesSectionsApplied(fileName, walk.foundSections, requestContext);
  const laterSections = [...files, ...locationsApplied(requestContext)];
  const sections = [...walk.foundSections, ...laterSections];
  return {
    sections: [...sections, ...ifSectionsApplied(sections, requestContext)],
    unreadFiles: walk.unreadFiles,
    earlyAnswer: walk.mayHaveHostRules && !laterSections.some(replacesHostRules) ? UNKNOWN_FOR_MISSING_HTACCESS : null,
    target,
  };
}

/**
 * The sections for a request that another server answers. `<Proxy>` sections apply to it, and
 * directory sections do not.
 */
export function sectionsForProxy(url: string, requestContext: RequestContext): AppliedSections {
  const proxySections = requestContext.scopes.flatMap((scope) =>
    scopesIn(scope, PROXY_KINDS, requestContext).filter((section) => appliesToProxy(section, url, requestContext)),
  );
  const sections = [
    ...proxySections.map((scope) => appliedSection(scope, 'directories', requestContext)),
    ...locationsApplied(requestContext),
  ];
  return {
    sections: [...sections, ...ifSectionsApplied(sections, requestContext)],
    unreadFiles: [],
    earlyAnswer: null,
    target: { kind: 'missing', path: url },
  };
}

/**
 * The `<Location>` sections that apply to the URL. If `names` is given, only sections with a line
 * of such a name.
 */
export function locationsApplied(
  requestContext: RequestContext,
  names: ReadonlySet<string> | null = null,
): AppliedSection[] {
  return requestContext.scopes.flatMap((scope) =>
    scopesIn(scope, LOCATION_KINDS, requestContext)
      .filter((child) => names === null || child.lines.some(({ line }) => names.has(line.name)))
      .filter((child) => appliesToUrl(child, requestContext))
      .map((child) => appliedSection(child, 'locations', requestContext)),
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/** The early answer if a missing .htaccess file may control access. */
const UNKNOWN_FOR_MISSING_HTACCESS: EarlyAnswer = {
  access: 'unknown',
  why: 'a .htaccess file is not in this copy',
  lines: [],
  file: null,
};

/**
 * Whether a section is a `<Location>` with an Order, Allow or Deny line. Such a line replaces all
 * Order, Allow and Deny lines of .htaccess files, because mod_authz_host.c of 2.2 and
 * mod_access_compat.c do not merge them.
 */
function replacesHostRules({ step, lines }: AppliedSection): boolean {
  return step === 'locations' && lines.some(({ line }) => HOST_RULE_NAMES.has(line.name));
}

const HOST_RULE_NAMES = new Set(['order', 'allow', 'deny']);

const DEFAULT_ACCESS_FILE_NAMES = ['.htaccess'];
const OPTIONS_DIRECTIVE = new Set(['options']);
const DIRECTORY_KINDS = new Set(['directory', 'directorymatch']);
const FILES_KINDS = new Set(['files', 'filesmatch']);
const LOCATION_KINDS = new Set(['location', 'locationmatch']);
const PROXY_KINDS = new Set(['proxy', 'proxymatch']);
const CONDITION_KINDS = new Set(['if', 'elseif', 'else']);

/**
 * Makes the applied section of a scope: only the lines that the server reads. `folder`: the
 * directory to which a `<Directory>` or a .htaccess file is applied.
 */
function appliedSection(
  scope: Scope,
  step: SectionStep,
  requestContext: RequestContext,
  folder: string | null = null,
): AppliedSection {
  const { facts } = requestContext;
  facts.workDone += scope.lines.reduce((sum, { line }) => sum + WORK_OF_LINE + line.length, WORK_OF_SECTION);
  return {
    scope,
    step,
    lines: scope.lines.filter((configLine) => requestContext.site.isRead(configLine, requestContext.facts)),
    folder,
  };
}

/**
 * How much each section that applies adds to `OpenFacts.workDone`, and how much each of its lines
 * adds. The decision reads these lines many times.
 */
const WORK_OF_SECTION = 20;
const WORK_OF_LINE = 20;
/** Each comparison of a section with a name or URL adds this to `OpenFacts.workDone`. */
const WORK_OF_MATCH = 10;

/** The argument of a section's tag: a regular expression, or a path that may have wildcards. */
interface SectionPattern {
  readonly isRegex: boolean;
  readonly text: string;
  /** Whether the tag has an unknown variable or a placeholder of a template. */
  readonly isUnknown: boolean;
}

/** The argument of a section's tag. Cached, because each request is compared with it. */
export function patternOf(scope: Scope): SectionPattern {
  let pattern = patternByScope.get(scope);
  if (!pattern) {
    const { kind, words } = scope;
    const isTilde = words[0] === '~';
    const text = (isTilde ? words[1] : words[0]) ?? '';
    const isUnknown = words.some(hasUnknownPart);
    patternByScope.set(scope, (pattern = { isRegex: isTilde || kind.endsWith('match'), text, isUnknown }));
  }
  return pattern;
}

const patternByScope = cacheOf<Scope, SectionPattern>();

/**
 * Whether to assume that a section applies, if its tag has an unknown variable or a placeholder.
 * This is an open fact.
 */
function isAssumedToApply(scope: Scope, { facts, site }: RequestContext): boolean {
  const place = site.placeOf(scope);
  const name = scope.section!.open.text.trim();
  const variable = /\$\{(\w+)\}/.exec(patternOf(scope).text)?.[1];
  const reason =
    variable === undefined
      ? 'its path or pattern is not known'
      : `${variable} has no value in these files (to give it: a Define line, or -D ${variable}=VALUE)`;
  return facts.holds(`applies ${place.file}:${place.line}`, { what: `whether \`${name}\` applies: ${reason}`, place });
}

/**
 * Whether it is unknown to what the section applies, because of a variable or a placeholder in its
 * tag.
 */
function hasUnknownTag(scope: Scope): boolean {
  return patternOf(scope).isUnknown;
}

/**
 * A `<Directory>` for a path or a glob. `path` ends in a slash. `partCount`: the number of names in
 * the path.
 */
interface NamedSection {
  readonly scope: Scope;
  readonly path: string;
  readonly partCount: number;
  readonly isGlob: boolean;
}

const namedSectionByScope = cacheOf<Scope, NamedSection>();

/** The path of a `<Directory>`, from the cache or computed now. */
function namedSection(scope: Scope): NamedSection {
  let cachedSection = namedSectionByScope.get(scope);
  if (!cachedSection) {
    const path = withSlash(resolvePath('/', patternOf(scope).text));
    cachedSection = { scope, path, partCount: depthOf(path), isGlob: hasWildcard(path) };
    namedSectionByScope.set(scope, cachedSection);
  }
  return cachedSection;
}

/**
 * Finds the directory sections and .htaccess files for a path, from the root of the file system
 * down.
 */
class DirectoryWalk {
  readonly foundSections: AppliedSection[] = [];
  readonly unreadFiles: UnreadFile[] = [];
  earlyAnswer: EarlyAnswer | null = null;
  /**
   * Whether a .htaccess file is missing in this copy, and is assumed to have Order, Allow or Deny.
   */
  mayHaveHostRules = false;
  private overrides: Overrides = NO_OVERRIDE;
  private readonly namedSections: readonly NamedSection[];
  private readonly patternSections: readonly Scope[];
  /** Sections with an unknown variable in their path. They may apply anywhere. */
  private readonly sectionsWithUnknownPath: readonly Scope[];
  private readonly accessFileNames: readonly string[];
  private readonly accessFileNameLine: ConfigLine | null;
  /** Whether Options allows symbolic links (FollowSymLinks). */
  private followsLinks = true;
  /** Whether this copy has the directory `base`. */
  private isBaseInCopy = true;
  /** The directory to which the line that maps the URL leads, such as the DocumentRoot. */
  private base = '/';
  /** The Options line that decides `followsLinks`. Null if none does. */
  private followLinksLine: ConfigLine | null = null;

  constructor(private readonly requestContext: RequestContext) {
    const directoryScopes = requestContext.scopes.flatMap((scope) => scopesIn(scope, DIRECTORY_KINDS, requestContext));
    const scopes = directoryScopes.filter((scope) => !hasUnknownTag(scope));
    this.sectionsWithUnknownPath = directoryScopes.filter(hasUnknownTag);
    const isRegex = (scope: Scope) => patternOf(scope).isRegex;
    requestContext.facts.workDone += WORK_OF_MATCH * directoryScopes.length;
    this.namedSections = scopes.filter((scope) => !isRegex(scope)).map(namedSection);
    this.patternSections = scopes
      .filter(isRegex)
      .map((scope, index) => ({ scope, index, depth: patternOf(scope).text.split('/').length }))
      .sort((a, b) => a.depth - b.depth || a.index - b.index)
      .map(({ scope }) => scope);
    for (const scope of requestContext.scopes)
      for (const line of linesOf(scope, OPTIONS_DIRECTIVE, requestContext)) this.applyFollowSymLinks(line);
    this.accessFileNameLine = lastLine('accessfilename', requestContext);
    this.accessFileNames = this.accessFileNameLine ? wordsOf(this.accessFileNameLine) : DEFAULT_ACCESS_FILE_NAMES;
  }

  /** Visits the directories down to a path. Returns what the URL leads to. */
  walkTo(path: string, baseFolder: string): AppliedSections['target'] {
    const isBaseInCopy = isInCopy(baseFolder, this.requestContext) && !this.isAssumedRoot(baseFolder);
    this.isBaseInCopy = isBaseInCopy;
    this.base = baseFolder;
    this.enterFolder('/');
    const target = this.descendTo(path, { baseFolder, isBaseInCopy });
    const { directoryOfIndexFile } = this.requestContext;
    const isIndexFile =
      directoryOfIndexFile !== undefined && target.kind === 'file' && isInDirectory(target.path, directoryOfIndexFile);
    if (!this.earlyAnswer) this.addPatternSections(isIndexFile ? directoryOfIndexFile : target.path);
    if (!isBaseInCopy && target.kind !== 'missing')
      this.requestContext.noteFact({
        what: `\`${baseFolder}\` is not in this copy: \`${target.path}\` is assumed to exist`,
        place: null,
        missingDirectory: baseFolder,
      });
    return target;
  }

  /**
   * Whether a directory is missing in this copy, and only assumed to be the document root: no line
   * sets it, but a missing file may. The server may then have another document root, and this
   * directory may not exist there.
   */
  private isAssumedRoot(folder: string): boolean {
    const { site } = this.requestContext;
    if (site.kind(folder) !== null || !site.configuration.gaps.some(mayHaveDocumentRoot)) return false;
    const { path, isAssumed } = findDocumentRoot(this.requestContext);
    return isAssumed && path === folder;
  }

  /**
   * Visits the directories of a path as far as it exists, and collects the sections for each
   * directory.
   */
  private descendTo(
    path: string,
    baseFacts: { readonly baseFolder: string; readonly isBaseInCopy: boolean },
  ): AppliedSections['target'] {
    const partsOfPath = path.split('/').slice(1);
    // A path of Windows begins with a drive, such as `C:/`.
    let folder = path.slice(0, path.indexOf('/') + 1);
    if (folder !== '/') this.enterFolder(folder);
    for (const [index, part] of partsOfPath.entries()) {
      if (part === '' || this.earlyAnswer) break;
      const isLastPart = index === partsOfPath.length - 1;
      const pathOfPart = folder + part;
      const existingKind =
        this.requestContext.site.kind(pathOfPart) ??
        this.kindOnServer(pathOfPart, { ...baseFacts, isLast: isLastPart });
      this.checkLink(pathOfPart);
      if (this.earlyAnswer) break;
      if (existingKind !== 'folder') {
        // If the server follows links, it does not check whether the last name of a path is a file
        // or a directory. So `<Directory>` sections with the path of a file also apply.
        if (existingKind === 'file' && this.followsLinks && isLastPart) this.applySectionsOf(`${pathOfPart}/`);
        return { kind: existingKind === 'file' ? 'file' : 'missing', path: pathOfPart };
      }
      folder = `${pathOfPart}/`;
      this.enterFolder(folder);
      if (isLastPart) return { kind: 'directory', path: pathOfPart };
    }
    return { kind: 'directory', path: path.endsWith('/') ? path : folder };
  }

  /** Adds the sections with a regular expression or an unknown path that apply to a path. */
  private addPatternSections(path: string): void {
    for (const scope of this.sectionsWithUnknownPath)
      if (isAssumedToApply(scope, this.requestContext))
        this.addSection(appliedSection(scope, 'directories', this.requestContext));
    for (const scope of this.patternSections)
      if (this.matchesDirectory(patternOf(scope).text, path, scope))
        this.addSection(appliedSection(scope, 'directories', this.requestContext));
  }

  /**
   * Guesses what a path that this copy lacks is on the server: a directory, a file, or nothing
   * (null).
   */
  private kindOnServer(
    path: string,
    {
      baseFolder,
      isBaseInCopy,
      isLast,
    }: { readonly baseFolder: string; readonly isBaseInCopy: boolean; readonly isLast: boolean },
  ): 'file' | 'folder' | null {
    // A path map can leave out a directory above the mapped ones. It exists on the server if this
    // copy has a directory below it.
    if (isBaseInCopy) return this.requestContext.site.hasFolderBetween(path, baseFolder) ? 'folder' : null;
    // `baseFolder` exists on the server, and so do its parents.
    if (withSlash(baseFolder).startsWith(withSlash(path))) return 'folder';
    return isLast && !this.namedSections.some((each) => each.path.startsWith(`${path}/`)) ? 'file' : 'folder';
  }

  /**
   * Whether the regular expression of a section matches a directory. 2.2 never matches a `$` in it
   * (REG_NOTEOL in ap_directory_walk). So the result for a pattern with `$` is false, or an open
   * fact if it has alternatives.
   */
  private matchesDirectory(text: string, path: string, scope: Scope): boolean {
    const { facts, site } = this.requestContext;
    if (site.version === '2.2' && /(^|[^\\])(\\\\)*\$/.test(text))
      return /\|/.test(text)
        ? facts.holds(`dollar ${text} ${path}`, { what: `whether 2.2 matches \`${text}\``, place: site.placeOf(scope) })
        : false;
    return matchesRegex(text, path, { facts, place: site.placeOf(scope) });
  }

  /** Adds the sections for a directory (with a slash at its end), and its .htaccess file. */
  private enterFolder(folder: string): void {
    this.applySectionsOf(folder);
    this.readAccessFile(folder);
  }

  /** Adds the `<Directory>` sections for a directory. */
  private applySectionsOf(folder: string): void {
    const depth = depthOf(folder);
    this.requestContext.facts.workDone += this.namedSections.length / 5;
    for (const { scope, path, partCount, isGlob } of this.namedSections)
      if (partCount === depth && (isGlob ? matchesGlob(path, folder) : path === folder))
        this.addSection(appliedSection(scope, 'directories', this.requestContext, folder));
  }

  /** Adds a section, and applies its AllowOverride and Options lines. */
  private addSection(appliedSection: AppliedSection): void {
    this.foundSections.push(appliedSection);
    if (!patternOf(appliedSection.scope).isRegex || appliedSection.scope.kind === 'htaccess')
      this.overrides = overridesInSection(appliedSection, this.overrides);
    for (const line of appliedSection.lines) if (line.line.name === 'options') this.applyFollowSymLinks(line);
  }

  /** Sets `followsLinks` if the Options line sets FollowSymLinks. */
  private applyFollowSymLinks(line: ConfigLine): void {
    const followsLinks = setsOption(wordsOf(line), 'followsymlinks');
    if (followsLinks === null) return;
    this.followsLinks = followsLinks;
    this.followLinksLine = line;
  }

  /**
   * Refuses the request if the path is a symbolic link that Options forbids (resolve_symlink in
   * server/request.c).
   */
  private checkLink(path: string): void {
    const { site } = this.requestContext;
    if (this.followsLinks || this.followLinksLine === null || !site.linkTarget(path)) return;
    if (/ifownermatch/i.test(this.followLinksLine.line.text)) {
      const areOwnersSame = this.requestContext.facts.holds(
        `owner ${path}`,
        {
          what: `whether the owners of the link \`${path}\` and of its target are the same`,
          place: site.placeOf(this.followLinksLine),
        },
        true,
      );
      if (areOwnersSame) return;
    }
    this.earlyAnswer = {
      access: 'denied',
      why: `\`${path}\` is a symbolic link, and Options does not allow it`,
      lines: [this.followLinksLine],
      file: null,
    };
  }

  /**
   * Adds the .htaccess file of a directory, if AllowOverride allows it. Sets `earlyAnswer` if the
   * server refuses the file.
   */
  private readAccessFile(folder: string): void {
    if (this.earlyAnswer) return;
    const { site } = this.requestContext;
    const { words, overrideList, line } = this.overrides;
    const areFilesRead =
      words === null || words.some((word) => !word.startsWith('nonfatal=')) || overrideList.length > 0;
    const isDefault = words === null;
    const accessFileName = site.accessFileName(folder, this.accessFileNames);
    if (accessFileName === undefined) return this.handleMissingAccessFile(folder, areFilesRead);
    const path = joinedPath(folder, accessFileName);
    if (!areFilesRead) {
      this.unreadFiles.push({ path, why: line ? line.line.text.trim() : 'AllowOverride None' });
      return;
    }
    const accessFile = site.kind(path) === 'file' ? site.accessFile(path, folder) : null;
    if (!accessFile) {
      this.earlyAnswer = { access: 'denied', why: `\`${path}\` cannot be read`, lines: [], file: path };
      return;
    }
    const problem = findAccessFileProblem(accessFile, this.overrides, isDefault, this.requestContext);
    if (problem) {
      this.earlyAnswer = { ...problem, file: site.localPath(path) };
      this.foundSections.push(appliedSection(accessFile.rootScope, 'directories', this.requestContext, folder));
      return;
    }
    this.addSection(appliedSection(accessFile.rootScope, 'directories', this.requestContext, folder));
  }

  /**
   * Asks whether a missing folder has a .htaccess file about access (an open fact). If so, the
   * answer is unknown; but under `AllowOverride Limit`, a later `<Location>` may decide instead.
   */
  private handleMissingAccessFile(folder: string, areFilesRead: boolean): void {
    const { site, facts } = this.requestContext;
    const [firstName] = this.accessFileNames;
    // After `AccessFileName` without a name, httpd reads no such file.
    if (!areFilesRead || firstName === undefined || firstName.includes('${')) return;
    if (
      this.isBaseInCopy ||
      folder === '/' ||
      site.kind(folder.slice(0, -1)) === 'folder' ||
      !this.mayHaveAccessFile(folder)
    )
      return;
    const { words } = this.overrides;
    if (words !== null && !words.some((word) => ['all', 'limit', 'authconfig', 'options', 'fileinfo'].includes(word)))
      return;
    if (this.mayHaveHostRules) return;
    const hasAccessFile = facts.holds(`htaccess ${folder}`, {
      what: `whether \`${joinedPath(folder, firstName)}\` controls access: it is not in this copy`,
      place: this.overrides.line ? site.placeOf(this.overrides.line) : null,
      missingDirectory: this.base,
      accessFileOf: folder,
      isOfMissingPart: true,
    });
    if (!hasAccessFile) return;
    // `AllowOverride Limit` allows only Order, Allow and Deny, which a <Location> may replace.
    if (words?.every((word) => word === 'limit') && this.overrides.overrideList.length === 0)
      this.mayHaveHostRules = true;
    else this.earlyAnswer = UNKNOWN_FOR_MISSING_HTACCESS;
  }

  /**
   * Whether a folder may have a .htaccess file: whether it has at least two names, such as
   * `/srv/www/`. Folders such as `/` and `/var` rarely have one.
   */
  private mayHaveAccessFile(folder: string): boolean {
    return folder.split('/').length > 3;
  }
}

function isInDirectory(file: string, directory: string): boolean {
  return file.slice(0, file.lastIndexOf('/') + 1) === directory;
}

/** The number of names in a path that ends in a slash. */
function depthOf(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1;
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

/**
 * The `<Files>` sections that apply to a file name. Those of the server come first, then those in
 * directory sections, in the order of the directories.
 */
function filesSectionsApplied(
  name: string,
  directories: readonly AppliedSection[],
  requestContext: RequestContext,
): AppliedSection[] {
  const scopes = [...requestContext.scopes, ...directories.map(({ scope }) => scope)].flatMap((scope) =>
    scopesIn(scope, FILES_KINDS, requestContext),
  );
  return scopes
    .filter((scope) => appliesToFile(scope, name, requestContext))
    .map((scope) => appliedSection(scope, 'files', requestContext));
}

/** Whether a `<Files>` section applies to a file with this name. */
function appliesToFile(scope: Scope, name: string, requestContext: RequestContext): boolean {
  const { facts, site } = requestContext;
  facts.workDone += WORK_OF_MATCH;
  if (hasUnknownTag(scope)) return isAssumedToApply(scope, requestContext);
  const { isRegex, text } = patternOf(scope);
  if (isRegex) return matchesRegex(text, name, { facts, place: site.placeOf(scope) });
  return hasWildcard(text) ? matchesGlob(text, name) : text === name;
}

/** Whether a `<Location>` section applies to the URL. */
function appliesToUrl(scope: Scope, requestContext: RequestContext): boolean {
  const { facts, site, url, pathForRegexes } = requestContext;
  facts.workDone += WORK_OF_MATCH;
  if (hasUnknownTag(scope)) return isAssumedToApply(scope, requestContext);
  const { isRegex, text } = patternOf(scope);
  if (isRegex) return matchesRegex(text, pathForRegexes, { facts, place: site.placeOf(scope) });
  if (hasWildcard(text)) return matchesGlob(text, url);
  const urlPrefix = text.length > 1 ? text.replace(/\/$/, '') : text;
  if (!url.startsWith(urlPrefix)) return false;
  if (text.endsWith('/')) return url.startsWith(text);
  return url.length === urlPrefix.length || url[urlPrefix.length] === '/';
}

/** Whether a `<Proxy>` section applies to a request that is passed to `url`. */
function appliesToProxy(scope: Scope, url: string, requestContext: RequestContext): boolean {
  const { facts, site } = requestContext;
  if (hasUnknownTag(scope)) return isAssumedToApply(scope, requestContext);
  const { isRegex, text } = patternOf(scope);
  if (isRegex) return matchesRegex(text, url, { facts, place: site.placeOf(scope) });
  if (hasWildcard(text)) return matchesAcrossSlashes(text, url);
  return url.startsWith(text);
}

/** The `<If>` sections that apply: those of the server and those in all sections that apply. */
function ifSectionsApplied(sections: readonly AppliedSection[], requestContext: RequestContext): AppliedSection[] {
  const foundSections: AppliedSection[] = [];
  const addConditionsIn = (scope: Scope): void => {
    let isChainDecided = false;
    for (const child of scopesIn(scope, CONDITION_KINDS, requestContext)) {
      if (child.kind === 'if') isChainDecided = false;
      if (isChainDecided) continue;
      const doesSectionApply =
        child.kind === 'else' ||
        isConditionTrue(tagExpression(child), {
          place: requestContext.site.placeOf(child),
          requestContext,
          isUserKnown: false,
        });
      if (!doesSectionApply) continue;
      isChainDecided = true;
      foundSections.push(appliedSection(child, 'conditions', requestContext));
      addConditionsIn(child);
    }
  };
  for (const scope of [...requestContext.scopes, ...sections.map(({ scope }) => scope)]) addConditionsIn(scope);
  return foundSections;
}

/** Whether a part of the configuration that was not read may set the document root. */
function mayHaveDocumentRoot({ reason, what }: Gap): boolean {
  return reason === 'include-missing' && !readsDebianLoadFiles(what);
}
