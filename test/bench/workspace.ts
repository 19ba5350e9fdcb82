/**
 * A large workspace in the real server: `npm run bench:workspace` writes a configuration of 20,000
 * files and 500,000 lines (and one of a quarter), and lets a client request everything, type, and
 * switch branches. Recorded in test/bench/workspace-results.json. Tests check counted work instead
 * (test/cost).
 *
 * Times are those of the client: from its request to the answer, transport included. The server's
 * memory is the peak reported by the kernel. Blocks are measured in the server's process: how long
 * its event loop was busy.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ProtocolConnection } from 'vscode-languageserver-protocol/node';
import { bundle } from '../support/built';
import { repositoryRoot } from '../support/paths';
import { connectedTo } from './connection';
import { machine } from './machine';

const LINES = 25;

/** Milliseconds. */
interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

/** Milliseconds. On a busy machine the processor's are what counts. */
interface Block {
  readonly wall: number;
  readonly processor: number;
}

interface Row {
  readonly files: number;
  readonly lines: number;
  readonly first: {
    readonly seconds: number;
    /** Until the rules about whole configurations have spoken, too. */
    readonly withConfigurationRulesSeconds: number;
    /** Of all of the server's threads, for all of it. */
    readonly processorSeconds: number;
    readonly progressMessages: number;
    readonly findings: number;
    readonly longestBlockMs: Block;
  };
  /** Peak, after the first result, and at the end. */
  readonly memoryMB: { readonly first: number; readonly last: number };
  /**
   * In one of the files, with nothing else going on: the round trip, and the server's processor
   * time of all of its threads.
   */
  readonly keystrokeMs: Spread;
  readonly keystrokeProcessorMs: number;
  /**
   * In a Define that every file mentions, until all files are looked at again; and the keystrokes
   * in another file meanwhile.
   */
  readonly sharedChange: {
    readonly answerMs: number;
    readonly settledMs: number;
    readonly keystrokeMs: Spread;
    readonly longestBlockMs: Block;
  };
  /** In a Define that no other file uses: a walk without changed findings. */
  readonly loneChange: { readonly answerMs: Spread; readonly longestBlockMs: Block };
  readonly branchSwitch: {
    readonly files: number;
    readonly seconds: number;
    readonly keystrokeMs: Spread;
    readonly longestBlockMs: Block;
  };
}

async function main(): Promise<void> {
  const rows: Row[] = [];
  for (const files of process.argv[2] ? [Number(process.argv[2])] : [5_000, 20_000]) rows.push(await measure(files));
  console.log(JSON.stringify(rows, null, 2));
  const record = {
    ...machine(),
    rows,
  };
  if (!process.argv[2])
    writeFileSync(
      path.join(repositoryRoot, 'test', 'bench', 'workspace-results.json'),
      `${JSON.stringify(record, null, 2)}\n`,
    );
}

async function measure(files: number): Promise<Row> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'httpd-upgrade-bench-'));
  const uriOf = (name: string) => pathToFileURL(path.join(folder, name)).href;
  const site = (i: number) => `sites/${String(i).padStart(5, '0')}.conf`;
  mkdirSync(path.join(folder, 'conf'));
  mkdirSync(path.join(folder, 'sites'));
  writeFileSync(path.join(folder, 'conf/httpd.conf'), rootText());
  for (let i = 0; i < files; i++) writeFileSync(path.join(folder, site(i)), siteText(i));
  const server = new Server(pathToFileURL(folder).href, folder);
  try {
    await server.start();
    const begin = performance.now();
    const found = await server.pullWorkspace();
    const seconds = (performance.now() - begin) / 1000;
    if (found.reports < files) throw new Error(`${found.reports} reports of ${files} files`);
    // mod_env is not loaded: rules about whole configurations say so.
    await server.hold();
    const first = {
      seconds,
      withConfigurationRulesSeconds: (server.reportedAt - begin) / 1000,
      processorSeconds: server.processorMs() / 1000,
      progressMessages: server.progress,
      findings: server.findings,
      longestBlockMs: await server.longestBlock(),
    };
    const memory = { first: server.memory(), last: 0 };

    const middle = uriOf(site(files >> 1));
    const at = siteText(files >> 1).indexOf('webmaster') + 3;
    await server.open(middle, siteText(files >> 1));
    await server.pull(middle);
    await server.hold();
    const processor = server.processorMs();
    const keystrokeMs = await strokes(500, () => server.type(middle, at, 'x'));
    const keystrokeProcessorMs = (server.processorMs() - processor) / 500;

    const root = uriOf('conf/httpd.conf');
    await server.open(root, rootText());
    await server.pull(root);
    let { news } = await server.hold();
    await server.longestBlock();
    let started = performance.now();
    const answerMs = await server.type(root, rootText().indexOf('/var/log') + 4, 'x');
    const during = await strokesUntil(news, () => server.type(middle, at, 'x'));
    const sharedChange = {
      answerMs,
      settledMs: performance.now() - started,
      keystrokeMs: during,
      longestBlockMs: await server.longestBlock(),
    };
    await server.hold();
    await server.longestBlock();
    const loneChange = {
      answerMs: await strokes(50, () => server.type(root, rootText().indexOf('Lonely') + 7, 'y')),
      longestBlockMs: await server.longestBlock(),
    };
    ({ news } = await server.hold());
    await server.longestBlock();

    const changed = Math.min(2_000, files);
    for (let i = 0; i < changed; i++)
      writeFileSync(path.join(folder, site(i)), siteText(i).replace('MaxClients', 'Alias /x /y\nMaxClients'));
    started = performance.now();
    // As a client tells it: in several parts.
    for (let i = 0; i < changed; i += 250)
      await server.changed(Array.from({ length: 250 }, (_, n) => uriOf(site(i + n))));
    const meanwhile = await strokesUntil(news, () => server.type(middle, at, 'x'));
    const branchSwitch = {
      files: changed,
      seconds: (performance.now() - started) / 1000,
      keystrokeMs: meanwhile,
      longestBlockMs: await server.longestBlock(),
    };
    memory.last = server.memory();
    return {
      files: files + 1,
      lines: files * LINES,
      first,
      memoryMB: memory,
      keystrokeMs,
      keystrokeProcessorMs,
      sharedChange,
      loneChange,
      branchSwitch,
    };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function strokes(times: number, type: () => Promise<number>): Promise<Spread> {
  const all: number[] = [];
  for (let i = 0; i < times; i++) all.push(await type());
  return spread(all);
}

async function strokesUntil(end: Promise<unknown>, type: () => Promise<number>): Promise<Spread> {
  const all: number[] = [];
  let isOver = false;
  void end.then(() => (isOver = true));
  while (!isOver) all.push(await type());
  return spread(all);
}

function spread(all: number[]): Spread {
  all.sort((a, b) => a - b);
  const at = (part: number) => all[Math.min(all.length - 1, Math.floor(all.length * part))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), worst: at(1) };
}

function rootText(): string {
  return [
    'ServerRoot "/etc/httpd"',
    'Define LOGS /var/log',
    'Define Lonely a',
    'LoadModule mpm_event_module modules/mod_mpm_event.so',
    'LoadModule authz_core_module modules/mod_authz_core.so',
    'LoadModule authz_host_module modules/mod_authz_host.so',
    'LoadModule unixd_module modules/mod_unixd.so',
    'LoadModule alias_module modules/mod_alias.so',
    'LoadModule rewrite_module modules/mod_rewrite.so',
    'LoadModule dir_module modules/mod_dir.so',
    'LoadModule log_config_module modules/mod_log_config.so',
    'Listen 80',
    'ServerName localhost',
    'Include sites/*.conf',
    '',
  ].join('\n');
}

/** 25 lines with one old one. */
function siteText(i: number): string {
  return [
    `# site ${i}`,
    '<VirtualHost *:80>',
    `    ServerName site${i}.example.org`,
    `    ServerAdmin webmaster@site${i}.example.org`,
    `    DocumentRoot "/srv/site${i}"`,
    `    ErrorLog "\${LOGS}/site${i}.log"`,
    '    <IfModule mod_rewrite.c>',
    '        RewriteEngine On',
    '        RewriteRule ^/old/(.*)$ /new/$1 [R=301,L]',
    '    </IfModule>',
    '    <IfModule mod_ssl.c>',
    '        SSLEngine On',
    '    </IfModule>',
    `    <Directory "/srv/site${i}">`,
    '        Options None',
    '        AllowOverride None',
    '        Require all granted',
    '    </Directory>',
    '',
    '    Alias /icons/ "/usr/share/icons/"',
    '    DirectoryIndex index.html index.php',
    `    SetEnv SITE ${i}`,
    '</VirtualHost>',
    'MaxClients 1',
    '',
  ].join('\n');
}

class Server {
  progress = 0;
  private readonly process: ChildProcess;
  private readonly asked: string;
  private readonly told: string;
  private readonly connection: ProtocolConnection;
  private readonly versions = new Map<string, { version: number; resultId?: string }>();
  private known: { uri: string; value: string }[] = [];
  private held: Promise<unknown> | null = null;
  private reports = new Map<string, number>();
  /** When the last report was in. */
  reportedAt = 0;
  private partial: (items: Report[]) => void = () => undefined;

  constructor(
    private readonly folder: string,
    place: string,
  ) {
    this.asked = path.join(place, 'probe-asked');
    this.told = path.join(place, 'probe-told');
    this.process = spawn(
      process.execPath,
      ['--require', probe(place, this.asked, this.told), bundle('server.js'), '--stdio'],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    this.connection = connectedTo(this.process);
    this.connection.onNotification('$/progress', ({ token, value }: { token: string; value: { items?: Report[] } }) => {
      if (token === 'part') this.partial(value.items ?? []);
      else this.progress++;
    });
    this.connection.listen();
  }

  async start(): Promise<void> {
    await this.connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: null,
      workspaceFolders: [{ uri: this.folder, name: 'bench' }],
      capabilities: {
        workspace: { configuration: true, diagnostics: { refreshSupport: true } },
        textDocument: { diagnostic: { relatedInformation: true } },
      },
    });
    await this.connection.sendNotification('initialized', {});
  }

  /** Of all files so far. */
  get findings(): number {
    return [...this.reports.values()].reduce((sum, count) => sum + count, 0);
  }

  async pullWorkspace(): Promise<{ reports: number }> {
    const reports = new Map(this.known.map(({ uri, value }) => [uri, value]));
    const take = (items: readonly Report[]) => {
      for (const { uri, resultId, items: own } of items) {
        if (resultId !== undefined) reports.set(uri, resultId);
        if (own) this.reports.set(uri, own.length);
      }
    };
    this.partial = take;
    const { items } = await this.connection.sendRequest<{ items: Report[] }>('workspace/diagnostic', {
      previousResultIds: this.known,
      partialResultToken: 'part',
      workDoneToken: 'work',
    });
    take(items);
    this.known = [...reports].map(([uri, value]) => ({ uri, value }));
    this.reportedAt = performance.now();
    return { reports: reports.size };
  }

  /** Asks until there is no news any more. What it gives settles with the next. */
  async hold(): Promise<{ readonly news: Promise<unknown> }> {
    for (;;) {
      this.held ??= this.pullWorkspace().then(() => (this.held = null));
      const held = this.held;
      await this.quiet();
      if (this.held === held) return { news: held };
    }
  }

  async open(uri: string, text: string): Promise<void> {
    this.versions.set(uri, { version: 1 });
    await this.connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId: 'apacheconf', version: 1, text },
    });
  }

  /** Types at an offset, and waits for the diagnostics. Milliseconds. */
  async type(uri: string, offset: number, text: string): Promise<number> {
    const state = this.versions.get(uri)!;
    state.version++;
    const lines = (uri.endsWith('httpd.conf') ? rootText() : siteText(Number(/(\d+)\.conf$/.exec(uri)?.[1] ?? 0)))
      .slice(0, offset)
      .split('\n');
    const position = { line: lines.length - 1, character: lines[lines.length - 1].length };
    const start = performance.now();
    await this.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version: state.version },
      contentChanges: [{ range: { start: position, end: position }, text }],
    });
    await this.pull(uri);
    return performance.now() - start;
  }

  async pull(uri: string): Promise<void> {
    const state = this.versions.get(uri)!;
    const report = await this.connection.sendRequest<{ resultId?: string }>('textDocument/diagnostic', {
      textDocument: { uri },
      previousResultId: state.resultId,
    });
    state.resultId = report.resultId;
  }

  changed(uris: readonly string[]): Promise<void> {
    return this.connection.sendNotification('workspace/didChangeWatchedFiles', {
      changes: uris.map((uri) => ({ uri, type: 2 })),
    });
  }

  /** The longest time that the server's event loop did not come round since this was asked last. */
  async longestBlock(): Promise<Block> {
    rmSync(this.told, { force: true });
    writeFileSync(this.asked, '');
    for (;;) {
      await pause(20);
      if (existsSync(this.told)) return JSON.parse(readFileSync(this.told, 'utf8')) as Block;
    }
  }

  /** Resolves when the server has done nothing for a while. */
  async quiet(): Promise<void> {
    for (let before = -1; before !== this.processorMs(); ) {
      before = this.processorMs();
      await pause(600);
      if (this.processorMs() - before <= 30) return;
    }
  }

  /** Of all its threads, in user and system. */
  processorMs(): number {
    const [user, system] = readFileSync(`/proc/${this.process.pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .slice(11, 13);
    return (Number(user) + Number(system)) * 10;
  }

  /** Peak resident memory in MB. */
  memory(): number {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${this.process.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  }

  async stop(): Promise<void> {
    await this.connection.sendRequest('shutdown');
    await this.connection.sendNotification('exit');
    await new Promise((resolve) => this.process.on('exit', resolve));
    this.connection.dispose();
  }
}

/** Runs in the server's process: a timer that comes late was kept waiting. */
function probe(folder: string, asked: string, told: string): string {
  const file = path.join(folder, 'probe.cjs');
  writeFileSync(
    file,
    `
    const { existsSync, renameSync, rmSync, writeFileSync } = require('node:fs');
    const { performance } = require('node:perf_hooks');
    const { isMainThread } = require('node:worker_threads');
    if (!isMainThread) return;
    const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
    let last, before, wall, processor, ticks = 0;
    const begin = () => { last = performance.now(); before = used(); wall = 0; processor = 0; };
    begin();
    setInterval(() => {
      const now = performance.now(), after = used();
      wall = Math.max(wall, now - last - 1);
      processor = Math.max(processor, Math.min(now - last, after - before));
      last = now;
      before = after;
      if (++ticks % 10 !== 0 || !existsSync(${JSON.stringify(asked)})) return;
      rmSync(${JSON.stringify(asked)});
      writeFileSync(${JSON.stringify(told)} + '.new', JSON.stringify({ wall, processor }));
      renameSync(${JSON.stringify(told)} + '.new', ${JSON.stringify(told)});
      begin();
    }, 1).unref();`,
  );
  return file;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

interface Report {
  readonly uri: string;
  readonly resultId?: string;
  readonly items?: unknown[];
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
