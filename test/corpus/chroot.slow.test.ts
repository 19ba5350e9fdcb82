/**
 * Servers of the corpus at their own places, in a root directory of their own: the result of `fix
 * --write`, and the answers of a real 2.4. They equal those of the model of 2.2 for the old tree;
 * for one written for 2.4, those of 2.4 before the fix. And for every line that httpd refuses
 * because a module is missing, the program reports that.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { directive } from '../../server/src/directives';
import { requireHttpd, type Httpd } from '../httpd/harness';
import { Chroot } from '../support/chroot';
import { describeOver, lacks } from '../support/lacks';
import { bundle } from '../support/built';
import type { Readable } from '../trees/disk';
import { Server } from '../trees/server';
import { PLACES, read, settled } from './settled';

/** One of each kind; HTTPD_UPGRADE_CHROOT=all for all of them. */
const TRIED = process.env.HTTPD_UPGRADE_CHROOT === 'all' ? PLACES : PLACES.slice(0, 4);
const CLIENTS = ['127.0.0.1', '10.1.2.3', '192.168.1.77', '203.0.113.9'];
/**
 * Lines about the machine, which test files replace, and about backend servers, which are missing.
 */
const OF_THE_MACHINE =
  /^[ \t]*(listen|port|bindaddress|user|group|pidfile|lockfile|scoreboardfile|errorlog|customlog|transferlog|sslengine|loadfile|namevirtualhost|coredumpdirectory|proxypass(?:match|reverse)?|include\s+\S*magic)\b(?:.*\\\r?\n)*.*$/gim;
const LOADED = ['mpm_event', 'authn_core', 'authz_core', 'access_compat', 'remoteip', 'slotmem_shm', 'socache_shmcb'];
const MODULES = '/usr/lib/apache2/modules';
const MOST_LINES = 150;
/** By the manual's names. */
const MPMS: ReadonlySet<string> = new Set(['prefork', 'worker', 'event', 'mpm_common']);
const OLD = /^\s*(order|allow|deny|satisfy)\b/i;

describeOver('corpus', 'trees of the corpus at their own places', function () {
  this.timeout(600_000);
  let httpd: Httpd;
  let chroot: Chroot | null = null;

  before(function () {
    httpd = requireHttpd(this);
  });
  beforeEach(async function () {
    chroot = await Chroot.open();
    if (!chroot) lacks(this, 'a root directory of its own needs root, unshare, nsenter and overlays');
  });
  afterEach(() => chroot?.close());

  for (const { name, place, lacksModules, isFor24 } of TRIED) {
    it(name, async () => {
      const inside = chroot!;
      const main = settled(inside, name, place, httpd);
      const { texts } = read(inside, place);
      const served = new Map(
        [...texts].map(([file, text]): [string, string] => [file, ofThisMachine(text, inside, httpd)]),
      );
      const questions = questionsFor([...served.values()]);
      write(inside, served);
      const was = new Server(reader(inside), { defines: [] }, '2.2', main, false, true);
      assert.equal(was.refusal, null);
      const hosts = ['', ...new Set(was.hostNames.filter((host) => /^[\w.-]+$/.test(host)))].slice(0, 8);
      const before = await answers(inside, main, place, hosts, questions, httpd);
      const wanted = hosts.flatMap((host) =>
        questions.flatMap((url) =>
          CLIENTS.map((address) =>
            was.answer(host, url, 'GET', { address, name: null, variables: new Set(), user: null, groups: [] }),
          ),
        ),
      );

      write(inside, texts);
      const told = inside.run(process.execPath, [bundle('cli.js'), 'check', '--format', 'json', main]).out;
      const { code, err } = inside.run(process.execPath, [
        bundle('cli.js'),
        'fix',
        '--write',
        '--modules',
        'debian',
        main,
      ]);
      assert.ok(code === 0 || code === 1 || code === 2, err);
      const fixed = read(inside, place).texts;
      const missed = lacksModules ? { asked: 0, unsaid: [] } : modulesMissed(inside, main, place, httpd, told);
      write(
        inside,
        new Map([...fixed].map(([file, text]): [string, string] => [file, ofThisMachine(text, inside, httpd)])),
      );
      const after = await answers(inside, main, place, hosts, questions, httpd);

      const asked = hosts.flatMap((host) =>
        questions.flatMap((url) => CLIENTS.map((address) => `${host || 'default'}${url} from ${address}`)),
      );
      const kept = isFor24 ? before : wanted;
      const others = asked.flatMap((question, i) =>
        after[i] === kept[i] ? [] : [`${question}: 2.2 ${wanted[i]}, 2.4 unfixed ${before[i]}, now ${after[i]}`],
      );
      if (process.env.HTTPD_UPGRADE_TREES_REPORT) {
        console.log(
          `${name}: ${asked.length} questions, ${others.length} answered otherwise than ${isFor24 ? 'before' : 'by 2.2'}, ${asked.filter((_, i) => before[i] !== wanted[i]).length} by 2.4 with the old lines; ${[...fixed].filter(([file, text]) => texts.get(file) !== text).length} files changed, ${[...fixed.values()].join('').match(/^\s*(order|allow|deny|satisfy)\b/gim)?.length ?? 0} old lines left, ${missed.asked} lines refused for a module`,
        );
        for (const [i, question] of asked.entries())
          if (after[i] !== kept[i]) console.log(`  ${question}: ${wanted[i]} ${before[i]} ${after[i]}`);
      }
      assert.deepEqual(others, []);
      assert.deepEqual(missed.unsaid, []);
      assert.ok(asked.length > 20, `only ${asked.length} questions`);
    });
  }
});

function write(inside: Chroot, texts: ReadonlyMap<string, string>): void {
  for (const [file, text] of texts) writeFileSync(inside.at(file), Buffer.from(text, 'latin1'));
}

/** With this machine's ports and modules: a virtual host is one for every address. */
function ofThisMachine(text: string, inside: Chroot, { builtin }: Httpd): string {
  return text
    .replace(OF_THE_MACHINE, emptied)
    .replace(/^([ \t]*<VirtualHost)\b[^>\n]*>/gim, '$1 *>')
    .replace(
      /^[ \t]*LoadModule[ \t]+(\w+)[ \t]+"?\S*?(mod_(\w+)\.so)"?[ \t\r]*$/gim,
      (_, symbol: string, file: string, short: string) =>
        existsSync(inside.at(`${MODULES}/${file}`)) &&
        !builtin.has(short) &&
        !short.startsWith('mpm_') &&
        !LOADED.includes(short)
          ? `LoadModule ${symbol} ${MODULES}/${file}`
          : '',
    )
    .replace(/^[ \t]*LoadModule[ \t](?!\S+[ \t]+\/usr\/lib\/apache2\/modules\/).*$/gim, '');
}

/** As many lines. */
function emptied(text: string): string {
  return text.replace(/[^\n]/g, '');
}

/** URLs that the texts give cause for. */
function questionsFor(texts: readonly string[]): string[] {
  const text = texts.join('\n');
  const locations = [...text.matchAll(/^\s*<Location\s+"?(\/[^\s">*?[~^(]*)"?>/gim)].map((match) => match[1]);
  const aliases = [...text.matchAll(/^\s*Alias\s+"?(\/[^\s"]*)/gim)].map((match) => `${match[1].replace(/\/$/, '')}/f`);
  return [...new Set(['/f', '/.htpasswd', '/.htaccess', '/none/f', ...locations, ...aliases])].slice(0, 24);
}

/** For the model: as from inside, links and all. */
function reader(inside: Chroot): Readable {
  const real = (file: string, links = 0): string | null => {
    let current = '';
    const parts = file.split('/').filter(Boolean);
    for (let i = 0; i < parts.length; i++) {
      if (parts[i] === '.' || parts[i] === '..') {
        if (parts[i] === '..') current = path.posix.dirname(current);
        continue;
      }
      const next = `${current}/${parts[i]}`;
      const info = lstatSync(inside.at(next), { throwIfNoEntry: false });
      if (!info) return null;
      if (!info.isSymbolicLink()) {
        if (!info.isDirectory() && i < parts.length - 1) return null;
        current = next;
        continue;
      }
      return links > 20
        ? null
        : real(
            path.posix.join(path.posix.resolve(current || '/', readlinkSync(inside.at(next))), ...parts.slice(i + 1)),
            links + 1,
          );
    }
    return current || '/';
  };
  const known = new Map<string, string | null>();
  const at = (file: string) => {
    if (!known.has(file)) known.set(file, real(file));
    const found = known.get(file)!;
    return found === null ? null : inside.at(found);
  };
  const kind = (file: string) => {
    const found = at(file);
    const info = found === null ? undefined : statSync(found, { throwIfNoEntry: false });
    return info?.isFile() ? 'file' : info?.isDirectory() ? 'directory' : null;
  };
  return {
    kind,
    text: (file) => (kind(file) === 'file' ? readFileSync(at(file)!, 'latin1') : null),
    list: (directory) => (kind(directory) === 'directory' ? readdirSync(at(directory)!).sort() : []),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

interface Refused {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

function tested(inside: Chroot, main: string, place: string, { binary }: Httpd): Refused | null {
  const { code, err } = inside.run(binary, ['-d', place, '-C', 'Include /prelude.conf', '-f', main, '-t']);
  if (code === 0) return null;
  const found = [...err.matchAll(/yntax error on line (\d+) of ([^\n:]+):\s*/g)].at(-1);
  // What is left then is the machine's: its accounts, its directories for logs.
  if (!found) return null;
  return { file: found[2], line: Number(found[1]), message: err.slice(found.index + found[0].length).trim() };
}

/** Takes the line out that the check stops at; of a section all of it. */
function without(inside: Chroot, { file, line }: Refused): void {
  const lines = readFileSync(inside.at(file), 'latin1').split('\n');
  let first = line - 1;
  while (first > 0 && /\\\r?$/.test(lines[first - 1])) first--;
  const name = /^\s*<(\w+)/.exec(lines[first])?.[1];
  let last = line - 1;
  if (name !== undefined)
    while (last < lines.length - 1 && !new RegExp(`^\\s*</${name}>`, 'i').test(lines[last])) last++;
  for (let i = first; i <= last; i++) lines[i] = '';
  writeFileSync(inside.at(file), Buffer.from(lines.join('\n'), 'latin1'));
}

function prelude(inside: Chroot, port: number, modules: readonly string[]): void {
  const loaded = modules.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`);
  const own =
    port === 0
      ? []
      : [
          `Listen 127.0.0.1:${port}`,
          'User www-data',
          'Group www-data',
          'PidFile /tmp/chroot.pid',
          'ErrorLog /tmp/chroot.log',
          'ServerName localhost',
          'DefaultRuntimeDir /tmp',
          'RemoteIPHeader X-Client',
          'RemoteIPInternalProxy 127.0.0.1',
          'KeepAlive On',
          'MaxKeepAliveRequests 0',
        ];
  writeFileSync(inside.at('/prelude.conf'), `${[...loaded, ...own].join('\n')}\n`);
}

/**
 * The lines that the check refuses because of a missing module, and those that the program does not
 * report.
 */
function modulesMissed(
  inside: Chroot,
  main: string,
  place: string,
  httpd: Httpd,
  before: string,
): { asked: number; unsaid: string[] } {
  const { texts } = read(inside, place);
  const { out } = inside.run(process.execPath, [
    bundle('cli.js'),
    'check',
    '--format',
    'json',
    '--modules',
    'debian',
    main,
  ]);
  const said = new Set<string>();
  const isNamed = (command: string | undefined) => {
    const modules =
      command === undefined
        ? []
        : (directive(command.replace('<', ''), { section: command.startsWith('<') })?.['2.4']?.modules ?? []);
    // Which of the MPMs it is to be is asked, and here it is another one.
    return modules.some((module) => MPMS.has(module) || new RegExp(`\\b${module}\\b`).test(out));
  };
  // The old lines of a section are one finding.
  const isSaid = ({ file, line }: Refused) => {
    const lines = texts.get(file)?.split('\n') ?? [];
    let first = line;
    if (OLD.test(lines[line - 1] ?? '')) while (first > 1 && !/^\s*</.test(lines[first - 2])) first--;
    // For third-party modules it is reported earlier, as long as no module of 2.4 is loaded.
    const symbol = /^\s*LoadModule\s+(\w+)/i.exec(lines[line - 1] ?? '')?.[1];
    if (symbol !== undefined && new RegExp(`\\b${symbol}\\b`).test(before)) return true;
    for (let at = first; at <= line; at++) if (said.has(`${file}:${at}`)) return true;
    return false;
  };
  const gather = (value: unknown, file: string): void => {
    if (Array.isArray(value)) return value.forEach((each) => gather(each, file));
    if (typeof value !== 'object' || value === null) return;
    const record = value as Record<string, unknown>;
    const own = [record.path, record.file, record.uri].find((each): each is string => typeof each === 'string') ?? file;
    for (const key of ['line', 'startLine'])
      if (typeof record[key] === 'number') said.add(`${path.posix.resolve('/', own)}:${(record[key] as number) + 1}`);
    for (const each of Object.values(record)) gather(each, own);
  };
  gather(JSON.parse(out), '');
  prelude(inside, 0, ['mpm_event']);
  write(
    inside,
    new Map([...texts].map(([file, text]): [string, string] => [file, text.replace(OF_THE_MACHINE, emptied)])),
  );
  const unsaid: string[] = [];
  let asked = 0;
  // Needs of this machine's modules are not tested here; for a module that cannot be loaded, its
  // lines are reported one by one.
  for (let i = 0; i < MOST_LINES; i++) {
    const refused = tested(inside, main, place, httpd);
    if (refused === null) break;
    if (/^(Invalid command|Cannot load)/.test(refused.message)) {
      asked++;
      if (!isSaid(refused) && !isNamed(/^Invalid command '([^']*)'/.exec(refused.message)?.[1]))
        unsaid.push(
          `${refused.file}:${refused.line}: ${refused.message.split('\n')[0]} | ${texts.get(refused.file)?.split('\n')[refused.line - 1]}`,
        );
    }
    without(inside, refused);
  }
  write(inside, texts);
  return { asked, unsaid };
}

/** Of a real 2.4 on what stands there. */
async function answers(
  inside: Chroot,
  main: string,
  place: string,
  hosts: readonly string[],
  urls: readonly string[],
  httpd: Httpd,
): Promise<number[]> {
  prelude(inside, await freePort(), LOADED);
  for (let i = 0; i < MOST_LINES; i++) {
    const refused = tested(inside, main, place, httpd);
    if (refused === null) break;
    if (process.env.HTTPD_UPGRADE_TREES_REPORT)
      console.log(`    without ${refused.file}:${refused.line} ${refused.message.slice(0, 100)}`);
    without(inside, refused);
  }
  for (let i = 0; ; i++) {
    try {
      return await asked(inside, main, place, hosts, urls, httpd);
    } catch (error) {
      // Somebody else may have got the port in the meantime.
      if (i === 2) throw error;
    }
  }
}

async function asked(
  inside: Chroot,
  main: string,
  place: string,
  hosts: readonly string[],
  urls: readonly string[],
  httpd: Httpd,
): Promise<number[]> {
  const port = await freePort();
  prelude(inside, port, LOADED);
  writeFileSync(inside.at('/tmp/chroot.log'), '');
  const server = inside.start(httpd.binary, ['-d', place, '-C', 'Include /prelude.conf', '-f', main, '-X']);
  try {
    await until(server, port, () => readFileSync(inside.at('/tmp/chroot.log'), 'utf8'));
    const questions = hosts.flatMap((host) =>
      urls.flatMap((url) => CLIENTS.map((address) => ({ host, url, address }))),
    );
    const given: number[] = [];
    for (const question of questions) given.push(await ask(port, question));
    return given;
  } catch (error) {
    throw new Error(`${String(error)}\n${readFileSync(inside.at('/tmp/chroot.log'), 'utf8').slice(-3000)}`);
  } finally {
    inside.end(server);
  }
}

function ask(port: number, { host, url, address }: { host: string; url: string; address: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        host: '127.0.0.1',
        port,
        path: url,
        headers: { Host: host || 'nobody.example', 'X-Client': address },
        agent: false,
        timeout: 10_000,
      },
      (response) => {
        response.resume();
        const { statusCode = 0 } = response;
        response.on('end', () =>
          resolve(statusCode === 401 || statusCode === 403 || statusCode === 500 ? statusCode : 200),
        );
      },
    );
    request.on('error', reject);
    request.end();
  });
}

async function until(server: ChildProcess, port: number, log: () => string): Promise<void> {
  for (let i = 0; i < 400; i++) {
    if (server.exitCode !== null) throw new Error(`httpd did not start: ${log()}`);
    const isUp = await new Promise<boolean>((resolve) => {
      const socket = net.connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
    if (isUp) return;
    await sleep(25);
  }
  throw new Error(`httpd took too long to start: ${log()}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as net.AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
