/**
 * A process that runs the built command line, or the built server, many times: warm.ts starts it.
 * Each run has new modules of the bundle, and a `process` of its own: arguments, environment,
 * streams, exit code and exit handlers.
 *
 *   node warm-host.js FOLDER-OF-BUNDLES
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { Script } from 'node:vm';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { Asked, Environment, Ran } from './warm';

const [, , folder] = process.argv as [string, string, string];
const home = process.cwd();

/**
 * What the bundle finds in the place of the names that every module of node's has, and of these.
 */
const NAMES = ['exports', 'require', 'module', '__filename', '__dirname', 'process', ...timerNames()];

function timerNames() {
  return ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'];
}

/** One run of a bundle. */
class Run {
  private readonly events = new EventEmitter({ captureRejections: false });
  private readonly timers = new Set<NodeJS.Timeout | NodeJS.Immediate>();
  private readonly workers = new Set<Worker>();
  private isEnded = false;
  private exitCode: number | undefined;

  constructor(
    private readonly own: {
      readonly argv: readonly string[];
      readonly env: Environment;
      readonly stdin?: object;
      readonly stdout: object;
      readonly stderr: object;
      /** With the exit code. */
      readonly end: (code: number) => void;
    },
  ) {}

  start(name: string): { readonly exports: object } {
    const file = path.join(folder, name);
    const module = { exports: {} };
    const process = this.process();
    const values = [module.exports, this.requireOf(file, process), module, file, folder, process, ...this.timing()];
    runs.add(this);
    current.run(this, () => (scriptOf(file).runInThisContext() as (...all: unknown[]) => void)(...values));
    return module;
  }

  /** Prints an uncaught error and ends, like a process. */
  uncaught(error: unknown): void {
    if (this.isEnded) return;
    if (this.events.emit('uncaughtException', error)) return;
    (this.own.stderr as Writable).write(`${(error as Error)?.stack ?? String(error)}\n`);
    this.exit(1);
  }

  exit(code = this.exitCode ?? 0): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.events.emit('exit', code);
    for (const timer of this.timers) clearTimeout(timer as NodeJS.Timeout);
    for (const timer of this.timers) clearImmediate(timer as NodeJS.Immediate);
    for (const worker of this.workers) void worker.terminate();
    runs.delete(this);
    this.own.end(code);
  }

  private process(): object {
    const { events, own } = this;
    const ours: Record<string, unknown> = {
      argv: [process.execPath, ...own.argv],
      env: own.env,
      stdout: own.stdout,
      stderr: own.stderr,
      ...(own.stdin && { stdin: own.stdin }),
      exit: (code?: number) => this.exit(code),
    };
    for (const name of ['on', 'once', 'off', 'addListener', 'removeListener', 'listenerCount', 'emit'] as const)
      ours[name] = (events[name] as (...args: unknown[]) => unknown).bind(events);
    return new Proxy(process, {
      get: (target, name) => {
        if (name === 'exitCode') return this.exitCode;
        if (Object.hasOwn(ours, name)) return ours[name as string];
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
      set: (_, name, value) => {
        if (name === 'exitCode') this.exitCode = value as number;
        else ours[name as string] = value;
        return true;
      },
    });
  }

  /** Threads end with the run that began them. */
  private requireOf(file: string, own: object): NodeJS.Require {
    const { workers } = this;
    class Thread extends Worker {
      constructor(name: string | URL, options?: WorkerOptions) {
        super(name, options);
        workers.add(this);
        this.once('exit', () => workers.delete(this));
      }
    }
    const load = createRequire(file);
    return ((name: string): unknown => {
      if (/^(node:)?process$/.test(name)) return own;
      const loaded: unknown = load(name);
      return /^(node:)?worker_threads$/.test(name) ? { ...(loaded as object), Worker: Thread } : loaded;
    }) as NodeJS.Require;
  }

  private timing(): readonly unknown[] {
    const { timers } = this;
    const counted =
      (start: typeof setTimeout | typeof setInterval | typeof setImmediate, isOnce: boolean) =>
      (callback: (...args: unknown[]) => void, ...rest: unknown[]) => {
        if (this.isEnded) return undefined;
        const timer = (start as (...all: unknown[]) => NodeJS.Timeout)(
          (...args: unknown[]) => {
            if (isOnce) timers.delete(timer);
            callback(...args);
          },
          ...rest,
        );
        timers.add(timer);
        return timer;
      };
    const cleared = (clear: (timer: never) => void) => (timer: NodeJS.Timeout) => {
      timers.delete(timer);
      clear(timer as never);
    };
    return [
      counted(setTimeout, true),
      counted(setInterval, false),
      counted(setImmediate, true),
      cleared(clearTimeout),
      cleared(clearInterval),
      cleared(clearImmediate),
    ];
  }
}

/** Those that have not ended. */
const runs = new Set<Run>();
/** Of what goes on now, the one that began it. */
const current = new AsyncLocalStorage<Run>();
const scripts = new Map<string, Script>();

function scriptOf(file: string): Script {
  let script = scripts.get(file);
  if (!script) {
    // A line of its own after the text, which may end with a comment.
    const text = `(function (${NAMES.join(', ')}) {${readFileSync(file, 'utf8').replace(/^#!.*/, '')}\n})`;
    scripts.set(file, (script = new Script(text, { filename: file })));
  }
  return script;
}

function setEnvironment(env: Environment): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

// ---------------------------------------------------------------------------------------------------------------------

/** The command line's: one after the other, because a process has one working directory. */
let last: Promise<unknown> = Promise.resolve();

function carriedOut({ args, cwd, env }: Asked): Promise<Omit<Ran, 'id'>> {
  return new Promise((resolve, reject) => {
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    try {
      process.chdir(cwd ?? home);
      setEnvironment(env);
      const run = new Run({
        argv: [path.join(folder, 'cli.js'), ...args],
        env,
        stdout: collecting(out),
        stderr: collecting(err),
        end: (code) => resolve({ code, out: Buffer.concat(out), err: Buffer.concat(err) }),
      });
      const { exports } = run.start('commands.js') as { exports: { run(): void } };
      current.run(run, () => exports.run());
    } catch (error) {
      reject(error);
    }
  });
}

function collecting(into: Buffer[]): Writable {
  return new Writable({
    decodeStrings: true,
    write(chunk: Buffer, _, done) {
      into.push(Buffer.from(chunk));
      done();
    },
  });
}

// ---------------------------------------------------------------------------------------------------------------------

/** Each connection is a server of its own. Its environment comes first, as a line of JSON. */
const listening = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  let head = Buffer.alloc(0);
  socket.on('data', function begin(chunk: Buffer) {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\n');
    if (end < 0) return;
    socket.off('data', begin);
    const { id, env } = JSON.parse(head.toString('utf8', 0, end)) as { id: number; env: Environment };
    serve(socket, head.subarray(end + 1), id, env);
  });
});

function serve(socket: Socket, first: Buffer, id: number, env: Environment): void {
  setEnvironment(env);
  const stdin = new PassThrough();
  const run = new Run({
    argv: [path.join(folder, 'server.js'), '--stdio'],
    env,
    stdin,
    stdout: socket,
    stderr: process.stderr,
    end: (code) => {
      process.send!({ id, code });
      socket.end();
    },
  });
  run.start('server.js');
  current.run(run, () => {
    stdin.write(first);
    socket.on('data', (chunk: Buffer) => current.run(run, () => stdin.write(chunk)));
    socket.on('close', () => current.run(run, () => stdin.end()));
  });
}

/** An uncaught error belongs to the run that started it; errors of ended runs are ignored. */
function uncaught(error: unknown): void {
  const run = current.getStore();
  if (run) run.uncaught(error);
  else for (const each of runs) each.uncaught(error);
}

process.on('uncaughtException', uncaught);
process.on('unhandledRejection', uncaught);
process.on('message', (asked: Asked) => {
  last = last.then(() =>
    carriedOut(asked).then(
      (ran) => process.send!({ id: asked.id, ...ran }),
      (error: Error) => process.send!({ id: asked.id, error: error.message }),
    ),
  );
});
process.on('disconnect', () => process.exit());
listening.listen(0, '127.0.0.1', () => process.send!({ port: (listening.address() as AddressInfo).port }));
