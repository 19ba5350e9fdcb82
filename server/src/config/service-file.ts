/**
 * The options with which a distribution's script starts httpd. They are in a file beside the
 * configuration. The file is read only if the main file is at the path of that distribution. In a
 * copy of a server, the copied file is read.
 *
 * - Debian: /etc/apache2/envvars, beside apache2.conf. apache2ctl lets a shell read it: variables
 *   for `${}`, and APACHE_ARGUMENTS (Debian's package apache2: apache2ctl, envvars).
 * - SUSE: /etc/sysconfig/apache2. Its start_apache2 passes -D for each word in APACHE_SERVER_FLAGS.
 *   It also writes the files in sysconfig.d at every start: a LoadModule line for each name in
 *   APACHE_MODULES (openSUSE's package apache2: start_apache2, a2enmod, a2enflag). APACHE_MPM names
 *   the MPM, each with a program of its own (README.SuSE of apache2).
 * - Gentoo: /etc/conf.d/apache2. Its init script passes APACHE2_OPTS to the program (package
 *   www-servers/apache: apache2.confd, apache2.initd). The MPM is chosen when the package is built:
 *   APACHE2_MPMS in make.conf (apache-2.eclass), and so are the modules: APACHE2_MODULES there
 *   (apache-2.4.23.ebuild: IUSE_MODULES).
 * - Red Hat: /etc/sysconfig/httpd. OPTIONS is passed to the program, in 2.2 and 2.4 (httpd.spec:
 *   httpd.sysconf, httpd.init, httpd.service). Its other variables reach httpd in 2.4 only. HTTPD
 *   names the program, and so the MPM, for the start script of 2.2 (httpd.init: "Set
 *   HTTPD=/usr/sbin/httpd.worker"); 2.4 does not read it (httpd.service,
 *   conf.modules.d/00-mpm.conf).
 *
 * If systemd starts httpd and an administrator's unit or drop-in changes the command or its
 * environment, the file is not used.
 */
import { shellAssignments, assignedWords, type AssignedWord, type Assignment } from '../syntax/shell-assignments';
import { localPathOf, serverPathOf, type FileView, type PathMap } from './files';

/** The start options of the server. */
export interface StartOptions {
  /**
   * The path of the file on this machine. In a copy of a server, this is not its path on the
   * server.
   */
  readonly path: string;
  /** The path of the file on the server. */
  readonly serverPath: string;
  /** Names passed with `-D`. The server may be started with other names, too. */
  readonly defineFlags: ReadonlySet<string>;
  /** Environment variables by name, case-sensitive. */
  readonly environment: ReadonlyMap<string, string>;
  /** The MPM of 2.2; null if no file names it. */
  readonly mpm: MpmOf22 | null;
  /** The modules that the package is built with; null if no file lists them. */
  readonly builtModules: BuiltModules | null;
}

/** A list of modules that a package is built with, as Gentoo has it. */
export interface BuiltModules {
  readonly variable: string;
  /** The path of the file on the server. */
  readonly file: string;
  /** 0-based row in that file. */
  readonly row: number;
  /** The names of the modules without `mod_`. */
  readonly names: readonly string[];
}

/** The MPM that a file of the distribution names. */
export interface MpmOf22 {
  readonly name: 'prefork' | 'worker' | 'event';
  readonly variable: string;
  /** The path of the file on the server. */
  readonly file: string;
  /** 0-based row in that file. */
  readonly row: number;
}

/** Text that tells users the source of a fact: variable, file and line. */
export function sourceTextOf({ variable, file, row }: Pick<MpmOf22, 'variable' | 'file' | 'row'>): string {
  return `${variable} in ${file}:${row + 1}`;
}

/** A module that the file of a service loads, such as APACHE_MODULES of SUSE. */
export interface ServiceModule {
  /** The name without path, prefix and ending: `ssl` for `/usr/lib/apache2/mod_ssl.so`. */
  readonly name: string;
  /** 0-based row in the file. */
  readonly row: number;
}

/** A file of the system that adds modules to a configuration when the service starts. */
export interface ServiceFile {
  /**
   * The path of the file on this machine. In a copy of a server, this is not its path on the
   * server.
   */
  readonly path: string;
  /** The path of the file on the server. */
  readonly serverPath: string;
  readonly modules: readonly ServiceModule[];
  /** Whether httpd also includes files that the administrator lists in the service file. */
  readonly includesListedFiles: boolean;
}

/**
 * Modules that SUSE builds into httpd 2.4 (SLES 12 and later), because the default of
 * APACHE_MODULES has none of them. All MPMs are in the list, because APACHE_MPM chooses the
 * program, and each program has one MPM.
 */
export const SUSE_BUILT_IN: readonly string[] = [
  'core',
  'mod_so',
  'mod_http',
  'mod_unixd',
  'prefork',
  'worker',
  'event',
];

/** Whether an Include of this path reads files that SUSE's start script writes. */
export function isWrittenAtStart(path: string): boolean {
  return /(^|\/)sysconfig\.d\//.test(path);
}

/**
 * The options with which a server is started. Null if no file on this machine has them. `root`: the
 * main file on this machine. `map`: the path map before the first line is read. `content` returns
 * the text of a file, `list` the names in a directory.
 */
export function findStartOptions(
  root: string,
  map: PathMap,
  content: (path: string) => string | null,
  list: (path: string) => readonly string[] | null = () => null,
): StartOptions | null {
  const mainFileOnServer = serverPathOf(root, map);
  for (const { mainFile, file, unitName, readStartOptions } of START_FILES) {
    const mainFileMatch = mainFile.exec(mainFileOnServer);
    if (!mainFileMatch) continue;
    const startFilePath = file ?? `${mainFileMatch[1]}/envvars`;
    const localPath = localPathOf(startFilePath, map);
    const startText = content(localPath);
    if (startText === null) continue;
    const isOverruled = textsOfUnitFiles(unitName, map, content, list).some((each) => mayChangeOptions(each, file));
    return {
      path: localPath,
      serverPath: startFilePath,
      ...(isOverruled ? NO_OPTIONS : readStartOptions(startText, root, mainFileOnServer)),
      mpm: mpmOf22(startFilePath, map, content),
      builtModules: startFilePath === GENTOO_FILE ? builtModules(map, content) : null,
    };
  }
  return null;
}

/**
 * Returns the service file of a configuration that includes these paths. Null if it has none, or if
 * the file is not on this machine.
 */
export function findServiceFile(
  includedPaths: readonly string[],
  map: PathMap,
  view: Pick<FileView, 'read'>,
): ServiceFile | null {
  if (!includedPaths.some(isWrittenAtStart)) return null;
  const localPath = localPathOf(SUSE_FILE, map);
  const suseText = view.read(localPath)?.text();
  if (suseText === undefined) return null;
  const variables = shellAssignments(suseText);
  const wordsOfVariable = (name: string) => assignedWords(variables.get(name));
  return {
    path: localPath,
    serverPath: SUSE_FILE,
    modules: wordsOfVariable('APACHE_MODULES').map(({ text: word, row }) => ({
      name: word.replace(/^.*\//, '').replace(/^mod_|\.so$/g, ''),
      row,
    })),
    includesListedFiles:
      wordsOfVariable('APACHE_CONF_INCLUDE_FILES').length + wordsOfVariable('APACHE_CONF_INCLUDE_DIRS').length > 0,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

const SUSE_FILE = '/etc/sysconfig/apache2';
const GENTOO_FILE = '/etc/conf.d/apache2';
const GENTOO_MAKE_FILES = ['/etc/portage/make.conf', '/etc/make.conf'];

/**
 * For each file with start options: the files that may name the MPM, and the variable in them. The
 * first group of the pattern `word` is the MPM.
 */
const MPM_FILES: Readonly<
  Record<string, { readonly files: readonly string[]; readonly variable: string; readonly wordPattern: RegExp }>
> = {
  [SUSE_FILE]: { files: [SUSE_FILE], variable: 'APACHE_MPM', wordPattern: /^(prefork|worker|event)$/ },
  '/etc/sysconfig/httpd': {
    files: ['/etc/sysconfig/httpd'],
    variable: 'HTTPD',
    wordPattern: /(?:^|\/)httpd[.-](prefork|worker|event)$/,
  },
  [GENTOO_FILE]: {
    files: GENTOO_MAKE_FILES,
    variable: 'APACHE2_MPMS',
    wordPattern: /^(prefork|worker|event)$/,
  },
};

/**
 * The MPM that the files of a distribution name; null if they name none. `startFilePath`: the path
 * of its file with start options.
 */
function mpmOf22(startFilePath: string, map: PathMap, content: (path: string) => string | null): MpmOf22 | null {
  const mpmSource = MPM_FILES[startFilePath];
  if (!mpmSource) return null;
  for (const file of mpmSource.files) {
    const mpmFileText = content(localPathOf(file, map));
    const mpmWords = mpmFileText === null ? [] : assignedWords(shellAssignments(mpmFileText).get(mpmSource.variable));
    const mpmName = mpmSource.wordPattern.exec(mpmWords[0]?.text ?? '')?.[1];
    if (mpmName !== undefined && mpmWords.length === 1)
      return { name: mpmName as MpmOf22['name'], variable: mpmSource.variable, file, row: mpmWords[0]!.row };
  }
  return null;
}

/** The modules in Gentoo's make.conf; null if no such file lists modules. */
function builtModules(map: PathMap, content: (path: string) => string | null): BuiltModules | null {
  const variable = 'APACHE2_MODULES';
  for (const file of GENTOO_MAKE_FILES) {
    const makeFileText = content(localPathOf(file, map));
    // A name after a hyphen is excluded, and `*` stands for all modules. Both are left out.
    const moduleWords = makeFileText === null ? [] : assignedWords(shellAssignments(makeFileText).get(variable));
    if (moduleWords.length > 0)
      return {
        variable,
        file,
        row: moduleWords[0]!.row,
        names: moduleWords.map((word) => word.text).filter((name) => /^\w+$/.test(name)),
      };
  }
  return null;
}

/** The texts of an administrator's systemd unit of this name and its drop-ins (systemd.unit(5)). */
function textsOfUnitFiles(
  unit: string,
  map: PathMap,
  content: (path: string) => string | null,
  list: (path: string) => readonly string[] | null,
): string[] {
  const unitFile = `/etc/systemd/system/${unit}.service`;
  const overrideNames = (list(localPathOf(`${unitFile}.d`, map)) ?? ['override.conf']).filter((name) =>
    name.endsWith('.conf'),
  );
  return [unitFile, ...overrideNames.map((name) => `${unitFile}.d/${name}`)].flatMap(
    (path) => content(localPathOf(path, map)) ?? [],
  );
}

/**
 * Whether a systemd unit may start the server with options other than those in `file`. A unit does
 * that with another command, another file, or variables that override those of the file. `file` is
 * undefined if the start command itself reads a file of options. Variables of the unit cannot
 * override those, so only another ExecStart matters.
 *
 * A backslash joins a line with the next one that is no comment (systemd.syntax(7)). A `-` before
 * the name of a file means that the file may be missing (EnvironmentFile in systemd.exec(5)).
 */
function mayChangeOptions(text: string, file: string | undefined): boolean {
  return text
    .replace(/\\\r?\n(?:[ \t]*[#;].*\r?\n)*/g, ' ')
    .split(/\r?\n/)
    .some((line) => {
      const [, key, assignedText = ''] = /^([A-Za-z]+)\s*=(.*)$/.exec(line.trim()) ?? [];
      if (file === undefined) return key === 'ExecStart';
      const assignedValue = assignedText.trim();
      if (key === 'EnvironmentFile') return assignedValue.replace(/^(["'])(.*)\1$/, '$2').replace(/^-/, '') !== file;
      return key !== undefined && START_SETTINGS.has(key);
    });
}

const START_SETTINGS: ReadonlySet<string> = new Set([
  'ExecStart',
  'Environment',
  'PassEnvironment',
  'UnsetEnvironment',
]);

/** How a distribution starts httpd, for main files at certain paths. */
interface StartFile {
  /** The systemd unit that starts httpd. */
  readonly unitName: string;
  /** The server path of the main file; its first group is the directory. */
  readonly mainFile: RegExp;
  /** The file with the options. If absent: `envvars` beside the main file. */
  readonly file?: string;
  /**
   * Reads the options from the text of the file. `root`: the main file on this machine.
   * `mainFileOnServer`: its path on the server.
   */
  readonly readStartOptions: (
    text: string,
    root: string,
    mainFileOnServer: string,
  ) => Pick<StartOptions, 'defineFlags' | 'environment'>;
}

const NO_ENVIRONMENT: ReadonlyMap<string, string> = new Map();

const NO_OPTIONS = { defineFlags: new Set<string>(), environment: NO_ENVIRONMENT };

/**
 * Returns a function for `StartFile.readStartOptions` that reads the `-D` names in a variable.
 * `isList`: as in `flagsIn`.
 */
const optionsReader =
  (variable: string, isList = false) =>
  (text: string, _: string, mainFileOnServer: string) => ({
    defineFlags: flagsIn(assignedWords(shellAssignments(text).get(variable)), mainFileOnServer, isList),
    environment: NO_ENVIRONMENT,
  });

const START_FILES: readonly StartFile[] = [
  { mainFile: /^(\/etc\/apache2(?:-[^/]+)?)\/apache2\.conf$/, unitName: 'apache2', readStartOptions: debianOptions },
  {
    mainFile: /^\/etc\/apache2\/(?!apache2\.conf$)/,
    file: SUSE_FILE,
    unitName: 'apache2',
    readStartOptions: optionsReader('APACHE_SERVER_FLAGS', true),
  },
  {
    mainFile: /^\/etc\/apache2\/(?!apache2\.conf$)/,
    file: GENTOO_FILE,
    unitName: 'apache2',
    readStartOptions: optionsReader('APACHE2_OPTS'),
  },
  {
    mainFile: /^\/etc\/httpd\//,
    file: '/etc/sysconfig/httpd',
    unitName: 'httpd',
    readStartOptions: optionsReader('OPTIONS'),
  },
];

/**
 * The names after `-D`. In a list, a word without `-` is a name, too. The argument of another
 * option is no name. If `-f` names another main file, the options are for another server, so the
 * result is empty.
 */
function flagsIn(words: readonly AssignedWord[], mainFileOnServer: string, isList = false): ReadonlySet<string> {
  const flags = new Set<string>();
  for (let i = 0; i < words.length; i++) {
    const { text } = words[i]!;
    const fileName = text === '-f' ? words[i + 1]?.text : /^-f(.+)$/.exec(text)?.[1];
    if (fileName !== undefined && fileName !== mainFileOnServer && !mainFileOnServer.endsWith(`/${fileName}`))
      return new Set();
    if (text === '-D') {
      const flagWord = words[++i];
      if (flagWord) flags.add(flagWord.text);
    } else if (text.startsWith('-D')) flags.add(text.slice('-D'.length));
    else if (/^-[CcfdeEk]$/.test(text)) i++;
    else if (isList && !text.startsWith('-')) flags.add(text);
  }
  return flags;
}

/**
 * The lines with which Debian's envvars sets SUFFIX. Debian can run several servers: the text after
 * `/etc/apache2-` is the suffix in the names of their files.
 */
const DEBIAN_SUFFIX_BLOCK =
  /^if \[ "\$\{APACHE_CONFDIR##\/etc\/apache2-\}" != "\$\{APACHE_CONFDIR\}" \] ?; then\n\s*SUFFIX="-\$\{APACHE_CONFDIR##\/etc\/apache2-\}"\nelse\n\s*SUFFIX=\nfi$/m;

/** Reads Debian's envvars: the names after `-D`, and the exported variables. */
function debianOptions(
  text: string,
  root: string,
  mainFileOnServer: string,
): Pick<StartOptions, 'defineFlags' | 'environment'> {
  const suffix = /\/etc\/apache2(-[\w.-]+)?\/[^/]+$/.exec(root)?.[1] ?? '';
  const variables = shellAssignments(text.replace(DEBIAN_SUFFIX_BLOCK, `SUFFIX=${suffix}`));
  const exportedVariables = [...variables].filter((each): each is [string, Assignment & { value: string }] => {
    const [, { isExported, value }] = each;
    return isExported && value !== null;
  });
  return {
    defineFlags: flagsIn(assignedWords(variables.get('APACHE_ARGUMENTS')), mainFileOnServer),
    environment: new Map(exportedVariables.map(([name, { value }]) => [name, value])),
  };
}
