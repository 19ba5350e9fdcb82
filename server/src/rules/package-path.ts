import { baseName, driveOf, isWithin, localPathOf, resolvePath, type FileView } from '../config/files';
import type { ConfigLine, Configuration } from '../config/configuration';
import { namesInUse } from '../config/lines-by-name';
import { linesOf, scopesOf, type LoadedModules } from '../config/loaded-modules';
import type { Distribution } from '../config/distribution';
import { module as moduleOf } from '../directives';
import { moduleNamed } from '../config/modules';
import { argumentsOf, LineKind, spelledName, type Line, type Word } from '../syntax/line';
import { fittingHeadline } from './support/edits';
import { endInQuotes, MODULE_DIRECTORIES } from './support/load-module';
import type { ConfigurationFinding, ConfigurationRule, Consequence, Edit, Fix, Safety } from './rule';
import { addTo } from '../syntax/groups';
import { titleToChange, fittingTitle } from './support/fix-title';

export const packagePath: ConfigurationRule = {
  id: 'package-path',
  title: 'A path that only the 2.2 package has',
  consequence: 'will not start',
  since: 0,
  fix: 'safe',
  checks: 'configuration',
  names: [
    'loadmodule',
    'loadfile',
    'include',
    'includeoptional',
    'serverroot',
    'alias',
    'scriptalias',
    'aliasmatch',
    'documentroot',
    'typesconfig',
    'mimemagicfile',
    'authuserfile',
    'authgroupfile',
    'sslcertificatefile',
    'sslcertificatekeyfile',
    'sslcertificatechainfile',
    'sslcacertificatefile',
    'sslcacertificatepath',
    'sslcarevocationfile',
    'scriptsock',
    'pidfile',
  ],
  url: 'https://httpd.apache.org/docs/2.4/upgrading.html',
  examples: [
    {
      title: 'Modules and icons of FreeBSD',
      before:
        'ServerRoot "/usr/local"\nLoadModule alias_module libexec/apache22/mod_alias.so\nAlias /icons/ "/usr/local/www/apache22/icons/"\n<Directory "/usr/local/www/apache22/icons">\n    Options Indexes\n</Directory>\n',
      after:
        'ServerRoot "/usr/local"\nLoadModule alias_module libexec/apache24/mod_alias.so\nAlias /icons/ "/usr/local/www/apache24/icons/"\n<Directory "/usr/local/www/apache24/icons">\n    Options Indexes\n</Directory>\n',
      finds: ['module', 'directory'],
    },
    {
      title: 'Icons of Red Hat',
      before:
        'ServerRoot "/etc/httpd"\nAlias /icons/ "/var/www/icons/"\n<Directory "/var/www/icons">\n    Options Indexes\n</Directory>\n',
      after:
        'ServerRoot "/etc/httpd"\nAlias /icons/ "/usr/share/httpd/icons/"\n<Directory "/usr/share/httpd/icons">\n    Options Indexes\n</Directory>\n',
      finds: ['directory'],
    },
    {
      title: 'Not reported: your own directory',
      before: 'ServerRoot "/usr/local"\nDocumentRoot "/usr/local/www/apache22/data"\n',
      finds: [],
    },
  ],
  check({ configuration, modules, view, distribution }) {
    const usesByMove = new Map<PathMove, PathUse[]>();
    const addUse = (use: PathUse | null): void => {
      if (use) addTo(usesByMove, use.move, use);
    };
    const usedNames = namesInUse(configuration);
    usedNames.gatherLines(packagePath.names);
    for (const name of packagePath.names) {
      if (!usedNames.lines(name).some(mayHaveMovedPath)) continue;
      for (const pathLine of linesOf(configuration, name))
        if (pathLine.activity !== 'inactive' && pathLine.macro === undefined)
          addUse(useOf(pathLine, argumentsOf(pathLine.line).at(-1), { configuration, modules, view, distribution }));
    }
    if (usesByMove.size === 0) return [];
    // If a directory moves, the paths in `<Directory>` sections have to change with it.
    for (const scope of scopesOf(configuration, 'directory')) {
      if (scope.activity === 'inactive' || !scope.section) continue;
      const sectionLine: ConfigLine = {
        line: scope.section.open,
        expandedLine: scope.section.open,
        file: scope.file,
        offset: scope.offset,
        enclosingSections: [],
        activity: scope.activity,
        conditionals: [],
      };
      const use = useOf(sectionLine, argumentsOf(scope.section.open).at(-1), {
        configuration,
        modules,
        view,
        distribution,
      });
      if (use && usesByMove.has(use.move)) addUse(use);
    }
    const usesBySafety = [...usesByMove].flatMap(([move, uses]) =>
      (['safe', 'suggestion'] as const).map((safety) => ({ move, uses: uses.filter((use) => use.safety === safety) })),
    );
    return usesBySafety
      .flatMap(({ move, uses: [first, ...more] }) => (first ? [findingOf(move, first, [first, ...more])] : []))
      .sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.start - b.start));
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/** A directory of a package that has another path in 2.4. */
interface PathMove {
  readonly messageId: 'module' | 'directory' | 'configuration';
  readonly from: string;
  readonly to: string;
  /** The directives for which the move counts. Left out if it counts for all. */
  readonly names?: ReadonlySet<string>;
  /** The distribution that the move is for. Left out if the path alone shows it. */
  readonly distribution?: Distribution;
  /**
   * The move counts only if ServerRoot is in or below this directory. Left out if it always counts.
   */
  readonly serverRoot?: string;
  readonly consequence: Consequence;
}

const LOADING_DIRECTIVES: ReadonlySet<string> = new Set(['loadmodule', 'loadfile']);

const pathMove = (
  messageId: PathMove['messageId'],
  from: string,
  to: string,
  more: Partial<PathMove> = {},
): PathMove => ({
  messageId,
  from,
  to,
  consequence:
    messageId === 'module'
      ? 'will not start'
      : messageId === 'directory'
        ? 'meaning changed'
        : 'check before the upgrade',
  ...(messageId === 'module' && { names: LOADING_DIRECTIVES }),
  ...more,
});

/** Red Hat's software collection of httpd 2.4 (httpd24-httpd). */
const SOFTWARE_COLLECTION = '/opt/rh/httpd24/root';

/**
 * All moves. A directory comes before the directories around it, because the first match counts.
 */
const PATH_MOVES: readonly PathMove[] = [
  ...MODULE_DIRECTORIES.map(([from, to]) => pathMove('module', from, to)),
  ...['icons', 'error', 'manual'].map((name) =>
    pathMove('directory', `/usr/local/www/apache22/${name}`, `/usr/local/www/apache24/${name}`),
  ),
  pathMove('directory', '/usr/local/share/doc/apache22', '/usr/local/share/doc/apache24'),
  pathMove('configuration', '/usr/local/etc/apache22', '/usr/local/etc/apache24'),
  // Solaris has the manual in /usr, but icons and error documents in /var.
  pathMove('directory', '/usr/apache2/2.2/manual', '/usr/apache2/2.4/manual'),
  ...['icons', 'error'].map((name) => pathMove('directory', `/var/apache2/2.2/${name}`, `/var/apache2/2.4/${name}`)),
  pathMove('configuration', '/etc/apache2/2.2', '/etc/apache2/2.4'),
  // Only the ServerRoot line has to change: the relative paths of modules follow it.
  pathMove('configuration', '/usr/apache2/2.2', '/usr/apache2/2.4', {
    names: new Set(['serverroot']),
    consequence: 'will not start',
  }),
  // The collection httpd24 has all files below its own root.
  ...['icons', 'error', 'manual'].flatMap((name) =>
    [SOFTWARE_COLLECTION, ''].map((serverRoot) =>
      pathMove('directory', `/var/www/${name}`, `${serverRoot}/usr/share/httpd/${name}`, {
        distribution: 'rhel',
        serverRoot,
      }),
    ),
  ),
];

/** The 2.2 package's path of a directory that moved in 2.4; other paths do not change. */
export function directoryOf22(path: string): string {
  const move = PATH_MOVES.find(({ messageId, to }) => messageId === 'directory' && isWithin(path, to));
  return move === undefined ? path : move.from + path.slice(move.to.length);
}

/**
 * A quick test: matches the last component of each path that moves. A line with such a path
 * contains this component even if the path is relative.
 */
const MOVED_PATH_COMPONENT = new RegExp(
  [...new Set(PATH_MOVES.map(({ from }) => baseName(from).replaceAll('.', '\\.')))].join('|'),
);

/** Whether the line has the last part of a path that moves. This is a quick test. */
function mayHaveMovedPath({ text }: Line): boolean {
  return MOVED_PATH_COMPONENT.test(text);
}

/** A word that contains a path that moves, and its line. */
interface PathUse {
  readonly move: PathMove;
  readonly configLine: ConfigLine;
  readonly edit: Edit;
  readonly safety: Safety;
}

/** The parts of the rule's input that `useOf` reads. */
interface PackagePathInput {
  readonly configuration: Configuration;
  readonly modules: LoadedModules;
  readonly view: FileView;
  readonly distribution: Distribution | null;
}

/**
 * The use of a moved path in a word of a line. Null if the word has no such path, or if the path
 * should stay.
 */
function useOf(
  configLine: ConfigLine,
  word: Word | undefined,
  { configuration, modules, view, distribution }: PackagePathInput,
): PathUse | null {
  if (word === undefined || word.value.includes('${') || driveOf(word.value) !== '' || configLine.line.isJoined)
    return null;
  const resolvedPath = resolvePath(configuration.serverRoot, word.value);
  const move = PATH_MOVES.find(
    (each) =>
      isWithin(resolvedPath, each.from) &&
      (each.names?.has(configLine.line.name) ?? true) &&
      (each.distribution === undefined || each.distribution === distribution) &&
      (each.serverRoot === undefined || isWithin(configuration.serverRoot, each.serverRoot)),
  );
  if (move === undefined) return null;
  // A path that exists on this machine stays, because the server has these files. A directory with
  // modules of 2.2 never stays, because 2.4 cannot load them.
  if (move.messageId !== 'module' && view.kind(localPathOf(move.from, configuration.pathMap)) !== null) return null;
  // The line has either the whole path, or only the part below ServerRoot.
  const pathStart = word.start + (word.quote === '' ? 0 : 1);
  const writtenPath = configLine.line.text.slice(pathStart, endInQuotes(word));
  const isWholePath = writtenPath.startsWith(move.from);
  const serverRootPrefix = `${configuration.serverRoot}/`;
  const oldPart = isWholePath
    ? move.from
    : move.from.startsWith(serverRootPrefix) && move.to.startsWith(serverRootPrefix)
      ? move.from.slice(serverRootPrefix.length)
      : null;
  if (oldPart === null || !writtenPath.startsWith(oldPart)) return null;
  const newPart = isWholePath ? move.to : move.to.slice(serverRootPrefix.length);
  const moduleName =
    configLine.line.name === 'loadmodule' ? moduleNamed(argumentsOf(configLine.line)[0]?.value ?? '') : null;
  // The rule removed-module reports modules that 2.4 does not have.
  if (moduleName !== null && moduleOf(moduleName) !== undefined && moduleOf(moduleName)!['2.4'] === undefined)
    return null;
  const isModuleOfHttpd =
    moduleName !== null &&
    moduleOf(moduleName)?.['2.4'] !== undefined &&
    baseName(resolvedPath).startsWith('mod_') &&
    !modules.loadLines.some(({ module, configLine: other }) => module === moduleName && other.line !== configLine.line);
  return {
    move,
    configLine,
    edit: { start: configLine.offset + pathStart, end: configLine.offset + pathStart + oldPart.length, text: newPart },
    safety: isModuleOfHttpd && configLine.activity === 'active' ? 'safe' : 'suggestion',
  };
}

/** The title of the fix. If both paths are long, it leaves out their common beginning. */
function moveTitle({ from, to }: PathMove): string {
  const pathParts = [from.split('/'), to.split('/')] as const;
  const sharedCount = pathParts[0].findIndex((part, index) => part !== pathParts[1][index]);
  const [oldPathEnd, newPathEnd] = pathParts.map((each) => each.slice(sharedCount).join('/'));
  return fittingTitle(
    `Change ${from} to ${to}`,
    `Change ${oldPathEnd} to ${newPathEnd}`,
    titleToChange(oldPathEnd!, newPathEnd!),
  );
}

/** The finding for the uses of a moved directory. It is at the first use. */
function findingOf(move: PathMove, first: PathUse, uses: readonly PathUse[]): ConfigurationFinding {
  const { configLine } = first;
  const directiveName = spelledName(configLine.line);
  const areAllSafe = uses.every(({ safety }) => safety === 'safe');
  const usesInFile = uses.filter(({ configLine: { file } }) => file === configLine.file);
  const editsOfOtherFiles = new Map<string, Edit[]>();
  for (const {
    configLine: { file },
    edit,
  } of uses)
    if (file !== configLine.file) addTo(editsOfOtherFiles, file.path, edit);
  const spanOf = ({ edit: { start, end } }: PathUse) => ({ start, end });
  const fix: Fix = {
    title: moveTitle(move),
    safety: areAllSafe ? 'safe' : 'suggestion',
    ...(!areAllSafe && {
      assumes:
        move.messageId === 'configuration'
          ? `the files are also in ${move.to}`
          : 'the 2.4 package with this directory is installed',
    }),
    edits: usesInFile.map(({ edit }) => edit),
    ...(editsOfOtherFiles.size > 0 && { elsewhere: editsOfOtherFiles }),
  };
  return {
    file: configLine.file.path,
    messageId: move.messageId,
    consequence: move.consequence,
    ...spanOf(first),
    what: fittingHeadline(
      `\`${directiveName}\`: the 2.4 package has no ${move.from}`,
      `\`${directiveName}\`: the 2.4 package has another path`,
    ),
    cause: `The package of this system has ${move.to} in 2.4${uses.length > 1 ? `. This path is on ${uses.length} lines` : ''}.`,
    help:
      move.messageId === 'configuration'
        ? `Copy the files that you need to ${move.to}, and write that path.`
        : `Write ${move.to}, its path in the httpd package of 2.4${uses.length > 1 ? `, on ${uses.length === 2 ? 'both' : `all ${uses.length}`} lines with this path` : ''}.${move.messageId === 'directory' ? ' If the files there are your own, keep the path.' : ''}`,
    helpForBothVersions: helpForBoth(move, uses),
    places: usesInFile.slice(1).map(spanOf),
    fixes: [fix],
  };
}

/** The help if 2.2 reads the lines, too, so that the old path must stay for 2.2. */
function helpForBoth({ messageId, to }: PathMove, uses: readonly PathUse[]): string {
  const { name } = uses[0]!.configLine.line;
  const sectionCount = uses.filter(({ configLine }) => configLine.line.kind === LineKind.Open).length;
  const lineCount = uses.length - sectionCount;
  // A tag alone cannot be in a condition.
  const sectionsText =
    sectionCount === 0
      ? ''
      : ` and ${sectionCount === 1 ? 'the whole `<Directory>` section' : `the ${sectionCount} whole \`<Directory>\` sections`}`;
  const linesText = (lineCount === 1 ? 'this line' : `these ${lineCount} lines`) + sectionsText;
  const copiesText = uses.length === 1 ? 'a copy' : 'copies';
  // An `<IfModule>` cannot be around the lines that load the modules, so the help names
  // `<IfVersion>` for these lines.
  const isBeforeLoading = LOADING_DIRECTIVES.has(name) || name === 'serverroot';
  const [tagFor22, tagFor24] = isBeforeLoading
    ? ['`<IfVersion < 2.4>`', '`<IfVersion >= 2.4>`']
    : ['`<IfModule !mod_authz_core.c>`', '`<IfModule mod_authz_core.c>`'];
  return [
    messageId === 'configuration' && name !== 'serverroot' ? `Copy the files that 2.4 needs to ${to}.` : '',
    `Put ${linesText} into ${tagFor22} for 2.2, and ${copiesText} with ${to} into ${tagFor24}.`,
    isBeforeLoading ? 'mod_version must be loaded before them.' : '',
    messageId === 'directory' ? 'If the files there are your own, keep the path.' : '',
  ]
    .filter(Boolean)
    .join(' ');
}
