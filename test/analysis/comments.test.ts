/** Comments stay true: they are renamed or removed with their lines, and otherwise stay. */
import assert from 'node:assert/strict';
import { staleComments } from '../../server/src/analysis/comments';
import { Engine } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';

const engine = new Engine({ rules: ALL_RULES });
const fixed = (text: string) => fixText(engine, text, { isHtaccess: false }).text;

describe('comments beside fixes', () => {
  const cases: [title: string, before: string, after: string][] = [
    [
      'say the new name',
      '# MaxClients: most requests at a time\nMaxClients 10\n',
      '# MaxRequestWorkers: most requests at a time\nMaxRequestWorkers 10\n',
    ],
    [
      'of a name that goes on in the next line',
      '# MaxClients: most requests\nMax\\\nClients 10\n',
      '# MaxRequestWorkers: most requests\nMaxRequestWorkers 10\n',
    ],
    [
      'in odd case, several times, in quotes',
      '# The maxclients ("MaxClients") of this box\nMaxClients 10\n',
      '# The MaxRequestWorkers ("MaxRequestWorkers") of this box\nMaxRequestWorkers 10\n',
    ],
    [
      'not a word of a sentence',
      '# include the sites\nInclude sites/*.conf\n',
      '# include the sites\nIncludeOptional sites/*.conf\n',
    ],
    [
      'not a sentence that begins with the name',
      '# Include module configuration:\nInclude sites/*.conf\n',
      '# Include module configuration:\nIncludeOptional sites/*.conf\n',
    ],
    [
      'above the condition around',
      '# prefork MPM\n# MaxClients: most requests\n<IfModule prefork.c>\nStartServers 8\nMaxClients 10\n</IfModule>\n',
      '# prefork MPM\n# MaxRequestWorkers: most requests\n<IfModule prefork.c>\nStartServers 8\nMaxRequestWorkers 10\n</IfModule>\n',
    ],
    [
      'not where they stand apart',
      '# MaxClients is old\n\nMaxClients 10\n',
      '# MaxClients is old\n\nMaxRequestWorkers 10\n',
    ],
    [
      'not in a longer word',
      '# MyMaxClients, MaxClients-2\nMaxClients 10\n',
      '# MyMaxClients, MaxClients-2\nMaxRequestWorkers 10\n',
    ],
    [
      'go with the line that they are about',
      'Listen 80\n\n# DefaultType is the type of files\n# that have none.\nDefaultType text/plain\n\nTimeout 60\n',
      'Listen 80\n\n\nTimeout 60\n',
    ],
    ['CR LF', '# DefaultType: none\r\nDefaultType text/plain\r\n\r\nTimeout 60\r\n', '\r\nTimeout 60\r\n'],
    [
      'stay where they do not name it',
      '# What we serve\nDefaultType text/plain\n\nTimeout 60\n',
      '# What we serve\n\nTimeout 60\n',
    ],
    [
      'stay where they name another directive, too',
      '# DefaultType and AddType\nDefaultType text/plain\n\nTimeout 60\n',
      '# DefaultType and AddType\n\nTimeout 60\n',
    ],
    [
      'stay where the next line may be meant',
      '# DefaultType and more\nDefaultType text/plain\nTimeout 60\n',
      '# DefaultType and more\nTimeout 60\n',
    ],
    [
      'stay where they are lines that are commented out',
      '#DefaultType none\nDefaultType text/plain\n\nTimeout 60\n',
      '#DefaultType none\n\nTimeout 60\n',
    ],
    [
      'go once for lines that go together',
      '# MaxRequestsPerThread: for BeOS\nMaxRequestsPerThread 5\nMaxRequestsPerThread 6\n',
      '',
    ],
  ];
  for (const [title, before, after] of cases) {
    it(title, () => {
      assert.equal(fixed(before), after);
      assert.equal(fixed(after), after);
    });
  }

  it('stay above a line whose name is no word', () => {
    const { text } = fixText(engine, '# a \\ b\n\\\r\\\n\\\n', { isHtaccess: false }, { unsafe: true });
    assert.equal(text, '# a \\ b\n');
  });

  const left: [title: string, text: string, lines: string[]][] = [
    [
      'that does not name it',
      'Listen 80\n\n# What we serve\n# by default\nDefaultType text/plain\n\nTimeout 60\n',
      ['# What we serve'],
    ],
    [
      'that names another directive, too',
      '# The DefaultType, and AddType beside it\nDefaultType text/plain\n\nTimeout 60\n',
      ['# The DefaultType, and AddType beside it'],
    ],
    [
      'that names it above a line that stays',
      '# The DefaultType and more\nDefaultType text/plain\nTimeout 60\n',
      ['# The DefaultType and more'],
    ],
    ['but not one that goes with it', '# DefaultType: none\nDefaultType text/plain\n\nTimeout 60\n', []],
    ['nor one that names another directive alone', '# See AddType\nDefaultType text/plain\n\nTimeout 60\n', []],
    ['nor one that may be about the next line', '# What we serve\nDefaultType text/plain\nTimeout 60\n', []],
    ['nor a line that is commented out', '#DefaultType none\nDefaultType text/plain\n\nTimeout 60\n', []],
  ];
  for (const [title, text, lines] of left) {
    it(`a person reads again one ${title}`, () => {
      const start = text.search(/^DefaultType/m);
      const edit = { start, end: text.indexOf('\n', start) + 1, text: '' };
      assert.deepEqual(
        staleComments(Tree.parse(text), [edit]).map(({ offset, removedDirective }) => [
          text.slice(offset).split('\n')[0],
          removedDirective,
        ]),
        lines.map((line) => [line, 'DefaultType']),
      );
    });
  }
});
