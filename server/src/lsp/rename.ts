/**
 * `textDocument/prepareRename` and `textDocument/rename`. If something cannot be renamed, the reply
 * is an error with a sentence, which editors show.
 */
import {
  LSPErrorCodes,
  MessageType,
  ResponseError,
  ShowMessageNotification,
  type CancellationToken,
  type Range,
  type WorkspaceEdit,
} from 'vscode-languageserver';
import { rangeOf, textEdits } from '../features/convert';
import { parameterAt, renamedParameter } from '../features/macro-parameters';
import { withoutPrefix, whyNeverRenamed, rename, namesToCheck, type RenameFile } from '../features/rename';
import { relatedFilesWith, searchableNameAt, namesToSearch, type NameToFind } from '../features/references';
import { decode } from '../host/decode';
import { Tree, type ConfigDocument } from '../syntax/document';
import { workspaceEditFor } from './edits';
import { isInWrongEncoding } from './wrong-encoding';
import { pathForUsers } from './navigation';
import { documentWithFileInfo, throwIfCancelled, type Session } from './session';
import { isInWorkspace } from './access-conversion';

export function serveRename(session: Session): void {
  const { connection } = session;
  connection.onPrepareRename(
    async ({ textDocument: { uri }, position }, token): Promise<{ range: Range; placeholder: string } | null> => {
      const openFile = await documentWithFileInfo(session, uri, token);
      if (!openFile) return null;
      const { tree } = openFile.document;
      const offset = openFile.document.offsetAt(position);
      const parameter = parameterAt(tree, offset);
      if (parameter) {
        const parameterPlace = parameter.places.find(({ start, end }) => start <= offset && offset <= end)!;
        return { range: rangeOf(tree, parameterPlace), placeholder: parameter.name };
      }
      const nameAtPosition = searchableNameAt(tree, offset);
      if (!nameAtPosition) throw refusalError('There is no name here that other lines use.');
      const { occurrence, lineOffset } = nameAtPosition;
      const reason = whyNeverRenamed(occurrence);
      if (reason !== null) throw refusalError(reason);
      return {
        range: rangeOf(tree, { start: lineOffset + occurrence.start, end: lineOffset + occurrence.end }),
        placeholder: withoutPrefix(occurrence.kind, occurrence.name),
      };
    },
  );
  connection.onRenameRequest(
    async ({ textDocument: { uri }, position, newName }, token): Promise<WorkspaceEdit | null> => {
      const openFile = await documentWithFileInfo(session, uri, token);
      if (!openFile) return null;
      const { document } = openFile;
      const { tree } = document;
      if (await isInWrongEncoding(session, document))
        throw refusalError(
          'The file is open with the wrong encoding. Reopen it with its own encoding before you change it.',
        );
      const offset = document.offsetAt(position);
      const parameter = parameterAt(tree, offset);
      if (parameter) {
        const edits = renamedParameter(parameter, newName.trim());
        if ('refused' in edits) throw refusalError(edits.refused);
        const { version } = document;
        return workspaceEditFor(session, [{ textDocument: { uri, version }, edits: textEdits(tree, edits) }]);
      }
      const occurrence = searchableNameAt(tree, offset)?.occurrence;
      if (!occurrence) throw refusalError('There is no name here that other lines use.');
      await session.workspace.untilCurrent();
      const files = await findCandidateFiles(session, uri, document, occurrence, newName.trim(), token);
      const renameResult = rename({
        wantedName: occurrence,
        newName,
        files: files.map(({ file }) => file),
        defines: openFile.settings.server.defines ?? null,
      });
      if ('refused' in renameResult) throw refusalError(renameResult.refused);
      throwIfCancelled(token);
      const isStale = files.some(
        ({ openDocument, version }) => openDocument !== undefined && openDocument.version !== version,
      );
      if (isStale) throw refusalError('A file has changed meanwhile. Try it again.');
      warnOfMissingFiles(session, files);
      const changes = files.flatMap(({ file, uri: target, openDocument }) => {
        const edits = renameResult.edits.get(file.path);
        return edits
          ? [{ textDocument: { uri: target, version: openDocument?.version ?? null }, edits: [...edits] }]
          : [];
      });
      return workspaceEditFor(session, changes);
    },
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * A file that may contain the name. `openDocument` is its document, and `version` the version that
 * was read; both are undefined for a file that is not open.
 */
interface RenameCandidate {
  readonly file: RenameFile;
  readonly uri: string;
  readonly openDocument: ConfigDocument | undefined;
  readonly version: number | undefined;
}

/** The error of the protocol for something that cannot be renamed. `message`: a sentence. */
function refusalError(message: string): ResponseError<void> {
  return new ResponseError(LSPErrorCodes.RequestFailed, message);
}

/** Warns that included files are missing, because they may contain the old name. */
function warnOfMissingFiles({ connection, workspace }: Session, files: readonly RenameCandidate[]): void {
  const missingIncludes = workspace.models
    .filter((model) => files.some(({ file }) => model.files.has(file.path)))
    .flatMap(({ gaps }) => gaps.filter(({ reason }) => reason.startsWith('include-')));
  if (missingIncludes.length === 0) return;
  const [{ what }] = missingIncludes as [(typeof missingIncludes)[number]];
  const message = `Files that the configuration includes are not in this copy (\`${what}\`${missingIncludes.length > 1 ? ` and ${missingIncludes.length - 1} more` : ''}). They may have the old name.`;
  void connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Warning, message });
}

/**
 * All files that may contain the name or prevent the change. Open files are taken from the editor,
 * others from the disk.
 */
async function findCandidateFiles(
  session: Session,
  uri: string,
  document: ConfigDocument,
  wantedName: NameToFind,
  newName: string,
  token: CancellationToken,
): Promise<RenameCandidate[]> {
  const { workspace } = session;
  const otherFiles = workspace.relatedFilesOf(uri);
  const currentFile: RenameCandidate = {
    file: {
      path: otherFiles?.currentFile ?? uri,
      tree: document.tree,
      displayName: otherFiles ? pathForUsers(session, otherFiles.currentFile) : 'This file',
      whyUnchangeable: null,
    },
    uri,
    openDocument: document,
    version: document.version,
  };
  if (!otherFiles) return [currentFile];
  const candidates = [currentFile];
  for (const path of relatedFilesWith(namesToSearch(wantedName), otherFiles, namesToCheck(wantedName, newName))) {
    if (path === otherFiles.currentFile) continue;
    throwIfCancelled(token);
    if (session.scheduler.isSliceOver) await session.scheduler.pause();
    const candidateUri = workspace.clientUriOf(path);
    const openDocument = workspace.isOpen(path) ? session.documents.get(candidateUri) : undefined;
    const displayName = pathForUsers(session, path);
    if (openDocument) {
      const whyUnchangeable = (await isInWrongEncoding(session, openDocument))
        ? 'it is open with the wrong encoding'
        : null;
      candidates.push({
        file: { path, tree: openDocument.tree, displayName, whyUnchangeable },
        uri: candidateUri,
        openDocument,
        version: openDocument.version,
      });
      continue;
    }
    const content = await session.host.readFile(workspace.uriFromPath(path));
    const decodedFile = 'bytes' in content ? decode(content.bytes) : content;
    if (!('text' in decodedFile)) continue;
    const whyUnchangeable = !isInWorkspace(session, path)
      ? 'it lies outside of this workspace'
      : decodedFile.encoding !== 'utf-8'
        ? 'it is not UTF-8: open it with its own encoding first'
        : (await session.host.mayWrite?.(workspace.uriFromPath(path))) === false
          ? 'it cannot be written'
          : null;
    candidates.push({
      file: { path, tree: Tree.parse(decodedFile.text), displayName, whyUnchangeable },
      uri: candidateUri,
      openDocument: undefined,
      version: undefined,
    });
  }
  return candidates;
}
