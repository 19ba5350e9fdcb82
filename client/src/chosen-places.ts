/**
 * Stores the folders in which the user has copies of the server's files outside of the project: for
 * this user and workspace, not in a file of the project. The language server gets them with the
 * settings, next to the user's own settings: only these may lead out of the project.
 */
import * as vscode from 'vscode';
import { SECTION } from './language';

export interface ChosenPlaces {
  /** The mapping of server directories to local ones, for files below a directory. */
  of(folder: vscode.Uri): Readonly<Record<string, string>>;
  choose(folder: vscode.Uri, from: string, to: string): Promise<void>;
  readonly onDidChange: vscode.Event<void>;
}

const KEY = 'places';

type Stored = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function chosenPlaces(state: vscode.Memento): ChosenPlaces {
  const changed = new vscode.EventEmitter<void>();
  const stored = () => state.get<Stored>(KEY, {});
  return {
    of(folder) {
      const uri = `${folder.toString()}/`;
      const ofOuterFolders = Object.entries(stored()).filter(([each]) => uri.startsWith(`${each}/`));
      // The nearest directory takes precedence.
      return Object.assign({}, ...ofOuterFolders.sort(([a], [b]) => a.length - b.length).map(([, places]) => places));
    },
    async choose(folder, from, to) {
      const uri = folder.toString();
      await state.update(KEY, { ...stored(), [uri]: { ...stored()[uri], [from]: to } });
      changed.fire();
    },
    onDidChange: changed.event,
  };
}

/** The settings that the server requests, plus those values that no file of the project has set. */
export function withUserSettings<Value>(
  items: readonly { readonly scopeUri?: string; readonly section?: string }[],
  values: Value,
  chosen: ChosenPlaces,
): Value | unknown[] {
  if (!Array.isArray(values)) return values;
  return values.map((value: unknown, index) => {
    const { section, scopeUri } = items[index] ?? {};
    if (section !== SECTION || typeof value !== 'object' || value === null) return value;
    const uri = scopeUri === undefined ? undefined : vscode.Uri.parse(scopeUri);
    const settings = vscode.workspace.getConfiguration(SECTION, uri);
    return {
      ...value,
      user: {
        pathMap: settings.inspect('pathMap')?.globalValue,
        serverRoot: settings.inspect('serverRoot')?.globalValue,
        chosen: uri ? chosen.of(uri) : {},
      },
    };
  });
}
