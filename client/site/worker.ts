/**
 * The worker of the page: the core of the extension and of the command line, with texts in and
 * plain data out. It reads no files, and asks nothing of a network.
 */
import { answerProblem, questionIdOrFallback } from '../../server/src/analysis/answers';
import { fixesOf } from '../../server/src/analysis/fixes';
import type { PlacedFinding } from '../../server/src/analysis/findings';
import { verdictOf } from '../../server/src/analysis/upgrade-plan';
import { isUnusedCopy } from '../../server/src/directives/recognize';
import { completion } from '../../server/src/features/completion/completion';
import { runToEnd } from '../../server/src/config/resumable';
import { PlanGatherer } from '../../server/src/features/plan';
import { findingToJson } from '../../server/src/features/finding-json';
import { projectOfTexts, type ProjectOfTexts } from '../../server/src/features/project-of-texts';
import { hover } from '../../server/src/features/hover/hover';
import { escapeHtml } from '../../server/src/features/report/html';
import type { MarkupWriter } from '../../server/src/features/explain-access';
import type { ReportAccess } from '../../server/src/features/report/upgrade-report';
import { semanticTokens, TOKEN_TYPES } from '../../server/src/features/semantic-tokens';
import { Tree } from '../../server/src/syntax/document';
import { EXAMPLE } from './example';
import { openFiles } from './open-files';
import { answerRequest, otherSections } from './request';
import { pack, save, unpack } from './packed';
import type {
  AccessTable,
  Checked,
  Completions,
  Problem,
  Question,
  Reply,
  Requests,
  TextEdit,
  Texts,
  Token,
} from './protocol';

/** The part of a worker's global scope that this file uses. */
interface WorkerScope {
  onmessage: ((event: { readonly data: Question }) => void) | null;
  postMessage(message: Reply): void;
}

/** The last check: later requests are about its files. */
let last: { readonly read: ProjectOfTexts; readonly findings: ReadonlyMap<string, readonly PlacedFinding[]> } | null =
  null;

const requests: Requests = {
  request: (asked) => (last ? answerRequest(asked, last.read) : 'Paste a configuration first.'),
  tokens,
  check,
  edits,
  hover: hoverAt,
  complete,
  open: openFiles,
  pack,
  unpack,
  save,
};

const scope = globalThis as unknown as WorkerScope;
scope.onmessage = ({ data: { id, name, asked } }) => {
  try {
    scope.postMessage({ id, answer: (requests[name] as (given: unknown) => unknown)(asked) });
  } catch (error) {
    scope.postMessage({ id, error: (error as Error).message });
  }
};

// The first check is slow: it reads the tables, and nothing is compiled yet. It runs while the page
// is drawn.
setTimeout(() => {
  check({ files: { 'httpd.conf': EXAMPLE }, answers: {}, unsafe: false });
  last = null;
});

// ---------------------------------------------------------------------------------------------------------------------

function tokens(text: string): readonly Token[] {
  const tree = Tree.parse(text);
  const data = semanticTokens(tree);
  const found: Token[] = [];
  let [line, character] = [0, 0];
  for (let i = 0; i < data.length; i += 5) {
    character = data[i] === 0 ? character + data[i + 1]! : data[i + 1]!;
    line += data[i]!;
    const start = tree.offsetAt({ line, character });
    const type = TOKEN_TYPES[data[i + 3]!]! + (data[i + 4] === 0 ? '' : ' deprecated');
    found.push({ start, end: start + data[i + 2]!, type });
  }
  return found;
}

function check({ files, answers: given, unsafe }: Parameters<Requests['check']>[0]): Checked {
  const answers = Object.fromEntries(Object.entries(given).filter(([id, value]) => answerProblem(id, value) === null));
  const isUnused = unusedIn(files);
  const read = projectOfTexts(files, { answers }, { isUnused });
  const { namedFiles, settings, projectOfFiles: ofFiles } = read;
  const isDormant = dormantIn(read, isUnused);
  const findings = new Map(namedFiles.map((file) => [file.name, isDormant(file) ? [] : [...ofFiles.findings(file)]]));
  last = { read, findings };
  const names = new Map(namedFiles.map(({ path, name }) => [path, name]));
  const gatherer = new PlanGatherer({ project: ofFiles.project, displayName: (file) => names.get(file) ?? file });
  for (const each of namedFiles) {
    const file = { ...ofFiles.projectFileOf(each), name: each.name };
    if (isDormant(each)) gatherer.addUnreadFile(file);
    else runToEnd(gatherer.addFile(file));
  }
  const { plan, details } = gatherer.finishPlan();
  const tables = details.flatMap(({ access }) => access.flatMap(accessTable));
  return {
    files: namedFiles.map((file) => {
      const { answerSet } = settings.engineOf(file.path);
      const json = findingToJson((doubt) => questionIdOrFallback(doubt, answerSet));
      return {
        name: file.name,
        problems: findings.get(file.name)!.map((finding): Problem => {
          const { places: _places, range, ...rest } = json(file.tree, finding);
          const { start, end } = finding;
          return { ...rest, start, end, line: range.start.line, places: finding.places };
        }),
      };
    }),
    ...fixed(unsafe ? projectOfTexts(files, { answers }, { unsafe, isUnused }) : read, { unsafe, isDormant }),
    verdict: verdictOf(plan),
    summary: plan.summary,
    questions: [
      ...new Map(plan.configurations.flatMap(({ questions }) => questions.map((each) => [each.id, each]))).values(),
    ],
    onServer: plan.configurations.flatMap(({ onServer }) =>
      onServer.map((item) => ({ what: item.what, commands: [], isNote: 'isNote' in item })),
    ),
    access: [...tables, ...otherSections(read, tables)],
  };
}

/** Of several files: names of copies that users and packages make, below the dropped directory. */
function unusedIn(files: Texts): (name: string) => boolean {
  return Object.keys(files).length === 1 ? () => false : (name) => isUnusedCopy(name.replace(/^[^/]*\//, ''));
}

/** Whether no server reads a file: it then has no problems, as on the command line. */
function dormantIn({ namedFiles, projectOfFiles }: ProjectOfTexts, isUnused: (name: string) => boolean) {
  return ({ path, name }: ProjectOfTexts['namedFiles'][number]): boolean =>
    namedFiles.length > 1 &&
    projectOfFiles.rootsOf(path)[0] === '' &&
    (isUnused(name) || projectOfFiles.isUnread(path));
}

interface FixOptions {
  readonly unsafe: boolean;
  readonly isDormant: (file: ProjectOfTexts['namedFiles'][number]) => boolean;
}

/** The same as `fix` of the command line. */
function fixed(
  { namedFiles, projectOfFiles }: ProjectOfTexts,
  { unsafe, isDormant }: FixOptions,
): { readonly fixed: Texts; readonly fixes: number } {
  const texts: Record<string, string> = {};
  let fixes = 0;
  for (const file of namedFiles) {
    const before = file.tree.text();
    texts[file.name] = before;
    if (isDormant(file)) continue;
    const { text, appliedCount } = projectOfFiles.project.fixedFileResult(projectOfFiles.projectFileOf(file), {
      unsafe,
    });
    texts[file.name] = text;
    if (text !== before) fixes += appliedCount;
  }
  return { fixed: texts, fixes };
}

const HTML: MarkupWriter = {
  text: escapeHtml,
  code: (text) => `<code>${escapeHtml(text)}</code>`,
  block: (text) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`,
  strong: (text) => `<strong>${text}</strong>`,
};

function accessTable({ file, line, answer }: ReportAccess): AccessTable[] {
  const answered = answer(HTML);
  return answered ? [{ file, line, ...answered }] : [];
}

function edits({ file, problem, fix }: Parameters<Requests['edits']>[0]): Record<string, readonly TextEdit[]> | null {
  const finding = last?.findings.get(file)?.[problem];
  const chosen = finding && fixesOf(finding)[fix];
  if (!last || !chosen) return null;
  const names = new Map(last.read.namedFiles.map(({ path, name }) => [path, name]));
  const all: Record<string, readonly TextEdit[]> = { [file]: plain(chosen.edits) };
  for (const [path, more] of chosen.fix.elsewhere ?? []) all[names.get(path) ?? path] = plain(more);
  return all;
}

function plain(given: readonly TextEdit[]): readonly TextEdit[] {
  return given.map(({ start, end, text }) => ({ start, end, text })).sort((a, b) => a.start - b.start);
}

/** A file of the last check with its text as it is now. */
function current(name: string, text: string) {
  const file = last?.read.namedFiles.find((each) => each.name === name);
  if (!last || !file) return null;
  const tree = file.tree.text() === text ? file.tree : Tree.parse(text);
  const { info, engine } = last.read.projectOfFiles.projectFileOf({ path: file.path, tree });
  engine.analyze(tree, info);
  return { tree, info, engine };
}

function hoverAt({ file, text, offset }: Parameters<Requests['hover']>[0]): ReturnType<Requests['hover']> {
  const found = current(file, text);
  if (!found) return null;
  const { tree, info, engine } = found;
  const shown = hover(tree, offset, engine.target, {
    engine,
    isHtaccess: info.isHtaccess,
    fileContext: info.fileContext,
  });
  if (!shown) return null;
  const { contents, range } = shown;
  return {
    markdown: (contents as { readonly value: string }).value,
    start: range ? tree.offsetAt(range.start) : offset,
    end: range ? tree.offsetAt(range.end) : offset,
  };
}

const PLAIN_COMPLETION = {
  supportsSnippets: false,
  supportsLabelDetails: true,
  supportsTags: true,
  supportsDefaultRange: false,
  supportsDefaultData: false,
  requestsEditsLater: false,
  supportsInsertReplace: false,
  retriggers: false,
} as const;

function complete({ file, text, offset, isAsked }: Parameters<Requests['complete']>[0]): Completions | null {
  const found = current(file, text);
  if (!found) return null;
  const { tree, info, engine } = found;
  const triggerCharacter = isAsked ? undefined : text[offset - 1];
  const isWord = triggerCharacter === undefined || /\w/.test(triggerCharacter);
  const list = completion(
    {
      tree,
      offset,
      engine,
      isHtaccess: info.isHtaccess,
      fileContext: info.fileContext,
      ...(!isWord && { triggerCharacter }),
    },
    PLAIN_COMPLETION,
  );
  if (!list) return null;
  let from = offset;
  const items = list.items.map((item) => {
    const edit = item.textEdit;
    if (edit && 'range' in edit) from = tree.offsetAt(edit.range.start);
    return {
      label: item.label,
      text: edit?.newText ?? item.insertText ?? item.label,
      detail: item.labelDetails?.description ?? item.detail ?? '',
      isOld: item.tags !== undefined && item.tags.length > 0,
    };
  });
  return { from, items };
}
