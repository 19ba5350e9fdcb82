// Packs what we say about directives and modules into
// server/src/directives/generated/descriptions.json.
//
//   node server/scripts/generate-descriptions.mjs            writes the file
//   node server/scripts/generate-descriptions.mjs --check    fails when the file is not what the inputs give
//
// Inputs: server/src/directives/descriptions/<module>.json, one file for a module, to be edited by
// hand. A directive that only 2.2 has stands in the file of its module in 2.2. All in our own
// words: test/directives/descriptions.test.ts holds them against the manual.
//
// The packed form is explained in server/src/directives/descriptions.ts.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root, write } from './written.mjs';

const PARTS = ['text', 'arguments', 'example', 'changed', 'rule'];

write({ 'server/src/directives/generated/descriptions.json': generate() });

function generate() {
  const [modules, directives] = [new Map(), new Map()];
  const folder = path.join(root, 'server/src/directives/descriptions');
  for (const file of readdirSync(folder).sort()) {
    const { module, directives: own = {} } = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
    if (module) modules.set(file.replace(/\.json$/, ''), module);
    for (const [name, description] of Object.entries(own)) add(directives, { file, name, description });
  }
  return print({ modules, directives });
}

function add(directives, { file, name, description }) {
  const key = name.toLowerCase();
  if (directives.has(key)) throw new Error(`${file}: ${name} stands in another file as well`);
  const odd = Object.keys(description).filter((part) => !PARTS.includes(part));
  if (odd.length > 0) throw new Error(`${file}: ${name} has what nobody reads: ${odd.join(', ')}`);
  directives.set(key, pack(description));
}

/** A text alone, or a list of all parts; what is missing at its end is dropped. */
function pack(description) {
  const parts = PARTS.map((part) => description[part] ?? 0);
  while (parts.at(-1) === 0) parts.pop();
  return parts.length === 1 ? parts[0] : parts;
}

/** One entry a line, so that a change of the texts shows as a change of lines. */
function print(tables) {
  const parts = Object.entries(tables).map(([key, entries]) => {
    const lines = [...entries]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map((entry) => entry.map((part) => JSON.stringify(part)).join(': '));
    return `"${key}": {\n${lines.join(',\n')}\n}`;
  });
  return `{\n${parts.join(',\n')}\n}\n`;
}
