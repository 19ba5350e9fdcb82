import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed, type Asked } from '../support/rules';

const rule = { rule: 'access-trailing-comment' };
const marked = (text: string, asked: Asked = {}) => annotated(text, { ...rule, ...asked });
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });
const safety = (line: string) => findingsIn(line, rule)[0].fixes[0]?.safety;

describe('access-trailing-comment', () => {
  it('leaves lines without one alone, and where the words are taken', () => {
    const clean =
      '# Allow from 10 # x\nAllow from 10\nRequire user ann # joe\nRequire group a #b\nRequire host a # b\nRequire env a # b\nRequire valid-user # all\nOrder allow,deny\n<Macro a $x>\nAllow from $x # x\n</Macro>\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
  });

  it('marks the comment, twice in a file, in odd case, in sections', () => {
    assert.equal(
      marked(
        '<Directory /a>\n  aLLOW fROM 10  #(x)\n  <Limit GET>\n    Deny from 10 # all of them\n  </Limit>\n  Require all granted # x\n</Directory>\n',
      ),
      `<Directory /a>
  aLLOW fROM 10  #(x)
#                ^^^^ error access-trailing-comment/comment safe
  <Limit GET>
    Deny from 10 # all of them
#                ^^^^^^^^^^^^^ error access-trailing-comment/comment-decides suggestion
  </Limit>
  Require all granted # x
#                     ^^^ error access-trailing-comment/comment suggestion
</Directory>
`,
    );
  });

  it('puts it above, indented alike, with CR LF, without a line end', () => {
    assert.equal(fix('\tAllow from 10 \t#(x) \r\nDeny from 11'), '\t#(x)\r\n\tAllow from 10\r\nDeny from 11');
    assert.equal(fix('Require ip 10 # the office', true), '# the office\nRequire ip 10');
    assert.equal(
      fix('Require not ip 10 11#x\nRequire method GET # x\nRequire ssl # x\n', true),
      '#x\nRequire not ip 10 11\n# x\nRequire method GET\n# x\nRequire ssl\n',
    );
  });

  it('is a suggestion in a .htaccess where 2.2 answers 500 for a word of the comment', () => {
    for (const comment of ['# http://x/', '# 12:30', '# 2010', '#10.0.0.0/8', '# a/b']) {
      const line = `Deny from 10 ${comment}`;
      const [{ fixes }] = findingsIn(line, { ...rule, file: '.htaccess' });
      assert.equal(fixes[0].safety, 'suggestion', comment);
      assert.match(fixes[0].assumes!, /that get 500 in 2\.2/);
      // A server does not start with it.
      assert.equal(safety(line), 'safe', comment);
    }
    assert.equal(findingsIn('Deny from 10 # (x)', { ...rule, file: '.htaccess' })[0].fixes[0].safety, 'safe');
  });

  it('is safe where 2.2 could not match a word of it, and says what it assumes elsewhere', () => {
    assert.equal(safety('Allow from 10 #'), 'safe');
    assert.equal(safety('Allow from 10 #office'), 'safe');
    assert.equal(safety('Allow from 10 # (the) 1-2 a,b'), 'safe');
    assert.equal(safety('Allow from 10 # office'), 'suggestion');
    assert.equal(safety('Deny from 10#office'), 'suggestion');
    assert.equal(safety('Deny from 10 # was 11'), 'suggestion');
    assert.equal(safety('Deny from 10 # env=a'), 'suggestion');
    assert.match(
      findingsIn('Allow from 10 # the office', rule)[0].fixes[0].assumes!,
      /^no client has the host name "the", "office"$/,
    );
    assert.match(
      findingsIn('Deny from 10 # not all', rule)[0].fixes[0].assumes!,
      /you want "all" to be only a comment; httpd 2\.2 used it as an argument/,
    );
    assert.match(
      findingsIn('Deny from 10.1#x', rule)[0].fixes[0].assumes!,
      /you want 10\.1 to take effect; httpd 2\.2 never matched "10\.1#x"/,
    );
  });

  it('leaves to a person what lets somebody in whom neither version let in', () => {
    for (const line of ['all granted', 'ip 10', 'method GET', 'ssl', 'not ip 10'])
      assert.equal(safety(`Require ${line} # x`), 'suggestion', line);
    assert.equal(safety('Require all denied # x'), 'safe');
  });

  it('leaves alone what it cannot move', () => {
    for (const text of [
      'Allow from # office\n',
      'Allow from 10 \\\n # office\n',
      'Allow from 10 "#x"\n',
      'Allow from ${A} # x\n',
      'Allow from 10 # x\\',
    ]) {
      assert.equal(findingsIn(text, rule).length, 1, text);
      assert.equal(fix(text, true), text);
    }
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfModule !mod_authz_core.c>\nAllow from 10 # x\n</IfModule>\n';
    assert.equal(marked(inactive), inactive);
  });
});
