/**
 * Whole servers of the corpus through the plan, each as a copy and, in a root directory of its own,
 * at its own place: at most five questions; after the first answer to each, `fix --write` leaves no
 * old access line that the configuration reaches, and a real httpd without mod_access_compat
 * refuses nothing that is our responsibility. UPGRADE_TREES=all takes every tree, and prints the
 * table.
 */
import assert from 'node:assert/strict';
import { chmodSync, cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { activityOf } from '../../server/src/config/activity';
import { DEFAULT_TARGET } from '../../server/src/config/target';
import { configView } from '../../server/src/config/config-view';
import { readModel } from '../../server/src/config/read-model';
import { module as moduleNamed } from '../../server/src/directives';
import { diskFileView } from '../../server/src/host/node-files';
import { removedDirective } from '../../server/src/rules/removed-directive';
import { argumentsOf, LineKind } from '../../server/src/syntax/line';
import { forEachItem, Section, type List } from '../../server/src/syntax/tree';
import { Tree } from '../../server/src/syntax/document';
import { Folder } from '../cli/run';
import { findHttpd, requireHttpd } from '../httpd/harness';
import { Chroot } from '../support/chroot';
import { describeOver, lacks } from '../support/lacks';
import { bundle } from '../support/built';
import { corpusFolder } from '../support/paths';
import { rows } from './files';
import { OTHER_PLACES, placeArguments, PLACES, restoreLinks, settled } from './settled';
import { refusedLines, runModuleCommands } from './whole-server';
import { ELSEWHERE, FOREIGN, placeOfText, refusals, withoutMachine } from './real-server';

/** Servers of 2.4 with mod_access_compat: what that decides is kept. */
const OF_24 = new Set(['binarystorm-24', 'jboss-fuse-24mixed', 'vvvggg-modular-24']);

/** Trees of the usual run: one of each kind of layout. */
const SAMPLE = new Set([
  'centos6-etckeeper',
  'gentoo-chenbingkun',
  'ubuntu-owaspbwa',
  'rhel-nuinfo-22',
  'heroku-apache',
]);
const isWhole = process.env.UPGRADE_TREES === 'all' || process.env.UPGRADE_TREES === 'places';

interface Row {
  readonly name: string;
  readonly questions: readonly string[];
  readonly ready: number;
  readonly waiting: number;
  readonly byHand: number;
  readonly oldBefore: number;
  readonly old: readonly string[];
  readonly refused: readonly string[];
  /** What `httpd -t` refuses of the whole configuration. */
  readonly refusedWhole: readonly string[];
}

describeOver('corpus', 'the upgrade of whole servers of the corpus', function () {
  this.timeout(600_000);
  const table: Row[] = [];
  before(function () {
    requireHttpd(this);
  });
  after(() => {
    if (isWhole) console.log(shown(table));
  });

  for (const [name, root] of rows('TREES.tsv')) {
    if (!isWhole && !SAMPLE.has(name)) continue;
    if (process.env.UPGRADE_TREES === 'places') continue;
    // What is a template is no configuration of a server.
    if (/\.in$/.test(root)) continue;
    it(name, async () => {
      const row = await upgraded(name, root);
      table.push(row);
      judge(row);
    });
  }
});

describeOver('corpus', 'the upgrade of whole servers of the corpus at their own places', function () {
  this.timeout(600_000);
  const table: Row[] = [];
  let chroot: Chroot | null = null;
  before(function () {
    requireHttpd(this);
  });
  beforeEach(async function () {
    chroot = await Chroot.open();
    if (!chroot) lacks(this, 'a root directory of its own needs root, unshare, nsenter and overlays');
  });
  afterEach(() => chroot?.close());
  after(() => {
    if (isWhole) console.log(shown(table));
  });

  for (const tree of [...PLACES, ...OTHER_PLACES]) {
    const { name, place } = tree;
    const args = placeArguments(tree, place);
    if (!isWhole && !SAMPLE.has(name)) continue;
    it(name, async () => {
      const inside = chroot!;
      const main = settled(inside, name, place, findHttpd()!);
      const server: Placed = {
        name,
        args,
        run: (words) => Promise.resolve(inside.run(process.execPath, [bundle('cli.js'), ...words, main])),
        texts: () => reachedTexts(inside, main, args),
        refusedWhole: (commands) => wholeOf(inside, main, args, commands),
      };
      const row = await rowOf(server);
      table.push(row);
      judge(row);
    });
  }
});

/** The files that the configuration reads there, by their paths. */
function reachedTexts(inside: Chroot, main: string, args: readonly string[]): { path: string; text: string }[] {
  const { out } = inside.run(process.execPath, [bundle('cli.js'), 'includes', ...args, main]);
  const paths = out
    .split('\n')
    .flatMap((row, i) => (i === 0 ? [main] : (/^ +(?!\d+: )(\S+)(?:  \(through .*\))?$/.exec(row)?.slice(1) ?? [])));
  return [...new Set(paths.map((file) => path.resolve('/', file)))].map((file) => ({
    path: file.slice(1),
    text: readFileSync(inside.at(file), 'latin1'),
  }));
}

/** What `httpd -t` refuses of the whole, there, after the commands of the plan for modules. */
function wholeOf(
  inside: Chroot,
  main: string,
  args: readonly string[],
  commands: readonly string[],
): readonly string[] {
  runModuleCommands(inside, path.posix.dirname(main), commands);
  const files = reachedTexts(inside, main, args).map(({ path: file }) => `/${file}`);
  return refusedLines(inside, findHttpd()!, { main, files });
}

/** A server that commands are run for. */
interface Placed {
  readonly name: string;
  readonly args: readonly string[];
  /** With the main file after the words. */
  run(words: readonly string[]): Promise<{ readonly code: unknown; readonly out: string; readonly err: string }>;
  /** What `httpd -t` refuses of the whole. */
  refusedWhole?(commands: readonly string[]): readonly string[];
  /** The files that it reads. */
  texts(): readonly { readonly path: string; readonly text: string }[];
}

async function rowOf({ name, args, run, texts, refusedWhole }: Placed): Promise<Row> {
  const oldBefore = oldLines(texts()).length;
  const source = [...(OF_24.has(name) ? ['--source', '2.4'] : []), ...args];
  const plan = async (answers: readonly string[]): Promise<UpgradePlan> => {
    const { out, err } = await run(['plan', '--format', 'json', ...source, ...answers]);
    assert.notEqual(out, '', err);
    return JSON.parse(out) as UpgradePlan;
  };
  const asked = (of: UpgradePlan) => of.configurations.flatMap((each) => each.questions);
  const usual = ({ id, answers: [first] }: UpgradePlan['configurations'][number]['questions'][number]) => [
    '--answer',
    `${id}=${first.value}`,
  ];
  const questions = [...asked(await plan([]))];
  // An answer may raise one more question: the MPM, once modules are files.
  const further = asked(await plan(questions.flatMap(usual))).filter(({ answer }) => answer === null);
  questions.push(...further);
  const answers = questions.flatMap(usual);
  const { summary } = await plan(answers);
  const { code, err } = await run(['fix', '--write', '--fail-on', 'never', ...source, ...answers]);
  assert.equal(code, 0, err);
  const after = texts();
  const commands = (await plan(answers)).configurations.flatMap(({ onServer }) =>
    onServer.flatMap((item) => item.commands ?? []),
  );
  return {
    name,
    questions: questions.map(({ id }) => id),
    ready: summary.ready,
    waiting: summary.waiting,
    byHand: summary.byHand,
    oldBefore,
    old: oldLines(after),
    refused: await refused(after),
    refusedWhole: refusedWhole?.(commands) ?? [],
  };
}

function judge({ questions, waiting, old, refused: not }: Row): void {
  // Other tests have main files in the temporary directory of this machine.
  const own = questions.filter((id) => id !== 'other-main:/tmp');
  assert.ok(own.length <= 5, own.join(', '));
  assert.equal(waiting, 0, 'the first answers leave nothing waiting');
  assert.deepEqual(old, []);
  assert.deepEqual(not, []);
}

async function upgraded(name: string, root: string): Promise<Row> {
  const folder = new Folder();
  try {
    const [top] = root.split('/');
    cpSync(path.join(corpusFolder, top), folder.at(top), { recursive: true, dereference: true });
    for (const file of readdirSync(folder.at(top), { recursive: true, encoding: 'utf8' }))
      chmodSync(
        folder.at(path.join(top, file)),
        statSync(folder.at(path.join(top, file))).isDirectory() ? 0o755 : 0o644,
      );
    restoreLinks(top, (file) => folder.at(top + file));
    const texts = () =>
      filesOf(folder.at(root)).map(({ file, tree }) => ({ path: path.relative(folder.path, file), text: tree.text() }));
    return await rowOf({ name, args: [], run: (words) => folder.run([...words, root]), texts });
  } finally {
    folder.remove();
  }
}

/** The files that a configuration reads. */
function filesOf(root: string): { readonly file: string; readonly tree: Tree }[] {
  const view = diskFileView();
  const { files } = readModel({ mainFile: view.realPath(root), view: configView(view) })!;
  return [...files.keys()].map((file) => ({ file, tree: view.read(file)! }));
}

const OLD = new Set(['order', 'allow', 'deny', 'satisfy']);

function oldLines(files: ReturnType<Placed['texts']>): string[] {
  return files.flatMap(({ path: file, text: all }) =>
    directivesOf(Tree.parse(all).root)
      .filter(({ name }) => OLD.has(name))
      .map(({ text }) => `${path.basename(file)}: ${text.trim()}`),
  );
}

function directivesOf(list: List): { name: string; text: string; words: string[] }[] {
  const found: { name: string; text: string; words: string[] }[] = [];
  forEachItem(list, 0, (item) => {
    if (item instanceof Section)
      found.push(...(activityOf(item.open, DEFAULT_TARGET) === 'inactive' ? [] : directivesOf(item.body)));
    else if (item.kind === LineKind.Directive)
      found.push({ name: item.name, text: item.text, words: argumentsOf(item).map(({ value }) => value) });
  });
  return found;
}

/** What the server refuses of the files, with the modules that they load, as far as it has them. */
async function refused(files: ReturnType<Placed['texts']>): Promise<string[]> {
  const { loadable } = findHttpd()!;
  const loaded = new Set(
    files
      .flatMap(({ text }) => directivesOf(Tree.parse(text).root))
      .filter(({ name }) => name === 'loadmodule')
      .map(({ words: [identifier] }) => identifier?.replace(/_module$/, '')),
  );
  const names = [...loaded].filter(
    (name) => loadable.has(name) && moduleNamed(`${name}_module`) !== undefined && !/^mpm_|^access_compat$/.test(name),
  );
  // Debian's package switches on what every server has; what else there is, a2enmod does.
  const isDebian = files.some(({ path: file }) => /\/mods-(enabled|available)\//.test(file));
  const pieces = files.map(({ path: file, text }) => ({
    path: file,
    text: withoutMachine(text),
    within: placeOfText(text, false),
  }));
  const found = await refusals(pieces, {
    modules: names.length > 3 && !isDebian ? names : 'all-but-access_compat',
    mpm: 'prefork',
  });
  return found
    .filter(({ name, message }) => !ELSEWHERE.test(message) && !FOREIGN.test(message) && !isNotOurs(name, message))
    .map(({ path: file, line, name, message }) => `${file}:${line}: ${name}: ${message}`);
}

/** What 2.2 refuses, too, and what is only refused because the file is read by itself. */
function isNotOurs(name: string, message: string): boolean {
  return removedDirective.names.includes(name.toLowerCase()) || /only used in <VirtualHost>/.test(message);
}

function shown(table: readonly Row[]): string {
  const head = ['tree', 'questions', 'ready', 'waiting', 'by hand', 'old before', 'old after', 'refused', 'whole'];
  const body = table.map(({ name, questions, ready, waiting, byHand, oldBefore, old, refused: not, refusedWhole }) => [
    name,
    `${questions.length} ${questions.join(' ')}`,
    `${ready}`,
    `${waiting}`,
    `${byHand}`,
    `${oldBefore}`,
    `${old.length}`,
    `${not.length}`,
    refusedWhole.join(' | '),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((row) => row[column].length)));
  return [head, ...body]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
