/**
 * The view "httpd Upgrade" in the activity bar: the configurations with their questions, ready
 * fixes, waiting fixes and manual changes.
 */
import * as vscode from 'vscode';
import { Requests, NAME_PREFIX } from './language';
import type { Plans } from './plan';
import type { Server } from './server';
import { remainingCount, type PlanCounts } from '../../server/src/analysis/plan-figures';
import type { TasksByRoot } from '../../server/src/features/remembered-tasks';
import { rememberedTasks } from './plan';
import { countWithNoun, planItems, progressOf, type PlanItem } from './plan-items';
import { renewItems } from './plan-rows';
import { withHiddenShown } from '../../server/src/syntax/hidden-text';

const VIEW_ID = `${NAME_PREFIX}.plan`;
/** The URI scheme that gives the labels of waiting items their colour. */
const WAITING_SCHEME = 'httpd-upgrade-waiting';
/**
 * The storage key of the largest number of items that was ever left; the progress is relative to
 * it.
 */
const MOST_LEFT_KEY = `${NAME_PREFIX}.most`;

/**
 * The stored data about the progress of the upgrade, for the report; the files do not contain it.
 */
export function rememberedData(memory: vscode.Memento): { tasks: TasksByRoot; ticked: string[]; most: number } {
  return { ...rememberedTasks(memory), most: memory.get(MOST_LEFT_KEY, 0) };
}

const COLOURS = {
  error: 'list.errorForeground',
  warning: 'list.warningForeground',
  done: 'testing.iconPassed',
  waiting: 'disabledForeground',
};

export interface PlanView extends vscode.Disposable {
  /** Whether the view is visible. */
  readonly isOpen: boolean;
  readonly onDidOpen: vscode.Event<void>;
}

/** Milliseconds after the last tick until the counts of groups are drawn again. */
const TICK_PAUSE_MS = 700;
const OUTDATED_TEXT = 'Files have changed since this plan was made: refresh the plan. ';
const LARGE_TEXT = 'This workspace is large: use Refresh to create the plan.';

export function planView(server: Server, plans: Plans, memory: vscode.Memento): PlanView {
  const opened = new vscode.EventEmitter<void>();
  const changed = new vscode.EventEmitter<PlanItem[] | undefined>();
  /**
   * Items with children that are drawn again once the user has stopped ticking tasks for a moment.
   */
  const postponed = new Set<PlanItem>();
  let lastTick = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const parents = new Map<PlanItem, PlanItem>();
  let items: PlanItem[] = [];
  /** The commands that the server got last, as JSON. */
  let sentCommands = '[]';
  const provider: vscode.TreeDataProvider<PlanItem> = {
    onDidChangeTreeData: changed.event,
    getTreeItem: treeItem,
    getChildren: (item) => [...(item?.children ?? items)],
    getParent: (item) => parents.get(item),
  };
  const view = vscode.window.createTreeView(VIEW_ID, {
    treeDataProvider: provider,
    showCollapseAll: true,
    manageCheckboxStateManually: true,
  });
  const messageFor = (): string | undefined => {
    const { answer, counts } = plans;
    // A message would hide the text with the buttons (viewsWelcome in package.json).
    const isEmpty = answer?.plan.configurations.length === 0;
    if ((!answer && !vscode.workspace.isTrusted) || (isEmpty && !plans.isStale)) return notOnDiskText() || undefined;
    const stale = plans.isStale ? (answer ? OUTDATED_TEXT : LARGE_TEXT) : '';
    return (counts ? stale + progressMessage(counts, memory) : stale || plans.reasonForNoPlan) + notOnDiskText();
  };
  /**
   * Draws items again. While the editor draws an item, clicks on the items below it are lost, so
   * items with children wait until the user has stopped ticking for a moment.
   */
  const draw = (again: readonly PlanItem[]) => {
    for (const item of again) postponed.add(item);
    clearTimeout(timer);
    const wait = lastTick + TICK_PAUSE_MS - Date.now();
    const dueItems = [...postponed].filter(({ children }) => wait <= 0 || children.length === 0);
    for (const item of dueItems) postponed.delete(item);
    if (dueItems.length > 0) changed.fire(dueItems);
    if (postponed.size > 0) timer = setTimeout(() => draw([]), wait);
  };
  const show = () => {
    const { answer, counts } = plans;
    const renewed = renewItems(items, answer ? planItems(answer, plans.memory) : []);
    items = renewed.items;
    parents.clear();
    const adopt = (item: PlanItem) => {
      for (const child of item.children) {
        parents.set(child, item);
        adopt(child);
      }
    };
    items.forEach(adopt);
    const commands = JSON.stringify(commandsOfTicked(items));
    if (answer && commands !== sentCommands)
      server.notify(Requests.ran, { commands: JSON.parse(commands) as string[] });
    if (answer) sentCommands = commands;
    view.message = messageFor();
    const open = counts?.questions ?? 0;
    view.badge =
      open > 0 ? { value: open, tooltip: `${countWithNoun(open, 'question')} of the httpd upgrade` } : undefined;
    if (!renewed.isTopChanged) return draw(renewed.changedItems);
    postponed.clear();
    changed.fire(undefined);
  };
  const tick = async (changes: readonly (readonly [item: unknown, isDone: boolean])[]) => {
    lastTick = Date.now();
    await plans.tick(
      changes.flatMap(([item, isDone]): [string, boolean][] => {
        const subject = (item as PlanItem | undefined)?.subject;
        return subject?.kind === 'task' ? [[subject.key, isDone]] : [];
      }),
    );
  };
  show();
  const decorations: vscode.FileDecorationProvider = {
    provideFileDecoration: (uri) =>
      uri.scheme === WAITING_SCHEME ? { color: new vscode.ThemeColor(COLOURS.waiting) } : undefined,
  };
  const parts = vscode.Disposable.from(
    changed,
    opened,
    view,
    new vscode.Disposable(() => clearTimeout(timer)),
    view.onDidChangeVisibility(({ visible }) => visible && opened.fire()),
    plans.onDidChange(show),
    server.onDidChangeState((state) => {
      if (state !== 'running') sentCommands = '[]';
    }),
    vscode.window.registerFileDecorationProvider(decorations),
    view.onDidChangeCheckboxState(({ items: changes }) =>
      tick(changes.map(([item, state]) => [item, state === vscode.TreeItemCheckboxState.Checked])),
    ),
    vscode.commands.registerCommand(`${NAME_PREFIX}.taskDone`, (item?: unknown) => tick([[item, true]])),
    vscode.commands.registerCommand(`${NAME_PREFIX}.taskNotDone`, (item?: unknown) => tick([[item, false]])),
    vscode.commands.registerCommand(`${NAME_PREFIX}.toggleTask`, async () => {
      const item = await focusedItem(view);
      if (item?.isTicked !== undefined) await tick([[item, !item.isTicked]]);
      // For a row without a checkbox, the space key expands it, as in other lists of the editor.
      else await vscode.commands.executeCommand('list.toggleExpand');
    }),
    vscode.commands.registerCommand(`${NAME_PREFIX}.openPlan`, async (about?: unknown) => {
      if (!plans.answer) await plans.requestWithProgress();
      // In a workspace without a main file, the view is hidden until the user asks for a plan. If
      // there is nothing to plan, it shows how to open a configuration (viewsWelcome in
      // package.json).
      await vscode.commands.executeCommand('setContext', `${NAME_PREFIX}.isPlanAsked`, true);
      await vscode.commands.executeCommand(`${VIEW_ID}.focus`);
      const item = itemForQuickFix(items, about);
      if (item) await view.reveal(item, { select: true, focus: true });
    }),
    vscode.commands.registerCommand(`${NAME_PREFIX}.refreshPlan`, () =>
      vscode.window.withProgress({ location: { viewId: VIEW_ID } }, () => plans.requestWithProgress()),
    ),
  );
  return {
    get isOpen() {
      return view.visible;
    },
    onDidOpen: opened.event,
    dispose: () => parts.dispose(),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The commands of the tasks that are ticked off; for a task without a command, its id. */
function commandsOfTicked(items: readonly PlanItem[]): string[] {
  return items.flatMap(({ subject, isTicked, children }) => [
    ...(subject.kind === 'task' && isTicked ? (subject.commands.length > 0 ? subject.commands : [subject.id]) : []),
    ...commandsOfTicked(children),
  ]);
}

/**
 * The item with the focus; undefined if there is none. Extensions can read only the selection, so
 * this changes the selection for a moment and restores it.
 */
async function focusedItem(view: vscode.TreeView<PlanItem>): Promise<PlanItem | undefined> {
  const before = view.selection;
  await vscode.commands.executeCommand('list.toggleSelection');
  const after = view.selection;
  await vscode.commands.executeCommand('list.toggleSelection');
  const isIn = (items: readonly PlanItem[], { id }: PlanItem) => items.some((item) => item.id === id);
  return after.find((item) => !isIn(before, item)) ?? before.find((item) => !isIn(after, item));
}

/**
 * The item that a quick fix is about: the last one in its file that begins at its line or before;
 * undefined if there is none.
 */
function itemForQuickFix(items: readonly PlanItem[], about: unknown): PlanItem | undefined {
  const { uri, line } = (about ?? {}) as { uri?: unknown; line?: unknown };
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
  const others = folders.filter(({ uri }) => uri.scheme !== 'file');
  return others.length === 0 || others.length === folders.length
    ? ''
    : ` · Only open files are checked in the directory ${others.map(({ name }) => name).join(', ')}.`;
}

function progressMessage(figures: PlanCounts, memory: vscode.Memento): string {
  const most = Math.max(memory.get(MOST_LEFT_KEY, 0), remainingCount(figures));
  void memory.update(MOST_LEFT_KEY, most);
  return progressOf(figures, most).text;
}

function treeItem(item: PlanItem): vscode.TreeItem {
  const { icon, colour, children, isOpen, place, command } = item;
  const [label, heard, description, tooltip] = [item.label, item.accessibleText, item.description, item.tooltip].map(
    (text) => (text === undefined ? undefined : withHiddenShown(text)),
  ) as [string, string?, string?, string?];
  const row = new vscode.TreeItem(
    label,
    children.length === 0
      ? vscode.TreeItemCollapsibleState.None
      : isOpen
        ? vscode.TreeItemCollapsibleState.Expanded
        : vscode.TreeItemCollapsibleState.Collapsed,
  );
  row.id = item.id;
  row.description = description;
  row.tooltip = tooltip ?? description;
  if (icon !== '') row.iconPath = new vscode.ThemeIcon(icon, colour && new vscode.ThemeColor(COLOURS[colour]));
  row.contextValue = item.context;
  row.accessibilityInformation = {
    label: [heard ?? label, heard === undefined ? description : '', colour === 'done' ? 'done' : '']
      .filter(Boolean)
      .join(', '),
  };
  if (item.isTicked !== undefined) {
    const { Checked, Unchecked } = vscode.TreeItemCheckboxState;
    const tooltip = item.isTicked ? 'This task is done' : 'This task is not done yet: tick the box when it is';
    row.checkboxState = {
      state: item.isTicked ? Checked : Unchecked,
      tooltip,
      accessibilityInformation: { label: `${heard ?? label}: ${tooltip}`, role: 'checkbox' },
    };
  }
  if (colour === 'waiting') row.resourceUri = vscode.Uri.from({ scheme: WAITING_SCHEME, path: `/${item.id}` });
  if (command !== undefined) row.command = { title: label, command, arguments: [item] };
  else if (place && children.length === 0) row.command = openCommand(place);
  return row;
}

export function openCommand({ uri, line }: NonNullable<PlanItem['place']>): vscode.Command {
  const position = new vscode.Position(line, 0);
  return {
    title: 'Open',
    command: 'vscode.open',
    arguments: [vscode.Uri.parse(uri), { selection: new vscode.Range(position, position) }],
  };
}
