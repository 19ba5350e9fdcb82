/**
 * Reads and writes files through the editor, over the protocol. Used in the browser, where the
 * language server has no file system.
 */
import { withTimeout } from './timeout';
import type { Host, HostChange, ListedName } from './host';

/** Sends a request to the client over the connection. */
export type SendRequest = <T>(method: string, params: unknown) => Promise<T>;

/** Milliseconds to wait for a reply. Without a reply, the file counts as missing. */
const REPLY_TIMEOUT_MS = 10_000;
/** Milliseconds to wait for the result of a search. */
const SEARCH_TIMEOUT_MS = 120_000;

/**
 * A host whose files come from the client. Every answer is validated, because it may be an error,
 * missing, or of another type.
 */
export function clientHost(send: SendRequest): Host {
  // Sends a request to the client and returns its reply. Throws if there is no reply in time, or if
  // the reply is no object.
  const requestObject = async (
    method: string,
    params: unknown,
    maxWaitMs = REPLY_TIMEOUT_MS,
  ): Promise<Record<string, unknown>> => {
    const reply = await withTimeout(send<unknown>(method, params), maxWaitMs);
    if (typeof reply !== 'object' || reply === null)
      throw new Error(reply === undefined ? 'the editor does not answer' : 'the answer of the editor is not valid');
    return reply as Record<string, unknown>;
  };
  const readFile: Host['readFile'] = async (uri) => {
    try {
      const { content, error } = await requestObject('httpdUpgrade/readFile', { uri });
      if (typeof content !== 'string')
        return { problem: { code: 'other', message: typeof error === 'string' ? error : 'cannot be read' } };
      return { bytes: fromBase64(content) };
    } catch (error) {
      return { problem: { code: 'other', message: (error as Error).message } };
    }
  };
  /**
   * Writes a file if it still has `expectedBytes`. Returns the reason if that fails; null on
   * success.
   */
  const write = async (uri: string, expectedBytes: Uint8Array, newBytes: Uint8Array): Promise<string | null> => {
    const currentContent = await readFile(uri);
    if ('problem' in currentContent) return currentContent.problem.message;
    if (!equalBytes(currentContent.bytes, expectedBytes)) return 'has changed meanwhile';
    try {
      const { error } = await requestObject('httpdUpgrade/writeFile', { uri, content: toBase64(newBytes) });
      return typeof error === 'string' ? error : null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  /**
   * Restores the old contents of files. Returns as text which of them could not be restored; null
   * if all are restored.
   */
  const restoreFiles = async (writtenFiles: readonly HostChange[]): Promise<string | null> => {
    const failures: string[] = [];
    for (const { uri, before, after } of [...writtenFiles].reverse()) {
      const problem = await write(uri, after, before);
      if (problem !== null) failures.push(`${uri} could not be taken back: ${problem}`);
    }
    return failures.length > 0 ? failures.join('; ') : null;
  };
  return {
    readFile,
    // An editor has no journal, so this writes one file after the other. If one fails, it restores
    // the others. `allowedFolders` is not needed: the editor refuses to write files outside of the
    // workspace folders (`writeFile` in client/src/files.ts).
    async change(changes) {
      const writtenFiles: HostChange[] = [];
      for (const change of changes) {
        const problem = await write(change.uri, change.before, change.after);
        if (problem === null) writtenFiles.push(change);
        else
          return {
            uri: change.uri,
            problem: [problem, await restoreFiles(writtenFiles)].filter((each) => each !== null).join('; '),
          };
      }
      return { undo: () => restoreFiles(writtenFiles) };
    },
    async findFiles(_folders, _isCancelled, onFile) {
      try {
        const { uris } = await requestObject('httpdUpgrade/findFiles', {}, SEARCH_TIMEOUT_MS);
        const foundUris = Array.isArray(uris) ? uris.filter((uri): uri is string => typeof uri === 'string') : [];
        for (const uri of foundUris) onFile?.(uri, uri);
        return foundUris.sort();
      } catch {
        return [];
      }
    },
    async status(uri) {
      try {
        const { kind } = await requestObject('httpdUpgrade/look', { uri });
        // The editor follows links, and does not show where they lead.
        return kind === 'file' || kind === 'folder' ? { kind, realUri: uri } : null;
      } catch {
        return null;
      }
    },
    async list(uri) {
      try {
        const { names } = await requestObject('httpdUpgrade/list', { uri });
        return Array.isArray(names) ? names.filter(isListedName) : null;
      } catch {
        return null;
      }
    },
  };
}

/** Whether a value that the client sent is a name in a directory. */
function isListedName(value: unknown): value is ListedName {
  const { name, kind } = (value ?? {}) as Partial<Record<keyof ListedName, unknown>>;
  return typeof name === 'string' && ['file', 'folder', 'link', 'other'].includes(kind as string);
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

function toBase64(bytes: Uint8Array): string {
  // A function call can have only a limited number of arguments, so the bytes are converted in
  // pieces.
  let characters = '';
  for (let i = 0; i < bytes.length; i += 8192) characters += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(characters);
}

function fromBase64(content: string): Uint8Array {
  return Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
}
