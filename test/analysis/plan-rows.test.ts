/**
 * Every change from 2.2 to 2.4 has its item in the plan if the configuration causes it, and none
 * otherwise: ready, waiting for an answer, by hand, or on the server. The ids are those of the list
 * of changes.
 */
import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { NO_ANSWERS } from '../../server/src/analysis/answers';
import { causesIn, onServerItems } from '../../server/src/analysis/on-server';
import { planFinding, upgradePlan, type ConfigurationPlan } from '../../server/src/analysis/upgrade-plan';
import type { Distribution } from '../../server/src/config/distribution';
import { isHtaccessName } from '../../server/src/config/configurations';
import { configurationFindings } from '../../server/src/features/configuration-findings';
import { ALL_RULES, ruleById } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { memoryFiles } from '../../server/src/config/memory-files';

/** Rows of the list of changes that a rule has, by id. */
const RULES = `
  order-allow-deny access-mixed access-compat-differs satisfy-any-inherited authz-authoritative require-group-dbm require-provider-case require-unknown-provider require-not-alone require-ip-operand
  require-granted-beside-auth access-trailing-comment access-operand-never-matches access-outside-directory allow-override-class access-env-never-set require-mixed-modules authtype-without-require
  limit-outside-directory
  rewrite-log mutex-directive dump-io-log-level ext-filter-debug-level charset-debug-level mem-cache cookie-log ssi-access-enable win32-disable-acceptex max-requests-per-thread auth-digest-nonce-format
  removed-directive
  default-type name-virtual-host max-clients max-requests-per-child authn-alias-module disk-cache-module removed-module ifmodule-renamed missing-module module-order third-party-module
  keep-alive-value options-mixed filter-provider cache-enable-path cache-ignore-session-ids ldap-trusted-client-cert ssi-expression ssl-protocol-sslv2 ssl-crl-check ssl-dn-format scgi-path-info piped-log
  include-wildcard line-ends-with-escaped-backslash proxy-pass-in-directory directory-match-depth
  byte-order-mark directive-without-arguments ssl-session-cache-type allow-override-missing line-too-long
  changed-defaults
`
  .trim()
  .split(/\s+/);

/**
 * Rows that are done on the server: a configuration that gives cause, and one much like it that
 * does not.
 */
const ON_SERVER: Readonly<
  Record<
    string,
    {
      readonly cause: string;
      readonly none: string;
      readonly file?: string;
      readonly distribution?: Distribution;
      readonly says?: RegExp;
    }
  >
> = {
  'dav-lock-db': { cause: 'DavLockDB /var/lib/dav/lockdb\n', none: 'DavMinTimeout 600\n' },
  'autoindex-xhtml': { cause: 'IndexOptions FancyIndexing ScanHTMLTitles\n', none: 'IndexOptions FancyIndexing\n' },
  'deflate-grows': { cause: 'AddOutputFilterByType INCLUDES;DEFLATE text/html\n', none: 'SetOutputFilter INCLUDES\n' },
  'substitute-length': { cause: '<Location />\nSubstitute s/a/b/\n</Location>\n', none: '# Substitute s/a/b/\n' },
  'htpasswd-md5': {
    cause: '<Directory /a>\nAuthUserFile /a/users\n</Directory>\n',
    none: '<Directory /a>\nAuthGroupFile /a/groups\n</Directory>\n',
  },
  'group-files': {
    cause: '<Directory /a>\nAuthGroupFile /a/groups\n</Directory>\n',
    none: '<Directory /a>\nAuthUserFile /a/users\n</Directory>\n',
    says: /\/a\/groups/,
  },
  'reqtimeout-defaults': {
    cause: 'LoadModule reqtimeout_module modules/mod_reqtimeout.so\n',
    none: 'LoadModule reqtimeout_module modules/mod_reqtimeout.so\nRequestReadTimeout header=10\n',
  },
  'cache-disk': { cause: 'CacheRoot /var/cache/httpd\n', none: 'CacheDisable /a\n' },
  'header-underscore': {
    cause: 'SetEnvIf X_Token . token\n',
    none: 'SetEnvIf Request_URI \\.png$ image\nSetEnvIf X-Token . token\nAddHandler type-map var\n',
    says: /\(X_Token\)/,
  },
  'piped-logs': {
    cause: 'CustomLog "|/usr/sbin/rotatelogs /logs/a 86400" common\n',
    none: 'CustomLog logs/a common\n',
    says: /\/usr\/sbin\/rotatelogs/,
  },
  'error-documents': {
    cause: 'ErrorDocument 404 /error/HTTP_NOT_FOUND.html.var\n',
    none: 'ErrorDocument 404 /missing.html\n',
  },
  'ssi-expressions': { cause: 'AddOutputFilter INCLUDES .shtml\n', none: 'AddOutputFilter DEFLATE .html\n' },
  'rebuilt-modules': {
    cause:
      'LoadModule jk_module modules/mod_jk.so\nLoadModule our_own_module modules/mod_our_own.so\nLoadModule php_module modules/libphp.so\n',
    none: 'LoadModule alias_module modules/mod_alias.so\n',
    says: /jk_module, our_own_module, php_module.* remove the LoadModule line named here/,
  },
  'strict-protocol': { cause: 'Listen 80\n', none: 'Listen 80\nHttpProtocolOptions Unsafe\n' },
  beside: { cause: 'Listen 80\n', none: 'ServerName a\n' },
  'selinux-labels': {
    cause: 'DocumentRoot /srv/site\n',
    none: 'DocumentRoot /var/www/html\nCustomLog logs/a common\n',
    distribution: 'rhel',
    says: /\/srv\/site/,
  },
  'new-place': {
    cause: 'ServerRoot "/usr/local"\n',
    none: 'ServerRoot "/usr/local/www"\n',
    file: '/backup/apache22/httpd.conf',
    says: /usr\/local\/etc\/apache24.*rc\.conf/,
  },
  service: {
    cause: 'LoadModule authz_host_module libexec/apache2/mod_authz_host.so\n',
    none: 'LoadModule authz_host_module modules/mod_authz_host.so\n',
    says: /On macOS, 2\.4 reads \/etc\/apache2\/httpd\.conf/,
  },
  'package-modules': {
    cause: 'LoadModule authz_host_module modules/mod_authz_host.so\nLoadModule dir_module modules/mod_dir.so\n',
    none: 'LoadModule dir_module modules/mod_dir.so\n',
    distribution: 'rhel',
    says: /conf\.modules\.d/,
  },
  'debian-layout': {
    cause: 'Include mods-enabled/*.load\nInclude conf.d/\nInclude sites-enabled/\n',
    none: 'IncludeOptional conf-enabled/*.conf\nIncludeOptional sites-enabled/*.conf\n',
    distribution: 'debian',
    says: /Keep using your own apache2\.conf\. .* answer N\. .* conf\.d, an empty httpd\.conf, too, .*If you use the package's file instead, .* do not rename or move other files\. .*a2enconf/,
  },
  'private-tmp': {
    cause: 'CustomLog /tmp/a.log common\n',
    none: 'CustomLog /var/log/apache2/a.log common\nAlias /tmp /srv/tmp\n',
    distribution: 'debian',
    says: /\/tmp\/a\.log/,
  },
};

const MAIN = '/srv/conf/httpd.conf';

function planOf(
  text: string,
  {
    file = MAIN,
    files = {},
    distribution = null,
  }: { file?: string; files?: Readonly<Record<string, string>>; distribution?: Distribution | null } = {},
): ConfigurationPlan {
  const engine = new Engine({ rules: ALL_RULES });
  const tree = Tree.parse(text);
  const analysis = engine.analyze(tree, { isHtaccess: isHtaccessName(file) });
  const wide = isHtaccessName(file)
    ? new Map()
    : configurationFindings({ mainFile: file, view: memoryFiles({ ...files, [file]: text }), engine });
  const findings = [...analysis.findingsInOrder(), ...[...wide.values()].flat()];
  const placeOf = (offset: number) => ({ file, line: tree.positionAt(offset).line });
  const onServer = onServerItems([{ causes: causesIn(tree, findings, analysis.facts, engine), placeOf }], {
    target: engine.target,
    distribution,
  });
  return upgradePlan([
    {
      root: file,
      files: 1,
      findings: findings.map((finding) => planFinding(finding, placeOf(finding.start))),
      answerSet: { answers: NO_ANSWERS, folder: '/' },
      placeOf: () => null,
      onServer,
    },
  ]).configurations[0];
}

describe('every change has its item in the plan', () => {
  for (const id of RULES) {
    it(id, () => {
      const rule = ruleById(id);
      assert.ok(rule, 'a rule');
      for (const { title, before, file, files, finds } of rule.examples) {
        const { ready, waiting, byHand, onServer } = planOf(before, { file: file && `/srv/www/${file}`, files });
        const texts = [
          ...[...ready, ...waiting].filter((item) => item.rule === id).map((item) => item.title),
          ...byHand.filter((item) => item.rule === id).map(({ what }) => what),
        ];
        const there = onServer.some(
          (item) => item.id === { 'ssi-expression': 'ssi-expressions', 'third-party-module': 'rebuilt-modules' }[id],
        );
        // A conversion of the same lines stands for access-mixed.
        const isReplaced =
          id === 'access-mixed' && [...ready, ...waiting].some((item) => item.rule === 'order-allow-deny');
        assert.equal(texts.length > 0 || there || isReplaced, finds.length > 0, title);
        for (const text of texts) assert.ok(text.length > 5, title);
      }
    });
  }

  for (const [id, { cause, none, file, distribution, says }] of Object.entries(ON_SERVER)) {
    it(`${id}: on the server`, () => {
      const item = planOf(cause, { file, distribution }).onServer.find((each) => each.id === id);
      assert.ok(item && item.because.length > 0, 'has its places');
      assert.ok(item.title.length <= 25, `"${item.title}" fits into a narrow list`);
      if (says) assert.match(item.what, says);
      assert.equal(
        planOf(none, { file, distribution }).onServer.some((each) => each.id === id),
        false,
        'none without cause',
      );
      // What is to be done on the server is nothing to do by hand in the configuration.
      assert.deepEqual(
        planOf(cause, { file, distribution }).byHand.filter(({ rule }) =>
          ['changed-behaviour', 'ssi-expression', 'third-party-module'].includes(rule),
        ),
        [],
      );
    });
  }

  it('is a note, and no task, where there is nothing to do', () => {
    for (const [id, { cause, file, distribution }] of Object.entries(ON_SERVER)) {
      const { what, isNote } = planOf(cause, { file, distribution }).onServer.find((each) => each.id === id)!;
      assert.equal(isNote === true, what.startsWith('No action needed'), id);
    }
  });

  it('names a place once, and each file by itself', () => {
    const [{ because }] = planOf('ErrorDocument 404 /error/a.var\nErrorDocument 500 /error/b.var\n').onServer.filter(
      ({ id }) => id === 'error-documents',
    );
    assert.deepEqual(
      because.map(({ line }) => line),
      [0, 1],
    );
  });

  it('has no step for a configuration that was written for 2.4, and in sections for it', () => {
    const own = 'LoadModule authz_core_module modules/mod_authz_core.so\nListen 80\nAuthUserFile /a\nDavLockDB /a\n';
    assert.deepEqual(
      planOf(own).onServer.map(({ id, isNote }) => [id, isNote]),
      [['steps-from-22', true]],
    );
    assert.deepEqual(planOf(own.replace(/AuthUserFile[^]*/, '').replace('Listen 80\n', '')).onServer, []);
    assert.deepEqual(planOf('<IfVersion < 2.4>\nAuthUserFile /a\n</IfVersion>\n').onServer, []);
  });

  for (const [system, text, distribution, command] of [
    ['macOS', 'LoadModule authz_host_module libexec/apache2/mod_authz_host.so\n', null, 'sudo apachectl restart'],
    ['Homebrew', 'ServerRoot "/usr/local/opt/httpd22"\n', null, 'brew services restart httpd'],
    ['Homebrew on Apple silicon', 'ServerRoot "/opt/homebrew/opt/httpd"\n', null, 'brew services restart httpd'],
    ['Arch', 'ServerRoot "/etc/httpd"\n', null, 'systemctl restart httpd.service'],
    ['Red Hat', 'ServerRoot "/etc/httpd"\n', 'rhel', undefined],
    ['httpd as it is built', 'ServerRoot "/usr/local/apache2"\n', 'upstream', undefined],
  ] as const)
    it(`names the commands of the service: ${system}`, () => {
      const item = planOf(text, { distribution }).onServer.find(({ id }) => id === 'service');
      assert.equal(item?.commands?.at(-1), command);
    });

  it('asks for labels of SELinux and a /tmp of its own only where the package is known to have them', () => {
    const text = 'DocumentRoot /tmp/site\n';
    const ids = (distribution: Distribution | null) => planOf(text, { distribution }).onServer.map(({ id }) => id);
    assert.deepEqual(
      [ids(null), ids('upstream'), ids('debian'), ids('rhel')],
      [[], [], ['private-tmp'], ['selinux-labels', 'private-tmp']],
    );
  });
});
