/**
 * Skips a test if this machine lacks what it needs, and says what to install; in CI the test fails.
 * Tests are skipped in no other way: client/scripts/test.mjs counts skipped tests with their
 * reasons, and fails for those without one.
 */
import { appendFileSync, existsSync } from 'node:fs';
import {
  accessAnswers,
  behaviourAnswers,
  corpusFolder,
  hasCorpus,
  hasTemplates,
  templatesFolder,
  conditionTrees,
  virtualHostAnswers,
} from './paths';

export function lacks(test: Mocha.Context, what: string): never {
  if (process.env.CI) throw new Error(what);
  return skip(test, what);
}

/** What CI may do without, too. The list is short, and each has its reason. */
const ALLOWED = {
  /** They belong to others: a clone does not bring them. */
  corpus: `the corpus of configurations is not at ${corpusFolder}`,
  templates: `the corpus of templates is not at ${templatesFolder}`,
  'virtual hosts': `the recorded answers about virtual hosts are not at ${virtualHostAnswers}`,
  'access answers': `the recorded answers about access control are not at ${accessAnswers}`,
  conditions: `the recorded answers about conditions are not at ${conditionTrees}`,
  behaviours: `the recorded answers about behaviours are not at ${behaviourAnswers}`,
  /** The tables are of the newest httpd. What an older one does otherwise is no mistake of ours. */
  'new httpd': 'this httpd is older than the tables: what it lacks cannot be told from what they have too much',
} as const;

/** A test that cannot say anything here, and need not anywhere. */
export function mayLack(test: Mocha.Context, what: keyof typeof ALLOWED): never {
  return skip(test, ALLOWED[what]);
}

const IS_THERE = {
  corpus: hasCorpus,
  templates: hasTemplates,
  'virtual hosts': existsSync(virtualHostAnswers),
  'access answers': existsSync(accessAnswers),
  conditions: existsSync(conditionTrees),
  behaviours: existsSync(behaviourAnswers),
};

/** A suite over files that lie beside the checkout. Without them its body does not run. */
export function describeOver(files: keyof typeof IS_THERE, title: string, body: (this: Mocha.Suite) => void): void {
  if (IS_THERE[files]) describe(title, body);
  else describe(title, () => itOver(files, 'needs files', () => undefined));
}

/** A test over such files. */
export function itOver(files: keyof typeof IS_THERE, title: string, body: Mocha.Func | Mocha.AsyncFunc): void {
  it(
    title,
    IS_THERE[files]
      ? (body as Mocha.AsyncFunc)
      : function () {
          mayLack(this, files);
        },
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/** Reasons that were printed already: a suite prints each once. */
const told = new Set<string>();

function skip(test: Mocha.Context, what: string): never {
  const { HTTPD_UPGRADE_SKIPPED: list } = process.env;
  // A hook skips the suite that it stands in.
  const of = test.test as (Mocha.Runnable & { readonly type?: string }) | undefined;
  const title = (of?.type === 'hook' ? of.parent : of)?.fullTitle() ?? '';
  if (list) appendFileSync(list, `${JSON.stringify({ title, what })}\n`);
  else if (!told.has(what)) console.warn(what);
  told.add(what);
  return test.skip();
}
