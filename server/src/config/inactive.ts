/** Explains to users why httpd reads the body of a conditional section or not. */
import { rawArguments } from '../syntax/line';
import type { Section } from '../syntax/tree';
import { activityOf } from './activity';
import type { Answer } from './environment';
import type { FileContext } from './file-context';
import { targetName, type Target } from './target';

/**
 * Whether httpd reads the body of a conditional section, and why: as its configuration shows, or
 * else the section itself.
 */
export function answerFor(section: Section, fileContext: FileContext | null, target: Target): Answer {
  const answer = fileContext?.answerOf?.(section);
  const activity = activityOf(section.open, target);
  if (answer && (answer.activity !== 'unknown' || activity === 'unknown')) return answer;
  const condition = rawArguments(section.open).value;
  switch (section.name) {
    case 'ifversion':
      return {
        activity,
        why: activity === 'unknown' ? 'that depends on the release' : `the server is ${targetName(target)}`,
      };
    case 'ifmodule': {
      const name = condition.replace(/^!/, '');
      if (activity === 'unknown') return { activity, why: `whether ${name} is loaded is not known` };
      if (/access_compat/.test(name))
        return { activity, why: 'who asks for mod_access_compat wrote it for 2.4 and for the time of moving' };
      const isThere = (activity === 'active') !== condition.startsWith('!');
      return { activity, why: `${isThere ? 'every' : 'no'} 2.4 server has ${name}` };
    }
    case 'ifdefine':
      return { activity, why: 'what is defined (Define, or -D when the server is started) is not known' };
  }
  return { activity, why: 'this file alone does not tell' };
}
