/**
 * Random servers (test/trees) on a real 2.4 with mod_access_compat, as one configuration that the
 * program can be asked about, too. A header names the client, so that there are clients of every
 * address.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Engine } from '../../server/src/analysis/engine';
import { requestConfiguration } from '../../server/src/features/requests';
import { diskFileView } from '../../server/src/host/node-files';
import type { Access, Request, RequestConfiguration } from '../../server/src/requests/model';
import { parseRequest } from '../../server/src/requests/parse';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { serve, type Mpm, type RequestOptions, type Server } from '../httpd/harness';
import type { Random } from '../support/random';
import { Place, type ServerSpec } from '../trees/disk';
import type { Generated } from '../trees/generate';
import { CLIENTS, METHODS, serversOf } from '../trees/judge';
import { MAIN } from '../trees/server';
import { generatedFor } from '../trees/trial';

const MODULES = [
  'authn_core',
  'authn_file',
  'auth_basic',
  'authz_core',
  'authz_host',
  'authz_user',
  'authz_groupfile',
  'access_compat',
  'alias',
  'autoindex',
  'dir',
  'remoteip',
  'setenvif',
  'userdir',
  'vhost_alias',
  'ssl',
  'socache_shmcb',
  'macro',
  'mime',
  'cache',
  'cache_disk',
  'slotmem_shm',
];
const WRAPPER = 'around.conf';

/** A text of a file, for the time before or after a change. */
export interface ChangedFile {
  readonly file: string;
  readonly text: string;
}

export class ServedTrees {
  private readonly place = new Place();
  private server: Server | null = null;
  private mpm: string | null = null;
  private users = new Set(['ann', 'bob', 'carol', 'CORP\\bob']);

  generated!: Generated;
  private spec!: ServerSpec;
  private hosts: readonly string[] = [];

  async remove(): Promise<void> {
    await this.server?.stop();
    this.place.remove();
  }

  /** Writes and serves a random tree. False if this machine cannot serve it. */
  async open(seed: number): Promise<boolean> {
    const { generated } = generatedFor(seed);
    const { tree, urls } = generated;
    const [spec] = tree.servers;
    // Modules that are not there, other machines, the environment, and other encodings.
    const isOdd = Object.values(tree.files).some((text) => /authzsvnaccessfile|sslrequire|\$\{/i.test(text));
    if (!spec || spec.elsewhere || isOdd || !urls.every((url) => /^[!-~]*$/.test(url))) return false;
    this.generated = generated;
    this.spec = spec;
    this.place.write(tree);
    const disk = this.place.read();
    const [, , , strict] = serversOf(spec, disk, disk);
    if (strict.refusal !== null) return false;
    this.hosts = strict.hostNames.filter((name) => name !== MAIN);
    mkdirSync(this.place.at('conf'), { recursive: true });
    this.writePasswords();
    this.write({ file: 'conf/group', text: 'staff: bob\nothers: carol\n' });
    for (const [file, text] of Object.entries(disk.files())) this.write({ file, text: onOnePort(text) });
    this.write({ file: WRAPPER, text: this.wrapper() });
    return this.load();
  }

  /** The configuration files, by their paths below the root, a character a byte. */
  files(): Record<string, string> {
    const { tree } = this.generated;
    const all = Object.entries(this.place.read().files());
    return Object.fromEntries(all.filter(([name]) => tree.files[name] !== undefined));
  }

  write({ file, text }: ChangedFile): void {
    writeFileSync(this.place.bytesAt(file), Buffer.from(text, 'latin1'));
  }

  /** Makes the server read its files again. False if it does not start with them. */
  async load(): Promise<boolean> {
    const [, mpm] = this.spec.mpms ?? ['prefork', 'event'];
    const config = `Include "${this.place.at(WRAPPER)}"\n`;
    try {
      if (this.server && this.mpm === mpm) await this.server.reload(config);
      else {
        await this.server?.stop();
        this.server = await serve(config, { modules: MODULES, mpm: mpm as Mpm });
        this.mpm = mpm;
      }
      return true;
    } catch {
      this.server = null;
      return false;
    }
  }

  /** The configuration on the disk. `other`: a file with another text. */
  configuration(other: ChangedFile | null = null): RequestConfiguration {
    const engine = new Engine({ rules: ALL_RULES });
    const changed = other && { path: this.place.at(other.file), tree: Tree.parse(other.text) };
    return requestConfiguration({
      root: this.place.at(WRAPPER),
      view: diskFileView((path) => (path === changed?.path ? changed.tree : null)),
      settings: { engineOf: () => engine, serverOf: () => ({ defines: new Map() }) },
    });
  }

  /** A random request to one of the URLs of the tree. */
  question(random: Random): Request {
    const client = random.pick(CLIENTS.filter(({ isRefused }) => isRefused !== true));
    return parseRequest(`${random.pick(METHODS)} ${random.pick(this.generated.urls)}`, {
      from: client.address,
      user: client.user,
      headers: [
        `Host: ${this.hosts.length > 0 ? random.pick(this.hosts) : 'nowhere.test'}`,
        ...[...client.variables].map((name) => `X-${name}: 1`),
      ],
    })!;
  }

  /** What the server answers. */
  async answers(requests: readonly Request[]): Promise<Access[]> {
    for (const { user } of requests) if (user !== null) this.users.add(user);
    this.writePasswords();
    const responses = await this.server!.requestAll(requests.map(optionsOf));
    return responses.map(({ status }) => {
      if (status === 400) throw new Error('the server does not understand the request');
      return ACCESS[status] ?? 'granted';
    });
  }

  private writePasswords(): void {
    const text = [...this.users].map((name) => `${name}:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n`).join('');
    this.write({ file: 'conf/passwd', text });
  }

  private wrapper(): string {
    const { main, defines = [] } = this.spec;
    return [
      ...defines.map((name) => `Define ${name}`),
      'RemoteIPHeader X-Client',
      'RemoteIPInternalProxy 127.0.0.1',
      'SetEnvIf X-ok . ok',
      'SetEnvIf X-bad . bad',
      // A directory is answered for itself, and not for the file in it.
      'DirectoryIndex disabled',
      `Include "${this.place.at(main)}"`,
      '',
    ].join('\n');
  }
}

// ---------------------------------------------------------------------------------------------------------------------

const ACCESS: Readonly<Record<number, Access>> = { 401: 'login', 403: 'denied', 500: 'error' };

/** One port is listened on, and all virtual hosts are for it. */
function onOnePort(text: string): string {
  return text.replace(/^\s*(?:listen|pidfile)\s(?:.*\\\r?\n)*.*$/gim, '').replace(/(<VirtualHost )[^>]*/gi, '$1*');
}

function optionsOf({ method, path, host, from, user, headers }: Request): RequestOptions {
  return {
    path,
    method,
    headers: {
      ...Object.fromEntries([...headers].filter(([name]) => name !== 'host')),
      Host: host ?? 'nowhere.test',
      ...(from !== null && { 'X-Client': from }),
    },
    ...(user !== null && { user, password: 'secret' }),
  };
}
