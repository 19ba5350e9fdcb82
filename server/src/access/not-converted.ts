/**
 * The reasons why access control is not converted. A reason is a code, the line that causes it, and
 * the names for its text. This file has all texts. They are clauses without a full stop that can
 * follow "Not converted:" or "because".
 */
import type { ConfigLine } from '../config/configuration';
import { baseName } from '../config/files';
import type { FilePosition } from './open-question';

/** A reason why access lines are not converted. */
export interface NotConverted {
  readonly code: ReasonCode;
  /**
   * The line that prevents the conversion. Null if no single line does, but the section or the
   * configuration.
   */
  readonly location: FilePosition | null;
  /**
   * The arguments for the text function of `code` in `REASON_TEXTS`, for example names of modules.
   */
  readonly parameters: readonly unknown[];
  /**
   * How the text of the reason names the line that causes it: with its words, its file and its line
   * number. Absent if no single line is the cause.
   */
  readonly quotedLine?: string;
  /** The words for the section that is not converted. If absent, the text has `this section`. */
  readonly sectionText?: string;
  /**
   * Whether the old lines may give other access in 2.4, even with mod_access_compat. Then the text
   * does not advise to keep them.
   */
  readonly mayAccessChangeIfKept?: boolean;
  /** The words for what is to be converted by hand. If absent, the text has `these lines`. */
  readonly linesText?: string;
}

export type ReasonCode = keyof typeof REASON_TEXTS;

/** Makes a reason. `parameters`: the arguments for the text of `code` in `REASON_TEXTS`. */
export function notConverted<Code extends ReasonCode>(
  code: Code,
  location: FilePosition | null,
  ...parameters: Parameters<(typeof REASON_TEXTS)[Code]>
): NotConverted {
  return { code, location, parameters };
}

/** Makes a reason whose text names a line of the configuration. */
export function notConvertedBecauseOfLine<Code extends ReasonCode>(
  code: Code,
  { file, offset, line }: Pick<ConfigLine, 'file' | 'offset' | 'line'>,
  ...parameters: Parameters<(typeof REASON_TEXTS)[Code]>
): NotConverted {
  return {
    code,
    location: { path: file.path, offset },
    parameters,
    quotedLine: quotedLineWithPlace({ file, offset, line }),
  };
}

/** A line in quotes, with its place: `"AllowOverride None" (httpd.conf:14)`. */
export function quotedLineWithPlace({ file, offset, line }: Pick<ConfigLine, 'file' | 'offset' | 'line'>): string {
  const text = line.text.trim().replace(/\s+/g, ' ');
  const shortenedText = text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH - 1)}…` : text;
  // A caller may pass an empty file if it does not know the places of its lines. Then no place is
  // shown.
  return file.tree.length === 0 ? `"${shortenedText}"` : `"${shortenedText}" (${placeText(file, offset)})`;
}

/**
 * The place of a line for users: `httpd.conf:14`, or `line 14` in a text without a path. For a
 * .htaccess file, the directory is included.
 */
export function placeText({ path, tree }: Pick<ConfigLine['file'], 'path' | 'tree'>, offset: number): string {
  const lineNumber = tree.positionAt(offset).line + 1;
  if (path === '') return `line ${lineNumber}`;
  const pathParts = path.split('/');
  const shownName = pathParts.slice(pathParts.at(-1)!.startsWith('.') ? -2 : -1).join('/');
  return `${shownName}:${lineNumber}`;
}

/** Whether the result of a conversion step is a reason not to convert. */
export function isReason(result: object | null): result is NotConverted {
  return result !== null && 'code' in result;
}

/**
 * Whether two reasons have the same text except for the lines that cause them. Such lines differ
 * if, for example, a file is included twice.
 */
export function isSameReason(reason: NotConverted, other: NotConverted | null | undefined): boolean {
  if (!other || reason.code !== other.code) return false;
  return reason === other || reasonTextWithNames(reason) === reasonTextWithNames(other);
}

/**
 * The reason as a clause without a full stop: first the cause with its place, then what the user
 * can do.
 */
export function reasonText(reason: NotConverted): string {
  return reasonTextWithNames(reason, reason.quotedLine, reason.sectionText);
}

/**
 * Whether 2.4 with mod_access_compat certainly decides as 2.2 did if a section keeps its old lines.
 * 2.4 reads Order, Allow, Deny and Satisfy as one record, so Satisfy without the others forgets
 * those of other sections, and the others forget Satisfy. With Satisfy Any and without Require, 2.4
 * allows every client (test/httpd/access-sections.slow.test.ts). `hasSatisfyAny`: whether the
 * configuration has a Satisfy Any line.
 */
export function isSafeToKeep(
  lines: readonly Pick<ConfigLine, 'line' | 'conditionals' | 'enclosingSections'>[],
  hasSatisfyAny: boolean,
): boolean {
  const linesNamed = (...names: readonly string[]) => lines.filter(({ line }) => names.includes(line.name));
  const hostLines = linesNamed('order', 'allow', 'deny');
  const satisfyLines = linesNamed('satisfy');
  if (satisfyLines.length === 0) return hostLines.length === 0 || !hasSatisfyAny;
  const requireLines = linesNamed('require');
  const areUnconditional = [...hostLines, ...satisfyLines, ...requireLines].every(
    ({ conditionals, enclosingSections }) =>
      conditionals.length === 0 && !enclosingSections.some(({ section }) => section.name.startsWith('limit')),
  );
  const isSatisfyAll = satisfyLines.every(({ line }) => /^satisfy\s+"?all"?\s*$/i.test(line.text.trim()));
  return areUnconditional && hostLines.length > 0 && (isSatisfyAll || requireLines.length > 0);
}

// ---------------------------------------------------------------------------------------------------------------------

const MAX_QUOTED_LENGTH = 60;

/**
 * The text of a reason. `line`: the words for the line that causes it. `section`: the words for the
 * section that is not converted.
 */
function reasonTextWithNames(
  { code, parameters, mayAccessChangeIfKept = false, linesText = 'these lines' }: NotConverted,
  line = 'a line of the section',
  section = 'this section',
): string {
  const text = (REASON_TEXTS[code] as (...words: readonly unknown[]) => string)(...parameters);
  return withKeepAdvice(text, mayAccessChangeIfKept)
    .replace('{line}', () => line)
    .replaceAll('{section}', () => section)
    .replaceAll('{lines}', () => linesText);
}

/**
 * Replaces the placeholders of `KEEP_ADVICE` in a text. If the access may change although the old
 * lines stay, the text warns instead of this advice.
 */
function withKeepAdvice(text: string, mayAccessChangeIfKept: boolean): string {
  let hasAdvice = false;
  const textWithAdvice = text.replace(/\{(?:or )?keep \w+\}/gi, (place) => {
    hasAdvice = true;
    return KEEP_ADVICE[place as keyof typeof KEEP_ADVICE][mayAccessChangeIfKept ? 'ifChanged' : 'usual'];
  });
  return hasAdvice && mayAccessChangeIfKept ? `${textWithAdvice}. ${WARNING_AGAINST_KEEPING}` : textWithAdvice;
}

/** The placeholders for the advice to keep the old lines, and the words that replace each. */
const KEEP_ADVICE = {
  '{or keep them}': { usual: ', or keep them and load mod_access_compat', ifChanged: '' },
  '{or keep lines}': { usual: '; or keep the old lines and load mod_access_compat', ifChanged: '' },
  '{Or keep lines}': { usual: '. Or keep the old lines and load mod_access_compat', ifChanged: '' },
  '{Keep lines}': {
    usual: 'keep the old lines and load mod_access_compat',
    ifChanged: 'convert {lines} by hand',
  },
};
const WARNING_AGAINST_KEEPING =
  'Do not start 2.4 with unconverted lines here: with the Satisfy lines of this configuration, mod_access_compat can give other access than 2.2';
const OR_KEEP_ADVICE = '{or keep lines}';
const CONVERT_BY_HAND = 'convert {lines} by hand{or keep them}';
/**
 * The advice for Require lines. Loading mod_access_compat does not help: it does not evaluate
 * Require lines.
 */
const CONVERT_REQUIRE_BY_HAND = 'convert {lines} by hand';
const RUN_AGAIN = 'then run again';
/** What to write into a section that denies everyone, below a section with Satisfy Any. */
const SATISFY_ALL_CONVERTS = `If a login alone must never be enough: write Satisfy All into {section}, ${RUN_AGAIN}`;
/** What to write into a section that allows clients and inherits the Require lines of another. */
const ONE_ACCESS_FOR_ALL = `If all requests for {section} can get the same access: write it into {section} as lines of 2.2 (Order, Allow, Deny, Require and Satisfy, and the AuthType lines of a login), ${RUN_AGAIN}`;
const KEEP_ONE_MODULE = `keep only the Require lines of the module that decides, ${RUN_AGAIN}`;

/**
 * The texts of the reasons. `{line}` stands for the line that causes the reason, with its place,
 * and `{section}` for the section that is not converted.
 */
const REASON_TEXTS = {
  // Lines of a section
  variable: () => `{line} contains a variable: replace the variable by its value, ${RUN_AGAIN}`,
  'broken-order': () =>
    `neither 2.2 nor 2.4 accepts {line}: write Order allow,deny or Order deny,allow, without spaces at the comma, ${RUN_AGAIN}`,
  'broken-host-line': () =>
    `neither 2.2 nor 2.4 accepts {line} as it is: write "from" and then an address, a network, a host name or "all", ${RUN_AGAIN}`,
  'comment-in-line': () =>
    `httpd reads the comment at the end of {line} as arguments: move the comment to its own line, ${RUN_AGAIN}`,
  'matches-no-client': (word: string, meantWord: string | null, isOnlyWord: boolean) =>
    `"${word}" in {line} matches no client, because it is no address, no network and no usual host name: ${meantWord === null ? 'correct the word' : `write "${meantWord}" if you mean that`}, or remove the ${isOnlyWord ? 'line, if the section has other access lines. If it has none, replace the line by "Order deny,allow", which allows all clients, as 2.2 does. Then run again' : `word, ${RUN_AGAIN}`}`,
  'broken-satisfy': () => `neither 2.2 nor 2.4 accepts {line}: write Satisfy All or Satisfy Any, ${RUN_AGAIN}`,
  'from-macro': (macro: string) =>
    `{line} comes from the macro ${macro}, and another Use line of this macro can need other Require lines: replace the Use line for {section} by the lines of the macro, with the arguments in place of its parameters, ${RUN_AGAIN}. httpd-upgrade can then convert these lines together with the others. If no Use line of ${macro} is left, also remove the macro`,
  included: () =>
    `{line} is in a file that the section includes: copy the line into the section, ${RUN_AGAIN}${OR_KEEP_ADVICE}`,
  'included-again': () =>
    `{line} is in a file that is included more than once, and each place can need different lines: copy the lines into each section, ${RUN_AGAIN}${OR_KEEP_ADVICE}`,
  'in-condition': (tag: string | null) =>
    `{line} is in ${tag === null ? 'a conditional section such as <IfModule>' : `the conditional section ${tag}`}, and it is not known whether the condition is true. If it is always true, remove only its two tags, and keep the lines between them. If it is never true, remove the tags and the lines. Then run again. Otherwise ${CONVERT_BY_HAND}`,
  'in-container': (name: string) =>
    `the access lines are directly in <${name}>, where neither 2.2 nor 2.4 accepts them: move them into a <Directory> or <Location> section, ${RUN_AGAIN}`,
  'in-unknown-section': (name: string) =>
    `httpd-upgrade does not know the section <${name}> around the access lines: move them into a <Directory> or <Location> section, ${RUN_AGAIN}${OR_KEEP_ADVICE}`,
  'limit-in-limit': () =>
    `{line} is in a <Limit> inside another, which 2.2 does not accept: remove the inner <Limit>, ${RUN_AGAIN}`,
  'unknown-method': (method: string) =>
    `{line} is in a <Limit> or <LimitExcept> for the method ${method}, which httpd-upgrade does not know: ${CONVERT_BY_HAND}`,
  'too-many-methods': () => `the <Limit> sections name too many different methods: ${CONVERT_BY_HAND}`,
  'kept-by-comment': () =>
    'a comment # httpd-upgrade-ignore keeps the lines as they are: remove the comment to convert them',

  // Require lines
  'require-in-container': () =>
    `{line} is in a section of 2.4 such as <RequireAll>, and {section} also has lines of 2.2: check that the lines of 2.4 are complete, then remove Order, Allow, Deny and Satisfy by hand`,
  'require-of-24': () =>
    `2.2 does not know {line}, but {section} also has lines of 2.2: if the lines of 2.4 are complete, remove Order, Allow, Deny and Satisfy; otherwise remove the lines of 2.4, ${RUN_AGAIN}`,
  'require-of-no-module': () =>
    `httpd-upgrade knows no module of 2.2 for {line}, so it is not known which clients this line allows: ${CONVERT_REQUIRE_BY_HAND}`,
  'require-expression': () =>
    `{line} contains "%{", which begins an expression in 2.4: ${CONVERT_REQUIRE_BY_HAND}, with "\\%{" if you mean these characters`,
  'require-special-characters': () =>
    `{line} contains a backslash or "$", which have a special meaning in 2.4: ${CONVERT_REQUIRE_BY_HAND}, with a backslash before each of them`,
  'require-empty-word': () =>
    '{line} has an empty word, after which 2.4 reads no names: remove the empty word, then run again',
  'perhaps-dbm-groups': () =>
    `the groups of {line} are perhaps in a DBM file (AuthDBMGroupFile): if they are, write "Require dbm-group" in 2.4; otherwise ${CONVERT_REQUIRE_BY_HAND}`,
  'group-file-cancelled': () =>
    `AuthzGroupFileAuthoritative in {section} cancels the inherited AuthGroupFile in 2.2, but not in 2.4: ${CONVERT_REQUIRE_BY_HAND}`,
  'groups-of-module': (owner: string, word: string | null) =>
    `perhaps ${owner} decides about the groups in {section}: ${word === null ? CONVERT_REQUIRE_BY_HAND : `if it does, write "Require ${word}" in 2.4; otherwise ${CONVERT_REQUIRE_BY_HAND}`}`,
  'groups-without-file': () =>
    `{section} requires a group, but no AuthGroupFile applies to it, and in 2.2 {line} decides what happens then: ${CONVERT_REQUIRE_BY_HAND}`,
  'several-modules': (modules: readonly string[]) =>
    `Require lines of ${joinedNames(modules)} apply to {section}. In 2.2, the module that is loaded first decides; in 2.4, one matching line is enough: ${KEEP_ONE_MODULE}`,
  'several-modules-authoritative': (modules: readonly string[]) =>
    `Require lines of ${joinedNames(modules)} apply to {section}. In 2.2, {line} decides which of them count; in 2.4, one matching line is enough: ${KEEP_ONE_MODULE}`,
  'several-modules-in-any-order': (modules: readonly string[]) =>
    `Require lines of ${joinedNames(modules)} apply to {section}. In 2.2, the module that is loaded first decides, and no LoadModule lines show which it is: ${KEEP_ONE_MODULE}`,
  'several-modules-group-file': (modules: readonly string[]) =>
    `Require lines of ${joinedNames(modules)} apply to {section}. In 2.2, AuthGroupFile decides which of them count; in 2.4, one matching line is enough: ${KEEP_ONE_MODULE}`,
  'require-without-effect': () => `no Require line of {section} has an effect in 2.2: remove these lines, ${RUN_AGAIN}`,
  'login-without-require': () =>
    `an AuthType applies to {section} without a Require line, so requests get 500 in 2.4 (AH01627): write "AuthType None" into {section} if no login is needed, otherwise a Require line`,
  'login-of-22-alone': () =>
    `{section} asks for a login, but only 2.2 reads its AuthType, because a condition around that line is not true in 2.4: take the AuthType out of the condition, ${RUN_AGAIN}`,
  'satisfy-any-beside-module': (directive: string) =>
    `with Satisfy Any, a client can pass although ${directive} refuses it, and Require lines cannot do the same: move ${directive.replace(/ .*/s, '')} to a section without Satisfy Any, ${RUN_AGAIN}${OR_KEEP_ADVICE}`,

  // Lines for one version
  'old-lines-for-both': (place: 'condition' | 'limit' | 'section') =>
    place === 'condition'
      ? `only 2.4 reads {line}, because of the condition around it: remove this line if 2.4 is to decide as 2.2 does; otherwise replace it by a Require line; ${RUN_AGAIN}`
      : `2.4 reads {line}, and also the access lines for 2.4 in {section}. So both count in 2.4: write <IfModule !mod_authz_core.c> above ${place === 'limit' ? 'the <Limit> of this line, and </IfModule> below its end' : 'this line and the other lines for 2.2, and </IfModule> below them'}, ${RUN_AGAIN}`,
  'auth-merging': () =>
    `{line} is a directive of 2.4, so {section} is already converted, at least in part: check that its lines of 2.4 are complete, then remove its lines of 2.2 by hand`,
  'auth-merging-for-24': () =>
    `AuthMerging is among the lines for 2.4 in {section}, and httpd-upgrade cannot prove that they have the same effect as those for 2.2: remove the lines for 2.4, ${RUN_AGAIN}; or ${CONVERT_BY_HAND}`,
  'old-lines-for-24': () =>
    `only 2.4 reads {section}, so 2.2 does not show which access its old lines should give: ${CONVERT_BY_HAND}`,
  'lines-for-24-need-merging': (merging: string) =>
    `the lines for 2.4 in {section} replace what other sections decide, but its lines for 2.2 do not: add "AuthMerging ${merging}" to the lines for 2.4, ${RUN_AGAIN}`,
  'no-lines-for-24': () => '{section} has lines for 2.2, but none for 2.4: add the lines for 2.4 by hand',
  'lines-for-24-differ': () =>
    'the lines for 2.4 in {section} do not have the same effect as the lines for 2.2: compare them, and correct one of the two',
  'only-22-reads': () =>
    'only 2.2 reads {section}, because the condition around it is not true in 2.4: remove the section after the upgrade',
  'condition-differs': (condition: string | null) =>
    `${condition ?? 'the condition'} around {section} can have another result in 2.4 than in 2.2: ${CONVERT_BY_HAND}`,
  'both-need-override-list': () =>
    `the new lines need AllowOverrideList, which 2.2 does not know: convert for 2.4 only (without --keep-both)${OR_KEEP_ADVICE}`,
  'both-not-adjacent': () =>
    `the lines of both versions cannot be written side by side, because the access lines are in several conditions or files, or other lines are in their <Limit>: move the access lines together, ${RUN_AGAIN}`,
  'both-need-new-lines': (newLine: string | null) =>
    `{section} has no Order, Allow, Deny or Satisfy, but needs ${newLine === null ? 'Require lines' : `"${newLine}"`} in 2.4: write ${newLine === null ? 'them' : 'it'} into <IfModule mod_authz_core.c> in {section}, and the Require lines for 2.2 into <IfModule !mod_authz_core.c>, ${RUN_AGAIN}`,
  'both-above-loads': () =>
    `{section} is above the LoadModule lines, so 2.4 decides <IfModule mod_authz_core.c> there before it loads that module: move these lines, or the Include line that leads to them, to the top of the main file, ${RUN_AGAIN}`,
  'both-by-host': () =>
    `{section} needs different lines for 2.4 in some virtual hosts: write it into each of them, ${RUN_AGAIN}; or ${CONVERT_BY_HAND}`,

  // The tag of a section
  'tag-variable': () => `the tag of {section} contains a variable: replace the variable by its value, ${RUN_AGAIN}`,
  'tag-without-argument': () => `the tag of {section} has no argument: write the path or pattern, ${RUN_AGAIN}`,
  'tag-without-pattern': () => `the tag of {section} has no pattern: write it, ${RUN_AGAIN}`,
  'tag-template': () => `the tag of {section} contains template code: ${CONVERT_BY_HAND}`,
  'relative-path': () =>
    `the path of {section} is not absolute, so it is not clear which directory it means: write the whole path, ${RUN_AGAIN}`,
  'short-name': () =>
    `the path of {section} has a short name such as PROGRA~1, and the directory can also have a long name: write the long name, ${RUN_AGAIN}`,
  'other-machine': () =>
    `the path of {section} is on another machine (UNC), and a drive letter can lead to the same directory: ${CONVERT_BY_HAND}`,
  'no-drive': () => `the path of {section} has no drive letter: write it, ${RUN_AGAIN}`,
  'dollar-in-pattern': () =>
    `the pattern of {section} contains $, which never matches in 2.2, but matches the end of the path in 2.4: ${CONVERT_BY_HAND}`,

  // The file
  'byte-order-mark': () =>
    `{section} begins with an invisible byte order mark, so requests get 500: remove the mark, ${RUN_AGAIN}`,
  'htaccess-included': () =>
    `an Include of the configuration also reads {section}, and each place can need different lines: ${CONVERT_BY_HAND}`,
  'template-between': () => `template code is between the access lines of {section}: ${CONVERT_BY_HAND}`,
  'template-line': (line: string, place: string) =>
    `"${line}" (${place}) is a line of a template, so it is not known which lines the server reads: run again on the file that the template makes`,
  'beside-template': (template: string) =>
    `the template ${template} makes a file that can have access lines for the same requests: run again with that file in place of the template, or only on the directory of the other files`,
  'no-directive': (line: string, place: string, path: string) =>
    line.startsWith('../')
      ? `this copy is not complete: ${pathInFolder(path)} is a plain file here, with only the words "${line}". On the server it is a symbolic link to that file. In the directory ${pathInFolder(path).replace(/\/[^/]*$/, '')}, run "ln -sf ${line} ${baseName(path)}", and do the same for other files of this kind. Then run httpd-upgrade again`
      : `"${line}" (${place}) is no directive; perhaps the file is a template: correct the line, or run again on the file that the template makes`,
  'unknown-directives': (namedTexts: readonly string[]) =>
    `httpd-upgrade does not know the ${namedTexts.length === 1 ? 'directive' : 'directives'} ${namedTexts.join(', ')}: if ${namedTexts.length === 1 ? 'it does' : 'they do'} not allow or deny requests, add --answer unknown-directives=no-access-control; otherwise ${CONVERT_BY_HAND}`,
  misread: (line: string, path: string, difference: ReadingDifference) =>
    `httpd does not read ${line.startsWith('"') ? line : `"${line}"`} in ${path} as it looks: ${READING_DIFFERENCES[difference]}; correct the line, ${RUN_AGAIN}`,

  // AllowOverride
  'override-unknown': () =>
    `it is not known which AllowOverride line applies to {section}: write one into a <Directory> section for its directory, ${RUN_AGAIN}`,
  'override-without-limit': (overrideText: string | null) =>
    `${overrideText ?? 'AllowOverride'} does not allow Limit for {section}, so requests get 500, in 2.2, too: add Limit to AllowOverride, or remove Order, Allow and Deny from {section}, ${RUN_AGAIN}`,
  'override-without-authconfig': (overrideText: string | null) =>
    `${overrideText ?? 'AllowOverride'} does not allow AuthConfig for {section}, so requests get 500, in 2.2, too: add AuthConfig to AllowOverride, or remove Require and Satisfy from {section}, ${RUN_AGAIN}`,
  'override-forbids-require': (overrideText: string | null) =>
    `${overrideText ?? 'AllowOverride'} does not allow AuthConfig for {section}, and Require needs it: add AuthConfig to AllowOverride, ${RUN_AGAIN}`,

  // Other sections
  'inherits-different': (
    others: readonly string[],
    replacedTexts: readonly string[] = [],
    mayReplace = true,
    missingDirectives = 'access',
    isForSomeRequests = false,
  ) => {
    const cause = textAboutDifferingSections(others, isForSomeRequests);
    if (!mayReplace)
      return `{Keep lines}. ${cause}. Do not add ${missingDirectives} lines to {section}: in 2.2 and 2.4 they would replace the lines of ${firstNamesText(replacedTexts)}, and could allow clients that those lines deny`;
    const effect =
      replacedTexts.length === 0
        ? ''
        : `. These lines replace, in 2.2 and 2.4, the lines of ${firstNamesText(replacedTexts)} for these requests`;
    return `decide which access all requests for {section} get, and write it into {section} as lines of 2.2 (Order, Allow, Deny, Require and Satisfy). Then run again: httpd-upgrade converts them{Or keep lines}. ${cause}${effect}`;
  },
  'inherits-satisfy': (where: string, canCopy: boolean, inheritsRequire: boolean) =>
    `{line} also applies to some requests for {section}. In 2.2, a login alone is enough for the requests that also fall under ${where}, but not for the others. One set of Require lines cannot give both. ${inheritsRequire ? ONE_ACCESS_FOR_ALL : SATISFY_ALL_CONVERTS}. If it must stay enough under ${where}: ${canCopy ? `write Satisfy All into {section}, and a copy of {section}, with Satisfy Any, into ${where}, ${RUN_AGAIN}` : `convert both sections by hand. In {section}, write the Require lines for requests under ${where} into ${ifSectionFor(where)}`}. If you keep the old lines and load mod_access_compat, 2.4 decides as with Satisfy All`,
  'inherits-satisfy-of-host': (inheritsRequire: boolean) =>
    `{line} is in a virtual host, and also applies to the requests of that host for {section}. In 2.2, a login alone is enough for these requests, but not for those of other hosts. One set of Require lines cannot give both. ${inheritsRequire ? ONE_ACCESS_FOR_ALL : SATISFY_ALL_CONVERTS}. If it must stay enough in that virtual host: convert both sections by hand, and write a second {section} into that virtual host, with Require lines that also allow a login. If you keep the old lines and load mod_access_compat, 2.4 decides as with Satisfy All`,
  'too-many-sections': () => `too many other sections may apply to the same requests as {section}: ${CONVERT_BY_HAND}`,
  'not-proven': () =>
    `httpd-upgrade cannot prove that new lines for {section} have the same effect: ${CONVERT_BY_HAND}`,
  'beside-old-lines': (section: string, place: string) =>
    `waits for ${section} (${place}), which may apply to the same requests and is not converted: do what the entry for ${section} says, ${RUN_AGAIN}; or convert both by hand{or keep them}`,
  'beside-section': (section: string, place: string, why: string) =>
    `waits for ${section} (${place}), which can apply to the same requests: both are converted together. For ${section}: ${why}`,
  'beside-section-of-24': (section: string, place: string, isConvertedByFix: boolean) =>
    isConvertedByFix
      ? `write Require lines in place of {lines}, for example Require all granted if all clients have access{or keep them}. ${section} (${place}) is already converted and may apply to the same requests, and it is not known which access these requests need. Only if a fix of today converted it: undo that fix (httpd-upgrade undo), and convert all these files together`
      : `${section} (${place}) may apply to the same requests and already has Require lines of 2.4. If the server runs 2.4, run again with --answer running-version=2.4 (not in CI: old lines then never fail). If it runs 2.2, remove the lines of 2.4 there, ${RUN_AGAIN}`,
  'beside-converted-sections': () =>
    `sections that are already converted may apply to the same requests as {section}, and it is not known which access these requests need: ${CONVERT_BY_HAND}`,
  'differs-beside-siblings': (paths: readonly string[]) =>
    `${paths.join(', ')} in the same directory has other access lines, and httpd reads only one .htaccess file of a directory: run on each file alone`,
  'directory-unknown': (folder: string) =>
    `it is not known which directory of the server ${folder} is. If a <Directory> section here is for it, or for one above or below, other lines are needed: add --map DIRECTORY=${folder}, where DIRECTORY is its path on the server, ${RUN_AGAIN}`,
  'differs-beside-files': (paths: readonly string[]) =>
    `${paths.length === 0 ? 'other files have' : `${paths.join(', ')} ${paths.length === 1 ? 'has' : 'have'}`} access lines for the same requests, and with them this file needs other lines than alone: ${CONVERT_BY_HAND}`,

  // Files that are read more than once
  'hosts-differ': (path: string) =>
    `several virtual hosts read the file ${path}, and each needs different lines: give each its own copy, ${RUN_AGAIN}`,
  'links-differ': (path: string) =>
    `several directories have links to the file ${path}, and each place needs different lines: give each its own copy, ${RUN_AGAIN}`,
  'includes-differ': (path: string) =>
    `the configuration includes the file ${baseName(path)} more than once, and each place needs different lines: give each its own copy, ${RUN_AGAIN}`,
  'configurations-differ': (path: string, roots: readonly string[]) => {
    const [shared, ...mains] = pathsBelowSharedFolder([path, ...roots]);
    return `${mains.join(' and ')} include ${shared}, and it would need different Require lines in each: give each its own copy, ${RUN_AGAIN}`;
  },

  // The configuration as a whole
  'rule-off': (rule: string) => `the rule ${rule} is off in the settings: set a severity for it to convert these lines`,
  'kept-by-answer': (question: string) =>
    `your answer to "${question}" keeps the old lines: change the answer to convert them`,
  'last-line-lost': (path: string, name: string) =>
    `2.4 does not read \`${name}\`, the last line of ${baseName(path)}, because it has no newline: add one, ${RUN_AGAIN}`,
  'directories-not-searched': () =>
    'there are too many directories below this file to look for other .htaccess files: run on the directory that contains it',
  'other-file-cannot-change': (path: string, why: string) =>
    `${path} applies to the same requests and must change, too, but ${why}: ${/outside/.test(why) ? 'run on the directory that contains both files' : /left out/.test(why) ? `do not exclude it, ${RUN_AGAIN}` : `remove this obstacle, ${RUN_AGAIN}`}`,
  'file-cannot-change': (path: string, why: string) =>
    `${path} must change together with this configuration, but ${why}: ${/outside/.test(why) ? 'give the directory with all files of the configuration' : /left out/.test(why) ? 'do not exclude it' : 'remove this obstacle'}, ${RUN_AGAIN}`,
};

/** The paths without the leading folders that all of them have in common. */
function pathsBelowSharedFolder(paths: readonly string[]): string[] {
  const partsOfPaths = paths.map((path) => path.split('/'));
  const sharedPartCount = partsOfPaths[0]!.findIndex((part, index) =>
    partsOfPaths.some((each) => each[index] !== part || !(index + 1 in each)),
  );
  return partsOfPaths.map((each) => each.slice(sharedPartCount).join('/'));
}

function joinedNames(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** The last two names of a path: the directory and the file. */
function pathInFolder(path: string): string {
  return path.split('/').slice(-2).join('/');
}

/** An `<If>` section for the requests under a directory. `tag`: the section of the directory. */
function ifSectionFor(tag: string): string {
  const [, directory] = /^<Directory\s+"?(\/[\w./-]*[\w-])\/?"?>$/i.exec(tag) ?? [];
  return directory === undefined
    ? 'an <If> section'
    : `<If "%{REQUEST_FILENAME} =~ m#^${directory.replaceAll('.', '\\.')}(/|$)#">`;
}

/** The first two names, and the number of the others. */
function firstNamesText(names: readonly string[]): string {
  if (names.length === 0) return 'other sections';
  if (names.length === 1) return names[0]!;
  return joinedNames(names.length <= 2 ? names : [...names.slice(0, 2), `${names.length - 2} more`]);
}

/**
 * The sentences that name the sections which give requests different access. `others`: the names of
 * these sections. `isForSomeRequests`: whether requests certainly differ.
 */
function textAboutDifferingSections(others: readonly string[], isForSomeRequests: boolean): string {
  const [first, second] = others;
  if (second !== undefined)
    return `Why: ${first} and ${second} apply to different requests for {section}. In 2.2 the requests for the first and for the second get different access. ${NO_SINGLE_SET}`;
  if (first !== undefined && !isForSomeRequests)
    return `Why: ${first} may apply to only a part of the requests for {section}. If so, 2.2 gives this part and the rest different access. ${NO_SINGLE_SET}`;
  return `Why: ${first === undefined ? 'other sections apply' : `${first} applies`} to only a part of the requests for {section}. In 2.2 this part and the rest get different access. ${NO_SINGLE_SET}`;
}

const NO_SINGLE_SET = 'One set of Require lines cannot give both';

/** The ways in which httpd reads a line differently from what the line shows. */
export type ReadingDifference = keyof typeof READING_DIFFERENCES;

const READING_DIFFERENCES = {
  'quoted-tag': 'httpd reads this line as a section, although it is in quotes',
  cut: '2.2 cuts it after 8191 characters, and reads the rest as a line of its own',
  'dropped-at-end': 'it ends in a backslash, and 2.2 drops the last line of a file if it does',
  'ended-early': '2.2 ends it where two backslashes are',
};
