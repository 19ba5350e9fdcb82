/** Diagnostics of the protocol. */
import assert from 'node:assert/strict';
import { DiagnosticSeverity, DiagnosticTag, type Diagnostic } from 'vscode-languageserver-types';
import { diagnostics } from '../../server/src/features/diagnostics';
import { RULES } from '../analysis/made-up-rules';
import { analysisOf, marked, textOf } from './support';

describe('diagnostics', () => {
  it('have the range, the rule, a link, and what the lightbulb will know of them', () => {
    const { tree } = marked('# 😀\r\n  OldName a\r\n');
    const [found] = shown('# 😀\r\n  OldName a\r\n');
    assert.equal(textOf(tree, found.range), 'OldName');
    assert.deepEqual(
      { ...found, range: null },
      {
        range: null,
        severity: DiagnosticSeverity.Warning,
        code: 'old-name',
        codeDescription: { href: 'https://httpd-upgrade.github.io/httpd-upgrade/rules/old-name.html' },
        source: 'httpd-upgrade',
        message: 'OldName is called NewName.\n\nhttpd 2.4 treats it differently.',
        tags: undefined,
        data: { message: 'old', fix: 'safe' },
      },
    );
  });

  it('have the severity of their rule', () => {
    assert.deepEqual(
      shown('Pair a\nOldName b\nGuess c\n').map(({ severity }) => severity),
      [DiagnosticSeverity.Error, DiagnosticSeverity.Warning, DiagnosticSeverity.Information],
    );
  });

  it('mark what is deprecated', () => {
    const { tree } = marked('MaxClients 1\n');
    assert.deepEqual(
      diagnostics(analysisOf(tree).analysis, 10).map(({ tags }) => tags),
      [[DiagnosticTag.Deprecated]],
    );
  });

  it('stop at the limit, and say so where it stops', () => {
    const text = 'OldName a\n'.repeat(4);
    const all = shown(text, 3);
    assert.deepEqual(
      all.map(({ code }) => code),
      ['old-name', 'old-name', 'old-name', undefined],
    );
    const last = all[3];
    assert.equal(
      last.message,
      'There are more problems further down. Only the first 3 are shown: that is the setting httpdUpgrade.maxFindings.',
    );
    assert.deepEqual([last.range.start, last.range.end], [all[2].range.end, all[2].range.end]);
  });

  it('say nothing of more where there are no more', () => {
    assert.equal(shown('OldName a\n'.repeat(3), 3).length, 3);
    assert.equal(
      shown(`${'OldName a\n'.repeat(3)}# httpd-upgrade-ignore old-name\nOldName b\n`, 3).length,
      3,
      'silenced ones are not there to be shown',
    );
  });
});

function shown(text: string, limit = 1000): Diagnostic[] {
  return diagnostics(analysisOf(marked(text).tree, { rules: RULES }).analysis, limit);
}
