/**
 * Progress of long requests: how many files are done, sent with the token of the request
 * (`workDoneToken`).
 */
import { WorkDoneProgress, type Connection } from 'vscode-languageserver';

/** `percent`: of all work, of which the files may be a part. */
export type Tell = (percent: number, message: string) => void;

/**
 * Returns a function that sends the progress of a request once for each percent; it does nothing if
 * the client does not support that.
 */
export function teller(connection: Connection, params: object | null | undefined): Tell {
  const { workDoneToken: token } = (params ?? {}) as { workDoneToken?: unknown };
  if (typeof token !== 'string' && typeof token !== 'number') return () => undefined;
  let last = -1;
  return (percent, message) => {
    const percentage = Math.min(99, Math.floor(percent));
    if (percentage <= last) return;
    last = percentage;
    void connection.sendProgress(WorkDoneProgress.type, token, { kind: 'report', percentage, message });
  };
}

/** Maps the progress over files to a range of percents. */
export function overFiles(tell: Tell, from: number, to: number, total: number, what: string): (done: number) => void {
  return (done) => tell(from + ((to - from) * done) / Math.max(1, total), `${done} of ${total} files ${what}`);
}
