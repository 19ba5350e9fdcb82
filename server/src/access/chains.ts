/**
 * A work list of requests to check. A request can be added again after it was checked. Requests are
 * numbered; each is given as the list of the sections that apply to it.
 */
import type { AppliedSection } from './sections-before';

export class PendingRequests {
  private readonly isDue: boolean[];
  /** Index into `isDue` before which no request is on the list. */
  private firstDue = 0;

  /** `sectionsOfRequests`: for each request, the sections that apply to it. */
  constructor(readonly sectionsOfRequests: readonly (readonly AppliedSection[])[]) {
    this.isDue = sectionsOfRequests.map(() => true);
  }

  /** Puts a request back on the list. */
  add(index: number): void {
    this.isDue[index] = true;
    if (index < this.firstDue) this.firstDue = index;
  }

  /** Takes the first request from the list. Returns null if the list is empty. */
  takeNext(): number | null {
    const { isDue } = this;
    while (this.firstDue < isDue.length && !isDue[this.firstDue]) this.firstDue++;
    if (this.firstDue === isDue.length) return null;
    isDue[this.firstDue] = false;
    return this.firstDue++;
  }
}
