/**
 * Sends requests to a server that the user names, for `compare`. It connects to this address only:
 * it follows no redirect and uses no proxy. Nothing else in the program sends anything
 * (.github/SECURITY.md).
 */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerAddress } from './server-address';

/** Methods that change nothing on a server. */
export const SENT_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A request to send. */
export interface OutgoingRequest {
  readonly method: string;
  /** The path with its escapes and the query. */
  readonly path: string;
  /** The host name for the Host header. */
  readonly hostName: string;
  readonly headers: ReadonlyMap<string, string>;
  /** `user:password`; null for a request without a login. */
  readonly credentials: string | null;
}

/** The answer of a server to a request. */
export interface ServerAnswer {
  readonly status: number;
  readonly location: string | null;
  /**
   * The address from which this machine sent the request. The server sees it, unless a proxy or
   * router between them changes it.
   */
  readonly from: string;
}

/** The reason why a request got no answer, as a clause. */
export interface NoAnswer {
  readonly error: string;
}

/**
 * Returns why a request is not sent, as a clause; null if it can be sent. The configuration may
 * come from another person, so it must not set headers that change the meaning of the request.
 */
export function whyNotSendable({
  method,
  path,
  hostName,
  headers,
}: Omit<OutgoingRequest, 'credentials'>): string | null {
  if (!SENT_METHODS.has(method)) return `${method} may change something on the server`;
  if (!/^\/[!-~]*$/.test(path)) return 'its path has characters that no request can have';
  if (!/^[\w.-]*$|^\[[\da-f:.]+\]$/i.test(hostName)) return 'its host is no name';
  for (const [name, value] of headers) {
    if (!/^[\w-]+$/.test(name) || FORBIDDEN_HEADERS.test(name)) return `its header ${name} is not sent`;
    if (!/^[ -~]*$/.test(value)) return `the value of its header ${name} has characters that no header can have`;
  }
  return null;
}

/** Milliseconds to wait for an answer. */
const ANSWER_TIMEOUT_MS = 10_000;
/**
 * Milliseconds between an answer and the next request, so that at most five requests are sent in a
 * second.
 */
const PAUSE_BETWEEN_REQUESTS_MS = 200;

/** Time in milliseconds. Tests replace it. */
export interface Clock {
  now(): number;
  wait(milliseconds: number): Promise<unknown>;
}

/** Sends one request after another, at most five in a second. */
export class Sender {
  private lastAnswerTime = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: Clock = { now: () => performance.now(), wait: (time) => sleep(time) }) {}

  /** Sends a request. Throws if `whyNotSendable` returns a reason. */
  async send(request: OutgoingRequest, to: ServerAddress): Promise<ServerAnswer | NoAnswer> {
    const problem = whyNotSendable(request);
    if (problem !== null) throw new Error(problem);
    const waitTime = this.lastAnswerTime + PAUSE_BETWEEN_REQUESTS_MS - this.clock.now();
    // A timer may end a millisecond too early.
    if (waitTime > 0) await this.clock.wait(Math.ceil(waitTime) + 1);
    const answer = await sendRequest(request, to, ANSWER_TIMEOUT_MS);
    // The pause begins with the answer, so that two requests never overlap on a slow connection.
    this.lastAnswerTime = this.clock.now();
    return answer;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Headers that change the connection or the meaning of a request, or that this program sets itself.
 */
const FORBIDDEN_HEADERS =
  /^(host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|authorization|proxy-.*|keep-alive|http2-settings|x-http-method.*|x-method-override)$/i;

/** Sends one request and returns the answer without its body. */
function sendRequest(
  { method, path, hostName, headers, credentials }: OutgoingRequest,
  { host, port }: ServerAddress,
  timeout: number,
): Promise<ServerAnswer | NoAnswer> {
  return new Promise((resolve) => {
    const outgoing = http.request({
      host,
      port,
      method,
      path,
      // A new connection for each request. The agent uses no proxy: without options, it ignores
      // HTTP_PROXY.
      agent: new http.Agent({ keepAlive: false }),
      signal: AbortSignal.timeout(timeout),
      setHost: false,
      headers: {
        'User-Agent': 'httpd-upgrade',
        Accept: '*/*',
        ...Object.fromEntries(headers),
        Host: hostName === '' ? host : hostName,
        ...(credentials !== null && { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
      },
    });
    const fail = (error: Error & { readonly code?: string }) =>
      resolve({
        error: /abort|timeout/i.test(`${error.name} ${error.code}`)
          ? `no answer in ${timeout / 1000} seconds`
          : `no answer: ${error.code ?? error.message}`,
      });
    outgoing.on('error', fail);
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy();
      fail(new Error('the server wants another protocol'));
    });
    outgoing.on('response', (incoming) => {
      const { statusCode = 0, headers: receivedHeaders, socket } = incoming;
      const localAddress = (socket.localAddress ?? '').replace(/^::ffff:/, '');
      resolve({ status: statusCode, location: receivedHeaders.location ?? null, from: localAddress });
      // The body is not needed.
      outgoing.destroy();
    });
    outgoing.end();
  });
}
