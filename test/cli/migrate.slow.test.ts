/** `migrate`: the plan as a dialog in a pseudo terminal; and the message without a terminal. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { withAnswers } from '../../server/src/settings/project-file';
import type { UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { idBelowFolder } from '../../server/src/analysis/answers';
import { QUESTION, ROOT } from './one-question';
import { needs, withFolder } from './run';
import { inTerminal, KEYS, type Step } from './terminal';

const FIRST: Step = ["I don't know", KEYS.up.repeat(3) + KEYS.enter];
const LAST: Step = ["I don't know", KEYS.enter];
const WRITE: Step = ['Write nothing', KEYS.down + KEYS.enter];
const STOP: Step = ['Write nothing', KEYS.down.repeat(2) + KEYS.enter];

describe(
  'migrate',
  withFolder((folder) => {
    before(function () {
      needs(this, 'python3');
    });
    beforeEach(() => folder().write('conf/httpd.conf', ROOT));
    const all = () => (readdirSync(folder().path, { recursive: true }) as string[]).sort();
    const talk = (...steps: Step[]) => inTerminal(['migrate', 'conf/httpd.conf'], steps, { cwd: folder().path });
    const isUntouched = () => {
      assert.deepEqual(all(), ['conf', 'conf/httpd.conf']);
      assert.equal(folder().text('conf/httpd.conf'), ROOT);
    };

    it('asks, shows what would change, writes, keeps the answers, and tells how to undo', async () => {
      const { code, text } = await talk(
        FIRST,
        ['Keep the answer', KEYS.yes],
        ['Write nothing', KEYS.enter],
        ['+    Require all granted', ''],
        ['Write nothing', KEYS.enter],
        ['Let a real httpd', KEYS.no],
      );
      assert.equal(code, 0);
      for (const said of [
        '1 fix is ready, 1 waits for an answer. 0 changes by hand.',
        'Does any .htaccess file in, below or above /var/www/html use Order, Allow,',
        'The question is about conf/httpd.conf:8',
        'find -L /var/www/html -name .htaccess',
        '(the usual ',
        '1 more fix is ready: 2 now.',
        'The answers are in .httpd-upgrade.json',
        'httpd-upgrade verify conf/httpd.conf',
        '"httpd-upgrade undo" restores the old files',
      ])
        assert.ok(text.includes(said), `${said}\n${text}`);
      assert.match(folder().text('conf/httpd.conf'), /^ {4}Require all granted$/m);
      assert.deepEqual(JSON.parse(folder().text('.httpd-upgrade.json')), { answers: { [QUESTION]: 'none' } });
      assert.deepEqual(all(), ['.httpd-upgrade.json', 'conf', 'conf/httpd.conf']);
      assert.equal((await folder().run(['undo'])).code, 0);
      assert.equal(folder().text('conf/httpd.conf'), ROOT);
    });

    it('keeps the source with the answers, so that a copy of the fixed files shows the same steps', async () => {
      const old = ROOT.replace(/^LoadModule (?:mpm_prefork|authz_core|unixd|access_compat)_module .*\n/gm, '');
      folder().write(
        'conf/httpd.conf',
        `${old.replace('MaxConnectionsPerChild 0\n', '')}DavLockDB /var/lib/dav/lockdb\n`,
      );
      const steps = async (file: string) => {
        const { out } = await folder().run(['plan', '--format', 'json', file]);
        const { onServer } = (JSON.parse(out) as UpgradePlan).configurations[0]!;
        return onServer.filter(({ isNote }) => !isNote).map(({ id }) => id);
      };
      const { code, text } = await talk(
        FIRST,
        ['Question 2', ''],
        ['Your answer', KEYS.enter],
        ['Question 3', ''],
        ['Your answer', KEYS.enter],
        ['Question 4', ''],
        ['Your answer', KEYS.enter],
        ['Keep the 4 answers', KEYS.yes],
        WRITE,
        ['Let a real httpd', KEYS.no],
      );
      assert.equal(code, 0, text);
      assert.doesNotMatch(text.slice(text.indexOf('The answers are in')), /--answer/);
      const before = await steps('conf/httpd.conf');
      assert.ok(before.includes('strict-protocol') && before.includes('dav-lock-db'), before.join(' '));
      for (const file of ['.httpd-upgrade.json', 'conf/httpd.conf'])
        folder().write(`copy/${file}`, folder().text(file));
      assert.deepEqual(await steps('copy/conf/httpd.conf'), before);
      assert.equal((JSON.parse(folder().text('.httpd-upgrade.json')) as { source?: string }).source, '2.2');
    });

    it('keeps the names of -D with the answers', async () => {
      const { code, text } = await inTerminal(
        ['migrate', '-D', 'SSL', '-D', 'B', 'conf/httpd.conf'],
        [FIRST, ['Keep the answer and the names of -D', KEYS.yes], WRITE, ['Let a real httpd', KEYS.no]],
        { cwd: folder().path },
      );
      assert.equal(code, 0, text);
      assert.deepEqual(JSON.parse(folder().text('.httpd-upgrade.json')), {
        defines: ['SSL', 'B'],
        answers: { [QUESTION]: 'none' },
      });
    });

    it('leaves the names that a settings file has', () => {
      const answers = new Map([['a', 'b']]);
      const kept = withAnswers('{\n  "defines": ["A"]\n}\n', answers, { defines: new Map([['B', '']]) });
      assert.deepEqual(JSON.parse(kept!), { defines: ['A'], answers: { a: 'b' } });
      const withValue = withAnswers(null, answers, { defines: new Map([['B', '1']]) });
      assert.deepEqual(JSON.parse(withValue!), { defines: { B: '1' }, answers: { a: 'b' } });
    });

    it('stops at a second main file, and names the command for both', async () => {
      folder().write('conf/httpd-dev.conf', ROOT);
      const question = 'Go on without the other main files?';
      const { code, text } = await talk([question, KEYS.enter]);
      assert.equal(code, 0, text);
      assert.match(text, /2 main configuration files here can read the same files\./);
      assert.match(text, /Nothing was changed\. Run:\s+httpd-upgrade migrate \./);
      assert.equal(folder().text('conf/httpd.conf'), ROOT);
      const alone = await talk([question, KEYS.yes], ["I don't know", KEYS.ctrlC]);
      assert.match(alone.text, /1 fix is ready, 1 waits for an answer/);
    });

    it('lists a comment about a removed line at the end', async () => {
      const mutex = '#   Semaphore:\n#   Configure the path\nSSLMutex file:/var/run/ssl_mutex\n';
      folder().write('conf/httpd.conf', `${ROOT}LoadModule ssl_module modules/mod_ssl.so\n${mutex}`);
      const { code, text } = await talk(LAST, WRITE, ['Let a real httpd', KEYS.no]);
      assert.equal(code, 0, text);
      assert.doesNotMatch(folder().text('conf/httpd.conf'), /^SSLMutex/m);
      const taskRows = text.slice(text.indexOf('Left to do by hand:'));
      assert.match(taskRows, /^Left to do by hand:[^]*Remove or change this comment: it is about\s+│?\s*`SSLMutex`/);
    });

    it('says of an answer how many fixes then still need other answers', async () => {
      folder().write('conf/httpd.conf', `${ROOT}Include /etc/missing/*.conf\n`);
      const { text } = await talk(["I don't know", KEYS.down], ['(1 fix then still', KEYS.ctrlC]);
      assert.match(text, /\(1 fix then still\s+│?\s*needs other answers\)/);
    });

    it("Enter alone does not answer; *I don't know* is a whole path: what waits stays, and how to find out is said", async () => {
      const { code, text } = await talk(LAST, WRITE, ['Let a real httpd', KEYS.no]);
      assert.equal(code, 0);
      assert.match(text, /Still open, so the fixes that wait for the answer are not made:/);
      assert.match(folder().text('conf/httpd.conf'), /^ {4}Order allow,deny\n {4}Allow from all$/m);
      assert.match(folder().text('conf/httpd.conf'), /^MaxRequestWorkers 10$/m);
      assert.deepEqual(all(), ['conf', 'conf/httpd.conf']);
    });

    it('takes where a copy of the rest is, and reads it', async () => {
      folder().write('www/.htaccess', 'Order deny,allow\nDeny from all\n');
      const { code, text } = await talk(
        ["I don't know", KEYS.up.repeat(2) + KEYS.enter],
        ['Where is the copy on this machine', `gone${KEYS.enter}`],
        ['no file or directory has this name', `${'\x7f'.repeat(4)}www${KEYS.enter}`],
        ['Keep the answer', KEYS.yes],
        STOP,
      );
      assert.equal(code, 0, text);
      assert.deepEqual(JSON.parse(folder().text('.httpd-upgrade.json')), { answers: { [QUESTION]: 'here=www' } });
      assert.equal(folder().text('conf/httpd.conf'), ROOT);
    });

    it('puts the answers to those that are there', async () => {
      folder().write(
        '.httpd-upgrade.json',
        '{\n    "target": "2.4.6",\n    "answers": { "include-unseen:/x": "keep" }\n}\n',
      );
      await talk(FIRST, ['Keep the answer', KEYS.yes], STOP);
      assert.equal(
        folder().text('.httpd-upgrade.json'),
        `{\n    "target": "2.4.6",\n    "answers": {\n        "include-unseen:/x": "keep",\n        "${QUESTION}": "none"\n    }\n}\n`,
      );
    });

    const moments: [title: string, steps: Step[]][] = [
      ['at the first question', [["I don't know", KEYS.ctrlC]]],
      [
        'where a path is asked for',
        [
          ["I don't know", KEYS.up.repeat(2) + KEYS.enter],
          ['Where is the copy on this machine', KEYS.ctrlC],
        ],
      ],
      ['before the answers are kept', [FIRST, ['Keep the answer', KEYS.ctrlC]]],
      ['after it was said that they are', [FIRST, ['Keep the answer', KEYS.yes], ['Write nothing', KEYS.ctrlC]]],
      [
        'after the difference was shown',
        [
          FIRST,
          ['Keep the answer', KEYS.yes],
          ['Write nothing', KEYS.enter],
          ['+    Require all granted', ''],
          ['Write nothing', KEYS.ctrlC],
        ],
      ],
      ['while it reads', [['httpd-upgrade:', KEYS.ctrlC]]],
    ];
    for (const [title, steps] of moments) {
      it(`leaves everything as it was with Ctrl-C ${title}`, async () => {
        const { code, text } = await talk(...steps);
        // Between two questions the terminal ends the program by itself.
        assert.ok(code === 130 || code === -2, `${code}\n${text}`);
        if (code === 130) assert.match(text, /Stopped\. Nothing was changed\./);
        isUntouched();
      });
    }

    it('with Ctrl-C after it was written, has written', async () => {
      const { code } = await talk(FIRST, ['Keep the answer', KEYS.no], WRITE, ['Let a real httpd', KEYS.ctrlC]);
      assert.equal(code, 0);
      assert.match(folder().text('conf/httpd.conf'), /Require all granted/);
    });

    it('names what is left at the lines where it is now', async () => {
      folder().write('conf/httpd.conf', `${ROOT}Timeout 5\nSSLMutex x:y\nFoo bar\n`.replace('MaxClients 10\n', ''));
      const { text } = await talk(FIRST, ['Keep the answer', KEYS.no], WRITE, ['Let a real httpd', KEYS.no]);
      const rows = folder().text('conf/httpd.conf').split('\n');
      const left = [...text.slice(text.indexOf('Left to do by hand')).matchAll(/conf\/httpd\.conf:(\d+)/g)].map(
        ([, line]) => Number(line),
      );
      assert.ok(left.length > 0, text);
      for (const line of left)
        assert.ok(line <= rows.length && rows[line - 1].trim() !== '', `${line}\n${rows.join('\n')}`);
    });

    it('goes back to the question before, and to any answer at the end', async () => {
      folder().write('conf/httpd.conf', `${ROOT}Include /etc/gone/x.conf\n`);
      const { code, text } = await inTerminal(
        ['migrate', 'conf/httpd.conf'],
        [
          FIRST,
          ['Go back to the previous question', KEYS.down + KEYS.enter],
          ['Question 1,', ''],
          LAST,
          ['Question 2', ''],
          FIRST,
          ['Keep the answer', KEYS.no],
          ['Change an answer', KEYS.down.repeat(3) + KEYS.enter],
          ['Which one?', KEYS.enter],
          ['Question 2', ''],
          FIRST,
          ['Keep the 2 answers', KEYS.no],
          WRITE,
          ['Let a real httpd', KEYS.no],
        ],
        { cwd: folder().path },
      );
      assert.equal(code, 0, text);
      assert.match(folder().text('conf/httpd.conf'), /^ {4}Require all granted$/m);
      assert.deepEqual(all(), ['conf', 'conf/httpd.conf']);
    });

    it('leaves everything as it was with Ctrl-C after going back', async () => {
      const { code } = await talk(
        FIRST,
        ['Keep the answer', KEYS.no],
        ['Change an answer', KEYS.down.repeat(3) + KEYS.enter],
        ['Question 1', ''],
        ["I don't know", KEYS.ctrlC],
      );
      assert.equal(code, 130);
      isUntouched();
    });

    it('asks nothing where everything is answered', async () => {
      const { code, text } = await inTerminal(
        ['migrate', '--answer', `${QUESTION}=none`, 'conf/httpd.conf'],
        [WRITE, ['Let a real httpd', KEYS.no]],
        { cwd: folder().path },
      );
      assert.equal(code, 0);
      assert.doesNotMatch(text, /I don't know|Keep the answer/);
    });

    it('asks nothing without a terminal, and says which answers to give instead', async () => {
      const { code, out, err } = await folder().run(['migrate', '--target', '2.4.6', 'conf/httpd.conf']);
      assert.equal(code, 2);
      assert.equal(out, '');
      assert.match(err, /migrate asks its questions in a terminal, and there is none/);
      assert.match(err, new RegExp(`^ {4}or --answer ${QUESTION}=none {3}\\(No\\)$`, 'm'));
      assert.match(err, /^ {2}httpd-upgrade fix --write --target 2\.4\.6 conf\/httpd\.conf$/m);
      isUntouched();
    });

    it('shows names as text, whatever is in them', async () => {
      folder().write('conf/httpd.conf', ROOT.replaceAll('/var/www/html', '/var/www/\x1b[31mhtml\x07'));
      const { text } = await talk(LAST, STOP);
      assert.ok(text.includes('/var/www/·[31mhtml·'), text);
    });

    it('does not write over a settings file that is no JSON', () => {
      assert.equal(withAnswers('{ // a comment\n}', new Map([['a', 'b']])), null);
      assert.equal(withAnswers('[]', new Map([['a', 'b']])), null);
    });

    it('writes answers into a settings file, and leaves all else in it as it is', () => {
      const answers = new Map([
        ['a', 'b'],
        ['c', 'd'],
      ]);
      for (const [before, after] of [
        [null, '{\n  "answers": {\n    "a": "b",\n    "c": "d"\n  }\n}\n'],
        [
          '{\n  "defines": ["A",  "B"],\n  "answers": "none",\n  "source":  "2.2"\n}',
          '{\n  "defines": ["A",  "B"],\n  "answers": {\n    "a": "b",\n    "c": "d"\n  },\n  "source":  "2.2"\n}',
        ],
        [
          '\uFEFF{\r\n\t"answers": {\r\n\t\t"x": "y",\r\n\t\t"a": "z"\r\n\t}\r\n}\r\n',
          '\uFEFF{\r\n\t"answers": {\r\n\t\t"x": "y",\r\n\t\t"a": "b",\r\n\t\t"c": "d"\r\n\t}\r\n}\r\n',
        ],
      ] as const)
        assert.equal(withAnswers(before, answers), after);
    });

    it('adds the source 2.2 to a settings file that has none', () => {
      const answers = new Map([['a', 'b']]);
      assert.equal(
        withAnswers(null, answers, { isFrom22: true }),
        '{\n  "answers": {\n    "a": "b"\n  },\n  "source": "2.2"\n}\n',
      );
      assert.equal(
        withAnswers('{ "source": "2.4", "answers": {} }', answers, { isFrom22: true }),
        withAnswers('{ "source": "2.4", "answers": {} }', answers),
      );
    });

    it('names files of this machine from where the answers are kept', () => {
      assert.equal(idBelowFolder('other-main:etc/a.conf', '/home/x', '/home/x/etc'), 'other-main:a.conf');
      assert.equal(idBelowFolder('outside-unseen:.', '/home/x', '/home/x/etc'), 'outside-unseen:.');
      assert.equal(idBelowFolder('htaccess-unseen:/var/www', '/home/x', '/home/x/etc'), 'htaccess-unseen:/var/www');
    });
  }),
);
