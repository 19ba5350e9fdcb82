/**
 * Decides whether a regular expression of a configuration matches a text, as PCRE does. The engine
 * reads the text once and keeps the set of all possible states. So it visits each state at most
 * once for each character, while a JavaScript `RegExp` can take forever for `^(a+)+$`.
 *
 * The result is null if it is uncertain:
 * - for syntax that `PatternParser` does not read, such as look-around, back-references and verbs
 *   (the terms are those of pcre2pattern(3)),
 * - for letters outside of ASCII, because httpd compares bytes,
 * - for control characters, because releases treat a line end differently for `$` and `.`,
 * - for patterns that are so large, or have so many paths through a text, that PCRE itself may give
 *   up: its match limit is ten million steps, and httpd then reports no match.
 */
import { cache, counters, latestValue } from './memory';

/** Counts the states that the engine visits and the patterns it compiles; tests read it. */
export const stepCounts = counters({ states: 0, compiledPatterns: 0 });

/** How a pattern is compared with a text. */
export interface MatchOptions {
  readonly ignoreCase?: boolean;
}

/** Whether the pattern matches anywhere in the text; null if that is not certain. */
export function regexMatches(pattern: string, text: string, { ignoreCase = false }: MatchOptions = {}): boolean | null {
  if (text.length > MAX_TEXT_LENGTH || !ONLY_PRINTABLE.test(text)) return null;
  // A file can have thousands of patterns that are plain words. A search for the word takes less
  // time than compiling a program for each pattern.
  if (!ignoreCase && pattern.length <= MAX_PATTERN_LENGTH && ONLY_WORD.test(pattern))
    return includesWord(text, pattern);
  const program = programOf(pattern, ignoreCase);
  if (program === null) return null;
  const { resultByText } = program;
  let answer = resultByText.get(text);
  if (answer === undefined) {
    if (resultByText.size >= MAX_CACHED_RESULTS) resultByText.clear();
    cachedSize.value++;
    resultByText.set(text, (answer = matchResult(program, text)));
  }
  return answer;
}

/**
 * Whether a text contains the word that the pattern consists of. If `^` comes before the word,
 * whether the text begins with the word.
 */
function includesWord(text: string, pattern: string): boolean {
  return pattern.startsWith('^') ? text.startsWith(pattern.slice(1)) : text.includes(pattern);
}

function matchResult(program: Program, text: string): boolean | null {
  if (!runProgram(program, text)) return false;
  const isMatchCertain = program.isNested ? text.length <= MAX_TEXT_IF_NESTED : !mayGiveUp(program, text);
  return isMatchCertain ? true : null;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Maximum length of a text, in UTF-16 units. Names of files and hosts are shorter (NAME_MAX is
 * 255).
 */
const MAX_TEXT_LENGTH = 1000;
const MAX_PATTERN_LENGTH = 2000;
const MAX_PROGRAM_STATES = 500;
/** The maximum depth of nested groups. The limit of PCRE is 250 (parens_nest_limit). */
const MAX_GROUP_DEPTH = 100;
/**
 * The maximum length of a text for a pattern with a quantifier within a quantifier. The number of
 * paths then doubles with every character, and 2^16 is far below the limit of PCRE.
 */
const MAX_TEXT_IF_NESTED = 16;
/** Maximum number of estimated steps: a tenth of PCRE's match limit, because it is an estimate. */
const MAX_PCRE_STEPS = 1_000_000;

const ONLY_PRINTABLE = /^[\x20-\x7e]*$/;
/** A pattern that is a plain word, or `^` and a plain word. */
const ONLY_WORD = /^\^?[\w/-]*$/;

/** Whether a pattern accepts an ASCII character at one place. */
type CharacterTest = (code: number) => boolean;

/** A node of the tree of a pattern. `repeat`: `maxCount` is `Infinity` for `*`, `+` and `{2,}`. */
type PatternNode =
  | { readonly kind: 'character'; readonly characterTest: CharacterTest }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly part: PatternNode; readonly minCount: number; readonly maxCount: number };

/** Whether an assertion such as `^` or `\b` holds at an offset of the text. */
type Assertion = (text: string, index: number) => boolean;

/**
 * A state of the engine. `next` and `secondNext` are indices in `Program.states`, or -1 for no
 * state. A state with a test or assertion leads to `next` if the test or assertion holds. Any other
 * state leads to both.
 */
interface MatchState {
  readonly characterTest?: CharacterTest;
  readonly assertion?: Assertion;
  next: number;
  secondNext: number;
}

/** A compiled pattern. `startState` and `acceptingState` are indices in `states`. */
interface Program extends PathEstimate {
  readonly states: readonly MatchState[];
  readonly startState: number;
  readonly acceptingState: number;
  /**
   * The cached results by text. The same pattern meets the same text several times, because each
   * section is compared with each other section.
   */
  readonly resultByText: Map<string, boolean | null>;
}

/**
 * Two caches by pattern, one for each value of `ignoreCase`. One cache for both would take more
 * time, because each lookup would build a key from a long pattern and the flag.
 */
const programByPattern = cache<string, Program | null>();
const caselessProgramByPattern = cache<string, Program | null>();
/**
 * The size of both caches: the characters of the patterns, the states of the programs, and the
 * cached results. A file of 10 kB can have thousands of patterns, and each request asks for all of
 * them.
 */
const cachedSize = latestValue(0);
const MAX_CACHED_SIZE = 500_000;
/** Limit for the cached results of one program. */
const MAX_CACHED_RESULTS = 300;

/** The compiled pattern, from a cache; null if this engine cannot run the pattern. */
function programOf(pattern: string, ignoreCase: boolean): Program | null {
  const knownPrograms = ignoreCase ? caselessProgramByPattern : programByPattern;
  const cachedProgram = knownPrograms.get(pattern);
  if (cachedProgram !== undefined) return cachedProgram;
  if (cachedSize.value >= MAX_CACHED_SIZE) {
    programByPattern.clear();
    caselessProgramByPattern.clear();
    cachedSize.value = 0;
  }
  const program = compileProgram(pattern, ignoreCase);
  cachedSize.value += pattern.length + (program?.states.length ?? 0);
  knownPrograms.set(pattern, program);
  return program;
}

/** Compiles a pattern; returns null if this engine cannot run it. */
function compileProgram(pattern: string, ignoreCase: boolean): Program | null {
  stepCounts.compiledPatterns++;
  if (pattern.length > MAX_PATTERN_LENGTH || !ONLY_PRINTABLE.test(pattern)) return null;
  try {
    const hasCaseFlag = pattern.startsWith('(?i)');
    const node = new PatternParser(hasCaseFlag ? pattern.slice(4) : pattern, ignoreCase || hasCaseFlag).parse();
    return { ...new Compiler().program(node), ...estimatePaths(node), resultByText: new Map() };
  } catch (error) {
    if (error instanceof UnsupportedPattern) return null;
    throw error;
  }
}

/** Thrown for a pattern that PCRE refuses or that this engine cannot run. */
class UnsupportedPattern extends Error {}

/**
 * Whether PCRE may need more steps for the text than it allows, because PCRE tries one path after
 * the other.
 */
function mayGiveUp({ quantifierCount, doublingCount }: PathEstimate, text: string): boolean {
  return (text.length + 1) ** quantifierCount * 2 ** doublingCount > MAX_PCRE_STEPS;
}

/** The facts about a pattern that show how many paths through a text it may have. */
interface PathEstimate {
  /** Whether a quantifier repeats something with another quantifier or a choice in it. */
  readonly isNested: boolean;
  /** The number of quantifiers for which PCRE tries all lengths in turn. */
  readonly quantifierCount: number;
  /** How often a choice doubles the number of paths. */
  readonly doublingCount: number;
}

const ONE_PATH: PathEstimate = { isNested: false, quantifierCount: 0, doublingCount: 0 };

function estimatePaths(node: PatternNode): PathEstimate {
  if (node.kind === 'character' || node.kind === 'assertion') return ONE_PATH;
  if (node.kind === 'repeat') {
    const { isNested, quantifierCount, doublingCount } = estimatePaths(node.part);
    const { minCount, maxCount } = node;
    if (maxCount <= 1)
      return { isNested, quantifierCount, doublingCount: doublingCount + (minCount === maxCount ? 0 : 1) };
    return {
      isNested: isNested || quantifierCount > 0 || doublingCount > 0,
      quantifierCount: quantifierCount + (minCount === maxCount ? 0 : 1),
      doublingCount,
    };
  }
  const partEstimates = node.parts.map(estimatePaths);
  const combinedEstimate = (value: (estimate: PathEstimate) => number, join: (a: number, b: number) => number) =>
    partEstimates.map(value).reduce(join, 0);
  const joinCounts = node.kind === 'choice' ? Math.max : (a: number, b: number) => a + b;
  return {
    isNested: partEstimates.some((part) => part.isNested),
    quantifierCount: combinedEstimate(
      (part) => part.quantifierCount,
      (a, b) => joinCounts(a, b),
    ),
    doublingCount:
      combinedEstimate(
        (part) => part.doublingCount,
        (a, b) => joinCounts(a, b),
      ) + (node.kind === 'choice' ? Math.log2(partEstimates.length) : 0),
  };
}

/**
 * Whether the pattern matches anywhere in the text. Follows all states at once, so the time is
 * bounded by states times characters.
 */
function runProgram({ states, startState, acceptingState }: Program, text: string): boolean {
  let currentStates: number[] = [];
  const visitMarks = new Uint32Array(states.length);
  for (let position = 0; ; position++) {
    // A match may begin at any character, so `startState` is added at each position.
    const reachedStates: number[] = [];
    const pendingStates = [...currentStates, startState];
    while (pendingStates.length > 0) {
      const stateIndex = pendingStates.pop()!;
      if (visitMarks[stateIndex] === position + 1) continue;
      visitMarks[stateIndex] = position + 1;
      stepCounts.states++;
      if (stateIndex === acceptingState) return true;
      const state = states[stateIndex]!;
      if (state.characterTest) reachedStates.push(stateIndex);
      else if (!state.assertion || state.assertion(text, position)) {
        pendingStates.push(state.next);
        if (state.secondNext >= 0) pendingStates.push(state.secondNext);
      }
    }
    if (position >= text.length) return false;
    const code = text.charCodeAt(position);
    currentStates = reachedStates
      .filter((index) => states[index]!.characterTest!(code))
      .map((index) => states[index]!.next);
  }
}

/** Builds the states from the end of a pattern to its beginning. */
class Compiler {
  private readonly states: MatchState[] = [];

  program(node: PatternNode): Pick<Program, 'states' | 'startState' | 'acceptingState'> {
    const acceptingState = this.add({ next: -1, secondNext: -1 });
    return { startState: this.compile(node, acceptingState), acceptingState, states: this.states };
  }

  /**
   * Adds the states for `node` and returns the index of the first of them. `nextState` is the index
   * of the state that follows `node`.
   */
  private compile(node: PatternNode, nextState: number): number {
    switch (node.kind) {
      case 'character':
        return this.add({ characterTest: node.characterTest, next: nextState, secondNext: -1 });
      case 'assertion':
        return this.add({ assertion: node.assertion, next: nextState, secondNext: -1 });
      case 'sequence':
        return node.parts.reduceRight((after, part) => this.compile(part, after), nextState);
      case 'choice':
        return node.parts
          .map((part) => this.compile(part, nextState))
          .reduce((other, start) => this.add({ next: other, secondNext: start }));
      case 'repeat': {
        let startState = nextState;
        if (node.maxCount === Number.POSITIVE_INFINITY) {
          startState = this.add({ next: nextState, secondNext: -1 });
          this.states[startState]!.secondNext = this.compile(node.part, startState);
        } else {
          for (let i = node.minCount; i < node.maxCount; i++)
            startState = this.add({ next: nextState, secondNext: this.compile(node.part, startState) });
        }
        for (let i = 0; i < node.minCount; i++) startState = this.compile(node.part, startState);
        return startState;
      }
    }
  }

  /** Adds a state and returns its index. */
  private add(state: MatchState): number {
    if (this.states.length >= MAX_PROGRAM_STATES) throw new UnsupportedPattern();
    return this.states.push(state) - 1;
  }
}

const isDigit: CharacterTest = (code) => code >= 48 && code <= 57;
const isLower: CharacterTest = (code) => code >= 97 && code <= 122;
const isUpper: CharacterTest = (code) => code >= 65 && code <= 90;
const isLetter: CharacterTest = (code) => isLower(code) || isUpper(code);
const isWordCharacter: CharacterTest = (code) => isLetter(code) || isDigit(code) || code === 95;
/** The only white space here: a text with any other white space never reaches the engine. */
const isSpace: CharacterTest = (code) => code === 32;

/** The classes `\d`, `\w` and `\s`, as in the C locale. */
const CLASSES_OF_LETTER: Readonly<Record<string, CharacterTest>> = { d: isDigit, w: isWordCharacter, s: isSpace };

const POSIX_CLASSES: Readonly<Record<string, CharacterTest>> = {
  alnum: (code) => isLetter(code) || isDigit(code),
  alpha: isLetter,
  blank: isSpace,
  digit: isDigit,
  graph: (code) => code > 32,
  lower: isLower,
  print: () => true,
  punct: (code) => code > 32 && !isLetter(code) && !isDigit(code),
  space: isSpace,
  upper: isUpper,
  word: isWordCharacter,
  xdigit: (code) => isDigit(code) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102),
};

const CONTROL_CODES: Readonly<Record<string, number>> = { t: 9, n: 10, f: 12, r: 13, a: 7, e: 27 };

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  A: (_, index) => index === 0,
  z: (text, index) => index === text.length,
  Z: (text, index) => index === text.length,
  b: isWordBoundary,
  B: (text, index) => !isWordBoundary(text, index),
};

function isWordBoundary(text: string, index: number): boolean {
  return isWordCharacter(text.charCodeAt(index - 1)) !== isWordCharacter(text.charCodeAt(index));
}

/**
 * Reads patterns with the part of the syntax of pcre2pattern(3) that needs no backtracking. Throws
 * `UnsupportedPattern` for any other syntax.
 */
class PatternParser {
  private index = 0;
  private depth = 0;

  constructor(
    private readonly pattern: string,
    private readonly ignoreCase: boolean,
  ) {}

  parse(): PatternNode {
    const node = this.parseChoice();
    // A closing parenthesis without an open one is an error.
    if (this.index < this.pattern.length) throw new UnsupportedPattern();
    return node;
  }

  /**
   * Reads alternatives with `|` between them, up to a closing parenthesis or the end of the
   * pattern.
   */
  private parseChoice(): PatternNode {
    const parts: PatternNode[] = [this.parseSequence()];
    while (this.takesCharacter('|')) parts.push(this.parseSequence());
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts };
  }

  /** Reads one alternative: parts that match one after another. */
  private parseSequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.index < this.pattern.length && !'|)'.includes(this.pattern[this.index]!))
      parts.push(this.parseRepeated());
    return { kind: 'sequence', parts };
  }

  /** Reads a part and the quantifier after it, if there is one. */
  private parseRepeated(): PatternNode {
    const part = this.parseAtom();
    const quantifierMatch = QUANTIFIER.exec(this.pattern.slice(this.index, this.index + 20));
    if (!quantifierMatch) return part;
    this.index += quantifierMatch[0].length;
    const [, sign, minDigits, comma, maxDigits] = quantifierMatch;
    // Releases of PCRE2 read `$*` in different ways.
    if (part.kind === 'assertion') throw new UnsupportedPattern();
    // Possessive quantifiers and repeated quantifiers are not supported.
    if (this.takesCharacter('+')) throw new UnsupportedPattern();
    this.takesCharacter('?');
    if (QUANTIFIER.test(this.pattern.slice(this.index, this.index + 20))) throw new UnsupportedPattern();
    if (sign !== undefined)
      return { kind: 'repeat', part, minCount: sign === '+' ? 1 : 0, maxCount: sign === '?' ? 1 : Infinity };
    const bounds = {
      minCount: Number(minDigits),
      maxCount: comma === undefined ? Number(minDigits) : maxDigits === '' ? Infinity : Number(maxDigits),
    };
    if (bounds.maxCount < bounds.minCount || bounds.minCount > MAX_PROGRAM_STATES) throw new UnsupportedPattern();
    return { kind: 'repeat', part, ...bounds };
  }

  /** Reads one part without its quantifier: a character, a class, an assertion, or a group. */
  private parseAtom(): PatternNode {
    const character = this.pattern[this.index++]!;
    switch (character) {
      case '^':
        return { kind: 'assertion', assertion: ASSERTIONS.A! };
      case '$':
        return { kind: 'assertion', assertion: ASSERTIONS.z! };
      case '.':
        return { kind: 'character', characterTest: () => true };
      case '(':
        return this.parseGroup();
      case '[':
        return { kind: 'character', characterTest: this.anyCaseIfIgnored(this.parseCharacterClass()) };
      case '\\':
        return this.parseEscape();
      case '*':
      case '+':
      case '?':
        throw new UnsupportedPattern();
      case '{':
        // Releases of PCRE2 read `{,3}` and `{ 1 }` in different ways.
        if (/^[ \t]*(?:\d+[ \t]*)?(?:,[ \t]*(?:\d+[ \t]*)?)?\}/.test(this.pattern.slice(this.index, this.index + 40)))
          throw new UnsupportedPattern();
        return this.literalNode(character);
      default:
        return this.literalNode(character);
    }
  }

  /** Reads a group; its `(` has been read. */
  private parseGroup(): PatternNode {
    if (++this.depth > MAX_GROUP_DEPTH || this.pattern[this.index] === '*') throw new UnsupportedPattern();
    if (this.pattern[this.index] === '?') {
      const groupStart = /^\?(?::|P?<[A-Za-z_]\w{0,30}>)/.exec(this.pattern.slice(this.index, this.index + 40))?.[0];
      if (groupStart === undefined) throw new UnsupportedPattern();
      this.index += groupStart.length;
    }
    const node = this.parseChoice();
    if (!this.takesCharacter(')')) throw new UnsupportedPattern();
    this.depth--;
    return node;
  }

  /** Reads an escape outside of brackets; its backslash has been read. */
  private parseEscape(): PatternNode {
    const letter = this.pattern[this.index++] ?? '';
    if (Object.hasOwn(ASSERTIONS, letter)) return { kind: 'assertion', assertion: ASSERTIONS[letter]! };
    const classTest = testOfClass(letter);
    if (classTest) return { kind: 'character', characterTest: classTest };
    const code = this.escapedCode(letter);
    return { kind: 'character', characterTest: this.anyCaseIfIgnored((each) => each === code) };
  }

  /**
   * The character code that an escape means; `letter` is the first character after the backslash.
   */
  private escapedCode(letter: string): number {
    if (Object.hasOwn(CONTROL_CODES, letter)) return CONTROL_CODES[letter]!;
    if (letter === 'x') {
      const digits = /^[0-9a-fA-F]{2}/.exec(this.pattern.slice(this.index, this.index + 2))?.[0];
      if (digits === undefined) throw new UnsupportedPattern();
      this.index += 2;
      return Number.parseInt(digits, 16);
    }
    if (letter === '' || /\w/.test(letter)) throw new UnsupportedPattern();
    return letter.charCodeAt(0);
  }

  /** Reads a character class; its `[` has been read. Returns its test. */
  private parseCharacterClass(): CharacterTest {
    const isNegated = this.takesCharacter('^');
    const tests: CharacterTest[] = [];
    for (let isFirstInClass = true; ; isFirstInClass = false) {
      const character = this.pattern[this.index];
      if (character === undefined) throw new UnsupportedPattern();
      if (character === ']' && !isFirstInClass) break;
      const test = this.parseClassType();
      if (test) {
        // Releases of PCRE2 read a hyphen after `\d` or after a POSIX class in different ways.
        if (this.pattern[this.index] === '-' && this.pattern[this.index + 1] !== ']') throw new UnsupportedPattern();
        tests.push(test);
        continue;
      }
      const firstCode = this.parseClassCode();
      if (this.pattern[this.index] !== '-' || this.pattern[this.index + 1] === ']') {
        tests.push((code) => code === firstCode);
        continue;
      }
      this.index++;
      if (this.index >= this.pattern.length || this.parseClassType()) throw new UnsupportedPattern();
      const lastCode = this.parseClassCode();
      if (lastCode < firstCode) throw new UnsupportedPattern();
      tests.push((code) => code >= firstCode && code <= lastCode);
    }
    this.index++;
    const isInClass = this.anyCaseIfIgnored((code) => tests.some((test) => test(code)));
    return isNegated ? (code) => !isInClass(code) : isInClass;
  }

  /**
   * Reads a class such as `\d` or `[:alpha:]` within brackets; null if a single character is next.
   */
  private parseClassType(): CharacterTest | null {
    const textAhead = this.pattern.slice(this.index, this.index + 20);
    const escapedClass = /^\\([dwsDWS])/.exec(textAhead);
    if (escapedClass) {
      this.index += 2;
      return testOfClass(escapedClass[1]!);
    }
    if (!/^\[[:.=]/.test(textAhead)) return null;
    const [wholeMatch = '', negation, name = ''] = /^\[:(\^?)([a-z]+):\]/.exec(textAhead) ?? [];
    if (!Object.hasOwn(POSIX_CLASSES, name)) throw new UnsupportedPattern();
    this.index += wholeMatch.length;
    const test = POSIX_CLASSES[name]!;
    // If case is ignored, `[:upper:]` and `[:lower:]` both match all letters; `anyCaseIfIgnored`
    // adds the other case.
    return negation === '' ? test : (code) => !this.anyCaseIfIgnored(test)(code);
  }

  /** Reads a single character within brackets, which may be escaped, and returns its code. */
  private parseClassCode(): number {
    const character = this.pattern[this.index++]!;
    if (character !== '\\') return character.charCodeAt(0);
    const letter = this.pattern[this.index++] ?? '';
    return letter === 'b' ? 8 : this.escapedCode(letter);
  }

  /** A node that matches exactly this character, or also its other case if case is ignored. */
  private literalNode(character: string): PatternNode {
    const wantedCode = character.charCodeAt(0);
    return { kind: 'character', characterTest: this.anyCaseIfIgnored((code) => code === wantedCode) };
  }

  /** A test that also accepts the other case of each letter, if case is ignored. */
  private anyCaseIfIgnored(test: CharacterTest): CharacterTest {
    if (!this.ignoreCase) return test;
    return (code) => test(code) || (isLetter(code) && test(code ^ 32));
  }

  /** Moves past the next character if it is this one. Returns whether it was. */
  private takesCharacter(character: string): boolean {
    if (this.pattern[this.index] !== character) return false;
    this.index++;
    return true;
  }
}

const QUANTIFIER = /^(?:([*+?])|\{(\d{1,5})(,(\d{0,5}))?\})/;

/** The test of an escape such as `\d` or `\D`, by its letter; null if the letter means no class. */
function testOfClass(letter: string): CharacterTest | null {
  const lower = letter.toLowerCase();
  if (!Object.hasOwn(CLASSES_OF_LETTER, lower)) return null;
  const test = CLASSES_OF_LETTER[lower]!;
  return letter === lower ? test : (code) => !test(code);
}
