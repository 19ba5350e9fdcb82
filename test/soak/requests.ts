/**
 * Every request of the protocol on hostile files, to a server in this process: the processor time
 * of each, trusted and not. Work in slices after an answer counts for the next request, as in an
 * editor.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CodeAction, CompletionList, Location, Position } from 'vscode-languageserver-protocol/node';
import { inProcess, type InProcess } from '../lsp/in-process';
import { FULL } from '../lsp/client';
import { Random } from '../support/random';
import { hostileFile } from './hostile-files';

export interface Cost {
  readonly request: string;
  /** Milliseconds of the processor. */
  readonly ms: number;
  readonly file: number;
  readonly shapes: readonly string[];
  readonly isTrusted: boolean;
}

/**
 * These report their progress, can be cancelled, and yield to other requests: they may take longer.
 */
export const LONG: ReadonlySet<string> = new Set([
  'httpdUpgrade/plan',
  'httpdUpgrade/planConversion',
  'httpdUpgrade/report',
  'httpdUpgrade/includeTree',
  'workspace/diagnostic',
]);

/**
 * The cost of each request on each of `count` files; the background work that opening a file starts
 * is waited for first.
 */
export async function costsOfRequests(seed: number, count: number): Promise<Cost[]> {
  const random = new Random(seed);
  const costs: Cost[] = [];
  for (let file = 0; file < count; file++) {
    const { text, shapes } = hostileFile(random);
    const folder = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-requests-'));
    try {
      writeFileSync(path.join(folder, 'httpd.conf'), `ServerRoot "${folder}"\nListen 80\n${text}`);
      for (const isTrusted of [true, false]) {
        const took = await requestsOn(folder, `ServerRoot "${folder}"\nListen 80\n${text}`, isTrusted);
        for (const [request, ms] of took) costs.push({ request, ms, file, shapes, isTrusted });
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  return costs;
}

/** A line for each request over the bound. */
export function over(costs: readonly Cost[], most: number): string[] {
  return costs
    .filter(({ request, ms }) => ms > most && !LONG.has(request))
    .map(
      ({ request, ms, file, shapes, isTrusted }) =>
        `file ${file} (${shapes.join(', ')}), ${isTrusted ? 'trusted' : 'restricted'}: ${request} ${ms.toFixed(0)} ms`,
    );
}

// ---------------------------------------------------------------------------------------------------------------------

/** The most that each request took anywhere in the file. */
async function requestsOn(folder: string, text: string, trusted: boolean): Promise<Map<string, number>> {
  const server = inProcess();
  const { connection } = server;
  const most = new Map<string, number>();
  const ask = async <Answer>(method: string, params: object): Promise<Answer | null> => {
    const begin = process.cpuUsage();
    // An answer that the file has none for is an answer, too.
    const answer = await connection.sendRequest<Answer>(method, params).catch(() => null);
    const { user, system } = process.cpuUsage(begin);
    most.set(method, Math.max(most.get(method) ?? 0, (user + system) / 1000));
    return answer;
  };
  const folderUri = pathToFileURL(folder).href;
  await connection.sendRequest('initialize', {
    processId: process.pid,
    rootUri: null,
    capabilities: FULL,
    workspaceFolders: [{ uri: folderUri, name: 'a' }],
    initializationOptions: { client: 'httpd-upgrade', trusted },
  });
  await connection.sendNotification('initialized', {});
  const uri = `${folderUri}/httpd.conf`;
  await connection.sendNotification('textDocument/didOpen', {
    textDocument: { uri, languageId: 'apacheconf', version: 1, text },
  });
  await ask('textDocument/diagnostic', { textDocument: { uri } });
  await ask('httpdUpgrade/includeTree', { uri: null });
  await ofWholeFile(ask, uri, text);
  for (const position of positionsIn(text)) await ofPosition(ask, uri, position);
  for (const method of ['httpdUpgrade/plan', 'httpdUpgrade/planConversion', 'httpdUpgrade/report'])
    await ask(method, { root: uri, uri, format: 'markdown' });
  await stopped(server);
  return most;
}

type Ask = <Answer>(method: string, params: object) => Promise<Answer | null>;

async function ofWholeFile(ask: Ask, uri: string, text: string): Promise<void> {
  const textDocument = { uri };
  const options = { tabSize: 4, insertSpaces: true };
  const lines = text.split('\n').length;
  const range = { start: { line: 0, character: 0 }, end: { line: lines, character: 0 } };
  await ask('textDocument/diagnostic', { textDocument });
  await ask('workspace/diagnostic', { previousResultIds: [] });
  for (const name of ['documentSymbol', 'foldingRange', 'documentLink', 'codeLens', 'semanticTokens/full'])
    await ask(`textDocument/${name}`, { textDocument });
  await ask('textDocument/semanticTokens/range', { textDocument, range });
  await ask('textDocument/inlayHint', { textDocument, range });
  await ask('textDocument/formatting', { textDocument, options });
  await ask('textDocument/rangeFormatting', { textDocument, range, options });
  await ask('workspace/symbol', { query: 'ae' });
  const actions = await ask<CodeAction[]>('textDocument/codeAction', {
    textDocument,
    range,
    context: { diagnostics: [] },
  });
  for (const action of (actions ?? []).slice(0, 5)) await ask('codeAction/resolve', action);
  await ask('textDocument/codeAction', {
    textDocument,
    range,
    context: { diagnostics: [], only: ['source.fixAll'] },
  });
}

async function ofPosition(ask: Ask, uri: string, position: Position): Promise<void> {
  const at = { textDocument: { uri }, position };
  for (const name of [
    'hover',
    'definition',
    'documentHighlight',
    'signatureHelp',
    'linkedEditingRange',
    'prepareRename',
  ])
    await ask(`textDocument/${name}`, at);
  await ask<Location[]>('textDocument/references', { ...at, context: { includeDeclaration: true } });
  await ask('textDocument/rename', { ...at, newName: 'renamed' });
  await ask('textDocument/selectionRange', { textDocument: { uri }, positions: [position] });
  await ask('textDocument/onTypeFormatting', { ...at, ch: '\n', options: { tabSize: 4, insertSpaces: true } });
  await ask('textDocument/codeAction', {
    textDocument: { uri },
    range: { start: position, end: position },
    context: { diagnostics: [] },
  });
  const list = await ask<CompletionList>('textDocument/completion', at);
  const [first] = list?.items ?? [];
  if (first) await ask('completionItem/resolve', first);
  const [item] = (await ask<object[]>('textDocument/prepareCallHierarchy', at)) ?? [];
  if (item) {
    await ask('callHierarchy/incomingCalls', { item });
    await ask('callHierarchy/outgoingCalls', { item });
  }
}

/** The beginning, the end, and places in between. */
function positionsIn(text: string): Position[] {
  const lines = text.split('\n');
  return [0, 0.1, 0.5, 0.9, 1].map((part) => {
    const line = Math.min(lines.length - 1, Math.floor(lines.length * part));
    return { line, character: Math.min(lines[line]!.length, 3) };
  });
}

async function stopped({ connection }: InProcess): Promise<void> {
  await connection.sendRequest('shutdown');
  connection.dispose();
}
