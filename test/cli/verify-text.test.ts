/** The text of `verify`: which errors come first, and what is written about open steps. */
import assert from 'node:assert/strict';
import type { Terminal } from '../../server/src/cli/terminal';
import { verdictText, type Verdict } from '../../server/src/cli/verify';

const STEP = { id: 'debian-modules', title: 'Enable modules', commands: ['a2enmod mpm_prefork alias'] };

describe('the text of verify', () => {
  it('shows errors without an open step first, and each step once', () => {
    const problem = (line: number, message: string, step?: typeof STEP) => ({
      file: 'apache2.conf',
      line,
      code: null,
      message,
      ...(step && { step }),
    });
    const verdict: Verdict = {
      version: 1,
      httpd: { program: 'httpd', version: '2.4.62' },
      root: 'apache2.conf',
      files: 1,
      way: 'copy',
      claimsPlace: false,
      ok: false,
      accepted: false,
      problems: [problem(0, 'Alias', STEP), problem(1, 'MonoApplications'), problem(2, 'ScriptAlias', STEP)],
      warnings: [],
      unchecked: [],
    };
    const text = verdictText(verdict, () => null, {
      terminal: { style: (_: string, each: string) => each } as unknown as Terminal,
      again: 'apache2.conf',
    });
    assert.deepEqual(text.split('\n').slice(0, 4), [
      'apache2.conf:2: error: MonoApplications',
      'open step on the server: a2enmod mpm_prefork alias',
      'apache2.conf:1: error: Alias',
      'apache2.conf:3: error: ScriptAlias',
    ]);
  });
});
