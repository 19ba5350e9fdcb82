/**
 * Converts generated configurations in which a `<Directory>` has a relative path. 2.4 has to answer
 * each request as 2.2 did, in whatever directory the server is started. The conversion reads the
 * relative path, and the model in requests.ts reads the directory that it means.
 */
import assert from 'node:assert/strict';
import { Random, seed } from '../support/random';
import { rounds } from '../support/rounds';
import { convert, disagreement } from './converted';
import { FOLDERS, randomConfiguration, type Generated, type Piece } from './generate';

const COUNT = rounds(1500);
/** How many of them have such a section in what is converted, in percent. */
const CONVERTED = 1;

describe('generated configurations with relative directories', function () {
  this.timeout(COUNT * 500 + 600_000);

  it(`${COUNT} converted ones answer as before`, () => {
    const start = seed();
    let converted = 0;
    for (let i = 0; i < COUNT; i++) {
      const random = new Random(start + i);
      const generated = randomConfiguration(random);
      const folder = random.pick(FOLDERS.slice(3));
      const name = folder.slice(folder.lastIndexOf('/') + 1);
      const relative = `<Directory "${name}">`;
      const changed = withOpen(generated, (open) => (namesFolder(open, folder) ? relative : open));
      const { texts, fixed, ...rest } = convert(changed);
      if (!Object.values(texts).some((text) => text.includes(relative))) continue;
      const placed = (of: Readonly<Record<string, string>>) =>
        Object.fromEntries(
          Object.entries(of).map(([path, text]) => [path, text.replaceAll(relative, `<Directory "${folder}">`)]),
        );
      const problem = disagreement(changed, start + i, { ...rest, texts: placed(texts), fixed: placed(fixed) });
      assert.equal(problem, null, `HTTPD_UPGRADE_SEED=${start + i}, ${relative} is ${folder}: ${problem}`);
      if (rest.edits > 0 && Object.keys(texts).some((path) => isConverted(texts[path], fixed[path], relative)))
        converted++;
    }
    assert.ok(converted * 100 >= CONVERTED * COUNT, `only ${converted} of ${COUNT} are converted`);
  });
});

// ---------------------------------------------------------------------------------------------------------------------

function namesFolder(open: string, folder: string): boolean {
  return /^<Directory "?([^"~*?[>]+)"?>$/.exec(open)?.[1]?.replace(/\/$/, '') === folder;
}

/**
 * Other tags for some sections; sections with patterns of directories go, beside which nothing
 * relative is converted.
 */
function withOpen({ files, ...rest }: Generated, openOf: (open: string) => string): Generated {
  const changed = (pieces: readonly Piece[]): Piece[] =>
    pieces.flatMap((piece): Piece[] => {
      if (typeof piece === 'string') return [piece];
      if (/^<Directory [^~]*[*?[]/.test(piece.open)) return [];
      return [{ open: openOf(piece.open), body: changed(piece.body) }];
    });
  return { ...rest, files: Object.fromEntries(Object.entries(files).map(([path, of]) => [path, changed(of)])) };
}

/** Whether what is in the relative section changes. */
function isConverted(before: string, after: string, relative: string): boolean {
  const body = (text: string) =>
    text
      .split(relative)
      .slice(1)
      .map((rest) => rest.split('</Directory>')[0]);
  return body(before).join() !== body(after).join();
}
