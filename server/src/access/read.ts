/** From the old lines of one scope to what they say: the record that mod_authz_host makes of them, Satisfy, Require. */
import { argumentsOf, rawArguments, type Line } from '../syntax/line';
import type { Order, Section22, UserRequirement } from './model';
import { parseOperand, type Operand } from './operand';

/** Why lines are not translated. */
export type Obstacle =
  /** Both versions refuse the line. */
  | 'broken-line'
  /** `${...}`: what it stands for, the file does not say. */
  | 'variable'
  /** Require lines of several modules: which of them count depends on the order the modules are loaded in. */
  | 'mixed-modules'
  /** A Require line that 2.2 had not, or that this program cannot place. */
  | 'unknown-requirement';

export interface ReadSection extends Section22 {
  readonly obstacle: Obstacle | null;
  /** Words that 2.2 took for names of hosts that cannot be. */
  readonly neverMatching: readonly string[];
}

/** Reads the lines of one scope in order. Names other than Order, Allow, Deny, Satisfy and Require are passed over. */
export function readSection(lines: readonly Line[]): ReadSection {
  let order: Order = 'deny,allow';
  let hasHost = false;
  let satisfy: 'all' | 'any' = 'all';
  let obstacle: Obstacle | null = null;
  const allow: Operand[] = [];
  const deny: Operand[] = [];
  const requires: UserRequirement[] = [];
  for (const line of lines) {
    const words = argumentsOf(line).map((word) => word.value);
    if (
      words.some((word) => word.includes('${')) ||
      (line.name === 'require' && isExpression(rawArguments(line).value))
    )
      obstacle ??= 'variable';
    switch (line.name) {
      case 'order': {
        hasHost = true;
        const given = readOrder(words);
        if (given) order = given;
        else obstacle ??= 'broken-line';
        break;
      }
      case 'allow':
      case 'deny': {
        hasHost = true;
        // 2.2 took "# office" for the names of two hosts. Addresses and the like behind a # counted; names were meant as a comment.
        const comment = words.findIndex((word) => word.startsWith('#'));
        const operands = words
          .slice(1)
          .map(parseOperand)
          .filter(({ kind }, i) => comment < 0 || i + 1 <= comment || (kind !== 'host' && kind !== 'never'));
        if (words[0]?.toLowerCase() !== 'from' || operands.length === 0) obstacle ??= 'broken-line';
        if (operands.some((operand) => operand.kind === 'error')) obstacle ??= 'broken-line';
        (line.name === 'allow' ? allow : deny).push(...operands);
        break;
      }
      case 'satisfy': {
        const given = words[0]?.toLowerCase();
        if (words.length === 1 && (given === 'all' || given === 'any')) satisfy = given;
        else obstacle ??= 'broken-line';
        break;
      }
      case 'require':
        requires.push({ text: requirementText(line, words) });
        break;
    }
  }
  if (!obstacle) obstacle = requirementObstacle(requires);
  const neverMatching = [...allow, ...deny].flatMap((operand) => (operand.kind === 'never' ? [operand.text] : []));
  return { host: hasHost ? { order, allow, deny } : null, satisfy, requires, obstacle, neverMatching };
}

// ---------------------------------------------------------------------------------------------------------------------

function readOrder(words: readonly string[]): Order | null {
  const given = words.length === 1 ? words[0]!.toLowerCase() : '';
  return given === 'allow,deny' || given === 'deny,allow' || given === 'mutual-failure' ? given : null;
}

/** 2.2 compares these names without case (mod_authz_user.c and mod_authz_groupfile.c of 2.2, strcasecmp), 2.4 with. All others 2.2 compares with case, too. */
const IN_ANY_CASE: ReadonlySet<string> = new Set(['valid-user', 'user', 'group']);

const REQUIREMENT_MODULES = new Map([
  ['valid-user', 'mod_authz_user'],
  ['user', 'mod_authz_user'],
  ['group', 'groups'],
  ['file-owner', 'mod_authz_owner'],
  ['file-group', 'mod_authz_owner'],
]);

/**
 * What stands behind `Require`, its name in lower case where 2.2 did not mind. In quotes, or with a backslash in it, 2.2 knows no name (ap_getword_white, where
 * 2.4 has ap_getword_conf).
 */
export function requirementText(line: Line, words: readonly string[]): string {
  const [name] = words;
  const raw = rawArguments(line).value;
  if (name === undefined || !IN_ANY_CASE.has(name.toLowerCase()) || !raw.startsWith(name)) return raw;
  // What follows valid-user is ignored by both.
  return name.toLowerCase() === 'valid-user' ? 'valid-user' : name.toLowerCase() + raw.slice(name.length);
}

/**
 * Whether 2.4 makes something else of the names behind `Require user` and the like than 2.2: there they are an expression, in which `%{`, `$1` and backslashes mean
 * something (util_expr_scan.l).
 */
export function isExpression(text: string): boolean {
  return /%\{|\\|\$\d/.test(text);
}

/** The module that owns such a Require line in 2.2; `groups` is mod_authz_groupfile or mod_authz_dbm. null: none of httpd's. */
export function requirementModule(text: string): string | null {
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
