/** Reads the access lines of 2.2: Order, Allow, Deny, Satisfy and Require. */
import { argumentsOf, rawArguments, type Line } from '../syntax/line';
import type { Order, Section22, UserRequirement } from './model';
import { parseOperand, type Operand } from './operand';

/** Reasons why the lines of a section cannot be translated. */
export type Obstacle =
  /** Both versions refuse the line. */
  | 'broken-line'
  /** The line contains `${...}`, and the file does not show its value. */
  | 'variable'
  /**
   * Require lines of several modules. The order in which the modules are loaded decides which lines
   * count.
   */
  | 'mixed-modules'
  /** A Require line that no known module of 2.2 answers. */
  | 'unknown-requirement';

export interface ReadSection22 extends Section22 {
  readonly obstacle: Obstacle | null;
  /** Words that are host names for 2.2, although no host can have them. */
  readonly neverMatching: readonly string[];
}

/** An access line as 2.2 reads it. */
export type AccessLine =
  /** `order` is null if both versions refuse the line. */
  | { readonly name: 'order'; readonly order: Order | null }
  /** `isBroken`: both versions refuse the line. */
  | { readonly name: 'allow' | 'deny'; readonly operands: readonly Operand[]; readonly isBroken: boolean }
  /** `satisfy` is null if both versions refuse the line. */
  | { readonly name: 'satisfy'; readonly satisfy: 'all' | 'any' | null }
  | { readonly name: 'require'; readonly text: string };

/** Directives of 2.2 that control access and that 2.4 knows only with mod_access_compat. */
export const OLD_NAMES: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy']);

/** Whether a line decides access in 2.2. */
export function isAccessLine({ line }: { readonly line: Line }): boolean {
  return OLD_NAMES.has(line.name) || line.name === 'require';
}

/** Reads one line. Returns null for all other directives. */
export function readAccessLine(line: Line): AccessLine | null {
  const { name } = line;
  if (name !== 'order' && name !== 'allow' && name !== 'deny' && name !== 'satisfy' && name !== 'require') return null;
  const words = argumentsOf(line).map(({ value }) => value);
  const only = words.length === 1 ? words[0]!.toLowerCase() : '';
  switch (name) {
    case 'order':
      return { name, order: isOrder(only) ? only : null };
    case 'satisfy':
      return { name, satisfy: only === 'all' || only === 'any' ? only : null };
    case 'require':
      return { name, text: requirementText(line, words) };
    default: {
      const operands = words.slice(1).map(parseOperand);
      const isRead = words[0]?.toLowerCase() === 'from' && operands.length > 0;
      return { name, operands, isBroken: !isRead || operands.some(({ kind }) => kind === 'error') };
    }
  }
}

/**
 * Reads the access lines of one scope in order. Ignores limits around them, and skips all other
 * lines.
 */
export function readSection(lines: readonly Line[]): ReadSection22 {
  let order: Order = 'deny,allow';
  let hasHost = false;
  let satisfy: 'all' | 'any' = 'all';
  let obstacle: Obstacle | null = null;
  const hosts = { allow: [] as Operand[], deny: [] as Operand[] };
  const userRequirements: UserRequirement[] = [];
  for (const line of lines) {
    if (hasVariable(line)) obstacle ??= 'variable';
    const read = readAccessLine(line);
    if (read === null) continue;
    hasHost ||= read.name === 'order' || read.name === 'allow' || read.name === 'deny';
    switch (read.name) {
      case 'order':
        order = read.order ?? order;
        if (read.order === null) obstacle ??= 'broken-line';
        break;
      case 'allow':
      case 'deny': {
        const operands = withoutComment(line, read.operands);
        if (read.isBroken || operands.length === 0) obstacle ??= 'broken-line';
        hosts[read.name].push(...operands);
        break;
      }
      case 'satisfy':
        satisfy = read.satisfy ?? satisfy;
        if (read.satisfy === null) obstacle ??= 'broken-line';
        break;
      case 'require':
        userRequirements.push({ text: read.text });
    }
  }
  const { allow, deny } = hosts;
  const neverMatching = [...allow, ...deny].flatMap((operand) => (operand.kind === 'never' ? [operand.text] : []));
  return {
    hostRules: hasHost ? { order, allow, deny } : null,
    satisfy,
    userRequirements,
    obstacle: obstacle ?? requirementObstacle(userRequirements),
    neverMatching,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

function isOrder(word: string): word is Order {
  return word === 'allow,deny' || word === 'deny,allow' || word === 'mutual-failure';
}

function hasVariable(line: Line): boolean {
  return (
    argumentsOf(line).some(({ value }) => value.includes('${')) ||
    (line.name === 'require' && isExpressionIn24(rawArguments(line).value))
  );
}

/**
 * Removes the words of a comment at the end of the operands. 2.2 reads "# office" as the names of
 * two hosts. Addresses after a # count, because 2.2 compares them.
 */
function withoutComment(line: Line, operands: readonly Operand[]): readonly Operand[] {
  const start = argumentsOf(line).findIndex(({ value }) => value.startsWith('#'));
  if (start < 0) return operands;
  return operands.filter(({ kind }, i) => i + 1 <= start || (kind !== 'host' && kind !== 'never'));
}

/**
 * Words after Require that 2.2 reads in any case (strcasecmp in its mod_authz_user.c and
 * mod_authz_groupfile.c). In 2.4 their case matters. For all other words it matters in both.
 */
const CASELESS_WORDS_22: ReadonlySet<string> = new Set(['valid-user', 'user', 'group']);

const REQUIREMENT_MODULES = new Map([
  ['valid-user', 'mod_authz_user'],
  ['user', 'mod_authz_user'],
  ['group', 'groups'],
  ['file-owner', 'mod_authz_owner'],
  ['file-group', 'mod_authz_owner'],
]);

/**
 * The text after `Require`. The first word is in lower case if 2.2 ignores its case. 2.2 accepts no
 * first word in quotes or with a backslash (it uses ap_getword_white, where 2.4 uses
 * ap_getword_conf).
 */
export function requirementText(line: Line, words: readonly string[]): string {
  const [name] = words;
  const raw = rawArguments(line).value;
  if (name === undefined || !CASELESS_WORDS_22.has(name.toLowerCase()) || !raw.startsWith(name)) return raw;
  // Both versions ignore what follows valid-user.
  return name.toLowerCase() === 'valid-user' ? 'valid-user' : name.toLowerCase() + raw.slice(name.length);
}

/**
 * Whether 2.4 reads the names after `Require user` or `Require group` differently than 2.2: as an
 * expression, in which `%{`, `$1` and backslashes have a meaning (util_expr_scan.l).
 */
export function isExpressionIn24(text: string): boolean {
  return /%\{|\\|\$\d/.test(text);
}

/**
 * The module that evaluates a Require line in 2.2. `groups` stands for mod_authz_groupfile or
 * mod_authz_dbm. Null if no module of httpd does.
 */
export function requirementModule(text: string): string | null {
  // The names are a pattern, which only mod_shib evaluates.
  if (/^user\s+~\s/i.test(text)) return null;
  const name = text.split(/\s/, 1)[0]!;
  return REQUIREMENT_MODULES.get(name) ?? (name.toLowerCase().startsWith('ldap-') ? 'mod_authnz_ldap' : null);
}

function requirementObstacle(requires: readonly UserRequirement[]): Obstacle | null {
  const modules = new Set<string>();
  for (const { text } of requires) {
    const module = requirementModule(text);
    if (module === null) return 'unknown-requirement';
    modules.add(module);
  }
  return modules.size > 1 ? 'mixed-modules' : null;
}
