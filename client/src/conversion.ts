/**
 * Makes changes of several files, such as the conversion of access control: shows the plan as a
 * diff of all its files, lets the user decide, and reports the result. The server makes the plan
 * and writes the files that are not open. Nothing is written before the user confirms.
 */
import * as vscode from 'vscode';
import { unsavedOf } from './carried-out';
import { LANGUAGE, Requests, SECTION } from './language';
import type { Plans } from './plan';
import { countWithNoun, fixLabel, placeText, type FixItem, type PlanItem } from './plan-items';
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

interface ChangeOutcome {
  readonly message: string;
  readonly isDone: boolean;
  readonly unsaved: readonly string[];
}

/** The URI scheme for the texts of a plan, which exist only in memory. */
const PLAN_SCHEME = 'httpd-upgrade-plan';
const SUMMARY_TITLE = 'Read this before you convert';
const GAINS_TITLE = 'Who gains, who loses access';
const GAINS_FILE = `${GAINS_TITLE}.md`;

export function registerConversion(server: Server, plans: Plans): vscode.Disposable {
  const texts = new Map<string, string>();
  const provider: vscode.TextDocumentContentProvider = {
    provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? '',
  };
  const flow = new ConversionFlow(server, texts, plans);
  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(PLAN_SCHEME, provider),
    vscode.workspace.onDidOpenTextDocument((document) => {
      // The text is plain, but the editor wraps long lines only in Markdown.
      if (document.uri.scheme === PLAN_SCHEME)
        void vscode.languages.setTextDocumentLanguage(
          document,
          [`/${SUMMARY_TITLE}`, `/${GAINS_FILE}`].includes(document.uri.path) ? 'markdown' : LANGUAGE,
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
    vscode.commands.registerCommand(`${SECTION}.convertAccess`, async (place?: OldLinePosition) => {
      const access = place ?? atCursor();
      if (access) await flow.convert({ access });
    }),
    vscode.commands.registerCommand(`${SECTION}.undoConversion`, () => flow.undo()),
    vscode.workspace.onDidChangeTextDocument((change) => void flow.noticeUndo(change)),
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/** What to plan, as the server expects it. */
interface PlanRequest {
  readonly uri?: string;
  readonly fix?: unknown;
  readonly ready?: AskedReady;
  readonly access?: OldLinePosition;
  /** Whether the user answered a question since the last request. */
  readonly isAnswered?: boolean;
}

/** The line of an old access directive; 0-based. */
interface OldLinePosition {
  readonly uri: string;
  readonly line: number;
}

/**
 * Why there is no plan, and the line that is the reason; or the ids of the questions to answer
 * first. `root` is the main file of their configuration.
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
 * The fixes for the file that the user chose in the Explorer or an editor; otherwise all fixes. A
 * button in the title of the view passes the focused item, which does not matter.
 */
function allOf(about: unknown): AskedReady {
  return about instanceof vscode.Uri ? { file: about.toString() } : {};
}

/**
 * The fixes of one configuration: the only one that has fixes, or the one that the user chooses.
 */
async function oneOf({ answer }: Plans): Promise<AskedReady | undefined> {
  const mains = (answer?.plan.configurations ?? []).flatMap((plan, index) => {
    const { uri } = answer!.configurations[index]!;
    return uri === null
      ? []
      : [
          {
            label: `Review ${countWithNoun(plan.ready.length, 'fix', 'fixes')}…`,
            description: plan.root,
            root: uri,
            plan,
          },
        ];
  });
  if (mains.length === 0) return {};
  const withFixes = mains.filter(({ plan }) => plan.ready.length > 0);
  if (withFixes.length < 2) return { root: (withFixes[0] ?? mains[0]!).root };
  const chosen = await vscode.window.showQuickPick(visibleItems(withFixes), {
    title: 'Which configuration do you want to change?',
  });
  return chosen && { root: chosen.root };
}

/** The fixes of an item of the plan view. */
function readyOf(item: unknown): AskedReady {
  const subject = (item as PlanItem | undefined)?.subject;
  if (subject?.is === 'dormant') return { isDormant: true };
  if (subject?.is === 'configuration') return { root: subject.root };
  return subject?.is === 'fixes' ? { root: subject.root, items: subject.items } : {};
}

class ConversionFlow {
  /** Whether a dialog is open; a second one is then not shown. */
  private isAsking = false;
  /** The plans that were applied and not undone, the last one at the end. */
  private appliedPlans: readonly Plan[] = [];
  /** The plans for which a message asks whether to undo the rest. */
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
    if (outcome?.isDone) this.appliedPlans = [...this.appliedPlans, plan].slice(-MAX_UNDOABLE);
    if (outcome) this.tell(outcome, plan);
  }

  /**
   * Notices if the editor's own Undo reverts one file of a change, and then offers to revert the
   * other files, which do not fit any more.
   */
  async noticeUndo({ document, reason }: vscode.TextDocumentChangeEvent): Promise<void> {
    if (reason !== vscode.TextDocumentChangeReason.Undo) return;
    const plan = this.appliedPlans.findLast((each) => each.files.length > 1 && isBack(each, document));
    if (!plan || this.halfUndone.has(plan)) return;
    this.halfUndone.add(plan);
    try {
      // The editor's Undo may revert several files, one after the other.
      await new Promise((resolve) => setTimeout(resolve, UNDO_DURATION_MS));
      const open = vscode.workspace.textDocuments.filter((each) => isBack(plan, each));
      if (open.length === 0 || open.length >= plan.files.length || !this.appliedPlans.includes(plan)) return;
      const { length } = plan.files;
      const chosen = await vscode.window.showWarningMessage(
        `Undo changed ${open.length} of ${length} files that belong together. Take back the whole change (${length} files)?`,
        TAKE_BACK_BUTTON,
        REDO_BUTTON,
      );
      if (chosen === TAKE_BACK_BUTTON) await this.undo(plan.id);
      if (chosen === REDO_BUTTON) {
        await vscode.window.showTextDocument(document);
        await vscode.commands.executeCommand('redo');
        await document.save();
      }
    } finally {
      this.halfUndone.delete(plan);
    }
  }

  /** Shows the preview of a plan without asking which fixes to apply. */
  async preview(asked: PlanRequest): Promise<void> {
    const plan = await this.plan(asked);
    if (plan) await this.show(plan, 'Preview');
  }

  /** The fixes that the user can choose from. */
  private choicesOf({ root, file, items }: AskedReady): readonly FixItem[] {
    if (items) return items;
    const { answer } = this.plans;
    if (!answer || file !== undefined) return [];
    return answer.plan.configurations.flatMap((plan, index) =>
      root === undefined || answer.configurations[index]!.uri === root ? plan.ready : [],
    );
  }

  /** Undoes the plan with this id; the last one if `id` is null. */
  async undo(id: number | null = null): Promise<void> {
    const plan = id === null ? this.appliedPlans.at(-1) : this.appliedPlans.find((each) => each.id === id);
    const outcome = await this.change(Requests.undoConversion, { id }, plan);
    if (!outcome) return;
    if (outcome.isDone) {
      this.appliedPlans = this.appliedPlans.filter((each) => each !== plan);
      // An extension cannot close its own message. This moves the message "Applied …" to the list
      // of notifications.
      await vscode.commands.executeCommand('notifications.hideToasts');
    }
    if (outcome.isDone || !plan) return this.tell(outcome, null);
    // A file has changed since, so the server does not undo. The user can see what the undo would
    // change, and copy it.
    const chosen = await vscode.window.showWarningMessage(outcome.message, SHOW_UNDO_BUTTON);
    if (chosen === SHOW_UNDO_BUTTON) await this.showBack(plan);
  }

  /**
   * Shows each file next to its text before the change, so that the user can copy the old lines.
   */
  private async showBack({ id, files }: Plan): Promise<void> {
    const sides = files.map(({ uri, name, before }) => {
      const beforeUri = vscode.Uri.from({
        scheme: PLAN_SCHEME,
        authority: String(id),
        path: `/${name}`,
        query: 'before',
      });
      this.texts.set(beforeUri.toString(), before);
      return [vscode.Uri.parse(uri), beforeUri, vscode.Uri.parse(uri)];
    });
    await vscode.commands.executeCommand('vscode.changes', 'Before the change, and now', sides);
  }

  /**
   * The plan to show. First asks the questions that it waits for. Null if there is nothing to show,
   * or if the user does not answer.
   */
  private async plan(asked: PlanRequest): Promise<Plan | null> {
    try {
      const answeredIds = new Set<string>();
      for (;;) {
        const plan = await this.server.longRequest<Plan | NoPlan>(
          'Reading the configuration…',
          Requests.planConversion,
          // The server may not have read the changed file of answers yet.
          { ...asked, isAnswered: answeredIds.size > 0 || this.plans.lacksAnswers },
        );
        if (!('asks' in plan)) {
          if (!('nothing' in plan)) return plan;
          void tellReason(plan);
          return null;
        }
        const id = plan.asks.find((each) => !answeredIds.has(each));
        // If a question is still open after it was asked, the user does not know the answer or
        // closed the list.
        if (id === undefined || (answeredIds.size > 0 && plan.asks.some((each) => answeredIds.has(each)))) return null;
        answeredIds.add(id);
        await this.ask(id, plan.root);
      }
    } catch (error) {
      if (!isCancelled(error)) void vscode.window.showErrorMessage(messageOf(error));
    }
    return null;
  }

  /** Asks this question only, in the same form as the plan view. */
  private async ask(id: string, root: string | null): Promise<void> {
    const isThere = () =>
      this.plans.answer?.plan.configurations.some(({ questions }) => questions.some((each) => each.id === id)) === true;
    if (!isThere()) await this.plans.shown();
    await vscode.commands.executeCommand(`${SECTION}.answerQuestion`, {
      subject: { is: 'question', id, root },
      isAlone: true,
    });
  }

  /**
   * Asks until the user decides. The button *Who gains, who loses* opens a page; then it asks
   * again.
   */
  private async answerTo(plan: Plan, mayChoose: boolean): Promise<'yes' | 'choose' | 'no'> {
    for (;;) {
      const answer = await askedFor(plan, mayChoose);
      if (answer !== 'access') return answer;
      await this.showGains(plan);
    }
  }

  private async showGains({ id }: Plan): Promise<void> {
    const page = vscode.Uri.from({ scheme: PLAN_SCHEME, authority: String(id), path: `/${GAINS_FILE}` });
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

  /** Shows the diff of all files, with notes before them. Returns the title of the editor's tab. */
  private async show(plan: Plan, what: 'Preview' | 'Done'): Promise<string> {
    const virtual = (name: string, side: string): vscode.Uri =>
      vscode.Uri.from({ scheme: PLAN_SCHEME, authority: String(plan.id), path: `/${name}`, query: side });
    const previewUri = (address: vscode.Uri, text: string): vscode.Uri => {
      this.texts.set(address.toString(), text);
      return address;
    };
    const summary = previewUri(virtual(SUMMARY_TITLE, ''), plan.summary);
    const files = plan.files.map(({ uri, name, before, after }) => [
      vscode.Uri.parse(uri),
      previewUri(virtual(name, 'before'), before),
      previewUri(virtual(name, 'after'), after),
    ]);
    // The editor adds the number of files to the title.
    const title = `${what}: ${plan.question.replace(/( in \d+ files?)?\?$/, '')}`;
    await vscode.commands.executeCommand(
      'vscode.changes',
      title,
      // Without a summary there is nothing to check first.
      plan.summary === '' || what === 'Done' ? files : [[summary, undefined, summary], ...files],
    );
    return title;
  }

  /**
   * Requests a change from the server, and saves the open files that had no unsaved changes before.
   * `takenBack` is the plan that is undone.
   */
  private async change(request: string, params: object, takenBack?: Plan): Promise<ChangeOutcome | null> {
    // Files that the editor's Undo has already reverted are saved, too.
    const isOwn = (document: vscode.TextDocument) => takenBack !== undefined && isBack(takenBack, document);
    const dirty = new Set(
      vscode.workspace.textDocuments
        .filter((document) => document.isDirty && !isOwn(document))
        .map(({ uri }) => uri.toString()),
    );
    try {
      const outcome = await this.server.longRequest<ChangeOutcome>('Changing the files…', request, params);
      if (outcome.isDone) this.plans.didWrite();
      const changed = new Set(outcome.unsaved.map((each) => vscode.Uri.parse(each).toString()));
      const left = await unsavedOf(
        vscode.workspace.textDocuments.filter(({ uri }) => changed.has(uri.toString())),
        ({ uri }) => dirty.has(uri.toString()),
        MAX_SAVING_MS,
      );
      const unsaved = left.map(({ uri }) => vscode.workspace.asRelativePath(uri));
      return { ...outcome, unsaved };
    } catch (error) {
      void vscode.window.showErrorMessage(messageOf(error));
      return null;
    }
  }

  /** Shows the outcome. Callers do not wait for it: the change is already made. */
  private tell(outcome: ChangeOutcome, plan: Plan | null): void {
    this.messageShown(outcome, plan).catch((error: unknown) => void vscode.window.showErrorMessage(messageOf(error)));
  }

  private async messageShown({ message: text, isDone, unsaved }: ChangeOutcome, plan: Plan | null): Promise<void> {
    const rest = unsaved.length > 0 ? ` Save ${unsaved.join(', ')} to complete it.` : '';
    if (!isDone) return void vscode.window.showWarningMessage(text);
    const chosen = await vscode.window.showInformationMessage(
      text + rest,
      ...(plan ? [UNDO_BUTTON, SHOW_DIFF_BUTTON] : []),
    );
    if (chosen === UNDO_BUTTON) await this.undo(plan?.id);
    if (chosen === SHOW_DIFF_BUTTON && plan) await this.show(plan, 'Done');
  }
}

/** Says why nothing is converted, and opens the line that is the reason. */
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

/** Milliseconds to wait for saving before the result is shown. */
const MAX_SAVING_MS = 5000;

/** Limit for the number of changes that can be undone. */
const MAX_UNDOABLE = 20;

/** Milliseconds in which the editor's Undo reverts all open files of a change. */
const UNDO_DURATION_MS = 300;

/** Whether a document has its text from before the plan was applied. */
function isBack({ files }: Plan, document: vscode.TextDocument): boolean {
  const uri = document.uri.toString();
  const file = files.find((each) => vscode.Uri.parse(each.uri).toString() === uri);
  return file !== undefined && normalizedText(document.getText()) === normalizedText(file.before);
}

/** The text with the same line ends as other normalized texts. */
function normalizedText(text: string): string {
  return text.replace(/^\ufeff/, '').replace(/\r\n/g, '\n');
}

const TAKE_BACK_BUTTON = 'Take back all';
const REDO_BUTTON = 'Redo this file';
const UNDO_BUTTON = 'Undo';
const SHOW_DIFF_BUTTON = 'Show diff';
const SHOW_UNDO_BUTTON = 'Show what the undo would change';

/** Asks in a message that stays until the user answers. A dialog would cover the diff. */
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

/**
 * Lets the user choose items, which are applied completely or not at all. Those of a rule are in
 * one group.
 */
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

/** Closes the tab of the diff. The editor has added the number of files to its title. */
async function closeTab(title: string): Promise<void> {
  const tabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ label }) => label.startsWith(title));
  await vscode.window.tabGroups.close(tabs);
}

function activeFile(): string | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document?.languageId === LANGUAGE && document.uri.scheme !== PLAN_SCHEME ? document.uri.toString() : undefined;
}

/** The line of the cursor; undefined if no configuration is open. */
function atCursor(): OldLinePosition | undefined {
  const uri = activeFile();
  return uri === undefined ? undefined : { uri, line: vscode.window.activeTextEditor!.selection.active.line };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
