/**
 * The index of lines by name finds the same as a walk through all lines; and names outside of all
 * sections are found even if a section may bring them in.
 */
import assert from 'node:assert/strict';
import { readConfiguration, type Configuration, type DirectiveNames } from '../../server/src/config/configuration';
import { namesInUse } from '../../server/src/config/lines-by-name';
import { linesOf } from '../../server/src/config/loaded-modules';
import { memoryFiles } from '../../server/src/config/memory-files';
import { LineKind } from '../../server/src/syntax/line';
import { forEachItem, Section, type List } from '../../server/src/syntax/tree';

const ROOT = '/srv/httpd.conf';
const MAIN =
  'ServerRoot /srv\nInclude more.conf\nAlias /a ${A}\n<IfModule x.c>\nListen 80\n</IfModule>\n<Macro M>\nTimeout 5\n</Macro>\n' +
  '<VirtualHost *:80>\nAlias /b /srv/b\n<Directory /srv/b>\nOptions None\nRequire all granted\n<Limit GET>\nOrder allow,deny\n</Limit>\n</Directory>\n</VirtualHost>\n'.repeat(
    40,
  );
/** More names than anybody counts. */
const MANY = `${Array.from({ length: 300 }, (_, i) => `Name${i} x\n`).join('')}<Files x>\nOptions All\n</Files>\nKeepAlive On\n`;
const ASKED = [
  'alias',
  'listen',
  'options',
  'timeout',
  'order',
  'keepalive',
  'name7',
  'servername',
  'serverroot',
  'nothing',
];
const SECTIONS = ['virtualhost', 'directory', 'limit', 'files', 'macro', 'ifmodule', 'location'];

/** All but one. */
const NAMES: DirectiveNames = { has: (name) => name !== 'serverroot' };

function read(files: Readonly<Record<string, string>>, names = NAMES): Configuration {
  return readConfiguration({ root: ROOT, view: memoryFiles(files), names })!;
}

/** By a look at every line: name, text, and whether it stands in a section. */
function everything({ files, names }: Configuration) {
  const lines: { readonly name: string; readonly text: string; readonly isNested: boolean }[] = [];
  const sections: { readonly name: string; readonly text: string }[] = [];
  const walk = (list: List, isNested: boolean): void =>
    forEachItem(list, 0, (item) => {
      if (item instanceof Section) {
        sections.push({ name: item.name, text: item.open.text });
        walk(item.body, true);
      } else if (item.kind === LineKind.Directive && names.has(item.name))
        lines.push({ name: item.name, text: item.text, isNested });
    });
  for (const { tree } of files.values()) walk(tree.root, false);
  return { lines, sections };
}

function check(files: Readonly<Record<string, string>>, gathered: readonly string[] = []): void {
  const configuration = read(files);
  const mentions = namesInUse(configuration);
  const { lines, sections } = everything(configuration);
  mentions.gatherLines(gathered);
  for (const name of ASKED) {
    const own = lines.filter((line) => line.name === name);
    assert.equal(mentions.hasName(name), own.length > 0, name);
    assert.deepEqual(
      mentions.lines(name).map(({ text }) => text),
      own.map(({ text }) => text),
    );
    if (own.some(({ isNested }) => isNested)) assert.equal(mentions.mayBeNested(name), true, name);
  }
  for (const name of SECTIONS) {
    const own = sections.filter((section) => section.name === name);
    assert.equal(mentions.hasSection(name), own.length > 0, name);
    assert.deepEqual(
      mentions.sections(name).map(({ open }) => open.text),
      own.map(({ text }) => text),
    );
  }
  const unique = (named: readonly { readonly name: string }[]) => [...new Set(named.map(({ name }) => name))].sort();
  assert.deepEqual([...mentions.lineNames()].sort(), unique(lines));
  assert.deepEqual([...mentions.sectionNames()].sort(), unique(sections));
}

describe('the lines of a configuration by their names', () => {
  it('are those of all its files, wherever they stand', () => {
    check({ [ROOT]: MAIN, '/srv/more.conf': 'KeepAlive On\nOptions None\n' });
  });

  it('are the same when several are gathered at once, with others before and behind', () => {
    for (const names of [
      ['alias', '<directory'],
      ['<virtualhost', 'options', 'nothing', 'serverroot'],
      ['alias', 'alias'],
    ])
      check({ [ROOT]: MAIN, '/srv/more.conf': 'KeepAlive On\nOptions None\n' }, names);
  });

  it('are the same where a file has more names than anybody counts', () => {
    check({ [ROOT]: MAIN, '/srv/more.conf': MANY });
    check({ [ROOT]: MAIN, '/srv/more.conf': MANY }, ['options', '<files', 'name7']);
  });

  it('that stand in no section of a file are found where a section brings them in', () => {
    const inHost = (line: string) =>
      `ServerRoot /srv\n<VirtualHost *:80>\n${line}\n</VirtualHost>\n<VirtualHost *:81>\n</VirtualHost>\n`;
    const included = read({ [ROOT]: inHost('Include more.conf'), '/srv/more.conf': 'KeepAlive On\n' });
    assert.equal(namesInUse(included).mayBeNested('keepalive'), false);
    assert.deepEqual(
      linesOf(included, 'keepalive').map(({ file, line }) => [file.path, line.text]),
      [['/srv/more.conf', 'KeepAlive On\n']],
    );
    const used = read({ [ROOT]: `<Macro M>\nKeepAlive On\n</Macro>\n${inHost('Use M')}` });
    assert.deepEqual(
      linesOf(used, 'keepalive').map(({ macro }) => macro),
      ['M'],
    );
  });

  it('are passed by where nobody asks for them', () => {
    const configuration = read({ [ROOT]: `KeepAlive On\n${MAIN}`, '/srv/more.conf': 'Timeout 3\n' });
    assert.deepEqual(
      ['keepalive', 'alias', 'serverroot'].map((name) => linesOf(configuration, name).length),
      [1, 41, 0],
    );
  });
});
