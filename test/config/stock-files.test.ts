/** Lines of the packages' files, and lines of users. */
import assert from 'node:assert/strict';
import { stockFileTasks } from '../../server/src/analysis/stock-layout';
import { changesOfUser } from '../../server/src/config/stock-changes';
import { hashedLines, stockDifference, stockPaths } from '../../server/src/config/stock-files';
import { Tree } from '../../server/src/syntax/document';

/** The directives of ports.conf in Debian 6 and 7, without its comments. */
const PORTS = `NameVirtualHost *:80
Listen 80
<IfModule mod_ssl.c>
    Listen 443
</IfModule>
<IfModule mod_gnutls.c>
    Listen 443
</IfModule>
`;

const THREADS = `MinSpareThreads 25
MaxSpareThreads 75
ThreadLimit 64
ThreadsPerChild 25
MaxClients 150
MaxRequestsPerChild 0
`;

/** The directives of apache2.conf in Debian 7. */
const DEBIAN7_MAIN = `LockFile \${APACHE_LOCK_DIR}/accept.lock
PidFile \${APACHE_PID_FILE}
Timeout 300
KeepAlive On
MaxKeepAliveRequests 100
KeepAliveTimeout 5
<IfModule mpm_prefork_module>
StartServers 5
MinSpareServers 5
MaxSpareServers 10
MaxClients 150
MaxRequestsPerChild 0
</IfModule>
<IfModule mpm_worker_module>
StartServers 2
${THREADS}</IfModule>
<IfModule mpm_event_module>
StartServers 2
${THREADS}</IfModule>
User \${APACHE_RUN_USER}
Group \${APACHE_RUN_GROUP}
AccessFileName .htaccess
<Files ~ "^\\.ht">
Order allow,deny
Deny from all
Satisfy all
</Files>
DefaultType None
HostnameLookups Off
ErrorLog \${APACHE_LOG_DIR}/error.log
LogLevel warn
Include mods-enabled/*.load
Include mods-enabled/*.conf
Include ports.conf
LogFormat "%v:%p %h %l %u %t \\"%r\\" %>s %O \\"%{Referer}i\\" \\"%{User-Agent}i\\"" vhost_combined
LogFormat "%h %l %u %t \\"%r\\" %>s %O \\"%{Referer}i\\" \\"%{User-Agent}i\\"" combined
LogFormat "%h %l %u %t \\"%r\\" %>s %O" common
LogFormat "%{Referer}i -> %U" referer
LogFormat "%{User-agent}i" agent
Include conf.d/
Include sites-enabled/
`;

/** The directives of apache2.conf in Debian 12, without its LogFormat lines. */
const DEBIAN12_MAIN = `DefaultRuntimeDir \${APACHE_RUN_DIR}
PidFile \${APACHE_PID_FILE}
Timeout 300
KeepAlive On
MaxKeepAliveRequests 100
KeepAliveTimeout 5
User \${APACHE_RUN_USER}
Group \${APACHE_RUN_GROUP}
HostnameLookups Off
ErrorLog \${APACHE_LOG_DIR}/error.log
LogLevel warn
IncludeOptional mods-enabled/*.load
IncludeOptional mods-enabled/*.conf
Include ports.conf
<Directory />
Options FollowSymLinks
AllowOverride None
Require all denied
</Directory>
<Directory /usr/share>
AllowOverride None
Require all granted
</Directory>
<Directory /var/www/>
Options Indexes FollowSymLinks
AllowOverride None
Require all granted
</Directory>
AccessFileName .htaccess
<FilesMatch "^\\.ht">
Require all denied
</FilesMatch>
IncludeOptional conf-enabled/*.conf
IncludeOptional sites-enabled/*.conf
`;

/** The directives of sites-available/default-ssl in Debian 5. */
const SITE = `<IfModule mod_ssl.c>
<VirtualHost _default_:443>
  ServerAdmin webmaster@localhost
  DocumentRoot /var/www
  <Directory />
    Options FollowSymLinks
    AllowOverride None
  </Directory>
  <Directory /var/www/>
    Options Indexes FollowSymLinks MultiViews
    AllowOverride None
    Order allow,deny
    allow from all
  </Directory>
  ScriptAlias /cgi-bin/ /usr/lib/cgi-bin/
  <Directory "/usr/lib/cgi-bin">
    AllowOverride None
    Options +ExecCGI -MultiViews +SymLinksIfOwnerMatch
    Order allow,deny
    Allow from all
  </Directory>
  ErrorLog /var/log/apache2/error.log
  LogLevel warn
  CustomLog /var/log/apache2/ssl_access.log combined
  Alias /doc/ "/usr/share/doc/"
  <Directory "/usr/share/doc/">
    Options Indexes MultiViews FollowSymLinks
    AllowOverride None
    Order deny,allow
    Deny from all
    Allow from 127.0.0.0/255.0.0.0 ::1/128
  </Directory>
  SSLEngine on
  SSLCertificateFile    /etc/ssl/certs/ssl-cert-snakeoil.pem
  SSLCertificateKeyFile /etc/ssl/private/ssl-cert-snakeoil.key
  <FilesMatch "\\.(cgi|shtml|phtml|php)$">
    SSLOptions +StdEnvVars
  </FilesMatch>
  <Directory /usr/lib/cgi-bin>
    SSLOptions +StdEnvVars
  </Directory>
  BrowserMatch "MSIE [2-6]" \\
    nokeepalive ssl-unclean-shutdown \\
    downgrade-1.0 force-response-1.0
  BrowserMatch "MSIE [17-9]" ssl-unclean-shutdown
</VirtualHost>
</IfModule>
`;

/** The directives of mods-available/userdir.conf in Debian 5. */
const USERDIR = `<IfModule mod_userdir.c>
UserDir public_html
UserDir disabled root
<Directory /home/*/public_html>
AllowOverride FileInfo AuthConfig Limit Indexes
Options MultiViews Indexes SymLinksIfOwnerMatch IncludesNoExec
<Limit GET POST OPTIONS>
Order allow,deny
Allow from all
</Limit>
<LimitExcept GET POST OPTIONS>
Order deny,allow
Deny from all
</LimitExcept>
</Directory>
</IfModule>
`;

describe('stock files', () => {
  const differenceOf = (text: string, path = 'ports.conf') => {
    const tree = Tree.parse(text);
    const found = stockDifference(tree, path, 'debian');
    return found && { ...found, added: found.addedOffsets.map((offset) => tree.positionAt(offset).line + 1) };
  };

  it('says to leave an unchanged file out, but not if 2.2 reads the files, too', () => {
    const files = [{ tree: Tree.parse(PORTS), placeOf: () => ({ file: 'apache2/ports.conf', line: 0 }) }];
    const ids = (isForBoth: boolean) => stockFileTasks(files, 'debian', isForBoth).map(({ id }) => id);
    assert.deepEqual([ids(false), ids(true)], [['stock-files'], []]);
  });

  it('names all unchanged files, but no site: its link would lead nowhere', () => {
    const file = (path: string, text: string) => ({
      tree: Tree.parse(text),
      placeOf: () => ({ file: `apache2/${path}`, line: 0 }),
    });
    assert.ok(stockDifference(Tree.parse(SITE), 'sites-available/default-ssl', 'debian')!.addedOffsets.length === 0);
    const sites = ['sites-enabled/default-ssl', 'sites-available/default-ssl'].map((path) => file(path, SITE));
    const [task, ...more] = stockFileTasks([file('ports.conf', PORTS), ...sites], 'debian');
    assert.deepEqual(more, []);
    assert.match(task!.what, /^Do not carry over ports\.conf: it is .* Its fixes are not needed then\.$/);
    const many = Array.from({ length: 12 }, () => file('ports.conf', PORTS));
    assert.equal(stockFileTasks(many, 'debian')[0]!.what.split('ports.conf').length, 13);
    assert.deepEqual(stockFileTasks(sites, 'debian'), []);
  });

  it('leaves files of conf.d out only if the new main file replaces the old one', () => {
    const security = Tree.parse('ServerTokens OS\nServerSignature On\nTraceEnable Off\n');
    assert.deepEqual(stockDifference(security, 'conf.d/security', 'debian')!.addedOffsets, []);
    const file = (path: string, tree: Tree) => ({ tree, placeOf: () => ({ file: `apache2/${path}`, line: 0 }) });
    const files = [file('conf.d/security', security), file('ports.conf', Tree.parse(PORTS))];
    const leftOut = (...main: Tree[]) =>
      /^Do not carry over (.*?): /.exec(
        stockFileTasks([...main.map((tree) => file('apache2.conf', tree)), ...files], 'debian').find(
          ({ id }) => id === 'stock-files',
        )!.what,
      )?.[1];
    // A main file that the user keeps reads conf.d, and not conf-enabled of the 2.4 package.
    assert.equal(leftOut(), 'ports.conf');
    assert.equal(leftOut(Tree.parse('Include conf.d/\nInclude ports.conf\n')), 'ports.conf');
    const stockMain = Tree.parse(DEBIAN7_MAIN);
    assert.equal(leftOut(stockMain), 'conf.d/security and ports.conf');
    assert.equal(leftOut(Tree.parse(DEBIAN7_MAIN.replace('Timeout 300', 'Timeout 60'))), 'ports.conf');
  });

  it('an unchanged file, whatever its comments, spaces, quotes and letter case of names', () => {
    for (const text of [
      PORTS,
      `# Mine.\n${PORTS}`,
      PORTS.replace('Listen 80', '  listen   "80"'),
      PORTS.replace(/\n/g, '\r\n'),
    ]) {
      const found = differenceOf(text)!;
      assert.deepEqual([found.added, found.removedDirectives, found.hasSameText], [[], [], false], text);
      assert.match(found.release, /^Debian/);
    }
  });

  it('a changed line, an added section, a removed line', () => {
    assert.deepEqual(differenceOf(PORTS.replace('Listen 80', 'Listen 8080'))!.added, [2]);
    assert.deepEqual(differenceOf(PORTS.replace('Listen 80', 'Listen 8080'))!.removedDirectives, ['Listen']);
    // Of a section that is not in the stock file, the opening tag counts for all.
    assert.deepEqual(differenceOf(`${PORTS}<IfModule x.c>\nListen 1\nListen 2\n</IfModule>\n`)!.added, [9]);
    assert.deepEqual(differenceOf(PORTS.replace('NameVirtualHost *:80\n', ''))!.removedDirectives, ['NameVirtualHost']);
  });

  it('an unchanged file after the fixes of this program', () => {
    const userLinesOf = (text: string, path: string) => {
      const tree = Tree.parse(text);
      const { addedLines, removedNames } = changesOfUser(tree, stockDifference(tree, path, 'debian')!);
      return [...addedLines.map(({ line }) => line.text.trim()), ...removedNames];
    };
    const fixed = USERDIR.replace(/<Limit [^]*<\/LimitExcept>\n/, 'Require method GET OPTIONS POST\n');
    for (const text of [USERDIR, fixed]) assert.deepEqual(userLinesOf(text, 'mods-available/userdir.conf'), []);
    assert.deepEqual(userLinesOf(fixed.replace('root', 'root bob'), 'mods-available/userdir.conf'), [
      'UserDir disabled root bob',
    ]);
    const diskCache = (module: string) =>
      `<IfModule ${module}>\nCacheRoot /var/cache/apache2/mod_disk_cache\nCacheDirLevels 5\nCacheDirLength 3\n</IfModule>\n`;
    for (const module of ['mod_disk_cache.c', 'mod_cache_disk.c'])
      assert.deepEqual(userLinesOf(diskCache(module), 'mods-available/disk_cache.conf'), [], module);
  });

  it('the same line in another section is another line', () => {
    const [one, , inside] = hashedLines(Tree.parse('Listen 443\n<IfModule mod_ssl.c>\nListen 443\n</IfModule>\n'));
    assert.notEqual(one!.hash, inside!.hash);
  });

  it('null for a file that was not made from one, and for other paths', () => {
    assert.equal(differenceOf('Listen 8080\nTimeout 10\n'), null);
    assert.equal(differenceOf(PORTS, 'my-ports.conf'), null);
    assert.equal(stockDifference(Tree.parse(PORTS), 'ports.conf', 'rhel'), null);
    assert.equal(stockDifference(Tree.parse(PORTS), 'ports.conf', 'windows'), null);
  });

  it('the main file of a package of 2.4, also with many lines of the user', () => {
    const releaseOf = (text: string) => {
      const found = differenceOf(text, 'apache2.conf');
      return [found?.release, found?.isFor24];
    };
    assert.deepEqual(differenceOf(DEBIAN12_MAIN, 'apache2.conf')!.added, []);
    assert.deepEqual(releaseOf(DEBIAN12_MAIN), ['Debian 11', true]);
    const debian8 = DEBIAN12_MAIN.replace(
      'DefaultRuntimeDir ${APACHE_RUN_DIR}',
      'Mutex file:${APACHE_LOCK_DIR} default',
    );
    assert.deepEqual(releaseOf(debian8), ['Debian 8', true]);
    // The user pastes the sections for the MPMs, and other lines, of the old main file.
    const oldLines = DEBIAN7_MAIN.slice(DEBIAN7_MAIN.indexOf('<IfModule'), DEBIAN7_MAIN.indexOf('Include '));
    assert.deepEqual(releaseOf(DEBIAN12_MAIN + oldLines), ['Debian 11', true]);
    const withoutDirectories = DEBIAN12_MAIN.replace(/<Directory \/(usr|var)[^]*?<\/Directory>\n/g, '');
    assert.deepEqual(releaseOf(withoutDirectories + oldLines), ['Debian 11', true]);
  });

  it('a fixed main file of 2.2 is still that of 2.2, also with the lines for 2.4 that many users write', () => {
    const fixed = DEBIAN7_MAIN.replace(/Include (mods|sites|conf)/g, 'IncludeOptional $1').replace(
      'IncludeOptional conf.d/\nIncludeOptional sites-enabled/\n',
      `<Directory />
        Options FollowSymLinks
        AllowOverride None
        Require all denied
      </Directory>
      IncludeOptional conf-enabled/*.conf
      IncludeOptional sites-enabled/*.conf
      `,
    );
    assert.notEqual(fixed, DEBIAN7_MAIN);
    const found = differenceOf(fixed, 'apache2.conf')!;
    assert.deepEqual([found.release, found.isFor24], ['Debian 7', false]);
  });

  it('says what a main file of 2.4 denies, and gives no advice to keep or to replace it', () => {
    const task = (text: string, isForBoth = false) =>
      stockFileTasks(
        [{ tree: Tree.parse(text), placeOf: () => ({ file: 'apache2/apache2.conf', line: 0 }) }],
        'debian',
        isForBoth,
      ).map(({ id, title, what, isNote }) => ({ id, title, what, isNote }));
    const [note, ...more] = task(`${DEBIAN12_MAIN}ServerName www.example.org\n`);
    assert.deepEqual(more, []);
    assert.deepEqual([note!.id, note!.title, note!.isNote], ['main-file', 'Main file of 2.4', true]);
    assert.match(note!.what, /^Your apache2\.conf is that of the 2\.4 package, with 1 changed line\. /);
    assert.doesNotMatch(note!.what, /local\.conf|Debian 7|DefaultRuntimeDir/);
    assert.deepEqual(task(DEBIAN12_MAIN, true), []);
  });

  it('main files of both distributions are known', () => {
    assert.ok(stockPaths('debian').has('apache2.conf'));
    assert.ok(stockPaths('rhel').has('conf/httpd.conf'));
  });
});
