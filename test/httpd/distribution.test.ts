/** The facts about Debian's build, on a machine that has it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { loadModuleLine, PROFILES } from '../../server/src/config/distribution';
import { lacks } from '../support/lacks';
import { configTest, requireHttpd, type Httpd } from './harness';

describe("Debian's httpd", () => {
  let httpd: Httpd;

  before(function () {
    httpd = requireHttpd(this);
    if (!/Debian|Ubuntu/.test(spawnSync(httpd.binary, ['-v'], { encoding: 'utf8' }).stdout))
      lacks(this, 'this httpd is not built by Debian');
  });

  it('has these modules built in', () => {
    const known = [...PROFILES.debian.builtIn!].map((name) => name.replace(/^mod_/, ''));
    assert.deepEqual([...httpd.builtin].filter((name) => name !== 'http_core').sort(), known.sort());
  });

  it('refuses to load what is built in, and loads the others from where it is said', async () => {
    const { error } = await configTest(loadModuleLine('mod_unixd', 'debian'), { modules: ['authz_core'] });
    assert.match(error?.message ?? '', /module unixd_module is built-in and can't be loaded/);
    const { ok, stderr } = await configTest(loadModuleLine('mod_alias', 'debian'), { modules: ['authz_core'] });
    assert.ok(ok, stderr);
  });
});
