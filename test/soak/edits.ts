/** Random edits, in process and over stdio: what is told of the edited text is what a new server tells of it. */
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
import { bundle } from '../support/paths';
import { Random } from '../support/random';
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

/** How many edits were made. Of some of the texts everything is compared, of the others the text and what an edit is likely to break. */
export function editsInProcess(seed: number, edits: number): number {
  const random = new Random(seed);
  for (let done = 0; done < edits; ) {
    const round = random.below(1_000_000_000);
    const own = new Random(round);
    const text =
      own.below(20) === 0 ? oldText(2000) : Array.from({ length: 20 + own.below(60) }, () => own.pick(PIECES)).join('');
    const file = { isHtaccess: own.below(4) === 0 };
    const engine = newEngine();
    let ours = ConfigDocument.create('file:///a', 'apacheconf', 0, text);
    let theirs = TextDocument.create('file:///a', 'apacheconf', 0, text);
    told(ours.tree, engine, file);
    for (let edit = 1; edit <= 40 && done < edits; edit++, done++) {
      const changes = [change(own, theirs)];
      theirs = TextDocument.update(theirs, changes, edit);
      ours = ConfigDocument.update(ours, changes, edit);
      const where = `seed ${seed}, round ${round}, edit ${edit}`;
      if (ours.getText() !== theirs.getText()) assert.fail(`${where}: another text`);
      if (edit % 8 === 0)
        assert.deepEqual(told(ours.tree, engine, file), told(Tree.parse(theirs.getText()), newEngine(), file), where);
      else engine.analyze(ours.tree, file);
    }
  }
  return edits;
}

function change(random: Random, document: TextDocument): TextDocumentContentChangeEvent {
  const { length } = document.getText();
  const from = random.below(length + 1);
  const to = random.below(3) === 0 ? Math.min(length, from + random.below(random.below(4) === 0 ? 300 : 8)) : from;
  return {
    range: { start: document.positionAt(from), end: document.positionAt(to) },
    text: to > from && random.below(3) > 0 ? '' : random.pick(PIECES),
  };
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
] as const;

/** The same over stdio: one server hears of every edit, and another one is given the text anew. */
export async function editsOverStdio(seed: number, edits: number): Promise<number> {
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
    });
    return JSON.parse(
      JSON.stringify(answer, (key, value: unknown) => (key === 'resultId' || key === 'version' ? undefined : value)),
    );
  }
}
