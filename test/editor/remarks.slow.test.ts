/**
 * Rows by hand that lead to a fix, and what stays of an earlier state: remarks of `httpd -t`, an
 * answer, a directory of this machine.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

const COPY = 'Where is the copy of the files?';
const MODULES = ['authz_host', 'dir', 'mime'];
const MAIN = `ServerRoot "/etc/httpd"
Listen 80
${MODULES.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join('')}LoadModule php5_module modules/libphp5.so
DocumentRoot /var/www/html
<Directory /var/www/html>
    AllowOverride None
    Order allow,deny
    Allow from all
</Directory>
MaxClients 10
NoSuchDirective on
<VirtualHost *:80>
    ServerName www.example.com
</VirtualHost>
`;

describe('remarks on a configuration', () => {
  let workbench: Workbench;
  let folder: string;
  /** A directory of this machine that is outside of the project. */
  let elsewhere: string;
  const text = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  const rows = async () => (await workbench.items()).flatMap((label) => label ?? []);

  before(async function () {
    folder = folderWith({ 'conf/httpd.conf': MAIN });
    elsewhere = folderWith({ 'index.html': 'a page\n' });
    workbench = await openWorkbenchFor(this, { name: 'remarks', folder });
    await workbench.waitForStatus(/httpd 2\.2 → 2\.4 · \d+ blocking/);
    await workbench.commandByKeys('httpd-upgrade: Plan the Upgrade');
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('keep a directory of this machine out of the file that everybody shares', async () => {
    await workbench.clickItem(/^Does any \.htaccess file/);
    await workbench.question(/^Does any \.htaccess file in, below or above \/var\/www\/html/);
    await workbench.answer('I have a copy');
    const input = workbench.page.locator('.quick-input-widget .quick-input-box input').first();
    await workbench.question(/^Where is the copy of the files\?/);
    const titles = () =>
      workbench.page.locator('.quick-input-widget:not([style*="display: none"]) .quick-input-title').allInnerTexts();
    await workbench.until('the directory', async () => {
      await input.fill(`${elsewhere}/`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await workbench.press('Enter');
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return (await titles()).includes(COPY) ? undefined : true;
    });
    await workbench.press('Escape');
    await workbench.screenshot('1-copy');
    const shared = path.join(folder, '.httpd-upgrade.json');
    assert.ok(!existsSync(shared) || !readFileSync(shared, 'utf8').includes(elsewhere));
  });

  it('say what was answered', async () => {
    await workbench.clickItem(/^How will the 2\.4 server run PHP/);
    await workbench.question(/^How will the 2\.4 server run PHP/);
    await workbench.answer('PHP 8');
    await workbench.waitForItem(/^How will the 2\.4 server run PHP.*answered: PHP 8/);
    await workbench.press('Escape');
    assert.deepEqual(
      (await rows()).filter((label) => /php.*keep/i.test(label)),
      [],
    );
    await workbench.screenshot('2-answered');
  });

  it('lead from a row by hand to a fix at its line', async () => {
    await workbench.clickItem(/^ServerName is missing/);
    await workbench.waitForFile('conf/httpd.conf');
    assert.match((await workbench.quickFixes('Listen'))[0]!, /^Add ServerName www\.example\.com/);
    await workbench.screenshot('3-server-name');
    await workbench.press('Escape');
    await workbench.takeQuickFix('Listen', 'Add ServerName www.example.com');
    await workbench.waitForNoItem((label) => /^ServerName is missing/.test(label));
    assert.match(await workbench.text(), /^ServerName www\.example\.com\nListen 80$/m);
  });

  it('of httpd -t go with an undo', async () => {
    await workbench.openItem(/^Review \d+ fixes…/, /^Apply \d+ changes/);
    await workbench.answer('Apply');
    await workbench.message(/Applied \d+ changes/);
    assert.match(text('conf/httpd.conf'), /^MaxRequestWorkers 10$/m);
    await workbench.command('httpd-upgrade: Verify the Configuration with httpd -t');
    await workbench.message(/\d+ errors?: httpd 2\.4/);
    await workbench.problems('httpd -t', (found) => found.some((each) => /httpd -t/.test(each.text)));
    await workbench.screenshot('4-said');
    await workbench.command('httpd-upgrade: Undo the Last Change of Several Files');
    await workbench.message(/The change was undone\./);
    await workbench.problems('', (found) => !found.some((each) => /httpd -t/.test(each.text)));
    assert.match(text('conf/httpd.conf'), /^MaxClients 10$/m);
    await workbench.screenshot('5-undone');
  });
});
