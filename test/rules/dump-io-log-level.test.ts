import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'dump-io-log-level' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('dump-io-log-level', () => {
  it('leaves other lines alone: comments, longer names, what 2.4 writes', () => {
    const clean = '# DumpIOLogLevel debug\nDumpIOInput On\nDumpIOLogLevels x\nLogLevel debug dumpio:trace7\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
  });

  it('marks each line, in odd case, in a virtual host', () => {
    assert.equal(
      marked('DumpIOLogLevel debug\n<VirtualHost *>\n  dUMPioLOGlEVEL notice\n</VirtualHost>\n'),
      `DumpIOLogLevel debug
#^^^^^^^^^^^^^^^^^^^ error dump-io-log-level/removed suggestion
<VirtualHost *>
  dUMPioLOGlEVEL notice
# ^^^^^^^^^^^^^^^^^^^^^ error dump-io-log-level/removed suggestion
</VirtualHost>
`,
    );
  });

  it('does nothing unless asked; then adds to the LogLevel of the scope', () => {
    const text = 'LogLevel warn\nDumpIOLogLevel debug\nDumpIOLogLevel info\n';
    assert.equal(fix(text), text);
    assert.equal(fix(text, true), 'LogLevel warn dumpio:trace7\n');
    assert.equal(fix('DumpIOLogLevel \\\r\n  debug\r\nListen 80\r\n', true), 'LogLevel dumpio:trace7\r\nListen 80\r\n');
  });

  it('only removes where a later LogLevel would undo it, or where it cannot tell', () => {
    assert.equal(
      fix('<IfModule mod_dumpio.c>\nDumpIOLogLevel debug\n</IfModule>\nLogLevel warn\n', true),
      '<IfModule mod_dumpio.c>\n</IfModule>\nLogLevel warn\n',
    );
    assert.equal(fix('LogLevel warn dumpio:trace7\nDumpIOLogLevel debug\n', true), 'LogLevel warn dumpio:trace7\n');
    assert.equal(
      fix('DumpIOLogLevel debug\n<IfDefine X>\nDumpIOLogLevel info\n</IfDefine>\n', true),
      '<IfDefine X>\n</IfDefine>\n',
    );
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nDumpIOLogLevel debug\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
