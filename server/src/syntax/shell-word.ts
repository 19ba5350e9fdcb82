/** A word as a shell reads it back. With `isPattern`, wildcards stay for the shell to expand. */
export function shellWord(word: string, isPattern = false): string {
  if (isPattern ? /^[\w@%+=:,./*?[\]-]+$/.test(word) : /^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replace(/'/g, "'\\''")}'`;
}
