/**
 * The cost of a completion, counted: lines read for the file's definitions. After an edit the same
 * at 1,000 and at 100,000 lines; the first request reads a bounded number, and the next one
 * continues.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { Engine } from '../../server/src/analysis/engine';
import { parsedDirectiveCounts as directives } from '../../server/src/directives';
import { parsedValueLineCounts as values } from '../../server/src/directives/values';
import { vocabularyCounts as vocabularies } from '../../server/src/directives/vocabularies';
import {
  completion,
  workCounts as items,
  type CompletionClient,
} from '../../server/src/features/completion/completion';
import { workCounts as suggestions } from '../../server/src/features/completion/names';
import { prepareCompletion } from '../../server/src/features/completion/warmup';
import { definitionCounts } from '../../server/src/symbols/definitions';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';

const SITE = [
  '<VirtualHost *:80>',
  '    ServerName www.example.org',
  '    SetEnvIf User-Agent Bot bot',
  '    Define ROOT /srv',
  '    DocumentRoot ${ROOT}',
  '    <Directory /srv/www>',
  '        Options FollowSymLinks',
  '        Require all granted',
  '    </Directory>',
  '    LogFormat "%h" short',
  '    CustomLog logs/a short',
  '    RewriteEngine On',
  '    RewriteRule ^ - [E=seen:1]',
  '    ErrorLog logs/error',
  '    KeepAlive On',
  '    ServerAdmin root',
  '    Timeout 60',
  '    LogLevel warn',
  '</VirtualHost>',
  '',
];

/** Lines that define something in a site. */
const DEFINING = 4;

const CLIENT: CompletionClient = {
  supportsSnippets: true,
  supportsLabelDetails: true,
  supportsTags: true,
  supportsDefaultRange: true,
  supportsDefaultData: true,
  requestsEditsLater: true,
  supportsInsertReplace: true,
  retriggers: true,
};
const PLAIN: CompletionClient = {
  supportsSnippets: false,
  supportsLabelDetails: false,
  supportsTags: false,
  supportsDefaultRange: false,
  supportsDefaultData: false,
  requestsEditsLater: false,
  supportsInsertReplace: false,
  retriggers: false,
};

describe('the cost of a completion', () => {
  it('does not depend on the size of the file', () => {
    const small = afterEdit(1_000);
    const large = afterEdit(100_000);
    assert.ok(small > 0 && small <= 4 * 32, `${small} lines read in the small file`);
    // The lists that an edit makes anew hold up to 32 lines a level, however many there are.
    assert.ok(large <= small + 2 * 32, `${large} lines read in the large file, ${small} in the small one`);
  });

  it('is bounded where nothing is known yet, and goes on with the next question', () => {
    const { tree, engine, offset } = file(100_000);
    let rounds = 0;
    for (let isIncomplete = true; isIncomplete; rounds++) {
      const before = definitionCounts.lines;
      const list = ask(tree, engine, offset)!;
      assert.ok(definitionCounts.lines - before <= 550, `${definitionCounts.lines - before} lines read at once`);
      assert.deepEqual(
        list.items.map(({ label }) => label),
        ['ROOT'],
      );
      isIncomplete = list.isIncomplete;
    }
    const all = (100_000 / SITE.length) * DEFINING;
    assert.ok(rounds > 2 && rounds <= all / 500 + 2, `${rounds} rounds for ${all} lines`);
    const before = definitionCounts.lines;
    ask(tree, engine, offset);
    assert.equal(definitionCounts.lines, before, 'nothing is read twice');
  });

  it('is nothing in an endless line', () => {
    const engine = new Engine({ rules: ALL_RULES });
    const tree = Tree.parse(`<If "${'a'.repeat(1_000_000)} ${'$'.repeat(1_000_000)}`);
    engine.analyze(tree, { isHtaccess: false });
    assert.equal(ask(tree, engine, tree.length), null);
  });

  it('reads nothing in a file that defines nothing', () => {
    const engine = new Engine({ rules: ALL_RULES });
    const tree = Tree.parse('Options Indexes\n'.repeat(10_000));
    engine.analyze(tree, { isHtaccess: false });
    const before = definitionCounts.lines;
    ask(tree, engine, 0);
    assert.equal(definitionCounts.lines, before);
  });

  it('reads nothing for names in a file that loads no module', () => {
    const { tree, engine } = file(1_000);
    const before = definitionCounts.lines;
    assert.ok(ask(tree, engine, 0)!.items.length > 100);
    assert.equal(definitionCounts.lines, before);
  });
});

describe('a list that was there before', () => {
  const LOADED = 'LoadModule authz_core_module modules/mod_authz_core.so\nLoadModule dir_module modules/mod_dir.so\n';

  /** What is made for a list after other lists in the same file, and what it has. */
  function made(before: readonly string[], source: string, client = CLIENT) {
    const engine = new Engine({ rules: ALL_RULES });
    const list = (text: string) => {
      const tree = Tree.parse(text.replace('|', ''));
      engine.analyze(tree, { isHtaccess: false });
      return completion(
        { uri: 'file:///etc/httpd/httpd.conf', tree, offset: text.indexOf('|'), engine, isHtaccess: false },
        client,
      )!;
    };
    for (const text of before) list(text);
    const then = { items: items.items, suggestions: suggestions.suggestions };
    const found = list(source);
    return { list: found, items: items.items - then.items, suggestions: suggestions.suggestions - then.suggestions };
  }

  for (const [what, text] of [
    ['at the top level', '|\n'],
    ['with LoadModule lines', `${LOADED}|\n`],
    ['in a section', '<Directory />\n|\n</Directory>\n'],
  ] as const) {
    it(`is not built again ${what}, wherever it is`, () => {
      const { list, ...cost } = made([text], `# further down\n\n${text}Listen 80\n`);
      assert.ok(list.items.length > 100);
      assert.deepEqual(cost, { items: 0, suggestions: 0 });
    });
  }

  it('is a part of itself behind a letter', () => {
    const { list, ...cost } = made(['|\n'], 'Doc|\n');
    assert.deepEqual(cost, { items: 0, suggestions: 0 });
    assert.ok(
      list.items.length < 300 && list.items.some(({ label }) => label === 'DocumentRoot'),
      `${list.items.length} items`,
    );
    for (const { label, filterText = label } of list.items)
      for (const letter of 'doc') assert.ok(filterText.toLowerCase().includes(letter), filterText);
  });

  it('is built again where other modules are loaded', () => {
    const { suggestions: count } = made([`${LOADED}|\n`], `${LOADED}LoadModule alias_module modules/mod_alias.so\n|\n`);
    assert.ok(count > 100);
  });

  it('says once what items have in common', () => {
    const { list } = made([], `${LOADED}|\n`);
    const named = list.items.filter(({ label }) => label === 'Alias' || label === 'Listen');
    assert.equal(named.length, 2);
    for (const item of named)
      for (const field of ['data', 'textEdit', 'additionalTextEdits'])
        assert.equal(field in item, false, `${item.label}: ${field}`);
    assert.deepEqual(list.itemDefaults!.data, { named: true, uri: 'file:///etc/httpd/httpd.conf' });
  });

  it('puts the items in their words only once for a client without common ranges, too', () => {
    const { list, items: count } = made(['|\n'], '\n|\n', PLAIN);
    assert.equal(count, 0);
    assert.ok(list.items.every(({ textEdit, data }) => textEdit && data));
  });
});

describe('the first list of a process', () => {
  /** Of all kinds, in files and out of them. */
  const LISTS = [
    '|',
    '<|',
    '</|',
    '<VirtualHost *:80>\n|\n</VirtualHost>',
    '<Directory />\n|\n</Directory>',
    'LoadModule alias_module modules/mod_alias.so\n|',
    'LoadModule |',
    '<IfModule |>',
    'Options |',
    'Require |',
    'RewriteRule a b [|',
    'RewriteCond %{|',
    '<If "|">',
    'LogFormat "%|"',
    'LogFormat "%{|"',
    'AddType |',
    'Header set |',
    'ErrorDocument |',
    'SetHandler |',
    'SSLProtocol |',
    'AllowOverrideList |',
  ];

  it('reads no table that was not read while nobody asked', () => {
    const engine = new Engine({ rules: ALL_RULES });
    for (const _ of prepareCompletion(engine, CLIENT));
    for (const isHtaccess of [false, true]) {
      for (const text of LISTS) {
        const tree = Tree.parse(text.replace('|', ''));
        engine.analyze(tree, { isHtaccess });
        const before = read();
        completion({ tree, offset: text.indexOf('|'), engine, isHtaccess }, CLIENT);
        assert.deepEqual(read(), before, text);
      }
    }
  });

  it('is prepared in slices that read a bounded number of lines each', () => {
    // In a process that has read nothing yet.
    const script = `
      const { Engine } = require('./server/src/analysis/engine.js');
      const { prepareCompletion } = require('./server/src/features/completion/warmup.js');
      const { parsedDirectiveCounts: directives } = require('./server/src/directives/index.js');
      const { parsedValueLineCounts: values } = require('./server/src/directives/values.js');
      const steps = prepareCompletion(new Engine({ rules: [] }), ${JSON.stringify(CLIENT)});
      const counts = [];
      for (let before = 0, done = false; !done; ) {
        done = steps.next().done;
        counts.push(directives.lines + values.lines - before);
        before = directives.lines + values.lines;
      }
      console.log(JSON.stringify(counts));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], {
      cwd: path.join(__dirname, '..', '..'),
      encoding: 'utf8',
    });
    assert.equal(stderr, '');
    const counts = JSON.parse(stdout) as number[];
    assert.ok(Math.max(...counts) <= 60, `${Math.max(...counts)} lines in one slice`);
    assert.ok(counts.reduce((sum, count) => sum + count, 0) > 1000, 'the tables are read');
  });
});

/** Lines and lists of the tables taken apart so far. */
function read(): number[] {
  return [directives.lines, values.lines, vocabularies.lists];
}

function file(lines: number): { tree: Tree; engine: Engine; offset: number; text: string } {
  const text = Array.from({ length: lines / SITE.length }, () => SITE.join('\n')).join('\n');
  const engine = new Engine({ rules: ALL_RULES });
  const tree = Tree.parse(text);
  engine.analyze(tree, { isHtaccess: false });
  return { tree, engine, text, offset: text.indexOf('${ROOT}', Math.floor(text.length / 2)) + 2 };
}

/** Lines read for the list after one letter typed in the middle of a file. */
function afterEdit(lines: number): number {
  const { tree, engine, offset } = file(lines);
  while (ask(tree, engine, offset)!.isIncomplete);
  const edited = tree.edit(offset, offset, 'R');
  engine.analyze(edited, { isHtaccess: false });
  const before = definitionCounts.lines;
  assert.ok(ask(edited, engine, offset + 1)!.items.length > 0);
  return definitionCounts.lines - before;
}

function ask(tree: Tree, engine: Engine, offset: number) {
  return completion({ tree, offset, engine, isHtaccess: false }, CLIENT);
}
