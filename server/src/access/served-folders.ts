/**
 * Finds the folders to which URLs lead, by DocumentRoot, Alias and other lines. If that is
 * uncertain, the folders are unknown (null).
 */
import type { ConfigLine, Configuration, Scope } from '../config/configuration';
import { pathComponents, pathOfComponents, resolvePath } from '../config/files';
import { argumentsOf } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { DIRECTIVES_FOR_CONTENT_WITHOUT_FILE, DIRECTIVES_MAPPING_ANY_URL } from './mappers';
import { hasShortName, isBelow, literalPrefixOfRegex, type SectionEntry } from './section-order';

const DEFAULT_DOCUMENT_FOLDER = 'htdocs';
/**
 * The ServerRoots of the layouts in httpd's source (config.layout), and those of packages
 * (config/distribution.ts).
 */
const COMPILED_SERVER_ROOTS = [
  '/usr/local/apache2',
  '/usr/local/apache',
  '/etc/apache2',
  '/etc/httpd',
  '/usr',
  '/usr/local',
  '/usr/pkg',
  '/usr/apache2',
  '/opt/apache2',
  '/opt/apache',
  '/srv/www',
  '/var/www',
  '/Library/WebServer',
  '/opt/local/apache2',
  '/boot/home/apache',
  '/usr/local/www',
];

/**
 * A folder to which URLs lead. If `isPrefix` is set, the last name in its path is only the
 * beginning of a name.
 */
export interface ServedFolder {
  readonly pathParts: readonly string[];
  readonly isPrefix: boolean;
  /**
   * The number of names in the path whose folders certainly exist. For the others, a module may
   * answer without a file.
   */
  readonly existingPartCount: number;
}

/** Finds the folders to which the URLs of a configuration lead. */
export class ServedFolders {
  constructor(
    private readonly configuration: Configuration,
    private readonly entries: readonly SectionEntry[],
    /** Visits all scopes of the configuration and of its .htaccess files. */
    private readonly forEachScope: (visit: (scope: Scope) => void) => void,
    /** Whether the server uses Windows paths. */
    private readonly isOnWindows: boolean,
  ) {}

  /** Whether the content of some URLs that begin with `prefix` may not come from files. */
  mayHaveContentWithoutFile(prefix: string): boolean {
    this.cachedPrefixesWithoutFiles ??= this.prefixesWithoutFiles();
    return this.cachedPrefixesWithoutFiles.some(
      (filelessPrefix) => filelessPrefix.startsWith(prefix) || prefix.startsWith(filelessPrefix),
    );
  }

  /**
   * The beginnings of URLs whose content does not come from files. They are the literal beginnings
   * of the arguments of Location sections that have one of
   * `DIRECTIVES_FOR_CONTENT_WITHOUT_FILE`.
   */
  private prefixesWithoutFiles(): readonly string[] {
    const prefixes = new Set<string>();
    this.forEachScope(({ kind, words, lines }) => {
      if (!kind.startsWith('location') || !lines.some(({ line }) => DIRECTIVES_FOR_CONTENT_WITHOUT_FILE.has(line.name)))
        return;
      const isRegex = kind === 'locationmatch' || words[0] === '~';
      const argument = words.at(-1) ?? '';
      prefixes.add(isRegex ? literalPrefixOfRegex(argument) : argument.replace(/[*?[$].*/, ''));
    });
    return [...prefixes];
  }

  private cachedPrefixesWithoutFiles: readonly string[] | null = null;

  /**
   * Returns the folders to which URLs lead in a server. Null if they are unknown. `requestedHost`:
   * the virtual host; null for the main server. `isExact`: whether `prefix` ends at a slash or at
   * the end of the URL, and not inside a name. Cached.
   */
  servedFoldersOf(prefix: string, requestedHost: Scope | null, isExact: boolean): ServedFolder[] | null {
    const serverMappings = this.mappingsOfServer(requestedHost);
    const prefixKey = (isExact ? '=' : '^') + prefix;
    let folders = serverMappings.foldersByPrefix.get(prefixKey);
    if (folders === undefined)
      serverMappings.foldersByPrefix.set(prefixKey, (folders = this.findFolders(prefix, serverMappings, isExact)));
    return folders;
  }

  /**
   * Whether a DocumentRoot that a server may have is the folder `pathParts` or below it.
   * `requestedHost`: as in `servedFoldersOf`.
   */
  hasDocumentRootIn(pathParts: readonly string[], requestedHost: Scope | null): boolean {
    const documentRoots = this.mappingsOfServer(requestedHost).documentRoots ?? [];
    return documentRoots.some((each) => isBelow(pathComponents(each), pathParts));
  }

  /**
   * The mappings for requests to a virtual host: its own, and then those of the main server. Null
   * stands for the main server.
   */
  private mappingsOfServer(requestedHost: Scope | null): ServerMappings {
    let serverMappings = this.mappingsByServer.get(requestedHost);
    if (!serverMappings && requestedHost !== null && mapsNothing(requestedHost)) {
      serverMappings = this.mappingsOfServer(null);
      this.mappingsByServer.set(requestedHost, serverMappings);
    }
    if (!serverMappings) {
      const scopes = requestedHost ? [requestedHost, this.configuration.rootScope] : [this.configuration.rootScope];
      const mappings = scopes.map(mappingsOf);
      const aliasLists: (readonly AliasLine[])[] = [];
      // mod_wsgi handles a URL after mod_alias (order of the translate_name hooks in mod_wsgi.c).
      for (const { aliases } of mappings) if (aliases.length > 0) aliasLists.push(aliases);
      for (const { wsgiScriptAliases } of mappings)
        if (wsgiScriptAliases.length > 0) aliasLists.push(wsgiScriptAliases);
      serverMappings = {
        foldersByPrefix: new Map(),
        mappings,
        aliasLists,
        documentRoots: this.documentRoots(scopes),
      };
      this.mappingsByServer.set(requestedHost, serverMappings);
    }
    return serverMappings;
  }

  private readonly mappingsByServer = new Map<Scope | null, ServerMappings>();

  /** As `servedFoldersOf`, without the cache. */
  private findFolders(
    prefix: string,
    { mappings, aliasLists, documentRoots }: ServerMappings,
    isExact: boolean,
  ): ServedFolder[] | null {
    if (mappings.some(({ mapsAnywhere }) => mapsAnywhere)) return null;
    const prefixWithSingleSlashes = prefix.replace(/\/+/g, '/');
    // UserDir handles only URLs that begin with /~ (translate_userdir in
    // modules/mappers/mod_userdir.c of both versions).
    const mayBeUserUrl = prefixWithSingleSlashes.startsWith('/~') || '/~'.startsWith(prefixWithSingleSlashes);
    const mayMatch = (literalBegin: string) =>
      literalBegin.startsWith(prefixWithSingleSlashes) || prefixWithSingleSlashes.startsWith(literalBegin);
    if (
      mappings.some(
        (scopeMappings) =>
          (mayBeUserUrl && scopeMappings.mayServeUsers) || scopeMappings.aliasMatchPrefixes.some(mayMatch),
      )
    )
      return null;
    if (!prefix.startsWith('/')) return null;
    if (documentRoots === null) return null;
    if (this.isOnWindows && documentRoots.some(hasShortName)) return null;
    const servedFolders: ServedFolder[] = [];
    let areUrlsCovered = false;
    const aliases = aliasLists.flatMap((lines) => this.aliasesForPrefix(prefixWithSingleSlashes, lines));
    for (const alias of aliases) {
      if (alias === 'unknown') return null;
      const { folderParts, existingPartCount, aliasUrl, endsInSlash, isActive } = alias;
      if (prefixWithSingleSlashes !== aliasUrl && !prefixWithSingleSlashes.startsWith(`${aliasUrl}/`)) {
        servedFolders.push({ pathParts: folderParts, isPrefix: false, existingPartCount });
        continue;
      }
      servedFolders.push({
        pathParts: pathComponents(alias.folder + prefixWithSingleSlashes.slice(aliasUrl.length)),
        isPrefix: !isExact && prefixWithSingleSlashes !== aliasUrl,
        existingPartCount,
      });
      // If this alias does not certainly cover the URLs, later lines may also decide. That is so if
      // the prefix may be followed by more letters, for `/a` itself with `Alias /a/`, and if the
      // alias may be inactive.
      areUrlsCovered = (prefixWithSingleSlashes !== aliasUrl || (isExact && !endsInSlash)) && isActive;
      if (areUrlsCovered) break;
    }
    if (!areUrlsCovered)
      for (const documentRoot of documentRoots)
        servedFolders.push({
          pathParts: pathComponents(documentRoot + prefixWithSingleSlashes),
          isPrefix: !isExact && !prefixWithSingleSlashes.endsWith('/'),
          existingPartCount: pathComponents(documentRoot).length,
        });
    return servedFolders;
  }

  /**
   * The aliases that may map URLs with this prefix, in the order of the lines. 'unknown' stands for
   * an alias that may map them to a folder that is not known. `prefix` has single slashes. Cached,
   * because all virtual hosts share the aliases of the main server.
   */
  private aliasesForPrefix(prefix: string, lines: readonly AliasLine[]): readonly (AliasOfFolder | 'unknown')[] {
    let aliasesByPrefix = this.aliasesByPrefix.get(lines);
    if (!aliasesByPrefix) this.aliasesByPrefix.set(lines, (aliasesByPrefix = new Map()));
    let aliases = aliasesByPrefix.get(prefix);
    if (!aliases) {
      aliases = this.allAliases(lines).flatMap<AliasOfFolder | 'unknown'>((alias) => {
        if (alias === 'unknown') return [alias];
        const { aliasUrl, folder } = alias;
        const mayMatch = aliasUrl.startsWith(prefix) || prefix.startsWith(aliasUrl);
        if (folder === null) return mayMatch ? ['unknown'] : [];
        const isAboveOrBelow =
          prefix === aliasUrl || prefix.startsWith(`${aliasUrl}/`) || aliasUrl.startsWith(prefix.replace(/\/$/, ''));
        return isAboveOrBelow ? [{ ...alias, folder }] : [];
      });
      aliasesByPrefix.set(prefix, aliases);
    }
    return aliases;
  }

  private readonly aliasesByPrefix = new Map<
    readonly AliasLine[],
    Map<string, readonly (AliasOfFolder | 'unknown')[]>
  >();

  private allAliases(lines: readonly AliasLine[]): readonly (ParsedAlias | 'unknown')[] {
    let aliases = this.aliasesByLines.get(lines);
    if (!aliases) this.aliasesByLines.set(lines, (aliases = lines.map((line) => this.parseAlias(line))));
    return aliases;
  }

  private readonly aliasesByLines = new Map<readonly AliasLine[], readonly (ParsedAlias | 'unknown')[]>();

  /** The alias of a line; 'unknown' if it may be for any URL. */
  private parseAlias({ url, target, isActive, isWsgiScript }: AliasLine): ParsedAlias | 'unknown' {
    if (!url || !target || url.includes('${')) return 'unknown';
    const folder = isWsgiScript && url === '/' ? this.folderOfAlias('', target) : this.folderOfAlias(url, target);
    const folderParts = folder === null ? [] : pathComponents(folder);
    const endsInSlash = url.endsWith('/');
    return {
      // Both versions read several slashes as one (alias_matches in modules/mappers/mod_alias.c).
      aliasUrl: url.replace(/\/+/g, '/').replace(/\/$/, ''),
      endsInSlash,
      folder,
      folderParts,
      // Without a slash at the end of the URL, the alias may be for a file.
      existingPartCount: folderParts.length - (endsInSlash && !isWsgiScript ? 0 : 1),
      isActive,
    };
  }

  /**
   * The folder of an alias. Null if the URLs below the alias lead out of that folder: with
   * "/icons/" for "/srv/icons", "/icons/file" leads to "/srv/iconsfile". With "/icons" for
   * "/srv/icons/", "/icons/file" leads to "/srv/icons//file", which is in the folder.
   */
  private folderOfAlias(url: string, target: string): string | null {
    const leadsOutside = url.endsWith('/') && !(this.isOnWindows ? /[\\/]$/ : /\/$/).test(target);
    if (leadsOutside || target.includes('${')) return null;
    const folder = resolvePath(this.configuration.serverRoot, target);
    return this.isOnWindows && hasShortName(folder) ? null : folder;
  }

  /**
   * The DocumentRoots that a server may have. `scopes`: the virtual host, and then the main server.
   * The last DocumentRoot line decides. If it may be inactive, the lines before it may decide. Null
   * if a line contains a variable.
   */
  private documentRoots(scopes: readonly Scope[]): readonly string[] | null {
    const documentRoots = new Set<string>();
    for (const scope of scopes) {
      for (const { line, expandedLine, activity } of [...scope.lines].reverse()) {
        const rootPath = line.name === 'documentroot' ? argumentsOf(expandedLine)[0]?.value : undefined;
        if (rootPath === undefined) continue;
        if (rootPath.includes('${')) return null;
        documentRoots.add(resolvePath(this.configuration.serverRoot, rootPath));
        if (activity === 'active') return [...documentRoots];
      }
    }
    return [...documentRoots, ...this.defaultRoots()];
  }

  /**
   * The folders that a server may serve without a DocumentRoot line: `htdocs` below the root that
   * was compiled in (DOCUMENT_LOCATION in include/httpd.h of both versions). That root is unknown.
   * So the result has `htdocs` below the ServerRoot and below the roots of httpd's layouts, and
   * each folder of that name in the configuration.
   */
  private defaultRoots(): readonly string[] {
    if (this.cachedDefaultRoots !== null) return this.cachedDefaultRoots;
    const namedFolders = this.entries.flatMap(({ stage, pathParts }) =>
      stage === 'directory'
        ? pathParts.flatMap((part, i) =>
            part === DEFAULT_DOCUMENT_FOLDER ? [pathOfComponents(pathParts.slice(0, i + 1))] : [],
          )
        : [],
    );
    const allFolders = [this.configuration.serverRoot, ...COMPILED_SERVER_ROOTS]
      .map((root) => resolvePath(root, DEFAULT_DOCUMENT_FOLDER))
      .concat(namedFolders);
    return (this.cachedDefaultRoots = this.distinctFolders([...new Set(allFolders)]));
  }

  /**
   * Leaves out folders to which the same sections apply as to another folder in the list. These are
   * folders whose first name is in no section, so the first of them stands for all.
   */
  private distinctFolders(folders: readonly string[]): readonly string[] {
    const firstNames = new Set<string | undefined>();
    for (const { stage, pathParts, parent, isPattern } of this.entries) {
      if (stage === 'directorymatch' || isPattern) return folders;
      firstNames.add(pathParts[0]).add(parent?.pathParts[0]);
    }
    if (this.isOnWindows) return folders;
    const firstWithoutSection = folders.find((folder) => !firstNames.has(pathComponents(folder)[0]));
    return folders.filter((folder) => folder === firstWithoutSection || firstNames.has(pathComponents(folder)[0]));
  }

  private cachedDefaultRoots: readonly string[] | null = null;
}

/** Whether a virtual host has no lines that map URLs, so that those of the main server apply. */
function mapsNothing(host: Scope): boolean {
  const { mapsAnywhere, mayServeUsers, aliasMatchPrefixes, aliases, wsgiScriptAliases } = mappingsOf(host);
  return (
    !mapsAnywhere &&
    !mayServeUsers &&
    aliasMatchPrefixes.length + aliases.length + wsgiScriptAliases.length === 0 &&
    !host.lines.some(({ line }) => line.name === 'documentroot')
  );
}

/** The lines of a server or of a virtual host that map URLs to folders. */
interface UrlMappings {
  /** Whether a line (such as a RewriteRule) may map any URL to any folder. */
  readonly mapsAnywhere: boolean;
  /** Whether a UserDir line may serve folders of users. */
  readonly mayServeUsers: boolean;
  /** For each AliasMatch line: the text with which all its URLs begin. */
  readonly aliasMatchPrefixes: readonly string[];
  readonly aliases: readonly AliasLine[];
  /**
   * WSGIScriptAlias lines. The rest of the URL follows the path of the script, also for the URL `/`
   * (wsgi_hook_intercept in mod_wsgi.c).
   */
  readonly wsgiScriptAliases: readonly AliasLine[];
}

/** The arguments of an Alias, ScriptAlias or WSGIScriptAlias line. */
interface AliasLine {
  readonly url: string | undefined;
  readonly target: string | undefined;
  readonly isActive: boolean;
  readonly isWsgiScript: boolean;
}

/** An alias line, read for a server. */
interface ParsedAlias {
  /** The URL with single slashes, and without a slash at its end. */
  readonly aliasUrl: string;
  readonly endsInSlash: boolean;
  /** Null if it is unknown to which folder the URLs lead. */
  readonly folder: string | null;
  /** The names in the path of `folder`; empty if it is null. */
  readonly folderParts: readonly string[];
  /** As in `ServedFolder`. */
  readonly existingPartCount: number;
  readonly isActive: boolean;
}

type AliasOfFolder = ParsedAlias & { readonly folder: string };

/** How a virtual host or the main server maps URLs to folders, with a cache of answers. */
interface ServerMappings {
  readonly foldersByPrefix: Map<string, ServedFolder[] | null>;
  readonly mappings: readonly UrlMappings[];
  /** The lists of aliases in the order in which httpd tries them, without empty lists. */
  readonly aliasLists: readonly (readonly AliasLine[])[];
  readonly documentRoots: readonly string[] | null;
}

/**
 * The mappings of each scope. They are cached, because a configuration is planned again for each
 * answer of the user.
 */
const mappingsCache = cacheOf<Scope, UrlMappings>();

/** The mappings that the lines of one scope make. */
function mappingsOf(scope: Scope): UrlMappings {
  let mappings = mappingsCache.get(scope);
  if (!mappings) {
    const linesNamed = (...names: readonly string[]) => scope.lines.filter(({ line }) => names.includes(line.name));
    mappings = {
      mapsAnywhere: scope.lines.some((each) => DIRECTIVES_MAPPING_ANY_URL.has(each.line.name) || mayMapElsewhere(each)),
      mayServeUsers: scope.lines.some(mayServeUsers),
      aliasMatchPrefixes: linesNamed('aliasmatch', 'scriptaliasmatch', 'wsgiscriptaliasmatch').map(literalBeginOf),
      aliases: linesNamed('alias', 'scriptalias').map(aliasOf),
      wsgiScriptAliases: linesNamed('wsgiscriptalias').map(aliasOf),
    };
    mappingsCache.set(scope, mappings);
  }
  return mappings;
}

function aliasOf({ line, expandedLine, activity }: ConfigLine): AliasLine {
  const [url, target] = argumentsOf(expandedLine).map((word) => word.value);
  return { url, target, isActive: activity === 'active', isWsgiScript: line.name === 'wsgiscriptalias' };
}

/**
 * Whether a RewriteRule of a server may map URLs to other folders. A redirected or refused request
 * has no folder, and neither has a proxied one. In a directory section, a RewriteRule makes a new
 * request with another URL instead (hook_fixup in modules/mappers/mod_rewrite.c).
 */
function mayMapElsewhere({ line, expandedLine }: ConfigLine): boolean {
  if (line.name !== 'rewriterule') return false;
  const [, target = '-', flags = ''] = argumentsOf(expandedLine).map((word) => word.value);
  return target !== '-' && !/[[,]\s*(F|forbidden|G|gone|R|redirect|P|proxy)\s*[=,\]]/i.test(flags);
}

/**
 * The text with which all URLs of an AliasMatch begin. Empty if the pattern contains a variable.
 * Each URL begins with a slash, so `^/?cpanel` is read as `^/cpanel`.
 */
function literalBeginOf({ expandedLine }: ConfigLine): string {
  const [pattern = ''] = argumentsOf(expandedLine).map((word) => word.value);
  return pattern.includes('${') ? '' : literalPrefixOfRegex(pattern.replace(/^\^\/\?(?=\w)/, '^/'));
}

/**
 * Whether a UserDir line may serve folders of users. `UserDir disabled` serves none; many packages
 * contain that line.
 */
function mayServeUsers({ line, expandedLine }: ConfigLine): boolean {
  return line.name === 'userdir' && argumentsOf(expandedLine)[0]?.value.toLowerCase() !== 'disabled';
}
