/** What the lightbulb offers for access lines of a configuration: what its plan has for them, whole or not at all. */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import type { CodeAction, TextDocumentEdit } from 'vscode-languageserver-protocol/node';
import { withFolder } from '../cli/run';
import { Client } from './client';

describe(
  'quick fixes for the access control of a configuration',
  withFolder((folder) => {
    let client: Client;
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;
    const start = async (files: Readonly<Record<string, string>>, opened: readonly string[] = Object.keys(files)) => {
      for (const [name, text] of Object.entries(files)) folder().write(name, text.replaceAll('$FOLDER', folder().path));
      client = await Client.start({ folders: [uri('.')] });
      for (const name of opened) await client.open(uri(name), folder().text(name));
    };
    const conversions = async (name: string, at: string): Promise<CodeAction[]> => {
      await client.diagnostics(uri(name));
      return (await client.actions(uri(name), at)).filter(
        ({ title, command }) => title.startsWith('Convert') && !command,
      );
    };
    const changed = ({ edit }: CodeAction) =>
      (edit!.documentChanges as TextDocumentEdit[]).map(({ textDocument }) =>
        textDocument.uri.slice(uri('.').length + 1),
      );
    const ROOT =
      'ServerRoot $FOLDER\nListen 80\n<Directory />\nAllowOverride None\nOrder deny,allow\nDeny from all\n</Directory>\n';
    afterEach(() => client.stop());

    it('are preferred where they keep every decision', async () => {
      await start({ 'httpd.conf': ROOT });
      const [action, ...others] = await conversions('httpd.conf', 'Order');
      assert.deepEqual(
        [action.title, action.isPreferred, changed(action), others],
        ['Convert to Require all denied', true, ['httpd.conf'], []],
      );
    });

    it('are not where something is not known, and say what', async () => {
      await start({ 'httpd.conf': `${ROOT}Include gone/x.conf\n` });
      const [action] = await conversions('httpd.conf', 'Order');
      assert.equal(action.isPreferred, undefined);
      assert.match(action.title, /^Convert to Require all denied · check first: .*gone\/x\.conf/);
    });

    const TWO = {
      'httpd.conf': `${ROOT}Include a.conf\n`,
      'a.conf': '<Directory $FOLDER/www>\nOrder allow,deny\nAllow from all\n</Directory>\n',
    };

    it('change all files that belong together, where they are open', async () => {
      await start(TWO);
      const [action] = await conversions('a.conf', 'Order');
      assert.deepEqual(changed(action).sort(), ['a.conf', 'httpd.conf']);
    });

    it('are left to the command, which shows and asks, where one of these is not open', async () => {
      await start(TWO, ['a.conf']);
      assert.deepEqual(await conversions('a.conf', 'Order'), []);
      assert.ok(
        (await client.actions(uri('a.conf'), 'Order')).some(
          ({ command }) => command?.command === 'httpdUpgrade.convertConfiguration',
        ),
      );
    });

    it('are none for what the plan of the configuration refuses', async () => {
      await start({ 'httpd.conf': `${ROOT}<Files "x">\nOrder allow,deny\nAllow from all env=\n</Files>\n` });
      const all = await client.actions(uri('httpd.conf'), 'Allow from all env');
      assert.deepEqual(
        all.filter(({ edit, isPreferred, title }) => edit && (isPreferred || title.startsWith('Convert'))),
        [],
      );
    });

    it('are none where nothing of the configuration can be converted, nor is the command', async () => {
      await start({ 'httpd.conf': ROOT.replace('Deny from all', 'Deny from all env=') });
      const all = await client.actions(uri('httpd.conf'), 'Order');
      assert.deepEqual(
        all.filter(({ title, command }) => title.startsWith('Convert') || command),
        [],
      );
    });

    it('follow what is typed', async () => {
      await start({ 'httpd.conf': ROOT });
      assert.match((await conversions('httpd.conf', 'Order'))[0].title, /Require all denied/);
      await client.replace(uri('httpd.conf'), 'Deny from all', 'Allow from all');
      assert.match((await conversions('httpd.conf', 'Order'))[0].title, /Require all granted/);
    });
  }),
);
