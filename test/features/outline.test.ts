/** The outline and folding ranges. */
import assert from 'node:assert/strict';
import type { DocumentSymbol } from 'vscode-languageserver-types';
import { documentSymbols, foldingRanges } from '../../server/src/features/outline';
import { Random } from '../support/random';
import { Tree } from '../../server/src/syntax/document';

describe('document symbols', () => {
  it('are the sections with what is in them', () => {
    outlines(
      [
        'ServerRoot "/etc/httpd"',
        '# comment',
        '',
        '<VirtualHost *:80>',
        '  servername www.example.org',
        '  <Directory "/var/www/html">',
        '    Options \\',
        '      Indexes',
        '  </Directory>',
        '</VirtualHost>',
        '<IfModule ssl_module>',
        '  Listen 443',
        '</IfModule>',
      ],
      [
        'ServerRoot "/etc/httpd"',
        '<VirtualHost *:80> www.example.org',
        '. servername www.example.org',
        '. <Directory "/var/www/html">',
        '. . Options Indexes',
        '<IfModule ssl_module>',
        '. Listen 443',
      ],
    );
  });

  it('tell virtual hosts and modules apart by their names', () => {
    outlines(
      [
        'LoadModule ssl_module modules/mod_ssl.so',
        'LoadModule',
        '<VirtualHost *:80>',
        'ServerName "a.example.org:80"',
        '</VirtualHost>',
        '<VirtualHost *:80>',
        '</VirtualHost>',
      ],
      [
        'LoadModule ssl_module',
        'LoadModule',
        '<VirtualHost *:80> a.example.org:80',
        '. ServerName "a.example.org:80"',
        '<VirtualHost *:80>',
      ],
    );
  });

  it('name a virtual host by its alias, or by a name under a condition, where that is all there is', () => {
    outlines(
      [
        '<VirtualHost *:80>',
        'ServerAlias b.example.org c.example.org',
        '</VirtualHost>',
        '<VirtualHost *:80>',
        '<IfDefine X>',
        'ServerName d.example.org',
        '</IfDefine>',
        '</VirtualHost>',
        '<Macro Host $name>',
        '</Macro>',
      ],
      [
        '<VirtualHost *:80> b.example.org',
        '. ServerAlias b.example.org c.example.org',
        '<VirtualHost *:80> d.example.org',
        '. <IfDefine X>',
        '. . ServerName d.example.org',
        '<Macro Host $name>',
      ],
    );
  });

  it('do not look into other languages', () => outlines(['<Perl>', 'my $x = 1;', '</Perl>'], ['<Perl>']));

  it('take tags without a match for what they are: lines', () =>
    outlines(['<Directory />', 'Listen 80', '</Files>'], ['Listen 80']));

  it('shorten what is long', () => {
    const [symbol] = documentSymbols(Tree.parse(`ServerAlias ${'a'.repeat(100)}\n`));
    assert.equal(symbol.detail, `${'a'.repeat(59)}…`);
  });

  it('have names, also where there is little to name', () => {
    for (const text of [
      '""\n',
      '<>\n</>\n',
      '< >\n',
      '\\\n\n',
      '<Directory>\n</Directory>',
      '\u00e4\n',
      '"Listen"80\n',
    ]) {
      for (const symbol of all(documentSymbols(Tree.parse(text))))
        assert.notEqual(symbol.name.trim(), '', JSON.stringify(text));
    }
  });

  it('cover their sections, and select the tag', () => {
    const text = 'Listen 80\r\n  <Files x>\r\n    Listen 81\r\n  </Files>  \r\nListen 82';
    const tree = Tree.parse(text);
    const [, section] = documentSymbols(tree);
    const at = ({ start, end }: DocumentSymbol['range']) => tree.text(tree.offsetAt(start), tree.offsetAt(end));
    assert.equal(at(section.range), '<Files x>\r\n    Listen 81\r\n  </Files>');
    assert.equal(at(section.selectionRange), '<Files x>');
  });

  it('lie within each other, as the protocol wants it', () => {
    const tree = Tree.parse(
      '<A x>\n<B y>\nListen \\\n 80\n</B>\nListen 81</A>\n</A>\n<Files x>\n  <If "\n">\n</If></Files>\n',
    );
    const check = (outer: DocumentSymbol['range'] | null, symbols: readonly DocumentSymbol[]) => {
      for (const { range, selectionRange, children = [] } of symbols) {
        if (outer) assert.ok(contains(tree, outer, range));
        assert.ok(contains(tree, range, selectionRange));
        check(range, children);
      }
    };
    check(null, documentSymbols(tree));
  });

  it('are the same after edits as of the whole text', () => {
    const random = new Random(7);
    const pieces = [
      '<Files x>\n',
      '</Files>\n',
      'Listen 80\n',
      '\n',
      '  Options \\\r\n  A\r\n',
      'a\rb\n',
      '<If "x">',
      '</If>\n',
      '<Perl>\n',
    ];
    for (let run = 0; run < 20; run++) {
      let tree = Tree.parse(Array.from({ length: 60 }, () => random.pick(pieces)).join(''));
      for (let edit = 0; edit < 10; edit++) {
        const from = random.below(tree.length + 1);
        tree = tree.edit(from, Math.min(tree.length, from + random.below(12)), random.pick(pieces));
        const fresh = Tree.parse(tree.text());
        assert.deepEqual(documentSymbols(tree), documentSymbols(fresh), JSON.stringify(tree.text()));
        for (let at = 0; at < 5; at++) {
          const start = random.below(tree.length + 1);
          const end = Math.min(tree.length, start + random.below(9));
          assert.deepEqual(tree.rangeAt(start, end), { start: tree.positionAt(start), end: tree.positionAt(end) });
        }
      }
    }
  });

  describe('of very long files', () => {
    const names = (text: string) => all(documentSymbols(Tree.parse(text))).map(({ name }) => name);
    const many = (times: number, text: string) => text.repeat(times);

    it('have directives as long as there are not too many symbols', () => {
      assert.equal(names(many(6000, 'Listen 80\n')).length, 6000);
      assert.deepEqual(names(`${many(6000, 'Listen 80\n')}<Files x>\nListen 80\n</Files>\n`), ['<Files x>']);
      // Comments are none.
      assert.equal(names(`${many(6000, '# a\n')}${many(5000, 'Listen 80\n')}`).length, 5000);
    });

    it('have sections as deep as there are not too many, a level as a whole', () => {
      const host = '<VirtualHost *:80>\n<Directory />\n<Files x>\nListen 80\n</Files>\n</Directory>\n</VirtualHost>\n';
      const found = (times: number) => [...new Set(names(many(times, host)))];
      assert.deepEqual(found(1500), ['<VirtualHost *:80>', '<Directory />', '<Files x>', 'Listen']);
      assert.deepEqual(found(2000), ['<VirtualHost *:80>', '<Directory />', '<Files x>']);
      assert.deepEqual(found(3000), ['<VirtualHost *:80>', '<Directory />']);
      assert.deepEqual(found(3001), ['<VirtualHost *:80>']);
    });

    it('have all outermost sections, however many', () =>
      assert.equal(names(many(7000, '<Files x>\n<If y>\n</If>\n</Files>\n')).length, 7000));

    it('are the same after an edit', () => {
      const host = '<VirtualHost *:80>\n<Directory />\nListen 80\n</Directory>\n</VirtualHost>\n';
      const tree = Tree.parse(many(3000, host));
      documentSymbols(tree);
      for (const [text, levels] of [
        [host, 1],
        ['Listen 80\n', 2],
      ] as const) {
        const edited = tree.edit(0, 0, text);
        assert.deepEqual(documentSymbols(edited), documentSymbols(Tree.parse(edited.text())));
        assert.equal(new Set(all(documentSymbols(edited)).map(({ name }) => name)).size, levels);
      }
    });
  });
});

describe('folding', () => {
  it('takes in sections without their last line, blocks of comments, and continued lines', () => {
    folds(['# one', '# two', '', '# alone', 'Listen 80'], ['1-2 comment']);
    folds(
      [
        '<VirtualHost *>',
        '  # a',
        '  # b',
        '  <Directory />',
        '    Options \\',
        '      Indexes',
        '  </Directory>',
        '</VirtualHost>',
      ],
      ['1-7', '2-3 comment', '4-6', '5-6'],
    );
  });

  it('does not fold what is on one line', () => folds(['<Files x>', '</Files>', '# alone', '', 'Listen 80'], []));

  it('ends comments at a blank line, a directive, a section and its end', () => {
    folds(
      ['# a', '# b', '', '# c', '# d', 'Listen 80', '# e', '<Files x>', '# f', '# g', '</Files>', '# h', '# i'],
      ['1-2 comment', '4-5 comment', '8-10', '9-10 comment', '12-13 comment'],
    );
  });

  it('folds a continued line at the end of the file', () => folds(['Listen 80', 'Options \\', 'Indexes'], ['2-3']));
  it('folds a continued comment', () => folds(['# a \\', 'b', '# c'], ['1-3 comment']));
  it('folds with CR LF', () =>
    folds(['# a\r', '# b\r', '<If x>\r', 'Listen 80\r', '</If>\r', ''], ['1-2 comment', '3-4']));
  it('folds other languages as a whole', () => folds(['<Perl>', '# a', '# b', 'x \\', ';', '</Perl>'], ['1-5']));
  it('folds nothing in an empty file', () => folds([], []));
  it('folds a deep nest', () => {
    assert.equal(foldingRanges(Tree.parse(`${'<If x>\n'.repeat(150)}Listen 80\n${'</If>\n'.repeat(150)}`)).length, 150);
  });
});

// ---------------------------------------------------------------------------------------------------------------------

function outlines(lines: readonly string[], expected: readonly string[]): void {
  const rows = (symbols: readonly DocumentSymbol[], indent: string): string[] =>
    symbols.flatMap(({ name, detail, children = [] }) => {
      const text = detail === undefined || detail === '' ? '' : name.startsWith('<') ? ` (${detail})` : ` ${detail}`;
      return [`${indent}${name}${text}`.replace(/\s+/g, ' '), ...rows(children, `${indent}. `)];
    });
  assert.deepEqual(rows(documentSymbols(Tree.parse(`${lines.join('\n')}\n`)), ''), expected);
}

function all(symbols: readonly DocumentSymbol[]): DocumentSymbol[] {
  return symbols.flatMap((symbol) => [symbol, ...all(symbol.children ?? [])]);
}

function contains(tree: Tree, outer: DocumentSymbol['range'], inner: DocumentSymbol['range']): boolean {
  return (
    tree.offsetAt(outer.start) <= tree.offsetAt(inner.start) && tree.offsetAt(inner.end) <= tree.offsetAt(outer.end)
  );
}

/** Ranges as `first-last kind`, counted from 1 as an editor shows lines. */
function folds(lines: readonly string[], expected: readonly string[]): void {
  const ranges = foldingRanges(Tree.parse(lines.join('\n')));
  assert.deepEqual(
    ranges.map(({ startLine, endLine, kind }) => `${startLine + 1}-${endLine + 1}${kind ? ` ${kind}` : ''}`),
    expected,
  );
}
