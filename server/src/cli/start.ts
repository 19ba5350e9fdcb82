/**
 * Starts the command line from code that the build has already compiled. `dist/cli.js` is built
 * from this file. Beside it are the bundle of cli.ts (commands.js) and V8's compiled code for it
 * (commands-STAMP.cache; STAMP is the last word of the bundle). If the build used another version
 * of node, V8 rejects this code and compiles the bundle as usual.
 */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import path from 'node:path';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import type { HeapHooks } from './heap';

/** Runs the program as a node module. `hooks` change the memory settings. */
export function runProgram(program: Script, load: typeof require, hooks?: HeapHooks): void {
  const module = { exports: {} as { run(hooks?: HeapHooks): void } };
  program.runInThisContext()(module.exports, load, module, BUNDLE_PATH, __dirname);
  module.exports.run(hooks);
}

/** Reads the bundle as a function with the parameters of a node module. */
export function compiledProgram(): Script {
  const bundleText = wrappedBundle(BUNDLE_PATH);
  const stamp = bundleText.slice(bundleText.lastIndexOf(' ') + 1, -WRAPPER_END.length).trim();
  return new Script(bundleText, {
    filename: BUNDLE_PATH,
    cachedData: readCodeCache(stamp),
  });
}

/**
 * Reads the bundle, which is ASCII, and its wrapper into one buffer. The text stays in memory while
 * the program runs, so there must be only one copy.
 */
function wrappedBundle(file: string): string {
  const descriptor = openSync(file, 'r');
  const bundleEnd = WRAPPER_BEGIN.length + fstatSync(descriptor).size;
  const bytes = Buffer.alloc(bundleEnd + WRAPPER_END.length);
  bytes.write(WRAPPER_BEGIN, 'latin1');
  bytes.write(WRAPPER_END, bundleEnd, 'latin1');
  for (let at = WRAPPER_BEGIN.length, read = -1; at < bundleEnd && read !== 0; at += read)
    read = readSync(descriptor, bytes, at, bundleEnd - at, null);
  closeSync(descriptor);
  return bytes.toString('latin1');
}

/** The text that node puts before and after the text of a module. */
const WRAPPER_BEGIN = '(function (exports, require, module, __filename, __dirname) { ';
const WRAPPER_END = '\n})';

const BUNDLE_PATH = path.join(__dirname, 'commands.js');

/** V8's compiled code for the bundle with this stamp; undefined if there is none. */
function readCodeCache(stamp: string): Buffer | undefined {
  try {
    return readFileSync(path.join(__dirname, `commands-${stamp}.cache`));
  } catch {
    return undefined;
  }
}

/**
 * Makes V8 optimize later and less than usual, because a run ends before most optimization pays
 * off, and the optimizing compiler uses the same processor. Saves a tenth of the time for 100,000
 * lines, a fifth with thousands of findings. The flags are safe: they are set only if the compiled
 * code was accepted, so the version of V8 is known. Returns a function to call before much text is
 * parsed: it makes V8 enlarge its space for new objects now, unless V8 has done so. It takes 4 ms.
 */
export function tuneV8(): () => void {
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=200');
  setFlagsFromString('--interrupt-budget=1000000');
  // Optimizing a long function takes longer than a run. Also, a running function is not replaced by
  // its optimized form.
  setFlagsFromString('--max-optimized-bytecode-size=600');
  setFlagsFromString('--no-use-osr');
  // When V8 enlarges the space for new objects, it becomes six times the initial 1 MB. A smaller
  // space is collected more often; a space of 16 MB would need a fifth more memory.
  setFlagsFromString('--semi-space-growth-factor=6');
  const initialSize = newSpaceSize();
  return () => growNewSpace(initialSize);
}

/**
 * Makes V8 enlarge its space for new objects, if it still has the initial size: keeps more objects
 * alive than fit into it. After that, the space keeps its size.
 */
function growNewSpace(initialSize: number): void {
  const survivors: number[][] = [];
  for (let i = 0; i < 64 && newSpaceSize() === initialSize; i++) survivors.push(new Array<number>(8000).fill(0));
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** The size of V8's space for new objects, in bytes. */
function newSpaceSize(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return space ? space.space_used_size + space.space_available_size : 0;
}

/**
 * Lets the memory of V8 grow in larger steps, before many files are read. Most of the memory for
 * these files stays in use, and V8 would collect its small space for new objects thousands of
 * times. A larger space saves a third of the time for 20,000 files. The space for old objects grows
 * more slowly than usual: that saves a fifth of the memory and costs a twentieth of the time.
 */
function growHeap(): void {
  setFlagsFromString('--heap-growing-percent=50');
  setFlagsFromString('--semi-space-growth-factor=2');
}

if (require.main === module) {
  const program = compiledProgram();
  const isCacheUsed = program.cachedDataRejected === false;
  const hooks = isCacheUsed ? { beforeMuchText: tuneV8(), beforeManyFiles: growHeap } : undefined;
  runProgram(program, require, hooks);
}
