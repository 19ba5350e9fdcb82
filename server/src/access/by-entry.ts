/** What is said of sections, by their order in the configuration. */
import type { Entry } from './section-order';

/** What there is to say of some sections, in the order in which it was said first. A number is a faster key than an object, and there are many sections. */
export class ByEntry<T> {
  private readonly values: (T | undefined)[] = [];
  private readonly told: Entry[] = [];

  get size(): number {
    return this.told.length;
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
    if (values[entry.order] === undefined) this.told.push(entry);
    values[entry.order] = value;
  }

  keys(): readonly Entry[] {
    return this.told;
  }

  *[Symbol.iterator](): Generator<[Entry, T]> {
    for (const entry of this.told) yield [entry, this.get(entry)!];
  }
}

/**
 * Which sections go with which. Most go with one or two, and some with all of thousands: then there are as many pairs as anything here has to look at, so that a pair is two numbers in two lists and no
 * more. What goes with a section is added in one go (`add(one, …)`, `add(one, …)`).
 */
export class Relations {
  private readonly lists = new ByEntry<Entry[]>();
  /** By the order of sections: the last question that came upon each. */
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
    // Of long lists it is not known whether they have it from the other one's turn.
    if (ofOne && ofOther && (ofOther.at(-1) === one || (ofOne.length <= FEW && ofOne.includes(other)))) return;
    if (ofOne) ofOne.push(other);
    else this.lists.set(one, [other]);
    if (ofOther) ofOther.push(one);
    else this.lists.set(other, [one]);
  }
}

const NOTHING: readonly Entry[] = [];
/** So many are looked through, each time one is added. */
const FEW = 8;
