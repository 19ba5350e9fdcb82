/**
 * Texts of problems to be read by a person: docs/reading.md. READING=150 draws so many warnings and
 * hints from the files of the corpus and lists each with its lines; READING_SEED draws others, and
 * READING_KINDS=all texts of all kinds. Without READING, a few are drawn, and only their form is
 * checked.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { Engine } from '../../server/src/analysis/engine';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { Random } from '../support/random';
import { drawOfAllKinds } from './texts-of-trees';
import { textsOfCorpus, textsOfSamples } from '../support/words';

const COUNT = Number(process.env.READING ?? 10);
const SEED = Number(process.env.READING_SEED ?? 1);

describe('texts to read', function () {
  this.timeout(3_600_000);

  if (process.env.READING_KINDS === 'all') {
    it(`${COUNT} of all kinds`, async () => {
      const drawn = await drawOfAllKinds(COUNT, new Random(SEED));
      if (process.env.READING) console.log(drawn.join('\n'));
      assert.ok(drawn.length > COUNT / 2, `${drawn.length}`);
    });
    return;
  }

  it(`${COUNT} warnings and hints, as many of each rule as chance has it`, () => {
    const drawn = draw(COUNT, new Random(SEED));
    if (process.env.READING) console.log(drawn.join('\n\n'));
    assert.ok(drawn.length > 0 && drawn.every((text) => text.includes('\n')));
  });
});

/**
 * Each message of each rule has the same chance, however often it is met; no text is drawn twice.
 */
function draw(count: number, random: Random): readonly string[] {
  const engine = new Engine({ rules: ALL_RULES });
  const kinds = new Map<string, Map<string, string[]>>();
  for (const { file, text } of [...textsOfSamples(), ...textsOfCorpus()]) {
    const tree = Tree.parse(text);
    const lines = text.split('\n');
    const isHtaccess = /htaccess[^/]*$/.test(path.basename(file));
    for (const finding of engine.analyze(tree, { isHtaccess }).findings()) {
      const { rule, messageId, severity, message, fixes } = finding;
      if (severity === 'error') continue;
      const { line } = tree.positionAt(finding.start);
      const title = `${file}:${line + 1} ${severity} ${rule.id}/${messageId}`;
      const rows = [...message.split(/\n+/), ...fixes.map((fix) => `Fix (${fix.safety}): ${fix.title}`)];
      const shown = [title, ...shownLines(lines, line), ...rows.map((each) => `> ${each}`)].join('\n');
      const kind = `${rule.id}/${messageId}`;
      const texts = kinds.get(kind) ?? new Map<string, string[]>();
      kinds.set(kind, texts.set(message, [...(texts.get(message) ?? []), shown]));
    }
  }
  const drawn: string[] = [];
  while (drawn.length < count && kinds.size > 0) {
    const kind = random.pick([...kinds.keys()].sort());
    const texts = kinds.get(kind)!;
    const text = random.pick([...texts.keys()]);
    drawn.push(random.pick(texts.get(text)!));
    texts.delete(text);
    if (texts.size === 0) kinds.delete(kind);
  }
  return drawn;
}

/** The lines around one, which is marked, after those that open the sections around them. */
function shownLines(lines: readonly string[], marked: number): string[] {
  const first = Math.max(0, marked - 6);
  const open: number[] = [];
  for (const [index, line] of lines.slice(0, first).entries())
    if (/^\s*<\//.test(line)) open.pop();
    else if (/^\s*<[a-z]/i.test(line)) open.push(index);
  const shown = [...open, ...[...lines.keys()].filter((index) => index >= first && index <= marked + 9)];
  return shown.map((index) => `${index === marked ? '>>' : '  '} ${index + 1}: ${lines[index]}`);
}
