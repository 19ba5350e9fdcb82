/**
 * Finds mistakes in regular expressions that every release of PCRE2 refuses: unpaired parentheses
 * and brackets, quantifiers after nothing, reversed ranges, references to missing groups. Accepts a
 * pattern if it is uncertain whether PCRE2 refuses it.
 */

/** A mistake in a regular expression. The offsets are UTF-16 units in the pattern. */
export interface RegexProblem {
  readonly start: number;
  readonly end: number;
  /** The mistake as a clause: `a parenthesis is not closed`. */
  readonly message: string;
}

/**
 * Matches patterns that consist of plain characters, simple escapes and `(.*)`. Most patterns do,
 * and they cannot have a mistake, so they need no further test.
 */
const PLAIN_PATTERN = /^\^?(?:[\w/%,:;=~@&. -]|\\[./?+ds-]|\(\.[*+]\))*\$?$/;

/** The first error in a pattern; undefined if there is none, or if only PCRE2 can decide. */
export function regexProblem(pattern: string): RegexProblem | undefined {
  return PLAIN_PATTERN.test(pattern) ? undefined : firstProblem(pattern);
}

/** The first error in a pattern that is not plain; undefined as for `regexProblem`. */
function firstProblem(pattern: string): RegexProblem | undefined {
  // Quoting, comments, verbs, extended syntax, conditions and callouts change the meaning of the
  // rest of the pattern. So a pattern with any of them is not checked.
  if (/\\[QEK]|\(\?[^:=!<>P|i)]|\(\?[a-z-]*x|\(\*[A-Za-z:]/.test(pattern) || pattern.length > 10_000) return undefined;
  const openGroups: number[] = [];
  const references: { start: number; end: number; group: number }[] = [];
  let groupCount = 0;
  let isRepeatable = false;
  let position = 0;
  const problemAt = (start: number, end: number, message: string): RegexProblem => ({ start, end, message });
  while (position < pattern.length) {
    const character = pattern[position];
    if (character === '\\') {
      if (position + 1 === pattern.length)
        return problemAt(position, position + 1, 'a backslash at the end of a regular expression escapes nothing');
      const referencePattern = /[1-9]/y;
      referencePattern.lastIndex = position + 1;
      if (referencePattern.test(pattern) && !/[0-9]/.test(pattern[position + 2] ?? ''))
        references.push({ start: position, end: position + 2, group: Number(pattern[position + 1]) });
      isRepeatable = true;
      position += 2;
      // Skips the arguments of escapes, in braces or angle brackets: \x{41}, \p{Lu}, \g{1},
      // \k<name>, \o{17}, \N{U+41}.
      const argument = /[xpPgkoN]/.test(pattern[position - 1]!)
        ? /^(?:\{[^}]*\}|<[^>]*>|'[^']*')/.exec(pattern.slice(position))?.[0]
        : undefined;
      position += argument?.length ?? 0;
      continue;
    }
    if (character === '[') {
      const endOfClass = classEnd(pattern, position);
      if (endOfClass < 0) return problemAt(position, pattern.length, 'a bracket is not closed');
      const range = findBackwardRange(pattern.slice(position, endOfClass));
      if (range)
        return problemAt(position + range.start, position + range.end, `the range "${range.text}" runs backwards`);
      position = endOfClass;
      isRepeatable = true;
      continue;
    }
    if (character === '(') {
      openGroups.push(position);
      const groupStart = /^\(\?(?:[:=!>|]|<[=!]|P?<\w+>|P[=>]\w+|'\w+'|[a-zA-Z-]*[:)])/.exec(
        pattern.slice(position),
      )?.[0];
      if (pattern[position + 1] === '?' && groupStart === undefined) return undefined;
      if (groupStart === undefined || /<\w|P/.test(groupStart)) groupCount++;
      if (groupStart?.startsWith('(?|')) groupCount += 100;
      position += groupStart?.length ?? 1;
      if (groupStart?.endsWith(')')) openGroups.pop();
      isRepeatable = false;
      continue;
    }
    if (character === ')') {
      if (openGroups.pop() === undefined) return problemAt(position, position + 1, 'the parenthesis closes nothing');
      isRepeatable = true;
      position++;
      continue;
    }
    const quantifier = /^(?:[*+?]|\{\d+(?:,\d*)?\})[+?]?/.exec(pattern.slice(position, position + 80))?.[0];
    if (quantifier) {
      if (!isRepeatable)
        return problemAt(
          position,
          position + quantifier.length,
          `"${quantifier}" repeats nothing, because nothing comes before it`,
        );
      const [, minCount, maxCount] = /^\{(\d+),(\d+)\}/.exec(quantifier) ?? [];
      const tooLargeCount = (quantifier.match(/\d+/g) ?? []).find((count) => Number(count) > MAX_REPEAT_COUNT);
      if (tooLargeCount)
        return problemAt(
          position,
          position + quantifier.length,
          `the repeat count ${tooLargeCount} is larger than ${MAX_REPEAT_COUNT}`,
        );
      if (maxCount !== undefined && Number(maxCount) < Number(minCount))
        return problemAt(
          position,
          position + quantifier.length,
          `"${quantifier}" asks for at least ${minCount} and at most ${maxCount}`,
        );
      isRepeatable = false;
      position += quantifier.length;
      continue;
    }
    isRepeatable = character !== '|';
    position++;
  }
  const unclosedOffset = openGroups.pop();
  if (unclosedOffset !== undefined) return problemAt(unclosedOffset, unclosedOffset + 1, 'a parenthesis is not closed');
  const missingReference = references.find(({ group }) => group > groupCount);
  if (missingReference)
    return problemAt(missingReference.start, missingReference.end, `there is no group ${missingReference.group}`);
  return undefined;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Replaces each character class of the pattern by `replacement`, to check the rest. The caller must
 * have removed the escapes.
 */
export function withoutClasses(pattern: string, replacement = ''): string {
  // No class can end after the last `]`. Searching for an end from each `[` after it would take
  // quadratic time, so only the text up to the last `]` is searched.
  const lastClassEnd = pattern.lastIndexOf(']') + 1;
  return pattern.slice(0, lastClassEnd).replace(/\[\^?\]?[^\]]*\]/g, replacement) + pattern.slice(lastClassEnd);
}

/** The largest number in a quantifier: MAX_REPEAT_COUNT of PCRE2. */
const MAX_REPEAT_COUNT = 65535;

/**
 * The offset after the `]` of the class that starts at `start`; -1 if it does not end. A `]` in
 * first position is a character of the class.
 */
function classEnd(pattern: string, start: number): number {
  let position = start + 1;
  if (pattern[position] === '^') position++;
  if (pattern[position] === ']') position++;
  while (position < pattern.length) {
    if (pattern[position] === '\\') position += 2;
    else if (pattern[position] === ']') return position + 1;
    else {
      const posixClass = /^\[([:.=])[^\]]*?\1\]/.exec(pattern.slice(position))?.[0];
      position += posixClass?.length ?? 1;
    }
  }
  return -1;
}

/**
 * Finds a reversed range such as `z-a` between two plain characters. Undefined if there is none.
 * `text`: the character class with its brackets.
 */
function findBackwardRange(text: string): { start: number; end: number; text: string } | undefined {
  if (/[\\[]/.test(text.slice(1))) return undefined;
  for (let position = text[1] === '^' ? 2 : 1; position + 2 < text.length - 1; position++) {
    if (text[position + 1] !== '-') continue;
    if (text[position]! > text[position + 2]!)
      return { start: position, end: position + 3, text: text.slice(position, position + 3) };
    position += 2;
  }
  return undefined;
}
