/** The lightbulb: its actions at a position, and the resulting text. */
import assert from 'node:assert/strict';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { CodeAction, TextDocumentEdit } from 'vscode-languageserver-types';
import { codeActions } from '../../server/src/features/code-actions';
import { RULES } from '../analysis/made-up-rules';
import { analysisOf, marked, textOf, URI } from './support';

const IGNORE = 'Ignore "old-name" here with a comment';

describe('code actions', () => {
  it('are none where there is nothing', () => {
    assert.deepEqual(titles('OldName a\nListen $080\n'), []);
    assert.deepEqual(titles('$0'), []);
  });

  it('offer the fix, to ignore it, and to explain it', () => {
    assert.deepEqual(titles('Old$0Name a\n'), ['Rename', IGNORE, 'Explain "old-name"']);
  });

  it('reach from the first character to behind the last', () => {
    for (const source of ['$0OldName a\n', 'OldName$0 a\n', '$0Listen 80\nOldName a$0\n'])
      assert.ok(titles(source).includes('Rename'), source);
    assert.deepEqual(titles('OldName a$0\n'), []);
  });

  it('apply the fix and nothing else', () => becomes('OldName a\nOl$0dName b\n', 'Rename', 'OldName a\nNewName b\n'));

  it('prefer a safe fix and never a guess', () => {
    assert.deepEqual(
      actions('Old$0Name a\n')
        .filter((action) => action.isPreferred)
        .map(({ title }) => title),
      ['Rename'],
    );
    assert.deepEqual(
      actions('Gu$0ess a\n').filter((action) => action.isPreferred),
      [],
    );
    assert.deepEqual(titles('Gu$0ess a\n').slice(0, 2), ['First', 'Second']);
  });

  it('offer a fix that several findings share once, for all of them', () => {
    const [fix, ...rest] = actions('<Files x>\n$0Pair a\nPair b$0\n</Files>\n');
    assert.deepEqual([fix.title, fix.diagnostics?.length], ['Make one of them', 2]);
    assert.ok(rest.every(({ title }) => title !== fix.title));
    becomes('<Files x>\n$0Pair a\nPair b\n</Files>\n', fix.title, '<Files x>\nOne a\n</Files>\n');
  });

  it('carry the diagnostics that they are about', () => {
    const { tree } = marked('OldName a\n');
    for (const action of actions('$0OldName a\n')) {
      assert.equal(action.diagnostics?.length, 1, action.title);
      assert.equal(textOf(tree, action.diagnostics![0].range), 'OldName');
    }
  });

  it('are quick fixes, and for the version of the document', () => {
    for (const action of actions('$0OldName a\nOldName b\n')) {
      assert.equal(action.kind, 'quickfix');
      const [change] = (action.edit?.documentChanges ?? []) as TextDocumentEdit[];
      assert.ok(action.command || (change.textDocument.uri === URI && change.textDocument.version === 7));
    }
  });

  it('explain by a command with the name of the rule', () => {
    const explain = actions('$0OldName a\n').find(({ title }) => title.startsWith('Explain'))!;
    assert.deepEqual(
      [explain.edit, explain.command?.command, explain.command?.arguments],
      [undefined, 'httpdUpgrade.showRule', ['old-name']],
    );
  });

  describe('fix all of a rule', () => {
    it('is offered where there are several', () => {
      assert.ok(titles('$0OldName a\nOldName b\n').includes('Fix all 2 "old-name" problems in this file'));
      assert.ok(!titles('$0OldName a\nGuess b\n').some((title) => title.startsWith('Fix')));
    });

    it('fixes all of it and nothing of others', () => {
      becomes(
        'OldName a\nGuess b\nPair c\nOld$0Name d\n',
        'Fix all 2 "old-name" problems in this file',
        'NewName a\nGuess b\nPair c\nNewName d\n',
      );
    });

    it('leaves out what is silenced', () => {
      const source = 'OldName a\n# httpd-upgrade-ignore old-name\nOldName b\n$0OldName c\n';
      becomes(
        source,
        'Fix all 2 "old-name" problems in this file',
        'NewName a\n# httpd-upgrade-ignore old-name\nOldName b\nNewName c\n',
      );
    });

    it('is not offered for guesses', () =>
      assert.ok(!titles('$0Guess a\nGuess b\n').some((title) => title.startsWith('Fix'))));

    it('says how many where only some can be fixed safely', () => {
      const source =
        '<Files x>\n$0Pair a\nPair b\n</Files>\n<Files y>\nPair c\n</Files>\n<Files z>\nPair d\n# httpd-upgrade-ignore pair\nPair e\n</Files>\n';
      assert.ok(
        titles(source).includes('Fix the 3 of 4 safely fixable "pair" problems in this file'),
        titles(source).join(', '),
      );
    });
  });

  describe('ignore', () => {
    it('puts a comment on its own line above', () =>
      becomes('Listen 80\nOld$0Name a\n', IGNORE, 'Listen 80\n# httpd-upgrade-ignore old-name: reason\nOldName a\n'));

    it('indents it like the line, and ends it like the file', () => {
      becomes(
        '<If x>\r\n\t  Old$0Name a\\\r\n  b\r\n</If>\r\n',
        IGNORE,
        '<If x>\r\n\t  # httpd-upgrade-ignore old-name: reason\r\n\t  OldName a\\\r\n  b\r\n</If>\r\n',
      );
      becomes('Listen 80\r\nOld$0Name a', IGNORE, 'Listen 80\r\n# httpd-upgrade-ignore old-name: reason\r\nOldName a');
      becomes('Old$0Name a', IGNORE, '# httpd-upgrade-ignore old-name: reason\nOldName a');
    });

    it('stands above each of the lines that are selected', () => {
      becomes(
        '$0OldName a\nListen 80\nOldName b$0\nOldName c\n',
        IGNORE,
        [
          '# httpd-upgrade-ignore old-name: reason',
          'OldName a',
          'Listen 80',
          '# httpd-upgrade-ignore old-name: reason',
          'OldName b',
          'OldName c',
          '',
        ].join('\n'),
      );
    });

    it('can be for the section', () => {
      becomes(
        '  <FilesMatch x>\n    Old$0Name a\n  </FilesMatch>\n',
        'Ignore "old-name" in this <FilesMatch> with a comment',
        '  # httpd-upgrade-ignore old-name: reason\n  <FilesMatch x>\n    OldName a\n  </FilesMatch>\n',
      );
    });

    it('offers the section first where lines are looked at together', () => {
      const ignore = (source: string) => titles(source).filter((title) => title.startsWith('Ignore'));
      assert.deepEqual(ignore('<Files x>\n$0Pair a\n</Files>\n'), [
        'Ignore "pair" in this <Files> with a comment',
        'Ignore "pair" here with a comment',
      ]);
      assert.deepEqual(ignore('<Files x>\n$0OldName a\n</Files>\n'), [
        IGNORE,
        'Ignore "old-name" in this <Files> with a comment',
      ]);
    });

    it('takes the section whose affair it is, through conditionals', () => {
      const source =
        '<VirtualHost *>\n<Directory />\n<IfModule a.c>\n$0Pair a\n</IfModule>\n</Directory>\n</VirtualHost>\n';
      assert.ok(titles(source).includes('Ignore "pair" in this <Directory> with a comment'));
      assert.ok(!titles('<IfModule a.c>\n$0Pair a\n</IfModule>\n').some((title) => title.includes(' in this <')));
    });

    it('does what it says', () => {
      for (const source of ['$0OldName a', '<If x>\n\tOld$0Name a\n</If>', '<Files x>\nPa$0ir a\nPair b\n</Files>']) {
        const [first] = titles(source).filter((title) => title.startsWith('Ignore'));
        const text = apply(source, first);
        assert.deepEqual(analysisOf(marked(text).tree, { rules: RULES }).analysis.findings(), [], text);
      }
    });
  });

  describe('source.fixAll', () => {
    const source = '$0OldName a\r\nGuess b\r\nPair c\r\nPair d\r\n';

    it('is there where it is asked for by kind, and only there', () => {
      for (const only of ['source.fixAll.httpdUpgrade', 'source.fixAll', 'source']) {
        assert.deepEqual(
          actions(source, [only]).map(({ title, kind }) => [title, kind]),
          [['Apply all safe fixes of httpd-upgrade', 'source.fixAll.httpdUpgrade']],
          only,
        );
      }
      assert.ok(actions(source).every(({ kind }) => kind === 'quickfix'));
      for (const only of ['source.fixAll.eslint', 'source.organizeImports', 'refactor'])
        assert.deepEqual(actions(source, [only]), [], only);
      assert.ok(actions(source, ['quickfix']).length > 0);
    });

    it('takes safe fixes only, of the whole file', () => {
      assert.equal(
        apply(source, 'Apply all safe fixes of httpd-upgrade', ['source.fixAll']),
        'NewName a\r\nGuess b\r\nOne c\r\n',
      );
    });

    it('is not there where nothing is to be done', () => {
      for (const text of ['$0', '$0Guess a\n', '# httpd-upgrade-ignore old-name\n$0OldName a\n'])
        assert.deepEqual(actions(text, ['source.fixAll']), []);
    });
  });
});

// ---------------------------------------------------------------------------------------------------------------------

/** The actions between the first mark and the last. */
function actions(source: string, only?: string[]): CodeAction[] {
  const { tree, at } = marked(source);
  const range = { start: tree.positionAt(at[0]), end: tree.positionAt(at[at.length - 1]) };
  return codeActions({
    uri: URI,
    version: 7,
    range,
    requestedKinds: only,
    fileInfo: { isHtaccess: false },
    ...analysisOf(tree, { rules: RULES }),
  });
}

function titles(source: string): string[] {
  return actions(source).map(({ title }) => title);
}

function becomes(source: string, title: string, expected: string): void {
  assert.equal(apply(source, title), expected);
}

function apply(source: string, title: string, only?: string[]): string {
  const action = actions(source, only).find((candidate) => candidate.title === title);
  assert.ok(
    action,
    `${title} is not among: ${actions(source, only)
      .map((candidate) => candidate.title)
      .join(', ')}`,
  );
  const [change] = action.edit!.documentChanges as TextDocumentEdit[];
  return TextDocument.applyEdits(TextDocument.create(URI, 'apacheconf', 1, marked(source).text), change.edits as never);
}
