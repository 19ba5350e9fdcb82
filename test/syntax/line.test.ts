/** httpd's lexical rules, docs/how-httpd-reads.md, each as text in and text out. */
import assert from 'node:assert/strict';
import {
  argumentsOf,
  differencesIn22,
  lexLines,
  LineKind,
  logicalText,
  rawArguments,
  spelledName,
  type Line,
} from '../../server/src/syntax/line';
import { Random, seed } from '../support/random';
import { rounds } from '../support/rounds';

const NAMES = ['blank', 'comment', 'directive', 'open', 'close'];

/**
 * Each logical line as `kind name [word] [word] …`; for sections and RAW_ARGS readers the raw rest
 * after `|`.
 */
function read(text: string): string[] {
  return lexLines(text).map((line) => {
    const words =
      line.kind === LineKind.Blank || line.kind === LineKind.Comment
        ? []
        : argumentsOf(line).map((word) => `[${word.value}]`);
    return [NAMES[line.kind], line.name, ...words].filter(Boolean).join(' ');
  });
}

const CASES: Record<string, [text: string, ...lines: string[]]> = {
  'a directive and its words': ['Order allow,deny\n', 'directive order [allow,deny]'],
  'leading and trailing white space': ['\t \v\fListen  80 \t\r\n', 'directive listen [80]'],
  'no final newline': ['Listen 80', 'directive listen [80]'],
  'blank lines of every kind': ['\n \t\r\n\r\n', 'blank', 'blank', 'blank'],
  'a comment only at the start of a line': [
    '# x\nListen 80 # no comment\n',
    'comment',
    'directive listen [80] [#] [no] [comment]',
  ],
  'a lone CR is white space': ['Listen\r80\n', 'directive listen [80]'],
  'continuation joins without a blank': ['Allow from 10.\\\n0.0.1\n', 'directive allow [from] [10.0.0.1]'],
  "continuation keeps the next line's leading blanks": ['Allow\\\n  from all\n', 'directive allow [from] [all]'],
  'continuation with CR LF': ['Allow from \\\r\nall\r\n', 'directive allow [from] [all]'],
  'continuation over three lines': [
    'Allow \\\nfrom \\\nall\nListen 80\n',
    'directive allow [from] [all]',
    'directive listen [80]',
  ],
  'a continued name': ['Ord\\\ner allow,deny\n', 'directive order [allow,deny]'],
  'a backslash followed by a blank does not continue': [
    'Allow from \\ \nall\n',
    'directive allow [from] [\\]',
    'directive all',
  ],
  'a comment that ends in a backslash swallows the next line': [
    '# x \\\nOrder allow,deny\nListen 80\n',
    'comment',
    'directive listen [80]',
  ],
  'a comment line after a continuation is words': ['Allow from \\\n# all\n', 'directive allow [from] [#] [all]'],
  'two backslashes at the end continue, one stays': ['OArgv a\\\\\nb\n', 'directive oargv [a\\b]'],
  'a continuation at the end of the file': ['Listen 80 \\\n', 'directive listen [80]'],
  'a backslash at the end of the file is a character': ['Listen 80\\', 'directive listen [80\\]'],
  'a NUL drops the rest of its physical line': [
    'Listen 80\0 rest\nListen 81\n',
    'directive listen [80]',
    'directive listen [81]',
  ],
  'a NUL drops a continuation behind it': [
    'Listen 80\0 \\\nListen 81\n',
    'directive listen [80]',
    'directive listen [81]',
  ],
  'a NUL in the second physical line': ['Allow \\\nfrom all\0x\n', 'directive allow [from] [all]'],
  'a line of nothing but a NUL': ['\0x\n', 'blank'],
  'a byte order mark is part of the first word': ['\uFEFFListen 80\n', 'directive \uFEFFlisten [80]'],
  'quotes around words': [
    'AuthName "the inner circle" \'single one\'\n',
    'directive authname [the inner circle] [single one]',
  ],
  'what follows a closing quote is the next word': ['X "a""b"c\n', 'directive x [a] [b] [c]'],
  'a quote inside a word is literal': ['X a"b c\n', 'directive x [a"b] [c]'],
  'escapes in quotes: the quote and the backslash only': [
    'X "a\\"b" "c\\\\d" "e\\nf" "g\\\'h"\n',
    'directive x [a"b] [c\\d] [e\\nf] [g\\\'h]',
  ],
  'outside quotes two backslashes become one': ['X a\\\\b \\d\n', 'directive x [a\\b] [\\d]'],
  'an unterminated quote goes to the end of the line': [
    'X "a b \nListen 80\n',
    'directive x [a b]',
    'directive listen [80]',
  ],
  'an empty word': ['X "" a\n', 'directive x [] [a]'],
  'a quoted name': ['"Order" allow,deny\n', 'directive order [allow,deny]'],
  'a section': ['<Directory />\n</Directory>\n', 'open directory [/]', 'close directory'],
  'section names ignore case': ['<DIRECTORY />\n</dIrEcToRy>\n', 'open directory [/]', 'close directory'],
  'a blank before the >': ['<Directory /a >\n', 'open directory [/a]'],
  'the last > ends the argument': ['<If "%{A} > 3"> junk\n', 'open if [%{A} > 3]'],
  'a < inside the tag': ['<IfVersion < 2.4>\n', 'open ifversion [<] [2.4]'],
  'a section without argument': ['<Limit>\n', 'open limit'],
  'a blank behind the < is a section without name': ['< Directory />\n', 'open [Directory] [/]'],
  'a tag without >': ['<Directory /a\n', 'open directory [/a]'],
  'a blank in a close': ['</Directory >\n', 'close directory'],
  'words behind a close': ['</Directory> x\n', 'close directory'],
  'a continued tag': ['<Directory \\\n /a>\n', 'open directory [/a]'],
  'only ASCII letters have a case': ['ÀB x\n', 'directive Àb [x]'],
};

describe('logical lines', () => {
  for (const [title, [text, ...expected]] of Object.entries(CASES)) {
    it(title, () => {
      assert.deepEqual(read(text), expected);
      assert.equal(
        lexLines(text)
          .map((line) => line.text)
          .join(''),
        text,
        'nothing is lost',
      );
    });
  }

  it('words know where they stand, also behind continuations', () => {
    const text = '  Allow \\\n  from "a b" \\\r\n10.\\\n1\n';
    const [line] = lexLines(text);
    const spans = argumentsOf(line).map((word) => text.slice(word.start, word.end));
    assert.deepEqual(spans, ['from', '"a b"', '10.\\\n1']);
    assert.equal(text.slice(line.nameStart, line.nameEnd), 'Allow');
    assert.equal(spelledName(line), 'Allow');
  });

  it('a continued name knows where it stands', () => {
    const [line] = lexLines('Ord\\\ner allow,deny\n');
    assert.equal(line.text.slice(line.nameStart, line.nameEnd), 'Ord\\\ner');
    assert.equal(spelledName(line), 'Order');
  });

  it('RAW_ARGS get the rest as it is', () => {
    const [line] = lexLines('  LogFormat  "%h \\"%r\\""   combined \t\n');
    assert.equal(rawArguments(line).value, '"%h \\"%r\\""   combined');
    const [section] = lexLines('<Directory  "/a b" > x\n');
    assert.equal(rawArguments(section).value, '"/a b"');
  });

  it('maps every character of a joined line back to itself', () => {
    const text = 'A \\\nb\\\r\n\\\nc"d \\\n';
    const [line] = lexLines(text);
    const logical = logicalText(line);
    for (let i = 0; i < logical.text.length; i++) assert.equal(line.text[logical.lineOffsetOf(i)], logical.text[i]);
  });

  describe('what 2.2 reads otherwise', () => {
    const differences = (text: string): string[] => {
      const lines = lexLines(text);
      return lines.flatMap((line: Line, index) => differencesIn22(line, index === lines.length - 1));
    };
    it('two backslashes at the end of a line', () =>
      assert.deepEqual(differences('OArgv a\\\\\nb\n'), ['escaped-backslash']));
    it('a continuation at the end of the file', () =>
      assert.deepEqual(differences('Listen 80 \\\n'), ['dropped-at-end']));
    it('a line of 8191 bytes', () => {
      assert.deepEqual(differences(`# ${'x'.repeat(8188)}\n`), []);
      assert.deepEqual(differences(`# ${'x'.repeat(8189)}\n`), ['cut']);
      assert.deepEqual(differences(`# ${'é'.repeat(4095)}\n`), ['cut']);
    });
    it('nothing in ordinary lines', () => assert.deepEqual(differences('Allow from \\\nall\nListen 80'), []));
  });

  it('reads the usual line and the unusual one by the same rules', () => {
    // A carriage return anywhere takes all lines of a text the long way.
    const runSeed = seed();
    const random = new Random(runSeed);
    for (let round = 0; round < rounds(3000); round++) {
      const text = `${Array.from({ length: 1 + random.below(12) }, () => random.pick(MORSELS)).join('')}\n`;
      const long = lexLines(`${text}# \r\n`);
      const isContinued = /\\\n$/.test(text);
      if (!isContinued) assert.deepEqual(lexLines(text), long.slice(0, -1), `seed ${runSeed}: ${JSON.stringify(text)}`);
    }
  });
});

const MORSELS = [
  '\n',
  '\n',
  ' ',
  '\t',
  '\v',
  '#',
  '<',
  '</',
  '>',
  '"',
  "'",
  '\\',
  '\\\n',
  '/',
  'Directory',
  'Order',
  'httpd-upgrade',
  'é',
  '=',
  '<IfModule x>\n',
  '</IfModule>\n',
];
