/**
 * The conversion of the access control of whole configurations, as a plan that nobody has carried out yet: conversions.ts shows it,
 * asks, and writes. Reads every file of a configuration, so it is worked out only when a person asks for it.
 */
import { CodeActionKind, type CancellationToken, type CodeAction, type Diagnostic } from 'vscode-languageserver';
import { doubtText, mergedDoubts } from '../access/doubt';
import { applyEdits } from '../analysis/fixes';
import type { FileView } from '../config/files';
import type { Conversion, FileChange } from '../features/conversion';
import { isRootName, wholeConfiguration, type WholeConfiguration } from '../features/whole-configuration';
import { Fact, hasFact } from '../rules/facts';
import { orderAllowDeny } from '../rules/order-allow-deny';
import type { Tree } from '../syntax/document';
import { misread } from './misread';
import { shortened } from './navigation';
import { throwIfCancelled, type Session } from './session';

/** Ours and, for other clients, the server's. Takes the URI of a file of the configuration; without one, all configurations are meant. */
export const CONVERT_COMMAND = 'httpdUpgrade.convertConfiguration';

const TITLE = 'Convert all access control of this configuration…';

/** Why there is nothing to convert, in a sentence. */
export interface Nothing {
  readonly nothing: string;
}

/** Whether files of a configuration can be read and written here. */
export function canConvert({ isTrusted, client, host }: Session): boolean {
  return isTrusted && client.appliesEdits && host.fileView !== undefined && host.change !== undefined;
}

/** The action that asks for it, where the file belongs to a configuration. */
export function wholeAccessAction(session: Session, uri: string, actions: readonly CodeAction[]): CodeAction[] {
  if (!canConvert(session) || !session.workspace.isPartOfConfiguration(uri)) return [];
  const diagnostics = new Map<string, Diagnostic>();
  for (const { diagnostics: own } of actions) for (const each of own ?? []) if (each.code === orderAllowDeny.id) diagnostics.set(JSON.stringify(each.range), each);
  if (diagnostics.size === 0) return [];
  return [{ title: TITLE, kind: CodeActionKind.QuickFix, diagnostics: [...diagnostics.values()], command: { title: TITLE, command: CONVERT_COMMAND, arguments: [uri] } }];
}

/** What the conversion of a file's configuration comes to; of all in the workspace where no file is given. */
export async function conversionOf(session: Session, uri: string | undefined, token: CancellationToken): Promise<Conversion | Nothing> {
  if (!session.isTrusted) return { nothing: 'Other files are not read in restricted mode. Trust this workspace to convert its configuration.' };
  if (!canConvert(session)) return { nothing: 'The conversion of a whole configuration reads and writes its files on the disk, which is not possible here.' };
  const path = uri === undefined ? null : session.workspace.identityOf(uri);
  const found = await session.host.findFiles(session.folders, () => token.isCancellationRequested);
  await session.workspace.settle();
  throwIfCancelled(token);
  const overlay = await overlayOf(session);
  if ('nothing' in overlay) return overlay;
  const view = session.host.fileView!(overlay.tree);
  const plans: Planned[] = [];
  for (const root of rootCandidates(session, uri, found)) {
    throwIfCancelled(token);
    if (plans.some((known) => known.root === view.identity(root))) continue;
    if (path === null && !(await isRoot(session, view, root))) continue;
    const whole = await wholeFrom(session, view, root);
    if (!whole || (path !== null && !whole.files.includes(path))) continue;
    plans.push({ root: view.identity(root), whole });
    if (path !== null) break;
  }
  if (plans.length === 0) return { nothing: path === null ? 'There is no main configuration file in this workspace.' : `No configuration in this workspace reads ${shortened(session, path)}.` };
  return together(session, view, plans);
}

// ---------------------------------------------------------------------------------------------------------------------

interface Planned {
  readonly root: string;
  readonly whole: WholeConfiguration;
}

/** One conversion of several plans. What two of them would change differently stays: it has to suit both. */
function together(session: Session, view: FileView, plans: readonly Planned[]): Conversion | Nothing {
  const shown = (path: string) => shortened(session, path);
  const readers = new Map<string, number>();
  for (const { whole } of plans) for (const file of new Set(whole.files)) readers.set(file, (readers.get(file) ?? 0) + 1);
  const reasonApart = ({ whole }: Planned): string | null => {
    const files = [...whole.plan.edits.keys()];
    if (files.some((file) => readers.get(file)! > 1)) return 'it shares files with another one';
    const outside = files.find((file) => !isWithin(session, file));
    return outside === undefined ? null : `${shown(outside)} would change, too, and is not in this workspace`;
  };
  const reasons = plans.map(reasonApart);
  const apart = plans.flatMap(({ root }, index) => (reasons[index] === null ? [] : [`\`${shown(root)}\`: ${reasons[index]}`]));
  const taken = plans.filter((_, index) => reasons[index] === null).map(({ root, whole: { plan } }) => ({ root, plan }));
  const changes = taken.flatMap(({ plan }) => [...plan.edits].flatMap(([path, edits]): FileChange[] => {
    const before = view.read(path)?.text();
    return before === undefined ? [] : [{ path, before, after: applyEdits(before, edits), edits }];
  }));
  const left = taken.flatMap(({ plan }) => plan.refusals.map(({ path, offset, section, reason }) => ({ path, line: lineOf(view, path, offset), section, reason })));
  if (changes.length > 0) {
    return {
      roots: taken.map(({ root }) => root), changes, left, apart,
      sections: taken.reduce((sum, { plan }) => sum + plan.converted, 0),
      assumptions: mergedDoubts(taken.flatMap(({ plan }) => plan.doubts)).map(doubtText),
    };
  }
  if (apart.length > 0) return { nothing: `Not converted: ${apart[0].replace(/`/g, '')}.` };
  const [first] = left;
  return { nothing: first ? `Nothing can be converted. ${shown(first.path)}:${first.line} ${first.section}: ${first.reason}.` : 'There is no access control of 2.2 to convert.' };
}

/** With what settings and project files say of the root, as the command line reads it. */
async function wholeFrom(session: Session, view: FileView, root: string): Promise<WholeConfiguration | null> {
  const { engine } = await session.settings.of(session.workspace.uriFor(root));
  const { serverRoot, map, defines } = await session.workspace.serverOf(root);
  return wholeConfiguration({ root, view, target: engine.target, source: engine.accessSource, mayAdmit: true, serverRoot, map, defines });
}

/** The configurations that read the file, and files in the workspace that are named like one's root. */
function rootCandidates(session: Session, uri: string | undefined, found: readonly string[]): string[] {
  const models = uri === undefined ? session.workspace.models : session.workspace.modelsOf(uri);
  const named = [...session.documents.keys(), ...found].filter(isRootName);
  return [...new Set([...models.map(({ root }) => root), ...named.flatMap((candidate) => session.host.pathOf?.(candidate) ?? [])])];
}

async function isRoot(session: Session, view: FileView, root: string): Promise<boolean> {
  const tree = view.read(root);
  const { engine } = await session.settings.of(session.host.uriOf!(root));
  return tree !== null && hasFact(engine.analyze(tree, { isHtaccess: false }).facts, Fact.isRoot);
}

/** Open files as they are. One that the editor misread counts as it is on the disk; unsaved changes in it belong to nowhere. */
async function overlayOf(session: Session): Promise<{ readonly tree: (path: string) => Tree | null } | Nothing> {
  const trees = new Map<string, Tree>();
  for (const document of session.documents.all()) {
    const path = session.workspace.identityOf(document.uri);
    if (path === null) continue;
    const answer = await misread(session, document);
    if (answer === 'changed') return { nothing: `${shortened(session, path)} is open with the wrong encoding and has unsaved changes. Reopen it with its own encoding first.` };
    if (answer === 'no') trees.set(path, document.tree);
  }
  return { tree: (path) => trees.get(path) ?? null };
}

/** Nothing is written that lies outside of what a person opened. */
function isWithin({ folders, workspace, host }: Session, path: string): boolean {
  if (workspace.isOpen(path)) return true;
  return folders.some((folder) => {
    const base = host.pathOf?.(folder.replace(/\/$/, ''));
    return base != null && (path.startsWith(`${base}/`) || path.startsWith(`${workspace.identityOf(folder) ?? base}/`));
  });
}

function lineOf(view: FileView, path: string, offset: number): number {
  return (view.read(path)?.positionAt(offset).line ?? 0) + 1;
}
