/**
 * The version of httpd for which the configuration is checked: reads the setting, and lets the user
 * choose it from a list.
 */
import * as vscode from 'vscode';
import type { TargetReply } from '../../server/src/lsp/target';
import { Requests, NAME_PREFIX } from './language';
import type { Server } from './server';

const TARGET_SETTING = 'target';
const VALID_VERSION = /^2\.4(\.\d{1,3})?$/;

/**
 * Versions that users are likely to choose. A distribution keeps the number of a version and
 * patches it.
 */
const VERSION_CHOICES = [
  { label: '2.4', description: 'the newest 2.4' },
  { label: '2.4.65', description: 'Debian 13' },
  { label: '2.4.63', description: 'Red Hat Enterprise Linux 10' },
  { label: '2.4.62', description: 'Debian 11 and 12, Red Hat Enterprise Linux 9' },
  { label: '2.4.58', description: 'Ubuntu 24.04' },
  { label: '2.4.52', description: 'Ubuntu 22.04' },
  { label: '2.4.41', description: 'Ubuntu 20.04' },
  { label: '2.4.37', description: 'Red Hat Enterprise Linux 8' },
  { label: '2.4.6', description: 'Red Hat Enterprise Linux 7, CentOS 7' },
];
const OTHER_CHOICE = { label: 'Another version…', description: '' };

/** The version in the settings for a document; without `scope`, for the whole workspace. */
export function currentTarget(scope?: vscode.Uri): string {
  const chosenVersion = vscode.workspace.getConfiguration(NAME_PREFIX, scope).get<string>(TARGET_SETTING, '2.4').trim();
  return VALID_VERSION.test(chosenVersion) ? chosenVersion : '2.4';
}

/**
 * Asks the server which version a document is checked for, and which `.httpd-upgrade.json` sets it.
 * Null if the server is not running.
 */
export async function targetOfDocument(server: Server, uri: vscode.Uri): Promise<TargetReply | null> {
  if (server.state !== 'running') return null;
  return server.request<TargetReply>(Requests.target, { uri: uri.toString() }).catch(() => null);
}

/** Lets the user choose the version, or opens the project file that sets it. */
export async function selectTarget(server: Server): Promise<void> {
  const scope = vscode.window.activeTextEditor?.document.uri;
  const documentTarget = scope && (await targetOfDocument(server, scope));
  // The project file takes precedence over the setting, so the version must be changed there.
  if (documentTarget?.project) {
    await vscode.window.showTextDocument(vscode.Uri.parse(documentTarget.project));
    return;
  }
  const currentVersion = currentTarget(scope);
  const placeHolder = `The version of httpd that this configuration must run on (now ${currentVersion})`;
  const chosenItem = await vscode.window.showQuickPick([...VERSION_CHOICES, OTHER_CHOICE], { placeHolder });
  const version = chosenItem?.label === OTHER_CHOICE.label ? await askVersion(currentVersion) : chosenItem?.label;
  if (version === undefined || version === currentVersion) return;
  const configuration = vscode.workspace.getConfiguration(NAME_PREFIX, scope);
  await configuration.update(TARGET_SETTING, version, settingScope(configuration));
}

/** Asks for a version that is not in the list; undefined if the user cancels. */
async function askVersion(currentVersion: string): Promise<string | undefined> {
  const validateInput = (text: string): string | undefined =>
    VALID_VERSION.test(text.trim()) ? undefined : 'Type 2.4, or 2.4 with a number, such as 2.4.57';
  return (
    await vscode.window.showInputBox({ prompt: 'Target version of httpd', value: currentVersion, validateInput })
  )?.trim();
}

/**
 * Where to write the setting: in the workspace folder if the setting has a value there. If not, in
 * the workspace if a folder is open, and in the user settings if none is open. So the new value is
 * never hidden by a value in a narrower scope.
 */
function settingScope(configuration: vscode.WorkspaceConfiguration): vscode.ConfigurationTarget {
  const inspectedSetting = configuration.inspect(TARGET_SETTING);
  if (inspectedSetting?.workspaceFolderValue !== undefined) return vscode.ConfigurationTarget.WorkspaceFolder;
  const isForWorkspace =
    inspectedSetting?.workspaceValue !== undefined || vscode.workspace.workspaceFolders !== undefined;
  return isForWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
}
