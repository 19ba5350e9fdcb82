/**
 * Checks for values that the functions of single modules refuse and that are not in the table of
 * directives/values.ts. Most checks compare one word with a pattern.
 * test/httpd/junk.slow.test.ts compares the results with a real server.
 */
import { commandNamed, ForbiddenIn } from '../directives/commands';
import { directive, providers } from '../directives/index';
import { regexProblem } from '../syntax/regex';
import { atoiResult, reasonOfValue } from './argument-values';
import { HTTP_METHODS } from './http-methods';
import type { LineToCheck, ValueCheck, Refusal } from './refusal';

/**
 * A check that refuses the word at `index` if it does not match `pattern`; an index of -1 means
 * every word. `$` in `serverText` is replaced by the word.
 */
function mustMatch(index: number, pattern: RegExp, serverText: string | undefined, advice: string): ValueCheck {
  return ({ words }) => {
    const wordIndex = words.findIndex((word, each) => (index < 0 || each === index) && !pattern.test(word));
    return wordIndex < 0
      ? null
      : {
          wordIndex,
          ...(serverText !== undefined && { serverText: serverText.replace('$', () => words[wordIndex]!) }),
          advice,
        };
  };
}

/** A check that refuses an empty word at `index`. */
const mustNotBeEmpty = (index: number, serverText: string, advice: string) =>
  mustMatch(index, /./s, serverText, advice);

/** The name of the directive, spelled as in the manual. */
const manualName = ({ name, isSection }: LineToCheck) => commandNamed(name, isSection)?.name.replace('<', '') ?? name;

// ---- Numbers ----

/** The digits at the beginning of a word, with their sign; `0` if there are none. */
const leadingNumber = (word: string) => /^\s*([+-]?\d+)/.exec(word)?.[1] ?? '0';

/**
 * A check that refuses numbers below `minimum`. It reads the digits at the beginning of the word as
 * a number of 64 bits; a word that begins with no digit is 0.
 */
const mustBeAtLeast =
  (minimum: bigint, serverText: string): ValueCheck =>
  ({ words: [word = ''] }) =>
    BigInt(leadingNumber(word).replace('+', '')) < minimum
      ? { wordIndex: 0, serverText, advice: `Write a number of at least ${minimum}.` }
      : null;

/** A check that refuses numbers above `maximum`. It reads the number as mustBeAtLeast does. */
const mustBeAtMost =
  (maximum: bigint, serverText: string): ValueCheck =>
  ({ words: [word = ''] }) =>
    BigInt(leadingNumber(word).replace('+', '')) > maximum
      ? { wordIndex: 0, serverText, advice: `Write a number of at most ${maximum}.` }
      : null;

/**
 * Checks AsyncRequestWorkerFactor as set_worker_factor of server/mpm/event does: a number that
 * strtod can read, with nothing after it.
 */
const checkWorkerFactor: ValueCheck = ({ words: [word = ''] }) => {
  if (!/^\s*[+-]?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|0x[\da-f]+|inf(?:inity)?|nan)$/i.test(word))
    return { wordIndex: 0, serverText: 'error parsing value', advice: `"${word}" is no number: write 2 or 1.5.` };
  return Number(word) <= 0
    ? {
        wordIndex: 0,
        serverText: 'AsyncRequestWorkerFactor argument must be a positive number',
        advice: 'Write a number above 0, such as 2 or 1.5.',
      }
    : null;
};

/** Checks AuthDigestShmemSize as set_shmem_size of mod_auth_digest.c does. */
const checkDigestMemorySize: ValueCheck = ({ words: [word = ''] }) => {
  const sizeMatch = /^\s*(?:([+-]?\d+)\s*)?(?:$|([bkm]))/i.exec(word);
  if (!sizeMatch)
    return {
      wordIndex: 0,
      serverText: `Invalid size in AuthDigestShmemSize: ${word}`,
      advice: 'Write a number of bytes, or a number with K or M.',
    };
  const digits = sizeMatch[1] ?? '0';
  // The minimum is the size of a structure of httpd in bytes: 88 on machines with 64 bits.
  return Number(digits) < 1 || (Number(digits) < 88 && !/[km]/i.test(sizeMatch[2] ?? ''))
    ? {
        wordIndex: 0,
        serverText: `size in AuthDigestShmemSize too small: ${digits}`,
        advice: 'Write a number of at least 1000.',
      }
    : null;
};

/** Whether ap_timeout_parameter_parse (server/util.c) accepts the word. */
const isTimeValue = (word: string) => reasonOfValue({ label: 'time', kinds: ['time'] }, word) === null;

/** Checks WatchdogInterval as wd_cmd_watchdog_int of mod_watchdog.c does. */
const checkWatchdogInterval: ValueCheck = ({ words: [word = ''] }) => {
  const [, digits = '0', unit = 's'] = /^([+-]?\d+)?(ms|s|mi|h)?/i.exec(word) ?? [];
  if (!isTimeValue(word))
    return {
      wordIndex: 0,
      serverText: 'Unparse-able WatchdogInterval setting',
      advice: 'Write a time such as 1, 500ms or 2s.',
    };
  return Number(digits) * (unit.toLowerCase() === 'ms' ? 1 : 1000) < 100
    ? {
        wordIndex: 0,
        serverText: 'Invalid WatchdogInterval: minimal value 100ms',
        advice: 'Write a time of at least 100ms.',
      }
    : null;
};

/**
 * Checks HeartbeatMaxServers as cmd_hm_maxworkers of mod_heartmonitor.c does, which reads the
 * number as atoi() does.
 */
const checkHeartbeatServers: ValueCheck = ({ words: [word = ''] }) => {
  const serverCount = atoiResult(leadingNumber(word));
  return serverCount !== 0 && serverCount < 10
    ? {
        wordIndex: 0,
        serverText: 'HeartbeatMaxServers: Should be 0 for file storage, or greater or equal than 10 for slotmem',
        advice: 'Write 0, or a number of at least 10.',
      }
    : null;
};

// ---- Addresses and URLs ----

/**
 * Whether apr_ipsubnet_create (srclib/apr/network_io/unix/sockaddr.c) accepts the word: an address
 * or the beginning of one, and a mask.
 */
export function isSubnet(word: string): boolean {
  const [address = '', mask, ...more] = word.split('/');
  if (more.length > 0) return false;
  if (address.includes(':')) {
    const isAddress = /^[\da-f:.]+$/i.test(address) && (address.match(/:/g) ?? []).length >= 2;
    return isAddress && (mask === undefined || (/^\d+$/.test(mask) && Number(mask) <= 128 && Number(mask) > 0));
  }
  const addressParts = address.split('.');
  if (addressParts.at(-1) === '' && addressParts.length > 1) addressParts.pop();
  const isAddress =
    addressParts.length <= 4 && addressParts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
  if (!isAddress) return false;
  if (mask === undefined) return true;
  return /^\d+$/.test(mask)
    ? Number(mask) <= 32 && Number(mask) > 0
    : /^\d{1,3}(\.\d{1,3}){3}$/.test(mask) && mask.split('.').every((part) => Number(part) <= 255);
}

/** Checks RemoteIPProxyProtocolExceptions as remoteip_disable_networks of mod_remoteip.c does. */
const checkRemoteIpExceptions: ValueCheck = ({ words }) => {
  const wordIndex = words.findIndex((word) => !isSubnet(word));
  return wordIndex < 0
    ? null
    : {
        wordIndex,
        serverText: `ip address '${words[wordIndex]!.split('/')[0]}' appears to be invalid`,
        advice: `"${words[wordIndex]}" is no address and no network.`,
      };
};

/**
 * Checks RemoteIPInternalProxy and RemoteIPTrustedProxy. proxies_set of mod_remoteip.c looks up a
 * word in the DNS if the word is no address. This check refuses words with characters that no name
 * can have, and with masks that no network can have.
 */
const checkTrustedNetwork: ValueCheck = ({ words }) => {
  const wordIndex = words.findIndex((word) => {
    const [address = '', mask, ...more] = word.split('/');
    const isHost = /^[\w-]+(\.[\w-]+)*\.?$/.test(address) || (/^[\da-f:.]+$/i.test(address) && /:.*:/.test(address));
    return !isHost || more.length > 0 || (mask !== undefined && !isSubnet(`${address}/${mask}`));
  });
  return wordIndex < 0
    ? null
    : {
        wordIndex,
        serverText: `RemoteIP: Error parsing IP ${words[wordIndex]}`,
        advice: `"${words[wordIndex]}" is no address and no network.`,
      };
};

/** A check that refuses a host and a port that apr_parse_addr_port cannot read. */
const checkHostAndPort =
  (address: string): ValueCheck =>
  (lineToCheck) => {
    const [word = ''] = lineToCheck.words;
    const directiveName = manualName(lineToCheck);
    if (/^\d+$/.test(word))
      return {
        wordIndex: 0,
        serverText: `${directiveName}: No host provided in address`,
        advice: 'Write the host and the port.',
      };
    const port = Number(/:(\d+)$/.exec(word)?.[1] ?? 1);
    const isUnreadableAddress =
      port > 65535 || port === 0 || word.startsWith(':') || (word.startsWith('[') && !word.includes(']'));
    if (isUnreadableAddress)
      return {
        wordIndex: 0,
        serverText: `${directiveName}: Unable to parse ${address}.`,
        advice: 'Write the host, a colon and a port from 1 to 65535.',
      };
    return /:\d+$/.test(word)
      ? null
      : {
          wordIndex: 0,
          serverText: `${directiveName}: No port provided in ${address}`,
          advice: 'Write the host, a colon and the port.',
        };
  };

/** Checks ProxyRemote and ProxyRemoteMatch as add_proxy and add_proxy_regex of mod_proxy.c do. */
const checkRemoteProxy: ValueCheck = (lineToCheck) => {
  const [, url = ''] = lineToCheck.words;
  const directiveName = lineToCheck.name === 'proxyremote' ? 'ProxyRemote' : 'ProxyRemoteMatch';
  const serverText = `${directiveName}: Bad syntax for a remote proxy server`;
  const colonIndex = url.indexOf(':');
  if (colonIndex < 0 || url.slice(colonIndex + 1, colonIndex + 3) !== '//' || url.length === colonIndex + 3)
    return { wordIndex: 1, serverText, advice: 'Write the scheme, :// and the host.' };
  const port = /:([^:]*)$/.exec(url.slice(colonIndex + 3))?.[1];
  return port !== undefined && !/^\d/.test(port)
    ? { wordIndex: 1, serverText: `${serverText} (bad port number)`, advice: 'A number has to follow the last colon.' }
    : null;
};

/**
 * Checks CacheKeyBaseURL as mod_cache.c does: apr_uri_parse must find a part of a URL in the word.
 */
const checkCacheKeyBaseUrl: ValueCheck = ({ words: [url = ''] }) =>
  /^(?:\/\/|[A-Za-z][\w+.-]*:)/.test(url)
    ? null
    : {
        wordIndex: 0,
        serverText: url.includes(':')
          ? `Could not parse '${url}' as an URL.`
          : `URL '${url}' must contain at least one of a scheme, a hostname or a port.`,
        advice: 'Write a URL with its scheme and host.',
      };

/**
 * Checks AuthLDAPURL as apr_ldap_url_parse of apr-util does: the scheme, and the scope after the
 * attributes.
 */
const checkLdapUrl: ValueCheck = ({ words: [url = ''] }) => {
  if (!/^<?(?:URL:)?ldap[si]?:\/\//i.test(url))
    return {
      wordIndex: 0,
      serverText: 'The scheme was not recognised as a valid LDAP URL scheme.',
      advice: 'The URL begins with ldap:// or ldaps://.',
    };
  const scope = url.split('?')[2];
  return scope === undefined || /^(?:one|onelevel|base|sub|subtree|subordinate|children)?>?$/i.test(scope)
    ? null
    : {
        wordIndex: 0,
        serverText: 'Bad scope encountered while parsing LDAP URL.',
        advice: `"${scope}" is no scope: write one or sub.`,
      };
};

// ---- Caches ----

/**
 * Checks shared memory caches as ap_socache_shmcb_create of mod_socache_shmcb.c does: a path, and a
 * size in parentheses.
 */
const checkSharedMemoryCache: ValueCheck = (lineToCheck) => {
  const argument = /^shmcb:(.+)$/is.exec(lineToCheck.words[0] ?? '')?.[1];
  if (argument === undefined) return null;
  const messageStart = `${manualName(lineToCheck)}: Invalid argument: `;
  const parenthesisIndex = argument.indexOf('(');
  const sizeText = parenthesisIndex < 0 ? undefined : argument.slice(parenthesisIndex + 1);
  const refusalWith = (serverText: string): Refusal => ({
    wordIndex: 0,
    serverText: messageStart + serverText,
    advice: 'Write the file and the size in bytes, as in shmcb:/run/httpd/cache(512000).',
  });
  if (sizeText === undefined) return argument.endsWith(')') ? refusalWith('no opening parenthesis') : null;
  if (sizeText.length < 2 || !sizeText.endsWith(')'))
    return refusalWith('no closing parenthesis or cache size missing after pathname with parenthesis');
  const bytes = parseInt(sizeText, 10) || 0;
  if (bytes < 8192) return refusalWith('size has to be >= 8192 bytes');
  return bytes >= 4294967295 ? refusalWith('size has to be < 4294967295 bytes on this platform') : null;
};

/** Checks CacheDisable as add_cache_disable of mod_cache.c does. */
const checkCacheDisable: ValueCheck = ({ words: [word = ''], place }) =>
  (place.surroundingPlaces & ForbiddenIn.path) !== 0 && !/^on$/i.test(word)
    ? {
        wordIndex: 0,
        serverText: "CacheDisable must be followed by the word 'on' when in a Location.",
        advice: 'Write CacheDisable on.',
      }
    : null;

/**
 * Checks CacheEnable as add_cache_enable of mod_cache.c does, but does not use the path of the
 * surrounding section, which is not known here.
 */
const checkCacheEnableInSection: ValueCheck = ({ words: [provider = '', url], place }) => {
  if (provider.startsWith('/'))
    return {
      wordIndex: 0,
      serverText: `provider (${provider}) starts with a '/'.  Are url and provider switched?`,
      advice: 'Write the provider first, such as disk.',
    };
  return (place.surroundingPlaces & ForbiddenIn.path) !== 0 && url !== undefined && url !== '' && !url.includes('/')
    ? {
        wordIndex: 1,
        serverText: 'When in a Location, CacheEnable must specify a path or an URL below that location.',
        advice: 'Leave the second argument out.',
      }
    : null;
};

/**
 * Checks CacheDirLevels and CacheDirLength as the functions of mod_cache_disk.c do. The product of
 * both values must be at most 20, and each is at least 1, so neither may be above 20.
 */
const checkCacheLevelsOrLength: ValueCheck = ({ words: [word = ''] }) =>
  (parseInt(word, 10) || 0) > 20
    ? {
        wordIndex: 0,
        serverText: 'CacheDirLevels*CacheDirLength value must not be higher than 20',
        advice: 'Both together, multiplied, are at most 20.',
      }
    : null;

// ---- Words with several parts ----

/**
 * Checks CookieExpires as set_cookie_exp of mod_usertrack.c does: seconds, or pairs of a number and
 * a unit.
 */
const checkCookieExpires: ValueCheck = ({ words: [text = ''] }) => {
  if (/^\d(?:.*\d)?$/s.test(text)) return null;
  const refusalWith = (serverText: string): Refusal => ({
    wordIndex: 0,
    serverText,
    advice: 'Write seconds, or a time such as "2 weeks 3 days".',
  });
  const codeWords = text.split(/\s+/).filter(Boolean);
  if (/^p/i.test(codeWords[0] ?? '')) codeWords.shift();
  for (let wordIndex = 0; wordIndex < codeWords.length; wordIndex += 2) {
    if (!/^\d/.test(codeWords[wordIndex]!)) return refusalWith('bad expires code, numeric value expected.');
    const unit = codeWords[wordIndex + 1];
    if (unit === undefined) return refusalWith('bad expires code, missing <type>');
    if (!/^(?:y|mo|w|d|h|mi|s)/i.test(unit)) return refusalWith('bad expires code, unrecognized type');
  }
  return null;
};

/** Checks CookieDomain as set_cookie_domain of mod_usertrack.c does. */
const checkCookieDomain: ValueCheck = ({ words: [domain = ''] }) =>
  !domain.startsWith('.')
    ? {
        wordIndex: 0,
        serverText: 'CookieDomain values must begin with a dot',
        advice: `Write .${domain} for all its hosts.`,
      }
    : !domain.includes('.', 1)
      ? {
          wordIndex: 0,
          serverText: 'CookieDomain values must contain at least one embedded dot',
          advice: 'Write a domain such as .example.com.',
        }
      : null;

/** Checks SubstituteMaxLineLength as set_max_line_length of mod_substitute.c does. */
const checkSubstituteLineLength: ValueCheck = ({ words: [word = ''] }) => {
  const [, digits, unit = ''] = /^\s*\+?(\d+)([bkmg]?)$/i.exec(word) ?? [];
  const isWholeNumber = digits !== undefined && BigInt(digits) < 2n ** 63n;
  const shift = 10n * BigInt('bkmg'.indexOf(unit.toLowerCase() || 'b'));
  if (isWholeNumber && BigInt(digits) << shift < 2n ** 63n) return null;
  return {
    wordIndex: 0,
    serverText: isWholeNumber
      ? 'SubstituteMaxLineLength value too large'
      : "SubstituteMaxLineLength must be a non-negative integer optionally suffixed with 'b', 'k', 'm' or 'g'.",
    advice: 'Write 5m for 5 MiB.',
  };
};

/** Checks Substitute as set_pattern of mod_substitute.c does. */
const checkSubstitute: ValueCheck = ({ words: [pattern = ''] }) => {
  const refusalWith = (serverText: string, advice = 'Write s/pattern/replacement/.'): Refusal => ({
    wordIndex: 0,
    serverText,
    advice,
  });
  if (!/^s/i.test(pattern)) return refusalWith('Bad Substitute format, must be an s/// pattern');
  const delimiter = pattern[1];
  const afterFirstDelimiter = pattern.slice(2);
  const patternEnd = delimiter === undefined ? -1 : afterFirstDelimiter.indexOf(delimiter);
  const substitutePattern = patternEnd < 0 ? afterFirstDelimiter : afterFirstDelimiter.slice(0, patternEnd);
  if (delimiter === undefined || substitutePattern === '' || patternEnd < 0)
    return refusalWith('Bad Substitute format, must be a complete s/// pattern');
  const afterSecondDelimiter = afterFirstDelimiter.slice(patternEnd + 1);
  const flags = afterSecondDelimiter.includes(delimiter)
    ? afterSecondDelimiter.slice(afterSecondDelimiter.indexOf(delimiter) + 1)
    : '';
  if (!/^[infq]*$/i.test(flags))
    return refusalWith('Bad Substitute flag, only s///[infq] are supported', 'The flags are i, n, f and q.');
  const problem = /n/i.test(flags) ? undefined : regexProblem(substitutePattern);
  return problem
    ? refusalWith(
        'Substitute could not compile regex',
        `"${substitutePattern}" is not a valid regular expression: ${problem.message}.`,
      )
    : null;
};

/**
 * Checks InputSed and OutputSed as sed_compile_string of modules/filters/sed0.c does, but only the
 * first command after its line numbers.
 */
const checkSed: ValueCheck = ({ words: [script = ''] }) => {
  // One or two line numbers may come before the command; `$` is the last line.
  const address = /^[\s;]*(?:\d+|\$)(?:,(?:\d+|\$))?\s*/.exec(script)?.[0];
  const commandText = script.slice(address?.length ?? 0).replace(/^[\s;]*!*/, '');
  const letter = commandText[0];
  if (letter === undefined) return /^[\s;]*$/.test(script) ? null : refusalOfSed(`unrecognized command: ${script}`);
  // The text of the commands a, c and i must be on the next line. A word has only one line, so sed
  // refuses these commands.
  if (/[aci]/.test(letter)) return refusalOfSed(`command garbled: ${script}`);
  if (letter === 's') return sedSubstitution(script, commandText);
  if (letter === ':' && /^: *$/.test(commandText)) return refusalOfSed('duplicate labels: ');
  if (/[:bt]/.test(letter))
    return commandText.slice(1).trimStart().length > 7 ? refusalOfSed(`label too long: ${script}`) : null;
  if (letter === 'r' && commandText[1] !== ' ') return refusalOfSed(`command garbled: ${script}`);
  if (letter === 'w' && commandText[1] !== ' ') return refusalOfSed(`space missing before filename: ${script}`);
  if (letter === '}' && address === undefined) return refusalOfSed("too many }'s");
  if (
    letter === 'y' &&
    commandText.length > 1 &&
    commandText.split(commandText[1]!).length < 4 &&
    !commandText.includes('\\')
  )
    return refusalOfSed(`ending delimiter missing on string: ${script}`);
  if (commandText.startsWith('//')) return refusalOfSed('first RE may not be null');
  if (/[/\\${}#rwy]/.test(letter)) return null;
  if (/[=dDgGhHlnNpPqx]/.test(letter))
    return /^.(?:$|;)/.test(commandText) ? null : refusalOfSed(`command garbled: ${script}`);
  return refusalOfSed(`unrecognized command: ${script}`);
};

/**
 * Checks the command s of sed: its pattern, its replacement, and its flags. Null if sed accepts it.
 */
function sedSubstitution(script: string, text: string): Refusal | null {
  const delimiter = text[1];
  if (delimiter === undefined) return null;
  const replacementStart = indexAfterDelimiter(text, 2, delimiter, true);
  if (replacementStart < 0) return refusalOfSed(`Illegal or missing delimiter: ${script}`);
  const flagsStart = indexAfterDelimiter(text, replacementStart, delimiter, false);
  if (flagsStart < 0) return refusalOfSed(`ending delimiter missing on substitution: ${script}`);
  return /^g?(?:[1-9]\d*)?p?P?(?:$|;|w)/.test(text.slice(flagsStart))
    ? null
    : refusalOfSed(`command garbled: ${script}`);
}

/**
 * The index after the next delimiter; -1 if there is none. If `isPattern`, a delimiter within a
 * character class does not count.
 */
function indexAfterDelimiter(text: string, start: number, delimiter: string, isPattern: boolean): number {
  for (let index = start; index < text.length; index++) {
    if (text[index] === delimiter) return index + 1;
    if (text[index] === '\\') index++;
    else if (isPattern && text[index] === '[') {
      const classEnd = text.indexOf(']', index + (text[index + 1] === '^' ? 3 : 2));
      if (classEnd < 0) return -1;
      index = classEnd;
    }
  }
  return -1;
}

/** The refusal of a script of sed. `serverText`: the reason in the message of httpd. */
function refusalOfSed(serverText: string): Refusal {
  return {
    wordIndex: 0,
    serverText: `Failed to compile sed expression. ${serverText}`,
    advice: 'Write a command of sed, such as s/old/new/g.',
  };
}

/**
 * Checks that ErrorLogFormat contains the message, as set_errorlog_format of server/core.c does.
 */
const checkErrorLogFormat: ValueCheck = ({ words }) =>
  words.length === 1 && !/%[-+\d]*(?:\{[^}]*\}[-+\d]*)?M/.test(words[0]!)
    ? {
        wordIndex: 0,
        serverText: "main ErrorLogFormat must contain message format string '%M'",
        advice: 'Put %M where the message is to be.',
      }
    : null;

/**
 * Refuses words of HttpProtocolOptions that exclude each other, as set_http_protocol_options of
 * server/core.c does.
 */
const checkProtocolOptions: ValueCheck = ({ words }) => {
  for (const [first, second] of [
    ['Strict', 'Unsafe'],
    ['RegisteredMethods', 'LenientMethods'],
    ['Allow0.9', 'Require1.0'],
  ] as const) {
    const wordIndex = [first, second].map((name) =>
      words.findIndex((word) => word.toLowerCase() === name.toLowerCase()),
    );
    if (wordIndex.every((index) => index >= 0))
      return {
        wordIndex: Math.max(...wordIndex),
        serverText: `HttpProtocolOptions '${first}' and '${second}' are mutually exclusive`,
        advice: 'Keep one of the two words.',
      };
  }
  return null;
};

/**
 * Matches a URL scheme and a colon at the beginning of a word. A single letter is no scheme, but a
 * drive of Windows.
 */
const SCHEME_AT_START = /^[A-Za-z][\w+.-]+:/;

/**
 * Checks SSLRandomSeed. ssl_cmd_SSLRandomSeed of ssl_engine_config.c reads an unknown scheme as
 * part of a file name, so this check refuses unknown schemes.
 */
const checkRandomSeed: ValueCheck = ({ words }) => {
  const [, source = '', bytes] = words;
  if (SCHEME_AT_START.test(source) && !/^(?:file|exec|egd):/.test(source))
    return {
      wordIndex: 1,
      advice: 'Write builtin, file: and a path, or exec: and a program.',
    };
  return refusalOfSeedBytes(words, bytes);
};

/**
 * Refuses a number of bytes after `builtin`. `words`: the arguments of SSLRandomSeed. `bytes`: the
 * third of them.
 */
const refusalOfSeedBytes = (words: readonly string[], bytes: string | undefined): Refusal | null =>
  words[1]?.toLowerCase() === 'builtin' && bytes !== undefined
    ? {
        wordIndex: 2,
        serverText: 'SSLRandomSeed: byte specification not allowed for builtin seed source',
        advice: 'Leave the number out.',
      }
    : null;

// ---- Providers and filters ----

/**
 * Checks that the provider which gets an alias exists, as authaliassection of mod_authn_core.c and
 * authz_alias_section of mod_authz_core.c do.
 */
const checkAliasProvider =
  (kind: 'authn' | 'authz', label: string): ValueCheck =>
  ({ words, modules, providers: configuredProviders, name }) => {
    const [provider = '', alias = ''] = words;
    if (words.length < 2 || alias === '')
      return {
        serverText: `<${name}> directive requires additional arguments`,
        advice: 'Write the provider, and the new name.',
      };
    if (provider.toLowerCase() === alias.toLowerCase())
      return {
        wordIndex: 1,
        serverText: 'The alias provider name must be different from the base provider name.',
        advice: 'Choose another name.',
      };
    const providingModules = providers(kind, '2.4').get(provider);
    const isProviderAvailable =
      providingModules?.some((module) => modules?.has(module)) === true || configuredProviders?.has(provider) === true;
    return modules === null || configuredProviders === null || isProviderAvailable
      ? null
      : {
          wordIndex: 0,
          serverText: `Unknown ${label} provider: ${provider}`,
          advice:
            providingModules === undefined
              ? `No module of httpd provides "${provider}".`
              : `"${provider}" is provided by ${providingModules.join(' or ')}, which is not loaded.`,
        };
  };

/**
 * A check whether the filters in the word at `index` exist. The word may name several filters with
 * `;` between them. As in ap_get_output_filter_handle, the names are not case-sensitive.
 */
const checkOutputFilter =
  (index: number): ValueCheck =>
  ({ words, modules, providers: configuredFilters }) => {
    const filterNames = words.length > index ? words[index]!.split(';').filter(Boolean) : [];
    const unknownFilter = filterNames.find((name) => !isKnownFilter(name, configuredFilters));
    // Another check reports a module that is not loaded.
    return modules === null || configuredFilters === null || unknownFilter === undefined
      ? null
      : {
          wordIndex: index,
          serverText: `Unknown filter provider ${unknownFilter}`,
          advice: `No module of httpd has a filter "${unknownFilter}".`,
        };
  };

/** Whether a module of httpd or a line of the configuration has an output filter with this name. */
function isKnownFilter(name: string, configuredFilters: ReadonlySet<string> | null): boolean {
  const lowerCaseName = name.toLowerCase();
  return (
    [...providers('outputFilters', '2.4').keys()].some((filter) => filter.toLowerCase() === lowerCaseName) ||
    [...(configuredFilters ?? [])].some((filter) => filter.toLowerCase() === lowerCaseName)
  );
}

/**
 * Checks FilterTrace and FilterProtocol as filter_trace and filter_protocol of mod_filter.c do: an
 * earlier FilterDeclare or FilterProvider line must name the filter.
 */
const mustBeDeclaredFilter =
  (serverText: string): ValueCheck =>
  ({ words: [name = ''], modules, providers: configuredFilters, place }) =>
    // A .htaccess file is not checked, because `configuredFilters` does not include the names that
    // FilterDeclare defines in such a file.
    modules === null ||
    configuredFilters === null ||
    (place.surroundingPlaces & ForbiddenIn.htaccess) !== 0 ||
    [...configuredFilters].some((each) => each.toLowerCase() === name.toLowerCase())
      ? null
      : {
          wordIndex: 0,
          serverText: serverText.replace('$', () => name),
          advice: 'Declare the filter above, with FilterDeclare.',
        };

/** Checks ExtFilterDefine as ef_parse_options of mod_ext_filter.c does. */
const checkExtFilter: ValueCheck = ({ words }) => {
  const wordIndex = words.findIndex(
    (word, index) =>
      index > 0 &&
      !/^(?:preservescontentlength$|mode=|ftype=|enableenv=|disableenv=|intype=|outtype=|cmd=)/i.test(word),
  );
  return wordIndex < 0
    ? null
    : {
        wordIndex,
        serverText: `Unexpected parameter: \`${words.slice(wordIndex).join(' ')}'`,
        advice: 'Write cmd= before the program.',
      };
};

/**
 * Checks AuthnzFcgiCheckAuthnProvider as fcgi_check_authn_provider of mod_authnz_fcgi.c does: each
 * option has a value.
 */
const checkFcgiProvider: ValueCheck = ({ words }) => {
  for (let wordIndex = 1; wordIndex < words.length; wordIndex += 2) {
    if (wordIndex + 1 >= words.length)
      return {
        wordIndex,
        serverText: `AuthnzFcgiCheckAuthnProvider: ${words[wordIndex]}needs an argument`,
        advice: 'Each option has a value.',
      };
    if (!/^(?:Authoritative|DefaultUser|RequireBasicAuth|UserExpr)$/i.test(words[wordIndex]!))
      return {
        wordIndex,
        serverText: `AuthnzFcgiCheckAuthnProvider: Unexpected option '${words[wordIndex]}'`,
        advice: 'The options are Authoritative, DefaultUser, RequireBasicAuth and UserExpr.',
      };
  }
  return null;
};

/** Checks the sections of mod_lua as register_named_block_function_hook of mod_lua.c does. */
const checkLuaBlock: ValueCheck = (lineToCheck) =>
  (lineToCheck.words[1] ?? '') !== '' && !/^(?:early|late)$/i.test(lineToCheck.words[1]!)
    ? {
        wordIndex: 1,
        serverText: `<${directive(lineToCheck.name, { section: true })?.name ?? lineToCheck.name}> 2nd argument must be 'early' or 'late'`,
        advice: 'Write early or late, or nothing.',
      }
    : null;

/**
 * For directives of the kind TAKE_ARGV: refuses a line without words. httpd drops an empty last
 * word, so `words` does not contain it.
 */
function mustHaveWords(serverText: string, advice: string): ValueCheck {
  return ({ words }) => (words.length === 0 ? { serverText, advice } : null);
}

// ---- mod_md ----

/**
 * Refuses a directive outside of a section for managed domains, as md_conf_check_location of
 * mod_md_config.c does.
 */
const onlyInManagedDomain: ValueCheck = (lineToCheck) =>
  lineToCheck.place.areAllPlacesKnown &&
  (lineToCheck.place.surroundingPlaces & ~ForbiddenIn.virtualHost) === 0 &&
  lineToCheck.place.isManaged !== true
    ? {
        serverText: `${manualName(lineToCheck)} is only valid inside a '<MDomainSet' context, not here`,
        advice: 'Put the line into the <MDomain> section that it is for.',
      }
    : null;

/**
 * Checks MDPrivateKeys as md_config_set_pkeys of mod_md_config.c does: types of keys, each only
 * once, and a length after `RSA`.
 */
const checkPrivateKeyTypes: ValueCheck = ({ words }) => {
  const types = new Set<string>();
  for (let wordIndex = 0; wordIndex < words.length; wordIndex++) {
    const word = words[wordIndex]!;
    const rsaMatch = /^rsa(\d.*)?$/is.exec(word);
    if (/^default$/i.test(word) && words.length > 1)
      return { wordIndex, serverText: "'Default' allows no other parameter", advice: 'Write Default alone.' };
    const bits = rsaMatch && (rsaMatch[1] ?? (/^\d/.test(words[wordIndex + 1] ?? '') ? words[++wordIndex] : undefined));
    if (bits != null && atoiResult(leadingNumber(bits)) < 2048)
      return {
        wordIndex,
        serverText: 'must be 2048 or higher in order to be considered safe.',
        advice: 'Write 2048 or more.',
      };
    const type = rsaMatch ? 'RSA' : word;
    if (types.has(type.toLowerCase()))
      return { wordIndex, serverText: `two keys of type '${type}' are not possible.`, advice: 'Write each type once.' };
    types.add(type.toLowerCase());
  }
  return null;
};

/**
 * Checks MDMember and MDMembers as md_config_set_names_old of mod_md_config.c does: outside of a
 * section for managed domains, only auto or manual.
 */
const checkMembers: ValueCheck = (lineToCheck) => {
  const [word = '', ...more] = lineToCheck.words;
  if (more.length === 0 && /^(?:auto|manual)$/i.test(word)) return null;
  const refusal = onlyInManagedDomain(lineToCheck);
  return refusal && more.length === 0
    ? { wordIndex: 0, serverText: 'unknown value, use "auto|manual"', advice: 'Write auto or manual.' }
    : refusal;
};

/** Checks MDPortMap as set_port_map of mod_md_config.c does. */
const checkPortMap: ValueCheck = ({ words }) => {
  for (const [wordIndex, word] of words.entries()) {
    const advice = 'Write the port of the Internet, a colon and the port of this server: 443:8443.';
    if (!/^(?:https?|[+-]?\d+):/.test(word)) return { wordIndex, serverText: "no ':' after first port number", advice };
    const port = word.slice(word.indexOf(':') + 1);
    const portNumber = atoiResult(leadingNumber(port));
    if (!port.startsWith('-') && (portNumber <= 0 || portNumber > 65535))
      return { wordIndex, serverText: 'invalid number for port map, must be in ]0,65535]', advice };
  }
  return null;
};

/**
 * Checks H2PushDiarySize as h2_conf_set_push_diary_size of mod_http2 does, which reads the number
 * as atoi() does.
 */
const checkPushDiarySize: ValueCheck = ({ words: [word = ''] }) => {
  const diarySize = atoiResult(leadingNumber(word));
  if (diarySize < 0) return { wordIndex: 0, serverText: 'value must be >= 0', advice: 'Write 0 or a power of 2.' };
  if (diarySize > 32768)
    return { wordIndex: 0, serverText: 'value must <= 65536', advice: 'Write 32768 or a smaller power of 2.' };
  return diarySize > 0 && (diarySize & (diarySize - 1)) !== 0
    ? { wordIndex: 0, serverText: 'value must a power of 2', advice: 'Write a power of 2, such as 256, or 0.' }
    : null;
};

/**
 * Checks ProxySet as set_proxy_param of mod_proxy.c does: the first word must be a URL, not a name.
 */
const checkProxySetWorker: ValueCheck = ({ words: [first], place }) =>
  first !== undefined &&
  place.areAllPlacesKnown &&
  (place.surroundingPlaces & ForbiddenIn.proxy) === 0 &&
  !first.includes('=') &&
  !/:\/\/|^unix:/i.test(first)
    ? {
        wordIndex: 0,
        serverText: `ProxySet can not find '${first}' Worker.`,
        advice: 'The URL of the member or the balancer comes first.',
      }
    : null;

/**
 * Refuses SSLCACertificatePath and SSLCACertificateFile for a directory, as
 * ssl_cmd_SSLCACertificatePath of ssl_engine_config.c does if httpd is built with OpenSSL.
 */
const checkPerDirectoryAuthority: ValueCheck = ({ place }) =>
  (place.surroundingPlaces & ForbiddenIn.path) !== 0
    ? {
        serverText: 'Your SSL library does not have support for per-directory CA',
        advice: 'Put the line into the virtual host.',
      }
    : null;

/**
 * Checks of the source of a map in RewriteMap, as in cmd_rewritemap of mod_rewrite.c. The checks
 * accept each type of DBM file that some build of APR supports (apr_dbm_get_usednames_ex). They
 * refuse an unknown scheme, which httpd reads as part of a file name.
 */
const MAP_SOURCE_CHECKS: readonly ValueCheck[] = [
  mustMatch(1, /^(?!dbm)|^dbm(?:=[^:]*)?:/i, 'RewriteMap: bad map:$', 'Write dbm: or dbm=sdbm:, and a path.'),
  mustMatch(
    1,
    /^(?!dbm=)|^dbm=(?:default|sdbm|gdbm|ndbm|db|lmdb):/i,
    undefined,
    'Write dbm: and a path, or a type that your APR has, such as dbm=sdbm: and a path.',
  ),
  mustMatch(
    1,
    /^(?![A-Za-z][\w+.-]+:)|^(?:txt|rnd|dbm|dbd|fastdbd|prg|int):/i,
    undefined,
    'The sources are txt:, rnd:, dbm:, dbd:, fastdbd:, prg: and int:.',
  ),
];

/**
 * Checks that RewriteMap uses a database only if mod_dbd is loaded, as cmd_rewritemap of
 * mod_rewrite.c does.
 */
const checkDatabaseMap: ValueCheck = ({ words: [, source = ''], modules }) =>
  modules !== null && /^(?:fast)?dbd:/i.test(source) && !modules.has('mod_dbd')
    ? { wordIndex: 1, serverText: 'RewriteMap types dbd and fastdbd require mod_dbd!', advice: 'Load mod_dbd.' }
    : null;

/**
 * Refuses ciphers of TLSv1.3 for a directory, as ssl_cmd_SSLCipherSuite of ssl_engine_config.c
 * does.
 */
const checkTls13InDirectory: ValueCheck = ({ place, words: [protocol, ...more] }) =>
  protocol === 'TLSv1.3' && more.length > 0 && (place.surroundingPlaces & ForbiddenIn.path) !== 0
    ? {
        wordIndex: 0,
        serverText: 'TLSv1.3 ciphers cannot be set inside a directory context',
        advice: 'Put the line into the virtual host.',
      }
    : null;

/** Methods that other modules register, or that the configurations of caches often use. */
const FOREIGN_METHODS: ReadonlySet<string> = new Set(
  'ACL MKCALENDAR MKADDRESSBOOK MKREDIRECTREF UPDATEREDIRECTREF ORDERPATCH REBIND UNBIND LINK UNLINK PURGE BAN REFRESH QUERY'.split(
    ' ',
  ),
);

/**
 * Refuses unknown methods in the <Limit> sections of a .htaccess file, because only the server
 * configuration can register a method (ap_limit_section of server/core.c). Methods are
 * case-sensitive. If the file is checked alone, the modules and the server configuration are
 * unknown, so FOREIGN_METHODS are accepted.
 */
const checkLimitMethods: ValueCheck = ({ words, place, modules, providers: configuredMethods }) => {
  if ((place.surroundingPlaces & ForbiddenIn.htaccess) === 0) return null;
  const isConfigurationKnown = modules !== null && configuredMethods !== null;
  const wordIndex = words.findIndex(
    (word) =>
      !HTTP_METHODS.has(word) &&
      configuredMethods?.has(word) !== true &&
      (isConfigurationKnown || !FOREIGN_METHODS.has(word)),
  );
  return wordIndex < 0
    ? null
    : {
        wordIndex,
        serverText: `Could not register method '${words[wordIndex]}'`,
        advice: 'Methods are written in capitals. Others have to be named in the server configuration first.',
      };
};

/**
 * Checks the module of Dav as dav_cmd_dav of mod_dav.c does. On means the provider "filesystem".
 */
const checkDavProvider: ValueCheck = ({ words: [name = ''], modules }) =>
  modules !== null && /^(?:on|filesystem)$/i.test(name) && !modules.has('mod_dav_fs')
    ? {
        wordIndex: 0,
        serverText: `Unknown DAV provider: ${/^on$/i.test(name) ? 'filesystem' : name}`,
        advice: '"filesystem" is provided by mod_dav_fs, which is not loaded.',
      }
    : null;

/** The names of the sections of mod_lua. */
const LUA_SECTION_NAMES = [
  'accesschecker',
  'authchecker',
  'checkuserid',
  'fixups',
  'maptostorage',
  'pretranslatename',
  'translatename',
  'typechecker',
].map((hook) => `<luahook${hook}`);

/** Directives of mod_auth_form whose argument is the name of a form field. */
const FORM_FIELD_DIRECTIVES = ['username', 'password', 'location', 'method', 'mimetype', 'body'].map(
  (name) => `authform${name}`,
);

/** Checks names of form fields as check_string of mod_auth_form.c does. */
const checkFormField: ValueCheck = (lineToCheck) =>
  /^[^=&]+$/.test(lineToCheck.words[0] ?? '')
    ? null
    : {
        wordIndex: 0,
        serverText: `${manualName(lineToCheck)} cannot be empty, or contain '=' or '&'.`,
        advice: 'Write the name of a field of the form.',
      };

/** Checks numbers of mod_dbd as dbd_param_int of mod_dbd.c does. */
const checkDigits = mustMatch(0, /^\d*$/, 'Argument must be numeric!', 'Write a number without a sign.');

/** Checks SessionDBDCookieName as check_string of mod_session_dbd.c does. */
const checkCookieName: ValueCheck = (lineToCheck) =>
  /[=;&]/.test(lineToCheck.words[0] ?? '')
    ? {
        wordIndex: 0,
        serverText: `${manualName(lineToCheck)} cannot contain '=', ';' or '&'.`,
        advice: 'Write a name without these characters.',
      }
    : null;

/** Checks SessionCookieName as check_string of mod_session_cookie.c does. */
const checkPlainCookieName: ValueCheck = (lineToCheck) =>
  lineToCheck.words.length === 0 || /[=&]/.test(lineToCheck.words[0]!)
    ? {
        wordIndex: 0,
        serverText: `${manualName(lineToCheck)} cannot be empty, or contain '=' or '&'.`,
        advice: 'Write a name without these characters.',
      }
    : null;

/**
 * Checks SSIStartTag and SSIEndTag as set_default_start_tag and set_default_end_tag of
 * mod_include.c do.
 */
const checkSsiTag: ValueCheck = (lineToCheck) =>
  /\s/.test(lineToCheck.words[0] ?? '')
    ? {
        wordIndex: 0,
        serverText: `${manualName(lineToCheck)} may not contain any whitespaces`,
        advice: 'Write the tag without spaces.',
      }
    : null;

/** Checks the name of a variable in Define and UnDefine (set_define of server/core.c). */
const checkVariableName = mustMatch(0, /^[^:]*$/, "Variable name must not contain ':'", 'Choose another name.');

/**
 * Matches what md_util_abs_http_uri_check of mod_md accepts: a URL in which apr_uri_parse finds a
 * host. The host may be empty.
 */
const HTTP_URL = /^https?:\/\/(?:[^/@]*@)?(?:\[[^\]]*\]|[^:/]*)(?::\d+)?(?:[/?#]|$)/i;

/** The names that SSL_CONF_cmd accepts in files (ssl/ssl_conf.c of OpenSSL 1.0.2 to 3.x). */
const OPENSSL_COMMAND = new RegExp(
  `^(?:${[
    '(?:Client)?SignatureAlgorithms|Curves|Groups|ECDHParameters|CipherString|Ciphersuites',
    '(?:Min|Max)?Protocol|Options|VerifyMode|Certificate|PrivateKey|ServerInfoFile',
    '(?:ChainCA|VerifyCA|RequestCA|ClientCA)(?:Path|File|Store)|DHParameters|RecordPadding|NumTickets',
  ].join('|')})$`,
  'i',
);

/**
 * The checks of this file, by the directive's name in lower case. The name of a section has its
 * `<`.
 */
export const CHECKS_OF_MODULES: Readonly<Record<string, readonly ValueCheck[]>> = {
  asyncrequestworkerfactor: [checkWorkerFactor],
  authdigestshmemsize: [checkDigestMemorySize],
  watchdoginterval: [checkWatchdogInterval],
  heartbeatmaxservers: [checkHeartbeatServers],
  heartbeataddress: [checkHostAndPort('address')],
  heartbeatlisten: [checkHostAndPort('multicast address')],
  flushmaxpipelined: [
    mustBeAtLeast(-1n, 'parameter must be a number between -1 and (2147483647)'),
    mustBeAtMost(2147483647n, 'parameter must be a number between -1 and (2147483647)'),
  ],
  cachelockmaxage: [mustBeAtLeast(1n, 'CacheLockMaxAge value must be a non-zero positive integer')],
  cachesocachemaxtime: [
    mustBeAtLeast(0n, 'CacheSocacheMaxTime argument must be the maximum amount of time in seconds to cache an entry.'),
  ],
  cachesocachereadsize: [
    mustBeAtLeast(
      0n,
      'CacheSocacheReadSize argument must be a non-negative integer representing the max amount of data to cache in go.',
    ),
  ],
  remoteipproxyprotocolexceptions: [
    mustHaveWords('RemoteIPProxyProtocolExceptions requires an argument', 'Write an address or a network.'),
    checkRemoteIpExceptions,
  ],
  remoteiptrustedproxy: [checkTrustedNetwork],
  remoteipinternalproxy: [checkTrustedNetwork],
  proxyremote: [checkRemoteProxy],
  proxyremotematch: [checkRemoteProxy],
  proxydomain: [
    mustMatch(0, /^\./, 'ProxyDomain: domain name must start with a dot.', 'Write the domain with a dot before it.'),
  ],
  cachekeybaseurl: [checkCacheKeyBaseUrl],
  authldapurl: [checkLdapUrl],
  ldaptimeout: [mustBeAtLeast(0n, 'Timeout must be non-negative')],
  ldapconnectionpoolttl: [
    ({ words: [word = ''] }) =>
      word.startsWith('-') || isTimeValue(word)
        ? null
        : {
            wordIndex: 0,
            serverText: 'LDAPConnectionPoolTTL has wrong format',
            advice: 'Write a time such as 60 or 5mi, or -1 for no end.',
          },
  ],
  sslsessioncache: [checkSharedMemoryCache],
  sslstaplingcache: [checkSharedMemoryCache],
  authncachesocache: [checkSharedMemoryCache],
  cachesocache: [
    checkSharedMemoryCache,
    mustMatch(0, /^(?!none(?:notnull)?(?::|$))/i, "Unknown socache provider '$'", 'Write shmcb, or another provider.'),
  ],
  cachelastmodifiedfactor: [
    mustMatch(
      0,
      /^\s*[+-]?(?:\.?\d|inf|nan)/i,
      'CacheLastModifiedFactor value must be a float',
      'Write a number such as 0.1.',
    ),
  ],
  authdigestnoncelifetime: [
    mustMatch(
      0,
      /^(?:\s*[+-]?\d+)?(?:\s|$)/,
      'Invalid time in AuthDigestNonceLifetime: $',
      'Write a number of seconds.',
    ),
  ],
  h2pushdiarysize: [checkPushDiarySize],
  mdomain: [
    ({ words }) =>
      words.every((word) => /^(?:auto|manual)?$/i.test(word))
        ? { serverText: 'needs at least one domain name', advice: 'Write the names of the domain.' }
        : null,
  ],
  proxyset: [checkProxySetWorker],
  dbdmin: [checkDigits],
  dbdmax: [checkDigits],
  dbdkeep: [checkDigits],
  dbdexptime: [checkDigits],
  sessioncookiename: [checkPlainCookieName],
  sessioncookiename2: [checkPlainCookieName],
  setenvifexpr: [
    mustNotBeEmpty(1, 'Missing envariable expression for SetEnvIfExpr', 'Write the name of the variable.'),
  ],
  proxyhcexpr: [
    mustNotBeEmpty(0, 'Missing expression name for ProxyHCExpr', 'Write the name of the expression.'),
    ({ words }) =>
      (words[2] ?? '') !== '' && !words[1]!.startsWith('{')
        ? { wordIndex: 2, serverText: 'error: extra parameter(s)', advice: 'Write the condition in braces: { and }.' }
        : null,
  ],
  sessiondbdcookiename: [checkCookieName],
  sessiondbdcookiename2: [checkCookieName],
  ssistarttag: [checkSsiTag],
  ssiendtag: [checkSsiTag],
  sslciphersuite: [checkTls13InDirectory],
  sslocspproxyurl: [
    mustMatch(
      0,
      /^(?:[^/:]*(?:\/|$)|[A-Za-z][\w+.-]*:(?!\/\/[^/]*:[^/@]*[^\d/@]))/,
      'SSLOCSPProxyURL: Cannot parse URL $',
      'Write a URL with its scheme and host.',
    ),
  ],
  sslcacertificatepath: [checkPerDirectoryAuthority],
  sslcacertificatefile: [checkPerDirectoryAuthority],
  sslopensslconfcmd: [
    mustMatch(
      0,
      OPENSSL_COMMAND,
      "'$': invalid OpenSSL configuration command",
      'Write the name of a command, such as MinProtocol.',
    ),
  ],
  rewritemap: [...MAP_SOURCE_CHECKS, checkDatabaseMap],
  '<limit': [checkLimitMethods],
  '<limitexcept': [checkLimitMethods],
  dav: [checkDavProvider],
  cachedisable: [checkCacheDisable],
  cacheenable: [checkCacheEnableInSection],
  cachedirlevels: [checkCacheLevelsOrLength],
  cachedirlength: [checkCacheLevelsOrLength],
  cookieexpires: [checkCookieExpires],
  cookiedomain: [checkCookieDomain],
  checkSubstitute: [checkSubstitute],
  substitutemaxlinelength: [checkSubstituteLineLength],
  inputsed: [checkSed],
  outputsed: [checkSed],
  errorlogformat: [checkErrorLogFormat],
  httpprotocoloptions: [checkProtocolOptions],
  sslrandomseed: [checkRandomSeed],
  sslpassphrasedialog: [
    mustMatch(
      0,
      /^(?:builtin$|exec:|\|)/i,
      'SSLPassPhraseDialog: Invalid argument',
      'Write builtin, exec: and a program, or | and a program.',
    ),
  ],
  define: [checkVariableName],
  undefine: [checkVariableName],
  allowconnect: [
    mustMatch(-1, /^\d/, 'AllowCONNECT: port numbers must be numeric', 'Write a port, or two with a hyphen between.'),
    mustMatch(-1, /^\d+(?:-\d+)?$/, "Cannot parse '$' as port number", 'Write a port, or two with a hyphen between.'),
  ],
  allowoverridelist: [
    ({ words }) =>
      words.length > 1 && words.some((word) => /^none$/i.test(word))
        ? {
            wordIndex: words.findIndex((word) => /^none$/i.test(word)),
            serverText: "'None' not allowed with other directives in AllowOverrideList",
            advice: 'Write None alone, or leave it out.',
          }
        : null,
  ],
  expiresbytype: [
    mustMatch(0, /\//, 'Invalid mimetype: should contain a slash', 'Write a media type such as text/html.'),
  ],
  '<authnprovideralias': [checkAliasProvider('authn', 'Authn')],
  '<authzprovideralias': [checkAliasProvider('authz', 'Authz')],
  addoutputfilterbytype: [checkOutputFilter(0)],
  filterprovider: [checkOutputFilter(1)],
  filtertrace: [mustBeDeclaredFilter('Undeclared smart filter $')],
  filterprotocol: [mustBeDeclaredFilter('FilterProtocol: No such filter')],
  extfilterdefine: [checkExtFilter],
  authnzfcgicheckauthnprovider: [
    mustHaveWords('AuthnzFcgiCheckAuthnProvider: No provider given', 'Write the name of a provider.'),
    checkFcgiProvider,
  ],
  authnzfcgidefineprovider: [
    mustHaveWords('AuthnzFcgiDefineProvider: No type given', 'Write authn, authz or authnz.'),
    mustMatch(
      2,
      /^fcgi:\/\//i,
      "AuthnzFcgiDefineProvider: backend-address '$' has invalid form",
      'Write fcgi://, the host and the port.',
    ),
  ],
  dbdriver: [
    ({ words: [name = ''], modules }) =>
      modules === null || /^(?:mysql|pgsql|sqlite2|sqlite3|oracle|odbc|freetds)$/.test(name)
        ? null
        : {
            wordIndex: 0,
            serverText: `Can't load driver file apr_dbd_${name}.so`,
            advice: 'The drivers are mysql, pgsql, sqlite2, sqlite3, oracle, odbc and freetds.',
          },
  ],
  luahookinsertfilter: [
    () => ({
      serverText: 'LuaHookInsertFilter not yet implemented',
      advice: 'Remove the line. LuaOutputFilter exists.',
    }),
  ],
  '<luaquickhandler': [checkLuaBlock],
  ...Object.fromEntries(LUA_SECTION_NAMES.map((name) => [name, [checkLuaBlock]])),
  ...Object.fromEntries(FORM_FIELD_DIRECTIVES.map((name) => [name, [checkFormField]])),
  mdcertificatefile: [onlyInManagedDomain],
  mdcertificatekeyfile: [onlyInManagedDomain],
  mdprivatekeys: [
    mustHaveWords('needs to specify the private key type', 'Write Default or a type, such as RSA.'),
    checkPrivateKeyTypes,
  ],
  allowmethods: [
    mustHaveWords("AllowMethods: No method or 'reset' keyword given", 'Write methods, such as GET, or reset.'),
  ],
  mdmember: [checkMembers],
  mdmembers: [checkMembers],
  mdcertificateauthority: [
    mustMatch(
      -1,
      /^(?:LetsEncrypt|LetsEncrypt-Test|Buypass|Buypass-Test|[A-Za-z][\w+.-]*:\S*)$/i,
      "The CA name '$' is not known and it is not a URL either",
      'Write LetsEncrypt, Buypass or the URL of another authority.',
    ),
  ],
  mdhttpproxy: [mustMatch(0, HTTP_URL, undefined, 'Write http:// and the host.')],
  mdportmap: [checkPortMap],
  xml2encdefault: [
    mustMatch(
      0,
      /^(?:[A-Za-z][\w.:+-]*|\d{3,5})?$/,
      'Invalid or unsupported default charset',
      'Write the name of a charset, such as UTF-8.',
    ),
  ],
};
