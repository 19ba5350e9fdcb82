// Collects the licences of the packages that are bundled into `dist/`, as those ask for: dist/third-party-licenses.txt.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const shipped = Object.entries(lock.packages).filter(([folder, entry]) => folder !== '' && !entry.dev && !entry.optional);
const parts = shipped.map(([folder]) => {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? `Licence: ${license}` : readFileSync(path.join(folder, file), 'utf8').trim();
  return `${name} ${version}\n\n${text}\n`;
});
writeFileSync('dist/third-party-licenses.txt', parts.join(`\n${'-'.repeat(80)}\n\n`));
