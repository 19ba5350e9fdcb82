/**
 * What a client gets from a real httpd 2.4 if an https backend has a certificate for another name,
 * or an expired one: texts of mod_ssl, of ssl-proxy-check and of changed-defaults say this.
 */
import assert from 'node:assert/strict';
import { createServer, type Server as Backend } from 'node:https';
import type { AddressInfo } from 'node:net';
import { requireHttpd, serve, type Server } from './harness';

/** Made for this test alone. Both certificates are of this key. */
const KEY = `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIAOMmzNSvHimrxk6irOa2Ecn+NrSjnQSngwL69PI5DCSoAoGCCqGSM49
AwEHoUQDQgAEi0zq608uBr8HQloixseuevpR+IEOxLk83psjNJnYNvM19bDqx5y4
aKyvU2io1gwxYb6GEeZRexAi3/AnHkvkBw==
-----END EC PRIVATE KEY-----`;
/** Valid until 2126. */
const OF_ANOTHER_NAME = `-----BEGIN CERTIFICATE-----
MIIBiDCCAS2gAwIBAgIUZ32HXEFGc6p63suxcAudwvvjW4wwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNb3RoZXIuZXhhbXBsZTAgFw0yNjExMjkwODQ5NDVaGA8yMTI2
MTEwNTA4NDk0NVowGDEWMBQGA1UEAwwNb3RoZXIuZXhhbXBsZTBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABItM6utPLga/B0JaIsbHrnr6UfiBDsS5PN6bIzSZ2Dbz
NfWw6secuGisr1NoqNYMMWG+hhHmUXsQIt/wJx5L5AejUzBRMB0GA1UdDgQWBBQJ
U9G2z8BlVkqusLXWJur95MvE3TAfBgNVHSMEGDAWgBQJU9G2z8BlVkqusLXWJur9
5MvE3TAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQCdilDtzmtz
cHQAdua90nyTbOBPZ8nwADSH7L0IPH3d3QIhAIQaqgi9hD5R+nrcCC0J708vWRnk
GMJkDMqx1PZrmNf4
-----END CERTIFICATE-----`;
/** For localhost, in January 2020. */
const EXPIRED = `-----BEGIN CERTIFICATE-----
MIIBDzCBtgIBAjAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwHhcN
MjAwMTAxMDAwMDAwWhcNMjAwMjAxMDAwMDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASLTOrrTy4GvwdCWiLGx656+lH4
gQ7EuTzemyM0mdg28zX1sOrHnLhorK9TaKjWDDFhvoYR5lF7ECLf8CceS+QHMAoG
CCqGSM49BAMCA0gAMEUCIAVtUFshZXiHuozuOq+j4g9GvvpxZRK449pVizvyUG6q
AiEAzSvHE68FWB6LpKXakSU81AaQELU5xL8PPBG/AymQoKI=
-----END CERTIFICATE-----`;

describe('the certificate of an https backend on a real httpd', function () {
  this.timeout(60_000);
  const backends: Backend[] = [];
  let server: Server | undefined;

  before(function () {
    requireHttpd(this);
  });

  afterEach(() => {
    for (const each of backends.splice(0)) each.close();
    return server?.stop();
  });

  async function backend(cert: string): Promise<string> {
    const listening = createServer({ key: KEY, cert }, (_, response) => response.end('ok'));
    backends.push(listening);
    await new Promise<void>((done) => void listening.listen(0, '127.0.0.1', done));
    return `https://localhost:${(listening.address() as AddressInfo).port}/`;
  }

  const [NAME, CN, EXPIRE] = ['SSLProxyCheckPeerName', 'SSLProxyCheckPeerCN', 'SSLProxyCheckPeerExpire'];
  const rows: readonly [lines: readonly string[], ofAnotherName: number, expired: number][] = [
    [[], 500, 500],
    [[`${NAME} off`], 200, 500],
    [[`${CN} off`], 200, 500],
    [[`${CN} off`, `${NAME} on`], 500, 500],
    [[`${CN} on`, `${NAME} off`], 500, 500],
    [[`${EXPIRE} off`], 500, 200],
    [[`${NAME} off`, `${CN} off`, `${EXPIRE} off`], 200, 200],
  ];
  for (const [lines, ofAnotherName, expired] of rows)
    it(`is checked: ${lines.join(', ') || 'by default'}`, async () => {
      const pass = [
        `ProxyPass /name ${await backend(OF_ANOTHER_NAME)}`,
        `ProxyPass /expired ${await backend(EXPIRED)}`,
      ];
      server = await serve(['SSLProxyEngine on', ...lines, ...pass, ''].join('\n'));
      const got = [await server.request({ path: '/name' }), await server.request({ path: '/expired' })];
      assert.deepEqual(
        got.map(({ status }) => status),
        [ofAnotherName, expired],
        server.errorLog(),
      );
    });
});
