/**
 * Access sections as data: how to write one in 2.2's directives, and the answers of two servers to
 * a request for what it protects. The model is this test's own and shares nothing with
 * server/src/access, so that an error is missed only if it is made twice.
 */
import type { RequestOptions, Response } from './harness';

export type Order = 'allow,deny' | 'deny,allow' | 'mutual-failure';

/** Lines of one kind each; what is left out is not written. */
export interface Lines {
  readonly order?: Order;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly satisfy?: 'All' | 'Any';
  readonly require?: readonly string[];
}

/** One section, or one `.htaccess`. */
export interface Scope extends Lines {
  /** AuthType, AuthName and AuthUserFile. */
  readonly login?: boolean;
  readonly limits?: readonly Limit[];
}

export interface Limit extends Lines {
  readonly tag: 'Limit' | 'LimitExcept';
  readonly methods: readonly string[];
}

export interface Question {
  readonly from: string;
  readonly method: string;
  /** Variables that the request sets; each has a SetEnvIf line in `PRELUDE`. */
  readonly env: readonly string[];
  /** Both users of `PASSWD` have the password `secret`. */
  readonly user?: string;
  readonly password?: string;
}

/** Sets the variables `ok` and `bad` from request headers of these names. */
export const PRELUDE = 'SetEnvIf X-Ok . ok\nSetEnvIf X-Bad . bad\n';

export const PASSWD = 'ann:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\nbob:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n';

/** Whether a text has lines of 2.2's access control. */
export function isOld(text: string): boolean {
  return /^\s*(order|allow|deny|satisfy)\b/im.test(text);
}

/** How to put a question about a file. */
export function requestFor(file: string, { from, method, env, user, password }: Question): RequestOptions {
  return {
    path: file,
    from,
    method,
    user,
    password,
    headers: Object.fromEntries(env.map((name) => [`X-${name}`, '1'])),
  };
}

/** What `answer` gives: a method that the file does not know was let in. */
export function statusOf(response: Response): number {
  return response.status === 405 ? 200 : response.status;
}

/** The lines of a scope as a 2.2 administrator writes them. */
export function render(scope: Scope, passwd = '/srv/www/conf/passwd'): string {
  const rows = scope.login ? ['AuthType Basic', 'AuthName "members"', `AuthUserFile ${passwd}`] : [];
  rows.push(...renderLines(scope));
  for (const limit of scope.limits ?? []) {
    rows.push(
      `<${limit.tag} ${limit.methods.join(' ')}>`,
      ...renderLines(limit).map((row) => `    ${row}`),
      `</${limit.tag}>`,
    );
  }
  return rows.map((row) => `    ${row}\n`).join('');
}

function renderLines(lines: Lines): string[] {
  return [
    ...(lines.require ?? []).map((text) => `Require ${text}`),
    ...(lines.order ? [`Order ${lines.order}`] : []),
    ...(lines.deny ? [`Deny from ${lines.deny.join(' ')}`] : []),
    ...(lines.allow ? [`Allow from ${lines.allow.join(' ')}`] : []),
    ...(lines.satisfy ? [`Satisfy ${lines.satisfy}`] : []),
  ];
}

/**
 * The answer of a server if the scopes of a chain apply, outermost first: 200 means allowed. With
 * `2.2` the server is httpd 2.2; with `compat` it is 2.4 with mod_access_compat, which differs from
 * 2.2 in three ways:
 *
 * 1. *satisfy is part of the record*: any Order, Allow, Deny or Satisfy in a section resets all
 * four; 2.2 keeps Satisfy apart.
 * 2. *Satisfy Any without Require*: if the host is refused, 2.2 answers 403; 2.4 asks
 * mod_authz_core, which allows it.
 * 3. *AuthType without Require*: 2.2 serves the page, 2.4 answers 500 (AH01627) when it checks,
 * unless a Require for another method is in effect.
 */
export function answer(chain: readonly Scope[], question: Question, server: '2.2' | 'compat'): 200 | 401 | 403 | 500 {
  const isRecorded = (lines: Lines) => hasHost(lines) || (server === 'compat' && lines.satisfy !== undefined);
  const hostScope = chain.findLast((scope) => parts(scope).some(isRecorded));
  const hostAccepts = hostScope === undefined || acceptsHost(linesFor(hostScope, question.method), question);
  const satisfyChain = server === '2.2' ? chain : hostScope ? [hostScope] : [];
  const satisfy =
    satisfyChain.flatMap((scope) => linesFor(scope, question.method)).findLast((lines) => lines.satisfy !== undefined)
      ?.satisfy ?? 'All';
  const requireScope = chain.findLast((scope) => parts(scope).some((lines) => lines.require !== undefined));
  const requires = requireScope ? linesFor(requireScope, question.method).flatMap((lines) => lines.require ?? []) : [];
  const hasLogin = chain.some((scope) => scope.login);

  if (satisfy === 'All' && !hostAccepts) return 403;
  if (satisfy === 'Any' && hostAccepts) return 200;
  if (requires.length > 0) return isAuthorized(requires, question) ? 200 : 401;
  if (server === 'compat') return hasLogin && !requireScope ? 500 : 200;
  return hostAccepts ? 200 : 403;
}

function parts(scope: Scope): readonly Lines[] {
  return [scope, ...(scope.limits ?? [])];
}

function linesFor(scope: Scope, method: string): readonly Lines[] {
  const counted = method === 'HEAD' ? 'GET' : method;
  const limits = (scope.limits ?? []).filter((limit) => limit.methods.includes(counted) === (limit.tag === 'Limit'));
  return [scope, ...limits];
}

function hasHost(lines: Lines): boolean {
  return lines.order !== undefined || lines.allow !== undefined || lines.deny !== undefined;
}

function acceptsHost(lines: readonly Lines[], question: Question): boolean {
  const isAllowed = lines.some(({ allow }) => allow?.some((operand) => matches(operand, question)));
  const isDenied = lines.some(({ deny }) => deny?.some((operand) => matches(operand, question)));
  const order = lines.findLast((part) => part.order !== undefined)?.order ?? 'deny,allow';
  return order === 'deny,allow' ? !isDenied || isAllowed : isAllowed && !isDenied;
}

function isAuthorized(requires: readonly string[], { user, password }: Question): boolean {
  if (user === undefined || password !== 'secret' || !['ann', 'bob'].includes(user)) return false;
  return requires.some((text) => text === 'valid-user' || text.split(' ').slice(1).includes(user));
}

function matches(operand: string, { from, env }: Question): boolean {
  if (operand === 'all') return true;
  if (operand.startsWith('env=!')) return !env.includes(operand.slice(5));
  if (operand.startsWith('env=')) return env.includes(operand.slice(4));
  if (operand.includes(':')) return false;
  const [address, mask] = operand.split('/');
  const octets = address.split('.').filter((octet) => octet !== '');
  const bits =
    mask === undefined ? maskOf(8 * octets.length) : mask.includes('.') ? number(mask) : maskOf(Number(mask));
  const padded = [...octets, '0', '0', '0'].slice(0, 4).join('.');
  return ((number(from) ^ number(padded)) & bits) === 0;
}

function maskOf(bits: number): number {
  return bits === 0 ? 0 : -1 << (32 - bits);
}

function number(address: string): number {
  return address.split('.').reduce((sum, octet) => (sum << 8) | Number(octet), 0);
}
