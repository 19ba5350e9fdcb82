/**
 * Runs a list of RewriteRules for a request: apply_rewrite_list, apply_rewrite_rule and
 * apply_rewrite_cond in modules/mappers/mod_rewrite.c. If a text cannot be computed, such as the
 * value of a map, the result is unknown.
 */
import type { ConfigLine } from '../config/configuration';
import { rawArguments } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { parseRewriteRule, RULE_FLAGS } from '../syntax/rewrite';
import type { RequestContext } from './asking';
import type { RewriteEnd, RewriteResult } from './mapped';
import { matchedGroups, matchesRegex } from './patterns';
import {
  resultOfConditions,
  withReferencesReplaced,
  type RewriteGroups,
  type RewrittenRequest,
} from './rewrite-conditions';

/** Runs the RewriteRules in some lines. `start`: the request before the first rule. */
export function runRules(
  lines: readonly ConfigLine[],
  start: RewrittenRequest,
  requestContext: RequestContext,
): RewriteResult {
  requestContext.facts.workDone += lines.length * WORK_OF_LINE;
  return new RuleRun(rulesOf(lines), start, requestContext).run();
}

/**
 * Whether a RewriteRule line has a flag `[E]` that sets or unsets the environment variable `name`.
 */
export function ruleMaySetVariable(name: string, line: ConfigLine): boolean {
  return (
    line.line.name === 'rewriterule' && rewriteRuleOf(line).variables.some((each) => variableNameIn(each) === name)
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/** A parsed RewriteRule line. */
interface RewriteRule {
  readonly line: ConfigLine;
  readonly pattern: string;
  readonly isNegated: boolean;
  readonly substitution: string;
  /** The flags: their short names in capitals, with their values. */
  readonly ruleFlags: ReadonlyMap<string, string>;
  /** The values of all flags `[E]`. */
  readonly variables: readonly string[];
}

/** A rule, with the RewriteCond lines that it depends on. */
interface RuleWithConditions {
  readonly rule: RewriteRule;
  readonly conditions: readonly ConfigLine[];
}

const rulesByLine = cacheOf<ConfigLine, RewriteRule>();

/** A RewriteRule line, from the cache or parsed now. */
function rewriteRuleOf(line: ConfigLine): RewriteRule {
  let rule = rulesByLine.get(line);
  if (!rule) {
    const { pattern, isNegated, substitution, flags } = parseRewriteRule(rawArguments(line.expandedLine).value);
    const shortFlags = flags.map(
      ({ name, value = '' }) => [RULE_FLAGS.get(name.toLowerCase()) ?? name, value] as const,
    );
    rule = {
      line,
      isNegated,
      pattern: (pattern?.value ?? '').slice(isNegated ? 1 : 0),
      substitution: substitution?.value ?? '',
      ruleFlags: new Map(shortFlags),
      variables: shortFlags.flatMap(([name, value]) => (name === 'E' ? [value] : [])),
    };
    rulesByLine.set(line, rule);
  }
  return rule;
}

/** The rules, each with the RewriteCond lines before it. */
function rulesOf(lines: readonly ConfigLine[]): RuleWithConditions[] {
  const rules: RuleWithConditions[] = [];
  let conditions: ConfigLine[] = [];
  for (const line of lines) {
    if (line.line.name === 'rewritecond') conditions.push(line);
    if (line.line.name !== 'rewriterule') continue;
    rules.push({ rule: rewriteRuleOf(line), conditions });
    conditions = [];
  }
  return rules;
}

/** The name in a value of `[E]`: `!name` or `name:value`. */
function variableNameIn(variable: string): string {
  return variable.replace(/^!/, '').split(':', 1)[0]!;
}

/**
 * How many rules after a rule the flag `[S]` skips. httpd reads the number with atoi, and skips
 * none for a number below zero (apply_rewrite_list).
 */
function skippedRuleCount(ruleFlags: RewriteRule['ruleFlags']): number {
  return Math.max(0, Number.parseInt(ruleFlags.get('S') ?? '', 10) || 0);
}

/** Maximum number of rounds over the rules (`[N]`). After them, the result is unknown. */
const MAX_ROUNDS = 100;
/**
 * Maximum length of a path and query. Rules with `[N]` can double the length in each round, and no
 * pattern is compared with a longer text (regexMatches).
 */
const MAX_LENGTH = 1000;
/** How much a line adds to `OpenFacts.workDone`, and how much each comparison of a rule adds. */
const WORK_OF_LINE = 2;
const WORK_OF_RULE = 20;

/** Runs a list of rules once, and changes the request as the rules do. */
class RuleRun {
  private readonly valueByVariable = new Map<string, boolean>();
  private rewrittenRequest: RewrittenRequest;
  /** Whether a rule with `[END]` was applied. */
  private isLast = false;
  /** The last rule that changed the path. Null if none did. */
  private changingRule: RewriteRule | null = null;
  /** The status if the rules lead to a redirect. */
  private status = 302;

  constructor(
    private readonly rules: readonly RuleWithConditions[],
    start: RewrittenRequest,
    private readonly requestContext: RequestContext,
  ) {
    this.rewrittenRequest = start;
  }

  run(): RewriteResult {
    return { end: this.endOfRules(), isLast: this.isLast, variables: this.valueByVariable };
  }

  /** Runs the rules. Returns where they lead. */
  private endOfRules(): RewriteEnd {
    let rounds = 1;
    for (let index = 0; index < this.rules.length; index++) {
      const { rule, conditions } = this.rules[index]!;
      const { ruleFlags, line } = rule;
      const { path, query } = this.rewrittenRequest;
      if (path.length + query.length > MAX_LENGTH) return { kind: 'unknown', line };
      this.requestContext.facts.workDone += WORK_OF_RULE + WORK_OF_RULE * conditions.length;
      if (this.rewrittenRequest.isSubrequest && (ruleFlags.has('NS') || ruleFlags.has('R'))) continue;
      const groups = this.groupsOfMatch(rule, conditions);
      if (groups === null) {
        while (this.rules[index]?.rule.ruleFlags.has('C')) index++;
        continue;
      }
      const endOfRule = this.applyRule(rule, groups);
      if (endOfRule) return endOfRule;
      if (ruleFlags.has('END')) this.isLast = true;
      if (ruleFlags.has('PT') || ruleFlags.has('END') || ruleFlags.has('P') || ruleFlags.has('L')) break;
      if (ruleFlags.has('N')) {
        if (++rounds > MAX_ROUNDS) return { kind: 'unknown', line };
        index = -1;
      } else index += skippedRuleCount(ruleFlags);
    }
    return this.endAfterRules();
  }

  /** The groups of the rule's pattern and of its conditions. Null if the rule does not match. */
  private groupsOfMatch(rule: RewriteRule, conditions: readonly ConfigLine[]): RewriteGroups | null {
    const { facts, site } = this.requestContext;
    const place = site.placeOf(rule.line);
    const { directory, path, pathInfo } = this.rewrittenRequest;
    const pathWithInfo = path + pathInfo;
    const comparedText =
      directory !== null && pathWithInfo.startsWith(directory) ? pathWithInfo.slice(directory.length) : pathWithInfo;
    const ignoreCase = rule.ruleFlags.has('NC');
    if (matchesRegex(rule.pattern, comparedText, { facts, place, ignoreCase }) === rule.isNegated) return null;
    const groupsOfRule = rule.isNegated ? [] : matchedGroups(rule.pattern, comparedText, ignoreCase);
    const { isMet, groups } = resultOfConditions(conditions, groupsOfRule, this.rewrittenRequest, this.requestContext);
    return isMet ? { patternGroups: groupsOfRule, conditionGroups: groups } : null;
  }

  /**
   * Applies a rule that matches. Returns where the URL leads if no further rule is applied. Null if
   * the next rule follows.
   */
  private applyRule(rule: RewriteRule, groups: RewriteGroups): RewriteEnd | null {
    const { ruleFlags, line } = rule;
    for (const each of rule.variables) this.valueByVariable.set(variableNameIn(each), !each.startsWith('!'));
    const statusOfRefusal = refusalStatus(ruleFlags);
    if (statusOfRefusal !== null) return { kind: 'redirect', path: '', status: statusOfRefusal, line };
    if (rule.substitution === '-') return null;
    this.changingRule = rule;
    const substitutedText = areGroupsEscaped(rule)
      ? null
      : withReferencesReplaced(rule.substitution, groups, this.rewrittenRequest, this.requestContext);
    if (substitutedText === null) return this.unknownTarget(rule);
    const isAbsolute = /^\w[\w+.-]*:\/\//.test(substitutedText);
    const { directory } = this.rewrittenRequest;
    if (!isAbsolute && !substitutedText.startsWith('/') && directory === null) {
      // A relative substitution outside of a directory: since 2.4.60, httpd puts a slash before it;
      // earlier releases answer 400. So the result is unknown.
      if (!ruleFlags.has('R') && !ruleFlags.has('P')) return { kind: 'unknown', line };
    }
    this.setPathAndQuery(
      isAbsolute || substitutedText.startsWith('/') ? substitutedText : (directory ?? '/') + substitutedText,
      ruleFlags,
    );
    if (ruleFlags.has('P'))
      return this.hasProxy()
        ? { kind: 'proxy', path: this.rewrittenRequest.path, line }
        : { kind: 'redirect', path: this.rewrittenRequest.path, status: 403, line };
    if (ruleFlags.has('R') || isAbsolute) {
      this.status = redirectStatusOf(ruleFlags);
      if (!ruleFlags.has('R') && isAbsolute && this.mayLeadToThisServer(substitutedText))
        return { kind: 'unknown', line };
      if (!isAbsolute)
        this.rewrittenRequest = {
          ...this.rewrittenRequest,
          path: `http://${this.requestContext.hostName}${this.rewrittenRequest.path}`,
        };
    }
    return null;
  }

  /** Whether mod_proxy is loaded. Without it, `[P]` gives 403. */
  private hasProxy(): boolean {
    const { facts, site } = this.requestContext;
    const { modules, loadedModules } = site.configuration;
    if (modules.length === 0 || loadedModules.has('mod_proxy.c')) return true;
    return site.hasModule('mod_proxy', null, false, facts);
  }

  /**
   * The result of an applied rule whose target is unknown. It is a redirect if the rule redirects
   * (`R`, or a substitution with `http://`, without `P`) and no other rule can follow it. Else it
   * is unknown.
   */
  private unknownTarget({ ruleFlags, line, substitution }: RewriteRule): RewriteEnd {
    const isLastAppliedRule = ruleFlags.has('L') || ruleFlags.has('END') || this.rules.at(-1)!.rule.line === line;
    const isRedirect = ruleFlags.has('R') || /^https?:\/\/[^$%]/i.test(substitution);
    return isLastAppliedRule && isRedirect && !ruleFlags.has('P')
      ? { kind: 'redirect', path: substitution, status: 302, line }
      : { kind: 'unknown', line };
  }

  /** Sets the path and the query of the request from a substitution (splitout_queryargs). */
  private setPathAndQuery(text: string, flags: RewriteRule['ruleFlags']): void {
    const queryIndex = flags.has('QSL') ? text.lastIndexOf('?') : text.indexOf('?');
    const path = queryIndex < 0 ? text : text.slice(0, queryIndex);
    const earlierQuery = flags.has('QSD') ? '' : this.rewrittenRequest.query;
    const addedQuery = queryIndex < 0 ? null : text.slice(queryIndex + 1);
    const query =
      addedQuery === null
        ? earlierQuery
        : flags.has('QSA')
          ? [addedQuery, earlierQuery].filter((each) => each !== '').join('&')
          : addedQuery;
    const pathInfo = flags.has('DPI') ? '' : this.rewrittenRequest.pathInfo;
    this.rewrittenRequest = { ...this.rewrittenRequest, path, query, pathInfo };
  }

  /**
   * Whether a URL may lead to this server, by its scheme and host. Then mod_rewrite replaces it by
   * its path (reduce_uri).
   */
  private mayLeadToThisServer(url: string): boolean {
    const { request, hostName } = this.requestContext;
    const [, scheme, host] = /^(\w+):\/\/([^/:?]*)/.exec(url) ?? [];
    const isSameScheme = scheme?.toLowerCase() === (request.isSecure ? 'https' : 'http');
    return isSameScheme && (host?.toLowerCase() === hostName || host === '');
  }

  /** Where the rules lead, if none of them ended the run. */
  private endAfterRules(): RewriteEnd {
    const { changingRule, rewrittenRequest } = this;
    if (!changingRule) return { kind: 'none' };
    const { line, ruleFlags, substitution } = changingRule;
    const { path, query } = rewrittenRequest;
    if (/^\w[\w+.-]*:\/\//.test(path)) return { kind: 'redirect', path, status: this.status, line };
    // Since 2.4.60, httpd does not look on the disk for a path if the substitution begins with a
    // reference such as `$1`. Earlier releases do, so the result is unknown.
    const isUnknownPath = /^[$%]/.test(substitution) && rewrittenRequest.directory === null && !ruleFlags.has('PT');
    const passesToUrl = ruleFlags.has('PT');
    if (isUnknownPath || /[%#]|\/\.\.?(\/|$)|\/\//.test(path) || (path.startsWith('/~') && !passesToUrl))
      return { kind: 'unknown', line };
    return { kind: 'path', path, query, line, passesToUrl };
  }
}

/** The status of a redirect by a rule. */
function redirectStatusOf(flags: RewriteRule['ruleFlags']): number {
  const redirectFlag = flags.get('R') ?? '';
  return STATUS_OF_WORD.get(redirectFlag.toLowerCase()) ?? (Number(redirectFlag) || 302);
}

/**
 * The status of a refusal: `[F]`, `[G]`, or `[R]` with a status that is no redirect. Null for other
 * rules.
 */
function refusalStatus(flags: RewriteRule['ruleFlags']): number | null {
  if (flags.has('F')) return 403;
  if (flags.has('G')) return 410;
  const status = redirectStatusOf(flags);
  return flags.has('R') && (status < 300 || status > 399) ? status : null;
}

/** Whether flags change the text of groups before it is inserted. */
function areGroupsEscaped({ ruleFlags, substitution }: RewriteRule): boolean {
  return (ruleFlags.has('B') || ruleFlags.has('BCTLS')) && /[$%]\d/.test(substitution);
}

/** The statuses that the flag `[R]` can name by a word. */
const STATUS_OF_WORD = new Map([
  ['permanent', 301],
  ['temp', 302],
  ['seeother', 303],
]);
