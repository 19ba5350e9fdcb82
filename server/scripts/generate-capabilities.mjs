// Writes docs/capabilities.md: what this language server answers to `initialize`, beside four
// others. Our own column is what the built server (npm run build) answers; theirs are from their
// public sources, named below.
//
//   node server/scripts/generate-capabilities.mjs           writes it if it has changed
//   node server/scripts/generate-capabilities.mjs --check   only says whether it would, and fails then
import { spawn } from 'node:child_process';
import path from 'node:path';
import { root, write } from './written.mjs';

const TARGET = 'docs/capabilities.md';

/**
 * Feature, the path of the capability, whether gopls, rust-analyzer, yaml-language-server and
 * vscode-css-languageservice have it (`y`, `n`, or `s` for with a setting), and why we have not.
 */
const ROWS = [
  ['Diagnostics on request', 'diagnosticProvider', 's', 'y', 'n', 'y'],
  ['Diagnostics of files that are not open', 'diagnosticProvider.workspaceDiagnostics', 'n', 'n', 'n', 'n'],
  ['Hover', 'hoverProvider', 'y', 'y', 'y', 'y'],
  ['Completion', 'completionProvider', 'y', 'y', 'y', 'y'],
  ['Completion: details on demand', 'completionProvider.resolveProvider', 'n', 'y', 'n', 'n'],
  ['Signature help', 'signatureHelpProvider', 'y', 'y', 'n', 'n'],
  ['Go to definition', 'definitionProvider', 'y', 'y', 'y', 'y'],
  ['Go to declaration', 'declarationProvider', 'n', 'y', 'n', 'n', 'httpd declares nothing apart from its definition'],
  ['Go to type definition', 'typeDefinitionProvider', 'y', 'y', 'n', 'n', 'names of httpd have no types'],
  ['Go to implementation', 'implementationProvider', 'y', 'y', 'n', 'n', 'httpd has no interfaces'],
  ['References', 'referencesProvider', 'y', 'y', 'n', 'y'],
  ['Highlights', 'documentHighlightProvider', 'y', 'y', 'n', 'y'],
  ['Outline', 'documentSymbolProvider', 'y', 'y', 'y', 'y'],
  ['Symbols of the workspace', 'workspaceSymbolProvider', 'y', 'y', 'n', 'n'],
  ['Code actions', 'codeActionProvider', 'y', 'y', 'y', 'y'],
  ['Code actions: edits on demand', 'codeActionProvider.resolveProvider', 'y', 'y', 'n', 'n'],
  ['Code lens', 'codeLensProvider', 'y', 'y', 'y', 'n'],
  ['Code lens on demand', 'codeLensProvider.resolveProvider', 'n', 'y', 'n', 'n'],
  ['Links', 'documentLinkProvider', 'y', 'n', 'y', 'y'],
  ['Rename', 'renameProvider', 'y', 'y', 'y', 'y'],
  ['Rename: check before', 'renameProvider.prepareProvider', 'y', 'y', 'y', 'y'],
  ['Renamed files and directories: paths follow', 'workspace.fileOperations.willRename', 'n', 'y', 'n', 'n'],
  ['Call hierarchy', 'callHierarchyProvider', 'y', 'y', 'n', 'n'],
  ['Type hierarchy', 'typeHierarchyProvider', 'y', 'n', 'n', 'n', 'names of httpd have no types'],
  ['Folding', 'foldingRangeProvider', 'y', 'y', 'y', 'y'],
  ['Selection ranges', 'selectionRangeProvider', 'y', 'y', 'y', 'y'],
  ['Linked editing', 'linkedEditingRangeProvider', 'n', 'n', 'n', 'n'],
  ['Semantic tokens', 'semanticTokensProvider', 'y', 'y', 'n', 'n'],
  ['Semantic tokens: changes only', 'semanticTokensProvider.full.delta', 'n', 'y', 'n', 'n'],
  ['Inlay hints', 'inlayHintProvider', 'y', 'y', 'n', 'n'],
  [
    'Inlay hints: details on demand',
    'inlayHintProvider.resolveProvider',
    'n',
    'y',
    'n',
    'n',
    'a hint comes with all there is to say',
  ],
  ['Formatting', 'documentFormattingProvider', 'y', 'y', 'y', 'y'],
  ['Formatting of a range', 'documentRangeFormattingProvider', 'n', 's', 'n', 'y'],
  ['Formatting while typing', 'documentOnTypeFormattingProvider', 'n', 'y', 'y', 'n'],
  ['Colours', 'colorProvider', 'n', 'n', 'n', 'y', 'no directive takes a colour'],
  ['Inline values', 'inlineValueProvider', 'n', 'n', 'n', 'n', 'only debuggers ask for them'],
  ['Inline completion', 'inlineCompletionProvider', 'n', 'n', 'n', 'n', 'completion has what httpd takes'],
  ['Monikers', 'monikerProvider', 'n', 'n', 'n', 'n', 'no name of a configuration is known outside of it'],
  ['Commands', 'executeCommandProvider', 'y', 'n', 'y', 'n'],
  ['Several folders', 'workspace.workspaceFolders.supported', 'y', 'y', 'y', 'n'],
];

/** What a full client can, apart from being ours. */
const CAPABILITIES = {
  workspace: {
    applyEdit: true,
    configuration: true,
    workspaceFolders: true,
    diagnostics: { refreshSupport: true },
    workspaceEdit: { documentChanges: true },
    fileOperations: { willRename: true, didRename: true },
  },
  textDocument: {
    diagnostic: {},
    rename: { prepareSupport: true },
    codeAction: { dataSupport: true, resolveSupport: { properties: ['edit'] } },
  },
};

const capabilities = await answerOfServer();
const rows = ROWS.map(([feature, name, ...others]) => {
  const has = name.split('.').reduce((value, key) => value?.[key], capabilities);
  const isThere = has !== undefined && has !== null && has !== false;
  const why = others[4] ?? '';
  return `| ${feature} | \`${name}\` | ${isThere ? '**yes**' : 'no'} | ${others
    .slice(0, 4)
    .map((each) => ({ y: 'yes', n: 'no', s: 'with a setting' })[each])
    .join(' | ')} | ${isThere ? '' : why} |`;
});
const text = [
  '# What editors get',
  '',
  'This page is generated (`node server/scripts/generate-capabilities.mjs`, after `npm run build`). The column httpd-upgrade shows the capabilities that this language server declares to a client that supports everything. What the VS Code extension adds is not in it.',
  '',
  'The other columns show four other language servers, according to their published source code:',
  '',
  '- [gopls](https://github.com/golang/tools/blob/master/gopls/internal/server/general.go): `Initialize` in golang/tools, gopls/internal/server/general.go',
  '- [rust-analyzer](https://github.com/rust-lang/rust-analyzer/blob/master/crates/rust-analyzer/src/lsp/capabilities.rs): `server_capabilities_for` in rust-lang/rust-analyzer, crates/rust-analyzer/src/lsp/capabilities.rs',
  '- yaml: [yaml-language-server](https://github.com/redhat-developer/yaml-language-server/blob/main/src/yamlServerInit.ts) 1.25.0: `connectionInitialized` in redhat-developer/yaml-language-server, src/yamlServerInit.ts',
  '- css: `LanguageService` of [vscode-css-languageservice](https://github.com/microsoft/vscode-css-languageservice/blob/main/src/cssLanguageService.ts) 6.3.10, microsoft/vscode-css-languageservice, src/cssLanguageService.ts. What a library cannot have (diagnostics on request, commands, folders) is taken from the server that uses it: [cssServer.ts](https://github.com/microsoft/vscode/blob/main/extensions/css-language-features/server/src/cssServer.ts) in microsoft/vscode, extensions/css-language-features',
  '',
  '| feature | capability | httpd-upgrade | gopls | rust-analyzer | yaml | css | why not here |',
  '|---|---|---|---|---|---|---|---|',
  ...rows,
  '',
  'Only httpd-upgrade has diagnostics of files that are not open, and linked editing. It also has three features for which the protocol has no capability: it checks whole configurations; a fix can change several files, all or none; and if a rename is not possible, it shows the reason.',
  '',
].join('\n');

write({ [TARGET]: text });

/** The capabilities that the built server answers with. */
function answerOfServer() {
  const server = spawn(process.execPath, [path.join(root, 'dist/server.js'), '--stdio'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const send = (message) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  send({ id: 1, method: 'initialize', params: { processId: null, rootUri: null, capabilities: CAPABILITIES } });
  return new Promise((resolve, reject) => {
    let read = '';
    server.on('error', reject);
    server.stdout.setEncoding('utf8').on('data', (data) => {
      read += data;
      const head = /Content-Length: (\d+)\r\n(?:[^\r\n]+\r\n)*\r\n/.exec(read);
      const body = head && read.slice(head.index + head[0].length);
      if (!head || Buffer.byteLength(body) < Number(head[1])) return;
      server.kill();
      resolve(JSON.parse(body.slice(0, Number(head[1]))).result.capabilities);
    });
  });
}
