import {
  conditionalsIn,
  forEachNode,
  isNegative,
  NAMES_ADDING_LINES,
  readRequires,
  REQUIRE_NAMES,
  type RequireContainer,
  type RequireNode,
  type RequireRoot,
} from '../access/require';
import { indentOf, LineKind, lexLines, type Line } from '../syntax/line';
import { textOf } from '../syntax/tree';
import { contentSpan, lineEnd, removeLine } from './support/edits';
import { isIncludable, indentStepAt } from './support/scope';
import type { Edit, Finding, Fix, Scope, SectionRule } from './rule';

/**
 * Finds `Require not` lines without a Require line that allows requests, and empty Require
 * sections.
 */
export const requireNotAlone: SectionRule = {
  id: 'require-not-alone',
  title: '"Require not" outside of <RequireAll>, and empty <RequireAny> or <RequireAll> sections',
  consequence: 'will not start',
  fix: 'suggestion',
  checks: 'section',
  names: [...REQUIRE_NAMES, ...NAMES_ADDING_LINES],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authz_core.html#require',
  examples: [
    {
      title: 'Everyone except one address',
      before: '<Directory /srv>\n    Require all granted\n    Require not ip 192.0.2.7\n</Directory>\n',
      after:
        '<Directory /srv>\n    <RequireAll>\n        Require all granted\n        Require not ip 192.0.2.7\n    </RequireAll>\n</Directory>\n',
      finds: ['not'],
    },
    {
      title: 'Only a "Require not" line',
      before:
        '<Location /a>\n  # a robot\n  Require not env robot\n</Location>\n<Location /b>\n  <RequireNone>\n    Require ip 192.0.2.7\n  </RequireNone>\n</Location>\n',
      after:
        '<Location /a>\n  # a robot\n  <RequireAll>\n    Require all granted\n    Require not env robot\n  </RequireAll>\n</Location>\n<Location /b>\n  <RequireAll>\n    Require all granted\n    <RequireNone>\n      Require ip 192.0.2.7\n    </RequireNone>\n  </RequireAll>\n</Location>\n',
      finds: ['not', 'none'],
    },
    {
      title: 'Several lines that allow',
      before:
        '<Location /a>\n  Require ip 192.0.2.0/24\n  Require not ip 192.0.2.7\n  Require host example.org\n</Location>\n',
      after:
        '<Location /a>\n  <RequireAll>\n    <RequireAny>\n      Require ip 192.0.2.0/24\n      Require host example.org\n    </RequireAny>\n    Require not ip 192.0.2.7\n  </RequireAll>\n</Location>\n',
      finds: ['not'],
    },
    {
      title: 'A RequireAll with only lines that deny',
      before: '<Directory /srv>\n    <RequireAll>\n        Require not ip 192.0.2.7\n    </RequireAll>\n</Directory>\n',
      after:
        '<Directory /srv>\n    <RequireAll>\n        Require all granted\n        Require not ip 192.0.2.7\n    </RequireAll>\n</Directory>\n',
      finds: ['only-negative'],
    },
    {
      title: 'A RequireAny without any Require line',
      before: '<Directory /srv>\n    <RequireAny>\n        # Require ip 192.0.2.7\n    </RequireAny>\n</Directory>\n',
      after: '<Directory /srv>\n        # Require ip 192.0.2.7\n</Directory>\n',
      finds: ['empty'],
    },
  ],
  check(scope) {
    const rootNode = readRequires(scope.members, scope.body, scope.bodyOffset);
    if (rootNode === null || scope.context.containers.includes('macro')) return [];
    const findings: Finding[] = [];
    forEachNode(rootNode, (node, parent) => {
      // If another file may include this one in a <RequireAll>, the top level may be a part of that
      // section.
      const mayBeInRequireAll = parent.kind === 'all' || (parent === rootNode && isIncludable(scope));
      if (isNegative(node) && !mayBeInRequireAll) findings.push(findingOfRequireNot(node, parent, scope));
      if (node.type === 'container' && !node.mayHaveMoreLines) {
        if (node.children.length === 0) findings.push(findingOfEmpty(node));
        else if (node.kind === 'all' && !mayBeInRequireAll && isOnlyNegative(node))
          findings.push(findingOfOnlyNegative(node, scope));
      }
    });
    return findings;
  },
};

/**
 * Whether no line in a RequireAll can allow a request. httpd counts the lines of a nested
 * RequireAll as lines of the outer one.
 */
function isOnlyNegative({ children }: RequireContainer): boolean {
  return children.every((child) =>
    child.type === 'container' && child.kind === 'all'
      ? !child.mayHaveMoreLines && isOnlyNegative(child)
      : isNegative(child),
  );
}

/** The finding for a `Require not` line or a RequireNone that is not in a RequireAll. */
function findingOfRequireNot(node: RequireNode, parent: RequireRoot | RequireContainer, scope: Scope): Finding {
  const isLine = node.type === 'require';
  const negativeName = `\`${isLine ? 'Require not' : '<RequireNone>'}\``;
  const enclosingTag = parent.kind === 'none' ? '`<RequireNone>`' : 'section' in parent ? '`<RequireAny>`' : null;
  const fix = parent.kind === 'none' ? null : fixWithContainer(parent, scope);
  return {
    messageId: isLine ? 'not' : 'none',
    what:
      enclosingTag === null
        ? `${negativeName} must be inside \`<RequireAll>\``
        : `${negativeName} is not allowed in ${enclosingTag}; use \`<RequireAll>\``,
    help: `Write \`<RequireAll>\` around ${negativeName} and a line that allows requests, such as \`Require all granted\`.`,
    ...contentSpan(node.line, node.offset),
    fixes: fix ? [fix] : [],
  };
}

/** The finding for a Require section without Require lines. */
function findingOfEmpty(node: RequireContainer): Finding {
  const hasBodyText = textOf(node.section.body).trim() !== '';
  const bodyEnd = node.offset + node.section.open.length + node.section.body.length;
  const hasOnlyComments = lexLines(textOf(node.section.body)).every(isCommentOrBlank);
  const edits: Edit[] = hasBodyText
    ? [removeLine(node.section.open, node.offset), removeLine(node.section.close, bodyEnd)]
    : [{ start: node.offset, end: node.offset + node.section.length, text: '' }];
  return {
    messageId: 'empty',
    what: `\`<${CONTAINER_NAMES[node.kind]}>\` contains no \`Require\` line`,
    help: 'Remove the empty section, or add a `Require` line to it.',
    serverText: `<${CONTAINER_NAMES[node.kind]}> directive contains no authorization directives`,
    ...contentSpan(node.line, node.offset),
    tag: 'unnecessary',
    fixes: hasOnlyComments
      ? [
          {
            title: `Remove the empty <${CONTAINER_NAMES[node.kind]}>`,
            safety: 'suggestion',
            assumes: 'the other lines of this section, or the enclosing sections, should decide about access',
            edits,
          },
        ]
      : [],
  };
}

function findingOfOnlyNegative(node: RequireContainer, scope: Scope): Finding {
  const { isHtaccess } = scope.context;
  const firstChild = node.children[0]!;
  const isFirstChildLimited = firstChild.sectionsBetween.length > 0;
  const text = `${indentOf(firstChild.line)}Require all granted${lineEnd(firstChild.line)}`;
  const bodyStart = node.offset + node.section.open.length;
  const fix: Fix = {
    title: 'Add Require all granted to <RequireAll>',
    safety: 'suggestion',
    assumes: 'you want to allow all clients except those that these lines exclude',
    edits: [{ start: bodyStart, end: bodyStart, text }],
  };
  return {
    messageId: 'only-negative',
    what: `\`<RequireAll>\` contains only lines that deny${isHtaccess ? ', so every request gets 403' : ''}`,
    cause: isHtaccess ? undefined : 'The server logs AH01624.',
    help: 'Add a line that allows requests, such as `Require all granted`.',
    ...contentSpan(node.line, node.offset),
    consequence: isHtaccess ? 'probably a mistake' : 'will not start',
    fixes: isFirstChildLimited ? [] : [fix],
  };
}

const CONTAINER_NAMES = { all: 'RequireAll', any: 'RequireAny', none: 'RequireNone' } as const;

/**
 * A Require line or section, with the comments between it and the previous one. The first item has
 * no comments, so that the comments above it stay where they are.
 */
interface LinesWithComments {
  readonly text: string;
  readonly isNegative: boolean;
}

/**
 * The fix that puts all lines of `parent` into a `<RequireAll>`: one of the allowing lines must
 * match, and no `Require not` line. Null if conditions or other text prevent it.
 */
function fixWithContainer(parent: RequireRoot | RequireContainer, scope: Scope): Fix | null {
  const { children } = parent;
  if (
    parent.mayHaveMoreLines ||
    children.some((child) => child.sectionsBetween.length > 0 || conditionalsIn(child.enclosingSections).length > 0)
  )
    return null;
  const firstChild = children[0]!;
  const lastChild = children[children.length - 1]!;
  const start = firstChild.offset;
  const end = lastChild.offset + lengthOfNode(lastChild);
  const originalText = textOf(scope.body, start - scope.bodyOffset, end - scope.bodyOffset);
  const chunks = chunksOf(originalText, start, children);
  if (chunks === null) return null;
  const indent = indentOf(firstChild.line);
  const indentStep = indentStepAt(firstChild, scope);
  const eol = lineEnd(firstChild.line);
  const allowingChunks = chunks.filter((chunk) => !chunk.isNegative);
  const indentedChunk = (chunk: LinesWithComments, depth: number) =>
    indentedLines(chunk.text, indentStep.repeat(depth), eol);
  const innerLines =
    allowingChunks.length > 1
      ? [
          `${indent}${indentStep}<RequireAny>${eol}`,
          ...allowingChunks.map((chunk) => indentedChunk(chunk, 2)),
          `${indent}${indentStep}</RequireAny>${eol}`,
          ...chunks.filter((chunk) => chunk.isNegative).map((chunk) => indentedChunk(chunk, 1)),
        ]
      : [
          ...(allowingChunks.length === 0 ? [`${indent}${indentStep}Require all granted${eol}`] : []),
          ...chunks.map((chunk) => indentedChunk(chunk, 1)),
        ];
  const text = `${indent}<RequireAll>${eol}${innerLines.join('')}${indent}</RequireAll>${eol}`;
  const [title, assumes] =
    allowingChunks.length === 0
      ? [
          'Add <RequireAll> with Require all granted',
          'you want to allow all clients except those that these lines exclude',
        ]
      : [
          'Put all these Require lines into <RequireAll>',
          'clients of a "Require not" line should be denied even if another line allows them',
        ];
  return {
    title,
    assumes,
    safety: 'suggestion',
    edits: [{ start, end, text: originalText.endsWith('\n') ? text : text.slice(0, -eol.length) }],
  };
}

/**
 * Splits the text of the nodes into lines with their comments. `start`: the offset of `source` in
 * the file. Null if there is other text between the nodes.
 */
function chunksOf(originalText: string, start: number, children: readonly RequireNode[]): LinesWithComments[] | null {
  const chunks: LinesWithComments[] = [];
  let position = start;
  for (const child of children) {
    const childEnd = child.offset + lengthOfNode(child);
    const textBeforeChild = originalText.slice(position - start, child.offset - start);
    if (!lexLines(textBeforeChild).every(isCommentOrBlank)) return null;
    chunks.push({ text: originalText.slice(position - start, childEnd - start), isNegative: isNegative(child) });
    position = childEnd;
  }
  return chunks;
}

/** The length of the line or, for a container, of the whole section. */
function lengthOfNode(node: RequireNode): number {
  return node.type === 'container' ? node.section.length : node.line.length;
}

function isCommentOrBlank(line: Line): boolean {
  return line.kind === LineKind.Comment || line.kind === LineKind.Blank;
}

/**
 * The text with `indentStep` before each line. The rows that continue a line get no `indentStep`,
 * because they belong to the same line. Adds a missing newline.
 */
function indentedLines(text: string, indentStep: string, eol: string): string {
  const textWithNewline = text.endsWith('\n') ? text : text + eol;
  return lexLines(textWithNewline)
    .map((line) => (line.kind === LineKind.Blank ? line.text : indentStep + line.text))
    .join('');
}
