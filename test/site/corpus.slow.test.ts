/**
 * The page and the command line: the same problems, and the same text after the fixes. On files of
 * the corpus where it is there, otherwise on the samples.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Folder } from '../cli/run';
import { corpusFolder, hasCorpus, repositoryRoot } from '../support/paths';
import { openSite, type Site, type SitePage } from './browser';

/** How many files of the corpus are compared, evenly distributed. */
const FILES = 200;
/** The list of the page ends after so many. */
const LISTED = 200;

interface JsonProblem {
  readonly rule: string;
  readonly severity: string;
  readonly consequence: string;
  readonly message: string;
  readonly range: { readonly start: { readonly line: number } };
}

function compared(): string[] {
  const samples = ['standalone/httpd.conf', 'etc/httpd/conf/httpd.conf'].map((name) =>
    path.join(repositoryRoot, 'test/samples', name),
  );
  if (!hasCorpus) return samples.filter((file) => existsSync(file));
  const all = readFileSync(path.join(corpusFolder, 'MANIFEST.tsv'), 'utf8')
    .split('\n')
    .slice(1)
    .map((row) => row.split('\t')[0]!)
    .filter((name) => name !== '' && existsSync(path.join(corpusFolder, name)));
  const step = Math.max(1, all.length / FILES);
  return Array.from({ length: Math.min(FILES, all.length) }, (_, index) =>
    path.join(corpusFolder, all[Math.floor(index * step)]!),
  );
}

describe('the page and the command line', function () {
  this.timeout(600_000);
  let site: Site;
  let page: SitePage;

  before(async function () {
    site = await openSite(this);
    page = await site.open();
  });

  after(() => site?.close());

  it('find the same problems, and make the same text', async () => {
    let files = 0;
    for (const file of compared()) {
      const name = path.basename(file);
      const folder = new Folder({ [name]: readFileSync(file) });
      try {
        const { code, out } = await folder.run(['check', '--format', 'json', name]);
        // Neither can read a binary file.
        if (code === 2) continue;
        const [{ findings }] = (JSON.parse(out) as { files: { findings: JsonProblem[] }[] }).files;
        await page.drop(folder.at(name));
        const expected = findings.map(({ rule, severity, consequence, message, range }) => ({
          severity,
          place: `Line ${range.start.line + 1}`,
          consequence,
          rule,
          // As the page shows words between backticks.
          message: message.replace(/`([^`]+)`/g, '$1'),
        }));
        assert.deepEqual(await page.problems(), expected.slice(0, LISTED), file);
        await folder.run(['fix', '--write', name]);
        const made = await page.download();
        assert.ok(made.equals(folder.bytes(name)), `${file}: another text than the command line`);
        files++;
      } finally {
        folder.remove();
      }
    }
    assert.ok(files > (hasCorpus ? FILES * 0.9 : 0), `${files} files`);
  });
});
