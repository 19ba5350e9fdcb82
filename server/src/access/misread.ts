/**
 * Lines that 2.2 reads otherwise than they are read here, and that have to do with access: cut after 8191 characters, dropped at the end of a file, ended earlier; and tags in quotes, which
 * only httpd takes for sections. docs/how-httpd-reads.md, "Lines" and "Words".
 */
import { sectionKind } from '../config/sections';
import { directive, type Version } from '../directives';
import type { Tree } from '../syntax/document';
import { differencesIn22, isByteOrderMark, LineKind, logicalText, type Line } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { forEachLine, List, Section } from '../syntax/tree';
import type { Names } from '../config/configuration';
import { namesIn } from '../config/name-set';

export interface Misread {
  readonly line: Line;
  readonly offset: number;
  /** How 2.2 reads it; for people. */
  readonly why: string;
}

/** The first such line of a file, null where there is none. `names`: the directives that matter. */
export function misreadIn({ root }: Tree, names: Names, isFrom22: boolean): Misread | null {
  const known = remembered.get(root);
  if (known?.names === names && known.isFrom22 === isFrom22) return known.misread;
  let misread: Misread | null = null;
  forEachLine(root, 0, root.length, (line, offset) => {
    if (misread !== null || (!line.isJoined && line.length * MOST_BYTES < LIMIT && !isQuotedTag(line))) return;
    const why = isQuotedTag(line)
      ? 'httpd reads this line as a section, although it is in quotes'
      : isFrom22
        ? differenceIn(line, offset + line.length === root.length, names)
        : null;
    if (why !== null) misread = { line, offset, why };
  });
  remembered.set(root, { names, isFrom22, misread });
  return misread;
}

/** A line that only 2.4 takes. */
export interface LineOf24 {
  readonly line: Line;
  readonly offset: number;
}

/** The first line of a .htaccess that only 2.4 takes there, under no condition: to 2.2 it is an error, and requests get 500. null where there is none. */
export function onlyIn24({ root }: Tree): LineOf24 | null {
  return firstUnconditional(root, isOnlyIn24);
}

/**
 * The first line of a server's file, under no condition, by which it can only be 2.4's: 2.2 refuses to start. null where there is none. What our own fixes write says nothing: whoever
 * has taken some of them is on the way from 2.2. Nor does what other people's modules brought to 2.2.
 */
export function tellsOf24({ root }: Tree): LineOf24 | null {
  let known = told.get(root);
  if (known === undefined) {
    const mayTell = namesIn(root).some((name) => isTelling(name.replace('<', ''), name.startsWith('<')));
    known = mayTell ? firstUnconditional(root, ({ name, kind }) => isTelling(name, kind === LineKind.Open)) : null;
    told.set(root, known);
  }
  return known;
}

const told = cacheOf<object, LineOf24 | null>();

function isTelling(name: string, section: boolean): boolean {
  if (WRITTEN_BY_FIXES.has(name) || ADDED_TO_22.test(name)) return false;
  const facts = directive(name, { section });
  return facts?.['2.4']?.arguments !== undefined && facts['2.2']?.arguments === undefined;
}

/** Directives of 2.4 that a fix of some rule may write; test/access/misread.test.ts looks for them. */
export const WRITTEN_BY_FIXES: ReadonlySet<string> = new Set([
  'allowoverridelist',
  'authmerging',
  'define',
  'includeoptional',
  'maxconnectionsperchild',
  'maxrequestworkers',
  'mergeslashes',
  'mutex',
  'requireall',
  'requireany',
  'requirenone',
  'ssilegacyexprparser',
  'sslcarevocationcheck',
  'sslproxycarevocationcheck',
  'sslproxycheckpeername',
  'sslstaplingcache',
  'substitutemaxlinelength',
  'undefine',
]);

/** Directives of modules that did not come with 2.2, and were there: mod_macro, mod_define, mod_proxy_html, mod_xml2enc, mod_remoteip, mod_sed and their like. */
const ADDED_TO_22 = /^(macro|use$|undefmacro|proxyhtml|xml2|remoteip|lua|vhost|mod|fcgi|inputsed|outputsed|cookie)/;

function firstUnconditional(root: List, isOne: (line: Line) => boolean): LineOf24 | null {
  const lineIn = (list: List, base: number): LineOf24 | null => {
    let offset = base;
    for (const child of list.children) {
      const found =
        child instanceof List
          ? lineIn(child, offset)
          : child instanceof Section
            ? isOne(child.open)
              ? { line: child.open, offset }
              : sectionKind(child.name) === 'conditional' || sectionKind(child.name) === 'opaque'
                ? null
                : lineIn(child.body, offset + child.open.length)
            : child.kind === LineKind.Directive && isOne(child)
              ? { line: child, offset }
              : null;
      if (found) return found;
      offset += child.length;
    }
    return null;
  };
  return lineIn(root, 0);
}

function isOnlyIn24(line: Line): boolean {
  const facts = directive(line.name, { section: line.kind === LineKind.Open });
  const isTaken = (version: Version) => facts?.[version]?.contexts.includes('.htaccess') === true;
  return isTaken('2.4') && !isTaken('2.2');
}

/** Whether a file begins with a byte order mark: both versions refuse its first line, and answer 500 where it is a .htaccess. */
export function beginsWithMark({ root }: Tree): boolean {
  let begins = false;
  forEachLine(root, 0, Math.min(1, root.length), (line) => {
    begins ||= line.kind === LineKind.Directive && isByteOrderMark(line.name);
  });
  return begins;
}

/** A logical line as 2.2 cuts it (ap_cfg_getline in server/util.c of 2.2, with a buffer of 8192 bytes). Exported for its test. */
export function linesIn22(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const end = Math.min(newline < 0 ? text.length : newline + 1, at + Math.max(1, LIMIT - line.length));
    const piece = text.slice(at, end);
    at = end;
    const content = piece.replace(/\r?\n$/, '');
    if (piece.endsWith('\n') && content.endsWith('\\')) {
      line += content.slice(0, -1);
      if (!content.endsWith('\\\\')) continue;
    } else line += content;
    lines.push(line);
    line = '';
  }
  // What goes on at the end of the file is dropped.
  return lines;
}

// ---------------------------------------------------------------------------------------------------------------------

/** What the buffer holds beside its NUL. */
const LIMIT = 8191;
/** Of a UTF-16 unit in UTF-8. */
const MOST_BYTES = 3;

const remembered = cacheOf<
  object,
  { readonly names: Names; readonly isFrom22: boolean; readonly misread: Misread | null }
>();

function isQuotedTag({ kind, name }: Line): boolean {
  return kind === LineKind.Directive && name.startsWith('<') && name.length > 1;
}

function differenceIn(line: Line, isLastOfFile: boolean, names: Names): string | null {
  const differences = differencesIn22(line, isLastOfFile);
  if (differences.length === 0) return null;
  const before = linesIn22(line.text).map((text) => text.trim());
  const now = logicalText(line).text.trim();
  if (before.length === 1 && before[0] === now) return null;
  const matters = (text: string): boolean => {
    const word = /^["']?([^\s"']*)/.exec(text)![1]!.toLowerCase();
    return word.startsWith('<') || names.has(word) || BRINGS_MORE.test(word);
  };
  // Where bytes are counted and these are none, nobody knows where the cut is.
  const isVague = differences.includes('cut') && /[^\0-\x7f]/.test(line.text);
  if (![...before, now].some(matters) && !isVague) return null;
  if (differences.includes('cut')) return '2.2 cuts it after 8191 characters, and reads the rest as a line of its own';
  return differences.includes('dropped-at-end')
    ? '2.2 drops the last line of a file that ends in a backslash'
    : '2.2 ends it where two backslashes are';
}

const BRINGS_MORE = /^(include(optional)?|use|define|undefine|serverroot|loadmodule)$/;
