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

  it(`${COUNT} beside a part of the configuration answer as before, in a copy with other paths`, () => {
    const start = seed() + 1_000_000;
    let changedCount = 0;
    for (let i = 0; i < COUNT; i++) {
      const random = new Random(start + i);
      const generated = withPart(randomSite(random), random);
      // Half of the copies say which directory of the server the .htaccess files are from.
      const { texts, fixed } = convert(generated, { repository: '/repository/site', isMapped: i % 2 === 0 });
      if (Object.keys(texts).some((path) => path.endsWith('.htaccess') && texts[path] !== fixed[path])) changedCount++;
      const problem = differenceOf(generated, texts, fixed, start + i, QUESTIONS);
      assert.equal(problem, null, `HTTPD_UPGRADE_SEED=${start + i - 1_000_000}: ${problem}`);
    }
    assert.ok(changedCount * 20 > COUNT, `only ${changedCount}`);
  });
});

const PART = `${ROOT}/conf/part.conf`;

/** The same with sections of a generated configuration in a file that the main file includes. */
function withPart(site: Generated, random: Random): Generated {
  const { files, defines } = randomConfiguration(random);
  const sections = withoutOverride(files[MAIN]!).filter(
    (piece) => typeof piece !== 'string' && /^<(?:directory|files|location)/i.test(piece.open),
  );
  return {
    files: { ...site.files, [MAIN]: [...site.files[MAIN]!, `Include ${PART}`], [PART]: sections },
    defines: [...site.defines, ...defines],
  };
}

function withoutOverride(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.flatMap((piece): Piece[] =>
    typeof piece === 'string'
      ? /^(?:allowoverride|include)/i.test(piece)
        ? []
        : [piece]
      : [{ ...piece, body: withoutOverride(piece.body) }],
  );
}

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

/**
 * Converts all files but the main file. `repository`: the directory of the copy in place of the
 * DocumentRoot. `isMapped`: whether a setting says so.
 */
function convert(generated: Generated, { repository = `${ROOT}/htdocs`, isMapped = false } = {}) {
  const texts = textsOf(generated);
  const pathInCopy = (path: string) => path.replace(`${ROOT}/htdocs`, repository);
  const paths = Object.keys(texts).filter((path) => path !== MAIN);
  const pathMap = { entries: [{ from: `${ROOT}/htdocs`, to: repository }] };
  const access = accessConversion({
    roots: [],
    standaloneFiles: paths.map((path) => ({
      mainFile: pathInCopy(path),
      engine,
      server: isMapped ? { pathMap } : {},
    })),
    view: memoryFiles(Object.fromEntries(paths.map((path) => [pathInCopy(path), texts[path]!]))),
  });
  return {
    texts,
    fixed: Object.fromEntries(
      Object.entries(texts).map(([path, text]) => [
        path,
        applyEdits(text, access.editsOfFile(pathInCopy(path), false)),
      ]),
    ),
    isTogether: access.changes.some(({ paths }) => paths.size > 1),
  };
}
