/** The editor's own tokenizer over our grammar. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createOnigScanner, createOnigString, loadWASM } from 'vscode-oniguruma';
import { INITIAL, Registry, parseRawGrammar, type IGrammar } from 'vscode-textmate';

export const ROOT = path.resolve(__dirname, '../../..');
const GRAMMAR = path.join(ROOT, 'syntaxes/apacheconf.tmLanguage.json');

export interface Token {
  start: number;
  end: number;
  /** From the outermost to the innermost, without the language's own. */
  scopes: string[];
}

export async function loadGrammar(): Promise<IGrammar> {
  const wasm = createRequire(__filename).resolve('vscode-oniguruma/release/onig.wasm');
  await loadWASM(readFileSync(wasm));
  const registry = new Registry({
    onigLib: Promise.resolve({ createOnigScanner, createOnigString }),
    // Perl's grammar is the editor's; without it a body has the embedded language's scope and nothing more.
    loadGrammar: async (scope) => (scope === 'source.apacheconf' ? parseRawGrammar(readFileSync(GRAMMAR, 'utf8'), GRAMMAR) : null),
  });
  return (await registry.loadGrammar('source.apacheconf'))!;
}

/** One list of tokens a line. */
export function tokenize(grammar: IGrammar, lines: string[]): Token[][] {
  let state = INITIAL;
  return lines.map((line) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    state = ruleStack;
    return tokens.map(({ startIndex, endIndex, scopes }) => ({ start: startIndex, end: endIndex, scopes: scopes.slice(1) }));
  });
}
