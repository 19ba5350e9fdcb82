/**
 * Which files a configuration has, according to the real server (`-t -D DUMP_INCLUDES`) and to us,
 * if variables, macros, ServerRoot and conditions decide it.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { configView } from '../../server/src/config/config-view';
import type { FileNode } from '../../server/src/config/model';
import { readModel } from '../../server/src/config/read-model';
import { diskFileView } from '../../server/src/host/node-files';
import { requireHttpd } from './harness';
import { Sandbox } from './sandbox';

const FILES = {
  'conf.d/a.conf': 'ServerSignature Off\n',
  'conf.d/b.conf': 'ServerSignature On\n',
  'x/conf.d/c.conf': '',
};
const MACRO = '<Macro M>\nInclude conf.d/a.conf\n</Macro>\n';

/** Each a configuration that the server starts with. */
const CASES: Readonly<Record<string, string>> = {
  'a directory, a wildcard, a file': 'Include conf.d\nInclude conf.d/*.conf\nInclude conf.d/b.conf\n',
  'a variable': 'Define X conf.d\nInclude ${X}/a.conf\n',
  'a name that is a variable': 'Define I Include\n${I} conf.d/*.conf\n',
  'what is not there and need not be':
    'IncludeOptional conf.d/*.x\nIncludeOptional conf.d/x.conf\nInclude conf.d/a.conf\n',
  'a name of which a variable takes the flag back':
    'Define X\nDefine Y X\nUndefine ${Y}\n<IfDefine X>\nInclude conf.d/a.conf\n</IfDefine>\n<IfDefine !X>\nInclude conf.d/b.conf\n</IfDefine>\n',
  'ServerRoot, twice':
    'Include conf.d/a.conf\nServerRoot @ROOT@/x\nInclude conf.d/c.conf\nServerRoot @ROOT@\nInclude conf.d/b.conf\n',
  'a macro': `${MACRO}Use M\nUse m\n`,
  'a macro in a macro': `<Macro N>\n${MACRO}</Macro>\nUse N\nUse M\n`,
  'a macro that is defined again by a variable': `${MACRO}Define N M\nUndefMacro \${N}\n<Macro M>\nInclude conf.d/b.conf\n</Macro>\nUse M\n`,
  'an Include in a section':
    '<VirtualHost *:81>\n<Directory /x>\nInclude conf.d/a.conf\n</Directory>\n</VirtualHost>\n',
};

describe('the files of a configuration on a real httpd', function () {
  this.timeout(60_000);
  before(function () {
    requireHttpd(this);
  });

  for (const [name, text] of Object.entries(CASES)) {
    it(name, () => {
      const sandbox = new Sandbox({ modules: ['authz_core', 'macro'], files: FILES }, 8080);
      try {
        sandbox.configure(`ServerRoot ${sandbox.root}\n${text.replaceAll('@ROOT@', sandbox.root)}`);
        const said = execFileSync(sandbox.httpd.binary, sandbox.arguments('-t', '-D', 'DUMP_INCLUDES'), {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        });
        const theirs = [...said.matchAll(/^\s*\([^)]*\) (.*\.conf)$/gm)]
          .map(([, file]) => file)
          .filter((file) => !/(prelude|httpd)\.conf$/.test(file));
        const model = readModel({ mainFile: sandbox.configFile, view: configView(diskFileView()) })!;
        const ours = filesIn(model.fileTree);
        assert.deepEqual(ours, theirs);
        assert.ok(ours.length > 0);
      } finally {
        sandbox.remove();
      }
    });
  }
});

function filesIn({ includes }: FileNode): string[] {
  return includes.flatMap(({ files }) => files.flatMap((file) => [file.path, ...filesIn(file)]));
}
