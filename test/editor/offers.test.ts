/**
 * What the editor offers on the way of the upgrade, beside the straight one: the palette, menus, the walkthrough, "I do not know", a choice of changes, completion in the
 * answers, what httpd says in the problem list.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

const ROOT = `ServerRoot "/etc/httpd"
Listen 80
LoadModule authz_host_module modules/mod_authz_host.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule unixd_module modules/mod_unixd.so
DocumentRoot "/var/www/html"
<Directory "/var/www/html">
    AllowOverride All
    Order allow,deny
    Allow from all
</Directory>
MaxClients 10
MaxRequestsPerChild 10
HostnameLookups Perhaps
`;

describe('what the editor offers on the way', () => {
  let workbench: Workbench;
  let folder: string;
  const text = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  const answers = () => (JSON.parse(text('.httpd-upgrade.json')) as { answers: object }).answers;
  /** The rows of the list that is open. */
  const rows = async () =>
    workbench.page
      .locator('.quick-input-list .monaco-list-row')
      .evaluateAll((all: { getAttribute(name: string): string }[]) => all.map((row) => row.getAttribute('aria-label')));
  /** The entries of the menu that the key for it opens where the focus is. */
  const menu = async (): Promise<string[]> => {
    await workbench.press('Shift+F10');
    const entries = workbench.page.locator('.monaco-menu .action-label');
    await entries.first().waitFor();
    return entries.allInnerTexts();
  };
  /** Answers by keys, which have to go to the list whatever took the focus meanwhile. */
  const answer = async (label: string) => {
    await workbench.page.locator('.quick-input-widget .quick-input-box input').first().focus();
    await workbench.answerByKeys(label);
  };
  const soon = async (what: string, holds: () => Promise<boolean>) => {
    const end = Date.now() + 120_000;
    while (!(await holds())) {
      if (Date.now() > end) throw new Error(`Waited in vain for ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  before(async function () {
    folder = folderWith({ 'conf/httpd.conf': ROOT });
    workbench = await openWorkbenchFor(this, {
      name: 'offers',
      folder,
      settings: { 'httpdUpgrade.invitation': true },
    });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('an invitation that is not taken, and not made again', async () => {
    await workbench.message(/Apache httpd 2\.2/);
    await workbench.messageAction('Not now');
    await workbench.commandByKeys('Developer: Reload Window');
    await workbench.page.waitForSelector('.monaco-workbench .statusbar-item', { state: 'detached' });
    await workbench.page.waitForSelector('.monaco-workbench .statusbar-item');
    await workbench.waitForStatus(/httpd 2\.2 → 2\.4 · \d+ blocking/);
    assert.deepEqual(await workbench.notifications(), []);
  });

  it('the plan by a click on the status bar', async () => {
    await workbench.page
      .getByText(/^httpd 2\.2 → 2\.4 · \d+ blocking$/)
      .first()
      .click();
    await workbench.waitForItem(/^Ready, \d+ fixes/);
  });

  it('the plan in the palette, by what people look for', async () => {
    for (const word of ['apache', 'migrate', 'upgrade plan']) {
      await workbench.press('F1');
      await workbench.type(word);
      await soon(`the plan by "${word}"`, async () =>
        (await rows()).some((row) => row.startsWith('httpd-upgrade: Plan the upgrade of Apache httpd 2.2 to 2.4')),
      );
      await workbench.press('Escape');
    }
  });

  it('the plan and its changes in the menus of the Explorer and of the editor', async () => {
    const wanted = [/^Plan the upgrade of Apache httpd/, /^Preview and apply the fixes that are ready/];
    await workbench.openFile('conf/httpd.conf');
    const inEditor = await menu();
    await workbench.screenshot('1-editor-menu');
    await workbench.press('Escape');
    await workbench.command('File: Reveal Active File in Explorer View');
    await workbench.page.waitForSelector('.explorer-folders-view .monaco-list-row.focused[aria-label="httpd.conf"]');
    const inExplorer = await menu();
    await workbench.screenshot('2-explorer-menu');
    await workbench.press('Escape');
    for (const each of wanted) {
      assert.ok(
        inEditor.some((entry) => each.test(entry)),
        `${each} in ${inEditor.join(' | ')}`,
      );
      assert.ok(
        inExplorer.some((entry) => each.test(entry)),
        `${each} in ${inExplorer.join(' | ')}`,
      );
    }
  });

  it('a way for who does not know the answer: the reason, and the command that finds it out', async () => {
    await workbench.command('httpd-upgrade: Plan the upgrade of Apache httpd 2.2 to 2.4 (migrate)');
    await workbench.clickItem(/^Do \.htaccess files/);
    await workbench.question(/^Do \.htaccess files below \/var\/www\/html/);
    await workbench.screenshot('4-question');
    await answer('Why this question');
    const reason = workbench.page.locator('.monaco-dialog-box .dialog-message-detail').first();
    const isShown = () =>
      reason.waitFor({ timeout: 20_000 }).then(
        () => true,
        () => false,
      );
    // A list that is drawn anew swallows the key.
    while (!(await isShown())) await workbench.press('Enter');
    await workbench.screenshot('5-why');
    await workbench.press('Escape');
    await workbench.question(/^Do \.htaccess files below \/var\/www\/html/);
    await answer('I do not know');
    await soon('the command', async () => (await rows()).some((row) => /find .*\.htaccess/.test(row)));
    await workbench.screenshot('6-find-out');
    await answer('Copy the command');
    await workbench.waitForStatus(/Copied the command: run it on the server/);
  });

  it('the menu of an item, by keys: explain it', async () => {
    await workbench.chooseItemByKeys(/^Rename to MaxRequestWorkers/);
    await workbench.command('httpd-upgrade: Plan the upgrade of Apache httpd 2.2 to 2.4 (migrate)');
    await workbench.waitForItem(/^Rename to MaxRequestWorkers/);
    const entries = await (async () => {
      await workbench.chooseItemByKeys(/^Rename to MaxRequestWorkers/);
      await workbench.page.locator('.pane-body .monaco-list').first().focus();
      return menu();
    })();
    await workbench.screenshot('7-item-menu');
    for (const each of [/^Preview and apply…$/, /^Preview$/, /^Explain/, /^Ignore/])
      assert.ok(
        entries.some((entry) => each.test(entry)),
        `${each} in ${entries.join(' | ')}`,
      );
    await workbench.page.locator('.monaco-menu .action-label').getByText('Explain').first().click();
    await workbench.waitForTab(/max-clients/);
  });

  it('a choice of the changes', async () => {
    // Keys go to the page of the rule, which has just been opened.
    await workbench.viewAction('Preview and apply the fixes that are ready');
    await workbench.question(/^Apply 2 changes in conf\/httpd\.conf\?$/);
    await workbench.answer('Choose…');
    await workbench.question(/^Select the changes to apply$/);
    await workbench.screenshot('8-choose');
    // All are chosen: none, and then one of them.
    await workbench.page.locator('.quick-input-widget .quick-input-check-all').first().click();
    await workbench.type('MaxRequestWorkers');
    await soon('one row', async () => (await rows()).length === 1);
    await workbench.page.locator('.quick-input-list .monaco-list-row').first().click();
    await workbench.page
      .locator('.quick-input-action .monaco-button, .quick-input-widget .monaco-button')
      .first()
      .click();
    await workbench.question(/^Apply 1 change in conf\/httpd\.conf\?$/);
    await workbench.answer('Apply');
    await workbench.message(/Applied 1 change in conf\/httpd\.conf\./);
    assert.match(text('conf/httpd.conf'), /^MaxRequestWorkers 10\nMaxRequestsPerChild 10$/m);
    await workbench.messageAction('Undo');
    await workbench.message(/undone/);
    assert.match(text('conf/httpd.conf'), /^MaxClients 10\nMaxRequestsPerChild 10$/m);
    await workbench.command('Notifications: Clear All Notifications');
  });

  it('what httpd says, in the problem list', async () => {
    await workbench.command('httpd-upgrade: Check the configuration with httpd -t');
    await workbench.message(/error.*httpd 2\.4/s);
    await workbench.problems('', (found) => found.some(({ text: said }) => /httpd -t/.test(said)));
    await workbench.screenshot('9-httpd-says');
    await workbench.command('Notifications: Clear All Notifications');
    await workbench.press('Control+Shift+KeyM');
  });

  it('answers, with what may stand there', async () => {
    await workbench.command('httpd-upgrade: Plan the upgrade of Apache httpd 2.2 to 2.4 (migrate)');
    await workbench.clickItem(/^Do \.htaccess files/);
    await workbench.question(/^Do \.htaccess files/);
    await answer('No: no .htaccess');
    await workbench.waitForItem(/^Do \.htaccess files.*answered: No/);
    assert.deepEqual(answers(), { 'htaccess-unseen:/var/www/html': 'none' });
    await workbench.command('httpd-upgrade: Open the answers to the questions (.httpd-upgrade.json)');
    await workbench.waitForFile('.httpd-upgrade.json');
    const shown = await workbench.hover('htaccess-unseen', 'Do .htaccess files');
    assert.match(shown, /keep/);
    await workbench.screenshot('10-answers');
    await workbench.goTo('"none"');
    await workbench.press('ArrowRight');
    await workbench.press('Control+Space');
    await workbench.suggestions((labels) => labels.includes('"keep"') && labels.includes('"none"'));
    await workbench.screenshot('11-completion');
    await workbench.press('Escape');
  });

  it('a walkthrough, whose pictures are there', async () => {
    await workbench.command('Welcome: Open Walkthrough...');
    await workbench.answer('Upgrade Apache httpd 2.2 to 2.4');
    const page = workbench.page;
    const steps = page.locator('.getting-started-step .step-title');
    await steps.first().waitFor();
    await soon('its steps', async () => (await steps.allInnerTexts()).length >= 5);
    assert.deepEqual(
      (await steps.allInnerTexts()).map((title) => title.trim()),
      ['Open a configuration', 'Read the plan', 'Answer the questions', 'Preview and apply', 'Check the result'],
    );
    const shown = page.locator('.getting-started-media img');
    await soon('a picture', async () =>
      (await shown.evaluateAll((all: { naturalWidth: number }[]) => all.map(({ naturalWidth }) => naturalWidth))).some(
        (width) => width > 100,
      ),
    );
    await workbench.screenshot('3-walkthrough');
  });
});
