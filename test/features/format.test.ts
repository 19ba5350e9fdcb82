/** Formatting. Text in, text out. */
import assert from 'node:assert/strict';
import { textWithEdits, formatEdits, type FormatOptions } from '../../server/src/features/format';
import { Tree } from '../../server/src/syntax/document';
import { logicalLines } from '../support/logical';

const SPACES: FormatOptions = { tabSize: 4, insertSpaces: true, alignment: 'keep' };

interface Case {
  readonly what: string;
  readonly before: string;
  /** The same as before where it is left out. */
  readonly after?: string;
  readonly options?: Partial<FormatOptions>;
}

const CASES: readonly Case[] = [
  {
    what: 'indents by nesting',
    before:
      '<VirtualHost *:80>\nServerName a\n<Directory /x>\nOptions None\n</Directory>\n  </VirtualHost>\n  Listen 80\n',
    after:
      '<VirtualHost *:80>\n    ServerName a\n    <Directory /x>\n        Options None\n    </Directory>\n</VirtualHost>\nListen 80\n',
  },
  {
    what: 'indents with tabs',
    options: { insertSpaces: false },
    before: '<If true>\n    Options None\n</If>\n',
    after: '<If true>\n\tOptions None\n</If>\n',
  },
  {
    what: 'indents by two',
    options: { tabSize: 2 },
    before: '<If true>\n    Options None\n</If>\n',
    after: '<If true>\n  Options None\n</If>\n',
  },
  {
    what: 'puts one blank between words',
    before: 'Listen   80\n\nAlias \t /a\t"/b  c"\n<Directory   "/x  y">\n</Directory>\n',
    after: 'Listen 80\n\nAlias /a "/b  c"\n<Directory "/x  y">\n</Directory>\n',
  },
  { what: 'removes blanks at ends of lines', before: 'Listen 80  \n  \n# a \t\n', after: 'Listen 80\n\n# a\n' },
  {
    what: 'keeps them where the client says so',
    options: { trimTrailingWhitespace: false },
    before: 'Listen 80  \n  \n# a \t\n',
  },
  {
    what: 'keeps CR LF',
    before: '<If true>\r\nOptions  None \r\n</If>\r\n',
    after: '<If true>\r\n    Options None\r\n</If>\r\n',
  },
  {
    what: 'keeps a byte order mark and its line',
    before: '\ufeff  Listen  80\nListen  81\n',
    after: '\ufeff  Listen  80\nListen 81\n',
  },
  {
    what: 'knows which blanks are none to httpd',
    before: '\u00a0Listen  80\nListen\u00a0 80\n',
    after: '\u00a0Listen 80\nListen\u00a0 80\n',
  },
  {
    what: 'keeps blank lines and comments',
    before: '\n\n#  a   b\n\n\n<If true>\n#   c\n    # d\n</If>\n',
    after: '\n\n#  a   b\n\n\n<If true>\n    #   c\n    # d\n</If>\n',
  },
  {
    what: 'knows that a comment goes on',
    before: '<If true>\n# a \\\n  Options   None \n</If>\n',
    after: '<If true>\n    # a \\\n  Options   None\n</If>\n',
  },
  // Columns.
  { what: 'keeps columns', before: 'ServerName     a\nDocumentRoot   /b\nErrorLog       c\n' },
  {
    what: 'keeps the columns of arguments',
    before: 'LoadModule a_module     modules/a.so\nLoadModule bbbb_module  modules/b.so\n',
  },
  {
    what: 'makes columns of tabs columns of blanks',
    options: { tabSize: 8 },
    before: 'ServerName\ta\nListen\t\t80\n',
    after: 'ServerName      a\nListen          80\n',
  },
  {
    what: 'puts a new line into the columns of its name',
    before: 'LoadModule a_module     m/a.so\nLoadModule bbbb_module  m/b.so\nLoadModule c_module m/c.so\n',
    after: 'LoadModule a_module     m/a.so\nLoadModule bbbb_module  m/b.so\nLoadModule c_module     m/c.so\n',
  },
  {
    what: 'passes over comments in a table',
    before: 'LoadModule a_module     m/a.so\n#LoadModule b m/b.so\nLoadModule bbbb_module  m/b.so\n',
  },
  {
    what: 'lets what is too long stick out',
    before:
      'LoadModule a_module     m/a.so\nLoadModule bbbb_module  m/b.so\nLoadModule cccccccccccccc_module m/c.so\nLoadModule dd_module    m/d.so\n',
  },
  {
    what: 'keeps numbers below each other by their last digit',
    before: 'StartServers       8\nMaxSpareServers   20\n# a\nMaxClients       256\nMaxRequestsPerChild  4000\n',
    after: 'StartServers       8\nMaxSpareServers   20\n# a\nMaxClients       256\nMaxRequestsPerChild 4000\n',
  },
  {
    what: 'makes none where the author made none',
    before: 'ServerName   a\nDocumentRoot  /b\n',
    after: 'ServerName a\nDocumentRoot /b\n',
  },
  {
    what: 'makes none of two of many',
    before: 'Listen  1\nListen  2\nAlias /a  /b\nAlias /aa /b\nAlias /b /b\nAlias /c /b\nAlias /d /b\n',
    after: 'Listen 1\nListen 2\nAlias /a /b\nAlias /aa /b\nAlias /b /b\nAlias /c /b\nAlias /d /b\n',
  },
  {
    what: 'keeps none where the setting says so',
    options: { alignment: 'none' },
    before: 'ServerName     a\nDocumentRoot   /b\n',
    after: 'ServerName a\nDocumentRoot /b\n',
  },
  // Continuations.
  {
    what: 'moves continued lines with the first',
    before: '<If true>\nRewriteRule ^a$ \\\n    /b \\\n      [L]\n</If>\n',
    after: '<If true>\n    RewriteRule ^a$ \\\n        /b \\\n          [L]\n</If>\n',
  },
  {
    what: 'indents continued lines at least',
    before: 'AddType text/html \\\n.htm   \\\n.html\n',
    after: 'AddType text/html \\\n    .htm \\\n    .html\n',
  },
  {
    what: 'keeps them below the words of the first',
    before: 'AddType    text/html .htm \\\n           .html\n',
    after: 'AddType text/html .htm \\\n        .html\n',
  },
  { what: 'keeps a column of backslashes', before: 'AddType text/html .htm  \\\n    .html               \\\n    .h\n' },
  {
    what: 'never touches a continued argument',
    before: 'LogFormat "%h \\\n  %l" a\nAlias /a\\\nb  /c\nAlias /a \\\n  "/b \\\n c"\n',
    after: 'LogFormat "%h \\\n  %l" a\nAlias /a\\\nb /c\nAlias /a \\\n  "/b \\\n c"\n',
  },
  { what: 'leaves a blank where there is one', before: 'Alias /a\\\n /b\n', after: 'Alias /a\\\n /b\n' },
  { what: 'makes no continuation', before: 'Listen 80\\ \nListen 81\n' },
  {
    what: 'leaves a line that begins with a continuation',
    before: '<If true>\n\\\nOptions  None\n</If>\n',
    after: '<If true>\n\\\nOptions None\n</If>\n',
  },
  // Blanks that count.
  {
    what: 'knows who reads the rest of the line',
    before:
      '<If  "%{A} == \'b  c\'">\n</If>\n<If %{A} =~ /b  c/>\n</If>\nSSLRequire  %{A}  in {"b"}\nRequire  expr  %{A} =~ /b  c/\nRequire ldap-group  cn=A  B\nRequire  user  a  b\n',
    after:
      '<If "%{A} == \'b  c\'">\n</If>\n<If %{A} =~ /b  c/>\n</If>\nSSLRequire %{A}  in {"b"}\nRequire expr  %{A} =~ /b  c/\nRequire ldap-group  cn=A  B\nRequire user a b\n',
  },
  {
    what: 'knows how mod_rewrite reads',
    before: 'RewriteRule a\\  b  c\nRewriteRule "a\\" "b  c"  d\n',
    after: 'RewriteRule a\\  b  c\nRewriteRule "a\\" "b  c"  d\n',
  },
  {
    what: 'leaves the arguments of unknown directives',
    before: 'Foo   a  b\n<Bar   a  b>\n</Bar>\n',
    after: 'Foo a  b\n<Bar a  b>\n</Bar>\n',
  },
  { what: 'knows that a variable may have a quote', before: 'Alias   ${A}  b  ${C}\n', after: 'Alias ${A}  b  ${C}\n' },
  {
    what: 'knows that a parameter may have a quote',
    before: '<Macro m $a>\nAlias   $a  b\nAlias  x  y\n</Macro>\nAlias $a  b\n',
    after: '<Macro m $a>\n    Alias $a  b\n    Alias x y\n</Macro>\nAlias $a b\n',
  },
  {
    what: 'leaves what is in front of a > and behind it',
    before: '<Directory  "/a"  >  x\n</Directory>   y\n',
    after: '<Directory "/a"  >  x\n</Directory>   y\n',
  },
  { what: 'leaves NULs and lone CRs', before: '<If true>\nAlias  /a\0  b\nAlias  /a\r  b\n</If>\n' },
  { what: 'leaves what 2.2 might cut', before: `<If true>\nAlias  /a ${'b'.repeat(3000)}\n</If>\n` },
  // Other languages.
  {
    what: 'leaves the body of <Perl>',
    before: '<If true>\n<Perl>\nuse  strict;  \n\n=pod\n  </Perl>\n</If>\n',
    after: '<If true>\n    <Perl>\nuse  strict;  \n\n=pod\n    </Perl>\n</If>\n',
  },
  {
    what: 'leaves what follows a <Perl> without an end',
    before: 'Listen  80\n<Perl>\nuse  strict;  \n',
    after: 'Listen 80\n<Perl>\nuse  strict;  \n',
  },
  {
    what: 'leaves statements of a template, and indentation beside them',
    before: '<If true>\n{% if  a  %}  \n  Options   None\n{% endif %}\n      Alias  {{  b  }}   /c\n</If>\n',
    after: '<If true>\n{% if  a  %}  \n  Options None\n{% endif %}\n      Alias  {{  b  }}   /c\n</If>\n',
  },
  {
    what: 'indents sections in a branch by where they begin',
    before: '{% if a %}\n  <If true>\nOptions   {{ x }}\n  </If>\n{% endif %}\n',
    after: '{% if a %}\n  <If true>\n      Options   {{ x }}\n  </If>\n{% endif %}\n',
  },
  {
    what: 'leaves a tag of a template that goes on',
    before: '<If true>\n<% a.each do |x|\n  b   c  \n%>\nOptions  None\n</If>\n',
    after: '<If true>\n<% a.each do |x|\n  b   c  \n%>\nOptions None\n</If>\n',
  },
  // Broken.
  {
    what: 'leaves the indentation beside tags that pair with nothing',
    before: '  <Directory /x>\nOptions  None\n    Listen 80\n',
    after: '  <Directory /x>\nOptions None\n    Listen 80\n',
  },
  {
    what: 'indents whole sections beside them',
    before: '</If>\n  <Files a>\nOptions None\n</Files>\n',
    after: '</If>\n  <Files a>\n      Options None\n  </Files>\n',
  },
  // The end of the file.
  { what: 'ends the file', options: { insertFinalNewline: true }, before: 'Listen 80', after: 'Listen 80\n' },
  {
    what: 'ends the file as it ends lines',
    options: { insertFinalNewline: true },
    before: 'Listen 80\r\nListen 81 ',
    after: 'Listen 80\r\nListen 81\r\n',
  },
  { what: 'does not end what would go on', options: { insertFinalNewline: true }, before: 'Listen 80\\' },
  {
    what: 'removes empty lines at the end',
    options: { trimFinalNewlines: true },
    before: 'Listen 80\n\n  \n',
    after: 'Listen 80\n',
  },
  {
    what: 'removes an unfinished one, too',
    options: { trimFinalNewlines: true, insertFinalNewline: true },
    before: 'Listen 80\n\n  ',
    after: 'Listen 80\n',
  },
  { what: 'keeps them behind a continuation', options: { trimFinalNewlines: true }, before: 'Listen 80 \\\n\n' },
  {
    what: 'keeps the lines that httpd counts to the end',
    options: { trimFinalNewlines: true },
    before: '<If true>\n\n\n',
  },
  { what: 'leaves an empty file', options: { trimFinalNewlines: true, insertFinalNewline: true }, before: '' },
];

describe('formatting', () => {
  for (const { what, before, after = before, options } of CASES) {
    it(what, () => {
      const own = { ...SPACES, ...options };
      assert.equal(format(before, own), after);
      assert.equal(format(after, own), after, 'for the second time');
      assert.deepEqual(logicalLines(after), logicalLines(before));
    });
  }

  it('has an edit for each place that changes, within its line', () => {
    const tree = Tree.parse('<If true>\nOptions  None\n    Listen 80\n</If>\n');
    assert.deepEqual(
      formatEdits(tree, SPACES).map(({ range: { start, end }, text }) => [
        start.line,
        start.character,
        end.line,
        end.character,
        text,
      ]),
      [
        [1, 0, 1, 0, '    '],
        [1, 7, 1, 9, ' '],
      ],
    );
  });

  it('has edits in continued lines where they are', () => {
    const tree = Tree.parse('# a\nAddType a \\\n.b  \\\n.c\n');
    for (const { start, end, range } of formatEdits(tree, SPACES))
      assert.deepEqual(range, { start: tree.positionAt(start), end: tree.positionAt(end) });
  });
});

describe('formatting a range', () => {
  const within = (text: string) => {
    const [before, selected, after] = text.split('|');
    const tree = Tree.parse(before + selected + after);
    return textWithEdits(
      tree.text(),
      formatEdits(tree, { ...SPACES, insertFinalNewline: true }, before.length, before.length + selected.length),
    );
  };

  for (const [what, text, expected] of [
    [
      'changes its lines only',
      '<If true>\nListen  1\nLis|ten  2\nL|isten  3\nListen  4\n</If>',
      '<If true>\nListen  1\n    Listen 2\n    Listen 3\nListen  4\n</If>',
    ],
    ['ends before a line that it only reaches', '|Listen  1\n|Listen  2\n', 'Listen 1\nListen  2\n'],
    ['is the line of an empty one', 'Listen  1\nListen||  2\n', 'Listen  1\nListen 2\n'],
    [
      'knows the columns around',
      'LoadModule a_module     m/a.so\n|LoadModule c_module m/c.so\n|LoadModule bbbb_module  m/b.so\n',
      'LoadModule a_module     m/a.so\nLoadModule c_module     m/c.so\nLoadModule bbbb_module  m/b.so\n',
    ],
    ['ends the file where it is in it', 'Listen 1\n|Listen 2|', 'Listen 1\nListen 2\n'],
  ] as const)
    it(what, () => assert.equal(within(text), expected));
});

function format(text: string, options: FormatOptions): string {
  return textWithEdits(text, formatEdits(Tree.parse(text), options));
}
