/**
 * What a real httpd says of a configuration (`httpd -t`), read and prepared for: its messages as places, and a copy of the files in which paths lead to this machine, line for line
 * the same, so that what the server says of a line is said of the line that a person wrote. Pure: who runs the server, and writes the copy, is elsewhere.
 */
import { moduleNamed, isForeign } from '../config/modules';
import type { IncludeNode, Model } from '../config/model';
import { directive, modules } from '../directives/index';
import type { Tree } from '../syntax/document';
import { argumentsOf, LineKind, type Line } from '../syntax/line';
import { forEachItem, Section, type Item, type List } from '../syntax/tree';
import { addTo } from '../syntax/groups';

/** A line of the server's output. */
export interface ServerMessage {
  /** Such as `AH00526`; httpd's errors while reading a file have none. */
  readonly code?: string;
  readonly message: string;
  /** 1-based; undefined where httpd names none. */
  readonly line?: number;
  /** As the server names it. */
  readonly file?: string;
}

/**
 * httpd writes an error as `AH00526: Syntax error on line N of F:` and the text on the next line, or, where it could not even read the
 * file, all on one line, once for each file that includes the next one (server/main.c, server/config.c). It stops at the first error.
 */
export function readServerMessages(
  stderr: string,
  isOk: boolean,
): { readonly error?: ServerMessage; readonly warnings: readonly ServerMessage[] } {
  const rows = stderr
    .split('\n')
    .map(withoutPrefix)
    .filter((row) => row !== '' && row !== 'Syntax OK');
  if (isOk) return { warnings: rows.map(readWarning) };
  const start = rows.findIndex((row) => row.includes('Syntax error on line '));
  if (start >= 0)
    return { error: readError(rows.slice(start).join('\n')), warnings: rows.slice(0, start).map(readWarning) };
  const text = rows.filter((row) => !row.startsWith('AH00014')).at(-1) ?? stderr;
  return { error: splitCode(text), warnings: rows.filter((row) => row !== text).map(readWarning) };
}

/** What the server refuses because of the machine: files and accounts that are not here, a library that was built without something. */
export const ELSEWHERE =
  /does not exist|is not a directory|not a valid directory|must be a valid directory|[Bb]ad (user|group) name|[Cc]ould not open|Invalid Mutex directory|[Uu]nable to (open|read)|file for map .* not found|SSLv3 not supported by this version of OpenSSL/;

/**
 * Empties the logical line that ends in a physical line; for an opening tag that has its closing tag, both are replaced, by ones with which the body stays in the context it was in: what
 * is inside is checked, and is not blamed for the tag. `isNested` says that the lines stand in a directory's section of another file.
 */
export function removeDirective(lines: string[], last: number, isNested = false): void {
  let first = last;
  while (first > 0 && isContinued(lines[first - 1]!)) first--;
  const section = /^\s*<(\w+)/.exec(lines[first]!)?.[1]!.toLowerCase();
  const close = section === undefined ? -1 : closingLine(lines, first, section);
  const [newOpen, newClose] =
    section === undefined || close < 0 || isNested ? ['', ''] : neutralTags(lines, first, section);
  for (let line = first; line <= last; line++) lines[line] = '';
  lines[last] = newOpen;
  if (close >= 0) lines[close] = newClose;
}

/** The last physical lines (0-based) of the logical lines that begin with a directive. */
export function linesOf(lines: readonly string[], name: string): number[] {
  const wanted = name.toLowerCase();
  return lines.flatMap((line, index) =>
    !isContinued(line) && firstWord(lines, index).toLowerCase() === wanted ? [index] : [],
  );
}

/** The word in front of the logical line that ends in a physical line: a directive, or a section with its `<`. */
export function firstWord(lines: readonly string[], last: number): string {
  let first = last;
  while (first > 0 && isContinued(lines[first - 1]!)) first--;
  return /^\s*(<?[^\s>]*)/.exec(lines[first] ?? '')![1]!;
}

// ---------------------------------------------------------------------------------------------------------------------
// The copy.

/** The httpd that is to read it. */
export interface CheckingServer {
  /** The path of an installed module, by the name of its file (`mod_alias.so`); null where it is not here. */
  moduleFile(name: string): string | null;
  /** Compiled in, as `httpd -l` lists them: `mod_so.c`. */
  readonly builtIn: ReadonlySet<string>;
}

export interface CheckCopy {
  /** The first is the root. Lines are those of the file that it stands for. */
  readonly files: readonly { readonly path: string; readonly lines: string[] }[];
  /** What one Include line reads, by the name of a directory: indices of files, in order. */
  readonly includes: ReadonlyMap<string, readonly number[]>;
  /** What the server does not get to see, 0-based. */
  readonly unchecked: readonly Unchecked[];
  /** Modules that the configuration loads and this machine has not, by the manual's names. */
  readonly missing: ReadonlySet<string>;
  /** Whether all that it includes is here: what is not might load modules. */
  readonly isWhole: boolean;
}

export interface Unchecked {
  readonly file: string;
  readonly line: number;
  readonly what: string;
}

/** `at` is where the copy will lie; it has directories `files`, `include`, `empty` and `root`. */
export function checkCopy(
  model: Model,
  { at, read, server }: { at: string; read: (path: string) => Tree | null; server: CheckingServer },
): CheckCopy {
  const paths = [model.root, ...[...model.files.keys()].filter((file) => file !== model.root)];
  const index = new Map(paths.map((file, number) => [file, number]));
  const includes = new Map<string, readonly number[]>();
  const unchecked: Unchecked[] = [];
  const missing = new Set<string>();
  let isWhole = true;
  const files = paths.map((file) => {
    const tree = read(file);
    const lines = tree
      ? tree
          .text()
          .replace(/^\ufeff/, '')
          .split('\n')
      : [];
    const nodes = new Map<number, IncludeNode[]>();
    for (const node of model.includes.get(file) ?? []) addTo(nodes, node.row, node);
    const replace = (first: number, line: Line, text: string) => {
      const last = first + line.text.replace(/\r?\n$/, '').split('\n').length - 1;
      for (let row = first; row <= last; row++) lines[row] = '';
      lines[last] = text;
    };
    const not = (row: number, what: string) => unchecked.push({ file, line: row, what });
    const visit = (line: Line, row: number) => {
      switch (line.name) {
        case 'serverroot':
          return replace(row, line, `ServerRoot "${at}/root"`);
        case 'include':
        case 'includeoptional': {
          const own = nodes.get(row) ?? [];
          const targets = [...new Set(own.flatMap((node) => node.files.flatMap(({ path }) => index.get(path) ?? [])))];
          const problem = own.some((node) => node.problem !== null);
          // What a condition keeps from being read is not in the model, and the server would not read it, either.
          if (own.length === 0) return replace(row, line, '');
          if (targets.length === 0 && problem) {
            if (line.name === 'include') not(row, 'what it includes is not here');
            isWhole = false;
            return replace(row, line, '');
          }
          const [only] = targets;
          if (targets.length === 1)
            return replace(
              row,
              line,
              `${line.name === 'include' ? 'Include' : 'IncludeOptional'} "${at}/files/${only}.conf"`,
            );
          const name = String(includes.size);
          if (targets.length > 0) includes.set(name, targets);
          return replace(
            row,
            line,
            `${line.name === 'include' ? 'Include' : 'IncludeOptional'} "${at}/${targets.length > 0 ? `include/${name}` : 'empty'}/*.conf"`,
          );
        }
        case 'loadmodule': {
          const [identifier, path] = argumentsOf(line).map(({ value }) => value);
          const name = /[^/\\]*$/.exec(path ?? '')![0];
          const module = moduleNamed(identifier ?? '');
          const facts = module === null ? undefined : modules().find((each) => each.name === module);
          const source = facts?.['2.4']?.sourceFile;
          if (source !== undefined && server.builtIn.has(source)) return replace(row, line, '');
          const here = server.moduleFile(name);
          if (here !== null) return replace(row, line, `LoadModule ${identifier} "${here}"`);
          // One of 2.2's that 2.4 has not is missing everywhere: the server is to say so.
          if (facts && !facts['2.4']) return;
          missing.add(module ?? identifier ?? name);
          not(row, `${name || 'the module'} is not installed here`);
          return replace(row, line, '');
        }
        // Their directories are looked for in the check (server/log.c, mod_log_config), and are on the server.
        case 'errorlog':
        case 'customlog':
        case 'transferlog':
        case 'forensiclog':
        case 'globallog': {
          const [target] = argumentsOf(line);
          if (target === undefined || /^(\||syslog)/.test(target.value)) return;
          return replace(
            row,
            line,
            line.text
              .trimEnd()
              .replace(/\\\r?\n/g, ' ')
              .replace(/^(\s*\S+\s+)("[^"]*"|'[^']*'|\S+)/, (_, name: string) => `${name}"${at}/root/logs/log"`),
          );
        }
        case 'loadfile':
          not(row, 'a library of the server');
          return replace(row, line, '');
      }
    };
    if (tree) {
      const walk = (list: List, base: number) =>
        forEachItem(list, base, (item: Item, offset) => {
          const row = tree.positionAt(offset).line;
          if (item instanceof Section) {
            // What is in it is a program, which mod_perl would run.
            if (item.name === 'perl') {
              not(row, '<Perl> is a program, and is not run');
              const last = tree.positionAt(offset + item.length - 1).line;
              for (let at = row; at <= last; at++) lines[at] = '';
            } else walk(item.body, offset + item.open.length);
          } else if (item.kind === LineKind.Directive) visit(item, row);
        });
      walk(tree.root, 0);
    }
    return { path: file, lines };
  });
  return { files, includes, unchecked, missing, isWhole };
}

/** Why it says nothing of the configuration that the server refuses a line here; null where it does. */
export function excuse(
  { message }: ServerMessage,
  { missing, isWhole }: Pick<CheckCopy, 'missing' | 'isWhole'>,
): string | null {
  const name = /^Invalid command '([^']+)'/.exec(message)?.[1];
  if (name !== undefined) {
    const facts = directive(name.replace(/^</, ''), { section: name.startsWith('<') })?.['2.4'];
    const its = facts?.modules.find((each) => missing.has(each));
    if (its !== undefined) return `${its} is not installed here`;
    if (facts !== undefined && !isWhole)
      return `needs ${facts.modules.join(' or ')}, which no file here loads; a file that is not here may`;
    const strangers = [...missing].filter(isForeign);
    return facts === undefined && directive(name) === undefined && strangers.length > 0
      ? `perhaps of ${strangers.join(' or ')}, not installed here`
      : null;
  }
  if (ELSEWHERE.test(message)) return message;
  return /^Unknown (?:DAV|Auth[nz]) provider/.test(message) && [...missing].length > 0
    ? `${message}; ${[...missing].join(', ')}: not installed here`
    : null;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Sections that leave the context of their body as it is. */
const WITHOUT_CONTEXT = /^(if(module|define|version|file|directive|section)|macro)$/;

/** Tags that are right where the given section stands and give its body the same of httpd's contexts. */
function neutralTags(lines: readonly string[], line: number, section: string): [string, string] {
  if (WITHOUT_CONTEXT.test(section)) return ['', ''];
  const parents = openSections(lines, line).filter((parent) => !WITHOUT_CONTEXT.test(parent));
  if (parents.some((parent) => parent !== 'virtualhost')) return ['', ''];
  if (section !== 'virtualhost') return ['<Directory "/removed">', '</Directory>'];
  return parents.length > 0 ? ['', ''] : ['<VirtualHost 127.0.0.99:99>', '</VirtualHost>'];
}

function openSections(lines: readonly string[], end: number): string[] {
  const open: string[] = [];
  for (const line of lines.slice(0, end)) {
    const tag = /^\s*<(\/?)(\w+)/.exec(line);
    if (!tag) continue;
    if (!tag[1]) open.push(tag[2]!.toLowerCase());
    else if (open.at(-1) === tag[2]!.toLowerCase()) open.pop();
  }
  return open;
}

function closingLine(lines: readonly string[], open: number, section: string): number {
  let depth = 0;
  for (let line = open; line < lines.length; line++) {
    const tag = /^\s*<(\/?)(\w+)/.exec(lines[line]!);
    if (tag?.[2]!.toLowerCase() !== section) continue;
    depth += tag[1] ? -1 : 1;
    if (depth === 0) return line;
  }
  return -1;
}

function isContinued(line: string): boolean {
  return /\\\r?$/.test(line);
}

function readError(text: string): ServerMessage {
  const code = splitCode(text).code;
  const place = [
    ...text.matchAll(
      /(?:Syntax error on line|used on line) (\d+) of "?(\/[^"\n]*?)"*(?: error while substituting)?:(?=\s)/g,
    ),
  ].at(-1);
  if (!place) return { code, message: text };
  return { code, message: text.slice(place.index + place[0].length).trim(), line: Number(place[1]), file: place[2] };
}

function readWarning(row: string): ServerMessage {
  const place = /in line (\d+) of (\/\S+?)\.?$/.exec(row) ?? /(?<= )(\/\S+):(\d+)$/.exec(row);
  if (!place) return splitCode(row);
  const [line, file] = place[1]!.startsWith('/') ? [place[2], place[1]] : [place[1], place[2]];
  const { code, message } = splitCode(row);
  return { code, message: message.slice(0, -place[0].length).trimEnd(), line: Number(line), file };
}

function splitCode(row: string): ServerMessage {
  const match = /^(AH\d{5}): (.*)$/s.exec(row);
  return match ? { code: match[1], message: match[2]! } : { message: row };
}

/** Removes `[date] [module:level] [pid …] (errno)text: `, which a message that goes through the log has. */
function withoutPrefix(row: string): string {
  return row
    .trim()
    .replace(/^(?:\[[^\]]*\] ?)+/, '')
    .replace(/^\(.*?\).*?: (?=AH\d{5})/, '');
}
