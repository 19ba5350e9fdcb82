/** The lightbulb of the editor with the plan view. */
import assert from 'node:assert/strict';
import type { CodeAction } from 'vscode-languageserver-types';
import { fewerActions } from '../../server/src/features/fewer-actions';

const action = (title: string, rule: string, more: Partial<CodeAction> = {}): CodeAction => ({
  title,
  kind: 'quickfix',
  diagnostics: [
    { range: { start: { line: 4, character: 0 }, end: { line: 4, character: 5 } }, message: '', code: rule },
  ],
  edit: {},
  ...more,
});
const ACCESS = 'order-allow-deny';
const SECTION = [
  action('Convert these 3 sections (2 files)…', ACCESS, {
    edit: undefined,
    command: { title: '', command: 'httpdUpgrade.convertAccess' },
  }),
  action('Keep both versions', ACCESS),
  action('Fix all 3 "order-allow-deny" problems in this file', ACCESS),
  action('Convert all access control of this configuration…', ACCESS, {
    edit: undefined,
    command: { title: '', command: 'httpdUpgrade.convertConfiguration' },
  }),
  action('Explain "order-allow-deny"', ACCESS, {
    edit: undefined,
    command: { title: 'Explain', command: 'httpdUpgrade.showRule' },
  }),
  action('Ignore "order-allow-deny" in this <Directory> with a comment', ACCESS),
  action('Ignore "order-allow-deny" here with a comment', ACCESS),
];
const titles = (actions: readonly CodeAction[], isPlanned: boolean) =>
  fewerActions(actions, { uri: 'file:///a', line: 4, isPlanned }).map(({ title }) => title);

describe('fewer code actions', () => {
  it('of an access section of a configuration are its conversion, its explanation, the plan, and to ignore it, the last', () =>
    assert.deepEqual(titles(SECTION, true), [
      'Convert these 3 sections (2 files)…',
      'Keep both versions',
      'Explain "order-allow-deny"',
      'Open in the upgrade plan',
      'Ignore "order-allow-deny"…',
    ]));
  it('leave a lone file its ways', () =>
    assert.deepEqual(titles(SECTION, false), [
      'Convert these 3 sections (2 files)…',
      'Keep both versions',
      'Fix all 3 "order-allow-deny" problems in this file',
      'Convert all access control of this configuration…',
      'Explain "order-allow-deny"',
      'Ignore "order-allow-deny"…',
    ]));
  it('have one entry for each rule to silence, which asks where', () => {
    const [first, second, ...others] = fewerActions(
      [
        action('Ignore "a" here with a comment', 'a'),
        action('Ignore "b" here with a comment', 'b'),
        action('Ignore "a" in this <Files> with a comment', 'a'),
      ],
      { uri: 'file:///a', line: 4, isPlanned: true },
    );
    assert.deepEqual(
      [first.command?.arguments, second.command?.arguments, others],
      [['file:///a', 4, 'a'], ['file:///a', 4, 'b'], []],
    );
  });
  it('keep what is about another rule', () =>
    assert.deepEqual(
      titles(
        [
          action('Rename MaxClients to MaxRequestWorkers', 'max-clients'),
          action('Explain "max-clients"', 'max-clients'),
        ],
        true,
      ),
      ['Rename MaxClients to MaxRequestWorkers', 'Explain "max-clients"'],
    ));
});
