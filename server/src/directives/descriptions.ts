/**
 * The purpose of directives and modules, in our own words: when to use them, and what to watch out
 * for. index.ts has what changed in 2.4.
 *
 * The texts are Markdown with code spans only. They come from descriptions/, packed by
 * server/scripts/generate-descriptions.mjs, and are read when first needed: `require` inside the
 * function makes the bundler wrap the JSON into a function.
 *
 * The packed form is an object with `directives` and `modules`. The keys of `directives` are names
 * in lower case, with `<` for sections. A value is either the text alone or a list: text,
 * arguments, example, change and rule, with 0 for a missing item. `modules` has a text for each
 * name.
 */
import { lazy } from '../syntax/memory';
import { directive as findDirective, module as findModule } from './index';

/** What a directive is for, in our own words. */
export interface Description {
  /** The description, in one to three sentences. */
  readonly text: string;
  /**
   * A line for each argument or value that is not obvious; a key may name several: `append, merge`.
   */
  readonly arguments?: Readonly<Record<string, string>>;
  /** Lines of configuration, without a line break at the end. */
  readonly example?: string;
  /** The change between 2.2 and 2.4, if the facts and notes of index.ts do not show it. */
  readonly changed?: string;
  /** The id of the rule that reports the change. */
  readonly rule?: string;
}

type PackedDescription = string | readonly (string | 0 | Readonly<Record<string, string>>)[];

/** The form of the generated data: descriptions by the names of directives and modules. */
interface PackedTexts {
  readonly directives: Readonly<Record<string, PackedDescription>>;
  readonly modules: Readonly<Record<string, string>>;
}

/**
 * The description of a directive or section. `name` has the forms that `directive` (index.ts)
 * takes. Undefined if there is no description.
 */
export function descriptionOfDirective(name: string, { section }: { section?: boolean } = {}): Description | undefined {
  const facts = findDirective(name, { section });
  if (!facts) return undefined;
  const packedText = packedTexts().directives[(facts.section ? `<${facts.name}` : facts.name).toLowerCase()];
  return packedText === undefined ? undefined : unpack(packedText);
}

/**
 * The description of a module. `name` has the forms that `module` (index.ts) takes. Undefined if
 * there is no description.
 */
export function descriptionOfModule(name: string): string | undefined {
  const facts = findModule(name);
  return facts && packedTexts().modules[facts.name];
}

const packedTexts = lazy(() => require('./generated/descriptions.json') as PackedTexts);

function unpack(entry: PackedDescription): Description {
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
