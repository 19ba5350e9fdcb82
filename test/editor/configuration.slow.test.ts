/** A configuration of several files in VS Code: unread text, includes, links. */
import assert from 'node:assert/strict';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

const ROOT = `ServerRoot "/etc/httpd"
LoadModule mpm_event_module modules/mod_mpm_event.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule unixd_module modules/mod_unixd.so
LoadModule macro_module modules/mod_macro.so
ServerAdmin webmaster@example.org
Listen 8080
Define SITE www.example.org
<IfModule mod_ssl.c>
    Listen 443
</IfModule>
Include macros/*.conf
Include conf.d/*.conf
`;
const SITE = `<VirtualHost *:80>
    ServerName \${SITE}
    RewriteEngine On
</VirtualHost>
`;
const MACRO = `<Macro Quiet $value>
    ServerSignature $value
</Macro>
`;

describe('a configuration in VS Code', () => {
  let workbench: Workbench;

  before(async function () {
    workbench = await openWorkbenchFor(this, {
      name: 'configuration',
      folder: folderWith({
        'conf/httpd.conf': ROOT,
        'macros/quiet.conf': MACRO,
        'conf.d/a.conf': SITE,
        'conf.d/b.conf': 'Listen 127.0.0.1:8080\nTimeout 60\nUse Quiet Never\n',
      }),
      settings: { 'httpdUpgrade.inlayHints.inherited': true },
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
    const rows = await workbench.listOf('httpd-upgrade: Show the Tree of Included Files');
    await workbench.screenshot('2-tree');
    await workbench.press('Escape');
    const files = rows.map((row) => /(?:httpd|quiet|[ab])\.conf/.exec(row)?.[0]).filter((name) => name !== undefined);
    assert.deepEqual(files, ['httpd.conf', 'quiet.conf', 'a.conf', 'b.conf']);
  });

  it('tells of an included file what the whole configuration says', async () => {
    await workbench.openFile('conf.d/a.conf');
    // That nothing loads mod_rewrite, as far as is seen: a macro of the configuration may.
    await workbench.waitForSquiggle('hint');
    await workbench.screenshot('3-included');
  });

  it('goes from a variable to its Define', async () => {
    await workbench.goToDefinition('SITE', 'conf/httpd.conf');
  });

  it('goes from a hint to the line that a virtual host inherits', async () => {
    await workbench.openFile('conf.d/a.conf');
    await workbench.followHint('ServerAdmin', 'conf/httpd.conf');
    await workbench.screenshot('4-inherited');
  });

  it('moves what the whole configuration says with the text, and takes it back when it is fixed', async () => {
    await workbench.openFile('conf.d/b.conf');
    await workbench.goTo('Listen');
    await workbench.press('Enter');
    await workbench.problems('**/conf.d/b.conf', (found) =>
      found.some(({ text }) => /listen-overlap \[Ln 2,/.test(text)),
    );
    await workbench.screenshot('5-overlap');
    await workbench.takeQuickFix('Listen', 'Remove Listen');
    await workbench.problems('**/conf.d/b.conf', (found) => !found.some(({ text }) => /listen-overlap/.test(text)));
    assert.equal(await workbench.text(), '\nTimeout 60\nUse Quiet Never\n');
  });

  it('shows what a Use brings in, and goes to its Macro in a file that was not open', async () => {
    const [problem] = await workbench.problems('**/conf.d/b.conf', (found) =>
      found.some(({ text }) => /macro-use/.test(text)),
    );
    assert.match(problem.text, /Line 1 of macro "Quiet"/);
    assert.match(await workbench.hover('Quiet', 'Brings in'), /ServerSignature Never/);
    await workbench.screenshot('6-macro');
    await workbench.goToDefinition('Quiet', 'macros/quiet.conf');
    await workbench.waitForStatus(/^Apache Conf$/);
  });
});
