/**
 * Puts fixes together: which of several to take, what to do where they touch the same text, and the text that results.
 */
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

/** The best that the findings' fixes have: `safe`, `suggestion` or `none`; a choice is none of these. */
export function fixability(finding: PlacedFinding): 'safe' | 'suggestion' | 'none' {
  return finding.safetyOfFix ?? fixToTake(finding.fixes, { unsafe: true })?.safety ?? 'none';
}

/** The same as far as the rule by itself tells: what costs no look at the rest of the file. */
export function ownFixability(finding: PlacedFinding): 'safe' | 'suggestion' | 'none' {
  return fixToTake(finding.ownFixes, { unsafe: true })?.safety ?? 'none';
}

/** The fix that a selection takes of those of a finding. */
export function fixToTake(fixes: readonly Fix[], { unsafe = false, rules }: FixSelection): Fix | undefined {
  const safe = fixes.find((fix) => fix.safety === 'safe');
  if (safe || !unsafe) return safe;
  return fixes.find((fix) => !fix.isChoice || rules !== undefined);
}

/** All fixes of a finding, placed. */
export function fixesOf(finding: PlacedFinding): PlacedFix[] {
  return (finding.fixes ?? []).map((fix) => ({ finding, fix, edits: placed(finding, fix) }));
}

export interface FixSelection {
  /** Take suggestions too: of each finding the first, where it has no safe fix. Choices only where the rules are named. */
  readonly unsafe?: boolean;
  /** Of these rules only. */
  readonly rules?: readonly string[];
}

/**
 * One fix for each finding that has one to take, without overlaps: of two that touch the same text the first is taken.
 * Fixes that several findings share are taken once.
 */
export function selectFixes(findings: readonly PlacedFinding[], selection: FixSelection = {}): PlacedFix[] {
  const chosen: PlacedFix[] = [];
  const seen = new Set<string>();
  const shared = new Map<Fix, Set<number>>();
  const taken = new TakenEdits();
  for (const finding of findings) {
    if (selection.rules && !selection.rules.includes(finding.rule.id)) continue;
    const best = fixToTake(finding.fixes, selection);
    // The lines of a section share one fix: looking at it once for each line would take a time that grows with its square.
    if (!best || shared.get(best)?.has(finding.fixBase)) continue;
    (shared.get(best) ?? shared.set(best, new Set()).get(best)!).add(finding.fixBase);
    const fix = { finding, fix: best, edits: placed(finding, best) };
    const key = JSON.stringify(fix.edits);
    if (seen.has(key)) continue;
    if (fix.edits.some((edit) => taken.isTouchedBy(edit))) continue;
    seen.add(key);
    taken.add(fix.edits);
    chosen.push(fix);
  }
  return chosen;
}

/** So many edits stand in one block at most: what comes in between moves no others. */
const BLOCK = 32;

/** Edits of a text that were chosen so far. */
export class TakenEdits {
  /** As they were added. */
  readonly edits: Edit[] = [];
  /** In the order of the text, in blocks; of several that are inserted at one place the first. */
  private readonly blocks: Edit[][] = [];

  isTouchedBy(edit: Edit): boolean {
    let [block, index] = this.firstFrom(edit.start);
    const before = index > 0 ? this.blocks[block]![index - 1] : this.blocks[block - 1]?.at(-1);
    if (before && overlap(before, edit)) return true;
    for (; block < this.blocks.length; block++, index = 0) {
      const edits = this.blocks[block]!;
      for (; index < edits.length; index++) {
        if (edits[index]!.start >= edit.end) return false;
        if (overlap(edits[index]!, edit)) return true;
      }
    }
    return false;
  }

  add(edits: readonly Edit[]): void {
    for (const edit of edits) {
      this.edits.push(edit);
      this.put(edit);
    }
  }

  private put(edit: Edit): void {
    const isInsertion = edit.end === edit.start;
    let [block, index] = this.firstFrom(edit.start);
    const at = (): Edit | undefined => this.blocks[block]?.[index];
    if (isInsertion && at()?.start === edit.start && at()?.end === edit.start) return;
    // What is inserted in front of a text stands before what replaces the text: whoever comes behind both looks at the last of them.
    while (!isInsertion && at()?.start === edit.start)
      if (++index === this.blocks[block]!.length) [block, index] = [block + 1, 0];
    if (index === 0 && block > 0) index = this.blocks[--block]!.length;
    const edits = this.blocks[block];
    if (!edits) this.blocks.push([edit]);
    else edits.splice(index, 0, edit);
    if (edits && edits.length > BLOCK) this.blocks.splice(block + 1, 0, edits.splice(BLOCK / 2));
  }

  /** The block and the index in it of the first edit that starts at `start` or behind it; behind the last block where there is none. */
  private firstFrom(start: number): [number, number] {
    const block = firstIndex(this.blocks, (edits) => edits.at(-1)!.start >= start);
    return [block, block < this.blocks.length ? firstIndex(this.blocks[block]!, (edit) => edit.start >= start) : 0];
  }
}

/** Applies edits that do not overlap, see `inOrder`. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let position = 0;
  for (const edit of inOrder(edits)) {
    pieces.push(text.slice(position, edit.start), edit.text);
    position = edit.end;
  }
  pieces.push(text.slice(position));
  return pieces.join('');
}

/** The edits that make of the text after `edits`, which do not overlap, the text before them. */
export function inverted(before: string, edits: readonly Edit[]): Edit[] {
  let shift = 0;
  return inOrder(edits).map(({ start, end, text }) => {
    const back = { start: start + shift, end: start + shift + text.length, text: before.slice(start, end) };
    shift += text.length - (end - start);
    return back;
  });
}

/** One edit that spans all differences. */
export function spanningEdit(before: string, after: string): Edit {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start++;
  let tail = 0;
  while (tail < shorter - start && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return { start, end: before.length - tail, text: after.slice(start, after.length - tail) };
}

export interface FixResult {
  readonly text: string;
  /** How many fixes went in. */
  readonly applied: number;
  /** Titles of the fixes in order, by rule. */
  readonly fixes: readonly { readonly rule: string; readonly title: string; readonly safety: Fix['safety'] }[];
  /** What is left in the text. */
  readonly remaining: readonly PlacedFinding[];
}

/** Fixes that lie over each other need another round; more rounds than this means that two rules disagree. */
const MAX_ROUNDS = 10;

/** Fixes a text until nothing more is to be fixed: doing it twice is doing it once. */
export function fixText(engine: EngineView, text: string, file: FileInfo, selection: FixSelection = {}): FixResult {
  let current = text;
  const fixes: { rule: string; title: string; safety: Fix['safety'] }[] = [];
  let info = file;
  const heldBack = new Set(file.heldBack);
  for (let round = 0; ; round++) {
    const tree = Tree.parse(current);
    const analysis = engine.analyze(tree, info);
    // What one round writes tells the next nothing about the server.
    if (round === 0 && !hasFact(analysis.facts, Fact.loads24)) info = { ...info, isFrom22: true };
    const remaining = analysis.findings();
    const open = remaining.filter(({ rule }) => !heldBack.has(rule.id));
    const chosen = round < MAX_ROUNDS ? selectFixes(open, selection) : [];
    if (chosen.length === 0) return { text: current, applied: fixes.length, fixes, remaining };
    const edits = chosen.flatMap((fix) => fix.edits);
    current = applyEdits(current, [...edits, ...commentEdits(tree, edits)]);
    for (const { fix, finding } of chosen) {
      fixes.push({ rule: finding.rule.id, title: fix.title, safety: fix.safety });
      if (fix.settles !== undefined) heldBack.add(fix.settles);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** By their places; what is inserted at one place goes in in its order, in front of what is replaced from there on. */
function inOrder(edits: readonly Edit[]): Edit[] {
  const isInsertion = ({ start, end }: Edit) => start === end;
  return [...edits].sort((a, b) => a.start - b.start || Number(isInsertion(b)) - Number(isInsertion(a)));
}

/** Edits in a fix are relative to what the finding was relative to: the finding says how far that is from the file's start. */
function placed(finding: PlacedFinding, fix: Fix): Edit[] {
  return fix.edits.map((edit) => ({
    start: finding.fixBase + edit.start,
    end: finding.fixBase + edit.end,
    text: edit.text,
  }));
}

/** The index of the first item from which on `isThere` holds; the length where there is none. */
function firstIndex<Item>(items: readonly Item[], isThere: (item: Item) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isThere(items[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Two that insert at one place go in one after the other. */
function overlap(a: Edit, b: Edit): boolean {
  if (a.start === a.end && b.start === b.end) return false;
  return a.start < b.end && b.start < a.end;
}
