/** Findings of a file: in order, in a range, up to a limit, with the severities of the settings. */
import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { findingsIn } from '../support/rules';
import { RULES } from './made-up-rules';

/** Findings of lines, of sections, and of the file as a whole, mixed. */
const TEXT = [
  'Pair 1',
  'OldName 2',
  '<VirtualHost *>',
  'Plain 4',
  'Pair 5',
  '<Directory />',
  'OldName 7',
  'Pair 8',
  '</Directory>',
  'Pair 10',
  '</VirtualHost>',
  '<IfModule a.c>',
  'Pair 13',
  'Guess 14',
  '</IfModule>',
  'Pair 16',
  'OldName 17',
].join('\n');

describe('findings', () => {
  it('end at or after their start, also of nothing between two joined lines', () => {
    for (const text of [
      'RewriteCond expr "\\\n"\nRewriteRule a b\n',
      '<If "\\\n">\n</If>\n',
      'SetEnvIfExpr "\\\n" a\n',
    ]) {
      const all = [...new Engine({ rules: ALL_RULES }).analyze(Tree.parse(text), { isHtaccess: false }).findings()];
      for (const { start, end } of all) assert.ok(start <= end, text);
    }
  });

  it('stand in the order of the text, whatever kind of rule found them', () => {
    assert.deepEqual(found(), [
      'Pair 1',
      'OldName 2',
      'Plain 4',
      'Pair 5',
      'OldName 7',
      'Pair 8',
      'Pair 10',
      'Pair 13',
      'Guess 14',
      'Pair 16',
      'OldName 17',
    ]);
  });

  for (const limit of [0, 1, 2, 5, 10, 11, 12]) {
    it(`stop after the first ${limit} when no more are asked for`, () =>
      assert.deepEqual(found(limit), found().slice(0, limit)));
  }

  it('of a range are those that overlap or touch it', () => {
    const all = analysis().findings();
    for (let from = 0; from <= TEXT.length; from += 3) {
      for (let to = from; to <= TEXT.length; to += 7) {
        const expected = all.filter((finding) => finding.start <= to && finding.end >= from).map(lineOf);
        assert.deepEqual(analysis().findings(Infinity, from, to).map(lineOf), expected, `${from} to ${to}`);
      }
    }
  });

  it('have the severity that the settings give their rule', () => {
    const severities = { pair: 'hint', 'old-name': 'off' } as const;
    const seen = findingsIn('Pair a\nOldName b\nPlain c\n', { rules: RULES, severities });
    assert.deepEqual(
      seen.map(({ rule, severity }) => `${rule.id} ${severity}`),
      ['pair hint', 'plain warning'],
    );
  });

  it('are not in what the target never reads', () => {
    assert.deepEqual(
      findingsIn('<IfVersion < 2.4>\nOldName a\n</IfVersion>\n<Perl>\nOldName b\n</Perl>\n', { rules: RULES }),
      [],
    );
  });

  it('of a section are those of its tags, of its own, and of its body, whichever of them it has', () => {
    const access = 'Order allow,deny\nDeny from all\n';
    const inBody = 'DefaultType text/plain\n';
    for (const open of ['/srv', '/srv extra']) {
      for (const close of ['', ' x']) {
        for (const body of ['', access, inBody, access + inBody]) {
          const expected = [
            ...(open === '/srv' ? [] : ['invalid-value']),
            ...(body.startsWith(access) ? ['order-allow-deny'] : []),
            ...(body.endsWith(inBody) ? ['default-type'] : []),
            ...(close === '' ? [] : ['section-unpaired']),
          ];
          const text = `<Directory ${open}>\n${body}</Directory${close}>\n`;
          assert.deepEqual(
            findingsIn(text).map(({ rule }) => rule.id),
            expected,
            text,
          );
        }
      }
    }
  });

  it('know where their lines begin, also without the first of them', () => {
    for (const comment of ['', '    # httpd-upgrade-ignore order-allow-deny: reason\n']) {
      const text = `\n<Directory /srv>\n${comment}    Order \\\n  allow,deny\n\tAllow from \\\n192.0.2.1\n  Deny from 192.0.2.7\n</Directory>\n`;
      const tree = Tree.parse(text);
      const [finding, ...others] = findingsIn(text).filter(({ rule }) => rule.id === 'order-allow-deny');
      assert.ok(finding && others.length === 0);
      const lines: number[] = [];
      finding.firstResultOfLines(tree, (line) => (lines.push(line), null));
      const expected = ['Order', '\tAllow', '  Deny'].slice(comment === '' ? 0 : 1);
      assert.deepEqual(
        lines.map((line) => text.slice(line).trimStart().split(' ')[0]),
        expected.map((name) => name.trim()),
      );
      for (const line of lines) assert.equal(tree.lineAt(line)!.offset, line);
    }
  });

  it('do not come from a section that is never closed twice', () => {
    assert.equal(findingsIn('<Directory />\nOldName a\nPair b\n', { rules: RULES }).length, 2);
  });
});

function analysis() {
  return new Engine({ rules: RULES }).analyze(Tree.parse(TEXT), { isHtaccess: false });
}

function found(limit?: number): string[] {
  return analysis().findings(limit).map(lineOf);
}

function lineOf({ start }: { start: number }): string {
  return TEXT.slice(start).split('\n')[0];
}
