/** No file of the server imports itself through other files, not even for a type. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { importedFiles, SOURCES, sources } from './sources';

describe('circles', () => {
  it('none among the files of server/src', () => {
    const files = sources(SOURCES);
    const imports = new Map(files.map((file) => [file, importedFiles(file)]));
    assert.ok(files.length > 100 && [...imports.values()].some((list) => list.length > 0), 'the imports were read');
    assert.deepEqual(
      circles(imports).map((circle) => circle.map((file) => path.relative(SOURCES, file)).join(' -> ')),
      [],
    );
  });

  it('are found', () => {
    assert.deepEqual(
      circles(
        new Map([
          ['a', ['b']],
          ['b', ['c', 'd']],
          ['c', ['a']],
          ['d', []],
        ]),
      ),
      [['a', 'b', 'c', 'a']],
    );
    assert.deepEqual(circles(new Map([['a', ['a']]])), [['a', 'a']]);
    assert.deepEqual(
      circles(
        new Map([
          ['a', ['b', 'c']],
          ['b', ['c']],
          ['c', []],
        ]),
      ),
      [],
    );
  });
});

/** One way around for each import that closes a circle. */
function circles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) found.push([...way.slice(way.indexOf(file)), file]);
    if (way.includes(file) || done.has(file)) return;
    for (const imported of imports.get(file) ?? []) visit(imported, [...way, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return found;
}
