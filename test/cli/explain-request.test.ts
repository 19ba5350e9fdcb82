/** `explain --request`: what the servers answer to one request, as text and as JSON. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from './run';

const SHOP = `ServerRoot "@ROOT@"
Listen 80
<Directory />
  AllowOverride None
  Order deny,allow
  Deny from all
</Directory>
NameVirtualHost *:80
<VirtualHost *:80>
  ServerName shop.example.org
  DocumentRoot "@ROOT@/www"
  <Directory "@ROOT@/www">
    Order allow,deny
    Allow from all
  </Directory>
  <Directory "@ROOT@/www/admin">
    AuthType Basic
    AuthName admin
    AuthUserFile "@ROOT@/conf/users"
    Require valid-user
    Satisfy Any
  </Directory>
</VirtualHost>
`;

describe('explain --request', () => {
  let root: string;
  before(() => {
    root = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'httpd-upgrade-request-'));
    for (const folder of ['conf', 'www/admin']) mkdirSync(path.join(root, folder), { recursive: true });
    writeFileSync(path.join(root, 'conf/httpd.conf'), SHOP.replaceAll('@ROOT@', root));
    writeFileSync(path.join(root, 'www/admin/x.php'), '');
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  const explain = (...words: string[]) => run(['explain', ...words], { cwd: root });
  const ADMIN = ['--request', 'GET http://shop.example.org/admin/x.php', '--from', '203.0.113.9'];

  it('says that Satisfy Any opens what Deny denies in 2.4, where no Require applies', async () => {
    const lines = '<Location /any>\nOrder allow,deny\nDeny from all\nSatisfy Any\n</Location>\n';
    writeFileSync(path.join(root, 'any.conf'), `ServerRoot ${root}\nListen 80\nDocumentRoot ${root}/www\n${lines}`);
    const { out } = await explain('--request', '/any', 'any.conf');
    rmSync(path.join(root, 'any.conf'));
    const text = out.replace(/\s+/g, ' ');
    assert.match(text, /httpd 2\.2: denied \(403\) Deny matches the client\. any\.conf:6 /);
    assert.match(
      text,
      /allowed Deny matches the client, but Satisfy Any applies and no Require does: so 2\.4 allows the request\. any\.conf:6 Deny from all any\.conf:7 Satisfy Any /,
    );
  });

  it('does not answer from a .htaccess file alone', async () => {
    writeFileSync(path.join(root, 'www/.htaccess'), '<FilesMatch "^\\.(?!x)">\nOrder allow,deny\n</FilesMatch>\n');
    const { out, err, code } = await explain('--request', 'GET /.htaccess', 'www/.htaccess');
    rmSync(path.join(root, 'www/.htaccess'));
    assert.deepEqual([out, code], ['', 2]);
    assert.match(
      err,
      /www\/\.htaccess: what a \.htaccess file does depends on the main configuration file: give that file/,
    );
  });

  it('lists a converted section once, at its old line, although the lines above it changed', async () => {
    const lines = [
      `ServerRoot ${root}\nListen 80`,
      `DocumentRoot ${root}/www`,
      `<Directory ${root}/www>`,
      'AllowOverride None',
      'Order deny,allow',
      'Deny from all',
      'Allow from 192.0.2.0/24',
      '<FilesMatch "csv$">',
      'Order allow,deny',
      'Allow from 192.0.2.0/25',
      '</FilesMatch>',
      '</Directory>',
      '<LocationMatch "^/a">',
      'Order deny,allow',
      'Deny from 192.0.2.192/26',
      '</LocationMatch>',
      '',
    ];
    mkdirSync(path.join(root, 'moved/conf'), { recursive: true });
    writeFileSync(path.join(root, 'moved/conf/httpd.conf'), lines.join('\n'));
    writeFileSync(path.join(root, 'www/admin/x.csv'), '');
    const { out } = await explain(
      '--request',
      'GET http://x/admin/x.csv',
      '--from',
      '192.0.2.200',
      'moved/conf/httpd.conf',
    );
    assert.deepEqual(
      [...out.matchAll(/^ {2}moved\/conf\/httpd\.conf(:\d+)? {2}(<\w+|Require)/gm)].map(([, line, name]) => [
        line,
        name,
      ]),
      [
        [undefined, 'Require'],
        [':4', '<Directory'],
        [':9', '<FilesMatch'],
        [':14', '<LocationMatch'],
      ],
      out,
    );
  });

  it('answers for three servers, as JSON', async () => {
    const { code, out } = await explain(...ADMIN, '--format', 'json', 'conf/httpd.conf');
    assert.equal(code, 0);
    const { version, virtualHost, target, sections, decisions, unknown } = JSON.parse(out);
    assert.equal(version, 1);
    assert.equal(virtualHost['2.2'].name, 'shop.example.org');
    assert.deepEqual(virtualHost['2.4'], { ...virtualHost['2.4'], file: 'conf/httpd.conf', line: 8 });
    assert.deepEqual(target, {
      kind: 'file',
      path: path.join(root, 'www/admin/x.php'),
      file: 'conf/httpd.conf',
      line: 10,
    });
    assert.deepEqual(
      sections.map(({ line, applies }: { line: number; applies: boolean }) => [line, applies]),
      [
        [2, true],
        [11, true],
        [15, true],
      ],
    );
    assert.deepEqual(
      decisions.map(({ server, access }: { server: string; access: string }) => `${server} ${access}`),
      ['2.2 granted', '2.4-compat granted', '2.4 granted'],
    );
    assert.deepEqual(decisions[0].because.at(-1), { file: 'conf/httpd.conf', line: 20, text: 'Satisfy Any' });
    assert.deepEqual(unknown, []);
  });

  it('answers for a copy from Debian without mods-enabled, in case the missing files do not matter', async () => {
    mkdirSync(path.join(root, 'debian'));
    writeFileSync(
      path.join(root, 'debian/apache2.conf'),
      `ServerRoot "/etc/apache2"
Include mods-enabled/*.load
Include mods-enabled/*.conf
Alias /secret /usr/share/secret
<Directory /usr/share/secret>
  <IfModule mod_authn_file.c>
  AuthType Basic
  AuthName secret
  AuthUserFile /etc/apache2/users
  </IfModule>
  Require valid-user
</Directory>
<IfModule mod_info.c>
<Location /server-info>
  Order deny,allow
  Deny from all
</Location>
</IfModule>
`,
    );
    const asked = (url: string, ...words: string[]) =>
      explain(
        '--request',
        `GET http://shop.example.org${url}`,
        '--from',
        '203.0.113.9',
        ...words,
        'debian/apache2.conf',
      );
    const { out } = await asked('/secret/x.txt');
    assert.match(
      out,
      /^Parts are missing, so the answer is not certain\. If they do not matter: 2\.2 and\n2\.4 give the same answer: login needed \(401\)\.\n\nIf the missing parts do not matter$[^]*^httpd 2\.2: login needed \(401\)$[^]*:11 {2}Require valid-user$/m,
    );
    assert.match(
      out,
      /module\s+mod_authn_file:\s+`mods-enabled\/\*\.load`\s+loads\s+modules, and is not in this\s+copy/,
    );
    assert.match(out, /If the server has this module [^]*add: --modules\s+mod_authn_file$/m);
    const answer = ['--answer', 'include-unseen:*=no-access-control'];
    const known = (await asked('/secret/x.txt', '--modules', 'mod_authn_file', ...answer)).out;
    assert.doesNotMatch(known, /mod_authn_file|^ {2}`mods-enabled\/\*\.conf` is not in this copy/m);
    assert.match(known, /whether other lines, such as Alias, in `mods-enabled\/\*\.conf`\s+change the answer/);
    const info = JSON.parse((await asked('/server-info', '--format', 'json')).out);
    const accesses = (list: { access: string }[]) => list.map(({ access }) => access);
    assert.deepEqual(accesses(info.decisions), ['unknown', 'unknown', 'unknown']);
    assert.deepEqual(accesses(info.decisionsOfCopy), ['denied', 'denied', 'denied']);
    assert.equal(
      JSON.parse((await explain(...ADMIN, '--format', 'json', 'conf/httpd.conf')).out).decisionsOfCopy,
      undefined,
    );
  });

  it('names a file that not every user may read, and its directories below DocumentRoot', async () => {
    const unknown = async () =>
      JSON.parse((await explain(...ADMIN, '--format', 'json', 'conf/httpd.conf')).out).unknown.map(
        ({ what }: { what: string }) => what.replaceAll(root, ''),
      );
    chmodSync(path.join(root, 'www/admin/x.php'), 0o640);
    chmodSync(path.join(root, 'www'), 0o700);
    const found = await unknown();
    chmodSync(path.join(root, 'www/admin/x.php'), 0o644);
    chmodSync(path.join(root, 'www'), 0o755);
    assert.deepEqual(found, [
      "whether the server's user may read `/www/admin/x.php`: its mode is 0640",
      "whether the server's user may read `/www`: its mode is 0700",
    ]);
    assert.deepEqual(await unknown(), []);
  });

  it('takes options after the main file, a directory, one server, a path alone', async () => {
    const { code, out } = await explain('--request', '/admin/x.php', root, '--at', '2.4-compat', '--format=json');
    assert.equal(code, 0);
    const { decisions, virtualHost, unknown } = JSON.parse(out);
    assert.deepEqual(
      decisions.map(({ server }: { server: string }) => server),
      ['2.4-compat'],
    );
    assert.deepEqual(Object.keys(virtualHost), ['2.4']);
    assert.match(unknown[0].what, /names no host: `shop\.example\.org`/);
  });

  it('begins with the difference in the text', async () => {
    const { code, out } = await explain(...ADMIN, 'conf');
    assert.equal(code, 0);
    assert.match(
      out,
      /^GET http:\/\/shop\.example\.org\/admin\/x\.php from 203\.0\.113\.9\n2.2 and 2.4 give the same answer: allowed\.\n/,
    );
    assert.match(out, /\n {2}conf\/httpd\.conf:21 {2}Satisfy Any\n/);
    assert.match(out, /Virtual host\n {2}shop\.example\.org: it is the only virtual host/);
  });

  it('marks the lines that the conversion writes: their place is that of the old lines', async () => {
    const lines = 'Order allow,deny\nAllow from 10.1\n';
    mkdirSync(path.join(root, 'other/conf'), { recursive: true });
    writeFileSync(
      path.join(root, 'other/conf/httpd.conf'),
      `ServerRoot "${root}"\nListen 80\nDocumentRoot "${root}/www"\n<Directory "${root}/www">\nAllowOverride None\n${lines}</Directory>\n`,
    );
    const { out } = await explain('--request', 'GET http://a/x', '--from', '10.1.2.3', 'other/conf/httpd.conf');
    assert.match(out, /\n {2}other\/conf\/httpd\.conf {2}Require ip 10\.1 {2}\(new line, replaces line 6\)\n/);
    assert.equal(out.match(/new line/g)!.length, 1);
    assert.doesNotMatch(out, /405/);
    const put = await explain('--request', 'PUT http://a/x', '--from', '10.1.2.3', 'other/conf/httpd.conf');
    assert.match(put.out, /no proxy handles PUT, httpd then answers 405/);
  });

  it('does not call the sections of a macro new: only the conversion adds new ones', async () => {
    mkdirSync(path.join(root, 'macro/conf'), { recursive: true });
    writeFileSync(
      path.join(root, 'macro/conf/httpd.conf'),
      `ServerRoot "${root}"\nListen 80\nDocumentRoot "${root}/www"\n<Macro M $d>\n<Directory $d>\nOrder deny,allow\nDeny from all\n</Directory>\n</Macro>\nUse M "${root}/www"\n`,
    );
    const { out } = await explain('--request', 'GET http://a/x', 'macro/conf/httpd.conf');
    assert.match(out, /\n {2}macro\/conf\/httpd\.conf:\d+ {2}<Directory [^\n]*\n {6}Order deny,allow\n/);
    assert.doesNotMatch(out, /the fix adds this section/);
  });

  describe('for a copy without the directories of the web', () => {
    const FILE = '/srv/www/html/private/index.html';
    const LINES = `ServerRoot "/etc/httpd"
Listen 80
DocumentRoot "/srv/www/html"
<Directory />
  AllowOverride None
</Directory>
<Directory "/srv/www/html">
  AllowOverride @OVERRIDE@
  Order allow,deny
  Allow from all
</Directory>
<Location /private>
  Order allow,deny
  Allow from all
  Deny from 203.0.113.66
</Location>
`;
    const write = (override: string) => {
      mkdirSync(path.join(root, 'part/conf'), { recursive: true });
      writeFileSync(path.join(root, 'part/conf/httpd.conf'), LINES.replace('@OVERRIDE@', override));
    };
    const refusal = `[error] [client 203.0.113.66] client denied by server configuration: ${FILE}`;

    it('finds the URL of a log line, and a Location that replaces each .htaccess file', async () => {
      write('Limit');
      const { out } = await explain('--root', 'part/conf/httpd.conf', refusal);
      assert.match(out, /^1 URL leads to \/srv\/www\/html\/private\/index\.html:\n {2}\/private\/index\.html\n/);
      assert.match(out, /\n2.2 and 2.4 give the same answer: denied \(403\)\.\n/);
      assert.match(out, /\n {2}If you have a copy of \/srv\/www\/html, add: --map \/srv\/www\/html=DIR\n/);
    });

    it('takes the answer about .htaccess files into account in the text', async () => {
      write('All');
      const asked = ['--request', '/x', '--from', '203.0.113.66', 'part/conf/httpd.conf'];
      const text = async () => (await explain(...asked)).out.replace(/\s+/g, ' ');
      assert.match(await text(), /whether `\/srv\/www\/html\/\.htaccess` controls access: it is not in this copy/);
      const answers = path.join(root, 'part/.httpd-upgrade.json');
      writeFileSync(answers, '{ "answers": { "htaccess-unseen:/": "none" } }\n');
      try {
        const answered = await text();
        assert.doesNotMatch(answered, /controls access: /);
        assert.match(
          answered,
          /whether lines such as RewriteRule in `\/srv\/www\/html\/\.htaccess` deny the request: /,
        );
      } finally {
        rmSync(answers);
      }
    });

    it('says what is not converted, and that 2.4 needs mod_access_compat for it', async () => {
      write('Limit');
      const { out } = await explain('--request', '/private/', '--from', '203.0.113.66', 'part/conf/httpd.conf');
      assert.match(out, /\nhttpd 2\.4, files after the conversion: denied \(403\)\n/);
      assert.match(
        out.replace(/\n {2}/g, ' '),
        /Not converted: part\/conf\/httpd\.conf:15 `Deny from 203\.0\.113\.66` \(httpd-upgrade plan says why\)\. Without mod_access_compat, 2\.4 does not start\. This answer is with mod_access_compat\./,
      );
    });

    it('names --map, and knows that the Location applies', async () => {
      write('All');
      const { out } = await explain('--request', '/private/x', '--from', '203.0.113.66', 'part/conf/httpd.conf');
      assert.match(out, /\nParts are missing, so the answer is not certain\. If they do not matter: /);
      assert.match(out, /Where the URL leads\n {2}The file \/srv\/www\/html\/private\/x\n/);
      assert.match(out, / {2}<Location \/private>\n/);
      assert.match(out, /add: --map \/srv\/www\/html=DIR\n/);
    });

    it('asks for --from first', async () => {
      write('None');
      const { out } = await explain('--request', '/private/x', 'part/conf/httpd.conf');
      assert.match(out, /^GET .*\n.*\nThe answer depends on the client\. To give its address, add: --from ADDRESS\n/);
      // The facts follow the answers, and no reason is given twice.
      assert.match(out, /\n\nAssumed or not known\n/);
      assert.ok(out.indexOf('Assumed or not known') < out.indexOf('Where the URL leads'), out);
      assert.doesNotMatch(out, /depends on facts|Assumed or not known\)/);
    });

    it('names the missing files if no URL leads to the file', async () => {
      write('None');
      writeFileSync(
        path.join(root, 'part/conf/httpd.conf'),
        'ServerRoot "/etc/httpd"\nListen 80\nInclude sites/*.conf\n',
      );
      const { out } = await explain('--root', 'part/conf/httpd.conf', refusal);
      assert.match(
        out.replaceAll('\n', ' '),
        /^No URL of the files in this copy leads to .* Not in this copy, or not read: `[^`]*sites\/\*\.conf`/,
      );
    });
  });

  describe('for a line of the log that does not fit the files', () => {
    const log = (file: string) =>
      `[Fri Nov 27 10:00:00.1 2026] [authz_core:error] [pid 7] [client 203.0.113.9:4711] AH01630: client denied by server configuration: ${file}`;
    const explained = async (lines: string) => {
      mkdirSync(path.join(root, 'other'), { recursive: true });
      writeFileSync(path.join(root, 'other/httpd.conf'), `ServerRoot "${root}"\nListen 80\n${lines}`);
      const { out } = await explain('--root', 'other/httpd.conf', log('/srv/none/a.html'));
      return out.replaceAll('\n', ' ');
    };

    it('says why no URL leads to the file', async () => {
      const out = await explained('ProxyPass / http://192.0.2.9/\nDocumentRoot /srv/none\n');
      assert.match(
        out,
        /leads to \/srv\/none\/a\.html: a proxy takes the URLs of this directory \(other\/httpd\.conf:3\)\. So the server that wrote the line has other files, or these files were changed since\. To see what to do: httpd-upgrade explain AH01630 $/,
      );
    });

    const OPTIONAL =
      '<IfDefine SSL>\n<VirtualHost *:443>\n</VirtualHost>\n</IfDefine>\n<IfDefine WEB>\n<VirtualHost *:80>\nDocumentRoot /srv/none\n</VirtualHost>\n</IfDefine>\n';
    const OF_WEB =
      'is in `<IfDefine WEB>`. If the server starts with -D WEB, add: -D WEB (or write the name into "defines" of .httpd-upgrade.json). If not, add: --answer define:WEB=off';
    const HIDDEN =
      'Listen 80\nDocumentRoot /srv\n<IfDefine LOCKED>\n<Location />\nDeny from all\n</Location>\n</IfDefine>\n';

    it('says how to answer for a name in `<IfDefine>`', async () => {
      mkdirSync(path.join(root, 'if'), { recursive: true });
      writeFileSync(path.join(root, 'if/httpd.conf'), HIDDEN);
      const asked = async (...more: string[]) =>
        (await explain('--request', '/', ...more, 'if/httpd.conf')).out.replace(/\s+/g, ' ');
      const open = await asked();
      assert.match(open, /If the server starts with LOCKED, add: -D LOCKED\. If not, add: --answer define:LOCKED=off /);
      assert.match(await asked('-D', 'LOCKED'), /httpd 2\.2: denied/);
      assert.match(await asked('--answer', 'define:LOCKED=off'), /httpd 2\.2: allowed/);
    });

    it('names the condition around a virtual host, and the option', async () => {
      const ofLog = await explained(OPTIONAL);
      assert.ok(ofLog.includes(` \`<VirtualHost *:80>\` (other/httpd.conf:8) ${OF_WEB}.`), ofLog);
      const { out } = await explain('--request', 'http://a/a.html', 'other/httpd.conf');
      const ofRequest = out.replace(/\s+/g, ' ');
      const wanted = `which virtual host answers: \`<VirtualHost *:80>\` ${OF_WEB} other/httpd.conf:8`;
      assert.ok(ofRequest.includes(wanted), ofRequest);
    });

    it('draws no conclusion if a pattern may lead to the file', async () => {
      const out = await explained('AliasMatch ^/x(.*) /srv/none$1\n');
      assert.match(out, /^No URL was found that leads to \/srv\/none\/a\.html: AliasMatch leads to this directory;/);
      assert.doesNotMatch(out, /the server that wrote the line/);
    });

    it('speaks of 2.4 alone for a line with a code or a module, which 2.2 does not log', async () => {
      const lines =
        'DocumentRoot /srv/none\nMaxRequestWorkers 9\n<Directory /srv>\nAllowOverride None\nRequire all denied\n</Directory>\n';
      const out = await explained(lines);
      assert.match(out, /from 203\.0\.113\.9 httpd 2\.4 answers: denied \(403\)\. /);
      assert.doesNotMatch(out, /2\.2/);
      const asked = ['--root', 'other/httpd.conf', log('/srv/none/a.html')];
      assert.match((await explain(...asked, '--at', '2.2')).out, /httpd 2\.2: does not start/);
      const { requests } = JSON.parse((await explain(...asked, '--format', 'json')).out);
      assert.deepEqual(
        requests[0].decisions.map(({ server }: { server: string }) => server),
        ['2.2', '2.4-compat', '2.4'],
      );
      const old = '[error] [client 203.0.113.9] client denied by server configuration: /srv/none/a.html';
      assert.match((await explain('--root', 'other/httpd.conf', old)).out, /httpd 2\.2 does not start/);
    });

    it('says that the files allow what the log line denies', async () => {
      const out = await explained(
        'DocumentRoot /srv/none\n<Directory /srv>\nAllowOverride None\nOrder allow,deny\nAllow from all\n</Directory>\n',
      );
      assert.match(
        out,
        /The log line says that a `Require` line denied the request \(AH01630; AH01797 would be an `Order`, `Allow` or `Deny` line\)\. The lines here allow the request\. So the server that wrote the line has other files, or it was not restarted since a change\. $/,
      );
    });

    const SITE =
      'DocumentRoot /srv/none\n<Directory /srv/none>\nAllowOverride All\nRequire all granted\n</Directory>\n';

    it('says that the line is in a .htaccess file that is not in this copy', async () => {
      await explained(SITE);
      const { out } = await explain('--root', 'other/httpd.conf', log('/srv/none/a/b.html'));
      const said = out.replaceAll('\n', ' ');
      assert.match(
        said,
        /The log line says that a `Require` line denied the request .*\. The lines here allow the request\. So that line is in a \.htaccess file that is not in this copy, in \/srv\/none\/a or above it\. Or the server has other files, or was not restarted since a change\./,
      );
      assert.match(said, /add: --map \/srv\/none=COPY /);
      assert.ok(out.endsWith('\n  grep -Hnsi Require /srv/none/.htaccess /srv/none/a/.htaccess\n'), out);
      assert.doesNotMatch(out, /To see what to do/);
      const old = await explain('--root', 'other/httpd.conf', log('/srv/none/a.html').replace('AH01630', 'AH01797'));
      assert.match(old.out, /\n {2}grep -HnsiE 'Order\|Allow\|Deny' \/srv\/none\/\.htaccess\n$/);
    });

    it('says that an answer about .htaccess files cannot be right, and does not speak of RewriteRule', async () => {
      const asked = ['--root', 'other/httpd.conf', log('/srv/none/a.html')];
      await explained(SITE);
      const said = async (...words: string[]) => (await explain(...asked, ...words)).out.replace(/\s+/g, ' ');
      assert.doesNotMatch(await said(), /Your answer/);
      const answered = await said('--answer', 'htaccess-unseen:/=none');
      assert.doesNotMatch(answered, /RewriteRule/);
      assert.match(answered, /whether `\/srv\/none\/\.htaccess` controls access: it is not in this copy/);
      assert.match(
        answered,
        /Your answer `htaccess-unseen:\/=none` says that no \.htaccess file there has Order, Allow, Deny or Require\. If the log line is from this server, that is not right\./,
      );
      const below = await said('--answer', 'htaccess-unseen:/srv/none=none');
      assert.match(below, /Your answer `htaccess-unseen:\/srv\/none=none` says/);
      assert.doesNotMatch(await said('--answer', 'htaccess-unseen:/=keep'), /Your answer/);
    });

    it('draws no conclusion if the lines here deny the request, or may deny it', async () => {
      const denied = await explained(SITE.replace('granted', 'denied'));
      assert.match(
        denied,
        /It is not known what httpd 2\.4 answers.* To see what to do: httpd-upgrade explain AH01630 $/,
      );
      const unsure = await explained(SITE.replace('all granted', 'host example.org'));
      assert.match(unsure, / To see what to do: httpd-upgrade explain AH01630 $/);
    });
  });

  it('names the word to omit, and the help of explain', async () => {
    const withTerm = await explain('403', '--request', '/private', 'conf/httpd.conf');
    assert.equal(
      withTerm.err,
      'httpd-upgrade: with --request, explain takes the main configuration file and no term: omit "403"\nTry "httpd-upgrade explain --help".\n',
    );
    const withServer = await explain('--request', '/private', '--at', '2.5', 'conf/httpd.conf');
    assert.match(withServer.err, /\nTry "httpd-upgrade explain --help"\.\n$/);
  });

  it('leaves a server that does not start out of the comparison', async () => {
    mkdirSync(path.join(root, 'new/conf'), { recursive: true });
    writeFileSync(
      path.join(root, 'new/conf/httpd.conf'),
      `ServerRoot "${root}"\nListen 80\nDocumentRoot "${root}/www"\n<Location />\n<RequireAll>\nRequire all denied\n</RequireAll>\n</Location>\n`,
    );
    const { out } = await explain('--request', '/', '--from', '192.0.2.1', 'new/conf/httpd.conf');
    assert.match(out, /\nhttpd 2\.4 answers: denied \(403\)\. httpd 2\.2 does not start with these files\.\n/);
  });

  it('answers once for httpd 2.4 if the conversion changes nothing there', async () => {
    const text = `ServerRoot "${root}"\nListen 80\nDocumentRoot "${root}/www"\n<Location />\nRequire ip 10\n</Location>\n`;
    writeFileSync(path.join(root, 'conf/converted.conf'), text);
    const { out } = await explain('--request', '/', '--from', '192.0.2.1', 'conf/converted.conf');
    assert.deepEqual(out.match(/^httpd 2\.4.*$/gm), ['httpd 2.4, before and after the conversion: denied (403)']);
  });

  it('names the line with the variable that keeps it from knowing the virtual host', async () => {
    const shop = SHOP.replaceAll('@ROOT@', root).replace('<VirtualHost *:80>', '<VirtualHost ${IP}:80>');
    writeFileSync(path.join(root, 'conf/variable.conf'), shop);
    const { out } = await explain(...ADMIN, 'conf/variable.conf');
    const said = out.replace(/\s+/g, ' ');
    assert.match(
      said,
      /which virtual host answers: `\$\{IP\}:80` has a variable that no line here defines conf\/variable\.conf:9 /,
    );
  });

  it('says that the answer is not known', async () => {
    const { out } = await explain('--request', 'GET http://a/x', 'other/conf/httpd.conf');
    assert.match(out, /\nIt is not known what the servers answer\.\n/);
  });

  it('finds the requests for the file of a log line', async () => {
    const line = `[Fri Nov 27 10:00:00.1 2026] [authz_core:error] [pid 7:tid 8] [client 203.0.113.9:4711] AH01630: client denied by server configuration: ${root}/www/admin/x.php`;
    const { code, out } = await explain(line, '--root', 'conf', '--format', 'json');
    assert.equal(code, 0);
    const { file, from, requests } = JSON.parse(out);
    assert.deepEqual([file, from], [path.join(root, 'www/admin/x.php'), '203.0.113.9']);
    assert.deepEqual(
      requests.map(({ request }: { request: { url: string } }) => request.url),
      ['http://shop.example.org/admin/x.php'],
    );
    const text = await explain(line, '--root', 'conf');
    assert.match(text.out, /^1 URL leads to .*\n {2}http:\/\/shop\.example\.org\/admin\/x\.php\n\nGET /);
    assert.match(text.out.replaceAll('\n', ' '), / or it was not restarted since a change\. $/);
    assert.equal((await explain('AH00558: x', '--root', 'conf')).code, 2);
    const ofFile = await explain('conf/httpd.conf', '--root', 'conf');
    assert.equal(ofFile.code, 2);
    assert.match(ofFile.err, /--root takes one line of a log, and conf\/httpd\.conf is a file/);
  });

  for (const [words, problem] of [
    [['--request', 'GET x', '.'], /--request is a method and a URL/],
    [['--request', '/x', '--from', 'nowhere', '.'], /--from is an IP address/],
    [['--request', '/x', '--from', '1::2::3', '.'], /--from is an IP address/],
    [['--request', '/x'], /needs the main configuration file/],
    [['--request', '/x', 'missing.conf'], /missing\.conf: does not exist/],
    [['--request', '/x', 'www'], /has no main configuration file/],
  ] as const)
    it(`says what is wrong: ${words.join(' ')}`, async () => {
      const { code, err } = await explain(...words);
      assert.equal(code, 2);
      assert.match(err, problem);
    });
});
