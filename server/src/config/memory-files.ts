/** Files that exist only in memory. */
import { Tree } from '../syntax/document';
import type { FileView } from './files';

/** A view of texts by absolute paths with forward slashes. The view has no links. */
export function memoryFiles(texts: Readonly<Record<string, string>>): FileView {
  const treeByPath = new Map<string, Tree>();
  const namesByFolder = new Map<string, Set<string>>();
  for (const path of Object.keys(texts)) {
    for (let child = path; child !== '/'; ) {
      const folder = child.slice(0, child.lastIndexOf('/')) || '/';
      const namesInFolder = namesByFolder.get(folder) ?? namesByFolder.set(folder, new Set()).get(folder)!;
      namesInFolder.add(child.slice(child.lastIndexOf('/') + 1));
      child = folder;
    }
  }
  return {
    read(path) {
      if (texts[path] === undefined) return null;
      let tree = treeByPath.get(path);
      if (!tree) treeByPath.set(path, (tree = Tree.parse(texts[path])));
      return tree;
    },
    list: (path) => (namesByFolder.has(path) ? [...namesByFolder.get(path)!] : null),
    realPath: (path) => path,
    kind: (path) => (texts[path] !== undefined ? 'file' : namesByFolder.has(path) ? 'folder' : null),
  };
}
