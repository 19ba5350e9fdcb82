/**
 * Decides about a request from the sections that apply to it: as 2.2 does (mod_authz_host and the
 * Require lines of its modules), and as 2.4 does (mod_access_compat together with mod_authz_core).
 * What one set of lines decides is computed in access/decide22.ts and access/decide24.ts.
 */
import { REFUSING_DIRECTIVES } from '../access/checkers';
import { decide22 } from '../access/decide22';
import type { Decision, HostRules, UserRequirement, Assignment } from '../access/model';
import type { Operand } from '../access/operand';
import { textIfOneLine } from '../access/print';
import { readSection, requirementModule, requirementText } from '../access/read';
import { ONLY_IN_24 } from '../access/section-access';
import { hostTree } from '../access/translate';
import type { ConfigLine } from '../config/configuration';
import { argumentsOf } from '../syntax/line';
import { isInNetwork } from './addresses';
import type { AppliedSection } from './section';
import type { RequestContext } from './asking';
import { mergeSectionAuthorizations, decideByTree } from './authorization';
import { variablesSetFor, type IsVariableSet } from './environment';
import { lineProblem } from './line-problem';
import { passwordProblem, authTypeProblem } from './logins';
import { groupsOfUser, fulfilsRequirement, type GroupSource } from './users';
import type { Access, LosingAllow } from './model';
import { textOf, wordsOf } from './site';

/** A decision about a request, with the lines that decide. */
export interface AccessDecision {
  readonly access: Access;
  /** Why the lines decide so, as a clause. */
  readonly why: string;
  readonly lines: readonly ConfigLine[];
  /** The Allow lines that lose against Require (`Answer.losing`). Absent if there are none. */
  readonly losing?: LosingAllow<ConfigLine>;
}

/** Decides by the sections that apply, in the order in which httpd applies them. */
export function decideAccess(sections: readonly AppliedSection[], requestContext: RequestContext): AccessDecision {
  const { version } = requestContext.site;
  for (const { lines } of sections)
    for (const line of lines) {
      const problem = lineProblem(line, version, requestContext.facts.correctsProviders);
      if (problem !== null)
        return { access: 'error', why: `httpd ${version} does not start: ${problem}`, lines: [line] };
    }
  return version === '2.2' ? decideAs22(sections, requestContext) : decideAs24(sections, requestContext);
}

// ---------------------------------------------------------------------------------------------------------------------

const HOST_RULE_NAMES = new Set(['order', 'allow', 'deny']);

/** Facts about a request that both versions need for the decision. */
interface DecisionInput {
  readonly assignment: Assignment;
  readonly isVariableSet: IsVariableSet;
  readonly login: Login;
  readonly groups: GroupSource;
}

/** The login that the sections ask for. */
interface Login {
  /** The AuthType line that applies. Null if there is none, or if it is `AuthType None`. */
  readonly authTypeLine: ConfigLine | null;
  readonly hasAuthName: boolean;
}

/** Collects the facts about the request from the sections that apply. */
function decisionInputOf(sections: readonly AppliedSection[], requestContext: RequestContext): DecisionInput {
  const isVariableSet = variablesSetFor(sections, requestContext);
  const groups = groupsOfUser(sections, requestContext);
  return {
    isVariableSet,
    groups,
    login: loginOf(sections),
    assignment: assignmentOf(isVariableSet, groups, requestContext),
  };
}

/** The login that the last AuthType and AuthName lines ask for. */
function loginOf(sections: readonly AppliedSection[]): Login {
  const lastLine = (name: string) => sections.flatMap(({ lines }) => lines).findLast(({ line }) => line.name === name);
  const lastAuthTypeLine = lastLine('authtype');
  const isAuthTypeNone = lastAuthTypeLine !== undefined && wordsOf(lastAuthTypeLine)[0]?.toLowerCase() === 'none';
  return {
    authTypeLine: lastAuthTypeLine && !isAuthTypeNone ? lastAuthTypeLine : null,
    hasAuthName: lastLine('authname') !== undefined,
  };
}

/**
 * How the tests of access lines end for this request. Tests that the files do not decide become
 * open facts.
 */
function assignmentOf(isVariableSet: IsVariableSet, groups: GroupSource, requestContext: RequestContext): Assignment {
  const { request, facts } = requestContext;
  const { user } = request;
  return {
    method: methodOf(request.method),
    matches(provider, operand) {
      if (provider === 'env') return isVariableSet(operand);
      if (provider === 'ip') {
        const isInOperand = request.from === null ? null : isInNetwork(operand, request.from);
        if (isInOperand !== null) return isInOperand;
        return facts.holds(`ip ${operand}`, {
          what: `whether the client's address is in \`${operand}\`: give it with --from ADDRESS`,
          place: null,
          needsClient: true,
        });
      }
      const { clientName } = request;
      if (clientName !== undefined && HOST_OPERAND.test(operand)) return isInDomain(operand, clientName);
      // The DNS has no domain `none`, so no client has such a name.
      if (operand.toLowerCase() === 'none') return false;
      return facts.holds(`name ${operand}`, {
        what: operand.includes('${')
          ? `which address or name \`${operand}\` stands for: these files do not define the variable`
          : `whether the client's name ends in \`${operand}\` (DNS)`,
        place: null,
      });
    },
    user: user === null ? null : (requirement) => fulfilsRequirement(requirement.text, groups, requestContext),
  };
}

/** Matches an operand that can be the name of a host or a domain. */
const HOST_OPERAND = /^\.?[\w-]+(?:\.[\w-]+)*$/;

/**
 * Whether a host name matches an operand. `example.org` matches this name and all names below it,
 * `.example.org` only the names below it (in_domain in mod_authz_host.c).
 */
function isInDomain(domain: string, name: string): boolean {
  const lowerCaseDomain = domain.toLowerCase();
  return (
    name === lowerCaseDomain || name.endsWith(lowerCaseDomain.startsWith('.') ? lowerCaseDomain : `.${lowerCaseDomain}`)
  );
}

/** The method with which httpd decides: HEAD counts as GET. */
function methodOf(method: string): string {
  return method === 'HEAD' ? 'GET' : method;
}

/**
 * Whether a line applies to the method of the request. In 2.2, only the innermost `<Limit>` or
 * `<LimitExcept>` around the line counts.
 */
function appliesToMethod({ enclosingSections }: ConfigLine, { request, site }: RequestContext): boolean {
  const limits = enclosingSections.filter(({ section }) => section.name === 'limit' || section.name === 'limitexcept');
  const countedLimits = site.version === '2.2' ? limits.slice(-1) : limits;
  return countedLimits.every(({ section }) => {
    const methodNames = argumentsOf(section.open).map(({ value }) => methodOf(value));
    return methodNames.includes(methodOf(request.method)) === (section.name === 'limit');
  });
}

/** The Order, Allow and Deny lines of the section that applies, and the rules that they make. */
interface AppliedHostRules {
  readonly rules: HostRules;
  readonly lines: readonly ConfigLine[];
}

/**
 * The host rules of the last section that has a line with one of the names. Null if no section has
 * one.
 */
function appliedHostRulesOf(
  sections: readonly AppliedSection[],
  names: ReadonlySet<string>,
  requestContext: RequestContext,
): AppliedHostRules | null {
  const lastSection = sections.findLast(({ lines }) => lines.some(({ line }) => names.has(line.name)));
  if (!lastSection) return null;
  const hostRuleLines = lastSection.lines.filter(
    (configLine) => HOST_RULE_NAMES.has(configLine.line.name) && appliesToMethod(configLine, requestContext),
  );
  return { rules: hostRulesOf(hostRuleLines), lines: hostRuleLines };
}

/**
 * Reads Order, Allow and Deny lines. An operand with a variable counts as a host name. Whether it
 * matches becomes an open fact.
 */
function hostRulesOf(lines: readonly ConfigLine[]): HostRules {
  const { hostRules } = readSection(lines.map(({ expandedLine }) => expandedLine));
  if (!hostRules) return { order: 'deny,allow', allow: [], deny: [] };
  const withUnknownAsHosts = (operands: readonly Operand[]) =>
    operands.map(
      (operand): Operand =>
        operand.kind === 'unknown' || operand.kind === 'error' ? { kind: 'host', name: operand.text } : operand,
    );
  return {
    order: hostRules.order,
    allow: withUnknownAsHosts(hostRules.allow),
    deny: withUnknownAsHosts(hostRules.deny),
  };
}

/**
 * Whether the host rules accept the client, with the lines that decide and the reason as a clause.
 */
interface HostDecision {
  readonly isAccepted: boolean;
  readonly lines: readonly ConfigLine[];
  readonly why: string;
}

/** Decides by the host rules, and by directives of other modules that refuse requests. */
function decideHost(
  appliedRules: AppliedHostRules | null,
  sections: readonly AppliedSection[],
  decisionInput: DecisionInput,
  requestContext: RequestContext,
): HostDecision {
  const refusingLine = refusingLineOfOthers(sections, requestContext);
  if (refusingLine)
    return { isAccepted: false, lines: [refusingLine], why: `${refusingLine.line.text.trim()} denies the request` };
  if (!appliedRules) return { isAccepted: true, lines: [], why: 'no Order, Allow or Deny line applies' };
  const isAccepted = acceptsHost(appliedRules.rules, decisionInput.assignment);
  const orderLine = appliedRules.lines.findLast(({ line }) => line.name === 'order');
  const matchingLines = (name: 'allow' | 'deny') =>
    appliedRules.lines.filter(
      (configLine) =>
        configLine.line.name === name &&
        acceptsHost(
          { order: 'allow,deny', allow: hostRulesOf([configLine])[name], deny: [] },
          decisionInput.assignment,
        ),
    );
  const isDenyFirst = appliedRules.rules.order === 'deny,allow';
  const [allowLines, denyLines] = [matchingLines('allow'), matchingLines('deny')];
  const orderLines = orderLine ? [orderLine] : [];
  const clientName = requestContext.request.from ?? 'the client';
  if (isAccepted)
    return {
      isAccepted,
      lines:
        allowLines.length > 0 ? [...allowLines.slice(-1), ...(denyLines.length > 0 ? orderLines : [])] : orderLines,
      why: allowLines.length > 0 ? `Allow matches ${clientName}` : `no Deny matches ${clientName}`,
    };
  return {
    isAccepted,
    lines: denyLines.length > 0 ? [...denyLines.slice(-1), ...(allowLines.length > 0 ? orderLines : [])] : orderLines,
    why:
      denyLines.length > 0
        ? `Deny matches ${clientName}${isDenyFirst ? ' and no Allow does' : ''}`
        : `no Allow matches ${clientName}`,
  };
}

/** Whether Order, Allow and Deny accept the client. */
function acceptsHost(hostRules: HostRules, assignment: Assignment): boolean {
  return decide22({ hostRules, satisfy: 'all', userRequirements: [] }, assignment) === 'allowed';
}

/**
 * The line of another module that refuses the request in the same phase as mod_authz_host. Null if
 * there is none.
 */
function refusingLineOfOthers(sections: readonly AppliedSection[], requestContext: RequestContext): ConfigLine | null {
  for (const { lines } of sections)
    for (const line of lines) {
      if (!REFUSING_DIRECTIVES.has(line.line.name) || /off|none/i.test(wordsOf(line)[0] ?? '')) continue;
      if (line.line.name === 'sslrequiressl') {
        if (!requestContext.request.isSecure) return line;
        continue;
      }
      // mod_ssl ignores the expression if the connection has no TLS (ssl_hook_Access).
      if (line.line.name === 'sslrequire' && !requestContext.request.isSecure) continue;
      const place = requestContext.site.placeOf(line);
      const isRefused = requestContext.facts.holds(`checker ${line.line.text.trim()}`, {
        what: `whether \`${line.line.text.trim()}\` denies the request`,
        place,
      });
      if (isRefused) return line;
    }
  return null;
}

/** The Satisfy line that applies to the method of the request; null if there is none. */
function satisfyLineFor(sections: readonly AppliedSection[], requestContext: RequestContext): ConfigLine | null {
  return (
    sections
      .flatMap(({ lines }) => lines)
      .findLast((configLine) => configLine.line.name === 'satisfy' && appliesToMethod(configLine, requestContext)) ??
    null
  );
}

/** Whether a Satisfy line has the argument Any. False without a line. */
function isSatisfyAny(line: ConfigLine | null): boolean {
  return line !== null && wordsOf(line)[0]?.toLowerCase() === 'any';
}

/** Decides as 2.2 does. */
function decideAs22(sections: readonly AppliedSection[], requestContext: RequestContext): AccessDecision {
  const decisionInput = decisionInputOf(sections, requestContext);
  const hostDecision = decideHost(
    appliedHostRulesOf(sections, HOST_RULE_NAMES, requestContext),
    sections,
    decisionInput,
    requestContext,
  );
  const satisfyLine = satisfyLineFor(sections, requestContext);
  const sectionWithRequire = sections.findLast(({ lines }) => lines.some(({ line }) => line.name === 'require'));
  const requireLines = (sectionWithRequire?.lines ?? []).filter(
    (configLine) => configLine.line.name === 'require' && appliesToMethod(configLine, requestContext),
  );
  if (isSatisfyAny(satisfyLine)) {
    if (hostDecision.isAccepted)
      return { access: 'granted', why: hostDecision.why, lines: [...hostDecision.lines, satisfyLine!] };
    if (requireLines.length === 0) return { access: 'denied', why: hostDecision.why, lines: hostDecision.lines };
  } else {
    if (!hostDecision.isAccepted) return { access: 'denied', why: hostDecision.why, lines: hostDecision.lines };
    if (requireLines.length === 0) return { access: 'granted', why: hostDecision.why, lines: hostDecision.lines };
  }
  const { login } = decisionInput;
  if (!login.authTypeLine) return { access: 'error', why: missingTypeReason(requireLines), lines: requireLines };
  if (!login.hasAuthName)
    return { access: 'error', why: 'AuthType applies and AuthName is missing', lines: [login.authTypeLine] };
  const typeProblem = authTypeProblem(login.authTypeLine, requestContext);
  if (typeProblem) return { access: 'error', ...typeProblem };
  const { user } = requestContext.request;
  if (user === null) return { access: 'login', why: 'Require asks for a login', lines: requireLines };
  const passwordFileProblem = passwordProblem(login.authTypeLine, sections, requestContext);
  if (passwordFileProblem) return { access: 'error', ...passwordFileProblem };
  const effectiveLines = effectiveRequires(requireLines, sections, decisionInput, requestContext);
  for (const configLine of effectiveLines) {
    // If 2.2 cannot read the group file, it answers 500 (check_user_access in
    // mod_authz_groupfile.c).
    if (decisionInput.groups.isUnreadable && requirementModule(requirementOf(configLine).text) === 'groups')
      return { access: 'error', why: 'the AuthGroupFile cannot be read', lines: [decisionInput.groups.line!] };
    if (decisionInput.assignment.user!(requirementOf(configLine)))
      return { access: 'granted', why: `Require admits ${user}`, lines: [configLine] };
  }
  return {
    access: 'login',
    why: `no Require admits ${user}`,
    lines: effectiveLines.length > 0 ? effectiveLines : requireLines,
  };
}

/** The requirement of a Require line, as decide22.ts needs it. */
function requirementOf({ expandedLine }: ConfigLine): UserRequirement {
  return {
    text: requirementText(
      expandedLine,
      argumentsOf(expandedLine).map(({ value }) => value),
    ),
  };
}

/**
 * For each module of Require lines: the directive with which the module is not authoritative (Off).
 */
const AUTHORITATIVE_DIRECTIVES: Readonly<Record<string, string>> = {
  mod_authz_user: 'authzuserauthoritative',
  groups: 'authzgroupfileauthoritative',
  mod_authz_owner: 'authzownerauthoritative',
  mod_authnz_ldap: 'authzldapauthoritative',
};

/**
 * The Require lines that 2.2 evaluates. It asks the modules of these lines in loading order, and
 * stops after the first authoritative module (docs/access-control.md, "What 2.2 decides").
 */
function effectiveRequires(
  requireLines: readonly ConfigLine[],
  sections: readonly AppliedSection[],
  { groups }: DecisionInput,
  requestContext: RequestContext,
): readonly ConfigLine[] {
  const moduleOf = (configLine: ConfigLine) => requirementModule(requirementOf(configLine).text);
  const modulesOfLines = [...new Set(requireLines.map(moduleOf))].filter(
    (module): module is string => module !== null && !(module === 'groups' && !groups.hasFile),
  );
  const { modules } = requestContext.site.configuration;
  const loadIndexOf = (module: string): number => {
    const files = module === 'groups' ? ['mod_authz_groupfile.c', 'mod_authz_dbm.c'] : [`${module}.c`];
    return modules.findIndex((name) => files.includes(name));
  };
  const place = requestContext.site.placeOf(requireLines[0]!);
  const isReversed =
    modulesOfLines.length > 1 &&
    modulesOfLines.some((module) => loadIndexOf(module) < 0) &&
    requestContext.facts.holds('order of modules', {
      what: 'in which order the modules of the Require lines are loaded',
      place,
    });
  const orderedModules = [...modulesOfLines].sort((a, b) => (loadIndexOf(a) - loadIndexOf(b)) * (isReversed ? -1 : 1));
  const checkedLines: ConfigLine[] = [];
  for (const module of orderedModules) {
    checkedLines.push(...requireLines.filter((configLine) => moduleOf(configLine) === module));
    const authoritativeDirective = AUTHORITATIVE_DIRECTIVES[module];
    const authoritativeLine = sections
      .flatMap(({ lines }) => lines)
      .findLast((configLine) => configLine.line.name === authoritativeDirective);
    if (!authoritativeLine || wordsOf(authoritativeLine)[0]?.toLowerCase() !== 'off') break;
  }
  return checkedLines;
}

/** The directives of mod_access_compat. */
const COMPAT_DIRECTIVES = new Set([...HOST_RULE_NAMES, 'satisfy']);

/** The decision of 2.4 if no `Require` applies. With `Satisfy Any`, a denied client has access. */
function grantedWithoutRequire(hostDecision: HostDecision, satisfyLine: ConfigLine | null): AccessDecision {
  if (!hostDecision.isAccepted && satisfyLine !== null)
    return {
      access: 'granted',
      why: `${hostDecision.why}, but Satisfy Any applies and no Require does: so 2.4 allows the request`,
      lines: [...hostDecision.lines, satisfyLine],
    };
  return {
    access: 'granted',
    why: hostDecision.lines.length > 0 ? hostDecision.why : 'no Require applies',
    lines: hostDecision.lines,
  };
}

/** Decides as 2.4 does with mod_access_compat. */
function decideAs24(sections: readonly AppliedSection[], requestContext: RequestContext): AccessDecision {
  const decisionInput = decisionInputOf(sections, requestContext);
  const appliedRules = appliedHostRulesOf(sections, COMPAT_DIRECTIVES, requestContext);
  const hostDecision = decideHost(appliedRules, sections, decisionInput, requestContext);
  const lastSection = sections.findLast(({ lines }) => lines.some(({ line }) => COMPAT_DIRECTIVES.has(line.name)));
  // A section with an Order, Allow, Deny or Satisfy line replaces all inherited lines of these four
  // directives.
  const satisfyLine = lastSection ? satisfyLineFor([lastSection], requestContext) : null;
  if (isSatisfyAny(satisfyLine) && hostDecision.isAccepted)
    return { access: 'granted', why: hostDecision.why, lines: [...hostDecision.lines, satisfyLine!] };
  if (!isSatisfyAny(satisfyLine) && !hostDecision.isAccepted)
    return { access: 'denied', why: hostDecision.why, lines: hostDecision.lines };
  const { login } = decisionInput;
  const authorization = mergeSectionAuthorizations(sections, requestContext.facts.correctsProviders);
  if (authorization.tree === null)
    return login.authTypeLine
      ? { access: 'error', why: 'AuthType applies and no Require does', lines: [login.authTypeLine] }
      : grantedWithoutRequire(hostDecision, satisfyLine);
  const { decision, lines, needsLogin } = decideByTree(authorization, decisionInput, requestContext);
  if (needsLogin && !login.authTypeLine)
    return { access: 'error', why: 'Require asks for a login and no AuthType applies', lines };
  if (needsLogin && !login.hasAuthName)
    return { access: 'error', why: 'AuthType applies and AuthName is missing', lines: [login.authTypeLine!] };
  if (needsLogin) {
    const problem =
      authTypeProblem(login.authTypeLine!, requestContext) ??
      (requestContext.request.user === null ? null : passwordProblem(login.authTypeLine!, sections, requestContext));
    if (problem) return { access: 'error', ...problem };
  }
  const access = ACCESS_OF_DECISION[decision];
  const losing =
    decision === 'forbidden' ? losingAllow(sections, { appliedRules, hostDecision, denyingLines: lines }) : null;
  if (losing !== null) {
    const why = `Require denies the request, although ${hostDecision.why}: both must allow it`;
    return { access, why, lines, losing };
  }
  const isForbiddenSent = access === 'login' && requestContext.request.user !== null && sendsForbidden(sections);
  return { access: isForbiddenSent ? 'denied' : access, why: reasonOfDecision(decision, requestContext), lines };
}

/**
 * The Allow lines that match the request, although the Require lines `denyingLines` deny it. Null
 * if no Allow line matches. Also null if the Require lines are in a later section: they deny on
 * purpose.
 */
function losingAllow(
  sections: readonly AppliedSection[],
  {
    appliedRules,
    hostDecision,
    denyingLines,
  }: {
    readonly appliedRules: AppliedHostRules | null;
    readonly hostDecision: HostDecision;
    readonly denyingLines: readonly ConfigLine[];
  },
): LosingAllow<ConfigLine> | null {
  const allowLine = hostDecision.lines.find(({ line }) => line.name === 'allow');
  if (appliedRules === null || allowLine === undefined) return null;
  const indexOf = (at: ConfigLine | undefined) => sections.findIndex(({ lines }) => at && lines.includes(at));
  const allowIndex = indexOf(allowLine);
  if (indexOf(denyingLines[0]) > allowIndex) return null;
  return {
    line: sections[allowIndex]!.lines.find((configLine) => appliedRules.lines.includes(configLine))!,
    newLine: textIfOneLine(hostTree(appliedRules.rules)),
  };
}

/** Why 2.2 answers 500 if Require lines apply without an AuthType, as a clause. */
function missingTypeReason(requireLines: readonly ConfigLine[]): string {
  const line24 = requireLines.find((configLine) => ONLY_IN_24.has(wordsOf(configLine)[0]?.toLowerCase() ?? ''));
  return line24 === undefined
    ? 'Require asks for a login and no AuthType applies'
    : `2.2 does not know ${textOf(line24.line)}: it asks for a login, and no AuthType applies`;
}

/**
 * Whether AuthzSendForbiddenOnFailure makes httpd answer 403 instead of 401 if the user is not
 * allowed.
 */
function sendsForbidden(sections: readonly AppliedSection[]): boolean {
  const appliedLines = sections.flatMap((section) => section.lines);
  const forbiddenLine = appliedLines.findLast((configLine) => configLine.line.name === 'authzsendforbiddenonfailure');
  return forbiddenLine !== undefined && wordsOf(forbiddenLine)[0]?.toLowerCase() === 'on';
}

/** The access for each decision of the Require lines. */
const ACCESS_OF_DECISION: Readonly<Record<Decision, Access>> = {
  allowed: 'granted',
  unauthorized: 'login',
  forbidden: 'denied',
};

/** Why the Require lines decide so, as a clause. */
function reasonOfDecision(decision: Decision, { request }: RequestContext): string {
  if (decision === 'allowed') return 'Require admits the request';
  if (decision === 'forbidden') return 'Require denies the request';
  return request.user === null ? 'Require asks for a login' : `no Require admits ${request.user}`;
}
