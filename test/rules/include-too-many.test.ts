/**
 * include-too-many: an Include of more files than the limit is one problem.
 * test/config/bounded.slow.test.ts checks how much is read.
 */
import assert from 'node:assert/strict';
import { findingsInFiles, listed } from '../support/configurations';

const MAIN = '/srv/conf/httpd.conf';

describe('include-too-many', () => {
  const of = (count: number, text: string, main = 'Listen 80\nInclude all\n') => ({
    [MAIN]: `ServerRoot /srv/conf\n${main}`,
    ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`/srv/conf/all/f${i}`, text])),
  });
  const find = (files: Record<string, string>) => listed(files, { rule: 'include-too-many' });

  it('a directory of files that are no configuration', () => {
    assert.deepEqual(find(of(500, 'option a\n')), [`${MAIN}:3: hint include-too-many/too-many none`]);
    const [finding] = findingsInFiles(of(500, 'option a\n'), { rule: 'include-too-many' }).get(MAIN)!;
    assert.equal(finding!.what, '`Include all` leads to too many files, and not all are checked');
  });

  it('in a configuration that a template makes, too', () =>
    assert.deepEqual(find(of(500, 'option a\n{% if x %}\n{% endif %}\n')).length, 1));

  it('once for a line that several virtual hosts read', () => {
    const host = '<VirtualHost *:80>\nInclude part\n</VirtualHost>\n';
    const files = { ...of(500, 'option a\n', host.repeat(3)), '/srv/conf/part': 'Include all\n' };
    assert.deepEqual(find(files), ['/srv/conf/part:1: hint include-too-many/too-many none']);
  });

  it('not a directory of configuration, nor one with some other files', () => {
    assert.deepEqual(find(of(500, 'Listen 80\n')), []);
    assert.deepEqual(find(of(90, 'option a\n')), []);
  });
});
