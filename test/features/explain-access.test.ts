/** Who has access according to a section's access lines: `$0` is on the requested line. */
import assert from 'node:assert/strict';
import { explainAccess } from '../../server/src/features/explain-access';
import { Tree } from '../../server/src/syntax/document';

function explained(marked: string): string | null {
  const offset = marked.indexOf('$0');
  return explainAccess(Tree.parse(marked.replace('$0', '')), offset);
}

const section = (...lines: string[]) =>
  `<Directory /srv>\n${lines.map((line) => `    ${line}\n`).join('')}</Directory>\n`;

describe('explain access', () => {
  it('says one answer where all three agree', () => {
    assert.equal(
      explained(section('$0Order deny,allow', 'Deny from all', 'Allow from 10.0.0.0/8')),
      [
        '**Who has access** by the lines of `<Directory /srv>`: 10.0.0.0/8.',
        '',
        '| client | answer |',
        '| --- | --- |',
        '| from 10.0.0.0/8 | allowed |',
        '| everyone else | denied (403) |',
        '',
        'In 2.4: `Require ip 10.0.0.0/8`',
        '',
        'Sections of parent directories, and others, can restrict access further.',
      ].join('\n'),
    );
  });

  it('shows where mod_access_compat lets in whom 2.2 refused', () => {
    const text = explained(section('Order deny,allow', 'Deny from all', 'Allow from env=ok', '$0Satisfy Any'))!;
    assert.match(text, /^\| client \| 2\.2 \| 2\.4 with mod_access_compat \| 2\.4 after the conversion \|$/m);
    assert.match(text, /^\| everyone else \| denied \(403\) \| \*\*allowed\*\* \| denied \(403\) \|$/m);
  });

  it('asks for a login where one is asked for', () => {
    const text = explained(section('AuthType Basic', 'Require valid-user', 'Order allow,deny', '$0Allow from all'))!;
    assert.match(text, /: everyone, but only with a login \(valid-user\)\./);
    assert.match(text, /^\| everyone, no login \| login \(401\) \|$/m);
    assert.match(text, /^\| everyone, logged in \| allowed \|$/m);
  });

  const words: [title: string, lines: string[], expected: string][] = [
    ['nobody', ['$0Order allow,deny'], 'nobody'],
    ['everybody', ['$0Order deny,allow'], 'everyone'],
    [
      'everybody but',
      ['$0Order allow,deny', 'Allow from all', 'Deny from 10.1 env=bad'],
      'everyone except 10.1 or requests with the variable bad',
    ],
    ['some of the refused', ['$0Deny from 10', 'Allow from 10.1'], 'everyone except 10; but these are allowed: 10.1'],
    [
      'a variable that must not be set',
      ['$0Order allow,deny', 'Allow from env=!bot'],
      'requests without the variable bot',
    ],
  ];
  for (const [title, lines, expected] of words) {
    it(`in words: ${title}`, () =>
      assert.ok(
        explained(section(...lines))!.includes(`lines of \`<Directory /srv>\`: ${expected}.`),
        explained(section(...lines))!,
      ));
  }

  it('counts the Satisfy and Require lines around a section, in the same file', () => {
    const htaccess = (...lines: string[]) => explained([...lines, ''].join('\n'))!;
    const files = ['<Files x>', '$0Order allow,deny', 'Deny from all', '</Files>'];
    const text = htaccess('Require valid-user', '<Limit GET>', 'Satisfy Any', '</Limit>', ...files);
    assert.match(
      text,
      /^\*\*Who has access\*\* by the lines of `<Files x>` and the sections around it depends on the method\.$/m,
    );
    assert.match(text, /^`GET` \(with `HEAD`\): everyone with a login \(valid-user\)\.$/m);
    assert.match(text, /^\| everyone, logged in \| allowed \| \*\*denied \(403\)\*\* \| allowed \|$/m);
    assert.match(text, /^All other methods: nobody\.$/m);
    assert.match(text, /Require method GET\n *Require valid-user/);
    assert.match(
      htaccess('Require valid-user', '<Files x>', '$0Order deny,allow', '</Files>'),
      /and the sections around it: everyone, but only with a login \(valid-user\)\.\n/,
    );
    assert.match(htaccess('Satisfy Any', ...files), /the sections around it: nobody\.\n/);
    assert.match(htaccess('Order allow,deny', 'Allow from all', ...files), /`<Files x>`: nobody\.\n/);
    assert.match(htaccess('Require all granted', ...files), /`<Files x>`: nobody\.\n/);
    const conditional = ['<IfModule a>', 'Require valid-user', '</IfModule>'];
    assert.match(htaccess(...conditional, ...files), /`<Files x>`: nobody\.\n/);
  });

  it('tells that <Limit> makes it depend on the method', () =>
    assert.match(explained(section('<Limit POST>', '$0Deny from all', '</Limit>'))!, /depends on the method/));

  it('tells it for each class of methods, and the tree for all', () => {
    const text = explained(
      section(
        'AuthType Basic',
        '<Limit GET POST>',
        'Order allow,deny',
        '$0Allow from 10',
        '</Limit>',
        '<LimitExcept GET POST>',
        'Require valid-user',
        '</LimitExcept>',
      ),
    )!;
    assert.equal(
      text,
      [
        '**Who has access** by the lines of `<Directory /srv>` depends on the method.',
        '',
        '`GET` (with `HEAD`), `POST`: 10.',
        '',
        '| client | answer |',
        '| --- | --- |',
        '| from 10 | allowed |',
        '| everyone else | denied (403) |',
        '',
        'All other methods: everyone, but only with a login (valid-user).',
        '',
        '| client | answer |',
        '| --- | --- |',
        '| everyone, no login | login (401) |',
        '| everyone, logged in | allowed |',
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

  it('at a glance, clients with the same answer share a row, and a login is named where it counts', () => {
    const glance = (...lines: string[]) =>
      explainAccess(Tree.parse(section(...lines)), section('').indexOf('    ') + 4, { isShort: true })!
        .split('\n')
        .filter((row) => /^\| (?!client|---)/.test(row));
    assert.deepEqual(
      glance('Order deny,allow', 'Deny from all', 'Allow from 10.1 10.2 10.3', 'Require valid-user', 'Satisfy any'),
      [
        '| from 10.1 or 2 more | allowed |',
        '| everyone else, no login | login (401) |',
        '| everyone else, logged in | allowed |',
      ],
    );
    assert.deepEqual(glance('Order allow,deny', 'Allow from all', 'Deny from 10.1 10.2'), [
      '| from 10.1 or from 10.2 | denied (403) |',
      '| everyone else | allowed |',
    ]);
    assert.deepEqual(glance('Order deny,allow', 'Deny from 10.1', 'Allow from all'), [], 'the words say it');
    const many = [...Array(260).keys()].map((n) => `10.${n >> 8}.${n & 255}`).join(' ');
    assert.deepEqual(glance('Order deny,allow', `Deny from ${many}`), [
      '| from 10.0.0 or 249 more | denied (403) |',
      '| 10 more | … |',
      '| everyone else | allowed |',
    ]);
  });

  it('of many clients, tells how many rows are left out', () => {
    const many = [...Array(9).keys()].map((n) => `10.0.${n}`).join(' ');
    assert.match(explained(section('$0Order deny,allow', `Deny from ${many}`))!, /\| 1 more \| … \|\n\| everyone else/);
  });

  it('says why it does not', () =>
    assert.match(
      explained(section('<Limit FOO>', '$0Deny from all', '</Limit>'))!,
      / is not shown: .* for the method FOO/,
    ));

  it('has nothing to say of other lines, and of new ones', () => {
    assert.equal(explained(section('$0Options None', 'Order allow,deny')), null);
    assert.equal(explained(section('$0Require all granted')), null);
    assert.equal(explained(''), null);
  });

  it('keeps to the innermost section', () => {
    const text = explained(
      `<VirtualHost *>\n<Directory /a>\nDeny from all\n<Files x>\n$0Allow from all\n</Files>\n</Directory>\n</VirtualHost>\n`,
    )!;
    assert.ok(text.includes('`<Files x>`') && text.includes('everyone'), text);
  });
});
