/**
 * Checks for values that the functions of directives refuse, in addition to the words and numbers
 * of the table in directives/values.ts. The comment of each check names a function of 2.4: the
 * check refuses what this function refuses. A check accepts a line if facts that the check needs
 * are unknown.
 */
import { ForbiddenIn } from '../directives/commands';
import { argumentTable, type Argument } from '../directives/values';
import { cache, lazy } from '../syntax/memory';
import { KNOWN_STATUSES } from '../syntax/rewrite';
import { regexProblem } from '../syntax/regex';
import { module as moduleOf, modules as modulesOf, providers, type ProviderKind } from '../directives/index';
import { parseAddressAndPort, isPlainIpv6 } from '../config/address';
import { reasonOfValue } from './argument-values';
import { HTTP_METHODS } from './http-methods';
import type { Place } from './place';
import type { LineToCheck, ValueCheck, Refusal } from './refusal';
import { CHECKS_OF_MODULES } from './refusals-of-modules';

export type { LineToCheck, Refusal } from './refusal';

/** Whether there are checks of the values of a directive or, if `isSection`, of a section. */
export function hasRefusals(name: string, isSection: boolean): boolean {
  return checksOf(name, isSection).length > 0;
}

/**
 * The first value that the function of the directive would refuse; null if there is none or if that
 * is unknown.
 */
export function findRefusal(lineToCheck: LineToCheck): Refusal | null {
  for (const check of checksOf(lineToCheck.name, lineToCheck.isSection)) {
    const refusal = check(lineToCheck);
    if (refusal) return refusal;
  }
  return null;
}

// ---------------------------------------------------------------------------------------------------------------------

const checksByName = cache<string, readonly ValueCheck[]>();

/** The checks of a directive or section, from the cache or put together now. */
function checksOf(name: string, isSection: boolean): readonly ValueCheck[] {
  const key = isSection ? `<${name}` : name;
  let checks = checksByName.get(key);
  if (checks === undefined) {
    if (checksByName.size > 4096) checksByName.clear();
    const patterns = patternIndicesOf(name, isSection);
    checks = [
      ...(CHECKS_BY_NAME[key] ?? []),
      ...(CHECKS_OF_MODULES[key] ?? []),
      ...(patterns.length > 0 ? [mustCompile(patterns)] : []),
    ];
    checksByName.set(key, checks);
  }
  return checks;
}

/** The 0-based indices of words that must be regular expressions (ap_pregcomp). */
function patternIndicesOf(name: string, isSection: boolean): number[] {
  // The patterns of mod_rewrite are checked elsewhere. The other directives in this expression take
  // a pattern only in some of their forms, or are in PATTERN_INDICES_BY_NAME.
  if (
    /^(rewrite(rule|cond)|proxypassmatch|header|requestheader|redirectmatch|ifversion|substitute|browsermatch(nocase)?|setenvif(nocase)?)$/.test(
      name,
    )
  )
    return PATTERN_INDICES_BY_NAME[name] ?? [];
  const table = argumentTable(name, { section: isSection });
  if (table === undefined || table.forms !== undefined) return [];
  const patternIndices = table.arguments.flatMap((argument, index) =>
    argument.kinds.length === 1 && argument.kinds[0] === 'regex' && !argument.choices && !argument.key ? [index] : [],
  );
  return table.arguments.some(({ optional }, index) => optional && index < Math.max(...patternIndices))
    ? []
    : patternIndices;
}

/** Indices of regular expressions that `patternIndicesOf` cannot find in the table. */
const PATTERN_INDICES_BY_NAME: Readonly<Record<string, number[]>> = {
  browsermatch: [0],
  browsermatchnocase: [0],
  setenvif: [1],
  setenvifnocase: [1],
};

/** A check that refuses invalid regular expressions at these indices of words. */
function mustCompile(patternIndices: readonly number[]): ValueCheck {
  return ({ words }) => {
    for (const wordIndex of patternIndices) {
      const problem = wordIndex < words.length ? regexProblem(words[wordIndex]!) : undefined;
      if (problem)
        return {
          wordIndex,
          serverText: 'Regex could not be compiled',
          advice: `"${words[wordIndex]}" is not a valid regular expression: ${problem.message}.`,
        };
    }
    return null;
  };
}

/** Refuses a section tag without an argument. */
const refuseTagWithoutArgument: ValueCheck = ({ words, name }) =>
  words.length === 0
    ? { serverText: `<${name}> directive requires additional arguments`, advice: 'The section has no argument.' }
    : null;

/**
 * Checks the number of words as dirsection, urlsection and filesection of server/core.c do: one
 * word, or `~` and another word if the function accepts `~`.
 */
const checkArgumentCount: ValueCheck = ({ words, name }) => {
  const maxWords = words[0] === '~' && name !== 'locationmatch' && name !== 'filesmatch' ? 2 : 1;
  return words.length > maxWords
    ? {
        wordIndex: maxWords,
        serverText: `Multiple <${name}> arguments not (yet) supported.`,
        advice: 'The section takes one argument; one with a space in it needs quotes.',
      }
    : null;
};

/** Refuses an invalid regular expression after `~`. */
const checkPatternAfterTilde: ValueCheck = ({ words }) => {
  const problem = words[0] === '~' && words.length > 1 ? regexProblem(words[1]!) : undefined;
  return problem
    ? {
        wordIndex: 1,
        serverText: 'Regex could not be compiled',
        advice: `"${words[1]}" is not a valid regular expression: ${problem.message}.`,
      }
    : null;
};

/** Checks Listen as ap_set_listener of server/listen.c does. */
const checkListenAddress: ValueCheck = ({ words }) => {
  if (words.length < 1 || words.length > 2)
    return {
      serverText: 'Listen requires 1 or 2 arguments.',
      problem: 'it takes one or two arguments',
      advice: 'Listen takes an address and port, and the name of a protocol.',
    };
  const address = parseAddressAndPort(words[0]!);
  if (address === null)
    return {
      wordIndex: 0,
      serverText: 'Invalid address or port',
      advice: `"${words[0]}" is no address with a port from 1 to 65535.`,
    };
  if (address.port === 0)
    return {
      wordIndex: 0,
      serverText: 'Port must be specified',
      advice: 'Listen needs a port: 80, 192.0.2.1:80 or [2001:db8::1]:80.',
    };
  // Only IPv6 addresses are checked, and names that no host has. For a host name, the server
  // listens on the address that the C library returns.
  return (address.host?.startsWith('[') && !isPlainIpv6(address.host)) || address.host?.includes('${')
    ? { wordIndex: 0, serverText: 'Listen setup failed', advice: `"${words[0]}" is no address for the system.` }
    : null;
};

/** Checks the addresses of <VirtualHost> as get_addresses of server/vhost.c does. */
const checkVirtualHostAddress: ValueCheck = ({ words }) => {
  for (const [wordIndex, word] of words.entries()) {
    if (word === '') continue;
    const address = parseAddressAndPort(word.endsWith(':*') ? word.slice(0, -2) : word);
    if (address === null)
      return {
        wordIndex,
        serverText: 'The address or port is invalid',
        advice: `"${word}" is no address, or its port is none from 1 to 65535.`,
      };
    if (address.host === null)
      return {
        wordIndex,
        serverText: 'Missing address for VirtualHost',
        advice: `A port alone is no address: write *:${word}.`,
      };
  }
  return null;
};

/** Checks ServerName as server_hostname_port of server/core.c does. */
const checkServerName: ValueCheck = ({ words: [word = ''] }) => {
  const hostAndPort = word.slice(word.indexOf('://') < 0 ? 0 : word.indexOf('://') + 3);
  const colon = hostAndPort.indexOf(':');
  if (colon < 0 || /[*?[\]\\]/.test(word)) return null;
  const port = parseInt(hostAndPort.slice(colon + 1), 10) || 0;
  return port <= 0 || port >= 65536
    ? {
        wordIndex: 0,
        serverText: `The port number "${word}" is outside the appropriate range (i.e., 1..65535).`,
        advice: 'What follows the colon is to be a port from 1 to 65535.',
      }
    : null;
};

/**
 * Refuses root, as unixd_set_user of modules/arch/unix/mod_unixd.c does, which reads a number up to
 * its first non-digit (ap_uname2id). Only a build with BIG_SECURITY_HOLE accepts root, and no
 * package has such a build.
 */
const checkUser: ValueCheck = ({ words: [word = ''] }) => {
  const isRootUser = word === 'root' || (word.startsWith('#') && (parseInt(word.slice(1), 10) || 0) === 0);
  return isRootUser
    ? {
        wordIndex: 0,
        serverText: 'Error: Apache has not been designed to serve pages while running as root.',
        advice: `"${word}" is root: name another account.`,
      }
    : null;
};

/** Refuses ServerAlias outside of virtual hosts, as set_server_alias of server/core.c does. */
const checkServerAlias: ValueCheck = ({ place }) =>
  place.areAllPlacesKnown && (place.surroundingPlaces & ForbiddenIn.virtualHost) === 0
    ? {
        serverText: 'ServerAlias only used in <VirtualHost>',
        problem: 'it is allowed only in a virtual host',
        advice: 'Put it into the virtual host that it names.',
      }
    : null;

/**
 * Whether a surrounding section gives the line a path (cmd->path of httpd). Undefined if that is
 * uncertain.
 */
function hasPath(place: Place): boolean | undefined {
  if ((place.surroundingPlaces & ForbiddenIn.path) !== 0) return true;
  return place.areAllPlacesKnown ? false : undefined;
}

/** Checks Alias and ScriptAlias as add_alias of mod_alias.c does. */
const checkAlias: ValueCheck = ({ words, place, name }) => {
  const placeHasPath = hasPath(place);
  if ((words.length === 1 || words[1] === '') && placeHasPath === false)
    return {
      serverText: 'Alias must have two arguments when used globally',
      problem: 'an argument is missing',
      advice: 'Outside of a <Location> it needs the URL path and the file path.',
    };
  if (words.length === 2 && words[1] !== '' && placeHasPath === true)
    return {
      serverText: `${name} cannot occur within directory context`,
      advice: 'Within a <Location> it takes the file path alone.',
    };
  return null;
};

/** Checks Redirect and similar directives as add_redirect_internal of mod_alias.c does. */
const checkRedirect: ValueCheck = (lineToCheck) => {
  const placeHasPath = hasPath(lineToCheck.place);
  if (placeHasPath !== undefined) return refusalOfRedirect(lineToCheck, placeHasPath);
  return refusalOfRedirect(lineToCheck, true) && refusalOfRedirect(lineToCheck, false);
};

/** Directives of mod_alias whose status does not depend on their arguments. */
const DIRECTIVES_WITH_FIXED_STATUS: Readonly<Record<string, true>> = { redirecttemp: true, redirectpermanent: true };

/**
 * The refusal of a Redirect line. Null if httpd accepts the line. `placeHasPath`: whether a
 * surrounding section gives the line a path.
 */
function refusalOfRedirect({ words, name }: LineToCheck, placeHasPath: boolean): Refusal | null {
  const [first = '', second, third] = words;
  const isRegex = name === 'redirectmatch';
  const hasFixedStatus = DIRECTIVES_WITH_FIXED_STATUS[name] === true;
  let status = name === 'redirectpermanent' ? 301 : 302;
  // 0: the first word is no status. 1: it is a status with a target URL. -1: it is one without.
  let firstWordKind = 0;
  const statusByKeyword: Readonly<Record<string, number>> = { permanent: 301, temp: 302, seeother: 303, gone: 410 };
  const statusOfKeyword = statusByKeyword[first.toLowerCase()];
  if (statusOfKeyword !== undefined) {
    status = statusOfKeyword;
    firstWordKind = status === 410 ? -1 : 1;
  } else if (/^\d/.test(first)) {
    status = parseInt(first, 10);
    firstWordKind = isRedirectStatus(status) ? 1 : -1;
  }
  if (hasFixedStatus && words.length !== 2) return null;
  if (third !== undefined && firstWordKind === 0)
    return {
      wordIndex: 0,
      serverText: 'Redirect: invalid first argument (of three)',
      advice: `Of three arguments the first is the status: permanent, temp, seeother, gone or a number, not "${first}".`,
    };
  if (placeHasPath) {
    if (
      (firstWordKind > 0 && second !== undefined && third === undefined) ||
      (firstWordKind === 0 && second === undefined)
    )
      return null;
    if (firstWordKind < 0 && second === undefined) return null;
  }
  const [pattern, url] = third === undefined && firstWordKind === 0 ? [first, second] : [second, third];
  const patternIndex = third === undefined && firstWordKind === 0 ? 0 : 1;
  if (isRegex && pattern !== undefined) {
    const problem = regexProblem(pattern);
    if (problem)
      return {
        wordIndex: patternIndex,
        serverText: 'Regular expression could not be compiled.',
        advice: `"${pattern}" is not a valid regular expression: ${problem.message}.`,
      };
  }
  if (isRedirectStatus(status)) {
    if (url === undefined)
      return {
        serverText: 'URL to redirect to is missing',
        problem: 'the new URL is missing',
        advice: 'It needs the path of the old URL and the new URL.',
      };
    if (!isRegex && !isUrl(url) && !url.startsWith('/'))
      return {
        wordIndex: patternIndex + 1,
        serverText: 'Redirect to non-URL',
        advice: `"${url}" is neither a URL with its scheme nor a path that begins with /.`,
      };
  } else if (url !== undefined)
    return {
      wordIndex: patternIndex + 1,
      serverText: 'Redirect URL not valid for this status',
      advice: `With the status ${status} there is nowhere to go: leave the URL out.`,
    };
  return null;
}

/** Whether a status is that of a redirect. */
function isRedirectStatus(status: number): boolean {
  return status >= 300 && status < 400;
}

/** Whether ap_is_url of server/util.c takes the text for a URL. */
function isUrl(text: string): boolean {
  return /^[A-Za-z0-9+.-]+:/.test(text);
}

/** Checks Mutex as ap_parse_mutex and ap_set_mutex of server/util_mutex.c do. */
const checkMutex: ValueCheck = ({ words, modules }) => {
  if (words.length === 0 || words[0] === '')
    return {
      serverText: 'Mutex requires at least a mechanism argument',
      problem: 'an argument is missing',
      advice: 'Mutex default is what most servers need.',
    };
  const mechanism = words[0]!.split(':')[0]!.toLowerCase();
  if (!/^(none|no|default|yes|fcntl|file|flock|posixsem|sem|sysvsem|pthread)$/.test(mechanism))
    return {
      wordIndex: 0,
      serverText: `Invalid Mutex argument ${words[0]}`,
      advice: `"${words[0]}" is no mechanism: write default, flock, fcntl, file, pthread, sysvsem, posixsem, sem or none.`,
    };
  const types = providers('mutex', '2.4');
  const wrongIndex = words.findIndex(
    (word, index) => index > 0 && word.toLowerCase() !== 'omitpid' && word !== 'default' && !types.has(word),
  );
  const missingIndex = words.findIndex((word, index) => index > 0 && isProviderMissing('mutex', word, modules));
  if (missingIndex > 0)
    return {
      wordIndex: missingIndex,
      serverText: `Mutex type ${words[missingIndex]} is not valid`,
      advice: `It is a mutex of ${types.get(words[missingIndex]!)!.join(' or ')}, which is not loaded.`,
    };
  return wrongIndex > 0 && types.size > 0
    ? {
        wordIndex: wrongIndex,
        serverText: `Mutex type ${words[wrongIndex]} is not valid`,
        advice: `No module has a mutex "${words[wrongIndex]}".`,
      }
    : null;
};

/** Whether all modules that provide the name are known and none of them is loaded. */
function isProviderMissing(kind: ProviderKind, name: string, modules: ReadonlySet<string> | null): boolean {
  const providingModules = modules === null ? undefined : providers(kind, '2.4').get(name);
  return providingModules !== undefined && !providingModules.some((module) => modules!.has(module));
}

/** Kinds of providers whose names a configuration cannot define itself. */
const BUILT_IN_KINDS: ReadonlySet<ProviderKind> = new Set(['lbmethod', 'socache']);
/** Kinds of providers whose names are all known, because no third-party module provides any. */
const KINDS_WITH_KNOWN_PROVIDERS: ReadonlySet<ProviderKind> = new Set(['socache']);

/**
 * A check that refuses a provider if its module is not loaded, or for some kinds if no module of
 * httpd has this provider. `pick` returns the words that name providers. `$` in `serverText` is
 * replaced by the wrong word.
 */
function mustHaveProvider(
  kind: ProviderKind,
  pick: (words: readonly string[]) => readonly (readonly [wordIndex: number, name: string])[],
  serverText: string,
): ValueCheck {
  return ({ name: directiveName, words, modules, providers: configuredProviders }) => {
    for (const [wordIndex, name] of modules === null && !KINDS_WITH_KNOWN_PROVIDERS.has(kind) ? [] : pick(words)) {
      if (configuredProviders?.has(name)) continue;
      if (isProviderMissing(kind, name, modules))
        return {
          wordIndex,
          serverText: serverText.replace('$', () => name),
          advice: `"${name}" is provided by ${providers(kind, '2.4').get(name)!.join(' or ')}, which is not loaded.`,
        };
      if (
        (BUILT_IN_KINDS.has(kind) || (kind === 'authn' && configuredProviders !== null)) &&
        !providers(kind, '2.4').has(name) &&
        !(directiveName === 'sslsessioncache' && /^(none|nonenotnull)$/.test(name))
      )
        return {
          wordIndex,
          serverText: serverText.replace('$', () => name),
          advice: `No module of httpd provides "${name}".`,
        };
    }
    return null;
  };
}

/** Picks each word as the name of a provider. */
const pickAllWords = (words: readonly string[]) => words.map((word, wordIndex) => [wordIndex, word] as const);
/** Picks the text before the colon in the first word, in lower case. */
const pickWordBeforeColon = (words: readonly string[]) =>
  words.slice(0, 1).map((word, wordIndex) => [wordIndex, word.split(':')[0]!.toLowerCase()] as const);
/** Picks the values of `lbmethod=`. */
const pickBalancerMethods = (words: readonly string[]) =>
  words.flatMap((word, wordIndex) => (/^lbmethod=/i.test(word) ? [[wordIndex, word.slice(9)] as const] : []));

/**
 * The index and name of the provider in a Require line, after an optional `not` (add_authz_provider
 * of mod_authz_core.c).
 */
const pickRequireProvider = (words: readonly string[]) => {
  const wordIndex = /^not$/i.test(words[0] ?? '') ? 1 : 0;
  return words.length > wordIndex ? [[wordIndex, words[wordIndex]!] as const] : [];
};

/**
 * Refuses `Require ip` without a value, as ip_parse_config of mod_authz_host.c does, and a second
 * `not`.
 */
const checkRequireValue: ValueCheck = ({ words }) => {
  const providerIndex = /^not$/i.test(words[0] ?? '') ? 1 : 0;
  if (providerIndex === 1 && /^not$/i.test(words[1] ?? ''))
    return { wordIndex: 1, serverText: 'Unknown Authz provider: not', advice: 'One not is enough.' };
  if (words[providerIndex] !== 'ip') return null;
  return (words[providerIndex + 1] ?? '') === ''
    ? { wordIndex: providerIndex, serverText: "'require ip' requires an argument", advice: 'Write whom it lets in.' }
    : null;
};

/** Refuses a misspelled `all` before `granted` or `denied`. */
const checkRequireAll: ValueCheck = ({ words, modules }) => {
  const isMeant =
    words.length === 2 &&
    /^(granted|denied)$/i.test(words[1]!) &&
    /^(al|ll|a.l|al.|.ll|.all|a.ll|al.l|all.|lal|ala)$/.test(words[0]!) &&
    words[0] !== 'all';
  return isMeant && modules !== null
    ? { wordIndex: 0, serverText: `Unknown Authz provider: ${words[0]}`, advice: `Write Require all ${words[1]}.` }
    : null;
};

/**
 * Checks the methods of `Require method` as method_parse_config of mod_authz_core.c does: methods
 * are case-sensitive and must be registered.
 */
const checkRequireMethod: ValueCheck = ({ words, modules, providers: configuredMethods }) => {
  const wordIndex = /^not$/i.test(words[0] ?? '') ? 1 : 0;
  if (words[wordIndex] !== 'method') return null;
  // RegisterHttpMethod may add methods. But a method that differs by one letter from an existing
  // method is more likely a mistake.
  const isTypo = (word: string) =>
    modules !== null &&
    !HTTP_METHODS.has(word) &&
    configuredMethods?.has(word) !== true &&
    (configuredMethods !== null ||
      [...HTTP_METHODS].some((method) => method.length > 2 && isOneLetterAway(word, method)));
  const wrongIndex = words.findIndex(
    (word, index) => index > wordIndex && (word !== word.toUpperCase() || isTypo(word)),
  );
  if (wrongIndex < 0) return null;
  const capitals = words[wrongIndex]!.toUpperCase();
  return {
    wordIndex: wrongIndex,
    serverText: `Invalid Method '${words[wrongIndex]}'`,
    advice: HTTP_METHODS.has(capitals)
      ? `Methods are written in capitals: ${capitals}.`
      : 'There is no such method; methods are written in capitals.',
  };
};

/** Whether two words differ by one letter added, removed or replaced. */
export function isOneLetterAway(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let differenceIndex = 0;
  while (differenceIndex < a.length && a[differenceIndex] === b[differenceIndex]) differenceIndex++;
  return (
    a.slice(differenceIndex + 1) === b.slice(differenceIndex + 1) ||
    a.slice(differenceIndex + 1) === b.slice(differenceIndex) ||
    a.slice(differenceIndex) === b.slice(differenceIndex + 1)
  );
}

/**
 * Refuses arguments of <RequireAll> and similar tags, as add_authz_section of mod_authz_core.c
 * does.
 */
const refuseArguments: ValueCheck = ({ words, name }) =>
  words.length === 0
    ? null
    : {
        wordIndex: 0,
        serverText: `<${name}> directive doesn't take additional arguments`,
        advice: 'The tag has nothing but its name.',
      };

/** Refuses TRACE in <Limit>, as ap_limit_section of server/core.c does. */
const checkLimit: ValueCheck = ({ words, name }) => {
  const wordIndex = name === 'limit' ? words.indexOf('TRACE') : -1;
  return wordIndex < 0
    ? null
    : {
        wordIndex,
        serverText: 'TRACE cannot be controlled by <Limit>, see TraceEnable',
        advice: 'TraceEnable Off switches it off.',
      };
};

/** Checks that CacheEnable has a URL, as add_cache_enable of mod_cache.c does. */
const checkCacheEnable: ValueCheck = ({ words, place }) =>
  (words.length === 1 || words[1] === '') && hasPath(place) === false
    ? {
        wordIndex: 0,
        serverText: `CacheEnable provider (${words[0]}) is missing an URL.`,
        advice: 'Outside of a <Location> it needs the path to cache: CacheEnable disk /.',
      }
    : null;

/** Checks RequestReadTimeout as set_reqtimeouts of mod_reqtimeout.c does. */
const checkRequestReadTimeout: ValueCheck = ({ words }) => {
  for (const [wordIndex, word] of words.entries()) {
    if (word === '') return null;
    const timeoutMatch = /^(handshake|header|body)=(\+?\d+)(-\d+)?(,minrate=\+?\d+)?$/i.exec(word);
    if (timeoutMatch === null)
      return {
        wordIndex,
        serverText: `RequestReadTimeout: ${word}: …`,
        advice: `"${word}" is no time limit: write header=20-40,MinRate=500 or body=10.`,
      };
    if (timeoutMatch[3] !== undefined && timeoutMatch[4] === undefined)
      return {
        wordIndex,
        serverText: `RequestReadTimeout: ${word}: Must set MinRate option if using timeout range`,
        advice: 'A range needs a rate behind it: header=20-40,MinRate=500.',
      };
  }
  return null;
};

/**
 * Refuses words of RemoteIPTrustedProxy and RemoteIPInternalProxy that cannot be host names.
 * proxies_set of mod_remoteip.c looks names up, and so refuses such words, too.
 */
const checkTrustedProxy: ValueCheck = ({ words }) => {
  const wordIndex = words.findIndex(
    (word) => word.startsWith('#') || /^(\d{1,3}\.){3}\d{1,3}[A-Za-z]/.test(word) || isNoAddress(word),
  );
  return wordIndex < 0
    ? null
    : {
        wordIndex,
        serverText: `RemoteIP: Error parsing IP ${words[wordIndex]}`,
        advice: words[wordIndex]!.startsWith('#')
          ? 'Behind a directive there are no comments.'
          : `"${words[wordIndex]}" is no address.`,
      };
};

/** Whether a word consists of four numbers, as an address does, but one of them is out of range. */
function isNoAddress(word: string): boolean {
  return (
    /^-?\d+(\.-?\d+){3}$/.test(word) && word.split('.').some((part) => !/^\d{1,3}$/.test(part) || Number(part) > 255)
  );
}

/**
 * Checks CacheDirLevels and CacheDirLength as the functions of mod_cache_disk.c do: the value is
 * above 0.
 */
const checkCacheDirNumber: ValueCheck = ({ words: [number = ''], name }) => {
  const directiveName = name === 'cachedirlength' ? 'CacheDirLength' : 'CacheDirLevels';
  return (parseInt(number, 10) || 0) <= 0
    ? {
        wordIndex: 0,
        serverText: `${directiveName} value must be an integer greater than 0`,
        advice: 'Both together, multiplied, are at most 20.',
      }
    : null;
};

/** The letters of log formats that modules of httpd know. */
const LOG_LETTERS = new Set('haAlutfbBionLeVvpPHmqXCkrDTUsRIOScx');

/**
 * Checks a log format as parse_log_item of mod_log_config.c does. `hasOnlyHttpdModules`: whether
 * the server has no third-party modules, which may add letters to the formats. Null if the format
 * is accepted.
 */
function logFormatFault(format: string, hasOnlyHttpdModules: boolean): Omit<Refusal, 'wordIndex'> | null {
  for (let index = 0; index < format.length; index++) {
    if (format[index] !== '%') continue;
    index++;
    if (format[index] === '%') continue;
    for (;;) {
      const restOfFormat = format.slice(index);
      const skippedLength = /^(?:[!<>,]|\d+|\{[^}]*\}?)/.exec(restOfFormat)?.[0].length ?? 0;
      if (skippedLength === 0) break;
      index += skippedLength;
    }
    if (index >= format.length)
      return {
        serverText: 'Ran off end of LogFormat parsing args to some directive',
        problem: 'the format ends too early',
        advice: 'Something is missing behind a percent sign; write %% for one that is meant as it is.',
      };
    if (format[index] === '^') {
      if (!hasOnlyHttpdModules) return null;
      const formatItem = format.slice(index, index + 3);
      if (!['^ti', '^to', '^FB'].includes(formatItem))
        return {
          serverText: `Unrecognized LogFormat directive %${formatItem}`,
          advice: 'There is no such part of a format.',
        };
      index += 2;
    } else if (hasOnlyHttpdModules && !LOG_LETTERS.has(format[index]!))
      return {
        serverText: `Unrecognized LogFormat directive %${format[index]}`,
        advice: 'There is no such part of a format.',
      };
  }
  return null;
}

/** A check of the log format in the word at `index`. */
const logFormatCheck =
  (index: number): ValueCheck =>
  ({ words, modules }) => {
    const format = words[index];
    const fault = format === undefined ? null : logFormatFault(format, modules !== null);
    return fault && { wordIndex: index, ...fault };
  };

/** Checks ProxyPassReverse as add_pass_reverse of mod_proxy.c does. */
const checkProxyPassReverse: ValueCheck = ({ words, place }) => {
  const placeHasPath = hasPath(place);
  const second = words[1] as string | undefined;
  if (placeHasPath === true && second !== undefined && !/^interpolate$/i.test(second))
    return {
      wordIndex: 0,
      serverText: 'ProxyPassReverse can not have a path when defined in a location',
      advice: 'Within a <Location> it takes the URL alone.',
    };
  if (placeHasPath === false && second === undefined && words.length > 0)
    return {
      serverText: 'ProxyPassReverse needs a path when not defined in a location',
      problem: 'the path is missing',
      advice: 'Write the path, and the URL.',
    };
  return null;
};

/** Checks UserDir as set_user_dir of mod_userdir.c does. */
const checkUserDir: ValueCheck = ({ words }) =>
  (words[0] ?? '') === ''
    ? {
        serverText: 'UserDir requires an argument.',
        problem: 'an argument is missing',
        advice: 'Write the folder below each home, or disabled.',
      }
    : null;

/** Checks AddIcon and similar directives as add_icon of mod_autoindex.c does. */
const checkIcon: ValueCheck = ({ words: [word = ''] }) =>
  word.startsWith('(') && !word.includes(')')
    ? { wordIndex: 0, serverText: 'missing closing paren', advice: 'Write (ALT,/icons/name.gif).' }
    : null;

/**
 * Checks <IfVersion> as start_ifversion and compare_version of mod_version.c do. The table of
 * arguments has the operators.
 */
const checkIfVersion: ValueCheck = ({ words }) => {
  if (words.length > 2 || words.includes(''))
    return {
      serverText: "<IfVersion> directive missing closing '>'",
      problem: 'it takes only an operator and a version',
      advice: 'It takes an operator and a version, and nothing behind them.',
    };
  const operator = words.length === 2 ? words[0]!.replace(/^!/, '') : '=';
  const version = words.at(-1) ?? '';
  if (operator === '~') return null;
  if (/^==?$/.test(operator) && version.startsWith('/'))
    return version.length > 1 && version.endsWith('/')
      ? null
      : {
          wordIndex: words.length - 1,
          serverText: 'Missing delimiting / of regular expression.',
          advice: 'A regular expression stands between two slashes.',
        };
  return /^\d+(\.\d*){0,2}$/.test(version)
    ? null
    : {
        wordIndex: words.length > 0 ? words.length - 1 : undefined,
        serverText: 'Version appears to be invalid.',
        advice: 'A version is 2, 2.4 or 2.4.6, apart from its operator.',
      };
};

/** Checks the arguments of <Proxy> as proxysection of mod_proxy.c does. */
const checkProxySection: ValueCheck = ({ words }) => {
  if (words.length < 2) return null;
  if (/[*?[]/.test(words[0]!))
    return {
      wordIndex: 1,
      serverText: '<Proxy> arguments are not supported for wildchar url.',
      advice: 'Behind a URL with a wildcard nothing may follow.',
    };
  if (!words[0]!.includes(':'))
    return {
      wordIndex: 1,
      serverText: '<Proxy> arguments are not supported for non url.',
      advice:
        'Parameters follow a URL, as in <Proxy http://backend/ retry=5>; by a regular expression it is <ProxyMatch>.',
    };
  if (!words[0]!.includes('://'))
    return {
      wordIndex: 0,
      serverText: `<Proxy URL must be absolute!: ${words[0]}`,
      advice: 'Write the scheme, :// and the host.',
    };
  const wordIndex = words.findIndex((word, index) => index > 0 && !word.includes('='));
  if (wordIndex >= 0)
    return {
      wordIndex,
      serverText: "Invalid Proxy parameter. Parameter must be in the form 'key=value'",
      advice: 'Behind the URL there are only parameters, key=value.',
    };
  const unknownIndex = words.findIndex((word, index) => index > 0 && !isAcceptedByWorkerOrBalancer(words[0]!, word));
  return unknownIndex < 0
    ? null
    : {
        wordIndex: unknownIndex,
        advice: `"${words[unknownIndex]}" is no parameter, or has a value that it does not take.`,
      };
};

/** Checks the arguments of <ProxyMatch> as proxysection of mod_proxy.c does. */
const checkProxyMatchSection: ValueCheck = ({ words }) =>
  words.length > 1
    ? {
        wordIndex: 1,
        serverText: 'Multiple <ProxyMatch> arguments not (yet) supported.',
        advice: 'It takes one regular expression; put it in quotes where it has spaces.',
      }
    : null;

/** Checks AddOutputFilterByType as add_output_filter_by_type of mod_filter.c does. */
const checkFilterByType: ValueCheck = ({ words }) => {
  const startsWithType = words.length > 1 && /^[\w.+-]+\/[\w.+*-]+$/.test(words[0]!);
  if (startsWithType)
    return {
      wordIndex: 0,
      serverText: `Unknown filter provider ${words[0]}`,
      advice: 'The filter comes first: AddOutputFilterByType DEFLATE text/html.',
    };
  return refusalOfFilterArguments(words);
};

/** Refuses a line without a filter and a media type. */
const refusalOfFilterArguments = (words: readonly string[]): Refusal | null =>
  words.length < 2
    ? {
        serverText: 'AddOutputFilterByType requires at least two arguments',
        problem: 'an argument is missing',
        advice: 'Write the filter and the media types.',
      }
    : null;

/** Checks the parameters of ProxySet as set_proxy_param of mod_proxy.c does. */
const checkProxySet: ValueCheck = ({ words, place }) => {
  const firstPlainWord = words.findIndex((word) => !word.includes('='));
  if ((place.surroundingPlaces & ForbiddenIn.proxy) !== 0 && firstPlainWord >= 0)
    return { wordIndex: firstPlainWord, advice: 'Within <Proxy> there are only parameters, key=value.' };
  const unknownIndex = words.findIndex(
    (word) => word.includes('=') && !/^lbmethod=/i.test(word) && !isProxyParameter('proxyset', word),
  );
  if (unknownIndex >= 0)
    return {
      wordIndex: unknownIndex,
      advice: `"${words[unknownIndex]}" is no parameter of a member or a balancer, or has a value that it does not take.`,
    };
  if ((place.surroundingPlaces & ForbiddenIn.proxy) !== 0 || !place.areAllPlacesKnown || words.length === 0)
    return null;
  return words[0]!.includes('=')
    ? {
        wordIndex: 0,
        serverText: `ProxySet can not find '${words[0]}' Worker.`,
        advice: 'Outside of a <Proxy> section the URL of the member or the balancer comes first.',
      }
    : null;
};

/** Matches the actions of Header and RequestHeader. */
const HEADER_ACTION = /^(set|setifempty|add|append|merge|unset|echo|edit\*?|note)$/i;

/** Checks Header and RequestHeader as header_cmd and header_inout_cmd of mod_headers.c do. */
const checkHeader: ValueCheck = ({ words: allWords, name }) => {
  const isResponse = name === 'header';
  const skippedWordCount = isResponse && /^(always|onsuccess)$/i.test(allWords[0] ?? '') ? 1 : 0;
  const words = allWords.slice(skippedWordCount);
  const [action = '', field = ''] = words;
  let [, , value, substitution, clause] = words as (string | undefined)[];
  if (words.length > 5)
    return {
      wordIndex: skippedWordCount + 5,
      serverText: `${isResponse ? 'Header' : 'RequestHeader'} has too many arguments`,
      advice: 'A value with a space in it needs quotes.',
    };
  if (!HEADER_ACTION.test(action))
    return {
      wordIndex: allWords.length > skippedWordCount ? skippedWordCount : undefined,
      serverText:
        "first argument must be 'add', 'set', 'setifempty', 'append', 'merge', 'unset', 'echo', 'note', 'edit', or 'edit*'.",
      advice: 'Write what is to be done first.',
    };
  const actionName = action.toLowerCase();
  if (actionName === 'note' && !isResponse)
    return {
      wordIndex: skippedWordCount,
      serverText: "RequestHeader does not support the 'note' action",
      advice: 'Only Header has it.',
    };
  if (actionName === 'edit' || actionName === 'edit*') {
    if (substitution === undefined)
      return {
        serverText: 'Header edit requires a match and a substitution',
        problem: 'an argument is missing',
        advice: 'Write the regular expression, and what to put for what it matches.',
      };
    const problem = regexProblem(value!);
    if (problem)
      return {
        wordIndex: skippedWordCount + 2,
        serverText: 'Header edit regex could not be compiled',
        advice: `"${value}" is not a valid regular expression: ${problem.message}.`,
      };
  } else {
    if (clause !== undefined)
      return {
        wordIndex: skippedWordCount + 4,
        serverText: 'Too many arguments to directive',
        advice: 'A value with a space in it needs quotes.',
      };
    clause = substitution;
  }
  if (actionName === 'unset' || actionName === 'echo') {
    if (value !== undefined) {
      if (clause !== undefined)
        return {
          wordIndex: skippedWordCount + 3,
          serverText: `header ${actionName} takes two arguments`,
          advice: 'Behind the name only a condition may follow: early, env=… or expr=….',
        };
      clause = value;
      value = undefined;
    }
    if (actionName === 'echo' && !isResponse)
      return {
        wordIndex: skippedWordCount,
        serverText: 'Header echo only valid on Header directives',
        advice: 'Requests are echoed into the response.',
      };
    const problem = actionName === 'echo' ? regexProblem(field) : undefined;
    if (problem)
      return {
        wordIndex: skippedWordCount + 1,
        serverText: 'Header echo regex could not be compiled',
        advice: `"${field}" is not a valid regular expression: ${problem.message}.`,
      };
  } else if (value === undefined)
    return {
      serverText: 'Header requires three arguments',
      problem: 'the name or the value is missing',
      advice: 'Write the name of the header and its value.',
    };
  if (clause === undefined || /^early$/i.test(clause) || /^expr=/i.test(clause))
    return headerFormat(value, actionName, skippedWordCount + 2);
  const wordIndex = allWords.lastIndexOf(clause);
  if (/^env=!?$/i.test(clause))
    return {
      wordIndex,
      serverText: 'error: missing environment variable name.',
      advice: 'Write env=NAME or env=!NAME.',
    };
  return /^env=/i.test(clause)
    ? headerFormat(value, actionName, skippedWordCount + 2)
    : {
        wordIndex,
        serverText: `Unknown parameter: ${clause}`,
        advice:
          'Behind the value only a condition may follow: early, env=… or expr=…. A value with a space in it needs quotes.',
      };
};

/**
 * Checks the format of a value as parse_format_tag of mod_headers.c does. The letter `s` is always
 * accepted, although httpd knows it only with mod_ssl. Null if the value is accepted, or has no
 * such format.
 */
function headerFormat(value: string | undefined, action: string, wordIndex: number): Refusal | null {
  if (value === undefined || action.startsWith('edit') || /^expr=/i.test(value)) return null;
  const tagPattern = /%(%|\{[^}]*\}?)?([\s\S])?/g;
  for (let match = tagPattern.exec(value); match; match = tagPattern.exec(value)) {
    if (match[1] === '%') {
      tagPattern.lastIndex = match.index + 2;
      continue;
    }
    const letter = match[2];
    if (letter === undefined && match[1] === undefined) continue;
    if (letter === undefined || !'Dtlibes'.includes(letter))
      return {
        wordIndex,
        serverText: `Unrecognized header format %${letter ?? ''}`,
        advice: 'Write %% for a percent sign.',
      };
  }
  return null;
}

/**
 * Checks SetEnvIf and BrowserMatch as add_setenvif, add_browser and add_setenvif_core of
 * mod_setenvif.c do.
 */
const checkSetEnvIf: ValueCheck = ({ words, name }) => {
  const isBrowser = name.startsWith('browser');
  const patternIndex = isBrowser ? 0 : 1;
  const directiveName = (isBrowser ? 'BrowserMatch' : 'SetEnvIf') + (name.endsWith('nocase') ? 'NoCase' : '');
  if (!isBrowser && (words.length === 0 || words[0] === ''))
    return {
      serverText: `Missing header-field name for ${directiveName}`,
      advice: 'Write what to look at, the regular expression, and the variables.',
    };
  // As in is_header_regex of httpd, a name with a character other than a letter, digit, `-` or `_`
  // is a regular expression.
  const problem = !isBrowser && /[^\w-]/.test(words[0]!) ? regexProblem(words[0]!) : undefined;
  if (problem)
    return {
      wordIndex: 0,
      serverText: `${directiveName}Header name regex could not be compiled.`,
      advice: `"${words[0]}" is not a valid regular expression: ${problem.message}.`,
    };
  if (words.length <= patternIndex || words[patternIndex] === '')
    return {
      serverText: `Missing regular expression for ${directiveName}`,
      advice: 'Write the regular expression, and the variables to set.',
    };
  return words.length <= patternIndex + 1 || words[patternIndex + 1] === ''
    ? { serverText: `Missing envariable expression for ${directiveName}`, advice: 'Write the variables to set.' }
    : null;
};

/** Checks LogLevel as set_loglevel of server/core.c and ap_parse_log_level of server/log.c do. */
const checkLogLevel: ValueCheck = ({ words, modules: loadedModules }) => {
  const wordIndex = words.findIndex(
    (word) => word !== '' && !/^(?:[^:]*:)?(emerg|alert|crit|error|warn|notice|info|debug|trace[1-8])$/i.test(word),
  );
  const emptyWordIndex = words.indexOf('');
  // An unknown module may be compiled in, but a name that differs by one letter from a known module
  // is a mistake.
  const wrongModuleIndex =
    loadedModules === null
      ? -1
      : words.findIndex((word) => {
          const moduleName = /^([\w.]+):/.exec(word)?.[1] ?? '';
          return isMisspelledModule(moduleName) || isModuleAbsent(moduleName, loadedModules);
        });
  if (
    wrongModuleIndex >= 0 &&
    (wordIndex < 0 || wrongModuleIndex < wordIndex) &&
    (emptyWordIndex < 0 || wrongModuleIndex < emptyWordIndex)
  ) {
    const moduleName = words[wrongModuleIndex]!.split(':')[0]!;
    return {
      wordIndex: wrongModuleIndex,
      serverText: `Cannot find module ${moduleName}`,
      advice: isMisspelledModule(moduleName) ? 'No module is called so.' : 'The module is not loaded.',
    };
  }
  if (wordIndex < 0 || (emptyWordIndex >= 0 && emptyWordIndex < wordIndex)) return null;
  return {
    wordIndex,
    serverText: 'Log level keyword must be one of emerg/alert/crit/error/warn/notice/info/debug/trace1/.../trace8',
    advice: `"${words[wordIndex]}" is no level, and no module with one (ssl:info).`,
  };
};

/** The names of modules of 2.4 that LogLevel takes, such as `ssl`. Computed on first use. */
const shortModuleNames = lazy((): readonly string[] =>
  modulesOf().flatMap((each) => each['2.4']?.identifier?.replace(/_module$/, '') ?? []),
);

/**
 * Whether a word is not the name of a module for LogLevel (ap_find_module_short_name) but nearly
 * equals such a name.
 */
function isMisspelledModule(name: string): boolean {
  if (name.length < 4 || moduleOf(name) !== undefined || moduleOf(`${name}_module`) !== undefined) return false;
  return (
    !shortModuleNames().includes(name) &&
    shortModuleNames().some(
      (short) => short.length > 3 && !short.startsWith(name) && !name.startsWith(short) && isOneLetterAway(name, short),
    )
  );
}

/** Whether the name is that of a module of httpd 2.4 which the server does not have. */
function isModuleAbsent(name: string, loadedModules: ReadonlySet<string>): boolean {
  const module = moduleOf(name) ?? moduleOf(`${name}_module`) ?? moduleOf(`mod_${name}`);
  return module?.['2.4'] !== undefined && module.name.startsWith('mod_') && !loadedModules.has(module.name);
}

/**
 * Refuses providers that have no hash for Digest, as add_authn_provider of mod_auth_digest.c does.
 * The providers of mod_authnz_ldap and mod_authn_anon compare passwords.
 */
const checkDigestProvider: ValueCheck = ({ words }) => {
  const wordIndex = words.findIndex((word) => word === 'ldap' || word === 'anon');
  return wordIndex < 0
    ? null
    : {
        wordIndex,
        serverText: `The '${words[wordIndex]}' Authn provider doesn't support Digest Authentication`,
        advice: 'Use `AuthType Basic` with this provider, or another provider, such as file.',
      };
};

/** Checks the protocol in SSLCipherSuite as ssl_cmd_SSLCipherSuite of ssl_engine_config.c does. */
const checkCipherSuite: ValueCheck = ({ words }) =>
  words.length === 2 && !/^(ssl|tlsv1\.3)$/i.test(words[0]!)
    ? {
        wordIndex: 0,
        serverText: `protocol '${words[0]}' not supported`,
        advice: 'Of two arguments the first is SSL or TLSv1.3. A list of ciphers has colons and no spaces.',
      }
    : null;

/** Checks the internal maps of RewriteMap as cmd_rewritemap of mod_rewrite.c does. */
const checkRewriteMap: ValueCheck = ({ words: [, source = ''] }) => {
  const internalMap = /^int:(.*)$/is.exec(source)?.[1];
  if (internalMap === undefined || providers('rewriteInternalMaps', '2.4').has(internalMap)) return null;
  return {
    wordIndex: 1,
    serverText: `RewriteMap: internal map not found:${internalMap}`,
    advice: `The internal maps are ${[...providers('rewriteInternalMaps', '2.4').keys()].join(', ')}.`,
  };
};

/** The parameters (`key=value`) of each directive that takes some. Computed on first use. */
const proxyParameters = lazy(
  (): Readonly<Record<string, readonly Argument[]>> =>
    Object.fromEntries(
      ['balancermember', 'proxypass', 'proxyset'].map((each) => [
        each,
        argumentTable(each)?.arguments.at(-1)?.choices ?? [],
      ]),
    ),
);

/** Matches parameters that a balancer and a worker have. */
const PARAMETER_OF_BALANCER_AND_WORKER = /^timeout=/i;

/** Whether set_worker_param or set_balancer_param of mod_proxy.c accepts `key=value`. */
function isAcceptedByWorkerOrBalancer(url: string, word: string): boolean {
  const isOfWorker = isProxyParameter('balancermember', word);
  if (!/^balancer:/i.test(url)) return isOfWorker;
  return isProxyParameter('proxyset', word) && (!isOfWorker || PARAMETER_OF_BALANCER_AND_WORKER.test(word));
}

/**
 * Whether the table of directives/values.ts has `key=value` among the parameters of the directive
 * `name`.
 */
function isProxyParameter(name: string, word: string): boolean {
  const factor = /^loadfactor=(.*)$/is.exec(word)?.[1];
  if (factor !== undefined) return parseFloat(factor) >= 1 && parseFloat(factor) <= 100;
  const choices = proxyParameters()[name]!;
  const parameterKey = word.slice(0, word.indexOf('=') + 1).toLowerCase();
  const choicesOfKey = choices.filter((candidate) => candidate.key?.toLowerCase() === parameterKey);
  return (
    choices.length === 0 ||
    (choicesOfKey.length > 0 && choicesOfKey.some((candidate) => reasonOfValue(candidate, word) === null))
  );
}

/** Checks BalancerMember as add_member of mod_proxy.c does. */
const checkBalancerMember: ValueCheck = ({ words, place }) => {
  const placeHasPath = hasPath(place);
  if (placeHasPath === undefined) return null;
  const plainWordIndices = words.flatMap((word, wordIndex) => (word.includes('=') ? [] : [wordIndex]));
  const neededCount = placeHasPath ? 1 : 2;
  if (plainWordIndices.length === 0 && !placeHasPath)
    return {
      serverText: 'BalancerMember must define balancer name when outside <Proxy > section',
      problem: 'the name of the balancer is missing',
      advice: 'Write the balancer, and the URL of the member.',
    };
  if (plainWordIndices.length < neededCount)
    return {
      serverText: 'BalancerMember must define remote proxy server',
      problem: 'the URL of the member is missing',
      advice: 'Write the URL of the member.',
    };
  if (plainWordIndices.length > neededCount)
    return {
      wordIndex: plainWordIndices[neededCount],
      serverText: placeHasPath
        ? 'BalancerMember can not have a balancer name when defined in a location'
        : "Invalid BalancerMember parameter. Parameter must be in the form 'key=value'",
      advice: 'Behind the URL there are only parameters, key=value.',
    };
  const member = words[plainWordIndices[neededCount - 1]!]!;
  if (placeHasPath && (place.surroundingPlaces & ForbiddenIn.proxy) === 0)
    return {
      serverText: 'BalancerMember Bad syntax for a balancer name',
      problem: 'it does not name a balancer',
      advice:
        'It belongs into <Proxy "balancer://NAME">, or outside of all sections, with the name of the balancer first.',
    };
  if (!hasSchemeAndHost(member))
    return {
      wordIndex: plainWordIndices[neededCount - 1],
      serverText: `BalancerMember URL must be absolute!: ${member}`,
      advice: 'The member is a URL with its scheme and host.',
    };
  const wrongIndex = words.findIndex((word) => word.includes('=') && !isProxyParameter('balancermember', word));
  return wrongIndex < 0
    ? null
    : {
        wordIndex: wrongIndex,
        advice: `"${words[wrongIndex]}" is no parameter of a member, or has a value that it does not take.`,
      };
};

/** Checks ProxyPass and ProxyPassMatch as add_pass of mod_proxy.c does. */
const checkProxyPass: ValueCheck = ({ words: allWords, place, name }) => {
  const placeHasPath = hasPath(place);
  if (placeHasPath === undefined) return null;
  const words = allWords[0] === '~' && !placeHasPath ? allWords.slice(1) : allWords;
  const skippedCount = allWords.length - words.length;
  const targetIndex = placeHasPath ? 0 : 1;
  if (words.length <= targetIndex)
    return {
      serverText: 'ProxyPass|ProxyPassMatch needs a path when not defined in a location',
      problem: 'the path is missing',
      advice: 'Write the path, and the URL to pass it to.',
    };
  const wrongIndex = words.findIndex(
    (word, index) => index > targetIndex && !/^(nocanon|interpolate|noquery)$/i.test(word) && !word.includes('='),
  );
  if (wrongIndex > 0) return refusalOfParameter(wrongIndex + skippedCount);
  if (!placeHasPath && (name === 'proxypassmatch' || skippedCount > 0)) {
    const problem = regexProblem(words[0]!);
    if (problem)
      return {
        wordIndex: skippedCount,
        serverText: 'Regular expression could not be compiled.',
        advice: `"${words[0]}" is not a valid regular expression: ${problem.message}.`,
      };
  }
  const url = words[targetIndex]!;
  if (url === '!') return null;
  if (!hasSchemeAndHost(url))
    return {
      wordIndex: targetIndex + skippedCount,
      serverText: `ProxyPass URL must be absolute!: ${url}`,
      advice: 'Requests are passed to a URL with its scheme and host.',
    };
  const unknownIndex = words.findIndex(
    (word, index) =>
      index > targetIndex && word.includes('=') && !/^mapping=/i.test(word) && !isAcceptedByWorkerOrBalancer(url, word),
  );
  return unknownIndex < 0
    ? null
    : {
        wordIndex: unknownIndex + skippedCount,
        advice: `"${words[unknownIndex]}" is no parameter, or has a value that it does not take.`,
      };
};

/** The refusal of a word after the URL that is no parameter. */
function refusalOfParameter(wordIndex: number): Refusal {
  return {
    wordIndex,
    serverText: "Invalid ProxyPass|ProxyPassMatch parameter. Parameter must be in the form 'key=value'.",
    advice: 'Behind the URL there are only parameters, key=value.',
  };
}

/**
 * Whether apr_uri_parse finds a scheme and a host in a URL (ap_proxy_define_worker of
 * proxy_util.c).
 */
function hasSchemeAndHost(url: string): boolean {
  if (/^unix:/i.test(url)) return true;
  const authority = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#]*)/.exec(url)?.[1] ?? '';
  return /^[^:]/.test(authority.slice(authority.lastIndexOf('@') + 1));
}

/**
 * Checks the times of mod_expires as check_code of mod_expires.c does, which reads only the first
 * one or two letters of a word.
 */
const checkExpires: ValueCheck = ({ words, name }) => {
  const wordIndex = name === 'expiresbytype' ? 1 : 0;
  const code = words[wordIndex];
  const isInvalidCode =
    code !== undefined &&
    !/^[AM]/.test(code) &&
    !/^[nam]\S*(?:\s+p\S*)?(?:\s+\d\S*\s+(?:y|mo|w|d|h|mi|s)\S*)*\s*$/i.test(code);
  return isInvalidCode
    ? {
        wordIndex,
        serverText: 'bad expires code',
        advice: `"${code}" is no time: write A3600 or "access plus 1 month 2 days".`,
      }
    : null;
};

/** Checks the condition of CustomLog as add_custom_log of mod_log_config.c does. */
const checkCustomLog: ValueCheck = ({ words }) => {
  const wordIndex = 2;
  const clause = words[wordIndex];
  if (clause === undefined) return null;
  return /^(env|expr)=/i.test(clause)
    ? null
    : {
        wordIndex,
        serverText: 'error in condition clause',
        advice: 'The condition is env=NAME, env=!NAME or expr=…. A format with a space in it needs quotes.',
      };
};

/** Checks the status of ErrorDocument as set_error_document of server/core.c does. */
const checkErrorDocument: ValueCheck = ({ words: [status = '', document] }) => {
  const statusNumber = parseInt(status, 10) || 0;
  if (document === undefined || statusNumber === 500) return null;
  return KNOWN_STATUSES.has(statusNumber)
    ? null
    : {
        wordIndex: 0,
        serverText: `Unsupported HTTP response code ${status}`,
        advice: `"${status}" is no status that httpd knows.`,
      };
};

/**
 * Refuses a provider that begins with `#`, because it is from a comment after the arguments.
 * add_authn_provider of mod_auth_basic.c and similar functions know no such provider.
 */
const checkProvider: ValueCheck = ({ words }) => {
  const wordIndex = words.findIndex((word) => word.startsWith('#'));
  return wordIndex < 0
    ? null
    : {
        wordIndex,
        serverText: `Unknown Authn provider: ${words[wordIndex]}`,
        advice: 'Behind a directive there are no comments.',
      };
};

/**
 * The third-party module that provides each name. A server that has only modules of httpd has none
 * of these providers.
 */
const MODULE_OF_FOREIGN_PROVIDER: Readonly<Record<string, string>> = {
  external: 'mod_authnz_external',
  pam: 'mod_authnz_pam',
  yubikey: 'mod_authn_yubikey',
  sasl: 'mod_authn_sasl',
  mysql: 'mod_authn_mysql',
  'external-group': 'mod_authnz_external',
  'external-file-group': 'mod_authnz_external',
  'pam-account': 'mod_authnz_pam',
  'unix-group': 'mod_authz_unixgroup',
  'shib-session': 'mod_shib',
  'shib-user': 'mod_shib',
  'shib-attr': 'mod_shib',
  'shib-plugin': 'mod_shib',
  'cas-attribute': 'mod_auth_cas',
  claim: 'mod_auth_openidc',
  claims_expr: 'mod_auth_openidc',
};

/** The third-party module that contains a provider with this name; undefined if there is none. */
export function foreignProviderModule(name: string): string | undefined {
  return MODULE_OF_FOREIGN_PROVIDER[name.toLowerCase()];
}

/**
 * A check that refuses a provider of a third-party module on a server that has only modules of
 * httpd. `pick` returns the words that name providers. `$` in `serverText` is replaced by the wrong
 * word.
 */
function mustNotBeForeignProvider(
  pick: (words: readonly string[]) => readonly (readonly [wordIndex: number, name: string])[],
  serverText: string,
): ValueCheck {
  return ({ words, modules, providers: configuredProviders }) => {
    for (const [wordIndex, name] of modules === null ? [] : pick(words)) {
      const module = configuredProviders?.has(name) ? undefined : foreignProviderModule(name);
      if (module !== undefined)
        return {
          wordIndex,
          serverText: serverText.replace('$', () => name),
          advice: `"${name}" is provided by ${module}, which does not come with httpd and is not loaded.`,
        };
    }
    return null;
  };
}

/** Checks the provider of Dav as dav_cmd_dav of mod_dav.c does. */
const checkDav: ValueCheck = ({ words: [name = ''], modules }) =>
  modules === null || /^(on|off)$/i.test(name) || /^(fs|filesystem)$/.test(name)
    ? null
    : {
        wordIndex: 0,
        serverText: `Unknown DAV provider: ${name}`,
        advice:
          'httpd has the provider "filesystem"; others come with modules such as mod_dav_svn, which is not loaded.',
      };

/**
 * Checks VirtualDocumentRoot and similar directives as vhost_alias_set of mod_vhost_alias.c does.
 */
const checkVhostAlias: ValueCheck = ({ words: [mapPattern = ''] }) => {
  if (/^none$/i.test(mapPattern)) return null;
  if (!mapPattern.startsWith('/'))
    return {
      wordIndex: 0,
      serverText: "format string must be an absolute path, or 'none'",
      advice: 'The path begins with /.',
    };
  return mapPattern.replace(/%[p%]|%-?\d\+?(?:\.-?\d\+?|(?!\.))/g, '').includes('%')
    ? { wordIndex: 0, serverText: 'syntax error in format string', advice: 'Write %0, %1, %-1, %2.1, %p or %%.' }
    : null;
};

/** Refuses each Error line, as generate_error of server/core.c does. */
const checkError: ValueCheck = ({ words }) => ({
  serverText: words.join(' '),
  advice: 'The directive is there to stop the server.',
});

/** Checks RewriteBase as set_rewritebase of mod_rewrite.c does. */
const checkRewriteBase: ValueCheck = ({ words: [base = ''], place }) => {
  if (hasPath(place) === false)
    return {
      serverText: 'RewriteBase: only valid in per-directory config files',
      problem: 'it is allowed only in a directory',
      advice: 'Put it into a section or a .htaccess.',
    };
  if (hasPath(place) === undefined) return null;
  return base.startsWith('/')
    ? null
    : {
        wordIndex: 0,
        serverText: base === '' ? 'RewriteBase: empty URL not allowed' : 'RewriteBase: argument is not a valid URL',
        advice: 'The base is a path that begins with /.',
      };
};

/**
 * Refuses <IfModule>, <IfDefine> and similar tags without a condition, as start_cond_section of
 * server/core.c does.
 */
const checkCondition: ValueCheck = ({ words, name }) =>
  words.length === 0 || words[0] === ''
    ? { serverText: `<${name}> directive requires additional arguments`, advice: 'The condition is missing.' }
    : null;

/** The checks of sections for directories, files and URLs. */
const SECTION_CHECKS = [refuseTagWithoutArgument, checkArgumentCount, checkPatternAfterTilde];

/**
 * Checks <Macro> as macro_section and check_macro_arguments of mod_macro.c do. Words that begin
 * with a slash are flags. Null if the tag is accepted.
 */
function checkMacro({ words: [name, ...wordsAfterName] }: LineToCheck): Refusal | null {
  if (name === undefined) return { serverText: '<Macro macro definition: empty name', advice: 'A macro needs a name.' };
  if (name === '')
    return { wordIndex: 0, serverText: '<Macro macro definition: name not found', advice: 'A macro needs a name.' };
  const indexAfterFlags = wordsAfterName.findIndex((word) => !word.startsWith('/'));
  const firstParameterIndex = indexAfterFlags < 0 ? wordsAfterName.length : indexAfterFlags;
  const numberByParameter = new Map<string, number>();
  for (let wordIndex = firstParameterIndex; wordIndex < wordsAfterName.length; wordIndex++) {
    const parameter = wordsAfterName[wordIndex]!;
    const parameterNumber = wordIndex - firstParameterIndex + 1;
    if (parameter === '')
      return {
        wordIndex: wordIndex + 1,
        serverText: `empty argument #${parameterNumber} name`,
        advice: 'A parameter needs a name.',
      };
    const earlierNumber = numberByParameter.get(parameter);
    if (earlierNumber !== undefined)
      return {
        wordIndex: wordIndex + 1,
        serverText: `argument '${parameter}': #${earlierNumber} and #${parameterNumber}, change argument names!`,
        advice: 'Two parameters of a macro cannot have the same name.',
      };
    numberByParameter.set(parameter, parameterNumber);
  }
  return null;
}

/**
 * Matches what md_duration_parse of mod_md accepts: a number, optionally followed by a unit or the
 * beginning of a unit.
 */
const DURATION = /^[+-]?\d+(?:$|[dhs]|m[is])/i;
/** The advice for a word that is no time. */
const DURATION_ADVICE =
  'A time is a number with d, h, mi, s or ms behind it; without a unit the directive has its own.';

/** Checks MDStoreLocks as md_config_set_store_locks of mod_md does. */
const checkMdStoreLocks: ValueCheck = ({ words: [word = ''] }) =>
  /^(on|off)$/i.test(word) || microsecondsOf(word) !== null
    ? null
    : {
        wordIndex: 0,
        serverText: "neither 'on', 'off' or a duration specified",
        advice: `It is on, off or a time. ${DURATION_ADVICE}`,
      };

/** A check for directives of mod_md that take a time of at least `minValue` microseconds. */
const mustBeDuration =
  (minValue: bigint | null, serverText: string): ValueCheck =>
  ({ words: [word = ''] }) => {
    const value = microsecondsOf(word);
    if (value === null) return { wordIndex: 0, serverText: 'unrecognized duration format', advice: DURATION_ADVICE };
    if (minValue === null || value >= minValue) return null;
    const isOverflow = !word.startsWith('-') && value < 0n;
    return { wordIndex: 0, serverText, advice: `Write a ${isOverflow ? 'shorter' : 'longer'} time.` };
  };

/**
 * The microseconds of a time, as md_duration_parse of mod_md computes them: a product that does not
 * fit into 64 bits loses its upper bits, so it may be negative. Null if the text is no time, or if
 * its number does not fit into 64 bits.
 */
function microsecondsOf(text: string): bigint | null {
  if (!DURATION.test(text)) return null;
  const [, digits = '', unit = ''] = /^([+-]?\d+)(.*)/s.exec(text)!;
  const value = int64(digits);
  return value === null ? null : BigInt.asIntN(64, value * microsecondsOfUnit(unit.toLowerCase()));
}

/** The microseconds of a unit, or of the beginning of one. Without a unit, those of a second. */
function microsecondsOfUnit(unit: string): bigint {
  if (unit.startsWith('ms')) return 1000n;
  const seconds = unit.startsWith('d') ? 86_400 : unit.startsWith('h') ? 3600 : unit.startsWith('mi') ? 60 : 1;
  return BigInt(seconds) * 1_000_000n;
}

/** The number, as apr_strtoi64 reads it: 0 without digits. Null if it does not fit into 64 bits. */
function int64(digits: string): bigint | null {
  const value = BigInt(digits.replace(/^[+-]/, '') || 0) * (digits.startsWith('-') ? -1n : 1n);
  return BigInt.asIntN(64, value) === value ? value : null;
}

/**
 * Checks a time as md_timeslice_parse of mod_md does: a duration, or a percentage of the validity
 * period of a certificate.
 */
const checkMdTimeSlice: ValueCheck = ({ words: [word = ''] }) => {
  const percentDigits = /^\s*([+-]?\d*)%/.exec(word)?.[1];
  const percent = percentDigits === undefined ? null : int64(percentDigits);
  // mod_md keeps only the lower 32 bits of a percentage.
  const isPercentage = percent !== null && percent >= 0n && BigInt.asIntN(32, percent) < 100n;
  if (percentDigits === undefined ? microsecondsOf(word) !== null : isPercentage) return null;
  return {
    wordIndex: 0,
    advice: `It is a time, or a percentage below 100 of the time that the certificate is valid. ${DURATION_ADVICE}`,
  };
};

/**
 * The checks of this file, by the directive's name in lower case. The name of a section has its
 * `<`.
 */
const CHECKS_BY_NAME: Readonly<Record<string, readonly ValueCheck[]>> = {
  mdstorelocks: [checkMdStoreLocks],
  mdretrydelay: [mustBeDuration(1n, 'minimum delay must be greater than 0')],
  mdcheckinterval: [mustBeDuration(1_000_000n, 'check interval cannot be less than one second')],
  mdactivationdelay: [mustBeDuration(null, '')],
  mdinitialdelay: [mustBeDuration(0n, 'initial delay must not be negative')],
  mdrenewwindow: [checkMdTimeSlice],
  mdwarnwindow: [checkMdTimeSlice],
  mdstaplingkeepresponse: [checkMdTimeSlice],
  mdstaplingrenewwindow: [checkMdTimeSlice],
  '<directory': SECTION_CHECKS,
  '<directorymatch': SECTION_CHECKS,
  '<location': SECTION_CHECKS,
  '<locationmatch': SECTION_CHECKS,
  '<files': SECTION_CHECKS,
  '<filesmatch': SECTION_CHECKS,
  '<virtualhost': [refuseTagWithoutArgument, checkVirtualHostAddress],
  '<limit': [refuseTagWithoutArgument, checkLimit],
  '<limitexcept': [refuseTagWithoutArgument],
  '<requireall': [refuseArguments],
  '<requireany': [refuseArguments],
  '<requirenone': [refuseArguments],
  '<if': [refuseTagWithoutArgument],
  '<elseif': [refuseTagWithoutArgument],
  '<ifversion': [checkIfVersion],
  '<proxy': [checkProxySection],
  '<proxymatch': [checkProxyMatchSection],
  '<else': [
    ({ words }) =>
      words.length > 0
        ? { wordIndex: 0, serverText: '<Else> does not take an argument', advice: 'A condition belongs to <ElseIf>.' }
        : null,
  ],
  '<ifmodule': [checkCondition],
  '<ifdefine': [checkCondition],
  '<iffile': [checkCondition],
  '<ifdirective': [checkCondition],
  '<ifsection': [checkCondition],
  '<macro': [checkMacro],
  listen: [checkListenAddress],
  servername: [checkServerName],
  user: [checkUser],
  serveralias: [checkServerAlias],
  alias: [checkAlias],
  scriptalias: [checkAlias],
  redirect: [checkRedirect],
  redirectmatch: [checkRedirect],
  redirecttemp: [checkRedirect],
  redirectpermanent: [checkRedirect],
  mutex: [checkMutex],
  header: [checkHeader],
  requestheader: [checkHeader],
  setenvif: [checkSetEnvIf],
  setenvifnocase: [checkSetEnvIf],
  browsermatch: [checkSetEnvIf],
  browsermatchnocase: [checkSetEnvIf],
  loglevel: [checkLogLevel],
  sslciphersuite: [checkCipherSuite],
  rewritemap: [checkRewriteMap],
  balancermember: [checkBalancerMember],
  proxypass: [checkProxyPass, mustHaveProvider('lbmethod', pickBalancerMethods, 'ProxyPass unknown lbmethod')],
  proxypassmatch: [checkProxyPass],
  expiresdefault: [checkExpires],
  expiresbytype: [checkExpires],
  customlog: [checkCustomLog, logFormatCheck(1)],
  globallog: [checkCustomLog, logFormatCheck(1)],
  errordocument: [checkErrorDocument],
  authbasicprovider: [
    checkProvider,
    mustNotBeForeignProvider(pickAllWords, 'Unknown Authn provider: $'),
    mustHaveProvider('authn', pickAllWords, 'Unknown Authn provider: $'),
  ],
  authdigestprovider: [
    checkProvider,
    mustHaveProvider('authn', pickAllWords, 'Unknown Authn provider: $'),
    checkDigestProvider,
  ],
  authformprovider: [checkProvider, mustHaveProvider('authn', pickAllWords, 'Unknown Authn provider: $')],
  dav: [checkDav],
  virtualdocumentroot: [checkVhostAlias],
  virtualdocumentrootip: [checkVhostAlias],
  virtualscriptalias: [checkVhostAlias],
  virtualscriptaliasip: [checkVhostAlias],
  require: [
    mustNotBeForeignProvider(pickRequireProvider, 'Unknown Authz provider: $'),
    checkRequireValue,
    checkRequireMethod,
    checkRequireAll,
    mustHaveProvider('authz', pickRequireProvider, 'Unknown Authz provider: $'),
  ],
  sslsessioncache: [
    mustHaveProvider('socache', pickWordBeforeColon, "SSLSessionCache: '$' session cache not supported"),
  ],
  sslstaplingcache: [
    mustHaveProvider('socache', pickWordBeforeColon, "SSLStaplingCache: '$' stapling cache not supported"),
  ],
  authncachesocache: [mustHaveProvider('socache', pickWordBeforeColon, "Unknown socache provider '$'")],
  cachesocache: [mustHaveProvider('socache', pickWordBeforeColon, "Unknown socache provider '$'")],
  proxyset: [checkProxySet, mustHaveProvider('lbmethod', pickBalancerMethods, 'ProxySet: unknown lbmethod lbmethod=$')],
  addoutputfilterbytype: [
    checkFilterByType,
    mustHaveProvider(
      'outputFilters',
      (words) => (words.length > 0 ? words[0]!.split(';').map((name) => [0, name] as const) : []),
      'Unknown filter provider $',
    ),
  ],
  cacheenable: [checkCacheEnable],
  requestreadtimeout: [checkRequestReadTimeout],
  remoteiptrustedproxy: [checkTrustedProxy],
  remoteipinternalproxy: [checkTrustedProxy],
  userdir: [checkUserDir],
  addicon: [checkIcon],
  addiconbytype: [checkIcon],
  addiconbyencoding: [checkIcon],
  cachedirlength: [checkCacheDirNumber],
  cachedirlevels: [checkCacheDirNumber],
  logformat: [logFormatCheck(0)],
  proxypassreverse: [checkProxyPassReverse],
  error: [checkError],
  rewritebase: [checkRewriteBase],
};
