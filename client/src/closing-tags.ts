/** A section that is typed by hand gets its closing tag, as one from completion has. */
import * as vscode from 'vscode';
import { closingTag, MOST_LINES } from './closing-tag';
import { LANGUAGE } from './language';

export function closingTags(): vscode.Disposable {
  return vscode.workspace.onDidChangeTextDocument(({ document, contentChanges: [change, ...others], reason }) => {
    const editor = vscode.window.activeTextEditor;
    if (document.languageId !== LANGUAGE || editor?.document !== document || change?.text !== '>' || others.length > 0 || reason !== undefined || editor.selections.length > 1) return;
    const { line, character } = change.range.start;
    const { text } = document.lineAt(line);
    const last = Math.min(document.lineCount, line + 1 + MOST_LINES);
    const below = Array.from({ length: last - line - 1 }, (_, index) => document.lineAt(line + 1 + index).text);
    const tag = closingTag({ before: text.slice(0, character + 1), after: text.slice(character + 1), below, isAll: last === document.lineCount });
    if (tag !== null) void editor.insertSnippet(new vscode.SnippetString(`$0\n${tag}`), new vscode.Position(line, character + 1), { undoStopBefore: false, undoStopAfter: true });
  });
}
