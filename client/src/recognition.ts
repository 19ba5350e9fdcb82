/**
 * Recognizes httpd configuration in files whose names do not show it: any `.conf`, the files in
 * `sites-available`. Checks a file once, when it is opened as plain text or in another default
 * language. A language that the user has chosen stays.
 */
import * as vscode from 'vscode';
import { isHttpdPath, isOpenBsdHttpd, looksLikeHttpd, mayBeOpenBsd } from '../../server/src/directives/recognize';
import { LANGUAGE } from './language';
import type { PlanStore } from './plan';

/**
 * The languages that the editor itself gives to files that may be httpd configuration. Any other
 * language was chosen by the user.
 */
const DEFAULT_LANGUAGES = new Set(['plaintext', 'properties', 'ini']);

/** Gives our language to the documents that are httpd configuration, now and when one is opened. */
export function registerRecognition(planStore: PlanStore): vscode.Disposable {
  // The documents that were checked. A document object stays the same if its language changes. If
  // its file is opened again, the editor makes a new object.
  const checkedDocuments = new WeakSet<vscode.TextDocument>();
  const recognize = (document: vscode.TextDocument): void => {
    // The manifest assigns this name to our language, but the httpd of OpenBSD, another server, has
    // a file of the same name.
    if (document.languageId === LANGUAGE && !checkedDocuments.has(document) && isOfOpenBsd(document)) {
      checkedDocuments.add(document);
      return void vscode.languages.setTextDocumentLanguage(document, 'plaintext');
    }
    if (!DEFAULT_LANGUAGES.has(document.languageId) || checkedDocuments.has(document)) return;
    checkedDocuments.add(document);
    if (mayBeHttpd(document)) void vscode.languages.setTextDocumentLanguage(document, LANGUAGE);
  };
  vscode.workspace.textDocuments.forEach(recognize);
  // Checks the open files again: a configuration may now include a file, whatever its name is, and
  // an empty file may now have text.
  const recognizeIncluded = (): void => {
    const includedUris = new Set(
      planStore.reply?.configurations.flatMap(({ uri, includes }) =>
        uri === null ? [] : includes.map((row) => vscode.Uri.parse(row.uri).toString()),
      ),
    );
    for (const document of vscode.workspace.textDocuments) {
      if (
        !DEFAULT_LANGUAGES.has(document.languageId) ||
        !includedUris.has(document.uri.toString()) ||
        isAssociatedByUser(document)
      )
        continue;
      // The plan may be from a moment in which the file had our language only because of its name.
      if (isOfOpenBsd(document)) continue;
      void vscode.languages.setTextDocumentLanguage(document, LANGUAGE);
    }
  };
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument((document) => {
      recognize(document);
      recognizeIncluded();
    }),
    planStore.onDidChange(recognizeIncluded),
  );
}

/** Whether a document is a configuration of the httpd of OpenBSD, which is another server. */
function isOfOpenBsd(document: vscode.TextDocument): boolean {
  return mayBeOpenBsd(document.uri.path) && isOpenBsdHttpd(document.getText());
}

/** Whether a document looks like httpd configuration, and the user gave it no other language. */
function mayBeHttpd(document: vscode.TextDocument): boolean {
  if (isOfOpenBsd(document)) return false;
  const isHttpd = isHttpdPath(document.uri.path) ?? looksLikeHttpd(document.getText());
  return isHttpd && !isAssociatedByUser(document);
}

/**
 * Whether the user's settings give the file this language: `"files.associations": { "*.conf": "ini"
 * }`.
 */
function isAssociatedByUser(document: vscode.TextDocument): boolean {
  const associations = vscode.workspace
    .getConfiguration('files', document.uri)
    .get<Record<string, string>>('associations', {});
  return Object.entries(associations).some(([glob, language]) => {
    const pattern = glob.includes('/') ? glob : `**/${glob}`;
    return language === document.languageId && vscode.languages.match({ pattern }, document) > 0;
  });
}
