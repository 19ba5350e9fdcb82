/**
 * `httpd-upgrade mcp`: a server of the Model Context Protocol over standard input and output, for
 * agents. It reads only below the roots of the client, writes nothing, and sends data only to the
 * client.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { pathToFileURL } from 'node:url';
import type { Readable, Writable } from 'node:stream';
import { CompleteLines, MAX_MESSAGE_BYTES } from './complete-lines';
import { RefusedArgumentError, Roots } from './roots';
import { TOOLS, type ToolArguments, type RunCommand } from './tools';

/** The streams of the server, and a function that runs commands. */
export interface McpOptions {
  readonly version: string;
  /** Whether the tool `verify` may run httpd (`--allow-verify`). */
  readonly allowsVerify: boolean;
  readonly input: Readable;
  readonly output: Writable;
  /**
   * Runs a command of the command line in a directory. The command may read only below the
   * directories `allowedFolders`.
   */
  run(argv: readonly string[], folder: string, allowedFolders: readonly string[]): ReturnType<RunCommand>;
}

const PROMPT_NAME = 'upgrade-this-server';

/** Runs the server. Resolves when the client has closed the connection. */
export async function serveMcp({ version, allowsVerify, input, output, run }: McpOptions): Promise<void> {
  const server = new Server(
    { name: 'httpd-upgrade', title: 'Apache httpd 2.2 → 2.4', version },
    { capabilities: { tools: {}, prompts: {} }, instructions: INSTRUCTIONS },
  );
  const readRoots = async (): Promise<Roots> => {
    if (!server.getClientCapabilities()?.roots) return new Roots([pathToFileURL(process.cwd()).href]);
    const { roots } = await server.listRoots();
    return new Roots(roots.map(({ uri }) => uri));
  };
  // Commands share the process, so they run one after another.
  let lastCall: Promise<unknown> = Promise.resolve();
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: TOOLS.map(({ name, title, description, properties, required }) => ({
      name,
      title,
      description,
      inputSchema: {
        type: 'object' as const,
        properties: { ...properties },
        required: [...required],
        additionalProperties: false,
      },
      annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = TOOLS.find(({ name }) => name === params.name);
    const callTool = async () => {
      if (!tool) return { isError: true, text: `There is no tool ${params.name}.` };
      const toolArguments = params.arguments ?? {};
      const [unknownName] = Object.keys(toolArguments).filter((name) => !Object.hasOwn(tool.properties, name));
      if (unknownName !== undefined)
        throw new RefusedArgumentError(
          `${tool.name} has no argument \`${unknownName}\`, but: ${Object.keys(tool.properties).join(', ')}.`,
        );
      const roots = await readRoots();
      const runInRoots: RunCommand = (argv) => run(argv, roots.firstFolder, roots.folders);
      return tool.call(toolArguments as ToolArguments, { roots, run: runInRoots, allowsVerify });
    };
    const answer = lastCall.then(callTool).catch((error: unknown) => {
      if (error instanceof RefusedArgumentError) return { isError: true, text: error.message };
      return { isError: true, text: `This is a defect of httpd-upgrade: ${(error as Error).message}` };
    });
    lastCall = answer;
    const { text, isError, data } = (await answer) as {
      text: string;
      isError?: boolean;
      data?: Record<string, unknown>;
    };
    return {
      content: [{ type: 'text' as const, text }],
      ...(data && { structuredContent: data }),
      ...(isError && { isError }),
    };
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: [
      {
        name: PROMPT_NAME,
        title: 'Upgrade this server',
        description: 'Brings an Apache httpd 2.2 configuration to 2.4, step by step.',
        arguments: [{ name: 'root', description: 'The main configuration file', required: false }],
      },
    ],
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
    if (params.name !== PROMPT_NAME) throw new Error(`There is no prompt ${params.name}.`);
    const root = params.arguments?.root ?? 'the configuration below the first root';
    return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: promptText(root) } }] };
  });
  const lines = new CompleteLines((id) => void output.write(`${JSON.stringify(tooLongAnswer(id))}\n`));
  const connectionEnd = new Promise<void>((resolve) => {
    server.onclose = resolve;
    lines.once('end', () => void server.close());
  });
  await server.connect(new StdioServerTransport(input.pipe(lines), output));
  await connectionEnd;
}

/**
 * The answer to a message that is too long: the error `Invalid Request` of JSON-RPC. `id`: the id
 * of the message; null if it is not known, as JSON-RPC wants.
 */
function tooLongAnswer(id: string | number | null): object {
  const message = `The message is longer than ${MAX_MESSAGE_BYTES} bytes and was not read. Send a path instead of a text, or fewer items.`;
  return { jsonrpc: '2.0', id, error: { code: ErrorCode.InvalidRequest, message } };
}

const INSTRUCTIONS =
  'Brings Apache httpd 2.2 configuration to 2.4 and keeps access as it was. All tools only read. Call `plan` first, ask the user its questions, then `fix_preview`, and apply the diffs with your own editor after the user agrees.';

/** The text of the prompt that asks an assistant to upgrade the configuration in `root`. */
function promptText(root: string): string {
  return `Upgrade the Apache httpd configuration of ${root} from 2.2 to 2.4.

1. Call \`plan\`. Show me what is ready, what you have to ask, and what stays by hand.
2. Ask me each question of the plan, with its answers and the command that finds out. Never guess an answer: it decides who has access.
3. Call \`fix_preview\` with my answers. Show me the diffs, and write them only after I agree.
4. Call \`check\` again. For what is left, call \`explain\` and propose a change.
5. Show me the tasks on the server. Call \`verify\` if it is allowed.`;
}
