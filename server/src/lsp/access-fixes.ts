/**
 * What the lightbulb and its command offer for the old access lines at a position:
 * - If the lines can be converted: the change that the plan of the whole configuration has for
 *   them, with the changes in other files that it needs.
 * - If the user must answer a question first: the question.
 * - If the lines cannot be converted: the reason.
 * The plan is cached until a file of the configuration changes.
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
import {
  accessConversion,
  type AccessChange,
  type AccessConversion,
  type AccessRoot,
} from '../analysis/access-conversion';
import { offeredChoices, questionId, STANDALONE_QUESTION_ID, type AnswerSet } from '../analysis/answers';
import { Engine, type PlacedFinding } from '../analysis/engine';
import { applyEdits, fixesOf } from '../analysis/fixes';
import { itemsAround } from '../analysis/suppression';
import { questionTextOf, takeVersionQuestion } from '../analysis/upgrade-plan';
import { isHtaccessName } from '../config/configurations';
import { parentOf, type FileView } from '../config/files';
import { MAX_QUERIES } from '../config/look-limit';
import { isTransparent, sectionKind } from '../config/sections';
import type { FileChange } from '../features/conversion';
import { textEdits } from '../features/convert';
import { diagnosticOf } from '../features/diagnostics';
import { htaccessFilesAround } from '../features/htaccess-around';
import { conditionOneVersion } from '../rules/condition-one-version';
import { orderAllowDeny } from '../rules/order-allow-deny';
import type { Edit } from '../rules/rule';
import type { Tree } from '../syntax/document';
import { addTo } from '../syntax/groups';
import { cacheOf, numbering } from '../syntax/memory';
import { Section } from '../syntax/tree';
import { answersFileOf, type AskedQuestion } from './answer-question';
import { wrongEncodingOf, isInWrongEncoding } from './wrong-encoding';
import { pathForUsers, withRelativePaths } from './navigation';
import {
  analyzedDocument,
  canWriteFiles,
  throwIfCancelled,
  waitUnlessCancelled,
  type AnalyzedDocument,
  type Session,
} from './session';
import { oldLineAt, scopeOf, whyUnreported } from './unreported-access';
import { fileViewFor } from './view-of-files';
import {
  planConversionOfRoots,
  conversionWithinQueryLimit,
  fileChangesOf,
  whyUnchangeable,
  workspaceFolderOf,
} from './access-conversion';

/**
 * The command that converts old access lines. Our own client has it; for other clients, the server
 * has it. Its argument is an `OldLinePosition`. It converts the lines there, or asks the question
 * that must be answered first, or says why the lines cannot be converted.
 */
export const CONVERT_ACCESS_COMMAND = 'httpdUpgrade.convertAccess';

/** The line of an old access directive. */
export interface OldLinePosition {
  readonly uri: string;
  /** The 0-based line number. */
  readonly line: number;
  /** Whether to keep the old lines for 2.2, next to the new ones. */
  readonly keepsBoth?: boolean;
}

/** What can be done with the old lines at a position. */
export type AccessOutcome =
  /**
   * The lines can be converted. `isSafe`: the change keeps every access decision. Otherwise, it
   * keeps them only if the `assumptions` are true: the assumption of the fix, or the texts of the
   * open questions that the user is not asked. A safe change has no assumptions.
   */
  | {
      readonly kind: 'change';
      readonly isSafe: boolean;
      readonly sectionCount: number;
      readonly assumptions: readonly string[];
      /** The edits by path, with symbolic links resolved. */
      readonly edits: ReadonlyMap<string, readonly Edit[]>;
      /** The edits of each file, with its text before and after them. */
      changes(): readonly FileChange[];
    }
  /**
   * Questions must be answered first; there is at least one. `root` is the path of the main file;
   * null for a file that no configuration reads.
   */
  | { readonly kind: 'asks'; readonly questions: readonly AskedQuestion[]; readonly root: string | null }
  | { readonly kind: 'refused'; readonly reason: string; readonly cause: RefusedSection | null }
  /** The configuration is too large to be planned at every cursor movement. */
  | { readonly kind: 'large' };

/** The section that prevents the conversion of itself and other sections. */
export interface RefusedSection {
  readonly path: string;
  /** The 0-based number of the first old line in the section. */
  readonly line: number;
  readonly section: string;
  /** The number of sections that this section prevents from conversion, including itself. */
  readonly sectionsPrevented: number;
  /**
   * What the user can do about the section, as the start of a sentence. Undefined if the user has
   * to change the section by hand and then convert again.
   */
  readonly help?: string;
}

/**
 * The largest number of files of a configuration that is planned at every cursor movement. A larger
 * configuration is planned only when the user requests the conversion.
 */
const MAX_FILES_TO_PLAN = 100;
/**
 * The largest total length, in UTF-16 units, of the files of a configuration that is planned at
 * every cursor movement.
 */
const MAX_LENGTH_TO_PLAN = 500_000;
/**
 * How long the lightbulb waits for the walk through a configuration, as a number of the walk's
 * pauses: about 0.3 seconds.
 */
const MAX_WALK_PAUSES = 100;

/** The lightbulb's actions for old access lines. */
export interface AccessActions {
  /** Actions that are shown before the actions of other rules. */
  readonly actions: readonly CodeAction[];
  /** Whether converting the whole configuration may change something. */
  readonly isConversionPossible: boolean;
  /**
   * Whether the actions change nothing, and only explain why the old lines are not converted. Then
   * they are shown after the actions of other rules.
   */
  readonly areOnlyExplanations?: boolean;
  /** Whether one of `actions` makes the same change in this file as the given action. */
  hasSameChangeAs(action: CodeAction): boolean;
}

/**
 * A document with its findings. `isWalkComplete`: whether the walk through its configuration has
 * ended, so that it is known which configuration reads the file.
 */
export interface DocumentAfterWalk {
  readonly analyzedFile: AnalyzedDocument;
  readonly isWalkComplete: boolean;
}

/**
 * If there are old access lines in the range, waits until the walk through the configuration has
 * ended, and returns the document. Before that, it is unknown which configuration reads the file,
 * and converting one section alone would be wrong. With `waitsWithoutLimit`, waits as long as the
 * walk takes. Null if the document is closed meanwhile; throws if the request is cancelled.
 */
export async function afterConfigurationWalk(
  session: Session,
  uri: string,
  analyzedFile: AnalyzedDocument,
  {
    range,
    token,
    waitsWithoutLimit,
  }: { readonly range: Range; readonly token: CancellationToken; readonly waitsWithoutLimit: boolean },
): Promise<DocumentAfterWalk | null> {
  if (!session.isTrusted || !hasAccessLines(analyzedFile, range)) return { analyzedFile, isWalkComplete: true };
  const walkEnd = session.workspace.untilCurrentWithinPauses(
    waitsWithoutLimit ? Number.POSITIVE_INFINITY : MAX_WALK_PAUSES,
  );
  const hasWalkEnded = await waitUnlessCancelled(walkEnd, token);
  const analyzedAfterWalk = await analyzedDocument(session, uri, token);
  return analyzedAfterWalk && { analyzedFile: analyzedAfterWalk, isWalkComplete: hasWalkEnded };
}

/** The lightbulb's actions for old access lines in a range. Throws if the request is cancelled. */
export async function accessActions(
  session: Session,
  uri: string,
  { analyzedFile, isWalkComplete }: DocumentAfterWalk,
  { range, token }: { readonly range: Range; readonly token: CancellationToken },
): Promise<AccessActions> {
  const findings = accessFindings(analyzedFile, range);
  if (!session.isTrusted) return NO_ACTIONS;
  if (findings.length === 0) return unreportedActions(session, { uri, analyzedFile, range, token, isWalkComplete });
  const { outcomes, isConversionPossible } = isWalkComplete
    ? await outcomesOf(session, { uri, analyzedFile, findings, planning: 'small', token })
    : { outcomes: findings.map((): AccessOutcome => ({ kind: 'large' })), isConversionPossible: false };
  const { tree } = analyzedFile.analysis;
  const offeredEdits = new Set<string>();
  const path = session.workspace.realPathOf(uri) ?? uri;
  for (const each of outcomes)
    if (each?.kind === 'change' && each.edits.size === 1)
      offeredEdits.add(JSON.stringify(textEdits(tree, each.edits.get(path) ?? [])));
  const actions = new Map<string, CodeAction & { diagnostics: Diagnostic[] }>();
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome === null) continue;
    const finding = findings[index]!;
    const findingLine = analyzedFile.analysis.tree.positionAt(finding.start).line;
    const keyedAction = actionForOutcome(session, outcome, { uri, line: findingLine });
    if (!keyedAction) continue;
    const shownAction = actions.get(keyedAction.key) ?? { ...keyedAction.action, diagnostics: [] };
    shownAction.diagnostics.push(diagnosticOf(analyzedFile.analysis.tree, finding));
    actions.set(keyedAction.key, shownAction);
    // Servers of both versions often read the same .htaccess file of a web application. So a
    // conversion that keeps the old lines is offered as well.
    if (outcome.kind === 'change' && outcome.isSafe && isHtaccessName(uri) && canWriteFiles(session)) {
      const title = 'Convert access control for both 2.2 and 2.4…';
      const command = {
        title,
        command: CONVERT_ACCESS_COMMAND,
        arguments: [{ uri, line: findingLine, keepsBoth: true }],
      };
      actions.set(title, { title, kind: CodeActionKind.QuickFix, command, diagnostics: shownAction.diagnostics });
    }
  }
  const repeatsOfferedEdit = ({ edit }: CodeAction) => {
    const [onlyEdit, ...otherEdits] = (edit?.documentChanges ?? []) as TextDocumentEdit[];
    return onlyEdit !== undefined && otherEdits.length === 0 && offeredEdits.has(JSON.stringify(onlyEdit.edits));
  };
  return {
    actions: [...actions.values()],
    isConversionPossible,
    areOnlyExplanations: outcomes.every(isRefusalWithoutFinding),
    hasSameChangeAs: repeatsOfferedEdit,
  };
}

/**
 * Milliseconds to wait for the walk through the configuration. Without the walk, one section would
 * be converted alone, which would be wrong.
 */
export const MAX_WAIT_FOR_WALK_MS = 10_000;

/**
 * What can be done with the old lines at a position, in a configuration of any size. Null if there
 * are no old lines.
 */
export async function accessOutcomeAt(
  session: Session,
  { uri, line, keepsBoth = false }: OldLinePosition,
  token: CancellationToken,
): Promise<AccessOutcome | null> {
  const wholeLine = { start: { line, character: 0 }, end: { line, character: Number.MAX_SAFE_INTEGER } };
  const analyzedBeforeWalk = await analyzedDocument(session, uri, token, MAX_WAIT_FOR_WALK_MS);
  const documentAfterWalk =
    analyzedBeforeWalk &&
    (await afterConfigurationWalk(session, uri, analyzedBeforeWalk, {
      range: wholeLine,
      token,
      waitsWithoutLimit: true,
    }));
  if (!documentAfterWalk || !session.isTrusted) return null;
  const { analyzedFile } = documentAfterWalk;
  if (await isInWrongEncoding(session, analyzedFile.document)) return wrongEncodingRefusal(session, uri, line);
  const findings = accessFindings(analyzedFile, wholeLine);
  if (findings.length === 0) {
    const offset = unreportedLineAt(analyzedFile, wholeLine);
    return offset === null
      ? null
      : unreportedOutcome(session, { uri, analyzedFile, offset, planning: 'any size', token });
  }
  const { outcomes } = await outcomesOf(session, {
    uri,
    analyzedFile,
    findings,
    planning: keepsBoth ? 'both' : 'any size',
    token,
  });
  return outcomes.find((each) => each !== null) ?? null;
}

/**
 * The findings about old access lines in a range. If there are none and the range starts in the
 * opening tag of a section: the findings of the section's own lines.
 */
export function accessFindings({ analysis }: Pick<AnalyzedDocument, 'analysis'>, range: Range): PlacedFinding[] {
  const { tree } = analysis;
  const accessFindingsBetween = (start: number, end: number) =>
    analysis.findings(MAX_ACCESS_FINDINGS, start, end).filter(({ rule }) => rule === orderAllowDeny);
  const rangeStart = tree.offsetAt(range.start);
  const rangeEnd = tree.offsetAt(range.end);
  const findings = accessFindingsBetween(rangeStart, rangeEnd);
  if (findings.length > 0) return findings;
  const section = itemsAround(tree, rangeStart)
    .flatMap(({ item, offset }) => (item instanceof Section ? [{ item, offset }] : []))
    .at(-1);
  if (!section || rangeStart >= section.offset + section.item.open.length) return [];
  // The tag of a conditional section may have a problem itself. Then the problems of the lines
  // inside are left out.
  if (isTransparent(sectionKind(section.item.name)) && analysis.findings(1, rangeStart, rangeEnd).length > 0) return [];
  const scope = scopeOf(tree, rangeStart)?.item;
  const isInSameScope = (finding: PlacedFinding) => scopeOf(tree, finding.start)?.item === scope;
  return accessFindingsBetween(section.offset, section.offset + section.item.length).filter(isInSameScope);
}

/**
 * The findings of the rule condition-one-version around old lines at the start of a range. Empty if
 * another finding is about these lines, or if there are none.
 */
export function conditionFindings(
  analyzedFile: Pick<AnalyzedDocument, 'analysis' | 'settings'>,
  range: Range,
): PlacedFinding[] {
  const offset = accessFindings(analyzedFile, range).length > 0 ? null : unreportedLineAt(analyzedFile, range);
  if (offset === null) return [];
  const { analysis } = analyzedFile;
  const scope = scopeOf(analysis.tree, offset);
  const [start, end] = scope ? [scope.offset, scope.offset + scope.item.length] : [offset, offset];
  return analysis
    .findings(MAX_ACCESS_FINDINGS, start, end)
    .filter((each) => each.rule === conditionOneVersion && scopeOf(analysis.tree, each.start)?.item === scope?.item);
}

// ---------------------------------------------------------------------------------------------------------------------

const MAX_ACCESS_FINDINGS = 100;

const NO_ACTIONS: AccessActions = { actions: [], isConversionPossible: false, hasSameChangeAs: () => false };

function hasAccessLines(analyzedFile: AnalyzedDocument, range: Range): boolean {
  return accessFindings(analyzedFile, range).length > 0 || unreportedLineAt(analyzedFile, range) !== null;
}

/**
 * For a range without `accessFindings`: the offset of the old access line at its start. Null if
 * there is none, or if the rule about old access lines is off.
 */
function unreportedLineAt(
  { analysis: { tree }, settings }: Pick<AnalyzedDocument, 'analysis' | 'settings'>,
  range: Range,
): number | null {
  const isRuleOn = settings.engine.options.rules.includes(orderAllowDeny);
  return isRuleOn ? oldLineAt(tree, tree.offsetAt(range.start)) : null;
}

/** The lightbulb's actions for an old access line that no rule reports. */
async function unreportedActions(
  session: Session,
  request: Pick<OutcomesRequest, 'uri' | 'analyzedFile' | 'token'> & {
    readonly range: Range;
    readonly isWalkComplete: boolean;
  },
): Promise<AccessActions> {
  const offset = unreportedLineAt(request.analyzedFile, request.range);
  if (offset === null) return NO_ACTIONS;
  const outcome: AccessOutcome | null = request.isWalkComplete
    ? await unreportedOutcome(session, { ...request, offset, planning: 'small' })
    : { kind: 'large' };
  const { line } = request.analyzedFile.analysis.tree.positionAt(offset);
  const action = outcome && actionForOutcome(session, outcome, { uri: request.uri, line })?.action;
  return { ...NO_ACTIONS, actions: action ? [action] : [], areOnlyExplanations: outcome?.kind === 'refused' };
}

/**
 * Whether an outcome only explains why a line that no rule reports is not converted. Among the
 * outcomes of `outcomesOf`, only such a refusal has `help`.
 */
function isRefusalWithoutFinding(outcome: AccessOutcome | null): boolean {
  return outcome?.kind === 'refused' && outcome.cause?.help !== undefined;
}

/** What can be done with an old line that no rule reports; null if a file has changed meanwhile. */
async function unreportedOutcome(
  session: Session,
  { uri, analyzedFile, offset, planning, token }: Omit<OutcomesRequest, 'findings'> & { readonly offset: number },
): Promise<AccessOutcome | null> {
  const { tree } = analyzedFile.analysis;
  const path = session.workspace.realPathOf(uri) ?? uri;
  const refusal = refusalWithoutFinding(analyzedFile, path, offset);
  if (!isReadByConfiguration(session, uri)) return refusal;
  const plannedConversion = await cachedPlanFor(session, uri, { allowsAnySize: planning === 'any size', token });
  if (plannedConversion === 'large') return { kind: 'large' };
  if (!plannedConversion || analyzedFile.document.tree !== tree || plannedConversion.view.read(path) !== tree)
    return null;
  return (await plannedOutcomeFinder(session, plannedConversion, path))(offset) ?? refusal;
}

/**
 * The refusal for a file that is open in the wrong encoding: saving a change would destroy its
 * other lines.
 */
function wrongEncodingRefusal({ workspace }: Session, uri: string, line: number): AccessOutcome {
  const path = workspace.realPathOf(uri) ?? uri;
  const help = 'Reopen the file with its own encoding, then convert';
  return {
    kind: 'refused',
    reason: 'the editor opened this file with the wrong encoding',
    cause: { path, line, section: '', sectionsPrevented: 1, help },
  };
}

/**
 * Actions that explain why old lines are not converted in a file that is open in the wrong
 * encoding.
 */
export function wrongEncodingActions(
  session: Session,
  uri: string,
  analyzedFile: AnalyzedDocument,
  range: Range,
): CodeAction[] {
  if (!session.isTrusted || !hasAccessLines(analyzedFile, range)) return [];
  const { line } = range.start;
  const wrongEncodingAction = actionForOutcome(session, wrongEncodingRefusal(session, uri, line), { uri, line });
  return wrongEncodingAction ? [wrongEncodingAction.action] : [];
}

/** The reason why an old line, which no rule reports, is not converted. */
function refusalWithoutFinding(
  { analysis: { tree }, settings }: Pick<AnalyzedDocument, 'analysis' | 'settings'>,
  path: string,
  offset: number,
): AccessOutcome {
  const { reason, line, help } = whyUnreported(tree, offset, settings.engine.target);
  return { kind: 'refused', reason, cause: { path, line, section: '', sectionsPrevented: 1, help } };
}

/** Whether a configuration of the workspace reads the file, so that it has a plan. */
function isReadByConfiguration({ workspace }: Session, uri: string): boolean {
  return workspace.realPathOf(uri) !== null && workspace.isPartOfConfiguration(uri);
}

interface OutcomesOfFindings {
  /**
   * One outcome for each finding. Null if it is unknown, because a file has changed meanwhile or
   * the editor opened a file in the wrong encoding.
   */
  readonly outcomes: readonly (AccessOutcome | null)[];
  /** Whether converting the whole configuration may change something. */
  readonly isConversionPossible: boolean;
}

/**
 * For which findings of a file the outcomes are wanted. `planning`: `small` plans only a
 * configuration that is small enough for every cursor movement; `any size` plans every
 * configuration; `both` does so, too, and keeps the old lines for 2.2 next to the new ones.
 */
interface OutcomesRequest {
  readonly uri: string;
  readonly analyzedFile: AnalyzedDocument;
  readonly findings: readonly PlacedFinding[];
  readonly planning: 'small' | 'any size' | 'both';
  readonly token: CancellationToken;
}

/**
 * The outcome for each finding: from the plan of its configuration, or from the file alone if no
 * configuration reads it.
 */
async function outcomesOf(
  session: Session,
  { uri, analyzedFile, findings, planning, token }: OutcomesRequest,
): Promise<OutcomesOfFindings> {
  const {
    document,
    analysis: { tree },
    settings,
  } = analyzedFile;
  if (!isReadByConfiguration(session, uri)) {
    const { answerSet } = settings.engine;
    const path = session.workspace.realPathOf(uri) ?? uri;
    const hasNeighbours = analyzedFile.fileInfo.hasNeighbours === true;
    const outcomeAtOffset =
      planning === 'small' || !hasNeighbours
        ? null
        : await outcomeFinderForHtaccess(session, path, { answerSet, keepsBoth: planning === 'both' });
    const standaloneOutcomeOf = (finding: PlacedFinding) =>
      (outcomeAtOffset && finding.firstResultOfLines(tree, outcomeAtOffset)) ??
      standaloneOutcome(tree, path, finding, { answerSet, hasNeighbours });
    return { outcomes: findings.map(standaloneOutcomeOf), isConversionPossible: false };
  }
  const path = session.workspace.realPathOf(uri)!;
  const plannedConversion = await (planning === 'both'
    ? planForBothVersions(session, uri, token)
    : cachedPlanFor(session, uri, { allowsAnySize: planning === 'any size', token }));
  if (plannedConversion === 'large')
    return { outcomes: findings.map(() => ({ kind: 'large' })), isConversionPossible: true };
  if (!plannedConversion || document.tree !== tree || plannedConversion.view.read(path) !== tree)
    return { outcomes: findings.map(() => null), isConversionPossible: true };
  const outcomeAtOffset = await plannedOutcomeFinder(session, plannedConversion, path);
  const outcomeOfFinding = (finding: PlacedFinding) =>
    finding.firstResultOfLines(tree, outcomeAtOffset) ??
    (fixesOf(finding).length > 0 ? null : refusalWithoutFinding(analyzedFile, path, finding.start));
  return {
    outcomes: findings.map(outcomeOfFinding),
    isConversionPossible: plannedConversion.access.configurations.some(
      ({ files, changes, whyNothingConverted }) =>
        files.includes(path) && whyNothingConverted === null && changes.length > 0,
    ),
  };
}

/**
 * Returns a function that takes the offset of an old line in the file, and returns the outcome that
 * the plan has for this line. Null if the plan has no outcome for it.
 */
async function plannedOutcomeFinder(
  session: Session,
  plannedConversion: PlannedConversion,
  path: string,
): Promise<(offset: number) => AccessOutcome | null> {
  const root = plannedConversion.access.configurations.find(({ files }) => files.includes(path))?.mainFile ?? null;
  const { answerSet } = await answersFileOf(session, root);
  return (offset) => {
    const plannedResult = plannedConversion.access.resultAt(path, offset);
    if (plannedResult === null) return null;
    if ('change' in plannedResult)
      return outcomeOfChange(plannedResult.change, plannedConversion.view, { answerSet, root });
    const questions = questionsToAsk(plannedResult.waitsFor, answerSet);
    if (questions !== null) return { kind: 'asks', questions, root };
    return {
      kind: 'refused',
      reason: reasonText(plannedResult.refusal),
      cause: refusedSectionOf(plannedConversion, { path, offset }),
    };
  };
}

/**
 * Returns a function like that of `plannedOutcomeFinder` for a .htaccess file that no configuration
 * reads: it is planned together with the .htaccess files around it, which apply to the same
 * requests. The user must check a change, because other files may affect access, too. Null for
 * other files, and if there are no .htaccess files around it.
 */
async function outcomeFinderForHtaccess(
  session: Session,
  path: string,
  { answerSet, keepsBoth }: { readonly answerSet: AnswerSet; readonly keepsBoth: boolean },
): Promise<((offset: number) => AccessOutcome | null) | null> {
  const openTrees = isHtaccessName(path) ? await openTreesInRightEncoding(session) : null;
  if (!openTrees) return null;
  const view = await fileViewFor(session, openTrees);
  const filesAround = htaccessFilesAround([path], view, workspaceFolderOf(session, path) ?? parentOf(path));
  const paths = [path, ...filesAround.files];
  if (paths.length === 1 && !filesAround.isIncomplete) return null;
  const standaloneFiles: AccessRoot[] = [];
  for (const mainFile of paths) {
    const uri = session.workspace.clientUriOf(mainFile);
    const { engine } = await session.settings.settingsOf(uri);
    standaloneFiles.push({
      mainFile,
      engine: keepsBoth ? new Engine({ ...engine.options, keepsBoth }) : engine,
      server: await session.workspace.serverSettingsOf(mainFile),
    });
  }
  const access = accessConversion({
    roots: [],
    standaloneFiles,
    hasUnsearchedFolders: filesAround.isIncomplete,
    view,
    whyUnchangeable: (file) => whyUnchangeable(session, file),
  });
  return (offset) => {
    const result = access.resultAt(path, offset);
    if (result === null) return null;
    if (!('change' in result))
      return { kind: 'refused', reason: withRelativePaths(session, reasonText(result.refusal)), cause: null };
    const { waitsFor, restsOn } = result.change;
    const outcome = outcomeOfChange(result.change, view, { answerSet, root: null });
    return outcome.kind === 'change'
      ? { ...outcome, isSafe: false, assumptions: openQuestionTexts([...waitsFor, ...restsOn]) }
      : outcome;
  };
}

/**
 * The outcome for a file that no configuration reads. Its conversion depends on lines outside of
 * it. If there are other files next to it (`hasNeighbours`), no answer can say what they contain,
 * so the user has to check the change. Null if the finding has neither a fix nor a reason.
 */
function standaloneOutcome(
  tree: Tree,
  path: string,
  finding: PlacedFinding,
  { answerSet, hasNeighbours }: { readonly answerSet: AnswerSet; readonly hasNeighbours: boolean },
): AccessOutcome | null {
  const [firstFix] = fixesOf(finding);
  if (!firstFix) return standaloneRefusal(tree, path, finding);
  const { fix, edits } = firstFix;
  const isSafeFix = fix.safety === 'safe';
  const openQuestions = fix.waitsFor ?? [];
  const questions = isSafeFix
    ? null
    : questionsToAsk(
        hasNeighbours ? openQuestions.filter(({ scope }) => scope === 'inside') : openQuestions,
        answerSet,
      );
  if (questions !== null) return { kind: 'asks', questions, root: null };
  const textBefore = tree.text();
  return {
    kind: 'change',
    isSafe: isSafeFix,
    sectionCount: 1,
    assumptions: isSafeFix ? [] : fix.assumes !== undefined ? [fix.assumes] : openQuestionTexts(openQuestions),
    edits: new Map([[path, edits]]),
    changes: () => [{ path, before: textBefore, after: applyEdits(textBefore, edits), edits }],
  };
}

/**
 * Why the section of a finding is not converted, in a file that no configuration reads; null if the
 * finding has no such reason.
 */
function standaloneRefusal(tree: Tree, path: string, { start, cause }: PlacedFinding): AccessOutcome | null {
  if (cause === undefined) return null;
  const scope = scopeOf(tree, start);
  const section = scope ? scope.item.open.text.trim() : 'these lines';
  const { line } = tree.positionAt(start);
  const reason = cause.replace(/^Not converted: /, '').replace(/\.$/, '');
  return { kind: 'refused', reason, cause: { path, line, section, sectionsPrevented: 1 } };
}

/**
 * The outcome for a planned change: the change itself, or the questions that must be answered
 * before it.
 */
function outcomeOfChange(
  change: AccessChange,
  view: FileView,
  { answerSet, root }: { readonly answerSet: AnswerSet; readonly root: string | null },
): AccessOutcome {
  const isSafeChange = change.safety === 'safe';
  const questions = isSafeChange ? null : questionsToAsk(change.waitsFor, answerSet);
  if (questions !== null) return { kind: 'asks', questions, root };
  return {
    kind: 'change',
    isSafe: isSafeChange,
    sectionCount: change.sectionCount,
    assumptions: isSafeChange ? [] : openQuestionTexts(change.waitsFor),
    edits: change.edits,
    changes: () => fileChangesOf(change.edits, view),
  };
}

/**
 * The questions that the user has to answer to decide these open questions; null if there are none.
 * Open questions that no answer can decide are left out: the preview shows them.
 */
function questionsToAsk(openQuestions: readonly OpenQuestion[], answerSet: AnswerSet): readonly AskedQuestion[] | null {
  const openQuestionsById = new Map<string, OpenQuestion[]>();
  for (const each of openQuestions) {
    const idOfQuestion = questionId(each, answerSet);
    if (idOfQuestion !== null && !answerSet.answers.has(idOfQuestion)) addTo(openQuestionsById, idOfQuestion, each);
  }
  const questionsById = new Map(
    [...openQuestionsById].map(([id, openQuestionsOfId]) => [id, { openQuestions: openQuestionsOfId }]),
  );
  const linesOf24 = takeVersionQuestion(questionsById, answerSet);
  const questionsWithText = [...questionsById].flatMap(([id, question]) => {
    const linesForText = id === STANDALONE_QUESTION_ID ? linesOf24 : null;
    const questionText = questionTextOf(id, question.openQuestions, linesForText);
    return questionText
      ? [{ id, text: { ...questionText, choices: offeredChoices(id, questionText, linesForText !== null) } }]
      : [];
  });
  return questionsWithText.length === 0 ? null : questionsWithText;
}

/**
 * The section that prevents the conversion of an old line. Null if no section does, because the
 * reason is about the whole configuration.
 */
function refusedSectionOf(
  { access, view }: PlannedConversion,
  line: { path: string; offset: number },
): RefusedSection | null {
  for (const { refusals } of access.configurations) {
    const refusal = refusals.find(({ lines }) =>
      lines.some(({ path, offset }) => path === line.path && offset === line.offset),
    );
    if (!refusal) continue;
    const { cause } = refusal;
    const [firstLine] = cause.lines;
    const causePath = firstLine?.path ?? cause.path;
    return {
      path: causePath,
      line: view.read(causePath)?.positionAt(firstLine?.offset ?? cause.offset).line ?? 0,
      section: cause.section,
      sectionsPrevented: refusals.filter((each) => each.cause.path === cause.path && each.cause.offset === cause.offset)
        .length,
    };
  }
  return null;
}

/**
 * The code action for an outcome, and a key that is the same for equal actions; null if there is no
 * action.
 */
function actionForOutcome(
  session: Session,
  outcome: AccessOutcome,
  position: OldLinePosition,
): { readonly key: string; readonly action: Omit<CodeAction, 'diagnostics'> } | null {
  const command = (title: string, isPreferred: boolean, key: string) => ({
    key,
    action: {
      title,
      kind: CodeActionKind.QuickFix,
      ...(isPreferred && { isPreferred }),
      command: { title, command: CONVERT_ACCESS_COMMAND, arguments: [position] },
    },
  });
  if (outcome.kind === 'large') return command('Convert this section…', true, `${position.line}`);
  if (outcome.kind === 'refused') return command('Why is this not converted?', false, `${position.line}`);
  if (outcome.kind === 'asks') {
    const { question } = outcome.questions[0]!.text;
    const questionsKey = outcome.questions.map(({ id }) => id).join('\n');
    return command(
      `Answer "${shortenedQuestion(withRelativePaths(session, question))}" to convert`,
      true,
      questionsKey,
    );
  }
  const title = withRelativePaths(session, actionTitle(outcome));
  const changeKey = `${title}\n${[...outcome.edits].map(([path, edits]) => `${path} ${edits[0]?.start}`).join('\n')}`;
  const edit = session.client.isOurClient ? null : workspaceEditOf(session, outcome.changes());
  // Names the file that the editor would destroy, so that the user learns why there is no edit.
  if (edit === null || 'unfitFiles' in edit) {
    if (canWriteFiles(session))
      return command(outcome.edits.size > 1 && outcome.isSafe ? `${title}…` : title, outcome.isSafe, changeKey);
    if (edit === null) return null;
    const reason = `${edit.unfitFiles.map((path) => pathForUsers(session, path)).join(', ')}: the file is not UTF-8, and this editor cannot change it without damage`;
    return { key: changeKey, action: { title, kind: CodeActionKind.QuickFix, disabled: { reason } } };
  }
  return {
    key: changeKey,
    action: { title, kind: CodeActionKind.QuickFix, ...(outcome.isSafe && { isPreferred: true }), ...edit },
  };
}

/**
 * All changes as one edit for the client. Null if the client cannot change a file that is not open,
 * or if a file has changed. `unfitFiles` lists files that the client would read in another encoding
 * than the file has.
 */
function workspaceEditOf(
  session: Session,
  changes: readonly FileChange[],
): Pick<CodeAction, 'edit'> | { readonly unfitFiles: readonly string[] } | null {
  const { client, workspace, documents, host } = session;
  const view = host.fileView?.((path) => workspace.openTrees().get(path) ?? null);
  // If our command can write the files, it is better than an edit without document versions. Then
  // no edit of closed files is returned.
  const mayEditClosedFiles = client.supportsDocumentChanges || !canWriteFiles(session);
  const unfitFiles: string[] = [];
  const documentChanges = [];
  for (const { path, before, edits } of changes) {
    const document = workspace.isOpen(path) ? documents.get(workspace.clientUriOf(path)) : undefined;
    const tree = document?.tree ?? view?.read(path);
    if (!tree || (!document && !mayEditClosedFiles)) return null;
    if (tree.text() !== before && !document) return null;
    // Editors do not count a byte order mark as a character, so their columns in the first line
    // differ.
    const startsAfterMark = before.startsWith('\ufeff') && edits.some(({ start }) => tree.positionAt(start).line === 0);
    // The plan is for the text on the disk. If the editor shows another text, it opened the file in
    // the wrong encoding.
    const isUnfit = document ? tree.text() !== before : view?.isOtherEncoding?.(path) === true || startsAfterMark;
    if (isUnfit) unfitFiles.push(path);
    const uri = document?.uri ?? workspace.clientUriOf(path);
    documentChanges.push({
      textDocument: { uri, version: document?.version ?? null },
      edits: textEdits(tree, edits),
    });
  }
  return unfitFiles.length > 0 ? { unfitFiles } : { edit: { documentChanges } };
}

/**
 * The title of the action: `Convert to Require all granted` if only this section changes. If there
 * is an assumption that no answer can decide, the title ends with it.
 */
function actionTitle({ sectionCount, assumptions, edits }: Extract<AccessOutcome, { kind: 'change' }>): string {
  const writtenLines = [...edits.values()]
    .flat()
    .flatMap(({ text }) => text.split('\n'))
    .map((row) => row.trim())
    .filter((row) => row !== '');
  const fileCountText = edits.size === 1 ? '' : ` (${edits.size} files)`;
  const convertedPart =
    sectionCount > 1 || fileCountText !== ''
      ? `${sectionCount === 1 ? 'this section' : `these ${sectionCount} sections`}${fileCountText}`
      : writtenLines.length === 1 && /^Require \S/.test(writtenLines[0]!) && writtenLines[0]!.length <= 49
        ? `to ${writtenLines[0]}`
        : 'to 2.4 access control';
  const [assumption] = assumptions;
  return assumption === undefined
    ? `Convert ${convertedPart}`
    : `Convert ${convertedPart} · check first: ${assumption}`;
}

/** The question, shortened for the title of an action. */
function shortenedQuestion(question: string): string {
  if (question.length <= MAX_QUESTION_LENGTH) return question;
  return `${question.slice(0, MAX_QUESTION_LENGTH).replace(/[\s,.]+\S*$/, '')}…?`;
}

const MAX_QUESTION_LENGTH = 50;

/** A conversion, and the view of the files from which it was planned. */
interface PlannedConversion {
  readonly access: AccessConversion;
  readonly view: FileView;
}

/**
 * The last planned conversion of each session; `large` for a configuration that is planned only
 * when the user requests it.
 */
const planBySession = cacheOf<Session, { readonly stamp: string; readonly conversion: PlannedConversion | 'large' }>();

/**
 * The plan of the configuration that reads a file, from the cache if no file has changed. `large`
 * if the configuration is too large and `allowsAnySize` is false. Null if a file with unsaved
 * changes is open in the wrong encoding.
 */
async function cachedPlanFor(
  session: Session,
  uri: string,
  { allowsAnySize, token }: { readonly allowsAnySize: boolean; readonly token: CancellationToken },
): Promise<PlannedConversion | 'large' | null> {
  const { workspace } = session;
  const openTreesByPath = await openTreesInRightEncoding(session);
  if (!openTreesByPath) return null;
  throwIfCancelled(token);
  const cachedPlan = planBySession.get(session);
  if (cachedPlan?.stamp === configurationStamp(session, uri) && !(allowsAnySize && cachedPlan.conversion === 'large')) {
    if (cachedPlan.conversion === 'large') return cachedPlan.conversion;
    // The stamp does not show changes of folders: a new .htaccess, another link, or a change that
    // the client does not report.
    const changedPaths = await changedPathsOf(
      session,
      cachedPlan.conversion.view,
      (name) => openTreesByPath.get(name) ?? null,
    );
    if (changedPaths.length === 0) return cachedPlan.conversion;
    workspace.handleUnreportedChanges(changedPaths);
    await waitUnlessCancelled(workspace.untilCurrent(), token);
  }
  const files = configurationFilesOf(session, uri);
  if (files.length > MAX_FILES_TO_PLAN && !allowsAnySize) return 'large';
  const stamp = configurationStamp(session, uri);
  const view = await fileViewFor(session, openTreesByPath);
  const isSmall =
    allowsAnySize || files.reduce((sum, file) => sum + (view.read(file)?.length ?? 0), 0) <= MAX_LENGTH_TO_PLAN;
  const roots = workspace.models.map(({ mainFile }) => mainFile);
  const maxQueries = allowsAnySize ? Number.POSITIVE_INFINITY : MAX_QUERIES;
  const access = isSmall
    ? await conversionWithinQueryLimit(maxQueries, view, (limitedView) =>
        planConversionOfRoots(session, limitedView, roots, uri),
      )
    : null;
  const plannedConversion: PlannedConversion | 'large' = access === null ? 'large' : { access, view };
  planBySession.set(session, { stamp, conversion: plannedConversion });
  return plannedConversion;
}

/**
 * Plans the conversion that also keeps the old lines for 2.2. Null if an open file in the wrong
 * encoding has unsaved changes.
 */
async function planForBothVersions(
  session: Session,
  uri: string,
  token: CancellationToken,
): Promise<PlannedConversion | null> {
  const openTrees = await openTreesInRightEncoding(session);
  if (!openTrees) return null;
  throwIfCancelled(token);
  const view = await fileViewFor(session, openTrees);
  const roots = session.workspace.models.map(({ mainFile }) => mainFile);
  return { access: await planConversionOfRoots(session, view, roots, uri, true), view };
}

/**
 * The trees of open files by path. A file that the editor opened in the wrong encoding is left out,
 * so that it is read from the disk. Null if such a file has unsaved changes.
 */
async function openTreesInRightEncoding(session: Session): Promise<ReadonlyMap<string, Tree> | null> {
  const trees = new Map(session.workspace.openTrees());
  for (const document of session.documents.all()) {
    if (!(await isInWrongEncoding(session, document))) continue;
    if ((await wrongEncodingOf(session, document)) === 'changed') return null;
    trees.delete(session.workspace.realPathOf(document.uri) ?? '');
  }
  return trees;
}

/**
 * The paths whose contents have changed since the view read them. `openTree`: the tree of an open
 * file by path. Lets other work run in between.
 */
export async function changedPathsOf(
  { scheduler }: Session,
  view: FileView | undefined,
  openTree: (path: string) => Tree | null,
): Promise<readonly string[]> {
  const steps = view?.findChangedPaths?.(openTree);
  return (steps && (await scheduler.run(steps, () => false))) ?? [];
}

/** The paths of all files that are read together with a file, and of the file itself. */
function configurationFilesOf({ workspace }: Session, uri: string): string[] {
  const path = workspace.realPathOf(uri);
  const pathsReadTogether = workspace.relatedModelsOf(uri).flatMap((model) => [...model.files.keys()]);
  return [...new Set([...pathsReadTogether, ...(path === null ? [] : [path])])];
}

/**
 * A text that changes when a setting or a file of the configuration changes, as far as the client
 * reports changes.
 */
function configurationStamp(session: Session, uri: string): string {
  const { workspace, settings } = session;
  const treesByPath = workspace.openTrees();
  return [
    settings.revision,
    ...configurationFilesOf(session, uri).map(
      (file) => `${file} ${treeId(treesByPath.get(file))} ${workspace.stampOf(file)}`,
    ),
  ].join('\n');
}

const numberOfTree = numbering();

/** A number that identifies a tree; 0 for no tree. */
function treeId(tree: Tree | undefined): number {
  return tree ? numberOfTree(tree) : 0;
}
