/**
 * Words after `Require` that ask for groups of third-party modules in 2.4, such as `unix-group`. In
 * 2.2 the word was `group` for all modules.
 */
import { groupWordOf } from '../directives/third-party';
import { argumentsOf, type Line } from '../syntax/line';
import { GROUP_DIRECTIVES } from './checkers';
import type { Tree24 } from './model';

/**
 * The 2.4 word for `Require group` in a section with these lines: `unix-group` for a section with
 * `AuthzUnixgroup On`. Null if no line, or more than one, selects another module, or if the word
 * takes other names than `group` did.
 */
export function groupWord(lines: readonly Line[]): string | null {
  const owners = lines.filter(({ name }) => GROUP_DIRECTIVES.has(name));
  const [owner] = owners;
  if (owner === undefined || owners.length > 1 || argumentsOf(owner)[0]?.value.toLowerCase() === 'off') return null;
  const word = groupWordOf(owner.name);
  return word !== undefined && WORDS_WITH_SAME_NAMES.has(word) ? word : null;
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
  return WORDS_WITH_SAME_NAMES.has(word) ? word : null;
}

/** Replaces `group` in a tree by another word. */
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
 * Words that take the same names as `group` did, according to the manuals and sources in
 * directives/data/third-party.json.
 */
const WORDS_WITH_SAME_NAMES: ReadonlySet<string> = new Set(['external-group', 'unix-group', 'wsgi-group']);
