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
}

export type ReasonCode = keyof typeof TEXTS;

export function notConverted<Code extends ReasonCode>(
  code: Code,
  location: QuestionPlace | null,
  ...parameters: Parameters<(typeof TEXTS)[Code]>
): NotConverted {
  return { code, location, parameters };
}

/** The same for a line of a configuration. */
export function lineNotConverted<Code extends ReasonCode>(
  code: Code,
  { file, offset }: Pick<ConfigLine, 'file' | 'offset'>,
  ...parameters: Parameters<(typeof TEXTS)[Code]>
): NotConverted {
  return { code, location: { path: file.path, offset }, parameters };
}

/** Whether the result of a step is a reason. */
export function isReason(result: object | null): result is NotConverted {
  return result !== null && 'code' in result;
}

/**
 * Whether two reasons have the same text. Their lines may differ, for example if a file is included
 * twice.
 */
export function isSameReason(reason: NotConverted, other: NotConverted | null | undefined): boolean {
  if (!other || reason.code !== other.code) return false;
  return reason === other || reasonText(reason) === reasonText(other);
}

/** The reason as a clause without a full stop. */
export function reasonText({ code, parameters }: NotConverted): string {
  return (TEXTS[code] as (...words: readonly unknown[]) => string)(...parameters);
}

// ---------------------------------------------------------------------------------------------------------------------

const TEXTS = {
  // Lines of a section
  variable: () => 'the access lines contain a variable',
  'broken-order': () => 'an Order line has an error',
  'broken-host-line': () => 'an Allow or Deny line has an error',
  'matches-no-client': () => 'an Allow or Deny line has a word that matches no client',
  'broken-satisfy': () => 'a Satisfy line has an error',
  'from-macro': (macro: string) =>
    `the access lines come from the macro ${macro}, and another Use of this macro can need different lines`,
  included: () => 'the access lines are in an included file',
  'included-again': (path: string) => `the access lines are in ${path}, which is included more than once`,
  'in-condition': () => 'some of the access lines are in a conditional section such as <IfModule>',
  'in-container': (name: string) => `the access lines are in <${name}>`,
  'limit-in-limit': () => 'a <Limit> is inside another, which 2.2 does not accept',
  'unknown-method': (method: string) => `<Limit> names the method ${method}, which httpd 2.4 perhaps does not know`,
  'too-many-methods': () => '<Limit> sections name too many methods',
  'kept-by-comment': () => 'a comment # httpd-upgrade-ignore keeps the lines as they are',

  // Require lines
  'require-in-container': () => 'the section already has Require lines of 2.4',
  'require-of-24': (text: string) => `2.2 does not know "Require ${text}"`,
  'require-of-no-module': (text: string) =>
    `no module of httpd 2.2 has "Require ${text}", and it is not known whether another module answers it`,
  'require-expression': () => 'the Require line contains "%{", which begins an expression in 2.4',
  'require-special-characters': () =>
    'the Require line contains a backslash or "$", which have a special meaning in 2.4',
  'perhaps-dbm-groups': () => 'the groups are perhaps in a DBM file; 2.4 then needs Require dbm-group',
  'group-file-cancelled': () =>
    'AuthzGroupFileAuthoritative cancels the inherited AuthGroupFile in 2.2, but not in 2.4',
  'groups-of-module': (owner: string, word: string | null) =>
    `perhaps ${owner} decides about its groups${word === null ? '' : `: write "Require ${word}" in 2.4`}`,
  'groups-without-file': () =>
    'no AuthGroupFile applies to its groups, and an Authoritative directive decides what happens then',
  'several-modules': () => 'the Require lines of this section belong to several modules',
  'several-modules-authoritative': () =>
    'the Require lines of this section belong to several modules, and an Authoritative directive decides which lines count',
  'several-modules-in-any-order': () =>
    'the Require lines of this section belong to several modules, and the order of these modules is not known',
  'several-modules-group-file': () =>
    'the Require lines of this section belong to several modules, and AuthGroupFile decides which lines count',
  'require-without-effect': () => 'none of its Require lines has an effect in 2.2',
  'login-without-require': () => 'an AuthType applies without a Require line, so requests get 500 in 2.4 (AH01627)',
  'satisfy-any-beside-module': (directive: string) =>
    `Satisfy Any applies here and overrides ${directive}; Require lines cannot override it: load mod_access_compat and keep these lines, or move that line to a section without Satisfy Any`,

  // Lines for one version
  'old-lines-for-both': () => 'some old lines are outside of the sections for one version',
  'auth-merging': () => 'AuthMerging is a directive of 2.4: the section is already converted, at least in part',
  'auth-merging-for-24': () => 'AuthMerging is among the lines for 2.4',
  'old-lines-for-24': () => 'only 2.4 reads the section, and it has lines of 2.2',
  'no-lines-for-24': () => 'the section has lines for 2.2, but none for 2.4',
  'lines-for-24-differ': () => 'the lines for 2.4 do not have the same effect as the lines for 2.2',
  'only-22-reads': () => 'only 2.2 reads it: the condition around it is not true in 2.4',
  'condition-differs': () => 'the condition around it can have another result in 2.4',
  'both-need-override-list': () => 'the new lines need AllowOverrideList, which 2.2 does not know',
  'both-not-adjacent': () =>
    'the access lines are not next to each other, so the lines of both versions cannot be written side by side',

  // The tag of a section
  'tag-variable': () => 'the tag of the section contains a variable',
  'tag-without-argument': () => 'the tag of the section has no argument',
  'tag-without-pattern': () => 'the tag of the section has no pattern',
  'tag-template': () => 'the tag of the section contains template code',
  'relative-path': () => 'the path of the section is not absolute',
  'short-name': () =>
    'the path of the section contains a short name such as PROGRA~1, which can also mean another directory',
  'other-machine': () =>
    'the path of the section is on another machine (UNC), and a drive letter can lead to the same directory',
  'no-drive': () => 'the path of the section has no drive letter',
  'dollar-in-pattern': () =>
    'the pattern of the section contains $, which matches nothing in 2.2 and the end of the path in 2.4',

  // The file
  'byte-order-mark': () => 'the file begins with a byte order mark, so requests get 500',
  'htaccess-included': () => 'the configuration also includes this file',
  'template-between': () => 'template code is between the access lines',
  'template-line': (line: string, place: string) =>
    `"${line}" (${place}) is a line of a template, and which lines the server reads is not known`,
  'no-directive': (line: string, place: string) =>
    `"${line}" (${place}) is no directive; perhaps the file is a template`,
  'unknown-directives': (named: readonly string[]) =>
    named.length === 1
      ? `${named[0]!} is not a directive of a known module, and it is not known whether it decides who has access`
      : `${named.join(', ')} are not directives of known modules, and it is not known whether they decide who has access`,
  misread: (line: string, path: string, how: Misreading) =>
    `"${line}" in ${path} is not what it seems: ${MISREADINGS[how]}`,

  // AllowOverride
  'override-unknown': () => 'it is not known which AllowOverride line applies to this directory',
  'override-without-limit': () =>
    'AllowOverride does not allow Limit in this directory, so requests also get 500 in 2.2',
  'override-without-authconfig': () =>
    'AllowOverride does not allow AuthConfig in this directory, so requests also get 500 in 2.2',
  'override-forbids-require': () =>
    'AllowOverride does not allow AuthConfig in this directory, and Require needs AuthConfig',

  // Other sections
  'inherits-different': () =>
    'the section inherits different access control for different requests, so no new lines are right for all of them',
  'too-many-sections': () => 'too many other sections may apply to the same requests',
  'not-proven': () => 'the program cannot prove that the new lines have the same effect',
  'beside-old-lines': (section: string) =>
    `${section} applies to the same requests and is not converted, so new Require lines here would count as lines of 2.2`,
  'beside-section': (section: string, cause: NotConverted): string =>
    `${section} applies to the same requests and is not converted, because ${reasonText(cause)}`,
  'together-with-section': (section: string, cause: NotConverted): string =>
    `these lines must be converted together with ${section}. ${section.replace(/^the /, 'The ')} is not converted, because ${reasonText(cause)}`,

  // Files that are read more than once
  'hosts-differ': (path: string) => `several virtual hosts read the file ${path}, and each needs different lines`,
  'links-differ': (path: string) =>
    `several directories have links to the file ${path}, and each place needs different lines`,
  'includes-differ': (path: string) =>
    `the configuration includes the file ${path} more than once, and each place needs different lines`,
  'configurations-differ': (path: string) =>
    `several configurations include ${path}, and it would need different Require lines in each`,

  // The configuration as a whole
  'rule-off': (rule: string) => `the rule ${rule} is switched off`,
  'kept-by-answer': (question: string) => `your answer to "${question}" keeps the old lines`,
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
