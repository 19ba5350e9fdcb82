/**
 * Unpacks generated/tables.json. Only index.ts uses this file.
 *
 * Nothing is read before the first question: `require` inside the function makes the bundler wrap
 * the JSON into a function. At first only the keys of the tables are read; a line is parsed when it
 * is needed.
 *
 * The packed form (server/scripts/generate-directives.mjs writes it) has fields separated by `~`,
 * without empty fields at the end. A directive has these fields:
 *
 * - key, fate, replacements, note
 * - "1" if both versions have the same default, even if the manuals differ
 * - for 2.2, then for 2.4: index in `homes`, index in `shapes`, since, default, syntax lines
 *   separated by `^`, anchor
 *
 * `&` at the start of a default or syntax line stands for the name of the directive. `=` in a field
 * of 2.4 stands for the value of 2.2.
 */
import { lazy } from '../syntax/memory';

/** The lines of the packed tables, before they are parsed. */
export interface Tables {
  /** Pages of the manual with their modules: `page`, or `page:module,module`. */
  readonly homes: readonly string[];
  /**
   * Facts that many directives share: places, kind of arguments, flags, status, platforms, marks.
   */
  readonly shapes: readonly string[];
  /** The lines of directives by key in lower case; a section's key starts with `<`. */
  readonly directives: ReadonlyMap<string, string>;
  readonly modules: readonly string[];
  readonly loadAfter: readonly string[];
  readonly providers: readonly string[];
}

type PackedTables = Readonly<Record<keyof Tables, readonly string[]>>;

/** The tables, read when first needed. */
export const tables = lazy((): Tables => unpackTables(require('./generated/tables.json') as PackedTables));

/** A line split into at least `Count` fields. */
export type Fields<Count extends number, Counted extends readonly string[] = []> = Counted['length'] extends Count
  ? readonly [...Counted, ...string[]]
  : Fields<Count, readonly [...Counted, string]>;

/** Splits a line and adds the empty fields that were dropped at its end. */
export function fieldsOf<Count extends number>(line: string, count: Count): Fields<Count> {
  const values = line.split('~');
  while (values.length < count) values.push('');
  return values as unknown as Fields<Count>;
}

/** Splits a field at commas. */
export function commaSeparated(field: string): string[] {
  return field === '' ? [] : field.split(',');
}

function unpackTables(packed: PackedTables): Tables {
  const directiveEntries = packed.directives.map((line): [string, string] => [
    line.slice(0, (line + '~').indexOf('~')).toLowerCase(),
    line,
  ]);
  return { ...packed, directives: new Map(directiveEntries) };
}
