/**
 * Without mod_cgi and mod_cgid, a real httpd 2.4 sends the source text of scripts
 * (rules/missing-module.ts).
 */
import assert from 'node:assert/strict';
import { requireHttpd, serve, type Server } from './harness';

const SOURCE = '#!/bin/sh\necho secret\n';

describe('scripts without mod_cgi on a real httpd', function () {
  this.timeout(300_000);
  let server: Server;

  before(function () {
    requireHttpd(this);
  });

  afterEach(() => server?.stop());

  for (const [name, lines] of Object.entries({
    ScriptAlias: 'ScriptAlias /run/ "@ROOT@/htdocs/run/"',
    AddHandler: 'AddHandler cgi-script .cgi\n<Directory "@ROOT@/htdocs">\nOptions ExecCGI\n</Directory>',
    SetHandler: '<Location /run>\nSetHandler cgi-script\n</Location>',
  })) {
    it(`${name}: the source text, with status 200`, async () => {
      server = await serve(lines, {
        modules: ['authz_core', 'alias', 'mime', 'dir'],
        files: { 'htdocs/run/a.cgi': SOURCE },
      });
      const { status, body } = await server.request({ path: '/run/a.cgi' });
      assert.deepEqual([status, body], [200, SOURCE]);
    });
  }
});
