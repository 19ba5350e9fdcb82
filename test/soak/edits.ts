/**
 * Random edits, in process and over stdio: the findings for the edited text are those of a new
 * server.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type ProtocolConnection,
} from 'vscode-languageserver-protocol/node';
import { TextDocument, type TextDocumentContentChangeEvent } from 'vscode-languageserver-textdocument';
import { ConfigDocument, Tree } from '../../server/src/syntax/document';
import { oldText } from '../bench/old-files';
import { bundle } from '../support/built';
import { Random } from '../support/random';
import type { Engine, FileInfo } from '../../server/src/analysis/engine';
import { summarize } from '../../server/src/config/file-summary';
import { formatEdits } from '../../server/src/features/format';
import { hover } from '../../server/src/features/hover/hover';
import { inlayHints } from '../../server/src/features/inlay-hints';
import { linksIn } from '../../server/src/features/navigation';
import { forEachSymbol, type FileSymbol } from '../../server/src/features/occurrences';
import { searchableNameAt, placesOf } from '../../server/src/features/references';
import { semanticTokens } from '../../server/src/features/semantic-tokens';
import { fileNamesOf } from '../../server/src/symbols/names-of-file';
import { newEngine, told } from './look';

const PIECES = [
  'ServerName a\n',
  'Order allow,deny\n',
  'Deny from all\n',
  'Allow from 192.0.2.7\n',
  '\n',
  '# comment \\\n',
  'Allow from \\\n',
  '<Directory /a>\n',
  '</Directory>\n',
  '<VirtualHost *:80>\n',
  '</VirtualHost>\n',
  '<IfModule mod_x.c>\n',
  '</IfModule>\n',
  '<Limit GET>\n',
  '</Limit>\n',
  '<Directory',
  '</Dir',
  '>',
  '\\',
  '\\\n',
  '\r\n',
  '\r',
  '\n',
  '\0',
  '"',
  "'",
  '#',
  ' ',
  'x',
  '${A}',
  '%{X',
  '\uFEFF',
  '😀',
  '\ud800',
  '# httpd-upgrade-ignore order-allow-deny: x\n',
  'Satisfy Any\n',
  'Require valid-user\n',
  'AuthType Basic\n',
  'MaxClients 1\n',
  'NameVirtualHost *:80\n',
  'RewriteLog x\n',
  'RewriteRule ^ ${m:%1}\n',
  'Define A b\n',
  '<Macro m $a>\n',
  '</Macro>\n',
  'Use m 1\n',
  'ServerRoot /x\n',
  'Include x\n',
  '{% if a %}\n',
  '{% endif %}\n',
  'SSLMutex default\n',
  '<If "1 == 1">\n',
  '</If>\n',
];

/** So many edits in a document; then there is another one. */
const ROUND = 72;
/** So many edits go by from one comparison to the next. */
const BETWEEN = 24;

/**
 * Returns the number of edits. They come in messages of one to six, as editors send them. After
 * each message the text is compared and the findings are requested, so that caches see every state;
 * after each 24th edit, and the last one of each document, all answers are compared with those of a
 * new engine.
 */
export function editsInProcess(seed: number, edits: number): number {
  const random = new Random(seed);
  for (let done = 0; done < edits; ) {
    const round = random.below(1_000_000_000);
    const own = new Random(round);
    const text = begun(own);
    const file = { isHtaccess: own.below(4) === 0 };
    const engine = newEngine();
    let ours = ConfigDocument.create('file:///a', 'apacheconf', 0, text);
    let theirs = TextDocument.create('file:///a', 'apacheconf', 0, text);
    everything(ours.tree, engine, file, 0);
    const last = Math.min(ROUND, edits - done);
    for (let edit = 0, compared = 0; edit < last; ) {
      const changes: TextDocumentContentChangeEvent[] = [];
      for (let more = Math.min(1 + own.below(6), last - edit); more > 0; more--, edit++) {
        const next = change(own, theirs);
        changes.push(next);
        theirs = TextDocument.update(theirs, [next], edit);
      }
      ours = ConfigDocument.update(ours, changes, edit);
      const where = `seed ${seed}, round ${round}, edit ${edit}`;
      if (ours.getText() !== theirs.getText()) assert.fail(`${where}: another text`);
      if (edit < last && edit - compared < BETWEEN) {
        engine.analyze(ours.tree, file);
        continue;
      }
      compared = edit;
      const at = own.next();
      const fresh = Tree.parse(theirs.getText());
      assert.deepEqual(everything(ours.tree, engine, file, at), everything(fresh, newEngine(), file, at), where);
    }
    done += last;
  }
  return edits;
}

/**
 * Most texts are short, because they are soon looked at and every line of them meets every other
 * one; some are as people have them.
 */
function begun(random: Random): string {
  const pieces = (count: number) => Array.from({ length: count }, () => random.pick(PIECES)).join('');
  const kind = random.below(200);
  if (kind === 0) return oldText(500);
  return pieces(kind < 30 ? 20 + random.below(60) : random.below(12));
}

/** `at`: what share of the text lies before the cursor. */
function everything(tree: Tree, engine: Engine, file: FileInfo, at: number) {
  const offset = Math.floor(at * tree.length);
  const { hashes, variables, isEmpty, hasOnlyServingLines, hasUse } = summarize(tree.root);
  return {
    ...told(tree, engine, file, 0),
    hover: hover(tree, offset, engine.target),
    tokens: semanticTokens(tree),
    hints: inlayHints({ tree, start: 0, end: tree.length, engine, ...file, showsInherited: true, showsDefaults: true }),
    format: formatEdits(tree, FORMAT),
    names: namesIn(tree),
    links: linksIn(tree, {
      configurationModels: [],
      path: '/a',
      engine,
      kindOfPath: () => null,
      fileSummary: () => summarize(tree.root),
    }),
    places: placesAt(tree, offset),
    jumps: symbolsIn(tree),
    fileSummary: [hashes, variables, isEmpty, hasOnlyServingLines, hasUse],
  };
}

function placesAt(tree: Tree, offset: number): unknown {
  const named = searchableNameAt(tree, offset)?.occurrence;
  return named && placesOf(tree, named, Infinity).map((each) => ({ ...each, line: each.line.text }));
}

function namesIn(tree: Tree): unknown {
  const { definingLines, topLines, ...rest } = fileNamesOf(tree);
  const lines = [...topLines].map(([name, all]) => [
    name,
    all.map((each) => ({ ...each, conditions: each.conditions.map(({ text }) => text) })),
  ]);
  return { defined: definingLines, lines, ...rest };
}

function symbolsIn(tree: Tree): FileSymbol[] {
  const all: FileSymbol[] = [];
  forEachSymbol(tree.root, (symbol) => void all.push(symbol));
  return all;
}

const FORMAT = {
  tabSize: 4,
  insertSpaces: true,
  alignment: 'keep',
  insertFinalNewline: true,
  trimFinalNewlines: true,
} as const;

function change(random: Random, document: TextDocument): TextDocumentContentChangeEvent {
  const { length } = document.getText();
  const from = random.below(length + 1);
  const to = random.below(3) === 0 ? Math.min(length, from + random.below(random.below(4) === 0 ? 300 : 8)) : from;
  const range = { start: document.positionAt(from), end: document.positionAt(to) };
  switch (random.below(80)) {
    case 0:
      // All of it anew.
      return { text: begun(random) };
    case 1:
      // The wrong way round.
      return { range: { start: range.end, end: range.start }, text: random.pick(PIECES) };
    case 2:
      return { range: { start: range.start, end: { line: 1e9, character: 0 } }, text: random.pick(PIECES) };
    case 3:
      return {
        range: { start: { ...range.start, character: 2 ** 31 - 1 }, end: { line: range.end.line, character: 1e308 } },
        text: random.pick(PIECES),
      };
    default:
      return { range, text: to > from && random.below(3) > 0 ? '' : random.pick(PIECES) };
  }
}

/** What a server is asked of a document, beside its diagnostics. */
const ASKED = [
  'textDocument/diagnostic',
  'textDocument/documentSymbol',
  'textDocument/foldingRange',
  'textDocument/hover',
  'textDocument/inlayHint',
  'textDocument/documentLink',
  'textDocument/codeAction',
  'textDocument/semanticTokens/full',
  'textDocument/formatting',
] as const;

/** A server waits most of the time, so that several go at once. */
const PAIRS = 4;

/**
 * The same over stdio: one server hears of every edit, and another one is given the text anew, each
 * tenth edit.
 */
export async function editsOverStdio(seed: number, edits: number): Promise<number> {
  const shares = Array.from({ length: PAIRS }, (_, pair) => Math.floor((edits + pair) / PAIRS));
  const made = await Promise.all(shares.map((share, pair) => editsOfPair(seed + pair, share)));
  return made.reduce((sum, each) => sum + each, 0);
}

async function editsOfPair(seed: number, edits: number): Promise<number> {
  const random = new Random(seed);
  const [one, other] = [await Server.start(), await Server.start()];
  try {
    for (let done = 0, file = 0; done < edits; file++) {
      const uri = `file:///soak${file}${random.below(4) === 0 ? '/.htaccess' : '.conf'}`;
      let document = TextDocument.create(
        uri,
        'apacheconf',
        0,
        Array.from({ length: 20 + random.below(60) }, () => random.pick(PIECES)).join(''),
      );
      one.open(document);
      for (let edit = 1; edit <= 50 && done < edits; edit++, done++) {
        const contentChanges = [change(random, document)];
        document = TextDocument.update(document, contentChanges, edit);
        one.send('textDocument/didChange', { textDocument: { uri, version: edit }, contentChanges });
        if (edit % 10 !== 0) continue;
        other.open(document);
        const position = document.positionAt(random.below(document.getText().length + 1));
        for (const method of ASKED)
          assert.deepEqual(
            await one.ask(method, uri, position),
            await other.ask(method, uri, position),
            `seed ${seed}, edit ${done}, ${method}`,
          );
        other.send('textDocument/didClose', { textDocument: { uri } });
      }
      one.send('textDocument/didClose', { textDocument: { uri } });
    }
    return edits;
  } finally {
    one.stop();
    other.stop();
  }
}

class Server {
  private constructor(
    private readonly connection: ProtocolConnection,
    readonly stop: () => void,
  ) {}

  static async start(): Promise<Server> {
    const child = spawn(process.execPath, [bundle('server.js'), '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const connection = createProtocolConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    connection.onRequest('workspace/configuration', ({ items }: { items: unknown[] }) => items.map(() => null));
    connection.onRequest('client/registerCapability', () => null);
    connection.listen();
    await connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: null,
      capabilities: { textDocument: { diagnostic: { relatedInformation: true }, inlayHint: {} } },
    });
    await connection.sendNotification('initialized', {});
    return new Server(connection, () => {
      connection.dispose();
      child.kill();
    });
  }

  open(document: TextDocument): void {
    this.send('textDocument/didOpen', {
      textDocument: {
        uri: document.uri,
        languageId: 'apacheconf',
        version: document.version,
        text: document.getText(),
      },
    });
  }

  send(method: string, params: object): void {
    void this.connection.sendNotification(method, params);
  }

  /** Without what says which version of which server it is from. */
  async ask(
    method: (typeof ASKED)[number],
    uri: string,
    position: { line: number; character: number },
  ): Promise<unknown> {
    const range = { start: { line: 0, character: 0 }, end: position };
    const answer = await this.connection.sendRequest<{ resultId?: string } | null>(method, {
      textDocument: { uri },
      position,
      range,
      context: { diagnostics: [] },
      options: { tabSize: 4, insertSpaces: true },
    });
    return JSON.parse(
      JSON.stringify(answer, (key, value: unknown) => (key === 'resultId' || key === 'version' ? undefined : value)),
    );
  }
}
