/**
 * The view *Request*: shows the explanation of a request as a tree, whose rows lead to their lines.
 * In open editors, marks the lines that decide.
 */
import * as vscode from 'vscode';
import { NAME_PREFIX } from './language';
import { withVisibleCharacters } from '../../server/src/syntax/hidden-text';

/** A line of a file, 0-based; null for a part that is unknown. */
export interface LinePlace {
  readonly file: string | null;
  readonly line: number | null;
}

/** The explanation that the server sends: docs/terminal.md describes it. */
export interface ExplainedRequest {
  readonly virtualHost: Readonly<Record<string, LinePlace & { readonly name: string; readonly why: string }>>;
  readonly target: LinePlace & { readonly kind: string; readonly path: string };
  readonly sections: readonly (LinePlace & {
    readonly name: string;
    readonly applies: boolean | string;
    readonly adds: readonly string[];
  })[];
  readonly decisions: readonly {
    readonly server: string;
    readonly access: string;
    readonly because: readonly (LinePlace & { readonly text: string })[];
    readonly why: string;
  }[];
  readonly unknown: readonly (LinePlace & { readonly what: string })[];
  /** The URI of each file that the explanation names. */
  readonly uris: Readonly<Record<string, string>>;
}

/** A row of the view. */
interface RequestRow {
  readonly label: string;
  readonly detail?: string;
  readonly icon?: string;
  readonly place?: LinePlace;
  readonly children?: readonly RequestRow[];
}

const VIEW_ID = `${NAME_PREFIX}.request`;
const OUTDATED_EXPLANATION_TEXT = 'The files have changed: explain the request again. ';

/** The view *Request*. */
export class RequestView implements vscode.Disposable {
  private readonly changeEmitter = new vscode.EventEmitter<undefined>();
  private readonly view: vscode.TreeView<RequestRow>;
  private readonly lineDecoration = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.findMatchHighlightBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.findMatchForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  });
  private readonly disposables: vscode.Disposable;
  private rows: readonly RequestRow[] = [];
  private parentByRow = new Map<RequestRow, RequestRow>();
  private shownExplanation: ExplainedRequest | null = null;

  constructor() {
    this.view = vscode.window.createTreeView<RequestRow>(VIEW_ID, {
      showCollapseAll: true,
      treeDataProvider: {
        onDidChangeTreeData: this.changeEmitter.event,
        getTreeItem: (row) => this.treeItemOf(row),
        getChildren: (row) => [...(row ? (row.children ?? []) : this.rows)],
        getParent: (row) => this.parentByRow.get(row),
      },
    });
    this.disposables = vscode.Disposable.from(
      this.changeEmitter,
      this.view,
      this.lineDecoration,
      vscode.window.onDidChangeVisibleTextEditors(() => this.markLines()),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const isExplainedFile =
          this.shownExplanation && Object.values(this.shownExplanation.uris).includes(document.uri.toString());
        if (isExplainedFile && contentChanges.length > 0 && !this.view.message?.startsWith(OUTDATED_EXPLANATION_TEXT))
          this.view.message = OUTDATED_EXPLANATION_TEXT + (this.view.message ?? '');
      }),
      vscode.commands.registerCommand(`${NAME_PREFIX}.clearRequest`, () => this.clear()),
    );
  }

  /** Shows an explanation, and opens the first line that decides. */
  async show(request: string, explanation: ExplainedRequest): Promise<void> {
    this.shownExplanation = explanation;
    this.rows = explanationRows(explanation);
    this.parentByRow = new Map(this.rows.flatMap((row) => (row.children ?? []).map((child) => [child, row])));
    this.view.description = withVisibleCharacters(request);
    this.view.message = headlineOf(explanation);
    await vscode.commands.executeCommand('setContext', `${NAME_PREFIX}.hasRequest`, true);
    this.changeEmitter.fire(undefined);
    const [line] = explanation.decisions.flatMap(({ because }) => because);
    const uri = line && this.uriOf(line);
    if (uri) await vscode.window.showTextDocument(uri, { selection: rangeOf(line), preserveFocus: true });
    this.markLines();
    await vscode.commands.executeCommand(`${VIEW_ID}.focus`);
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private async clear(): Promise<void> {
    this.shownExplanation = null;
    this.rows = [];
    this.parentByRow.clear();
    this.view.message = undefined;
    this.changeEmitter.fire(undefined);
    this.markLines();
    await vscode.commands.executeCommand('setContext', `${NAME_PREFIX}.hasRequest`, false);
  }

  /** The row of the editor's tree for a row of the explanation. */
  private treeItemOf({ label, detail, icon, place, children = [] }: RequestRow): vscode.TreeItem {
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    const collapsibleState = children.length === 0 ? None : children.length > MAX_EXPANDED_ROWS ? Collapsed : Expanded;
    const item = new vscode.TreeItem(withVisibleCharacters(label), collapsibleState);
    const location = place ? placeText(place) : '';
    item.description = withVisibleCharacters([detail ?? '', location].filter(Boolean).join(' · '));
    item.tooltip = withVisibleCharacters([label, detail ?? '', location].filter(Boolean).join('\n'));
    if (icon) item.iconPath = new vscode.ThemeIcon(icon);
    const uri = place && this.uriOf(place);
    if (uri)
      item.command = {
        command: 'vscode.open',
        title: 'Open the line',
        arguments: [uri, { selection: rangeOf(place) }],
      };
    return item;
  }

  private uriOf({ file }: LinePlace): vscode.Uri | null {
    const uri = file === null ? undefined : this.shownExplanation?.uris[file];
    return uri === undefined ? null : vscode.Uri.parse(uri);
  }

  /** In all visible editors, marks the lines that decide. */
  private markLines(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const marksByLine = new Map<number, string[]>();
      for (const { server, access, because } of this.shownExplanation?.decisions ?? [])
        for (const place of because)
          if (this.uriOf(place)?.toString() === editor.document.uri.toString())
            marksByLine.set(place.line ?? 0, [
              ...(marksByLine.get(place.line ?? 0) ?? []),
              `${SERVER_TITLES[server] ?? server}: ${access}`,
            ]);
      const existingLines = [...marksByLine].filter(([line]) => line < editor.document.lineCount);
      editor.setDecorations(
        this.lineDecoration,
        existingLines.map(([line, texts]) => ({
          range: editor.document.lineAt(line).range,
          renderOptions: {
            after: {
              contentText: `  decides · ${texts.join(' · ')}`,
              color: new vscode.ThemeColor('editorCodeLens.foreground'),
            },
          },
        })),
      );
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** Groups with more rows than this are collapsed at first. */
const MAX_EXPANDED_ROWS = 20;

const SERVER_TITLES: Readonly<Record<string, string>> = {
  '2.2': '2.2',
  '2.4-compat': '2.4, files as they are',
  '2.4': '2.4, after the conversion',
};

const ACCESS_ICONS: Readonly<Record<string, string>> = { granted: 'pass', unknown: 'question', login: 'key' };

/** Whether all servers decide alike, in one sentence. */
function headlineOf({ decisions }: ExplainedRequest): string {
  const differentAnswers = new Set(decisions.map(({ access }) => access));
  return differentAnswers.size > 1
    ? 'The servers answer differently.'
    : `All servers answer the same: ${[...differentAnswers][0]}.`;
}

/**
 * The rows of the tree: what each server decides, with the lines that decide; the virtual host; the
 * target; the sections that apply or may apply; and what is unknown.
 */
function explanationRows({ virtualHost, target, sections, decisions, unknown }: ExplainedRequest): RequestRow[] {
  const appliedSections = sections.filter(({ applies }) => applies !== false);
  return [
    ...decisions.map(
      ({ server, access, because, why }): RequestRow => ({
        label: `${SERVER_TITLES[server] ?? server}: ${access}`,
        detail: why,
        icon: ACCESS_ICONS[access] ?? 'error',
        ...(because[0] && { place: because[0] }),
        children: because.map((line) => ({ label: line.text, icon: 'arrow-small-right', place: line })),
      }),
    ),
    {
      label: 'Virtual host',
      icon: 'server',
      children: Object.entries(virtualHost).map(([version, host]) => ({
        label: `${version}: ${host.name}`,
        detail: host.why,
        place: host,
      })),
    },
    { label: `Target: ${target.kind} ${target.path}`, icon: 'symbol-file', place: target },
    {
      label: 'Sections, in the order of the server',
      icon: 'list-ordered',
      children: appliedSections.map((section) => ({
        label: section.name,
        ...(section.applies !== true && { detail: 'may apply' }),
        place: section,
        children: section.adds.map((text) => ({ label: text, place: section })),
      })),
    },
    ...(unknown.length > 0
      ? [
          {
            label: 'Assumed or not known',
            icon: 'question',
            children: unknown.map((fact) => ({ label: fact.what, place: fact })),
          },
        ]
      : []),
  ];
}

function placeText({ file, line }: LinePlace): string {
  return file === null ? '' : `${file.slice(file.lastIndexOf('/') + 1)}:${(line ?? 0) + 1}`;
}

function rangeOf({ line }: LinePlace): vscode.Range {
  return new vscode.Range(line ?? 0, 0, line ?? 0, 0);
}
