/**
 * `npm run test:unit` answers in seconds (client/scripts/test.mjs says so by HTTPD_UPGRADE_UNIT): it reads no corpus, and it takes a tenth of what is made at random. `npm test` takes
 * everything.
 */
export const isUnit = process.env.HTTPD_UPGRADE_UNIT === '1';

/** How many rounds of a test that goes on at random, or how much such a test must at least have seen. */
export function rounds(all: number): number {
  return isUnit ? Math.ceil(all / 10) : all;
}
