/**
 * Recognizes httpd configuration among files whose name does not show it: any `.conf`, the files in
 * `sites-available`. Checks a file once when it is opened as plain text or properties; a language
 * chosen by the user stays.
 */
import * as vscode from 'vscode';
import { isHttpdPath, isOpenBsdHttpd, looksLikeHttpd, mayBeOpenBsd } from '../../server/src/directives/recognize';
import { LANGUAGE } from './language';
import type { Plans } from './plan';

/**
 * The languages that the editor uses for such files by default. Other languages were chosen on
 * purpose and stay.
 */
const FALLBACKS = new Set(['plaintext', 'properties', 'ini']);

export function recognizeDocuments(plans: Plans): vscode.Disposable {
  // A document object stays the same when its language changes, and is new when its file is opened
  // again.
  const seen = new WeakSet<vscode.TextDocument>();
  const recognize = (document: vscode.TextDocument): void => {
    // The manifest claims the name, but OpenBSD's httpd has a file of the same name.
    if (document.languageId === LANGUAGE && !seen.has(document) && isOfOpenBsd(document)) {
      seen.add(document);
      return void vscode.languages.setTextDocumentLanguage(document, 'plaintext');
    }
    if (!FALLBACKS.has(document.languageId) || seen.has(document)) return;
    seen.add(document);
    if (isHttpd(document)) void vscode.languages.setTextDocumentLanguage(document, LANGUAGE);
  };
  vscode.workspace.textDocuments.forEach(recognize);
  // A file that a configuration reads is httpd's, whatever its name; and a file that was empty when
  // opened may have content now.
  const lookAgain = (): void => {
    const read = new Set(
      plans.answer?.configurations.flatMap(({ uri, includes }) =>
        uri === null ? [] : includes.map((row) => vscode.Uri.parse(row.uri).toString()),
      ),
    );
    for (const document of vscode.workspace.textDocuments) {
      if (!FALLBACKS.has(document.languageId) || !read.has(document.uri.toString()) || isAssociated(document)) continue;
      void vscode.languages.setTextDocumentLanguage(document, LANGUAGE);
    }
  };
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument((document) => {
      recognize(document);
      lookAgain();
    }),
    plans.onDidChange(lookAgain),
  );
}

function isOfOpenBsd(document: vscode.TextDocument): boolean {
  return mayBeOpenBsd(document.uri.path) && isOpenBsdHttpd(document.getText());
}

function isHttpd(document: vscode.TextDocument): boolean {
  if (isOfOpenBsd(document)) return false;
  const claimed = isHttpdPath(document.uri.path) ?? looksLikeHttpd(document.getText());
  return claimed && !isAssociated(document);
}

/**
 * Whether the settings assign this language to the file: `"files.associations": { "*.conf": "ini"
 * }`.
 */
function isAssociated(document: vscode.TextDocument): boolean {
  const associations = vscode.workspace
    .getConfiguration('files', document.uri)
    .get<Record<string, string>>('associations', {});
  return Object.entries(associations).some(([glob, language]) => {
    const pattern = glob.includes('/') ? glob : `**/${glob}`;
    return language === document.languageId && vscode.languages.match({ pattern }, document) > 0;
  });
}
