/**
 * The tools of the MCP server. Each runs a command of the command line that only reads, and
 * shortens its JSON. Lines in results are counted from 1.
 */
import { RefusedArgumentError, type Roots } from './roots';

/** The output of a command of the command line, and its exit code. */
export interface CommandOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the command line with these arguments. */
export type RunCommand = (argv: readonly string[]) => Promise<CommandOutput>;

/** The arguments of a call, as the client sent them. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** The result of a call, for the client. */
export interface ToolResult {
  /** The result as text for the language model. */
  readonly text: string;
  readonly isError?: boolean;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A tool that the server offers. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  call(toolArguments: ToolArguments, context: ToolContext): Promise<ToolResult>;
}

/** What a tool gets besides its arguments when an agent calls it. */
export interface ToolContext {
  readonly roots: Roots;
  readonly run: RunCommand;
  readonly allowsVerify: boolean;
}

/** Limit for the number of listed items. The result says how many are left out. */
const MAX_LISTED_ITEMS = 50;

/**
 * Limits for the length of an argument in characters, and for the number of items in a list. More
 * would keep the server busy for minutes.
 */
const MAX_ARGUMENT_LENGTH = 64 * 1024;
const MAX_LIST_LENGTH = 1000;

const PATH_SCHEMA = {
  type: 'string',
  description: 'A main configuration file such as conf/httpd.conf, or a directory.',
};
const PATHS_SCHEMA = {
  type: 'array',
  items: PATH_SCHEMA,
  description: 'Files and directories below a root. Default: the first root.',
};
const ANSWERS_SCHEMA = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Answers to questions of the plan, by their ids. Ask the user; do not guess.',
};

/** All tools. */
export const TOOLS: readonly Tool[] = [
  {
    name: 'check',
    title: 'Check configuration',
    description:
      'Finds what Apache httpd 2.4 rejects, ignores or reads differently than 2.2, with file and line. Reads only.',
    properties: { paths: PATHS_SCHEMA, answers: ANSWERS_SCHEMA },
    required: [],
    async call(toolArguments, { roots, run }) {
      const commandOutput = await run([
        'check',
        '--format',
        'json',
        ...answerArguments(toolArguments),
        '--',
        ...allowedPaths(toolArguments, roots),
      ]);
      const checkOutput = parsedOutput<CheckOutput>(commandOutput);
      if (checkOutput === null) return failedResult(commandOutput);
      const findings = checkOutput.files.flatMap(({ path, findings }) =>
        findings.map(({ range, rule, severity, message, help, fixes }) => ({
          file: displayPath(path),
          line: range.start.line + 1,
          severity,
          rule,
          message,
          ...(help !== null && { help }),
          ...(fixes[0] && { fix: `${fixes[0].title} (${fixes[0].safety})` }),
        })),
      );
      const { error, warning, info, hint } = checkOutput.summary;
      const rows = findings.map(
        ({ file, line, severity, rule, message, fix }) =>
          `${file}:${line} ${severity}[${rule}] ${message}${fix === undefined ? '' : ` — ${fix}`}`,
      );
      return {
        text: `${error} errors, ${warning} warnings, ${info} info, ${hint} hints.\n${limitedList(rows)}`,
        data: {
          findings: findings.slice(0, MAX_LISTED_ITEMS),
          omitted: Math.max(0, findings.length - MAX_LISTED_ITEMS),
          summary: checkOutput.summary,
        },
      };
    },
  },
  {
    name: 'plan',
    title: 'Plan the upgrade',
    description:
      'The upgrade plan of a configuration: fixes that are ready, questions to answer, changes by hand, tasks on the server. Reads only.',
    properties: { paths: PATHS_SCHEMA, answers: ANSWERS_SCHEMA },
    required: [],
    async call(toolArguments, { roots, run }) {
      const commandOutput = await run([
        'plan',
        '--format',
        'json',
        ...answerArguments(toolArguments),
        '--',
        ...allowedPaths(toolArguments, roots),
      ]);
      const plan = parsedOutput<PlanOutput>(commandOutput);
      if (plan === null) return failedResult(commandOutput);
      const configurations = plan.configurations.map((each) => ({
        root: displayPath(each.root),
        ready: each.ready.length,
        waiting: each.waiting.length,
        questions: each.questions.map(({ id, question, why, findOut, answers: choices, answer }) => ({
          id,
          question,
          why,
          findOut,
          answers: choices.map(({ value, label }) => ({ value, label })),
          answer,
        })),
        byHand: each.byHand
          .slice(0, MAX_LISTED_ITEMS)
          .map(({ file, line, what }) => ({ file: displayPath(file), line: line + 1, what })),
        onServer: each.onServer.map(({ what, commands }) => ({ what, ...(commands && { commands }) })),
      }));
      return { text: configurations.map(planText).join('\n\n') || 'Nothing to upgrade.', data: { configurations } };
    },
  },
  {
    name: 'fix_preview',
    title: 'Preview fixes',
    description:
      'The changes that fix the files, as unified diffs. Writes nothing: apply them with your own editor after the user agrees. Safe fixes keep what the server does; `unsafe` adds suggestions to review.',
    properties: {
      paths: PATHS_SCHEMA,
      answers: ANSWERS_SCHEMA,
      unsafe: { type: 'boolean', description: 'Also suggestions. Default: false.' },
      text: { type: 'boolean', description: 'Also the whole new text of each file. Default: false.' },
    },
    required: [],
    async call(toolArguments, { roots, run }) {
      const unsafe = toolArguments.unsafe === true ? ['--unsafe'] : [];
      const commandOutput = await run([
        'fix',
        '--format',
        'json',
        ...unsafe,
        ...answerArguments(toolArguments),
        '--',
        ...allowedPaths(toolArguments, roots),
      ]);
      const fixOutput = parsedOutput<FixOutput>(commandOutput);
      if (fixOutput === null) return failedResult(commandOutput);
      const files = fixOutput.files.map(({ path, fixes, diff, after }) => ({
        path,
        fixes,
        diff,
        ...(toolArguments.text === true && { after }),
      }));
      const { error, warning } = fixOutput.left;
      const leftText = `After these changes ${error} errors and ${warning} warnings are left.`;
      return {
        text:
          files.length === 0
            ? `Nothing to fix. ${leftText}`
            : `${files.map(({ diff }) => diff).join('\n')}\n${leftText}`,
        data: { files, left: fixOutput.left },
      };
    },
  },
  {
    name: 'explain',
    title: 'Explain',
    description: 'Explains a directive, a rule, a module, a status or a line of the error log of httpd.',
    properties: {
      term: { type: 'string', description: 'Such as Order, AH01797, 403 forbidden, or a line of the log.' },
    },
    required: ['term'],
    async call(toolArguments, { roots, run }) {
      const term = textArgument(toolArguments, 'term').trim();
      if (term === '' || term.startsWith('-'))
        throw new RefusedArgumentError('`term` is a word or a line of the log, no option.');
      // If the term is the path of a log file, the command reads this file, so the path must be
      // allowed.
      if (/^[./~]|^[A-Za-z]:[\\/]/.test(term)) roots.allowedPath(term);
      const commandOutput = await run(['explain', term]);
      return {
        text: commandOutput.stdout.trim() || commandOutput.stderr.trim(),
        ...(commandOutput.code !== 0 && { isError: true }),
      };
    },
  },
  {
    name: 'explain_request',
    title: 'Explain a request',
    description:
      'Who has access: which virtual host and sections apply to a request, and what 2.2, 2.4 with mod_access_compat, and 2.4 after conversion decide, with the deciding line. Sends nothing.',
    properties: {
      root: PATH_SCHEMA,
      request: { type: 'string', description: 'METHOD URL, such as: GET https://shop.example.org/admin/' },
      from: { type: 'string', description: 'The address of the client, its host name, or both with a comma.' },
      user: { type: 'string', description: 'A login whose password is right.' },
      headers: { type: 'array', items: { type: 'string' }, description: 'Such as: X-Flag: y' },
      answers: ANSWERS_SCHEMA,
    },
    required: ['root', 'request'],
    async call(toolArguments, { roots, run }) {
      const options = [
        ['--request', textArgument(toolArguments, 'request')],
        ...(toolArguments.from === undefined ? [] : [['--from', textArgument(toolArguments, 'from')]]),
        ...(toolArguments.user === undefined ? [] : [['--user', textArgument(toolArguments, 'user')]]),
        ...listArgument(toolArguments, 'headers').map((header) => ['--header', header]),
      ].map(([name, value]) => `${name}=${value}`);
      const root = roots.allowedPath(textArgument(toolArguments, 'root'));
      const commandOutput = await run([
        'explain',
        ...options,
        ...answerArguments(toolArguments),
        '--format',
        'json',
        root,
      ]);
      return jsonResult(commandOutput);
    },
  },
  {
    name: 'who_has_access',
    title: 'Who has access',
    description: 'For each section of a configuration: who has access in 2.2 and in 2.4. Reads only.',
    properties: { root: PATH_SCHEMA, answers: ANSWERS_SCHEMA },
    required: ['root'],
    async call(toolArguments, { roots, run }) {
      const commandOutput = await run([
        'access',
        '--format',
        'json',
        ...answerArguments(toolArguments),
        roots.allowedPath(textArgument(toolArguments, 'root')),
      ]);
      return jsonResult(commandOutput);
    },
  },
  {
    name: 'verify',
    title: 'Verify with a real httpd',
    description:
      'Lets an installed httpd 2.4 read the configuration (httpd -t). Runs a program: only if the user started the server with --allow-verify.',
    properties: { root: PATH_SCHEMA },
    required: ['root'],
    async call(toolArguments, { roots, run, allowsVerify }) {
      if (!allowsVerify)
        return {
          isError: true,
          text: 'Not allowed: this would run httpd. The user can start `httpd-upgrade mcp --allow-verify`, or run `httpd-upgrade verify ROOT`.',
        };
      const commandOutput = await run([
        'verify',
        '--format',
        'json',
        roots.allowedPath(textArgument(toolArguments, 'root')),
      ]);
      return jsonResult(commandOutput);
    },
  },
];

// ---------------------------------------------------------------------------------------------------------------------

/** The parts of the JSON of `check` that the tools read. */
interface CheckOutput {
  readonly files: readonly {
    readonly path: string;
    readonly findings: readonly {
      readonly rule: string;
      readonly severity: string;
      readonly message: string;
      readonly help: string | null;
      readonly range: { readonly start: { readonly line: number } };
      readonly fixes: readonly { readonly title: string; readonly safety: string }[];
    }[];
  }[];
  readonly summary: Readonly<Record<'error' | 'warning' | 'info' | 'hint', number>>;
}

/** The parts of the JSON of `plan` that the tools read. */
interface PlanOutput {
  readonly configurations: readonly {
    readonly root: string;
    readonly ready: readonly object[];
    readonly waiting: readonly object[];
    readonly questions: readonly {
      readonly id: string;
      readonly question: string;
      readonly why: string;
      readonly findOut: string;
      readonly answers: readonly { readonly value: string; readonly label: string }[];
      readonly answer: string | null;
    }[];
    readonly byHand: readonly { readonly file: string; readonly line: number; readonly what: string }[];
    readonly onServer: readonly { readonly what: string; readonly commands?: readonly string[] }[];
  }[];
}

/** The parts of the JSON of `fix` that the tools read. */
interface FixOutput {
  readonly files: readonly {
    readonly path: string;
    readonly fixes: number;
    readonly diff: string;
    readonly after: string;
  }[];
  readonly left: Readonly<Record<'error' | 'warning', number>>;
}

/** A configuration of the plan, as `planText` writes it. Lines are counted from 1. */
interface PlanRow {
  readonly root: string;
  readonly ready: number;
  readonly waiting: number;
  readonly questions:
    | PlanOutput['configurations'][number]['questions']
    | readonly {
        readonly id: string;
        readonly question: string;
        readonly answers: readonly { readonly value: string; readonly label: string }[];
        readonly answer: string | null;
      }[];
  readonly byHand: PlanOutput['configurations'][number]['byHand'];
  readonly onServer: PlanOutput['configurations'][number]['onServer'];
}

/** The plan of a configuration as text, one line for each step. */
function planText({ root, ready, waiting, questions, byHand, onServer }: PlanRow): string {
  return [
    `${root}: ${ready} fixes are ready, ${waiting} wait for answers.`,
    ...questions.map(
      ({ id, question, answers: choices, answer }) =>
        `Question ${id}: ${question} Answers: ${choices.map(({ value, label }) => `${value} (${label})`).join('; ')}.${answer === null ? '' : ` Answered: ${answer}.`}`,
    ),
    ...byHand.map(({ file, line, what }) => `By hand, ${file}:${line}: ${what}`),
    ...onServer.map(({ what, commands }) => `On the server: ${what}${commands ? ` Run: ${commands.join('; ')}` : ''}`),
  ].join('\n');
}

/** The path without the `./` that `Roots.allowedPath` adds. */
function displayPath(path: string): string {
  return path.replace(/^\.\//, '');
}

/** The rows as text. If there are many, only the first ones and the number of the others. */
function limitedList(rows: readonly string[]): string {
  const more = rows.length - MAX_LISTED_ITEMS;
  return [
    ...rows.slice(0, MAX_LISTED_ITEMS),
    ...(more > 0 ? [`and ${more} more: check a single file to see them.`] : []),
  ].join('\n');
}

/** The result of a call: the JSON that a command wrote, with lines counted from 1. */
function jsonResult(output: CommandOutput): ToolResult {
  const json = parsedOutput<Record<string, unknown>>(output);
  if (json === null) return failedResult(output);
  const data = withLinesFromOne(json) as Record<string, unknown>;
  return { text: JSON.stringify(data), data };
}

/**
 * A copy of a JSON value in which each number with the key `line` is one higher. `name`: the key of
 * the value.
 */
function withLinesFromOne(value: unknown, name = ''): unknown {
  if (typeof value === 'number') return name === 'line' ? value + 1 : value;
  if (Array.isArray(value)) return value.map((each) => withLinesFromOne(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withLinesFromOne(each, key)]));
}

/** The JSON of a command; null if it wrote none. */
function parsedOutput<Shape>({ stdout }: CommandOutput): Shape | null {
  try {
    return JSON.parse(stdout) as Shape;
  } catch {
    return null;
  }
}

/** The result for a command that failed: its error messages. */
function failedResult({ stderr, stdout }: CommandOutput): ToolResult {
  return { isError: true, text: stderr.trim() || stdout.trim() || 'The command failed.' };
}

/** The paths of a call, checked against the roots; the first root if there are none. */
function allowedPaths(toolArguments: ToolArguments, roots: Roots): readonly string[] {
  const namedPaths = listArgument(toolArguments, 'paths');
  return (namedPaths.length === 0 ? ['.'] : namedPaths).map((each) => roots.allowedPath(each));
}

/** The answers of a call as options of the command line. */
function answerArguments({ answers: givenAnswers }: ToolArguments): readonly string[] {
  if (givenAnswers === undefined) return [];
  if (typeof givenAnswers !== 'object' || givenAnswers === null)
    throw new RefusedArgumentError('`answers` is an object of strings.');
  if (Object.values(givenAnswers).some((value) => typeof value === 'object'))
    throw new RefusedArgumentError('`answers` is an object of strings.');
  if (Object.keys(givenAnswers).length > MAX_LIST_LENGTH)
    throw new RefusedArgumentError(`\`answers\` has more than ${MAX_LIST_LENGTH} items.`);
  return Object.entries(givenAnswers).map(([id, value]) => `--answer=${id}=${String(value)}`);
}

/** An argument that must be a text. Throws `RefusedArgumentError` if it is not. */
function textArgument(toolArguments: ToolArguments, name: string): string {
  const value = toolArguments[name];
  if (typeof value !== 'string') throw new RefusedArgumentError(`\`${name}\` is a string.`);
  if (value.length > MAX_ARGUMENT_LENGTH)
    throw new RefusedArgumentError(`\`${name}\` is longer than ${MAX_ARGUMENT_LENGTH} characters.`);
  return value;
}

/**
 * An argument that must be a list of texts; empty if it is missing. Throws `RefusedArgumentError`
 * if it is something else.
 */
function listArgument(toolArguments: ToolArguments, name: string): readonly string[] {
  const value = toolArguments[name] ?? [];
  if (!Array.isArray(value) || value.some((each) => typeof each !== 'string'))
    throw new RefusedArgumentError(`\`${name}\` is a list of strings.`);
  if (value.length > MAX_LIST_LENGTH)
    throw new RefusedArgumentError(`\`${name}\` has more than ${MAX_LIST_LENGTH} items.`);
  return value as string[];
}
