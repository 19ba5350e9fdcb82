/**
 * Why sections stay together (test/corpus/refusals.slow.test.ts): a tree in which `<Directory />`
 * refuses everything and each other section allows requests below it, tried with every half of it
 * converted. A request has to pass mod_authz_core and mod_access_compat, and each uses its own last
 * section.
 */
import assert from 'node:assert/strict';
import { requireHttpd, serve, type Server } from './harness';

const OLD = {
  top: 'Order deny,allow\nDeny from all',
  site: 'Order allow,deny\nAllow from all',
  url: 'Order allow,deny\nAllow from 127.0.0.1',
};
const NEW = { top: 'Require all denied', site: 'Require all granted', url: 'Require ip 127.0.0.1' };
type Part = keyof typeof OLD;

describe('a tree that is converted in part, on a real httpd', function () {
  this.timeout(300_000);
  const servers: Server[] = [];

  before(function () {
    requireHttpd(this);
  });

  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
  });

  const start = async (config: string) => {
    const server = await serve(config, { files: { 'htdocs/a.txt': 'a', 'htdocs/.htpasswd': 'x' } });
    servers.push(server);
    return async (path: string) => (await server.request({ path, headers: { Host: 'localhost' } })).status;
  };

  for (let bits = 0; bits < 8; bits++) {
    const isNew = { top: (bits & 1) !== 0, site: (bits & 2) !== 0, url: (bits & 4) !== 0 };
    const names = (Object.keys(isNew) as Part[]).filter((part) => isNew[part]);
    it(`converted: ${names.join(', ') || 'nothing'}`, async () => {
      const lines = (part: Part) => (isNew[part] ? NEW : OLD)[part];
      const status = await start(
        `DocumentRoot "@ROOT@/htdocs"\n<Directory />\n${lines('top')}\n</Directory>\n<Directory "@ROOT@/htdocs">\n${lines('site')}\n</Directory>\n<Location /status>\nSetHandler server-status\n${lines('url')}\n</Location>\n`,
      );
      // An allowing section allows nothing if a section around it is of the other kind; by a URL,
      // the document root is around it, too.
      assert.equal(await status('/a.txt'), isNew.top === isNew.site ? 200 : 403);
      assert.equal(await status('/status'), statusOf(isNew));
    });
  }

  /**
   * Of `/status`: mod_authz_core has the last new section, mod_access_compat the last old one;
   * where there is none, everybody passes.
   */
  function statusOf(isNew: Readonly<Record<Part, boolean>>): number {
    const last = (of: boolean) => (['url', 'site', 'top'] as const).find((part) => isNew[part] === of);
    return last(true) === 'top' || last(false) === 'top' ? 403 : 200;
  }

  it('Deny from all refuses whatever the Allow lines name, in an order in which that counts', async () => {
    for (const [order, code] of [
      ['allow,deny', 403],
      ['mutual-failure', 403],
      ['deny,allow', 200],
    ] as const)
      for (const value of ['all', '127.0.0.1', 'env=HAPPENS']) {
        const status = await start(
          `Define WHO ${value}\nSetEnvIf Request_URI . HAPPENS\nDocumentRoot "@ROOT@/htdocs"\n<Directory "@ROOT@/htdocs">\nOrder ${order}\nDeny from all\nAllow from \${WHO}\n</Directory>\n`,
        );
        assert.equal(await status('/a.txt'), code, `${order} ${value}`);
      }
  });
});
