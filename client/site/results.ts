/** The lists below the editors: problems, questions, and who has access. */
import {
  findOutCommandOf,
  DONT_KNOW_LABEL,
  markOfUsualAnswer,
  typeOfFindOut,
} from '../../server/src/analysis/question-surfaces';
import { amount, button, element, marked, replace } from './dom';
import type { AccessTable, Checked, Problem } from './protocol';

/** Longer lists would stop the page. */
const MOST_PROBLEMS = 200;
const MOST_TABLES = 60;

/** A control that shows a line in the editor. */
type PlaceButton = (place: { readonly file: string; readonly line: number }) => HTMLElement;

interface ProblemsOptions {
  readonly files: Checked['files'];
  readonly shownFile: string;
  readonly onOpen: (file: string, offset: number) => void;
  readonly onFix: (file: string, problem: number, fix: number) => void;
}

/** Those of the shown file come first. */
export function showProblems(parent: HTMLElement, { files, shownFile, onOpen, onFix }: ProblemsOptions): void {
  const ordered = [...files].sort((a, b) => Number(b.name === shownFile) - Number(a.name === shownFile));
  const all = ordered.flatMap(({ name, problems }) => problems.map((problem, index) => ({ name, problem, index })));
  const rows = all.slice(0, MOST_PROBLEMS).map(({ name, problem, index }) => {
    const place = files.length === 1 ? `Line ${problem.line + 1}` : `${name}:${problem.line + 1}`;
    const key = `${name} ${problem.rule} ${problem.line}`;
    return element(
      'li',
      { class: `problem ${problem.severity}` },
      element(
        'div',
        { class: 'problem-head' },
        element('span', { class: 'severity' }, problem.severity),
        button(place, () => onOpen(name, problem.start), { class: 'place', 'data-key': key }),
        element('span', { class: 'consequence' }, problem.consequence),
        element('a', { class: 'rule', href: `rules/${problem.rule}.html`, target: '_blank' }, problem.rule),
      ),
      element('p', { class: 'headline' }, ...marked(problem.message)),
      problem.help || problem.cause
        ? element('p', { class: 'quiet' }, ...marked(problem.help ?? problem.cause ?? ''))
        : null,
      problem.serverText
        ? element('p', { class: 'quiet' }, 'httpd 2.4: ', element('code', {}, problem.serverText))
        : null,
      fixButtons(problem, key, (fix) => onFix(name, index, fix)),
    );
  });
  const more = all.length - rows.length;
  replace(
    parent,
    rows.length > 0
      ? element('ol', { class: 'plain' }, ...rows)
      : element('p', { class: 'quiet' }, 'No problems found.'),
    more > 0 ? element('p', {}, `${more} more problems are not listed. Fix some of these first.`) : null,
  );
}

function fixButtons({ fixes }: Problem, key: string, onFix: (fix: number) => void): HTMLElement | null {
  if (fixes.length === 0) return null;
  return element(
    'div',
    { class: 'fixes' },
    ...fixes.map(({ title, safety, assumes }, index) =>
      element(
        'span',
        {},
        button(title, () => onFix(index), { class: safety, 'data-key': `${key} ${title}` }),
        element(
          'span',
          { class: 'quiet' },
          safety === 'safe' ? ' safe fix' : ` suggestion${assumes ? `, if ${assumes}` : ': check first'}`,
        ),
      ),
    ),
  );
}

interface QuestionsOptions {
  readonly questions: Checked['questions'];
  readonly answers: Readonly<Record<string, string>>;
  readonly placeButton: PlaceButton;
  readonly onAnswer: (id: string, value: string | null) => void;
}

/** Nothing is preselected but `I don't know`: a wrong answer can open access. */
export function showQuestions(
  parent: HTMLElement,
  { questions, answers, placeButton, onAnswer }: QuestionsOptions,
): void {
  const sets = questions.map((each, at) => {
    const choice = (value: string | null, label: string, note: string) => {
      const input = element('input', { type: 'radio', name: `question-${at}`, 'data-key': `${each.id} ${value}` });
      input.checked = (answers[each.id] ?? null) === value;
      input.addEventListener('change', () => onAnswer(each.id, value));
      return element(
        'label',
        {},
        input,
        element('span', {}, ...marked(label), note === '' ? '' : element('span', { class: 'quiet' }, ` · ${note}`)),
      );
    };
    // A copy of the files is dropped on the page instead of being named by its path.
    const choices = each.answers.filter(({ value }) => !value.endsWith('='));
    const canDrop = choices.length < each.answers.length;
    return element(
      'fieldset',
      { class: 'question' },
      element('legend', {}, ...marked(each.question)),
      element('p', { class: 'quiet' }, ...marked(each.why)),
      findOut(each.findOut),
      ...choices.map(({ value, label, ready }, index) =>
        choice(
          value,
          label,
          [markOfUsualAnswer(each.id, index), ready > 0 ? `${amount(ready, 'fix', 'fixes')} ready` : '']
            .filter(Boolean)
            .join(', '),
        ),
      ),
      choice(null, DONT_KNOW_LABEL, each.ifUnknown),
      canDrop ? element('p', { class: 'quiet' }, 'You have these files? Drop the whole folder on this page.') : null,
      places(each.places, placeButton),
    );
  });
  replace(parent, ...(sets.length > 0 ? sets : [element('p', { class: 'quiet' }, 'No questions are open.')]));
}

/** A command to copy, a link, or a sentence. */
function findOut(text: string): HTMLElement | null {
  if (text === '') return null;
  const way = typeOfFindOut(text);
  if (way !== 'command')
    return element(
      'details',
      {},
      element('summary', {}, 'How to find out'),
      element('p', {}, ...(way === 'page' ? [element('a', { href: text, target: '_blank' }, text)] : marked(text))),
    );
  const { placeToRun, command, meaning } = findOutCommandOf(text);
  return element(
    'details',
    {},
    element('summary', {}, `How to find out${placeToRun === '' ? '' : `, ${placeToRun}`}`),
    element('pre', { tabindex: '0' }, element('code', {}, command)),
    meaning === '' ? null : element('p', {}, meaning),
  );
}

function places(
  all: readonly { readonly file: string; readonly line: number }[],
  placeButton: PlaceButton,
): HTMLElement | null {
  if (all.length === 0) return null;
  const shown = all.slice(0, 6).flatMap((place) => [placeButton(place), ' ']);
  return element('p', { class: 'places' }, ...shown, all.length > 6 ? `and ${all.length - 6} more` : '');
}

interface AccessOptions {
  readonly tables: readonly AccessTable[];
  readonly placeButton: PlaceButton;
}

export function showAccess(parent: HTMLElement, { tables, placeButton }: AccessOptions): void {
  const shown = tables
    .slice(0, MOST_TABLES)
    .map((each) =>
      element(
        'article',
        { class: 'access' },
        element('h3', {}, html('span', each.name), ' ', placeButton(each)),
        html('p', capital(each.sentenceEnd.replace(/^[:\s]+/, ''))),
        ...each.tables.map((table) => tableOf(table)),
        each.convertedLines === null ? null : html('div', `<p>In 2.4:</p> ${each.convertedLines}`, 'converted'),
        each.remark === null ? null : element('p', { class: 'quiet' }, each.remark),
      ),
    );
  replace(
    parent,
    ...(shown.length > 0 ? shown : [element('p', { class: 'quiet' }, 'No section of these lines controls access.')]),
    tables.length > shown.length
      ? element('p', {}, `${tables.length - shown.length} more sections are not shown.`)
      : null,
  );
}

/** One column for all servers becomes two, so that both versions are named. */
function tableOf({ methods, inWords, head, rows, isSame }: AccessTable['tables'][number]): HTMLElement {
  const names = isSame ? ['Client', '2.2', '2.4'] : head.map(capital);
  const cells = isSame ? rows.map(([client, answer]) => [client!, answer!, answer!]) : rows;
  return element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Who has access' },
    methods === null ? null : html('p', `${methods}: ${inWords}.`),
    element(
      'table',
      {},
      element('thead', {}, element('tr', {}, ...names.map((name) => element('th', { scope: 'col' }, name)))),
      element(
        'tbody',
        {},
        ...cells.map(([first, ...rest]) => {
          const row = element('tr', {});
          const header = html('th', capital(first!));
          header.setAttribute('scope', 'row');
          row.append(header, ...rest.map((cell) => html('td', cell, answerClass(cell))));
          return row;
        }),
      ),
    ),
  );
}

function answerClass(cell: string): string {
  if (/allowed|granted/.test(cell)) return 'allowed';
  return /denied|error/.test(cell) ? 'denied' : '';
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** An element with HTML that the worker has made and escaped. */
function html(name: 'span' | 'p' | 'td' | 'th' | 'div', content: string, className = ''): HTMLElement {
  const made = element(name, className === '' ? {} : { class: className });
  made.innerHTML = content;
  return made;
}
