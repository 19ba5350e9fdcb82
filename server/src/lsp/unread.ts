/** Finds files that no server reads: their problems cannot keep a server from starting. */
import { isAnsweredUnused, NO_ANSWERS } from '../analysis/answers';
import { isHtaccessName } from '../config/configurations';
import { isWithin } from '../config/files';
import { isUnusedCopy } from '../directives/recognize';
import { isUnreadNeighbour } from '../features/project';
import type { Tree } from '../syntax/document';
import { isMarkedUnusedBy } from './project-files';
import type { Session } from './session';
import type { Settings } from './settings';
import { workspaceFolderOf } from './access-conversion';

/**
 * Whether the workspace folder that contains a file has no main file, or no workspace folder
 * contains the file. Then it is unknown whether a server reads the file.
 */
export function isInFolderWithoutServer(session: Session, path: string): boolean {
  const folder = workspaceFolderOf(session, path);
  return folder === null || !session.workspace.models.some(({ mainFile }) => isWithin(mainFile, folder));
}

/**
 * Whether no server reads a file: a backup copy, a file that the project file or an answer marks
 * as unused, or a file next to a complete configuration that does not read it.
 */
export function isUnread(
  session: Session,
  path: string,
  { tree, settings }: { readonly tree: Tree | null; readonly settings: Settings | undefined },
): boolean {
  const { workspace } = session;
  const isMainFile = (each: string) => workspace.models.some(({ mainFile }) => mainFile === each);
  if (isHtaccessName(path) || workspace.models.some(({ files }) => files.has(path))) return false;
  return (
    isUnusedCopy(path.slice(workspaceFolderOf(session, path)?.length ?? 0)) ||
    isMarkedUnusedBy(settings?.projectFile ?? null, workspace.clientUriOf(path)) ||
    (settings !== undefined && isAnsweredUnused(path, settings.engine.answerSet, isMainFile)) ||
    isUnreadNeighbour(path, tree, {
      configurationModels: workspace.models,
      answerSet: settings?.engine.answerSet ?? { answers: NO_ANSWERS, folder: '' },
    })
  );
}
