/**
 * Three servers of 2.2 as users open them for an upgrade, including unread files: CentOS with a
 * copy of its main file, Debian with links, macOS with `original/`. Written for this project.
 */
import { CENTOS6 } from './centos6';
import { DEBIAN6 } from './debian6';

export interface ServerTree {
  readonly files: Readonly<Record<string, string>>;
  /** Symbolic links, each with its target. */
  readonly links: Readonly<Record<string, string>>;
}

const open = (directory: string, more = '') => `<Directory ${directory}>
    AllowOverride None
${more}    Order allow,deny
    Allow from all
</Directory>
`;
const local = (location: string) => `<Location ${location}>
    Order deny,allow
    Deny from all
    Allow from 127.0.0.1
</Location>
`;

const CENTOS_MAIN = CENTOS6['httpd/conf/httpd.conf']!;

/** 17 files: the main file and a copy of it, 14 that it reads, and a README. */
export const CENTOS17: ServerTree = {
  files: {
    ...CENTOS6,
    'httpd/conf/httpd.conf.org': CENTOS_MAIN,
    'httpd/conf.d/README': 'This directory holds configuration of modules.\n',
    'httpd/conf.d/cacti.conf': `Alias /cacti /usr/share/cacti\n${local('/cacti')}`,
    'httpd/conf.d/manual.conf': `AliasMatch ^/manual(?:/(?:de|en|fr))?(/.*)?$ "/var/www/manual$1"\n${open('"/var/www/manual"', '    Options Indexes\n')}`,
    'httpd/conf.d/mrtg.conf': `Alias /mrtg /var/www/mrtg\n${local('/mrtg')}`,
    'httpd/conf.d/munin.conf': `Alias /munin /var/www/munin\n${open('/var/www/munin')}`,
    'httpd/conf.d/nagios.conf': `ScriptAlias /nagios/cgi-bin/ /usr/lib64/nagios/cgi-bin/
<Directory /usr/lib64/nagios/cgi-bin/>
    Options ExecCGI
    Order allow,deny
    Allow from all
    AuthName "Nagios"
    AuthType Basic
    AuthUserFile /etc/nagios/passwd
    Require valid-user
</Directory>
`,
    'httpd/conf.d/phpmyadmin.conf': `Alias /phpmyadmin /usr/share/phpmyadmin\n${open('/usr/share/phpmyadmin').replace('allow,deny\n    Allow from all', 'deny,allow\n    Deny from all\n    Allow from 10.0.0.0/8')}`,
    'httpd/conf.d/shop.conf': `NameVirtualHost *:80
<VirtualHost *:80>
    ServerName shop.example.org
    DocumentRoot /srv/shop
${open('/srv/shop')
  .replace('AllowOverride None', 'AllowOverride All')
  .replace(/^(?=.)/gm, '    ')}</VirtualHost>
`,
    'httpd/conf.d/squid.conf': `ScriptAlias /Squid/cgi-bin/cachemgr.cgi /usr/lib64/squid/cachemgr.cgi\n${local('/Squid/cgi-bin/cachemgr.cgi')}`,
    'httpd/conf.d/php.conf': `LoadModule php5_module modules/libphp5.so
AddHandler php5-script .php
AddType text/html .php
DirectoryIndex index.php
`,
    'httpd/conf.d/webalizer.conf': `Alias /usage /var/www/usage\n${local('/usage')}`,
    'httpd/conf.d/zz-limits.conf': 'KeepAliveTimeout 15\nRewriteLogLevel 0\n',
  },
  links: {},
};

/**
 * The Debian of 40 files with links in `mods-enabled` and `sites-enabled`, and what is there and
 * not enabled: 60 files.
 */
export const DEBIAN60: ServerTree = (() => {
  const available = (name: string) => name.replace('-enabled/', '-available/');
  const linked = Object.keys(DEBIAN6).filter((name) => name.includes('-enabled/'));
  const others = ['asis', 'cgid', 'dav', 'dav_fs', 'dbd', 'expires', 'ext_filter', 'include', 'info', 'ldap'];
  const more = [
    'cache',
    'charset_lite',
    'file_cache',
    'ident',
    'imagemap',
    'mem_cache',
    'usertrack',
    'version',
    'unique_id',
  ];
  return {
    files: {
      ...Object.fromEntries(Object.entries(DEBIAN6).map(([name, text]) => [available(name), text])),
      ...Object.fromEntries(
        [...others, ...more].map((name) => [
          `apache2/mods-available/${name}.load`,
          `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so\n`,
        ]),
      ),
      'apache2/sites-available/default-ssl': `<IfModule mod_ssl.c>
<VirtualHost _default_:443>
    DocumentRoot /var/www
${open('/var/www/').replace(/^(?=.)/gm, '    ')}    SSLEngine on
</VirtualHost>
</IfModule>
`,
    },
    links: Object.fromEntries(linked.map((name) => [name, `../${available(name).slice('apache2/'.length)}`])),
  };
})();

const MAC_MODULES = [
  'authn_file',
  'authn_dbm',
  'authn_default',
  'authz_host',
  'authz_groupfile',
  'authz_user',
  'authz_default',
  'auth_basic',
  'cache',
  'include',
  'filter',
  'deflate',
  'log_config',
  'env',
  'expires',
  'headers',
  'setenvif',
  'proxy',
  'proxy_http',
  'mime',
  'autoindex',
  'cgi',
  'negotiation',
  'dir',
  'actions',
  'alias',
  'rewrite',
];

const MAC_MAIN = `ServerRoot "/usr"
Listen 80
${MAC_MODULES.map((name) => `LoadModule ${name}_module libexec/apache2/mod_${name}.so`).join('\n')}
User _www
Group _www
ServerAdmin you@example.org
ServerName mac.example.org
DocumentRoot "/Library/WebServer/Documents"
<Directory />
    Options FollowSymLinks
    AllowOverride None
    Order deny,allow
    Deny from all
</Directory>
${open('"/Library/WebServer/Documents"', '    Options Indexes FollowSymLinks MultiViews\n')}DirectoryIndex index.html
<FilesMatch "^\\.([Hh][Tt]|[Dd][Ss]_[Ss])">
    Order allow,deny
    Deny from all
    Satisfy All
</FilesMatch>
ErrorLog "/private/var/log/apache2/error_log"
LogLevel warn
DefaultType text/plain
TypesConfig /private/etc/apache2/mime.types
LockFile "/private/var/log/apache2/accept.lock"
Include /private/etc/apache2/extra/httpd-mpm.conf
Include /private/etc/apache2/other/*.conf
`;

/** A Mac of 2.2 with the files that Apple keeps in `original/`. */
export const MACOS: ServerTree = {
  files: {
    'apache2/httpd.conf': MAC_MAIN,
    'apache2/extra/httpd-mpm.conf': `<IfModule mpm_prefork_module>
    StartServers 1
    MaxClients 256
    MaxRequestsPerChild 0
</IfModule>
`,
    'apache2/other/intranet.conf': `Alias /intranet /Library/WebServer/Intranet\n${open('/Library/WebServer/Intranet')}`,
    'apache2/original/httpd.conf': MAC_MAIN,
    'apache2/original/extra/httpd-mpm.conf': '<IfModule mpm_prefork_module>\n    MaxClients 150\n</IfModule>\n',
  },
  links: {},
};

const loads = (names: readonly string[], directory = 'modules') =>
  names.map((name) => `LoadModule ${name}_module ${directory}/mod_${name}.so\n`).join('');

const USUAL = [
  'authn_file',
  'authz_host',
  'authz_user',
  'auth_basic',
  'log_config',
  'setenvif',
  'mime',
  'autoindex',
  'negotiation',
  'dir',
  'alias',
  'rewrite',
  'status',
];

const SECURE = `<Directory />
    Options FollowSymLinks
    AllowOverride None
    Order deny,allow
    Deny from all
</Directory>
`;
const HIDDEN = `<FilesMatch "^\\.ht">
    Order allow,deny
    Deny from all
    Satisfy All
</FilesMatch>
`;

const indented = (text: string) => text.replace(/^(?=.)/gm, '    ');

/**
 * Gentoo: modules.d and vhosts.d beside the main file, with a file that two virtual hosts include.
 */
const GENTOO: ServerTree = {
  files: {
    'apache2/httpd.conf': `ServerRoot "/usr/lib/apache2"
${loads(USUAL)}User apache
Group apache
ServerName gentoo.example.org
Include /etc/apache2/modules.d/*.conf
Include /etc/apache2/vhosts.d/*.conf
`,
    'apache2/modules.d/00_default_settings.conf': `Timeout 300
KeepAlive On
UseCanonicalName Off
AccessFileName .htaccess
ServerTokens Prod
HostnameLookups Off
DefaultType text/plain
${SECURE}${HIDDEN}`,
    'apache2/modules.d/00_mpm.conf': `<IfModule prefork.c>
    StartServers 5
    MaxClients 150
    MaxRequestsPerChild 10000
</IfModule>
<IfModule worker.c>
    StartServers 2
    MaxClients 150
    ThreadsPerChild 25
</IfModule>
`,
    'apache2/modules.d/00_mod_status.conf': `<IfModule status_module>
    <Location /server-status>
        SetHandler server-status
        Order deny,allow
        Deny from all
        Allow from 127.0.0.1
    </Location>
    ExtendedStatus On
</IfModule>
`,
    'apache2/vhosts.d/00_default_vhost.conf': `Listen 80
NameVirtualHost *:80
<VirtualHost *:80>
    ServerName localhost
    Include /etc/apache2/vhosts.d/default_vhost.include
</VirtualHost>
`,
    'apache2/vhosts.d/10_shop.conf': `<VirtualHost *:80>
    ServerName shop.example.org
    DocumentRoot "/var/www/shop"
${indented(open('"/var/www/shop"'))}</VirtualHost>
`,
    'apache2/vhosts.d/default_vhost.include': `ServerAdmin root@localhost
DocumentRoot "/var/www/localhost/htdocs"
${open('"/var/www/localhost/htdocs"', '    Options Indexes FollowSymLinks\n')}`,
    'apache2/vhosts.d/old_shop.conf_old': `<VirtualHost *:80>\n${indented(open('/var/www/old'))}</VirtualHost>\n`,
  },
  links: {},
};

/**
 * Apache 2.2 as `make install` puts it: the main file, files in `extra` of which it includes
 * three, and `original`.
 */
const FROM_SOURCE: ServerTree = (() => {
  const main = `ServerRoot "/usr/local/apache2"
Listen 80
${loads(USUAL)}<IfModule !mpm_netware_module>
User daemon
Group daemon
</IfModule>
ServerAdmin you@example.com
ServerName www.example.com:80
DocumentRoot "/usr/local/apache2/htdocs"
${SECURE}${open('"/usr/local/apache2/htdocs"', '    Options Indexes FollowSymLinks\n')}<IfModule dir_module>
    DirectoryIndex index.html
</IfModule>
${HIDDEN}ErrorLog "logs/error_log"
LogLevel warn
DefaultType text/plain
ScriptAlias /cgi-bin/ "/usr/local/apache2/cgi-bin/"
${open('"/usr/local/apache2/cgi-bin"', '    Options None\n')}Include conf/extra/httpd-mpm.conf
Include conf/extra/httpd-manual.conf
Include conf/extra/httpd-vhosts.conf
#Include conf/extra/httpd-info.conf
`;
  const extra = {
    'httpd-mpm.conf':
      'PidFile "logs/httpd.pid"\nLockFile "logs/accept.lock"\n<IfModule mpm_prefork_module>\n    MaxClients 150\n    MaxRequestsPerChild 0\n</IfModule>\n',
    'httpd-manual.conf': `AliasMatch ^/manual(?:/(?:de|en|fr))?(/.*)?$ "/usr/local/apache2/manual$1"\n${open('"/usr/local/apache2/manual"', '    Options Indexes\n')}`,
    'httpd-vhosts.conf': `NameVirtualHost *:80
<VirtualHost *:80>
    ServerName a.example.com
    DocumentRoot "/usr/local/apache2/htdocs"
</VirtualHost>
<VirtualHost *:80>
    ServerName b.example.com
    DocumentRoot "/srv/b"
${indented(open('"/srv/b"'))}</VirtualHost>
`,
    'httpd-info.conf': `<Location /server-status>
    SetHandler server-status
    Order deny,allow
    Deny from all
    Allow from .example.com
</Location>
`,
  };
  return {
    files: {
      'apache2/conf/httpd.conf': main,
      ...Object.fromEntries(Object.entries(extra).map(([name, text]) => [`apache2/conf/extra/${name}`, text])),
      'apache2/conf/original/httpd.conf': main,
      ...Object.fromEntries(Object.entries(extra).map(([name, text]) => [`apache2/conf/original/extra/${name}`, text])),
    },
    links: {},
  };
})();

/** FreeBSD's apache22: `Includes`, `extra`, and samples beside what is used. */
const FREEBSD: ServerTree = {
  files: {
    'apache22/httpd.conf': `ServerRoot "/usr/local"
Listen 80
${loads([...USUAL, 'authn_default', 'authz_default', 'cgi', 'ssl'], 'libexec/apache22')}User www
Group www
ServerAdmin you@example.org
ServerName bsd.example.org
DocumentRoot "/usr/local/www/apache22/data"
${SECURE}${open('"/usr/local/www/apache22/data"', '    Options Indexes FollowSymLinks\n')}${HIDDEN}ErrorLog "/var/log/httpd-error.log"
DefaultType text/plain
Include etc/apache22/Includes/*.conf
Include etc/apache22/extra/httpd-ssl.conf
`,
    'apache22/extra/httpd-ssl.conf': `Listen 443
SSLSessionCache "shmcb:/var/run/ssl_scache(512000)"
SSLMutex "file:/var/run/ssl_mutex"
<VirtualHost _default_:443>
    ServerName bsd.example.org:443
    SSLEngine on
    SSLCertificateFile "/usr/local/etc/apache22/server.crt"
    SSLCertificateKeyFile "/usr/local/etc/apache22/server.key"
</VirtualHost>
`,
    'apache22/Includes/mail.conf': `Alias /mail /usr/local/www/mail\n${open('/usr/local/www/mail')}`,
    'apache22/Includes/admin.conf': `Alias /admin /usr/local/www/admin
<Directory /usr/local/www/admin>
    AllowOverride None
    Order deny,allow
    Deny from all
    Allow from 192.0.2.0/24
    AuthType Basic
    AuthName admin
    AuthUserFile /usr/local/etc/apache22/users
    Require valid-user
    Satisfy Any
</Directory>
`,
    'apache22/httpd.conf.sample': 'ServerRoot "/usr/local"\nListen 80\nDefaultType text/plain\n',
  },
  links: {},
};

/** Many sites in one main file and twelve files beside it, which all servers of a farm share. */
const FARM: ServerTree = {
  files: {
    'apache/conf/httpd.conf': `ServerRoot "/usr/local/apache"
Listen 80
${loads(USUAL)}User apache
Group apache
ServerName farm.example.org
ServerLimit 256
MaxClients 256
MaxRequestsPerChild 4000
DocumentRoot /usr/local/apache/common/docroot
${SECURE}${HIDDEN}DefaultType text/html
NameVirtualHost *:80
${Array.from({ length: 12 }, (_, index) => `Include conf/site${index}.conf\n`).join('')}`,
    ...Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [
        `apache/conf/site${index}.conf`,
        `<VirtualHost *:80>
    ServerName site${index}.example.org
    DocumentRoot /usr/local/apache/common/docroot/site${index}
    RewriteEngine On
    RewriteRule ^/wiki/(.*)$ /index.php [L]
${indented(open(`/usr/local/apache/common/docroot/site${index}`))}</VirtualHost>
`,
      ]),
    ),
  },
  links: {},
};

/**
 * Red Hat with an older Include line whose file is gone, mod_perl's file, and access by host
 * names.
 */
const RHEL5: ServerTree = {
  files: {
    'httpd/conf/httpd.conf': `ServerRoot "/etc/httpd"
Listen 80
${loads([...USUAL, 'authn_default', 'authz_default', 'proxy', 'proxy_http'])}Include conf.d/*.conf
User apache
Group apache
ServerName rhel.example.org
<IfModule prefork.c>
    MaxClients 256
    MaxRequestsPerChild 4000
</IfModule>
DocumentRoot "/var/www/html"
${SECURE}${open('"/var/www/html"', '    Options Indexes FollowSymLinks\n')}<Files ~ "^\\.ht">
    Order allow,deny
    Deny from all
</Files>
DefaultType text/plain
LogLevel warn
`,
    'httpd/conf.d/app.conf': `<Proxy *>
    Order deny,allow
    Allow from all
</Proxy>
ProxyPass /app http://127.0.0.1:8080/app
ProxyPassReverse /app http://127.0.0.1:8080/app
<Location /app/admin>
    Order deny,allow
    Deny from all
    Allow from 10.0.0.0/8 192.0.2.7
</Location>
`,
    'httpd/conf.d/proxy_ajp.conf': '# ProxyPass /tomcat/ ajp://localhost:8009/\n',
    'httpd/conf.d/app.conf.bak': '<Location /app>\n    Order allow,deny\n    Allow from all\n</Location>\n',
  },
  links: {},
};

/** Further servers, in the shapes in which such trees are found. */
export const OTHER_SERVERS: Readonly<Record<string, { readonly tree: ServerTree; readonly folder: string }>> = {
  Gentoo: { tree: GENTOO, folder: 'apache2' },
  'a server from source': { tree: FROM_SOURCE, folder: 'apache2' },
  FreeBSD: { tree: FREEBSD, folder: 'apache22' },
  'a farm of sites': { tree: FARM, folder: 'apache' },
  'Red Hat 5': { tree: RHEL5, folder: 'httpd' },
};
