/**
 * Fix All equals `fix --write` of the file: the same bytes, in the samples and, if present, in
 * files of the corpus.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { TextDocumentEdit } from 'vscode-languageserver-protocol/node';
import { decode, encode } from '../../server/src/host/decode';
import { isHttpdPath } from '../../server/src/directives/recognize';
import { run, withFolder } from '../cli/run';
import { describeOver } from '../support/lacks';
import { corpusFolder, repositoryRoot } from '../support/paths';
import { Client } from './client';

const KIND = 'source.fixAll.httpdUpgrade';
const SAMPLES = path.join(repositoryRoot, 'test', 'samples');
const MODULES = ['authz_core', 'mpm_event', 'authz_host', 'mime', 'dir', 'alias']
  .map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`)
  .join('');

describe('Fix All', () => {
  describe('in a file of the samples', () => {
    for (const file of filesIn(SAMPLES)) it(file, () => isAsWritten(SAMPLES, file)).timeout(100_000);
  });

  describeOver('corpus', 'in a file of the corpus', () => {
    for (const [folder, file] of corpusFiles())
      it(path.join(path.relative(corpusFolder, folder), file), () => isAsWritten(folder, file)).timeout(300_000);
  });

  describe(
    'in a small tree',
    withFolder((folder) => {
      const same = (file: string, opened?: readonly string[]) => isAsWritten(folder().path, file, opened);
      const root = (rest: string) =>
        `ServerRoot ${folder().path}\nListen 80\n${MODULES}<Directory />\nAllowOverride None\nOrder deny,allow\nDeny from all\n</Directory>\n${rest}`;

      beforeEach(() => folder().write('.httpd-upgrade.json', '{ "distribution": "rhel" }'));

      it('takes the LoadModule lines that the configuration needs', async () => {
        folder().write('httpd.conf', root('MaxClients 1\n'));
        const text = await same('httpd.conf');
        assert.match(text, /unixd_module/);
        assert.match(text, /Require all denied/);
      });

      it('changes other files with it where these are open', async () => {
        folder().write('httpd.conf', root('Include a.conf\n'));
        folder().write('a.conf', '<Directory />\nOrder allow,deny\nAllow from all\n</Directory>\n');
        await same('httpd.conf', ['httpd.conf', 'a.conf']);
      });

      it('leaves what other files would have to be changed for, where these are not open', async () => {
        folder().write('httpd.conf', root('Include a.conf\n'));
        folder().write('a.conf', '<Directory />\nOrder allow,deny\nAllow from all\n</Directory>\n');
        const changes = await fixAll(folder().path, 'httpd.conf');
        assert.deepEqual([...changes.keys()], ['httpd.conf']);
        assert.match(changes.get('httpd.conf')!, /unixd_module[^]*Deny from all/);
      });

      it('removes a line once that two fixes remove', async () => {
        const hosts =
          '<VirtualHost *>\nServerName a\n</VirtualHost>\n<VirtualHost *:80 *:443>\nServerName b\n</VirtualHost>\n';
        folder().write('httpd.conf', `PidFile run/httpd.pid\nNameVirtualHost *\n${hosts}`);
        const text = await same('httpd.conf');
        assert.match(text, /pid\n<VirtualHost/);
      });

      it('changes nothing twice', async () => {
        folder().write('httpd.conf', root('MaxClients 1\n'));
        folder().write('httpd.conf', (await fixAll(folder().path, 'httpd.conf')).get('httpd.conf')!);
        assert.deepEqual(await fixAll(folder().path, 'httpd.conf'), new Map());
      });

      it('reads and changes nothing else in restricted mode', async () => {
        folder().write('httpd.conf', root('MaxClients 1\nInclude a.conf\n'));
        folder().write('a.conf', 'MaxClients 2\n');
        const changes = await fixAll(folder().path, 'httpd.conf', ['httpd.conf', 'a.conf'], { trusted: false });
        assert.deepEqual([...changes.keys()], ['httpd.conf']);
        assert.match(changes.get('httpd.conf')!, /Deny from all[^]*MaxRequestWorkers/);
      });
    }),
  );
});

/**
 * In copies of the folder: the file after Fix All, which is what `fix --write` makes of it. Every
 * other file that Fix All changes, too.
 */
async function isAsWritten(folder: string, file: string, opened: readonly string[] = [file]): Promise<string> {
  const copy = copyOf(folder);
  try {
    await run(['fix', '--write', path.join(copy, file)]);
    const written = new Map(opened.map((name) => [name, readFileSync(path.join(copy, name))]));
    cpSync(folder, copy, { recursive: true, force: true, verbatimSymlinks: true });
    const changes = await fixAll(copy, file, opened);
    for (const name of opened) {
      const before = decode(readFileSync(path.join(copy, name)));
      if (!('text' in before)) continue;
      const after = changes.get(name) ?? before.text;
      assert.equal(after, (decode(written.get(name)!) as { text: string }).text, name);
      assert.deepEqual(Buffer.from(encode(after, before.encoding)!), written.get(name));
    }
    assert.deepEqual(
      [...changes.keys()].filter((name) => !opened.includes(name)),
      [],
    );
    return changes.get(file) ?? '';
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** The texts after Fix All in a file, by the names of the files in the folder. */
async function fixAll(
  folder: string,
  file: string,
  opened: readonly string[] = [file],
  initializationOptions?: object,
): Promise<Map<string, string>> {
  const uri = (name: string) => pathToFileURL(path.join(folder, name)).href;
  const client = await Client.start({ folders: [pathToFileURL(folder).href], initializationOptions });
  try {
    for (const name of opened) {
      const decoded = decode(readFileSync(path.join(folder, name)));
      if ('text' in decoded) await client.open(uri(name), decoded.text);
      else return new Map();
    }
    const start = { line: 0, character: 0 };
    const [action] = await client.connection.sendRequest<{ edit: { documentChanges: TextDocumentEdit[] } }[]>(
      'textDocument/codeAction',
      { textDocument: { uri: uri(file) }, range: { start, end: start }, context: { diagnostics: [], only: [KIND] } },
    );
    return new Map(
      (action?.edit.documentChanges ?? []).map(({ textDocument, edits }) => [
        opened.find((name) => uri(name) === textDocument.uri) ?? textDocument.uri,
        TextDocument.applyEdits(TextDocument.create('', '', 0, client.text(textDocument.uri)), edits as never),
      ]),
    );
  } finally {
    await client.stop();
  }
}

function copyOf(folder: string): string {
  const copy = realpathSync(mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-test-')));
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

function filesIn(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[])
    .filter(
      (name) =>
        statSync(path.join(folder, name)).isFile() && isHttpdPath(`/${name}`) !== false && !name.endsWith('.md'),
    )
    .sort();
}

/** The main files of whole servers, each in its tree, and every 100th of all files by itself. */
function corpusFiles(): (readonly [folder: string, file: string])[] {
  const rows = (name: string) =>
    readFileSync(path.join(corpusFolder, name), 'utf8')
      .split('\n')
      .slice(1)
      .filter(Boolean)
      .map((row) => row.split('\t'));
  const roots = rows('TREES.tsv').map(([, root]) => {
    const [top] = root.split('/');
    return [path.join(corpusFolder, top), path.relative(top, root)] as const;
  });
  const others = rows('MANIFEST.tsv')
    .filter((_, index) => index % 100 === 0)
    .map(([file]) => [path.dirname(path.join(corpusFolder, file)), path.basename(file)] as const);
  return [...roots, ...others].filter(
    ([folder, file]) => filesIn(folder).length < 200 && statSync(path.join(folder, file)).isFile(),
  );
}
