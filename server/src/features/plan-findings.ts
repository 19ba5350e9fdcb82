/**
 * Converts the findings of a file to items of the upgrade plan. All old access lines of one section
 * become one item.
 */
import type { OpenQuestion } from '../access/open-question';
import type { PlacedFinding } from '../analysis/engine';
import { commentedAccess, staleComments, scopeAround } from '../analysis/comments';
import { planFinding, type CommentedOut, type PlanFinding } from '../analysis/upgrade-plan';
import { unknownLines } from '../config/unknown-names';
import { accessOperandNeverMatches } from '../rules/access-operand-never-matches';
import { inactiveText } from '../rules/inactive-text';
import { orderAllowDeny } from '../rules/order-allow-deny';
import { rangeIn, type Tree } from '../syntax/document';
import { LineKind, spelledName, type Line } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { lineAt } from '../syntax/tree';
import { accessExplanationAt } from './explain-access';
import type { ReportAccess } from './report/upgrade-report';

/** A file whose findings become items of the plan. */
export interface PlannedFile {
  /** The short name of the file. */
  readonly name: string;
  readonly tree: Tree;
  /** All findings of the file, in the order of the text. */
  readonly findings: Iterable<PlacedFinding>;
  /** Returns why the old access line at an offset stays; null if it is converted. */
  readonly refusalAt: (offset: number) => string | null;
}

/** An item of the plan, with the finding that it is from. */
export interface PlanItemOfFinding {
  /** The finding in the form of the plan. */
  readonly planItem: PlanFinding;
  /** The finding from which `planItem` was made. */
  readonly finding: PlacedFinding;
}

/** The items of the plan for the findings of a file, in the order of the text. */
export function plannedFindings({ name, tree, findings, refusalAt }: PlannedFile): PlanItemOfFinding[] {
  const seenSections = new Set<number>();
  const leftCommentsByEdits = new Map<unknown, readonly CommentedOut[]>();
  const planItems: PlanItemOfFinding[] = [];
  for (const finding of findings) {
    // Text without effect needs no work, so it is no item of the plan. The editor shows it faded.
    if (finding.rule === inactiveText) continue;
    const { start } = finding;
    const isAboutAccess = finding.rule === orderAllowDeny;
    const scope = isAboutAccess ? scopeAround(tree, start) : null;
    if (isAboutAccess) {
      const section = scope?.offset ?? -1;
      if (seenSections.has(section)) continue;
      seenSections.add(section);
    }
    const locatedLine = lineAt(tree.root, start);
    const isInLine = locatedLine !== null && start < locatedLine.offset + locatedLine.line.length;
    const findingRow = (isInLine ? rangeIn(locatedLine, start, start).start : tree.positionAt(start)).line;
    const context = {
      directive: locatedLine === null ? undefined : directiveOf(locatedLine.line),
      commentedOut: isAboutAccess ? commentedOutLines(tree, scope, name) : NO_ITEMS,
      unknownLines: unknownDirectiveRows(tree, finding),
      leftComments: leftoverComments(tree, finding, name, leftCommentsByEdits),
    };
    const refusal = isAboutAccess ? (refusalAt(locatedLine!.offset) ?? refusalByCause(finding)) : null;
    planItems.push({ finding, planItem: planFinding(finding, { file: name, line: findingRow }, context, refusal) });
  }
  // An operand that never matches is no item of its own if its line is converted. The conversion
  // removes the operand, or the user answers what it means.
  const isAboutUnmatchedOperand = ({ finding: { messageId, rule } }: PlanItemOfFinding) =>
    MESSAGES_ABOUT_UNMATCHED_OPERANDS.has(messageId) && rule === accessOperandNeverMatches;
  if (!planItems.some(isAboutUnmatchedOperand)) return planItems;
  const convertedStarts = new Set(
    planItems
      .filter(({ finding, planItem }) => finding.rule === orderAllowDeny && planItem.fix !== null)
      .flatMap(({ finding }) => linesOf(tree, finding)),
  );
  return planItems.filter(
    (each) => !isAboutUnmatchedOperand(each) || !linesOf(tree, each.finding).some((line) => convertedStarts.has(line)),
  );
}

/** Why a line of a file that no configuration reads is not converted; null if it has a fix. */
function refusalByCause({ cause, hasFixes }: PlacedFinding): string | null {
  return hasFixes ? null : (/^Not converted: (.*)\.$/s.exec(cause ?? '')?.[1] ?? null);
}

/**
 * The access lines of 2.2 that are commented out in a section; if `scope` is null, those at the top
 * level of the file.
 */
function commentedOutLines(tree: Tree, scope: ReturnType<typeof scopeAround>, file: string): readonly CommentedOut[] {
  const commentedLines = commentedAccess(tree, scope);
  if (commentedLines.length === 0) return NO_ITEMS;
  return commentedLines.map(({ line, offset }) => ({
    file,
    line: tree.positionAt(offset).line,
    text: line.text.trim(),
  }));
}

const NO_ITEMS: readonly never[] = [];

/**
 * Finds the comments that stay although the first fix of a finding removes the lines below them. A
 * conversion of access control also converts such comments. `leftCommentsByEdits`: the results so
 * far by the edits of the fix, because many findings share their edits.
 */
function leftoverComments(
  tree: Tree,
  finding: PlacedFinding,
  file: string,
  leftCommentsByEdits: Map<unknown, readonly CommentedOut[]>,
): readonly CommentedOut[] {
  const [fix] = finding.rule === orderAllowDeny ? [] : finding.fixes;
  if (!fix || fix.safety !== 'safe') return NO_ITEMS;
  const { fixBase } = finding;
  let leftComments = fixBase === 0 ? leftCommentsByEdits.get(fix.edits) : undefined;
  if (leftComments) return leftComments;
  leftComments = staleComments(
    tree,
    fix.edits.map(({ start, end, text }) => ({ start: start + fixBase, end: end + fixBase, text })),
  ).map(({ offset, removedDirective }) => ({ file, line: tree.positionAt(offset).line, text: removedDirective }));
  if (fixBase === 0) leftCommentsByEdits.set(fix.edits, leftComments);
  return leftComments;
}

/**
 * The comments that stay in a file after its safe fixes, and are about lines that these fixes
 * remove. `line` of a result is a line of `textAfter`.
 */
export function commentsLeftIn(
  tree: Tree,
  textAfter: string,
  findings: readonly PlacedFinding[],
  file: string,
): readonly CommentedOut[] {
  const cachedComments = new Map<unknown, readonly CommentedOut[]>();
  const leftCommentsByLine = new Map(
    findings
      .flatMap((finding) => leftoverComments(tree, finding, file, cachedComments))
      .map((each) => [each.line, each]),
  );
  if (leftCommentsByLine.size === 0) return NO_ITEMS;
  const [oldRows, newRows] = [tree.text().split('\n'), textAfter.split('\n')];
  return [...leftCommentsByLine.values()].flatMap((each) => {
    // A comment may occur several times. The n-th occurrence before the fixes is the n-th one after
    // the fixes.
    const commentRow = oldRows[each.line];
    const isSameComment = (row: string) => row === commentRow;
    const occurrenceIndex = oldRows.slice(0, each.line).filter(isSameComment).length;
    const newLine = newRows.flatMap((row, index) => (isSameComment(row) ? [index] : []))[occurrenceIndex];
    return newLine === undefined ? [] : [{ ...each, line: newLine }];
  });
}

/** The offsets where the lines of a finding start. */
function linesOf(tree: Tree, finding: PlacedFinding): number[] {
  return [finding, ...finding.places].map(({ start }) => tree.lineAt(start)!.offset);
}

/** The messages of access-operand-never-matches about an operand that matches no client. */
const MESSAGES_ABOUT_UNMATCHED_OPERANDS = new Set(['none', 'never-matches']);

/** The start offsets of the findings about old access lines; for `accessAt`. */
export function accessStarts(plannedItems: readonly PlanItemOfFinding[]): number[] {
  return plannedItems.flatMap(({ finding: { rule, start } }) => (rule === orderAllowDeny ? start : []));
}

/**
 * The access that the section of a finding gives, for the report. Looks for the section of the
 * first old access line at or after `start`.
 */
export function accessAt(file: string, tree: Tree, start: number): ReportAccess {
  let offset = start;
  for (
    let placedLine = tree.lineAt(offset);
    placedLine && !OLD_ACCESS_DIRECTIVES.has(placedLine.line.name);
    placedLine = tree.lineAt(offset)
  ) {
    offset = placedLine.offset + placedLine.line.length;
    if (offset >= tree.length) break;
  }
  return { file, line: tree.positionAt(start).line, answer: (markup) => accessExplanationAt(tree, offset, markup) };
}

const OLD_ACCESS_DIRECTIVES = new Set(['order', 'allow', 'deny', 'satisfy']);

/**
 * The 0-based numbers of the lines with unknown directives about which a finding in a standalone
 * file has a question. For a configuration, the question itself has the places.
 */
function unknownDirectiveRows(tree: Tree, { waitsFor }: PlacedFinding): readonly number[] {
  const unknownNames = unknownDirectiveNames(waitsFor);
  if (unknownNames.size === 0) return NO_ITEMS;
  return unknownLines(tree.root, 0)
    .filter(({ line }) => unknownNames.has(spelledName(line)))
    .map(({ offset }) => tree.positionAt(offset).line);
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The names of unknown directives in open questions that have no places. Cached by list, because
 * all findings of a configuration share one list.
 */
function unknownDirectiveNames(waitsFor: readonly OpenQuestion[]): ReadonlySet<string> {
  let cachedNames = cachedUnknownNames.get(waitsFor);
  if (cachedNames === undefined) {
    const questionsWithoutPlaces = waitsFor.filter(
      ({ kind, places }) => kind === 'unknown-directives' && places.length === 0,
    );
    cachedUnknownNames.set(waitsFor, (cachedNames = new Set(questionsWithoutPlaces.map(({ subject }) => subject))));
  }
  return cachedNames;
}

const cachedUnknownNames = cacheOf<readonly OpenQuestion[], ReadonlySet<string>>();

/**
 * The directive as spelled in the file; for LoadModule with the name of the module. Undefined for a
 * section or a comment.
 */
function directiveOf(line: Line): string | undefined {
  if (line.kind !== LineKind.Directive) return undefined;
  const lineText = line.text.trim();
  if (line.name === 'loadmodule') {
    const [directiveName = '', moduleName = ''] = lineText.split(/[\s\\]+/, 2);
    return `${directiveName} ${moduleName}`;
  }
  const nameEnd = lineText.search(/[\s\\]/);
  return nameEnd < 0 ? lineText : lineText.slice(0, nameEnd);
}
