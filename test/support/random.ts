/** Seeded random numbers (mulberry32), so that a failing run can be repeated by its seed. */
export class Random {
  constructor(private state: number) {}

  /** 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)];
  }
}

/** The seed of this run: HTTPD_UPGRADE_SEED, or a new one. Print it when a test fails. */
export function seed(): number {
  const given = process.env.HTTPD_UPGRADE_SEED;
  return given ? Number(given) : Date.now() % 1_000_000_007;
}
