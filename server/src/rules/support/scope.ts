/** Where a scope stands, and what follows from it for messages and fixes: what several rules about Require ask. */
import { indentOf } from '../../syntax/line';
import { Fact, hasFact } from './facts';
import type { Member, Scope } from '../rule';

/** One step of indentation, by what the line has more than the section around it; four blanks where that tells nothing. */
export function stepAt({ line, within }: Pick<Member, 'line' | 'within'>, scope: Scope): string {
  const section = within.at(-1);
  const outer = section ? indentOf(section.open) : (scope.tag?.indent ?? '');
  const indent = indentOf(line);
  if (indent.length > outer.length && indent.startsWith(outer)) return indent.slice(outer.length);
  return indent.includes('\t') ? '\t' : '    ';
}

/** Whether the scope is the top level of a file that another one may include from within any section, `<RequireAll>` among them. */
export function isIncludable({ tag, context, facts }: Scope): boolean {
  return tag === null && !context.isHtaccess && !hasFact(facts, Fact.isRoot);
}
