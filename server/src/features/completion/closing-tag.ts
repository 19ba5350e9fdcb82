/** Finds the closing tag to insert after an open tag that the user has just typed. */
import { directive } from '../../directives';
import type { Tree } from '../../syntax/document';
import { LineKind, spelledName } from '../../syntax/line';
import { sectionsAround } from '../cursor';

/**
 * The closing tag for the open tag whose `>` ends at a UTF-16 offset. Null if the tag is
 * incomplete, if text follows it, or if the file already has a closing tag for it.
 */
export function closingTag(tree: Tree, offset: number): string | null {
  const placedLine = tree.lineAt(Math.max(0, offset - 1));
  if (placedLine === null || placedLine.line.kind !== LineKind.Open) return null;
  const { line, offset: start } = placedLine;
  const tagUpToCursor = line.text.slice(0, offset - start);
  if (!tagUpToCursor.endsWith('>') || line.text.slice(tagUpToCursor.length).trim() !== '') return null;
  const argument = tagUpToCursor.slice(line.nameEnd, -1).trim();
  // In quotes or after an operator, `>` is part of the condition.
  if ((argument.match(/"/g)?.length ?? 0) % 2 === 1 || /[<>=!~]$/.test(argument)) return null;
  if (argument === '' && !SECTIONS_WITHOUT_ARGUMENTS.has(line.name)) return null;
  const sectionName = directive(line.name, { section: true }) ? spelledName(line) : null;
  if (sectionName === null) return null;
  // A closing tag belongs to the nearest open tag. So the new tag may have taken the closing tag of
  // an outer section, and that section is then unclosed.
  const isPaired = sectionsAround(tree, start + line.length).enclosingTags.includes(line);
  return !isPaired || sectionsAround(tree, start).unclosedTags.some((openTag) => openTag.name === line.name)
    ? `</${sectionName}>`
    : null;
}

// ---------------------------------------------------------------------------------------------------------------------

/** The names of sections without arguments. */
const SECTIONS_WITHOUT_ARGUMENTS: ReadonlySet<string> = new Set([
  'else',
  'requireall',
  'requireany',
  'requirenone',
  'perl',
]);
