/**
 * The actions of the lightbulb: apply a fix, fix all findings of a rule in the file, apply all safe
 * fixes, silence a rule, show a rule's page.
 */
import { CodeActionKind, type CodeAction, type Range } from 'vscode-languageserver-types';
import type { Analysis, Engine, FileInfo, PlacedFinding } from '../analysis/engine';
import {
  applyEdits,
  fixability,
  fixesOf,
  fixText,
  selectFixes,
  SelectedEdits,
  spanningEdit,
  type FixSelection,
} from '../analysis/fixes';
import { itemsAround, suppressionComment, type PlacedItem } from '../analysis/suppression';
import { isHtaccessName } from '../config/configurations';
import type { FileView } from '../config/files';
import { isTransparent, sectionKind } from '../config/sections';
import { lineEnd } from '../rules/support/edits';
import { inactiveText } from '../rules/inactive-text';
import { orderAllowDeny } from '../rules/order-allow-deny';
import type { Edit, Span } from '../rules/rule';
import { indentOf, spelledName, type Line } from '../syntax/line';
import type { Tree } from '../syntax/document';
import type { NonEmpty } from '../syntax/some';
import { Section } from '../syntax/tree';
import { textEdits } from './convert';
import { diagnosticOf } from './diagnostics';
import { fixedFile } from './fixed-file';
import type { SettingsByFile } from './project';

/**
 * The kind of the code action that applies all safe fixes of a file, for example when it is saved.
 */
export const FIX_ALL_KIND = 'source.fixAll.httpdUpgrade';

/** The title of the code action that applies all safe fixes of a file. */
export const FIX_ALL_TITLE = 'Apply all safe fixes of httpd-upgrade';

/** The client's command that shows a rule's page. Its argument is the rule's id. */
export const SHOW_RULE_COMMAND = 'httpdUpgrade.showRule';

/** A request for the code actions of a range in a file. */
export interface CodeActionRequest {
  readonly uri: string;
  /** The version of the document; null if the edits must not be tied to a version. */
  readonly version: number | null;
  readonly range: Range;
  /** The kinds that the client requests; undefined for all kinds. */
  readonly requestedKinds?: readonly string[];
  readonly engine: Engine;
  /** The analysis of the current text of the file. */
  readonly analysis: Analysis;
  /** The facts about the file that its text does not show. */
  readonly fileInfo: FileInfo;
  /** Access to the other files; undefined if they may not be read. */
  readonly otherFiles?: OtherFiles;
  /**
   * Findings outside of the range whose fixes are also offered. At the tag of a section, these are
   * the findings of the section's lines.
   */
  readonly furtherFindings?: readonly PlacedFinding[];
  /**
   * Whether the client requests the edit of an action only when the user chooses the action. Then
   * the edits of "fix all" are computed at that time.
   */
  readonly computesEditsLater?: boolean;
}

/** Access to files other than the current file. Paths have symbolic links resolved. */
export interface OtherFiles {
  /** The path of the current file. */
  readonly path: string;
  readonly view: FileView;
  readonly settings: SettingsByFile;
  /** The open files, which can be changed together with the current file. */
  readonly openFiles: ReadonlyMap<
    string,
    { readonly uri: string; readonly version: number | null; readonly tree: Tree }
  >;
}

/** The data of a "fix all" action whose edit is computed later. */
export interface FixAllData {
  readonly uri: string;
  /** The id of the rule whose findings are fixed. */
  readonly fixAllOf: string;
  /** Whether to apply also fixes that may change the behaviour of the server. */
  readonly unsafe: boolean;
}

/** The code actions for a range, in the order in which the client lists them. */
export function codeActions(request: CodeActionRequest): CodeAction[] {
  const actions: CodeAction[] = [];
  if (isRequestedKind(request, CodeActionKind.QuickFix)) {
    const { tree } = request.analysis;
    const rangeStart = tree.offsetAt(request.range.start);
    const findingsInRange = request.analysis.findings(100, rangeStart, tree.offsetAt(request.range.end));
    const furtherFindings = (request.furtherFindings ?? []).filter((each) =>
      findingsInRange.every(({ start, rule }) => start !== each.start || rule !== each.rule),
    );
    const findings = [...findingsInRange, ...furtherFindings].filter(({ rule }) => rule !== inactiveText);
    actions.push(...fixActions(request, findings));
    for (const group of groupedByRule(findings)) actions.push(...ruleActions(request, group));
  }
  // Offered only if the client requests this kind, so that the action is in the menu "Source
  // Action..." and not in every lightbulb.
  if (request.requestedKinds && isRequestedKind(request, FIX_ALL_KIND)) actions.push(...fixAllAction(request));
  return actions;
}

/** The actions that fix a finding. A fix that several findings share is offered once. */
function fixActions(request: CodeActionRequest, findings: readonly PlacedFinding[]): CodeAction[] {
  const actionByTitleAndEdits = new Map<string, CodeAction>();
  for (const finding of findings) {
    const diagnostic = diagnosticOf(request.analysis.tree, finding);
    fixesOf(finding).forEach(({ fix, edits }, index) => {
      const titleAndEdits = JSON.stringify([fix.title, edits]);
      const action = actionByTitleAndEdits.get(titleAndEdits) ?? {
        title: fix.assumes === undefined || fix.safety === 'safe' ? fix.title : `${fix.title} · check first`,
        kind: CodeActionKind.QuickFix,
        diagnostics: [],
        // Editors run the preferred action without asking, so only a safe fix is preferred.
        isPreferred: fix.safety === 'safe' && index === 0 ? true : undefined,
        edit: workspaceEdit(request, edits),
      };
      action.diagnostics!.push(diagnostic);
      actionByTitleAndEdits.set(titleAndEdits, action);
    });
  }
  return [...actionByTitleAndEdits.values()];
}

/** The actions for all findings of one rule in the range. */
function ruleActions(request: CodeActionRequest, findings: NonEmpty<PlacedFinding>): CodeAction[] {
  const [firstFinding] = findings;
  const { rule } = firstFinding;
  const action = (title: string, edits: readonly Edit[]): CodeAction => ({
    title,
    kind: CodeActionKind.QuickFix,
    diagnostics: findings.map((finding) => diagnosticOf(request.analysis.tree, finding)),
    edit: workspaceEdit(request, edits),
  });
  const actions = fixAllOfRule(request, findings).map(({ title, unsafe }): CodeAction => {
    if (!request.computesEditsLater) return action(title, editsOfSelectedFixes(request, { rules: [rule.id], unsafe }));
    const fixAllData: FixAllData = { uri: request.uri, fixAllOf: rule.id, unsafe };
    const { edit: _, ...actionWithoutEdit } = action(title, []);
    return { ...actionWithoutEdit, data: fixAllData };
  });
  const findingLines = findings.flatMap((finding) =>
    [finding, ...finding.places].map((span) => placedLineOf(request, span)),
  );
  const ignoreAtLines = action(
    `Ignore "${rule.id}" here with a comment`,
    ignoreCommentEdits(request, rule.id, findingLines),
  );
  const scope = scopeOf(request, firstFinding);
  if (scope && findings.every((finding) => scopeOf(request, finding)?.offset === scope.offset)) {
    const title = `Ignore "${rule.id}" in this <${spelledName(scope.item.open)}> with a comment`;
    const ignoreInSection = action(title, ignoreCommentEdits(request, rule.id, [scope]));
    // If a rule checks the lines of a section together, the action that ignores it in the section
    // comes first.
    actions.push(
      ...(rule.checks === 'section' && rule.check
        ? [ignoreInSection, ignoreAtLines]
        : [ignoreAtLines, ignoreInSection]),
    );
  } else {
    actions.push(ignoreAtLines);
  }
  const { edit: _, ...explain } = action(`Explain "${rule.id}"`, []);
  actions.push({ ...explain, command: { title: 'Explain', command: SHOW_RULE_COMMAND, arguments: [rule.id] } });
  return actions;
}

/** Computes the edit of a "fix all" action that the user chose. */
export function fixAllEdit(request: CodeActionRequest, { fixAllOf, unsafe }: FixAllData): CodeAction['edit'] {
  return workspaceEdit(request, editsOfSelectedFixes(request, { rules: [fixAllOf], unsafe }));
}

/** Maximum number of findings to count for the title of "fix all". */
const MAX_COUNTED_FINDINGS = 1000;

/**
 * The titles of the actions that fix all findings of a rule in the file. One action applies all
 * safe fixes. For access control, another action also applies suggestions. An action that would fix
 * only one finding is left out.
 */
function fixAllOfRule(
  request: CodeActionRequest,
  [{ rule }]: NonEmpty<PlacedFinding>,
): { title: string; unsafe: boolean }[] {
  const findingsOfRule: PlacedFinding[] = [];
  for (const finding of request.analysis.findingsInOrder())
    if (finding.rule.id === rule.id && findingsOfRule.push(finding) >= MAX_COUNTED_FINDINGS) break;
  const limitNote = findingsOfRule.length >= MAX_COUNTED_FINDINGS ? ' or more' : '';
  const actions: { title: string; unsafe: boolean }[] = [];
  const safeCount = findingsOfRule.filter((finding) => fixability(finding) === 'safe').length;
  if (selectFixes(findingsOfRule, { rules: [rule.id] }).length > 1) {
    const whichProblems =
      safeCount === findingsOfRule.length
        ? `all ${safeCount}${limitNote}`
        : `the ${safeCount}${limitNote} of ${findingsOfRule.length}${limitNote} safely fixable`;
    actions.push({ title: `Fix ${whichProblems} "${rule.id}" problems in this file`, unsafe: false });
  }
  if (
    rule === orderAllowDeny &&
    safeCount < findingsOfRule.length &&
    selectFixes(findingsOfRule, { rules: [rule.id], unsafe: true }).length > 1
  ) {
    actions.push({
      title: 'Convert all access control in this file, assuming that no other file restricts access',
      unsafe: true,
    });
  }
  return actions;
}

/**
 * The action that applies all safe fixes. It gives the result of `fix --write` for the file, and
 * makes the changes in other open files that belong to these fixes.
 */
function fixAllAction(request: CodeActionRequest): CodeAction[] {
  const {
    uri,
    version,
    analysis: { tree },
    otherFiles,
  } = request;
  const { editsInFile, editsInOtherFiles } = fixAllEdits(request);
  if (editsInFile.length === 0) return [];
  const changes = [{ textDocument: { uri, version }, edits: textEdits(tree, editsInFile) }];
  for (const [path, edits] of editsInOtherFiles) {
    const otherFile = otherFiles!.openFiles.get(path)!;
    changes.push({
      textDocument: { uri: otherFile.uri, version: otherFile.version },
      edits: textEdits(otherFile.tree, edits),
    });
  }
  return [{ title: FIX_ALL_TITLE, kind: FIX_ALL_KIND, edit: { documentChanges: changes } }];
}

/** The edits of all safe fixes, in this file and in other open files. */
function fixAllEdits(request: CodeActionRequest): {
  readonly editsInFile: readonly Edit[];
  readonly editsInOtherFiles: ReadonlyMap<string, readonly Edit[]>;
} {
  const {
    analysis: { tree },
    engine,
    otherFiles,
  } = request;
  // If other files may not be read, the file is fixed alone, without fixes that depend on the rest
  // of a configuration.
  if (!otherFiles)
    return {
      editsInFile: editsOfSelectedFixes(
        {
          ...request,
          analysis: engine.analyze(tree, standaloneFileInfo(request)),
          fileInfo: standaloneFileInfo(request),
        },
        {},
      ),
      editsInOtherFiles: new Map(),
    };
  const fixedFileResult = fixedFile({
    file: otherFiles.path,
    tree,
    view: otherFiles.view,
    settings: otherFiles.settings,
    mayChange: (path) => otherFiles.openFiles.has(path),
    fileFacts: standaloneFileInfo(request),
  });
  // An edit of `fixedFileResult` and an edit of another fix may remove the same line. Therefore an
  // edit that touches an earlier edit is left out. `editsBetween` checks the result.
  const likelyEdits = new SelectedEdits();
  for (const edit of [
    ...fixedFileResult.edits,
    ...selectFixes(request.analysis.findings()).flatMap(({ edits }) => edits),
  ])
    if (!likelyEdits.overlapsWith(edit)) likelyEdits.add([edit]);
  return {
    editsInFile: editsBetween(tree.text(), fixedFileResult.text, likelyEdits.edits),
    editsInOtherFiles: fixedFileResult.editsInOtherFiles,
  };
}

/**
 * The facts about the file as the command `fix` has them for a file that is not a main file. With
 * `hasNeighbours`, other files may affect access, and the setting `assumeStandalone` does not
 * apply.
 */
function standaloneFileInfo({
  uri,
  fileInfo: {
    isHtaccess,
    isOfConfiguration,
    fileContext,
    furtherContexts = [],
    htaccessContexts,
    asksForOldModule,
    hasNeighbours,
  },
}: CodeActionRequest): FileInfo {
  const htaccessPlaces = isHtaccess && fileContext ? [fileContext, ...furtherContexts] : htaccessContexts;
  return {
    isHtaccess: isHtaccessName(uri),
    isOfConfiguration: isOfConfiguration || fileContext !== undefined,
    hasNeighbours,
    ...((asksForOldModule || fileContext?.asksForOldModule) && { asksForOldModule: true }),
    ...(htaccessPlaces && { htaccessContexts: htaccessPlaces }),
  };
}

/**
 * The edits of the selected fixes in this file. If these fixes make further fixes possible, returns
 * one edit that spans all changes.
 */
function editsOfSelectedFixes(request: CodeActionRequest, selection: FixSelection): Edit[] {
  const { tree } = request.analysis;
  const selectedEdits = selectFixes(request.analysis.findings(), selection).flatMap((fix) => [...fix.edits]);
  if (selectedEdits.length === 0) return [];
  const textBefore = tree.text();
  const textAfter = fixText(request.engine, textBefore, request.fileInfo, selection).text;
  return editsBetween(textBefore, textAfter, selectedEdits);
}

/**
 * The edits that turn one text into the other. Uses `likelyEdits` if they give the right text;
 * otherwise one edit spans all differences.
 */
function editsBetween(textBefore: string, textAfter: string, likelyEdits: readonly Edit[]): Edit[] {
  if (textBefore === textAfter) return [];
  return applyEdits(textBefore, likelyEdits) === textAfter ? [...likelyEdits] : [spanningEdit(textBefore, textAfter)];
}

/** The edits that add, above each of the places, a comment that silences the rule. */
function ignoreCommentEdits(request: CodeActionRequest, ruleId: string, places: readonly PlacedItem[]): Edit[] {
  const offsets = new Map(
    places.map((place) => [place.offset, place.item instanceof Section ? place.item.open : place.item]),
  );
  return [...offsets].map(([offset, line]) => {
    const commentLine = `${indentOf(line)}${suppressionComment(ruleId)}${lineEndAt(request, line, offset)}`;
    return { start: offset, end: offset, text: commentLine };
  });
}

/**
 * The line end of a line. If the last line of the file has none, the line end of the line before
 * it.
 */
function lineEndAt(request: CodeActionRequest, line: Line, offset: number): string {
  const lineWithEnd = line.text.endsWith('\n') || offset === 0 ? line : request.analysis.tree.lineAt(offset - 1)!.line;
  return lineEnd(lineWithEnd);
}

/** The line where a span starts. */
function placedLineOf(request: CodeActionRequest, finding: Span): PlacedItem {
  const { line, offset } = request.analysis.tree.lineAt(finding.start)!;
  return { item: line, offset };
}

/** The container section around a finding; undefined if there is none. */
function scopeOf(request: CodeActionRequest, finding: PlacedFinding): { item: Section; offset: number } | undefined {
  const sections = itemsAround(request.analysis.tree, finding.start).flatMap(({ item, offset }) =>
    item instanceof Section ? [{ item, offset }] : [],
  );
  return sections
    .filter(({ item, offset }) => !isTransparent(sectionKind(item.name)) && finding.start >= offset + item.open.length)
    .pop();
}

/** The edits of the current file in the form of the protocol. */
function workspaceEdit(request: CodeActionRequest, edits: readonly Edit[]): CodeAction['edit'] {
  const changes = textEdits(request.analysis.tree, edits);
  return { documentChanges: [{ textDocument: { uri: request.uri, version: request.version }, edits: changes }] };
}

/** Whether the client requests a kind of actions: this kind, a parent of it, or all kinds. */
function isRequestedKind(request: CodeActionRequest, kind: string): boolean {
  return (
    !request.requestedKinds ||
    request.requestedKinds.some(
      (requestedKind) => kind === requestedKind || kind.startsWith(`${requestedKind}.`) || requestedKind === '',
    )
  );
}

/** Groups findings by their rules, in the order in which the rules first occur. */
function groupedByRule(findings: readonly PlacedFinding[]): NonEmpty<PlacedFinding>[] {
  const groups = new Map<string, [PlacedFinding, ...PlacedFinding[]]>();
  for (const finding of findings) {
    const group = groups.get(finding.rule.id);
    if (group) group.push(finding);
    else groups.set(finding.rule.id, [finding]);
  }
  return [...groups.values()];
}
