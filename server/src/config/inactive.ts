/** Finds out whether httpd reads the body of a conditional section, with a reason for users. */
import { rawArguments } from '../syntax/line';
import type { Section } from '../syntax/tree';
import { activityOf } from './activity';
import type { ConditionResult } from './environment';
import type { FileContext } from './file-context';
import { targetName, type Target } from './target';

/**
 * Whether httpd reads the body of a conditional section, and why. The result comes from the
 * configuration of the file; if that does not show it, from the tag of the section alone.
 */
export function conditionResultFor(section: Section, fileContext: FileContext | null, target: Target): ConditionResult {
  const resultInFile = fileContext?.conditionResultOf?.(section);
  const activity = activityOf(section.open, target);
  if (resultInFile && (resultInFile.activity !== 'unknown' || activity === 'unknown')) return resultInFile;
  const condition = rawArguments(section.open).value;
  switch (section.name) {
    case 'ifversion':
      return {
        activity,
        why:
          activity === 'unknown'
            ? 'the condition is true for some releases of 2.4 only'
            : `the server is httpd ${targetName(target)}`,
      };
    case 'ifmodule': {
      const moduleName = condition.replace(/^!/, '');
      if (activity === 'unknown') return { activity, why: `the file does not show whether ${moduleName} is loaded` };
      if (/access_compat/.test(moduleName))
        return { activity, why: 'a section that tests for mod_access_compat is written for 2.4' };
      const isModuleLoaded = (activity === 'active') !== condition.startsWith('!');
      return { activity, why: `${isModuleLoaded ? 'every' : 'no'} 2.4 server has ${moduleName}` };
    }
    case 'ifdefine':
      return {
        activity,
        why: 'this file does not show whether a Define line or an option -D defines the name',
      };
  }
  return { activity, why: 'this file alone does not show it' };
}
