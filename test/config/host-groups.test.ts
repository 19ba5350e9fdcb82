/** Groups of virtual hosts, compared with checking each of them. */
import assert from 'node:assert/strict';
import { GroupsInFolders } from '../../server/src/config/host-groups';
import { Random } from '../support/random';

type Host = { readonly name: number };

describe('virtual hosts by what they say', () => {
  for (let seed = 1; seed <= 200; seed++) {
    it(`are told apart as one by one (seed ${seed})`, () => {
      const random = new Random(seed);
      const hosts: Host[] = Array.from({ length: 8 }, (_, name) => ({ name }));
      const folders = ['/', '/a', '/a/b', '/a/b/c'];
      const said = (likely: number) =>
        new Map(
          hosts
            .filter(() => random.next() < likely)
            .map((host) => [host, Array.from({ length: 1 + random.below(2) }, () => random.below(2))] as const),
        );
      const inFolders = new Map(
        folders.filter(() => random.next() < 0.7).map((folder) => [folder, said(random.next())]),
      );
      const groups = new GroupsInFolders<Host, number>((folder) => inFolders.get(folder), String);
      for (let turn = 0; turn < 3; turn++) {
        const asked = folders.slice(0, 1 + random.below(folders.length));
        const inLiteral = (host: Host) => asked.flatMap((folder) => inFolders.get(folder)?.get(host) ?? []);
        const elsewhere = new Map(
          hosts
            .filter(() => random.next() < 0.2)
            .map((host) => [host, [...inLiteral(host), 9, random.below(2)]] as const),
        );
        const found = groups.groupsAlongFolders(asked).withHosts(elsewhere, turn === 0 ? undefined : String);
        const expected = hosts
          .map((host) => ({ host, items: elsewhere.get(host) ?? inLiteral(host) }))
          .filter(({ items }) => items.length > 0);
        const shown = (all: readonly { host: Host; items: readonly number[] }[]) =>
          all.map(({ host, items }) => `${host.name}: ${items.join(' ')}`).sort();
        assert.deepEqual(
          shown(
            found.allGroups.flatMap((group) => found.hostsOf(group).map((host) => ({ host, items: group.allItems }))),
          ),
          shown(expected),
        );
        assert.ok(found.allGroups.every((group) => found.hostsOf(group).length === group.hostCount));
      }
    });
  }
});
