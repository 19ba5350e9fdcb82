/**
 * Why a conversion is not safe, as data: a kind, a subject, and the places that give cause for it. Whoever asks a person groups doubts by
 * kind and subject; `doubtText` is the only place that makes a sentence of one.
 */
import type { Gap } from '../config/configuration';
import { driveOf, wildcardFolder } from '../config/files';
import { addTo } from '../syntax/groups';

export type DoubtKind =
  /** Subject: the highest directory that covers those that are served, where (or above which, as the detail says) .htaccess files are admitted and nothing can be read. */
  | 'htaccess-unseen'
  /** Subject: the path of an Include that is not here. */
  | 'include-unseen'
  /** Subject: a lone file, or what lies outside of what was given. */
  | 'outside-unseen'
  /** Subject: the line (UserDir, AliasMatch, mass hosting) that serves directories which the configuration does not name. */
  | 'served-anywhere'
  /** Subject: a NAME that `<IfDefine>` asks for. */
  | 'define'
  /** Subject: an operand that looks like a mistake. */
  | 'operand-host'
  /** Subject: a directive of no module that is known, beside access control; asked once for all. */
  | 'unknown-directives'
  /** Subject: two sections that may meet at one request. */
  | 'overlap'
  /** Subject: what a line or an Include says that depends on a variable. */
  | 'variable'
  /** Subject: the macro's name. */
  | 'macro'
  /** Subject: the section. */
  | 'perl'
  /** Subject: a line of a template. */
  | 'template'
  /**
   * Subject: an Include that goes too deep, round in circles, or (detail `too-many`) to more
   * files than are read.
   */
  | 'too-deep'
  /** Subject: a directory where nobody knows which AllowOverride is in effect. */
  | 'override-unknown'
  /** Subject: a directory without any AllowOverride over it, and with a .htaccess. */
  | 'override-default'
  /** Subject: the AllowOverride line that is widened. */
  | 'override-admitted'
  /** Subject: a second name of a directory. */
  | 'linked'
  /** Subject: the directory behind which nobody looked any more. */
  | 'too-many-directories'
  /** Subject: a file that is there and cannot be read. */
  | 'unreadable'
  /** Subject: a line that names something by bytes that are not UTF-8. */
  | 'other-encoding'
  /** Subject: a file that two configurations read. */
  | 'shared'
  /** Subject: a file near a main file that is another one, or may include it. */
  | 'other-main'
  /** Subject: the section that is 2.4's while others are 2.2's. */
  | 'half-converted'
  /** Subject: a line that httpd 2.2 does not start with; asked once for all. */
  | 'running-version'
  /** Subject: a line that httpd 2.2 reads otherwise than httpd 2.4. */
  | 'read-otherwise'
  | ChoiceKind;

/** What has no right answer, and is asked once for a configuration: these have no subject. */
export type ChoiceKind =
  /** Which MPM the server runs. */
  | 'mpm'
  /** What tells 2.4 the address of the client, where a module of 2.2 did. */
  | 'client-address'
  /** Where the log of mod_rewrite goes. */
  | 'rewrite-log'
  /** How PHP runs. */
  | 'php'
  /** Whether the modules of httpd 2.4 are files, where nobody knows whose build it is. */
  | 'modules'
  /** Whether the defaults of 2.2 are written out. */
  | 'defaults';

/** The question about all directives of no known module: it has no subject, and is asked once. */
export const UNKNOWN_DIRECTIVES = { kind: 'unknown-directives', subject: '' } as const;

/** The question which version the server runs now: it has no subject, and is asked once. */
export const RUNNING_VERSION = { kind: 'running-version', subject: '' } as const;

export interface DoubtPlace {
  /** The file, without links. */
  readonly path: string;
  /** UTF-16 offset in it. */
  readonly offset: number;
}

export interface Doubt {
  readonly kind: DoubtKind;
  readonly subject: string;
  /** The lines that give cause for it; for what stands in no line, none. */
  readonly places: readonly DoubtPlace[];
  /**
   * `outside`: it is only about what lies outside of the files at hand, which a person who says that nothing outside matters (`--assume-standalone`)
   * has answered. `inside`: the files at hand give cause for it, and no such word settles it.
   */
  readonly lies: 'inside' | 'outside';
  /** What is asked instead of the doubt by itself, because one question covers several of them (`covered`). */
  readonly asked?: { readonly kind: DoubtKind; readonly subject: string };
  /** Of what waits for it: the answers by which that is ready; left out, all that settle the question. */
  readonly values?: readonly string[];
  /** What the sentence names beside the subject. */
  readonly detail?: string;
  /** What a command looks for on the server to find the answer. */
  readonly search?: Search;
}

/** Access files on the server. */
export interface Search {
  /** Directories beside the subject: `*` is any name, and `~ann` in front is the home of a user, `~*` that of each. */
  readonly folders: readonly string[];
  /** What the files are called: the names of AccessFileName. */
  readonly names: readonly string[];
}

/** All that some doubts have a command look for. */
export function searchOf(doubts: readonly Doubt[]): Search {
  const all = (of: (search: Search) => readonly string[]) => [
    ...new Set(doubts.flatMap(({ search }) => (search ? of(search) : []))),
  ];
  return { folders: all(({ folders }) => folders), names: all(({ names }) => names) };
}

/** A doubt; doubts of a kind all lie inside or all outside. */
export function doubt(kind: DoubtKind, subject: string, places: readonly DoubtPlace[] = [], detail?: string): Doubt {
  return {
    kind,
    subject,
    lies: OUTSIDE.has(kind) ? 'outside' : 'inside',
    places: places.map(({ path, offset }) => ({ path, offset })),
    ...(detail === undefined ? {} : { detail }),
  };
}

/** What a person chooses, once for all that waits for it. */
export function choice(kind: ChoiceKind): Doubt {
  return doubt(kind, '');
}

/** What could not be read of a configuration. */
export function gapDoubt({ reason, what, file, offset }: Gap): Doubt {
  const [kind, detail] = GAPS[reason];
  const place = { path: file.path, offset };
  return doubt(kind, kind === 'mpm' ? '' : what, [place], detail);
}

/** The same to ask a person about: `htaccess-unseen:/var/www`. */
export function doubtId({ kind, subject }: Pick<Doubt, 'kind' | 'subject'>): string {
  return subject === '' ? kind : `${kind}:${subject}`;
}

/** One doubt for each kind and subject, with the places of all. */
export function mergedDoubts(doubts: readonly Doubt[]): Doubt[] {
  const merged = new Map<
    string,
    { readonly doubt: Doubt; readonly places: Map<string, DoubtPlace>; readonly same: Doubt[] }
  >();
  for (const each of doubts) {
    const key = `${doubtId(each)} ${each.detail ?? ''}`;
    const known = merged.get(key) ?? { doubt: each, places: new Map<string, DoubtPlace>(), same: [] };
    known.same.push(each);
    for (const place of each.places) known.places.set(`${place.offset} ${place.path}`, place);
    merged.set(key, known);
  }
  return [...merged.values()].map(({ doubt: each, places, same }) => ({
    ...each,
    places: [...places.values()],
    ...(each.search && { search: searchOf(same) }),
  }));
}

/**
 * The doubts of one configuration, with one question for all of a kind that lie in directories: it asks about the highest directory that covers them. Where that is the
 * whole server, what serves any directory is covered, too.
 */
export function covered(doubts: readonly Doubt[]): Doubt[] {
  const covers = new Map<DoubtKind, string | null>();
  for (const kind of COVERED) {
    const subjects = [...new Set(doubts.filter((each) => each.kind === kind).map(({ subject }) => subject))];
    covers.set(kind, subjects.length > 1 ? commonDirectory(subjects) : null);
  }
  const anywhere = new Set(doubts.filter(({ kind }) => kind === 'served-anywhere').map(({ subject }) => subject));
  if (anywhere.size > MOST_LINES) covers.set('served-anywhere', ALL_SERVED.subject);
  return doubts.map((each) => {
    const kind =
      each.kind === 'served-anywhere' && covers.get('htaccess-unseen') === '/' ? 'htaccess-unseen' : each.kind;
    const subject = covers.get(kind) ?? null;
    return subject === null ? each : { ...each, asked: { kind, subject } };
  });
}

/** The directories around a path, the nearest first, up to the root or the first part of its name. */
export function* pathsAround(path: string): Iterable<string> {
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
    yield at === driveOf(path).length ? path.slice(0, at + 1) : path.slice(0, at);
  if (path.startsWith('/') && path !== '/') yield '/';
}

/** Doubts as sentences without a full stop, each once; directories of which the same is to be said have one sentence. */
export function doubtTexts(doubts: readonly Doubt[]): string[] {
  const together = new Map<string, Doubt[]>();
  for (const each of doubts)
    addTo(together, GROUPED.has(each.kind) ? `${each.kind} ${each.detail}` : doubtText(each), each);
  return [...together.values()].flatMap((group) => {
    const directories = [...new Set(group.map(({ subject }) => subject))];
    const [first] = group;
    if (directories.length <= MOST_NAMED) return [...new Set(group.map(doubtText))];
    return doubtText({ ...first!, subject: `${first!.subject} and ${directories.length - 1} more directories` });
  });
}

/** A doubt as a sentence without a full stop. */
export function doubtText({ kind, subject, detail = '', places }: Doubt): string {
  return TEXTS[kind](subject, detail, [...new Set(places.map(({ path }) => path))]);
}

// ---------------------------------------------------------------------------------------------------------------------

/** Kinds whose subject is a directory, of which one sentence can name several. */
const GROUPED: ReadonlySet<DoubtKind> = new Set<DoubtKind>(['override-default', 'override-unknown']);
/** More directories than this are counted. */
const MOST_NAMED = 2;

/** The question about all lines that serve directories which the configuration does not name, where these are many. */
const ALL_SERVED = { kind: 'served-anywhere', subject: '*' } as const;
/** More such lines than this are one question. */
const MOST_LINES = 3;

const COVERED: readonly DoubtKind[] = ['htaccess-unseen', 'include-unseen', 'other-main'];

/** The directory around all paths; null where they have none in common. Patterns are in the directory before their first wildcard. */
function commonDirectory(paths: readonly string[]): string | null {
  const [first = [], ...others] = paths.map((path) => [...pathsAround(`${wildcardFolder(path).replace(/\/$/, '')}/.`)]);
  return first.find((directory) => others.every((around) => around.includes(directory))) ?? null;
}

/** Stands behind the name of the file in the detail of `override-default` where virtual hosts have an AllowOverride. */
export const OUTSIDE_HOSTS = ' outside the virtual hosts';

/** What only lies outside of the files at hand. */
const OUTSIDE: ReadonlySet<DoubtKind> = new Set<DoubtKind>([
  'htaccess-unseen',
  'include-unseen',
  'outside-unseen',
  'served-anywhere',
]);

/** The detail of `read-otherwise` for a condition around access control. */
const ONE_VERSION = 'one-version';

const GAPS: Readonly<Record<Gap['reason'], readonly [DoubtKind, string?]>> = {
  'include-missing': ['include-unseen'],
  'include-variable': ['variable', 'include'],
  'variable-line': ['variable'],
  macro: ['macro'],
  perl: ['perl'],
  'too-deep': ['too-deep'],
  'too-many': ['too-deep', 'too-many'],
  mpm: ['mpm'],
  condition: ['read-otherwise', ONE_VERSION],
};

const TEXTS: Readonly<Record<DoubtKind, (subject: string, detail: string, files: readonly string[]) => string>> = {
  'htaccess-unseen': (directory, where) =>
    where === 'above'
      ? `the directories above ${directory} are not available, and .htaccess files in them could restrict access`
      : `the directory ${directory} is not available, and .htaccess files in it could restrict access`,
  'include-unseen': (path) => `the included file "${path}" is not here, and lines in it could restrict access`,
  'outside-unseen': (what, why) =>
    why === '' ? `${what} may be part of a larger configuration that is not here` : `${what} ${why}`,
  'served-anywhere': (line) =>
    `"${line}" can serve directories that the configuration does not name, and .htaccess files in them could restrict access`,
  define: (name) => `it is not known whether the server starts with "-D ${name}"`,
  'operand-host': (operand) => `it is not known whether "${operand}" is a host name, as httpd reads it, or a mistake`,
  'unknown-directives': (name) => `it is not known whether the directive ${name} decides who has access`,
  overlap: (sections) => `it is not known whether ${sections} apply to the same request`,
  variable: (what, use) =>
    use === 'access-file-name'
      ? `the value of the variable in "${what}" is not known, so the names of .htaccess files are not known`
      : use === 'include'
        ? `the value of the variable in "Include ${what}" is not known`
        : `the directive in the line "${what}" is not known, because it comes from a variable`,
  macro: (name) => `the effect of the macro ${name} is not known`,
  perl: () => 'Perl code writes a part of the configuration, and these lines are not known',
  template: (line) => `the file is a template, and its result is not known because of "${line}"`,
  'too-deep': (path, why) =>
    why === 'too-many'
      ? `"${path}" leads to too many files or directories, so the lines of the others are not known`
      : `"${path}" is included through too many levels, or includes itself, so its lines are not known`,
  'override-unknown': (directory, file) =>
    `it is not known which AllowOverride applies to ${directory}, so the effect of the ${file} there is not known`,
  'override-default': (directory, file) =>
    `no AllowOverride line applies to ${directory}${file.endsWith(OUTSIDE_HOSTS) ? OUTSIDE_HOSTS : ''}, and it is not known whether 2.4 should use the ${file.replace(OUTSIDE_HOSTS, '')} there: add AllowOverride None or All (2.2 uses the file; with 2.4 requests get 500)`,
  'override-admitted': (line, names, files) =>
    `the converted .htaccess files use ${names}, so ${files.join(', ')} needs "AllowOverrideList Require" after "${line}", which allows Require in all .htaccess files of this section`,
  linked: (name, first) =>
    `it is not known which access is right for ${name}: it is the same directory as ${first}, and its .htaccess files apply under both names`,
  'too-many-directories': (most) =>
    `it is not known where .htaccess files restrict access, because only ${most} directories were searched`,
  unreadable: (path) => `the lines of ${path} are not known, because the file cannot be read`,
  'other-encoding': (line, _, files) =>
    `it is not known which files "${line}" names, because ${files.join(', ')} is not UTF-8`,
  'other-main': (path, why) =>
    why === ''
      ? `${path} also looks like a main configuration file, and it is not known which file the server starts with`
      : `${path} ${why}`,
  shared: (path) =>
    `several configurations include ${path}, and it is not known whether a change is right for all of them`,
  'half-converted': (section, why) =>
    `it is not known which lines should decide: ${section} already has access control of 2.4, and ${why} still has access control of 2.2`,
  'running-version': (line) =>
    line === ''
      ? 'it is not known whether the server already runs 2.4 with mod_access_compat'
      : `it is not known whether the server already runs 2.4 with mod_access_compat: "${line}" is not of httpd 2.2`,
  'read-otherwise': (line, why, files) =>
    why === ONE_VERSION
      ? `"${line}" in ${files.join(', ')} has access control and can be true in only one of the two versions: remove the condition, or write the lines for both versions`
      : `it is not known which result of "${line}" is right, because 2.2 and 2.4 read it differently: ${why}`,
  'client-address': (_, module) =>
    `it is not known what gives 2.4 the address of the client; in 2.2 ${module === '' ? 'a module' : module} did (a question of the plan)`,
  mpm: () => 'it is not known which MPM the new server runs (a question of the plan)',
  'rewrite-log': () => 'it is not known whether you need the log of mod_rewrite (a question of the plan)',
  modules: () => 'it is not known whether the modules of httpd 2.4 are files or compiled in',
  php: () => 'it is not known how PHP runs on the new server (a question of the plan)',
  defaults: () => 'it is not known whether to keep the defaults of 2.2 (a question of the plan)',
};
