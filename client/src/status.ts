/**
 * Shows the state of the server while a configuration is open: the version of httpd in the status
 * bar, and next to the language's name whether the server runs and what restricted mode leaves out.
 */
import * as vscode from 'vscode';
import { LANGUAGE, NAME_PREFIX } from './language';
import type { PlanStore } from './plan';
import { planState, type PlanState } from './plan-items';
import type { Server, ServerState } from './server';
import { targetOfDocument, currentTarget } from './target';

const RESTRICTED_TEXT = 'Restricted mode: only open files are checked. Included files and other files are not read.';

/** Creates the item of the status bar and the language status, and keeps them current. */
export function registerStatusItems(server: Server, planStore: PlanStore): vscode.Disposable {
  const statusBarItem = vscode.window.createStatusBarItem(`${NAME_PREFIX}.target`, vscode.StatusBarAlignment.Right, 90);
  statusBarItem.name = 'httpd-upgrade';
  const languageStatusItem = vscode.languages.createLanguageStatusItem(NAME_PREFIX, { language: LANGUAGE });
  languageStatusItem.name = 'httpd-upgrade';

  /**
   * The version of httpd for the document that was active last, as the server replied. The settings
   * of VS Code are not enough, because the project file can also set it.
   */
  let lastReply: { readonly uri: string; readonly target: string } | null = null;
  const requestTarget = async (document: vscode.TextDocument): Promise<void> => {
    const targetReply = await targetOfDocument(server, document.uri);
    const uri = document.uri.toString();
    if (targetReply === null || (lastReply?.uri === uri && lastReply.target === targetReply.target)) return;
    lastReply = { uri, target: targetReply.target };
    showStatus(false);
  };
  /** Updates both items. `requestsTarget`: whether to request the version from the server. */
  const showStatus = (requestsTarget = true): void => {
    const document = vscode.window.activeTextEditor?.document;
    // If the output panel has the focus, the editor counts it as the active editor, but the file is
    // still visible.
    if (document?.uri.scheme === 'output') return;
    const target =
      document && lastReply?.uri === document.uri.toString() ? lastReply.target : currentTarget(document?.uri);
    if (requestsTarget && document?.languageId === LANGUAGE) void requestTarget(document);
    const stateOfPlan = planStore.reply && planState(planStore.reply, planStore.memory.tickedKeys);
    const appearance = appearanceOf(server.state, target, vscode.workspace.isTrusted, stateOfPlan);
    statusBarItem.text = appearance.barText;
    statusBarItem.tooltip =
      appearance.detail === '' ? appearance.tooltip : `${appearance.tooltip}\n${appearance.detail}`;
    statusBarItem.command = appearance.barCommand;
    statusBarItem.accessibilityInformation = {
      label: `${appearance.barText.replace(/\$\([\w-]+\) /, '')}. ${appearance.tooltip}`,
    };
    statusBarItem.backgroundColor = appearance.hasFailed
      ? new vscode.ThemeColor('statusBarItem.errorBackground')
      : undefined;
    languageStatusItem.text = appearance.text;
    languageStatusItem.detail = appearance.detail;
    languageStatusItem.command = appearance.command;
    languageStatusItem.severity = vscode.LanguageStatusSeverity[appearance.severity];
    languageStatusItem.busy = server.state === 'starting';
    if (document?.languageId === LANGUAGE || planStore.reply?.configurations.some(({ uri }) => uri !== null))
      statusBarItem.show();
    else statusBarItem.hide();
  };
  showStatus();
  return vscode.Disposable.from(
    statusBarItem,
    languageStatusItem,
    server.onDidChangeState(() => showStatus()),
    server.onDidChangeSettings(() => showStatus()),
    planStore.onDidChange(() => showStatus(false)),
    vscode.window.onDidChangeActiveTextEditor(() => showStatus()),
    // The editor reports a change of a document's language as closing and opening the document.
    vscode.workspace.onDidOpenTextDocument(() => showStatus()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => showStatus()),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration(NAME_PREFIX) && showStatus()),
  );
}

/** The texts, commands and colours of the two status items. */
interface Appearance {
  /** The text of the language status; `detail`, `command` and `severity` are for it, too. */
  text: string;
  /** The text of the status bar; `barCommand`, `tooltip` and `hasFailed` are for it, too. */
  barText: string;
  barCommand: string;
  tooltip: string;
  detail: string;
  command: { title: string; command: string };
  severity: 'Information' | 'Warning' | 'Error';
  hasFailed: boolean;
}

/** What the status bar and the language status show. `stateOfPlan` is null if there is no plan. */
function appearanceOf(
  state: ServerState,
  target: string,
  isTrusted: boolean,
  stateOfPlan: PlanState | null,
): Appearance {
  const text = `httpd 2.2 → ${target}`;
  if (state === 'failed') {
    return {
      text,
      barText: `$(error) ${text}`,
      barCommand: 'httpdUpgrade.restart',
      tooltip: 'httpd-upgrade: the language server is not running',
      detail: 'The language server is not running.',
      command: { title: 'Restart', command: 'httpdUpgrade.restart' },
      severity: 'Error',
      hasFailed: true,
    };
  }
  const { isAccepted = false, blockingCount = 0 } = stateOfPlan ?? {};
  return {
    text,
    barText: blockingCount > 0 ? `${text} · ${blockingCount} blocking` : isAccepted ? `$(pass) ${text}` : text,
    barCommand: stateOfPlan === null ? 'httpdUpgrade.selectTarget' : 'httpdUpgrade.openPlan',
    tooltip:
      stateOfPlan === null
        ? `httpd-upgrade: the target is httpd ${target}. Click to select another version.`
        : `httpd-upgrade: ${stateOfPlan.text}. Click to open the upgrade plan.`,
    detail: isTrusted ? '' : RESTRICTED_TEXT,
    command: { title: 'Select the Target Version of httpd', command: 'httpdUpgrade.selectTarget' },
    severity: isTrusted ? 'Information' : 'Warning',
    hasFailed: false,
  };
}
