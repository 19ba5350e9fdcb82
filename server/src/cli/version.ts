import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The version in the nearest package.json above this file: that of the bundle in dist/, and that of the tests in out/. */
export function version(): string {
  for (let folder = __dirname; ; folder = path.dirname(folder)) {
    try {
      const found = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
        name?: string;
        version?: string;
      };
      if (found.name === 'httpd-upgrade') return found.version ?? 'unknown';
    } catch {
      // Not here.
    }
    if (folder === path.dirname(folder)) return 'unknown';
  }
}
