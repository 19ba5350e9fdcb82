/**
 * The layouts of 2.4 servers, one for each distribution: compiled-in modules, the directory of
 * modules, the form of a LoadModule line, the main file. The setting `httpdUpgrade.distribution`
 * chooses the layout; otherwise paths in the configuration show it.
 */
import { driveOf } from './files';

export type Distribution = 'debian' | 'rhel' | 'windows' | 'ihs' | 'ohs' | 'upstream';

export const DISTRIBUTIONS: readonly Distribution[] = ['debian', 'rhel', 'windows', 'ihs', 'ohs', 'upstream'];

/** The layout of a 2.4 server of one distribution. */
export interface DistributionProfile {
  /** The name shown to users. */
  readonly title: string;
  /**
   * Compiled-in modules, by the manual's names (`core` is core.c and http_core.c). A LoadModule
   * line for one of them is an error. null if they are not known.
   */
  readonly builtIn: ReadonlySet<string> | null;
  readonly serverRoot: string;
  /** The file with which the server starts reading. */
  readonly mainFile: string;
  /**
   * The folder of the modules in LoadModule lines: absolute, or below ServerRoot. No slash at the
   * end.
   */
  readonly modulesFolder: string;
  /**
   * The files with the LoadModule lines, as a pattern below ServerRoot. Null if the main file has
   * these lines.
   */
  readonly loadModuleFiles: string | null;
  /**
   * Patterns for files of sites and snippets, below ServerRoot, as in the IncludeOptional lines of
   * the main file.
   */
  readonly includePatterns: readonly string[];
}

/**
 * The profile of each distribution. The compiled-in modules of Debian are those of `apache2 -l`
 * (2.4.71; test/httpd compares). The others are derived from how the packages are built.
 *
 * Upstream is `./configure` without options. The usual modules are built as files (acinclude.m4,
 * APACHE_ENABLE_MODULES). mod_so and mod_http are always compiled in (modules/core/config.m4,
 * modules/http/config.m4), and so is the MPM, which is event if the system supports it
 * (server/mpm/config2.m4).
 *
 * For all builds for Windows, ap_prelinked_modules lists the modules (os/win32/modules.c of 2.4).
 * The published `httpd -l` of a build of Apache Haus lists these modules as core.c, mod_win32.c,
 * mpm_winnt.c, http_core.c, mod_so.c. The set omits modules without a page in the manual
 * (mod_win32).
 *
 * Red Hat's package (httpd.spec of 2.4.18 and later) is configured with --enable-mods-shared=all
 * --enable-mpms-shared=all, and its conf.modules.d/00-base.conf has LoadModule lines for mod_unixd,
 * mod_log_config, mod_logio, mod_version and mod_watchdog.
 *
 * IBM HTTP Server 9 and Oracle HTTP Server 12.2.1 are builds of httpd 2.4 whose compiled-in modules
 * are not documented. IBM, "Migrating IBM HTTP Server configuration files from a previous release":
 * the MPM on Linux is event. Oracle, "Administering Oracle HTTP Server": the modules are in
 * `${PRODUCT_HOME}/modules`, and ohs.plugins.nodemanager.properties chooses the MPM.
 *
 * Users with another build set `builtinModules` or `--modules`.
 */
export const PROFILES: Readonly<Record<Distribution, DistributionProfile>> = {
  debian: {
    title: 'Debian, Ubuntu',
    builtIn: new Set(['core', 'mod_so', 'mod_watchdog', 'mod_log_config', 'mod_logio', 'mod_version', 'mod_unixd']),
    serverRoot: '/etc/apache2',
    mainFile: '/etc/apache2/apache2.conf',
    modulesFolder: '/usr/lib/apache2/modules',
    loadModuleFiles: 'mods-enabled/*.load',
    includePatterns: ['mods-enabled/*.conf', 'conf-enabled/*.conf', 'sites-enabled/*.conf'],
  },
  rhel: {
    title: 'Red Hat, CentOS, Fedora',
    builtIn: new Set(['core', 'mod_so']),
    serverRoot: '/etc/httpd',
    mainFile: '/etc/httpd/conf/httpd.conf',
    modulesFolder: 'modules',
    loadModuleFiles: 'conf.modules.d/*.conf',
    includePatterns: ['conf.d/*.conf'],
  },
  windows: {
    title: 'Windows: Apache Lounge, XAMPP, WampServer, AppServ',
    builtIn: new Set(['core', 'mod_so', 'mpm_winnt']),
    serverRoot: 'C:/Apache24',
    mainFile: 'C:/Apache24/conf/httpd.conf',
    modulesFolder: 'modules',
    loadModuleFiles: null,
    includePatterns: [],
  },
  ihs: {
    title: 'IBM HTTP Server',
    builtIn: null,
    serverRoot: '/opt/IBM/HTTPServer',
    mainFile: '/opt/IBM/HTTPServer/conf/httpd.conf',
    modulesFolder: 'modules',
    loadModuleFiles: null,
    includePatterns: [],
  },
  ohs: {
    title: 'Oracle HTTP Server',
    builtIn: null,
    serverRoot: '${DOMAIN_HOME}/config/fmwconfig/components/${COMPONENT_TYPE}/instances/${COMPONENT_NAME}',
    mainFile: '${DOMAIN_HOME}/config/fmwconfig/components/OHS/ohs1/httpd.conf',
    modulesFolder: '${PRODUCT_HOME}/modules',
    loadModuleFiles: null,
    includePatterns: ['moduleconf/*.conf'],
  },
  upstream: {
    title: 'built from the sources of httpd',
    builtIn: new Set(['core', 'mod_so', 'event']),
    serverRoot: '/usr/local/apache2',
    mainFile: '/usr/local/apache2/conf/httpd.conf',
    modulesFolder: 'modules',
    loadModuleFiles: null,
    includePatterns: [],
  },
};

/** Facts in a configuration that show its distribution. */
export interface DistributionClues {
  /** Paths of the configuration's files, with forward slashes. */
  readonly files: readonly string[];
  /** The second arguments of the configuration's LoadModule lines. */
  readonly loadModulePaths?: readonly string[];
  readonly serverRoot?: string;
}

/**
 * The distribution that has this layout; null if the clues do not show it.
 *
 * A server path with a drive means Windows. So do mod_isapi and DLLs, if ServerRoot has no drive,
 * as in a XAMPP that was not set up.
 *
 * `/etc/apache2` alone is no proof of Debian, because Gentoo, SUSE and macOS have it, too. A path
 * below `modules/` is no proof either, because RHEL and httpd's own layout have it. Folders such as
 * `sites-enabled` count only if no module of httpd is loaded from another directory than Debian's:
 * users also create such folders on other systems.
 *
 * Arch and Slackware have /etc/httpd as Red Hat does, but with httpd's own directory `extra`. How
 * they build httpd is not known here.
 */
export function detectDistribution({
  files,
  loadModulePaths = [],
  serverRoot,
}: DistributionClues): Distribution | null {
  // Vendors come before Windows. On Windows, a server of these vendors has the same directories as
  // elsewhere.
  if (loadModulePaths.some((path) => IBM_MODULE.test(path)) || IBM_FOLDER.test(serverRoot ?? '')) return 'ihs';
  if (loadModulePaths.some((path) => ORACLE_MODULE.test(path)) || ORACLE_FOLDER.test(serverRoot ?? '')) return 'ohs';
  if (isWindowsServerRoot(serverRoot ?? '') || loadModulePaths.some((path) => WINDOWS_MODULE.test(path)))
    return 'windows';
  if (files.some((file) => DEBIAN_FILE.test(file)) || loadModulePaths.some((path) => DEBIAN_MODULE.test(path)))
    return 'debian';
  if (files.some((file) => EXTRA_FOLDER_IN_ETC.test(file)) && !files.some((file) => RHEL_MODULES_FOLDER.test(file)))
    return null;
  if (
    files.some((file) => RHEL_FILE.test(file)) ||
    loadModulePaths.some((path) => RHEL_MODULE.test(path)) ||
    isBelow(serverRoot, '/etc/httpd')
  )
    return 'rhel';
  if (files.some((file) => UPSTREAM_FILE.test(file)) || isBelow(serverRoot, '/usr/local/apache2')) return 'upstream';
  if (
    files.some((file) => DEBIAN_FOLDER.test(file)) &&
    !loadModulePaths.some((path) => MODULE_OUTSIDE_DEBIAN.test(path))
  )
    return 'debian';
  return null;
}

/** Whether a server with this ServerRoot runs on Windows. */
export function isWindowsServerRoot(serverRoot: string): boolean {
  return driveOf(serverRoot) !== '';
}

/**
 * The modules that are compiled into a server of the distribution; null if they are unknown. If
 * ServerRoot has a drive, they are those of Windows, whatever the distribution is.
 */
export function builtInModules(distribution: Distribution | null, serverRoot: string): ReadonlySet<string> | null {
  const distributionOfModules = isWindowsServerRoot(serverRoot) ? 'windows' : distribution;
  return distributionOfModules && PROFILES[distributionOfModules].builtIn;
}

/**
 * The LoadModule line of a module by the manual's name (`mod_alias`, or an MPM such as `event`), in
 * the style of a distribution.
 */
export function loadModuleLine(module: string, distribution: Distribution): string {
  const bareName = module.startsWith('mod_') ? module.slice('mod_'.length) : `mpm_${module}`;
  return `LoadModule ${bareName}_module ${PROFILES[distribution].modulesFolder}/mod_${bareName}.so`;
}

/**
 * Whether Red Hat's package httpd loads a module, by the manual's name, in each release with 2.4.
 * 00-base.conf has some LoadModule lines only as comments (mod_speling, mod_usertrack).
 */
export function isLoadedByRedHat(module: string): boolean {
  return LOADED_BY_RED_HAT.has(module);
}

// ---------------------------------------------------------------------------------------------------------------------

/** The files of conf.modules.d in the package httpd of RHEL 7 and of Fedora 40. */
const LOADED_BY_RED_HAT: ReadonlySet<string> = new Set([
  ...['prefork', 'worker', 'event'],
  ...[
    ...['access_compat', 'actions', 'alias', 'allowmethods', 'auth_basic', 'auth_digest', 'authn_anon', 'authn_core'],
    ...['authn_dbd', 'authn_dbm', 'authn_file', 'authn_socache', 'authz_core', 'authz_dbd', 'authz_dbm'],
    ...['authz_groupfile', 'authz_host', 'authz_owner', 'authz_user', 'autoindex', 'cache', 'cache_disk', 'cgi'],
    ...['cgid', 'data', 'dav', 'dav_fs', 'dav_lock', 'dbd', 'deflate', 'dir', 'dumpio', 'echo', 'env', 'expires'],
    ...['ext_filter', 'filter', 'headers', 'include', 'info', 'lbmethod_bybusyness', 'lbmethod_byrequests'],
    ...['lbmethod_bytraffic', 'lbmethod_heartbeat', 'log_config', 'logio', 'mime', 'mime_magic', 'negotiation'],
    ...['proxy', 'proxy_ajp', 'proxy_balancer', 'proxy_connect', 'proxy_express', 'proxy_fcgi', 'proxy_fdpass'],
    ...['proxy_ftp', 'proxy_http', 'proxy_scgi', 'remoteip', 'reqtimeout', 'rewrite', 'setenvif', 'slotmem_plain'],
    ...['slotmem_shm', 'socache_dbm', 'socache_memcache', 'socache_shmcb', 'status', 'substitute', 'suexec'],
    ...['unique_id', 'unixd', 'userdir', 'version', 'vhost_alias'],
  ].map((name) => `mod_${name}`),
]);

const DEBIAN_FILE = /(^|\/)(apache2\/apache2\.conf$|apache2\/(mods|sites|conf)-(available|enabled)\/)/;
const DEBIAN_FOLDER = /(^|\/)(mods|sites|conf)-(available|enabled)\//;
const DEBIAN_MODULE = /^"?\/usr\/lib\/apache2\/modules\//;
/**
 * A LoadModule path that only Windows has: a DLL, a path with a drive, or mod_isapi
 * (modules/arch/win32).
 */
const WINDOWS_MODULE = /^"?([A-Za-z]:[\\/]|(.*\/)?mod_isapi\.so"?$|.*\.dll"?$)/i;
/** The modules that only IBM HTTP Server has, and a path below one of its default directories. */
const IBM_MODULE = /(^|[\\/"])mod_(ibm_ssl|ibm_ldap|afpa_cache)\.(so|dll)"?$/i;
const IBM_FOLDER =
  /[\\/](IBM|WebSphere)[\\/](HTTPServer|IBMIHS|IHS)|[\\/](IHS(v?\d+)?|IBM(IHS\d*|HttpServer))([\\/]|$)/i;
/** The modules that only Oracle HTTP Server has, and the variables in its paths. */
const ORACLE_MODULE =
  /(^|[\\/"])mod_(ossl|wl_ohs|onsint|certheaders|plsql|osso|oradav)\.(so|dll)"?$|^"?\$\{(ORACLE_HOME|PRODUCT_HOME)\}[\\/]/i;
const ORACLE_FOLDER = /^\$\{(ORACLE_INSTANCE|ORACLE_HOME|DOMAIN_HOME)\}/;
/** A module that most servers load, in a directory that is not Debian's. */
const MODULE_OUTSIDE_DEBIAN =
  /^"?modules\/|(^|[\\/"])mod_(alias|auth_basic|authz_host|autoindex|dir|env|log_config|mime|negotiation|rewrite|setenvif)\.so"?$/;
const RHEL_FILE = /(^|\/)(conf\.modules\.d\/|etc\/httpd\/)/;
const RHEL_MODULES_FOLDER = /(^|\/)conf\.modules\.d\//;
/**
 * The directory `extra` of Arch Linux (PKGBUILD of the package apache) and Slackware
 * (httpd.SlackBuild).
 */
const EXTRA_FOLDER_IN_ETC = /(^|\/)etc\/httpd\/(conf\/)?extra\/httpd-[\w-]+\.conf$/;
const RHEL_MODULE = /^"?\/usr\/lib(64)?\/httpd\/modules\//;
const UPSTREAM_FILE = /(^|\/)(usr\/local\/apache2\/|conf\/extra\/httpd-[\w-]+\.conf$)/;

function isBelow(path: string | undefined, folder: string): boolean {
  return path !== undefined && (path === folder || path.startsWith(`${folder}/`));
}
