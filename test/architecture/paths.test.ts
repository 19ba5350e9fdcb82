/**
 * The paths that ARCHITECTURE.md names exist: below the root, below server/src, or at the end of a
 * path.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { repositoryRoot } from '../support/paths';
import { read } from './texts';

/** With a slash, or with the ending of a file of ours. ID, NAME and MODULE stand for names. */
const PATH = /(?<![\w./*<:-])(?:[\w.-]+\/)+[\w.-]*|(?<![\w./*<:-])[\w-]+\.(?:ts|mjs|cjs|tsv|c|json|md)(?![\w-])/g;
const PLACEHOLDER = /\b(ID|NAME|MODULE)\b/;
/** Files of users, files that the build makes, and what only looks like a path. */
const OTHERS = /^(\.?httpd-upgrade\.json|dist\/.*|out\/.*|\/.*|\d+\/.*|I\/O)$/;

describe('ARCHITECTURE.md', () => {
  const all = readdirSync(repositoryRoot, { recursive: true, encoding: 'utf8' })
    .map((name) => `/${name.replaceAll('\\', '/')}`)
    .filter((name) => !/^\/(node_modules|out|dist|\.git)\//.test(name));
  const known = new Set(all);
  const ends = (name: string) => all.some((each) => each.endsWith(name));
  const isThere = (name: string) => {
    const bare = name.replace(/[./]+$/, '');
    return (
      known.has(`/${bare}`) ||
      known.has(`/server/src/${bare}`) ||
      ends(`/${bare}`) ||
      ends(`/${bare}.ts`) ||
      ends(`/${bare}.test.ts`)
    );
  };
  const missing = (text: string) =>
    [...text.matchAll(PATH)]
      .map(([name]) => name)
      .filter((name) => !PLACEHOLDER.test(name) && !OTHERS.test(name) && !isThere(name));

  it('names paths that exist', () => assert.deepEqual(missing(read('ARCHITECTURE.md')), []));

  it('is read as it should be', () => {
    assert.deepEqual(
      missing('cli/main.ts, `rules/ID.ts`, rules/all.ts, no-such.ts (nor/such.ts) and test/rules/max-clients'),
      ['no-such.ts', 'nor/such.ts'],
    );
  });
});
