/**
 * Words after `Require` that ask for groups of third-party modules in 2.4, such as `unix-group`. In
 * 2.2 the word was `group` for all of these modules.
 */
import { groupWordOf } from '../directives/third-party';
import { argumentsOf, type Line } from '../syntax/line';
import { GROUP_DIRECTIVES } from './checkers';
import type { Tree24 } from './model';

/**
 * The 2.4 word for `Require group` in a section with these lines, such as `unix-group` if they
 * contain `AuthzUnixgroup On`. Null unless exactly one line selects a third-party module for
 * groups. Also null if `Require` with the new word does not take the same group names as `Require
 * group`.
 */
export function groupWord(lines: readonly Line[]): string | null {
  const groupLines = lines.filter(({ name }) => GROUP_DIRECTIVES.has(name));
  const [groupLine] = groupLines;
  if (groupLine === undefined || groupLines.length > 1 || argumentsOf(groupLine)[0]?.value.toLowerCase() === 'off')
    return null;
  const groupWordOfLine = groupWordOf(groupLine.name);
  return groupWordOfLine !== undefined && WORDS_FOR_SAME_GROUP_NAMES.has(groupWordOfLine) ? groupWordOfLine : null;
}

/** Whether a tree contains a `Require group`. */
export function requiresGroup(tree: Tree24): boolean {
  switch (tree.type) {
    case 'user':
      return isGroupRequirement(tree.requirement.text);
    case 'not':
    case 'limited':
      return requiresGroup(tree.inner);
    case 'all':
    case 'any':
    case 'none':
      return tree.inner.some(requiresGroup);
    default:
      return false;
  }
}

/**
 * The first word of a requirement if it is a group word of a third-party module; otherwise null.
 */
export function thirdPartyGroupWord(text: string): string | null {
  const [word = ''] = text.split(/\s/, 1);
  return WORDS_FOR_SAME_GROUP_NAMES.has(word) ? word : null;
}

/** Returns the tree with `word` instead of `group` in its requirements. */
export function withGroupWord(tree: Tree24, word: string): Tree24 {
  switch (tree.type) {
    case 'user': {
      const { text } = tree.requirement;
      return isGroupRequirement(text) ? { ...tree, requirement: { text: word + text.slice('group'.length) } } : tree;
    }
    case 'not':
    case 'limited':
      return { ...tree, inner: withGroupWord(tree.inner, word) } as Tree24;
    case 'all':
    case 'any':
    case 'none':
      return { ...tree, inner: tree.inner.map((each) => withGroupWord(each, word)) };
    default:
      return tree;
  }
}

function isGroupRequirement(text: string): boolean {
  return /^group\s/.test(text);
}

/**
 * Words after `Require` that take the same group names as `group` does in 2.2. The sources are the
 * manuals and the source code of the modules (directives/data/third-party.json).
 */
const WORDS_FOR_SAME_GROUP_NAMES: ReadonlySet<string> = new Set(['external-group', 'unix-group', 'wsgi-group']);
