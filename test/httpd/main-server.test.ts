/**
 * When the main server of a real httpd 2.4 answers although there are virtual hosts, compared with
 * config/listeners.ts.
 */
import assert from 'node:assert/strict';
import { readConfiguration } from '../../server/src/config/configuration';
import { everyRequestHasHost } from '../../server/src/config/listeners';
import { memoryFiles } from '../../server/src/config/memory-files';
import { requireHttpd, serve } from './harness';

const HOSTS = ['localhost', 'a.example.org', 'other.example.org', '127.0.0.1', '[::1]'];

/**
 * The words of a tag or of two, lines beside it, who answers, and whether we know that it is a
 * virtual host.
 */
const CASES: readonly (readonly [tags: readonly string[], lines: string, who: 'host' | 'main', isKnown: boolean])[] = [
  [['*:@PORT@'], '', 'host', true],
  [['_default_:@PORT@'], '', 'host', true],
  [['_DEFAULT_:@PORT@'], '', 'host', true],
  [['*:*'], '', 'host', true],
  [['_default_:*'], '', 'host', true],
  [['*:1 *:@PORT@'], '', 'host', true],
  [['*:1', '*:@PORT@'], '', 'host', true],
  [['127.0.0.1:@PORT@', '*:@PORT@'], '', 'host', true],
  [['127.0.0.2:@PORT@', '*:@PORT@'], '', 'host', true],
  [['*:@PORT@'], 'ServerName localhost:1\nUseCanonicalName On\n', 'host', true],
  [['*'], '', 'host', true],
  [['*'], 'ServerName localhost:1\n', 'host', true],
  [['_default_'], '', 'host', false],
  [['127.0.0.1:@PORT@'], '', 'host', false],
  [['*:1'], '', 'main', false],
  [['127.0.0.2:@PORT@'], '', 'main', false],
  [['_default_'], 'ServerName localhost:1\n', 'main', false],
];

describe('the main server beside virtual hosts', function () {
  this.timeout(60_000);
  before(function () {
    requireHttpd(this);
  });

  for (const [tags, lines, who, isKnown] of CASES) {
    it(`${tags.map((tag) => `<VirtualHost ${tag}>`).join(' ')} ${lines.replaceAll('\n', ' ')}: ${who}`, async () => {
      const hosts = tags
        .map(
          (tag, i) =>
            `<VirtualHost ${tag}>\nServerName ${'ab'[i]}.example.org\nDocumentRoot @ROOT@/host\n</VirtualHost>\n`,
        )
        .join('');
      const config = `${lines}<Directory @ROOT@>\nRequire all granted\n</Directory>\n${hosts}`;
      const server = await serve(config, {
        modules: ['authz_core', 'dir'],
        files: { 'htdocs/who': 'main', 'host/who': 'host' },
        without: lines.includes('ServerName') ? ['ServerName'] : [],
      });
      try {
        for (const host of HOSTS)
          assert.equal((await server.request({ path: '/who', headers: { host } })).body, who, host);
      } finally {
        await server.stop();
      }
      const text = `ServerRoot /srv\nListen 8080\n${config}`.replaceAll('@PORT@', '8080').replaceAll('@ROOT@', '/srv');
      const view = memoryFiles({ '/srv/httpd.conf': text });
      const configuration = readConfiguration({ root: '/srv/httpd.conf', view, names: new Set(['listen']) });
      assert.equal(everyRequestHasHost(configuration!), isKnown);
    });
  }
});
