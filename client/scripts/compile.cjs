// Compiles the command line in advance: runs it once over a sample, and writes V8's compiled code
// beside the bundle. Each start reads all of this code, so it is only what usual files need: the
// code for all samples would take a tenth longer for a small file.
//
//   node client/scripts/compile.cjs STAMP
const { writeFileSync } = require('node:fs');
const path = require('node:path');

const [stamp] = process.argv.slice(2);
const root = path.resolve(__dirname, '..', '..');
const dist = path.join(root, 'dist');
const start = require(path.join(dist, 'cli.js'));
const script = start.compiledProgram();

process.argv.splice(
  1,
  Infinity,
  path.join(dist, 'cli.js'),
  'check',
  '--fail-on',
  'never',
  path.join(root, 'test', 'samples', 'etc', 'httpd', 'conf.d', 'intranet.conf'),
);
process.stdout.write = (_text, ...rest) => {
  rest.at(-1)?.();
  return true;
};
process.on('exit', () => writeFileSync(path.join(dist, `commands-${stamp}.cache`), script.createCachedData()));
start.runProgram(script, require('node:module').createRequire(path.join(dist, 'cli.js')));
