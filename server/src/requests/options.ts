/** The words of an Options line. */

/**
 * Whether an Options line sets an option. Null if it leaves the option unchanged (set_options in
 * server/core.c).
 */
export function setsOption(words: readonly string[], option: string): boolean | null {
  const lowerCaseWords = words.map((word) => word.toLowerCase());
  const hasOption = (sign: string) =>
    lowerCaseWords.includes(`${sign}${option}`) || lowerCaseWords.includes(`${sign}all`);
  if (!lowerCaseWords.some((name) => /^[+-]/.test(name))) return hasOption('');
  return hasOption('+') ? true : hasOption('-') ? false : null;
}
