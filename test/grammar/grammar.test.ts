/**
 * Text in, scopes out. A case in `cases/*.conf` is a block between blank lines, with `#!` and a
 * title before it. Below a line of code stand its expectations: `#  ^^^^ scope scope` says that
 * each of the marked characters has all of these scopes (a scope is named by its beginning),
 * `-scope` that none has it. These lines are taken out before the text is tokenized, so that they
 * may stand below a continued line.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { IGrammar } from 'vscode-textmate';
import { describeOver } from '../support/lacks';
import { corpusFolder } from '../support/paths';
import { ROOT, loadGrammar, tokenize, type Token } from './tokenize';

const CASES = path.join(ROOT, 'test/grammar/cases');
const EXPECTATION = /^#\s*(\^+)\s(.*)$/;

const grammar: Promise<IGrammar> = loadGrammar();

for (const file of readdirSync(CASES)) {
  describe(`grammar: ${path.basename(file, '.conf')}`, () => {
    for (const { title, text } of cases(readFileSync(path.join(CASES, file), 'utf8')))
      it(title, async () => check(await grammar, text));
  });
}

function cases(text: string): { title: string; text: string }[] {
  return text
    .split(/^#! /m)
    .slice(1)
    .map((block) => ({ title: block.slice(0, block.indexOf('\n')), text: block.slice(block.indexOf('\n') + 1) }));
}

function check(grammar: IGrammar, text: string): void {
  const lines = text.trimEnd().split('\n');
  const code = lines.filter((line) => !EXPECTATION.test(line));
  const tokens = tokenize(grammar, code);
  let current = -1;
  let expectations = 0;
  for (const line of lines) {
    const expectation = EXPECTATION.exec(line);
    if (expectation === null) {
      current++;
      continue;
    }
    expectations++;
    const start = line.indexOf('^');
    const end = start + expectation[1].length;
    for (const scope of expectation[2].trim().split(/\s+/))
      expectScope(code[current], tokens[current], start, end, scope);
  }
  assert.ok(expectations > 0, 'a case without expectations');
}

function expectScope(line: string, tokens: Token[], start: number, end: number, scope: string): void {
  const wanted = !scope.startsWith('-');
  const name = scope.replace(/^-/, '');
  for (const token of tokens.filter((each) => each.start < end && each.end > start)) {
    const has = token.scopes.some((each) => each === name || each.startsWith(`${name}.`));
    const marked = `${line}\n${' '.repeat(start)}${'^'.repeat(end - start)}`;
    assert.ok(
      has === wanted,
      `${marked}\n"${line.slice(token.start, token.end)}" ${wanted ? 'lacks' : 'has'} ${name}: ${token.scopes.join(' ')}`,
    );
  }
}

describe('grammar: what must hold for any text', () => {
  const hostile = [
    `RewriteRule ${'('.repeat(2000)}`,
    `RewriteRule ${'[[:alpha:]'.repeat(500)}`,
    `RewriteRule "${'\\'.repeat(3001)}x`,
    `<Directory ${'>'.repeat(3000)}`,
    `<If "${'%{'.repeat(1000)}`,
    `RewriteCond %{A} ${'!'.repeat(3000)}`,
    `Require ip ${'1.'.repeat(2000)}`,
    `Require ip ${':a'.repeat(2000)}`,
    `Substitute "s/${'a\\/'.repeat(1500)}`,
    `RewriteRule ^ ${'${a:'.repeat(700)}`,
    ' '.repeat(5000),
    `${' '.repeat(5000)}x`,
    '"'.repeat(3000),
    `LogFormat "${'%{a'.repeat(1000)}"`,
    `RewriteRule ^ - ${'['.repeat(3000)}`,
  ];
  for (const line of hostile) {
    it(`does not lose itself in ${line.slice(0, 24).trim() || 'blanks'}…`, async () => {
      const [, next] = tokenize(await grammar, [line, 'ServerName x']);
      assert.deepEqual(next[0].scopes, ['meta.directive.apacheconf', 'support.function.directive.apacheconf']);
    });
  }

  it('a line that is not continued leaves nothing open', async () => {
    const halves = [
      '<Directory',
      '<If "%{A} =~ m#(',
      "<FilesMatch '[",
      'RewriteRule "([',
      'RewriteCond %{X',
      'ErrorDocument 404 "oh',
      'Header edit X "(',
    ];
    for (const half of halves) {
      const [, next] = tokenize(await grammar, [half, '# done']);
      assert.deepEqual(
        next.map((token) => token.scopes[0]),
        ['comment.line.number-sign.apacheconf', 'comment.line.number-sign.apacheconf'],
        half,
      );
    }
  });
});

describeOver('corpus', 'grammar: real configurations', function () {
  this.timeout(600_000);

  // A pattern that backtracks without end runs into the suite's time limit here.
  it('colours every word', async () => {
    const language = await grammar;
    const bare: string[] = [];
    for (const file of files(corpusFolder).filter((each) => !each.endsWith('.tsv'))) {
      let state: Parameters<IGrammar['tokenizeLine']>[1] = null;
      for (const line of readFileSync(file, 'latin1').split(/\r?\n/)) {
        const { tokens, ruleStack } = language.tokenizeLine(line, state);
        state = ruleStack;
        const word = tokens.find(
          ({ startIndex, endIndex, scopes }) =>
            scopes.length < 3 && /\S/.test(line.slice(startIndex, endIndex)) && !scopes.join(' ').includes('comment'),
        );
        if (word !== undefined) bare.push(`${path.relative(corpusFolder, file)}: ${line}`);
      }
    }
    assert.ok(bare.length < 20, `${bare.length} lines with words without a colour:\n${bare.slice(0, 20).join('\n')}`);
  });
});

function files(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const full = path.join(folder, name);
    if (!existsSync(full)) return [];
    return statSync(full).isDirectory() ? files(full) : [full];
  });
}
