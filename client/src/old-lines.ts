/**
 * Underlines the related lines of a problem, such as Allow and Deny for a problem that is reported
 * at Order. So the list of problems has one entry, and the editor still marks all lines. Other
 * editors show them as related information.
 */
import * as vscode from 'vscode';
import { LANGUAGE, SAME_PROBLEM_MESSAGE, DIAGNOSTIC_SOURCE } from './language';

/** Underlines the related lines in all visible editors, and keeps the underlines current. */
export function underlineRelatedLines(): vscode.Disposable {
  const decorationTypes = new Map(
    (
      [
        vscode.DiagnosticSeverity.Error,
        vscode.DiagnosticSeverity.Warning,
        vscode.DiagnosticSeverity.Information,
      ] as const
    ).map((severity) => [severity, underlineDecoration(SEVERITY_NAMES[severity])] as const),
  );
  const showRelatedLines = (editor: vscode.TextEditor) => {
    if (editor.document.languageId !== LANGUAGE) return;
    const relatedLines = relatedLinesIn(editor.document.uri);
    for (const [severity, type] of decorationTypes)
      editor.setDecorations(
        type,
        relatedLines.filter((each) => each.severity === severity),
      );
  };
  vscode.window.visibleTextEditors.forEach(showRelatedLines);
  return vscode.Disposable.from(
    ...decorationTypes.values(),
    vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach(showRelatedLines)),
    vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      const changedUris = new Set(uris.map(String));
      for (const editor of vscode.window.visibleTextEditors)
        if (changedUris.has(editor.document.uri.toString())) showRelatedLines(editor);
    }),
  );
}

// ---------------------------------------------------------------------------------------------------------------------

interface RelatedLine extends vscode.DecorationOptions {
  readonly severity: vscode.DiagnosticSeverity;
}

const SEVERITY_NAMES = {
  [vscode.DiagnosticSeverity.Error]: 'error',
  [vscode.DiagnosticSeverity.Warning]: 'warning',
  [vscode.DiagnosticSeverity.Information]: 'info',
} as const;

/** An underline that looks like the editor's own for problems, in the colours of the theme. */
function underlineDecoration(severityName: 'error' | 'warning' | 'info'): vscode.TextEditorDecorationType {
  const colour = `var(--vscode-editor${severityName[0]!.toUpperCase()}${severityName.slice(1)}-foreground)`;
  return vscode.window.createTextEditorDecorationType({
    textDecoration: `underline 1px wavy ${colour}; text-decoration-skip-ink: none`,
    overviewRulerColor: new vscode.ThemeColor(`editorOverviewRuler.${severityName}Foreground`),
    overviewRulerLane: vscode.OverviewRulerLane.Right,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
}

/** The related lines of all our problems in a file. */
function relatedLinesIn(uri: vscode.Uri): RelatedLine[] {
  const fileUri = uri.toString();
  return vscode.languages.getDiagnostics(uri).flatMap(({ source, severity, range, relatedInformation = [] }) =>
    source !== DIAGNOSTIC_SOURCE
      ? []
      : relatedInformation
          .filter(({ location, message }) => message === SAME_PROBLEM_MESSAGE && location.uri.toString() === fileUri)
          .map(
            ({ location }): RelatedLine => ({
              range: location.range,
              severity,
              hoverMessage: `Belongs to the problem in line ${range.start.line + 1}.`,
            }),
          ),
  );
}
