/**
 * Applies planned changes, such as conversions of whole configurations: shows the plan, asks the
 * user, writes all files or none, reports the result, and undoes it on request. Our own client
 * shows and asks itself; for other clients the server asks through the protocol.
 *
 * Open files change in the editor, in one edit. Other files are written on the disk byte for byte,
 * so the editor's encoding does not matter.
 */
import {
  FileChangeType,
  LSPErrorCodes,
  MessageType,
  ResponseError,
  ShowMessageNotification,
  CancellationToken,
  type TextDocumentEdit,
} from 'vscode-languageserver';
import { undoEdits } from '../analysis/fixes';
import {
  conversionPlan,
  fixPlan,
  readyFixesPlan,
  sectionPlan,
  type FileChange,
  type ChangePlan,
} from '../features/conversion';
import { textEdits } from '../features/convert';
import { filesOf22 } from '../features/project';
import type { ReadyFix } from '../features/workspace-plan';
import { decode, encode } from '../host/decode';
import type { HostChange } from '../host/host';
import { parentOf } from '../config/files';
import { fileMayShow24 } from '../access/running';
import { loadsModuleOf24 } from '../rules/support/facts';
import { Tree, type ConfigDocument } from '../syntax/document';
import { accessOutcomeAt, CONVERT_ACCESS_COMMAND, type OldLinePosition, type RefusedSection } from './access-fixes';
import { askQuestion, type AskedQuestion } from './answer-question';
import { APPLY_FIX_COMMAND, type RequestedFix } from './configuration-rules';
import { workspaceEditFor } from './edits';
import { wrongEncodingOf, watchWrongEncodings } from './wrong-encoding';
import { pathForUsers, withRelativePaths } from './navigation';
import type { Plans } from './plans';
import { fileProgress, progressOf, type TellProgress } from './progress';
import { canWriteFiles, throwIfCancelled, writableFolders, type Session } from './session';
import { planConversion, CONVERT_COMMAND, type NothingToConvert } from './access-conversion';
import { accessChangesText } from './who-gains';

/**
 * A planned change as our client shows it before the user decides. `verb` is the label of the
 * button that applies it.
 */
export interface ShownPlan {
  readonly id: number;
  readonly question: string;
  readonly verb: string;
  /** Plain text; '' if there is none. */
  readonly summary: string;
  readonly files: readonly {
    readonly uri: string;
    readonly name: string;
    readonly before: string;
    readonly after: string;
  }[];
}

/** The outcome of applying or undoing a change. */
export interface ChangeOutcome {
  /** The result, or why nothing was done, for the user. */
  readonly message: string;
  readonly isDone: boolean;
  /** The URIs of open files that have changed and are not saved yet. */
  readonly unsaved: readonly string[];
}

/** Runs one of `CONVERSION_COMMANDS`, and asks the user through the protocol. */
export type ConversionCommand = (command: string, argument: unknown, token: CancellationToken) => Promise<null>;

/**
 * Serves our client's requests that plan, apply and undo changes. Returns the function that runs
 * the commands of other clients.
 */
export function serveConversions(session: Session, plans: Plans): ConversionCommand {
  const { connection } = session;
  const displayPath = (path: string) => pathForUsers(session, path);
  let lastPlanId = 0;
  let requestedPlan: RequestedPlan | null = null;
  /** The changes that can be undone, the last one at the end. */
  let doneChanges: { readonly id: number | null; readonly plan: ChangePlan }[] = [];
  watchWrongEncodings(session);
  /**
   * Resolves when the running change has ended. Two changes at the same time could revert each
   * other's files.
   */
  let runningChange: Promise<unknown> = Promise.resolve();
  const afterRunningChange = <T>(work: () => Promise<T>): Promise<T> => {
    const queuedChange = runningChange.then(work);
    runningChange = queuedChange.catch(() => undefined);
    return queuedChange;
  };

  // Makes the plan that a request asks for.
  const planFor = async (
    { uri, fix, ready, access }: PlanRequest,
    token: CancellationToken,
    tellProgress?: TellProgress,
  ): Promise<ChangePlan | NothingToConvert | QuestionsFirst> => {
    if (access) return planOfAccess(session, access, token, tellProgress);
    if (fix) return planOfFix(session, fix);
    if (ready) return planOfReadyFixes(session, plans, ready, token, tellProgress);
    const conversion = await planConversion(session, uri, token);
    return 'nothing' in conversion ? conversion : conversionPlan(conversion, displayPath);
  };
  // Applies a plan, if it is still the same when it is made again.
  const applyPlan = (
    { plan, request }: RequestedPlan,
    id: number | null,
    token: CancellationToken,
    tellProgress?: TellProgress,
  ): Promise<ChangeOutcome> =>
    afterRunningChange(async () => {
      // Other files may have changed between the preview and the user's decision, and the plan may
      // then be wrong.
      const isPlanCurrent = async () => {
        const newPlan = await planFor(request, token).catch((error: unknown) => {
          if (token.isCancellationRequested) return NOTHING_BECAUSE_CANCELLED;
          throw error;
        });
        return (
          !('nothing' in newPlan) &&
          !('asks' in newPlan) &&
          JSON.stringify(newPlan.changes) === JSON.stringify(plan.changes)
        );
      };
      const directoriesOf22Before = directoriesOf22(session, plan.changes);
      const convertedDirectoriesBefore = plan.changes
        .map(({ path }) => parentOf(path))
        .filter((each) => isConversionRecorded(session, each));
      const outcome = await applyChanges(session, plan.changes, {
        message: plan.messageAfter,
        token,
        tellProgress,
        isStillValid: isPlanCurrent,
      });
      if (outcome.isDone)
        recordConversion(session, [...directoriesOf22Before, ...convertedDirectoriesBefore], plan.changes);
      if (outcome.isDone) doneChanges = [...doneChanges, { id, plan }].slice(-MAX_UNDOABLE_CHANGES);
      return outcome;
    });
  // Undoes the change with this id; if `id` is null, the last change.
  const undoChange = (
    id: number | null,
    token: CancellationToken,
    tellProgress?: TellProgress,
  ): Promise<ChangeOutcome> =>
    afterRunningChange(async () => {
      const doneChange = id === null ? doneChanges.at(-1) : doneChanges.find((each) => each.id === id);
      if (!doneChange) return { message: 'There is nothing to undo.', isDone: false, unsaved: [] };
      const changes = doneChange.plan.changes.map(revertedChange);
      const outcome = await applyChanges(session, changes, {
        message: 'The change was undone.',
        token,
        tellProgress,
        acceptsMadeChanges: true,
      });
      if (outcome.isDone) doneChanges = doneChanges.filter((each) => each !== doneChange);
      return outcome;
    });

  connection.onRequest<ShownPlan | NothingToConvert | ShownQuestions, void>(
    'httpdUpgrade/planConversion',
    async (request: PlanRequest, token: CancellationToken): Promise<ShownPlan | NothingToConvert | ShownQuestions> => {
      if (request.isAnswered) {
        session.settings.dropCache();
        for (const listener of session.settingsListeners) listener();
      }
      const plan = await planFor(request, token, progressOf(connection, request));
      if ('nothing' in plan) return plan;
      if ('asks' in plan)
        return {
          asks: plan.asks.map(({ id }) => id),
          root: plan.root === null ? null : session.workspace.clientUriOf(plan.root),
        };
      requestedPlan = { plan, request };
      const files = plan.changes.map(({ path, before, after }) => ({
        uri: session.workspace.clientUriOf(path),
        name: displayPath(path),
        before,
        after,
      }));
      return { id: ++lastPlanId, question: plan.question, verb: plan.buttonText, summary: plan.summary, files };
    },
  );
  connection.onRequest(
    'httpdUpgrade/applyConversion',
    async (parameters: { id: number }, token: CancellationToken): Promise<ChangeOutcome> => {
      const { id } = parameters;
      const acceptedPlan = id === lastPlanId ? requestedPlan : null;
      requestedPlan = null;
      if (!acceptedPlan)
        throw new ResponseError(
          LSPErrorCodes.RequestFailed,
          'this plan has already been applied, or there is a newer plan',
        );
      return applyPlan(acceptedPlan, id, token, progressOf(connection, parameters));
    },
  );
  connection.onRequest(
    'httpdUpgrade/whoGains',
    async ({ id }: { id: number }, token: CancellationToken): Promise<{ text: string }> => {
      if (!requestedPlan || id !== lastPlanId) return { text: 'The plan has changed. Open the preview again.\n' };
      return { text: await accessChangesText(session, requestedPlan.plan.changes, token) };
    },
  );
  connection.onRequest(
    'httpdUpgrade/undoConversion',
    (parameters: { id?: unknown } | undefined, token: CancellationToken) =>
      undoChange(typeof parameters?.id === 'number' ? parameters.id : null, token, progressOf(connection, parameters)),
  );
  /**
   * Asks the questions that the plan waits for, and returns the plan. Null if the user did not
   * answer a question.
   */
  const planAfterQuestions = async (
    request: PlanRequest,
    token: CancellationToken,
    notes: string[],
  ): Promise<ChangePlan | NothingToConvert | null> => {
    const askedIds = new Set<string>();
    for (;;) {
      const plan = await planFor(request, token);
      if (!('asks' in plan)) return plan;
      const question = plan.asks.find(({ id }) => !askedIds.has(id));
      const chosenAnswer = question ? await askQuestion(session, question, plan.root) : null;
      if (!question || chosenAnswer === null) return null;
      askedIds.add(question.id);
      if (chosenAnswer.note !== '') notes.push(chosenAnswer.note);
    }
  };
  return async (command, argument, token) => {
    const request: PlanRequest =
      command === APPLY_FIX_COMMAND
        ? { fix: argument as RequestedFix }
        : command === CONVERT_ACCESS_COMMAND
          ? { access: oldLinePositionIn(argument) }
          : { uri: typeof argument === 'string' ? argument : undefined };
    const notes: string[] = [];
    const plan = await planAfterQuestions(request, token, notes);
    if (plan === null) return null;
    if ('nothing' in plan) {
      void showOutcome(session, { message: plan.nothing, isDone: false, unsaved: [] });
      return null;
    }
    // No confirmation is needed if the user chose to convert one place and the change keeps every
    // access decision.
    const needsConfirmation = request.access === undefined || plan.needsCheck;
    if (needsConfirmation && (await askUser(session, plan)) !== plan.buttonText) return null;
    const outcome = await applyPlan({ plan, request }, null, token);
    for (const note of notes)
      await connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Info, message: note });
    // Not awaited, because the command itself is complete.
    void showOutcome(session, outcome, ...(outcome.isDone ? [BUTTONS.keep, BUTTONS.undo] : []))
      .then(async (chosenButton) => {
        if (chosenButton === BUTTONS.undo) await showOutcome(session, await undoChange(null, CancellationToken.None));
      })
      .catch((error: Error) => connection.console.error(error.message));
    return null;
  };
}

const NOTHING_BECAUSE_CANCELLED: NothingToConvert = { nothing: 'cancelled' };

/** Limit for the number of changes that can be undone. */
const MAX_UNDOABLE_CHANGES = 20;

/** The commands that clients other than ours call on the server. */
export const CONVERSION_COMMANDS: readonly string[] = [CONVERT_COMMAND, APPLY_FIX_COMMAND, CONVERT_ACCESS_COMMAND];

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Questions that the user has to answer before there is a plan. `root` is the path of the main
 * file; null for a file that no configuration reads.
 */
interface QuestionsFirst {
  readonly asks: readonly AskedQuestion[];
  readonly root: string | null;
}

/**
 * The ids of `QuestionsFirst` for our client, which has the texts of the questions. `root` is the
 * URI of the main file.
 */
export interface ShownQuestions {
  readonly asks: readonly string[];
  readonly root: string | null;
}

/**
 * What to convert. `uri`: the configuration that reads this file. `access`: the section of an old
 * access line. `fix`: one fix. `ready`: fixes of the upgrade plan. Without any of them: all
 * configurations.
 */
interface PlanRequest {
  readonly uri?: string;
  readonly access?: OldLinePosition;
  /** Whether an answer was written since the last request, so that cached answers are outdated. */
  readonly isAnswered?: boolean;
  readonly fix?: RequestedFix;
  readonly ready?: RequestedReadyFixes;
}

/** A plan that the client got, and the request with which the plan can be made again. */
interface RequestedPlan {
  readonly plan: ChangePlan;
  readonly request: PlanRequest;
}

/**
 * Which ready fixes of the upgrade plan to apply: those of one configuration (of all, if none is
 * named), those of one file, or single items of the plan.
 */
interface RequestedReadyFixes {
  /**
   * The URI of the main file; null for files that no configuration reads; undefined for all
   * configurations.
   */
  readonly root?: string | null;
  readonly file?: string;
  /** Only the files that no server reads. */
  readonly isDormant?: boolean;
  readonly items?: readonly {
    readonly rule: string;
    readonly file: string;
    readonly line: number;
    readonly title: string;
  }[];
}

/**
 * `keep`, the first button of the result, changes nothing. So a client that chooses the first
 * button without asking the user does no harm.
 */
const BUTTONS = { no: 'Cancel', keep: 'Keep', undo: 'Undo' };

/** Plans the changes of one fix for a finding about a whole configuration. */
function planOfFix(session: Session, fix: RequestedFix): ChangePlan | NothingToConvert {
  const path = session.workspace.realPathOf(fix.uri);
  const tree = session.documents.get(fix.uri)?.tree;
  const changes = path !== null && tree ? session.configurationRules.changesOfRequestedFix(fix, path, tree) : null;
  return changes
    ? fixPlan(fix.title, changes, (each) => pathForUsers(session, each))
    : { nothing: 'The files have changed since this fix was offered. Try it again.' };
}

/**
 * The position in the argument of a command. Parts that are missing or of a wrong type get
 * defaults.
 */
function oldLinePositionIn(argument: unknown): OldLinePosition {
  const { uri, line, keepsBoth } = (argument ?? {}) as { uri?: unknown; line?: unknown; keepsBoth?: unknown };
  return {
    uri: typeof uri === 'string' ? uri : '',
    line: typeof line === 'number' ? line : 0,
    keepsBoth: keepsBoth === true,
  };
}

/** Plans the conversion of the section with an old access line, with all changes that it needs. */
async function planOfAccess(
  session: Session,
  position: OldLinePosition,
  token: CancellationToken,
  tellProgress: TellProgress = () => undefined,
): Promise<ChangePlan | NothingToConvert | QuestionsFirst> {
  const displayPath = (path: string) => pathForUsers(session, path);
  tellProgress(5, 'reading the configuration');
  const accessOutcome = await accessOutcomeAt(session, position, token);
  throwIfCancelled(token);
  tellProgress(95, 'planned the conversion');
  if (!accessOutcome || accessOutcome.kind === 'large')
    return { nothing: 'The files have changed since this fix was offered. Try it again.' };
  if (accessOutcome.kind === 'asks') return { asks: accessOutcome.questions, root: accessOutcome.root };
  if (accessOutcome.kind === 'refused') return refusalOf(session, accessOutcome.reason, accessOutcome.cause);
  const path = session.workspace.realPathOf(position.uri) ?? position.uri;
  return sectionPlan(
    {
      roots: [path],
      sectionCount: accessOutcome.sectionCount,
      changes: accessOutcome.changes(),
      assumptions: accessOutcome.assumptions.map((text) => withRelativePaths(session, text)),
      unconvertedSections: [],
      reasonsNotConverted: [],
    },
    displayPath,
  );
}

/**
 * The reason why a section is not converted, with the line that causes it and what the user can do
 * about that line.
 */
function refusalOf(session: Session, reason: string, cause: RefusedSection | null): NothingToConvert {
  const shownReason = withRelativePaths(session, reason);
  if (!cause) return { nothing: `Not converted: ${shownReason}.` };
  const { path, line, section, sectionsPrevented, help } = cause;
  const shownPlace = `${pathForUsers(session, path)}:${line + 1}`;
  const otherSectionsText =
    sectionsPrevented > 1
      ? ` ${sectionsPrevented - 1} more ${sectionsPrevented === 2 ? 'section waits' : 'sections wait'} for it.`
      : '';
  const adviceText =
    help === undefined ? `Change ${section} at ${shownPlace} by hand, then convert.` : `${help}: ${shownPlace}.`;
  return {
    nothing: `Not converted: ${shownReason}.${otherSectionsText} ${adviceText}`,
    place: { uri: session.workspace.clientUriOf(path), line, name: shownPlace },
  };
}

/** Plans the ready fixes of the upgrade plan that a request chooses. */
async function planOfReadyFixes(
  session: Session,
  plans: Plans,
  { root, file, isDormant, items: chosenItems }: RequestedReadyFixes,
  token: CancellationToken,
  tellProgress: TellProgress | undefined,
): Promise<ChangePlan | NothingToConvert> {
  if (!canWriteFiles(session) && session.documents.all().length === 0)
    return { nothing: 'The editor cannot write files here.' };
  const gatheredPlan = await plans.current(token, tellProgress);
  if ('nothing' in gatheredPlan) return gatheredPlan;
  const displayPath = (path: string) => pathForUsers(session, path);
  const wantedFixes =
    chosenItems && new Set(chosenItems.map((item) => JSON.stringify([item.rule, item.file, item.line, item.title])));
  const path = file === undefined ? null : session.workspace.realPathOf(file);
  const isChosen = (fix: ReadyFix) =>
    (path === null || fix.edits.has(path)) &&
    (!wantedFixes || wantedFixes.has(JSON.stringify([fix.rule, displayPath(fix.path), fix.line, fix.title])));
  const { changes, fixes } = gatheredPlan.changesOf({
    changesOnlyDormant: isDormant === true,
    root: root === undefined ? undefined : root === null ? '' : (session.workspace.realPathOf(root) ?? ''),
    isChosen: wantedFixes || path !== null ? isChosen : undefined,
  });
  return changes.length === 0
    ? { nothing: 'No fix is ready. Answer the questions of the upgrade plan first.' }
    : readyFixesPlan(fixes, changes, displayPath);
}

/**
 * Asks whether to apply a plan. Returns the title of the button that the user chose; undefined if
 * the user chose no button.
 */
async function askUser(
  session: Session,
  { shortText, buttonText, needsCheck }: ChangePlan,
): Promise<string | undefined> {
  const { window } = session.connection;
  const messageButtons = [{ title: buttonText }, { title: BUTTONS.no }];
  return (
    await (needsCheck
      ? window.showWarningMessage(shortText, ...messageButtons)
      : window.showInformationMessage(shortText, ...messageButtons))
  )?.title;
}

/**
 * Shows what a change did, with a button for each of `actions`. Returns the title of the chosen
 * button. Undefined if the user chose none, or if `actions` is empty.
 */
async function showOutcome(
  { connection }: Session,
  { message, isDone, unsaved }: ChangeOutcome,
  ...actions: string[]
): Promise<string | undefined> {
  const messageText = unsaved.length > 0 ? `${message} Save the open files to complete it.` : message;
  const messageButtons = actions.map((title) => ({ title }));
  if (messageButtons.length > 0)
    return (await connection.window.showInformationMessage(messageText, ...messageButtons))?.title;
  await connection.sendNotification(ShowMessageNotification.type, {
    type: isDone ? MessageType.Info : MessageType.Warning,
    message: messageText,
  });
  return undefined;
}

/**
 * The directories of the changed configurations, if no file of them shows that the server already
 * runs 2.4. After the change they contain lines of 2.4 that this program has written and that must
 * not count as a sign of 2.4.
 */
function directoriesOf22({ workspace, host, documents }: Session, changes: readonly FileChange[]): string[] {
  const treesBefore = new Map(changes.map(({ path, before }) => [path, Tree.parse(before)]));
  const view = host.fileView?.(
    (path) => treesBefore.get(path) ?? documents.get(workspace.clientUriOf(path))?.tree ?? null,
  );
  const mayShow24 = (path: string): boolean => {
    const tree = treesBefore.get(path) ?? view?.read(path);
    return tree == null || fileMayShow24(tree) || loadsModuleOf24(tree.root);
  };
  const groups = workspace.models.map(({ files, isFor24 }) => ({ files: [...files.keys()], isFor24 }));
  return [...new Set(filesOf22([...treesBefore.keys()], groups, mayShow24).map(parentOf))];
}

/** Whether this program has written lines of 2.4 to files of this directory. */
function isConversionRecorded({ host, workspace }: Session, directory: string): boolean {
  return host.isConverted?.(workspace.uriFromPath(directory)) === true;
}

/**
 * Records in which directories this program has written lines of 2.4, so that these lines do not
 * count as a sign that the server runs 2.4.
 */
function recordConversion(session: Session, directories: readonly string[], changes: readonly FileChange[]): void {
  const { host, settings, settingsListeners } = session;
  if (directories.length === 0 || !host.recordConversion) return;
  host.recordConversion(directories, new Map(changes.map(({ path, after }) => [path, after])));
  settings.dropCache();
  settingsListeners.forEach((listener) => listener());
}

/** The change that undoes a change. */
function revertedChange({ path, before, after, edits }: FileChange): FileChange {
  return { path, before: after, after: before, edits: undoEdits(before, edits) };
}

/** How `applyChanges` applies changes. */
interface ApplyOptions {
  /** The message for the user when the changes are written. */
  readonly message: string;
  readonly token: CancellationToken;
  readonly tellProgress?: TellProgress;
  /** Called before writing: whether the changes are still valid. */
  readonly isStillValid?: () => Promise<boolean>;
  /**
   * Whether a file that already has the new text is accepted as it is. It may have that text
   * because the editor's own Undo reverted one of several files.
   */
  readonly acceptsMadeChanges?: boolean;
}

/**
 * Writes all changes or none. Writes none if a file has changed since the changes were computed, or
 * if the user cancels before the end.
 */
async function applyChanges(
  session: Session,
  changes: readonly FileChange[],
  {
    message,
    token,
    tellProgress = () => undefined,
    isStillValid = () => Promise.resolve(true),
    acceptsMadeChanges = false,
  }: ApplyOptions,
): Promise<ChangeOutcome> {
  const { host, workspace } = session;
  const refusedOutcome = (reason: string): ChangeOutcome => ({
    message: `Nothing was changed: ${reason}.`,
    isDone: false,
    unsaved: [],
  });
  if (!session.isTrusted || !host.change) return refusedOutcome('files cannot be written here');
  await workspace.untilCurrent();
  const editorChanges: { document: ConfigDocument; version: number; change: FileChange }[] = [];
  const diskChanges: HostChange[] = [];
  const alreadyChangedUris: string[] = [];
  const hints: string[] = [];
  const cancelReason = 'you cancelled it';
  const showCheckProgress = fileProgress(tellProgress, 0, 50, changes.length, 'checked');
  for (const [index, change] of changes.entries()) {
    showCheckProgress(index);
    if (token.isCancellationRequested) return refusedOutcome(cancelReason);
    const shownPath = pathForUsers(session, change.path);
    const document = workspace.isOpen(change.path)
      ? session.documents.get(workspace.clientUriOf(change.path))
      : undefined;
    const encodingState = document ? await wrongEncodingOf(session, document) : 'no';
    if (encodingState === 'changed')
      return refusedOutcome(`${shownPath} is open with the wrong encoding and has unsaved changes`);
    if (document && encodingState === 'no' && acceptsMadeChanges && document.tree.text() === change.after) {
      alreadyChangedUris.push(document.uri);
      continue;
    }
    if (document && encodingState === 'no') {
      if (document.tree.text() !== change.before) return refusedOutcome(`${shownPath} has changed meanwhile`);
      editorChanges.push({ document, version: document.version, change });
      continue;
    }
    if (encodingState === 'clean')
      hints.push(`${shownPath} is open with the wrong encoding: reopen it with its own encoding before you save it.`);
    const diskChange = await diskChangeFor(session, change);
    if (typeof diskChange === 'string') {
      const madeChange = acceptsMadeChanges
        ? await diskChangeFor(session, { ...change, before: change.after })
        : diskChange;
      if (typeof madeChange !== 'string') continue;
      return refusedOutcome(`${shownPath} ${diskChange}`);
    }
    diskChanges.push(diskChange);
  }
  const areChangesValid = await isStillValid();
  if (token.isCancellationRequested) return refusedOutcome(cancelReason);
  if (!areChangesValid) return refusedOutcome('the files have changed meanwhile. Look at the changes again');
  tellProgress(50, `writing ${changes.length} ${changes.length === 1 ? 'file' : 'files'}`);
  const writeResult = diskChanges.length > 0 ? await host.change(diskChanges, writableFolders(session)) : null;
  if (writeResult && 'problem' in writeResult)
    return refusedOutcome(
      `${pathForUsers(session, workspace.pathOf(writeResult.uri) ?? writeResult.uri)} ${writeResult.problem}`,
    );
  /**
   * Reverts the files on the disk. `reason`: why nothing is changed then. `firstHalf`: the start of
   * the message if the files cannot be reverted.
   */
  const undoWrites = async (reason: string, firstHalf: string): Promise<ChangeOutcome> => {
    const undoProblem = await writeResult?.undo();
    return undoProblem
      ? { message: `${firstHalf}, and ${undoProblem}.`, isDone: false, unsaved: [] }
      : refusedOutcome(reason);
  };
  if (token.isCancellationRequested) return undoWrites(cancelReason, 'You cancelled the change');
  if (editorChanges.length > 0 && !(await applyInEditor(session, editorChanges)))
    return undoWrites(
      'the editor refused the change of the open files',
      'The editor refused the change of the open files',
    );
  // Reported here, because some clients have no file watchers, or slow ones.
  workspace.handleFileChanges(diskChanges.map(({ uri }) => ({ uri, type: FileChangeType.Changed })));
  return {
    message: [message, ...hints].join(' '),
    isDone: true,
    unsaved: [...alreadyChangedUris, ...editorChanges.map(({ document }) => document.uri)],
  };
}

/**
 * The change of a file on the disk, in bytes. If the file cannot be changed, the reason: a text
 * that follows the name of the file.
 */
async function diskChangeFor(
  { host, workspace }: Session,
  { path, before, after }: FileChange,
): Promise<HostChange | string> {
  const uri = workspace.uriFromPath(path);
  const content = await host.readFile(uri);
  if ('problem' in content) return content.problem.message;
  const decodedFile = decode(content.bytes);
  if ('problem' in decodedFile || decodedFile.text !== before) return 'has changed meanwhile';
  const bytes = encode(after, decodedFile.encoding);
  return bytes ? { uri, before: content.bytes, after: bytes } : 'would need a character that its encoding lacks';
}

/** Changes open files in the editor, in one edit. Returns whether the editor accepted it. */
async function applyInEditor(
  session: Session,
  files: readonly { document: ConfigDocument; version: number; change: FileChange }[],
): Promise<boolean> {
  const changes = files.map(
    ({ document, version, change }): TextDocumentEdit => ({
      textDocument: { uri: document.uri, version },
      edits: textEdits(document.tree, change.edits),
    }),
  );
  // The edits are for the texts that were compared; if a document has changed since, it has another
  // version.
  if (files.some(({ document, version }) => document.version !== version)) return false;
  try {
    return (
      await session.connection.workspace.applyEdit({ label: 'httpd-upgrade', edit: workspaceEditFor(session, changes) })
    ).applied;
  } catch {
    return false;
  }
}
