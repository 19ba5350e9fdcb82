/**
 * The upgrade report, for the person who approves the upgrade: shown as Markdown, or saved as one
 * HTML file.
 */
import * as vscode from 'vscode';
import { errorMessage } from './files';
import { Requests, NAME_PREFIX } from './language';
import { rememberedProgress } from './plan-view';
import { isCancelled, type Server } from './server';

const REPORT_SCHEME = 'httpd-upgrade-report';
const REPORT_URI = vscode.Uri.from({ scheme: REPORT_SCHEME, path: '/Upgrade report.md' });

/** The reply with the report; or `nothing`, the reason why there is none, as a sentence. */
type ReportReply = { text: string } | { nothing: string };

/** Registers the commands that show and save the report. `memento` has the stored progress. */
export function registerReport(server: Server, memento: vscode.Memento): vscode.Disposable {
  const changeEmitter = new vscode.EventEmitter<vscode.Uri>();
  const reportRequest = (format: 'markdown' | 'html') => ({ format, ...rememberedProgress(memento) });
  /** The text of the report. If there is none, shows the reason and returns null. */
  const textOf = (report: ReportReply): string | null => {
    if ('text' in report) return report.text;
    void vscode.window.showInformationMessage(report.nothing);
    return null;
  };
  const showReport = async () => {
    changeEmitter.fire(REPORT_URI);
    try {
      await vscode.commands.executeCommand('markdown.showPreview', REPORT_URI);
    } catch {
      await vscode.window.showTextDocument(REPORT_URI, { preview: true });
    }
  };
  /** Asks for a file, and writes the report to it: HTML, or Markdown if the name ends in `.md`. */
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
      .longRequest<ReportReply>('Writing the report…', Requests.report, reportRequest(format))
      .catch((error: unknown) => {
        if (!isCancelled(error)) throw error;
      });
    const reportText = report ? textOf(report) : null;
    if (reportText === null) return;
    try {
      await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(reportText));
    } catch (error) {
      return void vscode.window.showErrorMessage(`The report was not saved: ${errorMessage(error)}`);
    }
    const openButton = 'Open';
    const chosenButton = await vscode.window.showInformationMessage(
      `Saved the report as ${vscode.workspace.asRelativePath(uri)}.`,
      openButton,
    );
    if (chosenButton === openButton)
      await (uri.path.endsWith('.md') ? vscode.window.showTextDocument(uri) : vscode.env.openExternal(uri));
  };
  return vscode.Disposable.from(
    changeEmitter,
    vscode.workspace.registerTextDocumentContentProvider(REPORT_SCHEME, {
      onDidChange: changeEmitter.event,
      provideTextDocumentContent: async () =>
        withCheckboxCharacters(
          textOf(await server.request<ReportReply>(Requests.report, reportRequest('markdown'))) ?? '',
        ),
    }),
    server.onDidChangePlan(() => changeEmitter.fire(REPORT_URI)),
    vscode.commands.registerCommand(`${NAME_PREFIX}.showReport`, showReport),
    vscode.commands.registerCommand(`${NAME_PREFIX}.saveReport`, save),
  );
}

/**
 * Replaces the checkboxes of task lists by characters, because the editor's Markdown preview does
 * not show them.
 */
function withCheckboxCharacters(markdown: string): string {
  return markdown.replace(/^- \[([ x])\] /gm, (_, sign) => `- ${sign === 'x' ? '☑' : '☐'} `);
}
