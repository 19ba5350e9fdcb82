/**
 * `npm run test:unit` answers in seconds (client/scripts/test.mjs says so by HTTPD_UPGRADE_UNIT): it reads no corpus, and it takes a tenth of what is made at random. `npm test` takes
 * everything, and with HTTPD_UPGRADE_ROUNDS=10 ten times as much of what is made at random.
 */
export const isUnit = process.env.HTTPD_UPGRADE_UNIT === '1';

/** How many rounds of a test that goes on at random, or how much such a test must at least have seen. */
export function rounds(all: number): number {
  return Math.ceil(isUnit ? all / 10 : all * TIMES);
}

const TIMES = Number(process.env.HTTPD_UPGRADE_ROUNDS ?? 1);
