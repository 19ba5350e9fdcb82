/** LogLevel edits, for directives that LogLevel replaces. */
import { appendWord, removeLine, replaceContent, argumentValues } from './edits';
import type { Edit, Member, Scope } from '../rule';

export interface ModuleLevel {
  /** The module's name for LogLevel: `rewrite` for mod_rewrite. */
  readonly module: string;
  readonly level: string;
}

/** Whether two lines of a scope are in the same conditionals and Limit sections. */
export function haveSameEnclosingSections(a: Member, b: Member): boolean {
  return (
    a.enclosingSections.length === b.enclosingSections.length &&
    a.enclosingSections.every((section, index) => section === b.enclosingSections[index])
  );
}

/**
 * Edits that replace old lines, all under the same conditions, by the level of a module in a
 * LogLevel line. The rule must have `loglevel` among its names. Returns null if the module already
 * has a level. Also returns null if a LogLevel line under other conditions follows, because its
 * general level would reset the module levels of the lines above.
 */
export function editsThatSetModuleLevel(
  scope: Scope,
  oldMembers: readonly Member[],
  { module, level }: ModuleLevel,
): Edit[] | null {
  const logLevelLines = scope.members.filter(({ line }) => line.name === 'loglevel');
  const moduleNames = [module, `${module}_module`, `mod_${module}.c`];
  if (
    logLevelLines.some(
      ({ line }) =>
        argumentValues(line).length === 0 ||
        argumentValues(line).some((value) => moduleNames.includes(value.split(':')[0]!)),
    )
  )
    return null;
  const linesInSameSections = logLevelLines.filter((member) => haveSameEnclosingSections(member, oldMembers[0]!));
  const linesInOtherSections = logLevelLines.filter((member) => !haveSameEnclosingSections(member, oldMembers[0]!));
  const targetMember = linesInSameSections.at(-1);
  const targetOffset = targetMember?.offset ?? oldMembers[0]!.offset;
  if (linesInOtherSections.some((member) => member.offset > targetOffset)) return null;
  const firstOld = oldMembers[0]!;
  const editsRemoving = (members: readonly Member[]) => members.map(({ line, offset }) => removeLine(line, offset));
  if (targetMember)
    return [appendWord(targetMember.line, `${module}:${level}`, targetMember.offset), ...editsRemoving(oldMembers)];
  return [
    replaceContent(firstOld.line, `LogLevel ${module}:${level}`, firstOld.offset),
    ...editsRemoving(oldMembers.slice(1)),
  ];
}
