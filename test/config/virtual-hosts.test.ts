/**
 * Which virtual host answers, in both versions: the model compared with answers of real servers.
 */
import assert from 'node:assert/strict';
import { HostTable, type Version } from '../../server/src/config/virtual-hosts';
import { answering, connection, hostsIn, recordedHosts } from '../support/virtual-hosts';
import { itOver } from '../support/lacks';

/** What a section is called in the recorded answers. */
const nameOf = (number: number) => (number === 400 ? '400' : number < 0 ? 'main' : `h${number + 1}`);

describe('which virtual host answers', () => {
  itOver('virtual hosts', 'as the real servers answered', () => {
    const wrong: string[] = [];
    let asked = 0;
    for (const { name, config, requests } of recordedHosts()) {
      const hosts = hostsIn(config);
      for (const version of ['2.2', '2.4'] as Version[]) {
        const table = HostTable.buildTable(hosts, version);
        for (const request of requests) {
          const recorded = version === '2.2' ? request.v22 : request.v24;
          if (recorded === undefined) continue;
          asked++;
          const answer = nameOf(answering(table, request));
          if (answer !== recorded) wrong.push(`${name} ${version} ${JSON.stringify(request)}: not ${answer}`);
        }
      }
    }
    assert.deepEqual(wrong.slice(0, 10), [], `${wrong.length} of ${asked}`);
    assert.ok(asked > 50_000);
  });

  /**
   * Lines before the sections, addresses of the sections, the port and the name that is asked for,
   * and who answers in 2.2 and in 2.4: 0 is the main server.
   */
  const SHAPES: readonly (readonly [string, readonly string[], number, string, number, number])[] = [
    ['', ['*:80', '*:80'], 80, 'h2', 1, 2],
    ['NameVirtualHost *:80', ['*:80', '*:80'], 80, 'h2', 2, 2],
    ['', ['*', '*:80'], 80, 'x', 1, 2],
    ['NameVirtualHost *', ['*:80', '*:81'], 81, 'x', 1, 2],
    ['NameVirtualHost *', ['*:80'], 81, 'x', 1, 0],
    ['NameVirtualHost *', ['*', '*:80'], 80, 'h1', 1, 2],
    ['NameVirtualHost 127.0.0.1:80', ['127.0.0.1'], 81, 'x', 0, 1],
    ['', ['127.0.0.1:80', '127.0.0.1'], 81, 'x', 0, 2],
    ['NameVirtualHost 127.0.0.1:80', ['127.0.0.1:80', '127.0.0.1:80 127.0.0.9:80'], 80, '127.0.0.1', 1, 1],
    ['', ['255.255.255.255:80'], 80, 'x', 1, 0],
    ['NameVirtualHost _default_:80', ['_default_:80', '_default_:80'], 80, 'h2', 1, 2],
    ['NameVirtualHost *:*', ['*:*', '*:*'], 80, 'h2', 2, 2],
  ];

  for (const [named, addresses, port, name, in22, in24] of SHAPES) {
    it(`${named} ${addresses.map((each) => `<VirtualHost ${each}>`).join(' ')}: ${name} at ${port}`, () => {
      const sections = addresses.map((each, i) => `<VirtualHost ${each}>\nServerName h${i + 1}\n</VirtualHost>\n`);
      const hosts = hostsIn(`${named}\n${sections.join('')}`);
      const request = { connection: connection(`127.0.0.1:${port}`), name, path: '/' };
      assert.equal(HostTable.buildTable(hosts, '2.2').answeringSection(request) + 1, in22, '2.2');
      assert.equal(HostTable.buildTable(hosts, '2.4').answeringSection(request) + 1, in24, '2.4');
    });
  }
});
