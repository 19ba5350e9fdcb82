/**
 * Whether completion offers what users write: for each directive of the corpus, if present, is it
 * in the list, and among the first ten after three typed letters?
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Range } from 'vscode-languageserver-types';
import { completion } from '../../../server/src/features/completion/completion';
import { signatureHelp } from '../../../server/src/features/signature-help';
import { directive } from '../../../server/src/directives';
import { decode } from '../../../server/src/host/decode';
import { Tree } from '../../../server/src/syntax/document';
import { LineKind, type Line } from '../../../server/src/syntax/line';
import { forEachLine } from '../../../server/src/syntax/tree';
import { describeOver } from '../../support/lacks';
import { corpusFolder } from '../../support/paths';
import { Random, seed } from '../../support/random';
import { engineFor, VSCODE } from './support';
import { fuzzyRank } from './fuzzy';

const SHOWN = 10;

describeOver('corpus', 'completion of the corpus', function () {
  this.timeout(600_000);

  it('offers every directive that is there, and soon', () => {
    // `foreign`: names of modules that do not come with httpd, and words that are no directives at
    // all.
    const counts = { all: 0, offered: 0, soon: 0, foreign: 0, foreignOffered: 0 };
    const missing = new Map<string, number>();
    const late = new Map<string, number>();
    const add = (to: Map<string, number>, name: string, count: number) => to.set(name, (to.get(name) ?? 0) + count);
    for (const { file, text } of texts()) {
      for (const { line, offset, count, labels } of questions(file, text)) {
        const isTag = line.kind === LineKind.Open;
        const known = directive(line.name, { section: isTag });
        if (!known) {
          counts.foreign += count;
          if (
            labels.all.some(({ label }) => label.toLowerCase().replace(/[<>]/g, '') === line.name) ||
            isOfferedLater(text, offset, line)
          )
            counts.foreignOffered += count;
          continue;
        }
        const { name } = known;
        const wanted = isTag ? `<${name}>` : name;
        counts.all += count;
        if (!labels.all.some(({ label }) => label === wanted)) {
          add(missing, `${wanted} ${path.relative(corpusFolder, file)}:${offset}`, count);
          continue;
        }
        counts.offered += count;
        const typed = (isTag ? '<' : '') + name.slice(0, 3);
        const first = labels.after(typed).slice(0, SHOWN);
        if (first.includes(wanted)) counts.soon += count;
        else add(late, wanted, count);
      }
    }
    const rate = (of: number) => (of * 100) / counts.all;
    const worst = (map: Map<string, number>) =>
      [...map]
        .sort((a, b) => b[1] - a[1])
        .slice(0, 25)
        .map(([name, count]) => `${name} ×${count}`)
        .join(', ');
    if (process.env.HTTPD_UPGRADE_SHOW)
      console.log(counts, rate(counts.offered), rate(counts.soon), '\nmissing', worst(missing), '\nlate', worst(late));
    assert.ok(counts.all > 15_000, `${counts.all} directives`);
    assert.ok(rate(counts.offered) >= 99.5, `${rate(counts.offered).toFixed(2)} % offered; not: ${worst(missing)}`);
    assert.ok(
      (counts.offered + counts.foreignOffered) / (counts.all + counts.foreign) >= 0.99,
      `${counts.foreignOffered} of ${counts.foreign} other names offered`,
    );
    assert.ok(rate(counts.soon) >= 95, `${rate(counts.soon).toFixed(2)} % soon; not: ${worst(late)}`);
  });
  it('answers anywhere: in a range around the cursor, each label once', () => {
    const first = seed();
    let index = 0;
    for (const { file, text } of texts()) {
      const random = new Random(first + index++);
      const tree = Tree.parse(text);
      const isHtaccess = isHtaccessFile(file);
      engineFor().analyze(tree, { isHtaccess });
      for (let i = 0; i < 4; i++) {
        const offset = random.below(text.length + 1);
        const context = `HTTPD_UPGRADE_SEED=${first} ${file}:${offset}`;
        const position = tree.positionAt(offset);
        const list = completion({ tree, offset, engine: engineFor(), isHtaccess }, VSCODE);
        signatureHelp(tree, offset);
        if (!list) continue;
        const { insert, replace } = list.itemDefaults!.editRange as { insert: Range; replace: Range };
        assert.deepEqual(insert.start, replace.start, context);
        assert.deepEqual(
          [insert.start.line, insert.end.line, replace.end.line],
          [position.line, position.line, position.line],
          context,
        );
        const [start, end, last] = [insert.start, insert.end, replace.end].map(({ character }) => character);
        assert.ok(start <= position.character && position.character <= end && end <= last, context);
        const keys = list.items.map(
          (item) => `${item.label} ${item.filterText ?? ''} ${item.labelDetails?.description ?? ''}`,
        );
        assert.equal(
          new Set(keys).size,
          keys.length,
          `${context}: ${keys.filter((key, at) => keys.indexOf(key) !== at).slice(0, 5)}`,
        );
      }
    }
  });
});

interface Question {
  readonly line: Line;
  readonly offset: number;
  /** Lines of that name in that place of the file. */
  readonly count: number;
  readonly labels: Labels;
}

/** The list at a place, and what an editor shows of it. */
interface Labels {
  readonly all: readonly { readonly label: string }[];
  after(typed: string): readonly string[];
}

/** One question for each name in each place: the list is the same for all lines of a scope. */
function questions(file: string, text: string): Question[] {
  const tree = Tree.parse(text);
  const engine = engineFor();
  const isHtaccess = isHtaccessFile(file);
  engine.analyze(tree, { isHtaccess });
  const lists = new Map<string, Labels>();
  const found = new Map<string, Question & { count: number }>();
  const stack: string[] = [];
  forEachLine(tree.root, 0, tree.length, (line, offset) => {
    if (line.kind === LineKind.Close && stack.includes(line.name)) stack.length = stack.lastIndexOf(line.name);
    const isTag = line.kind === LineKind.Open;
    const place = `${isTag ? '<' : ''} ${stack.join(' ')}`;
    if (isTag && !stack.includes('perl')) stack.push(line.name);
    if ((line.kind !== LineKind.Directive && !isTag) || place.includes('perl')) return;
    const known = directive(line.name, { section: isTag });
    if ((known && (known.fate === 'neither' || known.fate === 'error')) || !/^\w+$/.test(line.name)) return;
    const key = `${place} ${line.name}`;
    const before = found.get(key);
    if (before) {
      before.count++;
      return;
    }
    let labels = lists.get(place);
    if (!labels) lists.set(place, (labels = labelsAt(tree, offset + line.nameStart, isHtaccess)));
    found.set(key, { line, offset, count: 1, labels });
  });
  return [...found.values()];
}

function isHtaccessFile(file: string): boolean {
  return /(^|\/)\.?htaccess[^/]*$/.test(file);
}

/** Names of other people's modules come once three letters are typed. */
function isOfferedLater(text: string, offset: number, line: Line): boolean {
  const typed = (line.kind === LineKind.Open ? '<' : '') + line.name.slice(0, 3);
  const tree = Tree.parse(`${text.slice(0, offset)}${typed}\n${text.slice(offset)}`);
  engineFor().analyze(tree, { isHtaccess: false });
  const list = completion({ tree, offset: offset + typed.length, engine: engineFor(), isHtaccess: false }, VSCODE);
  return list?.items.some(({ label }) => label.toLowerCase().replace(/[<>]/g, '') === line.name) === true;
}

function labelsAt(tree: Tree, offset: number, isHtaccess: boolean): Labels {
  const list = completion({ tree, offset, engine: engineFor(), isHtaccess }, VSCODE);
  const items = list?.items ?? [];
  const known = new Map<string, readonly string[]>();
  return {
    all: items,
    after(typed) {
      let labels = known.get(typed);
      if (!labels) known.set(typed, (labels = fuzzyRank(items, () => typed).map(({ label }) => label)));
      return labels;
    },
  };
}

function* texts(): Generator<{ file: string; text: string }> {
  for (const project of readdirSync(corpusFolder).sort()) {
    const folder = path.join(corpusFolder, project);
    if (!statSync(folder).isDirectory()) continue;
    for (const file of walk(folder)) {
      const decoded = decode(readFileSync(file));
      if ('text' in decoded) yield { file, text: decoded.text };
    }
  }
}

function walk(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const full = path.join(folder, name);
      return statSync(full).isDirectory() ? walk(full) : [full];
    });
}
