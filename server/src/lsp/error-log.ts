/**
 * Limit for the number of different errors. Each is logged once, with the details that a bug report
 * needs.
 */
const MAX_ERRORS = 100;

/** The log of internal errors, which logs each error once. */
export class ErrorLog {
  private readonly loggedKeys = new Set<string>();

  /** `writeMessage` writes to the log that the client shows. */
  constructor(private readonly writeMessage: (message: string) => void) {}

  /** Logs an internal error. `what` names the thing that failed, as the subject of "… failed". */
  report(what: string, error: unknown): void {
    const { message, stack } = asError(error);
    this.logOnce(
      `${message} ${firstFrame(stack)}`,
      `${what} failed, and nothing else did. This is a mistake in httpd-upgrade. Please report it, with the text around it and these lines:\n${stack ?? message}`,
    );
  }

  /** Logs a message, but only the first time. */
  note(message: string): void {
    this.logOnce(message, message);
  }

  private logOnce(key: string, message: string): void {
    if (this.loggedKeys.has(key) || this.loggedKeys.size >= MAX_ERRORS) return;
    this.loggedKeys.add(key);
    this.writeMessage(message);
  }
}

/** The error itself; for another value that was thrown, an error with its text. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

// ---------------------------------------------------------------------------------------------------------------------

/** The file and line where the error was thrown, without the name of the function. */
function firstFrame(stack: string | undefined): string {
  const frame = stack?.split('\n').find((line, row) => row > 0 && /^\s*at .*:\d/.test(line));
  return frame?.split(/[\s()]/).find((word) => /:\d+:\d+$/.test(word)) ?? '';
}
