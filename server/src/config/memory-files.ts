/** Files that exist only in memory. */
import { Tree } from '../syntax/document';
import type { FileView } from './files';

/** A view of texts by absolute paths with forward slashes. The view has no links. */
export function memoryFiles(texts: Readonly<Record<string, string>>): FileView {
  const trees = new Map<string, Tree>();
  const folders = new Map<string, Set<string>>();
  for (const path of Object.keys(texts)) {
    for (let child = path; child !== '/'; ) {
      const folder = child.slice(0, child.lastIndexOf('/')) || '/';
      const namesInFolder = folders.get(folder) ?? folders.set(folder, new Set()).get(folder)!;
      namesInFolder.add(child.slice(child.lastIndexOf('/') + 1));
      child = folder;
    }
  }
  return {
    read(path) {
      if (texts[path] === undefined) return null;
      let tree = trees.get(path);
      if (!tree) trees.set(path, (tree = Tree.parse(texts[path])));
      return tree;
    },
    list: (path) => (folders.has(path) ? [...folders.get(path)!] : null),
    identity: (path) => path,
    kind: (path) => (texts[path] !== undefined ? 'file' : folders.has(path) ? 'folder' : null),
  };
}
