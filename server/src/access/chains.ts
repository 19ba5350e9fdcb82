/** The requests that one section is the last to apply to, and which of them are to be looked at. */
import type { Step } from './sections-before';

export class Chains {
  private readonly isDue: boolean[];
  /** No earlier request is to be looked at. */
  private first = 0;

  /** `all`: the sections that apply to each request. */
  constructor(readonly all: readonly (readonly Step[])[]) {
    this.isDue = all.map(() => true);
  }

  /** A request is to be looked at again. */
  add(index: number): void {
    this.isDue[index] = true;
    if (index < this.first) this.first = index;
  }

  /** The first request that is to be looked at; null if there is none. */
  next(): number | null {
    const { isDue } = this;
    while (this.first < isDue.length && !isDue[this.first]) this.first++;
    if (this.first === isDue.length) return null;
    isDue[this.first] = false;
    return this.first++;
  }
}
