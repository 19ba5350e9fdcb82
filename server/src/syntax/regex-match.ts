/**
 * Whether a regular expression of a configuration matches a text, as PCRE answers. The engine keeps
 * the set of all states it may be in and reads the text once, so the time is bounded by states
 * times characters; a `RegExp` of JavaScript can take forever for `^(a+)+$`.
 *
 * The answer is null if it is not certain: look-around, back-references, verbs and all syntax that
 * `Parser` does not read (named as in pcre2pattern(3)); letters outside of ASCII (httpd compares
 * bytes); control characters (releases treat a line end differently for `$` and `.`); and patterns
 * that are so large, or have so many paths through a text, that PCRE itself gives up (its match
 * limit is ten million steps, and httpd then reports no match).
 */
import { cache, counters } from './memory';

/** Counts the work of the engine, for tests. */
export const steps = counters({ states: 0 });

export interface MatchOptions {
  readonly ignoreCase?: boolean;
}

/** Returns null if the answer is not certain. */
export function regexMatches(pattern: string, text: string, { ignoreCase = false }: MatchOptions = {}): boolean | null {
  if (text.length > MAX_TEXT || !PRINTABLE.test(text)) return null;
  const program = programOf(pattern, ignoreCase);
  if (program === null) return null;
  const { answers } = program;
  let answer = answers.get(text);
  if (answer === undefined) {
    if (answers.size >= MOST_ANSWERS) answers.clear();
    answers.set(text, (answer = answerOf(program, text)));
  }
  return answer;
}

function answerOf(program: Program, text: string): boolean | null {
  if (!run(program, text)) return false;
  const isSure = program.isNested ? text.length <= MAX_NESTED : !mayGiveUp(program, text);
  return isSure ? true : null;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Names of files and hosts are shorter (NAME_MAX is 255). */
const MAX_TEXT = 1000;
const MAX_PATTERN = 2000;
const MAX_STATES = 500;
/** The limit of PCRE is 250 (parens_nest_limit). */
const MAX_DEPTH = 100;
/**
 * A quantifier within a quantifier doubles the paths with every character: 2^16 is far below PCRE's
 * limit.
 */
const MAX_NESTED = 16;
const PCRE_STEPS = 1_000_000;

const PRINTABLE = /^[\x20-\x7e]*$/;

/** Whether a pattern accepts an ASCII character at one place. */
type Test = (code: number) => boolean;

type Node =
  | { readonly kind: 'character'; readonly test: Test }
  | { readonly kind: 'assertion'; readonly holds: Assertion }
  | { readonly kind: 'sequence'; readonly parts: readonly Node[] }
  | { readonly kind: 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly least: number; readonly most: number };

type Assertion = (text: string, index: number) => boolean;

/** `next` and `other` are indices of states. A state without test or assertion leads to both. */
interface State {
  readonly test?: Test;
  readonly holds?: Assertion;
  next: number;
  other: number;
}

interface Program extends Shape {
  readonly states: readonly State[];
  readonly start: number;
  readonly accepts: number;
  /**
   * Results by text. They are cached, because each section is compared with each other section
   * several times.
   */
  readonly answers: Map<string, boolean | null>;
}

const programs = cache<string, Program | null>();
const MOST_PROGRAMS = 1000;
/** Limit for the cached results of a program. */
const MOST_ANSWERS = 300;

function programOf(pattern: string, ignoreCase: boolean): Program | null {
  const key = `${ignoreCase ? 'i' : ' '}${pattern}`;
  const cachedProgram = programs.get(key);
  if (cachedProgram !== undefined) return cachedProgram;
  if (programs.size >= MOST_PROGRAMS) programs.clear();
  const program = compiled(pattern, ignoreCase);
  programs.set(key, program);
  return program;
}

function compiled(pattern: string, ignoreCase: boolean): Program | null {
  if (pattern.length > MAX_PATTERN || !PRINTABLE.test(pattern)) return null;
  try {
    const isInsensitive = pattern.startsWith('(?i)');
    const node = new Parser(isInsensitive ? pattern.slice(4) : pattern, ignoreCase || isInsensitive).parse();
    return { ...new Compiler().program(node), ...shapeOf(node), answers: new Map() };
  } catch (error) {
    if (error instanceof Unsupported) return null;
    throw error;
  }
}

/** A pattern that PCRE refuses, or that this engine does not run. */
class Unsupported extends Error {}

/** Whether a backtracking engine may need more steps for the text than PCRE allows. */
function mayGiveUp({ quantifiers, doublings }: Shape, text: string): boolean {
  return (text.length + 1) ** quantifiers * 2 ** doublings > PCRE_STEPS;
}

/** A rough measure of how many paths through a text a pattern has. */
interface Shape {
  /** Whether a quantifier repeats something with another quantifier or a choice in it. */
  readonly isNested: boolean;
  /** Quantifiers that try all lengths in turn. */
  readonly quantifiers: number;
  /** The number of choices that double the number of paths. */
  readonly doublings: number;
}

const NO_WAYS: Shape = { isNested: false, quantifiers: 0, doublings: 0 };

function shapeOf(node: Node): Shape {
  if (node.kind === 'character' || node.kind === 'assertion') return NO_WAYS;
  if (node.kind === 'repeat') {
    const { isNested, quantifiers, doublings } = shapeOf(node.part);
    const { least, most } = node;
    if (most <= 1) return { isNested, quantifiers, doublings: doublings + (least === most ? 0 : 1) };
    return {
      isNested: isNested || quantifiers > 0 || doublings > 0,
      quantifiers: quantifiers + (least === most ? 0 : 1),
      doublings,
    };
  }
  const parts = node.parts.map(shapeOf);
  const combine = (value: (shape: Shape) => number, join: (a: number, b: number) => number) =>
    parts.map(value).reduce(join, 0);
  const join = node.kind === 'choice' ? Math.max : (a: number, b: number) => a + b;
  return {
    isNested: parts.some((part) => part.isNested),
    quantifiers: combine(
      (part) => part.quantifiers,
      (a, b) => join(a, b),
    ),
    doublings:
      combine(
        (part) => part.doublings,
        (a, b) => join(a, b),
      ) + (node.kind === 'choice' ? Math.log2(parts.length) : 0),
  };
}

/**
 * Whether the pattern matches anywhere in the text. Follows all states at once, so the time is
 * bounded by states times characters.
 */
function run({ states, start, accepts }: Program, text: string): boolean {
  let current: number[] = [];
  const seen = new Uint32Array(states.length);
  for (let position = 0; ; position++) {
    // A match may begin at any character.
    const reached: number[] = [];
    const pending = [...current, start];
    while (pending.length > 0) {
      const index = pending.pop()!;
      if (seen[index] === position + 1) continue;
      seen[index] = position + 1;
      steps.states++;
      if (index === accepts) return true;
      const state = states[index]!;
      if (state.test) reached.push(index);
      else if (!state.holds || state.holds(text, position)) {
        pending.push(state.next);
        if (state.other >= 0) pending.push(state.other);
      }
    }
    if (position >= text.length) return false;
    const code = text.charCodeAt(position);
    current = reached.filter((index) => states[index]!.test!(code)).map((index) => states[index]!.next);
  }
}

/** Builds the states from the end of a pattern to its beginning. */
class Compiler {
  private readonly states: State[] = [];

  program(node: Node): Pick<Program, 'states' | 'start' | 'accepts'> {
    const accepts = this.add({ next: -1, other: -1 });
    return { start: this.compile(node, accepts), accepts, states: this.states };
  }

  /** The first state of `node`, if `next` follows it. */
  private compile(node: Node, next: number): number {
    switch (node.kind) {
      case 'character':
        return this.add({ test: node.test, next, other: -1 });
      case 'assertion':
        return this.add({ holds: node.holds, next, other: -1 });
      case 'sequence':
        return node.parts.reduceRight((after, part) => this.compile(part, after), next);
      case 'choice':
        return node.parts
          .map((part) => this.compile(part, next))
          .reduce((other, start) => this.add({ next: other, other: start }));
      case 'repeat': {
        let start = next;
        if (node.most === Number.POSITIVE_INFINITY) {
          start = this.add({ next, other: -1 });
          this.states[start]!.other = this.compile(node.part, start);
        } else {
          for (let i = node.least; i < node.most; i++)
            start = this.add({ next, other: this.compile(node.part, start) });
        }
        for (let i = 0; i < node.least; i++) start = this.compile(node.part, start);
        return start;
      }
    }
  }

  private add(state: State): number {
    if (this.states.length >= MAX_STATES) throw new Unsupported();
    return this.states.push(state) - 1;
  }
}

const isDigit: Test = (code) => code >= 48 && code <= 57;
const isLower: Test = (code) => code >= 97 && code <= 122;
const isUpper: Test = (code) => code >= 65 && code <= 90;
const isLetter: Test = (code) => isLower(code) || isUpper(code);
const isWord: Test = (code) => isLetter(code) || isDigit(code) || code === 95;
/** Texts with other white space are never matched. */
const isSpace: Test = (code) => code === 32;

/** Character types, as in the C locale. */
const TYPES: Readonly<Record<string, Test>> = { d: isDigit, w: isWord, s: isSpace };

const POSIX: Readonly<Record<string, Test>> = {
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
  word: isWord,
  xdigit: (code) => isDigit(code) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102),
};

const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, f: 12, r: 13, a: 7, e: 27 };

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  A: (_, index) => index === 0,
  z: (text, index) => index === text.length,
  Z: (text, index) => index === text.length,
  b: isWordBoundary,
  B: (text, index) => !isWordBoundary(text, index),
};

function isWordBoundary(text: string, index: number): boolean {
  return isWord(text.charCodeAt(index - 1)) !== isWord(text.charCodeAt(index));
}

/** Reads the part of pcre2pattern(3) that needs no backtracking. */
class Parser {
  private index = 0;
  private depth = 0;

  constructor(
    private readonly pattern: string,
    private readonly ignoreCase: boolean,
  ) {}

  parse(): Node {
    const node = this.choice();
    // A closing parenthesis without an open one.
    if (this.index < this.pattern.length) throw new Unsupported();
    return node;
  }

  private choice(): Node {
    const parts: Node[] = [this.sequence()];
    while (this.takes('|')) parts.push(this.sequence());
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts };
  }

  private sequence(): Node {
    const parts: Node[] = [];
    while (this.index < this.pattern.length && !'|)'.includes(this.pattern[this.index]!)) parts.push(this.repeated());
    return { kind: 'sequence', parts };
  }

  private repeated(): Node {
    const part = this.atom();
    const match = QUANTIFIER.exec(this.pattern.slice(this.index, this.index + 20));
    if (!match) return part;
    this.index += match[0].length;
    const [, sign, least, comma, most] = match;
    // Releases of PCRE2 differ about `$*`.
    if (part.kind === 'assertion') throw new Unsupported();
    // Possessive quantifiers and repeated quantifiers are not supported.
    if (this.takes('+')) throw new Unsupported();
    this.takes('?');
    if (QUANTIFIER.test(this.pattern.slice(this.index, this.index + 20))) throw new Unsupported();
    if (sign !== undefined)
      return { kind: 'repeat', part, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity };
    const bounds = {
      least: Number(least),
      most: comma === undefined ? Number(least) : most === '' ? Infinity : Number(most),
    };
    if (bounds.most < bounds.least || bounds.least > MAX_STATES) throw new Unsupported();
    return { kind: 'repeat', part, ...bounds };
  }

  private atom(): Node {
    const character = this.pattern[this.index++]!;
    switch (character) {
      case '^':
        return { kind: 'assertion', holds: ASSERTIONS.A! };
      case '$':
        return { kind: 'assertion', holds: ASSERTIONS.z! };
      case '.':
        return { kind: 'character', test: () => true };
      case '(':
        return this.group();
      case '[':
        return { kind: 'character', test: this.cased(this.characterClass()) };
      case '\\':
        return this.escape();
      case '*':
      case '+':
      case '?':
        throw new Unsupported();
      case '{':
        // Releases of PCRE2 differ about `{,3}` and `{ 1 }`.
        if (/^[ \t]*(?:\d+[ \t]*)?(?:,[ \t]*(?:\d+[ \t]*)?)?\}/.test(this.pattern.slice(this.index, this.index + 40)))
          throw new Unsupported();
        return this.literal(character);
      default:
        return this.literal(character);
    }
  }

  private group(): Node {
    if (++this.depth > MAX_DEPTH || this.pattern[this.index] === '*') throw new Unsupported();
    if (this.pattern[this.index] === '?') {
      const opening = /^\?(?::|P?<[A-Za-z_]\w{0,30}>)/.exec(this.pattern.slice(this.index, this.index + 40))?.[0];
      if (opening === undefined) throw new Unsupported();
      this.index += opening.length;
    }
    const node = this.choice();
    if (!this.takes(')')) throw new Unsupported();
    this.depth--;
    return node;
  }

  private escape(): Node {
    const letter = this.pattern[this.index++] ?? '';
    if (Object.hasOwn(ASSERTIONS, letter)) return { kind: 'assertion', holds: ASSERTIONS[letter]! };
    const type = typeOf(letter);
    if (type) return { kind: 'character', test: type };
    const code = this.escapedCode(letter);
    return { kind: 'character', test: this.cased((each) => each === code) };
  }

  /** The character code of an escape; `letter` is the first character after the backslash. */
  private escapedCode(letter: string): number {
    if (Object.hasOwn(CONTROLS, letter)) return CONTROLS[letter]!;
    if (letter === 'x') {
      const digits = /^[0-9a-fA-F]{2}/.exec(this.pattern.slice(this.index, this.index + 2))?.[0];
      if (digits === undefined) throw new Unsupported();
      this.index += 2;
      return Number.parseInt(digits, 16);
    }
    if (letter === '' || /\w/.test(letter)) throw new Unsupported();
    return letter.charCodeAt(0);
  }

  /** The test of a character class; `[` has been read. */
  private characterClass(): Test {
    const isNegated = this.takes('^');
    const tests: Test[] = [];
    for (let isFirst = true; ; isFirst = false) {
      const character = this.pattern[this.index];
      if (character === undefined) throw new Unsupported();
      if (character === ']' && !isFirst) break;
      const test = this.classType();
      if (test) {
        // Releases of PCRE2 differ about a hyphen after a type or a POSIX class.
        if (this.pattern[this.index] === '-' && this.pattern[this.index + 1] !== ']') throw new Unsupported();
        tests.push(test);
        continue;
      }
      const from = this.classCode();
      if (this.pattern[this.index] !== '-' || this.pattern[this.index + 1] === ']') {
        tests.push((code) => code === from);
        continue;
      }
      this.index++;
      if (this.index >= this.pattern.length || this.classType()) throw new Unsupported();
      const to = this.classCode();
      if (to < from) throw new Unsupported();
      tests.push((code) => code >= from && code <= to);
    }
    this.index++;
    const isIn = this.cased((code) => tests.some((test) => test(code)));
    return isNegated ? (code) => !isIn(code) : isIn;
  }

  /** `\d`, `[:alpha:]`; null if the next item is a character. */
  private classType(): Test | null {
    const rest = this.pattern.slice(this.index, this.index + 20);
    const escaped = /^\\([dwsDWS])/.exec(rest);
    if (escaped) {
      this.index += 2;
      return typeOf(escaped[1]!);
    }
    if (!/^\[[:.=]/.test(rest)) return null;
    const [whole = '', not, name = ''] = /^\[:(\^?)([a-z]+):\]/.exec(rest) ?? [];
    if (!Object.hasOwn(POSIX, name)) throw new Unsupported();
    this.index += whole.length;
    const test = POSIX[name]!;
    // If the pattern ignores case, lower and upper both mean letters, and `cased` handles that.
    return not === '' ? test : (code) => !this.cased(test)(code);
  }

  private classCode(): number {
    const character = this.pattern[this.index++]!;
    if (character !== '\\') return character.charCodeAt(0);
    const letter = this.pattern[this.index++] ?? '';
    return letter === 'b' ? 8 : this.escapedCode(letter);
  }

  private literal(character: string): Node {
    const wantedCode = character.charCodeAt(0);
    return { kind: 'character', test: this.cased((code) => code === wantedCode) };
  }

  private cased(test: Test): Test {
    if (!this.ignoreCase) return test;
    return (code) => test(code) || (isLetter(code) && test(code ^ 32));
  }

  private takes(character: string): boolean {
    if (this.pattern[this.index] !== character) return false;
    this.index++;
    return true;
  }
}

const QUANTIFIER = /^(?:([*+?])|\{(\d{1,5})(,(\d{0,5}))?\})/;

function typeOf(letter: string): Test | null {
  const lower = letter.toLowerCase();
  if (!Object.hasOwn(TYPES, lower)) return null;
  const test = TYPES[lower]!;
  return letter === lower ? test : (code) => !test(code);
}
