import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { sectionUnpaired } from '../../server/src/rules/section-unpaired';
import { Tree } from '../../server/src/syntax/document';
import { annotated, findingsIn, fixed } from '../support/rules';
import { fileContext } from '../support/file-context';

const rule = { rule: 'section-unpaired' };
const marked = (text: string) => annotated(text, rule);
const ids = (text: string) => findingsIn(text, rule).map(({ messageId }) => messageId);
const engine = new Engine({ rules: [sectionUnpaired] });
const within = (text: string) =>
  engine
    .analyze(Tree.parse(text), { isHtaccess: false, fileContext: fileContext() })
    .findings()
    .map(({ messageId }) => messageId);

describe('section-unpaired', () => {
  it('says nothing of sections that pair', () => {
    for (const text of [
      '<Directory /x>\n<Files y>\n</Files>\n</dIRECTORY>\n',
      '<Directory /x> Options None\n</Directory> # the end\n',
      '<If "%{X} > 1">\n</If>\n<Foo>\n</Foo>\n',
      '<Macro m>\n<Directory /x>\n</Macro>\n<Macro n>\n</Directory>\n</Macro>\n',
      '<Perl>\nif ($a < 3) { print "<b" }\n</Perl>\n',
    ]) {
      assert.deepEqual(ids(text), [], text);
    }
  });

  it('marks the tag', () => {
    assert.equal(
      marked('<VirtualHost *:80>\n  <Directory /x>\n  Options None\n</VirtualHost>\n</Files>\n'),
      '<VirtualHost *:80>\n  <Directory /x>\n# ^^^^^^^^^^^^^^ error section-unpaired/unclosed none\n  Options None\n</VirtualHost>\n</Files>\n#^^^^^^^ error section-unpaired/stray none\n',
    );
  });

  const CASES: Readonly<Record<string, readonly string[]>> = {
    '<Directory /x>\n': ['unclosed'],
    '<Directory /x\nOptions None\n</Directory>\n': ['no-bracket'],
    '<Directory /x\nOptions None\n': ['no-bracket'],
    '<Directory /x>\n</Directory\n': ['close-tag'],
    '<Directory /x>\n</Directory >\n': ['close-tag'],
    '<Directory /x>\n</Directory>x\n': ['mismatched'],
    '<Directory/x>\n</Directory>\n': ['mismatched'],
    '<Directory /a>\n</Location>\n': ['mismatched'],
    '<Directory /a>\n<Files b>\n</Directory>\n</Files>\n': ['crossed'],
    '<Directory /a>\n</IfModule>\n</Directory>\n': ['stray'],
    '<IfModule x.c>\n': ['unclosed-condition'],
    '<Directory /x>\n<IfModule x.c>\n</Directory>\n': ['unclosed'],
    '<IfModule x.c>\n</IfModule> # x\n': ['close-tag'],
    '<IfModule x.c>\n</IfModule >\n': ['close-tag'],
    '<A>\n<B>\n<C>\n</A>\n': ['unclosed', 'unclosed'],
  };
  for (const [text, wanted] of Object.entries(CASES))
    it(JSON.stringify(text), () => assert.deepEqual(ids(text), wanted));

  it('HTML is called HTML, and the file perhaps a script', () => {
    const [finding] = findingsIn('BODY="\n<div id=x>\n', rule);
    assert.match(finding!.message, /^`<div>` is HTML, not a section of httpd\b/);
    assert.match(finding!.message, /a script that writes a configuration: check the file that it writes\./);
    const [other] = findingsIn('<Diretory /a>\n', rule);
    assert.match(other!.message, /^`<Diretory>` is not a section of httpd, and is not closed\b/);
  });

  it('names the opening tag that its fix changes', () => {
    const text = '<XXXXXXXXXXXX *:80>\n</VirtualHost>\n';
    assert.equal(
      findingsIn(text, rule)[0]!.fixes[0]!.title,
      'Change the opening tag <XXXXXXXXXXXX …> to <VirtualHost …>',
    );
  });

  it('an unclosed condition is an error where it is known to be false', () => {
    assert.deepEqual(within('<IfModule nope.c>\n'), ['unclosed']);
    assert.deepEqual(within('<IfModule core.c>\n'), ['unclosed-condition']);
  });

  it('behind a condition that is not closed the server asks for no closing tag', () => {
    assert.equal(
      marked('<IfModule x.c>\n<If true>\n'),
      '<IfModule x.c>\n#^^^^^^^^^^^^^ warning section-unpaired/unclosed-condition none\n<If true>\n#^^^^^^^^ warning section-unpaired/unclosed none\n',
    );
  });

  it('text that is skipped must pair, too', () => {
    assert.deepEqual(within('<IfModule !core.c>\n<Directory /x>\n</IfModule>\n'), ['unclosed']);
  });

  it('fixes names and brackets, when asked', () => {
    assert.equal(
      fixed('<dIRECTORY /x>\r\n  </Diretory>\r\n', { ...rule, unsafe: true }),
      '<dIRECTORY /x>\r\n  </dIRECTORY>\r\n',
    );
    assert.equal(
      fixed('<IfModule x.c>\n</IfModule > # x\n', { ...rule, unsafe: true }),
      '<IfModule x.c>\n</IfModule>\n',
    );
    assert.equal(
      fixed('<Directory "/x"  \nOptions None\n</Directory>\n', { ...rule, unsafe: true }),
      '<Directory "/x">  \nOptions None\n</Directory>\n',
    );
  });

  it('a right closing tag is not made to fit a wrong opening one', () => {
    assert.equal(
      fixed('<IModule mod_dir.c>\n</IfModule>\n', { ...rule, unsafe: true }),
      '<IfModule mod_dir.c>\n</IfModule>\n',
    );
    assert.equal(
      fixed('<IfModule mod_dir.c>\n</IModule>\n', { ...rule, unsafe: true }),
      '<IfModule mod_dir.c>\n</IfModule>\n',
    );
    assert.equal(fixed('<Directory/x>\n</Directory>\n', { ...rule, unsafe: true }), '<Directory /x>\n</Directory>\n');
  });

  it('a file that is no configuration has an end', () => {
    assert.equal(ids('<a>\n'.repeat(5000)).length, 1000);
  });
});
