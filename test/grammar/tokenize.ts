/** The editor's own tokenizer with our grammar. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createOnigScanner, createOnigString, loadWASM } from 'vscode-oniguruma';
import { INITIAL, Registry, parseRawGrammar, type IGrammar } from 'vscode-textmate';

export const ROOT = path.resolve(__dirname, '../../..');

export interface Token {
  start: number;
  end: number;
  /** From the outermost to the innermost, without the language's own. */
  scopes: string[];
}

let wasm: Promise<void> | undefined;

export async function loadGrammar(): Promise<IGrammar> {
  await (wasm ??= loadWASM(readFileSync(createRequire(__filename).resolve('vscode-oniguruma/release/onig.wasm'))));
  return (await registryWith({}).loadGrammar('source.apacheconf'))!;
}

/**
 * Grammars of other languages by their scope, into which ours are injected as package.json says.
 */
export async function loadHost(scope: string, hosts: Readonly<Record<string, object>>): Promise<IGrammar> {
  await loadGrammar();
  return (await registryWith(hosts).loadGrammar(scope))!;
}

interface Contributed {
  readonly scopeName: string;
  readonly path: string;
  readonly injectTo?: readonly string[];
}

function registryWith(hosts: Readonly<Record<string, object>>): Registry {
  const { contributes } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    contributes: { grammars: readonly Contributed[] };
  };
  return new Registry({
    onigLib: Promise.resolve({ createOnigScanner, createOnigString }),
    // Perl's grammar is the editor's; without it a body has the embedded language's scope and
    // nothing more.
    loadGrammar: async (scope) => {
      const own = contributes.grammars.find((each) => each.scopeName === scope);
      if (own) return parseRawGrammar(readFileSync(path.join(ROOT, own.path), 'utf8'), own.path);
      return hosts[scope] ? parseRawGrammar(JSON.stringify(hosts[scope]), 'host.json') : null;
    },
    getInjections: (scope) =>
      contributes.grammars.filter(({ injectTo }) => injectTo?.includes(scope)).map(({ scopeName }) => scopeName),
  });
}

/** One list of tokens a line. */
export function tokenize(grammar: IGrammar, lines: string[]): Token[][] {
  let state = INITIAL;
  return lines.map((line) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    state = ruleStack;
    return tokens.map(({ startIndex, endIndex, scopes }) => ({
      start: startIndex,
      end: endIndex,
      scopes: scopes.slice(1),
    }));
  });
}
