/**
 * Commands for a configuration that is on another machine: one for the script that collects it, and
 * one that opens the archive which the script writes.
 */
import * as vscode from 'vscode';
import { exists } from './files';
import { NAME_PREFIX } from './language';
import { withVisibleCharacters } from '../../server/src/syntax/hidden-text';

/** Unpacks an archive into a new directory and returns the directory to open. */
export type Unpack = (archive: string, folder: string) => Promise<string>;

/** Registers the commands. `unpack` is null in a browser, which has no disk. */
export function registerCollectCommands(extensionUri: vscode.Uri, unpack: Unpack | null): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand(`${NAME_PREFIX}.copyCollectingScript`, () => copyScript(extensionUri)),
    ...(unpack === null
      ? []
      : [
          vscode.commands.registerCommand(`${NAME_PREFIX}.openArchive`, (uri?: vscode.Uri) => openArchive(unpack, uri)),
        ]),
  );
}

/** Copies the script that collects the files of a server, and says how to run it. */
async function copyScript(extensionUri: vscode.Uri): Promise<void> {
  const script = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(extensionUri, 'dist', 'collect.sh'));
  await vscode.env.clipboard.writeText(new TextDecoder().decode(script));
  void vscode.window.showInformationMessage(
    'The script is in the clipboard. Save it on the 2.2 server as collect.sh, run "sh collect.sh" as root, and open the archive that it writes.',
  );
}

/**
 * Unpacks an archive into a new folder and opens it. Asks for the archive if `chosenFile` is
 * undefined, and for the folder.
 */
async function openArchive(unpack: Unpack, chosenFile: vscode.Uri | undefined): Promise<void> {
  const archive = chosenFile ?? (await chooseArchive());
  if (!archive) return;
  const [parent] =
    (await vscode.window.showOpenDialog({
      canSelectFiles: false,
      canSelectFolders: true,
      title: 'The folder in which to unpack the archive',
      openLabel: 'Unpack here',
    })) ?? [];
  if (!parent) return;
  const folderName = archive.path.replace(/^.*\//, '').replace(/\.(tar\.gz|tgz)$/i, '');
  const folder = vscode.Uri.joinPath(parent, folderName);
  if (await exists(folder)) {
    void vscode.window.showErrorMessage(
      `${withVisibleCharacters(folder.fsPath)} exists already. Choose another folder, or rename this one.`,
    );
    return;
  }
  try {
    const unpackedPath = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: `Unpacking ${withVisibleCharacters(folderName)}` },
      () => unpack(archive.fsPath, folder.fsPath),
    );
    await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(unpackedPath), {
      forceNewWindow: vscode.workspace.workspaceFolders !== undefined,
    });
  } catch (error) {
    // Removes what was unpacked before the failure: a part of the archive would look like the whole
    // archive.
    if (await exists(folder)) await vscode.workspace.fs.delete(folder, { recursive: true });
    void vscode.window.showErrorMessage(
      `${withVisibleCharacters(archive.fsPath)} ${withVisibleCharacters((error as Error).message)}.`,
    );
  }
}

/** Lets the user choose an archive; undefined if the user cancels. */
async function chooseArchive(): Promise<vscode.Uri | undefined> {
  const chosenArchive = await vscode.window.showOpenDialog({
    title: 'The archive of the 2.2 server',
    filters: { Archives: ['tar.gz', 'tgz', 'gz'] },
    openLabel: 'Open',
  });
  return chosenArchive?.[0];
}
