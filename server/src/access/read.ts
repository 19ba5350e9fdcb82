/** Reads the access lines of 2.2: Order, Allow, Deny, Satisfy and Require. */
import { argumentsOf, rawArguments, type Line } from '../syntax/line';
import type { Order, Section22, UserRequirement } from './model';
import { isWordNone, parseOperand, type Operand } from './operand';

/** The reasons why `readSection` cannot tell what the lines of a section decide in 2.2. */
export type Obstacle =
  /** Both versions refuse the line. */
  | 'broken-line'
  /** The line contains `${...}`, and the file does not show its value. */
  | 'variable'
  /**
   * Require lines of several modules. In 2.2, the order in which the modules are loaded decides
   * which lines have an effect.
   */
  | 'mixed-modules'
  /** A Require line that no known module evaluates in 2.2. */
  | 'unknown-requirement';

/** The access rules of one scope. `obstacle` is null if they are complete. */
export interface SectionAsReadBy22 extends Section22 {
  readonly obstacle: Obstacle | null;
  /** Operands that 2.2 reads as host names, although no host can have such a name. */
  readonly neverMatchingTexts: readonly string[];
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
export const OLD_ACCESS_NAMES: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy']);

/** Whether a line decides access in 2.2. */
export function isAccessLine({ line }: { readonly line: Line }): boolean {
  return OLD_ACCESS_NAMES.has(line.name) || line.name === 'require';
}

/** Reads one access line. Returns null for a line of another directive. */
export function readAccessLine(line: Line): AccessLine | null {
  const { name } = line;
  if (name !== 'order' && name !== 'allow' && name !== 'deny' && name !== 'satisfy' && name !== 'require') return null;
  const words = argumentsOf(line).map(({ value }) => value);
  const onlyWord = words.length === 1 ? words[0]!.toLowerCase() : '';
  switch (name) {
    case 'order':
      return { name, order: isOrder(onlyWord) ? onlyWord : null };
    case 'satisfy':
      return { name, satisfy: onlyWord === 'all' || onlyWord === 'any' ? onlyWord : null };
    case 'require':
      return { name, text: requirementText(line, words) };
    default: {
      const operands = words.slice(1).map(parseOperand);
      const hasOperands = words[0]?.toLowerCase() === 'from' && operands.length > 0;
      return { name, operands, isBroken: !hasOperands || operands.some(({ kind }) => kind === 'error') };
    }
  }
}

/**
 * Reads the access lines of one scope in order. Ignores the `<Limit>` sections around them, and
 * skips the lines of other directives.
 */
export function readSection(lines: readonly Line[]): SectionAsReadBy22 {
  let order: Order = 'deny,allow';
  let hasHostLine = false;
  let satisfy: 'all' | 'any' = 'all';
  let obstacle: Obstacle | null = null;
  const operandsByName = { allow: [] as Operand[], deny: [] as Operand[] };
  const userRequirements: UserRequirement[] = [];
  for (const line of lines) {
    if (hasVariable(line)) obstacle ??= 'variable';
    const accessLine = readAccessLine(line);
    if (accessLine === null) continue;
    hasHostLine ||= accessLine.name === 'order' || accessLine.name === 'allow' || accessLine.name === 'deny';
    switch (accessLine.name) {
      case 'order':
        order = accessLine.order ?? order;
        if (accessLine.order === null) obstacle ??= 'broken-line';
        break;
      case 'allow':
      case 'deny': {
        const operands = withoutComment(line, accessLine.operands);
        if (accessLine.isBroken || operands.length === 0) obstacle ??= 'broken-line';
        operandsByName[accessLine.name].push(
          ...operands.map((each) => (isWordNone(each) ? { kind: 'host' as const, name: each.text } : each)),
        );
        break;
      }
      case 'satisfy':
        satisfy = accessLine.satisfy ?? satisfy;
        if (accessLine.satisfy === null) obstacle ??= 'broken-line';
        break;
      case 'require':
        userRequirements.push({ text: accessLine.text });
    }
  }
  const { allow, deny } = operandsByName;
  const neverMatchingTexts = [...allow, ...deny].flatMap((operand) => (operand.kind === 'never' ? [operand.text] : []));
  return {
    hostRules: hasHostLine ? { order, allow, deny } : null,
    satisfy,
    userRequirements,
    obstacle: obstacle ?? requirementObstacle(userRequirements),
    neverMatchingTexts,
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
 * Removes the words of a comment at the end of the operands. 2.2 reads "# office" as two host names
 * that match no client. Addresses after a # stay, because 2.2 does compare them.
 */
function withoutComment(line: Line, operands: readonly Operand[]): readonly Operand[] {
  const commentIndex = argumentsOf(line).findIndex(({ value }) => value.startsWith('#'));
  if (commentIndex < 0) return operands;
  return operands.filter(({ kind }, i) => i + 1 <= commentIndex || (kind !== 'host' && kind !== 'never'));
}

/**
 * Words after Require that 2.2 reads in upper and lower case (strcasecmp in its mod_authz_user.c
 * and mod_authz_groupfile.c). 2.4 reads them only in lower case. All other words must be in the
 * right case in both versions.
 */
const WORDS_IN_ANY_CASE_22: ReadonlySet<string> = new Set(['valid-user', 'user', 'group']);

/** See `requirementModule`. The key is the first word after `Require`. */
const MODULE_BY_REQUIREMENT = new Map([
  ['valid-user', 'mod_authz_user'],
  ['user', 'mod_authz_user'],
  ['group', 'groups'],
  ['file-owner', 'mod_authz_owner'],
  ['file-group', 'mod_authz_owner'],
]);

/**
 * The text after `Require`. The first word is in lower case if 2.2 ignores its case. If the first
 * word is in quotes or has a backslash, the text stays as written, because 2.2 does not know such a
 * word (it uses ap_getword_white, and 2.4 ap_getword_conf).
 */
export function requirementText(line: Line, words: readonly string[]): string {
  const [firstWord] = words;
  const rawText = rawArguments(line).value;
  if (firstWord === undefined || !WORDS_IN_ANY_CASE_22.has(firstWord.toLowerCase()) || !rawText.startsWith(firstWord))
    return rawText;
  // Both versions ignore what follows valid-user.
  return firstWord.toLowerCase() === 'valid-user'
    ? 'valid-user'
    : firstWord.toLowerCase() + rawText.slice(firstWord.length);
}

/**
 * Whether 2.4 reads the names after `Require user` or `Require group` as an expression, in which
 * `%{`, `$1` and backslashes have a meaning (util_expr_scan.l). 2.2 reads them as plain text.
 */
export function isExpressionIn24(text: string): boolean {
  return /%\{|\\|\$\d/.test(text);
}

/**
 * The module that evaluates a Require line in 2.2. The result `groups` stands for
 * mod_authz_groupfile or mod_authz_dbm. Null if no module of httpd evaluates the line.
 */
export function requirementModule(text: string): string | null {
  // After `~`, the names are a pattern, which only mod_shib evaluates.
  if (/^user\s+~\s/i.test(text)) return null;
  const firstWord = text.split(/\s/, 1)[0]!;
  return MODULE_BY_REQUIREMENT.get(firstWord) ?? (firstWord.startsWith('ldap-') ? 'mod_authnz_ldap' : null);
}

function requirementObstacle(requirements: readonly UserRequirement[]): Obstacle | null {
  const modules = new Set<string>();
  for (const { text } of requirements) {
    const module = requirementModule(text);
    if (module === null) return 'unknown-requirement';
    modules.add(module);
  }
  return modules.size > 1 ? 'mixed-modules' : null;
}
