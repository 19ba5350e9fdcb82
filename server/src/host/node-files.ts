/** The files of a configuration by way of node, read when the evaluation asks for them and kept for its time. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import type { FileView } from '../config/files';
import { Tree } from '../syntax/document';
import { decode, type Encoding } from './decode';

/** Larger files are no part of a configuration that anybody wrote. */
const MAX_FILE_SIZE = 64 * 1024 * 1024;

export interface NodeFiles extends FileView {
  /** What has been read so far of a file, so that nobody reads it twice. */
  known(path: string): ReadFile | null;
}

export interface ReadFile {
  readonly tree: Tree;
  readonly encoding: Encoding;
}

/** A view of the disk as it is now. `overlay` gives what an editor has open instead of what is on the disk. */
export function nodeFiles(overlay: (path: string) => Tree | null = () => null): NodeFiles {
  const files = new Map<string, ReadFile | null>();
  const kinds = new Map<string, 'file' | 'folder' | null>();
  const view: NodeFiles = {
    read(path) {
      const name = view.identity(path);
      const open = overlay(name);
      if (open) return open;
      let file = files.get(name);
      if (file === undefined) files.set(name, (file = readFile(name)));
      return file && file.tree;
    },
    known: (path) => files.get(view.identity(path)) ?? null,
    list(path) {
      try {
        return readdirSync(path);
      } catch {
        return null;
      }
    },
    kind(path) {
      let kind = kinds.get(path);
      if (kind === undefined) kinds.set(path, (kind = kindOf(path)));
      return kind;
    },
    identity(path) {
      try {
        return realpathSync(path);
      } catch {
        return path;
      }
    },
  };
  return view;
}

// ---------------------------------------------------------------------------------------------------------------------

/** FIFOs and devices are neither: nobody waits for them. */
function kindOf(path: string): 'file' | 'folder' | null {
  try {
    const info = statSync(path);
    if (info.isDirectory()) return 'folder';
    return info.isFile() && info.size <= MAX_FILE_SIZE ? 'file' : null;
  } catch {
    return null;
  }
}

function readFile(path: string): ReadFile | null {
  if (kindOf(path) !== 'file') return null;
  try {
    const decoded = decode(readFileSync(path));
    return 'text' in decoded ? { tree: Tree.parse(decoded.text), encoding: decoded.encoding } : null;
  } catch {
    return null;
  }
}
