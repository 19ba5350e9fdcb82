/**
 * One file of a server, opened in a window without its folder: one row says what to open, and its
 * button opens it.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

const FILES = {
  'httpd/conf/httpd.conf': `ServerRoot "$FOLDER/httpd"
Listen 80
LoadModule authz_host_module modules/mod_authz_host.so
<Directory />
    AllowOverride None
    Order deny,allow
    Deny from all
</Directory>
<Directory /var/www/html>
    AllowOverride None
    Order allow,deny
    Allow from all
</Directory>
MaxClients 10
Include conf.d/*.conf
`,
  'httpd/conf.d/a.conf':
    'Alias /a /srv/a\n<Directory /srv/a>\n    AllowOverride None\n    Order allow,deny\n    Allow from all\n</Directory>\n',
};

describe('one file without its folder', () => {
  let workbench: Workbench;
  let folder: string;

  before(async function () {
    folder = folderWith(FILES);
    workbench = await openWorkbenchFor(this, { name: 'one-file', folder, isEmpty: true });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('has one row for what needs the folder', async () => {
    await workbench.openFileAt(path.join(folder, 'httpd/conf/httpd.conf'));
    await workbench.waitForStatus(/httpd 2\.2 → 2\.4/);
    await workbench.commandByKeys('httpd-upgrade: Plan the Upgrade');
    await workbench.waitForItem(/^Open the folder .*httpd/);
    const rows = (await workbench.items()).flatMap((label) => label ?? []);
    await workbench.screenshot('1-row');
    assert.equal(rows.filter((label) => /^Open the folder|outside/.test(label)).length, 1, rows.join('\n'));
  });

  it('opens the folder, and then converts', async () => {
    await workbench.clickItem(/^Open the folder .*httpd/);
    await workbench.waitForFolder(`folder=${path.join(folder, 'httpd')}`);
    await workbench.waitForStatus(/httpd 2\.2 → 2\.4/);
    await workbench.commandByKeys('httpd-upgrade: Plan the Upgrade');
    await workbench.waitForItem(/^Review \d+ fixes…/);
    const rows = (await workbench.items()).flatMap((label) => label ?? []);
    await workbench.screenshot('2-opened');
    assert.equal(rows.filter((label) => /^Open the folder|outside/.test(label)).length, 0, rows.join('\n'));
  });
});
