/**
 * The upgrade of eight servers and of one section, from opening the folder to the end, with every
 * user action counted. The messages of httpd at the end are those of a real `httpd -t` for the
 * files, with the steps on the server that are ticked off.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { CENTOS17, DEBIAN60, MACOS, OTHER_SERVERS, type ServerTree } from '../support/server-trees';
import { counted, type Counted } from './actions';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

const INVITED = { 'httpdUpgrade.invitation': true };

interface Journey {
  readonly name: string;
  readonly tree: ServerTree;
  /** The folder that is opened, of the tree's. */
  readonly folder: string;
  /** The questions and what is answered, in the order of the view. */
  readonly answers: readonly (readonly [question: RegExp, answer: string])[];
  /** What is ticked off before httpd is asked. */
  readonly done: readonly RegExp[];
  readonly mostActions: number;
  /** What is not read by the server, and stays as it is. */
  readonly untouched: readonly string[];
}

const DEFAULTS = [/new defaults in 2\.4/, 'Yes: use the values of 2.4'] as const;
const MPM = [/^Which MPM/, 'prefork'] as const;

/** Of other servers than the three: so many actions a question, and so many more. */
const MOST_OF_A_QUESTION = 2;
const MOST_OTHERS = 5;

const QUESTIONS: Readonly<Record<string, Journey['answers']>> = {
  Gentoo: [DEFAULTS, MPM],
  'a server from source': [DEFAULTS],
  FreeBSD: [DEFAULTS, MPM],
  'a farm of sites': [DEFAULTS, MPM],
  'Red Hat 5': [DEFAULTS, MPM],
};

const JOURNEYS: readonly Journey[] = [
  {
    name: 'CentOS of 17 files with a copy of its main file',
    tree: CENTOS17,
    folder: 'httpd',
    answers: [
      DEFAULTS,
      MPM,
      [/\.htaccess file in, below or above \/srv\/shop/, 'No'],
      [/run PHP/, 'PHP 8'],
      [/log of mod_rewrite/, 'Yes'],
    ],
    done: [],
    mostActions: 11,
    untouched: ['httpd/conf/httpd.conf.org'],
  },
  {
    name: 'Debian of 60 files with links',
    tree: DEBIAN60,
    folder: 'apache2',
    answers: [DEFAULTS, MPM],
    done: [/^a2enmod /],
    mostActions: 9,
    untouched: ['apache2/sites-available/default-ssl'],
  },
  {
    name: 'macOS with original/',
    tree: MACOS,
    folder: 'apache2',
    answers: [DEFAULTS, MPM],
    done: [],
    mostActions: 9,
    untouched: ['apache2/original/httpd.conf', 'apache2/original/extra/httpd-mpm.conf'],
  },
  ...Object.entries(OTHER_SERVERS).map(([name, { tree, folder }]): Journey => {
    const answers = QUESTIONS[name]!;
    const untouched = Object.keys(tree.files).filter((file) => /original\/|_old$|\.(bak|sample)$/.test(file));
    const mostActions = MOST_OF_A_QUESTION * answers.length + MOST_OTHERS;
    return { name, tree, folder, answers, done: [], mostActions, untouched };
  }),
];

for (const { name, tree, folder, answers, done, mostActions, untouched } of JOURNEYS)
  describe(`the upgrade of ${name}`, () => {
    let workbench: Workbench;
    let root: string;
    let count: Counted;

    before(async function () {
      root = folderWith(tree.files);
      for (const [link, target] of Object.entries(tree.links)) {
        mkdirSync(path.dirname(path.join(root, link)), { recursive: true });
        symlinkSync(target, path.join(root, link));
      }
      count = counted();
      const short = name.replaceAll(' ', '-').toLowerCase();
      workbench = await openWorkbenchFor(this, {
        name: `counted-${short}`,
        folder: path.join(root, folder),
        settings: INVITED,
      });
      count.did('open the folder');
    });
    afterEach(function () {
      return workbench?.keepEvidence(this.currentTest);
    });
    after(() => workbench?.close());

    it(`takes ${mostActions} actions at most`, async () => {
      await workbench.message(/Apache httpd 2\.2\. \d+ problems in the files block httpd 2\.4\./);
      await count.act('plan the upgrade', () => workbench.messageAction('Plan the upgrade'));
      await workbench.waitForItem(/^Ready, \d+ fixes/);
      await workbench.screenshot('1-plan');
      await count.act('the first question', () => workbench.clickItem(answers[0]![0]));
      const left = [...answers];
      while (left.length > 0) {
        // The next one opens by itself, in the order of the view.
        const shown = await workbench.question(new RegExp(left.map(([question]) => question.source).join('|')));
        const index = left.findIndex(([question]) => question.test(shown));
        const [[question, answer]] = left.splice(index, 1) as [Journey['answers'][number]];
        await count.decide(`${question.source}: ${answer}`, () => workbench.answer(answer));
        await workbench.waitForNoItem((label) => question.test(label) && !label.includes('answered: '));
      }
      await workbench.waitForItem(/^Questions, all answered/);
      await count.act('review', () => workbench.openItem(/^Review \d+ fixes…/, /^Apply \d+ changes in \d+ files\?$/));
      await workbench.screenshot('2-preview');
      await count.decide('apply', () => workbench.answer('Apply'));
      await workbench.waitForItem(/^Ready after .*steps? on the server/);
      await workbench.waitForItem(/^0 blocking, 0 questions open/);
      for (const step of done) {
        const task = (await workbench.boxes()).find(({ label }) => step.test(label));
        assert.ok(task, `${step}`);
        await count.act(`done: ${task.label}`, () => workbench.clickBox(task.label, true));
      }
      // The view is drawn again after a tick; a click on a row of before would do nothing.
      if (done.length > 0) await workbench.waitForItem(new RegExp(`^On the server, ${done.length} of `));
      await count.act('verify', () => workbench.clickItem(/^Verify with httpd -t/));
      const message = await workbench.message(/httpd 2\.4.* read \d+ files/);
      await workbench.screenshot('3-end');
      // Nothing is refused. A copy of a server does not have all of its files, such as its
      // certificates: the lines that name them are not checked.
      assert.match(message, /(httpd -t accepts it|No error, but not every line was checked): /);
      await workbench.waitForErrors(0);
      count.isWithin(mostActions, answers.length + 1);
    });

    it('is accepted by httpd -t once all steps on the server are done', async () => {
      await workbench.command('Notifications: Clear All Notifications');
      // VS Code loses a click while it draws the view again, and then shows the box unticked.
      const areAllDone = async () =>
        (await workbench.items()).some((each) => /^On the server, (\d+) of \1 done/.test(each));
      for (let clicks = 0; !(await areAllDone()) && clicks < 60; clicks++) {
        const open = (await workbench.boxes()).find(({ isTicked }) => !isTicked);
        if (open) await workbench.clickBox(open.label, true);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      await workbench.waitForItem(/^On the server, (\d+) of \1 done/);
      await workbench.clickItem(/^Verify with httpd -t/);
      await workbench.message(/httpd -t accepts it: httpd 2\.4.* read \d+ files/);
      await workbench.waitForItem(/^httpd -t accepts it/);
      await workbench.screenshot('4-accepted');
    });

    it('leaves alone what the server does not read', () => {
      for (const file of untouched) assert.equal(readFileSync(path.join(root, file), 'utf8'), tree.files[file], file);
    });
  });

describe('the conversion of one section', () => {
  let workbench: Workbench;
  let folder: string;

  before(async function () {
    folder = folderWith({
      'httpd.conf': `ServerRoot "$FOLDER"
Listen 80
LoadModule authz_host_module modules/mod_authz_host.so
<Directory /srv/www>
    AllowOverride None
    Order allow,deny
    Allow from all
</Directory>
`,
    });
    workbench = await openWorkbenchFor(this, { name: 'counted-section', folder });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('takes 3 actions at most, from the open file', async () => {
    await workbench.openFile('httpd.conf');
    await workbench.waitForSquiggle();
    const count = counted();
    await count.act('Ctrl+.', async () => {
      assert.equal((await workbench.quickFixes('Order'))[0], 'Convert to Require all granted');
    });
    await count.act('Enter', () => workbench.press('Enter'));
    const isConverted = () => !/^ *(Order|Allow) /m.test(readFileSync(path.join(folder, 'httpd.conf'), 'utf8'));
    // Where the fix is an edit of the open file alone, there is no preview.
    const asked = await workbench.until('the preview', async () => {
      if (isConverted()) return 'converted';
      const title = workbench.page.locator('.quick-input-widget:not([style*="display: none"]) .quick-input-title');
      return (await title.allInnerTexts()).some((each) => /^Convert 1 section/.test(each)) ? 'asked' : undefined;
    });
    if (asked === 'asked') await count.decide('Apply', () => workbench.answer('Apply'));
    await workbench.until('the file', async () => isConverted() || undefined);
    assert.match(readFileSync(path.join(folder, 'httpd.conf'), 'utf8'), /^ {4}Require all granted$/m);
    await workbench.screenshot('1-converted');
    count.isWithin(3, 1);
  });
});
