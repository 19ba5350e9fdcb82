/**
 * Random sets of virtual hosts: after the fix a real httpd 2.4 selects for each request the section
 * that the model of 2.2 selects.
 */
import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import { HostTable, MAIN_SERVER } from '../../server/src/config/virtual-hosts';
import { applyEdits } from '../../server/src/analysis/fixes';
import { selectConfigurationFixes } from '../../server/src/features/configuration-findings';
import { findingsInFiles } from '../support/configurations';
import { Random, seed } from '../support/random';
import { rounds } from '../support/rounds';
import { connection, hostsIn } from '../support/virtual-hosts';
import { requireHttpd, serve } from './harness';

const FILE = '/srv/httpd.conf';
const rule = { rule: 'virtual-host-comes-alive' };
const NAMES = ['a.example', 'b.example', 'c.example', 'localhost', '127.0.0.1'];
const ASKED = [...NAMES, '127.0.0.2', 'x.a.example', 'other.example', 'main.example'];
/** Shows that 2.2 reads the configuration, and decides nothing. */
const OLD = '<Directory "/srv/root/none">\nOrder deny,allow\n</Directory>\n';

describe('virtual hosts on a real server', function () {
  before(function () {
    requireHttpd(this);
  });

  it('answer as in 2.2 after the fix', async function () {
    this.timeout(600_000);
    const start = seed();
    const numbers = new Random(start);
    const next = () => numbers.next();
    const pick = <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)]!;
    const second = await freePort();
    const server = await serve('Listen 127.0.0.1:@PORT@\n', {
      modules: ['authz_core', 'access_compat', 'dir'],
      without: ['ServerName', 'Listen'],
      replace: [['/srv/root', '@ROOT@']],
      files: filesOfHosts(),
    });
    try {
      for (let round = 0; round < rounds(25); round++) {
        const [p, q] = [server.port, second];
        const words = [
          '*',
          '*:*',
          `*:${p}`,
          `*:${q}`,
          '_default_',
          `_default_:${q}`,
          `_default_:*`,
          '127.0.0.1',
          `127.0.0.1:${p}`,
          `127.0.0.1:${q}`,
          `127.0.0.2:${p}`,
          `localhost:${p}`,
          `*:${p} *:${q}`,
        ];
        const some = (most: number) => Array.from({ length: Math.floor(next() * (most + 1)) });
        const named = some(2).map(() => `NameVirtualHost ${pick(words.filter((word) => !word.includes(' ')))}\n`);
        const sections = some(4).map((_, index) => {
          const name = next() < 0.85 ? `ServerName ${pick(NAMES)}\n` : '';
          const alias = next() < 0.4 ? `ServerAlias ${pick([...NAMES, '*.a.example'])}\n` : '';
          return `<VirtualHost ${pick(words)}>\n${name}${alias}DocumentRoot "/srv/root/h${index}"\n</VirtualHost>\n`;
        });
        const main = `ServerName main.example\nListen 127.0.0.1:${p}\nListen 127.0.0.2:${p}\nListen ${q}\nDocumentRoot "/srv/root/main"\n${OLD}`;
        const text = main + named.join('') + sections.join('');
        const hosts = hostsIn(text);
        const [old, now] = (['2.2', '2.4'] as const).map((version) => HostTable.buildTable(hosts, version)) as [
          HostTable,
          HostTable,
        ];
        const places = [`127.0.0.1:${p}`, `127.0.0.2:${p}`, `127.0.0.1:${q}`, `127.0.0.3:${q}`];
        const asked = places.flatMap((to) => ASKED.map((name) => ({ connection: connection(to), name, path: '/who' })));
        const differs = asked.some((request) => old.answeringSection(request) !== now.answeringSection(request));
        const findings = findingsInFiles({ [FILE]: text }, rule);
        const found = findings.size > 0;
        const what = `seed ${start}, round ${round}:\n${text}`;
        if (differs) assert.ok(found, `nothing is reported, ${what}`);
        const { editsByFile } = selectConfigurationFixes(findings, { unsafe: true, rules: [rule.rule] });
        const after = applyEdits(text, editsByFile.get(FILE) ?? []);
        if (found) assert.notEqual(after, text, `no fix, ${what}`);
        await server.reload(found ? after : text);
        const answers = await Promise.all(
          asked.map(
            async (request) =>
              [request, await who(request.connection.address, request.connection.port, request.name)] as const,
          ),
        );
        for (const [request, answer] of answers) {
          const wanted = old.answeringSection(request);
          assert.equal(
            answer,
            wanted === MAIN_SERVER ? 'main' : `h${wanted}`,
            `${JSON.stringify(request)}, ${what}after the fix:\n${after}`,
          );
        }
      }
    } finally {
      await server.stop();
    }
  });
});

function filesOfHosts(): Record<string, string> {
  return Object.fromEntries(['main', 'h0', 'h1', 'h2', 'h3'].map((name) => [`${name}/who`, name]));
}

function who(host: string, port: number, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.get({ host, port, path: '/who', headers: { host: name }, agent: false }, (response) => {
      let body = '';
      response.on('data', (data) => (body += data));
      response.on('end', () => resolve(body));
    });
    request.on('error', reject);
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer().on('error', reject);
    server.listen(0, () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
