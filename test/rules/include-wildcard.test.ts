import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'include-wildcard' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('include-wildcard', () => {
  it('leaves files and folders alone, IncludeOptional, comments, and what 2.2 refused', () => {
    const clean =
      'Include a.conf\nInclude conf.d/\nIncludeOptional a/*.conf\n# Include *.conf\nInclude a/*/x.conf\nInclude a/*/*.conf\nInclude\nInclude *.a *.b\nInclude x[.conf\nInclude ${FILES}\nInclude a\\\\*b\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean), clean);
  });

  it('renames: odd case, twice, quoted, with variables, in sections, continued, with CR LF', () => {
    assert.equal(
      marked('  iNCLUDE conf.d/*.conf\n'),
      '  iNCLUDE conf.d/*.conf\n# ^^^^^^^ info include-wildcard/wildcard safe\n',
    );
    assert.equal(
      fix(
        'Include "${D}/*.conf"\r\n<VirtualHost *>\r\n  include \\\r\n  sites/site?\r\n</VirtualHost>\r\nInclude [ab].conf\r\n',
      ),
      'IncludeOptional "${D}/*.conf"\r\n<VirtualHost *>\r\n  IncludeOptional \\\r\n  sites/site?\r\n</VirtualHost>\r\nIncludeOptional [ab].conf\r\n',
    );
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nInclude *.conf\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
