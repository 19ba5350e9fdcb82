/** Values of sections, by the order of the sections in the configuration. */
import type { Entry } from './section-order';

/**
 * A value for some sections, in the order in which they were set first. Their numbers are faster
 * keys than objects.
 */
export class ByEntry<T> {
  private readonly values: (T | undefined)[] = [];
  private readonly entries: Entry[] = [];

  get size(): number {
    return this.entries.length;
  }

  has({ order }: Entry): boolean {
    return order < this.values.length && this.values[order] !== undefined;
  }

  get({ order }: Entry): T | undefined {
    return order < this.values.length ? this.values[order] : undefined;
  }

  set(entry: Entry, value: T): void {
    const { values } = this;
    while (values.length <= entry.order) values.push(undefined);
    if (values[entry.order] === undefined) this.entries.push(entry);
    values[entry.order] = value;
  }

  keys(): readonly Entry[] {
    return this.entries;
  }

  copy(): ByEntry<T> {
    const copy = new ByEntry<T>();
    for (const entry of this.entries) copy.set(entry, this.get(entry)!);
    return copy;
  }

  *[Symbol.iterator](): Generator<[Entry, T]> {
    for (const entry of this.entries) yield [entry, this.get(entry)!];
  }
}

/**
 * Pairs of sections that may apply to one request. Most sections are in one or two pairs, some in
 * thousands, so a pair is no more than an item of two lists. The pairs of a section are added one
 * after the other (`add(one, …)`, `add(one, …)`).
 */
export class Relations {
  private readonly lists = new ByEntry<Entry[]>();
  /** By the order of sections: the last call of `of` that found each. */
  private readonly seen: number[] = [];
  private questions = 0;

  has(one: Entry): boolean {
    return this.lists.has(one);
  }

  /** Each once, in the order in which they were added. */
  of(one: Entry): readonly Entry[] {
    const all = this.lists.get(one) ?? NOTHING;
    if (all.length <= FEW) return all;
    const { seen } = this;
    const question = ++this.questions;
    return all.filter(({ order }) => {
      while (seen.length <= order) seen.push(0);
      if (seen[order] === question) return false;
      seen[order] = question;
      return true;
    });
  }

  add(one: Entry, other: Entry): void {
    const ofOne = this.lists.get(one);
    const ofOther = this.lists.get(other);
    // In long lists the pair is not looked for. `of` leaves out what is there twice.
    if (ofOne && ofOther && (ofOther.at(-1) === one || (ofOne.length <= FEW && ofOne.includes(other)))) return;
    if (ofOne) ofOne.push(other);
    else this.lists.set(one, [other]);
    if (ofOther) ofOther.push(one);
    else this.lists.set(other, [one]);
  }
}

const NOTHING: readonly Entry[] = [];
/** Lists of up to this length are searched whenever a pair is added. */
const FEW = 8;
