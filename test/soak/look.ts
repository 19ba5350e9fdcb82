/** Everything there is to be said of a text: what an editor asks, and what the command line does. */
import type { FileInfo } from '../../server/src/analysis/engine';
import { Engine } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { unifiedDiff } from '../../server/src/cli/diff';
import { diagnostics } from '../../server/src/features/diagnostics';
import { givenConfigurations } from '../../server/src/features/given-configurations';
import { documentSymbols, foldingRanges } from '../../server/src/features/outline';
import { hover } from '../../server/src/features/hover/hover';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { memoryFiles } from '../../server/src/config/memory-files';

const MAIN = '/etc/httpd/httpd.conf';

/** `of` an engine that has seen other versions of the text, or a new one. Offsets of hovers are spread over the text. */
export function told(tree: Tree, engine: Engine, file: FileInfo = { isHtaccess: false }, hovers = 3) {
  return {
    diagnostics: diagnostics(engine.analyze(tree, file), 1000, [], () => null, 'file:///a'),
    symbols: documentSymbols(tree),
    folding: foldingRanges(tree),
    hovers: Array.from({ length: hovers }, (_, i) =>
      hover(tree, Math.floor((tree.length * (i + 1)) / (hovers + 1)), engine.target),
    ),
  };
}

export function newEngine(): Engine {
  return new Engine({ rules: ALL_RULES });
}

/** The parts of the work that a text can make long, each by itself. */
export const WORK: Readonly<Record<string, (text: string) => unknown>> = {
  'the editor': (text) => told(Tree.parse(text), newEngine()),
  'the editor, in a .htaccess': (text) => told(Tree.parse(text), newEngine(), { isHtaccess: true }),
  fixes: (text) => unifiedDiff('a', text, fixText(newEngine(), text, { isHtaccess: false }, { unsafe: true }).text),
  'a whole configuration': (text) => {
    const view = memoryFiles({ [MAIN]: `ServerRoot /etc/httpd\nListen 80\n${text}` });
    const engine = newEngine();
    const given = givenConfigurations({
      view,
      projects: { engineOf: () => engine, serverOf: () => ({}) },
      roots: [MAIN],
      obstacle: () => null,
      may: () => true,
    });
    const tree = view.read(MAIN)!;
    return [told(tree, engine, given.infoOf(MAIN, tree)), given.edits(MAIN, true)];
  },
};
