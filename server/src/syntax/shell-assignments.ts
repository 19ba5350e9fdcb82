/**
 * The assignments in a file that a shell reads for its variables: Debian's envvars, files in
 * /etc/sysconfig and /etc/conf.d. A value is unknown if a shell would have to compute it: commands,
 * branches, other variables.
 */

export interface Assignment {
  /** The assigned value; null if only a shell can compute it. */
  readonly value: string | null;
  /** 0-based lines, one for each UTF-16 unit of the value. */
  readonly rows: readonly number[];
  readonly isExported: boolean;
}

/** A word of a value, for values that are lists of names. */
export interface AssignedWord {
  readonly text: string;
  /** 0-based. */
  readonly row: number;
}

/**
 * The values of variables at the end of the file, by name. A name that another command in the file
 * may have set has no value.
 */
export function shellAssignments(text: string): ReadonlyMap<string, Assignment> {
  return new Reader(text).read();
}

/** The words of a value, split at spaces; empty if the value is unknown. */
export function wordsOf(assignment: Assignment | undefined): AssignedWord[] {
  const { value, rows } = assignment ?? UNKNOWN;
  return [...(value ?? '').matchAll(/\S+/g)].map(({ 0: word, index }) => ({ text: word, row: rows[index] ?? 0 }));
}

// ---------------------------------------------------------------------------------------------------------------------

const UNKNOWN: Assignment = { value: null, rows: [], isExported: false };

const OPENS = new Set(['if', 'case', 'for', 'while', 'until', 'select', '{', '(']);
const CLOSES = new Set(['fi', 'esac', 'done', '}', ')']);
/** After these words, the next word begins a command. */
const LEADS = new Set(['then', 'else', 'elif', 'do', '!', 'time', 'export', 'declare', 'readonly', 'local', 'typeset']);
/** Commands that may set any variable. */
const SETS_ANYTHING = new Set(['.', 'source', 'eval', 'read', 'set', 'getopts', 'mapfile']);

/** Longest value in UTF-16 units: each line may double the one before. */
const LONGEST = 100_000;

interface Word {
  /** As written. */
  readonly raw: string;
  readonly value: string | null;
  readonly rows: readonly number[];
  /** The start of the assigned value in `value`; null for a word that is no assignment. */
  readonly assigns: { readonly name: string; readonly isMore: boolean; readonly start: number } | null;
}

class Reader {
  private readonly assignments = new Map<string, Assignment>();
  private readonly exported = new Set<string>();
  private index = 0;
  private row = 0;
  private depth = 0;
  private isLost = false;

  constructor(private readonly text: string) {}

  read(): ReadonlyMap<string, Assignment> {
    let words: Word[] = [];
    let isConditional = false;
    while (this.index < this.text.length) {
      const char = this.text[this.index]!;
      if (char === '#' && !/\S/.test(this.text[this.index - 1] ?? ' ')) this.skipLine();
      else if (/[\n;&|]/.test(char)) {
        // A command after && or || may not run, and one in a pipe or before & runs in another
        // process. A line may end there.
        const isJoined = char === '&' || char === '|';
        this.command(words, isConditional || isJoined);
        if (words.length > 0 || isJoined || char === ';') isConditional = isJoined;
        words = [];
        this.step();
      } else if (/\s/.test(char) || (char === '\\' && /^\\\r?\n/.test(this.text.slice(this.index, this.index + 3)))) {
        if (char === '\\') this.step();
        this.step();
      } else words.push(this.word());
    }
    this.command(words, isConditional);
    return new Map(
      [...this.assignments].map(([name, each]) => [name, { ...each, isExported: this.exported.has(name) }]),
    );
  }

  private command(words: readonly Word[], isConditional: boolean): void {
    let isExport = false;
    let i = 0;
    for (; i < words.length; i++) {
      const { raw, assigns } = words[i]!;
      if (assigns) break;
      if (raw === 'export' || raw === 'declare' || raw === 'typeset') isExport = raw === 'export' || isExport;
      else if (OPENS.has(raw) || raw.endsWith('(){')) this.depth++;
      else if (CLOSES.has(raw)) this.depth = Math.max(0, this.depth - 1);
      else if (/^-\w*x/.test(raw)) isExport = true;
      else if (!LEADS.has(raw) && !raw.endsWith('()')) break;
    }
    const rest = words.slice(i);
    // It is unknown whether this command runs.
    if (this.depth > 0 || isConditional || this.isLost)
      for (const { assigns } of words) if (assigns) this.assignments.set(assigns.name, UNKNOWN);
    const isSure = this.depth === 0 && !isConditional && !this.isLost;
    const [first] = rest;
    if (first && !first.assigns && !isExport) {
      // Words of these commands that look like assignments are not assignments.
      if (SETS_ANYTHING.has(first.raw)) for (const name of this.assignments.keys()) this.assignments.set(name, UNKNOWN);
      if (first.raw === 'unset') for (const { raw } of rest.slice(1)) this.forget(raw, isSure);
      if (rest.at(-1)?.raw === '{') this.depth++;
      return;
    }
    // An assignment before a command holds for that command alone, unless the "command" is a part
    // of the value.
    const isBroken = !isExport && rest.some(({ assigns }) => !assigns);
    for (const word of rest) {
      if (isExport) this.exported.add(word.assigns?.name ?? word.raw);
      if (word.assigns) this.assign(word, isSure && !isBroken);
    }
  }

  private forget(name: string, isSure: boolean): void {
    if (isSure) this.assignments.delete(name);
    else if (this.assignments.has(name)) this.assignments.set(name, UNKNOWN);
  }

  private assign({ value, rows, assigns }: Word, isSure: boolean): void {
    const { name, isMore, start } = assigns!;
    if (!isSure || value === null) {
      this.assignments.set(name, UNKNOWN);
      return;
    }
    const before = isMore ? (this.assignments.get(name) ?? { value: '', rows: [] }) : { value: '', rows: [] };
    this.assignments.set(
      name,
      before.value === null
        ? UNKNOWN
        : { value: before.value + value.slice(start), rows: [...before.rows, ...rows.slice(start)], isExported: false },
    );
  }

  /** One word, with its quotes and the variables in it. */
  private word(): Word {
    const from = this.index;
    const parts: string[] = [];
    const rows: number[] = [];
    let isKnown = true;
    let length = 0;
    const add = (part: string | null): void => {
      if (part === null || (length += part.length) > LONGEST) isKnown = false;
      else {
        parts.push(part);
        for (let i = 0; i < part.length; i++) rows.push(this.row);
      }
    };
    const head = /^([A-Za-z_]\w*)(\+?)=/.exec(this.text.slice(from, from + 200));
    let quote = '';
    while (this.index < this.text.length) {
      const char = this.text[this.index]!;
      if (quote === '' && /[\s;&|]/.test(char)) break;
      if (quote === '' && /[<>()]/.test(char)) {
        add(null);
        // The lines of a here-document are not commands.
        if (char === '<' && this.text[this.index + 1] === '<') this.isLost = true;
        if (char === '(' && !this.isClosed(')', '\n')) this.isLost = true;
      }
      if (quote === '"' && char === '$' && this.text[this.index + 1] === '(' && !this.isClosed(')', '"'))
        this.isLost = true;
      if (char === quote) quote = '';
      else if (quote === '' && (char === '"' || char === "'")) quote = char;
      else if (char === '\\' && quote !== "'") {
        const next =
          /^\r?\n/.exec(this.text.slice(this.index + 1, this.index + 3))?.[0] ?? this.text[this.index + 1] ?? '';
        if (!next.endsWith('\n')) add(quote === '"' && !/["\\$`]/.test(next) ? `\\${next}` : next);
        this.step();
        for (let i = 1; i < next.length; i++) this.step();
      } else if (char === '`' && quote !== "'") {
        add(null);
        if (!this.isClosed('`', '\n')) this.isLost = true;
        else while (this.text[this.index + 1] !== '`') this.step();
        this.step();
      } else if (char === '$' && quote !== "'") {
        add(this.variable());
        continue;
      } else add(char);
      this.step();
    }
    // The quote is not closed.
    if (quote !== '') isKnown = false;
    return {
      raw: this.text.slice(from, this.index),
      value: isKnown ? parts.join('') : null,
      rows,
      assigns: head ? { name: head[1]!, isMore: head[2] === '+', start: head[0].length } : null,
    };
  }

  /** The value of `$NAME` or `${NAME}`; null if unknown. Moves the position past it. */
  private variable(): string | null {
    const match = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/.exec(this.text.slice(this.index, this.index + 200));
    for (let i = 0; i < (match?.[0].length ?? 1); i++) this.step();
    return match ? (this.assignments.get(match[1] ?? match[2]!)?.value ?? null) : null;
  }

  /** Whether `close` occurs before `before` occurs. */
  private isClosed(close: string, before: string): boolean {
    const end = this.text.indexOf(close, this.index + 1);
    const stop = this.text.indexOf(before, this.index + 1);
    return end >= 0 && (stop < 0 || end < stop);
  }

  private skipLine(): void {
    while (this.index < this.text.length && this.text[this.index] !== '\n') this.step();
  }

  private step(): void {
    if (this.text[this.index] === '\n') this.row++;
    this.index++;
  }
}
