/**
 * The decision about a request from the sections that apply to it: 2.2 (mod_authz_host and the
 * Require lines of its modules), and 2.4 (mod_access_compat beside mod_authz_core). What each
 * decides for one set of lines is in access/decide22.ts and access/decide24.ts.
 */
import { CHECKERS } from '../access/checkers';
import { decide22 } from '../access/decide22';
import type { Decision, HostRules, UserRequirement, Assignment } from '../access/model';
import type { Operand } from '../access/operand';
import { readSection, requirementModule, requirementText } from '../access/read';
import type { ConfigLine } from '../config/configuration';
import { argumentsOf } from '../syntax/line';
import { isInNetwork } from './addresses';
import type { AppliedSection } from './section';
import type { Asking } from './asking';
import { authorizationOf, decidedBy } from './authorization';
import { environmentOf, type Environment } from './environment';
import { lineProblem } from './line-problem';
import { passwordProblem, typeProblem } from './logins';
import { groupsOfUser, requirementHolds, type GroupSource } from './users';
import type { Access } from './model';
import { wordsOf } from './site';

export interface Decided {
  readonly access: Access;
  /** The decision as a clause. */
  readonly why: string;
  readonly lines: readonly ConfigLine[];
}

export function decided(sections: readonly AppliedSection[], asking: Asking): Decided {
  const { version } = asking.site;
  for (const { lines } of sections)
    for (const line of lines) {
      const why = lineProblem(line, version, asking.facts.correctsProviders);
      if (why !== null) return { access: 'error', why: `httpd ${version} does not start: ${why}`, lines: [line] };
    }
  return version === '2.2' ? decided22(sections, asking) : decided24(sections, asking);
}

// ---------------------------------------------------------------------------------------------------------------------

const HOST_NAMES = new Set(['order', 'allow', 'deny']);

/** The parts of a decision that both versions share. */
interface Parts {
  readonly world: Assignment;
  readonly environment: Environment;
  readonly login: Login;
  readonly groups: GroupSource;
}

interface Login {
  /** The AuthType line that applies; null if there is none, or `None`. */
  readonly type: ConfigLine | null;
  readonly hasName: boolean;
}

function partsOf(sections: readonly AppliedSection[], asking: Asking): Parts {
  const environment = environmentOf(sections, asking);
  const groups = groupsOfUser(sections, asking);
  return {
    environment,
    groups,
    login: loginOf(sections),
    world: worldOf(environment, groups, asking),
  };
}

function loginOf(sections: readonly AppliedSection[]): Login {
  const last = (name: string) => sections.flatMap(({ lines }) => lines).findLast(({ line }) => line.name === name);
  const type = last('authtype');
  const isNone = type !== undefined && wordsOf(type)[0]?.toLowerCase() === 'none';
  return { type: type && !isNone ? type : null, hasName: last('authname') !== undefined };
}

function worldOf(environment: Environment, groups: GroupSource, asking: Asking): Assignment {
  const { request, facts } = asking;
  const { user } = request;
  return {
    method: methodOf(request.method),
    matches(provider, operand) {
      if (provider === 'env') return environment(operand);
      if (provider === 'ip') {
        const isIn = request.from === null ? null : isInNetwork(operand, request.from);
        if (isIn !== null) return isIn;
        return facts.holds(`ip ${operand}`, {
          what: `whether the client is in \`${operand}\`: give --from`,
          place: null,
        });
      }
      const { fromName } = request;
      if (fromName !== undefined && HOST_OPERAND.test(operand)) return isInDomain(operand, fromName);
      return facts.holds(`name ${operand}`, {
        what: `whether the client's name ends in \`${operand}\` (DNS)`,
        place: null,
      });
    },
    user: user === null ? null : (requirement) => requirementHolds(requirement.text, groups, asking),
  };
}

const HOST_OPERAND = /^\.?[\w-]+(?:\.[\w-]+)*$/;

/** `.example.org` and `example.org` hold for names below, too (in_domain in mod_authz_host.c). */
function isInDomain(domain: string, name: string): boolean {
  const plain = domain.toLowerCase();
  return name === plain || name.endsWith(plain.startsWith('.') ? plain : `.${plain}`);
}

/** HEAD has the number of GET. */
function methodOf(method: string): string {
  return method === 'HEAD' ? 'GET' : method;
}

/** Whether a line holds for the method of the request. In 2.2 only the innermost limit counts. */
function isForMethod({ within }: ConfigLine, { request, site }: Asking): boolean {
  const limits = within.filter(({ section }) => section.name === 'limit' || section.name === 'limitexcept');
  const counted = site.version === '2.2' ? limits.slice(-1) : limits;
  return counted.every(({ section }) => {
    const names = argumentsOf(section.open).map(({ value }) => methodOf(value));
    return names.includes(methodOf(request.method)) === (section.name === 'limit');
  });
}

interface HostRecord {
  readonly rules: HostRules;
  readonly lines: readonly ConfigLine[];
}

/** The record of the last section with one of these lines. `names`: the lines that replace it. */
function hostRecord(
  sections: readonly AppliedSection[],
  names: ReadonlySet<string>,
  asking: Asking,
): HostRecord | null {
  const last = sections.findLast(({ lines }) => lines.some(({ line }) => names.has(line.name)));
  if (!last) return null;
  const lines = last.lines.filter((at) => HOST_NAMES.has(at.line.name) && isForMethod(at, asking));
  return { rules: rulesOf(lines), lines };
}

/** An operand with a variable counts as a name, which is asked for. */
function rulesOf(lines: readonly ConfigLine[]): HostRules {
  const { host } = readSection(lines.map(({ expanded }) => expanded));
  if (!host) return { order: 'deny,allow', allow: [], deny: [] };
  const asked = (operands: readonly Operand[]) =>
    operands.map(
      (operand): Operand =>
        operand.kind === 'unknown' || operand.kind === 'error' ? { kind: 'host', name: operand.text } : operand,
    );
  return { order: host.order, allow: asked(host.allow), deny: asked(host.deny) };
}

interface HostDecision {
  readonly isAccepted: boolean;
  readonly lines: readonly ConfigLine[];
  readonly why: string;
}

function hostDecision(
  record: HostRecord | null,
  sections: readonly AppliedSection[],
  parts: Parts,
  asking: Asking,
): HostDecision {
  const refusing = refusedByOther(sections, asking);
  if (refusing) return { isAccepted: false, lines: [refusing], why: `${refusing.line.text.trim()} denies the request` };
  if (!record) return { isAccepted: true, lines: [], why: 'no Order, Allow or Deny line applies' };
  const isAccepted = accepts(record.rules, parts.world);
  const order = record.lines.findLast(({ line }) => line.name === 'order');
  const matching = (name: 'allow' | 'deny') =>
    record.lines.filter(
      (at) =>
        at.line.name === name && accepts({ order: 'allow,deny', allow: rulesOf([at])[name], deny: [] }, parts.world),
    );
  const isDenyFirst = record.rules.order === 'deny,allow';
  const [allows, denies] = [matching('allow'), matching('deny')];
  const orderLines = order ? [order] : [];
  const whose = asking.request.from ?? 'the client';
  if (isAccepted)
    return {
      isAccepted,
      lines: allows.length > 0 ? [...allows.slice(-1), ...(denies.length > 0 ? orderLines : [])] : orderLines,
      why: allows.length > 0 ? `Allow matches ${whose}` : `no Deny matches ${whose}`,
    };
  return {
    isAccepted,
    lines: denies.length > 0 ? [...denies.slice(-1), ...(allows.length > 0 ? orderLines : [])] : orderLines,
    why:
      denies.length > 0
        ? `Deny matches ${whose}${isDenyFirst ? ' and no Allow does' : ''}`
        : `no Allow matches ${whose}`,
  };
}

function accepts(host: HostRules, world: Assignment): boolean {
  return decide22({ host, satisfy: 'all', requires: [] }, world) === 'allowed';
}

/** A line of another module that refuses the request in the same phase as mod_authz_host. */
function refusedByOther(sections: readonly AppliedSection[], asking: Asking): ConfigLine | null {
  for (const { lines } of sections)
    for (const line of lines) {
      if (!CHECKERS.has(line.line.name) || /off|none/i.test(wordsOf(line)[0] ?? '')) continue;
      if (line.line.name === 'sslrequiressl') {
        if (!asking.request.isSecure) return line;
        continue;
      }
      // ssl_hook_Access looks at the expression for connections with TLS only.
      if (line.line.name === 'sslrequire' && !asking.request.isSecure) continue;
      const place = asking.site.placeOf(line);
      const isRefused = asking.facts.holds(`checker ${line.line.text.trim()}`, {
        what: `whether \`${line.line.text.trim()}\` denies the request`,
        place,
      });
      if (isRefused) return line;
    }
  return null;
}

/** `names`: Satisfy is merged for each method by itself in 2.2. */
function satisfyLine(sections: readonly AppliedSection[], asking: Asking): ConfigLine | null {
  return (
    sections.flatMap(({ lines }) => lines).findLast((at) => at.line.name === 'satisfy' && isForMethod(at, asking)) ??
    null
  );
}

function isAny(line: ConfigLine | null): boolean {
  return line !== null && wordsOf(line)[0]?.toLowerCase() === 'any';
}

function decided22(sections: readonly AppliedSection[], asking: Asking): Decided {
  const parts = partsOf(sections, asking);
  const host = hostDecision(hostRecord(sections, HOST_NAMES, asking), sections, parts, asking);
  const satisfy = satisfyLine(sections, asking);
  const withRequire = sections.findLast(({ lines }) => lines.some(({ line }) => line.name === 'require'));
  const requires = (withRequire?.lines ?? []).filter((at) => at.line.name === 'require' && isForMethod(at, asking));
  if (isAny(satisfy)) {
    if (host.isAccepted) return { access: 'granted', why: host.why, lines: [...host.lines, satisfy!] };
    if (requires.length === 0) return { access: 'denied', why: host.why, lines: host.lines };
  } else {
    if (!host.isAccepted) return { access: 'denied', why: host.why, lines: host.lines };
    if (requires.length === 0) return { access: 'granted', why: host.why, lines: host.lines };
  }
  const { login } = parts;
  if (!login.type) return { access: 'error', why: 'Require asks for a login and no AuthType applies', lines: requires };
  if (!login.hasName) return { access: 'error', why: 'AuthType applies and AuthName is missing', lines: [login.type] };
  const wrongType = typeProblem(login.type, asking);
  if (wrongType) return { access: 'error', ...wrongType };
  const { user } = asking.request;
  if (user === null) return { access: 'login', why: 'Require asks for a login', lines: requires };
  const wrongFile = passwordProblem(login.type, sections, asking);
  if (wrongFile) return { access: 'error', ...wrongFile };
  const live = liveRequires(requires, sections, parts, asking);
  for (const at of live) {
    // check_user_access in mod_authz_groupfile.c of 2.2.
    if (parts.groups.isUnreadable && requirementModule(requirementOf(at).text) === 'groups')
      return { access: 'error', why: 'the AuthGroupFile cannot be read', lines: [parts.groups.line!] };
    if (parts.world.user!(requirementOf(at))) return { access: 'granted', why: `Require admits ${user}`, lines: [at] };
  }
  return { access: 'login', why: `no Require admits ${user}`, lines: live.length > 0 ? live : requires };
}

function requirementOf({ expanded }: ConfigLine): UserRequirement {
  return {
    text: requirementText(
      expanded,
      argumentsOf(expanded).map(({ value }) => value),
    ),
  };
}

const AUTHORITATIVE: Readonly<Record<string, string>> = {
  mod_authz_user: 'authzuserauthoritative',
  groups: 'authzgroupfileauthoritative',
  mod_authz_owner: 'authzownerauthoritative',
  mod_authnz_ldap: 'authzldapauthoritative',
};

/**
 * The Require lines that 2.2 asks: those of the modules in loading order, up to the first that is
 * authoritative and owns one (docs/access-control.md, "What 2.2 decides").
 */
function liveRequires(
  requires: readonly ConfigLine[],
  sections: readonly AppliedSection[],
  { groups }: Parts,
  asking: Asking,
): readonly ConfigLine[] {
  const moduleOf = (at: ConfigLine) => requirementModule(requirementOf(at).text);
  const owners = [...new Set(requires.map(moduleOf))].filter(
    (module): module is string => module !== null && !(module === 'groups' && !groups.hasFile),
  );
  const { modules } = asking.site.configuration;
  const rankOf = (module: string): number => {
    const files = module === 'groups' ? ['mod_authz_groupfile.c', 'mod_authz_dbm.c'] : [`${module}.c`];
    return modules.findIndex((name) => files.includes(name));
  };
  const place = asking.site.placeOf(requires[0]!);
  const isReversed =
    owners.length > 1 &&
    owners.some((module) => rankOf(module) < 0) &&
    asking.facts.holds('order of modules', {
      what: 'in which order the modules of the Require lines are loaded',
      place,
    });
  const ordered = [...owners].sort((a, b) => (rankOf(a) - rankOf(b)) * (isReversed ? -1 : 1));
  const live: ConfigLine[] = [];
  for (const module of ordered) {
    live.push(...requires.filter((at) => moduleOf(at) === module));
    const name = AUTHORITATIVE[module];
    const line = sections.flatMap(({ lines }) => lines).findLast((at) => at.line.name === name);
    if (!line || wordsOf(line)[0]?.toLowerCase() !== 'off') break;
  }
  return live;
}

const COMPAT_NAMES = new Set([...HOST_NAMES, 'satisfy']);

function decided24(sections: readonly AppliedSection[], asking: Asking): Decided {
  const parts = partsOf(sections, asking);
  const record = hostRecord(sections, COMPAT_NAMES, asking);
  const host = hostDecision(record, sections, parts, asking);
  const last = sections.findLast(({ lines }) => lines.some(({ line }) => COMPAT_NAMES.has(line.name)));
  // Satisfy is part of the record of Order, Allow and Deny.
  const satisfy = last ? satisfyLine([last], asking) : null;
  if (isAny(satisfy) && host.isAccepted) return { access: 'granted', why: host.why, lines: [...host.lines, satisfy!] };
  if (!isAny(satisfy) && !host.isAccepted) return { access: 'denied', why: host.why, lines: host.lines };
  const { login } = parts;
  const authorization = authorizationOf(sections, asking.facts.correctsProviders);
  if (authorization.tree === null)
    return login.type
      ? { access: 'error', why: 'AuthType applies and no Require does', lines: [login.type] }
      : { access: 'granted', why: host.lines.length > 0 ? host.why : 'no Require applies', lines: host.lines };
  const { decision, lines, needsLogin } = decidedBy(authorization, parts, asking);
  if (needsLogin && !login.type)
    return { access: 'error', why: 'Require asks for a login and no AuthType applies', lines };
  if (needsLogin && !login.hasName)
    return { access: 'error', why: 'AuthType applies and AuthName is missing', lines: [login.type!] };
  if (needsLogin) {
    const problem =
      typeProblem(login.type!, asking) ??
      (asking.request.user === null ? null : passwordProblem(login.type!, sections, asking));
    if (problem) return { access: 'error', ...problem };
  }
  const access = ACCESS[decision];
  const isSent = access === 'login' && asking.request.user !== null && sendsForbidden(sections);
  return { access: isSent ? 'denied' : access, why: whyOf(decision, asking), lines };
}

/** AuthzSendForbiddenOnFailure answers a login that is not enough with 403. */
function sendsForbidden(sections: readonly AppliedSection[]): boolean {
  const lines = sections.flatMap((section) => section.lines);
  const line = lines.findLast((at) => at.line.name === 'authzsendforbiddenonfailure');
  return line !== undefined && wordsOf(line)[0]?.toLowerCase() === 'on';
}

const ACCESS: Readonly<Record<Decision, Access>> = { allowed: 'granted', unauthorized: 'login', forbidden: 'denied' };

function whyOf(decision: Decision, { request }: Asking): string {
  if (decision === 'allowed') return 'Require admits the request';
  if (decision === 'forbidden') return 'Require denies the request';
  return request.user === null ? 'Require asks for a login' : `no Require admits ${request.user}`;
}
