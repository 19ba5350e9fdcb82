/**
 * The cost of formatting and semantic tokens, counted: lines looked at. A range costs the range,
 * tokens after an edit the lists on one path, at 1,000 and at 100,000 lines.
 */
import assert from 'node:assert/strict';
import { formatEdits, workCounts as formatted, type FormatOptions } from '../../server/src/features/format';
import { formatOnType } from '../../server/src/features/format-on-type';
import { semanticTokens, semanticTokensIn, workCounts as tokens } from '../../server/src/features/semantic-tokens';
import { Tree } from '../../server/src/syntax/document';
import { configurationText } from '../bench/texts';

const OPTIONS: FormatOptions = {
  tabSize: 4,
  insertSpaces: true,
  alignment: 'keep',
  insertFinalNewline: true,
  trimFinalNewlines: true,
};

/** Of a table: all lines in one list. */
const TABLE = (lines: number) =>
  Array.from({ length: lines }, (_, i) => `LoadModule m${i}_module${' '.repeat(1 + (i % 4))}modules/m${i}.so\n`).join(
    '',
  );

const TEXTS = { 'virtual hosts': configurationText, 'a table': TABLE } as const;

function counted(of: { lines: number }, run: () => unknown): number {
  const before = of.lines;
  run();
  return of.lines - before;
}

for (const [what, text] of Object.entries(TEXTS)) {
  describe(`the cost in ${what}`, () => {
    const costs = (of: { lines: number }, run: (tree: Tree, middle: number) => unknown) =>
      [1_000, 100_000].map((lines) => {
        const source = text(lines);
        const tree = Tree.parse(source);
        const middle = source.indexOf('\n', Math.floor(source.length / 2)) + 1;
        return counted(of, () => run(tree, middle));
      }) as [number, number];

    it('of formatting a range is that of the range', () => {
      const [small, large] = costs(formatted, (tree, middle) => formatEdits(tree, OPTIONS, middle, middle + 200));
      assert.ok(small > 0 && small <= 60 && large <= 60, `${small} and ${large} lines`);
    });

    it('of formatting on type is that of a line', () => {
      const [small, large] = costs(formatted, (tree, middle) =>
        formatOnType(tree, middle, '\n', { ...OPTIONS, closesTags: true }),
      );
      assert.ok(small > 0 && small <= 120 && large <= 120, `${small} and ${large} lines`);
    });

    it('of formatting all is once all lines', () => {
      const [small, large] = costs(formatted, (tree) => formatEdits(tree, OPTIONS));
      assert.ok(small <= 1_001 && large <= 100_001, `${small} and ${large} lines`);
    });

    it('of the tokens of a range is that of the range', () => {
      const [small, large] = costs(tokens, (tree, middle) => semanticTokensIn(tree, middle, middle + 200));
      assert.ok(small > 0 && small <= 20 && large <= 20, `${small} and ${large} lines`);
    });

    it('of tokens after an edit is that of the lists on one path', () => {
      const after = [1_000, 100_000].map((lines) => {
        const source = text(lines);
        const tree = Tree.parse(source);
        semanticTokens(tree);
        const middle = source.indexOf('\n', Math.floor(source.length / 2)) + 1;
        const edited = tree.edit(middle, middle, 'x');
        return counted(tokens, () => semanticTokens(edited));
      });
      assert.ok(
        after.every((lines) => lines > 0 && lines <= 160),
        `${after} lines`,
      );
    });
  });
}
