/**
 * Lines with values that no directive expects: wrong words, numbers out of range, empty quotes,
 * units, odd characters, texts that are too long.
 */
import { commandNamed, type Command } from '../../server/src/directives/commands';
import type { Directive } from '../../server/src/directives';
import { misplacement, placeOf } from '../../server/src/validation/place';
import type { Random } from '../support/random';
import type { Mutant } from './mutants/mutate';
import { LEFT_OUT, linesOf } from './sample-lines';

const JUNK = [
  'foo',
  'Foo.Bar',
  'on',
  'Off',
  'none',
  'all',
  'default',
  '""',
  "''",
  '" "',
  '-1',
  '0',
  '00',
  '1',
  '+7',
  '3.5',
  '1e3',
  '0x10',
  '64',
  '65536',
  '2147483648',
  '99999999999999999999',
  '-99999999999',
  '10s',
  '5min',
  '2h',
  '300ms',
  '10k',
  '5MB',
  '50%',
  '7 days',
  '"5 seconds"',
  '%',
  '%{',
  '%{FOO}',
  '%{ENV:X}',
  '"%h %y"',
  '%s',
  '$1',
  '(',
  '[',
  '*',
  '+',
  '^(a|b)$',
  's/a/b/',
  's/a/b',
  '/',
  '//',
  '/x',
  './x',
  '..',
  'x/y',
  'text/html',
  'http://x/',
  'http://',
  'ldap://x/',
  'ldap://',
  'a@b',
  ':',
  'a:b',
  'a:',
  ':80',
  'a=b',
  'a=',
  '=b',
  '=',
  '!',
  '!x',
  '~',
  '-',
  '+x',
  '-x',
  ',',
  'a,b',
  ';',
  'a;b',
  '|x',
  '#x',
  '10.0.0.0/8',
  '10.0.0.0/99',
  '300.1.1.1',
  '::1',
  '[::1]',
  'müll',
  '"a b"',
  '"a\\"b"',
  "it's",
  'a\\b',
  'GET',
  '404',
  'shmcb:/x(10)',
  'A'.repeat(300),
];

/** Sections around a line; the text before a space is the name. */
const AROUND = ['', 'VirtualHost *:80', 'Directory /x', 'Location /x', 'Proxy http://x/', 'Files x'];

/** httpd ends without a word. */
const ENDS_HTTPD = 'lua_____bytecodehack';

/** A line of one of the directives, in one of the places where it may stand. */
export function junkLine(directives: readonly Directive[], random: Random): Mutant {
  for (;;) {
    const directive = random.pick(directives);
    const name = directive.name.toLowerCase();
    if (LEFT_OUT.has(name) || name === ENDS_HTTPD) continue;
    const known = commandNamed(directive.name.toLowerCase(), directive.section)!;
    const places = AROUND.filter((around) => mayStand(known, directive, around));
    if (places.length === 0) continue;
    const around = random.pick(places);
    const line = broken(random.pick(linesOf(directive)).split('\n')[0]!, known, directive.section === true, random);
    const end = directive.section ? `</${directive.name}>\n` : '';
    const text = around ? `<${around}>\n${line}\n${end}</${around.split(' ')[0]}>\n` : `${line}\n${end}`;
    return { what: around ? `${line}   [${around}]` : line, text };
  }
}

function mayStand(known: Command, { name }: Directive, around: string): boolean {
  const container = around.split(' ')[0]!.toLowerCase();
  const place = placeOf({
    containers: container === '' ? [] : [container],
    limits: [],
    isHtaccess: false,
    areAllContainersKnown: true,
    overrides: null,
  });
  return place !== null && misplacement(known, place, name.toLowerCase()) === null;
}

/** How many words a directive takes at most. */
const MOST: Readonly<Record<string, number>> = { TAKE1: 1, FLAG: 1, TAKE12: 2, TAKE2: 2 };

function broken(line: string, { kind }: Command, isSection: boolean, random: Random): string {
  const [name = '', ...words] = (isSection ? line.slice(0, -1) : line).split(' ');
  const most = MOST[kind] ?? 3;
  const made =
    random.next() < 0.5
      ? Array.from({ length: 1 + random.below(most) }, () => random.pick(JUNK))
      : changed(words, most, random);
  const text = [name, ...made].join(' ');
  return isSection ? `${text}>` : text;
}

/** One word is another one, is left out or comes in addition. */
function changed(words: readonly string[], most: number, random: Random): string[] {
  const made = [...words];
  const at = random.below(Math.max(1, made.length));
  const junk = random.pick(JUNK);
  if (made.length < most && random.next() < 0.3) made.splice(at + 1, 0, junk);
  else if (made.length > 1 && random.next() < 0.1) made.splice(at, 1);
  else {
    const key = /^[\w-]+[=:]/.exec(made[at] ?? '')?.[0] ?? '';
    made[at] = key + junk;
  }
  return made;
}
