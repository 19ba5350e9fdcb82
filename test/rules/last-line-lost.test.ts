/** The rule about a last line without a newline, below a Use line: which lines, and which fix. */
import assert from 'node:assert/strict';
import { withFolder } from '../cli/run';
import { fixedFiles, listed, type Files } from '../support/configurations';

const ROOT = '/etc/httpd/conf/httpd.conf';
const rule = { rule: 'last-line-lost' };
const M = '<Macro M>\nServerSignature Off\n</Macro>\n';
const rows = (files: Files | string) =>
  listed(typeof files === 'string' ? { [ROOT]: M + files } : files, rule).map((row) =>
    row.replace('/etc/httpd/conf/', '').replace('last-line-lost/', ''),
  );

describe('last-line-lost', () => {
  it('reports a directive and a closing tag below a Use line, and no comment', () => {
    assert.deepEqual(rows('Use M\nUse M'), ['httpd.conf:5: warning lost safe']);
    assert.deepEqual(rows('Use M\r\nListen 80'), ['httpd.conf:5: warning lost safe']);
    assert.deepEqual(rows('<Directory /x>\nUse M\n</Directory>'), ['httpd.conf:6: error unclosed safe']);
    for (const text of [
      '<IfModule mod_macro.c>\nUse M\n</IfModule>',
      'Use M',
      'Use M\nListen 80\n',
      'Use M\n# end',
      'Use M\n  ',
      'Use M\n\nListen 80',
      'Listen 80\nUse M',
    ])
      assert.deepEqual(rows(text), [], text);
  });

  it('reports it in an included file, and not in a section that httpd skips', () => {
    assert.deepEqual(rows({ [ROOT]: `${M}Include a.conf\n`, '/etc/httpd/a.conf': 'Use M\nListen 80' }), [
      '/etc/httpd/a.conf:2: warning lost safe',
    ]);
    assert.deepEqual(rows('<IfVersion < 2.4>\nUse M\n</IfVersion>'), []);
  });

  it('adds the newline of the file; a suggestion for a server of 2.4', () => {
    for (const eol of ['\n', '\r\n']) {
      const files = { [ROOT]: `${M}Use M${eol}Listen 80` };
      const fixed = { [ROOT]: `${M}Use M${eol}Listen 80${eol}` };
      assert.deepEqual(fixedFiles(files, rule), fixed);
    }
    const load = 'LoadModule authz_core_module modules/mod_authz_core.so\n';
    const of24 = { [ROOT]: `${load}${M}Use M\nListen 80` };
    assert.deepEqual(fixedFiles(of24, rule), of24);
    assert.deepEqual(fixedFiles(of24, { ...rule, unsafe: true }), { [ROOT]: `${of24[ROOT]}\n` });
    // A file that is missing here may load them.
    const part = { [ROOT]: `Include conf.d/*.conf\n${M}Use M\nListen 80` };
    assert.deepEqual(fixedFiles(part, rule), part);
    const answerSet = { answers: new Map<string, string>(), folder: '/', isConvertedInPart: true };
    assert.deepEqual(fixedFiles(of24, { ...rule, answerSet }), { [ROOT]: `${of24[ROOT]}\n` });
  });
});

describe(
  'last-line-lost and access control',
  withFolder((folder) => {
    it('converts access control when the newline is there', async () => {
      folder().write(
        'conf/httpd.conf',
        'ServerRoot /etc/httpd\nListen 80\nDocumentRoot /srv\n<Macro M>\nOptions None\n</Macro>\n<Directory />\nAllowOverride None\n</Directory>\n<Directory /srv>\nInclude conf/deny.inc\n</Directory>\n',
      );
      folder().write('conf/deny.inc', 'Use M\nDeny from all');
      const asked = ['--map', '/etc/httpd=.', 'conf/httpd.conf'];
      const { out } = await folder().run(['check', ...asked]);
      assert.match(out.replace(/\s+/g, ' '), /2\.4 does not read `Deny from all`, the last line of deny\.inc/);
      await folder().run(['fix', '--write', ...asked]);
      assert.equal(folder().text('conf/deny.inc'), 'Use M\nDeny from all\n');
      await folder().run(['fix', '--write', ...asked]);
      assert.equal(folder().text('conf/deny.inc'), 'Use M\nRequire all denied\n');
    });
  }),
);
