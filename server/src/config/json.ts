/** JSON with the places of its parts, so that what is wrong in a file can be underlined. Strict: no comments, no comma at the end. */

export type JsonNode = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'object'; readonly properties: readonly JsonProperty[] }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' }
);

export interface JsonProperty {
  readonly key: string;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly value: JsonNode;
}

/** Where the text stops being JSON, and why. */
export interface JsonProblem {
  readonly offset: number;
  readonly message: string;
}

/** Deeper nesting than this is no settings file. */
const MAX_DEPTH = 50;

/** Reads a text whole. Offsets are in UTF-16 units. */
export function parseJson(text: string): { readonly root: JsonNode } | { readonly problem: JsonProblem } {
  try {
    return { root: new Parser(text).document() };
  } catch (error) {
    if (error instanceof Stop) return { problem: { offset: error.offset, message: error.message } };
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

class Stop extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

class Parser {
  private at = 0;

  constructor(private readonly text: string) {
    if (text.startsWith('\uFEFF')) this.at = 1;
  }

  document(): JsonNode {
    this.space();
    const root = this.value(0);
    this.space();
    if (this.at < this.text.length) throw new Stop(this.at, 'nothing may follow here');
    return root;
  }

  private value(depth: number): JsonNode {
    if (depth > MAX_DEPTH) throw new Stop(this.at, 'nested too deeply');
    const start = this.at;
    const first = this.text[start];
    if (first === '{') return this.object(depth);
    if (first === '[') return this.array(depth);
    if (first === '"') return { kind: 'string', start, value: this.string(), end: this.at };
    const word = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/.exec(
      this.text.slice(start, start + 100),
    )?.[0];
    if (word === undefined)
      throw new Stop(
        start,
        start >= this.text.length
          ? 'the file ends too early'
          : 'a value is expected here (text in double quotes, true, false, a number, { or [)',
      );
    this.at += word.length;
    const place = { start, end: this.at };
    if (word === 'null') return { kind: 'null', ...place };
    if (word === 'true' || word === 'false') return { kind: 'boolean', value: word === 'true', ...place };
    return { kind: 'number', value: Number(word), ...place };
  }

  private object(depth: number): JsonNode {
    const start = this.at++;
    const properties: JsonProperty[] = [];
    for (let isFirst = true; !this.takes('}'); isFirst = false) {
      if (!isFirst) this.comma('}');
      const keyStart = this.at;
      if (this.text[keyStart] !== '"')
        throw new Stop(
          keyStart,
          keyStart >= this.text.length ? 'a } is missing at the end' : 'a name in double quotes is expected here',
        );
      const key = this.string();
      const keyEnd = this.at;
      if (!this.takes(':')) throw new Stop(this.at, 'a colon is expected here');
      this.space();
      properties.push({ key, keyStart, keyEnd, value: this.value(depth + 1) });
    }
    return { kind: 'object', start, end: this.at, properties };
  }

  private array(depth: number): JsonNode {
    const start = this.at++;
    const items: JsonNode[] = [];
    for (let isFirst = true; !this.takes(']'); isFirst = false) {
      if (!isFirst) this.comma(']');
      items.push(this.value(depth + 1));
    }
    return { kind: 'array', start, end: this.at, items };
  }

  private comma(close: string): void {
    const before = this.at;
    if (!this.takes(','))
      throw new Stop(
        this.at,
        this.at >= this.text.length ? `a ${close} is missing at the end` : `a comma or ${close} is expected here`,
      );
    this.space();
    if (this.text[this.at] === close) throw new Stop(before, 'a comma must not stand before the end');
  }

  private string(): string {
    const start = this.at;
    const match = /^"(?:[^"\\\n\r]|\\.)*"/.exec(this.text.slice(start));
    if (!match) throw new Stop(start, 'the closing quote is missing');
    try {
      const value: unknown = JSON.parse(match[0]);
      this.at += match[0].length;
      return value as string;
    } catch {
      throw new Stop(start, 'a backslash here quotes nothing that JSON knows');
    }
  }

  /** Whether the character comes next, white space aside; if so, behind it. */
  private takes(character: string): boolean {
    this.space();
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private space(): void {
    while (' \t\r\n'.includes(this.text[this.at] || '\0')) this.at++;
  }
}
