/**
 * A generated file by itself, converted after the one answer that it needs ("nothing outside restricts what it governs"), under generated roots of which that is true: what 2.2 answered
 * before, 2.4 answers after. The generator's roots say no more than a server has to. HTTPD_UPGRADE_CONFIGURATIONS says how many.
 */
import assert from 'node:assert/strict';
import { LONE_QUESTION } from '../../server/src/analysis/answers';
import { Engine } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import { Random, seed } from '../support/random';
import { differenceOf } from './converted';
import { MAIN, randomConfiguration, ROOT, textsOf } from './generate';

const COUNT = Number(process.env.HTTPD_UPGRADE_CONFIGURATIONS ?? 1000);
const QUESTIONS = 12;
const engine = new Engine({ rules: ALL_RULES, answered: { answers: new Map([[LONE_QUESTION, 'none']]), folder: '/' } });
const PART = `${ROOT}/conf/part.conf`;

/** What does not restrict anything: how a server comes to the file. */
const ROOTS = [
  '', `DocumentRoot ${ROOT}\n`, `Alias /other ${ROOT}/o\n`, '<Directory />\nOptions None\nAllowOverride None\n</Directory>\n', `<Location />\nOptions None\n</Location>\n`,
  `<VirtualHost *>\nServerName a.example\nDocumentRoot ${ROOT}/a\n</VirtualHost>\n`,
];

describe('generated files by themselves', function () {
  this.timeout(COUNT * 300 + 100_000);

  it(`${COUNT} answer as before under any root that restricts nothing, once a person has said so`, () => {
    const start = seed();
    let converted = 0;
    for (let i = 0; i < COUNT; i++) {
      const random = new Random(start + i);
      const generated = randomConfiguration(random);
      const part = textsOf(generated)[MAIN];
      const { text } = fixText(engine, part, { isHtaccess: false }, { rules: ['order-allow-deny'] });
      if (text === part) continue;
      converted++;
      const before = random.pick(ROOTS);
      const after = random.pick(ROOTS);
      const root = `${before}Include ${PART}\n${after}`;
      const problem = differenceOf(generated, { [MAIN]: root, [PART]: part }, { [MAIN]: root, [PART]: text }, start + i, QUESTIONS);
      assert.equal(problem, null, `HTTPD_UPGRADE_SEED=${start + i}: ${problem}`);
    }
    assert.ok(converted * 20 > COUNT, `only ${converted}`);
  });
});
