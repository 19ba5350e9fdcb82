/** Fixes applied before all questions are answered: the rest of the plan stays the same. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

const MODULES = ['authn_file', 'authz_host', 'authz_user', 'auth_basic', 'dir', 'mime', 'alias', 'cgi', 'log_config'];
const MAIN = `ServerRoot "/etc/httpd"
Listen 80
${MODULES.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join('')}LoadModule php5_module modules/libphp5.so
DocumentRoot "/var/www/html"
<Directory "/var/www/html">
    AllowOverride All
    Order allow,deny
    Allow from all
</Directory>
MaxClients 10
DefaultType text/plain
ScriptAlias /cgi-bin/ "/var/www/cgi-bin/"
`;

describe('fixes that are applied before the questions are answered', () => {
  let workbench: Workbench;
  let folder: string;
  const text = () => readFileSync(path.join(folder, 'conf/httpd.conf'), 'utf8');
  const rows = async () => (await workbench.items()).flatMap((label) => label ?? []);
  const questions = async () => (await rows()).filter((label) => /^Questions, \d+ open/.test(label));

  before(async function () {
    folder = folderWith({ 'conf/httpd.conf': MAIN });
    workbench = await openWorkbenchFor(this, { name: 'early-apply', folder });
    await workbench.waitForStatus(/httpd 2\.2 → 2\.4 · \d+ blocking/);
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('show no marks of Markdown among the problems', async () => {
    const found = await workbench.problems('', (all) => all.length > 1);
    for (const each of found) assert.doesNotMatch(each.text, /`|\*\*/);
    await workbench.screenshot('1-problems');
  });

  it('leave the questions and the steps on the server as they were', async () => {
    await workbench.commandByKeys('httpd-upgrade: Plan the Upgrade');
    await workbench.waitForItem(/^Review \d+ fixes…/);
    const before = [...(await questions()), await workbench.waitForItem(/^On the server, \d+/)];
    await workbench.openItem(/^Review \d+ fixes…/, /^Apply \d+ changes/);
    await workbench.answer('Apply');
    await workbench.message(/Applied \d+ changes/);
    await workbench.waitForNoItem((label) => /^MaxClients → MaxRequestWorkers/.test(label));
    await workbench.screenshot('2-applied');
    assert.match(text(), /^MaxRequestWorkers 10$/m);
    assert.deepEqual([...(await questions()), await workbench.waitForItem(/^On the server, \d+/)], before);
    assert.ok(!(await rows()).some((label) => /already run httpd 2\.4/.test(label)));
  });
});
