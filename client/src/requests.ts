/** The command *Explain a Request…*: asks for the request, and shows the explanation as a tree. */
import * as vscode from 'vscode';
import { LANGUAGE, NAME_PREFIX } from './language';
import { RequestView, type ExplainedRequest } from './request-view';
import type { Server } from './server';

const LAST_REQUESTS_KEY = `${NAME_PREFIX}.lastRequests`;
const MAX_LAST_REQUESTS = 10;

export function registerRequestExplanation(server: Server, memento: vscode.Memento): vscode.Disposable {
  const view = new RequestView();
  const command = vscode.commands.registerCommand(`${NAME_PREFIX}.explainRequest`, async (request?: unknown) => {
    const requestText = typeof request === 'string' ? request : await askForRequest(memento);
    if (requestText === undefined || requestText.trim() === '') return;
    const otherRequests = memento.get<readonly string[]>(LAST_REQUESTS_KEY, []).filter((each) => each !== requestText);
    await memento.update(LAST_REQUESTS_KEY, [requestText, ...otherRequests].slice(0, MAX_LAST_REQUESTS));
    await showExplanation(server, view, requestText);
  });
  return vscode.Disposable.from(view, command);
}

/**
 * Asks for the request: the user types it, or chooses one of the last requests. Undefined if the
 * user cancels.
 */
function askForRequest(memento: vscode.Memento): Promise<string | undefined> {
  const quickPick = vscode.window.createQuickPick();
  quickPick.title = 'Explain a request';
  quickPick.placeholder = 'GET https://host/path from 203.0.113.9 user ann';
  const lastRequests = memento.get<readonly string[]>(LAST_REQUESTS_KEY, []).map((label) => ({ label }));
  quickPick.items = lastRequests;
  quickPick.onDidChangeValue((value) => {
    quickPick.items = [...(value.trim() === '' ? [] : [{ label: value, alwaysShow: true }]), ...lastRequests];
  });
  return new Promise((resolve) => {
    quickPick.onDidAccept(() => {
      resolve(quickPick.activeItems[0]?.label ?? quickPick.value);
      quickPick.hide();
    });
    quickPick.onDidHide(() => {
      resolve(undefined);
      quickPick.dispose();
    });
    quickPick.show();
  });
}

/**
 * Converts `GET /a from ADDRESS user NAME header "X: y"` to the arguments that the server expects.
 */
function requestArguments(text: string): {
  readonly request: string;
  readonly from?: string;
  readonly user?: string;
  readonly headers: readonly string[];
} {
  const headers = [...text.matchAll(/ header "([^"]*)"/g)].map((match) => match[1]!);
  const withoutHeaders = text.replace(/ header "[^"]*"/g, '');
  const clientAddress = / from (\S+)/.exec(withoutHeaders)?.[1];
  const user = / user (\S+)/.exec(withoutHeaders)?.[1];
  const request = withoutHeaders.replace(/ (?:from|user) \S+/g, '').trim();
  return {
    request,
    ...(clientAddress !== undefined && { from: clientAddress }),
    ...(user !== undefined && { user }),
    headers,
  };
}

/** Requests the explanation of a request from the server and shows it; or why there is none. */
async function showExplanation(server: Server, view: RequestView, text: string): Promise<void> {
  const activeDocument = vscode.window.activeTextEditor?.document;
  const uri = activeDocument?.languageId === LANGUAGE ? activeDocument.uri.toString() : null;
  const explanation = await server.request<ExplainedRequest | { readonly nothing: string }>(
    'workspace/executeCommand',
    {
      command: `${NAME_PREFIX}.explainRequest`,
      arguments: [uri, requestArguments(text)],
    },
  );
  if ('nothing' in explanation)
    return void vscode.window.showInformationMessage(`httpd-upgrade: ${explanation.nothing}`);
  await view.show(text, explanation);
}
