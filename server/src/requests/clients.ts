/**
 * Finds the properties of clients that the lines of some sections treat differently: addresses,
 * users, headers that set variables, and methods. One client for each combination of these
 * properties shows every decision of the lines.
 */
import type { ConfigLine, Scope } from '../config/configuration';
import { resolvePath } from '../config/files';
import { argumentsOf } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { sectionsWithoutHosts } from './asking';
import { representativeAddresses } from './client-classes';
import { regexSamples } from './sample';
import { wordsOf, type Site } from './site';

/** The user name that stands for any user with the right password. */
export const ANY_USER = 'USER';

/** The properties of a request that depend on the client. */
export interface ClientToTry {
  readonly method: string;
  readonly from: string;
  readonly user: string | null;
  readonly headers: ReadonlyMap<string, string>;
}

/** The simplest client: an address for documentation, without a login. */
export const SIMPLE_CLIENT: ClientToTry = { method: 'GET', from: '203.0.113.9', user: null, headers: new Map() };

/**
 * The scopes whose lines decide about a URL of a server. `servers`: the main server and the virtual
 * host.
 */
export interface ScopesOfServer {
  readonly site: Site;
  readonly scopes: readonly Scope[];
  readonly servers: readonly Scope[];
}

/**
 * Returns the clients to try, the simplest first: an address in no network, without a login, with
 * GET.
 */
export function clientsToTry(appliedScopes: readonly ScopesOfServer[]): ClientToTry[] {
  const clientProperties: ClientProperties = { networks: [], users: [], headers: [], methods: new Set() };
  for (const each of appliedScopes) addPropertiesOf(each, clientProperties);
  const valuesToTry = {
    from: representativeAddresses(clientProperties.networks),
    user: [null, ...clientProperties.users].slice(0, MAX_TRIED_USERS),
    headers: headerSets(clientProperties.headers),
    method: methodsToTry(clientProperties.methods),
  };
  const combinationCount =
    valuesToTry.from.length * valuesToTry.user.length * valuesToTry.headers.length * valuesToTry.method.length;
  // If there are too many combinations, all values of one property are combined with only a few
  // values of the other properties.
  const propertySets = combinationCount <= MAX_TRIED_CLIENTS ? [valuesToTry] : setsWithAllValuesOfOne(valuesToTry);
  const clientByKey = new Map<string, ClientToTry>();
  for (const { from, user, headers, method } of propertySets)
    for (const eachMethod of method)
      for (const eachHeaders of headers)
        for (const eachUser of user)
          for (const eachFrom of from) {
            const client = { method: eachMethod, from: eachFrom, user: eachUser, headers: eachHeaders };
            const combinationKey = JSON.stringify([eachMethod, eachFrom, eachUser, [...eachHeaders]]);
            if (!clientByKey.has(combinationKey)) clientByKey.set(combinationKey, client);
          }
  return [...clientByKey.values()].sort(
    (a, b) => distanceFromSimplest(a, valuesToTry) - distanceFromSimplest(b, valuesToTry),
  );
}

/** How different a client is from the simplest one, to sort clients. */
function distanceFromSimplest({ from, user, headers, method }: ClientToTry, allValues: PropertyValues): number {
  return (
    (from === allValues.from[0] ? 0 : 1) +
    (user === null ? 0 : 2) +
    headers.size * 3 +
    (method === allValues.method[0] ? 0 : 2)
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/** Maximum number of combinations of properties. */
const MAX_TRIED_CLIENTS = 1500;
/** Maximum number of users, including no user. */
const MAX_TRIED_USERS = 40;
/** Maximum number of headers that are tried. */
const MAX_TRIED_HEADERS = 12;

/** The values to try for each property of a client. The simplest value comes first. */
interface PropertyValues {
  readonly from: readonly string[];
  readonly user: readonly (string | null)[];
  readonly headers: readonly ReadonlyMap<string, string>[];
  readonly method: readonly string[];
}

/** Sets of values in which at most one property has all its values. */
function setsWithAllValuesOfOne(allValues: PropertyValues): PropertyValues[] {
  const fewValues: PropertyValues = {
    from: allValues.from.slice(0, 4),
    user: allValues.user.slice(0, 3),
    headers: allValues.headers.slice(0, 3),
    method: allValues.method.slice(0, 3),
  };
  const users = allValues.user.slice(0, 2);
  return [
    fewValues,
    {
      ...fewValues,
      from: allValues.from,
      user: users,
      headers: fewValues.headers.slice(0, 1),
      method: fewValues.method.slice(0, 1),
    },
    {
      ...fewValues,
      user: allValues.user,
      from: fewValues.from.slice(0, 2),
      headers: fewValues.headers.slice(0, 1),
    },
    { ...fewValues, headers: allValues.headers, user: users, from: fewValues.from.slice(0, 2) },
    { ...fewValues, method: allValues.method, user: users, from: fewValues.from.slice(0, 2) },
  ];
}

/** What lines say about clients, as far as it was collected. */
interface ClientProperties {
  readonly networks: string[];
  readonly users: string[];
  readonly headers: Map<string, string>[];
  readonly methods: Set<string>;
}

/** Matches providers of Require that ask for a login. */
const USER_PROVIDERS = /^(valid-user|user|group|file-group|file-owner|ldap-|dbm-|dbd-)/i;

/** Adds the properties of clients that the lines of these scopes test. */
function addPropertiesOf({ scopes, servers, site }: ScopesOfServer, properties: ClientProperties): void {
  const linesOfScopes = scopes.flatMap((scope) => linesWithConditions(scope));
  const users = new Set<string>();
  const variables = new Set<string>();
  let needsUser = false;
  for (const configLine of linesOfScopes) {
    addMethodsOfLimits(configLine, properties);
    if (configLine.line.name === 'allow' || configLine.line.name === 'deny')
      addOperands(configLine, properties, variables);
    else if (configLine.line.name === 'require')
      needsUser = addRequireWords(configLine, properties, users, variables, site) || needsUser;
  }
  for (const scope of scopes) addExpressionWords(tagTextsOf(scope), properties);
  for (const configLine of [...servers.flatMap((scope) => scope.lines), ...linesOfScopes])
    addValuesThatSet(properties, configLine, variables);
  if (needsUser) users.add(unnamedUser(users, site));
  for (const user of users) if (!properties.users.includes(user)) properties.users.push(user);
}

/** Adds the methods that the `<Limit>` sections around a line name. */
function addMethodsOfLimits({ enclosingSections }: ConfigLine, properties: ClientProperties): void {
  for (const { section } of enclosingSections)
    if (section.name === 'limit' || section.name === 'limitexcept')
      for (const { value } of argumentsOf(section.open)) properties.methods.add(value);
}

/** Adds the operands of an Allow or Deny line. */
function addOperands(configLine: ConfigLine, properties: ClientProperties, variables: Set<string>): void {
  for (const word of wordsOf(configLine).slice(1)) {
    properties.networks.push(word);
    const variable = /^env=!?(.+)$/i.exec(word)?.[1];
    if (variable !== undefined) variables.add(variable);
  }
}

/** The lines of a scope and of the <If> sections in it. */
function linesWithConditions(scope: Scope): ConfigLine[] {
  return [
    ...scope.lines.filter(({ activity }) => activity !== 'inactive'),
    ...sectionsWithoutHosts(scope)
      .filter(({ kind }) => CONDITION_KINDS.has(kind))
      .flatMap((child) => linesWithConditions(child)),
  ];
}

const CONDITION_KINDS = new Set(['if', 'elseif', 'else']);

/** The tags of the `<If>` sections in a scope, at any depth. */
function tagTextsOf(scope: Scope): string[] {
  return sectionsWithoutHosts(scope)
    .filter(({ kind }) => CONDITION_KINDS.has(kind))
    .flatMap((child) => [child.section?.open.text ?? '', ...tagTextsOf(child)]);
}

/** Adds the operands of a Require line. Returns whether the line asks for a login. */
function addRequireWords(
  configLine: ConfigLine,
  properties: ClientProperties,
  users: Set<string>,
  variables: Set<string>,
  site: Site,
): boolean {
  const requireWords = wordsOf(configLine);
  const [provider = '', ...operands] = requireWords[0]?.toLowerCase() === 'not' ? requireWords.slice(1) : requireWords;
  switch (provider.toLowerCase()) {
    case 'ip':
      properties.networks.push(...operands);
      break;
    case 'local':
      properties.networks.push('127.0.0.0/8', '::1');
      break;
    case 'env':
      for (const name of operands) variables.add(name);
      break;
    case 'method':
      for (const name of operands) properties.methods.add(name);
      break;
    case 'user':
      for (const name of operands) users.add(name);
      break;
    case 'group':
      for (const name of membersOf(operands, site)) users.add(name);
      break;
    case 'expr':
      addExpressionWords([configLine.expandedLine.text], properties);
      break;
    default:
  }
  return USER_PROVIDERS.test(provider);
}

/** One member of each group, if the group file is in this copy. */
function membersOf(groups: readonly string[], site: Site): string[] {
  const groupFileTexts = textsOfNamedFiles('authgroupfile', site);
  return groups.flatMap((group) => {
    for (const text of groupFileTexts)
      for (const row of text.split('\n')) {
        const [name, members] = row.split(':', 2);
        const firstMember = name?.trim() === group ? members?.trim().split(/\s+/)[0] : undefined;
        if (firstMember) return [firstMember];
      }
    return [];
  });
}

/** A user that no line names. It is from a password file; if there is none, `ANY_USER`. */
function unnamedUser(users: ReadonlySet<string>, site: Site): string {
  for (const text of textsOfNamedFiles('authuserfile', site))
    for (const row of text.split('\n').slice(0, 100)) {
      const userName = /^([\w.@-]+):/.exec(row)?.[1];
      if (userName !== undefined && !users.has(userName)) return userName;
    }
  return ANY_USER;
}

/** The texts of the files that lines of this directive name, anywhere in the configuration. */
function textsOfNamedFiles(directive: 'authgroupfile' | 'authuserfile', site: Site): readonly string[] {
  const textsOfSite = textsBySite.get(site) ?? new Map<string, readonly string[]>();
  textsBySite.set(site, textsOfSite);
  let texts = textsOfSite.get(directive);
  if (!texts) textsOfSite.set(directive, (texts = readNamedFiles(directive, site)));
  return texts;
}

const textsBySite = cacheOf<Site, Map<string, readonly string[]>>();

/** Reads at most ten files that lines of this directive name. */
function readNamedFiles(directive: string, site: Site): string[] {
  const writtenPaths = new Set<string>();
  const addPathsIn = (scope: Scope, depth: number): void => {
    for (const configLine of scope.lines)
      if (configLine.line.name === directive) writtenPaths.add(wordsOf(configLine)[0] ?? '');
    if (depth < 5) for (const child of scope.children) addPathsIn(child, depth + 1);
  };
  addPathsIn(site.root, 0);
  return [...writtenPaths]
    .slice(0, 10)
    .flatMap((path) => (path === '' ? [] : (site.textOfFile(resolvePath(site.configuration.serverRoot, path)) ?? [])));
}

/**
 * Adds the headers, networks or methods with which a line of mod_setenvif sets one of the
 * variables.
 */
function addValuesThatSet(properties: ClientProperties, configLine: ConfigLine, variables: ReadonlySet<string>): void {
  const { name } = configLine.line;
  const isBrowser = name.startsWith('browsermatch');
  if (!isBrowser && !name.startsWith('setenvif')) return;
  const setEnvIfWords = isBrowser ? ['User-Agent', ...wordsOf(configLine)] : wordsOf(configLine);
  if (name === 'setenvifexpr') return addExpressionWords([configLine.expandedLine.text], properties);
  const [attribute = '', pattern = '', ...settings] = setEnvIfWords;
  if (!settings.some((setting) => variables.has(setting.split('=', 1)[0]!.replace(/^!/, '')))) return;
  const samples = regexSamples(pattern, { ignoreCase: name.endsWith('nocase') });
  switch (attribute.toLowerCase()) {
    case 'remote_addr':
      properties.networks.push(...samples);
      break;
    case 'request_method':
      for (const sample of samples) properties.methods.add(sample);
      break;
    case 'remote_host':
    case 'server_addr':
    case 'request_uri':
    case 'request_protocol':
    case 'host':
      break;
    default:
      if (/^[\w-]+$/.test(attribute))
        for (const sample of samples.filter((each) => each !== '').slice(0, 2))
          properties.headers.push(new Map([[attribute.toLowerCase(), sample]]));
  }
}

/** Adds networks, methods and headers that expressions name. */
function addExpressionWords(texts: readonly string[], properties: ClientProperties): void {
  for (const text of texts) {
    for (const [, network] of text.matchAll(/['"]([\d.]{1,15}(?:\/[\d.]{1,15})?|[\da-f:]{2,45}(?:\/\d{1,3})?)['"]/gi))
      if (/[.:]/.test(network!)) properties.networks.push(network!);
    for (const [, method] of text.matchAll(/['"]([A-Z]{3,10})['"]/g)) properties.methods.add(method!);
    for (const [, httpPrefix, header, variableHeader, quotedValue, regex] of text.matchAll(
      /%\{(?:(HTTP):([\w-]+)|HTTP_(\w+))\}\s*(?:(?:==|=|-eq|eq)\s*(['"][^'"]*['"])|=~\s*m?(?:\/([^/]*)\/))/gi,
    )) {
      const headerName = (httpPrefix !== undefined ? header! : variableHeader!.replaceAll('_', '-')).toLowerCase();
      const headerValue = quotedValue !== undefined ? quotedValue.slice(1, -1) : regexSamples(regex ?? '')[0];
      if (headerValue !== undefined && headerValue !== '' && headerName !== 'host')
        properties.headers.push(new Map([[headerName, headerValue]]));
    }
  }
}

/** The sets of headers to try: no header, each header alone, and all headers together. */
function headerSets(headers: readonly ReadonlyMap<string, string>[]): ReadonlyMap<string, string>[] {
  const uniqueHeaders = [...new Map(headers.map((each) => [JSON.stringify([...each]), each])).values()].slice(
    0,
    MAX_TRIED_HEADERS,
  );
  const allHeaders = new Map(uniqueHeaders.flatMap((each) => [...each]));
  return [new Map(), ...uniqueHeaders, ...(uniqueHeaders.length > 1 ? [allHeaders] : [])];
}

/** Methods of which one is tried, if lines name methods. */
const OTHER_METHODS = ['POST', 'OPTIONS', 'PUT'];

/** GET (which also stands for HEAD), the named methods, and one method that is not named. */
function methodsToTry(namedMethods: ReadonlySet<string>): string[] {
  if (namedMethods.size === 0) return ['GET'];
  const validMethods = [...namedMethods].filter((method) => /^[A-Z]{1,20}$/.test(method) && method !== 'HEAD');
  const unnamedMethod = OTHER_METHODS.find((method) => !namedMethods.has(method));
  return [...new Set(['GET', ...validMethods, ...(unnamedMethod === undefined ? [] : [unnamedMethod])])].slice(0, 12);
}
