/**
 * What the lightbulb offers for old access lines of a file that a configuration reads: the change that the plan for the whole has for the line, with all that has to
 * change together with it, where all of these files are open. The plan is kept until a file of the configuration is another one.
 */
import { CodeActionKind, type CodeAction, type Range } from 'vscode-languageserver';
import { doubtTexts } from '../access/doubt';
import type { AccessChange, AccessConversion } from '../analysis/access-conversion';
import type { FileView } from '../config/files';
import { textEdits } from '../features/convert';
import { diagnosticOf } from '../features/diagnostics';
import { orderAllowDeny } from '../rules/order-allow-deny';
import type { Tree } from '../syntax/document';
import { cacheOf, numbering } from '../syntax/memory';
import { wasMisread } from './misread';
import { shortenedText } from './navigation';
import type { Analyzed, Session } from './session';
import { accessIn } from './whole-access';

/** Larger configurations are planned when a person asks for their conversion as a whole, and not for a cursor that passes a line. */
const MOST_FILES = 100;
/** UTF-16 units, of all of its files. */
const MOST_TEXT = 500_000;

export interface AccessActions {
  readonly actions: readonly CodeAction[];
  /** Whether the conversion of the whole configuration may have something to do. */
  readonly mayConvert: boolean;
}

export async function accessActions(
  session: Session,
  uri: string,
  { document, analysis }: Analyzed,
  range: Range,
): Promise<AccessActions> {
  const { workspace, host } = session;
  const path = workspace.identityOf(uri);
  if (!session.isTrusted || !host.fileView || path === null || !workspace.isPartOfConfiguration(uri))
    return { actions: [], mayConvert: false };
  const { tree } = analysis;
  const findings = analysis
    .findings(100, tree.offsetAt(range.start), tree.offsetAt(range.end))
    .filter(({ rule }) => rule === orderAllowDeny);
  const planned = findings.length > 0 ? await plannedFor(session, uri) : null;
  if (!planned || document.tree !== tree || planned.view.read(path) !== tree)
    return { actions: [], mayConvert: findings.length > 0 };
  const actions = new Map<AccessChange, CodeAction>();
  for (const finding of findings) {
    const answer = finding.ofLines(tree, (line) => planned.access.at(path, line));
    if (!answer || !('change' in answer)) continue;
    const action = actions.get(answer.change) ?? actionOf(session, planned.view, answer.change);
    if (!action) continue;
    action.diagnostics!.push(diagnosticOf(tree, finding));
    actions.set(answer.change, action);
  }
  const mayConvert = planned.access.configurations.some(
    ({ files, changes, held }) => files.includes(path) && held === null && changes.length > 0,
  );
  return { actions: [...actions.values()], mayConvert };
}

// ---------------------------------------------------------------------------------------------------------------------

interface Planned {
  readonly access: AccessConversion;
  readonly view: FileView;
}

/** The last one; null for a configuration that is too large. */
const plans = cacheOf<Session, { readonly stamp: string; readonly planned: Planned | null }>();

async function plannedFor(session: Session, uri: string): Promise<Planned | null> {
  const { workspace } = session;
  for (const document of session.documents.all()) if (await wasMisread(session, document)) return null;
  const known = plans.get(session);
  if (known?.stamp === stampOf(session, uri)) {
    const open = workspace.openTrees();
    // What is served stands in no stamp: a .htaccess that was made since, a link that leads elsewhere. Nor does what nobody tells of.
    const stale = await staleIn(session, known.planned?.view, (name) => open.get(name) ?? null);
    if (stale.length === 0) return known.planned;
    workspace.changedUnseen(stale);
    await workspace.settle();
  }
  const files = filesOf(session, uri);
  if (files.length > MOST_FILES) return null;
  const stamp = stampOf(session, uri);
  const open = workspace.openTrees();
  const view = session.host.fileView!((name) => open.get(name) ?? null);
  const isSmall = files.reduce((sum, file) => sum + (view.read(file)?.length ?? 0), 0) <= MOST_TEXT;
  const planned = isSmall
    ? {
        access: await accessIn(
          session,
          view,
          workspace.models.map(({ root }) => root),
          uri,
        ),
        view,
      }
    : null;
  plans.set(session, { stamp, planned });
  return planned;
}

/** The paths of which a view would say something else by now. Others have their turn meanwhile. */
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

/** Another one where a file of the configuration is another one, as far as anybody has told. */
function stampOf(session: Session, uri: string): string {
  const { workspace, settings } = session;
  const open = workspace.openTrees();
  return [
    settings.revision,
    ...filesOf(session, uri).map((file) => `${file} ${numberOf(open.get(file))} ${workspace.stampOf(file)}`),
  ].join('\n');
}

/** null where a file would have to change that is not open: that is shown and asked for first. */
function actionOf(session: Session, view: FileView, change: AccessChange): CodeAction | null {
  const { workspace, documents } = session;
  const documentChanges = [];
  for (const [file, edits] of change.edits) {
    const document = workspace.isOpen(file) ? documents.get(workspace.uriFor(file)) : undefined;
    const tree = view.read(file);
    if (!document || document.tree !== tree) return null;
    documentChanges.push({
      textDocument: { uri: document.uri, version: document.version },
      edits: textEdits(tree, edits),
    });
  }
  const isSafe = change.safety === 'safe';
  return {
    title: shortenedText(session, titleOf(change)),
    kind: CodeActionKind.QuickFix,
    diagnostics: [],
    isPreferred: isSafe ? true : undefined,
    edit: { documentChanges },
  };
}

/** `Convert to Require all granted`; what nobody could find out stands behind it. */
function titleOf({ edits, sections, waitsFor }: AccessChange): string {
  const rows = [...edits.values()]
    .flat()
    .flatMap(({ text }) => text.split('\n'))
    .map((row) => row.trim())
    .filter((row) => row !== '');
  const what =
    sections > 1
      ? `${sections} sections together`
      : rows.length === 1 && /^Require \S/.test(rows[0]!) && rows[0]!.length <= 49
        ? `to ${rows[0]}`
        : 'to 2.4 access control';
  const [doubt] = doubtTexts(waitsFor);
  return doubt === undefined ? `Convert ${what}` : `Convert ${what} · check first: ${doubt}`;
}

const numbers = numbering();

function numberOf(tree: Tree | undefined): number {
  return tree ? numbers(tree) : 0;
}
