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
  let innerList = tree.root;
  let listStart = 0;
  for (;;) {
    const placedItem = itemAt(innerList, listStart, offset);
    if (!(placedItem?.item instanceof Section)) return sections;
    const { item: section, offset: start } = placedItem;
    sections.push({ section, offset: start });
    innerList = section.body;
    listStart = start + section.open.length;
    if (offset < listStart || offset >= listStart + innerList.length) return sections;
  }
}

/**
 * The item of a list that contains the character at an offset; null after the last item.
 * `listOffset` is the offset of the list in the file.
 */
export function itemAt(list: List, listOffset: number, offset: number): { item: Item; offset: number } | null {
  let node = list;
  let childStart = listOffset;
  descend: for (;;) {
    for (const child of node.children) {
      if (offset < childStart + child.length) {
        if (!(child instanceof List)) return { item: child, offset: childStart };
        node = child;
        continue descend;
      }
      childStart += child.length;
    }
    return null;
  }
}
