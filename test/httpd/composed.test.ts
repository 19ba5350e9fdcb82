/**
 * Random combinations of the rules' examples on a real 2.4: the server accepts a fixed file without
 * errors; and no fix makes it refuse what it accepted before.
 */
import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import { ALIKE, examplesOfFiles, OTHERWISE, UNREAD } from '../support/composed';
import { Random, seed } from '../support/random';
import { configTest, requireHttpd } from './harness';

const COUNT = 60;
/** What is about this machine, or what examples that are put together do to each other. */
const ELSEWHERE =
  /does not exist|built-in and can't be loaded|bad user name|is not a directory|[Cc]ould not open|Cannot load|No such file|Invalid Mutex directory|must be a valid|SSLv3 not supported|suEXEC is disabled|Cannot define multiple Listeners/;

/**
 * Rules about modules that this machine does not have: the server refuses their lines, fixed or
 * not.
 */
const OF_OTHER_MODULES = ['client-address-alone', 'php-directive', 'require-group-module', 'module-directive-removed'];

describe('compositions of examples on a real httpd', function () {
  this.timeout(300_000);

  before(function () {
    requireHttpd(this);
  });

  it(`${COUNT} are taken when nothing is left to be fixed`, async () => {
    // The same ones each time; another seed makes others.
    const start = process.env.HTTPD_UPGRADE_SEED ? seed() : 1;
    const random = new Random(start);
    const engine = new Engine({ rules: ALL_RULES });
    const examples = examplesOfFiles().filter(
      ({ file, rule, title, before }) =>
        file !== '.htaccess' &&
        // The file of the map does not exist here.
        !/^RewriteMap \S+ txt:/m.test(before) &&
        !['section-unpaired', 'access-in-perl', ...OF_OTHER_MODULES].includes(rule) &&
        // A file alone does not show unknown words that a Use line inserts.
        rule !== 'require-unknown-provider' &&
        // The suggestion has a line read that belongs into a section (rules.test.ts).
        !(rule === 'ifmodule-renamed' && title === 'A name that no module has'),
    );
    const dresses = [...Object.values(ALIKE), ...Object.values(UNREAD), ...Object.values(OTHERWISE)].filter((dress) =>
      dress('\n').includes('\n'),
    );
    let taken = 0;
    const problems = await Promise.all(
      Array.from({ length: COUNT }, async (_, index) => {
        const before = Array.from({ length: 1 + random.below(3) }, () => {
          const { before: text } = random.pick(examples);
          return [...Array(random.below(3))].reduce<string>((dressed) => random.pick(dresses)(dressed), text);
        }).join('');
        const { text, remainingFindings } = fixText(engine, before, { isHtaccess: false }, { unsafe: index % 3 === 0 });
        const isClean = !remainingFindings.some(
          ({ severity, messageId, rule }) =>
            severity === 'error' ||
            ['unknown-directive', 'section-unpaired'].includes(rule.id) ||
            messageId === 'program',
        );
        const verdict = await configTest(text, { modules: 'all' });
        if (verdict.ok) taken++;
        if (verdict.ok || ELSEWHERE.test(verdict.stderr)) return [];
        if (!isClean && !(await configTest(before, { modules: 'all' })).ok) return [];
        return [`${before}--- fixed:\n${text}--- the server:\n${verdict.stderr}`];
      }),
    );
    assert.deepEqual(problems.flat(), [], `HTTPD_UPGRADE_SEED=${start}`);
    assert.ok(taken > COUNT / 5, `only ${taken} are taken`);
  });
});
