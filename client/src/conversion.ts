/**
 * The conversion of a whole configuration's access control: the plan is shown as a diff of all its files, a person decides, and what happened
 * is told afterwards. The server works it out, and writes what is not open; nothing is written before the answer.
 */
import * as vscode from 'vscode';
import { LANGUAGE, Requests, SECTION } from './language';
import type { Server } from './server';

interface Plan {
  readonly id: number;
  readonly question: string;
  readonly summary: string;
  readonly files: readonly { readonly uri: string; readonly name: string; readonly before: string; readonly after: string }[];
}

interface Outcome {
  readonly message: string;
  readonly isDone: boolean;
  readonly unsaved: readonly string[];
}

/** The texts of a plan, which lie on no disk. */
const SCHEME = 'httpd-upgrade-plan';
const SUMMARY = 'Before you convert.md';

export function conversions(server: Server): vscode.Disposable {
  const texts = new Map<string, string>();
  const provider: vscode.TextDocumentContentProvider = { provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? '' };
  const flow = new ConversionFlow(server, texts);
  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, provider),
    vscode.workspace.onDidOpenTextDocument((document) => {
      if (document.uri.scheme === SCHEME && !document.uri.path.endsWith(`/${SUMMARY}`)) void vscode.languages.setTextDocumentLanguage(document, LANGUAGE);
    }),
    vscode.commands.registerCommand(`${SECTION}.convertConfiguration`, (uri?: unknown) => flow.convert(typeof uri === 'string' ? uri : activeFile())),
    vscode.commands.registerCommand(`${SECTION}.undoConversion`, () => flow.undo()),
  );
}

// ---------------------------------------------------------------------------------------------------------------------

class ConversionFlow {
  /** A second question would not be told from the first. */
  private isAsking = false;

  constructor(private readonly server: Server, private readonly texts: Map<string, string>) {}

  async convert(uri: string | undefined): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      const plan = await this.plan(uri);
      if (!plan) return;
      const title = await this.show(plan, 'Preview');
      const isWanted = await asked(plan.question);
      await closeTab(title);
      if (!isWanted) return;
      const outcome = await this.change(Requests.applyConversion, { id: plan.id });
      if (outcome) void this.tell(outcome, plan);
    } finally {
      this.isAsking = false;
    }
  }

  async undo(): Promise<void> {
    const outcome = await this.change(Requests.undoConversion, {});
    if (outcome) void this.tell(outcome, null);
  }

  private async plan(uri: string | undefined): Promise<Plan | null> {
    const progress = { location: vscode.ProgressLocation.Notification, title: 'Reading the configuration…', cancellable: true };
    try {
      const plan = await vscode.window.withProgress(progress, (_, token) => this.server.request<Plan | { nothing: string }>(Requests.planConversion, { uri }, token));
      if (!('nothing' in plan)) return plan;
      void vscode.window.showInformationMessage(plan.nothing);
    } catch (error) {
      if (!(error instanceof vscode.CancellationError) && (error as { code?: number }).code !== REQUEST_CANCELLED) void vscode.window.showErrorMessage(message(error));
    }
    return null;
  }

  /** Opens the diff of all files, with what has to be known of it before them. Gives the tab's title. */
  private async show(plan: Plan, what: string): Promise<string> {
    const virtual = (name: string, side: string): vscode.Uri => vscode.Uri.from({ scheme: SCHEME, authority: String(plan.id), path: `/${name}`, query: side });
    const put = (address: vscode.Uri, text: string): vscode.Uri => {
      this.texts.set(address.toString(), text);
      return address;
    };
    const summary = put(virtual(SUMMARY, ''), plan.summary);
    const files = plan.files.map(({ uri, name, before, after }) => [vscode.Uri.parse(uri), put(virtual(name, 'before'), before), put(virtual(name, 'after'), after)]);
    const title = `${what}: convert access control`;
    await vscode.commands.executeCommand('vscode.changes', title, [[summary, undefined, summary], ...files]);
    return title;
  }

  /** Carries a change out, and saves those of the open files that were saved before. */
  private async change(request: string, params: object): Promise<Outcome | null> {
    const dirty = new Set(vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map(({ uri }) => uri.toString()));
    try {
      const outcome = await this.server.request<Outcome>(request, params);
      const unsaved: string[] = [];
      for (const each of outcome.unsaved) {
        const uri = vscode.Uri.parse(each).toString();
        const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri);
        if (document?.isDirty && (dirty.has(uri) || !(await document.save()))) unsaved.push(vscode.workspace.asRelativePath(document.uri));
      }
      return { ...outcome, unsaved };
    } catch (error) {
      void vscode.window.showErrorMessage(message(error));
      return null;
    }
  }

  private async tell({ message: text, isDone, unsaved }: Outcome, plan: Plan | null): Promise<void> {
    const rest = unsaved.length > 0 ? ` Save ${unsaved.join(', ')} to complete it.` : '';
    if (!isDone) return void vscode.window.showWarningMessage(text);
    const chosen = await vscode.window.showInformationMessage(text + rest, ...(plan ? [UNDO, SHOW] : []));
    if (chosen === UNDO) await this.undo();
    if (chosen === SHOW && plan) await this.show(plan, 'Done');
  }
}

const UNDO = 'Undo';
const SHOW = 'Show diff';
const CONVERT = 'Convert';

/** What the protocol says of a request that was cancelled. */
const REQUEST_CANCELLED = -32800;

/** Stays until it is answered, and leaves the diff in sight, which a dialog does not. */
async function asked(question: string): Promise<boolean> {
  const answers = [
    { label: `$(check) ${CONVERT}`, description: 'all of it, or nothing where a file has changed meanwhile', isYes: true },
    { label: '$(close) Cancel', description: 'nothing is written', isYes: false },
  ];
  const chosen = await vscode.window.showQuickPick(answers, { title: question, placeHolder: 'Look at the changes, then choose', ignoreFocusOut: true });
  return chosen?.isYes === true;
}

/** The editor adds the number of files to the title. */
async function closeTab(title: string): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(({ label }) => label.startsWith(title));
  await vscode.window.tabGroups.close(tabs);
}

function activeFile(): string | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document?.languageId === LANGUAGE && document.uri.scheme !== SCHEME ? document.uri.toString() : undefined;
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
