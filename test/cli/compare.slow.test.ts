/**
 * `compare` between two servers of this test: what it sends, where, and what it reports. A third
 * server, which redirects and a proxy name, must see nothing. How fast it sends:
 * test/host/send-requests; real servers: test/httpd/compare.
 */
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { withFolder, type Result } from './run';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
}

class Listener {
  readonly seen: Seen[] = [];
  private readonly server: http.Server;

  constructor(answer: (request: http.IncomingMessage, response: http.ServerResponse) => void) {
    this.server = http.createServer((request, response) => {
      const { method = '', url = '', headers } = request;
      this.seen.push({ method, url, headers });
      answer(request, response);
    });
    this.server.on('connect', (request) => this.seen.push({ method: 'CONNECT', url: '', headers: request.headers }));
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

const CONFIGURATION = `ServerRoot /srv
Listen 80
DocumentRoot /srv/htdocs
<Directory />
  AllowOverride None
</Directory>
<VirtualHost *:80>
  ServerName shop.example.org
  DocumentRoot /srv/htdocs
  <Directory /srv/htdocs>
    Order allow,deny
    Allow from all
  </Directory>
  <Location /inner>
    Order deny,allow
    Deny from all
    Allow from 10.0.0.0/8
  </Location>
  <Location /login>
    AuthType Basic
    AuthName x
    AuthUserFile /srv/passwd
    Require user ann
  </Location>
  <Location /upload>
    <Limit POST>
      Order deny,allow
      Deny from all
    </Limit>
  </Location>
</VirtualHost>
`;

describe(
  'compare',
  withFolder((folder) => {
    let servers: Listener[] = [];
    const listener = async (answer: ConstructorParameters<typeof Listener>[0]): Promise<Listener> => {
      const made = new Listener(answer);
      servers.push(made);
      await made.listen();
      return made;
    };
    afterEach(() => {
      for (const server of servers) server.close();
      servers = [];
    });

    /** What a 2.2 with the configuration answers to this machine. */
    const right = ({ url = '', headers }: http.IncomingMessage, response: http.ServerResponse): void => {
      if (url.startsWith('/inner')) response.statusCode = 403;
      else if (url.startsWith('/login'))
        response.statusCode =
          headers.authorization === `Basic ${Buffer.from('ann:se:cret').toString('base64')}` ? 200 : 401;
      response.end('x'.repeat(100_000));
    };

    interface Report {
      readonly summary: Record<string, number>;
      readonly requests: readonly {
        readonly request: string;
        readonly host: string;
        readonly old: { readonly status: number; readonly location: string | null; readonly expected: string };
        readonly new: { readonly status: number };
        readonly differs: boolean | null;
      }[];
      readonly notSent: readonly { readonly request: string; readonly from: string | null; readonly why: string }[];
    }
    const report = (): Report => JSON.parse(folder().text('report.json')) as Report;

    const compare = (
      old: string,
      now: string,
      args: readonly string[] = [],
      env: Record<string, string> = {},
    ): Promise<Result> => {
      folder().write('httpd.conf', CONFIGURATION);
      return folder().run(['compare', '--old', old, '--new', now, '--output', 'report.json', ...args, 'httpd.conf'], {
        env,
        isApart: true,
      });
    };

    it('sends the same requests to both, with the name of the host', async function () {
      this.timeout(60_000);
      const [old, now] = [await listener(right), await listener(right)];
      folder().write('logins', '# a comment\nann:se:cret\n');
      const { code, out, err } = await compare(old.address, now.address, ['--credentials', 'logins']);
      assert.deepEqual([code, err], [0, ''], out);
      assert.match(out, /^The servers answer \d+ requests alike\.\n/);
      const shape = ({ seen }: Listener) =>
        seen.map(({ method, url, headers }) => [method, url, headers.authorization]);
      assert.deepEqual(shape(old), shape(now));
      assert.ok(old.seen.length >= 5, out);
      for (const { method, headers } of [...old.seen, ...now.seen]) {
        assert.ok(['GET', 'HEAD', 'OPTIONS'].includes(method), method);
        assert.equal(headers.host, 'shop.example.org');
      }
      assert.deepEqual(
        report().notSent.map(({ request, why }) => [request.split(' ')[0], why.replace(/127.*|10\..*?,/, '…')]),
        [
          ['POST', 'POST may change something on the server'],
          ['GET', 'it must come from … and this machine is 127.0.0.1'],
        ],
        JSON.stringify(report().notSent),
      );
      assert.doesNotMatch(out + err + folder().text('report.json'), /se:cret/);
    });

    it('finds other answers, and exits with 1', async function () {
      this.timeout(60_000);
      const old = await listener(right);
      const now = await listener((request, response) => {
        if (!request.url!.startsWith('/inner')) return right(request, response);
        response.end();
      });
      const { code, out } = await compare(old.address, now.address);
      assert.equal(code, 1, out);
      const different = report().requests.filter(({ differs }) => differs);
      assert.deepEqual(
        different.map(({ old: before, new: after }) => [before.status, before.expected, after.status]),
        [[403, 'denied', 200]],
      );
      assert.match(out, /\/inner\S*\n {4}old: 403, by the configuration 403\n {4}new: 200, by the configuration 403/);
    });

    it('follows no redirect, uses no proxy, and compares Location without the own address', async function () {
      this.timeout(60_000);
      const third = await listener((_, response) => response.end());
      const redirecting = (name: () => string) =>
        listener((request, response) => {
          response.writeHead(302, { Location: request.url!.startsWith('/inner') ? third.address : `${name()}/x` });
          response.end();
        });
      const old: Listener = await redirecting(() => old.address);
      const now: Listener = await redirecting(() => `http://127.0.0.1:${now.port}`);
      const proxy = {
        HTTP_PROXY: third.address,
        http_proxy: third.address,
        ALL_PROXY: third.address,
        NODE_USE_ENV_PROXY: '1',
      };
      const { code, out } = await compare(old.address, now.address, [], proxy);
      assert.equal(code, 0, out);
      assert.deepEqual(third.seen, []);
      assert.equal(report().requests[0].old.location, `${old.address}/x`);
    });

    it('finds another Location', async function () {
      this.timeout(60_000);
      const to = (where: string) =>
        listener((_, response) => {
          response.writeHead(301, { Location: where });
          response.end();
        });
      const [old, now] = [await to('http://shop.example.org/a'), await to('https://shop.example.org/a')];
      const { code } = await compare(old.address, now.address);
      assert.equal(code, 1);
    });

    it('takes logins from the environment, and lists what it lacks one for', async function () {
      this.timeout(60_000);
      const [old, now] = [await listener(right), await listener(right)];
      await compare(old.address, now.address);
      assert.ok(report().notSent.some(({ why }) => why === 'it needs the password of ann: use --credentials FILE'));
      assert.ok(old.seen.every(({ headers }) => headers.authorization === undefined));
      await compare(old.address, now.address, [], { HTTPD_UPGRADE_CREDENTIALS: 'ann:se:cret' });
      assert.ok(old.seen.some(({ headers }) => headers.authorization !== undefined));
    });

    it('reads a device that never ends only in part, and shows nothing of it', async () => {
      const { code, err } = await compare('http://127.0.0.1:1', 'http://127.0.0.1:1', ['--credentials', '/dev/zero']);
      assert.deepEqual([code, err], [2, 'httpd-upgrade: /dev/zero:1: must be USER:PASSWORD\n']);
    });

    it('stops where a server does not answer', async () => {
      const old = await listener(right);
      const gone = await listener(right);
      const { address } = gone;
      gone.close();
      const { code, out, err } = await compare(old.address, address);
      assert.equal(code, 2);
      assert.match(out, /^No request got an answer from both servers\./);
      assert.match(err, /no answer: ECONNREFUSED/);
      assert.equal(old.seen.length, 1);
    });

    it('stops after three requests in a row without an answer, and lists the others', async function () {
      this.timeout(60_000);
      const [old, now] = [
        await listener(right),
        await listener(({ url = '' }, response) =>
          now.seen.length === 1 ? right({ url, headers: {} } as never, response) : response.destroy(),
        ),
      ];
      const { code } = await compare(old.address, now.address, [], { HTTPD_UPGRADE_CREDENTIALS: 'ann:se:cret' });
      assert.equal(code, 2);
      assert.equal(now.seen.length, 4);
      assert.ok(
        report().notSent.some(({ why }) => why === 'a server gave no answer before'),
        JSON.stringify(report()),
      );
    });

    for (const [old, problem] of [
      ['https://10.0.0.5', '--old must begin with http://'],
      ['http://ann:secret@10.0.0.5', '--old must not contain a login: use --credentials FILE'],
      ['http://10.0.0.5/path', '--old must be an address without a path'],
      ['10.0.0.5', '--old must be an address such as http://10.0.0.5:8080'],
    ])
      it(`refuses ${old}`, async () => {
        const { code, err } = await compare(old, 'http://127.0.0.1:1');
        assert.equal(code, 2);
        assert.ok(err.includes(problem), err);
      });

    it('needs both addresses', async () => {
      folder().write('httpd.conf', CONFIGURATION);
      const { code, err } = await folder().run(['compare', '--old', 'http://127.0.0.1:1', 'httpd.conf']);
      assert.equal(code, 2);
      assert.match(err, /--new/);
    });
  }),
);
