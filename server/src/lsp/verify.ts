/**
 * Our own request: checks a configuration with a real httpd, only if the user commands it and
 * trusts the workspace. If no process can be started, the reply is the reason.
 */
import type { CancellationToken } from 'vscode-languageserver';
import {
  assumptionsOfCheck,
  modulesEnabledBy,
  isInstalledOnServer,
  openStepOf,
  type OpenStep,
} from '../analysis/open-steps';
import { isUncheckedBecauseOfMachine } from '../analysis/server-check';
import type { OnServerItem } from '../analysis/server-tasks';
import type { ServerSettings } from '../config/model';
import { checkedFiles } from '../features/checked-files';
import type { SettingsByFile } from '../features/project';
import type { CheckedFiles } from '../host/host';
import { pathForUsers } from './navigation';
import type { Plans } from './plans';
import { waitUnlessCancelled, type Session } from './session';

/** A message of a real httpd. `line` is 0-based; null if the message names no line. */
export interface VerifyMessage {
  readonly file: string | null;
  readonly line: number | null;
  readonly code: string | null;
  readonly message: string;
  /** The open task on the server that causes the error, if any. */
  readonly step?: OpenStep;
}

/** What a real httpd reported about a configuration. */
export interface VerifyResult {
  /** The program and its version: `httpd 2.4.62 (/usr/sbin/apache2)`. */
  readonly program: string;
  /** The number of files that httpd read. */
  readonly files: number;
  /**
   * Whether httpd read a copy although the files are at the paths that the server uses. If the user
   * agrees, httpd can read them in place.
   */
  readonly claimsPlace: boolean;
  readonly problems: readonly VerifyMessage[];
  readonly warnings: readonly VerifyMessage[];
  /** Lines that could not be checked on this machine. */
  readonly unchecked: readonly VerifyMessage[];
  /**
   * The lines in `<IfDefine>` that httpd did not read: a sentence, their number, and whether it is
   * known with which names the server starts. Null if httpd read all of them.
   */
  readonly unread: { readonly text: string; readonly lines: number; readonly isKnown: boolean } | null;
  /**
   * Modules of this machine that httpd loaded although no line loads them, by their names for
   * `a2enmod`.
   */
  readonly assumedModules: readonly string[];
  /** Sentences about `assumedModules`: which of them the lines need. Empty if there are none. */
  readonly assumedModulesText: string;
  /**
   * Whether there is no error, and everything was checked, apart from things that only the real
   * server has, such as certificates.
   */
  readonly accepted: boolean;
}

/**
 * Runs httpd of this machine. If that is not possible, returns the reason as a sentence. `root`:
 * the path of the main file. `httpd`: the path of the program; null to search for it.
 */
export type Verify = (request: {
  readonly root: string;
  readonly httpd: string | null;
  /** Whether the user has agreed that httpd reads the files in place and loads their modules. */
  readonly inPlace: boolean;
  readonly settings: SettingsByFile;
  /** Modules that the user has enabled on the real server, as `a2enmod` names them. */
  readonly enabledModules: readonly string[];
  readonly signal: AbortSignal;
}) => Promise<VerifyResult | string>;

/** The reply to the client: the result of a check, with URIs instead of paths. */
export interface VerifyReply extends Omit<VerifyResult, 'problems' | 'warnings' | 'unchecked'> {
  readonly problems: readonly PlacedMessage[];
  readonly warnings: readonly PlacedMessage[];
  readonly unchecked: readonly PlacedMessage[];
}

/** A message with the URI of its file; null if it names no file. */
export interface PlacedMessage extends Omit<VerifyMessage, 'file'> {
  readonly uri: string | null;
}

export function serveVerify(session: Session, plans: Plans, verify: Verify | undefined): void {
  session.connection.onRequest<VerifyReply | { nothing: string }, void>(
    'httpdUpgrade/verify',
    ({ uri, httpd, inPlace }: { uri: string; httpd: string; inPlace?: boolean }, token: CancellationToken) =>
      verifyConfiguration({ session, plans, verify, uri, httpd, inPlace: inPlace === true, token }),
  );
}

/** What `verifyConfiguration` checks, and with which program. */
interface VerifyOptions {
  readonly session: Session;
  readonly plans: Plans;
  readonly verify: Verify | undefined;
  readonly uri: string;
  /** The path of the program; '' to search for it. */
  readonly httpd: string;
  /**
   * Whether the user wants httpd to read the files in place. The server then asks again and names
   * the file.
   */
  readonly inPlace: boolean;
  /** If the token is cancelled, the server ends httpd. */
  readonly token: CancellationToken;
}

/**
 * Runs a real httpd on the configuration whose main file is `uri`. Returns its verdict, or the
 * reason why nothing was checked (`nothing`).
 */
export async function verifyConfiguration({
  session,
  plans,
  verify,
  uri,
  httpd,
  inPlace,
  token,
}: VerifyOptions): Promise<VerifyReply | { nothing: string }> {
  const { workspace, settings } = session;
  if (!session.isTrusted) return { nothing: 'In restricted mode, no program can run.' };
  const root = workspace.realPathOf(uri);
  if (!verify || root === null || session.host.pathOf?.(uri) == null) return { nothing: 'No program can run here.' };
  if (inPlace && !(await askToRunModules(session, root)))
    return { nothing: 'You did not agree that httpd reads the files where they are.' };
  const { engine } = await settings.settingsOf(uri);
  const server = await workspace.serverSettingsOf(root);
  const { doneTasks } = session.configurationRules;
  const [enabledModules, assumptions] = [modulesEnabledBy(doneTasks), assumptionsOfCheck(doneTasks)];
  // Waits until a file that was just written is known. Otherwise the record of accepted files would
  // not contain its new text.
  const currentFiles = async () => {
    await waitUnlessCancelled(workspace.untilCurrent(), token);
    return filesOnDisk(session, root, server, assumptions);
  };
  const filesBefore = await currentFiles();
  const abortController = new AbortController();
  const cancellationListener = token.onCancellationRequested(() => abortController.abort());
  const verdict = await waitUnlessCancelled(
    verify({
      root,
      httpd: httpd === '' ? null : httpd,
      inPlace,
      settings: { engineOf: () => engine, serverOf: () => server },
      enabledModules,
      signal: abortController.signal,
    }),
    token,
  ).finally(() => cancellationListener.dispose());
  if (typeof verdict === 'string') return { nothing: verdict };
  const filesAfter = await currentFiles();
  const areFilesUnchanged = JSON.stringify(filesBefore) === JSON.stringify(filesAfter);
  const isAccepted = verdict.accepted || isAcceptedWithModules(verdict, doneTasks);
  session.host.acceptedFiles?.remember(root, isAccepted && areFilesUnchanged ? filesAfter : null);
  for (const listener of session.verificationListeners) listener();
  const steps = verdict.problems.length > 0 ? await openStepsOf(plans, session.workspace.clientUriOf(root), token) : [];
  const withUris = (messages: readonly VerifyMessage[]) =>
    messages.map(
      ({ file, ...message }): PlacedMessage => ({
        ...message,
        uri: file === null ? null : workspace.clientUriOf(workspace.realPathOf(workspace.uriFromPath(file)) ?? file),
      }),
    );
  return {
    ...verdict,
    accepted: isAccepted,
    problems: withUris(verdict.problems.map((message) => withOpenStep(session, message, steps))),
    warnings: withUris(verdict.warnings),
    unchecked: withUris(verdict.unchecked),
  };
}

const RUN_MODULES_BUTTON = 'Run its modules';

/**
 * Asks the user whether httpd may run the modules of a configuration. The server asks, not the
 * client, so that neither a client nor an extension of it can skip the question.
 */
async function askToRunModules({ connection }: Session, file: string): Promise<boolean> {
  const chosenButton = await connection.window.showWarningMessage(
    `Let httpd read ${file} where it is? httpd then loads the modules that this configuration names, and their code runs on this machine.`,
    { title: RUN_MODULES_BUTTON },
    { title: 'Cancel' },
  );
  return chosenButton?.title === RUN_MODULES_BUTTON;
}

/**
 * The contents of the files on the disk that the check reads, not those in the editor. Null if a
 * file cannot be read.
 */
function filesOnDisk(
  { workspace, host }: Session,
  root: string,
  server: ServerSettings,
  assumptions: readonly string[],
): CheckedFiles | null {
  const model = workspace.models.find((each) => each.mainFile === root);
  const view = host.fileView?.(() => null);
  return model && view ? checkedFiles(model, (path) => view.read(path), server, assumptions) : null;
}

/** The open tasks on the server in the plan of a configuration. */
async function openStepsOf(plans: Plans, uri: string, token: CancellationToken): Promise<readonly OnServerItem[]> {
  const gatheredPlan = await plans.current(token);
  if ('nothing' in gatheredPlan) return [];
  const { plan, configurations } = gatheredPlan.reply;
  return plan.configurations[configurations.findIndex((each) => each.uri === uri)]?.onServer ?? [];
}

/** The message. If an open task in `steps` causes it, the message gets this task as its `step`. */
function withOpenStep(session: Session, message: VerifyMessage, steps: readonly OnServerItem[]): VerifyMessage {
  const { workspace } = session;
  const path = message.file === null ? null : workspace.realPathOf(workspace.uriFromPath(message.file));
  const step = openStepOf({ ...message, file: path === null ? null : pathForUsers(session, path) }, steps);
  return step ? { ...message, step } : message;
}

/**
 * Whether httpd would accept the files with the modules that the user has installed on the server:
 * the lines that were not checked only load these modules, or name something on the server.
 */
function isAcceptedWithModules(
  { problems, unchecked, unread, assumedModules }: VerifyResult,
  doneTasks: readonly string[],
): boolean {
  const isOnServer = (each: VerifyMessage) =>
    isUncheckedBecauseOfMachine(each.message) || isInstalledOnServer(each, doneTasks);
  return (
    problems.length === 0 &&
    assumedModules.length === 0 &&
    unread?.isKnown !== false &&
    unchecked.length > 0 &&
    unchecked.every(isOnServer)
  );
}
