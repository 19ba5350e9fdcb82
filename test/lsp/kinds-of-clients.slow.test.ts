/**
 * Clients of each kind send the same requests for the same configuration and get answers with the
 * same meaning.
 */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import type {
  ClientCapabilities,
  Diagnostic,
  Location,
  LocationLink,
  DocumentSymbol,
  Position,
  Range,
  SymbolInformation,
  TextEdit,
  WorkspaceEdit,
} from 'vscode-languageserver-protocol/node';
import { withFolder } from '../cli/run';
import { Client, FULL, type ClientOptions } from './client';
import { counted, placed, type Encoding } from './counting';

const MODULES = ['authz_core', 'authz_host', 'authn_core', 'dir', 'mime', 'unixd', 'mpm_event', 'alias', 'log_config']
  .map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`)
  .join('');

const ROOT = `ServerRoot "@"\nListen 80\n${MODULES}# é 😀\nDefine SITES /srv/é\nLogFormat "%h" short\nInclude conf.d/*.conf\n`;
/** As it is opened; then a line of it becomes another. */
const OPENED =
  '# 😀 é\n<VirtualHost *:80>\nServerName 	é.example.org\nKeepAlive On\n<Directory "${SITES}/é">\nOrder allow,deny\nAllow from all\nAuthUserFile conf.d/b.conf\n</Directory>\nCustomLog logs/é short\n</VirtualHost>\n';
const SITE = OPENED.replace('KeepAlive On', 'MaxClients 10 # é\nSSLEngine on');
const OTHER = '# é\nAlias /é ${SITES}/other\n';

/** `at` is the place of a text in the site. */
type At = (text: string) => Range;

/** What a client asks; the answer in a form that is the same for all. */
const QUESTIONS: readonly (readonly [
  what: string,
  method: string,
  params: (at: At) => object,
  plain: (answer: never) => unknown,
])[] = [
  [
    'hover',
    'textDocument/hover',
    (at) => ({ position: at('MaxClients').start }),
    ({ contents }: { contents: { value: string } }) => /MaxRequestWorkers/.test(contents.value),
  ],
  [
    'completion',
    'textDocument/completion',
    (at) => ({ position: at('MaxClients').start }),
    (answer: { items: { label: string }[] }) => answer.items.slice(0, 20).map(({ label }) => label),
  ],
  [
    'definition',
    'textDocument/definition',
    (at) => ({ position: at('SITES').start }),
    (answer: (Location | LocationLink)[]) =>
      answer.map((each) =>
        'targetUri' in each ? { uri: each.targetUri, range: each.targetRange } : { uri: each.uri, range: each.range },
      ),
  ],
  [
    'references',
    'textDocument/references',
    (at) => ({ position: at('SITES').start, context: { includeDeclaration: true } }),
    (answer: unknown) => answer,
  ],
  ['rename', 'textDocument/rename', (at) => ({ position: at('SITES').start, newName: 'BASE' }), renamed],
  [
    'prepare rename',
    'textDocument/prepareRename',
    (at) => ({ position: at('short').start }),
    (answer: unknown) => answer,
  ],
  [
    'highlights',
    'textDocument/documentHighlight',
    (at) => ({ position: at('Directory').start }),
    (answer: unknown) => answer,
  ],
  [
    'outline',
    'textDocument/documentSymbol',
    () => ({}),
    (answer: DocumentSymbol[] | SymbolInformation[]) => names(answer),
  ],
  [
    'symbols',
    'workspace/symbol',
    () => ({ query: 'site' }),
    (answer: SymbolInformation[]) => answer.map(({ name, location }) => [name, location]),
  ],
  [
    'actions',
    'textDocument/codeAction',
    (at) => ({ range: at('MaxClients'), context: { diagnostics: [] } }),
    (answer: { title: string }[]) =>
      answer.map(({ title }) => title).filter((title) => /MaxRequestWorkers/.test(title)),
  ],
  [
    'formatting',
    'textDocument/formatting',
    () => ({ options: { tabSize: 2, insertSpaces: true } }),
    (answer: unknown) => answer,
  ],
  [
    'selection ranges',
    'textDocument/selectionRange',
    (at) => ({ positions: [at('é">').start] }),
    (answer: unknown) => answer,
  ],
  [
    'tag pairs',
    'textDocument/linkedEditingRange',
    (at) => ({ position: at('Directory').start }),
    (answer: unknown) => answer,
  ],
  ['links', 'textDocument/documentLink', () => ({}), (answer: unknown) => answer],
  ['folding', 'textDocument/foldingRange', () => ({}), (answer: unknown) => answer],
];

function renamed({ documentChanges, changes }: WorkspaceEdit): unknown {
  const edits = documentChanges
    ? documentChanges.map(
        (each) =>
          [
            (each as { textDocument: { uri: string } }).textDocument.uri,
            (each as { edits: TextEdit[] }).edits,
          ] as const,
      )
    : Object.entries(changes ?? {});
  return [...edits]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([uri, each]) => ({ uri, edits: each.map(({ range, newText }) => ({ range, newText })) }));
}

function names(symbols: readonly (DocumentSymbol | SymbolInformation)[]): unknown[] {
  return symbols.flatMap((symbol) => [
    [symbol.name, symbol.kind, 'location' in symbol ? symbol.location.range : symbol.range],
    ...('children' in symbol ? names(symbol.children ?? []) : []),
  ]);
}

/** Without what is under test in a kind. */
function without(...paths: string[]): ClientCapabilities {
  const capabilities = structuredClone({
    ...FULL,
    workspace: { ...FULL.workspace, codeLens: { refreshSupport: true }, inlayHint: { refreshSupport: true } },
    textDocument: {
      ...FULL.textDocument,
      publishDiagnostics: { relatedInformation: true },
      documentSymbol: { hierarchicalDocumentSymbolSupport: true },
      rename: { prepareSupport: true },
      definition: { linkSupport: true },
    },
  }) as Record<string, unknown>;
  for (const path of paths) {
    const keys = path.split('.');
    const last = keys.pop()!;
    const parent = keys.reduce((object, key) => object[key] as Record<string, unknown>, capabilities);
    delete parent[last];
  }
  return capabilities as ClientCapabilities;
}

const SETTINGS = { severity: { 'server-name-missing': 'off' }, codeLens: true };

interface Kind {
  readonly what: string;
  readonly options: (uri: (name: string) => string) => ClientOptions;
  readonly encoding?: Encoding;
  /** Sends its whole text with each change. */
  readonly isFullSync?: boolean;
}

const KINDS: readonly Kind[] = [
  {
    what: 'counts bytes',
    encoding: 'utf-8',
    options: () => ({ capabilities: { ...without(), general: { positionEncodings: ['utf-8'] } } }),
  },
  {
    what: 'counts characters',
    encoding: 'utf-32',
    options: () => ({ capabilities: { ...without(), general: { positionEncodings: ['utf-32', 'utf-16'] } } }),
  },
  { what: 'sends whole texts', isFullSync: true, options: () => ({}) },
  {
    what: 'registers nothing later',
    options: () => ({
      capabilities: without(
        'workspace.didChangeConfiguration',
        'workspace.didChangeWatchedFiles',
        'textDocument.diagnostic.dynamicRegistration',
      ),
    }),
  },
  {
    what: 'has one folder, by its URI',
    options: (uri) => ({
      capabilities: without('workspace.workspaceFolders'),
      folders: [],
      params: { workspaceFolders: undefined, rootUri: uri('.') },
    }),
  },
  {
    what: 'has one folder, by its path',
    options: (uri) => ({
      capabilities: without('workspace.workspaceFolders'),
      folders: [],
      params: { workspaceFolders: null, rootPath: new URL(uri('.')).pathname },
    }),
  },
  {
    what: 'cannot be told to ask again',
    options: () => ({ capabilities: without('workspace.diagnostics', 'workspace.codeLens', 'workspace.inlayHint') }),
  },
  {
    what: 'is told of findings and asks for none',
    options: () => ({ capabilities: without('textDocument.diagnostic', 'workspace.diagnostics') }),
  },
  {
    what: 'says its settings when it begins',
    options: () => ({
      capabilities: without('workspace.configuration', 'workspace.didChangeConfiguration'),
      settings: {},
      initializationOptions: { trusted: true, settings: SETTINGS },
    }),
  },
  { what: 'has several folders', options: (uri) => ({ folders: [uri('elsewhere'), uri('conf'), uri('conf.d')] }) },
  {
    what: 'takes changes by file alone',
    options: () => ({ capabilities: without('workspace.workspaceEdit', 'textDocument.definition') }),
  },
  {
    what: 'knows no symbols in symbols',
    options: () => ({ capabilities: without('textDocument.documentSymbol') }),
  },
  { what: 'runs the command line', options: () => ({ transport: 'cli' }) },
  { what: 'talks to a child process', options: () => ({ transport: 'ipc' }) },
];

describe(
  'a client that',
  withFolder((folder) => {
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;
    const site = () => uri('conf.d/a.conf');
    const texts = new Map<string, string>();

    /** Its findings and answers, with positions in UTF-16. */
    const answersOf = async ({
      options,
      encoding = 'utf-16',
      isFullSync = false,
    }: Omit<Kind, 'what'>): Promise<Record<string, unknown>> => {
      for (const [name, text] of [
        ['conf/httpd.conf', ROOT.replace('@', folder().at(''))],
        ['conf.d/a.conf', OPENED],
        ['conf.d/b.conf', OTHER],
        ['elsewhere/readme.txt', ''],
      ] as const) {
        folder().write(name, text);
        texts.set(uri(name), name.endsWith('a.conf') ? SITE : text);
      }
      const client = await Client.start({
        folders: [uri('.')],
        capabilities: without(),
        initializationOptions: { trusted: true },
        settings: SETTINGS,
        ...options(uri),
      });
      try {
        await client.open(site(), OPENED);
        const start = OPENED.slice(0, OPENED.indexOf('KeepAlive On')).split('\n').length - 1;
        const range = { start: { line: start, character: 0 }, end: { line: start, character: 12 } };
        const text = SITE.split('\n')
          .slice(start, start + 2)
          .join('\n');
        await client.change(site(), [isFullSync ? { text: SITE } : { range, text }]);
        const back = (value: unknown) =>
          placed(value, site(), (position, of) => utf16(texts.get(of) ?? SITE, position, encoding));
        const found: Record<string, unknown> = { findings: back(await findings(client)) };
        for (const [what, method, params, plain] of QUESTIONS) {
          const own = placed(
            params((part) => client.rangeOf(site(), part)),
            site(),
            (position) => counted(SITE, position, encoding),
          ) as object;
          const answer = await client.connection.sendRequest(method, { textDocument: { uri: site() }, ...own });
          found[what] = back(plain(answer as never));
        }
        // Each has a folder of its own.
        return JSON.parse(JSON.stringify(found).replaceAll(uri('.').replace(/\/\.$|\/$/, ''), 'file:'));
      } finally {
        await client.stop();
      }
    };

    /** In the order of the file, once the whole configuration has been looked at. */
    const findings = async (client: Client): Promise<unknown> => {
      const known = async (): Promise<Diagnostic[]> =>
        client.options.capabilities?.textDocument?.diagnostic && client.options.capabilities.workspace?.diagnostics
          ? client.diagnostics(site())
          : (client.published.get(site())?.diagnostics ?? []);
      let items: Diagnostic[];
      do {
        await new Promise((resolve) => setTimeout(resolve, 30));
        items = await known();
      } while (!['missing-module', 'max-clients'].every((code) => items.some((each) => each.code === code)));
      return items
        .map(({ code, range, severity }) => ({ code, range, severity }))
        .sort((a, b) => a.range.start.line - b.range.start.line || (String(a.code) < String(b.code) ? -1 : 1));
    };

    let usual: Record<string, unknown>;

    it('can everything gets answers', async () => {
      usual = await answersOf({ options: () => ({}) });
      for (const [what, answer] of Object.entries(usual))
        assert.ok(Array.isArray(answer) ? answer.length > 0 : answer, `${what}: ${JSON.stringify(answer)}`);
      assert.equal(usual.hover, true);
      assert.match(JSON.stringify(usual.rename), /httpd\.conf.*a\.conf.*b\.conf|a\.conf.*b\.conf.*httpd\.conf/);
    });

    for (const { what, ...kind } of KINDS)
      it(`${what} gets the same`, async () => assert.deepEqual(await answersOf(kind), usual));
  }),
);

/** A position in a client's way of counting as UTF-16. */
function utf16(text: string, { line, character }: Position, encoding: Encoding): Position {
  const whole = text.split('\n')[line]!;
  for (let units = 0; units <= whole.length; units++)
    if (counted(text, { line, character: units }, encoding).character >= character) return { line, character: units };
  return { line, character };
}
