/**
 * A main file of 2.2 with a question, ready fixes, one change by hand, and a value that httpd
 * refuses.
 */
export const ROOT = `ServerRoot "/etc/httpd"
Listen 80
LoadModule mpm_prefork_module modules/mod_mpm_prefork.so
LoadModule authz_host_module modules/mod_authz_host.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule unixd_module modules/mod_unixd.so
DocumentRoot "/var/www/html"
<Directory "/var/www/html">
    AllowOverride All
    Order allow,deny
    Allow from all
</Directory>
MaxClients 10
MaxRequestsPerChild 10
HostnameLookups Perhaps
`;
