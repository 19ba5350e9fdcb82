/** The command *Explain a Request…*: the answer as rows that lead to their lines. */
import * as vscode from 'vscode';
import { LANGUAGE, SECTION } from './language';
import type { Server } from './server';
import { visibleItems } from './visible';

interface Place {
  readonly file: string | null;
  readonly line: number | null;
}

/** The answer of the server: docs/terminal.md describes it. */
interface Explained {
  readonly virtualHost: Readonly<Record<string, Place & { readonly name: string; readonly why: string }>>;
  readonly target: Place & { readonly kind: string; readonly path: string };
  readonly sections: readonly (Place & { readonly name: string; readonly applies: boolean | string })[];
  readonly decisions: readonly {
    readonly server: string;
    readonly access: string;
    readonly because: readonly (Place & { readonly text: string })[];
    readonly why: string;
  }[];
  readonly unknown: readonly (Place & { readonly what: string })[];
  readonly uris: Readonly<Record<string, string>>;
}

interface Row extends vscode.QuickPickItem {
  readonly place?: Place;
}

const LAST = `${SECTION}.lastRequests`;
const MOST = 10;

export function requestExplanations(server: Server, state: vscode.Memento): vscode.Disposable {
  return vscode.commands.registerCommand(`${SECTION}.explainRequest`, async (given?: unknown) => {
    const text = typeof given === 'string' ? given : await askedFor(state);
    if (text === undefined || text.trim() === '') return;
    const last = state.get<readonly string[]>(LAST, []).filter((each) => each !== text);
    await state.update(LAST, [text, ...last].slice(0, MOST));
    await show(server, text);
  });
}

/** The request that the user writes, or chooses among the last ones. */
function askedFor(state: vscode.Memento): Promise<string | undefined> {
  const pick = vscode.window.createQuickPick();
  pick.title = 'Explain a request';
  pick.placeholder = 'GET https://host/path from 203.0.113.9 user ann';
  const last = state.get<readonly string[]>(LAST, []).map((label) => ({ label }));
  pick.items = last;
  pick.onDidChangeValue((value) => {
    pick.items = [...(value.trim() === '' ? [] : [{ label: value, alwaysShow: true }]), ...last];
  });
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.activeItems[0]?.label ?? pick.value);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

/** `GET /a from ADDRESS user NAME header "X: y"` as the arguments of the server. */
function requestArguments(text: string): {
  readonly request: string;
  readonly from?: string;
  readonly user?: string;
  readonly headers: readonly string[];
} {
  const headers = [...text.matchAll(/ header "([^"]*)"/g)].map((match) => match[1]!);
  const plain = text.replace(/ header "[^"]*"/g, '');
  const from = / from (\S+)/.exec(plain)?.[1];
  const user = / user (\S+)/.exec(plain)?.[1];
  const request = plain.replace(/ (?:from|user) \S+/g, '').trim();
  return { request, ...(from !== undefined && { from }), ...(user !== undefined && { user }), headers };
}

async function show(server: Server, text: string): Promise<void> {
  const active = vscode.window.activeTextEditor?.document;
  const uri = active?.languageId === LANGUAGE ? active.uri.toString() : null;
  const answer = await server.request<Explained | { readonly nothing: string }>('workspace/executeCommand', {
    command: `${SECTION}.explainRequest`,
    arguments: [uri, requestArguments(text)],
  });
  if ('nothing' in answer) {
    void vscode.window.showInformationMessage(`httpd-upgrade: ${answer.nothing}`);
    return;
  }
  const chosen = await vscode.window.showQuickPick(visibleItems(rowsOf(answer)), {
    title: text,
    placeHolder: headlineOf(answer),
    matchOnDescription: true,
  });
  const place = chosen?.place;
  if (!place || place.file === null) return;
  const target = answer.uris[place.file];
  if (target === undefined) return;
  const position = new vscode.Position(place.line ?? 0, 0);
  await vscode.window.showTextDocument(vscode.Uri.parse(target), { selection: new vscode.Range(position, position) });
}

function headlineOf({ decisions }: Explained): string {
  const answers = new Set(decisions.map(({ access }) => access));
  return answers.size > 1 ? 'The servers answer differently' : `All servers answer the same: ${[...answers][0]}`;
}

/** Rows with the decisions first, each followed by its lines. */
function rowsOf({ virtualHost, target, sections, decisions, unknown }: Explained): Row[] {
  const title = (label: string): Row => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const where = ({ file, line }: Place) =>
    file === null ? '' : `${file.slice(file.lastIndexOf('/') + 1)}:${(line ?? 0) + 1}`;
  return [
    title('Decisions'),
    ...decisions.flatMap(({ server, access, because, why }): Row[] => [
      {
        label: `$(${access === 'granted' ? 'pass' : access === 'unknown' ? 'question' : 'error'}) ${server}: ${access}`,
        description: why,
        ...(because[0] && { place: because[0] }),
      },
      ...because.map(
        (line): Row => ({ label: `\u2003$(arrow-small-right) ${line.text}`, description: where(line), place: line }),
      ),
    ]),
    title('Virtual host'),
    ...Object.entries(virtualHost).map(
      ([version, host]): Row => ({
        label: `${version}: ${host.name}`,
        description: `${host.why} ${where(host)}`,
        place: host,
      }),
    ),
    title('Target'),
    { label: `${target.kind} ${target.path}`, description: where(target), place: target },
    title('Sections, in the order of the server'),
    ...sections.map(
      (section): Row => ({
        label: section.name,
        description: `${where(section)}${section.applies === true ? '' : section.applies === false ? ' does not apply' : ' may apply'}`,
        place: section,
      }),
    ),
    ...(unknown.length > 0 ? [title('Not worked out')] : []),
    ...unknown.map((fact): Row => ({ label: fact.what, description: where(fact), place: fact })),
  ];
}
