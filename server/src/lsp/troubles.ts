/** What goes wrong and must not: told once, with what somebody who reports it needs, and never a thousand times. */

/** After so many different ones, nobody reads on. */
const MOST = 100;

export class Troubles {
  private readonly told = new Set<string>();

  /** `tell` gets a message for the client's log. */
  constructor(private readonly tell: (message: string) => void) {}

  /** A mistake of this program. `what` was being done, as the subject of "… failed". */
  report(what: string, error: unknown): void {
    const { message, stack } = asError(error);
    this.once(
      `${message} ${firstFrame(stack)}`,
      `${what} failed, and nothing else did. This is a mistake in httpd-upgrade. Please report it, with the text around it and these lines:\n${stack ?? message}`,
    );
  }

  /** Something that somebody should know, once. */
  note(message: string): void {
    this.once(message, message);
  }

  private once(key: string, message: string): void {
    if (this.told.has(key) || this.told.size >= MOST) return;
    this.told.add(key);
    this.tell(message);
  }
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

// ---------------------------------------------------------------------------------------------------------------------

/** Where it was thrown, by whatever name the function was called. */
function firstFrame(stack: string | undefined): string {
  const frame = stack?.split('\n').find((line, row) => row > 0 && /^\s*at .*:\d/.test(line));
  return frame?.split(/[\s()]/).find((word) => /:\d+:\d+$/.test(word)) ?? '';
}
