/**
 * Reads the variables that a shell file assigns: Debian's envvars, files in /etc/sysconfig and
 * /etc/conf.d. A value is unknown if only a shell can compute it, because it depends on commands,
 * branches or other variables.
 */

/** The value of a variable at the end of the file. */
export interface Assignment {
  /** The assigned value; null if only a shell can compute it. */
  readonly value: string | null;
  /** For each UTF-16 unit of `value`, the 0-based line of the file that it is from. */
  readonly rows: readonly number[];
  readonly isExported: boolean;
}

/** One word of a value that is a list of words. */
export interface AssignedWord {
  readonly text: string;
  /** The 0-based line of the file that the word is from. */
  readonly row: number;
}

/**
 * The assigned variables by name, with their values at the end of the file. The value is null if a
 * command such as `read` may set the variable.
 */
export function shellAssignments(text: string): ReadonlyMap<string, Assignment> {
  return new ShellReader(text).read();
}

/** Splits a value at spaces; empty if the value is unknown. */
export function assignedWords(assignment: Assignment | undefined): AssignedWord[] {
  const { value, rows } = assignment ?? UNKNOWN_VALUE;
  return [...(value ?? '').matchAll(/\S+/g)].map(({ 0: word, index }) => ({ text: word, row: rows[index] ?? 0 }));
}

// ---------------------------------------------------------------------------------------------------------------------

const UNKNOWN_VALUE: Assignment = { value: null, rows: [], isExported: false };

const BLOCK_STARTS = new Set(['if', 'case', 'for', 'while', 'until', 'select', '{', '(']);
const BLOCK_ENDS = new Set(['fi', 'esac', 'done', '}', ')']);
/** After these words, the next word begins a command. */
const WORDS_BEFORE_COMMAND = new Set([
  'then',
  'else',
  'elif',
  'do',
  '!',
  'time',
  'export',
  'declare',
  'readonly',
  'local',
  'typeset',
]);
/** Commands that may set any variable. */
const COMMANDS_SETTING_ANY_VARIABLE = new Set(['.', 'source', 'eval', 'read', 'set', 'getopts', 'mapfile']);

/**
 * The maximum length of a value in UTF-16 units. Without it, each line of a file could double the
 * length of a value.
 */
const MAX_VALUE_LENGTH = 100_000;

/** A word of a command. */
interface ShellWord {
  /** The word as spelled in the file. */
  readonly rawText: string;
  /** The word without quotes and with the values of its variables; null if they are unknown. */
  readonly value: string | null;
  /** For each UTF-16 unit of `value`, the 0-based line of the file that it is from. */
  readonly rows: readonly number[];
  /**
   * The assignment in the word. `isAppended`: whether the operator is `+=`. `start`: the index of
   * the assigned value in `value`. Null if the word is no assignment.
   */
  readonly assignment: { readonly name: string; readonly isAppended: boolean; readonly start: number } | null;
}

/** Reads the commands of a file one after another. `index` and `row` are the current position. */
class ShellReader {
  private readonly assignmentByVariable = new Map<string, Assignment>();
  private readonly exportedNames = new Set<string>();
  private index = 0;
  private row = 0;
  /** The number of open blocks, such as `if` and `{`. */
  private depth = 0;
  /** Whether the commands of the rest of the file cannot be recognized. */
  private isRestUnknown = false;

  constructor(private readonly text: string) {}

  /** Reads the whole file. Returns the last assignment of each variable. */
  read(): ReadonlyMap<string, Assignment> {
    let commandWords: ShellWord[] = [];
    let isConditional = false;
    while (this.index < this.text.length) {
      const char = this.text[this.index]!;
      if (char === '#' && !/\S/.test(this.text[this.index - 1] ?? ' ')) this.skipLine();
      else if (/[\n;&|]/.test(char)) {
        // A command after `&&` or `||` may not run. A command in a pipe or before `&` runs in
        // another process. The same is true if the line ends right after such an operator.
        const isJoined = char === '&' || char === '|';
        this.applyCommand(commandWords, isConditional || isJoined);
        if (commandWords.length > 0 || isJoined || char === ';') isConditional = isJoined;
        commandWords = [];
        this.advance();
      } else if (/\s/.test(char) || (char === '\\' && /^\\\r?\n/.test(this.text.slice(this.index, this.index + 3)))) {
        if (char === '\\') this.advance();
        this.advance();
      } else commandWords.push(this.readWord());
    }
    this.applyCommand(commandWords, isConditional);
    return new Map(
      [...this.assignmentByVariable].map(([name, each]) => [
        name,
        { ...each, isExported: this.exportedNames.has(name) },
      ]),
    );
  }

  /** Applies the assignments of a command. `isConditional`: whether the command may not run. */
  private applyCommand(words: readonly ShellWord[], isConditional: boolean): void {
    let isExport = false;
    let i = 0;
    for (; i < words.length; i++) {
      const { rawText, assignment } = words[i]!;
      if (assignment) break;
      if (rawText === 'export' || rawText === 'declare' || rawText === 'typeset')
        isExport = rawText === 'export' || isExport;
      else if (BLOCK_STARTS.has(rawText) || rawText.endsWith('(){')) this.depth++;
      else if (BLOCK_ENDS.has(rawText)) this.depth = Math.max(0, this.depth - 1);
      else if (/^-\w*x/.test(rawText)) isExport = true;
      else if (!WORDS_BEFORE_COMMAND.has(rawText) && !rawText.endsWith('()')) break;
    }
    const wordsOfCommand = words.slice(i);
    // If it is unknown whether a command runs, the values that it assigns are unknown.
    if (this.depth > 0 || isConditional || this.isRestUnknown)
      for (const { assignment } of words) if (assignment) this.assignmentByVariable.set(assignment.name, UNKNOWN_VALUE);
    const isCertainToRun = this.depth === 0 && !isConditional && !this.isRestUnknown;
    const [firstWord] = wordsOfCommand;
    if (firstWord && !firstWord.assignment && !isExport) {
      // The first word is a command, so later words that look like assignments are its arguments.
      if (COMMANDS_SETTING_ANY_VARIABLE.has(firstWord.rawText))
        for (const name of this.assignmentByVariable.keys()) this.assignmentByVariable.set(name, UNKNOWN_VALUE);
      if (firstWord.rawText === 'unset')
        for (const { rawText } of wordsOfCommand.slice(1)) this.forgetVariable(rawText, isCertainToRun);
      if (wordsOfCommand.at(-1)?.rawText === '{') this.depth++;
      return;
    }
    // In `A=b word`, the assignment is only for the command `word`, or the quotes around a value
    // with a space are missing. In both cases the value of the variable is unknown.
    const isBroken = !isExport && wordsOfCommand.some(({ assignment }) => !assignment);
    for (const word of wordsOfCommand) {
      if (isExport) this.exportedNames.add(word.assignment?.name ?? word.rawText);
      if (word.assignment) this.applyAssignment(word, isCertainToRun && !isBroken);
    }
  }

  /**
   * Applies `unset`. If it is not certain to run, the value of the variable is unknown from then
   * on.
   */
  private forgetVariable(name: string, isCertain: boolean): void {
    if (isCertain) this.assignmentByVariable.delete(name);
    else if (this.assignmentByVariable.has(name)) this.assignmentByVariable.set(name, UNKNOWN_VALUE);
  }

  /**
   * Records an assignment. If it is not certain to run, the value of the variable is unknown from
   * then on.
   */
  private applyAssignment({ value, rows, assignment }: ShellWord, isCertain: boolean): void {
    const { name, isAppended, start } = assignment!;
    if (!isCertain || value === null) {
      this.assignmentByVariable.set(name, UNKNOWN_VALUE);
      return;
    }
    const previousValue = isAppended
      ? (this.assignmentByVariable.get(name) ?? { value: '', rows: [] })
      : { value: '', rows: [] };
    this.assignmentByVariable.set(
      name,
      previousValue.value === null
        ? UNKNOWN_VALUE
        : {
            value: previousValue.value + value.slice(start),
            rows: [...previousValue.rows, ...rows.slice(start)],
            isExported: false,
          },
    );
  }

  /** Reads one word: removes its quotes and replaces the variables in it. */
  private readWord(): ShellWord {
    const wordStart = this.index;
    const valueParts: string[] = [];
    const rowsOfCharacters: number[] = [];
    let isValueKnown = true;
    let valueLength = 0;
    const addPart = (part: string | null): void => {
      if (part === null || (valueLength += part.length) > MAX_VALUE_LENGTH) isValueKnown = false;
      else {
        valueParts.push(part);
        for (let i = 0; i < part.length; i++) rowsOfCharacters.push(this.row);
      }
    };
    const assignmentHead = /^([A-Za-z_]\w*)(\+?)=/.exec(this.text.slice(wordStart, wordStart + 200));
    let quote = '';
    while (this.index < this.text.length) {
      const char = this.text[this.index]!;
      if (quote === '' && /[\s;&|]/.test(char)) break;
      if (quote === '' && /[<>()]/.test(char)) {
        addPart(null);
        // The lines of a here-document are text, not commands. This class does not search for the
        // end of that text, so all later values are unknown.
        if (char === '<' && this.text[this.index + 1] === '<') this.isRestUnknown = true;
        if (char === '(' && !this.isClosed(')', '\n')) this.isRestUnknown = true;
      }
      if (quote === '"' && char === '$' && this.text[this.index + 1] === '(' && !this.isClosed(')', '"'))
        this.isRestUnknown = true;
      if (char === quote) quote = '';
      else if (quote === '' && (char === '"' || char === "'")) quote = char;
      else if (char === '\\' && quote !== "'") {
        const escapedText =
          /^\r?\n/.exec(this.text.slice(this.index + 1, this.index + 3))?.[0] ?? this.text[this.index + 1] ?? '';
        if (!escapedText.endsWith('\n'))
          addPart(quote === '"' && !/["\\$`]/.test(escapedText) ? `\\${escapedText}` : escapedText);
        this.advance();
        for (let i = 1; i < escapedText.length; i++) this.advance();
      } else if (char === '`' && quote !== "'") {
        addPart(null);
        if (!this.isClosed('`', '\n')) this.isRestUnknown = true;
        else while (this.text[this.index + 1] !== '`') this.advance();
        this.advance();
      } else if (char === '$' && quote !== "'") {
        addPart(this.readVariable());
        continue;
      } else addPart(char);
      this.advance();
    }
    // The closing quote is missing.
    if (quote !== '') isValueKnown = false;
    return {
      rawText: this.text.slice(wordStart, this.index),
      value: isValueKnown ? valueParts.join('') : null,
      rows: rowsOfCharacters,
      assignment: assignmentHead
        ? { name: assignmentHead[1]!, isAppended: assignmentHead[2] === '+', start: assignmentHead[0].length }
        : null,
    };
  }

  /** The value of `$NAME` or `${NAME}`; null if unknown. Moves the position past it. */
  private readVariable(): string | null {
    const variableMatch = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/.exec(
      this.text.slice(this.index, this.index + 200),
    );
    for (let i = 0; i < (variableMatch?.[0].length ?? 1); i++) this.advance();
    return variableMatch ? (this.assignmentByVariable.get(variableMatch[1] ?? variableMatch[2]!)?.value ?? null) : null;
  }

  /** Whether `close` occurs after the position, and earlier than the next `limit`. */
  private isClosed(close: string, limit: string): boolean {
    const closeIndex = this.text.indexOf(close, this.index + 1);
    const limitIndex = this.text.indexOf(limit, this.index + 1);
    return closeIndex >= 0 && (limitIndex < 0 || closeIndex < limitIndex);
  }

  private skipLine(): void {
    while (this.index < this.text.length && this.text[this.index] !== '\n') this.advance();
  }

  /** Moves the position by one character. */
  private advance(): void {
    if (this.text[this.index] === '\n') this.row++;
    this.index++;
  }
}
