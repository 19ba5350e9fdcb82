/**
 * Starts the command line from code that the build has compiled: what `dist/cli.js` is. The bundle of cli.ts stands beside it
 * (commands.js), and in commands-STAMP.cache what V8 made of it; STAMP is the bundle's last word. Another version of node does not take
 * that, and compiles the bundle as it would anyway.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Script } from 'node:vm';

/** The program as a function like node's own modules. */
export function compiled(): Script {
  // The bundle is ASCII.
  const source = readFileSync(BUNDLE, 'latin1');
  const stamp = source.slice(source.lastIndexOf(' ') + 1).trim();
  return new Script(`(function (exports, require, module, __filename, __dirname) { ${source}\n})`, { filename: BUNDLE, cachedData: cacheOf(stamp) });
}

const BUNDLE = path.join(__dirname, 'commands.js');

function cacheOf(stamp: string): Buffer | undefined {
  try {
    return readFileSync(path.join(__dirname, `commands-${stamp}.cache`));
  } catch {
    return undefined;
  }
}

if (require.main === module) compiled().runInThisContext()({}, require, module, BUNDLE, __dirname);
