/** What stands in the state directory: half states, other users, links. */
import assert from 'node:assert/strict';
import { chownSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { isAccepted, rememberAccepted } from '../../server/src/host/accepted';
import { changeFunctions } from '../../server/src/host/change';
import { convertedDirectoryTest, rememberConverted } from '../../server/src/host/change-home';
import { nodeDisk } from '../../server/src/host/disk';
import { needsRoot, OTHER_USER, withFolder } from '../cli/run';

const ID = '20200101-000000';

describe(
  'a journal',
  withFolder((folder) => {
    const home = () => folder().at('state');
    const record = () => path.join(home(), 'changes', ID);
    const changes = () => changeFunctions(nodeDisk, () => [home()]);
    const stored = (journal: unknown, mark: string) => {
      for (const name of ['state', 'state/locks', 'state/changes', `state/changes/${ID}`])
        mkdirSync(folder().at(name), { recursive: true, mode: 0o700 });
      if (journal !== undefined)
        folder().write(
          `state/changes/${ID}/journal.json`,
          typeof journal === 'string' ? journal : JSON.stringify(journal),
        );
      folder().write(`state/changes/${ID}/${mark}`, '');
    };
    const whole = () => ({
      version: 1,
      id: ID,
      at: 1,
      undoes: null as unknown,
      files: [
        { path: folder().at('a.conf'), before: 'x', after: 'y', mtimeMs: null, oldMtimeMs: 0, staging: record() },
      ] as unknown,
    });
    const entry = () => (whole().files as object[])[0]!;
    const damaged = (): readonly unknown[] => [
      undefined,
      'null',
      '[]',
      '5',
      '',
      '{"version":1,"id":"20',
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      {},
      { ...whole(), id: '../../outside' },
      { ...whole(), at: 'soon' },
      { ...whole(), at: 1e300 },
      { ...whole(), undoes: '../../outside' },
      { ...whole(), undoes: 7 },
      { ...whole(), files: {} },
      { ...whole(), files: [null] },
      { ...whole(), files: [{ ...entry(), path: null }] },
      { ...whole(), files: [{ ...entry(), path: 'a.conf' }] },
      { ...whole(), files: [{ ...entry(), staging: folder().at('outside') }] },
      { ...whole(), files: [{ ...entry(), staging: `.httpd-upgrade-${ID}` }] },
    ];

    /** No undo happens. `settles`: whether the next change may begin and removes the journal. */
    const leadsNowhere = async (title: string, settles: boolean): Promise<void> => {
      assert.deepEqual(await changes().list(), [], title);
      assert.deepEqual(await changes().unfinishedChanges(), [], title);
      for (const id of [undefined, ID]) {
        const { undone, problems } = await changes().undo(id);
        assert.equal(undone, null, title);
        if (settles) continue;
        assert.deepEqual(
          problems.map(({ path: file }) => file),
          [record()],
          title,
        );
        assert.match(problems[0]!.reason, /journal is damaged; compare your files/, title);
      }
      const before = Buffer.from('ServerName a\n');
      const outcome = await changes().write([
        { path: folder().at('a.conf'), before, after: Buffer.from('ServerName b\n') },
      ]);
      assert.equal('id' in outcome, settles, `${title}: ${JSON.stringify(outcome)}`);
      if (settles) assert.notEqual((await changes().undo()).undone, null, title);
      assert.equal(folder().text('a.conf'), 'ServerName a\n', title);
      assert.equal(folder().text('outside/old/0'), 'kept', title);
    };

    for (const [mark, settles] of [
      ['is-done', true],
      ['is-written', true],
      ['is-preparing', true],
      ['is-writing', false],
      ['is-back', false],
    ] as const)
      it(`that is damaged leads nowhere: ${mark}`, async () => {
        folder().write('a.conf', 'ServerName a\n');
        folder().write('outside/old/0', 'kept');
        for (const journal of damaged()) {
          stored(journal, mark);
          await leadsNowhere(JSON.stringify(journal)?.slice(0, 200) ?? 'none', settles);
          rmSync(home(), { recursive: true });
        }
      });
  }),
);

describe(
  'what is remembered of a configuration',
  withFolder((folder) => {
    const at = (name: string) => folder().at(name);
    const given = process.env.HTTPD_UPGRADE_STATE;
    afterEach(() => {
      process.env.HTTPD_UPGRADE_STATE = given;
    });

    it('is neither stored nor believed where another user may lead the way', function () {
      needsRoot(this);
      folder().write('conf/httpd.conf', 'Require all granted\n');
      const files = { files: [], options: [] } as never;
      const root = at('conf/httpd.conf');
      for (const title of ['a directory of another user', 'a link of another user']) {
        for (const name of ['theirs', 'own/httpd-upgrade']) mkdirSync(at(name), { recursive: true, mode: 0o700 });
        process.env.HTTPD_UPGRADE_STATE = at('own');
        rememberConverted({ converted: [at('conf')] });
        rememberAccepted(root, files);
        assert.ok(convertedDirectoryTest()(at('conf')) && isAccepted(root, () => files));
        const before = readdirSync(at('own'), { recursive: true });
        if (title.startsWith('a link')) symlinkSync(at('own/httpd-upgrade'), at('theirs/httpd-upgrade'));
        else symlinkSync(at('own'), at('theirs/state'));
        chownSync(at('theirs'), OTHER_USER, OTHER_USER);
        process.env.HTTPD_UPGRADE_STATE = at(title.startsWith('a link') ? 'theirs' : 'theirs/state');
        assert.ok(!convertedDirectoryTest()(at('conf')), title);
        assert.ok(!isAccepted(root, () => files), title);
        folder().write('conf/httpd.conf', 'Require all granted\nRequire local\n');
        rememberConverted({ converted: [at('conf')] });
        rememberAccepted(root, null);
        rememberAccepted(`${root}.other`, files);
        assert.deepEqual(readdirSync(at('own'), { recursive: true }), before, title);
        folder().write('conf/httpd.conf', 'Require all granted\n');
        for (const name of ['theirs', 'own']) rmSync(at(name), { recursive: true });
      }
    });
  }),
);
