/**
 * The list of the requests that still have to be checked. A request can be added again after it was
 * checked. Each request is an index into `sectionsOfRequests`.
 */
import type { AppliedSection } from './sections-before';

/** The requests of a list, and which of them still have to be checked. */
export class PendingRequests {
  private readonly pendingFlags: boolean[];
  /** Index into `pendingFlags`. No request before it is on the list. */
  private firstPendingIndex = 0;

  /**
   * `sectionsOfRequests`: for each request, the sections that apply to it. At first, every request
   * is on the list.
   */
  constructor(readonly sectionsOfRequests: readonly (readonly AppliedSection[])[]) {
    this.pendingFlags = sectionsOfRequests.map(() => true);
  }

  /** Puts a request back on the list. */
  add(index: number): void {
    this.pendingFlags[index] = true;
    if (index < this.firstPendingIndex) this.firstPendingIndex = index;
  }

  /** Takes the first request from the list. Returns null if the list is empty. */
  takeNext(): number | null {
    const { pendingFlags } = this;
    while (this.firstPendingIndex < pendingFlags.length && !pendingFlags[this.firstPendingIndex])
      this.firstPendingIndex++;
    if (this.firstPendingIndex === pendingFlags.length) return null;
    pendingFlags[this.firstPendingIndex] = false;
    return this.firstPendingIndex++;
  }
}
