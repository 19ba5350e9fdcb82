/**
 * What a virtual host inherits from the main server, as inlay hints show it
 * (features/inlay-hints.ts).
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { requireHttpd, serve, type Server } from './harness';

const CONFIG = `
ServerAdmin main@example.org
ServerSignature EMail
DocumentRoot "@ROOT@/htdocs"
LogFormat "%v %U" short
CustomLog "@ROOT@/logs/main_access" short
ErrorDocument 404 "main's own words"
Redirect /moved /target
Alias /aliased "@ROOT@/htdocs/other"
RewriteEngine On
RewriteRule ^/rewritten$ /page.txt
AddType text/x-main .main
Header set X-Main yes
SetEnv MAIN yes
SetEnvIf Request_URI . IF_MAIN=yes
Header set X-Env "%{MAIN}e %{IF_MAIN}e"
LimitRequestLine 500
TraceEnable Off
ProxyPass /proxied !
HostnameLookups Off
ServerTokens Prod
DirectoryIndex page.txt
<VirtualHost *:@PORT@>
    ServerName silent.example
</VirtualHost>
<VirtualHost *:@PORT@>
    ServerName own.example
    ServerAdmin own@example.org
    DocumentRoot "@ROOT@/own"
    ErrorLog "@ROOT@/logs/own_error"
    CustomLog "@ROOT@/logs/own_access" short
    ErrorDocument 404 default
    Redirect /own /target
</VirtualHost>
`;

describe('virtual hosts and the main server on a real httpd', function () {
  this.timeout(300_000);
  let server: Server;

  before(async function () {
    requireHttpd(this);
    server = await serve(CONFIG, {
      files: {
        'htdocs/page.txt': 'main page',
        'htdocs/other/a.txt': 'aliased',
        'htdocs/x.main': 'typed',
        'own/page.txt': 'own page',
      },
    });
  });

  after(() => server?.stop());

  const ask = (host: string, url: string, method = 'GET') =>
    server.request({ path: url, method, headers: { Host: host } });
  const log = (name: string) =>
    existsSync(path.join(server.root, 'logs', name)) ? readFileSync(path.join(server.root, 'logs', name), 'utf8') : '';

  it('takes what it does not set: DocumentRoot, ErrorDocument, Redirect, Alias, AddType, Header, SetEnv, limits, TraceEnable', async () => {
    assert.equal((await ask('silent.example', '/page.txt')).body, 'main page');
    assert.equal((await ask('silent.example', '/')).body, 'main page');
    assert.equal((await ask('silent.example', '/nothing')).body, "main's own words");
    assert.equal((await ask('silent.example', '/moved')).status, 302);
    assert.equal((await ask('silent.example', '/aliased/a.txt')).body, 'aliased');
    const typed = await ask('silent.example', '/x.main');
    assert.equal(typed.headers['content-type'], 'text/x-main');
    assert.equal(typed.headers['x-main'], 'yes');
    assert.equal(typed.headers['x-env'], 'yes yes');
    assert.equal((await ask('silent.example', `/${'x'.repeat(600)}`)).status, 414);
    assert.equal((await ask('silent.example', '/', 'TRACE')).status, 405);
  });

  it('replaces what it sets, and adds to lists such as Redirect', async () => {
    assert.equal((await ask('own.example', '/page.txt')).body, 'own page');
    assert.notEqual((await ask('own.example', '/nothing')).body, "main's own words");
    assert.equal((await ask('own.example', '/moved')).status, 302);
    assert.equal((await ask('own.example', '/own')).status, 302);
  });

  it('has none of the rewrite rules', async () => {
    assert.equal((await ask('silent.example', '/rewritten')).status, 404);
  });

  it("writes into the main server's logs unless it has its own", async () => {
    await ask('silent.example', '/seen-by-main');
    await ask('own.example', '/seen-by-own');
    await server.reload(CONFIG);
    assert.match(log('main_access'), /silent\.example \/seen-by-main/);
    assert.doesNotMatch(log('main_access'), /seen-by-own/);
    assert.match(log('own_access'), /own\.example \/seen-by-own/);
  });

  it("shows the main server's administrator", async () => {
    assert.match((await ask('silent.example', '/', 'TRACE')).body, /main@example\.org/);
    assert.match((await ask('own.example', '/', 'TRACE')).body, /own@example\.org/);
  });
});
