/** An endless configuration: the walk stops after a number of files, within seconds. */
import assert from 'node:assert/strict';
import { memoryFiles } from '../../server/src/config/memory-files';
import { configView } from '../../server/src/config/config-view';
import { readModel } from '../../server/src/config/read-model';

const gapsOf = (files: Readonly<Record<string, string>>): string[] =>
  readModel({ mainFile: '/a/root', view: configView(memoryFiles(files)), server: {} })!.gaps.map(
    ({ reason }) => reason,
  );
const times = (count: number, text: (n: number) => string) => Array.from({ length: count }, (_, n) => text(n)).join('');

it('a configuration that doubles with every level ends', () => {
  const files: Record<string, string> = { '/a/root': 'Include /a/0\nInclude /a/0\n' };
  for (let i = 0; i < 100; i++) files[`/a/${i}`] = `Include /a/${i + 1}\nInclude /a/${i + 1}\n`;
  files['/a/100'] = '';
  const { gaps } = readModel({ mainFile: '/a/root', view: configView(memoryFiles(files)), server: {} })!;
  assert.ok(gaps.some(({ reason }) => reason === 'too-many'));
});

describe('a file that is included hundreds of times', () => {
  const PART = 'Alias /x /srv/x\n';

  it('is read up to a limit if each reading adds the same lines to one server', () => {
    const gaps = gapsOf({ '/a/root': 'Include /a/part\n'.repeat(300), '/a/part': PART });
    assert.deepEqual([...new Set(gaps)], ['too-many']);
    assert.equal(gaps.length, 200);
  });

  it('is read each time in virtual hosts of their own', () => {
    const hosts = times(300, () => '<VirtualHost *:80>\nInclude /a/part\n</VirtualHost>\n');
    assert.deepEqual(gapsOf({ '/a/root': hosts, '/a/part': PART }), []);
  });

  it('is read each time if it is a template for the value of a variable', () => {
    const uses = times(300, (n) => `Define site s${n}\nInclude /a/part\n`);
    assert.deepEqual(gapsOf({ '/a/root': uses, '/a/part': 'Alias /${site} /srv/${site}\n' }), []);
  });
});

it('conditions in files that include each other end', () => {
  const nested = (inside: string) => `${'<IfDefine !A>\n'.repeat(150)}${inside}${'</IfDefine>\n'.repeat(150)}`;
  const hosts = times(150, () => '<VirtualHost *:80>\nInclude /a/part\n</VirtualHost>\n');
  const gaps = gapsOf({ '/a/root': hosts, '/a/part': nested('Include /a/root\n') });
  assert.ok(gaps.includes('too-many') || gaps.includes('too-deep'));
});
