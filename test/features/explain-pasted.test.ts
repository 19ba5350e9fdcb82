/**
 * Pasted lines of logs, terminals and browsers: each is understood, whatever precedes its words.
 */
import assert from 'node:assert/strict';
import { explain } from '../../server/src/features/explain';
import { ALL_RULES } from '../../server/src/rules/all';
import { thirdPartyAdvice } from '../../server/src/rules/third-party-module';

const rules = ALL_RULES.map(({ id, title }) => ({ id, title, page: () => title }));

/** What is pasted, the title of the answer, and words that the answer must have. */
const ROWS: readonly (readonly [pasted: string, title: string, says: RegExp])[] = [
  [
    '[Sun Aug 05 04:03:42.258364 2018] [authz_core:error] [pid 15732] [client 192.0.2.7:19185] AH01630: client denied by server configuration: /home/app/app.wsgi, referer: http://example.org/',
    'AH01630',
    /Require all denied/,
  ],
  [
    '[Tue Mar 31 01:20:51.999828 2020] [access_compat:error] [pid 5535] [client 192.0.2.7:57776] AH01797: client denied by server configuration: /var/www/nextcloud/config',
    'AH01797',
    /convert all/,
  ],
  [
    '2026-11-27 13:12:33.028618 authz_core:error AH01630: client denied by server configuration: /srv/den, referer http://example.org/',
    'AH01630',
    /Require all denied/,
  ],
  [
    '[Fri Nov 27 13:12:16 2026] [error] [pid 24529] proxy_util.c(3949): (111)Connection refused: [client AH00957: http: attempt to connect to 127.0.0.1:1 (127.0.0.1:1) failed',
    'AH00957',
    /503/,
  ],
  [
    '2026-11-27 13:12:33.2 proxy_fcgi:error AH01079: failed to make connection to backend: 127.0.0.1',
    'AH01079',
    /PHP-FPM/,
  ],
  [
    '2026-11-27 13:12:49.4 dav:error Could not open the lock database.  [500, #400]',
    'Could not open the lock database.',
    /DavLockDB/,
  ],
  ['{"level": "error", "msg": "Could not open database.  [500, #1]"}', 'A message of httpd', /does not know/],
  ['time="x" level=error module=dav msg="Could not open a thing"', 'A message of mod_dav', /does not know/],
  ['time="x" level=error msg="AH01630: client denied by server configuration: /a"', 'AH01630', /Require all denied/],
  ['www.example.com error: Could not open database.  [500, #1]', 'A message of httpd', /does not know/],
  ['Fri Nov 27 13:12:15.9 2026 error Something not found here', 'A message of httpd', /does not know/],
  ['2026-11-27 13:12:33.02|dav|error|1|10.0.0.1:4|The login is forbidden', 'A message of httpd', /does not know/],
  [
    '[Fri Nov 27 13:12:15.9 2026] [proxy:error] [pid 1] [cid Zp3kQ0xRkAbCdEfGh] [client ] AH00959: ap_proxy_connect_backend disabling worker for (127.0.0.1:3) for 60s',
    'AH00959',
    /503/,
  ],
  ['[Fri Nov 27 13:12:15.9 2026] core:error: AH00037: Symbolic link not allowed or link', 'AH00037', /symbolic link/],
  ['Fri Nov 27 13:12:15.9 2026\trewrite\terror\t1\t10.0.0.1:4\tAH10508: Unsafe URL with %3f', 'AH10508', /2\.4\.60/],
  ['error|Could not open database.  [500, #1]', 'A message of httpd', /does not know/],
  ['error|The request body contains an unexpected XML root element.  [400, #0]', 'A message of httpd', /does not know/],
  [
    'Jan 04 12:09:09 puppet httpd[25985]: [Thu Jan 04 12:09:09.046522 2018] [so:warn] [pid 25985] AH01574: module ssl_module is already loaded, skipping',
    'AH01574',
    /only a warning/,
  ],
  [
    'Jan 04 12:09:09 web1 httpd[25985]: AH00526: Syntax error on line 31 of /etc/httpd/conf.d/site.conf:',
    'AH00526',
    /next line/,
  ],
  [
    "Jan 04 12:09:09 web1 httpd[25985]: Invalid command 'Order', perhaps misspelled or defined by a module not included in the server configuration",
    "Invalid command '…', perhaps misspelled or defined by a module not included in the server configuration",
    /httpd-upgrade fix/,
  ],
  [
    'Jan 04 12:09:09 web1 systemd[1]: httpd.service: main process exited, code=exited, status=1/FAILURE',
    'httpd does not start after the upgrade',
    /httpd-upgrade check/,
  ],
  [
    'Jan 04 12:09:09 web1 systemd[1]: Failed to start The Apache HTTP Server.',
    'httpd does not start after the upgrade',
    /httpd-upgrade check/,
  ],
  [
    'Job for httpd.service failed because the control process exited with error code. See "systemctl status httpd.service" and "journalctl -xe" for details.',
    'httpd does not start after the upgrade',
    /httpd-upgrade check/,
  ],
  ['● apache2.service - The Apache HTTP Server', 'httpd does not start after the upgrade', /httpd-upgrade check/],
  [
    'Active: failed (Result: exit-code) since Thu 2018-01-04 12:09:09 CST; 1s ago',
    'httpd does not start after the upgrade',
    /httpd-upgrade check/,
  ],
  [
    "AH00558: httpd: Could not reliably determine the server's fully qualified domain name, using fe80::1. Set the 'ServerName' directive globally to suppress this message",
    'AH00558',
    /Add a `ServerName`/,
  ],
  ['[core:emerg] [pid 700] AH02093: mod_watchdog is required', 'AH02093', /mod_watchdog/],
  [
    "[Thu Jan 04 12:09:09 2018] [core:emerg] [pid 700] (22)Invalid argument: AH00024: Couldn't set permissions on the rewrite-map mutex; check User and Group directives",
    'AH00024',
    /Correct `User`/,
  ],
  ['AH00016: Configuration Failed', 'AH00016', /line before/],
  [
    'AH00548: NameVirtualHost has no effect and will be removed in the next release /etc/apache2/ports.conf:8',
    'AH00548',
    /Remove the line/,
  ],
  [
    'AH00117: Ignoring deprecated use of DefaultType in line 12 of /etc/httpd/conf/httpd.conf.',
    'AH00117',
    /Remove the line/,
  ],
  [
    'httpd: Syntax error on line 216 of /etc/httpd/conf/httpd.conf: Cannot load /etc/httpd/modules/mod_foo.so into server: /etc/httpd/modules/mod_foo.so: undefined symbol: ap_unixd_config',
    'Cannot load … into server: …',
    /built for 2\.2/,
  ],
  [
    'httpd: Syntax error on line 176 of /tmp/httpd.conf: Cannot load modules/mod_mpm_worker.so into server: Error loading shared library /usr/local/apache2/modules/mod_mpm_worker.so: No such file or directory',
    'Cannot load … into server: …',
    /built for 2\.2/,
  ],
  [
    'apache2: Syntax error on line 140 of /etc/apache2/apache2.conf: Syntax error on line 1 of /etc/apache2/mods-enabled/authz_default.load: Cannot load /usr/lib/apache2/modules/mod_authz_default.so into server: /usr/lib/apache2/modules/mod_authz_default.so: cannot open shared object file: No such file or directory',
    'Cannot load … into server: …',
    /Removed in 2\.4/,
  ],
  [
    "API module structure 'php5_module' in file /usr/lib/apache2/modules/libphp5.so is garbled - expected signature 41503234 but saw 41503232 - perhaps this is not an Apache module DSO, or was compiled for a different Apache version?",
    "API module structure '…' in file … is garbled",
    /another version/,
  ],
  [
    "Can't locate API module structure `mod_authn_otp' in file /etc/httpd/modules/mod_authn_otp.so: undefined symbol: mod_authn_otp",
    "Can't locate API module structure `…' in file …: …",
    /LoadModule/,
  ],
  ['/var/www/html/.htaccess: Require not allowed here', '… not allowed here', /AllowOverride/],
  [
    "/var/www/html/.htaccess: Invalid command 'php_value', perhaps misspelled or defined by a module not included in the server configuration",
    "Invalid command '…', perhaps misspelled or defined by a module not included in the server configuration",
    /PHP/,
  ],
  ['/var/www/html/.htaccess: Options not allowed here', '… not allowed here', /AllowOverride/],
  [
    "Invalid command 'SSLMutex', perhaps misspelled or defined by a module not included in the server configuration",
    "Invalid command '…', perhaps misspelled or defined by a module not included in the server configuration",
    /Mutex/,
  ],
  [
    "Invalid command 'AuthzSVNAccessFile', perhaps misspelled or defined by a module not included in the server configuration",
    "Invalid command '…', perhaps misspelled or defined by a module not included in the server configuration",
    /Subversion/,
  ],
  [
    "Invalid command 'LockFile', perhaps misspelled or defined by a module not included in the server configuration",
    "Invalid command '…', perhaps misspelled or defined by a module not included in the server configuration",
    /Removed in 2\.4/,
  ],
  [
    "Invalid command 'Header', perhaps misspelled or defined by a module not included in the server configuration",
    "Invalid command '…', perhaps misspelled or defined by a module not included in the server configuration",
    /headers_module/,
  ],
  [
    "Invalid command 'RewriteEngine', perhaps misspelled or defined by a module not included in the server configuration",
    "Invalid command '…', perhaps misspelled or defined by a module not included in the server configuration",
    /rewrite_module/,
  ],
  [
    "Invalid command 'AuthUserFile', perhaps misspelled or defined by a module not included in the server configuration",
    "Invalid command '…', perhaps misspelled or defined by a module not included in the server configuration",
    /authn_file_module/,
  ],
  [
    '(98)Address already in use: AH00072: make_sock: could not bind to address [::]:80',
    'AH00072',
    /another program uses the port/,
  ],
  [
    '(99)Cannot assign requested address: AH00072: make_sock: could not bind to address 192.0.2.1:443',
    'AH00072',
    /another program uses the port/,
  ],
  [
    '(13)Permission denied: AH00072: make_sock: could not bind to address 0.0.0.0:8081',
    'AH00072',
    /another program uses the port/,
  ],
  ['no listening sockets available, shutting down', 'no listening sockets available, shutting down', /Listen/],
  ['AH00015: Unable to open logs', 'AH00015', /line before/],
  ['[mpm_prefork:notice] [pid 2410] AH00169: caught SIGTERM, shutting down', 'AH00169', /only a notice/],
  ['[mpm_event:notice] [pid 2410:tid 140] AH00491: caught SIGTERM, shutting down', 'AH00491', /only a notice/],
  [
    '[mpm_prefork:notice] [pid 2410] AH00163: Apache/2.4.6 (CentOS) configured -- resuming normal operations',
    'AH00163',
    /httpd has started/,
  ],
  ["[core:notice] [pid 2410] AH00094: Command line: '/usr/sbin/httpd -D FOREGROUND'", 'AH00094', /httpd-upgrade check/],
  ["Action 'configtest' failed.", 'httpd does not start after the upgrade', /httpd-upgrade check/],
  ['The Apache error log may have more information.', 'httpd does not start after the upgrade', /httpd-upgrade check/],
  ['Syntax OK', 'Syntax OK', /can still fail/],
  [
    'httpd: Could not open configuration file /etc/httpd/conf/httpd.conf: No such file or directory',
    'Could not open configuration file …: …',
    /IncludeOptional/,
  ],
  [
    'apache2: Could not open configuration file /etc/apache2/httpd.conf',
    'Could not open configuration file …: …',
    /IncludeOptional/,
  ],
  [
    'Either all Options must start with + or -, or no Option may.',
    'Either all Options must start with + or -, or no Option may.',
    /sign/,
  ],
  [
    "SSLSessionCache: 'shmcb' session cache not supported (known names: ). Maybe you need to load the appropriate socache module (mod_socache_shmcb?).",
    "'…' session cache not supported (known names: …). Maybe you need to load the appropriate socache module (mod_socache_…?).",
    /socache_shmcb_module/,
  ],
  [
    "[proxy:warn] [pid 9] [client 192.0.2.1:3] AH01144: No protocol handler was valid for the URL /app (scheme 'http'). If you are using a DSO version of mod_proxy, make sure the proxy submodules are included in the configuration using LoadModule.",
    'AH01144',
    /proxy_http_module/,
  ],
  [
    '[proxy:error] [pid 9] (111)Connection refused: AH00957: HTTP: attempt to connect to 127.0.0.1:8080 (localhost) failed',
    'AH00957',
    /backend/,
  ],
  [
    '[proxy_http:error] [pid 9] (104)Connection reset by peer: [client 192.0.2.1:3] AH01102: error reading status line from remote server 127.0.0.1:8080',
    'AH01102',
    /Timeout/,
  ],
  [
    '[proxy:error] [pid 9] AH00898: Error during SSL Handshake with remote server returned by /app',
    'AH00898',
    /SSLProxyCheckPeerName/,
  ],
  [
    '[proxy:error] [pid 9] [client 192.0.2.1:3] AH00898: Error reading from remote server returned by /app',
    'AH00898',
    /SSLProxyCheckPeerName/,
  ],
  [
    '[proxy_http:error] [pid 9] (70007)The timeout specified has expired: [client 192.0.2.1:3] AH01102: error reading status line from remote server 127.0.0.1:8080',
    'AH01102',
    /Timeout/,
  ],
  ["[proxy_fcgi:error] [pid 9] [client 192.0.2.1:3] AH01071: Got error 'Primary script unknown'", 'AH01071', /PHP-FPM/],
  [
    '[ssl:warn] [pid 9] AH01909: www.example.org:443:0 server certificate does NOT include an ID which matches the server name',
    'AH01909',
    /ServerName/,
  ],
  [
    '[ssl:warn] [pid 9] AH01906: RSA server certificate is a CA certificate (BasicConstraints: CA == TRUE !?)',
    'AH01906',
    /only a warning/,
  ],
  [
    '[ssl:emerg] [pid 9] AH02311: Fatal error initialising mod_ssl, exiting. See /var/log/httpd/ssl_error_log for more information',
    'AH02311',
    /lines before/,
  ],
  [
    '[ssl:emerg] [pid 9] SSL Library Error: error:0906D06C:PEM routines:PEM_read_bio:no start line',
    'OpenSSL: a key or certificate cannot be read',
    /PEM/,
  ],
  [
    '[ssl:emerg] [pid 9] AH02562: Failed to configure certificate www.example.org:443:0 (with chain), check /etc/ssl/cert.pem',
    'AH02562',
    /openssl x509/,
  ],
  [
    "SSLCertificateFile: file '/etc/pki/tls/certs/localhost.crt' does not exist or is empty",
    "…: file '…' does not exist or is empty",
    /Copy the file/,
  ],
  [
    '[security2:error] [pid 2410:tid 2419] [client 192.0.2.9:33438] ModSecurity: Access denied with code 403 (phase 2). Pattern match "..." at ARGS:exec. [file "/etc/httpd/modsecurity.d/activated_rules/REQUEST-932.conf"] [line "464"] [id "932150"] [msg "Remote Command Execution"] [severity "CRITICAL"] [hostname "www.example.org"] [uri "/"] [unique_id "abc"]',
    'ModSecurity denies or logs a request',
    /SecRuleRemoveById/,
  ],
  [
    '[:error] [pid 19383] [client 192.0.2.9:52711] [client 192.0.2.9] ModSecurity: Warning. Pattern match "^[\\\\d.:]+$" at REQUEST_HEADERS:Host. [id "920350"] [msg "Host header is a numeric IP address"]',
    'ModSecurity denies or logs a request',
    /SecRuleRemoveById/,
  ],
  ['ModSecurity: No action id present within the rule', 'ModSecurity denies or logs a request', /SecRuleRemoveById/],
  ['HTTP_X_FORWARDED_FOR', 'HTTP_X_FORWARDED_FOR', /HTTP:X-Forwarded-For/],
  ['HTTP_X_FORWARDED_PROTO', 'HTTP_X_FORWARDED_PROTO', /HTTP:X-Forwarded-Proto/],
  ['HTTP_USER_AGENT', 'HTTP_USER_AGENT', /request header/],
  ['HTTP_AUTHORIZATION', 'HTTP_AUTHORIZATION', /CGIPassAuth/],
  ['%{HTTP:X-Forwarded-Proto}', '%{HTTP:X-Forwarded-Proto}', /request header/],
  ['REDIRECT_STATUS', 'REDIRECT_STATUS', /internal redirect/],
  ['REMOTE_ADDR', 'REMOTE_ADDR', /client/],
  ['SSL_CLIENT_S_DN', 'SSL_CLIENT_S_DN', /certificate/],
  ['-D FOREGROUND', '-D FOREGROUND', /systemd/],
  ['-D SSL', '-D SSL', /IfDefine SSL/],
  ['-DSSL', '-D SSL', /IfDefine SSL/],
  ['httpd -D DUMP_VHOSTS', '-D DUMP_VHOSTS', /virtual hosts/],
  ['httpd -S', 'httpd -S', /virtual hosts/],
  ['apachectl configtest', 'apachectl configtest', /httpd-upgrade check/],
  ['apachectl graceful', 'apachectl', /graceful/],
  ['systemctl restart httpd', 'systemctl', /journalctl/],
  ['a2enmod', 'a2enmod, a2ensite, a2enconf', /conf-available/],
  ['a2dismod mpm_prefork', 'a2enmod, a2ensite, a2enconf', /conf-available/],
  [
    'Windows could not start the Apache2.4 on Local Computer. For more information, review the System Event Log. If this is a non-Microsoft service, contact the service vendor, and refer to service-specific error code 1.',
    'httpd does not start after the upgrade',
    /httpd-upgrade check/,
  ],
  [
    'The Apache service named  reported the following error: >>> httpd.exe: Syntax error on line 60 of C:/Apache24/conf/httpd.conf: ServerRoot must be a valid directory',
    'ServerRoot must be a valid directory',
    /SRVROOT/,
  ],
  [
    'The Apache service named reported the following error: >>> AH00451: no listening sockets available, shutting down',
    'no listening sockets available, shutting down',
    /Listen/,
  ],
  [
    '(OS 10048)Only one usage of each socket address (protocol/network address/port) is normally permitted.  : AH00072: make_sock: could not bind to address [::]:80',
    'AH00072',
    /another program uses the port/,
  ],
  [
    '(OS 10013)An attempt was made to access a socket in a way forbidden by its access permissions.  : AH00072: make_sock: could not bind to address 0.0.0.0:80',
    'AH00072',
    /another program uses the port/,
  ],
  [
    'DocumentRoot must be a directory',
    "DocumentRoot '…' is not a directory, or is not readable",
    /Create the directory/,
  ],
  ['ServerRoot must be a valid directory', 'ServerRoot must be a valid directory', /SRVROOT/],
  ['AH00112: Warning: DocumentRoot [/var/www/missing] does not exist', 'AH00112', /does not exist/],
  [
    "[core:error] [pid 9] (13)Permission denied: [client 192.0.2.1:3] AH00035: access to /index.html denied (filesystem path '/home/me/www') because search permissions are missing on a component of the path",
    'AH00035',
    /permissions/,
  ],
  [
    "[core:crit] [pid 9] (13)Permission denied: [client 192.0.2.1:3] AH00529: /home/me/.htaccess pcfg_openfile: unable to check htaccess file, ensure it is readable and that '/home/me/' is executable",
    'AH00529',
    /chmod/,
  ],
  [
    "[core:error] [pid 9] [client 192.0.2.1:3] AH00124: Request exceeded the limit of 10 internal redirects due to probable configuration error. Use 'LimitInternalRecursion' to increase the limit if necessary. Use 'LogLevel debug' to get a backtrace.",
    'AH00124',
    /loop/,
  ],
  [
    '[core:error] [pid 9] [client 192.0.2.1:3] AH00126: Invalid URI in request GET /../../etc/passwd HTTP/1.1',
    'AH00126',
    /400/,
  ],
  [
    '[autoindex:error] [pid 9] [client 192.0.2.1:3] AH01276: Cannot serve directory /var/www/html/: No matching DirectoryIndex (index.html) found, and server-generated directory index forbidden by Options directive',
    'AH01276',
    /Options/,
  ],
  [
    '[authz_core:error] [pid 9] [client 192.0.2.1:3] AH01627: AuthType configured with no corresponding authorization directives',
    'AH01627',
    /Require/,
  ],
  [
    '[authz_core:error] [pid 9] [client 192.0.2.1:3] AH01631: user joe: authorization failure for "/private":',
    'AH01631',
    /Require/,
  ],
  ['[auth_basic:error] [pid 9] [client 192.0.2.1:3] AH01618: user joe not found: /private', 'AH01618', /AuthUserFile/],
  ['[core:notice] [pid 9] AH00052: child pid 4711 exit signal Segmentation fault (11)', 'AH00052', /crashed/],
  [
    '[mpm_prefork:error] [pid 9] AH00161: server reached MaxRequestWorkers setting, consider raising the MaxRequestWorkers setting',
    'AH00161',
    /MaxClients/,
  ],
  ["(28)No space left on device: AH00023: Couldn't create the rewrite-map mutex", 'AH00023', /ipcs/],
  ['AH00141: Could not initialize random number generator', 'AH00141', /urandom/],
  ['httpd (pid 4711) already running', 'httpd runs already, or not at all', /PidFile/],
  ['httpd (no pid file) not running', 'httpd runs already, or not at all', /PidFile/],
  [
    "(2)No such file or directory: AH02291: Cannot access directory '/var/log/httpd/' for error log of vhost defined at /etc/httpd/conf.d/a.conf:1",
    'AH02291',
    /ErrorLog/,
  ],
  [
    '[cgi:error] [pid 9] [client 192.0.2.1:3] AH01215: suexec policy violation: see suexec log for more details',
    'AH01215',
    /suexec/,
  ],
  [
    '[cgi:error] [pid 9] [client 192.0.2.1:3] End of script output before headers: test.cgi',
    'End of script output before headers',
    /first line/,
  ],
  [
    "[php7:error] [pid 9] [client 192.0.2.1:3] script '/var/www/html/x.php' not found or unable to stat",
    '404 Not Found after the upgrade',
    /another|Another/,
  ],
  [
    '[:error] [pid 9] [client 192.0.2.1:3] PHP Fatal error:  Uncaught Error: Call to undefined function mysql_connect() in /var/www/html/x.php:3',
    'PHP reports an error in a program',
    /removed old functions/,
  ],
  [
    'Apache is running a threaded MPM, but your PHP Module is not compiled to be threadsafe.  You need to recompile PHP.',
    'PHP after the upgrade',
    /PHP-FPM/,
  ],
  ['AH00013: Pre-configuration failed', 'AH00013', /line before/],
  ['AH10244: invalid URI path (/cgi-bin/.%2e/.%2e/bin/sh)', 'AH10244', /400/],
  ['"GET / HTTP/1.1" 403 202 "-" "Mozilla/5.0"', '403 Forbidden after the upgrade', /AH01630/],
  [
    '192.0.2.1 - - [10/Oct/2020:13:55:36 -0700] "GET /x HTTP/1.1" 500 2326',
    '500 Internal Server Error after the upgrade',
    /Invalid command/,
  ],
  ["Forbidden You don't have permission to access / on this server.", '403 Forbidden after the upgrade', /AH01630/],
  ["You don't have permission to access this resource.", '403 Forbidden after the upgrade', /AH01630/],
  ['Service Unavailable', '503 Service Unavailable after the upgrade', /AH00957/],
  ['503', '503 Service Unavailable after the upgrade', /AH00957/],
  ['413 Request Entity Too Large', '413 Request Entity Too Large after the upgrade', /1 GiB.*LimitRequestFields/s],
  ['Payload Too Large', '413 Request Entity Too Large after the upgrade', /LimitRequestBody/],
  ['413', '413 Request Entity Too Large after the upgrade', /SSLRenegBufferSize/],
  [
    'The requested resource does not allow request data with GET requests, or the amount of data provided in the request exceeds the capacity limit.',
    '413 Request Entity Too Large after the upgrade',
    /LimitRequestBody/,
  ],
  ['414 Request-URI Too Long', '414 Request-URI Too Long', /LimitRequestLine/],
  [
    'The server encountered an internal error or misconfiguration and was unable to complete your request.',
    '500 Internal Server Error after the upgrade',
    /AH01627/,
  ],
  [
    'This server could not verify that you are authorized to access the document requested.',
    '401 Unauthorized after the upgrade',
    /AH01617/,
  ],
  [
    'The server is temporarily unable to service your request due to maintenance downtime or capacity problems. Please try again later.',
    '503 Service Unavailable after the upgrade',
    /PHP-FPM/,
  ],
  [
    'The proxy server received an invalid response from an upstream server.',
    '502 Bad Gateway or Proxy Error after the upgrade',
    /certificate/,
  ],
  ['DNS lookup failure for: backend', '502 Bad Gateway or Proxy Error after the upgrade', /backend/],
  ['The requested method POST is not allowed for this URL.', '405 Method Not Allowed', /AH00131/],
  [
    'The gateway did not receive a timely response from the upstream server or application.',
    '504 Gateway Timeout after the upgrade',
    /ProxyTimeout/,
  ],
  ['Size of a request header field exceeds server limit.', '431 Request Header Fields Too Large', /give 400/],
  [
    'The client needs a new connection for this request as the requested host name does not match the Server Name Indication (SNI) in use for this connection.',
    '421 Misdirected Request after the upgrade',
    /AH02032/,
  ],
  [
    'Your browser sent a request that this server could not understand.',
    'Requests that 2.2 accepted get 400',
    /HttpProtocolOptions/,
  ],
  ["Reason: You're speaking plain HTTP to an SSL-enabled server port.", 'AH01996', /https:\/\/ for this port/],
  ['Server unable to read htaccess file, denying access to be safe', 'AH00529', /chmod o\+x/],
  ["The requested URL's length exceeds the capacity limit for this server.", '414 Request-URI Too Long', /8190/],
  ['Request Header Fields Too Large', '431 Request Header Fields Too Large', /LimitRequestFieldSize/],
  ['421', '421 Misdirected Request after the upgrade', /AH02032/],
  ['405 Method Not Allowed', '405 Method Not Allowed', /AH00131/],
  ['504', '504 Gateway Timeout after the upgrade', /ProxyTimeout/],
  ['301', '301', /Moved Permanently/],
  [
    'Internal Server Error The server encountered an internal error or misconfiguration and was unable to complete your request.',
    '500 Internal Server Error after the upgrade',
    /Invalid command/,
  ],
  [
    'apache2: Syntax error on line 219 of /etc/apache2/apache2.conf: Could not open configuration file /etc/apache2/mods-enabled/: No such file or directory',
    'Could not open configuration file …: …',
    /IncludeOptional/,
  ],
  [
    'AH00526: Syntax error on line 73 of /etc/apache2/apache2.conf: Invalid Mutex directory in argument file:${APACHE_LOCK_DIR}',
    'Invalid Mutex directory in argument …',
    /directory/,
  ],
  [
    'Syntax error on line 5 of /etc/httpd/conf.d/x.conf: ProxyPass|ProxyPassMatch can not have a path when defined in a location.',
    'ProxyPass|ProxyPassMatch can not have a path when defined in a location.',
    /Remove the first argument \(the URL path\)/,
  ],
  ['AllowOverride not allowed here', '… not allowed here', /AllowOverride/],
  ['<VirtualHost> was not closed.', '… was not closed.', /closing tag/],
  ['Expected </Directory> but saw </VirtualHost>', 'Expected … but saw …', /overlap/],
  ['</VirtualHost> without matching <VirtualHost> section', '… without matching … section', /opening tag/],
  ['Illegal option +Indexes,', 'Illegal option …', /spaces/],
  ['Illegal override option FileInfo,', 'Illegal override option …', /spaces/],
  ['Multiple <VirtualHost> arguments not (yet) supported.', '<VirtualHost>', /site/],
  [
    'VirtualHost *:80 overlaps with VirtualHost *:80, the first has precedence, perhaps you need a NameVirtualHost directive',
    'Overlapping virtual hosts',
    /NameVirtualHost/,
  ],
  [
    '[warn] _default_ VirtualHost overlap on port 443, the first has precedence',
    'Overlapping virtual hosts',
    /NameVirtualHost/,
  ],
  ['SSLCipherSuite takes one or two arguments', 'SSLCipherSuite', /ciphers/],
  ['unable to find group nobody', 'AH00544', /www-data/],
  ['bad group name apache', 'AH00544', /www-data/],
  ['AH00543: apache2: bad user name ${APACHE_RUN_USER}', 'bad user name …', /www-data/],
  ['module mpm_prefork_module is already loaded, skipping', 'AH01574', /only a warning/],
  ['mod_php5.c', 'mod_php5.c', /built for 2\.4/],
  ['libapache2-mod-php5', 'PHP after the upgrade', /PHP-FPM/],
  ['ERROR: Module authz_default does not exist!', 'Debian: a module, a site or a file does not exist', /a2enmod/],
  ['ERROR: Site mysite does not exist!', 'Debian: a module, a site or a file does not exist', /a2enmod/],
  ['Considering conflict mpm_worker for mpm_prefork:', 'Debian: a module, a site or a file does not exist', /a2enmod/],
];

describe('explain what people paste', () => {
  for (const [pasted, title, says] of ROWS)
    it(pasted.slice(0, 90), () => {
      const found = explain(pasted, { rules, adviceFor: thirdPartyAdvice });
      assert.ok('markdown' in found, JSON.stringify(found));
      assert.equal(found.title, title);
      assert.match(found.markdown, says);
    });
});
