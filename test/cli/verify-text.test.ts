/** The text of `verify`: which errors come first, and what is written about open steps. */
import assert from 'node:assert/strict';
import type { Terminal } from '../../server/src/cli/terminal';
import { verdictText, type Verdict } from '../../server/src/cli/verify';

const STEP = { id: 'debian-modules', title: 'Enable modules', commands: ['a2enmod mpm_prefork alias'] };

describe('the text of verify', () => {
  it('shows errors without an open step first, each step once, and the module of a directive', () => {
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
      problems: [
        problem(0, 'Alias', STEP),
        problem(1, "Invalid command 'MonoApplications', perhaps misspelled"),
        problem(2, 'ScriptAlias', STEP),
      ],
      warnings: [],
      unchecked: [],
    };
    const text = verdictText(verdict, () => null, {
      terminal: { style: (_: string, each: string) => each } as unknown as Terminal,
      again: 'apache2.conf',
    });
    assert.deepEqual(text.split('\n').slice(0, 6), [
      "apache2.conf:2: error: Invalid command 'MonoApplications', perhaps misspelled",
      '    It belongs to mod_mono, which is not loaded. Install mod_mono in a version',
      '    for 2.4 and load it with LoadModule, or remove the line.',
      'open step on the server: a2enmod mpm_prefork alias',
      'apache2.conf:1: error: Alias',
      'apache2.conf:3: error: ScriptAlias',
    ]);
  });
});
