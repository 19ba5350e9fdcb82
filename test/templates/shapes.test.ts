/**
 * The editor's features for templates: findings, hovers, completion, the outline, formatting; and
 * no findings about template text.
 */
import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { completion } from '../../server/src/features/completion/completion';
import { textWithEdits, formatEdits } from '../../server/src/features/format';
import { hover } from '../../server/src/features/hover/hover';
import { documentSymbols } from '../../server/src/features/outline';
import { ALL_RULES } from '../../server/src/rules/all';
import { DEFAULT_TARGET } from '../../server/src/config/target';
import { Tree } from '../../server/src/syntax/document';
import { argumentsOf } from '../../server/src/syntax/line';
import { Template } from '../../server/src/syntax/template';
import { forEachLine } from '../../server/src/syntax/tree';
import { logicalLines } from '../support/logical';
import { SHAPES } from './shapes';

const FILE = { isHtaccess: false };
const engine = new Engine({ rules: ALL_RULES });

const found = (text: string) => {
  const tree = Tree.parse(text);
  return engine
    .analyze(tree, FILE)
    .findings()
    .map(({ severity, rule, start }) => `${severity} ${rule.id}, ${tree.positionAt(start).line + 1}`);
};

/** The text of the lines that a template's tags stand in. */
function templateLines(text: string): string[] {
  const lines: string[] = [];
  const { root } = Tree.parse(text);
  forEachLine(root, 0, root.length, (line) => {
    if (line.template !== Template.None) lines.push(line.text.trim());
  });
  return lines;
}

describe('templates as people have them', () => {
  for (const { name, text, findings } of SHAPES) {
    it(`${name}: findings, and no fix that touches template text`, () => {
      assert.deepEqual(found(text), findings);
      for (const unsafe of [false, true]) {
        const fixed = fixText(engine, text, FILE, { unsafe }).text;
        const tags = (lines: readonly string[]) => lines.map((line) => line.replace(/^\w+/, ''));
        assert.deepEqual(tags(templateLines(fixed)), tags(templateLines(text)));
      }
    });

    it(`${name}: formatting keeps the tags, and all that httpd reads`, () => {
      for (const tabSize of [2, 4]) {
        const options = { tabSize, insertSpaces: true, alignment: 'keep' } as const;
        const once = textWithEdits(text, formatEdits(Tree.parse(text), options));
        assert.deepEqual(templateLines(once), templateLines(text));
        assert.deepEqual(logicalLines(once), logicalLines(text));
        assert.deepEqual(formatEdits(Tree.parse(once), options), []);
      }
    });

    it(`${name}: hovers, completion, an outline`, () => {
      const tree = Tree.parse(text);
      assert.ok(documentSymbols(tree).length > 0);
      const at =
        /^\s*(?:SSLEngine|Order|Listen|RewriteEngine|CASVersion|ProxyPass|Options|RemoteIPHeader|ServerName|ServerAlias|SSLProtocol|NameVirtualHost)\b/m.exec(
          text,
        )!;
      const start = at.index + at[0].search(/\S/);
      const knows = { engine, target: DEFAULT_TARGET };
      engine.analyze(tree, FILE);
      if (!at[0].includes('CAS')) assert.ok(hover(tree, start + 2, DEFAULT_TARGET), at[0]);
      assert.ok(completion({ tree, offset: start + 2, isHtaccess: false, ...knows }, {} as never));
    });
  }

  it('have tags that are words, or parts of words, whatever stands in them', () => {
    const words = (text: string) => argumentsOf(Tree.parse(text).lineAt(0)!.line).map(({ value }) => value);
    for (const [text, expected] of [
      ['Listen {{ port }}', ['{{ port }}']],
      ['Alias /a {{ root | default("/x y") }}/b', ['/a', '{{ root | default("/x y") }}/b']],
      ['Alias "/a b" "{{ a["x"] }} c" # d', ['/a b', '{{ a["x"] }} c', '#', 'd']],
      ['<Directory <%= dir > 1 ? a : b %>>', ['<%= dir > 1 ? a : b %>']],
      ["SetEnv A [% x.y('b c') %]d e", ['A', "[% x.y('b c') %]d", 'e']],
      ['Define A ${B} "c d"', ['A', '${B}', 'c d']],
    ] as const)
      assert.deepEqual(words(`${text}\n`), expected, text);
  });

  it('have the same findings with blanks in their tags and without', () => {
    let count = 0;
    for (const { examples } of ALL_RULES) {
      for (const { before } of examples) {
        const lines = before.split('\n');
        lines.forEach((line, index) => {
          if (!/^\s*\w+\s+\S/.test(line)) return;
          const ids = (tag: string) =>
            found(lines.map((each, i) => (i === index ? each.replace(/\S+\s*$/, tag) : each)).join('\n'));
          assert.deepEqual(ids('{{ a | b("c d") }}'), ids('{{a}}'), line);
          count++;
        });
      }
    }
    assert.ok(count > 200, `${count} lines`);
  });
});
