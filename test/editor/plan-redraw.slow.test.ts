/**
 * The rows of the plan: a button for each configuration, files that no configuration reads, and
 * related commands.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

const main = (name: string) => `ServerRoot "/srv/${name}"
Listen 80
LoadModule authz_host_module modules/mod_authz_host.so
LoadModule dir_module modules/mod_dir.so
MaxClients 10
DefaultType text/plain
`;
const FILES = {
  'a/httpd.conf': main('a'),
  'b/httpd.conf': `${main('b')}MaxRequestsPerChild 5\n`,
  'extra/old.conf': 'MaxClients 10\nDefaultType text/plain\n<Directory /srv>\n    AllowOverride None\n</Directory>\n',
};

describe('the rows of the plan', () => {
  let workbench: Workbench;
  let folder: string;
  const text = (name: string) => readFileSync(path.join(folder, name), 'utf8');

  before(async function () {
    folder = folderWith(FILES);
    workbench = await openWorkbenchFor(this, { name: 'plan-redraw', folder });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('has a labelled button for each configuration, and a group for files that none reads', async () => {
    await workbench.waitForStatus(/httpd 2\.2 → 2\.4/);
    await workbench.commandByKeys('httpd-upgrade: Plan the Upgrade');
    await workbench.waitForItem(/^Review \d+ fixes…/);
    await workbench.waitForItem(/^Files that no configuration reads/);
    const rows = (await workbench.items()).flatMap((label) => label ?? []);
    assert.equal(rows.filter((label) => /^Review \d+ fixes…/.test(label)).length, 2, rows.join('\n'));
    assert.ok(
      rows.some((label) => /^MaxClients → MaxRequestWorkers/.test(label)),
      rows.join('\n'),
    );
    // The header counts what the buttons change, and not the files that none changes.
    const numbers = rows.flatMap((label) => /^Review (\d+) fixes…/.exec(label)?.[1] ?? []);
    const ready = numbers.reduce((sum, each) => sum + Number(each), 0);
    assert.match(await workbench.viewMessage(), new RegExp(` ${ready} fixes ready`), rows.join('\n'));
    await workbench.screenshot('1-rows');
  });

  it('changes one configuration, and no file that no configuration reads', async () => {
    await workbench.openItem(/^Review \d+ fixes…/, /^Apply \d+ changes/);
    await workbench.screenshot('2-preview');
    await workbench.answer('Apply');
    await workbench.message(/Applied \d+ changes/);
    assert.match(text('a/httpd.conf'), /MaxRequestWorkers 10/);
    assert.equal(text('b/httpd.conf'), FILES['b/httpd.conf']);
    assert.equal(text('extra/old.conf'), FILES['extra/old.conf']);
  });

  it('shows a way forward where an undo is refused', async () => {
    writeFileSync(path.join(folder, 'a/httpd.conf'), `${text('a/httpd.conf')}# changed by another program\n`);
    await workbench.command('Notifications: Clear All Notifications');
    await workbench.command('httpd-upgrade: Undo the Last Change of Several Files');
    await workbench.message(/Nothing was changed: a\/httpd\.conf has changed meanwhile/);
    await workbench.messageAction('Show what the undo would change');
    await workbench.waitForTab(/Before the change, and now/);
    await workbench.screenshot('3-undo');
  });

  it('has Enter make a new line after Allow from all', async () => {
    await workbench.command('Notifications: Clear All Notifications');
    await workbench.openFile('b/httpd.conf');
    await workbench.page.keyboard.press('Control+End');
    await workbench.type('<Directory /srv/www>\nAllow from all');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await workbench.screenshot('4-typed');
    await workbench.page.keyboard.press('Enter');
    await workbench.type('# next');
    await workbench.page.keyboard.press('Escape');
    await workbench.save();
    assert.match(text('b/httpd.conf'), /Allow from all\n\s*# next/);
  });
});
