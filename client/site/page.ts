/** The page: the user's text on the left, what 2.4 needs on the right, and the answers below. */
import { showAnswer } from './answer';
import { ask } from './core';
import { amount, button, byId, element, replace } from './dom';
import { ConfigurationEditor, ResultView } from './editor';
import { EXAMPLE } from './example';
import { chosenFiles, download, droppedFiles } from './files';
import { kindOf, KINDS, type Kind } from './kinds';
import { showAccess, showProblems, showQuestions } from './results';
import type { Checked, Encodings, Place, RequestAnswer, Texts } from './protocol';

/** Milliseconds without a key before the text is checked. */
const PAUSE = 120;
/** Links in addresses stay below what browsers, chats and trackers take. */
const LONGEST_LINK = 60_000;
const LINK = '#c=';

let kind: Kind = 'main';
let files: Record<string, string> = { [KINDS.main.fileName]: '' };
let shownFile = KINDS.main.fileName;
/** Of files that the user opened: others are UTF-8. */
let encodings: Encodings = {};
let answers: Record<string, string> = {};
let checked: Checked | null = null;
/** Grows with every change: an answer about an older state is dropped. */
let version = 0;
/** Whether the form for a request was sent: its answer then follows the text. */
let isRequestAsked = false;
let timer = 0;
let isChecking = false;

const editor = new ConfigurationEditor({
  parent: byId('editor'),
  fileName: () => shownFile,
  onChange: () => {
    files = { ...files, [shownFile]: editor.text };
    changed();
  },
  onFix: (problem, fix) => void applyFix(shownFile, problem, fix),
});
const result = new ResultView(byId('result'));
const unsafe = byId<HTMLInputElement>('unsafe');
const fileList = byId<HTMLSelectElement>('file');

// --- State
// ----------------------------------------------------------------------------------------------------------

function changed({ now = false } = {}): void {
  version++;
  clearTimeout(timer);
  if (now) void check();
  else timer = window.setTimeout(() => void check(), PAUSE);
}

/** Checks the files, and once more if they change meanwhile. */
async function check(): Promise<void> {
  if (isChecking) return;
  isChecking = true;
  const asked = version;
  byId('state').setAttribute('data-checked', '');
  try {
    checked = await ask('check', { files, answers, unsafe: unsafe.checked });
    if (asked === version) show(checked);
  } catch (error) {
    byId('state').textContent = `This text could not be checked: ${(error as Error).message}`;
  } finally {
    isChecking = false;
  }
  if (asked !== version) void check();
  else void updateLink();
}

interface Loaded {
  readonly chosen?: Kind;
  readonly answers?: Readonly<Record<string, string>>;
  readonly encodings?: Encodings;
}

/** Replaces all files: by those of a drop, of a link, or by the example. */
function load(given: Texts, loaded: Loaded = {}): void {
  files = { ...given };
  answers = { ...loaded.answers };
  encodings = loaded.encodings ?? {};
  shownFile = mainOf(Object.keys(files));
  kind = loaded.chosen ?? kindOf(shownFile, files[shownFile]!);
  for (const radio of document.querySelectorAll<HTMLInputElement>('input[name="kind"]'))
    radio.checked = radio.value === kind;
  editor.show(files[shownFile]!);
  showFiles();
  changed({ now: true });
}

function mainOf(names: readonly string[]): string {
  return names.find((name) => /(?:^|\/)(?:httpd|apache2)\.conf$/.test(name)) ?? names[0]!;
}

function showFiles(): void {
  const names = Object.keys(files);
  const isSingle = names.length === 1;
  byId('files').hidden = isSingle;
  byId('kinds').hidden = !isSingle;
  replace(
    fileList,
    ...names.map((name) => {
      const count = checked?.files.find((each) => each.name === name)?.problems.length ?? 0;
      const option = element('option', { value: name }, count > 0 ? `${name} (${count})` : name);
      option.selected = name === shownFile;
      return option;
    }),
  );
}

function showFile(name: string, offset = 0): void {
  if (name !== shownFile) {
    shownFile = name;
    editor.show(files[name]!);
    if (checked) show(checked);
  }
  editor.goTo(offset);
}

async function applyFix(file: string, problem: number, fix: number): Promise<void> {
  const asked = version;
  const edits = await ask('edits', { file, problem, fix });
  if (edits === null || asked !== version) return;
  for (const [name, changes] of Object.entries(edits)) {
    if (name === shownFile) editor.edit(changes);
    else if (files[name] !== undefined) files[name] = changedText(files[name], changes);
  }
  changed({ now: true });
}

function changedText(text: string, edits: readonly { start: number; end: number; text: string }[]): string {
  return [...edits].reverse().reduce((now, edit) => now.slice(0, edit.start) + edit.text + now.slice(edit.end), text);
}

// --- What is shown
// --------------------------------------------------------------------------------------------------

function show(now: Checked): void {
  const isEmpty = Object.values(files).every((text) => text.trim() === '');
  const here = now.files.find(({ name }) => name === shownFile);
  editor.showProblems(here?.problems ?? []);
  result.show(files[shownFile]!, now.fixed[shownFile] ?? files[shownFile]!);
  showFiles();
  const total = now.files.reduce((sum, { problems }) => sum + problems.length, 0);
  const state = byId('state');
  state.setAttribute('data-checked', String(version));
  state.textContent = isEmpty
    ? 'Paste a configuration, drop a file, or see the example.'
    : `${amount(total, 'problem')} · ${amount(now.fixes, unsafe.checked ? 'fix' : 'safe fix', unsafe.checked ? 'fixes' : 'safe fixes')} · ${amount(now.summary.questions, 'question')} open`;
  document.body.classList.toggle('is-empty', isEmpty);
  showChanges(now);
  showProblems(byId('problems'), {
    files: now.files,
    shownFile,
    onOpen: showFile,
    onFix: (...place) => void applyFix(...place),
  });
  showQuestions(byId('questions'), { questions: now.questions, answers, placeButton, onAnswer: answer });
  byId('unknown').textContent = Object.keys(files).length === 1 ? KINDS[kind].unknown : '';
  if (isRequestAsked) void explainRequest();
  showAccess(byId('access'), { tables: now.access, placeButton });
}

function showChanges(now: Checked): void {
  const names = changedNames(now);
  const isChanged = files[shownFile] !== now.fixed[shownFile];
  byId('changes').textContent =
    isChanged || files[shownFile]!.trim() === ''
      ? ''
      : names.length > 0
        ? 'This file stays as it is. Other files change.'
        : 'Nothing changes here.';
  byId<HTMLButtonElement>('apply').disabled = names.length === 0;
}

function changedNames(now: Checked): string[] {
  return Object.keys(files).filter((name) => now.fixed[name] !== undefined && now.fixed[name] !== files[name]);
}

function openLine(file: string, line: number): void {
  const starts = files[file]?.split('\n').slice(0, line) ?? [];
  showFile(
    file,
    starts.reduce((sum, each) => sum + each.length + 1, 0),
  );
}

/** A control that shows a line; the name of the only file is left out. */
function placeButton({ file, line }: Place): HTMLElement {
  const isOnly = Object.keys(files).length === 1;
  return button(isOnly ? `line ${line + 1}` : `${file}:${line + 1}`, () => openLine(file, line), { class: 'place' });
}

function answer(id: string, value: string | null): void {
  const { [id]: _old, ...rest } = answers;
  answers = value === null ? rest : { ...rest, [id]: value };
  changed({ now: true });
}

// --- Links
// ----------------------------------------------------------------------------------------------------------

async function linkOfState(): Promise<string> {
  return `${LINK}${await ask('pack', { files, answers })}`;
}

async function explainRequest(): Promise<void> {
  const [asked, value] = [version, (id: string) => byId<HTMLInputElement>(`request-${id}`).value];
  const given = { request: value('url'), from: value('from'), user: value('user'), headers: value('headers') };
  let answer: RequestAnswer | string;
  try {
    answer = await ask('request', given);
  } catch (error) {
    answer = `This request could not be explained: ${(error as Error).message}`;
  }
  if (asked === version) showAnswer(byId('answer'), answer, placeButton);
}

/** After a link was made or opened, the address stays the link of what is shown. */
async function updateLink(): Promise<void> {
  if (!location.hash.startsWith(LINK)) return;
  const asked = version;
  const link = await linkOfState();
  if (asked === version) history.replaceState(null, '', link.length <= LONGEST_LINK ? link : location.pathname);
}

async function copyLink(): Promise<void> {
  const link = await linkOfState();
  if (link.length > LONGEST_LINK) {
    notice('This configuration is too long for a link. Download the files instead.');
    return;
  }
  history.replaceState(null, '', link);
  notice(
    (await copied(location.href)) ? 'Link copied. The text is in the link itself.' : 'The link is in the address bar.',
  );
}

async function openLink(): Promise<boolean> {
  if (!location.hash.startsWith(LINK)) return false;
  const state = await ask('unpack', location.hash.slice(LINK.length));
  if (!state) {
    notice('This link is damaged: its text cannot be read.');
    return false;
  }
  load(state.files, { answers: state.answers });
  return true;
}

/** In this tab, until it is closed: the text is there again after a visit of another page. */
const KEPT = 'httpd-upgrade';

function keep(): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ files, answers, encodings }));
  } catch {
    // The browser allows no storage, or the text is too long for it.
  }
}

/** Whether there was a text of an earlier visit in this tab. */
function openKept(): boolean {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null');
    if (kept === null || Object.values<string>(kept.files).every((text) => text === '')) return false;
    load(kept.files, kept);
    return true;
  } catch {
    return false;
  }
}

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

let noticeTimer = 0;

function notice(text: string): void {
  byId('notice').textContent = text;
  clearTimeout(noticeTimer);
  noticeTimer = window.setTimeout(() => (byId('notice').textContent = ''), 8000);
}

// --- Files
// ----------------------------------------------------------------------------------------------------------

async function open(given: Promise<readonly { name: string; bytes: Uint8Array }[]>): Promise<void> {
  try {
    const opened = await ask('open', await given);
    if (Object.keys(opened.files).length > 0) load(opened.files, { encodings: opened.encodings });
    notice(
      [Object.keys(opened.files).length === 0 ? 'No httpd configuration found.' : '', ...opened.notes.slice(0, 3)]
        .filter(Boolean)
        .join(' '),
    );
  } catch (error) {
    notice(`The files could not be read: ${(error as Error).message}`);
  }
}

async function downloadResult(): Promise<void> {
  if (!checked) return;
  const [first = '', ...others] = Object.keys(files);
  const name = others.length > 0 ? 'httpd-2.4.zip' : first.slice(first.lastIndexOf('/') + 1);
  download(name, await ask('save', { files: { ...files, ...checked.fixed }, encodings }));
}

// --- Start
// ----------------------------------------------------------------------------------------------------------

function start(): void {
  for (const radio of document.querySelectorAll<HTMLInputElement>('input[name="kind"]'))
    radio.addEventListener('change', () => {
      kind = radio.value as Kind;
      shownFile = KINDS[kind].fileName;
      files = { [shownFile]: editor.text };
      changed({ now: true });
    });
  fileList.addEventListener('change', () => showFile(fileList.value));
  unsafe.addEventListener('change', () => changed({ now: true }));
  byId('example').addEventListener('click', () => load({ [KINDS.main.fileName]: EXAMPLE }));
  byId('clear').addEventListener('click', () => {
    load({ [KINDS[kind].fileName]: '' }, { chosen: kind });
    editor.view.focus();
  });
  byId('link').addEventListener('click', () => void copyLink());
  byId('copy').addEventListener('click', async () => {
    if (checked)
      notice((await copied(checked.fixed[shownFile] ?? '')) ? 'Copied.' : 'The browser does not allow copying.');
  });
  byId('download').addEventListener('click', () => void downloadResult());
  byId('apply').addEventListener('click', () => {
    if (!checked) return;
    const { fixed } = checked;
    const before = files[shownFile]!;
    const after = fixed[shownFile] ?? before;
    files = { ...files, ...fixed, [shownFile]: before };
    if (after !== before) editor.edit([{ start: 0, end: before.length, text: after }]);
    changed({ now: true });
  });
  byId('request').addEventListener('submit', (event) => {
    event.preventDefault();
    isRequestAsked = true;
    void explainRequest();
  });
  for (const id of ['choose-files', 'choose-folder']) {
    const input = byId<HTMLInputElement>(id);
    byId(`${id}-button`).addEventListener('click', () => input.click());
    input.addEventListener('change', () => {
      void open(chosenFiles([...(input.files ?? [])]));
      input.value = '';
    });
  }
  addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    document.body.classList.add('is-dropping');
  });
  addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) document.body.classList.remove('is-dropping');
  });
  // Before the editor, which would insert the names or the texts of the files.
  addEventListener(
    'drop',
    (event) => {
      document.body.classList.remove('is-dropping');
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      event.stopPropagation();
      void open(droppedFiles(event.dataTransfer));
    },
    true,
  );
  addEventListener('hashchange', () => void openLink());
  addEventListener('pagehide', keep);
  void openLink().then((isOpened) => {
    if (!isOpened && !openKept()) changed({ now: true });
  });
}

start();
