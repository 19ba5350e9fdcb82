/** The search for files beside a main file, which the user did not name. */
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { filesInFolders } from '../../server/src/cli/files';
import { withFolder } from './run';

const TEXT = '<Directory /srv>\nOrder allow,deny\n</Directory>\n';

describe(
  'the files beside a main file',
  withFolder((folder) => {
    const found = async (...folders: string[]) =>
      (
        await filesInFolders(
          folders.map((each) => folder().at(each)),
          () => null,
          () => false,
        )
      ).length;

    it('are found in a directory of configuration, and not through links out of it', async () => {
      folder().write('etc/sites/a.conf', TEXT);
      folder().write('other/b.conf', TEXT);
      symlinkSync('../other', folder().at('etc/link'));
      assert.equal(await found('etc'), 1);
      assert.equal(await found('etc', 'missing'), 1);
    });

    it('are not searched among thousands of served files', async () => {
      folder().write('etc/z.conf', TEXT);
      for (let index = 0; index < 5100; index++) folder().write(`etc/htdocs/${index}.txt`, '');
      assert.equal(await found('etc'), 0);
    });
  }),
);
