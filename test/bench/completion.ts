/**
 * How long a completion list takes, over stdio, for each kind of list: `npm run bench:completion`
 * prints a table and records it in test/bench/completion-results.json. Every row is a process of
 * its own.
 *
 * `at once`: requested right after the first diagnostics. `first`: the first list of the process,
 * requested when the server was idle for a second, as after opening a file. `later`: the median of
 * the next ones, each after a typed letter. Times are the client's, including the transport; `ping`
 * is the time of a request that does nothing. `own` is the server's part of first and later: from
 * reading the request to having written the answer.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type CompletionList,
  type ProtocolConnection,
} from 'vscode-languageserver-protocol/node';
import { bundle } from '../support/built';
import { repositoryRoot } from '../support/paths';
import { machine } from './machine';
import { configurationText } from './texts';

interface Row {
  readonly what: string;
  readonly items: number;
  readonly atOnce: number;
  readonly first: number;
  readonly later: number;
  readonly ping: number;
  readonly firstOwn: number;
  readonly laterOwn: number;
  /** Of the answer as text. */
  readonly kilobytes: number;
}

/** `|` is the cursor; the name of the file where it matters. */
const LISTS: readonly (readonly [what: string, text: string, file?: string])[] = [
  ['names at the top level', '|\n'],
  ['names in a virtual host', '<VirtualHost *:80>\n    |\n</VirtualHost>\n'],
  ['names in a .htaccess', '|\n', 'site/.htaccess'],
  [
    'names with LoadModule lines',
    'LoadModule authz_core_module modules/mod_authz_core.so\nLoadModule dir_module modules/mod_dir.so\n|\n',
  ],
  ['sections', '<|\n'],
  ['LoadModule', 'LoadModule |\n'],
  ['IfModule', '<IfModule |>\n</IfModule>\n'],
  ['Options', 'Options |\n'],
  ['Require', '<Location />\n    Require |\n</Location>\n'],
  ['RewriteRule, flags', 'RewriteRule ^ - [|\n'],
  ['RewriteCond, variables', 'RewriteCond %{|\n'],
  ['expressions', '<If "|">\n</If>\n'],
  ['log formats', 'LogFormat "%|" own\n'],
  ['MIME types', 'AddType |\n'],
  ['headers', 'Header set |\n'],
  ['AllowOverrideList', 'AllowOverrideList |\n'],
  ['paths, 5,000 in a folder', 'DocumentRoot www/|\n'],
];

const RUNS = 5;

async function main(): Promise<void> {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'httpd-upgrade-bench-')));
  try {
    mkdirSync(path.join(folder, 'conf'));
    mkdirSync(path.join(folder, 'www'));
    for (let i = 0; i < 5000; i++) mkdirSync(path.join(folder, 'www', `site-${i}`));
    const rows: Row[] = [];
    const only = process.argv[2];
    for (const [what, text, file = 'httpd.conf'] of LISTS) {
      if (only && !what.includes(only)) continue;
      const row = await measure(folder, what, text, file);
      rows.push(row);
      const number = (value: number) => value.toFixed(1).padStart(7);
      console.log(
        `${what.padEnd(30)} ${String(row.items).padStart(5)} items  at once ${number(row.atOnce)}  first ${number(row.first)}  later ${number(row.later)}  ping ${number(row.ping)} ms  own ${number(row.firstOwn)} ${number(row.laterOwn)} ms  ${row.kilobytes} kB`,
      );
    }
    const record = { ...machine(), rows };
    if (!only)
      writeFileSync(
        path.join(repositoryRoot, 'test', 'bench', 'completion-results.json'),
        `${JSON.stringify(record, null, 2)}\n`,
      );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(folder: string, what: string, source: string, file: string): Promise<Row> {
  const uri = pathToFileURL(path.join(folder, 'conf', file)).href;
  // The list is asked for in a file with something in it.
  const text = file === 'httpd.conf' ? `${source}${configurationText(500)}` : source;
  const once: number[] = [];
  const first: number[] = [];
  const later: number[] = [];
  const ping: number[] = [];
  const firstOwn: number[] = [];
  const laterOwn: number[] = [];
  let items = 0;
  let kilobytes = 0;
  for (let run = 0; run < RUNS; run++) {
    for (const waits of [false, true]) {
      const editor = await Editor.start(path.join(folder, 'conf'));
      await editor.open(uri, text.replace('|', ''));
      if (waits) await new Promise((resolve) => setTimeout(resolve, 1000));
      const at = position(text);
      const begun = await timed(() => editor.complete(uri, at));
      (waits ? first : once).push(begun.ms);
      items = begun.value?.items.length ?? 0;
      kilobytes = Math.round(JSON.stringify(begun.value).length / 1000);
      for (let i = 0; waits && i < 9; i++) {
        await editor.type(uri, text);
        later.push((await timed(() => editor.complete(uri, at))).ms);
        ping.push((await timed(() => editor.ping())).ms);
      }
      await editor.stop();
      if (waits) {
        firstOwn.push(editor.own[0]);
        laterOwn.push(...editor.own.slice(1));
      }
    }
  }
  return {
    what,
    items,
    atOnce: median(once),
    first: median(first),
    later: median(later),
    ping: median(ping),
    firstOwn: median(firstOwn),
    laterOwn: median(laterOwn),
    kilobytes,
  };
}

class Editor {
  private version = 1;
  /** Milliseconds that the server says it took, a list each; all of them once it has stopped. */
  readonly own: number[] = [];

  private constructor(
    private readonly process: ChildProcess,
    private readonly connection: ProtocolConnection,
  ) {
    let rest = '';
    (process.stdio[3] as Readable).setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const [method, wall] of lines.map((line) => line.split(' ')))
        if (method === 'textDocument/completion') this.own.push(Number(wall));
    });
  }

  static async start(folder: string): Promise<Editor> {
    const child = spawn(
      process.execPath,
      ['--require', path.join(__dirname, 'own-time.js'), bundle('server.js'), '--stdio'],
      { stdio: ['pipe', 'pipe', 'inherit', 'pipe'] },
    );
    const connection = createProtocolConnection(
      new StreamMessageReader(child.stdout!),
      new StreamMessageWriter(child.stdin!),
    );
    connection.listen();
    await connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: null,
      workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'bench' }],
      initializationOptions: { client: 'httpd-upgrade', trusted: true },
      // As VS Code says it.
      capabilities: {
        textDocument: {
          diagnostic: {},
          completion: {
            completionItem: {
              snippetSupport: true,
              labelDetailsSupport: true,
              insertReplaceSupport: true,
              tagSupport: { valueSet: [1] },
              resolveSupport: { properties: ['documentation', 'detail', 'additionalTextEdits'] },
            },
            completionList: { itemDefaults: ['editRange', 'data'] },
          },
        },
      },
    });
    await connection.sendNotification('initialized', {});
    return new Editor(child, connection);
  }

  async open(uri: string, text: string): Promise<void> {
    await this.connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId: 'apacheconf', version: 1, text },
    });
    await this.connection.sendRequest('textDocument/diagnostic', { textDocument: { uri } });
  }

  complete(uri: string, at: { line: number; character: number }): Promise<CompletionList | null> {
    return this.connection.sendRequest('textDocument/completion', { textDocument: { uri }, position: at });
  }

  /**
   * A letter at the end of the file: the list stays, and nothing that was known of the text is of
   * use.
   */
  async type(uri: string, text: string): Promise<void> {
    const line = text.split('\n').length - 1;
    const at = { line, character: 0 };
    await this.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version: ++this.version },
      contentChanges: [{ range: { start: at, end: at }, text: '#' }],
    });
  }

  /** An answer that takes no work: the pauses before it are the same. */
  ping(): Promise<unknown> {
    return this.connection.sendRequest('textDocument/signatureHelp', {
      textDocument: { uri: 'file:///not/open' },
      position: { line: 0, character: 0 },
    });
  }

  async stop(): Promise<void> {
    await this.connection.sendRequest('shutdown');
    await this.connection.sendNotification('exit');
    await new Promise((resolve) => this.process.on('close', resolve));
    this.connection.dispose();
  }
}

function position(text: string): { line: number; character: number } {
  const before = text.slice(0, text.indexOf('|')).split('\n');
  return { line: before.length - 1, character: before[before.length - 1].length };
}

async function timed<T>(run: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const start = performance.now();
  const value = await run();
  return { ms: performance.now() - start, value };
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];
}

main().catch((error) => {
  console.error(error);
  // A server that still runs does not hold us.
  process.exit(1);
});
