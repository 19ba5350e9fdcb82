/** Code actions whose edit is worked out when they are taken: fix all of a rule, and the access control of a whole configuration. */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { CodeAction, TextDocumentEdit } from 'vscode-languageserver-protocol/node';
import { withFolder } from '../cli/run';
import { Client, FULL } from './client';

const LAZY = { ...FULL, textDocument: { ...FULL.textDocument, codeAction: { dataSupport: true, resolveSupport: { properties: ['edit'] } } } };

describe('actions that are worked out when taken', withFolder((folder) => {
  let client: Client;
  const uri = (name: string) => pathToFileURL(folder().at(name)).href;
  const take = async (name: string, at: string, title: string): Promise<CodeAction> => {
    const action = (await client.actions(uri(name), at)).find((each) => each.title.startsWith(title));
    assert.ok(action, title);
    assert.equal(action.edit, undefined);
    return client.connection.sendRequest('codeAction/resolve', action);
  };
  const applied = (action: CodeAction): Record<string, string> =>
    Object.fromEntries(
      ((action.edit?.documentChanges ?? []) as TextDocumentEdit[]).map(({ textDocument, edits }) => {
        const name = textDocument.uri.slice(uri('.').length).replace(/^\//, '');
        return [name, TextDocument.applyEdits(TextDocument.create('', '', 0, folder().text(name)), edits as never)];
      }),
    );
  beforeEach(async () => {
    client = await Client.start({ capabilities: LAZY, folders: [uri('.')] });
  });
  afterEach(() => client.stop());

  it('fix all of a rule in the file', async () => {
    folder().write('httpd.conf', 'MaxClients 1\nMaxClients 2\n');
    await client.open(uri('httpd.conf'), folder().text('httpd.conf'));
    assert.deepEqual(applied(await take('httpd.conf', 'MaxClients', 'Fix all 2')), { 'httpd.conf': 'MaxRequestWorkers 1\nMaxRequestWorkers 2\n' });
  });

  it('convert all access control in the file', async () => {
    folder().write('a.conf', '<Files a>\nDeny from all\n</Files>\n<Files b>\nOrder allow,deny\nAllow from 10\n</Files>\n');
    await client.open(uri('a.conf'), folder().text('a.conf'));
    assert.deepEqual(applied(await take('a.conf', 'Deny', 'Convert all access control in this file')), {
      'a.conf': '<Files a>\nRequire all denied\n</Files>\n<Files b>\nRequire ip 10\n</Files>\n',
    });
  });

  it('convert the whole configuration: the root, what it includes, and .htaccess files', async () => {
    folder().write('conf/httpd.conf', `ServerRoot ${folder().path}\nDocumentRoot htdocs\n<Directory />\nAllowOverride All\nDeny from all\n</Directory>\nInclude conf.d/*.conf\n`);
    folder().write('conf.d/site.conf', `<Directory ${folder().path}/htdocs>\nAuthType Basic\nRequire valid-user\nAllow from all\n</Directory>\n`);
    folder().write('htdocs/.htaccess', 'Satisfy Any\n');
    await client.open(uri('conf.d/site.conf'), folder().text('conf.d/site.conf'));
    const action = await take('conf.d/site.conf', 'Allow', 'Convert all access control of this configuration');
    assert.deepEqual(applied(action), {
      'conf/httpd.conf': folder().text('conf/httpd.conf').replace('Deny from all', 'Require all denied'),
      'conf.d/site.conf': folder().text('conf.d/site.conf').replace('Allow from all\n', ''),
      'htdocs/.htaccess': 'Require all granted\n',
    });
    await client.until(() => client.shown.length > 0);
    assert.match(client.shown[0], /^httpd-upgrade: 3 sections of .*\/conf\/httpd\.conf converted\.$/);
  });

  it('convert every configuration of the workspace but those that share what would change', async () => {
    const body = (path: string) => `<Directory ${folder().path}/${path}>\nAllowOverride None\nDeny from all\n</Directory>\n`;
    for (const name of ['one', 'two']) folder().write(`${name}/httpd.conf`, `ServerRoot ${folder().path}/${name}\n${body(name)}`);
    for (const name of ['three', 'four']) folder().write(`${name}/httpd.conf`, `ServerRoot ${folder().path}/${name}\nInclude ${folder().path}/shared.inc\n`);
    folder().write('shared.inc', body('shared'));
    await client.open(uri('one/httpd.conf'), folder().text('one/httpd.conf'));
    const action = await take('one/httpd.conf', 'Deny', 'Convert all access control in this workspace');
    const done = (name: string) => folder().text(`${name}/httpd.conf`).replace('Deny from all', 'Require all denied');
    assert.deepEqual(applied(action), { 'one/httpd.conf': done('one'), 'two/httpd.conf': done('two') });
    await client.until(() => client.shown.length > 0);
    assert.match(client.shown[0], /2 sections of 2 configurations converted\. left alone, because they share files: .*three.*four|four.*three/);
  });

  for (const kind of ['of this configuration', 'in this workspace']) {
    it(`a copied tree is read by serverRoot, pathMap and defines, by settings and by the project's file alike: ${kind}`, async () => {
      const settings = { serverRoot: '/etc/httpd', pathMap: { '/etc/httpd': 'copy/etc', '/var/www': 'copy/www' }, defines: ['NEW'] };
      folder().write('copy/etc/conf/httpd.conf', 'PidFile run/x.pid\nDocumentRoot /var/www\n<Directory />\nAllowOverride None\nDeny from all\n</Directory>\n<Directory /var/www/shop>\nAllowOverride All\n</Directory>\n<IfDefine NEW>\nIncludeOptional conf.d/*.conf\n</IfDefine>\n');
      folder().write('copy/etc/conf.d/site.conf', '<Directory /var/www/shop>\nOrder allow,deny\nAllow from all\n</Directory>\n');
      folder().write('copy/www/shop/.htaccess', 'Deny from all\n');
      const expected = {
        'copy/etc/conf/httpd.conf': folder().text('copy/etc/conf/httpd.conf').replace('Deny from all', 'Require all denied'),
        'copy/etc/conf.d/site.conf': folder().text('copy/etc/conf.d/site.conf').replace('Order allow,deny\nAllow from all', 'Require all granted'),
        'copy/www/shop/.htaccess': 'Require all denied\n',
      };
      for (const isProject of [false, true]) {
        await client.stop();
        if (isProject) folder().write('.httpd-upgrade.json', JSON.stringify(settings));
        client = await Client.start({ capabilities: LAZY, folders: [uri('.')], settings: isProject ? {} : settings });
        await client.open(uri('copy/etc/conf/httpd.conf'), folder().text('copy/etc/conf/httpd.conf'));
        assert.deepEqual(applied(await take('copy/etc/conf/httpd.conf', 'Deny', `Convert all access control ${kind}`)), expected, isProject ? 'by .httpd-upgrade.json' : 'by settings');
      }
      // The command line reads the tree the same way.
      await folder().run(['fix', '--write', '--unsafe', folder().at('copy/etc/conf/httpd.conf'), folder().at('copy/www')]);
      for (const [name, text] of Object.entries(expected)) assert.equal(folder().text(name), text);
    });
  }

  it('says when no root includes the file', async () => {
    folder().write('x.conf', '<Files a>\nDeny from all\n</Files>\n');
    folder().write('httpd.conf', 'Listen 80\n');
    await client.open(uri('x.conf'), folder().text('x.conf'));
    const action = await take('x.conf', 'Deny', 'Convert all access control of this configuration');
    assert.deepEqual(applied(action), {});
    await client.until(() => client.shown.length > 0);
    assert.match(client.shown[0], /no configuration in this workspace includes this file/);
  });
}));
