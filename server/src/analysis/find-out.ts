/**
 * Makes commands that find the answer to a question on the server. A user can run each command
 * unchanged in a POSIX shell. If the paths have a drive letter, the commands are for the command
 * prompt of Windows.
 */
import { parentDirectories, type ServerSearch } from '../access/open-question';
import { driveOf, isAbsolute, joinedPath, resolvePath } from '../config/files';
import { shellWord } from '../syntax/shell-word';

/** Begins a comment at the end of a command for Windows. */
export const WINDOWS_COMMENT = ' & rem ';

/** Whether a command is for the command prompt of Windows. */
export function isForWindows(command: string): boolean {
  return /^(?:httpd -v & )?(?:findstr|dir) /.test(command);
}

/** Whether a command asks the installed httpd for its ServerRoot. */
export function asksServerRoot(command: string): boolean {
  return command.startsWith(SET_SERVER_ROOT);
}

/**
 * A pattern for the names of directives and sections that decide access in .htaccess files.
 * AllowOverride and LimitRequestBody do not match.
 */
const ACCESS_WORDS = 'order|allow[[:blank:]]|deny|satisfy|require|limit[[:blank:]e]|authmerging|authz';
/**
 * A pattern for the names of directives that decide access in the configuration, or that can add
 * lines with such directives. The tag of `<Limit>` is not among them.
 */
const LISTED_WORDS = 'order|allow[[:blank:]]|deny|satisfy|require|auth[mz]|include|use[[:blank:]]|accessfile';

/**
 * What is between two commands. Each command gets a line of its own. The semicolon is for surfaces
 * that show all commands on one line.
 */
export const COMMAND_SEPARATOR = ';\n';

/** The names of .htaccess files, if the search names none. */
const DEFAULT_FILE_NAMES: readonly string[] = ['.htaccess'];

/**
 * Returns a command that lists the modules which contain one of these directives. It searches the
 * files of modules, because they contain the names of their directives as text.
 */
export function commandListingModules(directives: readonly string[]): string {
  return `grep -sliE ${shellWord(directives.join('|'))} /usr/lib/apache2/modules/*.so /usr/lib64/httpd/modules/*.so /usr/local/apache2/modules/*.so`;
}

/**
 * Returns a command that lists the files of the PHP module. The command does not use `httpd -M`,
 * which lists nothing if the configuration has an error, for example lines of 2.2.
 */
export function commandListingPhpModules({ isWindows = false, isMac = false } = {}): string {
  if (isWindows) return 'dir /s /b "C:\\php*apache2_4.dll"';
  return `find /usr /opt${isMac ? ' /Applications' : ''} -name 'libphp*.so' -o -name 'mod_php*.so' 2>/dev/null`;
}

/**
 * Returns a command that lists .htaccess files with access lines. It searches below some
 * directories and in their parent directories, because the server reads .htaccess files in both
 * (ap_directory_walk in server/request.c). The command follows links, and reports directories that
 * it cannot read. `directories`: paths. `search`: patterns of further paths, and the names of the
 * files.
 */
export function commandListingHtaccess(directories: readonly string[], search: ServerSearch): string {
  const fileNames = search.names.length > 0 ? search.names : DEFAULT_FILE_NAMES;
  const foldersInHomes = search.folders
    .filter((each) => each.startsWith('~*/'))
    .map((each) => each.slice('~*/'.length));
  const folders = [
    ...directories.map((path): SearchedFolder => ({ path, isPattern: false })),
    ...search.folders
      .filter((each) => !each.startsWith('~*/') && !directories.includes(each))
      .map((path): SearchedFolder => ({ path, isPattern: true })),
  ];
  const parents = furtherParentsOf(folders);
  const filesInParents = parents.flatMap((each) =>
    fileNames.map((name) => ({ ...each, path: joinedPath(each.path, name) })),
  );
  if (folders.some(({ path }) => driveOf(path) !== '')) {
    const searchedFiles = folders.flatMap(({ path }) => fileNames.map((name) => joinedPath(path, name)));
    const windowsSearch = windowsCommand('/s /i /m', searchedFiles, '');
    return filesInParents.length > 0
      ? `${windowsSearch} & ${windowsCommand(
          '/i /m',
          filesInParents.map(({ path }) => path),
          '',
        )}`
      : windowsSearch;
  }
  const searchesRoot = folders.some(({ path }) => path === '/');
  const commandBelow = (words: string) =>
    `find -L ${words} ${findTestFor(fileNames)} -type f -exec grep -liE "$p" {} +`;
  const searchedWords = searchesRoot ? `/ ${SKIP_KERNEL_FILES}` : folders.map(shellWordOf).join(' ');
  const commands = [
    ...(folders.length > 0 ? [commandBelow(searchedWords)] : []),
    ...(foldersInHomes.length > 0 && !searchesRoot
      ? [commandSearchingHomes(foldersInHomes, fileNames, commandBelow)]
      : []),
    ...(filesInParents.length > 0 ? [`grep -sliE "$p" ${filesInParents.map(shellWordOf).join(' ')}`] : []),
  ];
  const pattern = grepPatternFor(ACCESS_WORDS);
  const isPatternUsedOnce = commands.length === 1 && commands[0]!.split(PATTERN_WORD).length === 2;
  return isPatternUsedOnce
    ? commands[0]!.replace(PATTERN_WORD, () => pattern)
    : [`p=${pattern}`, ...commands].join(COMMAND_SEPARATOR);
}

/** The pattern for access lines, as a variable of the shell. */
const PATTERN_WORD = '"$p"';

/**
 * Returns a command that lists the access lines and virtual hosts of files. `files`: paths of
 * files or directories, or patterns. A relative path is below the ServerRoot; the command gets the
 * ServerRoot from httpd.
 */
export function commandListingLines(files: readonly string[]): string {
  // If one path is a path of Unix, `C:/old` is a relative path of Unix.
  const isUnix = files.some((each) => each.startsWith('/'));
  if (!isUnix && files.some((each) => driveOf(each) !== ''))
    return windowsCommand('/s /i /n', files, ' allowoverride accessfilename include virtualhost');
  const fileWords = files.map((path) =>
    isAbsolute(path) && driveOf(path) === '' ? globWord(path) : `"$R"${globWord(`/${path}`)}`,
  );
  const serverRootCommand = fileWords.some((word) => word.startsWith('"$R"')) ? SET_SERVER_ROOT : '';
  return `${serverRootCommand}find -L ${fileWords.join(' ')} -type f -exec grep -niE ${grepPatternFor(`<(virtualhost|limit|perl)|${LISTED_WORDS}`)} /dev/null {} +`;
}

/**
 * Returns a command that lists the access lines of the installed configuration, with the tags of
 * all sections: they show to what each line applies. It searches the folders that packages and
 * httpd's own build use. `drive`: the drive of a server on Windows, such as `C:`, which is searched
 * completely; otherwise ''.
 */
export function commandListingConfiguration(drive: string): string {
  if (drive !== '') return windowsCommand('/s /i /n', [`${drive}/*.conf`], ' include accessfilename <');
  return `find -L ${USUAL_SERVER_ROOTS.join(' ')} -type f -exec grep -niE ${grepPatternFor(`<|${LISTED_WORDS}`)} /dev/null {} + 2>/dev/null`;
}

/**
 * Returns a command that lists the requests of some clients from the access logs. The clients have
 * one of these names, or a name below one of them. A log contains the name of a client if a line
 * `Allow from NAME` made httpd look up the name (ap_get_remote_host in server/core.c). The name is
 * the first word of a row, or the second word after the name of a virtual host.
 */
export function commandListingClients(names: readonly string[]): string {
  const patterns = names.map((name) => name.replace(/^\./, '').replace(/[\\.*+?[\](){}|^$]/g, '\\$&'));
  return `grep -shiE ${shellWord(`^([^ ]+ )?([^ ]+\\.)?(${patterns.join('|')}) `)} ${ACCESS_LOGS.join(' ')}`;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Options of `find` that leave out the files of the kernel. Mounted file systems are still
 * searched.
 */
const SKIP_KERNEL_FILES = '\\( -path /proc -o -path /sys -o -path /dev \\) -prune -o';

/** Sets `R` to the ServerRoot that is compiled into the installed httpd. */
const SET_SERVER_ROOT = `R=$({ apache2ctl -V || apachectl -V || httpd -V; } 2>/dev/null | sed -n 's/.*HTTPD_ROOT="\\(.*\\)".*/\\1/p'); `;

/** The access logs that packages and httpd's own build write. */
const ACCESS_LOGS = ['/var/log/apache2/*access*', '/var/log/httpd/*access*', '/usr/local/apache2/logs/*access*'];

/** A directory in which a command for the user searches. */
interface SearchedFolder {
  readonly path: string;
  /** Whether `*` in the path stands for any name. */
  readonly isPattern: boolean;
}

/** The ServerRoots that packages and httpd's own build use. */
const USUAL_SERVER_ROOTS = [
  '/etc/apache2',
  '/etc/httpd',
  '/usr/local/apache2/conf',
  '/usr/local/etc/apache2?',
  '/opt/*/apache2/conf',
  '/opt/*/httpd/conf',
];

/** A command that lists the homes of users. On macOS, they are in `/Users`. */
const LIST_HOMES = "(getent passwd | cut -d: -f6; ls -d /Users/*) 2>/dev/null | grep '^/'";

/**
 * Returns a command that searches folders in the home of each user, and the parents of each home.
 * `below`: makes the command for one folder, which is given as a word of the shell.
 */
function commandSearchingHomes(
  folders: readonly string[],
  names: readonly string[],
  commandBelow: (words: string) => string,
) {
  const foldersInHome = folders.map((each) => `"$h"/${shellWord(each)}`);
  const searchCommands = foldersInHome.map((directory) => `[ ! -d ${directory} ] || ${commandBelow(directory)}`);
  const filesAboveHome = names.map((name) => `"$h"/${shellWord(name)}`).join(' ');
  return `${LIST_HOMES} | while read -r h; do ${searchCommands.join('; ')}; while [ "$h" ]; do grep -sliE "$p" ${filesAboveHome}; h=\${h%/*}; done; done | sort -u`;
}

/** The parent directories of folders, except those that the search of the folders covers anyway. */
function furtherParentsOf(folders: readonly SearchedFolder[]): SearchedFolder[] {
  const searchedPaths = new Set(folders.map(({ path }) => path));
  const parentByPath = new Map<string, SearchedFolder>();
  for (const { path, isPattern } of folders) {
    if (path.startsWith('~')) continue;
    for (const parentFolder of parentDirectories(path))
      if (
        !searchedPaths.has(parentFolder) &&
        ![...parentDirectories(parentFolder)].some((each) => searchedPaths.has(each))
      )
        parentByPath.set(parentFolder, { path: parentFolder, isPattern });
  }
  return [...parentByPath.values()];
}

/**
 * A folder as a word for the shell. `~user` at the beginning, and `*` in a pattern, stay without
 * quotes.
 */
function shellWordOf({ path, isPattern }: SearchedFolder): string {
  if (!isPattern) return shellWord(path);
  const [, user = '', rest = path] = /^(~[a-z_][\w-]*\/)?(.*)$/s.exec(path) ?? [];
  return user + rest.split('*').map(quotedForShell).join('*');
}

/**
 * The pattern of an Include as a word for the shell. Wildcards of httpd stay; all other text is
 * quoted.
 */
function globWord(path: string): string {
  return resolvePath('/', path)
    .split(/([*?]|\[[\w^!-]+\])/)
    .map((part, i) => (i % 2 === 1 ? part.replace(/^\[\^/, '[!') : quotedForShell(part)))
    .join('');
}

/** The text in quotes for a shell, if it needs any. Empty for an empty text. */
function quotedForShell(part: string): string {
  return part === '' ? '' : shellWord(part);
}

/** The test of `find` for these file names, such as `-name .htaccess`. */
function findTestFor(names: readonly string[]): string {
  const tests = names.map((name) => {
    const literal = name.replace(/[*?[\]\\]/g, '\\$&');
    return name.includes('/') ? `-path ${shellWord(`*/${literal}`)}` : `-name ${shellWord(literal)}`;
  });
  return tests.length > 1 ? `\\( ${tests.join(' -o ')} \\)` : tests[0]!;
}

/**
 * A pattern for lines that begin with one of the words. Spaces, a quote or the bracket of a tag can
 * be before the word.
 */
function grepPatternFor(words: string): string {
  return `'^[^a-z#]*(${words})'`;
}

/**
 * Makes a command for the command prompt of Windows. Each file name is in double quotes. A
 * character that would end the quoted text is replaced by a wildcard.
 */
function windowsCommand(options: string, files: readonly string[], furtherWords: string): string {
  return `findstr ${options} "order allow deny satisfy require limit authmerging authz${furtherWords}" ${files.map((file) => `"${file.replaceAll('/', '\\').replace(/["%]/g, '?')}"`).join(' ')}`;
}
