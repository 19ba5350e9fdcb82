/**
 * Finds the names in one line that connect it with other lines of a configuration: names that it
 * defines, uses and undefines. Go to definition, hovers, references and rename all use this reader.
 *
 * It reads one line alone. It does not know whether another line defines a name, nor what a macro's
 * argument or a variable inserts into a name: such a name is a pattern.
 */
import { sectionKind } from '../config/sections';
import { argumentTable, type Argument } from '../directives/values';
import { argumentsOf, logicalText, LineKind, type Line } from '../syntax/line';
import { Template } from '../syntax/template';
import { partOfText, placedWord, type PlacedText } from '../syntax/word-text';
import { cache } from '../syntax/memory';
import { argumentsExpectedAfter } from './arguments-at';
import type { DefinitionKind } from '../symbols/definitions';

/**
 * Kinds of names. `argument`: the value in a Define, or an argument of a Use. Through the variable
 * or the macro, it may become a name in another line. `parameter`: a macro's parameter whose name
 * looks like any other word. `opaque`: a whole line whose names are unknown: a line of another
 * language (`<Perl>`, a template), or one whose directive comes from a variable or a macro.
 */
export type NameKind =
  | Exclude<DefinitionKind, 'module-file' | 'address' | 'server-root'>
  | 'host'
  | 'host-pattern'
  | 'worker'
  | 'path'
  | 'health-expression'
  | 'health-template'
  | 'argument'
  | 'parameter'
  | 'opaque';

/** What a line does with a name. */
export type NameRole = 'define' | 'use' | 'remove';

/** One occurrence of a name. */
export interface Occurrence {
  /** The kind of the name. */
  readonly kind: NameKind;
  /**
   * The name as httpd reads it: a balancer with its `balancer://`, an environment variable without
   * the `REDIRECT_` of an internal redirect.
   */
  readonly name: string;
  /** What the line does with the name. */
  readonly role: NameRole;
  /** The part that a rename changes, which is the name alone: UTF-16 offsets in the line's text. */
  readonly start: number;
  readonly end: number;
  /** The name with its braces or `balancer://`: UTF-16 offsets in the text of the line. */
  readonly startWithMarks: number;
  readonly endWithMarks: number;
  /**
   * Whether part of the name is inserted later: `$x`, `${X}`, `%1`, a wildcard, template text. For
   * an argument: whether it is anything else than one word that may be a name.
   */
  readonly isPattern: boolean;
  /**
   * Whether a continuation splits the name, or it has an escape, so that its characters in the file
   * differ from the name.
   */
  readonly isSpelledDifferently: boolean;
  /** Whether the name is in a regular expression, where dots are escaped. */
  readonly isRegex: boolean;
  /** Whether the name is case-sensitive at this place, as in `<IfDefine>`. */
  readonly isCaseSensitive: boolean;
}

/**
 * All occurrences of names in a line, in no particular order; none for comments and empty lines. A
 * line with template text also has an occurrence that is the whole line.
 */
export function namesInLine(line: Line): readonly Occurrence[] {
  if (line.template !== Template.None) {
    // The template may insert any name into the line.
    const foreignOccurrence = foreignText(line);
    return [
      ...(foreignOccurrence ? [foreignOccurrence] : NO_OCCURRENCES),
      ...(mayHaveNames(line) ? namesFromReader(line) : NO_OCCURRENCES),
    ];
  }
  if (hasInsertedName(line)) return [foreignText(line)!, ...namesFromReader(line)];
  return mayHaveNames(line) ? namesFromReader(line) : NO_OCCURRENCES;
}

/**
 * The names that the reader of the directive finds, and those that can be in any line, such as
 * `${X}`.
 */
function namesFromReader(line: Line): readonly Occurrence[] {
  const reader = (line.kind === LineKind.Open ? READER_OF_SECTION : READER_OF_DIRECTIVE).get(line.name);
  const mayHaveInnerNames = MAY_HAVE_NAMES.test(line.isJoined ? logicalText(line).text : line.text);
  if (!reader && !mayHaveInnerNames) return NO_OCCURRENCES;
  const occurrences: Occurrence[] = [];
  const addOccurrence: AddOccurrence = (kind, role, text, options) => {
    const occurrence = occurrenceOf(line, kind, role, text, options);
    if (occurrence) occurrences.push(occurrence);
  };
  if (reader && (line.name !== 'rewriterule' || line.isJoined || SETTING_FLAG.test(line.text)))
    reader(
      argumentsOf(line).map((word) => placedWord(line, word)),
      addOccurrence,
      line,
    );
  if (mayHaveInnerNames) addNamesInside(line, addOccurrence);
  return occurrences.length === 0 ? NO_OCCURRENCES : occurrences;
}

/** Whether the name of the directive is inserted later: `$directive a b`, `${DIRECTIVE} a b`. */
function hasInsertedName({ kind, name }: Line): boolean {
  return kind === LineKind.Directive && CHARACTERS_OF_INSERTED_NAME.test(name);
}

/** The arguments of a line that are paths of files, including those of Include lines. */
export function pathsInLine(line: Line): readonly Occurrence[] {
  const pathArguments = mayHaveNames(line) ? pathArgumentsOf(line.name, line.kind === LineKind.Open) : null;
  if (pathArguments === null) return NO_OCCURRENCES;
  const occurrences: Occurrence[] = [];
  addPaths(
    line.name,
    pathArguments,
    argumentsOf(line).map((word) => placedWord(line, word)),
    (kind, role, text, options) => {
      const occurrence = occurrenceOf(line, kind, role, text, options);
      if (occurrence) occurrences.push(occurrence);
    },
  );
  return occurrences;
}

/** A name that a line can define, with its place in a line. */
export interface PlacedName {
  readonly kind: DefinitionKind;
  readonly name: string;
  /** UTF-16 offsets in the line. */
  readonly start: number;
  readonly end: number;
}

/**
 * The name at a UTF-16 offset in the line, if lines can define names of its kind; otherwise null.
 */
export function nameAt(line: Line, offsetInLine: number): PlacedName | null {
  const occurrence = occurrenceAt(
    line,
    offsetInLine,
    ({ kind, name }) => DEFINABLE_KINDS.has(kind) && !name.includes('${'),
  );
  return (
    occurrence && {
      kind: occurrence.kind as DefinitionKind,
      name: occurrence.name,
      start: occurrence.kind === 'balancer' ? occurrence.startWithMarks : occurrence.start,
      end: occurrence.end,
    }
  );
}

/**
 * The innermost name at a UTF-16 offset in the line, braces included; null if there is none. Only
 * occurrences for which `isConsidered` returns true count.
 */
export function occurrenceAt(
  line: Line,
  offsetInLine: number,
  isConsidered: (occurrence: Occurrence) => boolean,
): Occurrence | null {
  if ((line.kind !== LineKind.Directive && line.kind !== LineKind.Open) || offsetInLine <= line.nameEnd) return null;
  let shortestOccurrence: Occurrence | null = null;
  for (const each of namesInLine(line)) {
    if (offsetInLine < each.startWithMarks || offsetInLine > each.endWithMarks || !isConsidered(each)) continue;
    if (
      !shortestOccurrence ||
      each.endWithMarks - each.startWithMarks < shortestOccurrence.endWithMarks - shortestOccurrence.startWithMarks
    )
      shortestOccurrence = each;
  }
  return shortestOccurrence;
}

/** Kinds of names that lines can define, so that a definition can be shown. */
const DEFINABLE_KINDS: ReadonlySet<NameKind> = new Set<NameKind>([
  'variable',
  'environment',
  'balancer',
  'macro',
  'authn-provider',
  'authz-provider',
  'log-format',
  'rewrite-map',
  'filter',
]);

/**
 * The text of a line of `<Perl>` or of a template as one occurrence of kind `opaque`, because it
 * may contain any name. Null for an empty line.
 */
export function foreignText(line: Line): Occurrence | null {
  if (line.kind === LineKind.Blank) return null;
  const contentLength = line.text.trimEnd().length;
  return {
    kind: 'opaque',
    name: line.text.slice(0, contentLength),
    role: 'use',
    start: 0,
    end: contentLength,
    startWithMarks: 0,
    endWithMarks: contentLength,
    isPattern: true,
    isSpelledDifferently: false,
    isRegex: false,
    isCaseSensitive: false,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** What a reader knows about an occurrence besides its text. */
interface OccurrenceOptions {
  readonly isPattern?: boolean;
  readonly isRegex?: boolean;
  readonly isCaseSensitive?: boolean;
  /** The number of UTF-16 units of the value before the part that a rename changes. */
  readonly leadLength?: number;
  /** The name, if it differs from the text after `leadLength`. */
  readonly name?: string;
  /** The name with the text around it that belongs to it, such as braces. */
  readonly outerText?: PlacedText;
}

type AddOccurrence = (kind: NameKind, role: NameRole, text: PlacedText, options?: OccurrenceOptions) => void;
/** Adds the names in the words of a line. `words`: the arguments of the directive or section. */
type NameReader = (words: readonly PlacedText[], addOccurrence: AddOccurrence, line: Line) => void;

const NO_OCCURRENCES: readonly Occurrence[] = [];

/** Matches texts that may contain names in any line: see `NAME_PATTERNS`. */
const MAY_HAVE_NAMES = /[$%]\{|}[e=!]|:\/\/|env[=(]|hc(?:expr|template)=/i;

/**
 * Matches flags that set a variable, handler or type. A fast check, because most rewrite rules have
 * none of these flags.
 */
const SETTING_FLAG = /[[,]\s*(?:e|env|h|handler|t|type)=/i;

function mayHaveNames({ kind, template }: Line): boolean {
  return (kind === LineKind.Directive || kind === LineKind.Open) && template !== Template.Structure;
}

/** Matches a parameter of a macro, a variable, a back-reference, or a placeholder of a template. */
const INSERTED_TEXT = /\$[\w{(]|%[\w{(]|@\w|\{\{|<%|\[%/;

/** Matches characters that no directive's name has, so that the name is inserted later. */
export const CHARACTERS_OF_INSERTED_NAME = /[$%@{]/;

/** Matches an argument that can be one name: it has no inserted text and no wildcards. */
const POSSIBLE_NAME = /^[\p{L}_\d][\p{L}\p{N}_.-]*$/u;

/** Kinds whose names may have wildcards. */
const KINDS_WITH_WILDCARDS: ReadonlySet<NameKind> = new Set<NameKind>(['balancer', 'host']);

/**
 * Makes an occurrence from the text of a name; null if nothing is left after `leadLength` units.
 */
function occurrenceOf(
  line: Line,
  kind: NameKind,
  role: NameRole,
  text: PlacedText,
  { isPattern, isRegex = false, isCaseSensitive = false, leadLength = 0, name, outerText }: OccurrenceOptions = {},
): Occurrence | null {
  const { value } = text;
  if (value.length <= leadLength) return null;
  const nameStart = text.lineOffsetOf(leadLength);
  const nameEnd = text.lineEndOf(value.length);
  const enclosingText = outerText ?? text;
  return {
    kind,
    name: name ?? value,
    role,
    start: nameStart,
    end: nameEnd,
    startWithMarks: Math.min(nameStart, enclosingText.lineOffsetOf(0)),
    endWithMarks: Math.max(nameEnd, enclosingText.lineEndOf(enclosingText.value.length)),
    isPattern:
      isPattern ??
      ((kind === 'argument'
        ? !POSSIBLE_NAME.test(value)
        : kind === 'parameter'
          ? true
          : kind !== 'path' && (INSERTED_TEXT.test(value) || (KINDS_WITH_WILDCARDS.has(kind) && /[*?]/.test(value)))) ||
        (line.template !== Template.None && /[{<@[%]/.test(value))),
    isSpelledDifferently: line.text.slice(nameStart, nameEnd) !== value.slice(leadLength),
    isRegex,
    isCaseSensitive,
  };
}

// ---- By directive ----

/** Returns a reader for one word that is a name: the word at `index`. */
const wordReader =
  (kind: NameKind, role: NameRole, index = 0): NameReader =>
  (words, addOccurrence) => {
    if (index < words.length) addOccurrence(kind, role, words[index]!);
  };

/** Returns a reader for lines in which each word from `firstIndex` on is a name. */
const everyWordReader =
  (kind: NameKind, role: NameRole, firstIndex = 0): NameReader =>
  (words, addOccurrence) => {
    for (const each of words.slice(firstIndex)) addOccurrence(kind, role, each);
  };

/** Adds the filters in `filter;filter`. In a FilterChain, each filter may have a sign before it. */
function addFilters(text: PlacedText, addOccurrence: AddOccurrence, role: NameRole = 'use'): void {
  for (const match of text.value.matchAll(/[^;]+/g)) {
    const signLength = /^[+=\-@!]/.test(match[0]) ? 1 : 0;
    addOccurrence('filter', role, partOfText(text, match.index + signLength, match.index + match[0].length));
  }
}

/** Adds the variable in `VAR`, `VAR=value` or `!VAR`, as in SetEnvIf. */
function addSetting(text: PlacedText, addOccurrence: AddOccurrence): void {
  const isRemoved = text.value.startsWith('!');
  const equalsIndex = text.value.indexOf('=');
  addEnvironmentVariable(
    isRemoved ? 'remove' : 'define',
    partOfText(text, isRemoved ? 1 : 0, !isRemoved && equalsIndex >= 0 ? equalsIndex : text.value.length),
    addOccurrence,
  );
}

/**
 * Adds an environment variable. An internal redirect puts REDIRECT_ before its name
 * (ap_internal_redirect in modules/http/http_request.c).
 */
function addEnvironmentVariable(
  role: NameRole,
  text: PlacedText,
  addOccurrence: AddOccurrence,
  outerText?: PlacedText,
): void {
  const leadLength = /^(?:REDIRECT_)*/.exec(text.value)![0].length;
  const variableName = text.value.slice(leadLength);
  if (variableName !== '') addOccurrence('environment', role, text, { leadLength, name: variableName, outerText });
}

/**
 * Returns a reader for lines in which each word from `firstIndex` on sets an environment variable.
 */
const settingsReader =
  (firstIndex: number): NameReader =>
  (words, addOccurrence) => {
    for (const each of words.slice(firstIndex)) addSetting(each, addOccurrence);
  };

/** Adds the backend `scheme://host:port` as a proxy worker. */
function addWorkers(words: readonly PlacedText[], addOccurrence: AddOccurrence): void {
  for (const text of words) {
    const backendMatch = /^(?:https?|h2c?|ajp|fcgi|s?cgi|uwsgi|wss?|ftp):\/\/[^/\s$%|?]+/i.exec(text.value);
    if (backendMatch)
      addOccurrence('worker', 'use', partOfText(text, 0, backendMatch[0].length), {
        name: backendMatch[0].toLowerCase(),
      });
  }
}

/** Adds the host in `name` or `http://name:80`, as in ServerName. */
function addHost(text: PlacedText, addOccurrence: AddOccurrence, role: NameRole = 'define'): void {
  const hostMatch = /^(?:https?:\/\/)?([^:/\s]+)/i.exec(text.value);
  if (hostMatch)
    addOccurrence('host', role, partOfText(text, hostMatch[0].length - hostMatch[1]!.length, hostMatch[0].length));
}

/** Reads the words after the first one as arguments. */
const argumentsReader: NameReader = (words, addOccurrence) => {
  for (const each of words.slice(1)) addOccurrence('argument', 'use', each);
};

/**
 * The readers of directives, by name in lower case. Lines of other directives have only the names
 * that `NAME_PATTERNS` finds.
 */
const READER_OF_DIRECTIVE: ReadonlyMap<string, NameReader> = new Map<string, NameReader>([
  [
    'define',
    (words, addOccurrence) => {
      wordReader('variable', 'define')(words, addOccurrence, NO_LINE);
      argumentsReader(words.slice(0, 2), addOccurrence, NO_LINE);
    },
  ],
  ['undefine', wordReader('variable', 'remove')],
  [
    'use',
    (words, addOccurrence) => {
      wordReader('macro', 'use')(words, addOccurrence, NO_LINE);
      argumentsReader(words, addOccurrence, NO_LINE);
    },
  ],
  ['undefmacro', wordReader('macro', 'remove')],
  [
    'logformat',
    (words, addOccurrence) => {
      if (words.length > 1) addOccurrence('log-format', 'define', words[1]!);
      // The format of TransferLog may be a nickname (open_multi_logs in
      // modules/loggers/mod_log_config.c).
      else if (words.length === 1 && !words[0]!.value.includes('%')) addOccurrence('log-format', 'use', words[0]!);
    },
  ],
  ...['customlog', 'globallog'].map((name): [string, NameReader] => [
    name,
    (words, addOccurrence) => {
      if (words.length > 1 && !words[1]!.value.includes('%')) addOccurrence('log-format', 'use', words[1]!);
    },
  ]),
  ['rewritemap', wordReader('rewrite-map', 'define')],
  [
    'rewriterule',
    (words, addOccurrence) => {
      if (words.length < 3) return;
      const flags = words[2]!;
      for (const match of flags.value.matchAll(
        /([[,]\s*)(?:(E|env)=(!?)([^:,\]=]+)|(H|handler)=([^,\]\s]+)|(T|type)=([^,\]\s]+))/gi,
      )) {
        const nameInFlag = (match[4] ?? match[6] ?? match[8])!;
        const flagEnd = match.index + match[0].length;
        const placedName = partOfText(flags, flagEnd - nameInFlag.length, flagEnd);
        if (match[4] !== undefined)
          addEnvironmentVariable(match[3] === '!' ? 'remove' : 'define', placedName, addOccurrence);
        else addOccurrence(match[6] !== undefined ? 'handler' : 'mime-type', 'use', placedName);
      }
    },
  ],
  [
    'rewritecond',
    (words, addOccurrence) => {
      if (words.length > 1 && /%\{(?:HTTP_HOST|SERVER_NAME)\}/i.test(words[0]!.value))
        addHostOfCondition(words[1]!, addOccurrence);
    },
  ],
  [
    'setenv',
    (words, addOccurrence) => {
      if (words.length > 0) addEnvironmentVariable('define', words[0]!, addOccurrence);
    },
  ],
  ['passenv', everyWordReader('environment', 'define')],
  ['unsetenv', everyWordReader('environment', 'remove')],
  ...['setenvif', 'setenvifnocase'].map((name): [string, NameReader] => [
    name,
    (words, addOccurrence) => {
      // If the first word is no header, it is the name of a variable (match_headers in
      // modules/metadata/mod_setenvif.c).
      if (words.length > 2 && /^\w+$/.test(words[0]!.value) && !SETENVIF_ATTRIBUTES.has(words[0]!.value.toLowerCase()))
        addEnvironmentVariable('use', words[0]!, addOccurrence);
      if (words.length > 2 && words[0]!.value.toLowerCase() === 'host')
        addHostOfCondition(words[1]!, addOccurrence, true);
      settingsReader(2)(words, addOccurrence, NO_LINE);
    },
  ]),
  ['setenvifexpr', settingsReader(1)],
  ['browsermatch', settingsReader(1)],
  ['browsermatchnocase', settingsReader(1)],
  [
    'require',
    (words, addOccurrence) => {
      const providerIndex = words[0]?.value.toLowerCase() === 'not' ? 1 : 0;
      if (providerIndex >= words.length) return;
      addOccurrence('authz-provider', 'use', words[providerIndex]!);
      if (words[providerIndex]!.value.toLowerCase() === 'env')
        for (const each of words.slice(providerIndex + 1)) addEnvironmentVariable('use', each, addOccurrence);
    },
  ],
  ...['authbasicprovider', 'authdigestprovider', 'authformprovider', 'authncacheprovidefor'].map(
    (name): [string, NameReader] => [name, everyWordReader('authn-provider', 'use')],
  ),
  [
    'authnzfcgidefineprovider',
    (words, addOccurrence) => {
      if (words.length < 2) return;
      const type = words[0]!.value.toLowerCase();
      if (type.startsWith('authn')) addOccurrence('authn-provider', 'define', words[1]!);
      if (type === 'authz' || type === 'authnz') addOccurrence('authz-provider', 'define', words[1]!);
    },
  ],
  ['authnzfcgicheckauthnprovider', wordReader('authn-provider', 'use')],
  ['luaauthzprovider', wordReader('authz-provider', 'define')],
  ['perladdauthzprovider', wordReader('authz-provider', 'define')],
  [
    'extfilterdefine',
    (words, addOccurrence) => {
      wordReader('filter', 'define')(words, addOccurrence, NO_LINE);
      for (const each of words.slice(1)) {
        const environmentKey = /^(?:enableenv|disableenv)=/i.exec(each.value);
        if (environmentKey) addEnvironmentVariable('use', partOfText(each, environmentKey[0].length), addOccurrence);
      }
    },
  ],
  ['luaoutputfilter', wordReader('filter', 'define')],
  ['luainputfilter', wordReader('filter', 'define')],
  ['filterdeclare', wordReader('filter', 'define')],
  [
    'filterprovider',
    (words, addOccurrence) => {
      wordReader('filter', 'define')(words, addOccurrence, NO_LINE);
      wordReader('filter', 'use', 1)(words, addOccurrence, NO_LINE);
    },
  ],
  [
    'filterprotocol',
    (words, addOccurrence) => {
      wordReader('filter', 'use')(words, addOccurrence, NO_LINE);
      // With two words, the second one is the type of the filter; with three, it is a provider.
      if (words.length > 2) addOccurrence('filter', 'use', words[1]!);
    },
  ],
  ['filtertrace', wordReader('filter', 'use')],
  ['filterchain', (words, addOccurrence) => words.forEach((each) => addFilters(each, addOccurrence))],
  ...['setoutputfilter', 'setinputfilter', 'addoutputfilter', 'addinputfilter'].map((name): [string, NameReader] => [
    name,
    (words, addOccurrence) => {
      if (words.length > 0) addFilters(words[0]!, addOccurrence);
    },
  ]),
  [
    'addoutputfilterbytype',
    (words, addOccurrence) => {
      if (words.length > 0) addFilters(words[0]!, addOccurrence);
      everyWordReader('mime-type', 'use', 1)(words, addOccurrence, NO_LINE);
    },
  ],
  ['addhandler', wordReader('handler', 'use')],
  [
    'sethandler',
    (words, addOccurrence) => {
      if (words.length > 0 && /^[\w.-]+$/.test(words[0]!.value) && words[0]!.value.toLowerCase() !== 'none')
        addOccurrence('handler', 'use', words[0]!);
      else if (words.length > 0 && INSERTED_TEXT.test(words[0]!.value)) addOccurrence('handler', 'use', words[0]!);
    },
  ],
  [
    'action',
    (words, addOccurrence) => {
      if (words.length > 0) addOccurrence(words[0]!.value.includes('/') ? 'mime-type' : 'handler', 'define', words[0]!);
    },
  ],
  ['addtype', wordReader('mime-type', 'define')],
  ['forcetype', wordReader('mime-type', 'use')],
  ['defaulttype', wordReader('mime-type', 'use')],
  ['expiresbytype', wordReader('mime-type', 'use')],
  [
    'servername',
    (words, addOccurrence) => {
      if (words.length > 0) addHost(words[0]!, addOccurrence);
    },
  ],
  ['serveralias', (words, addOccurrence) => words.forEach((each) => addHost(each, addOccurrence))],
  ['mdomain', (words, addOccurrence) => words.forEach((each) => addHost(each, addOccurrence, 'use'))],
  ['balancermember', addWorkers],
  ['proxypass', addWorkers],
  ['proxypassmatch', addWorkers],
  ['proxypassreverse', addWorkers],
  ['proxyset', addWorkers],
  ['loadmodule', wordReader('module', 'define')],
  ['proxyhcexpr', wordReader('health-expression', 'define')],
  ['proxyhctemplate', wordReader('health-template', 'define')],
]);

/** The readers of open tags, by name in lower case. */
const READER_OF_SECTION: ReadonlyMap<string, NameReader> = new Map<string, NameReader>([
  [
    'macro',
    (words, addOccurrence) => {
      wordReader('macro', 'define')(words, addOccurrence, NO_LINE);
      for (const each of words.slice(1)) if (!/^[$%@]/.test(each.value)) addOccurrence('parameter', 'define', each);
    },
  ],
  [
    'ifdefine',
    (words, addOccurrence) => {
      if (words.length === 0) return;
      addOccurrence('variable', 'use', partOfText(words[0]!, words[0]!.value.startsWith('!') ? 1 : 0), {
        isCaseSensitive: true,
      });
    },
  ],
  [
    'ifmodule',
    (words, addOccurrence) => {
      if (words.length > 0)
        addOccurrence('module', 'use', partOfText(words[0]!, words[0]!.value.startsWith('!') ? 1 : 0));
    },
  ],
  [
    'authnprovideralias',
    (words, addOccurrence) => {
      wordReader('authn-provider', 'use')(words, addOccurrence, NO_LINE);
      wordReader('authn-provider', 'define', 1)(words, addOccurrence, NO_LINE);
    },
  ],
  [
    'authzprovideralias',
    (words, addOccurrence) => {
      wordReader('authz-provider', 'use')(words, addOccurrence, NO_LINE);
      wordReader('authz-provider', 'define', 1)(words, addOccurrence, NO_LINE);
    },
  ],
  ['proxy', addWorkers],
  ['mdomainset', (words, addOccurrence) => words.forEach((each) => addHost(each, addOccurrence, 'use'))],
]);

/** A placeholder for readers that do not use the line. */
const NO_LINE = undefined as unknown as Line;

/**
 * Words in SetEnvIf that are not variables: its own attributes, and headers that every client
 * sends.
 */
const SETENVIF_ATTRIBUTES: ReadonlySet<string> = new Set([
  'remote_host',
  'remote_addr',
  'server_addr',
  'request_method',
  'request_protocol',
  'request_uri',
  'host',
  'referer',
  'cookie',
  'accept',
  'authorization',
  'origin',
  'range',
  'via',
  'connection',
]);

/**
 * Adds the host name in a regular expression, or in `=name`, that a condition compares with the
 * host.
 */
function addHostOfCondition(text: PlacedText, addOccurrence: AddOccurrence, isPlainName = false): void {
  const { value } = text;
  const matchOfLiteral = isPlainName ? null : /^!?=(.+)$/.exec(value);
  if (matchOfLiteral) return addOccurrence('host', 'use', partOfText(text, value.length - matchOfLiteral[1]!.length));
  // `^www\.example\.org$` is a name, optionally with a port. Other expressions are patterns.
  const namePattern = /^!?\^((?:[\w-]|\\\.)+)(?:\(?:?:?\\?d?[+*]?\)?\??)?\$?$/.exec(value);
  if (namePattern && value.endsWith('$')) {
    const hostStart = value.indexOf('^') + 1;
    return addOccurrence('host', 'use', partOfText(text, hostStart, hostStart + namePattern[1]!.length), {
      name: namePattern[1]!.replaceAll('\\.', '.'),
      isRegex: true,
      isPattern: false,
    });
  }
  addOccurrence('host-pattern', 'use', partOfText(text, value.startsWith('!') ? 1 : 0), { isPattern: true });
}

// ---- Paths ----

/**
 * Which arguments of a directive are paths: the index of the only path; null if no argument is a
 * path. `table` if this depends on the words of the line (see `addPathsOfTable`).
 */
type PathArguments = number | 'table' | null;

const cachedPathArguments = cache<string, PathArguments>();

/** The cached result of `findPathArguments`. */
function pathArgumentsOf(name: string, isSection: boolean): PathArguments {
  const directiveKey = isSection ? `<${name}` : name;
  let cachedArguments = cachedPathArguments.get(directiveKey);
  if (cachedArguments === undefined) {
    cachedArguments = findPathArguments(name, isSection);
    if (cachedPathArguments.size > MAX_CACHED_NAMES) cachedPathArguments.clear();
    cachedPathArguments.set(directiveKey, cachedArguments);
  }
  return cachedArguments;
}

/** Limit for the cached names. A file that is no configuration has as many names as lines. */
const MAX_CACHED_NAMES = 2000;

const PATH_KINDS = new Set(['file', 'folder', 'path']);

/** Finds out which arguments of a directive or section are paths. */
function findPathArguments(name: string, isSection: boolean): PathArguments {
  if (isSection) return name === 'directory' || name === 'iffile' ? 0 : null;
  if (name === 'loadmodule') return 1;
  if (name === 'loadfile' || name === 'include' || name === 'includeoptional') return 0;
  const table = argumentTable(name);
  if (!table) return null;
  const forms = table.forms ?? [table.arguments];
  if (!forms.some((form) => form.some(isPath))) return null;
  const form = forms[0]!;
  const firstPathIndex = form.findIndex(isPath);
  const isPathAtFixedIndex =
    forms.length === 1 &&
    form.filter(isPath).length === 1 &&
    !form[firstPathIndex]!.repeats &&
    form.slice(0, firstPathIndex).every(({ optional, repeats }) => !optional && !repeats);
  return isPathAtFixedIndex ? firstPathIndex : 'table';
}

function isPath(argument: Argument): boolean {
  return argument.kinds.some((kind) => PATH_KINDS.has(kind)) || argument.choices?.some(isPath) === true;
}

/** Adds the paths of a line. `name`: the directive. */
function addPaths(
  name: string,
  pathArguments: Exclude<PathArguments, null>,
  words: readonly PlacedText[],
  addOccurrence: AddOccurrence,
): void {
  if (pathArguments === 'table') {
    addPathsOfTable(name, words, addOccurrence);
  } else if (pathArguments < words.length) addPath(words[pathArguments]!, addOccurrence);
}

/**
 * Adds the paths of `Alias`, and of directives with several forms. A word that may be a path or
 * something else, such as a URL, counts as a path only if it is the last word.
 */
function addPathsOfTable(name: string, words: readonly PlacedText[], addOccurrence: AddOccurrence): void {
  const table = argumentTable(name)!;
  const wordValues = words.map(({ value }) => value);
  words.forEach((text, index) => {
    const expectedArguments = argumentsExpectedAfter(table, wordValues.slice(0, index)).map(({ argument }) => argument);
    const isLastWord = index === words.length - 1;
    if (expectedArguments.some(isPath) && (isLastWord || expectedArguments.every(isPath))) addPath(text, addOccurrence);
  });
}

/**
 * Adds a path, without a prefix such as `txt:`. Words that cannot be a path, such as `|program`,
 * are left out.
 */
function addPath(text: PlacedText, addOccurrence: AddOccurrence): void {
  const { value } = text;
  if (value === '' || value.startsWith('|') || /^(?:syslog\b|[!~]?$|balancer:)/.test(value)) return;
  // The prefix before a path: `txt:/etc/httpd/map`, `!file` of <IfFile>, `prg:/usr/bin/x`. A single
  // letter before the colon is a drive, not a prefix.
  const prefixLength = /^(?:!|(?:txt|rnd|prg|dbm|dbm=\w+|exec):)?/.exec(value)![0].length;
  if (value.length > prefixLength) addOccurrence('path', 'use', partOfText(text, prefixLength));
}

// ---- Names recognizable by the text around them ----

/** A pattern for names that the text around them shows, whatever the directive is. */
interface NamePattern {
  readonly kind: NameKind;
  /** Matches the name and the text around it; the first group is the name. */
  readonly pattern: RegExp;
  /** A text that every match contains. */
  readonly requiredText: string;
  /** Matches the directives that may have such names; undefined for all directives. */
  readonly directives?: RegExp;
}

/** The patterns, in the order in which they are tried. A line may match several. */
const NAME_PATTERNS: readonly NamePattern[] = [
  { requiredText: '${', kind: 'rewrite-map', pattern: /\$\{([^}:\s$]+):/dg, directives: /^rewrite(rule|cond)$/ },
  // As ap_resolve_env in server/core.c: from `${` to the next brace, whatever is between them. The
  // pattern runs only on a line with a closing brace: many unclosed `${` would make it slow.
  { requiredText: '}', kind: 'variable', pattern: /\$\{([^}:]+)\}/dg },
  { requiredText: '://', kind: 'balancer', pattern: /(balancer:\/\/[^\s"'/,|\]>]+)/dgi },
  {
    requiredText: '}e',
    kind: 'environment',
    pattern: /%[\d,!<>]*\{([^}:\s]+)\}e/dg,
    directives: /^(logformat|customlog|globallog|transferlog|errorlogformat|header|requestheader)$/,
  },
  { requiredText: '}', kind: 'environment', pattern: /%\{(?:ENV|env|reqenv):([^}\s]+)\}/dg },
  { requiredText: '(', kind: 'environment', pattern: /\b(?:reqenv|env)\(\s*['"]([^'"]+)['"]/dg },
  {
    requiredText: 'env=',
    kind: 'environment',
    pattern: /\benv=!?([^\s"'=,\]]+)/dg,
    directives: /^(customlog|globallog|allow|deny|header|requestheader)$/,
  },
  { requiredText: '=', kind: 'health-expression', pattern: /\bhcexpr=([^\s"']+)/dgi },
  { requiredText: '=', kind: 'health-template', pattern: /\bhctemplate=([^\s"']+)/dgi },
  {
    requiredText: '://',
    kind: 'host',
    pattern: /\bhttps?:\/\/([A-Za-z0-9][\w.-]*)/dg,
    directives:
      /^(redirect|redirectmatch|redirectpermanent|redirecttemp|rewriterule|proxypassreverse|proxypassreversecookiedomain|header|errordocument)$/,
  },
  {
    requiredText: '%{',
    kind: 'host',
    pattern: /%\{(?:HTTP_HOST|SERVER_NAME)\}\s*(?:==|!=|=|-eq|-strmatch|-strcmatch)\s*['"]([\w.-]+)['"]/dgi,
  },
  {
    requiredText: '%{',
    kind: 'host-pattern',
    pattern: /%\{(?:HTTP_HOST|SERVER_NAME)\}\s*[=!]~\s*(?:m?([#/|]).*?\1|(['"]).*?\2)/dgi,
  },
  { requiredText: '%{', kind: 'handler', pattern: /%\{HANDLER\}\s*(?:==|!=|=|-eq)\s*['"]([\w.-]+)['"]/dgi },
];

/** Adds the names that `NAME_PATTERNS` finds in the text of a line. */
function addNamesInside(line: Line, addOccurrence: AddOccurrence): void {
  let lineText: PlacedText | null = line.isJoined ? wholeText(line) : null;
  for (const { kind, pattern, requiredText, directives } of NAME_PATTERNS) {
    if (!(lineText?.value ?? line.text).includes(requiredText) || (directives && !directives.test(line.name))) continue;
    lineText ??= wholeText(line);
    // `matchAll` would copy the pattern for each line, so `exec` is used.
    pattern.lastIndex = 0;
    for (let match = pattern.exec(lineText.value); match; match = pattern.exec(lineText.value))
      addMatchedName(line, kind, lineText, match, addOccurrence);
  }
}

/** Adds the name of one match. `text`: the text of the line in which the pattern was searched. */
function addMatchedName(
  line: Line,
  kind: NameKind,
  text: PlacedText,
  match: RegExpExecArray,
  addOccurrence: AddOccurrence,
): void {
  const outerText = partOfText(text, match.index, match.index + match[0].length);
  if (kind === 'host-pattern')
    return addOccurrence(kind, 'use', outerText, { isPattern: true, name: regexBetweenDelimiters(match[0]) });
  const [start, end] = match.indices![1]!;
  const placedName = partOfText(text, start, end);
  if (kind === 'balancer') addBalancer(line, placedName, addOccurrence);
  else if (kind === 'environment') addEnvironmentVariable('use', placedName, addOccurrence, outerText);
  else addOccurrence(kind, 'use', placedName, { outerText });
}

/** Adds a balancer. A `<Proxy>` section defines it; all other lines use it. */
function addBalancer(line: Line, text: PlacedText, addOccurrence: AddOccurrence): void {
  const isDefined = line.kind === LineKind.Open && line.name === 'proxy';
  const isPattern = line.name === 'proxymatch' || INSERTED_TEXT.test(text.value) || /[\\^$()*?]/.test(text.value);
  addOccurrence('balancer', isDefined ? 'define' : 'use', text, {
    leadLength: BALANCER_PREFIX.length,
    isPattern,
    name: `${BALANCER_PREFIX}${text.value.slice(BALANCER_PREFIX.length)}`,
  });
}

const BALANCER_PREFIX = 'balancer://';

/** The expression between the delimiters in `=~ m#…#`. */
function regexBetweenDelimiters(text: string): string {
  const regexMatch = /[=!]~\s*m?(['"#/|])(.*)\1$/s.exec(text);
  return regexMatch ? regexMatch[2]! : text;
}

/** The logical text of a line as a placed text, without the line end. */
function wholeText(line: Line): PlacedText {
  const logicalLine = logicalText(line);
  return {
    value: logicalLine.text,
    lineOffsetOf: (offset) => logicalLine.lineOffsetOf(offset),
    lineEndOf: (offset) => (offset === 0 ? logicalLine.lineOffsetOf(0) : logicalLine.lineOffsetOf(offset - 1) + 1),
    valueOffsetOf: (offset) => offset,
  };
}

/** Whether the body of a section is text of another language. */
export function hasForeignText(name: string): boolean {
  return sectionKind(name) === 'opaque';
}
