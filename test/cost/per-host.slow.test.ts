/**
 * The cost of a virtual host with one old section: calls of our functions, as V8 counts them. Files
 * of 2.2 have thousands of such hosts, so each additional call is made thousands of times. The
 * limits are the current counts with a little room; a failure shows where calls were added.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { Counted } from './host-calls';

/** The calls that one more virtual host may take, by the job. */
const MOST: Readonly<Record<string, number>> = {
  'to read it': 135,
  'to run the rules': 755,
  'to check it': 1535,
  'to check it and to report what was found': 1550,
  // Planned twice, for both versions, because LoadModule access_compat_module is a line of 2.4. No
  // edits are made to compare the plans, because both convert the sections to the same lines.
  'to check one with a login and rewriting': 5930,
  // One of these plans is also that of the answer to the question about the version.
  'to check one with a login, below a section of 2.4': 6200,
};

describe('what a virtual host of 2.2 costs', () => {
  for (const [job, most] of Object.entries(MOST)) {
    it(`${job}: no more than ${most} calls`, () => {
      const [few, many] = counted(job, 300, 600);
      const perHost = (many.total - few.total) / 300;
      assert.ok(few.total > 300, 'calls are counted');
      assert.ok(
        perHost <= most,
        `${perHost.toFixed(1)} calls; of ${many.total}:\n${many.busiest.map(([name, count]) => `${count} ${name}`).join('\n')}`,
      );
    });
  }

  it('to choose the fixes of configurations: in proportion to the findings', () => {
    const [few, many] = counted('to choose the fixes of configurations', 500, 1000);
    assert.ok(many.total < few.total * 2.5, `${few.total} calls for 500 findings, ${many.total} for 1000`);
  });
});

function counted(job: string, ...sizes: readonly number[]): Counted[] {
  // What is optimized is put into its callers, and counts nothing.
  const args = ['--no-opt', path.join(__dirname, 'host-calls.js'), job, ...sizes.map(String)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Counted[];
}
