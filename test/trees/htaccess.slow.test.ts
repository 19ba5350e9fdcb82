/**
 * Which lines a .htaccess file may have: for each kind of line and each AllowOverride, the model of
 * 2.4 has to agree with a real 2.4.
 */
import assert from 'node:assert/strict';
import { requireHttpd, serve } from '../httpd/harness';
import { Disk } from './disk';
import { Server } from './server';

/** What a .htaccess in a directory of that name holds. */
const TEXTS: Readonly<Record<string, string>> = {
  nothing: '# nothing\n\n',
  module: '<IfModule mod_none.c>\n</IfModule>\n',
  notModule: '<IfModule !mod_none.c>\n</IfModule>\n',
  define: '<IfDefine None>\n</IfDefine>\n',
  version: '<IfVersion >= 2.4>\n</IfVersion>\n',
  oldVersion: '<IfVersion < 2.4>\nOrder deny,allow\nNothing at all\n</IfVersion>\n',
  within: '<IfModule mod_none.c>\n<IfVersion < 2.4>\nOrder deny,allow\n</IfVersion>\n</IfModule>\n',
  use: 'Use Nothing\n',
  macro: '<Macro Own>\n</Macro>\n',
  files: '<Files none>\n</Files>\n',
  limit: '<Limit PUT>\n</Limit>\n',
  order: 'Order allow,deny\nAllow from all\n',
  forOld: '<IfModule !mod_authz_core.c>\nOrder allow,deny\n</IfModule>\n',
  require: 'Require all granted\n',
  forNew: '<IfModule mod_authz_core.c>\nRequire all granted\n</IfModule>\n',
  requireAny: '<RequireAny>\nRequire all granted\n</RequireAny>\n',
  options: 'Options -Indexes\n',
  index: 'DirectoryIndex none\n',
  variable: 'SetEnvIf Host x y\n',
  include: 'Include conf/none\n',
  define24: 'Define X\n',
  noDirective: 'Nothing at all\n',
};
const OVERRIDES: readonly string[][] = [
  [],
  ...[
    'None',
    'All',
    'AuthConfig',
    'Limit',
    'Indexes',
    'FileInfo',
    'Options',
    'Options=Indexes',
    'AuthConfig Limit',
    'All None',
    'None Limit',
  ].map((words) => [`AllowOverride ${words}`]),
  ['AllowOverrideList None'],
  ['AllowOverride None', 'AllowOverrideList None'],
  ['AllowOverride None', 'AllowOverrideList Order Allow Require'],
  ['AllowOverrideList Order Allow'],
  ['AllowOverride Limit', 'AllowOverrideList Require "<RequireAny"'],
  ['AllowOverride None', 'AllowOverrideList "<IfModule" Use IfVersion "<Files"'],
];
const PATHS = Object.keys(TEXTS).map((name) => `/${name}/file`);

function config(lines: readonly string[], root: string): string {
  return `<Macro Nothing>\n</Macro>\n<Directory ${root}/htdocs>\nRequire all granted\n${lines.map((line) => `${line}\n`).join('')}</Directory>\n`;
}

describe('a .htaccess below every AllowOverride', function () {
  this.timeout(900_000);
  before(function () {
    requireHttpd(this);
  });

  it('is to the model of 2.4 what it is to a real one', async () => {
    const files = Object.fromEntries(
      Object.entries(TEXTS).flatMap(([name, text]) => [
        [`htdocs/${name}/.htaccess`, text],
        [`htdocs/${name}/file`, ''],
      ]),
    );
    const server = await serve('', {
      modules: [
        'authz_core',
        'authz_host',
        'access_compat',
        'alias',
        'dir',
        'macro',
        'version',
        'setenvif',
        'autoindex',
      ],
      files,
    });
    const wrong: string[] = [];
    try {
      for (const lines of OVERRIDES) {
        await server.reload(config(lines, '@ROOT@'));
        const given = await server.requestAll(PATHS.map((path) => ({ path })));
        const disk = Disk.of(
          {
            '/srv/httpd.conf': `DocumentRoot /srv/htdocs\n${config(lines, '/srv')}`,
            ...Object.fromEntries(Object.entries(files).map(([file, text]) => [`/srv/${file}`, text])),
          },
          '/srv',
        );
        const model = new Server(disk, {}, '2.4', '/srv/httpd.conf');
        assert.equal(model.refusal, null);
        PATHS.forEach((path, i) => {
          const said = model.answer('', path, 'GET', {
            address: '127.0.0.1',
            name: null,
            variables: new Set(),
            user: null,
            groups: [],
          });
          if (said !== given[i].status)
            wrong.push(
              `${path} below ${lines.join(', ') || 'no AllowOverride'}: ${said}, and really ${given[i].status}`,
            );
        });
      }
    } finally {
      await server.stop();
    }
    assert.deepEqual(wrong, []);
  });
});
