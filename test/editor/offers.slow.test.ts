/** Further offers of the editor during the upgrade: the palette, menus, *I don't know*. */
import assert from 'node:assert/strict';
import { ROOT } from './root';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

describe('what the editor offers on the way', () => {
  let workbench: Workbench;
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
  before(async function () {
    const folder = folderWith({ 'conf/httpd.conf': ROOT });
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
      await workbench.until(
        `the plan by "${word}"`,
        async () =>
          (await rows()).some((row) => row.startsWith('httpd-upgrade: Plan the Upgrade of Apache httpd 2.2 to 2.4')) ||
          undefined,
      );
      await workbench.press('Escape');
    }
  });

  it('the plan and its changes in the menus of the Explorer and of the editor', async () => {
    const wanted = [/^Plan the Upgrade of Apache httpd/, /^Preview and Apply the Fixes That Are Ready/];
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
    const asked = /^Does any \.htaccess file in, below or above \/var\/www\/html/;
    await workbench.command('httpd-upgrade: Plan the Upgrade of Apache httpd 2.2 to 2.4 (Migrate)');
    await workbench.clickItem(/^Does any \.htaccess file/);
    await workbench.question(asked);
    await workbench.screenshot('4-question');
    await answer('Why this question');
    // The reason is a page beside, and the question stays.
    await workbench.waitForTab(/Why this question/);
    await workbench.question(asked);
    await workbench.screenshot('5-why');
    await answer("I don't know");
    await workbench.until(
      'the command',
      async () => (await rows()).some((row) => /find .*\.htaccess/.test(row)) || undefined,
    );
    await workbench.screenshot('6-find-out');
    await answer('Copy the command');
    await workbench.waitForStatus(/Copied the command: run it on the server/);
    // The next question has opened by itself.
    await workbench.press('Escape');
    await workbench.command('View: Close All Editors');
  });

  it('the menu of an item, by keys: explain it', async () => {
    await workbench.command('View: Close All Editors');
    await workbench.command('httpd-upgrade: Plan the Upgrade of Apache httpd 2.2 to 2.4 (Migrate)');
    await workbench.chooseItemByKeys(/^MaxClients → MaxRequestWorkers/);
    await workbench.command('httpd-upgrade: Plan the Upgrade of Apache httpd 2.2 to 2.4 (Migrate)');
    await workbench.waitForItem(/^MaxClients → MaxRequestWorkers/);
    const entries = await (async () => {
      await workbench.chooseItemByKeys(/^MaxClients → MaxRequestWorkers/);
      await workbench.page.locator('.pane-body .monaco-list').first().focus();
      return menu();
    })();
    await workbench.screenshot('7-item-menu');
    for (const each of [/^Preview and Apply the Fix…$/, /^Preview the Fix$/, /^Explain/, /^Ignore/])
      assert.ok(
        entries.some((entry) => each.test(entry)),
        `${each} in ${entries.join(' | ')}`,
      );
    await workbench.page.locator('.monaco-menu .action-label').getByText('Explain').first().click();
    await workbench.waitForTab(/max-clients/);
  });
});
