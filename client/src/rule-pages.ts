/**
 * Shows the page of a rule as a Markdown preview. The server has the text, which is the same as in
 * docs/rules.
 */
import * as vscode from 'vscode';
import { Requests } from './language';
import type { Server } from './server';

const PAGE_SCHEME = 'httpd-upgrade';

/** Registers the command that shows a rule, and the documents with the pages of the rules. */
export function registerRulePages(server: Server): vscode.Disposable {
  const pageProvider: vscode.TextDocumentContentProvider = {
    async provideTextDocumentContent(uri) {
      const rule = uri.path.slice(1).replace(/\.md$/, '');
      const page = await server.request<{ title: string; markdown: string } | null>(Requests.rulePage, { rule });
      return page?.markdown ?? `There is no rule named “${rule}”.\n`;
    },
  };
  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(PAGE_SCHEME, pageProvider),
    vscode.commands.registerCommand('httpdUpgrade.showRule', async (rule?: unknown) => {
      const ruleId = typeof rule === 'string' ? rule : await chooseRule(server);
      if (ruleId !== undefined) await showPage(ruleId);
    }),
  );
}

/** Lets the user choose a rule, and returns its id; undefined if the user cancels. */
async function chooseRule(server: Server): Promise<string | undefined> {
  const rules = server.request<{ id: string; title: string }[]>(Requests.rules, {});
  const ruleItems = rules.then((allRules) => allRules.map(({ id, title }) => ({ label: id, description: title })));
  const chosenItem = await vscode.window.showQuickPick(ruleItems, {
    placeHolder: 'Which rule?',
    matchOnDescription: true,
  });
  return chosenItem?.label;
}

async function showPage(rule: string): Promise<void> {
  const uri = vscode.Uri.from({ scheme: PAGE_SCHEME, path: `/${rule}.md` });
  try {
    await vscode.commands.executeCommand('markdown.showPreview', uri);
  } catch {
    // If the editor's Markdown extension is disabled, the source text is shown.
    await vscode.window.showTextDocument(uri, { preview: true });
  }
}
