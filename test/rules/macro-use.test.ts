/**
 * Uses of macros, without a server: a standalone file, several files, and unknown results.
 * test/httpd/macros.test.ts compares with the server.
 */
import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { fileInfoOf } from '../../server/src/analysis/places';
import { Configurations } from '../../server/src/config/configurations';
import { configView } from '../../server/src/config/config-view';
import { DEFAULT_TARGET } from '../../server/src/config/target';
import { diagnostics } from '../../server/src/features/diagnostics';
import { ALL_RULES } from '../../server/src/rules/all';
import { macroUse } from '../../server/src/rules/macro-use';
import { memoryFiles } from '../../server/src/config/memory-files';
import { annotated, findingsIn } from '../support/rules';

/** A file by itself: text with what is found below its lines. */
function alone(title: string, marked: string): void {
  const text = marked.replace(/^#\s*\^.*\n/gm, '');
  it(title, () => assert.equal(annotated(text, { rule: macroUse.id }), marked));
}

/**
 * Files by their paths, the root first: the lines with a finding, and of each what it begins with.
 */
function together(title: string, files: Readonly<Record<string, string>>, expected: readonly string[]): void {
  it(title, () => assert.deepEqual(uses(files), expected));
}

alone(
  'a recursion in a condition that is not known',
  '<Macro a>\n<IfDefine X>\nUse a\n</IfDefine>\n</Macro>\nUse a\n<Macro b>\nUse b\n</Macro>\nUse b\n#^^^^ error macro-use/refused none\n',
);

alone(
  'a macro that is defined again in itself',
  '<Macro m $x>\n<Macro M $x>\nServerName $x\n</Macro>\nUse m 1\n</Macro>\nUse m 1\n#^^^^^^ error macro-use/refused none\n',
);

it('names a directive that no loaded module has, if some modules are unknown', () => {
  const found = (lines: string) =>
    uses({ '/httpd.conf': `ServerRoot /\n<Macro m $x>\nServerName $x\n${lines}</Macro>\nUse m a\n` });
  assert.deepEqual(found('PaperTray $x\n'), [
    'httpd.conf:6 `Use`: httpd 2.4 may not accept line 2 of macro `m`\nLine 2 of macro "m" (`PaperTray a`): `PaperTray` is not a directive of httpd 2.4',
  ]);
  assert.deepEqual(found('<IfModule mod_paper.c>\nPaperTray $x\n</IfModule>\n'), []);
});

it('counts the arguments that the line has', () => {
  const [{ what, serverText }] = findingsIn('<Macro m $x $y>\nServerName $x$y\n</Macro>\nUse m 1 2 3\n', {
    rule: macroUse.id,
  });
  assert.equal(what, '`Use`: macro `m` takes 2 arguments, not 3');
  assert.equal(serverText, 'used with 3 arguments instead of 2');
});

const engine = new Engine({ rules: ALL_RULES });

function uses(files: Readonly<Record<string, string>>): string[] {
  const view = memoryFiles(files);
  const configurations = new Configurations();
  configurations.update([{ mainFile: Object.keys(files)[0], target: DEFAULT_TARGET }], configView(view), []);
  return Object.keys(files).flatMap((file) => {
    const analysis = engine.analyze(view.read(file)!, fileInfoOf(configurations.publishedContextsOf(file)!));
    return analysis
      .findings()
      .filter(({ rule }) => rule === macroUse)
      .map(
        ({ start, what, cause }) =>
          `${file.slice(1)}:${files[file].slice(0, start).split('\n').length} ${what}${cause ? `\n${cause}` : ''}`,
      );
  });
}

describe('a Use in a file by itself', () => {
  alone(
    'of a macro in front of it',
    '<Macro M $a>\n    ServerSignature $a\n</Macro>\nUse M Off\nUse M never\n#^^^^^^^^^^ error macro-use/refused none\n',
  );
  alone(
    'with another number of arguments, on a continued line',
    '<Macro M $a>\n    ServerSignature $a\n</Macro>\nUse M \\\n#^^^^^^ error macro-use/arguments none\n    Off On\n',
  );
  alone('of a macro that another file may have', 'Use M Off\nUse N\n');
  alone(
    'of a macro that is defined further down, and may be elsewhere, too',
    'Use M\n<Macro M>\n    ServerSignature never\n</Macro>\n',
  );
  alone(
    'within a condition of which nobody knows whether it holds, of a macro there',
    '<IfDefine X>\n<Macro M>\n    ServerSignature never\n</Macro>\nUse M\n#^^^^ error macro-use/refused none\n</IfDefine>\n',
  );
  alone(
    'of a macro that a condition may have defined otherwise',
    '<Macro M>\n    ServerSignature never\n</Macro>\n<IfDefine X>\n<Macro M>\n    ServerSignature Off\n</Macro>\n</IfDefine>\nUse M\n',
  );
  alone(
    'of one that a condition may have taken back',
    '<Macro M>\n    ServerSignature never\n</Macro>\n<IfDefine X>\nUndefMacro M\n</IfDefine>\nUse M\n',
  );
  alone(
    'in a condition that does not hold',
    '<Macro M>\n    ServerSignature never\n</Macro>\n<IfVersion < 2.4>\nUse M\n</IfVersion>\n',
  );
  alone(
    'with a variable of which nobody knows the value',
    '<Macro M $a>\n    ServerSignature $a\n</Macro>\nUse M ${WHAT}\nUse ${WHICH} a\n',
  );
  alone('a value in a body that is a variable', '<Macro M $a>\n    ServerSignature ${$a}\n</Macro>\nUse M WHAT\n');
  alone('of a name that no module is known to have', '<Macro M $a>\n    $aThing On\n</Macro>\nUse M Some\n');
  alone(
    'in the body of another macro that nobody uses',
    '<Macro M>\n    ServerSignature never\n</Macro>\n<Macro N>\n    Use M\n    Use M x\n</Macro>\n',
  );
  alone(
    'within a line that is a comment, and with CR LF',
    '<Macro M>\r\n    ServerSignature never\r\n</Macro>\r\n# Use M\r\nUse M\r\n#^^^^^ error macro-use/refused none\n'.replace(
      'Use M\r\n#^^^^^',
      'Use M\r\n#^^^^',
    ),
  );
  alone(
    'of odd case, and twice in a section',
    '<mAcRo M>\n    DocumentRoot /srv\n</mAcRo>\n<Directory "/srv">\n    uSe m\n#   ^^^^^ error macro-use/refused none\n    USE M\n#   ^^^^^ error macro-use/refused none\n</Directory>\nUse M\n',
  );

  it('tells three of the lines, and how many more', () => {
    const [finding] = findingsIn(`<Macro M>\n${'    ServerSignature never\n'.repeat(5)}</Macro>\nUse M\n`, {
      rule: macroUse.id,
    });
    assert.equal(finding.what, '`Use` inserts 5 lines that httpd 2.4 does not accept');
    assert.deepEqual(
      finding.cause!.split('\n').map((row) => row.slice(0, 23)),
      ['Line 1 of macro "M" (`S', 'Line 2 of macro "M" (`S', 'Line 3 of macro "M" (`S', 'and 2 more'],
    );
  });

  it('is silenced by a comment above it', () => {
    assert.deepEqual(
      findingsIn(
        '<Macro M>\n    ServerSignature never\n</Macro>\n# httpd-upgrade-ignore macro-use: on purpose\nUse M\n',
        { rule: macroUse.id },
      ),
      [],
    );
  });

  it('says where the lines are, though others have come in front of them', () => {
    const text = '<Macro M>\n    # quiet\n    ServerSignature Off \\\n        never\n</Macro>\nUse M\n';
    const { tree } = { tree: memoryFiles({ '/a': text }).read('/a')! };
    const [found] = diagnostics(engine.analyze(tree, { isHtaccess: false }), 10, [], ({ row, rowOffset: rows }) => ({
      uri: 'file:///a',
      row: row + rows,
    }));
    assert.deepEqual(
      found.relatedInformation?.map(({ location }) => location.range.start.line),
      [2],
    );
  });
});

describe('a Use in a configuration', () => {
  const quiet = '<Macro Quiet $a>\n    ServerSignature $a\n</Macro>\n';
  together(
    'of a macro that uses itself through another one',
    { '/httpd.conf': '<Macro A>\nUse B\n</Macro>\n<Macro B>\nUse A\n</Macro>\nUse A\n' },
    [
      'httpd.conf:7 `Use`: macro `A` uses itself, directly or through another macro\nLine 1 of macro "B" uses it again.',
    ],
  );
  together(
    'of a macro in another file',
    {
      '/httpd.conf': 'ServerRoot "/"\nInclude macros.conf\nInclude site.conf\n',
      '/macros.conf': quiet,
      '/site.conf': 'Use Quiet Off\nUse Quiet never\n',
    },
    [
      'site.conf:2 `Use`: httpd 2.4 does not accept line 1 of macro `Quiet`\nLine 1 of macro "Quiet" (`ServerSignature never`): `ServerSignature`: `never` is not a valid value',
    ],
  );
  together(
    'of a macro whose file is included behind it',
    {
      '/httpd.conf': 'ServerRoot "/"\nInclude site.conf\nInclude macros.conf\n',
      '/macros.conf': quiet,
      '/site.conf': 'Use Quiet Off\n',
    },
    ['site.conf:1 `Use`: no macro `Quiet` is defined before it'],
  );
  together(
    'of a macro that a missing file may have',
    { '/httpd.conf': 'ServerRoot "/"\nInclude /elsewhere/macros.conf\nUse Quiet Off\n' },
    [],
  );
  together(
    'in a file that is included into a section',
    {
      '/httpd.conf': 'ServerRoot "/"\nInclude macros.conf\n<Directory "/x">\nInclude part.conf\n</Directory>\n',
      '/macros.conf': '<Macro M>\nDocumentRoot /srv\n</Macro>\nUse M\n',
      '/part.conf': 'Use M\n',
    },
    [
      'part.conf:1 `Use`: httpd 2.4 does not accept line 1 of macro `M`\nLine 1 of macro "M" (`DocumentRoot /srv`): `DocumentRoot` is not allowed in `<Directory>`',
    ],
  );
  together(
    'of macros that Include, Define and load: the model has what they bring',
    {
      '/httpd.conf':
        'ServerRoot "/"\n<Macro Site $name>\nInclude $name.conf\nDefine $name_value never\n</Macro>\nUse Site a\nServerSignature Off\n<Macro M>\nServerSignature ${a_value}\n</Macro>\nUse M\n',
      '/a.conf': quiet + 'Use Quiet no\n',
    },
    [
      'httpd.conf:11 `Use`: httpd 2.4 does not accept line 1 of macro `M`\nLine 1 of macro "M" (`ServerSignature never`): `ServerSignature`: `never` is not a valid value',
      'a.conf:4 `Use`: httpd 2.4 does not accept line 1 of macro `Quiet`\nLine 1 of macro "Quiet" (`ServerSignature no`): `ServerSignature`: `no` is not a valid value',
    ],
  );
  together(
    'and a variable that the other file does not mention',
    {
      '/httpd.conf':
        'ServerRoot "/"\nDefine SIG Off\n<Macro M>\nServerSignature ${SIG}\nServerAdmin ${NOBODY}\n</Macro>\nInclude site.conf\n',
      '/site.conf': 'Use M\n',
    },
    [],
  );
});
