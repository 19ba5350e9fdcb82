/**
 * What a person waits for in an editor, in the server alone: `npm run bench:waits` prints a table.
 * A client like our own opens a folder, gets the plan that causes the invitation, answers a
 * question, and requests the preview of all ready fixes; and hovers in the middle of a long file.
 * Each row has the time on the clock and the processor time of the server, all threads, in ms.
 *
 * The time of a plan begins where our client's does: the folder when the server is initialized, an
 * answer when its file is reported.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ProtocolConnection } from 'vscode-languageserver-protocol/node';
import type { PlanReply } from '../../server/src/lsp/plans';
import { bundle } from '../support/built';
import { connectedTo } from './connection';
import { oldServer, oldText } from './old-files';

interface Row {
  readonly what: string;
  readonly ms: number;
  readonly processor: number;
}

const RUNS = 5;
const PROJECT_FILE = '.httpd-upgrade.json';

async function main(): Promise<void> {
  const sizes = process.argv[2] ? [Number(process.argv[2])] : [17, 100, 140];
  for (const files of sizes) {
    const runs: Row[][] = [];
    for (let run = 0; run < RUNS; run++) runs.push(await inFolder((folder) => waits(folder, files)));
    print(least(runs), `${files} files`);
  }
  const hovers: Row[][] = [];
  for (let run = 0; run < RUNS; run++) hovers.push(await inFolder(hover));
  print(least(hovers), '50,000 lines');
}

/** Opens a folder, plans, answers and previews. */
async function waits(folder: string, files: number): Promise<Row[]> {
  for (const [file, text] of oldServer(folder, files)) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const server = new Server();
  await server.start(folder);
  const rows = [await server.timed('folder open to the first plan', () => server.planChanged())];
  const first = await server.plan();
  const [question] = first.plan.configurations.flatMap(({ questions }) => questions);
  if (!question) throw new Error('no question');
  const usual = question.answers.find((answer) => 'value' in answer && typeof answer.value === 'string')!;
  await server.quiet();
  const answers = path.join(folder, PROJECT_FILE);
  writeFileSync(answers, JSON.stringify({ answers: { [question.id]: (usual as { value: string }).value } }));
  rows.push(
    await server.timed('answer to the changed plan', async () => {
      const changed = server.planChanged();
      await server.connection.sendNotification('workspace/didChangeWatchedFiles', {
        changes: [{ uri: pathToFileURL(answers).href, type: 1 }],
      });
      await changed;
      await server.plan();
    }),
  );
  await server.quiet();
  rows.push(
    await server.timed('click to the preview of the ready fixes', async () => {
      const ready = { root: pathToFileURL(`${folder}/conf/httpd.conf`).href };
      const shown = await server.connection.sendRequest<object>('httpdUpgrade/planConversion', { ready });
      if (!('files' in shown)) throw new Error(JSON.stringify(shown));
    }),
  );
  server.stop();
  return rows;
}

async function hover(folder: string): Promise<Row[]> {
  const file = path.join(folder, 'httpd.conf');
  const text = oldText(50_000);
  writeFileSync(file, text);
  const uri = pathToFileURL(file).href;
  const server = new Server();
  await server.start(folder);
  await server.connection.sendNotification('textDocument/didOpen', {
    textDocument: { uri, languageId: 'apacheconf', version: 1, text },
  });
  await server.connection.sendRequest('textDocument/diagnostic', { textDocument: { uri } });
  await server.quiet();
  const lines = text.split('\n');
  const line = lines.findIndex((each, at) => at >= 25_000 && each.includes('Order'));
  const at = (further: number) => ({ textDocument: { uri }, position: { line: line + further * 14, character: 10 } });
  const rows: Row[] = [];
  for (const what of ['first hover of a problem', 'the next hover of one'])
    rows.push(await server.timed(what, () => server.connection.sendRequest('textDocument/hover', at(rows.length))));
  const end = { line, character: lines[line]!.length };
  await server.connection.sendNotification('textDocument/didChange', {
    textDocument: { uri, version: 2 },
    contentChanges: [{ range: { start: end, end }, text: ' ' }],
  });
  rows.push(
    await server.timed('hover after a letter', () => server.connection.sendRequest('textDocument/hover', at(3))),
  );
  server.stop();
  return rows;
}

class Server {
  readonly connection: ProtocolConnection;
  private readonly process = spawn(process.execPath, [bundle('server.js'), '--stdio'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  private noticed: () => void = () => undefined;

  constructor() {
    this.connection = connectedTo(this.process);
    this.connection.onNotification('httpdUpgrade/planChanged', () => this.noticed());
    this.connection.listen();
  }

  async start(folder: string): Promise<void> {
    const uri = pathToFileURL(folder).href;
    await this.connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: uri,
      workspaceFolders: [{ uri, name: 'bench' }],
      capabilities: {
        workspace: { applyEdit: true, configuration: true, diagnostics: { refreshSupport: true } },
        textDocument: { diagnostic: {} },
      },
      initializationOptions: { client: 'httpd-upgrade', trusted: true },
    });
    await this.connection.sendNotification('initialized', {});
  }

  planChanged(): Promise<void> {
    return new Promise((resolve) => (this.noticed = resolve));
  }

  plan(): Promise<PlanReply> {
    return this.connection.sendRequest('httpdUpgrade/plan', {});
  }

  async timed(what: string, work: () => Promise<unknown>): Promise<Row> {
    const used = this.processorMs();
    const start = performance.now();
    await work();
    return { what, ms: performance.now() - start, processor: this.processorMs() - used };
  }

  /** Resolves when the server has done nothing for a while. */
  async quiet(): Promise<void> {
    for (let before = -1; before !== this.processorMs(); ) {
      before = this.processorMs();
      await new Promise((resolve) => setTimeout(resolve, 1500));
    }
  }

  stop(): void {
    this.process.kill();
    this.connection.dispose();
  }

  /** Counted by the kernel in hundredths of a second. */
  private processorMs(): number {
    const [user, system] = readFileSync(`/proc/${this.process.pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .slice(11, 13);
    return (Number(user) + Number(system)) * 10;
  }
}

async function inFolder<Result>(run: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'httpd-upgrade-bench-')));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The least of the runs, row by row. */
function least(runs: readonly Row[][]): Row[] {
  return runs[0]!.map(({ what }, index) => ({
    what,
    ms: Math.min(...runs.map((rows) => rows[index]!.ms)),
    processor: Math.min(...runs.map((rows) => rows[index]!.processor)),
  }));
}

function print(rows: readonly Row[], where: string): void {
  for (const { what, ms, processor } of rows)
    console.log(
      `${what.padEnd(42)} ${where.padStart(12)}  ${ms.toFixed(0).padStart(6)} ms  (processor ${processor} ms)`,
    );
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
