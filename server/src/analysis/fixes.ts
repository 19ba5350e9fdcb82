/** Selects fixes, resolves overlaps between them, and applies them to a text. */
import type { Edit, Fix } from '../rules/rule';
import { Fact, hasFact } from '../rules/support/facts';
import { Tree } from '../syntax/document';
import { commentEdits } from './comments';
import type { EngineView, FileInfo } from './engine-view';
import type { PlacedFinding } from './findings';

/** A fix with the offsets of its edits in the file. */
export interface PlacedFix {
  readonly finding: PlacedFinding;
  readonly fix: Fix;
  readonly edits: readonly Edit[];
}

/**
 * The safety of the fix that `fix --unsafe` would make for a finding. `none` if there is no fix, or
 * if the user must choose one.
 */
export function fixability(finding: PlacedFinding): 'safe' | 'suggestion' | 'none' {
  return finding.safetyOfOnlyFix ?? selectedFix(finding.fixes, { unsafe: true })?.safety ?? 'none';
}

/**
 * Like `fixability`, but faster: considers only the fixes that the rule makes for the finding
 * alone. Fixes that depend on the rest of the file are left out.
 */
export function ruleFixability(finding: PlacedFinding): 'safe' | 'suggestion' | 'none' {
  return selectedFix(finding.ruleFixes, { unsafe: true })?.safety ?? 'none';
}

/** The fix of a finding that a selection takes; undefined if it takes none. */
export function selectedFix(fixes: readonly Fix[], { unsafe = false, rules }: FixSelection): Fix | undefined {
  const safeFix = fixes.find((fix) => fix.safety === 'safe');
  if (safeFix || !unsafe) return safeFix;
  return fixes.find((fix) => !fix.isAppliedAlone || rules !== undefined);
}

/** All fixes of a finding, with the offsets of their edits in the file. */
export function fixesOf(finding: PlacedFinding): PlacedFix[] {
  return finding.fixes.map((fix) => ({ finding, fix, edits: placedEdits(finding, fix) }));
}

/** Which of the offered fixes to apply. */
export interface FixSelection {
  /**
   * Whether suggestions are selected, too. From a finding without a safe fix, the first suggestion
   * is taken. A fix with alternatives is selected only if `rules` are given.
   */
  readonly unsafe?: boolean;
  /** If set, only fixes of these rules are selected. */
  readonly rules?: readonly string[];
}

/**
 * Selects at most one fix for each finding. If two fixes change the same text, only the first is
 * selected. A fix that several findings share is selected once.
 */
export function selectFixes(findings: readonly PlacedFinding[], selection: FixSelection = {}): PlacedFix[] {
  const chosenFixes: PlacedFix[] = [];
  const selectedKeys = new Set<string>();
  const baseOffsetsByFix = new Map<Fix, Set<number>>();
  const selectedEdits = new SelectedEdits();
  for (const finding of findings) {
    if (selection.rules && !selection.rules.includes(finding.rule.id)) continue;
    const candidateFix = selectedFix(finding.fixes, selection);
    // All lines of a section share one fix. It is recognized by its object, because comparing its
    // edits for each line would take quadratic time.
    if (!candidateFix || baseOffsetsByFix.get(candidateFix)?.has(finding.fixBase)) continue;
    (baseOffsetsByFix.get(candidateFix) ?? baseOffsetsByFix.set(candidateFix, new Set()).get(candidateFix)!).add(
      finding.fixBase,
    );
    const fix = { finding, fix: candidateFix, edits: placedEdits(finding, candidateFix) };
    const editsKey = JSON.stringify(fix.edits);
    if (selectedKeys.has(editsKey)) continue;
    if (fix.edits.some((edit) => selectedEdits.overlapsWith(edit))) continue;
    selectedKeys.add(editsKey);
    selectedEdits.add(fix.edits);
    chosenFixes.push(fix);
  }
  return chosenFixes;
}

/**
 * Maximum number of edits in a block of `SelectedEdits`. Blocks are short, so that inserting an
 * edit moves only few others.
 */
const MAX_BLOCK_EDITS = 32;

/** The edits of the fixes that are already selected. */
export class SelectedEdits {
  /** The edits in the order in which they were added. */
  readonly edits: Edit[] = [];
  /**
   * The edits in text order, divided into blocks. If several edits insert text at one place, the
   * blocks have only the first.
   */
  private readonly blocks: Edit[][] = [];

  /** Whether an edit overlaps one of these edits. */
  overlapsWith(edit: Edit): boolean {
    let [block, index] = this.placeOfFirstFrom(edit.start);
    const editBefore = index > 0 ? this.blocks[block]![index - 1] : this.blocks[block - 1]?.at(-1);
    if (editBefore && doOverlap(editBefore, edit)) return true;
    for (; block < this.blocks.length; block++, index = 0) {
      const edits = this.blocks[block]!;
      for (; index < edits.length; index++) {
        if (edits[index]!.start >= edit.end) return false;
        if (doOverlap(edits[index]!, edit)) return true;
      }
    }
    return false;
  }

  /** Adds edits that overlap none of these edits. */
  add(edits: readonly Edit[]): void {
    for (const edit of edits) {
      this.edits.push(edit);
      this.insert(edit);
    }
  }

  /**
   * Puts an edit into the blocks. An insertion is left out if there already is one at the same
   * place.
   */
  private insert(edit: Edit): void {
    const isInsertion = edit.end === edit.start;
    let [block, index] = this.placeOfFirstFrom(edit.start);
    const editAtIndex = (): Edit | undefined => this.blocks[block]?.[index];
    if (isInsertion && editAtIndex()?.start === edit.start && editAtIndex()?.end === edit.start) return;
    // An insertion must come before a replacement that starts at the same place, because
    // `overlapsWith` compares with only one earlier edit.
    while (!isInsertion && editAtIndex()?.start === edit.start)
      if (++index === this.blocks[block]!.length) [block, index] = [block + 1, 0];
    if (index === 0 && block > 0) index = this.blocks[--block]!.length;
    const edits = this.blocks[block];
    if (!edits) this.blocks.push([edit]);
    else edits.splice(index, 0, edit);
    if (edits && edits.length > MAX_BLOCK_EDITS) this.blocks.splice(block + 1, 0, edits.splice(MAX_BLOCK_EDITS / 2));
  }

  /**
   * Returns the index of the block that has the first edit at `start` or later, and the index of
   * that edit in the block. If there is no such edit, returns the number of blocks and 0.
   */
  private placeOfFirstFrom(start: number): [number, number] {
    const block = firstIndexWhere(this.blocks, (edits) => edits.at(-1)!.start >= start);
    return [
      block,
      block < this.blocks.length ? firstIndexWhere(this.blocks[block]!, (edit) => edit.start >= start) : 0,
    ];
  }
}

/** Applies edits that do not overlap, in the order of `sortedEdits`. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let position = 0;
  for (const edit of sortedEdits(edits)) {
    pieces.push(text.slice(position, edit.start), edit.text);
    position = edit.end;
  }
  pieces.push(text.slice(position));
  return pieces.join('');
}

/**
 * The edits that undo `edits`, which must not overlap. `before`: the text before `edits` were
 * applied.
 */
export function undoEdits(before: string, edits: readonly Edit[]): Edit[] {
  let shift = 0;
  return sortedEdits(edits).map(({ start, end, text }) => {
    const undoEdit = { start: start + shift, end: start + shift + text.length, text: before.slice(start, end) };
    shift += text.length - (end - start);
    return undoEdit;
  });
}

/** One edit that covers all differences between two texts. */
export function spanningEdit(before: string, after: string): Edit {
  let sharedStart = 0;
  const shorterLength = Math.min(before.length, after.length);
  while (sharedStart < shorterLength && before[sharedStart] === after[sharedStart]) sharedStart++;
  let sharedEnd = 0;
  while (
    sharedEnd < shorterLength - sharedStart &&
    before[before.length - 1 - sharedEnd] === after[after.length - 1 - sharedEnd]
  )
    sharedEnd++;
  return {
    start: sharedStart,
    end: before.length - sharedEnd,
    text: after.slice(sharedStart, after.length - sharedEnd),
  };
}

/** A text after its fixes. */
export interface FixResult {
  /** The text after the fixes. */
  readonly text: string;
  /** Number of applied fixes. */
  readonly appliedCount: number;
  /** The applied fixes in order. */
  readonly fixes: readonly { readonly rule: string; readonly title: string; readonly safety: Fix['safety'] }[];
  /** The findings in the resulting text. */
  readonly remainingFindings: readonly PlacedFinding[];
}

/**
 * Maximum number of rounds. Overlapping fixes need several rounds. If there are still fixes after
 * this many rounds, two rules probably undo each other's fixes.
 */
const MAX_ROUNDS = 10;

/** Fixes a text until nothing is left to fix, so that a second call changes nothing. */
export function fixText(engine: EngineView, text: string, file: FileInfo, selection: FixSelection = {}): FixResult {
  let currentText = text;
  const fixes: { rule: string; title: string; safety: Fix['safety'] }[] = [];
  let fileInfo = file;
  const heldBackRules = new Set(file.rulesWithWaitingFixes);
  for (let round = 0; ; round++) {
    const tree = Tree.parse(currentText);
    const analysis = engine.analyze(tree, fileInfo);
    // After the first round, lines of 2.4 can come from fixes of an earlier round. Such lines are
    // no sign of the version that the server runs.
    if (round === 0 && !hasFact(analysis.facts, Fact.loads24)) fileInfo = { ...fileInfo, isFrom22: true };
    const remainingFindings = analysis.findings();
    const openFindings = remainingFindings.filter(
      ({ rule }) => !heldBackRules.has(rule.id) && !(rule.isMisledByConversion && file.isConverted),
    );
    const selectedFixes = round < MAX_ROUNDS ? selectFixes(openFindings, selection) : [];
    if (selectedFixes.length === 0) return { text: currentText, appliedCount: fixes.length, fixes, remainingFindings };
    const edits = selectedFixes.flatMap((fix) => fix.edits);
    currentText = applyEdits(currentText, [...edits, ...commentEdits(tree, edits)]);
    for (const { fix, finding } of selectedFixes) {
      fixes.push({ rule: finding.rule.id, title: fix.title, safety: fix.safety });
      if (fix.settles !== undefined) heldBackRules.add(fix.settles);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Sorts edits by position. Insertions at one place keep their order, and come before a replacement
 * at that place.
 */
function sortedEdits(edits: readonly Edit[]): Edit[] {
  const isInsertion = ({ start, end }: Edit) => start === end;
  return [...edits].sort((a, b) => a.start - b.start || Number(isInsertion(b)) - Number(isInsertion(a)));
}

/** The edits of a fix with offsets of the file. */
function placedEdits(finding: PlacedFinding, fix: Fix): Edit[] {
  return fix.edits.map((edit) => ({
    start: finding.fixBase + edit.start,
    end: finding.fixBase + edit.end,
    text: edit.text,
  }));
}

/**
 * The index of the first item for which `isReached` is true; the length of the list if there is
 * none. `isReached` must also be true for all later items.
 */
function firstIndexWhere<Item>(items: readonly Item[], isReached: (item: Item) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isReached(items[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Whether two edits overlap. Two insertions at one place do not overlap, because one is put after
 * the other.
 */
function doOverlap(a: Edit, b: Edit): boolean {
  if (a.start === a.end && b.start === b.end) return false;
  return a.start < b.end && b.start < a.end;
}
