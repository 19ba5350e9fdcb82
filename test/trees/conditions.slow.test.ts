/**
 * Trees with conditions, and recorded answers of a real 2.2 and a real 2.4 with mod_access_compat,
 * if the folder with these exists. The models have to give these answers. After each kind of fix
 * without suggestions, 2.4 has to answer as 2.2 did. Or the lines that decide are unchanged, and a
 * finding reports the difference.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describeOver } from '../support/lacks';
import { conditionTrees } from '../support/paths';
import { Disk, Place } from './disk';
import { command, writeQuickly } from './product';
import { Server, type Client } from './server';

interface Request {
  readonly from: string;
  readonly user: string | null;
  readonly method: string;
  readonly path: string;
  readonly v22: number;
  readonly v24compat: number;
}

interface Recorded {
  readonly modules: { readonly modules22: readonly string[]; readonly modules24: readonly string[] };
  readonly trees: readonly {
    readonly name: string;
    readonly files: Readonly<Record<string, string>>;
    readonly mpm22: string;
    readonly mpm24: string;
    readonly requests: readonly Request[];
  }[];
}

type RecordedTree = Recorded['trees'][number];

/** What the models know nothing of. */
const UNKNOWN = /RewriteRule/;
const MAIN = 'conf/httpd.conf';
const MODULES = 'conf/modules.conf';
const MODES: Readonly<Record<string, readonly string[]>> = {
  write: [],
  standalone: ['--assume-standalone'],
  answers: ['--assume-standalone', '--answer', 'mpm=event'],
  both: ['--assume-standalone', '--keep-both'],
};

describeOver('conditions', 'recorded trees around conditions', function () {
  this.timeout(900_000);
  const { modules, trees } = JSON.parse(readFileSync(conditionTrees, 'utf8')) as Recorded;
  const usable = trees.filter(({ files }) => !Object.values(files).some((text) => UNKNOWN.test(text)));
  const loading = (names: readonly string[]) =>
    names.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join('');
  let place: Place;
  let writeAsUsual: () => void;

  before(() => {
    place = new Place();
    writeAsUsual = writeQuickly();
  });
  after(() => {
    writeAsUsual();
    place.remove();
  });

  const filesOf = ({ files }: RecordedTree) => ({
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.replaceAll('@PORT@', '8080')])),
    [MODULES]: loading(modules.modules22),
  });
  const answersOf = (tree: RecordedTree, disk: Disk, version: '2.2' | '2.4', lacks: readonly string[] = []) => {
    const own = { ...disk.files() };
    if (version === '2.4') own[MODULES] = loading(modules.modules24.filter((name) => !name.startsWith('mpm_')));
    const seen = Disk.of(
      Object.fromEntries(Object.entries(own).map(([name, text]) => [`${disk.root}/${name}`, text])),
      disk.root,
    );
    const spec = { defines: [], mpms: [tree.mpm22, tree.mpm24] as const, lacks: ['mod_ssl', 'mod_macro', ...lacks] };
    const server = new Server(seen, spec, version, `${disk.root}/${MAIN}`, false, true);
    return tree.requests.map(({ from, user, method, path }) => {
      const name = user?.split(':')[0] ?? null;
      const groups = name === 'bob' ? ['staff'] : [];
      const client: Client = { address: from, name: null, user: name, variables: new Set(), groups };
      return server.answer('', path, method, client);
    });
  };
  /** A 404 hangs on files, which the models leave aside. */
  const differing = (tree: RecordedTree, given: readonly unknown[], of: 'v22' | 'v24compat') =>
    tree.requests.filter((request, index) => request[of] !== 404 && request[of] !== given[index]);

  it('answer in the models as they did', () => {
    assert.ok(usable.length > 80);
    const wrong: string[] = [];
    for (const tree of usable) {
      place.write({ files: filesOf(tree), servers: [{ main: MAIN }] });
      const disk = place.read();
      if (differing(tree, answersOf(tree, disk, '2.2'), 'v22').length > 0) wrong.push(`2.2 ${tree.name}`);
      if (differing(tree, answersOf(tree, disk, '2.4'), 'v24compat').length > 0) wrong.push(`2.4 ${tree.name}`);
    }
    assert.deepEqual(wrong, []);
  });

  for (const [mode, options] of Object.entries(MODES)) {
    it(`answer as in 2.2 where something was changed: ${mode}`, async () => {
      const wrong: string[] = [];
      let changed = 0;
      for (const tree of usable) {
        place.write({ files: filesOf(tree), servers: [{ main: MAIN }] });
        const before = JSON.stringify(place.read().files());
        const isSaid = (await command(['check', '--format', 'json', '.'], { cwd: place.path })).out.includes(
          '"condition-one-version"',
        );
        await command(['fix', '--write', ...options, '.'], { cwd: place.path });
        const disk = place.read();
        const { [MODULES]: _, ...files } = disk.files();
        const { [MODULES]: __, ...old } = JSON.parse(before) as Record<string, string>;
        if (JSON.stringify(files) === JSON.stringify(old)) continue;
        changed++;
        const answers = answersOf(tree, disk, '2.4');
        const isWrong = ({ v22, v24compat }: Request, index: number) =>
          v22 !== 404 && answers[index] !== v22 && !(isSaid && answers[index] === v24compat);
        if (tree.requests.some(isWrong)) wrong.push(tree.name);
      }
      assert.deepEqual(wrong, []);
      assert.ok(changed > 25, `only ${changed} are changed`);
    });
  }

  it('have a problem where 2.4 opens what 2.2 refused', async () => {
    const silent: string[] = [];
    for (const tree of trees) {
      const opens = tree.requests.some(({ v22, v24compat }) => (v22 === 401 || v22 === 403) && v24compat === 200);
      if (!opens) continue;
      place.write({ files: filesOf(tree), servers: [{ main: MAIN }] });
      const { out } = await command(['check', '--format', 'json', '.'], { cwd: place.path });
      if (!out.includes('"condition-one-version"')) silent.push(tree.name);
    }
    assert.deepEqual(silent, []);
  });
});
