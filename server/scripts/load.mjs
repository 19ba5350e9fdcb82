// Bundles and loads the server's own sources, for the generators.
import { build } from 'esbuild';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** The exports of a source file, given its path. */
export async function load(file) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'httpd-upgrade-generate-'));
  try {
    const outfile = path.join(folder, 'loaded.mjs');
    await build({
      entryPoints: [file],
      outfile,
      bundle: true,
      platform: 'neutral',
      format: 'esm',
      logLevel: 'warning',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
