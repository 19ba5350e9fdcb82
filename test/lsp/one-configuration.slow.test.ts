/**
 * Everything that the editor reports about a configuration uses the same files, definitions and
 * loaded modules; test/cli/one-configuration.test.ts has the same for the command line.
 */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { withFolder } from '../cli/run';
import { Client } from './client';

const OPEN = '  Order allow,deny\n  Allow from all\n';
const LOGIN = '  AuthType Basic\n  AuthName x\n  AuthUserFile conf/p\n  Require valid-user\n';
const directory = (path: string, body: string) => `<Directory ${path}>\n${body}</Directory>\n`;

describe(
  'one configuration, in the editor',
  withFolder((folder) => {
    const head = () =>
      `ServerRoot "${folder().path}"\nListen 80\nDocumentRoot ${folder().path}/www\n${directory('/', '  AllowOverride None\n')}`;
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;
    const within = async <Result>(
      files: Readonly<Record<string, string>>,
      settings: Record<string, unknown>,
      ask: (client: Client) => Promise<Result>,
    ): Promise<Result> => {
      folder().write('www/a/index.html', '');
      for (const [name, text] of Object.entries(files)) folder().write(name, text);
      const client = await Client.start({ folders: [uri('.')], settings });
      try {
        for (const name of Object.keys(files)) await client.open(uri(name), folder().text(name));
        return await ask(client);
      } finally {
        await client.stop();
      }
    };
    /**
     * What a file's last section with old lines is converted to without further questions; null
     * where it is not.
     */
    const converted = (text: string, settings = {}, name = 'conf/httpd.conf', more = {}): Promise<string | null> =>
      within({ ...more, [name]: text }, settings, async (client) => {
        await client.diagnostics(uri(name));
        const actions = await client.actions(uri(name), 'Allow from all');
        const own = actions.find(({ title, isPreferred, edit }) => isPreferred && edit && title.startsWith('Convert'));
        return own ? own.title.replace(/^Convert (to )?/, '') : null;
      });

    it('a name that the server is started with decides what a section below inherits, as a version does', async () => {
      const text = (condition: string) =>
        `${head()}<${condition}>\n${directory(`${folder().path}/www`, LOGIN)}</${condition.split(' ')[0]}>\n${directory(`${folder().path}/www/a`, OPEN)}`;
      assert.deepEqual(
        [
          await converted(text('IfVersion >= 2.0')),
          await converted(text('IfDefine FOO'), { defines: ['FOO'] }),
          await converted(text('IfDefine !FOO'), { defines: ['FOO'] }),
          await converted(text('IfDefine FOO')),
        ],
        ['these 2 sections', 'these 2 sections', 'Require all granted', null],
      );
    });

    it('a variable in an Include, given in the settings, leaves no open question', async () => {
      const more = { 'conf/x/p.conf': '' };
      const text = (name: string) =>
        `${head()}${directory(`${folder().path}/www/a`, OPEN)}Include conf/${name}/p.conf\n`;
      assert.deepEqual(
        [
          await converted(text('x'), {}, undefined, more),
          await converted(text('${CONF}'), { defines: ['CONF=x'] }, undefined, more),
          await converted(text('${CONF}'), {}, undefined, more),
        ],
        ['Require all granted', 'Require all granted', null],
      );
    });

    it('a variable in an Include, defined in the file or given in the settings, silences nothing', async () => {
      const more = { 'conf/x/p.conf': directory('/srv', OPEN) };
      const said = (text: string, settings = {}) =>
        within(
          { ...more, 'conf/httpd.conf': `${head()}${text}` },
          { ...settings, severity: { 'changed-defaults': 'warning' } },
          async (client) => {
            for (let turn = 0; turn < 40; turn++) {
              const found = await client.diagnostics(uri('conf/httpd.conf'));
              if (found.some(({ code }) => code === 'changed-defaults')) return true;
              await new Promise((resolve) => setTimeout(resolve, 100));
            }
            return false;
          },
        );
      assert.deepEqual(
        [
          await said('Include conf/x/p.conf\n'),
          await said('Define CONF x\nInclude conf/${CONF}/p.conf\n'),
          await said('Include conf/${CONF}/p.conf\n', { defines: ['CONF=x'] }),
        ],
        [true, true, true],
      );
    });

    it('a macro whose Use is carried out makes no open question of what shares no request with it', async () => {
      const macro = `LoadModule macro_module modules/mod_macro.so\n<Macro Part $dir>\n${directory('$dir', '  Order deny,allow\n  Deny from all\n  Allow from 10\n')}</Macro>\n`;
      const own = directory(`${folder().path}/www/a`, OPEN);
      assert.deepEqual(
        [
          await converted(`${head()}${macro}Use Part ${folder().path}/www/b\n${own}`),
          await converted(`${head()}${macro}Use Path ${folder().path}/www/b\n${own}`),
        ],
        ['Require all granted', null],
      );
    });

    it('AllowOverride under a module that is loaded is no open question', async () => {
      const text = `ServerRoot "${folder().path}"\nListen 80\nLoadModule alias_module modules/mod_alias.so\nDocumentRoot ${folder().path}/www\n<IfModule alias_module>\n${directory('/', '  AllowOverride None\n')}</IfModule>\n${directory(`${folder().path}/www/a`, OPEN)}`;
      assert.equal(await converted(text), 'Require all granted');
    });

    for (const [name, serverRoot] of [
      ['Gentoo', '/usr/lib/apache2'],
      ['macOS', '/usr'],
    ]) {
      it(`a copy of a tree of ${name}, whose ServerRoot is not where its files were`, async () => {
        const main = `ServerRoot "${serverRoot}"\nListen 80\n${directory('/', '  AllowOverride None\n')}Include /etc/apache2/vhosts.d/*.conf\n`;
        assert.equal(
          await converted(directory('/var/www/a', OPEN), {}, 'copy/apache2/vhosts.d/a.conf', {
            'copy/apache2/httpd.conf': main,
          }),
          'Require all granted',
        );
      });
    }
  }),
);
