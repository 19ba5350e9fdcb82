/**
 * Rules about lines that have the same change in 2.4, whatever their arguments and the lines around
 * them. Each rule is data; `lineRule` adds the check.
 */
import { indentOf, type Line } from '../syntax/line';
import {
  contentSpan,
  invalidCommandText,
  lineEnd,
  nameSpan,
  NO_FINDINGS,
  quoted,
  removeLine,
  renameDirective,
  replaceContent,
  argumentValues,
} from './support/edits';
import { editsToLoad, loadModuleOf, suggestionsIfTested, type LoadModule } from './support/load-module';
import type { Context, Finding, Fix, LineRule } from './rule';
import { titleToRemove } from './support/fix-title';

/** The change of a line in 2.4, with the texts of the finding. */
interface LineChange
  extends Pick<Finding, 'messageId' | 'what' | 'cause' | 'help' | 'helpForBothVersions' | 'tag' | 'isReadByBoth'> {
  /**
   * Whether the change affects the line. Left out if it affects every line with one of the rule's
   * names.
   */
  readonly affectsLine?: (line: Line, context: Context) => boolean;
  /** Set if 2.4 does not have the directive. */
  readonly isUnknownTo24?: true;
  /** Set if the finding marks the name instead of the whole line. */
  readonly isAboutName?: true;
  readonly fixes?: (line: Line) => readonly Fix[];
  /**
   * Set if the fixes become suggestions where an `<IfModule>` of the file tests for the module of
   * the line.
   */
  readonly areFixesSuggestionsIfModuleTested?: true;
  /**
   * The texts of a finding in a file that is checked without the rest of its configuration. The
   * fixes of such a finding are suggestions. Most rules need no such texts, because other files do
   * not matter to them.
   */
  readonly standaloneTexts?: Pick<Finding, 'cause' | 'help'>;
}

/** Makes a rule that reports `change` for each line with one of the rule's names. */
function lineRule({ change, ...data }: Omit<LineRule, 'checks' | 'check'> & { readonly change: LineChange }): LineRule {
  const {
    affectsLine,
    isUnknownTo24,
    isAboutName,
    fixes,
    areFixesSuggestionsIfModuleTested,
    standaloneTexts,
    ...text
  } = change;
  return {
    ...data,
    checks: 'line',
    check({ line, context }) {
      if (affectsLine?.(line, context) === false) return NO_FINDINGS;
      return [
        {
          ...text,
          ...(isUnknownTo24 && { serverText: invalidCommandText(line) }),
          ...(isAboutName ? nameSpan(line) : contentSpan(line)),
          ...(fixes && (areFixesSuggestionsIfModuleTested ? suggestionsIfTested(fixes(line)) : { fixes: fixes(line) })),
          ...(standaloneTexts &&
            context.fileContext === null && { ...standaloneTexts, fixes: fixes?.(line).map(asSuggestion) ?? [] }),
        },
      ];
    },
  };
}

function asSuggestion(fix: Fix): Fix {
  return { ...fix, safety: 'suggestion' };
}

export const maxClients = lineRule({
  id: 'max-clients',
  title: 'MaxClients, now MaxRequestWorkers',
  consequence: 'renamed',
  since: 0,
  fix: 'safe',
  names: ['maxclients'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mpm_common.html#maxrequestworkers',
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
    help: 'Write `MaxRequestWorkers`.',
    isReadByBoth: true,
    tag: 'deprecated',
    isAboutName: true,
    fixes: (line) => [
      {
        title: 'Rename MaxClients to MaxRequestWorkers',
        safety: 'safe',
        edits: [renameDirective(line, 'MaxRequestWorkers')],
      },
    ],
  },
});

export const maxRequestsPerChild = lineRule({
  id: 'max-requests-per-child',
  title: 'MaxRequestsPerChild, now MaxConnectionsPerChild',
  consequence: 'renamed',
  since: 0,
  fix: 'safe',
  names: ['maxrequestsperchild'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mpm_common.html#maxconnectionsperchild',
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
    help: 'Write `MaxConnectionsPerChild`.',
    isReadByBoth: true,
    tag: 'deprecated',
    isAboutName: true,
    fixes: (line) => [
      {
        title: 'Rename MaxRequestsPerChild to MaxConnectionsPerChild',
        safety: 'safe',
        edits: [renameDirective(line, 'MaxConnectionsPerChild')],
      },
    ],
  },
});

/** MaxRequestsPerThread, a directive of the MPM for BeOS. */
export const maxRequestsPerThread = lineRule({
  id: 'max-requests-per-thread',
  title: 'MaxRequestsPerThread, a removed directive for BeOS',
  consequence: 'will not start',
  fix: 'safe',
  names: ['maxrequestsperthread'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mpm_common.html',
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
    isUnknownTo24: true,
    tag: 'unnecessary',
    fixes: (line) => [{ title: 'Remove MaxRequestsPerThread', safety: 'safe', edits: [removeLine(line)] }],
  },
});

/** AuthDigestNonceFormat: 2.2 refuses it, and 2.4 does not have it. */
export const authDigestNonceFormat = lineRule({
  id: 'auth-digest-nonce-format',
  title: 'AuthDigestNonceFormat, which was never implemented',
  consequence: 'will not start',
  fix: 'safe',
  names: ['authdigestnonceformat'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_auth_digest.html',
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
    what: '`AuthDigestNonceFormat` was removed; 2.2 also rejected it',
    help: 'Remove the line.',
    isUnknownTo24: true,
    tag: 'unnecessary',
    fixes: (line) => [{ title: 'Remove AuthDigestNonceFormat', safety: 'safe', edits: [removeLine(line)] }],
  },
});

const ALWAYS_BY_NAME_TEXT = 'In 2.4 virtual hosts with the same address are always selected by name (AH00548).';

/**
 * NameVirtualHost: 2.4 always selects among the virtual hosts of an address by name, so the lines
 * can be removed.
 */
export const nameVirtualHost = lineRule({
  id: 'name-virtual-host',
  title: 'NameVirtualHost, which has no effect in 2.4',
  consequence: 'ignored',
  since: 0,
  fix: 'safe',
  names: ['namevirtualhost'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#namevirtualhost',
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
    affectsLine: (line) => argumentValues(line).length === 1,
    what: '`NameVirtualHost` has no effect in 2.4',
    cause: ALWAYS_BY_NAME_TEXT,
    help: 'Remove the line.',
    isReadByBoth: true,
    tag: 'unnecessary',
    fixes: (line) => [{ title: 'Remove NameVirtualHost', safety: 'safe', edits: [removeLine(line)] }],
    standaloneTexts: {
      cause: `${ALWAYS_BY_NAME_TEXT} Without the rest of the configuration, the virtual hosts of 2.2 and 2.4 cannot be compared.`,
      help: 'First run `httpd-upgrade plan` on the main configuration file: it compares the virtual hosts of 2.2 and 2.4. Then remove the line.',
    },
  },
});

export const win32DisableAcceptEx = lineRule({
  id: 'win32-disable-acceptex',
  title: 'Win32DisableAcceptEx, now AcceptFilter',
  consequence: 'will not start',
  fix: 'suggestion',
  names: ['win32disableacceptex'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#acceptfilter',
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
    isUnknownTo24: true,
    tag: 'deprecated',
    fixes: (line) => {
      const filterLines = ['AcceptFilter http none', 'AcceptFilter https none'].join(
        `${lineEnd(line)}${indentOf(line)}`,
      );
      return [
        {
          title: 'Change Win32DisableAcceptEx to two AcceptFilter lines',
          safety: 'suggestion',
          edits: [replaceContent(line, filterLines)],
        },
      ];
    },
  },
});

/** CookieLog: a CustomLog line with a fixed format does the same, in 2.2 and in 2.4. */
export const cookieLog = lineRule({
  id: 'cookie-log',
  title: 'CookieLog, now CustomLog',
  consequence: 'will not start',
  fix: 'safe',
  names: ['cookielog'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_log_config.html#customlog',
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
    isUnknownTo24: true,
    tag: 'deprecated',
    fixes: (line) => {
      const [file, ...more] = argumentValues(line);
      const customLogLine = `CustomLog ${quoted(file ?? '')} "%{Cookie}n \\"%r\\" %t"`;
      const replacement: Fix = {
        title: 'Change CookieLog to CustomLog',
        safety: 'safe',
        edits: [replaceContent(line, customLogLine)],
      };
      const removal: Fix = {
        title: titleToRemove(line),
        safety: 'suggestion',
        assumes: 'you do not need a log of cookies',
        edits: [removeLine(line)],
      };
      return file && more.length === 0 ? [replacement, removal] : [removal];
    },
  },
});

/**
 * SuexecUserGroup: on a server without suEXEC, this line is a warning in 2.2 and an error in 2.4.
 */
export const suexecUserGroup = lineRule({
  id: 'suexec-user-group',
  title: 'SuexecUserGroup, which needs the suexec program',
  consequence: 'check before the upgrade',
  since: 0,
  fix: 'none',
  names: ['suexecusergroup'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_suexec.html',
  examples: [
    {
      title: 'CGI scripts of a user',
      before: '<VirtualHost *:80>\n    SuexecUserGroup ann users\n</VirtualHost>\n',
      finds: ['program'],
    },
  ],
  change: {
    messageId: 'program',
    affectsLine: (_, { containers }) => containers.every((name) => name === 'virtualhost'),
    what: '`SuexecUserGroup` now needs a working suexec program',
    cause:
      'Without suexec, 2.4 does not start with this line. 2.2 logged a warning and ran the scripts as its own user.',
    help: 'Install suexec on the 2.4 server. `httpd -V` shows its path (SUEXEC_BIN).',
  },
});

/**
 * disk_cache is called cache_disk in 2.4, and its file mod_disk_cache.so is called
 * mod_cache_disk.so.
 */
export const diskCacheModule = lineRule({
  id: 'disk-cache-module',
  title: 'LoadModule of mod_disk_cache, now mod_cache_disk',
  consequence: 'will not start',
  fix: 'safe',
  names: ['loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_cache_disk.html',
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
    affectsLine: (line) => loadModuleFor(line, 'disk_cache') !== null,
    what: '`disk_cache_module` is now `cache_disk_module`',
    cause: 'In 2.4 the file mod_disk_cache.so does not exist.',
    help: 'Load cache_disk_module from mod_cache_disk.so instead.',
    helpForBothVersions:
      'Put the line into `<IfVersion < 2.4>`, and a line that loads cache_disk_module from mod_cache_disk.so into `<IfVersion >= 2.4>`.',
    fixes: (line) => [
      {
        title: 'Load cache_disk_module instead of disk_cache_module',
        safety: 'safe',
        edits: editsToLoad(loadModuleFor(line, 'disk_cache')!, 'cache_disk'),
      },
    ],
    areFixesSuggestionsIfModuleTested: true,
  },
});

/** mod_authn_alias: in 2.4, its section `<AuthnProviderAlias>` belongs to mod_authn_core. */
export const authnAliasModule = lineRule({
  id: 'authn-alias-module',
  title: 'LoadModule of mod_authn_alias, now part of mod_authn_core',
  consequence: 'will not start',
  fix: 'safe',
  names: ['loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authn_core.html',
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
    affectsLine: (line) => loadModuleFor(line, 'authn_alias') !== null,
    what: '`authn_alias_module` is now part of mod_authn_core',
    cause: 'In 2.4 the file mod_authn_alias.so does not exist.',
    help: 'Load authn_core_module from mod_authn_core.so instead.',
    helpForBothVersions:
      'Put the line into `<IfVersion < 2.4>`, and a line that loads authn_core_module from mod_authn_core.so into `<IfVersion >= 2.4>`.',
    fixes: (line) => [
      {
        title: 'Load authn_core_module instead of authn_alias_module',
        safety: 'safe',
        edits: editsToLoad(loadModuleFor(line, 'authn_alias')!, 'authn_core'),
      },
      {
        title: titleToRemove(line),
        safety: 'suggestion',
        assumes: 'another line loads mod_authn_core',
        edits: [removeLine(line)],
      },
    ],
    areFixesSuggestionsIfModuleTested: true,
  },
});

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Reads the line if it loads `module`, a module of 2.2 such as `disk_cache`. Null for other lines.
 */
function loadModuleFor(line: Line, module: string): LoadModule | null {
  const loadModuleLine = loadModuleOf(line);
  return loadModuleLine?.identifier.value === `${module}_module` || loadModuleLine?.fileName === `mod_${module}.so`
    ? loadModuleLine
    : null;
}
