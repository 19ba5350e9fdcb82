// Builds the web site in `site/`: the page with the editor, the pages of the rules and messages,
// and the documents. Everything is static.
//
//   npm run site                      site/
//   npm run site -- --serve [PORT]    the same, and serves it on 127.0.0.1 (8022, or a free port)
//   npm run site -- --out FOLDER      writes to another folder
import { build } from 'esbuild';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const SOURCES = path.join(root, 'client', 'site');
const PORT = 8022;

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.xml': 'application/xml',
  '.txt': 'text/plain; charset=utf-8',
};

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) await main();

async function main() {
  const words = process.argv.slice(2);
  const after = (flag) => (words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined);
  const out = path.resolve(after('--out') ?? path.join(root, 'site'));
  const count = await buildSite(out);
  console.log(`${path.relative(process.cwd(), out) || '.'}: ${count} pages`);
  if (!words.includes('--serve')) return;
  const server = await serveSite(out, Number(after('--serve') ?? PORT));
  console.log(`http://127.0.0.1:${server.address().port}/`);
}

/** Writes the site to a folder, which is emptied before; returns the number of pages. */
export async function buildSite(out) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  await build({
    absWorkingDir: root,
    bundle: true,
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    mainFields: ['browser', 'module', 'main'],
    alias: {
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
      'vscode-languageserver-types': path.join(root, 'node_modules/vscode-languageserver-types/lib/esm/main.js'),
    },
    entryPoints: ['page.ts', 'worker.ts', 'filter.ts', 'site.css'].map((name) => path.join(SOURCES, name)),
    outdir: out,
  });
  const { siteFiles } = await pagesModule();
  const files = siteFiles(sources());
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(out, name)), { recursive: true });
    writeFileSync(path.join(out, name), text);
  }
  mkdirSync(path.join(out, 'pictures'));
  for (const name of readdirSync(path.join(root, 'docs', 'pictures')))
    copyFileSync(path.join(root, 'docs', 'pictures', name), path.join(out, 'pictures', name));
  // GitHub Pages leaves the files as they are.
  writeFileSync(path.join(out, '.nojekyll'), '');
  return Object.keys(files).filter((name) => name.endsWith('.html')).length;
}

/** Serves a folder on the loopback interface; port 0 takes a free one. */
export function serveSite(folder, port = 0) {
  const server = createServer((request, response) => {
    const file = fileOf(folder, new URL(request.url, 'http://localhost').pathname);
    const found = file ?? path.join(folder, '404.html');
    response.writeHead(file ? 200 : 404, {
      'Content-Type': TYPES[path.extname(found)] ?? 'application/octet-stream',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
    });
    response.end(request.method === 'HEAD' ? undefined : readFileSync(found));
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if (error.code === 'EADDRINUSE' && port !== 0) resolve(serveSite(folder, 0));
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

// ---------------------------------------------------------------------------------------------------------------------

/** The file of an address below a folder; null if there is none. */
function fileOf(folder, asked) {
  let name;
  try {
    name = decodeURIComponent(asked);
  } catch {
    return null;
  }
  const full = path.join(folder, path.posix.normalize(`/${name}`));
  for (const file of [full, path.join(full, 'index.html'), `${full}.html`])
    if (existsSync(file) && statSync(file).isFile()) return file;
  return null;
}

/** The module that makes the pages, with the rules and messages in it. */
async function pagesModule() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    logLevel: 'warning',
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    entryPoints: [path.join(SOURCES, 'pages.ts')],
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

function sources() {
  const { homepage } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const repository = homepage.replace(/#.*$/, '');
  const [, owner, name] = /^https:\/\/github\.com\/([^/]+)\/([^/]+)$/.exec(repository);
  const texts = ['README.md', 'CHANGELOG.md'].map((file) => [file, path.join(root, file)]);
  for (const file of readdirSync(path.join(root, 'docs'), { recursive: true }).sort()) {
    const slashed = file.split(path.sep).join('/');
    if (slashed.endsWith('.md') && !slashed.startsWith('rules/'))
      texts.push([`docs/${slashed}`, path.join(root, 'docs', file)]);
  }
  return {
    playground: readFileSync(path.join(SOURCES, 'playground.html'), 'utf8'),
    documents: Object.fromEntries(texts.map(([file, full]) => [file, readFileSync(full, 'utf8')])),
    address: `https://${owner.toLowerCase()}.github.io/${name}/`,
    repository,
  };
}
