/**
 * Whole servers of the corpus at the usual places of a tree: a plain copy, a copy below a directory
 * `etc`, and, in a root directory of its own, the original place. `includes`, the findings of
 * `check`, and the plan's questions and ready fixes are the same, except for facts of the machine:
 * missing files, and readable directories. UPGRADE_TREES=all also takes every tree under another
 * name.
 */
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { Folder } from '../cli/run';
import { Chroot } from '../support/chroot';
import { describeOver, lacks } from '../support/lacks';
import { bundle } from '../support/built';
import { corpusFolder } from '../support/paths';
import { rows } from './files';
import { OTHER_PLACES, placeArguments, PLACES, restoreLinks } from './settled';

/** The results for a tree, in terms of its own files. */
interface Told {
  /** Each file with the depth of the include. */
  readonly includes: readonly string[];
  /** `file:line rule/message`. */
  readonly findings: readonly string[];
  /** Of access lines: why they are not converted, or what they wait for. */
  readonly openQuestions: readonly string[];
}

/** Rules that speak of this machine's files, and so only where the tree is this machine's own. */
const OF_THE_MACHINE: ReadonlySet<string> = new Set(['path-missing', 'ssl-certificate-missing', 'include-no-match']);

/** Trees that are tried under another name, too, in the usual run: one of each kind of layout. */
const LAYOUTS: ReadonlySet<string> = new Set([
  'centos6-etckeeper',
  'gentoo-chenbingkun',
  'ubuntu-owaspbwa',
  'wikimedia-2012',
  'win-appserv',
]);

describeOver('corpus', 'trees of the corpus in the usual places', function () {
  this.timeout(900_000);
  let chroot: Chroot | null = null;
  let folder: Folder;
  beforeEach(async function () {
    folder = new Folder();
    chroot = await Chroot.open();
    if (!chroot) lacks(this, 'a root directory of its own needs root, unshare, nsenter and overlays');
  });
  afterEach(() => {
    chroot?.close();
    folder.remove();
  });

  for (const settled of [...PLACES, ...OTHER_PLACES]) {
    const { name, place } = settled;
    it(name, async () => {
      const inside = chroot!;
      const [, root, , tree] = rows('TREES.tsv').find(([each]) => each === name)!;
      const main = root.slice(tree.length + 1);
      const put = (at: string): string => {
        cpSync(path.join(corpusFolder, tree), at, { recursive: true, dereference: true });
        restoreLinks(tree, (file) => at + file);
        return at;
      };
      const isOfAll = process.env.UPGRADE_TREES === 'all' || LAYOUTS.has(name);
      const copies = [
        put(folder.at(`copy/${path.basename(place)}`)),
        put(folder.at(`image${place}`)),
        // A server's `conf` by itself has its name from httpd.
        ...(isOfAll ? [put(folder.at(path.basename(place) === 'conf' ? 'renamed/conf' : 'renamed'))] : []),
      ];
      const [told, below, renamed] = await Promise.all(
        copies.map(async (at) =>
          toldOf(
            at,
            main,
            folder.path,
            async (words) => (await folder.run([...words, ...placeArguments(settled, at)])).out,
          ),
        ),
      );
      if (isOfAll) assert.deepEqual(renamed, told, 'under another name, as in a plain copy');
      assert.deepEqual(below, told, 'below etc, as in a plain copy');

      for (const old of ['/etc/apache2', '/etc/httpd', '/var/www'])
        rmSync(inside.at(old), { recursive: true, force: true });
      put(inside.at(place));
      const own = await toldOf(place, main, '/', (words) =>
        Promise.resolve(
          inside.run(process.execPath, [bundle('cli.js'), ...words, ...placeArguments(settled, place)]).out,
        ),
      );
      assert.deepEqual(own.includes, told.includes, 'includes at its own place');
      assert.deepEqual(own.findings, told.findings, 'findings at its own place');
      assert.deepEqual(own.openQuestions, told.openQuestions, 'open questions at its own place');
    });
  }
});

async function toldOf(
  at: string,
  main: string,
  from: string,
  run: (words: readonly string[]) => Promise<string>,
): Promise<Told> {
  const file = path.join(at, main);
  const [includes, check, plan] = [
    await run(['includes', file]),
    await run(['check', '--format', 'json', file]),
    await run(['plan', '--format', 'json', file]),
  ];
  const short = (each: string) => path.relative(at, path.resolve(from, each));
  // Ids of questions about files of the tree have their paths.
  const ofTree = (id: string) =>
    id.replace(/^(outside-unseen|other-main):(.*)$/, (_, kind: string, subject: string) => `${kind}:${short(subject)}`);
  const { files } = JSON.parse(check) as {
    files: { path: string; findings: { rule: string; consequence: string; range: { start: { line: number } } }[] }[];
  };
  const { configurations } = JSON.parse(plan) as UpgradePlan;
  return {
    includes: includes
      .split('\n')
      .map((row) =>
        row
          .replace(/^( *)(?!\d+: )(\S+)/, (_, indent: string, name: string) => indent + short(name))
          .replace(/(?<=\(through )[^)]+/, short),
      ),
    findings: files
      .flatMap(({ path: of, findings }) =>
        findings
          .filter(({ rule }) => !OF_THE_MACHINE.has(rule))
          .map(({ rule, consequence, range }) => `${short(of)}:${range.start.line + 1} ${rule}: ${consequence}`),
      )
      .sort(),
    openQuestions: configurations
      .flatMap(({ questions, waiting, byHand }) => [
        ...questions.map(({ id }) => ofTree(id)),
        ...waiting.map(
          (each) =>
            `${short(each.file)}:${each.line + 1} ${each.rule} waits for ${each.waitsFor.map(ofTree).join(', ')}`,
        ),
        ...byHand
          .filter(({ rule }) => !OF_THE_MACHINE.has(rule))
          .map((each) => `${short(each.file)}:${each.line + 1} ${each.rule} by hand`),
      ])
      .sort(),
  };
}
