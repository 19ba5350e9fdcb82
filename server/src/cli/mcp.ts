/**
 * The command `mcp`: starts the MCP server, which is in a bundle of its own, and lets it run the
 * commands of this program.
 */
import { Writable } from 'node:stream';
import { readingLimit } from '../host/read-now';
import { serveMcp } from '../mcp/serve';
import { version } from './version';

/** What a command printed, and its exit code. */
interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the server. `main` runs a command line in this process. */
export async function startMcp(
  main: (argv: readonly string[]) => Promise<number | null>,
  allowsVerify: boolean,
): Promise<void> {
  const { stdout, stderr } = process;
  const writeToClient = stdout.write.bind(stdout);
  const output = new Writable({
    write: (chunk: Uint8Array, _encoding, done) => void writeToClient(chunk, () => done()),
  });
  const run = async (
    argv: readonly string[],
    folder: string,
    allowedFolders: readonly string[],
  ): Promise<CommandResult> => {
    const [stdoutChunks, stderrChunks]: [Uint8Array[], Uint8Array[]] = [[], []];
    const originalWrites = [stdout.write, stderr.write] as const;
    stdout.write = collectingWrite(stdoutChunks);
    stderr.write = collectingWrite(stderrChunks);
    process.chdir(folder);
    readingLimit.value = allowedFolders;
    try {
      return { code: (await main(argv)) ?? 0, stdout: decodedText(stdoutChunks), stderr: decodedText(stderrChunks) };
    } finally {
      [stdout.write, stderr.write] = originalWrites;
      readingLimit.value = null;
      process.exitCode = 0;
    }
  };
  await serveMcp({ version: version(), allowsVerify, input: process.stdin, output, run });
}

/** Makes a `write` function that collects what is written. */
function collectingWrite(chunks: Uint8Array[]): typeof process.stdout.write {
  return (chunk: string | Uint8Array, encoding?: unknown, done?: unknown): boolean => {
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    const callback = typeof encoding === 'function' ? encoding : done;
    if (typeof callback === 'function') process.nextTick(callback as () => void);
    return true;
  };
}

function decodedText(chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks).toString();
}
