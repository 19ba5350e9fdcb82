/** Rewrite rules and conditions: their parts with positions, and their errors. */
import assert from 'node:assert/strict';
import { parseRewriteCond, parseRewriteRule, type RewriteError } from '../../server/src/syntax/rewrite';

const marked = (error: RewriteError | undefined) =>
  error && `${' '.repeat(error.start)}${'^'.repeat(Math.max(1, error.end - error.start))} ${error.id}`;

describe('rewrite rules', () => {
  it('are cut as mod_rewrite cuts them', () => {
    const rows: readonly (readonly [string, readonly string[]])[] = [
      ['^/a /b [L]', ['^/a', '/b', '[L]']],
      ['"a b" \'c d\' "[L, R]" more', ['a b', 'c d', '[L, R]']],
      ['a\\ b c', ['a\\ b', 'c']],
      ['"a\\"b c', ['a\\', 'b', 'c']],
      ['a b[L]', ['a', 'b[L]']],
    ];
    for (const [source, values] of rows)
      assert.deepEqual(
        parseRewriteRule(source).arguments.map(({ value }) => value),
        values,
        source,
      );
  });

  it('have their pieces where they stand', () => {
    const source = '^/(.*)$ "https://%{HTTP_HOST}/${lower:$1|%1}/\\$2%{ENV:X}" [R=301,NC,E=A:$1]';
    const { parts, flags, pattern, isNegated } = parseRewriteRule(source);
    assert.equal(pattern?.value, '^/(.*)$');
    assert.equal(isNegated, false);
    assert.deepEqual(
      parts.map((part) => [
        part.kind,
        part.name,
        source.slice(part.start, part.end),
        source.slice(part.nameStart, part.nameEnd),
      ]),
      [
        ['variable', 'HTTP_HOST', '%{HTTP_HOST}', 'HTTP_HOST'],
        ['map', 'lower', '${lower:$1|%1}', 'lower'],
        ['rule-reference', '1', '$1', '1'],
        ['condition-reference', '1', '%1', '1'],
        ['variable', 'ENV', '%{ENV:X}', 'ENV'],
      ],
    );
    assert.deepEqual(
      flags.map(({ name, value, start, end }) => [name, value, source.slice(start, end)]),
      [
        ['R', '301', 'R=301'],
        ['NC', undefined, 'NC'],
        ['E', 'A:$1', 'E=A:$1'],
      ],
    );
  });

  it('know how a condition compares', () => {
    const rows = [
      ['%{REQUEST_FILENAME} !-f', 'file-test', '-f', true],
      ['a -F', 'file-test', '-F', false],
      ['a ^x$', 'regex', '', false],
      ['a !=b', 'text', '=', true],
      ['a "<=b"', 'text', '<=', false],
      ['a -lt10', 'number', '-lt', false],
      ['a "-eq 3"', 'number', '-eq', false],
      ['expr "true"', 'expression', '', false],
      ['EXPR !true', 'expression', '', true],
      ['a =', 'regex', '', false],
    ] as const;
    for (const [source, kind, operator, isNegated] of rows) {
      const parsed = parseRewriteCond(source);
      assert.deepEqual([parsed.kind, parsed.operator, parsed.isNegated], [kind, operator, isNegated], source);
    }
  });

  const rules = [
    ['x y [R=301, L]', '    ^^^^^^^ flags'],
    ['x y [R=301,Q]', '           ^ unknown-flag'],
    ['x y [OR]', '     ^^ unknown-flag'],
    ['x y [R=499,L]', '       ^^^ status'],
    ['^/(a|b c', '  ^ regex'],
    ['"!(a" c', '  ^ regex'],
    ['x', '^ arguments'],
    ['"a b c', '^^^^^^ arguments'],
  ] as const;
  for (const [source, expected] of rules)
    it(`report what is wrong with RewriteRule ${source}`, () =>
      assert.equal(marked(parseRewriteRule(source).error), expected));

  const conditions = [
    ['a b [L]', '     ^ unknown-flag'],
    ['a *.php', '  ^ regex'],
    ['expr "%{HTTPS} == on"', '                  ^^ expression'],
    ['a', '^ arguments'],
  ] as const;
  for (const [source, expected] of conditions)
    it(`report what is wrong with RewriteCond ${source}`, () =>
      assert.equal(marked(parseRewriteCond(source).error), expected));

  it('are right', () => {
    for (const source of [
      '^ - [F]',
      '^(.*)$ http://x/$1?a=%{QUERY_STRING} [L,R=permanent]',
      '(?i)x y',
      '!^/a /b',
      'a b [E=X:${m:a},L]',
      'a b "[L, R]"',
    ])
      assert.equal(parseRewriteRule(source).error, undefined, source);
  });
});
