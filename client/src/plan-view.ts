/**
 * The view "httpd Upgrade" in the activity bar: the configurations with their questions, ready
 * fixes, waiting fixes and manual changes.
 */
import * as vscode from 'vscode';
import { Requests, NAME_PREFIX } from './language';
import type { PlanStore } from './plan';
import type { Server } from './server';
import { remainingCount, type PlanCounts } from '../../server/src/analysis/plan-figures';
import type { TasksByRoot } from '../../server/src/features/remembered-tasks';
import { rememberedTasks } from './plan';
import { countWithNoun, planItems, progressText, type PlanItem } from './plan-items';
import { renewItems } from './plan-redraw';
import { withVisibleCharacters } from '../../server/src/syntax/hidden-text';

const VIEW_ID = `${NAME_PREFIX}.plan`;
/** The URI scheme that gives the labels of waiting items their colour. */
const WAITING_SCHEME = 'httpd-upgrade-waiting';
/**
 * The storage key of the largest number of items that was ever left. The progress is computed from
 * this number.
 */
const MOST_LEFT_KEY = `${NAME_PREFIX}.most`;

/**
 * What the editor stores about the progress of the upgrade, for the report. `most`: the largest
 * number of items that was ever left.
 */
export function rememberedProgress(memento: vscode.Memento): { tasks: TasksByRoot; ticked: string[]; most: number } {
  return { ...rememberedTasks(memento), most: memento.get(MOST_LEFT_KEY, 0) };
}

/** The colours of the theme for the colours of items. */
const ITEM_COLOURS = {
  error: 'list.errorForeground',
  warning: 'list.warningForeground',
  done: 'testing.iconPassed',
  waiting: 'disabledForeground',
};

/** The view, as other parts of the extension see it. */
export interface PlanView extends vscode.Disposable {
  /** Whether the view is visible. */
  readonly isOpen: boolean;
  readonly onDidOpen: vscode.Event<void>;
}

/** Milliseconds after the last tick until the counts of groups are drawn again. */
const TICK_PAUSE_MS = 700;
const OUTDATED_PLAN_TEXT = 'Files have changed since this plan was made: refresh the plan. ';
const LARGE_WORKSPACE_TEXT = 'This workspace is large: use Refresh to create the plan.';

/** Creates the view and registers its commands. */
export function createPlanView(server: Server, planStore: PlanStore, memento: vscode.Memento): PlanView {
  const openEmitter = new vscode.EventEmitter<void>();
  const changeEmitter = new vscode.EventEmitter<PlanItem[] | undefined>();
  /**
   * Items with children that are drawn again once the user has stopped ticking tasks for a moment.
   */
  const postponedItems = new Set<PlanItem>();
  /** The time of the last tick, as in `Date.now()`. */
  let lastTickMs = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const parentByItem = new Map<PlanItem, PlanItem>();
  let topItems: PlanItem[] = [];
  /** The commands that the server got last, as JSON. */
  let sentCommandsJson = '[]';
  const treeDataProvider: vscode.TreeDataProvider<PlanItem> = {
    onDidChangeTreeData: changeEmitter.event,
    getTreeItem: treeItem,
    getChildren: (item) => [...(item?.children ?? topItems)],
    getParent: (item) => parentByItem.get(item),
  };
  const view = vscode.window.createTreeView(VIEW_ID, {
    treeDataProvider,
    showCollapseAll: true,
    manageCheckboxStateManually: true,
  });
  /** The text above the items; undefined if there is none. */
  const messageText = (): string | undefined => {
    const { reply, counts } = planStore;
    // If there is nothing to show, there is no message: it would hide the text with the buttons
    // (viewsWelcome in package.json).
    const isEmpty = reply?.plan.configurations.length === 0;
    if ((!reply && !vscode.workspace.isTrusted) || (isEmpty && !planStore.isStale)) return notOnDiskText() || undefined;
    const staleMessage = planStore.isStale ? (reply ? OUTDATED_PLAN_TEXT : LARGE_WORKSPACE_TEXT) : '';
    return (
      (counts ? staleMessage + progressMessage(counts, memento) : staleMessage || planStore.reasonForNoPlan) +
      notOnDiskText()
    );
  };
  /**
   * Draws items again. While the editor draws an item, clicks on the items below it are lost, so
   * items with children wait until the user has stopped ticking for a moment.
   */
  const draw = (changedItems: readonly PlanItem[]) => {
    for (const item of changedItems) postponedItems.add(item);
    clearTimeout(timer);
    const pauseLeftMs = lastTickMs + TICK_PAUSE_MS - Date.now();
    const dueItems = [...postponedItems].filter(({ children }) => pauseLeftMs <= 0 || children.length === 0);
    for (const item of dueItems) postponedItems.delete(item);
    if (dueItems.length > 0) changeEmitter.fire(dueItems);
    if (postponedItems.size > 0) timer = setTimeout(() => draw([]), pauseLeftMs);
  };
  /** Shows the current plan, and sends the server the commands of the ticked tasks. */
  const showPlan = () => {
    const { reply, counts } = planStore;
    const renewedTree = renewItems(topItems, reply ? planItems(reply, planStore.memory) : []);
    topItems = renewedTree.items;
    parentByItem.clear();
    const recordParents = (item: PlanItem) => {
      for (const child of item.children) {
        parentByItem.set(child, item);
        recordParents(child);
      }
    };
    topItems.forEach(recordParents);
    const commands = JSON.stringify(commandsOfTickedTasks(topItems));
    if (reply && commands !== sentCommandsJson)
      server.notify(Requests.ran, { commands: JSON.parse(commands) as string[] });
    if (reply) sentCommandsJson = commands;
    view.message = messageText();
    const openCount = counts?.questions ?? 0;
    view.badge =
      openCount > 0
        ? { value: openCount, tooltip: `${countWithNoun(openCount, 'question')} of the httpd upgrade` }
        : undefined;
    if (!renewedTree.isTopChanged) return draw(renewedTree.changedItems);
    postponedItems.clear();
    changeEmitter.fire(undefined);
  };
  const recordTicksOfItems = async (changes: readonly (readonly [item: unknown, isDone: boolean])[]) => {
    lastTickMs = Date.now();
    await planStore.recordTicks(
      changes.flatMap(([item, isDone]): [string, boolean][] => {
        const subject = (item as PlanItem | undefined)?.subject;
        return subject?.kind === 'task' ? [[subject.key, isDone]] : [];
      }),
    );
  };
  showPlan();
  const decorationProvider: vscode.FileDecorationProvider = {
    provideFileDecoration: (uri) =>
      uri.scheme === WAITING_SCHEME ? { color: new vscode.ThemeColor(ITEM_COLOURS.waiting) } : undefined,
  };
  const disposables = vscode.Disposable.from(
    changeEmitter,
    openEmitter,
    view,
    new vscode.Disposable(() => clearTimeout(timer)),
    view.onDidChangeVisibility(({ visible }) => visible && openEmitter.fire()),
    planStore.onDidChange(showPlan),
    server.onDidChangeState((state) => {
      if (state !== 'running') sentCommandsJson = '[]';
    }),
    vscode.window.registerFileDecorationProvider(decorationProvider),
    view.onDidChangeCheckboxState(({ items: changes }) =>
      recordTicksOfItems(changes.map(([item, state]) => [item, state === vscode.TreeItemCheckboxState.Checked])),
    ),
    vscode.commands.registerCommand(`${NAME_PREFIX}.taskDone`, (item?: unknown) => recordTicksOfItems([[item, true]])),
    vscode.commands.registerCommand(`${NAME_PREFIX}.taskNotDone`, (item?: unknown) =>
      recordTicksOfItems([[item, false]]),
    ),
    vscode.commands.registerCommand(`${NAME_PREFIX}.toggleTask`, async () => {
      const item = await focusedItem(view);
      if (item?.isTicked !== undefined) await recordTicksOfItems([[item, !item.isTicked]]);
      // For a row without a checkbox, the space key expands it, as in other lists of the editor.
      else await vscode.commands.executeCommand('list.toggleExpand');
    }),
    vscode.commands.registerCommand(`${NAME_PREFIX}.openPlan`, async (clickedItem?: unknown) => {
      if (!planStore.reply) await planStore.requestWithProgress();
      // In a workspace without a main file, the view is hidden until the user asks for a plan. If
      // there is nothing to plan, the view shows how to open a configuration (viewsWelcome in
      // package.json).
      await vscode.commands.executeCommand('setContext', `${NAME_PREFIX}.isPlanAsked`, true);
      await vscode.commands.executeCommand(`${VIEW_ID}.focus`);
      const item = itemForQuickFix(topItems, clickedItem);
      if (item) await view.reveal(item, { select: true, focus: true });
    }),
    vscode.commands.registerCommand(`${NAME_PREFIX}.refreshPlan`, () =>
      vscode.window.withProgress({ location: { viewId: VIEW_ID } }, () => planStore.requestWithProgress()),
    ),
  );
  return {
    get isOpen() {
      return view.visible;
    },
    onDidOpen: openEmitter.event,
    dispose: () => disposables.dispose(),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The commands of the tasks that are ticked off; for a task without a command, its id. */
function commandsOfTickedTasks(items: readonly PlanItem[]): string[] {
  return items.flatMap(({ subject, isTicked, children }) => [
    ...(subject.kind === 'task' && isTicked ? (subject.commands.length > 0 ? subject.commands : [subject.id]) : []),
    ...commandsOfTickedTasks(children),
  ]);
}

/**
 * The item with the focus; undefined if there is none. Extensions can read only the selection, so
 * this changes the selection for a moment and restores it.
 */
async function focusedItem(view: vscode.TreeView<PlanItem>): Promise<PlanItem | undefined> {
  const selectionBefore = view.selection;
  await vscode.commands.executeCommand('list.toggleSelection');
  const selectionAfterToggle = view.selection;
  await vscode.commands.executeCommand('list.toggleSelection');
  const includesItem = (items: readonly PlanItem[], { id }: PlanItem) => items.some((item) => item.id === id);
  return (
    selectionAfterToggle.find((item) => !includesItem(selectionBefore, item)) ??
    selectionBefore.find((item) => !includesItem(selectionAfterToggle, item))
  );
}

/**
 * The item for the line of a quick fix: the last item in the same file at this line or above.
 * Undefined if there is none.
 */
function itemForQuickFix(items: readonly PlanItem[], lineOfFix: unknown): PlanItem | undefined {
  const { uri, line } = (lineOfFix ?? {}) as { uri?: unknown; line?: unknown };
  if (typeof uri !== 'string' || typeof line !== 'number') return undefined;
  const uriText = vscode.Uri.parse(uri).toString();
  const withDescendants = (item: PlanItem): PlanItem[] => [item, ...item.children.flatMap(withDescendants)];
  const nearbyItems = items
    .flatMap(withDescendants)
    .filter(
      ({ rule, place, children }) =>
        rule !== undefined &&
        place &&
        children.length === 0 &&
        vscode.Uri.parse(place.uri).toString() === uriText &&
        place.line <= line,
    );
  return nearbyItems.sort((a, b) => b.place!.line - a.place!.line)[0];
}

/** A text for workspaces of which only some folders are on a disk: the server reads only these. */
function notOnDiskText(): string {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const foldersNotOnDisk = folders.filter(({ uri }) => uri.scheme !== 'file');
  return foldersNotOnDisk.length === 0 || foldersNotOnDisk.length === folders.length
    ? ''
    : ` · Only open files are checked in the directory ${foldersNotOnDisk.map(({ name }) => name).join(', ')}.`;
}

/**
 * The progress as a text. Stores the number of items that are left if it is the largest number so
 * far.
 */
function progressMessage(counts: PlanCounts, memento: vscode.Memento): string {
  const mostLeft = Math.max(memento.get(MOST_LEFT_KEY, 0), remainingCount(counts));
  void memento.update(MOST_LEFT_KEY, mostLeft);
  return progressText(counts, mostLeft);
}

/** The row of the editor's tree for an item, with visible characters in its texts. */
function treeItem(item: PlanItem): vscode.TreeItem {
  const { icon, colour, children, isExpanded, place, command } = item;
  const [label, accessibleText, description, tooltip] = [
    item.label,
    item.accessibleText,
    item.description,
    item.tooltip,
  ].map((text) => (text === undefined ? undefined : withVisibleCharacters(text))) as [
    string,
    string?,
    string?,
    string?,
  ];
  const treeRow = new vscode.TreeItem(
    label,
    children.length === 0
      ? vscode.TreeItemCollapsibleState.None
      : isExpanded
        ? vscode.TreeItemCollapsibleState.Expanded
        : vscode.TreeItemCollapsibleState.Collapsed,
  );
  treeRow.id = item.id;
  treeRow.description = description;
  treeRow.tooltip = tooltip ?? description;
  if (icon !== '') treeRow.iconPath = new vscode.ThemeIcon(icon, colour && new vscode.ThemeColor(ITEM_COLOURS[colour]));
  treeRow.contextValue = item.context;
  treeRow.accessibilityInformation = {
    label: [accessibleText ?? label, accessibleText === undefined ? description : '', colour === 'done' ? 'done' : '']
      .filter(Boolean)
      .join(', '),
  };
  if (item.isTicked !== undefined) {
    const { Checked, Unchecked } = vscode.TreeItemCheckboxState;
    const tooltip = item.isTicked ? 'This task is done' : 'This task is not done yet: tick the box when it is';
    treeRow.checkboxState = {
      state: item.isTicked ? Checked : Unchecked,
      tooltip,
      accessibilityInformation: { label: `${accessibleText ?? label}: ${tooltip}`, role: 'checkbox' },
    };
  }
  if (colour === 'waiting') treeRow.resourceUri = vscode.Uri.from({ scheme: WAITING_SCHEME, path: `/${item.id}` });
  if (command !== undefined) treeRow.command = { title: label, command, arguments: [item] };
  else if (place && children.length === 0) treeRow.command = openCommand(place);
  return treeRow;
}

/** The editor's command that opens a file at a 0-based line. */
export function openCommand({ uri, line }: NonNullable<PlanItem['place']>): vscode.Command {
  const position = new vscode.Position(line, 0);
  return {
    title: 'Open',
    command: 'vscode.open',
    arguments: [vscode.Uri.parse(uri), { selection: new vscode.Range(position, position) }],
  };
}
