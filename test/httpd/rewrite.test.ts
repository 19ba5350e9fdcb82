/**
 * The parser's verdict on rewrite rules and conditions equals a real server's; each is written into
 * a .htaccess.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseRewriteCond, parseRewriteRule } from '../../server/src/syntax/rewrite';
import { Random, seed } from '../support/random';
import { requireHttpd, serve, type Server } from './harness';

const RULES: readonly string[] = [
  ...[
    'x',
    '',
    'x y z',
    'x y',
    'x y [L',
    'x y L]',
    'x y []',
    'x y [L,]',
    'x y [,L]',
    'x y [L, R]',
    'x y [L,R=301] more',
    'x y [L R]',
    'x y "[L, R]"',
    'x y "[L,E=A:b c]"',
    'x y [ L ]',
    'x y [R = 301]',
    'x y[L]',
    'x y [CO=a] [L]',
  ],
  ...[
    '"a b" "c d" "[L]"',
    "'a b' 'c d' '[L]'",
    '"a\\"b" c',
    'a\\ b c',
    '"a b c',
    '"a" "b',
    'a b "[L]',
    'a b [E=A:x\\ y,L]',
    '"x"y',
    '"x"y z',
    'x "y" z',
    'x "y"[L]',
    'x "y" "[L]"x',
    'x y "[L] "',
    '"" b',
    'a ""',
    '"" ""',
    "'' ''",
    '!x y',
    '! y',
    '!( y',
  ],
  ...['a ${nope:x}', 'a ${nope', 'a %{NOPE}', 'a %{NOPE', 'a $1%1$x%x\\$1', '^ -'],
  ...[
    'Q',
    'l,r=301',
    'LAST,Redirect=permanent,nocase',
    'OR',
    'NV',
    'NC=1',
    'L=1',
    'IgnoreContextInfo',
    'backrefnoplus',
    'discardpath',
    'dpix',
    'cfoo',
    'BNPx',
    'i',
    'mimetype=x',
    'B=',
    'E',
    'E=',
    'CO',
    'S=a',
    'N=a',
    'T',
    'H',
  ].map((flag) => `x y [${flag}]`),
  ...'B BNE=x BNP BCTLS C CO=a:b:c DPI E=A:b END F G H=x L N=10 NC NE NS P PT QSA QSD QSL R S=1 T=text/html UnsafeAllow3F UnsafePrefixStat UNC'
    .split(' ')
    .map((flag) => `x y [${flag}]`),
  ...'chain cookie=a:b:c discardpath env=A:b forbidden gone handler=x last next nocase noescape nosubreq proxy passthrough qsappend qsdiscard qslast redirect skip=1 type=x'
    .split(' ')
    .map((flag) => `x y [${flag}]`),
  ...[
    '99',
    '100',
    '200',
    '299',
    '301',
    '302',
    '306',
    '308',
    '404',
    '410',
    '418',
    '425',
    '451',
    '499',
    '511',
    '600',
    '999',
    '3011',
    '0301',
    '302x',
    'abc',
    'temp',
    'seeother',
    '',
    '-1',
    '+301',
    '%{X}',
  ].map((status) => `x y [R=${status}]`),
  ...[
    'x(y',
    'x)',
    '[x',
    '*',
    '(*)',
    'a{2,1}',
    '[z-a]',
    'a**',
    'a|*b',
    '(?:a',
    '[]',
    '[^]',
    '[a\\]',
    '\\1',
    '(a)\\2',
    '?a',
    'a+++',
  ].map((pattern) => `${pattern} y`),
  ...[
    '(?i)a',
    '(?<n>a)',
    '(?P<n>a)',
    '[[:alpha:]]',
    '[]a]',
    'a{,3}',
    '{a',
    'a*+',
    'a*?',
    '\\Q(',
    '\\p{Lu}',
    '(|a)',
    '(a)\\1',
    '[a-z-]',
    '[\\w.-]+',
    '^(.*)$',
    '(?!x)y',
    '(?=x)',
    '(?<=x)y',
    '\\x{41}+',
    '[^/]+/?',
    'a{2,}b',
    '\\bx\\b',
  ].map((pattern) => `${pattern} y`),
];

const CONDITIONS: readonly string[] = [
  ...[
    'a',
    '',
    'a b',
    'a b c',
    'a b [NC]',
    'a b [OR,NC,NV]',
    'a b [ornext,nocase,novary]',
    'a b [L]',
    'a b [C]',
    'a b [',
    'a b NC',
    'a b [NC=1]',
    'a ""',
    '"" b',
    'a "',
    'a "b',
  ],
  ...[
    '-f',
    '!-f',
    '-q',
    '-d [NC]',
    '-eq',
    '-eq3',
    '"-eq 3"',
    '-eqx',
    '-lt3',
    '-F',
    '-U',
    '-l',
    '-L',
    '-h',
    '-s',
    '-x',
    '-H',
    '-ge',
    '-',
    '-foo(',
  ].map((pattern) => `a ${pattern}`),
  ...[
    '<b',
    '>b',
    '=b',
    '<=b',
    '>=b',
    '==',
    '=',
    '(',
    '!(',
    '=(',
    '!=b',
    '!',
    '!!b',
    '<(',
    '"<=("',
    '">("',
    '"-lt("',
    '-f(',
  ].map((pattern) => `a ${pattern}`),
  ...[
    '%{NOPE} x',
    '%{NOPE x',
    '%{HTTP_HOST} ^(www\\.)?example [NC]',
    '%{HTTP_HOST} !^$',
    '%{REQUEST_URI} "a b" "[NC]"',
    'expr',
    'expr "true" [NC,OR]',
    '"expr" "true"',
    'EXPR nope',
    'expr !nope',
    'expr "!true"',
    '!expr "("',
    'expr "%{HTTPS} == \'on\'"',
    'expr "true and"',
  ],
];

describe('rewrite rules on a real httpd', function () {
  this.timeout(300_000);
  let server: Server;
  let asked = 0;

  before(async function () {
    requireHttpd(this);
    server = await serve(
      'LogLevel crit core:alert\n<Directory "@ROOT@/htdocs">\nAllowOverride All\n</Directory>\n',
      {},
    );
  });

  after(() => server?.stop());

  async function differences(name: 'RewriteRule' | 'RewriteCond', lines: readonly string[]): Promise<string[]> {
    const folders = lines.map((line) => {
      const folder = `r${asked++}`;
      mkdirSync(path.join(server.root, 'htdocs', folder));
      writeFileSync(path.join(server.root, 'htdocs', folder, '.htaccess'), `${name} ${line}\n`);
      return folder;
    });
    const responses = await server.requestAll(folders.map((folder) => ({ path: `/${folder}/` })));
    const log = server.errorLog();
    return lines.flatMap((line, index) => {
      const { error } = name === 'RewriteRule' ? parseRewriteRule(line.trimEnd()) : parseRewriteCond(line.trimEnd());
      const at = log.indexOf(`/${folders[index]}/.htaccess: `);
      const said = at < 0 ? '' : log.slice(at, log.indexOf('\n', at)).replace(/^.*?: /, '');
      const isTaken = responses[index].status !== 500;
      if (isTaken !== (error === undefined))
        return [`${name} ${line}    we: ${error?.message ?? 'right'}    httpd: ${isTaken ? 'right' : said}`];
      return error === undefined || said.includes(error.serverText)
        ? []
        : [`${name} ${line}    we quote: ${error.serverText}    httpd: ${said}`];
    });
  }

  it('rules made by hand', async () => assert.deepEqual(await differences('RewriteRule', RULES), []));

  it('conditions made by hand', async () => assert.deepEqual(await differences('RewriteCond', CONDITIONS), []));

  it('no regular expression is called wrong that the server compiles, and few wrong ones are missed', async () => {
    const start = seed();
    const random = new Random(start);
    const pieces = [
      'a',
      'b',
      '^',
      '$',
      '.',
      '*',
      '+',
      '?',
      '*?',
      '++',
      '{2}',
      '{2,1}',
      '{1,2}',
      '{,2}',
      '{',
      '}',
      '(',
      ')',
      '(?:',
      '(?=',
      '(?<n>',
      '(?i)',
      '|',
      '[',
      ']',
      '[^',
      '[a-z]',
      '[z-a]',
      '[]',
      '-',
      '\\d',
      '\\1',
      '\\2',
      '\\.',
      '\\b',
      '\\(',
      '\\x41',
      '[[:alpha:]]',
      ',',
    ];
    const lines = Array.from(
      { length: 500 },
      () => `${Array.from({ length: 1 + random.below(7) }, () => random.pick(pieces)).join('')} -`,
    ).filter((line) => !line.startsWith('!'));
    const found = await differences('RewriteRule', lines);
    const alarms = found.filter((each) => each.endsWith('httpd: right'));
    assert.deepEqual(alarms, [], `HTTPD_UPGRADE_SEED=${start}`);
    assert.ok(
      found.length <= lines.length / 20,
      `HTTPD_UPGRADE_SEED=${start}: ${found.length} missed\n${found.join('\n')}`,
    );
  });

  it('lines at random', async () => {
    const start = seed();
    const random = new Random(start);
    const pieces = [
      'x',
      '^/a',
      '(.*)',
      '$1',
      ' ',
      ' ',
      ' ',
      '"',
      "'",
      '[',
      ']',
      'L',
      ',',
      'R=301',
      'NC',
      'OR',
      '!',
      '-f',
      '\\ ',
      '%{HTTPS}',
      '=',
      '[L]',
      ' [NC]',
    ];
    const line = () => Array.from({ length: 2 + random.below(8) }, () => random.pick(pieces)).join('');
    const lines = Array.from({ length: 300 }, line);
    for (const name of ['RewriteRule', 'RewriteCond'] as const) {
      const found = await differences(name, lines);
      assert.ok(
        found.length <= lines.length / 100,
        `HTTPD_UPGRADE_SEED=${start}: ${found.length} of ${lines.length}\n${found.join('\n')}`,
      );
    }
  });
});
