/** The commands. */
import type { FileInfo, PlacedFinding } from '../analysis/engine';
import { fixText } from '../analysis/fixes';
import { targetName } from '../config/target';
import { encode } from '../host/decode';
import { ALL_RULES } from '../rules/all';
import { SEVERITIES, type Severity } from '../rules/rule';
import { readArguments, USAGE, type Arguments } from './arguments';
import { together } from './configuration';
import { inputFiles, type InputFile } from './files';
import { Output } from './output';
import { projects, type Projects } from './project';
import { count, newSummary, reportFor, type Summary } from './report';
import { amount, printable, printableLines, Terminal, type Style } from './terminal';
import { wholeConfigurations, type WholeConfigurations } from './whole';

type Of<C extends Arguments['command']> = Extract<Arguments, { command: C }>;

/** Runs a command line (without the program's name) and returns the exit code; null for what goes on running. */
export async function main(argv: readonly string[]): Promise<number | null> {
  const given = readArguments(argv);
  switch (given.command) {
    case 'check':
      return check(given);
    case 'fix':
      return fix(given);
    case 'includes':
      return includes(given);
    case 'explain':
      return explain(given);
    case 'explain-access':
      return explainAccess(given);
    case 'server':
      await import('../node');
      return null;
    case 'help':
      process.stdout.write(USAGE);
      return 0;
    case 'version':
      process.stdout.write(`httpd-upgrade ${(await import('./version')).version()}\n`);
      return 0;
    case 'nothing':
      process.stderr.write(USAGE);
      return 2;
    case 'wrong':
      process.stderr.write(`httpd-upgrade: ${printable(given.reason)}\nTry "httpd-upgrade --help".\n`);
      return 2;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

async function check(given: Of<'check'>): Promise<number> {
  const terminal = new Terminal();
  const output = new Output();
  const project = projects(given, terminal);
  const report = reportFor(given.format, { terminal, write: (text) => output.write(text), again: again(given) });
  const summary = newSummary();
  const whole = await wholeOf(given, project, terminal);
  for await (const file of inputFiles([...given.paths, ...whole.further], terminal, whole.known)) {
    summary.files++;
    report.file(file.path, file.tree, counted(summary, findingsIn(project, file, whole)));
    await output.settle();
  }
  report.end(summary);
  await output.flush();
  return exitCode(terminal, summary, given.failOn);
}

async function fix(given: Of<'fix'>): Promise<number> {
  const terminal = new Terminal();
  const output = new Output();
  const project = projects(given, terminal);
  /** What the fixed text still has, and what the files have when this ends: without --write, all that they had. */
  const left = newSummary();
  const now = newSummary();
  let applied = 0;
  let changed = 0;
  const whole = await wholeOf(given, project, terminal);
  for await (const file of inputFiles([...given.paths, ...whole.further], terminal, whole.known)) {
    const before = file.tree.text();
    const converted = whole.convert(file.path, before, given.unsafe);
    const result = fixText(project.engineOf(file.path), converted.text, fileInfo(file, whole), { unsafe: given.unsafe });
    const isWritten = given.write && result.text !== before && (await write(file, before, result.text, terminal));
    const isShown = !given.write && result.text !== before;
    left.files++;
    const remaining = [...result.remaining, ...whole.left(file.path, given.unsafe)];
    for (const finding of isWritten || isShown ? remaining : findingsIn(project, file, whole)) count(left, finding);
    for (const finding of isWritten ? remaining : findingsIn(project, file, whole)) count(now, finding);
    if (!isWritten && !isShown) continue;
    changed++;
    applied += result.applied + converted.edits;
    terminal.clear();
    if (isWritten) output.write(`${printable(file.path)}: ${amount(result.applied + converted.edits, 'fix')}\n`);
    else await writeDiff(file, before, result.text, terminal, output);
    await output.settle();
  }
  await output.flush();
  terminal.clear();
  process.stderr.write(fixSummary(given, changed, applied, left));
  return exitCode(terminal, now, given.failOn);
}

function fixSummary(given: Of<'fix'>, changed: number, applied: number, left: Summary): string {
  if (left.files === 0) return '';
  const rows: string[] = [];
  const fixes = `${amount(applied, 'fix')} in ${amount(changed, 'file')}`;
  if (applied === 0) rows.push(`Nothing to fix ${given.unsafe ? '' : 'safely '}in ${amount(left.files, 'file')}.`);
  else rows.push(given.write ? `Wrote ${fixes}.` : `${fixes}; nothing is written yet: --write does that.`);
  if (left.findings > 0) rows.push(`${amount(left.findings, 'problem')} left: httpd-upgrade check shows ${left.findings === 1 ? 'it' : 'them'}.`);
  if (!given.unsafe && left.suggestion > 0) {
    const which = left.findings === 1 ? 'It has a suggestion' : `${left.suggestion} of them ${left.suggestion === 1 ? 'has a suggestion' : 'have suggestions'}`;
    rows.push(`${which} to read and decide: --unsafe takes ${left.suggestion === 1 ? 'it' : 'them'}, too.`);
  }
  return `${rows.join('\n')}\n`;
}

async function includes(given: Of<'includes'>): Promise<number> {
  const terminal = new Terminal();
  const output = new Output();
  const { showIncludes } = await import('./includes');
  await showIncludes(given.paths, projects(given, terminal), output, terminal);
  await output.flush();
  return terminal.hadProblems ? 2 : 0;
}

async function explain(given: Of<'explain'>): Promise<number> {
  const { explain: lookUp } = await import('../features/explain');
  const { rulePage } = await import('../rules/page');
  const rules = ALL_RULES.map((rule) => ({ id: rule.id, title: rule.title, page: () => rulePage(rule) }));
  const found = lookUp(given.term, { rules });
  if ('markdown' in found) {
    const { forTerminal } = await import('./markdown');
    process.stdout.write(forTerminal(found.markdown, new Terminal()));
    return 0;
  }
  const near = found.suggestions.length > 0 ? ` Did you mean ${found.suggestions.slice(0, 5).join(', ')}?` : '';
  process.stderr.write(`httpd-upgrade: ${printable(`nothing is known of "${given.term}".${near}`)}\n`);
  return 2;
}

async function explainAccess(given: Of<'explain-access'>): Promise<number> {
  const terminal = new Terminal();
  const { explainAccess: explanation } = await import('../features/explain-access');
  const { forTerminal } = await import('./markdown');
  for await (const { tree } of inputFiles([given.path], terminal)) {
    const markdown = given.line <= tree.lineCount ? explanation(tree, tree.offsetAt({ line: given.line - 1, character: 0 })) : null;
    if (markdown) {
      process.stdout.write(forTerminal(markdown, terminal));
      return 0;
    }
    terminal.note(`${given.path}:${given.line}: no section with Order, Allow, Deny or Satisfy that could be explained; give one of these lines`);
  }
  return 2;
}

/** The configurations whose root is among what was given: their files are looked at together. */
async function wholeOf(given: Of<'check'> | Of<'fix'>, project: Projects, terminal: Terminal): Promise<WholeConfigurations> {
  terminal.progress('Reading the configuration');
  const whole = await wholeConfigurations({ paths: given.paths, projects: project, unsafe: given.command === 'fix' && given.unsafe });
  terminal.clear();
  return whole;
}

function fileInfo(file: InputFile, whole: WholeConfigurations): FileInfo {
  return whole.infoOf(file.path, file.tree);
}

function* findingsIn(project: Projects, file: InputFile, whole: WholeConfigurations): Iterable<PlacedFinding> {
  const own = project.engineOf(file.path).analyze(file.tree, fileInfo(file, whole)).inOrder();
  for (const finding of together(file.tree, own, whole.findings(file.path))) yield whole.informed(file.path, file.tree, finding);
}

function* counted(summary: Summary, findings: Iterable<PlacedFinding>): Generator<PlacedFinding> {
  for (const finding of findings) {
    count(summary, finding);
    yield finding;
  }
}

async function write(file: InputFile, before: string, after: string, terminal: Terminal): Promise<boolean> {
  const bytes = encode(after, file.encoding);
  if (!bytes) {
    terminal.problem(file.path, 'is not UTF-8, and the fix needs a character that its encoding lacks; not written');
    return false;
  }
  const { writeWhole } = await import('../host/write');
  const problem = await writeWhole(file.path, encode(before, file.encoding)!, bytes);
  if (problem) terminal.problem(file.path, `${problem}; not written`);
  return problem === null;
}

/** In the encoding of the file, as `patch` compares bytes. */
async function writeDiff(file: InputFile, before: string, after: string, terminal: Terminal, output: Output): Promise<void> {
  const { unifiedDiff } = await import('./diff');
  const [from, to, ...rows] = unifiedDiff(file.path, before, after).split(/(?<=\n)/);
  output.write(terminal.style('bold', from.trimEnd()) + from.slice(from.trimEnd().length));
  output.write(terminal.style('bold', to.trimEnd()) + to.slice(to.trimEnd().length));
  const text = rows.map((given) => {
    // On a screen it is to be read; in a pipe `patch` needs the bytes.
    const row = terminal.isScreen ? printableLines(given) : given;
    const style = DIFF_STYLES[row[0]];
    return style ? terminal.style(style, row.slice(0, -1)) + row.slice(-1) : row;
  });
  output.write(encode(text.join(''), file.encoding) ?? text.join(''));
}

const DIFF_STYLES: Readonly<Record<string, Style>> = { '@': 'cyan', '-': 'red', '+': 'green' };

/** The options and paths to repeat for the next command. */
function again(given: Of<'check'>): string {
  const words = [
    ...(given.target ? ['--target', targetName(given.target)] : []),
    ...(given.distribution ? ['--distribution', given.distribution] : []),
    ...serverWords(given.server),
    ...(given.assumeStandalone ? ['--assume-standalone'] : []),
    ...(given.source ? ['--source', given.source] : []),
    ...(given.paths.join(' ').length > 60 ? ['PATH…'] : given.paths.map(shellWord)),
  ];
  return words.join(' ');
}

function serverWords({ serverRoot, map, defines, builtIn }: Of<'check'>['server']): string[] {
  return [
    ...(serverRoot === null ? [] : ['--server-root', shellWord(serverRoot)]),
    ...(map?.entries ?? []).flatMap(({ from, to }) => ['--map', shellWord(`${from}=${to}`)]),
    ...[...(defines ?? [])].flatMap(([name, value]) => ['-D', shellWord(value === '' ? name : `${name}=${value}`)]),
    ...(builtIn ? ['--modules', [...builtIn].join(',')] : []),
  ];
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}

function exitCode(terminal: Terminal, summary: Summary, failOn: Severity | null): number {
  if (terminal.hadProblems) return 2;
  if (failOn === null) return 0;
  const counted = SEVERITIES.slice(0, SEVERITIES.indexOf(failOn) + 1);
  return counted.some((severity) => summary[severity] > 0) ? 1 : 0;
}
