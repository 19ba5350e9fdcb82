/**
 * The command table of 2.4 as the server uses it: how a directive takes its arguments, and where it
 * may be used. index.ts has the same facts as texts. Here they are small records with bits, for
 * fast checks.
 */
import { cache, lazy } from '../syntax/memory';
import { directive, type ArgumentKind } from './index';

/** What 2.4 knows about a directive or section. */
export interface Command {
  /**
   * The name as httpd's command tables and messages spell it. The name of a section starts with `<`
   * and has no `>`.
   */
  readonly name: string;
  readonly kind: ArgumentKind;
  /** Bits of `Override`. One of them must be in force at the place of the line (`req_override`). */
  readonly requiredBits: number;
  /** Bits of `ForbiddenIn`: the places in which the directive is refused (ap_check_cmd_context). */
  readonly forbiddenBits: number;
  /**
   * Whether httpd executes the line while it reads the file (EXEC_ON_READ), before it looks at the
   * sections around it.
   */
  readonly isExecutedOnRead: boolean;
  /** The modules that have the directive. One of them must be loaded. */
  readonly modules: readonly string[];
}

/**
 * Permissions that can be in force: the classes of AllowOverride and the kinds of places
 * (include/http_config.h).
 */
export const Override = {
  limit: 1,
  options: 2,
  fileInfo: 4,
  authConfig: 8,
  indexes: 16,
  access: 64,
  server: 128,
  proxy: 256,
} as const;

/** All classes of AllowOverride. */
export const OR_ALL = Override.limit | Override.options | Override.fileInfo | Override.authConfig | Override.indexes;

/** Kinds of places in which a directive's function refuses the directive. */
export const ForbiddenIn = {
  virtualHost: 1,
  limit: 2,
  directory: 4,
  location: 8,
  files: 16,
  htaccess: 32,
  proxy: 64,
  /**
   * Any section with a path. A function of httpd that refuses directory, location and files has
   * this bit, because it refuses all sections with a path.
   */
  path: 128,
} as const;

/**
 * The command with this name; undefined if no module of 2.4 has it. `name` is in lower case,
 * without the `<` of a section.
 */
export function commandNamed(name: string, isSection: boolean): Command | undefined {
  const cacheOfKind = isSection ? sectionCache : commandCache;
  let command = cacheOfKind.get(name);
  if (command === undefined) {
    command = readCommand(name, isSection);
    // The cache needs a limit, because a file that is no configuration may have a new first word on
    // each line.
    if (cacheOfKind.size >= MAX_CACHED_COMMANDS) cacheOfKind.clear();
    cacheOfKind.set(name, command);
  }
  return command ?? undefined;
}

// ---------------------------------------------------------------------------------------------------------------------

const MAX_CACHED_COMMANDS = 4096;
const commandCache = cache<string, Command | null>();
const sectionCache = cache<string, Command | null>();

function readCommand(name: string, isSection: boolean): Command | null {
  const directiveEntry = directive(name, { section: isSection });
  const facts = directiveEntry?.['2.4'];
  if (!directiveEntry || !facts?.arguments) return null;
  return {
    name: isSection ? `<${directiveEntry.name}` : (NAMES_IN_COMMAND_TABLES[name] ?? directiveEntry.name),
    kind: facts.arguments,
    requiredBits: facts.flags.reduce((bits, flag) => bits | (BITS_OF_FLAG[flag] ?? 0), 0),
    forbiddenBits: forbiddenBitsByName().get(isSection ? `<${name}` : name) ?? 0,
    isExecutedOnRead: facts.execOnRead,
    modules: facts.modules,
  };
}

/**
 * Names that the command tables of 2.4 spell differently from the manual. The keys are the names in
 * lower case.
 */
const NAMES_IN_COMMAND_TABLES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'allow',
    'deny',
    'order',
    'Anonymous_NoUserId',
    'cachefile',
    'CookieHttpOnly',
    'DAV',
    'DAVBasePath',
    'DAVDepthInfinity',
    'DAVGenericLockDB',
    'DAVLockDB',
    'DAVLockDiscovery',
    'DAVMinTimeout',
    'DeflateAlterEtag',
    'LimitRequestFieldsize',
    'ListenBacklog',
    'mmapfile',
    'ProxyHTMLDoctype',
    'SSIEtag',
    'SSLOCSPNoVerify',
    'Timeout',
    'USE',
  ].map((name) => [name.toLowerCase(), name]),
);

const BITS_OF_FLAG: Readonly<Record<string, number>> = {
  OR_LIMIT: Override.limit,
  OR_OPTIONS: Override.options,
  OR_FILEINFO: Override.fileInfo,
  OR_AUTHCFG: Override.authConfig,
  OR_INDEXES: Override.indexes,
  ACCESS_CONF: Override.access,
  RSRC_CONF: Override.server,
  PROXY_CONF: Override.proxy,
};

const IN_PATH_SECTION = ForbiddenIn.directory | ForbiddenIn.location | ForbiddenIn.files;
const IN_ANY_SECTION = IN_PATH_SECTION | ForbiddenIn.limit | ForbiddenIn.proxy;

/**
 * The bits of `ForbiddenIn` for each flag that functions of directives pass to
 * ap_check_cmd_context.
 */
const FORBIDDEN_BITS_OF_FLAG: Readonly<Record<string, number>> = {
  GLOBAL_ONLY: IN_ANY_SECTION | ForbiddenIn.virtualHost,
  NOT_IN_DIR_CONTEXT: IN_ANY_SECTION,
  NOT_IN_VIRTUALHOST: ForbiddenIn.virtualHost,
  NOT_IN_LIMIT: ForbiddenIn.limit,
  NOT_IN_DIRECTORY: ForbiddenIn.directory,
  NOT_IN_LOCATION: ForbiddenIn.location,
  NOT_IN_FILES: ForbiddenIn.files,
  NOT_IN_HTACCESS: ForbiddenIn.htaccess,
  NOT_IN_PROXY: ForbiddenIn.proxy,
};

/** The bits of `ForbiddenIn` by the name of the directive, in lower case. */
const forbiddenBitsByName = lazy((): ReadonlyMap<string, number> => {
  const bitsByName = new Map<string, number>();
  const namesByFlags = require('./generated/places.json') as Readonly<Record<string, readonly string[]>>;
  for (const [flags, names] of Object.entries(namesByFlags)) {
    let bits = flags.split('|').reduce((sum, flag) => sum | (FORBIDDEN_BITS_OF_FLAG[flag] ?? 0), 0);
    // A function that refuses any kind of section also refuses <Limit>. A function that refuses
    // directory, location and files refuses every section with a path.
    if ((bits & IN_ANY_SECTION) !== 0) bits |= ForbiddenIn.limit;
    if ((bits & IN_PATH_SECTION) === IN_PATH_SECTION) bits |= ForbiddenIn.path;
    for (const name of names) bitsByName.set(name, bits);
  }
  return bitsByName;
});
