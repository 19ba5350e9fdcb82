import { argumentsOf, indentOf, type Line, type Word } from '../syntax/line';
import { containsVariable, lineEnd, NO_FINDINGS, removeLine, replaceContent } from './support/edits';
import { Fact, hasFact } from './support/facts';
import type { Finding, Fix, Member, Scope, SectionRule } from './rule';
import { fittingTitle, titleToRemove } from './support/fix-title';

/**
 * Finds Options lines that prevent the start of 2.4. They mix words with and without a sign (`+` or
 * `-`). Or their word All or None has a sign, or is not the first word.
 */
export const optionsMixed: SectionRule = {
  id: 'options-mixed',
  title: 'Options that mix words with and without + or -',
  consequence: 'will not start',
  fix: 'safe',
  checks: 'section',
  isAboutSingleLines: true,
  names: ['options'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#options',
  examples: [
    {
      title: 'A list, then a word with a sign',
      before: '<Directory "/srv/www">\n    Options Indexes +FollowSymLinks -ExecCGI\n</Directory>\n',
      after: '<Directory "/srv/www">\n    Options Indexes FollowSymLinks\n</Directory>\n',
      finds: ['mixed'],
    },
    {
      title: 'Words with signs, then a word without a sign',
      before: '<Directory "/srv/www">\n    Options -Indexes FollowSymLinks\n</Directory>\n',
      after: '<Directory "/srv/www">\n    Options FollowSymLinks\n</Directory>\n',
      finds: ['mixed'],
    },
    {
      title: 'An option that comes back when sections are merged',
      before: '<Directory "/srv/www">\n    Options +Indexes FollowSymLinks\n</Directory>\n',
      after: '<Directory "/srv/www">\n    Options +Indexes\n    Options FollowSymLinks\n</Directory>\n',
      finds: ['mixed'],
    },
    {
      title: 'The word All with a sign',
      before: '<Directory "/srv/www">\n    Options +All -Indexes\n</Directory>\n',
      after: '<Directory "/srv/www">\n    Options +Includes +FollowSymLinks +ExecCGI -Indexes\n</Directory>\n',
      finds: ['all-or-none'],
    },
    {
      title: 'Not reported: All as the first word',
      before: '<Directory "/srv/www">\n    Options All -Indexes\n</Directory>\n',
      finds: [],
    },
  ],
  check(scope) {
    return scope.members.flatMap((member) => findingsFor(member, scope));
  },
};

/** A word of an Options line. */
interface OptionWord {
  readonly sign: '' | '+' | '-';
  /** The name in lower case. */
  readonly name: string;
  /** The name as the line spells it. */
  readonly spelledWord: string;
  /** The options that the word stands for, as bits. */
  readonly optionBits: number;
}

// The options of httpd, as bits of a set.
const INDEXES = 1;
const INCLUDES = 2;
const SYM_LINKS = 4;
const EXEC_CGI = 8;
const EXEC = 16;
const OWNER_MATCH = 32;
const MULTI_VIEWS = 64;
const BITS_OF_ALL = INDEXES | INCLUDES | EXEC | SYM_LINKS | EXEC_CGI;

const BITS_BY_OPTION: Readonly<Record<string, number>> = {
  indexes: INDEXES,
  includes: INCLUDES | EXEC,
  includesnoexec: INCLUDES,
  followsymlinks: SYM_LINKS,
  symlinksifownermatch: OWNER_MATCH,
  execcgi: EXEC_CGI,
  multiviews: MULTI_VIEWS,
  none: 0,
  all: BITS_OF_ALL,
};
const OPTIONS_OF_ALL = ['Indexes', 'Includes', 'FollowSymLinks', 'ExecCGI'];

/** Whether the rule has a finding for the line. */
export function isMixed(line: Line): boolean {
  const options = readOptions(argumentsOf(line));
  return options !== null && problemIn24(options) !== null;
}

/** The finding for an Options line that prevents the start of 2.4. */
function findingsFor(member: Member, scope: Scope): readonly Finding[] {
  const optionWords = argumentsOf(member.line);
  const options = readOptions(optionWords);
  const problem = options && problemIn24(options);
  if (!problem) return NO_FINDINGS;
  const fixes = fixesFor(member, scope, options);
  const wrongWord = optionWords[problem.wordIndex]!;
  return [
    {
      messageId: problem.kind,
      what:
        problem.kind === 'mixed'
          ? '`Options` cannot mix words with and without `+` or `-`'
          : errorTextOfAllOrNone(wrongWord.value, problem.wordIndex),
      ...(problem.kind === 'mixed' && {
        cause: `In 2.2 this line meant "Options ${textOfSet(stateAfter(options).setBits)}", without the inherited options.`,
        serverText: 'Either all Options must start with + or -, or no Option may.',
      }),
      help: fixes[0] ? `${fixes[0].title}.` : 'Write all words with `+` or `-`, or none of them.',
      start: member.offset + wrongWord.start,
      end: member.offset + wrongWord.end,
      fixes,
    },
  ];
}

/**
 * The text of the error about a word All or None. httpd first checks the place of the word, and
 * then its sign (set_options in server/core.c of 2.4).
 */
function errorTextOfAllOrNone(word: string, wordIndex: number): string {
  const spelledOption = /none/i.test(word) ? 'None' : 'All';
  return wordIndex > 0
    ? `\`Options\`: \`${spelledOption}\` must be the first word`
    : `\`Options\`: \`${word}\` is not allowed; \`${spelledOption}\` takes no \`+\` or \`-\``;
}

/** Reads the options. Returns null if a word is no option or has a variable. */
function readOptions(optionArguments: readonly Word[]): OptionWord[] | null {
  const options = optionArguments.map((word): OptionWord => {
    const [, sign = '', spelledWord = ''] = /^([+-]?)(.*)$/s.exec(word.value)!;
    return {
      sign: sign as OptionWord['sign'],
      name: spelledWord.toLowerCase(),
      spelledWord,
      optionBits: BITS_BY_OPTION[spelledWord.toLowerCase()] ?? -1,
    };
  });
  return options.some(({ optionBits }) => optionBits < 0) || optionArguments.some(containsVariable) ? null : options;
}

/**
 * Returns the first error that set_options of 2.4 finds, with the index of the word. Null if there
 * is none.
 */
function problemIn24(options: readonly OptionWord[]): { kind: 'mixed' | 'all-or-none'; wordIndex: number } | null {
  let isSigned = false;
  let isAllOrNone = false;
  for (const [optionIndex, { sign, name }] of options.entries()) {
    if (sign !== '') {
      if (!isSigned && optionIndex > 0 && !isAllOrNone) return { kind: 'mixed', wordIndex: optionIndex };
      isSigned = true;
    } else if (optionIndex > 0 && isSigned) return { kind: 'mixed', wordIndex: optionIndex };
    if (name === 'all' || name === 'none') {
      if (optionIndex > 0 || isSigned) return { kind: 'all-or-none', wordIndex: optionIndex };
      isAllOrNone = true;
    }
  }
  return null;
}

/**
 * The options of a section. If `isAbsolute`, `setBits` is the whole set. `addedBits` and
 * `removedBits`: the options that a merge adds to the inherited ones and removes from them.
 */
interface OptionsState {
  readonly isAbsolute: boolean;
  readonly setBits: number;
  readonly addedBits: number;
  readonly removedBits: number;
}

const UNSET_OPTIONS: OptionsState = { isAbsolute: false, setBits: 0, addedBits: 0, removedBits: 0 };

/**
 * The options after a line, as set_options of 2.2 computes them. 2.4 computes the same for the
 * lines that it accepts. `from`: the options before the line.
 */
function stateAfter(options: readonly OptionWord[], from: OptionsState = UNSET_OPTIONS): OptionsState {
  let { isAbsolute, setBits, addedBits, removedBits } = from;
  let isFirstUnsigned = true;
  for (const { sign, optionBits } of options) {
    if (sign === '-')
      [removedBits, addedBits, setBits] = [removedBits | optionBits, addedBits & ~optionBits, setBits & ~optionBits];
    else {
      if (sign === '+') [addedBits, removedBits] = [addedBits | optionBits, removedBits & ~optionBits];
      else if (isFirstUnsigned) [setBits, isAbsolute, isFirstUnsigned] = [0, true, false];
      setBits |= optionBits;
    }
  }
  return { isAbsolute, setBits, addedBits, removedBits };
}

/** Whether two states have the same effect on all inherited options and in all later merges. */
function haveSameEffect(a: OptionsState, b: OptionsState): boolean {
  if (!a.isAbsolute || !b.isAbsolute)
    return a.isAbsolute === b.isAbsolute && a.addedBits === b.addedBits && a.removedBits === b.removedBits;
  return a.setBits === b.setBits && afterMerge(a) === afterMerge(b);
}

/** The options of a section after a merge, if `setBits` is the whole set. */
function afterMerge({ setBits, addedBits, removedBits }: OptionsState): number {
  return (setBits & ~removedBits) | addedBits;
}

/**
 * The fixes of a line: lines with exactly the same effect, one line without signs, and one line
 * with signs before all words.
 */
function fixesFor({ line, offset }: Member, scope: Scope, options: readonly OptionWord[]): Fix[] {
  const finalState = stateAfter(options);
  const areIncludesConsistent =
    new Set(
      options.filter(({ optionBits }) => (optionBits & INCLUDES) !== 0).map(({ optionBits }) => optionBits & EXEC),
    ).size < 2;
  // At the top level of a file, or next to an Include line, other files may add Options lines to
  // the section.
  const isWholeSection = (scope.tag !== null || scope.context.isHtaccess) && !hasFact(scope.facts, Fact.includes);
  const isOnlyLine = isWholeSection && scope.members.length === 1;
  const replacementEdits = (lines: readonly string[]) => [
    replaceContent(line, lines.join(`${lineEnd(line)}${indentOf(line)}`), offset),
  ];
  const exactReplacement = areIncludesConsistent ? exactLines(options, finalState, isOnlyLine) : null;
  const fixes: Fix[] = [];
  if (exactReplacement?.length === 0)
    fixes.push({ title: titleToRemove(line), safety: 'safe', edits: [removeLine(line, offset)] });
  else if (exactReplacement)
    fixes.push({
      title: titleWithLine(line, exactReplacement.join(' and ')),
      safety: 'safe',
      edits: replacementEdits(exactReplacement),
    });
  if (!finalState.isAbsolute) return fixes;
  const lineWithoutSigns = `Options ${spelledOptions(options, finalState.setBits)}`;
  if (exactReplacement?.join() !== lineWithoutSigns)
    fixes.push({
      title: titleWithLine(line, lineWithoutSigns),
      safety: 'suggestion',
      assumes: 'enclosed sections do not need the inherited options',
      edits: replacementEdits([lineWithoutSigns]),
    });
  const wordsWithSigns = options.flatMap((option) => signedWords({ ...option, sign: option.sign || '+' }));
  if (wordsWithSigns.length > 0)
    fixes.push({
      title: fittingTitle(
        `Change Options to ${wordsWithSigns.join(' ')} and inherit the others`,
        'Write + before all Options, and inherit the others',
      ),
      safety: 'suggestion',
      assumes: 'you also want the inherited options, which 2.2 did not use for this line',
      edits: replacementEdits([`Options ${wordsWithSigns.join(' ')}`]),
    });
  return fixes;
}

/** A title that shows the new line, if it is short enough. */
function titleWithLine(line: Line, text: string): string {
  return fittingTitle(
    `Change ${line.text.trim()} to ${text}`,
    `Write ${text}`,
    'Write the Options that 2.2 uses, all in one form',
  );
}

/**
 * The Options lines with which 2.4 has the same options as 2.2. Empty if 2.4 needs no line; null if
 * no lines have this effect. `state`: the options after the line. `isOnlyLine`: no other Options
 * line can be in the section.
 */
function exactLines(options: readonly OptionWord[], state: OptionsState, isOnlyLine: boolean): string[] | null {
  const stateOfLines = (lines: readonly string[]) =>
    lines.reduce((stateBefore, text) => stateAfter(readOptions(wordsOf(text))!, stateBefore), UNSET_OPTIONS);
  const signedLines = (list: readonly OptionWord[]) => {
    const signedOptions = readOptions(wordsOf(`Options ${list.flatMap(signedWords).join(' ')}`))!;
    // If several words are about one option, only the last one counts.
    const lastOfEachOption = signedOptions.filter(
      ({ optionBits }, index) =>
        optionBits > 0 &&
        !signedOptions.slice(index + 1).some((laterOption) => (optionBits & ~laterOption.optionBits) === 0),
    );
    return lastOfEachOption.length > 0 ? [`Options ${lastOfEachOption.flatMap(signedWords).join(' ')}`] : [];
  };
  const firstUnsigned = options.findIndex(({ sign }) => sign === '');
  if (firstUnsigned < 0) return signedLines(options);
  const absoluteLine = [`Options ${spelledOptions(options, state.setBits)}`];
  if (isOnlyLine && haveSameEffect(stateOfLines(absoluteLine), state)) return absoluteLine;
  const [signedBefore, fromFirstUnsigned] = [options.slice(0, firstUnsigned), options.slice(firstUnsigned)];
  const bitsWithoutSign = fromFirstUnsigned
    .filter(({ sign }) => sign === '')
    .reduce((set, { optionBits }) => set | optionBits, 0);
  const splitLines = [
    ...signedLines(signedBefore),
    `Options ${spelledOptions(
      fromFirstUnsigned.filter(({ sign }) => sign === ''),
      bitsWithoutSign,
    )}`,
    ...signedLines(fromFirstUnsigned.filter(({ sign }) => sign !== '')),
  ];
  const resultState = stateOfLines(splitLines);
  const hasSameEffect =
    resultState.setBits === state.setBits &&
    resultState.addedBits === state.addedBits &&
    resultState.removedBits === state.removedBits;
  return hasSameEffect && splitLines.every((text) => problemIn24(readOptions(wordsOf(text))!) === null)
    ? splitLines
    : null;
}

/** The arguments of an Options line as words, without their place in a line. */
function wordsOf(text: string): Word[] {
  return text
    .split(' ')
    .slice(1)
    .filter((value) => value !== '')
    .map((value) => ({ start: 0, end: 0, value, quote: '', isTerminated: true }));
}

/**
 * The words that replace an option, with its sign. All becomes one word for each of its options,
 * and None becomes no word.
 */
function signedWords({ sign, name, spelledWord }: OptionWord): string[] {
  if (name === 'none') return [];
  return (name === 'all' ? OPTIONS_OF_ALL : [spelledWord]).map((each) => sign + each);
}

/** The words for a set of options. Words that are in the line keep their order and spelling. */
function spelledOptions(options: readonly OptionWord[], optionSet: number): string {
  const wordsInSet = options.filter(
    ({ sign, optionBits, name }, index) =>
      sign !== '-' &&
      name !== 'all' &&
      optionBits !== 0 &&
      (optionBits & ~optionSet) === 0 &&
      options.findIndex((other) => other.optionBits === optionBits && other.sign !== '-') === index,
  );
  const spellsWholeSet =
    wordsInSet.reduce((sum, { optionBits }) => sum | optionBits, 0) === optionSet &&
    optionSet !== 0 &&
    !options.some(({ name, sign }) => name === 'all' && sign !== '-');
  return spellsWholeSet ? wordsInSet.map(({ spelledWord }) => spelledWord).join(' ') : textOfSet(optionSet);
}

/** The usual words for a set of options. */
function textOfSet(optionSet: number): string {
  if (optionSet === 0) return 'None';
  const optionNames =
    (optionSet & BITS_OF_ALL) === BITS_OF_ALL
      ? ['All']
      : ['Indexes', (optionSet & EXEC) !== 0 ? 'Includes' : 'IncludesNOEXEC', 'FollowSymLinks', 'ExecCGI'];
  const furtherNames = ['SymLinksIfOwnerMatch', 'MultiViews'];
  return [...optionNames, ...furtherNames]
    .filter((name) => name === 'All' || (BITS_BY_OPTION[name.toLowerCase()]! & ~optionSet) === 0)
    .join(' ');
}
