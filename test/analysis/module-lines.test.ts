/** Own lines of the user in the files of Debian's mods-available. */
import assert from 'node:assert/strict';
import { moduleLinesTasks } from '../../server/src/analysis/module-lines';
import { Tree } from '../../server/src/syntax/document';

/** The directives of mods-available/alias.conf in Debian 6. */
const ALIAS = `<IfModule alias_module>
Alias /icons/ "/usr/share/apache2/icons/"
<Directory "/usr/share/apache2/icons">
    Options Indexes MultiViews
    AllowOverride None
    Order allow,deny
    Allow from all
</Directory>
</IfModule>
`;

describe('own lines in mods-available', () => {
  const taskOf = (files: Readonly<Record<string, string>>) => {
    const trees = Object.entries(files).map(([path, text]) => {
      const tree = Tree.parse(text);
      return { tree, placeOf: (offset: number) => ({ file: `d/${path}`, line: tree.positionAt(offset).line }) };
    });
    const [task, ...more] = moduleLinesTasks(trees, 'debian');
    assert.deepEqual(more, []);
    return task;
  };
  const withLines = (lines: string) => ALIAS.replace(/(?=<\/IfModule>)/, lines);

  it('names the changed lines of the files that the package also has', () => {
    const task = taskOf({
      'mods-enabled/dir.conf': 'Alias /x /y\n<IfModule mod_dir.c>\nDirectoryIndex own.html\n</IfModule>\n',
      'mods-available/alias.conf': withLines('# Mine.\nRedirect /a /b\n\nRedirect /c /d\n'),
    })!;
    assert.match(task.what, /Do not copy that directory/);
    assert.match(task.what, /: mods-available\/alias\.conf \(line 10-12\) and mods-enabled\/dir\.conf \(line 1, 3\)\./);
    assert.deepEqual(
      task.because.map(({ file, line }) => `${file}:${line + 1}`),
      [
        'd/mods-available/alias.conf:10',
        'd/mods-available/alias.conf:12',
        'd/mods-enabled/dir.conf:1',
        'd/mods-enabled/dir.conf:3',
      ],
    );
    assert.equal(task.isNote, undefined);
  });

  it('are not the targets of links that are stored as text', () => {
    assert.equal(taskOf({ 'mods-enabled/alias.load': '../mods-available/alias.load' }), undefined);
    assert.equal(taskOf({ 'mods-enabled/alias.conf': '../mods-available/alias.conf' }), undefined);
  });

  it('names a section that the package does not have up to its end', () => {
    const task = taskOf({ 'mods-available/alias.conf': withLines('<Location /s>\nSetHandler x\n</Location>\n') })!;
    assert.match(task.what, /alias\.conf \(line 9-11\)/);
  });

  it('names the lines of the package that a file does not have', () => {
    const task = taskOf({ 'mods-available/alias.conf': ALIAS.replace(/^Alias.*\n/m, '') })!;
    assert.match(task.what, /alias\.conf \(without Alias\)/);
    assert.equal(task.because.length, 1);
  });

  it('names all lines of a file that was not made from the package’s file', () => {
    assert.match(taskOf({ 'mods-available/alias.conf': 'Redirect /a /b\n' })!.what, /alias\.conf \(line 1\)/);
  });

  it('names files that the package does not have, but not those without lines', () => {
    const task = taskOf({
      'mods-available/php5.conf': 'AddType application/x-httpd-php .php\n',
      'mods-available/mono.conf': 'AddType application/x-asp-net .aspx\n',
      'mods-available/empty.conf': '# Nothing.\n',
    })!;
    assert.match(task.what, /mods-available\/mono\.conf and mods-available\/php5\.conf are not from this package/);
    assert.doesNotMatch(task.what, /empty/);
  });

  it('names a .load file if it does more than load a module of a package', () => {
    const load = 'LoadModule x_module /usr/lib/apache2/modules/mod_x.so\n';
    assert.equal(taskOf({ 'mods-available/x.load': `# Depends: y\nLoadFile /usr/lib/libx.so\n${load}` }), undefined);
    const what = (text: string) => taskOf({ 'mods-available/x.load': text })?.what ?? '';
    assert.match(what(`${load}XRoot /x\n`), /x\.load \(line 2\)/);
    assert.match(what('LoadModule x_module /opt/x/mod_x.so\n'), /x\.load \(line 1\)/);
  });

  it('names no stock file, also after fixes, no file in another directory, and none of Red Hat', () => {
    const fixed = ALIAS.replace(/Order.*\n.*Allow from all/, 'Require all granted');
    assert.notEqual(fixed, ALIAS);
    for (const text of [ALIAS, fixed]) assert.equal(taskOf({ 'mods-available/alias.conf': text }), undefined);
    assert.equal(taskOf({ 'conf.d/alias.conf': withLines('Redirect /a /b\n') }), undefined);
    const tree = Tree.parse('Redirect /a /b\n');
    const file = { tree, placeOf: () => ({ file: 'mods-available/alias.conf', line: 0 }) };
    assert.equal(moduleLinesTasks([file], 'debian').length, 1);
    assert.deepEqual(moduleLinesTasks([file], 'rhel'), []);
  });
});
