/**
 * Changed behaviour is reported at the line that causes it, and nothing is reported if both
 * versions answer alike: on the recorded answers of real servers.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { check, plan, type Files } from '../../server/src/library';
import { behaviourAnswers } from '../support/paths';
import { itOver } from '../support/lacks';

interface Entry {
  readonly id: string;
  readonly config: string;
  readonly files: Readonly<Record<string, string>>;
  readonly changed: boolean;
  /** The line, or a clause in parentheses where no line is. */
  readonly cause: string;
}

const ROOT = '/srv/httpd';
const MAIN = `${ROOT}/conf/httpd.conf`;

/** Rules of which a line of another entry must not have a finding. */
const NEW = [
  'text-is-expression',
  'login-refused',
  'pattern-difference',
  'proxy-pass-order',
  'error-document-restricted',
  'rewrite-target',
];

/**
 * Says the behaviour: a rule at the line, or `plan:item` with the line among its places, or
 * anywhere where no line gives cause.
 */
const EXPECTED: Readonly<Record<string, string>> = {
  'authname-nl': 'text-is-expression',
  'authname-network': 'text-is-expression',
  'authname-1': 'text-is-expression',
  'authname-finance': 'text-is-expression',
  'authname-digest-fin': 'text-is-expression',
  'authname-apos': 'text-is-expression',
  'authname-four': 'changed-behaviour',
  'authname-var': 'text-is-expression',
  'authname-brace': 'value-refused',
  'require-user-corp-bob': 'text-is-expression',
  'require-user-nancy': 'text-is-expression',
  'require-user-1': 'text-is-expression',
  'require-user-x1': 'text-is-expression',
  'require-group-file-missing': 'path-missing',
  'basic-authoritative-off': 'login-refused',
  'authtype-none': 'login-refused',
  'errdoc-403-loca': 'error-document-restricted',
  'errdoc-403-files': 'error-document-restricted',
  'errdoc-401-loc': 'error-document-restricted',
  'errdoc-expr': 'text-is-expression',
  'errdoc-expr-bad': 'value-refused',
  'errdoc-404-default': 'plan:error-page-text',
  'dollar-nl-locationmatch': 'pattern-difference',
  'dollar-nl-rewrite': 'pattern-difference',
  'dotall-rewrite': 'rewrite-target',
  'rewrite-space-query': 'rewrite-target',
  'rewrite-3f-path': 'rewrite-target',
  'rewrite-3f-redirect': 'rewrite-target',
  'rewrite-3f-proxy': 'rewrite-target',
  'rewrite-prefix-cond': 'rewrite-target',
  'rewrite-prefix-env': 'rewrite-target',
  'rewrite-log': 'rewrite-log',
  'mergeslashes-a': 'pattern-difference',
  'mergeslashes-dot': 'pattern-difference',
  'mergeslashes-rewrite': 'pattern-difference',
  'htaccess-dual-Limit': 'allow-override-class',
  'allowoverride-default': 'allow-override-missing',
  'options-default': 'changed-defaults',
  'env-badheader': 'plan:header-underscore',
  'allow-comment': 'access-trailing-comment',
  'keepalive-number': 'keep-alive-value',
  'timeout-default': 'changed-defaults',
  'status-extended': 'plan:extended-status',
  limitrequestbody: 'changed-defaults',
  'strict-host-under': 'plan:strict-protocol',
  'length-plus': 'plan:strict-protocol',
  etag: 'changed-defaults',
  'etag-deflate': 'plan:etag-deflate',
  chunked: 'plan:deflate-grows',
  'ssi-expr': 'ssi-expression',
  namevirtualhost: 'virtual-host-comes-alive',
  'serveralias-port': 'virtual-host-comes-alive',
  'line-mutex': 'mutex-directive',
  'line-authz-auth': 'authz-authoritative',
  'line-authdefault': 'authz-authoritative',
  'line-cookielog': 'cookie-log',
  'balancer-nomod': 'missing-module',
  'line-backslash': 'line-ends-with-escaped-backslash',
  'authz-default-module': 'removed-module',
  'dirmatch-plain': 'directory-match-depth',
  'dirmatch-slash': 'directory-match-depth',
  'dirmatch-any': 'directory-match-depth',
  'dirmatch-anyslash': 'directory-match-depth',
  'log-404-info': 'plan:error-log',
};

/** 2.2 refuses the line: a server of 2.2 does not have it. */
const ONLY_IN_24 = new Set(['rewrite-flags-new', 'rewrite-bnp', 'redirect-loc-1', 'header-expr']);

/** The line is that of an entry that changed; only the request is another one. */
const SAME_LINE = new Set(['rewrite-space-path']);

/** Reported at the line that needs the module, not at the one that the recording names. */
const ELSEWHERE = new Set(['balancer-nomod']);

describe('what 2.4 does otherwise', () => {
  itOver('behaviours', 'is said at the line that gives cause, and nowhere else', () => {
    const entries = (JSON.parse(readFileSync(behaviourAnswers, 'utf8')) as { entries: Entry[] }).entries;
    const wrong: string[] = [];
    for (const entry of entries) {
      const said = saidOf(entry);
      if (!entry.changed) {
        const more = said.atCause.filter((each) => NEW.includes(each));
        if (more.length > 0 && !SAME_LINE.has(entry.id)) wrong.push(`${entry.id}: ${more.join()} for ${entry.cause}`);
      } else if (!ONLY_IN_24.has(entry.id)) {
        const expected = EXPECTED[entry.id];
        const has = expected !== undefined && said.atCause.includes(expected);
        if (!has) wrong.push(`${entry.id}: not ${expected} for ${entry.cause}, but ${said.all.join(' ')}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(entries.length > 100);
  });
});

function saidOf(entry: Entry): { readonly atCause: readonly string[]; readonly all: readonly string[] } {
  const files = filesOf(entry);
  const said: [file: string, line: number, what: string][] = [];
  for (const { path, findings } of check(files))
    for (const { rule, places, range } of findings)
      for (const { start } of [range, ...places]) said.push([path, start.line, rule]);
  for (const { onServer } of plan(files).configurations)
    for (const { id, because } of onServer) for (const { file, line } of because) said.push([file, line, `plan:${id}`]);
  const cause = filled(entry.cause);
  const lineOf = (file: string, line: number) => files[file]!.split('\n')[line]!.trim();
  const hasLine =
    !ELSEWHERE.has(entry.id) &&
    Object.values(files).some((text) => text.split('\n').some((line) => line.trim() === cause));
  return {
    atCause: said.filter(([file, line]) => !hasLine || lineOf(file, line) === cause).map(([, , what]) => what),
    all: said.map(([, line, what]) => `${line + 1}:${what}`),
  };
}

const filled = (text: string) => text.replaceAll('@ROOT@', ROOT).replaceAll('@PORT@', '8080');

/**
 * The server of the recording, as far as its lines matter here; a comment on top of an entry
 * changes the section for its files.
 */
function filesOf({ config, files, cause }: Entry): Files {
  const [, inSection = 'Options All;   AllowOverride None'] = /^# ((?:Options|AllowOverride).*)/.exec(config) ?? [];
  const main = [
    `ServerRoot "${ROOT}"`,
    'Listen 127.0.0.1:8080',
    'ServerName localhost',
    'PidFile logs/httpd.pid',
    `DocumentRoot "${ROOT}/htdocs"`,
    `<Directory "${ROOT}/htdocs">`,
    ...inSection.split(/;\s*/),
    '</Directory>',
    ...MODULES.map((name) => `LoadModule ${name}_module modules/mod_${name}.so`),
    ...(cause.startsWith('LoadModule') ? [cause] : []),
    config,
  ].join('\n');
  const others = Object.entries({
    'conf/passwd': '',
    'conf/group': '',
    'conf/digest': '',
    'logs/x': '',
    'modules/x': '',
    ...files,
  });
  return {
    [MAIN]: filled(main),
    ...Object.fromEntries(others.map(([name, text]) => [`${ROOT}/${name}`, filled(text)])),
  };
}

const MODULES =
  'auth_basic auth_digest authn_file authz_host authz_user authz_groupfile proxy proxy_http proxy_balancer deflate rewrite'.split(
    ' ',
  );

describe('from one release of 2.4 to another', () => {
  const said = (text: string, source: string, target = '2.4') => {
    const files = { '/srv/httpd/conf/httpd.conf': `ServerRoot /srv/httpd\nListen 80\n${text}` };
    const options = { source: source as '2.4', target };
    return {
      rules: check(files, options).flatMap(({ findings }) => findings.map(({ rule }) => rule)),
      items: plan(files, options).configurations.flatMap(({ onServer }) => onServer.map(({ id }) => id)),
    };
  };
  const LOADS = 'LoadModule authz_core_module modules/mod_authz_core.so\n';
  const TEXTS: readonly (readonly [text: string, rule: string, since: number])[] = [
    ['<Directory /srv>\nAuthName "a\\b"\n</Directory>\n', 'text-is-expression', 55],
    ['<Directory /srv>\nAuthName "%{HTTP_HOST}"\n</Directory>\n', 'text-is-expression', 55],
    ['ErrorDocument 404 "a\\b"\n', 'text-is-expression', 13],
    ['RewriteRule ^/q/([^/]+) /p?x=$1 [PT]\n', 'rewrite-target', 56],
    ['RewriteRule ^/q//x - [F]\n', 'pattern-difference', 39],
    ['<FilesMatch "\\.php$">\nRequire all denied\n</FilesMatch>\n', 'pattern-difference', 30],
  ];

  it('reports what came after the release that runs now', () => {
    for (const [text, rule, since] of TEXTS) {
      assert.ok(said(LOADS + text, '2.4.6').rules.includes(rule), text);
      assert.ok(said(LOADS + text, `2.4.${since - 1}`).rules.includes(rule), text);
      assert.ok(!said(LOADS + text, `2.4.${since}`).rules.includes(rule), `${text}: the server has it already`);
      assert.ok(
        !said(LOADS + text, '2.4.6', `2.4.${since - 1}`).rules.includes(rule),
        `${text}: not yet in the target`,
      );
    }
  });

  it('does not report what came with 2.4.0', () => {
    const text = '<Directory /srv>\nAuthBasicAuthoritative Off\nRequire valid-user\n</Directory>\nLogLevel warn\n';
    assert.ok(said(text, '2.2').rules.includes('login-refused'));
    assert.ok(said(text, '2.2').items.includes('error-log'));
    const { rules, items } = said(LOADS + text, '2.4.6');
    assert.ok(!rules.includes('login-refused'));
    assert.deepEqual(items, ['strict-protocol']);
    assert.deepEqual(said(LOADS + text, '2.4.25').items, []);
  });
});
