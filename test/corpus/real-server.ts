/**
 * What a real 2.4 with all its modules refuses in single files: each is included from a small main
 * file, in the context it belongs to. Many share a run, because the server names file and line; it
 * stops at the first error, so it runs again without that line until nothing is left.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ERROR_OF_MACHINE } from '../../server/src/analysis/server-check';
import { activityOf } from '../../server/src/config/activity';
import { isTransparent, sectionKind } from '../../server/src/config/sections';
import { DEFAULT_TARGET } from '../../server/src/config/target';
import { directive } from '../../server/src/directives';
import { removedDirective } from '../../server/src/rules/removed-directive';
import { argumentsOf, LineKind } from '../../server/src/syntax/line';
import { Tree } from '../../server/src/syntax/document';
import { forEachItem, Section, type Item, type List } from '../../server/src/syntax/tree';
import { configTest, emptyLogicalLine, type ConfigVerdict } from '../httpd/config-test';
import type { SandboxOptions } from '../httpd/sandbox';
import { repositoryRoot } from '../support/paths';

export interface Piece {
  readonly path: string;
  /** See `withoutMachine`. */
  readonly text: string;
  /** What the file is included into; the server itself by default. */
  readonly within?: Place;
}

export type Place = 'directory' | 'require-all';

export interface Refusal {
  readonly path: string;
  /** 1-based, in the text given; 0 for what the server says of the whole, once it has read it. */
  readonly line: number;
  /** The word in front: a directive, or a section with its `<`. */
  readonly name: string;
  readonly message: string;
}

export { ERROR_OF_MACHINE as ELSEWHERE };

/** Files that share a run. */
const TOGETHER = 24;

/** Providers that other people's modules bring. */
export const FOREIGN =
  /^Unknown DAV provider: svn$|^Unknown Authn provider: external$|^Unknown Authz provider: (shib-session|shib-attr|shib-user|adfs-group)$/;

/** Errors of one share after which something is wrong with the search itself. */
const MOST = 400;

/** All that is refused. */
export async function refusals(pieces: readonly Piece[], options: SandboxOptions = {}): Promise<Refusal[]> {
  const shares: Piece[][] = [];
  for (let i = 0; i < pieces.length; i += TOGETHER) shares.push(pieces.slice(i, i + TOGETHER));
  return (await Promise.all(shares.map((share) => refusalsOf(share, options)))).flat();
}

async function refusalsOf(pieces: readonly Piece[], options: SandboxOptions): Promise<Refusal[]> {
  const texts = pieces.map(({ text }) => text.split('\n'));
  const found: Refusal[] = [];
  const main = pieces.map((piece, index) => included(piece, index)).join('\n');
  for (let runs = 0; runs < MOST; runs++) {
    const { error, stderr } = await ask(main, texts, options);
    if (!error) return found;
    const { index, line } = placeOf(stderr, error.file, error.line);
    if (index < 0) {
      // A check after reading: the texts as they are now have no other error, so each is asked by
      // itself.
      const culprits = await Promise.all(
        pieces.map(async (piece, candidate) => (await ask(included(piece, candidate), texts, options)).error),
      );
      if (culprits.every((own) => own === undefined))
        throw new Error(
          `an error in no file of the corpus (${pieces[0].path} and ${pieces.length - 1} more):\n${stderr}`,
        );
      culprits.forEach((own, candidate) => {
        if (own === undefined) return;
        found.push({ path: pieces[candidate].path, line: 0, name: '', message: own.message });
        texts[candidate] = [];
      });
      continue;
    }
    const lines = texts[index];
    const first = /^\s*(<?[^\s>]*)/.exec(logicalStart(lines, line - 1))![1];
    // Without mod_access_compat a name is known nowhere, and where one file is missing, so are the
    // others: all lines of the name go at once.
    const isOfAll =
      /^Invalid command '(order|allow|deny|satisfy)'/i.test(error.message) || ERROR_OF_MACHINE.test(error.message);
    const places =
      isOfAll && !first.startsWith('<')
        ? texts.flatMap((_, at) => linesOf(texts[at], first).map((each) => ({ at, line: each })))
        : [{ at: index, line }];
    // The reading of the body of an unknown section is unknown: it is read without its tags.
    const isUnknownSection = /^Invalid command '</.test(error.message);
    for (const place of places) {
      found.push({ path: pieces[place.at].path, line: place.line, name: first, message: error.message });
      const before = texts[place.at].join('\n');
      // A closing tag of another name closes the section: its error has been reported.
      const wanted = /^Expected (<\/\S+>) but saw /.exec(error.message)?.[1];
      if (wanted !== undefined) texts[place.at][place.line - 1] = wanted;
      else emptyLogicalLine(texts[place.at], place.line - 1, pieces[place.at].within !== undefined || isUnknownSection);
      if (texts[place.at].join('\n') === before)
        throw new Error(`${pieces[place.at].path}:${place.line} cannot be taken out: ${error.message}`);
    }
  }
  throw new Error(`more than ${MOST} errors in ${pieces.map(({ path }) => path).join(', ')}`);
}

/** The last physical lines (1-based) of the logical lines that begin with a directive. */
function linesOf(lines: readonly string[], name: string): number[] {
  const wanted = name.toLowerCase();
  return lines.flatMap((_, index) => {
    if (/\\\r?$/.test(lines[index]) || !lines[index].toLowerCase().includes(wanted)) return [];
    return /^\s*([^\s>]*)/.exec(logicalStart(lines, index))![1].toLowerCase() === wanted ? [index + 1] : [];
  });
}

function ask(main: string, texts: readonly (readonly string[])[], options: SandboxOptions): Promise<ConfigVerdict> {
  const files = Object.fromEntries(texts.map((lines, index) => [name(index), lines.join('\n')]));
  return configTest(main, { ...options, files: { ...options.files, ...files } });
}

/** What a macro leads to is named by where the macro is used. */
function placeOf(stderr: string, file: string | undefined, line: number | undefined): { index: number; line: number } {
  const own = file === undefined ? null : NAME.exec(file);
  if (own && line !== undefined) return { index: Number(own[1]), line };
  const used = [...stderr.matchAll(/used on line (\d+) of "[^"]*corpus\/(\d+)\.conf"/g)].at(-1);
  return used ? { index: Number(used[2]), line: Number(used[1]) } : { index: -1, line: 0 };
}

const NAME = /^corpus\/(\d+)\.conf$/;

function included({ within }: Piece, index: number): string {
  const include = `Include ${name(index)}`;
  if (within === 'directory') return `<Directory "/corpus/${index}">\n${include}\n</Directory>`;
  return within === 'require-all'
    ? `<Directory "/corpus/${index}">\n<RequireAll>\nRequire all granted\n${include}\n</RequireAll>\n</Directory>`
    : include;
}

function name(index: number): string {
  return `corpus/${index}.conf`;
}

function logicalStart(lines: readonly string[], last: number): string {
  let first = last;
  while (first > 0 && /\\\r?$/.test(lines[first - 1])) first--;
  return lines[first];
}

/**
 * Where a file is included that nothing says about: by what stands in it outside of all sections
 * but conditional ones.
 */
export function placeOfText(text: string, isHtaccess: boolean): Place | undefined {
  if (isHtaccess) return 'directory';
  const names: string[] = [];
  const walk = (list: List) => {
    forEachItem(list, 0, (item: Item) => {
      if (item instanceof Section) {
        if (isTransparent(sectionKind(item.name))) walk(item.body);
        else names.push(`<${item.name}`);
      } else if (item.kind === LineKind.Directive)
        names.push(
          item.name === 'require' && argumentsOf(item)[0]?.value.toLowerCase() === 'not' ? 'require not' : item.name,
        );
    });
  };
  walk(Tree.parse(text).root);
  if (names.length > 0 && names.every((name) => name === 'require not')) return 'require-all';
  // A file that has hosts or directories is no part of one.
  const isOutside = names.some((name) => /^<(virtualhost|directory|location)/.test(name));
  return !isOutside && names.some((name) => /^(require( not)?|order|allow|deny|satisfy|authtype)$/.test(name))
    ? 'directory'
    : undefined;
}

/**
 * Directives about this machine: which modules, other files, whose account. And what no httpd ever
 * knew: other people's modules.
 */
const OF_THE_MACHINE = new Set([
  'loadmodule',
  'loadfile',
  'include',
  'includeoptional',
  'serverroot',
  'user',
  'group',
  'listen',
]);

/**
 * The text with such lines emptied; every other line keeps its number. Lines that somebody has
 * something to say about stay; of LoadModule the server looks for the file among its own.
 */
export function withoutMachine(text: string, isOfInterest: (offset: number) => boolean = () => false): string {
  const tree = Tree.parse(text);
  let result = '';
  const blank = (part: string) => part.replace(/[^\n]+/g, '');
  const walk = (list: List, base: number) => {
    forEachItem(list, base, (item: Item, offset) => {
      const own = text.slice(offset, offset + item.length);
      if (item instanceof Section) {
        const tag = (part: string) => (isForeign(item.name, true) && !isOfInterest(offset) ? blank(part) : part);
        result += tag(own.slice(0, item.open.length));
        walk(item.body, offset + item.open.length);
        result += tag(own.slice(own.length - item.close.length));
      } else if (item.kind === LineKind.Directive && item.name === 'loadmodule' && isOfInterest(offset))
        result += own.replace(/(?:"[^"]*|\S*)[/\\](\w+\.so)"?/, 'modules/$1');
      else if (
        item.kind === LineKind.Directive &&
        (OF_THE_MACHINE.has(item.name) || (isForeign(item.name, false) && !isOfInterest(offset)))
      )
        result += blank(own);
      else if (item.kind === LineKind.Directive && LOGS.has(item.name))
        result += own.replace(/^(\s*\w+\s+)(?![|"]*[|]|syslog)("[^"]*"|\S+)/, '$1logs/some_log');
      else result += own;
    });
  };
  walk(tree.root, 0);
  return result;
}

/** Their folders must be there. Pipes stay: they are of interest. */
const LOGS = new Set(['errorlog', 'customlog', 'transferlog', 'forensiclog', 'globallog']);

function isForeign(name: string, section: boolean): boolean {
  return directive(name, { section }) === undefined && !removedDirective.names.includes(name);
}

/** The text without the tags of undecided conditional sections: their lines stay. */
export function withoutConditions(text: string): string {
  let result = '';
  const blank = (part: string) => part.replace(/[^\n]+/g, '');
  const walk = (list: List, base: number) => {
    forEachItem(list, base, (item: Item, offset) => {
      const own = text.slice(offset, offset + item.length);
      const isCondition = item instanceof Section && sectionKind(item.name) === 'conditional';
      if (!(item instanceof Section) || (isCondition && activityOf(item.open, DEFAULT_TARGET) === 'inactive'))
        result += own;
      else {
        const tag = (part: string) => (isCondition ? blank(part) : part);
        result += tag(own.slice(0, item.open.length));
        walk(item.body, offset + item.open.length);
        result += tag(own.slice(own.length - item.close.length));
      }
    });
  };
  walk(Tree.parse(text).root, 0);
  return result;
}

/**
 * The rows of start.tsv: file, name of the directive (or what the server says of the whole), how
 * many lines, whose it is, why.
 */
export function listed(): Map<string, number> {
  const rows = readFileSync(path.join(repositoryRoot, 'test/corpus/start.tsv'), 'utf8')
    .split('\n')
    .slice(1)
    .filter(Boolean)
    .map((row) => row.split('\t'));
  for (const [file, name, , whose, why] of rows) {
    assert.ok(
      ['broken', 'template', 'on purpose', 'elsewhere'].includes(whose) && (why ?? '').length > 5,
      `${file} ${name}: whose, and why?`,
    );
  }
  return new Map(rows.map(([file, name, count]) => [`${file}\t${name}`, Number(count)]));
}
