/**
 * Directives of modules that also decide access, in addition to mod_authz_host. They refuse
 * requests in the same phase (access_checker hooks; docs/access-control.md, "What has no exact
 * translation"), or they know the members of groups. The tables hold directive names, because most
 * of these modules are not part of httpd.
 */

/** Directives that may refuse a request in every context. */
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
  // Own code of the server: mod_perl, mod_python, mod_wsgi, mod_lua
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
  // mod_access_dnsbl and others that look up the address in DNS lists
  'dnsblservers',
  'dnsbluse',
  'accessdnsbl',
  'httpblenabled',
]);

/**
 * Directives that may refuse a request if they stand in a section. For a whole server, the TLS
 * handshake has already checked the client.
 */
export const CHECKERS_OF_DIRECTORIES: ReadonlySet<string> = new Set([
  'sslverifyclient',
  'sslverifydepth',
  'sslciphersuite',
  'nssverifyclient',
  'nsscipher',
  'nssciphersuite',
  'gnutlsclientverify',
  // mod_ibm_ssl
  'sslcipherban',
  'sslcipherrequire',
  'sslclientauthrequire',
  'sslversion',
]);

/** Directives of modules that answer `Require group` instead of mod_authz_groupfile. */
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
