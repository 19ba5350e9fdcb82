/**
 * "Check with httpd -t": a person's own httpd 2.4 reads the configuration, in trusted workspaces only and on a person's command only. What it says stands at the lines
 * where it belongs, under a source of its own. Where no program can be run, the command for the server is copied.
 */
import * as vscode from 'vscode';
import { SECTION } from './language';
import type { Plans } from './plan';
import type { PlanItem } from './plan-items';
import { commandFor, shellText, verdictOf, type ProgramRun } from './verify-output';

/** Runs a program without a shell; absent where there are no processes. */
export type RunProgram = (command: readonly string[], options: { readonly cwd: string; readonly isCancelled: vscode.CancellationToken }) => Promise<ProgramRun>;

const SETTING = 'verify.command';

export function verification(plans: Plans, output: vscode.LogOutputChannel, run: RunProgram | undefined): vscode.Disposable {
  const found = vscode.languages.createDiagnosticCollection('httpd -t');
  const rootOf = async (item: unknown): Promise<vscode.Uri | undefined> => {
    const subject = (item as PlanItem | undefined)?.subject;
    if (subject && 'root' in subject && subject.root !== null) return vscode.Uri.parse(subject.root);
    const roots = ((plans.answer ?? (await plans.current()))?.configurations ?? []).flatMap(({ uri }) => (uri === null ? [] : [vscode.Uri.parse(uri)]));
    if (roots.length === 0) return void vscode.window.showInformationMessage('There is no main configuration file in this workspace.');
    if (roots.length === 1) return roots[0];
    return (await vscode.window.showQuickPick(roots.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri })), { title: 'Check which configuration?' }))?.uri;
  };
  const commandOf = (root: vscode.Uri) => commandFor(vscode.workspace.getConfiguration(SECTION, root).get<string[]>(SETTING, []), root.fsPath, vscode.workspace.getWorkspaceFolder(root)?.uri.fsPath ?? '');
  const verify = async (item?: unknown): Promise<void> => {
    const root = await rootOf(item);
    if (!root) return;
    if (!run || root.scheme !== 'file') return insteadOf('No program can be run here. Copy the command and run it on the server.', root);
    if (!vscode.workspace.isTrusted) return insteadOf('No program is run in restricted mode.', root);
    const command = commandOf(root);
    found.clear();
    const cwd = vscode.Uri.joinPath(root, '..').fsPath;
    const progress = { location: vscode.ProgressLocation.Notification, title: `Running ${shellText(command)}`, cancellable: true };
    const result = await vscode.window.withProgress(progress, (_, isCancelled) => run(command, { cwd, isCancelled }));
    output.info(`${shellText(command)}\n${result.text}`);
    const verdict = verdictOf(result, (path) => uriOf(path, plans, root));
    for (const { uri, line, message } of verdict.problems) {
      const diagnostic = new vscode.Diagnostic(new vscode.Range(line, 0, line, Number.MAX_SAFE_INTEGER), message, vscode.DiagnosticSeverity.Error);
      diagnostic.source = 'httpd -t';
      found.set(vscode.Uri.parse(uri), [...(found.get(vscode.Uri.parse(uri)) ?? []), diagnostic]);
    }
    await tell(verdict, output);
  };
  const copy = async (item?: unknown): Promise<void> => {
    const root = await rootOf(item);
    if (root) await insteadOf('', root);
  };
  return vscode.Disposable.from(
    found,
    vscode.commands.registerCommand(`${SECTION}.verify`, verify),
    vscode.commands.registerCommand(`${SECTION}.copyVerify`, copy),
    vscode.workspace.onDidChangeTextDocument(({ document }) => found.delete(document.uri)),
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/** What a server's own programs are called: the one that is there checks what it would start with. */
const ON_SERVER = 'apachectl -t || apache2ctl -t || httpd -t';

async function insteadOf(reason: string, root: vscode.Uri): Promise<void> {
  await vscode.env.clipboard.writeText(ON_SERVER);
  void vscode.window.showInformationMessage(`${reason} Copied for the server of ${vscode.workspace.asRelativePath(root)}: ${ON_SERVER}`.trim());
}

async function tell({ isFine, summary }: { isFine: boolean; summary: string }, output: vscode.LogOutputChannel): Promise<void> {
  const show = 'Show output';
  const settings = 'Change the program';
  const chosen = isFine ? await vscode.window.showInformationMessage(summary, show) : await vscode.window.showWarningMessage(summary, show, settings);
  if (chosen === show) output.show();
  if (chosen === settings) await vscode.commands.executeCommand('workbench.action.openSettings', `${SECTION}.${SETTING}`);
}

/** The file of this workspace that the server means: itself, or the one whose name ends as the server's does. */
function uriOf(path: string, plans: Plans, root: vscode.Uri): string | null {
  const uris = Object.values(plans.answer?.uris ?? {});
  const same = uris.find((uri) => vscode.Uri.parse(uri).fsPath === path);
  if (same !== undefined) return same;
  const parts = path.split('/').filter(Boolean);
  for (let from = 1; from < parts.length; from++) {
    const end = `/${parts.slice(from).join('/')}`;
    const fits = uris.filter((uri) => vscode.Uri.parse(uri).path.endsWith(end));
    if (fits.length === 1) return fits[0];
  }
  return root.fsPath === path ? root.toString() : null;
}
