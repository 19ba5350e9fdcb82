/**
 * A run in a process that has had many (test/support/warm.ts) prints and writes the same as in a
 * new process.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './one-question';
import { Folder, type RunOptions, withFolder } from './run';

/** One after the other, in one folder. */
const RUNS: readonly (readonly [words: string, options?: RunOptions])[] = [
  ['--version'],
  ['--help'],
  [''],
  ['chekc'],
  ['check --format nothing .'],
  ['check .'],
  ['check .', { env: { FORCE_COLOR: '1' } }],
  ['check .', { env: { FORCE_COLOR: '1', TERM: 'dumb', NO_COLOR: '1' } }],
  ['check --format json .'],
  ['check --format junit --output report.xml .'],
  ['check --output nowhere/report .'],
  ['check --baseline known.json --update-baseline .'],
  ['check -'],
  ['check nothing.conf'],
  ['check --config broken.json .'],
  ['includes httpd.conf'],
  ['plan --format json httpd.conf'],
  ['explain MaxClients'],
  ['explain MaxCleints'],
  ['explain-access httpd.conf:18'],
  ['rules'],
  ['completion bash'],
  ['fix .'],
  ['format httpd.conf'],
  ['fix --write httpd.conf'],
  ['fix --write httpd.conf'],
  ['undo'],
  ['undo'],
  ['fix --write --unsafe --answer nothing=1 .'],
  ['fix --write --unsafe .'],
  ['check .', { cwd: 'conf.d' }],
  ['verify --httpd /nothing httpd.conf'],
];

describe(
  'the command line in a process that has run it before',
  withFolder((folder) => {
    let apart: Folder;
    beforeEach(() => {
      // Of one length: what is written wraps where names end.
      apart = new Folder();
      for (const each of [folder(), apart]) {
        each.write('httpd.conf', `${ROOT}Include conf.d\n`);
        each.write('broken.json', '{');
        each.write('conf.d/a.conf', 'RewriteLog x\nSSLMutex default\n<IfModule mod_x.c>\n');
        each.write('www/.htaccess', Buffer.from('# caf\xe9\r\nOrder deny,allow\r\nDeny from all\r\n', 'latin1'));
      }
    });
    afterEach(() => apart.remove());

    it(`says and writes what a process of its own does (${RUNS.length} command lines)`, async () => {
      for (const [words, { cwd = '', ...options } = {}] of RUNS) {
        const [warm, own] = [folder(), apart].map((each) => async (isApart: boolean) => {
          const args = words.split(' ').filter(Boolean);
          const { code, out, err } = await each.run(args, {
            ...options,
            cwd: each.at(cwd),
            env: { HTTPD_UPGRADE_STATE: each.at('state'), ...options.env },
            isApart,
          });
          return { code, said: comparable(out, each), problems: comparable(err, each), files: filesOf(each) };
        });
        const [actual, expected] = [await warm!(false), await own!(true)];
        assert.deepEqual(actual, expected, words);
      }
    });
  }),
);

/** Where it was, when, and how long it took are of the run. */
function comparable(text: string, { path: folder }: Folder): string {
  return text
    .replaceAll(folder, 'FOLDER')
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?Z?/g, 'TIME')
    .replace(/\b\d+(\.\d+)? m?s\b/g, 'DURATION');
}

function filesOf(folder: Folder): Record<string, string> {
  const names = readdirSync(folder.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder.path, path.join(entry.parentPath, entry.name)));
  return Object.fromEntries(
    names
      .filter((name) => !name.startsWith('state'))
      .sort()
      .map((name) => [name, comparable(folder.text(name), folder)]),
  );
}
