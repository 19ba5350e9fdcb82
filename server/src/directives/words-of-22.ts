/**
 * Messages of httpd 2.2 whose words 2.4 changed, by the code or text of the 2.4 message with the
 * same cause. The words are those of the sources of 2.2.34 and earlier releases; `…` marks variable
 * parts.
 */
export const WORDS_OF_22: Readonly<Record<string, readonly string[]>> = {
  // From modules/generators/mod_autoindex.c: handle_autoindex
  AH01276: ['Directory index forbidden by Options directive: …'],
  // From server/mpm/prefork/prefork.c, worker/worker.c: perform_idle_server_maintenance
  AH00161: ['server reached MaxClients setting, consider raising the MaxClients setting'],
  AH10159: ['server is within MinSpareThreads of MaxClients, consider raising the MaxClients setting'],
  // From server/request.c: ap_directory_walk, resolve_symlink
  AH00035: ['access to … denied'],
  AH00037: ['Symbolic link not allowed: …'],
  // From server/config.c: ap_parse_htaccess
  AH00529: ['… pcfg_openfile: unable to check htaccess file, ensure it is readable'],
  // From server/util.c: ap_get_local_host
  AH00558: ["Could not reliably determine the server's fully qualified domain name, using …"],
  // From modules/ssl/mod_ssl.c: ssl_proxy_enable
  AH01961: ['SSL Proxy requested for … but not enabled [Hint: SSLProxyEngine]'],
  // From server/core.c: core_map_to_storage, translate_name
  AH00126: ['Invalid URI in request …'],
  // From modules/ssl/ssl_engine_kernel.c: ssl_hook_ReadReq; ssl_engine_init.c
  AH02032: ['Hostname … provided via SNI and hostname … provided via HTTP are different'],
  AH01909: ["… server certificate …CommonName (CN) `…' does NOT match server name!?"],
  AH02562: ['Init: Unable to read server certificate from file …'],
  // From modules/generators/mod_cgi.c, mod_cgid.c: cgi_handler
  AH01262: ['Options ExecCGI is off in this directory: …'],
  AH01264: ['script not found or unable to stat: …'],
  AH01241: ["exec of '…' failed"],
  AH01265: ['attempt to invoke directory as script: …'],
  AH01266: ["AcceptPathInfo off disallows user's path: …"],
  // From server/util_script.c: ap_scan_script_header_err_core
  "malformed header from script '…': Bad header: …": ['malformed header from script. Bad header=…'],
  // From modules/mappers/mod_rewrite.c: hook_fixup
  AH00670: [
    'Options FollowSymLinks or SymLinksIfOwnerMatch is off which implies that RewriteRule directive is forbidden: …',
  ],
  // From modules/proxy/proxy_util.c, mod_proxy.c, mod_proxy_balancer.c
  AH00959: ['ap_proxy_connect_backend disabling worker for (…)'],
  AH01144: ['proxy: No protocol handler was valid for the URL …. If you are using a DSO version of mod_proxy, …'],
  AH01167: ['proxy: BALANCER: (…). All workers are in error state for route (…)'],
  AH01170: ['proxy: BALANCER: (…). All workers are in error state'],
  // From server/mpm/prefork/prefork.c, worker/worker.c: set_max_clients; the first line of each
  // message
  AH00180: ['WARNING: MaxClients of … exceeds ServerLimit value of …'],
  AH00515: ['WARNING: MaxClients of … would require …'],
  AH00513: ['WARNING: MaxClients (…) is not an integer multiple…'],
  AH00314: ['WARNING: MaxClients (…) must be at least as large…'],
  // From the accept mutex of the MPMs, and modules/ssl/ssl_engine_mutex.c: ssl_mutex_init
  AH00023: ["Couldn't create accept lock…", 'Cannot create SSLMutex…'],
};
