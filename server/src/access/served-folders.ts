/**
 * Finds the folders to which URLs lead, by DocumentRoot, Alias and other lines. If it is uncertain,
 * they are unknown.
 */
import type { ConfigLine, Configuration, Scope } from '../config/configuration';
import { partsOf, pathOfParts, resolvePath } from '../config/files';
import { argumentsOf } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { CONTENT_WITHOUT_FILE, MAP_ANY_URL } from './mappers';
import { hasShortName, literalPrefixOfRegex, type SectionEntry } from './section-order';

const DEFAULT_DOCUMENT_FOLDER = 'htdocs';
/** ServerRoots of config.layout in httpd's source, and of packages (config/distribution.ts). */
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
 * A folder to which URLs lead. With `isPrefix`, the last component is only the beginning of a name.
 */
export interface ServedFolder {
  readonly pathParts: readonly string[];
  readonly isPrefix: boolean;
  /**
   * Number of path components that certainly exist. A module may answer for the others without a
   * file.
   */
  readonly existingParts: number;
}

export class ServedFolders {
  constructor(
    private readonly configuration: Configuration,
    private readonly entries: readonly SectionEntry[],
    /** Visits all scopes of the configuration and of its .htaccess files. */
    private readonly forEachScope: (visit: (scope: Scope) => void) => void,
    /** Whether the server uses Windows paths. */
    private readonly isOnWindows: boolean,
  ) {}

  /** Whether URLs with this prefix may have content without a file. */
  mayHaveContentWithoutFile(prefix: string): boolean {
    this.cachedPrefixesWithoutFiles ??= this.prefixesWithoutFiles();
    return this.cachedPrefixesWithoutFiles.some(
      (fileless) => fileless.startsWith(prefix) || prefix.startsWith(fileless),
    );
  }

  /** The prefixes of the locations whose content has no files. */
  private prefixesWithoutFiles(): readonly string[] {
    const prefixes = new Set<string>();
    this.forEachScope(({ kind, words, lines }) => {
      if (!kind.startsWith('location') || !lines.some(({ line }) => CONTENT_WITHOUT_FILE.has(line.name))) return;
      const isRegex = kind === 'locationmatch' || words[0] === '~';
      const argument = words.at(-1) ?? '';
      prefixes.add(isRegex ? literalPrefixOfRegex(argument) : argument.replace(/[*?[$].*/, ''));
    });
    return [...prefixes];
  }

  private cachedPrefixesWithoutFiles: readonly string[] | null = null;

  /** Returns the folders to which URLs with this prefix lead. Null if unknown. Cached. */
  foldersOf(prefix: string, context: Scope | null, isExact: boolean): ServedFolder[] | null {
    const of = this.mappingsOfServer(context);
    const key = (isExact ? '=' : '^') + prefix;
    let places = of.foldersByPrefix.get(key);
    if (places === undefined) of.foldersByPrefix.set(key, (places = this.findFolders(prefix, of, isExact)));
    return places;
  }

  private mappingsOfServer(context: Scope | null): ServerMappings {
    let found = this.mappingsByServer.get(context);
    if (!found) {
      const scopes = context ? [context, this.configuration.rootScope] : [this.configuration.rootScope];
      found = {
        foldersByPrefix: new Map(),
        mappings: scopes.map(mappingsOf),
        documentRoots: this.documentRoots(scopes),
      };
      this.mappingsByServer.set(context, found);
    }
    return found;
  }

  private readonly mappingsByServer = new Map<Scope | null, ServerMappings>();

  private findFolders(
    prefix: string,
    { mappings, documentRoots }: ServerMappings,
    isExact: boolean,
  ): ServedFolder[] | null {
    if (mappings.some(({ mapsAnywhere }) => mapsAnywhere)) return null;
    const wanted = prefix.replace(/\/+/g, '/');
    // UserDir only handles URLs that begin with /~ (translate_userdir in
    // modules/mappers/mod_userdir.c of both versions).
    const mayBeUser = wanted.startsWith('/~') || '/~'.startsWith(wanted);
    const mayMatch = (begin: string) => begin.startsWith(wanted) || wanted.startsWith(begin);
    if (mappings.some((of) => (mayBeUser && of.servesUsers) || of.patterns.some(mayMatch))) return null;
    if (!prefix.startsWith('/')) return null;
    if (documentRoots === null) return null;
    if (this.isOnWindows && documentRoots.some(hasShortName)) return null;
    const places: ServedFolder[] = [];
    let isCovered = false;
    // mod_wsgi looks at a URL after mod_alias (order of the translate_name hooks in mod_wsgi.c).
    const aliases = [...mappings.flatMap((of) => of.aliases), ...mappings.flatMap((of) => of.scripts)];
    for (const { url, target, isActive, isScript } of aliases) {
      if (!url || !target || url.includes('${')) return null;
      // Both versions read several slashes as one (alias_matches in modules/mappers/mod_alias.c).
      const under = url.replace(/\/+/g, '/').replace(/\/$/, '');
      const at = isScript && url === '/' ? this.folderOfAlias('', target) : this.folderOfAlias(url, target);
      if (at === null && mayMatch(under)) return null;
      if (at === null) continue;
      // Without a slash at the end, the path may be a file.
      const base = partsOf(at).length - (url.endsWith('/') && !isScript ? 0 : 1);
      if (wanted === under || wanted.startsWith(`${under}/`)) {
        places.push({
          pathParts: partsOf(at + wanted.slice(under.length)),
          isPrefix: !isExact && wanted !== under,
          existingParts: base,
        });
        // If not covered, other lines may still decide: further letters of a pattern, /a itself
        // with `Alias /a/`, and an alias that may be inactive.
        isCovered = (wanted !== under || (isExact && !url.endsWith('/'))) && isActive;
        if (isCovered) break;
        continue;
      }
      if (under.startsWith(wanted.replace(/\/$/, '')))
        places.push({ pathParts: partsOf(at), isPrefix: false, existingParts: base });
    }
    if (!isCovered)
      for (const documentRoot of documentRoots)
        places.push({
          pathParts: partsOf(documentRoot + wanted),
          isPrefix: !isExact && !wanted.endsWith('/'),
          existingParts: partsOf(documentRoot).length,
        });
    return places;
  }

  /**
   * The folder of an alias. Null if URLs below it lead elsewhere: with "/icons/" for "/srv/icons",
   * "/icons/file" leads to "/srv/iconsfile". The other way round, it leads to "/srv/icons//file",
   * which is the same file as with one slash.
   */
  private folderOfAlias(url: string, target: string): string | null {
    const isOdd = url.endsWith('/') && !(this.isOnWindows ? /[\\/]$/ : /\/$/).test(target);
    if (isOdd || target.includes('${')) return null;
    const at = resolvePath(this.configuration.serverRoot, target);
    return this.isOnWindows && hasShortName(at) ? null : at;
  }

  /**
   * The possible DocumentRoots of a server; the scope of the virtual host comes first. The last
   * DocumentRoot counts. If it may be inactive, earlier ones are possible, too. Null if one
   * contains a variable.
   */
  private documentRoots(scopes: readonly Scope[]): readonly string[] | null {
    const found = new Set<string>();
    for (const scope of scopes) {
      for (const { line, expandedLine, activity } of [...scope.lines].reverse()) {
        const path = line.name === 'documentroot' ? argumentsOf(expandedLine)[0]?.value : undefined;
        if (path === undefined) continue;
        if (path.includes('${')) return null;
        found.add(resolvePath(this.configuration.serverRoot, path));
        if (activity === 'active') return [...found];
      }
    }
    return [...found, ...this.defaultRoots()];
  }

  /**
   * The possible folders without a DocumentRoot line: `htdocs` below the compiled-in root
   * (DOCUMENT_LOCATION in include/httpd.h of both versions). That root is unknown, so the
   * candidates are the ServerRoot, the roots of httpd's layouts, and each folder of that name in
   * the configuration.
   */
  private defaultRoots(): readonly string[] {
    if (this.cachedDefaultRoots !== null) return this.cachedDefaultRoots;
    const named = this.entries.flatMap(({ stage, pathParts }) =>
      stage === 'directory'
        ? pathParts.flatMap((part, i) =>
            part === DEFAULT_DOCUMENT_FOLDER ? [pathOfParts(pathParts.slice(0, i + 1))] : [],
          )
        : [],
    );
    const all = [this.configuration.serverRoot, ...COMPILED_SERVER_ROOTS]
      .map((root) => resolvePath(root, DEFAULT_DOCUMENT_FOLDER))
      .concat(named);
    return (this.cachedDefaultRoots = this.distinctFolders([...new Set(all)]));
  }

  /**
   * Removes folders that need not be looked at: if no section is inside or around several folders,
   * the same sections apply to all of them, so the first stands for all.
   */
  private distinctFolders(folders: readonly string[]): readonly string[] {
    const tops = new Set<string | undefined>();
    for (const { stage, pathParts, parent, isPattern } of this.entries) {
      if (stage === 'directorymatch' || isPattern) return folders;
      tops.add(pathParts[0]).add(parent?.pathParts[0]);
    }
    if (this.isOnWindows) return folders;
    const other = folders.find((folder) => !tops.has(partsOf(folder)[0]));
    return folders.filter((folder) => folder === other || tops.has(partsOf(folder)[0]));
  }

  private cachedDefaultRoots: readonly string[] | null = null;
}

/** The lines of a server or of a virtual host that map URLs to folders. */
interface UrlMappings {
  /** Whether a line (such as a RewriteRule) may map any URL to any folder. */
  readonly mapsAnywhere: boolean;
  readonly servesUsers: boolean;
  /** The literal beginning of the URLs of each AliasMatch. */
  readonly patterns: readonly string[];
  readonly aliases: readonly AliasLine[];
  /**
   * Scripts of WSGIScriptAlias. The rest of the URL follows the script's path, also for `/`
   * (wsgi_hook_intercept in mod_wsgi.c).
   */
  readonly scripts: readonly AliasLine[];
}

interface AliasLine {
  readonly url: string | undefined;
  readonly target: string | undefined;
  readonly isActive: boolean;
  readonly isScript: boolean;
}

/** How one virtual host, or the main server, maps URLs to folders, with a cache of answers. */
interface ServerMappings {
  readonly foldersByPrefix: Map<string, ServedFolder[] | null>;
  readonly mappings: readonly UrlMappings[];
  readonly documentRoots: readonly string[] | null;
}

/**
 * The mappings of each scope. Cached, because the same configuration is planned once for each
 * possible answer of the user.
 */
const mappingsCache = cacheOf<Scope, UrlMappings>();

function mappingsOf(scope: Scope): UrlMappings {
  let known = mappingsCache.get(scope);
  if (!known) {
    const named = (...names: readonly string[]) => scope.lines.filter(({ line }) => names.includes(line.name));
    known = {
      mapsAnywhere: scope.lines.some((each) => MAP_ANY_URL.has(each.line.name) || mayMapElsewhere(each)),
      servesUsers: scope.lines.some(servesUsers),
      patterns: named('aliasmatch', 'scriptaliasmatch', 'wsgiscriptaliasmatch').map(literalBeginOf),
      aliases: named('alias', 'scriptalias').map(aliasOf),
      scripts: named('wsgiscriptalias').map(aliasOf),
    };
    mappingsCache.set(scope, known);
  }
  return known;
}

function aliasOf({ line, expandedLine, activity }: ConfigLine): AliasLine {
  const [url, target] = argumentsOf(expandedLine).map((word) => word.value);
  return { url, target, isActive: activity === 'active', isScript: line.name === 'wsgiscriptalias' };
}

/**
 * Whether a RewriteRule of a server may map URLs to other folders. In a directory it does not:
 * there it makes a new request with another URL (hook_fixup in modules/mappers/mod_rewrite.c).
 * Proxied requests have no folder.
 */
function mayMapElsewhere({ line, expandedLine }: ConfigLine): boolean {
  if (line.name !== 'rewriterule') return false;
  const [, to = '-', flags = ''] = argumentsOf(expandedLine).map((word) => word.value);
  return to !== '-' && !/[[,]\s*(F|forbidden|G|gone|R|redirect|P|proxy)\s*[=,\]]/i.test(flags);
}

/**
 * The literal beginning of all URLs of an AliasMatch. Empty if it contains a variable. Each URL
 * begins with a slash, so that `^/?cpanel` is `^/cpanel`.
 */
function literalBeginOf({ expandedLine }: ConfigLine): string {
  const [pattern = ''] = argumentsOf(expandedLine).map((word) => word.value);
  return pattern.includes('${') ? '' : literalPrefixOfRegex(pattern.replace(/^\^\/\?(?=\w)/, '^/'));
}

/**
 * Whether a UserDir line may serve folders of users. `UserDir disabled`, which many packages
 * contain, serves none.
 */
function servesUsers({ line, expandedLine }: ConfigLine): boolean {
  return line.name === 'userdir' && argumentsOf(expandedLine)[0]?.value.toLowerCase() !== 'disabled';
}
