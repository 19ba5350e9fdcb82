/**
 * The two views of a configuration, the model (by summaries) and the configuration (by trees), use
 * one interpreter: they read the same files as often, in the same order, with the same ServerRoot
 * and paths, and miss the same lines. `isOwn` lists intended differences.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import type { Activity } from '../../server/src/config/activity';
import { configView } from '../../server/src/config/config-view';
import { readConfiguration, type ConfigLine, type Scope } from '../../server/src/config/configuration';
import type { FileSummary } from '../../server/src/config/file-summary';
import type { FileView } from '../../server/src/config/files';
import type { Expansion } from '../../server/src/config/macro';
import { memoryFiles } from '../../server/src/config/memory-files';
import type { FileNode, GapReason, Model, ServerSettings } from '../../server/src/config/model';
import { readModel } from '../../server/src/config/read-model';
import { diskFileView } from '../../server/src/host/node-files';
import type { Line } from '../../server/src/syntax/line';
import { rows } from '../corpus/files';
import { describeOver } from '../support/lacks';
import { corpusFolder } from '../support/paths';
import { Random } from '../support/random';
import { Place } from '../trees/disk';
import { randomTree } from '../trees/generate';

const ROOT = '/etc/httpd/conf/httpd.conf';
const SEEDS = 300;

interface View {
  readonly files: readonly string[];
  readonly serverRoot: string;
  readonly map: unknown;
  readonly gaps: readonly string[];
}

/** What both of them say; null where the root cannot be read. */
function bothViews(mainFile: string, view: FileView, server: ServerSettings = {}): readonly [View, View] | null {
  const model = readModel({ mainFile, view: configView(view), server });
  if (!model) return null;
  const configuration = readConfiguration({
    root: mainFile,
    view,
    ...server,
    names: new Set(['order', 'serversignature']),
    decideCondition: conditionsOf(model),
  })!;
  const rowOf = (file: string, offset: number) => view.read(file)!.text().slice(0, offset).split('\n').length - 1;
  const times = countsOf(orderIn(model.fileTree));
  return [
    {
      files: [...model.files.keys()].map((file) => `${file} ${times.get(file) ?? 0}`),
      serverRoot: model.serverRoot,
      map: model.pathMap,
      gaps: unique([
        ...model.gaps
          .filter((gap) => !isOwn(gap))
          .map(({ reason, file, row }) => `${COARSE[reason] ?? reason} ${file}:${row}`),
        ...refusedIn(model),
      ]),
    },
    {
      files: [...configuration.files].map(([file, { readingCount }]) => `${file} ${readingCount}`),
      serverRoot: configuration.serverRoot,
      map: configuration.pathMap,
      gaps: unique(
        configuration.gaps
          .filter(({ reason }) => reason !== 'condition')
          .map(({ reason, file, offset }) => `${reason} ${file.path}:${rowOf(file.path, offset)}`),
      ),
    },
  ];
}

/**
 * A wildcard that matches nothing in a folder that is here is an error of 2.4, and hides no line.
 */
function isOwn({ reason, what }: Model['gaps'][number]): boolean {
  return reason === 'include-missing' && /[*?[]/.test(what);
}

const COARSE: Partial<Record<GapReason, string>> = {
  'include-folder-missing': 'include-missing',
  'include-unreadable': 'include-missing',
};

/**
 * A Use that the server refuses: the model knows that it brings in nothing; a conversion must not
 * assume that it stays refused.
 */
function refusedIn(model: Model): string[] {
  return [...model.files].flatMap(([file, readings]) =>
    readings.flatMap(({ uses, fileSummary }) =>
      [...uses]
        .filter(([line, answer]) => line.name === 'use' && answer?.kind === 'refused')
        .map(([line]) => `macro ${file}:${rowIn(fileSummary, line)}`)
        .concat([...uses.values()].flatMap((answer) => (answer?.kind === 'expands' ? refusedInMacros(answer) : []))),
    ),
  );
}

function refusedInMacros({ refusedUses, bodyOrigins }: Expansion): string[] {
  return refusedUses.map(({ row }) => {
    const { macro, bodyRow, row: from } = bodyOrigins.findLast((origin) => origin.row <= row)!;
    return `macro ${macro.file}:${macro.row + 1 + bodyRow + row - from}`;
  });
}

function rowIn({ parts }: FileSummary, line: Line): number {
  for (const { item, rows: before } of parts) {
    if (item === line) return before;
    const body = 'parts' in item ? item : 'body' in item ? item.body : null;
    if (!body) continue;
    const row = rowIn(body, line);
    if (row >= 0) return before + row + ('open' in item ? item.open.lineEnds : 0);
  }
  return -1;
}

function conditionsOf(model: Model): (open: Line) => Activity | undefined {
  const answers = new Map<Line, Activity>();
  for (const readings of model.files.values())
    for (const { conditions } of readings)
      for (const [open, { activity }] of conditions)
        answers.set(open, answers.has(open) && answers.get(open) !== activity ? 'unknown' : activity);
  return (open) => answers.get(open);
}

function orderIn(node: FileNode): string[] {
  return [node.path, ...node.includes.flatMap(({ files }) => files.flatMap(orderIn))];
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}

function agree(root: string, view: FileView, server?: ServerSettings): readonly [View, View] | null {
  const both = bothViews(root, view, server);
  if (both) assert.deepEqual(both[1], both[0]);
  return both;
}

/** Lines that are gathered, as the server reads them. */
function gathered(files: Record<string, string>): string[] {
  const { rootScope } = readConfiguration({
    root: ROOT,
    view: memoryFiles(files),
    names: new Set(['serversignature', 'order']),
  })!;
  const linesIn = ({ lines, children }: Pick<Scope, 'lines' | 'children'>): readonly ConfigLine[] => [
    ...lines,
    ...children.flatMap(linesIn),
  ];
  return linesIn(rootScope).map(({ expandedLine, activity }) => `${expandedLine.text.trim()} ${activity}`);
}

describe('one interpreter of what steers a reading', () => {
  const HEAD = 'ServerRoot /etc/httpd\n';
  const PART = {
    '/etc/httpd/conf.d/a.conf': 'ServerSignature Off\n',
    '/etc/httpd/conf.d/b.conf': 'Order allow,deny\n',
  };
  const macro = '<Macro M>\nServerSignature Off\n</Macro>\n';

  // What stands in the main file, the other files, and the gaps of both.
  const CASES: Readonly<Record<string, readonly [string, Record<string, string>, readonly string[]]>> = {
    'an Include without a word': [`${HEAD}Include ""\nInclude conf.d/*.conf\n`, PART, []],
    'a file that is not here': ['Include conf.d/x.conf\n', PART, ['include-missing :0']],
    'a folder that is not here': [
      'Include nothing/*.conf\nInclude nothing/x.conf\n',
      PART,
      ['include-missing :0', 'include-missing :1'],
    ],
    'a wildcard that matches nothing': ['Include conf.d/*.x\nIncludeOptional conf.d/*.x\n', PART, []],
    'a variable that nobody knows': ['Include ${X}/*.conf\n', PART, ['include-variable :0']],
    'a name with a colon is no variable': ['Include ${x:y}/a.conf\n', PART, ['include-missing :0']],
    'a variable that is known': ['Define X conf.d\nInclude ${X}/*.conf\n', PART, []],
    'a variable that is known no longer': [
      'Define X conf.d\nDefine Y X\nUndefine ${Y}\nInclude ${X}/*.conf\n',
      PART,
      ['include-variable :3'],
    ],
    'a variable of which nobody knows whether it is taken back': [
      'Define X conf.d\nUndefine ${Y}\nInclude ${X}/*.conf\n',
      PART,
      ['include-variable :2'],
    ],
    'a line whose name is a variable': ['Define I Include\n${I} conf.d/*.conf\n', PART, []],
    'a line whose name nobody knows': ['${I} conf.d/*.conf\n', PART, ['variable-line :0']],
    'ServerRoot in a variable': ['Define R /etc/httpd\nServerRoot ${R}\nInclude conf.d/*.conf\n', PART, []],
    'two lines of ServerRoot': ['ServerRoot /etc/httpd/x\nServerRoot /etc/httpd\nInclude conf.d/*.conf\n', PART, []],
    'a file that includes itself': ['Include conf/httpd.conf\n', {}, ['too-deep :0']],
    'two files that include each other': [
      'Include conf.d/a.conf\n',
      { '/etc/httpd/conf.d/a.conf': 'Include conf/httpd.conf\n' },
      ['too-deep :0'],
    ],
    'a macro': [`${macro}Use M\n`, {}, []],
    'a macro that another one defines': [`<Macro N>\n${macro}</Macro>\nUse N\nUse M\n`, {}, []],
    'a macro under a condition that nobody knows': [
      `<IfDefine X>\n${macro}Use M\n</IfDefine>\nUse M\n`,
      {},
      ['macro :6'],
    ],
    'a macro that may be another one': [`${macro}<IfDefine X>\n${macro}</IfDefine>\nUse M\n`, {}, ['macro :8']],
    'a macro taken back': [`${macro}UndefMacro M\nUse M\n`, {}, ['macro :4']],
    'a macro taken back by a variable': [`Define N M\n${macro}UndefMacro \${N}\nUse M\n`, {}, ['macro :5']],
    'a macro that may be taken back': [`${macro}<IfDefine X>\nUndefMacro M\n</IfDefine>\nUse M\n`, {}, ['macro :6']],
    'a macro with a word that is no parameter': [
      '<Macro M /IgnoreEmptyArgs $a>\nServerSignature $a\n</Macro>\nUse M Off\n',
      {},
      [],
    ],
    'too few arguments': ['<Macro M $a>\nServerSignature $a\n</Macro>\nUse M\n', {}, ['macro :3']],
    'a macro that uses itself': ['<Macro M>\nUse M\n</Macro>\nUse M\n', {}, ['macro :1']],
    'a macro that includes files': [
      '<Macro M $a>\nInclude $a\n</Macro>\nUse M conf.d/a.conf\nUse M conf.d/x.conf\n',
      PART,
      ['include-missing :1'],
    ],
    Perl: ['<Perl>\n1;\n</Perl>\n<Directory /x>\n<Perl>\n1;\n</Perl>\n</Directory>\n', {}, ['perl :0', 'perl :4']],
    'an Include in a section': [
      '<VirtualHost *>\n<Directory /x>\nInclude conf.d/b.conf\n</Directory>\nInclude conf.d/b.conf\n</VirtualHost>\n',
      PART,
      [],
    ],
  };
  for (const [name, [text, files, gaps]] of Object.entries(CASES)) {
    it(name, () => {
      const [of] = agree(ROOT, memoryFiles({ [ROOT]: text, ...files }))!;
      const short = of.gaps.map((gap) => gap.replace(ROOT, '').replace('/etc/httpd/conf.d/a.conf', 'a'));
      assert.deepEqual(short, gaps);
    });
  }

  it('a copy shows what links of the copy name, and nothing of this machine', () => {
    const files = {
      '/x/copy/httpd.conf': 'ServerRoot /opt/old\nInclude /srv/own/*.conf\nInclude parts/*.conf\n',
      '/x/copy/parts/a.conf': '',
      '/srv/own/b.conf': '',
    };
    const [of] = agree('/x/copy/httpd.conf', memoryFiles(files))!;
    assert.deepEqual(of.files, ['/x/copy/httpd.conf 1', '/x/copy/parts/a.conf 1']);
  });

  it('a line whose name is a variable brings in nothing that is gathered as if it stood there', () => {
    assert.deepEqual(gathered({ [ROOT]: 'Define S ServerSignature\n${S} Off\nServerSignature On\n' }), [
      'ServerSignature On active',
    ]);
    const read = (text: string) =>
      readConfiguration({ root: ROOT, view: memoryFiles({ [ROOT]: text }), names: new Set(['order']) })!.gaps.length;
    assert.deepEqual(
      [
        '${S} Off\n',
        'Define S Order\n${S} allow,deny\n',
        'Define S LoadModule\n${S} x_module x.so\n',
        'Define S Listen\n${S} 80\n',
        '<IfDefine Y>\nDefine S Listen\n</IfDefine>\n${S} 80\n',
        'Define S Include\n<IfDefine Y>\n${S} /nothing\n</IfDefine>\n',
      ].map(read),
      [1, 1, 1, 0, 1, 2],
    );
  });

  it('what a macro inside of a macro brings in is known by the line that it comes from', () => {
    const text = `<Macro N $a>\n<Macro M>\n# a comment\nServerSignature $a\n</Macro>\n</Macro>\nUse N Off\nUse M\n`;
    const { rootScope } = readConfiguration({
      root: ROOT,
      view: memoryFiles({ [ROOT]: text }),
      names: new Set(['serversignature']),
    })!;
    assert.deepEqual(
      rootScope.lines.map(({ expandedLine, offset }) => [
        expandedLine.text.trim(),
        text.slice(0, offset).split('\n').length,
      ]),
      [['ServerSignature Off', 4]],
    );
  });

  it(`${SEEDS} random servers on a disk`, function () {
    this.timeout(120_000);
    const place = new Place();
    let read = 0;
    try {
      for (let seed = 1; seed <= SEEDS; seed++) {
        const { tree } = randomTree(new Random(seed));
        place.write(tree);
        for (const { main, defines = [] } of tree.servers) {
          for (const server of [{}, { defines: new Map(defines.map((name) => [name, ''])) }]) {
            try {
              if (agree(place.at(main), diskFileView(), server)) read++;
            } catch (error) {
              throw new Error(`seed ${seed}, ${main}: ${(error as Error).message}`, { cause: error });
            }
          }
        }
      }
    } finally {
      place.remove();
    }
    assert.ok(read > SEEDS);
  });

  describeOver('corpus', 'trees of the corpus', () => {
    for (const [name, root] of rows('TREES.tsv'))
      it(name, () => assert.ok(agree(path.join(corpusFolder, root), diskFileView())));
  });
});
