/**
 * The action that converts the access control of the whole configuration which the open file belongs to. Offered cheaply, worked out
 * when it is taken (`codeAction/resolve`): that reads every file of the configuration.
 */
import {
  CodeActionKind, MessageType, ShowMessageNotification, type CancellationToken, type CodeAction, type Diagnostic, type TextDocumentEdit,
} from 'vscode-languageserver';
import { doubtText } from '../access/doubt';
import type { FileView } from '../config/files';
import { textEdits } from '../features/convert';
import { isRootName, wholeConfiguration, type WholeConfiguration } from '../features/whole-configuration';
import { Fact, hasFact } from '../rules/facts';
import { orderAllowDeny } from '../rules/order-allow-deny';
import { throwIfCancelled, type Session } from './session';

const TITLE = 'Convert all access control of this configuration';
const WORKSPACE_TITLE = 'Convert all access control in this workspace';

interface Data {
  readonly wholeAccessOf: string;
  /** Of every configuration in the workspace. */
  readonly isForWorkspace?: boolean;
}

/** The actions, where the client can wait for its edit and this server can read the other files. */
export function wholeAccessAction(session: Session, uri: string, actions: readonly CodeAction[]): CodeAction[] {
  if (!session.isTrusted || !session.client.resolvesEdits || !session.host.fileView || !session.host.pathOf?.(uri)) return [];
  const diagnostics = new Map<string, Diagnostic>();
  for (const { diagnostics: own } of actions) for (const each of own ?? []) if (each.code === orderAllowDeny.id) diagnostics.set(JSON.stringify(each.range), each);
  if (diagnostics.size === 0) return [];
  const action = (title: string, data: Data): CodeAction => ({ title, kind: CodeActionKind.QuickFix, diagnostics: [...diagnostics.values()], data });
  return [action(TITLE, { wholeAccessOf: uri }), ...(session.folders.length > 0 ? [action(WORKSPACE_TITLE, { wholeAccessOf: uri, isForWorkspace: true })] : [])];
}

/** Works the action out. What it could not convert, or had to assume, is said in a message. */
export async function resolveWholeAccess(session: Session, action: CodeAction, token: CancellationToken): Promise<CodeAction> {
  const uri = (action.data as Data | undefined)?.wholeAccessOf;
  const path = uri && session.host.pathOf?.(uri);
  if (!uri || !path || !session.host.fileView) return action;
  const view = session.host.fileView((asked) => openTree(session, asked));
  if ((action.data as Data).isForWorkspace) return { ...action, edit: { documentChanges: await workspaceEdits(session, view, uri, token) } };
  for (const root of await rootCandidates(session, uri, token)) {
    throwIfCancelled(token);
    const whole = await wholeFrom(session, view, root);
    if (!whole?.files.includes(view.identity(path))) continue;
    tell(session, whole, root);
    return { ...action, edit: { documentChanges: documentEdits(session, view, whole) } };
  }
  show(session, MessageType.Warning, 'no configuration in this workspace includes this file (looked for httpd.conf, apache2.conf and apache.conf).');
  return action;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Of all roots in the workspace. What two of them would change differently stays: it has to suit both. */
async function workspaceEdits(session: Session, view: FileView, uri: string, token: CancellationToken): Promise<TextDocumentEdit[]> {
  const plans: { root: string; whole: WholeConfiguration }[] = [];
  for (const root of await rootCandidates(session, uri, token)) {
    throwIfCancelled(token);
    const tree = view.read(root);
    const { engine } = await session.settings.of(session.host.uriOf!(root));
    if (!tree || !hasFact(engine.analyze(tree, { isHtaccess: false }).facts, Fact.isRoot) || plans.some((known) => view.identity(known.root) === view.identity(root))) continue;
    const whole = await wholeFrom(session, view, root);
    if (whole) plans.push({ root, whole });
  }
  const readers = new Map<string, number>();
  for (const { whole } of plans) for (const file of new Set(whole.files)) readers.set(file, (readers.get(file) ?? 0) + 1);
  const isShared = ({ whole }: (typeof plans)[number]) => [...whole.plan.edits.keys()].some((file) => readers.get(file)! > 1);
  const apart = plans.filter((plan) => !isShared(plan));
  const converted = apart.reduce((sum, { whole }) => sum + whole.plan.converted, 0);
  const left = apart.reduce((sum, { whole }) => sum + whole.plan.refusals.length, 0);
  const doubts = [...new Set(apart.flatMap(({ whole }) => whole.plan.doubts.map(doubtText)))];
  const parts = [
    `${converted} section${converted === 1 ? '' : 's'} of ${apart.length} configuration${apart.length === 1 ? '' : 's'} converted`,
    ...(left > 0 ? [`${left} left as they are: what each lacks is said at its lines by "httpd-upgrade check"`] : []),
    ...(plans.length > apart.length ? [`left alone, because they share files: ${plans.filter(isShared).map(({ root }) => root).join(', ')}`] : []),
    ...(doubts.length > 0 ? [`check what nobody could: ${doubts.slice(0, 3).join('; ')}`] : []),
  ];
  show(session, parts.length > 1 ? MessageType.Warning : MessageType.Info, `${parts.join('. ')}.`);
  return apart.flatMap(({ whole }) => documentEdits(session, view, whole));
}

/** With what settings and project files say of the root, as the command line reads it. */
async function wholeFrom(session: Session, view: FileView, root: string): Promise<WholeConfiguration | null> {
  const { engine } = await session.settings.of(session.workspace.uriFor(root));
  const { serverRoot, map, defines } = await session.workspace.serverOf(root);
  return wholeConfiguration({ root, view, target: engine.target, source: engine.accessSource, mayAdmit: true, serverRoot, map, defines });
}

/** The configurations that read the file, and files in the workspace that are named like one's root. */
async function rootCandidates(session: Session, uri: string, token: CancellationToken): Promise<string[]> {
  const found = await session.host.findFiles(session.folders, () => token.isCancellationRequested);
  await session.workspace.settle();
  const roots = session.workspace.modelsOf(uri).map(({ root }) => root);
  const named = [...session.documents.keys(), ...found].filter(isRootName);
  return [...new Set([...roots, ...named.flatMap((candidate) => session.host.pathOf?.(candidate) ?? [])])];
}

function openTree(session: Session, path: string) {
  const uri = session.host.uriOf?.(path);
  return (uri && session.documents.get(uri)?.tree) || null;
}

function documentEdits(session: Session, view: FileView, { plan }: WholeConfiguration): TextDocumentEdit[] {
  return [...plan.edits].flatMap(([path, edits]) => {
    const uri = session.host.uriOf!(path);
    const tree = view.read(path);
    const version = session.documents.get(uri)?.version ?? null;
    return tree ? [{ textDocument: { uri, version }, edits: textEdits(tree, edits) }] : [];
  });
}

function tell(session: Session, { plan }: WholeConfiguration, root: string): void {
  const parts: string[] = [];
  if (plan.refusals.length > 0) {
    const [first] = plan.refusals;
    parts.push(`${plan.refusals.length} left as they are, such as ${first.section}: ${first.reason}`);
  }
  if (plan.doubts.length > 0) parts.push(`check what nobody could: ${plan.doubts.slice(0, 3).map(doubtText).join('; ')}`);
  const converted = `${plan.converted} section${plan.converted === 1 ? '' : 's'} of ${root} converted`;
  show(session, parts.length > 0 ? MessageType.Warning : MessageType.Info, `${[converted, ...parts].join('. ')}.`);
}

function show(session: Session, type: MessageType, message: string): void {
  void session.connection.sendNotification(ShowMessageNotification.type, { type, message: `httpd-upgrade: ${message}` });
}
