/**
 * Makes the view of the files that a conversion reads, for every host. In a browser only the editor
 * has the files, so they are all read first, because the conversion cannot wait for them.
 */
import { parentOf, type FileView } from '../config/files';
import type { Tree } from '../syntax/document';
import type { Session } from './session';

/**
 * Makes the view. `openTreesByPath`: the trees that replace files on the disk, by path with
 * symbolic links resolved.
 */
export async function fileViewFor(session: Session, openTreesByPath: ReadonlyMap<string, Tree>): Promise<FileView> {
  const { host, workspace } = session;
  if (host.fileView) return host.fileView((path) => openTreesByPath.get(path) ?? null);
  const trees = new Map(openTreesByPath);
  const pathsOfWorkspace = [
    ...workspace.models.flatMap(({ files }) => [...files.keys()]),
    ...workspace.allFiles().map(({ path }) => path),
  ];
  for (const path of pathsOfWorkspace) {
    if (trees.has(path)) continue;
    const closedFile = await workspace.readClosedFile(path);
    if (closedFile) trees.set(path, closedFile.tree);
  }
  return viewOfTrees(trees);
}

/** The trees of the open documents by path, with symbolic links resolved. */
export function openTrees({ documents, workspace }: Session): Map<string, Tree> {
  return new Map(
    documents.all().flatMap((document) => {
      const path = workspace.realPathOf(document.uri);
      return path === null ? [] : [[path, document.tree] as const];
    }),
  );
}

/** A view in which only these files and their folders exist. */
export function viewOfTrees(trees: ReadonlyMap<string, Tree>): FileView {
  const namesInFolder = new Map<string, Set<string>>();
  for (const path of trees.keys()) {
    for (let file = path, folder = parentOf(path); file !== folder; file = folder, folder = parentOf(folder))
      (namesInFolder.get(folder) ?? namesInFolder.set(folder, new Set()).get(folder)!).add(
        file.slice(folder === '/' ? 1 : folder.length + 1),
      );
  }
  return {
    read: (path) => trees.get(path) ?? null,
    list: (path) => (namesInFolder.has(path) ? [...namesInFolder.get(path)!] : null),
    kind: (path) => (trees.has(path) ? 'file' : namesInFolder.has(path) ? 'folder' : null),
    realPath: (path) => path,
  };
}
