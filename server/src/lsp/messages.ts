/**
 * Validates messages before their handlers run: their order (nothing before `initialize`, only
 * `exit` after `shutdown`), and the types of their parameters. An invalid request gets the
 * protocol's error as reply; an invalid notification is ignored and logged once.
 */
import { ErrorCodes, Message, ResponseError, type Connection, type MessageStrategy } from 'vscode-languageserver';
import { isObject } from '../settings/values';
import { APPLY_FIX_COMMAND } from './configuration-rules';
import type { ErrorLog } from './error-log';

/** The method that a refused request gets instead of its own, so that its handler does not run. */
const REFUSED_METHOD = 'httpdUpgrade/refused';

type Params = Record<string, unknown>;
type ParameterCheck = (params: Params) => boolean;
interface IncomingMessage {
  readonly method: string;
  params?: unknown;
}

/** Validates all messages of one connection. */
export interface MessageValidator {
  /** The strategy that must be passed to `createConnection`. */
  readonly messageStrategy: MessageStrategy;
  /** Registers the handler for refused messages. Call it before the connection listens. */
  attach(connection: Connection, errorLog: ErrorLog): void;
}

/** Makes the validator for a new connection. */
export function newMessageValidator(): MessageValidator {
  let connectionState: 'new' | 'running' | 'down' = 'new';
  let ignoredMessageLog: ErrorLog | null = null;

  /**
   * Checks a message. Returns why it is refused, as an error of the protocol; null if it is valid.
   * Also updates `connectionState`, and repairs parameters that some clients send in another form.
   */
  const validateMessage = (message: IncomingMessage): { code: number; message: string } | null => {
    const { method } = message;
    if (isAlwaysAccepted(method)) return null;
    if (connectionState === 'down') return { code: ErrorCodes.InvalidRequest, message: `${method} after shutdown` };
    if (method === 'initialize') {
      if (connectionState === 'running')
        return { code: ErrorCodes.InvalidRequest, message: 'initialize for the second time' };
      if (!isObject(message.params))
        return { code: ErrorCodes.InvalidParams, message: 'initialize without parameters' };
      const { params } = message;
      // The server ends when the process of its client ends. For that it needs a valid process id.
      const isValidProcessId = isNumber(params.processId) && params.processId > 0 && params.processId < 2 ** 31;
      message.params = {
        ...params,
        processId: isValidProcessId ? params.processId : null,
        capabilities: withObjectsWhereExpected(params.capabilities),
      };
      connectionState = 'running';
      return null;
    }
    if (connectionState === 'new')
      return { code: ErrorCodes.ServerNotInitialized, message: `${method} before initialize` };
    if (method === REFUSED_METHOD) return { code: ErrorCodes.MethodNotFound, message: 'no request of the protocol' };
    if (method === 'shutdown') connectionState = 'down';
    const checkOfMethod = CHECK_BY_METHOD[method];
    if (!checkOfMethod) return null;
    // Some libraries send the parameter object in a list.
    if (Array.isArray(message.params) && message.params.length === 1) [message.params] = message.params as unknown[];
    if (isObject(message.params) && checkOfMethod(message.params)) return null;
    return { code: ErrorCodes.InvalidParams, message: `the parameters of ${method} are not what the protocol says` };
  };

  return {
    messageStrategy: {
      handleMessage(message, next) {
        if (Message.isRequest(message) || Message.isNotification(message)) {
          const refusalOfMessage = validateMessage(message as IncomingMessage);
          if (refusalOfMessage && Message.isRequest(message))
            return next({ ...message, method: REFUSED_METHOD, params: refusalOfMessage } as Message);
          if (refusalOfMessage)
            return void ignoredMessageLog?.note(`${message.method} is ignored: ${refusalOfMessage.message}.`);
        }
        return next(message);
      },
    },
    attach(connection, errorLog) {
      ignoredMessageLog = errorLog;
      connection.onRequest(REFUSED_METHOD, ({ code, message }: { code: number; message: string }) => {
        throw new ResponseError(code, message);
      });
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Whether a message is about the connection itself. The library checks the parameters of such
 * messages, except those of `$/setTrace`.
 */
function isAlwaysAccepted(method: string): boolean {
  return method === 'exit' || (method.startsWith('$/') && method !== '$/setTrace');
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;

function isPosition(value: unknown): boolean {
  return isObject(value) && isNumber(value.line) && isNumber(value.character);
}

function isRange(value: unknown): boolean {
  return isObject(value) && isPosition(value.start) && isPosition(value.end);
}

function isListOf(value: unknown, test: (item: unknown) => boolean): value is unknown[] {
  return Array.isArray(value) && value.every(test);
}

const hasDocument: ParameterCheck = ({ textDocument }) => isObject(textDocument) && isText(textDocument.uri);
const hasDocumentAndPosition: ParameterCheck = (params) => hasDocument(params) && isPosition(params.position);

/**
 * Whether a value may be the `data` of a completion item, which the client sends back. Such data
 * contain only texts and `true`.
 */
const isCompletionData = (value: unknown): boolean =>
  isObject(value) &&
  Object.values(value).every((each) => isText(each) || each === true) &&
  'of' in value === 'word' in value;
/** Whether a value may be the argument of the command that applies a fix. */
const isRequestedFix = (value: unknown): boolean =>
  isObject(value) && isText(value.uri) && isText(value.title) && isRange(value.range);

const hasItem: ParameterCheck = ({ item }) => isObject(item) && isText(item.uri);
const hasRenames: ParameterCheck = ({ files }) =>
  isListOf(files, (file) => isObject(file) && isText(file.oldUri) && isText(file.newUri));
/** Whether a value may be a task on the server, which the client sends back for the report. */
function isTask(value: unknown): boolean {
  return (
    isObject(value) &&
    isText(value.id) &&
    isText(value.what) &&
    isMissingOr(value.title, isText) &&
    isListOf(value.because, isObject) &&
    (value.commands == null || isListOf(value.commands, isText))
  );
}

/** Whether a value may be a choice among the ready fixes of a plan. */
const isRequestedReadyFixes = (value: unknown): boolean =>
  isObject(value) &&
  isMissingOr(value.root, isText) &&
  isMissingOr(value.file, isText) &&
  isMissingOr(value.items, (items) =>
    isListOf(
      items,
      (item) => isObject(item) && isText(item.rule) && isText(item.file) && isNumber(item.line) && isText(item.title),
    ),
  );

const hasRange = (value: unknown): boolean => isObject(value) && isRange(value.range);

/** Whether a value may be the place of an old access line. */
const isOldLinePosition = (value: unknown): boolean => isObject(value) && isText(value.uri) && isNumber(value.line);

function isMissingOr(value: unknown, test: (givenValue: unknown) => boolean): boolean {
  return value == null || test(value);
}

/** Checks the parameters of formatting requests. Adds missing options. */
function checkFormatting(params: Params): boolean {
  if (!isObject(params.options)) params.options = {};
  return hasDocument(params);
}

/** The check of each method's parameters. Some checks also add defaults for missing parameters. */
const CHECK_BY_METHOD: Readonly<Record<string, ParameterCheck>> = {
  'textDocument/didOpen'({ textDocument }) {
    if (!isObject(textDocument) || !isText(textDocument.uri) || !isText(textDocument.text)) return false;
    if (!isText(textDocument.languageId)) textDocument.languageId = 'apacheconf';
    if (typeof textDocument.version !== 'number') textDocument.version = 0;
    return true;
  },
  'textDocument/didChange'(params) {
    const { textDocument, contentChanges } = params;
    if (
      !hasDocument(params) ||
      !isListOf(
        contentChanges,
        (change) => isObject(change) && isText(change.text) && (change.range == null || isRange(change.range)),
      )
    )
      return false;
    for (const change of contentChanges as Params[]) if (change.range === null) delete change.range;
    if (typeof (textDocument as Params).version !== 'number') (textDocument as Params).version = 0;
    return true;
  },
  '$/setTrace': ({ value }) => isText(value),
  'textDocument/didClose': hasDocument,
  'textDocument/didSave': hasDocument,
  'textDocument/willSave': hasDocument,
  'textDocument/willSaveWaitUntil': hasDocument,
  'textDocument/hover': hasDocumentAndPosition,
  'textDocument/completion': (params) =>
    hasDocumentAndPosition(params) && (params.context == null || isObject(params.context)),
  'textDocument/signatureHelp': hasDocumentAndPosition,
  'textDocument/definition': hasDocumentAndPosition,
  'textDocument/references'(params) {
    if (!isObject(params.context)) params.context = {};
    (params.context as Params).includeDeclaration ??= true;
    return hasDocumentAndPosition(params);
  },
  'textDocument/documentHighlight': hasDocumentAndPosition,
  'textDocument/prepareRename': hasDocumentAndPosition,
  'textDocument/rename': (params) => hasDocumentAndPosition(params) && isText(params.newName),
  'textDocument/documentLink': hasDocument,
  'textDocument/documentSymbol': hasDocument,
  'textDocument/foldingRange': hasDocument,
  'textDocument/inlayHint': (params) => hasDocument(params) && isRange(params.range),
  'textDocument/selectionRange': (params) => hasDocument(params) && isListOf(params.positions, isPosition),
  'textDocument/linkedEditingRange': hasDocumentAndPosition,
  'textDocument/semanticTokens/full': hasDocument,
  'textDocument/semanticTokens/full/delta': (params) => hasDocument(params) && isText(params.previousResultId),
  'textDocument/semanticTokens/range': (params) => hasDocument(params) && isRange(params.range),
  'textDocument/formatting': checkFormatting,
  'textDocument/rangeFormatting': (params) => checkFormatting(params) && isRange(params.range),
  'textDocument/rangesFormatting': (params) => checkFormatting(params) && isListOf(params.ranges, isRange),
  'workspace/textDocumentContent': ({ uri }) => isText(uri),
  'textDocument/onTypeFormatting': (params) =>
    checkFormatting(params) && isPosition(params.position) && isText(params.ch),
  'textDocument/codeAction'(params) {
    if (!hasDocument(params) || !isRange(params.range)) return false;
    const context = isObject(params.context) ? params.context : {};
    params.context = {
      ...context,
      diagnostics: Array.isArray(context.diagnostics) ? context.diagnostics : [],
      only: isListOf(context.only, isText) ? context.only : undefined,
    };
    return true;
  },
  'textDocument/diagnostic': (params) =>
    hasDocument(params) && (params.previousResultId == null || isText(params.previousResultId)),
  'workspace/diagnostic'(params) {
    params.previousResultIds ??= [];
    return isListOf(params.previousResultIds, (item) => isObject(item) && isText(item.uri) && isText(item.value));
  },
  'completionItem/resolve': ({ label, data }) => isText(label) && (data == null || isCompletionData(data)),
  'codeAction/resolve': ({ title, data, diagnostics }) =>
    isText(title) &&
    isMissingOr(
      data,
      (action) =>
        isObject(action) &&
        (action.fixAllOf === undefined ||
          (isText(action.fixAllOf) && isText(action.uri) && isListOf(diagnostics, hasRange) && diagnostics.length > 0)),
    ),
  'textDocument/codeLens': hasDocument,
  'codeLens/resolve': ({ range, data }) =>
    isRange(range) && (!isObject(data) || (isMissingOr(data.uri, isText) && isMissingOr(data.name, isText))),
  'textDocument/prepareCallHierarchy': hasDocumentAndPosition,
  'callHierarchy/incomingCalls': hasItem,
  'callHierarchy/outgoingCalls': hasItem,
  'workspace/symbol': ({ query }) => isText(query),
  'workspace/willRenameFiles': hasRenames,
  'workspace/didRenameFiles': hasRenames,
  'workspace/didChangeConfiguration': () => true,
  'workspace/didChangeWatchedFiles': ({ changes }) =>
    isListOf(changes, (change) => isObject(change) && isText(change.uri) && isNumber(change.type)),
  'workspace/didChangeWorkspaceFolders'({ event }) {
    const isFolder = (folder: unknown) => isObject(folder) && isText(folder.uri);
    return isObject(event) && isListOf((event.added ??= []), isFolder) && isListOf((event.removed ??= []), isFolder);
  },
  'httpdUpgrade/ran': ({ commands }) => isListOf(commands, isText),
  'httpdUpgrade/report': ({ tasks, ticked, most }) =>
    (tasks == null ||
      (isObject(tasks) &&
        !Object.hasOwn(tasks, '__proto__') &&
        Object.values(tasks).every((each) => isListOf(each, isTask)))) &&
    (ticked == null || isListOf(ticked, isText)) &&
    (most == null || isNumber(most)),
  'httpdUpgrade/target': ({ uri }) => isText(uri),
  'httpdUpgrade/closingTag': ({ uri, position }) => isText(uri) && isPosition(position),
  'httpdUpgrade/verify': ({ uri, httpd }) => isText(uri) && isText(httpd),
  'httpdUpgrade/includeTree': ({ uri }) => uri == null || isText(uri),
  'httpdUpgrade/rulePage': ({ rule }) => isText(rule),
  'httpdUpgrade/planConversion': ({ uri, fix, ready, access }) =>
    isMissingOr(uri, isText) &&
    isMissingOr(fix, isRequestedFix) &&
    isMissingOr(ready, isRequestedReadyFixes) &&
    isMissingOr(access, isOldLinePosition),
  'httpdUpgrade/applyConversion': ({ id }) => isNumber(id),
  'httpdUpgrade/whoGains': ({ id }) => isNumber(id),
  'workspace/executeCommand': (params) =>
    isText(params.command) &&
    (params.arguments == null || Array.isArray(params.arguments)) &&
    (params.command !== APPLY_FIX_COMMAND || isRequestedFix((params.arguments as readonly unknown[] | null)?.[0])),
};

/**
 * The client's capabilities with an object wherever the protocol has one, without values that are
 * null. So later code can read them without checks. Wrong lists and booleans are handled where they
 * are read.
 */
function withObjectsWhereExpected(value: unknown, depth = 0): Params {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, innerValue]) => {
      if (innerValue === null) return [];
      // Level 0 has the objects workspace, window and textDocument. Level 1 has completion, hover
      // and so on; what is inside them stays.
      return depth < 1 ? [[name, withObjectsWhereExpected(innerValue, depth + 1)]] : [[name, innerValue]];
    }),
  );
}
