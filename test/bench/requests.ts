/**
 * The cost of each request for the running server in a file of 100,000 lines: `npm run
 * bench:requests` prints a table. The file is open in a workspace where a main file includes it;
 * each request follows a letter typed at the end of another line, and is repeated without one.
 * Milliseconds of processor time from reading the request to having written the answer, all
 * threads: the minimum of the runs, and their median; and the size of the answer.
 *
 * A word after the command selects the requests with that word in their names.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { TextDocument } from 'vscode-languageserver-textdocument';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { bundle } from '../support/built';
import { configurationText } from './texts';

const LINES = 100_000;
const RUNS = 15;

const HEAD = [
  'Define ROOT /srv/www',
  'Define RARE /srv/rare',
  'LogFormat "%h %u" short',
  '<Macro Site $name $root>',
  '    ServerAlias $name.example.com',
  '    CustomLog "logs/$name.log" short',
  '    DocumentRoot $root/${RARE}',
  '</Macro>',
  '<Proxy balancer://farm>',
  '    BalancerMember http://192.0.2.1:8080',
  '</Proxy>',
  'RewriteMap lower int:tolower',
  '',
].join('\n');

/** A macro, a log format and a balancer used in every hundredth host, a variable in all. */
function text(): string {
  let host = 0;
  return `${HEAD}${configurationText(LINES)
    .replaceAll('/srv/www/host', '${ROOT}/host')
    .replace(/^ {4}# site \d+$/gm, (line) =>
      host++ % 100 === 0
        ? `    Use Site n${host} /srv/n${host}`
        : host % 100 === 2
          ? '    ProxyPass /farm balancer://farm/'
          : line,
    )}`;
}

type Params = Record<string, unknown>;

/** `at` is the place of some text, the first, or the last where it says so. */
interface Request {
  readonly what: string;
  readonly method: string;
  readonly at?: string;
  readonly isLast?: boolean;
  readonly params?: (at: object, answers: ReadonlyMap<string, unknown>) => Params;
}

const RANGE = (line: number, rows: number) => ({
  start: { line, character: 0 },
  end: { line: line + rows, character: 0 },
});
const OPTIONS = { tabSize: 4, insertSpaces: true };
const item = (answers: ReadonlyMap<string, unknown>) => ({ item: (answers.get('call hierarchy') as unknown[])[0] });
const renamed = (newName: string) => (position: object) => ({ position, newName });

const REQUESTS: readonly Request[] = [
  ...[
    { kind: 'variable used in 3 lines', at: 'RARE' },
    { kind: 'variable where it is used', at: '{RARE' },
    { kind: 'variable used in 5,000 lines', at: 'ROOT' },
    { kind: 'macro', at: 'Site ' },
    { kind: 'log format', at: 'short' },
    { kind: 'balancer', at: 'farm' },
    { kind: 'host', at: 'host4999.example', isLast: true },
    { kind: 'environment, 5,000 lines', at: 'bad_bot' },
  ].flatMap(({ kind, ...place }) => [
    {
      what: `references: ${kind}`,
      method: 'textDocument/references',
      ...place,
      params: (position: object) => ({ position, context: { includeDeclaration: true } }),
    },
    { what: `highlights: ${kind}`, method: 'textDocument/documentHighlight', ...place },
    { what: `prepareRename: ${kind}`, method: 'textDocument/prepareRename', ...place },
    { what: `rename: ${kind}`, method: 'textDocument/rename', ...place, params: renamed('another') },
    { what: `definition: ${kind}`, method: 'textDocument/definition', ...place },
  ]),
  { what: 'rename: parameter', method: 'textDocument/rename', at: '$root', params: renamed('$folder') },
  ...['', 'host', 'h4999', 'site', 'zzz', 'virtualhost'].map((query) => ({
    what: `workspace symbols: ${JSON.stringify(query)}`,
    method: 'workspace/symbol',
    params: () => ({ query }),
  })),
  { what: 'code lens', method: 'textDocument/codeLens' },
  {
    what: 'code lens: a host',
    method: 'codeLens/resolve',
    params: (_, answers) => (answers.get('code lens') as Params[]).at(-1)!,
  },
  {
    what: 'code lens: a variable',
    method: 'codeLens/resolve',
    params: (_, answers) => (answers.get('code lens') as Params[])[0]!,
  },
  { what: 'call hierarchy', method: 'textDocument/prepareCallHierarchy', at: 'Site ' },
  { what: 'incoming calls', method: 'callHierarchy/incomingCalls', params: (_, answers) => item(answers) },
  { what: 'outgoing calls', method: 'callHierarchy/outgoingCalls', params: (_, answers) => item(answers) },
  {
    what: 'selection ranges',
    method: 'textDocument/selectionRange',
    at: 'bot4999',
    isLast: true,
    params: (at) => ({ positions: [at] }),
  },
  { what: 'linked editing', method: 'textDocument/linkedEditingRange', at: 'Directory ', isLast: true },
  { what: 'highlights: tags', method: 'textDocument/documentHighlight', at: 'Directory ', isLast: true },
  { what: 'outline', method: 'textDocument/documentSymbol' },
  { what: 'folding', method: 'textDocument/foldingRange' },
  { what: 'hover', method: 'textDocument/hover', at: 'bad_bot', isLast: true },
  { what: 'completion', method: 'textDocument/completion', at: 'RewriteEngine', isLast: true },
  { what: 'signature help', method: 'textDocument/signatureHelp', at: 'bad_bot', isLast: true },
  { what: 'links', method: 'textDocument/documentLink' },
  {
    what: 'code actions',
    method: 'textDocument/codeAction',
    params: () => ({ range: RANGE(50_000, 1), context: { diagnostics: [] } }),
  },
  { what: 'inlay hints of 60 lines', method: 'textDocument/inlayHint', params: () => ({ range: RANGE(50_000, 60) }) },
  {
    what: 'tokens of 60 lines',
    method: 'textDocument/semanticTokens/range',
    params: () => ({ range: RANGE(50_000, 60) }),
  },
  { what: 'tokens, all', method: 'textDocument/semanticTokens/full' },
  {
    what: 'tokens, changes',
    method: 'textDocument/semanticTokens/full/delta',
    params: (_, answers) => ({
      previousResultId: (
        (answers.get('tokens, changes') as { resultId: string } | undefined) ??
        (answers.get('tokens, all') as { resultId: string })
      ).resultId,
    }),
  },
  {
    what: 'formatting of 60 lines',
    method: 'textDocument/rangeFormatting',
    params: () => ({ range: RANGE(50_000, 60), options: OPTIONS }),
  },
  {
    what: 'formatting on Enter',
    method: 'textDocument/onTypeFormatting',
    at: '\n    RewriteEngine',
    isLast: true,
    params: (position) => ({ position, ch: '\n', options: OPTIONS }),
  },
  { what: 'formatting, nothing to do', method: 'textDocument/formatting', params: () => ({ options: OPTIONS }) },
  {
    what: 'formatting, every line',
    method: 'textDocument/formatting',
    params: () => ({ options: { tabSize: 2, insertSpaces: true } }),
  },
];

async function main(): Promise<void> {
  const only = process.argv[2] ?? '';
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'httpd-upgrade-bench-')));
  const source = text();
  writeFileSync(path.join(folder, 'httpd.conf'), `ServerRoot ${folder}\nListen 80\nInclude hosts.conf\n`);
  writeFileSync(path.join(folder, 'hosts.conf'), source);
  const child = spawn(
    process.execPath,
    ['--require', path.join(__dirname, 'own-time.js'), bundle('server.js'), '--stdio'],
    { stdio: ['pipe', 'pipe', 'inherit', 'pipe'] },
  );
  const own: number[] = [];
  let heard = () => {};
  (child.stdio[3] as Readable).setEncoding('utf8').on('data', (lines: string) => {
    own.push(
      ...lines
        .split('\n')
        .filter(Boolean)
        .map((line) => Number(line.split(' ')[2])),
    );
    heard();
  });
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout!),
    new StreamMessageWriter(child.stdin!),
  );
  connection.onRequest('workspace/configuration', ({ items }: { items: unknown[] }) =>
    items.map(() => ({ codeLens: true })),
  );
  connection.onRequest('client/registerCapability', () => null);
  connection.listen();
  try {
    await connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: null,
      workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'bench' }],
      initializationOptions: { trusted: true, settings: { codeLens: true } },
      capabilities: {
        textDocument: {
          diagnostic: {},
          rename: { prepareSupport: true },
          documentSymbol: { hierarchicalDocumentSymbolSupport: true },
        },
        workspace: { workspaceEdit: { documentChanges: true }, diagnostics: { refreshSupport: true } },
      },
    });
    await connection.sendNotification('initialized', {});
    const uri = pathToFileURL(path.join(folder, 'hosts.conf')).href;
    await connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId: 'apacheconf', version: 1, text: source },
    });
    await connection.sendRequest('textDocument/diagnostic', { textDocument: { uri } });
    await connection.sendRequest('httpdUpgrade/includeTree', { uri: null });
    await new Promise((resolve) => setTimeout(resolve, 2000));
    own.length = 0;
    const document = TextDocument.create(uri, 'apacheconf', 1, source);
    // A comment line: no place of a request moves.
    const typed = document.positionAt(source.indexOf('webmaster', source.length / 2));
    const answers = new Map<string, unknown>();
    let version = 1;
    /** Processor time of one request. */
    const ask = async ({ what, method, params, at, isLast }: Request): Promise<number> => {
      const offset = at === undefined ? 0 : isLast ? source.lastIndexOf(at) : source.indexOf(at);
      const position = document.positionAt(offset + 1);
      const whole = method.startsWith('textDocument/') ? { textDocument: { uri } } : {};
      const answer = await connection
        .sendRequest(method, { ...whole, ...(params ? params(position, answers) : { position }) })
        .catch((error: Error) => error.message);
      answers.set(what, answer);
      if (own.length === 0) await new Promise<void>((resolve) => (heard = resolve));
      return own.shift()!;
    };
    console.log(
      `${''.padEnd(46)} ${'typed'.padStart(8)} ${'median'.padStart(8)} ${'again'.padStart(8)} ${'median'.padStart(8)}  answer`,
    );
    for (const request of REQUESTS) {
      const isAsked = request.what.includes(only);
      const after: number[] = [];
      const again: number[] = [];
      for (let run = 0; run < (isAsked ? RUNS : 1); run++) {
        await connection.sendNotification('textDocument/didChange', {
          textDocument: { uri, version: ++version },
          contentChanges: [
            run % 2 === 0
              ? { range: { start: typed, end: typed }, text: 'x' }
              : { range: { start: typed, end: { ...typed, character: typed.character + 1 } }, text: '' },
          ],
        });
        // The requests of an editor after each letter.
        await connection.sendRequest('textDocument/diagnostic', { textDocument: { uri } });
        if (own.length === 0) await new Promise<void>((resolve) => (heard = resolve));
        own.length = 0;
        after.push(await ask(request));
        again.push(await ask(request));
      }
      if (!isAsked) continue;
      const answer = JSON.stringify(answers.get(request.what)) ?? '';
      const columns = [after, again]
        .flatMap((times) => [Math.min(...times), median(times)])
        .map((ms) => ms.toFixed(1).padStart(8));
      console.log(
        `${request.what.padEnd(46)} ${columns.join(' ')}  ${answer.length > 2000 ? `${Math.round(answer.length / 1000)} kB` : answer.slice(0, 70)}`,
      );
    }
    await connection.sendRequest('shutdown');
    await connection.sendNotification('exit');
    connection.dispose();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
}

main().catch((error) => {
  console.error(error);
  // A server that still runs does not hold us.
  process.exit(1);
});
