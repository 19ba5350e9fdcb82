/**
 * A line for a directive, with valid values, so that a server that accepts the place reports little
 * else.
 */
import type { Directive } from '../../server/src/directives';
import { commandNamed } from '../../server/src/directives/commands';
import { argumentTable, type Argument } from '../../server/src/directives/values';

export function lineOf({ name, section }: Directive): string {
  const { arguments: list } = argumentTable(name, { section })!;
  const words = list.filter(({ optional }) => !optional).map(valueOf);
  const kind = commandNamed(name.toLowerCase(), section)!.kind;
  while (words.length < (LEAST[kind] ?? 0)) words.push('x');
  const rest = words.slice(0, MOST[kind] ?? words.length).join(' ');
  return section ? `<${`${name} ${rest}`.trim()}>\n</${name}>\n` : `${`${name} ${rest}`.trim()}\n`;
}

/**
 * Lines with each of the words that may stand first: functions may refuse a place for some values
 * only.
 */
export function linesOf(directive: Directive): readonly string[] {
  const { name, section } = directive;
  const usual = lineOf(directive);
  if (section) return [usual];
  const table = argumentTable(name, { section })!;
  const first = [table.arguments, ...(table.forms ?? [])].flatMap(([argument]) =>
    argument === undefined ? [] : (argument.choices ?? [argument]),
  );
  const words = [
    ...first.flatMap(({ key = '', words: list = [] }) => list.map(({ word }) => key + word)),
    ...(commandNamed(name.toLowerCase(), section)!.kind === 'FLAG' ? ['On', 'Off'] : ['none', '0']),
  ];
  return [
    ...new Set([usual, ...words.map((word) => usual.replace(/^(\S+) \S+/, (_, own: string) => `${own} ${word}`))]),
  ];
}

const LEAST: Readonly<Record<string, number>> = {
  TAKE1: 1,
  TAKE12: 1,
  TAKE123: 1,
  ITERATE: 1,
  TAKE2: 2,
  TAKE23: 2,
  ITERATE2: 2,
  TAKE3: 3,
};
const MOST: Readonly<Record<string, number>> = { TAKE1: 1, TAKE12: 2, TAKE123: 3, TAKE2: 2, TAKE23: 3, TAKE3: 3 };

const VALUES: Readonly<Record<string, string>> = {
  number: '1',
  bytes: '1024',
  time: '1',
  file: '/x',
  folder: '/x',
  path: '/x',
  url: 'http://x/',
  'url-path': '/x',
  regex: '^x',
  glob: '*.x',
  address: '127.0.0.1',
  host: 'x',
  'host-port': '127.0.0.1:80',
  port: '80',
  'mime-type': 'text/html',
  extension: '.x',
  status: '404',
  method: 'GET',
  expression: 'true',
  balancer: 'balancer://x',
  charset: 'utf-8',
  language: 'en',
};

function valueOf(argument: Argument): string {
  const { words, kinds, key = '', min } = argument.choices?.[0] ?? argument;
  const word = words?.find(({ obsolete }) => !obsolete)?.word;
  return (
    key + (word ?? (kinds[0] === 'number' && min !== undefined ? String(Math.max(1, min)) : (VALUES[kinds[0]] ?? 'x')))
  );
}

/** What reads other files or stops httpd, and sections whose own tests are elsewhere. */
export const LEFT_OUT: ReadonlySet<string> = new Set([
  'macro',
  'use',
  'undefmacro',
  'ifmodule',
  'ifdefine',
  'ifversion',
  'iffile',
  'ifdirective',
  'ifsection',
  'requirenotall',
  'loadmodule',
  'loadfile',
  'include',
  'includeoptional',
  'error',
]);
