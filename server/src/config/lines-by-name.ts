/**
 * The lines of a configuration by their names, wherever they stand: gathered in one go, without a word about their places. From them a
 * rule tells at a glance whether there is reason to look closer; most of the time there is none.
 */
import { LineKind, type Line } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { NodeKind, type List, type Section } from '../syntax/tree';
import type { Configuration, Names } from './configuration';

export interface Mentions {
  /** The directives of a name that the configuration was read with. Those that are inactive, or in a macro, are among them. */
  lines(name: string): readonly Line[];
  /** The sections of a name. */
  sections(name: string): readonly Section[];
  /** Whether one of them stands in a section. */
  isNested(name: string): boolean;
  readonly lineNames: readonly string[];
  readonly sectionNames: readonly string[];
}

export function mentionsIn(configuration: Configuration): Mentions {
  let mentions = known.get(configuration);
  if (!mentions) known.set(configuration, (mentions = gathered(configuration)));
  return mentions;
}

// ---------------------------------------------------------------------------------------------------------------------

const known = cacheOf<Configuration, Mentions>();

interface Named {
  readonly lines: Line[];
  isNested: boolean;
}

function gathered({ files, names }: Configuration): Mentions {
  const directives = new Map<string, Named | null>();
  const sections = new Map<string, Section[]>();
  for (const { tree } of files.values()) gather(tree.root, { names, directives, sections, isNested: false });
  return {
    lines: (name) => directives.get(name)?.lines ?? [],
    sections: (name) => sections.get(name) ?? [],
    isNested: (name) => directives.get(name)?.isNested === true,
    lineNames: [...directives.keys()].filter((name) => directives.get(name)),
    sectionNames: [...sections.keys()],
  };
}

interface Gathered {
  readonly names: Names;
  /** null for names that nobody asks for. */
  readonly directives: Map<string, Named | null>;
  readonly sections: Map<string, Section[]>;
  isNested: boolean;
}

function gather(list: List, into: Gathered): void {
  const { directives, isNested } = into;
  for (let i = 0; i < list.children.length; i++) {
    const child = list.children[i]!;
    if (child.kind === NodeKind.List) gather(child, into);
    else if (child.kind === NodeKind.Section) {
      const same = into.sections.get(child.name);
      if (same) same.push(child);
      else into.sections.set(child.name, [child]);
      into.isNested = true;
      gather(child.body, into);
      into.isNested = isNested;
    } else if (child.kind === LineKind.Directive) {
      let same = directives.get(child.name);
      if (same === undefined)
        directives.set(child.name, (same = into.names.has(child.name) ? { lines: [], isNested } : null));
      if (same === null) continue;
      same.lines.push(child);
      same.isNested ||= isNested;
    }
  }
}
