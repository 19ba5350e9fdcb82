/**
 * The conversion of a whole configuration over the protocol: previewed and confirmed first, applied
 * whole or not at all, then reported.
 */
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type {
  ApplyWorkspaceEditParams,
  ShowMessageRequestParams,
  TextDocumentEdit,
} from 'vscode-languageserver-protocol/node';
import { withFolder } from '../cli/run';
import { Client, FULL, type ClientOptions } from './client';

const COMMAND = 'httpdUpgrade.convertConfiguration';
const TITLE = 'Convert all access control of this configuration…';
const LATIN1 = Buffer.from(
  '# für alle\nAlias /gä /srv/gä\n<Directory /srv/gä>\nOrder allow,deny\nAllow from all\n</Directory>\n',
  'latin1',
);
const LATIN1_AFTER = Buffer.from(
  '# für alle\nAlias /gä /srv/gä\n<Directory /srv/gä>\nRequire all granted\n</Directory>\n',
  'latin1',
);

describe(
  'conversions of whole configurations',
  withFolder((folder) => {
    let client: Client;
    /** What the person is asked, and what they answer. */
    let asked: ShowMessageRequestParams[];
    let answers: (string | (() => string | Promise<string>))[];
    let applied: ApplyWorkspaceEditParams[];
    let takes: boolean;
    let onAsked: () => void;
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;

    const start = async (options: ClientOptions = {}): Promise<void> => {
      client = await Client.start({ folders: [uri('.')], ...options });
      client.connection.onRequest('window/showMessageRequest', async (params: ShowMessageRequestParams) => {
        asked.push(params);
        onAsked();
        const answer = answers.shift();
        const title = typeof answer === 'function' ? await answer() : answer;
        return title === undefined ? null : { title };
      });
      client.connection.onRequest('workspace/applyEdit', async (params: ApplyWorkspaceEditParams) => {
        applied.push(params);
        if (!takes) return { applied: false };
        for (const { textDocument, edits } of params.edit.documentChanges as TextDocumentEdit[]) {
          const backwards = [...edits].sort(
            (a, b) => b.range.start.line - a.range.start.line || b.range.start.character - a.range.start.character,
          );
          await client.change(
            textDocument.uri,
            backwards.map((edit) => ({ range: edit.range, text: (edit as { newText: string }).newText })),
          );
        }
        return { applied: true };
      });
    };
    const open = (name: string) => client.open(uri(name), folder().text(name));
    const convert = (name?: string) =>
      client.connection.sendRequest('workspace/executeCommand', {
        command: COMMAND,
        arguments: name === undefined ? [] : [uri(name)],
      });
    /** Waits for a message. */
    const told = (pattern: RegExp): Promise<string> =>
      new Promise((resolve) => {
        onAsked = () => {
          const message = [...asked.map(({ message }) => message), ...client.shown].find((each) => pattern.test(each));
          if (message !== undefined) resolve(message);
        };
        void client.until(() => client.shown.some((each) => pattern.test(each))).then(onAsked);
        onAsked();
      });

    beforeEach(() => {
      asked = [];
      onAsked = () => undefined;
      answers = ['Convert'];
      applied = [];
      takes = true;
      const base = folder().path;
      folder().write(
        'conf/httpd.conf',
        `ServerRoot ${base}\n<Directory />\nAllowOverride None\nDeny from all\n</Directory>\nInclude conf.d/*.conf\n`,
      );
      folder().write('conf.d/a.conf', `<Directory ${base}/htdocs>\nOrder allow,deny\nAllow from all\n</Directory>\n`);
      folder().write('conf.d/g.conf', LATIN1);
    });
    afterEach(async () => {
      // Users in an editor are never sent to another program.
      for (const message of [...asked.map(({ message }) => message), ...client.shown])
        assert.doesNotMatch(message, /command line|httpd-upgrade (check|fix)|terminal/);
      await client.stop();
    });

    const original = () => ({ root: folder().text('conf/httpd.conf'), a: folder().text('conf.d/a.conf') });
    const isUntouched = (before: ReturnType<typeof original>) => {
      assert.deepEqual(original(), before);
      assert.deepEqual(folder().bytes('conf.d/g.conf'), LATIN1);
    };

    it('are offered as a command, and change what is open in the editor and the rest on the disk, byte for byte', async () => {
      await start();
      assert.deepEqual(client.initialized.capabilities.executeCommandProvider!.commands.slice(0, 2), [
        COMMAND,
        'httpdUpgrade.applyFix',
      ]);
      await open('conf.d/a.conf');
      await client.diagnostics(uri('conf.d/a.conf'));
      const action = (await client.actions(uri('conf.d/a.conf'), 'Allow')).find(({ title }) => title === TITLE);
      assert.deepEqual(
        [action?.edit, action?.command?.command, action?.command?.arguments],
        [undefined, COMMAND, [uri('conf.d/a.conf')]],
      );
      const before = original();
      await convert('conf.d/a.conf');
      assert.match(
        asked[0].message,
        /^Convert 3 sections in 3 files\? Files: conf\/httpd\.conf, conf\.d\/a\.conf, conf\.d\/g\.conf\./,
      );
      assert.deepEqual(asked[0].actions, [{ title: 'Convert' }, { title: 'Cancel' }]);
      assert.equal(folder().text('conf/httpd.conf'), before.root.replace('Deny from all', 'Require all denied'));
      assert.deepEqual(folder().bytes('conf.d/g.conf'), LATIN1_AFTER);
      assert.equal(folder().text('conf.d/a.conf'), before.a);
      assert.equal(
        client.text(uri('conf.d/a.conf')),
        before.a.replace('Order allow,deny\nAllow from all', 'Require all granted'),
      );
      assert.deepEqual(
        applied.map(({ edit }) => edit.documentChanges!.map((change) => (change as TextDocumentEdit).textDocument)),
        [[{ uri: uri('conf.d/a.conf'), version: 1 }]],
      );
      await told(/^Converted 3 sections in 3 files\. Save the open files to complete it\.$/);
    });

    it('can be undone: in the editor and on the disk', async () => {
      await start();
      await open('conf.d/a.conf');
      const before = original();
      answers = ['Convert', 'Undo'];
      await convert('conf.d/a.conf');
      await told(/^The change was undone\./);
      isUntouched(before);
      assert.equal(client.text(uri('conf.d/a.conf')), before.a);
    });

    it('are not undone where a file has changed since', async () => {
      await start();
      answers = [
        'Convert',
        () => {
          folder().write('conf.d/a.conf', '# mine\n');
          return 'Undo';
        },
      ];
      await convert('conf.d/a.conf');
      await told(/^Nothing was changed: conf\.d\/a\.conf has changed meanwhile\./);
      assert.match(folder().text('conf/httpd.conf'), /Require all denied/);
      assert.deepEqual(folder().bytes('conf.d/g.conf'), LATIN1_AFTER);
    });

    for (const answer of ['Cancel', undefined]) {
      it(`do nothing when the answer is ${answer}`, async () => {
        await start();
        const before = original();
        answers = answer ? [answer] : [];
        await convert('conf/httpd.conf');
        isUntouched(before);
        assert.deepEqual([applied, client.shown], [[], []]);
      });
    }

    it('are taken back from the disk when the editor refuses', async () => {
      await start();
      await open('conf.d/a.conf');
      const before = original();
      takes = false;
      await convert('conf.d/a.conf');
      await told(/^Nothing was changed: the editor refused/);
      assert.equal(applied.length, 1);
      isUntouched(before);
    });

    it('change nothing when a file on the disk has changed since the question', async () => {
      await start();
      await open('conf.d/a.conf');
      const before = original();
      answers = [
        () => {
          folder().write('conf/httpd.conf', `${before.root}# more\n`);
          return 'Convert';
        },
      ];
      await convert('conf.d/a.conf');
      await told(/^Nothing was changed: conf\/httpd\.conf has changed meanwhile\./);
      isUntouched({ ...before, root: `${before.root}# more\n` });
      assert.deepEqual(applied, []);
    });

    it('change nothing when an open file has changed since the question', async () => {
      await start();
      await open('conf.d/a.conf');
      const before = original();
      answers = [
        async () => {
          await client.replace(uri('conf.d/a.conf'), 'Allow', '#\nAllow');
          return 'Convert';
        },
      ];
      await convert('conf.d/a.conf');
      await told(/^Nothing was changed: conf\.d\/a\.conf has changed meanwhile\./);
      isUntouched(before);
      assert.deepEqual(applied, []);
    });

    it('change nothing when one of the files cannot be written', async () => {
      await start();
      const before = original();
      answers = [
        () => {
          renameSync(folder().at('conf.d/g.conf'), folder().at('conf.d/g.away'));
          return 'Convert';
        },
      ];
      await convert('conf.d/a.conf');
      await told(/^Nothing was changed: conf\.d\/g\.conf /);
      assert.deepEqual(original(), before);
    });

    describe('of a file that the editor read with the wrong encoding', () => {
      const misread = LATIN1.toString('utf8');

      it('go to the disk while the editor has nothing of its own in it', async () => {
        await start();
        await client.open(uri('conf.d/g.conf'), misread);
        await convert('conf.d/g.conf');
        assert.deepEqual(folder().bytes('conf.d/g.conf'), LATIN1_AFTER);
        assert.deepEqual(applied, []);
        assert.match(
          await told(/^Converted/),
          /conf\.d\/g\.conf is open with the wrong encoding: reopen it with its own encoding before you save it\./,
        );
      });

      it('are refused where it has: saving would destroy it', async () => {
        await start();
        await client.open(uri('conf.d/g.conf'), misread);
        await client.replace(uri('conf.d/g.conf'), 'Order', '# mine\nOrder');
        const before = original();
        await convert('conf/httpd.conf');
        await told(/^conf\.d\/g\.conf is open with the wrong encoding and has unsaved changes\./);
        isUntouched(before);
        assert.deepEqual([asked, applied], [[], []]);
      });
    });

    it('are taken by clients without versions of documents', async () => {
      await start({ capabilities: { ...FULL, workspace: { ...FULL.workspace, workspaceEdit: {} } } });
      await open('conf.d/a.conf');
      takes = false;
      await convert('conf.d/a.conf');
      assert.deepEqual(Object.keys(applied[0].edit.changes ?? {}), [uri('conf.d/a.conf')]);
    });

    it('name what to check first', async () => {
      folder().write('conf.d/x.conf', 'Include more/gone.conf\n');
      await start();
      answers = [];
      await convert('conf/httpd.conf');
      assert.match(asked[0].message, /^Convert 3 sections in 3 files\? .* Check first: .*more\/gone\.conf/);
      assert.equal(asked[0].type, 2);
    });

    describe('for our own client', () => {
      interface Plan {
        id: number;
        question: string;
        summary: string;
        files: { uri: string; name: string; before: string; after: string }[];
        nothing?: string;
      }
      interface Outcome {
        message: string;
        isDone: boolean;
        unsaved: string[];
      }
      const own = { initializationOptions: { client: 'httpd-upgrade', trusted: true } };
      const plan = (name?: string): Promise<Plan> =>
        client.connection.sendRequest('httpdUpgrade/planConversion', name === undefined ? {} : { uri: uri(name) });
      const apply = (id: number): Promise<Outcome> =>
        client.connection.sendRequest('httpdUpgrade/applyConversion', { id });

      it('come with all texts before anything is written; the client asks', async () => {
        await start(own);
        assert.equal(client.initialized.capabilities.executeCommandProvider, undefined);
        await open('conf.d/a.conf');
        const before = original();
        const { id, question, summary, files } = await plan('conf.d/a.conf');
        assert.equal(question, 'Convert 3 sections in 3 files?');
        assert.match(summary, /^Access control of conf\/httpd\.conf\n/);
        assert.deepEqual(
          files.map(({ name }) => name),
          ['conf/httpd.conf', 'conf.d/a.conf', 'conf.d/g.conf'],
        );
        assert.deepEqual(
          [files[2].before, files[2].after],
          [LATIN1.toString('latin1'), LATIN1_AFTER.toString('latin1')],
        );
        isUntouched(before);
        assert.deepEqual(await apply(id), {
          message: 'Converted 3 sections in 3 files.',
          isDone: true,
          unsaved: [uri('conf.d/a.conf')],
        });
        assert.deepEqual(folder().bytes('conf.d/g.conf'), LATIN1_AFTER);
        assert.deepEqual([asked, client.shown], [[], []]);
        const undone = await client.connection.sendRequest<Outcome>('httpdUpgrade/undoConversion', {});
        assert.equal(undone.isDone, true);
        isUntouched(before);
        assert.equal(client.text(uri('conf.d/a.conf')), before.a);
      });

      it('are taken back once, whoever asks twice', async () => {
        await start(own);
        await open('conf.d/a.conf');
        const before = original();
        const { id } = await plan('conf.d/a.conf');
        await apply(id);
        const takeBack = () => client.connection.sendRequest<Outcome>('httpdUpgrade/undoConversion', { id });
        const both = await Promise.all([takeBack(), takeBack()]);
        assert.deepEqual(
          both.map(({ message }) => message),
          ['The change was undone.', 'There is nothing to undo.'],
        );
        isUntouched(before);
        assert.equal(client.text(uri('conf.d/a.conf')), before.a);
      });

      it('are carried out once', async () => {
        await start(own);
        const { id } = await plan('conf/httpd.conf');
        await apply(id);
        await assert.rejects(apply(id), /already been applied/);
      });

      it('convert every configuration of the workspace, and what they share where it comes to the same', async () => {
        const body = (path: string) =>
          `<Directory ${folder().path}/${path}>\nAllowOverride None\nDeny from all\n</Directory>\n`;
        for (const name of ['one', 'two'])
          folder().write(`${name}/httpd.conf`, `ServerRoot ${folder().path}/${name}\n${body(name)}`);
        for (const name of ['three', 'four'])
          folder().write(
            `${name}/httpd.conf`,
            `ServerRoot ${folder().path}/${name}\nInclude ${folder().path}/shared.inc\n`,
          );
        folder().write('shared.inc', body('shared'));
        await start(own);
        const { files } = await plan();
        assert.deepEqual(
          files.map(({ name }) => name),
          ['conf/httpd.conf', 'conf.d/a.conf', 'conf.d/g.conf', 'shared.inc', 'one/httpd.conf', 'two/httpd.conf'],
        );
      });

      it('write nothing that lies outside of the workspace', async () => {
        folder().write(
          'work/httpd.conf',
          `ServerRoot ${folder().path}/work\nDeny from all\nInclude ${folder().path}/conf.d/a.conf\n`,
        );
        await start({ ...own, folders: [uri('work')] });
        assert.match(
          (await plan('work/httpd.conf')).nothing!,
          /^Not converted: httpd\.conf: .*conf\.d\/a\.conf must change together with this configuration, but lies outside of this workspace: give the directory with all files of the configuration/,
        );
      });

      it('say why where there is nothing to convert', async () => {
        folder().write('lone/x.conf', '<Files a>\nDeny from all\n</Files>\n');
        folder().write('done/httpd.conf', `ServerRoot ${folder().path}/done\nRequire all granted\n`);
        await start(own);
        assert.equal((await plan('lone/x.conf')).nothing, 'No configuration in this workspace includes lone/x.conf.');
        assert.equal((await plan('done/httpd.conf')).nothing, 'There is no access control of 2.2 to convert.');
      });

      it('neither read nor write in restricted mode', async () => {
        await start({ initializationOptions: { trusted: false } });
        await open('conf.d/a.conf');
        assert.match((await plan('conf.d/a.conf')).nothing!, /restricted mode/);
        assert.ok((await client.actions(uri('conf.d/a.conf'), 'Allow')).every(({ title }) => title !== TITLE));
      });
    });

    describe('and fixes that need files which are not open', () => {
      const MODULES = ['authz_core', 'authz_host', 'mime', 'dir', 'alias']
        .map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`)
        .join('');
      const fixOf = async () => {
        folder().write('.httpd-upgrade.json', '{ "distribution": "rhel" }');
        folder().write(
          'conf/httpd.conf',
          Buffer.from(
            `# für alle\nServerRoot ${folder().path}\nListen 80\n${MODULES}Include conf.d/*.conf\n`,
            'latin1',
          ),
        );
        folder().write('conf.d/a.conf', 'Listen 443\nSSLEngine on\n');
        await start();
        await open('conf.d/a.conf');
        for (;;) {
          await client.diagnostics(uri('conf.d/a.conf'));
          const fix = (await client.actions(uri('conf.d/a.conf'), 'SSLEngine')).find(({ title }) =>
            title.startsWith('Load ssl_module'),
          );
          if (fix) return fix;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      };

      it('are shown, asked for, and written byte for byte', async () => {
        const fix = await fixOf();
        assert.deepEqual([fix.edit, fix.command?.command], [undefined, 'httpdUpgrade.applyFix']);
        const before = folder().bytes('conf/httpd.conf');
        answers = ['Apply', 'Undo'];
        await client.connection.sendRequest('workspace/executeCommand', fix.command!);
        assert.match(asked[0].message, /^Load ssl_module.* in conf\/httpd\.conf\?$/);
        assert.deepEqual(applied, []);
        await told(/^The change was undone/);
        assert.deepEqual(folder().bytes('conf/httpd.conf'), before);
      });

      it('say so where the files have changed since', async () => {
        const fix = await fixOf();
        folder().write('conf/httpd.conf', '# mine\n');
        const before = folder().bytes('conf/httpd.conf');
        answers = ['Apply'];
        await client.connection.sendRequest('workspace/executeCommand', fix.command!);
        await told(/changed (since|meanwhile)/);
        assert.deepEqual(folder().bytes('conf/httpd.conf'), before);
      });
    });

    it('are not offered for a file that no configuration reads', async () => {
      folder().write('lone/x.conf', '<Files a>\nDeny from all\n</Files>\n');
      await start();
      await open('lone/x.conf');
      await client.diagnostics(uri('lone/x.conf'));
      assert.ok((await client.actions(uri('lone/x.conf'), 'Deny')).every(({ title }) => title !== TITLE));
    });

    for (const isProject of [false, true]) {
      it(`read a copied tree by serverRoot, pathMap and defines: ${isProject ? 'of .httpd-upgrade.json' : 'of settings'}`, async () => {
        const settings = {
          serverRoot: '/etc/httpd',
          pathMap: { '/etc/httpd': 'copy/etc', '/var/www': 'copy/www' },
          defines: ['NEW'],
        };
        folder().write(
          'copy/etc/conf/httpd.conf',
          'PidFile run/x.pid\nDocumentRoot /var/www\n<Directory />\nAllowOverride None\nDeny from all\n</Directory>\n<Directory /var/www/shop>\nAllowOverride All\n</Directory>\n<IfDefine NEW>\nIncludeOptional conf.d/*.conf\n</IfDefine>\n',
        );
        folder().write(
          'copy/etc/conf.d/site.conf',
          '<Directory /var/www/shop>\nOrder allow,deny\nAllow from all\n</Directory>\n',
        );
        folder().write('copy/www/shop/.htaccess', 'Deny from all\n');
        if (isProject) folder().write('.httpd-upgrade.json', JSON.stringify(settings));
        await start({ settings: isProject ? {} : settings });
        await convert('copy/etc/conf/httpd.conf');
        assert.match(folder().text('copy/etc/conf/httpd.conf'), /AllowOverride None\nRequire all denied/);
        assert.equal(
          folder().text('copy/etc/conf.d/site.conf'),
          '<Directory /var/www/shop>\nRequire all granted\n</Directory>\n',
        );
        assert.equal(folder().text('copy/www/shop/.htaccess'), 'Require all denied\n');
      });
    }

    for (const isProject of [false, true]) {
      it(`read a copy of a server on Windows by pathMap, with its .htaccess files: ${isProject ? 'of .httpd-upgrade.json' : 'of settings'}`, async () => {
        const settings = { pathMap: { 'c:/XAMPP': 'copy' } };
        folder().write(
          'copy/apache/conf/httpd.conf',
          'ServerRoot "C:/xampp/apache"\nListen 80\nDocumentRoot "C:\\xampp\\htdocs"\n<Directory />\nAllowOverride None\nDeny from all\n</Directory>\n<Directory "C:/xampp/HTDOCS/shop">\nAllowOverride All\n</Directory>\nInclude conf\\extra\\*.conf\n',
        );
        folder().write(
          'copy/apache/conf/extra/site.conf',
          '<Directory "c:\\xampp\\htdocs\\shop">\nOrder allow,deny\nAllow from all\n</Directory>\n',
        );
        folder().write('copy/htdocs/Shop/.htaccess', 'Deny from all\n');
        if (isProject) folder().write('.httpd-upgrade.json', JSON.stringify(settings));
        await start({ settings: isProject ? {} : settings });
        await convert('copy/apache/conf/httpd.conf');
        assert.match(folder().text('copy/apache/conf/httpd.conf'), /AllowOverride None\nRequire all denied/);
        assert.match(folder().text('copy/apache/conf/extra/site.conf'), /shop">\nRequire all granted\n/);
        assert.equal(folder().text('copy/htdocs/Shop/.htaccess'), 'Require all denied\n');
      });
    }
  }),
);
