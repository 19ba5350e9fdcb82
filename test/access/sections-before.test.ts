/** Kept lists of sections change no plan. */
import assert from 'node:assert/strict';
import { SectionsBefore } from '../../server/src/access/sections-before';
import { loginText } from '../bench/old-files';
import { Random } from '../support/random';
import { MAIN, randomConfiguration, textsOf } from './generate';
import { planOfFiles } from './plan-of-files';

/** Methods that the class keeps to itself. */
interface Parts {
  possibleSequencesOf(this: Parts, ...given: readonly unknown[]): unknown;
  possibleSequencesBefore(this: Parts, ...given: readonly unknown[]): unknown;
}

/** What a job returns if each list of sections is made anew. */
function withoutKeptLists<Result>(job: () => Result): Result {
  const parts = SectionsBefore.prototype as unknown as Parts;
  const { possibleSequencesOf } = parts;
  parts.possibleSequencesOf = function (...given) {
    return this.possibleSequencesBefore(...given);
  };
  try {
    return job();
  } finally {
    parts.possibleSequencesOf = possibleSequencesOf;
  }
}

describe('the sections before a section', () => {
  const planned = (files: Readonly<Record<string, string>>, source: '2.2' | '2.4') => {
    const { edits, refusals, openQuestions } = planOfFiles(files, { source }).plan;
    return JSON.stringify([[...edits], refusals, openQuestions]);
  };

  it('give the same plan whether they are kept or made anew', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { [MAIN]: main, ...others } = textsOf(randomConfiguration(new Random(seed)));
      const files = { [MAIN]: main!, ...others };
      for (const source of ['2.2', '2.4'] as const)
        assert.equal(
          planned(files, source),
          withoutKeptLists(() => planned(files, source)),
          `seed ${seed}`,
        );
    }
  });

  it('are made once for each section of a virtual host', () => {
    const parts = SectionsBefore.prototype as unknown as Parts;
    const { possibleSequencesBefore } = parts;
    let callCount = 0;
    parts.possibleSequencesBefore = function (...given) {
      callCount++;
      return possibleSequencesBefore.apply(this, [...given]);
    };
    try {
      const root = '<Directory />\nAllowOverride None\nRequire all denied\n</Directory>\n';
      planOfFiles({ [MAIN]: root + loginText(24 * 20, 'old') });
    } finally {
      parts.possibleSequencesBefore = possibleSequencesBefore;
    }
    // One call for each section of 20 hosts, and some for the main server.
    assert.ok(callCount >= 40 && callCount < 70, `${callCount} calls`);
  });
});
