import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'ssl-session-cache-type' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('ssl-session-cache-type', () => {
  it('leaves the types of today alone, comments, variables, and what 2.2 refused', () => {
    const clean =
      'SSLSessionCache shmcb:/x(512000)\nSSLSessionCache none\nSSLSessionCache NoneNotNull\nSSLSessionCache dbm:/x\n# SSLSessionCache shm:/x\nSSLSessionCache ${CACHE}\nSSLSessionCache ${T}:/x\nSSLSessionCache bogus:/x\nSSLSessionCache shm\nSSLSessionCache shm:/x y\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
  });

  it('marks the type, in odd case', () => {
    assert.equal(
      marked('sslsESSIONcACHE "shmht:/x y(512000)"\n'),
      'sslsESSIONcACHE "shmht:/x y(512000)"\n#                ^^^^^ error ssl-session-cache-type/hash-table suggestion\n',
    );
  });

  it('writes capitals small, and shmcb when asked', () => {
    assert.equal(
      fix('SSLSessionCache \\\r\n  SHMCB:/x(512000)\r\nSSLSessionCache Dbm:/x\r\n'),
      'SSLSessionCache \\\r\n  shmcb:/x(512000)\r\nSSLSessionCache dbm:/x\r\n',
    );
    for (const type of ['shm', 'SHMHT', 'Shm']) {
      assert.equal(fix(`SSLSessionCache ${type}:/x(512000)\n`), `SSLSessionCache ${type}:/x(512000)\n`);
      assert.equal(
        fix(`SSLSessionCache ${type}:\${RUN}/x(512000)\n`, true),
        'SSLSessionCache shmcb:${RUN}/x(512000)\n',
      );
    }
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nSSLSessionCache shm:/x\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
