/**
 * Starts the command line from code that the build has compiled: what `dist/cli.js` is. The bundle of cli.ts stands beside it
 * (commands.js), and in commands-STAMP.cache what V8 made of it; STAMP is the bundle's last word. Another version of node does not take
 * that, and compiles the bundle as it would anyway.
 */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import path from 'node:path';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/** Runs the program as a module of node's, and its command line. */
export function runs(program: Script, load: typeof require, growing?: () => void): void {
  const made = { exports: {} as { run(growing?: () => void): void } };
  program.runInThisContext()(made.exports, load, made, BUNDLE, __dirname);
  made.exports.run(growing);
}

/** The program as a function like node's own modules. */
export function compiled(): Script {
  const text = textOf(BUNDLE);
  const stamp = text.slice(text.lastIndexOf(' ') + 1, -END.length).trim();
  return new Script(text, {
    filename: BUNDLE,
    cachedData: cacheOf(stamp),
  });
}

/** The bundle is ASCII. Its text is there for as long as the program runs, and so read into one piece with what stands around it. */
function textOf(file: string): string {
  const descriptor = openSync(file, 'r');
  const end = BEGIN.length + fstatSync(descriptor).size;
  const bytes = Buffer.alloc(end + END.length);
  bytes.write(BEGIN, 'latin1');
  bytes.write(END, end, 'latin1');
  for (let at = BEGIN.length, read = -1; at < end && read !== 0; at += read)
    read = readSync(descriptor, bytes, at, end - at, null);
  closeSync(descriptor);
  return bytes.toString('latin1');
}

/** As node has its modules. */
const BEGIN = '(function (exports, require, module, __filename, __dirname) { ';
const END = '\n})';

const BUNDLE = path.join(__dirname, 'commands.js');

function cacheOf(stamp: string): Buffer | undefined {
  try {
    return readFileSync(path.join(__dirname, `commands-${stamp}.cache`));
  } catch {
    return undefined;
  }
}

/**
 * A run is over before much of it was worth optimizing: the optimizing compiler, which competes with it for the processor, is asked
 * later than is usual and for less. A tenth less time for 100,000 lines, a fifth less where there are thousands of findings among them.
 * Only the V8 that made the cache takes it, so that these are flags it knows.
 */
export function tune(): void {
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=200');
  setFlagsFromString('--interrupt-budget=300000');
  // To optimize a long function takes longer than a run of it; a function that is in a loop still is not made another one for it.
  setFlagsFromString('--max-optimized-bytecode-size=600');
  setFlagsFromString('--no-use-osr');
  // New objects have six times the space that they begin with (1 MB), and no more: each time that it is full takes its time, and 16 MB of it are a fifth more memory.
  setFlagsFromString('--semi-space-growth-factor=6');
  fillOnce();
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** The space grows when more than fits in it has stayed: so much is kept until it has. */
function fillOnce(): void {
  const before = roomOfNew();
  const kept: number[][] = [];
  for (let i = 0; i < 64 && roomOfNew() === before; i++) kept.push(new Array<number>(8000).fill(0));
}

/** What fits in it: what the process has of memory for it is more as soon as objects have been moved. */
function roomOfNew(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return space ? space.space_used_size + space.space_available_size : 0;
}

/** Of many files so much stays that it would leave that little space thousands of times: a third of the time of 20,000 files. */
function grow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}

if (require.main === module) {
  const program = compiled();
  const isKnown = program.cachedDataRejected === false;
  if (isKnown) tune();
  runs(program, require, isKnown ? grow : undefined);
}
