/**
 * A configuration similar to the original one of CentOS 6: the modules of 2.2, two MPMs, access
 * lines in the usual sections, a file for SSL, one for a proxy and one for the welcome page.
 * Written for this project.
 */
const MODULES = [
  'auth_basic',
  'auth_digest',
  'authn_file',
  'authn_alias',
  'authn_dbm',
  'authn_default',
  'authz_host',
  'authz_user',
  'authz_groupfile',
  'authz_default',
  'include',
  'log_config',
  'env',
  'mime_magic',
  'expires',
  'deflate',
  'headers',
  'setenvif',
  'mime',
  'dav',
  'status',
  'autoindex',
  'dav_fs',
  'negotiation',
  'dir',
  'actions',
  'userdir',
  'alias',
  'rewrite',
  'proxy',
  'proxy_balancer',
  'proxy_http',
  'proxy_ajp',
  'cache',
  'disk_cache',
  'cgi',
  'version',
];

const OPEN = `    Order allow,deny
    Allow from all
`;

export const CENTOS6: Readonly<Record<string, string>> = {
  'httpd/conf/httpd.conf': `# The main file. What stands in conf.d is read as well.
ServerTokens OS
ServerRoot "/etc/httpd"
PidFile run/httpd.pid
Timeout 60
KeepAlive Off

# How many requests at once
<IfModule prefork.c>
    StartServers 8
    MinSpareServers 5
    MaxSpareServers 20
    ServerLimit 256
    MaxClients 256
    MaxRequestsPerChild 4000
</IfModule>
<IfModule worker.c>
    StartServers 4
    MaxClients 300
    MinSpareThreads 25
    MaxSpareThreads 75
    ThreadsPerChild 25
    MaxRequestsPerChild 0
</IfModule>

Listen 80

${MODULES.map((name) => `LoadModule ${name}_module modules/mod_${name}.so`).join('\n')}

Include conf.d/*.conf

User apache
Group apache
ServerAdmin webmaster@example.org
ServerName www.example.org:80
UseCanonicalName Off

# What is served
DocumentRoot "/var/www/html"
<Directory />
    Options FollowSymLinks
    AllowOverride None
</Directory>
<Directory "/var/www/html">
    Options Indexes FollowSymLinks
    AllowOverride None
${OPEN}</Directory>
<IfModule mod_userdir.c>
    UserDir disabled
</IfModule>
DirectoryIndex index.html index.html.var
AccessFileName .htaccess
<Files ~ "^\\.ht">
    Order allow,deny
    Deny from all
    Satisfy All
</Files>
TypesConfig /etc/mime.types
DefaultType text/plain

# Logs
HostnameLookups Off
ErrorLog logs/error_log
LogLevel warn
LogFormat "%h %l %u %t \\"%r\\" %>s %b" common
CustomLog logs/access_log common
ServerSignature On

# Icons and programs
Alias /icons/ "/var/www/icons/"
<Directory "/var/www/icons">
    Options Indexes MultiViews FollowSymLinks
    AllowOverride None
${OPEN}</Directory>
<IfModule mod_dav_fs.c>
    DAVLockDB /var/lib/dav/lockdb
</IfModule>
ScriptAlias /cgi-bin/ "/var/www/cgi-bin/"
<Directory "/var/www/cgi-bin">
    AllowOverride None
    Options None
${OPEN}</Directory>
`,
  'httpd/conf.d/ssl.conf': `LoadModule ssl_module modules/mod_ssl.so
Listen 443
SSLSessionCache shmcb:/var/cache/mod_ssl/scache(512000)
SSLSessionCacheTimeout 300
SSLMutex default
<VirtualHost _default_:443>
    SSLEngine on
    SSLProtocol all -SSLv2
    SSLCertificateFile /etc/pki/tls/certs/localhost.crt
    SSLCertificateKeyFile /etc/pki/tls/private/localhost.key
</VirtualHost>
`,
  'httpd/conf.d/proxy_ajp.conf': '# ProxyPass /tomcat/ ajp://localhost:8009/\n',
  'httpd/conf.d/welcome.conf': `# The page that is shown where there is none yet
<LocationMatch "^/+$">
    Options -Indexes
    ErrorDocument 403 /error/noindex.html
</LocationMatch>
`,
};
