/**
 * Finds out which argument of a directive a word is. Reads the directive's syntax in the table as a
 * small automaton, because arguments may be optional or repeated, and a directive may have several
 * forms. Words that match exactly (a keyword, a key) decide; other words fit any argument of free
 * text.
 */
import type { Argument, ArgumentTable } from '../directives/values';

/** An argument that may come next, with the index of its form and its index in that form. */
export interface ExpectedArgument {
  readonly argument: Argument;
  readonly formIndex: number;
  readonly argumentIndex: number;
}

/** The arguments that may come after the given words, in the order of the table. */
export function expectedAfter(
  { arguments: first, forms = [first] }: ArgumentTable,
  words: readonly string[],
): ExpectedArgument[] {
  const results = forms.map((form) => matchForm(form, words));
  const best = Math.max(...results.map(({ fit }) => fit));
  return results.flatMap(({ states, fit }, form) =>
    fit < best
      ? []
      : [...states]
          .sort((a, b) => a - b)
          .filter((index) => index < forms[form]!.length)
          .map((index) => ({ argument: forms[form]![index]!, formIndex: form, argumentIndex: index })),
  );
}

/**
 * Returns how well a word fits an argument: 2 if it is one of the argument's words or has its key,
 * 1 if it is possible, 0 if not.
 */
export function fitScore(argument: Argument, word: string): 0 | 1 | 2 {
  if (argument.choices)
    return argument.choices.reduce<0 | 1 | 2>((best, choice) => Math.max(best, fitScore(choice, word)) as 0 | 1 | 2, 0);
  if (argument.key) return word.toLowerCase().startsWith(argument.key.toLowerCase()) ? 2 : 0;
  const withoutSign = argument.signed ? word.replace(/^[+-]/, '') : word;
  const parts = argument.separator ? withoutSign.split(argument.separator) : [withoutSign];
  const isWord = (part: string) =>
    argument.words?.some((each) =>
      argument.exact ? each.word === part : each.word.toLowerCase() === part.toLowerCase(),
    ) === true;
  if (parts.some(isWord)) return 2;
  const others = argument.kinds.filter((kind) => kind !== 'word');
  if (others.length === 0) return 0;
  return others.some((kind) => PATTERN_BY_VALUE_KIND[kind]?.test(word) ?? true) ? 1 : 0;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Patterns for kinds of values that have a recognizable form. */
const PATTERN_BY_VALUE_KIND: Readonly<Record<string, RegExp>> = {
  number: /^-?\d|^\$\{/,
  bytes: /^\d|^\$\{/,
  status: /^\d{3}$|^\$\{/,
  'rewrite-flags': /^\[/,
};

/**
 * Matches the words of a line with one form of the syntax. Returns `states`, the indices of the
 * arguments that may come next, and `fit`, a score: higher for exact matches, lower for words that
 * fit no argument.
 */
function matchForm(form: readonly Argument[], words: readonly string[]): { states: ReadonlySet<number>; fit: number } {
  const again = form.findIndex((argument) => argument.repeats);
  const after = (index: number) =>
    index + 1 < form.length
      ? [index + 1, ...(form[index]!.repeats ? [index] : [])]
      : again >= 0
        ? [again]
        : [form.length];
  const close = (from: Iterable<number>): Set<number> => {
    const states = new Set<number>();
    const add = (index: number) => {
      if (states.has(index)) return;
      states.add(index);
      if (form[index]?.optional) after(index).forEach(add);
    };
    for (const index of from) add(index);
    return states;
  };
  let states = close([0]);
  let sum = 0;
  for (const word of words) {
    const fits = [...states]
      .filter((index) => index < form.length)
      .map((index) => ({ index, fit: fitScore(form[index]!, word) }));
    const most = Math.max(0, ...fits.map((each) => each.fit));
    // A word that fits no argument is a mistake, or is missing in the table. It is skipped.
    const bestFits = most === 0 ? fits : fits.filter((each) => each.fit === most);
    if (bestFits.length === 0) return { states: new Set(), fit: sum - 100 };
    sum += most === 0 ? -10 : most - 1;
    states = close(bestFits.flatMap(({ index }) => after(index)));
  }
  return { states, fit: sum };
}
