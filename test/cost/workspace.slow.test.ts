/**
 * The cost of a change in a workspace, counted: summaries made, files read by the walk, files
 * checked again.
 */
import assert from 'node:assert/strict';
import { Engine, checkCounts as checked } from '../../server/src/analysis/engine';
import { fileInfoOf } from '../../server/src/analysis/places';
import { Configurations } from '../../server/src/config/configurations';
import { summarize, areEqualSummaries, summaryCounts as fileSummaries } from '../../server/src/config/file-summary';
import { configView } from '../../server/src/config/config-view';
import { modelCounts as walks } from '../../server/src/config/read-model';
import { overrideCounts as overrides } from '../../server/src/config/overrides';
import { DEFAULT_TARGET } from '../../server/src/config/target';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { memoryFiles } from '../../server/src/config/memory-files';

const ROOT = '/etc/httpd/httpd.conf';
const SITE = [
  '<VirtualHost *:80>',
  '    ServerName a.example.org',
  '    <IfModule mod_ssl.c>',
  '        SSLEngine On',
  '    </IfModule>',
  '    Include snippet.conf',
  '    ServerAdmin me',
  '</VirtualHost>',
  '',
].join('\n');

describe('the cost of an edit in a configuration', () => {
  const EDITS: readonly [string, string, string, boolean][] = [
    ['a letter that nobody else sees', 'ServerAdmin me', 'ServerAdmin met', true],
    ['a new line that nobody else sees', 'ServerAdmin me\n', 'ServerAdmin me\n    UseCanonicalName On\n', true],
    ['a comment', '    ServerAdmin', '    # Include other.conf\n    ServerAdmin', true],
    ['another indentation of an Include', '    Include', '  Include', true],
    ['another condition', 'mod_ssl.c', 'mod_tls.c', false],
    ['a file that is included', 'Include snippet', 'Include other', false],
    ['a section that an Include stands in', '<VirtualHost *:80>', '<VirtualHost *:81>', false],
    [
      'a line moved out of a condition',
      '    </IfModule>\n    Include snippet.conf\n',
      '    Include snippet.conf\n    </IfModule>\n',
      false,
    ],
    ['a variable that is mentioned', 'ServerAdmin me', 'ServerAdmin ${ME}', false],
  ];
  for (const [title, find, replace, isQuiet] of EDITS) {
    it(`does not depend on the size of the file, and is ${isQuiet ? "nobody else's business" : 'seen by others'}: ${title}`, () => {
      const cost = (sites: number) => {
        const text = SITE.repeat(sites);
        const tree = Tree.parse(text);
        const before = summarize(tree.root);
        const at = text.indexOf(find, text.length >> 1);
        const edited = tree.edit(at, at + find.length, replace);
        const count = fileSummaries.lists;
        const after = summarize(edited.root);
        const lists = fileSummaries.lists - count;
        assert.equal(areEqualSummaries(before, after), isQuiet);
        assert.ok(areEqualSummaries(after, summarize(Tree.parse(edited.text()).root)), 'the same as of a fresh parse');
        return lists;
      };
      const [small, large] = [cost(10), cost(10_000)];
      assert.ok(large <= small + 12, `${large} lists in the large file, ${small} in the small one`);
    });
  }
});

describe('the cost of a change to other files', () => {
  const SITES = 200;
  const files = (root: string): Record<string, string> => {
    const texts: Record<string, string> = { [ROOT]: root };
    for (let i = 0; i < SITES; i++)
      texts[`/etc/httpd/sites/${i}.conf`] = `ServerAlias a${i}\n${i % 10 === 0 ? 'ServerAdmin ${WHO}\n' : ''}`;
    return texts;
  };
  const BASE = 'ServerRoot /etc/httpd\nDefine WHO me\nDefine OTHER x\nInclude sites/*.conf\n';

  /** The files whose context changes with the main file, and the checks needed for all of them. */
  const change = (after: string): { changed: number; readings: number; checks: number } => {
    const configurations = new Configurations();
    const engine = new Engine({ rules: ALL_RULES });
    const settings = [{ mainFile: ROOT, target: DEFAULT_TARGET }];
    const texts = files(BASE);
    const view = memoryFiles(texts);
    configurations.update(settings, configView(view), []);
    const analyzeAll = () => {
      for (const path of Object.keys(texts))
        if (path !== ROOT) engine.analyze(view.read(path)!, fileInfoOf(configurations.publishedContextsOf(path)!));
    };
    analyzeAll();
    const other = memoryFiles({ [ROOT]: after });
    const both = { ...view, read: (path: string) => (path === ROOT ? other.read(path) : view.read(path)) };
    const before = { readings: walks.readings, checks: checked.checks };
    const changed = configurations.update(settings, configView(both), []);
    analyzeAll();
    return {
      changed: [...changed].filter((path) => path !== ROOT).length,
      readings: walks.readings - before.readings,
      checks: checked.checks - before.checks,
    };
  };

  it('is none where the change says nothing of them', () => {
    assert.deepEqual(change(BASE.replace('OTHER x', 'OTHER y')), { changed: 0, readings: SITES + 1, checks: 0 });
  });

  it('is that of the files that mention what changed', () => {
    const { changed, checks } = change(BASE.replace('WHO me', 'WHO you'));
    assert.equal(changed, SITES / 10);
    assert.ok(checks > 0 && checks <= (SITES / 10) * 2 * 12, `${checks} checks`);
  });

  it('is that of all where all are moved', () => {
    assert.equal(
      change(BASE.replace('Include sites/*.conf', '<VirtualHost *>\nInclude sites/*.conf\n</VirtualHost>')).changed,
      SITES,
    );
  });
});

describe('the cost of a file that is read in several places', () => {
  const SITES = 500;
  const text = 'SSLEngine On\nMaxClients 1\nOptions Indexes\nOrder allow,deny\nAllow from all\n# a comment\n'.repeat(
    SITES,
  );
  const texts = {
    [ROOT]:
      'ServerRoot /etc/httpd\n<VirtualHost *:80>\nInclude shared.conf\n</VirtualHost>\n<Directory /srv>\nInclude shared.conf\n</Directory>\nInclude shared.conf\n',
    '/etc/httpd/shared.conf': text,
  };
  const looked = () => {
    const view = memoryFiles(texts);
    const configurations = new Configurations();
    configurations.update([{ mainFile: ROOT, target: DEFAULT_TARGET }], configView(view), []);
    const info = fileInfoOf(configurations.publishedContextsOf('/etc/httpd/shared.conf')!);
    assert.equal(info.furtherContexts?.length, 2);
    const engine = new Engine({ rules: ALL_RULES });
    const cost = (tree: Tree) => {
      const before = checked.checks;
      const found = engine
        .analyze(tree, info)
        .findings()
        .map(({ start, end, rule, message }) => `${start} ${end} ${rule.id} ${message}`);
      return { checks: checked.checks - before, found };
    };
    return { tree: view.read('/etc/httpd/shared.conf')!, info, cost };
  };

  it('is next to none while it stays as it is', () => {
    const { tree, cost } = looked();
    const first = cost(tree);
    const again = cost(tree);
    assert.ok(first.checks > SITES, `${first.checks} checks at first`);
    assert.deepEqual(again.found, first.found);
    assert.ok(again.checks <= 60, `${again.checks} checks for nothing`);
  });

  it('is that of an edit in each of them, with the findings of a fresh look', () => {
    const { tree, cost, info } = looked();
    cost(tree);
    const at = text.indexOf('MaxClients', text.length >> 1);
    const edited = tree.edit(at, at, 'MaxRequestsPerChild 2\n');
    const { checks, found } = cost(edited);
    assert.ok(checks <= 1000, `${checks} checks`);
    const fresh = new Engine({ rules: ALL_RULES })
      .analyze(Tree.parse(edited.text()), info)
      .findings()
      .map(({ start, end, rule, message }) => `${start} ${end} ${rule.id} ${message}`);
    assert.deepEqual(found, fresh);
  });
});

describe('the cost of .htaccess files in a configuration of many virtual hosts', () => {
  it('is that of the folders around each, not of all that say something about overriding', () => {
    const SITES = 4000;
    const host = (i: number) =>
      `<Directory /srv/${i}>\nAllowOverride ${i % 2 === 0 ? 'All' : 'Limit'}\n</Directory>\n<VirtualHost *:80>\nDocumentRoot /srv/${i}\n<Directory /other/${i}>\nAllowOverride All\n</Directory>\n</VirtualHost>\n`;
    const texts: Record<string, string> = {
      [ROOT]: `ServerRoot /etc/httpd\n${Array.from({ length: SITES }, (_, i) => host(i)).join('')}`,
    };
    for (let i = 0; i < SITES; i++) texts[`/srv/${i}/.htaccess`] = 'Options Indexes\n';
    const configurations = new Configurations();
    const before = overrides.comparedLines;
    configurations.update(
      [{ mainFile: ROOT, target: DEFAULT_TARGET }],
      configView(memoryFiles(texts)),
      Object.keys(texts),
    );
    assert.ok(overrides.comparedLines - before <= SITES * 4, `${overrides.comparedLines - before} lines looked at`);
    assert.deepEqual([...configurations.publishedContextsOf('/srv/2/.htaccess')!.fileContexts[0].overrides!], ['all']);
    assert.deepEqual(
      [...configurations.publishedContextsOf('/srv/3/.htaccess')!.fileContexts[0].overrides!],
      ['limit'],
    );
  });
});
