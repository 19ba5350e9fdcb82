/** Hovers about access fit without scrolling: in every sample, and in the corpus if present. */
import assert from 'node:assert/strict';
import type { MarkupContent } from 'vscode-languageserver-types';
import { DEFAULT_TARGET } from '../../../server/src/config/target';
import { hover } from '../../../server/src/features/hover/hover';
import { Tree } from '../../../server/src/syntax/document';
import { LineKind } from '../../../server/src/syntax/line';
import { forEachLine } from '../../../server/src/syntax/tree';
import { textsOfCorpus, textsOfSamples } from '../../support/words';

/**
 * VS Code gives a hover 250 pixels of height and about 500 of width before it scrolls: so many rows
 * and columns of its text of 13 pixels.
 */
const MAX_ROWS = 14;
const WIDTH = 75;

describe('hovers of access lines', function () {
  this.timeout(300_000);

  it('fit without scrolling', () => {
    const seen = new Map<string, number>();
    for (const { text } of [...textsOfSamples(), ...textsOfCorpus()]) {
      const tree = Tree.parse(text);
      forEachLine(tree.root, 0, tree.length, (line, offset) => {
        if (line.kind !== LineKind.Directive || !/^(order|allow|deny|satisfy|require|authtype)$/.test(line.name))
          return;
        const said = hover(tree, offset + line.nameStart, DEFAULT_TARGET);
        const value = said ? (said.contents as MarkupContent).value : '';
        if (value.includes('**Who has access**')) seen.set(value, rowsOf(value));
      });
    }
    assert.ok(seen.size > 10);
    assert.deepEqual(
      [...seen].filter(([, rows]) => rows > MAX_ROWS).map(([value, rows]) => `${rows} rows:\n${value}`),
      [],
    );
  });
});

/**
 * How many rows a person sees: paragraphs wrapped, half a row between them, tables with their cells
 * wrapped as far as they must.
 */
function rowsOf(markdown: string): number {
  return markdown
    .split(/\n{2,}/)
    .map((block) => {
      if (block === '---') return 0.5;
      const lines = block.split('\n').filter((line) => !/^[|\s-]+$/.test(line) && !/^```/.test(line));
      return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(shown(line).length / WIDTH)), 0.5);
    })
    .reduce((sum, rows) => sum + rows, 0);
}

/** What is left of a line of Markdown when it is shown. */
function shown(line: string): string {
  return line.replace(/\]\([^)]*\)/g, '').replace(/\*\*|[`[\\]/g, '');
}
