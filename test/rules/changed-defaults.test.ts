import assert from 'node:assert/strict';
import { CHANGED_DEFAULTS } from '../../server/src/rules/changed-defaults';
import { findingsInFiles, fixedFiles, listed, type Files } from '../support/configurations';

const rule = { rule: 'changed-defaults' };
const ROOT = '/srv/conf/httpd.conf';
const rows = (files: Files | string) => listed(typeof files === 'string' ? { [ROOT]: files } : files, rule);
const messageOf = (text: string) => [...findingsInFiles({ [ROOT]: text }, rule).values()].flat()[0]?.message ?? '';

describe('changed-defaults', () => {
  it('is one hint for a configuration, at its ServerRoot', () => {
    assert.deepEqual(rows('Listen 80\nsERVERrOOT /srv\n'), [`${ROOT}:2: hint changed-defaults/defaults suggestion`]);
  });

  it('says less with each that is set, in whatever file, and nothing where all are', () => {
    const bare = 'ServerRoot /srv\n';
    assert.match(messageOf(bare), /Timeout/);
    assert.doesNotMatch(messageOf(`${bare}tIMEOUT 60\n`), /Timeout/);
    assert.match(messageOf(`${bare}<VirtualHost *:80>\nTimeout 60\n</VirtualHost>\n`), /Timeout/);
    const all = CHANGED_DEFAULTS.flatMap(
      ({ setBy: set, linesWithOldDefault }) => linesWithOldDefault ?? [`${set[0]} x`],
    ).join('\n');
    assert.deepEqual(rows({ [ROOT]: `${bare}Include rest.conf\n`, '/srv/rest.conf': all }), []);
  });

  it('counts directives in its title, and does not ask to set DefaultType, which 2.4 ignores', () => {
    const files = { [ROOT]: 'ServerRoot /srv\nDocumentRoot /srv/www\n' };
    const [found] = [...findingsInFiles(files, rule).values()].flat();
    assert.match(found!.what, /^9 directives that you never set/);
    assert.match(found!.fixes[0]!.title, /^Add Options All and 6 more defaults of 2\.2$/);
    assert.match(
      found!.help!,
      /MaxMemFree 2048 \(was 0\)\nAdd a line for each value of 2\.2 that you need\. 2\.4 ignores `DefaultType`/,
    );
  });

  it('writes them out behind ServerRoot when asked, in its line ends, and never by itself', () => {
    const files = { [ROOT]: 'ServerRoot /srv\r\nListen 80\r\n' };
    assert.deepEqual(fixedFiles(files, rule), files);
    const written = fixedFiles(files, { ...rule, unsafe: true })[ROOT];
    assert.match(written, /^ServerRoot \/srv\r\n(?:[^\r\n]+\r\n)+Listen 80\r\n$/);
    assert.match(written, /\r\nTimeout 300\r\n/);
    assert.equal(fixedFiles({ [ROOT]: written }, { ...rule, unsafe: true })[ROOT], written);
  });

  it('is silent where a part is missing that may set them, and where only a part is looked at', () => {
    for (const text of ['ServerRoot /srv\nInclude gone.conf\n', 'Listen 80\n', '# ServerRoot /srv\n'])
      assert.deepEqual(rows(text), [], text);
  });

  it('speaks where only the LoadModule files of Red Hat are missing, but not of limits of the MPM', () => {
    for (const include of ['Include conf.modules.d/*.conf', 'IncludeOptional /etc/httpd/conf.modules.d/*.conf']) {
      const text = `ServerRoot /etc/httpd\n${include}\n`;
      assert.deepEqual(rows(text), [`${ROOT}:1: hint changed-defaults/defaults suggestion`], include);
      assert.match(messageOf(text), /Timeout 60/);
      assert.doesNotMatch(messageOf(text), /MaxConnectionsPerChild|MaxMemFree/);
    }
  });

  it('keeps no AllowOverride All where a .htaccess has a Satisfy, which 2.4 reads otherwise', () => {
    const root = 'ServerRoot /srv\nDocumentRoot /srv/www\n';
    const written = (files: Files) => fixedFiles(files, { ...rule, unsafe: true })[ROOT];
    assert.match(written({ [ROOT]: root, '/srv/www/.htaccess': 'Options None\n' }), /AllowOverride All/);
    assert.doesNotMatch(written({ [ROOT]: root, '/srv/www/.htaccess': 'Satisfy Any\n' }), /AllowOverride All/);
  });

  it('keeps no AllowOverride All where nothing is served by name: the file may be a part of another configuration', () => {
    const written = (root: string) => fixedFiles({ [ROOT]: root, '/srv/www/f': '' }, { ...rule, unsafe: true })[ROOT];
    assert.doesNotMatch(written('ServerRoot /srv\n'), /AllowOverride/);
    assert.match(written('ServerRoot /srv\nDocumentRoot /srv/www\n'), /AllowOverride All/);
    assert.doesNotMatch(
      written('ServerRoot /srv\nDocumentRoot /srv/elsewhere\n'),
      /AllowOverride/,
      'nobody sees its files',
    );
  });

  it('says nothing of MaxConnectionsPerChild on Windows, where 2.2 had 0', () => {
    const text = (directory: string) => messageOf(`ServerRoot "${directory}"\nListen 80\n`);
    assert.match(text('/srv'), /MaxConnectionsPerChild/);
    assert.doesNotMatch(text('C:/Apache2'), /MaxConnectionsPerChild/);
    assert.match(text('C:/Apache2'), /MaxMemFree/);
  });
});
