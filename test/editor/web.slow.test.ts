/**
 * The extension without Node, as on vscode.dev: in the web worker of the browser, files come from
 * the editor.
 */
import assert from 'node:assert/strict';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

/** Whatever the server has read by then, the section belongs to a configuration. */
const HEAD = 'ServerRoot "$FOLDER"\nListen 80\nMaxClients 10\n';

describe('the extension in a web worker', () => {
  let workbench: Workbench;

  before(async function () {
    workbench = await openWorkbenchFor(this, {
      name: 'web',
      folder: folderWith({
        'httpd.conf': `${HEAD}<Directory "/var/www">
    AllowOverride None
    Order allow,deny
    Allow from all
</Directory>
`,
      }),
      webWorkerOnly: true,
    });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('underlines, explains and fixes', async () => {
    await workbench.openFile('httpd.conf');
    await workbench.waitForSquiggle('warning');
    await workbench.screenshot('1-squiggle');
    assert.deepEqual(await workbench.notifications(), []);

    assert.match(await workbench.hover('Order', 'Order'), /2\.4/);
    await workbench.screenshot('2-hover');

    await workbench.chooseQuickFix('Order', 'Convert to Require all granted');
    await workbench.question(/^Convert 1 section in 1 file\?$/);
    await workbench.answer('Apply');
    await workbench.message(/Converted 1 section in 1 file\./);
    await workbench.screenshot('3-fixed');
    assert.match(await workbench.text(), /AllowOverride None\n    Require all granted\n<\/Directory>\n$/);
  });

  it('plans without a process, and says what needs one', async () => {
    await workbench.commandByKeys('httpd-upgrade: Plan the Upgrade');
    await workbench.waitForItem(/^Ready, \d+ fix/);
    await workbench.screenshot('4-plan');
    await workbench.commandByKeys('httpd-upgrade: Verify the Configuration');
    await workbench.message(/No program can run here/);
    await workbench.screenshot('5-verify');
  });
});
