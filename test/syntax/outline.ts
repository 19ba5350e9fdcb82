/** Renders a tree as text, for expectations and for comparing trees. */
import { type Line, LineKind } from '../../server/src/syntax/line';
import { forEachItem, List, Section } from '../../server/src/syntax/tree';

const KINDS: Record<LineKind, string> = {
  [LineKind.Blank]: 'blank',
  [LineKind.Comment]: 'comment',
  [LineKind.Directive]: 'directive',
  [LineKind.Open]: 'open',
  [LineKind.Close]: 'close',
};

/** One row a line: nesting by indentation, the kind, the name, the text as a JSON string. */
export function outline(list: List, indent = ''): string {
  const rows: string[] = [];
  forEachItem(list, 0, (item) => {
    if (item instanceof Section) {
      rows.push(`${indent}section ${item.name} ${JSON.stringify(item.open.text)}`);
      const body = outline(item.body, `${indent}  `);
      if (body) rows.push(body);
      rows.push(`${indent}end ${JSON.stringify(item.close.text)}`);
    } else rows.push(`${indent}${row(item)}`);
  });
  return rows.join('\n');
}

function row(line: Line): string {
  return [KINDS[line.kind], line.name, JSON.stringify(line.text)].filter(Boolean).join(' ');
}

/** Checks every node's cached sums and the balance of its lists; returns what is wrong, or ''. */
export function faults(list: List, isRoot = true): string {
  let length = 0;
  let lineEnds = 0;
  if (!isRoot && list.children.length < 1) return 'an empty inner list';
  if (list.children.length > 32) return 'too many children';
  for (const child of list.children) {
    if (child instanceof List) {
      if (list.height !== child.height + 1) return 'leaves of different depth';
      const inner = faults(child, false);
      if (inner) return inner;
    } else if (list.height !== 0) return 'an item in an inner list';
    if (child instanceof Section) {
      const inner = faults(child.body);
      if (inner) return inner;
    }
    length += child.length;
    lineEnds += child.lineEnds;
  }
  return length === list.length && lineEnds === list.lineEnds ? '' : 'wrong sums';
}
