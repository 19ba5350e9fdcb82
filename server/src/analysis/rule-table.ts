/** Finds the rules that check a line, by the name of its directive. Each engine has one table. */
import type { FileFacts } from '../rules/support/facts';
import { factsOfDefining, DEFINING_NAMES, Fact, FACTS_OF_LINE_BY_NAME, NO_FACTS } from '../rules/support/facts';
import type { ConfigurationRule, Context, LineRule, LineRuleInput, Finding, Rule, SectionRule } from '../rules/rule';
import { isByteOrderMark, LineKind, type Line } from '../syntax/line';
import { ruleNamesOf, type RuleNames } from './file-subject';

/** A check of a rule for single lines. */
export interface LineCheck {
  readonly rule: Rule;
  /** Returns the findings of the rule about a line. */
  readonly check: (ruleInput: LineRuleInput) => readonly Finding[];
}

/** All checks for lines of one name and kind in one context. */
export interface ChecksOfLine {
  /** Checks of rules that name this directive. */
  readonly checksForName: readonly LineCheck[];
  /** Checks of rules for all directives. */
  readonly checksForAllNames: readonly LineCheck[];
  /**
   * Whether lines with this name must be checked at all: a rule checks them, or the name contains a
   * byte order mark.
   */
  readonly mustBeChecked: boolean;
  /** The section rules that collect lines with this name. */
  readonly collectingRules: readonly SectionRule[];
  /** Returns the facts about a line with this name. Null if such lines have no facts. */
  readonly factsOfLine: ((line: Line) => FileFacts) | null;
  /**
   * Whether rules about the whole file, or facts, depend on the arguments of the line. If not, they
   * depend only on its name.
   */
  readonly needsArguments: boolean;
}

/** The checks for lines that no rule looks at. */
export const NO_CHECKS: ChecksOfLine = {
  checksForName: [],
  checksForAllNames: [],
  mustBeChecked: false,
  collectingRules: [],
  factsOfLine: null,
  needsArguments: false,
};

/** A rule whose `check` is defined. */
type WithCheck<R extends { check?: unknown }> = R & Required<Pick<R, 'check'>>;

/** The rules that are turned on, sorted by what they check. */
export class RuleTable {
  /** All rules, including those that are turned off, by id. */
  readonly ruleById = new Map<string, Rule>();
  /** The rules that check whole configurations. */
  readonly configurationRules: ConfigurationRule[] = [];
  /**
   * The section rules that check a whole scope, in the order in which their findings are listed.
   */
  readonly scopeRules: WithCheck<SectionRule>[] = [];
  /** The section rules that check whole files. */
  readonly fileRules: (RuleNames & { readonly rule: SectionRule })[] = [];
  /** The rules about comments that silence other rules. */
  readonly commentRules: SectionRule[] = [];
  /** The line rules that check Use lines whose macro is known. */
  readonly useRules: LineRule[] = [];
  /**
   * The checks of line rules that also look at comments and at unusual lines
   * (`LineRule.checksOddLines`).
   */
  readonly textChecks: LineCheck[] = [];
  private readonly rulesForAllNames: WithCheck<LineRule>[] = [];
  private readonly rulesByName = new Map<string, RulesOfName>();

  constructor(rules: readonly Rule[], isOff: (rule: Rule) => boolean) {
    for (const [name, facts] of FACTS_OF_LINE_BY_NAME) this.rulesOfName(name).factsOfLine = facts;
    for (const name of DEFINING_NAMES)
      this.rulesOfName(name).factsOfLine = factsOfDefining(name, this.rulesOfName(name).factsOfLine);
    for (const rule of rules) {
      this.ruleById.set(rule.id, rule);
      if (isOff(rule)) continue;
      if (rule.checks === 'configuration') this.configurationRules.push(rule);
      else if (rule.checks === 'line') this.addLineRule(rule);
      else this.addSectionRule(rule);
    }
  }

  /** The section rules that collect the lines with a name. */
  rulesCollecting(name: string, context: Context): readonly SectionRule[] {
    if (isOfOssl(name, context)) return NO_CHECKS.collectingRules;
    return this.rulesByName.get(name)?.collectingRules ?? NO_CHECKS.collectingRules;
  }

  /** The facts about a single line. */
  factsOfLine(line: Line): FileFacts {
    if (line.kind !== LineKind.Directive) return NO_FACTS;
    return line.name.startsWith('${')
      ? Fact.includes
      : (this.rulesByName.get(line.name)?.factsOfLine?.(line) ?? NO_FACTS);
  }

  /** All checks for lines with this name and kind. */
  checksOf({ name, kind }: Pick<Line, 'name' | 'kind'>, context: Context): ChecksOfLine {
    const nameAndKind = { name, kind };
    const rulesForAllNames = this.rulesForAllNames.filter((rule) => rule.mayConcern?.(nameAndKind, context) !== false);
    if (kind === LineKind.Close)
      return {
        ...NO_CHECKS,
        checksForAllNames: rulesForAllNames.map(lineCheckOf),
        mustBeChecked: rulesForAllNames.length > 0,
      };
    if (isOfOssl(name, context)) return this.checksOfOssl(nameAndKind, context);
    const rulesOfName = this.rulesByName.get(name);
    const checks = rulesOfName?.lineChecks ?? NO_CHECKS.checksForName;
    const isOddName = kind === LineKind.Directive && isByteOrderMark(name);
    // The name is a variable, so the line may be an Include.
    const isVariable = rulesOfName === undefined && name.startsWith('${');
    return {
      checksForName: checks,
      checksForAllNames: rulesForAllNames.map(lineCheckOf),
      mustBeChecked: checks.length + rulesForAllNames.length > 0 || isOddName,
      collectingRules: this.rulesCollecting(name, context),
      factsOfLine: isVariable ? () => Fact.includes : (rulesOfName?.factsOfLine ?? null),
      needsArguments:
        isVariable || (rulesOfName !== undefined && (rulesOfName.factsOfLine !== null || rulesOfName.isInSummaries)),
    };
  }

  /** The checks for a directive of mod_ossl: those of rules that do not check its arguments. */
  private checksOfOssl(line: Pick<Line, 'name' | 'kind'>, context: Context): ChecksOfLine {
    const rulesForAllNames = this.rulesForAllNames.filter(
      ({ id, mayConcern }) => !RULES_ABOUT_ARGUMENTS.has(id) && mayConcern?.(line, context) !== false,
    );
    return {
      ...NO_CHECKS,
      checksForAllNames: rulesForAllNames.map(lineCheckOf),
      mustBeChecked: rulesForAllNames.length > 0,
    };
  }

  private addLineRule(rule: LineRule): void {
    if (rule.checkUse) this.useRules.push(rule);
    if (!isChecking(rule)) return;
    if (rule.checksOddLines) this.textChecks.push(lineCheckOf(rule));
    if (rule.checksEveryLine) this.rulesForAllNames.push(rule);
    for (const name of rule.names) this.rulesOfName(name).lineChecks.push(lineCheckOf(rule));
  }

  private addSectionRule(rule: SectionRule): void {
    const { checkLine } = rule;
    if (rule.checkFile) this.fileRules.push({ rule, ...ruleNamesOf(rule) });
    if (rule.checkComments) this.commentRules.push(rule);
    if (isChecking(rule)) this.scopeRules.push(rule);
    for (const name of rule.names) {
      const rulesOfName = this.rulesOfName(name);
      if (checkLine) rulesOfName.lineChecks.push({ rule, check: checkLine });
      if (rule.check) rulesOfName.collectingRules.push(rule);
      if (rule.checkFile) rulesOfName.isInSummaries = true;
    }
  }

  /** What is stored for a name. Makes an empty entry if there is none. */
  private rulesOfName(name: string): RulesOfName {
    let rulesForName = this.rulesByName.get(name);
    if (!rulesForName)
      this.rulesByName.set(
        name,
        (rulesForName = { lineChecks: [], collectingRules: [], factsOfLine: null, isInSummaries: false }),
      );
    return rulesForName;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Whether a directive is read by mod_ossl of Oracle HTTP Server, and not by mod_ssl. It then takes
 * other values (`SSLProtocol nzos_Version_1_0`), so rules about mod_ssl do not apply. SSLRequireSSL
 * and SSLRequire are equal in both modules.
 */
function isOfOssl(name: string, { distribution }: Context): boolean {
  return distribution === 'ohs' && name.startsWith('ssl') && !name.startsWith('sslrequire');
}

/** Rules that check the arguments of all directives. */
const RULES_ABOUT_ARGUMENTS: ReadonlySet<string> = new Set(['invalid-value', 'wrong-arguments', 'value-refused']);

/** What rules and facts do with the lines of one name. */
interface RulesOfName {
  readonly lineChecks: LineCheck[];
  readonly collectingRules: SectionRule[];
  factsOfLine: ((line: Line) => FileFacts) | null;
  /** Whether a rule that checks whole files uses lines of this name. */
  isInSummaries: boolean;
}

function isChecking<R extends LineRule | SectionRule>(rule: R): rule is WithCheck<R> {
  return rule.check !== undefined;
}

function lineCheckOf(rule: WithCheck<LineRule>): LineCheck {
  return { rule, check: rule.check };
}
