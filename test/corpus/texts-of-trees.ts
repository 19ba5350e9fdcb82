/**
 * Texts of all kinds to be read by a person, from whole configurations: docs/reading.md. Each kind
 * of question, rule and command has the same chance; no text is drawn twice.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Engine } from '../../server/src/analysis/engine';
import { DEFAULT_TARGET } from '../../server/src/config/target';
import type { UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { diagnosticOf } from '../../server/src/features/diagnostics';
import { hover } from '../../server/src/features/hover/hover';
import { decode } from '../../server/src/host/decode';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { forEachLine } from '../../server/src/syntax/tree';
import { CONVERSIONS } from '../access/conversions';
import { run } from '../cli/run';
import { inTerminal, KEYS, type Step } from '../cli/terminal';
import { bundle } from '../support/built';
import { corpusFolder } from '../support/paths';
import type { Random } from '../support/random';
import { CENTOS17, DEBIAN60, MACOS, OTHER_SERVERS, type ServerTree } from '../support/server-trees';
import { stateHome } from '../support/state';
import { textsOfCorpus, textsOfSamples } from '../support/words';
import { corpusFiles, rows } from './files';

/** How many of each kind are drawn, of 100. */
const SHARES = { question: 25, refusal: 20, output: 20, hover: 15, headline: 10, title: 10 } as const;
type Kind = keyof typeof SHARES;

/** Lines of one piece of output. */
const PIECE = 28;
/** What a command may take. */
const SECONDS = 40;

/** A configuration on the disk, and the path that is given to the program. */
interface Opened {
  readonly folder: string;
  readonly root: string;
}

/** Draws `count` texts of all kinds. A title is the first line of each. */
export async function drawOfAllKinds(count: number, random: Random): Promise<string[]> {
  const place = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-reading-'));
  try {
    const opened = open(place, random);
    const drawn: Record<Kind, readonly string[]> = {
      ...(await fromPlans(opened, count, random)),
      output: await pieces(opened, share('output', count), random),
      ...fromFiles(count, random),
    };
    const kinds = Object.keys(SHARES) as Kind[];
    return kinds
      .flatMap((kind) => drawn[kind].map((text) => [kind, text] as const))
      .map(([kind, text], index) => `## ${index + 1} (${kind})\n\n${text}`);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

const share = (kind: Kind, count: number) => Math.round((SHARES[kind] * count) / 100);

// --- Configurations
// ------------------------------------------------------------------------------------------------------

/** Puts the configurations of all sources into folders of their own. */
function open(place: string, random: Random): Opened[] {
  let number = 0;
  const folder = () => path.join(place, `${number++}`);
  const written = (files: Readonly<Record<string, string>>, links: ServerTree['links'] = {}) => {
    const to = folder();
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(to, name)), { recursive: true });
      writeFileSync(path.join(to, name), text);
    }
    for (const [name, target] of Object.entries(links)) {
      mkdirSync(path.dirname(path.join(to, name)), { recursive: true });
      symlinkSync(target, path.join(to, name));
    }
    return to;
  };
  const servers = [
    { tree: CENTOS17, root: 'httpd/conf/httpd.conf' },
    { tree: DEBIAN60, root: 'apache2/apache2.conf' },
    { tree: MACOS, root: 'apache2/httpd.conf' },
    ...Object.values(OTHER_SERVERS).map(({ tree }) => ({
      tree,
      root: Object.keys(tree.files).find((name) => /httpd\.conf$/.test(name))!,
    })),
  ].map(({ tree, root }) => ({ folder: written(tree.files, tree.links), root }));
  const small = some(
    CONVERSIONS.filter(({ reason, openQuestion }) => reason ?? openQuestion),
    12,
    random,
  ).map(({ before, links }) => ({
    folder: written(
      relative(before),
      Object.fromEntries(Object.entries(links ?? {}).map(([at, to]) => [at.slice(1), to.slice(1)])),
    ),
    root: 'srv/conf/httpd.conf',
  }));
  if (!existsSync(corpusFolder)) return [...servers, ...small];
  const trees = rows('TREES.tsv').map(([, root]) => {
    const [project] = root!.split('/');
    const to = folder();
    cpSync(path.join(corpusFolder, project!), to, { recursive: true });
    return { folder: to, root: root!.slice(project!.length + 1) };
  });
  const alone = some(corpusFiles(), 12, random).map(({ path: file, text, isHtaccess }) => {
    const name = isHtaccess ? '.htaccess' : path.basename(file);
    return { folder: written({ [name]: text }), root: name };
  });
  return [...servers, ...small, ...trees, ...alone];
}

function relative(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name.replace(/^\//, ''), text]));
}

// --- Plans
// ------------------------------------------------------------------------------------------------------

/** Questions with their answers, and the rows "By hand" with their lines. */
async function fromPlans(
  opened: readonly Opened[],
  count: number,
  random: Random,
): Promise<Record<'question' | 'refusal', string[]>> {
  const questions = new Pot();
  const refusals = new Pot();
  for (const { folder, root } of opened) {
    const { out } = await run(['plan', root], { cwd: folder });
    const part = (title: RegExp) => out.split(/^(?=\S)/m).filter((text) => title.test(text));
    // A question begins at the left margin, so each is a part by itself.
    for (const text of part(/^\d+\. (?!Write|Make|Do the|Answer|Let)/).filter((each) => /\n {3}Answers:/.test(each))) {
      const kind = /--answer '?([\w-]+)/.exec(text)?.[1] ?? '';
      questions.put(kind, text, `From \`httpd-upgrade plan ${root}\`:\n\n${fenced(text)}`);
    }
    for (const list of part(/^By hand: /))
      for (const row of list.split(/(?<=^(?:By hand: .*| {4}.*)\n)(?= {2}\S)/m).slice(1)) {
        const rule = /\[([\w-]+)\]/.exec(row)?.[1] ?? '';
        const reason = /Not converted/.test(row) ? ` ${/: ([^:]{0,40})/.exec(row.replace(/\s+/g, ' '))?.[1]}` : '';
        const shown = lineOf(folder, row);
        refusals.put(
          `${rule}${reason && '!'}${random.next() < 0.5 ? reason : ''}`,
          row.replace(/^ {4}\S*:\d.*$/gm, ''),
          `From the list "By hand" of \`httpd-upgrade plan ${root}\`:\n\n${fenced(row)}${shown && `\nThe line:\n\n${fenced(shown)}`}`,
        );
      }
  }
  return {
    question: questions.draw(share('question', count), random),
    refusal: refusals.draw(share('refusal', count), random),
  };
}

/** The lines around the first place that a row names. */
function lineOf(folder: string, row: string): string {
  const [, file, line] = /^ {4}(\S.*?):(\d+)/m.exec(row) ?? [];
  if (!file || !existsSync(path.join(folder, file))) return '';
  return around(readText(path.join(folder, file)).split('\n'), Number(line) - 1);
}

// --- Output
// ------------------------------------------------------------------------------------------------------

const LOG_LINES = [
  '[Thu Nov 26 10:12:13.123456 2026] [authz_core:error] [pid 4711] [client 192.0.2.7:51413] AH01630: client denied by server configuration: /var/www/html/index.html',
  '[Thu Nov 26 10:12:13.123456 2026] [access_compat:error] [pid 4711] [client 192.0.2.7:51413] AH01797: client denied by server configuration: /srv/www/x',
  "[Thu Nov 26 10:12:13.123456 2026] [core:alert] [pid 4711] [client 192.0.2.7:51413] /var/www/html/.htaccess: Invalid command 'Order', perhaps misspelled or defined by a module not included in the server configuration",
  "AH00526: Syntax error on line 12 of /etc/httpd/conf.d/site.conf:\nInvalid command 'SSLMutex', perhaps misspelled or defined by a module not included in the server configuration",
  'httpd: Syntax error on line 153 of /etc/httpd/conf/httpd.conf: Cannot load modules/mod_authn_alias.so into server: /etc/httpd/modules/mod_authn_alias.so: cannot open shared object file: No such file or directory',
  "[Thu Nov 26 10:12:13.123456 2026] [core:crit] [pid 4711] (13)Permission denied: [client 192.0.2.7:51413] AH00529: /home/ann/.htaccess pcfg_openfile: unable to check htaccess file, ensure it is readable and that '/home/ann/' is executable",
  '[Thu Nov 26 10:12:13.123456 2026] [rewrite:error] [pid 4711] [client 192.0.2.7:51413] AH10508: Unsafe URL with %3f URL rewritten without UnsafeAllow3F',
  '[Thu Nov 26 10:12:13.123456 2026] [autoindex:error] [pid 4711] [client 192.0.2.7:51413] AH01276: Cannot serve directory /var/www/html/: No matching DirectoryIndex (index.html) found, and server-generated directory index forbidden by Options directive',
  '[Thu Nov 26 10:12:13.123456 2026] [core:error] [pid 4711] [client 192.0.2.7:51413] AH00037: Symbolic link not allowed or link target not accessible: /var/www/html/a',
  'AH00534: httpd: Configuration error: No MPM loaded.',
  '(98)Address already in use: AH00072: make_sock: could not bind to address [::]:80',
];

const WORDS_TO_EXPLAIN = [
  'AH01630',
  'AH00558',
  'AH00526',
  'AH10508',
  '403',
  '500',
  'order-allow-deny',
  'changed-defaults',
  'Satisfy',
  'NameVirtualHost',
  'AllowOverride',
  'Mutex',
  'Require',
  'LockFile',
  'SSLSessionCache',
  'mod_authz_default',
];

/** Pieces of what the commands print, as often of each command. */
async function pieces(opened: readonly Opened[], count: number, random: Random): Promise<string[]> {
  const ofRoot =
    (...words: string[]) =>
    async ({ folder, root }: Opened) =>
      shown([...words, root], folder);
  const commands: readonly ((tree: Opened) => Promise<string>)[] = [
    ofRoot('check'),
    ofRoot('plan'),
    ofRoot('fix', '--diff'),
    ofRoot('verify'),
    ofRoot('access'),
    ofRoot('includes'),
    async ({ folder, root }) => {
      const written = await shown(['fix', '--write', root], folder);
      const restored = await shown(['undo'], folder);
      return random.next() < 0.6 ? written : restored;
    },
    async ({ folder, root }) => inMigrate({ folder, root }, random),
    async ({ folder }) => shown(['explain', random.pick(LOG_LINES)], folder),
    async ({ folder }) => shown(['explain', random.pick(WORDS_TO_EXPLAIN)], folder),
    async ({ folder, root }) =>
      shown(
        ['explain', '--request', random.pick(['GET /', 'GET /cgi-bin/test', 'GET /.htaccess', 'PUT /a']), root],
        folder,
      ),
  ];
  const seen = new Set<string>();
  const drawn: string[] = [];
  for (let tries = 0; drawn.length < count && tries < count * 20; tries++) {
    const command = commands[tries % commands.length]!;
    const text = await command(random.pick(opened)).catch(() => '');
    const piece = pieceOf(text, random);
    const body = piece.replace(/^\$.*$/m, '').trim();
    if (body.split('\n').length < 4 || seen.has(body)) continue;
    seen.add(body);
    drawn.push(fenced(piece));
  }
  return drawn;
}

async function shown(words: readonly string[], folder: string): Promise<string> {
  // In a process of its own: only that can be ended where a command takes too long.
  // Both streams as one, in the order of a terminal.
  const program = ['-c', 'exec "$0" "$@" 2>&1', process.execPath, bundle('cli.js'), ...words];
  const { stdout, signal } = spawnSync('/bin/sh', program, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', HTTPD_UPGRADE_STATE: stateHome() },
    timeout: SECONDS * 1000,
  });
  if (signal !== null) console.warn(`Ended after ${SECONDS} seconds: ${words.join(' ')} in ${folder}`);
  const command = words.map((word) => (/^[\w./@=:-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`));
  return `$ httpd-upgrade ${command.join(' ')}\n${stdout}`;
}

/** The dialog after some questions, each answered with Enter. */
async function inMigrate({ folder, root }: Opened, random: Random): Promise<string> {
  const { out } = await run(['plan', '--format', 'json', root], { cwd: folder });
  const open = (JSON.parse(out) as UpgradePlan).configurations.reduce(
    (sum, { questions }) => sum + questions.length,
    0,
  );
  const answered = random.below(open + 1);
  const steps: Step[] = [
    ...Array.from({ length: answered }, (): Step => ["I don't know", KEYS.enter]),
    [answered < open ? "I don't know" : 'Write nothing', KEYS.ctrlC],
  ];
  const { raw } = await inTerminal(['migrate', root], steps, { cwd: folder });
  // After the keys of the last menu, only what follows Ctrl-C.
  const text = screen(raw.slice(0, raw.lastIndexOf('Enter: confirm') + 'Enter: confirm'.length));
  return `$ httpd-upgrade migrate ${root}     (the user presses Enter at each question)\n${text}`;
}

/** Rows and columns that a movement of the cursor counts. */
const MOVES: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  A: [-1, 0],
  B: [1, 0],
  C: [0, 1],
  D: [0, -1],
};

/** What a terminal shows at last. */
function screen(raw: string): string {
  const lines: string[] = [''];
  let row = 0;
  let column = 0;
  for (const [part, count, code = ''] of raw.matchAll(/\x1b\[[?]?(\d*)[\d;]*([a-zA-Z])|[\s\S]/gu)) {
    const n = Number(count || 1);
    const kept = lines[row]!.padEnd(column);
    if (code in MOVES) {
      row = Math.max(0, row + n * MOVES[code]![0]);
      column = Math.max(0, column + n * MOVES[code]![1]);
    } else if (code === 'G') column = n - 1;
    else if (code === 'K') lines[row] = kept.slice(0, column);
    else if (code === 'J') lines.splice(row, Infinity, kept.slice(0, column));
    else if (part === '\r') column = 0;
    else if (part === '\n') row++;
    else if (code === '') lines[row] = kept.slice(0, column) + part + kept.slice(++column);
    while (lines.length <= row) lines.push('');
  }
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** All of a short output, and else its beginning, its end or a part between. */
function pieceOf(text: string, random: Random): string {
  const [command = '', ...lines] = text.trimEnd().split('\n');
  if (lines.length <= PIECE) return [command, ...lines].join('\n');
  const starts = lines.flatMap((line, index) => (index > 0 && lines[index - 1] === '' && line !== '' ? [index] : []));
  const chance = random.next();
  const last = lines.length - PIECE;
  const start =
    chance < 0.35 ? 0 : chance < 0.6 ? (starts.find((each) => each >= last) ?? last) : random.pick([0, ...starts]);
  const end = Math.min(lines.length, start + PIECE);
  return [
    command,
    ...(start > 0 ? ['[… lines before …]'] : []),
    ...lines.slice(start, end),
    ...(end < lines.length ? ['[… more lines …]'] : []),
  ].join('\n');
}

// --- Files
// ------------------------------------------------------------------------------------------------------

/** Headlines, titles of fixes and hovers of single files. */
function fromFiles(count: number, random: Random): Record<'hover' | 'headline' | 'title', string[]> {
  const engine = new Engine({ rules: ALL_RULES });
  const pots = { problem: new Pot(), hover: new Pot(), headline: new Pot(), title: new Pot() };
  for (const { file, text } of [...textsOfSamples(), ...textsOfCorpus()]) {
    const tree = Tree.parse(text);
    const lines = text.split('\n');
    const name = file.replace(corpusFolder, '').split('/').slice(2).join('/') || path.basename(file);
    const isHtaccess = /htaccess[^/]*$/.test(path.basename(file));
    for (const finding of engine.analyze(tree, { isHtaccess }).findings()) {
      const { rule, messageId, severity, fixes, message } = finding;
      const { line } = tree.positionAt(finding.start);
      const context = fenced(around(lines, line));
      const kind = `${rule.id}/${messageId}`;
      const headline = message.split('\n')[0]!;
      pots.headline.put(
        kind,
        headline,
        `File \`${name}\`, line ${line + 1}. Severity: ${severity}. Headline:\n\n**${headline}**\n\n${context}`,
      );
      for (const fix of fixes)
        pots.title.put(
          `${kind} ${fix.title.replace(/\W.*/, '')}`,
          fix.title,
          `File \`${name}\`. Menu of fixes at line ${line + 1}${fix.safety === 'safe' ? '' : ' (a suggestion: the user decides)'}. The problem there: ${headline}. Fix title:\n\n**${fix.title}**\n\n${context}`,
        );
      const shown = diagnosticOf(tree, finding).message as string;
      pots.problem.put(
        kind,
        shown,
        `Hover over a problem in the editor, ${path.basename(name)}, line ${line + 1}:\n\n${fenced(`${String(line + 1).padStart(5)} >| ${lines[line]}`)}\n${fenced(`${shown}\n  httpd-upgrade(${rule.id})`)}`,
      );
    }
    if (random.next() < 0.2)
      forEachLine(tree.root, 0, tree.length, (line, offset) => {
        if (line.name === '' || pots.hover.has(line.name.toLowerCase())) return;
        const found = hover(tree, offset + line.nameStart, DEFAULT_TARGET, { engine });
        const markdown = found && (found.contents as { value: string }).value;
        if (markdown)
          pots.hover.put(
            line.name.toLowerCase(),
            markdown,
            `Hover over \`${line.name}\` in the line \`${line.text.trim()}\` (the editor renders this Markdown):\n\n${fenced(markdown)}`,
          );
      });
  }
  const hovers = share('hover', count);
  const half = Math.ceil(hovers / 2);
  return {
    hover: [...pots.problem.draw(half, random), ...pots.hover.draw(hovers - half, random)],
    headline: pots.headline.draw(share('headline', count), random),
    title: pots.title.draw(share('title', count), random),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Texts by kind. A kind has one chance, however many texts it has. */
class Pot {
  private readonly kinds = new Map<string, Map<string, string[]>>();

  put(kind: string, text: string, shown: string): void {
    const texts = this.kinds.get(kind) ?? new Map<string, string[]>();
    this.kinds.set(kind, texts.set(text, [...(texts.get(text) ?? []), shown]));
  }

  has(kind: string): boolean {
    return this.kinds.has(kind);
  }

  /** Each kind once, then each a second time, and so on. */
  draw(count: number, random: Random): string[] {
    const drawn: string[] = [];
    while (drawn.length < count && this.kinds.size > 0)
      for (const kind of some([...this.kinds.keys()].sort(), this.kinds.size, random)) {
        if (drawn.length >= count) break;
        const texts = this.kinds.get(kind)!;
        const text = random.pick([...texts.keys()]);
        drawn.push(random.pick(texts.get(text)!));
        texts.delete(text);
        if (texts.size === 0) this.kinds.delete(kind);
      }
    return drawn;
  }
}

/** At most `count` of the items, in an order by chance. */
function some<T>(items: readonly T[], count: number, random: Random): T[] {
  const left = [...items];
  const drawn: T[] = [];
  while (drawn.length < count && left.length > 0) drawn.push(...left.splice(random.below(left.length), 1));
  return drawn;
}

function around(lines: readonly string[], marked: number): string {
  return lines
    .map((line, index) => `${String(index + 1).padStart(5)} ${index === marked ? '>' : ' '}| ${line}`)
    .slice(Math.max(0, marked - 3), marked + 4)
    .join('\n');
}

function readText(file: string): string {
  const decoded = decode(readFileSync(file));
  return 'text' in decoded ? decoded.text : '';
}

function fenced(text: string): string {
  return `\`\`\`\`text\n${text.trimEnd()}\n\`\`\`\`\n`;
}
