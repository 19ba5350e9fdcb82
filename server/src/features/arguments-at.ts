/**
 * Finds out which argument of a directive a word is. Arguments may be optional or repeated, and a
 * directive may have several forms. So the words before that word are matched with all forms, one
 * word after the other. Exact matches with a keyword or key count more than words that fit an
 * argument of free text.
 */
import type { Argument, ArgumentTable } from '../directives/values';

/** An argument that may come next in a line. */
export interface ExpectedArgument {
  /** The argument as the table of directives describes it. */
  readonly argument: Argument;
  /**
   * The index of the argument's form. A directive can have several forms, each a list of arguments.
   */
  readonly formIndex: number;
  /** The index of the argument in the form. */
  readonly argumentIndex: number;
}

/** The arguments that may come after the given words, in the order of the table. */
export function argumentsExpectedAfter(
  { arguments: usualForm, forms = [usualForm] }: ArgumentTable,
  words: readonly string[],
): ExpectedArgument[] {
  const formResults = forms.map((form) => matchForm(form, words));
  const bestFit = Math.max(...formResults.map(({ fit }) => fit));
  return formResults.flatMap(({ nextIndexes, fit }, formIndex) =>
    fit < bestFit
      ? []
      : [...nextIndexes]
          .sort((a, b) => a - b)
          .filter((index) => index < forms[formIndex]!.length)
          .map((index) => ({ argument: forms[formIndex]![index]!, formIndex, argumentIndex: index })),
  );
}

/**
 * Returns how well a word fits an argument. 2: it is one of the argument's words, or begins with
 * the argument's key. 1: it is possible. 0: it does not fit.
 */
export function fitScore(argument: Argument, word: string): 0 | 1 | 2 {
  if (argument.choices)
    return argument.choices.reduce<0 | 1 | 2>(
      (bestFit, choice) => Math.max(bestFit, fitScore(choice, word)) as 0 | 1 | 2,
      0,
    );
  if (argument.key) return word.toLowerCase().startsWith(argument.key.toLowerCase()) ? 2 : 0;
  const unsignedWord = argument.signed ? word.replace(/^[+-]/, '') : word;
  const valuesInWord = argument.separator ? unsignedWord.split(argument.separator) : [unsignedWord];
  const isKnownWord = (part: string) =>
    argument.words?.some((each) =>
      argument.exact ? each.word === part : each.word.toLowerCase() === part.toLowerCase(),
    ) === true;
  if (valuesInWord.some(isKnownWord)) return 2;
  const kindsOfValue = argument.kinds.filter((kind) => kind !== 'word');
  if (kindsOfValue.length === 0) return 0;
  return kindsOfValue.some((kind) => PATTERN_BY_VALUE_KIND[kind]?.test(word) ?? true) ? 1 : 0;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Patterns for kinds of values that can be recognized by their form. */
const PATTERN_BY_VALUE_KIND: Readonly<Record<string, RegExp>> = {
  number: /^-?\d|^\$\{/,
  bytes: /^\d|^\$\{/,
  status: /^\d{3}$|^\$\{/,
  'rewrite-flags': /^\[/,
};

/**
 * Matches the words of a line with one form of the syntax. `nextIndexes`: the indexes of the
 * arguments that may come next. `fit`: a score, which is higher for exact matches and lower for
 * words that fit no argument.
 */
function matchForm(
  form: readonly Argument[],
  words: readonly string[],
): { nextIndexes: ReadonlySet<number>; fit: number } {
  const repeatedIndex = form.findIndex((argument) => argument.repeats);
  const indexesAfter = (index: number) =>
    index + 1 < form.length
      ? [index + 1, ...(form[index]!.repeats ? [index] : [])]
      : repeatedIndex >= 0
        ? [repeatedIndex]
        : [form.length];
  const withOptionalSkipped = (startIndexes: Iterable<number>): Set<number> => {
    const reachedIndexes = new Set<number>();
    const addWithSkipped = (index: number) => {
      if (reachedIndexes.has(index)) return;
      reachedIndexes.add(index);
      if (form[index]?.optional) indexesAfter(index).forEach(addWithSkipped);
    };
    for (const index of startIndexes) addWithSkipped(index);
    return reachedIndexes;
  };
  let possibleIndexes = withOptionalSkipped([0]);
  let totalFit = 0;
  for (const word of words) {
    const fitsOfIndexes = [...possibleIndexes]
      .filter((index) => index < form.length)
      .map((index) => ({ index, fit: fitScore(form[index]!, word) }));
    const bestFit = Math.max(0, ...fitsOfIndexes.map((each) => each.fit));
    // A word that fits no argument is wrong, or the table lacks it. It can then be any of the
    // possible arguments.
    const bestFits = bestFit === 0 ? fitsOfIndexes : fitsOfIndexes.filter((each) => each.fit === bestFit);
    if (bestFits.length === 0) return { nextIndexes: new Set(), fit: totalFit - 100 };
    totalFit += bestFit === 0 ? -10 : bestFit - 1;
    possibleIndexes = withOptionalSkipped(bestFits.flatMap(({ index }) => indexesAfter(index)));
  }
  return { nextIndexes: possibleIndexes, fit: totalFit };
}
