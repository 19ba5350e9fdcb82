/** Files by way of the editor: for the browser, where the server has no file system of its own. */
import type { Host, ListedName } from './host';

/** A request to the client, as the connection sends it. */
export type SendRequest = <T>(method: string, params: unknown) => Promise<T>;

export function clientHost(send: SendRequest): Host {
  return {
    async readFile(uri) {
      try {
        const answer = await send<{ content?: string; error?: string }>('httpdUpgrade/readFile', { uri });
        if (answer.content === undefined) return { problem: { code: 'other', message: answer.error ?? 'cannot be read' } };
        return { bytes: fromBase64(answer.content) };
      } catch (error) {
        return { problem: { code: 'other', message: (error as Error).message } };
      }
    },
    async findFiles(_folders, _isCancelled, onFile) {
      try {
        const { uris } = await send<{ uris: string[] }>('httpdUpgrade/findFiles', {});
        for (const uri of uris) onFile?.(uri, uri);
        return uris.sort();
      } catch {
        return [];
      }
    },
    async look(uri) {
      try {
        const { kind } = await send<{ kind: 'file' | 'folder' | null }>('httpdUpgrade/look', { uri });
        // Where the editor alone has the files, links are its own business.
        return kind && { kind, identity: uri };
      } catch {
        return null;
      }
    },
    async list(uri) {
      try {
        return (await send<{ names: ListedName[] | null }>('httpdUpgrade/list', { uri })).names;
      } catch {
        return null;
      }
    },
  };
}

function fromBase64(content: string): Uint8Array {
  return Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
}
