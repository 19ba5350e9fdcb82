/**
 * Remembers in which folders outside of the project the user has copies of the server's files. They
 * are stored for this user and workspace, not in a file of the project. The language server gets
 * them as settings of the user, because only such settings may name folders outside of the project.
 */
import * as vscode from 'vscode';
import { NAME_PREFIX } from './language';

/** The user's copies of directories of the server, outside of the project. */
export interface ChosenCopies {
  /**
   * The copies that were chosen for files below a folder. The keys are directories of the server,
   * the values are directories of this machine.
   */
  copiesFor(folder: vscode.Uri): Readonly<Record<string, string>>;
  /**
   * Remembers that the local directory `to` is a copy of the server's directory `from`, for files
   * below `folder`.
   */
  rememberCopy(folder: vscode.Uri, from: string, to: string): Promise<void>;
  readonly onDidChange: vscode.Event<void>;
}

/** Where the copies are stored in the editor's memory of the workspace. */
const STORAGE_KEY = 'places';

/** For each folder, by its URI: the copies for files below it, as `copiesFor` returns them. */
type StoredCopies = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The copies that are stored in the editor's memory of the workspace. */
export function newChosenCopies(memento: vscode.Memento): ChosenCopies {
  const changeEmitter = new vscode.EventEmitter<void>();
  const storedCopies = () => memento.get<StoredCopies>(STORAGE_KEY, {});
  return {
    copiesFor(folder) {
      const uri = `${folder.toString()}/`;
      const copiesOfOuterFolders = Object.entries(storedCopies()).filter(([each]) => uri.startsWith(`${each}/`));
      // The copy that was chosen for the nearest folder takes precedence.
      return Object.assign(
        {},
        ...copiesOfOuterFolders.sort(([a], [b]) => a.length - b.length).map(([, copies]) => copies),
      );
    },
    async rememberCopy(folder, from, to) {
      const uri = folder.toString();
      await memento.update(STORAGE_KEY, { ...storedCopies(), [uri]: { ...storedCopies()[uri], [from]: to } });
      changeEmitter.fire();
    },
    onDidChange: changeEmitter.event,
  };
}

/**
 * Adds the field `user` to the settings that the server requests. It has the chosen copies, and the
 * path settings that the user has set for all workspaces.
 */
export function withUserSettings<Value>(
  items: readonly { readonly scopeUri?: string; readonly section?: string }[],
  values: Value,
  chosenCopies: ChosenCopies,
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
        chosen: uri ? chosenCopies.copiesFor(uri) : {},
      },
    };
  });
}
