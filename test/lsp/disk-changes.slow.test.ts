/** Offers and changes follow the disk: whether the client reports a change or not. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { FileEvent } from 'vscode-languageserver-protocol/node';
import { withFolder } from '../cli/run';
import { Client } from './client';

const MAIN = `ServerRoot $FOLDER
Listen 80
DocumentRoot $FOLDER/www
<Directory />
AllowOverride None
Order deny,allow
Deny from all
</Directory>
<Directory $FOLDER/www>
AllowOverride All
Order allow,deny
Allow from all
</Directory>
`;
const OPENS = 'Order allow,deny\nAllow from 10.1.2.3\n';

interface Disk {
  readonly at: (name: string) => string;
  readonly write: (name: string, text: string) => void;
}

interface Change {
  readonly name: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly make: (disk: Disk) => void;
  /** What a client that watches the folders tells: 1 created, 2 changed, 3 deleted. */
  readonly events: readonly (readonly [name: string, type: FileEvent['type']])[];
}

const CHANGES: readonly Change[] = [
  {
    name: 'a .htaccess is made',
    make: ({ write }) => write('www/.htaccess', OPENS),
    events: [['www/.htaccess', 1]],
  },
  {
    name: 'a .htaccess is made in a new directory',
    make: ({ write }) => write('www/a/b/.htaccess', OPENS),
    events: [['www/a', 1]],
  },
  {
    name: 'a .htaccess is changed',
    files: { 'www/.htaccess': '# nothing\n' },
    make: ({ write }) => write('www/.htaccess', OPENS),
    events: [['www/.htaccess', 2]],
  },
  {
    name: 'a directory with a .htaccess is moved in',
    files: { 'other/.htaccess': OPENS },
    make: ({ at }) => renameSync(at('other'), at('www/other')),
    events: [
      ['other', 3],
      ['www/other', 1],
    ],
  },
  {
    name: 'a .htaccess becomes a link to another file',
    files: { 'www/.htaccess': '# nothing\n', two: OPENS },
    make({ at }) {
      rmSync(at('www/.htaccess'));
      symlinkSync(at('two'), at('www/.htaccess'));
    },
    events: [['www/.htaccess', 2]],
  },
  {
    name: 'a link of what is served leads to another directory',
    files: { 'one/f': '', 'two/.htaccess': OPENS },
    make({ at }) {
      symlinkSync(at('two'), at('www/link'));
    },
    events: [['www/link', 1]],
  },
  {
    name: 'a file becomes a directory with a .htaccess',
    files: { 'www/x': '' },
    make({ at, write }) {
      rmSync(at('www/x'));
      mkdirSync(at('www/x'));
      write('www/x/.htaccess', OPENS);
    },
    events: [['www/x', 2]],
  },
];

/**
 * Whether the client tells, and the folder of the workspace. Each change is tried in the first way,
 * one in all.
 */
const WAYS = [
  ['and nobody tells', '.'],
  ['and the client tells', '.'],
  ['outside of the workspace', 'conf'],
] as const;
const COMMANDS = ['ready', 'conversion'];

describe(
  'changes on the disk',
  withFolder((folder) => {
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;
    const local = (text: string) => text.replaceAll('$FOLDER', folder().path);
    const disk: Disk = {
      at: (name) => folder().at(name),
      write: (name, text) => folder().write(name, local(text)),
    };
    const clients: Client[] = [];
    const start = async (at = '.') => {
      const client = await Client.start({ folders: [uri(at)], initializationOptions: { trusted: true } });
      clients.push(client);
      await client.open(uri('conf/httpd.conf'), folder().text('conf/httpd.conf'));
      return client;
    };
    const preferred = async (client: Client): Promise<string[]> => {
      await client.diagnostics(uri('conf/httpd.conf'));
      const actions = await client.actions(uri('conf/httpd.conf'), 'Order allow');
      return actions.filter(({ isPreferred }) => isPreferred).map(({ title }) => title);
    };
    const write = ({ files = {} }: Change) => {
      disk.write('www/index.html', '');
      disk.write('conf/httpd.conf', MAIN);
      for (const [file, text] of Object.entries(files)) disk.write(file, text);
    };
    const tell = (client: Client, { events }: Change) =>
      client.connection.sendNotification('workspace/didChangeWatchedFiles', {
        changes: events.map(([file, type]) => ({ uri: uri(file), type })),
      });
    afterEach(async () => {
      for (const client of clients.splice(0)) await client.stop();
    });

    for (const [index, change] of CHANGES.entries()) {
      for (const [told, at] of index === 0 ? WAYS : WAYS.slice(0, 1)) {
        it(`no preferred fix of before is left when ${change.name}, ${told}`, async () => {
          write(change);
          const client = await start(at);
          assert.deepEqual(await preferred(client), ['Convert these 2 sections']);
          change.make(disk);
          if (told === 'and the client tells') await tell(client, change);
          assert.deepEqual(await preferred(client), await preferred(await start(at)));
          assert.notDeepEqual(await preferred(client), ['Convert these 2 sections']);
        });
      }

      for (const command of COMMANDS.slice(0, index === 0 ? 2 : 1)) {
        it(`nothing is written when ${change.name} between preview and answer, and nobody tells: ${command}`, async () => {
          write(change);
          const client = await start();
          await preferred(client);
          const asked = command === 'ready' ? { ready: {} } : { uri: uri('conf/httpd.conf') };
          const shown = await client.connection.sendRequest<{ id: number }>('httpdUpgrade/planConversion', asked);
          change.make(disk);
          const outcome = await client.connection.sendRequest('httpdUpgrade/applyConversion', { id: shown.id });
          assert.deepEqual(outcome, {
            message: 'Nothing was changed: the files have changed meanwhile. Look at the changes again.',
            isDone: false,
            unsaved: [],
          });
        });
      }
    }

    for (const name of ['www/node_modules/.htaccess', 'www/.svn/.htaccess', 'www/readme.txt']) {
      it(`what is ready is applied together with ${name}, which no search finds`, async () => {
        disk.write('conf/httpd.conf', `AccessFileName .htaccess readme.txt\n${MAIN}`);
        disk.write(name, 'Deny from all\n');
        const client = await start();
        await client.close(uri('conf/httpd.conf'));
        const shown = await client.connection.sendRequest<{ id: number }>('httpdUpgrade/planConversion', { ready: {} });
        await client.connection.sendRequest('httpdUpgrade/applyConversion', { id: shown.id });
        assert.match(folder().text('conf/httpd.conf'), /Require all granted/);
        assert.equal(folder().text(name), 'Require all denied\n');
      });
    }
  }),
);
