import { isThirdPartyModule } from '../config/modules';
import { thirdPartyModule, thirdPartyModules } from '../directives/third-party';
import { argumentsOf, spelledName, type Line } from '../syntax/line';
import { contentSpan, invalidCommandText, NO_FINDINGS, removeLine, renameDirective } from './support/edits';
import { Fact, hasFact, type FileFacts } from './support/facts';
import type { Context, Fix, LineRule } from './rule';
import { titleToRemove } from './support/fix-title';

/**
 * Finds directives of 1.3 and 2.0 that 2.2 lacks but old files still have. Other rules report the
 * directives that 2.2 has and 2.4 lacks. test/rules/removed-directive.test.ts checks with the
 * tables of directives that no directive is missing.
 */
export const removedDirective: LineRule = {
  id: 'removed-directive',
  title: 'Directives that were removed before 2.2',
  consequence: 'will not start',
  fix: 'safe',
  checks: 'line',
  get names() {
    return [...REMOVED_DIRECTIVES.keys()];
  },
  url: 'https://httpd.apache.org/docs/2.4/upgrading.html',
  examples: [
    {
      title: 'Lines of Apache 1.3',
      before: 'ServerType standalone\nPort 80\nClearModuleList\n',
      after: 'Listen 80\n',
      finds: ['removed', 'removed', 'removed'],
    },
    {
      title: 'AgentLog and RefererLog',
      before: 'AgentLog logs/agent_log\nRefererLog logs/referer_log\n',
      after: '',
      finds: ['removed', 'removed'],
    },
  ],
  check({ line, context }) {
    const { advice, newName: name } = REMOVED_DIRECTIVES.get(line.name)!;
    const mayBeThirdParty = thirdPartyModules(line.name, false).length > 0;
    const loadedModules = context.fileContext?.modules ?? null;
    if (
      mayBeThirdParty &&
      (context.activity !== 'active' ||
        (loadedModules !== null && [...loadedModules].some((module) => mayModuleHave(module, line.name))))
    )
      return NO_FINDINGS;
    const fixes: Fix[] =
      name === undefined
        ? []
        : [
            {
              title: `Rename ${spelledName(line)} to ${name}`,
              safety: 'suggestion',
              edits: [renameDirective(line, name)],
            },
          ];
    return [
      {
        messageId: 'removed',
        what: `\`${spelledName(line)}\` was removed before 2.2`,
        help: argumentsOf(line)[0]?.value === '/dev/null' ? 'Remove the line: /dev/null has no lines.' : advice,
        serverText: serverTextFor(line, context),
        ...contentSpan(line),
        tag: 'deprecated',
        ...(mayBeThirdParty &&
          loadedModules === null && {
            resolve: (facts: FileFacts) =>
              hasFact(facts, Fact.isRoot) &&
              hasFact(facts, Fact.loadsModules) &&
              !hasFact(facts, Fact.includes, Fact.loadsUnknownModules)
                ? {}
                : null,
          }),
        fixes: [
          ...fixes,
          {
            title: name === 'Listen' ? 'Remove Port, and keep Listen' : titleToRemove(line),
            safety: hasNoEffect(line) ? 'safe' : 'suggestion',
            edits: [removeLine(line)],
          },
        ],
      },
    ];
  },
};

/**
 * The message of httpd; undefined if httpd reports another error first. A module of 2.4 may still
 * have the directive, only to refuse it with a message of its own.
 */
function serverTextFor(line: Line, { fileContext, isHtaccess, containers, limits }: Context): string | undefined {
  const { messageIn24 } = REMOVED_DIRECTIVES.get(line.name)!;
  const loadedModules = fileContext?.modules ?? null;
  if (messageIn24 === undefined || loadedModules?.has(messageIn24.refusingModule) === false)
    return invalidCommandText(line);
  // If the directive is not allowed here, httpd reports that first.
  return !isHtaccess && limits.length === 0 && containers.every((name) => name === 'virtualhost')
    ? messageIn24.text
    : undefined;
}

/** Whether the line has no effect: `ServerType standalone`, the only way httpd runs since 2.0. */
function hasNoEffect(line: Line): boolean {
  return line.name === 'servertype' && argumentsOf(line)[0]?.value.toLowerCase() === 'standalone';
}

/** Whether a loaded module has, or may have, a directive of this name. */
function mayModuleHave(module: string, name: string): boolean {
  if (!isThirdPartyModule(module)) return false;
  const thirdParty = thirdPartyModule(module);
  return thirdParty === undefined || thirdPartyModules(name, false).includes(thirdParty);
}

/** A directive that was removed before 2.2, and what to do about its lines. */
interface RemovedDirective {
  /** The help of the finding, as a sentence. */
  readonly advice: string;
  /** The directive of 2.4 that takes the same argument. Absent if there is none. */
  readonly newName?: string;
  /**
   * The message with which a module of 2.4 refuses the directive (command tables of server/core.c,
   * mod_autoindex.c, mod_ssl.c). Absent if no module of 2.4 has the directive.
   */
  readonly messageIn24?: {
    /** The manual's name of that module. */
    readonly refusingModule: string;
    readonly text: string;
  };
}

const HELP_FOR_MODULE_ORDER = 'Remove the line. httpd uses the modules in the order of the LoadModule lines.';
const HELP_FOR_AUTHORITATIVE = 'Use `AuthBasicAuthoritative` and sections such as `<RequireAll>`.';
const HELP_FOR_DIGEST = 'Use `AuthUserFile` and `AuthGroupFile`, with the provider "file".';
const HELP_FOR_CACHE = 'Use mod_cache_disk; htcacheclean does the cleaning.';
const HELP_FOR_PERCHILD =
  'Use mpm_itk, a third-party module: virtual hosts have their own users. The perchild MPM was never finished.';
const HELP_FOR_DB = 'Use `AuthDBMUserFile` and `AuthDBMGroupFile` with `AuthDBMType DB`.';

const REMOVED_DIRECTIVES: ReadonlyMap<string, RemovedDirective> = new Map([
  ['accessconfig', { advice: 'Use `Include` for that file, or move its lines here.' }],
  ['resourceconfig', { advice: 'Use `Include` for that file, or move its lines here.' }],
  ['addmodule', { advice: HELP_FOR_MODULE_ORDER }],
  ['clearmodulelist', { advice: HELP_FOR_MODULE_ORDER }],
  ['agentlog', { advice: 'Use `CustomLog` with "%{User-agent}i".' }],
  ['refererlog', { advice: 'Use `CustomLog` with "%{Referer}i -> %U".' }],
  ['refererignore', { advice: 'Use `SetEnvIf Referer` and `CustomLog … env=!…`.' }],
  ['bindaddress', { advice: 'Use `Listen`, with a port.' }],
  [
    'port',
    {
      advice:
        'Write `Listen` with this port. If a `Listen` line already has it, remove `Port`. For the port in URLs that httpd makes, write `ServerName NAME:PORT`.',
      newName: 'Listen',
      messageIn24: { refusingModule: 'core', text: 'Port was replaced with Listen in Apache 2.0' },
    },
  ],
  ['servertype', { advice: 'Remove the line. httpd now always runs as a standalone server.' }],
  [
    'fancyindexing',
    {
      advice: 'Use `IndexOptions FancyIndexing`.',
      messageIn24: {
        refusingModule: 'mod_autoindex',
        text: 'The FancyIndexing directive is no longer supported. Use IndexOptions FancyIndexing.',
      },
    },
  ],
  [
    'ssllog',
    {
      advice: 'Remove the line. mod_ssl logs to the ErrorLog.',
      messageIn24: { refusingModule: 'mod_ssl', text: 'SSLLog directive is no longer supported - use ErrorLog.' },
    },
  ],
  [
    'sslloglevel',
    {
      advice: 'Use `LogLevel ssl:…`.',
      messageIn24: { refusingModule: 'mod_ssl', text: 'SSLLogLevel directive is no longer supported - use LogLevel.' },
    },
  ],
  ['authauthoritative', { advice: HELP_FOR_AUTHORITATIVE }],
  ['authdbmauthoritative', { advice: HELP_FOR_AUTHORITATIVE }],
  ['anonymous_authoritative', { advice: HELP_FOR_AUTHORITATIVE }],
  ['authdigestfile', { advice: HELP_FOR_DIGEST, newName: 'AuthUserFile' }],
  ['authdigestgroupfile', { advice: HELP_FOR_DIGEST, newName: 'AuthGroupFile' }],
  ['authdbuserfile', { advice: HELP_FOR_DB }],
  ['authdbgroupfile', { advice: HELP_FOR_DB }],
  ['authdbauthoritative', { advice: HELP_FOR_DB }],
  ['authldapenabled', { advice: 'Use `AuthBasicProvider ldap`.' }],
  ['authldapfrontpagehack', { advice: 'Remove the line.' }],
  ['authldapstarttls', { advice: 'Add the mode after the URL: `AuthLDAPURL "…" STARTTLS`.' }],
  ['ldaptrustedca', { advice: 'Use `LDAPTrustedGlobalCert`, with the type of the certificate first.' }],
  ['ldaptrustedcatype', { advice: 'Put the type first in `LDAPTrustedGlobalCert`.' }],
  ['cachesize', { advice: HELP_FOR_CACHE }],
  ['cachegcinterval', { advice: HELP_FOR_CACHE }],
  ['cachegcdaily', { advice: HELP_FOR_CACHE }],
  ['cachegcunused', { advice: HELP_FOR_CACHE }],
  ['cachegcclean', { advice: HELP_FOR_CACHE }],
  ['cachegcmemusage', { advice: HELP_FOR_CACHE }],
  ['cacheexpirycheck', { advice: HELP_FOR_CACHE }],
  ['cacheforcecompletion', { advice: 'Remove the line.' }],
  ['nocache', { advice: 'Use `CacheDisable`, for a path or URL.' }],
  ['assignuserid', { advice: HELP_FOR_PERCHILD }],
  ['childperuserid', { advice: HELP_FOR_PERCHILD }],
  ['numservers', { advice: HELP_FOR_PERCHILD }],
  ['maxthreadsperchild', { advice: 'Use `ThreadsPerChild` and `ThreadLimit`.' }],
  ['cgicommandarg', { advice: 'Remove the line. mod_cgi passes the arguments of an ISINDEX query.' }],
]);
