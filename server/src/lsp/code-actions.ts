/** `textDocument/codeAction`. */
import {
  type CancellationToken,
  CodeActionKind,
  CodeActionTriggerKind,
  type CodeAction,
  type CodeActionParams,
  type TextDocumentEdit,
  type TextEdit,
} from 'vscode-languageserver';
import {
  codeActions,
  FIX_ALL_KIND,
  FIX_ALL_TITLE,
  fixAllEdit,
  SHOW_RULE_COMMAND,
  type CodeActionRequest,
  type FixAllData,
  type OtherFiles,
} from '../features/code-actions';
import { QueryLimit, MAX_QUERIES, TooManyQueries } from '../config/look-limit';
import { fewerActions, IGNORE_KIND, ruleIgnoredBy } from '../features/fewer-actions';
import {
  accessActions,
  accessFindings,
  conditionFindings,
  wrongEncodingActions,
  MAX_WAIT_FOR_WALK_MS,
  afterConfigurationWalk,
  type DocumentAfterWalk,
} from './access-fixes';
import { orderAllowDeny } from '../rules/order-allow-deny';
import type { ConfigDocument } from '../syntax/document';
import { workspaceEditFor } from './edits';
import { wrongEncodingOf, isInWrongEncoding } from './wrong-encoding';
import { analyzedDocument, type AnalyzedDocument, type Session } from './session';
import { conversionAction } from './access-conversion';

/** Milliseconds that the lightbulb's menu waits for a check of the whole configuration. */
const MAX_WAIT_FOR_CHECK_MS = 2000;

/** The kinds of code actions that the server offers. */
export const CODE_ACTION_KINDS = [CodeActionKind.QuickFix, FIX_ALL_KIND];

export function serveCodeActions(session: Session): void {
  session.connection.onCodeAction(async (params, token) => {
    const { range } = params;
    const { only } = params.context;
    const requestsFixAll = only?.some((kind) => FIX_ALL_KIND === kind || FIX_ALL_KIND.startsWith(`${kind}.`)) === true;
    const analyzedBeforeWalk = await analyzedDocument(
      session,
      params.textDocument.uri,
      token,
      requestsFixAll ? MAX_WAIT_FOR_WALK_MS : undefined,
    );
    const waitOptions = { range, token, waitsWithoutLimit: requestsFixAll };
    const documentAfterWalk =
      analyzedBeforeWalk &&
      (await afterConfigurationWalk(session, params.textDocument.uri, analyzedBeforeWalk, waitOptions));
    if (!documentAfterWalk) return [];
    const { analyzedFile } = documentAfterWalk;
    // A client that cannot request Fix All by its kind gets Fix All after the other actions.
    const wantsFixAll = requestsFixAll || (only === undefined && session.client.knowsNoActionKinds);
    if (
      wantsFixAll
        ? (await wrongEncodingOf(session, analyzedFile.document)) !== 'no'
        : await isInWrongEncoding(session, analyzedFile.document)
    ) {
      const wrongEncodingFixes = requestsQuickFixes(only)
        ? wrongEncodingActions(session, params.textDocument.uri, analyzedFile, range)
        : [];
      return [...actionsWithoutEdits(session, requestsFixAll), ...wrongEncodingFixes];
    }
    return orderedActions(session, params, documentAfterWalk, { token, wantsFixAll });
  });
  session.connection.onCodeActionResolve(async (action, token) => {
    const fixAllData = action.data as Partial<FixAllData> | undefined;
    if (fixAllData?.fixAllOf === undefined || fixAllData.uri === undefined) return action;
    const analyzedFile = await analyzedDocument(session, fixAllData.uri, token);
    if (!analyzedFile) return action;
    const edit = fixAllEdit(
      { ...codeActionRequest(session, fixAllData.uri, analyzedFile), range: action.diagnostics![0]!.range },
      fixAllData as FixAllData,
    );
    return codeActionForClient(session, { ...action, edit });
  });
}

/** The text of an open file with all its safe fixes applied; null if the file is not open. */
export async function textWithSafeFixes(
  session: Session,
  uri: string,
  token: CancellationToken,
): Promise<string | null> {
  const analyzedFile = await analyzedDocument(session, uri, token, MAX_WAIT_FOR_WALK_MS);
  if (!analyzedFile) return null;
  const { document } = analyzedFile;
  const text = document.tree.text();
  if ((await wrongEncodingOf(session, document)) !== 'no') return text;
  const wholeFile = { start: document.positionAt(0), end: document.positionAt(text.length) };
  const otherOpenFiles = await readOtherFiles(session, uri);
  const actions = actionsWithinQueryLimit({
    ...codeActionRequest(session, uri, analyzedFile),
    range: wholeFile,
    requestedKinds: [FIX_ALL_KIND],
    otherFiles: otherOpenFiles,
  });
  return actions
    .flatMap(({ edit }) => (edit?.documentChanges ?? []) as TextDocumentEdit[])
    .filter(({ textDocument }) => textDocument.uri === uri)
    .flatMap(({ edits }) => edits as TextEdit[])
    .map((edit) => ({ ...edit, start: document.offsetAt(edit.range.start), end: document.offsetAt(edit.range.end) }))
    .sort((a, b) => b.start - a.start)
    .reduce((textSoFar, { start, end, newText }) => textSoFar.slice(0, start) + newText + textSoFar.slice(end), text);
}

/**
 * Returns the code actions. If they need too many file-system queries, returns only those that need
 * no other file.
 */
function actionsWithinQueryLimit(request: CodeActionRequest): CodeAction[] {
  const { otherFiles } = request;
  if (!otherFiles) return codeActions(request);
  try {
    return codeActions({
      ...request,
      otherFiles: { ...otherFiles, view: new QueryLimit(MAX_QUERIES).viewWithLimit(otherFiles.view) },
    });
  } catch (error) {
    if (!(error instanceof TooManyQueries)) throw error;
    return codeActions({ ...request, otherFiles: undefined });
  }
}

/** All code actions at a place, in the order in which the client shows them. */
async function orderedActions(
  session: Session,
  params: CodeActionParams,
  documentAfterWalk: DocumentAfterWalk,
  { token, wantsFixAll }: { readonly token: CancellationToken; readonly wantsFixAll: boolean },
): Promise<CodeAction[]> {
  const { analyzedFile } = documentAfterWalk;
  const { range, context, textDocument } = params;
  const { only } = context;
  const files = wantsFixAll ? await readOtherFiles(session, textDocument.uri) : undefined;
  const actions = actionsWithinQueryLimit({
    ...codeActionRequest(session, textDocument.uri, analyzedFile),
    range,
    furtherFindings: [...accessFindings(analyzedFile, range), ...conditionFindings(analyzedFile, range)],
    requestedKinds: only?.includes(IGNORE_KIND)
      ? [CodeActionKind.QuickFix]
      : (only ?? (wantsFixAll ? CODE_ACTION_KINDS : undefined)),
    otherFiles: files,
  });
  const wantsQuickFixes = requestsQuickFixes(only);
  // A file that was just opened has no findings about its configuration before the next check, so
  // this waits for the check.
  if (wantsQuickFixes && context.triggerKind === CodeActionTriggerKind.Invoked) await waitForCheck(session);
  const configurationActions = session.configurationRules.codeActionsAt(
    session.workspace.realPathOf(textDocument.uri),
    analyzedFile.document.tree,
    range,
  );
  const accessResult = wantsQuickFixes
    ? await accessActions(session, textDocument.uri, documentAfterWalk, { range, token })
    : null;
  const conversion = accessResult?.isConversionPossible
    ? conversionAction(session, textDocument.uri, accessResult.actions)
    : [];
  const otherActions = actions.filter(
    (action) =>
      accessResult?.hasSameChangeAs(action) !== true &&
      (documentAfterWalk.isWalkComplete || !convertsOneSection(action)),
  );
  const actionsForAccess = accessResult?.actions ?? [];
  const actionsForOthers = [...otherActions, ...(wantsQuickFixes ? configurationActions : [])];
  const sortedList = sortedActions([
    ...(accessResult?.areOnlyExplanations
      ? [...actionsForOthers, ...actionsForAccess]
      : [...actionsForAccess, ...actionsForOthers]),
    ...conversion,
  ]);
  const allActions = actionsToShow(session, params, sortedList);
  return allActions
    .filter((action) => session.client.isOurClient || action.command?.command !== SHOW_RULE_COMMAND)
    .map((action) => codeActionForClient(session, action));
}

/** Whether an action converts one section without the rest of the configuration. */
function convertsOneSection({ kind, diagnostics, command }: CodeAction): boolean {
  const isAboutAccess = diagnostics?.some(({ code }) => code === orderAllowDeny.id) === true;
  return isAboutAccess && kind === CodeActionKind.QuickFix && command === undefined;
}

/**
 * Sorts actions: first fixes, then the page of the rule, then ignoring the rule, then Fix All.
 * Editors apply the first action most easily, so it must not be an action that only hides the
 * finding.
 */
function sortedActions(actions: readonly CodeAction[]): CodeAction[] {
  const rank = (action: CodeAction) =>
    action.kind === FIX_ALL_KIND
      ? 3
      : ruleIgnoredBy(action) !== null
        ? 2
        : action.command?.command === SHOW_RULE_COMMAND
          ? 1
          : 0;
  return [...actions].sort((a, b) => rank(a) - rank(b));
}

/**
 * The other files of the workspace. Fix All needs them to check its changes, as `fix --write` does.
 * Undefined if they may not be read: in restricted mode, or without a disk.
 */
async function readOtherFiles(session: Session, uri: string): Promise<OtherFiles | undefined> {
  const { host, workspace, settings } = session;
  if (!session.isTrusted || !host.fileView) return undefined;
  const path = workspace.realPathOf(uri);
  if (path === null) return undefined;
  const openFiles = new Map<string, ConfigDocument>();
  for (const document of session.documents.all()) {
    const openPath = workspace.realPathOf(document.uri);
    if (openPath !== null && (await wrongEncodingOf(session, document)) === 'no') openFiles.set(openPath, document);
  }
  const { engine } = await settings.settingsOf(uri);
  const server = await workspace.serverSettingsOf(path);
  return {
    path,
    openFiles,
    view: host.fileView((name) => openFiles.get(name)?.tree ?? null),
    settings: { engineOf: () => engine, serverOf: () => server },
  };
}

/**
 * The actions for a document that the editor opened in the wrong encoding. None of these actions
 * changes the document: saving a change would destroy the file.
 */
function actionsWithoutEdits({ client }: Session, wantsFixAll: boolean): CodeAction[] {
  const reason = 'The file was opened with the wrong encoding. Reopen it with its own encoding before you change it.';
  if (wantsFixAll)
    return client.showsDisabledActions ? [{ title: FIX_ALL_TITLE, kind: FIX_ALL_KIND, disabled: { reason } }] : [];
  if (!client.isOurClient) return [];
  const title = 'Reopen with another encoding…';
  return [
    { title, kind: CodeActionKind.QuickFix, command: { title, command: 'workbench.action.editor.changeEncoding' } },
  ];
}

/**
 * Returns the actions to show. If the client requests only actions that ignore a rule, these are
 * the result, with the kind `IGNORE_KIND`. For our own client, actions that the plan and its
 * commands replace are left out. Other clients get all actions.
 */
function actionsToShow(
  { client, workspace }: Session,
  { textDocument: { uri }, range, context: { only } }: CodeActionParams,
  actions: readonly CodeAction[],
): readonly CodeAction[] {
  if (only?.includes(IGNORE_KIND))
    return actions
      .filter((action) => ruleIgnoredBy(action) !== null)
      .map((action) => ({ ...action, kind: IGNORE_KIND }));
  return client.isOurClient
    ? fewerActions(actions, { uri, line: range.start.line, isPlanned: workspace.isPartOfConfiguration(uri) })
    : actions;
}

/** Waits for the check of whole configurations, but at most as long as a menu can wait. */
async function waitForCheck({ configurationRules }: Session): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, MAX_WAIT_FOR_CHECK_MS)));
  await Promise.race([configurationRules.untilSettled(), timeout]);
  clearTimeout(timer);
}

function requestsQuickFixes(requestedKinds: readonly string[] | undefined): boolean {
  return (
    requestedKinds === undefined ||
    requestedKinds.includes(CodeActionKind.QuickFix) ||
    requestedKinds.includes(IGNORE_KIND)
  );
}

/** The parts of a request for code actions that do not depend on the range. */
function codeActionRequest(
  session: Session,
  uri: string,
  { document, settings, analysis, fileInfo }: AnalyzedDocument,
): Omit<CodeActionRequest, 'range'> {
  return {
    uri,
    version: document.version,
    engine: settings.engine,
    analysis,
    fileInfo,
    computesEditsLater: session.client.requestsActionEditsLater,
  };
}

/**
 * The action in a form that the client supports: its title without backticks, its edit as the
 * client accepts it.
 */
function codeActionForClient(session: Session, codeAction: CodeAction): CodeAction {
  // No client shows backticks in a title as code.
  const action = { ...codeAction, title: codeAction.title.replaceAll('`', '') };
  const changes = action.edit?.documentChanges as TextDocumentEdit[] | undefined;
  return changes ? { ...action, edit: workspaceEditFor(session, changes) } : action;
}
