/**
 * A configuration similar to one of Debian's 2.2: a main file, a file for each module, snippets,
 * three sites; about forty files that the server reads. Written for this project.
 */
const LOADS: readonly string[] = [
  'actions',
  'alias',
  'auth_basic',
  'authn_file',
  'authz_default',
  'authz_groupfile',
  'authz_host',
  'authz_user',
  'autoindex',
  'cgi',
  'deflate',
  'dir',
  'env',
  'headers',
  'mime',
  'negotiation',
  'proxy',
  'proxy_http',
  'reqtimeout',
  'rewrite',
  'setenvif',
  'ssl',
  'status',
];

const SHUT = `    Order deny,allow
    Deny from all
`;

const MODULES: Readonly<Record<string, string>> = {
  alias: `<IfModule alias_module>
Alias /icons/ "/usr/share/apache2/icons/"
<Directory "/usr/share/apache2/icons">
    Options Indexes MultiViews
    AllowOverride None
    Order allow,deny
    Allow from all
</Directory>
</IfModule>
`,
  deflate: '<IfModule mod_deflate.c>\n    AddOutputFilterByType DEFLATE text/html text/plain text/xml\n</IfModule>\n',
  dir: '<IfModule mod_dir.c>\n    DirectoryIndex index.html index.php\n</IfModule>\n',
  mime: '<IfModule mod_mime.c>\n    TypesConfig /etc/mime.types\n    AddEncoding x-gzip .gz .tgz\n</IfModule>\n',
  proxy: `<IfModule mod_proxy.c>
    ProxyRequests Off
    <Proxy *>
        AddDefaultCharset off
${SHUT.replace(/^/gm, '    ').trimEnd()}
    </Proxy>
    ProxyVia On
</IfModule>
`,
  reqtimeout: '<IfModule reqtimeout_module>\n    RequestReadTimeout header=20-40,minrate=500\n</IfModule>\n',
  setenvif: '<IfModule mod_setenvif.c>\n    BrowserMatch "Mozilla/2" nokeepalive\n</IfModule>\n',
  ssl: `<IfModule mod_ssl.c>
    SSLRandomSeed startup builtin
    SSLSessionCache shmcb:/var/run/apache2/ssl_scache(512000)
    SSLMutex file:/var/run/apache2/ssl_mutex
    SSLCipherSuite HIGH:MEDIUM:!ADH
    SSLProtocol all -SSLv2
</IfModule>
`,
  status: `<IfModule mod_status.c>
<Location /server-status>
    SetHandler server-status
${SHUT}    Allow from localhost ip6-localhost
</Location>
ExtendedStatus On
</IfModule>
`,
};

const SITE = (name: string, directory: string): string => `<VirtualHost *:80>
    ServerAdmin webmaster@example.org
    ServerName ${name}
    DocumentRoot ${directory}
    <Directory ${directory}/>
        Options Indexes FollowSymLinks
        AllowOverride None
        Order allow,deny
        allow from all
    </Directory>
    <Directory ${directory}/internal>
        Order deny,allow
        Deny from all
        Allow from 10.0.0.0/8
    </Directory>
    ErrorLog /var/log/apache2/error.log
    LogLevel warn
</VirtualHost>
`;

export const DEBIAN6: Readonly<Record<string, string>> = {
  'apache2/apache2.conf': `# The main file: everything else is included.
ServerRoot "/etc/apache2"
LockFile /var/lock/apache2/accept.lock
PidFile /var/run/apache2.pid
Timeout 300
KeepAlive On
<IfModule mpm_prefork_module>
    StartServers 5
    MinSpareServers 5
    MaxSpareServers 10
    MaxClients 150
    MaxRequestsPerChild 0
</IfModule>
User www-data
Group www-data
AccessFileName .htaccess
<Files ~ "^\\.ht">
    Order allow,deny
    Deny from all
    Satisfy all
</Files>
DefaultType text/plain
HostnameLookups Off
ErrorLog /var/log/apache2/error.log
LogLevel warn
Include mods-enabled/*.load
Include mods-enabled/*.conf
Include httpd.conf
Include ports.conf
LogFormat "%h %l %u %t \\"%r\\" %>s %O" common
Include conf.d/
Include sites-enabled/
`,
  'apache2/httpd.conf': 'ServerName www.example.org\n',
  'apache2/ports.conf': 'NameVirtualHost *:80\nListen 80\n<IfModule mod_ssl.c>\n    Listen 443\n</IfModule>\n',
  ...Object.fromEntries(
    LOADS.map((name) => [
      `apache2/mods-enabled/${name}.load`,
      `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so\n`,
    ]),
  ),
  ...Object.fromEntries(Object.entries(MODULES).map(([name, text]) => [`apache2/mods-enabled/${name}.conf`, text])),
  'apache2/conf.d/charset': '# AddDefaultCharset UTF-8\n',
  'apache2/conf.d/security':
    '<Directory />\n    AllowOverride None\n    Order Deny,Allow\n    Deny from all\n</Directory>\nServerTokens Prod\nTraceEnable Off\n',
  'apache2/sites-enabled/000-default': SITE('www.example.org', '/var/www'),
  'apache2/sites-enabled/shop': SITE('shop.example.org', '/srv/shop'),
  'apache2/sites-enabled/intranet': SITE('intranet.example.org', '/srv/intranet').replace(
    '</VirtualHost>',
    `    <Location /private>
        AuthType Basic
        AuthName "Private"
        AuthUserFile /etc/apache2/passwd
        Require valid-user
        Order deny,allow
        Deny from all
        Allow from 127.0.0.1
        Satisfy any
    </Location>
</VirtualHost>`,
  ),
};
