/**
 * Names of directives that map a URL to another folder than DocumentRoot and Alias do, or to no
 * folder. Most of their modules are not part of httpd, so no table of httpd's directives contains
 * them.
 */

/** Directives of mod_vhost_alias. The argument `none` turns them off. */
export const DYNAMIC_HOST_DIRECTIVES: ReadonlySet<string> = new Set([
  'virtualdocumentroot',
  'virtualdocumentrootip',
  'virtualscriptalias',
  'virtualscriptaliasip',
]);

/**
 * Directives of modules that choose the file of a request with their own code (translate_name
 * hooks). No line of the configuration names the file.
 */
export const FILE_CHOOSING_DIRECTIVES: ReadonlySet<string> = new Set([
  'perltranshandler',
  'pythontranshandler',
  'netcgitranslatehandler',
  'luahooktranslatename',
  'tcl_hook_translate_name',
  // Directives of mod_vhost_ldap, mod_vhs, mod_myvhost, mod_vhost_mysql, mod_mapcache, mod_jk
  'vhostldapenabled',
  'vhostldapurl',
  'enablevhs',
  'myvhoston',
  'vhmysqlengine',
  'mapcachealias',
  'jkautoalias',
]);

/** Directives that serve folders without naming them. */
export const DIRECTIVES_SERVING_ANY_FOLDER: ReadonlySet<string> = new Set([
  ...DYNAMIC_HOST_DIRECTIVES,
  ...FILE_CHOOSING_DIRECTIVES,
  'userdir',
  'aliasmatch',
  'scriptaliasmatch',
  'wsgiscriptaliasmatch',
]);

/** If a configuration has one of these directives, the folder of every URL is unknown. */
export const DIRECTIVES_MAPPING_ANY_URL: ReadonlySet<string> = new Set([
  ...DYNAMIC_HOST_DIRECTIVES,
  ...FILE_CHOOSING_DIRECTIVES,
]);

/**
 * Directives of modules that answer requests without a file, so that `<Directory>`, `<Files>` and
 * .htaccess do not apply (map_to_storage hooks before core_map_to_storage in server/core.c). Some
 * of these modules answer without a file only in some versions or with some settings. So the
 * conversion must be right for requests with a file and without one.
 */
export const DIRECTIVES_ANSWERING_WITHOUT_FILE: ReadonlySet<string> = new Set([
  // Directives of mod_proxy, mod_rewrite, mod_cluster
  'proxypass',
  'proxypassmatch',
  'proxyrequests',
  'rewriterule',
  'createbalancers',
  'enablemcpmreceive',
  'managerbalancername',
  // Directives of mod_jk (jk_map_to_storage)
  'jkmount',
  'jkmountcopy',
  'jkmountfile',
  // Directives of mod_jk2 (jk2_map_to_storage), mod_oc4j, mod_scgi, mod_uwsgi and mod_Ruwsgi
  'jkuriset',
  'oc4jmount',
  'scgimount',
  'uwsgisocket',
  'uwsgimount',
  // mod_dav_svn since 1.7 (dav_svn__map_to_storage)
  'svnpath',
  'svnparentpath',
  // Directives of mod_passenger, mod_tile, mod_mapcache
  'passengerhighperformance',
  'loadtileconfigfile',
  'addtileconfig',
  'mapcachealias',
  // Directives of mod_webapp (wam_match), mod_WebObjects (WebObjects_translate)
  'webappdeploy',
  'webobjectsalias',
  // Directives of modules that run the administrator's own code
  'perlmaptostoragehandler',
  'luahookmaptostorage',
]);

/**
 * Directives that produce content without a file. In a `<Location>` with such a line, the folder of
 * the URL may be missing. Sections for missing folders do not apply (ap_directory_walk in
 * server/request.c).
 */
export const DIRECTIVES_FOR_CONTENT_WITHOUT_FILE: ReadonlySet<string> = new Set([
  'sethandler',
  'dav',
  'svnpath',
  'svnparentpath',
  'perlhandler',
  'perlresponsehandler',
  'pythonhandler',
  'rubyhandler',
  'netcgihandler',
  // Directives of mod_jk2, mod_scgi, mod_weblogic
  'jkuriset',
  'scgihandler',
  'wlsrequest',
  'weblogichost',
  'weblogiccluster',
  // Directives of mod_passenger
  'passengerenabled',
  'passengerapproot',
  'passengerbaseuri',
  'railsbaseuri',
  'rackbaseuri',
  // Directives of mod_caucho (cse_dispatch)
  'resinconfigserver',
  'resinhost',
  'cauchohost',
  'cauchoconfigfile',
  // Directives of mod_plsql
  'plsqldatabaseconnectstring',
]);
