/**
 * Two lists have the names in expressions: a small one that is read for every line, and one with
 * explanations. They agree.
 */
import assert from 'node:assert/strict';
import {
  BINARY_OPERATORS,
  EXPRESSION_FUNCTIONS,
  EXPRESSION_VARIABLES,
  expressionsIn,
  UNARY_OPERATORS,
} from '../../server/src/directives/expressions';
import { vocabulary, type VocabularyKind } from '../../server/src/directives/vocabularies';
import { CONDITION_FLAGS, RULE_FLAGS } from '../../server/src/syntax/rewrite';
import { Tree } from '../../server/src/syntax/document';

/** Those that the core knows by itself; HTTP2 is one, though mod_http2 gives it a value. */
const words = (kind: VocabularyKind) =>
  vocabulary(kind)
    .filter(({ from = 'core' }) => !['mod_ssl', 'mod_proxy_hcheck'].includes(from))
    .map(({ word }) => word)
    .sort();

describe('names in expressions and rewrite rules', () => {
  it('are those that are explained', () => {
    assert.deepEqual([...EXPRESSION_VARIABLES.values()].sort(), words('expression-variable'));
    assert.deepEqual([...EXPRESSION_FUNCTIONS.values()].sort(), words('expression-function'));
    const named = vocabulary('expression-operator')
      .filter(({ word }) => /^-[A-Za-z]/.test(word) && !/^-(eq|ne|lt|le|gt|ge|in)$/.test(word))
      .map(({ word }) => word.slice(1));
    assert.deepEqual([...UNARY_OPERATORS, ...BINARY_OPERATORS].sort(), named.sort());
    const flags = (kind: VocabularyKind) =>
      vocabulary(kind)
        .flatMap(({ word, long }) => (long ? [word, long] : [word]))
        .map((word) => word.toLowerCase())
        .sort();
    assert.deepEqual([...RULE_FLAGS.keys()].sort(), flags('rule-flag'));
    assert.deepEqual([...CONDITION_FLAGS.keys()].sort(), flags('condition-flag'));
  });
});

describe('where a line has expressions', () => {
  const found = (text: string, more: Partial<Parameters<typeof expressionsIn>[1]> = {}) =>
    expressionsIn(Tree.parse(text).lineAt(0)!.line, { isInDirectory: false, isInLocation: false, ...more }).map(
      ({ kind, text: { value } }) => `${kind}: ${value}`,
    );
  const rows: readonly (readonly [string, readonly string[], object?])[] = [
    ['<If "true">\n</If>\n', ['condition: true']],
    ['<If a b>\n</If>\n', []],
    ['if [ x ]; then\n', []],
    ['Require not expr true\n', ['condition: true']],
    ['Require expr "a" == "b"\n', ['condition: a" == "b']],
    ["Require expr 'a' == 'b'\n", ["condition: 'a' == 'b'"]],
    ['Require user %{X} b\n', ['string: %{X} b']],
    ['Require ip 10\n', []],
    ['Header always set X "expr=%{TIME}" "expr=true"\n', ['string: %{TIME}', 'condition: true']],
    ['Header edit X a expr=b EXPR=true\n', ['string: b', 'condition: true']],
    ['Header unset X expr=true\n', ['condition: true']],
    ['Header set X "%{TIME}e"\n', []],
    ['RewriteCond expr "!true" [OR]\n', ['condition: true']],
    ['RewriteCond %{HTTPS} off\n', []],
    ['Redirect https://x/\n', []],
    ['Redirect https://x/\n', ['string: https://x/'], { isInDirectory: true }],
    ['Redirect 307 https://x/\n', ['string: https://x/'], { isInDirectory: true }],
    ['Redirect gone\n', [], { isInDirectory: true }],
    ['Redirect 404 /x\n', [], { isInDirectory: true }],
    ['Alias /srv/x\n', ['string: /srv/x'], { isInLocation: true }],
    ['CustomLog a b "expr=\\"x\\" == \'y\'"\n', ['condition: "x" == \'y\'']],
    ['ProxyHCExpr a {%{TIME} =~ /^2{3}/}\n', ['condition: %{TIME} =~ /^2{3}/']],
    ['ProxyHCExpr a {true\n', ['condition: true']],
    ['ProxyHCExpr a true\n', ['condition: true']],
    ['AuthBasicFake off\n', []],
    ['AuthBasicFake a b\n', ['string: a', 'string: b']],
  ];
  for (const [text, expected, more] of rows)
    it(`${text.split('\n')[0]}${more ? ` (${Object.keys(more).join()})` : ''}`, () =>
      assert.deepEqual(found(text, more), expected));
});
