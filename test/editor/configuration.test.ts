/** A configuration of several files in VS Code: what is not read, what is included, where a line leads. */
import assert from 'node:assert/strict';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

const ROOT = `ServerRoot "/etc/httpd"
LoadModule mpm_event_module modules/mod_mpm_event.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule unixd_module modules/mod_unixd.so
Define SITE www.example.org
<IfModule mod_ssl.c>
    Listen 443
</IfModule>
Include conf.d/*.conf
`;

describe('a configuration in VS Code', () => {
  let workbench: Workbench;

  before(async function () {
    workbench = await openWorkbenchFor(this, {
      name: 'configuration',
      folder: folderWith({ 'conf/httpd.conf': ROOT, 'conf.d/a.conf': '<VirtualHost *:80>\n    ServerName ${SITE}\n    RewriteEngine On\n</VirtualHost>\n', 'conf.d/b.conf': 'Listen 8080\n' }),
    });
    await workbench.openFile('conf/httpd.conf');
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('fades what the server does not read, and says why', async () => {
    await workbench.waitForFaded();
    const shown = await workbench.hover('IfModule', 'Not read');
    assert.match(shown, /mod_ssl\.c is not loaded/);
    await workbench.screenshot('1-faded');
  });

  it('shows the tree of what is included, in order', async () => {
    const rows = await workbench.listOf('httpd-upgrade: Show include tree');
    await workbench.screenshot('2-tree');
    await workbench.press('Escape');
    const files = rows.map((row) => /(?:httpd|[ab])\.conf/.exec(row)?.[0]).filter((name) => name !== undefined);
    assert.deepEqual(files, ['httpd.conf', 'a.conf', 'b.conf']);
  });

  it('tells of an included file what the whole configuration says', async () => {
    await workbench.openFile('conf.d/a.conf');
    await workbench.waitForSquiggle('error');
    const [problem] = await workbench.problems('**/conf.d/**', (found) => found.length > 0);
    assert.match(problem.text, /RewriteEngine/);
    await workbench.screenshot('3-included');
  });

  it('goes from a variable to its Define', async () => {
    await workbench.goToDefinition('SITE', 'conf/httpd.conf');
  });
});
