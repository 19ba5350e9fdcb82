/**
 * *Explain a Request…*: the answer as a tree whose rows lead to their lines, the deciding line
 * marked in the editor, and the last requests remembered; and *Who gains, who loses access* in the
 * preview of Apply.
 */
import assert from 'node:assert/strict';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

const MAIN = `ServerRoot "$FOLDER"
Listen 80
LoadModule authz_host_module modules/mod_authz_host.so
LoadModule dir_module modules/mod_dir.so
DocumentRoot "$FOLDER/htdocs"
MaxClients 10
<Directory "$FOLDER/htdocs">
    Order allow,deny
    Allow from all
</Directory>
<Directory "$FOLDER/htdocs/admin">
    Order deny,allow
    Deny from all
    Allow from 10.0.0.0/8
</Directory>
`;
const REQUEST = 'GET http://shop.example.org/admin/x from 203.0.113.9';

describe('a request in the editor', () => {
  let workbench: Workbench;
  before(async function () {
    const folder = folderWith({ 'conf/httpd.conf': MAIN, 'htdocs/admin/x': '', 'htdocs/index.html': '' });
    workbench = await openWorkbenchFor(this, { name: 'request', folder });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  /** The marked lines of the editor, each with its mark, which is no text of the page. */
  const marks = () =>
    workbench.page.locator('.editor-group-container.active .view-line').evaluateAll((all: any[]) =>
      all.flatMap((line) => {
        const styles = [...line.querySelectorAll('span')].map(
          (each) => (globalThis as any).getComputedStyle(each, '::after').content as string,
        );
        const mark = styles.find((content) => content.includes('decides'));
        return mark === undefined ? [] : [`${(line.innerText as string).trim()} ${mark}`.replaceAll('\u00a0', ' ')];
      }),
    );

  it('is explained as a tree, and the deciding line is marked', async () => {
    await workbench.openFile('conf/httpd.conf');
    await workbench.waitForStatus(/httpd 2\.2 → 2\.4/);
    await workbench.command('httpd-upgrade: Explain a Request…');
    await workbench.answerByKeys(REQUEST);
    await workbench.waitForItem(/^2\.2: denied/);
    await workbench.waitForItem(/^2\.4, after the conversion: denied/);
    await workbench.waitForItem(/^Deny from all/);
    await workbench.waitForItem(/^Target: file .*\/htdocs\/admin\/x/);
    await workbench.until(
      'a mark in the editor',
      async () => (await marks()).find((mark) => /^Deny from all .*decides · 2\.2: denied/.test(mark)),
      marks,
    );
    await workbench.screenshot('1-tree');
  });

  it('has rows that lead to their lines', async () => {
    await workbench.clickItem(/^<Directory ".*\/htdocs">/);
    await workbench.waitForStatus(/^Ln 7, /);
  });

  it('remembers the last requests', async () => {
    const rows = await workbench.listOf('httpd-upgrade: Explain a Request…');
    assert.ok(rows.includes(REQUEST), rows.join('\n'));
    await workbench.press('Escape');
  });

  it('is closed again', async () => {
    await workbench.command('httpd-upgrade: Close the Explained Request');
    await workbench.waitForNoItem((label) => label.startsWith('2.2: denied'));
    assert.deepEqual(await marks(), []);
  });

  it('shows who gains and who loses access before the changes are written', async () => {
    await workbench.commandByKeys('httpd-upgrade: Plan the Upgrade');
    await workbench.openItem(/^Review \d+ fixes…/, /^Apply \d+ changes/);
    await workbench.answerByKeys('Who gains, who loses access');
    await workbench.waitForTab(/Who gains, who loses access/);
    await workbench.question(/^Apply \d+ changes/);
    await workbench.screenshot('2-gains');
    const text = await workbench.until('the page', async () => {
      for (const frame of workbench.page.frames()) {
        const found = await frame.evaluate(() => (globalThis as any).document.body.innerText as string).catch(() => '');
        if (/gains or loses/.test(found)) return found;
      }
      return undefined;
    });
    assert.match(text, /No client gains or loses access/);
    await workbench.answer('Cancel');
  });
});
