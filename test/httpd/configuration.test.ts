/**
 * How httpd reads a configuration, tried on the real server: which files in which order (`-D
 * DUMP_INCLUDES`), and which conditions hold (`-D DUMP_RUN_CFG` lists the definitions). The walk
 * through the same files must give the same.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { configView } from '../../server/src/config/config-view';
import type { FileNode, Model } from '../../server/src/config/model';
import { readModel } from '../../server/src/config/read-model';
import { moduleNamed } from '../../server/src/config/modules';
import { parseTarget } from '../../server/src/config/target';
import { diskFileView } from '../../server/src/host/node-files';
import { findHttpd, requireHttpd } from './harness';
import { Sandbox } from './sandbox';

/** The conditions, each of which defines a name where it holds. */
const CONDITIONS: readonly string[] = [
  '<IfModule core.c>',
  '<IfModule !core.c>',
  '<IfModule http_core.c>',
  '<IfModule mod_so.c>',
  '<IfModule so_module>',
  '<IfModule MOD_SO.C>',
  '<IfModule mod_authz_core.c>',
  '<IfModule mod_alias.c>',
  '<IfModule "mod_alias.c">',
  '<IfModule alias_module>',
  '<IfModule alias_module and more>',
  '<IfModule !alias_module>',
  '<IfModule mod_status.c>',
  '<IfModule !mod_status.c>',
  '<IfModule status_module>',
  '<IfModule event.c>',
  '<IfModule mpm_event_module>',
  '<IfModule prefork.c>',
  '<IfModule mod_mem_cache.c>',
  '<IfModule unixd_module>',
  '<IfDefine GIVEN>',
  '<IfDefine !GIVEN>',
  '<IfDefine given>',
  '<IfDefine Flag>',
  '<IfDefine FLAG>',
  '<IfDefine WithValue>',
  '<IfDefine Gone>',
  '<IfDefine ${NAME}>',
  '<IfDefine InSection>',
  '<IfDefine InHost>',
  '<IfDefine NotThere>',
  '<IfVersion 2.4>',
  '<IfVersion >= 2.4>',
  '<IfVersion > 2.4.1>',
  '<IfVersion < 2.4>',
  '<IfVersion !< 2.4>',
  '<IfVersion = 2.2>',
  '<IfVersion == 2.2>',
  '<IfVersion ~ ^2\\.4\\.>',
  '<IfVersion /^2\\.2/>',
  '<IfVersion !~ ^2\\.4\\.>',
  '<IfVersion <= 2.4.999>',
  '<IfFile "there.conf">',
  '<IfFile gone.conf>',
  '<IfFile !gone.conf>',
  '<IfFile "/etc/passwd">',
  '<IfFile htdocs>',
  '<IfFile htdocs/none>',
  '<IfDirective Alias>',
  '<IfDirective alias>',
  '<IfDirective !Alias>',
  '<IfDirective SSLEngine>',
  '<IfDirective ServerName>',
  '<IfSection Directory>',
  '<IfSection directory>',
  '<IfSection VirtualHost>',
  '<IfSection Alias>',
  '<IfDefine FromMacro>',
  '<IfDefine FromInclude>',
  '<IfDefine FromMacroInMacro>',
];

const BEFORE = [
  'LoadModule alias_module modules/mod_alias.so',
  'LoadModule macro_module modules/mod_macro.so',
  'Define Flag',
  'Define WithValue 1',
  'Define Gone',
  'UnDefine Gone',
  'Define NAME Flag',
  '<Directory /nowhere>',
  'Define InSection',
  '</Directory>',
  '<VirtualHost 127.0.0.9:9>',
  '<IfModule mod_alias.c>',
  'Define InHost',
  '</IfModule>',
  '</VirtualHost>',
  '<IfDefine NotThere>',
  'Define NotThere',
  '</IfDefine>',
  '<Macro Set $name>',
  'Define $name',
  '</Macro>',
  '<Macro Both $x>',
  'Use set From$xInMacro',
  '</Macro>',
  'Use SET FromMacro',
  'Use Both Macro',
  'Include there.conf',
];

describe('how httpd reads a configuration', () => {
  before(function () {
    requireHttpd(this);
  });

  it('conditions hold where we say so', () => {
    const lines = [...BEFORE];
    CONDITIONS.forEach((open, index) => lines.push(open, `Define HIT${index}`, `</${/^<(\w+)/.exec(open)![1]}>`));
    const { output, model } = ask(lines.join('\n'), {
      files: { 'there.conf': 'Define FromInclude\n' },
      dump: 'DUMP_RUN_CFG',
    });
    const defined = new Set([...output.matchAll(/^Define: (\w+)/gm)].map((match) => match[1]));
    const [reading] = model.files.get(model.mainFile)!;
    const ours = new Map([...reading.conditions].map(([open, { activity }]) => [open.text.trim(), activity]));
    const differences = CONDITIONS.flatMap((open, index) => {
      const theirs = defined.has(`HIT${index}`) ? 'active' : 'inactive';
      return ours.get(open) === theirs ? [] : [`${open}: ${theirs}, and we say ${ours.get(open)}`];
    });
    assert.deepEqual(differences, []);
    assert.ok(defined.has('HIT0') && !defined.has('HIT1'));
  });

  it('the order of a condition and what it asks for counts', () => {
    const { output, model } = ask(
      '<IfModule mod_alias.c>\nDefine HIT0\n</IfModule>\nLoadModule alias_module modules/mod_alias.so\n<IfModule mod_alias.c>\nDefine HIT1\n</IfModule>\n',
      { dump: 'DUMP_RUN_CFG' },
    );
    assert.deepEqual(
      [...output.matchAll(/^Define: (HIT\d)/gm)].map((match) => match[1]),
      ['HIT1'],
    );
    assert.deepEqual(
      [...model.files.get(model.mainFile)![0].conditions.values()].map(({ activity }) => activity),
      ['inactive', 'active'],
    );
  });

  const TREES: readonly [string, string, Record<string, string>, Record<string, string>?][] = [
    [
      'wildcards, by bytes',
      'Include d/*.conf\n',
      { 'd/10.conf': '', 'd/9.conf': '', 'd/A.conf': '', 'd/a.conf': '', 'd/.hidden.conf': '', 'd/x.txt': '' },
    ],
    [
      'folders, with all that is below',
      'Include d\n',
      { 'd/b': '', 'd/a~': '', 'd/.dot': '', 'd/sub/1': '', 'd/sub/deep/2': '' },
    ],
    ['folders that a wildcard matches', 'Include d/*\n', { 'd/b/1': '', 'd/a': '', 'd/b/0': '' }],
    [
      'wildcards in folders',
      'Include d/*/x?.conf\n',
      { 'd/b/x1.conf': '', 'd/a/x2.conf': '', 'd/a/x22.conf': '', 'd/.h/x1.conf': '' },
    ],
    [
      'classes of characters',
      'Include d/[a-c]*.conf\nInclude d/[!a-c]*.conf\n',
      { 'd/a.conf': '', 'd/d.conf': '', 'd/c1.conf': '' },
    ],
    [
      'what one file includes, before what comes after it',
      'Include a.conf\nInclude c.conf\n',
      { 'a.conf': 'Include b.conf\nInclude b.conf\n', 'b.conf': '', 'c.conf': '' },
    ],
    [
      'optional ones that are not there',
      'IncludeOptional none.conf\nIncludeOptional none/*.conf\nIncludeOptional d/*.conf\nInclude a.conf\n',
      { 'a.conf': '', 'd/x': '' },
    ],
    [
      'variables',
      'Define DIR d\nDefine EXT conf\nInclude ${DIR}/a.${EXT}\nInclude "${dir}/b.conf"\n',
      { 'd/a.conf': '', 'd/b.conf': '' },
    ],
    [
      'sections and conditions',
      '<IfModule !core.c>\nInclude a.conf\n</IfModule>\n<IfModule core.c>\nInclude b.conf\n</IfModule>\n<Directory /a>\nInclude c.conf\n</Directory>\n',
      { 'a.conf': '', 'b.conf': '', 'c.conf': '' },
    ],
    [
      'ServerRoot on the way',
      'Include a.conf\nServerRoot "@ROOT@/other"\nInclude a.conf\n',
      { 'a.conf': '', 'other/a.conf': '' },
    ],
    [
      'itself, once',
      '<IfDefine !Once>\nDefine Once\nInclude httpd.conf\nInclude a.conf\n</IfDefine>\n',
      { 'a.conf': '' },
    ],
    [
      'links',
      'Include enabled/*.conf\n',
      { 'available/one': '', 'enabled/two.conf': '' },
      { 'enabled/one.conf': '../available/one' },
    ],
    [
      'links that lead nowhere, which are no file to IncludeOptional',
      'IncludeOptional enabled/*.conf\n',
      { 'enabled/two.conf': '' },
      { 'enabled/gone.conf': '../available/none' },
    ],
  ];
  for (const [title, config, files, links] of TREES) {
    it(`includes: ${title}`, () => {
      const { output, model, root } = ask(config, { files, links, dump: 'DUMP_INCLUDES' });
      // `(*) main file`, below it `  (line) file`; the prelude, which comes by -C, has a line of
      // its own.
      const theirs = [...output.matchAll(/^ *\((\d+)\) (.*)$/gm)]
        .map((match) => `${match[1]} ${match[2].replace(`${root}/`, '')}`)
        .filter((row) => !row.includes('prelude'))
        .slice(1);
      const ours: string[] = [];
      const visit = (node: FileNode) =>
        node.includes.forEach((include) =>
          include.files.forEach((file) => {
            ours.push(`${include.row + 1} ${file.name.replace(`${root}/`, '')}`);
            visit(file);
          }),
        );
      visit(model.fileTree);
      assert.deepEqual(ours, theirs);
    });
  }
});

interface Asked {
  readonly files?: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly dump: string;
}

/** What the server says of a configuration, and the walk through the same files. */
function ask(config: string, { files = {}, links = {}, dump }: Asked): { output: string; model: Model; root: string } {
  const sandbox = new Sandbox({ modules: ['authz_core'], files }, 8080);
  try {
    for (const [link, target] of Object.entries(links)) {
      mkdirSync(sandbox.path('enabled'), { recursive: true });
      symlinkSync(target, sandbox.path(link));
    }
    sandbox.configure(config);
    const { stdout, stderr } = spawnSync(sandbox.httpd.binary, sandbox.arguments('-t', '-D', dump, '-D', 'GIVEN'), {
      encoding: 'utf8',
      timeout: 20_000,
    });
    assert.ok(/Syntax OK|Included configuration|ServerRoot/.test(stdout + stderr), stdout + stderr);
    const builtIn = new Set([
      'core',
      'event',
      'mod_authz_core',
      'mod_unixd',
      ...[...sandbox.httpd.builtin].flatMap((name) => moduleNamed(`mod_${name}.c`) ?? []),
    ]);
    const model = readModel({
      mainFile: sandbox.configFile,
      view: configView(diskFileView()),
      target: parseTarget(findHttpd()!.version)!,
      server: {
        builtIn,
        defines: new Map([
          ['GIVEN', ''],
          [dump, ''],
        ]),
        serverRoot: undefined,
      },
    })!;
    return { output: stdout + stderr, model, root: sandbox.root };
  } finally {
    sandbox.remove();
  }
}
