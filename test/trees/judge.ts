/**
 * Whether a change of a tree keeps the promise. Asks three servers the same questions:
 *
 *   was   2.2 on the tree before the change
 *   old   2.4 with mod_access_compat on the tree before: a user who upgrades without a conversion
 *         (except for lines that keep it from starting)
 *   now   2.4 with mod_access_compat on the tree after the change
 *
 * The promise, for each request: `now` answers as `was`. If the change has not touched the lines
 * that decide, `now` may answer as `old`. Otherwise the change let a client in, kept one out, lost
 * or added a login, or broke the start of the server.
 *
 *   - now = was                        right
 *   - now = old, and not was           2.4 answers otherwise even without the change. While old
 *                                      lines that show it are left, it is counted (`unmended`). If
 *                                      the tree's own files have no old access line left, it is a
 *                                      leak, because the program reports that all is done. It is
 *                                      no leak if 2.2 answered 500 for lines of 2.4.
 *   - anything else                    broken
 *
 * If 2.2 refuses the tree (because of lines of 2.4), there is no `was`. The server is a 2.4
 * already, and `old` has to stay. If neither version reads the tree, there is nothing to keep. A
 * server on another machine is asked with the files that are there, and with none of this machine.
 */
import path from 'node:path';
import { ROOT, type Disk, type ServerSpec, type Tree } from './disk';
import { Server, type Answer, type Client } from './server';

export interface Question {
  readonly host: string;
  readonly url: string;
  readonly method: string;
  readonly client: Client;
}

export interface Disagreement extends Question {
  readonly server: string;
  readonly was: Answer;
  readonly old: Answer;
  readonly now: Answer;
  readonly why: string;
}

export interface Verdict {
  readonly asked: number;
  readonly unmended: number;
  readonly disagreements: readonly Disagreement[];
}

const GROUPS: Readonly<Record<string, readonly string[]>> = { bob: ['staff'], carol: ['others'] };
const client = (
  address: string,
  user: string | null = null,
  variables: readonly string[] = [],
  isRefused = false,
): Client => ({
  address,
  name: null,
  user,
  variables: new Set(variables),
  groups: (user && GROUPS[user]) || [],
  isRefused,
});

export const METHODS = ['GET', 'POST', 'DELETE'];
export const CLIENTS: readonly Client[] = [
  ...['127.0.0.1', '127.0.1.9', '127.0.2.5', '10.1.2.3', '192.168.0.7'].flatMap((address) =>
    [null, 'ann', 'bob', 'carol', 'CORP\\bob'].map((user) => client(address, user)),
  ),
  ...[['ok'], ['bad'], ['ok', 'bad']].flatMap((variables) =>
    [null, 'bob'].flatMap((user) => ['127.0.0.1', '192.168.0.7'].map((address) => client(address, user, variables))),
  ),
  ...[null, 'ann'].flatMap((user) => ['127.0.0.1', '192.168.0.7'].map((address) => client(address, user, [], true))),
];

export interface Asked {
  readonly tree: Tree;
  /** What is asked for, at every virtual host. */
  readonly urls: readonly string[];
  readonly before: Disk;
  readonly after: Disk;
  readonly clients?: readonly Client[];
  /** With 2.4, `old` is what has to stay. */
  readonly source?: '2.2' | '2.4';
}

/** The three servers on every main file of a tree. */
export function judge({ tree, urls, before, after, clients = CLIENTS, source = '2.2' }: Asked): Verdict {
  let asked = 0;
  let unmended = 0;
  const disagreements: Disagreement[] = [];
  for (const spec of tree.servers) {
    const [was22, old, now, strict] = serversOf(spec, before, after);
    const was = source === '2.4' ? old : was22;
    if (was.refusal !== null && old.refusal !== null) continue;
    const seen = new Map<string, number>();
    // What was written for 2.4 in part may say in 2.4 what it says, and what was written for 2.2
    // alone nothing.
    const isDone =
      !hasOldLines(after.seenBy(spec)) &&
      !hasMixedModules(after.seenBy(spec)) &&
      !hasNewLines(before.seenBy(spec)) &&
      !hasLinesFor22(before.seenBy(spec));
    for (const host of was.hostNames.length > 0 ? was.hostNames : old.hostNames.length > 0 ? old.hostNames : ['']) {
      for (const url of urls) {
        const decisive = [was, old, now, strict].map((server) => server.decisive(host, url)).join(' ');
        const known = seen.get(decisive);
        asked += METHODS.length * clients.length;
        if (known !== undefined) {
          unmended += known;
          continue;
        }
        const before = unmended;
        for (const method of METHODS) {
          for (const each of clients) {
            const given = now.answer(host, url, method, each);
            const wanted = was.answer(host, url, method, each);
            if (given === wanted && wanted !== 'refused') continue;
            const unfixed = old.answer(host, url, method, each);
            if (given === unfixed || given === strict.answer(host, url, method, each)) {
              if (was.refusal !== null || unfixed === 'refused') continue;
              unmended++;
              if (!isDone || given !== 200 || wanted === 500) continue;
            }
            disagreements.push({
              server: spec.main,
              host,
              url,
              method,
              client: each,
              was: wanted,
              old: unfixed,
              now: given,
              why:
                now.refusal ??
                (given === unfixed ? 'nothing old is left, and 2.4 lets in whom 2.2 kept out' : 'the change did it'),
            });
            if (disagreements.length >= 200) return { asked, unmended, disagreements };
          }
        }
        seen.set(decisive, unmended - before);
      }
    }
  }
  return { asked, unmended, disagreements };
}

export function serversOf(
  given: ServerSpec,
  before: Disk,
  after: Disk,
): readonly [was: Server, old: Server, now: Server, strict: Server] {
  const spec = {
    ...given,
    variables: Object.fromEntries(
      Object.entries(given.variables ?? {}).map(([name, value]) => [name, value.replaceAll(ROOT, before.root)]),
    ),
  };
  const main = path.join(
    before.root,
    spec.elsewhere ? spec.elsewhere.to + spec.main.slice(spec.elsewhere.from.length) : spec.main,
  );
  const key = JSON.stringify(given);
  const known = asItWas.get(before) ?? new Map<string, readonly [Server, Server, Server]>();
  asItWas.set(before, known);
  let servers = known.get(key);
  if (!servers) {
    const disk = before.seenBy(spec);
    known.set(
      key,
      (servers = [
        new Server(disk, spec, '2.2', main),
        new Server(disk, spec, '2.4', main, true),
        new Server(disk, spec, '2.4', main),
      ]),
    );
  }
  const [was, old, strict] = servers;
  return [was, old, new Server(after.seenBy(spec), spec, '2.4', main, strict.refusal !== null), strict];
}

/** The servers on a tree as it was, which several changes are measured by. */
const asItWas = new WeakMap<Disk, Map<string, readonly [Server, Server, Server]>>();

/**
 * The first request that 2.2 refuses or asks for a login, and that 2.4 with mod_access_compat
 * allows with the same files; null for none.
 */
export function openedBy24({ servers }: Tree, urls: readonly string[], disk: Disk): Disagreement | null {
  for (const spec of servers) {
    const [was22, old] = serversOf(spec, disk, disk);
    if (was22.refusal !== null || old.refusal !== null) continue;
    for (const host of was22.hostNames.length > 0 ? was22.hostNames : [''])
      for (const url of urls)
        for (const method of METHODS)
          for (const each of CLIENTS) {
            const was = was22.answer(host, url, method, each);
            if (was !== 401 && was !== 403) continue;
            const now = old.answer(host, url, method, each);
            if (now !== 200) continue;
            return { server: spec.main, host, url, method, client: each, was, old: now, now, why: '2.4 opens it' };
          }
  }
  return null;
}

/** One row for people. */
export function shown({ server, host, url, method, client, was, old, now, why }: Disagreement): string {
  const who = [
    client.address,
    client.user ?? 'nobody',
    ...client.variables,
    ...(client.isRefused ? ['refused by checkers'] : []),
  ].join(' ');
  return `${server}${host ? ` at ${host}` : ''}: ${method} ${url} from ${who}: 2.2 ${was}, 2.4 unfixed ${old}, now ${now} (${why})`;
}

/**
 * Lines of 2.4 that 2.2 has otherwise or not at all: a quoted name of a provider is one to 2.4
 * only, and so is what stands in a condition that 2.4 alone fulfils.
 */
export function hasNewLines(disk: Disk): boolean {
  return Object.values(disk.files()).some((text) =>
    /^\s*(require\s+((all|ip|host|local|env|method)\b|")|<require(all|any|none)\b|<if(module|version)\b[^>]*[^<]*>[^<]*require\b)/im.test(
      text,
    ),
  );
}

/** A condition that 2.2 alone fulfils. */
function hasLinesFor22(disk: Disk): boolean {
  return Object.values(disk.files()).some((text) =>
    /<if(version|module !?(mod_a|mod_mem|mod_unixd|mod_cache|auth|prefork|worker|event|mpm))/i.test(text),
  );
}

/**
 * Require lines of two modules in one section, of which 2.2 went by one: that is said
 * (require-mixed-modules), and not mended without a word from a person.
 */
function hasMixedModules(disk: Disk): boolean {
  return Object.values(disk.files()).some((text) =>
    text
      .split(/^\s*<.*$/m)
      .some((lines) => /^\s*require\s+(valid-)?user\b/im.test(lines) && /^\s*require\s+group\b/im.test(lines)),
  );
}

function hasOldLines(disk: Disk): boolean {
  return Object.values(disk.files()).some((text) => /^\s*["']?(order|allow|deny|satisfy)\b/im.test(text));
}
