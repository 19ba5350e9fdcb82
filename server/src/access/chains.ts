/**
 * A work list: numbers of requests that must be checked (again). Each request is given by the
 * sections that apply to it.
 */
import type { AppliedSection } from './sections-before';

export class PendingRequests {
  private readonly isDue: boolean[];
  /** Index into `isDue` before which no request is on the list. */
  private firstDue = 0;

  /** `all`: for each request, the sections that apply to it. */
  constructor(readonly all: readonly (readonly AppliedSection[])[]) {
    this.isDue = all.map(() => true);
  }

  /** Puts a request back on the list. */
  add(index: number): void {
    this.isDue[index] = true;
    if (index < this.firstDue) this.firstDue = index;
  }

  /** Takes the first request from the list. Returns null if the list is empty. */
  next(): number | null {
    const { isDue } = this;
    while (this.firstDue < isDue.length && !isDue[this.firstDue]) this.firstDue++;
    if (this.firstDue === isDue.length) return null;
    isDue[this.firstDue] = false;
    return this.firstDue++;
  }
}
