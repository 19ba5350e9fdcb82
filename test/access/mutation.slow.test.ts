/**
 * For each mutant of mutants.ts, a test of access control has to fail. For the real modules, none
 * may fail.
 */
import assert from 'node:assert/strict';
import { readConfiguration } from '../../server/src/config/configuration';
import { CONVERSIONS, convertCase, FROM_COMPAT, ON_WINDOWS, type ConversionCase } from './conversions';
import { branchesProblem } from './branches';
import { accessModules, MUTANTS } from './mutants';
import { DECISIONS, type Load } from './decisions';
import { recordedAnswers } from './model22';
import { runningProblem } from './running';

describe('mutants of access control', function () {
  this.timeout(900_000);

  it('the real modules have no problem', () => assert.equal(problemOf(accessModules(null)), null));

  for (const mutant of MUTANTS) {
    it(`${mutant.file}: ${mutant.name}`, () => {
      const broken = accessModules(mutant);
      assert.notEqual(problemOf(broken), null, 'no test notices');
    });
  }
});

type Test = (load: Load) => string | null;

/**
 * What noticed a mutant last is asked first about the next: mutants of one function fail the same
 * tests.
 */
const tests: Test[] = [
  ...[...CONVERSIONS, ...FROM_COMPAT, ...ON_WINDOWS].map(
    (each): Test =>
      (load) =>
        conversionProblem(each, load),
  ),
  ...DECISIONS.map(
    ({ name, decide, expected }): Test =>
      (load) =>
        decide(load) === expected ? null : name,
  ),
  runningProblem,
  branchesProblem,
  // Every eleventh of the recorded questions: 12,300 answers of a real 2.2, and as many of a 2.4
  // with mod_access_compat.
  ...(['2.2', '2.4'] as const).map(
    (source): Test =>
      (load) => {
        const answers = recordedAnswers(load, 11, source);
        return typeof answers === 'string' ? answers : null;
      },
  ),
];

/** What fails with these modules. */
function problemOf(load: Load): string | null {
  for (const [at, test] of tests.entries()) {
    const problem = attempt(() => test(load));
    if (problem === null) continue;
    tests.unshift(...tests.splice(at, 1));
    return problem;
  }
  return null;
}

function attempt(test: () => string | null): string | null {
  try {
    return test();
  } catch (error) {
    return String(error);
  }
}

function conversionProblem(
  { name, before, after, reason, openQuestion, links, source, mayAdmit }: ConversionCase,
  load: Load,
): string | null {
  const modules = {
    readConfiguration,
    discoverHtaccess: load('htaccess-files').discoverHtaccess,
    planAccessConversion: load('plan').planAccessConversion,
    names: load('conversion-input').ACCESS_NAMES,
  };
  const converted = convertCase({ before, links, source, mayAdmit }, modules);
  if (openQuestion ? !openQuestion.test(converted.openQuestions.join('\n')) : converted.openQuestions.length > 0)
    return name;
  return JSON.stringify(converted.after) !== JSON.stringify(after) ||
    (reason ? !reason.test(converted.reasons.join('\n')) : converted.reasons.length > 0)
    ? name
    : null;
}
