import assert from 'node:assert/strict';
import { findingsInFiles, listed } from '../support/configurations';

const ROOT = '/srv/conf/httpd.conf';
const rows = (text: string) =>
  listed({ [ROOT]: text }, { rule: 'proxy-pass-order' }).map((row) => row.slice(ROOT.length + 1).replace(' none', ''));
const at = (path: string, backend: string) => `<Location ${path}>\nProxyPass ${backend}\n</Location>\n`;
const BACK = 'http://127.0.0.1:8080';

describe('proxy-pass-order', () => {
  it('finds the line that decides in 2.4 alone', () => {
    assert.deepEqual(rows(at('/a', `${BACK}/a`) + at('/a/b', '!')), ['5: warning proxy-pass-order/not-proxied']);
    assert.deepEqual(rows(at('/a', `${BACK}/x`) + at('/a/b', `${BACK}/y`)), [
      '5: warning proxy-pass-order/other-backend',
    ]);
    assert.deepEqual(rows(at('/a/b', '!') + at('/a', `${BACK}/a`)), ['5: warning proxy-pass-order/other-backend']);
    assert.deepEqual(rows(`ProxyPass /a/b !\n${at('/a', `${BACK}/a`)}`), ['3: warning proxy-pass-order/other-backend']);
  });

  it('shows how to keep what 2.2 does', () => {
    const help = (text: string) =>
      [...findingsInFiles({ [ROOT]: text }, { rule: 'proxy-pass-order' }).values()].flat()[0]!.help;
    const removal = /^To keep what 2\.2 does, remove this line\./;
    assert.match(help(at('/a', `${BACK}/a`) + at('/a/b', '!'))!, removal);
    assert.match(help(at('/a', `${BACK}/x`) + at('/a', `${BACK}/y`))!, removal);
    // Here 2.2 uses the line for other URLs, or another section would decide.
    const lines = /write the `ProxyPass` lines outside of sections, with their paths, in the same order\.$/;
    assert.match(help(at('/a/b', '!') + at('/a', `${BACK}/a`))!, lines);
    assert.match(help(at('/a', `${BACK}/x`) + at('/a', `${BACK}/y`) + at('/a', `${BACK}/z`))!, lines);
  });

  it('says nothing where both versions use the same backend', () => {
    for (const text of [
      at('/a', `${BACK}/a`) + at('/b', `${BACK}/b`),
      at('/a', `${BACK}/a`) + at('/a/b', `${BACK}/a/b`),
      at('/a', `${BACK}/a`) + at('/ab', '!'),
      `ProxyPass /a/b !\nProxyPass /a ${BACK}/a\n`,
      `${at('/a', `${BACK}/a`)}ProxyPass /a/b !\n`,
      at('/a', '${BACK}') + at('/a/b', '!'),
      at('~ /a', BACK) + at('/a/b', '!'),
      `<VirtualHost *:80>\n${at('/a', `${BACK}/a`)}</VirtualHost>\n<VirtualHost *:81>\n${at('/a/b', '!')}</VirtualHost>\n`,
    ])
      assert.deepEqual(rows(text), [], text);
  });
});
