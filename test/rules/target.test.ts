/**
 * A change of a patch release of 2.4 is not reported for older targets. Releases from the file
 * CHANGES of 2.4, by the directive or the words of the entry.
 */
import assert from 'node:assert/strict';
import { parseTarget } from '../../server/src/config/target';
import { findingsIn } from '../support/rules';

/** A text, what is found in it from a release on, and the entry in CHANGES. */
const SINCE: readonly (readonly [text: string, id: string, release: number, entry: string])[] = [
  [
    'ServerTokens Off\n',
    'value-refused/server-tokens',
    4,
    'Fail startup if the argument to ServerTokens is unrecognized',
  ],
  [
    directory('AuthUserFile /srv/users standard'),
    'value-refused/file-type',
    5,
    "do not accept anymore the optional 'standard' keyword",
  ],
  [
    directory('AuthGroupFile /srv/groups standard'),
    'value-refused/file-type',
    5,
    "do not accept anymore the optional 'standard' keyword",
  ],
  ['ErrorDocument 404 "No %{such} page"\n', 'value-refused/expression', 13, 'Add expression support to ErrorDocument'],
  [directory('SetHandler "%{such}"'), 'value-refused/expression', 19, 'Add expression support to SetHandler'],
  ['SSLCompression On\n', 'value-refused/compression', 30, 'The SSLCompression directive will now give an error'],
  [
    directory('Order allow,deny\nAllow from 192.0.2.1 #(office)'),
    'access-trailing-comment/comment',
    32,
    'Fail if a comment is found in an Allow or Deny directive',
  ],
  [
    directory('Order allow,deny\nDeny from 192.0.2.1 # not all'),
    'access-trailing-comment/comment-decides',
    32,
    'Fail if a comment is found in an Allow or Deny directive',
  ],
  [directory('AuthName "%{realm}"'), 'value-refused/expression', 55, 'Add expression support to AuthName and AuthType'],
  [
    directory('AllowOverride Options=+Indexes'),
    'value-refused/override-options',
    64,
    'Report invalid Options= argument when parsing AllowOverride directives',
  ],
  ['SSLEngine optional\n', 'value-refused/ssl-optional', 64, 'Only configurations using "SSLEngine optional"'],
];

describe('a target with a patch level', () => {
  for (const [text, id, release, entry] of SINCE) {
    it(`${id} since 2.4.${release} (${entry}): ${text.trim().split('\n').join(' / ')}`, () => {
      const found = (target: string) =>
        findingsIn(text, { target: parseTarget(target)! })
          .map((finding) => `${finding.rule.id}/${finding.messageId}`)
          .includes(id);
      assert.deepEqual([found(`2.4.${release - 1}`), found(`2.4.${release}`), found('2.4')], [false, true, true]);
      const before = findingsIn(text, { target: parseTarget(`2.4.${release - 1}`)! });
      assert.deepEqual(
        before.filter(({ severity }) => severity === 'error').map(({ message }) => message),
        [],
      );
    });
  }

  it('what 2.4.0 refuses is reported for every release', () => {
    for (const text of [
      'RewriteLogLevel 1\n',
      'KeepAlive Yes\n',
      'Options Indexes +Includes\n',
      directory('Require ip 192.0.2.1 # office'),
    ]) {
      assert.equal(
        findingsIn(text, { target: parseTarget('2.4.1')! }).filter(({ severity }) => severity === 'error').length,
        1,
        text,
      );
    }
  });

  it('a revocation check without CRLs for all can be written since 2.4.21', () => {
    const titles = (target: string) =>
      findingsIn('SSLCARevocationFile /srv/crl.pem\n', { target: parseTarget(target)! }).flatMap(({ fixes }) =>
        fixes.flatMap(({ edits }) => edits.map((edit) => edit.text)),
      );
    assert.doesNotMatch(titles('2.4.20').join(), /no_crl_for_cert_ok/);
    assert.match(titles('2.4.21').join(), /no_crl_for_cert_ok/);
  });

  it('mod_cache_socache is offered since 2.4.5', () => {
    const offered = (target: string) =>
      findingsIn('CacheEnable mem /\n', { rule: 'mem-cache', target: parseTarget(target)! })[0].fixes.flatMap(
        ({ edits }) => edits.map((edit) => edit.text),
      );
    assert.deepEqual(offered('2.4.4'), ['disk']);
    assert.deepEqual(offered('2.4.5'), ['disk', 'socache']);
  });
});

function directory(lines: string): string {
  return `<Directory "/srv">\n${lines}\n</Directory>\n`;
}
