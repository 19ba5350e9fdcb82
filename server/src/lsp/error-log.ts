/** Limit for the number of different errors. Each is logged once, with what a bug report needs. */
const MAX_ERRORS = 100;

export class ErrorLog {
  private readonly logged = new Set<string>();

  /** `tell` writes a message to the log that the client shows. */
  constructor(private readonly tell: (message: string) => void) {}

  /** Logs an internal error. `what` is what failed: the subject of "… failed". */
  report(what: string, error: unknown): void {
    const { message, stack } = asError(error);
    this.once(
      `${message} ${firstFrame(stack)}`,
      `${what} failed, and nothing else did. This is a mistake in httpd-upgrade. Please report it, with the text around it and these lines:\n${stack ?? message}`,
    );
  }

  /** Logs a message, but only the first time. */
  note(message: string): void {
    this.once(message, message);
  }

  private once(key: string, message: string): void {
    if (this.logged.has(key) || this.logged.size >= MAX_ERRORS) return;
    this.logged.add(key);
    this.tell(message);
  }
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

// ---------------------------------------------------------------------------------------------------------------------

/** The file and line where the error was thrown, without the name of the function. */
function firstFrame(stack: string | undefined): string {
  const frame = stack?.split('\n').find((line, row) => row > 0 && /^\s*at .*:\d/.test(line));
  return frame?.split(/[\s()]/).find((word) => /:\d+:\d+$/.test(word)) ?? '';
}
