/**
 * Changes of several files, such as the conversion of access control: shows the plan as a diff of
 * all its files, lets the user decide, and reports the result. The server computes the plan and
 * writes the files that are not open; nothing is written before the user confirms.
 */
import * as vscode from 'vscode';
import { unsavedOf } from './carried-out';
import { LANGUAGE, Requests, SECTION } from './language';
import type { Plans } from './plan';
import { amount, fixLabel, placeText, type FixItem, type PlanItem } from './plan-items';
import { isCancelled, type Server } from './server';
import { visibleItems } from './visible';
import { withHiddenShown } from '../../server/src/syntax/hidden-text';

interface Plan {
  readonly id: number;
  readonly question: string;
  readonly verb: string;
  readonly summary: string;
  readonly files: readonly {
    readonly uri: string;
    readonly name: string;
    readonly before: string;
    readonly after: string;
  }[];
}

interface Outcome {
  readonly message: string;
  readonly isDone: boolean;
  readonly unsaved: readonly string[];
}

/** Scheme of the texts of a plan, which exist only in memory. */
const SCHEME = 'httpd-upgrade-plan';
const SUMMARY = 'Read this before you convert';
const GAINS_TITLE = 'Who gains, who loses access';
const GAINS = `${GAINS_TITLE}.md`;

export function conversions(server: Server, plans: Plans): vscode.Disposable {
  const texts = new Map<string, string>();
  const provider: vscode.TextDocumentContentProvider = {
    provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? '',
  };
  const flow = new ConversionFlow(server, texts, plans);
  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, provider),
    vscode.workspace.onDidOpenTextDocument((document) => {
      // Plain text, but as Markdown its long lines are wrapped.
      if (document.uri.scheme === SCHEME)
        void vscode.languages.setTextDocumentLanguage(
          document,
          [`/${SUMMARY}`, `/${GAINS}`].includes(document.uri.path) ? 'markdown' : LANGUAGE,
        );
    }),
    vscode.commands.registerCommand(`${SECTION}.convertConfiguration`, (uri?: unknown) =>
      flow.convert({ uri: typeof uri === 'string' ? uri : activeFile() }),
    ),
    vscode.commands.registerCommand(`${SECTION}.applyFix`, (fix: unknown) => flow.convert({ fix })),
    vscode.commands.registerCommand(`${SECTION}.applyReady`, async (about?: unknown) => {
      const ready = about instanceof vscode.Uri ? allOf(about) : await oneOf(plans);
      if (ready) await flow.convert({ ready });
    }),
    vscode.commands.registerCommand(`${SECTION}.previewReady`, (about?: unknown) =>
      flow.preview({ ready: allOf(about) }),
    ),
    vscode.commands.registerCommand(`${SECTION}.applyItem`, (item?: unknown) => flow.convert({ ready: readyOf(item) })),
    vscode.commands.registerCommand(`${SECTION}.previewItem`, (item?: unknown) =>
      flow.preview({ ready: readyOf(item) }),
    ),
    vscode.commands.registerCommand(`${SECTION}.convertAccess`, async (place?: AccessPlace) => {
      const access = place ?? atCursor();
      if (access) await flow.convert({ access });
    }),
    vscode.commands.registerCommand(`${SECTION}.undoConversion`, () => flow.undo()),
    vscode.workspace.onDidChangeTextDocument((change) => void flow.noticeUndo(change)),
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/** The changes to plan; for ready fixes of the upgrade plan, in the server's form. */
interface PlanRequest {
  readonly uri?: string;
  readonly fix?: unknown;
  readonly ready?: AskedReady;
  readonly access?: AccessPlace;
  /** The user answered a question since the last request. */
  readonly isAnswered?: boolean;
}

/** An old access line of a file; 0-based. */
interface AccessPlace {
  readonly uri: string;
  readonly line: number;
}

/**
 * The reason why there is no plan, and its location; or the ids of questions to answer first, with
 * the main file of their configuration.
 */
type NoPlan =
  | {
      readonly nothing: string;
      readonly place?: { readonly uri: string; readonly line: number; readonly name: string };
    }
  | { readonly asks: readonly string[]; readonly root: string | null };

interface AskedReady {
  readonly root?: string | null;
  readonly file?: string;
  readonly isDormant?: true;
  readonly items?: readonly FixItem[];
}

/**
 * A file of the Explorer or an editor; otherwise everything. A button in the title of the view
 * passes the focused item, which is ignored.
 */
function allOf(about: unknown): AskedReady {
  return about instanceof vscode.Uri ? { file: about.toString() } : {};
}

/** The configuration to fix: the only one with fixes, or the one that the user chooses. */
async function oneOf({ answer }: Plans): Promise<AskedReady | undefined> {
  const mains = (answer?.plan.configurations ?? []).flatMap((plan, index) => {
    const { uri } = answer!.configurations[index]!;
    return uri === null
      ? []
      : [{ label: `Review ${amount(plan.ready.length, 'fix', 'fixes')}…`, description: plan.root, root: uri, plan }];
  });
  if (mains.length === 0) return {};
  const withFixes = mains.filter(({ plan }) => plan.ready.length > 0);
  if (withFixes.length < 2) return { root: (withFixes[0] ?? mains[0]!).root };
  const chosen = await vscode.window.showQuickPick(visibleItems(withFixes), {
    title: 'Which configuration do you want to change?',
  });
  return chosen && { root: chosen.root };
}

/** The fixes of an item of the view. */
function readyOf(item: unknown): AskedReady {
  const subject = (item as PlanItem | undefined)?.subject;
  if (subject?.is === 'dormant') return { isDormant: true };
  if (subject?.is === 'configuration') return { root: subject.root };
  return subject?.is === 'fixes' ? { root: subject.root, items: subject.items } : {};
}

class ConversionFlow {
  /** Prevents a second dialog while one is open. */
  private isAsking = false;
  /** Applied plans that were not undone; the last one at the end. */
  private applied: readonly Plan[] = [];
  /** Plans for which the user is being asked whether to undo the rest. */
  private readonly halfUndone = new Set<Plan>();

  constructor(
    private readonly server: Server,
    private readonly texts: Map<string, string>,
    private readonly plans: Plans,
  ) {}

  async convert(asked: PlanRequest): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      await this.carryOut(asked);
    } finally {
      this.isAsking = false;
    }
  }

  private async carryOut(asked: PlanRequest): Promise<void> {
    const plan = await this.plan(asked);
    if (!plan) return;
    const title = await this.show(plan, 'Preview');
    const choices = asked.ready ? this.choicesOf(asked.ready) : [];
    const answer = await this.answerTo(plan, choices.length > 1);
    await closeTab(title);
    await closeTab(GAINS_TITLE);
    if (answer === 'choose') {
      const items = await chosenFrom(choices);
      if (items && items.length > 0) await this.carryOut({ ready: { ...asked.ready, items } });
    }
    if (answer !== 'yes') return;
    const outcome = await this.change(Requests.applyConversion, { id: plan.id });
    if (outcome?.isDone) this.applied = [...this.applied, plan].slice(-MOST_KEPT);
    if (outcome) this.tell(outcome, plan);
  }

  /**
   * If the editor's own Undo reverts one file of a change, offers to undo the other files, which no
   * longer match.
   */
  async noticeUndo({ document, reason }: vscode.TextDocumentChangeEvent): Promise<void> {
    if (reason !== vscode.TextDocumentChangeReason.Undo) return;
    const plan = this.applied.findLast((each) => each.files.length > 1 && isBack(each, document));
    if (!plan || this.halfUndone.has(plan)) return;
    this.halfUndone.add(plan);
    try {
      // The editor's Undo may revert several files, one after the other.
      await new Promise((resolve) => setTimeout(resolve, UNDOING));
      const open = vscode.workspace.textDocuments.filter((each) => isBack(plan, each));
      if (open.length === 0 || open.length >= plan.files.length || !this.applied.includes(plan)) return;
      const { length } = plan.files;
      const chosen = await vscode.window.showWarningMessage(
        `Undo changed ${open.length} of ${length} files that belong together. Take back the whole change (${length} files)?`,
        TAKE_BACK,
        REDO,
      );
      if (chosen === TAKE_BACK) await this.undo(plan.id);
      if (chosen === REDO) {
        await vscode.window.showTextDocument(document);
        await vscode.commands.executeCommand('redo');
        await document.save();
      }
    } finally {
      this.halfUndone.delete(plan);
    }
  }

  /** Shows the preview without asking which fixes. */
  async preview(asked: PlanRequest): Promise<void> {
    const plan = await this.plan(asked);
    if (plan) await this.show(plan, 'Preview');
  }

  /** The fixes to choose from. */
  private choicesOf({ root, file, items }: AskedReady): readonly FixItem[] {
    if (items) return items;
    const { answer } = this.plans;
    if (!answer || file !== undefined) return [];
    return answer.plan.configurations.flatMap((plan, index) =>
      root === undefined || answer.configurations[index]!.uri === root ? plan.ready : [],
    );
  }

  /** Undoes an applied plan; the last one if no id is given. */
  async undo(id: number | null = null): Promise<void> {
    const plan = id === null ? this.applied.at(-1) : this.applied.find((each) => each.id === id);
    const outcome = await this.change(Requests.undoConversion, { id }, plan);
    if (!outcome) return;
    if (outcome.isDone) {
      this.applied = this.applied.filter((each) => each !== plan);
      // An extension cannot close its own message: this moves "Applied …" to the list of
      // notifications.
      await vscode.commands.executeCommand('notifications.hideToasts');
    }
    if (outcome.isDone || !plan) return this.tell(outcome, null);
    // A file has changed since: the user sees what the undo would change, and can copy it by hand.
    const chosen = await vscode.window.showWarningMessage(outcome.message, SHOW_UNDO);
    if (chosen === SHOW_UNDO) await this.showBack(plan);
  }

  /** Shows each file next to its text before the change, to compare and copy the old lines. */
  private async showBack({ id, files }: Plan): Promise<void> {
    const sides = files.map(({ uri, name, before }) => {
      const beforeUri = vscode.Uri.from({ scheme: SCHEME, authority: String(id), path: `/${name}`, query: 'before' });
      this.texts.set(beforeUri.toString(), before);
      return [vscode.Uri.parse(uri), beforeUri, vscode.Uri.parse(uri)];
    });
    await vscode.commands.executeCommand('vscode.changes', 'Before the change, and now', sides);
  }

  /**
   * The plan to show; first asks the questions that it waits for. null if there is nothing to show,
   * or an answer is missing.
   */
  private async plan(asked: PlanRequest): Promise<Plan | null> {
    try {
      const answeredIds = new Set<string>();
      for (;;) {
        const plan = await this.server.longRequest<Plan | NoPlan>(
          'Reading the configuration…',
          Requests.planConversion,
          // The server may not know yet that the file of answers has changed.
          { ...asked, isAnswered: answeredIds.size > 0 || this.plans.lacksAnswers },
        );
        if (!('asks' in plan)) {
          if (!('nothing' in plan)) return plan;
          void tellReason(plan);
          return null;
        }
        const id = plan.asks.find((each) => !answeredIds.has(each));
        // A question that is still open after it was asked has no answer: the user does not know,
        // or closed the list.
        if (id === undefined || (answeredIds.size > 0 && plan.asks.some((each) => answeredIds.has(each)))) return null;
        answeredIds.add(id);
        await this.ask(id, plan.root);
      }
    } catch (error) {
      if (!isCancelled(error)) void vscode.window.showErrorMessage(messageOf(error));
    }
    return null;
  }

  /** Asks only this question, in the same form as the view of the plan. */
  private async ask(id: string, root: string | null): Promise<void> {
    const isThere = () =>
      this.plans.answer?.plan.configurations.some(({ questions }) => questions.some((each) => each.id === id)) === true;
    if (!isThere()) await this.plans.shown();
    await vscode.commands.executeCommand(`${SECTION}.answerQuestion`, {
      subject: { is: 'question', id, root },
      isAlone: true,
    });
  }

  /** Asks until the user decides. *Who gains, who loses* opens a page and asks again. */
  private async answerTo(plan: Plan, mayChoose: boolean): Promise<'yes' | 'choose' | 'no'> {
    for (;;) {
      const answer = await askedFor(plan, mayChoose);
      if (answer !== 'access') return answer;
      await this.showGains(plan);
    }
  }

  private async showGains({ id }: Plan): Promise<void> {
    const page = vscode.Uri.from({ scheme: SCHEME, authority: String(id), path: `/${GAINS}` });
    try {
      const { text } = await this.server.longRequest<{ readonly text: string }>(
        'Comparing who has access…',
        Requests.whoGains,
        { id },
      );
      this.texts.set(page.toString(), `# ${GAINS_TITLE}\n\n${text}`);
      await vscode.commands.executeCommand('markdown.showPreview', page);
    } catch (error) {
      if (!isCancelled(error)) void vscode.window.showErrorMessage(messageOf(error));
    }
  }

  /** Opens the diff of all files, with notes before them. Returns the title of the tab. */
  private async show(plan: Plan, what: 'Preview' | 'Done'): Promise<string> {
    const virtual = (name: string, side: string): vscode.Uri =>
      vscode.Uri.from({ scheme: SCHEME, authority: String(plan.id), path: `/${name}`, query: side });
    const previewUri = (address: vscode.Uri, text: string): vscode.Uri => {
      this.texts.set(address.toString(), text);
      return address;
    };
    const summary = previewUri(virtual(SUMMARY, ''), plan.summary);
    const files = plan.files.map(({ uri, name, before, after }) => [
      vscode.Uri.parse(uri),
      previewUri(virtual(name, 'before'), before),
      previewUri(virtual(name, 'after'), after),
    ]);
    // The editor adds the number of files.
    const title = `${what}: ${plan.question.replace(/( in \d+ files?)?\?$/, '')}`;
    await vscode.commands.executeCommand(
      'vscode.changes',
      title,
      // The summary says what to check first.
      plan.summary === '' || what === 'Done' ? files : [[summary, undefined, summary], ...files],
    );
    return title;
  }

  /** Applies a change, and saves the open files that were saved before. */
  private async change(request: string, params: object, takenBack?: Plan): Promise<Outcome | null> {
    // Files that the editor's Undo has already reverted are saved with the rest.
    const isOwn = (document: vscode.TextDocument) => takenBack !== undefined && isBack(takenBack, document);
    const dirty = new Set(
      vscode.workspace.textDocuments
        .filter((document) => document.isDirty && !isOwn(document))
        .map(({ uri }) => uri.toString()),
    );
    try {
      const outcome = await this.server.longRequest<Outcome>('Changing the files…', request, params);
      if (outcome.isDone) this.plans.didWrite();
      const changed = new Set(outcome.unsaved.map((each) => vscode.Uri.parse(each).toString()));
      const left = await unsavedOf(
        vscode.workspace.textDocuments.filter(({ uri }) => changed.has(uri.toString())),
        ({ uri }) => dirty.has(uri.toString()),
        SAVING,
      );
      const unsaved = left.map(({ uri }) => vscode.workspace.asRelativePath(uri));
      return { ...outcome, unsaved };
    } catch (error) {
      void vscode.window.showErrorMessage(messageOf(error));
      return null;
    }
  }

  /** Shows the outcome. Callers do not wait for it, because the change is complete. */
  private tell(outcome: Outcome, plan: Plan | null): void {
    this.messageShown(outcome, plan).catch((error: unknown) => void vscode.window.showErrorMessage(messageOf(error)));
  }

  private async messageShown({ message: text, isDone, unsaved }: Outcome, plan: Plan | null): Promise<void> {
    const rest = unsaved.length > 0 ? ` Save ${unsaved.join(', ')} to complete it.` : '';
    if (!isDone) return void vscode.window.showWarningMessage(text);
    const chosen = await vscode.window.showInformationMessage(text + rest, ...(plan ? [UNDO, SHOW] : []));
    if (chosen === UNDO) await this.undo(plan?.id);
    if (chosen === SHOW && plan) await this.show(plan, 'Done');
  }
}

/** Shows why nothing is converted, and opens the location that decides it. */
async function tellReason({ nothing, place }: Extract<NoPlan, { nothing: string }>): Promise<void> {
  const open = place && `Open ${place.name}`;
  const chosen = await vscode.window.showInformationMessage(nothing, ...(open ? [open] : []));
  if (place && chosen === open) {
    const position = new vscode.Position(place.line, 0);
    await vscode.window.showTextDocument(vscode.Uri.parse(place.uri), {
      selection: new vscode.Range(position, position),
    });
  }
}

/** Milliseconds that a save may take before the result is reported. */
const SAVING = 5000;

/** Number of changes that can be undone. */
const MOST_KEPT = 20;

/** Milliseconds that the editor may take to undo a change of several open files. */
const UNDOING = 300;

/** Whether a document has its text from before a plan was applied. */
function isBack({ files }: Plan, document: vscode.TextDocument): boolean {
  const uri = document.uri.toString();
  const file = files.find((each) => vscode.Uri.parse(each.uri).toString() === uri);
  return file !== undefined && normalizedText(document.getText()) === normalizedText(file.before);
}

/** A text as the editor has it, with any line ends. */
function normalizedText(text: string): string {
  return text.replace(/^\ufeff/, '').replace(/\r\n/g, '\n');
}

const TAKE_BACK = 'Take back all';
const REDO = 'Redo this file';
const UNDO = 'Undo';
const SHOW = 'Show diff';
const SHOW_UNDO = 'Show what the undo would change';

/** A message that stays until it is answered, and unlike a dialog does not cover the diff. */
async function askedFor({ question, verb }: Plan, mayChoose: boolean): Promise<'yes' | 'access' | 'choose' | 'no'> {
  const answers = [
    {
      label: `$(check) ${verb}`,
      description: 'applies all changes; if a file has changed since, applies none',
      is: 'yes' as const,
    },
    {
      label: `$(shield) ${GAINS_TITLE}…`,
      description: 'compares access before and after the changes',
      is: 'access' as const,
    },
    ...(mayChoose
      ? [{ label: '$(list-selection) Choose…', description: 'applies some of the changes', is: 'choose' as const }]
      : []),
    { label: '$(close) Cancel', description: 'writes nothing', is: 'no' as const },
  ];
  const chosen = await vscode.window.showQuickPick(visibleItems(answers), {
    title: withHiddenShown(question),
    placeHolder: 'Check the changes, then choose whether to write them',
    ignoreFocusOut: true,
  });
  return chosen?.is ?? 'no';
}

/** Each item is applied whole or not at all; those of a rule are grouped under its name. */
async function chosenFrom(choices: readonly FixItem[]): Promise<readonly FixItem[] | undefined> {
  const byRule = new Map<string, FixItem[]>();
  for (const item of choices) byRule.set(item.rule, [...(byRule.get(item.rule) ?? []), item]);
  interface Row extends vscode.QuickPickItem {
    readonly item?: FixItem;
  }
  const items = [...byRule].flatMap(([rule, fixesOfRule]): Row[] => [
    { label: rule, kind: vscode.QuickPickItemKind.Separator },
    ...fixesOfRule.map((item): Row => ({ label: fixLabel(item), description: placeText(item), picked: true, item })),
  ]);
  const chosen = await vscode.window.showQuickPick(visibleItems(items), {
    title: 'Select the changes to apply',
    canPickMany: true,
    ignoreFocusOut: true,
    matchOnDescription: true,
  });
  return chosen?.flatMap(({ item }) => item ?? []);
}

/** The editor adds the number of files to the title. */
async function closeTab(title: string): Promise<void> {
  const tabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ label }) => label.startsWith(title));
  await vscode.window.tabGroups.close(tabs);
}

function activeFile(): string | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document?.languageId === LANGUAGE && document.uri.scheme !== SCHEME ? document.uri.toString() : undefined;
}

/** The line of the cursor. */
function atCursor(): AccessPlace | undefined {
  const uri = activeFile();
  return uri === undefined ? undefined : { uri, line: vscode.window.activeTextEditor!.selection.active.line };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
