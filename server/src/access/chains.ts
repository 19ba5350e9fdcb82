/** The requests that a section is the last one to apply to, as lists of sections: which of them are to be looked at again. */
import type { Step } from './sections-before';

/** What may apply to one request, for all requests that one section is the last to apply to; and which of these are to be looked at. */
export class Chains {
  /** A heap: the first one comes first. */
  private readonly due: number[];
  private readonly isDue: Uint8Array;

  constructor(readonly all: readonly (readonly Step[])[]) {
    this.due = all.map((_, index) => index);
    this.isDue = new Uint8Array(all.length).fill(1);
  }

  add(index: number): void {
    if (this.isDue[index] === 1) return;
    this.isDue[index] = 1;
    const { due } = this;
    let at = due.push(index) - 1;
    for (let above = (at - 1) >> 1; at > 0 && due[above]! > index; at = above, above = (at - 1) >> 1)
      due[at] = due[above]!;
    due[at] = index;
  }

  /** The first one to be looked at, which then is not any more; null for none. */
  next(): number | null {
    const { due } = this;
    const [first] = due;
    if (first === undefined) return null;
    const moved = due.pop()!;
    this.isDue[first] = 0;
    if (due.length === 0) return first;
    let at = 0;
    for (let below = 1; below < due.length; below = 2 * at + 1) {
      if (below + 1 < due.length && due[below + 1]! < due[below]!) below++;
      if (due[below]! >= moved) break;
      due[at] = due[below]!;
      at = below;
    }
    due[at] = moved;
    return first;
  }
}
