/**
 * Directives of modules by which a URL leads elsewhere than DocumentRoot and Alias say, or to no folder at all. By name, because most of these modules do not come with httpd.
 */

/** mod_vhost_alias; `none` turns it off. */
export const DYNAMIC_HOSTS: ReadonlySet<string> = new Set([
  'virtualdocumentroot',
  'virtualdocumentrootip',
  'virtualscriptalias',
  'virtualscriptaliasip',
]);

/** The module chooses the file, and no line says which (translate_name hooks). */
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

/** What they serve lies in directories that no line names. */
export const SERVES_ANYWHERE: ReadonlySet<string> = new Set([
  ...DYNAMIC_HOSTS,
  ...CHOOSERS,
  'userdir',
  'aliasmatch',
  'scriptaliasmatch',
  'wsgiscriptaliasmatch',
]);

/** Beside these nobody knows which folder is behind a URL. */
export const MAPPERS: ReadonlySet<string> = new Set([
  ...DYNAMIC_HOSTS,
  ...CHOOSERS,
  'wsgiscriptalias',
  'wsgiscriptaliasmatch',
]);

/**
 * The module answers itself, and the server does not look for a file: neither `<Directory>` nor `<Files>` nor a .htaccess applies then (map_to_storage hooks, which come before
 * core_map_to_storage in server/core.c). Of some it hangs on the version or on further settings, so what they answer may be met by either.
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
  // Code of one's own
  'perlmaptostoragehandler',
  'luahookmaptostorage',
]);

/** Content without a file: where a `<Location>` has such a line, the folder of its URL need not exist, and sections of folders that do not exist apply to nothing (ap_directory_walk in server/request.c). */
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
]);
