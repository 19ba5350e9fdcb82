/**
 * For the rules about Require: the indentation in a scope, and whether its file can be included.
 */
import { indentOf } from '../../syntax/line';
import { Fact, hasFact } from './facts';
import type { Member, Scope } from '../rule';

/**
 * One step of indentation: the white space that the line has in addition to the section around it.
 * If the line has none, a tab or four spaces.
 */
export function indentStepAt(
  { line, enclosingSections }: Pick<Member, 'line' | 'enclosingSections'>,
  scope: Scope,
): string {
  const section = enclosingSections.at(-1);
  const outerIndent = section ? indentOf(section.open) : (scope.tag?.indent ?? '');
  const indent = indentOf(line);
  if (indent.length > outerIndent.length && indent.startsWith(outerIndent)) return indent.slice(outerIndent.length);
  return indent.includes('\t') ? '\t' : '    ';
}

/**
 * Whether the scope is the top level of a file that another file may include in any section, such
 * as `<RequireAll>`.
 */
export function isIncludable({ tag, context, facts }: Scope): boolean {
  return tag === null && !context.isHtaccess && !hasFact(facts, Fact.isRoot);
}
