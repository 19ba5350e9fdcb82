/**
 * Directives of third-party modules beside access control. Known ones do not prevent a conversion.
 * For unknown ones, the plan asks the user.
 */
import { reasonText } from '../../server/src/access/not-converted';
import assert from 'node:assert/strict';
import path from 'node:path';
import { plan as upgradePlan } from '../../server/src/library';
import { findingsIn, fixed } from '../support/rules';
import { planOfFiles } from './plan-of-files';

const rule = 'order-allow-deny';

const section = (line: string) =>
  `<Directory /srv/a>\n AuthType Basic\n AuthName k\n ${line}\n Require valid-user\n Order deny,allow\n Deny from all\n Allow from 10.0.0.0/8\n</Directory>\n`;

/** What people have in sections with access control. */
const KNOWN = [
  'KrbMethodNegotiate On',
  'KrbMethodK5Passwd On',
  'KrbAuthRealms EXAMPLE.COM',
  'Krb5Keytab /etc/httpd/k',
  'GssapiCredStore keytab:/etc/k',
  'NTLMAuth on',
  'NTLMAuthHelper "/usr/bin/ntlm_auth"',
  'NegotiateAuth on',
  'SSPIAuth On',
  'SSPIOfferBasic On',
  'AuthPAM_Enabled On',
  'AuthMySQLEnable On',
  'AuthMySQLDB users',
  'Auth_PG_database users',
  'AuthRadiusAuthoritative on',
  'AuthRadiusActive On',
  'AuthXRadiusAddServer localhost x',
  'AuthExternal pwauth',
  'AuthzUnixgroup on',
  'ShibRequireSession On',
  'ShibUseHeaders On',
  'MellonEnable auth',
  'CASScope /',
  'OIDCPathScope openid',
  'CosignProtected On',
  'CosignService x',
  'WebAuthForceLogin on',
  'Auth_MemCookie_CookieName x',
  'TKTAuthLoginURL http://x/',
  'AuthOpenIDEnabled On',
  'AuthTokenSecret x',
  'suPHP_Engine on',
  'suPHP_UserGroup a a',
  'FastCgiAccessChecker /x',
  'FcgidAccessChecker /x',
  'php_flag engine off',
  'php_value a b',
  'php_admin_value a b',
  'WSGIScriptReloading On',
  'WSGIAuthGroupScript /x',
  'PerlHandler X',
  'PythonHandler x',
  'MonoSetServerAlias x',
  'RubyHandler Apache::RubyRun.instance',
  'JkUriSet worker ajp13:localhost:8009',
  'WebLogicHost wl',
  'WebLogicCluster a:1,b:2',
  'PathTrim /x',
  'RailsEnv production',
  'PassengerEnabled on',
  'ModPagespeed off',
  'ModPagespeedDisallow *',
  'SecRuleEngine Off',
  'SecFilterEngine Off',
  'QS_LocRequestLimit / 3',
  'MaxConnPerIP 3',
  'BandWidth all 1024',
  'BandWidthModule On',
  'GeoIPEnable On',
  'MaxMindDBEnable On',
  'XSendFile on',
  'XSendFilePath /x',
  'TrackUploads On',
  'RMode config',
  'DAV svn',
  'SVNPath /x',
  'GnuTLSEnable on',
  'NSSRequireSSL',
  'SCGIHandler On',
  'LERewriteRule a b',
  'Auth_MySQL_Authoritative on',
  'Auth_MySQL_Encryption_Types Crypt',
  'AuthMySQL_Password_Table users',
  'PubcookieAppID x',
  'PubcookieInactiveExpire -1',
  'ResinConfigServer localhost 6802',
  'CauchoHost localhost 6802',
  'WLSRequest On',
  'AuthMySQLPwEncryption none',
  'KrbServiceName HTTP',
  'ShibUseEnvironment On',
  'LayoutHeader /x',
  'AuthzLDAPMethod ldap',
  'AuthzLDAPServer localhost',
  'AuthIBMDB2User x',
  'AuthVasUseBasic On',
  'OTPAuthUsersFile /x',
  'PINFakeBasicAuth Off',
  'DoSDetection on',
  'DoSForwarded on',
  'IP2LocationEnable ON',
  'GridSiteAuth on',
  'GridSiteIndexes on',
  'TransformSet /x.xsl',
  'DontDoThatConfigFile /x',
  'AmAgent On',
  'vhs_Lamer On',
];

describe('directives of other modules beside access control', () => {
  it('are not those of 1.3, which no module of 2.2 has', () => {
    for (const line of ['ResourceConfig conf/srm.conf', 'accessconfig /dev/null', 'AgentLog logs/agent', 'NoCache x']) {
      const text = `ServerRoot /srv\nListen 80\n${line}\n<Directory /srv/a>\n${line}\nDeny from all\n</Directory>\n`;
      const { plan } = planOfFiles({ '/srv/httpd.conf': text });
      assert.deepEqual(
        plan.openQuestions.filter(({ kind }) => kind === 'unknown-directives'),
        [],
        line,
      );
      assert.ok(!plan.refusals.some(({ reason }) => reason.code === 'unknown-directives'), line);
    }
  });

  it('known ones do not keep a section from being converted', () => {
    const kept = KNOWN.filter((line) => {
      const [finding] = findingsIn(section(line), { rule, assumeStandalone: true });
      return finding?.fixes.length === 0;
    });
    assert.deepEqual(kept, []);
  });

  it('the same in each place of a file alone and of a configuration', () => {
    const old = ' Order deny,allow\n Deny from all\n Allow from 10.0.0.0/8\n';
    const alone: Readonly<Record<string, (line: string) => string>> = {
      location: (line) => `<Location /a>\n ${line}\n${old}</Location>\n`,
      condition: (line) => `<Location /a>\n <IfModule mod_x.c>\n ${line}\n </IfModule>\n${old}</Location>\n`,
      limit: (line) => `<Directory /a>\n <Limit GET POST>\n ${line}\n${old} </Limit>\n</Directory>\n`,
      host: (line) => `<VirtualHost *:80>\n ${line}\n <Directory /a>\n${old} </Directory>\n</VirtualHost>\n`,
      server: (line) => `${line}\n<Directory /a>\n${old}</Directory>\n`,
      '.htaccess': (line) => `${line}\n${old}`,
    };
    const main = (line: string, load: string) =>
      `ServerRoot /srv\nListen 80\n${load}DocumentRoot /srv/www\n<Directory />\n AllowOverride None\n</Directory>\n${line}\n`;
    const kept: string[] = [];
    for (const line of KNOWN) {
      for (const [place, text] of Object.entries(alone)) {
        const file = place === '.htaccess' ? place : undefined;
        const [finding] = findingsIn(text(line), { rule, file, assumeStandalone: true });
        if (finding === undefined || finding.fixes.length === 0) kept.push(`${place}: ${line}`);
      }
      for (const load of ['', 'LoadModule foo_module modules/foo.so\n']) {
        const { plan } = planOfFiles({
          '/srv/httpd.conf': main(`<Directory /srv/a>\n Include own.inc\n${old}</Directory>`, load),
          '/srv/own.inc': `${line}\n`,
        });
        if (plan.convertedCount !== 1 || plan.refusals.length > 0) kept.push(`include ${load}: ${line}`);
      }
    }
    assert.deepEqual(kept, []);
  });

  it('one answer for several unknown ones counts each section once', () => {
    const section = (name: string) =>
      `<Location /${name}>\n ${name} On\n Order deny,allow\n Deny from all\n</Location>\n`;
    const main = `ServerRoot /srv\nListen 80\n${['FooA', 'FooB', 'FooC'].map(section).join('')}`;
    const { questions } = upgradePlan({ 'conf/httpd.conf': main }).configurations[0]!;
    const asked = questions.find(({ kind }) => kind === 'unknown-directives')!;
    assert.deepEqual(
      asked.answers.map(({ value, ready }) => [value, ready]),
      [
        ['no-access-control', 3],
        ['keep', 0],
      ],
    );
  });

  it('an unknown one in a condition is asked about: its module may be loaded', () => {
    for (const load of ['', 'LoadModule zork_module modules/mod_zork.so\n'])
      for (const tag of ['<IfModule mod_zork.c>', '<IfModule zork_module>', '<IfDefine ZORK>']) {
        const close = tag.replace(/^<(\w+).*/, '</$1>');
        const text = `ServerRoot /srv\nListen 80\n${load}<Directory /srv/a>\n${tag}\nzoRKlevel \\\n high\n${close}\nOrder deny,allow\nDeny from all\n</Directory>\n`;
        const { questions } = upgradePlan({ 'conf/httpd.conf': text }).configurations[0]!;
        assert.match(JSON.stringify(questions.find(({ kind }) => kind === 'unknown-directives')), /zoRKlevel/, text);
      }
  });

  it('an unknown one in a condition that is off is not asked about', () => {
    const off = '<IfDefine ZORK>\n<IfModule mod_zork.c>\nZorkLevel high\n</IfModule>\n</IfDefine>\n';
    const asks = (text: string, defines?: readonly string[]) =>
      upgradePlan(
        { 'conf/httpd.conf': `ServerRoot /srv\nListen 80\n${text}`, 'conf/own.inc': off },
        { defines, serverRoot: '/srv', pathMap: { '/srv/conf': 'conf' } },
      ).configurations[0]!.questions.some(({ kind }) => kind === 'unknown-directives');
    const old = '<Directory /srv/a>\nOrder deny,allow\nDeny from all\n</Directory>\n';
    for (const load of ['', 'LoadModule foo_module modules/foo.so\n'])
      for (const inside of [off, 'Include conf/own.inc\n']) {
        const text = load + old.replace('\n', `\n${inside}`);
        assert.deepEqual([asks(text, ['OTHER']), asks(text), asks(text, ['ZORK'])], [false, true, true], text);
      }
    assert.equal(asks(`${off}${old}`, ['OTHER']), false);
    const readTwice = `Include conf/own.inc\nDefine ZORK\nInclude conf/own.inc\n${old}`;
    assert.equal(asks(readTwice, ['OTHER']), true);
  });

  it('an unknown one is named, and asked about', () => {
    const [finding] = findingsIn(section('FooBarAuth On'), { rule, assumeStandalone: true });
    assert.deepEqual([...finding.fixes], []);
    assert.match(finding.message, /does not know the directive `FooBarAuth`/);
    assert.match(finding.message, /unknown-directives=no-access-control/);
    assert.deepEqual(
      finding.waitsFor.map(({ kind, subject, coveringQuestion }) => [kind, subject, coveringQuestion]),
      [['unknown-directives', 'FooBarAuth', { kind: 'unknown-directives', subject: '' }]],
    );
    const text = section('FooBarAuth On');
    assert.deepEqual(
      finding.places.map(({ start, end }) => text.slice(start, end)),
      ['FooBarAuth On', 'Deny from all', 'Allow from 10.0.0.0/8'],
    );
  });

  it('text that can be no directive is no question', () => {
    for (const line of ['{{ x }}', '$x = 1', '-- x']) {
      const [finding] = findingsIn(section(line), { rule, assumeStandalone: true });
      assert.deepEqual([finding.fixes.length, finding.waitsFor.length], [0, 0], line);
      assert.doesNotMatch(finding.message, /no version of httpd accepts/);
    }
  });

  it('with the answer the section is converted; kept with the other one', () => {
    const fix = (answer: string) =>
      fixed(section('FooBarAuth On'), {
        rule,
        assumeStandalone: true,
        answerSet: { answers: new Map([['unknown-directives', answer]]), folder: '/' },
      });
    assert.match(fix('no-access-control'), / FooBarAuth On\n <RequireAll>\n {2}Require valid-user\n/);
    assert.equal(fix('keep'), section('FooBarAuth On'));
  });

  it('the same in a .htaccess', () => {
    const text = 'FooBarAuth On\nOrder allow,deny\nDeny from all\n';
    const asked = { rule, file: '.htaccess', assumeStandalone: true };
    assert.equal(fixed(text, asked), text);
    const answerSet = { answers: new Map([['unknown-directives', 'no-access-control']]), folder: '/' };
    assert.equal(fixed(text, { ...asked, answerSet }), 'FooBarAuth On\nRequire all denied\n');
  });

  it('the same where an Include or a macro brings the line into a section', () => {
    const main = (line: string) =>
      `ServerRoot /srv\nListen 80\nLoadModule foo_module modules/foo.so\nDocumentRoot /srv/www\n<Macro M>\n FooBarAuth On\n</Macro>\n<Directory />\n AllowOverride None\n</Directory>\n<Directory /srv/a>\n ${line}\n Order deny,allow\n Deny from all\n</Directory>\n`;
    for (const [line, file, row] of [
      ['Include conf/own.inc', '/srv/conf/own.inc', 2],
      ['<IfModule mod_alias.c>\n Include conf/own.inc\n </IfModule>', '/srv/conf/own.inc', 2],
      ['Use M', '/srv/conf/httpd.conf', 6],
    ] as const) {
      const { plan, further } = planOfFiles({
        '/srv/conf/httpd.conf': main(line),
        '/srv/conf/own.inc': '# own\nFooBarAuth On\n',
      });
      assert.deepEqual(
        further.map(({ kind, subject }) => [kind, subject]),
        [['unknown-directives', 'FooBarAuth']],
        line,
      );
      assert.match(
        reasonText(plan.refusals[0].reason),
        new RegExp(` directive FooBarAuth \\(${path.basename(file)}:${row}\\)`),
      );
      assert.equal(plan.convertedCount, 0);
      const neutral = planOfFiles(
        { '/srv/conf/httpd.conf': main(line), '/srv/conf/own.inc': '# own\nKrb5Keytab /etc/k\n' },
        { areUnknownDirectivesNeutral: line === 'Use M' },
      );
      assert.equal(neutral.plan.convertedCount, 1, line);
    }
  });

  it('a whole configuration asks once, with the lines, and names those of the section', () => {
    const main = (modules: string) =>
      `ServerRoot /srv\nListen 80\n${modules}DocumentRoot /srv/www\n<Directory />\n AllowOverride None\n</Directory>\n${section('FooBarAuth On')}${section('BazAuth 1').replaceAll('/srv/a', '/srv/b')}<Directory /srv/c>\n Order allow,deny\n Allow from all\n</Directory>\n`;
    for (const modules of ['', 'LoadModule foo_module modules/foo.so\n']) {
      const { plan, further } = planOfFiles({ '/srv/conf/httpd.conf': main(modules) });
      const rows = modules === '' ? [10, 19] : [11, 20];
      assert.deepEqual(
        further.map(({ kind, subject, places }) => [kind, subject, places.length]),
        [
          ['unknown-directives', 'FooBarAuth', 1],
          ['unknown-directives', 'BazAuth', 1],
        ],
        modules,
      );
      assert.match(
        reasonText(plan.refusals[0].reason),
        new RegExp(`^httpd-upgrade does not know the directive FooBarAuth \\(httpd\\.conf:${rows[0]}\\):`),
      );
      const reason = reasonText(plan.refusals[1].reason);
      assert.match(reason, new RegExp(`directive BazAuth \\(httpd\\.conf:${rows[1]}\\):`));
      assert.equal(plan.convertedCount, modules === '' ? 0 : 1);
      const answered = planOfFiles({ '/srv/conf/httpd.conf': main(modules) }, { areUnknownDirectivesNeutral: true });
      assert.deepEqual([answered.plan.convertedCount, answered.plan.refusals.length], [3, 0]);
      assert.deepEqual(
        answered.plan.openQuestions.filter(({ kind }) => kind === 'unknown-directives').map(({ subject }) => subject),
        ['FooBarAuth', 'BazAuth'],
      );
    }
  });

  it('names each directive of a section once', () => {
    const { plan } = planOfFiles({
      '/srv/conf/httpd.conf': `ServerRoot /srv\nListen 80\nDocumentRoot /srv/www\n${section('FooBarAuth On\n BazAuth 1\n FooBarAuth Off')}`,
    });
    assert.match(
      reasonText(plan.refusals[0].reason),
      / the directives FooBarAuth \([^)]*:7\), BazAuth \([^)]*:8\): if they do not/,
    );
  });
});
