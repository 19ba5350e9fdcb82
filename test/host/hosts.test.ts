/** The two hosts of files: node's, and the editor's. */
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { clientHost, type SendRequest } from '../../server/src/host/client';
import { nodeHost } from '../../server/src/host/node';
import { withFolder } from '../cli/run';

const never = () => false;

describe(
  'files by way of node',
  withFolder((folder) => {
    it('are found below the folders of a workspace, each once', async () => {
      for (const name of ['a/httpd.conf', 'a/b ü/.htaccess', 'c/.htaccess']) folder().write(name, '');
      symlinkSync('../a', folder().at('c/a'));
      const folders = ['a/b ü', 'a', 'c', 'missing'].map((name) => uri(name));
      assert.deepEqual(
        await nodeHost.findFiles([...folders, 'untitled:x', 'vscode-vfs://a/b'], never),
        ['a/b ü/.htaccess', 'a/httpd.conf', 'c/.htaccess'].map(uri),
      );
    });

    it('are not looked for once it is cancelled', async () => {
      for (let i = 0; i < 20; i++) folder().write(`${i}/.htaccess`, '');
      let asked = 0;
      const found = await nodeHost.findFiles([uri('.')], () => ++asked > 5);
      assert.ok(found.length < 5 && asked < 8);
    });

    it('are read, or there is a reason', async () => {
      folder().write('a ü.conf', 'text');
      assert.deepEqual(await nodeHost.readFile(uri('a ü.conf')), { bytes: Buffer.from('text') });
      const codes = await Promise.all(
        [uri('missing'), uri('.'), 'untitled:Untitled-1', 'file:///dev/null'].map((file) => nodeHost.readFile(file)),
      );
      assert.deepEqual(
        codes.map((content) => ('problem' in content ? content.problem.code : 'read')),
        ['missing', 'directory', 'other', 'special'],
      );
    });

    function uri(name: string): string {
      return pathToFileURL(folder().at(name)).href;
    }
  }),
);

describe('files by way of the editor', () => {
  it('are asked for and decoded', async () => {
    const host = clientHost(answering({ content: Buffer.from([0, 65, 255]).toString('base64'), size: 3 }));
    assert.deepEqual(await host.readFile('vscode-vfs://a'), { bytes: Uint8Array.from([0, 65, 255]) });
  });

  it('that cannot be read have a reason', async () => {
    assert.deepEqual(await clientHost(answering({ error: 'restricted mode' })).readFile('a:'), {
      problem: { code: 'other', message: 'restricted mode' },
    });
    assert.deepEqual(await clientHost(failing).readFile('a:'), {
      problem: { code: 'other', message: 'no such request' },
    });
    assert.deepEqual(
      await clientHost(answering({ content: '%%%' }))
        .readFile('a:')
        .then((content) => 'problem' in content),
      true,
    );
  });

  it('are listed in a stable order, or not at all', async () => {
    assert.deepEqual(await clientHost(answering({ uris: ['b:', 'a:'] })).findFiles([], never), ['a:', 'b:']);
    assert.deepEqual(await clientHost(failing).findFiles([], never), []);
  });
});

// ---------------------------------------------------------------------------------------------------------------------

function answering(answer: unknown): SendRequest {
  return <T>() => Promise.resolve(answer as T);
}

const failing: SendRequest = () => Promise.reject(new Error('no such request'));
