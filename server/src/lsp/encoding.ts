/**
 * Converts positions for clients that do not count UTF-16 units. All other code counts UTF-16
 * units; for a client that counts bytes or characters, the positions in all incoming and outgoing
 * messages are converted with the text of their lines. Costs nothing for a client that counts
 * UTF-16 units.
 */
import type { ClientCapabilities, Connection, Position, TextDocumentContentChangeEvent } from 'vscode-languageserver';
import { ENCODINGS, fromEncoding, toEncoding, type Encoding } from '../features/encodings';
import { ConfigDocument, type Tree } from '../syntax/document';
import { wrapHandlers, type Handler } from './error-boundary';
import { isObject } from '../settings/values';

/** The first encoding in the client's list that this server supports. */
export function encodingFor({ general }: ClientCapabilities): Encoding {
  const encodings: readonly unknown[] = Array.isArray(general?.positionEncodings) ? general.positionEncodings : [];
  return (
    ENCODINGS.find((each) => each === encodings.find((wanted) => ENCODINGS.includes(wanted as Encoding))) ?? 'utf-16'
  );
}

/** Finds the files whose texts are needed to convert positions. */
export interface TreeSource {
  /** The tree of an open document; undefined if it is not open. */
  openTree(uri: string): Tree | undefined;
  /** The tree of a file that is not open; null if it cannot be read. */
  closedTree(uri: string): Promise<Tree | null>;
}

/**
 * Makes the connection convert positions: in the parameters and results of all handlers, and in
 * everything that the server sends.
 */
export function convertPositions(connection: Connection, encoding: Encoding, treeSource: TreeSource): void {
  if (encoding === 'utf-16') return;
  /** Copies a value from the client, with its positions in UTF-16. */
  const toServer = (value: unknown, uri: string | null) =>
    withConvertedPositions(value, uri, (position, uriOfPosition) =>
      withConvertedCharacter(position, treeSource.openTree(uriOfPosition), (text, character) =>
        fromEncoding(text, character, encoding),
      ),
    );
  /** Copies a value for the client, with its positions in `encoding`. */
  const toClient = async (value: unknown, uri: string | null): Promise<unknown> => {
    const closedTrees = new Map<string, Tree | null>();
    withConvertedPositions(value, uri, (position, documentUri) => {
      if (!treeSource.openTree(documentUri)) closedTrees.set(documentUri, null);
      return position;
    });
    for (const documentUri of closedTrees.keys())
      closedTrees.set(documentUri, await treeSource.closedTree(documentUri));
    return withConvertedPositions(value, uri, (position, documentUri) =>
      withConvertedCharacter(
        position,
        treeSource.openTree(documentUri) ?? closedTrees.get(documentUri),
        (text, character) => toEncoding(text, character, encoding),
      ),
    );
  };
  wrapHandlers(connection, (method, handler) =>
    METHODS_WITHOUT_POSITIONS.test(method) ? handler : convertingHandler(handler, toServer, toClient),
  );
  const methods = connection as unknown as Record<string, Handler>;
  // Diagnostics are sent one after the other, so that the diagnostics of one file keep their order.
  let lastSend: Promise<unknown> = Promise.resolve();
  const { sendDiagnostics, sendRequest } = methods as { sendDiagnostics: Handler; sendRequest: Handler };
  methods.sendDiagnostics = (params: unknown) =>
    (lastSend = lastSend.then(async () => sendDiagnostics(await toClient(params, uriOf(params)))));
  methods.sendRequest = async (type: unknown, ...args: unknown[]) =>
    sendRequest(type, ...(await Promise.all(args.map((arg) => (isObject(arg) ? toClient(arg, null) : arg)))));
}

/**
 * The document class for `TextDocuments`. It converts the positions of changes. The positions of
 * each change refer to the text that the previous change produced.
 */
export function documentClassFor(encoding: Encoding): {
  create: typeof ConfigDocument.create;
  update: typeof ConfigDocument.update;
} {
  if (encoding === 'utf-16') return ConfigDocument;
  const positionInUtf16 = (position: Position, { tree }: ConfigDocument) =>
    withConvertedCharacter(position, tree, (text, character) => fromEncoding(text, character, encoding));
  return {
    create: (...parameters) => ConfigDocument.create(...parameters),
    update(document, changes: readonly TextDocumentContentChangeEvent[], version) {
      for (const change of changes) {
        const isRange = 'range' in change && change.range !== undefined;
        ConfigDocument.update(
          document,
          [
            isRange
              ? {
                  text: change.text,
                  range: {
                    start: positionInUtf16(change.range.start, document),
                    end: positionInUtf16(change.range.end, document),
                  },
                }
              : change,
          ],
          version,
        );
      }
      return ConfigDocument.update(document, [], version);
    },
  };
}

/**
 * Converts the positions and lengths of semantic tokens from UTF-16 to an encoding. `data` has the
 * tokens in the form of the protocol: five numbers for a token.
 */
export function tokensInEncoding(data: Uint32Array, tree: Tree, encoding: Encoding): Uint32Array {
  if (encoding === 'utf-16') return data;
  const encodedTokens = Uint32Array.from(data);
  let tokenLine = 0;
  let tokenStart = 0;
  let startInEncoding = 0;
  let textOfLine = '';
  for (let index = 0; index < data.length; index += 5) {
    if (data[index]! > 0 || index === 0) {
      tokenLine += data[index]!;
      textOfLine = lineText(tree, tokenLine);
      tokenStart = startInEncoding = 0;
    }
    tokenStart += data[index + 1]!;
    const convertedStart = toEncoding(textOfLine, tokenStart, encoding);
    encodedTokens[index + 1] = convertedStart - startInEncoding;
    encodedTokens[index + 2] = toEncoding(textOfLine, tokenStart + data[index + 2]!, encoding) - convertedStart;
    startInEncoding = convertedStart;
  }
  return encodedTokens;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Methods whose messages have no positions, and notifications of changes, whose positions
 * `documentClassFor` converts.
 */
const METHODS_WITHOUT_POSITIONS =
  /^(?:onDid|onWill(?:Save)?|onInitialize|onShutdown|onExit|workspace\/did|initialize|httpdUpgrade\/trusted)/;

/** Fields that clients return unchanged and that only this program reads. */
const FIELDS_WITHOUT_POSITIONS: ReadonlySet<string> = new Set(['data', 'arguments', 'options']);

type ConvertPosition = (position: Position, uri: string) => Position;

/** A handler whose parameters and result are converted. */
function convertingHandler(
  handler: Handler,
  convertIncoming: (value: unknown, uri: string | null) => unknown,
  convertOutgoing: (value: unknown, uri: string | null) => Promise<unknown>,
): Handler {
  return async (params, ...otherArguments) => {
    const uri = uriOf(params);
    const utf16Params = convertIncoming(params, uri);
    // The library would send partial results without conversion, so they are switched off.
    if (isObject(utf16Params)) delete utf16Params.partialResultToken;
    return convertOutgoing(await handler(utf16Params, ...otherArguments), uri);
  };
}

/**
 * Copies a value and converts all positions in it. `uri` names the document of these positions
 * (null: unknown); an inner object may name another document.
 */
function withConvertedPositions(value: unknown, uri: string | null, convert: ConvertPosition): unknown {
  if (Array.isArray(value)) return value.map((item) => withConvertedPositions(item, uri, convert));
  if (!isObject(value)) return value;
  if (typeof value.line === 'number' && typeof value.character === 'number')
    return uri === null ? value : convert({ line: value.line, character: value.character }, uri);
  const documentUriOfValue = uriOf(value) ?? uri;
  return Object.fromEntries(
    Object.entries(value).map(([name, innerValue]): [string, unknown] => {
      if (FIELDS_WITHOUT_POSITIONS.has(name)) return [name, innerValue];
      if (name === 'changes' && isObject(innerValue) && !Array.isArray(innerValue))
        return [
          name,
          Object.fromEntries(
            Object.entries(innerValue).map(([editedUri, edits]) => [
              editedUri,
              withConvertedPositions(edits, editedUri, convert),
            ]),
          ),
        ];
      if (name === 'originSelectionRange') return [name, withConvertedPositions(innerValue, uri, convert)];
      // In a call of the call hierarchy, `fromRanges` are in the file of the item `from`.
      if (name === 'fromRanges' && isObject(value.from))
        return [name, withConvertedPositions(innerValue, uriOf(value.from), convert)];
      return [name, withConvertedPositions(innerValue, documentUriOfValue, convert)];
    }),
  );
}

/** The URI of the document that an object of the protocol names; null if it names none. */
function uriOf(value: unknown): string | null {
  if (!isObject(value)) return null;
  for (const name of ['uri', 'targetUri']) if (typeof value[name] === 'string') return value[name];
  for (const name of ['textDocument', 'item', 'data']) {
    const innerValue = value[name];
    if (isObject(innerValue) && typeof innerValue.uri === 'string') return innerValue.uri;
  }
  return null;
}

/**
 * The position with its character converted by `convertCharacter`, which gets the text of the line.
 * Unchanged if the text is unknown.
 */
function withConvertedCharacter(
  position: Position,
  tree: Tree | null | undefined,
  convertCharacter: (text: string, character: number) => number,
): Position {
  if (!tree || position.character === 0 || position.line >= tree.lineCount) return position;
  return { line: position.line, character: convertCharacter(lineText(tree, position.line), position.character) };
}

/** The text of a line as the protocol counts lines, without its line end. */
function lineText(tree: Tree, line: number): string {
  return tree.text(tree.offsetAt({ line, character: 0 }), tree.offsetAt({ line, character: Number.MAX_SAFE_INTEGER }));
}
