/** Figures of long work that somebody waits for: how many of the files are done, told by way of the request's own token (`workDoneToken`). */
import { WorkDoneProgress, type Connection } from 'vscode-languageserver';

/** `percent`: of all the work, of which the files may be a part. */
export type Tell = (percent: number, message: string) => void;

/** Where a request's progress is told, once for each percent; nowhere, where its client has no use for it. */
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

/** A part of the work that goes file by file: from one percent to another. */
export function overFiles(tell: Tell, from: number, to: number, total: number, what: string): (done: number) => void {
  return (done) => tell(from + ((to - from) * done) / Math.max(1, total), `${done} of ${total} files ${what}`);
}
