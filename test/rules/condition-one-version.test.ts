/** Which conditions are true in one version alone, and where that matters. */
import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'condition-one-version' };
const SHUT = 'Order deny,allow\nDeny from all\n';

/** The message of the only finding; null for none. */
function found(text: string, file = 'httpd.conf'): string | null {
  const marks = annotated(text, { ...rule, file }).match(/condition-one-version\/\w+/g) ?? [];
  assert.ok(marks.length <= 1, text);
  return marks[0]?.replace('condition-one-version/', '') ?? null;
}

describe('condition-one-version', () => {
  it('finds lines that 2.4 loses, whatever the form of the condition', () => {
    const conditions = [
      ...['< 2.4', '< 2.3', '!>= 2.4', '<= 2.3', '~ ^2\\.2', '== /^2\\.2/', '!= /^2\\.4/', '!~ ^2\\.[46]', '/^2\\.2/'],
      ...['!> 2.3', '"<" "2.4"', '~ "^2\\.2"'],
    ].map((each) => ['IfVersion', each]);
    conditions.push(
      ...['mod_authz_default.c', 'mem_cache_module', '!mod_authz_core.c', '!mod_unixd.c', '!mod_slotmem_shm.c'].map(
        (each) => ['IfModule', each],
      ),
    );
    for (const [name, each] of conditions)
      assert.equal(found(`<${name} ${each}>\n${SHUT}</${name}>\n`, '.htaccess'), 'lost', each);
  });

  it('is silent where both read the lines, or neither, or nothing tells', () => {
    const conditions = [
      ...['>= 2.2.15', '> 2.2', '< 2.5', '~ ^2\\.[24]'].map((each) => ['IfVersion', each]),
      ...['mod_rewrite.c', 'mod_authz_host.c', 'mod_authz_core', '!mod_access.c', 'authz_core.c'].map((each) => [
        'IfModule',
        each,
      ]),
    ];
    for (const [name, each] of conditions)
      assert.equal(found(`<${name} ${each}>\n${SHUT}</${name}>\n`, '.htaccess'), null, each);
  });

  it('finds conditions with the same result on every server', () => {
    for (const each of ['= 2.2', '2.4', '== 2.4.0', '!= 2.2', '~ /^2\\.2/', '!~ /^2\\.2/', '~ "/2\\.4/"'])
      assert.equal(found(`<IfVersion ${each}>\nKeepAlive On\n</IfVersion>\n`), 'always', each);
  });

  it('finds what the last 2.2 does not read, and 2.4 does', () => {
    for (const each of ['!= 2.2.35', '= /2\\.4/'])
      assert.equal(
        found(`Order deny,allow\n<IfVersion ${each}>\nAllow from all\n</IfVersion>\n`, '.htaccess'),
        'gained',
      );
  });

  it('warns of what 2.4 alone reads where that can open', () => {
    const consequenceOf = (body: string) => {
      const text = `<Directory />\n${SHUT}</Directory>\n<IfVersion > 2.3>\n${body}</IfVersion>\n`;
      return findingsIn(text, rule).map(({ consequence }) => consequence);
    };
    assert.deepEqual(consequenceOf('<Directory /a>\nAllow from all\n</Directory>\n'), ['meaning changed']);
    assert.deepEqual(consequenceOf('Alias /a /b\n'), ['meaning changed']);
    assert.deepEqual(consequenceOf('<Directory /a>\nRequire all granted\n</Directory>\n'), [
      'check before the upgrade',
    ]);
  });

  it('finds lines for 2.4 that do not decide as those for 2.2', () => {
    const dual = (old: string, fresh: string, at: string) => {
      const section = (text: string) => (at === '' ? text : `<${at} /a>\n${text}</${at}>\n`);
      return `<IfVersion < 2.4>\n${section(old)}</IfVersion>\n<IfVersion >= 2.4>\n${section(fresh)}</IfVersion>\n`;
    };
    for (const at of ['', 'Directory', 'Location']) {
      const file = at === '' ? '.htaccess' : 'httpd.conf';
      assert.equal(found(dual(SHUT, 'Require all granted\n', at), file), 'other', at);
      assert.equal(found(dual('Require valid-user\n', 'Require all granted\n', at), file), 'other', at);
      assert.equal(found(dual(SHUT, 'Require all denied\n', at), file), null, at);
      assert.equal(found(dual(`${SHUT}Allow from 10\n`, 'Require ip 10\n', at), file), null, at);
      assert.equal(found(dual('Require valid-user\n', 'Require valid-user\n', at), file), null, at);
      // What is not known of either is not compared.
      assert.equal(found(dual(`${SHUT}Allow from \${X}\n`, 'Require ip 10\n', at), file), null, at);
    }
  });

  it('says whether the lines for 2.4 allow more or fewer requests', () => {
    const headline = (old: string, now: string) =>
      findingsIn(
        `<Directory /a>\n<IfVersion < 2.4>\n${old}</IfVersion>\n<IfVersion >= 2.4>\n${now}</IfVersion>\n</Directory>\n`,
        rule,
      )
        .map(({ message }) => /: the lines for 2\.4 (.*) those for 2\.2/.exec(message)?.[1])
        .find((text) => text !== undefined);
    const allows10 = `${SHUT}Allow from 10\n`;
    assert.equal(headline(allows10, 'Require all granted\n'), 'allow more requests than');
    assert.equal(headline(SHUT, 'Require ip 10\n'), 'allow more requests than');
    assert.equal(headline(allows10, 'Require all denied\n'), 'allow fewer requests than');
    assert.equal(headline('Order allow,deny\nAllow from all\n', 'Require ip 10\n'), 'allow fewer requests than');
    assert.equal(headline(allows10, 'Require ip 192.0.2\n'), 'give other access than');
  });

  it('quotes the lines of both versions', () => {
    const [finding] = findingsIn(
      `<Directory /a>\n<IfVersion < 2.4>\n${SHUT}</IfVersion>\n<IfVersion >= 2.4>\nRequire ip 10\n</IfVersion>\n</Directory>\n`,
      rule,
    ).filter(({ message }) => /allow more requests/.test(message));
    assert.match(
      finding!.help ?? '',
      /^To keep the access of 2\.2 \(`Order .*`\), write `Require all denied` for 2\.4 in place of `Require ip 10`\.$/,
    );
  });

  it('finds old lines for 2.4 alone that are not those for 2.2', () => {
    const both = (before: string, now: string) =>
      `<IfVersion < 2.4>\n${before}</IfVersion>\n<IfModule mod_authz_core.c>\n${now}</IfModule>\n`;
    const inSection = (body: string) => found(`<Directory /a>\nOrder deny,allow\n${body}</Directory>\n`);
    assert.equal(inSection(both('Deny from all\n', 'Allow from env=ok\n')), 'other');
    assert.equal(inSection(both('Deny from 10\n', 'Allow from all\n')), 'other');
    assert.equal(inSection(both('Satisfy All\n', 'Satisfy Any\n')), 'other');
    assert.equal(inSection(both('Deny from all\n', ' deny  FROM all\n')), null);
  });

  it('finds conditions in a macro, and those with a variable, of which nothing is known', () => {
    const inside = `<IfVersion ~ ^2\\.2>\n<Location $x>\n${SHUT}</Location>\n</IfVersion>\n`;
    assert.equal(found(`<Macro P $x>\n${inside}</Macro>\nUse P /a\n`), 'lost');
    assert.equal(found(`<Macro P $v>\n<IfVersion < $v>\n${SHUT}</IfVersion>\n</Macro>\n`, '.htaccess'), null);
    for (const each of ['< ${V}', '~ "${V}"', '${OP} 2.4'])
      assert.equal(found(`<IfVersion ${each}>\n${SHUT}</IfVersion>\n`, '.htaccess'), 'variable', each);
  });

  it('asks which MPM runs, and takes mod_access_compat for no test', () => {
    for (const each of ['prefork.c', 'mpm_worker_module', '!event.c'])
      assert.equal(found(`<IfModule ${each}>\n${SHUT}</IfModule>\n`, '.htaccess'), 'mpm', each);
    assert.equal(found(`<IfModule mod_access_compat.c>\n${SHUT}</IfModule>\n`, '.htaccess'), 'compat');
  });

  it('finds sections, includes, AllowOverride, forbidding rewrite rules and what maps URLs', () => {
    for (const body of [
      `<Directory /a>\n${SHUT}</Directory>\n`,
      'Include acl.conf\n',
      '<Directory /a>\nAllowOverride None\n</Directory>\n',
      'RewriteRule ^/a - [F]\n',
      'RewriteRule ^/a - [NC,F]\n',
      'Alias /a /b\n',
    ])
      assert.equal(found(`<IfVersion < 2.4>\n${body}</IfVersion>\n`), 'lost', body);
    for (const body of ['Timeout 3\n', 'RewriteRule ^/a /F [L]\n', '# Deny from all\n'])
      assert.equal(found(`<IfVersion < 2.4>\n${body}</IfVersion>\n`), null, body);
  });

  it('is silent where the other version has access control of its own for the same section', () => {
    const dual = (before: string, now: string) => `${before}${now}`;
    const clean = [
      dual(`<IfVersion < 2.4>\n${SHUT}</IfVersion>\n`, '<IfVersion >= 2.4>\nRequire all denied\n</IfVersion>\n'),
      dual(
        `<IfModule !mod_authz_core.c>\n${SHUT}</IfModule>\n`,
        '<IfVersion !< 2.3>\nRequire all denied\n</IfVersion>\n',
      ),
      dual(
        '<IfModule mod_authz_default.c>\nRequire valid-user\n</IfModule>\n',
        '<IfModule !mod_authz_default.c>\nRequire valid-user\n</IfModule>\n',
      ),
      dual(
        '<IfVersion < 2.4>\nInclude old.conf\n</IfVersion>\n',
        '<IfVersion >= 2.4>\nInclude new.conf\n</IfVersion>\n',
      ),
      dual(
        `<IfVersion < 2.4>\n<Directory /a>\n${SHUT}</Directory>\n</IfVersion>\n`,
        '<IfVersion >= 2.4>\n<Directory /a/>\nRequire all denied\n</Directory>\n</IfVersion>\n',
      ),
      dual(`<IfVersion < 2.4>\n${SHUT}</IfVersion>\n`, 'Require all denied\n'),
      `<IfModule mod_version.c>\n<IfVersion < 2.4>\n${SHUT}</IfVersion>\n<IfVersion >= 2.4>\nRequire all denied\n</IfVersion>\n</IfModule>\n`,
    ];
    for (const text of clean) assert.equal(found(text), null, text);
    // For /a there is nothing.
    const other = `<IfVersion < 2.4>\n<Directory /a>\n${SHUT}</Directory>\n</IfVersion>\n<IfVersion >= 2.4>\n<Directory /b>\nRequire all denied\n</Directory>\n</IfVersion>\n`;
    assert.match(annotated(other, rule), /warning condition-one-version\/lost/);
  });

  it('says what 2.4 gains where the file has lines of 2.2', () => {
    const gained = '<IfModule mod_authz_core.c>\nRequire all granted\n</IfModule>\n';
    assert.equal(found(`<Directory /a>\n${gained}</Directory>\n`), null);
    assert.equal(found(`<Directory /a>\n${gained}</Directory>\n<Directory /b>\n${SHUT}</Directory>\n`), 'gained');
    // The lines around it, which `fix` removes, already give this access.
    assert.equal(found(`<Directory /a>\nOrder allow,deny\nAllow from all\n${gained}</Directory>\n`), null);
    assert.equal(found(`<Directory /a>\n${SHUT}${gained}</Directory>\n`), 'gained');
    const override = gained.replace('Require', 'AllowOverride None\nRequire');
    assert.equal(found(`<Directory /a>\nAllow from all\n${override}</Directory>\n`), 'gained');
  });

  it('takes the condition away', () => {
    const text = `<Files a>\n  <IfVersion ~ ^2\\.2>\n    ${SHUT}  </IfVersion>\n</Files>\n`;
    assert.equal(
      fixed(text, { ...rule, unsafe: true, file: '.htaccess' }),
      '<Files a>\n    Order deny,allow\nDeny from all\n</Files>\n',
    );
  });

  it('takes the place of the finding that 2.4 has no such module', () => {
    const rules = (text: string) =>
      findingsIn(text).flatMap(({ rule: { id }, start }) =>
        /^(condition-one-version|ifmodule-renamed)$/.test(id)
          ? [`${text.slice(0, start).split('\n').length} ${id}`]
          : [],
      );
    const section = (body: string) => `<IfModule mod_authz_default.c>\n${body}\n</IfModule>\n`;
    assert.deepEqual(rules(section('Require valid-user')), ['1 condition-one-version']);
    assert.deepEqual(rules(`<Directory /a>\n${section('Deny from all')}</Directory>\n`), ['2 condition-one-version']);
    assert.deepEqual(rules(`${section('AuthzDefaultAuthoritative Off')}${section('Deny from all')}`), [
      '1 ifmodule-renamed',
      '4 condition-one-version',
    ]);
  });

  it('names what the lines decide', () => {
    const textsOf = (body: string) =>
      findingsIn(`<IfModule mod_log_debug.c>\n${body}\n</IfModule>\nDeny from all\n`, rule).map(({ what }) => what);
    assert.deepEqual(textsOf('<Directory /a>\nAllowOverrideList LogMessage\n</Directory>'), []);
    assert.match(
      textsOf('<Directory /a>\nAllowOverrideList Require\n</Directory>')[0]!,
      /lines about \.htaccess files/,
    );
  });

  it('knows the names that only 2.4 defines', () => {
    const textsOf = (condition: string) =>
      findingsIn(
        `<IfVersion >= 2.4>\nDefine NEW\n</IfVersion>\n<IfDefine ${condition}>\n<Location /a>\nDeny from all\n</Location>\n</IfDefine>\nDeny from all\n`,
        rule,
      ).map(({ what }) => what);
    assert.deepEqual(textsOf('!NEW'), ['`<IfDefine !NEW>`: 2.4 skips its access lines']);
    assert.match(textsOf('NEW').join('\n'), /^`<IfDefine NEW>`: the upgrade puts/);
    assert.deepEqual(textsOf('!OTHER'), []);
  });

  it('finds the lines for 2.4 in a condition of their own, and at the path of the 2.4 package', () => {
    const for22 = (path: string) =>
      `<IfModule !mod_authz_core.c>\n<IfModule mod_include.c>\n<Directory "${path}">\nDeny from all\n</Directory>\n</IfModule>\n</IfModule>\n`;
    const for24 = (path: string) =>
      `<IfModule mod_include.c>\n<IfModule mod_authz_core.c>\n<Directory "${path}">\nRequire all denied\n</Directory>\n</IfModule>\n</IfModule>\n`;
    assert.equal(found(for22('/srv/a') + for24('/srv/a')), null);
    assert.equal(found(for22('/var/www/error') + for24('/usr/share/httpd/error/')), null);
    assert.notEqual(found(for22('/srv/a') + for24('/srv/b')), null);
  });

  it('takes modules that were separate for 2.2 for possible in both', () => {
    for (const name of ['proxy_html_module', 'mod_macro.c', 'mod_remoteip.c', '!mod_xml2enc.c'])
      assert.equal(found(`<IfModule ${name}>\nInclude conf/extra.conf\n</IfModule>\n${SHUT}`), null, name);
  });
});
