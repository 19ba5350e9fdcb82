/**
 * Asks the user a question of the upgrade plan, for clients that have no view of the plan. The
 * answer takes effect at once. It is written into `.httpd-upgrade.json` if the file exists or the
 * client can create it.
 */
import { idBelowFolder, pathInAnswer, type AnswerSet, type QuestionText } from '../analysis/answers';
import { DONT_KNOW_LABEL } from '../analysis/question-surfaces';
import { lineStartRange } from '../features/convert';
import { decode } from '../host/decode';
import { PROJECT_FILE, withAnswers } from '../settings/project-file';
import { withRelativePaths } from './navigation';
import { writableFolders, type Session } from './session';

/** A question of the upgrade plan that has no answer yet. */
export interface AskedQuestion {
  readonly id: string;
  readonly text: QuestionText;
}

/**
 * The file that stores the answers for a configuration. Paths in the ids of the questions are
 * relative to its folder.
 */
export interface AnswersFile {
  readonly answerSet: AnswerSet;
  /** The URI of the `.httpd-upgrade.json`. */
  readonly uri: string;
  /** Whether the file exists. */
  readonly exists: boolean;
}

/**
 * The file that stores the answers for a configuration: the `.httpd-upgrade.json` that applies to
 * it, or the file to create in its workspace folder. `root` is the path of its main file; null for
 * files that no configuration reads.
 */
export async function answersFileOf(
  { settings, workspace, folders }: Session,
  root: string | null,
): Promise<AnswersFile> {
  const folderUris = folders.map((each) => each.replace(/\/$/, ''));
  const uri = root === null ? `${folderUris[0] ?? 'untitled:'}/.` : workspace.clientUriOf(root);
  const { engine, projectFile } = await settings.settingsOf(uri);
  if (projectFile) return { answerSet: engine.answerSet, uri: projectFile.uri, exists: true };
  const [folder = uri.slice(0, uri.lastIndexOf('/'))] = folderUris
    .filter((each) => uri.startsWith(`${each}/`))
    .sort((a, b) => b.length - a.length);
  const answerSet = { answers: engine.answerSet.answers, folder: workspace.realPathOf(folder) ?? '' };
  return { answerSet, uri: `${folder}/${PROJECT_FILE}`, exists: false };
}

/**
 * Asks a question and applies the answer. Returns null if the user gives no answer. Otherwise
 * `note` is a sentence about what the user has to do to keep the answer, or '' if it is stored.
 * `root` is the path of the main file.
 */
export async function askQuestion(
  session: Session,
  { id, text }: AskedQuestion,
  root: string | null,
): Promise<{ readonly note: string } | null> {
  // An answer that needs a path cannot be given here, because a message of the protocol has no
  // field for it. The user can write it into `.httpd-upgrade.json`.
  const choices = text.choices.filter(({ value }) => pathInAnswer(value) === null);
  const displayText = (part: string) => withRelativePaths(session, part);
  const chosenButton = await session.connection.window.showWarningMessage(
    `${displayText(text.question)} ${displayText(text.why)} To find out: ${text.findOut}`,
    ...choices.map(({ label }) => ({ title: displayText(label) })),
    { title: DONT_KNOW_LABEL },
  );
  const choice = choices.find(({ label }) => displayText(label) === chosenButton?.title);
  if (!choice) return null;
  const answersFile = await answersFileOf(session, root);
  // Without a project file, paths in ids start at the root of the file system.
  session.settings.keepAnswer(
    answersFile.exists ? id : idBelowFolder(id, answersFile.answerSet.folder, ''),
    choice.value,
  );
  const isWritten = await writeAnswer(session, answersFile, { id, answer: choice.value });
  session.settings.dropCache();
  for (const listener of session.settingsListeners) listener();
  const answersJson = JSON.stringify({ answers: { [id]: choice.value } });
  return { note: isWritten ? '' : `To keep your answer, write this to ${PROJECT_FILE}: ${answersJson}` };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Writes an answer into the file that stores answers, which is created if needed. Returns whether
 * it was written.
 */
async function writeAnswer(
  session: Session,
  { exists, uri }: AnswersFile,
  { id, answer }: { readonly id: string; readonly answer: string },
): Promise<boolean> {
  const { host, folders, client, connection } = session;
  try {
    if (exists) {
      const content = await host.readFile(uri);
      const decodedFile = 'bytes' in content ? decode(content.bytes) : null;
      if (!('bytes' in content) || !decodedFile || 'problem' in decodedFile || !host.change) return false;
      const newProjectFileText = withAnswers(decodedFile.text, new Map([[id, answer]]));
      if (newProjectFileText === null) return false;
      const change = { uri, before: content.bytes, after: new TextEncoder().encode(newProjectFileText) };
      return 'undo' in (await host.change([change], writableFolders(session)));
    }
    if (!client.canCreateFiles || folders.length === 0) return false;
    const newText = withAnswers(null, new Map([[id, answer]]))!;
    const documentChanges = [
      { kind: 'create' as const, uri, options: { ignoreIfExists: true } },
      { textDocument: { uri, version: null }, edits: [{ range: lineStartRange(0), newText }] },
    ];
    return (await connection.workspace.applyEdit({ label: 'httpd-upgrade', edit: { documentChanges } })).applied;
  } catch {
    return false;
  }
}
