/**
 * A question of the upgrade plan, asked by way of the protocol, for clients that have no view of the plan. The answer counts at once. It is written into `.httpd-upgrade.json`
 * where there is one, or the client can make it.
 */
import { questionText, renamedId } from '../analysis/answers';
import { decode } from '../host/decode';
import { PROJECT_FILE, withAnswers } from '../settings/project-file';
import { shortenedText } from './navigation';
import type { Session } from './session';

/** The button for who does not know; nothing is recorded then. */
const UNKNOWN = "I don't know";

/** Asks what settles a question, and takes the answer. Returns false where there is none; `note` says what is left to do, or is ''. `root` is the path of the main file. */
export async function answeredQuestion(
  session: Session,
  id: string,
  root: string | null,
): Promise<{ readonly note: string } | null> {
  const text = questionText(id);
  if (!text) return null;
  // A copy of other files is chosen in `.httpd-upgrade.json`: a message has no field for a path.
  const choices = text.choices.filter(({ value }) => !value.endsWith('='));
  const shown = (part: string) => shortenedText(session, part);
  const chosen = await session.connection.window.showWarningMessage(
    `${shown(text.question)} ${shown(text.why)} To find out: ${text.findOut}`,
    ...choices.map(({ label }) => ({ title: shown(label) })),
    { title: UNKNOWN },
  );
  const choice = choices.find(({ label }) => shown(label) === chosen?.title);
  if (!choice) return null;
  session.settings.hold(id, choice.value);
  const isWritten = await written(session, { id, answer: choice.value, root });
  session.settings.drop();
  for (const listener of session.onSettings) listener();
  const entry = JSON.stringify({ answers: { [id]: choice.value } });
  return { note: isWritten ? '' : `To keep your answer, write this to ${PROJECT_FILE}: ${entry}` };
}

// ---------------------------------------------------------------------------------------------------------------------

interface Answer {
  readonly id: string;
  readonly answer: string;
  readonly root: string | null;
}

async function written(session: Session, { id, answer, root }: Answer): Promise<boolean> {
  const { host, workspace, settings, folders, client, connection } = session;
  const first = (folders[0] ?? '').replace(/\/$/, '');
  const { project } = await settings.of(root === null ? `${first}/.` : workspace.uriFor(root));
  try {
    if (project) {
      const content = await host.readFile(project.uri);
      const decoded = 'bytes' in content ? decode(content.bytes) : null;
      if (!('bytes' in content) || !decoded || 'problem' in decoded || !host.change) return false;
      const text = withAnswers(decoded.text, new Map([[id, answer]]));
      if (text === null) return false;
      const change = { uri: project.uri, before: content.bytes, after: new TextEncoder().encode(text) };
      return (
        'undo' in
        (await host.change(
          [change],
          folders.flatMap((each) => host.pathOf?.(each.replace(/\/$/, '')) ?? []),
        ))
      );
    }
    const rootUri = root === null ? `${first}/` : workspace.uriFor(root);
    const folder = folders.map((each) => each.replace(/\/$/, '')).find((each) => rootUri.startsWith(`${each}/`));
    const path = folder === undefined ? null : workspace.identityOf(folder);
    if (folder === undefined || path === null || !client.createsFiles) return false;
    const uri = `${folder}/${PROJECT_FILE}`;
    const newText = withAnswers(null, new Map([[renamedId(id, '', path), answer]]))!;
    const start = { line: 0, character: 0 };
    const edits = [{ range: { start, end: start }, newText }];
    const documentChanges = [
      { kind: 'create' as const, uri, options: { ignoreIfExists: true } },
      { textDocument: { uri, version: null }, edits },
    ];
    return (await connection.workspace.applyEdit({ label: 'httpd-upgrade', edit: { documentChanges } })).applied;
  } catch {
    return false;
  }
}
