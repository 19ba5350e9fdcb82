/**
 * The bundles in dist/, which users run. client/scripts/test.mjs builds them before a suite that
 * imports this file.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { changedSinceBuild, repositoryRoot } from './paths';

/**
 * A bundle in dist/, which `npm run build` makes; an error where there is none, or an old one.
 * HTTPD_UPGRADE_DIST names bundles that were made elsewhere.
 */
export function bundle(name: string): string {
  const { HTTPD_UPGRADE_DIST: elsewhere } = process.env;
  const file = path.join(elsewhere ?? path.join(repositoryRoot, 'dist'), name);
  if (!existsSync(file)) throw new Error(`${file} is missing: npm run build makes it`);
  const newer = elsewhere === undefined ? (changed ??= changedSinceBuild(repositoryRoot)) : '';
  if (newer) throw new Error(`dist/ is older than ${newer}: npm run build makes it again`);
  return file;
}

/** The answer of this process: a run of the tests does not change sources. */
let changed: string | undefined;
