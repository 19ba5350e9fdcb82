/** Cases that the examples on the rule's page do not show. */
import assert from 'node:assert/strict';
import { standaloneAccess } from '../../server/src/analysis/access-conversion';
import { Tree } from '../../server/src/syntax/document';
import { annotated, findingsIn, fixed } from '../support/rules';

const RULE = 'order-allow-deny';
const ROOT = 'ServerRoot /etc/httpd\n<Directory />\n    AllowOverride None\n</Directory>\n';
const section = (...lines: string[]) =>
  `<Directory /srv>\n${lines.map((line) => `    ${line}\n`).join('')}</Directory>\n`;
const body = (text: string) =>
  text.slice(text.indexOf('<Directory /srv>') + '<Directory /srv>\n'.length, text.lastIndexOf('</Directory>'));
const safely = (...lines: string[]) => body(fixed(ROOT + section(...lines), { rule: RULE, assumeStandalone: true }));
const withSuggestions = (...lines: string[]) => body(fixed(section(...lines), { rule: RULE, unsafe: true }));
const titles = (text: string, file?: string) =>
  findingsIn(text, { rule: RULE, file }).flatMap((finding) =>
    finding.fixes.map((fix) => `${fix.safety}: ${fix.title}`),
  );

describe('order-allow-deny', () => {
  /** docs/access-control.md, "The translation": order, Allow, Deny, result. */
  const ROWS: [order: string, allow: string, deny: string, result: string][] = [
    ['allow,deny', '', '', 'Require all denied'],
    ['allow,deny', '', '10.1', 'Require all denied'],
    ['allow,deny', '10.2', 'all', 'Require all denied'],
    ['allow,deny', 'all', 'all', 'Require all denied'],
    ['allow,deny', 'all', '', 'Require all granted'],
    ['allow,deny', 'all', '10.1', '<RequireAll> Require all granted Require not ip 10.1 </RequireAll>'],
    ['allow,deny', '10.2', '', 'Require ip 10.2'],
    ['allow,deny', '10.2', '10.1', '<RequireAll> Require ip 10.2 Require not ip 10.1 </RequireAll>'],
    [
      'allow,deny',
      '10.2 a.example',
      '10.1',
      '<RequireAll> <RequireAny> Require ip 10.2 Require host a.example </RequireAny> Require not ip 10.1 </RequireAll>',
    ],
    ['mutual-failure', '10.2', '10.1', '<RequireAll> Require ip 10.2 Require not ip 10.1 </RequireAll>'],
    ['mutual-failure', '', '', 'Require all denied'],
    ['deny,allow', 'all', '10.1', 'Require all granted'],
    ['deny,allow', 'all', 'all', 'Require all granted'],
    ['deny,allow', '10.2', '', 'Require all granted'],
    ['deny,allow', '', '', 'Require all granted'],
    ['deny,allow', '', 'all', 'Require all denied'],
    ['deny,allow', '10.2 10.3', 'all', 'Require ip 10.2 10.3'],
    ['deny,allow', '10.2 env=ok', 'all', 'Require ip 10.2 Require env ok'],
    ['deny,allow', '', '10.1', '<RequireAll> Require all granted Require not ip 10.1 </RequireAll>'],
    [
      'deny,allow',
      '10.2',
      '10.1',
      'Require ip 10.2 <RequireAll> Require all granted Require not ip 10.1 </RequireAll>',
    ],
    ['', '10.2', '10.1', 'Require ip 10.2 <RequireAll> Require all granted Require not ip 10.1 </RequireAll>'],
    ['allow,deny', 'env=!bot', '', '<RequireAll> Require all granted Require not env bot </RequireAll>'],
    ['deny,allow', '', 'env=!key', 'Require env key'],
  ];
  for (const [order, allow, deny, result] of ROWS) {
    it(`Order ${order || '(none)'}, Allow ${allow || 'none'}, Deny ${deny || 'none'}`, () => {
      const lines = [order && `Order ${order}`, allow && `Allow from ${allow}`, deny && `Deny from ${deny}`].filter(
        Boolean,
      );
      for (const arranged of [lines, [...lines].reverse()])
        assert.equal(
          safely(...arranged)
            .trim()
            .replace(/\s+/g, ' '),
          result,
        );
    });
  }

  it('marks the first line, and names the others', () => {
    assert.equal(
      annotated(section('oRDER allow,deny', '# Order deny,allow', 'Allow \\', '  from all'), { rule: RULE }),
      [
        '<Directory /srv>',
        '    oRDER allow,deny',
        '#   ^^^^^^^^^^^^^^^^ warning order-allow-deny/access suggestion',
        '    # Order deny,allow',
        '    Allow \\',
        '      from all',
        '</Directory>',
        '',
      ].join('\n'),
    );
    const text = section('Order allow,deny', 'Allow from all', '# between', 'Deny from 10.1');
    const [finding, ...others] = findingsIn(text, { rule: RULE });
    assert.deepEqual(others, []);
    assert.deepEqual(
      finding.places.map(({ start, end }) => text.slice(start, end)),
      ['Allow from all', 'Deny from 10.1'],
    );
    assert.equal(finding.what, '`Order`, `Allow`, `Deny`: access control of 2.2 · equivalent: everyone except `10.1`');
  });

  it('moves the comment above a `<Limit>` to the new lines', () => {
    const limit = ['<LimitExcept GET>', 'Require user admin', '</LimitExcept>'];
    const text = withSuggestions('Order allow,deny', 'Allow from all', 'AuthName x', '# the admin may write', ...limit);
    assert.match(text.replace(/\n */g, '|'), /# the admin may write\|Require method GET\|<RequireAll>.*\|AuthName x/);
    assert.equal(text.split('# the admin may write').length, 2, text);
  });

  it('is silenced line by line, and for the section', () => {
    const ignore = `# httpd-upgrade-ignore ${RULE}: x`;
    const linesOf = (text: string) =>
      findingsIn(text, { rule: RULE }).map((finding) =>
        [finding, ...finding.places].map(({ start, end }) => text.slice(start, end)),
      );
    assert.deepEqual(linesOf(section(ignore, 'Order allow,deny', 'Allow from all')), [['Allow from all']]);
    assert.deepEqual(linesOf(section('Order allow,deny', ignore, 'Allow from all')), [['Order allow,deny']]);
    assert.deepEqual(linesOf(section(ignore, 'Order allow,deny', ignore, 'Allow from all')), []);
    assert.deepEqual(linesOf(`${ignore}\n${section('Order allow,deny', 'Allow from all')}`), []);
    assert.deepEqual(
      findingsIn(section(ignore, 'Order allow,deny', ignore, 'Allow from all')),
      [],
      'both comments are of use',
    );
    assert.deepEqual(
      findingsIn(section('Order allow,deny', ignore, 'Allow from all'))[0].fixes,
      [],
      'what is to stay keeps the section',
    );
  });

  it('is a suggestion in a file by itself, whatever the file looks like, and safe where a person vouches for what lies outside', () => {
    const lines = section('Order allow,deny', 'Allow from all');
    const texts: [title: string, text: string, file?: string][] = [
      ['a snippet', lines],
      ['.htaccess', 'Order allow,deny\nAllow from all\n', '.htaccess'],
      ['a main file, perhaps', ROOT + lines],
      ['an Include', `${ROOT}Include more.conf\n${lines}`],
      ['.htaccess files admitted', `${ROOT}<Directory /home>\nAllowOverride Limit\n</Directory>\n${lines}`],
    ];
    for (const [title, text, file] of texts) {
      assert.equal(titles(text, file)[0], 'suggestion: Convert to Require all granted', title);
      assert.equal(
        findingsIn(text, { rule: RULE, file })[0].fixes[0].assumes,
        'no other section, file or .htaccess restricts access to the same requests',
        title,
      );
      assert.equal(
        findingsIn(text, { rule: RULE, file, assumeStandalone: true })[0].fixes[0].title,
        'Convert to Require all granted',
        title,
      );
      assert.equal(findingsIn(text, { rule: RULE, file, assumeStandalone: true })[0].fixes[0].safety, 'safe', title);
    }
  });

  it('names the login of a .htaccess file where the lines apply after such files', () => {
    const assumes = (open: string, ...lines: string[]) => {
      const [name = ''] = /\w+/.exec(open)!;
      const text = `<${open}>\n${lines.join('\n')}\n</${name}>\n`;
      return [text, text + section('Order allow,deny', 'Allow from all')].map(
        (each) => findingsIn(each, { rule: RULE })[0].fixes[0].assumes,
      );
    };
    const plain = 'no other section, file or .htaccess restricts access to the same requests';
    const login = `${plain}, and no .htaccess file there asks for a login, which the new lines would end`;
    const late = ['DirectoryMatch "^/a/"', 'Directory ~ "^/a/"', 'Files "a.txt"', 'FilesMatch "a"', 'Location /a'];
    for (const open of [...late, 'LocationMatch "^/a"'])
      assert.deepEqual(assumes(open, 'Order allow,deny', 'Allow from all'), [login, login], open);
    assert.deepEqual(assumes('Location /a', 'Order deny,allow', 'Deny from all', 'Allow from 10'), [login, login]);
    assert.deepEqual(assumes('Location /a', 'Order allow,deny', 'Deny from all'), [plain, plain]);
    assert.deepEqual(assumes('Directory /a', 'Order allow,deny', 'Allow from all'), [plain, plain]);
  });

  it('is not safe, whatever is answered, where the file itself gives cause for a question', () => {
    const lines = section('Order allow,deny', 'Allow from all');
    const doubtful: [title: string, text: string][] = [
      ['lines that continue those of a section of another file', 'Deny from 10\nAllow from all\n'],
      ['a line that is a variable', `${ROOT}\${ACCESS}\n${lines}`],
      ['a macro', `${ROOT}Use Site a\n${lines}`],
      [
        'a condition',
        `<Directory /srv>\n<IfModule a.c>\nOrder allow,deny\nAllow from all\n</IfModule>\n</Directory>\n`,
      ],
    ];
    for (const [title, text] of doubtful) {
      const [finding] = findingsIn(text, { rule: RULE, assumeStandalone: true });
      assert.equal(finding.fixes[0].safety, 'suggestion', title);
      assert.ok(finding.fixes[0].assumes, title);
    }
  });

  describe('sections of one file that apply to the same requests', () => {
    const asked = { rule: RULE, unsafe: true };

    it('are converted together, each with what it inherits', () => {
      const text = `${section('Order deny,allow', 'Deny from all', 'Allow from 10')}<Location /x>\n    AuthType Basic\n    Require valid-user\n</Location>\n`;
      assert.equal(
        fixed(text, asked),
        text
          .replace('Order deny,allow\n    Deny from all\n    Allow from', 'Require ip')
          .replace(
            '    Require valid',
            '    # As before: what the sections around this one require is required here, too.\n    AuthMerging And\n    Require valid',
          ),
      );
      assert.equal(titles(text)[0], 'suggestion: Convert the access control of 2 sections');
      assert.ok(findingsIn(text, { rule: RULE })[0].fixes[0].assumes);
    });

    it('stay where requests would get another answer beside one that cannot be converted, or that a comment keeps', () => {
      const files = '<Files "^\\.ht">\n    Order allow,deny\n    Deny from all\n</Files>\n';
      const open = section('Order allow,deny', 'Allow from all');
      const text = (other: string) => files + open + other;
      // The section that comes after all others and sets both hosts and users is tested alone,
      // before and after.
      const whole =
        '<Location />\n    <LimitExcept GET>\n        Require valid-user\n        Deny from 10.1.*\n    </LimitExcept>\n</Location>\n';
      const kept = '# httpd-upgrade-ignore order-allow-deny: x\n<Location />\n    Allow from all\n</Location>\n';
      const login =
        '# httpd-upgrade-ignore order-allow-deny: x\n<Location />\n    <LimitExcept GET>\n        Require valid-user\n    </LimitExcept>\n    Satisfy All\n</Location>\n';
      const granted = section('Require all granted');
      for (const assumeStandalone of [false, true]) {
        const made = (other: string) => fixed(text(other), { ...asked, assumeStandalone });
        assert.equal(
          made(whole),
          files.replace('Order allow,deny\n    Deny from all', 'Require all denied') + granted + whole,
        );
        assert.equal(made(kept), files + granted + kept);
        assert.equal(made(login), text(login));
      }
    });
  });

  it('states no equivalent where a macro or an included file can add access lines', () => {
    const message = (line: string) =>
      findingsIn(`<Location /a>\n${line}Allow from 10.3\n</Location>\n`, { rule: 'order-allow-deny' })[0]!.what;
    assert.match(message(''), /equivalent: `Require all granted`/);
    for (const line of ['Use m 10.2\n', 'Include access.inc\n', 'IncludeOptional access.inc\n'])
      assert.equal(message(line), '`Allow`: access control of 2.2, replaced by `Require`', line);
  });

  it('has no suggestion where a macro of the file adds access lines', () => {
    const text =
      '<Macro M>\nDeny from all\n</Macro>\n<Macro N>\nUse M\n</Macro>\n<Directory /srv>\nOrder deny,allow\nUse N\n</Directory>\n';
    assert.equal(fixed(text, { rule: RULE, unsafe: true }), text);
    const tree = Tree.parse(text);
    const access = standaloneAccess({ tree, isHtaccess: false, source: '2.2', isAnsweredStandalone: false });
    for (const line of ['Deny', 'Order'])
      assert.deepEqual(access.reasonAt(text.indexOf(line))?.code, 'from-macro', line);
  });

  it('names an unknown macro in what its suggestion assumes', () => {
    const [finding] = findingsIn(section('Order allow,deny', 'Allow from all', 'Use Guard /srv'), { rule: RULE });
    assert.match(finding!.fixes[0]!.assumes!, /the lines that the macro Guard inserts are not known/);
  });

  it('leaves what it cannot translate, and says why', () => {
    const refused: [lines: string[], says: RegExp][] = [
      [['Order allow, deny'], /`Order allow, deny` is an error/],
      [['Allow 10.1'], /`Allow 10.1` is an error/],
      [['Deny from 10.1.2.3/40'], /`Deny from 10.1.2.3\/40` is an error/],
      [['Allow from ${OFFICE}'], /variable/],
      [['<Limit GET>', 'Deny from all/8', '</Limit>'], /\nNeither 2.2 nor 2.4 accepts "Deny from all\/8" as it is\.\n/],
      [
        ['<Limit GET>', '<Limit POST>', 'Deny from all', '</Limit>', '</Limit>'],
        /depend on the method: "Deny from all" is in a <Limit> inside another/,
      ],
      [['<Limit FOO>', 'Deny from all', '</Limit>'], /httpd-upgrade does not know/],
      [['<Limit GET>', 'Satisfy Any', '</Limit>'], /`Satisfy` and `Require` in `<Limit>`/],
      [['<IfModule a.c>', 'Deny from all', '</IfModule>', 'Allow from 10'], /condition/],
      [['Satisfy Any'], /how the lines of the enclosing section are combined/],
    ];
    for (const [lines, says] of refused) {
      const [finding] = findingsIn(section(...lines), { rule: RULE });
      assert.match(finding.message, says);
      assert.deepEqual(finding.fixes, [], lines.join(', '));
      assert.equal(withSuggestions(...lines), lines.map((line) => `    ${line}\n`).join(''));
    }
  });

  it('says what to write for a Satisfy line without Order, Allow and Deny', () => {
    const helpFor = (...lines: string[]) => findingsIn(section(...lines), { rule: RULE })[0]!.message;
    const emptyGroup = (name: string) => new RegExp(`An empty \`<${name}>\` is an error`);
    assert.match(helpFor('Satisfy Any'), emptyGroup('RequireAny'));
    assert.match(helpFor('<IfDefine X>', 'Satisfy Any', '</IfDefine>'), emptyGroup('RequireAny'));
    assert.match(helpFor('Satisfy All'), emptyGroup('RequireAll'));
    assert.match(helpFor('<Limit GET>', 'Satisfy Any', '</Limit>'), emptyGroup('RequireAny'));
    const withLogin = helpFor('Satisfy Any', 'Require valid-user');
    assert.match(withLogin, /Put the `Require` lines into a `<RequireAny>`[^]*such as `Require ip 10`/);
    assert.doesNotMatch(withLogin, /empty/);
  });

  it('asks whether the server runs 2.4 already, if a section has lines of both versions', () => {
    for (const [lines, says, title] of [
      [['Deny from all', 'Require all granted'], /a `Require` line of 2\.4/, 'Convert to Require all denied'],
      [
        ['Deny from all', 'Satisfy Any', 'Require all granted'],
        /With `Satisfy Any`, a request that either/,
        'Convert to Require all granted',
      ],
    ] as const) {
      const [finding] = findingsIn(section(...lines), { rule: RULE });
      assert.match(finding.message, says);
      assert.deepEqual(
        finding.fixes.map((fix) => [fix.title, fix.safety, fix.isAppliedAlone, fix.waitsFor?.map(({ kind }) => kind)]),
        [[title, 'suggestion', true, ['outside-unseen', 'running-version']]],
      );
    }
  });

  it('converts lines in limits together, as a suggestion', () => {
    assert.equal(
      withSuggestions(
        '<Limit GET POST>',
        'Order allow,deny',
        'Allow from all',
        '</Limit>',
        '<LimitExcept GET POST>',
        'Order deny,allow',
        'Deny from all',
        '</LimitExcept>',
      ),
      '    Require method GET POST\n',
    );
    assert.equal(
      withSuggestions('<Limit GET>', '# why', 'Deny from all', '</Limit>'),
      '    <RequireAll>\n        Require not method GET\n        Require all granted\n    </RequireAll>\n    <Limit GET>\n    # why\n    </Limit>\n',
    );
  });

  it('counts what 2.2 counted behind a #', () => {
    assert.match(
      withSuggestions('Order allow,deny', 'Allow from all', 'Deny from 192.0.2.1 # not all'),
      /Require all denied/,
    );
    assert.match(
      withSuggestions('Order allow,deny', 'Allow from 192.0.2.1 # the office'),
      /^ {4}Require ip 192\.0\.2\.1\n$/,
    );
  });

  it('is silent where the lines do not exist for 2.4, or were written for its mod_access_compat', () => {
    for (const open of ['<IfModule !mod_authz_core.c>', '<IfVersion < 2.4>', '<IfModule mod_access_compat.c>']) {
      const close = open.replace(/^<(\w+).*/, '</$1>');
      assert.deepEqual(findingsIn(section(open, 'Order allow,deny', close), { rule: RULE }), [], open);
    }
  });

  it('keeps a login that stands beside, in the case that 2.4 wants', () => {
    assert.equal(
      withSuggestions('AuthType Basic', 'Require Valid-User', 'Order allow,deny', 'Allow from all'),
      '    AuthType Basic\n    Require valid-user\n',
    );
    assert.equal(withSuggestions('Require user a', 'Order allow,deny', 'Deny from all'), '    Require all denied\n');
  });

  it('says that a login with Satisfy All is the equivalent only without Order, Allow and Deny elsewhere', () => {
    const textsOf = (...lines: string[]) =>
      findingsIn(section(...lines), { rule: RULE }).map(({ what, help }) => ({ what, help }));
    assert.deepEqual(textsOf('Require valid-user', 'Satisfy All'), [
      {
        what: '`Satisfy`: access control of 2.2, replaced by `Require`',
        help: 'Equivalent, if no `Order`, `Allow` or `Deny` line of another section applies here, in place of this line and the `Require` lines of the section:\nRequire valid-user',
      },
    ]);
    assert.match(
      textsOf('Require valid-user', 'Order allow,deny', 'Allow from 10')[0]!.help ?? '',
      /^Equivalent, in place of these lines and the `Require` lines of the section:\n<RequireAll>/,
    );
  });

  it('writes both versions on request', () => {
    const [, both] = findingsIn('Order deny,allow\nDeny from all\n', { rule: RULE, file: '.htaccess' })[0].fixes;
    assert.equal(both.title, 'Convert access control for both 2.2 and 2.4');
    assert.equal(
      both.edits[0].text,
      '<IfModule mod_authz_core.c>\n    Require all denied\n</IfModule>\n<IfModule !mod_authz_core.c>\n    Order deny,allow\n    Deny from all\n</IfModule>\n',
    );
  });

  it('breaks long lists into lines that people and .htaccess can read', () => {
    const many = Array.from({ length: 45 }, (_, i) => `10.0.${i}.1`);
    const text = safely('Order allow,deny', 'Allow from all', ...many.map((address) => `Deny from ${address}`));
    assert.equal(text.match(/Require not ip/g)?.length, 3);
    const positive = safely('Order allow,deny', `Allow from ${many.join(' ')}`, 'Deny from 192.0.2.1');
    assert.match(
      positive.replace(/\s+/g, ' '),
      /<RequireAll> <RequireAny> (Require ip [\d. ]+){3}<\/RequireAny> Require not ip 192\.0\.2\.1 <\/RequireAll>/,
    );
  });

  it('names the word of another module, which is no line of 2.4', () => {
    for (const line of [
      'require affiliation ~ ^staff@.*$',
      'Require user ~ ^.+@example\\.org$',
      'Require cas-attribute a:b',
    ]) {
      const [finding] = findingsIn(`<Location /a>\n${line}\nOrder allow,deny\nAllow from all\n</Location>\n`, {
        rule: 'order-allow-deny',
      });
      assert.match(finding!.cause!, /^In httpd, no module of 2\.2 answers `[Rr]equire \S+/, line);
      assert.deepEqual(finding!.fixes, []);
    }
  });

  it('removes the lines of 2.2 that stand beside a condition with the same access for 2.4', () => {
    const for24 = (line: string) => `    <IfVersion >= 2.4>\n        ${line}\n    </IfVersion>\n`;
    const lines = (line: string) => ['Order allow,deny', 'Allow from all', ...for24(line).trim().split('\n')];
    assert.equal(
      safely(...lines('Require all granted')).replace(/^ +/gm, ''),
      for24('Require all granted').replace(/^ +/gm, ''),
    );
    const [finding] = findingsIn(section(...lines('Require all granted')), { rule: RULE });
    assert.match(finding!.message, /has `Require` lines for 2\.4/);
    assert.deepEqual(
      finding!.fixes.map((fix) => [fix.title, fix.safety, fix.waitsFor?.map(({ kind }) => kind)]),
      [['Remove Order and Allow, keep Require', 'suggestion', ['outside-unseen']]],
    );
    assert.deepEqual(findingsIn(section(...lines('Require ip 10')), { rule: RULE })[0]!.fixes, []);
    const both = { rule: RULE, assumeStandalone: true, keepsBoth: true };
    assert.equal(fixed(section(...lines('Require all granted')), both), section(...lines('Require all granted')));
  });

  it('says whether the lines are inside different conditions, or some are in none', () => {
    const condition = (name: string) => `<IfModule ${name}>\nDeny from all\n</IfModule>\n`;
    const causeOf = (text: string) =>
      findingsIn(text, { rule: 'order-allow-deny', file: '.htaccess' })
        .map(({ cause }) => cause)
        .join();
    assert.match(causeOf(condition('mod_version.c') + condition('!mod_version.c')), /inside different conditions/);
    assert.match(causeOf(`${condition('mod_version.c')}Order allow,deny\n`), /Some of these .* others are not/);
  });
});
