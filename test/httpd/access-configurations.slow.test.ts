/**
 * Random whole configurations: sections of every kind over a few folders. After the safe fixes it
 * must answer, without mod_access_compat, as 2.2 did; with nested sections, that needs more than
 * each section being right alone.
 */
import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import { Random, seed } from '../support/random';
import {
  answer,
  isOld,
  PASSWD,
  PRELUDE,
  render,
  requestFor,
  statusOf,
  type Lines,
  type Question,
  type Scope,
} from './access-scenarios';
import { requireHttpd, serve, type ModuleSet } from './harness';

type Kind = 'Directory' | 'DirectoryMatch' | 'Files' | 'FilesMatch' | 'Location' | 'LocationMatch';

interface Section {
  readonly kind: Kind;
  /**
   * Of the three folders of a configuration: `` is the outermost. For Files: in which Directory it
   * stands, or none.
   */
  readonly folder: Folder | null;
  readonly scope: Scope;
}

type Folder = '' | '/b' | '/b/c';

interface Configuration {
  readonly id: number;
  readonly sections: readonly Section[];
  readonly text: string;
}

const COUNT = 200;
const FOLDERS: readonly Folder[] = ['', '/b', '/b/c'];
const FILES = ['file', 'secret'];
const ORDERS = ['allow,deny', 'deny,allow', 'mutual-failure', undefined] as const;
const OPERANDS = [
  'all',
  'all',
  '127.0.1',
  '127.0.1.9',
  '127.0.2.0/24',
  '127.0.0.0/255.255.254.0',
  'env=ok',
  'env=!ok',
  'env=bad',
  '2001:db8::/32',
];
const HEADER = `ServerRoot /etc/httpd\nListen 80\n${PRELUDE}<Directory />\n    AllowOverride None\n</Directory>\n`;
const QUESTIONS: readonly Question[] = ['127.0.0.1', '127.0.1.9', '127.0.2.5'].flatMap((from) =>
  [[], ['ok'], ['bad']].flatMap((env) =>
    [{}, { user: 'ann', password: 'secret' }].map((user) => ({ from, env, method: 'GET', ...user })),
  ),
);

describe('random access configurations on a real httpd', function () {
  this.timeout(600_000);
  const start = seed();
  const random = new Random(start);
  const configurations = Array.from({ length: COUNT }, (_, id) => randomConfiguration(random, id));

  before(function () {
    requireHttpd(this);
  });

  it('under mod_access_compat they answer as the model says', () => ask(configurations, 'all', 'compat', start));

  it('fixed safely they answer as 2.2 did', async () => {
    // Nothing else is on this server.
    const engine = new Engine({ rules: ALL_RULES, assumeStandalone: true });
    const served = configurations
      .filter(({ text }) => isOld(text))
      .flatMap((configuration) => {
        const text = fixText(engine, HEADER + configuration.text, { isHtaccess: false }).text;
        return isOld(text) ? [] : [{ ...configuration, text: text.slice(HEADER.length) }];
      });
    assert.ok(served.length >= COUNT / 4, `only ${served.length} are fixed`);
    await ask(served, 'all-but-access_compat', '2.2', start);
  });
});

async function ask(
  configurations: readonly Configuration[],
  modules: ModuleSet,
  model: '2.2' | 'compat',
  start: number,
): Promise<void> {
  const files: Record<string, string> = { 'conf/passwd': PASSWD };
  const pages = configurations.flatMap((configuration) =>
    FOLDERS.flatMap((folder) => FILES.map((name) => ({ configuration, folder, name }))),
  );
  const pathOf = ({ configuration, folder, name }: (typeof pages)[number]) =>
    `/${configuration.id}${folder}/${name}${configuration.id}`;
  for (const page of pages) files[`htdocs${pathOf(page)}`] = '';
  const server = await serve(PRELUDE + configurations.map(({ text }) => text).join(''), {
    modules,
    files,
    replace: [['/srv/www', '@ROOT@']],
  });
  const answers = await server.requestAll(
    pages.flatMap((page) => QUESTIONS.map((question) => requestFor(pathOf(page), question))),
  );
  await server.stop();

  const problems = pages.flatMap((page, index) => {
    const chain = chainOf(page.configuration.sections, page.folder, page.name);
    return QUESTIONS.flatMap((question, q) => {
      const actual = statusOf(answers[index * QUESTIONS.length + q]);
      const right = answer(chain, question, model);
      return actual === right
        ? []
        : [
            `${write(page.configuration)}--- served as:\n${page.configuration.text}${actual} instead of ${right} for ${pathOf(page)} ${JSON.stringify(question)}`,
          ];
    });
  });
  assert.equal(
    problems.length,
    0,
    `HTTPD_UPGRADE_SEED=${start}: ${problems.length} answers are wrong:\n${problems.slice(0, 3).join('\n\n')}`,
  );
}

/**
 * The scopes that apply to a file, in the server's order: folders from short to long, then
 * expressions over folders (sorted by the number of slashes in the expression: reorder_sorter in
 * server/core.c), then files (of the server, then of the folders), then locations.
 */
function chainOf(sections: readonly Section[], folder: Folder, name: string): Scope[] {
  const isAround = (section: Section) =>
    section.folder === null || folder === section.folder || folder.startsWith(`${section.folder}/`);
  const rank = ({ kind, folder: own }: Section): number => {
    if (kind === 'Directory') return own!.length;
    if (kind === 'DirectoryMatch') return 100 + own!.length;
    if (kind === 'Files' || kind === 'FilesMatch') return own === null ? 200 : 201 + own.length;
    return 300;
  };
  return sections
    .filter((section) => isAround(section) && (!section.kind.startsWith('Files') || name === 'secret'))
    .map((section, index) => ({ section, index }))
    .sort((a, b) => rank(a.section) - rank(b.section) || a.index - b.index)
    .map(({ section }) => section.scope);
}

function randomConfiguration(random: Random, id: number): Configuration {
  const hostsOnly = random.below(10) < 7;
  const sections = Array.from({ length: 1 + random.below(4) }, (): Section => {
    const kind = random.pick<Kind>([
      'Directory',
      'Directory',
      'Directory',
      'DirectoryMatch',
      'Files',
      'FilesMatch',
      'Location',
      'LocationMatch',
    ]);
    const folder = kind.startsWith('Files') && random.below(2) === 0 ? null : random.pick(FOLDERS);
    return { kind, folder, scope: randomScope(random, hostsOnly) };
  });
  return { id, sections, text: dress(write({ id, sections, text: '' }), random) };
}

function randomScope(random: Random, hostsOnly: boolean): Scope {
  const operands = () =>
    random.below(3) === 0 ? undefined : Array.from({ length: 1 + random.below(2) }, () => random.pick(OPERANDS));
  const host: Lines =
    hostsOnly || random.below(3) > 0 ? { order: random.pick(ORDERS), allow: operands(), deny: operands() } : {};
  if (hostsOnly) return host;
  const satisfy = random.pick([undefined, undefined, 'Any', 'All'] as const);
  return random.below(2) === 0
    ? { ...host, satisfy }
    : { ...host, satisfy, login: true, require: [random.pick(['valid-user', 'user bob'])] };
}

/**
 * Says the same in another way: other case, quotes, continuations, comments, lines taken apart and
 * in another order, CR LF.
 */
function dress(text: string, random: Random): string {
  const sections = text.replace(/(?<=>\n)(?: +[^<\n]*\n)+/g, (body) => {
    const lines = body
      .trimEnd()
      .split('\n')
      .map((line) => line.trim())
      .flatMap((line) => takenApart(line, random));
    return shuffled(lines, random)
      .map((line) => dressLine(line, random))
      .join('');
  });
  return random.below(4) === 0 ? sections.replaceAll('\n', '\r\n') : sections;
}

/** `Allow from a b` as two lines; an Order after another one, which it overrides. */
function takenApart(line: string, random: Random): string[] {
  const [, name, operands] = /^(Allow|Deny) from (.*)$/.exec(line) ?? [];
  if (name && random.below(2) === 0) return operands.split(' ').map((operand) => `${name} from ${operand}`);
  return line.startsWith('Order') && random.below(4) === 0 ? [`Order deny,allow\n${line}`] : [line];
}

function dressLine(line: string, random: Random): string {
  if (line.includes('\n'))
    return line
      .split('\n')
      .map((part) => dressLine(part, random))
      .join('');
  const words = line.split(' ').map((word, index) => {
    if (/^(Auth|Require$|valid-user|bob|user|ok|members|\/)/.test(word)) return word;
    const cased = /^(env=)/.test(word)
      ? word.replace('env', random.pick(['env', 'ENV']))
      : random.pick([word, word, word.toLowerCase(), word.toUpperCase()]);
    return index > 0 && !cased.includes('"') && random.below(8) === 0 ? `"${cased}"` : cased;
  });
  const indent = random.pick(['', '  ', '    ', '\t']);
  const blank = () => random.pick([' ', ' ', ' ', ' ', '  ', '\t', ' \\\n  ', '\\\n ']);
  const around = random.pick([
    '',
    '',
    '',
    '',
    '',
    '\n',
    '# Deny from all\n',
    `${indent}Options None\n`,
    '# a note that goes on \\\n in the next line\n',
  ]);
  return `${around}${indent}${words.reduce((joined, word) => joined + blank() + word)}${random.pick(['', '', ' '])}\n`;
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [result[i], result[j]] = [result[j], result[i]];
  }
  return result;
}

/** The configuration as 2.2 has it. */
function write({ id, sections }: Configuration): string {
  return sections
    .map(({ kind, folder, scope }) => {
      const place = `/srv/www/htdocs/${id}${folder ?? ''}`;
      const operand = {
        Directory: place,
        DirectoryMatch: `"^${place}(/|$)"`,
        Files: `secret${id}`,
        FilesMatch: `"^secret${id}$"`,
        Location: `/${id}${folder}`,
        LocationMatch: `"^/${id}${folder}/"`,
      }[kind];
      const section = `<${kind} ${operand}>\n${render(scope)}</${kind}>\n`;
      return kind.startsWith('Files') && folder !== null ? `<Directory ${place}>\n${section}</Directory>\n` : section;
    })
    .join('');
}
