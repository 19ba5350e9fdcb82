/** Who gets in by a section's access lines: `$0` stands on the line that is asked about. */
import assert from 'node:assert/strict';
import { explainAccess } from '../../server/src/features/explain-access';
import { Tree } from '../../server/src/syntax/document';

function explained(marked: string): string | null {
  const offset = marked.indexOf('$0');
  return explainAccess(Tree.parse(marked.replace('$0', '')), offset);
}

const section = (...lines: string[]) => `<Directory /srv>\n${lines.map((line) => `    ${line}\n`).join('')}</Directory>\n`;

describe('explain access', () => {
  it('says one answer where all three agree', () => {
    assert.equal(
      explained(section('$0Order deny,allow', 'Deny from all', 'Allow from 10.0.0.0/8')),
      [
        '**Who gets in** by what `<Directory /srv>` says itself: 10.0.0.0/8.',
        '',
        '| client | answer |',
        '| --- | --- |',
        '| from 10.0.0.0/8 | in |',
        '| anybody else | refused (403) |',
        '',
        'In 2.4: `Require ip 10.0.0.0/8`',
        '',
        'What outer sections ask for (a login, say) comes on top of it.',
      ].join('\n'),
    );
  });

  it('shows where mod_access_compat lets in whom 2.2 refused', () => {
    const text = explained(section('Order deny,allow', 'Deny from all', 'Allow from env=ok', '$0Satisfy Any'))!;
    assert.match(text, /^\| client \| 2\.2 \| 2\.4 with mod_access_compat \| 2\.4 converted \|$/m);
    assert.match(text, /^\| anybody else \| refused \(403\) \| \*\*in\*\* \| refused \(403\) \|$/m);
  });

  it('asks for a login where one is asked for', () => {
    const text = explained(section('AuthType Basic', 'Require valid-user', 'Order allow,deny', '$0Allow from all'))!;
    assert.match(text, /itself: everybody, and only with a login \(valid-user\)\./);
    assert.match(text, /^\| anybody, no login \| login \(401\) \|$/m);
    assert.match(text, /^\| anybody, logged in as required \| in \|$/m);
  });

  const words: [title: string, lines: string[], expected: string][] = [
    ['nobody', ['$0Order allow,deny'], 'nobody'],
    ['everybody', ['$0Order deny,allow'], 'everybody'],
    ['everybody but', ['$0Order allow,deny', 'Allow from all', 'Deny from 10.1 env=bad'], 'everybody, but not 10.1, requests with the variable bad'],
    ['some of the refused', ['$0Deny from 10', 'Allow from 10.1'], 'everybody but 10; of these, 10.1 all the same'],
    ['a variable that must not be set', ['$0Order allow,deny', 'Allow from env=!bot'], 'requests without the variable bot'],
  ];
  for (const [title, lines, expected] of words) {
    it(`in words: ${title}`, () => assert.ok(explained(section(...lines))!.includes(`says itself: ${expected}.`), explained(section(...lines))!));
  }

  it('tells that <Limit> makes it depend on the method', () => assert.match(explained(section('<Limit POST>', '$0Deny from all', '</Limit>'))!, /depends on the method/));

  it('tells it for each class of methods, and the tree for all', () => {
    const text = explained(section('AuthType Basic', '<Limit GET POST>', 'Order allow,deny', '$0Allow from 10', '</Limit>', '<LimitExcept GET POST>', 'Require valid-user', '</LimitExcept>'))!;
    assert.equal(
      text,
      [
        '**Who gets in** by what `<Directory /srv>` says itself depends on the method.',
        '',
        '`GET`, `POST`: 10.',
        '',
        '| client | answer |',
        '| --- | --- |',
        '| from 10 | in |',
        '| anybody else | refused (403) |',
        '',
        'All methods that no limit names: everybody, and only with a login (valid-user).',
        '',
        '| client | answer |',
        '| --- | --- |',
        '| anybody, no login | login (401) |',
        '| anybody, logged in as required | in |',
        '',
        'In 2.4: ',
        '',
        '```apacheconf',
        '<RequireAll>',
        '    Require method GET POST',
        '    Require ip 10',
        '</RequireAll>',
        '<RequireAll>',
        '    Require not method GET POST',
        '    Require valid-user',
        '</RequireAll>',
        '```',
      ].join('\n'),
    );
  });

  it('says why it does not', () => assert.match(explained(section('<Limit FOO>', '$0Deny from all', '</Limit>'))!, /is not told here: \\<Limit> names FOO/));

  it('has nothing to say of other lines, and of new ones', () => {
    assert.equal(explained(section('$0Options None', 'Order allow,deny')), null);
    assert.equal(explained(section('$0Require all granted')), null);
    assert.equal(explained(''), null);
  });

  it('keeps to the innermost section', () => {
    const text = explained(`<VirtualHost *>\n<Directory /a>\nDeny from all\n<Files x>\n$0Allow from all\n</Files>\n</Directory>\n</VirtualHost>\n`)!;
    assert.ok(text.includes('`<Files x>`') && text.includes('everybody'), text);
  });
});
