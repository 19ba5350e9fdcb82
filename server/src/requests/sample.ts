/**
 * Finds texts that a pattern matches, to make a request to which a section applies. The engine that
 * decides requests checks each text, so a wrong text does no harm.
 */
import { cache } from '../syntax/memory';
import { regexMatches } from '../syntax/regex-match';
import { matchesGlob } from './patterns';

/** Short texts that a regular expression matches, the simplest first. Empty if none is found. */
export function regexSamples(pattern: string, { ignoreCase = false } = {}): readonly string[] {
  const cachedSamples = ignoreCase ? samplesIgnoringCase : samplesByPattern;
  let samples = cachedSamples.get(pattern);
  if (samples === undefined) {
    if (cachedSamples.size >= MAX_CACHED_PATTERNS) cachedSamples.clear();
    cachedSamples.set(pattern, (samples = samplesOf(pattern, ignoreCase)));
  }
  return samples;
}

/** Finds the samples of a pattern, and checks each of them. */
function samplesOf(pattern: string, ignoreCase: boolean): string[] {
  const source = pattern.replace(/^\(\?i\)/, '');
  const candidateTexts = new SampleReader(source).readAlternatives();
  return [...new Set(candidateTexts)]
    .filter((text) => regexMatches(pattern, text, { ignoreCase }) === true)
    .slice(0, MAX_SAMPLES);
}

/** A path or name that a pattern with `*`, `?` and `[...]` matches; null if none is found. */
export function globSample(pattern: string): string | null {
  const sampleText = pattern.replace(
    /\[(!|\^)?([^\]])[^\]]{0,100}\]|\\(.)|[*?]/g,
    (_, not: string, first: string, plain: string) =>
      plain !== undefined ? plain : first !== undefined && not === undefined ? first : 'x',
  );
  return matchesGlob(pattern, sampleText) ? sampleText : null;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The samples by pattern, cached because hundreds of virtual hosts can have the same patterns.
 * `samplesIgnoringCase`: those for patterns that ignore the case.
 */
const samplesByPattern = cache<string, readonly string[]>();
const samplesIgnoringCase = cache<string, readonly string[]>();
const MAX_CACHED_PATTERNS = 1000;
/** Maximum number of samples for a pattern, and for each part of it. */
const MAX_SAMPLES = 8;
/** A text for each escape that stands for a kind of character or for a place. */
const SAMPLE_OF_SHORTHAND: Readonly<Record<string, string>> = {
  d: '1',
  w: 'a',
  s: ' ',
  D: 'a',
  W: '-',
  S: 'a',
  b: '',
  B: '',
};

/**
 * Reads a pattern, and collects a few matching texts for each part of it. For syntax that it does
 * not know, it collects none.
 */
class SampleReader {
  private position = 0;

  constructor(private readonly pattern: string) {}

  /**
   * Reads alternatives up to the end of the pattern or group. `depth`: the number of groups around
   * them.
   */
  readAlternatives(depth = 0): string[] {
    const alternativeTexts = this.readSequence(depth);
    while (this.pattern[this.position] === '|') {
      this.position++;
      alternativeTexts.push(...this.readSequence(depth));
    }
    return alternativeTexts.slice(0, MAX_SAMPLES);
  }

  /** Reads the parts of one alternative. */
  private readSequence(depth: number): string[] {
    let textsSoFar = [''];
    while (this.position < this.pattern.length && !'|)'.includes(this.pattern[this.position]!)) {
      const repeatedTexts = this.readRepeated(depth);
      textsSoFar = textsSoFar.flatMap((text) => repeatedTexts.map((part) => text + part)).slice(0, MAX_SAMPLES);
    }
    return textsSoFar;
  }

  /** Reads a part with its quantifier, such as `a+`. */
  private readRepeated(depth: number): string[] {
    const textsOfAtom = this.readAtom(depth);
    const quantifier = /^(?:([*+?])|\{(\d+)(?:,\d*)?\})[?+]?/.exec(
      this.pattern.slice(this.position, this.position + 20),
    );
    if (!quantifier) return textsOfAtom;
    this.position += quantifier[0].length;
    const minRepeats =
      quantifier[1] === undefined ? Math.min(Number(quantifier[2]), 50) : quantifier[1] === '+' ? 1 : 0;
    const repeatedTexts = textsOfAtom.map((part) => part.repeat(minRepeats));
    return minRepeats === 0 ? ['', ...textsOfAtom] : repeatedTexts;
  }

  /** Reads a character, an escape, a set or a group. */
  private readAtom(depth: number): string[] {
    const character = this.pattern[this.position++]!;
    switch (character) {
      case '^':
      case '$':
        return [''];
      case '.':
        return ['x'];
      case '(': {
        const groupPrefix =
          /^\?(?::|<\w+>|P<\w+>|[=!]|<[=!])/.exec(this.pattern.slice(this.position, this.position + 40))?.[0] ?? '';
        this.position += groupPrefix.length;
        const innerTexts = depth > 50 ? [] : this.readAlternatives(depth + 1);
        this.position++;
        return /[=!]$/.test(groupPrefix) ? [''] : innerTexts;
      }
      case '[':
        return this.readCharacterSet();
      case '\\': {
        const escapedCharacter = this.pattern[this.position++] ?? '';
        return [SAMPLE_OF_SHORTHAND[escapedCharacter] ?? escapedCharacter];
      }
      default:
        return [character];
    }
  }

  /** Reads a set such as `[a-z]`, after its opening bracket. */
  private readCharacterSet(): string[] {
    const closingIndex = this.pattern.indexOf(']', this.position + (this.pattern[this.position] === '^' ? 2 : 1));
    const body = this.pattern.slice(this.position, closingIndex < 0 ? undefined : closingIndex);
    this.position = closingIndex < 0 ? this.pattern.length : closingIndex + 1;
    if (body.startsWith('^')) return ['x', 'a', '1', '-'].filter((each) => !body.includes(each)).slice(0, 2);
    const firstMember = body[0] === '\\' ? (SAMPLE_OF_SHORTHAND[body[1] ?? ''] ?? body[1] ?? '') : (body[0] ?? '');
    return [firstMember];
  }
}
