/**
 * `access --diff` of a configuration before and after `fix --write`, read by 2.2 and by 2.4: no
 * client gains or loses access. Lines that the fix leaves decide in 2.4 as they would without it:
 * only these differences remain. A copy never differs from itself.
 *
 * HTTPD_UPGRADE_TREES is the number of random servers, HTTPD_UPGRADE_SEED the first seed;
 * UPGRADE_TREES=all takes every tree of the corpus.
 */
import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { Engine } from '../../server/src/analysis/engine';
import { changedSectionRows, witnessText } from '../../server/src/features/access-changes';
import { requestConfiguration } from '../../server/src/features/requests';
import { diskFileView } from '../../server/src/host/node-files';
import { compareAccess } from '../../server/src/requests/access-diff';
import type { Answer, Reason, RequestConfiguration } from '../../server/src/requests/model';
import { siteOf } from '../../server/src/requests/site';
import { decisionIfNotStarting } from '../../server/src/requests/start';
import { answersTogether } from '../../server/src/requests/together';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { Folder } from '../cli/run';
import { rows } from '../corpus/files';
import { restoreLinks } from '../corpus/settled';
import { describeOver } from '../support/lacks';
import { corpusFolder } from '../support/paths';
import { seed } from '../support/random';
import { Place } from '../trees/disk';
import type { Generated } from '../trees/generate';
import { command, writeQuickly } from '../trees/product';
import { described, generatedFor } from '../trees/trial';

const COUNT = Number(process.env.HTTPD_UPGRADE_TREES ?? 40);

describe('access --diff around fix --write of random servers', function () {
  this.timeout(600_000 + COUNT * 3000);
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

  it(`is empty for ${COUNT} of them`, async () => {
    const isLong = process.env.HTTPD_UPGRADE_TREES !== undefined;
    const start = isLong ? seed() : 1;
    const counts = { trees: 0, changed: 0, kept: 0, unknown: 0, problems: 0 };
    for (let number = start; counts.trees < COUNT; number++) {
      const { generated } = generatedFor(number);
      if (!generated.tree.servers[0] || generated.tree.servers[0].elsewhere) continue;
      counts.trees++;
      const { problems, kept, unknown, isChanged } = await ofTree(generated);
      if (isChanged) counts.changed++;
      counts.kept += kept;
      counts.unknown += unknown;
      counts.problems += problems.length;
      if (problems.length === 0) continue;
      const text = `HTTPD_UPGRADE_SEED=${number}\n${problems.join('\n')}`;
      const tree = described(generated, { name: 'write', run: [['fix']] });
      if (!isLong) assert.fail(`${text}\n${tree}`);
      console.log(process.env.HTTPD_UPGRADE_DESCRIBE ? `${text}\n${tree}` : text);
    }
    if (isLong) console.log(start, counts);
    assert.equal(counts.problems, 0);
  });

  async function ofTree({ tree }: Generated): Promise<ReturnType<typeof around> & { readonly isChanged: boolean }> {
    const { main, defines = [] } = tree.servers[0]!;
    place.write(tree);
    const before = place.read().files();
    await command(['fix', '--write', '--fail-on', 'never', main], { cwd: place.path });
    const after = place.read().files();
    const at = (files: Readonly<Record<string, string>>) =>
      // The names of a tree have one character for each byte.
      configurationAt(
        place.at(main),
        defines,
        (file) => files[Buffer.from(path.relative(place.path, file)).toString('latin1')],
      );
    return { ...around(at(before), at(after)), isChanged: JSON.stringify(before) !== JSON.stringify(after) };
  }
});

/** Trees of the usual run. */
const SAMPLE = new Set(['centos6-etckeeper', 'heroku-apache', 'ubuntu-owaspbwa']);

describeOver('corpus', 'access --diff around fix --write of servers of the corpus', function () {
  this.timeout(600_000);
  for (const [name, root] of rows('TREES.tsv')) {
    if (process.env.UPGRADE_TREES !== 'all' && !SAMPLE.has(name)) continue;
    it(name, async () => {
      const folder = new Folder();
      try {
        copyTree(root.split('/')[0]!, folder);
        const before = new Map<string, string>();
        for (const file of readdirSync(folder.path, { recursive: true, encoding: 'utf8' }))
          if (statSync(folder.at(file), { throwIfNoEntry: false })?.isFile()) before.set(file, folder.text(file));
        const { code, err } = await folder.run(['fix', '--write', '--fail-on', 'never', root]);
        assert.equal(code, 0, err);
        const now = configurationAt(folder.at(root), [], () => undefined);
        const old = configurationAt(folder.at(root), [], (file) => before.get(path.relative(folder.path, file)));
        const { problems, kept, unknown } = around(old, now);
        if (process.env.UPGRADE_TREES) console.log(`${name}: ${kept} kept, ${unknown} unknown`);
        assert.deepEqual(problems, []);
      } finally {
        folder.remove();
      }
    });
  }
});

// ---------------------------------------------------------------------------------------------------------------------

/** `kept`: differences that 2.4 shows without the fix, too. */
function around(
  old: RequestConfiguration,
  now: RequestConfiguration,
): { readonly problems: readonly string[]; readonly kept: number; readonly unknown: number } {
  // With lines of 2.4 there is no answer of 2.2 to keep.
  if (decisionIfNotStarting(siteOf(old, '2.2')!)) return { problems: [], kept: 0, unknown: 0 };
  // With the usual limit of work, a small file with many methods and users has sections that are
  // not compared (test/requests/access-diff.test.ts).
  const diff = compareAccess(
    { configuration: old, server: '2.2' },
    { configuration: now, server: '2.4' },
    { limit: { workLeft: 10_000_000 } },
  )!;
  const changes = changedSectionRows(diff);
  const sites = [siteOf(old, '2.2')!, siteOf(old, '2.4-compat')!, siteOf(now, '2.4')!] as const;
  const isLeft = ({ file, text }: Reason) =>
    old.files.view.read(file)?.text().toLowerCase().includes(text.toLowerCase()) === true;
  /**
   * Whether lines that the fix leaves decide, and do not without it: 2.4 does not start with
   * `Require USER`, and the fix writes `user`; or the fix of the hosts leads the request to them.
   * Or no line decides, but the default of Options, which the question `defaults` is about.
   */
  const isByLeftLines = (unfixed: Answer, fixed: Answer) =>
    (unfixed.access === 'error' || unfixed.host.name !== fixed.host.name) &&
    (fixed.because.length === 0 ? fixed.why.includes('no index file') : fixed.because.every(isLeft));
  /** Whether 2.4 answers so by lines that the fix leaves, even if it does not start without it. */
  const isKept = ({ witness, change, section }: (typeof changes)[number]) => {
    // No request leads to a directory that does not exist.
    const directory = /^<Directory "?(\/[^"*?[>]*)"?>$/.exec(section.name)?.[1];
    if (!witness && change === 'unknown' && directory !== undefined) return !existsSync(directory);
    // The answer of 2.2 hangs on what the files do not show, such as a variable of the environment.
    if (witness && change === 'unknown' && witness.before === 'unknown') return true;
    if (!witness) return false;
    const { answersOfCombinations } = answersTogether(witness.request, sites);
    return answersOfCombinations
      .map((all) => all.map(({ answer }) => answer))
      .every(
        ([was, unfixed, fixed]) =>
          was!.access === fixed!.access || unfixed!.access === fixed!.access || isByLeftLines(unfixed!, fixed!),
      );
  };
  const copies = (['2.2', '2.4-compat', '2.4'] as const).flatMap((server) =>
    changedSectionRows(compareAccess({ configuration: now, server }, { configuration: now, server })!),
  );
  const textOf = ({ section: { name, file, line }, change, witness }: (typeof changes)[number]) =>
    `${name} ${path.basename(file)}:${line + 1} ${change} ${witness ? witnessText(witness) : ''}`;
  return {
    problems: [
      ...changes.filter((each) => !isKept(each)).map(textOf),
      ...copies.map((each) => `a copy differs: ${textOf(each)}`),
    ],
    kept: changes.filter(isKept).length,
    unknown: changes.filter(({ change }) => change === 'unknown').length,
  };
}

/** `textOf`: the text of a file that is to be read; undefined for the text on the disk. */
function configurationAt(
  root: string,
  defines: readonly string[],
  textOf: (file: string) => string | undefined,
): RequestConfiguration {
  const engine = new Engine({ rules: ALL_RULES });
  const trees = new Map<string, Tree | null>();
  const overlay = (file: string): Tree | null => {
    let tree = trees.get(file);
    if (tree === undefined) {
      const text = textOf(file);
      trees.set(file, (tree = text === undefined ? null : Tree.parse(text)));
    }
    return tree;
  };
  const configuration = requestConfiguration({
    root,
    view: diskFileView(overlay),
    settings: { engineOf: () => engine, serverOf: () => ({ defines: new Map(defines.map((name) => [name, ''])) }) },
  });
  return { ...configuration, convertedFiles: () => null };
}

function copyTree(top: string, folder: Folder): void {
  cpSync(path.join(corpusFolder, top), folder.at(top), { recursive: true, dereference: true });
  for (const file of readdirSync(folder.at(top), { recursive: true, encoding: 'utf8' })) {
    const at = folder.at(path.join(top, file));
    chmodSync(at, statSync(at).isDirectory() ? 0o755 : 0o644);
  }
  restoreLinks(top, (file) => folder.at(top + file));
}
