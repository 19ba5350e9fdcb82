/**
 * The answer to one question never loses another answer: fixes that the plan calls ready are in the
 * diff, and unwritten ones are still in the plan afterwards.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ConfigurationPlan, PlanQuestion, ReadyItem, UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { CENTOS6 } from '../support/centos6';
import { DEBIAN6 } from '../support/debian6';
import { forgetChanges } from '../support/state';
import { corpusFolder, hasCorpus, repositoryRoot } from '../support/paths';
import { rounds } from '../support/rounds';
import { rows } from '../corpus/files';
import { restoreLinks } from '../corpus/settled';
import { CASES } from '../trees/cases/all';
import { withFolder } from './run';

const OLD = 'Order deny,allow\nDeny from all\n';

/** What asks most of the questions in a file by itself. */
const SATELLITE: Readonly<Record<string, string>> = {
  'conf/httpd.conf': `ServerRoot "/opt/web"
Listen 80
LoadModule authz_host_module modules/mod_authz_host.so
LoadModule php5_module modules/libphp5.so
LoadModule dav_module modules/mod_dav.so
LoadModule wsgi_module modules/mod_wsgi.so
LoadModule mem_cache_module modules/mod_mem_cache.so
User www
RewriteLog logs/rewrite.log
RewriteLogLevel 3
DavLockDB /var/lib/dav/lock
<IfModule mod_php5.c>
    php_flag engine on
</IfModule>
<Directory />
    AllowOverride None
    ${OLD}</Directory>
DocumentRoot /srv/unseen
<Directory /srv/unseen>
    AllowOverride All
    Order allow,deny
    Allow from all
</Directory>
UserDir /srv/homes/*/www
<Directory /srv/homes/*/www>
    AllowOverride All
</Directory>
Include conf/more/*.conf
<IfDefine EXTRA>
<Directory /srv/unseen/extra>
    ${OLD}</Directory>
</IfDefine>
`,
};

const MACOS: Readonly<Record<string, string>> = {
  'apache2/httpd.conf': `ServerRoot "/usr"
Listen 80
LoadModule authz_host_module libexec/apache2/mod_authz_host.so
LoadModule authn_default_module libexec/apache2/mod_authn_default.so
#LoadModule php5_module libexec/apache2/libphp5.so
LoadModule bonjour_module libexec/apache2/mod_bonjour.so
<IfModule mod_php5.c>
    AddType application/x-httpd-php .php
</IfModule>
<IfModule !mpm_winnt_module>
User _www
</IfModule>
DocumentRoot "/Library/WebServer/Documents"
<Directory />
    AllowOverride None
    ${OLD}</Directory>
<Directory "/Library/WebServer/Documents">
    AllowOverride None
    Order allow,deny
    Allow from all
</Directory>
DefaultType text/plain
Include /private/etc/apache2/other/*.conf
`,
};

const TREES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a CentOS': CENTOS6,
  'a Debian': DEBIAN6,
  'a satellite': SATELLITE,
  'a macOS': MACOS,
};

/** Trees that are tried with fewer pairs: the samples, the corpus, and some of the cases. */
const MORE: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  'the samples': () => textsBelow(path.join(repositoryRoot, 'test/samples/etc/httpd')),
  ...Object.fromEntries(
    ofCorpus().map(([name, , , mapped]) => [name, () => textsBelow(path.join(corpusFolder, mapped!))]),
  ),
  ...Object.fromEntries(
    CASES.filter((_, index) => index % Math.ceil(CASES.length / rounds(8)) === 0).map(({ name, tree }) => [
      name,
      () => tree.files,
    ]),
  ),
};

/** HTTPD_UPGRADE_PAIRS names trees whose every pair is tried. */
const WHOLE = process.env.HTTPD_UPGRADE_PAIRS?.split(',') ?? [];

type Answers = Readonly<Record<string, string>>;

describe(
  'answers in pairs',
  withFolder((folder) => {
    afterEach(forgetChanges);
    const write = (tree: Readonly<Record<string, string>>) => {
      for (const [name, text] of Object.entries(tree)) folder().write(name, text);
    };
    const options = (answers: Answers) =>
      Object.entries(answers).flatMap(([id, value]) => ['--answer', `${id}=${value}`]);
    const planned = async (answers: Answers): Promise<readonly ConfigurationPlan[]> => {
      const { out, err } = await folder().run(['plan', '--format', 'json', ...options(answers), '.']);
      assert.notEqual(out, '', err);
      return (JSON.parse(out) as UpgradePlan).configurations;
    };
    const settled = async (
      fixed: Answers,
    ): Promise<{ readonly answers: Answers; readonly plan: readonly ConfigurationPlan[] }> => {
      let answers = fixed;
      for (;;) {
        const plan = await planned(answers);
        const open = plan.flatMap(({ questions }) => questions).filter(({ id }) => answers[id] === undefined);
        if (open.length === 0) return { answers, plan };
        answers = { ...answers, ...Object.fromEntries(open.map((each) => [each.id, usual(each)])) };
      }
    };

    /** Tries so many pairs of answers on a tree that is written. Returns what is wrong. */
    const triedPairs = async (tree: Readonly<Record<string, string>>, most: number): Promise<string[]> => {
      const { plan } = await settled({});
      const pairs = pairsOf(plan);
      const step = Math.max(1, Math.floor(pairs.length / most));
      console.log(`      ${pairs.length} pairs of answers, one of ${step} is tried`);
      const problems: string[] = [];
      for (const pair of pairs.filter((_, index) => index % step === 0)) {
        write(tree);
        const { answers, plan: before } = await settled(pair);
        const { out: diff } = await folder().run(['fix', '--diff', ...options(answers), '.']);
        const hidden = before.flatMap((each) => each.ready).filter((row) => !isIn(diff, row, tree));
        await folder().run(['fix', '--write', ...options(answers), '.']);
        const missing = lost(before, await planned(answers), answers);
        for (const row of [...hidden.map(({ file, line, title }) => `${file}:${line + 1} ${title}`), ...missing])
          problems.push(`${JSON.stringify(pair)}: ${row}`);
      }
      return problems;
    };

    for (const [title, tree] of Object.entries(TREES)) {
      it(`on ${title}: each ready row is in the diff, and none is lost`, async function () {
        this.timeout(900_000);
        write(tree);
        assert.deepEqual(await triedPairs(tree, WHOLE.includes(title) ? Infinity : rounds(16)), []);
      });

      it(`on ${title}: what is written before all is answered leaves the rest of the plan as it was`, async function () {
        this.timeout(600_000);
        write(tree);
        const none = await planned({});
        await folder().run(['fix', '--write', '.']);
        const again = await planned({});
        assert.deepEqual(lost(none, again), []);
        assert.deepEqual(idsOf(again), idsOf(none));
        const ids = none.flatMap(({ questions }) => questions);
        // Half of the answers, then the others.
        const half = Object.fromEntries(ids.filter((_, i) => i % 2 === 0).map((each) => [each.id, usual(each)]));
        const expected = await planned(half);
        await folder().run(['fix', '--write', ...options(half), '.']);
        const then = await planned(half);
        assert.deepEqual(lost(expected, then), []);
        assert.deepEqual(
          idsOf(then).filter((id) => half[id] === undefined),
          idsOf(expected).filter((id) => half[id] === undefined),
        );
      });
    }

    for (const [title, treeOf] of Object.entries(MORE))
      it(`on ${title}: the same for some pairs`, async function () {
        this.timeout(WHOLE.includes(title) ? 0 : 600_000);
        const tree = treeOf();
        write(tree);
        const below = ofCorpus().find(([name]) => name === title)?.[3];
        if (below !== undefined) restoreLinks(below, (file) => folder().at(file.slice(1)), folder().at('.'));
        assert.deepEqual(await triedPairs(tree, WHOLE.includes(title) ? Infinity : rounds(2)), []);
      });

    it('the lines that a fix has written are no evidence that 2.4 runs, also for one file at a time', async () => {
      write(CENTOS6);
      // The fixes write the answer as a line, and the step about the MPM follows from both.
      const before = await planned({ mpm: 'prefork' });
      for (const file of Object.keys(CENTOS6).filter((name) => name.endsWith('.conf')))
        await folder().run(['fix', '--write', '--answer', 'modules=files', '--answer', 'mpm=prefork', file]);
      const after = await planned({});
      assert.deepEqual(tasksIn(after), tasksIn(before));
      assert.deepEqual(
        idsOf(after).filter((id) => id === 'running-version'),
        [],
      );
    });

    it('what a person wrote before is evidence, whatever is written after that', async () => {
      const text = `ServerRoot "/srv"\nListen 80\nDefine X\nMaxClients 5\n<Directory />\nAllowOverride None\n${OLD}</Directory>\n<Directory /srv/www>\n${OLD}Satisfy Any\n</Directory>\n`;
      folder().write('httpd.conf', text);
      const before = idsOf(await planned({}));
      assert.ok(before.includes('running-version'), before.join());
      await folder().run(['fix', '--write', 'httpd.conf']);
      assert.notEqual(folder().text('httpd.conf'), text);
      assert.ok(idsOf(await planned({})).includes('running-version'));
    });
  }),
);

/** The rows of whole servers in the corpus, if it is there. Templates are left out. */
function ofCorpus(): string[][] {
  return hasCorpus ? rows('TREES.tsv').filter(([, root]) => !/\.in$/.test(root!)) : [];
}

/**
 * Each two answers to different questions. All other questions get their usual answer, so that of
 * two pairs that differ by usual answers only one is returned.
 */
function pairsOf(plan: readonly ConfigurationPlan[]): Answers[] {
  const questions = [...new Map(plan.flatMap((each) => each.questions).map((each) => [each.id, each])).values()];
  const usually = Object.fromEntries(questions.map((each) => [each.id, usual(each)]));
  const pairs = questions.flatMap((one, i) =>
    questions
      .slice(i + 1)
      .flatMap((other) =>
        valuesOf(one).flatMap((value) =>
          valuesOf(other).map((second): Answers => ({ [one.id]: value, [other.id]: second })),
        ),
      ),
  );
  const unusual = (pair: Answers) =>
    JSON.stringify(Object.entries(pair).filter(([id, value]) => usually[id] !== value));
  return [...new Map(pairs.map((pair) => [unusual(pair), pair])).values()];
}

/** The texts of the files below a directory, by their paths in it. */
function textsBelow(directory: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(directory, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(directory, file), readFileSync(file, 'utf8')]),
  );
}

function valuesOf({ answers }: PlanQuestion): string[] {
  return answers.map(({ value }) => value).filter((value) => !value.endsWith('='));
}

function usual({ id, answers }: PlanQuestion): string {
  return id === 'running-version' ? '2.2' : answers[0].value;
}

function idsOf(plan: readonly ConfigurationPlan[]): string[] {
  return [...new Set(plan.flatMap(({ questions }) => questions.map(({ id }) => id)))].sort();
}

function tasksIn(plan: readonly ConfigurationPlan[]): string[] {
  return plan.flatMap(({ root, onServer }) => onServer.map(({ id }) => `${root}: ${id}`)).sort();
}

/** Whether the line of a row changes, or a line is added after it or with a name of its title. */
function isIn(diff: string, { file, line, title }: ReadyItem, tree: Readonly<Record<string, string>>): boolean {
  const text = tree[file].split('\n')[line];
  const rows = diff.split('\n');
  const [, named = '\0'] = /([a-z_]+)(?: \(.*\))?$/i.exec(title) ?? [];
  const addsAfter = (index: number) =>
    rows
      .slice(index + 1)
      .find((row) => !row.startsWith('-'))
      ?.startsWith('+');
  return rows.some(
    (row, index) =>
      row === `-${text}` || (row.startsWith('+') && row.includes(named)) || (row === ` ${text}` && addsAfter(index)),
  );
}

/** A reminder of the comment above a line, which is gone once the line is. */
const OF_COMMENT = /^Remove or change this comment/;

/** The LoadModule line for PHP 8 decides the condition: no version uses the section then. */
const OF_OLDER_PHP = /^`<IfModule mod_php[34]\.c>`/;

/** The plan says that 2.4 skips sections: nothing is to be done about conditions in them. */
const SKIPS = /^`<IfModule [^`]*`: 2\.4 skips/;

/** Tasks that lines of the fixes settle, or whose cause 2.4 does not read after them. */
const SETTLED: Readonly<Record<string, (answers: Answers) => boolean>> = {
  // The lines with the defaults of 2.2 have RequestReadTimeout.
  'reqtimeout-defaults': (answers) => answers.defaults === '2.2',
  // 2.4 skips `<IfModule mod_disk_cache.c>`, whose change is by hand: with it, the task is back.
  'cache-disk': () => true,
};

/**
 * What there was to do that is neither ready nor anywhere in the plan afterwards: all but what was
 * ready has to be there.
 */
function lost(
  before: readonly ConfigurationPlan[],
  after: readonly ConfigurationPlan[],
  answers: Answers = {},
): string[] {
  const rules = (plan: readonly ConfigurationPlan[]) =>
    new Set(
      plan.flatMap(({ waiting, byHand, ready }) =>
        [...waiting, ...byHand, ...ready].map(({ rule, file }) => `${file} ${rule}`),
      ),
    );
  const left = rules(after);
  const open = before.flatMap(({ waiting, byHand }) =>
    [...waiting, ...byHand.filter(({ what }) => !OF_COMMENT.test(what) && !OF_OLDER_PHP.test(what))].map(
      ({ rule, file }) => `${file} ${rule}`,
    ),
  );
  const isSkipped = after.some(({ byHand }) => byHand.some(({ what }) => SKIPS.test(what)));
  const tasks = new Set(tasksIn(after));
  return [
    ...new Set(open.filter((row) => !left.has(row) && !(isSkipped && row.endsWith(' ifmodule-renamed')))),
    ...tasksIn(before).filter((task) => !tasks.has(task) && !SETTLED[task.slice(task.lastIndexOf(' ') + 1)]?.(answers)),
  ];
}
