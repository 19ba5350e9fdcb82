// The licences of the packages that are bundled into `dist/`, as these require.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/**
 * The text for dist/third-party-licenses.txt. `inputs`: paths of bundled files, as esbuild's
 * metafiles name them.
 */
export function licensesOf(inputs) {
  const folders = new Set(
    [...inputs].flatMap((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input) ?? []),
  );
  const parts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? `Licence: ${license}` : readFileSync(path.join(folder, file), 'utf8').trim();
    return `${name} ${version}\n\n${text}\n`;
  });
  return parts.join(`\n${'-'.repeat(80)}\n\n`);
}
