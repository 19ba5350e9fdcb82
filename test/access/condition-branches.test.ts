/** Access lines in `<IfModule>` sections of unknown result: each branch under its condition. */
import assert from 'node:assert/strict';
import { STANDALONE_QUESTION_ID } from '../../server/src/analysis/answers';
import { Engine } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import { BRANCHES, convertBranches } from './branches';
import { accessModules } from './mutants';

const load = accessModules(null);

describe('access lines in <IfModule> with an unknown module', function () {
  this.timeout(20_000);

  for (const each of BRANCHES)
    it(`${each.after === undefined ? 'stay' : 'are converted'}: ${each.name}`, () =>
      assert.equal(convertBranches(load, each), each.after ?? each.before));

  it('are converted in a file by itself', () => {
    const answerSet = { answers: new Map([[STANDALONE_QUESTION_ID, 'none']]), folder: '/' };
    const engine = new Engine({ rules: ALL_RULES, answerSet });
    const fixed = (text: string, isHtaccess: boolean) =>
      fixText(engine, text, { isHtaccess }, { rules: ['order-allow-deny'] }).text;
    const lines = '<IfModule mod_dav.c>\nOrder deny,allow\nDeny from all\n</IfModule>\n';
    const converted = '<IfModule mod_dav.c>\nRequire all denied\n</IfModule>\n';
    assert.equal(fixed(lines, true), converted);
    assert.equal(fixed(`<Directory /a>\n${lines}</Directory>\n`, false), `<Directory /a>\n${converted}</Directory>\n`);
  });
});
