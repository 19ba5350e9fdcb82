// Builds everything that runs: `dist/` is what the extension and the command line ship, `out/` is
// the same source transpiled file by file for the tests.
//
//   node client/scripts/build.mjs            dist/
//   node client/scripts/build.mjs --npm      dist/ for the npm package: no extension, node alone,
//                                            the library and its types
//   node client/scripts/build.mjs --tests    out/ (server, client and test sources, one file each)
//   node client/scripts/build.mjs --watch    dist/, again at every change
import { build, context, version } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { licensesOf } from './licenses.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
process.chdir(root);

const node = { platform: 'node', target: 'node20', format: 'cjs' };
const browser = { platform: 'browser', target: 'es2022', mainFields: ['browser', 'module', 'main'] };
const shared = {
  bundle: true,
  metafile: true,
  minify: true,
  sourcemap: false,
  legalComments: 'none',
  logLevel: 'warning',
  alias: {
    // Its CommonJS form loads its parts by a require that bundlers do not follow.
    'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
    // Packages that depend on it share this copy.
    'vscode-languageserver-types': path.resolve('node_modules/vscode-languageserver-types/lib/esm/main.js'),
  },
};

/** The command line starts the server's own bundle, so that `check` need not load it. */
const serverApart = {
  name: 'server-apart',
  setup: ({ onResolve }) => onResolve({ filter: /^\.\.\/node$/ }, () => ({ path: './server.js', external: true })),
};

/** The MCP server is a bundle of its own, because no other command needs its library. */
const mcpApart = {
  name: 'mcp-apart',
  setup: ({ onResolve }) => onResolve({ filter: /^\.\.\/mcp\/serve$/ }, () => ({ path: './mcp.js', external: true })),
};

/**
 * The facts stay in files beside the command line's bundle, which reads them when they are first
 * needed. Each start reads the whole text of the bundle, and a fifth of it would be facts that
 * `check` of most files needs not. Only the values of arguments stay, which each check needs.
 */
const factsApart = {
  name: 'facts-apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/(?:generated|data)\/[\w-]+\.json$/ }, ({ path: asked, resolveDir }) => {
      if (asked.endsWith('/values.json')) return undefined;
      const name = `${asked.includes('/data/') ? 'data-' : ''}${path.basename(asked)}`;
      mkdirSync('dist', { recursive: true });
      const facts = JSON.parse(readFileSync(path.resolve(resolveDir, asked), 'utf8'));
      writeFileSync(path.join('dist', name), JSON.stringify(facts));
      return { path: `./${name}`, external: true };
    }),
};

/**
 * Puts each file of facts into the bundle as one string: the compiler skips it, and parsing it when
 * it is first needed is faster than an object in the program's text.
 */
const factsAsText = {
  name: 'facts-as-text',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.json$/ }, ({ path: file }) => {
      // The server uses only one line of it.
      if (path.basename(file) === 'package.json') return undefined;
      const text = JSON.stringify(JSON.parse(readFileSync(file, 'utf8')));
      return { contents: `module.exports = JSON.parse(${JSON.stringify(text)});`, loader: 'js' };
    }),
};

/**
 * Modules of node that `check` does not need and whose loading takes a tenth of the start: each is
 * loaded when it is first used.
 */
const LATER = [
  'child_process',
  'crypto',
  'worker_threads',
  'perf_hooks',
  'os',
  'fs/promises',
  'timers/promises',
  'url',
];
const builtinsLater = {
  name: 'builtins-later',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: new RegExp(`^(node:)?(${LATER.join('|')})$`) }, ({ path: asked, namespace }) =>
      namespace === 'builtins-later'
        ? { path: asked, external: true }
        : { path: asked.replace(/^node:/, ''), namespace: 'builtins-later' },
    );
    onLoad({ filter: /.*/, namespace: 'builtins-later' }, async ({ path: name }) => {
      const names = Object.keys(await import(`node:${name}`)).filter((each) => each !== 'default');
      return {
        contents: `let all; for (const name of ${JSON.stringify(names)}) Object.defineProperty(exports, name, { enumerable: true, get: () => (all ??= require('node:${name}'))[name] });`,
        loader: 'js',
      };
    });
  },
};

const bundles = [
  {
    ...shared,
    ...node,
    entryPoints: ['client/src/node.ts'],
    outfile: 'dist/client.js',
    external: ['vscode'],
  },
  {
    ...shared,
    ...browser,
    format: 'cjs',
    entryPoints: ['client/src/browser.ts'],
    outfile: 'dist/client.web.js',
    external: ['vscode'],
  },
  // For node and browser: code for the other one is in the bundle, but never runs. A worker has no
  // files from which it could read facts.
  {
    ...shared,
    ...node,
    format: 'iife',
    conditions: ['node', 'browser'],
    entryPoints: ['server/src/server.ts'],
    outfile: 'dist/server.js',
    plugins: [factsAsText],
  },
  {
    ...shared,
    ...node,
    entryPoints: ['server/src/cli/start.ts'],
    outfile: 'dist/cli.js',
    banner: { js: '#!/usr/bin/env node' },
  },
  // A script that is compiled in advance has no import() and no import.meta. Only createRequire
  // asks for its URL, and also accepts the file's name.
  {
    ...shared,
    ...node,
    define: { 'import.meta.url': '__filename' },
    supported: { 'dynamic-import': false },
    entryPoints: ['server/src/cli.ts'],
    outfile: 'dist/commands.js',
    plugins: [serverApart, mcpApart, factsApart, factsAsText, builtinsLater],
  },
  { ...shared, ...node, entryPoints: ['server/src/mcp/serve.ts'], outfile: 'dist/mcp.js' },
];

/**
 * The npm package has one bundle for the command line, the server and the library, so that shared
 * code is in it once.
 */
const forNpm = [
  bundles[3],
  {
    ...bundles[4],
    entryPoints: ['server/src/package.ts'],
    plugins: [mcpApart, factsApart, factsAsText, builtinsLater],
  },
  bundles[5],
];

if (process.argv.includes('--npm')) {
  rmSync('dist', { recursive: true, force: true });
  await bundle(forNpm);
  writeLibrary();
  writeFileSync('dist/httpd-upgrade.1', execFileSync(process.execPath, ['dist/cli.js', 'man']));
} else if (process.argv.includes('--tests')) {
  await buildTests();
} else if (process.argv.includes('--watch')) {
  for (const options of bundles) await (await context(options)).watch();
  console.log('watching');
} else {
  await bundle(bundles);
  compileAhead();
}

async function bundle(all) {
  mkdirSync('dist', { recursive: true });
  copyFileSync('server/src/cli/collect.sh', 'dist/collect.sh');
  const made = await Promise.all(all.map((options) => build(options)));
  writeFileSync(
    'dist/third-party-licenses.txt',
    licensesOf(made.flatMap(({ metafile }) => Object.keys(metafile.inputs))),
  );
}

/**
 * Compiling takes a tenth of the time of `check`, so V8's compiled code is stored beside the
 * bundle, under a name that identifies the bundle (server/src/cli/start.ts).
 */
function compileAhead() {
  for (const name of readdirSync('dist')) if (/^commands-.*\.cache$/.test(name)) rmSync(path.join('dist', name));
  const stamp = createHash('sha256').update(readFileSync('dist/commands.js')).digest('hex').slice(0, 16);
  appendFileSync('dist/commands.js', `// ${stamp}\n`);
  execFileSync(process.execPath, ['client/scripts/compile.cjs', stamp], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/**
 * Writes the entry of the library (`import { check } from 'httpd-upgrade'`), whose code is in the
 * bundle of the command line. It names each export, because importers of ES modules look for the
 * names in the text.
 */
function writeLibrary() {
  const out = 'dist/types';
  execFileSync(
    process.execPath,
    [
      'node_modules/typescript/lib/tsc.js',
      '-p',
      'server',
      '--noEmit',
      'false',
      '--declaration',
      '--emitDeclarationOnly',
      '--rootDir',
      '.',
      '--outDir',
      out,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const declared = walk(out).find((file) => path.basename(file) === 'library.d.ts');
  const types = readFileSync(declared, 'utf8');
  if (/^import /m.test(types)) throw new Error('library.d.ts names types of other files');
  rmSync(out, { recursive: true });
  writeFileSync('dist/library.d.ts', types);
  const names = [...types.matchAll(/^export declare function (\w+)/gm)].map(([, name]) => name);
  writeFileSync(
    'dist/library.js',
    `'use strict';\nconst { library } = require('./commands.js');\n${names.map((name) => `exports.${name} = library.${name};\n`).join('')}`,
  );
}

/** Writes the test files again whose sources have changed: a copy has the time of its source. */
async function buildTests() {
  const stamp = createHash('sha256')
    .update(version)
    .update(readFileSync('client/scripts/build.mjs'))
    .update(readFileSync('tsconfig.json'))
    .digest('hex');
  const stampFile = 'out/stamp';
  if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp)
    rmSync('out', { recursive: true, force: true });
  const programs = [...sources('server/src'), ...sources('client/src'), ...sources('test')];
  const copies = new Map([
    ...programs.map((file) => [path.join('out', file.replace(/\.ts$/, '.js')), file]),
    ...dataFiles('server/src').map((file) => [path.join('out', file), file]),
  ]);
  // Skips out/installed, where the suites of the editor keep the extension, and out/screenshots.
  for (const folder of ['out/server', 'out/client', 'out/test'])
    if (existsSync(folder)) for (const file of walk(folder)) if (!copies.has(file)) rmSync(file);
  const changed = [...copies].filter(([copy, source]) => !hasTimeOf(copy, source));
  const entryPoints = changed.map(([, source]) => source).filter((file) => file.endsWith('.ts'));
  // Node's import() needs file names with their endings, so the tests load everything by require().
  if (entryPoints.length > 0)
    await build({
      ...node,
      supported: { 'dynamic-import': false },
      entryPoints,
      outdir: 'out',
      outbase: '.',
      bundle: false,
      sourcemap: 'inline',
      logLevel: 'warning',
    });
  for (const [copy, source] of changed) {
    if (!source.endsWith('.ts')) cpSync(source, copy);
    const { atime, mtime } = statSync(source);
    utimesSync(copy, atime, mtime);
  }
  mkdirSync('out', { recursive: true });
  writeFileSync(stampFile, stamp);
}

/** Compares milliseconds, because not every file system stores a finer time. */
function hasTimeOf(copy, source) {
  return existsSync(copy) && Math.trunc(statSync(copy).mtimeMs) === Math.trunc(statSync(source).mtimeMs);
}

function sources(folder) {
  return walk(folder).filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));
}

function dataFiles(folder) {
  return walk(folder).filter((file) => /\.(json|sh)$/.test(file));
}

function walk(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) return [];
    const full = path.join(folder, entry.name);
    return entry.isDirectory() ? walk(full) : [full];
  });
}
