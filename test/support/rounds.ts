/** HTTPD_UPGRADE_ROUNDS=10: ten times as many random cases as usual. */
const TIMES = Number(process.env.HTTPD_UPGRADE_ROUNDS ?? 1);

/**
 * The number of rounds of a random test, or the number of cases that such a test must have seen.
 */
export function rounds(usual: number): number {
  return Math.ceil(usual * TIMES);
}
