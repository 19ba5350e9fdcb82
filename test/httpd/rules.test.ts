/**
 * The examples of all rules on a real httpd 2.4 without mod_access_compat: what the rules call an error is what the server refuses, line by
 * line, as written and fixed; and what is fixed as far as it can be, the server accepts.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Engine, type PlacedFinding } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import type { Example, Rule } from '../../server/src/rules/rule';
import { Tree } from '../../server/src/syntax/document';
import { configTestAll, findHttpd, requireHttpd, serve, type SandboxOptions, type Server } from './harness';

const engine = new Engine({ rules: ALL_RULES });

/**
 * Where the two do not agree, and why: `rule: title of the example`. An entry whose example has come to agree fails the test.
 */
const EXCEPTIONS: Readonly<Record<string, string>> = {};

/** What httpd refuses because of this machine and not because of the example. */
const ENVIRONMENT = /does not exist or is empty|built-in and can't be loaded|bad user name|is not a directory|Could not open (configuration file|directory)/;

describe('examples of the rules on a real httpd', function () {
  this.timeout(60_000);
  let server: Server;

  before(async function () {
    requireHttpd(this);
    server = await serve('<Directory "@ROOT@/htdocs">\nAllowOverride All\nOptions All\n</Directory>\n', { modules: 'all-but-access_compat' });
  });

  after(() => server?.stop());

  for (const rule of ALL_RULES) {
    for (const example of rule.examples) {
      const name = `${rule.id}: ${example.title}`;
      it(EXCEPTIONS[name] ? `${name} (differs: ${EXCEPTIONS[name]})` : name, async () => {
        const check = example.file === '.htaccess' ? compareHtaccess(server, example) : compareConfiguration(rule, example);
        if (EXCEPTIONS[name]) await assert.rejects(check, assert.AssertionError, 'this exception is none any more');
        else await check;
      });
    }
  }
});

async function compareConfiguration(rule: Rule, example: Example): Promise<void> {
  const fixed = fixText(engine, example.before, { isHtaccess: false }, { unsafe: true });
  for (const [state, text] of [['as written', example.before], ['fixed', fixed.text]]) {
    const findings = engine.analyze(Tree.parse(text), { isHtaccess: false }).findings();
    const refused = await refusedLines(text, example);
    assert.deepEqual(errorLines(text, findings), refused.lines, `${rule.id}, ${state}:\n${text}\nthe server says:\n${refused.words}`);
  }
}

/** A `.htaccess` is read with the request, and one that is refused answers 500. */
async function compareHtaccess(server: Server, example: Example): Promise<void> {
  const fixed = fixText(engine, example.before, { isHtaccess: true }, { unsafe: true });
  for (const [state, text] of [['as written', example.before], ['fixed', fixed.text]]) {
    const findings = engine.analyze(Tree.parse(text), { isHtaccess: true }).findings();
    writeFileSync(path.join(server.root, 'htdocs/.htaccess'), text);
    const { status } = await server.request({ path: '/' });
    const isError = findings.some((finding) => finding.severity === 'error');
    assert.equal(status === 500, isError, `${state}: ${status}\n${text}\n${server.errorLog().split('\n').at(-2)}`);
  }
}

/** The last physical line of each line with an error, as httpd counts. */
function errorLines(text: string, findings: readonly PlacedFinding[]): number[] {
  const lines = findings.filter((finding) => finding.severity === 'error').map((finding) => logicalLineEnd(text, finding.start));
  return [...new Set(lines)].sort((a, b) => a - b);
}

async function refusedLines(text: string, example: Example): Promise<{ lines: number[]; words: string }> {
  const prelude = example.prelude ? `${example.prelude.trimEnd()}\n` : '';
  const offset = prelude.split('\n').length - 1;
  const errors = (await configTestAll(prelude + text, options(prelude + text))).filter(({ message }) => !ENVIRONMENT.test(message));
  const lines = errors.map(({ line }) => (line === undefined ? 0 : line - offset)).sort((a, b) => a - b);
  return { lines, words: errors.map(({ line, message }) => `${line === undefined ? '' : line - offset}: ${message}`).join('\n') };
}

/** The MPM that the text is for, and the folders that it takes for granted. */
function options(text: string): SandboxOptions {
  const mpm = /worker\.c|mpm_worker/.test(text) ? 'worker' : /event\.c|mpm_event/.test(text) ? 'event' : 'prefork';
  const folders = [...text.matchAll(/\b(?:file|flock|fcntl):"?([^\s"]+)/gi)].map((match) => match[1]);
  const relative = folders.filter((folder) => !folder.startsWith('/')).map((folder) => [`${folder}/`, '']);
  const absolute = folders.filter((folder) => folder.startsWith('/'));
  // Debian has some modules built in, for which a LoadModule line is an error.
  const builtin = [...(findHttpd()?.builtin ?? [])].map((name) => [`LoadModule ${name}_module`, `#LoadModule ${name}_module`] as const);
  return {
    modules: 'all-but-access_compat',
    mpm,
    files: Object.fromEntries([...relative, ...absolute.map((folder) => [`${folder.slice(1)}/`, ''])]),
    replace: [...absolute.map((folder) => [`:${folder}`, `:@ROOT@${folder}`] as const), ...builtin],
  };
}

function logicalLineEnd(text: string, offset: number): number {
  const lines = text.split('\n');
  let line = text.slice(0, offset).split('\n').length;
  while (line < lines.length && /\\\r?$/.test(lines[line - 1])) line++;
  return line;
}
