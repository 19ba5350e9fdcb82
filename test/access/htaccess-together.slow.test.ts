/**
 * Converts the .htaccess files of generated configurations without their main file, with the answer
 * that no other file affects access. 2.4 has to answer as 2.2 did before, under a main file for
 * which the answer is true. HTTPD_UPGRADE_CONFIGURATIONS is the number of configurations.
 */
import assert from 'node:assert/strict';
import { accessConversion } from '../../server/src/analysis/access-conversion';
import { STANDALONE_QUESTION_ID } from '../../server/src/analysis/answers';
import { Engine } from '../../server/src/analysis/engine';
import { applyEdits } from '../../server/src/analysis/fixes';
import { memoryFiles } from '../../server/src/config/memory-files';
import { ALL_RULES } from '../../server/src/rules/all';
import { Random, seed } from '../support/random';
import { differenceOf } from './converted';
import { FOLDERS, MAIN, randomConfiguration, ROOT, textsOf, type Generated, type Piece } from './generate';

const COUNT = Number(process.env.HTTPD_UPGRADE_CONFIGURATIONS ?? 600);
const QUESTIONS = 12;
const MAIN_TEXT = `DocumentRoot ${ROOT}/htdocs\nAlias /o ${ROOT}/other\n<Directory ${ROOT}>\nOptions FollowSymLinks\nAllowOverride All\n</Directory>\n`;

const engine = new Engine({
  rules: ALL_RULES,
  answerSet: { answers: new Map([[STANDALONE_QUESTION_ID, 'none']]), folder: '/' },
});

describe('.htaccess files of generated configurations without their main file', function () {
  this.timeout(COUNT * 300 + 600_000);

  it(`${COUNT} answer as before, once a person has said that nothing else restricts access`, () => {
    const start = seed();
    let convertedTogether = 0;
    for (let i = 0; i < COUNT; i++) {
      const generated = randomSite(new Random(start + i));
      const { texts, fixed, isTogether } = convert(generated);
      if (isTogether) convertedTogether++;
      const problem = differenceOf(generated, texts, fixed, start + i, QUESTIONS);
      assert.equal(problem, null, `HTTPD_UPGRADE_SEED=${start + i}: ${problem}`);
    }
    assert.ok(convertedTogether * 20 > COUNT, `only ${convertedTogether}`);
  });
});

/**
 * Up to four .htaccess files of generated configurations, in directories below each other, and a
 * main file without access lines that lets them use every directive.
 */
function randomSite(random: Random): Generated {
  const files: Record<string, readonly Piece[]> = { [MAIN]: MAIN_TEXT.trimEnd().split('\n') };
  let defines: readonly string[] = [];
  for (const folder of FOLDERS.filter((each) => each.startsWith(`${ROOT}/htdocs`))) {
    if (random.below(3) === 0) continue;
    const generated = randomConfiguration(random);
    const htaccess = Object.entries(generated.files).find(([path]) => path.endsWith('/.htaccess'));
    if (htaccess) files[`${folder}/.htaccess`] = htaccess[1];
    defines = generated.defines;
  }
  return { files, defines };
}

function convert(generated: Generated) {
  const texts = textsOf(generated);
  const paths = Object.keys(texts).filter((path) => path !== MAIN);
  const access = accessConversion({
    roots: [],
    standaloneFiles: paths.map((mainFile) => ({ mainFile, engine, server: {} })),
    view: memoryFiles(Object.fromEntries(paths.map((path) => [path, texts[path]!]))),
  });
  return {
    texts,
    fixed: Object.fromEntries(
      Object.entries(texts).map(([path, text]) => [path, applyEdits(text, access.editsOfFile(path, false))]),
    ),
    isTogether: access.changes.some(({ paths }) => paths.size > 1),
  };
}
