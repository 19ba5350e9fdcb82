/** package.json of the extension, with the texts of package.nls.json as an editor shows them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from './paths';

const read = (file: string) => readFileSync(path.join(repositoryRoot, file), 'utf8');

/** The texts of the manifest by their keys. */
export function manifestTexts(): Record<string, string> {
  return JSON.parse(read('package.nls.json')) as Record<string, string>;
}

/** The manifest with texts in place of keys. */
export function shownManifest<Manifest>(): Manifest {
  const texts = manifestTexts();
  return JSON.parse(read('package.json'), (_, value: unknown) => {
    const key = typeof value === 'string' ? /^%([\w.-]+)%$/.exec(value)?.[1] : undefined;
    return key === undefined ? value : (texts[key] ?? value);
  }) as Manifest;
}
