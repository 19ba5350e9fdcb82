/**
 * The long run: `npm run soak [part…]`, or for some parts of it `SOAK=0.01`. Prints the seed of
 * each part; `HTTPD_UPGRADE_SEED` repeats one. soak.slow.test.ts is its short form. test/host and
 * test/lsp have kills, failing disks and malformed messages, with larger numbers.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { repositoryRoot } from '../support/paths';
import { seed } from '../support/random';
import { editsInProcess, editsOverStdio } from './edits';
import { GENERATORS } from './generators';
import { FLAGS } from './flags';
import { hostileInputs } from './hostile';
import { hostileFiles } from './hostile-files';
import { WORK } from './look';
import { costsOfRequests, over } from './requests';

const SHARE = Number(process.env.SOAK ?? 1);
/** So long a text takes so many milliseconds of the processor at most. */
const CHARACTERS = 100_000;
const MOST_MS = 2000;
/** A hostile file of ten kilobytes, for each kind of work. */
const MOST_MS_OF_FILE = 2000;

/** One request to the language server, on a hostile file of ten kilobytes. */
const MOST_MS_OF_REQUEST = 500;

const PARTS: Readonly<Record<string, (seed: number) => string | Promise<string>>> = {
  edits: (start) =>
    inSteps(10_000_000, 10_000, (step, count) => editsInProcess(start + step, count), 'edits in process'),
  stdio: async (start) => `${await editsOverStdio(start, Math.ceil(100_000 * SHARE))} edits over stdio`,
  hostile: (start) => inSteps(1_000_000, 1_000, (step, count) => hostileInputs(start + step, count), 'hostile inputs'),
  'hostile files': (start) =>
    inSteps(10_000, 100, (step, count) => hostileFiles(start + step, count, MOST_MS_OF_FILE), 'hostile files'),
  requests: async (start) => {
    const costs = await costsOfRequests(start, Math.ceil(500 * SHARE));
    const slow = over(costs, MOST_MS_OF_REQUEST);
    if (slow.length > 0) throw new Error(slow.join('\n'));
    return `${costs.length} kinds of requests`;
  },
  growth: () => said(grown(1_000)),
  time: () => said(slow()),
  kills: () => mocha('host/change-kill.slow', { HTTPD_UPGRADE_KILLS: String(Math.ceil(1000 * SHARE)) }),
  faults: () => mocha('host/change-faults.slow', { HTTPD_UPGRADE_FAULTS: String(Math.ceil(1000 * SHARE)) }),
  messages: () => mocha('lsp/malformed.slow', { HTTPD_UPGRADE_MALFORMED: String(Math.ceil(10_000 * SHARE)) }),
};

async function main(): Promise<void> {
  const asked = process.argv.slice(2);
  for (const [name, part] of Object.entries(PARTS)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    const start = seed();
    const begin = process.cpuUsage();
    console.log(`${name}: HTTPD_UPGRADE_SEED=${start}`);
    try {
      const result = await part(start);
      const { user, system } = process.cpuUsage(begin);
      console.log(`${name}: ${result}, ${((user + system) / 1e6).toFixed(0)} s of the processor`);
    } catch (error) {
      process.exitCode = 1;
      console.log(`${name}: ${(error as Error).stack}`);
    }
  }
}

function inSteps(all: number, step: number, run: (step: number, count: number) => number, what: string): string {
  const wanted = Math.ceil(all * SHARE);
  let done = 0;
  for (let at = 0; done < wanted; at++) done += run(at, Math.min(step, wanted - done));
  return `${done} ${what}`;
}

function slow(): string[] {
  const found: string[] = [];
  for (const [name, make] of Object.entries(GENERATORS)) {
    for (const [kind, work] of Object.entries(WORK)) {
      const begin = process.cpuUsage();
      work(make(CHARACTERS));
      const { user, system } = process.cpuUsage(begin);
      if ((user + system) / 1000 > MOST_MS) found.push(`${name}, ${kind}: ${((user + system) / 1000).toFixed(0)} ms`);
    }
  }
  return found;
}

/** In a process of its own, see linear.ts. */
function grown(characters: number): string[] {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...FLAGS, path.join(__dirname, 'linear.js'), String(characters)],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  return stdout.split('\n').filter(Boolean);
}

function said(found: readonly string[]): string {
  if (found.length > 0) throw new Error(found.join('\n'));
  return `${Object.keys(GENERATORS).length} generators`;
}

function mocha(test: string, env: Record<string, string>): string {
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      path.join(repositoryRoot, 'node_modules/mocha/bin/mocha.js'),
      '--no-config',
      '--timeout',
      '0',
      path.join(repositoryRoot, 'out/test', `${test}.test.js`),
    ],
    { cwd: repositoryRoot, encoding: 'utf8', env: { ...process.env, ...env } },
  );
  if (status !== 0) throw new Error(stdout);
  const figures = stdout.split('\n').filter((line) => line.startsWith('{'));
  return [/\d+ passing/.exec(stdout)?.[0] ?? stdout, ...figures].join(', ');
}

if (require.main === module) void main();
