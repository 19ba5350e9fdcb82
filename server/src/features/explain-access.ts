/**
 * Who has access: what the access lines of one section say, in words and as a table, for 2.2, for 2.4 with mod_access_compat, and for the
 * converted form. What outer sections add is not in it, and the text says so.
 */
import { readByMethod } from '../access/by-method';
import { decide22 } from '../access/decide22';
import { decide24 } from '../access/decide24';
import { decideCompat } from '../access/decide-compat';
import type { Decision, Section22, Tree24, World } from '../access/model';
import { oneLine, printTree } from '../access/print';
import { readSection } from '../access/read';
import { translate } from '../access/translate';
import type { Operand } from '../access/operand';
import { isTransparent, sectionKind } from '../config/sections';
import { code, codeBlock, escape } from './markdown-text';
import type { Tree } from '../syntax/document';
import { type Line, LineKind, rawArguments, spelledName } from '../syntax/line';
import { forEachItem, List, Section } from '../syntax/tree';

const NAMES = new Set(['order', 'allow', 'deny', 'satisfy', 'require', 'authtype']);

/** How pieces of an answer are put into a text: words and names of a configuration come in as they are written there. */
export interface Marks {
  text(plain: string): string;
  code(plain: string): string;
  block(plain: string): string;
  strong(marked: string): string;
}

/** One table: of all methods, or of some. All strings are marked up, but for those of `head`. */
export interface AccessTable {
  /** `GET, POST`; null for all. */
  readonly methods: string | null;
  readonly says: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Whether 2.2, mod_access_compat and the converted form answer alike; then there is one column. */
  readonly isSame: boolean;
}

export interface AccessAnswer {
  /** `<Directory /srv>`, or `this file`. */
  readonly name: string;
  /** A sentence, without the words that begin it ("Who has access by the lines of …"). */
  readonly says: string;
  readonly tables: readonly AccessTable[];
  /** What 2.4 is to have instead; null where it cannot be told. */
  readonly converted: string | null;
  readonly also: string | null;
}

const MARKDOWN: Marks = {
  text: escape,
  code,
  block: (text) => `\n\n${codeBlock(text)}`,
  strong: (text) => `**${text}**`,
};

/**
 * Markdown for the section around the access line at an offset (UTF-16); null where there is no old access line. `isShort`: to be read at a glance, with a few
 * clients, and without the converted lines, which the finding beside it has.
 */
export function explainAccess(tree: Tree, offset: number, { isShort = false } = {}): string | null {
  const answer = accessAnswer(tree, offset, MARKDOWN);
  if (!answer) return null;
  const { name, says, tables, converted, also } = answer;
  return [
    `**Who has access** by the lines of ${name}${says}`,
    ...(isShort ? tables.slice(0, 1) : tables).map((table) => {
      const each = isShort ? shortened(table) : table;
      return each.methods === null ? markdownTable(each) : `${each.methods}: ${each.says}.\n\n${markdownTable(each)}`;
    }),
    isShort && tables.length > 1
      ? `Other methods: ${tables
          .slice(1)
          .map(({ methods, says: said }) => `${methods} (${said})`)
          .join('; ')}.`
      : '',
    converted === null || isShort ? '' : `In 2.4: ${converted}`,
    also ?? '',
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** The first clients, and the last row, which stands for everyone else. */
function shortened({ rows, ...table }: AccessTable): AccessTable {
  return {
    ...table,
    rows:
      rows.length <= SHORT_ROWS
        ? rows
        : [
            ...rows.slice(0, SHORT_ROWS - 2),
            [`${rows.length - SHORT_ROWS + 1} more`, ...table.head.slice(1).map(() => '…')],
            rows.at(-1)!,
          ],
  };
}

/** A hover of VS Code shows so many rows without scrolling, with the sentences around them. */
const SHORT_ROWS = 5;

/** The same as data, for whoever writes it in another form. */
export function accessAnswer(tree: Tree, offset: number, marks: Marks): AccessAnswer | null {
  const placed = tree.lineAt(offset);
  if (!placed || !NAMES.has(placed.line.name) || placed.line.kind !== LineKind.Directive) return null;
  const { section, lines, limited, isLimited } = scopeAt(tree, placed.offset);
  if (
    !lines.some(
      (line) => line.name === 'order' || line.name === 'allow' || line.name === 'deny' || line.name === 'satisfy',
    )
  )
    return null;
  const name = section ? marks.code(`<${spelledName(section.open)} ${rawArguments(section.open).value}>`) : 'this file';
  if (isLimited) return answerByMethod(name, limited, marks);
  const read = readSection(lines);
  if (read.obstacle && read.obstacle !== 'mixed-modules') return null;
  const says = `: ${inWords(read, marks)}.`;
  if (unknownIn(read)) return { name, says, tables: [], converted: null, also: null };
  const converted = translate(read);
  const hasAuthType = lines.some((line) => line.name === 'authtype');
  return {
    name,
    says,
    tables: [{ methods: null, says: '', ...table(read, hasAuthType, converted, marks) }],
    converted: treeText(converted, marks),
    also:
      section?.name === 'location' || read.requires.length === 0
        ? 'Enclosing sections can restrict access further, for example with a login.'
        : null,
  };
}

/** Below a table whose columns are not all the same. */
export const COMPAT_NOTE = 'mod_access_compat does not keep what 2.2 did: see the columns that differ.';

// ---------------------------------------------------------------------------------------------------------------------

/** Whether an operand may stand for anything: a parameter, a placeholder. */
function unknownIn({ host }: Section22): boolean {
  return host !== null && [...host.allow, ...host.deny].some(({ kind }) => kind === 'unknown');
}

/** Each class of methods that is treated alike, and the tree for them all. */
function answerByMethod(name: string, limited: ScopeLines['limited'], marks: Marks): AccessAnswer {
  const lead = ' depends on the method';
  const unknown = (why: string): AccessAnswer => ({
    name,
    says: `${lead}. It is not shown, because ${why}.`,
    tables: [],
    converted: null,
    also: null,
  });
  const read = readByMethod(limited.filter(({ line }) => line.name !== 'authtype'));
  if (typeof read === 'string') return unknown(marks.text(read));
  // With a Require for any method, mod_authz_core has a tree, and no complaint of an AuthType without one.
  const hasAuthType =
    limited.some(({ line }) => line.name === 'authtype') && !limited.some(({ line }) => line.name === 'require');
  if ([...read.sections.values()].some(unknownIn)) return unknown('the value of some operands is not known');
  const alike = new Map<string, string[]>();
  for (const [method, section] of read.sections) {
    const key = JSON.stringify(section);
    alike.set(key, [...(alike.get(key) ?? []), method]);
  }
  const tables = [...alike.values()].map((methods): AccessTable => {
    const section = read.sections.get(methods[0]!)!;
    return {
      methods: methodWords(methods, marks),
      says: inWords(section, marks),
      ...table(section, hasAuthType, translate(section), marks),
    };
  });
  return { name, says: `${lead}.`, tables, converted: treeText(read.tree, marks), also: null };
}

function methodWords(methods: readonly string[], marks: Marks): string {
  const named = methods.filter((method) => method !== '*').map(marks.code);
  if (!methods.includes('*')) return named.join(', ');
  return named.length > 0
    ? `${named.join(', ')} and all methods that no \`<Limit>\` names`
    : 'All methods that no `<Limit>` names';
}

function treeText(tree: Tree24, marks: Marks): string {
  const line = oneLine(tree);
  return line ? marks.code(line) : marks.block(printTree(tree, { indent: '', step: '    ', eol: '\n' }).trimEnd());
}

interface ScopeLines {
  readonly section: Section | null;
  readonly lines: readonly Line[];
  /** The same, with the limits around them. */
  readonly limited: readonly { readonly line: Line; readonly limits: readonly Section[] }[];
  readonly isLimited: boolean;
}

/** The innermost container around an offset and the lines that belong to it. */
function scopeAt(tree: Tree, offset: number): ScopeLines {
  let section: Section | null = null;
  for (const around of sectionsAround(tree, offset)) if (!isTransparent(sectionKind(around.name))) section = around;
  const limited: { line: Line; limits: readonly Section[] }[] = [];
  const gather = (list: List, limits: readonly Section[]): void =>
    forEachItem(list, 0, (item) => {
      if (item instanceof Section) {
        if (isTransparent(sectionKind(item.name)))
          gather(item.body, item.name.startsWith('limit') ? [...limits, item] : limits);
      } else if (item.kind === LineKind.Directive && NAMES.has(item.name)) {
        limited.push({ line: item, limits });
      }
    });
  gather(section ? section.body : tree.root, []);
  return {
    section,
    lines: limited.map(({ line }) => line),
    limited,
    isLimited: limited.some(({ line, limits }) => limits.length > 0 && line.name !== 'authtype'),
  };
}

/** The sections around an offset, outermost first. */
function sectionsAround(tree: Tree, offset: number): Section[] {
  const found: Section[] = [];
  let list: List = tree.root;
  let rest = offset;
  descend: for (;;) {
    for (const child of list.children) {
      if (rest >= child.length) {
        rest -= child.length;
        continue;
      }
      if (child instanceof Section) {
        rest -= child.open.length;
        if (rest < 0 || rest >= child.body.length) return found;
        found.push(child);
        list = child.body;
        continue descend;
      }
      if (!(child instanceof List)) return found;
      list = child;
      continue descend;
    }
    return found;
  }
}

function inWords(section: Section22, marks: Marks): string {
  const { host, requires, satisfy } = section;
  const login =
    requires.length > 0
      ? `a login (${listed(
          requires.map(({ text }) => marks.text(text)),
          ', or ',
        )})`
      : '';
  if (!host) return login ? `everyone with ${login}` : 'everyone';
  const hosts = hostWords(section, marks);
  if (!login) return hosts;
  return satisfy === 'any' ? `${hosts}, and everyone with ${login}` : `${hosts}, but only with ${login}`;
}

function hostWords({ host }: Section22, marks: Marks): string {
  const operandWord = (operand: Operand) => wordOf(operand, marks);
  const allow = listed(host!.allow.map(operandWord), ', ');
  const deny = listed(host!.deny.map(operandWord), ', ');
  const allowsAll = host!.allow.some(({ kind }) => kind === 'all');
  const deniesAll = host!.deny.some(({ kind }) => kind === 'all');
  if (host!.order === 'deny,allow') {
    if (allowsAll || !deny) return 'everyone';
    if (deniesAll) return allow || 'nobody';
    return allow ? `everyone except ${deny}; but ${allow} is allowed again` : `everyone except ${deny}`;
  }
  if (!allow || deniesAll) return 'nobody';
  return deny ? `${allow}, except ${deny}` : allow;
}

function wordOf(operand: Operand, marks: Marks): string {
  switch (operand.kind) {
    case 'all':
      return 'everyone';
    case 'ip':
      return marks.text(operand.text);
    case 'host':
      return marks.text(operand.name);
    case 'env':
      return operand.isNegated
        ? `requests without the variable ${marks.text(operand.name)}`
        : `requests with the variable ${marks.text(operand.name)}`;
    case 'unknown':
      return `"${marks.text(operand.text)}", whose value is not known`;
    default:
      return `"${marks.text(operand.text)}", which matches nobody`;
  }
}

/** The first of many words, and how many there are beside these. */
function listed(words: readonly string[], separator: string): string {
  const more = words.length - MAX_LISTED;
  return more > 0 ? `${words.slice(0, MAX_LISTED).join(separator)} and ${more} more` : words.join(separator);
}

const MAX_LISTED = 20;

const WORDS: Record<Decision | 'broken', string> = {
  allowed: 'allowed',
  unauthorized: 'login (401)',
  forbidden: 'denied (403)',
  broken: 'error (500)',
};

/** One row for each kind of client; the three columns become one where they agree everywhere. */
function table(
  section: Section22,
  hasAuthType: boolean,
  converted: Tree24,
  marks: Marks,
): Pick<AccessTable, 'head' | 'rows' | 'isSame'> {
  const rows = clients(section, marks).flatMap(({ name, world }) => {
    const users: [string, World['user']][] =
      section.requires.length === 0
        ? [['', null]]
        : [
            [', no login', null],
            [', logged in', () => true],
          ];
    return users.map(([suffix, user]) => {
      const asked = { ...world, user };
      return [
        name + suffix,
        WORDS[decide22(section, asked)],
        WORDS[decideCompat(section, hasAuthType, asked)],
        WORDS[decide24(converted, asked)],
      ];
    });
  });
  const isSame = rows.every(([, old, compat, fresh]) => old === compat && old === fresh);
  const head = isSame ? ['client', 'answer'] : ['client', '2.2', '2.4 with mod_access_compat', '2.4 converted'];
  const shown = isSame
    ? rows.map((row) => row.slice(0, 2))
    : rows.map(([client = '', old = '', compat = '', fresh = '']) => [
        client,
        old,
        compat === old ? compat : marks.strong(compat),
        fresh,
      ]);
  return { head, rows: shown, isSame };
}

function markdownTable({ head, rows, isSame }: AccessTable): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [...lines, ...(isSame ? [] : ['', COMPAT_NOTE])].join('\n');
}

/** Most kinds of clients to show. */
const MAX_CLIENTS = 8;

/** Each operand alone, operands that one list has and the other one's too, and nobody of these. */
function clients({ host }: Section22, marks: Marks): { name: string; world: Pick<World, 'matches'> }[] {
  const keys = new Map<string, string>();
  for (const operand of [...(host?.allow ?? []), ...(host?.deny ?? [])]) {
    if (operand.kind === 'ip') keys.set(`ip ${operand.text}`, `from ${marks.text(operand.text)}`);
    else if (operand.kind === 'host') keys.set(`host ${operand.name}`, `from ${marks.text(operand.name)}`);
    else if (operand.kind === 'env') keys.set(`env ${operand.name}`, `with ${marks.text(operand.name)} set`);
  }
  const world = (key: string | null): Pick<World, 'matches'> => ({
    matches: (provider, operand) => `${provider} ${operand}` === key,
  });
  const shown = [...keys].slice(0, MAX_CLIENTS).map(([key, name]) => ({ name, world: world(key) }));
  return [...shown, { name: keys.size > 0 ? 'everyone else' : 'everyone', world: world(null) }];
}
