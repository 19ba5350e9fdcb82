/** Explains to users why httpd reads the body of a conditional section or not. */
import { rawArguments } from '../syntax/line';
import type { Section } from '../syntax/tree';
import { activityOf } from './activity';
import type { ConditionResult } from './environment';
import type { FileContext } from './file-context';
import { targetName, type Target } from './target';

/**
 * Whether httpd reads the body of a conditional section, and the reason. The configuration of the
 * file decides; if it does not show the result, the tag of the section decides.
 */
export function conditionResultFor(section: Section, fileContext: FileContext | null, target: Target): ConditionResult {
  const resultInFile = fileContext?.answerOf?.(section);
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
        why: 'the file does not show which names are defined: by Define, or by -D when the server starts',
      };
  }
  return { activity, why: 'this file alone does not show it' };
}
