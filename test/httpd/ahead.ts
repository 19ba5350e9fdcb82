/**
 * Config tests by an httpd that has already loaded its modules; see ahead.c. The server has the
 * same arguments as a new one, but its root is a link to the root of the caller. Without a C
 * compiler, and for the first test with a prelude, a new httpd is started.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { repositoryRoot } from '../support/paths';
import type { Sandbox } from './sandbox';

export interface Ended {
  readonly exitCode: number;
  readonly stderr: string;
}

interface Server {
  readonly key: string;
  readonly folder: string;
  readonly child: ChildProcess;
  /** The next line that it says; undefined once it is gone. */
  readonly said: () => Promise<string | undefined>;
  isBusy: boolean;
}

const MOST_SERVERS = 6;
const asked = new Set<string>();
/** With these a server ends instead of waiting: not this build of httpd, or not this prelude. */
const hopeless = new Set<string>();
/** Those used last are last. */
const servers: Server[] = [];

/** What `httpd -t` says of a sandbox, or undefined: ask a httpd of your own. */
export async function testedAhead(sandbox: Sandbox, limit: number): Promise<Ended | undefined> {
  const key = JSON.stringify([
    sandbox.httpd.binary,
    sandbox.prelude.replaceAll(sandbox.root, '@ROOT@'),
    path.relative(sandbox.root, sandbox.configFile),
  ]);
  if (!asked.has(key)) {
    asked.add(key);
    return undefined;
  }
  if (hopeless.has(key)) return undefined;
  const server = servers.find((each) => each.key === key && !each.isBusy) ?? started(key, sandbox);
  if (!server) return undefined;
  servers.push(...servers.splice(servers.indexOf(server), 1));
  server.isBusy = true;
  const ended = await ask(server, sandbox, limit);
  server.isBusy = false;
  if (ended) return ended;
  hopeless.add(key);
  end(server);
  return undefined;
}

async function ask({ child, folder, said }: Server, sandbox: Sandbox, limit: number): Promise<Ended | undefined> {
  symlinkSync(sandbox.root, path.join(folder, 'next'));
  renameSync(path.join(folder, 'next'), path.join(folder, 'root'));
  (child.stdio[3] as Writable).write('t');
  const pid = Number(await said());
  if (!pid) return undefined;
  const timer = setTimeout(() => process.kill(pid, 'SIGKILL'), limit);
  const exitCode = await said();
  clearTimeout(timer);
  if (exitCode === undefined) return undefined;
  const stderr = readFileSync(path.join(folder, 'stderr'), 'utf8').replaceAll(path.join(folder, 'root'), sandbox.root);
  return { exitCode: Number(exitCode), stderr };
}

function started(key: string, sandbox: Sandbox): Server | undefined {
  const library = compiled();
  if (library === undefined) return undefined;
  while (servers.length >= MOST_SERVERS) {
    const idle = servers.find(({ isBusy }) => !isBusy);
    if (!idle) return undefined;
    end(idle);
  }
  const folder = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'httpd-upgrade-test-'));
  const root = path.join(folder, 'root');
  const here = (text: string) => text.replaceAll(sandbox.root, root);
  symlinkSync(sandbox.root, root);
  // The root's own goes with the root, and this one stays.
  const prelude = path.join(folder, 'prelude.conf');
  writeFileSync(prelude, here(sandbox.prelude));
  const args = sandbox.arguments('-t').map((each) => here(each).replaceAll(path.join(root, 'prelude.conf'), prelude));
  const env = {
    ...process.env,
    LD_PRELOAD: library,
    AHEAD_FILE: here(sandbox.configFile),
    AHEAD_REQUESTS: '3',
    AHEAD_ANSWERS: '4',
    AHEAD_STDERR: path.join(folder, 'stderr'),
  };
  const child = spawn(sandbox.httpd.binary, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env });
  // It ends when its requests do: nothing waits for it.
  child.unref();
  for (const each of child.stdio) (each as { unref?: () => void } | null)?.unref?.();
  child.stdio[3]!.on('error', () => {});
  const server: Server = { key, folder, child, said: linesOf(child), isBusy: false };
  servers.push(server);
  return server;
}

function linesOf(child: ChildProcess): () => Promise<string | undefined> {
  const lines: string[] = [];
  let rest = '';
  let isOver = false;
  let wake = () => {};
  const answers = child.stdio[4] as Readable & { ref(): void; unref(): void };
  answers.setEncoding('utf8').on('data', (data: string) => {
    const parts = (rest + data).split('\n');
    rest = parts.pop()!;
    lines.push(...parts);
    wake();
  });
  const over = () => {
    isOver = true;
    wake();
  };
  answers.on('close', over);
  child.on('error', over);
  return async () => {
    answers.ref();
    while (lines.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve));
    answers.unref();
    return lines.shift();
  };
}

function end(server: Server): void {
  const index = servers.indexOf(server);
  if (index >= 0) servers.splice(index, 1);
  server.child.stdio[3]!.destroy();
  rmSync(server.folder, { recursive: true, force: true });
}

process.on('exit', () => {
  for (const server of [...servers]) end(server);
});

let library: string | null | undefined;

/** ahead.c as a library, made once for each state of the source. */
function compiled(): string | undefined {
  if (library === undefined) library = process.platform === 'linux' ? (compile() ?? null) : null;
  return library ?? undefined;
}

function compile(): string | undefined {
  const source = path.join(repositoryRoot, 'test/httpd/ahead.c');
  const folder = path.join(repositoryRoot, 'out', 'native');
  const file = path.join(
    folder,
    `ahead-${createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16)}.so`,
  );
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  const own = `${file}.${process.pid}`;
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', own, source, '-ldl'], { stdio: 'ignore' });
  if (status !== 0) return undefined;
  renameSync(own, file);
  return file;
}
