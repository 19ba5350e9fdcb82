import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'access-compat-differs' };
const marked = (text: string) => annotated(text, rule);
const inside = (...lines: string[]) => `<Directory /a>\n${lines.map((line) => `${line}\n`).join('')}</Directory>\n`;

describe('access-compat-differs', () => {
  it('marks the Satisfy that counts: the last, in odd case, in a condition, in a .htaccess', () => {
    assert.equal(
      marked(inside('Satisfy All', 'sATISFY aNY')),
      '<Directory /a>\nSatisfy All\nsATISFY aNY\n#^^^^^^^^^^ warning access-compat-differs/forgets-hosts none\n</Directory>\n',
    );
    assert.equal(
      marked(inside('<IfModule mod_so.c>', '  sATISFY aNY', '</IfModule>')),
      `<Directory /a>
<IfModule mod_so.c>
  sATISFY aNY
# ^^^^^^^^^^^ warning access-compat-differs/forgets-hosts none
</IfModule>
</Directory>
`,
    );
    assert.equal(
      annotated('Order allow,deny\nSatisfy Any\n', { ...rule, file: '.htaccess' }),
      'Order allow,deny\nSatisfy Any\n#^^^^^^^^^^ warning access-compat-differs/grants-refused none\n',
    );
  });

  it('finds Satisfy All that drops hosts, and Satisfy Any with Require lines for some methods', () => {
    assert.match(marked(inside('Satisfy All')), /forgets-hosts/);
    const shut = ['Order deny,allow', 'Deny from all', 'Satisfy Any'];
    const limited = (limit: string) => [`<${limit} PUT>`, 'Require valid-user', `</${limit}>`];
    assert.match(marked(inside(...shut, ...limited('LimitExcept'))), /grants-refused/);
    assert.match(marked(inside(...shut, ...limited('Limit'))), /grants-refused/);
    assert.doesNotMatch(marked(inside(...shut, ...limited('Limit'), ...limited('LimitExcept'))), /access-compat/);
  });

  it('leaves alone what decides alike: All, a Require beside the hosts, hosts that are never denied', () => {
    for (const lines of [
      ['Order deny,allow', 'Satisfy All'],
      ['Deny from all', 'Satisfy Any', 'Satisfy All'],
      ['Order deny,allow', 'Deny from all', 'Require valid-user', 'Satisfy Any'],
      ['Order deny,allow', 'Satisfy Any'],
      ['Order deny,allow', 'Deny from all', 'Allow from all', 'Satisfy Any'],
      ['# Satisfy Any'],
      ['<IfVersion < 2.4>', 'Satisfy Any', '</IfVersion>'],
      ['Satisfy ${HOW}'],
    ])
      assert.equal(marked(inside(...lines)), inside(...lines));
  });

  it('says nothing of Satisfy Any alone in a whole configuration that denies no host', () => {
    const base = 'ServerRoot /srv\n<Directory />\nAllowOverride None\nOrder allow,deny\nAllow from all\n</Directory>\n';
    assert.doesNotMatch(marked(base + inside('Satisfy Any')), /access-compat-differs/);
    for (const more of ['Deny from 192.0.2.1', 'Allow from 192.0.2.1', 'Include x.conf'])
      assert.match(marked(`${base}${inside(more)}${inside('Satisfy Any')}`), /forgets-hosts/, more);
  });

  it('is information where the server is a 2.4 already', () => {
    assert.match(
      annotated(inside('Satisfy Any'), { ...rule, accessSource: '2.4' }),
      /\n#\^+ info access-compat-differs\/forgets-hosts none\n/,
    );
  });

  it('says how to combine a login with the addresses that other sections allow', () => {
    const helpOf = (lines: string) =>
      findingsIn(`<Directory /srv/a>\n${lines}Satisfy All\n</Directory>\n`, rule)[0]?.help ?? '';
    assert.match(
      helpOf('Require valid-user\n'),
      /^If no `Order`, `Allow` or `Deny` line of another section applies here, remove `Satisfy`, and keep the `Require` line\. Otherwise write this line and one `Require ip` line with all addresses that those lines allow, such as `Require ip 10 192\.168`, into a RequireAll section\. /,
    );
    // In a <RequireAll> section all lines must match, but one of these logins is enough.
    assert.match(
      helpOf('Require user a\nRequire user b\n'),
      / Otherwise write these lines, in a RequireAny section, and one `Require ip` line .* into a RequireAll /,
    );
    assert.match(
      helpOf(''),
      /^Write one `Require ip` line with all addresses .*, and remove `Satisfy`\. If there is a login/,
    );
  });

  it('changes nothing itself', () =>
    assert.equal(fixed(inside('Satisfy Any'), { ...rule, unsafe: true }), inside('Satisfy Any')));
});

describe('access-compat-differs beside mod_authz_svn', () => {
  it('names a way that keeps anonymous reading', () => {
    const text = (line: string) =>
      `<Location /svn>\nDAV svn\n${line}AuthType Basic\nSatisfy Any\nRequire valid-user\n</Location>\n`;
    const helpOf = (of: string) => findingsIn(of, { rule: 'access-compat-differs' })[0]?.help ?? '';
    assert.match(helpOf(text('AuthzSVNAccessFile /a\n')), /Load mod_access_compat, keep `Satisfy Any`/);
    assert.match(
      helpOf(text('')),
      /^Remove `Satisfy`, and keep the `Require` lines\. Add `Require` lines for the clients .* one matching line is enough\./,
    );
    const causeOf = (of: string) => findingsIn(of, { rule: 'access-compat-differs' })[0]?.cause ?? '';
    assert.match(causeOf(text('AuthzSVNAccessFile /a\n')), /only `AuthzSVNAccessFile` decides who has access without/);
    assert.match(causeOf(text('')), /everyone has access, without a login/);
  });

  it('claims no more than it knows of inherited Require lines', () => {
    const text = '<Directory /a>\nOrder deny,allow\nDeny from all\nAllow from 10\nSatisfy Any\n</Directory>\n';
    const whats = (of: string) => findingsIn(of, { rule: 'access-compat-differs' }).map(({ what }) => what);
    assert.deepEqual(whats(text), ['`Satisfy Any` without a `Require` line: 2.4 may allow requests that 2.2 denied']);
    assert.deepEqual(whats(`ServerRoot /x\n${text}`), [
      '`Satisfy Any` opens access to clients that `Order`, `Allow` and `Deny` deny',
    ]);
  });
});
