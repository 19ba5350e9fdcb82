/**
 * A module that changes the address of the client, in a file that no configuration reads.
 * test/cli/client-address.test.ts has several files on the command line.
 */
import assert from 'node:assert/strict';
import { findingsIn, fixed } from '../support/rules';

const rule = 'client-address-alone';
const ACCESS = '<Location /s>\n Deny from 203.0.113.5\n Require ip 10.0.0.0/8\n Require user x\n</Location>\n';

/** By module: its lines, and those of mod_remoteip that do the same. */
const MODULES: Readonly<Record<string, readonly [before: string, after: string]>> = {
  rpaf: [
    'RPAFenable On\nRPAFsethostname On\nRPAFproxy_ips 127.0.0.1 10.0.0.1\nRPAFheader X-Real-IP\n',
    'RemoteIPInternalProxy 127.0.0.1 10.0.0.1\nRemoteIPHeader X-Real-IP\n',
  ],
  'rpaf 0.8': [
    'LoadModule rpaf_module modules/mod_rpaf.so\nRPAF_Enable On\nRPAF_ProxyIPs 10.0.0.1\nRPAF_ProxyIPs 10.0.0.2\nRPAF_SetPort On\n',
    'LoadModule remoteip_module modules/mod_remoteip.so\nRemoteIPInternalProxy 10.0.0.1\nRemoteIPInternalProxy 10.0.0.2\nRemoteIPHeader X-Forwarded-For\n',
  ],
  'rpaf in a condition': [
    '<IfModule mod_rpaf-2.0.c>\n RPAFenable On\n RPAFproxy_ips 10.0.0.1\n RPAFheader X-Real-IP\n</IfModule>\n',
    '<IfModule mod_remoteip.c>\n RemoteIPInternalProxy 10.0.0.1\n RemoteIPHeader X-Real-IP\n</IfModule>\n',
  ],
  realip: [
    'RealIP On\nRealIPHeader X-Real-IP\nRealIPProxy 10.0.0.1\n',
    'RemoteIPHeader X-Real-IP\nRemoteIPInternalProxy 10.0.0.1\n',
  ],
  cloudflare: [
    'CloudFlareRemoteIPHeader X-Forwarded-For\nCloudFlareRemoteIPTrustedProxy 10.0.0.1\n',
    'RemoteIPHeader X-Forwarded-For\nRemoteIPInternalProxy 10.0.0.1\n',
  ],
  'cloudflare, loaded': [
    'LoadModule cloudflare_module modules/mod_cloudflare.so\n',
    'LoadModule remoteip_module modules/mod_remoteip.so\nRemoteIPHeader CF-Connecting-IP\n',
  ],
  myfixip: ['RewriteIPAllow 10.0.0.1\n', 'RemoteIPInternalProxy 10.0.0.1\nRemoteIPHeader X-Cluster-Client-Ip\n'],
  'extract_forwarded, all proxies': [
    'MEFaccept all\n',
    'RemoteIPInternalProxy 0.0.0.0/0.0.0.0 ::/1 8000::/1\nRemoteIPHeader X-Forwarded-For\n',
  ],
  'rpaf 0.8, all proxies': [
    'RPAF_Enable On\nRPAF_ProxyIPs 0.0.0.0/0 ::/0 10.0.0.0/8\n',
    'RemoteIPInternalProxy 0.0.0.0/0.0.0.0 ::/1 8000::/1 10.0.0.0/8\nRemoteIPHeader X-Forwarded-For\n',
  ],
  vgremoteip: [
    'VGRemoteIPHeader X-Forwarded-For\nVGTrustedProxy 10.0.0.1\n',
    'RemoteIPHeader X-Forwarded-For\nRemoteIPInternalProxy 10.0.0.1\n',
  ],
};

describe('client-address-alone', () => {
  for (const [name, [before, after]] of Object.entries(MODULES)) {
    it(`${name}: once, with the lines by address of the file`, () => {
      const text = before + ACCESS;
      const found = findingsIn(text, { rule });
      assert.equal(found.length, 1);
      assert.deepEqual(
        found[0].places.map(({ start, end }) => text.slice(start, end)),
        ['Deny from 203.0.113.5', 'Require ip 10.0.0.0/8'],
      );
      assert.match(found[0].message, /`Deny from 203\.0\.113\.5` and other lines by address/);
    });

    it(`${name}: with the answer, mod_remoteip does the same`, () => {
      const answerSet = { answers: new Map([['client-address', 'remoteip']]), folder: '/' };
      assert.equal(fixed(before, { rule }), before);
      assert.equal(fixed(before, { rule, answerSet }), after);
      assert.deepEqual(findingsIn(after, { rule: 'invalid-value' }), []);
    });
  }

  it('not where mod_remoteip has taken over, the module is off, in a macro, or in a main file', () => {
    const [rpaf] = MODULES.rpaf!;
    for (const text of [
      `${rpaf}RemoteIPHeader X-Real-IP\n`,
      rpaf.replace('On', 'Off'),
      `<Macro M>\n${rpaf}</Macro>\n`,
      `ServerRoot /srv\n${rpaf}`,
      'LoadModule rpaf_module modules/mod_rpaf.so\n',
      ACCESS,
    ])
      assert.deepEqual(findingsIn(text, { rule }), [], text);
  });

  it('access lines by address beside it are not converted safely; others are', () => {
    const old = (operand: string) => `<Location /s>\n Order deny,allow\n Deny from ${operand}\n</Location>\n`;
    const asked = { rule: 'order-allow-deny', assumeStandalone: true };
    const [rpaf] = MODULES.rpaf!;
    assert.equal(fixed(rpaf + old('203.0.113.5'), asked), rpaf + old('203.0.113.5'));
    assert.equal(fixed(rpaf + old('all'), asked), `${rpaf}<Location /s>\n Require all denied\n</Location>\n`);
    const [finding] = findingsIn(rpaf + old('203.0.113.5'), asked);
    assert.deepEqual(
      finding.fixes[0].waitsFor?.map(({ kind, places }) => [kind, places.length]),
      [['client-address', 0]],
    );
  });

  it('a directive that mod_remoteip has nothing like is not changed', () => {
    const text = 'RPAF_Enable On\nRPAF_ProxyIPs 10.0.0.1\nRPAF_ForbidIfNotProxy On\n';
    const [finding] = findingsIn(text, { rule });
    assert.deepEqual([...finding.fixes], []);
  });
});
