/**
 * The list of the requests that still have to be checked. A request can be added again after it was
 * checked. Each request is an index into `sectionsOfRequests`.
 */
import type { AppliedSection } from './sections-before';

/** The requests of a list, and which of them still have to be checked. */
export class PendingRequests {
  private readonly isPending: boolean[];
  /** Index into `isPending`. No request before it is on the list. */
  private firstPending = 0;

  /**
   * `sectionsOfRequests`: for each request, the sections that apply to it. At first, every request
   * is on the list.
   */
  constructor(readonly sectionsOfRequests: readonly (readonly AppliedSection[])[]) {
    this.isPending = sectionsOfRequests.map(() => true);
  }

  /** Puts a request back on the list. */
  add(index: number): void {
    this.isPending[index] = true;
    if (index < this.firstPending) this.firstPending = index;
  }

  /** Takes the first request from the list. Returns null if the list is empty. */
  takeNext(): number | null {
    const { isPending } = this;
    while (this.firstPending < isPending.length && !isPending[this.firstPending]) this.firstPending++;
    if (this.firstPending === isPending.length) return null;
    isPending[this.firstPending] = false;
    return this.firstPending++;
  }
}
