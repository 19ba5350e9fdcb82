/**
 * Many requests with little work: each connection sends a batch of requests in one write, and reads
 * the answers as they arrive. Node's own client takes longer for a request than httpd.
 */
import type { IncomingHttpHeaders } from 'node:http';
import net from 'node:net';
import type { RequestOptions, Response } from './server';

interface Asked {
  readonly index: number;
  readonly method: string;
  readonly text: string;
}

const BATCH = 64;
/** Connections of one address. */
const CONNECTIONS = 2;
/** How often in a row a connection may end without an answer. */
const ATTEMPTS = 3;
const WITHOUT_LENGTH = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/** Answers in the order of the requests; a request without an answer in time rejects. */
export async function pipelined(requests: readonly RequestOptions[], port: number, limit: number): Promise<Response[]> {
  const answers = new Array<Response>(requests.length);
  const byAddress = new Map<string, Asked[]>();
  requests.forEach((request, index) => {
    const from = request.from ?? '127.0.0.1';
    if (!byAddress.has(from)) byAddress.set(from, []);
    byAddress.get(from)!.push({ index, method: request.method ?? 'GET', text: textOf(request, port) });
  });
  const batches = [...byAddress].flatMap(([from, asked]) => {
    const share = Math.max(BATCH, Math.ceil(asked.length / CONNECTIONS));
    return Array.from({ length: Math.ceil(asked.length / share) }, (_, i) => ({
      from,
      asked: asked.slice(i * share, (i + 1) * share),
    }));
  });
  const worker = async () => {
    for (let batch = batches.shift(); batch; batch = batches.shift())
      await askAll(batch.from, batch.asked, port, limit, answers);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return answers;
}

async function askAll(
  from: string,
  asked: readonly Asked[],
  port: number,
  limit: number,
  answers: Response[],
): Promise<void> {
  let next = 0;
  for (let failures = 0; next < asked.length; ) {
    const answered = await askSome(from, asked, next, port, limit, answers);
    failures = answered > 0 ? 0 : failures + 1;
    if (failures === ATTEMPTS) throw new Error(`no answer to ${asked[next].text.split('\r\n')[0]}`);
    next += answered;
  }
}

/**
 * The number of answers before the server closed the connection, which it may do after any answer.
 */
function askSome(
  from: string,
  asked: readonly Asked[],
  first: number,
  port: number,
  limit: number,
  answers: Response[],
): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: '127.0.0.1', port, localAddress: from, noDelay: true });
    const reader = new Reader();
    let sent = first;
    let read = first;
    const send = () => {
      if (sent >= asked.length) return;
      const batch = asked.slice(sent, sent + BATCH);
      sent += batch.length;
      socket.write(batch.map(({ text }) => text).join(''), 'latin1');
    };
    const end = () => {
      socket.destroy();
      resolve(read - first);
    };
    socket.setEncoding('latin1').setTimeout(limit, () => {
      socket.destroy();
      reject(new Error(`no answer to ${asked[read]?.text.split('\r\n')[0]}`));
    });
    socket.on('connect', send).on('error', end);
    socket.on('data', (data: string) => {
      reader.push(data);
      for (let response = reader.next(asked[read]?.method); response; response = reader.next(asked[read]?.method)) {
        answers[asked[read].index] = response;
        read++;
        if (response.headers.connection === 'close') return end();
        if (read === asked.length) return end();
        if (read === sent) send();
      }
      return undefined;
    });
    socket.on('end', () => {
      const response = reader.last();
      if (response && read < asked.length) answers[asked[read++].index] = response;
      end();
    });
  });
}

function textOf({ path, method = 'GET', user, password, headers = {} }: RequestOptions, port: number): string {
  const given = new Map(Object.entries(headers));
  if (user !== undefined)
    given.set('Authorization', `Basic ${Buffer.from(`${user}:${password ?? ''}`).toString('base64')}`);
  if (![...given.keys()].some((name) => name.toLowerCase() === 'host')) given.set('Host', `127.0.0.1:${port}`);
  if (!WITHOUT_LENGTH.has(method)) given.set('Content-Length', '0');
  return `${method} ${path} HTTP/1.1\r\n${[...given].map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** Cuts what comes into answers. */
class Reader {
  private data = '';
  private at = 0;

  push(data: string): void {
    this.data = this.at === this.data.length ? data : this.data.slice(this.at) + data;
    this.at = 0;
  }

  /** The next whole answer; undefined where there is none yet, or its end is the connection's. */
  next(method: string | undefined): Response | undefined {
    const head = this.head();
    if (!head || method === undefined) return undefined;
    const { status, headers, start } = head;
    if (status >= 100 && status < 200) {
      this.at = start;
      return this.next(method);
    }
    if (method === 'HEAD' || status === 204 || status === 304) return this.taken(head, '', start);
    if (headers['transfer-encoding'] === 'chunked') {
      const chunked = this.chunks(start);
      return chunked && this.taken(head, chunked.body, chunked.end);
    }
    if (headers['content-length'] === undefined) return undefined;
    const end = start + Number(headers['content-length']);
    return end > this.data.length ? undefined : this.taken(head, this.data.slice(start, end), end);
  }

  /** What came before the end of the connection. */
  last(): Response | undefined {
    const head = this.head();
    if (!head || head.headers['content-length'] !== undefined || head.headers['transfer-encoding'] !== undefined)
      return undefined;
    return this.taken(head, this.data.slice(head.start), this.data.length);
  }

  private taken({ status, headers }: Head, body: string, end: number): Response {
    this.at = end;
    return { status, headers, body: Buffer.from(body, 'latin1').toString() };
  }

  private head(): Head | undefined {
    const end = this.data.indexOf('\r\n\r\n', this.at);
    if (end < 0) return undefined;
    const [line, ...rows] = this.data.slice(this.at, end).split('\r\n');
    const headers: IncomingHttpHeaders = {};
    for (const row of rows) {
      const colon = row.indexOf(':');
      const name = row.slice(0, colon).toLowerCase();
      const value = row.slice(colon + 1).trim();
      if (name === 'set-cookie') (headers[name] ??= []).push(value);
      else headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
    }
    return { status: Number(line.split(' ')[1]), headers, start: end + 4 };
  }

  private chunks(start: number): { body: string; end: number } | undefined {
    let body = '';
    for (let at = start; ; ) {
      const line = this.data.indexOf('\r\n', at);
      if (line < 0) return undefined;
      const size = parseInt(this.data.slice(at, line), 16);
      const end = line + 2 + size + 2;
      if (end > this.data.length) return undefined;
      if (size === 0) return { body, end };
      body += this.data.slice(line + 2, line + 2 + size);
      at = end;
    }
  }
}

interface Head {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Of the body. */
  readonly start: number;
}
