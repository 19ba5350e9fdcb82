/**
 * What a user may do besides the usual steps of the upgrade: apply some of the changes, see
 * messages of httpd in the problem list, write answers by hand, fix on save. Each step waits for
 * what it needs on the screen and is repeated until it works, because lists and editors are redrawn
 * on a busy machine.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './root';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

const QUESTION = 'htaccess-unseen:/var/www/html';

describe('choices on the way of the upgrade', () => {
  let workbench: Workbench;
  let folder: string;
  const text = (name: string) => readFileSync(path.join(folder, name), 'utf8');

  before(async function () {
    folder = folderWith({
      'conf/httpd.conf': ROOT,
      '.httpd-upgrade.json': `{\n  "answers": {\n    "${QUESTION}": "none"\n  }\n}\n`,
    });
    workbench = await openWorkbenchFor(this, { name: 'choices', folder });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('some of the changes are applied, and taken back', async () => {
    await workbench.waitForStatus(/httpd 2\.2 → 2\.4 · \d+ blocking/);
    await workbench.commandByKeys('httpd-upgrade: Plan the Upgrade');
    await workbench.waitForItem(/^Ready, 3 fixes/);
    await workbench.viewAction('Preview and Apply the Fixes That Are Ready');
    await workbench.question(/^Apply 3 changes in conf\/httpd\.conf\?$/);
    await workbench.answer('Choose…');
    await workbench.question(/^Select the changes to apply$/);
    await workbench.untick((row) => !row.startsWith('MaxClients → MaxRequestWorkers'));
    const rules = await workbench.page.locator('.quick-input-list .quick-input-list-separator').allInnerTexts();
    assert.ok(rules.join(' ').includes('max-clients'), `the rules above their fixes: ${rules.join(', ')}`);
    await workbench.screenshot('1-choose');
    await workbench.acceptTicked(/^Apply 1 change in conf\/httpd\.conf\?$/);
    assert.equal(text('conf/httpd.conf'), ROOT);
    await workbench.answer('Apply');
    await workbench.message(/Applied 1 change in conf\/httpd\.conf\./);
    assert.equal(text('conf/httpd.conf'), ROOT.replace('MaxClients', 'MaxRequestWorkers'));
    await workbench.messageAction('Undo');
    await workbench.message(/The change was undone\./);
    assert.equal(text('conf/httpd.conf'), ROOT);
  });

  it('what httpd says stands in the problem list', async () => {
    await workbench.commandByKeys('httpd-upgrade: Verify the Configuration with httpd -t');
    await workbench.message(/\d+ errors?: httpd 2\.4/);
    const [said] = await workbench.problems('httpd -t', (found) => found.some((each) => /httpd -t/.test(each.text)));
    assert.equal(said.file, 'httpd.conf');
    await workbench.screenshot('2-httpd-says');
  });

  it('an answer that is written by hand has a hover, and a list of what may stand there', async () => {
    await workbench.openFile('.httpd-upgrade.json');
    const shown = await workbench.hover('htaccess-unseen', 'Does any .htaccess file');
    assert.match(shown, /keep/);
    await workbench.suggestionsAt('none', (labels) => labels.includes('"keep"') && labels.includes('"none"'));
    await workbench.screenshot('3-answers');
    await workbench.press('Escape');
  });

  it('the walkthrough has its steps, with pictures', async () => {
    const { page } = workbench;
    await workbench.commandByKeys('Welcome: Open Walkthrough...');
    await workbench.answerByKeys('Upgrade Apache httpd 2.2 to 2.4');
    const titles = () => page.locator('.getting-started-step .step-title').allInnerTexts();
    const steps = [
      'Open a configuration',
      'Read the plan',
      'Answer the questions',
      'Preview and apply',
      'Check the result',
    ];
    await workbench.until(
      'the steps',
      async () => ((await titles()).map((title) => title.trim()).join() === steps.join() ? true : undefined),
      titles,
    );
    const widths = () =>
      page
        .locator('.getting-started-media img')
        .evaluateAll((all: { naturalWidth: number }[]) => all.map(({ naturalWidth }) => naturalWidth));
    await workbench.until('a picture', async () => (await widths()).some((width) => width > 100) || undefined, widths);
    await workbench.screenshot('4-walkthrough');
  });
});

describe('fixing on save', () => {
  let workbench: Workbench;
  let folder: string;

  before(async function () {
    folder = folderWith({ 'conf/httpd.conf': ROOT });
    const settings = { 'editor.codeActionsOnSave': { 'source.fixAll': 'explicit' } };
    workbench = await openWorkbenchFor(this, { name: 'on-save', folder, settings });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('does what is safe, and nothing that waits for an answer', async () => {
    await workbench.openFile('conf/httpd.conf');
    await workbench.waitForStatus(/httpd 2\.2 → 2\.4 · \d+ blocking/);
    await workbench.waitForSquiggle('error');
    await workbench.goTo('HostnameLookups');
    await workbench.type('# ');
    const saved = await workbench.text();
    assert.equal(
      saved,
      ROOT.replace('MaxClients', 'MaxRequestWorkers')
        .replace('MaxRequestsPerChild', 'MaxConnectionsPerChild')
        .replace('HostnameLookups', '# HostnameLookups'),
    );
  });
});
