/**
 * The language server as a process: over IPC if the editor asks for it, otherwise over stdio
 * (`--stdio`).
 */
import { Console } from 'node:console';
import path from 'node:path';
import { Transform } from 'node:stream';
import {
  createConnection,
  IPCMessageReader,
  IPCMessageWriter,
  ProposedFeatures,
  StreamMessageWriter,
  type Connection,
  type ConnectionOptions,
  type StreamMessageReader,
} from 'vscode-languageserver/node';
import { newWorker, limitHeapGrowth } from './host/worker';
import { clientHost } from './host/client';
import { nodeHost } from './host/node';
import { messageText, withVisibleMessages } from './lsp/visible-messages';
import { FrameChecker } from './lsp/framing';
import { startServer } from './lsp/server';
import type { VerifyResult, Verify } from './lsp/verify';
import { version } from '../../package.json';

/** The options that select how the protocol's library connects to the client. */
const TRANSPORT_OPTION = /^--(?:stdio|node-ipc|socket|pipe)(?:=|$)/;

const errorLog = startServer({
  version,
  connect(options) {
    const transport = process.argv.find((argument) => TRANSPORT_OPTION.test(argument));
    if (transport === '--stdio') return overStdio(options);
    if (transport !== '--node-ipc') return createConnection(ProposedFeatures.all, options);
    const writer = withVisibleMessages(new IPCMessageWriter(process));
    return createConnection(ProposedFeatures.all, new IPCMessageReader(process), writer, options);
  },
  makeHost: (connection, isOffDisk) =>
    isOffDisk
      ? clientHost((method, params) => connection.sendRequest(method, params))
      : { ...nodeHost, startWorker: () => newWorker(__filename), limitMemory: limitHeapGrowth },
  verify,
});

/**
 * Connects like `--stdio` of the protocol's library, but writes messages with `messageText`.
 * Redirects console output to the error output, because it must not get between messages.
 */
function overStdio(options: ConnectionOptions): Connection {
  const { stdin, stdout, stderr } = process;
  const input = withFramesChecked(stdin, (problem) => {
    stderr.write(`httpd-upgrade: the language server ends, because ${problem}.\n`);
    const message = messageText({ jsonrpc: '2.0', id: null, error: { code: PARSE_ERROR, message: problem } });
    stdout.write(`Content-Length: ${Buffer.byteLength(message)}\r\n\r\n${message}`, () => process.exit(1));
  });
  globalThis.console = new Console(stderr);
  const encode = async (message: object) => Buffer.from(messageText(message), 'utf8');
  const writer = new StreamMessageWriter(stdout, { contentTypeEncoder: { name: 'application/json', encode } });
  // The type is wrong on purpose: the library ends the process when a stream ends, but not when a
  // reader ends. So it gets the stream.
  const reader = input as unknown as StreamMessageReader;
  return createConnection(ProposedFeatures.all, reader, writer, options);
}

/**
 * Passes the input on while its frames are valid. After an invalid frame it passes on nothing more
 * and calls `onProblem` once.
 */
function withFramesChecked(input: NodeJS.ReadableStream, onProblem: (problem: string) => void): NodeJS.ReadableStream {
  const framing = new FrameChecker();
  let isBroken = false;
  let timer: NodeJS.Timeout | undefined;
  const fail = (problem: string) => {
    if (!isBroken) onProblem(problem);
    isBroken = true;
  };
  const checkedInput = new Transform({
    transform(bytes: Buffer, _encoding, done) {
      clearTimeout(timer);
      const problem = isBroken ? null : framing.push(bytes);
      if (problem !== null) fail(problem);
      else if (framing.isMessageIncomplete) {
        const checkLength = () => framing.isLengthTooLarge && fail('a message is shorter than its Content-Length');
        timer = setTimeout(checkLength, MAX_PAUSE_MS);
        timer.unref();
      }
      done(null, isBroken ? undefined : bytes);
    },
  });
  return input.pipe(checkedInput);
}

/**
 * The longest pause within a message, in milliseconds. A client writes a message without pauses, so
 * a longer pause means that the length of the message is wrong.
 */
const MAX_PAUSE_MS = 1000;

/** The error code of JSON-RPC for a message that cannot be parsed. */
const PARSE_ERROR = -32700;

/** Runs `verify` of the command line without a terminal. */
async function verify({
  root,
  httpd,
  inPlace,
  settings,
  enabledModules,
  signal,
}: Parameters<Verify>[0]): Promise<VerifyResult | string> {
  const { verify: check, textOfAssumedModules } = await import('./cli/verify');
  const { unreadText } = await import('./analysis/unread-lines');
  const messages: string[] = [];
  const terminal = {
    reportFailure: (message: string) => void messages.push(message),
    reportProblem: (file: string, message: string) => void messages.push(`${file} ${message}`),
    showProgress() {},
    clearProgress() {},
  };
  const verdict = await check({
    mainFile: root,
    httpd,
    inPlace,
    defines: null,
    settings,
    enabledModules,
    terminal,
    signal,
  });
  if (!verdict) return messages.join('; ');
  const withAbsolutePaths = (problems: typeof verdict.problems) =>
    problems.map((each) => ({ ...each, file: each.file === null ? null : path.resolve(each.file) }));
  return {
    program: `httpd ${verdict.httpd.version} (${verdict.httpd.program})`,
    files: verdict.files,
    claimsPlace: verdict.claimsPlace,
    problems: withAbsolutePaths(verdict.problems),
    warnings: withAbsolutePaths(verdict.warnings),
    unchecked: withAbsolutePaths(verdict.unchecked),
    unread: verdict.unread && {
      text: unreadText(verdict.unread, verdict.way === 'command'),
      lines: verdict.unread.lines,
      isKnown: verdict.unread.isKnown,
    },
    assumedModules: verdict.assumedModules,
    assumedModulesText:
      verdict.assumedModules.length === 0 ? '' : textOfAssumedModules(verdict.assumedModules, verdict.neededModules),
    accepted: verdict.accepted,
  };
}

/**
 * Logs an uncaught error, so that it affects only its own request. Ends the process if the
 * connection to the client is lost.
 */
function handleUncaughtError(error: unknown): void {
  if (isOfConnection(error)) process.exit(1);
  errorLog.report('Something that nobody waited for', error);
}

/** Whether an error means that the connection to the client is lost. */
function isOfConnection(error: unknown): boolean {
  return [
    'EPIPE',
    'ECONNRESET',
    'ERR_STREAM_DESTROYED',
    'ERR_STREAM_WRITE_AFTER_END',
    'ERR_IPC_CHANNEL_CLOSED',
  ].includes((error as NodeJS.ErrnoException | null)?.code ?? '');
}

process.on('uncaughtException', handleUncaughtError);
process.on('unhandledRejection', handleUncaughtError);
