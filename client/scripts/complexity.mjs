// Checks that no file has a function with a higher cognitive complexity than .biome.json allows,
// and that .biome.json allows no file more than it needs. `npm run lint` runs it.
//
// Without UPDATE=1 it fails and lists the files. With UPDATE=1 it lowers the limits in .biome.json.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const MOST = 25;
const RULE = 'noExcessiveCognitiveComplexity';
const CONFIGURATION = '.biome.json';
/**
 * The configuration without the exceptions for single files. Biome resolves paths from the
 * directory of its configuration.
 */
const STRICT = '.biome.strict.json';

process.chdir(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..'));
const text = readFileSync(CONFIGURATION, 'utf8');
const configuration = JSON.parse(text);
const allowed = new Map(
  configuration.overrides.map(({ includes: [file], linter }) => [
    file,
    linter.rules.complexity[RULE].options.maxAllowedComplexity,
  ]),
);
const needed = complexities();
const over = [...needed].filter(([file, most]) => most > (allowed.get(file) ?? MOST));
const lower = [...allowed].filter(([file, most]) => (needed.get(file) ?? 0) < most);
for (const [file, most] of over)
  console.error(`${file}: a function has the complexity ${most}, allowed ${allowed.get(file) ?? MOST}`);
if (process.env.UPDATE === '1') write();
else if (lower.length > 0)
  console.error(
    `${lower.map(([file]) => file).join('\n')}\nneed less than .biome.json allows: UPDATE=1 npm run lint lowers it`,
  );
process.exitCode = over.length > 0 || (lower.length > 0 && process.env.UPDATE !== '1') ? 1 : 0;

/** The files with functions over the usual complexity, and the highest of each. */
function complexities() {
  writeFileSync(STRICT, JSON.stringify({ ...configuration, overrides: [] }));
  try {
    const [biome, ...args] = JSON.parse(readFileSync('package.json', 'utf8')).scripts.lint.split(' && ')[0].split(' ');
    const lint = args.slice(0, args.indexOf('ci'));
    const options = [
      'lint',
      `--config-path=${STRICT}`,
      `--only=complexity/${RULE}`,
      '--max-diagnostics=none',
      '--reporter=json',
    ];
    const { stdout } = spawnSync(biome, [...lint, ...options], { encoding: 'utf8', maxBuffer: 100e6 });
    const found = new Map();
    for (const { message, location } of JSON.parse(stdout).diagnostics) {
      const complexity = Number(/of (\d+) detected/.exec(message)[1]);
      found.set(location.path, Math.max(complexity, found.get(location.path) ?? 0));
    }
    return found;
  } finally {
    rmSync(STRICT);
  }
}

/**
 * Writes one line for each file, so that changes of two branches conflict only if they are about
 * the same file.
 */
function write() {
  const rows = [...allowed]
    .filter(([file]) => needed.has(file))
    .map(([file, most]) => [file, Math.min(most, needed.get(file))])
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, most]) => {
      const level = { level: 'error', options: { maxAllowedComplexity: most } };
      return `    ${JSON.stringify({ includes: [file], linter: { rules: { complexity: { [RULE]: level } } } })}`;
    });
  const begin = text.indexOf('  "overrides": [');
  const end = text.indexOf('\n  ]', begin);
  writeFileSync(CONFIGURATION, `${text.slice(0, begin)}  "overrides": [\n${rows.join(',\n')}${text.slice(end)}`);
}
