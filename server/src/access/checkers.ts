/**
 * Names of directives of modules other than mod_authz_host that also decide access. Such a module
 * refuses requests in the same phase as mod_authz_host (access_checker hooks;
 * docs/access-control.md, "What has no exact translation"), or it knows the members of groups. Most
 * of these modules are not part of httpd, so no table of httpd's directives contains them.
 */

/** Directives that may refuse requests, whether they are inside or outside of a section. */
export const REFUSING_DIRECTIVES: ReadonlySet<string> = new Set([
  // Directives of mod_ssl (ssl_hook_Access)
  'sslrequiressl',
  'sslrequire',
  // Directives of mod_nss (nss_hook_Access), mod_auth_mellon
  'nssrequiressl',
  'nssrequire',
  'mellonenable',
  // Directives of mod_authz_svn
  'authzsvnaccessfile',
  'authzsvnreposrelativeaccessfile',
  'authzsvngroupsfile',
  // Modules in which the administrator's own code can refuse a request, such as mod_perl, mod_wsgi
  // and mod_fcgid
  'perlaccesshandler',
  'pythonaccesshandler',
  'wsgiaccessscript',
  'luahookaccesschecker',
  'netcgiaccesscheckerhandler',
  'addcpphandler',
  'tcl_hook_access_checker',
  'fcgidaccesschecker',
  'fastcgiaccesschecker',
  // Directives of mod_shib
  'shibrequestsetting',
  'shibrequiresession',
  'shibrequireall',
  'shibaccesscontrol',
  // Directives of mod_ibm_ldap
  'ldaprequire',
  // The agents of OpenAM, SiteMinder and Oracle Access Manager
  'amagent',
  'sminitfile',
  'webgateinstalldir',
  // Directives of mod_auth_token
  'authtokensecret',
  // Directives of mod_cosign, mod_spamhaus, mod_ruby, mod_limitipconn, mod_evasive
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
  // Directives of mod_access_dnsbl and others that look up the address in DNS lists
  'dnsblservers',
  'dnsbluse',
  'accessdnsbl',
  'httpblenabled',
]);

/**
 * Directives that may refuse a request if they are in a section for a directory or URL. Outside of
 * such a section they only affect the TLS handshake, which ends before httpd decides access.
 */
export const DIRECTIVES_REFUSING_IN_SECTIONS: ReadonlySet<string> = new Set([
  'sslverifyclient',
  'sslverifydepth',
  'sslciphersuite',
  'nssverifyclient',
  'nsscipher',
  'nssciphersuite',
  'gnutlsclientverify',
  // Directives of mod_ibm_ssl
  'sslcipherban',
  'sslcipherrequire',
  'sslclientauthrequire',
  'sslversion',
]);

/**
 * Directives of third-party modules that evaluate `Require group` instead of mod_authz_groupfile.
 */
export const GROUP_DIRECTIVES: ReadonlySet<string> = new Set([
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
  'addcpphandler',
  'tcl_hook_auth_checker',
]);
