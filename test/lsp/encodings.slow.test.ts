/**
 * Clients that count bytes or characters get the same answers as those that count UTF-16, at the
 * same places.
 */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import type { Range, TextEdit } from 'vscode-languageserver-protocol/node';
import { withFolder } from '../cli/run';
import { Client, FULL } from './client';
import { counted, placed, type Encoding } from './counting';

const ROOT = 'ServerRoot /etc/httpd\nDefine "É" 😀\nInclude conf.d/*.conf\n';
const SITE =
  '# 😀 é\n<Directory "/srv/😀é">\nSetEnv "é😀"  ${É}   MaxClients\nMaxClients "😀" # é\nOrder allow,deny\nAllow from all\n</Directory>\nServerName   "😀"   é\n';

describe(
  'position encodings',
  withFolder((folder) => {
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;
    const start = async (positionEncodings: string[] | undefined) => {
      folder().write('conf/httpd.conf', ROOT);
      folder().write('conf.d/a.conf', SITE);
      const client = await Client.start({
        folders: [uri('.')],
        capabilities: { ...FULL, general: { positionEncodings } } as typeof FULL,
      });
      await client.open(uri('conf.d/a.conf'), SITE);
      // What is found in whole configurations comes a little later.
      while (!(await client.diagnostics(uri('conf.d/a.conf'))).some(({ code }) => code === 'missing-module'))
        await new Promise((resolve) => setTimeout(resolve, 50));
      return client;
    };

    for (const [given, taken] of [
      [undefined, 'utf-16'],
      [['utf-8', 'utf-16'], 'utf-8'],
      [['utf-32', 'utf-8', 'utf-16'], 'utf-32'],
      [['utf-7', 'utf-32'], 'utf-32'],
      [['utf-16', 'utf-8'], 'utf-16'],
      [[], 'utf-16'],
    ] as const) {
      it(`of ${JSON.stringify(given)} it is ${taken}`, async () => {
        const client = await start(given && [...given]);
        assert.equal(client.initialized.capabilities.positionEncoding, taken);
        await client.stop();
      });
    }

    /** What a client asks; `at` is the place of a text in the site. */
    const questions = (site: string, at: (text: string) => Range): [method: string, params: object][] => [
      ['textDocument/diagnostic', {}],
      ['textDocument/hover', { position: at('MaxClients "').start }],
      ['textDocument/hover', { position: at('MaxClients "').end }],
      ['textDocument/definition', { position: at('É}').start }],
      ['textDocument/documentSymbol', {}],
      ['textDocument/selectionRange', { positions: [at('é">').start, at('é\nOrd').start] }],
      ['textDocument/linkedEditingRange', { position: at('Directory "').start }],
      ['textDocument/formatting', { options: { tabSize: 4, insertSpaces: true } }],
      ['textDocument/rangeFormatting', { range: at('   é\n'), options: { tabSize: 4, insertSpaces: true } }],
      ['textDocument/codeAction', { range: at('MaxClients "'), context: { diagnostics: [] } }],
      ['textDocument/completion', { position: at('"😀" #').start }],
      ['textDocument/documentLink', {}],
      ['textDocument/documentHighlight', { position: at('É}').start }],
      ['textDocument/references', { position: at('É}').start, context: { includeDeclaration: true } }],
      ['textDocument/prepareRename', { position: at('É}').start }],
      ['textDocument/rename', { position: at('É}').start, newName: 'Neu' }],
      ['workspace/symbol', { query: 'srv' }],
      ['textDocument/inlayHint', { range: at(site) }],
    ];

    for (const encoding of ['utf-8', 'utf-32'] as const) {
      it(`answers in ${encoding} are those in UTF-16`, async () => {
        const [usual, other] = [await start(undefined), await start([encoding])];
        const textDocument = { uri: uri('conf.d/a.conf') };
        const at = (text: string) => usual.rangeOf(textDocument.uri, text);
        let places = 0;
        for (const [method, params] of questions(SITE, at)) {
          const expected = await usual.connection.sendRequest(method, { textDocument, ...params });
          const found = await other.connection.sendRequest(method, {
            textDocument,
            ...(placed(params, '', (position) => counted(SITE, position, encoding)) as object),
          });
          const own = placed(expected, textDocument.uri, (position, of) => {
            places++;
            return counted(of.endsWith('httpd.conf') ? ROOT : SITE, position, encoding);
          });
          assert.deepEqual(
            placed(found, '', (position) => position),
            own,
            method,
          );
        }
        assert.ok(places > 40, `${places} places`);
        const tokens = async (client: Client) =>
          (
            await client.connection.sendRequest<{ data: number[] }>('textDocument/semanticTokens/full', {
              textDocument,
            })
          ).data;
        assert.deepEqual(tokenTexts(await tokens(other), encoding), tokenTexts(await tokens(usual), 'utf-16'));
        await usual.stop();
        await other.stop();
      });

      it(`changes in ${encoding} are made where they are meant`, async () => {
        const client = await start([encoding]);
        const textDocument = { uri: uri('conf.d/a.conf'), version: 2 };
        const range = (line: number, from: number, to: number, text: string) => ({
          start: counted(text, { line, character: from }, encoding),
          end: counted(text, { line, character: to }, encoding),
        });
        const second = SITE.replace('"/srv/😀é"', '"/srv/é😀é"');
        await client.connection.sendNotification('textDocument/didChange', {
          textDocument,
          // The second counts in what the first made.
          contentChanges: [
            { range: range(1, 17, 17, SITE), text: 'é' },
            { range: range(1, 17, 21, second), text: 'x' },
          ],
        });
        const edits = await client.connection.sendRequest<TextEdit[]>('textDocument/documentSymbol', { textDocument });
        assert.match(JSON.stringify(edits), /<Directory \/srv\/x>|<Directory \\"\/srv\/x\\">/);
        await client.stop();
      });

      it(`what is published in ${encoding} is of the file's lines, open or not`, async () => {
        const text = '# é\nMaxClients 5\nSetEnvIf "😀é" "(" x\n';
        folder().write('etc/httpd/conf/httpd.conf', 'ServerRoot /etc/httpd\nListen 80\nInclude conf.d/*.conf\n');
        folder().write('etc/httpd/conf.d/b.conf', text);
        const published = async (positionEncodings: string[]) => {
          const client = await Client.start({
            folders: [uri('.')],
            capabilities: {
              textDocument: { publishDiagnostics: {} },
              workspace: { workspaceFolders: true },
              general: { positionEncodings },
            } as typeof FULL,
          });
          await client.until(() => (client.published.get(uri('etc/httpd/conf.d/b.conf'))?.diagnostics.length ?? 0) > 1);
          await client.stop();
          return client.published
            .get(uri('etc/httpd/conf.d/b.conf'))!
            .diagnostics.map(({ range }) => range)
            .sort((a, b) => a.start.line - b.start.line);
        };
        const usual = await published(['utf-16']);
        assert.ok(
          usual.some(({ start: { line, character } }) => line === 2 && character > 10),
          JSON.stringify(usual),
        );
        const found = await published([encoding]);
        const known = (ranges: readonly Range[]) => ranges.filter(({ start: { line } }) => line > 0);
        assert.deepEqual(
          known(found),
          placed(known(usual), '', (position) => counted(text, position, encoding)),
        );
      });
    }
  }),
);

function tokenTexts(data: readonly number[], encoding: Encoding): string[] {
  const lines = SITE.split('\n');
  const found: string[] = [];
  let line = 0;
  let start = 0;
  for (let i = 0; i < data.length; i += 5) {
    line += data[i]!;
    start = data[i]! > 0 ? data[i + 1]! : start + data[i + 1]!;
    const [from, to] = [start, start + data[i + 2]!];
    const text = lines[line]!;
    found.push(
      `${data[i + 3]} ${encoding === 'utf-8' ? Buffer.from(text).subarray(from, to).toString() : encoding === 'utf-32' ? [...text].slice(from, to).join('') : text.slice(from, to)}`,
    );
  }
  return found;
}
