/** The text of a string in PHP code. Strings that the code concatenates are one text. */

export interface PhpText {
  readonly text: string;
  /** For each character of `text`, its UTF-16 offset in the file; then the offset of the end. */
  readonly offsets: readonly number[];
  /** The code before the string, at most 200 characters, without other strings. */
  readonly codeBefore: string;
}

/**
 * Stands for an expression between concatenated strings. It has the form of a variable of httpd, so
 * that its value counts as unknown.
 */
const EXPRESSION_PLACEHOLDER = '${php}';

/**
 * The strings of a PHP file, in the order of the file. Text outside of `<?php … ?>` is not code.
 */
export function phpTexts(source: string): PhpText[] {
  const phpStrings: { text: string; offsets: number[]; codeBefore: string; end: number }[] = [];
  let position = 0;
  while ((position = source.indexOf('<?', position)) >= 0) position = readCode(source, position + 2, phpStrings);
  for (const { offsets, end } of phpStrings) offsets.push(end);
  return phpStrings;
}

// ---------------------------------------------------------------------------------------------------------------------

/** A `PhpText` while more strings may be appended to it. */
interface FoundString {
  text: string;
  readonly offsets: number[];
  readonly codeBefore: string;
  /** The UTF-16 offset in the file after the closing quote. */
  end: number;
}

const HEREDOC = /<<<[ \t]*(["']?)([A-Za-z_]\w*)\1\r?\n/y;

/**
 * Reads code from `start` up to `?>` or the end, and adds its strings to `phpStrings`. Returns the
 * offset after the code.
 */
function readCode(source: string, start: number, phpStrings: FoundString[]): number {
  let position = start;
  /** The code since the last string, without comments. */
  let code = '';
  let codeStart = start;
  const takeString = (text: string, offsets: number[], end: number): void => {
    code += source.slice(codeStart, position);
    addString(phpStrings, { text, offsets, codeBefore: code.slice(-200), end }, code);
    code = '';
    position = codeStart = end;
  };
  const skipComment = (end: number): void => {
    code += source.slice(codeStart, position);
    position = codeStart = end;
  };
  while (position < source.length) {
    const character = source[position]!;
    if (character === '?' && source[position + 1] === '>') return position + 2;
    if (character === "'" || character === '"') {
      const closingQuoteOffset = offsetOfClosingQuote(source, position);
      takeString(
        ...contentOf(source, position + 1, closingQuoteOffset, character),
        Math.min(closingQuoteOffset + 1, source.length),
      );
    } else if (character === '<' && source.startsWith('<<<', position)) {
      const heredoc = readHeredoc(source, position);
      if (heredoc) takeString(...heredoc);
      else position += 3;
    } else if ((character === '#' && source[position + 1] !== '[') || source.startsWith('//', position)) {
      skipComment(lineCommentEnd(source, position));
    } else if (source.startsWith('/*', position)) {
      const commentClose = source.indexOf('*/', position + 2);
      skipComment(commentClose < 0 ? source.length : commentClose + 2);
    } else position++;
  }
  return source.length;
}

/**
 * Adds a string to `phpStrings`. `code` is the code between the previous string and this string. If
 * that code concatenates the two, the new text is appended to the previous string.
 */
function addString(phpStrings: FoundString[], nextString: FoundString, code: string): void {
  const previousString = phpStrings.at(-1);
  const joiningText = previousString === undefined ? null : textBetween(code);
  if (previousString === undefined || joiningText === null) {
    phpStrings.push(nextString);
    return;
  }
  previousString.text += joiningText + nextString.text;
  for (let index = 0; index < joiningText.length; index++) previousString.offsets.push(previousString.end);
  for (const offset of nextString.offsets) previousString.offsets.push(offset);
  previousString.end = nextString.end;
}

/**
 * The text that the code between two strings puts between them; null if the code does not
 * concatenate the strings.
 */
function textBetween(code: string): string | null {
  if (code.length > 500 || !code.includes('.') || /[;{}]/.test(code)) return null;
  const operands = code.split('.').map((part) => part.trim());
  if (operands[0] !== '' || operands.at(-1) !== '' || operands.length < 2) return null;
  return operands
    .slice(1, -1)
    .map((part) => (/^(?:PHP_EOL|chr\(\s*10\s*\))$/i.test(part) ? '\n' : EXPRESSION_PLACEHOLDER))
    .join('');
}

/** The offset of the quote that closes the one at `start`; the length of the text if none does. */
function offsetOfClosingQuote(source: string, start: number): number {
  const quote = source[start];
  for (let position = start + 1; position < source.length; position++) {
    if (source[position] === '\\') position++;
    else if (source[position] === quote) return position;
  }
  return source.length;
}

/**
 * The offset of the end of a comment with `//` or `#`: the end of its line, or a `?>` before it.
 */
function lineCommentEnd(source: string, start: number): number {
  const newlineIndex = source.indexOf('\n', start);
  const lineEnd = newlineIndex < 0 ? source.length : newlineIndex;
  const closeIndex = source.slice(start, lineEnd).indexOf('?>');
  return closeIndex < 0 ? lineEnd : start + closeIndex;
}

/**
 * Reads the heredoc or nowdoc that begins at `start`; `end` is the offset after it. Null if none
 * begins there.
 */
function readHeredoc(source: string, start: number): [text: string, offsets: number[], end: number] | null {
  HEREDOC.lastIndex = start;
  const heredocStart = HEREDOC.exec(source);
  if (!heredocStart) return null;
  const [{ length }, quote, name] = heredocStart;
  let lineStart = start + length;
  while (lineStart < source.length) {
    const newlineIndex = source.indexOf('\n', lineStart);
    const lineEnd = newlineIndex < 0 ? source.length : newlineIndex;
    const line = source.slice(lineStart, lineEnd);
    const indent = line.length - line.trimStart().length;
    if (line.startsWith(name!, indent) && !/\w/.test(line[indent + name!.length] ?? '')) {
      const content = contentOf(
        source,
        start + length,
        Math.max(start + length, lineStart - 1),
        quote === "'" ? '' : '"',
      );
      return [...content, lineStart + indent + name!.length];
    }
    lineStart = lineEnd + 1;
  }
  return null;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', $: '$', '\\': '\\' };

/**
 * Decodes the escapes of a string from `start` to `end`. `quote` is `'` or `"`; '' for a nowdoc,
 * which has no escapes.
 */
function contentOf(source: string, start: number, end: number, quote: string): [text: string, offsets: number[]] {
  let text = '';
  const offsets: number[] = [];
  for (let position = start; position < end; position++) {
    const character = source[position]!;
    const nextCharacter = source[position + 1] ?? '';
    offsets.push(position);
    const unescapedCharacter =
      quote === '"' ? ESCAPES[nextCharacter] : quote === "'" && /['\\]/.test(nextCharacter) ? nextCharacter : undefined;
    if (character === '\\' && unescapedCharacter !== undefined && position + 1 < end) {
      text += unescapedCharacter;
      position++;
    } else text += character;
  }
  return [text, offsets];
}
