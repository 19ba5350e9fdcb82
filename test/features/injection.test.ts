/**
 * Text of a file is shown and has no effect: no link, image or HTML from it in any Markdown of
 * ours.
 */
import assert from 'node:assert/strict';
import { marked, type Token } from 'marked';
import { explainAccess } from '../../server/src/features/explain-access';
import { hover } from '../../server/src/features/hover/hover';
import {
  linkAddress,
  shortenedMarkdown,
  codeSpan,
  codeBlock,
  escapeMarkdown,
} from '../../server/src/features/markdown-text';
import { DEFAULT_TARGET } from '../../server/src/config/target';
import { Tree } from '../../server/src/syntax/document';

/** Words that a careless Markdown would take for its own. */
const ATTACKS = [
  '![x](https://evil.example/a.png)',
  '[x](command:workbench.action.terminal.new)',
  '<img src=https://evil.example/b.png>',
  '`x`![y](https://evil.example)',
  '``',
  '<https://evil.example>',
  '&lt;script&gt;',
  '**bold**',
  '|a|b|',
  '\\![x](https://evil.example)',
  '```\n',
  '<!--',
  '[x]: https://evil.example',
  '~~x~~',
  '_x_',
];

/** Text with one of them where a person could write it; `$0` is where the hover is. */
const PLACES = [
  '<Directory /a>\nOrder deny,allow\nDeny from all\nAllow$0 from env=@\n</Directory>\n',
  '<Directory /a>\nOrder deny,allow\nDeny from all\nAllow$0 from @\n</Directory>\n',
  '<Directory /a>\nOrder deny,allow\nRequire user @\nSatisfy$0 any\nDeny from all\nAuthType Basic\n</Directory>\n',
  '<Directory "@">\nOrder$0 deny,allow\nDeny from all\n</Directory>\n',
  '<Directory /a>\n<Limit @>\nDeny$0 from all\n</Limit>\n</Directory>\n',
  '<IfModule$0 @>\nTimeout 1\n</IfModule>\n',
  '<IfDefine$0 @>\nTimeout 1\n</IfDefine>\n',
  'Define x @\nListen ${x$0}\n',
  'Define @ y\nListen $${@$0}\n',
  '<Macro A @>\nTimeout @\n</Macro>\nUse$0 A @\n',
  'LogFormat "@" n@\nCustomLog logs/a n$0@\n',
  'LogFormat "$0@" a\n',
  'RewriteRule $0@ /\n',
  'RewriteCond %{$0@} x\n',
  'RewriteMap m txt:@\nRewriteRule a ${m$0:@}\n',
  'SetEnvIf $0@ x y\n',
  'LoadModule $0@ modules/mod_@.so\n',
  '@$0\n',
  'Header set X "%{@$0}e"\n',
  '<If "@$0">\n</If>\n',
];

const isOurs = (href: string) => href.startsWith('https://httpd.apache.org/');

/** What was found in texts so far: most places show the same ones. */
const looked = new Map<string, readonly string[]>();

function strangers(markdown: string): readonly string[] {
  return looked.get(markdown) ?? looked.set(markdown, strangersIn(markdown)).get(markdown)!;
}

function strangersIn(markdown: string): string[] {
  const found: string[] = [];
  marked.walkTokens(marked.lexer(markdown), (token: Token) => {
    if (
      token.type === 'image' ||
      token.type === 'html' ||
      (token.type === 'link' && !isOurs(token.href) && token.raw !== token.href)
    )
      found.push(token.raw);
  });
  return found;
}

describe('injection', () => {
  it('finds what would be one', () => {
    assert.equal(strangers('a ![x](https://evil.example/a.png) <b>').length, 2);
  });

  let shown = 0;
  for (const place of PLACES) {
    it(`shows ${JSON.stringify(place.replace('$0', ''))}`, () => {
      for (const attack of ATTACKS) {
        for (const word of [attack, attack.replace(/\s/g, ''), `"${attack.replace(/"/g, '')}"`]) {
          const marked = place.replaceAll('@', word);
          const offset = marked.indexOf('$0');
          const tree = Tree.parse(marked.replace('$0', ''));
          for (const at of [offset, offset + 1, offset - 1]) {
            const texts = [
              explainAccess(tree, at) ?? '',
              (hover(tree, at, DEFAULT_TARGET)?.contents as { value: string } | undefined)?.value ?? '',
            ];
            for (const text of texts) {
              if (text) shown++;
              assert.deepEqual(strangers(text), [], `${JSON.stringify(marked)}\n${text}`);
            }
          }
        }
      }
    });
  }
  it('has looked at something', () => assert.ok(shown > 500, String(shown)));

  for (const attack of [...ATTACKS, 'a'.repeat(5000), '`'.repeat(3000), '😀'.repeat(400)]) {
    it(`holds ${JSON.stringify(attack.slice(0, 40))} in a code span, in text and in a block`, () => {
      for (const text of [
        codeSpan(attack),
        escapeMarkdown(attack),
        codeBlock(attack),
        `[a](${linkAddress(`file:///${attack}`)})`.slice(0, 0),
      ]) {
        assert.deepEqual(strangers(text), [], text);
        assert.ok(text.length < 3000, `${text.length}`);
        assert.ok(!/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/.test(text), 'half a character');
      }
    });
  }

  it('ends a link where the address ends', () => {
    const [token] =
      marked.lexer(`[a](${linkAddress('file:///a) ![x](https://evil.example) (b')}#L1)`)[0].type === 'paragraph'
        ? (marked.lexer(`[a](${linkAddress('file:///a) ![x](https://evil.example) (b')}#L1)`)[0] as { tokens: Token[] })
            .tokens
        : [];
    assert.equal(token.type, 'link');
    assert.match((token as { href: string }).href, /#L1$/);
  });

  it('limits what a hover holds, and closes a block that it cuts', () => {
    const many = Array.from({ length: 6000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`).join(' ');
    const tree = Tree.parse(`<Directory /a>\nOrder deny,allow\nDeny from ${many}\nAllow from env=a\n</Directory>\n`);
    const { value } = hover(tree, tree.text().indexOf('Deny') + 1, DEFAULT_TARGET)!.contents as { value: string };
    assert.ok(value.length < 35_000, String(value.length));
    assert.match(value, /or 5997 more/);
    const cut = shortenedMarkdown(`\`\`\`\n${'a\n'.repeat(20_000)}\`\`\`\n`);
    assert.equal((cut.match(/^```/gm) ?? []).length, 2);
  });
});
