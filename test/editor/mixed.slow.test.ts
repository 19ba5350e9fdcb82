/**
 * A folder on the disk and one in the editor's memory in one workspace, and files that no
 * configuration reads.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

const MAIN = `ServerRoot "$FOLDER/disk"
Listen 80
LoadModule mpm_prefork_module modules/mod_mpm_prefork.so
LoadModule unixd_module modules/mod_unixd.so
MaxClients 10
SSLMutex default
`;

describe('a folder on the disk beside one that is on none', () => {
  let workbench: Workbench;
  let folder: string;

  before(async function () {
    folder = folderWith({
      'disk/conf/httpd.conf': MAIN,
      'both.code-workspace': JSON.stringify({ folders: [{ path: 'disk' }, { uri: 'tmp:/', name: 'memory' }] }),
    });
    workbench = await openWorkbenchFor(this, { name: 'mixed', folder, workspace: 'both.code-workspace' });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('has its plan, which says where only open files are checked', async () => {
    await workbench.waitForStatus(/httpd 2\.2 → 2\.4 · \d+ blocking/);
    await workbench.commandByKeys('httpd-upgrade: Plan the Upgrade');
    await workbench.waitForItem(/^disk\/conf\/httpd\.conf, |^conf\/httpd\.conf, /);
    assert.match(await workbench.viewMessage(), /Only open files are checked in the directory memory\./);
    await workbench.screenshot('1-plan');
  });

  it('has problems in a file of the other folder once it is open', async () => {
    await workbench.press('Control+Shift+KeyE');
    await workbench.page.locator('.explorer-folders-view .monaco-list-row[aria-label^="memory"]').first().click();
    await workbench.press('Shift+F10');
    await workbench.menuAction('New File...');
    await workbench.page.waitForSelector('.explorer-folders-view .explorer-item-edited input');
    await workbench.type('httpd.conf');
    await workbench.press('Enter');
    await workbench.page.waitForSelector('.editor-group-container.active .tab.active[data-resource-name="httpd.conf"]');
    await workbench.type('MaxClients 10\n');
    await workbench.waitForSquiggle();
    await workbench.press('Control+KeyS');
    await workbench.page.waitForSelector('.editor-group-container.active .tab.active:not(.dirty)');
    await workbench.waitForSquiggle();
    await workbench.screenshot('2-open');
  });

  it('is changed alone, in one step', async () => {
    await workbench.commandByKeys('httpd-upgrade: Preview and Apply the Fixes That Are Ready');
    await workbench.question(/^Apply \d+ changes? in \S*conf\/httpd\.conf\?$/);
    await workbench.answer('Apply');
    await workbench.message(/Applied \d+ changes? in \S*conf\/httpd\.conf\./);
    assert.doesNotMatch(readFileSync(path.join(folder, 'disk/conf/httpd.conf'), 'utf8'), /MaxClients|SSLMutex/);
    // The other one is as it was, and has its problem.
    await workbench.page.waitForSelector('.editor-group-container.active .tab.active:not(.dirty)');
    await workbench.waitForSquiggle();
    await workbench.screenshot('3-applied');
  });
});

describe('files that no configuration reads', () => {
  let workbench: Workbench;

  before(async function () {
    const folder = folderWith({ 'www/.htaccess': 'Order deny,allow\nDeny from all\n' });
    workbench = await openWorkbenchFor(this, { name: 'lone', folder });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('have a plan when somebody asks for it', async () => {
    await workbench.openFile('www/.htaccess');
    await workbench.waitForSquiggle('warning');
    assert.equal(await workbench.page.locator('.activitybar [aria-label^="httpd Upgrade"]').isVisible(), false);
    await workbench.commandByKeys('httpd-upgrade: Plan the Upgrade');
    await workbench.waitForItem(/^No main configuration file/);
    await workbench.waitForItem(
      /^Does the configuration of the server have Order, Allow, Deny or Require lines for the directories of these \.htaccess files\?/,
    );
    await workbench.screenshot('1-plan');
  });
});

describe('a folder without httpd', () => {
  let workbench: Workbench;

  before(async function () {
    workbench = await openWorkbenchFor(this, {
      name: 'nothing',
      folder: folderWith({ 'a.txt': 'Nothing of httpd.\n' }),
    });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('says that there is nothing to plan, and how to open what there is', async () => {
    await workbench.openFile('a.txt');
    await workbench.commandByKeys('httpd-upgrade: Plan the Upgrade');
    await workbench.page.waitForSelector('.pane-body :text("no httpd configuration here")');
    await workbench.page.waitForSelector('.pane-body :text("Open Folder")');
    await workbench.screenshot('1-message');
  });
});

describe('a window without a folder', () => {
  let workbench: Workbench;

  before(async function () {
    workbench = await openWorkbenchFor(this, { name: 'empty', folder: folderWith({}), isEmpty: true });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('shows how to open a configuration, or how to collect one', async () => {
    await workbench.commandByKeys('httpd-upgrade: Plan the Upgrade');
    await workbench.page.waitForSelector('.pane-body :text("Nothing is open")');
    for (const button of ['Open Folder', 'Copy the Collecting Script', 'Open an Archive'])
      await workbench.page.waitForSelector(`.pane-body :text("${button}")`);
    await workbench.screenshot('1-welcome');
  });
});
