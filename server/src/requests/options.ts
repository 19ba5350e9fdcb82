/** The words of an Options line. */

/** Whether Options sets an option; null if it does not change it (set_options in server/core.c). */
export function setsOption(words: readonly string[], option: string): boolean | null {
  const names = words.map((word) => word.toLowerCase());
  const has = (sign: string) => names.includes(`${sign}${option}`) || names.includes(`${sign}all`);
  if (!names.some((name) => /^[+-]/.test(name))) return has('');
  return has('+') ? true : has('-') ? false : null;
}
