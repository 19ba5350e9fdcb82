/**
 * LoadModule lines of modules that 2.4 lacks, if an `<IfModule>` in another file of the
 * configuration contains access lines: without the line, 2.4 would ignore these. The editor does
 * the same as `fix --write`, in all ways.
 */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import type { TextDocumentEdit } from 'vscode-languageserver-protocol/node';
import { withFolder } from '../cli/run';
import { Editor, save, type Change } from '../trees/editor';
import { Client } from './client';

const LOADS = ['authn_default', 'authz_default', 'authn_alias', 'disk_cache']
  .map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`)
  .join('');
const REPLACED =
  'LoadModule authn_core_module modules/mod_authn_core.so\nLoadModule cache_disk_module modules/mod_cache_disk.so\n';
const asked = (body: string) => `<IfModule mod_authz_default.c>\n${body}</IfModule>\n`;
const LOGIN_LINES = 'AuthType Basic\nAuthName x\nRequire valid-user\n';
const LOGIN = asked(LOGIN_LINES);

describe(
  'LoadModule lines that an <IfModule> of another file asks for',
  withFolder((folder) => {
    let editor: Editor;
    before(async () => {
      editor = await Editor.start();
    });
    after(() => editor.stop());

    const names = ['httpd.conf', 'load.conf', 'rest.conf', 'www/.htaccess', 'more.conf'];
    const write = (files: Readonly<Record<string, string>>) => {
      const path = folder().path;
      const all: Readonly<Record<string, string>> = {
        'httpd.conf': `ServerRoot ${path}/t\nDocumentRoot ${path}/t/www\nInclude load.conf\nInclude rest.conf\n<Directory />\nAllowOverride All\nOrder allow,deny\nAllow from all\n</Directory>\n`,
        'load.conf': LOADS,
        'rest.conf': '',
        'more.conf': '',
        'www/.htaccess': '',
        ...files,
      };
      for (const [file, text] of Object.entries(all)) folder().write(`t/${file}`, text);
    };
    const texts = () => names.map((name) => folder().text(`t/${name}`));
    const loads = () => folder().text('t/load.conf');
    /** What all files are after a way that a person takes, each from the start. */
    const resulting = async (files: Readonly<Record<string, string>>, way: () => Promise<unknown>) => {
      write(files);
      await way();
      return texts();
    };
    const written = (files: Readonly<Record<string, string>>, what = 't') =>
      resulting(files, () => folder().run(['fix', '--write', what]));

    const WHERE: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
      'an included file': () => ({ 'rest.conf': `<Directory ${folder().path}/t/www>\n${LOGIN}</Directory>\n` }),
      'a .htaccess': () => ({ 'www/.htaccess': LOGIN }),
      'a file that may be read': () => ({
        'rest.conf': '<IfDefine X>\nInclude more.conf\n</IfDefine>\n',
        'more.conf': `<Directory ${folder().path}/t/www>\n${LOGIN}</Directory>\n`,
      }),
      'a macro': () => ({
        'rest.conf': `<Macro M $name>\n<Directory $name>\n${LOGIN}</Directory>\n</Macro>\nUse M /srv\n`,
      }),
    };

    for (const [where, files] of Object.entries(WHERE)) {
      it(`${where}: Fix All and preferred quick fixes leave them, as fix --write does`, async () => {
        for (const file of ['load.conf', 'httpd.conf', 'rest.conf']) {
          write(files());
          await editor.enter(folder().at('t'));
          const before = texts();
          const fixAll = await editor.fixAll(folder().at(`t/${file}`));
          const ofFile = await written(files(), `t/${file}`);
          const index = names.indexOf(file);
          write(files());
          if (fixAll) save(fixAll);
          assert.equal(texts()[index], ofFile[index], `Fix All in ${file}`);
          assert.equal(loads(), LOADS, `Fix All in ${file}`);
          write(files());
          assert.deepEqual(texts(), before);
          for (const { title, change } of await editor.preferred(folder().at(`t/${file}`)))
            assert.ok(!changes(change, folder().at('t/load.conf')), `${title} in ${file}`);
        }
        assert.equal((await written(files()))[1], LOADS);
      });

      it(`${where}: the conversion of the editor leaves them, and the condition goes where it may`, async () => {
        const wanted = await written(files());
        write(files());
        await converted(folder().at('t'), 'httpd.conf');
        assert.equal(loads(), LOADS);
        const login = texts().find((text) => text.includes(LOGIN_LINES))!;
        assert.equal(login.includes('<IfModule'), where.endsWith('may be read') || where === 'a macro', login);
        // fix --write does not decide what the editor asks about: the missing Listen line.
        assert.ok(wanted.some((text) => text.includes(LOGIN)));
      });
    }

    it('where nothing about access hangs on them, each way replaces them', async () => {
      const files = { 'rest.conf': asked('CacheRoot /srv/cache\n') };
      assert.equal((await written(files))[1], REPLACED);
      write(files);
      await editor.enter(folder().at('t'));
      const fixAll = await editor.fixAll(folder().at('t/load.conf'));
      save(fixAll!);
      assert.equal(loads(), REPLACED);
      write(files);
      const preferred = await editor.preferred(folder().at('t/load.conf'));
      assert.ok(preferred.some(({ change }) => changes(change, folder().at('t/load.conf'))));
    });
  }),
);

function changes(change: Change, file: string): boolean {
  const text = change.get(file);
  return text !== undefined && text !== LOADS;
}

/**
 * The command of the editor, answered with yes: what is not open it writes itself, the rest is
 * written here.
 */
async function converted(at: string, file: string): Promise<void> {
  const uri = (name: string) => pathToFileURL(`${at}/${name}`).href;
  const client = await Client.start({ folders: [pathToFileURL(at).href] });
  try {
    let isConverted = false;
    client.connection.onRequest(
      'window/showMessageRequest',
      ({ message, actions }: { message: string; actions: { title: string }[] }) => {
        isConverted ||= message.startsWith('Converted ');
        return actions[0];
      },
    );
    client.connection.onRequest(
      'workspace/applyEdit',
      ({ edit }: { edit: { documentChanges: TextDocumentEdit[] } }) => ({
        applied: edit.documentChanges.length === 0,
      }),
    );
    await client.connection.sendRequest('workspace/executeCommand', {
      command: 'httpdUpgrade.convertConfiguration',
      arguments: [uri(file)],
    });
    await client.until(() => isConverted || client.shown.length > 0);
  } finally {
    await client.stop();
  }
}
