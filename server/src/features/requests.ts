/**
 * Explains one request to a configuration: which virtual host, file and sections apply, and what
 * 2.2, 2.4 with mod_access_compat, and 2.4 with the converted files decide. The steps are in
 * requests/decide.ts; this file adds the conversion and combines the decisions.
 */
import { applyEdits, fixText } from '../analysis/fixes';
import { openQuestion } from '../access/open-question';
import { isSettled } from '../analysis/answers';
import { resolvePath, type FileView } from '../config/files';
import { decide } from '../requests/decide';
import {
  REQUEST_SERVERS,
  type Access,
  type Answer,
  type Request,
  type RequestConfiguration,
  type RequestFiles,
  type FileLine,
  type RequestServer,
  type SectionRow,
  type UnknownFact,
} from '../requests/model';
import { requestUrl } from '../requests/request-text';
import { countFilesRead } from '../requests/site';
import { addTo, groupedBy } from '../syntax/groups';
import { lazy } from '../syntax/memory';
import { Tree } from '../syntax/document';
import type { SettingsByFile } from './project';
import { factAfterUserAnswer } from './missing-parts';
import { readProject, type ReadProject } from './read-project';

/** The configuration to which requests are sent. */
export interface RequestOptions {
  /** The main file, with symbolic links resolved. */
  readonly root: string;
  readonly view: FileView;
  readonly settings: SettingsByFile;
  /** The project of the files, if the caller has one. Without it, a project is made. */
  readonly project?: ConvertedProject;
}

/** The parts of a project that tell how its files are converted. */
type ConvertedProject = Pick<ReadProject, 'accessConversion' | 'editsOfFile' | 'infoOf'>;

/**
 * Makes a configuration that requests can be sent to. The conversion is made when it is first
 * needed.
 */
export function requestConfiguration({
  root: mainFile,
  view,
  settings,
  project,
}: RequestOptions): RequestConfiguration {
  const { target, answerSet } = settings.engineOf(mainFile);
  const mpm = answerSet.answers.get('mpm') ?? null;
  return {
    mainFile,
    files: { view },
    convertedFiles: lazy(() => convertedFiles({ root: mainFile, view, settings, project })),
    server: settings.serverOf(mainFile),
    target,
    mpm: mpm === 'keep' ? null : mpm,
    hasNoAccessLines: (directory) =>
      isSettled(openQuestion('htaccess-unseen', resolvePath('/', directory)), answerSet, false),
    includesNoAccessLines: (path) => isSettled(openQuestion('include-unseen', path), answerSet, false),
  };
}

/** What several servers decide about one request. */
export interface ExplainedRequest {
  readonly request: Request;
  /** The decision of each server. */
  readonly answers: readonly Answer[];
  /**
   * The answers under the assumption that the parts which are missing in this copy do not matter.
   * Null if all answers are known without it, or if some stay unknown.
   */
  readonly answersOfCopy: readonly Answer[] | null;
  /**
   * The sections that at least one server considers, each once, in the order of the first server.
   */
  readonly sections: readonly SectionRow[];
  /** The facts that are not known here and may change a decision. */
  readonly unknown: readonly UnknownFact[];
}

/** What the servers decide about a request, and which sections apply to it. */
export function explainRequest(
  request: Request,
  configuration: RequestConfiguration,
  servers: readonly RequestServer[] = REQUEST_SERVERS,
): ExplainedRequest {
  const serverAnswers = answersOf(request, configuration, servers, false);
  const hasKnownAccess = ({ access }: Answer) => access !== 'unknown';
  const answersForCopy = serverAnswers.every(hasKnownAccess) ? [] : answersOf(request, configuration, servers, true);
  return {
    request,
    answers: serverAnswers,
    answersOfCopy: answersForCopy.length > 0 && answersForCopy.every(hasKnownAccess) ? answersForCopy : null,
    sections: sectionsOfAllAnswers(serverAnswers),
    unknown: uniqueBy(
      serverAnswers.flatMap((answer) => answer.unknown.map((fact) => factAfterUserAnswer(fact, configuration))),
      ({ what, place }) => `${what} ${place?.file}:${place?.line}`,
    ),
  };
}

/**
 * The answer of each server. `ignoresMissingParts`: whether to assume that the parts which are
 * missing in this copy do not matter.
 */
function answersOf(
  request: Request,
  configuration: RequestConfiguration,
  servers: readonly RequestServer[],
  ignoresMissingParts: boolean,
): readonly Answer[] {
  const answersSoFar: Answer[] = [];
  for (const server of servers) {
    const quickAnswerOf24 =
      server === '2.4' && servers.length > 1 ? answerWithoutConversion(request, answersSoFar, configuration) : null;
    answersSoFar.push(quickAnswerOf24 ?? decide(request, configuration, server, { ignoresMissingParts }));
  }
  return answersSoFar;
}

/** Whether the servers decide differently. An unknown decision differs from a known one. */
export function doServersDiffer({ answers }: Pick<ExplainedRequest, 'answers'>): boolean {
  return new Set(answers.map(({ access }) => access)).size > 1;
}

/** The words for a decision. */
export const WORDS_FOR_ACCESS: Readonly<Record<Access, string>> = {
  granted: 'allowed',
  denied: 'denied (403)',
  login: 'login needed (401)',
  error: 'config error (500)',
  unknown: 'unknown',
};

/** The names that users see for the servers on which requests are compared. */
export const SERVER_NAMES: Readonly<Record<RequestServer, string>> = {
  '2.2': 'httpd 2.2',
  '2.4-compat': 'httpd 2.4 with mod_access_compat, files as they are',
  '2.4': 'httpd 2.4, files after the conversion',
};

/**
 * An explained request as JSON. `displayPath` returns the display name of a file. Lines are
 * zero-based.
 */
export function requestJson(
  { request, answers, answersOfCopy, sections, unknown }: ExplainedRequest,
  displayPath: (file: string) => string,
): Record<string, unknown> {
  const locationJson = (place: FileLine | null) => ({
    file: place ? displayPath(place.file) : null,
    line: place ? place.line : null,
  });
  const hostOf = (version: '2.2' | '2.4') => {
    const lastAnswer = answers.findLast(({ server }) => (server === '2.2') === (version === '2.2'));
    return lastAnswer
      ? { name: lastAnswer.host.name, ...locationJson(lastAnswer.host.place), why: lastAnswer.host.why }
      : null;
  };
  const decisionJson = ({ server, access, because, why, losing }: Answer) => ({
    server,
    access,
    because: because.map(({ text, ...place }) => ({ ...locationJson(place), text })),
    why,
    ...(losing && { losing: { ...locationJson(losing.line), text: losing.line.text, newLine: losing.newLine } }),
  });
  const { target } = answers.at(-1)!;
  const hosts = { '2.2': hostOf('2.2'), '2.4': hostOf('2.4') };
  return {
    version: 1,
    request: {
      method: request.method,
      url: requestUrl(request),
      host: request.host,
      port: request.port,
      path: request.path,
      query: request.query,
      from: request.from,
      ...(request.clientName !== undefined && { fromName: request.clientName }),
      user: request.user,
      headers: Object.fromEntries(request.headers),
    },
    virtualHost: Object.fromEntries(Object.entries(hosts).filter(([, host]) => host !== null)),
    target: { kind: target.kind, path: target.path, ...locationJson(target.place) },
    sections: sections.map(({ name, applies, adds, ...place }) => ({ name, ...locationJson(place), applies, adds })),
    decisions: answers.map(decisionJson),
    ...(answersOfCopy && { decisionsOfCopy: answersOfCopy.map(decisionJson) }),
    unknown: unknown.map(({ what, place }) => ({ what, ...locationJson(place) })),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Maximum number of files for a conversion. More files would take seconds. */
const MAX_FILES_TO_CONVERT = 2000;

/**
 * What 2.4 decides with the converted files, if that is known without the conversion. This is often
 * so, because a safe conversion decides as 2.2 does or leaves the lines as they are. Otherwise the
 * answer has the access `unknown`. Null if there are so few files that the conversion takes little
 * time, or if `answers` has no answer of 2.4-compat.
 */
function answerWithoutConversion(
  request: Request,
  answers: readonly Answer[],
  configuration: RequestConfiguration,
): Answer | null {
  const answerOf24 = answers.find(({ server }) => server === '2.4-compat');
  if (!answerOf24 || countFilesRead(configuration) <= MAX_FILES_TO_CONVERT) return null;
  const answerOf22 = answers.find(({ server }) => server === '2.2') ?? decide(request, configuration, '2.2');
  if (answerOf22.access === answerOf24.access) return { ...answerOf24, server: '2.4' };
  // The request is denied by other lines, such as Options or a redirect. A conversion of access
  // control does not change these.
  if (answerOf24.access === 'denied' && !answerOf24.because.some(({ text }) => ACCESS_LINE.test(text)))
    return { ...answerOf24, server: '2.4' };
  const notComputedText = 'the conversion of so many files takes long: `--at 2.4` works it out';
  return {
    ...answerOf24,
    server: '2.4',
    access: 'unknown',
    because: [],
    why: notComputedText,
    unknown: [{ what: notComputedText, place: null }],
  };
}

/** Matches lines about access control and logins. */
const ACCESS_LINE = /^(?:order|allow|deny|satisfy|require|auth\w+)\b/i;

/**
 * The maximum number of files for which the fixes of rules are applied, too. If there are more,
 * only access control is converted.
 */
const MAX_FILES_FOR_FIXES = 300;

/** The files as they are after the conversion. */
function convertedFiles({
  root,
  view,
  settings,
  project = readProject({ view, settings, roots: [root], needsOnlyFixes: true }),
}: RequestOptions): RequestFiles | null {
  const isSmallProject =
    project.accessConversion.configurations.reduce((count, { files }) => count + files.length, 0) <=
    MAX_FILES_FOR_FIXES;
  const treeByPath = new Map<string, Tree | null>();
  const readConverted = (path: string): Tree | null => {
    let tree = treeByPath.get(path);
    if (tree !== undefined) return tree;
    tree = view.read(path);
    if (tree) {
      const realPath = view.realPath(path);
      const textBefore = tree.text();
      const edits = project.editsOfFile(realPath, false);
      const convertedText = edits.length === 0 ? textBefore : applyEdits(textBefore, edits);
      const textAfter = isSmallProject
        ? fixText(settings.engineOf(realPath), convertedText, project.infoOf(realPath, tree)).text
        : convertedText;
      if (textAfter !== textBefore) tree = Tree.parse(textAfter);
    }
    treeByPath.set(path, tree);
    return tree;
  };
  const originsByFile = new Map<string, readonly number[]>();
  const originOf = (file: string, offset: number): number => {
    const [oldTree, newTree] = [view.read(file), readConverted(file)];
    if (!oldTree || !newTree || oldTree === newTree) return offset;
    let origins = originsByFile.get(file);
    if (!origins)
      originsByFile.set(file, (origins = lineOrigins(oldTree.text().split('\n'), newTree.text().split('\n'))));
    return oldTree.offsetAt({ line: origins[newTree.positionAt(offset).line] ?? 0, character: 0 });
  };
  return { view: { ...view, read: readConverted, findChangedPaths: undefined }, originOf };
}

/**
 * Returns for each line of the new text the index of its origin in the old text: the same line, or
 * the first line that it replaces.
 */
function lineOrigins(oldLines: readonly string[], newLines: readonly string[]): number[] {
  const indexesByLine = new Map<string, number[]>();
  oldLines.forEach((line, index) => addTo(indexesByLine, line, index));
  const newLinesByText = groupedBy(newLines, (line) => line);
  // A conversion moves no tag. So if a tag occurs once in both texts, it is the same tag.
  const isSameTag = (line: string, candidates: readonly number[]) =>
    candidates.length === 1 && /^\s*<(?!\/)/.test(line) && newLinesByText.get(line)!.length === 1;
  let nextIndex = 0;
  /** For each line: how many of its candidates are before `nextIndex`, which only grows. */
  const passedCounts = new Map<string, number>();
  return newLines.map((line, index) => {
    const candidates = indexesByLine.get(line) ?? [];
    let passedCount = passedCounts.get(line) ?? 0;
    while (passedCount < candidates.length && candidates[passedCount]! < nextIndex) passedCount++;
    passedCounts.set(line, passedCount);
    const nextSameLine = candidates[passedCount];
    // A line that is equal but far away, with a different neighbour, is equal only by chance.
    const isSameLine =
      nextSameLine !== undefined &&
      (nextSameLine - nextIndex <= 1 ||
        isSameTag(line, candidates) ||
        (line.trim() !== '' && isRunOfEqualLines(oldLines, newLines, nextSameLine, index)));
    if (!isSameLine) return Math.min(nextIndex, oldLines.length - 1);
    nextIndex = nextSameLine + 1;
    return nextSameLine;
  });
}

/**
 * Whether the next line of the new text is equal to one of the next two lines of the old text; true
 * at the end of the new text. `startIndex`: an index in the old text; `index`: in the new text.
 */
function isRunOfEqualLines(
  oldLines: readonly string[],
  newLines: readonly string[],
  startIndex: number,
  index: number,
): boolean {
  return (
    newLines[index + 1] === undefined ||
    oldLines[startIndex + 1] === newLines[index + 1] ||
    oldLines[startIndex + 2] === newLines[index + 1]
  );
}

/**
 * The sections of all answers, each once. A section that applies on at least one server counts as
 * applying. A section that only a later answer has follows the section before it in that answer.
 */
function sectionsOfAllAnswers(answers: readonly Answer[]): SectionRow[] {
  const rows: SectionRow[] = [];
  for (const { sections } of answers) {
    let indexBefore = -1;
    for (const row of sections) {
      const index = rows.findIndex(({ file, line }) => file === row.file && line === row.line);
      if (index < 0) rows.splice(++indexBefore, 0, row);
      else {
        indexBefore = index;
        if (rows[index]!.applies === false && row.applies !== false) rows[index] = row;
      }
    }
  }
  return rows;
}

function uniqueBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
