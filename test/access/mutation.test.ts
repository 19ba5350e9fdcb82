/** Whether the tests of access control notice what is wrong: every mutant of mutants.ts fails one of these, and the real modules fail none. */
import assert from 'node:assert/strict';
import { readConfiguration } from '../../server/src/config/configuration';
import { CONVERSIONS, convertCase, FROM_COMPAT, ON_WINDOWS } from './conversions';
import { accessModules, MUTANTS } from './mutants';
import { DECISIONS, type Load } from './decisions';
import { recordedAnswers } from './model22';

describe('mutants of access control', function () {
  this.timeout(60_000);

  it('the real modules have no problem', () => assert.equal(problemOf(accessModules(null)), null));

  for (const mutant of MUTANTS) {
    it(`${mutant.file}: ${mutant.name}`, () => {
      const broken = accessModules(mutant);
      assert.notEqual(problemOf(broken), null, 'no test notices');
    });
  }
});

/** The first test that fails with these modules. */
function problemOf(load: Load): string | null {
  try {
    return conversionProblem(load) ?? decisionProblem(load) ?? answerProblem(load);
  } catch (error) {
    return String(error);
  }
}

function conversionProblem(load: Load): string | null {
  const modules = { readConfiguration, discoverHtaccess: load('discover').discoverHtaccess, planAccess: load('plan').planAccess, names: load('whole').ACCESS_NAMES };
  for (const { name, before, after, reason, doubt, links, source, mayAdmit } of [...CONVERSIONS, ...FROM_COMPAT, ...ON_WINDOWS]) {
    const converted = convertCase({ before, links, source, mayAdmit }, modules);
    if (doubt ? !doubt.test(converted.doubts.join('\n')) : converted.doubts.length > 0) return name;
    if (JSON.stringify(converted.after) !== JSON.stringify(after) || (reason ? !reason.test(converted.reasons.join('\n')) : converted.reasons.length > 0)) return name;
  }
  return null;
}

function decisionProblem(load: Load): string | null {
  for (const { name, decide, expected } of DECISIONS) if (decide(load) !== expected) return name;
  return null;
}

/** Every eleventh of the recorded questions: 12,300 answers of a real 2.2, and as many of a 2.4 with mod_access_compat. */
function answerProblem(load: Load): string | null {
  for (const source of ['2.2', '2.4'] as const) {
    const answers = recordedAnswers(load, 11, source);
    if (typeof answers === 'string') return answers;
  }
  return null;
}
