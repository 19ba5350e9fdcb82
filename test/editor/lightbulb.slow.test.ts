/**
 * The lightbulb on old access lines in VS Code, with one of several files open: it converts, asks
 * the question that the conversion waits for, or leads to the reason.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './root';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

const MAIN = `ServerRoot $FOLDER
Listen 80
LoadModule authz_host_module modules/mod_authz_host.so
LoadModule alias_module modules/mod_alias.so
DocumentRoot "/var/www/html"
<Directory />
    AllowOverride None
    Order deny,allow
    Deny from all
</Directory>
<Directory "/var/www/html">
    Options Indexes
    AllowOverride None
    Order allow,deny
    Allow from all
</Directory>
Include conf.d/*.conf
`;
const site = (name: string) => `Alias /${name} /srv/${name}
<Directory /srv/${name}>
    AllowOverride None
    Order allow,deny
    Allow from all
</Directory>
`;
const LATIN1 = Buffer.from(`# für alle\n${site('g')}`, 'latin1');

describe('the lightbulb on access control', () => {
  let workbench: Workbench;
  let folder: string;
  const bytes = (name: string) => readFileSync(path.join(folder, name)).toString('latin1');
  const NAMES = ['conf/httpd.conf', 'conf.d/a.conf', 'conf.d/g.conf'];
  let original: string[];

  before(async function () {
    folder = folderWith({ 'conf/httpd.conf': MAIN, 'conf.d/a.conf': site('a'), 'conf.d/g.conf': LATIN1 });
    original = NAMES.map(bytes);
    workbench = await openWorkbenchFor(this, { name: 'lightbulb', folder });
    await workbench.openFile('conf/httpd.conf');
    await workbench.waitForSquiggle();
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('has all lines of a problem underlined, and one entry for them among the problems', async () => {
    const underlined = () =>
      workbench.page
        .locator('.view-line span')
        .evaluateAll((all: any[]) =>
          all
            .filter((each) => (globalThis as any).getComputedStyle(each).textDecorationStyle === 'wavy')
            .map((each) => each.innerText.replace(/\s+/g, ' ')),
        );
    const lines = await workbench.until('the lines', async () => {
      const all = (await underlined()).join('\n');
      return all.includes('Deny') && all.includes('Allow') ? all : undefined;
    });
    assert.ok(!lines.includes('Options'), lines);
    await workbench.screenshot('1-lines');
  });

  it('converts by Ctrl+. and Enter, and the Apply of the preview, whatever is open', async () => {
    const titles = await workbench.quickFixes('Order');
    await workbench.screenshot('2-menu');
    assert.deepEqual(
      [titles[0], ...titles.slice(-3)],
      [
        'Convert these 4 sections (3 files)…',
        'Explain "order-allow-deny"',
        'Open in the upgrade plan',
        'Ignore "order-allow-deny"…',
      ],
    );
    await workbench.press('Enter');
    assert.equal(await workbench.question(/Convert/), 'Convert 4 sections in 3 files?');
    await workbench.screenshot('3-preview');
    assert.deepEqual(NAMES.map(bytes), original);
    await workbench.answer('Apply');
    await workbench.message(/Converted 4 sections in 3 files\./);
    await workbench.screenshot('4-converted');
    for (const name of NAMES) assert.doesNotMatch(bytes(name), /^ *(Order|Allow|Deny) /m, name);
    assert.match(bytes('conf.d/g.conf'), /^# f\xfcr alle\n[^]*\n {4}Require all granted\n/);
  });

  it('is taken back whole where Undo takes back one file of it', async () => {
    await workbench.command('Notifications: Clear All Notifications');
    await workbench.openFile('conf/httpd.conf');
    await workbench.press('Control+KeyZ');
    await workbench.message(
      /Undo changed 1 of 3 files that belong together\. Take back the whole change \(3 files\)\?/,
    );
    await workbench.screenshot('5-undo');
    await workbench.messageAction('Take back all');
    await workbench.message(/The change was undone\./);
    await workbench.until('the files', async () =>
      NAMES.map(bytes).join('\n') === original.join('\n') ? true : undefined,
    );
  });
});

describe('the lightbulb where the conversion has to wait', () => {
  let workbench: Workbench;
  let folder: string;

  before(async function () {
    const refused = `ServerRoot $FOLDER/other
Listen 81
LoadModule authz_host_module modules/mod_authz_host.so
<Directory />
    AllowOverride None
    Order deny,allow
    Deny from all
    Allow from env=
</Directory>
Include $FOLDER/other/site.conf
`;
    const long = 'MaxClients 10\n'.repeat(1200);
    folder = folderWith({
      'long.conf': long,
      'conf/httpd.conf': ROOT,
      'other/httpd.conf': refused,
      'other/site.conf': site('a'),
    });
    workbench = await openWorkbenchFor(this, { name: 'lightbulb-waiting', folder });
    await workbench.openFile('conf/httpd.conf');
    await workbench.waitForSquiggle();
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('asks the question, and goes on to the preview', async () => {
    const [first] = await workbench.quickFixes('Order');
    await workbench.screenshot('1-menu');
    assert.match(first, /^Answer ".*" to convert$/);
    await workbench.press('Enter');
    await workbench.question(/\.htaccess/);
    await workbench.screenshot('2-question');
    await workbench.answer('No');
    await workbench.question(/^Convert 1 section in 1 file\?$/);
    await workbench.screenshot('3-preview');
    await workbench.answer('Apply');
    await workbench.message(/Converted 1 section in 1 file\./);
    assert.match(
      readFileSync(path.join(folder, 'conf/httpd.conf'), 'utf8'),
      /AllowOverride All\n {4}Require all granted\n/,
    );
  });

  it('leads to the line that keeps a section from being converted', async () => {
    await workbench.openFile('other/site.conf');
    await workbench.waitForSquiggle();
    const [first] = await workbench.quickFixes('Order');
    assert.equal(first, 'Why is this not converted?');
    await workbench.press('Enter');
    await workbench.message(/waits for <Directory \/>.* by hand, then convert\./);
    await workbench.screenshot('4-reason');
    await workbench.messageAction('Open other/httpd.conf:6');
    await workbench.waitForFile('other/httpd.conf');
  });

  it('says that a long file has more problems than are shown', async () => {
    await workbench.openFile('long.conf');
    await workbench.waitForSquiggle();
    await workbench.problems('There are more problems', (found) =>
      found.some(({ text }) =>
        text.includes('Only the first 999 are shown: VS Code shows at most 1,000 problems of a file.'),
      ),
    );
    await workbench.screenshot('5-more');
  });
});
