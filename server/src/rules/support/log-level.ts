/** `LogLevel` for the rules whose directive has become one: a module's level goes into the LogLevel that is there, or into a new one. */
import { appendWord, removeLine, replaceContent, values } from './edits';
import type { Edit, Member, Scope } from '../rule';

export interface ModuleLevel {
  /** As LogLevel names it: `rewrite` for mod_rewrite. */
  readonly module: string;
  readonly level: string;
}

/** Whether two lines of a scope stand within the same conditionals and limits. */
export function isUnderSame(a: Member, b: Member): boolean {
  return a.within.length === b.within.length && a.within.every((section, index) => section === b.within[index]);
}

/**
 * Edits that put a module's level in the place of old lines, which all stand under the same conditions. The rule must listen to `loglevel`. null
 * where the module has a level already, and where a LogLevel under other conditions comes later: a general level forgets the modules' before it.
 */
export function withModuleLevel(scope: Scope, old: readonly Member[], { module, level }: ModuleLevel): Edit[] | null {
  const present = scope.members.filter(({ line }) => line.name === 'loglevel');
  const names = [module, `${module}_module`, `mod_${module}.c`];
  if (
    present.some(
      ({ line }) => values(line).length === 0 || values(line).some((value) => names.includes(value.split(':')[0]!)),
    )
  )
    return null;
  const own = present.filter((member) => isUnderSame(member, old[0]!));
  const others = present.filter((member) => !isUnderSame(member, old[0]!));
  const target = own.at(-1);
  const place = target?.offset ?? old[0]!.offset;
  if (others.some((member) => member.offset > place)) return null;
  const first = old[0]!;
  const removing = (members: readonly Member[]) => members.map(({ line, offset }) => removeLine(line, offset));
  if (target) return [appendWord(target.line, `${module}:${level}`, target.offset), ...removing(old)];
  return [replaceContent(first.line, `LogLevel ${module}:${level}`, first.offset), ...removing(old.slice(1))];
}
