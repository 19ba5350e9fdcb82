/**
 * A running httpd for tests: requests from any address of 127.0.0.0/8, a reload in a fraction of a
 * second, nothing left behind.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { openSync, closeSync, readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pipelined } from './pipeline';
import { Sandbox, type SandboxOptions } from './sandbox';

export interface RequestOptions {
  readonly path: string;
  /** Default: GET. */
  readonly method?: string;
  /** The client's address, of 127.0.0.0/8. Default: 127.0.0.1. */
  readonly from?: string;
  /** With a user the request has Basic credentials. */
  readonly user?: string;
  readonly password?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Response {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export interface Server {
  readonly port: number;
  /** The server root, for what a test writes or reads itself. */
  readonly root: string;
  request(request: RequestOptions): Promise<Response>;
  /** Answers of many requests, in their order. */
  requestAll(requests: readonly RequestOptions[]): Promise<Response[]>;
  /**
   * Puts another configuration in force. Rejects, and the server is gone, if httpd does not accept
   * it.
   */
  reload(config: string): Promise<void>;
  errorLog(): string;
  stop(): Promise<void>;
}

const START_LIMIT = 75_000;
const STOP_LIMIT = 3_000;
const REQUEST_LIMIT = 50_000;
/**
 * httpd writes this at each start and restart, whatever the LogLevel is: notices to a file are
 * never left out.
 */
const STARTED = 'resuming normal operations';

/**
 * One child with more threads than there are requests at a time: a server that is short of threads
 * closes idle connections, and some of them just when the next request goes out.
 */
const TUNING = [
  'ExtendedStatus Off',
  'KeepAlive On',
  'MaxKeepAliveRequests 0',
  'KeepAliveTimeout 30',
  'StartServers 1',
  '<IfModule !mpm_prefork_module>',
  'ThreadLimit 128',
  'ThreadsPerChild 128',
  'MinSpareThreads 1',
  'MaxSpareThreads 384',
  'MaxRequestWorkers 384',
  '</IfModule>',
];

/**
 * Starts httpd on a free port of 127.0.0.1; `@PORT@` in the configuration is that port. Rejects
 * with httpd's words if it does not start.
 */
export async function serve(config: string, options: SandboxOptions = {}): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(config, options);
    } catch (error) {
      // Someone else may have taken the port since it was found free.
      if (attempt === 3 || !/AH00072|Address already in use/.test(String(error))) throw error;
    }
  }
}

async function start(config: string, options: SandboxOptions): Promise<Server> {
  const port = await freePort();
  const sandbox = new Sandbox(options, port, TUNING);
  sandbox.configure(config);
  const stderrFile = sandbox.path('logs/stderr');
  const stderr = openSync(stderrFile, 'w');
  // A group of its own, so that the children can be killed with it.
  const child = spawn(sandbox.httpd.binary, sandbox.arguments('-DFOREGROUND'), {
    detached: true,
    stdio: ['ignore', 'ignore', stderr],
  });
  closeSync(stderr);
  child.unref();
  running.set(child, sandbox);
  let agent = newAgent();
  let logged = 0;

  const stop = async () => {
    agent.destroy();
    await end(child);
  };
  const untilStarted = async () => {
    const deadline = Date.now() + START_LIMIT;
    while (!sandbox.errorLog(logged).includes(STARTED)) {
      if (hasEnded(child) || Date.now() > deadline) {
        const words = readFileSync(stderrFile, 'utf8') + sandbox.errorLog();
        const problem = hasEnded(child) ? 'did not start' : 'took too long to start';
        await stop();
        throw new Error(`httpd ${problem}:\n${words}`);
      }
      await sleep(5);
    }
  };
  const request = (options: RequestOptions) => send(options, port, agent);

  await untilStarted();
  return {
    port,
    root: sandbox.root,
    request,
    requestAll: (requests) => pipelined(requests, port, REQUEST_LIMIT),
    reload: async (next) => {
      sandbox.configure(next);
      agent.destroy();
      agent = newAgent();
      logged = sandbox.errorLogSize();
      child.kill('SIGHUP');
      await untilStarted();
    },
    errorLog: () => sandbox.errorLog(),
    stop,
  };
}

function send(request: RequestOptions, port: number, agent: http.Agent): Promise<Response> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string> = { ...request.headers };
    if (request.user !== undefined) {
      headers.Authorization = `Basic ${Buffer.from(`${request.user}:${request.password ?? ''}`).toString('base64')}`;
    }
    const options = {
      host: '127.0.0.1',
      port,
      agent,
      headers,
      path: request.path,
      method: request.method ?? 'GET',
      localAddress: request.from ?? '127.0.0.1',
      timeout: REQUEST_LIMIT,
    };
    const outgoing = http.request(options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
      incoming.on('error', reject);
    });
    outgoing.on('timeout', () =>
      outgoing.destroy(new Error(`no answer to ${request.method ?? 'GET'} ${request.path}`)),
    );
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close an idle connection at the moment we use it again.
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') send(request, port, agent).then(resolve, reject);
      else reject(error);
    });
    outgoing.end();
  });
}

function newAgent(): http.Agent {
  return new http.Agent({ keepAlive: true, maxSockets: 16 });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as net.AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

// What a test forgot to stop, or could not, ends with the process.
const running = new Map<ChildProcess, Sandbox>();
process.on('exit', () => {
  for (const child of running.keys()) killGroup(child);
});

for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

/** Ends a server and everything it started; resolves when it is gone. */
async function end(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return;
  const deadline = Date.now() + STOP_LIMIT;
  child.kill('SIGTERM');
  while (!hasEnded(child) && Date.now() < deadline) await sleep(5);
  killGroup(child);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function killGroup(child: ChildProcess): void {
  const sandbox = running.get(child);
  running.delete(child);
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It had ended by itself.
  }
  sandbox?.remove();
}
