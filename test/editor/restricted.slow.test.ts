/** The extension in an untrusted folder: it reads and explains, and runs nothing. */
import assert from 'node:assert/strict';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

describe('the extension in restricted mode', () => {
  let workbench: Workbench;

  before(async function () {
    workbench = await openWorkbenchFor(this, {
      name: 'restricted',
      folder: folderWith({
        'httpd.conf': '<Directory "/var/www">\n    Order allow,deny\n    Allow from all\n</Directory>\n',
      }),
      trust: false,
    });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('works', async () => {
    await workbench.openFile('httpd.conf');
    await workbench.waitForSquiggle('warning');
    await workbench.waitForStatus(/Restricted Mode/);
    await workbench.waitForColours(3);
    await workbench.screenshot('1-squiggle');
  });

  it('says in the view what is not read, and plans nothing', async () => {
    await workbench.commandByKeys('httpd-upgrade: Plan the Upgrade');
    await workbench.page.waitForSelector('.pane-body :text("restricted mode")');
    // A message of the view would hide the button.
    await workbench.page.waitForSelector('.pane-body :text("Manage Workspace Trust")');
    await workbench.screenshot('3-plan');
    assert.equal(
      (await workbench.items()).some((label) => /Ready/.test(label ?? '')),
      false,
    );
  });

  it('says what is off', async () => {
    const shown = await workbench.extensionPage('httpd-upgrade');
    await workbench.screenshot('2-what-is-off');
    assert.match(shown, /restricted|trust/i);
  });
});
