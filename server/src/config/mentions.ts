/**
 * The lines of a configuration by their names, wherever they stand: gathered in one go, without a word about their places. From them a
 * rule tells at a glance whether there is reason to look closer; most of the time there is none.
 */
import { LineKind, type Line } from '../syntax/line';
import { List, Section } from '../syntax/tree';
import type { Configuration, Names } from './configuration';

export interface Mentions {
  /** The directives of a name that the configuration was read with. Those that are inactive, or in a macro, are among them. */
  lines(name: string): readonly Line[];
  /** The sections of a name. */
  sections(name: string): readonly Section[];
  readonly lineNames: readonly string[];
  readonly sectionNames: readonly string[];
}

export function mentionsIn(configuration: Configuration): Mentions {
  let mentions = known.get(configuration);
  if (!mentions) known.set(configuration, (mentions = gathered(configuration)));
  return mentions;
}

// ---------------------------------------------------------------------------------------------------------------------

const known = new WeakMap<Configuration, Mentions>();

function gathered({ files, names }: Configuration): Mentions {
  const lines = new Map<string, Line[] | null>();
  const sections = new Map<string, Section[]>();
  for (const { tree } of files.values()) gather(tree.root, names, lines, sections);
  return { lines: (name) => lines.get(name) ?? [], sections: (name) => sections.get(name) ?? [], lineNames: [...lines.keys()].filter((name) => lines.get(name)), sectionNames: [...sections.keys()] };
}

function gather(list: List, names: Names, lines: Map<string, Line[] | null>, sections: Map<string, Section[]>): void {
  for (let i = 0; i < list.children.length; i++) {
    const child = list.children[i];
    if (child instanceof List) gather(child, names, lines, sections);
    else if (child instanceof Section) {
      const same = sections.get(child.name);
      if (same) same.push(child);
      else sections.set(child.name, [child]);
      gather(child.body, names, lines, sections);
    } else if (child.kind === LineKind.Directive) {
      let same = lines.get(child.name);
      if (same === undefined) lines.set(child.name, (same = names.has(child.name) ? [] : null));
      if (same !== null) same.push(child);
    }
  }
}
