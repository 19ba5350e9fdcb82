/** The commands. */
import type { PlacedFinding } from '../analysis/engine';
import { idIn, questionId, questionText, type Answered } from '../analysis/answers';
import { fixText } from '../analysis/fixes';
import { shellWord } from '../analysis/shell-word';
import { isRootTree } from '../config/digest';
import { targetName } from '../config/target';
import { encode } from '../host/decode';
import { ALL_RULES } from '../rules/all';
import { orderAllowDeny } from '../rules/order-allow-deny';
import { SEVERITIES, type Severity } from '../rules/rule';
import { thirdPartyAdvice } from '../rules/third-party-module';
import { readArguments, USAGE, type Arguments } from './arguments';
import { inputFiles, type InputFile } from './files';
import { fileInfo, findingsIn } from './findings';
import { Output } from './output';
import type { Planned } from './plan';
import { projects, type Projects } from './project';
import { count, newSummary, reportFor, type Summary } from './report';
import { amount, printable, printableLines, Terminal, type Style } from './terminal';
import type { FixedFile, Together } from './written';
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
    case 'plan':
      return plan(given);
    case 'migrate':
      return migrate(given);
    case 'verify':
      return verify(given);
    case 'undo':
      return undo(given);
    case 'includes':
      return includes(given);
    case 'explain':
      return explain(given);
    case 'explain-access':
      return explainAccess(given);
    case 'completion':
      process.stdout.write((await import('./completion-script')).completionScript(given.shell));
      return 0;
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
  await warnOfUnfinished(terminal);
  const report = reportFor(given.format, { terminal, write: (text) => output.write(text), again: again(given), idOf: (file, doubt) => idIn(doubt, project.engineOf(file).answered) });
  const summary = newSummary();
  const whole = await wholeOf(given, project, terminal);
  for await (const file of inputFiles([...given.paths, ...whole.further], terminal, whole.known)) {
    summary.files++;
    report.file(file.path, file.tree, counted(summary, findingsIn(project, file, whole)));
    await output.settle();
  }
  report.end(summary, whole.notes);
  await output.flush();
  return exitCode(terminal, summary, given.failOn);
}

/** `isStep`: of a conversation, which says by itself what there is to do next. */
async function fix(given: Of<'fix'>, { isStep = false } = {}): Promise<number> {
  const terminal = new Terminal();
  const writer = given.write ? await writerOf(terminal) : null;
  if (given.write && !writer) return 2;
  if (!given.write) await warnOfUnfinished(terminal);
  const output = new Output();
  const project = projects(given, terminal);
  /** What the fixed text still has, and what the files have when this ends: without --write, all that they had. */
  const left = newSummary();
  const now = newSummary();
  let applied = 0;
  let changed = 0;
  const whole = await wholeOf(given, project, terminal);
  const fixed = (file: InputFile): Fixed => {
    const before = file.tree.text();
    const converted = whole.convert(file.path, before, given.unsafe);
    const result = fixText(project.engineOf(file.path), converted.text, fileInfo(file, whole), { unsafe: given.unsafe, ...(given.keepsBoth && { rules: [orderAllowDeny.id] }) });
    return { file, before, after: result.text, fixes: result.applied + converted.edits, remaining: [...result.remaining, ...whole.left(file.path, given.unsafe)] };
  };
  const counts = ({ file, remaining }: Fixed, { isFixed, isWritten }: { isFixed: boolean; isWritten: boolean }) => {
    for (const finding of isFixed ? remaining : findingsIn(project, file, whole)) count(left, finding);
    for (const finding of isWritten ? remaining : findingsIn(project, file, whole)) count(now, finding);
  };
  /** Questions that fixes wait for: asked of what was read, because what waits is not written. */
  const open = new Map<string, number>();
  const toWrite: Fixed[] = [];
  for await (const file of inputFiles([...given.paths, ...whole.further], terminal, whole.known)) {
    const each = fixed(file);
    const isChanged = each.before !== each.after;
    left.files++;
    if (writer && !given.unsafe && !isStep) for (const finding of findingsIn(project, file, whole)) ask(open, finding, project.engineOf(file.path).answered);
    writer?.reach.add(file, each.before, isRootTree(file.tree.root));
    if (writer && isChanged) toWrite.push(each);
    else counts(each, { isFixed: isChanged, isWritten: false });
    if (writer || !isChanged) continue;
    changed++;
    applied += each.fixes;
    terminal.clear();
    await writeDiff(file, each.before, each.after, terminal, output);
    await output.settle();
  }
  const written = writer ? await writer.write(toWrite, { within: [...given.paths, ...whole.further], refuse: (problems) => whole.refuse(problems), again: ({ file }) => fixed(file) }) : [];
  const byFile = new Map(written.map((each) => [each.file, each]));
  for (const planned of toWrite) {
    const each = byFile.get(planned.file);
    counts(each ?? planned, { isFixed: each !== undefined, isWritten: each !== undefined });
    if (!each) continue;
    changed++;
    applied += each.fixes;
    output.write(`${printable(each.file.path)}: ${amount(each.fixes, 'fix')}\n`);
  }
  await output.flush();
  terminal.clear();
  if (!isStep) process.stderr.write(fixSummary(given, changed, applied, left) + openQuestions(open, again(given)));
  return exitCode(terminal, now, given.failOn);
}

interface Fixed extends FixedFile {
  readonly fixes: number;
  readonly remaining: readonly PlacedFinding[];
}

/** Says where files may be in the state of a run that was interrupted. Who has never written anything does not wait for the answer. */
async function warnOfUnfinished(terminal: Terminal): Promise<void> {
  const { hasChanges } = await import('../host/change-home');
  if (hasChanges()) await (await import('./undo')).warnOfUnfinished(terminal);
}

/** null where an interrupted run has left what cannot be settled: then nothing is read that is about to change. */
async function writerOf(terminal: Terminal) {
  const { changesOn } = await import('../host/change');
  const { recover } = await import('./undo');
  const { Reach, writeTogether } = await import('./written');
  const changes = changesOn();
  if (!(await recover(changes, terminal))) return null;
  const reach = new Reach();
  return {
    reach,
    write: (files: readonly Fixed[], options: Pick<Together<Fixed>, 'within' | 'refuse' | 'again'>) =>
      writeTogether(files, { changes, terminal, mayHold: (directory) => reach.mayHold(directory), ...options }),
  };
}

function fixSummary(given: Of<'fix'>, changed: number, applied: number, left: Summary): string {
  if (left.files === 0) return '';
  const rows: string[] = [];
  const fixes = `${amount(applied, 'fix')} in ${amount(changed, 'file')}`;
  if (applied === 0) rows.push(`Nothing to fix ${given.unsafe ? '' : 'safely '}in ${amount(left.files, 'file')}.`);
  else rows.push(given.write ? `Wrote ${fixes}.` : `${fixes}. Nothing is written yet: use --write.`);
  if (left.findings > 0) rows.push(`${amount(left.findings, 'problem')} left: httpd-upgrade check shows ${left.findings === 1 ? 'it' : 'them'}.`);
  if (!given.unsafe && left.suggestion > 0) {
    const which = left.findings === 1 ? 'It has a suggestion' : `${left.suggestion} of them ${left.suggestion === 1 ? 'has a suggestion' : 'have suggestions'}`;
    rows.push(`${which} to read and decide: --unsafe takes ${left.suggestion === 1 ? 'it' : 'them'}, too.`);
  }
  return `${rows.join('\n')}\n`;
}

/** Takes note of the questions that the fix of a finding waits for. */
function ask(open: Map<string, number>, { fixes: [fix] }: PlacedFinding, answered: Answered): void {
  const ids = (fix?.waitsFor ?? []).map((doubt) => questionId(doubt, answered));
  // With a doubt that no answer settles, none of the others helps.
  if (ids.includes(null)) return;
  for (const id of ids) if (!answered.answers.has(id!)) open.set(id!, (open.get(id!) ?? 0) + 1);
}

/** What is left to answer, as options for the next run. */
function openQuestions(open: ReadonlyMap<string, number>, again: string): string {
  if (open.size === 0) return '';
  const answers = [...open.keys()].map((id) => `  --answer ${printable(shellWord(`${id}=${questionText(id)!.choices[0].value}`))}\n`);
  const lead = open.size === 1 ? 'One question is open. If this answer is right, it makes more fixes ready' : `${open.size} questions are open. If these answers are right, they make more fixes ready`;
  return `${lead}:\n${answers.join('')}httpd-upgrade plan ${again} tells how to find out; httpd-upgrade migrate asks.\n`;
}

async function plan(given: Of<'plan'>): Promise<number> {
  const terminal = new Terminal();
  const output = new Output();
  const project = projects({ ...given, showsAnswered: true }, terminal);
  await warnOfUnfinished(terminal);
  const whole = await wholeOf(given, project, terminal);
  const { planOf, unasked } = await import('./plan');
  const found = await planOf({ paths: given.paths, project, whole, terminal });
  terminal.clear();
  for (const hint of unasked(found.plan, project, given.paths)) terminal.note(hint);
  output.write(await planAs(given, found, terminal));
  await output.flush();
  return terminal.hadProblems ? 2 : 0;
}

async function planAs(given: Of<'plan'>, { plan: found, details }: Planned, terminal: Terminal): Promise<string> {
  const { format } = given;
  if (format === 'json') return `${JSON.stringify(found)}\n`;
  if (format === 'text') return (await import('./plan-text')).planText(found, { terminal, again: again(given) });
  const { upgradeReport } = await import('../features/upgrade-report');
  const { version } = await import('./version');
  // Markdown goes into repositories, where it changes with the configuration and not with the day.
  return upgradeReport({ plan: found, details, again: again(given), madeBy: `httpd-upgrade ${version()}`, date: format === 'html' ? new Date().toISOString().slice(0, 10) : null }, format);
}

async function migrate(given: Of<'migrate'>): Promise<number> {
  const terminal = new Terminal();
  const { migrate: converse } = await import('./migrate');
  const { planOf } = await import('./plan');
  await warnOfUnfinished(terminal);
  return converse({
    paths: given.paths,
    answers: given.answers,
    terminal,
    again: (answers) => again({ ...given, command: 'plan', format: 'text', answers }),
    async plan(answers) {
      const own = { ...given, answers, showsAnswered: true };
      const project = projects(own, terminal);
      return (await planOf({ paths: given.paths, project, whole: await wholeOf(own, project, terminal), terminal })).plan;
    },
    fix: (answers, write) => fix({ ...given, command: 'fix', write, unsafe: false, keepsBoth: false, answers }, { isStep: true }),
    verify: (root, answers) => verify({ ...given, command: 'verify', httpd: null, format: 'text', paths: [root], answers }),
  });
}

async function verify(given: Of<'verify'>): Promise<number> {
  const terminal = new Terminal();
  const output = new Output();
  const { verify: ask, verdictText } = await import('./verify');
  const [root] = given.paths;
  const verdict = await ask({ root, httpd: given.httpd, defines: given.server.defines, project: projects(given, terminal), terminal });
  if (verdict === null) return 2;
  const { readBytesNow } = await import('../host/read-now');
  const lineOf = (file: string, line: number): string | null => {
    const content = readBytesNow(file);
    return 'bytes' in content ? Buffer.from(content.bytes).toString('utf8').split('\n')[line] ?? null : null;
  };
  output.write(given.format === 'json' ? `${JSON.stringify(verdict)}\n` : verdictText(verdict, lineOf, terminal));
  await output.flush();
  return terminal.hadProblems ? 2 : verdict.ok ? 0 : 1;
}

async function undo({ id, isList }: Of<'undo'>): Promise<number> {
  const terminal = new Terminal();
  const output = new Output();
  await (await import('./undo')).undo({ id, isList, terminal, write: (text) => output.write(text) });
  await output.flush();
  return terminal.hadProblems ? 2 : 0;
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
  const found = lookUp(given.term, { rules, adviceFor: thirdPartyAdvice });
  if ('markdown' in found) {
    const { forTerminal } = await import('./markdown');
    process.stdout.write(forTerminal(found.markdown, new Terminal()));
    return 0;
  }
  const near = found.suggestions.length > 0 ? `Nearest matches: ${found.suggestions.slice(0, 5).join(', ')}.` : 'Give a directive, a module, a rule, a flag, a variable, a status, or a line of the error log.';
  process.stderr.write(`httpd-upgrade: ${printable(`nothing found for "${given.term}". ${near}`)}\n`);
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
async function wholeOf(given: Of<'check'> | Of<'fix'> | Of<'plan'> | Of<'migrate'>, project: Projects, terminal: Terminal): Promise<WholeConfigurations> {
  terminal.progress('Reading the configuration');
  const whole = await wholeConfigurations({ paths: given.paths, projects: project, unsafe: given.command === 'fix' && given.unsafe, isAccessOnly: given.command === 'fix' && given.keepsBoth });
  terminal.clear();
  return whole;
}

function* counted(summary: Summary, findings: Iterable<PlacedFinding>): Generator<PlacedFinding> {
  for (const finding of findings) {
    count(summary, finding);
    yield finding;
  }
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
function again(given: Of<'check'> | Of<'fix'> | Of<'plan'>): string {
  const words = [
    ...(given.target ? ['--target', targetName(given.target)] : []),
    ...(given.distribution ? ['--distribution', given.distribution] : []),
    ...serverWords(given.server),
    ...(given.assumeStandalone ? ['--assume-standalone'] : []),
    ...[...given.answers].flatMap(([id, answer]) => ['--answer', shellWord(`${id}=${answer}`)]),
    ...(given.source ? ['--source', given.source] : []),
    ...(given.paths.join(' ').length > 60 ? ['PATH…'] : given.paths.map((word) => shellWord(word))),
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

function exitCode(terminal: Terminal, summary: Summary, failOn: Severity | null): number {
  if (terminal.hadProblems) return 2;
  if (failOn === null) return 0;
  const counted = SEVERITIES.slice(0, SEVERITIES.indexOf(failOn) + 1);
  return counted.some((severity) => summary[severity] > 0) ? 1 : 0;
}
