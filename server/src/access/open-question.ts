/**
 * Open questions: facts on which a conversion depends and which the files do not show, for example
 * whether .htaccess files exist on the server. An open question is data: a kind, a subject, and the
 * lines that cause it. The user gets one question for all open questions with the same kind and
 * subject. `openQuestionText` makes the sentences.
 */
import type { Gap } from '../config/configuration';
import { baseName, driveOf, wildcardFolder } from '../config/files';
import { addTo, groupedBy } from '../syntax/groups';

export type OpenQuestionKind =
  /**
   * Subject: a directory that is served or contains served directories. AllowOverride allows
   * .htaccess files in or below the subject, but the program cannot read them. With the detail
   * `above`, the .htaccess files are in directories above the subject.
   */
  | 'htaccess-unseen'
  /** Subject: the path of an Include whose file is missing. */
  | 'include-unseen'
  /**
   * Subject: the path of a file that a configuration outside of the given files may include. It is
   * `.` if the question is about all given files that no configuration reads (`STANDALONE_QUESTION`
   * in analysis/access-conversion.ts).
   */
  | 'outside-unseen'
  /**
   * Subject: a line (UserDir, AliasMatch, mass hosting) that serves directories which the
   * configuration does not name.
   */
  | 'served-anywhere'
  /** Subject: the name in an `<IfDefine>`. */
  | 'define'
  /** Subject: an operand that looks like a mistake. */
  | 'operand-host'
  /**
   * Subject: a directive of an unknown module, which may affect the access lines near it. The user
   * gets one question for all these directives.
   */
  | 'unknown-directives'
  /** Subject: two or more sections that may apply to the same request (`overlapSubject`). */
  | 'overlap'
  /** Subject: a line, or the path of an Include, that depends on a variable. */
  | 'variable'
  /** Subject: the name of a macro whose lines are unknown. */
  | 'macro'
  /** Subject: a section with Perl code, which writes unknown lines. */
  | 'perl'
  /** Subject: a line of a template. */
  | 'template'
  /**
   * Subject: an Include that is nested too deeply or includes itself. With the detail `too-many`,
   * it leads to more files than the program reads.
   */
  | 'too-deep'
  /** Subject: a directory whose AllowOverride is unknown. */
  | 'override-unknown'
  /** Subject: a directory with a .htaccess file to which no AllowOverride line applies. */
  | 'override-default'
  /** Subject: the AllowOverride line that the conversion widens. */
  | 'override-admitted'
  /** Subject: a second path of a directory, which a link makes. */
  | 'linked'
  /** Subject: the number of searched directories. */
  | 'too-many-directories'
  /** Subject: a file that exists but cannot be read. */
  | 'unreadable'
  /** Subject: a line that names something by bytes that are not UTF-8. */
  | 'other-encoding'
  /** Subject: a file that two configurations read. */
  | 'shared'
  /** Subject: a file that may be another main file, or may include this one. */
  | 'other-main'
  /** Subject: a section with lines of 2.4, if other sections have lines of 2.2. */
  | 'half-converted'
  /**
   * Whether the server already runs 2.4. Subject: a line that only 2.4 accepts. The user gets one
   * question for all these lines. Detail: the version that the user answered, or empty.
   */
  | 'running-version'
  /**
   * For a server that already runs 2.4: whether it is right that it denies requests that Allow
   * lines allow. Asked once, so it has no subject.
   */
  | 'denied-now'
  /** Subject: a line that httpd 2.2 and 2.4 read differently. */
  | 'read-otherwise'
  | ChoiceKind;

/**
 * Kinds of questions in which the user chooses once for a configuration, and no answer is wrong.
 * They have no subject.
 */
export type ChoiceKind =
  /** Which MPM the server runs. */
  | 'mpm'
  /** The replacement for the 2.2 module that gives the address of the client. */
  | 'client-address'
  /** The destination of the mod_rewrite log. */
  | 'rewrite-log'
  /** How PHP runs. */
  | 'php'
  /** Whether the modules of httpd 2.4 are files or compiled in. Asked if the build is unknown. */
  | 'modules'
  /** Whether to write out the defaults of 2.2. */
  | 'defaults'
  /** Which versions of httpd read the files. The fixes do not wait for the answer. */
  | 'versions';

/** The question about all directives of unknown modules. It is asked once, so it has no subject. */
export const UNKNOWN_DIRECTIVES_QUESTION = { kind: 'unknown-directives', subject: '' } as const;

/** The question which version the server runs now. It is asked once, so it has no subject. */
export const RUNNING_VERSION_QUESTION = { kind: 'running-version', subject: '' } as const;

/** The one question about all included files that are missing here, if there are several. */
export const ALL_MISSING_INCLUDES_QUESTION = { kind: 'include-unseen', subject: '*' } as const;

/** An offset in a file. */
export interface FilePosition {
  /** Path of the file, with links resolved. */
  readonly path: string;
  /** UTF-16 offset in the file. */
  readonly offset: number;
}

/** A fact on which a conversion depends and which the files do not show. */
export interface OpenQuestion {
  readonly kind: OpenQuestionKind;
  readonly subject: string;
  /** The lines that cause the open question. Empty if no line does. */
  readonly places: readonly FilePosition[];
  /**
   * `outside`: the fact depends only on files that are missing here. `--assume-standalone` answers
   * all these open questions. `inside`: the fact depends on the files that are here, so that flag
   * does not answer it.
   */
  readonly scope: 'inside' | 'outside';
  /**
   * The question that the user gets instead of this one, if one question covers several open
   * questions (`withCoveringQuestions`).
   */
  readonly coveringQuestion?: { readonly kind: OpenQuestionKind; readonly subject: string };
  /**
   * The answers that make the fix safe. If absent, each answer that settles the question makes the
   * fix safe.
   */
  readonly safeAnswers?: readonly string[];
  /**
   * A second value besides `subject`, for the kinds that need one, such as the other section for
   * `half-converted`. `QUESTION_TEXTS` shows how each kind uses it.
   */
  readonly detail?: string;
  /** What to search for on the server, to find the answer. */
  readonly search?: ServerSearch;
  /**
   * What the text of the question shows: the lines or values that the answer affects, or what 2.4
   * decides differently.
   */
  readonly shownFacts?: readonly string[];
  /** Sentences for the explanation of the question, without the last full stop. */
  readonly hint?: string;
  /**
   * A local directory that has the missing files, and the label of the answer that reads them.
   * `isUsual`: whether this is the usual answer. `coveringQuestion` then covers only open questions
   * with this answer.
   */
  readonly offeredCopy?: { readonly path: string; readonly label: string; readonly isUsual: boolean };
}

/** A search for access files on the server. */
export interface ServerSearch {
  /**
   * Directories to search in addition to the subject. `*` stands for any name. A leading `~ann` is
   * the home directory of a user, and `~*` that of each user.
   */
  readonly folders: readonly string[];
  /** File names to search for: those of AccessFileName. */
  readonly names: readonly string[];
}

/**
 * The search that finds the files for several open questions: all directories and file names of the
 * searches of these questions.
 */
export function joinedSearch(openQuestions: readonly OpenQuestion[]): ServerSearch {
  const distinctItems = (listOf: (search: ServerSearch) => readonly string[]) => [
    ...new Set(openQuestions.flatMap(({ search }) => (search ? listOf(search) : []))),
  ];
  return { folders: distinctItems(({ folders }) => folders), names: distinctItems(({ names }) => names) };
}

/** Makes an open question. `kind` decides whether its `scope` is `inside` or `outside`. */
export function openQuestion(
  kind: OpenQuestionKind,
  subject: string,
  places: readonly FilePosition[] = [],
  detail?: string,
): OpenQuestion {
  return {
    kind,
    subject,
    scope: KINDS_ABOUT_MISSING_FILES.has(kind) ? 'outside' : 'inside',
    places: places.map(({ path, offset }) => ({ path, offset })),
    ...(detail === undefined ? {} : { detail }),
  };
}

/**
 * Makes a question in which the user chooses something, once for all fixes that wait for the
 * choice. `shownFacts`: see `OpenQuestion`.
 */
export function choiceQuestion(kind: ChoiceKind, shownFacts: readonly string[] = []): OpenQuestion {
  return { ...openQuestion(kind, ''), ...(shownFacts.length > 0 && { shownFacts }) };
}

/**
 * The end of a text in `shownFacts` of the question `defaults`. It means that the answer `2.2`
 * adds no line for this text.
 */
export const NO_LINE_SUFFIX = ' (the answer No adds no line for this)';

/** The texts in `shownFacts` of some open questions, without duplicates. */
export function shownFactsOf(openQuestions: readonly OpenQuestion[]): readonly string[] {
  // Thousands of fixes can wait for one question, which may name thousands of sections.
  return [...new Set([...new Set(openQuestions)].flatMap(({ shownFacts = [] }) => shownFacts))];
}

/** Makes an open question about a part of the configuration that could not be read. */
export function questionOfGap({ reason, what, file, offset }: Gap): OpenQuestion {
  const [kind, detail] = KIND_AND_DETAIL_BY_GAP[reason];
  const placeOfGap = { path: file.path, offset };
  return openQuestion(kind, kind === 'mpm' ? '' : what, [placeOfGap], detail);
}

/**
 * The identifier of the question that the user gets for an open question, such as
 * `htaccess-unseen:/var/www`.
 */
export function openQuestionId({ kind, subject }: Pick<OpenQuestion, 'kind' | 'subject'>): string {
  return subject === '' ? kind : `${kind}:${subject}`;
}

/** Merges open questions of the same kind, subject and detail, and joins their places. */
export function joinedQuestions(openQuestions: readonly OpenQuestion[]): OpenQuestion[] {
  const joinedByKey = new Map<
    string,
    {
      readonly openQuestion: OpenQuestion;
      readonly places: Map<string, FilePosition>;
      readonly sameQuestions: OpenQuestion[];
    }
  >();
  for (const each of openQuestions) {
    const questionKey = `${openQuestionId(each)} ${each.detail ?? ''}`;
    const joinedEntry = joinedByKey.get(questionKey) ?? {
      openQuestion: each,
      places: new Map<string, FilePosition>(),
      sameQuestions: [],
    };
    joinedEntry.sameQuestions.push(each);
    for (const place of each.places) joinedEntry.places.set(`${place.offset} ${place.path}`, place);
    joinedByKey.set(questionKey, joinedEntry);
  }
  return [...joinedByKey.values()].map(({ openQuestion: each, places, sameQuestions }) => ({
    ...each,
    places: [...places.values()],
    ...(each.search && { search: joinedSearch(sameQuestions) }),
    ...(each.shownFacts && { shownFacts: shownFactsOf(sameQuestions) }),
  }));
}

/**
 * Lets one question cover all open questions of a kind whose subjects are paths. It asks about the
 * innermost directory that contains all these paths. If they are on several Windows drives, each
 * drive can have such a question. Lines that can serve any directory share the question about
 * .htaccess files, if there is one. Missing Includes without a common directory share one question
 * about all missing files. Open questions with an offered copy are not covered, because the offer
 * sets their question.
 */
export function withCoveringQuestions(allQuestions: readonly OpenQuestion[]): OpenQuestion[] {
  const openQuestions = allQuestions.filter(({ offeredCopy }) => offeredCopy === undefined);
  const coveringSubjectByKind = new Map<OpenQuestionKind, string | null>();
  const coveringSubjectByDrive = new Map<string, string | null>();
  for (const kind of COVERABLE_KINDS) {
    const subjects = [...new Set(openQuestions.filter((each) => each.kind === kind).map(({ subject }) => subject))];
    const subjectForAll = kind === 'include-unseen' ? ALL_MISSING_INCLUDES_QUESTION.subject : null;
    coveringSubjectByKind.set(kind, subjects.length > 1 ? (commonDirectory(subjects) ?? subjectForAll) : null);
    if (kind === 'htaccess-unseen')
      for (const [drive, paths] of groupedBy(subjects, driveOf))
        coveringSubjectByDrive.set(drive, paths.length > 1 ? commonDirectory(paths) : null);
  }
  const linesServingAnywhere = new Set(
    openQuestions.filter(({ kind }) => kind === 'served-anywhere').map(({ subject }) => subject),
  );
  // Both questions are about .htaccess files, so the user has to search only once.
  if (linesServingAnywhere.size > 0 && openQuestions.some(({ kind }) => kind === 'htaccess-unseen'))
    coveringSubjectByKind.set('htaccess-unseen', '/');
  if (linesServingAnywhere.size > MAX_SEPARATE_QUESTIONS)
    coveringSubjectByKind.set('served-anywhere', ALL_UNNAMED_DIRECTORIES_QUESTION.subject);
  return allQuestions.map((each) => {
    if (each.offeredCopy !== undefined) return each;
    const coveringKind =
      each.kind === 'served-anywhere' && coveringSubjectByKind.get('htaccess-unseen') === '/'
        ? 'htaccess-unseen'
        : each.kind;
    const subjectOfDrive =
      coveringKind === 'htaccess-unseen' ? coveringSubjectByDrive.get(driveOf(each.subject)) : undefined;
    const subject = coveringSubjectByKind.get(coveringKind) ?? subjectOfDrive ?? null;
    return subject === null ? each : { ...each, coveringQuestion: { kind: coveringKind, subject } };
  });
}

/**
 * The directories around a path, the innermost first. The last one is the root or, for a relative
 * path, the first name in the path.
 */
export function* parentDirectories(path: string): Iterable<string> {
  for (let slashIndex = path.lastIndexOf('/'); slashIndex > 0; slashIndex = path.lastIndexOf('/', slashIndex - 1))
    yield slashIndex === driveOf(path).length ? path.slice(0, slashIndex + 1) : path.slice(0, slashIndex);
  if (path.startsWith('/') && path !== '/') yield '/';
}

/**
 * Sentences for open questions, without a full stop and without duplicates. If more than two open
 * questions of a kind differ only in their subject, one sentence names the first subject and the
 * number of the others.
 */
export function openQuestionTexts(openQuestions: readonly OpenQuestion[]): string[] {
  const questionsByKey = new Map<string, OpenQuestion[]>();
  for (const each of openQuestions)
    addTo(
      questionsByKey,
      each.kind in NOUN_BY_GROUPED_KIND ? `${each.kind} ${each.detail}` : openQuestionText(each),
      each,
    );
  return [...questionsByKey.values()].flatMap((group) => {
    const subjects = [...new Set(group.map(({ subject }) => subject))];
    const [first] = group;
    if (subjects.length <= MAX_NAMED_SUBJECTS) return [...new Set(group.map(openQuestionText))];
    const moreText = `${subjects.length - 1} more ${NOUN_BY_GROUPED_KIND[first!.kind]}`;
    return openQuestionText({ ...first!, subject: `${first!.subject} and ${moreText}` });
  });
}

/** An open question as a sentence without a full stop. */
export function openQuestionText({ kind, subject, detail = '', places }: OpenQuestion): string {
  return QUESTION_TEXTS[kind](subject, detail, [...new Set(places.map(({ path }) => path))]);
}

/**
 * Sentences that tell the user what to do about open questions that no answer settles. Empty if the
 * texts of the open questions already tell it.
 */
export function textOfActions(openQuestions: readonly OpenQuestion[]): string {
  const actions = openQuestions.flatMap(({ kind, detail }) =>
    detail === ONE_VERSION_DETAIL ? [] : (ACTION_BY_KIND[kind] ?? []),
  );
  return [...new Set(actions)].join(' ');
}

// ---------------------------------------------------------------------------------------------------------------------

const CONVERT_BY_HAND_TEXT =
  'Convert these lines by hand. Or, if no Satisfy line applies to the same requests, keep them and load mod_access_compat.';

/** What the user can do about an open question that no answer settles. */
const ACTION_BY_KIND: Partial<Readonly<Record<OpenQuestionKind, string>>> = {
  variable: 'Write the value in place of the variable, then run again.',
  macro: 'Write the lines of the macro in place of its Use line, then run again.',
  perl: 'Write the lines that the Perl code makes in place of it, then run again.',
  'too-deep': 'Include these files directly, then run again.',
  'override-unknown': 'Write an AllowOverride line for this directory, then run again.',
  linked: 'Remove one of the two names, then run again; or convert these lines by hand.',
  'too-many-directories': CONVERT_BY_HAND_TEXT,
  unreadable: 'Make the file readable, then run again.',
  'other-encoding': 'Save the file as UTF-8, then run again.',
  shared: 'Give each configuration its own copy of the file, then run again.',
  'half-converted': 'Write access control of 2.4 in both sections, then remove the lines of 2.2.',
  'read-otherwise': CONVERT_BY_HAND_TEXT,
};

/** Kinds for which one sentence can list several subjects, with the noun for these subjects. */
const NOUN_BY_GROUPED_KIND: Partial<Readonly<Record<OpenQuestionKind, string>>> = {
  'override-default': 'directories',
  'override-unknown': 'directories',
  'running-version': 'places',
};
/** If there are more subjects than this, one sentence names only the first of them. */
const MAX_NAMED_SUBJECTS = 2;

/**
 * The one question about all lines that serve unnamed directories. It is used if there are more
 * than `MAX_SEPARATE_QUESTIONS` such lines.
 */
const ALL_UNNAMED_DIRECTORIES_QUESTION = { kind: 'served-anywhere', subject: '*' } as const;
/** If more lines than this serve unnamed directories, they share one question. */
const MAX_SEPARATE_QUESTIONS = 3;

/** Kinds of open questions that one question about a common directory can cover. */
const COVERABLE_KINDS: readonly OpenQuestionKind[] = ['htaccess-unseen', 'include-unseen', 'other-main'];

/**
 * The innermost directory that contains all paths. Null if there is none. Only the part of a
 * pattern before its first wildcard counts.
 */
function commonDirectory(paths: readonly string[]): string | null {
  const [first = [], ...others] = paths.map((path) => [
    ...parentDirectories(`${wildcardFolder(path).replace(/\/$/, '')}/.`),
  ]);
  return first.find((directory) => others.every((otherParents) => otherParents.includes(directory))) ?? null;
}

/**
 * This end of the detail of `override-default` means that only virtual hosts have an AllowOverride.
 */
export const OUTSIDE_HOSTS_SUFFIX = ' outside the virtual hosts';

/** Kinds of open questions that are only about files that are missing here. */
const KINDS_ABOUT_MISSING_FILES: ReadonlySet<OpenQuestionKind> = new Set<OpenQuestionKind>([
  'htaccess-unseen',
  'include-unseen',
  'outside-unseen',
  'served-anywhere',
]);

/** The detail of `read-otherwise` for a condition around access control. */
const ONE_VERSION_DETAIL = 'one-version';

/** For each kind of gap: the kind of the open question about it, and the question's detail. */
const KIND_AND_DETAIL_BY_GAP: Readonly<Record<Gap['reason'], readonly [OpenQuestionKind, string?]>> = {
  'include-missing': ['include-unseen'],
  'include-variable': ['variable', 'include'],
  'variable-line': ['variable'],
  macro: ['macro'],
  perl: ['perl'],
  'too-deep': ['too-deep'],
  'too-many': ['too-deep', 'too-many'],
  mpm: ['mpm'],
  condition: ['read-otherwise', ONE_VERSION_DETAIL],
};

/** The sentence for each kind of open question. `files`: the paths of the files in its places. */
const QUESTION_TEXTS: Readonly<
  Record<OpenQuestionKind, (subject: string, detail: string, files: readonly string[]) => string>
> = {
  'htaccess-unseen': (directory, place) =>
    place === 'above'
      ? `the directories above ${directory} are not in this copy, and .htaccess files in them could restrict access`
      : `the directory ${directory} is not in this copy, and .htaccess files in it could restrict access`,
  'include-unseen': (path) => `the included file "${path}" is not in this copy, and lines in it could restrict access`,
  'outside-unseen': (what, why) =>
    `${baseName(what)} ${why === '' ? 'may be part of a larger configuration that is not in this copy' : why}`,
  'served-anywhere': (line) =>
    `"${line}" can serve directories whose .htaccess files are not all in this copy, and these could restrict access`,
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
  macro: (name) => `the lines that the macro ${name} inserts are not known`,
  perl: () => 'Perl code writes a part of the configuration, and these lines are not known',
  template: (line) =>
    `the file is a template, and its result is not known because of "${line}": run again on the file that the template makes`,
  'too-deep': (path, why) =>
    why === 'too-many'
      ? `"${path}" leads to too many files or directories, so the lines of the others are not known`
      : `"${path}" is included through too many levels, or includes itself, so its lines are not known`,
  'override-unknown': (directory, file) =>
    `it is not known which AllowOverride applies to ${directory}, so the effect of the ${file} there is not known`,
  'override-default': (directory, file) =>
    file.endsWith(OUTSIDE_HOSTS_SUFFIX)
      ? `the AllowOverride lines for ${directory} are in virtual hosts. For requests outside of these hosts, 2.2 uses the ${file.replace(OUTSIDE_HOSTS_SUFFIX, '')} there, and 2.4 answers 500. Outside of the virtual hosts, add a <Directory> section for it, with AllowOverride All (to use the file) or None (to ignore it)`
      : `no AllowOverride line applies to ${directory}: 2.2 uses the ${file} there, and 2.4 answers 500; add AllowOverride All (to use the file) or None (to ignore it)`,
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
    `the files mix both versions: ${section} has Require (2.4), ${why} still has lines of 2.2 (Order, Allow, Deny, Satisfy). If the server already runs 2.4, add --answer running-version=2.4; otherwise remove the lines of 2.4, then run again`,
  'running-version': (line, version) =>
    version === '2.2'
      ? `${line === '' ? 'the configuration' : line} has lines of 2.4, which the 2.2 server does not accept: remove the lines of 2.4, then run again`
      : `${line === '' ? 'the configuration' : line} already has lines of 2.4: if the server already runs 2.4, add --answer running-version=2.4 (not in CI: old lines then never fail); otherwise remove the lines of 2.4, then run again`,
  'denied-now': () =>
    'it is not known whether 2.4 is right to deny requests that Allow lines allow (a question of the plan)',
  'read-otherwise': (line, why, files) =>
    why === ONE_VERSION_DETAIL
      ? `"${line}" in ${files.join(', ')} has access control and can be true in only one of the two versions: remove the condition, or write the lines for both versions`
      : `it is not known which result of "${line}" is right, because 2.2 and 2.4 read it differently: ${why}`,
  'client-address': (_, module) =>
    `it is not known what gives 2.4 the address of the client; in 2.2 ${module === '' ? 'a module' : module} did (a question of the plan)`,
  mpm: () => 'it is not known which MPM the 2.4 server runs (a question of the plan)',
  'rewrite-log': () => 'it is not known whether you need the log of mod_rewrite (a question of the plan)',
  modules: () => 'it is not known whether the modules of httpd 2.4 are files or compiled in',
  php: () => 'it is not known how PHP runs on the 2.4 server (a question of the plan)',
  defaults: () => 'it is not known whether to keep the defaults of 2.2 (a question of the plan)',
  versions: () => 'it is not known whether httpd 2.2 also reads these files',
};
