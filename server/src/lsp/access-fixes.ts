/**
 * The result for the old access lines at a position, for the lightbulb and its command: the change
 * that the plan of the whole configuration has for them, with everything that must change together,
 * in open and closed files; the question that it waits for; or why the lines stay. The plan is
 * cached until a file of the configuration changes.
 */
import {
  CodeActionKind,
  type CancellationToken,
  type CodeAction,
  type Diagnostic,
  type Range,
  type TextDocumentEdit,
} from 'vscode-languageserver';
import { openQuestionTexts, type OpenQuestion } from '../access/open-question';
import { reasonText } from '../access/not-converted';
import type { AccessChange, AccessConversion } from '../analysis/access-conversion';
import { questionId, type AnswerSet } from '../analysis/answers';
import type { PlacedFinding } from '../analysis/engine';
import { applyEdits, fixesOf } from '../analysis/fixes';
import { itemsAround } from '../analysis/suppression';
import { textOfQuestion } from '../analysis/upgrade-plan';
import { isHtaccessName } from '../config/configurations';
import type { FileView } from '../config/files';
import { MAX_QUERIES } from '../config/look-limit';
import { isTransparent, sectionKind } from '../config/sections';
import type { FileChange } from '../features/conversion';
import { textEdits } from '../features/convert';
import { diagnosticOf } from '../features/diagnostics';
import { conditionOneVersion } from '../rules/condition-one-version';
import { orderAllowDeny } from '../rules/order-allow-deny';
import type { Edit } from '../rules/rule';
import type { Tree } from '../syntax/document';
import { addTo } from '../syntax/groups';
import { cacheOf, numbering } from '../syntax/memory';
import { Section } from '../syntax/tree';
import { answersPlace, type AskedQuestion } from './answer-question';
import { wrongEncodingOf, isInWrongEncoding } from './wrong-encoding';
import { shortened, shortenedText } from './navigation';
import { analyzed, canWriteFiles, throwIfCancelled, unlessCancelled, type Analyzed, type Session } from './session';
import { oldLineAt, scopeOf, whyUnreported } from './unreported-access';
import { viewFor } from './view-of-files';
import { accessIn, accessWithin } from './access-conversion';

/**
 * A command of our own client and, for other clients, of the server. Takes an `AccessPlace`:
 * converts the lines there, asks the question that the conversion waits for, or says why it is
 * refused.
 */
export const CONVERT_ACCESS_COMMAND = 'httpdUpgrade.convertAccess';

/** The position of an old access line. */
export interface AccessPlace {
  readonly uri: string;
  /** 0-based. */
  readonly line: number;
  /** Keep the old lines for 2.2. */
  readonly keepsBoth?: boolean;
}

/** The result for the old lines at a position. */
export type AccessCase =
  /**
   * `isSafe`: the change keeps every decision. Otherwise `assumptions` has the open questions that
   * no answer settles, and no question is open.
   */
  | {
      readonly is: 'change';
      readonly isSafe: boolean;
      readonly sections: number;
      readonly assumptions: readonly string[];
      /** By (paths have symbolic links resolved). */
      readonly edits: ReadonlyMap<string, readonly Edit[]>;
      /** The edits with the texts of the files. */
      changes(): readonly FileChange[];
    }
  /**
   * Open questions, at least one. `root` is the path of the main file; null for a file that no
   * configuration reads.
   */
  | { readonly is: 'asks'; readonly questions: readonly AskedQuestion[]; readonly root: string | null }
  | { readonly is: 'refused'; readonly reason: string; readonly cause: RefusedSection | null }
  /** The configuration is too large to be planned on every cursor movement. */
  | { readonly is: 'large' };

/** The section that prevents the conversion of others. */
export interface RefusedSection {
  readonly path: string;
  /** 0-based line of its first old line. */
  readonly line: number;
  readonly section: string;
  /** The number of sections that stay because of it, including itself. */
  readonly holds: number;
  /** The step for the user there, if it is not to change the section and to convert again. */
  readonly help?: string;
}

/**
 * Larger configurations are planned when the user requests the conversion, and not on every cursor
 * movement.
 */
const MOST_FILES = 100;
/** UTF-16 units of all its files. */
const MOST_TEXT = 500_000;
/** Pauses of the walk through a configuration that the lightbulb waits for: about 0.3 seconds. */
const MOST_PAUSES = 100;

/** The lightbulb's actions for old access lines. */
export interface AccessActions {
  /** Actions that come before other actions. */
  readonly actions: readonly CodeAction[];
  /** Whether converting the whole configuration may have an effect. */
  readonly mayConvert: boolean;
  /**
   * Whether the actions explain why the lines stay, and come after the changes of other rules at
   * the place.
   */
  readonly isLast?: boolean;
  /** Whether an action changes the file as one of `actions` does. */
  repeats(action: CodeAction): boolean;
}

/** A document, and whether the walk through its configuration has ended. */
export interface Settled {
  readonly analyzedFile: Analyzed;
  readonly isSettled: boolean;
}

/**
 * The same document after the walk through its configuration, if there are old access lines in a
 * range: before the walk it is unknown which configuration reads the file, so converting one
 * section alone would be wrong. With `isPatient`, waits for a walk of any length. null if the
 * document is closed meanwhile; throws when the request is cancelled.
 */
export async function settledForAccess(
  session: Session,
  uri: string,
  analyzedFile: Analyzed,
  {
    range,
    token,
    isPatient,
  }: { readonly range: Range; readonly token: CancellationToken; readonly isPatient: boolean },
): Promise<Settled | null> {
  if (!session.isTrusted || !hasAccessLines(analyzedFile, range)) return { analyzedFile, isSettled: true };
  const settled = session.workspace.settleWithin(isPatient ? Number.POSITIVE_INFINITY : MOST_PAUSES);
  const isSettled = await unlessCancelled(settled, token);
  const after = await analyzed(session, uri, token);
  return after && { analyzedFile: after, isSettled };
}

/**
 * The first actions of the lightbulb for old access lines in a range. Throws when the request is
 * cancelled.
 */
export async function accessActions(
  session: Session,
  uri: string,
  { analyzedFile, isSettled }: Settled,
  { range, token }: { readonly range: Range; readonly token: CancellationToken },
): Promise<AccessActions> {
  const findings = accessFindings(analyzedFile, range);
  if (!session.isTrusted) return NO_ACTIONS;
  if (findings.length === 0) return unreportedActions(session, { uri, analyzedFile, range, token, isSettled });
  const { cases, mayConvert } = isSettled
    ? await casesOf(session, { uri, analyzedFile, findings, how: 'small', token })
    : { cases: findings.map((): AccessCase => ({ is: 'large' })), mayConvert: false };
  const { tree } = analyzedFile.analysis;
  const handledKeys = new Set<string>();
  const path = session.workspace.identityOf(uri) ?? uri;
  for (const each of cases)
    if (each?.is === 'change' && each.edits.size === 1)
      handledKeys.add(JSON.stringify(textEdits(tree, each.edits.get(path) ?? [])));
  const actions = new Map<string, CodeAction & { diagnostics: Diagnostic[] }>();
  for (const [index, each] of cases.entries()) {
    if (each === null) continue;
    const finding = findings[index]!;
    const line = analyzedFile.analysis.tree.positionAt(finding.start).line;
    const action = actionFor(session, each, { uri, line });
    if (!action) continue;
    const cached = actions.get(action.key) ?? { ...action.action, diagnostics: [] };
    cached.diagnostics.push(diagnosticOf(analyzedFile.analysis.tree, finding));
    actions.set(action.key, cached);
    // Applications are shipped with their .htaccess files, to servers of both versions.
    if (each.is === 'change' && each.isSafe && isHtaccessName(uri) && canWriteFiles(session)) {
      const title = 'Convert access control for both 2.2 and 2.4…';
      const command = { title, command: CONVERT_ACCESS_COMMAND, arguments: [{ uri, line, keepsBoth: true }] };
      actions.set(title, { title, kind: CodeActionKind.QuickFix, command, diagnostics: cached.diagnostics });
    }
  }
  const repeats = ({ edit }: CodeAction) => {
    const [only, ...others] = (edit?.documentChanges ?? []) as TextDocumentEdit[];
    return only !== undefined && others.length === 0 && handledKeys.has(JSON.stringify(only.edits));
  };
  return { actions: [...actions.values()], mayConvert, isLast: cases.every(isUnreported), repeats };
}

/**
 * Milliseconds to wait for the walk through the configuration, because converting one section alone
 * would be wrong.
 */
export const PATIENCE_MS = 10_000;

/**
 * The result for the old lines at a position, for a configuration of any size; null if there are no
 * old lines.
 */
export async function accessCase(
  session: Session,
  { uri, line, keepsBoth = false }: AccessPlace,
  token: CancellationToken,
): Promise<AccessCase | null> {
  const range = { start: { line, character: 0 }, end: { line, character: Number.MAX_SAFE_INTEGER } };
  const first = await analyzed(session, uri, token, PATIENCE_MS);
  const settled = first && (await settledForAccess(session, uri, first, { range, token, isPatient: true }));
  if (!settled || !session.isTrusted) return null;
  const { analyzedFile } = settled;
  if (await isInWrongEncoding(session, analyzedFile.document)) return refusedForEncoding(session, uri, line);
  const findings = accessFindings(analyzedFile, range);
  if (findings.length === 0) {
    const offset = unreportedAt(analyzedFile, range);
    return offset === null ? null : unreportedCase(session, { uri, analyzedFile, offset, how: 'any size', token });
  }
  const { cases } = await casesOf(session, {
    uri,
    analyzedFile,
    findings,
    how: keepsBoth ? 'both' : 'any size',
    token,
  });
  return cases.find((each) => each !== null) ?? null;
}

/** The findings of old lines in a range; at the tag of a section, those of its own lines. */
export function accessFindings({ analysis }: Pick<Analyzed, 'analysis'>, range: Range): PlacedFinding[] {
  const { tree } = analysis;
  const within = (start: number, end: number) =>
    analysis.findings(MOST_FINDINGS, start, end).filter(({ rule }) => rule === orderAllowDeny);
  const from = tree.offsetAt(range.start);
  const to = tree.offsetAt(range.end);
  const findings = within(from, to);
  if (findings.length > 0) return findings;
  const section = itemsAround(tree, from)
    .flatMap(({ item, offset }) => (item instanceof Section ? [{ item, offset }] : []))
    .at(-1);
  if (!section || from >= section.offset + section.item.open.length) return [];
  // The tag of a condition may have a problem of its own.
  if (isTransparent(sectionKind(section.item.name)) && analysis.findings(1, from, to).length > 0) return [];
  const scope = scopeOf(tree, from)?.item;
  const isOwn = (finding: PlacedFinding) => scopeOf(tree, finding.start)?.item === scope;
  return within(section.offset, section.offset + section.item.length).filter(isOwn);
}

/**
 * Findings of other rules in the directory or location of old lines in a range without
 * `accessFindings`: a condition around them, or lines for 2.4 next to them.
 */
export function conditionFindings(
  analyzedFile: Pick<Analyzed, 'analysis' | 'settings'>,
  range: Range,
): PlacedFinding[] {
  const offset = accessFindings(analyzedFile, range).length > 0 ? null : unreportedAt(analyzedFile, range);
  if (offset === null) return [];
  const { analysis } = analyzedFile;
  const scope = scopeOf(analysis.tree, offset);
  const [start, end] = scope ? [scope.offset, scope.offset + scope.item.length] : [offset, offset];
  return analysis
    .findings(MOST_FINDINGS, start, end)
    .filter((each) => each.rule === conditionOneVersion && scopeOf(analysis.tree, each.start)?.item === scope?.item);
}

// ---------------------------------------------------------------------------------------------------------------------

const MOST_FINDINGS = 100;

const NO_ACTIONS: AccessActions = { actions: [], mayConvert: false, repeats: () => false };

function hasAccessLines(analyzedFile: Analyzed, range: Range): boolean {
  return accessFindings(analyzedFile, range).length > 0 || unreportedAt(analyzedFile, range) !== null;
}

/**
 * The offset of the old line in a range about which no rule reports anything; null if there is
 * none.
 */
function unreportedAt(
  { analysis: { tree }, settings }: Pick<Analyzed, 'analysis' | 'settings'>,
  range: Range,
): number | null {
  const isReported = settings.engine.options.rules.includes(orderAllowDeny);
  return isReported ? oldLineAt(tree, tree.offsetAt(range.start)) : null;
}

async function unreportedActions(
  session: Session,
  request: Pick<CasesRequest, 'uri' | 'analyzedFile' | 'token'> & {
    readonly range: Range;
    readonly isSettled: boolean;
  },
): Promise<AccessActions> {
  const offset = unreportedAt(request.analyzedFile, request.range);
  if (offset === null) return NO_ACTIONS;
  const each: AccessCase | null = request.isSettled
    ? await unreportedCase(session, { ...request, offset, how: 'small' })
    : { is: 'large' };
  const { line } = request.analyzedFile.analysis.tree.positionAt(offset);
  const action = each && actionFor(session, each, { uri: request.uri, line })?.action;
  return { ...NO_ACTIONS, actions: action ? [action] : [], isLast: each?.is === 'refused' };
}

/** Whether a case is one of `refusedUnreported`. */
function isUnreported(each: AccessCase | null): boolean {
  return each?.is === 'refused' && each.cause?.help !== undefined;
}

/** The outcome for an old line that no rule reports; null if a file has changed meanwhile. */
async function unreportedCase(
  session: Session,
  { uri, analyzedFile, offset, how, token }: Omit<CasesRequest, 'findings'> & { readonly offset: number },
): Promise<AccessCase | null> {
  const { tree } = analyzedFile.analysis;
  const path = session.workspace.identityOf(uri) ?? uri;
  const refusal = refusalWithoutFinding(analyzedFile, path, offset);
  if (!isPartOfPlan(session, uri)) return refusal;
  const planned = await plannedFor(session, uri, { anySize: how === 'any size', token });
  if (planned === 'large') return { is: 'large' };
  if (!planned || analyzedFile.document.tree !== tree || planned.view.read(path) !== tree) return null;
  return (await plannedCases(session, planned, path))(offset) ?? refusal;
}

/** For a file that is open with the wrong encoding: a change would break its other lines. */
function refusedForEncoding({ workspace }: Session, uri: string, line: number): AccessCase {
  const path = workspace.identityOf(uri) ?? uri;
  const help = 'Reopen the file with its own encoding, then convert';
  return {
    is: 'refused',
    reason: 'the editor opened this file with the wrong encoding',
    cause: { path, line, section: '', holds: 1, help },
  };
}

/** Actions that explain why old lines stay in a file that is open with the wrong encoding. */
export function wrongEncodingActions(
  session: Session,
  uri: string,
  analyzedFile: Analyzed,
  range: Range,
): CodeAction[] {
  if (!session.isTrusted || !hasAccessLines(analyzedFile, range)) return [];
  const { line } = range.start;
  const wrongEncodingAction = actionFor(session, refusedForEncoding(session, uri, line), { uri, line });
  return wrongEncodingAction ? [wrongEncodingAction.action] : [];
}

function refusalWithoutFinding(
  { analysis: { tree }, settings }: Pick<Analyzed, 'analysis' | 'settings'>,
  path: string,
  offset: number,
): AccessCase {
  const { reason, line, help } = whyUnreported(tree, offset, settings.engine.target);
  return { is: 'refused', reason, cause: { path, line, section: '', holds: 1, help } };
}

function isPartOfPlan({ workspace }: Session, uri: string): boolean {
  return workspace.identityOf(uri) !== null && workspace.isPartOfConfiguration(uri);
}

interface Cases {
  /**
   * One for each finding; null if unknown, because a file has changed meanwhile or the editor
   * opened one in the wrong encoding.
   */
  readonly cases: readonly (AccessCase | null)[];
  /** Whether converting the whole configuration may have an effect. */
  readonly mayConvert: boolean;
}

interface CasesRequest {
  readonly uri: string;
  readonly analyzedFile: Analyzed;
  readonly findings: readonly PlacedFinding[];
  readonly how: 'small' | 'any size' | 'both';
  readonly token: CancellationToken;
}

async function casesOf(session: Session, { uri, analyzedFile, findings, how, token }: CasesRequest): Promise<Cases> {
  const {
    document,
    analysis: { tree },
    settings,
  } = analyzedFile;
  if (!isPartOfPlan(session, uri)) {
    const { answered } = settings.engine;
    const path = session.workspace.identityOf(uri) ?? uri;
    const hasNeighbours = analyzedFile.file.hasNeighbours === true;
    const caseOf = (each: PlacedFinding) => standaloneCase(tree, path, each, { answered, hasNeighbours });
    return { cases: findings.map(caseOf), mayConvert: false };
  }
  const path = session.workspace.identityOf(uri)!;
  const planned = await (how === 'both'
    ? plannedBoth(session, uri, token)
    : plannedFor(session, uri, { anySize: how === 'any size', token }));
  if (planned === 'large') return { cases: findings.map(() => ({ is: 'large' })), mayConvert: true };
  if (!planned || document.tree !== tree || planned.view.read(path) !== tree)
    return { cases: findings.map(() => null), mayConvert: true };
  const planOf = await plannedCases(session, planned, path);
  const caseAt = (finding: PlacedFinding) =>
    finding.firstOfLines(tree, planOf) ??
    (fixesOf(finding).length > 0 ? null : refusalWithoutFinding(analyzedFile, path, finding.start));
  return {
    cases: findings.map(caseAt),
    mayConvert: planned.access.configurations.some(
      ({ files, changes, reasonForAll }) => files.includes(path) && reasonForAll === null && changes.length > 0,
    ),
  };
}

/** The outcomes that a plan has for the old line at an offset of a file; null if it has none. */
async function plannedCases(
  session: Session,
  planned: Planned,
  path: string,
): Promise<(offset: number) => AccessCase | null> {
  const root = planned.access.configurations.find(({ files }) => files.includes(path))?.root ?? null;
  const { answered } = await answersPlace(session, root);
  return (offset) => {
    const answer = planned.access.answerAt(path, offset);
    if (answer === null) return null;
    if ('change' in answer) return caseOfChange(answer.change, planned.view, { answered, root });
    const questions = questionsToAsk(answer.waitsFor, answered);
    if (questions !== null) return { is: 'asks', questions, root };
    return { is: 'refused', reason: reasonText(answer.refusal), cause: causeOf(planned, { path, offset }) };
  };
}

/**
 * For a file that no configuration reads: its conversion depends on what is outside of it. If there
 * are other files, no answer settles that, because they are here and may be read with it: then the
 * user checks the change. null if there is no reason to report.
 */
function standaloneCase(
  tree: Tree,
  path: string,
  finding: PlacedFinding,
  { answered, hasNeighbours }: { readonly answered: AnswerSet; readonly hasNeighbours: boolean },
): AccessCase | null {
  const [first] = fixesOf(finding);
  if (!first) return refusedAlone(tree, path, finding);
  const { fix, edits } = first;
  const isSafe = fix.safety === 'safe';
  const openQuestions = fix.waitsFor ?? [];
  const questions = isSafe
    ? null
    : questionsToAsk(hasNeighbours ? openQuestions.filter(({ lies }) => lies === 'inside') : openQuestions, answered);
  if (questions !== null) return { is: 'asks', questions, root: null };
  const before = tree.text();
  return {
    is: 'change',
    isSafe,
    sections: 1,
    assumptions: isSafe ? [] : fix.assumes !== undefined ? [fix.assumes] : openQuestionTexts(openQuestions),
    edits: new Map([[path, edits]]),
    changes: () => [{ path, before, after: applyEdits(before, edits), edits }],
  };
}

/**
 * The reason why the section of a finding stays, in a file that no configuration reads; null if the
 * finding has no reason.
 */
function refusedAlone(tree: Tree, path: string, { start, cause }: PlacedFinding): AccessCase | null {
  if (cause === undefined) return null;
  const scope = scopeOf(tree, start);
  const section = scope ? scope.item.open.text.trim() : 'these lines';
  const { line } = tree.positionAt(start);
  const reason = cause.replace(/^Not converted: /, '').replace(/\.$/, '');
  return { is: 'refused', reason, cause: { path, line, section, holds: 1 } };
}

function caseOfChange(
  change: AccessChange,
  view: FileView,
  { answered, root }: { readonly answered: AnswerSet; readonly root: string | null },
): AccessCase {
  const isSafe = change.safety === 'safe';
  const questions = isSafe ? null : questionsToAsk(change.waitsFor, answered);
  if (questions !== null) return { is: 'asks', questions, root };
  return {
    is: 'change',
    isSafe,
    sections: change.sectionCount,
    assumptions: isSafe ? [] : openQuestionTexts(change.waitsFor),
    edits: change.edits,
    changes: () =>
      [...change.edits].flatMap(([path, edits]): FileChange[] => {
        const before = view.read(path)?.text();
        return before === undefined ? [] : [{ path, before, after: applyEdits(before, edits), edits }];
      }),
  };
}

/**
 * The questions about these open questions; null if there are none. Those that no answer
 * settles are shown in the preview.
 */
function questionsToAsk(openQuestions: readonly OpenQuestion[], answered: AnswerSet): readonly AskedQuestion[] | null {
  const byId = new Map<string, OpenQuestion[]>();
  for (const each of openQuestions) {
    const id = questionId(each, answered);
    if (id !== null && !answered.answers.has(id)) addTo(byId, id, each);
  }
  const open = [...byId].flatMap(([id, about]) => {
    const text = textOfQuestion(id, about);
    return text ? [{ id, text }] : [];
  });
  return open.length === 0 ? null : open;
}

/**
 * The section that prevents the conversion of an old line; null if the reason is the whole
 * configuration.
 */
function causeOf({ access, view }: Planned, line: { path: string; offset: number }): RefusedSection | null {
  for (const { refusals } of access.configurations) {
    const refusal = refusals.find(({ lines }) =>
      lines.some(({ path, offset }) => path === line.path && offset === line.offset),
    );
    if (!refusal) continue;
    const { cause } = refusal;
    const [first] = cause.lines;
    const path = first?.path ?? cause.path;
    return {
      path,
      line: view.read(path)?.positionAt(first?.offset ?? cause.offset).line ?? 0,
      section: cause.section,
      holds: refusals.filter((each) => each.cause.path === cause.path && each.cause.offset === cause.offset).length,
    };
  }
  return null;
}

/** The action for a case, and a key to recognize equal actions; null if there is none. */
function actionFor(
  session: Session,
  each: AccessCase,
  place: AccessPlace,
): { readonly key: string; readonly action: Omit<CodeAction, 'diagnostics'> } | null {
  const command = (title: string, isPreferred: boolean, key: string) => ({
    key,
    action: {
      title,
      kind: CodeActionKind.QuickFix,
      ...(isPreferred && { isPreferred }),
      command: { title, command: CONVERT_ACCESS_COMMAND, arguments: [place] },
    },
  });
  if (each.is === 'large') return command('Convert this section…', true, `${place.line}`);
  if (each.is === 'refused') return command('Why is this not converted?', false, `${place.line}`);
  if (each.is === 'asks') {
    const { question } = each.questions[0]!.text;
    const key = each.questions.map(({ id }) => id).join('\n');
    return command(`Answer "${briefly(shortenedText(session, question))}" to convert`, true, key);
  }
  const title = shortenedText(session, titleOf(each));
  const key = `${title}\n${[...each.edits].map(([path, edits]) => `${path} ${edits[0]?.start}`).join('\n')}`;
  const edit = session.client.showsRules ? null : editOf(session, each.changes());
  // Naming the file that the editor would break explains why there is no edit.
  if (edit === null || 'unfit' in edit) {
    if (canWriteFiles(session))
      return command(each.edits.size > 1 && each.isSafe ? `${title}…` : title, each.isSafe, key);
    if (edit === null) return null;
    const reason = `${edit.unfit.map((path) => shortened(session, path)).join(', ')}: the file is not UTF-8, and this editor cannot change it without damage`;
    return { key, action: { title, kind: CodeActionKind.QuickFix, disabled: { reason } } };
  }
  return {
    key,
    action: { title, kind: CodeActionKind.QuickFix, ...(each.isSafe && { isPreferred: true }), ...edit },
  };
}

/**
 * All changes as one edit of the client; null if the client does not accept several files; `unfit`
 * with the files that it would read in another encoding than they have.
 */
function editOf(
  session: Session,
  changes: readonly FileChange[],
): Pick<CodeAction, 'edit'> | { readonly unfit: readonly string[] } | null {
  const { client, workspace, documents, host } = session;
  const view = host.fileView?.((path) => workspace.openTrees().get(path) ?? null);
  // Where our command can write the files, it is better than an edit without versions.
  const takesClosed = client.documentChanges || !canWriteFiles(session);
  const unfit: string[] = [];
  const documentChanges = [];
  for (const { path, before, edits } of changes) {
    const document = workspace.isOpen(path) ? documents.get(workspace.uriFor(path)) : undefined;
    const tree = document?.tree ?? view?.read(path);
    if (!tree || (!document && !takesClosed)) return null;
    if (tree.text() !== before && !document) return null;
    // A byte order mark is no character for an editor: the columns of the first line differ.
    const startsAfterMark = before.startsWith('\ufeff') && edits.some(({ start }) => tree.positionAt(start).line === 0);
    // The plan has the text on the disk. An editor that shows another one has the wrong encoding.
    const isUnfit = document ? tree.text() !== before : view?.isOtherEncoding?.(path) === true || startsAfterMark;
    if (isUnfit) unfit.push(path);
    const uri = document?.uri ?? workspace.uriFor(path);
    documentChanges.push({
      textDocument: { uri, version: document?.version ?? null },
      edits: textEdits(tree, edits),
    });
  }
  return unfit.length > 0 ? { unfit } : { edit: { documentChanges } };
}

/**
 * `Convert to Require all granted` if only this section changes; assumptions that no answer settles
 * are at the end.
 */
function titleOf({ sections, assumptions, edits }: Extract<AccessCase, { is: 'change' }>): string {
  const rows = [...edits.values()]
    .flat()
    .flatMap(({ text }) => text.split('\n'))
    .map((row) => row.trim())
    .filter((row) => row !== '');
  const files = edits.size === 1 ? '' : ` (${edits.size} files)`;
  const what =
    sections > 1 || files !== ''
      ? `${sections === 1 ? 'this section' : `these ${sections} sections`}${files}`
      : rows.length === 1 && /^Require \S/.test(rows[0]!) && rows[0]!.length <= 49
        ? `to ${rows[0]}`
        : 'to 2.4 access control';
  const [assumption] = assumptions;
  return assumption === undefined ? `Convert ${what}` : `Convert ${what} · check first: ${assumption}`;
}

/** The question, shortened for a title. */
function briefly(question: string): string {
  if (question.length <= MOST_OF_QUESTION) return question;
  return `${question.slice(0, MOST_OF_QUESTION).replace(/[\s,.]+\S*$/, '')}…?`;
}

const MOST_OF_QUESTION = 50;

interface Planned {
  readonly access: AccessConversion;
  readonly view: FileView;
}

/** The last plan; `large` for a configuration that is planned when the user requests it. */
const plans = cacheOf<Session, { readonly stamp: string; readonly planned: Planned | 'large' }>();

async function plannedFor(
  session: Session,
  uri: string,
  { anySize, token }: { readonly anySize: boolean; readonly token: CancellationToken },
): Promise<Planned | 'large' | null> {
  const { workspace } = session;
  const open = await readableTrees(session);
  if (!open) return null;
  throwIfCancelled(token);
  const cached = plans.get(session);
  if (cached?.stamp === stampOf(session, uri) && !(anySize && cached.planned === 'large')) {
    if (cached.planned === 'large') return cached.planned;
    // The stamp does not cover the folders that the server reads: a new .htaccess, a changed link,
    // a change that the client does not report.
    const stale = await staleIn(session, cached.planned.view, (name) => open.get(name) ?? null);
    if (stale.length === 0) return cached.planned;
    workspace.changedUnseen(stale);
    await unlessCancelled(workspace.settle(), token);
  }
  const files = filesOf(session, uri);
  if (files.length > MOST_FILES && !anySize) return 'large';
  const stamp = stampOf(session, uri);
  const view = await viewFor(session, open);
  const isSmall = anySize || files.reduce((sum, file) => sum + (view.read(file)?.length ?? 0), 0) <= MOST_TEXT;
  const roots = workspace.models.map(({ root }) => root);
  const mostLooks = anySize ? Number.POSITIVE_INFINITY : MAX_QUERIES;
  const access = isSmall
    ? await accessWithin(mostLooks, view, (limited) => accessIn(session, limited, roots, uri))
    : null;
  const planned: Planned | 'large' = access === null ? 'large' : { access, view };
  plans.set(session, { stamp, planned });
  return planned;
}

/** Plans the conversion that keeps the old lines for 2.2. */
async function plannedBoth(session: Session, uri: string, token: CancellationToken): Promise<Planned | null> {
  const open = await readableTrees(session);
  if (!open) return null;
  throwIfCancelled(token);
  const view = await viewFor(session, open);
  const roots = session.workspace.models.map(({ root }) => root);
  return { access: await accessIn(session, view, roots, uri, true), view };
}

/**
 * The trees of open files by path, without those that the editor opened in the wrong encoding:
 * these are read from the disk. Null if one of these has unsaved changes.
 */
async function readableTrees(session: Session): Promise<ReadonlyMap<string, Tree> | null> {
  const trees = new Map(session.workspace.openTrees());
  for (const document of session.documents.all()) {
    if (!(await isInWrongEncoding(session, document))) continue;
    if ((await wrongEncodingOf(session, document)) === 'changed') return null;
    trees.delete(session.workspace.identityOf(document.uri) ?? '');
  }
  return trees;
}

/** The paths for which a view would now return something else. Lets other work run in between. */
export async function staleIn(
  { turns }: Session,
  view: FileView | undefined,
  open: (path: string) => Tree | null,
): Promise<readonly string[]> {
  const steps = view?.stale?.(open);
  return (steps && (await turns.run(steps, () => false))) ?? [];
}

function filesOf({ workspace }: Session, uri: string): string[] {
  const path = workspace.identityOf(uri);
  const read = workspace.modelsOf(uri).flatMap((model) => [...model.files.keys()]);
  return [...new Set([...read, ...(path === null ? [] : [path])])];
}

/** Differs if a file of the configuration has changed, as far as changes are reported. */
function stampOf(session: Session, uri: string): string {
  const { workspace, settings } = session;
  const open = workspace.openTrees();
  return [
    settings.revision,
    ...filesOf(session, uri).map((file) => `${file} ${numberOf(open.get(file))} ${workspace.stampOf(file)}`),
  ].join('\n');
}

const numbers = numbering();

function numberOf(tree: Tree | undefined): number {
  return tree ? numbers(tree) : 0;
}
