/** Realistic files: configuration of 2.2, with old lines everywhere. */

/**
 * A virtual host of 14 lines with one old section of three lines. Nothing in it asks httpd for a
 * directory, so that `apache2 -t` only reads, too.
 */
function oldHost(i: number): string[] {
  return [
    '<VirtualHost *:80>',
    `    ServerName host${i}.example.org`,
    `    ServerAlias www.host${i}.example.org`,
    `    ServerAdmin webmaster@host${i}.example.org`,
    `    Alias /static${i} /srv/static`,
    `    <Directory /srv/www/host${i}>`,
    '        Options Indexes FollowSymLinks',
    '        Order deny,allow',
    '        Deny from all',
    `        Allow from 192.0.2.${i % 256}`,
    '    </Directory>',
    '    ErrorDocument 404 /404.html',
    '</VirtualHost>',
    '',
  ];
}

/** A file of so many lines: virtual hosts with one old section each. */
export function oldText(lines: number): string {
  const rows: string[] = [];
  for (let i = 0; rows.length + 14 <= lines; i++) rows.push(...oldHost(i));
  while (rows.length < lines) rows.push('');
  return `${rows.join('\n')}\n`;
}

/** A virtual host with a section, a login for a URL, and rewriting. */
function loginHost(i: number, age: 'old' | 'clean'): string[] {
  const isOld = age === 'old';
  return [
    '<VirtualHost *:80>',
    `    ServerName site${i}.example.net`,
    `    <Directory /srv/www/site${i}>`,
    '        AllowOverride None',
    ...(isOld ? ['        Order allow,deny', '        Allow from all'] : ['        Require all granted']),
    '    </Directory>',
    `    <Location /admin${i}>`,
    '        AuthType Basic',
    `        AuthName "Area ${i}"`,
    `        AuthUserFile /etc/apache2/users${i}`,
    '        Require valid-user',
    ...(isOld
      ? [
          '        Order deny,allow',
          '        Deny from all',
          `        Allow from 10.0.${i % 256}.0/24`,
          '        Satisfy any',
        ]
      : [`        Require ip 10.0.${i % 256}.0/24`]),
    '    </Location>',
    '    RewriteEngine On',
    `    RewriteCond %{HTTP_HOST} ^site${i}\\.example\\.net$ [NC]`,
    `    RewriteRule ^/old${i}/(.*)$ /new/$1 [R=301,L]`,
    '</VirtualHost>',
    '',
  ];
}

/** A file of so many lines: virtual hosts with logins. */
export function loginText(lines: number, age: 'old' | 'clean'): string {
  const rows: string[] = [];
  for (let i = 0; rows.length + 24 <= lines; i++) rows.push(...loginHost(i, age));
  while (rows.length < lines) rows.push('');
  return `${rows.join('\n')}\n`;
}

/** The main file of a hosting server of 2.2. */
function oldMain(root: string): string {
  return [
    `ServerRoot "${root}"`,
    'Listen 80',
    'User apache',
    'Group apache',
    'ServerName localhost',
    'NameVirtualHost *:80',
    'LoadModule authz_host_module modules/mod_authz_host.so',
    'LoadModule alias_module modules/mod_alias.so',
    'LoadModule dir_module modules/mod_dir.so',
    'LoadModule log_config_module modules/mod_log_config.so',
    'LoadModule rewrite_module modules/mod_rewrite.so',
    'LoadModule auth_basic_module modules/mod_auth_basic.so',
    'LoadModule authn_file_module modules/mod_authn_file.so',
    'LoadModule authz_user_module modules/mod_authz_user.so',
    '<IfModule prefork.c>',
    '    MaxClients 256',
    '</IfModule>',
    'DefaultType text/plain',
    'LogFormat "%h" combined',
    '<Directory />',
    '    Options FollowSymLinks',
    '    AllowOverride None',
    '    Order deny,allow',
    '    Deny from all',
    '</Directory>',
    '<Files ~ "^\\.ht">',
    '    Order allow,deny',
    '    Deny from all',
    '    Satisfy All',
    '</Files>',
    'Include sites/*.conf',
    '',
  ].join('\n');
}

function oldSite(root: string, i: number): string {
  return [
    '<VirtualHost *:80>',
    `    ServerName site${i}.example.org`,
    `    DocumentRoot "${root}/www/site${i}"`,
    `    ErrorLog logs/site${i}.error.log`,
    `    CustomLog logs/site${i}.access.log combined`,
    `    <Directory "${root}/www/site${i}">`,
    '        Options Indexes FollowSymLinks',
    '        AllowOverride All',
    '        Order allow,deny',
    '        Allow from all',
    '    </Directory>',
    `    <Directory "${root}/www/site${i}/private">`,
    '        Order deny,allow',
    '        Deny from all',
    `        Allow from 192.0.2.${i % 256}`,
    '    </Directory>',
    '</VirtualHost>',
    '',
  ].join('\n');
}

/** What people put into .htaccess files, of some kinds. */
function oldHtaccess(i: number): string {
  const kinds = [
    ['RewriteEngine On', 'RewriteCond %{REQUEST_FILENAME} !-f', 'RewriteRule . /index.php [L]'],
    ['Order allow,deny', 'Allow from all', 'Deny from 192.0.2.77'],
    ['AuthType Basic', 'AuthName "Members"', 'AuthUserFile /etc/httpd/users', 'Require valid-user'],
    ['<Files wp-config.php>', '    Order allow,deny', '    Deny from all', '</Files>', 'Options -Indexes'],
  ];
  return `${kinds[i % kinds.length].join('\n')}\n`;
}

/**
 * A hosting server with so many files below `root`, by their paths: one main file, half sites, half
 * .htaccess files.
 */
export function oldServer(root: string, files: number): Map<string, string> {
  const tree = new Map([[`${root}/conf/httpd.conf`, oldMain(root)]]);
  for (let i = 0; tree.size < files; i++) {
    tree.set(`${root}/sites/${String(i).padStart(5, '0')}.conf`, oldSite(root, i));
    if (tree.size < files) tree.set(`${root}/www/site${i}/.htaccess`, oldHtaccess(i));
  }
  return tree;
}
