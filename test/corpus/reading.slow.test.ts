/**
 * Texts of problems to be read by a person: docs/reading.md. READING=150 draws so many warnings and
 * hints from the files of the corpus and lists each with its lines; READING_SEED draws others.
 * Without READING, a few are drawn, and only their form is checked.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { Engine } from '../../server/src/analysis/engine';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { Random } from '../support/random';
import { textsOfCorpus, textsOfSamples } from '../support/words';

const COUNT = Number(process.env.READING ?? 10);
const SEED = Number(process.env.READING_SEED ?? 1);

describe('texts to read', function () {
  this.timeout(300_000);

  it(`${COUNT} warnings and hints, as many of each rule as chance has it`, () => {
    const drawn = draw(COUNT, new Random(SEED));
    if (process.env.READING) console.log(drawn.join('\n\n'));
    assert.ok(drawn.length > 0 && drawn.every((text) => text.includes('\n')));
  });
});

/** Each message of each rule has the same chance, however often it is met. */
function draw(count: number, random: Random): readonly string[] {
  const engine = new Engine({ rules: ALL_RULES });
  const kinds = new Map<string, string[]>();
  const files = [...textsOfSamples(), ...textsOfCorpus()];
  for (const { file, text } of files) {
    const tree = Tree.parse(text);
    const isHtaccess = /htaccess[^/]*$/.test(path.basename(file));
    for (const { rule, messageId, severity, message, start } of engine.analyze(tree, { isHtaccess }).findings()) {
      if (severity === 'error') continue;
      const { line } = tree.positionAt(start);
      const around = text.split('\n', line + 4).slice(Math.max(0, line - 1));
      const shown = `${file}:${line + 1} ${severity} ${rule.id}/${messageId}\n  ${around.join('\n  ')}\n> ${message.replace(/\n+/g, '\n> ')}`;
      const kind = `${rule.id}/${messageId}`;
      const known = kinds.get(kind);
      if (known) known.push(shown);
      else kinds.set(kind, [shown]);
    }
  }
  const names = [...kinds.keys()].sort();
  return Array.from({ length: Math.min(count, names.length * 20) }, () => random.pick(kinds.get(random.pick(names))!));
}
