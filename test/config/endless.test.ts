/** An endless configuration: the walk stops after a number of files, within seconds. */
import assert from 'node:assert/strict';
import { memoryFiles } from '../../server/src/config/memory-files';
import { configView } from '../../server/src/config/config-view';
import { readModel } from '../../server/src/config/read-model';

it('a configuration that doubles with every level ends', () => {
  const files: Record<string, string> = { '/a/root': 'Include /a/0\nInclude /a/0\n' };
  for (let i = 0; i < 100; i++) files[`/a/${i}`] = `Include /a/${i + 1}\nInclude /a/${i + 1}\n`;
  files['/a/100'] = '';
  const { gaps } = readModel({ mainFile: '/a/root', view: configView(memoryFiles(files)), server: {} })!;
  assert.ok(gaps.some(({ reason }) => reason === 'too-many'));
});
