/**
 * Sends the progress of long requests, such as the number of files that are done. The client gave
 * the request a token for that (`workDoneToken`).
 */
import { WorkDoneProgress, type Connection } from 'vscode-languageserver';

/** Gets the progress of a request. `percent`: how much of all its work is done. */
export type TellProgress = (percent: number, message: string) => void;

/**
 * Returns a function that sends the progress of a request, once for each percent. It does nothing
 * if the client does not support progress.
 */
export function progressOf(connection: Connection, params: object | null | undefined): TellProgress {
  const { workDoneToken: token } = (params ?? {}) as { workDoneToken?: unknown };
  if (typeof token !== 'string' && typeof token !== 'number') return () => undefined;
  let lastPercentage = -1;
  return (percent, message) => {
    const percentage = Math.min(99, Math.floor(percent));
    if (percentage <= lastPercentage) return;
    lastPercentage = percentage;
    void connection.sendProgress(WorkDoneProgress.type, token, { kind: 'report', percentage, message });
  };
}

/**
 * Returns a function that gets the number of files that are done, and sends the progress as a
 * percentage between `startPercent` and `endPercent`. `doneWhat`: what was done to the files, such
 * as `read`.
 */
export function fileProgress(
  tellProgress: TellProgress,
  startPercent: number,
  endPercent: number,
  total: number,
  doneWhat: string,
): (doneCount: number) => void {
  return (doneCount) =>
    tellProgress(
      startPercent + ((endPercent - startPercent) * doneCount) / Math.max(1, total),
      `${doneCount} of ${total} files ${doneWhat}`,
    );
}
