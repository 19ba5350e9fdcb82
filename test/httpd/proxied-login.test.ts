/**
 * AuthType without Require in a `<Location>` of a backend: a real httpd 2.4 answers 500 exactly
 * where authtype-in-proxied-location reports it, or where the rule says that it cannot know.
 */
import assert from 'node:assert/strict';
import { listed } from '../support/configurations';
import { requireHttpd, serve, type Server } from './harness';

const ROOT = '/srv/conf/httpd.conf';
// The backend is this server: what is not proxied is answered 404.
const HEAD = `<Directory />
Require all granted
</Directory>
`;
const pass = (path: string) => `ProxyPass ${path} http://127.0.0.1:@PORT@/nothing\n`;
const login = (path: string, more = '') =>
  `<Location ${path}>\nAuthType Basic\nAuthName x\nAuthUserFile /x\n${more}</Location>\n`;
const section = (tag: string) => `<${tag}>\nRequire all granted\n</${tag.split(' ')[0]}>\n`;

describe('a login without Require before a backend on a real httpd', function () {
  this.timeout(300_000);
  let server: Server;

  before(function () {
    requireHttpd(this);
  });

  afterEach(() => server?.stop());

  const rows: readonly [name: string, text: string, path: string, is500: boolean, isReported: boolean][] = [
    ['Location and ProxyPass', pass('/a') + login('/a'), '/a/x', true, true],
    ['ProxyPass in the Location', login('/a', pass('/a').replace('/a ', '')), '/a/x', true, true],
    ['a Location of a part of the backend', pass('/a') + login('/a/b'), '/a/b/x', true, true],
    ['Alias before it', `Alias /a /srv\n${pass('/a')}${login('/a')}`, '/a/x', true, true],
    ['a Require below', pass('/a') + login('/a') + section('Location /a/b'), '/a/x', true, true],
    ['no backend', login('/a'), '/a/x', false, false],
    ['a Require in Proxy', pass('/a') + login('/a') + section('Proxy *'), '/a/x', false, false],
    ['a Require above', pass('/a') + login('/a') + section('Location /'), '/a/x', false, false],
    ['a Require by pattern', pass('/a') + login('/a') + section('LocationMatch ^/a'), '/a/x', false, false],
    [
      'AuthType None after it',
      `${pass('/a')}${login('/a')}<Location /a>\nAuthType None\n</Location>\n`,
      '/a/x',
      false,
      false,
    ],
    ['an excluded path', `ProxyPass /a !\n${pass('/a')}${login('/a')}`, '/a/x', false, false],
  ];
  for (const [name, text, path, is500, isReported] of rows) {
    it(name, async () => {
      server = await serve(HEAD + text, { modules: 'all-but-access_compat' });
      const { status } = await server.request({ path });
      assert.equal(status === 500, is500, `${status}\n${server.errorLog()}`);
      if (is500) assert.match(server.errorLog(), /AH01627/);
      const found = listed(
        { [ROOT]: HEAD + text.replaceAll('@PORT@', '80') },
        { rule: 'authtype-in-proxied-location' },
      );
      assert.equal(found.length > 0, isReported, found.join());
    });
  }
});
