/**
 * A walk that decides its conditions again gives the same result as a new walk; a condition in a
 * section that is read later is decided by what is loaded before it.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { configView } from '../../server/src/config/config-view';
import { readConfiguration, type Scope } from '../../server/src/config/configuration';
import type { FileView } from '../../server/src/config/files';
import { memoryFiles } from '../../server/src/config/memory-files';
import type { Model, ServerSettings } from '../../server/src/config/model';
import { readModel } from '../../server/src/config/read-model';
import { diskFileView } from '../../server/src/host/node-files';
import { rows } from '../corpus/files';
import { describeOver } from '../support/lacks';
import { corpusFolder } from '../support/paths';
import { Random } from '../support/random';
import { Place } from '../trees/disk';
import { randomTree } from '../trees/generate';

const ROOT = '/etc/httpd/conf/httpd.conf';
const NAMES = new Set(['order', 'include', 'loadmodule']);
/** Conditions as a walk has decided them, and what it knows by them. */
function decided({ files, assumption, overrideLines, variables, macros, modules, gaps }: Model): unknown {
  return {
    files: [...files].map(([file, readings]) => [
      file,
      readings.map(({ containers, activity, conditions, uses }) => [
        containers,
        activity,
        [...conditions].map(([open, answer]) => [open.text, answer.activity, answer.why]),
        [...uses].map(([line, answer]) => [line.text, answer?.key]),
      ]),
    ]),
    assumed: [assumption.distribution, assumption.knowsModules],
    overrides: overrideLines.map(({ words, activity }) => [words, activity]),
    variables: [...variables].map(([name, definitions]) => [name, definitions.map(({ value }) => value)]),
    macros: [...macros.keys()],
    modules: modules && [...modules].sort(),
    gaps: gaps.map(({ reason, file, row, activity }) => [reason, file, row, activity]),
  };
}

function agree(mainFile: string, view: FileView, server: ServerSettings = {}): void {
  const model = readModel({ mainFile, view: configView(view), server });
  if (!model) return;
  assert.deepEqual(
    decided(model),
    decided(readModel({ mainFile, view: configView(view), server, modelBefore: model })!),
  );
}

/** Lines that say how others are read, in any order. */
function steering(random: Random, depth = 0): string {
  const lines: string[] = [];
  const pick = <Value>(values: readonly Value[]): Value => values[random.below(values.length)]!;
  for (let i = 0; i < 4 + random.below(6); i++) {
    const name = pick(['A', 'B', 'C']);
    const kind = random.below(depth < 3 ? 20 : 13);
    if (kind === 0) lines.push(`Define ${name} ${pick(['a', 'b', 'conf.d/a.conf', 'ServerSignature'])}`);
    else if (kind === 1) lines.push(`Define ${pick([name, `\${${name}}`])}`);
    else if (kind === 2) lines.push(`Undefine ${pick([name, `\${${name}}`])}`);
    else if (kind === 3) lines.push(`Include ${pick(['conf.d/a.conf', 'conf.d/*.conf', 'none.conf', `\${${name}}`])}`);
    else if (kind === 4) lines.push(`LoadModule ${pick(['alias_module', 'dav_module', `\${${name}}`])} modules/x.so`);
    else if (kind === 5) lines.push(`ServerRoot ${pick(['/etc/httpd', '/srv', `\${${name}}`])}`);
    else if (kind === 6) lines.push(`Use M${name} x`);
    else if (kind === 7) lines.push(`UndefMacro M${name}`);
    else if (kind === 8) lines.push(`\${${name}} Off`);
    else if (kind === 9) lines.push('<Perl>', '1;', '</Perl>');
    else if (kind < 13) lines.push(`ServerSignature \${${name}}`, 'Order allow,deny');
    else {
      const tag = pick([
        `IfDefine ${name}`,
        `IfDefine !${name}`,
        'IfModule alias_module',
        'IfModule !mod_dav.c',
        'IfModule mod_authz_core.c',
        'IfVersion < 2.4',
        'IfVersion >= 2.3',
        `Macro M${name} $p`,
        'VirtualHost *',
        `Directory /${pick(['x', `\${${name}}`])}`,
        'Limit GET',
      ]);
      lines.push(`<${tag}>`, steering(random, depth + 1), `</${tag.split(' ')[0]}>`);
    }
  }
  return lines.join('\n');
}

/**
 * Both versions carry out IfModule and LoadModule as they come (EXEC_ON_READ, server/core.c and
 * mod_so.c), in a section of a section, too.
 */
describe('a condition in a section that is read later', () => {
  const text = [
    'LoadModule alias_module modules/mod_alias.so',
    '<VirtualHost *:80>',
    '  <Directory /srv>',
    '    <IfModule mod_dir.c>',
    '      Order allow,deny',
    '    </IfModule>',
    '    <Files x>',
    '      <IfModule mod_dir.c>',
    '        Order allow,deny',
    '      </IfModule>',
    '    </Files>',
    '  </Directory>',
    '</VirtualHost>',
    'LoadModule dir_module modules/mod_dir.so',
    '',
  ].join('\n');

  it('is decided by what is loaded before it', () => {
    const seenLoaded: string[][] = [];
    const configuration = readConfiguration({
      root: ROOT,
      view: memoryFiles({ [ROOT]: text }),
      names: NAMES,
      decideCondition: (_open, loaded) => {
        seenLoaded.push([...loaded]);
        return undefined;
      },
    });
    const lines = (scope: Scope): number =>
      scope.lines.length + scope.children.reduce((sum, each) => sum + lines(each), 0);
    assert.equal(lines(configuration!.rootScope), 4);
    assert.ok(seenLoaded.length >= 2);
    for (const loaded of seenLoaded) assert.deepEqual(loaded, ['mod_alias.c']);
  });
});

describe('a walk that decides its conditions again', () => {
  const SETTINGS: readonly ServerSettings[] = [
    {},
    { defines: new Map([['A', '']]) },
    { defineFlags: new Map([['B', false]]) },
    { builtIn: new Set(['core', 'mod_so', 'mod_alias']) },
  ];

  it('lines in any order', () => {
    for (let seed = 1; seed <= 150; seed++) {
      const random = new Random(seed);
      const files = {
        [ROOT]: `ServerRoot /etc/httpd\n${steering(random)}\n`,
        '/etc/httpd/conf.d/a.conf': `${steering(random, 2).replace(/^Include/gm, 'Listen')}\n`,
        '/etc/httpd/conf.d/b.conf': 'ServerSignature On\n',
      };
      try {
        agree(ROOT, memoryFiles(files), SETTINGS[seed % SETTINGS.length]);
      } catch (error) {
        throw new Error(`seed ${seed}: ${(error as Error).message}\n${Object.values(files).join('---\n')}`, {
          cause: error,
        });
      }
    }
  });

  it('servers on a disk', function () {
    this.timeout(120_000);
    const place = new Place();
    try {
      for (let seed = 1; seed <= 40; seed++) {
        const { tree } = randomTree(new Random(seed));
        place.write(tree);
        for (const { main, defines = [] } of tree.servers)
          for (const server of [{}, { defines: new Map(defines.map((name) => [name, ''])) }])
            agree(place.at(main), diskFileView(), server);
      }
    } finally {
      place.remove();
    }
  });

  it('reads again what is another file by now', () => {
    const files: Record<string, string> = { [ROOT]: 'Include /a.conf\n', '/a.conf': 'Define X 1\n' };
    const view = { ...memoryFiles(files) };
    const names = () => [...readConfiguration({ root: ROOT, view, names: NAMES })!.files.keys()];
    assert.deepEqual(names(), [ROOT, '/a.conf']);
    Object.assign(view, memoryFiles({ ...files, '/a.conf': 'Include /b.conf\n', '/b.conf': '' }));
    assert.deepEqual(names(), [ROOT, '/a.conf', '/b.conf']);
  });

  describeOver('corpus', 'trees of the corpus', () => {
    for (const [name, root] of rows('TREES.tsv')) it(name, () => agree(path.join(corpusFolder, root), diskFileView()));
  });
});
