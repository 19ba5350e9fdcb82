/**
 * Makes changes of several files, such as the conversion of access control: shows the plan as a
 * diff of all its files, lets the user decide, and reports the result. The server makes the plan
 * and writes the files that are not open. Nothing is written before the user confirms.
 */
import * as vscode from 'vscode';
import type { NothingToConvert } from '../../server/src/lsp/access-conversion';
import type { OldLinePosition } from '../../server/src/lsp/access-fixes';
import type { ChangeOutcome, ShownPlan, ShownQuestions } from '../../server/src/lsp/conversions';
import { saveChanged } from './carried-out';
import { errorMessage } from './files';
import { LANGUAGE, Requests, NAME_PREFIX } from './language';
import type { PlanStore } from './plan';
import { countWithNoun, fixLabel, placeText, type FixItem, type PlanItem } from './plan-items';
import { isCancelled, type Server } from './server';
import { visibleItems } from './visible';
import { withVisibleCharacters } from '../../server/src/syntax/hidden-text';

/** The URI scheme for the texts of a plan, which exist only in memory. */
const PLAN_SCHEME = 'httpd-upgrade-plan';
const SUMMARY_TITLE = 'Read this before you convert';
const ACCESS_CHANGES_TITLE = 'Who gains, who loses access';
const ACCESS_CHANGES_FILE_NAME = `${ACCESS_CHANGES_TITLE}.md`;

/** Registers the commands that convert, apply fixes, preview and undo. */
export function registerConversion(server: Server, planStore: PlanStore): vscode.Disposable {
  const textsByUri = new Map<string, string>();
  const textProvider: vscode.TextDocumentContentProvider = {
    provideTextDocumentContent: (uri) => textsByUri.get(uri.toString()) ?? '',
  };
  const flow = new ConversionFlow(server, textsByUri, planStore);
  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(PLAN_SCHEME, textProvider),
    vscode.workspace.onDidOpenTextDocument((document) => {
      // The summary and the list of access changes are plain text, but are shown as Markdown,
      // because the editor wraps long lines only there. All other documents are texts of
      // configuration files.
      if (document.uri.scheme === PLAN_SCHEME)
        void vscode.languages.setTextDocumentLanguage(
          document,
          [`/${SUMMARY_TITLE}`, `/${ACCESS_CHANGES_FILE_NAME}`].includes(document.uri.path) ? 'markdown' : LANGUAGE,
        );
    }),
    vscode.commands.registerCommand(`${NAME_PREFIX}.convertConfiguration`, (uri?: unknown) =>
      flow.convert({ uri: typeof uri === 'string' ? uri : activeFile() }),
    ),
    vscode.commands.registerCommand(`${NAME_PREFIX}.applyFix`, (fix: unknown) => flow.convert({ fix })),
    vscode.commands.registerCommand(`${NAME_PREFIX}.applyReady`, async (clickedItem?: unknown) => {
      const fixesToApply =
        clickedItem instanceof vscode.Uri ? fixesOfFileOrAll(clickedItem) : await fixesOfOneConfiguration(planStore);
      if (fixesToApply) await flow.convert({ ready: fixesToApply });
    }),
    vscode.commands.registerCommand(`${NAME_PREFIX}.previewReady`, (clickedItem?: unknown) =>
      flow.preview({ ready: fixesOfFileOrAll(clickedItem) }),
    ),
    vscode.commands.registerCommand(`${NAME_PREFIX}.applyItem`, (item?: unknown) =>
      flow.convert({ ready: fixesOfItem(item) }),
    ),
    vscode.commands.registerCommand(`${NAME_PREFIX}.previewItem`, (item?: unknown) =>
      flow.preview({ ready: fixesOfItem(item) }),
    ),
    vscode.commands.registerCommand(`${NAME_PREFIX}.convertAccess`, async (place?: OldLinePosition) => {
      const access = place ?? lineAtCursor();
      if (access) await flow.convert({ access });
    }),
    vscode.commands.registerCommand(`${NAME_PREFIX}.undoConversion`, () => flow.undo()),
    vscode.workspace.onDidChangeTextDocument((change) => void flow.offerToUndoRest(change)),
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/** The parameters of the request for a plan, as the server expects them. */
interface PlanRequest {
  readonly uri?: string;
  readonly fix?: unknown;
  readonly ready?: RequestedReadyFixes;
  readonly access?: OldLinePosition;
  /** Whether the user answered a question since the last request. */
  readonly isAnswered?: boolean;
}

/** The reply without a plan: the reason, or the questions to answer first. */
type NoPlan = NothingToConvert | ShownQuestions;

/**
 * Which ready fixes to apply: of one configuration (`root`), of one file, of files that no server
 * reads, or single fixes.
 */
interface RequestedReadyFixes {
  readonly root?: string | null;
  readonly file?: string;
  readonly isDormant?: true;
  readonly items?: readonly FixItem[];
}

/**
 * The fixes of the file that the user chose in the Explorer or an editor; otherwise all fixes. If
 * the user clicks a button in the title of the view, `clickedItem` is the focused item, which is
 * ignored.
 */
function fixesOfFileOrAll(clickedItem: unknown): RequestedReadyFixes {
  return clickedItem instanceof vscode.Uri ? { file: clickedItem.toString() } : {};
}

/**
 * The fixes of one configuration: the only one that has fixes, or the one that the user chooses.
 * Undefined if the user cancels.
 */
async function fixesOfOneConfiguration({ reply }: PlanStore): Promise<RequestedReadyFixes | undefined> {
  const configurations = (reply?.plan.configurations ?? []).flatMap((plan, index) => {
    const { uri } = reply!.configurations[index]!;
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
  if (configurations.length === 0) return {};
  const configurationsWithFixes = configurations.filter(({ plan }) => plan.ready.length > 0);
  if (configurationsWithFixes.length < 2) return { root: (configurationsWithFixes[0] ?? configurations[0]!).root };
  const chosenConfiguration = await vscode.window.showQuickPick(visibleItems(configurationsWithFixes), {
    title: 'Which configuration do you want to change?',
  });
  return chosenConfiguration && { root: chosenConfiguration.root };
}

/** The fixes of an item of the plan view. */
function fixesOfItem(item: unknown): RequestedReadyFixes {
  const subject = (item as PlanItem | undefined)?.subject;
  if (subject?.kind === 'dormant') return { isDormant: true };
  if (subject?.kind === 'configuration') return { root: subject.root };
  return subject?.kind === 'fixes' ? { root: subject.root, items: subject.items } : {};
}

/** Plans, shows, applies and undoes changes, and asks the user in between. */
class ConversionFlow {
  /** Whether a change is being planned, shown or applied. Until it ends, no second one is begun. */
  private isConverting = false;
  /** The plans that were applied and not undone, the last one at the end. */
  private appliedPlans: readonly ShownPlan[] = [];
  /**
   * The plans of which the editor's Undo has reverted some files, while a message asks whether to
   * undo the rest.
   */
  private readonly partlyUndonePlans = new Set<ShownPlan>();

  constructor(
    private readonly server: Server,
    private readonly textsByUri: Map<string, string>,
    private readonly planStore: PlanStore,
  ) {}

  async convert(request: PlanRequest): Promise<void> {
    if (this.isConverting) return;
    this.isConverting = true;
    try {
      await this.convertOnce(request);
    } finally {
      this.isConverting = false;
    }
  }

  /** Plans a change, shows it, and applies all of it or the fixes that the user chooses. */
  private async convertOnce(request: PlanRequest): Promise<void> {
    const plan = await this.requestPlan(request);
    if (!plan) return;
    const title = await this.showDiff(plan, 'Preview');
    const choices = request.ready ? this.choicesOf(request.ready) : [];
    const decision = await this.askWhetherToApply(plan, choices.length > 1);
    await closeTab(title);
    await closeTab(ACCESS_CHANGES_TITLE);
    if (decision === 'choose') {
      const chosenFixes = await chooseFixes(choices);
      if (chosenFixes && chosenFixes.length > 0)
        await this.convertOnce({ ready: { ...request.ready, items: chosenFixes } });
    }
    if (decision !== 'yes') return;
    const outcome = await this.requestChange(Requests.applyConversion, { id: plan.id });
    if (outcome?.isDone) this.appliedPlans = [...this.appliedPlans, plan].slice(-MAX_UNDOABLE_CHANGES);
    if (outcome) this.showOutcome(outcome, plan);
  }

  /**
   * Offers to revert the other files if the editor's own Undo has reverted one file of a change:
   * the files no longer fit together.
   */
  async offerToUndoRest({ document, reason }: vscode.TextDocumentChangeEvent): Promise<void> {
    if (reason !== vscode.TextDocumentChangeReason.Undo) return;
    const plan = this.appliedPlans.findLast((each) => each.files.length > 1 && hasTextBefore(each, document));
    if (!plan || this.partlyUndonePlans.has(plan)) return;
    this.partlyUndonePlans.add(plan);
    try {
      // The editor's Undo may revert several files, one after the other.
      await new Promise((resolve) => setTimeout(resolve, UNDO_DURATION_MS));
      const revertedDocuments = vscode.workspace.textDocuments.filter((each) => hasTextBefore(plan, each));
      if (
        revertedDocuments.length === 0 ||
        revertedDocuments.length >= plan.files.length ||
        !this.appliedPlans.includes(plan)
      )
        return;
      const { length } = plan.files;
      const chosenButton = await vscode.window.showWarningMessage(
        `Undo changed ${revertedDocuments.length} of ${length} files that belong together. Take back the whole change (${length} files)?`,
        TAKE_BACK_BUTTON,
        REDO_BUTTON,
      );
      if (chosenButton === TAKE_BACK_BUTTON) await this.undo(plan.id);
      if (chosenButton === REDO_BUTTON) {
        await vscode.window.showTextDocument(document);
        await vscode.commands.executeCommand('redo');
        await document.save();
      }
    } finally {
      this.partlyUndonePlans.delete(plan);
    }
  }

  /** Shows the changes of a plan without asking whether to apply them. */
  async preview(request: PlanRequest): Promise<void> {
    const plan = await this.requestPlan(request);
    if (plan) await this.showDiff(plan, 'Preview');
  }

  /** The fixes from which the user can choose; empty if there is no choice. */
  private choicesOf({ root, file, items }: RequestedReadyFixes): readonly FixItem[] {
    if (items) return items;
    const { reply } = this.planStore;
    if (!reply || file !== undefined) return [];
    return reply.plan.configurations.flatMap((plan, index) =>
      root === undefined || reply.configurations[index]!.uri === root ? plan.ready : [],
    );
  }

  /** Undoes the plan with this id; if `id` is null, the last plan. */
  async undo(id: number | null = null): Promise<void> {
    const plan = id === null ? this.appliedPlans.at(-1) : this.appliedPlans.find((each) => each.id === id);
    const outcome = await this.requestChange(Requests.undoConversion, { id }, plan);
    if (!outcome) return;
    if (outcome.isDone) {
      this.appliedPlans = this.appliedPlans.filter((each) => each !== plan);
      // An extension cannot close its own message. This command moves the message "Applied …" to
      // the list of notifications.
      await vscode.commands.executeCommand('notifications.hideToasts');
    }
    if (outcome.isDone || !plan) return this.showOutcome(outcome, null);
    // A file has changed since the plan was applied, so the server does not undo the plan. The user
    // can see what the undo would change, and copy it.
    const chosenButton = await vscode.window.showWarningMessage(outcome.message, SHOW_UNDO_BUTTON);
    if (chosenButton === SHOW_UNDO_BUTTON) await this.showTextBefore(plan);
  }

  /**
   * Shows each file next to its text before the change, so that the user can copy the old lines.
   */
  private async showTextBefore({ id, files }: ShownPlan): Promise<void> {
    const sides = files.map(({ uri, name, before }) => {
      const beforeUri = vscode.Uri.from({
        scheme: PLAN_SCHEME,
        authority: String(id),
        path: `/${name}`,
        query: 'before',
      });
      this.textsByUri.set(beforeUri.toString(), before);
      return [vscode.Uri.parse(uri), beforeUri, vscode.Uri.parse(uri)];
    });
    await vscode.commands.executeCommand('vscode.changes', 'Before the change, and now', sides);
  }

  /**
   * The plan to show. First asks the questions that it waits for. Null if there is nothing to show,
   * or if the user does not answer.
   */
  private async requestPlan(request: PlanRequest): Promise<ShownPlan | null> {
    try {
      const askedIds = new Set<string>();
      for (;;) {
        const plan = await this.server.longRequest<ShownPlan | NoPlan>(
          'Reading the configuration…',
          Requests.planConversion,
          // Tells the server that answers were given, because it may not have read the changed file
          // yet.
          { ...request, isAnswered: askedIds.size > 0 || this.planStore.lacksAnswers },
        );
        if (!('asks' in plan)) {
          if (!('nothing' in plan)) return plan;
          void showReason(plan);
          return null;
        }
        const nextQuestionId = plan.asks.find((each) => !askedIds.has(each));
        // If a question is still open after it was asked, the user does not know the answer or
        // closed the list.
        if (nextQuestionId === undefined || (askedIds.size > 0 && plan.asks.some((each) => askedIds.has(each))))
          return null;
        askedIds.add(nextQuestionId);
        await this.askQuestion(nextQuestionId, plan.root);
      }
    } catch (error) {
      if (!isCancelled(error)) void vscode.window.showErrorMessage(errorMessage(error));
    }
    return null;
  }

  /** Asks this one question, in the same form as the plan view. */
  private async askQuestion(id: string, root: string | null): Promise<void> {
    const isInPlan = () =>
      this.planStore.reply?.plan.configurations.some(({ questions }) => questions.some((each) => each.id === id)) ===
      true;
    if (!isInPlan()) await this.planStore.requestWithProgress();
    await vscode.commands.executeCommand(`${NAME_PREFIX}.answerQuestion`, {
      subject: { kind: 'question', id, root },
      isAlone: true,
    });
  }

  /**
   * Asks until the user decides. The button *Who gains, who loses* only opens a page, so the
   * question is asked again after it.
   */
  private async askWhetherToApply(plan: ShownPlan, canChooseFixes: boolean): Promise<'yes' | 'choose' | 'no'> {
    for (;;) {
      const decision = await askInList(plan, canChooseFixes);
      if (decision !== 'access') return decision;
      await this.showAccessChanges(plan);
    }
  }

  /** Shows which clients gain or lose access by a plan. */
  private async showAccessChanges({ id }: ShownPlan): Promise<void> {
    const pageUri = vscode.Uri.from({
      scheme: PLAN_SCHEME,
      authority: String(id),
      path: `/${ACCESS_CHANGES_FILE_NAME}`,
    });
    try {
      const { text } = await this.server.longRequest<{ readonly text: string }>(
        'Comparing who has access…',
        Requests.whoGains,
        { id },
      );
      this.textsByUri.set(pageUri.toString(), `# ${ACCESS_CHANGES_TITLE}\n\n${text}`);
      await vscode.commands.executeCommand('markdown.showPreview', pageUri);
    } catch (error) {
      if (!isCancelled(error)) void vscode.window.showErrorMessage(errorMessage(error));
    }
  }

  /**
   * Shows the diff of all files, before it the summary of the plan unless the plan is `Done`.
   * Returns the title of the editor's tab, without the number of files that the editor adds.
   */
  private async showDiff(plan: ShownPlan, stage: 'Preview' | 'Done'): Promise<string> {
    const textUri = (name: string, side: string): vscode.Uri =>
      vscode.Uri.from({ scheme: PLAN_SCHEME, authority: String(plan.id), path: `/${name}`, query: side });
    const storeText = (address: vscode.Uri, text: string): vscode.Uri => {
      this.textsByUri.set(address.toString(), text);
      return address;
    };
    const summary = storeText(textUri(SUMMARY_TITLE, ''), plan.summary);
    const files = plan.files.map(({ uri, name, before, after }) => [
      vscode.Uri.parse(uri),
      storeText(textUri(name, 'before'), before),
      storeText(textUri(name, 'after'), after),
    ]);
    // The editor adds the number of files to the title.
    const title = `${stage}: ${plan.question.replace(/( in \d+ files?)?\?$/, '')}`;
    await vscode.commands.executeCommand(
      'vscode.changes',
      title,
      // The summary comes first. It is left out if it is empty, or if the plan is already applied.
      plan.summary === '' || stage === 'Done' ? files : [[summary, undefined, summary], ...files],
    );
    return title;
  }

  /**
   * Requests a change from the server, and saves the open files that had no unsaved changes before.
   * `request` is its method. `undonePlan` is the plan that the change undoes. Returns the outcome
   * with the paths of the files that are still unsaved. Null if the request fails.
   */
  private async requestChange(request: string, params: object, undonePlan?: ShownPlan): Promise<ChangeOutcome | null> {
    // Files that the editor's Undo has already reverted are saved, too.
    const isAlreadyUndone = (document: vscode.TextDocument) =>
      undonePlan !== undefined && hasTextBefore(undonePlan, document);
    const unsavedBefore = new Set(
      vscode.workspace.textDocuments
        .filter((document) => document.isDirty && !isAlreadyUndone(document))
        .map(({ uri }) => uri.toString()),
    );
    try {
      const outcome = await this.server.longRequest<ChangeOutcome>('Changing the files…', request, params);
      if (outcome.isDone) this.planStore.onFilesWritten();
      const unsavedUris = new Set(outcome.unsaved.map((each) => vscode.Uri.parse(each).toString()));
      const unsavedDocuments = await saveChanged(
        vscode.workspace.textDocuments.filter(({ uri }) => unsavedUris.has(uri.toString())),
        ({ uri }) => unsavedBefore.has(uri.toString()),
        MAX_SAVING_MS,
      );
      const unsavedPaths = unsavedDocuments.map(({ uri }) => vscode.workspace.asRelativePath(uri));
      return { ...outcome, unsaved: unsavedPaths };
    } catch (error) {
      void vscode.window.showErrorMessage(errorMessage(error));
      return null;
    }
  }

  /**
   * Shows the outcome. Callers do not wait until the user closes the message: the change is already
   * made.
   */
  private showOutcome(outcome: ChangeOutcome, plan: ShownPlan | null): void {
    this.showOutcomeMessage(outcome, plan).catch(
      (error: unknown) => void vscode.window.showErrorMessage(errorMessage(error)),
    );
  }

  /** Shows the outcome in a message, for a done change with buttons to undo it or show its diff. */
  private async showOutcomeMessage(
    { message: text, isDone, unsaved }: ChangeOutcome,
    plan: ShownPlan | null,
  ): Promise<void> {
    const saveHint = unsaved.length > 0 ? ` Save ${unsaved.join(', ')} to complete it.` : '';
    if (!isDone) return void vscode.window.showWarningMessage(text);
    const chosenButton = await vscode.window.showInformationMessage(
      text + saveHint,
      ...(plan ? [UNDO_BUTTON, SHOW_DIFF_BUTTON] : []),
    );
    if (chosenButton === UNDO_BUTTON) await this.undo(plan?.id);
    if (chosenButton === SHOW_DIFF_BUTTON && plan) await this.showDiff(plan, 'Done');
  }
}

/** Shows the reason why nothing is converted, and opens the line that causes it. */
async function showReason({ nothing, place }: NothingToConvert): Promise<void> {
  const openButton = place && `Open ${place.name}`;
  const chosenButton = await vscode.window.showInformationMessage(nothing, ...(openButton ? [openButton] : []));
  if (place && chosenButton === openButton) {
    const position = new vscode.Position(place.line, 0);
    await vscode.window.showTextDocument(vscode.Uri.parse(place.uri), {
      selection: new vscode.Range(position, position),
    });
  }
}

/** Milliseconds to wait for saving before the result is shown. */
const MAX_SAVING_MS = 5000;

/** Limit for the number of changes that can be undone. */
const MAX_UNDOABLE_CHANGES = 20;

/** Milliseconds in which the editor's Undo reverts all open files of a change. */
const UNDO_DURATION_MS = 300;

/** Whether a document has its text from before the plan was applied. */
function hasTextBefore({ files }: ShownPlan, document: vscode.TextDocument): boolean {
  const uri = document.uri.toString();
  const file = files.find((each) => vscode.Uri.parse(each.uri).toString() === uri);
  return file !== undefined && comparableText(document.getText()) === comparableText(file.before);
}

/** The text without a byte order mark and with line feeds as line ends, for comparison. */
function comparableText(text: string): string {
  return text.replace(/^\ufeff/, '').replace(/\r\n/g, '\n');
}

const TAKE_BACK_BUTTON = 'Take back all';
const REDO_BUTTON = 'Redo this file';
const UNDO_BUTTON = 'Undo';
const SHOW_DIFF_BUTTON = 'Show diff';
const SHOW_UNDO_BUTTON = 'Show what the undo would change';

/** Asks in a list that stays until the user answers. A dialog would cover the diff. */
async function askInList(
  { question, verb }: ShownPlan,
  canChooseFixes: boolean,
): Promise<'yes' | 'access' | 'choose' | 'no'> {
  const buttonRows = [
    {
      label: `$(check) ${verb}`,
      description: 'applies all changes; if a file has changed since, applies none',
      result: 'yes' as const,
    },
    {
      label: `$(shield) ${ACCESS_CHANGES_TITLE}…`,
      description: 'compares access before and after the changes',
      result: 'access' as const,
    },
    ...(canChooseFixes
      ? [{ label: '$(list-selection) Choose…', description: 'applies some of the changes', result: 'choose' as const }]
      : []),
    { label: '$(close) Cancel', description: 'writes nothing', result: 'no' as const },
  ];
  const chosenRow = await vscode.window.showQuickPick(visibleItems(buttonRows), {
    title: withVisibleCharacters(question),
    placeHolder: 'Check the changes, then choose whether to write them',
    ignoreFocusOut: true,
  });
  return chosenRow?.result ?? 'no';
}

/**
 * Lets the user choose items. Each item is applied completely or not at all. The list groups them
 * by rule. Undefined if the user cancels.
 */
async function chooseFixes(choices: readonly FixItem[]): Promise<readonly FixItem[] | undefined> {
  const itemsByRule = new Map<string, FixItem[]>();
  for (const item of choices) itemsByRule.set(item.rule, [...(itemsByRule.get(item.rule) ?? []), item]);
  interface Row extends vscode.QuickPickItem {
    readonly item?: FixItem;
  }
  const quickPickRows = [...itemsByRule].flatMap(([rule, fixesOfRule]): Row[] => [
    { label: rule, kind: vscode.QuickPickItemKind.Separator },
    ...fixesOfRule.map((item): Row => ({ label: fixLabel(item), description: placeText(item), picked: true, item })),
  ]);
  const chosenRows = await vscode.window.showQuickPick(visibleItems(quickPickRows), {
    title: 'Select the changes to apply',
    canPickMany: true,
    ignoreFocusOut: true,
    matchOnDescription: true,
  });
  return chosenRows?.flatMap(({ item }) => item ?? []);
}

/**
 * Closes the tabs whose titles start with `title`: the editor adds the number of files to the title
 * of a diff.
 */
async function closeTab(title: string): Promise<void> {
  const tabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ label }) => label.startsWith(title));
  await vscode.window.tabGroups.close(tabs);
}

/** The URI of the configuration file in the active editor; undefined if there is none. */
function activeFile(): string | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document?.languageId === LANGUAGE && document.uri.scheme !== PLAN_SCHEME ? document.uri.toString() : undefined;
}

/** The line of the cursor; undefined if no configuration is open. */
function lineAtCursor(): OldLinePosition | undefined {
  const uri = activeFile();
  return uri === undefined ? undefined : { uri, line: vscode.window.activeTextEditor!.selection.active.line };
}
