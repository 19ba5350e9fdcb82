/** What a test needs and this machine does not have: it is skipped and says what to install; in CI it fails. */
export function lacks(test: Mocha.Context, what: string): never {
  if (process.env.CI) throw new Error(what);
  console.warn(what);
  return test.skip();
}
