/**
 * A large workspace in the real server: `npm run bench:workspace` writes a configuration of 20,000 files and 500,000 lines (and one of a quarter), has a
 * client ask for all of it, type, and switch branches. Recorded in test/bench/workspace-results.json. What the tests guard is counted work (test/cost).
 *
 * Times are those of the client: from its question to the answer, protocol included. The server's memory is the peak that the kernel saw.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createProtocolConnection, StreamMessageReader, StreamMessageWriter, type ProtocolConnection } from 'vscode-languageserver-protocol/node';
import { bundle, repositoryRoot } from '../support/paths';

const LINES = 25;

interface Row {
  readonly files: number;
  readonly lines: number;
  readonly firstResultSeconds: number;
  readonly progressMessages: number;
  readonly findings: number;
  /** Peak, after the first result, and at the end. */
  readonly memoryMB: { readonly first: number; readonly last: number };
  readonly keystrokeMs: { readonly median: number; readonly worst: number };
  /** A letter in a Define that every file mentions: all files are looked at again. */
  readonly sharedChangeMs: number;
  /** One that no other file can tell apart but the root's walk. */
  readonly loneChangeMs: number;
  readonly branchSwitch: { readonly files: number; readonly seconds: number; readonly worstKeystrokeMs: number };
}

async function main(): Promise<void> {
  const rows: Row[] = [];
  for (const files of [5_000, 20_000]) rows.push(await measure(files));
  console.log(JSON.stringify(rows, null, 2));
  const record = { node: process.version, cpu: os.cpus()[0]?.model ?? 'unknown', cores: os.cpus().length, loadAverage: os.loadavg()[0], rows };
  writeFileSync(path.join(repositoryRoot, 'test', 'bench', 'workspace-results.json'), `${JSON.stringify(record, null, 2)}\n`);
}

async function measure(files: number): Promise<Row> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'httpd-upgrade-bench-'));
  const uriOf = (name: string) => pathToFileURL(path.join(folder, name)).href;
  const site = (i: number) => `sites/${String(i).padStart(5, '0')}.conf`;
  mkdirSync(path.join(folder, 'conf'));
  mkdirSync(path.join(folder, 'sites'));
  writeFileSync(path.join(folder, 'conf/httpd.conf'), rootText());
  for (let i = 0; i < files; i++) writeFileSync(path.join(folder, site(i)), siteText(i));
  const server = new Server(pathToFileURL(folder).href);
  try {
    await server.start();
    const begin = performance.now();
    const first = await server.pullWorkspace();
    const firstResultSeconds = (performance.now() - begin) / 1000;
    if (first.reports < files) throw new Error(`${first.reports} reports of ${files} files`);
    const memory = { first: server.memory(), last: 0 };

    const middle = uriOf(site(files >> 1));
    let text = siteText(files >> 1);
    await server.open(middle, text);
    await server.pull(middle);
    const held = server.pullWorkspace();
    const strokes: number[] = [];
    for (let i = 0; i < 100; i++) strokes.push(await server.type(middle, text.indexOf('webmaster') + 3 + i, 'x'));
    strokes.sort((a, b) => a - b);

    const root = uriOf('conf/httpd.conf');
    text = rootText();
    await server.open(root, text);
    await server.pull(root);
    let started = performance.now();
    await server.type(root, text.indexOf('/var/log') + 4, 'x');
    await held;
    const sharedChangeMs = performance.now() - started;
    started = performance.now();
    await server.type(root, text.indexOf('Lonely') + 7, 'y');
    const loneChangeMs = performance.now() - started;

    const changed = Math.min(2_000, files);
    for (let i = 0; i < changed; i++) writeFileSync(path.join(folder, site(i)), siteText(i).replace('MaxClients', 'Alias /x /y\nMaxClients'));
    started = performance.now();
    await server.changed(Array.from({ length: changed }, (_, i) => uriOf(site(i))));
    const settled = server.pullWorkspace();
    let isSettled = false;
    void settled.then(() => (isSettled = true));
    let worstKeystrokeMs = 0;
    for (let i = 0; !isSettled && i < 10_000; i++) worstKeystrokeMs = Math.max(worstKeystrokeMs, await server.type(middle, siteText(0).indexOf('webmaster') + 3, 'x'));
    await settled;
    const seconds = (performance.now() - started) / 1000;
    memory.last = server.memory();
    return {
      files: files + 1, lines: files * LINES, firstResultSeconds, progressMessages: server.progress, findings: first.findings, memoryMB: memory,
      keystrokeMs: { median: strokes[50], worst: strokes[99] }, sharedChangeMs, loneChangeMs,
      branchSwitch: { files: changed, seconds, worstKeystrokeMs },
    };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function rootText(): string {
  return [
    'ServerRoot "/etc/httpd"', 'Define LOGS /var/log', 'Define Lonely a', 'LoadModule mpm_event_module modules/mod_mpm_event.so', 'LoadModule authz_core_module modules/mod_authz_core.so',
    'LoadModule authz_host_module modules/mod_authz_host.so', 'LoadModule unixd_module modules/mod_unixd.so', 'LoadModule alias_module modules/mod_alias.so',
    'LoadModule rewrite_module modules/mod_rewrite.so', 'LoadModule dir_module modules/mod_dir.so', 'LoadModule log_config_module modules/mod_log_config.so',
    'Listen 80', 'ServerName localhost', 'Include sites/*.conf', '',
  ].join('\n');
}

/** 25 lines with one old one. */
function siteText(i: number): string {
  return [
    `# site ${i}`, '<VirtualHost *:80>', `    ServerName site${i}.example.org`, `    ServerAdmin webmaster@site${i}.example.org`, `    DocumentRoot "/srv/site${i}"`,
    `    ErrorLog "\${LOGS}/site${i}.log"`, '    <IfModule mod_rewrite.c>', '        RewriteEngine On', '        RewriteRule ^/old/(.*)$ /new/$1 [R=301,L]', '    </IfModule>',
    '    <IfModule mod_ssl.c>', '        SSLEngine On', '    </IfModule>', `    <Directory "/srv/site${i}">`, '        Options None', '        AllowOverride None',
    '        Require all granted', '    </Directory>', '', '    Alias /icons/ "/usr/share/icons/"', '    DirectoryIndex index.html index.php', '    LogLevel warn', '</VirtualHost>', 'MaxClients 1', '',
  ].join('\n');
}

class Server {
  progress = 0;
  private readonly process: ChildProcess;
  private readonly connection: ProtocolConnection;
  private readonly versions = new Map<string, { version: number; resultId?: string }>();
  private known: { uri: string; value: string }[] = [];
  private partial: (items: Report[]) => void = () => undefined;

  constructor(private readonly folder: string) {
    this.process = spawn(process.execPath, [bundle('server.js'), '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.connection = createProtocolConnection(new StreamMessageReader(this.process.stdout!), new StreamMessageWriter(this.process.stdin!));
    this.connection.onRequest('workspace/configuration', ({ items }: { items: unknown[] }) => items.map(() => ({})));
    this.connection.onRequest('client/registerCapability', () => null);
    this.connection.onRequest('workspace/diagnostic/refresh', () => null);
    this.connection.onNotification('$/progress', ({ token, value }: { token: string; value: { items?: Report[] } }) => {
      if (token === 'part') this.partial(value.items ?? []);
      else this.progress++;
    });
    this.connection.listen();
  }

  async start(): Promise<void> {
    await this.connection.sendRequest('initialize', {
      processId: process.pid, rootUri: null, workspaceFolders: [{ uri: this.folder, name: 'bench' }],
      capabilities: { workspace: { configuration: true, diagnostics: { refreshSupport: true } }, textDocument: { diagnostic: { relatedInformation: true } } },
    });
    await this.connection.sendNotification('initialized', {});
  }

  async pullWorkspace(): Promise<{ reports: number; findings: number }> {
    const reports = new Map(this.known.map(({ uri, value }) => [uri, value]));
    let findings = 0;
    const take = (items: readonly Report[]) => {
      for (const { uri, resultId, items: own } of items) {
        if (resultId !== undefined) reports.set(uri, resultId);
        findings += own?.length ?? 0;
      }
    };
    this.partial = take;
    const { items } = await this.connection.sendRequest<{ items: Report[] }>('workspace/diagnostic', { previousResultIds: this.known, partialResultToken: 'part', workDoneToken: 'work' });
    take(items);
    this.known = [...reports].map(([uri, value]) => ({ uri, value }));
    return { reports: reports.size, findings };
  }

  async open(uri: string, text: string): Promise<void> {
    this.versions.set(uri, { version: 1 });
    await this.connection.sendNotification('textDocument/didOpen', { textDocument: { uri, languageId: 'apacheconf', version: 1, text } });
  }

  /** Types at an offset, and waits for the diagnostics. Milliseconds. */
  async type(uri: string, offset: number, text: string): Promise<number> {
    const state = this.versions.get(uri)!;
    state.version++;
    const lines = (uri.endsWith('httpd.conf') ? rootText() : siteText(Number(/(\d+)\.conf$/.exec(uri)?.[1] ?? 0))).slice(0, offset).split('\n');
    const position = { line: lines.length - 1, character: lines[lines.length - 1].length };
    const start = performance.now();
    await this.connection.sendNotification('textDocument/didChange', { textDocument: { uri, version: state.version }, contentChanges: [{ range: { start: position, end: position }, text }] });
    await this.pull(uri);
    return performance.now() - start;
  }

  async pull(uri: string): Promise<void> {
    const state = this.versions.get(uri)!;
    const report = await this.connection.sendRequest<{ resultId?: string }>('textDocument/diagnostic', { textDocument: { uri }, previousResultId: state.resultId });
    state.resultId = report.resultId;
  }

  changed(uris: readonly string[]): Promise<void> {
    return this.connection.sendNotification('workspace/didChangeWatchedFiles', { changes: uris.map((uri) => ({ uri, type: 2 })) });
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

interface Report {
  readonly uri: string;
  readonly resultId?: string;
  readonly items?: unknown[];
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
