/** The example of the page: lines that 2.4 refuses, reads differently, or has other names for. */
export const EXAMPLE = `ServerRoot "/etc/httpd"
Listen 80
User apache
Group apache
ServerAdmin webmaster@example.org
ServerName www.example.org

LoadModule authz_host_module modules/mod_authz_host.so
LoadModule authz_default_module modules/mod_authz_default.so
LoadModule dir_module modules/mod_dir.so
LoadModule mime_module modules/mod_mime.so
LoadModule log_config_module modules/mod_log_config.so

MaxClients 150
DefaultType text/plain

NameVirtualHost *:80

<Directory />
    AllowOverride None
</Directory>

DocumentRoot "/var/www/html"
<Directory "/var/www/html">
    AllowOverride None
    Order allow,deny
    Allow from all
    Deny from 203.0.113.7
</Directory>

<Location /server-status>
    SetHandler server-status
    Order deny,allow
    Deny from all
    Allow from 127.0.0.1 192.0.2.0/24
</Location>

<VirtualHost *:80>
    ServerName www.example.org
    DocumentRoot "/var/www/html"
</VirtualHost>

<VirtualHost *:80>
    ServerName shop.example.org
    DocumentRoot "/var/www/shop"
    <Directory "/var/www/shop">
        AllowOverride None
        Order allow,deny
        Allow from all
    </Directory>
</VirtualHost>
`;
