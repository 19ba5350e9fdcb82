/**
 * What a distribution's script starts httpd with, where that is a file of its own and no configuration. Each is read only for a main file at the distribution's own place, and where the copy
 * has it that the main file is in.
 *
 * - Debian: /etc/apache2/envvars, beside apache2.conf. apache2ctl has a shell read it: variables for `${}`, and APACHE_ARGUMENTS (Debian's package apache2: apache2ctl, envvars).
 * - SUSE: /etc/sysconfig/apache2. Its start_apache2 gives -D for each word in APACHE_SERVER_FLAGS, and writes the files in sysconfig.d at every start: a LoadModule line for each name
 *   in APACHE_MODULES (openSUSE's package apache2: start_apache2, a2enmod, a2enflag).
 *   APACHE_MPM names the MPM, each with a program of its own (README.SuSE of apache2).
 * - Gentoo: /etc/conf.d/apache2. Its init script gives APACHE2_OPTS to the program (package www-servers/apache: apache2.confd, apache2.initd). The MPM is chosen when the package is
 *   built: APACHE2_MPMS in make.conf (apache-2.eclass), and so are the modules: APACHE2_MODULES there (apache-2.4.23.ebuild: IUSE_MODULES).
 * - Red Hat: /etc/sysconfig/httpd. OPTIONS goes to the program, in 2.2 and 2.4 (httpd.spec: httpd.sysconf, httpd.init, httpd.service). What else it sets, httpd sees in 2.4 only.
 *   HTTPD names the program, and so the MPM, for the start script of 2.2 (httpd.init: "Set HTTPD=/usr/sbin/httpd.worker"); 2.4 does not read it (httpd.service, conf.modules.d/00-mpm.conf).
 * Where systemd starts it and an administrator's unit or drop-in says something of the command or its environment, nothing of the file is known to hold.
 */
import { shellAssignments, wordsOf, type AssignedWord, type Assignment } from '../syntax/shell-assignments';
import { mapped, unmapped, type FileView, type PathMap } from './files';

/** What the server is started with. */
export interface StartOptions {
  /** Where the file is here. */
  readonly path: string;
  /** Where the server has it. */
  readonly name: string;
  /** Names that are given with `-D`. Others may be given, too. */
  readonly flags: ReadonlySet<string>;
  /** Variables of the environment, by name with its case. */
  readonly environment: ReadonlyMap<string, string>;
  /** The MPM of 2.2; null where no file says it. */
  readonly mpm: OldMpm | null;
  /** The modules that the package is built with; null where no file says it. */
  readonly builtModules: BuiltModules | null;
}

/** A list of modules that a package is built with, as Gentoo has it. */
export interface BuiltModules {
  readonly variable: string;
  /** The file, where the server has it. */
  readonly file: string;
  /** 0-based, in that file. */
  readonly row: number;
  /** Without `mod_`. */
  readonly names: readonly string[];
}

/** The MPM that a file of the distribution names. */
export interface OldMpm {
  readonly name: 'prefork' | 'worker' | 'event';
  readonly variable: string;
  /** The file, where the server has it. */
  readonly file: string;
  /** 0-based, in that file. */
  readonly row: number;
}

/** For people: what says so, and where. */
export function sourceOf({ variable, file, row }: Pick<OldMpm, 'variable' | 'file' | 'row'>): string {
  return `${variable} in ${file}:${row + 1}`;
}

export interface ServiceModule {
  /** As written, without what may stand around a name: `ssl` for `/usr/lib/apache2/mod_ssl.so`. */
  readonly name: string;
  /** 0-based, in the file. */
  readonly row: number;
}

export interface ServiceFile {
  /** Where it is here. */
  readonly path: string;
  /** Where the server has it. */
  readonly name: string;
  readonly modules: readonly ServiceModule[];
  /** Whether files of a person's choice are included, too. */
  readonly includesMore: boolean;
}

/** What SUSE builds in: its own list in APACHE_MODULES has none of them, for 2.4 (SLES 12 and later; the MPM is chosen by APACHE_MPM, each with a program of its own). */
export const SUSE_BUILT_IN: readonly string[] = [
  'core',
  'mod_so',
  'mod_http',
  'mod_unixd',
  'prefork',
  'worker',
  'event',
];

/** Whether an Include of this path reads what SUSE's start script writes. */
export function isWrittenAtStart(path: string): boolean {
  return /(^|\/)sysconfig\.d\//.test(path);
}

/**
 * What the server of a main file is started with; null where no file here says it. `root` is the main file here, `map` the one that holds in front of its first line, `content` gives
 * the text of a file of the configuration, `list` the names in a directory.
 */
export function startOptions(
  root: string,
  map: PathMap,
  content: (path: string) => string | null,
  list: (path: string) => readonly string[] | null = () => null,
): StartOptions | null {
  const main = unmapped(root, map);
  for (const { mainFile, file, unit, read } of START_FILES) {
    const found = mainFile.exec(main);
    if (!found) continue;
    const name = file ?? `${found[1]}/envvars`;
    const path = mapped(name, map);
    const text = content(path);
    if (text === null) continue;
    const isOverruled = unitTexts(unit, map, content, list).some((each) => overrules(each, file));
    return {
      path,
      name,
      ...(isOverruled ? NOTHING_KNOWN : read(text, root, main)),
      mpm: oldMpm(name, map, content),
      builtModules: name === GENTOO ? builtModules(map, content) : null,
    };
  }
  return null;
}

/** The service's file of a configuration that includes these paths; null where it has none, or that is not here. */
export function serviceFile(
  included: readonly string[],
  map: PathMap,
  view: Pick<FileView, 'read'>,
): ServiceFile | null {
  if (!included.some(isWrittenAtStart)) return null;
  const path = mapped(SUSE, map);
  const text = view.read(path)?.text();
  if (text === undefined) return null;
  const variables = shellAssignments(text);
  const of = (name: string) => wordsOf(variables.get(name));
  return {
    path,
    name: SUSE,
    modules: of('APACHE_MODULES').map(({ text: word, row }) => ({
      name: word.replace(/^.*\//, '').replace(/^mod_|\.so$/g, ''),
      row,
    })),
    includesMore: of('APACHE_CONF_INCLUDE_FILES').length + of('APACHE_CONF_INCLUDE_DIRS').length > 0,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

const SUSE = '/etc/sysconfig/apache2';
const GENTOO = '/etc/conf.d/apache2';
const MAKE_CONF = ['/etc/portage/make.conf', '/etc/make.conf'];

/** Which file names the MPM, beside or in a file that a server is started with; the first group of a word is the MPM. */
const MPM_FILES: Readonly<
  Record<string, { readonly files: readonly string[]; readonly variable: string; readonly word: RegExp }>
> = {
  [SUSE]: { files: [SUSE], variable: 'APACHE_MPM', word: /^(prefork|worker|event)$/ },
  '/etc/sysconfig/httpd': {
    files: ['/etc/sysconfig/httpd'],
    variable: 'HTTPD',
    word: /(?:^|\/)httpd[.-](prefork|worker|event)$/,
  },
  [GENTOO]: {
    files: MAKE_CONF,
    variable: 'APACHE2_MPMS',
    word: /^(prefork|worker|event)$/,
  },
};

function oldMpm(start: string, map: PathMap, content: (path: string) => string | null): OldMpm | null {
  const source = MPM_FILES[start];
  if (!source) return null;
  for (const file of source.files) {
    const text = content(mapped(file, map));
    const words = text === null ? [] : wordsOf(shellAssignments(text).get(source.variable));
    const name = source.word.exec(words[0]?.text ?? '')?.[1];
    if (name !== undefined && words.length === 1)
      return { name: name as OldMpm['name'], variable: source.variable, file, row: words[0]!.row };
  }
  return null;
}

function builtModules(map: PathMap, content: (path: string) => string | null): BuiltModules | null {
  const variable = 'APACHE2_MODULES';
  for (const file of MAKE_CONF) {
    const text = content(mapped(file, map));
    // A name behind a hyphen is left out, and `*` stands for all.
    const words = text === null ? [] : wordsOf(shellAssignments(text).get(variable));
    if (words.length > 0)
      return {
        variable,
        file,
        row: words[0]!.row,
        names: words.map((word) => word.text).filter((name) => /^\w+$/.test(name)),
      };
  }
  return null;
}

/** What an administrator says of a unit of systemd, in a unit of the same name or beside the packager's (systemd.unit(5)). */
function unitTexts(
  unit: string,
  map: PathMap,
  content: (path: string) => string | null,
  list: (path: string) => readonly string[] | null,
): string[] {
  const own = `/etc/systemd/system/${unit}.service`;
  const beside = (list(mapped(`${own}.d`, map)) ?? ['override.conf']).filter((name) => name.endsWith('.conf'));
  return [own, ...beside.map((name) => `${own}.d/${name}`)].flatMap((path) => content(mapped(path, map)) ?? []);
}

/**
 * Whether a unit may start the server with something else than the file says: another command, another file, variables that go before it. A line goes on behind a backslash, comments
 * between left out (systemd.syntax(7)); a `-` before the name of a file says that it may be missing (EnvironmentFile in systemd.exec(5)). Left out, the file is read by the command itself, behind
 * all that the unit says.
 */
function overrules(text: string, file: string | undefined): boolean {
  return text
    .replace(/\\\r?\n(?:[ \t]*[#;].*\r?\n)*/g, ' ')
    .split(/\r?\n/)
    .some((line) => {
      const [, key, assigned = ''] = /^([A-Za-z]+)\s*=(.*)$/.exec(line.trim()) ?? [];
      if (file === undefined) return key === 'ExecStart';
      const value = assigned.trim();
      if (key === 'EnvironmentFile') return value.replace(/^(["'])(.*)\1$/, '$2').replace(/^-/, '') !== file;
      return key !== undefined && STARTING.has(key);
    });
}

const STARTING: ReadonlySet<string> = new Set(['ExecStart', 'Environment', 'PassEnvironment', 'UnsetEnvironment']);

interface StartFile {
  /** The unit of systemd that starts it. */
  readonly unit: string;
  /** The main file's place on the server; its first group is its directory. */
  readonly mainFile: RegExp;
  /** Left out: `envvars` beside the main file. */
  readonly file?: string;
  /** `root`: the main file here; `main`: as the server has it. */
  readonly read: (text: string, root: string, main: string) => Pick<StartOptions, 'flags' | 'environment'>;
}

const NONE: ReadonlyMap<string, string> = new Map();

const NOTHING_KNOWN = { flags: new Set<string>(), environment: NONE };

const flagsOf =
  (variable: string, isList = false) =>
  (text: string, _: string, main: string) => ({
    flags: flagsIn(wordsOf(shellAssignments(text).get(variable)), main, isList),
    environment: NONE,
  });

const START_FILES: readonly StartFile[] = [
  { mainFile: /^(\/etc\/apache2(?:-[^/]+)?)\/apache2\.conf$/, unit: 'apache2', read: debian },
  {
    mainFile: /^\/etc\/apache2\/(?!apache2\.conf$)/,
    file: SUSE,
    unit: 'apache2',
    read: flagsOf('APACHE_SERVER_FLAGS', true),
  },
  {
    mainFile: /^\/etc\/apache2\/(?!apache2\.conf$)/,
    file: GENTOO,
    unit: 'apache2',
    read: flagsOf('APACHE2_OPTS'),
  },
  { mainFile: /^\/etc\/httpd\//, file: '/etc/sysconfig/httpd', unit: 'httpd', read: flagsOf('OPTIONS') },
];

/** The names behind `-D`; in a list, words without it are names, too. What is behind another option that takes an argument is none, and all of it is for another server where another main file is named. */
function flagsIn(words: readonly AssignedWord[], main: string, isList = false): ReadonlySet<string> {
  const flags = new Set<string>();
  for (let i = 0; i < words.length; i++) {
    const { text } = words[i]!;
    const named = text === '-f' ? words[i + 1]?.text : /^-f(.+)$/.exec(text)?.[1];
    if (named !== undefined && named !== main && !main.endsWith(`/${named}`)) return new Set();
    if (text === '-D') {
      const next = words[++i];
      if (next) flags.add(next.text);
    } else if (text.startsWith('-D')) flags.add(text.slice('-D'.length));
    else if (/^-[CcfdeEk]$/.test(text)) i++;
    else if (isList && !text.startsWith('-')) flags.add(text);
  }
  return flags;
}

/** Debian serves several configurations beside each other: what stands behind `/etc/apache2-` is in the names of their files. */
const SUFFIX =
  /^if \[ "\$\{APACHE_CONFDIR##\/etc\/apache2-\}" != "\$\{APACHE_CONFDIR\}" \] ?; then\n\s*SUFFIX="-\$\{APACHE_CONFDIR##\/etc\/apache2-\}"\nelse\n\s*SUFFIX=\nfi$/m;

function debian(text: string, root: string, main: string): Pick<StartOptions, 'flags' | 'environment'> {
  const suffix = /\/etc\/apache2(-[\w.-]+)?\/[^/]+$/.exec(root)?.[1] ?? '';
  const variables = shellAssignments(text.replace(SUFFIX, `SUFFIX=${suffix}`));
  const exported = [...variables].filter((each): each is [string, Assignment & { value: string }] => {
    const [, { isExported, value }] = each;
    return isExported && value !== null;
  });
  return {
    flags: flagsIn(wordsOf(variables.get('APACHE_ARGUMENTS')), main),
    environment: new Map(exported.map(([name, { value }]) => [name, value])),
  };
}
