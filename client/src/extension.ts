/**
 * The extension, except for the way its server is run (node.ts, browser.ts): connects its parts and
 * starts the server when needed. All knowledge about httpd is in the server; this folder has only
 * what needs the editor.
 */
import * as vscode from 'vscode';
import { chosenCopies } from './chosen-places';
import { closingTags } from './closing-tag';
import { registerCollectCommands, type Unpack } from './collect';
import { registerConversion } from './conversion';
import { includeTrees } from './include-tree';
import { invitation } from './invitation';
import { LANGUAGE } from './language';
import { upgradePlans } from './plan';
import { underlineRelatedLines } from './old-lines';
import { planActions } from './plan-actions';
import { planView } from './plan-view';
import { planQuestions } from './questions';
import { recognizeDocuments } from './recognition';
import { requestExplanations } from './requests';
import { upgradeReports } from './report';
import { rulePages } from './rule-pages';
import { languageServer, type CreateClient, type Server } from './server';
import { statusItems } from './status';
import { selectTarget } from './target';
import { verification } from './verify';

/** If the workspace has one of these files, the server starts before any file is opened. */
const MAIN_FILE_PATTERN = '**/{httpd.conf,apache2.conf,.htaccess}';

/** Starts the extension. `unpack` unpacks an archive (see collect.ts); null in a browser. */
export function run(context: vscode.ExtensionContext, createClient: CreateClient, unpack: Unpack | null = null): void {
  const output = vscode.window.createOutputChannel('httpd-upgrade', { log: true });
  const chosen = chosenCopies(context.workspaceState);
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
    requestExplanations(server, context.workspaceState),
    registerConversion(server, plans),
    view,
    planQuestions(plans, chosen),
    // Makes the server request its settings again.
    chosen.onDidChange(() => server.notify('workspace/didChangeConfiguration', { settings: null })),
    planActions(),
    invitation(plans, context.workspaceState, view),
    verification(server, plans),
    upgradeReports(server, context.workspaceState),
    closingTags(server),
    registerCollectCommands(context.extensionUri, unpack),
    underlineRelatedLines(),
    vscode.commands.registerCommand('httpdUpgrade.restart', () => server.restart()),
    vscode.commands.registerCommand('httpdUpgrade.showOutput', () => output.show()),
    vscode.commands.registerCommand('httpdUpgrade.fixAll', fixAll),
    vscode.commands.registerCommand('httpdUpgrade.selectTarget', () => selectTarget(server)),
    startWhenNeeded(server),
    recognizeDocuments(plans),
  );
}

/**
 * Starts the server when a configuration file is open. The extension is activated by any plain text
 * file, because that may turn out to be a configuration.
 */
function startWhenNeeded(server: Server): vscode.Disposable {
  const startFor = (document: vscode.TextDocument): void => {
    if (document.languageId === LANGUAGE) void server.start();
  };
  vscode.workspace.textDocuments.forEach(startFor);
  void vscode.workspace.findFiles(MAIN_FILE_PATTERN, '**/node_modules/**', 1).then((uris) => {
    if (uris.length > 0) void server.start();
  });
  return vscode.workspace.onDidOpenTextDocument(startFor);
}

/** Applies all safe fixes of the active file, as "fix on save" does. */
async function fixAll(): Promise<void> {
  await vscode.commands.executeCommand('editor.action.codeAction', {
    kind: 'source.fixAll.httpdUpgrade',
    apply: 'first',
  });
}
