/**
 * Changes a connection so that an exception in a handler fails only its own request. A notification
 * that cannot be sent because the client is gone is no error.
 */
import { ErrorCodes, ResponseError, type Connection } from 'vscode-languageserver';
import type { ErrorLog } from './error-log';

/**
 * The replies to requests whose handler failed. Editors show each error to the user, or stop
 * sending requests. With an empty reply the rest of the editor works on; the error is in the log.
 */
const EMPTY_REPLIES: Readonly<Record<string, unknown>> = {
  'textDocument/diagnostic': { kind: 'full', items: [] },
  'workspace/diagnostic': { items: [] },
  onCodeAction: [],
};

/** A handler of requests or notifications, as the library calls it. */
export type Handler = (...args: unknown[]) => unknown;

/**
 * Lets an exception in a handler fail only its own request. Changes the connection object itself,
 * because the library keeps references to it.
 */
export function addErrorBoundary(connection: Connection, errorLog: ErrorLog): void {
  const methods = connection as unknown as Record<string, unknown>;
  wrapHandlers(connection, (method, handler) => withErrorsLogged(method, handler, errorLog));
  const { sendNotification, sendDiagnostics, sendProgress } = connection;
  const ignoreError = () => undefined;
  methods.sendNotification = (...args: unknown[]) =>
    asPromise(() => (sendNotification as Handler)(...args)).catch(ignoreError);
  methods.sendDiagnostics = (...args: unknown[]) =>
    asPromise(() => (sendDiagnostics as Handler)(...args)).catch(ignoreError);
  methods.sendProgress = (...args: unknown[]) => asPromise(() => (sendProgress as Handler)(...args)).catch(ignoreError);
}

/**
 * Replaces each handler that is registered later with the result of `wrap`. Its parameter `what` is
 * the method of the handled messages, or the name of the connection's function that registers the
 * handler.
 */
export function wrapHandlers(connection: Connection, wrap: (what: string, handler: Handler) => Handler): void {
  const methods = connection as unknown as Record<string, unknown>;
  for (const name of Object.keys(connection)) {
    const originalFunction = /^on[A-Z]/.test(name) ? methods[name] : undefined;
    if (typeof originalFunction !== 'function') continue;
    methods[name] = (...args: unknown[]) => {
      const handlerName = name === 'onRequest' || name === 'onNotification' ? methodOf(args[0]) : name;
      return originalFunction(
        ...args.map((arg) => (typeof arg === 'function' ? wrap(handlerName, arg as Handler) : arg)),
      );
    };
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** Calls a function. An exception becomes a rejected promise. */
async function asPromise(send: () => unknown): Promise<unknown> {
  return send();
}

/**
 * The method of a message type. The type is an object of the library with the method, or the method
 * itself as a text.
 */
function methodOf(type: unknown): string {
  return typeof type === 'string' ? type : (type as { method: string }).method;
}

/**
 * A handler that logs exceptions and replies with `EMPTY_REPLIES`. Errors of the protocol and of
 * our own requests are passed on.
 */
function withErrorsLogged(method: string, handler: Handler, errorLog: ErrorLog): Handler {
  const replyAfter = (error: unknown, params: unknown) => {
    if (error instanceof ResponseError) throw error;
    errorLog.report(method, error);
    // Errors of our own requests and of `initialize` are sent to the client, which can show them.
    if (method.startsWith('httpdUpgrade/') || method === 'onInitialize')
      throw new ResponseError(ErrorCodes.InternalError, (error as Error).message);
    return method.endsWith('Resolve') ? params : (EMPTY_REPLIES[method] ?? null);
  };
  return (...args) => {
    try {
      const reply = handler(...args);
      return reply instanceof Promise ? reply.catch((error: unknown) => replyAfter(error, args[0])) : reply;
    } catch (error) {
      return replyAfter(error, args[0]);
    }
  };
}
