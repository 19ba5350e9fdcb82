/** The static pages of the site: all there, each with its title, no link that leads nowhere. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { serverMessages } from '../../server/src/directives/messages';
import { ALL_RULES } from '../../server/src/rules/all';
import { Folder } from '../cli/run';
import { repositoryRoot } from '../support/paths';

describe('the pages of the site', function () {
  this.timeout(600_000);
  const folder = new Folder();
  const root = folder.at('site');
  let pages: Map<string, string>;

  before(() => {
    const script = path.join(repositoryRoot, 'client/scripts/site.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--out', root], { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
    pages = new Map(
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.html'))
        .map((file) => [file.split(path.sep).join('/'), readFileSync(path.join(root, file), 'utf8')]),
    );
  });

  after(() => folder.remove());

  it('has a page for each rule and each message', () => {
    for (const { id } of ALL_RULES) assert.ok(pages.has(`rules/${id}.html`), id);
    const messages = [...pages.keys()].filter((file) => /^messages\/(?!index)/.test(file));
    assert.equal(messages.length, serverMessages().length);
    for (const { code } of serverMessages())
      if (code !== undefined) assert.ok(pages.has(`messages/${code.toLowerCase()}.html`), code);
  });

  it('has a title and a description on each page, of its own', () => {
    const titles = new Map<string, string>();
    for (const [file, html] of pages) {
      const [, title = ''] = /<title>([^<]+)<\/title>/.exec(html) ?? [];
      const [, description = ''] = /<meta name="description" content="([^"]+)">/.exec(html) ?? [];
      assert.ok(title.length > 5 && description.length > 10, `${file}: ${title}, ${description}`);
      // Some messages of httpd have the same words and several codes, or none.
      if (!file.startsWith('messages/')) assert.equal(titles.get(title), undefined, `${file}: ${title}`);
      titles.set(title, file);
      assert.equal(html.match(/<h1[ >]/g)?.length, 1, file);
      assert.match(html, /<html lang="en">/, file);
    }
  });

  it('leads nowhere that is not there', () => {
    for (const [file, html] of pages) {
      for (const [, link] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
        if (/^(?:https?:|data:|mailto:)/.test(link)) continue;
        const [target = '', anchor] = link.split('#');
        const full = target === '' ? file : path.posix.join(path.posix.dirname(file), target);
        const found = [full, `${full.replace(/\/$/, '')}/index.html`, full === './' ? 'index.html' : '']
          .map((each) => each.replace(/^\.\//, ''))
          .find((each) => each !== '' && /\.\w+$/.test(each) && existsSync(path.join(root, each)));
        assert.ok(found, `${file}: ${link}`);
        if (anchor && pages.has(found)) assert.ok(pages.get(found)!.includes(`id="${anchor}"`), `${file}: ${link}`);
      }
    }
  });

  it('asks for nothing of other servers', () => {
    for (const [file, html] of pages) {
      assert.match(html, /Content-Security-Policy" content="default-src 'none'; [^"]*connect-src 'none'/, file);
      assert.doesNotMatch(html, /(?:src|<link[^>]+stylesheet[^>]+href)="https?:/, file);
      assert.doesNotMatch(html, /\son\w+="|<script>/, file);
    }
  });

  it('lists its pages for search engines', () => {
    const sitemap = readFileSync(path.join(root, 'sitemap.xml'), 'utf8');
    const listed = new Set([...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => url));
    assert.equal(listed.size, pages.size - 1);
    for (const url of listed) assert.match(url, /^https:\/\//);
    for (const [file, html] of pages)
      if (file !== '404.html') assert.ok(listed.has(/rel="canonical" href="([^"]+)"/.exec(html)?.[1] ?? ''), file);
  });

  it('loads at most 1.5 MB for the page with the editor', () => {
    const loaded = ['index.html', 'site.css', 'page.js', 'worker.js'];
    const size = loaded.reduce((sum, name) => sum + gzipSync(readFileSync(path.join(root, name))).length, 0);
    assert.ok(size < 1_500_000, `${size}`);
  });
});
