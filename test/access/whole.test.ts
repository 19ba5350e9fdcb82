/** Whole configurations, one by one: reasons not converted, open questions, and former bugs. */
import { notConverted, reasonText } from '../../server/src/access/not-converted';
import assert from 'node:assert/strict';
import { accessConditionDecider } from '../../server/src/access/conditions';
import { discoverHtaccess } from '../../server/src/access/htaccess-files';
import { openQuestionText } from '../../server/src/access/open-question';
import type { Source } from '../../server/src/access/model';
import { lineOf24Finders } from '../../server/src/access/running';
import { planAccessConversion, type AccessPlan } from '../../server/src/access/plan';
import { ACCESS_NAMES, type ConversionOptions } from '../../server/src/access/conversion-input';
import { ONE_VERSION_NAMES } from '../../server/src/access/one-version';
import { applyEdits } from '../../server/src/analysis/fixes';
import { readConfiguration, type ReadOptions } from '../../server/src/config/configuration';
import type { FileView } from '../../server/src/config/files';
import { memoryFiles } from '../../server/src/config/memory-files';

const MAIN = '/srv/conf/httpd.conf';
const HEAD = 'DocumentRoot /srv/www\n<Directory />\nAllowOverride None\n</Directory>\n';

describe('access control of whole configurations', () => {
  describe('is not converted where nobody can say what is right', () => {
    const cases: readonly (readonly [string, string, RegExp])[] = [
      ['a $ in DirectoryMatch', '<DirectoryMatch "^/srv/www$">\nDeny from all\n</DirectoryMatch>\n', /contains \$/],
      [
        'a limit in a limit',
        '<Directory /srv/www>\n<Limit GET>\n<LimitExcept GET>\nDeny from all\n</LimitExcept>\n</Limit>\n</Directory>\n',
        /inside another/,
      ],
      ['a variable in the tag', '<Directory ${DOCS}>\nDeny from all\nSatisfy Any\n</Directory>\n', /variable/],
      ['a path from above', '<Directory ../srv>\nDeny from all\n</Directory>\n', /not absolute/],
      [
        'a relative path beside a pattern',
        '<Directory srv>\nDeny from all\n</Directory>\n<Directory /srv/*/a>\nDeny from all\n</Directory>\n',
        /not absolute/,
      ],
      ['a path of 2.0', '<Directory proxy:*>\nDeny from all\n</Directory>\n', /not absolute/],
      [
        'SSLRequireSSL and Satisfy Any',
        '<Directory /srv/www>\nSSLRequireSSL\nSatisfy Any\nOrder allow,deny\nAllow from 10\n</Directory>\n',
        /SSLRequireSSL/,
      ],
      [
        'groups of a DBM file',
        '<Directory /srv/www>\nAuthType Basic\nAuthDBMGroupFile g\nRequire group a\nOrder allow,deny\nAllow from 10\n</Directory>\n',
        /dbm-group/,
      ],
      [
        'words that never matched',
        '<Directory /srv/www>\nOrder allow,deny\nAllow from 10.1.*\n</Directory>\n',
        /matches no client/,
      ],
      [
        'a conditional',
        '<Directory /srv/www>\n<IfDefine X>\nDeny from all\n</IfDefine>\n</Directory>\n',
        /conditional/,
      ],
      [
        'an expression',
        '<Directory /srv/www>\nAuthType Basic\nRequire user %{x}\nDeny from all\n</Directory>\n',
        /expression/,
      ],
      [
        'what a proxy serves, by no directory',
        '<Directory />\nOrder deny,allow\nDeny from all\n</Directory>\nProxyPass /app http://backend/\n<Location /app>\nSatisfy Any\n</Location>\n',
        /different access/,
      ],
    ];
    for (const [name, text, reason] of cases) {
      it(name, () => {
        const { plan } = converted({ [MAIN]: HEAD + text });
        assert.match(plan.refusals.map(({ reason }) => reasonText(reason)).join('\n'), reason);
      });
    }
  });

  it('a section with host rules of its own needs no directory', () => {
    const text = `${HEAD}ProxyPass /app http://backend/\n<Location /app>\nOrder allow,deny\nAllow from 10\n</Location>\n`;
    assert.equal(
      converted({ [MAIN]: text }).texts[MAIN],
      text.replace('Order allow,deny\nAllow from 10', 'Require ip 10'),
    );
  });

  it('what is refused keeps what shares requests with it as it is', () => {
    const text = `${HEAD}<Directory /srv/www>\nDeny from 10\n</Directory>\n<Location /a>\n<IfDefine X>\nOrder allow,deny\n</IfDefine>\n</Location>\n`;
    const { plan, texts } = converted({ [MAIN]: text });
    assert.equal(texts[MAIN], text);
    assert.equal(plan.refusals.length, 2);
  });

  it('one that refuses everybody is kept only where an old one behind it could not let anybody in', () => {
    const files = '<Files .ht*>\nOrder allow,deny\nDeny from all\n</Files>\n';
    const open = (tag: string) => `<${tag}>\n<IfDefine X>\nAllow from all\n</IfDefine>\n</${tag.split(' ')[0]}>\n`;
    const done = files.replace('Order allow,deny\nDeny from all', 'Require all denied');
    const directory = HEAD + open('Directory /srv/www');
    assert.equal(converted({ [MAIN]: directory + files }).texts[MAIN], directory + done);
    const location = `${HEAD}${files}${open('Location /a')}`;
    assert.equal(converted({ [MAIN]: location }).texts[MAIN], location);
  });

  it('what redirects, refuses or proxies, and rules of directories, leave the folders behind URLs where they are', () => {
    const text = (line: string) =>
      `${HEAD}${line}<Directory /srv/other>\nOrder allow,deny\nAllow from 10\n</Directory>\n<Location /a>\nAuthType Basic\nRequire valid-user\n</Location>\n`;
    for (const line of [
      '',
      'ProxyPass /b http://backend/\n',
      'RewriteRule ^/a - [F]\n',
      'RewriteRule ^/(.*) https://example.org/$1 [L,R=301]\n',
      'RewriteRule ^/b http://backend/ [P]\n',
      '<Directory /srv/www>\nRewriteRule (.*) index.php\n</Directory>\n',
    ]) {
      assert.doesNotMatch(converted({ [MAIN]: text(line) }).texts[MAIN], /AuthMerging/, line);
    }
    for (const line of [
      'RewriteRule ^/a /srv/other/a\n',
      'RewriteRule ^/a /b [PT]\n',
      'RewriteRule ^/a http://example.org/b [L]\n',
      '<VirtualHost *>\nRewriteRule ^/a /srv/other/a\n</VirtualHost>\n',
    ]) {
      assert.match(converted({ [MAIN]: text(line) }).texts[MAIN], /AuthMerging/, line);
    }
  });

  it('a virtual host without sections puts other folders behind a URL', () => {
    const host = '<VirtualHost *:80>\nDocumentRoot /srv/other\n</VirtualHost>\n';
    const text = `${HEAD}<Directory /srv/other>\nOrder allow,deny\nAllow from 10\n</Directory>\n<Location /a>\nAuthType Basic\nRequire valid-user\n</Location>\n`;
    assert.doesNotMatch(converted({ [MAIN]: text }).texts[MAIN], /AuthMerging/);
    assert.match(converted({ [MAIN]: text + host }).texts[MAIN], /AuthMerging And/);
  });

  describe('what stays keeps no more than it has to', () => {
    const keep = '# httpd-upgrade-ignore order-allow-deny\n';
    const directory = (path: string, body: string) => `<Directory ${path}>\n${body}</Directory>\n`;
    const [open, shut, some] = [
      'Order allow,deny\nAllow from all\n',
      'Order deny,allow\nDeny from all\n',
      'Order deny,allow\nDeny from all\nAllow from 10\n',
    ];
    const [granted, denied, ip] = ['Require all granted\n', 'Require all denied\n', 'Require ip 10\n'];
    const login = 'AuthType Basic\nAuthName x\nRequire valid-user\n';
    const cases: readonly (readonly [name: string, before: string, after: string])[] = [
      [
        'behind what is open, the neighbours are converted',
        directory('/srv/www', open) + directory('/srv/www/a', keep + some) + directory('/srv/www/b', some),
        directory('/srv/www', granted) + directory('/srv/www/a', keep + some) + directory('/srv/www/b', ip),
      ],
      [
        'what is shut above it stays, and what is between',
        directory('/srv', shut) + directory('/srv/www', open) + directory('/srv/www/a', keep + open),
        directory('/srv', denied) + directory('/srv/www', granted) + directory('/srv/www/a', keep + open),
      ],
      [
        'what is shut right above it stays',
        directory('/srv/www', shut) + directory('/srv/www/a', keep + open),
        directory('/srv/www', shut) + directory('/srv/www/a', keep + open),
      ],
      [
        'what is shut stays for what is open right below it',
        directory('/srv/www', keep + shut) + directory('/srv/www/a', open) + directory('/srv/www/a/b', some),
        directory('/srv/www', keep + shut) + directory('/srv/www/a', open) + directory('/srv/www/a/b', ip),
      ],
      [
        'what is open keeps nothing',
        directory('/srv/www', keep + open) + directory('/srv/www/a', shut) + '<Location /s>\n' + some + '</Location>\n',
        directory('/srv/www', keep + open) + directory('/srv/www/a', denied) + '<Location /s>\n' + ip + '</Location>\n',
      ],
      [
        'a login that stays keeps the addresses above it',
        directory('/srv/www', some) +
          directory('/srv/www/a', `<IfModule mod_authz_core.c>\n${granted}</IfModule>\n${keep}${login}`),
        directory('/srv/www', some) +
          directory('/srv/www/a', `<IfModule mod_authz_core.c>\n${granted}</IfModule>\n${keep}${login}`),
      ],
      [
        'a condition that nobody knows keeps all that it may apply with',
        directory('/srv/www', open) +
          directory('/srv/www/a', `<IfDefine X>\n${shut}</IfDefine>\n`) +
          directory('/srv/www/b', some),
        directory('/srv/www', open) +
          directory('/srv/www/a', `<IfDefine X>\n${shut}</IfDefine>\n`) +
          directory('/srv/www/b', ip),
      ],
      [
        'a place that nobody knows keeps all',
        directory('${DIR}', `${shut}Satisfy Any\n`) + directory('/srv/www/a', open) + directory('/srv/www/b', some),
        directory('${DIR}', `${shut}Satisfy Any\n`) + directory('/srv/www/a', open) + directory('/srv/www/b', some),
      ],
      [
        'files that nobody knows keep all',
        '<Files ${NAME}>\n' + shut + '</Files>\n' + directory('/srv/www/a', open),
        '<Files ${NAME}>\n' + shut + '</Files>\n' + directory('/srv/www/a', open),
      ],
      [
        'one of sixty',
        Array.from({ length: 60 }, (_, i) => directory(`/srv/www/${i}`, `${i === 7 ? keep : ''}${some}`)).join(''),
        Array.from({ length: 60 }, (_, i) => directory(`/srv/www/${i}`, i === 7 ? keep + some : ip)).join(''),
      ],
      [
        'one of sixty, below what is open',
        directory('/srv/www', open) +
          Array.from({ length: 60 }, (_, i) => directory(`/srv/www/${i}`, `${i === 7 ? keep : ''}${some}`)).join(''),
        directory('/srv/www', granted) +
          Array.from({ length: 60 }, (_, i) => directory(`/srv/www/${i}`, i === 7 ? keep + some : ip)).join(''),
      ],
    ];
    for (const [name, before, after] of cases) {
      it(name, () =>
        assert.equal(
          converted({ [MAIN]: HEAD + before }, undefined, undefined, {
            furtherReasonFor: ({ section, file }) =>
              section && file.tree.text().includes(`${section.open.text}${keep}`)
                ? notConverted('kept-by-comment', null)
                : null,
          }).texts[MAIN],
          HEAD + after,
        ),
      );
    }
  });

  describe('lines for both versions', () => {
    const halves = (
      old: string,
      fresh: string,
      [before, now] = ['IfModule !mod_authz_core.c', 'IfModule mod_authz_core.c'],
    ) => `<${before}>\n${old}</${before.split(' ')[0]}>\n<${now}>\n${fresh}</${now.split(' ')[0]}>\n`;
    const shut = 'Order deny,allow\nDeny from all\n';
    const open = 'Order allow,deny\nAllow from all\n';
    const around = (body: string, above = shut) =>
      `${HEAD}<Directory /srv/www>\n${above}</Directory>\n<Directory /srv/www/a>\n${body}</Directory>\n<Directory /srv/www/a/b>\n${open}</Directory>\n`;
    const done = (text: string) =>
      text
        .replace(`<Directory /srv/www>\n${shut}`, '<Directory /srv/www>\nRequire all denied\n')
        .replace(`/a/b>\n${open}`, '/a/b>\nRequire all granted\n');

    it('that say the same need nothing, and hold nothing back', () => {
      for (const tags of [
        undefined,
        ['IfVersion < 2.4', 'IfVersion >= 2.4'],
        ['IfModule !authz_core_module', 'IfModule authz_core_module'],
      ] as [string, string][]) {
        const text = around(halves(open, 'Require all granted\n', tags));
        const { texts, plan } = converted({ [MAIN]: text });
        assert.deepEqual([texts[MAIN], plan.refusals, plan.openQuestions], [done(text), [], []]);
      }
    });

    it('that say something else stay, and so does what requests would miss', () => {
      const text = around(halves(open, 'Require ip 10\n'));
      const { texts, plan } = converted({ [MAIN]: text });
      const reasons = plan.refusals.map(({ reason }) => reasonText(reason)).join('\n');
      assert.match(reasons, /the lines for 2\.4 in .* do not have the same effect/);
      assert.equal(texts[MAIN], text.replace(`/a/b>\n${open}`, `/a/b>\n${open}`));
    });

    it('that leave 2.4 without any become those of both', () => {
      const text = around(halves(open, ''));
      const { texts, plan } = converted({ [MAIN]: text });
      assert.deepEqual(
        [texts[MAIN], plan.refusals],
        [done(text.replace(`<IfModule !mod_authz_core.c>\n${open}</IfModule>\n`, 'Require all granted\n')), []],
      );
    });

    it('in a .htaccess, too', () => {
      const access = halves(open, 'Require all granted\n');
      const { texts, plan } = converted({
        [MAIN]: `DocumentRoot /srv/www\n<Directory />\nAllowOverride All\n${shut}</Directory>\n`,
        '/srv/www/a/.htaccess': access,
      });
      assert.deepEqual(
        [texts['/srv/www/a/.htaccess'], plan.refusals, /Require all denied/.test(texts[MAIN])],
        [access, [], true],
      );
    });

    it('beside which old ones stand: these go if 2.4 then decides as 2.2', () => {
      const onlyFor24 = (fresh: string) => `<IfVersion >= 2.4>\n${fresh}</IfVersion>\n`;
      for (const [body, kept] of [
        [open + onlyFor24('Require all granted\n'), onlyFor24('Require all granted\n')],
        [onlyFor24('Require all denied\n') + shut, onlyFor24('Require all denied\n')],
        [`Allow from all\n${halves(open, 'Require all granted\n')}`, halves(open, 'Require all granted\n')],
        // In 2.2 all these lines together allow everyone.
        [halves(open, 'Require all granted\n') + shut, halves(open, 'Require all granted\n')],
      ] as const) {
        const { texts, plan } = converted({ [MAIN]: around(body) });
        assert.deepEqual([texts[MAIN], plan.refusals], [done(around(kept)), []], body);
      }
    });

    it('beside which old ones stay: 2.4 would decide otherwise, or it has no lines of its own', () => {
      for (const [body, why] of [
        [`${open}<IfVersion >= 2.4>\nRequire all denied\n</IfVersion>\n`, /do not have the same effect/],
        [`${shut}<IfVersion >= 2.4>\nRequire all granted\n</IfVersion>\n`, /do not have the same effect/],
        [`${open}<IfVersion >= 2.4>\n${shut}</IfVersion>\n`, /above this line and the other lines for 2\.2/],
        [
          `<Limit GET>\n${shut}</Limit>\n<IfVersion >= 2.4>\nRequire all denied\n</IfVersion>\n`,
          /above the <Limit> of this line/,
        ],
      ] as const) {
        const text = around(body);
        const { texts, plan } = converted({ [MAIN]: text });
        assert.match(plan.refusals.map(({ reason }) => reasonText(reason)).join('\n'), why);
        assert.ok(texts[MAIN]!.includes(body), body);
      }
    });

    it('beside which old ones stay: 2.4 compares both, so the sections around are converted', () => {
      const text = around(`${open}<IfVersion >= 2.4>\nRequire ip 10\n</IfVersion>\n`);
      assert.equal(converted({ [MAIN]: text }).texts[MAIN], done(text));
    });
  });

  describe('what only one version reads', () => {
    const shut = 'Order deny,allow\nDeny from all\n';
    const some = 'Order deny,allow\nDeny from all\nAllow from 10\n';
    const open = 'Order allow,deny\nAllow from all\n';
    const directory = (path: string, lines: string) => `<Directory ${path}>\n${lines}</Directory>\n`;
    const within = (condition: string, body: string) => `<${condition}>\n${body}</${condition.split(' ')[0]}>\n`;
    const around = (body: string) => HEAD + directory('/srv/www', open) + body + directory('/srv/www/b', shut);
    const done = (text: string) =>
      text
        .replace(`/www>\n${open}`, '/www>\nRequire all granted\n')
        .replace(`/b>\n${shut}`, '/b>\nRequire all denied\n');
    const OLD = ['IfVersion < 2.4', 'IfVersion ~ ^2\\.2', 'IfModule !mod_authz_core.c'];
    const reasons = (plan: Told) => plan.refusals.map(({ reason }) => reasonText(reason)).join('\n');

    it('2.2 alone: the condition goes, and what stands in it is converted', () => {
      for (const condition of OLD) {
        for (const [body, kept] of [
          [within(condition, directory('/srv/www/a', some)), directory('/srv/www/a', 'Require ip 10\n')],
          [directory('/srv/www/a', within(condition, some)), directory('/srv/www/a', 'Require ip 10\n')],
          [
            within(condition, `# kept\n${directory('/srv/www/a', some)}${directory('/srv/www/c', open)}`),
            `# kept\n${directory('/srv/www/a', 'Require ip 10\n')}${directory('/srv/www/c', 'Require all granted\n')}`,
          ],
        ]) {
          const { texts, plan } = converted({ [MAIN]: around(body) });
          assert.deepEqual([texts[MAIN], plan.refusals, plan.openQuestions], [done(around(kept)), [], []]);
          assert.equal(plan.groupAt(MAIN, around(body).indexOf(`<${condition}`)) !== null, true);
        }
      }
    });

    it('2.2 alone, by way of an included file', () => {
      const files = (fresh: boolean) => ({
        [MAIN]: around(fresh ? 'Include conf/a.conf\n' : within('IfVersion < 2.4', 'Include conf/a.conf\n')),
        '/srv/conf/a.conf': directory('/srv/www/a', fresh ? 'Require ip 10\n' : some),
      });
      const { texts, plan } = converted(files(false));
      const wanted = files(true);
      assert.deepEqual([texts, plan.refusals], [{ ...wanted, [MAIN]: done(wanted[MAIN]) }, []]);
    });

    it('2.2 alone, where the condition has to stay: all else is converted, and it is said why', () => {
      for (const body of [
        // What else stands in it, 2.4 may not take.
        within('IfVersion < 2.4', `${directory('/srv/www/a', some)}DefaultType text/plain\n`),
        within('IfVersion < 2.4', directory('/srv/www/a', `${some}Options Indexes +All\n`)),
        within('IfVersion < 2.4', directory('/srv/www/a', `${shut}Allow from \${X}\n`)),
        within('IfVersion = 2.2.35', directory('/srv/www/a', some)),
        within('IfModule mod_authz_default.c', directory('/srv/www/a', some)),
      ]) {
        const { texts, plan } = converted({ [MAIN]: around(body) });
        assert.equal(texts[MAIN], done(around(body)));
        assert.equal(plan.refusals.length, 1, body);
        assert.match(reasons(plan), /only 2\.2 reads this section|variable/, body);
      }
    });

    it('2.4 alone, and as 2.2 decided: it stays, and nothing is said of it', () => {
      const dual = (body: (lines: string) => string, fresh: string) =>
        within('IfVersion < 2.4', body(some)) + within('IfVersion >= 2.4', body(fresh));
      for (const fresh of ['Require ip 10\n', '<RequireAny>\nRequire ip 10\n</RequireAny>\n']) {
        const text = around(dual((lines) => directory('/srv/www/a', lines), fresh));
        const { texts, plan } = converted({ [MAIN]: text });
        assert.deepEqual([texts[MAIN], plan.refusals, plan.openQuestions], [done(text), [], []]);
      }
    });

    it('2.4 alone, and not as 2.2 decided: all else is converted where 2.4 then decides as before', () => {
      const text = around(within('IfVersion >= 2.4', directory('/srv/www/a', 'Require ip 10\n')));
      const { texts, plan } = converted({ [MAIN]: text });
      assert.equal(texts[MAIN], done(text));
      assert.equal(plan.refusals.length, 1);
      // Beside mod_access_compat the lines of the directory around it count, too: they stay.
      const beside =
        HEAD +
        directory('/srv/www', shut) +
        within('IfVersion >= 2.4', directory('/srv/www/a', 'Require all granted\n'));
      assert.equal(converted({ [MAIN]: beside }).texts[MAIN], beside);
    });

    it('counts for what comes behind it in 2.2 alone', () => {
      // In 2.2 the login of the first applies to the second, whose lines are replaced as a whole.
      const login = 'AuthType Basic\nAuthName x\nRequire valid-user\n';
      const body = `${within('IfVersion < 2.4', directory('/srv/www/a', `${login}DirectoryIndex x\n`))}${directory('/srv/www/a/d', open)}`;
      // 2.4 does not read the AuthType, so with the same Require line it would answer 500.
      assert.match(converted({ [MAIN]: around(body) }).texts[MAIN], /\/a\/d>\nOrder allow,deny\n/);
      const withLogin = body.replace('/a/d>\n', '/a/d>\nAuthType Basic\nAuthName x\n');
      assert.match(converted({ [MAIN]: around(withLogin) }).texts[MAIN], /AuthName x\nRequire valid-user\n/);
    });

    it('may be neither known of one version nor of the other', () => {
      // 2.4 may or may not have it.
      const body = within('IfModule mod_unixd.c', directory('/srv/www/a', 'Require ip 10\n'));
      assert.equal(converted({ [MAIN]: around(body) }).texts[MAIN], done(around(body)));
      // 2.2 reads it, 2.4 perhaps: where it does, as 2.2 did.
      const old = within('IfModule !mod_unixd.c', directory('/srv/www/a', some));
      assert.equal(
        converted({ [MAIN]: around(old) }).texts[MAIN],
        done(around(directory('/srv/www/a', 'Require ip 10\n'))),
      );
    });

    it('in a .htaccess, too', () => {
      const main = `DocumentRoot /srv/www\n<Directory />\nAllowOverride All\n${shut}</Directory>\n`;
      const file = (body: string) => `<Files x>\n${body}</Files>\n`;
      const { texts, plan } = converted({
        [MAIN]: main,
        '/srv/www/a/.htaccess': within('IfVersion < 2.4', file(open)),
      });
      assert.deepEqual(
        [texts['/srv/www/a/.htaccess'], texts[MAIN], plan.refusals],
        [file('Require all granted\n'), main.replace(shut, 'Require all denied\n'), []],
      );
    });

    it('a virtual host, too', () => {
      const host = (body: string) => `<VirtualHost *:80>\n${body}</VirtualHost>\n`;
      const text = around(within('IfVersion < 2.4', host(directory('/srv/www/a', some))) + host(''));
      const { texts, plan } = converted({ [MAIN]: text });
      assert.equal(texts[MAIN], done(text));
      assert.match(reasons(plan), /only 2\.2 reads this section/);
    });
  });

  describe('macros', () => {
    const macro =
      '<Macro Part $dir $who>\n# for a customer\n<Directory $dir>\nOrder deny,allow\nDeny from all\nAllow from 10.$who\n</Directory>\n</Macro>\n';
    const other = '<Directory /srv/www/b>\nOrder allow,deny\nAllow from all\n</Directory>\n';

    it('are carried out: what they say stays, and what shares no request with it is converted', () => {
      const { texts, plan } = converted({ [MAIN]: `${HEAD}${macro}Use Part /srv/www/a 10\n${other}` });
      assert.deepEqual(plan.openQuestions, []);
      assert.equal(
        texts[MAIN],
        `${HEAD}${macro}Use Part /srv/www/a 10\n${other.replace('Order allow,deny\nAllow from all', 'Require all granted')}`,
      );
      const text = HEAD + macro;
      for (const line of ['Order', 'Deny', 'Allow from'])
        assert.match(
          reasonText(plan.reasonAt(MAIN, text.indexOf(`\n${line}`, text.indexOf('<Macro')) + 1)!),
          /macro Part, [^]*: replace the Use line for this section by the lines of the macro, [^]*, then run again\./,
          line,
        );
    });

    it('count where they are used', () => {
      const { texts } = converted({ [MAIN]: `${HEAD}${macro}Use Part /srv/www 10\n${other.replaceAll('/b', '/b')}` });
      assert.equal(texts[MAIN], `${HEAD}${macro}Use Part /srv/www 10\n${other}`);
    });

    it('that are not known are an open question', () => {
      for (const use of ['Use Other /srv/www 10\n', 'Use Part /srv/www\n', 'UndefMacro Part\nUse Part /srv/www 10\n']) {
        assert.match(converted({ [MAIN]: HEAD + macro + use + other }).plan.openQuestions.join('\n'), /macro/, use);
      }
    });
  });

  describe('a file that is included more than once', () => {
    const hosts = (first: string) =>
      `${HEAD}<Directory /srv/www>\nAllow from all\n</Directory>\n<VirtualHost *>\n${first}Include conf/common.inc\n</VirtualHost>\n<VirtualHost *>\nInclude conf/common.inc\n</VirtualHost>\n`;
    const common = '/srv/conf/common.inc';
    const closed = '<Location /a>\nDeny from all\n</Location>\n';
    const login = '<Location /a>\nAuthType Basic\nRequire valid-user\n</Location>\n';
    const local = '<Location />\nDeny from all\nAllow from 127.0.0.1\n</Location>\n';

    it('is converted where it comes to the same everywhere', () => {
      const { plan, texts } = converted({ [MAIN]: hosts(local), [common]: closed });
      assert.deepEqual(plan.refusals, []);
      assert.equal(texts[common], closed.replace('Deny from all', 'Require all denied'));
      assert.equal(
        texts[MAIN],
        hosts(local)
          .replace('Allow from all', 'Require all granted')
          .replace('Deny from all\nAllow from', 'Require ip'),
      );
    });

    it('stays where it does not, and so does what requests would miss beside it', () => {
      const { plan, texts } = converted({ [MAIN]: hosts(local), [common]: login });
      assert.equal(texts[common], login);
      assert.equal(texts[MAIN], hosts(local).replace('Allow from all', 'Require all granted'));
      assert.match(
        plan.refusals.map(({ reason }) => reasonText(reason)).join('\n'),
        /more than once, and each place needs different lines/,
      );
    });

    it('stays everywhere where one of its places is not known', () => {
      const unknown = '<Location />\n<IfDefine X>\nDeny from all\n</IfDefine>\n</Location>\n';
      const { plan, texts } = converted({ [MAIN]: hosts(unknown), [common]: login });
      assert.equal(texts[common], login);
      assert.equal(plan.refusals.filter(({ path }) => path === common).length, 2);
    });
  });

  describe('variables', () => {
    const defined = 'Define DOCS /srv/www\nDefine OVERRIDE All\n';
    const htaccess = 'Order deny,allow\nDeny from all\nAllow from 10\n';

    it('are followed in Include, in tags, in DocumentRoot and in AllowOverride', () => {
      const main =
        'ServerRoot /srv\nDefine CONF conf\nInclude ${CONF}/define.conf\nDocumentRoot ${DOCS}\n<Directory />\nAllowOverride None\n</Directory>\n<Directory ${DOCS}/a>\nAllowOverride ${OVERRIDE}\nDeny from all\n</Directory>\n';
      const { plan, texts } = converted({
        [MAIN]: main,
        '/srv/conf/define.conf': defined,
        '/srv/www/a/.htaccess': htaccess,
      });
      assert.deepEqual([plan.openQuestions, plan.refusals], [[], []]);
      assert.equal(texts[MAIN], main.replace('Deny from all', 'Require all denied'));
      assert.equal(texts['/srv/www/a/.htaccess'], 'Require ip 10\n');
    });

    it('have the value of the last Define before the line', () => {
      const text = `${HEAD}Define D /srv/www/a\n<Directory \${D}>\nDeny from all\n</Directory>\nDefine D /srv/www/a/b\n<Directory \${D}>\nAuthType Basic\nRequire valid-user\n</Directory>\n`;
      assert.match(
        converted({ [MAIN]: text }).texts[MAIN],
        /<Directory \$\{D\}>\nAuthType Basic\nRequire all denied\n/,
      );
    });

    it('that are unknown keep everything else open', () => {
      const override = `${HEAD}<Directory /srv/www>\nAllowOverride \${X}\nDeny from all\n</Directory>\n`;
      assert.match(
        converted({ [MAIN]: override, '/srv/www/a/.htaccess': htaccess }).plan.openQuestions.join('\n'),
        /which AllowOverride applies to \/srv\/www\/a/,
      );
      const line = `${HEAD}<Directory /srv/www>\nDeny from all\n</Directory>\n\${X}\n`;
      assert.match(converted({ [MAIN]: line }).plan.openQuestions.join('\n'), /the directive in the line "\$\{x\}"/i);
      const maybe = `${HEAD}<IfDefine Y>\nDefine X conf/x.conf\n</IfDefine>\n<Directory /srv/www>\nDeny from all\n</Directory>\nInclude \${X}\n`;
      assert.match(converted({ [MAIN]: maybe }).plan.openQuestions.join('\n'), /the value of the variable in "Include/);
    });
  });

  describe('a .htaccess with a line that 2.2 does not accept there', () => {
    const login = 'AuthType Basic\nAuthName x\nRequire valid-user\nSatisfy Any\n';
    const of = (line: string, own: string, source: Source = '2.2') =>
      converted(
        {
          [MAIN]: `${HEAD}<Directory /srv/www>\nAllowOverride All\nOrder deny,allow\nDeny from all\nAllow from 10\n${own}</Directory>\n`,
          '/srv/www/a/.htaccess': `${line}Order allow,deny\nAllow from all\n`,
        },
        undefined,
        source,
      ).plan.openQuestions;

    for (const [line, name] of [
      ['CGIPassAuth On\n', 'CGIPassAuth'],
      ['<Files f>\nSession On\n</Files>\n', 'Session'],
      ['<If "true">\nServerSignature Off\n</If>\n', 'If'],
    ] as const)
      it(`has been 2.4's, which decides otherwise where Satisfy is among the lines: ${name}`, () => {
        const found = of(line, login);
        assert.equal(found.length, 1);
        assert.ok(found[0].includes(`does not accept ${name} in a .htaccess file, and requests get 500`), found[0]);
        assert.deepEqual(of(line, ''), [], 'hosts alone are decided alike');
        assert.deepEqual(of(line, login, '2.4'), [], "2.4's decision is kept anyway");
      });

    for (const line of [
      '',
      '<IfVersion >= 2.4>\nCGIPassAuth On\n</IfVersion>\n',
      '# CGIPassAuth On\n',
      'ShibUseHeaders On\n',
    ])
      it(`is none: ${JSON.stringify(line)}`, () => assert.deepEqual(of(line, login), []));
  });

  describe('a pattern with two slashes', () => {
    const openQuestions = (open: string, more = '') =>
      converted({ [MAIN]: `${HEAD}${more}<${open}>\nOrder deny,allow\nDeny from all\n</${open.split(' ')[0]}>\n` }).plan
        .openQuestions;

    for (const open of [
      'LocationMatch "^//secret"',
      'Location ~ "a//b"',
      'LocationMatch "/{2}"',
      'LocationMatch "^/+/a"',
    ])
      it(`never matches in 2.4: ${open}`, () => {
        assert.match(openQuestions(open).join('\n'), /slashes are merged before a pattern is compared/);
        assert.deepEqual(openQuestions(open, 'MergeSlashes Off\n'), []);
      });

    for (const open of ['LocationMatch "^/+secret"', 'Location /a//b', 'LocationMatch "^/a/b"', 'Directory /srv//www'])
      it(`is none: ${open}`, () => assert.deepEqual(openQuestions(open), []));
  });

  describe('AllowOverride in virtual hosts', () => {
    const host = (override: string, documents: string, more = '') =>
      `<VirtualHost *>\nDocumentRoot ${documents}\n<Directory ${documents}>\nAllowOverride ${override}\nAllow from all\n</Directory>\n${more}</VirtualHost>\n`;
    const htaccess = 'Order deny,allow\nDeny from all\nAllow from 10\n';
    const at = '/srv/other/a/.htaccess';

    it('holds for what that host serves', () => {
      const { plan, texts } = converted({ [MAIN]: HEAD + host('All', '/srv/other'), [at]: htaccess });
      assert.deepEqual([plan.openQuestions, plan.refusals, texts[at]], [[], [], 'Require ip 10\n']);
      assert.equal(
        converted({ [MAIN]: HEAD + host('None', '/srv/other'), [at]: htaccess }).texts[at],
        htaccess,
        'is not read',
      );
      const two = converted({ [MAIN]: HEAD + host('All', '/srv/other') + host('All', '/srv/other'), [at]: htaccess });
      assert.deepEqual([two.plan.openQuestions, two.texts[at]], [[], 'Require ip 10\n']);
    });

    it('that differs between those that serve the folder holds for those that have it', () => {
      for (const other of [
        host('None', '/srv/other'),
        'Alias /o /srv/other\n',
        '<VirtualHost *>\nAlias /o /srv/other/a\n</VirtualHost>\n',
      ]) {
        const { plan, texts } = converted({ [MAIN]: HEAD + host('All', '/srv/other') + other, [at]: htaccess });
        assert.deepEqual([plan.openQuestions, plan.refusals, texts[at]], [[], [], 'Require ip 10\n'], other);
      }
    });

    it('of which it is unknown whether a host has it is an open question', () => {
      for (const other of [
        '<Directory ~ ^/srv/other>\nAllowOverride None\n</Directory>\n',
        '<IfDefine X>\n<Directory /srv/other/a>\nAllowOverride None\n</Directory>\n</IfDefine>\n',
      ]) {
        const { plan, texts } = converted({ [MAIN]: HEAD + host('All', '/srv/other') + other, [at]: htaccess });
        assert.match(plan.openQuestions.join('\n'), /which AllowOverride applies to \/srv\/other\/a/, other);
        assert.equal(texts[at], htaccess);
      }
    });

    it('that widens it in part for another host is not widened', () => {
      const { plan } = converted({ [MAIN]: HEAD + host('Limit', '/srv/other'), [at]: htaccess });
      assert.match(plan.refusals.map(({ reason }) => reasonText(reason)).join('\n'), /does not allow AuthConfig/);
    });

    it('what stands over a file that some may read does not count on it', () => {
      const location = '<Location /a>\nAuthType Basic\nRequire valid-user\n</Location>\n';
      const reasons = (head: string) =>
        converted({
          [MAIN]: head + host('All', '/srv/other', location),
          [at]: 'Satisfy Any\nDeny from 10\n',
        })
          .plan.refusals.map(({ reason }) => reasonText(reason))
          .join('\n');
      assert.equal(reasons(HEAD), '');
      // Without a DocumentRoot of its own this one serves it by a way that nobody knows.
      const perhaps = '<Directory /srv>\n<IfDefine X>\nAllowOverride All\n</IfDefine>\n</Directory>\n';
      assert.match(reasons(HEAD + perhaps), /different access/);
    });

    it('of more virtual hosts than are told one by one may not hold', () => {
      const many = (count: number) => {
        const { plan, texts } = converted({
          [MAIN]: `${HEAD}<Directory />\nDeny from all\n</Directory>\n${host('All', '/srv/other').repeat(count)}`,
          [at]: 'AuthType Basic\nAuthName x\nRequire valid-user\n',
        });
        return [plan.refusals.length > 0, /AuthMerging/.test(texts[at])];
      };
      assert.deepEqual(many(32), [false, false]);
      assert.deepEqual(many(33), [false, true], 'right also where some do not read it');
    });
  });

  describe('folders that nobody names', () => {
    const admitting = `${HEAD}<Directory /home/*/www>\nAllowOverride Limit\nAllow from all\n</Directory>\n`;
    const openQuestion = /can serve directories whose .htaccess files are not all in this copy/;
    const ways = [
      'UserDir www',
      'VirtualDocumentRoot /home/%0/www',
      'AliasMatch ^/~(\\w+) /home/$1/www',
      'DocumentRoot ${X}',
      'DocumentRoot $\\\n{X}',
      'Alias /x ${X}',
      'RewriteRule ^/x/(.*) /home/$1',
      'RewriteRule ^/x/(.*) /$1',
    ];
    for (const way of ways) {
      it(`are served by ${way}: a openQuestion, where .htaccess files may be there`, () => {
        assert.match(converted({ [MAIN]: `${admitting}${way}\n` }).plan.openQuestions.join('\n'), openQuestion);
        assert.match(
          converted({ [MAIN]: `${admitting}<VirtualHost *>\n${way}\n</VirtualHost>\n` }).plan.openQuestions.join('\n'),
          openQuestion,
        );
        assert.deepEqual(
          converted({
            [MAIN]: `${HEAD}<Directory /srv/www/a>\nAllowOverride All\nAllow from all\n</Directory>\n${way}\n`,
          }).plan.openQuestions.filter((text) => openQuestion.test(text)),
          [],
        );
      });
    }

    it('are not served by a rule within the documents, by a URL or by one that is passed through', () => {
      for (const way of [
        'RewriteRule ^/x/(.*) /index.php',
        'RewriteRule ^/x/(.*) %{DOCUMENT_ROOT}/$1',
        'RewriteRule ^/x http://example.org/',
        'RewriteRule ^/x/(.*) /srv/$1 [PT,L]',
        'RewriteRule ^/x - [F]',
        'UserDir disabled',
      ]) {
        assert.deepEqual(converted({ [MAIN]: `${admitting}${way}\n` }).plan.openQuestions, [], way);
      }
    });
  });

  describe('folders of other URLs', () => {
    const status = '<Location /status>\nOrder deny,allow\nDeny from all\nAllow from 127.0.0.1\n</Location>\n';
    const login =
      '<VirtualHost *>\nDocumentRoot /srv/b\n<Directory /srv/b/admin>\nAuthType Basic\nAuthName x\nAuthUserFile /p\nRequire valid-user\n</Directory>\n</VirtualHost>\n';
    const refusals = (line: string) =>
      converted({ [MAIN]: `${HEAD}${line}\n<Directory />\nAllowOverride None\n</Directory>\n${status}${login}` }).plan
        .refusals.length;
    // The directory with a login has other URLs than the location.
    for (const line of [
      'Alias /bandwidth /usr/local/bandmin/',
      'Alias /icons/ /srv/icons',
      'Alias /x ${X}',
      'ScriptAliasMatch ^/?controlpanel/?$ /srv/cgi/redirect.cgi',
    ])
      it(`a location does not lead there: ${line}`, () => assert.equal(refusals(line), 0));
    for (const line of [
      'Alias /status/ /srv/b/adm',
      'Alias /status/x/ /srv/b/adm',
      'Alias /status ${X}',
      'Alias / ${X}',
      'ScriptAliasMatch ^/?sta(.*) /srv/b/$1',
      'ScriptAliasMatch ^/?(.*)x /srv/b/$1',
    ])
      it(`a location may lead there: ${line}`, () => assert.notEqual(refusals(line), 0));
  });

  describe('.htaccess', () => {
    const base = 'DocumentRoot /srv/www\n<Directory />\nAllowOverride All\n</Directory>\n';
    const access = '/srv/www/a/.htaccess';

    it('without any AllowOverride is an open question', () => {
      const { plan } = converted({ [MAIN]: 'DocumentRoot /srv/www\n', [access]: 'Deny from all\n' });
      assert.match(plan.openQuestions.join('\n'), /no AllowOverride line applies to \/srv\/www\/a/);
    });

    it('in sections, too, must be admitted', () => {
      for (const [words, reason] of [
        ['Limit', /does not allow AuthConfig/],
        ['AuthConfig', /get 500/],
      ] as const) {
        const { plan } = converted({
          [MAIN]: base.replace('All\n', `${words}\n`),
          [access]: '<Files x>\nDeny from all\n</Files>\n',
        });
        assert.match(plan.refusals.map(({ reason }) => reasonText(reason)).join('\n'), reason);
      }
    });

    describe('in a directory of several names', () => {
      const link = (from: string, to: string) => (path: string) =>
        path === from ? to : path.startsWith(`${from}/`) ? to + path.slice(from.length) : path;
      const twice = { [access]: 'Deny from all\n', '/srv/www/b/.htaccess': 'Deny from all\n' };
      const own = (directory: string) =>
        `${base}<Directory ${directory}>\nSatisfy Any\n</Directory>\n<Directory />\nAllow from all\n</Directory>\n`;

      it('is converted where it comes to the same under all of them', () => {
        for (const identity of [link('/srv/www/b', '/srv/www/a'), link('/srv/www/b/.htaccess', access)]) {
          const { plan, texts } = converted({ [MAIN]: base, ...twice }, identity);
          assert.deepEqual([plan.openQuestions, plan.refusals, texts[access]], [[], [], 'Require all denied\n']);
        }
      });

      it('stays where it does not, whichever is the first', () => {
        const login = 'AuthType Basic\nRequire valid-user\nDeny from 10\n';
        for (const [name, from, to] of [
          ['a', '/srv/www/b', '/srv/www/a'],
          ['b', '/srv/www/b', '/srv/www/a'],
          ['b', '/srv/www/a', '/srv/www/b'],
        ] as const) {
          const { plan, texts } = converted(
            { [MAIN]: own(`/srv/www/${name}`), [access]: login, '/srv/www/b/.htaccess': login },
            link(from, to),
          );
          assert.match(
            plan.refusals.map(({ reason }) => reasonText(reason)).join('\n'),
            /several directories have links to the file/,
          );
          assert.deepEqual(texts, { [MAIN]: own(`/srv/www/${name}`), [access]: login, '/srv/www/b/.htaccess': login });
        }
      });

      it('counts where only one of the names admits it', () => {
        // The link comes first, and there it is not read.
        const main = `DocumentRoot /srv/www\n<Directory />\nAllowOverride None\nOrder deny,allow\nDeny from all\nAllow from 127.0.0.1\n</Directory>\n<Directory /srv/www/b>\nAllowOverride All\n</Directory>\n`;
        const login = 'AuthType Basic\nRequire valid-user\n';
        const { texts } = converted(
          { [MAIN]: main, [access]: login, '/srv/www/b/.htaccess': login },
          link('/srv/www/a', '/srv/www/b'),
        );
        assert.match(
          texts['/srv/www/b/.htaccess'],
          /<RequireAll>\n\s+Require valid-user\n\s+Require ip 127.0.0.1\n<\/RequireAll>/,
        );
      });

      it('is walked to an end where links lead around', () => {
        const round = (path: string) =>
          path
            .replace(/^\/srv\/www\/a(\/up\/a)+(?=\/|$)/, '/srv/www/a')
            .replace(/^\/srv\/www\/a\/up(?=\/|$)/, '/srv/www');
        const files: Record<string, string> = { [MAIN]: base, [access]: 'Deny from all\n' };
        for (let depth = 0, path = '/srv/www/a'; depth < 6; depth++, path += '/up/a')
          files[`${path}/.htaccess`] = 'Deny from all\n';
        const { plan, texts } = converted(files, round);
        assert.deepEqual([plan.openQuestions, plan.refusals, texts[access]], [[], [], 'Require all denied\n']);
        const deep = converted(
          { ...files, [MAIN]: `${base}<Directory /srv/www/a/up/a/up/a/up/a>\nSatisfy Any\n</Directory>\n` },
          round,
        );
        assert.match(deep.plan.openQuestions.join('\n'), /under both names/);
      });
    });

    describe('above what is served', () => {
      const login = 'AuthType Basic\nAuthName x\nRequire valid-user\n';
      const open = (directory: string) => `<Directory ${directory}>\nOrder allow,deny\nAllow from all\n</Directory>\n`;
      const cases: readonly (readonly [string, string, string])[] = [
        [
          'the documents',
          `DocumentRoot /srv/www\n<Directory />\nAllowOverride All\n</Directory>\n${open('/srv/www')}`,
          '/srv/.htaccess',
        ],
        [
          'the documents, at the root',
          `DocumentRoot /srv/www\n<Directory />\nAllowOverride All\n</Directory>\n${open('/srv/www')}`,
          '/.htaccess',
        ],
        [
          'an alias',
          `Alias /o /srv/other/deep/er\n<Directory />\nAllowOverride None\n</Directory>\n<Directory /srv/other>\nAllowOverride All\n</Directory>\n${open('/srv/other/deep/er')}`,
          '/srv/other/deep/.htaccess',
        ],
        [
          'a file with an alias',
          `Alias /o /srv/other/deep/er/index.html\n<Directory />\nAllowOverride None\n</Directory>\n<Directory /srv/other>\nAllowOverride All\n</Directory>\n${open('/srv/other/deep/er')}`,
          '/srv/other/deep/.htaccess',
        ],
        [
          'the documents of a virtual host',
          `DocumentRoot /srv/www\n<Directory />\nAllowOverride None\n</Directory>\n<VirtualHost *>\nDocumentRoot /srv/other/deep\n<Directory /srv/other>\nAllowOverride All\n</Directory>\n${open('/srv/other/deep')}</VirtualHost>\n`,
          '/srv/other/.htaccess',
        ],
        [
          'what a script is',
          `WSGIScriptAlias /o /srv/other/deep/er/index.html\n<Directory />\nAllowOverride None\n</Directory>\n<Directory /srv/other>\nAllowOverride All\n</Directory>\n${open('/srv/other/deep/er')}`,
          '/srv/other/deep/.htaccess',
        ],
      ];
      for (const [name, main, file] of cases) {
        it(`${name}: is read`, () => {
          const { plan, texts } = converted({ [MAIN]: main, [file]: login, '/srv/other/deep/er/index.html': '' });
          assert.deepEqual(plan.openQuestions, []);
          assert.deepEqual(plan.refusals, []);
          assert.match(texts[MAIN], /Require valid-user/);
        });
      }

      it('is an open question where it is not here', () => {
        const main =
          'DocumentRoot /var/www\n<Directory />\nAllowOverride None\n</Directory>\n<Directory /var>\nAllowOverride All\n</Directory>\n<Directory /var/www>\nAllowOverride None\nAllow from all\n</Directory>\n';
        assert.match(
          converted({ [MAIN]: main }).plan.openQuestions.join('\n'),
          /the directories above \/var\/www are not in this copy/,
        );
        assert.deepEqual(converted({ [MAIN]: main, '/var/www/index.html': '' }).plan.openQuestions, []);
      });
    });

    describe('of another name', () => {
      const main = (more: string) =>
        `DocumentRoot /srv/www\n<Directory />\nAllowOverride All\nOrder allow,deny\nAllow from all\n</Directory>\n${more}`;
      const login = 'AuthType Basic\nRequire valid-user\nDeny from 10\n';
      const done = /RequireAll/;

      it('is read under the name that the server in charge has', () => {
        const host = '<VirtualHost *>\nAccessFileName .acl\n</VirtualHost>\n';
        const { texts } = converted({ [MAIN]: main(host), [access]: login, '/srv/www/b/.acl': login });
        assert.match(texts[access], done, 'the main server has the default');
        assert.match(texts['/srv/www/b/.acl'], done);
      });

      it('is the last that is said', () => {
        const { texts } = converted({
          [MAIN]: main('AccessFileName .one\nAccessFileName .two\n'),
          '/srv/www/a/.one': login,
          '/srv/www/b/.two': login,
        });
        assert.equal(texts['/srv/www/a/.one'], login);
        assert.match(texts['/srv/www/b/.two'], done);
      });

      it('is the first of several that is there', () => {
        const { texts } = converted({
          [MAIN]: main('AccessFileName .one .two\n'),
          '/srv/www/a/.one': login,
          '/srv/www/a/.two': login,
          '/srv/www/b/.two': login,
        });
        assert.match(texts['/srv/www/a/.one'], done);
        assert.equal(texts['/srv/www/a/.two'], login);
        assert.match(texts['/srv/www/b/.two'], done);
      });

      it('in a directory below is found, too', () => {
        const { texts } = converted({ [MAIN]: main('AccessFileName conf/acl\n'), '/srv/www/a/conf/acl': login });
        assert.match(texts['/srv/www/a/conf/acl'], done);
      });

      it('that not all read keeps what stands over it from counting on it', () => {
        const host = '<VirtualHost *>\nAccessFileName .acl\n</VirtualHost>\n<Location /a>\nSatisfy Any\n</Location>\n';
        const { plan } = converted({ [MAIN]: main(host), [access]: login });
        assert.match(plan.refusals.map(({ reason }) => reasonText(reason)).join('\n'), /different access/);
      });

      it('that hangs on a variable is an open question', () => {
        assert.match(
          converted({ [MAIN]: main('AccessFileName ${NAME}\n') }).plan.openQuestions.join('\n'),
          /the names of \.htaccess files are not known/,
        );
      });
    });

    it('beside what an alias names is found: what follows its slash may go on with the name', () => {
      const main = (alias: string) =>
        `DocumentRoot /srv/www\n${alias}\n<Directory />\nAllowOverride All\nAllow from all\n</Directory>\n`;
      const at = '/srv/icons.old/.htaccess';
      const files = { '/srv/icons/x': '', [at]: 'Deny from all\n' };
      assert.equal(converted({ [MAIN]: main('Alias /icons/ /srv/icons'), ...files }).texts[at], 'Require all denied\n');
      assert.equal(converted({ [MAIN]: main('Alias /icons/ /srv/icons/'), ...files }).texts[at], 'Deny from all\n');
      // Whichever of two lines for one folder comes first.
      for (const both of [
        'Alias /i /srv/icons\nAlias /icons/ /srv/icons',
        'Alias /icons/ /srv/icons\nAlias /i /srv/icons',
        'Alias /i /srv/icons\n<VirtualHost *:80>\nAlias "/icons/" /srv/icons\n</VirtualHost>',
      ])
        assert.equal(converted({ [MAIN]: main(both), ...files }).texts[at], 'Require all denied\n', both);
    });

    it('below a folder that several lines serve is found by the first of them, and by a variable that stands for it', () => {
      const main = (hosts: string) =>
        `Define DOCS /srv/docs\nServerRoot /etc/httpd\n${hosts}<Directory />\nAllowOverride All\nAllow from all\n</Directory>\n`;
      const at = '/srv/docs/.htaccess';
      const host = (...lines: string[]) => `<VirtualHost *:80>\n${lines.join('\n')}\n</VirtualHost>\n`;
      for (const hosts of [
        host('Alias /a /srv/none') + host('Alias /b /srv/docs'),
        host('Alias /a /srv/none', 'Alias /b /srv/docs') + host('Alias /b /srv/docs'),
        host('Alias /a ${DOCS}'),
        host('Alias /a /srv/none') + host('ScriptAlias /b  /srv/docs'),
        host('Alias /a /srv/none') + host('Alias /srv/none "/srv/docs"'),
      ])
        assert.equal(
          converted({ [MAIN]: main(hosts), [at]: 'Deny from all\n' }).texts[at],
          'Require all denied\n',
          hosts,
        );
      const gone = converted({ [MAIN]: main(host('Alias /a /srv/gone') + host('Alias /b /srv/gone')) });
      assert.deepEqual(gone.plan.openQuestions.filter((text) => text.includes('/srv/gone')).length, 1);
    });

    it('that 2.4 reads for the sake of an AllowOverrideList is open', () => {
      const main =
        'DocumentRoot /srv/www\n<Directory />\nAllowOverride None\nAllowOverrideList Deny\nAllow from all\n</Directory>\n';
      assert.match(
        converted({ [MAIN]: main, [access]: 'Deny from all\n' }, undefined, '2.4').plan.openQuestions.join('\n'),
        /which AllowOverride applies/,
      );
      assert.deepEqual(
        converted({ [MAIN]: main.replace('List Deny', 'List None'), [access]: 'Deny from all\n' }, undefined, '2.4')
          .plan.openQuestions,
        [],
      );
    });

    it('in which something is not known is an open question', () => {
      assert.match(
        converted({ [MAIN]: base, [access]: 'Deny from all\nUse m\n' }).plan.openQuestions.join('\n'),
        /macro m/,
      );
    });

    it('is not looked for in what is a file', () => {
      const main = `DocumentRoot /srv/www\nAlias /icon /srv/other/index.html\n<Directory />\nAllowOverride None\n</Directory>\n<Directory /srv/other>\nAllowOverride All\nAllow from all\n</Directory>\n`;
      assert.deepEqual(converted({ [MAIN]: main }).plan.openQuestions, []);
    });
  });

  describe('AllowOverride', () => {
    const htaccess = 'Order deny,allow\nDeny from all\nAllow from 10\n';
    const at = '/srv/www/a/.htaccess';
    const main = (override: string, more = '') =>
      `DocumentRoot /srv/www\n<Directory />\nAllowOverride ${override}\nOrder allow,deny\nAllow from all\n</Directory>\n${more}`;

    it('goes by its last All or None', () => {
      for (const override of ['All None', 'Limit AuthConfig None', 'none', 'All None FileInfo'])
        assert.equal(converted({ [MAIN]: main(override), [at]: htaccess }).texts[at], htaccess, override);
      for (const override of ['None All', 'None Limit AuthConfig', 'all', 'None All FileInfo'])
        assert.equal(converted({ [MAIN]: main(override), [at]: htaccess }).texts[at], 'Require ip 10\n', override);
    });

    it('that is None wherever it stands is None', () => {
      const maybe = (text: string) => `<IfModule mod_what.c>\n${text}</IfModule>\n`;
      const none = '<Directory /srv/www/a>\nAllowOverride None\n</Directory>\n';
      for (const more of [
        maybe(none),
        `<VirtualHost *>\n${none}</VirtualHost>\n`,
        '<Directory /srv/*/a>\nAllowOverride None\n</Directory>\n',
        '<DirectoryMatch a>\nAllowOverride None\n</DirectoryMatch>\n',
        `<Directory /srv/www/a>\n${maybe('AllowOverride None\n')}</Directory>\n`,
      ]) {
        const { plan, texts } = converted({ [MAIN]: main('None', more), [at]: htaccess });
        assert.deepEqual([plan.openQuestions, plan.refusals, texts[at]], [[], [], htaccess], more);
      }
      assert.match(
        converted({ [MAIN]: main('None', maybe(none.replace('None', 'All'))), [at]: htaccess }).plan.openQuestions.join(
          '\n',
        ),
        /which AllowOverride applies/,
      );
    });
  });

  describe('what 2.2 reads otherwise', () => {
    const open = 'Order allow,deny\nAllow from all\n';
    const section = (body: string) => `<Directory /srv/www>\n${body}</Directory>\n`;
    const admitted = `DocumentRoot /srv/www\n<Directory />\nAllowOverride All\n${open}</Directory>\n`;
    const cases: readonly (readonly [string, Record<string, string>, RegExp])[] = [
      ['a tag in quotes', { [MAIN]: HEAD + section(`${open}'<Limit' GET>\nDeny from all\n</Limit>\n`) }, /in quotes/],
      [
        'a tag in quotes around others',
        { [MAIN]: `${HEAD}"<Location" /a>\n${section(open)}</Location>\n` },
        /in quotes/,
      ],
      [
        'a tag in quotes in a .htaccess',
        { [MAIN]: admitted, '/srv/www/.htaccess': `${open}"<Files" x>\nDeny from all\n</Files>\n` },
        /in quotes/,
      ],
      [
        'a last line that goes on',
        { [MAIN]: admitted, '/srv/www/.htaccess': 'Order deny,allow\nDeny from all\nAllow from all\\\n' },
        /drops the last line/,
      ],
      [
        'a last line that goes on, alone',
        { [MAIN]: admitted, '/srv/www/.htaccess': 'Deny from all\\\n' },
        /drops the last line/,
      ],
      ['a comment that 2.2 ends', { [MAIN]: HEAD + section(`${open}# C:\\\\\nDeny from all\n`) }, /ends it where/],
      [
        'a line that 2.2 ends',
        { [MAIN]: HEAD + section(`${open}ErrorDocument 403 C:\\\\\nDeny from all\n`) },
        /ends it where/,
      ],
      [
        'a comment that 2.2 cuts',
        { [MAIN]: HEAD + section(`${open}#${'x'.repeat(8190)}Deny from all\n`) },
        /cuts it after/,
      ],
      [
        'a comment that goes on where 2.2 has no room',
        { [MAIN]: HEAD + section(`${open}#${'x'.repeat(8187)}\\\nxxxDeny from all\n`) },
        /cuts it after/,
      ],
      [
        'a long list of addresses',
        { [MAIN]: HEAD + section(`Order allow,deny\nAllow from all\nDeny from ${'10.1.2.3 '.repeat(1000)}\n`) },
        /cuts it after/,
      ],
      ['a byte order mark', { [MAIN]: admitted, '/srv/www/.htaccess': `\ufeff# x\n${open}` }, /byte order mark/],
      [
        'a name in quotes',
        { [MAIN]: HEAD + section(`AuthType Basic\nRequire "valid-user"\n${open}`) },
        /2\.2 does not know/,
      ],
      [
        'a name with a backslash',
        { [MAIN]: HEAD + section(`AuthType Basic\nRequire valid\\\\-user\n${open}`) },
        /not one that 2.2 had|backslash/,
      ],
      [
        'a user with a backslash and an expression',
        { [MAIN]: HEAD + section(`AuthType Basic\nRequire user CORP\\bob%{x}\n${open}`) },
        /begins an expression/,
      ],
      [
        'an owner with a backslash',
        { [MAIN]: HEAD + section(`AuthType Basic\nRequire ldap-user CORP\\bob\n${open}`) },
        /backslash/,
      ],
      [
        'a group with a $1',
        { [MAIN]: HEAD + section(`AuthType Basic\nRequire group $1\n${open}`) },
        /backslash or "\$"/,
      ],
    ];
    for (const [name, texts, reason] of cases) {
      it(`${name}: nothing around it is converted`, () => {
        const made = converted(texts);
        assert.match(made.plan.refusals.map(({ reason }) => reasonText(reason)).join('\n'), reason);
        assert.deepEqual(made.texts, texts);
      });
    }

    it('a backslash in the name of a user or a group is two for 2.4', () => {
      const login = (names: string) => HEAD + section(`AuthType Basic\nRequire ${names}\n${open}`);
      for (const [names, now] of [
        ['user CORP\\bob ann', 'user CORP\\\\bob ann'],
        ['user "CORP\\bob"', 'user "CORP\\\\bob"'],
        ['group A\\\\b', 'group A\\\\\\\\b'],
      ]) {
        const { plan, texts } = converted({ [MAIN]: login(names).replace(open, 'Order allow,deny\nAllow from all\n') });
        assert.deepEqual([plan.refusals, texts[MAIN]], [[], HEAD + section(`AuthType Basic\nRequire ${now}\n`)]);
      }
    });

    it('and has nothing to do with access, keeps nobody', () => {
      for (const line of [
        '# C:\\\\\nmore\n',
        `#${'x'.repeat(9000)}\n`,
        'ErrorDocument 403 C:\\\\\nServerName x\n',
        `#${'x'.repeat(8189)}\n`,
      ]) {
        const { plan, texts } = converted({ [MAIN]: HEAD + section(open + line) });
        assert.deepEqual(
          [plan.refusals, texts[MAIN]],
          [[], HEAD + section(`Require all granted\n${line}`)],
          line.slice(0, 30),
        );
      }
    });
  });

  describe('other modules', () => {
    const login = 'AuthType Basic\nAuthName x\nRequire valid-user\n';
    const svn = (line: string, more = login) =>
      `${HEAD}<Directory /srv/www>\nOrder allow,deny\nAllow from all\n</Directory>\n<Location /svn>\n${line}\nSatisfy Any\n${more}</Location>\n`;
    for (const line of [
      'AuthzSVNAccessFile conf/svn',
      'AuthzSVNReposRelativeAccessFile svn',
      'SSLRequire true',
      'SSLVerifyClient require',
      'PerlAccessHandler My::Access',
      'WSGIAccessScript /x',
      'PythonAccessHandler x',
    ]) {
      it(`that may refuse, under Satisfy Any: ${line.split(' ')[0]}`, () => {
        const { plan, texts } = converted({ [MAIN]: svn(line) });
        assert.match(
          plan.refusals.map(({ reason }) => reasonText(reason)).join('\n'),
          new RegExp(`although ${line.split(' ')[0]}`),
        );
        // What everybody gets there is nothing that Satisfy Any could pass by.
        assert.equal(texts[MAIN], svn(line).replace('Order allow,deny\nAllow from all', 'Require all granted'));
        assert.match(converted({ [MAIN]: svn(line).replace('Satisfy Any\n', '') }).texts[MAIN], /Require all granted/);
      });
    }

    it('map no other URLs than they name: WSGIScriptAlias', () => {
      const main = (line: string) =>
        `${HEAD}DocumentRoot /srv/www\n${line}\n<Directory /srv/app>\nOrder allow,deny\nAllow from all\n</Directory>\n<Directory /srv/www>\n${login}</Directory>\n<Location /status>\nOrder deny,allow\nDeny from all\nAllow from 10.0.0.0/8\n</Location>\n`;
      const of = (line: string) => {
        const { texts, plan } = converted({ [MAIN]: main(line) });
        return plan.refusals.length > 0 ? 'refused' : /<Location \/status>\n([^]*?)<\/Location>/.exec(texts[MAIN])![1];
      };
      const both = '<RequireAll>\n    Require valid-user\n    Require ip 10.0.0.0/8\n</RequireAll>\n';
      assert.equal(of('WSGIScriptAlias /app /srv/app/app.wsgi'), of(''));
      assert.equal(of(''), both);
      assert.equal(of('WSGIScriptAliasMatch ^/app/(.*) /srv/app/$1.wsgi'), both);
      // All URLs that no Alias line takes.
      assert.equal(of('WSGIScriptAlias / /srv/app/app.wsgi'), 'Require ip 10.0.0.0/8\n');
      assert.equal(of('WSGIScriptAlias / /srv/app/app.wsgi\nAlias /status /srv/www/status'), both);
      assert.equal(of('WSGIScriptAlias /status /srv/app/app.wsgi'), 'Require ip 10.0.0.0/8\n');
      assert.equal(of('WSGIScriptAliasMatch ^/(.*) /srv/app/$1.wsgi'), 'refused');
    });

    it('that settle it for the whole server leave Satisfy Any alone', () => {
      assert.match(
        converted({ [MAIN]: `SSLVerifyClient none\n${svn('# nothing')}` }).texts[MAIN],
        /Require all granted/,
      );
    });

    it('that know groups of their own', () => {
      const text = `${HEAD}<Directory /srv>\nGroupExternal x\n</Directory>\n<Directory /srv/www>\nAuthType Basic\nRequire group staff\nDeny from 10\n</Directory>\n`;
      assert.match(
        converted({ [MAIN]: text })
          .plan.refusals.map(({ reason }) => reasonText(reason))
          .join('\n'),
        /GroupExternal of mod_authnz_external \(\S+:6\) decides about the groups in .*: if it does, write "Require external-group"/,
      );
    });

    it('a section that forgets the group file', () => {
      const text = `${HEAD}<Directory /srv/www>\nAuthType Basic\nAuthGroupFile g\nRequire group staff\nDeny from 10\n</Directory>\n<Directory /srv/www/a>\nAuthzGroupFileAuthoritative Off\n</Directory>\n`;
      const { plan, texts } = converted({ [MAIN]: text });
      assert.match(
        plan.refusals.map(({ reason }) => reasonText(reason)).join('\n'),
        /cancels the inherited AuthGroupFile/,
      );
      assert.equal(texts[MAIN], text);
    });
  });

  describe('lines of 2.4 beside those of 2.2', () => {
    for (const line of [
      'Require all granted',
      'Require ip 10',
      'Require not ip 10',
      'AuthMerging And',
      '<RequireAny>\nRequire valid-user\n</RequireAny>',
    ]) {
      it(`are a tree that is converted in part: ${line.split('\n')[0]}`, () => {
        const { plan } = converted({
          [MAIN]: `${HEAD}<Directory /srv/www>\nAllow from all\n</Directory>\n<Directory /srv/other>\n${line}\n</Directory>\n`,
        });
        assert.match(
          plan.openQuestions.join('\n'),
          /the files mix both versions: <Directory \/srv\/other> has Require \(2\.4\)/,
        );
      });
    }

    it('where one of the files is old, too', () => {
      const main = `DocumentRoot /srv/www\n<Directory />\nAllowOverride All\nRequire all denied\n</Directory>\n`;
      assert.match(
        converted({ [MAIN]: main, '/srv/www/.htaccess': 'Allow from all\n' }).plan.openQuestions.join('\n'),
        /the files mix both versions: <Directory \/> has Require \(2\.4\)/,
      );
    });

    it("are no openQuestion where nothing is old, or all is 2.2's", () => {
      assert.deepEqual(
        converted({ [MAIN]: `${HEAD}<Directory /srv/www>\nRequire all granted\n</Directory>\n` }).plan.openQuestions,
        [],
      );
      assert.deepEqual(
        converted({
          [MAIN]: `${HEAD}<Directory /srv/www>\nAuthType Basic\nRequire valid-user\nDeny from 10\n</Directory>\n`,
        }).plan.openQuestions,
        [],
      );
    });
  });

  describe('conditions', () => {
    const modules =
      'LoadModule authz_host_module modules/mod_authz_host.so\nLoadModule alias_module modules/mod_alias.so\n';
    const within = (open: string, head = modules) =>
      `${head}${HEAD}<Directory /srv/www>\n${open}\nOrder deny,allow\nDeny from all\n</${open.slice(1).split(' ')[0]}>\n</Directory>\n<Directory /srv/www/a>\nOrder allow,deny\nAllow from all\n</Directory>\n`;

    it('that hold in both versions are none', () => {
      for (const open of [
        '<IfModule mod_authz_host.c>',
        '<IfModule alias_module>',
        '<IfModule core.c>',
        '<IfVersion >= 2.0>',
        '<IfModule !mod_access_compat.c>'.replace('!mod_access_compat.c', 'mod_alias.c'),
      ]) {
        const { plan, texts } = converted({ [MAIN]: within(open) });
        assert.deepEqual([plan.openQuestions, plan.refusals], [[], []], open);
        assert.match(texts[MAIN], new RegExp(`${open.replace(/[>=.]/g, '\\$&')}\nRequire all denied\n`));
      }
    });

    it('that are unknown keep what they hold and what shares requests with it', () => {
      for (const [open, head] of [
        ['<IfModule mod_rewrite.c>'],
        ['<IfModule mod_alias.c>', ''],
        ['<IfModule mod_alias.c>', `<IfDefine X>\n${modules}</IfDefine>\n`],
        ['<IfModule mod_php5.c>', 'LoadModule php5_module modules/mod_php5.so\n'],
        ['<IfDefine X>'],
      ] as const) {
        const { plan, texts } = converted({ [MAIN]: within(open, head) });
        assert.equal(texts[MAIN], within(open, head), open);
        assert.equal(plan.refusals.length, 2);
      }
    });

    describe('that the two versions can answer differently', () => {
      const named = (open: string, body: string) => `${open}\n${body}</${open.slice(1).split(/[ >]/)[0]}>\n`;
      const shut = 'Order deny,allow\nDeny from all\n';
      const location = `<Location /a>\n${shut}</Location>\n`;
      const outer = `${HEAD}<Directory /srv/www>\nOrder allow,deny\nAllow from all\n</Directory>\n`;
      const isNamed = (texts: Record<string, string>, open: string) => {
        const { openQuestions } = converted({ '/srv/www/a/x': '', ...texts }).plan;
        const why = `"${open}" in `;
        assert.ok(
          openQuestions.some((each) => each.startsWith(why) && each.includes('can be true in only one of the two')),
          `${texts[MAIN]}${openQuestions.join('\n')}`,
        );
      };
      const VARIABLE = [
        '<IfVersion < ${V}>',
        '<IfVersion !>= ${V}>',
        '<IfVersion ${OP} 2.4>',
        '<IfVersion ${V}>',
        '<IFVERSION < 2.${MINOR}>',
        '<IfModule ${M}>',
        '<IfModule !${M}>',
        '<IfModule "${M}.c">',
      ];

      it('because of a variable', () => {
        for (const open of VARIABLE) {
          for (const body of [
            location,
            `<Directory /srv/www/a>\n${shut}</Directory>\n`,
            `<VirtualHost *:80>\n${location}</VirtualHost>\n`,
            `<IfDefine X>\n${location}</IfDefine>\n`,
            `<IfModule mod_alias.c>\n${location}</IfModule>\n`,
            'Include conf/part.conf\n',
          ])
            isNamed({ [MAIN]: outer + named(open, body), '/srv/conf/part.conf': location }, open);
          isNamed({ [MAIN]: `${outer}<VirtualHost *:80>\n${named(open, location)}</VirtualHost>\n` }, open);
          isNamed({ [MAIN]: `Define V 2.4\nDefine M prefork.c\n${outer}${named(open, location)}` }, open);
          isNamed({ [MAIN]: `${outer}<Macro P>\n${named(open, location)}</Macro>\nUse P\n` }, open);
          const main = `${HEAD}DocumentRoot /srv/www\n<Directory />\nAllowOverride All\n</Directory>\n`;
          isNamed({ [MAIN]: main, '/srv/www/.htaccess': named(open, `<Files x>\n${shut}</Files>\n`) }, open);
        }
      });

      it('because a pattern cannot be tried', () =>
        isNamed(
          { [MAIN]: outer + named('<IfVersion ~ "^(?:2\\.2|x(?R)?)">', location) },
          '<IfVersion ~ "^(?:2\\.2|x(?R)?)">',
        ));

      it('but not those that ask for what both get, as the command line', () => {
        for (const open of ['<IfDefine ${X}>', '<IfDefine X>', '<IfDefine !X>', '<IfModule mod_php5.c>']) {
          const { plan, texts } = converted({ '/srv/www/a/x': '', [MAIN]: outer + named(open, location) });
          assert.deepEqual(
            [plan.refusals, plan.openQuestions.filter((each) => each.includes('two versions'))],
            [[], []],
            open,
          );
          assert.ok(texts[MAIN].includes(`${open}\n<Location /a>\nRequire all denied\n`), open);
        }
      });

      const ONE = [
        '<IfVersion < 2.4>',
        '<IfVersion >= 2.4>',
        '<IfModule mod_authz_core.c>',
        '<IfModule !mod_authz_core.c>',
        '<IfVersion < ${V}>',
      ];
      const LINES = [
        ['Define OLD', '<IfDefine OLD>'],
        ['Define OLD', '<IfDefine !OLD>'],
        ['Undefine OLD', '<IfDefine OLD>'],
        ['Define OLD', '<IfDefine ${X}>'],
        ['LoadModule php5_module modules/mod_php5.so', '<IfModule mod_php5.c>'],
        ['LoadModule ssl_module modules/mod_ssl.so', '<IfModule !ssl_module>'],
      ] as const;

      /** What only 2.4 defines is not defined in 2.2, unless 2.2 is started with it. */
      const isDecided = (around: string, line: string, open: string) =>
        /^<If(Version >= 2\.4|Module mod_authz_core)/.test(around) && line === 'Define OLD' && !open.includes('$');

      it('because of what only one of them defines or loads before', () => {
        for (const around of ONE)
          for (const [line, open] of LINES) {
            if (isDecided(around, line, open)) continue;
            const before = named(around, `${line}\n`);
            isNamed({ [MAIN]: outer + before + named(open, location) }, open);
            const text = named(open, `<Directory /srv/www/a>\n${shut}</Directory>\n`);
            isNamed({ [MAIN]: outer + named(around, 'Include conf/p\n') + text, '/srv/conf/p': `${line}\n` }, open);
            const main = `${HEAD}DocumentRoot /srv/www\n${before}<Directory />\nAllowOverride All\n</Directory>\n`;
            isNamed({ [MAIN]: main, '/srv/www/.htaccess': named(open, `<Files x>\n${shut}</Files>\n`) }, open);
          }
      });

      it('but not what only 2.4 defines: that is read in 2.4 alone', () => {
        const both = '<IfDefine OLD>\nRequire all denied\n</IfDefine>\n<IfDefine !OLD>\n' + shut + '</IfDefine>\n';
        const inner = `<Directory /srv/www/b>\n${shut}Allow from 10\n</Directory>\n`;
        for (const around of ONE.filter((each) => isDecided(each, 'Define OLD', '<IfDefine OLD>'))) {
          const text = `${outer}${named(around, 'Define OLD\n')}<Directory /srv/www/a>\n${both}</Directory>\n${inner}`;
          const options = { '/srv/www/a/x': '', '/srv/www/b/x': '', [MAIN]: text };
          const { plan, texts } = converted(options, undefined, '2.2', {}, { defineFlags: new Map([['OLD', false]]) });
          assert.deepEqual([plan.refusals, plan.openQuestions], [[], []], around);
          assert.ok(texts[MAIN].includes(both) && texts[MAIN].includes('Require ip 10'), texts[MAIN]);
          // It can be started with -D OLD.
          assert.ok(converted(options).plan.refusals.length > 0, around);
        }
      });

      it('and not where the name can be taken back', () => {
        const define = named('<IfVersion >= 2.4>', 'Define OLD\n');
        for (const [between, wanted] of [
          [named('<IfDefine X>', 'UnDefine OLD\n'), true],
          [named('<IfVersion >= 2.4>', 'UnDefine OLD\n'), true],
          ['', false],
        ] as const) {
          const text = outer + define + between + named('<IfDefine OLD>', location);
          const { openQuestions } = converted({ [MAIN]: text }).plan;
          assert.equal(
            openQuestions.some((each) => each.includes('can be true in only one of the two')),
            wanted,
            between,
          );
        }
      });

      it('but not what a line for each of them, or for both, defines or loads', () => {
        for (const [line, open] of LINES.filter(([each, tag]) => !each.startsWith('Un') && !tag.includes('$'))) {
          const halves = named('<IfVersion < 2.4>', `${line}\n`) + named('<IfVersion >= 2.4>', `${line}\n`);
          for (const before of [halves, `${named('<IfVersion < 2.4>', `${line}\n`)}${line}\n`]) {
            const { openQuestions } = converted({
              '/srv/www/a/x': '',
              [MAIN]: outer + before + named(open, location),
            }).plan;
            assert.ok(
              !openQuestions.some((each) => each.includes('two versions')),
              `${before}${open}: ${openQuestions.join('; ')}`,
            );
          }
        }
      });
    });

    it('are decided where they stand: what is loaded later does not count', () => {
      const text = `${within('<IfModule mod_alias.c>', '')}${modules}`;
      const { plan, texts } = converted({ [MAIN]: text });
      assert.deepEqual([plan.refusals.length, texts[MAIN]], [2, text]);
    });

    it('in a .htaccess know what is loaded', () => {
      const main = `${modules}DocumentRoot /srv/www\n<Directory />\nAllowOverride All\n</Directory>\n`;
      const { plan, texts } = converted({
        [MAIN]: main,
        '/srv/www/.htaccess': '<IfModule mod_alias.c>\nDeny from all\n</IfModule>\n',
      });
      assert.deepEqual(
        [plan.openQuestions, plan.refusals, texts['/srv/www/.htaccess']],
        [[], [], '<IfModule mod_alias.c>\nRequire all denied\n</IfModule>\n'],
      );
    });

    it('that hold for 2.2 alone go', () => {
      for (const open of ['<IfVersion < 2.4>', '<IfModule !mod_authz_core.c>', '<IfModule mod_authz_default.c>']) {
        const text = within(open, `${modules}LoadModule authz_default_module modules/mod_authz_default.so\n`);
        const { plan, texts } = converted({ [MAIN]: text });
        assert.deepEqual(plan.refusals, [], open);
        assert.equal(texts[MAIN].includes('Require all denied') && !texts[MAIN].includes(open), true, open);
      }
    });

    it('that hold for 2.4 alone are not converted', () => {
      for (const open of ['<IfVersion >= 2.4>', '<IfModule mod_authz_core.c>', '<IfModule mod_access_compat.c>']) {
        const text = within(open, `${modules}LoadModule authz_default_module modules/mod_authz_default.so\n`);
        const { plan, texts } = converted({ [MAIN]: text });
        const isNone = open.includes('mod_access_compat');
        if (!isNone)
          assert.match(
            plan.refusals.map(({ reason }) => reasonText(reason)).join('\n'),
            /none for 2.4|only 2\.4 reads .*: remove this line if/,
            open,
          );
        assert.equal(texts[MAIN].includes('Require all denied'), false, open);
      }
    });

    it('around what has nothing to do with access are no open question', () => {
      assert.deepEqual(
        converted({
          [MAIN]: within('<IfModule core.c>').replace(
            'LoadModule alias',
            '<IfVersion < 2.4>\nNameVirtualHost *\n</IfVersion>\nLoadModule alias',
          ),
        }).plan.openQuestions,
        [],
      );
    });
  });

  it('an AuthType that asks nobody, from mod_access_compat, keeps what it stands on', () => {
    const text = `${HEAD}<Directory /srv/www>\nOrder allow,deny\nAllow from all\n</Directory>\n<Location /a>\nAuthType Basic\n</Location>\n`;
    const { plan, texts } = converted({ [MAIN]: text }, undefined, '2.4');
    assert.match(plan.refusals.map(({ reason }) => reasonText(reason)).join('\n'), /AH01627/);
    assert.equal(texts[MAIN], text);
  });

  it('a login for some methods joins what it stands on', () => {
    const text = `${HEAD}<Files "^\\.ht">\nOrder allow,deny\nDeny from all\n</Files>\n<Location />\nAuthType Basic\nAuthName x\n<LimitExcept GET>\nRequire valid-user\n</LimitExcept>\n</Location>\n`;
    const { plan, texts } = converted({ [MAIN]: text });
    assert.deepEqual([plan.openQuestions, plan.refusals], [[], []]);
    assert.match(texts[MAIN], /<Location \/>\nAuthType Basic\nAuthName x\n# As before: .*\nAuthMerging And\n/);
    assert.match(texts[MAIN], /<Files "\^\\.ht">\nRequire all denied\n/);
  });

  it('without a DocumentRoot, a location stands on what may hold where documents lie by default', () => {
    const text = (path: string) =>
      `<Directory />\nAllowOverride None\n</Directory>\nAlias /o /srv/other\n<Directory ${path}>\nOrder allow,deny\nAllow from 10\n</Directory>\n<Location /a>\nAuthType Basic\nSatisfy Any\nRequire valid-user\n</Location>\n`;
    assert.deepEqual(converted({ [MAIN]: text('/srv/other') }).plan.refusals, []);
    for (const path of ['/srv/htdocs', '/usr/local', '/opt/my/htdocs', '/srv'])
      assert.notDeepEqual(converted({ [MAIN]: text(path) }).plan.refusals, [], path);
  });
});

/** With open questions as text. */
type Told = Omit<AccessPlan, 'openQuestions'> & { readonly openQuestions: readonly string[] };

function converted(
  texts: Readonly<Record<string, string>>,
  realPath = (path: string) => path,
  source: Source = '2.2',
  more: ConversionOptions = {},
  reading: Partial<ReadOptions> = {},
): { plan: Told; texts: Record<string, string> } {
  const view: FileView = {
    ...memoryFiles({ '/srv/www/index.html': '', '/srv/other/index.html': '', ...texts }),
    realPath,
  };
  const read = {
    root: MAIN,
    view,
    names: ACCESS_NAMES,
    oneVersionNames: ONE_VERSION_NAMES,
    decideCondition: accessConditionDecider(source),
    serverRoot: '/srv',
    ...reading,
  };
  const configuration = readConfiguration(read)!;
  const { files, openQuestions } = discoverHtaccess(configuration, view);
  const plan = planAccessConversion(configuration, files, openQuestions, { ...lineOf24Finders(read), ...more, source });
  return {
    plan: { ...plan, openQuestions: plan.openQuestions.map(openQuestionText) },
    texts: Object.fromEntries(
      Object.entries(texts).map(([path, text]) => [path, applyEdits(text, plan.edits.get(path) ?? [])]),
    ),
  };
}
