import assert from 'node:assert/strict';
import { applyEdits, fixesOf } from '../../server/src/analysis/fixes';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'rewrite-log' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });
/** The text after each fix of its first finding. */
const choices = (text: string) => fixesOf(findingsIn(text, rule)[0]).map(({ edits }) => applyEdits(text, edits));
const LOG = 'RewriteLog logs/rw\nRewriteLogLevel 3\n';

describe('rewrite-log', () => {
  it('leaves LogLevel alone, comments, and longer names', () => {
    const clean = 'LogLevel warn rewrite:trace3\n# RewriteLog logs/rw\nRewriteLogs x\nRewriteOptions inherit\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
  });

  it('marks both lines, in odd case, in each server', () => {
    assert.equal(
      marked(
        `${LOG}<VirtualHost *>\n  rEWRITElOG  logs/b\n  <IfModule mod_rewrite.c>\n    RewriteLogLevel 2\n  </IfModule>\n</VirtualHost>\n`,
      ),
      `RewriteLog logs/rw
#^^^^^^^^^^^^^^^^^ error rewrite-log/rewrite-log suggestion
RewriteLogLevel 3
#^^^^^^^^^^^^^^^^ error rewrite-log/rewrite-log-level suggestion
<VirtualHost *>
  rEWRITElOG  logs/b
# ^^^^^^^^^^^^^^^^^^ error rewrite-log/rewrite-log none
  <IfModule mod_rewrite.c>
    RewriteLogLevel 2
#   ^^^^^^^^^^^^^^^^^ error rewrite-log/rewrite-log-level none
  </IfModule>
</VirtualHost>
`,
    );
  });

  it('does nothing unless asked, as the log goes elsewhere', () => {
    assert.equal(fix(LOG), LOG);
    assert.deepEqual(choices(LOG), ['LogLevel rewrite:trace3\n', '']);
  });

  it('adds to the LogLevel of the scope, wherever it stands', () => {
    assert.equal(fix(`LogLevel warn\n${LOG}`, true), 'LogLevel warn rewrite:trace3\n');
    assert.equal(fix(`${LOG}LogLevel info\nListen 80\n`, true), 'LogLevel info rewrite:trace3\nListen 80\n');
    assert.equal(
      fix(`LogLevel debug\n${LOG}LogLevel \\\n  warn ssl:info \nListen 80\n`, true),
      'LogLevel debug\nLogLevel \\\n  warn ssl:info rewrite:trace3 \nListen 80\n',
    );
    assert.equal(
      fix(`LogLevel warn\n<VirtualHost *>\n${LOG}</VirtualHost>\n<Directory />\nLogLevel info\n</Directory>\n`, true),
      'LogLevel warn\n<VirtualHost *>\nLogLevel rewrite:trace3\n</VirtualHost>\n<Directory />\nLogLevel info\n</Directory>\n',
    );
  });

  it('knows that a later LogLevel forgets', () => {
    const inside = `<IfModule mod_rewrite.c>\n${LOG}</IfModule>\n`;
    assert.equal(
      fix(`LogLevel warn\n${inside}`, true),
      'LogLevel warn\n<IfModule mod_rewrite.c>\nLogLevel rewrite:trace3\n</IfModule>\n',
    );
    assert.equal(
      fix(`${inside}LogLevel warn\n`, true),
      '<IfModule mod_rewrite.c>\n</IfModule>\nLogLevel warn\n',
      'only offers to remove',
    );
  });

  it('does not write a second level for mod_rewrite', () => {
    assert.deepEqual(choices(`LogLevel warn rewrite:trace1\n${LOG}`), ['LogLevel warn rewrite:trace1\n']);
  });

  it('maps the levels, and reads them as atoi does', () => {
    const level = (value: string) => /trace\d/.exec(fix(`RewriteLog a\nRewriteLogLevel ${value}\n`, true))?.[0];
    assert.deepEqual(['1', '2', '8', '9', '10', '"4"', '5x', '+6'].map(level), [
      'trace1',
      'trace2',
      'trace8',
      'trace8',
      'trace8',
      'trace4',
      'trace5',
      'trace6',
    ]);
  });

  it('takes the last of several lines', () => {
    assert.equal(
      fix('RewriteLogLevel 1\nRewriteLog a\nRewriteLog b\nRewriteLogLevel 5\n', true),
      'LogLevel rewrite:trace5\n',
    );
  });

  it('fixes continued lines and CR LF', () => {
    assert.equal(
      fix('Listen 80\r\n  RewriteLog \\\r\n    "|/bin/log a"\r\n  RewriteLogLevel \\\r\n    2\r\nListen 81\r\n', true),
      'Listen 80\r\n  LogLevel rewrite:trace2\r\nListen 81\r\n',
    );
  });

  describe('where 2.2 logged nothing', () => {
    const off = [
      'RewriteLog logs/rw\nRewriteLogLevel 0\n',
      'RewriteLog logs/rw\n',
      'RewriteLogLevel 3\n',
      'RewriteLog ""\nRewriteLogLevel 3\n',
      'RewriteLog /dev/null\nRewriteLogLevel 3\n',
      'RewriteLog a\nRewriteLogLevel -1\n',
      'RewriteLog a\nRewriteLogLevel none\n',
    ];
    const host = (body: string) => `<VirtualHost *>\n${body}</VirtualHost>\n`;

    it('removes the lines from a virtual host', () => {
      for (const lines of off) assert.equal(fix(host(lines)), host(''), lines);
      assert.equal(fix(host(`LogLevel warn\n${off[0]}`)), host('LogLevel warn\n'));
      assert.equal(fix(`Include more.conf\n${host(off[0])}`), `Include more.conf\n${host('')}`);
    });

    it('removes them from a whole configuration', () => {
      for (const lines of off) assert.equal(fix(`ServerRoot /srv\n${lines}`), 'ServerRoot /srv\n', lines);
    });

    it('asks about a level 0 only where another file may turn the log on', () => {
      for (const before of ['KeepAlive On\n', 'Include a.conf\n']) {
        const text = `${before}RewriteLogLevel 0\n`;
        assert.equal(fix(text), text);
        assert.equal(fix(text, true), before);
        assert.equal(fixesOf(findingsIn(text, rule)[0])[0].fix.choice?.openQuestion.kind, 'rewrite-log');
      }
      assert.equal(fix('ServerRoot /srv\nRewriteLogLevel 0\n'), 'ServerRoot /srv\n');
      assert.equal(fix('RewriteLogLevel 3\n'), 'RewriteLogLevel 3\n');
    });

    it('leaves it to a person where other lines may have a say', () => {
      const unknown = [
        off[0],
        `ServerRoot /srv\nInclude a.conf\n${off[0]}`,
        host(`Include a.conf\n${off[1]}`),
        host(`RewriteOptions inherit\n${off[0]}`),
        host(`<IfDefine A>\nUse m\n</IfDefine>\n${off[0]}`),
      ];
      for (const text of unknown) {
        assert.equal(fix(text), text);
        assert.ok(!/RewriteLog/.test(fix(text, true)), text);
      }
    });
  });

  it('refuses what it cannot read, and where it does not belong', () => {
    const odd = [
      'RewriteLog a\nRewriteLogLevel ${LEVEL}\n',
      'RewriteLog a\n<IfDefine DEBUG>\nRewriteLogLevel 9\n</IfDefine>\n',
      'RewriteLog a b\nRewriteLogLevel 2\n',
      'RewriteLog\n',
      `<Directory />\n${LOG}</Directory>\n`,
      `<Macro m>\n${LOG}</Macro>\n`,
    ];
    for (const text of odd) {
      assert.equal(fix(text, true), text);
      assert.ok(findingsIn(text, rule).every(({ fixes }) => fixes!.length === 0));
    }
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = `<IfVersion < 2.4>\n${LOG}</IfVersion>\n`;
    assert.equal(marked(inactive), inactive);
    assert.equal(
      fix(`<IfVersion < 2.4>\n  LogLevel info\n</IfVersion>\n${LOG}`, true),
      '<IfVersion < 2.4>\n  LogLevel info\n</IfVersion>\nLogLevel rewrite:trace3\n',
    );
  });
});
