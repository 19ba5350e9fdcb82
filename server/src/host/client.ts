/** Files by way of the editor: for the browser, where the server has no file system of its own. */
import type { Host } from './host';

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
    async findFiles() {
      try {
        return (await send<{ uris: string[] }>('httpdUpgrade/findFiles', {})).uris.sort();
      } catch {
        return [];
      }
    },
  };
}

function fromBase64(content: string): Uint8Array {
  return Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
}
