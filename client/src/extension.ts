/**
 * The extension, whatever runs the server: it puts the parts together and knows when the server is needed. Everything
 * that is about httpd is the server's; what stands here is what only the editor can do.
 */
import * as vscode from 'vscode';
import { chosenPlaces } from './chosen-places';
import { closingTags } from './closing-tag';
import { conversions } from './conversion';
import { includeTrees } from './include-tree';
import { invitation } from './invitation';
import { LANGUAGE } from './language';
import { upgradePlans } from './plan';
import { furtherLines } from './old-lines';
import { planActions } from './plan-actions';
import { planView } from './plan-view';
import { planQuestions } from './questions';
import { recognizeDocuments } from './recognition';
import { upgradeReports } from './report';
import { rulePages } from './rule-pages';
import { languageServer, type CreateClient, type Server } from './server';
import { statusItems } from './status';
import { selectTarget } from './target';
import { verification } from './verify';

/** Files whose presence in the folder is reason enough to start the server before one of them is opened. */
const MAIN_FILES = '**/{httpd.conf,apache2.conf,.htaccess}';

export function run(context: vscode.ExtensionContext, createClient: CreateClient): void {
  const output = vscode.window.createOutputChannel('httpd-upgrade', { log: true });
  const chosen = chosenPlaces(context.workspaceState);
  const server = languageServer(createClient, output, chosen);
  const plans = upgradePlans(server, context.workspaceState);
  const view = planView(server, plans, context.workspaceState);
  context.subscriptions.push(
    output,
    server,
    plans,
    statusItems(server, plans),
    rulePages(server),
    includeTrees(server),
    conversions(server, plans),
    view,
    planQuestions(plans, chosen),
    // The server asks for its settings again.
    chosen.onDidChange(() => server.notify('workspace/didChangeConfiguration', { settings: null })),
    planActions(),
    invitation(plans, context.workspaceState, view),
    verification(server, plans),
    upgradeReports(server, context.workspaceState),
    closingTags(server),
    furtherLines(),
    vscode.commands.registerCommand('httpdUpgrade.restart', () => server.restart()),
    vscode.commands.registerCommand('httpdUpgrade.showOutput', () => output.show()),
    vscode.commands.registerCommand('httpdUpgrade.fixAll', fixAll),
    vscode.commands.registerCommand('httpdUpgrade.selectTarget', () => selectTarget(server)),
    startWhenNeeded(server),
    recognizeDocuments(plans),
  );
}

/**
 * The extension is activated by any plain text file, because that may turn out to be httpd's; the server only runs where
 * there is such a file.
 */
function startWhenNeeded(server: Server): vscode.Disposable {
  const startFor = (document: vscode.TextDocument): void => {
    if (document.languageId === LANGUAGE) void server.start();
  };
  vscode.workspace.textDocuments.forEach(startFor);
  void vscode.workspace.findFiles(MAIN_FILES, '**/node_modules/**', 1).then((found) => {
    if (found.length > 0) void server.start();
  });
  return vscode.workspace.onDidOpenTextDocument(startFor);
}

/** Applies every safe fix of the active file, as "fix on save" would. */
async function fixAll(): Promise<void> {
  await vscode.commands.executeCommand('editor.action.codeAction', {
    kind: 'source.fixAll.httpdUpgrade',
    apply: 'first',
  });
}
