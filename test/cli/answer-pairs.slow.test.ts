/**
 * The answer to one question never loses another answer: fixes that the plan calls ready are in the
 * diff, and unwritten ones are still in the plan afterwards.
 */
import assert from 'node:assert/strict';
import type { ConfigurationPlan, PlanQuestion, ReadyItem, UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { CENTOS6 } from '../support/centos6';
import { DEBIAN6 } from '../support/debian6';
import { forgetChanges } from '../support/state';
import { rounds } from '../support/rounds';
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

    for (const [title, tree] of Object.entries(TREES)) {
      it(`on ${title}: each ready row is in the diff, and none is lost`, async function () {
        this.timeout(300_000);
        write(tree);
        const { plan } = await settled({});
        const questions = [...new Map(plan.flatMap((each) => each.questions).map((each) => [each.id, each])).values()];
        const pairs = questions.flatMap((one, i) =>
          questions
            .slice(i + 1)
            .flatMap((other) =>
              valuesOf(one).flatMap((value) =>
                valuesOf(other).map((second): Answers => ({ [one.id]: value, [other.id]: second })),
              ),
            ),
        );
        const step = Math.max(1, Math.floor(pairs.length / rounds(40)));
        for (const pair of pairs.filter((_, index) => index % step === 0)) {
          write(tree);
          const { answers, plan: before } = await settled(pair);
          const { out: diff } = await folder().run(['fix', '--diff', ...options(answers), '.']);
          const ready = before.flatMap((each) => each.ready);
          const hidden = ready.filter((row) => !isIn(diff, row, tree));
          assert.deepEqual(hidden, [], `${JSON.stringify(pair)}\n${diff}`);
          await folder().run(['fix', '--write', ...options(answers), '.']);
          const after = await planned(answers);
          assert.deepEqual(lost(before, after), [], JSON.stringify(pair));
        }
      });

      it(`on ${title}: what is written before all is answered leaves the rest of the plan as it was`, async function () {
        this.timeout(120_000);
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

    it('the lines that a fix has written are no evidence that 2.4 runs, also for one file at a time', async () => {
      write(CENTOS6);
      const before = await planned({});
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

/** Whether the lines of a row change, or a line is added that its title names. */
function isIn(diff: string, { file, line, title }: ReadyItem, tree: Readonly<Record<string, string>>): boolean {
  const text = tree[file].split('\n')[line];
  const rows = diff.split('\n');
  const [, named = '\0'] = /(\w+)(?: \(.*\))?$/.exec(title) ?? [];
  return rows.includes(`-${text}`) || rows.some((row) => row.startsWith('+') && row.includes(named));
}

/**
 * What there was to do that is neither ready nor anywhere in the plan afterwards: all but what was
 * ready has to be there.
 */
function lost(before: readonly ConfigurationPlan[], after: readonly ConfigurationPlan[]): string[] {
  const rules = (plan: readonly ConfigurationPlan[]) =>
    new Set(
      plan.flatMap(({ waiting, byHand, ready }) =>
        [...waiting, ...byHand, ...ready].map(({ rule, file }) => `${file} ${rule}`),
      ),
    );
  const left = rules(after);
  const open = before.flatMap(({ waiting, byHand }) =>
    [...waiting, ...byHand].map(({ rule, file }) => `${file} ${rule}`),
  );
  const tasks = new Set(tasksIn(after));
  return [...new Set(open.filter((row) => !left.has(row))), ...tasksIn(before).filter((task) => !tasks.has(task))];
}
