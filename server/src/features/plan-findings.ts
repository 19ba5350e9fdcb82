/**
 * Converts findings of a file for the upgrade plan: the old access lines of a section are one item,
 * and a refused section stays unchanged.
 */
import type { OpenQuestion } from '../access/open-question';
import type { PlacedFinding } from '../analysis/engine';
import { commentedAccess, commentsLeft } from '../analysis/comments';
import { around } from '../analysis/suppression';
import { planFinding, type CommentedOut, type PlanFinding } from '../analysis/upgrade-plan';
import { unknownLines } from '../config/unknown-names';
import { isTransparent, sectionKind } from '../config/sections';
import { accessOperandNeverMatches } from '../rules/access-operand-never-matches';
import { inactiveText } from '../rules/inactive-text';
import { orderAllowDeny } from '../rules/order-allow-deny';
import type { Tree } from '../syntax/document';
import { LineKind, spelledName } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { Section } from '../syntax/tree';
import { accessAnswer } from './explain-access';
import type { ReportAccess } from './report/upgrade-report';

export interface PlannedFile {
  /** The short name of the file. */
  readonly name: string;
  readonly tree: Tree;
  /** In the order of the text. */
  readonly findings: Iterable<PlacedFinding>;
  /** Why the old access line at an offset stays; null if it does not. */
  readonly refusalAt: (offset: number) => string | null;
}

/** The plan's item for a finding, and the finding. */
export interface Planned {
  readonly planned: PlanFinding;
  readonly finding: PlacedFinding;
}

export function plannedFindings({ name, tree, findings, refusalAt }: PlannedFile): Planned[] {
  const seen = new Set<string>();
  const left = new Map<unknown, CommentedOut[]>();
  const all: Planned[] = [];
  for (const finding of findings) {
    // Text that the editor fades needs no work.
    if (finding.rule === inactiveText) continue;
    const section = sectionOf(tree, finding);
    if (section !== null && seen.has(section)) continue;
    if (section !== null) seen.add(section);
    const refusal = finding.rule === orderAllowDeny ? refusalAt(tree.lineAt(finding.start)!.offset) : null;
    const commentedOut =
      section === null
        ? []
        : commentedAccess(tree, finding.start).map(({ line, offset }) => ({
            file: name,
            line: tree.positionAt(offset).line,
            text: line.text.trim(),
          }));
    all.push({
      finding,
      planned: {
        ...planFinding(finding, { file: name, line: tree.positionAt(finding.start).line }),
        directive: directiveAt(tree, finding.start),
        commentedOut,
        unknownLines: unknownBeside(tree, finding),
        leftComments: leftBy(tree, finding, name, left),
        // A reason ends with what to do.
        ...(refusal !== null && { message: `Not converted: ${refusal}`, help: undefined }),
      },
    });
  }
  // After the conversion of its line, such a word is removed or answered by the user.
  const converted = new Set(
    all
      .filter(({ finding, planned }) => finding.rule === orderAllowDeny && planned.fix !== null)
      .flatMap(({ finding }) => linesOf(tree, finding)),
  );
  return converted.size === 0
    ? all
    : all.filter(
        ({ finding }) =>
          !MISTAKES.has(finding.messageId) ||
          finding.rule !== accessOperandNeverMatches ||
          !linesOf(tree, finding).some((line) => converted.has(line)),
      );
}

/**
 * The comments that its first fix leaves without lines below; a conversion includes those of its
 * lines. `known`: results by edits, because many findings share them.
 */
function leftBy(
  tree: Tree,
  finding: PlacedFinding,
  file: string,
  cachedByEdits: Map<unknown, CommentedOut[]>,
): CommentedOut[] {
  const [fix] = finding.rule === orderAllowDeny ? [] : finding.fixes;
  if (!fix || fix.safety !== 'safe') return [];
  const { fixBase } = finding;
  let left = fixBase === 0 ? cachedByEdits.get(fix.edits) : undefined;
  if (left) return left;
  left = commentsLeft(
    tree,
    fix.edits.map(({ start, end, text }) => ({ start: start + fixBase, end: end + fixBase, text })),
  ).map(({ offset, of }) => ({ file, line: tree.positionAt(offset).line, text: of }));
  if (fixBase === 0) cachedByEdits.set(fix.edits, left);
  return left;
}

/** The starts of its lines. */
function linesOf(tree: Tree, finding: PlacedFinding): number[] {
  return [finding, ...finding.places].map(({ start }) => tree.lineAt(start)!.offset);
}

const MISTAKES = new Set(['none', 'never-matches']);

/**
 * Who has access according to the section of a finding, for the report; empty for other findings.
 * Uses the first old line after the finding's start.
 */
export function accessOf(file: string, tree: Tree, { finding: { rule, start } }: Planned): ReportAccess[] {
  if (rule !== orderAllowDeny) return [];
  let offset = start;
  for (let placed = tree.lineAt(offset); placed && !OLD_LINES.has(placed.line.name); placed = tree.lineAt(offset)) {
    offset = placed.offset + placed.line.length;
    if (offset >= tree.length) break;
  }
  return [{ file, line: tree.positionAt(start).line, answer: (marks) => accessAnswer(tree, offset, marks) }];
}

const OLD_LINES = new Set(['order', 'allow', 'deny', 'satisfy']);

/**
 * The lines of unknown directives that a finding in a standalone file has a question about; for a
 * configuration, the question has the places.
 */
function unknownBeside(tree: Tree, { waitsFor }: PlacedFinding): number[] {
  const names = unknownIn(waitsFor);
  if (names.size === 0) return [];
  return unknownLines(tree.root, 0)
    .filter(({ line }) => names.has(spelledName(line)))
    .map(({ offset }) => tree.positionAt(offset).line);
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The names of unknown directives in open questions without places. All findings of a configuration
 * share one list.
 */
function unknownIn(waitsFor: readonly OpenQuestion[]): ReadonlySet<string> {
  let names = unknown.get(waitsFor);
  if (names === undefined) {
    const withoutPlaces = waitsFor.filter(({ kind, places }) => kind === 'unknown-directives' && places.length === 0);
    unknown.set(waitsFor, (names = new Set(withoutPlaces.map(({ subject }) => subject))));
  }
  return names;
}

const unknown = cacheOf<readonly OpenQuestion[], ReadonlySet<string>>();

/**
 * The directive at an offset as the user wrote it, with the name of the module for a LoadModule
 * line; undefined if there is none.
 */
function directiveAt(tree: Tree, offset: number): string | undefined {
  const line = tree.lineAt(offset)?.line;
  if (!line || line.kind !== LineKind.Directive) return undefined;
  const [first = '', second = ''] = line.text.trim().split(/[\s\\]+/, 2);
  return line.name === 'loadmodule' ? `${first} ${second}` : first;
}

/** The access section of a finding: its old lines are one item. null for other findings. */
function sectionOf(tree: Tree, finding: PlacedFinding): string | null {
  if (finding.rule !== orderAllowDeny) return null;
  const sections = around(tree, finding.start).flatMap(({ item, offset }) =>
    item instanceof Section && !isTransparent(sectionKind(item.name)) ? [offset] : [],
  );
  return String(sections.at(-1) ?? -1);
}
