/**
 * Our own request: a real httpd reads a configuration, only on the user's command and in a trusted
 * workspace. Without processes, it answers with the reason.
 */
import type { CancellationToken } from 'vscode-languageserver';
import { assumedOf, enabledBy, isInstalled, openStepOf, type OpenStep } from '../analysis/open-steps';
import { isOfMachine } from '../analysis/server-check';
import type { OnServerItem } from '../analysis/server-tasks';
import type { ServerSettings } from '../config/model';
import { checkedFiles } from '../features/checked-files';
import type { SettingsOf } from '../features/project';
import type { CheckedFiles } from '../host/host';
import { shortened } from './navigation';
import type { Plans } from './plans';
import { unlessCancelled, type Session } from './session';

/** A message of a real httpd, with 0-based lines; null if it names none. */
export interface VerifyMessage {
  readonly file: string | null;
  readonly line: number | null;
  readonly code: string | null;
  readonly message: string;
  /** The open step on the server that causes the error, if any. */
  readonly step?: OpenStep;
}

export interface Verified {
  /** `httpd 2.4.62 (/usr/sbin/apache2)`. */
  readonly program: string;
  readonly files: number;
  /**
   * Whether it was read as a copy although its paths lead to its own place: it can be read in place
   * if the user agrees.
   */
  readonly claimsPlace: boolean;
  readonly problems: readonly VerifyMessage[];
  readonly warnings: readonly VerifyMessage[];
  /** Lines that could not be checked here. */
  readonly unchecked: readonly VerifyMessage[];
  /** No error, and every line was checked except for facts of the server only. */
  readonly accepted: boolean;
}

/** Runs a program of this machine; a sentence if that is not possible. */
export type Verify = (request: {
  readonly root: string;
  readonly httpd: string | null;
  /** The user has agreed that httpd reads the files in place and loads their modules. */
  readonly inPlace: boolean;
  readonly project: SettingsOf;
  /** Modules that the user has enabled on the server, as `a2enmod` names them. */
  readonly enabled: readonly string[];
  readonly signal: AbortSignal;
}) => Promise<Verified | string>;

/** The result of a check with URIs instead of paths. */
export interface VerifyAnswer extends Omit<Verified, 'problems' | 'warnings' | 'unchecked'> {
  readonly problems: readonly PlacedMessage[];
  readonly warnings: readonly PlacedMessage[];
  readonly unchecked: readonly PlacedMessage[];
}

export interface PlacedMessage extends Omit<VerifyMessage, 'file'> {
  readonly uri: string | null;
}

export function serveVerify(session: Session, plans: Plans, verify: Verify | undefined): void {
  session.connection.onRequest<VerifyAnswer | { nothing: string }, void>(
    'httpdUpgrade/verify',
    ({ uri, httpd, inPlace }: { uri: string; httpd: string; inPlace?: boolean }, token: CancellationToken) =>
      verified({ session, plans, verify, uri, httpd, inPlace: inPlace === true, token }),
  );
}

interface VerifiedOptions {
  readonly session: Session;
  readonly plans: Plans;
  readonly verify: Verify | undefined;
  readonly uri: string;
  /** The program; '' to search for it. */
  readonly httpd: string;
  /**
   * Whether the user wants to read the files in place; the server then asks again and names the
   * file.
   */
  readonly inPlace: boolean;
  /** Cancels it. */
  readonly token: CancellationToken;
}

/** The result of an httpd for the configuration with a main file. */
export async function verified({
  session,
  plans,
  verify,
  uri,
  httpd,
  inPlace,
  token,
}: VerifiedOptions): Promise<VerifyAnswer | { nothing: string }> {
  const { workspace, settings } = session;
  if (!session.isTrusted) return { nothing: 'In restricted mode, no program can run.' };
  const root = workspace.identityOf(uri);
  if (!verify || root === null || session.host.pathOf?.(uri) == null) return { nothing: 'No program can run here.' };
  if (inPlace && !(await agrees(session, root)))
    return { nothing: 'You did not agree that httpd reads the files where they are.' };
  const { engine } = await settings.of(uri);
  const server = await workspace.serverOf(root);
  const { commandsRun } = session.configurationRules;
  const [enabled, assumed] = [enabledBy(commandsRun), assumedOf(commandsRun)];
  // A file that was just written may not be known yet: the record of accepted files would then be
  // wrong.
  const checked = async () => {
    await unlessCancelled(workspace.settle(), token);
    return filesOnDisk(session, root, server, assumed);
  };
  const before = await checked();
  const ending = new AbortController();
  const listening = token.onCancellationRequested(() => ending.abort());
  const verdict = await unlessCancelled(
    verify({
      root,
      httpd: httpd === '' ? null : httpd,
      inPlace,
      project: { engineOf: () => engine, serverOf: () => server },
      enabled,
      signal: ending.signal,
    }),
    token,
  ).finally(() => listening.dispose());
  if (typeof verdict === 'string') return { nothing: verdict };
  const after = await checked();
  const isSame = JSON.stringify(before) === JSON.stringify(after);
  const accepted = verdict.accepted || isAcceptedWith(verdict, commandsRun);
  session.host.accepted?.remember(root, accepted && isSame ? after : null);
  for (const listener of session.onVerified) listener();
  const steps = verdict.problems.length > 0 ? await stepsOf(plans, session.workspace.uriFor(root), token) : [];
  const placed = (messages: readonly VerifyMessage[]) =>
    messages.map(
      ({ file, ...message }): PlacedMessage => ({
        ...message,
        uri: file === null ? null : workspace.uriFor(workspace.identityOf(workspace.uriOf(file)) ?? file),
      }),
    );
  return {
    ...verdict,
    accepted,
    problems: placed(verdict.problems.map((message) => withStep(session, message, steps))),
    warnings: placed(verdict.warnings),
    unchecked: placed(verdict.unchecked),
  };
}

const AGREE = 'Run its modules';

/**
 * Whether the user agrees that httpd runs the modules of a configuration. The server itself asks,
 * so that neither a client nor an extension of it can skip the question.
 */
async function agrees({ connection }: Session, file: string): Promise<boolean> {
  const answer = await connection.window.showWarningMessage(
    `Let httpd read ${file} where it is? httpd then loads the modules that this configuration names, and their code runs on this machine.`,
    { title: AGREE },
    { title: 'Cancel' },
  );
  return answer?.title === AGREE;
}

/**
 * The input of a check: the files on the disk, not those in the editor; null if one cannot be read.
 */
function filesOnDisk(
  { workspace, host }: Session,
  root: string,
  server: ServerSettings,
  enabled: readonly string[],
): CheckedFiles | null {
  const model = workspace.models.find((each) => each.root === root);
  const view = host.fileView?.(() => null);
  return model && view ? checkedFiles(model, (path) => view.read(path), server, enabled) : null;
}

/** The tasks on the server in the plan of a configuration. */
async function stepsOf(plans: Plans, uri: string, token: CancellationToken): Promise<readonly OnServerItem[]> {
  const gathered = await plans.current(token);
  if ('nothing' in gathered) return [];
  const { plan, configurations } = gathered.answer;
  return plan.configurations[configurations.findIndex((each) => each.uri === uri)]?.onServer ?? [];
}

function withStep(session: Session, message: VerifyMessage, steps: readonly OnServerItem[]): VerifyMessage {
  const { workspace } = session;
  const path = message.file === null ? null : workspace.identityOf(workspace.uriOf(message.file));
  const step = openStepOf({ ...message, file: path === null ? null : shortened(session, path) }, steps);
  return step ? { ...message, step } : message;
}

/**
 * Whether httpd accepts the files once the modules are there that the user has installed on the
 * server: only lines that load them, or name what is on the server, were not checked.
 */
function isAcceptedWith({ problems, unchecked }: Verified, ran: readonly string[]): boolean {
  const isOnServer = (each: VerifyMessage) => isOfMachine(each.message) || isInstalled(each, ran);
  return problems.length === 0 && unchecked.length > 0 && unchecked.every(isOnServer);
}
