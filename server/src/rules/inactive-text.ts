/**
 * Text that the server does not read: no problem, but worth seeing. The engine makes these findings where it is asked to (an editor
 * shows them faded); the rule is none of those that people switch on and off.
 */
import { answerFor } from '../config/inactive';
import { spelledSection } from '../config/sections';
import { targetName, type Target } from '../config/target';
import { contentEnd } from '../syntax/line';
import type { List, Section } from '../syntax/tree';
import type { Context, Finding, LineRule } from './rule';

export const inactiveText: LineRule = {
  id: 'inactive-text',
  title: 'Text that the server does not read',
  consequence: 'no effect',
  fix: 'none',
  url: 'https://httpd.apache.org/docs/2.4/sections.html',
  names: [],
  scope: 'line',
  page: { what: '', why: '', httpd: '', fixing: '', sources: [] },
  examples: [],
  check: () => [],
};

/** The body of a conditional section that does not hold, relative to the section; null for an empty one. */
export function fadedBody(section: Section, context: Context): Finding | null {
  const start = section.open.length;
  const end = start + section.body.length;
  if (end === start) return null;
  const { why } = answerFor(section, context.surroundings, context.target);
  return {
    messageId: 'not-read',
    what: `\`<${spelledSection(section.name)}>\`: httpd ${targetName(context.target)} does not read this section`,
    cause: `${why}.`,
    start,
    end: end - trailing(section.body),
    tag: 'unnecessary',
  };
}

/** All of a file that the server does not read; null for an empty one. */
export function fadedFile(root: List, why: string, target: Target): Finding | null {
  const end = root.length - trailing(root);
  return end <= 0
    ? null
    : {
        messageId: 'file-not-read',
        what: `\`.htaccess\`: httpd ${targetName(target)} does not read this file`,
        cause: `${why}.`,
        start: 0,
        end,
        tag: 'unnecessary',
      };
}

/** The line end of the last line, which is not faded with it. */
function trailing(within: List): number {
  let list = within;
  for (;;) {
    const last = list.children[list.children.length - 1];
    if (last === undefined) return 0;
    if ('height' in last) list = last;
    else if ('open' in last) return last.close.length - contentEnd(last.close);
    else return Math.min(last.length - 1, last.length - contentEnd(last));
  }
}
