/**
 * The tools of the MCP server. Each runs a command of the command line that reads and writes
 * nothing, and shortens its JSON: lines in results count from 1.
 */
import { RefusedPath, type Roots } from './roots';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export type Run = (argv: readonly string[]) => Promise<Ran>;

/** The arguments of a call, as the client sent them. */
export type Arguments = Readonly<Record<string, unknown>>;

export interface Result {
  /** For the model. */
  readonly text: string;
  readonly isError?: boolean;
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  call(given: Arguments, context: ToolContext): Promise<Result>;
}

export interface ToolContext {
  readonly roots: Roots;
  readonly run: Run;
  readonly allowsVerify: boolean;
}

/** Limit of listed items; the result says how many more there are. */
const MOST = 50;

const PATH = { type: 'string', description: 'A main configuration file such as conf/httpd.conf, or a directory.' };
const PATHS = {
  type: 'array',
  items: PATH,
  description: 'Files and directories below a root. Default: the first root.',
};
const ANSWERS = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Answers to questions of the plan, by their ids. Ask the user; do not guess.',
};

export const TOOLS: readonly Tool[] = [
  {
    name: 'check',
    title: 'Check configuration',
    description:
      'Finds what Apache httpd 2.4 rejects, ignores or reads differently than 2.2, with file and line. Reads only.',
    properties: { paths: PATHS, answers: ANSWERS },
    required: [],
    async call(given, { roots, run }) {
      const ran = await run(['check', '--format', 'json', ...answers(given), '--', ...paths(given, roots)]);
      const found = parsed<Checked>(ran);
      if (found === null) return failed(ran);
      const findings = found.files.flatMap(({ path, findings }) =>
        findings.map(({ range, rule, severity, message, help, fixes }) => ({
          file: shown(path),
          line: range.start.line + 1,
          severity,
          rule,
          message,
          ...(help !== null && { help }),
          ...(fixes[0] && { fix: `${fixes[0].title} (${fixes[0].safety})` }),
        })),
      );
      const { error, warning, info, hint } = found.summary;
      const rows = findings.map(
        ({ file, line, severity, rule, message, fix }) =>
          `${file}:${line} ${severity}[${rule}] ${message}${fix === undefined ? '' : ` — ${fix}`}`,
      );
      return {
        text: `${error} errors, ${warning} warnings, ${info} info, ${hint} hints.\n${limited(rows)}`,
        data: {
          findings: findings.slice(0, MOST),
          omitted: Math.max(0, findings.length - MOST),
          summary: found.summary,
        },
      };
    },
  },
  {
    name: 'plan',
    title: 'Plan the upgrade',
    description:
      'The upgrade plan of a configuration: fixes that are ready, questions to answer, changes by hand, tasks on the server. Reads only.',
    properties: { paths: PATHS, answers: ANSWERS },
    required: [],
    async call(given, { roots, run }) {
      const ran = await run(['plan', '--format', 'json', ...answers(given), '--', ...paths(given, roots)]);
      const plan = parsed<Planned>(ran);
      if (plan === null) return failed(ran);
      const configurations = plan.configurations.map((each) => ({
        root: shown(each.root),
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
        byHand: each.byHand.slice(0, MOST).map(({ file, line, what }) => ({ file: shown(file), line: line + 1, what })),
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
      paths: PATHS,
      answers: ANSWERS,
      unsafe: { type: 'boolean', description: 'Also suggestions. Default: false.' },
      text: { type: 'boolean', description: 'Also the whole new text of each file. Default: false.' },
    },
    required: [],
    async call(given, { roots, run }) {
      const unsafe = given.unsafe === true ? ['--unsafe'] : [];
      const ran = await run(['fix', '--format', 'json', ...unsafe, ...answers(given), '--', ...paths(given, roots)]);
      const fixed = parsed<Fixed>(ran);
      if (fixed === null) return failed(ran);
      const files = fixed.files.map(({ path, fixes, diff, after }) => ({
        path,
        fixes,
        diff,
        ...(given.text === true && { after }),
      }));
      const { error, warning } = fixed.left;
      const left = `After these changes ${error} errors and ${warning} warnings are left.`;
      return {
        text: files.length === 0 ? `Nothing to fix. ${left}` : `${files.map(({ diff }) => diff).join('\n')}\n${left}`,
        data: { files, left: fixed.left },
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
    async call(given, { roots, run }) {
      const term = text(given, 'term').trim();
      if (term === '' || term.startsWith('-'))
        throw new RefusedPath('`term` is a word or a line of the log, no option.');
      // The command reads a log file if the term is its path.
      if (/^[./~]|^[A-Za-z]:[\\/]/.test(term)) roots.allowed(term);
      const ran = await run(['explain', term]);
      return { text: ran.out.trim() || ran.err.trim(), ...(ran.code !== 0 && { isError: true }) };
    },
  },
  {
    name: 'explain_request',
    title: 'Explain a request',
    description:
      'Who has access: which virtual host and sections apply to a request, and what 2.2, 2.4 with mod_access_compat, and 2.4 after conversion decide, with the deciding line. Sends nothing.',
    properties: {
      root: PATH,
      request: { type: 'string', description: 'METHOD URL, such as: GET https://shop.example.org/admin/' },
      from: { type: 'string', description: 'The address of the client, its host name, or both with a comma.' },
      user: { type: 'string', description: 'A login whose password is right.' },
      headers: { type: 'array', items: { type: 'string' }, description: 'Such as: X-Flag: y' },
      answers: ANSWERS,
    },
    required: ['root', 'request'],
    async call(given, { roots, run }) {
      const options = [
        ['--request', text(given, 'request')],
        ...(given.from === undefined ? [] : [['--from', text(given, 'from')]]),
        ...(given.user === undefined ? [] : [['--user', text(given, 'user')]]),
        ...list(given, 'headers').map((header) => ['--header', header]),
      ].map(([name, value]) => `${name}=${value}`);
      const root = roots.allowed(text(given, 'root'));
      const ran = await run(['explain', ...options, ...answers(given), '--format', 'json', root]);
      return asJson(ran);
    },
  },
  {
    name: 'who_has_access',
    title: 'Who has access',
    description: 'For each section of a configuration: who has access in 2.2 and in 2.4. Reads only.',
    properties: { root: PATH, answers: ANSWERS },
    required: ['root'],
    async call(given, { roots, run }) {
      const ran = await run(['access', '--format', 'json', ...answers(given), roots.allowed(text(given, 'root'))]);
      return asJson(ran);
    },
  },
  {
    name: 'verify',
    title: 'Verify with a real httpd',
    description:
      'Lets an installed httpd 2.4 read the configuration (httpd -t). Runs a program: only if the user started the server with --allow-verify.',
    properties: { root: PATH },
    required: ['root'],
    async call(given, { roots, run, allowsVerify }) {
      if (!allowsVerify)
        return {
          isError: true,
          text: 'Not allowed: this would run httpd. The user can start `httpd-upgrade mcp --allow-verify`, or run `httpd-upgrade verify ROOT`.',
        };
      const ran = await run(['verify', '--format', 'json', roots.allowed(text(given, 'root'))]);
      return asJson(ran);
    },
  },
];

// ---------------------------------------------------------------------------------------------------------------------

interface Checked {
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

interface Planned {
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

interface Fixed {
  readonly files: readonly {
    readonly path: string;
    readonly fixes: number;
    readonly diff: string;
    readonly after: string;
  }[];
  readonly left: Readonly<Record<'error' | 'warning', number>>;
}

interface PlanRow {
  readonly root: string;
  readonly ready: number;
  readonly waiting: number;
  readonly questions:
    | Planned['configurations'][number]['questions']
    | readonly {
        readonly id: string;
        readonly question: string;
        readonly answers: readonly { readonly value: string; readonly label: string }[];
        readonly answer: string | null;
      }[];
  readonly byHand: Planned['configurations'][number]['byHand'];
  readonly onServer: Planned['configurations'][number]['onServer'];
}

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

/** Without the `./` that `Roots.allowed` adds. */
function shown(path: string): string {
  return path.replace(/^\.\//, '');
}

function limited(rows: readonly string[]): string {
  const more = rows.length - MOST;
  return [...rows.slice(0, MOST), ...(more > 0 ? [`and ${more} more: check a single file to see them.`] : [])].join(
    '\n',
  );
}

/** The JSON of a command, with lines that count from 1. */
function asJson(ran: Ran): Result {
  const json = parsed<Record<string, unknown>>(ran);
  if (json === null) return failed(ran);
  const data = fromOne(json) as Record<string, unknown>;
  return { text: JSON.stringify(data), data };
}

function fromOne(value: unknown, name = ''): unknown {
  if (typeof value === 'number') return name === 'line' ? value + 1 : value;
  if (Array.isArray(value)) return value.map((each) => fromOne(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fromOne(each, key)]));
}

/** The JSON of a command; null if it wrote none. */
function parsed<Shape>({ out }: Ran): Shape | null {
  try {
    return JSON.parse(out) as Shape;
  } catch {
    return null;
  }
}

function failed({ err, out }: Ran): Result {
  return { isError: true, text: err.trim() || out.trim() || 'The command failed.' };
}

function paths(given: Arguments, roots: Roots): readonly string[] {
  const named = list(given, 'paths');
  return (named.length === 0 ? ['.'] : named).map((each) => roots.allowed(each));
}

function answers({ answers: given }: Arguments): readonly string[] {
  if (given === undefined) return [];
  if (typeof given !== 'object' || given === null) throw new RefusedPath('`answers` is an object of strings.');
  return Object.entries(given).map(([id, value]) => `--answer=${id}=${String(value)}`);
}

function text(given: Arguments, name: string): string {
  const value = given[name];
  if (typeof value !== 'string') throw new RefusedPath(`\`${name}\` is a string.`);
  return value;
}

function list(given: Arguments, name: string): readonly string[] {
  const value = given[name] ?? [];
  if (!Array.isArray(value) || value.some((each) => typeof each !== 'string'))
    throw new RefusedPath(`\`${name}\` is a list of strings.`);
  return value as string[];
}
