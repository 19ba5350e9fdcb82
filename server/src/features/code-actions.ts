/** The lightbulb: fix this, fix all of this rule in the file, fix all that is safe, silence, show the rule's page. */
import { CodeActionKind, type CodeAction, type Range } from 'vscode-languageserver-types';
import type { Analysis, Engine, FileInfo, PlacedFinding } from '../analysis/engine';
import { applyEdits, fixesOf, fixText, selectFixes, type FixSelection } from '../analysis/fixes';
import { suppressionComment } from '../analysis/suppression';
import type { Edit } from '../rules/rule';
import { indentOf } from '../syntax/line';
import { textEdits } from './convert';
import { diagnosticOf } from './diagnostics';

export const FIX_ALL_KIND = 'source.fixAll.httpdUpgrade';

/** The client's command that shows a rule's page; takes the rule's id. */
export const SHOW_RULE_COMMAND = 'httpdUpgrade.showRule';

export interface CodeActionRequest {
  readonly uri: string;
  readonly version: number | null;
  readonly range: Range;
  /** Kinds the client asks for; undefined for all. */
  readonly only?: readonly string[];
  readonly engine: Engine;
  readonly analysis: Analysis;
  readonly file: FileInfo;
}

/** What to offer at a range. Computed from the document alone: nothing is remembered between requests. */
export function codeActions(request: CodeActionRequest): CodeAction[] {
  const actions: CodeAction[] = [];
  if (wants(request, CodeActionKind.QuickFix)) {
    const { tree } = request.analysis;
    const from = tree.offsetAt(request.range.start);
    const findings = request.analysis.findings(100, from, tree.offsetAt(request.range.end));
    for (const finding of findings) actions.push(...fixActions(request, finding));
    for (const finding of distinctRules(findings)) actions.push(...ruleActions(request, finding));
  }
  // Only where asked for by kind: a person sees it in the menu "Source Action...", not at every lightbulb.
  if (request.only && wants(request, FIX_ALL_KIND)) actions.push(...fixAllAction(request));
  return actions;
}

function fixActions(request: CodeActionRequest, finding: PlacedFinding): CodeAction[] {
  const fixes = fixesOf(finding);
  const hasSafe = fixes.some(({ fix }) => fix.safety === 'safe');
  return fixes.map(({ fix, edits }, index) => ({
    title: fix.title,
    kind: CodeActionKind.QuickFix,
    diagnostics: [diagnosticOf(request.analysis.tree, finding)],
    // The one that Auto Fix takes: never a guess.
    isPreferred: hasSafe && fix.safety === 'safe' && index === 0 ? true : undefined,
    edit: workspaceEdit(request, edits),
  }));
}

function ruleActions(request: CodeActionRequest, finding: PlacedFinding): CodeAction[] {
  const { rule } = finding;
  const { tree } = request.analysis;
  const diagnostic = diagnosticOf(tree, finding);
  const actions: CodeAction[] = [];
  const all = selectFixes(request.analysis.findings(), { rules: [rule.id] });
  if (all.length > 1) {
    actions.push({
      title: `Fix all ${all.length} safely fixable "${rule.id}" problems in this file`,
      kind: CodeActionKind.QuickFix,
      diagnostics: [diagnostic],
      edit: workspaceEdit(request, fixedEdits(request, { rules: [rule.id] })),
    });
  }
  actions.push({
    title: `Ignore "${rule.id}" here with a comment`,
    kind: CodeActionKind.QuickFix,
    diagnostics: [diagnostic],
    edit: workspaceEdit(request, [suppressionEdit(request, finding)]),
  });
  actions.push({
    title: `Explain "${rule.id}"`,
    kind: CodeActionKind.QuickFix,
    diagnostics: [diagnostic],
    command: { title: 'Explain', command: SHOW_RULE_COMMAND, arguments: [rule.id] },
  });
  return actions;
}

function fixAllAction(request: CodeActionRequest): CodeAction[] {
  const edits = fixedEdits(request, {});
  if (edits.length === 0) return [];
  return [{ title: 'Fix all safe httpd-upgrade problems', kind: FIX_ALL_KIND, edit: workspaceEdit(request, edits) }];
}

/** The edits of one round of fixes; where fixes make room for further ones, one edit that spans them all. */
function fixedEdits(request: CodeActionRequest, selection: FixSelection): Edit[] {
  const { tree } = request.analysis;
  const first = selectFixes(request.analysis.findings(), selection).flatMap((fix) => [...fix.edits]);
  if (first.length === 0) return [];
  const before = tree.text();
  const after = fixText(request.engine, before, request.file, selection).text;
  return applyEdits(before, first) === after ? first : [spanningEdit(before, after)];
}

function spanningEdit(before: string, after: string): Edit {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start++;
  let tail = 0;
  while (tail < shorter - start && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return { start, end: before.length - tail, text: after.slice(start, after.length - tail) };
}

function suppressionEdit(request: CodeActionRequest, finding: PlacedFinding): Edit {
  const { tree } = request.analysis;
  const placed = tree.lineAt(finding.start)!;
  const eol = placed.line.text.endsWith('\r\n') ? '\r\n' : '\n';
  return { start: placed.offset, end: placed.offset, text: `${indentOf(placed.line)}${suppressionComment(finding.rule.id)}${eol}` };
}

function workspaceEdit(request: CodeActionRequest, edits: readonly Edit[]): CodeAction['edit'] {
  const changes = textEdits(request.analysis.tree, edits);
  return { documentChanges: [{ textDocument: { uri: request.uri, version: request.version }, edits: changes }] };
}

/** A kind is wanted where the client asks for it, for one above it, or for nothing in particular. */
function wants(request: CodeActionRequest, kind: string): boolean {
  return !request.only || request.only.some((asked) => kind === asked || kind.startsWith(`${asked}.`) || asked === '');
}

function distinctRules(findings: readonly PlacedFinding[]): PlacedFinding[] {
  const seen = new Set<string>();
  return findings.filter(({ rule }) => !seen.has(rule.id) && seen.add(rule.id));
}
