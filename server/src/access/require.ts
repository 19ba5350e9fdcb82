/**
 * Reads `Require` lines and their containers as mod_authz_core of 2.4 does (add_authz_provider and
 * add_authz_section in modules/aaa/mod_authz_core.c).
 */
import type { Activity } from '../config/activity';
import { sectionKind } from '../config/sections';
import { argumentsOf, LineKind, type Line, type Word } from '../syntax/line';
import { latestValue } from '../syntax/memory';
import { List, Section, type PlacedLine } from '../syntax/tree';
import { parseOperand } from './operand';

/**
 * The names of the 2.4 providers, with their modules. httpd distinguishes upper and lower case in
 * these names. A test compares them with data/providers.json.
 */
export const MODULE_BY_PROVIDER: ReadonlyMap<string, string> = new Map([
  ...providersOf('mod_authz_core', 'all', 'env', 'expr', 'method'),
  ...providersOf('mod_authz_host', 'forward-dns', 'host', 'ip', 'local'),
  ...providersOf('mod_authz_user', 'user', 'valid-user'),
  ...providersOf('mod_authz_groupfile', 'file-group', 'group'),
  ...providersOf('mod_authz_owner', 'file-owner'),
  ...providersOf('mod_authz_dbm', 'dbm-file-group', 'dbm-group'),
  ...providersOf('mod_authz_dbd', 'dbd-group', 'dbd-login', 'dbd-logout'),
  ...providersOf(
    'mod_authnz_ldap',
    'ldap-attribute',
    'ldap-dn',
    'ldap-filter',
    'ldap-group',
    'ldap-search',
    'ldap-user',
  ),
  ...providersOf('mod_ssl', 'ssl', 'ssl-verify-client'),
]);

/**
 * The names of the 2.2 providers. 2.2 accepts any other name without an error, but no user fulfils
 * it.
 */
export const PROVIDERS_22: ReadonlySet<string> = new Set([
  'user',
  'valid-user',
  'group',
  'file-owner',
  'file-group',
  'ldap-user',
  'ldap-dn',
  'ldap-group',
  'ldap-attribute',
  'ldap-filter',
]);

/** Whether httpd asks for a login before this provider can grant access. */
export function needsLogin(provider: string): boolean {
  return PROVIDERS_22.has(provider) || /^db[md]-(?!log(in|out)$)/.test(provider);
}

/** The words of a `Require` line. */
export interface RequireLine {
  readonly isNegated: boolean;
  /** The word after `Require` and `not`, such as `ip`. Null if the line has no such word. */
  readonly provider: Word | null;
  readonly operands: readonly Word[];
  /** Whether a word contains a variable or a placeholder of a template. */
  readonly hasVariable: boolean;
}

/** Reads the words of a `Require` line. */
export function parseRequire(line: Line): RequireLine {
  if (lastParsedLine.value?.line !== line) lastParsedLine.value = { line, require: requireOf(argumentsOf(line)) };
  return lastParsedLine.value.require;
}

/** The line that was parsed last. Several rules ask for the same line one after another. */
const lastParsedLine = latestValue<{ readonly line: Line; readonly require: RequireLine } | null>(null);

function requireOf(words: readonly Word[]): RequireLine {
  const isNegated = words[0]?.value.toLowerCase() === 'not';
  const providerIndex = isNegated ? 1 : 0;
  return {
    isNegated,
    provider: words[providerIndex] ?? null,
    operands: words.slice(providerIndex + 1),
    hasVariable: words.some((word) => hasUnknownPart(word.value)),
  };
}

/**
 * Whether a line is `Require all denied`, if upper case and further words, which 2.4 refuses, are
 * ignored. A correction of such a line grants no access.
 */
export function isMeantAsAllDenied({ isNegated, provider, operands: [word] }: RequireLine): boolean {
  return !isNegated && provider?.value.toLowerCase() === 'all' && word?.value.toLowerCase() === 'denied';
}

/**
 * Whether a word looks like a placeholder that a tool replaces before httpd reads the file:
 * `@ADMIN@`, `{{ admin }}`, `<%= admin %>`, `%%admin%%`, `__ADMIN__`.
 */
export function isPlaceholder(word: string): boolean {
  return /@\w+@|\{\{|\}\}|<%|%>|%%|^__\w+__$/.test(word);
}

/** Whether a word contains a variable without a known value, or a placeholder of a template. */
export function hasUnknownPart(word: string): boolean {
  return word.includes('${') || isPlaceholder(word);
}

/** A line of a scope with its enclosing sections. `offset` counts from the start of the file. */
export interface LineInScope extends PlacedLine {
  readonly enclosingSections: readonly Section[];
  readonly activity: Activity;
}

/** Where a Require line or a container is, in relation to the container around it. */
interface RequirePlacement extends LineInScope {
  /** The `<Limit>` sections and conditions between the line and its container. */
  readonly sectionsBetween: readonly Section[];
  /** Whether httpd always reads the line if it reads its container. */
  readonly isCertain: boolean;
}

/** A Require line in the tree of a scope. */
export interface Requirement extends RequirePlacement {
  readonly type: 'require';
  readonly require: RequireLine;
}

/** A container in the tree of a scope, such as `<RequireAny>`. */
export interface RequireContainer extends RequirePlacement {
  readonly type: 'container';
  readonly kind: 'all' | 'any' | 'none';
  readonly section: Section;
  readonly children: readonly RequireNode[];
  /** Whether the container has an Include or Use line, which may add more lines. */
  readonly mayHaveMoreLines: boolean;
}

export type RequireNode = Requirement | RequireContainer;

/**
 * The Require lines at the top level of a scope. One fulfilled line is enough, as in a RequireAny.
 */
export interface RequireRoot {
  readonly kind: 'any';
  readonly children: readonly RequireNode[];
  readonly mayHaveMoreLines: boolean;
}

/** Names of the Require lines and containers. */
export const REQUIRE_NAMES = ['require', 'requireall', 'requireany', 'requirenone'] as const;
/** Names of lines that may add other lines to a scope. */
export const NAMES_ADDING_LINES = ['include', 'includeoptional', 'use'] as const;

/**
 * Builds the Require tree of some lines of a scope. `body` is the scope's content, and `bodyOffset`
 * its start. Null if one of the lines is in a container that is not among the lines, or that is not
 * closed.
 */
export function readRequireTree(lines: readonly LineInScope[], body: List, bodyOffset: number): RequireRoot | null {
  const lastResult = lastReadTree.value;
  if (lastResult?.body === body && lastResult.bodyOffset === bodyOffset && areSameItems(lastResult.lines, lines))
    return lastResult.root;
  const root = buildRequireTree(lines, body, bodyOffset);
  lastReadTree.value = { lines, body, bodyOffset, root };
  return root;
}

/** The tree that was built last. Several rules ask for the same scope one after another. */
const lastReadTree = latestValue<{
  readonly lines: readonly LineInScope[];
  readonly body: List;
  readonly bodyOffset: number;
  readonly root: RequireRoot | null;
} | null>(null);

function areSameItems<Item>(some: readonly Item[], others: readonly Item[]): boolean {
  return some.length === others.length && some.every((item, index) => item === others[index]);
}

/** Like `readRequireTree`, without the cache. */
function buildRequireTree(lines: readonly LineInScope[], body: List, bodyOffset: number): RequireRoot | null {
  const topContainer = { kind: 'any' as const, children: [] as RequireNode[], mayHaveMoreLines: false };
  const containerBySection = new Map<Section, { children: RequireNode[]; mayHaveMoreLines: boolean }>();
  for (const line of lines) {
    const parentIndex = line.enclosingSections.findLastIndex(
      (section) => sectionKind(section.name) === 'authorization',
    );
    const parent = parentIndex < 0 ? topContainer : containerBySection.get(line.enclosingSections[parentIndex]!);
    // The container is not among the lines, so its content is unknown.
    if (parent === undefined) return null;
    const sectionsBetween = line.enclosingSections.slice(parentIndex + 1);
    const isCertainlyRead =
      line.activity === 'active' || !sectionsBetween.some((section) => sectionKind(section.name) === 'conditional');
    const placement = {
      line: line.line,
      offset: line.offset,
      enclosingSections: line.enclosingSections,
      activity: line.activity,
      sectionsBetween,
      isCertain: isCertainlyRead,
    };
    if (line.line.name === 'require') {
      if (line.line.kind === LineKind.Directive)
        parent.children.push({ type: 'require', ...placement, require: parseRequire(line.line) });
    } else if (sectionKind(line.line.name) === 'authorization') {
      const section = sectionAt(body, line.offset - bodyOffset);
      if (section === null) return null;
      const containerKind = line.line.name.slice('require'.length) as RequireContainer['kind'];
      const container = {
        type: 'container' as const,
        ...placement,
        kind: containerKind,
        section,
        children: [] as RequireNode[],
        mayHaveMoreLines: false,
      };
      containerBySection.set(section, container);
      parent.children.push(container);
    } else if ((NAMES_ADDING_LINES as readonly string[]).includes(line.line.name)) {
      parent.mayHaveMoreLines = true;
    }
  }
  return topContainer;
}

/** Visits the nodes of a tree, parents first. */
export function forEachNode(
  parent: RequireRoot | RequireContainer,
  visit: (node: RequireNode, parent: RequireRoot | RequireContainer) => void,
): void {
  for (const child of parent.children) {
    visit(child, parent);
    if (child.type === 'container') forEachNode(child, visit);
  }
}

/** Whether a node can refuse access but cannot grant it: `Require not …`, `<RequireNone>`. */
export function isNegative(node: RequireNode): boolean {
  return node.type === 'require' ? node.require.isNegated : node.kind === 'none';
}

/**
 * A text that is equal for lines in the same `<Limit>` and `<LimitExcept>` sections. Empty if there
 * are none.
 */
export function keyOfLimits(enclosingSections: readonly Section[]): string {
  return enclosingSections
    .filter((section) => sectionKind(section.name) === 'limit')
    .map(
      (section) =>
        `${section.name} ${argumentsOf(section.open)
          .map((word) => word.value)
          .sort()
          .join(' ')}`,
    )
    .join('; ');
}

/** The conditions, such as `<IfModule>`, among these sections. */
export function conditionalsIn(enclosingSections: readonly Section[]): readonly Section[] {
  return enclosingSections.filter((section) => sectionKind(section.name) === 'conditional');
}

/**
 * The operands that the user probably means by a malformed word: `10.0.0.1,10.0.0.2`, `192.168.*`,
 * `10.1/16`. Null if one of them cannot be guessed.
 */
export function correctedOperands(word: string): readonly string[] | null {
  const pieces = word.split(/[,;\s]+/).filter((piece) => piece !== '');
  const corrections = pieces.map(correctedOperand);
  return corrections.length > 0 && corrections.every((operand) => operand !== null) ? corrections : null;
}

/** The section that starts at an offset of a list. Null if no section starts there. */
export function sectionAt(list: List, offset: number): Section | null {
  let node = list;
  let nodeStart = 0;
  descend: for (;;) {
    for (const child of node.children) {
      if (offset >= nodeStart + child.length) {
        nodeStart += child.length;
        continue;
      }
      if (child instanceof List) {
        node = child;
        continue descend;
      }
      if (!(child instanceof Section) || offset === nodeStart) return child instanceof Section ? child : null;
      nodeStart += child.open.length;
      node = child.body;
      continue descend;
    }
    return null;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The operand that the user probably means by one part of a malformed word. Null if it cannot be
 * guessed.
 */
function correctedOperand(piece: string): string | null {
  const strippedPiece =
    /^\[([^\]]+)\]$/.exec(piece)?.[1] ?? /^https?:\/\/([^/:]+)(?::\d+)?(?:\/.*)?$/i.exec(piece)?.[1] ?? piece;
  if (strippedPiece === '*' || /^(0\.0\.0\.0|::)\/0$/.test(strippedPiece)) return 'all';
  const octets = /^(\d{1,3}(?:\.\d{1,3}){0,2})(?:\.\*)+$/.exec(strippedPiece)?.[1];
  const mappedIpv4 = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(strippedPiece)?.[1];
  const network = /^(\d{1,3}(?:\.\d{1,3}){0,2})\.?\/(\d+)$/.exec(strippedPiece);
  const paddedNetwork = network
    ? `${[...network[1]!.split('.'), '0', '0', '0'].slice(0, 4).join('.')}/${network[2]}`
    : null;
  const domain = /^\*(\..+)$/.exec(strippedPiece)?.[1];
  const operand = octets ?? mappedIpv4 ?? paddedNetwork ?? domain ?? strippedPiece;
  const { kind } = parseOperand(operand);
  return kind === 'ip' || kind === 'host' || kind === 'all' ? operand : null;
}

function providersOf(module: string, ...names: string[]): [string, string][] {
  return names.map((name) => [name, module]);
}
