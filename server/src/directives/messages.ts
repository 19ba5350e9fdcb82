/**
 * What httpd 2.4 says after an upgrade, and what to do about it: error log lines with an AH code, and start-up errors that
 * have none. Written in our own words. The texts are the server's, checked against its binaries by
 * test/directives/messages.test.ts; `source` names where the meaning is from.
 */
export interface Message {
  /** `AH01797`; undefined for a start-up error that has none. */
  readonly code?: string;
  /** The server's words, with `…` for what differs from case to case. */
  readonly text: string;
  /** What it says, and when it comes after an upgrade. */
  readonly meaning: string;
  readonly remedy: string;
  /** Ids of rules that find the cause in a configuration. */
  readonly rules: readonly string[];
  /** Directives and modules it is about; sections with their `<`. */
  readonly about: readonly string[];
  /** Other words for it that people search with, in lower case. */
  readonly aliases?: readonly string[];
  /** No message of the server at all, but something people see. */
  readonly isSymptom?: boolean;
  /** A configuration test or request against a running 2.4.71; the manual; or the source alone. */
  readonly source: 'experiment' | 'manual' | 'source';
}

/** The message with that code: `AH01797`, `ah1797`, `1797`. A number that is a status people see (`502`) is no code. */
export function messageByCode(term: string): Message | undefined {
  const digits = /^(?:AH)?0*(\d{1,5})$/i.exec(term.trim())?.[1];
  if (digits === undefined || allMessages().some(({ isSymptom, aliases }) => isSymptom && aliases?.includes(term.trim()))) return undefined;
  return allMessages().find(({ code }) => code === `AH${digits.padStart(5, '0')}`);
}

/**
 * The messages that a text speaks of: a line copied from a log (its code is enough), the server's words with anything for
 * their variable parts, a piece of them, or words that people search with. The best first; several when they fit alike.
 */
export function messagesIn(text: string): readonly Message[] {
  const coded = [...text.matchAll(/AH\d{5}/g)].flatMap(([code]) => messageByCode(code) ?? []);
  // AH00526 only says where; the line with the reason follows it.
  const telling = coded.filter(({ code }) => code !== 'AH00526');
  if (telling.length > 0) return telling;
  const wanted = simple(text);
  const scored = allMessages().map((message) => ({ message, score: message.code === 'AH00526' ? 0 : likeness(message, wanted) }));
  const best = Math.max(ENOUGH, ...scored.map(({ score }) => score));
  const fitting = scored.filter(({ score }) => score === best).map(({ message }) => message);
  return fitting.length > 0 ? fitting : coded;
}

/** Fewer letters in common are chance. */
const ENOUGH = 11;

/** How many letters of the message are in the text, its variable parts left out. */
function likeness({ text, aliases = [], isSymptom }: Message, wanted: string): number {
  if (aliases.some((alias) => (isSymptom ? alias === wanted : wanted.includes(alias)))) return 1000;
  const words = simple(text);
  if (wanted.length >= ENOUGH && words.includes(wanted)) return wanted.length + 1;
  if (isSymptom) return 0;
  let from = 0;
  let score = 0;
  for (const piece of words.split('…').map((part) => part.trim())) {
    const at = wanted.indexOf(piece, from);
    if (at === -1) continue;
    from = at + piece.length;
    score += piece.length;
  }
  return score;
}

function simple(text: string): string {
  return text.toLowerCase().replaceAll('’', "'").replace(/\s+/g, ' ').trim();
}

let all: readonly Message[] | undefined;

export function allMessages(): readonly Message[] {
  return (all ??= list());
}

/** In a function, so that nothing is built before somebody asks. */
function list(): Message[] {
  return [
    // ---- Access control and authorization ----
    {
      code: 'AH01797',
      text: 'client denied by server configuration: …',
      meaning:
        'mod_access_compat refused the request (403): an `Order`, `Allow` or `Deny` applies, perhaps one inherited from an outer section or a vendor’s file. A `Require all granted` nearby does not lift it, because old and new refusals add up.',
      remedy: 'Rewrite every `Order`, `Allow`, `Deny` and `Satisfy` that can apply to the same request, then stop loading mod_access_compat.',
      rules: ['access-mixed', 'order-allow-deny', 'access-compat-differs'],
      about: ['Order', 'Deny', 'mod_access_compat'],
      source: 'experiment',
    },
    {
      code: 'AH01630',
      text: 'client denied by server configuration: …',
      meaning:
        'mod_authz_core refused the request (403) by a `Require`, before asking for a password. After an upgrade often a `Require all denied` of the shipped configuration for `/`, which a folder elsewhere inherits.',
      remedy: 'Give the folder its own section with `Require all granted`, or with the `Require` that says who may. An old `Allow from` does not lift a `Require all denied`.',
      rules: ['order-allow-deny', 'access-mixed'],
      about: ['Require', 'mod_authz_core'],
      source: 'experiment',
    },
    {
      code: 'AH01624',
      text: '… directive contains only negative authorization directives',
      meaning: 'The configuration check fails: a container or section holds nothing but `Require not` or `<RequireNone>`, which can only refuse.',
      remedy: 'Put `Require all granted`, or what grants access, beside them in a `<RequireAll>`.',
      rules: ['require-not-alone'],
      about: ['<RequireAll', '<RequireNone'],
      source: 'experiment',
    },
    {
      code: 'AH01625',
      text: 'authorization result of …: … (directive limited to other methods)',
      meaning: 'A debug line: this `Require` stands in a `<Limit>` that does not cover the request’s method, so it did not count.',
      remedy: 'Nothing, if that is meant. Otherwise take the `Require` out of the `<Limit>`.',
      rules: ['limit-outside-directory'],
      about: ['<Limit', 'Require'],
      source: 'source',
    },
    {
      code: 'AH01626',
      text: 'authorization result of …: …',
      meaning: 'A debug line, one for each `Require` and container that was tried, with its result: granted, denied, denied (no authenticated user yet), neutral.',
      remedy: 'Read the lines above a refusal (AH01630, AH01631): they show which `Require` decided. `LogLevel authz_core:debug` brings them.',
      rules: [],
      about: ['Require', 'LogLevel'],
      source: 'source',
    },
    {
      code: 'AH01627',
      text: 'AuthType configured with no corresponding authorization directives',
      meaning: 'The request got 500: an `AuthType` is in effect and no `Require`. 2.2 served such a page without a password.',
      remedy: 'Say who may: `Require valid-user`, or `Require all granted` for everybody.',
      rules: ['authtype-without-require'],
      about: ['AuthType', 'Require'],
      source: 'experiment',
    },
    {
      code: 'AH01628',
      text: 'authorization result: granted (no directives)',
      meaning: 'A debug line: no `Require` applies to this request, which means access for everybody.',
      remedy: 'If something should have applied, look whether the section with the `Require` matches the request.',
      rules: [],
      about: ['Require'],
      source: 'source',
    },
    {
      code: 'AH01629',
      text: 'authorization failure (no authenticated user): …',
      meaning: 'A `Require` needs a user, and the request ended without one.',
      remedy: 'Check that `AuthType` and its provider apply where the `Require` stands.',
      rules: ['missing-module'],
      about: ['Require', 'AuthType'],
      source: 'source',
    },
    {
      code: 'AH01631',
      text: 'user …: authorization failure for "…":',
      meaning:
        'The password was right, but no `Require` lets this user in (401 again, so the browser keeps asking). After an upgrade: a group that only mod_authz_dbm knows (`dbm-group` now), a group file without that user, `Require` lines in a `<RequireAll>` that used to be alternatives.',
      remedy: 'Compare the user with the `Require` lines in effect; `LogLevel authz_core:debug` shows each result (AH01626).',
      rules: ['require-group-dbm', 'require-mixed-modules'],
      about: ['Require', 'AuthGroupFile'],
      source: 'experiment',
    },
    {
      code: 'AH01664',
      text: 'No group file was specified in the configuration',
      meaning: '`Require group` is in effect without an `AuthGroupFile`: no group matches. 2.2 left such a line to other modules.',
      remedy: 'Name the file with `AuthGroupFile`, or write `Require dbm-group` if the groups are in a DBM file.',
      rules: ['require-group-dbm'],
      about: ['AuthGroupFile', 'Require'],
      source: 'experiment',
    },
    {
      code: 'AH01753',
      text: "access check of '…' to … failed, reason: unable to get the remote host name",
      meaning: '`Require host` asked for the client’s name and the address has none in DNS: this line does not grant. 2.2 failed in silence.',
      remedy: 'Harmless where other lines grant. Prefer `Require ip`, or `Require forward-dns` for a host with a changing address.',
      rules: ['require-ip-operand'],
      about: ['Require', 'mod_authz_host'],
      source: 'experiment',
    },
    {
      code: 'AH02219',
      text: 'access to … failed, reason: …',
      meaning: '`SSLRequireSSL` or `SSLRequire` refused the request (403). In 2.2 a `Satisfy Any` could overrule it together with the host rules; without mod_access_compat it is absolute.',
      remedy: 'Where a password should be an alternative to TLS, write `Require ssl` beside the others in a `<RequireAny>`.',
      rules: ['order-allow-deny'],
      about: ['SSLRequireSSL', 'SSLRequire', 'Satisfy'],
      source: 'experiment',
    },
    // ---- Authentication ----
    {
      code: 'AH00025',
      text: "configuration error: couldn't …: …",
      aliases: ["couldn't check user", "couldn't check access"],
      meaning: 'Usually "couldn\'t check user": the request got 500, because logging in is asked for and no loaded module does it. mod_authn_core is missing, or the module of the `AuthType`.',
      remedy: 'Load authn_core_module, and auth_basic_module with authn_file_module (or whatever the `AuthType` and its provider need).',
      rules: ['missing-module'],
      about: ['AuthType', 'mod_authn_core'],
      source: 'experiment',
    },
    {
      code: 'AH00027',
      text: 'No authentication done but request not allowed without authentication for …. Authentication not configured?',
      meaning: 'The request got 500: a `Require` needs a user, and no `AuthType` says how to get one.',
      remedy: 'Add `AuthType`, `AuthName` and a provider where the `Require` stands. If no password is meant, write `Require all granted`.',
      rules: ['missing-module'],
      about: ['AuthType', 'Require'],
      source: 'experiment',
    },
    {
      code: 'AH01796',
      text: 'AuthType … configured without corresponding module',
      meaning: 'The request got 500: no loaded module handles this `AuthType`. Often a third-party module that was not built for 2.4.',
      remedy: 'Load the module (auth_basic_module for Basic), or get its 2.4 package.',
      rules: ['missing-module', 'third-party-module'],
      about: ['AuthType'],
      source: 'experiment',
    },
    {
      code: 'AH01615',
      text: 'need AuthName: …',
      meaning: 'The request got 500: `AuthType` is set and `AuthName` is not.',
      remedy: 'Add an `AuthName`.',
      rules: [],
      about: ['AuthName'],
      source: 'experiment',
    },
    {
      code: 'AH01617',
      text: 'user …: authentication failure for "…": Password Mismatch',
      meaning: 'A wrong password. If it hits everybody after the upgrade, the file’s hashes are of a kind that this system’s library does not read.',
      remedy: 'Set the password again with `htpasswd`.',
      rules: [],
      about: ['AuthUserFile'],
      source: 'source',
    },
    {
      code: 'AH01618',
      text: 'user … not found: …',
      meaning: 'No provider in effect knows this user.',
      remedy: 'Check `AuthUserFile` and `AuthBasicProvider` at this place.',
      rules: [],
      about: ['AuthUserFile', 'AuthBasicProvider'],
      source: 'source',
    },
    {
      code: 'AH02617',
      text: 'You must load mod_session to enable the mod_auth_form functions',
      meaning: 'The start fails: mod_auth_form is loaded without mod_session.',
      remedy: 'Load session_module (and session_cookie_module or session_dbd_module).',
      rules: ['missing-module'],
      about: ['mod_auth_form', 'mod_session'],
      source: 'experiment',
    },
    // ---- Reading the configuration ----
    {
      code: 'AH00526',
      text: 'Syntax error on line … of …:',
      meaning: 'The server does not start: the line that follows this one has the reason. A directive continued over several lines is reported with the number of its last one.',
      remedy: 'Explain the following line instead, such as "Invalid command …".',
      rules: [],
      about: [],
      source: 'experiment',
    },
    {
      code: 'AH00014',
      text: 'Configuration check failed',
      meaning: 'Every line could be read, but a module found the whole unusable. The reason is in the line before.',
      remedy: 'Explain the line before, such as AH01624, AH02291 or AH02297.',
      rules: [],
      about: [],
      source: 'experiment',
    },
    {
      code: 'AH00016',
      text: 'Configuration Failed',
      meaning: 'The configuration check passed, and then a module could not start. The reason is in the line before, in the error log or on the terminal.',
      remedy: 'Explain the line before.',
      rules: [],
      about: [],
      source: 'experiment',
    },
    {
      code: 'AH00020',
      text: 'Configuration Failed, exiting',
      meaning: 'The configuration check passed, and then a module could not start. The reason is in the lines before, in the error log.',
      remedy: 'Explain the line before, such as AH01177 or AH02432.',
      rules: [],
      about: [],
      source: 'experiment',
    },
    {
      code: 'AH00111',
      text: 'Config variable ${…} is not defined',
      meaning: 'A `${NAME}` stays as it is, because there is neither a `Define` nor an environment variable of that name. Often seen when the server is called directly, without the script that sets the variables (`envvars` on Debian).',
      remedy: 'Check with `apachectl configtest`, or add a `Define`.',
      rules: [],
      about: ['Define'],
      source: 'experiment',
    },
    {
      code: 'AH00114',
      text: 'Useless use of AllowOverride in line … of ….',
      meaning: '`AllowOverride` stands in a `<Location>` or a section with a regular expression, where it has no effect. 2.2 warned likewise.',
      remedy: 'Move it into a `<Directory>`.',
      rules: [],
      about: ['AllowOverride'],
      source: 'experiment',
    },
    {
      code: 'AH00116',
      text: "Discarding unrecognized directive `…' in AllowOverrideList at …:…",
      meaning: '`AllowOverrideList` takes names of directives. A class such as `FileInfo`, or a directive whose module is not loaded, is dropped from the list.',
      remedy: 'Write classes into `AllowOverride`, single directives into `AllowOverrideList`.',
      rules: ['allow-override-class'],
      about: ['AllowOverrideList', 'AllowOverride'],
      source: 'manual',
    },
    {
      code: 'AH00117',
      text: 'Ignoring deprecated use of DefaultType in line … of ….',
      meaning: '`DefaultType` does nothing in 2.4 but to print this warning. Where no type is known, no Content-Type is sent.',
      remedy: 'Delete the line; where a type is wanted, say it with `ForceType`, `AddType` or in mime.types.',
      rules: ['default-type'],
      about: ['DefaultType'],
      source: 'experiment',
    },
    {
      code: 'AH00548',
      text: 'NameVirtualHost has no effect and will be removed in the next release …:…',
      meaning: 'Virtual hosts that share an address and port are picked by name without being told so.',
      remedy: 'Delete the line.',
      rules: ['name-virtual-host'],
      about: ['NameVirtualHost', '<VirtualHost'],
      source: 'experiment',
    },
    {
      code: 'AH00558',
      text: "…: Could not reliably determine the server's fully qualified domain name, using …. Set the 'ServerName' directive globally to suppress this message",
      meaning: 'A warning only: there is no `ServerName` outside of the virtual hosts, and the machine’s own name does not resolve.',
      remedy: 'Write a `ServerName` into the main configuration.',
      rules: ['server-name-missing'],
      about: ['ServerName'],
      source: 'experiment',
    },
    {
      code: 'AH00112',
      text: 'Warning: DocumentRoot [… does not exist',
      meaning: 'The folder is missing on this machine. Distributions moved theirs with the upgrade: Debian from /var/www to /var/www/html.',
      remedy: 'Correct the `DocumentRoot`, or create the folder.',
      rules: ['path-missing'],
      about: ['DocumentRoot'],
      source: 'experiment',
    },
    {
      code: 'AH00671',
      text: 'The … directive in … at line … will probably never match because it overlaps an earlier …Alias….',
      meaning: 'Of several `Alias` lines the first that fits is taken, and an earlier one covers this one.',
      remedy: 'Put the longer path first.',
      rules: ['alias-overlap'],
      about: ['Alias', 'ScriptAlias'],
      source: 'experiment',
    },
    {
      code: 'AH10142',
      text: 'When several arguments (…) are passed to a … directive, they must be enclosed in quotation marks.  Otherwise, only the first one is taken into account',
      meaning: 'Only the first of the provider’s arguments counts: the rest is ignored, which can lock out or let in the wrong clients.',
      remedy: 'Quote them together: `<AuthzProviderAlias ip office "10.0.0.1 10.0.0.2">`.',
      rules: [],
      about: ['<AuthzProviderAlias'],
      source: 'experiment',
    },
    {
      code: 'AH02291',
      text: "Cannot access directory '…' for …",
      meaning: 'The configuration check fails, because the folder of the `ErrorLog` is missing. 2.2 did not look before the start.',
      remedy: 'Create the folder, or correct the path.',
      rules: ['path-missing'],
      about: ['ErrorLog'],
      source: 'experiment',
    },
    {
      code: 'AH02297',
      text: "Cannot access directory '…' for log file '…' defined at …:…",
      meaning: 'The configuration check fails, because the folder of a `CustomLog` or `TransferLog` is missing. 2.2 did not look before the start.',
      remedy: 'Create the folder, or correct the path.',
      rules: ['path-missing'],
      about: ['CustomLog', 'TransferLog'],
      source: 'experiment',
    },
    {
      code: 'AH02795',
      text: 'bad cumulated nesting (…) in …',
      meaning: 'The body of a `<Macro>` opens a section that it does not close, or the other way round.',
      remedy: 'Balance the sections inside the macro.',
      rules: [],
      about: ['<Macro'],
      source: 'experiment',
    },
    {
      code: 'AH02796',
      text: "macro '…' (…) argument name '…' (…) without expected prefix, better prefix argument names with one of '…'.",
      meaning: 'The argument is replaced wherever its letters occur in the body, since nothing marks it.',
      remedy: 'Begin the argument’s name with `$`, `%` or `@`.',
      rules: [],
      about: ['<Macro'],
      source: 'experiment',
    },
    {
      code: 'AH02797',
      text: "macro '…' (…): argument name prefix conflict (…), be careful about your macro definition!",
      meaning: 'One argument’s name begins with another’s, as `$a` and `$ab`. The longer name wins where both fit.',
      remedy: 'Rename one of them.',
      rules: [],
      about: ['<Macro'],
      source: 'experiment',
    },
    // ---- Modules ----
    {
      code: 'AH00534',
      text: '…: Configuration error: …',
      aliases: ['no mpm loaded', 'more than one mpm loaded'],
      meaning: '"No MPM loaded." or "More than one MPM loaded.": 2.4 loads its MPM like any other module, 2.2 had it built in.',
      remedy: 'Load exactly one of mpm_event_module, mpm_worker_module and mpm_prefork_module.',
      rules: ['missing-module'],
      about: ['LoadModule', 'event', 'prefork', 'worker'],
      source: 'experiment',
    },
    {
      code: 'AH00136',
      text: 'Server MUST relinquish startup privileges before accepting connections. Please ensure mod_unixd or other system security module is loaded.',
      meaning: 'The start fails although the configuration check passes: nothing gives up root’s rights, which was the MPM’s work in 2.2.',
      remedy: 'Load unixd_module, and keep `User` and `Group`.',
      rules: ['missing-module'],
      about: ['User', 'Group', 'mod_unixd'],
      source: 'experiment',
    },
    {
      code: 'AH01177',
      text: "Failed to lookup provider 'shm' for '…': is mod_slotmem_shm loaded??",
      meaning: 'The start fails although the configuration check passes: mod_proxy_balancer keeps its state in shared memory, which is a module of its own in 2.4.',
      remedy: 'Load slotmem_shm_module; or stop loading proxy_balancer_module if nothing uses `balancer://`.',
      rules: ['missing-module'],
      about: ['mod_proxy_balancer', 'mod_slotmem_shm'],
      source: 'experiment',
    },
    {
      code: 'AH02432',
      text: 'Cannot find LB Method: …',
      meaning: 'The start fails although the configuration check passes: each way of choosing a backend is a module of its own in 2.4, even the default one, byrequests.',
      remedy: 'Load the module it names, such as lbmethod_byrequests_module, after proxy_balancer_module.',
      rules: ['missing-module', 'module-order'],
      about: ['mod_lbmethod_byrequests', 'BalancerMember'],
      source: 'experiment',
    },
    {
      code: 'AH01183',
      text: 'Cannot share balancer',
      meaning: 'The start fails. It follows AH02432 (the balancer’s method has no module) and then has no reason of its own.',
      remedy: 'Load lbmethod_byrequests_module, or the method in use.',
      rules: ['missing-module'],
      about: ['mod_lbmethod_byrequests'],
      source: 'experiment',
    },
    {
      code: 'AH01144',
      text: "No protocol handler was valid for the URL … (scheme '…'). If you are using a DSO version of mod_proxy, make sure the proxy submodules are included in the configuration using LoadModule.",
      meaning: 'The request got 500: mod_proxy is loaded, the module for this kind of backend is not.',
      remedy: 'Load proxy_http_module for http://, proxy_fcgi_module for fcgi://, proxy_ajp_module for ajp://, and so on.',
      rules: ['missing-module'],
      about: ['ProxyPass', 'mod_proxy'],
      source: 'experiment',
    },
    {
      code: 'AH01574',
      text: 'module … is already loaded, skipping',
      meaning: 'A warning only: two `LoadModule` lines name the same module.',
      remedy: 'Delete one of them.',
      rules: ['load-module-twice'],
      about: ['LoadModule'],
      source: 'experiment',
    },
    {
      code: 'AH01380',
      text: 'Unknown filter … not added',
      meaning: 'No loaded module has a filter of this name.',
      remedy: 'Load the module of the filter: deflate_module for DEFLATE, include_module for INCLUDES.',
      rules: ['missing-module'],
      about: ['mod_filter'],
      source: 'source',
    },
    {
      code: 'AH00511',
      text: 'WARNING: MaxRequestWorkers of … is less than ThreadsPerChild of …, increasing to ….',
      meaning: 'A threaded MPM needs room for at least one whole process. A value that suited prefork often does not suit event.',
      remedy: 'Raise `MaxRequestWorkers` to a multiple of `ThreadsPerChild`.',
      rules: ['max-clients', 'mpm-limits'],
      about: ['MaxRequestWorkers', 'MaxClients'],
      source: 'experiment',
    },
    {
      text: 'no listening sockets available, shutting down',
      meaning: 'The start fails although the configuration check passes: no `Listen` is in the configuration, or none of the addresses could be had (AH00072).',
      remedy: 'Write a `Listen`; or explain the lines before.',
      rules: ['listen-missing', 'listen-overlap'],
      about: ['Listen'],
      source: 'experiment',
    },
    {
      text: 'Cannot define multiple Listeners on the same IP:port',
      meaning: 'Two `Listen` lines name one address and port, in one file or in several, or a file with a `Listen` is included twice.',
      remedy: 'Remove one of them.',
      rules: ['listen-twice', 'listen-overlap'],
      about: ['Listen'],
      source: 'experiment',
    },
    {
      code: 'AH00072',
      text: 'make_sock: could not bind to address …',
      meaning: '"Address already in use": another program has the port, or another `Listen` of this configuration, such as `Listen 80` beside `Listen 192.0.2.1:80`. "Cannot assign requested address": the machine does not have it.',
      remedy: 'Leave one `Listen` that takes all addresses, or those of single addresses; otherwise find out who has the port.',
      rules: ['listen-overlap'],
      about: ['Listen'],
      source: 'experiment',
    },
    {
      code: 'AH00015',
      text: 'Unable to open logs',
      meaning: 'The start fails before anything is served: a log could not be opened, or no port could be had. The reason is in the line before.',
      remedy: 'Explain the line before.',
      rules: [],
      about: ['ErrorLog', 'Listen'],
      source: 'experiment',
    },
    {
      code: 'AH00091',
      text: '…: could not open error log file ….',
      meaning: 'The start fails although the configuration check passes, which looks for the folder only: the path is a folder itself, or may not be written.',
      remedy: 'Correct the `ErrorLog`, or the permissions.',
      rules: ['path-missing'],
      about: ['ErrorLog'],
      source: 'experiment',
    },
    {
      code: 'AH00089',
      text: "Couldn't start ErrorLog process '…'.",
      meaning: 'The start fails although the configuration check passes: the program that `ErrorLog` is piped to is not there.',
      remedy: 'Correct the path of the program.',
      rules: ['path-missing', 'piped-log'],
      about: ['ErrorLog'],
      source: 'experiment',
    },
    {
      code: 'AH00104',
      text: "unable to start piped log program '…'",
      meaning: 'The start fails although the configuration check passes: the program that a log is piped to is not there. 2.4 starts it without a shell, so a name alone is not looked for on the path.',
      remedy: 'Write the program with its whole path; for a command of the shell, `|$` in front of it.',
      rules: ['path-missing', 'piped-log'],
      about: ['CustomLog', 'TransferLog'],
      source: 'experiment',
    },
    {
      code: 'AH00099',
      text: 'could not create …',
      meaning: 'The start fails although the configuration check passes: the folder of the `PidFile` is missing, or may not be written. AH00100 follows.',
      remedy: 'Create the folder, or correct the path.',
      rules: ['path-missing'],
      about: ['PidFile'],
      source: 'experiment',
    },
    {
      code: 'AH00651',
      text: 'could not open forensic log file ….',
      meaning: 'The start fails although the configuration check passes: the folder of the `ForensicLog` is missing.',
      remedy: 'Create the folder, or correct the path.',
      rules: ['path-missing'],
      about: ['ForensicLog'],
      source: 'experiment',
    },
    {
      code: 'AH01597',
      text: 'could not open mime types config file ….',
      meaning: 'The start fails although the configuration check passes: the file of `TypesConfig` is missing. Without the directive it is the one that was compiled in.',
      remedy: 'Correct the path; Debian has /etc/mime.types.',
      rules: ['path-missing'],
      about: ['TypesConfig', 'mod_mime'],
      source: 'experiment',
    },
    {
      code: 'AH01874',
      text: 'Could not initialize session cache. Exiting.',
      meaning: 'The start fails although the configuration check passes: the folder of the `SSLSessionCache` is missing, or may not be written.',
      remedy: 'Create the folder, or take `shmcb:`, which needs no file.',
      rules: ['path-missing'],
      about: ['SSLSessionCache'],
      source: 'experiment',
    },
    {
      code: 'AH02284',
      text: "failed to lookup provider 'shm' for '…', maybe you need to load mod_slotmem_shm?",
      meaning: 'The start fails although the configuration check passes: mod_heartmonitor keeps what it hears in shared memory.',
      remedy: 'Load slotmem_shm_module.',
      rules: ['missing-module'],
      about: ['mod_heartmonitor', 'mod_slotmem_shm'],
      source: 'experiment',
    },
    {
      code: 'AH01425',
      text: 'I18n support in mod_proxy_html requires mod_xml2enc. Without it, non-ASCII characters in proxied pages are likely to display incorrectly.',
      meaning: 'A notice: mod_proxy_html came from outside of httpd in 2.2 and did this itself. In 2.4 another module does.',
      remedy: 'Load xml2enc_module.',
      rules: ['missing-module'],
      about: ['mod_proxy_html', 'mod_xml2enc'],
      source: 'experiment',
    },
    {
      code: 'AH03262',
      text: 'mod_watchdog is required',
      meaning: 'The start fails although the configuration check passes: mod_proxy_hcheck is loaded without mod_watchdog.',
      remedy: 'Load watchdog_module.',
      rules: ['missing-module'],
      about: ['mod_proxy_hcheck', 'mod_watchdog'],
      source: 'source',
    },
    {
      code: 'AH02093',
      text: 'mod_watchdog is required',
      meaning: 'The start fails although the configuration check passes: mod_heartmonitor is loaded without mod_watchdog.',
      remedy: 'Load watchdog_module.',
      rules: ['missing-module'],
      about: ['mod_heartmonitor', 'mod_watchdog'],
      source: 'source',
    },
    {
      code: 'AH02618',
      text: 'You must load mod_request to enable the mod_auth_form functions',
      meaning: 'The start fails: mod_auth_form is loaded without mod_request.',
      remedy: 'Load request_module.',
      rules: ['missing-module'],
      about: ['mod_auth_form', 'mod_request'],
      source: 'experiment',
    },
    {
      code: 'AH01674',
      text: 'Please select a socache provider with AuthnCacheSOCache (no default found on this platform).',
      meaning: 'The start fails although the configuration check passes: logins are to be kept (`AuthnCacheEnable`, `AuthnCacheProvideFor`), and no module is there that keeps them.',
      remedy: 'Load socache_shmcb_module, or name another one with `AuthnCacheSOCache`.',
      rules: ['missing-module'],
      about: ['AuthnCacheSOCache', 'mod_authn_socache', 'mod_socache_shmcb'],
      source: 'experiment',
    },
    {
      code: 'AH10034',
      text: 'The mpm module (…) is not supported by mod_http2.',
      meaning: 'A warning: HTTP/2 needs a threaded MPM. With prefork the server runs, and serves HTTP/1.1 only.',
      remedy: 'Load mpm_event_module in place of mpm_prefork_module (not with mod_php), or leave mod_http2 out.',
      rules: ['http2-prefork'],
      about: ['mod_http2', 'prefork'],
      source: 'experiment',
    },
    ...changedNumbers(),
    {
      code: 'AH00161',
      text: 'server reached MaxRequestWorkers setting, consider raising the MaxRequestWorkers setting',
      meaning: 'All workers of prefork are busy (event and worker say AH00484). The setting is 2.2’s `MaxClients`.',
      remedy: 'Find out what keeps them busy; raise `MaxRequestWorkers` if memory allows.',
      rules: ['max-clients'],
      about: ['MaxRequestWorkers', 'MaxClients'],
      source: 'source',
    },
    {
      code: 'AH00484',
      text: 'server reached MaxRequestWorkers setting, consider raising the MaxRequestWorkers setting',
      meaning: 'All workers of a threaded MPM are busy. The setting is 2.2’s `MaxClients`.',
      remedy: 'Find out what keeps them busy; raise `MaxRequestWorkers` (and `ServerLimit`) if memory allows.',
      rules: ['max-clients'],
      about: ['MaxRequestWorkers', 'MaxClients'],
      source: 'source',
    },
    // ---- Requests ----
    {
      code: 'AH01276',
      text: 'Cannot serve directory …: No matching DirectoryIndex (…) found, and server-generated directory index forbidden by Options directive',
      meaning: 'The request got 403: there is no index file, and `Options` does not allow a listing. 2.2’s default for `Options` was All, 2.4’s is FollowSymLinks.',
      remedy: 'Write `Options Indexes FollowSymLinks` where listings are meant, or add an index file.',
      rules: ['changed-defaults'],
      about: ['Options', 'DirectoryIndex'],
      source: 'experiment',
    },
    {
      code: 'AH00035',
      text: "access to … denied (filesystem path '…') because search permissions are missing on a component of the path",
      meaning: 'The request got 403 from the file system, not from the configuration: the server’s user may not enter a folder on the way.',
      remedy: 'Give the server’s user the `x` permission on each folder of the path; check that `User` is still the right one.',
      rules: [],
      about: ['User'],
      source: 'source',
    },
    {
      code: 'AH00037',
      text: 'Symbolic link not allowed or link target not accessible: …',
      meaning: 'The request got 403: `Options` has neither FollowSymLinks nor a fitting SymLinksIfOwnerMatch there.',
      remedy: 'Add `Options +FollowSymLinks`.',
      rules: [],
      about: ['Options'],
      source: 'source',
    },
    {
      code: 'AH01382',
      text: 'Request … read timeout',
      meaning: 'The request got 408: the client was slower than mod_reqtimeout allows. 2.4 sets limits as soon as the module is loaded, 2.2 had none until told.',
      remedy: 'Set `RequestReadTimeout` for slow uploads, or `header=0 body=0` for none.',
      rules: ['changed-defaults'],
      about: ['RequestReadTimeout', 'mod_reqtimeout'],
      source: 'source',
    },
    {
      code: 'AH10508',
      text: 'Unsafe URL with %3f URL rewritten without UnsafeAllow3F',
      meaning: 'The request got 403: a `RewriteRule` carries an encoded question mark into its result, which is refused since 2.4.60.',
      remedy: 'Add the flag `[UnsafeAllow3F]` to that rule if it is meant.',
      rules: [],
      about: ['RewriteRule'],
      source: 'source',
    },
    {
      code: 'AH10411',
      text: 'Rewritten query string contains control characters or spaces',
      meaning: 'The request got 403: a `RewriteRule` put decoded text into the query string.',
      remedy: 'Add the flag `[B]`, so that what is taken over is encoded again.',
      rules: [],
      about: ['RewriteRule'],
      source: 'source',
    },
    {
      code: 'AH00124',
      text: "Request exceeded the limit of … internal redirects due to probable configuration error.",
      meaning: 'The request got 500: a `RewriteRule` or `ErrorDocument` leads back to itself.',
      remedy: 'Give the rule a condition that ends the loop, or the flag `[END]`, which is new in 2.4.',
      rules: [],
      about: ['RewriteRule', 'LimitInternalRecursion'],
      source: 'source',
    },
    // ---- TLS ----
    {
      code: 'AH01902',
      text: 'Host …: X.509 CRL storage locations configured, but CRL checking (…CARevocationCheck) is not enabled',
      meaning: 'A warning at the start: revoked client certificates are accepted. 2.2 checked the lists as soon as they were named.',
      remedy: 'Add `SSLCARevocationCheck chain` (`SSLProxyCARevocationCheck chain` for backends).',
      rules: ['ssl-crl-check'],
      about: ['SSLCARevocationCheck', 'SSLCARevocationFile', 'SSLCARevocationPath'],
      source: 'experiment',
    },
    {
      code: 'AH10510',
      text: "'SSLEngine optional' is no longer supported",
      meaning: 'A notice since 2.4.64: the word is ignored, so that the host speaks plain HTTP unless something else says `SSLEngine on`.',
      remedy: 'Write `on` or `off`.',
      rules: ['value-refused'],
      about: ['SSLEngine'],
      source: 'experiment',
    },
    {
      code: 'AH01873',
      text: 'Init: Session Cache is not configured [hint: SSLSessionCache]',
      meaning: 'A warning only: TLS sessions are not remembered across processes, so handshakes cost more.',
      remedy: 'Load socache_shmcb_module and add `SSLSessionCache shmcb:…`.',
      rules: ['ssl-session-cache-type'],
      about: ['SSLSessionCache', 'mod_socache_shmcb'],
      source: 'experiment',
    },
    {
      code: 'AH01898',
      text: 'Unable to configure permitted SSL ciphers',
      meaning: 'The start fails: OpenSSL knows none of the ciphers that are named.',
      remedy: 'Shorten `SSLCipherSuite`, or take it out to get the default.',
      rules: [],
      about: ['SSLCipherSuite'],
      source: 'experiment',
    },
    {
      code: 'AH01958',
      text: 'SSLStapling: no stapling cache available',
      meaning: 'The start fails: `SSLUseStapling` is on and no `SSLStaplingCache` is set.',
      remedy: 'Load socache_shmcb_module and add `SSLStaplingCache shmcb:…`.',
      rules: ['ssl-stapling-cache-missing'],
      about: ['SSLUseStapling', 'SSLStaplingCache'],
      source: 'experiment',
    },
    {
      code: 'AH02312',
      text: 'Fatal error initialising mod_ssl, exiting.',
      meaning: 'The start fails; the reason is in the lines before, in the error log.',
      remedy: 'Explain the line before, such as AH01898, AH01958 or AH02572.',
      rules: [],
      about: ['mod_ssl'],
      source: 'experiment',
    },
    {
      code: 'AH02572',
      text: 'Failed to configure at least one certificate and key for …',
      meaning: 'The start fails: a host with `SSLEngine on` has no certificate.',
      remedy: 'Add `SSLCertificateFile` and `SSLCertificateKeyFile` to that host.',
      rules: ['ssl-certificate-missing'],
      about: ['SSLCertificateFile', 'SSLCertificateKeyFile'],
      source: 'experiment',
    },
    {
      code: 'AH02032',
      text: 'Hostname … provided via HTTP have no compatible SSL setup for policy',
      meaning: 'The request got 421: the name in the TLS handshake and the name in the request belong to hosts with different TLS settings. Stricter since 2.4.64.',
      remedy: 'Give both hosts the same TLS settings, or relax the check with `SSLVHostSNIPolicy`.',
      rules: [],
      about: ['SSLVHostSNIPolicy', '<VirtualHost'],
      source: 'source',
    },
    // ---- Start-up errors without a code ----
    {
      text: "Invalid command '…', perhaps misspelled or defined by a module not included in the server configuration",
      meaning: 'No loaded module knows the directive: 2.4 dropped it, or it moved to a module that is not loaded, or it is misspelled.',
      remedy: 'Explain the directive: it says which module to load or what to write instead.',
      rules: ['missing-module'],
      about: [],
      source: 'experiment',
    },
    {
      text: 'Unknown Authz provider: …',
      meaning: 'The first word after `Require` belongs to no loaded module. These names are case-sensitive in 2.4 and checked at the start; 2.2 took any word.',
      remedy: 'Write it in lower case, or load its module: authz_user_module (user, valid-user), authz_groupfile_module (group), authz_host_module (ip, host, local), authz_dbm_module (dbm-group).',
      rules: ['require-unknown-provider', 'require-provider-case', 'require-group-dbm'],
      about: ['Require'],
      source: 'experiment',
    },
    {
      text: '… directive has no effect in … directive',
      meaning: 'A `Require not` or `<RequireNone>` stands where one of several lines is enough: it could never decide anything. A section without containers counts as such a place.',
      remedy: 'Put it into a `<RequireAll>` together with `Require all granted`.',
      rules: ['require-not-alone'],
      about: ['<RequireAll', '<RequireNone', 'Require'],
      source: 'experiment',
    },
    {
      text: "ip address '…' appears to be invalid",
      meaning: '`Require ip` takes addresses and networks only. Names, commas, ranges and `*` went through `Allow from`, which took them for host names that never matched.',
      remedy: 'Put names into `Require host`, separate addresses with blanks, write `192.168` or `192.168.0.0/16` for `192.168.*`.',
      rules: ['require-ip-operand', 'access-operand-never-matches'],
      about: ['Require', 'Allow'],
      source: 'experiment',
    },
    {
      text: 'No comments are allowed here',
      meaning: 'An `Allow` or `Deny` has a `#` behind it: httpd has no comments at the end of a line, and 2.2 took the words for host names.',
      remedy: 'Move the comment to a line of its own.',
      rules: ['access-trailing-comment'],
      about: ['Allow', 'Deny'],
      source: 'experiment',
    },
    {
      text: 'Either all Options must start with + or -, or no Option may.',
      meaning: '`Options` mixes plain words with `+` or `-`. 2.2 took that: the first plain word set everything back.',
      remedy: 'Decide: only plain words (these and nothing else), or only signed ones (more or less than inherited).',
      rules: ['options-mixed'],
      about: ['Options'],
      source: 'experiment',
    },
    {
      text: 'KeepAlive must be On or Off',
      meaning: '2.2 took every word but `Off` and `0` for On.',
      remedy: 'Write the word it meant: almost always `On`.',
      rules: ['keep-alive-value'],
      about: ['KeepAlive'],
      source: 'experiment',
    },
    {
      text: 'FilterProvider takes three arguments, filter-name provider-name match-expression',
      meaning: '`FilterProvider` has the four words of 2.2. The dispatch criterion and its match became one expression.',
      remedy: 'Write the expression: `resp=Content-Type $text/` becomes `"%{CONTENT_TYPE} -strmatch \'*text/*\'"`.',
      rules: ['filter-provider'],
      about: ['FilterProvider'],
      source: 'experiment',
    },
    {
      text: 'Unknown filter provider …',
      meaning: '`AddOutputFilterByType` names a filter whose module is not loaded. 2.2 did not look.',
      remedy: 'Load its module: deflate_module for DEFLATE.',
      rules: ['missing-module'],
      about: ['AddOutputFilterByType', 'mod_filter'],
      source: 'experiment',
    },
    {
      text: "No matches for the wildcard '…' in '…', failing",
      meaning: 'An `Include` with a wildcard matches no file. 2.2 passed over that.',
      remedy: 'Write `IncludeOptional`.',
      rules: ['include-no-match', 'include-wildcard'],
      about: ['Include', 'IncludeOptional'],
      source: 'experiment',
    },
    {
      text: 'SSLProtocol: SSLv2 is no longer supported',
      meaning: '`SSLProtocol` or `SSLProxyProtocol` asks for SSLv2. `-SSLv2` is still fine.',
      remedy: 'Remove the word.',
      rules: ['ssl-protocol-sslv2'],
      about: ['SSLProtocol', 'SSLProxyProtocol'],
      source: 'experiment',
    },
    {
      text: "'…' session cache not supported (known names: …). Maybe you need to load the appropriate socache module (mod_socache_…?).",
      meaning: 'Every type of session cache is a module of its own in 2.4; 2.2 had them in mod_ssl. `shm:` and `shmht:` are gone.',
      remedy: 'Load socache_shmcb_module for `shmcb:`, or the module it names.',
      rules: ['ssl-session-cache-type', 'missing-module'],
      about: ['SSLSessionCache', 'mod_socache_shmcb'],
      source: 'experiment',
    },
    {
      text: 'Invalid Mutex directory in argument …',
      meaning: 'The word after `file:` must be a folder that exists. `SSLMutex` and `RewriteLock` had named a file.',
      remedy: 'Name a folder, or delete the line: the default is usually right.',
      rules: ['mutex-directive'],
      about: ['Mutex'],
      source: 'experiment',
    },
    {
      text: "… is built-in and can't be loaded",
      meaning: 'A `LoadModule` names a module that this build of httpd contains already, which is an error.',
      remedy: 'Delete the line, or guard it with `<IfModule !…>`.',
      rules: ['load-module-twice'],
      about: ['LoadModule'],
      source: 'experiment',
    },
    {
      text: '… not allowed here',
      meaning: 'The directive does not belong at this place: outside of every section, or in a .htaccess whose `AllowOverride` does not cover it. A .htaccess with such a line gives 500 for everything below. After converting `Order` and `Allow`, `Require` needs `AllowOverride AuthConfig` where they needed `Limit`.',
      remedy: 'Move it into a `<Directory>` or `<Location>`; for a .htaccess, widen `AllowOverride`.',
      rules: ['access-outside-directory', 'limit-outside-directory', 'allow-override-class', 'allow-override-missing'],
      about: ['AllowOverride'],
      source: 'experiment',
    },
    {
      text: '… cannot occur within …',
      meaning: 'The directive does not belong into this kind of section. New in 2.4 for `ProxyPass` in `<Directory>` and `<Files>`.',
      remedy: 'Move it out, or into a `<Location>`.',
      rules: ['proxy-pass-in-directory'],
      about: ['ProxyPass'],
      source: 'experiment',
    },
    {
      text: '… not allowed in … context',
      meaning: 'The directive does not belong into this kind of section. After the upgrade: `Require` or `<Limit>` directly in a `<VirtualHost>`.',
      remedy: 'Move it into a `<Directory>` or `<Location "/">` of that host.',
      rules: ['access-outside-directory', 'limit-outside-directory'],
      about: ['Require', '<Limit'],
      source: 'experiment',
    },
    {
      text: 'Cannot load … into server: …',
      meaning:
        'The file of a `LoadModule` is missing (a module that 2.4 dropped or renamed), was built for 2.2 ("undefined symbol"), or comes before a module it builds on: mod_cache_disk before mod_cache, mod_lbmethod_… before mod_proxy_balancer.',
      remedy: 'Delete or rename the line, get the module’s 2.4 build, or move the line down.',
      rules: ['removed-module', 'disk-cache-module', 'authn-alias-module', 'module-order', 'third-party-module'],
      about: ['LoadModule'],
      source: 'experiment',
    },
    {
      text: "API module structure '…' in file … is garbled",
      meaning: 'A `LoadModule` loads the file of a module that was built for another version: the signature says 2.2 (41503232) where 2.4 (41503234) is expected.',
      remedy: 'Install the module’s build for 2.4, or remove the line.',
      rules: ['third-party-module', 'removed-module'],
      about: ['LoadModule'],
      source: 'experiment',
    },
    // ---- What people see and search for ----
    {
      text: '.htaccess files are not processed',
      aliases: ['.htaccess', 'htaccess', '.htaccess files are not processed', 'htaccess files are not processed', '.htaccess ignored', 'htaccess not working', '.htaccess not working'],
      isSymptom: true,
      meaning:
        '2.4’s default for `AllowOverride` is None, and shipped configurations write `AllowOverride None`, which ignores every .htaccess. With no `AllowOverride` in effect at all, 2.4 answers 500 for a .htaccess with any directive in it.',
      remedy: 'Write `AllowOverride All`, or the classes in use, into the `<Directory>` of the site.',
      rules: ['allow-override-missing', 'allow-override-class'],
      about: ['AllowOverride', 'AllowOverrideList'],
      source: 'experiment',
    },
    {
      text: '403 Forbidden after the upgrade',
      aliases: ['403', '403 forbidden', 'forbidden'],
      isSymptom: true,
      meaning:
        'The error log says which it is. AH01630: a `Require`, often `Require all denied` for `/` in the shipped configuration. AH01797: old access lines. AH01276: no index file and no `Options Indexes`. AH00035: permissions of the file system.',
      remedy: 'Explain the code from the log.',
      rules: ['order-allow-deny', 'access-mixed', 'changed-defaults'],
      about: ['Require', 'Options'],
      source: 'experiment',
    },
    {
      text: '500 Internal Server Error after the upgrade',
      aliases: ['500', '500 internal server error', 'internal server error'],
      isSymptom: true,
      meaning:
        'The error log says which it is. A line of a .htaccess that 2.4 does not know or allow there ("Invalid command", "not allowed here"). AH01627: `AuthType` without `Require`. AH00025 and AH01796: an authentication module is missing. AH01144: a proxy module is missing.',
      remedy: 'Explain the message from the log.',
      rules: ['allow-override-missing', 'allow-override-class', 'authtype-without-require', 'missing-module'],
      about: ['AllowOverride', 'AuthType'],
      source: 'experiment',
    },
    {
      text: '502 Bad Gateway or Proxy Error after the upgrade',
      aliases: ['502', '502 bad gateway', '502 proxy error', 'bad gateway', 'proxy error'],
      isSymptom: true,
      meaning:
        'For https:// backends: 2.4 checks the name and the expiry date of the backend’s certificate by default, 2.2 did not. Also possible: the backend is slower than `Timeout`, now 60 seconds instead of 300.',
      remedy: 'Repair the certificate; or write `SSLProxyCheckPeerCN`, `SSLProxyCheckPeerName` and `SSLProxyCheckPeerExpire` out as `off`.',
      rules: ['changed-defaults'],
      about: ['SSLProxyCheckPeerCN', 'SSLProxyCheckPeerName', 'SSLProxyCheckPeerExpire', 'TimeOut'],
      source: 'manual',
    },
  ];
}

/** What the MPMs say when they change a number, by the codes of event, worker and prefork. */
function changedNumbers(): Message[] {
  const sizes = 'The server takes fewer requests at a time than is configured.';
  const numbers: readonly (readonly [codes: string, name: string, text: string, meaning: string])[] = [
    ['AH00515 AH00318', 'MaxRequestWorkers', 'would require … servers and would exceed ServerLimit of …, decreasing to ….', `\`MaxRequestWorkers\` needs more processes than \`ServerLimit\` (16 where nothing is said) allows. ${sizes}`],
    ['AH00180', 'MaxRequestWorkers', 'exceeds ServerLimit value of … servers, decreasing MaxRequestWorkers to ….', `\`MaxRequestWorkers\` is beyond \`ServerLimit\` (256 where nothing is said). ${sizes}`],
    ['AH00513 AH00316', 'MaxRequestWorkers', 'is not an integer multiple of ThreadsPerChild of …, decreasing to nearest multiple …', '`MaxRequestWorkers` is rounded down to whole processes of `ThreadsPerChild` threads.'],
    ['AH00314', 'MaxRequestWorkers', 'is less than ThreadsPerChild of …, increasing to ….', 'A threaded MPM needs room for at least one whole process.'],
    ['AH00507 AH00310', 'ThreadsPerChild', 'exceeds ThreadLimit of … threads, decreasing to ….', '`ThreadsPerChild` is beyond `ThreadLimit` (64 where nothing is said).'],
    ['AH00497 AH00300 AH00175', 'ServerLimit', 'exceeds compile-time limit of … servers, decreasing to ….', 'So many processes are more than the MPM was built for.'],
    ['AH00502 AH00305', 'ThreadLimit', 'exceeds compile-time limit of … threads, decreasing to ….', 'So many threads are more than the MPM was built for.'],
    ...([['AH00499 AH00302 AH00177', 'ServerLimit'], ['AH00504 AH00307', 'ThreadLimit'], ['AH00509 AH00312', 'ThreadsPerChild'], ['AH00182', 'MaxRequestWorkers'], ['AH00517 AH00320 AH00184', 'StartServers'], ['AH00519 AH00322', 'MinSpareThreads'], ['AH00186', 'MinSpareServers']] as const)
      .map(([codes, name]) => [codes, name, 'not allowed, increasing to 1', `\`${name}\` must be at least 1.`] as const),
  ];
  return numbers.flatMap(([codes, name, text, meaning]) =>
    codes.split(' ').map((code): Message => ({
      code, text: `WARNING: ${name} of … ${text}`, meaning: `${meaning} httpd goes on with another number.`, remedy: 'Write numbers that go together; `ServerLimit` and `ThreadLimit` stand for how far the others may go.', rules: ['mpm-limits'], about: [name], source: 'experiment',
    })),
  );
}
