import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'invalid-value' };
const marked = (text: string) => annotated(text, rule);

describe('invalid-value', () => {
  it('marks the word that is refused, in odd case, quoted, behind a continuation, in sections', () => {
    assert.equal(
      marked(
        'ServerRoot /srv\nlIMITiNTERNALrECURSION 0\nServerSignature \\\n  "Oof"\n<VirtualHost *:80>\n  LimitRequestBody 10M\n</VirtualHost>\n',
      ),
      `ServerRoot /srv
lIMITiNTERNALrECURSION 0
#                      ^ error invalid-value/range none
ServerSignature \\
  "Oof"
# ^^^^^ error invalid-value/word suggestion
<VirtualHost *:80>
  LimitRequestBody 10M
#                  ^^^ error invalid-value/number none
</VirtualHost>
`,
    );
  });

  it('marks the word that a check by code rejects', () => {
    const text = `ServerRoot /srv
SSLSessionCache "shmcb:/run/cache(10)"
#               ^^^^^^^^^^^^^^^^^^^^^^ error invalid-value/refused none
Substitute foo
#          ^^^ error invalid-value/refused none
CookieExpires 2x
#             ^^ error invalid-value/refused none
`;
    assert.equal(marked(text.replace(/^#.*\n/gm, '')), text);
  });

  it('reads times of mod_md as 64-bit numbers of microseconds', () => {
    const isRefused = (line: string) => findingsIn(`ServerRoot /srv\n${line}\n`, rule).length > 0;
    for (const line of [
      'MDRetryDelay 9223372036854775808',
      'MDRetryDelay 9999999999999999999',
      'MDRetryDelay 9223372036855',
      'MDRetryDelay 10000000000h',
      'MDInitialDelay 9223372036855',
      'MDInitialDelay -9223372036854775809',
      'MDStoreLocks 9999999999999999999',
      'MDRenewWindow 9999999999999999999',
      'MDRenewWindow 9999999999999999999%',
      'MDRenewWindow -9%',
    ])
      assert.ok(isRefused(line), line);
    for (const line of [
      'MDRetryDelay 9223372036854',
      'MDRetryDelay 00000000000000000000005',
      'MDInitialDelay -9223372036854775808',
      'MDRenewWindow -1',
      'MDRenewWindow 00000000000000000000005%',
      'MDRenewWindow -0%',
      'MDRenewWindow %',
      'MDRenewWindow 9223372036854775807%',
    ])
      assert.ok(!isRefused(line), line);
  });

  it('shows the bytes of a number with a unit', () => {
    const helpOf = (value: string) => findingsIn(`ServerRoot /srv\nLimitRequestBody ${value}\n`, rule)[0]!.help!;
    assert.match(helpOf('10M'), /^Write `10485760`:/);
    assert.match(helpOf('2gb'), /^Write `2147483648`:/);
    assert.match(helpOf('x'), /^Valid values: /);
  });

  it('offers the nearest word, where there is one, and never by itself', () => {
    const text = 'ServerRoot /srv\r\nServerSignature Emial\r\nEnableSendfile Perhaps\r\n';
    assert.equal(fixed(text, rule), text);
    assert.equal(fixed(text, { ...rule, unsafe: true }), text.replace('Emial', 'EMail'));
  });

  it('refuses a method in a .htaccess that is none, or in other letters', () => {
    const inHtaccess = (tag: string) =>
      findingsIn(`<Limit${tag}>\nRequire all granted\n</Limit${tag.split(' ')[0]}>\n`, { ...rule, file: '.htaccess' })
        .length;
    for (const tag of [' FOO', ' get', ' GET Post', 'Except GET Foo', ' "FOO"']) assert.equal(inHtaccess(tag), 1, tag);
    for (const tag of [' GET POST', 'Except PROPFIND HEAD', ' "GET"', ' PURGE', 'Except ACL', ' ${M}'])
      assert.equal(inHtaccess(tag), 0, tag);
    assert.equal(
      findingsIn('<Directory /a>\n<Limit get>\nRequire all granted\n</Limit>\n</Directory>\n', rule).length,
      0,
    );
  });

  it('tells what stands behind a tag without arguments', () => {
    assert.deepEqual(
      findingsIn('<Directory /a>\n<RequireAll> # note\nRequire all granted\n</RequireAll>\n</Directory>\n', rule).map(
        ({ messageId }) => messageId,
      ),
      ['refused'],
    );
  });

  it('leaves right values alone, variables, template text, comments, other places, newer servers, and what 2.4 does not read', () => {
    const clean = [
      'ServerRoot /srv',
      'ServerSignature EMAIL',
      'LimitRequestBody 10',
      'LimitRequestBody ${BODY}',
      'LimitInternalRecursion 1',
      '# ServerSignature x',
      'NoSuchThing x',
      '<IfVersion < 2.4>',
      'ServerSignature x',
      '</IfVersion>',
      '<Directory /a>',
      'LimitInternalRecursion 0',
      '</Directory>',
      '',
    ].join('\n');
    assert.equal(marked(clean), clean);
    const template = 'ServerRoot /srv\nLimitRequestBody {{ body }}\nServerSignature <%= signature %>\n';
    assert.equal(marked(template), template);
  });
});
