import { choiceQuestion as choiceOf } from '../access/open-question';
import { argumentsOf } from '../syntax/line';
import { contentSpan, invalidCommandText, containsVariable, quoted, removeLine, replaceContent } from './support/edits';
import type { Finding, Fix, Member, Scope, SectionRule } from './rule';
import { fittingTitle } from './support/fix-title';

export const mutexDirective: SectionRule = {
  id: 'mutex-directive',
  title: 'AcceptMutex, LockFile, RewriteLock, SSLMutex, now Mutex',
  consequence: 'will not start',
  since: 0,
  fix: 'safe',
  needsLineIn22: true,
  checks: 'section',
  isAboutSingleLines: true,
  names: ['acceptmutex', 'lockfile', 'rewritelock', 'sslmutex', 'sslstaplingmutex', 'watchdogmutexpath'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#mutex',
  examples: [
    {
      title: 'Lines that 2.4 does not need',
      before:
        'AcceptMutex default\nLockFile logs/accept.lock\n<IfModule mod_ssl.c>\n    SSLMutex default\n</IfModule>\n',
      after: '<IfModule mod_ssl.c>\n</IfModule>\n',
      finds: ['accept-mutex', 'lock-file', 'ssl-mutex'],
    },
    {
      title: 'A lock file with prefork',
      before: '<IfModule prefork.c>\n    AcceptMutex flock\n    LockFile /var/local/httpd/accept.lock\n</IfModule>\n',
      after: '<IfModule prefork.c>\n    Mutex flock:/var/local/httpd mpm-accept\n</IfModule>\n',
      finds: ['accept-mutex', 'lock-file'],
    },
    {
      title: 'A lock file that becomes a directory',
      before: 'RewriteLock /var/local/httpd/rewrite.lock\nSSLMutex file:/var/local/httpd/ssl_mutex\n',
      after: 'Mutex default:/var/local/httpd rewrite-map\nMutex file:/var/local/httpd ssl-cache\n',
      finds: ['rewrite-lock', 'ssl-mutex'],
    },
    {
      title: 'A semaphore, which 2.4 also supports',
      before: 'SSLMutex sysvsem\n',
      after: 'Mutex sysvsem ssl-cache\n',
      finds: ['ssl-mutex'],
    },
  ],
  check(scope) {
    const acceptLockLines =
      acceptLockLinesOf(scope.members) ?? scope.members.some(({ line }) => line.name === 'acceptmutex');
    return scope.members.map((member) => findingOfMember(member, fixesFor(member, scope, acceptLockLines)));
  },
};

const MESSAGE_IDS: Readonly<Record<string, string>> = {
  acceptmutex: 'accept-mutex',
  lockfile: 'lock-file',
  rewritelock: 'rewrite-lock',
  sslmutex: 'ssl-mutex',
  sslstaplingmutex: 'ssl-stapling-mutex',
  watchdogmutexpath: 'watchdog-mutex-path',
};
const SPELLED_NAMES: Readonly<Record<string, string>> = {
  acceptmutex: 'AcceptMutex',
  lockfile: 'LockFile',
  rewritelock: 'RewriteLock',
  sslmutex: 'SSLMutex',
  sslstaplingmutex: 'SSLStaplingMutex',
  watchdogmutexpath: 'WatchdogMutexPath',
};
/** The name of the lock that each removed directive configures, for the Mutex directive of 2.4. */
const LOCK_NAME_IN_24: Readonly<Record<string, string>> = {
  acceptmutex: 'mpm-accept',
  lockfile: 'mpm-accept',
  rewritelock: 'rewrite-map',
  sslmutex: 'ssl-cache',
  sslstaplingmutex: 'ssl-stapling',
  watchdogmutexpath: 'watchdog-callback',
};

/**
 * The AcceptMutex line and the LockFile line of a scope that has one of each, under the same
 * conditions. Both configure the same lock.
 */
interface AcceptLockLines {
  readonly acceptMutex: Member;
  readonly lockFile: Member;
}

/** The pair of lines about the accept lock of a scope; null if there is not exactly one pair. */
function acceptLockLinesOf(members: readonly Member[]): AcceptLockLines | null {
  const acceptMutexMembers = members.filter(({ line }) => line.name === 'acceptmutex');
  const lockFileMembers = members.filter(({ line }) => line.name === 'lockfile');
  const [acceptMutex, ...otherAccepts] = acceptMutexMembers;
  const [lockFile, ...otherFiles] = lockFileMembers;
  if (!acceptMutex || !lockFile || otherAccepts.length + otherFiles.length > 0) return null;
  const areInSameSections =
    acceptMutex.enclosingSections.length === lockFile.enclosingSections.length &&
    acceptMutex.enclosingSections.every((section, index) => section === lockFile.enclosingSections[index]);
  return areInSameSections ? { acceptMutex, lockFile } : null;
}

function findingOfMember({ line, offset }: Member, fixes: readonly Fix[]): Finding {
  const isRemoved = fixes[0]!.safety === 'safe' && fixes[0]!.edits.every((edit) => edit.text === '');
  return {
    messageId: MESSAGE_IDS[line.name]!,
    what: `\`${SPELLED_NAMES[line.name]}\` ${/^(?:sslstapling|watchdog)/.test(line.name) ? 'is only in test versions' : 'was removed'}; ${isRemoved ? '2.4 needs no replacement' : '`Mutex` replaces it'}`,
    ...(isRemoved
      ? { help: 'Remove the line.' }
      : {
          cause: `In 2.4 the directive \`Mutex\` configures all locks. In a \`Mutex\` line, the lock of \`${SPELLED_NAMES[line.name]}\` has the name \`${LOCK_NAME_IN_24[line.name]}\`.`,
          help: helpFor(line.name, fixes),
        }),
    serverText: invalidCommandText(line),
    ...contentSpan(line, offset),
    tag: isRemoved ? 'unnecessary' : 'deprecated',
    fixes,
  };
}

/** The help: to remove the line, and to write a Mutex line instead if a fix writes one. */
function helpFor(name: string, fixes: readonly Fix[]): string {
  const mutex = fixes.flatMap(({ edits }) => edits).find(({ text }) => /^Mutex/.test(text))?.text;
  const removalAdvice = `Remove \`${SPELLED_NAMES[name]}\`; most servers need no \`Mutex\` line.`;
  const eventText =
    LOCK_NAME_IN_24[name] === 'mpm-accept' ? ' With the MPM event, a `Mutex` line for `mpm-accept` is an error.' : '';
  if (mutex === undefined) return removalAdvice;
  const directory = mutex.includes(':') ? ', with a directory and no file name' : '';
  const isMutexFirst = fixes[0]!.edits.some(({ text }) => text === mutex);
  const mutexAdvice = `To keep the setting, write \`${mutex}\`${directory}.`;
  return isMutexFirst
    ? `${mutexAdvice}${eventText} Or remove \`${SPELLED_NAMES[name]}\`: most servers need no \`Mutex\` line.`
    : `${removalAdvice} ${mutexAdvice}${eventText}`;
}

/**
 * The fixes of a line. `acceptLockLines`: the AcceptMutex and LockFile lines, if the scope has
 * both; otherwise whether it has an AcceptMutex line.
 */
function fixesFor(member: Member, scope: Scope, acceptLockLines: AcceptLockLines | boolean): Fix[] {
  const { line } = member;
  const value = onlyValue(member);
  const removal = removalFix([member], removalTitle(member));
  if (value === null) return [removal];
  const isMutexAllowed = scope.context.containers.length === 0 && !scope.context.isHtaccess;
  const loadedModules = scope.context.fileContext?.modules;
  const isOnlyEventLoaded =
    loadedModules != null &&
    loadedModules.has('event') &&
    !loadedModules.has('prefork') &&
    !loadedModules.has('worker') &&
    !isForMpmWithAcceptLock(member);
  const fixesWithMutex = (mutex: Fix | null, isMutexFirst = true) =>
    !mutex || !isMutexAllowed ? [removal] : isMutexFirst ? [mutex, removal] : [removal, mutex];
  switch (line.name) {
    case 'acceptmutex':
      return fixesOfAcceptMutex(
        member,
        value,
        isMutexAllowed,
        typeof acceptLockLines === 'object' ? acceptLockLines : null,
        isOnlyEventLoaded,
      );
    case 'lockfile':
      return fixesOfLockFile(member, value, isMutexAllowed, acceptLockLines, isOnlyEventLoaded);
    case 'rewritelock':
      if (isDefaultLockFile(value, 'rewrite')) return [removalFix([member], 'Remove RewriteLock', 'safe')];
      return fixesWithMutex(mutexFixWithDirectory([member], 'default', directoryOf(value)));
    case 'watchdogmutexpath':
      return fixesWithMutex(mutexFixWithDirectory([member], 'default', value));
    default:
      return fixesOfSslMutex(member, value, fixesWithMutex);
  }
}

/**
 * The fixes of an AcceptMutex line. Its only argument is the name of a mechanism
 * (ap_mpm_set_accept_lock_mech of 2.2).
 */
function fixesOfAcceptMutex(
  acceptMutexLine: Member,
  value: string,
  isMutexAllowed: boolean,
  acceptLockLines: AcceptLockLines | null,
  isOnlyEventLoaded: boolean,
): Fix[] {
  const mechanism = value.toLowerCase();
  if (mechanism === 'default') return [removalFix([acceptMutexLine], 'Remove AcceptMutex', 'safe')];
  const usesFile = mechanism === 'flock' || mechanism === 'fcntl';
  const members =
    acceptLockLines && usesFile ? [acceptLockLines.acceptMutex, acceptLockLines.lockFile] : [acceptMutexLine];
  const removal = removalFix(members, removalTitle(acceptMutexLine));
  if (isOnlyEventLoaded) return [{ ...removal, safety: 'safe' }];
  const isKnownMechanism = usesFile || ['sysvsem', 'posixsem', 'pthread'].includes(mechanism);
  if (!isKnownMechanism || !isMutexAllowed) return [fixForMpm(removal)];
  const lockFile = acceptLockLines && usesFile ? onlyValue(acceptLockLines.lockFile) : null;
  const hasAcceptLock = isForMpmWithAcceptLock(acceptMutexLine);
  if (!usesFile || !acceptLockLines) {
    const mutex = replacementFix(
      members,
      mechanism,
      hasAcceptLock && !usesFile ? 'safe' : 'suggestion',
      hasAcceptLock ? '' : CAVEAT_ABOUT_EVENT,
    );
    return fixesForMpms(mutex, removal, hasAcceptLock);
  }
  const mutex =
    lockFile === null
      ? null
      : mutexFixWithDirectory(members, mechanism, directoryOf(lockFile), hasAcceptLock ? '' : CAVEAT_ABOUT_EVENT);
  return fixesForMpms(mutex, removal, hasAcceptLock);
}

/**
 * The fixes of AcceptMutex and LockFile, each for certain MPMs. Only prefork and worker have the
 * lock mpm-accept (event.c of 2.4 does not register it), so the right fix depends on the MPM.
 */
function fixesForMpms(mutex: Fix | null, removal: Fix, isMutexFirst: boolean): Fix[] {
  if (!mutex) return [fixForMpm(removal)];
  if (mutex.safety === 'safe') return [mutex, removal];
  const fixes: Fix[] = [fixForMpm(mutex, ['prefork', 'worker']), fixForMpm(removal, ['event'])];
  return isMutexFirst ? fixes : fixes.reverse();
}

/** The fix for a user who chose one of these MPMs (`values`). */
function fixForMpm(fix: Fix, values: readonly string[] = ['prefork', 'worker', 'event']): Fix {
  return { ...fix, choice: { openQuestion: MPM_QUESTION, values } };
}

const MPM_QUESTION = choiceOf('mpm');

const CAVEAT_ABOUT_EVENT = 'the MPM is not event, which does not use this lock';

/**
 * The fixes of a LockFile line. Only the mechanisms flock and fcntl use the file, and the default
 * mechanism of the platform is unknown. `acceptLockLines`: the AcceptMutex and LockFile lines, if
 * the scope has both; otherwise whether it has an AcceptMutex line.
 */
function fixesOfLockFile(
  lockFileLine: Member,
  value: string,
  isMutexAllowed: boolean,
  acceptLockLines: AcceptLockLines | boolean,
  isOnlyEventLoaded: boolean,
): Fix[] {
  const mechanism =
    acceptLockLines === true
      ? undefined
      : acceptLockLines
        ? onlyValue(acceptLockLines.acceptMutex)?.toLowerCase()
        : 'default';
  if (typeof acceptLockLines === 'object' && (mechanism === 'flock' || mechanism === 'fcntl'))
    return fixesOfAcceptMutex(
      acceptLockLines.acceptMutex,
      mechanism,
      isMutexAllowed,
      acceptLockLines,
      isOnlyEventLoaded,
    );
  const isUnused = mechanism === 'sysvsem' || mechanism === 'posixsem' || mechanism === 'pthread';
  if (isOnlyEventLoaded || isUnused || (mechanism === 'default' && isDefaultLockFile(value, 'accept')))
    return [removalFix([lockFileLine], 'Remove LockFile', 'safe')];
  const hasAcceptLock = isForMpmWithAcceptLock(lockFileLine);
  const removal = removalFix([lockFileLine], removalTitle(lockFileLine));
  const mutex =
    mechanism === 'default' && isMutexAllowed
      ? mutexFixWithDirectory([lockFileLine], 'default', directoryOf(value), hasAcceptLock ? '' : CAVEAT_ABOUT_EVENT)
      : null;
  return fixesForMpms(mutex, removal, hasAcceptLock);
}

/**
 * Whether the path is a default of httpd 2.2 or of a package: a file with the lock's name in a
 * directory for run-time files, locks or logs. The user did not choose this path, so a fix need not
 * keep it.
 */
function isDefaultLockFile(path: string, lock: string): boolean {
  const lastSlash = path.lastIndexOf('/');
  const directory = path.slice(0, Math.max(lastSlash, 0));
  // `make install` of 2.2 writes the prefix of configure into the SSLMutex line of httpd-ssl.conf.
  const isOfPrefix = lock === 'ssl' && /^\/.*\/logs$/.test(directory);
  return (
    (isOfPrefix || DEFAULT_LOCK_DIRECTORY.test(directory)) &&
    new RegExp(`^${lock}[._-](lock|mutex)$`).test(path.slice(lastSlash + 1))
  );
}

/** Matches the directories in which packages of 2.2 have such files. */
const DEFAULT_LOCK_DIRECTORY =
  /^(logs|run|((\/private)?\/var)?\/(run|lock|log)(\/(apache2|httpd|subsys))?|\/usr\/local\/apache2?\/logs|\$\{APACHE_(LOCK|RUN|LOG)_DIR\})$/;

/**
 * The fixes of an SSLMutex line. Its argument is `mechanism` or `mechanism:path`
 * (ssl_cmd_SSLMutex of 2.2). The mechanisms have the same names as those of Mutex.
 */
function fixesOfSslMutex(sslMutexLine: Member, value: string, fixesWithMutex: (mutex: Fix | null) => Fix[]): Fix[] {
  const colon = value.indexOf(':');
  const mechanism = (colon < 0 ? value : value.slice(0, colon)).toLowerCase();
  const mechanismPath = colon < 0 ? '' : value.slice(colon + 1);
  if ((mechanism === 'default' || mechanism === 'yes') && mechanismPath === '')
    return [removalFix([sslMutexLine], `Remove ${SPELLED_NAMES[sslMutexLine.line.name]}`, 'safe')];
  if (mechanism === 'none' || mechanism === 'no') {
    return [removalFix([sslMutexLine], `Remove ${SPELLED_NAMES[sslMutexLine.line.name]}`)];
  }
  if (['sem', 'sysvsem', 'posixsem', 'pthread'].includes(mechanism))
    return fixesWithMutex(replacementFix([sslMutexLine], mechanism, 'safe', ''));
  if (mechanismPath === '' || !['file', 'fcntl', 'flock', 'default', 'yes'].includes(mechanism))
    return fixesWithMutex(null);
  if (isDefaultLockFile(mechanismPath, 'ssl'))
    return [removalFix([sslMutexLine], `Remove ${SPELLED_NAMES[sslMutexLine.line.name]}`, 'safe')];
  return fixesWithMutex(mutexFixWithDirectory([sslMutexLine], mechanism, directoryOf(mechanismPath)));
}

/**
 * The only argument of the line. Null if there is not exactly one, or if a variable may change the
 * mechanism or the file name in it.
 */
function onlyValue({ line }: Member): string | null {
  const [word, ...more] = argumentsOf(line);
  if (word === undefined || more.length > 0 || word.value === '') return null;
  if (!containsVariable(word)) return word.value;
  const lastSlash = word.value.lastIndexOf('/');
  const isMechanismKnown =
    lastSlash >= 0 && !word.value.includes('$', lastSlash) && word.value.slice(0, lastSlash).split(':').length < 3;
  return isMechanismKnown ? word.value : null;
}

/** The directory of a file, for Mutex; null if the path does not show it. */
function directoryOf(path: string): string | null {
  if (path.endsWith('/') || /^[a-z]:|\\/i.test(path)) return null;
  const lastSlash = path.lastIndexOf('/');
  if (lastSlash < 0) return containsVariable(path) ? null : '.';
  return lastSlash === 0 ? '/' : path.slice(0, lastSlash);
}

/**
 * Whether the line is in an `<IfModule>` for prefork or worker. Only these MPMs have the lock
 * mpm-accept in 2.4.
 */
function isForMpmWithAcceptLock({ enclosingSections }: Member): boolean {
  return enclosingSections.some(
    ({ open }) =>
      open.name === 'ifmodule' &&
      /^(prefork\.c|worker\.c|mpm_(prefork|worker)_module)$/.test(argumentsOf(open)[0]?.value ?? ''),
  );
}

function removalTitle({ line }: Member): string {
  return `Remove ${SPELLED_NAMES[line.name]}`;
}

/** The fix that removes the lines. If there are two, the title names both directives. */
function removalFix(members: readonly Member[], title: string, safety: Fix['safety'] = 'suggestion'): Fix {
  const titleOfMembers = members.length > 1 ? title.replace(/^Remove \w+/, 'Remove AcceptMutex and LockFile') : title;
  return { title: titleOfMembers, safety, edits: members.map(({ line, offset }) => removeLine(line, offset)) };
}

/** The fix that writes a Mutex line with a directory; null if the directory is null. */
function mutexFixWithDirectory(
  members: readonly Member[],
  mechanism: string,
  directory: string | null,
  caveat = '',
): Fix | null {
  if (directory === null) return null;
  return replacementFix(
    members,
    `${mechanism}:${directory}`,
    'suggestion',
    [`the directory ${directory} exists`, caveat].filter((text) => text !== '').join('; '),
  );
}

/**
 * The fix that replaces the first line by Mutex and removes the others. `argument`: the mechanism,
 * perhaps with a directory. `caveat`: what the fix assumes; '' for nothing.
 */
function replacementFix(members: readonly Member[], argument: string, safety: Fix['safety'], caveat: string): Fix {
  const firstMember = members[0]!; // The list of lines is never empty.
  const mutex = `Mutex ${quoted(argument)} ${LOCK_NAME_IN_24[firstMember.line.name]}`;
  const directiveName = SPELLED_NAMES[firstMember.line.name];
  return {
    title:
      members.length > 1
        ? fittingTitle(`Replace AcceptMutex and LockFile by ${mutex}`, 'Replace AcceptMutex and LockFile by Mutex')
        : fittingTitle(`Change ${directiveName} to ${mutex}`, `Write ${mutex}`, `Replace ${directiveName} by Mutex`),
    safety,
    ...(caveat !== '' && { assumes: caveat }),
    edits: [
      replaceContent(firstMember.line, mutex, firstMember.offset),
      ...members.slice(1).map(({ line, offset }) => removeLine(line, offset)),
    ],
  };
}
