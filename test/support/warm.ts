/**
 * Runs the built command line and the built server without a process for each, because starting a
 * program takes ten times as long as most tests need. One process runs them one after the other,
 * each with modules of its own (warm-host.ts); test/cli/warm.slow.test.ts shows that the results
 * are the same. HTTPD_UPGRADE_COLD=1 starts a process for each.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { bundle } from './built';

export type Environment = Readonly<Record<string, string>>;

/** A run of the command line. */
export interface Asked {
  readonly id: number;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Environment;
}

export interface Ran {
  readonly id: number;
  readonly code: number;
  readonly out: Uint8Array;
  readonly err: Uint8Array;
}

type Told = { readonly port: number } | Ran | { readonly id: number; readonly error: string };

export const isCold = process.env.HTTPD_UPGRADE_COLD === '1';

/** Of the environment, what is set. */
export function setIn(env: Readonly<Record<string, string | undefined>>): Environment {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** A server's streams, as of a process. */
export interface Served {
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly ended: Promise<number>;
}

class Host {
  private readonly child: ChildProcess;
  private readonly port: Promise<number>;
  private readonly waiting = new Map<number, { resolve(told: never): void; reject(error: Error): void }>();
  private count = 0;

  constructor() {
    this.child = fork(path.join(__dirname, 'warm-host.js'), [path.dirname(bundle('cli.js'))], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.port = once(this.child, 'message').then(([told]) => (told as { port: number }).port);
    this.child.on('message', (told: Told) => {
      if ('port' in told) return;
      const asked = this.waiting.get(told.id);
      this.settle(told.id);
      if ('error' in told) asked?.reject(new Error(told.error));
      else asked?.resolve(told as never);
    });
    this.child.on('exit', (code, signal) => {
      for (const { reject } of this.waiting.values())
        reject(new Error(`the process of the runs ended: ${signal ?? code}`));
    });
    // It does not keep the tests from ending, and ends with them.
    this.child.unref();
    this.child.channel!.unref();
  }

  async run(asked: Omit<Asked, 'id'>): Promise<Ran> {
    await this.port;
    const id = ++this.count;
    const ran = this.told<Ran>(id);
    this.child.send({ id, ...asked });
    return ran;
  }

  /** A server: what it reads and writes, and its exit code once it has ended. */
  serve(env: Environment): Served {
    const id = ++this.count;
    const ended = this.told<{ code: number }>(id).then(({ code }) => code);
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    stdin.write(`${JSON.stringify({ id, env })}\n`);
    void this.port.then((port) => {
      const socket = connect(port, '127.0.0.1').setNoDelay(true);
      socket.on('error', () => undefined);
      stdin.pipe(socket).pipe(stdout);
    });
    return { stdin, stdout, ended };
  }

  private told<T>(id: number): Promise<T> {
    this.child.channel!.ref();
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve: resolve as never, reject }));
  }

  private settle(id: number): void {
    this.waiting.delete(id);
    if (this.waiting.size === 0) this.child.channel?.unref();
  }
}

/** One for each, because a run of the command line changes the working directory. */
let runs: Host | undefined;
let servers: Host | undefined;

export function warmRun(asked: Omit<Asked, 'id'>): Promise<Ran> {
  return (runs ??= new Host()).run(asked);
}

export function warmServer(env: Environment): Served {
  return (servers ??= new Host()).serve(env);
}
