/**
 * The values that each argument of a directive accepts in 2.4: kinds, and lists of words.
 * Completion, signature help, hovers and the checks of lines read the same table.
 *
 * The table is data/values.json, one line a directive, edited by hand. Its words and numbers were
 * tried on a real server, and test/directives/values.slow.test.ts tries them again. Read when first
 * needed: `require` inside the function makes the bundler wrap the JSON into a function, and a line
 * is parsed when it is needed.
 *
 * A line is written like a syntax in the manual. If there are several forms, they are in a list:
 *
 *     "! On|Off|charset<charset>"      ! makes the line strict (`ArgumentTable`)
 *     "level::emerg|alert|crit"        the label before `::`; without it, the text is the label
 *     "size<bytes:1..100>"             a value with its kinds and, for numbers, the accepted range
 *     "level<number:1..9~>"            ~ makes the number lenient (`Argument`)
 *     "[a] b... [c]..."                a and c are optional, b and c may be repeated
 *     "+-None^|Indexes|MultiViews"     a word may have + or - before it, except None
 *     "MD5@2.4.1|SHA~"                 MD5 exists since 2.4.1, SHA is obsolete
 *     "A|B{=}"                         upper and lower case differ
 *     "AES|DES{:}"                     several words in one argument, separated by `:`
 *     "level::warn|info|name<module>{name:}"  a word, which may have a name and `:` before it
 *     "timeout=seconds<number>"        a key; `exec:` in `exec:program<file>` is a key, too
 *     "[(early env=name<variable>)]"   one of several; only one of them has no key
 *     "\\<|a\\=b"                        a backslash: the next character is no mark
 *     "(nocanon &worker)"              includes the arguments of the line `&worker`
 */
import { cache, counters, lazy } from '../syntax/memory';
import { directive } from './index';

/** Kinds of values. `text` is any text. */
export const VALUE_KINDS = [
  'word',
  'number',
  'bytes',
  'time',
  'file',
  'folder',
  'path',
  'url',
  'url-path',
  'regex',
  'glob',
  'address',
  'host',
  'host-port',
  'port',
  'mime-type',
  'charset',
  'language',
  'encoding',
  'extension',
  'status',
  'header',
  'method',
  'variable',
  'handler',
  'filter',
  'expression',
  'log-format',
  'log-format-name',
  'balancer',
  'macro',
  'module',
  'module-file',
  'directive',
  'user',
  'group',
  'permission',
  'define',
  'authn-provider',
  'authz-provider',
  'socache-provider',
  'mutex',
  'rewrite-flags',
  'rewrite-map',
  'text',
] as const;
/** What a value is, for example a file, a number or a module. */
export type ValueKind = (typeof VALUE_KINDS)[number];

/** A word that an argument accepts. */
export interface ValueWord {
  /** Spelled as in the manual. Upper and lower case are equal, unless the argument is `exact`. */
  readonly word: string;
  /** The 2.4 release that introduced it. */
  readonly since?: string;
  /**
   * Whether completion leaves out the word: it has no effect, or exists for old configurations
   * only.
   */
  readonly obsolete?: true;
  /** Whether the word takes no sign, although the argument is `signed`. */
  readonly unsigned?: true;
}

/** What one argument of a directive accepts. */
export interface Argument {
  /** The argument's name in the manual's syntax: `level`, `file-path`, `on|off`. */
  readonly label: string;
  /** The kinds of values that the argument accepts. `word` is one of them if `words` exists. */
  readonly kinds: readonly ValueKind[];
  readonly words?: readonly ValueWord[];
  /** Whether the case of the letters in `words` matters. */
  readonly exact?: true;
  /** `+` or `-` may come before the word, and before the key if there is one. */
  readonly signed?: true;
  /** Separates several values within one word: `,` `|` `:`. */
  readonly separator?: string;
  /**
   * The separator between a word and a name before it: `:` in `ssl:warn`. The other `kinds`
   * describe the name.
   */
  readonly qualifier?: string;
  /** The part of the word before the value, as `timeout=` in `timeout=30`. */
  readonly key?: string;
  /**
   * For `number`, `bytes` and `time` (in seconds): the server refuses values outside of this range.
   * If `max` is 2147483647, the server reads 32 bits, and a larger number may become another one.
   */
  readonly min?: number;
  readonly max?: number;
  /** Read like atoi(): text after the digits is ignored, and a word without digits is 0. */
  readonly lenient?: true;
  readonly optional?: true;
  /** The argument, and those after it, may repeat. */
  readonly repeats?: true;
  /**
   * Alternatives, each with its key; `kinds` and `words` describe the alternative without a key, if
   * there is one.
   */
  readonly choices?: readonly Argument[];
}

/** The arguments of a directive. */
export interface ArgumentTable {
  /** The form with the most arguments; usually the only one. */
  readonly arguments: readonly Argument[];
  /** All forms if there are several, including `arguments`. */
  readonly forms?: readonly (readonly Argument[])[];
  /**
   * Whether the server refuses every value outside of the table when it reads the configuration.
   */
  readonly strict: boolean;
}

/**
 * The arguments of a directive in 2.4, in order. `name` has the forms that `directive` (index.ts)
 * takes. Undefined if 2.4 lacks the name. A directive without a line in the table takes On or Off
 * if it is a FLAG, otherwise any text.
 */
export function argumentTable(name: string, { section }: { section?: boolean } = {}): ArgumentTable | undefined {
  const directiveEntry = directive(name, { section });
  const facts = directiveEntry?.['2.4'];
  if (!directiveEntry || !facts) return undefined;
  const tableKey = (directiveEntry.section ? `<${directiveEntry.name}` : directiveEntry.name).toLowerCase();
  let cachedTable = parsedTables.get(tableKey);
  if (!cachedTable) {
    parsedValueLineCounts.lines++;
    parsedTables.set(tableKey, (cachedTable = readTable(tableLines().get(tableKey), facts.arguments === 'FLAG')));
  }
  return cachedTable;
}

/**
 * Counts the lines of values.json that were parsed. Completion reads the count to limit the work of
 * a step.
 */
export const parsedValueLineCounts = counters({ lines: 0 });

const ON_OFF_ARGUMENTS: ArgumentTable = {
  arguments: [{ label: 'On|Off', kinds: ['word'], words: [{ word: 'On' }, { word: 'Off' }] }],
  strict: true,
};
const ANY_ARGUMENTS: ArgumentTable = { arguments: [{ label: 'value', kinds: ['text'], repeats: true }], strict: false };

const parsedTables = cache<string, ArgumentTable>();

const tableLines = lazy((): ReadonlyMap<string, string | readonly string[]> => {
  const lineByDirective = require('./data/values.json') as Readonly<Record<string, string | readonly string[]>>;
  return new Map(Object.entries(lineByDirective).map(([name, line]) => [name.toLowerCase(), line]));
});

function readTable(line: string | readonly string[] | undefined, isFlag: boolean): ArgumentTable {
  if (line === undefined) return isFlag ? ON_OFF_ARGUMENTS : ANY_ARGUMENTS;
  const [firstForm, ...others] = typeof line === 'string' ? [line] : (line as readonly [string, ...string[]]);
  const strict = firstForm.startsWith('!');
  const forms = [strict ? firstForm.slice(1) : firstForm, ...others].map(parseArgumentForm);
  return { arguments: forms[0]!, ...(forms.length > 1 && { forms }), strict };
}

// ---- The notation ----

/**
 * Parses one form of a line of the table, in the notation that the top of this file explains.
 * Exported for the test of the table.
 */
export function parseArgumentForm(form: string): Argument[] {
  return splitOutsideBrackets(form, ' ').flatMap((text) =>
    text.startsWith('&') ? parseArgumentForm(tableLines().get(text) as string) : [parseArgument(text)],
  );
}

function parseArgument(text: string): Argument {
  let remainingText = text;
  const repeats = remainingText.endsWith('...');
  if (repeats) remainingText = remainingText.slice(0, -3);
  const optional = remainingText.startsWith('[') && remainingText.endsWith(']');
  if (optional) remainingText = remainingText.slice(1, -1);
  const optionalAndRepeats = { ...(optional && { optional }), ...(repeats && { repeats }) };
  const label = /^[^<>()]+?(?=::)/.exec(remainingText)?.[0];
  if (label) remainingText = remainingText.slice(label.length + 2);
  if (remainingText.startsWith('(')) {
    const choices = parseArgumentForm(remainingText.slice(1, -1));
    const choiceWithoutKey = choices.find((choice) => !choice.key);
    return {
      ...(choiceWithoutKey ?? { kinds: [] }),
      label: label ?? choices.map((choice) => choice.label).join('|'),
      ...optionalAndRepeats,
      choices,
    };
  }
  return { ...parseValues(remainingText, label), ...optionalAndRepeats };
}

/** Parses the values of an argument: its alternatives, with key, signs and separators. */
function parseValues(text: string, label: string | undefined): Argument {
  const signed = text.startsWith('+-');
  const suffix = /\{(name)?([^{}])\}$/.exec(text);
  let remainingText = text.slice(signed ? 2 : 0, suffix?.index);
  const key = /^[\w.-]+(?:=\w+:|[=:])(?=.)/.exec(remainingText)?.[0];
  if (key) remainingText = remainingText.slice(key.length);
  const words: ValueWord[] = [];
  const kinds = new Set<ValueKind>();
  const alternativeNames: string[] = [];
  let limits: Pick<Argument, 'min' | 'max' | 'lenient'> = {};
  for (const alternative of splitOutsideBrackets(remainingText, '|')) {
    const kindMatch = /^(.*?)<([\w,-]+)(?::(-?\d+)?\.\.(-?\d+)?(~)?)?>$/.exec(alternative);
    if (!kindMatch) {
      const valueWord = parseWord(alternative);
      kinds.add('word');
      words.push(valueWord);
      if (!valueWord.obsolete) alternativeNames.push(valueWord.word);
      continue;
    }
    const [, name, list, min, max, lenient] = kindMatch as unknown as [
      string,
      string,
      string,
      string?,
      string?,
      string?,
    ];
    for (const kind of list.split(',')) kinds.add(kind as ValueKind);
    alternativeNames.push(name || list);
    limits = { ...(min && { min: Number(min) }), ...(max && { max: Number(max) }), ...(lenient && { lenient: true }) };
  }
  return {
    label: label ?? (key ?? '') + (signed ? '[+|-]' : '') + alternativeNames.join('|'),
    kinds: [...kinds],
    ...(words.length > 0 && { words }),
    ...(suffix && (suffix[2] === '=' ? { exact: true } : { [suffix[1] ? 'qualifier' : 'separator']: suffix[2] })),
    ...(signed && { signed }),
    ...(key && { key }),
    ...limits,
  };
}

function parseWord(text: string): ValueWord {
  const [, word, since, mark] = /^(.*?[^\\]|\\?.)(?:@(\d+\.\d+\.\d+))?([~^])?$/.exec(text) as unknown as [
    string,
    string,
    string?,
    string?,
  ];
  return {
    word: word.replaceAll('\\', ''),
    ...(since && { since }),
    ...(mark === '~' && { obsolete: true }),
    ...(mark === '^' && { unsigned: true }),
  };
}

/** Splits at separators outside of brackets. */
function splitOutsideBrackets(text: string, separator: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const char of text.match(/\\.|./g) ?? []) {
    if ('<[({'.includes(char)) depth++;
    if ('>])}'.includes(char)) depth--;
    if (char === separator && depth === 0) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts.filter((part) => part !== '');
}
