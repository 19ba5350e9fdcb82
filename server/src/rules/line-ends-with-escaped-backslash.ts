import { contentEnd, differencesIn22, LineKind, spelledName, type Line } from '../syntax/line';
import { contentSpan, NO_FINDINGS, shortened } from './support/edits';
import { fittingTitle } from './support/fix-title';
import type { Edit, Finding, Fix, LineRule } from './rule';

/**
 * Finds lines that end in `\\`, and a file whose last line ends in `\`. 2.2 and 2.4 treat these
 * backslashes differently.
 */
export const lineEndsWithEscapedBackslash: LineRule = {
  id: 'line-ends-with-escaped-backslash',
  title: 'A line that ends with two backslashes, which 2.4 joins with the next line',
  consequence: 'meaning changed',
  since: 0,
  fix: 'safe',
  checks: 'line',
  names: [],
  checksOddLines: true,
  url: 'https://httpd.apache.org/docs/2.4/configuring.html#syntax',
  examples: [
    {
      title: 'A comment, and a directive on the next line',
      before: '# C:\\logs\\\\\nTimeout 60\n',
      after: '# C:\\logs\nTimeout 60\n',
      finds: ['escaped-backslash'],
    },
    {
      title: 'A value that ends with a backslash',
      before: 'IndexIgnore *~ old\\\\\nTimeout 60\n',
      after: 'IndexIgnore *~ old\\ \nTimeout 60\n',
      finds: ['escaped-backslash'],
    },
    {
      title: 'The last line of a file',
      before: 'Timeout 60\nKeepAlive Off \\\n',
      after: 'Timeout 60\n#KeepAlive Off\n',
      finds: ['dropped-at-end'],
    },
  ],
  check({ line }) {
    if (!line.isJoined) return NO_FINDINGS;
    // The argument `true` is right for every line: only the last line of a file can end in a
    // backslash that joins nothing.
    const differences = differencesIn22(line, true);
    const findings: Finding[] = [];
    if (differences.includes('escaped-backslash')) {
      const backslashOffset = /\\\\\r?\n/.exec(line.text)!.index;
      findings.push({
        messageId: 'escaped-backslash',
        what: '`\\\\` at the end of a line now continues the line',
        cause: 'In 2.2 two backslashes ended the line. In 2.4 the next line becomes part of this line.',
        help:
          line.kind === LineKind.Comment ? 'Remove the backslashes.' : 'End the line with one backslash and a space.',
        start: backslashOffset,
        end: backslashOffset + 2,
        fixes: [
          suggestionIfNearAccess(
            line.kind === LineKind.Comment ? fixRemovingBackslashes(line.text) : fixAddingSpace(line.text),
            line,
          ),
        ],
      });
    } else if (
      differences.includes('dropped-at-end') &&
      line.kind !== LineKind.Comment &&
      line.kind !== LineKind.Blank
    ) {
      findings.push({
        messageId: 'dropped-at-end',
        what: `\`${spelledName(line)}\`: 2.2 ignored this last line, 2.4 uses it`,
        cause: 'The file ends with a backslash. httpd 2.2 ignored such a last line, and 2.4 uses it.',
        help: 'If you want the line, remove the backslash. If not, remove the line.',
        ...contentSpan(line),
        // Without its closing tag, the section would stay open, so no fix removes the line.
        fixes:
          line.kind === LineKind.Close
            ? []
            : [suggestionIfNearAccess(fixDisablingLine(line.text, contentEnd(line)), line)],
      });
    }
    return findings;
  },
};

/**
 * Makes the fix a suggestion if the text has access lines. After the fix, 2.4 may read more of
 * these lines. They change the effect of other access lines: mod_access_compat reads Satisfy
 * differently, and AuthType without Require causes 500. test/trees has the cases.
 */
function suggestionIfNearAccess(fix: Fix, { text }: Line): Fix {
  const isAboutAccess = text.split('\n').some((row) => LINE_ABOUT_ACCESS.test(row));
  return isAboutAccess
    ? {
        ...fix,
        safety: 'suggestion',
        isAppliedAlone: true,
        assumes: 'the other access lines then decide in 2.4 as in 2.2',
      }
    : fix;
}

/**
 * Matches a line that begins with an access directive, with or without quotes, or with a directive
 * that may include one.
 */
const LINE_ABOUT_ACCESS =
  /^\s*["']?<?\/?(order|allow|deny|satisfy|require|auth|limit|if|include|use\b|accessfilename|allowoverride)/i;

/** The fix for a comment: without the backslashes at the end, the next line is no part of it. */
function fixRemovingBackslashes(text: string): Fix {
  return {
    title: 'Remove the two backslashes at the end',
    safety: 'safe',
    edits: editsOfRowEnds(text, (at) => ({ start: startOfBackslashes(text, at), end: at + 2, text: '' })),
  };
}

/** The start of the sequence of backslashes directly before an offset. */
function startOfBackslashes(text: string, offset: number): number {
  let backslashStart = offset;
  while (backslashStart > 0 && text[backslashStart - 1] === '\\') backslashStart--;
  return backslashStart;
}

/** The fix that keeps one backslash in the value, and lets a space end the line. */
function fixAddingSpace(text: string): Fix {
  return {
    title: 'End the line with one backslash and a space',
    safety: 'suggestion',
    edits: editsOfRowEnds(text, (at) => ({ start: at, end: at + 2, text: '\\ ' })),
  };
}

/** The edits that `editAt` makes for the two backslashes at the end of each row. */
function editsOfRowEnds(text: string, editAt: (offset: number) => Edit): Edit[] {
  return [...text.matchAll(/\\\\(?=\r?\n)/g)].map((match) => editAt(match.index));
}

/**
 * The fix that makes the last line of a file a comment, without its backslash at `end`. If the line
 * has several rows, the fix removes it.
 */
function fixDisablingLine(text: string, end: number): Fix {
  const contentOffset = /^\s*/.exec(text)![0].length;
  const isContinued = [...text.slice(contentOffset, end).matchAll(/\\(?=\r?\n[ \t]*\S)/g)].length > 0;
  if (isContinued)
    return {
      title: `Remove ${shortened(text.trim(), 53)}`,
      safety: 'suggestion',
      edits: [{ start: 0, end: text.length, text: '' }],
    };
  let endOfContent = end - 1;
  while (endOfContent > 0 && (text[endOfContent - 1] === ' ' || text[endOfContent - 1] === '\t')) endOfContent--;
  return {
    title: fittingTitle(
      `Comment out ${text.slice(0, startOfBackslashes(text.trimEnd(), text.trimEnd().length)).trim()}`,
      'Comment out the line',
    ),
    safety: 'suggestion',
    edits: [
      { start: contentOffset, end: contentOffset, text: '#' },
      { start: endOfContent, end, text: '' },
    ],
  };
}
