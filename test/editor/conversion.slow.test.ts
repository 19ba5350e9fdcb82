/**
 * The access control of a whole configuration in VS Code: previewed, converted as a whole,
 * reported, undone.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

const ROOT = `ServerRoot $FOLDER
<Directory />
    AllowOverride None
    Order deny,allow
    Deny from all
</Directory>
IncludeOptional conf.d/*.conf
Include gone/site.conf
`;
const SITE = `<Directory $FOLDER/htdocs>
    Order allow,deny
    Allow from all
</Directory>
`;
const LATIN1 = Buffer.from(
  '# für alle\nAlias /gä /srv/gä\n<Directory /srv/gä>\n    Order allow,deny\n    Allow from all\n</Directory>\n',
  'latin1',
);
const LATIN1_AFTER = Buffer.from(
  '# für alle\nAlias /gä /srv/gä\n<Directory /srv/gä>\n    Require all granted\n</Directory>\n',
  'latin1',
);
const COMMAND = 'httpd-upgrade: Convert Access Control of the Configuration…';
const NAMES = ['conf/httpd.conf', 'conf.d/a.conf', 'conf.d/g.conf'];

describe('the conversion of a configuration in VS Code', () => {
  let workbench: Workbench;
  let folder: string;
  let original: Buffer[];
  const bytes = (name: string) => readFileSync(path.join(folder, name));
  const isUntouched = () =>
    NAMES.forEach((name, index) =>
      assert.equal(bytes(name).toString('latin1'), original[index].toString('latin1'), name),
    );

  before(async function () {
    folder = folderWith({ 'conf/httpd.conf': ROOT, 'conf.d/a.conf': SITE, 'conf.d/g.conf': LATIN1 });
    original = NAMES.map(bytes);
    workbench = await openWorkbenchFor(this, { name: 'conversion', folder });
    await workbench.openFile('conf.d/a.conf');
    await workbench.waitForSquiggle();
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('shows all changes before it asks, and writes nothing when the answer is no', async () => {
    const titles = await workbench.quickFixes('Order');
    await workbench.press('Escape');
    assert.ok(titles.length <= 4 && titles.includes('Open in the upgrade plan'), titles.join(' | '));
    await workbench.command(COMMAND);
    assert.equal(await workbench.question(/Convert/), 'Convert 3 sections in 3 files?');
    const files = await workbench.filesInDiff();
    await workbench.screenshot('1-question');
    assert.ok(
      files.some((name) => name.includes('Read this before you convert')),
      String(files),
    );
    // The progress of reading goes by itself, and nothing claims success before the answer.
    await workbench.noMessages();
    isUntouched();
    await workbench.answer('Cancel');
    await workbench.waitForFile('conf.d/a.conf');
    await workbench.screenshot('2-cancelled');
    isUntouched();
  });

  it('converts what is open and what is not, byte for byte, and tells afterwards', async () => {
    await workbench.command(COMMAND);
    await workbench.question(/Convert/);
    isUntouched();
    await workbench.answer('Convert');
    await workbench.message(/Converted 3 sections in 3 files\./);
    await workbench.screenshot('3-converted');
    assert.deepEqual(bytes('conf.d/g.conf'), LATIN1_AFTER);
    assert.match(bytes('conf.d/a.conf').toString(), /\n {4}Require all granted\n/);
    assert.match(bytes('conf/httpd.conf').toString(), /\n {4}Require all denied\n/);
  });

  it('takes all of it back', async () => {
    await workbench.messageAction('Undo');
    await workbench.message(/The change was undone\./);
    await workbench.screenshot('4-undone');
    isUntouched();
  });

  it('shows what was done', async () => {
    await workbench.command('Notifications: Clear All Notifications');
    await workbench.command(COMMAND);
    await workbench.question(/Convert/);
    await workbench.answer('Convert');
    await workbench.message(/Converted/);
    await workbench.messageAction('Show diff');
    const files = await workbench.filesInDiff();
    assert.ok(!files.some((name) => name.includes('before you convert')), String(files));
    await workbench.screenshot('5-diff');
    await workbench.command('httpd-upgrade: Undo the Last Change of Several Files');
    await workbench.message(/undone/);
    isUntouched();
  });
});
