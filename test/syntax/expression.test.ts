/** Expressions: trees, errors at their places, tokens under the cursor. */
import assert from 'node:assert/strict';
import {
  parseCondition,
  parseStringExpression,
  tokenAt,
  type ExpressionNode,
} from '../../server/src/syntax/expression';
import { Random, seed } from '../support/random';
import { rounds } from '../support/rounds';

/** A tree as text: `(== %REQUEST_URI "/x")`. */
function show(node: ExpressionNode): string {
  switch (node.type) {
    case 'constant':
      return String(node.value);
    case 'not':
      return `(not ${show(node.operand)})`;
    case 'and':
    case 'or':
    case 'concat':
      return `(${node.type} ${show(node.left)} ${show(node.right)})`;
    case 'unary':
      return `(-${node.operator.value} ${show(node.operand)})`;
    case 'comparison':
      return `(${node.operator.value} ${show(node.left)} ${show(node.right)})`;
    case 'regex':
      return `/${node.pattern}/${node.ignoresCase ? 'i' : ''}`;
    case 'list':
      return `{${node.items.map(show).join(' ')}}`;
    case 'number':
      return node.value;
    case 'text':
      return JSON.stringify(node.value);
    case 'parts':
      return `[${node.parts.map(show).join(' ')}]`;
    case 'reference':
      return `$${node.group}`;
    case 'variable':
      return `%${node.name}`;
    case 'call':
      return `${node.name.value}<${show(node.argument)}>`;
    case 'missing':
      return '?';
  }
}

describe('expressions', () => {
  const trees: readonly (readonly [string, string])[] = [
    ['true', 'true'],
    ["%{REQUEST_URI} == '/x'", '(== %REQUEST_URI "/x")'],
    ['\'a\' = "b"', '(= "a" "b")'],
    ['%{REQUEST_URI} =~ m#^/app(/|$)#i', '(=~ %REQUEST_URI /^/app(/|$)/i)'],
    ["true || false && not 'a' -in {'b','c'}", '(or true (and false (not (-in "a" {"b" "c"}))))'],
    ['(true or false) and !true', '(and (or true false) (not true))'],
    ["-f '/srv/' . %{HTTP_HOST} . $1", '(-f (concat "/srv/" (concat %HTTP_HOST $1)))'],
    ["req('X-A') -ne -12", '(-ne req<"X-A"> -12)'],
    ["%{req:X-%{tolower:%{HTTP_HOST}}} != ''", '(!= req<["X-" tolower<%HTTP_HOST>]> "")'],
    ["'a%{TIME}b$1' lt 3", '(lt ["a" %TIME "b" $1] 3)'],
    ["'it\\'s \\101\\n' == 'x'", `(== "it's A\\n" "x")`],
    ["%{REMOTE_ADDR} -ipmatch '10.0.0.0/8'", '(ipmatch %REMOTE_ADDR "10.0.0.0/8")'],
    ["'x' in PeerExtList('1.2')", '(in "x" PeerExtList<"1.2">)'],
    ["'a'=~/x/&&true", '(and (=~ "a" /x/) true)'],
  ];
  for (const [source, tree] of trees) {
    it(`reads ${source}`, () => {
      const parsed = parseCondition(source);
      assert.equal(parsed.error, undefined);
      assert.equal(show(parsed.tree), tree);
    });
  }

  it('reads text with variables', () => {
    for (const [source, tree] of [
      ['plain', '"plain"'],
      ['https://%{HTTP_HOST}/$1', '["https://" %HTTP_HOST "/" $1]'],
      ['a%b}\\%{x}"\'', '"a%b}%{x}\\"\'"'],
      ['', '""'],
    ] as const) {
      const parsed = parseStringExpression(source);
      assert.equal(parsed.error, undefined, source);
      assert.equal(show(parsed.tree), tree);
    }
  });

  // The marks stand under what is reported.
  const errors = [
    ['%{REQUEST_URI} == ', '                 ^ syntax'],
    ["%{REQUEST_URI} =~ '/x'", '                  ^ syntax'],
    ['%{REQUEST_URI} =~ /(/', '                   ^ regex'],
    ["REQUEST_URI == 'x'", '^^^^^^^^^^^ syntax'],
    ["'a' == 'b' ; true", '           ^ character'],
    ["'a' == 'b", '        ^ unterminated'],
    ["'a\\400' == 'b'", '  ^^^^ escape'],
    ["%{REQUEST-URI} == 'b'", '         ^ variable-character'],
    ["%{req:'X'} == 'b'", '      ^ jammed'],
    ['true true', '     ^^^^ syntax'],
    ["('a') == 'b'", '    ^ syntax'],
    ["'a' in {}", '        ^ syntax'],
    ['', ' ^ syntax'],
  ] as const;
  for (const [source, marked] of errors) {
    it(`reports what is wrong with ${source || 'nothing'}`, () => {
      const { error } = parseCondition(source);
      assert.ok(error);
      const id = error.id === 'character' && error.message.includes('name') ? 'variable-character' : error.id;
      const shown = `${' '.repeat(error.start)}${'^'.repeat(Math.max(1, error.end - error.start))} ${id}`;
      assert.equal(shown.trimStart(), marked.trimStart(), `${source}\n${shown} ${error.message}`);
      if (source !== '') assert.equal(shown, marked, `${source}\n${shown} ${error.message}`);
    });
  }

  it('finds the token under the cursor', () => {
    const at = (marked: string) => {
      const offset = marked.indexOf('|');
      const parsed = parseCondition(marked.slice(0, offset) + marked.slice(offset + 1));
      const token = tokenAt(parsed, offset);
      return token && `${token.kind} ${token.value}`;
    };
    assert.equal(at("%{|REQUEST_URI} == 'x'"), 'name REQUEST_URI');
    assert.equal(at("%{REQUEST_URI|} == 'x'"), 'name REQUEST_URI');
    assert.equal(at("%{REQUEST_URI} |-eq 'x'"), 'compare -eq');
    assert.equal(at("to|lower('x') == 'x'"), 'name tolower');
    assert.equal(at("%{REQUEST_URI} == '|x'"), 'text x');
    assert.equal(at("|%{REQUEST_URI} == 'x'"), 'open-variable %{');
  });

  it('never fails, and every token is where it says, whatever the text', () => {
    const random = new Random(seed());
    const pieces = [
      '%{',
      '}',
      ':',
      "'",
      '"',
      '\\',
      '$1',
      '/',
      'm#',
      '#',
      '(',
      ')',
      '{',
      '}',
      ',',
      ' ',
      'true',
      'not',
      '-f',
      '-eq',
      '==',
      '=~',
      '!',
      '.',
      'req',
      'TIME',
      '7',
      '\n',
      'é',
      '&&',
      '||',
      'i',
    ];
    for (let round = 0; round < rounds(3000); round++) {
      const source = Array.from({ length: random.below(12) }, () => random.pick(pieces)).join('');
      for (const parse of [parseCondition, parseStringExpression]) {
        const { tokens, error } = parse(source);
        let last = 0;
        for (const token of tokens) {
          assert.ok(
            token.start >= last && token.end >= token.start && token.end <= source.length,
            JSON.stringify({ source, token }),
          );
          last = token.end;
        }
        if (error)
          assert.ok(
            error.start >= 0 && error.end <= Math.max(1, source.length) && error.start <= error.end,
            JSON.stringify({ source, error }),
          );
      }
    }
  });

  it('takes deep nesting without a stack overflow', () => {
    assert.equal(parseCondition(`${'('.repeat(300)}true${')'.repeat(300)}`).error, undefined);
    parseCondition('('.repeat(50_000));
    parseCondition('!'.repeat(50_000));
    parseCondition(`'a'${".'a'".repeat(50_000)} == 'b'`);
  });
});
