/**
 * Generated configurations in force on a real httpd, and its answers compared with the independent
 * model of 2.2 in test/access/server-model.ts.
 */
import assert from 'node:assert/strict';
import { lookupService } from 'node:dns/promises';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Engine } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { requireProviderCase } from '../../server/src/rules/require-provider-case';
import { listed, METHODS, told, untouchedIn24, type Converted } from '../access/converted';
import { FILES, FOLDERS, MAIN, randomClient, ROOT, siteOf, URLS, type Generated } from '../access/generate';
import { Server, type Client } from '../access/server-model';
import type { Random } from '../support/random';
import { serve, type RequestOptions, type Server as Httpd } from './harness';

const QUESTIONS = 40;
/** The client's address is taken from this header, so that there are clients of every address. */
const CLIENTS = 'RemoteIPHeader X-Client\nRemoteIPInternalProxy 127.0.0.1\n';
const VARIABLES = 'SetEnvIf X-Ok . ok\nSetEnvIf X-Bad . bad\n';
/** A folder is answered for itself, and not for the file in it. */
const FOLDER = 'DirectoryIndex disabled\n';
/**
 * 2.4 takes two slashes for one before any pattern sees them (MergeSlashes), 2.2 did not: that is
 * no matter of access control.
 */
const ASKED = URLS.filter((url) => !url.includes('//'));
const MODULES = [
  'authn_core',
  'authn_file',
  'auth_basic',
  'authz_core',
  'authz_host',
  'authz_user',
  'authz_groupfile',
  'alias',
  'dir',
  'remoteip',
  'setenvif',
];
const PASSWD = ['ann', 'bob', 'carol'].map((name) => `${name}:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n`).join('');
const GROUP = 'staff: bob\nothers: carol\n';

/** Before and after. */
type Texts = Pick<Converted, 'texts' | 'fixed'>;

/** A server for them. */
export function serveGenerated(more: readonly string[] = []): Promise<Httpd> {
  return serve('', { modules: [...MODULES, ...more] });
}

interface Asking {
  /** What 127.0.0.1 is called here. */
  readonly localName: string | null;
  readonly start: number;
  /**
   * Whether all of it is converted; sections that are left as they are may be 2.4's to read
   * otherwise.
   */
  readonly isWhole?: boolean;
}

/**
 * Asks the server, which has what was converted in force, and fails where it answers otherwise than
 * 2.2.
 */
export async function compare(
  server: Httpd,
  generated: Generated,
  converted: Texts,
  random: Random,
  { localName, start, isWhole = true }: Asking,
): Promise<void> {
  const model = new Server(siteOf(generated, converted.texts, server.root), '2.2');
  const untouched = untouchedIn24(converted.texts).map(
    (texts) => new Server(siteOf(generated, texts, server.root), '2.4'),
  );
  const asked = Array.from({ length: QUESTIONS }, () => {
    // A request belongs to the main server where there is no virtual host only.
    const host = model.hostCount === 0 ? -1 : random.below(model.hostCount);
    const { address, ...client } = randomClient(random);
    const from = address === '127.0.0.1' ? address : random.pick([address, '127.0.0.1']);
    return {
      host,
      url: random.pick(ASKED),
      method: random.pick(METHODS),
      client: { ...client, address: from, name: from === '127.0.0.1' ? localName : null } as Client,
    };
  });
  const answers = await server.requestAll(
    asked.map(({ host, url, method, client }) => requestOf(url, host, method, client, model.hostCount)),
  );
  asked.forEach(({ host, url, method, client }, i) => {
    const applied = model.applied(url, host);
    const expected = model.answer(applied, method, client);
    const given = [401, 403, 500].includes(answers[i].status) ? answers[i].status : 200;
    // AuthType without an access line: 2.4 answers 500, which no conversion changes.
    const hasNoLines = applied.every(
      ({ host: lines, satisfy, requires }) => lines.length + satisfy.length + requires.length === 0,
    );
    const isUntouched =
      (!isWhole || hasNoLines) &&
      untouched.some((each) => given === each.answer(each.applied(url, host), method, client));
    if (given === expected || isUntouched) return;
    const what = `${method} ${url} at host ${host} from ${told(client)}: 2.2 answers ${expected}, 2.4 ${given}`;
    assert.fail(
      `HTTPD_UPGRADE_SEED=${start}: ${what}\n${listed(converted.texts)}\n--- converted:\n${listed(converted.fixed)}\n${server.errorLog().split('\n').slice(-4).join('\n')}`,
    );
  });
}

/** Another rule handles `Require Valid-User` without old lines. */
const engine = new Engine({ rules: [requireProviderCase] });

/**
 * Puts the files where the server is, and the main file in force. `adapted`: what else a text needs
 * for this server to take it.
 */
export async function install(
  server: Httpd,
  { fixed }: Pick<Texts, 'fixed'>,
  { defines }: Generated,
  adapted: (text: string) => string = (text) => text,
): Promise<void> {
  // A module that is there stands for the one that is taken to be there.
  const served = (text: string) =>
    adapted(fixText(engine, text, { isHtaccess: false }).text)
      .replaceAll('mod_some.c', defines.includes('mod_some.c') ? 'mod_alias.c' : 'mod_some.c')
      .replaceAll('*:80>', `*:${server.port}>`);
  rmSync(server.root + '/srv', { recursive: true, force: true });
  for (const folder of FOLDERS) {
    mkdirSync(server.root + folder, { recursive: true });
    for (const file of FILES) writeFileSync(`${server.root}${folder}/${file}`, '');
  }
  const logins = { [`${server.root}${ROOT}/conf/passwd`]: PASSWD, [`${server.root}${ROOT}/conf/group`]: GROUP };
  for (const [file, text] of Object.entries({ ...fixed, ...logins })) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, served(text));
  }
  const main = served(fixed[server.root + MAIN]);
  await server.reload(
    defines
      .filter((name) => !name.endsWith('.c'))
      .map((name) => `Define ${name}\n`)
      .join('') +
      CLIENTS +
      VARIABLES +
      FOLDER +
      main,
  );
}

function requestOf(
  url: string,
  host: number,
  method: string,
  { address, variables, user }: Client,
  hosts: number,
): RequestOptions {
  // The generator numbers its hosts from the last to the first.
  const headers = {
    'X-Client': address,
    Host: host < 0 ? 'localhost' : `host${hosts - host}`,
    ...Object.fromEntries([...variables].map((name) => [`X-${name}`, '1'])),
  };
  return { path: url, method, headers, ...(user === null ? {} : { user, password: 'secret' }) };
}

/** The host name of an address; null for none. */
export async function nameOf(address: string): Promise<string | null> {
  try {
    const { hostname } = await lookupService(address, 80);
    return hostname === address ? null : hostname;
  } catch {
    return null;
  }
}
