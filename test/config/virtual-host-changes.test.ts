/**
 * Requests that another virtual host answers in 2.4, and the change of the sections that keeps the
 * behaviour of 2.2.
 */
import assert from 'node:assert/strict';
import {
  connectionsTo,
  hostDifferences,
  neededSections,
  type NeededSection,
} from '../../server/src/config/virtual-host-changes';
import { HostTable, literalAddress, type VirtualHosts } from '../../server/src/config/virtual-hosts';
import { answering, hostsIn, recordedHosts } from '../support/virtual-hosts';
import { itOver } from '../support/lacks';

const listening = (listen: readonly string[]) =>
  listen.map((text) => {
    const [, host, port] = /^(?:(.*):)?(\d+)$/.exec(text)!;
    return { address: host === undefined || host === '0.0.0.0' ? null : literalAddress(host)!, port: Number(port) };
  });

/** The sections after a change, and what each is made of. */
function changed(hosts: VirtualHosts, kept: readonly NeededSection[]) {
  const rows = hosts.sections.flatMap((host, origin) => {
    const own = kept.filter(({ section }) => section === origin);
    const copy = own.find(({ isCopy }) => isCopy);
    const plain = own.find(({ isCopy }) => !isCopy);
    return [
      ...(copy
        ? [
            {
              origin,
              host: { ...host, addresses: copy.addresses, serverName: 'x.invalid', aliasNames: [], serverPath: null },
            },
          ]
        : []),
      ...(plain?.addresses.length === 0
        ? []
        : [
            {
              origin,
              host: plain
                ? { ...host, addresses: plain.addresses, aliasNames: [...host.aliasNames, ...plain.addedAliases] }
                : host,
            },
          ]),
    ];
  });
  return {
    hosts: { ...hosts, namedAddresses: [], sections: rows.map(({ host }) => host) },
    origins: rows.map(({ origin }) => origin),
  };
}

describe('virtual hosts that answer otherwise in 2.4', () => {
  itOver('virtual hosts', 'are those of the recorded answers, and the change keeps what 2.2 answered', () => {
    const wrong: string[] = [];
    let differing = 0;
    for (const { name, config, listen, requests, refused22, refused24 } of recordedHosts()) {
      if (refused22 || refused24) continue;
      const hosts = hostsIn(config);
      const connections = connectionsTo(listening(listen), hosts);
      const asked = requests.filter(
        ({ v22, v24 }) => v22 !== undefined && v24 !== undefined && v22 !== '400' && v24 !== '400',
      );
      const isOther = asked.some(({ v22, v24 }) => v22 !== v24);
      const found = hostDifferences(hosts, connections);
      if (found.length > 0 !== isOther) wrong.push(`${name}: ${found.length} differences found, recorded ${isOther}`);
      if (found.length === 0) continue;
      differing++;
      const kept = neededSections(hosts, connections);
      if (kept === null) {
        wrong.push(`${name}: no change known`);
        continue;
      }
      const { hosts: after, origins } = changed(hosts, kept);
      const table = HostTable.buildTable(after, '2.4');
      for (const request of asked) {
        const answer = answering(table, request);
        const said = answer < 0 ? 'main' : `h${origins[answer]! + 1}`;
        if (said !== request.v22)
          wrong.push(`${name} ${JSON.stringify(request)}: ${said} after the change ${JSON.stringify(kept)}`);
      }
    }
    assert.deepEqual(wrong.slice(0, 12), [], `${wrong.length} wrong`);
    assert.ok(differing > 100);
  });

  it('copies a section that 2.2 uses at one port only, although its own words name another port', () => {
    const hosts = hostsIn(`ServerName main.example
Listen 127.0.0.1:8001
Listen 8002
NameVirtualHost *
<VirtualHost 127.0.0.1:8001>
ServerName c.example
</VirtualHost>
<VirtualHost *:8001>
ServerName localhost
ServerAlias c.example
</VirtualHost>
<VirtualHost *:*>
ServerName localhost
</VirtualHost>
`);
    const connections = connectionsTo(listening(['127.0.0.1:8001', '8002']), hosts);
    assert.deepEqual(neededSections(hosts, connections), [
      { section: 1, addresses: ['*:8002'], addedAliases: [], isCopy: true },
      { section: 2, addresses: ['*:8002'], addedAliases: [], isCopy: false },
    ]);
  });
});
