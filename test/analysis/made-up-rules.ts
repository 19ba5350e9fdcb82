/** Made-up rules, so that these tests do not depend on real rules. */
import { nameSpan, removeLine, renameDirective } from '../../server/src/rules/support/edits';
import type { LineRule, Rule, SectionRule } from '../../server/src/rules/rule';

const page = { what: '', why: '', httpd: '', fixing: '', sources: [] };
const common = { title: 'made up', url: 'https://httpd.apache.org/docs/2.4/', page, examples: [] };

/** `OldName` is `NewName`: a safe fix. */
const oldName: LineRule = {
  ...common,
  id: 'old-name',
  consequence: 'meaning changed',
  fix: 'safe',
  checks: 'line',
  names: ['oldname'],
  check: ({ line }) => [
    {
      messageId: 'old',
      what: 'OldName is called NewName.',
      ...nameSpan(line),
      fixes: [{ title: 'Rename', safety: 'safe', edits: [renameDirective(line, 'NewName')] }],
    },
  ],
};

/** `Guess` has two suggestions, and it is unknown which is right. */
const guess: LineRule = {
  ...common,
  id: 'guess',
  consequence: 'deprecated',
  fix: 'suggestion',
  checks: 'line',
  names: ['guess'],
  check: ({ line }) => [
    {
      messageId: 'guess',
      what: 'Guess.',
      ...nameSpan(line),
      fixes: ['First', 'Second'].map((name) => ({
        title: name,
        safety: 'suggestion',
        edits: [renameDirective(line, name)],
      })),
    },
  ],
};

/** All `Pair` lines of a scope become one: each is a finding, and they share a fix. */
const pair: SectionRule = {
  ...common,
  id: 'pair',
  consequence: 'will not start',
  fix: 'safe',
  checks: 'section',
  names: ['pair'],
  check({ members }) {
    const [first, ...rest] = members;
    const edits = [
      renameDirective(first.line, 'One', first.offset),
      ...rest.map(({ line, offset }) => removeLine(line, offset)),
    ];
    return members.map(({ line, offset }) => ({
      messageId: 'pair',
      what: 'Pairs are one.',
      ...nameSpan(line, offset),
      fixes: [{ title: 'Make one of them', safety: 'safe', edits }],
    }));
  },
};

/** `OldName` again, by a rule that wants the whole line gone. */
const rival: LineRule = {
  ...common,
  id: 'rival',
  consequence: 'check after the upgrade',
  fix: 'safe',
  checks: 'line',
  names: ['oldname', 'newname'],
  check: ({ line }) => [
    {
      messageId: 'gone',
      what: 'Nobody needs it.',
      ...nameSpan(line),
      fixes: [{ title: 'Remove', safety: 'safe', edits: [removeLine(line)] }],
    },
  ],
};

/** `Plain` is found, and that is all. */
const plain: LineRule = {
  ...common,
  id: 'plain',
  consequence: 'meaning changed',
  fix: 'none',
  checks: 'line',
  names: ['plain'],
  check: ({ line }) => [{ messageId: 'plain', what: 'Plain.', ...nameSpan(line) }],
};

export const RULES: readonly Rule[] = [oldName, guess, pair, plain];
export const RIVALS: readonly Rule[] = [oldName, rival];
