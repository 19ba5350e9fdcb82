import assert from 'node:assert/strict';
import { findingsInFiles, listed } from '../support/configurations';

const ROOT = '/etc/httpd/conf/httpd.conf';
const rows = (text: string, more: Readonly<Record<string, string>> = {}) =>
  listed({ [ROOT]: text, ...more }, { rule: 'location-opens' }).map((row) => row.replace('/etc/httpd/', ''));
const PRIVATE = '<Directory /srv/private>\nRequire ip 10.0.0.0/8\n</Directory>\n';
const OPEN = '<Location />\nRequire all granted\n</Location>\n';
const FOUND = 'warning location-opens/opened none';

describe('location-opens', () => {
  it('marks the line, whatever comes first, in virtual hosts, in odd case, in included files', () => {
    assert.deepEqual(rows(PRIVATE + OPEN), [`conf/httpd.conf:5: ${FOUND}`]);
    assert.deepEqual(rows(OPEN.toUpperCase().replace('REQUIRE', 'rEQUIRE') + PRIVATE), [`conf/httpd.conf:2: ${FOUND}`]);
    assert.deepEqual(rows(`${PRIVATE}<VirtualHost *:80>\n${OPEN}</VirtualHost>\n`), [`conf/httpd.conf:6: ${FOUND}`]);
    assert.deepEqual(rows(`<Files ".ht*">\nRequire all denied\n</Files>\n${OPEN}`), [`conf/httpd.conf:5: ${FOUND}`]);
    assert.deepEqual(
      rows('Include /etc/httpd/a.conf\nInclude /etc/httpd/b.conf\n', {
        '/etc/httpd/a.conf': PRIVATE,
        '/etc/httpd/b.conf': OPEN,
      }),
      [`b.conf:2: ${FOUND}`],
    );
  });

  it('knows the patterns that match every URL', () => {
    const section = (tag: string) => `<${tag}>\nRequire all granted\n</${tag.split(' ')[0]}>\n`;
    for (const pattern of ['"^/"', '/', '.*', '^/.*$', '^(/.*)', '"^/(.*)$"', '^', 'locationMatch ^/'])
      assert.deepEqual(
        rows(PRIVATE + section(pattern.includes(' ') ? pattern : `LocationMatch ${pattern}`)),
        [`conf/httpd.conf:5: ${FOUND}`],
        pattern,
      );
    assert.deepEqual(rows(PRIVATE + section('Location ~ "^/"')), [`conf/httpd.conf:5: ${FOUND}`]);
    for (const tag of ['LocationMatch ^/$', 'LocationMatch ^/x', 'Location ~ ^/a', 'LocationMatch ^/.+', 'Location ^/'])
      assert.deepEqual(rows(PRIVATE + section(tag)), [], tag);
    const [[finding]] = [
      ...findingsInFiles({ [ROOT]: PRIVATE + section('LocationMatch "^/"') }, { rule: 'location-opens' }).values(),
    ];
    assert.match(finding.message, /`<LocationMatch \^\/>` matches every URL/);
  });

  it('leaves alone what both decide, what opens nothing, and what another host has', () => {
    for (const text of [
      PRIVATE + OPEN.replace('Require', 'AuthMerging And\nRequire'),
      PRIVATE + OPEN.replace('all granted', 'ip 10'),
      PRIVATE + OPEN.replace('Location /', 'Location /x'),
      `<Directory />\nRequire all denied\n</Directory>\n${OPEN}`,
      `<Directory /srv/www>\nRequire all granted\n</Directory>\n${OPEN}`,
      `<VirtualHost *:80>\n${PRIVATE}</VirtualHost>\n<VirtualHost *:81>\n${OPEN}</VirtualHost>\n`,
      `<IfDefine X>\n${PRIVATE}</IfDefine>\n${OPEN}`,
      `<IfVersion < 2.4>\n${OPEN}</IfVersion>\n${PRIVATE}`,
    ])
      assert.deepEqual(rows(text), [], text);
  });

  it('names the section that is opened, and its file', () => {
    const [[finding]] = [...findingsInFiles({ [ROOT]: PRIVATE + OPEN }, { rule: 'location-opens' }).values()];
    assert.match(finding.message, /`<Directory \/srv\/private>` in \/etc\/httpd\/conf\/httpd\.conf/);
  });
});
