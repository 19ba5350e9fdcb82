/**
 * The report of `plan --format html` in a real browser: narrow and wide, light, dark and printed,
 * of a configuration that tries to inject markup, a script and a URL.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Folder } from '../cli/run';
import { repositoryRoot } from '../support/paths';
import { openChromiumFor } from './workbench';

const CONFIGURATION = `ServerRoot "/etc/httpd"
Listen 80
LoadModule authz_host_module modules/mod_authz_host.so
LoadModule authz_core_module modules/mod_authz_core.so
DocumentRoot "/var/www/<script>document.title='owned'</script>"
<Directory "/var/www/<script>document.title='owned'</script>">
    AllowOverride All
    Order allow,deny
    Allow from all
    Deny from "<img src=https://evil.example/a.png onerror=document.title='owned'>.example"
</Directory>
<Directory "/srv/a|b\`c*d*_e_[x](javascript:alert(1))&lt;&amp;' onmouseover='x">
    AllowOverride AuthConfig Limit
    Order deny,allow
    Deny from all
    Allow from 10.0.0.0/8 env="</code></td></table><style>body{display:none}</style>"
</Directory>
<Location "/\u202egnp.</h4><a href=https://evil.example>">
    Order deny,allow
    Deny from all
    Allow from 192.168 env=ok
    Satisfy Any
</Location>
Include "conf.d/</h4><iframe src=https://evil.example></iframe>.conf"
MaxClients 10
SSLMutex "<b onclick=alert(1)>x</b>"
RewriteLog "${'/very/long/'.repeat(30)}--></title></style><svg onload=alert(1)>"
`;

interface Page {
  on(
    event: 'dialog' | 'request' | 'console' | 'pageerror',
    listener: (what: { url?(): string; text?(): string; type?(): string; dismiss?(): void }) => void,
  ): void;
  goto(url: string): Promise<unknown>;
  title(): Promise<string>;
  emulateMedia(options: object): Promise<void>;
  evaluate<Result>(run: () => Result): Promise<Result>;
  screenshot(options: object): Promise<unknown>;
  pdf(): Promise<Uint8Array>;
  close(): Promise<void>;
}

// What the browser's functions see; the compiler has no types of a page here.
declare const document: any;
declare const getComputedStyle: any;

describe('the report in a browser', function () {
  this.timeout(900_000);
  let browser: { newPage(options: object): Promise<Page>; close(): Promise<void> };
  let folder: Folder;
  let file: string;
  before(async function () {
    browser = await openChromiumFor<Page>(this);
    folder = new Folder({ 'conf/httpd.conf': CONFIGURATION });
    const { out, code, err } = await folder.run(['plan', '--format', 'html', 'conf/httpd.conf']);
    assert.equal(code, 0, err);
    file = folder.at('report.html');
    writeFileSync(file, out);
  });
  after(async () => {
    await browser?.close();
    folder?.remove();
  });

  const views = [
    ...[400, 1280].flatMap((width) =>
      (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme, media: 'screen' as const })),
    ),
    { width: 800, colorScheme: 'dark' as const, media: 'print' as const },
  ];
  for (const { width, colorScheme, media } of views) {
    it(`${width} pixels, ${colorScheme}, ${media}`, async () => {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
      const heard: string[] = [];
      page.on('dialog', (dialog) => (heard.push('a dialog'), dialog.dismiss!()));
      page.on('request', (request) => heard.push(request.url!()));
      page.on('console', (message) => heard.push(message.text!()));
      page.on('pageerror', () => heard.push('an error'));
      await page.emulateMedia({ media, colorScheme });
      await page.goto(pathToFileURL(file).href);
      const screenshots = path.join(repositoryRoot, 'out', 'screenshots');
      mkdirSync(screenshots, { recursive: true });
      await page.screenshot({
        path: path.join(screenshots, `report-${width}-${colorScheme}-${media}.png`),
        fullPage: true,
      });

      assert.deepEqual(
        heard,
        [pathToFileURL(file).href],
        'the page asks for nothing but itself, and its own policy forbids nothing of it',
      );
      assert.equal(await page.title(), 'Upgrade from httpd 2.2 to 2.4');
      const seen = await page.evaluate(() => {
        const all = (selector: string) => [...document.querySelectorAll(selector)];
        const rgb = (color: string) =>
          color
            .match(/[\d.]+/g)!
            .slice(0, 3)
            .map(Number);
        const light = (color: string) => {
          const [r, g, b] = rgb(color).map((each) =>
            each / 255 <= 0.03928 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4,
          );
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const behind = (element: any): string => {
          const { backgroundColor } = getComputedStyle(element);
          return backgroundColor === 'rgba(0, 0, 0, 0)' && element.parentElement
            ? behind(element.parentElement)
            : backgroundColor;
        };
        const contrast = (element: any) => {
          const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
          return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        };
        return {
          strangers: all(
            'script, img, iframe, object, embed, form, input, link, base, b, [onclick], [onload], [onerror], [onmouseover], [style], body a:not([href^="#"])',
          )
            .map((each) => each.outerHTML)
            // The id of a rule leads to its page.
            .filter(
              (html) =>
                !/^<a href="https:\/\/httpd-upgrade\.github\.io\/httpd-upgrade\/rules\/([\w-]+)\.html"><code>\1<\/code><\/a>$/.test(
                  html,
                ),
            ),
          styles: all('style').length,
          broad: document.documentElement.scrollWidth,
          room: document.documentElement.clientWidth,
          headings: all('h1, h2, h3, h4').map((each) => Number(each.tagName[1])),
          landmarks: ['header', 'nav', 'main', 'footer'].map((name) => all(name).length),
          unnamed: all('section, figure svg:not([aria-hidden]), nav, [role=region]').filter(
            (each) =>
              !each.getAttribute('aria-label') &&
              !document.getElementById(each.getAttribute('aria-labelledby'))?.textContent,
          ).length,
          doubleIds: all('[id]').length - new Set(all('[id]').map((each) => each.id)).size,
          deadLinks: all('a[href^="#"]').filter((each) => !document.getElementById(each.getAttribute('href').slice(1)))
            .length,
          tables: all('table').map((table) => ({
            caption: table.caption?.textContent.length > 0,
            heads: [...table.querySelectorAll('thead th')].every((each: any) => each.scope === 'col'),
            rows: [...table.querySelectorAll('tbody tr')].every(
              (row: any) => row.cells[0].tagName === 'TH' && row.cells[0].scope === 'row',
            ),
          })),
          faint: all('p, li, th, td, a, code, h1, h2, h3, h4, strong')
            .filter((each) => contrast(each) < 4.5)
            .map((each) => each.outerHTML.slice(0, 80)),
          isDark: light(behind(document.body)) < 0.2,
          text: document.body.innerText,
          turned: /[\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText),
          isNavShown: getComputedStyle(document.querySelector('nav')).display !== 'none',
          clipped: all('.wide').filter(
            (each) =>
              getComputedStyle(document.querySelector('nav')).display === 'none' &&
              each.scrollWidth > each.clientWidth + 1,
          ).length,
        };
      });
      assert.deepEqual(seen.strangers, []);
      assert.equal(seen.styles, 1);
      assert.ok(seen.broad <= seen.room, `the page is ${seen.broad} wide in ${seen.room}`);
      assert.equal(seen.headings[0], 1);
      seen.headings
        .slice(1)
        .forEach((level, index) =>
          assert.ok(
            level > 1 && level <= seen.headings[index] + 1,
            `no level of headings is passed over: ${seen.headings.join(' ')}`,
          ),
        );
      assert.deepEqual(seen.landmarks, [1, 1, 1, 1]);
      assert.deepEqual([seen.unnamed, seen.doubleIds, seen.deadLinks], [0, 0, 0]);
      assert.ok(seen.tables.length >= 4);
      for (const table of seen.tables) assert.deepEqual(table, { caption: true, heads: true, rows: true });
      assert.deepEqual(seen.faint, []);
      assert.equal(seen.isDark, colorScheme === 'dark' && media === 'screen');
      assert.equal(seen.isNavShown, media === 'screen');
      assert.equal(seen.clipped, 0, 'on paper nobody can scroll');
      assert.equal(seen.turned, false);
      for (const shown of [
        "below or above /var/www/<script>document.title='owned'</script> use Order",
        '</h4><a href=https://evil.example>',
        '2.4 with mod_access_compat',
      ])
        assert.ok(seen.text.includes(shown), `${shown} is there to be read`);
      if (media === 'print')
        assert.equal(
          Buffer.from(await page.pdf())
            .subarray(0, 4)
            .toString(),
          '%PDF',
        );
      await page.close();
    });
  }
});
