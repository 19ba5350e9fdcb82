/** The sections around an offset, with their positions. */
import type { Tree } from '../syntax/document';
import { List, Section, type Item } from '../syntax/tree';

export interface PlacedSection {
  readonly section: Section;
  /** The start of its opening tag's line (UTF-16). */
  readonly offset: number;
}

/**
 * Outermost first; an offset in the line of a tag is inside its section. The work grows with the
 * depth, not with the file.
 */
export function sectionsAt(tree: Tree, offset: number): PlacedSection[] {
  const sections: PlacedSection[] = [];
  let list = tree.root;
  let base = 0;
  for (;;) {
    const placed = itemAt(list, base, offset);
    if (!(placed?.item instanceof Section)) return sections;
    const { item: section, offset: start } = placed;
    sections.push({ section, offset: start });
    list = section.body;
    base = start + section.open.length;
    if (offset < base || offset >= base + list.length) return sections;
  }
}

/**
 * The item of a list that holds the character at an offset; null after the last. `base` is the
 * start of the list.
 */
export function itemAt(list: List, base: number, offset: number): { item: Item; offset: number } | null {
  let node = list;
  let start = base;
  descend: for (;;) {
    for (const child of node.children) {
      if (offset < start + child.length) {
        if (!(child instanceof List)) return { item: child, offset: start };
        node = child;
        continue descend;
      }
      start += child.length;
    }
    return null;
  }
}
