/**
 * Remembers in which folders outside of the project the user has copies of the server's files: for
 * this user and workspace, not in a file of the project. The language server gets them as settings
 * of the user, because only those may name folders outside of the project.
 */
import * as vscode from 'vscode';
import { NAME_PREFIX } from './language';

export interface ChosenCopies {
  /** The chosen copies for files below a folder: local directories by directories of the server. */
  copiesFor(folder: vscode.Uri): Readonly<Record<string, string>>;
  rememberCopy(folder: vscode.Uri, from: string, to: string): Promise<void>;
  readonly onDidChange: vscode.Event<void>;
}

const STORAGE_KEY = 'places';

type StoredCopies = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function chosenCopies(state: vscode.Memento): ChosenCopies {
  const changed = new vscode.EventEmitter<void>();
  const stored = () => state.get<StoredCopies>(STORAGE_KEY, {});
  return {
    copiesFor(folder) {
      const uri = `${folder.toString()}/`;
      const ofOuterFolders = Object.entries(stored()).filter(([each]) => uri.startsWith(`${each}/`));
      // The copy that was chosen for the nearest folder takes precedence.
      return Object.assign({}, ...ofOuterFolders.sort(([a], [b]) => a.length - b.length).map(([, places]) => places));
    },
    async rememberCopy(folder, from, to) {
      const uri = folder.toString();
      await state.update(STORAGE_KEY, { ...stored(), [uri]: { ...stored()[uri], [from]: to } });
      changed.fire();
    },
    onDidChange: changed.event,
  };
}

/**
 * Completes the settings that the server requests: adds the chosen copies, and which values the
 * user's own settings have.
 */
export function withUserSettings<Value>(
  items: readonly { readonly scopeUri?: string; readonly section?: string }[],
  values: Value,
  chosen: ChosenCopies,
): Value | unknown[] {
  if (!Array.isArray(values)) return values;
  return values.map((value: unknown, index) => {
    const { section, scopeUri } = items[index] ?? {};
    if (section !== NAME_PREFIX || typeof value !== 'object' || value === null) return value;
    const uri = scopeUri === undefined ? undefined : vscode.Uri.parse(scopeUri);
    const settings = vscode.workspace.getConfiguration(NAME_PREFIX, uri);
    return {
      ...value,
      user: {
        pathMap: settings.inspect('pathMap')?.globalValue,
        serverRoot: settings.inspect('serverRoot')?.globalValue,
        chosen: uri ? chosen.copiesFor(uri) : {},
      },
    };
  });
}
