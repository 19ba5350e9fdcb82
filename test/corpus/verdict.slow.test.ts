/**
 * The server's verdict and ours on every file of the corpus, as part of a configuration whose
 * modules are known: exactly the lines that the server refuses are errors for us. verdict.tsv
 * explains the exceptions.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Engine } from '../../server/src/analysis/engine';
import { module } from '../../server/src/directives';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { findHttpd, requireHttpd } from '../httpd/harness';
import { logicalLineEnd } from '../httpd/verdict';
import { describeOver } from '../support/lacks';
import { repositoryRoot } from '../support/paths';
import { fileContext } from '../support/file-context';
import { corpusFiles, type CorpusFile } from './files';
import { ELSEWHERE, placeOfText, refusals, type Place } from './real-server';

const ACCOUNTED = path.join(repositoryRoot, 'test/corpus/verdict.tsv');

/** What is about this machine and about other files: a file is looked at by itself here. */
const OF_THE_MACHINE =
  /^[ \t]*(LoadModule|LoadFile|AddModule|ClearModuleList|Include(Optional)?|User|Group|ServerRoot|DefaultRuntimeDir)\b(?:\\\r?\n|[^\n])*$/gim;

/** Their folders must be there. */
const LOG =
  /^(\s*(?:ErrorLog|CustomLog|TransferLog|ForensicLog|GlobalLog)\s+)(?![|"]*[|]|syslog|\$\{)("[^"\n]*"|[^\s"]+)/gim;

/** What files that share a run do to each other. */
const OF_OTHERS = /Cannot define multiple Listeners|Cannot access directory/;

/** A rule's message by what the server says of the same thing. */
function saysTheSame(ours: string, theirs: string): boolean {
  return ours.startsWith('require-not-alone/') && /contains only negative authorization directives/.test(theirs);
}

function isAboutTheRun(message: string): boolean {
  return ELSEWHERE.test(message) || OF_OTHERS.test(message);
}

interface Line {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

describeOver('corpus', 'the verdict on the corpus', function () {
  this.timeout(3_000_000);

  before(function () {
    requireHttpd(this);
  });

  it('is the server’s: the same lines, all at once', async () => {
    const files = corpusFiles()
      .map((file) => ({ ...file, text: alone(file.text), within: placeOfText(file.text, file.kind === 'htaccess') }))
      // For a template the server's text is unknown.
      .filter(({ within, text }) => within !== 'require-all' && Tree.parse(text).root.templateLineCount === 0);
    const said = (await refusals(files)).map(({ path: file, line, message }) => ({ path: file, line, text: message }));
    const ours = files.flatMap((file) => errorsOf(file));
    // What the server says of a section once it has read everything, it says without a line.
    const theirs = said
      .filter(({ text }) => !isAboutTheRun(text))
      .map((refusal) =>
        refusal.line > 0
          ? refusal
          : {
              ...refusal,
              line:
                ours.find(({ path: file, text }) => file === refusal.path && saysTheSame(text, refusal.text))?.line ??
                0,
            },
      );
    // Of what a macro brings in, the server says the first thing only.
    const unsaid = new Set(
      said.filter(({ text }) => isAboutTheRun(text)).map(({ path: file, line }) => `${file}:${line}`),
    );
    const known = accounted();
    const keys = (lines: readonly Line[]) => new Set(lines.map(({ path: file, line }) => `${file}:${line}`));
    const [theirKeys, ourKeys] = [keys(theirs), keys(ours)];
    const missed = theirs.filter(({ path: file, line }) => !ourKeys.has(`${file}:${line}`));
    const wrong = ours.filter(
      ({ path: file, line, text }) =>
        !theirKeys.has(`${file}:${line}`) && !(text.startsWith('macro-use/') && unsaid.has(`${file}:${line}`)),
    );
    const both = ours.length - wrong.length;
    console.log(
      `      ${files.length} files: the server refuses ${theirKeys.size} lines, we ${ourKeys.size}, both ${both}`,
    );
    const show = (whose: string, lines: readonly Line[]) =>
      lines
        .filter(({ path: file, line }) => !known.has(`${file}:${line}`))
        .map(({ path: file, line, text }) => `${whose}\t${file}:${line}\t${text.slice(0, 160)}`);
    const differences = [...show('server', missed), ...show('ours', wrong)];
    assert.equal(differences.length, 0, differences.join('\n'));
    assert.deepEqual(
      [...known.keys()].filter((key) => ourKeys.has(key) === theirKeys.has(key)),
      [],
      'differences that are none any more',
    );
  });
});

function errorsOf({ path: file, text, within }: CorpusFile & { within?: Place }): Line[] {
  const around = fileContext({
    modules: installedModules(),
    containers: within === 'directory' ? ['directory'] : [],
    defines: new Set([...text.matchAll(/^\s*Define\s+(\S+)/gim)].map(([, name]) => name)),
    fileExists: () => false,
    macros: [],
    providers: namesOfProviders(text),
  });
  const findings = engine.analyze(Tree.parse(text), { isHtaccess: false, fileContext: around }).findings();
  const lines = new Map<number, string>();
  for (const { severity, start, rule, messageId } of findings)
    if (severity === 'error' && rule.id !== 'listen-twice')
      lines.set(logicalLineEnd(text, start), `${rule.id}/${messageId}`);
  return [...lines].map(([line, said]) => ({ path: file, line, text: said }));
}

/** A file is a whole configuration here, so it names all its providers. */
function namesOfProviders(text: string): string[] {
  return [
    ...text.matchAll(
      /^\s*(?:<Auth[nz]ProviderAlias\s+\S+|LuaAuthzProvider|FilterDeclare|FilterProvider|ExtFilterDefine)\s+("[^"]*"|[^\s>]+)/gim,
    ),
  ].map(([, name]) => name.replaceAll('"', ''));
}

const engine = new Engine({ rules: ALL_RULES });

let installed: Set<string> | undefined;

function installedModules(): Set<string> {
  const { loadable, builtin } = findHttpd()!;
  const names = [...loadable, ...builtin].filter((name) => !name.startsWith('mpm_')).map((name) => `mod_${name}`);
  return (installed ??= new Set(['core', 'event', ...names.filter((name) => module(name) !== undefined)]));
}

/** The server's sandbox fills in its port, and so does this. */
function alone(text: string): string {
  return text
    .replace(OF_THE_MACHINE, (lines) => lines.replace(/[^\n]+/g, ''))
    .replace(LOG, '$1logs/some_log')
    .replaceAll('@PORT@', '8080');
}

/** Path and line to the reason. */
function accounted(): Map<string, string> {
  const rows = readFileSync(ACCOUNTED, 'utf8')
    .split('\n')
    .slice(1)
    .filter(Boolean)
    .map((row) => row.split('\t'));
  return new Map(rows.map(([file, line, , why]) => [`${file}:${line}`, why]));
}
