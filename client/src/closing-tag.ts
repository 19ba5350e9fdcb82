/** Which closing tag belongs behind an open tag that somebody has typed to its end. Values only; closing-tags.ts asks. */

/** So many lines below are looked at: to type costs the same in any file. */
export const MOST_LINES = 500;

/** `before`: the line up to the cursor, `after`: the rest of it, `below`: the lines that follow (MOST_LINES of them at most). null where none belongs there. */
export function closingTag({ before, after, below, isAll }: { readonly before: string; readonly after: string; readonly below: readonly string[]; readonly isAll: boolean }): string | null {
  const [, name] = /^[ \t]*<([A-Za-z]\w*)(?:\s[^<]*)?>$/.exec(before) ?? [];
  if (name === undefined || after.trim() !== '') return null;
  let depth = 1;
  for (const line of below) {
    const [, slash, found] = /^[ \t]*<(\/?)([A-Za-z]\w*)\b/.exec(line) ?? [];
    if (found?.toLowerCase() !== name.toLowerCase()) continue;
    depth += slash === '/' ? -1 : 1;
    if (depth === 0) return null;
  }
  return isAll ? `</${name}>` : null;
}
