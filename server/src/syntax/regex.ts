/**
 * What no PCRE2 takes for a regular expression, found without PCRE2: parentheses and brackets that do not pair, quantifiers
 * behind nothing, ranges the wrong way round, references to groups that are not there. Whatever it is not sure of it calls right.
 */

export interface RegexProblem {
  readonly start: number;
  readonly end: number;
  /** As a clause: `a parenthesis is not closed`. */
  readonly message: string;
}

/** The first thing that is wrong with a pattern; undefined where nothing is, or where nobody can tell without PCRE2. */
export function regexProblem(pattern: string): RegexProblem | undefined {
  // Quoting, comments, verbs, the extended syntax, conditions and callouts change what the rest means.
  if (/\\[QEK]|\(\?[^:=!<>P|i)]|\(\?[a-z-]*x|\(\*[A-Za-z:]/.test(pattern) || pattern.length > 10_000) return undefined;
  const open: number[] = [];
  const references: { start: number; end: number; group: number }[] = [];
  let groups = 0;
  let isRepeatable = false;
  let position = 0;
  const problem = (start: number, end: number, message: string): RegexProblem => ({ start, end, message });
  while (position < pattern.length) {
    const character = pattern[position];
    if (character === '\\') {
      if (position + 1 === pattern.length)
        return problem(position, position + 1, 'a backslash at the end of a regular expression escapes nothing');
      const reference = /[1-9]/y;
      reference.lastIndex = position + 1;
      if (reference.test(pattern) && !/[0-9]/.test(pattern[position + 2] ?? ''))
        references.push({ start: position, end: position + 2, group: Number(pattern[position + 1]) });
      isRepeatable = true;
      position += 2;
      // What may take arguments in braces or angles: \x{41}, \p{Lu}, \g{1}, \k<name>, \o{17}, \N{U+41}.
      const argument = /[xpPgkoN]/.test(pattern[position - 1]!)
        ? /^(?:\{[^}]*\}|<[^>]*>|'[^']*')/.exec(pattern.slice(position))?.[0]
        : undefined;
      position += argument?.length ?? 0;
      continue;
    }
    if (character === '[') {
      const end = classEnd(pattern, position);
      if (end < 0) return problem(position, pattern.length, 'a bracket is not closed');
      const range = backwardRange(pattern.slice(position, end));
      if (range)
        return problem(position + range.start, position + range.end, `the range "${range.text}" runs backwards`);
      position = end;
      isRepeatable = true;
      continue;
    }
    if (character === '(') {
      open.push(position);
      const special = /^\(\?(?:[:=!>|]|<[=!]|P?<\w+>|P[=>]\w+|'\w+'|[a-zA-Z-]*[:)])/.exec(pattern.slice(position))?.[0];
      if (pattern[position + 1] === '?' && special === undefined) return undefined;
      if (special === undefined || /<\w|P/.test(special)) groups++;
      if (special?.startsWith('(?|')) groups += 100;
      position += special?.length ?? 1;
      if (special?.endsWith(')')) open.pop();
      isRepeatable = false;
      continue;
    }
    if (character === ')') {
      if (open.pop() === undefined) return problem(position, position + 1, 'the parenthesis closes nothing');
      isRepeatable = true;
      position++;
      continue;
    }
    const quantifier = /^(?:[*+?]|\{\d+(?:,\d*)?\})[+?]?/.exec(pattern.slice(position, position + 80))?.[0];
    if (quantifier) {
      if (!isRepeatable)
        return problem(
          position,
          position + quantifier.length,
          `"${quantifier}" repeats nothing, because nothing comes before it`,
        );
      const [, least, most] = /^\{(\d+),(\d+)\}/.exec(quantifier) ?? [];
      const tooLarge = (quantifier.match(/\d+/g) ?? []).find((count) => Number(count) > MOST_REPEATS);
      if (tooLarge)
        return problem(
          position,
          position + quantifier.length,
          `the repeat count ${tooLarge} is larger than ${MOST_REPEATS}`,
        );
      if (most !== undefined && Number(most) < Number(least))
        return problem(
          position,
          position + quantifier.length,
          `"${quantifier}" asks for at least ${least} and at most ${most}`,
        );
      isRepeatable = false;
      position += quantifier.length;
      continue;
    }
    isRepeatable = character !== '|';
    position++;
  }
  const unclosed = open.pop();
  if (unclosed !== undefined) return problem(unclosed, unclosed + 1, 'a parenthesis is not closed');
  const dangling = references.find(({ group }) => group > groups);
  if (dangling) return problem(dangling.start, dangling.end, `there is no group ${dangling.group}`);
  return undefined;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The pattern with `instead` for each of its bracket expressions, for a look at the rest; escapes
 * are out of it already.
 */
export function withoutClasses(pattern: string, instead = ''): string {
  // Behind the last `]` none ends: to look for an end from each `[` there takes the square of their number.
  const end = pattern.lastIndexOf(']') + 1;
  return pattern.slice(0, end).replace(/\[\^?\]?[^\]]*\]/g, instead) + pattern.slice(end);
}

/** MAX_REPEAT_COUNT of PCRE2. */
const MOST_REPEATS = 65535;

/** Behind the `]` of the class that starts at `start`; -1 where there is none. A `]` that comes first is a character. */
function classEnd(pattern: string, start: number): number {
  let position = start + 1;
  if (pattern[position] === '^') position++;
  if (pattern[position] === ']') position++;
  while (position < pattern.length) {
    if (pattern[position] === '\\') position += 2;
    else if (pattern[position] === ']') return position + 1;
    else {
      const posix = /^\[([:.=])[^\]]*?\1\]/.exec(pattern.slice(position))?.[0];
      position += posix?.length ?? 1;
    }
  }
  return -1;
}

/** `z-a` between plain characters. */
function backwardRange(text: string): { start: number; end: number; text: string } | undefined {
  if (/[\\[]/.test(text.slice(1))) return undefined;
  for (let position = text[1] === '^' ? 2 : 1; position + 2 < text.length - 1; position++) {
    if (text[position + 1] !== '-') continue;
    if (text[position]! > text[position + 2]!)
      return { start: position, end: position + 3, text: text.slice(position, position + 3) };
    position += 2;
  }
  return undefined;
}
