/**
 * Inlay hints: what a virtual host has of the main server because it says nothing itself, and what counts where nothing is said
 * and 2.2 did otherwise. For one file, for the lines that are asked for, and at a cost that does not grow with the file.
 *
 * What is inherited and what is not was tried on a real server (test/httpd/inheritance.test.ts); SSL: ssl_config_server_merge
 * in modules/ssl/ssl_engine_config.c.
 */
import { InlayHintKind, type InlayHint } from 'vscode-languageserver-types';
import type { Engine } from '../analysis/engine';
import { isTransparent, sectionKind } from '../config/sections';
import { directives } from '../directives';
import { Fact, hasFact } from '../rules/facts';
import type { Tree } from '../syntax/document';
import { contentEnd, LineKind, rawArguments, spelledName, type Line } from '../syntax/line';
import { List, Section, type Item } from '../syntax/tree';

export interface InlayHintQuestion {
  readonly tree: Tree;
  /** Offsets (UTF-16) of what is to be seen. */
  readonly start: number;
  readonly end: number;
  /** Has analyzed the tree. */
  readonly engine: Engine;
  readonly isHtaccess: boolean;
  /** Which hints. */
  readonly inherited: boolean;
  readonly defaults: boolean;
}

/** Items looked at since the start of the program, for the test that counts what a question costs. */
export const work = { items: 0 };

export function inlayHints({ tree, start, end, engine, isHtaccess, inherited, defaults }: InlayHintQuestion): InlayHint[] {
  if (isHtaccess || (!inherited && !defaults)) return [];
  const facts = engine.factsIn(tree.root);
  const hints: InlayHint[] = [];
  const add = (line: Line, offset: number, label: string, tooltip: string) => {
    const position = tree.positionAt(offset + contentEnd(line));
    hints.push({ position, label, kind: InlayHintKind.Type, paddingLeft: true, tooltip: { kind: 'markdown', value: tooltip } });
  };
  const anchor = defaults && hasFact(facts, Fact.isRoot) ? serverRoot(tree) : undefined;
  if (anchor && anchor.offset >= start && anchor.offset <= end) {
    const unset = hasFact(facts, Fact.includes) ? [] : changedDefaults().filter((each) => !mainServer(tree.root).names.has(each.name) && !(each.alias && mainServer(tree.root).names.has(each.alias)));
    if (unset.length > 0) add(anchor.line, anchor.offset, `defaults: ${unset.map(({ now }) => now).join(' · ')}`, table(unset));
  }
  let left = MAX_HINTED;
  for (const { section, offset } of sectionsIn(tree.root, start, end)) {
    if (left-- <= 0) break;
    if (offset < start || offset > end) continue;
    if (inherited && section.name === 'virtualhost') virtualHost(tree, section, offset, facts, add);
    if (defaults && section.name === 'directory' && !hasFact(facts, Fact.allowsOverride | Fact.deniesOverride | Fact.includes) && hasFact(facts, Fact.isRoot)) {
      add(section.open, offset, 'AllowOverride None', 'No `AllowOverride` in this file: 2.4 reads no `.htaccess` here. In 2.2 the default was `All`.');
    }
  }
  return hints;
}

// ---------------------------------------------------------------------------------------------------------------------

/** More items of a list, or of a virtual host, than these are not looked at: then nothing is said. */
const MAX_ITEMS = 5_000;
/** Sections in one view. */
const MAX_HINTED = 500;

type Add = (line: Line, offset: number, label: string, tooltip: string) => void;

/** What a virtual host takes whole from the main server unless it has a line of its own; by lower-case names, one of which is enough. */
const INHERITED: readonly (readonly string[])[] = [
  ['serveradmin'], ['documentroot'], ['errorlog'], ['loglevel'], ['customlog', 'transferlog', 'globallog'], ['timeout'], ['keepalive'], ['keepalivetimeout'], ['maxkeepaliverequests'],
  ['sslengine'], ['sslcertificatefile'], ['sslcertificatekeyfile'], ['sslcertificatechainfile'], ['sslcacertificatefile', 'sslcacertificatepath'], ['sslprotocol'], ['sslciphersuite'], ['sslverifyclient'], ['usecanonicalname'],
  ['limitrequestline'], ['limitrequestfieldsize'], ['limitrequestfields'], ['traceenable'],
];

/** What it does not take. */
const NOT_INHERITED: readonly string[] = ['rewriterule'];

function virtualHost(tree: Tree, section: Section, offset: number, facts: number, add: Add): void {
  const own = namesIn(section.body);
  if (!own.isComplete || own.names.has('include') || own.names.has('includeoptional') || own.names.has('use') || own.names.has('perl')) return;
  const main = mainServer(tree.root);
  if (!main.isComplete) return;
  const taken = INHERITED.filter((names) => names.some((name) => main.names.has(name)) && !names.some((name) => own.names.has(name))).flatMap((names) => names.filter((name) => main.names.has(name)));
  const lost = own.names.has('rewriteoptions') || main.names.has('rewriteoptions') ? [] : NOT_INHERITED.filter((name) => main.names.has(name));
  if (taken.length === 0 && lost.length === 0) return;
  const first = (name: string) => main.names.get(name)!;
  const shown = taken.slice(0, 4).map((name) => spelledName(first(name).line));
  const more = taken.length > 4 ? ` and ${taken.length - 4} more` : '';
  const label = [taken.length > 0 ? `inherits ${shown.join(', ')}${more}` : '', lost.length > 0 ? `not ${lost.map((name) => spelledName(first(name).line)).join(', ')}` : ''].filter(Boolean).join(', ');
  const row = (name: string) => {
    const { line, offset: at } = first(name);
    // What an Include of the main server brings may come later.
    return `- ${code(`${spelledName(line)} ${shortened(rawArguments(line).value)}`)}, line ${tree.positionAt(at).line + 1}`;
  };
  const caution = hasFact(facts, Fact.includes) ? '\n\nIncluded files may set something else for the main server.' : '';
  const parts = [
    taken.length > 0 ? `Of the main server, because nothing else is said here:\n\n${taken.map(row).join('\n')}${caution}` : '',
    lost.length > 0 ? `A virtual host does not inherit rewrite rules without \`RewriteOptions Inherit\`:\n\n${lost.map(row).join('\n')}` : '',
  ];
  add(section.open, offset, label, parts.filter(Boolean).join('\n\n'));
}

interface Names {
  /** The last line of each name that belongs to the scope itself: that of the main server, or of one virtual host. */
  readonly names: ReadonlyMap<string, { readonly line: Line; readonly offset: number }>;
  readonly isComplete: boolean;
}

const known = new WeakMap<List, Names>();

/** Of the file's top level; kept with the list, which an edit replaces. */
function mainServer(root: List): Names {
  let names = known.get(root);
  if (!names) known.set(root, (names = namesIn(root)));
  return names;
}

function namesIn(list: List): Names {
  const names = new Map<string, { line: Line; offset: number }>();
  let left = MAX_ITEMS;
  const walk = (node: List, base: number): void => {
    let offset = base;
    for (const child of node.children as readonly (Item | List)[]) {
      if (left <= 0) return;
      if (child instanceof List) walk(child, offset);
      else {
        left--;
        work.items++;
        if (!(child instanceof Section)) {
          if (child.kind === LineKind.Directive) names.set(child.name, { line: child, offset });
        } else if (isTransparent(sectionKind(child.name))) walk(child.body, offset + child.open.length);
        else if (sectionKind(child.name) === 'opaque') names.set(child.name, { line: child.open, offset });
      }
      offset += child.length;
    }
  };
  walk(list, 0);
  return { names, isComplete: left > 0 };
}

/** Sections whose open tag may lie in the range: those that overlap it, outer ones first. */
function sectionsIn(root: List, start: number, end: number): { section: Section; offset: number }[] {
  const found: { section: Section; offset: number }[] = [];
  const walk = (node: List, base: number): void => {
    let offset = base;
    for (const child of node.children as readonly (Item | List)[]) {
      if (offset > end || found.length > MAX_HINTED) return;
      if (offset + child.length >= start) {
        if (child instanceof List) walk(child, offset);
        else if (child instanceof Section) {
          work.items++;
          found.push({ section: child, offset });
          if (sectionKind(child.name) !== 'opaque' && child.name !== 'macro') walk(child.body, offset + child.open.length);
        }
      }
      offset += child.length;
    }
  };
  walk(root, 0);
  return found;
}

/** The line that says ServerRoot, or else PidFile. */
function serverRoot({ root }: Tree): { line: Line; offset: number } | undefined {
  const { names } = mainServer(root);
  return names.get('serverroot') ?? names.get('pidfile');
}

interface ChangedDefault {
  readonly name: string;
  readonly alias?: string;
  readonly now: string;
  readonly before: string;
}

let changed: readonly ChangedDefault[] | undefined;

/** What the core and the MPMs do otherwise when nothing is said. DefaultType has no value that 2.4 would take. */
function changedDefaults(): readonly ChangedDefault[] {
  return (changed ??= directives().flatMap((one) => {
    const [old, current] = [one['2.2'], one['2.4']];
    const isCore = current?.modules.includes('core') ?? false;
    if (!old?.default || !current?.default || !one.changes.includes('default') || !isCore || ['DefaultType', 'AllowOverride'].includes(one.name)) return [];
    const alias = ALIASES[one.name.toLowerCase()];
    return [{ name: one.name.toLowerCase(), now: current.default, before: old.default, ...(alias && { alias }) }];
  }));
}

const ALIASES: Readonly<Record<string, string>> = { maxrequestsperchild: 'maxconnectionsperchild' };

function table(unset: readonly ChangedDefault[]): string {
  return ['Not set for the main server, and something else in 2.2:', '', '| 2.4 | 2.2 |', '| --- | --- |', ...unset.map(({ now, before }) => `| ${code(now)} | ${code(before)} |`)].join('\n');
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function code(text: string): string {
  const plain = text.replace(/\s+/g, ' ');
  const fence = '`'.repeat(Math.max(0, ...[...plain.matchAll(/`+/g)].map(([run]) => run.length)) + 1);
  return fence.length > 1 ? `${fence} ${plain} ${fence}` : `\`${plain}\``;
}
