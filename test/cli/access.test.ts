/**
 * `httpd-upgrade fix` on access control of whole configurations: which version's decisions it
 * keeps, and .htaccess files that need a wider AllowOverride. `httpd-upgrade access`: the table.
 */
import assert from 'node:assert/strict';
import { DEBIAN_ANSWERS, DEBIAN_COPY, withFolder } from './run';

describe(
  'fix, access control',
  withFolder((folder) => {
    const write = (override: string, body: string): void => {
      folder().write(
        'conf/httpd.conf',
        `ServerRoot ${folder().path}\nListen 80\nDocumentRoot htdocs\n<Directory />\nAllowOverride None\n</Directory>\n<Directory ${folder().path}/htdocs>\n  AllowOverride ${override}\n${body}</Directory>\n`,
      );
    };

    it('keeps what 2.2 decided, or with --source 2.4 what mod_access_compat decides', async () => {
      const body = '  Order deny,allow\n  Deny from all\n  Allow from 10\n  Satisfy Any\n';
      for (const [args, require] of [
        [[], 'ip 10'],
        [['--source', '2.2'], 'ip 10'],
        [['--source', '2.4'], 'all granted'],
      ] as const) {
        write('None', body);
        await folder().run(['fix', '--write', ...args, 'conf/httpd.conf']);
        assert.match(folder().text('conf/httpd.conf'), new RegExp(`AllowOverride None\\n  Require ${require}\\n`));
      }
    });

    it('shows why no URL reaches a section', async () => {
      const at = folder().path;
      const sections = ['/', `${at}/htdocs`, `${at}/other`].map(
        (path) => `<Directory ${path}>\nRequire all denied\n</Directory>\n`,
      );
      const lines = `ServerRoot ${at}\nListen 80\nDocumentRoot htdocs\n${sections.join('')}`;
      folder().write('conf/httpd.conf', `${lines}ProxyPass / http://127.0.0.1:8080/\n`);
      const proxied = (await folder().run(['access', 'conf/httpd.conf'])).out
        .split('\n')
        .filter((row) => row.startsWith('- '));
      assert.deepEqual(
        proxied.map((row) => row.replace(/^.*httpd\.conf:\d+(?=: )/, '')),
        [
          ': a proxy takes the URLs of this directory (conf/httpd.conf:13)',
          ': a proxy takes the URLs of this directory (conf/httpd.conf:13)',
          ': no DocumentRoot or Alias leads to this directory',
        ],
      );
    });

    it('shows why no URL of its virtual host reaches a section, whatever other hosts do', async () => {
      const at = folder().path;
      const host = (name: string, line: string) =>
        `<VirtualHost *:80>\nServerName ${name}\nDocumentRoot ${at}/www\n${line}<Directory ${at}/www>\nRequire all denied\n</Directory>\n</VirtualHost>\n`;
      folder().write(
        'conf/httpd.conf',
        `ServerRoot ${at}\nListen 80\n${host('a', '')}${host('b', 'ProxyPass / http://127.0.0.1:8080/\n')}`,
      );
      folder().write('www/index.html', '');
      const { out } = await folder().run(['access', 'conf/httpd.conf']);
      const unreached = out.split('\n').filter((row) => row.startsWith('- `<Directory'));
      assert.equal(unreached.length, 1, out);
      assert.match(unreached[0]!, /: a proxy takes the URLs of this directory \(conf\/httpd\.conf:13\)/);
    });

    it('answers for a copy from Debian, in case the missing parts do not matter', async () => {
      folder().write('debian/apache2.conf', DEBIAN_COPY);
      const json = async (...words: string[]) =>
        JSON.parse((await folder().run(['access', '--format', 'json', ...words, 'debian/apache2.conf'])).out);
      const { sections, missing } = await json();
      const inner = sections.find(({ name }: { name: string }) => name === '<Directory /var/www/site/in>');
      assert.deepEqual(
        inner.clients.map((each: { from: string; access: object; accessOfCopy: object }) => [
          each.from,
          ...Object.values(each.access),
          ...Object.values(each.accessOfCopy),
        ]),
        [
          ['203.0.113.9', ...Array(3).fill('unknown'), ...Array(3).fill('denied')],
          ['192.0.2.9', ...Array(3).fill('unknown'), ...Array(3).fill('granted')],
        ],
      );
      assert.deepEqual(
        missing.map(({ what, line }: { what: string; line: number }) => `${line} ${what}`),
        [
          '1 `mods-enabled/*.conf` is not in this copy',
          '8 whether `/var/www/site/.htaccess` controls access: it is not in this copy',
          '8 whether `/var/www/site/in/.htaccess` controls access: it is not in this copy',
        ],
      );
      const { out } = await folder().run(['access', ...DEBIAN_ANSWERS, 'debian/apache2.conf']);
      assert.match(out, /from 192\.0\.2\.9 +allowed \(\?\)$/m);
      assert.match(out, /^An answer with \(\?\) is right only if the missing files change nothing,/m);
      assert.doesNotMatch(out, /unknown|whether \S+ controls access|`?mods-enabled\S+ is not in this copy/);
      assert.match(out, /your answer is only about Order/);
      folder().write('whole/httpd.conf', `ServerRoot ${folder().path}/whole\nListen 80\nDocumentRoot htdocs\n`);
      const whole = JSON.parse((await folder().run(['access', '--format', 'json', 'whole/httpd.conf'])).out);
      assert.equal(whole.missing, undefined);
    });

    it('names the placeholders of a template, and counts other lines that map URLs', async () => {
      const section = (path: string) => `<Directory ${path}>\nRequire all denied\n</Directory>\n`;
      const reasons = async (lines: string) => {
        folder().write('conf/httpd.conf', `ServerRoot ${folder().path}\nListen 80\nDocumentRoot htdocs\n${lines}`);
        const { out } = await folder().run(['access', 'conf/httpd.conf']);
        return out.split('\n').flatMap((row) => /^- .*?httpd\.conf:\d+(.*)/.exec(row)?.[1] ?? []);
      };
      assert.deepEqual(await reasons(section('"@exp_htdocsdir@"')), [': its path is a placeholder of a template']);
      assert.deepEqual(await reasons(`AliasMatch ^/m(/.*)?$ "/srv/m$1"\n${section('/srv/n')}`), [
        ': no DocumentRoot or Alias leads to this directory',
      ]);
      assert.deepEqual(await reasons(`AliasMatch ^/m/(\\w+) "/srv/$1"\n${section('/srv/n')}`), ['']);
      assert.deepEqual(await reasons(`AliasMatch ^/m(/.*)?$ "/srv/m$1"\n${section('/srv/m')}`), [
        ': AliasMatch leads to this directory; its pattern does not show a URL (conf/httpd.conf:4)',
      ]);
    });

    it('names no answer where a placeholder of a template decides which directory a URL leads to', async () => {
      const lines = 'DocumentRoot "@exp_htdocsdir@"\n<Directory />\nOrder deny,allow\nDeny from all\n</Directory>\n';
      const allowed = '<Directory "@exp_htdocsdir@">\nOrder allow,deny\nAllow from all\n</Directory>\n';
      folder().write('conf/httpd.conf', `ServerRoot ${folder().path}\nListen 80\n${lines}${allowed}`);
      const { out } = await folder().run(['access', 'conf/httpd.conf']);
      assert.doesNotMatch(out, /denied|allowed/);
      const { out: answer } = await folder().run(['explain', '--request', '/x', 'conf/httpd.conf']);
      assert.match(answer, /^It is not known what the servers answer\.$/m);
    });

    it('says what --source may be', async () => {
      write('None', '');
      const { code, err } = await folder().run(['fix', '--source', '2.3', 'conf/httpd.conf']);
      assert.equal(code, 2);
      assert.match(err, /argument '2\.3' is invalid\. Allowed choices are 2\.2, 2\.4/);
    });

    it('leaves a .htaccess that AllowOverride admits no Require in', async () => {
      write('Limit', '');
      folder().write('htdocs/.htaccess', 'Deny from all\n');
      await folder().run(['fix', '--write', 'conf/httpd.conf']);
      assert.equal(folder().text('htdocs/.htaccess'), 'Deny from all\n');
      const { out } = await folder().run(['check', 'conf/httpd.conf']);
      assert.match(out.replace(/\n +/g, ' '), /AllowOverride\b.* does not allow AuthConfig for this \.htaccess file/);
    });

    it('admits Require alone, and converts both files, where suggestions are taken', async () => {
      write('Limit', '');
      folder().write('htdocs/.htaccess', 'Deny from all\n');
      await folder().run(['fix', '--write', '--unsafe', 'conf/httpd.conf']);
      assert.equal(folder().text('htdocs/.htaccess'), 'Require all denied\n');
      assert.match(folder().text('conf/httpd.conf'), /\n  AllowOverride Limit\n  AllowOverrideList Require\n/);
    });

    it('converts a file with all lines of one section, once nothing else controls access', async () => {
      const lines = 'Order deny,allow\nDeny from all\nAllow from 10\n';
      const fixed = async (text: string, ...args: string[]) => {
        folder().write('office.conf', text);
        return (await folder().run(['fix', '--diff', ...args, 'office.conf'])).out;
      };
      const standalone = '--assume-standalone';
      assert.match(await fixed(lines, standalone), /\+Require ip 10/);
      assert.match(await fixed(`${lines}<Files x>\nDeny from all\n</Files>\n`, standalone), /\+Require ip 10/);
      assert.doesNotMatch(await fixed(lines), /Require/, 'not answered');
      // Lines without Order continue those of the section around the Include.
      assert.doesNotMatch(await fixed('Deny from 10\n', standalone), /Require/);
      assert.doesNotMatch(await fixed(`<IfModule a.c>\n${lines}</IfModule>\nDeny from 10\n`, standalone), /Require/);
      // No section includes a file with such a section.
      assert.doesNotMatch(await fixed(`${lines}<Location /a>\nDeny from all\n</Location>\n`, standalone), /Require/);
      // The section with the Include asks for a login, and so does the file in it.
      const login = `AuthType Basic\nRequire valid-user\n<Files x>\n${lines}</Files>\n`;
      assert.doesNotMatch(await fixed(login, standalone), /\+\s*Require ip 10/);
      folder().write('more/other.conf', 'Allow from 11\n');
      const { out } = await folder().run(['fix', '--diff', standalone, 'office.conf', 'more/other.conf']);
      assert.doesNotMatch(out, /Require/, 'one section can include both');
    });

    it('does not take a .htaccess that UserDir may serve for one that lies outside', async () => {
      // Found by random servers: it allows what the directory around it denies.
      folder().write(
        'conf/httpd.conf',
        `PidFile run/x.pid\nUserDir ${folder().path}/home/*/public_html\n<Directory />\n  AllowOverride AuthConfig Limit\n  Deny from all\n</Directory>\n`,
      );
      const fixed = async () => (await folder().run(['fix', '--diff', '--assume-standalone', '.'])).out;
      assert.match(await fixed(), /Require all denied/);
      folder().write('home/ann/.htaccess', 'Deny from 10.1\n');
      // Both are converted, or none.
      assert.match(await fixed(), /Require all denied[^]*Require not ip 10\.1/);
      folder().write('home/ann/.htaccess', 'Options None\n');
      assert.match(await fixed(), /Require all denied/);
    });
  }),
);

const ACCESS = [
  'access',
  '--modules',
  'mod_authz_core,mod_authz_host',
  '--answer',
  'defaults=2.4',
  '--answer',
  'outside-unseen:httpd.conf=none',
];

describe(
  'access',
  withFolder((folder) => {
    const tableOf = async (lines: string): Promise<string> => {
      folder().write('conf/httpd.conf', `ServerRoot ${folder().path}\nListen 80\nDocumentRoot htdocs\n${lines}`);
      return (await folder().run(['access', 'conf/httpd.conf'])).out;
    };

    it('shows the row of a section whose .htaccess file 2.4 rejects', async () => {
      folder().write('htdocs/.htaccess', 'AuthType Basic\nDeny from all\nSatisfy Any\n');
      const at = `${folder().path}/htdocs`;
      const out = await tableOf(
        `<Directory ${at}>\nAllowOverride AuthConfig Limit\nOrder allow,deny\nAllow from all\n</Directory>\n`,
      );
      folder().write('htdocs/.htaccess', '');
      assert.doesNotMatch(out, /No URL was found/);
      assert.match(out, /<Directory [^`]*htdocs>` conf\/httpd\.conf:4[^\n]*\n\n +request [^\n]*\n +GET \//);
    });

    it('explains the columns that it shows, and warns of a request that only 2.4 allows', async () => {
      folder().write('htdocs/a', '');
      const at = `${folder().path}/htdocs`;
      const same = await tableOf(`<Directory ${at}>\nOrder allow,deny\nAllow from 10\n</Directory>\n`);
      assert.match(same.replaceAll('\n', ' '), / Column "2\.2 and 2\.4": both versions give this answer, /);
      assert.doesNotMatch(same, /files as they are|does not allow/);
      const differs = await tableOf(
        `<Directory ${at}>\nOrder deny,allow\nDeny from all\n</Directory>\n<Location /a>\nSatisfy Any\n</Location>\n`,
      );
      const text = differs.replaceAll('\n', ' ');
      assert.match(text, /Column "2\.4 with mod_access_compat": the files as they are\. /);
      assert.match(
        text,
        /\(!\) 2\.4 answers this request differently than 2\.2\. It allows a request that 2\.2 does not allow\. /,
      );
    });

    it('gives only reasons that can hold for sections without a URL', async () => {
      const files = '<Files *.php>\nOrder allow,deny\nDeny from all\n</Files>\n';
      folder().write('part/files.conf', files);
      const ofPart = (await folder().run(['access', 'part/files.conf'])).out;
      assert.match(ofPart, /Reason: only a part of a configuration was given\. Run the command on the main/);
      folder().write('part/httpd.conf.in', `<Directory "@DOCS@">\nDeny from all\n</Directory>\n${files}`);
      const ofTemplate = (await folder().run(['access', 'part/httpd.conf.in'])).out;
      assert.match(ofTemplate, /Reason: the file is a template, and its paths are placeholders\. Run the command on/);
      assert.doesNotMatch(ofTemplate, /only a part/);
      const pattern = '<Directory ~ "^/srv/none/.*">\nOrder allow,deny\nDeny from all\n</Directory>\n';
      const plain = await tableOf(pattern);
      assert.match(plain, /\nPossible reason: No DocumentRoot or Alias leads to its directories or files\. "/);
      const withRule = await tableOf(`RewriteRule ^/a /b\n${pattern}`);
      assert.match(
        withRule,
        /\nPossible reasons:\n\n- No DocumentRoot .*\n- A proxy or a rewrite rule takes its URLs\.\n\n"/,
      );
    });

    it('says which requests a <Proxy> section without a URL applies to', async () => {
      const lines = 'Order deny,allow\nDeny from all\n';
      const proxy = `<Proxy *>\n${lines}</Proxy>\n`;
      const ofProxy = await tableOf(proxy);
      assert.match(
        ofProxy,
        /Possible reason: A <Proxy> section applies only to proxied requests, and no URL that was /,
      );
      assert.doesNotMatch(ofProxy, /path or pattern/);
      const ofBoth = await tableOf(`${proxy}<Directory ~ "^/srv/none/.*">\n${lines}</Directory>\n`);
      assert.match(ofBoth, /\n- A <Proxy> section applies only .*\n- No DocumentRoot or Alias leads to their /);
    });

    it('reads no .htaccess file as a main file', async () => {
      folder().write('part/.htaccess', 'Order allow,deny\nDeny from all\n');
      for (const command of ['access', 'requests']) {
        const { code, out, err } = await folder().run([command, 'part/.htaccess']);
        assert.deepEqual([code, out], [2, ''], command);
        assert.match(err, /\.htaccess: what a \.htaccess file does depends on the main configuration file: give that/);
      }
    });

    it('lists a fact once, in the note about the mark or in the one about unknown answers', async () => {
      const host = '<Location /a>\nOrder deny,allow\nDeny from all\nAllow from 10 example.org\n</Location>\n';
      const out = await tableOf(`DocumentRoot /srv/gone\n<Directory />\nAllowOverride All\n</Directory>\n${host}`);
      assert.equal(out.match(/whether \/srv\/gone\/\.htaccess controls access/g)?.length, 1, out);
      assert.match(out, /\n- what is not known about the missing files: see the list above\n/);
      assert.match(out, /\n- whether the client's name ends in example\.org \(DNS\)\n/);
    });

    it('finds the URLs of directories of Windows, and of those beside a copy of ServerRoot', async () => {
      const lines = (root: string, docs: string) =>
        `ServerRoot ${root}\nListen 80\nDocumentRoot ${docs}\n<Directory />\nAllowOverride None\nOrder deny,allow\nDeny from all\n</Directory>\n<Directory ${docs}>\nAllowOverride None\nOrder allow,deny\nAllow from all\n</Directory>\n`;
      for (const [file, text] of [
        ['win/conf/httpd.conf', lines('"C:/Apache2.2"', '"C:/Apache2.2/htdocs"')],
        ['apache22/httpd.conf', lines('/usr/local', '/usr/local/www/data')],
      ] as const) {
        folder().write(file, text);
        const { out } = await folder().run(['access', file]);
        assert.doesNotMatch(out, /No URL was found|denied/, file);
        assert.match(out, /GET \/x +allowed/, file);
      }
    });

    it('tells two sections from one macro apart', async () => {
      const lines = 'Order deny,allow\nDeny from all\n';
      folder().write(
        'macro/httpd.conf',
        `ServerRoot /srv\nListen 80\nDocumentRoot /srv/www\n<Macro M $d>\n<Directory $d>\n${lines}</Directory>\n</Macro>\nUse M /srv/www\nUse M /srv/other\n`,
      );
      const { out } = await folder().run(['access', 'macro/httpd.conf']);
      assert.match(
        out,
        /`<Directory \/srv\/www>` macro\/httpd\.conf:5, inserted by the Use line macro\/httpd\.conf:10[^\n]*\n\n +request [^\n]*\n +GET \//,
      );
      assert.match(
        out,
        /- `<Directory \/srv\/other>` macro\/httpd\.conf:5, inserted by the Use line macro\/httpd\.conf:11: no DocumentRoot or Alias leads to this/,
      );
    });

    it('says that 2.2 does not start, and shows 2.4 alone', async () => {
      const out = await tableOf('Define who all\n<Location /a>\nRequire all denied\n</Location>\n');
      assert.match(out, /^httpd 2\.2 does not start: it has no Define \(conf\/httpd\.conf:4\)\./m);
      assert.match(out, /\n +request +2\.4\n +GET \/a +denied \(403\)\n/);
      assert.doesNotMatch(out, /config error/);
    });

    it('shows 2.4 alone if all access lines are for 2.4', async () => {
      const lines = '<Location /a>\nRequire all denied\n</Location>\n';
      const out = await tableOf(lines);
      assert.match(out, /^`Require all denied` is for 2\.4, and no section has Order[^\n]* \(conf\/httpd\.conf:5\)\./m);
      assert.match(out, /\n +request +2\.4\n +GET \/a +denied \(403\)\n/);
      assert.doesNotMatch(out, /config error/);
      assert.match(await tableOf(`${lines}<Location /b>\nDeny from all\n</Location>\n`), /config error/);
    });

    it('marks the requests that 2.4 answers differently, and names the facts of the unknown ones', async () => {
      const out = await tableOf('<Location /a>\nOrder allow,deny\nSatisfy Any\n</Location>\n');
      assert.match(out, /GET \/a \(!\) +denied \(403\) +allowed/);
      assert.match(out, /^\(!\) 2\.4 answers this request differently than 2\.2\./m);
      const unknown = await tableOf(
        'Include extra.conf\n<Location /a>\nOrder deny,allow\nDeny from all\nAllow from example.org\n</Location>\n',
      );
      assert.match(unknown, /unknown: the answer depends on what these files do not show:\n\n- /);
    });

    it('marks sections that are not converted', async () => {
      for (const [operand, isConverted] of [
        ['10', true],
        ['${WHO}', false],
      ] as const) {
        const lines = `Order deny,allow\nDeny from all\nAllow from ${operand}\n`;
        folder().write(
          'httpd.conf',
          `ServerRoot ${folder().path}\nPidFile run/x.pid\nDocumentRoot htdocs\n<Directory />\nAllowOverride None\n</Directory>\n<Location /a>\n${lines}</Location>\n`,
        );
        const { out } = await folder().run([...ACCESS, 'httpd.conf']);
        assert.equal(/<Location \/a>` httpd\.conf:7 \(not converted yet\)\n/.test(out), !isConverted);
        assert.equal(/httpd-upgrade plan` says why/.test(out), !isConverted);
        const json = JSON.parse((await folder().run([...ACCESS, '--format', 'json', 'httpd.conf'])).out) as {
          sections: { name: string; notConverted: boolean }[];
        };
        assert.equal(json.sections.find(({ name }) => name === '<Location /a>')!.notConverted, !isConverted);
      }
    });
  }),
);
