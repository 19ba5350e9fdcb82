/** Files that the user drops, pastes or chooses, as bytes by their names. */

interface GivenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Limits for reading a folder: without them a whole disk could be read. */
const MOST_FILES = 20_000;
const MOST_OF_FILE = 40_000_000;
const SKIPPED = new Set(['.git', '.hg', '.svn', 'node_modules']);

/**
 * The files of a drop, with those in its folders. Call it in the event: the list is empty later.
 */
export async function droppedFiles(transfer: DataTransfer): Promise<GivenFile[]> {
  const entries = [...transfer.items].flatMap((item) => (item.kind === 'file' ? [item.webkitGetAsEntry()] : []));
  const loose = [...transfer.files];
  if (entries.length === 0 || entries.some((entry) => entry === null)) return chosenFiles(loose);
  const found: GivenFile[] = [];
  const pending = entries.filter((entry) => entry !== null);
  for (let entry = pending.shift(); entry !== undefined && found.length < MOST_FILES; entry = pending.shift()) {
    if (entry.isDirectory) {
      if (!SKIPPED.has(entry.name)) pending.push(...(await children(entry as FileSystemDirectoryEntry)));
    } else {
      const file = await fileOf(entry as FileSystemFileEntry);
      if (file.size <= MOST_OF_FILE)
        found.push({ name: entry.fullPath.replace(/^\//, ''), bytes: await bytesOf(file) });
    }
  }
  return found;
}

/** The files of a file chooser, which names those of a folder by their paths. */
export function chosenFiles(files: readonly File[]): Promise<GivenFile[]> {
  return Promise.all(
    files
      .filter(
        (file) => file.size <= MOST_OF_FILE && !file.webkitRelativePath.split('/').some((part) => SKIPPED.has(part)),
      )
      .slice(0, MOST_FILES)
      .map(async (file) => ({ name: file.webkitRelativePath || file.name, bytes: await bytesOf(file) })),
  );
}

/** Offers a file for download. */
export function download(name: string, content: Uint8Array | string): void {
  const url = URL.createObjectURL(new Blob([content as BlobPart], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// ---------------------------------------------------------------------------------------------------------------------

async function bytesOf(file: File): Promise<Uint8Array> {
  return new Uint8Array(await file.arrayBuffer());
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

async function children(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  // A reader gives at most 100 entries at a time, and none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}
