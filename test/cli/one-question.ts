/** A main file with one ready fix, and one that waits for an answer. */
export const ROOT = `ServerRoot "/etc/httpd"
Listen 80
LoadModule mpm_prefork_module modules/mod_mpm_prefork.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule authz_host_module modules/mod_authz_host.so
LoadModule unixd_module modules/mod_unixd.so
LoadModule access_compat_module modules/mod_access_compat.so
DocumentRoot "/var/www/html"
<Directory />
    AllowOverride None
</Directory>
<Directory "/var/www/html">
    AllowOverride All
    Order allow,deny
    Allow from all
</Directory>
MaxClients 10
Options None
Timeout 60
EnableSendfile Off
FileETag None
LimitRequestBody 0
MaxConnectionsPerChild 0
MaxMemFree 0
`;
export const QUESTION = 'htaccess-unseen:/var/www/html';
