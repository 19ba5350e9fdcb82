/** Runs the built language server on a tree, and asks for what an editor offers in a file of it. */
import { pathToFileURL, fileURLToPath } from 'node:url';
import { readFileSync, writeFileSync } from 'node:fs';
import type { CodeAction, Diagnostic, TextEdit, WorkspaceEdit } from 'vscode-languageserver-protocol/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { Client, FULL, LANGUAGE } from '../lsp/client';

/** As VS Code: edits are asked for when an action is taken. */
const CAPABILITIES = {
  ...FULL,
  textDocument: {
    ...FULL.textDocument,
    codeAction: {
      dataSupport: true,
      isPreferredSupport: true,
      resolveSupport: { properties: ['edit'] },
      codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'source.fixAll'] } },
    },
  },
};
const FIX_ALL = 'source.fixAll.httpdUpgrade';

/** Files to their new texts. */
export type Change = ReadonlyMap<string, string>;

export class Editor {
  private constructor(
    private readonly client: Client,
    private folder: string | null,
  ) {}

  static async start(): Promise<Editor> {
    return new Editor(await Client.start({ capabilities: CAPABILITIES, folders: [] }), null);
  }

  stop(): Promise<number | null> {
    return this.client.stop();
  }

  /** Another workspace. */
  async enter(folder: string): Promise<void> {
    const uri = pathToFileURL(folder).href;
    const removed = this.folder === null ? [] : [{ uri: this.folder, name: this.folder }];
    await this.client.connection.sendNotification('workspace/didChangeWorkspaceFolders', {
      event: { added: [{ uri, name: uri }], removed },
    });
    this.folder = uri;
  }

  /** What Fix All in this file does; null for nothing. */
  fixAll(file: string): Promise<Change | null> {
    return this.opened(file, async (uri, document) => {
      const range = { start: { line: 0, character: 0 }, end: document.positionAt(document.getText().length) };
      await this.client.diagnostics(uri);
      const actions = await this.actions(uri, range, [], [FIX_ALL]);
      const taken = actions.find(({ kind }) => kind === FIX_ALL);
      return taken ? this.taken(taken) : null;
    });
  }

  /** What each preferred quick fix in this file does. */
  preferred(file: string): Promise<{ readonly title: string; readonly change: Change }[]> {
    return this.opened(file, async (uri) => {
      const found = new Map<string, { title: string; change: Change }>();
      for (const diagnostic of await this.client.diagnostics(uri)) {
        for (const action of await this.actions(uri, diagnostic.range, [diagnostic], ['quickfix'])) {
          if (!action.isPreferred) continue;
          const change = await this.taken(action);
          if (change) found.set(JSON.stringify([...change]), { title: action.title, change });
        }
      }
      return [...found.values()];
    });
  }

  private async opened<T>(file: string, work: (uri: string, document: TextDocument) => Promise<T>): Promise<T> {
    const uri = pathToFileURL(file).href;
    const text = readFileSync(file, 'utf8');
    await this.client.open(uri, text);
    try {
      return await work(uri, TextDocument.create(uri, LANGUAGE, 1, text));
    } finally {
      await this.client.close(uri);
    }
  }

  private async actions(
    uri: string,
    range: object,
    diagnostics: readonly Diagnostic[],
    only: readonly string[],
  ): Promise<CodeAction[]> {
    return (
      (await this.client.connection.sendRequest<CodeAction[] | null>('textDocument/codeAction', {
        textDocument: { uri },
        range,
        context: { diagnostics, only },
      })) ?? []
    );
  }

  private async taken(action: CodeAction): Promise<Change | null> {
    const { edit } = action.edit
      ? action
      : await this.client.connection.sendRequest<CodeAction>('codeAction/resolve', action);
    return edit ? changed(edit) : null;
  }
}

export function save(change: Change): void {
  for (const [file, text] of change) writeFileSync(file, text);
}

function changed({ documentChanges = [], changes = {} }: WorkspaceEdit): Change {
  const edits = new Map<string, TextEdit[]>(Object.entries(changes));
  for (const each of documentChanges)
    if ('edits' in each)
      edits.set(each.textDocument.uri, [...(edits.get(each.textDocument.uri) ?? []), ...(each.edits as TextEdit[])]);
  return new Map(
    [...edits].map(([uri, own]): [string, string] => {
      const file = fileURLToPath(uri);
      return [file, TextDocument.applyEdits(TextDocument.create(uri, LANGUAGE, 1, readFileSync(file, 'utf8')), own)];
    }),
  );
}
