/** Finds the sections around an offset. */
import type { Tree } from '../syntax/document';
import { List, Section, type Item } from '../syntax/tree';

/** A section with its place in the file. */
export interface PlacedSection {
  readonly section: Section;
  /** The UTF-16 offset of the line with its open tag. */
  readonly offset: number;
}

/**
 * The sections around an offset, outermost first. An offset in a tag is in the section of the tag.
 * The time depends on the depth, not on the size of the file.
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
 * The item of a list that contains the character at an offset; null after the last one. `base` is
 * the offset of the list in the file.
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
