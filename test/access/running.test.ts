/** Runs the cases of running.ts. */
import assert from 'node:assert/strict';
import { accessModules } from './mutants';
import {
  IN_HTACCESS,
  isUnloaded,
  LINE,
  runningProblem,
  TOLD,
  toldIn,
  toldInHtaccess,
  UNLOADED,
  UNTOLD,
} from './running';

const load = accessModules(null);
const told = (text: string, more?: Readonly<Record<string, string>>) => toldIn(load, text, more);

describe('a line that 2.2 does not start with', () => {
  for (const [name, [text, more]] of Object.entries(TOLD))
    it(`is found: ${name}`, () => assert.notEqual(told(text, more), null));

  it('is the one that a person is shown', () => {
    assert.equal(told(`Listen 80\n${LINE}\n`), LINE);
    assert.equal(told(TOLD['a section']![0]), '<If "true">');
    assert.equal(told(TOLD['Require not']![0]), '<RequireAll>');
    assert.equal(told(TOLD['IfFile, whatever stands in it']![0]), '<IfFile /a>');
  });

  for (const [name, [text, more]] of Object.entries(UNTOLD))
    it(`is none: ${name}`, () => assert.equal(told(text, more), null));

  for (const [text, line] of IN_HTACCESS)
    it(`in a .htaccess: ${JSON.stringify(text)}`, () => assert.equal(toldInHtaccess(load, text), line));

  it('is one by what a person says', () => assert.equal(runningProblem(load), null));
});

describe('a .htaccess with old lines, and a server with', () => {
  for (const [name, [is, given]] of Object.entries(UNLOADED))
    it(`${name}: ${is ? 'their module may not be there' : 'nothing is in openQuestion'}`, () =>
      assert.equal(isUnloaded(load, given), is));
});
