/**
 * What stands inside of a value: `${…}`, `%{…}`, rewrite flags, conversions of log formats, and the words of 2.4's expressions.
 */
import { CompletionItemKind } from 'vscode-languageserver-types';
import { BINARY_OPERATORS, EXPRESSION_FUNCTIONS, EXPRESSION_VARIABLES, UNARY_OPERATORS } from '../directives/expressions';
import { CONDITION_FLAGS, RULE_FLAGS } from '../syntax/rewrite';
import type { ValueQuestion } from './completion-values';
import type { Suggestion, Suggestions } from './suggestion';
import { vocabulary } from './vocabulary';

/** What a `${` or `%{` before the cursor asks for; null where there is none. */
export function bracedSuggestions(question: ValueQuestion): Suggestions | null {
  const { cursor, key } = question;
  const text = cursor.before.slice(cursor.wordStart);
  const dollar = /\$\{([^}\s"']*)$/.exec(text);
  if (dollar) return variableReferences(question, dollar[1]);
  const percent = /%\{([^}\s"']*)$/.exec(text);
  if (!percent) return null;
  const [, begun] = percent;
  if (FORMATS.has(key)) return braced(question, begun, formatArguments(question), /^[^\s"']*/);
  if (key === 'rewritecond' || key === 'rewriterule') return braced(question, begun, rewriteVariables(question, begun));
  if (key === 'header' || key === 'requestheader') return braced(question, begun, cursor.word.startsWith('expr=') ? expressionVariables(question, begun) : headerArguments(question), /^[^\s"']*/);
  return braced(question, begun, expressionVariables(question, begun));
}

/** Flags of RewriteRule and RewriteCond; null where no bracket may come. */
export function flagSuggestions({ cursor, key }: ValueQuestion): Suggestions | null {
  const isCondition = key === 'rewritecond';
  const flags = isCondition ? CONDITION_FLAGS : RULE_FLAGS;
  // The map has a flag under each of its names; people read the short ones.
  const shorts = [...new Set(flags.values())];
  const { word, wordStart } = cursor;
  if (word !== '' && !word.startsWith('[')) return null;
  const given = word.slice(1).split(',');
  const begun = given.pop() ?? '';
  const last = wordStart + word.length - begun.length;
  const value = /^(\w+)=(.*)$/.exec(begun);
  if (value) return flagValues(value[1], value[2], cursor);
  const used = new Set(given.map((flag) => flags.get(flag.trim().replace(/=.*$/, '').toLowerCase())));
  const closes = /^[^\]]*\]/.test(cursor.after) ? '' : '';
  const order = isCondition ? shorts : [...FLAG_ORDER.filter((flag) => shorts.includes(flag)), ...shorts.filter((flag) => !FLAG_ORDER.includes(flag))];
  const items = order
    .filter((flag) => !used.has(flag))
    .map((flag): Suggestion => {
      const takes = FLAG_VALUES[flag];
      const text = takes ? `${flag}=` : flag;
      const about = { text: flagText(flag, isCondition) };
      if (word === '') return { label: `[${flag}]`, kind: CompletionItemKind.EnumMember, text: takes ? `[${flag}=` : `[${flag}]`, about };
      return { label: flag, kind: CompletionItemKind.EnumMember, text: text + closes, about, ...(takes && { goesOn: true as const }) };
    });
  return { start: last, rest: /^\w*/.exec(cursor.after)![0].length, items };
}

/** What may come in an expression whose text before the cursor is given. */
export function expressionSuggestions(question: ValueQuestion, text: string): Suggestions {
  const { cursor } = question;
  const rest = /^\w*/.exec(cursor.after)![0].length;
  const nothing = { start: cursor.before.length, rest: 0, items: [] };
  // The outer quote is the argument's; what is open now is a string or a regular expression.
  const body = text.replace(/^"/, '');
  if (/^(?:[^'/]|'[^']*'|(?<![=!]~\s*|m)\/)*'[^']*$/.test(body)) return nothing;
  if (/(=~|!~)\s*m?[/#][^/#]*$/.test(body)) return nothing;
  const [begun] = /-?[\w]*$/.exec(body)!;
  const start = cursor.before.length - begun.length;
  const ahead = body.slice(0, body.length - begun.length).trimEnd();
  const isOperand = ahead === '' || /(?:&&|\|\||!|\(|,|\{|[=<>~]|\s-\w+|^-\w+)$/.test(ahead);
  const item = (label: string, about: string, more: Partial<Suggestion> = {}): Suggestion => ({ label, kind: CompletionItemKind.Operator, ...(about && { about: { text: about } }), ...more });
  if (!isOperand) {
    const compare = COMPARISONS.map(([label, about]) => item(label, about));
    return { start, rest, items: [...compare, item('&&', 'and'), item('||', 'or')].filter(({ label }) => !begun || label.startsWith(begun[0])) };
  }
  const values = [
    item('%{REQUEST_URI}', 'A variable of the request.', { kind: CompletionItemKind.Variable, text: '%{', goesOn: true, ...(begun !== '' && { filter: '%{' }) }),
    ...[...EXPRESSION_FUNCTIONS.values()].map((name) => item(`${name}()`, vocabularyText('expression-function', name), { kind: CompletionItemKind.Function, text: `${name}('`, filter: name })),
    item('true', '', { kind: CompletionItemKind.Constant }),
    item('false', '', { kind: CompletionItemKind.Constant }),
  ];
  const afterOperator = /(?:[=<>~]|-\w+)$/.test(ahead);
  const tests = afterOperator ? [] : [...UNARY_OPERATORS].map((letter) => item(`-${letter}`, vocabularyText('expression-operator', `-${letter}`)));
  return { start, rest, items: [...values, ...tests] };
}

/** Conversions of a log format, behind its `%`. */
export function logFormatSuggestions({ cursor, key }: ValueQuestion, token: string): Suggestions | null {
  const begun = /%([<>!\d,]*\^?\w*)$/.exec(token);
  if (!begun) return null;
  const modifier = /^[<>!\d,]*/.exec(begun[1])![0];
  const start = cursor.before.length - begun[1].length - 1;
  const words = vocabulary(key === 'errorlogformat' ? 'error-log-format' : 'log-format');
  const items = words.map(({ word, text }): Suggestion => ({
    label: word, kind: CompletionItemKind.EnumMember, text: `%${modifier}${word.slice(1)}`, filter: `%${modifier}${word.slice(1)}`, ...(text && { about: { text } }),
    ...(word.startsWith('%{') && { text: `%${modifier}{`, filter: `%${modifier}{${word.slice(word.indexOf('}') + 1)}`, goesOn: true as const }),
  }));
  return { start, rest: 0, items };
}

// ---------------------------------------------------------------------------------------------------------------------

const FORMATS: ReadonlySet<string> = new Set(['logformat', 'customlog', 'errorlogformat', 'transferlog', 'globallog']);

function vocabularyText(kind: Parameters<typeof vocabulary>[0], word: string): string {
  return vocabulary(kind).find((each) => each.word === word)?.text ?? '';
}

/** Items between braces; they bring the closing one where it is not there. */
function braced({ cursor }: ValueQuestion, begun: string, items: readonly Suggestion[], rest = /^[\w:-]*/): Suggestions {
  const length = rest.exec(cursor.after)![0].length;
  const isClosed = cursor.after[length] === '}';
  const closing = (item: Suggestion): Suggestion => (item.goesOn || isClosed || (item.text ?? item.label).includes('}') ? item : { ...item, text: `${item.text ?? item.label}}` });
  return { start: cursor.before.length - begun.length, rest: rest.source === '^[\\w:-]*' ? length : /^[\w:-]*/.exec(cursor.after)![0].length, items: items.map(closing) };
}

function variableReferences(question: ValueQuestion, begun: string): Suggestions {
  const { definitions, key } = question;
  const defined = [...definitions.of('variable')].map(([label, value]): Suggestion => ({ label, kind: CompletionItemKind.Constant, from: 'Define', ...(value && { about: { text: value } }) }));
  const maps = key === 'rewriterule' || key === 'rewritecond' ? [...definitions.of('rewrite-map')] : [];
  const lookups = maps.map(([name, source]): Suggestion => ({ label: `${name}:`, kind: CompletionItemKind.Reference, from: 'RewriteMap', goesOn: true, ...(source && { about: { text: source } }) }));
  return braced(question, begun, [...lookups, ...defined]);
}

function environmentOf({ definitions }: ValueQuestion, lead = ''): Suggestion[] {
  return [...definitions.of('environment')].map(([name, value]) => ({ label: lead + name, kind: CompletionItemKind.Variable, from: 'this file', ...(value && { about: { text: value } }) }));
}

function headerNames(lead: string): Suggestion[] {
  return vocabulary('header').map(({ word, text }) => ({ label: lead + word, kind: CompletionItemKind.Value, ...(text && { about: { text } }) }));
}

/** Before a colon is written, the names that take one. */
function rewriteVariables(question: ValueQuestion, begun: string): Suggestion[] {
  const lead = /^(ENV|HTTP|SSL|LA-U|LA-F):/i.exec(begun);
  if (lead) {
    const kind = lead[1].toUpperCase();
    if (kind === 'ENV') return environmentOf(question, lead[0]);
    if (kind === 'HTTP') return headerNames(lead[0]);
    if (kind === 'SSL') return vocabulary('ssl-variable').map(({ word, text }) => ({ label: lead[0] + word, kind: CompletionItemKind.Variable, ...(text && { about: { text } }) }));
    return plainVariables('rewrite-variable').map((item) => ({ ...item, label: lead[0] + item.label }));
  }
  const prefixes: [string, string][] = [
    ['ENV:', 'A variable of the environment.'], ['HTTP:', 'A header of the request.'], ['SSL:', 'A variable of mod_ssl, whether or not it is exported.'],
    ['LA-U:', 'The value it will have later, found by a subrequest for the URL.'], ['LA-F:', 'The value it will have later, found by a subrequest for the file.'],
  ];
  return [...plainVariables('rewrite-variable'), ...prefixes.map(([label, text]): Suggestion => ({ label, kind: CompletionItemKind.Function, goesOn: true, about: { text } }))];
}

function expressionVariables(question: ValueQuestion, begun: string): Suggestion[] {
  const lead = /^(\w+):/.exec(begun);
  if (lead) {
    const name = lead[1].toLowerCase();
    if (/^(env|reqenv|note)$/.test(name)) return environmentOf(question, lead[0]);
    if (/^(http|req|resp|req_novary)$/.test(name)) return headerNames(lead[0]);
    return [];
  }
  const functions = [...EXPRESSION_FUNCTIONS.values()].map((name): Suggestion => ({ label: `${name}:`, kind: CompletionItemKind.Function, goesOn: true, about: { text: vocabularyText('expression-function', name) } }));
  return [...plainVariables('expression-variable'), ...functions];
}

/** Names of variables with what is said of them; those of expressions are expressions.ts's. */
function plainVariables(kind: 'rewrite-variable' | 'expression-variable'): Suggestion[] {
  const told = new Map(vocabulary(kind).map((each) => [each.word, each.text]));
  const names = kind === 'expression-variable' ? [...new Set([...told.keys(), ...EXPRESSION_VARIABLES.values()])] : [...told.keys()];
  return names.map((label) => ({ label, kind: CompletionItemKind.Variable, ...(told.get(label) && { about: { text: told.get(label)! } }) }));
}

/** What stands in the braces of a log format, and the letter behind them. */
function formatArguments(question: ValueQuestion): Suggestion[] {
  const { cursor } = question;
  const letter = /^[^}]*\}([a-zA-Z^]\w*)/.exec(cursor.after)?.[1];
  const all: [string, string, Suggestion[]][] = [
    ['i', 'a header of the request', headerNames('')],
    ['o', 'a header of the response', headerNames('')],
    ['e', 'a variable of the environment', environmentOf(question)],
    ['n', 'a note of a module', []],
    ['C', 'a cookie', []],
    ['a', 'an address', ['c'].map(valueItem)],
    ['p', 'a port', ['canonical', 'local', 'remote'].map(valueItem)],
    ['P', 'an id', ['pid', 'tid', 'hextid'].map(valueItem)],
    ['t', 'a time', ['sec', 'msec', 'usec', 'msec_frac', 'usec_frac'].map(valueItem)],
    ['T', 'how long it took', ['s', 'ms', 'us'].map(valueItem)],
  ];
  if (letter) return all.find(([each]) => each === letter)?.[2] ?? [];
  const usual = ['Referer', 'User-Agent', 'X-Forwarded-For', 'Host', 'Cookie'];
  const first = usual.map((name): Suggestion => ({ label: `${name}}i`, kind: CompletionItemKind.Value }));
  const others = all.flatMap(([each, about, items]) =>
    items.filter(({ label }) => each !== 'i' || !usual.includes(label)).map((item): Suggestion => ({ ...item, label: `${item.label}}${each}`, about: item.about ?? { text: about } })),
  );
  return [...first, ...others];
}

function valueItem(label: string): Suggestion {
  return { label, kind: CompletionItemKind.EnumMember };
}

/** `%{…}e`, `%{…}s` in the values of Header and RequestHeader. */
function headerArguments(question: ValueQuestion): Suggestion[] {
  const ssl = vocabulary('ssl-variable').map(({ word, text }): Suggestion => ({ label: `${word}}s`, kind: CompletionItemKind.Variable, ...(text && { about: { text } }) }));
  return [...environmentOf(question).map((item) => ({ ...item, label: `${item.label}}e` })), ...ssl];
}

// ---- Flags ----

/** What people write most. */
const FLAG_ORDER = ['L', 'R', 'NC', 'QSA', 'F', 'G', 'P', 'PT', 'E', 'END', 'NE', 'C', 'CO', 'H', 'T', 'S', 'N', 'NS', 'B', 'DPI', 'QSD', 'QSL'];

/** Flags with a value, and the values to offer. */
const FLAG_VALUES: Readonly<Record<string, readonly string[]>> = { R: ['301', '302', '303', '307', '308'], E: [], CO: [], H: [], T: [], S: [] };

function flagValues(name: string, begun: string, { before, after }: ValueQuestion['cursor']): Suggestions {
  const start = before.length - begun.length;
  const rest = /^[\w/.+-]*/.exec(after)![0].length;
  const flag = RULE_FLAGS.get(name.toLowerCase()) ?? name;
  const from = flag === 'T' ? vocabulary('mime-type') : flag === 'H' ? vocabulary('handler') : [];
  const words = [...(FLAG_VALUES[flag] ?? []), ...from.map(({ word }) => word)];
  const about = (word: string) => vocabulary('status').find((each) => each.word === word)?.text;
  return { start, rest, items: words.map((label): Suggestion => ({ label, kind: CompletionItemKind.EnumMember, ...(about(label) && { about: { text: about(label)! } }) })) };
}

function flagText(flag: string, isCondition: boolean): string {
  return vocabularyText(isCondition ? 'condition-flag' : 'rule-flag', flag);
}

// ---- Operators ----

const COMPARISONS: readonly [string, string][] = [
  ['==', 'The same text.'], ['!=', 'Another text.'], ['=~', 'Matches a regular expression.'], ['!~', 'Does not match a regular expression.'],
  ['-eq', 'The same number.'], ['-ne', 'Another number.'], ['-lt', 'A smaller number.'], ['-le', 'A smaller number, or the same.'],
  ['-gt', 'A greater number.'], ['-ge', 'A greater number, or the same.'], ['in', 'One of a list in braces.'],
  ...BINARY_OPERATORS.map((name): [string, string] => [`-${name}`, '']),
];
