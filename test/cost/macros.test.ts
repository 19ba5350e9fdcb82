/**
 * The cost of macros, counted: Use lines checked again after an edit, and the files whose context
 * changes with a macro.
 */
import assert from 'node:assert/strict';
import { Engine, checkCounts as checked } from '../../server/src/analysis/engine';
import { fileInfoOf } from '../../server/src/analysis/places';
import { useCounts as uses } from '../../server/src/analysis/uses';
import { Configurations } from '../../server/src/config/configurations';
import { configView } from '../../server/src/config/config-view';
import { Interpreter } from '../../server/src/config/interpreter';
import { readModel, modelCounts as walks } from '../../server/src/config/read-model';
import { DEFAULT_TARGET } from '../../server/src/config/target';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { memoryFiles } from '../../server/src/config/memory-files';

const MACRO = '<Macro Site $name>\n    <Directory "/srv/$name">\n        Options None\n    </Directory>\n</Macro>\n';

describe('the cost of an edit in a file that uses macros', () => {
  const cost = (sites: number, find: string, replace: string): { uses: number; checks: number } => {
    const engine = new Engine({ rules: ALL_RULES });
    const text =
      MACRO + Array.from({ length: sites }, (_, n) => `ServerAlias a\nUse Site s${n}\nTimeout ${n}\n`).join('');
    const tree = Tree.parse(text);
    engine.analyze(tree, { isHtaccess: false });
    const at = text.indexOf(find, text.length >> 1);
    const edited = tree.edit(at, at + find.length, replace);
    const before = { uses: uses.uses, checks: checked.checks };
    engine.analyze(edited, { isHtaccess: false });
    return { uses: uses.uses - before.uses, checks: checked.checks - before.checks };
  };

  it('does not depend on how many there are, where the edit is about none of them', () => {
    const small = cost(20, 'ServerAlias a', 'ServerAlias b');
    const large = cost(5_000, 'ServerAlias a', 'ServerAlias b');
    assert.ok(
      large.uses <= 3 * 32,
      `${large.uses} Use lines looked at in the large file, ${small.uses} in the small one`,
    );
    assert.ok(
      large.checks <= small.checks + 8 * 32,
      `${large.checks} checks in the large file, ${small.checks} in the small one`,
    );
  });
});

describe('the cost of the texts that Use lines insert', () => {
  const texts = (text: string): number => {
    const before = uses.texts;
    new Engine({ rules: ALL_RULES }).analyze(Tree.parse(text), { isHtaccess: false });
    return uses.texts - before;
  };
  const macro = (lines: number) => `<Macro Site $name>\n${'ServerAlias $name\n'.repeat(lines)}</Macro>\n`;

  it('is that of one text, where all Use lines insert the same', () =>
    assert.equal(texts(`${macro(300)}${'Use Site a\n'.repeat(570)}`), 1));

  it('ends at a limit, where a small file makes much text', () => {
    const looked = texts(macro(300) + Array.from({ length: 570 }, (_, n) => `Use Site ${n}\n`).join(''));
    assert.ok(looked > 50 && looked < 150, `${looked} texts`);
  });

  it('has room for thousands of sites', () =>
    assert.equal(texts(macro(40) + Array.from({ length: 3_000 }, (_, n) => `Use Site ${n}\n`).join('')), 3_000));
});

describe('the cost of another macro', () => {
  const ROOT = '/etc/httpd/httpd.conf';
  const MACROS = '/etc/httpd/macros.conf';
  const texts: Record<string, string> = {
    [ROOT]: 'ServerRoot /etc/httpd\nInclude macros.conf\nInclude sites/*.conf\n',
    [MACROS]: `${MACRO}<Macro Other>\n    ServerSignature Off\n</Macro>\n`,
  };
  for (let n = 0; n < 200; n++)
    texts[`/etc/httpd/sites/${n}.conf`] =
      n % 20 === 0 ? `Use Site s${n}\n` : n % 2 === 0 ? 'Use Other\n' : 'Timeout 10\n';

  const change = (macros: string): { changed: string[]; uses: number } => {
    const engine = new Engine({ rules: ALL_RULES });
    const configurations = new Configurations();
    const settings = [{ mainFile: ROOT, target: DEFAULT_TARGET }];
    const view = memoryFiles(texts);
    const other = memoryFiles({ [MACROS]: macros });
    const sites = Object.keys(texts).filter((path) => path !== MACROS);
    const analyzeAll = () =>
      sites.forEach((path) => engine.analyze(view.read(path)!, fileInfoOf(configurations.publishedContextsOf(path)!)));
    configurations.update(settings, configView(view), []);
    analyzeAll();
    const before = uses.uses;
    const changed = configurations.update(
      settings,
      configView({ ...view, read: (path) => (path === MACROS ? other.read(path) : view.read(path)) }),
      [],
    );
    analyzeAll();
    return { changed: [...changed].filter((path) => path !== MACROS).sort(), uses: uses.uses - before };
  };

  it('is that of the files that use it', () => {
    const { changed, uses: looked } = change(texts[MACROS].replace('Options None', 'Options Nonce'));
    assert.deepEqual(changed, Array.from({ length: 10 }, (_, n) => `/etc/httpd/sites/${n * 20}.conf`).sort());
    assert.equal(looked, 10);
  });

  it('is none where only its place in the file is another one', () => {
    assert.deepEqual(change(`# Macros\n\n${texts[MACROS]}`), { changed: [], uses: 0 });
  });
});

describe('macros that use macros', () => {
  const ROOT = '/etc/httpd/httpd.conf';
  const read = (text: string) => {
    const view = configView(memoryFiles({ [ROOT]: text }));
    const before = walks.steps;
    const model = readModel({ mainFile: ROOT, view, server: {} })!;
    return { steps: walks.steps - before, gaps: model.gaps.map(({ reason }) => reason) };
  };

  it('end where a few lines become millions, and the configuration has a gap there', () => {
    const doubled = Array.from(
      { length: 12 },
      (_, i) => `<Macro m${i + 1} $x>\n${`Use m${i} $x$x\n`.repeat(10)}</Macro>\n`,
    );
    const { steps, gaps } = read(`<Macro m0 $x>\nServerAdmin $x\n</Macro>\n${doubled.join('')}Use m12 a\n`);
    assert.ok(steps < 10_000, `${steps} steps`);
    assert.ok(gaps.length > 0);
  });

  it('end soon where hundreds of short lines use a long macro, as no real server has them', () => {
    const sections = '<Location /$x>\nDeny from all\n</Location>\n'.repeat(110);
    const insertedTexts = (macro: string) => {
      const uses = Array.from({ length: 200 }, (_, i) => `Use ${macro} ${i}\n`).join('');
      const { prototype } = Interpreter;
      const { expandUse } = prototype;
      let inserted = 0;
      prototype.expandUse = function (...given) {
        const found = expandUse.apply(this, given);
        if (found.foundMacro && 'text' in found.foundMacro) inserted++;
        return found;
      };
      try {
        const { gaps } = read(`<Macro ${macro} $x>\n${sections}</Macro>\n${uses}`);
        assert.equal(gaps.length > 0, inserted < 200);
        return inserted;
      } finally {
        prototype.expandUse = expandUse;
      }
    };
    const inserted = insertedTexts('M');
    assert.ok(inserted > 30 && inserted < 100, `${inserted} texts`);
    assert.equal(insertedTexts('SiteOfCustomer'), 200);
  });

  it('do not get more room from a file that includes itself again and again', () => {
    const macro = `<Macro Site $x>\n${'<Location /$x>\nOrder deny,allow\n</Location>\n'.repeat(100)}</Macro>\n`;
    const uses = Array.from({ length: 100 }, (_, i) => `Use Site site${i}\n`).join('');
    const { prototype } = Interpreter;
    const { expandUse } = prototype;
    const counts = { uses: 0, inserted: 0 };
    prototype.expandUse = function (...given) {
      const found = expandUse.apply(this, given);
      counts.uses++;
      if (found.foundMacro && 'text' in found.foundMacro) counts.inserted++;
      return found;
    };
    try {
      const { gaps } = read(`${macro}${uses}${'Include httpd.conf\n'.repeat(20)}`);
      assert.ok(gaps.length > 0);
    } finally {
      prototype.expandUse = expandUse;
    }
    assert.ok(counts.inserted >= 100 && counts.inserted < 500, `${counts.inserted} texts inserted`);
    assert.ok(counts.uses < 3_000, `${counts.uses} Use lines looked at`);
  });

  it('have room for thousands of hosts with the same Use line', () => {
    const macro = `<Macro Common>\n${'SetEnv NAME "a value that is not short"\n'.repeat(20)}</Macro>\n`;
    const hosts = '<VirtualHost *:80>\nUse Common\n</VirtualHost>\n'.repeat(3_000);
    assert.deepEqual(read(`${macro}${hosts}`).gaps, []);
  });

  it('have room for thousands of sites in one macro, and for one macro of thousands', () => {
    const uses = Array.from({ length: 2_000 }, (_, i) => `Use Site s${i}\n`).join('');
    assert.deepEqual(read(`${MACRO}<Macro All $x>\n${uses}</Macro>\nUse All a\n`).gaps, []);
    assert.deepEqual(read(`${MACRO}${uses.repeat(5)}`).gaps, []);
  });
});
