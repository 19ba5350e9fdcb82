/**
 * The upgrade of two servers, from opening the folder to the green state, with every user action
 * counted: an original CentOS 6 from the corpus, with the mouse; a Debian of 40 files with keys
 * alone.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rows } from '../corpus/files';
import { DEBIAN6 } from '../support/debian6';
import { mayLack } from '../support/lacks';
import { corpusFolder, hasCorpus } from '../support/paths';
import { counted, type Counted } from './actions';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

const INVITED = { 'httpdUpgrade.invitation': true };

describe('the upgrade of the CentOS 6 of the corpus', () => {
  let workbench: Workbench;
  let folder: string;
  let count: Counted;

  before(async function () {
    if (!hasCorpus) mayLack(this, 'corpus');
    const from = rows('TREES.tsv').find(([name]) => name === 'centos6-etckeeper')!;
    folder = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-editor-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    cpSync(path.join(corpusFolder, from[3]), folder, { recursive: true });
    count = counted();
    workbench = await openWorkbenchFor(this, { name: 'centos', folder, settings: INVITED });
    count.did('open the folder');
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('takes 11 actions at most, 3 of them decisions', async () => {
    await workbench.message(/Apache httpd 2\.2\. \d+ problems in the files block httpd 2\.4\./);
    await count.act('plan the upgrade', () => workbench.messageAction('Plan the upgrade'));
    await workbench.waitForItem(/^Ready, \d+ fixes/);
    await count.act('the first question', () => workbench.clickItem(/^Which MPM/));
    for (const [question, answer] of [
      [/^Which MPM/, 'prefork'],
      [/new defaults in 2\.4/, 'Yes: use the values of 2.4'],
    ] as const) {
      // The next one opens by itself.
      await workbench.question(question);
      await count.decide(answer, () => workbench.answer(answer));
      await workbench.waitForNoItem((label) => question.test(label) && !label.includes('answered: '));
    }
    await workbench.waitForItem(/^Questions, all answered/);
    await count.act('review', () => workbench.openItem(/^Review \d+ fixes…/, /^Apply \d+ changes in 2 files\?$/));
    await workbench.filesInDiff();
    await workbench.screenshot('1-preview');
    await count.decide('apply', () => workbench.answer('Apply'));
    await workbench.waitForItem(/^Ready after .*steps on the server/);
    await workbench.waitForItem(/^0 blocking, 0 questions open/);
    await workbench.waitForErrors(0);
    await count.act('verify', () => workbench.clickItem(/^Verify with httpd -t/));
    await workbench.waitForItem(/^httpd -t accepts it/);
    await workbench.screenshot('2-end');
    count.isWithin(11, 3);
    assert.doesNotMatch(
      readFileSync(path.join(folder, 'conf/httpd.conf'), 'utf8'),
      /^\s*(Order|Allow|Deny|MaxClients|DefaultType)\b/m,
    );
  });
});

describe('the upgrade of a Debian of 40 files, with keys alone', () => {
  let workbench: Workbench;
  let folder: string;
  let count: Counted;
  const texts = () => Object.keys(DEBIAN6).map((name) => readFileSync(path.join(folder, name), 'utf8'));

  before(async function () {
    folder = folderWith(DEBIAN6);
    count = counted();
    workbench = await openWorkbenchFor(this, { name: 'debian', folder, settings: INVITED });
    count.did('open the folder');
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('comes to files that are ready', async () => {
    await workbench.message(/Apache httpd 2\.2\. \d+ problems in the files block httpd 2\.4\./);
    await count.act('plan the upgrade', () => workbench.commandByKeys('httpd-upgrade: Plan the Upgrade'));
    await workbench.waitForItem(/^Ready, \d+ fixes/);
    await count.act('the question', () => workbench.chooseItemByKeys(/new defaults in 2\.4/));
    await workbench.question(/new defaults in 2\.4/);
    await workbench.screenshot('1-question');
    await count.decide('the defaults of 2.4', () => workbench.answerByKeys('Yes: use the values of 2.4'));
    // The next one opens by itself.
    await workbench.question(/^Which MPM will the 2\.4 server use/);
    await count.decide('prefork', () => workbench.answerByKeys('prefork'));
    await workbench.waitForNoItem((label) => /^Questions, \d+ open/.test(label));
    const before = texts();
    await count.act('preview and apply', () =>
      workbench.commandByKeys('httpd-upgrade: Preview and Apply the Fixes That Are Ready'),
    );
    await workbench.question(/^Apply \d+ changes in \d+ files\?$/);
    await workbench.screenshot('2-preview');
    assert.deepEqual(texts(), before);
    await count.decide('apply', () => workbench.answerByKeys('Apply'));
    await workbench.waitForItem(/^Ready after \d+ steps on the server/);
    await workbench.screenshot('3-files-ready');
  });

  it('ends green once what the server needs is ticked off, within 8 actions and one for each task', async () => {
    await workbench.commandByKeys('httpd-upgrade: Plan the Upgrade');
    const tasks: string[] = [];
    // The view may be longer than the window, which has only the rows in sight.
    const next = async () => {
      for (const key of ['Home', 'End']) {
        await workbench.press(key);
        const open = (await workbench.boxes()).find(({ isTicked }) => !isTicked);
        if (open) return open.label;
      }
      return undefined;
    };
    for (let label = await next(); label !== undefined; label = await next()) {
      tasks.push(label);
      await count.act(`done: ${label}`, () => workbench.tickByKeys(label!));
    }
    assert.ok(
      tasks.some((label) => label.startsWith('a2enmod ')),
      tasks.join('\n'),
    );
    await workbench.waitForItem(/^No change is left: verify the files/);
    await workbench.waitForItem(new RegExp(`^${tasks.length} steps on the server done`));
    await workbench.waitForErrors(0);
    await count.act('verify', () => workbench.commandByKeys('httpd-upgrade: Verify the Configuration'));
    await workbench.message(/httpd -t accepts it: httpd 2\.4/);
    await workbench.commandByKeys('httpd-upgrade: Plan the Upgrade');
    await workbench.waitForItem(/^httpd -t accepts it/);
    await workbench.screenshot('4-end');
    count.isWithin(8 + tasks.length, 3);
  });

  it('ticks with the mouse, too, and takes a tick back', async () => {
    await workbench.press('Home');
    const [first] = (await workbench.boxes()).map(({ label }) => label);
    await workbench.clickBox(first, false);
    await workbench.waitForItem(/^Ready after 1 step on the server/);
    await workbench.waitForErrors(1);
    await workbench.clickBox(first, true);
    await workbench.waitForItem(/^httpd -t accepts it/);
  });

  it('has a name and a place in the tree for every item, for who hears it', async () => {
    for (const { label, role, level, setSize } of await workbench.heard()) {
      assert.ok(label && label.length > 2, JSON.stringify({ label, role }));
      assert.ok(
        (role === 'treeitem' || role === 'checkbox') && level >= 1 && setSize >= 1,
        JSON.stringify({ label, role, level, setSize }),
      );
    }
  });

  it('keeps what is ticked off when the window is opened again', async () => {
    await workbench.commandByKeys('Developer: Reload Window');
    await workbench.page.waitForSelector('.monaco-workbench .statusbar-item');
    await workbench.waitForStatus(/httpd 2\.2 → 2\.4/);
    await workbench.commandByKeys('httpd-upgrade: Plan the Upgrade');
    await workbench.waitForItem(/^httpd -t accepts it/);
    assert.deepEqual([...new Set((await workbench.boxes()).map(({ isTicked }) => isTicked))], [true]);
  });
});
