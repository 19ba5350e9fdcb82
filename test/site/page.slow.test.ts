/** The page with the editor in a real Chromium. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { Folder } from '../cli/run';
import { repositoryRoot } from '../support/paths';
import { openSite, type Site, type SitePage } from './browser';

declare const document: any;

/** A node of the tree that a screen reader gets. */
interface AccessibilityNode {
  readonly ignored: boolean;
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
}

const SMALL = 'ServerRoot "/etc/httpd"\nMaxClients 150\nSSLMutex default\n';
const ACCESS = `ServerRoot "/etc/httpd"
LoadModule authz_host_module modules/mod_authz_host.so
<Directory "/srv/www">
    AllowOverride None
    Order deny,allow
    Deny from all
    Allow from 192.0.2.0/24
</Directory>
`;

describe('the page in a browser', function () {
  this.timeout(600_000);
  let site: Site;
  let page: SitePage;

  before(async function () {
    site = await openSite(this);
  });

  beforeEach(async () => {
    page = await site.open();
  });

  afterEach(async () => {
    assert.deepEqual(page.errors, []);
    await page.page.close();
  });

  after(() => site?.close());

  it('shows the problems of a pasted text, and the text for 2.4', async () => {
    await page.paste(SMALL);
    const problems = await page.problems();
    assert.ok(
      problems.some(({ rule, place }) => rule === 'max-clients' && place === 'Line 2'),
      JSON.stringify(problems),
    );
    assert.match(await page.text('#result'), /MaxRequestWorkers 150/);
    assert.match((await page.download()).toString(), /^ServerRoot "\/etc\/httpd"\n[^]*MaxRequestWorkers 150\n$/);
  });

  it('checks 500 pasted lines once', async () => {
    const section = 'MaxClients 150\n<Directory "/srv/N">\n    Order allow,deny\n    Allow from all\n</Directory>\n';
    const text = Array.from({ length: 100 }, (_, index) => section.replace('N', String(index))).join('');
    await page.countQuestions();
    await page.paste(text);
    assert.equal((await page.problems()).length > 100, true);
    assert.equal((await page.questions()).filter((name) => name === 'check').length, 1);
  });

  it('applies one fix, and all', async () => {
    await page.paste(SMALL);
    await page.checked(() => page.page.click('text=Rename MaxClients to MaxRequestWorkers'));
    assert.match(await page.text('#editor'), /MaxRequestWorkers 150\nSSLMutex default/);
    await page.checked(() => page.page.click('#apply'));
    assert.doesNotMatch(await page.text('#editor'), /SSLMutex/);
    await page.page.click('#editor .cm-content');
    await page.checked(() => page.page.keyboard.press('Control+z'));
    assert.match(await page.text('#editor'), /MaxRequestWorkers 150\nSSLMutex default/);
  });

  it('reads a text as a main file, a virtual host or .htaccess', async () => {
    await page.paste('Listen 80\n');
    const inMain = await page.problems();
    await page.checked(() => page.page.check('input[value="htaccess"]', { force: true }));
    assert.notDeepEqual(await page.problems(), inMain);
    assert.match(await page.text('#unknown'), /AllowOverride/);
    await page.checked(() => page.page.check('input[value="vhost"]', { force: true }));
    assert.match(await page.text('#unknown'), /main configuration file/);
  });

  it('converts after the user has answered a question', async () => {
    await page.paste(ACCESS);
    assert.doesNotMatch(await page.text('#result'), /Require ip/);
    for (let count = 0; count < 8 && !/Require ip/.test(await page.text('#result')); count++)
      await page.checked(() =>
        page.page.evaluate(
          (index) => document.querySelectorAll('#questions fieldset')[index].querySelector('input').click(),
          count,
        ),
      );
    assert.match(await page.text('#result'), /Require ip 192\.0\.2\.0\/24/);
  });

  it('shows who gets in', async () => {
    await page.paste(ACCESS);
    const text = await page.text('#access');
    assert.match(text, /<Directory "\/srv\/www">/);
    assert.match(text, /From 192\.0\.2\.0\/24\s+allowed\s+allowed/);
    assert.match(text, /Everyone else\s+denied \(403\)\s+denied \(403\)/);
  });

  it('shows who gets in also where a section has no lines of 2.2', async () => {
    await page.paste(
      'ServerRoot "/etc/httpd"\nListen 80\nDocumentRoot "/srv/www"\n<Directory />\n  AllowOverride None\n  Require all granted\n</Directory>\n<Location "/admin">\n  Require ip 192.0.2.0/24\n</Location>\n',
    );
    const text = await page.text('#access');
    assert.match(text, /<Location "\/admin">/);
    assert.match(text, /Require ip 192\.0\.2\.0\/24/);
    assert.match(text, /\/admin/);
  });

  it('keeps the text in a link, with the answers', async () => {
    await page.paste(ACCESS);
    await page.checked(() => page.page.evaluate(() => document.querySelector('#questions fieldset input').click()));
    const [before, result] = [await page.text('#questions'), await page.text('#result')];
    await page.page.click('#link');
    await page.page.waitForFunction(() => document.URL.includes('#c='));
    const link = page.page.url();
    const other = await site.open(link.slice(site.url.length));
    assert.match(await other.text('#editor'), /Allow from 192\.0\.2\.0\/24/);
    assert.equal(await other.text('#questions'), before);
    assert.equal(await other.text('#result'), result);
    assert.equal(await other.page.evaluate(() => document.querySelector('#questions fieldset input').checked), true);
    await other.page.close();
  });

  it('says that a damaged link cannot be read', async () => {
    const other = await site.open('#c=AAAA');
    assert.match(await other.text('#notice'), /damaged/);
    await other.page.close();
  });

  it('reads a dropped file with its name', async () => {
    await page.dropTexts({ '.htaccess': 'Order allow,deny\nAllow from all\n' });
    assert.equal(await page.page.evaluate(() => document.querySelector('input[value="htaccess"]').checked), true);
    assert.match(await page.text('#editor'), /Order allow,deny/);
  });

  it('reads a dropped folder as one configuration', async () => {
    await page.drop(path.join(repositoryRoot, 'test/samples/etc/httpd'));
    const names = await page.page.evaluate(() =>
      [...document.querySelectorAll('#file option')].map(({ value }: any) => value),
    );
    assert.ok(names.length > 2, names.join());
    assert.match(await page.text('#state'), /\d+ problems/);
    await page.checked(() => page.page.click('#apply'));
    const archive = await page.download();
    assert.equal(archive.subarray(0, 2).toString(), 'PK');
    await page.page.setInputFiles('#choose-files', [{ name: 'a.zip', mimeType: 'application/zip', buffer: archive }]);
    await page.page.waitForFunction(() => document.querySelectorAll('#file option').length > 2);
  });

  it('keeps line ends and encodings', async () => {
    const folder = new Folder({
      'httpd.conf': Buffer.from('# caf\xe9\r\nServerRoot /etc/httpd\r\nMaxClients 1\r\n', 'latin1'),
    });
    await page.drop(folder.at('httpd.conf'));
    assert.match(
      (await page.download()).toString('latin1'),
      /^# caf\xe9\r\nServerRoot \/etc\/httpd\r\n(?:[^\n]*\r\n)*MaxRequestWorkers 1\r\n$/,
    );
    folder.remove();
  });

  it('is usable by keys alone', async () => {
    await page.page.click('#editor .cm-content');
    await page.page.keyboard.type('MaxClients 150');
    await page.page.keyboard.press('Tab');
    const focused = () => page.page.evaluate(() => document.activeElement.id || document.activeElement.className);
    assert.match(await focused(), /cm-content/);
    await page.page.keyboard.press('Escape');
    await page.page.keyboard.press('Escape');
    await page.page.keyboard.press('Tab');
    assert.doesNotMatch(await focused(), /cm-content/);
    const reached = new Set<string>();
    for (let count = 0; count < 80; count++) {
      reached.add(await focused());
      await page.page.keyboard.press('Tab');
    }
    for (const id of ['unsafe', 'copy', 'download', 'apply', 'example', 'link'])
      assert.ok(reached.has(id), `${id} of ${[...reached]}`);
    assert.ok(
      [...reached].some((each) => each.includes('place')),
      [...reached].join(),
    );
  });

  it('names every control for a screen reader', async () => {
    await page.checked(() => page.page.click('#example'));
    const session = await page.page.context().newCDPSession(page.page);
    const { nodes } = (await session.send('Accessibility.getFullAXTree', {})) as { nodes: AccessibilityNode[] };
    const controls = nodes.filter(({ role }) =>
      ['button', 'textbox', 'checkbox', 'radio', 'combobox', 'link', 'region'].includes(role?.value ?? ''),
    );
    assert.ok(controls.length > 40, `${controls.length}`);
    const unnamed = controls.filter(({ ignored, name }) => !ignored && !name?.value).map(({ role }) => role?.value);
    assert.deepEqual(unnamed, []);
    for (const name of ['Your configuration', 'What 2.4 needs', 'Kind of file', 'With suggestions'])
      assert.ok(
        nodes.some((node) => node.name?.value === name),
        name,
      );
  });

  it('shows hovers and completions', async () => {
    await page.paste(SMALL);
    await page.page.hover('#editor .cm-line:nth-child(2) .token-keyword');
    await page.page.waitForFunction(() =>
      /MaxRequestWorkers/.test(document.querySelector('.cm-tooltip .hover')?.textContent),
    );
    await page.page.click('#editor .cm-content');
    await page.page.keyboard.press('Control+End');
    await page.page.keyboard.type('DocumentRo');
    await page.page.waitForFunction(() =>
      /DocumentRoot/.test(document.querySelector('.cm-tooltip-autocomplete')?.textContent),
    );
    await page.page.keyboard.press('Escape');
  });

  it('explains a request', async () => {
    await page.page.click('#example');
    await page.page.fill('#request-url', 'GET http://www.example.org/server-status');
    await page.page.fill('#request-from', '203.0.113.9');
    await page.page.click('#request button');
    await page.page.waitForFunction(() => document.querySelectorAll('#answer tbody tr').length === 3);
    const text = await page.text('#answer');
    assert.match(text, /2.2 and 2.4 give the same answer: denied \(403\)/);
    assert.match(text, /Require ip 127\.0\.0\.1 192\.0\.2\.0\/24/);
    await page.page.fill('#request-from', '127.0.0.1');
    await page.page.click('#request button');
    await page.page.waitForFunction(() => /allowed/.test(document.querySelector('#answer').textContent));
    await page.page.fill('#request-url', 'no URL');
    await page.page.click('#request button');
    await page.page.waitForFunction(() => /such as GET http/.test(document.querySelector('#answer').textContent));
  });

  it('shows markup of a configuration as text', async () => {
    const markup = '<img src=https://evil.example/a.png onerror=document.title=1><b>x</b>';
    const loaded = page.requests.length;
    await page.paste(
      `ServerRoot "/etc/httpd"\n<Directory "/srv/${markup}">\nOrder allow,deny\nAllow from "${markup}"\nDeny from all\n</Directory>\nSSLMutex "${markup}"\nAlias /a "${markup}"\nRewriteLog \`[x](javascript:alert(1))\`\n`,
    );
    await page.page.fill('#request-url', `GET http://x/${markup}`);
    await page.page.click('#request button');
    await page.page.hover('#editor .cm-line:nth-child(4) .token-keyword');
    await page.page.waitForFunction(() => document.querySelector('.cm-tooltip .hover'));
    const made = await page.page.evaluate(
      () => document.querySelectorAll('main img, main b, a[href^="javascript"], .cm-tooltip img').length,
    );
    assert.equal(made, 0);
    assert.deepEqual(page.requests.slice(loaded), []);
  });

  it('has the text again after a visit of another page', async () => {
    await page.paste(SMALL);
    await page.page.goto(`${site.url}rules/`);
    await page.page.goto(site.url);
    await page.checked(null);
    assert.match(await page.text('#editor'), /MaxClients 150/);
  });

  it('stays usable with 20,000 lines', async () => {
    const text = Array.from({ length: 4000 }, (_, index) => `Alias /a${index} /srv/a${index}\n`)
      .join('')
      .repeat(5);
    await page.paste(text);
    const start = Date.now();
    await page.page.keyboard.type('Listen 80');
    await page.page.waitForFunction(() => /Listen 80/.test(document.querySelector('#editor .cm-content').textContent));
    assert.ok(Date.now() - start < 3000, `${Date.now() - start} ms`);
  });

  it('asks nothing of any server after it was loaded', async () => {
    const loaded = page.requests.length;
    assert.ok(
      page.requests.every((url) => url.startsWith(site.url)),
      page.requests.join(),
    );
    await page.paste(ACCESS);
    await page.page.click('#link');
    await page.page.click('#example');
    await page.page.click('#unsafe');
    await page.page.waitForTimeout(500);
    assert.deepEqual(page.requests.slice(loaded), []);
    assert.equal(await page.page.evaluate(() => document.cookie), '');
  });

  it('finds a message by words, by its code, or by a line of the log', async () => {
    const other = await site.open('messages/');
    const shown = async (text: string): Promise<string[]> => {
      await other.page.fill('#filter', text);
      return other.page.evaluate(() =>
        [...document.querySelectorAll('table.list tbody tr')]
          .filter((row: any) => !row.hidden)
          .map((row: any) => row.innerText),
      );
    };
    assert.ok((await shown('password file')).length > 0);
    const [found, ...more] = await shown(
      '[Tue Nov 24 10:00:00 2026] [access_compat:error] [pid 7] [client 192.0.2.1:5] AH01797: client denied by server configuration: /srv/www',
    );
    assert.match(found!, /AH01797\s+client denied/);
    assert.deepEqual(more, []);
    assert.ok(
      (await shown('[error] client denied by server configuration: /srv/www')).some((row) => /AH01797/.test(row)),
    );
    assert.deepEqual(await shown('nothing like this at all'), []);
    assert.equal((await shown('')).length > 500, true);
    assert.deepEqual(other.errors, []);
    await other.page.close();
  });

  it('fits narrow and wide windows, light and dark', async () => {
    for (const colorScheme of ['light', 'dark']) {
      for (const width of [360, 768, 1920]) {
        await page.page.setViewportSize({ width, height: 900 });
        await page.page.emulateMedia({ colorScheme });
        await page.checked(() => page.page.click('#example'));
        assert.equal(await page.overflow(), 0, `${width} ${colorScheme}`);
        await page.screenshot(`${width}-${colorScheme}`);
      }
    }
  });
});
