import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { isCopyName, isHttpdPath, looksLikeHttpd } from '../../server/src/directives/recognize';
import { describeOver } from '../support/lacks';
import { corpusFolder } from '../support/paths';
import { PATHS } from './paths';

describe('recognize: by path', () => {
  for (const [verdict, paths] of Object.entries(PATHS)) {
    for (const file of paths) it(`${file} -> ${verdict}`, () => assert.equal(String(isHttpdPath(file)), verdict));
  }
});

describe('recognize: copies by name', () => {
  for (const name of [
    'httpd.conf.01-Feb-09',
    'ssl.conf.old.3',
    'a.conf_backup',
    'site-2011_12_31',
    'a.conf.5May11_2',
    'conf/httpd-std.conf',
    'httpd.conf.build',
    'httpd.conf__',
  ])
    it(`${name} is a copy`, () => assert.equal(isCopyName(name), true));
  for (const name of [
    'httpd.conf',
    '10-example.conf',
    'shop2.test',
    'a-1.2.conf',
    'httpd.conf.prod',
    'site.com.mar',
    'a.build',
    'a-std.conf',
  ])
    it(`${name} is none`, () => assert.equal(isCopyName(name), false));
});

describe('recognize: by content', () => {
  const httpd: Record<string, string> = {
    'a virtual host': '<VirtualHost *:80>\n  ServerName example.org\n</VirtualHost>\n',
    'CRLF and indentation': '\t<Directory "/srv/www">\r\n\tAllowOverride None\r\n\t</Directory>\r\n',
    'two lines of access control': 'Order deny,allow\nDeny from all\n',
    'odd case': 'oRDER Allow,Deny\naLLOW FROM all\n',
    'one Require': 'Require all denied\n',
    'a module': 'LoadModule ssl_module modules/mod_ssl.so\n',
    mod_rpaf:
      'LoadModule rpaf_module modules/mod_rpaf-2.0.so\nRPAFenable On\nRPAFproxy_ips 10.0.0.1\nRPAFheader X-Real-IP\n',
    rewriting: '# pretty addresses\nRewriteEngine on\nRewriteRule ^ index.php [L]\n',
    expires: '<IfModule mod_expires.c>\n  ExpiresActive on\n  ExpiresDefault "access plus 1 year"\n</IfModule>\n',
    'PHP settings': 'php_value upload_max_filesize 10M\n',
    mod_security: 'SecRuleEngine On\nSecRule ARGS "@rx select" \\\n  "id:1,\\\n  phase:2;"\n',
    'a continued list': 'AddType application/x-a .a \\\n .b = \\\n .c;\n',
    'a template':
      '@@LoadModule@@\nServerRoot "@@ServerRoot@@"\nListen @@Port@@\nUser www\n{{ more }}\nDocumentRoot "{{ root }}"\n',
    'ordinary words only': 'ServerRoot /srv\nListen 80\nUser www\nGroup www\nPidFile run/pid\n',
  };
  for (const [title, text] of Object.entries(httpd))
    it(`httpd: ${title}`, () => assert.equal(looksLikeHttpd(text), true));

  const foreign: Record<string, string> = {
    empty: '',
    'comments only': '# <VirtualHost *:80>\n# Order allow,deny \\\nRequire all granted\n',
    nginx:
      'server {\n  listen 80;\n  server_name example.org;\n  location / {\n    root /srv;\n    deny all;\n  }\n}\n',
    'nginx upstream': 'upstream app {\n  server unix:/run/app.sock;\n}\ninclude mime.types;\n',
    'php-fpm': '[www]\nuser = www-data\ngroup = www-data\nlisten = 9000\nphp_admin_value[memory_limit] = 32M\n',
    systemd: '[Service]\nUser=www\nGroup=www\nTimeoutStopSec=5\n',
    supervisord: '[supervisord]\nnodaemon=true\nuser=root\n\n[program:apache2]\ncommand=apache2 -DFOREGROUND\n',
    fontconfig:
      '<?xml version="1.0"?>\n<!DOCTYPE fontconfig SYSTEM "fonts.dtd">\n<fontconfig>\n<dir>/usr/share/fonts</dir>\n</fontconfig>\n',
    'fontconfig without a prologue':
      '<match target="pattern">\n<edit name="family"><string>Serif</string></edit>\n</match>\n',
    lighttpd:
      'server.modules = ( "mod_access" )\nserver.document-root = "/srv"\n$HTTP["host"] == "a" {\n  url.redirect = ()\n}\n',
    cups: 'LogLevel warn\nListen localhost:631\nWebInterface Yes\n<Location />\n  Order allow,deny\n  Allow @LOCAL\n</Location>\n',
    proftpd:
      'ServerName "ftp"\nDefaultRoot ~\nUser ftp\nGroup ftp\n<Directory /*>\n  AllowOverwrite on\n</Directory>\n<Limit LOGIN>\n  DenyAll\n</Limit>\n',
    collectd:
      'LoadPlugin apache\n<Plugin apache>\n  <Instance "local">\n    URL "http://localhost/status?auto"\n  </Instance>\n</Plugin>\n',
    tinyproxy:
      'User tiny\nGroup tiny\nPort 8888\nTimeout 600\nLogLevel Info\nMaxClients 100\nAllow 127.0.0.1\nAllow ::1\n',
    asound: 'pcm.!default {\n  type hw\n  card 0\n}\n',
    dhcpd: 'subnet 10.0.0.0 netmask 255.255.255.0 {\n  range 10.0.0.9 10.0.0.99;\n  allow booting;\n}\n',
    dnsmasq: 'port=53\nuser=dnsmasq\nno-resolv\n',
    sshd: 'Include /etc/ssh/sshd_config.d/*.conf\nPort 22\nPermitRootLogin no\nMatch User git\n  AllowUsers git\n',
    haproxy: 'global\n  daemon\n  user haproxy\n  group haproxy\ndefaults\n  timeout client 5s\n  option httplog\n',
    squid: 'acl local src 10.0.0.0/8\nhttp_access allow local\nhttp_access deny all\nhttp_port 3128\n',
    logrotate: '/var/log/apache2/*.log {\n  daily\n  postrotate\n    invoke-rc.d apache2 reload\n  endscript\n}\n',
    prose:
      'Order the parts from the list below.\nAllow some time for delivery, and require a receipt.\nOptions are listed there.\n',
    modprobe: 'alias eth0 e1000\noptions dummy numdummies=0\n',
    log4j: 'log4j.rootLogger=INFO, A1\nlog4j.appender.A1=org.apache.log4j.ConsoleAppender\n',
  };
  for (const [title, text] of Object.entries(foreign))
    it(`not httpd: ${title}`, () => assert.equal(looksLikeHttpd(text), false));

  it('looks at the first 16 KB only', () => {
    const late = '#\n'.repeat(9000) + 'Require all granted\n';
    assert.equal(looksLikeHttpd(late), false);
  });
});

describeOver('corpus', 'recognize: real configurations', () => {
  it('finds nearly all of them', () => {
    const rows = readFileSync(path.join(corpusFolder, 'MANIFEST.tsv'), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => row.split('\t'));
    const missed = rows.filter(([local, , , original]) => {
      const file = path.join(corpusFolder, local);
      return !(isHttpdPath(original) ?? (existsSync(file) && looksLikeHttpd(readFileSync(file, 'latin1'))));
    });
    assert.ok(
      missed.length < rows.length / 50,
      `${missed.length} of ${rows.length} missed:\n${missed.map((row) => row[0]).join('\n')}`,
    );
  });
});

describe('recognize: other programs on this machine', () => {
  it('claims none of them', () => {
    // What Debian-like and most other systems have there never belongs to httpd; a folder that is
    // missing has no files.
    const foreign = [
      '/etc/fonts/conf.d',
      '/etc/fonts/conf.avail',
      '/usr/share/alsa',
      '/usr/lib/sysctl.d',
      '/usr/lib/tmpfiles.d',
      '/etc/ld.so.conf.d',
      '/etc/security',
    ];
    const claimed = foreign
      .flatMap(confFiles)
      .filter((file) => isHttpdPath(file) ?? looksLikeHttpd(readFileSync(file, 'latin1')));
    assert.deepEqual(claimed, []);
  });
});

function confFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.conf'))
    .map((entry) => path.join(entry.parentPath, entry.name));
}
