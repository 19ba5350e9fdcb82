/**
 * Each number is the same everywhere: `plan` as JSON and text, `check`, `fix --diff`, the report,
 * and the editor, on ten trees, after each step of a journey.
 */
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { countsWithoutTicked, planState, progressText } from '../../client/src/plan-items';
import { planCounts, countsWithNouns, stateOfAll } from '../../server/src/analysis/plan-figures';
import { verdictOf, type UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import type { PlanReply } from '../../server/src/lsp/plans';
import { Client } from '../lsp/client';
import { DEBIAN6 } from '../support/debian6';
import { Folder, withFolder } from './run';

const MODULES = `LoadModule authz_host_module modules/mod_authz_host.so
LoadModule dir_module modules/mod_dir.so
LoadModule mime_module modules/mod_mime.so
`;
const main = (more = '', modules = MODULES) => `ServerRoot "$HERE"
Listen 80
${modules}DocumentRoot "/of-no-machine/www"
<Directory "/of-no-machine/www">
    AllowOverride All
    Order allow,deny
    Allow from all
</Directory>
MaxClients 10
${more}`;
const NEW = 'ServerRoot "$HERE"\nListen 80\nServerName a\nLoadModule mpm_event_module modules/mod_mpm_event.so\n';

/** Files outside of the directory that is given, each with the link that leads to it. */
const LINKED: Readonly<Record<string, Readonly<Record<string, readonly [link: string, text: string]>>>> = {
  'links that lead out': {
    'run/a.conf': ['run', 'SSLMutex default\nDefaultType text/plain\n'],
    'b.conf': ['b.conf', 'LockFile /var/lock/x\n'],
  },
};

const TREES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'one file': { 'httpd.conf': main() },
  'a file of 2.4': { 'httpd.conf': NEW },
  'without modules': { 'httpd.conf': main('', '') },
  'Red Hat': {
    'conf/httpd.conf': main('Include conf.d/*.conf\nSSLMutex default\n'),
    'conf.d/ssl.conf': 'Listen 443\nSSLMutex default\nSSLSessionCache shmcb:/var/cache/ssl(512000)\n',
    'conf.d/welcome.conf': '<Location "/">\nOrder deny,allow\nDeny from all\nAllow from 10.0.0.0/8\n</Location>\n',
  },
  Debian: DEBIAN6,
  'two servers': {
    'a/httpd.conf': main('Include a.inc\n').replace('$HERE', '$HERE/a'),
    'a/a.inc': 'MaxRequestsPerChild 5\n',
    'b/httpd.conf': main('LockFile /var/lock/x\n').replace('$HERE', '$HERE/b'),
  },
  'files that no configuration reads': {
    'httpd.conf': main(),
    'extra/old.conf':
      '<Directory /of-no-machine/www>\nOrder allow,deny\nAllow from all\n</Directory>\nDefaultType text/plain\n',
  },
  '.htaccess files alone': {
    'www/.htaccess': 'Order allow,deny\nDeny from all\n',
    'www/a/.htaccess': 'Allow from all\n',
  },
  'links that lead out': {
    'httpd.conf': main('Include run/*.conf\nInclude c.conf\n'),
    'c.conf': 'MaxRequestsPerChild 5\n',
  },
  'an Include that is not here': { 'httpd.conf': main('Include local/*.conf\nInclude gone.conf\n') },
  'PHP 5': {
    'httpd.conf': main(
      'LoadModule php5_module modules/libphp5.so\nNameVirtualHost *:80\n<VirtualHost *:80>\nServerName x\n</VirtualHost>\n',
    ),
  },
};

describe(
  'one thing has one count',
  withFolder((folder) => {
    for (const [name, files] of Object.entries(TREES))
      it(`on all surfaces: ${name}`, async () => {
        for (const [file, text] of Object.entries(files)) folder().write(file, text.replaceAll('$HERE', folder().path));
        const outside = linkedFrom(folder(), LINKED[name]);
        const uri = (file: string) => pathToFileURL(folder().at(file)).href;
        const client = await Client.start({
          folders: [uri('.')],
          initializationOptions: { client: 'httpd-upgrade', trusted: true },
        });
        client.connection.onRequest('workspace/applyEdit', () => ({ applied: true }));
        const written = (file: string, type: 1 | 2) =>
          client.connection.sendNotification('workspace/didChangeWatchedFiles', {
            changes: [{ uri: uri(file), type }],
          });
        try {
          const first = await compared('at first', folder(), client);
          const answers = Object.fromEntries(
            first.configurations.flatMap(({ questions }) =>
              questions.map(({ id, answers: choices }) => [id, mostReady(choices)]),
            ),
          );
          const usual = first.configurations.flatMap(({ questions }) =>
            questions.map(({ id, answers: [choice] }) => [id, choice!.value] as const),
          );
          if (usual.length > 0) {
            folder().write('.httpd-upgrade.json', JSON.stringify({ answers: Object.fromEntries(usual) }));
            await written('.httpd-upgrade.json', 1);
            await compared('after the usual answers, of which some leave no change', folder(), client);
          }
          const [some, ...others] = Object.entries(answers).filter(([, value]) => !value.endsWith('='));
          for (const given of [some ? [some] : [], some ? [some, ...others] : []]) {
            if (given.length === 0) continue;
            folder().write('.httpd-upgrade.json', JSON.stringify({ answers: Object.fromEntries(given) }));
            await written('.httpd-upgrade.json', 2);
            await compared(`after ${given.length} answers`, folder(), client);
          }
          const plan = await client.connection.sendRequest<{ id?: number }>('httpdUpgrade/planConversion', {
            ready: {},
          });
          if (plan.id === undefined) return;
          await client.connection.sendRequest('httpdUpgrade/applyConversion', { id: plan.id });
          await compared('after Apply', folder(), client);
          await client.connection.sendRequest('httpdUpgrade/undoConversion', {});
          await compared('after Undo', folder(), client);
        } finally {
          await client.stop();
          outside.remove();
        }
      });
  }),
);

/** Makes the files outside, and the links to them. */
function linkedFrom(folder: Folder, linked: (typeof LINKED)[string] = {}): Folder {
  const outside = new Folder();
  for (const [file, [link, text]] of Object.entries(linked)) {
    outside.write(file, text);
    symlinkSync(outside.at(file.split('/')[0]!), folder.at(link));
  }
  return outside;
}

/** The answer that makes most fixes ready. */
function mostReady(choices: readonly { readonly value: string; readonly ready: number }[]): string {
  return [...choices].sort((a, b) => b.ready - a.ready)[0]!.value;
}

async function compared(when: string, folder: Folder, client: Client): Promise<UpgradePlan> {
  const out = async (...words: string[]) => (await folder.run(words)).out;
  const plan = JSON.parse(await out('plan', '--format', 'json', '.')) as UpgradePlan;
  const figures = planCounts(plan.configurations);
  const line = countsWithNouns(figures).join(' · ');
  assert.deepEqual(
    plan.summary,
    {
      blocking: figures.blocking,
      ready: figures.ready,
      waiting: figures.waiting,
      byHand: figures.byHand,
      questions: figures.questions + figures.answered,
      answered: figures.answered,
    },
    when,
  );
  const text = await out('plan', '.');
  if (plan.configurations.length > 0) assert.equal(text.split('\n\n')[0]!.replaceAll('\n', ' '), line, when);
  const report = await out('plan', '--format', 'markdown', '.');
  if (plan.configurations.length === 0) return plan;
  assert.ok(report.includes(`\n- ${line}.\n`), `${when}: ${line}\n${report.slice(0, 800)}`);
  const { err } = await folder.run(['fix', '--diff', '.']);
  assert.equal(Number(/^(\d+) fix/m.exec(err)?.[1] ?? 0), figures.ready, `${when}: fix --diff\n${err}`);
  const check = JSON.parse(await out('check', '--format', 'json', '.')) as {
    files: { findings: { severity: string; help: string | null }[] }[];
    summary: { blocking?: number; state?: string };
  };
  // A command for the server is a step, not a problem in the files.
  const blocking = check.files
    .flatMap(({ findings }) => findings)
    .filter(({ severity, help }) => severity === 'error' && !/^Run `a2enmod /.test(help ?? ''));
  assert.equal(blocking.length, figures.blocking, `${when}: check`);
  // Without a problem, check ends before these rows.
  const ending = (await out('check', '.')).replace(/\s+/g, ' ');
  const counted = (pattern: RegExp) => Number(pattern.exec(ending)?.[1] ?? 0);
  if (!/No (?:new )?problems in /.test(ending))
    assert.deepEqual(
      {
        ready: counted(/(\d+) safe fix(?:es)? can be written now/),
        waiting: counted(/(\d+) fix(?:es)? waits? for (?:the answer|answers)/),
        byHand: counted(/Also to do: (\d+) changes? by hand/),
        steps: counted(/(\d+) steps? on the server\. plan describes/),
      },
      { ready: figures.ready, waiting: figures.waiting, byHand: figures.byHand, steps: figures.steps },
      `${when}: the end of check`,
    );
  // A file by itself is no server that could start.
  const read = plan.configurations.filter(({ root }) => root !== '.');
  if (read.length > 0) {
    const { summary } = check;
    assert.deepEqual(
      [summary.blocking, summary.state],
      [planCounts(read).blocking, stateOfAll(read)],
      `${when}: check`,
    );
    const words = verdictOf({ configurations: read });
    const shown = (await out('check', '.')).replaceAll('\n', ' ');
    assert.ok(shown.includes(words), `${when}: check\n${shown.slice(-900)}\n${words}`);
    if (read.length === plan.configurations.length) assert.ok(text.replace(/\n */g, ' ').includes(words), when);
  }
  const answer = await client.connection.sendRequest<PlanReply>('httpdUpgrade/plan', {});
  // Files that no configuration reads have figures of their own in the editor, where no button
  // changes them with others.
  const mains = plan.configurations.filter((_, index) => answer.configurations[index]?.uri !== null);
  const shownFigures = mains.length === 0 ? figures : planCounts(mains);
  assert.deepEqual(countsWithoutTicked(answer), shownFigures, `${when}: the view`);
  assert.equal(planState(answer).blockingCount, shownFigures.blocking, `${when}: the status bar`);
  const header = countsWithNouns(shownFigures).join(' · ');
  assert.ok(
    progressText(countsWithoutTicked(answer), 100).replaceAll('\u00a0', ' ').endsWith(header),
    `${when}: the header`,
  );
  // With the last fix, files that no configuration reads have nothing to plan.
  if (answer.plan.configurations.length === 0) return plan;
  const { text: shown } = await client.connection.sendRequest<{ text: string }>('httpdUpgrade/report', {
    format: 'markdown',
  });
  assert.ok(shown.includes(`\n- ${header}.\n`), `${when}: the editor's report`);
  return plan;
}
