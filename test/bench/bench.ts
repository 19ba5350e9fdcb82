/**
 * The benchmarks: `npm run bench` builds, runs them, prints a table and records it in
 * test/bench/results.json.
 *
 * Times differ between machines, so each is compared with another program in the same run: other
 * language servers with the same keystroke on as many lines, `apache2 -t` with the same file. Tests
 * check counted work instead (test/cost).
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { getCSSLanguageService } from 'vscode-css-languageservice';
import { getLanguageService as getJsonLanguageService } from 'vscode-json-languageservice';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { Engine } from '../../server/src/analysis/engine';
import { completion } from '../../server/src/features/completion/completion';
import { diagnostics } from '../../server/src/features/diagnostics';
import { formatEdits } from '../../server/src/features/format';
import { semanticTokens, tokensEdit } from '../../server/src/features/semantic-tokens';
import { ALL_RULES } from '../../server/src/rules/all';
import { ConfigDocument } from '../../server/src/syntax/document';
import { findHttpd, loadModuleLines, type Httpd } from '../httpd/harness';
import { bundle } from '../support/built';
import { repositoryRoot } from '../support/paths';
import { machine } from './machine';
import { loginText, oldServer, oldText } from './old-files';
import { cssText, configurationText, jsonText } from './texts';

interface Row {
  readonly what: string;
  readonly lines: number;
  readonly ours: number;
  readonly unit: 'ms' | 'MB';
  /** The processor time of the same runs in ms, where no row of its own has it. */
  readonly cpu?: number;
  readonly peers: Record<string, number>;
}

/** What is measured, by the names that the command line takes. */
const GROUPS: Readonly<Record<string, () => Promise<Row[]>>> = {
  keystroke: async () => {
    const rows: Row[] = [];
    for (const lines of [1_000, 100_000, 1_000_000]) rows.push(await keystroke(lines));
    rows.push(await keystroke(100_000, 1_000));
    // The main job: files as people have them.
    for (const lines of [1_000, 100_000, 1_000_000])
      rows.push(await keystrokeIn(oldText(lines), lines, 'in old virtual hosts'));
    return rows;
  },
  completion: async () => {
    const rows: Row[] = [];
    for (const lines of [1_000, 100_000, 1_000_000]) rows.push(await completionList(lines));
    return rows;
  },
  format: async () => [await formatting(100_000), await tokensAfterKey(100_000)],
  check: async () => [...wholeProcess(100_000, 10), ...wholeProcess(100_000, 2_000)],
  start: async () => [...small(), await coldStart()],
  logins: async () => [...logins(100_000, 'old'), ...logins(100_000, 'clean')],
  augeas: async () => augeas(10_000),
  growth: async () => [62_500, 125_000, 250_000, 500_000, 1_000_000].flatMap(growth),
  'old-1000': async () => oldFile(1_000),
  'old-100000': async () => oldFile(100_000),
  'old-1000000': async () => oldFile(1_000_000),
  'hosting-4000': async () => [...hostingServer(4_000), ...(await keystrokesOnHostingServer(4_000))],
  'hosting-20000': async () => [...hostingServer(20_000), ...(await keystrokesOnHostingServer(20_000))],
};

const RESULTS = path.join(repositoryRoot, 'test', 'bench', 'results.json');

/**
 * All groups, or those that the words name; a word that names none means all that begin with it;
 * the rows of the others stay as they were recorded. Each group is written when it is done.
 */
async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const names = Object.keys(GROUPS).filter(
    (name) => words.length === 0 || words.some((word) => (word in GROUPS ? name === word : name.startsWith(word))),
  );
  if (names.length === 0)
    throw new Error(`no group begins with ${words.join(', ')}: ${Object.keys(GROUPS).join(', ')}`);
  const recorded = (JSON.parse(readFileSync(RESULTS, 'utf8')) as { rows: Row[] }).rows;
  let rows: readonly Row[] = words.length === 0 ? [] : recorded;
  for (const name of names) {
    const measured = await GROUPS[name]();
    print(measured);
    const isMeasured = (row: Row) => measured.some(({ what, lines }) => what === row.what && lines === row.lines);
    const at = rows.findIndex(isMeasured);
    const others = rows.filter((row) => !isMeasured(row));
    rows = at < 0 ? [...others, ...measured] : [...others.slice(0, at), ...measured, ...others.slice(at)];
    const record = {
      ...machine(),
      rows,
    };
    writeFileSync(RESULTS, `${JSON.stringify(record, null, 2)}\n`);
  }
}

/**
 * One letter typed in the middle of a file, from the change's arrival to the diagnostics: the
 * median.
 */
async function keystroke(lines: number, old = 10): Promise<Row> {
  const row = await keystrokeIn(configurationText(lines, old), lines, `${old} findings`);
  if (lines <= 100_000 && old === 10) {
    row.peers['vscode-json-languageservice'] = await jsonKeystroke(lines);
    row.peers['vscode-css-languageservice'] = await cssKeystroke(lines);
  }
  return row;
}

async function keystrokeIn(text: string, lines: number, what: string): Promise<Row> {
  const engine = new Engine({ rules: ALL_RULES });
  let document = ConfigDocument.create('file:///httpd.conf', 'apacheconf', 0, text);
  const show = () => diagnostics(engine.analyze(document.tree, { isHtaccess: false }), 1000);
  show();
  const middle = text.indexOf('ServerAdmin', Math.floor(text.length / 2)) + 'ServerAdmin webmaster'.length;
  const times = await timed(lines >= 1_000_000 ? 60 : 200, (i) => {
    const position = document.positionAt(middle + i);
    document = ConfigDocument.update(document, [{ range: { start: position, end: position }, text: 'x' }], i);
    show();
  });
  return { what: `keystroke to diagnostics, ${what}`, lines, ...times, unit: 'ms', peers: {} };
}

/**
 * A whole file whose indentation is lost, every line but the tags of the top changed: the median.
 */
async function formatting(lines: number): Promise<Row> {
  const tree = ConfigDocument.create(
    'file:///httpd.conf',
    'apacheconf',
    0,
    configurationText(lines).replace(/^ +/gm, ''),
  ).tree;
  const times = await timed(10, () => void formatEdits(tree, { tabSize: 4, insertSpaces: true, alignment: 'keep' }));
  return { what: 'formatting a file without indentation', lines, ...times, unit: 'ms', peers: {} };
}

/**
 * One letter typed in the middle of a file, from the change's arrival to what changed of its
 * semantic tokens: the median.
 */
async function tokensAfterKey(lines: number): Promise<Row> {
  const text = configurationText(lines);
  let document = ConfigDocument.create('file:///httpd.conf', 'apacheconf', 0, text);
  let before = semanticTokens(document.tree);
  const middle = text.indexOf('ServerAdmin', Math.floor(text.length / 2)) + 'ServerAdmin webmaster'.length;
  const times = await timed(50, (i) => {
    const position = document.positionAt(middle + i);
    document = ConfigDocument.update(document, [{ range: { start: position, end: position }, text: 'x' }], i);
    const after = semanticTokens(document.tree);
    tokensEdit(before, after);
    before = after;
  });
  return { what: 'keystroke to changed semantic tokens', lines, ...times, unit: 'ms', peers: {} };
}

/**
 * One letter typed at the beginning of a line in the middle of a file, from the change's arrival to
 * the list of names: the median.
 */
async function completionList(lines: number): Promise<Row> {
  const engine = new Engine({ rules: ALL_RULES });
  const text = configurationText(lines);
  let document = ConfigDocument.create('file:///httpd.conf', 'apacheconf', 0, text);
  engine.analyze(document.tree, { isHtaccess: false });
  const middle = text.indexOf('ServerAdmin', Math.floor(text.length / 2));
  const client = {
    supportsSnippets: true,
    supportsLabelDetails: true,
    supportsTags: true,
    supportsDefaultRange: true,
    supportsDefaultData: true,
    requestsEditsLater: true,
    supportsInsertReplace: true,
    retriggers: true,
  };
  const times = await timed(100, (i) => {
    const position = document.positionAt(middle + i);
    document = ConfigDocument.update(document, [{ range: { start: position, end: position }, text: 'S' }], i);
    engine.analyze(document.tree, { isHtaccess: false });
    completion({ tree: document.tree, offset: middle + i + 1, engine, isHtaccess: false }, client);
  });
  const peers: Record<string, number> =
    lines <= 100_000 ? { 'vscode-css-languageservice': await cssCompletion(lines) } : {};
  return { what: 'keystroke to completion list', lines, ...times, unit: 'ms', peers };
}

async function cssCompletion(lines: number): Promise<number> {
  const service = getCSSLanguageService();
  let document = TextDocument.create('file:///a.css', 'css', 0, cssText(lines));
  return median(lines > 10_000 ? 5 : 30, (i) => {
    const { range } = letterAt(document, i);
    document = TextDocument.update(document, [{ range, text: 'x' }], i);
    service.doComplete(
      document,
      { line: range.start.line, character: range.start.character + 1 },
      service.parseStylesheet(document),
    );
  });
}

async function jsonKeystroke(lines: number): Promise<number> {
  const service = getJsonLanguageService({});
  let document = TextDocument.create('file:///a.json', 'json', 0, jsonText(lines));
  return median(lines > 10_000 ? 5 : 30, async (i) => {
    document = TextDocument.update(document, [letterAt(document, i)], i);
    await service.doValidation(document, service.parseJSONDocument(document));
  });
}

async function cssKeystroke(lines: number): Promise<number> {
  const service = getCSSLanguageService();
  let document = TextDocument.create('file:///a.css', 'css', 0, cssText(lines));
  return median(lines > 10_000 ? 5 : 30, (i) => {
    document = TextDocument.update(document, [letterAt(document, i)], i);
    service.doValidation(document, service.parseStylesheet(document));
  });
}

/** A letter into the word "middle" in the middle of the text. */
function letterAt(document: TextDocument, i: number) {
  const at = document.positionAt(document.getText().indexOf('middle', document.getText().length / 2) + 3 + i);
  return { range: { start: at, end: at }, text: 'x' };
}

/**
 * `httpd-upgrade check` and `apache2 -t` on one file: time and memory of the whole process, the
 * best of several runs, taken in turns.
 */
function wholeProcess(lines: number, old: number): Row[] {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'httpd-upgrade-bench-'));
  try {
    const httpd = findHttpd();
    const file = path.join(folder, 'httpd.conf');
    writeFileSync(file, preamble(folder, httpd) + configurationText(lines, old));
    const check = [process.execPath, bundle('cli.js'), 'check', '--fail-on', 'never', file];
    const [ours, theirs] = measure(httpd ? [check, [httpd.binary, '-t', '-f', file]] : [check]);
    return processRows(['check', `${old} findings`], lines, ours, { 'apache2 -t': theirs });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What one run of a program takes. */
interface Usage {
  readonly ms: number;
  readonly cpu: number;
  readonly mb: number;
}

/**
 * The rows of one command beside its peers: time, processor time and memory of the whole process.
 */
function processRows(
  [name, ...more]: readonly string[],
  lines: number,
  ours: Usage,
  peers: Readonly<Record<string, Usage | undefined>>,
): Row[] {
  const row = (kind: string[], key: keyof Usage): Row => ({
    what: [name, ...kind, ...more].join(', '),
    lines,
    ours: ours[key],
    unit: key === 'mb' ? 'MB' : 'ms',
    peers: Object.fromEntries(Object.entries(peers).flatMap(([peer, usage]) => (usage ? [[peer, usage[key]]] : []))),
  });
  return [row([], 'ms'), row(['processor time'], 'cpu'), row(['memory'], 'mb')];
}

/** A temporary folder for some runs. */
function inFolder<Result>(run: (folder: string) => Result): Result {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'httpd-upgrade-bench-'));
  try {
    return run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const checkOf = (file: string) => [process.execPath, bundle('cli.js'), 'check', '--fail-on', 'never', file];

/** One line and 1,000 lines, beside an empty program of node. */
function small(): Row[] {
  return inFolder((folder) =>
    [1, 1_000].flatMap((lines) => {
      const file = path.join(folder, String(lines), 'httpd.conf');
      mkdirSync(path.dirname(file));
      writeFileSync(file, lines === 1 ? 'ServerName localhost\n' : oldText(lines));
      const [ours, theirs] = measure([checkOf(file), [process.execPath, '-e', '0']]);
      return processRows(['check', 'a small file'], lines, ours, { 'node -e 0': theirs });
    }),
  );
}

/** Virtual hosts with a section, a login and rewriting each, beside `apache2 -t`. */
function logins(lines: number, age: 'old' | 'clean'): Row[] {
  return inFolder((folder) => {
    const httpd = findHttpd();
    const file = path.join(folder, 'httpd.conf');
    writeFileSync(file, preamble(folder, httpd, LOGIN_MODULES) + loginText(lines, age));
    const [ours, theirs] = measure([checkOf(file), ...(httpd ? [[httpd.binary, '-t', '-f', file]] : [])], { runs: 5 });
    return processRows(['check', `${age} virtual hosts with logins`], lines, ours, { 'apache2 -t': theirs });
  });
}

const LOGIN_MODULES = ['auth_basic', 'authn_core', 'authn_file', 'authz_user', 'authz_host'];

/** `check` beside the parser of augeas, which only reads, if it is installed. */
function augeas(lines: number): Row[] {
  return inFolder((folder) => {
    const file = path.join(folder, 'httpd.conf');
    writeFileSync(file, oldText(lines));
    const parse = ['augtool', '--noautoload', '--root', folder];
    const command = [...parse, '--transform', 'Httpd incl /httpd.conf', 'get', '/files/httpd.conf'];
    const isInstalled = spawnSync('augtool', ['--version']).status === 0;
    const [ours, theirs] = measure([checkOf(file), ...(isInstalled ? [command] : [])]);
    return processRows(['check', 'beside a parser'], lines, ours, { augeas: theirs });
  });
}

/** How the time grows with a file. */
function growth(lines: number): Row[] {
  return inFolder((folder) => {
    const file = path.join(folder, 'httpd.conf');
    writeFileSync(file, oldText(lines));
    const [ours] = measure([checkOf(file)], { runs: 3 });
    return processRows(['check', 'growth'], lines, ours, {});
  });
}

/**
 * What people do with an old file: `check`, `plan` and `fix --write`, beside `apache2 -t`. The file
 * is put back before each run, outside of what is measured.
 */
function oldFile(lines: number): Row[] {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'httpd-upgrade-bench-'));
  try {
    const httpd = findHttpd();
    const file = path.join(folder, 'httpd.conf');
    const text =
      preamble(folder, httpd).replace('Require all denied', 'Order deny,allow\n    Deny from all') + oldText(lines);
    const ours = (...command: string[]) => [process.execPath, bundle('cli.js'), ...command, file];
    const all: Record<string, string[]> = {
      check: ours('check', '--fail-on', 'never'),
      plan: ours('plan'),
      'fix --write': ours('fix', '--write', '--assume-standalone', '--fail-on', 'never'),
      ...(httpd && { 'apache2 -t': [httpd.binary, '-t', '-f', file] }),
    };
    const least = measure(Object.values(all), {
      runs: lines >= 1_000_000 ? 3 : 10,
      before: () => writeFileSync(file, text),
      env: { XDG_STATE_HOME: path.join(folder, 'state') },
    });
    const names = Object.keys(all);
    const theirs = least[names.indexOf('apache2 -t')];
    return names
      .filter((name) => name !== 'apache2 -t')
      .flatMap((name, index) =>
        processRows([name, 'old virtual hosts'], lines, least[index], { 'apache2 -t': theirs }),
      );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * A hosting server of 2.2: `check`, `plan` and `fix --write` of all of it. `lines` are files here.
 * They are put back before each run, outside of what is measured.
 */
function hostingServer(files: number): Row[] {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'httpd-upgrade-bench-'));
  try {
    const commands = [
      ['check', '--fail-on', 'never'],
      ['plan'],
      ['fix', '--write', '--assume-standalone', '--fail-on', 'never'],
    ];
    const root = path.join(folder, 'server');
    const least = measure(
      commands.map((command) => [process.execPath, bundle('cli.js'), ...command, root]),
      { runs: 2, before: () => writeServer(root, files), env: { XDG_STATE_HOME: path.join(folder, 'state') } },
    );
    return commands.flatMap(([name], index) =>
      processRows([`${name} of a hosting server of ${files} files`], files, least[index], {}),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeServer(root: string, files: number): Map<string, string> {
  const tree = oldServer(root, files);
  for (const [file, text] of tree) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return tree;
}

/**
 * The same in the language server: a letter typed in one of the sites, from the change to the
 * diagnostics of the file, the protocol included.
 */
async function keystrokesOnHostingServer(files: number): Promise<Row[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'httpd-upgrade-bench-'));
  try {
    const [site, text] = [...writeServer(folder, files)].find(([file]) => file.endsWith('/00001.conf'))!;
    const uri = pathToFileURL(site).href;
    const server = await startServer(pathToFileURL(folder).href);
    server.didOpen(uri, text);
    await server.diagnostics(uri);
    const character = text.split('\n')[1]!.length;
    const change = async (i: number) => {
      const at = { line: 1, character: character + i };
      await server.connection.sendNotification('textDocument/didChange', {
        textDocument: { uri, version: i + 2 },
        contentChanges: [{ range: { start: at, end: at }, text: 'x' }],
      });
      await server.diagnostics(uri);
    };
    const times = await timed(200, change, () => cpuOf(server.pid));
    server.stop();
    const what = `keystroke to diagnostics, hosting server of ${files} files`;
    return [{ what, lines: files, ...times, unit: 'ms', peers: {} }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As every configuration begins. */
const ROOT = '<Directory />\n    AllowOverride None\n    Require all denied\n</Directory>';

function preamble(folder: string, httpd: Httpd | undefined, further: readonly string[] = []): string {
  const modules = ['authz_core', 'access_compat', 'alias', 'rewrite', 'setenvif', 'headers', 'mime', ...further];
  const loads = httpd ? loadModuleLines(httpd, modules) : [];
  const rows = [
    `ServerRoot ${folder}`,
    'Listen 127.0.0.1:80',
    `PidFile ${folder}/pid`,
    `ErrorLog ${folder}/error`,
    ...loads,
    'TypesConfig /dev/null',
    ROOT,
  ];
  return `${rows.join('\n')}\n`;
}

/**
 * Least time and peak memory of each of some commands. Python knows both of a child; GNU time is
 * not everywhere.
 */
function measure(
  commands: readonly (readonly string[])[],
  { runs = 20, before = () => {}, env = {} }: { runs?: number; before?: () => void; env?: Record<string, string> } = {},
): Usage[] {
  const least = commands.map(() => ({ ms: Infinity, cpu: Infinity, mb: Infinity }));
  for (let i = 0; i < runs; i++) {
    commands.forEach((command, index) => {
      before();
      const result = spawnSync('python3', ['-c', CHILD_USAGE, ...command], {
        encoding: 'utf8',
        env: { ...ENVIRONMENT, ...env },
      });
      const usage = /^USAGE ([\d.]+) ([\d.]+) (\d+)$/m.exec(result.stderr);
      if (!usage) throw new Error(`${command.join(' ')}: ${result.stderr}`);
      const { ms, cpu, mb } = least[index];
      least[index] = {
        ms: Math.min(ms, Number(usage[1])),
        cpu: Math.min(cpu, Number(usage[2])),
        mb: Math.min(mb, Number(usage[3]) / 1024),
      };
    });
  }
  return least;
}

/**
 * As most machines have it: where further certificates are given, node reads them whenever it
 * starts (40 ms), before any program.
 */
const { NODE_EXTRA_CA_CERTS: _, ...USUAL_ENVIRONMENT } = process.env;

/** No earlier runs are on record: each `check` would look into the records of this machine. */
const ENVIRONMENT = { ...USUAL_ENVIRONMENT, HTTPD_UPGRADE_STATE: path.join(os.tmpdir(), 'httpd-upgrade-bench-state') };

const CHILD_USAGE = `
import resource, subprocess, sys, time
# Where python3 is a script that starts another program first, that one is a child, too.
before = resource.getrusage(resource.RUSAGE_CHILDREN)
start = time.perf_counter()
result = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
elapsed = (time.perf_counter() - start) * 1000
if result.returncode != 0: sys.stderr.write(result.stderr.decode())
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print("USAGE %.2f %.2f %d" % (elapsed, (usage.ru_utime + usage.ru_stime - before.ru_utime - before.ru_stime) * 1000, usage.ru_maxrss), file=sys.stderr)
`;

/** From starting the server's process to the diagnostics of a file of 500 lines. */
async function coldStart(): Promise<Row> {
  const text = configurationText(500);
  const used: number[] = [];
  const ours = await median(7, async () => {
    const server = await startServer(null);
    const uri = 'file:///httpd.conf';
    server.didOpen(uri, text);
    if ((await server.diagnostics(uri)).length === 0) throw new Error('no diagnostics');
    used.push(cpuOf(server.pid));
    server.stop();
  });
  const cpu = Math.min(...used);
  return { what: 'cold start to first diagnostics', lines: 500, ours, cpu, unit: 'ms', peers: {} };
}

/** The language server as a process of its own, with a folder or none. */
async function startServer(rootUri: string | null) {
  const server = spawn(process.execPath, [bundle('server.js'), '--stdio'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: ENVIRONMENT,
  });
  const connection = createProtocolConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  connection.listen();
  await connection.sendRequest('initialize', {
    processId: process.pid,
    rootUri,
    // Like VS Code: a client that cannot be notified later waits for the check of the whole
    // configuration.
    capabilities: { textDocument: { diagnostic: {} }, workspace: { diagnostics: { refreshSupport: true } } },
  });
  await connection.sendNotification('initialized', {});
  return {
    connection,
    pid: server.pid!,
    didOpen: (uri: string, text: string) =>
      void connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri, languageId: 'apacheconf', version: 1, text },
      }),
    async diagnostics(uri: string): Promise<readonly unknown[]> {
      const report = await connection.sendRequest<{ items: unknown[] }>('textDocument/diagnostic', {
        textDocument: { uri },
      });
      return report.items;
    },
    stop: () => void server.kill(),
  };
}

async function median(runs: number, run: (i: number) => void | Promise<void>): Promise<number> {
  return (await timed(runs, run)).ours;
}

/** The median of the times, and the mean processor time of a run in the process that works. */
async function timed(
  runs: number,
  run: (i: number) => void | Promise<void>,
  cpu: () => number = ownCpu,
): Promise<Pick<Row, 'ours' | 'cpu'>> {
  const times: number[] = [];
  const before = cpu();
  for (let i = 0; i < runs; i++) {
    const start = performance.now();
    await run(i);
    times.push(performance.now() - start);
  }
  const used = (cpu() - before) / runs;
  return { ours: times.sort((a, b) => a - b)[Math.floor(runs / 2)], ...(Number.isFinite(used) && { cpu: used }) };
}

/** The processor time of this process so far, in ms. */
function ownCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * The processor time of another process so far, in ms; NaN where there is no /proc. Counted in
 * hundredths of a second.
 */
function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return NaN;
  }
}

function print(rows: readonly Row[]): void {
  const number = (value: number) => (value < 10 ? value.toFixed(3) : value.toFixed(1));
  for (const row of rows) {
    const peers = Object.entries(row.peers).map(
      ([name, value]) => `${name} ${number(value)} ${row.unit} (${(value / row.ours).toFixed(1)}x)`,
    );
    console.log(
      `${row.what.padEnd(42)} ${String(row.lines).padStart(8)} lines  ${number(row.ours)} ${row.unit}${row.cpu === undefined ? '' : ` (processor ${number(row.cpu)} ms)`}  ${peers.join('  ')}`,
    );
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
