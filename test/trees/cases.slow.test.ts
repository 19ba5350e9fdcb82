/**
 * Whole servers that a former version opened, closed or converted in half, with the answers of the
 * models of 2.2 and 2.4 before and after.
 */
import assert from 'node:assert/strict';
import { isRoot, needsRoot, OTHER_USER } from '../cli/run';
import { CASES, PENDING } from './cases/all';
import type { Case } from './cases/case';
import { Place, type Disk } from './disk';
import { Editor, save } from './editor';
import { judge, serversOf, shown } from './judge';
import { command } from './product';

describe('whole servers on a disk, case by case', function () {
  this.timeout(120_000);
  let place: Place;
  let editor: Editor | null = null;
  before(() => {
    place = new Place();
  });
  after(async () => {
    place.remove();
    await editor?.stop();
  });

  for (const each of CASES) {
    const pending = PENDING[each.name];
    it(pending ? `${each.name} (not right yet: ${pending})` : each.name, async function () {
      if (each.asOther) needsRoot(this);
      const problems = await problemsOf(each);
      if (pending) assert.ok(problems.length > 0, 'it is right now: take it out of PENDING');
      else assert.deepEqual(problems, []);
    });
  }

  it('only names that there are, are not right yet', () => {
    assert.deepEqual(
      Object.keys(PENDING).filter((name) => !CASES.some((each) => each.name === name)),
      [],
    );
  });

  async function problemsOf(each: Case): Promise<string[]> {
    const before = written(each);
    assert.deepEqual(wrongly(each, before, before), [], 'what 2.2 answers');
    if (!each.editor) {
      const runs = each.run ?? [['fix', '--write', each.tree.servers[0].main]];
      for (const args of runs) {
        const { code, err } = await command(args, { cwd: place.path, asOther: each.asOther && isRoot });
        if (code !== 0 && code !== 1 && code !== 2) return [`${args.join(' ')}: ${code} ${err}`];
      }
      return problemsIn(each, before, place.read());
    }
    editor ??= await Editor.start();
    await editor.enter(place.path);
    const problems: string[] = [];
    for (const file of each.inFiles!) {
      const changes =
        each.editor === 'fix-all'
          ? [{ title: 'Fix All', change: await editor.fixAll(place.at(file)) }]
          : await editor.preferred(place.at(file));
      for (const { title, change } of changes) {
        if (change) save(change);
        problems.push(...problemsIn(each, before, place.read()).map((problem) => `${title} in ${file}: ${problem}`));
        written(each);
      }
    }
    return problems;
  }

  function written(each: Case): Disk {
    place.write(each.tree, each.asOther && isRoot ? OTHER_USER : null);
    return place.read();
  }

  function problemsIn(each: Case, before: Disk, after: Disk): string[] {
    const { disagreements } = judge({ tree: each.tree, urls: each.urls, before, after, source: each.source });
    const files = { before: before.files(), after: after.files() };
    const isKept = (file: string) => each.untouched?.some((kept) => file === kept || file.startsWith(`${kept}/`));
    const touched = Object.keys(files.before).filter(
      (file) => isKept(file) && files.before[file] !== files.after[file],
    );
    const missing = Object.entries(each.contains ?? {}).filter(
      ([file, text]) => !files.after[file].includes(place.local(text)),
    );
    return [
      ...disagreements.slice(0, 3).map(shown),
      ...touched.map((file) => `${file} is changed`),
      ...missing.map(([file, text]) => `${file} has no ${JSON.stringify(text)}:\n${files.after[file]}`),
    ];
  }

  /** What 2.2 answers otherwise than is written down. */
  function wrongly(each: Case, before: Disk, after: Disk): string[] {
    const [was] = serversOf(each.tree.servers[0], before, after);
    return Object.entries(each.answers).flatMap(([question, wanted]) => {
      const [, url, address, user] = /^(\S+) from (\S+)(?: as (.*))?$/.exec(question)!;
      const given = was.answer(was.hostNames[0] ?? '', url, 'GET', {
        address,
        name: null,
        variables: new Set(),
        user: user ?? null,
        groups: [],
      });
      return given === wanted ? [] : [`${question}: ${given}, not ${wanted} (${was.refusal})`];
    });
  }
});
