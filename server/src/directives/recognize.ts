/**
 * Recognizes Apache httpd configuration: for every `.conf` that an editor opens, and for every file
 * of a folder on the command line.
 *
 * `isHttpdPath` decides by the path if the path alone is proof. `looksLikeHttpd` decides by the
 * first 16 KB of the content: it looks for typical lines, and for lines of other programs. A
 * wrongly recognized file costs its owner more (false findings, a fix that breaks it) than a missed
 * one, so both prefer "no". Pure: no file system, no editor.
 */

/** Number of characters that are read of a file. */
const MAX_READ_LENGTH = 16 * 1024;

/**
 * The total weight of lines that is enough evidence: one unmistakable line (3), or a few typical
 * ones.
 */
const MIN_TOTAL_WEIGHT = 3;

/**
 * Whether a path is that of httpd configuration; undefined if the content has to decide. The path
 * has forward slashes.
 */
export function isHttpdPath(path: string): boolean | undefined {
  const pathParts = path.toLowerCase().split('/');
  const fileName = pathParts.pop() ?? '';
  const parentFolder = pathParts[pathParts.length - 1] ?? '';
  if (NO_CONFIGURATION_NAME.test(fileName)) return false;
  if (HTACCESS_NAME.test(fileName) || MAIN_FILE_NAME.test(fileName)) return true;

  const hasConfName = CONF_NAME.test(fileName);
  if (hasConfName && (parentFolder === 'conf.modules.d' || /^mods-(available|enabled)$/.test(parentFolder)))
    return true;
  const serverFolderIndex = pathParts.findIndex((part) => SERVER_FOLDER.test(part));
  if (serverFolderIndex !== -1) {
    const foldersInside = pathParts.slice(serverFolderIndex + 1);
    const isHttpdFolder =
      pathParts[serverFolderIndex - 1] === 'etc' || foldersInside.some((part) => CONFIG_FOLDER.test(part));
    if (hasConfName && isHttpdFolder) return true;
    if (SITE_FOLDER.test(parentFolder)) return true;
  }

  const mayBeConfiguration =
    ANY_CONF_NAME.test(fileName) ||
    SERVER_IN_NAME.test(fileName) ||
    SITE_FOLDER.test(parentFolder) ||
    SERVER_FOLDER.test(parentFolder);
  return mayBeConfiguration ? undefined : false;
}

/** Matches the end of a name with which a user marks a copy, such as `.bak` or `.conf_old2`. */
const USER_SUFFIX =
  '(?:\\.|\\.conf[_-])(?:org|orig|bak|backup|back|bkp?|bck|bkup|copy|old|save|sav|dist|default|sample|example)(?:[._-]?\\d+)?';
/** Matches the end of a name with which a package or macOS marks a copy. */
const PACKAGE_SUFFIX =
  '\\.(?:rpmnew|rpmsave|rpmorig|dpkg-\\w+|ucf-\\w+|pacnew|pacsave|pre-up(?:date|grade)|previous|prev|applesaved)|~(?:orig|previous)?';
/** Matches a number or a date at the end: `.20120501`, `-2012-05-01`, `.14Apr2020`, `.conf-2`. */
const DATE_SUFFIX =
  '(?:[._-]\\d{6,}|[._-]\\d{2,4}[._-]\\d{1,2}[._-]\\d{2,4}|[._-]\\d{1,2}[._-]?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}[._-]?\\d{2,4})(?:[._-]\\d+){0,2}|\\.conf[._-]\\d+';
/**
 * Matches the end of a name with which an installer marks its original: `make install` of old
 * releases (httpd-std.conf), WampServer (httpd.conf.build). Also `_` at the end.
 */
const ORIGINAL_NAME = '(?:^|/)(?:httpd|ssl|highperformance)-std\\.conf|\\.conf(?:\\.build|_+)';
const OLD_COPY_NAME = new RegExp(`(?:${USER_SUFFIX}|${PACKAGE_SUFFIX}|${DATE_SUFFIX}|${ORIGINAL_NAME})$`, 'i');

/**
 * Whether the name marks a copy made by a user, a package or an editor. Such a file is not the main
 * file of a server.
 */
export function isCopyName(path: string): boolean {
  return OLD_COPY_NAME.test(path);
}

/**
 * Whether a path is that of a copy (`isCopyName`), or of a file that `make install` or a package
 * put into `original`.
 */
export function isUnusedCopy(path: string): boolean {
  return isCopyName(path) || /(?:^|\/)original\/(?:extra\/)?[^/]+$/.test(path);
}

/**
 * Whether a file that no configuration is by its path (`isHttpdPath` is false) may be one with an
 * unusual name: without an extension, or with one of a domain, of any configuration or of a
 * template.
 */
export function mayBeUnusuallyNamed(path: string): boolean {
  const fileName = path.toLowerCase().split('/').pop() ?? '';
  return UNUSUAL_NAME.test(fileName) && !NO_CONFIGURATION_NAME.test(fileName);
}

/** Whether the text looks like httpd configuration. Reads only its first 16 KB. */
export function looksLikeHttpd(text: string): boolean {
  let evidence = 0;
  let doubt = 0;
  let hasOnlySharedNames = true;
  for (const line of firstPhysicalLines(text)) {
    if (FOREIGN_LINES.test(line) || OPENBSD_LINE.test(line)) return false;
    const weight = weightOfLine(line);
    if (weight > 0) evidence += weight;
    else doubt -= weight;
    if (weight > 1) hasOnlySharedNames = false;
  }
  // `User`, `Port` and `Timeout` also occur in other programs. If there are only such lines, the
  // evidence must clearly outweigh the doubt.
  return evidence >= MIN_TOTAL_WEIGHT && evidence > (hasOnlySharedNames ? 2 : 1) * doubt;
}

/**
 * Whether the text is a configuration of OpenBSD's httpd, which reads a file of the same name. It
 * has lines such as `server "example.com" {`.
 */
export function isOpenBsdHttpd(text: string): boolean {
  return firstPhysicalLines(text).some((line) => OPENBSD_LINE.test(line));
}

/** Whether a file has the name that Apache httpd and OpenBSD's httpd share. */
export function mayBeOpenBsd(path: string): boolean {
  return /(?:^|[\\/])httpd\.conf$/i.test(path);
}

/** The weight of a line as evidence for httpd (positive) or against it (negative). */
function weightOfLine(line: string): number {
  if (UNMISTAKABLE_LINES.test(line)) return 3;
  const firstWord = /^[^\s=]+/.exec(line)?.[0] ?? '';
  if (TYPICAL_DIRECTIVES.has(firstWord.toLowerCase()) || DIRECTIVE_FAMILIES.test(firstWord)) return 2;
  if (FOREIGN_SYNTAX.test(line)) return -3;
  if (SHARED_NAMES.has(firstWord)) return 1;
  // These lines count neither for nor against httpd: other sections, templates, and `CamelCase`
  // names as in third-party modules.
  return /^(?:<|[{%@$]|[A-Z][A-Z\d_]*[a-z][a-z\d_]*[A-Z]|[A-Z]{2,}_?[a-z])/.test(firstWord) ? 0 : -1;
}

/**
 * The first physical line of each logical line, trimmed, without comments and empty lines. Reads
 * only the first `MAX_READ_LENGTH` characters.
 */
function firstPhysicalLines(text: string): string[] {
  const lines = text.slice(0, MAX_READ_LENGTH).split('\n');
  if (text.length > MAX_READ_LENGTH) lines.pop();
  const statements: string[] = [];
  let isContinuation = false;
  for (const rawLine of lines) {
    const line = rawLine.trim();
    if (!isContinuation && line !== '' && !line.startsWith('#')) statements.push(line);
    isContinuation = line.endsWith('\\');
  }
  return statements;
}

// ---- Paths (compared in lower case) ----

/** Files in httpd's folders that are no configuration, and leftovers of editors. */
const NO_CONFIGURATION_NAME =
  /^(?:envvars|magic|mime\.types|readme.*|makefile.*|(?:docker|container)file(?:[-._].*)?|.*\.(?:docker|container)file|copying|license|changelog|.*\.(?:sw[a-p]|c|h|cpp|ts|go|java|pl|pm|py|sh|rb|php|html?(?:\.[\w-]+){0,2}|s?css|js|json|ya?ml|xml|md|key|crt|csr|pem|der|p12|gz|zip|so|exe|log|pid|dll|png|gif|jpe?g|svg|ico))$/;

/** Matches names such as `site`, `www.example.org`, `site.cfg` and `site.tpl`. */
const UNUSUAL_NAME =
  /^[^.]+$|^[^.].*\.(?:cfg|cnf|cf|config|inc|apache2?|httpd|com|org|net|edu|gov|local|tpl|tmpl|template|erb|epp|j2|jinja2?|mustache|in)$/;

const HTACCESS_NAME = /^(?:[._]?htaccess(?:[-.][^/]*)?|.+\.htaccess)$/;

/** Matches the end of the name of a copy that users, packages or documentation make. */
const COPY_SUFFIX = '(?:[-.](?:in|dist|default|orig|bak|old|sample|example|rpm(?:new|save|orig)|dpkg-[a-z]+))?';
/**
 * Matches `httpd.conf`, `apache2.conf`, `httpd-vhosts.conf`, `httpd.ssl.conf`, and copies of them.
 */
const MAIN_FILE_NAME = new RegExp(
  `^(?:(?:httpd|apache2?|apache2[24])\\.conf|httpd[-.][^/]+\\.conf|srm\\.conf)${COPY_SUFFIX}$`,
);
const CONF_NAME = new RegExp(`\\.(?:conf|load|include|vhost)${COPY_SUFFIX}$`);

/** Matches the name of a configuration file of any program. */
const ANY_CONF_NAME = /\.(?:conf(?:x|off|old|bak|dis|disabled)?|load|include|vhosts?)(?:[-._~][^/]*)?$/;
/** Matches a name that contains the server's, such as `owa-apache` or `apache_proxy`. */
const SERVER_IN_NAME = /(?:^|[-_.])(?:apache2?|httpd)(?:$|[-_.])/;

const SERVER_FOLDER = /^(?:httpd|apache2?)[-_]?(?:2?[-_.]?[0-9](?:\.[0-9x]+)?)?$/;
const CONFIG_FOLDER =
  /^(?:conf|conf\.d|conf\.modules\.d|extra|original|other|users|modules\.d|vhosts(?:\.d)?|(?:conf|mods|sites)-(?:available|enabled))$/;
const SITE_FOLDER = /^(?:sites|sites-(?:available|enabled)|vhosts(?:\.d)?|conf\.d)$/;

// ---- Content ----

/**
 * Matches lines of which one is enough evidence. Files of CUPS also have `Order`, `Allow` and
 * `<Location>`, but `FOREIGN_LINES` matches other lines of these files.
 */
const UNMISTAKABLE_LINES = new RegExp(
  [
    '<(?:VirtualHost|Directory|Files|Location|Proxy)(?:Match)?\\s+[^>]+>',
    '<IfModule\\s+!?\\w+_module\\s*>',
    '<If(?:Define|Version|File|Directive|Section)\\s+\\S.*>',
    '<(?:Limit|LimitExcept)\\s+[A-Z ]+>',
    '<Require(?:All|Any|None)>',
    '<(?:ElseIf|If)\\s+".*%\\{.*>',
    'Order\\s+(?:deny,\\s*allow|allow,\\s*deny|mutual-failure)$',
    '(?:Allow|Deny)\\s+from\\s+\\S',
    'Require\\s+(?:not\\s+)?(?:all\\s+(?:granted|denied)|valid-user|(?:ip|host|env|method|expr|user|group|local)\\b.*)$',
    'LoadModule\\s+\\w+_module\\s+\\S+$',
    'Options\\s+(?:[-+]?(?:All|None|Indexes|Includes|IncludesNOEXEC|FollowSymLinks|SymLinksIfOwnerMatch|ExecCGI|MultiViews)\\b\\s*)+$',
    'ProxyPass(?:Match|Reverse)?\\s+(?:\\S+\\s+)?(?:!$|(?:ajp|https?|wss?|fcgi|balancer):)',
    'Rewrite(?:Engine\\s+(?:on|off)|Rule\\s+\\S+\\s+\\S|Cond\\s+"?[%$])',
    'php_(?:admin_)?(?:value|flag)\\s+\\S+\\s+\\S',
    '(?:ErrorDocument\\s+[1-5][0-9]{2}|Redirect(?:Match)?\\s+(?:[1-5][0-9]{2}|permanent|temp)|SetHandler|AddType|DirectoryIndex|NameVirtualHost)\\s+\\S',
  ]
    .join('|')
    .replace(/^/, '^(?:')
    .concat(')'),
  'i',
);

/**
 * Matches lines that no httpd configuration has: lines of XML, CUPS, ProFTPD, collectd, and others
 * with sections similar to httpd's.
 */
const FOREIGN_LINES = new RegExp(
  '^(?:<\\?xml|<!DOCTYPE|<!--|<(?:Policy|Global|Anonymous|Plugin|Class|source|match|parse|filter|store|label|system)\\b(?![-.])[^>]*>$' +
    '|(?:WebInterface|Browsing|DefaultAuthType|SystemGroup|DefaultRoot|MaxInstances|UseFtpUsers|RequireValidShell|LoadPlugin|ModulePath|PageLog|MaxLogSize)\\s)',
  'i',
);

/** Matches lines of OpenBSD's httpd.conf(5): `server name {`, `types {`. */
const OPENBSD_LINE = /^(?:server\s+(?:match\s+)?(?:"[^"]+"|[^\s{"]+)\s*\{|types\s*\{)/;

/**
 * Matches syntax of other programs: braces, `key = value`, `key: value`, `[section]`, statements
 * closed with `;`, and an `Allow` without `from`.
 */
const FOREIGN_SYNTAX =
  /^\[[^\]]+\]\s*$|^[\w.:/-]+\s*(?:\+=|:?=(?!=))|^[\w.-]+:(?:\s|$)|^(?:Allow|Deny)\s+(?!from\s)|[;{]\s*(?:#.*)?$|^[}\])]/;

/**
 * Matches directives by the beginning of their names, such as `SSL` or `Auth`: those of httpd's
 * modules and of well-known others.
 */
const DIRECTIVE_FAMILIES = new RegExp(
  '^<(?:IfModule|Macro|Perl|Else)\\b' +
    '|^(?:Rewrite|SSL|Proxy|Balancer|Auth(?:n|z|nz|LDAP|Basic|FileSummary|DB|DBM|DBD|Form)|Cache|Expires|Deflate|Dav|DAV|CGI|Fcgid|FastCgi|WSGI|Jk|Perl|Python|Passenger|Sec|SVN|Krb|Mellon|H2|Lua|Script|Redirect|Alias)[A-Z]\\w*$' +
    '|^(?:RPAF|RealIP|RemoteIP|CloudFlareRemoteIP|VGRemoteIP|RewriteIP)_?[A-Za-z]\\w*$',
);

const TYPICAL_DIRECTIVES = wordSet(`
  AcceptFilter AcceptMutex AcceptPathInfo AccessFileName AddAlt AddCharset AddDefaultCharset AddDescription AddEncoding
  AddHandler AddIcon AddIconByEncoding AddIconByType AddInputFilter AddLanguage AddModule AddOutputFilter
  AddOutputFilterByType AllowOverride AllowOverrideList AuthGroupFile AuthName AuthType AuthUserFile BrowserMatch
  BrowserMatchNoCase BufferedLogs ClearModuleList ContentDigest CoreDumpDirectory CustomLog DefaultIcon DefaultLanguage
  DefaultType DirectorySlash DocumentRoot EnableMMAP EnableSendfile ErrorLogFormat ExtendedStatus FallbackResource FileETag
  ForceType HeaderName HostnameLookups IdentityCheck IncludeOptional IndexIgnore IndexOptions IndexOrderDefault
  KeepAliveTimeout LanguagePriority ForceLanguagePriority LimitInternalRecursion LimitRequestBody LimitRequestFields
  LimitRequestFieldSize LimitRequestLine LoadFile LogFormat MaxKeepAliveRequests MaxRequestsPerChild MaxRequestWorkers
  MaxConnectionsPerChild MaxSpareServers MaxSpareThreads MIMEMagicFile MinSpareServers MinSpareThreads ModMimeUsePathInfo
  PassEnv ReadmeName RemoveEncoding RemoveHandler RemoveType RequestHeader RequestReadTimeout RLimitCPU RLimitMEM RLimitNPROC
  ScoreBoardFile ScriptAlias ServerAdmin ServerLimit ServerPath ServerSignature ServerTokens SetEnv SetEnvIf SetEnvIfNoCase
  SetInputFilter SetOutputFilter StartServers SuexecUserGroup ThreadLimit ThreadsPerChild ThreadStackSize TraceEnable
  TransferLog TypesConfig UnsetEnv UseCanonicalName UserDir VirtualDocumentRoot VirtualScriptAlias XBitHack`);

/**
 * Directives of httpd whose names other programs use as well; they count only in httpd's spelling.
 */
const SHARED_NAMES = new Set(
  `
  Action Alias Allow Define Deny ErrorLog Group Header Include KeepAlive Listen LockFile LogLevel MaxClients Mutex Options
  Order PidFile Port Protocols Redirect Require Satisfy ServerAlias ServerName ServerRoot ServerType Timeout Use User`
    .trim()
    .split(/\s+/),
);

function wordSet(text: string): Set<string> {
  return new Set(text.trim().toLowerCase().split(/\s+/));
}
