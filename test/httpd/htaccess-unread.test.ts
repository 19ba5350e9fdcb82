/** Which .htaccess files a real httpd 2.4 ignores, compared with the configuration's model. */
import assert from 'node:assert/strict';
import { configView } from '../../server/src/config/config-view';
import { readModel } from '../../server/src/config/read-model';
import { reasonForIgnoringHtaccess } from '../../server/src/config/overrides';
import { memoryFiles } from '../../server/src/config/memory-files';
import { requireHttpd, serve } from './harness';

const directory = (path: string, ...lines: string[]) =>
  `<Directory ${path}>\n${lines.map((line) => `${line}\n`).join('')}</Directory>\n`;
const SUB = '@ROOT@/htdocs/sub';

/**
 * A configuration, and the result of a .htaccess in htdocs/sub that sets a header: `passed over`,
 * `read`, or `refused` for an answer 500.
 */
const CASES: readonly (readonly [config: string, becomes: 'passed over' | 'read' | 'refused', isSaid?: boolean])[] = [
  ['', 'refused'],
  [directory('/', 'AllowOverride None'), 'passed over', true],
  [directory('/', 'AllowOverride None', 'AllowOverrideList None'), 'passed over', true],
  [directory('/', 'AllowOverrideList None'), 'refused'],
  [directory('/', 'AllowOverride None') + directory('@ROOT@/htdocs', 'AllowOverrideList Header'), 'read'],
  [directory('/', 'AllowOverrideList Header') + directory('@ROOT@/htdocs', 'AllowOverride None'), 'read'],
  [directory('/', 'AllowOverride All') + directory(SUB, 'AllowOverride None'), 'passed over', true],
  [directory(SUB, 'AllowOverride None') + directory('/', 'AllowOverride All'), 'passed over', true],
  [directory('/', 'AllowOverride None') + directory(SUB, 'AllowOverride All'), 'read'],
  [directory('/', 'AllowOverride None') + directory('@ROOT@/*/sub', 'AllowOverride All'), 'read'],
  [`${directory('/', 'AllowOverride None')}<VirtualHost *>\n</VirtualHost>\n`, 'passed over', true],
  [
    `${directory('/', 'AllowOverride None')}<VirtualHost *>\n${directory('@ROOT@/htdocs', 'AllowOverride All')}</VirtualHost>\n`,
    'read',
  ],
  [
    `<VirtualHost *>\n${directory('@ROOT@/htdocs', 'AllowOverride None')}</VirtualHost>\n${directory('@ROOT@/htdocs', 'AllowOverride None')}`,
    'passed over',
    true,
  ],
  // Of another name: not certain, because a virtual host may have its own.
  [`AccessFileName .rules\n${directory('/', 'AllowOverride All')}`, 'passed over', false],
];

describe('.htaccess files that a real httpd passes over', function () {
  this.timeout(300_000);

  before(function () {
    requireHttpd(this);
  });

  it('are those of which it is said', async () => {
    const files = { 'htdocs/sub/.htaccess': 'Header set X-Read yes\n', 'htdocs/sub/a.txt': 'a' };
    const server = await serve('', { modules: ['authz_core', 'headers'], files });
    try {
      for (const [config, expected, isSaid = false] of CASES) {
        await server.reload(config);
        const { status, headers } = await server.request({ path: '/sub/a.txt' });
        const becomes = status === 500 ? 'refused' : headers['x-read'] === 'yes' ? 'read' : 'passed over';
        assert.equal(becomes, expected, config);
        const mainFile = '/srv/httpd.conf';
        const view = configView(
          memoryFiles({
            [mainFile]: `ServerRoot /srv\nDocumentRoot /srv/htdocs\n${config.replaceAll('@ROOT@', '/srv')}`,
            '/srv/htdocs/sub/.htaccess': '',
          }),
        );
        assert.equal(
          reasonForIgnoringHtaccess(readModel({ mainFile, view })!, '/srv/htdocs/sub') !== null,
          isSaid,
          config,
        );
      }
    } finally {
      await server.stop();
    }
  });
});
