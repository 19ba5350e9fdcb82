import { existsSync } from 'node:fs';
import path from 'node:path';

/** The top of the repository, from wherever the tests were built to. */
export const repositoryRoot = process.env.HTTPD_UPGRADE_ROOT ?? findRoot(__dirname);

/** The folder of real-world configurations beside the checkout; it is not part of the repository. */
export const corpusFolder = path.resolve(repositoryRoot, '..', 'shared', 'corpus');

export const hasCorpus = existsSync(corpusFolder);

/** The same of templates of such configurations. */
export const templatesFolder = path.resolve(repositoryRoot, '..', 'shared', 'corpus-templates');

export const hasTemplates = existsSync(templatesFolder);

/** A bundle in dist/, which `npm run build` makes. */
export function bundle(name: string): string {
  const file = path.join(process.env.HTTPD_UPGRADE_DIST ?? path.join(repositoryRoot, 'dist'), name);
  if (!existsSync(file)) throw new Error(`${file} is missing: npm run build makes it`);
  return file;
}

function findRoot(from: string): string {
  for (let folder = from; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, '.mocharc.json'))) return folder;
  }
  return process.cwd();
}
