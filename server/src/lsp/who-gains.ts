/**
 * Lists in Markdown which clients gain or lose access by a planned change: a part of the preview.
 * The 2.2 server reads the files before the change, and the 2.4 server reads the changed files.
 */
import type { CancellationToken } from 'vscode-languageserver';
import type { FileView } from '../config/files';
import { accessDiffMarkdown } from '../features/access-changes';
import type { FileChange } from '../features/conversion';
import { escapeMarkdown } from '../features/markdown-text';
import { compareAccess } from '../requests/access-diff';
import { Tree } from '../syntax/document';
import { pathForUsers } from './navigation';
import { requestConfigurationOf } from './request-configuration';
import { throwIfCancelled, type Session } from './session';
import { openTrees, fileViewFor } from './view-of-files';

/**
 * Limit for the number of files of a configuration. Comparing a larger configuration takes many
 * seconds.
 */
const MAX_FILES_TO_COMPARE = 2000;

/**
 * Returns the text for the preview, with one part for each configuration that reads a changed file.
 */
export async function accessChangesText(
  session: Session,
  changes: readonly FileChange[],
  token: CancellationToken,
): Promise<string> {
  const { workspace } = session;
  const changedTrees = new Map(changes.map(({ path, after }) => [path, Tree.parse(after)]));
  const models = workspace.models.filter(({ files }) => [...files.keys()].some((path) => changedTrees.has(path)));
  if (models.length === 0) return 'No configuration of this workspace reads the changed files.\n';
  const view = await fileViewFor(session, openTrees(session));
  const viewAfter: FileView = {
    ...view,
    read: (path) => changedTrees.get(view.realPath(path)) ?? view.read(path),
    findChangedPaths: undefined,
  };
  const reportParts: string[] = [];
  for (const { mainFile, files, isFor24 } of models) {
    throwIfCancelled(token);
    const shownPath = pathForUsers(session, mainFile);
    const title = models.length > 1 ? `## ${escapeMarkdown(shownPath)}\n\n` : '';
    if (files.size > MAX_FILES_TO_COMPARE) {
      reportParts.push(
        `${title}The configuration has ${files.size} files: run \`httpd-upgrade access --diff\` for it.\n`,
      );
      continue;
    }
    // The files before and after the change are compared as they are, without a further conversion.
    const configurationOfSide = async (filesOfSide: FileView) => ({
      ...(await requestConfigurationOf(session, mainFile, filesOfSide)),
      convertedFiles: () => null,
    });
    const diff = compareAccess(
      { configuration: await configurationOfSide(view), server: isFor24 ? '2.4-compat' : '2.2' },
      { configuration: await configurationOfSide(viewAfter), server: isFor24 ? '2.4-compat' : '2.4' },
    );
    if (diff) reportParts.push(title + accessDiffMarkdown(diff, (file) => pathForUsers(session, file)));
  }
  return reportParts.join('\n');
}
