/**
 * Connects the parts of the extension, and starts the server when it is needed. How the server is
 * run is in node.ts and browser.ts. All knowledge about httpd is in the server; this folder has
 * only what needs the editor.
 */
import * as vscode from 'vscode';
import { newChosenCopies } from './chosen-places';
import { registerClosingTags } from './closing-tag';
import { registerCollectCommands, type Unpack } from './collect';
import { registerConversion } from './conversion';
import { registerIncludeTree } from './include-tree';
import { registerInvitation } from './invitation';
import { LANGUAGE } from './language';
import { createPlanStore } from './plan';
import { underlineRelatedLines } from './old-lines';
import { registerPlanActions } from './plan-actions';
import { createPlanView } from './plan-view';
import { registerPlanQuestions } from './questions';
import { registerRecognition } from './recognition';
import { registerRequestExplanation } from './requests';
import { registerReport } from './report';
import { registerRulePages } from './rule-pages';
import { createServer, type CreateClient, type Server } from './server';
import { registerStatusItems } from './status';
import { selectTarget } from './target';
import { registerVerification } from './verify';

/** If the workspace has one of these files, the server starts before any file is opened. */
const MAIN_FILE_PATTERN = '**/{httpd.conf,apache2.conf,.htaccess}';

/**
 * Starts the extension. `createClient` makes the client of its server. `unpack` unpacks an archive
 * (see collect.ts); null in a browser.
 */
export function startExtension(
  context: vscode.ExtensionContext,
  createClient: CreateClient,
  unpack: Unpack | null = null,
): void {
  const output = vscode.window.createOutputChannel('httpd-upgrade', { log: true });
  const copies = newChosenCopies(context.workspaceState);
  const server = createServer(createClient, output, copies);
  const planStore = createPlanStore(server, context.workspaceState);
  const view = createPlanView(server, planStore, context.workspaceState);
  context.subscriptions.push(
    output,
    server,
    planStore,
    registerStatusItems(server, planStore),
    registerRulePages(server),
    registerIncludeTree(server),
    registerRequestExplanation(server, context.workspaceState),
    registerConversion(server, planStore),
    view,
    registerPlanQuestions(planStore, copies),
    // Makes the server request its settings again.
    copies.onDidChange(() => server.notify('workspace/didChangeConfiguration', { settings: null })),
    registerPlanActions(),
    registerInvitation(planStore, context.workspaceState, view),
    registerVerification(server, planStore),
    registerReport(server, context.workspaceState),
    registerClosingTags(server),
    registerCollectCommands(context.extensionUri, unpack),
    underlineRelatedLines(),
    vscode.commands.registerCommand('httpdUpgrade.restart', () => server.restart()),
    vscode.commands.registerCommand('httpdUpgrade.showOutput', () => output.show()),
    vscode.commands.registerCommand('httpdUpgrade.fixAll', fixAll),
    vscode.commands.registerCommand('httpdUpgrade.selectTarget', () => selectTarget(server)),
    startWhenNeeded(server),
    registerRecognition(planStore),
  );
}

/**
 * Starts the server when a configuration file is open, or if the workspace has a main file. Any
 * plain text file activates the extension, because it may turn out to be a configuration.
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
