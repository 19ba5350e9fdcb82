import assert from 'node:assert/strict';
import { parseRewriteCond, parseRewriteRule } from '../../server/src/syntax/rewrite';
import { Random, seed } from '../support/random';
import { rounds } from '../support/rounds';
import { annotated, findingsIn } from '../support/rules';

const marked = (text: string) => annotated(text, { rule: 'rewrite-error' });

describe('rewrite-error', () => {
  it('leaves alone what the server takes, what it cannot know, comments, macros', () => {
    const clean = [
      'RewriteRule ^ - [F,L]',
      'RewriteRule "^/a b" "/c d" "[R=301, L]"',
      'RewriteRule ^/(.*) /${map:$1|x}/%{NOPE} [E=A:$1,CO=a:b:c]',
      'RewriteRule ${PATTERN} /x [${FLAGS}]',
      'RewriteRule ^/a https://<%= @host %>/b',
      'RewriteCond expr "1 -eq @limit@"',
      'RewriteRule x y [dpix]',
      'RewriteCond %{HTTP_HOST} !^(www\\.)?x [NC,OR]',
      'RewriteCond %{X} -f',
      'RewriteCond expr "%{SSL_NOPE} == \'x\'"',
      '# RewriteRule x',
      '<Macro M $f>',
      'RewriteRule x y $f',
      '</Macro>',
      'RewriteRule (?<year>\\d{4}) /$1',
      'RewriteRule [[:alpha:]]+ /x',
      '',
    ].join('\n');
    assert.equal(marked(clean), clean);
  });

  it('points at the place, also behind a continuation', () => {
    const text = [
      'RewriteRule ^/a /b [R=301, L]',
      '#                  ^^^^^^^ error rewrite-error/flags none',
      'rEWRITErULE ^/a "/b" \\',
      '   [L,Foo]',
      '#     ^^^ error rewrite-error/unknown-flag none',
      'RewriteRule',
      '#^^^^^^^^^^ error rewrite-error/arguments none',
      '\tRewriteCond "%{REQUEST_URI}" "![a" [NC]',
      '#                               ^^ error rewrite-error/regex none',
      'RewriteCond expr "%{REQUEST_URI} == nope"',
      '#                                   ^^^^ error rewrite-error/expression none',
      'RewriteCond expr "%{NOPE} == \'x\'"',
      '#                   ^^^^ error rewrite-error/expression none',
      '',
    ];
    const source = text.filter((row) => !/^# *\^/.test(row)).join('\n');
    assert.equal(marked(source), text.join('\n'));
  });

  it('passes over usual lines only where the parser finds nothing', () => {
    const start = seed();
    const random = new Random(start);
    const pieces = [
      '^',
      '$',
      '/a',
      '(.*)',
      '(',
      ')',
      '[^/]+',
      '[',
      ']',
      '\\.',
      '\\',
      '.*',
      '*',
      '?',
      '+',
      '%{HTTPS}',
      '$1',
      '-',
      ' ',
      ' ',
      ' [L]',
      ' [R=301,L]',
      ' [NC]',
      ' [OR]',
      ' [R=418]',
      ',',
      '!',
      '{',
      '|',
      '-f',
      '(?:x)',
      '"',
    ];
    for (let round = 0; round < rounds(4000); round++) {
      const rest = Array.from({ length: 1 + random.below(9) }, () => random.pick(pieces))
        .join('')
        .trim();
      for (const [name, parse] of [
        ['RewriteRule', parseRewriteRule],
        ['RewriteCond', parseRewriteCond],
      ] as const) {
        const line = `${name} ${name === 'RewriteCond' && random.below(2) ? '%{REQUEST_URI} ' : ''}${rest}`;
        // Continued, filled in by a template or a shell, or with a variable.
        if (/\\$|\{\{|\$\{|[\s"]\$\(/.test(line)) continue;
        const { error } = parse(line.slice(name.length).trim());
        const found = findingsIn(`${line}\n`, { rule: 'rewrite-error' }).map(({ messageId }) => messageId);
        assert.deepEqual(found, error ? [error.id] : [], `HTTPD_UPGRADE_SEED=${start} ${line}`);
      }
    }
  });

  it('says what the server says', () => {
    const said = (line: string, file?: string) => findingsIn(`${line}\n`, { rule: 'rewrite-error', file })[0].message;
    assert.match(
      said('RewriteRule a b [OR]'),
      /is a flag of RewriteCond, not of RewriteRule[^]*will not start[^]*Message of httpd: RewriteRule: unknown flag 'OR'$/,
    );
    assert.match(
      said('RewriteRule a b [R=600]', '.htaccess'),
      /requests get 500[^]*Message of httpd: RewriteRule: invalid HTTP response code '600' for flag 'R'$/,
    );
    assert.match(
      said('RewriteRule a b [L, R]'),
      /Help: Write all flags as one argument, in brackets and without spaces/,
    );
  });
});
