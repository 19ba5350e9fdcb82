/**
 * The command *Verify*: the httpd 2.4 of the user checks the configuration (`httpd -t`), only in
 * trusted workspaces and only on command; no server is started. Shows the messages of httpd at
 * their lines. If no program can be run, offers a command to run on the server.
 */
import * as vscode from 'vscode';
import type { PlacedMessage, VerifyReply } from '../../server/src/lsp/verify';
import { Requests, NAME_PREFIX } from './language';
import type { PlanStore } from './plan';
import { countWithNoun, type PlanItem } from './plan-items';
import { isCancelled, type Server } from './server';

const HTTPD_SETTING = 'verify.command';
const DIAGNOSTIC_SOURCE = 'httpd -t';

/** Registers the commands that verify a configuration, or copy the command for the server. */
export function registerVerification(server: Server, planStore: PlanStore): vscode.Disposable {
  const diagnostics = vscode.languages.createDiagnosticCollection(DIAGNOSTIC_SOURCE);
  /**
   * The main file of an item of the plan view. Without an item: the only main file, or the one that
   * the user chooses. Undefined if there is none.
   */
  const chooseMainFile = async (item: unknown): Promise<vscode.Uri | undefined> => {
    const subject = (item as PlanItem | undefined)?.subject;
    if (subject && 'root' in subject && subject.root !== null) return vscode.Uri.parse(subject.root);
    const planReply = planStore.reply ?? (await planStore.requestWithProgress());
    if (!planReply) return undefined;
    const roots = planReply.configurations.flatMap(({ uri }) => (uri === null ? [] : [vscode.Uri.parse(uri)]));
    if (roots.length === 0)
      return void vscode.window.showInformationMessage(
        'There is no main configuration file in this workspace. Open the folder with httpd.conf or apache2.conf.',
      );
    if (roots.length === 1) return roots[0];
    return (
      await vscode.window.showQuickPick(
        roots.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri })),
        { title: 'Which configuration do you want to check?' },
      )
    )?.uri;
  };
  const verify = async (item?: unknown): Promise<void> => {
    const root = await chooseMainFile(item);
    if (root) await runCheck(root, false);
  };
  /**
   * Runs the check. `inPlace`: httpd reads the files where they are; the language server asks the
   * user first, and names the file.
   */
  const runCheck = async (root: vscode.Uri, inPlace: boolean): Promise<void> => {
    diagnostics.clear();
    planStore.recordCheck(root.toString(), null);
    const httpd = vscode.workspace.getConfiguration(NAME_PREFIX, root).get(HTTPD_SETTING, '').trim();
    const request = server.longRequest<VerifyReply | { nothing: string }>(
      `${httpd || 'httpd'} reads the configuration…`,
      Requests.verify,
      { uri: root.toString(), httpd, inPlace },
    );
    const verifyReply = await request.then(undefined, (error: unknown) => {
      if (!isCancelled(error)) throw error;
    });
    if (!verifyReply) return;
    if ('nothing' in verifyReply)
      return offerAlternatives(verifyReply.nothing.replace(/, or name it with --httpd PROGRAM/, ''), root);
    showMessages(diagnostics, root, verifyReply);
    planStore.recordCheck(root.toString(), {
      errorCount: verifyReply.problems.length,
      openTaskErrorCount: verifyReply.problems.filter(({ step }) => step !== undefined).length,
      uncheckedCount: verifyReply.accepted ? 0 : verifyReply.unchecked.length + (verifyReply.unread?.lines ?? 0),
    });
    // The plan depends on the result: after a passed check, the configuration counts as accepted.
    // After a failed check, it no longer does.
    await planStore.requestPlan().catch(() => undefined);
    if ((await showResult(verifyReply)) === IN_PLACE_BUTTON) await runCheck(root, true);
  };
  const copyCommand = async (item?: unknown): Promise<void> => {
    const root = await chooseMainFile(item);
    if (!root) return;
    await vscode.env.clipboard.writeText(COMMAND_FOR_SERVER);
    void vscode.window.showInformationMessage(
      `Copied the command that verifies ${vscode.workspace.asRelativePath(root)}. Run it on the server: ${COMMAND_FOR_SERVER}`,
    );
  };
  return vscode.Disposable.from(
    diagnostics,
    vscode.commands.registerCommand(`${NAME_PREFIX}.verify`, verify),
    vscode.commands.registerCommand(`${NAME_PREFIX}.copyVerify`, copyCommand),
    // A change of several files, or its undo, makes the messages outdated.
    planStore.onDidWrite(() => diagnostics.clear()),
    // A change of a text makes its messages outdated.
    vscode.workspace.onDidChangeTextDocument(
      ({ document, contentChanges }) => contentChanges.length > 0 && diagnostics.delete(document.uri),
    ),
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The programs for httpd on different distributions. The one that exists checks the configuration
 * with which the server starts.
 */
const COMMAND_FOR_SERVER = 'apachectl -t || apache2ctl -t || httpd -t';

/** What to do if httpd did not read lines in `<IfDefine>`. */
const NAMES_ADVICE =
  ' If the server starts with a name, write it into the setting httpdUpgrade.defines, and verify again.';

const COPY_BUTTON = 'Copy the command for the server';
const IN_PLACE_BUTTON = 'Verify in place…';
const SET_PATH_BUTTON = 'Set the path of the httpd program';

/** Says why no httpd could run, and offers a command for the server and the setting of the path. */
async function offerAlternatives(reason: string, root: vscode.Uri): Promise<void> {
  const chosenButton = await vscode.window.showWarningMessage(
    `Verify could not run httpd -t: ${reason}`,
    COPY_BUTTON,
    SET_PATH_BUTTON,
  );
  if (chosenButton === COPY_BUTTON) await vscode.env.clipboard.writeText(COMMAND_FOR_SERVER);
  if (chosenButton === SET_PATH_BUTTON)
    await vscode.commands.executeCommand(
      'workbench.action.openSettings',
      `${NAME_PREFIX}.${HTTPD_SETTING} ${root.scheme === 'file' ? '' : '@modified'}`.trim(),
    );
}

/**
 * Shows the messages of httpd at their lines. Messages without a file are shown at the main file.
 */
function showMessages(
  collection: vscode.DiagnosticCollection,
  root: vscode.Uri,
  { problems, warnings, unchecked }: VerifyReply,
): void {
  const diagnosticsOfFile = new Map<string, vscode.Diagnostic[]>();
  const addDiagnostic = (
    { uri, line, code, message, step }: PlacedMessage,
    severity: vscode.DiagnosticSeverity,
  ): void => {
    const diagnostic = new vscode.Diagnostic(
      new vscode.Range(line ?? 0, 0, line ?? 0, Number.MAX_SAFE_INTEGER),
      step ? `${message}\nOpen step on the server: ${step.commands.join('; ') || step.title}` : message,
      severity,
    );
    diagnostic.source = DIAGNOSTIC_SOURCE;
    if (code !== null) diagnostic.code = code;
    const file = uri ?? root.toString();
    diagnosticsOfFile.set(file, [...(diagnosticsOfFile.get(file) ?? []), diagnostic]);
  };
  for (const problem of problems) addDiagnostic(problem, vscode.DiagnosticSeverity.Error);
  for (const warning of warnings) addDiagnostic(warning, vscode.DiagnosticSeverity.Warning);
  for (const uncheckedLine of unchecked) addDiagnostic(uncheckedLine, vscode.DiagnosticSeverity.Information);
  for (const [file, diagnostics] of diagnosticsOfFile) collection.set(vscode.Uri.parse(file), diagnostics);
}

/**
 * Shows the result of a check. Carries out the button that the user chooses, if the button is about
 * the result. Returns the chosen button; undefined if the user chose none.
 */
async function showResult(reply: VerifyReply): Promise<string | undefined> {
  const { program, files, problems, unchecked, unread, assumedModulesText, accepted, claimsPlace } = reply;
  const readText = `${program} read ${countWithNoun(files, 'file')}.`;
  const uncheckedText =
    unchecked.length > 0 ? ` ${countWithNoun(unchecked.length, 'line')} could not be checked here.` : '';
  const unreadText = unread === null ? '' : ` ${unread.text}${unread.isKnown ? '' : NAMES_ADVICE}`;
  const assumedText = assumedModulesText === '' ? '' : ` ${assumedModulesText}`;
  const unsavedText = vscode.workspace.textDocuments.some(({ isDirty, isUntitled }) => isDirty && !isUntitled)
    ? ' Unsaved changes were not checked.'
    : '';
  const notLoadedText = claimsPlace ? ' Third-party modules were not loaded.' : '';
  const errorsOfSteps = problems.filter(({ step }) => step !== undefined).length;
  const stepsText =
    errorsOfSteps === 0
      ? ''
      : ` ${errorsOfSteps === problems.length ? 'All' : errorsOfSteps} of them come from steps on the server that are still open.`;
  const resultText = `${readText}${stepsText}${uncheckedText}${unreadText}${assumedText}${notLoadedText}${unsavedText}`;
  const showButton = 'Show problems';
  const reportButton = 'Save report…';
  const buttons = [...(unchecked.length > 0 ? [showButton] : []), ...(claimsPlace ? [IN_PLACE_BUTTON] : [])];
  const chosenButton =
    problems.length === 0
      ? await vscode.window.showInformationMessage(
          `${accepted ? 'httpd -t accepts it' : 'No error, but not every line was checked'}: ${resultText}`,
          ...buttons,
          reportButton,
        )
      : await vscode.window.showWarningMessage(
          `${countWithNoun(problems.length, 'error')}: ${resultText}`,
          showButton,
          ...(claimsPlace ? [IN_PLACE_BUTTON] : []),
        );
  if (chosenButton === showButton) await vscode.commands.executeCommand('workbench.actions.view.problems');
  if (chosenButton === reportButton) await vscode.commands.executeCommand(`${NAME_PREFIX}.saveReport`);
  return chosenButton;
}
