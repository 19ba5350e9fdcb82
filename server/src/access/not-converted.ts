/**
 * The reasons why access control is not converted. A reason is a code, the line that causes it, and
 * the names in its text. Only this file has the texts: clauses without a full stop that can follow
 * "Not converted:" or "because".
 */
import type { ConfigLine } from '../config/configuration';
import type { QuestionPlace } from './open-question';

export interface NotConverted {
  readonly code: ReasonCode;
  /** The line that causes it. Null if the section or the configuration as a whole does. */
  readonly location: QuestionPlace | null;
  /** The parameters of the text, in the order of the function in `TEXTS`. */
  readonly parameters: readonly unknown[];
  /** The line that causes it, with its place, for the text. Absent if no single line does. */
  readonly line?: string;
}

export type ReasonCode = keyof typeof TEXTS;

export function notConverted<Code extends ReasonCode>(
  code: Code,
  location: QuestionPlace | null,
  ...parameters: Parameters<(typeof TEXTS)[Code]>
): NotConverted {
  return { code, location, parameters };
}

/** The same for a line of a configuration, which the text names. */
export function lineNotConverted<Code extends ReasonCode>(
  code: Code,
  { file, offset, line }: Pick<ConfigLine, 'file' | 'offset' | 'line'>,
  ...parameters: Parameters<(typeof TEXTS)[Code]>
): NotConverted {
  const text = line.text.trim().replace(/\s+/g, ' ');
  const shown = text.length > MOST_OF_LINE ? `${text.slice(0, MOST_OF_LINE - 1)}…` : text;
  return {
    code,
    location: { path: file.path, offset },
    parameters,
    // A caller that knows lines but not their places passes an empty file.
    line: file.tree.length === 0 ? `"${shown}"` : `"${shown}" (${placeText(file, offset)})`,
  };
}

/**
 * Such as `httpd.conf:14`, or `line 14` in a text without a path. The name of a .htaccess file
 * needs its directory.
 */
export function placeText({ path, tree }: Pick<ConfigLine['file'], 'path' | 'tree'>, offset: number): string {
  const line = tree.positionAt(offset).line + 1;
  if (path === '') return `line ${line}`;
  const parts = path.split('/');
  const name = parts.slice(parts.at(-1)!.startsWith('.') ? -2 : -1).join('/');
  return `${name}:${line}`;
}

/** Whether the result of a step is a reason. */
export function isReason(result: object | null): result is NotConverted {
  return result !== null && 'code' in result;
}

/**
 * Whether two reasons are the same, apart from the lines that cause them. The lines may differ, for
 * example if a file is included twice.
 */
export function isSameReason(reason: NotConverted, other: NotConverted | null | undefined): boolean {
  if (!other || reason.code !== other.code) return false;
  return reason === other || textOf(reason) === textOf(other);
}

/**
 * The reason as a clause without a full stop: the cause first, with its place, then what to do
 * about it.
 */
export function reasonText(reason: NotConverted): string {
  return textOf(reason, reason.line);
}

// ---------------------------------------------------------------------------------------------------------------------

const MOST_OF_LINE = 60;

function textOf({ code, parameters }: NotConverted, line = 'a line of the section'): string {
  return (TEXTS[code] as (...words: readonly unknown[]) => string)(...parameters).replace('{line}', () => line);
}

const KEEP = 'keep the lines and load mod_access_compat';
const BY_HAND = `convert these lines by hand, or ${KEEP}`;
const AGAIN = 'then run again';

/** `{line}` stands for the line that causes the reason, with its place. */
const TEXTS = {
  // Lines of a section
  variable: () => `{line} contains a variable: write its value, ${AGAIN}`,
  'broken-order': () =>
    `{line} is not accepted by 2.2 and 2.4: write Order allow,deny or Order deny,allow, without spaces at the comma, ${AGAIN}`,
  'broken-host-line': () =>
    `{line} is not accepted by 2.2 and 2.4: write "from" and then an address, a network, a host name or "all", ${AGAIN}`,
  'comment-in-line': () =>
    `httpd reads the comment at the end of {line} as arguments: move the comment to its own line, ${AGAIN}`,
  'matches-no-client': () => `{line} has an argument that matches no client: correct or remove it, ${AGAIN}`,
  'broken-satisfy': () => `{line} is not accepted by 2.2 and 2.4: write Satisfy All or Satisfy Any, ${AGAIN}`,
  'from-macro': (macro: string) =>
    `the access lines come from the macro ${macro}, and another Use of this macro can need different lines: convert the macro by hand`,
  included: () => `{line} is in an included file: ${BY_HAND}`,
  'included-again': (path: string) => `the access lines are in ${path}, which is included more than once: ${BY_HAND}`,
  'in-condition': () =>
    `{line} is in a conditional section such as <IfModule>: remove the condition if it is always true, ${AGAIN}`,
  'in-container': (name: string) =>
    `the access lines are directly in <${name}>, where neither 2.2 nor 2.4 accepts them: move them into a <Directory> or <Location> section, ${AGAIN}`,
  'limit-in-limit': () => `{line} is in a <Limit> inside another, which 2.2 does not accept: remove the inner <Limit>`,
  'unknown-method': (method: string) =>
    `<Limit> names the method ${method}, which httpd 2.4 perhaps does not know: ${BY_HAND}`,
  'too-many-methods': () => `<Limit> sections name too many methods: ${BY_HAND}`,
  'kept-by-comment': () =>
    'a comment # httpd-upgrade-ignore keeps the lines as they are: remove the comment to convert them',

  // Require lines
  'require-in-container': () =>
    `the section already has Require lines of 2.4 ({line}): remove its lines of 2.2 by hand`,
  'require-of-24': (text: string) => `2.2 does not know "Require ${text}": ${BY_HAND}`,
  'require-of-no-module': (text: string) =>
    `no module of httpd 2.2 has "Require ${text}", and it is not known whether another module answers it: ${BY_HAND}`,
  'require-expression': () => `{line} contains "%{", which begins an expression in 2.4: ${BY_HAND}`,
  'require-special-characters': () =>
    `{line} contains a backslash or "$", which have a special meaning in 2.4: ${BY_HAND}`,
  'perhaps-dbm-groups': () =>
    `the groups of {line} are perhaps in a DBM file: write Require dbm-group in 2.4 if they are`,
  'group-file-cancelled': () =>
    `AuthzGroupFileAuthoritative cancels the inherited AuthGroupFile in 2.2, but not in 2.4: ${BY_HAND}`,
  'groups-of-module': (owner: string, word: string | null) =>
    `perhaps ${owner} decides about its groups: ${word === null ? BY_HAND : `write "Require ${word}" in 2.4`}`,
  'groups-without-file': () =>
    `no AuthGroupFile applies to its groups, and an Authoritative directive decides what happens then: ${BY_HAND}`,
  'several-modules': () => `the Require lines of this section belong to several modules: ${BY_HAND}`,
  'several-modules-authoritative': () =>
    `the Require lines of this section belong to several modules, and an Authoritative directive decides which lines count: ${BY_HAND}`,
  'several-modules-in-any-order': (modules: readonly string[]) =>
    `the Require lines of this section belong to ${modules.slice(0, -1).join(', ')} and ${modules.at(-1)}, and no LoadModule lines show the order of these modules in 2.2: ${BY_HAND}`,
  'several-modules-group-file': () =>
    `the Require lines of this section belong to several modules, and AuthGroupFile decides which lines count: ${BY_HAND}`,
  'require-without-effect': () => `none of its Require lines has an effect in 2.2: remove them, ${AGAIN}`,
  'login-without-require': () =>
    `an AuthType applies without a Require line, so requests get 500 in 2.4 (AH01627): write "AuthType None" if no login is needed`,
  'satisfy-any-beside-module': (directive: string) =>
    `with Satisfy Any, a client can pass although ${directive} refuses it, and Require lines cannot do the same: ${KEEP}, or move ${directive.replace(/ .*/s, '')} to a section without Satisfy Any`,

  // Lines for one version
  'old-lines-for-both': () =>
    `{line} is outside of the sections for one version: move it into the section for 2.2, ${AGAIN}`,
  'auth-merging': () =>
    `{line} is a directive of 2.4: the section is already converted, at least in part; remove its lines of 2.2 by hand`,
  'auth-merging-for-24': () => `{line} is among the lines for 2.4: ${BY_HAND}`,
  'old-lines-for-24': () => `only 2.4 reads the section, and it has lines of 2.2: ${BY_HAND}`,
  'no-lines-for-24': () => 'the section has lines for 2.2, but none for 2.4: add the lines for 2.4 by hand',
  'lines-for-24-differ': () =>
    'the lines for 2.4 do not have the same effect as the lines for 2.2: compare them, and correct one of the two',
  'only-22-reads': () =>
    'only 2.2 reads it, because the condition around it is not true in 2.4: remove it after the upgrade',
  'condition-differs': () => `the condition around it can have another result in 2.4: ${BY_HAND}`,
  'both-need-override-list': () =>
    `the new lines need AllowOverrideList, which 2.2 does not know: convert for 2.4 only, or ${KEEP}`,
  'both-not-adjacent': () =>
    `the lines of both versions cannot be written side by side, because other lines are between the access lines or in their <Limit>: move the access lines together, ${AGAIN}`,

  // The tag of a section
  'tag-variable': () => `the tag of the section contains a variable: write its value, ${AGAIN}`,
  'tag-without-argument': () => `the tag of the section has no argument: correct it, ${AGAIN}`,
  'tag-without-pattern': () => `the tag of the section has no pattern: correct it, ${AGAIN}`,
  'tag-template': () => `the tag of the section contains template code: ${BY_HAND}`,
  'relative-path': () =>
    `the path of the section is not absolute: decide which directory it means, and write the whole path`,
  'short-name': () =>
    `the path of the section contains a short name such as PROGRA~1, which can also mean another directory: write the long name, ${AGAIN}`,
  'other-machine': () =>
    `the path of the section is on another machine (UNC), and a drive letter can lead to the same directory: ${BY_HAND}`,
  'no-drive': () => `the path of the section has no drive letter: write it, ${AGAIN}`,
  'dollar-in-pattern': () =>
    `the pattern of the section contains $, which matches nothing in 2.2 and the end of the path in 2.4: ${BY_HAND}`,

  // The file
  'byte-order-mark': () => `the file begins with a byte order mark, so requests get 500: remove the mark, ${AGAIN}`,
  'htaccess-included': () => `the configuration also includes this file: ${BY_HAND}`,
  'template-between': () => `template code is between the access lines: ${BY_HAND}`,
  'template-line': (line: string, place: string) =>
    `"${line}" (${place}) is a line of a template, and which lines the server reads is not known: convert the file that the template makes`,
  'no-directive': (line: string, place: string) =>
    line.startsWith('../')
      ? `"${line}" (${place}) is a symbolic link that was stored as text: write the link again, ${AGAIN}`
      : `"${line}" (${place}) is no directive; perhaps the file is a template: correct the line, or convert the file that the template makes`,
  'unknown-directives': (named: readonly string[]) =>
    `httpd-upgrade does not know the ${named.length === 1 ? 'directive' : 'directives'} ${named.join(', ')}: if ${named.length === 1 ? 'it does' : 'they do'} not allow or deny requests, add --answer unknown-directives=no-access-control`,
  misread: (line: string, path: string, how: Misreading) =>
    `"${line}" in ${path} is not what it seems: ${MISREADINGS[how]}; correct the line, ${AGAIN}`,

  // AllowOverride
  'override-unknown': () =>
    `it is not known which AllowOverride line applies to this directory: write one for it, ${AGAIN}`,
  'override-without-limit': () =>
    `AllowOverride does not allow Limit in this directory, so requests also get 500 in 2.2: decide whether to allow Limit or to remove these lines`,
  'override-without-authconfig': () =>
    `AllowOverride does not allow AuthConfig in this directory, so requests also get 500 in 2.2: decide whether to allow AuthConfig or to remove these lines`,
  'override-forbids-require': () =>
    `AllowOverride does not allow AuthConfig in this directory, and Require needs it: add AuthConfig to AllowOverride, ${AGAIN}`,

  // Other sections
  'inherits-different': () =>
    `other sections give the requests for this section different access, so it would need different Require lines for each of them: write a copy of this section into each of those sections, ${AGAIN}; or ${KEEP}`,
  'inherits-satisfy': () =>
    `other sections give the requests for this section different access, because of {line}: write "Satisfy all" into this section if it may refuse these clients, ${AGAIN}; else ${BY_HAND}`,
  'too-many-sections': () => `too many other sections may apply to the same requests: ${BY_HAND}`,
  'not-proven': () => `the program cannot prove that the new lines have the same effect: ${BY_HAND}`,
  'beside-old-lines': (section: string) =>
    `${section} applies to the same requests and is not converted, so new Require lines here would count as lines of 2.2: ${BY_HAND}`,
  'beside-section': (section: string, place: string) =>
    `waits for ${section} (${place}), which applies to the same requests: convert that section first`,
  'beside-section-of-24': (section: string, place: string) =>
    `${section} (${place}) applies to the same requests and already has Require lines of 2.4: if the server already runs 2.4, add --answer running-version=2.4; otherwise remove the lines of 2.4, ${AGAIN}`,
  'together-with-section': (section: string, place: string) =>
    `waits for ${section} (${place}), with which it must be converted: convert that section first`,
  'differs-beside-files': () =>
    `other .htaccess files apply to the same requests, and with them this file needs other lines than alone: ${BY_HAND}`,

  // Files that are read more than once
  'hosts-differ': (path: string) =>
    `several virtual hosts read the file ${path}, and each needs different lines: give each its own copy, ${AGAIN}`,
  'links-differ': (path: string) =>
    `several directories have links to the file ${path}, and each place needs different lines: give each its own copy, ${AGAIN}`,
  'includes-differ': (path: string) =>
    `the configuration includes the file ${path} more than once, and each place needs different lines: give each its own copy, ${AGAIN}`,
  'configurations-differ': (path: string) =>
    `several configurations include ${path}, and it would need different Require lines in each: give each its own copy, ${AGAIN}`,

  // The configuration as a whole
  'rule-off': (rule: string) => `the rule ${rule} is off in the settings: set a severity for it to convert these lines`,
  'kept-by-answer': (question: string) =>
    `your answer to "${question}" keeps the old lines: change the answer to convert them`,
  'file-cannot-change': (path: string, why: string) =>
    `${path} must change together with this configuration, but ${why}`,
};

/** How httpd reads a line that looks like another one. */
export type Misreading = keyof typeof MISREADINGS;

const MISREADINGS = {
  'quoted-tag': 'httpd reads this line as a section, although it is in quotes',
  cut: '2.2 cuts it after 8191 characters, and reads the rest as a line of its own',
  'dropped-at-end': '2.2 drops the last line of a file that ends in a backslash',
  'ended-early': '2.2 ends it where two backslashes are',
};
