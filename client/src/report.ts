/**
 * The report of the upgrade, for the person who approves it: shown as Markdown, or saved as a
 * self-contained page.
 */
import * as vscode from 'vscode';
import { Requests, SECTION } from './language';
import { remembered } from './plan-view';
import { isCancelled, type Server } from './server';

const SCHEME = 'httpd-upgrade-report';
const SHOWN = vscode.Uri.from({ scheme: SCHEME, path: '/Upgrade report.md' });

type Answer = { text: string } | { nothing: string };

export function upgradeReports(server: Server, memory: vscode.Memento): vscode.Disposable {
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const reportRequest = (format: 'markdown' | 'html') => ({ format, ...remembered(memory) });
  const textOf = (report: Answer): string | null => {
    if ('text' in report) return report.text;
    void vscode.window.showInformationMessage(report.nothing);
    return null;
  };
  const show = async () => {
    changed.fire(SHOWN);
    try {
      await vscode.commands.executeCommand('markdown.showPreview', SHOWN);
    } catch {
      await vscode.window.showTextDocument(SHOWN, { preview: true });
    }
  };
  const save = async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const defaultUri = folder && vscode.Uri.joinPath(folder, 'upgrade-report.html');
    const uri = await vscode.window.showSaveDialog({
      defaultUri,
      filters: { 'HTML page': ['html'], Markdown: ['md'] },
      title: 'Save the upgrade report',
    });
    if (!uri) return;
    const format = uri.path.endsWith('.md') ? 'markdown' : 'html';
    const report = await server
      .longRequest<Answer>('Writing the report…', Requests.report, reportRequest(format))
      .catch((error: unknown) => {
        if (!isCancelled(error)) throw error;
      });
    const text = report ? textOf(report) : null;
    if (text === null) return;
    try {
      await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    } catch (error) {
      return void vscode.window.showErrorMessage(
        `The report was not saved: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    const open = 'Open';
    const chosen = await vscode.window.showInformationMessage(
      `Saved the report as ${vscode.workspace.asRelativePath(uri)}.`,
      open,
    );
    if (chosen === open)
      await (uri.path.endsWith('.md') ? vscode.window.showTextDocument(uri) : vscode.env.openExternal(uri));
  };
  return vscode.Disposable.from(
    changed,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      onDidChange: changed.event,
      provideTextDocumentContent: async () =>
        withBoxes(textOf(await server.request<Answer>(Requests.report, reportRequest('markdown'))) ?? ''),
    }),
    server.onDidChangePlan(() => changed.fire(SHOWN)),
    vscode.commands.registerCommand(`${SECTION}.showReport`, show),
    vscode.commands.registerCommand(`${SECTION}.saveReport`, save),
  );
}

/** The editor's preview of Markdown does not support task lists. */
function withBoxes(markdown: string): string {
  return markdown.replace(/^- \[([ x])\] /gm, (_, sign) => `- ${sign === 'x' ? '☑' : '☐'} `);
}
