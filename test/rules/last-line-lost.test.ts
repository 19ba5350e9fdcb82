/** The rule about a last line without a newline, below a Use line: which lines, and which fix. */
import assert from 'node:assert/strict';
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
    assert.deepEqual(rows('Use M\nUse M'), ['httpd.conf:5: warning lost suggestion']);
    assert.deepEqual(rows('Use M\r\nListen 80'), ['httpd.conf:5: warning lost suggestion']);
    assert.deepEqual(rows('<Directory /x>\nUse M\n</Directory>'), ['httpd.conf:6: error unclosed suggestion']);
    assert.deepEqual(rows('<IfModule mod_macro.c>\nUse M\n</IfModule>'), ['httpd.conf:6: hint unclosed suggestion']);
    for (const text of [
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
      '/etc/httpd/a.conf:2: warning lost suggestion',
    ]);
    assert.deepEqual(rows('<IfVersion < 2.4>\nUse M\n</IfVersion>'), []);
  });

  it('adds the newline of the file; safe in files of 2.2', () => {
    for (const eol of ['\n', '\r\n']) {
      const files = { [ROOT]: `${M}Use M${eol}Listen 80` };
      const fixed = { [ROOT]: `${M}Use M${eol}Listen 80${eol}` };
      assert.deepEqual(fixedFiles(files, rule), files);
      assert.deepEqual(fixedFiles(files, { ...rule, unsafe: true }), fixed);
      const answerSet = { answers: new Map<string, string>(), folder: '/', isFrom22: true };
      assert.deepEqual(fixedFiles(files, { ...rule, answerSet }), fixed);
    }
  });
});
