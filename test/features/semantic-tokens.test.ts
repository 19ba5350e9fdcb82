/** Semantic tokens, as text. */
import assert from 'node:assert/strict';
import {
  semanticTokens,
  semanticTokensIn,
  TOKEN_MODIFIERS,
  TOKEN_TYPES,
  tokensEdit,
} from '../../server/src/features/semantic-tokens';
import { Tree } from '../../server/src/syntax/document';
import { Random, seed } from '../support/random';

/** `type(text)`, with `!` where it is deprecated. */
function shown(text: string, data: Uint32Array): string[] {
  const lines = text.split(/\r?\n/);
  const found: string[] = [];
  let line = 0;
  let start = 0;
  for (let i = 0; i < data.length; i += 5) {
    line += data[i]!;
    start = data[i]! > 0 || i === 0 ? data[i + 1]! : start + data[i + 1]!;
    found.push(
      `${TOKEN_TYPES[data[i + 3]!]}${data[i + 4] === 1 << TOKEN_MODIFIERS.indexOf('deprecated') ? '!' : ''}(${lines[line]!.slice(start, start + data[i + 2]!)})`,
    );
  }
  return found;
}

const CASES: readonly (readonly [text: string, tokens: string])[] = [
  ['Listen 80\n', 'keyword(Listen) number(80)'],
  ['# a\n\nServerName a.example "b c"\n', 'comment(# a) keyword(ServerName) parameter(a.example) string("b c")'],
  [
    '<Directory "/a">\nOptions None\n</Directory>\n',
    'type(Directory) string("/a") keyword(Options) parameter(None) type(Directory)',
  ],
  [
    'MaxClients 5\nLockFile a\nNameVirtualHost *\n',
    'keyword!(MaxClients) number(5) keyword!(LockFile) parameter(a) keyword!(NameVirtualHost) parameter(*)',
  ],
  [
    'RewriteCond %{HTTP_HOST} ^a$ [NC]\nRewriteRule "^b c" /${X}/d [L]\n',
    'keyword(RewriteCond) variable(%{HTTP_HOST}) regexp(^a$) parameter([NC]) keyword(RewriteRule) regexp("^b c") parameter(/) variable(${X}) parameter(/d) parameter([L])',
  ],
  ['<FilesMatch \\.php$>\n</FilesMatch>\n', 'type(FilesMatch) regexp(\\.php$) type(FilesMatch)'],
  ['AddType a \\\n  .b \\\r\n  ".c \\\n d"\n', 'keyword(AddType) parameter(a) parameter(.b) string(".c ) string( d")'],
  ['<Perl>\nuse strict;\n</Perl>\nListen 80\n', 'type(Perl) type(Perl) keyword(Listen) number(80)'],
  [
    '{% if a %}\nListen {{ b }}\n{% endif %}\n',
    'macro({% if a %}) keyword(Listen) parameter({{ b }}) macro({% endif %})',
  ],
  ['Foo bar\n<Foo>\n', 'keyword(Foo) parameter(bar) type(Foo)'],
  ['', ''],
];

describe('semantic tokens', () => {
  for (const [text, tokens] of CASES) {
    it(JSON.stringify(text), () => {
      assert.equal(shown(text, semanticTokens(Tree.parse(text))).join(' '), tokens);
      assert.equal(shown(text, semanticTokensIn(Tree.parse(text), 0, text.length)).join(' '), tokens);
    });
  }

  it('of a range are those of its lines', () => {
    const text = 'Listen 80\n<Perl>\nuse a;\nuse b;\n</Perl>\nListen 81\nListen 82\n';
    const within = (from: string, to: string) =>
      shown(text, semanticTokensIn(Tree.parse(text), text.indexOf(from), text.indexOf(to))).join(' ');
    assert.equal(within('Listen 81', 'Listen 82'), 'keyword(Listen) number(81)');
    assert.equal(within('use b', 'Listen 82'), 'type(Perl) keyword(Listen) number(81)');
  });

  it('after random edits are those of the text, and the difference leads from the old ones to them', () => {
    const start = seed();
    const random = new Random(start);
    let tree = Tree.parse(CASES.map(([text]) => text).join(''));
    let before = semanticTokens(tree);
    for (let i = 0; i < 300; i++) {
      const from = random.below(tree.length + 1);
      tree = tree.edit(
        from,
        Math.min(tree.length, from + random.below(12)),
        random.pick(['', 'x', '\n', '</Directory>\n', '<If a>\n', '"', '\\\n', '# ']),
      );
      const after = semanticTokens(tree);
      const context = `HTTPD_UPGRADE_SEED=${start} edit ${i}`;
      assert.deepEqual(after, semanticTokens(Tree.parse(tree.text())), context);
      const edit = tokensEdit(before, after);
      const made = edit
        ? [...before.subarray(0, edit.start), ...edit.data, ...before.subarray(edit.start + edit.deleteCount)]
        : [...before];
      assert.deepEqual(made, [...after], context);
      before = after;
    }
  });
});
