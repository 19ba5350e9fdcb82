/**
 * Valid configurations, broken in one place: our verdict on each equals the server's. MUTANTS is
 * the number (1,000 by default), MUTANTS_SEED the random seed. Remaining differences are counted,
 * and shown.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { lacks } from '../support/lacks';
import { Random } from '../support/random';
import { repositoryRoot } from '../support/paths';
import { configTest, findHttpd, requireHttpd } from './harness';
import { differences, modulesOf } from './mutants/compare';
import { mutant } from './mutants/mutate';

const COUNT = Number(process.env.MUTANTS ?? 1000);
const SEED = Number(process.env.MUTANTS_SEED ?? 1);

/** At most so many verdicts may differ, of a hundred. */
const MOST = 1;

const MODULES = [
  'access_compat',
  'alias',
  'auth_basic',
  'authn_core',
  'authn_file',
  'authz_core',
  'authz_groupfile',
  'authz_host',
  'authz_user',
  'autoindex',
  'cache',
  'cache_disk',
  'dav',
  'dav_fs',
  'deflate',
  'dir',
  'env',
  'expires',
  'filter',
  'headers',
  'http2',
  'include',
  'mime',
  'negotiation',
  'proxy',
  'proxy_balancer',
  'proxy_http',
  'lbmethod_bytraffic',
  'lbmethod_byrequests',
  'slotmem_shm',
  'remoteip',
  'reqtimeout',
  'rewrite',
  'session',
  'setenvif',
  'speling',
  'ssl',
  'socache_shmcb',
  'status',
  'userdir',
];

/** httpd's own examples, where the package brought them. */
const EXAMPLES = '/usr/share/doc/apache2/examples/apache2/extra';
const SHIPPED = [
  'httpd-autoindex.conf',
  'httpd-default.conf',
  'httpd-info.conf',
  'httpd-languages.conf',
  'httpd-mpm.conf',
  'httpd-multilang-errordoc.conf',
  'httpd-vhosts.conf',
  'proxy-html.conf',
];

describe('mutants', function () {
  this.timeout(1_500_000);

  before(function () {
    requireHttpd(this);
  });

  it(`of a clean configuration: the same verdict on ${100 - MOST} of 100`, async () => {
    const base = readFileSync(path.join(repositoryRoot, 'test/httpd/mutants/base.conf'), 'utf8');
    const clean = await configTest(base, { modules: MODULES });
    assert.ok(clean.ok, clean.stderr);
    const random = new Random(SEED);
    await check(
      Array.from({ length: COUNT }, () => mutant(base, random)),
      MODULES,
    );
  });

  it('of the examples that come with httpd', async function () {
    if (!existsSync(EXAMPLES)) lacks(this, `the examples of httpd are not at ${EXAMPLES}: install apache2-doc`);
    const texts = SHIPPED.map((file) => readFileSync(path.join(EXAMPLES, file), 'utf8'));
    const modules = [...findHttpd()!.loadable].filter((name) => !/^mpm_/.test(name));
    const clean: string[] = [];
    for (const text of texts) if ((await configTest(text, { modules })).ok) clean.push(text);
    assert.ok(clean.length > 0, 'httpd takes none of its own examples');
    const random = new Random(SEED);
    await check(
      Array.from({ length: Math.ceil(COUNT / 10) }, () => mutant(random.pick(clean), random)),
      modules,
    );
  });
});

async function check(mutants: ReturnType<typeof mutant>[], modules: readonly string[]): Promise<void> {
  const { found, refused, left } = await differences(mutants, modulesOf(modules), { modules });
  const shown = found
    .map(({ what, server, ours }) => `${what}\n    the server: ${server}\n    ours: ${ours}`)
    .join('\n');
  console.log(
    `      ${mutants.length} mutants, ${refused} refused, ${left} left out (this machine), ${found.length} different${found.length > 0 ? `\n${shown.replace(/^/gm, '        ')}` : ''}`,
  );
  assert.ok(refused > mutants.length / 4, 'too few mutants are refused to tell anything');
  assert.ok(found.length <= Math.max(2, (mutants.length * MOST) / 100), shown);
}
