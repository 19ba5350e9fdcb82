/**
 * `httpd-upgrade migrate`: the plan as a conversation. What was found, question by question, the diff, then everything is written, or nothing. Until the last word nothing is touched: whoever
 * leaves with Ctrl-C leaves all as it was.
 */
import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cancel, confirm, intro, isCancel, log, outro, select, text } from '@clack/prompts';
import { renamedId, type Answers } from '../analysis/answers';
import { PROJECT_FILE, withAnswers } from '../settings/project-file';
import { staysBelow } from '../config/files';
import { LINKS } from './project';
import { replaceableBy } from '../host/replaceable';
import { shellWord } from '../syntax/shell-word';
import { canOpenAccess } from '../analysis/question-surfaces';
import { tasksOf } from '../analysis/server-tasks';
import { byHandText, type PlanPlace, type PlanQuestion, type UpgradePlan } from '../analysis/upgrade-plan';
import { guessServerRoot } from '../config/server-root';
import { answerLines, findOutRows, placesText, questionRows } from './plan-text';
import { readSettingsNow } from '../host/read-now';
import { amount, printable, type Terminal } from './terminal';
import { hanging, wrapped } from './wrap';

export interface Conversation {
  readonly paths: readonly string[];
  /** What the command line answers. */
  readonly answers: Answers;
  readonly terminal: Terminal;
  /** The options and paths of a command with these answers. */
  again(answers: Answers): string;
  plan(answers: Answers): Promise<UpgradePlan>;
  /** As `fix` does: shows the difference, or writes. Returns its exit code. */
  fix(answers: Answers, write: boolean): Promise<number>;
  verify(root: string, answers: Answers): Promise<number>;
}

/** Ctrl-C, as a shell tells it. */
const LEFT = 130;

/** Returns the exit code: 0 for a conversation that came to its end, 2 for what could not be done, 130 for one that was left. */
export async function migrate(given: Conversation): Promise<number> {
  const { terminal } = given;
  if (!process.stdin.isTTY || !process.stdout.isTTY) return unasked(given);
  try {
    return await talk(given);
  } catch (error) {
    if (!(error instanceof Left)) throw error;
    terminal.clear();
    cancel('Stopped. Nothing was changed.');
    return LEFT;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

class Left extends Error {}

/** Without a terminal there is nobody to ask: what to say instead. */
async function unasked(given: Conversation): Promise<number> {
  const plan = await given.plan(given.answers);
  const lines = answerLines(plan);
  const open = openQuestions(plan).length;
  given.terminal.failure('migrate asks its questions in a terminal, and there is none');
  const again = given.again(given.answers);
  const rows =
    lines.length === 0
      ? [
          'There are no questions. This command writes the fixes that are ready:',
          `  httpd-upgrade fix --write ${again}`,
        ]
      : [
          `${amount(open, 'question')} ${open === 1 ? 'is' : 'are'} open. "httpd-upgrade plan ${again}" shows how to find out. Add ${open === 1 ? 'the answer that is right' : 'for each question the answer that is right'}:`,
          ...lines.map((line) => `  ${line}`),
          'to the command',
          `  httpd-upgrade fix --write ${again}`,
        ];
  process.stderr.write(`${rows.join('\n')}\n`);
  return 2;
}

async function talk(given: Conversation): Promise<number> {
  const { terminal } = given;
  intro(`httpd-upgrade: ${printable(given.paths.join(' '))}, from httpd 2.2 to 2.4`);
  let plan = await given.plan(given.answers);
  terminal.clear();
  if (plan.configurations.length === 0) return ended('No configuration was found.', 2);
  tell(foundRows(plan));
  const answers = new Map(given.answers);
  const asked: Asked[] = [];
  let keeps = false;
  let next: Next;
  do {
    plan = await askAll(given, plan, answers, asked);
    const fresh = freshOf(asked);
    keeps = fresh.size > 0 && (await keepsAnswers(given, fresh));
    next = await nextStep(given, plan, answers, asked);
    if (typeof next !== 'string') plan = await takenBack(given, answers, asked, next);
  } while (typeof next !== 'string');
  const fresh = freshOf(asked);
  const writes = next === 'write';
  let isFine = true;
  if (writes) {
    isFine = (await given.fix(answers, true)) !== 2;
    terminal.clear();
  }
  if (keeps && isFine) isFine = saveAnswers(given, fresh);
  if (!isFine) return ended('Not everything could be done. See the messages above.', 2);
  if (!writes)
    return ended(plan.summary.ready === 0 ? 'No fix is ready. Nothing was written.' : 'Nothing was written.', 0);
  // Of what is written: lines have moved.
  plan = await given.plan(answers);
  terminal.clear();
  tell(remainingRows(plan));
  await offerVerify(given, plan, answers);
  return ended('Done. "httpd-upgrade undo" restores the old files.', 0);
}

/** A question that was asked, and what was said; null for "I do not know". */
interface Asked {
  readonly question: PlanQuestion;
  readonly answer: string | null;
}

function freshOf(asked: readonly Asked[]): Answers {
  return new Map(
    asked.flatMap(({ question, answer }): [string, string][] => (answer === null ? [] : [[question.id, answer]])),
  );
}

/** Asks what is open, as long as there is such a thing; `answers` and `asked` have it afterwards. Returns the plan with these answers. */
async function askAll(
  given: Conversation,
  first: UpgradePlan,
  answers: Map<string, string>,
  asked: Asked[],
): Promise<UpgradePlan> {
  const { terminal } = given;
  let plan = first;
  for (;;) {
    // What a person has answered is not asked a second time, whatever it comes to.
    const open = openQuestions(plan).filter(({ id }) => !asked.some(({ question }) => question.id === id));
    const [question] = open;
    if (!question) break;
    const answer = await answerTo(
      question,
      `Question ${asked.length + 1}${open.length > 1 ? `, ${open.length - 1} more after it` : ''}`,
      asked.length > 0,
    );
    if (answer === BACK) {
      plan = await takenBack(given, answers, asked, asked.at(-1)!);
      continue;
    }
    asked.push({ question, answer });
    if (answer === null) continue;
    answers.set(question.id, answer);
    const before = plan.summary.ready;
    plan = await given.plan(answers);
    terminal.clear();
    const more = plan.summary.ready - before;
    log.success(
      more > 0
        ? `${amount(more, 'fix')} more ready: ${plan.summary.ready} now.`
        : `${amount(plan.summary.ready, 'fix')} ready now.`,
    );
  }
  const unanswered = openQuestions(plan);
  if (unanswered.length > 0) {
    tell([
      `Still open. The fixes that wait for ${unanswered.length === 1 ? 'this question' : 'these questions'} are not made:`,
      ...unanswered.flatMap(({ question, findOut }) => [
        ...hanging('- ', printable(question)),
        ...findOutRows(findOut, '    ', WIDTH),
      ]),
      ...wrapped(
        'When you know the answer, run migrate again. If you save the answers, it does not ask these questions again.',
        '',
        WIDTH,
      ),
    ]);
  }
  return plan;
}

/** The plan as if a question had not been asked: it is asked again. */
async function takenBack(
  given: Conversation,
  answers: Map<string, string>,
  asked: Asked[],
  back: Asked,
): Promise<UpgradePlan> {
  asked.splice(asked.indexOf(back), 1);
  answers.delete(back.question.id);
  const plan = await given.plan(answers);
  given.terminal.clear();
  return plan;
}

function ended(text: string, code: number): number {
  outro(text);
  return code;
}

/** Where the library's frame is left of the text. */
const WIDTH = 76;

function tell(rows: readonly string[]): void {
  log.message(rows.join('\n'));
}

function foundRows({ configurations, summary }: UpgradePlan): string[] {
  const { blocking, ready, waiting, byHand, questions, answered } = summary;
  const open = questions - answered;
  return [
    ...configurations.map(({ root, files }) => `${printable(root)}: ${amount(files, 'file')}`),
    blocking === 0
      ? 'No problem that was found prevents 2.4 from starting.'
      : `${amount(blocking, 'problem')} ${blocking === 1 ? 'is an error' : 'are errors'}: 2.4 does not start, or requests get 500.`,
    `${amount(ready, 'fix')} ready, ${waiting} waiting for an answer, ${byHand} by hand.`,
    ...(open > 0 ? [`${amount(open, 'question')}. Nothing is written before you say so; Ctrl-C leaves.`] : []),
  ];
}

function openQuestions({ configurations }: UpgradePlan): PlanQuestion[] {
  const seen = new Set<string>();
  return configurations.flatMap(({ questions }) =>
    questions.filter(({ id, answer }) => answer === null && !seen.has(id) && seen.add(id)),
  );
}

/** A value to answer with, null for "I do not know", BACK for the question before. */
async function answerTo(question: PlanQuestion, title: string, hasBefore: boolean): Promise<string | null> {
  log.step(title);
  tell(questionRows(question, '', WIDTH));
  for (;;) {
    const value = await said(
      select({
        message: printable(question.question),
        // Enter alone must not give an answer that can open access.
        initialValue: canOpenAccess(question.kind) ? UNKNOWN : question.answers[0]!.value,
        options: [
          ...question.answers.map(({ value: own, label, ready }) => ({
            value: own,
            label: printable(label),
            ...(ready > 0 && { hint: `${amount(ready, 'fix')} ready` }),
          })),
          {
            value: UNKNOWN,
            label: 'I do not know',
            hint: 'leave the question open: the fixes that wait for it are not written',
          },
          ...(hasBefore ? [{ value: BACK, label: 'Go back to the previous question' }] : []),
        ],
      }),
    );
    if (value === UNKNOWN) return null;
    if (!value.endsWith('=')) return value;
    const place = await said(
      text({
        message: 'Where is the copy on this machine? (type a path; leave it empty to go back)',
        validate: (given) =>
          given === undefined || given.trim() === '' || existsSync(given.trim())
            ? undefined
            : 'no file or directory has this name',
      }),
    );
    if (place?.trim()) return value + place.trim();
  }
}

/** No value of a question is empty, or has a blank. */
const UNKNOWN = '';
const BACK = 'go back';

async function keepsAnswers({ paths }: Conversation, fresh: Answers): Promise<boolean> {
  const file = path.join(projectFolder(paths[0]!), PROJECT_FILE);
  return said(
    confirm({
      message: `Keep ${fresh.size === 1 ? 'the answer' : `the ${fresh.size} answers`} in ${printable(shown(file))}, for the editors of the team and for CI?`,
    }),
  );
}

/** What is to be done, or a question to be asked again. */
type Next = 'write' | 'stop' | Asked;

async function nextStep(
  given: Conversation,
  plan: UpgradePlan,
  answers: Answers,
  asked: readonly Asked[],
): Promise<Next> {
  const { ready } = plan.summary;
  if (ready === 0 && asked.length === 0) return 'stop';
  for (;;) {
    const next = await said(
      select({
        message: ready === 0 ? 'No fix is ready.' : `${amount(ready, 'fix')} ${ready === 1 ? 'is' : 'are'} ready.`,
        options: [
          ...(ready === 0
            ? []
            : [
                { value: 'diff', label: 'Show the changes' },
                { value: 'write', label: 'Write', hint: 'all files, or none; undo restores the old files' },
              ]),
          { value: 'stop', label: 'Write nothing' },
          ...(asked.length > 0 ? [{ value: BACK, label: 'Change an answer' }] : []),
        ],
      }),
    );
    if (next === 'write' || next === 'stop') return next;
    if (next === BACK) {
      const back = await whichAnswer(asked);
      if (back) return back;
      continue;
    }
    await given.fix(answers, false);
    given.terminal.clear();
  }
}

/** null for none of them. */
async function whichAnswer(asked: readonly Asked[]): Promise<Asked | null> {
  if (asked.length === 1) return asked[0]!;
  return said(
    select<Asked | null>({
      message: 'Which one?',
      options: [
        ...asked.map((each) => ({
          value: each,
          label: printable(each.question.question),
          hint: each.answer === null ? 'not known' : printable(each.answer),
        })),
        { value: null, label: 'None of them' },
      ],
    }),
  );
}

function remainingRows({ configurations }: UpgradePlan): string[] {
  const rows: string[] = [];
  const add = (
    title: string,
    items: readonly {
      readonly what: string;
      readonly places: readonly PlanPlace[];
      readonly commands?: readonly string[];
    }[],
  ) => {
    if (items.length > 0) rows.push(title);
    for (const what of new Set(items.map((item) => item.what))) {
      const places = items.flatMap((item) => (item.what === what ? item.places : []));
      rows.push(
        ...hanging('- ', printable(what), WIDTH),
        ...(places.length > 0 ? hanging('    ', placesText(places), WIDTH) : []),
      );
      // To be copied as they stand.
      rows.push(
        ...new Set(
          items
            .flatMap((item) => (item.what === what ? (item.commands ?? []) : []))
            .map((command) => `    ${printable(command)}`),
        ),
      );
    }
  };
  add(
    'Left to do by hand:',
    configurations.flatMap(({ byHand }) => byHand.map((item) => ({ what: byHandText(item), places: [item] }))),
  );
  add(
    'Left to do on the server:',
    configurations.flatMap(({ onServer }) =>
      tasksOf(onServer).map(({ what, because, commands }) => ({ what, places: because, commands })),
    ),
  );
  return rows.length > 0 ? rows : ['There is nothing to do by hand.'];
}

async function offerVerify(given: Conversation, { configurations }: UpgradePlan, answers: Answers): Promise<void> {
  const roots = configurations.map(({ root }) => root).filter((root) => root !== '.');
  if (roots.length === 0) return;
  const wanted = await confirm({
    message: 'Let a real httpd 2.4 of this machine read the result? (httpd -t; this starts no server)',
  });
  if (isCancel(wanted) || !wanted) {
    tell([
      'To check the result later, or with another httpd:',
      ...roots.map((root) => `httpd-upgrade verify ${printable(shellWord(root))}`),
    ]);
    return;
  }
  for (const root of roots) await given.verify(root, answers);
}

async function said<T>(answer: Promise<T>): Promise<Exclude<T, symbol>> {
  const value = await answer;
  if (isCancel(value)) throw new Left();
  return value as Exclude<T, symbol>;
}

// ---------------------------------------------------------------------------------------------------------------------
// The answers' file.

/** Where the nearest project file is, or where one for a main file belongs: beside what httpd includes, and not among it. */
function projectFolder(given: string): string {
  const full = path.resolve(given);
  const isFolder = existsSync(full) && statSync(full).isDirectory();
  const start = isFolder ? full : path.dirname(full);
  for (let folder = start; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, PROJECT_FILE))) return folder;
    if (path.dirname(folder) === folder) return isFolder ? full : guessServerRoot(full);
  }
}

function saveAnswers({ paths, terminal }: Conversation, fresh: Answers): boolean {
  const folder = projectFolder(paths[0]!);
  const file = path.join(folder, PROJECT_FILE);
  const isNew = !existsSync(file);
  // Ids and paths of this run are seen from where it was started, those of a file from where it lies.
  const named = [...fresh].flatMap(([id, answer]): [string, string][] => {
    const at = answer.indexOf('=');
    const place = at < 0 ? null : path.relative(folder, path.resolve(answer.slice(at + 1))) || '.';
    if (place !== null && !staysBelow(place, folder, LINKS)) {
      terminal.note(
        `the answer ${shellWord(`${id}=${answer}`)} names a directory outside of ${printable(shown(folder))} and is not saved; give it with --answer`,
      );
      return [];
    }
    return [[isNew ? renamedId(id, process.cwd(), folder) : id, answer.slice(0, at + 1) + (place ?? answer)]];
  });
  if (named.length === 0) return true;
  const written = `${file}.${process.pid}`;
  try {
    const other = replaceableBy(file, statSync(folder));
    if (other !== null) {
      terminal.problem(shown(file), `${other}; the answers are not saved`);
      return false;
    }
    const changed = withAnswers(isNew ? null : readSettingsNow(file).toString('utf8'), new Map(named));
    if (changed === null) {
      terminal.problem(shown(file), 'is not JSON; the answers are not saved');
      return false;
    }
    writeFileSync(written, changed, { flag: 'wx', mode: isNew ? 0o644 : statSync(file).mode & 0o777 });
    renameSync(written, file);
    log.success(`The answers are in ${printable(shown(file))}.`);
    return true;
  } catch (error) {
    rmSync(written, { force: true });
    terminal.problem(shown(file), `the answers could not be saved (${(error as Error).message})`);
    return false;
  }
}

/** As seen from here, where that is shorter. */
function shown(file: string): string {
  const relative = path.relative('', file);
  return relative !== '' && relative.length < file.length ? relative : file;
}
