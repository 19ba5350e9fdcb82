/**
 * `workspace/willRenameFiles` and `workspace/didRenameFiles`: changes the lines that name a renamed
 * file. Files of any kind are handled, because a configuration names certificates, directories and
 * password files.
 */
import {
  DidRenameFilesNotification,
  FileChangeType,
  MessageType,
  ShowMessageNotification,
  WillRenameFilesRequest,
  type CancellationToken,
  type FileOperationRegistrationOptions,
  type RenameFilesParams,
  type TextDocumentEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver';
import { editsForFileRenames, type FileRenamesRequest } from '../features/file-renames';
import { textEdits } from '../features/convert';
import type { Model } from '../config/model';
import { workspaceEditFor } from './edits';
import { isInWrongEncoding } from './wrong-encoding';
import { pathForUsers } from './navigation';
import { throwIfCancelled, type Session } from './session';
import { isInWorkspace } from './access-conversion';

/** The files whose renaming the client reports: all. */
export const FILE_RENAME_FILTER: FileOperationRegistrationOptions = { filters: [{ pattern: { glob: '**/*' } }] };

/** Limit for the sentences in one message. */
const MAX_NOTES = 4;

export function serveFileRenames(session: Session): void {
  const { connection, workspace } = session;
  // Registered with `onRequest`, because error-boundary.ts and encoding.ts wrap the handlers that
  // `onRequest` gets.
  connection.onRequest(
    WillRenameFilesRequest.method,
    async ({ files }: RenameFilesParams, token: CancellationToken): Promise<WorkspaceEdit | null> => {
      if (!session.isTrusted) return null;
      await workspace.untilCurrent();
      const renames = files.flatMap(({ oldUri, newUri }) => {
        const [oldPath, newPath] = [workspace.realPathOf(oldUri), workspace.pathOf(newUri)];
        return oldPath === null || newPath === null || oldPath === newPath
          ? []
          : [{ from: oldPath.replace(/\/$/, ''), to: newPath.replace(/\/$/, '') }];
      });
      if (renames.length === 0) return null;
      const configurations: FileRenamesRequest['configurations'][number][] = [];
      for (const model of workspace.models)
        configurations.push({
          model,
          files: await filesOfConfiguration(session, model, () => throwIfCancelled(token)),
        });
      const { edits, notes } = editsForFileRenames({
        renames,
        configurations,
        displayName: (path) => pathForUsers(session, path),
      });
      const changes: TextDocumentEdit[] = [];
      const notesToShow = [...notes];
      for (const [path, each] of edits) {
        const uri = workspace.clientUriOf(path);
        const openDocument = workspace.isOpen(path) ? session.documents.get(uri) : undefined;
        const tree = openDocument?.tree ?? (await workspace.currentTreeOf(path));
        if (!tree) continue;
        const isChangeable = openDocument
          ? !(await isInWrongEncoding(session, openDocument))
          : isInWorkspace(session, path) && (await session.host.mayWrite?.(workspace.uriFromPath(path))) !== false;
        if (isChangeable)
          changes.push({
            textDocument: { uri, version: openDocument ? openDocument.version : null },
            edits: textEdits(tree, each),
          });
        else notesToShow.push(`${pathForUsers(session, path)} also names it, and cannot be changed.`);
      }
      if (notesToShow.length > 0) {
        const furtherCountText = notesToShow.length > MAX_NOTES ? ` ${notesToShow.length - MAX_NOTES} more.` : '';
        void connection.sendNotification(ShowMessageNotification.type, {
          type: MessageType.Warning,
          message: notesToShow.slice(0, MAX_NOTES).join(' ') + furtherCountText,
        });
      }
      return changes.length === 0 ? null : workspaceEditFor(session, changes);
    },
  );
  connection.onNotification(DidRenameFilesNotification.method, ({ files }: RenameFilesParams) => {
    workspace.handleFileChanges(
      files.flatMap(({ oldUri, newUri }) => [
        { uri: oldUri, type: FileChangeType.Deleted },
        { uri: newUri, type: FileChangeType.Created },
      ]),
    );
  });
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The files that a configuration reads, and all .htaccess files of the workspace that the server
 * may read. `throwIfStopped` is called before each file.
 */
async function filesOfConfiguration(
  session: Session,
  model: Model,
  throwIfStopped: () => void,
): Promise<FileRenamesRequest['configurations'][number]['files']> {
  const { workspace, scheduler } = session;
  const pathsOfConfiguration = new Set(model.files.keys());
  for (const { path, uri } of workspace.allFiles())
    if (!pathsOfConfiguration.has(path) && workspace.isReadAtEachRequest(path) && workspace.isPartOfConfiguration(uri))
      pathsOfConfiguration.add(path);
  const files = [];
  for (const path of pathsOfConfiguration) {
    if (scheduler.isSliceOver) await scheduler.pause();
    throwIfStopped();
    const tree = await workspace.currentTreeOf(path);
    if (tree) files.push({ path, tree });
  }
  return files;
}
