import assert from 'node:assert/strict';
import { findingsInFiles } from '../support/configurations';

const MAIN = '/srv/conf/httpd.conf';
const BOTH = { answerSet: { answers: new Map([['versions', 'both']]), folder: '/srv' } };
const found = (text: string, files: Record<string, string> = {}, asked: object = BOTH) =>
  [...findingsInFiles({ [MAIN]: `Listen 80\n${text}`, ...files }, { ...asked, rule: 'not-in-22' })].flatMap(
    ([file, findings]) =>
      findings.map(({ messageId, start, severity, help }) => {
        const all = { [MAIN]: `Listen 80\n${text}`, ...files }[file]!;
        return [messageId, severity, all.slice(start).split(/[\s>]/, 1)[0], help?.split(/[:.]/, 1)[0]];
      }),
  );

describe('not-in-22', () => {
  it('reports the names that 2.2 does not know', () => {
    assert.deepEqual(found('MaxRequestWorkers 5\nIncludeOptional x.d/*.conf\nMaxClients 5\nInclude y.d/*.conf\n'), [
      ['directive', 'error', 'MaxRequestWorkers', 'Write `MaxClients`'],
      ['directive', 'error', 'IncludeOptional', 'Put the line into `<IfVersion >= 2'],
    ]);
    assert.deepEqual(
      found('<Directory /srv>\n<RequireAll>\nRequire all granted\n</RequireAll>\nAuthMerging Off\n</Directory>\n').map(
        ([id, , name]) => [id, name],
      ),
      [
        ['section', 'RequireAll'],
        ['directive', 'AuthMerging'],
      ],
    );
  });

  it('reports nothing that 2.2 does not read', () => {
    for (const text of [
      '<IfVersion >= 2.4>\nMaxRequestWorkers 5\n</IfVersion>\n',
      '<IfModule mod_authz_core.c>\n<Directory /srv>\n<RequireAll>\n</RequireAll>\n</Directory>\n</IfModule>\n',
      '<IfModule mod_unknown.c>\nMaxRequestWorkers 5\n</IfModule>\n',
      '<IfDefine NEW>\nMaxRequestWorkers 5\n</IfDefine>\n',
      '<Macro a>\nMaxRequestWorkers 5\n</Macro>\n',
      '# MaxRequestWorkers 5\n',
    ])
      assert.deepEqual(found(text), [], text);
    const files = { '/srv/conf/24.conf': 'MaxRequestWorkers 5\n' };
    assert.deepEqual(found('<IfVersion >= 2.4>\nInclude /srv/conf/24.conf\n</IfVersion>\n', files), []);
    assert.equal(found('Include /srv/conf/24.conf\n', files).length, 1);
  });

  it('reports them also after fixes were written, and if 2.4 runs on another server', () => {
    const answers = new Map([['versions', 'both']]);
    for (const asked of [
      { answerSet: { answers, folder: '/srv', isConvertedInPart: true } },
      { answerSet: { answers, folder: '/srv' }, accessSource: '2.4' },
    ])
      assert.equal(found('MaxRequestWorkers 5\n', {}, asked).length, 1);
  });

  it('reports nothing without the answer that 2.2 also reads the files', () => {
    assert.deepEqual(found('MaxRequestWorkers 5\n', {}, {}), []);
  });
});
