import { readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The version in the nearest package.json at or above the directory of this file. Works for the
 * bundle in dist/ and for the tests in out/.
 */
export function version(): string {
  for (let folder = __dirname; ; folder = path.dirname(folder)) {
    try {
      const packageJson = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
        name?: string;
        version?: string;
      };
      if (packageJson.name === 'httpd-upgrade') return packageJson.version ?? 'unknown';
    } catch {
      // No package.json here; try the directory above.
    }
    if (folder === path.dirname(folder)) return 'unknown';
  }
}
