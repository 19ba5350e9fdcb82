/**
 * Snippets: whole sections and groups of lines with placeholders. They are offered like names of
 * directives, where their lines are allowed, and never among the values of a directive, where
 * editors show snippets of files.
 */

export interface Snippet {
  /** The label that the user types. */
  readonly label: string;
  readonly description: string;
  /**
   * The directives of its outermost lines, in lower case, a section's with `<`: all of them must be
   * allowed in the place.
   */
  readonly needs: readonly string[];
  /** In the syntax of LSP's snippets, a tab for each level of indentation. */
  readonly body: readonly string[];
}

export const SNIPPETS: readonly Snippet[] = [
  {
    label: 'vhost',
    description: 'A virtual host for HTTP, open to everyone (httpd 2.4)',
    needs: ['<virtualhost'],
    body: [
      '<VirtualHost *:${1:80}>',
      '\tServerName ${2:www.example.org}',
      '\tDocumentRoot "${3:/srv/www/html}"',
      '\tErrorLog "${4:logs/error_log}"',
      '\tCustomLog "${5:logs/access_log}" combined',
      '',
      '\t<Directory "$3">',
      '\t\tAllowOverride None',
      '\t\tRequire all granted',
      '\t</Directory>$0',
      '</VirtualHost>',
    ],
  },
  {
    label: 'vhost-tls',
    description: 'A virtual host for HTTPS (httpd 2.4)',
    needs: ['<virtualhost', 'sslengine'],
    body: [
      '<VirtualHost *:443>',
      '\tServerName ${1:www.example.org}',
      '\tDocumentRoot "${2:/srv/www/html}"',
      '',
      '\tSSLEngine On',
      '\tSSLCertificateFile "${3:/etc/ssl/certs/$1.pem}"',
      '\tSSLCertificateKeyFile "${4:/etc/ssl/private/$1.key}"',
      '\tSSLProtocol -all +TLSv1.2 +TLSv1.3$0',
      '</VirtualHost>',
    ],
  },
  {
    label: 'directory',
    description: 'A directory and who may read it (httpd 2.4)',
    needs: ['<directory'],
    body: [
      '<Directory "${1:/srv/www/html}">',
      '\tOptions ${2:None}',
      '\tAllowOverride ${3:None}',
      '\tRequire ${4|all granted,all denied,local,ip 10.0.0.0/8,valid-user|}$0',
      '</Directory>',
    ],
  },
  {
    label: 'location-ip',
    description: 'A location for this machine and a network (httpd 2.4)',
    needs: ['<location'],
    body: ['<Location "${1:/server-status}">', '\tRequire local', '\tRequire ip ${2:10.0.0.0/8}$0', '</Location>'],
  },
  {
    label: 'require-not',
    description: 'Access for everyone except some addresses (httpd 2.4)',
    needs: ['<requireall'],
    body: ['<RequireAll>', '\tRequire all granted', '\tRequire not ip ${1:192.0.2.0/24}$0', '</RequireAll>'],
  },
  {
    label: 'auth-basic',
    description: 'Basic authentication with a password file (httpd 2.4)',
    needs: ['authbasicprovider'],
    body: [
      'AuthType Basic',
      'AuthName "${1:Members}"',
      'AuthBasicProvider file',
      'AuthUserFile "${2:/etc/httpd/passwords}"',
      'Require ${3|valid-user,user ann,group members|}$0',
    ],
  },
  {
    label: 'files-deny',
    description: 'No access to files that match a regular expression (httpd 2.4)',
    needs: ['<filesmatch'],
    body: ['<FilesMatch "${1:^\\\\.ht}">', '\tRequire all denied$0', '</FilesMatch>'],
  },
  {
    label: 'ifmodule',
    description: 'Lines that need a module',
    needs: ['<ifmodule'],
    body: ['<IfModule ${1:rewrite}_module>', '\t$0', '</IfModule>'],
  },
  {
    label: 'ifversion',
    description: 'Lines for one version of httpd (needs mod_version)',
    needs: ['<ifversion'],
    body: ['<IfVersion ${1|>=,<,~|} ${2:2.4}>', '\t$0', '</IfVersion>'],
  },
  {
    label: 'loadmodule',
    description: 'A module, loaded only if it is not there yet',
    needs: ['loadmodule'],
    body: ['<IfModule !${1:rewrite}_module>', '\tLoadModule $1_module ${2:modules}/mod_$1.so', '</IfModule>$0'],
  },
  {
    label: 'redirect-https',
    description: 'A virtual host that sends everyone to HTTPS',
    needs: ['<virtualhost'],
    body: [
      '<VirtualHost *:80>',
      '\tServerName ${1:www.example.org}',
      '\tRedirect permanent "/" "https://$1/"$0',
      '</VirtualHost>',
    ],
  },
  {
    label: 'rewrite-front',
    description: 'Everything that is no file goes to one script, without mod_rewrite',
    needs: ['fallbackresource'],
    body: ['FallbackResource ${1:/index.php}$0'],
  },
  {
    label: 'rewrite',
    description: 'A condition and a rule',
    needs: ['rewritecond'],
    body: [
      'RewriteEngine On',
      'RewriteCond %{${1:HTTP_HOST}} "${2:^www\\\\.}" [NC]',
      'RewriteRule "${3:^}" "${4:-}" [${5:L}]$0',
    ],
  },
  {
    label: 'proxy',
    description: 'A path that another server answers',
    needs: ['proxypass'],
    body: ['ProxyPass "${1:/app/}" "${2:http://127.0.0.1:8080/}"', 'ProxyPassReverse "$1" "$2"$0'],
  },
];
