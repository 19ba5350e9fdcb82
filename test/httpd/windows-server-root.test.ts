/**
 * windows-server-root on a real httpd: the value of the variable, in a directive and in the tag of
 * a section; with a directory of this machine instead of Windows.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { Folder } from '../cli/run';
import { fixedFiles } from '../support/configurations';
import { configTest, requireHttpd } from './harness';

describe('windows-server-root on a real httpd', function () {
  this.timeout(60_000);
  let folder: Folder;
  before(function () {
    requireHttpd(this);
    folder = new Folder();
    mkdirSync(folder.at('htdocs'));
  });
  after(() => folder?.remove());

  it('the variable is the directory', async () => {
    const of = (name: string) =>
      `ServerRoot "C:/Apache2.2"\nDocumentRoot "C:/Apache2.2/${name}"\n<Directory "C:/Apache2.2/${name}">\n</Directory>\n`;
    const root = '/copy/Apache2.2/conf/httpd.conf';
    const fixed = (name: string) =>
      fixedFiles({ [root]: of(name) }, { rule: 'windows-server-root', unsafe: true })[root].replace(
        '"C:/Apache2.2"',
        `"${folder.path}"`,
      );
    assert.match(
      fixed('htdocs'),
      /^Define SRVROOT "\/.*"\nServerRoot "\$\{SRVROOT\}"\nDocumentRoot "\$\{SRVROOT\}\/htdocs"\n/,
    );
    assert.deepEqual((await configTest(fixed('htdocs'), { modules: ['authz_core'] })).ok, true);
    assert.match(
      (await configTest(fixed('nothing'), { modules: ['authz_core'] })).stderr,
      new RegExp(`DocumentRoot '${folder.path}/nothing' is not a directory`),
    );
  });
});
