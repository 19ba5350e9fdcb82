/** Text that the server does not read: faded, and why. */
import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { digestOf } from '../../server/src/config/digest';
import { configView, readModel } from '../../server/src/config/model';
import { FileSurroundings, Interner } from '../../server/src/config/surrounded';
import { hover } from '../../server/src/features/hover';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { memoryFiles } from '../support/memory-files';

const COMPLETE = 'LoadModule mpm_event_module m\nLoadModule authz_core_module m\nLoadModule unixd_module m\n';
const engine = new Engine({ rules: ALL_RULES, findsInactive: true });

/** The faded pieces of a root file, each with what is said of it. */
function faded(text: string): { text: string; message: string }[] {
  const root = '/etc/httpd/httpd.conf';
  const view = memoryFiles({ [root]: text });
  const tree = view.read(root)!;
  const [surroundings] = new FileSurroundings(readModel({ root, view: configView(view) })!, new Interner()).of(root, digestOf(tree.root));
  const found = engine.analyze(tree, { isHtaccess: false, surroundings }).findings().filter(({ rule }) => rule.id === 'inactive-text');
  assert.ok(found.every(({ tag, severity }) => tag === 'unnecessary' && severity === 'hint'));
  return found.map(({ start, end, message }) => ({ text: tree.text(start, end), message }));
}

describe('text that the server does not read', () => {
  it('is faded, from the line below the tag to the last line', () => {
    assert.deepEqual(faded(`${COMPLETE}<IfModule mod_ssl.c>\n  MaxClients 1\n\n  Listen 443\n</IfModule>\n`), [
      { text: '  MaxClients 1\n\n  Listen 443', message: 'httpd 2.4 does not read what stands in this <IfModule>: mod_ssl.c is not loaded when the server comes to this line.' },
    ]);
  });

  it('is faded once, whatever stands in it', () => {
    assert.deepEqual(faded('<IfVersion < 2.4>\n<IfVersion < 2.2>\nA\n</IfVersion>\n</IfVersion>\n').map(({ text }) => text), ['<IfVersion < 2.2>\nA\n</IfVersion>']);
  });

  it('is not faded where it may be read, and not where there is none', () => {
    assert.deepEqual(faded('<IfDefine A>\nListen 1\n</IfDefine>\n<IfVersion < 2.4>\n</IfVersion>\n<IfVersion >= 2.4>\nListen 2\n</IfVersion>\n'), []);
  });

  it('is known of a file by itself where its own words tell', () => {
    const found = engine.analyze(Tree.parse('<IfModule mod_mem_cache.c>\nMCacheSize 1\n</IfModule>\n'), { isHtaccess: false }).findings().filter(({ rule }) => rule.id === 'inactive-text');
    assert.deepEqual(found.map(({ message }) => message), ['httpd 2.4 does not read what stands in this <IfModule>: no 2.4 server has mod_mem_cache.c.']);
  });

  it('is none for whoever does not ask', () => {
    const tree = Tree.parse('<IfVersion < 2.4>\nMaxClients 1\n</IfVersion>\n');
    assert.deepEqual(new Engine({ rules: ALL_RULES }).analyze(tree, { isHtaccess: false }).findings(), []);
  });

  it('is explained on hover, on both tags', () => {
    const tree = Tree.parse('<IfVersion < 2.4>\nMaxClients 1\n</IfVersion>\n<IfModule mod_ssl.c>\n</IfModule>\n');
    const said = (at: string) => JSON.stringify(hover(tree, tree.text().indexOf(at) + 2, engine.target)!.contents);
    assert.match(said('<IfVersion'), /\*\*Not read\*\* by httpd 2\.4: the server is 2\.4/);
    assert.match(said('</IfVersion'), /\*\*Not read\*\*/);
    assert.match(said('<IfModule'), /\*\*May be read or not\*\* by httpd 2\.4: whether mod_ssl\.c is loaded is not known/);
  });
});
