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

/** Which sections go with which. Most go with one or two, and some with all of thousands. */
export class Relations {
  private readonly lists = new ByEntry<Entry[] | Set<Entry>>();

  has(one: Entry): boolean {
    return this.lists.has(one);
  }

  of(one: Entry): Iterable<Entry> {
    return this.lists.get(one) ?? NOTHING;
  }

  add(one: Entry, other: Entry): void {
    if (this.note(one, other)) this.note(other, one);
  }

  /** Whether it is new. */
  private note(one: Entry, other: Entry): boolean {
    const known = this.lists.get(one);
    if (known === undefined) {
      this.lists.set(one, [other]);
      return true;
    }
    if (known instanceof Set) return known.size < known.add(other).size;
    if (known.includes(other)) return false;
    if (known.length < MOST_LISTED) known.push(other);
    else this.lists.set(one, new Set([...known, other]));
    return true;
  }
}

const NOTHING: readonly Entry[] = [];
const MOST_LISTED = 8;
