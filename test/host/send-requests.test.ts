/** How fast requests are sent to a server, by a clock of the test. */
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Sender } from '../../server/src/host/send-requests';

describe('requests to a server', () => {
  let server: http.Server;
  let time = 0;
  const arrivals: number[] = [];
  before(async () => {
    server = http.createServer((_, response) => {
      arrivals.push(time);
      // Each answer takes 30 ms.
      time += 30;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('are at most five in a second, one after another', async () => {
    const clock = {
      now: () => time,
      wait: async (milliseconds: number) => {
        time += milliseconds;
      },
    };
    const sender = new Sender(clock);
    const to = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
    for (let i = 0; i < 12; i++) {
      const request = { method: 'GET', path: `/${i}`, hostName: '', headers: new Map(), credentials: null };
      const answer = await sender.send(request, to);
      assert.ok('status' in answer);
    }
    assert.equal(arrivals.length, 12);
    assert.equal(arrivals[0], 0, 'the first at once');
    for (let i = 5; i < arrivals.length; i++) assert.ok(arrivals[i] - arrivals[i - 5] >= 1000, arrivals.join());
  });
});
