/**
 * The examples of all rules on a real httpd 2.4 without mod_access_compat: the server refuses
 * exactly the errors of the rules, line by line, as written and fixed; and it accepts a fully fixed
 * file.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Engine, type PlacedFinding } from '../../server/src/analysis/engine';
import { applyEdits, fixesOf, fixText } from '../../server/src/analysis/fixes';
import { DEFAULT_TARGET } from '../../server/src/config/target';
import { ALL_RULES } from '../../server/src/rules/all';
import { versionOfExample } from '../../server/src/rules/support/page';
import type { Example, Severity } from '../../server/src/rules/rule';
import { Tree } from '../../server/src/syntax/document';
import {
  configTestAll,
  findHttpd,
  loadModuleLines,
  releaseOf,
  requireHttpd,
  serve,
  type Mpm,
  type SandboxOptions,
  type Server,
  type ServerMessage,
} from './harness';

/** The server that is asked is the one that is aimed at. */
const here = findHttpd();
const engine = new Engine({
  rules: ALL_RULES,
  target: here ? { major: 2, minor: 4, patch: releaseOf(here) } : DEFAULT_TARGET,
});

/**
 * Examples where the two differ, and why: `rule: title of the example`. An entry fails the test
 * when its example agrees.
 */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'require-not-alone: A RequireAll with only lines that deny': 'AH01624 names no line',
  'section-unpaired: A misspelled closing tag':
    'one mistake: without the closing tag the server misses it, and says so of the opening one',
  'section-unpaired: A section that is not closed': 'the server notices at the closing tag of the section around',
  'satisfy-any-inherited: A private file inside an open directory':
    'requests are answered 200, which the check does not see',
  'ifmodule-version-test: Lines for 2.2 and 2.4 in one file':
    'the lines by themselves do not tell that mod_authz_host is loaded',
  'suexec-user-group: CGI scripts of a user': 'a note, because the program may be there',
  'client-address-alone: mod_rpaf in conf.d/rpaf.conf': 'mod_rpaf is not on this machine',
  'access-in-perl: Perl code that writes Order and Allow': 'mod_perl is not on this machine',
  'access-in-perl: Not reported: Perl code without access control': 'mod_perl is not on this machine',
  'ifmodule-renamed: A name that no module has':
    'what is read now belongs into a section, which the lines by themselves do not tell',
  'load-module-file: The file of mod_alias for mod_rewrite':
    'the module is loaded before the lines, so the server skips the line (claims-modules.test.ts has the error)',
  'third-party-module: The PHP module': 'PHP is not on this machine',
  'php-directive: Settings in a directory': 'PHP is not on this machine',
  'text-is-expression: A realm with a backslash': 'requests are answered 500, which the check does not see',
  'pattern-difference: Two slashes': 'requests are allowed, which the check does not see',
  'rewrite-target: A file path from a map': 'the file of the map is not on this machine',
  'require-group-module: Groups of an external program': 'mod_authnz_external is not on this machine',
  'require-group-module: An attribute of Shibboleth': 'mod_shib is not on this machine',
  'module-directive-removed: mod_authz_unixgroup': 'mod_authz_unixgroup is not on this machine',
  'third-party-module: Not reported: a file that was written for 2.4': 'mod_wsgi is not on this machine',
  'authtype-without-require: AuthType without Require': 'the check passes, requests are answered 500',
};

/** What httpd refuses because of this machine and not because of the example. */
const ENVIRONMENT =
  /does not exist or is empty|built-in and can't be loaded|bad user name|is not a directory|Could not open (configuration file|directory)/;

describe('examples of the rules on a real httpd', function () {
  this.timeout(300_000);
  let server: Server;

  before(async function () {
    requireHttpd(this);
    server = await serve('<Directory "@ROOT@/htdocs">\nAllowOverride All\nOptions All\n</Directory>\n', {
      modules: 'all-but-access_compat',
    });
  });

  after(() => server?.stop());

  // What is about whole configurations is in configuration-rules.test.ts.
  for (const rule of ALL_RULES.filter(({ checks }) => checks !== 'configuration')) {
    for (const example of rule.examples) {
      const name = `${rule.id}: ${example.title}`;
      it(EXCEPTIONS[name] ? `${name} (differs: ${EXCEPTIONS[name]})` : name, async () => {
        const check = example.file === '.htaccess' ? compareHtaccess(server, example) : compareConfiguration(example);
        if (EXCEPTIONS[name]) await assert.rejects(check, assert.AssertionError, 'this exception is none any more');
        else await check;
      });
    }
  }
});

describe('examples that a page calls "httpd 2.2 or 2.4"', function () {
  this.timeout(300_000);

  before(function () {
    requireHttpd(this);
  });

  it('are accepted by a real httpd 2.4', async () => {
    for (const rule of ALL_RULES.filter(({ checks }) => checks !== 'configuration')) {
      for (const example of rule.examples) {
        if (example.file === '.htaccess' || versionOfExample(rule, example) !== 'either') continue;
        if (EXCEPTIONS[`${rule.id}: ${example.title}`]?.includes('not on this machine')) continue;
        const text = (example.prelude ?? '') + example.before;
        assert.deepEqual(await complaints(text, '', mpmOf(text)), [], `${rule.id}: ${example.title}`);
      }
    }
  });
});

/**
 * The example as a fragment of some configuration, and, where it loads no modules itself, as part
 * of a whole one that does.
 */
async function compareConfiguration(example: Example): Promise<void> {
  const fragment = (example.prelude ?? '') + example.before;
  const mpm = mpmOf(fragment);
  await compare(fragment, '', mpm, (errors, warnings, refused, context) => {
    // Which modules are loaded is not in it, so an error may be called a warning.
    assert.deepEqual(
      refused.filter((line) => !errors.includes(line) && !warnings.includes(line)),
      [],
      `refused, and not found, ${context}`,
    );
    assert.deepEqual(
      errors.filter((line) => !refused.includes(line)),
      [],
      `found, and not refused, ${context}`,
    );
  });
  if (/^\s*(LoadModule|ServerRoot|PidFile|Listen)\b/im.test(fragment)) return;
  const header = [
    ...loadModuleLines(findHttpd()!, 'all-but-access_compat', mpm),
    'PidFile run.pid',
    'Listen 127.0.0.1:81',
    '',
  ].join('\n');
  await compare(fragment, header, mpm, (errors, _warnings, refused, context) =>
    assert.deepEqual(errors, refused, context),
  );
}

type Comparison = (
  errors: readonly number[],
  warnings: readonly number[],
  refused: readonly number[],
  context: string,
) => void;

/**
 * Compares the lines with findings and those that the server refuses, for a text as written, with
 * all fixes, and with each fix alone.
 */
async function compare(before: string, header: string, mpm: Mpm, test: Comparison): Promise<void> {
  const all = fixText(engine, header + before, { isHtaccess: false }, { unsafe: true });
  const states = new Map([
    [header + before, 'as written'],
    [all.text, 'fixed'],
  ]);
  for (const finding of engine.analyze(Tree.parse(header + before), { isHtaccess: false }).findings()) {
    for (const { fix, edits } of fixesOf(finding))
      states.set(applyEdits(header + before, edits), `with "${fix.title}"`);
  }
  for (const [text, state] of states) {
    const findings = engine.analyze(Tree.parse(text), { isHtaccess: false }).findings();
    const errors = await complaints(text, header, mpm);
    const refused = errors.map(({ line }) => line ?? 0).sort((a, b) => a - b);
    const words = errors.map(({ line, message }) => `${line ?? ''}: ${message}`).join('\n');
    const context = `${state}:\n${text.replace(header, '')}\nthe server says:\n${words}`;
    test(linesOf(text, findings, 'error'), linesOf(text, findings, 'warning'), refused, context);
  }
}

const known = new Map<string, Promise<ServerMessage[]>>();

/**
 * What the server refuses in a text. It loads the header's modules in any case, so the header is
 * only read where a fix has changed it.
 */
async function complaints(text: string, header: string, mpm: Mpm): Promise<ServerMessage[]> {
  if (header !== '' && text.startsWith(header)) {
    const offset = header.split('\n').length - 1;
    const errors = await complaints(text.slice(header.length), '', mpm);
    return errors.map((error) => ({ ...error, line: error.line === undefined ? undefined : error.line + offset }));
  }
  const modules =
    header === '' ? ({ modules: 'all-but-access_compat', mpm } as const) : ({ modules: [], mpm: 'none' } as const);
  const key = JSON.stringify([text, modules]);
  const answer = known.get(key) ?? configTestAll(text, { ...fileContext(text), ...modules });
  known.set(key, answer);
  return (await answer).filter(({ message }) => !ENVIRONMENT.test(message));
}

/** A `.htaccess` is read with the request, and one that is refused answers 500. */
async function compareHtaccess(server: Server, example: Example): Promise<void> {
  const fixed = fixText(engine, example.before, { isHtaccess: true }, { unsafe: true });
  for (const [state, text] of [
    ['as written', example.before],
    ['fixed', fixed.text],
  ]) {
    const findings = engine.analyze(Tree.parse(text), { isHtaccess: true }).findings();
    writeFileSync(path.join(server.root, 'htdocs/.htaccess'), text);
    const { status } = await server.request({ path: '/' });
    const context = `${state}: ${status}\n${text}\n${server.errorLog().split('\n').at(-2)}`;
    if (status === 500)
      assert.ok(
        findings.some(({ severity }) => severity === 'error' || severity === 'warning'),
        `refused, and not found, ${context}`,
      );
    else
      assert.ok(
        findings.every(({ severity }) => severity !== 'error'),
        `found, and not refused, ${context}`,
      );
  }
}

/**
 * The last physical line of each line that a finding of this severity is about, as httpd counts.
 */
function linesOf(text: string, findings: readonly PlacedFinding[], severity: Severity): number[] {
  const lines = findings
    .filter((finding) => finding.severity === severity)
    .flatMap((finding) => [finding, ...finding.places].map(({ start }) => logicalLineEnd(text, start)));
  return [...new Set(lines)].sort((a, b) => a - b);
}

/** The MPM that the text is for. */
function mpmOf(text: string): Mpm {
  if (/worker\.c|mpm_worker/.test(text)) return 'worker';
  return /event\.c|mpm_event/.test(text) ? 'event' : 'prefork';
}

/** The folders that a text takes for granted. */
function fileContext(text: string): SandboxOptions {
  const folders = [...text.matchAll(/\b(?:default|file|flock|fcntl):"?([^\s"]+)/gi)].map((match) => match[1]);
  const absolute = folders.filter((folder) => folder.startsWith('/'));
  // Debian has some modules built in, for which a LoadModule line is an error.
  const builtin = [...findHttpd()!.builtin].map(
    (name) => [`LoadModule ${name}_module`, `#LoadModule ${name}_module`] as const,
  );
  return {
    files: Object.fromEntries(folders.map((folder) => [`${folder.replace(/^\//, '')}/`, ''])),
    replace: [...absolute.map((folder) => [`:${folder}`, `:@ROOT@${folder}`] as const), ...builtin],
  };
}

function logicalLineEnd(text: string, offset: number): number {
  const lines = text.split('\n');
  let line = text.slice(0, offset).split('\n').length;
  while (line < lines.length && /\\\r?$/.test(lines[line - 1])) line++;
  return line;
}
