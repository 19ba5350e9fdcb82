/**
 * Findings for text that the server does not read, which is no problem. An editor shows it faded.
 * The user cannot switch this rule on or off.
 */
import { conditionResultFor } from '../config/inactive';
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
  checks: 'line',
  examples: [],
  check: () => [],
};

/**
 * The finding for the body of a section whose condition is false. Its offsets start at the section.
 * Null if the body is empty.
 */
export function findingForBody(section: Section, context: Context): Finding | null {
  const start = section.open.length;
  const bodyEnd = start + section.body.length;
  if (bodyEnd === start) return null;
  const { why } = conditionResultFor(section, context.fileContext, context.target);
  return {
    messageId: 'not-read',
    what: `\`<${spelledSection(section.name)}>\`: httpd ${targetName(context.target)} does not read this section`,
    cause: `Reason: ${why}.`,
    start,
    end: bodyEnd - lastLineEndLength(section.body),
    tag: 'unnecessary',
  };
}

/** The finding for the whole text of a file that the server does not read; null if it is empty. */
export function findingForFile(root: List, why: string, target: Target): Finding | null {
  const end = root.length - lastLineEndLength(root);
  return end <= 0
    ? null
    : {
        messageId: 'file-not-read',
        what: `\`.htaccess\`: httpd ${targetName(target)} does not read this file`,
        cause: `Reason: ${why}.`,
        start: 0,
        end,
        tag: 'unnecessary',
      };
}

/** The length of the last line's white space and newline, which an editor should not show faded. */
function lastLineEndLength(within: List): number {
  let lastList = within;
  for (;;) {
    const lastChild = lastList.children[lastList.children.length - 1];
    if (lastChild === undefined) return 0;
    if ('height' in lastChild) lastList = lastChild;
    else if ('open' in lastChild) return lastChild.close.length - contentEnd(lastChild.close);
    else return Math.min(lastChild.length - 1, lastChild.length - contentEnd(lastChild));
  }
}
