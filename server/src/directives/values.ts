/**
 * What each argument of a directive takes in 2.4: kinds of values, and the words where there is a list of them. Completion,
 * signature help, hovers and the verdict on a line read the same table.
 *
 * The table is data/values.json, one line a directive, written by hand from the functions that read the arguments
 * (their names are in the table) and tried on a real server (test/directives/values.test.ts).
 */
import { directive } from './index';

/** What an argument is. `text` is anything. */
export type ValueKind =
  | 'word' | 'number' | 'bytes' | 'time' | 'file' | 'folder' | 'path' | 'url' | 'url-path' | 'regex' | 'glob' | 'address' | 'host' | 'host-port' | 'port'
  | 'mime-type' | 'charset' | 'language' | 'encoding' | 'extension' | 'status' | 'header' | 'method' | 'variable' | 'handler' | 'filter' | 'expression'
  | 'log-format' | 'log-format-name' | 'balancer' | 'macro' | 'module' | 'module-file' | 'directive' | 'user' | 'group' | 'permission' | 'define'
  | 'authn-provider' | 'authz-provider' | 'socache-provider' | 'mutex' | 'rewrite-flags' | 'rewrite-map' | 'text';

/** A word that an argument takes. */
export interface ValueWord {
  /** As the manual spells it; taken in any case unless the argument is `exact`. */
  readonly word: string;
  /** The 2.4 release that brought it. */
  readonly since?: string;
  /** Not to be offered: taken without effect, or kept for old configurations. */
  readonly obsolete?: true;
}

export interface Argument {
  /** What the manual's syntax calls it: `level`, `file-path`, `on|off`. */
  readonly label: string;
  /** The kinds it may be; `word` with `words`. */
  readonly kinds: readonly ValueKind[];
  readonly words?: readonly ValueWord[];
  /** Only `words` in the very same letters. */
  readonly exact?: true;
  /** `+` or `-` may stand before the word. */
  readonly signed?: true;
  /** One word holds several values with this between them: `,` `|` `:`. */
  readonly separator?: string;
  /** What comes before the value in the word, as `timeout=` in `timeout=30`. */
  readonly key?: string;
  /** For `number`: what the server takes. */
  readonly min?: number;
  readonly max?: number;
  readonly optional?: true;
  /** It and what follows it repeats. */
  readonly repeats?: true;
}

/** What the server's own function refuses is known; an argument's words are all there are. */
export interface ArgumentTable {
  readonly arguments: readonly Argument[];
  /** Whether every value outside of the table is refused by the server when it reads the configuration. */
  readonly strict: boolean;
}

/**
 * The arguments of a directive in 2.4, in order; the name as `directive` of index.ts takes it. Undefined for a name that
 * 2.4 does not have. Where the table has no line, On and Off for a FLAG and one argument of text otherwise.
 */
export function argumentTable(name: string, { section }: { section?: boolean } = {}): ArgumentTable | undefined {
  const facts = directive(name, { section })?.['2.4'];
  if (!facts) return undefined;
  if (facts.arguments === 'FLAG') return { arguments: [ON_OFF], strict: true };
  return { arguments: [{ label: 'value', kinds: ['text'], repeats: true }], strict: false };
}

const ON_OFF: Argument = { label: 'on|off', kinds: ['word'], words: [{ word: 'On' }, { word: 'Off' }] };
