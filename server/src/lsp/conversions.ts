/**
 * Carries conversions of whole configurations out: shows the plan, asks a person, applies it whole or not at all, tells what happened, and
 * takes it back when asked to. Our own client does the showing and asking itself; for other clients the server asks by way of the protocol.
 *
 * What is open changes in the editor, in one edit. What is not is written on the disk, byte for byte, and never goes through an editor's encodings.
 */
import { LSPErrorCodes, MessageType, ResponseError, ShowMessageNotification, type CancellationToken, type TextDocumentEdit } from 'vscode-languageserver';
import { inverted } from '../analysis/fixes';
import { conversionBrief, conversionDone, conversionQuestion, conversionSummary, type Conversion, type FileChange } from '../features/conversion';
import { textEdits } from '../features/convert';
import { decode, encode } from '../host/decode';
import type { HostChange } from '../host/host';
import type { ConfigDocument } from '../syntax/document';
import { editFor } from './edits';
import { misread, watchMisread } from './misread';
import { shortened } from './navigation';
import type { Session } from './session';
import { conversionOf, CONVERT_COMMAND } from './whole-access';

/** What our client shows before it asks. */
export interface ShownPlan {
  readonly id: number;
  readonly question: string;
  /** Markdown. */
  readonly summary: string;
  readonly files: readonly { readonly uri: string; readonly name: string; readonly before: string; readonly after: string }[];
}

export interface Outcome {
  /** For people: what happened, or why nothing did. */
  readonly message: string;
  readonly isDone: boolean;
  /** Open files that have changed and are not saved yet. */
  readonly unsaved: readonly string[];
}

const QUESTION_ANSWERS = { yes: 'Convert', no: 'Cancel', undo: 'Undo' };

export function serveConversions(session: Session): void {
  const { connection } = session;
  let lastId = 0;
  let planned: Conversion | null = null;
  /** What was converted last, to be taken back. */
  let done: Conversion | null = null;
  watchMisread(session);

  const carryOut = async (conversion: Conversion): Promise<Outcome> => {
    const outcome = await apply(session, conversion.changes, conversionDone(conversion));
    if (outcome.isDone) done = conversion;
    return outcome;
  };
  const takeBack = async (): Promise<Outcome> => {
    if (!done) return { message: 'There is no conversion to undo.', isDone: false, unsaved: [] };
    const outcome = await apply(session, done.changes.map(backwards), 'The conversion is undone.');
    if (outcome.isDone) done = null;
    return outcome;
  };

  connection.onRequest('httpdUpgrade/planConversion', async ({ uri }: { uri?: string }, token: CancellationToken): Promise<ShownPlan | { nothing: string }> => {
    const conversion = await conversionOf(session, uri, token);
    if ('nothing' in conversion) return conversion;
    planned = conversion;
    const shown = (path: string) => shortened(session, path);
    const files = conversion.changes.map(({ path, before, after }) => ({ uri: session.workspace.uriFor(path), name: shown(path), before, after }));
    return { id: ++lastId, question: conversionQuestion(conversion), summary: conversionSummary(conversion, shown), files };
  });
  connection.onRequest('httpdUpgrade/applyConversion', async ({ id }: { id: number }): Promise<Outcome> => {
    const conversion = id === lastId ? planned : null;
    planned = null;
    if (!conversion) throw new ResponseError(LSPErrorCodes.RequestFailed, 'this plan was carried out already, or is an older one');
    return carryOut(conversion);
  });
  connection.onRequest('httpdUpgrade/undoConversion', takeBack);
  connection.onExecuteCommand(async ({ command, arguments: given }, token) => {
    if (command !== CONVERT_COMMAND) return null;
    const [uri] = (given ?? []) as unknown[];
    const conversion = await conversionOf(session, typeof uri === 'string' ? uri : undefined, token);
    if ('nothing' in conversion) return void tell(session, { message: conversion.nothing, isDone: false, unsaved: [] });
    const answer = await ask(session, conversion);
    if (answer !== QUESTION_ANSWERS.yes) return null;
    const outcome = await carryOut(conversion);
    // Nobody waits for the answer to this: the command has been carried out.
    void tell(session, outcome, ...(outcome.isDone ? [QUESTION_ANSWERS.undo] : [])).then(async (chosen) => {
      if (chosen === QUESTION_ANSWERS.undo) void tell(session, await takeBack());
    }).catch((error: Error) => connection.console.error(error.message));
    return null;
  });
}

// ---------------------------------------------------------------------------------------------------------------------

async function ask(session: Session, conversion: Conversion): Promise<string | undefined> {
  const text = conversionBrief(conversion, (path) => shortened(session, path));
  const { window } = session.connection;
  const items = [{ title: QUESTION_ANSWERS.yes }, { title: QUESTION_ANSWERS.no }];
  const answer = conversion.assumptions.length > 0 ? window.showWarningMessage(text, ...items) : window.showInformationMessage(text, ...items);
  return (await answer)?.title;
}

async function tell({ connection }: Session, { message, isDone, unsaved }: Outcome, ...actions: string[]): Promise<string | undefined> {
  const text = unsaved.length > 0 ? `${message} Save what is open to complete it.` : message;
  const items = actions.map((title) => ({ title }));
  if (items.length > 0) return (await connection.window.showInformationMessage(text, ...items))?.title;
  await connection.sendNotification(ShowMessageNotification.type, { type: isDone ? MessageType.Info : MessageType.Warning, message: text });
  return undefined;
}

function backwards({ path, before, after, edits }: FileChange): FileChange {
  return { path, before: after, after: before, edits: inverted(before, edits) };
}

/** All changes or none. Where a file is not as it was when they were worked out, none. */
async function apply(session: Session, changes: readonly FileChange[], message: string): Promise<Outcome> {
  const { host, workspace } = session;
  const refused = (reason: string): Outcome => ({ message: `Nothing was changed: ${reason}.`, isDone: false, unsaved: [] });
  if (!session.isTrusted || !host.change) return refused('files cannot be written here');
  await workspace.settle();
  const inEditor: { document: ConfigDocument; change: FileChange }[] = [];
  const onDisk: HostChange[] = [];
  const hints: string[] = [];
  for (const change of changes) {
    const name = shortened(session, change.path);
    const document = workspace.isOpen(change.path) ? session.documents.get(workspace.uriFor(change.path)) : undefined;
    const state = document ? await misread(session, document) : 'no';
    if (state === 'changed') return refused(`${name} is open with the wrong encoding and has unsaved changes`);
    if (document && state === 'no') {
      if (document.tree.text() !== change.before) return refused(`${name} has changed meanwhile`);
      inEditor.push({ document, change });
      continue;
    }
    if (state === 'clean') hints.push(`${name} is open with the wrong encoding: reopen it with its own before you save it.`);
    const bytes = await bytesOf(session, change);
    if (typeof bytes === 'string') return refused(`${name} ${bytes}`);
    onDisk.push(bytes);
  }
  const versions = inEditor.map(({ document }) => document.version);
  const written = onDisk.length > 0 ? await host.change(onDisk) : null;
  if (written && 'problem' in written) return refused(`${shortened(session, host.pathOf?.(written.uri) ?? written.uri)} ${written.problem}`);
  if (inEditor.length > 0 && !(await takenByEditor(session, inEditor, versions))) {
    const left = await written?.undo();
    return left ? { message: `The editor refused the change of the open files, and ${left}.`, isDone: false, unsaved: [] } : refused('the editor refused the change of the open files');
  }
  // Watchers of some clients are slow, and some clients have none.
  workspace.changed(onDisk.map(({ uri }) => ({ uri, type: 2 as const })));
  return { message: [message, ...hints].join(' '), isDone: true, unsaved: inEditor.map(({ document }) => document.uri) };
}

/** What is to be written, or why it cannot be. */
async function bytesOf({ host, workspace }: Session, { path, before, after }: FileChange): Promise<HostChange | string> {
  const uri = workspace.uriOf(path);
  const content = await host.readFile(uri);
  if ('problem' in content) return content.problem.message;
  const decoded = decode(content.bytes);
  if ('problem' in decoded || decoded.text !== before) return 'has changed meanwhile';
  const bytes = encode(after, decoded.encoding);
  return bytes ? { uri, before: content.bytes, after: bytes } : 'would need a character that its encoding lacks';
}

async function takenByEditor(session: Session, files: readonly { document: ConfigDocument; change: FileChange }[], versions: readonly number[]): Promise<boolean> {
  const changes = files.map(({ document, change }, index): TextDocumentEdit => ({
    textDocument: { uri: document.uri, version: versions[index] },
    edits: textEdits(document.tree, change.edits),
  }));
  // The ranges are those of the text that was compared: a document that has changed since has another version.
  if (files.some(({ document }, index) => document.version !== versions[index])) return false;
  try {
    return (await session.connection.workspace.applyEdit({ label: 'Convert access control', edit: editFor(session, changes) })).applied;
  } catch {
    return false;
  }
}
