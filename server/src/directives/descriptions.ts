/**
 * What directives and modules are for, in our own words: when one uses them, and what to watch out for.
 *
 * What became of them in 2.4 is index.ts's business. The texts are Markdown with code spans and nothing else; they come
 * from descriptions/, packed by server/scripts/generate-descriptions.mjs, and are read at the first question: `require`
 * inside the function makes the bundler wrap the JSON into a function that runs then.
 *
 * The packed form: `directives` by key in lower case, a section's with `<`; a text alone, or the text, the arguments, the
 * example, what changed and the rule, with 0 for what is missing. `modules` by name.
 */
import { lazy } from '../syntax/memory';
import { directive as findDirective, module as findModule } from './index';

export interface Description {
  /** One to three sentences. */
  readonly text: string;
  /** A line for each argument or value that is not obvious; a key may name several, `append, merge`. */
  readonly arguments?: Readonly<Record<string, string>>;
  /** A piece of configuration, without a line break at its end. */
  readonly example?: string;
  /** What changed between 2.2 and 2.4, where neither the tables nor their notes say it. */
  readonly changed?: string;
  /** The id of the rule that finds it. */
  readonly rule?: string;
}

type Entry = string | readonly (string | 0 | Readonly<Record<string, string>>)[];

interface Packed {
  readonly directives: Readonly<Record<string, Entry>>;
  readonly modules: Readonly<Record<string, string>>;
}

/** What is said about a directive or section; the name as `directive` of index.ts takes it. */
export function describe(name: string, { section }: { section?: boolean } = {}): Description | undefined {
  const found = findDirective(name, { section });
  if (!found) return undefined;
  const entry = texts().directives[(found.section ? `<${found.name}` : found.name).toLowerCase()];
  return entry === undefined ? undefined : unpack(entry);
}

/** What is said about a module; the name as `module` of index.ts takes it. */
export function describeModule(name: string): string | undefined {
  const found = findModule(name);
  return found && texts().modules[found.name];
}

const texts = lazy(() => require('./generated/descriptions.json') as Packed);

function unpack(entry: Entry): Description {
  if (typeof entry === 'string') return { text: entry };
  const [text, values, example, changed, rule] = entry;
  return {
    text: text as string,
    ...(values && { arguments: values as Readonly<Record<string, string>> }),
    ...(example && { example: example as string }),
    ...(changed && { changed: changed as string }),
    ...(rule && { rule: rule as string }),
  };
}
