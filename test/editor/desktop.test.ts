/** The extension in its usual environment: the extension host of a trusted workspace. */
import assert from 'node:assert/strict';
import { openWorkbenchFor, samplesWith, type Workbench } from './workbench';

const BEFORE = `ServerRoot "/etc/httpd"
<Directory "/var/www">
    Options Indexes
    Order allow,deny
    Allow from all
</Directory>
# The end
`;

const AFTER = `ServerRoot "/etc/httpd"
<Directory "/var/www">
    Options Indexes
    Require all granted
</Directory>
# The end
`;

describe('the extension in VS Code', () => {
  let workbench: Workbench;

  before(async function () {
    workbench = await openWorkbenchFor(this, {
      name: 'desktop',
      settings: { 'httpdUpgrade.accessControl.assumeStandalone': true },
      folder: samplesWith({
        'small/httpd.conf': BEFORE,
        'small/nginx.conf': 'server {\n    deny all;\n}\n',
        'small/foo.conf': 'order = 1\n',
      }),
    });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('underlines what 2.4 does otherwise', async () => {
    await workbench.openFile('small/httpd.conf');
    await workbench.waitForSquiggle('warning');
    await workbench.screenshot('1-squiggle');
    assert.deepEqual(await workbench.notifications(), []);
  });

  it('colours the configuration', async () => {
    await workbench.waitForColours(4);
  });

  it('shows the target version in the status bar', async () => {
    await workbench.waitForStatus(/2\.4/);
  });

  it('explains a directive in a hover', async () => {
    const shown = await workbench.hover('Order', 'Order');
    await workbench.screenshot('2-hover');
    assert.match(shown, /2\.4/);
  });

  it("replaces a section's access control by a quick fix, and back by undo", async () => {
    await workbench.quickFixes('Order');
    await workbench.screenshot('3-quick-fixes');
    await workbench.press('Escape');

    await workbench.save();
    await workbench.chooseQuickFix('Order', 'Convert to Require all granted');
    await workbench.question(/Convert/);
    await workbench.answer('Apply');
    await workbench.message(/Converted/);
    await workbench.command('View: Close All Editors');
    await workbench.openFile('small/httpd.conf');
    await workbench.screenshot('4-fixed');
    assert.equal(await workbench.text(), AFTER);

    await workbench.messageAction('Undo');
    await workbench.message(/undone/);
    assert.equal(await workbench.text(), BEFORE);
    await workbench.command('Notifications: Clear All Notifications');
  });

  it('lists its findings in the problems panel, and none after Fix All', async () => {
    await workbench.openFile('standalone/httpd.conf');
    await workbench.waitForSquiggle('error');
    await workbench.problems('**/standalone/**', (found) => found.some(({ text }) => text.includes('mutex-directive')));
    await workbench.screenshot('5-problems');

    await workbench.changeBy('Fix All');
    await workbench.problems('**/standalone/**', (found) => found.length === 0);
    await workbench.waitForNoSquiggle();
    await workbench.screenshot('6-fix-all');
    assert.doesNotMatch(await workbench.text(), /^\s*(AcceptMutex|Order|NameVirtualHost)/m);
  });

  it('lists the findings in all files of a server', async () => {
    await workbench.openFile('etc/httpd/conf/httpd.conf');
    await workbench.waitForSquiggle();
    await workbench.problems('', (found) => found.length > 0);
    await workbench.screenshot('7-server');
  });

  it('takes .htaccess for Apache configuration, and leaves the files of others alone', async () => {
    await workbench.openFile('var/www/html/.htaccess');
    await workbench.waitForSquiggle('warning');
    assert.match(await workbench.language(), /apache/i);
    for (const other of ['small/nginx.conf', 'small/foo.conf']) {
      await workbench.openFile(other);
      assert.doesNotMatch(await workbench.language(), /apache/i, other);
    }
    await workbench.screenshot('8-other-files');
  });
});
