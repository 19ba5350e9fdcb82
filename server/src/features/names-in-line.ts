/**
 * The names in one line that connect lines of a configuration: what it defines, uses and undefines.
 * The only reader for go to definition, hovers, references and rename.
 *
 * It reads the line alone. It does not know whether another line defines a name, nor what a macro's
 * argument or a variable inserts into one: such a name is a pattern.
 */
import { sectionKind } from '../config/sections';
import { argumentTable, type Argument } from '../directives/values';
import { argumentsOf, logicalText, LineKind, type Line } from '../syntax/line';
import { Template } from '../syntax/template';
import { part, placedWord, type PlacedText } from '../syntax/word-text';
import { cache } from '../syntax/memory';
import { expectedAfter } from './arguments-at';
import type { DefinitionKind } from '../symbols/definitions';

/**
 * `argument` is a value that a Define or a Use passes on; `parameter` one of a macro whose name
 * looks like any other word; `opaque` is a line of another language (`<Perl>`, a template's), or
 * one whose directive is inserted later.
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

export type Role = 'define' | 'use' | 'remove';

/** One occurrence of a name. */
export interface Occurrence {
  readonly kind: NameKind;
  /**
   * As httpd reads it: a balancer with its `balancer://`, a variable of the environment without the
   * `REDIRECT_` of an internal redirect.
   */
  readonly name: string;
  readonly role: Role;
  /** Offsets in the line's text (UTF-16) of the part that a rename changes: the name alone. */
  readonly start: number;
  readonly end: number;
  /** Start and end with the surrounding braces or `balancer://`. */
  readonly from: number;
  readonly to: number;
  /**
   * Part of the name is inserted later: `$x`, `${X}`, `%1`, a wildcard, template text. For an
   * argument: it is more than one word that may be a name.
   */
  readonly isPattern: boolean;
  /**
   * A continuation splits it, or it has an escape: its characters in the file differ from its name.
   */
  readonly isBroken: boolean;
  /** Whether the name is in a regular expression, where dots are escaped. */
  readonly isRegex: boolean;
  /** Whether the name is case-sensitive here (`<IfDefine>`). */
  readonly isExact: boolean;
}

/**
 * All occurrences, in no particular order; none for comments and empty lines. A line with template
 * text is one occurrence as a whole, too.
 */
export function namesInLine(line: Line): readonly Occurrence[] {
  if (line.template !== Template.None) {
    // The template may insert any name into the line.
    const text = opaqueText(line);
    return [...(text ? [text] : NONE), ...(mayHaveNames(line) ? namesRead(line) : NONE)];
  }
  if (isPutIn(line)) return [opaqueText(line)!, ...namesRead(line)];
  return mayHaveNames(line) ? namesRead(line) : NONE;
}

function namesRead(line: Line): readonly Occurrence[] {
  const reader = (line.kind === LineKind.Open ? SECTIONS : READERS).get(line.name);
  const mayHave = TELLTALE.test(line.isJoined ? logicalText(line).text : line.text);
  if (!reader && !mayHave) return NONE;
  const occurrences: Occurrence[] = [];
  const put: Put = (kind, role, text, options) => {
    const occurrence = occurrenceOf(line, kind, role, text, options);
    if (occurrence) occurrences.push(occurrence);
  };
  if (reader && (line.name !== 'rewriterule' || line.isJoined || FLAGGED.test(line.text)))
    reader(
      argumentsOf(line).map((word) => placedWord(line, word)),
      put,
      line,
    );
  if (mayHave) readInside(line, put);
  return occurrences.length === 0 ? NONE : occurrences;
}

/** Whether the directive itself is inserted later: `$directive a b`, `${DIRECTIVE} a b`. */
function isPutIn({ kind, name }: Line): boolean {
  return kind === LineKind.Directive && PUT_IN.test(name);
}

/** The arguments that are paths of files, including those of Include lines. */
export function pathsInLine(line: Line): readonly Occurrence[] {
  const pathArguments = mayHaveNames(line) ? pathsOf(line.name, line.kind === LineKind.Open) : null;
  if (pathArguments === null) return NONE;
  const occurrences: Occurrence[] = [];
  putPaths(
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

export interface PlacedName {
  readonly kind: DefinitionKind;
  readonly name: string;
  /** Offsets in the line (UTF-16). */
  readonly start: number;
  readonly end: number;
}

/**
 * The name at an offset in the line, of a kind that lines define and that is worth a jump; null if
 * there is none.
 */
export function nameAt(line: Line, within: number): PlacedName | null {
  const occurrence = occurrenceAt(line, within, ({ kind, name }) => LEADING.has(kind) && !name.includes('${'));
  return (
    occurrence && {
      kind: occurrence.kind as DefinitionKind,
      name: occurrence.name,
      start: occurrence.kind === 'balancer' ? occurrence.from : occurrence.start,
      end: occurrence.end,
    }
  );
}

/** The innermost name at an offset in the line, braces included; null if there is none. */
export function occurrenceAt(
  line: Line,
  within: number,
  counts: (occurrence: Occurrence) => boolean,
): Occurrence | null {
  if ((line.kind !== LineKind.Directive && line.kind !== LineKind.Open) || within <= line.nameEnd) return null;
  let best: Occurrence | null = null;
  for (const each of namesInLine(line)) {
    if (within < each.from || within > each.to || !counts(each)) continue;
    if (!best || each.to - each.from < best.to - best.from) best = each;
  }
  return best;
}

const LEADING: ReadonlySet<NameKind> = new Set<NameKind>([
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

/** A line of another language (`<Perl>`): its text unchanged. */
export function opaqueText(line: Line): Occurrence | null {
  if (line.kind === LineKind.Blank) return null;
  const end = line.text.trimEnd().length;
  return {
    kind: 'opaque',
    name: line.text.slice(0, end),
    role: 'use',
    start: 0,
    end,
    from: 0,
    to: end,
    isPattern: true,
    isBroken: false,
    isRegex: false,
    isExact: false,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

interface Options {
  readonly isPattern?: boolean;
  readonly isRegex?: boolean;
  readonly isExact?: boolean;
  /** UTF-16 units of the value before the part that a rename changes. */
  readonly lead?: number;
  /** The name, if it is not the text after the lead. */
  readonly name?: string;
  /** The surrounding text that belongs to the name. */
  readonly outerText?: PlacedText;
}

type Put = (kind: NameKind, role: Role, text: PlacedText, options?: Options) => void;
type Reader = (words: readonly PlacedText[], put: Put, line: Line) => void;

const NONE: readonly Occurrence[] = [];

/** Texts that may contain names in any line: see INSIDE. */
const TELLTALE = /[$%]\{|}[e=!]|:\/\/|env[=(]|hc(?:expr|template)=/i;

/** A fast check, because most of the many rules set no variable, handler or type. */
const FLAGGED = /[[,]\s*(?:e|env|h|handler|t|type)=/i;

function mayHaveNames({ kind, template }: Line): boolean {
  return (kind === LineKind.Directive || kind === LineKind.Open) && template !== Template.Structure;
}

/** A parameter of a macro, a variable, a back reference, a placeholder of a template. */
const PATTERN = /\$[\w{(]|%[\w{(]|@\w|\{\{|<%|\[%/;

/** Characters that occur in no directive's name: the name is inserted later. */
export const PUT_IN = /[$%@{]/;

/** A word that can be a name. */
const ONE_NAME = /^[\p{L}_\d][\p{L}\p{N}_.-]*$/u;

/** Kinds whose names may have wildcards. */
const GLOBS: ReadonlySet<NameKind> = new Set<NameKind>(['balancer', 'host']);

function occurrenceOf(
  line: Line,
  kind: NameKind,
  role: Role,
  text: PlacedText,
  { isPattern, isRegex = false, isExact = false, lead = 0, name, outerText }: Options = {},
): Occurrence | null {
  const { value } = text;
  if (value.length <= lead) return null;
  const start = text.lineOffsetOf(lead);
  const end = text.lineEndOf(value.length);
  const outer = outerText ?? text;
  return {
    kind,
    name: name ?? value,
    role,
    start,
    end,
    from: Math.min(start, outer.lineOffsetOf(0)),
    to: Math.max(end, outer.lineEndOf(outer.value.length)),
    isPattern:
      isPattern ??
      ((kind === 'argument'
        ? !ONE_NAME.test(value)
        : kind === 'parameter'
          ? true
          : kind !== 'path' && (PATTERN.test(value) || (GLOBS.has(kind) && /[*?]/.test(value)))) ||
        (line.template !== Template.None && /[{<@[%]/.test(value))),
    isBroken: line.text.slice(start, end) !== value.slice(lead),
    isRegex,
    isExact,
  };
}

// ---- By directive ----

const word =
  (kind: NameKind, role: Role, index = 0): Reader =>
  (words, put) => {
    if (index < words.length) put(kind, role, words[index]!);
  };

const every =
  (kind: NameKind, role: Role, from = 0): Reader =>
  (words, put) => {
    for (const each of words.slice(from)) put(kind, role, each);
  };

/** `filter;filter`; those of a FilterChain have a sign before them. */
function putFilters(text: PlacedText, put: Put, role: Role = 'use'): void {
  for (const match of text.value.matchAll(/[^;]+/g)) {
    const sign = /^[+=\-@!]/.test(match[0]) ? 1 : 0;
    put('filter', role, part(text, match.index + sign, match.index + match[0].length));
  }
}

/** `VAR`, `VAR=value`, `!VAR`, as in SetEnvIf. */
function putSetting(text: PlacedText, put: Put): void {
  const isRemoved = text.value.startsWith('!');
  const equals = text.value.indexOf('=');
  putEnvironment(
    isRemoved ? 'remove' : 'define',
    part(text, isRemoved ? 1 : 0, !isRemoved && equals >= 0 ? equals : text.value.length),
    put,
  );
}

/**
 * An internal redirect puts REDIRECT_ before each variable (ap_internal_redirect in
 * modules/http/http_request.c).
 */
function putEnvironment(role: Role, text: PlacedText, put: Put, outerText?: PlacedText): void {
  const lead = /^(?:REDIRECT_)*/.exec(text.value)![0].length;
  const base = text.value.slice(lead);
  if (base !== '') put('environment', role, text, { lead, name: base, outerText });
}

const settings =
  (from: number): Reader =>
  (words, put) => {
    for (const each of words.slice(from)) putSetting(each, put);
  };

/** `scheme://host:port` of a backend. */
function putWorkers(words: readonly PlacedText[], put: Put): void {
  for (const text of words) {
    const match = /^(?:https?|h2c?|ajp|fcgi|s?cgi|uwsgi|wss?|ftp):\/\/[^/\s$%|?]+/i.exec(text.value);
    if (match) put('worker', 'use', part(text, 0, match[0].length), { name: match[0].toLowerCase() });
  }
}

/** The host in `name`, `http://name:80`, as in ServerName. */
function putHost(text: PlacedText, put: Put, role: Role = 'define'): void {
  const match = /^(?:https?:\/\/)?([^:/\s]+)/i.exec(text.value);
  if (match) put('host', role, part(text, match[0].length - match[1]!.length, match[0].length));
}

const arguments_: Reader = (words, put) => {
  for (const each of words.slice(1)) put('argument', 'use', each);
};

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  [
    'define',
    (words, put) => {
      word('variable', 'define')(words, put, NO_LINE);
      arguments_(words.slice(0, 2), put, NO_LINE);
    },
  ],
  ['undefine', word('variable', 'remove')],
  [
    'use',
    (words, put) => {
      word('macro', 'use')(words, put, NO_LINE);
      arguments_(words, put, NO_LINE);
    },
  ],
  ['undefmacro', word('macro', 'remove')],
  [
    'logformat',
    (words, put) => {
      if (words.length > 1) put('log-format', 'define', words[1]!);
      // The format of TransferLog may be a nickname (open_multi_logs in
      // modules/loggers/mod_log_config.c).
      else if (words.length === 1 && !words[0]!.value.includes('%')) put('log-format', 'use', words[0]!);
    },
  ],
  ...['customlog', 'globallog'].map((name): [string, Reader] => [
    name,
    (words, put) => {
      if (words.length > 1 && !words[1]!.value.includes('%')) put('log-format', 'use', words[1]!);
    },
  ]),
  ['rewritemap', word('rewrite-map', 'define')],
  [
    'rewriterule',
    (words, put) => {
      if (words.length < 3) return;
      const flags = words[2]!;
      for (const match of flags.value.matchAll(
        /([[,]\s*)(?:(E|env)=(!?)([^:,\]=]+)|(H|handler)=([^,\]\s]+)|(T|type)=([^,\]\s]+))/gi,
      )) {
        const name = (match[4] ?? match[6] ?? match[8])!;
        const end = match.index + match[0].length;
        const text = part(flags, end - name.length, end);
        if (match[4] !== undefined) putEnvironment(match[3] === '!' ? 'remove' : 'define', text, put);
        else put(match[6] !== undefined ? 'handler' : 'mime-type', 'use', text);
      }
    },
  ],
  [
    'rewritecond',
    (words, put) => {
      if (words.length > 1 && /%\{(?:HTTP_HOST|SERVER_NAME)\}/i.test(words[0]!.value)) putHostCondition(words[1]!, put);
    },
  ],
  [
    'setenv',
    (words, put) => {
      if (words.length > 0) putEnvironment('define', words[0]!, put);
    },
  ],
  ['passenv', every('environment', 'define')],
  ['unsetenv', every('environment', 'remove')],
  ...['setenvif', 'setenvifnocase'].map((name): [string, Reader] => [
    name,
    (words, put) => {
      // A name that is no header is looked up among the variables (match_headers in
      // modules/metadata/mod_setenvif.c).
      if (words.length > 2 && /^\w+$/.test(words[0]!.value) && !ATTRIBUTES.has(words[0]!.value.toLowerCase()))
        putEnvironment('use', words[0]!, put);
      if (words.length > 2 && words[0]!.value.toLowerCase() === 'host') putHostCondition(words[1]!, put, true);
      settings(2)(words, put, NO_LINE);
    },
  ]),
  ['setenvifexpr', settings(1)],
  ['browsermatch', settings(1)],
  ['browsermatchnocase', settings(1)],
  [
    'require',
    (words, put) => {
      const first = words[0]?.value.toLowerCase() === 'not' ? 1 : 0;
      if (first >= words.length) return;
      put('authz-provider', 'use', words[first]!);
      if (words[first]!.value.toLowerCase() === 'env')
        for (const each of words.slice(first + 1)) putEnvironment('use', each, put);
    },
  ],
  ...['authbasicprovider', 'authdigestprovider', 'authformprovider', 'authncacheprovidefor'].map(
    (name): [string, Reader] => [name, every('authn-provider', 'use')],
  ),
  [
    'authnzfcgidefineprovider',
    (words, put) => {
      if (words.length < 2) return;
      const type = words[0]!.value.toLowerCase();
      if (type.startsWith('authn')) put('authn-provider', 'define', words[1]!);
      if (type === 'authz' || type === 'authnz') put('authz-provider', 'define', words[1]!);
    },
  ],
  ['authnzfcgicheckauthnprovider', word('authn-provider', 'use')],
  ['luaauthzprovider', word('authz-provider', 'define')],
  ['perladdauthzprovider', word('authz-provider', 'define')],
  [
    'extfilterdefine',
    (words, put) => {
      word('filter', 'define')(words, put, NO_LINE);
      for (const each of words.slice(1)) {
        const match = /^(?:enableenv|disableenv)=/i.exec(each.value);
        if (match) putEnvironment('use', part(each, match[0].length), put);
      }
    },
  ],
  ['luaoutputfilter', word('filter', 'define')],
  ['luainputfilter', word('filter', 'define')],
  ['filterdeclare', word('filter', 'define')],
  [
    'filterprovider',
    (words, put) => {
      word('filter', 'define')(words, put, NO_LINE);
      word('filter', 'use', 1)(words, put, NO_LINE);
    },
  ],
  [
    'filterprotocol',
    (words, put) => {
      word('filter', 'use')(words, put, NO_LINE);
      // With two words the second sets the type of the filter; with three it is a provider.
      if (words.length > 2) put('filter', 'use', words[1]!);
    },
  ],
  ['filtertrace', word('filter', 'use')],
  ['filterchain', (words, put) => words.forEach((each) => putFilters(each, put))],
  ...['setoutputfilter', 'setinputfilter', 'addoutputfilter', 'addinputfilter'].map((name): [string, Reader] => [
    name,
    (words, put) => {
      if (words.length > 0) putFilters(words[0]!, put);
    },
  ]),
  [
    'addoutputfilterbytype',
    (words, put) => {
      if (words.length > 0) putFilters(words[0]!, put);
      every('mime-type', 'use', 1)(words, put, NO_LINE);
    },
  ],
  ['addhandler', word('handler', 'use')],
  [
    'sethandler',
    (words, put) => {
      if (words.length > 0 && /^[\w.-]+$/.test(words[0]!.value) && words[0]!.value.toLowerCase() !== 'none')
        put('handler', 'use', words[0]!);
      else if (words.length > 0 && PATTERN.test(words[0]!.value)) put('handler', 'use', words[0]!);
    },
  ],
  [
    'action',
    (words, put) => {
      if (words.length > 0) put(words[0]!.value.includes('/') ? 'mime-type' : 'handler', 'define', words[0]!);
    },
  ],
  ['addtype', word('mime-type', 'define')],
  ['forcetype', word('mime-type', 'use')],
  ['defaulttype', word('mime-type', 'use')],
  ['expiresbytype', word('mime-type', 'use')],
  [
    'servername',
    (words, put) => {
      if (words.length > 0) putHost(words[0]!, put);
    },
  ],
  ['serveralias', (words, put) => words.forEach((each) => putHost(each, put))],
  ['mdomain', (words, put) => words.forEach((each) => putHost(each, put, 'use'))],
  ['balancermember', putWorkers],
  ['proxypass', putWorkers],
  ['proxypassmatch', putWorkers],
  ['proxypassreverse', putWorkers],
  ['proxyset', putWorkers],
  ['loadmodule', word('module', 'define')],
  ['proxyhcexpr', word('health-expression', 'define')],
  ['proxyhctemplate', word('health-template', 'define')],
]);

const SECTIONS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  [
    'macro',
    (words, put) => {
      word('macro', 'define')(words, put, NO_LINE);
      for (const each of words.slice(1)) if (!/^[$%@]/.test(each.value)) put('parameter', 'define', each);
    },
  ],
  [
    'ifdefine',
    (words, put) => {
      if (words.length === 0) return;
      put('variable', 'use', part(words[0]!, words[0]!.value.startsWith('!') ? 1 : 0), { isExact: true });
    },
  ],
  [
    'ifmodule',
    (words, put) => {
      if (words.length > 0) put('module', 'use', part(words[0]!, words[0]!.value.startsWith('!') ? 1 : 0));
    },
  ],
  [
    'authnprovideralias',
    (words, put) => {
      word('authn-provider', 'use')(words, put, NO_LINE);
      word('authn-provider', 'define', 1)(words, put, NO_LINE);
    },
  ],
  [
    'authzprovideralias',
    (words, put) => {
      word('authz-provider', 'use')(words, put, NO_LINE);
      word('authz-provider', 'define', 1)(words, put, NO_LINE);
    },
  ],
  ['proxy', putWorkers],
  ['mdomainset', (words, put) => words.forEach((each) => putHost(each, put, 'use'))],
]);

/** A placeholder for readers that ignore the line. */
const NO_LINE = undefined as unknown as Line;

/**
 * Names in SetEnvIf that are no variables: its own attributes, and headers that every client sends.
 */
const ATTRIBUTES: ReadonlySet<string> = new Set([
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

/** A regular expression, or `=name`, that a host name is compared with. */
function putHostCondition(text: PlacedText, put: Put, isBare = false): void {
  const { value } = text;
  const literal = isBare ? null : /^!?=(.+)$/.exec(value);
  if (literal) return put('host', 'use', part(text, value.length - literal[1]!.length));
  // `^www\.example\.org$` is a name, optionally with a port; anything else is a pattern.
  const plain = /^!?\^((?:[\w-]|\\\.)+)(?:\(?:?:?\\?d?[+*]?\)?\??)?\$?$/.exec(value);
  if (plain && value.endsWith('$')) {
    const start = value.indexOf('^') + 1;
    return put('host', 'use', part(text, start, start + plain[1]!.length), {
      name: plain[1]!.replaceAll('\\.', '.'),
      isRegex: true,
      isPattern: false,
    });
  }
  put('host-pattern', 'use', part(text, value.startsWith('!') ? 1 : 0), { isPattern: true });
}

// ---- Paths ----

/**
 * The arguments of a directive that are paths: one index, or by the table of arguments; null for
 * none.
 */
type Paths = number | 'table' | null;

const paths = cache<string, Paths>();

function pathsOf(name: string, isSection: boolean): Paths {
  const key = isSection ? `<${name}` : name;
  let cached = paths.get(key);
  if (cached === undefined) {
    cached = workOutPaths(name, isSection);
    if (paths.size > MAX_NAMES) paths.clear();
    paths.set(key, cached);
  }
  return cached;
}

/** A file that is no configuration has as many names as lines. */
const MAX_NAMES = 2000;

const PATH_KINDS = new Set(['file', 'folder', 'path']);

function workOutPaths(name: string, isSection: boolean): Paths {
  if (isSection) return name === 'directory' || name === 'iffile' ? 0 : null;
  if (name === 'loadmodule') return 1;
  if (name === 'loadfile' || name === 'include' || name === 'includeoptional') return 0;
  const table = argumentTable(name);
  if (!table) return null;
  const forms = table.forms ?? [table.arguments];
  if (!forms.some((form) => form.some(isPath))) return null;
  const form = forms[0]!;
  const first = form.findIndex(isPath);
  const isFixed =
    forms.length === 1 &&
    form.filter(isPath).length === 1 &&
    !form[first]!.repeats &&
    form.slice(0, first).every(({ optional, repeats }) => !optional && !repeats);
  return isFixed ? first : 'table';
}

function isPath(argument: Argument): boolean {
  return argument.kinds.some((kind) => PATH_KINDS.has(kind)) || argument.choices?.some(isPath) === true;
}

function putPaths(name: string, pathArguments: Exclude<Paths, null>, words: readonly PlacedText[], put: Put): void {
  if (pathArguments === 'table') {
    putPathsOfTable(name, words, put);
  } else if (pathArguments < words.length) putPath(words[pathArguments]!, put);
}

/**
 * The rare cases: `Alias`, and directives with several forms. A value that may be a URL is one if
 * another argument follows.
 */
function putPathsOfTable(name: string, words: readonly PlacedText[], put: Put): void {
  const table = argumentTable(name)!;
  const values = words.map(({ value }) => value);
  words.forEach((text, index) => {
    const expected = expectedAfter(table, values.slice(0, index)).map(({ argument }) => argument);
    const isLast = index === words.length - 1;
    if (expected.some(isPath) && (isLast || expected.every(isPath))) putPath(text, put);
  });
}

function putPath(text: PlacedText, put: Put): void {
  const { value } = text;
  if (value === '' || value.startsWith('|') || /^(?:syslog\b|[!~]?$|balancer:)/.test(value)) return;
  // `txt:/etc/httpd/map`, `!file` of <IfFile>, `prg:/usr/bin/x`; a drive is one letter.
  const lead = /^(?:!|(?:txt|rnd|prg|dbm|dbm=\w+|exec):)?/.exec(value)![0].length;
  if (value.length > lead) put('path', 'use', part(text, lead));
}

// ---- Names recognizable by the text around them ----

interface Inside {
  readonly kind: NameKind;
  /** The name is the first group. */
  readonly pattern: RegExp;
  /** Occurs in every line that matches. */
  readonly mark: string;
  readonly directives?: RegExp;
}

const INSIDE: readonly Inside[] = [
  { mark: '${', kind: 'rewrite-map', pattern: /\$\{([^}:\s$]+):/dg, directives: /^rewrite(rule|cond)$/ },
  // ap_resolve_env in server/core.c: from `${` to the next brace, whatever is between them.
  // Requiring a closing brace avoids reading a line again for each unclosed one.
  { mark: '}', kind: 'variable', pattern: /\$\{([^}:]+)\}/dg },
  { mark: '://', kind: 'balancer', pattern: /(balancer:\/\/[^\s"'/,|\]>]+)/dgi },
  {
    mark: '}e',
    kind: 'environment',
    pattern: /%[\d,!<>]*\{([^}:\s]+)\}e/dg,
    directives: /^(logformat|customlog|globallog|transferlog|errorlogformat|header|requestheader)$/,
  },
  { mark: '}', kind: 'environment', pattern: /%\{(?:ENV|env|reqenv):([^}\s]+)\}/dg },
  { mark: '(', kind: 'environment', pattern: /\b(?:reqenv|env)\(\s*['"]([^'"]+)['"]/dg },
  {
    mark: 'env=',
    kind: 'environment',
    pattern: /\benv=!?([^\s"'=,\]]+)/dg,
    directives: /^(customlog|globallog|allow|deny|header|requestheader)$/,
  },
  { mark: '=', kind: 'health-expression', pattern: /\bhcexpr=([^\s"']+)/dgi },
  { mark: '=', kind: 'health-template', pattern: /\bhctemplate=([^\s"']+)/dgi },
  {
    mark: '://',
    kind: 'host',
    pattern: /\bhttps?:\/\/([A-Za-z0-9][\w.-]*)/dg,
    directives:
      /^(redirect|redirectmatch|redirectpermanent|redirecttemp|rewriterule|proxypassreverse|proxypassreversecookiedomain|header|errordocument)$/,
  },
  {
    mark: '%{',
    kind: 'host',
    pattern: /%\{(?:HTTP_HOST|SERVER_NAME)\}\s*(?:==|!=|=|-eq|-strmatch|-strcmatch)\s*['"]([\w.-]+)['"]/dgi,
  },
  {
    mark: '%{',
    kind: 'host-pattern',
    pattern: /%\{(?:HTTP_HOST|SERVER_NAME)\}\s*[=!]~\s*(?:m?([#/|]).*?\1|(['"]).*?\2)/dgi,
  },
  { mark: '%{', kind: 'handler', pattern: /%\{HANDLER\}\s*(?:==|!=|=|-eq)\s*['"]([\w.-]+)['"]/dgi },
];

function readInside(line: Line, put: Put): void {
  let text: PlacedText | null = line.isJoined ? wholeText(line) : null;
  for (const { kind, pattern, mark, directives } of INSIDE) {
    if (!(text?.value ?? line.text).includes(mark) || (directives && !directives.test(line.name))) continue;
    text ??= wholeText(line);
    // Not matchAll, which would copy the pattern for each line.
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text.value); match; match = pattern.exec(text.value))
      putInside(line, kind, text, match, put);
  }
}

function putInside(line: Line, kind: NameKind, text: PlacedText, match: RegExpExecArray, put: Put): void {
  const outerText = part(text, match.index, match.index + match[0].length);
  if (kind === 'host-pattern') return put(kind, 'use', outerText, { isPattern: true, name: regexIn(match[0]) });
  const [start, end] = match.indices![1]!;
  const name = part(text, start, end);
  if (kind === 'balancer') putBalancer(line, name, put);
  else if (kind === 'environment') putEnvironment('use', name, put, outerText);
  else put(kind, 'use', name, { outerText });
}

function putBalancer(line: Line, text: PlacedText, put: Put): void {
  const isDefined = line.kind === LineKind.Open && line.name === 'proxy';
  const isPattern = line.name === 'proxymatch' || PATTERN.test(text.value) || /[\\^$()*?]/.test(text.value);
  put('balancer', isDefined ? 'define' : 'use', text, {
    lead: BALANCER.length,
    isPattern,
    name: `${BALANCER}${text.value.slice(BALANCER.length)}`,
  });
}

const BALANCER = 'balancer://';

/** The expression between the delimiters of `=~ m#…#`. */
function regexIn(text: string): string {
  const match = /[=!]~\s*m?(['"#/|])(.*)\1$/s.exec(text);
  return match ? match[2]! : text;
}

/** The logical text of a line, without its line end. */
function wholeText(line: Line): PlacedText {
  const logical = logicalText(line);
  return {
    value: logical.text,
    lineOffsetOf: (offset) => logical.at(offset),
    lineEndOf: (offset) => (offset === 0 ? logical.at(0) : logical.at(offset - 1) + 1),
    valueOffsetOf: (offset) => offset,
  };
}

/** Whether the body of a section is text of another language. */
export function isOpaque(name: string): boolean {
  return sectionKind(name) === 'opaque';
}
