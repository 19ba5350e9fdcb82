/** Comments that silence a rule: where they count, and where not. */
import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';
import { RULES } from './made-up-rules';

describe('suppression comments', () => {
  silenced('above the line', '# httpd-upgrade-ignore old-name\nOldName a\n');
  silenced('above the line, with a reason', '# httpd-upgrade-ignore old-name: the vendor wants it\nOldName a\n');
  silenced('indented, with tabs', '<Directory />\n\t#\thttpd-upgrade-ignore  old-name\n\tOldName a\n</Directory>\n');
  silenced('in odd case', '# HTTPD-Upgrade-Ignore Old-NAME\noLDnAME a\n');
  silenced('several rules in one comment', '# httpd-upgrade-ignore guess , old-name,plain: all of them\nOldName a\n');
  silenced('several comments', '# httpd-upgrade-ignore old-name\n# httpd-upgrade-ignore guess\nOldName a\n');
  silenced('another comment between', '# httpd-upgrade-ignore old-name\n# what the vendor says about it\nOldName a\n');
  silenced('with CR LF', '# httpd-upgrade-ignore old-name\r\nOldName a\r\n');
  silenced('at the end of a file without a line end', 'Listen 80\n# httpd-upgrade-ignore old-name\nOldName a');
  silenced('above a continued line', '# httpd-upgrade-ignore old-name\n\\\nOldName \\\n a\n');
  silenced(
    'above a section',
    '# httpd-upgrade-ignore old-name\n<Directory />\n    Listen 80\n\n    OldName a\n</Directory>\n',
  );
  silenced(
    'above a section around the section',
    '# httpd-upgrade-ignore old-name\n<VirtualHost *>\n<Directory />\nOldName a\n</Directory>\n</VirtualHost>\n',
  );
  silenced('above a conditional', '# httpd-upgrade-ignore old-name\n<IfModule a.c>\nOldName a\n</IfModule>\n');
  silenced(
    'above a section, for a rule that looks at sections',
    '# httpd-upgrade-ignore pair\n<Directory />\nPair a\nPair b\n</Directory>\n',
  );

  unsilenced('for another rule', '# httpd-upgrade-ignore plain\nOldName a\n');
  unsilenced('for a rule whose name only starts alike', '# httpd-upgrade-ignore old-name-2\nOldName a\n');
  unsilenced('with a blank line between', '# httpd-upgrade-ignore old-name\n\nOldName a\n');
  unsilenced('with a directive between', '# httpd-upgrade-ignore old-name\nListen 80\nOldName a\n');
  unsilenced('below the line', 'OldName a\n# httpd-upgrade-ignore old-name\n');
  unsilenced('on the line itself, where httpd knows no comments', 'OldName a # httpd-upgrade-ignore old-name\n');
  unsilenced('behind the section', '# httpd-upgrade-ignore old-name\n<Directory />\n</Directory>\nOldName a\n');
  unsilenced(
    'at the end of the section before',
    '<Directory />\n# httpd-upgrade-ignore old-name\n</Directory>\nOldName a\n',
  );
  unsilenced(
    'inside the section, for its neighbours',
    '<Directory />\n# httpd-upgrade-ignore old-name\nListen 80\nOldName a\n</Directory>\n',
  );
  unsilenced('without a rule', '# httpd-upgrade-ignore\nOldName a\n');
  unsilenced('in a comment that only mentions it', '# see httpd-upgrade-ignore old-name\nOldName a\n');

  it('silence the line they stand above and no other', () => {
    same(annotated('# httpd-upgrade-ignore old-name\nOldName a\nOldName b\n', { rules: RULES }), [
      '# httpd-upgrade-ignore old-name',
      'OldName a',
      'OldName b',
      '#^^^^^^ warning old-name/old safe',
      '',
    ]);
  });

  it('keep a line from being fixed', () => {
    assert.equal(
      fixed('# httpd-upgrade-ignore old-name\nOldName a\nOldName b\n', { rules: RULES }),
      '# httpd-upgrade-ignore old-name\nOldName a\nNewName b\n',
    );
  });

  it("keep a line from being changed by a neighbour's fix", () => {
    const text = '<Directory />\nPair a\n# httpd-upgrade-ignore pair\nPair b\n</Directory>\n';
    assert.equal(fixed(text, { rules: RULES, unsafe: true }), text);
    same(annotated(text, { rules: RULES }), [
      '<Directory />',
      'Pair a',
      '#^^^ error pair/pair none',
      '# httpd-upgrade-ignore pair',
      'Pair b',
      '</Directory>',
      '',
    ]);
  });
});

function silenced(title: string, text: string): void {
  it(`count ${title}`, () => assert.deepEqual(idsIn(text), []));
}

function unsilenced(title: string, text: string): void {
  it(`do not count ${title}`, () => assert.deepEqual(idsIn(text), ['old-name']));
}

function idsIn(text: string): string[] {
  return findingsIn(text, { rules: RULES }).map((finding) => finding.rule.id);
}

function same(actual: string, expected: readonly string[]): void {
  assert.deepEqual(actual.split('\n'), expected);
}
