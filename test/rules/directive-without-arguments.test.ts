import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'directive-without-arguments' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('directive-without-arguments', () => {
  it('leaves lists alone, other directives, comments', () => {
    const clean = 'IndexIgnore .htaccess\nPassEnv ${LIST}\n# PassEnv\nPassEnvs\nOptions\nUnsetEnv A ""\n';
    assert.equal(marked(clean), clean);
  });

  it('removes the line: odd case, twice, in sections, continued, with CR LF, with an empty word', () => {
    assert.equal(marked('  pASSeNV \n'), '  pASSeNV \n# ^^^^^^^ error directive-without-arguments/no-argument safe\n');
    assert.equal(
      fix('PassEnv\r\nunsetenv \\\r\n\r\n<Files x>\r\n  RemoveType ""\r\n</Files>\r\n'),
      '<Files x>\r\n</Files>\r\n',
    );
  });

  it('only suggests to remove a line that keeps a section from inheriting a login or rules', () => {
    const section = (name: string) => `<Directory /srv>\n${name}\n</Directory>\n`;
    for (const name of [
      'Anonymous',
      'AuthBasicProvider',
      'AuthDigestDomain',
      'AuthDigestProvider',
      'AuthDigestQop',
      'AuthLDAPGroupAttribute',
      'RewriteOptions',
    ]) {
      assert.equal(fix(section(name)), section(name), name);
      assert.equal(fix(section(name), true), '<Directory /srv>\n</Directory>\n', name);
    }
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nPassEnv\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
