/**
 * The invitation to plan the upgrade: once in a workspace, not while the plan is open, and not
 * because of an unfinished word.
 */
import assert from 'node:assert/strict';
import { ROOT } from './root';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

const SETTINGS = { 'httpdUpgrade.invitation': true };
const INVITATION = /This looks like a configuration for Apache httpd 2\.2\./;
const NEW = `ServerRoot "/etc/httpd"
ServerName www.example.org
Listen 80
LoadModule mpm_event_module modules/mod_mpm_event.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule unixd_module modules/mod_unixd.so
<Directory />
    AllowOverride None
    Require all denied
</Directory>
# the end
`;

/** Milliseconds after which an invitation would be on the screen: it comes with the plan. */
const SOON = 3000;
const soon = () => new Promise((resolve) => setTimeout(resolve, SOON));

const invitations = async (workbench: Workbench) =>
  (await workbench.notifications()).filter((text) => INVITATION.test(text));

async function reload(workbench: Workbench): Promise<void> {
  await workbench.commandByKeys('Developer: Reload Window');
  await workbench.page.waitForSelector('.monaco-workbench .statusbar-item');
  await workbench.waitForStatus(/httpd 2\.2 → 2\.4/);
  await soon();
}

describe('the invitation', () => {
  let workbench: Workbench;

  before(async function () {
    const folder = folderWith({ 'conf/httpd.conf': ROOT });
    workbench = await openWorkbenchFor(this, { name: 'invitation', folder, settings: SETTINGS });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('is shown with the true number of problems', async () => {
    const shown = await workbench.message(INVITATION);
    const [blocking] = /\d+ blocking/.exec(await workbench.waitForStatus(/blocking/))!;
    assert.match(shown, new RegExp(`${blocking.split(' ')[0]} problems? in the files blocks? httpd 2\\.4`));
    await workbench.screenshot('1-shown');
  });

  it('goes when the plan is opened', async () => {
    await workbench.commandByKeys('httpd-upgrade: Plan the Upgrade');
    await workbench.waitForItem(/^Ready, \d+ fixes/);
    await workbench.until(
      'the invitation to go',
      async () => ((await invitations(workbench)).length === 0 ? true : undefined),
      () => workbench.notifications(),
    );
  });

  it('does not come back when the window is opened again', async () => {
    await reload(workbench);
    assert.deepEqual(await invitations(workbench), []);
  });
});

describe('an invitation that is declined', () => {
  let workbench: Workbench;

  before(async function () {
    const folder = folderWith({ 'conf/httpd.conf': ROOT });
    workbench = await openWorkbenchFor(this, { name: 'declined', folder, settings: SETTINGS });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('does not come back', async () => {
    await workbench.message(INVITATION);
    await workbench.messageAction('Not now');
    await reload(workbench);
    assert.deepEqual(await invitations(workbench), []);
  });
});

describe('a configuration without errors', () => {
  let workbench: Workbench;

  before(async function () {
    const folder = folderWith({ 'httpd.conf': NEW });
    // As the editor is in a browser: what is typed is saved a moment later.
    const settings = { ...SETTINGS, 'files.autoSave': 'afterDelay', 'files.autoSaveDelay': 200 };
    workbench = await openWorkbenchFor(this, { name: 'uninvited', folder, settings });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('invites to nothing, also while a word is being typed', async () => {
    await workbench.openFile('httpd.conf');
    await workbench.waitForStatus(/httpd 2\.2 → 2\.4/);
    await soon();
    await workbench.waitForErrors(0);
    await workbench.page.keyboard.press('Control+End');
    await workbench.type('Ord');
    await workbench.waitForErrors(1);
    await soon();
    await workbench.screenshot('1-typed');
    assert.deepEqual(await invitations(workbench), []);
  });
});
