/** Text that the server does not read is faded, with the reason. */
import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { fileInfoOf } from '../../server/src/analysis/places';
import { Configurations } from '../../server/src/config/configurations';
import { summarize } from '../../server/src/config/file-summary';
import { configView } from '../../server/src/config/config-view';
import { readModel } from '../../server/src/config/read-model';
import { FileContexts, ContextInterner } from '../../server/src/config/file-context-of-walk';
import { DEFAULT_TARGET } from '../../server/src/config/target';
import { hover } from '../../server/src/features/hover/hover';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { memoryFiles } from '../../server/src/config/memory-files';

const COMPLETE = 'LoadModule mpm_event_module m\nLoadModule authz_core_module m\nLoadModule unixd_module m\n';
const engine = new Engine({ rules: ALL_RULES, findsInactive: true });

/** The faded parts of a main file, each with its message. */
function faded(text: string): { text: string; message: string }[] {
  const mainFile = '/etc/httpd/httpd.conf';
  const view = memoryFiles({ [mainFile]: text });
  const tree = view.read(mainFile)!;
  const [fileContext] = new FileContexts(
    readModel({ mainFile, view: configView(view) })!,
    new ContextInterner(),
  ).contextsOfFile(mainFile, summarize(tree.root));
  const found = engine
    .analyze(tree, { isHtaccess: false, fileContext })
    .findings()
    .filter(({ rule }) => rule.id === 'inactive-text');
  assert.ok(found.every(({ tag, severity }) => tag === 'unnecessary' && severity === 'hint'));
  return found.map(({ start, end, message }) => ({ text: tree.text(start, end), message }));
}

describe('text that the server does not read', () => {
  it('is faded, from the line below the tag to the last line', () => {
    assert.deepEqual(faded(`${COMPLETE}<IfModule mod_ssl.c>\n  MaxClients 1\n\n  Listen 443\n</IfModule>\n`), [
      {
        text: '  MaxClients 1\n\n  Listen 443',
        message:
          '`<IfModule>`: httpd 2.4 does not read this section\n\nReason: mod_ssl.c is not loaded above this line.',
      },
    ]);
  });

  it('is faded where it tests a module of 2.2 only, also below the line that loads it', () => {
    assert.deepEqual(
      faded(`${COMPLETE}LoadModule mem_cache_module m\n<IfModule mod_mem_cache.c>\nMCacheSize 1\n</IfModule>\n`).map(
        ({ message }) => message,
      ),
      ['`<IfModule>`: httpd 2.4 does not read this section\n\nReason: no 2.4 server has mod_mem_cache.c.'],
    );
  });

  it('is faded once, whatever stands in it', () => {
    assert.deepEqual(
      faded('<IfVersion < 2.4>\n<IfVersion < 2.2>\nA\n</IfVersion>\n</IfVersion>\n').map(({ text }) => text),
      ['<IfVersion < 2.2>\nA\n</IfVersion>'],
    );
  });

  it('is not faded where it may be read, and not where there is none', () => {
    assert.deepEqual(
      faded(
        '<IfDefine A>\nListen 1\n</IfDefine>\n<IfVersion < 2.4>\n</IfVersion>\n<IfVersion >= 2.4>\nListen 2\n</IfVersion>\n',
      ),
      [],
    );
  });

  it('is known of a file by itself where its own words tell', () => {
    const found = engine
      .analyze(Tree.parse('<IfModule mod_mem_cache.c>\nMCacheSize 1\n</IfModule>\n'), { isHtaccess: false })
      .findings()
      .filter(({ rule }) => rule.id === 'inactive-text');
    assert.deepEqual(
      found.map(({ message }) => message),
      ['`<IfModule>`: httpd 2.4 does not read this section\n\nReason: no 2.4 server has mod_mem_cache.c.'],
    );
  });

  it('is none for whoever does not ask', () => {
    const tree = Tree.parse('<IfVersion < 2.4>\nMaxClients 1\n</IfVersion>\n');
    assert.deepEqual(new Engine({ rules: ALL_RULES }).analyze(tree, { isHtaccess: false }).findings(), []);
  });

  it('is explained on hover, on both tags', () => {
    const tree = Tree.parse('<IfVersion < 2.4>\nMaxClients 1\n</IfVersion>\n<IfModule mod_ssl.c>\n</IfModule>\n');
    const said = (at: string) => JSON.stringify(hover(tree, tree.text().indexOf(at) + 2, engine.target)!.contents);
    assert.match(said('<IfVersion'), /\*\*Not read\*\* by httpd 2\.4: the server is httpd 2\.4/);
    assert.match(said('</IfVersion'), /\*\*Not read\*\*/);
    assert.match(
      said('<IfModule'),
      /\*\*Perhaps read\*\* by httpd 2\.4: the file does not show whether mod_ssl\.c is loaded/,
    );
  });
});

describe('a .htaccess that the server passes over', () => {
  const HTACCESS = '/srv/www/.htaccess';
  const NONE = '<Directory />\nAllowOverride None\n</Directory>\n';
  const text = '# of before\nOrder allow,deny\n<IfVersion < 2.4>\nMaxClients 1\n</IfVersion>\n\n';

  function infoOf(files: Record<string, string>) {
    const view = memoryFiles({ [HTACCESS]: text, ...files });
    const configurations = new Configurations();
    const roots = Object.keys(files)
      .filter((file) => file.endsWith('httpd.conf'))
      .map((mainFile) => ({ mainFile, target: DEFAULT_TARGET }));
    configurations.update(roots, configView(view), [HTACCESS]);
    return { tree: view.read(HTACCESS)!, info: fileInfoOf(configurations.publishedContextsOf(HTACCESS)!) };
  }

  const root = (lines: string) => ({
    '/etc/httpd/conf/httpd.conf': `ServerRoot /etc/httpd\nDocumentRoot /srv/www\n${lines}`,
  });
  const unread = (lines: string) => infoOf(root(lines)).info.unreadReason;

  it('is faded whole, and what is found in it is found all the same', () => {
    const { tree, info } = infoOf(root(NONE));
    const found = engine.analyze(tree, info).findings();
    const [faded] = found.filter(({ messageId }) => messageId === 'file-not-read');
    assert.deepEqual(
      [faded.rule.id, faded.tag, faded.severity, tree.text(faded.start, faded.end)],
      ['inactive-text', 'unnecessary', 'hint', text],
    );
    assert.equal(
      faded.message,
      '`.htaccess`: httpd 2.4 does not read this file\n\nReason: AllowOverride None of <Directory /> holds there.',
    );
    assert.ok(found.some(({ rule }) => rule.id === 'order-allow-deny'));
    assert.deepEqual(
      new Engine({ rules: ALL_RULES })
        .analyze(tree, info)
        .findings()
        .filter(({ rule }) => rule.id === 'inactive-text'),
      [],
      'for whoever does not ask',
    );
  });

  it('says why on hover', () => {
    const { tree, info } = infoOf(root(NONE));
    const said = hover(tree, tree.text().indexOf('Order') + 1, engine.target, { unreadReason: info.unreadReason });
    assert.match(
      JSON.stringify(said!.contents),
      /"\*\*Not read\*\* by httpd 2\.4: AllowOverride None of \\\\<Directory \/> holds there\./,
    );
  });

  it('only where that is certain', () => {
    assert.equal(
      unread(
        '<Directory /srv/www>\nAllowOverride None\n</Directory>\n<Directory />\nAllowOverride All\n</Directory>\n',
      ),
      'AllowOverride None of <Directory /srv/www> holds there',
    );
    for (const lines of [
      '',
      '<Directory />\nAllowOverride All\n</Directory>\n',
      `${NONE}Include missing.conf\n`,
      `${NONE}<DirectoryMatch ^/srv>\nAllowOverride All\n</DirectoryMatch>\n`,
      '<IfDefine X>\n' + NONE + '</IfDefine>\n',
      `${NONE}<Directory /srv>\nAllowOverrideList Header\n</Directory>\n`,
      `${NONE}<VirtualHost *:80>\n<Directory /srv/www>\nAllowOverride All\n</Directory>\n</VirtualHost>\n`,
      `${NONE}<Directory \${WHERE}>\nAllowOverride All\n</Directory>\n`,
    ]) {
      assert.equal(unread(lines), undefined, lines);
    }
    assert.equal(
      infoOf({ '/etc/httpd/conf/httpd.conf': `ServerRoot /etc/httpd\nDocumentRoot /var/www\n${NONE}` }).info
        .unreadReason,
      undefined,
      'nobody serves it',
    );
    assert.equal(
      infoOf({
        ...root(NONE),
        '/opt/conf/httpd.conf':
          'ServerRoot /opt\nDocumentRoot /srv/www\n<Directory />\nAllowOverride All\n</Directory>\n',
      }).info.unreadReason,
      undefined,
      'another server reads it',
    );
  });
});
