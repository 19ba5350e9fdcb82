const CONFIGURATION = 'a matter of the configuration as a whole, or of the files there are';
const MACHINE = 'folders and programs of the machine';
const LIBRARY = 'what the OpenSSL at hand was built with';
const BUILD = 'an option of the build';
const ALIAS = 'a name that <AuthnProviderAlias> or <AuthzProviderAlias> may define elsewhere';
const REGISTERED = 'a method that a module or RegisterHttpMethod may register';
const MUTEX = 'which mutexes may be none, modules say when they are loaded';
const LOAD = 'what is in the file of a module, and what it needs';
const NOMPM = "no MPM is loaded, which is no line's fault";
const LIMITS = 'methods that a <Limit> in a <Limit> leaves over';

/** Where our verdict on a recorded configuration is another than the server's, and why. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'EnableExceptionHook On': BUILD,
  'LoadModule unixd_module /usr/lib/apache2/modules/mod_unixd.so': LOAD,
  'LoadModule log_config_module modules/mod_log_config.so': LOAD,
  'LoadModule version_module modules/mod_version.so': LOAD,
  'LoadModule cache_disk_module /usr/lib/apache2/modules/mod_cache_disk.so': LOAD,
  'LoadModule asis_module modules/mod_asis.so': LOAD,
  'LoadModule mpm_worker_module /usr/lib/apache2/modules/mod_mpm_worker.so': CONFIGURATION,
  'Include $R/run/empty/*.conf': CONFIGURATION,
  'Include $R/run/nodir/*.conf': CONFIGURATION,
  'Include $R/run/nofile.conf': CONFIGURATION,
  'Include $R/run/inc/*/none.conf': CONFIGURATION,
  'ServerName x': NOMPM,
  '<Directory /x>\n<Limit GET>\n<Limit POST>\nDeny from all\n</Limit>\n</Limit>\n</Directory>': LIMITS,
  '<Directory /x>\nRequire bogus x\n</Directory>': ALIAS,
  '<Directory /x>\nRequire method FOO\n</Directory>': REGISTERED,
  '<Directory /x>\nAuthBasicProvider f1\n</Directory>\n<AuthnProviderAlias file f1>\nAuthUserFile /x\n</AuthnProviderAlias>':
    ALIAS,
  'SSLProtocol SSLv3': LIBRARY,
  'SSLProtocol +SSLv3': LIBRARY,
  'SSLCompression on': LIBRARY,
  'ErrorLog nodir/x': MACHINE,
  'CustomLog nodir/x common': MACHINE,
  'TransferLog nodir/x': MACHINE,
  'DocumentRoot /nope': MACHINE,
  'SuexecUserGroup daemon daemon': MACHINE,
  'Mutex none ssl-cache': MUTEX,
  'Mutex no default': MUTEX,
  'Mutex fcntl:/nonexistent': MACHINE,
  'Mutex file:${APACHE_LOCK_DIR} default': MACHINE,
};
