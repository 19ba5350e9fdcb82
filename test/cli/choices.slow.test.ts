/**
 * Questions without a right answer, and questions that cover several open questions: one answer for
 * everything that waits, in every command.
 */
import assert from 'node:assert/strict';
import type { ConfigurationPlan, UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { withFolder } from './run';

const MODULES = ['authz_core', 'authz_host', 'unixd', 'rewrite', 'mime', 'alias']
  .map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`)
  .join('');
const HEAD = `ServerRoot "/etc/httpd"\nListen 80\nServerName a\n${MODULES}`;
const DENIED = '<Directory />\n    AllowOverride None\n</Directory>\n';
/** Nothing that is not set has another default. */
const SET =
  'Options None\nTimeout 60\nEnableSendfile Off\nFileETag None\nLimitRequestBody 0\nMaxConnectionsPerChild 0\nMaxMemFree 0\n';

describe(
  'choices of the plan',
  withFolder((folder) => {
    const planned = async (text: string, ...args: string[]): Promise<ConfigurationPlan> => {
      folder().write('conf/httpd.conf', text);
      const { out, code, err } = await folder().run(['plan', '--format', 'json', ...args, 'conf/httpd.conf']);
      assert.equal(code, 0, err);
      assert.equal(err.includes('is not needed'), false, err);
      return (JSON.parse(out) as UpgradePlan).configurations[0];
    };
    const fixed = async (...args: string[]): Promise<string> => {
      await folder().run(['fix', '--write', ...args, 'conf/httpd.conf']);
      return folder().text('conf/httpd.conf');
    };
    const counts = ({ questions }: ConfigurationPlan) =>
      questions.map(({ id, kind, subject, answers }) => [
        id,
        kind,
        subject,
        answers.map(({ value, ready }) => `${value}:${ready}`).join(' '),
      ]);

    it('mpm: the LoadModule line, AcceptMutex and LockFile', async () => {
      const text = `${HEAD}${SET}${DENIED}AcceptMutex flock\nLockFile /srv/locks/accept.lock\n`;
      assert.deepEqual(counts(await planned(text)), [['mpm', 'mpm', '', 'prefork:3 event:3 worker:3 keep:0']]);
      const { ready, waiting, byHand } = await planned(text, '--answer', 'mpm=prefork');
      assert.deepEqual([ready.map(({ restsOn }) => restsOn), waiting, byHand], [[['mpm'], ['mpm'], ['mpm']], [], []]);
      const result = await fixed('--answer', 'mpm=prefork');
      assert.match(result, /^LoadModule mpm_prefork_module modules\/mod_mpm_prefork\.so$/m);
      assert.match(result, /^Mutex flock:\/srv\/locks mpm-accept$/m);
      folder().write('conf/httpd.conf', text);
      const event = await fixed('--answer', 'mpm=event');
      assert.match(event, /^LoadModule mpm_event_module/m);
      assert.doesNotMatch(event, /Mutex|LockFile/);
    });

    it('rewrite-log: LogLevel, or nothing', async () => {
      const text = `${HEAD}LoadModule mpm_event_module modules/mod_mpm_event.so\n${SET}${DENIED}RewriteLog logs/rewrite_log\nRewriteLogLevel 3\n`;
      assert.deepEqual(counts(await planned(text)), [['rewrite-log', 'rewrite-log', '', 'error-log:2 none:2 keep:0']]);
      assert.match(await fixed('--answer', 'rewrite-log=error-log'), /^LogLevel rewrite:trace3$/m);
      folder().write('conf/httpd.conf', text);
      assert.doesNotMatch(await fixed('--answer', 'rewrite-log=none'), /Log/);
    });

    it('defaults: written out, or not spoken of any more', async () => {
      const text = `${HEAD}LoadModule mpm_event_module modules/mod_mpm_event.so\n${SET.replace('Timeout 60\n', '')}${DENIED}DefaultType none\n`;
      assert.deepEqual(counts(await planned(text)), [['defaults', 'defaults', '', '2.4:0 2.2:1 keep:0']]);
      const { questions, ready, waiting, byHand } = await planned(text, '--answer', 'defaults=2.4');
      assert.deepEqual(
        [questions.map(({ answer }) => answer), ready.map(({ rule }) => rule), waiting, byHand],
        [['2.4'], ['default-type'], [], []],
      );
      const check = async (...args: string[]) =>
        (await folder().run(['check', '--format', 'json', ...args, 'conf/httpd.conf'])).out.includes(
          'changed-defaults',
        );
      assert.deepEqual([await check(), await check('--answer', 'defaults=2.4')], [true, false]);
      assert.match(await fixed('--answer', 'defaults=2.2'), /^Timeout 300$/m);
    });

    it('php: conditions and LoadModule lines, by the version', async () => {
      const text =
        'LoadModule php5_module modules/libphp5.so\n<IfModule mod_php5.c>\n    php_flag engine on\n</IfModule>\n';
      assert.deepEqual(counts(await planned(text)), [['php', 'php', '', '8:2 7:2 5:0 none:1 keep:0']]);
      const results = {
        8: /^LoadModule php_module modules\/libphp\.so\n<IfModule mod_php\.c>/,
        7: /^LoadModule php7_module modules\/libphp7\.so\n<IfModule mod_php7\.c>/,
        none: /^<IfModule mod_php5\.c>/,
        5: /^LoadModule php5/,
      };
      for (const [answer, expected] of Object.entries(results)) {
        folder().write('conf/httpd.conf', text);
        assert.match(await fixed('--answer', `php=${answer}`), expected);
      }
      const { questions, byHand } = await planned(text, '--answer', 'php=5');
      assert.deepEqual([questions.map(({ answer }) => answer), byHand], [['5'], []]);
    });

    it('keeps what a person keeps, whatever else is taken', async () => {
      const text = `${HEAD}${SET}${DENIED}RewriteLog logs/rewrite_log\nRewriteLogLevel 3\n`;
      const { ready, waiting, byHand } = await planned(text, '--answer', 'mpm=keep', '--answer', 'rewrite-log=keep');
      assert.deepEqual(
        [ready, waiting, byHand.map(({ rule }) => rule)],
        [[], [], ['missing-module', 'rewrite-log', 'rewrite-log']],
      );
      assert.equal(await fixed('--unsafe', '--answer', 'mpm=keep', '--answer', 'rewrite-log=keep'), text);
    });

    it('says of each finding which choice it waits for, or rests on', async () => {
      folder().write('conf/httpd.conf', 'RewriteLog logs/rewrite_log\nRewriteLogLevel 3\n');
      const of = async (...args: string[]) => {
        const { out } = await folder().run(['check', '--format', 'json', ...args, 'conf/httpd.conf']);
        const [
          {
            findings: [{ fix, waitsFor, restsOn }],
          },
        ] = (JSON.parse(out) as { files: { findings: { fix: string; waitsFor: string[]; restsOn: string[] }[] }[] })
          .files;
        return { fix, waitsFor, restsOn };
      };
      assert.deepEqual(await of(), { fix: 'suggestion', waitsFor: ['rewrite-log'], restsOn: [] });
      assert.deepEqual(await of('--answer', 'rewrite-log=none'), {
        fix: 'safe',
        waitsFor: [],
        restsOn: ['rewrite-log'],
      });
    });
  }),
);

const OLD = '    Order allow,deny\n    Allow from all\n';

describe(
  'questions that cover several openQuestions',
  withFolder((folder) => {
    const SERVED = ['/var/www/a', '/var/www/b', '/srv/c']
      .map((path) => `Alias /x${path} ${path}\n<Directory ${path}>\n    AllowOverride All\n${OLD}</Directory>\n`)
      .join('');
    const TEXT = `${HEAD}LoadModule mpm_event_module modules/mod_mpm_event.so\n${SET}DocumentRoot /var/www/a\n${DENIED}${SERVED}`;
    const planned = async (text: string, ...args: string[]): Promise<ConfigurationPlan> => {
      folder().write('conf/httpd.conf', text);
      const { out, err } = await folder().run(['plan', '--format', 'json', ...args, 'conf/httpd.conf']);
      assert.equal(err.includes('is not needed'), false, err);
      return (JSON.parse(out) as UpgradePlan).configurations[0];
    };
    const idsOf = ({ questions }: ConfigurationPlan) =>
      questions.map(({ id, answer }) => `${id}${answer === null ? '' : `=${answer}`}`);

    it('asks about the highest directory that covers the unseen ones, and names them', async () => {
      const {
        questions: [{ id, question, findOut, answers }],
        waiting,
      } = await planned(TEXT);
      assert.equal(id, 'htaccess-unseen:/');
      for (const path of ['/var/www', '/srv/c']) assert.ok(findOut.includes(path) && question.includes(path), question);
      assert.deepEqual([answers[0].ready, waiting.length], [3, 3]);
      assert.deepEqual((await planned(TEXT, '--answer', 'htaccess-unseen:/=none')).waiting, []);
    });

    it('takes an answer for one of them, and asks about the rest', async () => {
      const one = await planned(TEXT, '--answer', 'htaccess-unseen:/srv/c=none');
      assert.deepEqual(idsOf(one).sort(), ['htaccess-unseen:/', 'htaccess-unseen:/srv/c=none']);
      assert.equal(one.waiting.length, 3);
      const both = await planned(
        TEXT,
        '--answer',
        'htaccess-unseen:/srv/c=none',
        '--answer',
        'htaccess-unseen:/var/www=none',
      );
      assert.deepEqual(
        [both.waiting, both.ready.map(({ rule }) => rule)],
        [[], ['order-allow-deny', 'order-allow-deny', 'order-allow-deny']],
      );
    });

    it('keeps what the nearest answer keeps', async () => {
      const kept = await planned(TEXT, '--answer', 'htaccess-unseen:/=none', '--answer', 'htaccess-unseen:/srv/c=keep');
      assert.deepEqual([kept.ready, idsOf(kept)], [[], ['htaccess-unseen:/srv/c=keep', 'htaccess-unseen:/=none']]);
    });

    it('asks once about all includes that are not here', async () => {
      const text = `${HEAD}LoadModule mpm_event_module modules/mod_mpm_event.so\n${SET}${DENIED}Include /opt/conf/a.conf\nInclude /opt/conf/sites/*.conf\nInclude /opt/conf/b.conf\n<Directory /srv>\n${OLD}</Directory>\n`;
      const {
        questions: [{ id, findOut, places }],
        waiting,
      } = await planned(text);
      assert.equal(id, 'include-unseen:/opt/conf');
      assert.match(findOut, /\/opt\/conf\/sites\/\*\.conf/);
      assert.deepEqual([places.length, waiting.length], [3, 1]);
      assert.equal((await planned(text, '--answer', 'include-unseen:/opt/conf=no-access-control')).waiting.length, 0);
    });

    it('asks once about relative Includes, and takes an answer for each of them', async () => {
      const includes = ['mods-enabled/*.load', 'ports.conf', 'sites-enabled/'];
      const text = `${HEAD}LoadModule mpm_event_module modules/mod_mpm_event.so\n${SET}${DENIED}${includes.map((each) => `Include ${each}\n`).join('')}<Directory /x>\n${OLD}</Directory>\n`;
      const plan = await planned(text);
      assert.deepEqual(idsOf(plan), ['include-unseen:*']);
      const [{ question, findOut, answers, places }] = plan.questions;
      assert.match(
        findOut,
        /^find -L \/etc\/httpd\/mods-enabled\/\*\.load \/etc\/httpd\/ports\.conf \/etc\/httpd\/sites-enabled -type f /,
      );
      for (const each of includes) assert.ok(question.includes(each), question);
      assert.deepEqual(
        [answers.map(({ value }) => value), places.length, plan.waiting.length],
        [['no-access-control', 'no-hosts', 'keep'], 3, 1],
      );
      assert.deepEqual((await planned(text, '--answer', 'include-unseen:*=no-access-control')).waiting, []);
      const one = (each: string, value = 'no-access-control') => ['--answer', `include-unseen:${each}=${value}`];
      const rest = await planned(text, ...one(includes[0]));
      assert.deepEqual(idsOf(rest).sort(), ['include-unseen:*', `include-unseen:${includes[0]}=no-access-control`]);
      assert.deepEqual((await planned(text, ...includes.flatMap((each) => one(each)))).waiting, []);
      const kept = await planned(text, ...one('*'), ...one('ports.conf', 'keep'));
      assert.deepEqual(
        kept.ready.map(({ rule }) => rule),
        ['include-wildcard'],
      );
    });

    it('accepts the answer about all of them, whatever the question is', async () => {
      const text = `${HEAD}LoadModule mpm_event_module modules/mod_mpm_event.so\n${SET}${DENIED}Include /opt/a.conf\nInclude /opt/b.conf\n<Directory /x>\n${OLD}</Directory>\n`;
      assert.deepEqual((await planned(text, '--answer', 'include-unseen:*=no-access-control')).waiting, []);
    });

    it('asks once about .htaccess files in directories, and in those that a line serves', async () => {
      const users = TEXT.replace('DocumentRoot', 'UserDir public_html\nDocumentRoot').replace(DENIED, '');
      const plan = await planned(users);
      assert.deepEqual(idsOf(plan), ['htaccess-unseen:/']);
      const [{ why, findOut }] = plan.questions;
      for (const text of [why, findOut])
        for (const part of ['/srv/c', 'public_html']) assert.ok(text.includes(part), text);
      assert.deepEqual((await planned(users, '--answer', 'htaccess-unseen:/=none')).waiting, []);
      const each = ['served-anywhere:UserDir public_html=no-htaccess', 'htaccess-unseen:/var=none'];
      const two = await planned(users, ...each.flatMap((answer) => ['--answer', answer]));
      assert.deepEqual(idsOf(two).sort(), ['htaccess-unseen:/', ...each].sort());
    });

    it('follows the same answers in the project file, and reads copies that they name', async () => {
      folder().write('copy/conf/a.conf', '');
      folder().write('copy/conf/b.conf', '');
      folder().write('copy/conf/sites/c.conf', `<Location /c>\n${OLD}</Location>\n`);
      folder().write('.httpd-upgrade.json', JSON.stringify({ answers: { 'include-unseen:/opt': 'here=copy' } }));
      const text = `${HEAD}LoadModule mpm_event_module modules/mod_mpm_event.so\n${SET}${DENIED}Include /opt/conf/a.conf\nInclude /opt/conf/sites/*.conf\nInclude /opt/conf/b.conf\n`;
      folder().write('conf/httpd.conf', text);
      const { out } = await folder().run(['plan', '--format', 'json', 'conf/httpd.conf']);
      const [{ files, questions }] = (JSON.parse(out) as UpgradePlan).configurations;
      assert.deepEqual([files, questions], [4, []]);
    });
  }),
);

describe(
  'comments of the plan',
  withFolder((folder) => {
    it('names access lines that are commented out in sections which are converted, and in no others', async () => {
      const section = (path: string, body: string) => `<Directory ${path}>\n${body}</Directory>\n`;
      const text = `#Deny from all\n${section('/srv/a', `${OLD}    #Allow from 192.0.2.1\n    # Allow them all one day\n    # Order deny,allow\n`)}${section('/srv/b', '    #Deny from all\n')}`;
      folder().write('a.conf', text);
      const { out } = await folder().run(['plan', '--format', 'json', 'a.conf']);
      const [{ commentedOut }] = (JSON.parse(out) as UpgradePlan).configurations;
      assert.deepEqual(commentedOut, [
        { file: 'a.conf', line: 4, text: '#Allow from 192.0.2.1' },
        { file: 'a.conf', line: 6, text: '# Order deny,allow' },
      ]);
      assert.match((await folder().run(['plan', 'a.conf'])).out, /Commented out in converted sections: 2/);
    });
  }),
);
