/** Our own request: a real httpd reads a configuration, on a person's command and in a trusted workspace only. Where there are no processes, it says so. */
import type { CancellationToken } from 'vscode-languageserver';
import type { Projects } from '../features/given-configurations';
import { unlessCancelled, type Session } from './session';

/** What a real httpd says, with lines from 0; null where it names none. */
export interface Said {
  readonly file: string | null;
  readonly line: number | null;
  readonly code: string | null;
  readonly message: string;
}

export interface Verified {
  /** `httpd 2.4.62 (/usr/sbin/apache2)`. */
  readonly program: string;
  readonly files: number;
  readonly problems: readonly Said[];
  readonly warnings: readonly Said[];
  /** What could not be checked here. */
  readonly unchecked: readonly Said[];
}

/** Runs a program of this machine; a sentence where that cannot be done. */
export type Verify = (request: {
  readonly root: string;
  readonly httpd: string | null;
  readonly project: Projects;
  readonly signal: AbortSignal;
}) => Promise<Verified | string>;

/** The same with URIs. */
export interface VerifyAnswer extends Omit<Verified, 'problems' | 'warnings' | 'unchecked'> {
  readonly problems: readonly PlacedSaid[];
  readonly warnings: readonly PlacedSaid[];
  readonly unchecked: readonly PlacedSaid[];
}

export interface PlacedSaid extends Omit<Said, 'file'> {
  readonly uri: string | null;
}

export function serveVerify(session: Session, verify: Verify | undefined): void {
  session.connection.onRequest<VerifyAnswer | { nothing: string }, void>(
    'httpdUpgrade/verify',
    ({ uri, httpd }: { uri: string; httpd: string }, token: CancellationToken) =>
      verified({ session, verify, uri, httpd, token }),
  );
}

interface VerifiedOptions {
  readonly session: Session;
  readonly verify: Verify | undefined;
  readonly uri: string;
  /** The program; '' for the one that is found. */
  readonly httpd: string;
  /** Ends it. */
  readonly token: CancellationToken;
}

/** What an httpd says of the configuration that begins with a file. */
export async function verified({
  session,
  verify,
  uri,
  httpd,
  token,
}: VerifiedOptions): Promise<VerifyAnswer | { nothing: string }> {
  const { workspace, settings } = session;
  if (!session.isTrusted) return { nothing: 'In restricted mode, no program can run.' };
  const root = workspace.identityOf(uri);
  if (!verify || root === null || session.host.pathOf?.(uri) == null) return { nothing: 'No program can run here.' };
  const { engine } = await settings.of(uri);
  const server = await workspace.serverOf(root);
  const ending = new AbortController();
  const listening = token.onCancellationRequested(() => ending.abort());
  const verdict = await unlessCancelled(
    verify({
      root,
      httpd: httpd === '' ? null : httpd,
      project: { engineOf: () => engine, serverOf: () => server },
      signal: ending.signal,
    }),
    token,
  ).finally(() => listening.dispose());
  if (typeof verdict === 'string') return { nothing: verdict };
  const placed = (all: readonly Said[]) =>
    all.map(
      ({ file, ...said }): PlacedSaid => ({
        ...said,
        uri: file === null ? null : workspace.uriFor(workspace.identityOf(workspace.uriOf(file)) ?? file),
      }),
    );
  return {
    ...verdict,
    problems: placed(verdict.problems),
    warnings: placed(verdict.warnings),
    unchecked: placed(verdict.unchecked),
  };
}
