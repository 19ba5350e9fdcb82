/**
 * The lightbulb for access lines of a configuration: the changes of its plan, whole or not at all.
 */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { CodeAction, TextDocumentEdit } from 'vscode-languageserver-protocol/node';
import { withFolder } from '../cli/run';
import { Client, FULL } from './client';

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
    /** What leads to a conversion at a place. */
    const conversions = async (name: string, at: string): Promise<CodeAction[]> => {
      await client.diagnostics(uri(name));
      return (await client.actions(uri(name), at)).filter(
        ({ title, command }) => command?.command === 'httpdUpgrade.convertAccess' || /^Convert (?!all )/.test(title),
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

    it('ask first where something is not known', async () => {
      await start({ 'httpd.conf': `${ROOT}Include gone/x.conf\n` });
      const [action] = await conversions('httpd.conf', 'Order');
      assert.equal(action.isPreferred, true);
      assert.match(action.title, /^Answer ".*" to convert$/);
      assert.deepEqual([action.edit, action.command?.command], [undefined, 'httpdUpgrade.convertAccess']);
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

    it('change files that are not open, too', async () => {
      await start(TWO, ['a.conf']);
      const [action] = await conversions('a.conf', 'Order');
      assert.deepEqual([action.title, action.isPreferred], ['Convert these 2 sections (2 files)', true]);
      assert.deepEqual(
        (action.edit!.documentChanges as TextDocumentEdit[])
          .map(({ textDocument }) => [textDocument.uri, textDocument.version])
          .sort(),
        [
          [uri('a.conf'), 1],
          [uri('httpd.conf'), null],
        ],
      );
    });

    it('are planned on request where many directories have to be looked at', async () => {
      for (let index = 0; index < 2500; index++) mkdirSync(folder().at(`www/d${index}`), { recursive: true });
      await start({
        'httpd.conf': `${ROOT}DocumentRoot $FOLDER/www\n<Directory $FOLDER/www>\nAllowOverride All\n</Directory>\n`,
      });
      const [action] = await conversions('httpd.conf', 'Order');
      assert.deepEqual([action.edit, action.command?.command], [undefined, 'httpdUpgrade.convertAccess']);
      const { files } = await client.connection.sendRequest<{ files: readonly { uri: string }[] }>(
        'httpdUpgrade/planConversion',
        { access: action.command!.arguments![0] as object },
      );
      assert.deepEqual(
        files.map((each) => each.uri),
        [uri('httpd.conf')],
      );
    });

    it('convert in the browser, where the editor alone has the files', async () => {
      const folderUri = 'vscode-vfs://github/a/b';
      const texts: Record<string, string> = {
        [`${folderUri}/httpd.conf`]: `${ROOT.replaceAll('$FOLDER', '/etc/httpd')}Include a.conf\n`,
        [`${folderUri}/a.conf`]: TWO['a.conf'].replaceAll('$FOLDER', '/etc/httpd'),
      };
      client = await Client.start({
        transport: 'worker',
        folders: [folderUri],
        files: texts,
        initializationOptions: { client: 'httpd-upgrade', trusted: true },
      });
      const opened = `${folderUri}/a.conf`;
      await client.open(opened, texts[opened]!);
      await client.diagnostics(opened);
      const [first] = await client.actions(opened, 'Order');
      assert.deepEqual([first.title, first.isPreferred], ['Convert these 2 sections (2 files)…', true]);
      client.connection.onRequest('httpdUpgrade/writeFile', ({ uri: name, content }: Record<string, string>) => {
        texts[name!] = Buffer.from(content!, 'base64').toString();
        return {};
      });
      client.connection.onRequest('workspace/applyEdit', () => ({ applied: true }));
      const access = first.command!.arguments![0] as object;
      const { id, files } = await client.connection.sendRequest<{
        id: number;
        files: { uri: string; after: string }[];
      }>('httpdUpgrade/planConversion', { access });
      assert.deepEqual(files.map((each) => each.uri).sort(), Object.keys(texts).sort());
      const outcome = await client.connection.sendRequest<{ isDone: boolean; message: string }>(
        'httpdUpgrade/applyConversion',
        { id },
      );
      assert.deepEqual([outcome.isDone, outcome.message], [true, 'Converted 2 sections in 2 files.']);
      assert.match(texts[`${folderUri}/httpd.conf`]!, /Require all denied/);
    });

    it('are offered first on every line of a section and on its tag, whatever kinds are asked for', async () => {
      await start(TWO, ['a.conf']);
      await client.diagnostics(uri('a.conf'));
      for (const at of ['Order', 'Allow from', '<Directory'])
        for (const only of [undefined, ['quickfix']]) {
          const [first, ...others] = await client.actions(uri('a.conf'), at, only);
          assert.equal(first.title, 'Convert these 2 sections (2 files)', at);
          assert.match(others.at(-1)!.title, /^Ignore /, at);
        }
      assert.deepEqual(await conversions('a.conf', '</Directory>'), []);
    });

    it('are commands for a client that takes no edit of several files, and one that would break an encoding', async () => {
      await start({ ...TWO, 'httpd.conf': `${ROOT}Include a.conf\n` }, []);
      folder().write(
        'a.conf',
        Buffer.from(`# f\xfcr alle\n${TWO['a.conf'].replaceAll('$FOLDER', folder().path)}`, 'latin1'),
      );
      await client.open(uri('httpd.conf'), folder().text('httpd.conf'));
      const [action] = await conversions('httpd.conf', 'Order');
      assert.deepEqual(
        [action.title, action.edit, action.isPreferred],
        ['Convert these 2 sections (2 files)…', undefined, true],
      );
      client.connection.onRequest('workspace/applyEdit', () => ({ applied: true }));
      client.connection.onRequest('window/showMessageRequest', () => null);
      await client.connection.sendRequest('workspace/executeCommand', action.command!);
      assert.match(folder().bytes('a.conf').toString('latin1'), /^# f\xfcr alle\n.*\n {0}Require all granted\n/);
    });

    it('name the file whose encoding would break, where nothing else can be done', async () => {
      for (const [name, text] of Object.entries(TWO)) folder().write(name, text.replaceAll('$FOLDER', folder().path));
      folder().write('a.conf', Buffer.from(`# f\xfcr alle\n${folder().text('a.conf')}`, 'latin1'));
      const workspace = { ...FULL.workspace, applyEdit: false };
      client = await Client.start({ folders: [uri('.')], capabilities: { ...FULL, workspace } });
      await client.open(uri('httpd.conf'), folder().text('httpd.conf'));
      const [action] = await conversions('httpd.conf', 'Order');
      assert.match(action.disabled!.reason, /^a\.conf: the file is not UTF-8/);
    });

    it('do not stop where the editor has misread another file of the change', async () => {
      for (const [name, text] of Object.entries(TWO)) folder().write(name, text.replaceAll('$FOLDER', folder().path));
      folder().write('a.conf', Buffer.from(`# f\xfcr alle\n${folder().text('a.conf')}`, 'latin1'));
      client = await Client.start({ folders: [uri('.')] });
      await client.open(uri('a.conf'), folder().text('a.conf'));
      await client.open(uri('httpd.conf'), folder().text('httpd.conf'));
      const [action] = await conversions('httpd.conf', 'Order');
      assert.deepEqual([action.title, action.edit], ['Convert these 2 sections (2 files)…', undefined]);
      client.connection.onRequest('workspace/applyEdit', () => ({ applied: true }));
      client.connection.onRequest('window/showMessageRequest', () => null);
      await client.connection.sendRequest('workspace/executeCommand', action.command!);
      assert.match(folder().bytes('a.conf').toString('latin1'), /^# f\xfcr alle\n.*\nRequire all granted\n/);
    });

    it('keep both versions of a .htaccess, if the user chooses that', async () => {
      await start(
        {
          'httpd.conf': `${ROOT}Alias /w $FOLDER/www\n<Directory $FOLDER/www>\nAllowOverride All\n</Directory>\n`,
          'www/.htaccess': 'Order allow,deny\nAllow from all\n',
        },
        ['www/.htaccess'],
      );
      const actions = await conversions('www/.htaccess', 'Order');
      assert.deepEqual(
        actions.map(({ title }) => title),
        ['Convert these 2 sections (2 files)', 'Convert access control for both 2.2 and 2.4…'],
      );
      const edits: object[] = [];
      client.connection.onRequest('workspace/applyEdit', ({ edit }) => {
        edits.push(edit);
        return { applied: true };
      });
      client.connection.onRequest('window/showMessageRequest', () => null);
      await client.connection.sendRequest('workspace/executeCommand', actions[1].command!);
      assert.match(JSON.stringify(edits), /<IfModule !mod_authz_core\.c>/);
      assert.match(folder().text('httpd.conf'), /<IfModule !mod_authz_core\.c>\n *Order deny,allow/);
    });

    it('are there for a configuration of many files, which is planned when the user asks', async () => {
      const sites = Array.from({ length: 120 }, (_, index) => `s/${index}.conf`);
      const site = (index: number) =>
        `Alias /a${index} $FOLDER/a${index}\n<Directory $FOLDER/a${index}>\nAllowOverride None\nOrder allow,deny\nAllow from all\n</Directory>\n`;
      const files = Object.fromEntries(sites.map((name, index) => [name, site(index)]));
      await start({ 'httpd.conf': `${ROOT}Include s/*.conf\n`, ...files }, ['s/7.conf']);
      const [action] = await conversions('s/7.conf', 'Order');
      assert.deepEqual([action.title, action.isPreferred], ['Convert this section…', true]);
      client.connection.onRequest('workspace/applyEdit', () => ({ applied: true }));
      client.connection.onRequest('window/showMessageRequest', () => null);
      await client.connection.sendRequest('workspace/executeCommand', action.command!);
      assert.match(folder().text('httpd.conf'), /Require all denied/);
      assert.match(folder().text('s/8.conf'), /Require all granted/);
    });

    it('go on when the question is answered', async () => {
      await start({ 'httpd.conf': `${ROOT}Include gone/x.conf\n` });
      const [action] = await conversions('httpd.conf', 'Order');
      const questions: string[] = [];
      const edits: object[] = [];
      let answer = -1;
      client.connection.onRequest('window/showMessageRequest', ({ message, actions }) => {
        questions.push(message);
        return /^Converted/.test(message) ? null : actions.at(answer);
      });
      client.connection.onRequest('workspace/applyEdit', ({ edit }) => {
        edits.push(edit);
        return { applied: true };
      });
      await client.connection.sendRequest('workspace/executeCommand', action.command!);
      assert.deepEqual([questions.length, edits], [1, []], "I don't know");
      answer = 0;
      await client.connection.sendRequest('workspace/executeCommand', action.command!);
      assert.equal(edits.length, 1);
      assert.match(JSON.stringify(edits[0]), /Require all denied/);
    });

    it('lead to the reason where the plan refuses one', async () => {
      await start({
        'httpd.conf': `${ROOT.replace('Deny from all', 'Deny from all env=')}Include a.conf\n`,
        'a.conf': TWO['a.conf'],
      });
      const [action, ...others] = await conversions('a.conf', 'Order');
      assert.deepEqual([action.title, action.isPreferred, others], ['Why is this not converted?', undefined, []]);
      const reason: unknown = await client.connection.sendRequest('httpdUpgrade/planConversion', {
        access: action.command!.arguments![0],
      });
      assert.match((reason as { nothing: string }).nothing, /Change <Directory \/> at httpd\.conf:5 by hand/);
      assert.deepEqual((reason as { place: object }).place, { uri: uri('httpd.conf'), line: 4, name: 'httpd.conf:5' });
    });

    it('are none for what the plan of the configuration refuses', async () => {
      await start({ 'httpd.conf': `${ROOT}<Files "x">\nOrder allow,deny\nAllow from all env=\n</Files>\n` });
      const all = await client.actions(uri('httpd.conf'), 'Allow from all env');
      assert.deepEqual(
        all.filter(({ edit, isPreferred, title }) => edit && (isPreferred || title.startsWith('Convert'))),
        [],
      );
    });

    it('are none where nothing of the configuration can be converted, nor is the command for all of it', async () => {
      await start({ 'httpd.conf': ROOT.replace('Deny from all', 'Deny from all env=') });
      const all = await client.actions(uri('httpd.conf'), 'Order');
      assert.deepEqual(
        all.flatMap(({ title, command }) => (title.startsWith('Convert') || command ? [title] : [])),
        ['Why is this not converted?'],
      );
    });

    it('are an edit to look at where no configuration reads the file, and other files lie beside it', async () => {
      const lone = '<Directory /srv/www>\nOrder allow,deny\nAllow from all\n</Directory>\n';
      await start({ 'a.conf': lone, 'b.conf': lone }, ['a.conf']);
      const [action, ...others] = await conversions('a.conf', 'Order');
      assert.deepEqual(
        [action.title, action.isPreferred, changed(action)],
        [
          'Convert to Require all granted · check first: no other section, file or .htaccess restricts access to the same requests',
          undefined,
          ['a.conf'],
        ],
      );
      assert.deepEqual(
        others.map(({ title }) => title),
        ['Convert access control for both 2.2 and 2.4'],
      );
    });

    it('are planned with the .htaccess files around, where the user chooses the conversion of one', async () => {
      const answer = (value: string) => JSON.stringify({ answers: { 'outside-unseen:.': value } });
      folder().write('.htaccess', 'Order allow,deny\nAllow from all\nDeny from 198.51.100.23\n');
      folder().write('intern/.htaccess', 'AuthType Basic\nAuthName a\nAuthUserFile /a\nRequire valid-user\n');
      folder().write('.httpd-upgrade.json', answer('none'));
      client = await Client.start({
        folders: [uri('.')],
        initializationOptions: { client: 'httpd-upgrade', trusted: true },
      });
      await client.open(uri('.htaccess'), folder().text('.htaccess'));
      const [action] = await conversions('.htaccess', 'Order');
      const { files } = await client.connection.sendRequest<{ files: readonly { uri: string; after: string }[] }>(
        'httpdUpgrade/planConversion',
        { access: action.command!.arguments![0] as object },
      );
      assert.deepEqual(files.map((each) => each.uri).sort(), [uri('.htaccess'), uri('intern/.htaccess')]);
      assert.match(
        files.find((each) => each.uri === uri('intern/.htaccess'))!.after,
        /Require not ip 198\.51\.100\.23/,
      );
    });

    it('of a .htaccess that is open without its folder are not safe while others lie below it', async () => {
      folder().write('.htaccess', 'Order allow,deny\nAllow from all\nDeny from 198.51.100.23\n');
      client = await Client.start({
        settings: { accessControl: { assumeStandalone: true } },
        initializationOptions: { trusted: true },
      });
      await client.open(uri('.htaccess'), folder().text('.htaccess'));
      const isSafe = async () =>
        (await client.diagnostics(uri('.htaccess'))).map(({ data }) => (data as { fix: string }).fix);
      assert.deepEqual(await isSafe(), ['safe']);
      folder().write('intern/.htaccess', 'AuthType Basic\nAuthName a\nAuthUserFile /a\nRequire valid-user\n');
      await client.change(uri('.htaccess'), [{ text: `${folder().text('.htaccess')}\n` }]);
      assert.deepEqual(await isSafe(), ['suggestion']);
    });

    it('are there once where a file by itself converts', async () => {
      const answers = '{"answers":{"outside-unseen:.":"none"}}';
      const lone = '<Directory /srv/www>\nOrder allow,deny\nAllow from all\n</Directory>\n';
      await start({ 'a.conf': lone, '.httpd-upgrade.json': answers }, ['a.conf']);
      assert.deepEqual(
        (await conversions('a.conf', 'Order')).map(({ title }) => title),
        ['Convert to Require all granted', 'Convert access control for both 2.2 and 2.4'],
      );
    });

    it('are the reason where lines of a template decide', async () => {
      await start({
        'a.conf.in':
          '<Directory "@@ROOT@@/www">\nOrder allow,deny\n{% if x %}\nAllow from all\n{% endif %}\n</Directory>\n',
      });
      const [action] = await conversions('a.conf.in', 'Order');
      assert.equal(action.title, 'Why is this not converted?');
    });

    it('are there at once in each file that is opened', async () => {
      const site = (index: number) =>
        `Alias /a${index} $FOLDER/a${index}\n<Directory $FOLDER/a${index}>\nAllowOverride None\nOrder allow,deny\nAllow from all\n</Directory>\n`;
      const names = Array.from({ length: 40 }, (_, index) => `s/${index}.conf`);
      await start(
        { 'httpd.conf': `${ROOT}Include s/*.conf\n`, ...Object.fromEntries(names.map((name, at) => [name, site(at)])) },
        [],
      );
      for (const name of names) {
        await client.open(uri(name), folder().text(name));
        const [first] = await client.actions(uri(name), 'Order');
        assert.equal(first.title, 'Convert these 41 sections (41 files)', name);
        await client.close(uri(name));
      }
    });

    it('convert lines in a condition that only 2.2 fulfils', async () => {
      await start({
        'httpd.conf': `${ROOT}<Directory $FOLDER/b>\nAllowOverride None\n<IfModule !mod_authz_core.c>\nOrder allow,deny\nAllow from all\n</IfModule>\n</Directory>\n`,
      });
      for (const at of ['Order allow', 'Allow from', '<IfModule', `<Directory ${folder().path}/b`]) {
        const [action] = await client.actions(uri('httpd.conf'), at);
        assert.match(action.title, /^Convert /, at);
      }
    });

    const ONE_VERSION_NAMES = (now: string) =>
      `${ROOT}<Directory $FOLDER/b>\nAllowOverride None\n<IfModule mod_authz_core.c>\nRequire ${now}\n</IfModule>\n<IfModule !mod_authz_core.c>\nOrder allow,deny\nAllow from all\n</IfModule>\n</Directory>\n`;
    const reasonOf = async (action: CodeAction) =>
      (await client.connection.sendRequest('httpdUpgrade/planConversion', {
        access: action.command!.arguments![0],
      })) as { nothing: string; place: { name: string } };

    it('are the reason for lines that 2.4 does not read, beside those that it reads', async () => {
      await start({ 'httpd.conf': ONE_VERSION_NAMES('all granted') });
      for (const at of ['Order allow', 'Allow from', '<IfModule !']) {
        const [action] = await client.actions(uri('httpd.conf'), at);
        assert.equal(action.title, 'Why is this not converted?', at);
        const { nothing, place } = await reasonOf(action);
        assert.match(nothing, /does not read the lines in <IfModule !mod_authz_core\.c>/);
        assert.match(nothing, /It reads Require all granted instead\. Check who has access in 2\.4: httpd\.conf:11\.$/);
        assert.equal(place.name, 'httpd.conf:11');
      }
    });

    it('are the lines for 2.4 where they decide in another way than those for 2.2', async () => {
      await start({ 'httpd.conf': ONE_VERSION_NAMES('local') });
      const [first, second] = await client.actions(uri('httpd.conf'), 'Order allow');
      assert.deepEqual(
        [first.title, second.title],
        ['Change Require local to Require all granted · check first', 'Why is this not converted?'],
      );
    });

    it('are the reason in a macro that nothing uses, and where no version reads the lines', async () => {
      const lines = 'Order allow,deny\nAllow from all\n';
      await start({
        'httpd.conf': `${ROOT}<Macro X $d>\n<Directory $d>\n${lines}</Directory>\n</Macro>\n<IfModule mod_access.c>\n<Location /a>\n${lines.replace('A', 'a')}</Location>\n</IfModule>\n`,
      });
      for (const [at, reason] of [
        ['Allow from', /no configuration here uses this macro/],
        ['Order allow,deny\nAll', /no configuration here uses this macro/],
        ['allow from', /no version reads the lines in <IfModule mod_access\.c>/],
      ] as const) {
        const [action] = await client.actions(uri('httpd.conf'), at);
        assert.equal(action.title, 'Why is this not converted?', at);
        assert.match((await reasonOf(action)).nothing, reason);
      }
    });

    it('come after what moves the lines to where they count', async () => {
      await start({ 'httpd.conf': `Order deny,allow\n${ROOT.replace('Order', 'order')}` });
      const [first] = await client.actions(uri('httpd.conf'), 'Order');
      assert.equal(first.title, 'Move Order into <Location /> · check first');
    });

    it('are there on the tag of a condition and of limits around the lines', async () => {
      await start({
        'httpd.conf': `${ROOT}<Directory $FOLDER/b>\nAllowOverride None\n<Limit GET POST>\nOrder allow,deny\nAllow from all\n</Limit>\n</Directory>\n`,
      });
      const [first] = await client.actions(uri('httpd.conf'), '<Limit');
      assert.match(first.title, /^Convert /);
    });

    it('change files that are not open for a client that knows nothing but edits', async () => {
      for (const [name, text] of Object.entries(TWO)) folder().write(name, text.replaceAll('$FOLDER', folder().path));
      const workspace = { ...FULL.workspace, applyEdit: false, workspaceEdit: {} };
      client = await Client.start({ folders: [uri('.')], capabilities: { ...FULL, workspace } });
      await client.open(uri('a.conf'), folder().text('a.conf'));
      const [action] = await client.actions(uri('a.conf'), 'Order');
      assert.equal(action.title, 'Convert these 2 sections (2 files)');
      assert.deepEqual(Object.keys(action.edit!.changes!).sort(), [uri('a.conf'), uri('httpd.conf')]);
    });

    it('change files in a folder that is opened by way of a link', async () => {
      for (const [name, text] of Object.entries(TWO))
        folder().write(`real/${name}`, text.replaceAll('$FOLDER', `${folder().path}/real`));
      symlinkSync('real', folder().at('link'));
      client = await Client.start({ folders: [uri('link')] });
      await client.open(uri('link/a.conf'), folder().text('real/a.conf'));
      const [action] = await client.actions(uri('link/a.conf'), 'Order');
      assert.equal(action.title, 'Convert these 2 sections (2 files)');
    });

    it('are the reason in a file that is open with the wrong encoding', async () => {
      folder().write('httpd.conf', Buffer.from(`# f\xfcr alle\n${ROOT.replaceAll('$FOLDER', '/srv')}`, 'latin1'));
      client = await Client.start({ folders: [uri('.')] });
      await client.open(uri('httpd.conf'), folder().text('httpd.conf'));
      const [action] = await client.actions(uri('httpd.conf'), 'Order');
      assert.equal(action.title, 'Why is this not converted?');
      assert.match((await reasonOf(action)).nothing, /opened this file with the wrong encoding\. Reopen the file/);
    });

    it('follow what is typed', async () => {
      await start({ 'httpd.conf': ROOT });
      assert.match((await conversions('httpd.conf', 'Order'))[0].title, /Require all denied/);
      await client.replace(uri('httpd.conf'), 'Deny from all', 'Allow from all');
      assert.match((await conversions('httpd.conf', 'Order'))[0].title, /Require all granted/);
    });
  }),
);
