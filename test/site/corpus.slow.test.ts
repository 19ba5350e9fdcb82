/**
 * The page and the command line: the same problems, and the same text after the fixes. On files of
 * the corpus where it is there, otherwise on the samples.
 */
import assert from 'node:assert/strict';
import { unzipSync } from 'fflate';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Folder } from '../cli/run';
import { corpusFolder, hasCorpus, repositoryRoot } from '../support/paths';
import { openSite, type Site, type SitePage } from './browser';

/** How many files of the corpus are compared, evenly distributed. */
const FILES = 200;
const TREES = 12;
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

/** Directories that are dropped whole. */
function trees(): string[] {
  const sample = path.join(repositoryRoot, 'test/samples/etc/httpd');
  if (!hasCorpus) return [sample];
  const all = readdirSync(corpusFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.join(corpusFolder, name))
    .filter((folder) => {
      const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
      // A browser does not follow links.
      return entries.length > 5 && entries.length < 80 && !entries.some((entry) => entry.isSymbolicLink());
    });
  return [sample, ...all.slice(0, TREES)];
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

  it('find the same in a dropped directory, and write the same files', async () => {
    for (const tree of trees()) {
      const folder = new Folder();
      const top = path.basename(tree);
      try {
        cpSync(tree, folder.at(top), { recursive: true });
        const { out } = await folder.run(['check', '--format', 'json', top]);
        const { files } = JSON.parse(out) as { files: { path: string; findings: JsonProblem[] }[] };
        await page.drop(folder.at(top));
        const count = files.reduce((sum, { findings }) => sum + findings.length, 0);
        assert.match(await page.text('#state'), new RegExp(`^${count} problems? `), tree);
        await folder.run(['fix', '--write', top]);
        const made = await page.download();
        const names = await page.names();
        const texts = names.length === 1 ? { [names[0]]: made } : unzipSync(made);
        for (const name of names)
          assert.ok(folder.bytes(name).equals(Buffer.from(texts[name])), `${name}: another text than the command line`);
      } finally {
        folder.remove();
      }
    }
  });
});
