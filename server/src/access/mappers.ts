/**
 * Directives of modules that map a URL to another folder than DocumentRoot and Alias, or to none.
 * The tables hold directive names, because most of these modules are not part of httpd.
 */

/** mod_vhost_alias. The argument `none` turns it off. */
export const DYNAMIC_HOSTS: ReadonlySet<string> = new Set([
  'virtualdocumentroot',
  'virtualdocumentrootip',
  'virtualscriptalias',
  'virtualscriptaliasip',
]);

/** The module chooses the file, and no line names it (translate_name hooks). */
export const CHOOSERS: ReadonlySet<string> = new Set([
  'perltranshandler',
  'pythontranshandler',
  'netcgitranslatehandler',
  'luahooktranslatename',
  // mod_vhost_ldap, mod_vhs, mod_mapcache, mod_jk
  'vhostldapenabled',
  'vhostldapurl',
  'enablevhs',
  'mapcachealias',
  'jkautoalias',
]);

/** Directives that serve directories which no line names. */
export const SERVES_ANYWHERE: ReadonlySet<string> = new Set([
  ...DYNAMIC_HOSTS,
  ...CHOOSERS,
  'userdir',
  'aliasmatch',
  'scriptaliasmatch',
  'wsgiscriptaliasmatch',
]);

/** Directives because of which the folder of any URL is unknown. */
export const MAPPERS: ReadonlySet<string> = new Set([...DYNAMIC_HOSTS, ...CHOOSERS]);

/**
 * The module answers itself, and httpd does not look for a file. Then `<Directory>`, `<Files>` and
 * .htaccess do not apply (map_to_storage hooks before core_map_to_storage in server/core.c). For
 * some modules this depends on the version or on settings, so both cases are possible.
 */
export const WALKLESS: ReadonlySet<string> = new Set([
  // mod_proxy; mod_cluster
  'proxypass',
  'proxypassmatch',
  'proxyrequests',
  'rewriterule',
  'createbalancers',
  'enablemcpmreceive',
  'managerbalancername',
  // mod_jk (jk_map_to_storage), mod_oc4j, mod_scgi, mod_uwsgi and mod_Ruwsgi
  'jkmount',
  'jkmountcopy',
  'jkmountfile',
  // mod_jk2 (jk2_map_to_storage)
  'jkuriset',
  'oc4jmount',
  'scgimount',
  'uwsgisocket',
  'uwsgimount',
  // mod_dav_svn since 1.7 (dav_svn__map_to_storage)
  'svnpath',
  'svnparentpath',
  // mod_passenger, mod_tile, mod_mapcache
  'passengerhighperformance',
  'loadtileconfigfile',
  'addtileconfig',
  'mapcachealias',
  // Own code of the server
  'perlmaptostoragehandler',
  'luahookmaptostorage',
]);

/**
 * Directives that produce content without a file. In a `<Location>` with such a line, the folder of
 * the URL need not exist, and sections of missing folders do not apply (ap_directory_walk in
 * server/request.c).
 */
export const FILELESS: ReadonlySet<string> = new Set([
  'sethandler',
  'dav',
  'svnpath',
  'svnparentpath',
  'perlhandler',
  'perlresponsehandler',
  'pythonhandler',
  'rubyhandler',
  'netcgihandler',
  // mod_jk2, mod_scgi, mod_weblogic
  'jkuriset',
  'scgihandler',
  'wlsrequest',
  'weblogichost',
  'weblogiccluster',
  // mod_passenger
  'passengerenabled',
  'passengerapproot',
  'passengerbaseuri',
  'railsbaseuri',
  'rackbaseuri',
  // mod_caucho (cse_dispatch)
  'resinconfigserver',
  'resinhost',
  'cauchohost',
  'cauchoconfigfile',
  // mod_plsql
  'plsqldatabaseconnectstring',
]);
