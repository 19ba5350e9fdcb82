import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'options-mixed' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('options-mixed', () => {
  const inDirectory = (options: string) => `<Directory /x>\nOptions ${options}\n</Directory>\n`;
  const safe = (options: string) => /^<Directory \/x>\n(.*)<\/Directory>\n$/s.exec(fix(inDirectory(options)))![1].replace(/Options /g, '').trimEnd();

  it('leaves what 2.4 reads alone, what 2.2 refuses, comments, variables', () => {
    const read = ['Indexes FollowSymLinks', '+Indexes -Includes', 'All', 'None', 'All -Indexes', 'all +MultiViews', 'None +Indexes', 'All Indexes -Includes', '-Indexes', ''];
    const refused = ['Indexes +Bogus', 'Indexes, +Includes', '-Indexes # none', 'Indexes +${X}', '${X} +Indexes', 'Indexes -'];
    for (const options of [...read, ...refused]) assert.equal(marked(inDirectory(options)), inDirectory(options), options);
    const comment = '# Options Indexes +X\nOption Indexes +X\n';
    assert.equal(marked(comment), comment);
  });

  it('marks the word at which 2.4 stops, in odd case, twice, in nested sections', () => {
    assert.equal(
      marked('oPTIONS Indexes "+Includes"\n<VirtualHost *>\n<Directory /x>\n  Options MultiViews All\n</Directory>\n</VirtualHost>\n'),
      `oPTIONS Indexes "+Includes"
#               ^^^^^^^^^^^ error options-mixed/mixed safe
<VirtualHost *>
<Directory /x>
  Options MultiViews All
#                    ^^^ error options-mixed/all-or-none safe
</Directory>
</VirtualHost>
`,
    );
  });

  it('says in one line what 2.2 made of it, where one line does', () => {
    const rows = [
      ['Indexes +FollowSymLinks', 'Indexes FollowSymLinks'], ['Indexes +FollowSymLinks -Indexes', 'FollowSymLinks'], ['-Indexes FollowSymLinks', 'FollowSymLinks'],
      ['-Indexes -Includes None', 'None'], ['Indexes None', 'Indexes'], ['MultiViews All', 'All MultiViews'], ['+Indexes All', 'All'], ['All None', 'All'], ['None All', 'All'],
      ['Indexes -Indexes', 'None'], ['INDEXES +execcgi', 'INDEXES execcgi'], ['All -Indexes Includes', 'Includes FollowSymLinks ExecCGI'], ['+Indexes Indexes', 'Indexes'],
    ];
    for (const [before, after] of rows) assert.equal(safe(before), after, before);
  });

  it('spells out All with a sign, and drops None', () => {
    const rows = [
      ['+All', '+Indexes +Includes +FollowSymLinks +ExecCGI'], ['-All', '-Indexes -Includes -FollowSymLinks -ExecCGI'], ['+MultiViews +All', '+MultiViews +Indexes +Includes +FollowSymLinks +ExecCGI'],
      ['+All -Indexes', '+Includes +FollowSymLinks +ExecCGI -Indexes'], ['+None', ''], ['-None +Indexes', '+Indexes'], ['-All +Indexes', '-Includes -FollowSymLinks -ExecCGI +Indexes'],
    ];
    for (const [before, after] of rows) assert.equal(safe(before), after, before);
  });

  it('needs several lines where an option comes back when something is merged, or where other lines have a say', () => {
    assert.equal(safe('+Indexes FollowSymLinks'), '+Indexes\nFollowSymLinks');
    assert.equal(safe('+Indexes FollowSymLinks -MultiViews'), '+Indexes\nFollowSymLinks\n-MultiViews');
    assert.equal(safe('-Indexes Indexes'), '-Indexes\nIndexes');
    assert.equal(fix('Options Indexes +Includes\n'), 'Options Indexes\nOptions +Includes\n');
    assert.equal(fix('<Files x>\nInclude more.conf\nOptions Indexes +Includes\n</Files>\n'), '<Files x>\nInclude more.conf\nOptions Indexes\nOptions +Includes\n</Files>\n');
    assert.equal(fixed('Options Indexes +Includes\n', { ...rule, file: '.htaccess' }), 'Options Indexes Includes\n');
    assert.equal(fix('<Files x>\nOptions -Includes\nOptions Indexes +Includes\n</Files>\n'), '<Files x>\nOptions -Includes\nOptions Indexes\nOptions +Includes\n</Files>\n');
  });

  it('offers the other readings beside it', () => {
    const titles = (options: string) => findingsIn(inDirectory(options), rule)[0].fixes!.map(({ safety, edits }) => `${safety}: ${edits[0].text.replace(/\n/g, ' / ')}`);
    assert.deepEqual(titles('-Indexes FollowSymLinks'), ['safe: Options FollowSymLinks', 'suggestion: Options -Indexes +FollowSymLinks']);
    assert.deepEqual(titles('+Indexes FollowSymLinks'), ['safe: Options +Indexes / Options FollowSymLinks', 'suggestion: Options FollowSymLinks', 'suggestion: Options +Indexes +FollowSymLinks']);
  });

  it('refuses to be sure where Includes and IncludesNOEXEC meet', () => {
    for (const options of ['Includes +IncludesNOEXEC', 'IncludesNOEXEC -Includes', '-IncludesNOEXEC Includes']) {
      assert.equal(fix(inDirectory(options)), inDirectory(options));
      assert.notEqual(fix(inDirectory(options), true), inDirectory(options));
    }
  });

  it('fixes continued lines and CR LF', () => {
    assert.equal(fix('<Files x>\r\n  Options Indexes \\\r\n    +FollowSymLinks\r\n</Files>\r\n'), '<Files x>\r\n  Options Indexes FollowSymLinks\r\n</Files>\r\n');
    assert.equal(fix('<Files x>\r\n  Options +Indexes FollowSymLinks\r\n</Files>\r\n'), '<Files x>\r\n  Options +Indexes\r\n  Options FollowSymLinks\r\n</Files>\r\n');
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nOptions Indexes +Includes\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
