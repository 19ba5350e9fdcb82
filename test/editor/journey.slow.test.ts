/**
 * The upgrade of a user: from the invitation to the green state, with every action counted. Also
 * makes the pictures of the README and the walkthrough (client/scripts/pictures.mjs), and those in
 * dark and high contrast for inspection.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CENTOS6 } from '../support/centos6';
import { counted, type Counted } from './actions';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

/** Of the issue: so many actions of a person at most, of which so many are decisions. */
const MOST_ACTIONS = 11;
const MOST_DECISIONS = 3;

/**
 * Pixels from the left at which the side bar ends: as the editor opens it, and where the plan is
 * shown, whose rows fit then.
 */
const NARROW = 348;
const WIDE = 468;

/** What of the window a step of the walkthrough is about, in pixels of a window of 1,280 by 800. */
const PARTS: Readonly<Record<string, { x: number; y: number; width: number; height: number }>> = {
  '1-invitation': { x: 800, y: 640, width: 480, height: 160 },
  '2-plan': { x: 0, y: 35, width: WIDE, height: 590 },
  '3-question': { x: 340, y: 0, width: 604, height: 240 },
  '5-preview': { x: 340, y: 0, width: 940, height: 480 },
  '6-end': { x: 0, y: 35, width: WIDE, height: 590 },
};

describe('the upgrade in VS Code', () => {
  let workbench: Workbench;
  let folder: string;
  let count: Counted;
  const file = (name: string) => path.join(folder, name);
  const text = (name: string) => readFileSync(file(name), 'utf8');
  const texts = () => Object.keys(CENTOS6).map(text);
  const pictures = process.env.HTTPD_UPGRADE_PICTURES;
  /** Drags the border of the side bar. */
  const dragSideBar = async (from: number, to: number) => {
    const { mouse } = workbench.page;
    await mouse.move(from, 700);
    await mouse.down();
    await mouse.move(to, 700);
    await mouse.up();
  };
  /** Takes what is on the screen; where pictures are made, in all looks. */
  const lookAt = async (name: string) => {
    const isWide = pictures && PARTS[name]?.width === WIDE;
    if (isWide) await dragSideBar(NARROW, WIDE);
    await takePictures(name);
    if (isWide) await dragSideBar(WIDE, NARROW);
  };
  const takePictures = async (name: string) => {
    // What the mouse was over has had its hint, and what goes away is gone.
    await workbench.page.mouse.move(900, 600);
    if (pictures) await new Promise((resolve) => setTimeout(resolve, 1500));
    await workbench.screenshot(name);
    if (!pictures) return;
    const clip = PARTS[name];
    // A walkthrough shows pictures small: of what the step is about alone.
    if (clip)
      await workbench.page.screenshot({
        path: path.join(pictures, `walkthrough-${name}.png`),
        animations: 'disabled',
        ...{ clip },
      });
    mkdirSync(file('.vscode'), { recursive: true });
    for (const [look, theme, shown] of [
      ['dark', 'Default Dark Modern', 'vs-dark'],
      ['contrast', 'Default High Contrast', 'hc-black'],
      ['contrast-light', 'Default High Contrast Light', 'hc-light'],
      ['light', 'Default Light Modern', 'vs'],
    ] as const) {
      writeFileSync(file('.vscode/settings.json'), JSON.stringify({ 'workbench.colorTheme': theme }));
      await workbench.waitForTheme(shown);
      await workbench.resize(1920, 1080);
      await workbench.screenshot(`${name}-${look}-1920`);
      await workbench.resize(1280, 800);
      if (look !== 'light') await workbench.screenshot(`${name}-${look}`);
    }
  };

  before(async function () {
    const files = Object.entries(CENTOS6).map(([name, each]) => [`etc/${name}`, each]);
    folder = path.join(folderWith(Object.fromEntries(files)), 'etc');
    count = counted();
    workbench = await openWorkbenchFor(this, {
      name: 'journey',
      folder,
      settings: { 'httpdUpgrade.invitation': true },
      ...(pictures && { screenshotsDir: pictures }),
    });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('begins with an invitation, which leads to the plan', async () => {
    assert.match(await workbench.message(/Apache httpd 2\.2/), /14 problems in the files block httpd 2\.4\./);
    await workbench.waitForErrors(14);
    await lookAt('1-invitation');
    await count.act('Plan the upgrade', () => workbench.messageAction('Plan the upgrade'));
    await workbench.waitForItem(/^Ready, 19 fixes/);
    await workbench.waitForStatus(/httpd 2\.2 → 2\.4 · 14 blocking/);
    assert.match(await workbench.viewMessage(), /14 blocking · 2 questions open · 19 fixes ready/);
    await lookAt('2-plan');
  });

  it('asks two questions, and writes the answers where everybody reads them', async () => {
    await count.act('a question', () => workbench.clickItem(/^Which MPM/));
    assert.match(await workbench.question(/Which MPM/), /2\.4/);
    await lookAt('3-question');
    await count.decide('prefork', () => workbench.answer('prefork'));
    await workbench.waitForItem(/^Which MPM.*answered: prefork/);
    // The next question opens by itself.
    await workbench.question(/new defaults in 2\.4/);
    await count.decide('the defaults of 2.4', () => workbench.answer('Yes: use the values of 2.4'));
    await workbench.waitForItem(/^Questions, all answered/);
    await workbench.waitForItem(/^Ready, 20 fixes/);
    await workbench.screenshot('4-answered');
    assert.deepEqual(JSON.parse(text('.httpd-upgrade.json')), { answers: { mpm: 'prefork', defaults: '2.4' } });
  });

  it('shows all changes before it writes any', async () => {
    const before = texts();
    const asked = await count.act('Review 20 fixes', () => workbench.openItem(/^Review 20 fixes…/, /Apply/));
    assert.equal(asked, 'Apply 20 changes in 2 files?');
    await workbench.filesInDiff();
    await lookAt('5-preview');
    assert.deepEqual(texts(), before);
    await count.decide('Apply', () => workbench.answer('Apply'));
    await workbench.message(/Applied 20 changes in 2 files\./);
  });

  it('ends with the steps on the server, and is not green before httpd -t has read the files', async () => {
    await workbench.waitForItem(/^Ready after .*\d+ steps on the server/);
    await workbench.waitForItem(/^0 blocking, 0 questions open/);
    await workbench.waitForItem(/^Depends on 2 answers/);
    await workbench.waitForStatus(/^\s*httpd 2\.2 → 2\.4$/);
    await workbench.waitForErrors(0);
    await workbench.command('Notifications: Clear All Notifications');
    await lookAt('6-end');
    assert.doesNotMatch(text('httpd/conf/httpd.conf'), /^\s*(Order|Allow|Deny|MaxClients|DefaultType)\b/m);
  });

  it('is green once httpd -t accepts the files, within the actions that it may take', async () => {
    await count.act('verify', () => workbench.clickItem(/^Verify with httpd -t/));
    assert.match(await workbench.message(/httpd 2\.4.* read 4 files/), /httpd -t accepts it: /);
    await workbench.waitForItem(/^httpd -t accepts it/);
    count.isWithin(MOST_ACTIONS, MOST_DECISIONS);
    await lookAt('7-verify');
    await workbench.command('Notifications: Clear All Notifications');
  });

  it('shows the report', async () => {
    await workbench.command('httpd-upgrade: Show the Upgrade Report');
    await workbench.waitForTab(/Upgrade report/);
    await workbench.page.waitForSelector('iframe.webview.ready');
    if (pictures) await new Promise((resolve) => setTimeout(resolve, 3000));
    await lookAt('8-report');
  });

  it('saves the report with what was answered and what was done', async () => {
    const [first] = (await workbench.boxes()).map(({ label }) => label);
    await workbench.clickBox(first, true);
    await workbench.waitForItem(/^On the server, 1 of \d+ done/);
    await workbench.command('httpd-upgrade: Save the Upgrade Report…');
    await workbench.page.waitForSelector('.quick-input-widget .quick-input-box input');
    await workbench.press('Enter');
    await workbench.message(/Saved .*upgrade-report\.html/);
    const page = text('upgrade-report.html');
    assert.match(page, /<li>\d+ of \d+ items of the plan are done\.<\/li>/);
    assert.match(page, /<li>The upgrade depends on 2 answers\.<\/li>/);
    assert.match(page, /<h3 [^>]*>Questions: 2 of 2 answered<\/h3>/);
    assert.match(page, /<strong>Answered:<\/strong> <code>mpm=prefork<\/code>/);
    assert.match(page, /<h3 [^>]*>On the server: 1 of \d+ done<\/h3>/);
    assert.match(page, /<li class="taken"><strong>Done:<\/strong> /);
    await workbench.command('Notifications: Clear All Notifications');
    await workbench.command('httpd-upgrade: Show the Upgrade Report');
    await workbench.waitForTab(/Upgrade report/);
    await lookAt('9-report-done');
    await workbench.clickBox(first, false);
  });

  it('takes everything back in one step', async () => {
    await workbench.command('httpd-upgrade: Undo the Last Change of Several Files');
    await workbench.message(/undone/);
    assert.deepEqual(texts(), Object.values(CENTOS6));
    await workbench.waitForItem(/^Ready, 20 fixes/);
  });

  it('takes an answer back in the view', async () => {
    await workbench.itemAction(/^Which MPM/, 'Take Back the Answer');
    await workbench.waitForItem(/^Questions, 1 open/);
    assert.deepEqual(JSON.parse(text('.httpd-upgrade.json')), { answers: { defaults: '2.4' } });
    assert.ok(existsSync(file('.httpd-upgrade.json')) && readdirSync(folder).length > 1);
  });
});
