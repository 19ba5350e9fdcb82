/**
 * Directives by which other modules than mod_authz_host have a hand in who has access: they refuse requests in the same phase (access_checker hooks; docs/access-control.md, "What has no exact translation"), or know
 * who is in a group. By name, because most of these modules do not come with httpd.
 */

/** Wherever they stand, they may refuse. */
export const CHECKERS: ReadonlySet<string> = new Set([
  // mod_ssl (ssl_hook_Access)
  'sslrequiressl',
  'sslrequire',
  // mod_nss (nss_hook_Access), mod_auth_mellon
  'nssrequiressl',
  'nssrequire',
  'mellonenable',
  // mod_authz_svn
  'authzsvnaccessfile',
  'authzsvnreposrelativeaccessfile',
  'authzsvngroupsfile',
  // Code of one's own: mod_perl, mod_python, mod_wsgi, mod_lua
  'perlaccesshandler',
  'pythonaccesshandler',
  'wsgiaccessscript',
  'luahookaccesschecker',
  'netcgiaccesscheckerhandler',
  'fcgidaccesschecker',
  'fastcgiaccesschecker',
  // mod_shib
  'shibrequestsetting',
  'shibrequiresession',
  'shibrequireall',
  'shibaccesscontrol',
  // The agent of OpenAM
  'amagent',
  // mod_auth_token, mod_limitipconn, mod_evasive
  'authtokensecret',
  // mod_cosign, mod_spamhaus, mod_ruby
  'cosignprotected',
  'cosignrequirefactor',
  'ms_methods',
  'ms_dns',
  'ms_whitelist',
  'ms_cachesize',
  'rubyaccesshandler',
  'maxconnperip',
  'onlyiplimit',
  'dospagecount',
  'dossitecount',
  'doshashtablesize',
  // mod_access_dnsbl and others that ask lists of addresses
  'dnsblservers',
  'dnsbluse',
  'accessdnsbl',
  'httpblenabled',
]);

/** In sections only: for a whole server the TLS handshake has settled it. */
export const CHECKERS_OF_DIRECTORIES: ReadonlySet<string> = new Set([
  'sslverifyclient',
  'sslverifydepth',
  'sslciphersuite',
  'nssverifyclient',
  'nsscipher',
  'nssciphersuite',
  'gnutlsclientverify',
]);

/** Their `Require group` is another one than mod_authz_groupfile's. */
export const GROUP_OWNERS: ReadonlySet<string> = new Set([
  'groupexternal',
  'authzunixgroup',
  'authpam_enabled',
  'authshadow',
  'authmysqlenable',
  'authmysqldb',
  'auth_mysql',
  'auth_mysql_db',
  'authmysql',
  'authmysql_db',
  'auth_pg_database',
  'auth_pg_grp_table',
  'authibmdb2database',
  'authzldapengine',
  'authzldapmethod',
  'authldapenabled',
  'perlauthzhandler',
  'pythonauthzhandler',
  'wsgiauthgroupscript',
  'sspiauth',
  'authntgroups',
  'auth_memcookie_memcacheservers',
  'fastcgiauthorizer',
  'fcgidauthorizer',
  'rubyauthzhandler',
]);
