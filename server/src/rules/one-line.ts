/**
 * Rules about lines that have one change in 2.4, whatever their arguments and the lines around
 * them. Each rule is data; `rule` adds the check.
 */
import { indentOf, type Line } from '../syntax/line';
import {
  contentSpan,
  invalidCommand,
  lineEnd,
  nameSpan,
  NOTHING,
  quoted,
  removeLine,
  rename,
  replaceContent,
  values,
} from './support/edits';
import { loadInstead, loadModuleOf, unlessAskedFor, type LoadModule } from './support/load-module';
import type { Context, Finding, Fix, LineRule } from './rule';
import { removing } from './support/fix-title';

interface Change extends Pick<Finding, 'messageId' | 'what' | 'cause' | 'help' | 'tag'> {
  /** Whether a line has the change. Left out if all lines of the rule's names have it. */
  readonly when?: (line: Line, context: Context) => boolean;
  /** 2.4 does not have the directive. */
  readonly isUnknown?: true;
  /** The finding marks the name instead of the whole line. */
  readonly isAboutName?: true;
  readonly fixes?: (line: Line) => readonly Fix[];
  /** The fixes are suggestions if an `<IfModule>` tests for the module. */
  readonly isUnlessAskedFor?: true;
}

function rule({ change, ...data }: Omit<LineRule, 'scope' | 'check'> & { readonly change: Change }): LineRule {
  const { when, isUnknown, isAboutName, fixes, isUnlessAskedFor, ...text } = change;
  return {
    ...data,
    scope: 'line',
    check({ line, context }) {
      if (when?.(line, context) === false) return NOTHING;
      return [
        {
          ...text,
          ...(isUnknown && { serverText: invalidCommand(line) }),
          ...(isAboutName ? nameSpan(line) : contentSpan(line)),
          ...(fixes && (isUnlessAskedFor ? unlessAskedFor(fixes(line)) : { fixes: fixes(line) })),
        },
      ];
    },
  };
}

export const maxClients = rule({
  id: 'max-clients',
  title: 'MaxClients, now MaxRequestWorkers',
  consequence: 'renamed',
  fix: 'safe',
  names: ['maxclients'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mpm_common.html#maxrequestworkers',
  page: {
    what: '`MaxClients` is called `MaxRequestWorkers` in 2.4. The old name still works.',
    why:
      'The directive limits how many requests the server answers at the same time. It never limited the number of clients. With the event MPM the two numbers differ, ' +
      'because an idle keep-alive connection needs no worker. With event, `MaxRequestWorkers` and `AsyncRequestWorkerFactor` together limit the connections.',
    httpd: 'No message. httpd 2.4 reads `MaxClients` as `MaxRequestWorkers`.',
    fixing: '- **Safe**: replace the name and keep the value. Both names set the same number.',
    sources: [
      'manual 2.4, mpm_common: MaxRequestWorkers',
      'server/mpm/event/event.c, worker.c, prefork.c of 2.4: the command tables name both for one function',
      'experiment: test/httpd/claims.test.ts',
    ],
  },
  examples: [
    {
      title: 'MaxClients with prefork',
      before: '<IfModule prefork.c>\n    ServerLimit  150\n    MaxClients   150\n</IfModule>\n',
      after: '<IfModule prefork.c>\n    ServerLimit  150\n    MaxRequestWorkers   150\n</IfModule>\n',
      finds: ['renamed'],
    },
  ],
  change: {
    messageId: 'renamed',
    what: '`MaxClients` is now `MaxRequestWorkers`; the old name still works',
    cause: '`MaxRequestWorkers` limits the requests that httpd answers at the same time, not the clients.',
    tag: 'deprecated',
    isAboutName: true,
    fixes: (line) => [
      { title: 'Rename MaxClients to MaxRequestWorkers', safety: 'safe', edits: [rename(line, 'MaxRequestWorkers')] },
    ],
  },
});

export const maxRequestsPerChild = rule({
  id: 'max-requests-per-child',
  title: 'MaxRequestsPerChild, now MaxConnectionsPerChild',
  consequence: 'renamed',
  fix: 'safe',
  names: ['maxrequestsperchild'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mpm_common.html#maxconnectionsperchild',
  page: {
    what: '`MaxRequestsPerChild` is called `MaxConnectionsPerChild` in 2.4. The old name still works.',
    why:
      'The directive always counted connections: ten requests over one connection count as one. The new name says so. Without the directive, a process of 2.4 has no limit. ' +
      'The manual of 2.2 gives 10000 as the default.',
    httpd: 'No message. httpd 2.4 reads `MaxRequestsPerChild` as `MaxConnectionsPerChild`.',
    fixing: '- **Safe**: replace the name and keep the value. Both names set the same number.',
    sources: [
      'manual 2.4, mpm_common: MaxConnectionsPerChild',
      'server/core.c of 2.4: the command table names both for ap_mpm_set_max_requests',
      'experiment: test/httpd/claims.test.ts',
    ],
  },
  examples: [
    {
      title: 'MaxRequestsPerChild with worker',
      before: '<IfModule worker.c>\n    MaxClients            300\n    MaxRequestsPerChild   4000\n</IfModule>\n',
      after: '<IfModule worker.c>\n    MaxClients            300\n    MaxConnectionsPerChild   4000\n</IfModule>\n',
      finds: ['renamed'],
    },
  ],
  change: {
    messageId: 'renamed',
    what: '`MaxRequestsPerChild` is now `MaxConnectionsPerChild`; the old name works',
    cause: 'Both names limit the number of connections, not of requests.',
    tag: 'deprecated',
    isAboutName: true,
    fixes: (line) => [
      {
        title: 'Rename MaxRequestsPerChild to MaxConnectionsPerChild',
        safety: 'safe',
        edits: [rename(line, 'MaxConnectionsPerChild')],
      },
    ],
  },
});

/** A directive of the MPM for BeOS. */
export const maxRequestsPerThread = rule({
  id: 'max-requests-per-thread',
  title: 'MaxRequestsPerThread, a removed directive for BeOS',
  consequence: 'will not start',
  fix: 'safe',
  names: ['maxrequestsperthread'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mpm_common.html',
  page: {
    what: '`MaxRequestsPerThread`, a directive of the MPM for BeOS. httpd 2.4 does not run on BeOS.',
    why: 'httpd 2.4 does not run on BeOS, and no other MPM has this directive. `MaxConnectionsPerChild` is a similar limit for a whole process.',
    httpd:
      "`AH00526: Syntax error …: Invalid command 'MaxRequestsPerThread', perhaps misspelled or defined by a module not included in the server configuration`.",
    fixing:
      '- **Safe**: remove the line. No 2.4 server can use it. Inside `<IfModule beos.c>`, its usual place, httpd skips the line, and the rule does not report it.',
    sources: ['server/mpm/beos/beos.c of 2.2; its absence in 2.4', 'experiment: test/httpd/claims-removed.test.ts'],
  },
  examples: [
    {
      title: 'An old line for BeOS',
      before: 'StartServers 2\nMaxRequestsPerThread 10000\n',
      after: 'StartServers 2\n',
      finds: ['removed'],
    },
  ],
  change: {
    messageId: 'removed',
    what: '`MaxRequestsPerThread` was removed; it was for BeOS',
    help: 'Remove the line.',
    isUnknown: true,
    tag: 'unnecessary',
    fixes: (line) => [{ title: 'Remove MaxRequestsPerThread', safety: 'safe', edits: [removeLine(line)] }],
  },
});

/** 2.2 refuses it, and 2.4 does not have it. */
export const authDigestNonceFormat = rule({
  id: 'auth-digest-nonce-format',
  title: 'AuthDigestNonceFormat, which was never implemented',
  consequence: 'will not start',
  fix: 'safe',
  names: ['authdigestnonceformat'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_auth_digest.html',
  page: {
    what: '`AuthDigestNonceFormat` is in the manual of 2.2, but no version of httpd implements it. Neither 2.2 nor 2.4 starts with this line.',
    why: '2.4 removed the directive from the code and from the manual. `AuthDigestNonceLifetime` is the directive that controls nonces.',
    httpd:
      "`AH00526: Syntax error …: Invalid command 'AuthDigestNonceFormat', perhaps misspelled or defined by a module not included in the server configuration`. The message " +
      'of 2.2 is `AuthDigestNonceFormat is not implemented (yet)`. 2.2 does not start with this line, either.',
    fixing:
      '- **Safe**: remove the line. Its only effect was to stop the server.\n' +
      '- **Suggestion** in a `.htaccess` file. There the line makes all requests get 500 in both versions.',
    sources: [
      'modules/aaa/mod_auth_digest.c of 2.2: set_nonce_format',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'A line from the 2.2 manual',
      before:
        '<Directory "/srv/private">\n    AuthDigestNonceLifetime 300\n    AuthDigestNonceFormat base64\n</Directory>\n',
      after: '<Directory "/srv/private">\n    AuthDigestNonceLifetime 300\n</Directory>\n',
      finds: ['removed'],
    },
  ],
  change: {
    messageId: 'removed',
    what: '`AuthDigestNonceFormat` was never implemented',
    help: 'Remove the line.',
    isUnknown: true,
    tag: 'unnecessary',
    fixes: (line) => [{ title: 'Remove AuthDigestNonceFormat', safety: 'safe', edits: [removeLine(line)] }],
  },
});

/** 2.4 selects by name among all virtual hosts of an address, so the lines can go. */
export const nameVirtualHost = rule({
  id: 'name-virtual-host',
  title: 'NameVirtualHost, which has no effect in 2.4',
  consequence: 'ignored',
  fix: 'safe',
  names: ['namevirtualhost'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#namevirtualhost',
  page: {
    what: '`NameVirtualHost` has no effect in 2.4: virtual hosts with the same address are always selected by name.',
    why:
      'In 2.2 virtual hosts with the same address were selected by name only if a `NameVirtualHost` line named this address. Otherwise the first one answered every request. ' +
      '2.4 always selects by name, so the directive is not needed.\n\n' +
      'The rule virtual-host-comes-alive reports virtual hosts for which the two versions differ. The line then waits for the change of the virtual hosts.',
    httpd: '`AH00548: NameVirtualHost has no effect and will be removed in the next release`, a warning.',
    fixing: '- **Safe**: remove the line. 2.4 ignores it. Comments above it stay.',
    sources: [
      'server/core.c of 2.4: ap_set_name_virtual_host',
      'manual 2.4, core: NameVirtualHost',
      'experiment: test/httpd/claims.test.ts',
    ],
  },
  examples: [
    {
      title: 'NameVirtualHost for the address of virtual hosts',
      before:
        'Listen 80\nNameVirtualHost *:80\n<VirtualHost *:80>\n    ServerName a.example\n</VirtualHost>\n<VirtualHost *:80>\n    ServerName b.example\n</VirtualHost>\n',
      after:
        'Listen 80\n<VirtualHost *:80>\n    ServerName a.example\n</VirtualHost>\n<VirtualHost *:80>\n    ServerName b.example\n</VirtualHost>\n',
      finds: ['ignored'],
    },
  ],
  change: {
    messageId: 'ignored',
    when: (line) => values(line).length === 1,
    what: '`NameVirtualHost` has no effect in 2.4',
    cause: 'In 2.4 virtual hosts with the same address are always selected by name (AH00548).',
    help: 'Remove the line.',
    tag: 'unnecessary',
    fixes: (line) => [{ title: 'Remove NameVirtualHost', safety: 'safe', edits: [removeLine(line)] }],
  },
});

export const win32DisableAcceptEx = rule({
  id: 'win32-disable-acceptex',
  title: 'Win32DisableAcceptEx, now AcceptFilter',
  consequence: 'will not start',
  fix: 'suggestion',
  names: ['win32disableacceptex'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#acceptfilter',
  page: {
    what: '`Win32DisableAcceptEx` made httpd on Windows use `accept()` instead of `AcceptEx()`. In 2.4 `AcceptFilter` does this.',
    why: '`AcceptFilter` selects the function for each protocol, on all platforms. Problems with AcceptEx() came from drivers and virus scanners and are rare today. First try whether the server works without the line.',
    httpd:
      "`AH00526: Syntax error …: Invalid command 'Win32DisableAcceptEx', perhaps misspelled or defined by a module not included in the server configuration`.",
    fixing:
      '- **Suggestion**: replace the line by `AcceptFilter http none` and `AcceptFilter https none`. Other protocols and third-party modules may need their own line.',
    sources: [
      'server/mpm/winnt/mpm_winnt.c of 2.2: set_disable_acceptex',
      'manual 2.4, core: AcceptFilter; upgrading from 2.2',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'A server on Windows',
      before: 'EnableMMAP Off\nWin32DisableAcceptEx\n',
      after: 'EnableMMAP Off\nAcceptFilter http none\nAcceptFilter https none\n',
      finds: ['removed'],
    },
  ],
  change: {
    messageId: 'removed',
    what: '`Win32DisableAcceptEx` was removed; `AcceptFilter` replaces it',
    help: 'Use `AcceptFilter http none` and `AcceptFilter https none`.',
    isUnknown: true,
    tag: 'deprecated',
    fixes: (line) => {
      const filters = ['AcceptFilter http none', 'AcceptFilter https none'].join(`${lineEnd(line)}${indentOf(line)}`);
      return [
        {
          title: 'Change Win32DisableAcceptEx to two AcceptFilter lines',
          safety: 'suggestion',
          edits: [replaceContent(line, filters)],
        },
      ];
    },
  },
});

/** Replaced by a CustomLog with a fixed format, in 2.2 already. */
export const cookieLog = rule({
  id: 'cookie-log',
  title: 'CookieLog, now CustomLog',
  consequence: 'will not start',
  fix: 'safe',
  names: ['cookielog'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_log_config.html#customlog',
  page: {
    what: '`CookieLog` wrote the cookies of mod_usertrack to a log. In 2.4 `CustomLog` does this.',
    why:
      'The directive was deprecated since 1.3. It did the same as a `CustomLog` with a fixed format: cookie, request line, time. 2.4 has only `CustomLog`. The upgrade notes ' +
      'of httpd do not mention this.',
    httpd:
      "`AH00526: Syntax error …: Invalid command 'CookieLog', perhaps misspelled or defined by a module not included in the server configuration`.",
    fixing:
      '- **Safe**: replace the line by a `CustomLog` with the same format, `"%{Cookie}n \\"%r\\" %t"`.\n' +
      '- **No fix** for a line without an argument or with several arguments. This is also an error in 2.2.',
    sources: [
      'modules/loggers/mod_log_config.c of 2.2: set_cookie_log',
      'manual 2.2, mod_log_config: CookieLog',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'A log of cookies',
      before: 'CookieTracking On\nCookieLog logs/clickstream\n',
      after: 'CookieTracking On\nCustomLog logs/clickstream "%{Cookie}n \\"%r\\" %t"\n',
      finds: ['removed'],
    },
  ],
  change: {
    messageId: 'removed',
    what: '`CookieLog` was removed; `CustomLog` replaces it',
    help: 'Use `CustomLog` with a format that has `%{Cookie}n`.',
    isUnknown: true,
    tag: 'deprecated',
    fixes: (line) => {
      const [file, ...more] = values(line);
      const text = `CustomLog ${quoted(file ?? '')} "%{Cookie}n \\"%r\\" %t"`;
      const replace: Fix = {
        title: 'Change CookieLog to CustomLog',
        safety: 'safe',
        edits: [replaceContent(line, text)],
      };
      const remove: Fix = {
        title: removing(line),
        safety: 'suggestion',
        assumes: 'you do not need a log of cookies',
        edits: [removeLine(line)],
      };
      return file && more.length === 0 ? [replace, remove] : [remove];
    },
  },
});

/** Without suEXEC, this is a warning in 2.2 and an error in 2.4. */
export const suexecUserGroup = rule({
  id: 'suexec-user-group',
  title: 'SuexecUserGroup, which needs the suexec program',
  consequence: 'check before the upgrade',
  fix: 'none',
  names: ['suexecusergroup'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_suexec.html',
  page: {
    what: '`SuexecUserGroup` runs CGI scripts as another user. In 2.4 the server does not start if the suexec program is missing.',
    why:
      'The program `suexec` must exist, belong to root and have the setuid bit. Otherwise 2.2 wrote a warning and ran the scripts as its own user. 2.4 does not start.\n\n' +
      'The configuration does not show whether the program exists, so the rule only informs you. On Debian the program is in the package apache2-suexec-pristine. On Red Hat it comes with httpd.',
    httpd:
      '`AH00526: Syntax error …: SuexecUserGroup configured, but suEXEC is disabled: Missing suexec binary /usr/lib/apache2/suexec`.',
    fixing:
      'There is no automatic fix. Install suexec. Do not remove the line: the scripts would then run with all rights of the server.',
    sources: [
      'modules/generators/mod_suexec.c of 2.2 and 2.4: set_suexec_ugid',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'CGI scripts of a user',
      before: '<VirtualHost *:80>\n    SuexecUserGroup ann users\n</VirtualHost>\n',
      finds: ['program'],
    },
  ],
  change: {
    messageId: 'program',
    when: (_, { containers }) => containers.every((name) => name === 'virtualhost'),
    what: '`SuexecUserGroup` now needs a working suexec program',
    cause: 'Without suexec, httpd 2.2 logged a warning and ran the scripts as its own user.',
    help: 'Check that suexec is installed on the 2.4 server.',
  },
});

/** In 2.4, the module is cache_disk, and its file has that name, too. */
export const diskCacheModule = rule({
  id: 'disk-cache-module',
  title: 'LoadModule of mod_disk_cache, now mod_cache_disk',
  consequence: 'will not start',
  fix: 'safe',
  names: ['loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_cache_disk.html',
  page: {
    what: '`LoadModule disk_cache_module …/mod_disk_cache.so`. The module is called mod_cache_disk in 2.4.',
    why:
      '2.4 renamed mod_disk_cache to mod_cache_disk. Its directives and `CacheEnable disk` are the same. mod_cache must be loaded before mod_cache_disk, as in 2.2.\n\n' +
      '2.4 does not find the files that 2.2 cached. They have another format, and the default of CacheDirLevels changed from 3 to 2.',
    httpd:
      '`Cannot load modules/mod_disk_cache.so into server: … cannot open shared object file: No such file or directory`. With the new file and the old identifier: ' +
      '`undefined symbol: disk_cache_module`. If the line comes before mod_cache: `undefined symbol: ap_cache_cacheable_headers_in`.',
    fixing:
      '- **Safe**: replace both names on the line by those of 2.4 and keep the directory. It is the same module with a new name.\n' +
      '- **Suggestion** if any file has directives that are not about the cache in an `<IfModule>` for this module.\n' +
      '- **Suggestion** if only a part of the configuration is checked.',
    sources: [
      'modules/cache/mod_disk_cache.c of 2.2, mod_cache_disk.c of 2.4: DEFAULT_DIRLEVELS, DISK_FORMAT_VERSION',
      'manual 2.4, upgrading',
      'experiment: test/httpd/claims-modules.test.ts',
    ],
  },
  examples: [
    {
      title: 'A LoadModule line of mod_disk_cache',
      before: 'LoadModule disk_cache_module modules/mod_disk_cache.so\n',
      after: 'LoadModule cache_disk_module modules/mod_cache_disk.so\n',
      finds: ['renamed'],
      prelude: 'LoadModule cache_module modules/mod_cache.so\n',
    },
  ],
  change: {
    messageId: 'renamed',
    when: (line) => loads(line, 'disk_cache') !== null,
    what: '`disk_cache_module` is now `cache_disk_module`',
    cause: 'In 2.4 the file mod_disk_cache.so does not exist.',
    help: 'Load cache_disk_module from mod_cache_disk.so.',
    fixes: (line) => [
      {
        title: 'Load cache_disk_module instead of disk_cache_module',
        safety: 'safe',
        edits: loadInstead(loads(line, 'disk_cache')!, 'cache_disk'),
      },
    ],
    isUnlessAskedFor: true,
  },
});

/** In 2.4, `<AuthnProviderAlias>` is in mod_authn_core. */
export const authnAliasModule = rule({
  id: 'authn-alias-module',
  title: 'LoadModule of mod_authn_alias, now part of mod_authn_core',
  consequence: 'will not start',
  fix: 'safe',
  names: ['loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authn_core.html',
  page: {
    what: '`LoadModule authn_alias_module …/mod_authn_alias.so`. In 2.4 mod_authn_core has `<AuthnProviderAlias>`.',
    why:
      'mod_authn_alias had only one section, `<AuthnProviderAlias>`. In 2.4 this section is in mod_authn_core, together with `AuthType` and `AuthName`. Every 2.4 server ' +
      'with logins loads mod_authn_core.',
    httpd:
      '`Cannot load modules/mod_authn_alias.so into server: … cannot open shared object file: No such file or directory`.',
    fixing:
      '- **Safe**: load mod_authn_core instead. If another line already loads it, httpd only writes a warning (AH01574). **Suggestion** if any file has lines in an `<IfModule>` for this module. **Suggestion** if only a part of the configuration is checked.\n' +
      '- **Suggestion**: remove the line. Another line must then load mod_authn_core.',
    sources: [
      'modules/aaa/mod_authn_alias.c of 2.2, mod_authn_core.c of 2.4',
      'manual 2.4, upgrading',
      'experiment: test/httpd/claims-modules.test.ts',
    ],
  },
  examples: [
    {
      title: 'A LoadModule line of mod_authn_alias',
      before: 'LoadModule authn_alias_module modules/mod_authn_alias.so\n',
      after: 'LoadModule authn_core_module modules/mod_authn_core.so\n',
      finds: ['merged'],
    },
  ],
  change: {
    messageId: 'merged',
    when: (line) => loads(line, 'authn_alias') !== null,
    what: '`authn_alias_module` is now part of mod_authn_core',
    cause: 'In 2.4 the file mod_authn_alias.so does not exist.',
    help: 'Load authn_core_module from mod_authn_core.so.',
    fixes: (line) => [
      {
        title: 'Load authn_core_module instead of authn_alias_module',
        safety: 'safe',
        edits: loadInstead(loads(line, 'authn_alias')!, 'authn_core'),
      },
      {
        title: removing(line),
        safety: 'suggestion',
        assumes: 'another line loads mod_authn_core',
        edits: [removeLine(line)],
      },
    ],
    isUnlessAskedFor: true,
  },
});

// ---------------------------------------------------------------------------------------------------------------------

/** The LoadModule line of a module of 2.2, such as `disk_cache`; null for another line. */
function loads(line: Line, module: string): LoadModule | null {
  const loaded = loadModuleOf(line);
  return loaded?.identifier.value === `${module}_module` || loaded?.fileName === `mod_${module}.so` ? loaded : null;
}
