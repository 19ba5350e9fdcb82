import assert from 'node:assert/strict';
import { notConverted, reasonText } from '../../server/src/access/not-converted';
import { planOfFiles } from './plan-of-files';

const MAIN = '/etc/httpd/conf/httpd.conf';
const directory = (lines: string) => `<Directory /srv>\n${lines}</Directory>\n`;
const section = (lines: string) => `ServerRoot /etc/httpd\nListen 80\n<Directory /srv>\n${lines}</Directory>\n`;

describe('a reason not converted', () => {
  const cases: [code: string, text: string, causedBy: string][] = [
    ['variable', section('Order allow,deny\nAllow from ${X}\n'), 'Allow from ${X}'],
    ['broken-order', section('Order deny allow\nDeny from all\n'), 'Order deny allow'],
    ['broken-host-line', section('Order allow,deny\nAllow all\n'), 'Allow all'],
    ['matches-no-client', section('Order allow,deny\nAllow from 10.*\n'), 'Allow from 10.*'],
    ['comment-in-line', section('Order deny,allow\nDeny from all # no one\n'), 'Deny from all # no one'],
    ['broken-satisfy', section('Deny from all\nSatisfy Both\n'), 'Satisfy Both'],
    ['require-of-24', section('Deny from all\nRequire local\n'), 'Require local'],
    [
      'require-empty-word',
      section('AuthType Basic\nDeny from all\nRequire user ann "" joe\n'),
      'Require user ann "" joe',
    ],
    ['auth-merging', section('Deny from all\nAuthMerging And\n'), 'AuthMerging And'],
    ['relative-path', section('Deny from all\n').replace('/srv', 'srv/*'), '<Directory srv/*>'],
    ['tag-variable', section('Deny from all\nSatisfy Any\n').replace('/srv', '/${X}'), '<Directory /${X}>'],
    ['unknown-method', section('<Limit PURGE>\nDeny from all\n</Limit>\n'), 'Deny from all'],
  ];
  for (const [code, text, causedBy] of cases) {
    it(`${code} names ${causedBy}`, () => {
      const [{ reason }] = planOfFiles({ [MAIN]: text }).plan.refusals;
      assert.deepEqual([reason.code, reason.location], [code, { path: MAIN, offset: text.indexOf(causedBy) }]);
      assert.match(reasonText(reason), /: \S|or keep the old lines/);
    });
  }

  it('names a condition around the Include line in a section, and holds the sections above back', () => {
    for (const inner of ['Include conf/a.inc\n', 'Include conf/b.inc\n']) {
      const text = `ServerRoot /etc/httpd\nListen 80\n<Directory />\nOrder deny,allow\nDeny from all\n</Directory>\n${directory(`Deny from env=ok\n<IfModule !dir_module>\n${inner}</IfModule>\n`)}`;
      const { plan } = planOfFiles({
        [MAIN]: text,
        '/etc/httpd/conf/a.inc': 'Deny from all\n',
        '/etc/httpd/conf/b.inc': 'Include conf/a.inc\n',
      });
      assert.deepEqual(
        plan.refusals.map(({ reason: { code } }) => code).sort(),
        ['beside-section', 'in-condition'],
        inner,
      );
      assert.equal(plan.groups.length, 0);
    }
  });

  const only = (text: string) => planOfFiles({ [MAIN]: text }).plan.refusals.map(({ reason }) => reasonText(reason));

  it('names configurations and their shared file without the folders that all of them have', () => {
    const text = (path: string, ...roots: string[]) =>
      reasonText(notConverted('configurations-differ', { path, offset: 0 }, path, roots));
    assert.match(
      text('/home/me/etc/s/site.conf', '/home/me/etc/a/httpd.conf', '/home/me/etc/b/httpd.conf'),
      /^a\/httpd\.conf and b\/httpd\.conf include s\/site\.conf, and/,
    );
    assert.match(
      text('/etc/httpd/c.conf', '/etc/httpd/a.conf', '/etc/httpd/b.conf'),
      /^a\.conf and b\.conf include c\.conf,/,
    );
  });

  it('states what to write instead of a line that both versions refuse', () => {
    for (const [lines, help] of [
      ['Order allow, deny\n', /write Order allow,deny or Order deny,allow, without spaces/],
      ['Order allow,deny\nAllow all\n', /write "from" and then/],
      ['Deny from all\nSatisfy Both\n', /write Satisfy All or Satisfy Any/],
      ['Deny from all # no one\n', /^httpd reads the comment at the end .* move the comment to its own line/],
      ['Deny from all #none\n', /move the comment to its own line/],
    ] as const)
      assert.match(only(section(lines))[0], help, lines);
  });

  it('sends lines directly in a virtual host to a section: no version accepts them there', () => {
    for (const [host, shown] of [
      ['VirtualHost *:80', 'VirtualHost'],
      ['virtualHost 10.0.0.1', 'virtualHost'],
    ])
      assert.equal(
        only(`ServerRoot /\nListen 80\n<${host}>\nDeny from all\n</${host.split(' ')[0]}>\n`)[0],
        `the access lines are directly in <${shown}>, where neither 2.2 nor 2.4 accepts them: move them into a <Directory> or <Location> section, then run again`,
      );
  });

  it('does not say of the section of another module that no version accepts lines in it', () => {
    const text = 'ServerRoot /\nListen 80\n<ZooSection a>\nDeny from all\n</ZooSection>\n';
    const { refusals } = planOfFiles({ [MAIN]: text }, { areUnknownDirectivesNeutral: true }).plan;
    assert.match(
      reasonText(refusals[0]!.reason),
      /^httpd-upgrade does not know the section <ZooSection> around the access lines: move/,
    );
  });

  it('beside a section for 2.4 asks for the running version, not for a conversion', () => {
    const of24 = '<Files ".ht*">\nRequire all denied\n</Files>\n';
    const text = `${section('Order allow,deny\nAllow from 10\n')}${of24}`;
    const reasons = only(text);
    assert.ok(reasons.length > 0);
    for (const reason of reasons) {
      assert.doesNotMatch(reason, /waits for/);
      assert.match(reason, /running-version=2\.4|2\.2 does not know/);
    }
  });

  it('names the section that gives only some requests different access, and what to write', () => {
    const login = 'AuthType Basic\nRequire valid-user\nDeny from all\nSatisfy Any\n';
    // The section for all names comes later, so a copy of <Files x> would replace it.
    const files = (lines: string) =>
      `${section(login)}<Files x>\n${lines}Allow from 10\n</Files>\n<Files *>\nAllow from 10\nRequire valid-user\nSatisfy All\n</Files>\n`;
    assert.match(
      only(files('Order allow,deny\n')).join('\n'),
      /^"Satisfy Any" \(httpd.conf:7\) also applies to some requests for <Files x>\. .*: write it into <Files x> as lines of 2\.2 \(.*\), then run again\. If it must stay enough under <Directory \/srv>: write Satisfy All into <Files x>, and a copy of <Files x>, with Satisfy Any, into <Directory \/srv>, then/m,
    );
    assert.match(
      only(files('Order allow,deny\nSatisfy All\n')).join('\n'),
      /^decide .* write it into <Files x> as lines of 2\.2 \(.*\)\. Then run again: httpd-upgrade converts them\. Or keep .* mod_access_compat\. Why: <Directory \/srv> \(httpd.conf:3\) may apply to only a part of the requests for <Files x>\. If so, 2\.2 gives this part and the rest different access\. One set of Require lines cannot give both\. These lines replace, in 2\.2 and 2\.4, the lines of <Directory \/srv> \(httpd.conf:3\) for these requests$/m,
    );
    assert.deepEqual(only(files('Order allow,deny\nRequire valid-user\nSatisfy All\n')), []);
  });

  it('sends a copy into the virtual host whose login is enough there alone', () => {
    const host =
      '<VirtualHost *:80>\n<Directory /srv>\nAuthType Basic\nRequire valid-user\nSatisfy Any\n</Directory>\n</VirtualHost>\n';
    assert.match(
      only(`${host}<Directory /srv/a>\nOrder deny,allow\nDeny from all\nAllow from 10\n</Directory>\n`).join('\n'),
      /^"Satisfy Any" \(httpd\.conf:\d+\) is in a virtual host, .* write a second <Directory \/srv\/a> into that virtual host, with Require lines that also allow a login\./m,
    );
  });

  it('does not send a <Location> into a <Directory>, which httpd refuses', () => {
    const login = 'AuthType Basic\nRequire valid-user\nDeny from all\nSatisfy Any\n';
    const text = `${section(login)}<Location /a>\nDeny from all\nAllow from 10\n</Location>\n`;
    const reason = only(text).find((each) => each.includes('also applies'))!;
    assert.doesNotMatch(reason, /copy/);
    assert.match(
      reason,
      /convert both sections by hand\. In <Location \/a>, write the Require lines for requests under <Directory \/srv> into <If "%\{REQUEST_FILENAME\} =~ m#\^\/srv\(\/\|\$\)#">\. If you keep/,
    );
  });

  // Only the shapes below decide the same in 2.4 with mod_access_compat as in 2.2
  // (test/httpd/access-sections.slow.test.ts).
  it('advises to keep the old lines only if 2.4 then decides as 2.2 did', () => {
    const inCondition = (lines: string) => section(`<IfDefine X>\n${lines}</IfDefine>\n`);
    const HOSTS = 'Order deny,allow\nDeny from all\nAllow from 10\n';
    const USERS = 'AuthType Basic\nAuthName x\nAuthUserFile /u\nRequire valid-user\n';
    const unknownMethod = (lines: string) => section(`<Limit PURGE>\nDeny from all\n</Limit>\n${lines}`);
    const cases: [text: string, mayKeep: boolean][] = [
      [inCondition(HOSTS), true],
      [inCondition(`${HOSTS}Satisfy Any\n`), false],
      [inCondition('Satisfy Any\n'), false],
      [inCondition(`${HOSTS}${USERS}Satisfy Any\n`), false],
      [section(`${HOSTS}Satisfy All\nAllow from \${X}\n`), false],
      [unknownMethod(''), true],
      [unknownMethod('Satisfy All\n'), false],
    ];
    for (const [text, mayKeep] of cases) {
      const reasons = only(text);
      assert.ok(reasons.length > 0, text);
      for (const reason of reasons) {
        assert.equal(/or keep/.test(reason), mayKeep && !/\$\{X\}/.test(text), reason);
        assert.equal(
          /Do not start 2\.4 with unconverted lines/.test(reason),
          !mayKeep && /by hand/.test(reason),
          reason,
        );
      }
    }
    const other = `<Directory /pub>\nSatisfy Any\n${HOSTS}${USERS}</Directory>\n`;
    assert.doesNotMatch(only(inCondition(HOSTS) + other)[0], /or keep/);
  });

  it('of a section that waits speaks of the lines of both', () => {
    const outer = section('<IfDefine X>\nOrder deny,allow\nDeny from all\n</IfDefine>\n');
    const [, inner] = only(`${outer}<Directory /srv/a>\nDeny from all\nAllow from 10\n</Directory>\n`);
    assert.equal(
      inner,
      'waits for <Directory /srv> (httpd.conf:3), which can apply to the same requests: both are converted together. For <Directory /srv>: "Order deny,allow" (httpd.conf:5) is in the conditional section <IfDefine X>, and it is not known whether the condition is true. If it is always true, remove only its two tags, and keep the lines between them. If it is never true, remove the tags and the lines. Then run again. Otherwise convert the access lines of both sections by hand, or keep them and load mod_access_compat',
    );
  });

  const LOGIN = 'AuthType Basic\nAuthName x\nAuthUserFile /u\n';
  const PROTECTED = '<Files ~ "^\\.ht">\nOrder allow,deny\nDeny from all\n</Files>\n';
  const locationOf = (lines: string) => ({
    [MAIN]: `${section('Order allow,deny\nAllow from all\n')}${PROTECTED}<Location /admin>\n${LOGIN}${lines}</Location>\n`,
  });
  const for24 = (lines: string) => `<IfModule mod_authz_core.c>\n${lines}</IfModule>\n`;
  const for22 = (lines: string) => `<IfModule !mod_authz_core.c>\n${lines}</IfModule>\n`;
  const reasonOfLocation = (lines: string): string => {
    const { plan } = planOfFiles(locationOf(lines));
    return plan.refusals.map(({ reason }) => reasonText(reason)).find((text) => !text.startsWith('waits'))!;
  };

  it('does not advise access lines that would replace those of a <Files> section', () => {
    const reason = reasonOfLocation(for24('Require user ann\n') + for22('Require valid-user\n'));
    assert.match(
      reason,
      /^keep the old lines and load mod_access_compat\. Why: .* Do not add Order, Allow or Deny lines to <Location \/admin>: /,
    );
    assert.match(reason, /would replace the lines of <Files ~ \^\\.ht> \(httpd\.conf:7\), and could allow clients/);
  });

  it('names the AuthMerging line that the lines for 2.4 need, and takes it after that', () => {
    const old = for22('Require valid-user\n');
    assert.match(
      reasonOfLocation(for24('Require valid-user\n') + old),
      /: add "AuthMerging And" to the lines for 2\.4, then/,
    );
    for (const lines of [
      for24('AuthMerging And\nRequire valid-user\n') + old,
      `${for24('authmerging AND\n')}Require valid-user\n`,
    ]) {
      const { refusals, edits } = planOfFiles(locationOf(lines)).plan;
      assert.deepEqual([refusals.length, edits.size], [0, 1], lines);
    }
    for (const lines of ['AuthMerging Or\n', 'AuthMerging Off\n', 'AuthMerging And\nAuthMerging Or\n'])
      assert.match(
        reasonOfLocation(`${for24(lines)}Require valid-user\n`),
        /^AuthMerging is among the lines for 2\.4 in this section, .*: remove the lines for 2\.4, then run again; or/,
        lines,
      );
    assert.match(
      reasonOfLocation(
        `${for24('AuthMerging And\nRequire valid-user\n')}${for22('Deny from all\nRequire valid-user\n')}`,
      ),
      /^AuthMerging is among/,
    );
  });

  it('for both versions is about the lines that 2.4 needs', () => {
    const reasons = (lines: string) =>
      planOfFiles(locationOf(lines), { keepsBoth: true }).plan.refusals.map(({ reason }) => reasonText(reason));
    assert.deepEqual(reasons('Require valid-user\n'), []);
    assert.match(
      reasons('<Limit GET>\nRequire valid-user\n</Limit>\n').join('\n'),
      /has no Order, Allow, Deny or Satisfy, but/,
    );
    assert.match(
      reasons('<Limit GET>\nAuthName y\nDeny from all\n</Limit>\n').join('\n'),
      /because the access lines are in several conditions or files, or other lines are in their <Limit>: move/,
    );
  });

  it('for both versions names LoadModule lines below the section', () => {
    const both = (above: string, below: string) =>
      planOfFiles(
        { [MAIN]: `${above}<Directory /srv>\nOrder deny,allow\nDeny from all\n</Directory>\n${below}` },
        { keepsBoth: true },
      ).plan;
    const load = 'LoadModule alias_module modules/mod_alias.so\n';
    const include = 'Include mods-enabled/*.load\n';
    for (const [above, below] of [
      ['', load],
      ['Listen 80\n', `Listen 81\n${load}`],
    ]) {
      const { refusals, edits } = both(above, below);
      assert.deepEqual([refusals.map(({ reason: { code } }) => code), edits.size], [['both-above-loads'], 0]);
    }
    for (const [above, below] of [
      ['', ''],
      [load, ''],
      [load, load],
    ])
      assert.deepEqual([both(above, below).refusals.length, both(above, below).edits.size], [0, 1]);
    for (const missing of [include, 'Include conf.modules.d/*.conf\n'])
      assert.match(
        both('', missing)
          .refusals.map(({ reason }) => reasonText(reason))
          .join(),
        /move these lines, or the/,
      );
    assert.doesNotMatch(
      both(include, '')
        .refusals.map(({ reason }) => reasonText(reason))
        .join(),
      /move these lines/,
    );
  });

  it('conditions above the LoadModule lines are uncertain in 2.4', () => {
    const lines =
      '<Directory /srv>\n<IfModule mod_authz_core.c>\nRequire all denied\n</IfModule>\n<IfModule !mod_authz_core.c>\nOrder deny,allow\nDeny from all\n</IfModule>\n</Directory>\n';
    const load = 'LoadModule alias_module modules/mod_alias.so\n';
    assert.deepEqual(planOfFiles({ [MAIN]: load + lines }).plan.refusals, []);
    assert.notDeepEqual(planOfFiles({ [MAIN]: lines + load }).plan.refusals, []);
  });

  it('of a section beside another names the line that causes the other one', () => {
    const outer = section('Order allow,deny\nAllow from ${X}\n');
    const text = `${outer}<Directory /srv/a>\nOrder deny,allow\nDeny from all\nAllow from 10\n</Directory>\n`;
    const { refusals } = planOfFiles({ [MAIN]: text }).plan;
    const at = { path: MAIN, offset: text.indexOf('Allow from ${X}') };
    assert.deepEqual(
      refusals.map(({ reason: { code, location } }) => [code, location]),
      [
        ['variable', at],
        ['beside-section', at],
      ],
    );
    assert.equal(
      reasonText(refusals[0].reason),
      '"Allow from ${X}" (httpd.conf:5) contains a variable: replace the variable by its value, then run again',
    );
    assert.equal(
      reasonText(refusals[1].reason),
      'waits for <Directory /srv> (httpd.conf:3), which can apply to the same requests: both are converted together. For <Directory /srv>: "Allow from ${X}" (httpd.conf:5) contains a variable: replace the variable by its value, then run again',
    );
  });
});
