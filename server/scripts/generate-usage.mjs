// Counts how often configurations use each directive, so that completion can put the usual before
// the rare. Writes server/src/directives/generated/usage.json: names in lower case, sections with
// their `<`, the most used first. Only the order is kept.
//
//   node server/scripts/generate-usage.mjs FOLDER [OUTPUT [PART OF]]
//
// FOLDER has one folder a project. The configurations are not part of this project; what is counted
// from them is committed. PART and OF count a part of the projects only (0 2: every other one), to
// see how well the order serves those that were not counted.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const source = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', 'src', 'directives');
const [folder, output = path.join(source, 'generated', 'usage.json'), part = '0', of = '1'] = process.argv.slice(2);
if (!folder) throw new Error('which folder has the configurations?');

/** A file counts a directive so often at most: a thousand redirects are one person's habit. */
const MOST_IN_A_FILE = 3;
/** A project counts a directive so often at most: copies of one file are one opinion. */
const MOST_IN_A_PROJECT = 12;

const known = new Set(
  JSON.parse(readFileSync(path.join(source, 'data', 'directives.json'), 'utf8')).map(({ name, section }) =>
    `${section && !name.startsWith('<') ? '<' : ''}${name}`.toLowerCase().replace(/>$/, ''),
  ),
);
const uses = new Map();
const projects = readdirSync(folder)
  .sort()
  .filter((name) => statSync(path.join(folder, name)).isDirectory());
for (const project of projects.filter((_, index) => index % Number(of) === Number(part))) {
  const inProject = new Map();
  for (const file of files(path.join(folder, project))) {
    const inFile = new Map();
    for (const line of readFileSync(file, 'latin1')
      .replace(/\\\r?\n/g, ' ')
      .split('\n')) {
      const name = /^\s*(<?[a-z]\w*)(?=[\s>]|$)/i.exec(line)?.[1].toLowerCase();
      if (name && known.has(name)) inFile.set(name, Math.min(MOST_IN_A_FILE, (inFile.get(name) ?? 0) + 1));
    }
    for (const [name, count] of inFile)
      inProject.set(name, Math.min(MOST_IN_A_PROJECT, (inProject.get(name) ?? 0) + count));
  }
  for (const [name, count] of inProject) uses.set(name, (uses.get(name) ?? 0) + count);
}
const names = [...uses].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([name]) => name);
writeFileSync(output, `${JSON.stringify(names)}\n`);
console.log(`${names.length} of ${known.size} names are used`);

function files(at) {
  return readdirSync(at)
    .sort()
    .flatMap((name) => {
      const full = path.join(at, name);
      return statSync(full).isDirectory() ? files(full) : [full];
    });
}
