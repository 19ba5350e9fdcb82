import { OPENSSL_ROWS, searchedWords } from './openssl-messages';

/**
 * What httpd 2.4 logs or prints after an upgrade, and what to do about it: error log lines with an
 * AH code, and start-up errors that have none. Written in our own words. The texts are the
 * server's, checked against its binaries by test/directives/messages.test.ts; `source` names where
 * the meaning is from.
 */
export interface Message {
  /** `AH01797`; undefined for a start-up error without a code. */
  readonly code?: string;
  /** The server's words, with `…` for variable parts. */
  readonly text: string;
  /** The meaning, and when it occurs after an upgrade. */
  readonly meaning: string;
  readonly remedy: string;
  /** Ids of rules that find the cause in a configuration. */
  readonly rules: readonly string[];
  /** The directives and modules it is about; sections with their `<`. */
  readonly about: readonly string[];
  /** Other words that users search with, in lower case. */
  readonly aliases?: readonly string[];
  /** It has no code and is logged for a request, not while the configuration is read. */
  readonly isOfRequest?: boolean;
  /** Written by suexec to its own log, not by the server. */
  readonly isOfSuexec?: boolean;
  /** No message of the server, but something that users see. */
  readonly isSymptom?: boolean;
  /**
   * How the meaning was found: a configuration test or request on 2.4.71; the manual; or the source
   * alone.
   */
  readonly source: 'experiment' | 'manual' | 'source';
}

export const MESSAGES: readonly Message[] = [
  // ---- Access control and authorization ----
  {
    code: 'AH01797',
    text: 'client denied by server configuration: …',
    meaning:
      'mod_access_compat denied the request (403) because of an `Order`, `Allow` or `Deny` line. The line can be in an enclosing section or in another file. `Require all granted` does not help: a request must pass both.',
    remedy:
      'Convert all `Order`, `Allow`, `Deny` and `Satisfy` lines for this request to `Require`. Then remove the LoadModule line of mod_access_compat.',
    rules: ['access-mixed', 'order-allow-deny', 'access-compat-differs'],
    about: ['Order', 'Deny', 'mod_access_compat'],
    source: 'experiment',
  },
  {
    code: 'AH01630',
    text: 'client denied by server configuration: …',
    meaning:
      'mod_authz_core denied the request (403) because of a `Require` line. After an upgrade, the cause is often `Require all denied` for `/` in the new httpd.conf or apache2.conf, which applies to all other directories.',
    remedy:
      'Add a `<Directory>` section for the directory, with `Require all granted` or another `Require` line. An old `Allow from` line does not help.',
    rules: ['order-allow-deny', 'access-mixed'],
    about: ['Require', 'mod_authz_core'],
    source: 'experiment',
  },
  {
    code: 'AH01624',
    text: '… directive contains only negative authorization directives',
    meaning:
      'httpd does not start: a section or container has only `Require not` or `<RequireNone>` lines. These lines can only deny.',
    remedy:
      'Put the `Require not` lines into a `<RequireAll>`, together with a line that allows, such as `Require all granted`.',
    rules: ['require-not-alone'],
    about: ['<RequireAll', '<RequireNone'],
    source: 'experiment',
  },
  {
    code: 'AH01625',
    text: 'authorization result of …: … (directive limited to other methods)',
    meaning:
      'This is a debug message. The `Require` line is in a `<Limit>` for other methods, so it did not apply to this request.',
    remedy: 'If this is not intended, move the `Require` line out of the `<Limit>`.',
    rules: ['limit-outside-directory'],
    about: ['<Limit', 'Require'],
    source: 'source',
  },
  {
    code: 'AH01626',
    text: 'authorization result of …: …',
    meaning:
      'This is a debug message. httpd writes one for each `Require` line and container, with the result: granted, denied, denied (no authenticated user yet) or neutral.',
    remedy:
      'The lines of this kind before AH01630 or AH01631 show which `Require` line decided. `LogLevel authz_core:debug` turns these messages on.',
    rules: [],
    about: ['Require', 'LogLevel'],
    source: 'source',
  },
  {
    code: 'AH01627',
    text: 'AuthType configured with no corresponding authorization directives',
    meaning:
      'The request got 500: an `AuthType` line applies, but no `Require` line. 2.2 served such a page without a password.',
    remedy: 'Add `Require valid-user` for a login, or `Require all granted` for everyone.',
    rules: ['authtype-without-require'],
    about: ['AuthType', 'Require'],
    source: 'experiment',
  },
  {
    code: 'AH01628',
    text: 'authorization result: granted (no directives)',
    meaning:
      'This is a debug message. No `Require` line applies to this request. Only `Order`, `Allow` and `Deny` lines, or another module, can still deny it.',
    remedy: 'If a `Require` line should apply, check whether its section matches the request.',
    rules: [],
    about: ['Require'],
    source: 'source',
  },
  {
    code: 'AH01629',
    text: 'authorization failure (no authenticated user): …',
    meaning: 'A `Require` line needs a logged-in user, but nobody has logged in for this request.',
    remedy: 'Check that `AuthType` and its provider apply to the section of the `Require` line.',
    rules: ['missing-module'],
    about: ['Require', 'AuthType'],
    source: 'source',
  },
  {
    code: 'AH01631',
    text: 'user …: authorization failure for "…":',
    meaning:
      'The password is right, but no `Require` line allows this user. The browser asks again (401). Possible causes after an upgrade: the group is in a DBM file (`Require dbm-group` in 2.4), or the group file does not contain the user. Or a `<RequireAll>` now contains lines of which one was enough.',
    remedy:
      'Compare the user with the `Require` lines. `LogLevel authz_core:debug` shows the result of each line (AH01626).',
    rules: ['require-group-dbm', 'require-mixed-modules'],
    about: ['Require', 'AuthGroupFile'],
    source: 'experiment',
  },
  {
    code: 'AH01664',
    text: 'No group file was specified in the configuration',
    meaning:
      'A `Require group` line applies without an `AuthGroupFile`, so no group matches. In this case, 2.2 asked other modules for the group.',
    remedy:
      'Add `AuthGroupFile`, or write `Require dbm-group` if the groups are in a DBM file, or the word of the module that knows the groups (`external-group`, `unix-group`, `wsgi-group`).',
    rules: ['require-group-dbm', 'require-group-module'],
    about: ['AuthGroupFile', 'Require'],
    source: 'experiment',
  },
  {
    code: 'AH01753',
    text: "access check of '…' to … failed, reason: unable to get the remote host name",
    meaning:
      '`Require host` needs the host name of the client, but DNS has no name for this address. So this line does not allow the client. 2.2 did not log this.',
    remedy:
      'If other lines allow the client, do nothing. Otherwise use `Require ip`, or `Require forward-dns` for a host with a changing address.',
    rules: ['require-ip-operand'],
    about: ['Require', 'mod_authz_host'],
    source: 'experiment',
  },
  {
    code: 'AH02219',
    text: 'access to … failed, reason: SSL connection required',
    meaning:
      '`SSLRequireSSL` denied the request (403): it came without TLS. In 2.2 `Satisfy Any` could override this. In 2.4 this works only with mod_access_compat.',
    remedy:
      'The section requires TLS: use https. If a password without TLS is also enough, write `Require ssl` and the other `Require` lines of the section in a `<RequireAny>`.',
    rules: ['order-allow-deny'],
    about: ['SSLRequireSSL', 'SSLRequire', 'Satisfy'],
    source: 'experiment',
  },
  // ---- Authentication ----
  {
    code: 'AH00025',
    text: "configuration error: couldn't …: …",
    aliases: ["couldn't check user", "couldn't check access"],
    meaning:
      'The request got 500: it needs a login, but no loaded module handles logins. mod_authn_core or the module of the `AuthType` is missing.',
    remedy:
      'Load authn_core_module. For a Basic login with a password file, also load auth_basic_module and authn_file_module.',
    rules: ['missing-module'],
    about: ['AuthType', 'mod_authn_core'],
    source: 'experiment',
  },
  {
    code: 'AH00027',
    text: 'No authentication done but request not allowed without authentication for …. Authentication not configured?',
    meaning: 'The request got 500: a `Require` line needs a user, but there is no `AuthType`.',
    remedy:
      'Add `AuthType`, `AuthName` and a provider to the section. If no password is needed, write `Require all granted`.',
    rules: ['missing-module'],
    about: ['AuthType', 'Require'],
    source: 'experiment',
  },
  {
    code: 'AH01796',
    text: 'AuthType … configured without corresponding module',
    meaning:
      'The request got 500: no loaded module handles this `AuthType`. Often it is a third-party module that was not installed for 2.4.',
    remedy: 'Load the module (auth_basic_module for Basic), or install its version for 2.4.',
    rules: ['missing-module', 'third-party-module'],
    about: ['AuthType'],
    source: 'experiment',
  },
  {
    code: 'AH01615',
    text: 'need AuthName: …',
    meaning: 'The request got 500: there is an `AuthType`, but no `AuthName`.',
    remedy: 'Add an `AuthName` line.',
    rules: [],
    about: ['AuthName'],
    source: 'experiment',
  },
  {
    code: 'AH01617',
    text: 'user …: authentication failure for "…": Password Mismatch',
    meaning:
      'The password is wrong. If all users get this after the upgrade, the new system probably cannot read the kind of hash in the password file.',
    remedy: 'Set the password again with `htpasswd`.',
    rules: [],
    about: ['AuthUserFile'],
    source: 'source',
  },
  {
    code: 'AH01618',
    text: 'user … not found: …',
    meaning: 'No password file, and no other source of users, contains this user.',
    remedy: 'Check `AuthUserFile` and `AuthBasicProvider` in this section.',
    rules: [],
    about: ['AuthUserFile', 'AuthBasicProvider'],
    source: 'source',
  },
  {
    code: 'AH02617',
    text: 'You must load mod_session to enable the mod_auth_form functions',
    meaning: 'httpd does not start: mod_auth_form is loaded without mod_session.',
    remedy: 'Load session_module, and session_cookie_module or session_dbd_module.',
    rules: ['missing-module'],
    about: ['mod_auth_form', 'mod_session'],
    source: 'experiment',
  },
  // ---- Reading the configuration ----
  {
    code: 'AH00526',
    text: 'Syntax error on line … of …:',
    meaning:
      'httpd does not start. The next line contains the reason. If a directive continues over several lines, the message names its last line.',
    remedy: 'Give the next line to `httpd-upgrade explain`, for example "Invalid command …".',
    rules: [],
    about: [],
    source: 'experiment',
  },
  {
    code: 'AH00014',
    text: 'Configuration check failed',
    meaning:
      'httpd could read every line, but then a module found an error. The line before this message contains the reason.',
    remedy:
      'Look at the line before this one, for example AH01624, AH02291 or AH02297. Give that line to `httpd-upgrade explain`.',
    rules: [],
    about: [],
    source: 'experiment',
  },
  {
    code: 'AH00016',
    text: 'Configuration Failed',
    meaning:
      '`httpd -t` reports no error, but a module could not start. The line before contains the reason, in the error log or on the terminal.',
    remedy: 'Look at the line before this one in the log. Give that line to `httpd-upgrade explain`.',
    rules: [],
    about: [],
    source: 'experiment',
  },
  {
    code: 'AH00020',
    text: 'Configuration Failed, exiting',
    meaning:
      '`httpd -t` reports no error, but a module could not start. The lines before this message in the error log contain the reason.',
    remedy:
      'Look at the lines before this one in the error log, for example AH01177 or AH02432. Give them to `httpd-upgrade explain`.',
    rules: [],
    about: [],
    source: 'experiment',
  },
  {
    code: 'AH00111',
    text: 'Config variable ${…} is not defined',
    meaning:
      'httpd does not replace `${NAME}`, because there is no `Define` and no environment variable with this name. Often somebody started httpd directly, without the script that sets the variables (`envvars` on Debian).',
    remedy:
      'Check the configuration with `apachectl configtest`, which sets these variables. If the message stays, add a `Define` line for the name.',
    rules: [],
    about: ['Define'],
    source: 'experiment',
  },
  {
    code: 'AH00114',
    text: 'Useless use of AllowOverride in line … of ….',
    meaning:
      '`AllowOverride` has no effect in a `<Location>` or in a section with a regular expression. 2.2 also warned.',
    remedy: 'Move the `AllowOverride` line into a `<Directory>` section.',
    rules: [],
    about: ['AllowOverride'],
    source: 'experiment',
  },
  {
    code: 'AH00116',
    text: "Discarding unrecognized directive `…' in AllowOverrideList at …:…",
    meaning:
      '`AllowOverrideList` takes only names of directives whose module is loaded. httpd ignores other words, for example a class such as `FileInfo`.',
    remedy: 'Write classes in `AllowOverride`, and single directives in `AllowOverrideList`.',
    rules: ['allow-override-class'],
    about: ['AllowOverrideList', 'AllowOverride'],
    source: 'manual',
  },
  {
    code: 'AH00117',
    text: 'Ignoring deprecated use of DefaultType in line … of ….',
    meaning:
      '`DefaultType` has no effect in 2.4 except this warning. A file of unknown type is sent without a Content-Type.',
    remedy: 'Remove the line. To set types, use `AddType`, `ForceType` or mime.types.',
    rules: ['default-type'],
    about: ['DefaultType'],
    source: 'experiment',
  },
  {
    code: 'AH00548',
    text: 'NameVirtualHost has no effect and will be removed in the next release …:…',
    meaning: '2.4 always selects virtual hosts with the same address and port by name.',
    remedy: 'Remove the line.',
    rules: ['name-virtual-host'],
    about: ['NameVirtualHost', '<VirtualHost'],
    source: 'experiment',
  },
  {
    code: 'AH00558',
    text: "…: Could not reliably determine the server's fully qualified domain name, using …. Set the 'ServerName' directive globally to suppress this message",
    meaning:
      'This is only a warning. The main server has no `ServerName`, and httpd cannot find the full name of the machine in the DNS.',
    remedy: 'Add a `ServerName` line to the main configuration.',
    rules: ['server-name-missing'],
    about: ['ServerName'],
    source: 'experiment',
  },
  {
    code: 'AH00112',
    text: 'Warning: DocumentRoot [… does not exist',
    meaning:
      'The directory does not exist on this machine. Some distributions changed the usual directory: on Debian it is now /var/www/html instead of /var/www.',
    remedy: 'Correct the `DocumentRoot`, or create the directory.',
    rules: ['path-missing'],
    about: ['DocumentRoot'],
    source: 'experiment',
  },
  {
    code: 'AH00671',
    text: 'The … directive in … at line … will probably never match because it overlaps an earlier …Alias….',
    meaning:
      'httpd uses the first `Alias` line that matches. An earlier line matches all URLs of this line, so this line has no effect.',
    remedy: 'Put the longer path first.',
    rules: ['alias-overlap'],
    about: ['Alias', 'ScriptAlias'],
    source: 'experiment',
  },
  {
    code: 'AH10142',
    text: 'When several arguments (…) are passed to a … directive, they must be enclosed in quotation marks.  Otherwise, only the first one is taken into account',
    meaning:
      'httpd uses only the first argument, for example only the first address, and ignores the rest. This can allow or deny the wrong clients.',
    remedy: 'Put all arguments into one pair of quotes: `<AuthzProviderAlias ip office "10.0.0.1 10.0.0.2">`.',
    rules: [],
    about: ['<AuthzProviderAlias'],
    source: 'experiment',
  },
  {
    code: 'AH02291',
    text: "Cannot access directory '…' for …",
    meaning:
      'httpd does not start: the directory of the `ErrorLog` does not exist. 2.4 already checks this in `httpd -t`.',
    remedy: 'Create the directory, or correct the path.',
    rules: ['path-missing'],
    about: ['ErrorLog'],
    source: 'experiment',
  },
  {
    code: 'AH02297',
    text: "Cannot access directory '…' for log file '…' defined at …:…",
    meaning:
      'httpd does not start: the directory of a `CustomLog` or `TransferLog` does not exist. 2.4 already checks this in `httpd -t`.',
    remedy: 'Create the directory, or correct the path.',
    rules: ['path-missing'],
    about: ['CustomLog', 'TransferLog'],
    source: 'experiment',
  },
  {
    code: 'AH02795',
    text: 'bad cumulated nesting (…) in …',
    meaning: 'A `<Macro>` opens a section without closing it, or closes a section without opening it.',
    remedy: 'Correct the sections inside the macro.',
    rules: [],
    about: ['<Macro'],
    source: 'experiment',
  },
  {
    code: 'AH02796',
    text: "macro '…' (…) argument name '…' (…) without expected prefix, better prefix argument names with one of '…'.",
    meaning:
      'This is only a warning. httpd replaces the name of the argument everywhere in the macro, also inside of words: an argument `port` also changes the word `report`.',
    remedy: 'Start the name of the argument with `$`, `%` or `@`.',
    rules: [],
    about: ['<Macro'],
    source: 'experiment',
  },
  {
    code: 'AH02797',
    text: "macro '…' (…): argument name prefix conflict (…), be careful about your macro definition!",
    meaning:
      'The name of one argument begins with the name of another, for example `$a` and `$ab`. httpd uses the longer name first.',
    remedy: 'Rename one of the arguments.',
    rules: [],
    about: ['<Macro'],
    source: 'experiment',
  },
  // ---- Start, stop and processes ----
  {
    code: 'AH00013',
    text: 'Pre-configuration failed',
    meaning:
      'httpd does not start: a module failed before httpd processed the configuration. The line before this message contains the reason.',
    remedy: 'Look at the line before this one in the log. Give that line to `httpd-upgrade explain`.',
    rules: [],
    about: [],
    source: 'source',
  },
  {
    code: 'AH00023',
    text: "Couldn't create the … mutex …",
    aliases: ["couldn't create the"],
    meaning:
      'httpd does not start. "No such file or directory": the directory of the lock file does not exist. "No space left on device": all semaphores of the system are in use, often left over after a crash.',
    remedy:
      'Create the directory of the `Mutex` line. Or list the semaphores with `ipcs -s`, and remove those of the httpd user with `ipcrm`.',
    rules: ['mutex-directive'],
    about: ['Mutex'],
    source: 'source',
  },
  {
    code: 'AH00024',
    text: "Couldn't set permissions on the … mutex; check User and Group directives",
    meaning:
      'httpd does not start: it cannot give a lock to the user of the `User` line. Often this user or the group does not exist on this machine.',
    remedy: 'Correct `User` and `Group`, or choose another kind of lock with `Mutex`.',
    rules: ['missing-module', 'mutex-directive'],
    about: ['Mutex', 'User', 'Group'],
    source: 'source',
  },
  {
    code: 'AH00094',
    text: "Command line: '…'",
    meaning:
      'This is only a notice. It shows how httpd was started. With `-D NAME`, httpd reads the lines in `<IfDefine NAME>`.',
    remedy: 'Give the same names to `httpd-upgrade check` with `-D`.',
    rules: [],
    about: ['<IfDefine'],
    source: 'source',
  },
  ...alike(['AH00163', 'AH00292', 'AH00489'], {
    text: '… configured -- resuming normal operations',
    meaning: 'This is only a notice: httpd has started. It shows the version of httpd, and of some modules.',
    remedy: 'There is nothing to do. If pages fail, look at the log lines of the failed requests.',
    rules: [],
    about: [],
    source: 'source',
  }),
  {
    code: 'AH00141',
    text: 'Could not initialize random number generator',
    meaning:
      'httpd does not start: it cannot read the random numbers of the system, for example in a chroot without /dev/urandom.',
    remedy: 'Make /dev/urandom available. On Windows, check that the service runs as a user with a profile.',
    rules: [],
    about: [],
    source: 'source',
  },
  {
    code: 'AH00544',
    text: '…: bad group name …',
    aliases: ['unable to find group'],
    meaning:
      'httpd does not start: the group of the `Group` line does not exist on this machine. On the new system, the name is often different, such as www-data (Debian) or apache (Red Hat).',
    remedy: 'Correct the `Group` line, or create the group.',
    rules: [],
    about: ['Group'],
    source: 'experiment',
  },
  {
    text: 'Could not open configuration file …: …',
    meaning:
      'httpd does not start: it cannot read the main configuration file, an included file, or the directory of one of them. Often the file does not exist.',
    remedy:
      'Correct the path. For a file that can be missing, replace `Include` by `IncludeOptional`. The main configuration file is /etc/apache2/apache2.conf on Debian, and /etc/httpd/conf/httpd.conf on Red Hat.',
    rules: ['include-no-match'],
    about: ['Include', 'IncludeOptional'],
    source: 'experiment',
  },
  {
    text: 'ServerRoot must be a valid directory',
    meaning:
      'httpd does not start: the directory of the `ServerRoot` line does not exist. After an upgrade, the line often still names the directory of 2.2.',
    remedy: 'Write the directory of 2.4. On Windows change `Define SRVROOT`.',
    rules: ['package-path', 'windows-server-root'],
    about: ['ServerRoot'],
    source: 'experiment',
  },
  {
    text: "DocumentRoot '…' is not a directory, or is not readable",
    aliases: ['documentroot must be a directory'],
    meaning:
      'httpd does not start: the directory of a `DocumentRoot` line does not exist on this machine, or it is a file.',
    remedy: 'Create the directory, or correct the path.',
    rules: ['path-missing'],
    about: ['DocumentRoot'],
    source: 'experiment',
  },
  {
    text: '… was not closed.',
    meaning: 'httpd does not start: a section has no closing tag. In a .htaccess file, requests get 500.',
    remedy: 'Add the closing tag. `httpd-upgrade check` shows where it is missing.',
    rules: ['section-unpaired'],
    about: [],
    source: 'experiment',
  },
  {
    text: 'Expected … before end of configuration',
    meaning:
      'httpd does not start: a section, such as `<IfModule>`, has no closing tag. In a .htaccess file, requests get 500.',
    remedy: 'Add the closing tag. `httpd-upgrade check` shows where it is missing.',
    rules: ['section-unpaired'],
    about: [],
    source: 'experiment',
  },
  {
    text: 'Exceeded maximum include depth of …, There appears to be a recursion.',
    meaning:
      'httpd does not start: a configuration file includes itself, directly or through other files. httpd stops after 128 files inside of each other.',
    remedy:
      'Remove the `Include` line whose file and line number come again and again in the message. Often a wildcard also fits the file itself.',
    rules: [],
    about: ['Include', 'IncludeOptional'],
    source: 'experiment',
  },
  {
    text: '…Could not open directory …: …',
    meaning:
      'httpd does not start: it cannot read the directory of an `Include` or `IncludeOptional` line with a wildcard. The text after the last colon is the reason. Often the directory does not exist.',
    remedy: 'Correct the path, or create the directory. If it can be missing, write `IncludeOptional`.',
    rules: ['include-no-match'],
    about: ['Include', 'IncludeOptional'],
    source: 'experiment',
  },
  {
    text: 'Expected … but saw …',
    meaning:
      'httpd does not start: two sections overlap, for example `<Directory /srv><IfModule x></Directory></IfModule>`. The inner section must close before the outer one.',
    remedy: 'Correct the order of the closing tags, or add the missing one.',
    rules: ['section-unpaired'],
    about: [],
    source: 'experiment',
  },
  {
    text: '… without matching … section',
    meaning: 'httpd does not start: a closing tag has no opening tag. In a .htaccess file, requests get 500.',
    remedy: 'Remove the closing tag, or add the opening tag.',
    rules: ['section-unpaired'],
    about: [],
    source: 'experiment',
  },
  {
    text: 'Illegal option …',
    meaning:
      'httpd rejects the line: this is no word of `Options`. Often it is misspelled, or there is a comma between two words.',
    remedy: 'Write the words with blanks between them: `Options Indexes FollowSymLinks`.',
    rules: ['invalid-value'],
    about: ['Options'],
    source: 'experiment',
  },
  {
    text: 'Illegal override option …',
    meaning:
      'httpd does not start: this is no word of `AllowOverride`. Often it is misspelled, or there is a comma between two words.',
    remedy: 'Write the classes with blanks between them: `AllowOverride FileInfo AuthConfig`.',
    rules: ['invalid-value'],
    about: ['AllowOverride'],
    source: 'experiment',
  },
  {
    text: 'ProxyPass|ProxyPassMatch can not have a path when defined in a location.',
    meaning:
      'httpd does not start: the line is in a `<Location>`, which already sets the URL path. The line must contain only the URL of the backend.',
    remedy: 'Remove the first argument (the URL path), and keep the URL of the backend: `ProxyPass http://backend/`.',
    rules: ['proxy-pass-in-directory'],
    about: ['ProxyPass', '<Location'],
    source: 'experiment',
  },
  {
    text: "Can't locate API module structure `…' in file …: …",
    meaning: 'httpd does not start: the file has no module with the name of the `LoadModule` line.',
    remedy: 'Correct the first word of the `LoadModule` line, for example `php_module` for PHP 8.',
    rules: ['third-party-module'],
    about: ['LoadModule'],
    source: 'experiment',
  },
  // ---- Requests: programs and backends ----
  {
    code: 'AH00957',
    text: '…: attempt to connect to … failed',
    meaning:
      'The request got 503: mod_proxy cannot connect to the backend. "Connection refused": nothing listens there. "Permission denied": often SELinux forbids httpd to connect.',
    remedy: 'Start the backend, or correct its address. For SELinux: `setsebool -P httpd_can_network_connect on`.',
    rules: [],
    about: ['ProxyPass'],
    source: 'source',
  },
  {
    code: 'AH00959',
    text: 'ap_proxy_connect_backend disabling worker for (…) for …s',
    meaning:
      'A connection to the backend failed. mod_proxy now does not use this backend for some seconds (`retry`, 60 by default), and requests get 503.',
    remedy: 'Correct the backend. To try again at once, add `retry=0` to the `ProxyPass` line.',
    rules: [],
    about: ['ProxyPass'],
    source: 'manual',
  },
  {
    code: 'AH01114',
    text: 'HTTP: failed to make connection to backend: …',
    meaning: 'The request got 503. The line before contains the reason, for example AH00957.',
    remedy: 'Look at the line before this one in the log. Give that line to `httpd-upgrade explain`.',
    rules: [],
    about: ['ProxyPass'],
    source: 'source',
  },
  {
    code: 'AH01102',
    text: 'error reading status line from remote server …',
    meaning:
      'The request got 502: the backend closed the connection, or gave no answer in time (the default of `Timeout` was 300 seconds and is now 60).',
    remedy: 'Look at the log of the backend. If it is slow, set `ProxyTimeout` or `Timeout`.',
    rules: ['changed-defaults'],
    about: ['ProxyTimeout', 'TimeOut'],
    source: 'source',
  },
  {
    code: 'AH00898',
    text: '… returned by …',
    aliases: ['error during ssl handshake with remote server', 'error reading from remote server'],
    meaning:
      'The request got 502 or 500. The words before "returned by" are the reason. "Error reading from remote server": the backend closed the connection or was too slow (AH01102). "Error during SSL Handshake": 2.4 checks the certificate of the backend by default, and 2.2 did not.',
    remedy:
      'For "Error reading", look at the log of the backend. For "SSL Handshake", correct the certificate of the backend, or set `SSLProxyCheckPeerName`, `SSLProxyCheckPeerCN` and `SSLProxyCheckPeerExpire` to `off`.',
    rules: ['changed-defaults'],
    about: ['SSLProxyCheckPeerName', 'SSLProxyCheckPeerCN', 'SSLProxyCheckPeerExpire', 'ProxyPass'],
    source: 'source',
  },
  {
    code: 'AH01071',
    text: "Got error '…'",
    meaning:
      'A FastCGI program such as PHP-FPM wrote this message. "Primary script unknown": httpd sent a path to PHP where PHP finds no file, or cannot read it.',
    remedy:
      'Correct the program that the text in quotes names. For "Primary script unknown", compare the path of `ProxyPassMatch` or `SetHandler` with the directory of the files. Check that the user of the FastCGI program can read the files.',
    rules: [],
    about: ['mod_proxy_fcgi', 'ProxyPassMatch', 'SetHandler'],
    source: 'source',
  },
  {
    code: 'AH01215',
    text: 'stderr from …: …',
    meaning: 'A CGI program wrote this message. httpd only copies it into its error log.',
    remedy:
      'Read the text after AH01215: it is from the program. If it contains "suexec policy violation", look at the log of suexec.',
    rules: [],
    about: ['mod_cgi', 'SuexecUserGroup'],
    source: 'source',
  },
  {
    text: 'End of script output before headers',
    isOfRequest: true,
    aliases: ['premature end of script headers'],
    meaning:
      'The request got 500: a CGI program ended before it wrote its headers. 2.2 wrote "Premature end of script headers".',
    remedy:
      'Run the program by hand as the user of httpd. Check its first line (`#!…`), its permissions, and the lines before this one in the error log.',
    rules: [],
    about: ['mod_cgi'],
    source: 'source',
  },
  {
    code: 'AH00529',
    text: "… pcfg_openfile: unable to check htaccess file, ensure it is readable and that '…' is executable",
    meaning: 'The request got 403: the user of httpd cannot read the .htaccess file, or cannot enter its directory.',
    remedy:
      'Allow the user of httpd to enter each directory of the path (`chmod o+x`) and to read the file. With SELinux, also check the labels.',
    rules: [],
    about: ['AllowOverride'],
    source: 'source',
  },
  {
    code: 'AH00126',
    text: "Invalid URI in request '…' '…'",
    meaning:
      'The request got 400: its path leads out of the site with `..`, or it is not a path. Most often this is an attack or a scanner.',
    remedy: 'There is nothing to do if only strangers send such requests.',
    rules: [],
    about: [],
    source: 'source',
  },
  {
    code: 'AH10244',
    text: 'invalid URI path (…)',
    meaning:
      'The request got 400: its path is invalid. It has a `%` without two hexadecimal digits, or dots that lead out of the site. Most often this is a scanner or an attack.',
    remedy: 'If no known client sends such requests, do nothing. Otherwise write `%25` for a `%` in the link.',
    rules: [],
    about: [],
    source: 'source',
  },
  // ---- TLS ----
  {
    code: 'AH01909',
    text: '… server certificate does NOT include an ID which matches the server name',
    meaning:
      'This is only a warning: the `ServerName` is not in the certificate of the virtual host. 2.2 wrote a similar warning.',
    remedy: 'Correct the `ServerName`, or use the certificate of this site. Browsers warn if the name is wrong.',
    rules: [],
    about: ['ServerName', 'SSLCertificateFile'],
    source: 'source',
  },
  {
    code: 'AH01906',
    text: '… server certificate is a CA certificate (BasicConstraints: CA == TRUE !?)',
    meaning:
      'This is only a warning: the certificate is marked as the certificate of an authority. Many self-made certificates have this mark.',
    remedy: 'For a test, there is nothing to do. For a real server, install a certificate of an authority.',
    rules: [],
    about: ['SSLCertificateFile'],
    source: 'source',
  },
  {
    code: 'AH02562',
    text: 'Failed to configure certificate … (with chain), check …',
    meaning:
      'httpd does not start: OpenSSL cannot use the certificate. The file is empty or not in PEM form, or the key or hash of the certificate is too weak for the new OpenSSL.',
    remedy:
      'Show the certificate with `openssl x509 -in FILE -text -noout`. If the key is short, or the signature uses MD5 or SHA-1, get a new certificate.',
    rules: ['ssl-certificate-missing'],
    about: ['SSLCertificateFile'],
    source: 'source',
  },
  {
    code: 'AH02565',
    text: 'Certificate and private key … from … and … do not match',
    meaning: 'httpd does not start: the private key does not belong to this certificate.',
    remedy: 'Correct `SSLCertificateFile` or `SSLCertificateKeyFile`.',
    rules: [],
    about: ['SSLCertificateFile', 'SSLCertificateKeyFile'],
    source: 'source',
  },
  {
    text: "…: file '…' does not exist or is empty",
    meaning: 'httpd does not start: the file of an `SSL…` line is not on this machine, or it is empty.',
    remedy: 'Copy the file from the old server, or correct the path. Keys need mode 600 and root as owner.',
    rules: ['path-missing'],
    about: ['SSLCertificateFile', 'SSLCertificateKeyFile'],
    source: 'experiment',
  },
  // ---- Modules ----
  {
    code: 'AH00534',
    text: '…: Configuration error: …',
    aliases: ['no mpm loaded', 'more than one mpm loaded'],
    meaning:
      'The message ends with "No MPM loaded." or "More than one MPM loaded." In 2.4 the MPM is a module that must be loaded. In 2.2 it was compiled in.',
    remedy: 'Load exactly one of mpm_event_module, mpm_worker_module and mpm_prefork_module.',
    rules: ['missing-module'],
    about: ['LoadModule', 'event', 'prefork', 'worker'],
    source: 'experiment',
  },
  {
    code: 'AH00136',
    text: 'Server MUST relinquish startup privileges before accepting connections. Please ensure mod_unixd or other system security module is loaded.',
    meaning:
      'httpd does not start, although `httpd -t` reports no error. In 2.4 mod_unixd changes the user from root to the user of the `User` line. In 2.2 the MPM did this.',
    remedy: 'Load unixd_module, and keep `User` and `Group`.',
    rules: ['missing-module'],
    about: ['User', 'Group', 'mod_unixd'],
    source: 'experiment',
  },
  {
    code: 'AH01177',
    text: "Failed to lookup provider 'shm' for '…': is mod_slotmem_shm loaded??",
    meaning:
      'httpd does not start, although `httpd -t` reports no error. mod_proxy_balancer needs shared memory, which is a separate module in 2.4.',
    remedy:
      'Load slotmem_shm_module. If you use no `balancer://`, remove the LoadModule line of proxy_balancer_module instead.',
    rules: ['missing-module'],
    about: ['mod_proxy_balancer', 'mod_slotmem_shm'],
    source: 'experiment',
  },
  {
    code: 'AH02432',
    text: 'Cannot find LB Method: …',
    meaning:
      'httpd does not start, although `httpd -t` reports no error. In 2.4 each balancing method is a separate module, even the default one, byrequests.',
    remedy: 'Load the module of the method, for example lbmethod_byrequests_module, after proxy_balancer_module.',
    rules: ['missing-module', 'module-order'],
    about: ['mod_lbmethod_byrequests', 'BalancerMember'],
    source: 'experiment',
  },
  {
    code: 'AH01183',
    text: 'Cannot share balancer',
    meaning:
      'httpd does not start: the module of the balancing method is missing. The message AH02432 before this one names the method.',
    remedy: 'Load lbmethod_byrequests_module, or the module of your method.',
    rules: ['missing-module'],
    about: ['mod_lbmethod_byrequests'],
    source: 'experiment',
  },
  {
    code: 'AH01144',
    text: "No protocol handler was valid for the URL … (scheme '…'). If you are using a DSO version of mod_proxy, make sure the proxy submodules are included in the configuration using LoadModule.",
    meaning: 'The request got 500: mod_proxy is loaded, but not the module for this kind of backend.',
    remedy: 'Load proxy_http_module for http://, proxy_fcgi_module for fcgi://, or proxy_ajp_module for ajp://.',
    rules: ['missing-module'],
    about: ['ProxyPass', 'mod_proxy'],
    source: 'experiment',
  },
  {
    code: 'AH01574',
    text: 'module … is already loaded, skipping',
    meaning: 'This is only a warning. Two `LoadModule` lines load the same module.',
    remedy: 'Remove one of the lines.',
    rules: ['load-module-twice'],
    about: ['LoadModule'],
    source: 'experiment',
  },
  {
    code: 'AH01380',
    text: 'Unknown filter … not added',
    meaning: 'No loaded module provides a filter with this name, so httpd sends the response without it.',
    remedy: 'Load the module of the filter: deflate_module for DEFLATE, include_module for INCLUDES.',
    rules: ['missing-module'],
    about: ['mod_filter'],
    source: 'source',
  },
  {
    code: 'AH00511',
    text: 'WARNING: MaxRequestWorkers of … is less than ThreadsPerChild of …, increasing to ….',
    meaning:
      '`MaxRequestWorkers` must allow at least one whole process, with `ThreadsPerChild` threads. httpd starts, and raises the number. A value that was right for prefork is often too small for event.',
    remedy: 'Raise `MaxRequestWorkers` to a multiple of `ThreadsPerChild`.',
    rules: ['max-clients', 'mpm-limits'],
    about: ['MaxRequestWorkers', 'MaxClients'],
    source: 'experiment',
  },
  {
    text: 'no listening sockets available, shutting down',
    meaning:
      'httpd does not start, although `httpd -t` reports no error. There is no `Listen` line, or httpd could not listen on any of the addresses (AH00072).',
    remedy:
      'Add a `Listen` line. If there is one, look at the lines before this message in the error log: `httpd-upgrade explain` tells what they mean.',
    rules: ['listen-missing', 'listen-overlap'],
    about: ['Listen'],
    source: 'experiment',
  },
  {
    text: 'Cannot define multiple Listeners on the same IP:port',
    meaning:
      'Two `Listen` lines have the same address and port. They can be in different files, or one file is included twice.',
    remedy: 'Remove one of the lines.',
    rules: ['listen-twice', 'listen-overlap'],
    about: ['Listen'],
    source: 'experiment',
  },
  {
    code: 'AH00072',
    text: 'make_sock: could not bind to address …',
    meaning:
      '"Address already in use" (Windows 10048): another program uses the port, perhaps 2.2. Or two `Listen` lines overlap, for example `Listen 80` and `Listen 192.0.2.1:80`. "Cannot assign requested address": the machine does not have this address. "Permission denied" (Windows 10013): only root can use ports below 1024; SELinux allows only known ports; on Windows, IIS uses the port.',
    remedy:
      'Find the program that uses the port: `ss -ltnp`, on Windows `netstat -abno`. If `Listen` lines overlap, keep the line for all addresses, or those for single addresses. For SELinux: `semanage port -a -t http_port_t -p tcp PORT`.',
    rules: ['listen-overlap'],
    about: ['Listen'],
    source: 'experiment',
  },
  {
    code: 'AH00015',
    text: 'Unable to open logs',
    meaning: 'httpd does not start: it could not open a log or a port. The line before contains the reason.',
    remedy: 'Look at the line before this one in the log. Give that line to `httpd-upgrade explain`.',
    rules: [],
    about: ['ErrorLog', 'Listen'],
    source: 'experiment',
  },
  {
    code: 'AH00091',
    text: '…: could not open error log file ….',
    meaning:
      'httpd does not start, although `httpd -t` reports no error. The path of the `ErrorLog` line is a directory, or httpd cannot write to this file.',
    remedy: 'Correct the `ErrorLog` line, or the permissions.',
    rules: ['path-missing'],
    about: ['ErrorLog'],
    source: 'experiment',
  },
  {
    code: 'AH00089',
    text: "Couldn't start ErrorLog process '…'.",
    meaning:
      'httpd does not start, although `httpd -t` reports no error. The program of the `ErrorLog` does not exist.',
    remedy: 'Correct the path of the program.',
    rules: ['path-missing', 'piped-log'],
    about: ['ErrorLog'],
    source: 'experiment',
  },
  {
    code: 'AH00104',
    text: "unable to start piped log program '…'",
    meaning:
      'httpd does not start, although `httpd -t` reports no error: the log program cannot run. The start of the line has the reason, most often that it does not exist. 2.4 starts it without a shell and does not search in the PATH.',
    remedy: 'Write the full path of the program. If the command needs a shell, start it with `|$`.',
    rules: ['path-missing', 'piped-log'],
    about: ['CustomLog', 'TransferLog'],
    source: 'experiment',
  },
  {
    code: 'AH00099',
    text: 'could not create …',
    meaning:
      'httpd does not start, although `httpd -t` reports no error. The directory of the `PidFile` does not exist, or httpd cannot write to it. The message AH00100 follows.',
    remedy: 'Create the directory, or correct the path.',
    rules: ['path-missing'],
    about: ['PidFile'],
    source: 'experiment',
  },
  {
    code: 'AH00651',
    text: 'could not open forensic log file ….',
    meaning:
      'httpd does not start, although `httpd -t` reports no error. The directory of the `ForensicLog` does not exist.',
    remedy: 'Create the directory, or correct the path.',
    rules: ['path-missing'],
    about: ['ForensicLog'],
    source: 'experiment',
  },
  {
    code: 'AH01597',
    text: 'could not open mime types config file ….',
    meaning:
      'httpd does not start, although `httpd -t` reports no error. The file of `TypesConfig` does not exist. If there is no `TypesConfig` line, httpd looks for the file at a path that is compiled in.',
    remedy: 'Correct the path. On Debian it is /etc/mime.types.',
    rules: ['path-missing'],
    about: ['TypesConfig', 'mod_mime'],
    source: 'experiment',
  },
  {
    code: 'AH01874',
    text: 'Could not initialize session cache. Exiting.',
    meaning:
      'httpd does not start, although `httpd -t` reports no error. The directory of the `SSLSessionCache` does not exist, or httpd cannot write to it.',
    remedy: 'Create the directory, or use `shmcb:`, which needs no file.',
    rules: ['path-missing'],
    about: ['SSLSessionCache'],
    source: 'experiment',
  },
  {
    code: 'AH02284',
    text: "failed to lookup provider 'shm' for '…', maybe you need to load mod_slotmem_shm?",
    meaning: 'httpd does not start, although `httpd -t` reports no error. mod_heartmonitor needs shared memory.',
    remedy: 'Load slotmem_shm_module.',
    rules: ['missing-module'],
    about: ['mod_heartmonitor', 'mod_slotmem_shm'],
    source: 'experiment',
  },
  {
    code: 'AH01425',
    text: 'I18n support in mod_proxy_html requires mod_xml2enc. Without it, non-ASCII characters in proxied pages are likely to display incorrectly.',
    meaning:
      'This is only a notice. Without mod_xml2enc, pages that mod_proxy_html rewrites can show wrong characters, for example for ä or é.',
    remedy: 'Load xml2enc_module.',
    rules: ['missing-module'],
    about: ['mod_proxy_html', 'mod_xml2enc'],
    source: 'experiment',
  },
  {
    code: 'AH03262',
    text: 'mod_watchdog is required',
    meaning:
      'httpd does not start, although `httpd -t` reports no error. mod_proxy_hcheck is loaded without mod_watchdog.',
    remedy: 'Load watchdog_module.',
    rules: ['missing-module'],
    about: ['mod_proxy_hcheck', 'mod_watchdog'],
    source: 'source',
  },
  {
    code: 'AH02093',
    text: 'mod_watchdog is required',
    meaning:
      'httpd does not start, although `httpd -t` reports no error. mod_heartmonitor is loaded without mod_watchdog.',
    remedy: 'Load watchdog_module.',
    rules: ['missing-module'],
    about: ['mod_heartmonitor', 'mod_watchdog'],
    source: 'source',
  },
  {
    code: 'AH02618',
    text: 'You must load mod_request to enable the mod_auth_form functions',
    meaning: 'httpd does not start: mod_auth_form is loaded without mod_request.',
    remedy: 'Load request_module.',
    rules: ['missing-module'],
    about: ['mod_auth_form', 'mod_request'],
    source: 'experiment',
  },
  {
    code: 'AH01674',
    text: 'Please select a socache provider with AuthnCacheSOCache (no default found on this platform).',
    meaning:
      'httpd does not start, although `httpd -t` reports no error. `AuthnCacheEnable` or `AuthnCacheProvideFor` needs a cache, but no cache module is loaded.',
    remedy: 'Load socache_shmcb_module, or set another cache with `AuthnCacheSOCache`.',
    rules: ['missing-module'],
    about: ['AuthnCacheSOCache', 'mod_authn_socache', 'mod_socache_shmcb'],
    source: 'experiment',
  },
  {
    code: 'AH10034',
    text: 'The mpm module (…) is not supported by mod_http2.',
    meaning:
      'This is only a warning. HTTP/2 needs a threaded MPM. With prefork the server runs, but with HTTP/1.1 only.',
    remedy: 'Load mpm_event_module instead of mpm_prefork_module (not with mod_php), or remove mod_http2.',
    rules: ['http2-prefork'],
    about: ['mod_http2', 'prefork'],
    source: 'experiment',
  },
  ...changedNumbers(),
  {
    code: 'AH00161',
    text: 'server reached MaxRequestWorkers setting, consider raising the MaxRequestWorkers setting',
    meaning:
      'All workers of prefork are busy. `MaxRequestWorkers` was `MaxClients` in 2.2. For event and worker the message is AH00484.',
    remedy: 'Find out why all workers are busy. Raise `MaxRequestWorkers` if there is enough memory.',
    rules: ['max-clients'],
    about: ['MaxRequestWorkers', 'MaxClients'],
    source: 'source',
  },
  {
    code: 'AH00484',
    text: 'server reached MaxRequestWorkers setting, consider raising the MaxRequestWorkers setting',
    meaning: 'All workers of a threaded MPM are busy. `MaxRequestWorkers` was `MaxClients` in 2.2.',
    remedy:
      'Find out why all workers are busy. Raise `MaxRequestWorkers` (and `ServerLimit`) if there is enough memory.',
    rules: ['max-clients'],
    about: ['MaxRequestWorkers', 'MaxClients'],
    source: 'source',
  },
  // ---- Requests ----
  {
    code: 'AH01276',
    text: 'Cannot serve directory …: No matching DirectoryIndex (…) found, and server-generated directory index forbidden by Options directive',
    meaning:
      'The request got 403: there is no index file, and `Options` does not allow a listing. The default of `Options` was All in 2.2 and is FollowSymLinks in 2.4.',
    remedy: 'Write `Options Indexes FollowSymLinks` if you want listings, or add an index file.',
    rules: ['changed-defaults'],
    about: ['Options', 'DirectoryIndex'],
    source: 'experiment',
  },
  {
    code: 'AH00035',
    text: "access to … denied (filesystem path '…') because search permissions are missing on a component of the path",
    meaning: 'The request got 403 because of file permissions: the user of httpd cannot enter a directory in the path.',
    remedy: 'Give the user of httpd the `x` permission for each directory of the path. Check the `User` line.',
    rules: [],
    about: ['User'],
    source: 'source',
  },
  {
    code: 'AH00037',
    text: 'Symbolic link not allowed or link target not accessible: …',
    meaning:
      'The request got 403: the path has a symbolic link. `Options` does not allow it, its target does not exist or is not readable, or with SymLinksIfOwnerMatch the link and its target have different owners.',
    remedy:
      'Check that the target exists, and that httpd can read it (`ls -lL PATH`). If `Options` does not allow links, add `Options +FollowSymLinks` for the directory.',
    rules: [],
    about: ['Options'],
    source: 'source',
  },
  {
    code: 'AH01382',
    text: 'Request … read timeout',
    meaning:
      'The request got 408: the client was slower than mod_reqtimeout allows. In 2.4 the limits apply as soon as the module is loaded. 2.2 had no limits by default.',
    remedy: 'Set `RequestReadTimeout` to longer times for slow uploads, or to `header=0 body=0` for no limits.',
    rules: ['changed-defaults'],
    about: ['RequestReadTimeout', 'mod_reqtimeout'],
    source: 'source',
  },
  {
    code: 'AH10410',
    text: 'Rewritten query string contains control characters or spaces',
    meaning:
      'The request got 403: a `RewriteRule` copied a space or a control character of the URL (`%20`) into the query string. httpd rejects this since 2.4.56.',
    remedy: 'Add the flag `[B]` to the rule.',
    rules: ['rewrite-target'],
    about: ['RewriteRule'],
    source: 'source',
  },
  {
    code: 'AH01665',
    text: 'Could not open group file: …',
    meaning:
      'The request got 401: the file of `AuthGroupFile` is missing or not readable, so no user is a member of a group. 2.2 answered 500.',
    remedy: 'Correct the path, or make the file readable for the user of the server.',
    rules: ['path-missing'],
    about: ['AuthGroupFile', 'Require'],
    source: 'source',
  },
  {
    code: 'AH10508',
    text: 'Unsafe URL with %3f URL rewritten without UnsafeAllow3F',
    meaning:
      'The request got 403: the result of a `RewriteRule` contains an encoded question mark. httpd rejects this since 2.4.60.',
    remedy: 'If the `?` is intended, add the flag `[UnsafeAllow3F]` to the rule.',
    rules: ['rewrite-target'],
    about: ['RewriteRule'],
    source: 'source',
  },
  {
    code: 'AH10411',
    text: 'Rewritten query string contains control characters or spaces',
    meaning:
      'The request got 403: a `RewriteRule` wrote a part of the URL into the query string, and this part contains a decoded blank or control character.',
    remedy: 'Add the flag `[B]`, so that httpd escapes the text again.',
    rules: [],
    about: ['RewriteRule'],
    source: 'source',
  },
  {
    code: 'AH00124',
    text: 'Request exceeded the limit of … internal redirects due to probable configuration error.',
    meaning: 'The request got 500: a `RewriteRule` or `ErrorDocument` forms a loop.',
    remedy: 'Add a condition to the rule, or the flag `[END]`, which is new in 2.4.',
    rules: [],
    about: ['RewriteRule', 'LimitInternalRecursion'],
    source: 'source',
  },
  // ---- TLS ----
  {
    code: 'AH01902',
    text: 'Host …: X.509 CRL storage locations configured, but CRL checking (…CARevocationCheck) is not enabled',
    meaning:
      'This is only a warning, but httpd now accepts revoked certificates. 2.2 always checked the lists of revoked certificates (CRLs).',
    remedy:
      'Add `SSLCARevocationCheck chain` for client certificates, or `SSLProxyCARevocationCheck chain` for certificates of backends.',
    rules: ['ssl-crl-check'],
    about: ['SSLCARevocationCheck', 'SSLCARevocationFile', 'SSLCARevocationPath'],
    source: 'experiment',
  },
  {
    code: 'AH10510',
    text: "'SSLEngine optional' is no longer supported",
    meaning:
      'This is only a notice, since 2.4.64: httpd ignores `optional`. The virtual host uses plain HTTP, unless another line has `SSLEngine on`.',
    remedy: 'Write `on` or `off`.',
    rules: ['value-refused'],
    about: ['SSLEngine'],
    source: 'experiment',
  },
  {
    code: 'AH01873',
    text: 'Init: Session Cache is not configured [hint: SSLSessionCache]',
    meaning: 'This is only a warning. Without a session cache, TLS handshakes take longer.',
    remedy: 'Load socache_shmcb_module and add `SSLSessionCache shmcb:…`.',
    rules: ['ssl-session-cache-type'],
    about: ['SSLSessionCache', 'mod_socache_shmcb'],
    source: 'experiment',
  },
  {
    code: 'AH01898',
    text: 'Unable to configure permitted SSL ciphers',
    meaning: 'httpd does not start: OpenSSL knows none of the ciphers in `SSLCipherSuite`.',
    remedy: 'Correct `SSLCipherSuite`, or remove the line to use the default.',
    rules: [],
    about: ['SSLCipherSuite'],
    source: 'experiment',
  },
  {
    code: 'AH01958',
    text: 'SSLStapling: no stapling cache available',
    meaning: 'httpd does not start: `SSLUseStapling` is on, but there is no `SSLStaplingCache`.',
    remedy: 'Load socache_shmcb_module and add `SSLStaplingCache shmcb:…`.',
    rules: ['ssl-stapling-cache-missing'],
    about: ['SSLUseStapling', 'SSLStaplingCache'],
    source: 'experiment',
  },
  {
    code: 'AH02312',
    text: 'Fatal error initialising mod_ssl, exiting.',
    meaning: 'httpd does not start. The lines before this message in the error log contain the reason.',
    remedy: 'Look at the line before this one in the log, for example AH01898, AH01958 or AH02572.',
    rules: [],
    about: ['mod_ssl'],
    source: 'experiment',
  },
  {
    code: 'AH02572',
    text: 'Failed to configure at least one certificate and key for …',
    meaning: 'httpd does not start: a virtual host with `SSLEngine on` has no certificate.',
    remedy: 'Add `SSLCertificateFile` and `SSLCertificateKeyFile` to the virtual host that the message names.',
    rules: ['ssl-certificate-missing'],
    about: ['SSLCertificateFile', 'SSLCertificateKeyFile'],
    source: 'experiment',
  },
  {
    code: 'AH02032',
    text: 'Hostname … provided via HTTP have no compatible SSL setup for policy',
    meaning:
      'The request got 421: the host name in the TLS handshake and the one in the request belong to virtual hosts with different TLS settings. 2.4.64 and later check more of these settings. 2.2 answered 400 if the two names were different.',
    remedy: 'Give both virtual hosts the same TLS settings, or change `SSLVHostSNIPolicy`.',
    rules: [],
    about: ['SSLVHostSNIPolicy', '<VirtualHost'],
    source: 'source',
  },
  // ---- Start-up errors without a code ----
  {
    text: "Invalid command '…', perhaps misspelled or defined by a module not included in the server configuration",
    meaning:
      'No loaded module knows the directive. It was removed in 2.4, or its module is not loaded, or its name is misspelled.',
    remedy:
      'Give the name of the directive to `httpd-upgrade explain`. The answer names the module to load, or the replacement.',
    rules: ['missing-module'],
    about: [],
    source: 'experiment',
  },
  {
    text: 'Unknown Authz provider: …',
    meaning:
      'httpd rejects the line: no loaded module knows the first word after `Require`. In 2.4 upper and lower case matter in this word. 2.2 accepted any word at the start.',
    remedy:
      'Write the word in lower case, or load its module: authz_user_module (user, valid-user), authz_groupfile_module (group), authz_host_module (ip, host, local), authz_dbm_module (dbm-group).',
    rules: ['require-unknown-provider', 'require-provider-case', 'require-group-dbm'],
    about: ['Require'],
    source: 'experiment',
  },
  {
    text: '… directive has no effect in … directive',
    meaning:
      'httpd rejects the line: `Require not` or `<RequireNone>` is in a place where one matching line is enough. Such places are `<RequireAny>`, and sections such as `<Directory>` without a `<RequireAll>`.',
    remedy: 'Put the line into a `<RequireAll>`, together with `Require all granted`.',
    rules: ['require-not-alone'],
    about: ['<RequireAll', '<RequireNone', 'Require'],
    source: 'experiment',
  },
  {
    text: '… unknown lbmethod',
    meaning:
      'httpd does not start: no loaded module has the method that `lbmethod=` names. In 2.4 each method is a module. In 2.2 they were in mod_proxy_balancer.',
    remedy:
      'Add the LoadModule line of the method above this line, for example of lbmethod_byrequests_module, or correct the name.',
    rules: ['missing-module'],
    about: ['mod_lbmethod_byrequests', 'ProxyPass', 'BalancerMember'],
    source: 'experiment',
  },
  {
    text: "Unknown socache provider '…'. Maybe you need to load the appropriate socache module (mod_socache_…?)",
    meaning: 'httpd rejects the line: no loaded module has this type of cache. In 2.4 each type is a separate module.',
    remedy: 'Load the module that the message names, or correct the name of the type.',
    rules: ['missing-module'],
    about: ['mod_socache_shmcb', 'AuthnCacheSOCache', 'CacheSocache'],
    source: 'experiment',
  },
  {
    text: "Can't load driver file …",
    meaning:
      'httpd does not start: the library of apr-util for the database of a `DBDriver` line is not installed. Debian and Red Hat have a package for each database.',
    remedy:
      'Install the package of the driver, for example libaprutil1-dbd-mysql on Debian and apr-util-mysql on Red Hat, or correct the name.',
    rules: [],
    about: ['DBDriver', 'mod_dbd'],
    source: 'experiment',
  },
  {
    text: "ip address '…' appears to be invalid",
    meaning:
      '`Require ip` takes only addresses and networks. `Allow from` also accepted host names. It read lists with commas, ranges and `*` as host names that never match.',
    remedy:
      'For host names, use `Require host`. Separate addresses with blanks, not with commas. Write `192.168` or `192.168.0.0/16` instead of `192.168.*`.',
    rules: ['require-ip-operand', 'access-operand-never-matches'],
    about: ['Require', 'Allow'],
    source: 'experiment',
  },
  {
    text: 'No comments are allowed here',
    meaning:
      'httpd rejects the line: an `Allow` or `Deny` line contains a `#`. httpd has no comments at the end of a line. 2.2 read the words of the comment as host names.',
    remedy: 'Move the comment to its own line.',
    rules: ['access-trailing-comment'],
    about: ['Allow', 'Deny'],
    source: 'experiment',
  },
  {
    text: 'Either all Options must start with + or -, or no Option may.',
    meaning:
      'httpd rejects the line: the `Options` line has words with and words without `+` or `-`. 2.2 accepted this: the first word without a sign cleared the list of options.',
    remedy:
      'Use either only words without a sign (a new list), or only words with a sign (changes of the inherited list).',
    rules: ['options-mixed'],
    about: ['Options'],
    source: 'experiment',
  },
  {
    text: 'KeepAlive must be On or Off',
    meaning:
      'httpd does not start: a `KeepAlive` line has another word than `On` or `Off`, often a number. 2.2 read every word except `Off` and `0` as On.',
    remedy: 'Write `On`, which is almost always the old meaning, or `Off`.',
    rules: ['keep-alive-value'],
    about: ['KeepAlive'],
    source: 'experiment',
  },
  {
    text: 'FilterProvider takes three arguments, filter-name provider-name match-expression',
    meaning:
      'httpd rejects the line: a `FilterProvider` line has the four arguments of 2.2. In 2.4 one expression replaces the last two arguments.',
    remedy: 'Write the expression: `resp=Content-Type $text/` becomes `"%{CONTENT_TYPE} -strmatch \'*text/*\'"`.',
    rules: ['filter-provider'],
    about: ['FilterProvider'],
    source: 'experiment',
  },
  {
    text: 'Unknown Authn provider: …',
    meaning:
      'httpd rejects the line: no loaded module knows this word of an `AuthBasicProvider`, `AuthDigestProvider` or `<AuthnProviderAlias>` line. Each provider has its own module.',
    remedy:
      'Load the module of the provider: authn_file_module (file), authn_dbm_module (dbm), authn_dbd_module (dbd), authnz_ldap_module (ldap).',
    rules: ['missing-module'],
    about: ['AuthBasicProvider', 'mod_authn_file'],
    source: 'experiment',
  },
  {
    text: 'bad user name …',
    meaning:
      'httpd does not start: the user of a `User` or `SuexecUserGroup` line does not exist on this machine. If the message has `${…}`, the variable is not set: on Debian, start httpd with `apachectl`. On the new system, the name is often different, such as www-data (Debian) or apache (Red Hat).',
    remedy: 'Correct the `User` line, or create the user.',
    rules: [],
    about: ['User', 'SuexecUserGroup'],
    source: 'source',
  },
  ...alike(['AH00169', 'AH00295', 'AH00491'], {
    text: 'caught SIGTERM, shutting down',
    meaning:
      'This is only a notice. Somebody or something stopped httpd, for example `apachectl stop`, systemd or a restart of the machine.',
    remedy:
      'If httpd stops unexpectedly, look at the messages of systemd: `journalctl -u httpd` or `journalctl -u apache2`.',
    rules: [],
    about: [],
    source: 'source',
  }),
  {
    code: 'AH00687',
    text: 'Negotiation: discovered file(s) matching request: … (None could be negotiated).',
    meaning:
      'The request got 404. `Options MultiViews` found files with this name, but none has a type, language, charset or encoding that mod_negotiation accepts. Often the type of .php files is not known.',
    remedy:
      'Add the type of the extension with `AddType`, set `MultiviewsMatch Handlers`, or remove MultiViews from `Options`.',
    rules: [],
    about: ['MultiviewsMatch', 'mod_negotiation'],
    source: 'source',
  },
  {
    text: 'Unknown filter provider …',
    meaning:
      'httpd rejects the line: an `AddOutputFilterByType` line names a filter whose module is not loaded, or is loaded below the line. 2.2 did not check this.',
    remedy: 'Load the module of the filter: deflate_module for DEFLATE.',
    rules: ['missing-module'],
    about: ['AddOutputFilterByType', 'mod_filter'],
    source: 'experiment',
  },
  {
    text: "No matches for the wildcard '…' in '…', failing",
    meaning: 'httpd does not start: no file matches the wildcard of an `Include` line. 2.2 started in this case.',
    remedy: 'Replace `Include` by `IncludeOptional`.',
    rules: ['include-no-match', 'include-wildcard'],
    about: ['Include', 'IncludeOptional'],
    source: 'experiment',
  },
  {
    text: 'SSLv3 not supported by this version of OpenSSL',
    meaning: 'httpd does not start: the `SSLProtocol` line needs SSLv3, and this OpenSSL does not have it.',
    remedy: 'Write `SSLProtocol all -SSLv3`, or remove the line.',
    rules: [],
    about: ['SSLProtocol'],
    source: 'experiment',
  },
  {
    text: 'SSLProtocol: SSLv2 is no longer supported',
    meaning:
      'httpd does not start: an `SSLProtocol` or `SSLProxyProtocol` line enables SSLv2, which 2.4 does not have. `-SSLv2` is still allowed.',
    remedy: 'Remove the word `SSLv2` or `+SSLv2` from the line.',
    rules: ['ssl-protocol-sslv2'],
    about: ['SSLProtocol', 'SSLProxyProtocol'],
    source: 'experiment',
  },
  {
    text: "'…' session cache not supported (known names: …). Maybe you need to load the appropriate socache module (mod_socache_…?).",
    meaning:
      'In 2.4 each type of session cache is a separate module. 2.2 had them in mod_ssl. The types `shm:` and `shmht:` were removed.',
    remedy: 'Load socache_shmcb_module for `shmcb:`, or the module that the message names.',
    rules: ['ssl-session-cache-type', 'missing-module'],
    about: ['SSLSessionCache', 'mod_socache_shmcb'],
    source: 'experiment',
  },
  {
    text: 'Invalid Mutex directory in argument …',
    meaning:
      'httpd does not start: the word after `file:` must be a directory that exists. `SSLMutex` and `RewriteLock` of 2.2 had a file there.',
    remedy: 'Write a directory, or remove the line: the default is usually right.',
    rules: ['mutex-directive'],
    about: ['Mutex'],
    source: 'experiment',
  },
  {
    text: "… is built-in and can't be loaded",
    meaning: 'httpd does not start: a `LoadModule` line loads a module that is already compiled into this httpd.',
    remedy: 'Remove the line, or put it into `<IfModule !…>`.',
    rules: ['load-module-twice'],
    about: ['LoadModule'],
    source: 'experiment',
  },
  {
    text: '… not allowed here',
    meaning:
      'The directive is in a place where it is not allowed: outside of all sections, in a section, or in a .htaccess file. In a .htaccess file, requests get 500; otherwise httpd does not start. Many directives, such as `Alias`, are never allowed in a .htaccess file; others need their class in `AllowOverride`. In 2.4 `Require` needs `AllowOverride AuthConfig`. In 2.2 `Order` and `Allow` needed `AllowOverride Limit`.',
    remedy:
      'Move the line to a place where the directive is allowed (`httpd-upgrade explain DIRECTIVE` names them). If .htaccess is one of them, you can add the class of the directive to the `AllowOverride` line of the directory instead.',
    rules: ['access-outside-directory', 'limit-outside-directory', 'allow-override-class', 'allow-override-missing'],
    about: ['AllowOverride'],
    source: 'experiment',
  },
  {
    text: '… cannot occur within …',
    meaning:
      'The directive is not allowed in this kind of section. 2.4 no longer allows `ProxyPass` in `<Directory>` and `<Files>`.',
    remedy: 'Move the line out of this section. For a `ProxyPass` line, use a `<Location>`.',
    rules: ['proxy-pass-in-directory'],
    about: ['ProxyPass'],
    source: 'experiment',
  },
  {
    text: '… not allowed in … context',
    meaning:
      'The directive is not allowed in this kind of section. After an upgrade this is often `Require` or `<Limit>` directly in a `<VirtualHost>`.',
    remedy:
      'If the message names `<VirtualHost>`, move the line into a `<Directory>` or `<Location "/">` of that virtual host. If it names another section, move the line out of that section.',
    rules: ['access-outside-directory', 'limit-outside-directory'],
    about: ['Require', '<Limit'],
    source: 'experiment',
  },
  {
    text: 'Cannot load … into server: …',
    meaning:
      'The text after the last colon is the reason. Often the file does not exist, because 2.4 removed or renamed the module. Or the module was built for 2.2 ("undefined symbol"). Or the line comes before the line of another module that it needs: mod_cache_disk needs mod_cache, mod_lbmethod_… needs mod_proxy_balancer.',
    remedy:
      'Remove the line, change the name of the file, or install the module for 2.4. If the module needs another module, move its line below the line of that module.',
    rules: ['removed-module', 'disk-cache-module', 'authn-alias-module', 'module-order', 'third-party-module'],
    about: ['LoadModule'],
    source: 'experiment',
  },
  {
    text: "API module structure '…' in file … is garbled",
    meaning:
      'The file of the module was built for another version of httpd. The signature of 2.2 is 41503232, and that of 2.4 is 41503234.',
    remedy: 'Install the module for 2.4, or remove the line.',
    rules: ['third-party-module', 'removed-module'],
    about: ['LoadModule'],
    source: 'experiment',
  },
  // ---- What users see and search for ----
  {
    text: '.htaccess files are not processed',
    aliases: [
      '.htaccess',
      'htaccess',
      '.htaccess files are not processed',
      'htaccess files are not processed',
      '.htaccess ignored',
      'htaccess not working',
      '.htaccess not working',
    ],
    isSymptom: true,
    meaning:
      'With `AllowOverride None`, which most packages set, httpd 2.4 ignores .htaccess files. If no `AllowOverride` line applies, httpd 2.4 reads these files but allows no directive in them: requests get 500.',
    remedy: 'Add `AllowOverride All`, or the classes that you need, to the `<Directory>` of the site.',
    rules: ['allow-override-missing', 'allow-override-class'],
    about: ['AllowOverride', 'AllowOverrideList'],
    source: 'experiment',
  },
  {
    text: 'httpd does not start after the upgrade',
    aliases: [
      'does not start',
      'will not start',
      'wont start',
      'won t start',
      'doesnt start',
      'doesn t start',
      'unable to start',
      'failed to start',
      'fails to start',
      'not starting',
      'cannot start',
      'start failed',
      'does not come up',
      'could not start',
      'control process exited',
      'main process exited',
      'failed with result',
      'active failed',
      'result exit code',
      'status 1 failure',
      'configtest failed',
      'error log may have more information',
      'the apache http server',
      'requested operation has failed',
      'service named',
    ],
    isSymptom: true,
    meaning:
      'httpd stops at the first line that it does not accept. Most often this is `Invalid command` (the directive was removed, or its module is not loaded), a `LoadModule` of a file that does not exist, or `Order` without mod_access_compat. After `Syntax OK` the start can still fail: no `Listen`, a port in use, a missing directory for logs.',
    remedy:
      'Run `httpd-upgrade check` on the main configuration file (httpd.conf or apache2.conf): it shows all such lines at once. Or paste the message of `httpd -t` or of the error log after `httpd-upgrade explain`.',
    rules: [
      'order-allow-deny',
      'missing-module',
      'removed-module',
      'mutex-directive',
      'listen-missing',
      'path-missing',
    ],
    about: ['LoadModule', 'Listen'],
    source: 'experiment',
  },
  {
    text: '404 Not Found after the upgrade',
    aliases: [
      '404',
      '404 not found',
      'not found',
      'page not found',
      'default page',
      'wrong site',
      'wrong virtual host',
      'it works page',
    ],
    isSymptom: true,
    meaning:
      'Often another virtual host answers than in 2.2, or the site is in another directory. On Debian, 2.4 reads only files in sites-enabled whose names end in .conf, and its default site is in /var/www/html. In 2.4 virtual hosts with the same address are always selected by name.',
    remedy:
      'Look at `apache2ctl -S` or `httpd -S`: it lists the virtual hosts, and shows which of them answers for each name.',
    rules: ['enabled-not-included', 'virtual-host-shadowed', 'name-virtual-host'],
    about: ['<VirtualHost', 'DocumentRoot'],
    source: 'experiment',
  },
  {
    text: '401 Unauthorized after the upgrade',
    aliases: [
      '401',
      '401 unauthorized',
      'unauthorized',
      'password',
      'passwords',
      'wrong password',
      'login',
      'log in',
      'cannot log in',
      'password mismatch',
    ],
    isSymptom: true,
    meaning:
      'Old password files still work: both versions read crypt and MD5, and 2.4 also reads bcrypt. The error log contains the reason. AH01617: the password is wrong. AH01618: there is no such user. AH01631: no `Require` line matches this user. AH01664: `Require group` finds no group file.',
    remedy:
      'Run `httpd-upgrade explain` with the code from the log. Check `AuthUserFile`, `AuthGroupFile` and the `Require` lines of the directory.',
    rules: ['require-group-dbm', 'require-unknown-provider', 'require-mixed-modules', 'authtype-without-require'],
    about: ['AuthUserFile', 'Require'],
    source: 'experiment',
  },
  {
    text: 'No directory listing after the upgrade',
    aliases: [
      'directory listing',
      'directory listings',
      'no listing',
      'index of',
      'listing denied',
      'directory index forbidden',
    ],
    isSymptom: true,
    meaning:
      'The default of `Options` was All in 2.2 and is FollowSymLinks in 2.4. Without `Options Indexes`, a directory without an index file gets 403 (AH01276).',
    remedy: 'Add `Options +Indexes` for directories whose content everyone may see.',
    rules: ['changed-defaults'],
    about: ['Options', 'DirectoryIndex'],
    source: 'experiment',
  },
  {
    text: 'PHP after the upgrade',
    aliases: ['php', 'php code', 'php source', 'php files', 'php5', 'php not working', 'mod_php not working'],
    isSymptom: true,
    meaning:
      'The PHP module has a different name in PHP 5 (php5_module), 7 (php7_module) and 8 (php_module). With a newer PHP, httpd skips the lines in `<IfModule mod_php5.c>`, and .php files can appear as text. A module that was built for 2.2 does not load in 2.4.',
    remedy:
      'Install PHP for 2.4, and change the names in `LoadModule` and `<IfModule>` lines. Or use PHP-FPM with mod_proxy_fcgi.',
    rules: ['third-party-module', 'ifmodule-renamed'],
    about: ['LoadModule', '<IfModule', 'mod_proxy_fcgi'],
    source: 'experiment',
  },
  {
    text: 'PHP reports an error in a program',
    aliases: ['php fatal error', 'php parse error', 'php warning', 'php notice', 'php deprecated'],
    isSymptom: true,
    meaning:
      'PHP wrote this line, not httpd: PHP runs, and a program has an error. After an upgrade, the reason is often a new version of PHP: it removed old functions, for example mysql_connect, or its extension is not installed.',
    remedy:
      'Look at the file and line in the message. Correct the program, or install the PHP extension that it needs.',
    rules: [],
    about: [],
    source: 'source',
  },
  {
    text: 'No log of mod_rewrite after the upgrade',
    aliases: ['rewrite log', 'rewritelog', 'rewrite.log', 'rewrite_log', 'rewrite debugging'],
    isSymptom: true,
    meaning:
      '`RewriteLog` and `RewriteLogLevel` were removed. In 2.4 mod_rewrite writes its messages to the error log, if `LogLevel` allows them.',
    remedy: 'Write `LogLevel warn rewrite:trace3`: trace3 shows as much as `RewriteLogLevel 3` did.',
    rules: ['rewrite-log'],
    about: ['LogLevel', 'mod_rewrite'],
    source: 'experiment',
  },
  {
    code: 'AH00128',
    text: 'File does not exist: …',
    meaning:
      'The requested file does not exist (404). The path in the message shows in which directory httpd looked. Perhaps another virtual host answers, or the default `DocumentRoot` changed with the upgrade.',
    remedy:
      'Compare the path with your `DocumentRoot` and `Alias` lines. `httpd -S` shows which virtual host answers for a name.',
    rules: ['enabled-not-included', 'virtual-host-shadowed'],
    about: ['DocumentRoot', 'Alias'],
    source: 'source',
  },
  {
    code: 'AH00052',
    text: 'child pid … exit signal …',
    meaning:
      'A process of httpd crashed. The requests that it was answering failed. After an upgrade, the reason is often a third-party module, such as PHP or mod_perl, that was built for another version of httpd. "File size limit exceeded": a file, often a log, is larger than the limit of the system.',
    remedy:
      'Disable the third-party modules one by one, and install their versions for 2.4. For "File size limit exceeded", rotate the logs.',
    rules: ['third-party-module'],
    about: ['LoadModule'],
    source: 'source',
  },
  {
    text: 'ModSecurity denies or logs a request',
    aliases: [
      'modsecurity',
      'modsecurity access denied',
      'mod_security',
      'security2',
      'no action id present within the rule',
      'secrule',
    ],
    isSymptom: true,
    meaning:
      'The line is from ModSecurity, a third-party module (security2_module), not from httpd. "Access denied with code 403": one of its rules denied the request; `[id "…"]` is the number of the rule. "Warning": the request was answered. "No action id present": since ModSecurity 2.7 each rule needs an `id`.',
    remedy:
      'Install ModSecurity and its rules for 2.4. If a rule denies good requests, turn it off for this place: `SecRuleRemoveById` with its number.',
    rules: ['third-party-module'],
    about: [],
    source: 'manual',
  },
  {
    text: '503 Service Unavailable after the upgrade',
    aliases: ['503', '503 service unavailable', 'service unavailable'],
    isSymptom: true,
    meaning:
      'mod_proxy cannot connect to the backend (AH00957), or it does not use the backend for some seconds after that (AH00959). With PHP-FPM, perhaps the PHP-FPM service does not run.',
    remedy:
      'Look for the message in the error log. Paste it after `httpd-upgrade explain`. Check that the backend runs and that httpd can connect to it.',
    rules: ['missing-module'],
    about: ['ProxyPass', 'mod_proxy'],
    source: 'manual',
  },
  {
    text: 'Syntax OK',
    aliases: ['syntax ok'],
    isSymptom: true,
    meaning:
      '`httpd -t` accepts the configuration. The start can still fail, and httpd can still ignore lines or read them differently than 2.2.',
    remedy:
      'Run `httpd-upgrade check` on the main configuration file (httpd.conf or apache2.conf). Then start 2.4 and look at the error log.',
    rules: [],
    about: [],
    source: 'experiment',
  },
  {
    text: 'httpd runs already, or not at all',
    aliases: ['already running', 'no pid file not running', 'is not running'],
    isSymptom: true,
    meaning:
      'httpd writes its process id into the file of `PidFile`, and the start and stop commands read this file. "already running": a process with this id exists, perhaps that of 2.2. "not running": the file does not exist, for example because 2.4 has another `PidFile`.',
    remedy: 'Stop the old server with the tools of 2.2. `ps` and `ss -ltnp` show which program uses the ports.',
    rules: [],
    about: ['PidFile'],
    source: 'source',
  },
  {
    text: 'Debian: a module, a site or a file does not exist',
    aliases: ['error module', 'error site', 'error conf', 'considering conflict', 'considering dependency'],
    isSymptom: true,
    meaning:
      'The message is from `a2enmod`, `a2ensite` or `a2enconf`. "does not exist": 2.4 has no such module, or the name of the site does not end in `.conf`. "Considering conflict": only one MPM can be enabled.',
    remedy: 'Rename sites to `NAME.conf`. `httpd-upgrade plan` lists the modules that 2.4 needs, with their commands.',
    rules: ['enabled-not-included', 'removed-module'],
    about: ['IncludeOptional'],
    source: 'source',
  },
  {
    text: 'Overlapping virtual hosts',
    aliases: [
      'virtualhost overlap',
      'overlaps with virtualhost',
      'has precedence',
      'mixing ports and non ports',
      'namevirtualhost has no virtualhosts',
    ],
    isSymptom: true,
    meaning:
      'This is a warning of 2.2: two virtual hosts have the same address, without a `NameVirtualHost` line. 2.2 used only the first. 2.4 selects virtual hosts by name, so the second one also answers requests.',
    remedy: 'Give each virtual host its `ServerName`, and compare the sites after the upgrade.',
    rules: ['name-virtual-host', 'virtual-host-shadowed'],
    about: ['<VirtualHost', 'ServerName'],
    source: 'source',
  },
  {
    text: 'OpenSSL reports an error',
    aliases: ['ssl library error'],
    isSymptom: true,
    meaning:
      'OpenSSL wrote this message. It is the reason for the line of mod_ssl before it, about a file or a connection.',
    remedy: 'Look at the lines of mod_ssl before and after it. Give them to `httpd-upgrade explain`.',
    rules: [],
    about: ['mod_ssl'],
    source: 'source',
  },
  {
    text: 'Virtual hosts with TLS that share an address',
    aliases: ['name-based ssl virtual hosts', 'ssl server ip/port conflict'],
    isSymptom: true,
    meaning:
      '2.2 and early releases of 2.4 warn: several virtual hosts with TLS have the same address and port. A client gets the certificate of the right one only if it sends the host name with SNI. Browsers of today do. Other clients get the certificate of the first one.',
    remedy:
      'Do nothing if all your clients send SNI. Otherwise give each virtual host an address of its own, or one certificate for all names.',
    rules: [],
    about: ['<VirtualHost', 'SSLStrictSNIVHostCheck'],
    source: 'source',
  },
  {
    text: '403 Forbidden after the upgrade',
    aliases: ['403', '403 forbidden', 'forbidden', 'don t have permission to access'],
    isSymptom: true,
    meaning:
      'The error log contains the reason. AH01630: a `Require` line denies the request, often `Require all denied` for `/` in the new httpd.conf or apache2.conf. AH01797: `Order`, `Allow` or `Deny` lines deny it. AH01276: there is no index file and no `Options Indexes`. AH00035: httpd cannot enter the directory.',
    remedy:
      'Look for the code in the error log. Give it to `httpd-upgrade explain`, for example `httpd-upgrade explain AH01630`.',
    rules: ['order-allow-deny', 'access-mixed', 'changed-defaults'],
    about: ['Require', 'Options'],
    source: 'experiment',
  },
  {
    text: '500 Internal Server Error after the upgrade',
    aliases: ['500', '500 internal server error', 'internal server error'],
    isSymptom: true,
    meaning:
      'The error log contains the reason. "Invalid command" or "not allowed here": httpd 2.4 does not accept a line of a .htaccess file. AH01627: `AuthType` without `Require`. AH00025 and AH01796: an authentication module is missing. AH01144: a proxy module is missing.',
    remedy: 'Look for the message in the error log. Paste it after `httpd-upgrade explain`.',
    rules: ['allow-override-missing', 'allow-override-class', 'authtype-without-require', 'missing-module'],
    about: ['AllowOverride', 'AuthType'],
    source: 'experiment',
  },
  {
    text: '502 Bad Gateway or Proxy Error after the upgrade',
    aliases: ['502', '502 bad gateway', '502 proxy error', 'bad gateway', 'proxy error'],
    isSymptom: true,
    meaning:
      'For https:// backends, 2.4 checks the name and the expiry date of the certificate by default. 2.2 did not. Another possible reason: the backend needs more time than `Timeout`, which is now 60 seconds instead of 300.',
    remedy:
      'Correct the certificate of the backend. Or set `SSLProxyCheckPeerCN`, `SSLProxyCheckPeerName` and `SSLProxyCheckPeerExpire` to `off`.',
    rules: ['changed-defaults'],
    about: ['SSLProxyCheckPeerCN', 'SSLProxyCheckPeerName', 'SSLProxyCheckPeerExpire', 'TimeOut'],
    source: 'manual',
  },
  {
    text: 'DavLockDB after the upgrade',
    aliases: ['davlockdb format', 'dav lock database', 'dav-lock-db', 'webdav locks', 'lock database'],
    isSymptom: true,
    meaning:
      'On systems with inodes, such as Linux, the file of `DavLockDB` has a new format in 2.4. The old file must be deleted.',
    remedy:
      'Stop the server, delete the old files (with the suffixes `.dir` and `.pag`), and start 2.4. Clients lose their WebDAV locks.',
    rules: [],
    about: ['DavLockDB', 'mod_dav_fs'],
    source: 'manual',
  },
  {
    text: 'Listings show titles and descriptions of .xhtml files',
    aliases: ['xhtml', '.xhtml', 'autoindex-xhtml', 'xhtml titles'],
    isSymptom: true,
    meaning:
      'With `IndexOptions ScanHTMLTitles`, mod_autoindex also reads the titles of `.xhtml` files. `AddDescription` also applies to them.',
    remedy: 'If you do not want this, remove ScanHTMLTitles.',
    rules: [],
    about: ['IndexOptions', 'AddDescription', 'mod_autoindex'],
    source: 'experiment',
  },
  {
    text: 'mod_deflate no longer compresses a response that would become larger',
    aliases: ['mod_deflate larger', 'deflate-grows', 'deflate larger', 'not compressed'],
    isSymptom: true,
    meaning:
      'If mod_deflate knows that compression would make a response larger, 2.4 sends it uncompressed. 2.2 compressed it.',
    remedy: 'There is nothing to do. If a test expects gzip, use a larger file for it.',
    rules: [],
    about: ['mod_deflate'],
    source: 'experiment',
  },
  {
    text: 'Substitute stops at lines of more than 1 MB',
    aliases: ['substitute line length', 'substitute-length', 'substitute long lines', 'line too long substitute'],
    isSymptom: true,
    meaning: 'In 2.4 `Substitute` fails with an error if a response has a line of more than 1 MB.',
    remedy: 'Raise `SubstituteMaxLineLength` for such pages.',
    rules: [],
    about: ['Substitute', 'SubstituteMaxLineLength'],
    source: 'experiment',
  },
  {
    text: 'htpasswd writes MD5 by default on all platforms',
    aliases: ['htpasswd', 'htpasswd-md5', 'htpasswd md5', 'htpasswd default'],
    isSymptom: true,
    meaning:
      'In 2.4 the default hash of htpasswd is MD5 (apr1) on all platforms. In 2.2 it was crypt, except on Windows. Existing passwords still work.',
    remedy:
      'Existing files need no change. Check scripts that read the output of htpasswd. bcrypt is better than MD5: `htpasswd -B`.',
    rules: [],
    about: ['AuthUserFile', 'mod_authn_file'],
    source: 'manual',
  },
  {
    text: 'mod_reqtimeout has default limits in 2.4',
    aliases: [
      'reqtimeout',
      'reqtimeout defaults',
      'reqtimeout-defaults',
      'slow uploads 408',
      '408',
      '408 request timeout',
    ],
    isSymptom: true,
    meaning:
      '2.4 uses these limits as soon as mod_reqtimeout is loaded: `header=20-40,MinRate=500 body=20,MinRate=500`. Slow uploads get 408. 2.2 had no default limits.',
    remedy: 'Set `RequestReadTimeout` to the times that your clients need, or to `header=0 body=0` for no limits.',
    rules: ['changed-defaults'],
    about: ['RequestReadTimeout', 'mod_reqtimeout'],
    source: 'manual',
  },
  {
    text: 'The cache on disk after the upgrade',
    aliases: ['cache directory', 'cache-disk', 'disk cache', 'cache on disk', 'mod_cache_disk defaults'],
    isSymptom: true,
    meaning:
      'mod_disk_cache is now mod_cache_disk. The default of `CacheDirLevels` changed from 3 to 2, and 2.4 does not find the old files.',
    remedy: 'Rename the module in LoadModule and `<IfModule>` lines, and empty the directory of `CacheRoot`.',
    rules: ['disk-cache-module', 'ifmodule-renamed'],
    about: ['CacheRoot', 'CacheDirLevels', 'mod_cache_disk'],
    source: 'manual',
  },
  {
    text: 'Headers with an underscore in their name',
    aliases: [
      'header underscore',
      'header-underscore',
      'headers with underscore',
      'underscore headers',
      'underscore in header',
    ],
    isSymptom: true,
    meaning:
      '2.4 does not pass some request headers to CGI programs and server-side includes: those with other characters than letters, digits and `-` in their names, for example `X_Y`. Such a name could be confused with `X-Y`. `SetEnvIf` and `RewriteCond %{HTTP:X_Y}` still see the header `X_Y`.',
    remedy:
      'Change the client so that it sends `X-Y`. If this is not possible, use `SetEnvIfNoCase ^X.Y$ ^(.*)$ FIXED=$1` and `RequestHeader set X-Y "%{FIXED}e" env=FIXED`.',
    rules: [],
    about: ['SetEnvIf', 'RequestHeader', 'mod_cgi'],
    source: 'experiment',
  },
  {
    text: 'Logs piped to a program',
    aliases: ['piped logs', 'piped-logs', 'piped log', 'piped logging'],
    isSymptom: true,
    meaning:
      '2.4 starts a log program (`CustomLog "|program"`) without a shell. So the command cannot contain redirections or wildcards, and needs the full path of the program.',
    remedy: 'Write the full path of the program. If the command needs a shell, write `|$` before it instead of `|`.',
    rules: ['piped-log'],
    about: ['CustomLog', 'ErrorLog'],
    source: 'experiment',
  },
  {
    text: 'Error documents after the upgrade',
    aliases: [
      'error documents',
      'error-documents',
      'errordocuments',
      'multi-language error documents',
      'multilang errordoc',
      'error pages',
    ],
    isSymptom: true,
    meaning:
      'Error pages with `#if expr`, such as those of 2.2 in /error/include, use the old syntax of conditions. 2.4 shows "an error occurred while processing this directive".',
    remedy: 'Use the error pages of 2.4, or set `SSILegacyExprParser On` for the directory of the old ones.',
    rules: ['ssi-expression'],
    about: ['ErrorDocument', 'SSILegacyExprParser'],
    source: 'manual',
  },
  {
    text: 'Third-party modules after the upgrade',
    aliases: ['third-party modules', 'third party modules', 'rebuilt-modules', 'rebuild modules', 'recompile modules'],
    isSymptom: true,
    meaning:
      'Each module is built for one version of httpd. With a LoadModule line for a module that was built for 2.2, 2.4 does not start.',
    remedy: 'Install each module for 2.4. For many modules, `httpd-upgrade explain MODULE` names the package.',
    rules: ['third-party-module'],
    about: ['LoadModule'],
    source: 'manual',
  },
  {
    text: 'Requests that 2.2 accepted get 400',
    aliases: [
      'httpprotocoloptions strict',
      'strict-protocol',
      'strict protocol',
      '400',
      '400 bad request',
      'bad request',
    ],
    isSymptom: true,
    meaning:
      'Since 2.4.25 the default is `HttpProtocolOptions Strict`. Requests with bare line feeds, blanks in the request line or invalid header names get 400. 2.2 accepted them.',
    remedy:
      'Correct the client. `HttpProtocolOptions Unsafe` accepts such requests again, but allows request smuggling.',
    rules: [],
    about: ['HttpProtocolOptions'],
    source: 'manual',
  },
  {
    text: '2.4 beside 2.2 on one machine',
    aliases: ['run beside 2.2', 'beside 2.2', 'side by side', 'both versions', 'parallel', 'test 2.4'],
    isSymptom: true,
    meaning: 'Both versions can run at the same time. You can test 2.4 while 2.2 answers.',
    remedy:
      'Give 2.4 its own ServerRoot, `Listen`, `PidFile`, `DefaultRuntimeDir`, `Mutex` directory, `ErrorLog`, `CustomLog`, cache directory and `DavLockDB`. Start 2.4 with `-f` and its own main configuration file.',
    rules: [],
    about: ['Listen', 'PidFile', 'DefaultRuntimeDir', 'Mutex'],
    source: 'manual',
  },
  {
    text: 'Building 2.4 with the options of 2.2',
    aliases: ['config.nice', 'config nice', 'configure options', 'build 2.4'],
    isSymptom: true,
    meaning:
      'If you built 2.2 from the sources, the file `build/config.nice` of the installation contains the options of `configure`. You can use these options for 2.4.',
    remedy:
      'Run `config.nice` in the source directory of 2.4. Add the options for modules that are new in 2.4. With `--enable-mpms-shared=all`, a LoadModule line can choose the MPM later.',
    rules: [],
    about: [],
    source: 'manual',
  },
  ...opensslMessages(),
  ...logMessages(),
];

/** The rows of openssl-messages.ts, one page for each reason. */
function opensslMessages(): Message[] {
  return OPENSSL_ROWS.map(([text, words, meaning, remedy, about]) => ({
    text,
    aliases: searchedWords(words),
    isSymptom: true,
    meaning,
    remedy,
    rules: [],
    about,
    source: 'source',
  }));
}

type LogRow = readonly [
  /** Codes of one meaning; empty for a message without a code; `suexec` for one of that program. */
  codes: string,
  text: string,
  meaning: string,
  remedy: string,
  rules: readonly string[],
  about: readonly string[],
];

/**
 * Lines of the error log, one message for each code. The texts in data/log-messages.json are those
 * of the server's binaries. The meanings are from the functions that log the codes.
 */
function logMessages(): Message[] {
  return (require('./data/log-messages.json') as readonly LogRow[]).flatMap(
    ([codes, text, meaning, remedy, rules, about]) =>
      codes.split(' ').map(
        (code): Message => ({
          ...(code === 'suexec' ? { isOfRequest: true, isOfSuexec: true } : code ? { code } : { isOfRequest: true }),
          text,
          meaning,
          remedy,
          rules,
          about,
          source: 'source',
        }),
      ),
  );
}
/** One message under several codes, as the MPMs have it. */
function alike(codes: readonly string[], message: Omit<Message, 'code'>): Message[] {
  return codes.map((code) => ({ ...message, code }));
}

/**
 * The messages of the MPMs when they change a number, by the codes of event, worker and prefork.
 */
function changedNumbers(): Message[] {
  const numbers: readonly (readonly [codes: string, name: string, text: string, meaning: string, remedy: string])[] = [
    [
      'AH00515 AH00318',
      'MaxRequestWorkers',
      'would require … servers and would exceed ServerLimit of …, decreasing to ….',
      '`MaxRequestWorkers` needs more processes than `ServerLimit` allows (the default is 16). httpd starts, but answers fewer requests at the same time than you configured.',
      'Lower `MaxRequestWorkers`, or raise `ServerLimit` to at least `MaxRequestWorkers` divided by `ThreadsPerChild`.',
    ],
    [
      'AH00180',
      'MaxRequestWorkers',
      'exceeds ServerLimit value of … servers, decreasing MaxRequestWorkers to ….',
      '`MaxRequestWorkers` is larger than `ServerLimit` (the default is 256). httpd starts, but answers fewer requests at the same time than you configured.',
      'Lower `MaxRequestWorkers`, or raise `ServerLimit` to the same number.',
    ],
    [
      'AH00513 AH00316',
      'MaxRequestWorkers',
      'is not an integer multiple of ThreadsPerChild of …, decreasing to nearest multiple …',
      '`MaxRequestWorkers` is not a multiple of `ThreadsPerChild`. httpd starts, and uses the next lower multiple.',
      'Set `MaxRequestWorkers` to a multiple of `ThreadsPerChild`, for example 400 with 25.',
    ],
    [
      'AH00314',
      'MaxRequestWorkers',
      'is less than ThreadsPerChild of …, increasing to ….',
      '`MaxRequestWorkers` is less than the threads of one process (`ThreadsPerChild`). httpd starts, and raises the number.',
      'Raise `MaxRequestWorkers` to a multiple of `ThreadsPerChild`.',
    ],
    [
      'AH00507 AH00310',
      'ThreadsPerChild',
      'exceeds ThreadLimit of … threads, decreasing to ….',
      '`ThreadsPerChild` is larger than `ThreadLimit` (the default is 64). httpd starts, but with fewer threads in each process.',
      'Lower `ThreadsPerChild`, or raise `ThreadLimit` to the same number.',
    ],
    [
      'AH00497 AH00300 AH00175',
      'ServerLimit',
      'exceeds compile-time limit of … servers, decreasing to ….',
      '`ServerLimit` is larger than this build of httpd allows. httpd starts, and uses the highest number that it allows.',
      'Lower `ServerLimit` to the number at the end of the message.',
    ],
    [
      'AH00502 AH00305',
      'ThreadLimit',
      'exceeds compile-time limit of … threads, decreasing to ….',
      '`ThreadLimit` is larger than this build of httpd allows. httpd starts, and uses the highest number that it allows.',
      'Lower `ThreadLimit` to the number at the end of the message.',
    ],
    ...(
      [
        ['AH00499 AH00302 AH00177', 'ServerLimit'],
        ['AH00504 AH00307', 'ThreadLimit'],
        ['AH00509 AH00312', 'ThreadsPerChild'],
        ['AH00182', 'MaxRequestWorkers'],
        ['AH00517 AH00320 AH00184', 'StartServers'],
        ['AH00519 AH00322', 'MinSpareThreads'],
        ['AH00186', 'MinSpareServers'],
      ] as const
    ).map(
      ([codes, name]) =>
        [
          codes,
          name,
          'not allowed, increasing to 1',
          `The number of \`${name}\` is less than 1. httpd starts, and uses 1.`,
          `Set \`${name}\` to at least 1, or remove the line to use the default.`,
        ] as const,
    ),
  ];
  return numbers.flatMap(([codes, name, text, meaning, remedy]) =>
    codes.split(' ').map(
      (code): Message => ({
        code,
        text: `WARNING: ${name} of … ${text}`,
        meaning,
        remedy,
        rules: ['mpm-limits'],
        about: [name],
        source: 'experiment',
      }),
    ),
  );
}
