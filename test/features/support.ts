/** Texts with marks for tests about a position in a file. */
import { Engine, type Analysis, type EngineOptions } from '../../server/src/analysis/engine';
import { Tree } from '../../server/src/syntax/document';
import { ALL_RULES } from '../../server/src/rules/all';

export const URI = 'file:///etc/httpd/httpd.conf';

export interface Marked {
  readonly text: string;
  readonly tree: Tree;
  /** Offsets of the marks `$0`, in order. */
  readonly at: readonly number[];
}

/** Takes the marks `$0` out of a text. */
export function marked(source: string): Marked {
  const pieces = source.split('$0');
  const text = pieces.join('');
  let length = 0;
  const at = pieces.slice(0, -1).map((piece) => (length += piece.length));
  return { text, tree: Tree.parse(text), at };
}

export function analysisOf(tree: Tree, options: Partial<EngineOptions> = {}): { engine: Engine; analysis: Analysis } {
  const engine = new Engine({ rules: ALL_RULES, ...options });
  return { engine, analysis: engine.analyze(tree, { isHtaccess: false }) };
}

/** The text of a range. */
export function textOf(
  tree: Tree,
  range: { start: { line: number; character: number }; end: { line: number; character: number } },
): string {
  return tree.text(tree.offsetAt(range.start), tree.offsetAt(range.end));
}
