/** The commands. */
import { Engine, type PlacedFinding } from '../analysis/engine';
import { fixText } from '../analysis/fixes';
import { encode } from '../host/decode';
import { ALL_RULES } from '../rules/all';
import { SEVERITIES, type Severity } from '../rules/rule';
import { readArguments, USAGE, type Arguments } from './arguments';
import { inputFiles, type InputFile } from './files';
import { amount, count, newSummary, reportFor, type Summary } from './report';
import { Terminal } from './terminal';

type Of<C extends Arguments['command']> = Extract<Arguments, { command: C }>;

/** Runs a command line (without the program's name) and returns the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const given = readArguments(argv);
  switch (given.command) {
    case 'check':
      return check(given);
    case 'fix':
      return fix(given);
    case 'explain':
      return explain(given);
    case 'server':
      await import('../node');
      return 0;
    case 'help':
      process.stdout.write(USAGE);
      return 0;
    case 'version':
      process.stdout.write(`httpd-upgrade ${(await import('./version')).version()}\n`);
      return 0;
    case 'wrong':
      process.stderr.write(`httpd-upgrade: ${given.reason}\nTry "httpd-upgrade --help".\n`);
      return 2;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

async function check(given: Of<'check'>): Promise<number> {
  const terminal = new Terminal();
  const output = new Output();
  const engine = engineFor(given);
  const report = reportFor(given.format, terminal, (text) => output.write(text));
  const summary = newSummary();
  for await (const file of inputFiles(given.paths, terminal)) {
    const findings = findingsIn(engine, file);
    count(summary, findings);
    report.file(file.path, file.tree, findings);
    await output.settle();
  }
  report.end(summary);
  await output.flush();
  return exitCode(terminal, summary, given.failOn);
}

async function fix(given: Of<'fix'>): Promise<number> {
  const terminal = new Terminal();
  const output = new Output();
  const engine = engineFor(given);
  const left = newSummary();
  let applied = 0;
  let changed = 0;
  for await (const file of inputFiles(given.paths, terminal)) {
    const before = file.tree.text();
    const result = fixText(engine, before, fileInfo(file), { unsafe: given.unsafe });
    if (result.text === before) {
      count(left, result.remaining);
      continue;
    }
    const isDone = given.write ? await write(file, result.text, terminal) : true;
    count(left, isDone ? result.remaining : findingsIn(engine, file));
    if (!isDone) continue;
    changed++;
    applied += result.applied;
    terminal.clear();
    output.write(given.write ? `${file.path}: ${amount(result.applied, 'fix').replace(/fixs$/, 'fixes')}\n` : await diffOf(file.path, before, result.text));
    await output.settle();
  }
  await output.flush();
  terminal.clear();
  process.stderr.write(fixSummary(given, changed, applied, left));
  return exitCode(terminal, left, given.failOn);
}

function fixSummary(given: Of<'fix'>, changed: number, applied: number, left: Summary): string {
  const rows: string[] = [];
  const fixes = `${applied} ${applied === 1 ? 'fix' : 'fixes'} in ${amount(changed, 'file')}`;
  if (applied === 0) rows.push(`Nothing to fix ${given.unsafe ? '' : 'safely '}in ${amount(left.files, 'file')}.`);
  else rows.push(given.write ? `Wrote ${fixes}.` : `${fixes}; nothing is written yet: --write does that.`);
  if (left.findings > 0) rows.push(`${amount(left.findings, 'problem')} left: httpd-upgrade check shows them.`);
  if (!given.unsafe && left.suggestion > 0) {
    rows.push(`${left.suggestion} of them ${left.suggestion === 1 ? 'has a suggestion' : 'have suggestions'} to read and decide: --unsafe takes them, too.`);
  }
  return `${rows.join('\n')}\n`;
}

async function explain(given: Of<'explain'>): Promise<number> {
  const { explain: lookUp } = await import('../features/explain');
  const { rulePage } = await import('../rules/page');
  const rules = ALL_RULES.map((rule) => ({ id: rule.id, title: rule.title, page: () => rulePage(rule) }));
  const found = lookUp(given.term, { rules });
  if ('markdown' in found) {
    process.stdout.write(`${found.markdown.trimEnd()}\n`);
    return 0;
  }
  const near = found.suggestions.length > 0 ? ` Did you mean ${found.suggestions.slice(0, 5).join(', ')}?` : '';
  process.stderr.write(`httpd-upgrade: nothing is known of "${given.term}".${near}\n`);
  return 2;
}

function engineFor(given: { target: Of<'check'>['target']; assumeStandalone: boolean }): Engine {
  return new Engine({ rules: ALL_RULES, target: given.target, assumeStandalone: given.assumeStandalone });
}

function fileInfo(file: InputFile) {
  return { isHtaccess: /(^|[\\/])\.?htaccess[^\\/]*$/.test(file.path) };
}

function findingsIn(engine: Engine, file: InputFile): PlacedFinding[] {
  return engine.analyze(file.tree, fileInfo(file)).findings();
}

async function write(file: InputFile, text: string, terminal: Terminal): Promise<boolean> {
  const bytes = encode(text, file.encoding);
  if (!bytes) {
    terminal.problem(file.path, 'is not UTF-8, and the fix needs a character that its encoding lacks; not written');
    return false;
  }
  const { writeWhole } = await import('../host/write');
  const problem = await writeWhole(file.path, bytes);
  if (problem) terminal.problem(file.path, `${problem}; not written`);
  return problem === null;
}

async function diffOf(path: string, before: string, after: string): Promise<string> {
  const { createTwoFilesPatch } = await import('diff');
  return createTwoFilesPatch(path, path, before, after, undefined, undefined, { context: 3 }).replace(/^Index: .*\n=+\n/, '');
}

function exitCode(terminal: Terminal, summary: Summary, failOn: Severity | null): number {
  if (terminal.hadProblems) return 2;
  if (failOn === null) return 0;
  const counted = SEVERITIES.slice(0, SEVERITIES.indexOf(failOn) + 1);
  return counted.some((severity) => summary[severity] > 0) ? 1 : 0;
}

/** Standard output in pieces of reasonable size, waiting where the reader is slow. */
class Output {
  private pending: string[] = [];
  private size = 0;

  write(text: string): void {
    this.pending.push(text);
    this.size += text.length;
  }

  async settle(): Promise<void> {
    if (this.size > 64 * 1024) await this.flush();
  }

  async flush(): Promise<void> {
    const text = this.pending.join('');
    this.pending = [];
    this.size = 0;
    if (text !== '') await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
  }
}
