/** Which name that some line defines stands under the cursor: a log format's, a balancer, a variable of the environment, a map … */
import { argumentTable, type ValueKind } from '../directives/values';
import { argumentsOf, LineKind, type Line } from '../syntax/line';
import { expectedAfter, fit } from './arguments-at';
import type { DefinitionKind } from './definitions';

export interface NameAt {
  readonly kind: DefinitionKind;
  readonly name: string;
  /** Offsets in the line (UTF-16). */
  readonly start: number;
  readonly end: number;
}

/** null where no such name stands at the offset, which is one in the line. */
export function nameAt(line: Line, within: number): NameAt | null {
  if ((line.kind !== LineKind.Directive && line.kind !== LineKind.Open) || within <= line.nameEnd) return null;
  return insideAt(line, within) ?? wordAt(line, within);
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Names that show by what is around them, wherever they stand; each pattern has the name as its first group, and what has to stand behind it as its second. That may be missing in the pattern, and a
 * match without it is none: so what nothing closes is read once.
 */
const INSIDE: readonly (readonly [kind: DefinitionKind, pattern: RegExp, directives?: RegExp])[] = [
  ['rewrite-map', /\$\{([^}:\s$]+)(:)?/dg, /^rewrite(rule|cond)$/],
  ['variable', /\$\{([^}:\s]+)(\})?/dg],
  ['balancer', /(balancer:\/\/[^\s"'/,|\]>]+)()/dgi],
  ['environment', /%\{([^}:\s]+)(\}e)?/dg, /^(logformat|customlog|globallog|transferlog|errorlogformat|header|requestheader)$/],
  ['environment', /%\{(?:ENV|env|reqenv):([^}\s]+)(\})?/dg],
  ['environment', /\b(?:reqenv|env)\(\s*['"]([^'"]+)(['"])?/dg],
  ['environment', /\benv=!?([^\s"'=,\]]+)()/dg, /^(customlog|globallog|allow|deny|header|requestheader)$/],
];

function insideAt({ text, name: directive }: Line, within: number): NameAt | null {
  for (const [kind, pattern, directives] of INSIDE) {
    if (directives && !directives.test(directive)) continue;
    for (const match of text.matchAll(pattern)) {
      if (match[2] === undefined) continue;
      const [start, end] = match.indices![1]!;
      // The braces belong to what one points at.
      if (within >= match.index && within <= match.index + match[0].length) return { kind, name: match[1], start, end };
    }
  }
  return null;
}

const KINDS: Readonly<Partial<Record<ValueKind, DefinitionKind>>> = {
  'log-format-name': 'log-format', macro: 'macro', 'authn-provider': 'authn-provider', 'authz-provider': 'authz-provider', filter: 'filter', 'rewrite-map': 'rewrite-map',
  variable: 'environment', define: 'variable', balancer: 'balancer',
};

function wordAt(line: Line, within: number): NameAt | null {
  const words = argumentsOf(line);
  const index = words.findIndex(({ start, end }) => start <= within && within <= end);
  if (index < 0) return null;
  const word = words[index];
  const kind = kindOf(line, words.map(({ value }) => value), index);
  if (!kind) return null;
  // Some values have a mark in front, a value behind, or several names in them.
  const text = line.text.slice(word.start, word.end);
  for (const match of text.matchAll(/[^\s"'!;=+@]+/g)) {
    const start = word.start + match.index;
    const end = start + match[0].length;
    if (within >= start && within <= end) return text.slice(0, match.index).includes('=') && kind === 'environment' ? null : { kind, name: match[0], start, end };
  }
  return null;
}

function kindOf(line: Line, words: readonly string[], index: number): DefinitionKind | null {
  if (line.name === 'require') {
    const first = words[0]?.toLowerCase() === 'not' ? 1 : 0;
    if (index === first) return 'authz-provider';
    return words[first]?.toLowerCase() === 'env' ? 'environment' : null;
  }
  if ((line.name === 'customlog' || line.name === 'globallog') && index === 1) return words[1].includes('%') ? null : 'log-format';
  if ((line.name === 'authnprovideralias' || line.name === 'authzprovideralias') && index === 1) return line.name === 'authnprovideralias' ? 'authn-provider' : 'authz-provider';
  const table = argumentTable(line.name, { section: line.kind === LineKind.Open });
  if (!table) return null;
  const expected = expectedAfter(table, words.slice(0, index)).flatMap(({ argument }) => argument.choices ?? [argument]);
  const fitting = expected.filter((argument) => fit(argument, words[index]) > 0);
  for (const { kinds, key } of fitting) for (const kind of kinds) if (KINDS[kind] && !key) return KINDS[kind];
  return null;
}
