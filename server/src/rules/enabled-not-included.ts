import type { ConfigLine, Configuration } from '../config/configuration';
import {
  baseName,
  globPattern,
  hasWildcard,
  isWithin,
  linkTarget,
  localPathOf,
  parentOf,
  resolvePath,
  serverPathOf,
  type FileView,
  type PathMap,
} from '../config/files';
import { linesOf } from '../config/loaded-modules';
import { looksLikeHttpd } from '../directives/recognize';
import { directive } from '../directives';
import { argumentsOf, LineKind } from '../syntax/line';
import { shellWord } from '../syntax/shell-word';
import { forEachItem, Section } from '../syntax/tree';
import { contentSpan, lineEnd, shortened } from './support/edits';
import { fittingTitle } from './support/fix-title';
import type { ConfigurationFinding, ConfigurationRule, MessageParts } from './rule';

/**
 * Finds configuration files that 2.2 reads, but that no Include line of the 2.4 main file matches.
 */
export const enabledNotIncluded: ConfigurationRule = {
  id: 'enabled-not-included',
  title: 'An enabled site or file that no Include line reads',
  consequence: 'ignored',
  since: 0,
  fix: 'suggestion',
  checks: 'configuration',
  names: ['include', 'includeoptional', 'loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#includeoptional',
  examples: [
    {
      title: 'A site of Debian 7 with the apache2.conf of Debian 8',
      before: 'ServerRoot /srv/conf\nIncludeOptional sites-enabled/*.conf\n',
      after: 'ServerRoot /srv/conf\nIncludeOptional sites-enabled/*.conf\nIncludeOptional sites-enabled/shop\n',
      finds: ['not-matched'],
      files: {
        '/srv/conf/sites-enabled/000-default.conf': '<VirtualHost *:80>\nServerName www.example.org\n</VirtualHost>\n',
        '/srv/conf/sites-enabled/shop': '<VirtualHost *:80>\nServerName shop.example.org\n</VirtualHost>\n',
      },
    },
    {
      title: 'Not reported: all files are included',
      before: 'ServerRoot /srv/conf\nIncludeOptional sites-enabled/\n',
      finds: [],
      files: { '/srv/conf/sites-enabled/shop': '<VirtualHost *:80>\n</VirtualHost>\n' },
    },
  ],
  check({ configuration, view, distribution }) {
    // If other parts of the configuration could not be read, they may include any file.
    if (
      configuration.gaps.some(
        ({ reason }) => reason !== 'include-missing' && reason !== 'condition' && reason !== 'mpm',
      )
    )
      return [];
    const includes = [...linesOf(configuration, 'include'), ...linesOf(configuration, 'includeoptional')].filter(
      ({ activity }) => activity !== 'inactive',
    );
    const includeByDirectory = new Map<string, ConfigLine>();
    for (const include of includes) {
      const includedPath = argumentsOf(include.expandedLine)[0]?.value;
      const lastSlash = includedPath?.lastIndexOf('/') ?? -1;
      if (
        includedPath === undefined ||
        !/\*\.\w+$/.test(includedPath.slice(lastSlash + 1)) ||
        hasWildcard(includedPath.slice(0, Math.max(lastSlash, 0)))
      )
        continue;
      const directory = resolvePath(configuration.serverRoot, includedPath.slice(0, Math.max(lastSlash, 0)) || '.');
      if (ENABLED_FOLDER.test(baseName(directory)) && !includeByDirectory.has(directory))
        includeByDirectory.set(directory, include);
    }
    const findings: ConfigurationFinding[] = [];
    const realPathsOfReadFiles = new Set(configuration.files.keys());
    const search: UnreadSearch = {
      view,
      pathMap: configuration.pathMap,
      realPathsOfReadFiles,
      isIncluded: includeTest(includes, configuration),
      unsearchedFolders: new Set(),
    };
    const report = (
      files: readonly string[],
      includeLine: ConfigLine,
      messageId: string,
      parts: Pick<MessageParts, 'cause' | 'help' | 'run'>,
    ): void => {
      if (files.length > 0)
        findings.push({
          ...placeOf(includeLine),
          messageId,
          what: headlineOf(files),
          ...parts,
          fixes: [fixOf(files, includeLine, configuration)],
        });
    };
    const enableCommands = new EnableCommands(configuration, view);
    const commandsFor = (files: readonly string[], kind: EnabledKind, directory: string): string | undefined =>
      distribution === 'debian'
        ? files.map((file) => enableCommands.commandFor(file, kind, directory)).join('\n')
        : undefined;
    for (const [directory, includeLine] of includeByDirectory) {
      const localDirectory = localPathOf(directory, configuration.pathMap);
      const enabledKind = ({ 'sites-enabled': 'sites', 'conf-enabled': 'conf' } as const)[baseName(directory)];
      // 2.2 read subdirectories only in sites-enabled.
      const files = unreadFilesIn(localDirectory, search, enabledKind === 'sites');
      const isOneFile = files.length === 1;
      report(files, includeLine, 'not-matched', {
        cause: `${namesText(files, localDirectory)} ${isOneFile ? 'does' : 'do'} not match ${baseName(argumentsOf(includeLine.expandedLine)[0]!.value)}.`,
        help: `Add .conf to the name${isOneFile ? '' : 's'}${enabledKind !== undefined && distribution === 'debian' ? ` and enable the file${isOneFile ? '' : 's'} again with ${TOOL_BY_KIND[enabledKind]}` : ''}, or include the file${isOneFile ? '' : 's'} by ${isOneFile ? 'an `IncludeOptional` line' : '`IncludeOptional` lines'}.`,
        run: enabledKind && commandsFor(files, enabledKind, localDirectory),
      });
    }
    if (distribution === 'rhel') findings.push(...findingsOfPackageModules(configuration, search));
    const lastInclude = includes.filter(({ file }) => file === configuration.rootScope.file).at(-1);
    if (
      distribution !== 'debian' ||
      lastInclude === undefined ||
      baseName(configuration.rootScope.file.path) !== 'apache2.conf'
    )
      return [...findings, ...findingsOfCutSearches(search, includes)];
    const root = localPathOf(configuration.serverRoot, configuration.pathMap);
    const includesConfEnabled = includes.some(({ expandedLine }) =>
      /(?:^|\/)conf-enabled(?:\/|$)/.test(argumentsOf(expandedLine)[0]?.value ?? ''),
    );
    const unreadConfFiles = includesConfEnabled
      ? []
      : unreadFilesIn(`${root}/conf-enabled`, search).filter((path) => path.endsWith('.conf'));
    if (unreadConfFiles.length > 0 && lastInclude.file.readingCount === 1)
      findings.push({
        ...placeOf(lastInclude),
        messageId: 'conf-enabled',
        what: headlineOf(unreadConfFiles),
        cause: `The 2.4 packages put files into conf-enabled. This apache2.conf is from 2.2 and does not include them. Left out: ${namesText(unreadConfFiles, `${root}/conf-enabled`)}.`,
        help: 'Add `IncludeOptional conf-enabled/*.conf` below this line.',
        fixes: [
          {
            title: 'Add IncludeOptional for conf-enabled',
            safety: 'suggestion',
            assumes: 'you want the files of the packages',
            edits: [
              {
                start: lastInclude.offset,
                end: lastInclude.offset,
                text: `${/^[ \t]*/.exec(lastInclude.line.text)![0]}IncludeOptional conf-enabled/*.conf${lineEnd(lastInclude.line)}`,
              },
            ],
          },
        ],
      });
    const unreadSnippets = unreadFilesIn(`${root}/conf.d`, search, true);
    report(unreadSnippets, lastInclude, 'conf-d', {
      cause: `Debian for 2.4 reads conf-enabled, not conf.d. Left out: ${namesText(unreadSnippets, `${root}/conf.d`)}.`,
      help: 'Move the files that you still need to conf-available, with names that end in .conf, and enable them with a2enconf.',
      run: commandsFor(unreadSnippets, 'conf', `${root}/conf.d`),
    });
    const filesBesideMain = unreadFilesIn(root, search);
    const oldMainFiles = filesBesideMain.filter((path) => baseName(path) === 'httpd.conf');
    report(oldMainFiles, lastInclude, 'httpd-conf', {
      cause: 'On Debian, httpd 2.4 reads apache2.conf and not httpd.conf.',
      help: 'Move the lines that you still need to a file in conf-available, and enable it with a2enconf.',
      run: commandsFor(oldMainFiles, 'conf', root),
    });
    const portsFiles = filesBesideMain.filter((path) => baseName(path) === 'ports.conf');
    report(portsFiles, lastInclude, 'ports-conf', {
      cause: 'Its Listen lines are not read.',
      help: 'Add `Include ports.conf`.',
    });
    return [...findings, ...findingsOfCutSearches(search, includes)];
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/**
 * One finding for each directory that was not searched completely, at the last Include line. Empty
 * if there is no such line.
 */
function findingsOfCutSearches(
  { unsearchedFolders, pathMap }: UnreadSearch,
  includes: readonly ConfigLine[],
): ConfigurationFinding[] {
  const lastInclude = includes.at(-1);
  if (lastInclude === undefined) return [];
  return [...unsearchedFolders].map((directory) => ({
    ...placeOf(lastInclude),
    messageId: 'cut',
    what: `\`${shortened(baseName(directory), 40)}\` has too many files, and not all are checked`,
    consequence: 'check after the upgrade' as const,
    cause: `The search for files that no Include line reads stopped in ${serverPathOf(directory, pathMap)}. Its limits: ${MAX_DIRECTORIES} directories, and ${MAX_OTHER_FILES} files without configuration.`,
    help: 'Remove links that lead out of the directory, and run again.',
    fixes: [],
  }));
}

/**
 * Matches the names of directories for enabled files, such as sites-enabled. 2.2 reads all files in
 * them.
 */
const ENABLED_FOLDER = /-enabled$/;

/**
 * For Red Hat: a finding if the main file does not include the files in conf.modules.d, which load
 * the modules of packages. Including them is safe, because httpd skips a second LoadModule line for
 * a module (AH01574).
 */
function findingsOfPackageModules(configuration: Configuration, search: UnreadSearch): ConfigurationFinding[] {
  const { view, realPathsOfReadFiles } = search;
  const directory = `${localPathOf(configuration.serverRoot, configuration.pathMap)}/conf.modules.d`;
  const allFiles = [...(view.list(directory) ?? [])]
    .filter((name) => name.endsWith('.conf'))
    .map((name) => `${directory}/${name}`);
  const loadModuleLine = linesOf(configuration, 'loadmodule').find(
    ({ file, activity, conditionals, enclosingSections }) =>
      file === configuration.rootScope.file &&
      activity === 'active' &&
      conditionals.length + enclosingSections.length === 0,
  );
  if (
    !loadModuleLine ||
    loadModuleLine.file.readingCount > 1 ||
    allFiles.some((path) => realPathsOfReadFiles.has(view.realPath(path)))
  )
    return [];
  const files = unreadFilesIn(directory, search).filter((path) => path.endsWith('.conf'));
  if (files.length === 0) return [];
  return [
    {
      ...placeOf(loadModuleLine),
      messageId: 'modules',
      what: `\`LoadModule\`: httpd does not read ${files.length === 1 ? 'the file' : `the ${files.length} files`} in conf.modules.d`,
      cause:
        'The 2.4 packages load their modules there: PHP and mod_ssl, for example. If a module is not loaded, httpd skips its `<IfModule>` sections.',
      help: 'Include the files before the other modules. A module that is loaded twice is only a warning.',
      fixes: [
        {
          title: 'Add Include for conf.modules.d',
          safety: 'suggestion',
          assumes: 'you want to load the modules of the packages',
          edits: [
            {
              start: loadModuleLine.offset,
              end: loadModuleLine.offset,
              text: `Include conf.modules.d/*.conf${lineEnd(loadModuleLine.line)}`,
            },
          ],
        },
      ],
    },
  ];
}

/** `sites`: files that `a2ensite` enables. `conf`: other files, which `a2enconf` enables. */
type EnabledKind = 'sites' | 'conf';
const TOOL_BY_KIND: Readonly<Record<EnabledKind, string>> = { sites: 'a2ensite', conf: 'a2enconf' };

/**
 * Names of files that Debian's package apache2 2.4.71 has in sites-available and conf-available.
 * The checked copy of a server's files may lack them, but no command may overwrite them on the
 * server.
 */
const FILES_OF_PACKAGE: Readonly<Record<EnabledKind, readonly string[]>> = {
  sites: ['000-default', 'default-ssl'],
  conf: ['charset', 'localized-error-pages', 'other-vhosts-access-log', 'security', 'serve-cgi-bin'],
};

/**
 * Matches names that a2ensite and a2enconf take as they are. They pass the name to perl's glob,
 * which splits it at spaces (myglob in a2enmod of 2.4.71).
 */
const PLAIN_NAME = /^\w[\w.+-]*$/;

/**
 * Makes shell commands that give files a name for 2.4 and enable them. Each file gets one line with
 * paths of the server. The lines must run once and in order.
 *
 * For a link to a file in …-available, the command renames the file and replaces the link. It moves
 * a file in …-enabled to …-available, where a2ensite expects it. It renames a link to a file
 * elsewhere.
 */
class EnableCommands {
  private readonly root: string;
  /** New paths that an earlier command uses, as paths on this machine. */
  private readonly newPaths = new Set<string>();
  /** The new names of files that an earlier command moves, by their paths with links resolved. */
  private readonly newNameByPath = new Map<string, string>();

  constructor(
    { pathMap, serverRoot }: Configuration,
    private readonly view: FileView,
  ) {
    this.root = localPathOf(serverRoot, pathMap);
    this.shellPath = (path) => shellWord(serverPathOf(path, pathMap));
    this.targetOf = (link) => {
      const target = leadsOutOfCopy(link, view, pathMap) ? view.link!(link)! : view.realPath(link);
      return shellWord(
        target.startsWith('/')
          ? serverPathOf(target, pathMap)
          : resolvePath(parentOf(serverPathOf(link, pathMap)), target),
      );
    };
  }

  /** Returns the target of a link as a shell word, with the path that it has on the server. */
  private readonly targetOf: (link: string) => string;

  /** Returns a path as a shell word, with the path that it has on the server. */
  private readonly shellPath: (path: string) => string;

  /**
   * The shell command that enables a file for 2.4: it gives the file a name in `.conf` in an
   * `-available` directory, and links it. `directory`: the directory that 2.2 includes. The file is
   * in or below it.
   */
  commandFor(file: string, kind: EnabledKind, directory: string): string {
    const { view, shellPath, root } = this;
    const [available, enabled] = [`${root}/${kind}-available`, `${root}/${kind}-enabled`];
    const target = view.realPath(file);
    const parent = file.slice(0, file.lastIndexOf('/'));
    const isRealFile = view.link?.(file) == null && target === `${view.realPath(parent)}/${baseName(file)}`;
    const nameFor24 = this.freeName(
      file.slice(directory.length + 1).replaceAll('/', '-'),
      kind,
      isRealFile ? null : target,
    );
    const [file24, link24] = [`${available}/${nameFor24}.conf`, `${enabled}/${nameFor24}.conf`];
    const linkCommand = (to: string) => `ln -s ${shellWord(`../${kind}-available/${to}.conf`)} ${shellPath(link24)}`;
    const enableCommand = PLAIN_NAME.test(nameFor24) ? `${TOOL_BY_KIND[kind]} ${nameFor24}` : linkCommand(nameFor24);
    if (isRealFile) return `mv ${shellPath(file)} ${shellPath(file24)} && ${enableCommand}`;
    const isInAvailableFolder = target.startsWith(`${view.realPath(available)}/`);
    const earlierName = this.newNameByPath.get(target);
    // An earlier command moves the file to which this link leads. The second link is a second site,
    // so it becomes a link to the moved file.
    if (earlierName !== undefined) return `${linkCommand(earlierName)} && rm ${shellPath(file)}`;
    if (isInAvailableFolder && !target.endsWith('.conf')) {
      this.newNameByPath.set(target, nameFor24);
      return `mv ${shellPath(target)} ${shellPath(file24)} && rm ${shellPath(file)} && ${enableCommand}`;
    }
    // A relative link keeps its target only if it stays at the same depth below the root. Other
    // links are created again.
    return parent === root || parent.slice(0, parent.lastIndexOf('/')) !== root
      ? `ln -s ${this.targetOf(file)} ${shellPath(link24)} && rm ${shellPath(file)}`
      : `mv ${shellPath(file)} ${shellPath(link24)}`;
  }

  /**
   * A new name that no file has. It keeps the file's alphabetical order among the package's files,
   * because httpd uses the first virtual host of an address and the last value of a directive.
   * `target`: the file to which a link leads; null for a file that is no link.
   */
  private freeName(oldName: string, kind: EnabledKind, target: string | null): string {
    const plainName = oldName.replace(/\.conf$/, '');
    const nameIfTaken = kind === 'sites' ? `${plainName}-local` : `${plainName}.local`;
    for (let count = 0; ; count++) {
      const candidateName = count === 0 ? plainName : count === 1 ? nameIfTaken : `${nameIfTaken}${count}`;
      const candidatePaths = ['available', 'enabled'].map(
        (each) => `${this.root}/${kind}-${each}/${candidateName}.conf`,
      );
      const isPathTaken = (path: string) => this.view.kind(path) !== null || this.newPaths.has(path);
      // If a link leads to a file that already has this name for 2.4, only the link needs a free
      // name.
      if (
        target === null || target !== candidatePaths[0]
          ? candidatePaths.some(isPathTaken)
          : isPathTaken(candidatePaths[1]!)
      )
        continue;
      if (FILES_OF_PACKAGE[kind].includes(candidateName) && target !== candidatePaths[0]) continue;
      for (const path of candidatePaths) this.newPaths.add(path);
      return candidateName;
    }
  }
}

/** Matches backups and leftovers of editors, package managers and users. */
const LEFTOVER_FILE_NAME =
  /^[.#]|^README|~$|\.(bak|old|orig|save|swp|sample|dist|disabled|off|inactive|dpkg-\w+|ucf-\w+|rpm(new|save|orig))$/i;

/** Matches names of directories for unused files. */
const LEFTOVER_DIRECTORY_NAME = /^(old|bak|backups?|archived?|disabled|off|inactive|unused|save|orig|tmp)$/i;

/**
 * Limit of nested directories that the search enters. 2.2 itself has no such limit: an Include of a
 * directory reads all levels below it (ap_process_resource_config in server/config.c).
 */
const MAX_DIRECTORY_DEPTH = 8;
const MAX_DIRECTORIES = 500;
/** Limit of files that are no configuration. If a search reads so many of them, it ends. */
const MAX_OTHER_FILES = 500;

/**
 * Whether a path is a link to a file outside of the copy of a server's files. Such a link has no
 * target here, but on the server it has one, because 2.2 reads it.
 */
function leadsOutOfCopy(path: string, view: FileView, pathMap: PathMap): boolean {
  const target = pathMap.copyFolders && view.link?.(path);
  if (!pathMap.copyFolders || target == null) return false;
  const destination = linkTarget(path, target, pathMap);
  return !pathMap.copyFolders.some((top) => isWithin(destination, top));
}

/** A search for files that the configuration does not read. */
interface UnreadSearch {
  readonly view: FileView;
  readonly pathMap: PathMap;
  /** The real paths (`FileView.realPath`) of the files that the configuration reads. */
  readonly realPathsOfReadFiles: ReadonlySet<string>;
  /** Whether an Include line reads the path on the server, also if no file is there in a copy. */
  readonly isIncluded: (path: string) => boolean;
  /** Directories whose search ended at a limit, so that files may be missing. */
  readonly unsearchedFolders: Set<string>;
}

/** Returns a test whether one of the Include lines reads a path, or a directory above it. */
function includeTest(
  includes: readonly ConfigLine[],
  { serverRoot, pathMap }: Configuration,
): (path: string) => boolean {
  const includedPaths = includes.flatMap(({ expandedLine }) => {
    const value = argumentsOf(expandedLine)[0]?.value.replace(/\/$/, '');
    return value ? [localPathOf(resolvePath(serverRoot, value), pathMap)] : [];
  });
  return (path) =>
    includedPaths.some(
      (included) =>
        isWithin(path, included) ||
        (parentOf(path) === parentOf(included) && globPattern(baseName(included)).test(baseName(path))),
    );
}

/**
 * The configuration files in a directory that httpd does not read. With `isDeep`, also files in
 * subdirectories, and links to files outside of the copy.
 */
function unreadFilesIn(
  directory: string,
  { view, pathMap, realPathsOfReadFiles, isIncluded, unsearchedFolders }: UnreadSearch,
  isDeep = false,
): string[] {
  const foundFiles: string[] = [];
  const visitedFolders = new Set<string>();
  let otherFileCount = 0;
  const searchIn = (searchedFolder: string, depth: number): void => {
    if (visitedFolders.has(view.realPath(searchedFolder)) || otherFileCount >= MAX_OTHER_FILES) return;
    if (depth > MAX_DIRECTORY_DEPTH || visitedFolders.size >= MAX_DIRECTORIES)
      return void unsearchedFolders.add(directory);
    visitedFolders.add(view.realPath(searchedFolder));
    for (const name of [...(view.list(searchedFolder) ?? [])].sort()) {
      const path = `${searchedFolder}/${name}`;
      if (LEFTOVER_FILE_NAME.test(name)) continue;
      const fileKind = view.kind(path);
      if (fileKind === 'file' && !realPathsOfReadFiles.has(view.realPath(path))) {
        if (holdsConfiguration(path, view)) foundFiles.push(path);
        else if (++otherFileCount >= MAX_OTHER_FILES) return void unsearchedFolders.add(directory);
      }
      if (fileKind === null && isDeep && leadsOutOfCopy(path, view, pathMap) && !isIncluded(path))
        foundFiles.push(path);
      if (fileKind === 'folder' && isDeep && !LEFTOVER_DIRECTORY_NAME.test(name)) searchIn(path, depth + 1);
    }
  };
  searchIn(directory, 0);
  return foundFiles;
}

/**
 * Whether the file looks like a configuration of httpd, or has at least one directive or section
 * and no unknown ones.
 */
function holdsConfiguration(path: string, view: FileView): boolean {
  const tree = view.read(path);
  if (tree === null) return false;
  if (looksLikeHttpd(tree.text())) return true;
  let knownCount = 0;
  let unknownCount = 0;
  forEachItem(tree.root, 0, (item) => {
    const isSection = item instanceof Section;
    if (!isSection && item.kind !== LineKind.Directive) return;
    if (directive(item.name, { section: isSection }) !== undefined) knownCount++;
    else unknownCount++;
  });
  return knownCount > 0 && unknownCount === 0;
}

/** The headline, with the name of the first file and the number of the others. */
function headlineOf(files: readonly string[]): string {
  return files.length === 1
    ? `\`${shortened(baseName(files[0]!), 40)}\`: httpd does not read this file`
    : `\`${shortened(baseName(files[0]!), 40)}\` and ${files.length - 1} more: httpd does not read these files`;
}

/** The paths of the first three files below a directory, as code, and the number of the others. */
function namesText(files: readonly string[], directory: string): string {
  const shownNames = files.slice(0, 3).map((path) => `\`${baseName(directory)}${path.slice(directory.length)}\``);
  const hiddenCount = files.length - shownNames.length;
  return shownNames.join(', ') + (hiddenCount > 0 ? ` and ${hiddenCount} more` : '');
}

function placeOf({ file, line, offset }: ConfigLine): Pick<ConfigurationFinding, 'file' | 'start' | 'end'> {
  return { file: file.path, ...contentSpan(line, offset) };
}

/** The fix that adds an IncludeOptional line for each file below an Include line. */
function fixOf(files: readonly string[], { line, offset }: ConfigLine, { pathMap, serverRoot }: Configuration) {
  const lineEndOffset = offset + line.length;
  const eol = lineEnd(line);
  const indentation = /^[ \t]*/.exec(line.text)![0];
  const includeLines = files.map((path) => {
    const serverPath = serverPathOf(path, pathMap);
    const relativePath = serverPath.startsWith(`${serverRoot}/`) ? serverPath.slice(serverRoot.length + 1) : serverPath;
    return `IncludeOptional ${/\s/.test(relativePath) ? `"${relativePath}"` : relativePath}`;
  });
  const indentedLines = includeLines.map((each) => indentation + each);
  const isWithoutNewline = !/\n$/.test(line.text);
  const text = isWithoutNewline ? eol + indentedLines.join(eol) : indentedLines.join(eol) + eol;
  return {
    title:
      files.length === 1
        ? fittingTitle(`Add ${includeLines[0]!}`, `Add IncludeOptional for ${shortened(baseName(files[0]!), 36)}`)
        : `Add IncludeOptional for ${files.length} files`,
    safety: 'suggestion' as const,
    edits: [{ start: lineEndOffset, end: lineEndOffset, text }],
  };
}
