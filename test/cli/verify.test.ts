/** `verify`: a real httpd reads a configuration, and its messages appear at their lines. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { findHttpd, loadModuleLines, requireHttpd } from '../httpd/harness';
import { accountLines } from '../httpd/installation';
import { withFolder } from './run';

interface Verdict {
  readonly way: string;
  readonly ok: boolean;
  readonly accepted: boolean;
  readonly unread: object | null;
  readonly assumedModules: readonly string[];
  readonly problems: readonly { file: string | null; line: number | null; code: string | null; message: string }[];
  readonly unchecked: readonly { file: string | null; line: number | null; message: string }[];
}

const MODULES =
  'LoadModule mpm_event_module modules/mod_mpm_event.so\nLoadModule authz_core_module modules/mod_authz_core.so\nLoadModule authz_host_module modules/mod_authz_host.so\n';

describe(
  'verify',
  withFolder((folder) => {
    before(function () {
      requireHttpd(this);
    });

    /** Nothing is left of a run but what it says. */
    const verified = async (...args: string[]): Promise<{ verdict: Verdict; code: unknown; err: string }> => {
      mkdirSync(folder().at('tmp'), { recursive: true });
      const { out, code, err } = await folder().run(
        ['verify', '--format', 'json', '--httpd', findHttpd()!.binary, ...args],
        { env: { TMPDIR: folder().at('tmp') } },
      );
      assert.deepEqual(readdirSync(folder().at('tmp')), []);
      return { verdict: out === '' ? null! : (JSON.parse(out) as Verdict), code, err };
    };
    const places = (said: Verdict['problems'] | Verdict['unchecked']) =>
      said
        .map(({ file, line, message }) => `${file}:${line === null ? '' : line + 1} ${message.split(/[,:]/)[0]}`)
        .sort();

    it('a line whose variable is not set here is not checked, unless the copy has the variables', async () => {
      const text = `ServerRoot "/etc/apache2"\n${MODULES}KeepAlive \${KEEP}\nKeepAlive 7\nListen 80\n`;
      folder().write('etc/apache2/apache2.conf', text);
      const { verdict } = await verified('etc/apache2/apache2.conf');
      assert.deepEqual(places(verdict.problems), ['etc/apache2/apache2.conf:6 KeepAlive must be On or Off']);
      assert.deepEqual(
        verdict.unchecked.map(({ line, message }) => [line, message]),
        [[4, 'the variable KEEP is not set here; a file that is not in this copy may set it']],
      );
      folder().write('etc/apache2/envvars', 'export APACHE_RUN_USER=www-data\n');
      assert.deepEqual(places((await verified('etc/apache2/apache2.conf')).verdict.problems), [
        'etc/apache2/apache2.conf:5 KeepAlive must be On or Off',
        'etc/apache2/apache2.conf:6 KeepAlive must be On or Off',
      ]);
    });

    it('loads what a module needs before it, and nothing that only files beside the main file need', async () => {
      const main = 'ServerRoot "/etc/apache2"\nListen 80\nInclude /etc/apache2/conf.d/x.conf\n';
      const modules = '/usr/lib/apache2/modules';
      const diskCache = `LoadModule disk_cache_module ${modules}/mod_disk_cache.so\n`;
      folder().write('n/etc/apache2.conf', `${main}Include /etc/apache2/mods-enabled/*.load\n`);
      folder().write('n/etc/mods-enabled/cache.load', `LoadModule cache_module ${modules}/mod_cache.so\n`);
      folder().write('n/etc/mods-enabled/disk_cache.load', diskCache);
      const { verdict } = await verified('n/etc/apache2.conf');
      assert.ok(verdict.assumedModules.includes('cache_disk'), verdict.assumedModules.join());
      assert.deepEqual(places(verdict.problems), [
        'n/etc/mods-enabled/disk_cache.load:1 Cannot load mod_disk_cache.so into server',
      ]);
      // Another main file, which does not read that line.
      folder().write('o/etc/apache2.conf', main);
      folder().write('o/etc/mods-available/disk_cache.load', diskCache);
      const { assumedModules } = (await verified('o/etc')).verdict;
      assert.deepEqual(assumedModules, (await verified('o/etc/apache2.conf')).verdict.assumedModules);
      assert.ok(!assumedModules.includes('cache_disk'), assumedModules.join());
    });

    it('on a copy from Windows, loads the files that modules are linked with, as Windows does', async () => {
      const lines = 'LoadModule dav_lock_module modules/mod_dav_lock.so\nServerName a\nListen 80\nDav on\n';
      const problemsWith = async (serverRoot: string) => {
        folder().write('win/conf/httpd.conf', `ServerRoot "${serverRoot}"\n${MODULES}${lines}`);
        return places((await verified('win/conf/httpd.conf')).verdict.problems);
      };
      assert.deepEqual(await problemsWith('C:/Apache24'), ["win/conf/httpd.conf:8 Invalid command 'Dav'"]);
      assert.match((await problemsWith('/usr/local/apache2'))[0]!, /:5 Cannot load .*mod_dav_lock\.so into server/);
    });

    it('loads the modules that the plan names, where the files that load modules are not in the copy', async () => {
      folder().write('m/etc/mods-enabled/alias.so', 'not loaded');
      folder().write(
        'm/etc/apache2.conf',
        'ServerRoot "/etc/apache2"\nServerName a\nListen 80\nInclude mods-enabled/*.load\nAlias /icons/ "/srv/icons/"\nAddHandler cgi-script .cgi\nAlias /broken\n<Directory /srv>\n    Require valid-user\n</Directory>\nMonoServerPath /x\n',
      );
      const { verdict } = await verified('m/etc/apache2.conf');
      assert.deepEqual(places(verdict.problems), [
        'm/etc/apache2.conf:7 Alias must have two arguments when used globally',
      ]);
      assert.deepEqual(places(verdict.unchecked), [
        'm/etc/apache2.conf:11 this directive is in mod_mono',
        'm/etc/apache2.conf:4 the included file is not in this copy',
      ]);
      assert.ok(['alias', 'authz_core', 'authz_user', 'mime'].every((name) => verdict.assumedModules.includes(name)));
      assert.equal(verdict.accepted, false);
      const { out } = await folder().run(['verify', '--httpd', findHttpd()!.binary, 'm/etc/apache2.conf']);
      assert.match(
        out.replace(/\s+/g, ' '),
        /Your lines need these modules, but no line here loads them: alias, authz_core, authz_user, mime, an MPM such as mpm_prefork\. Write a LoadModule line .* httpd loaded other modules, too, only for this check: auth_basic, .*setenvif\./,
      );
    });

    it('loads no module of the plan where all files are in the copy', async () => {
      folder().write('w/etc/apache2.conf', 'ServerRoot "/etc/apache2"\nServerName a\nListen 80\nAlias /i/ "/srv/i/"\n');
      const { verdict } = await verified('w/etc/apache2.conf');
      assert.deepEqual(verdict.assumedModules, []);
      assert.ok(places(verdict.problems).includes("w/etc/apache2.conf:4 Invalid command 'Alias'"));
    });

    it('does not begin its result like a pass if lines were not checked', async () => {
      folder().write(
        'p/httpd.conf',
        `ServerRoot "/srv"\n${MODULES}Listen 80\nServerName a\nInclude none.conf\nRewriteEngine on\n`,
      );
      const { out } = await folder().run(['verify', '--httpd', findHttpd()!.binary, 'p/httpd.conf']);
      assert.match(
        out,
        /^2 lines could not be checked here: "not checked" above says why\.\nhttpd reports no error in the other lines\.$/m,
      );
      assert.doesNotMatch(out, /httpd reports no error\./);
    });

    it('reads a copied tree with the paths of this machine, and finds all that is refused, at its lines', async () => {
      folder().write(
        'httpd/conf/httpd.conf',
        `ServerRoot "/etc/httpd"\n${MODULES}Include conf.d/*.conf\nInclude /etc/httpd/extra.conf\nSSLMutex \\\n  default\nServerName a\n`,
      );
      folder().write(
        'httpd/conf.d/b.conf',
        '<Directory /srv>\n    Order allow,deny\n    Require all granted\n</Directory>\n',
      );
      folder().write('httpd/conf.d/a.conf', '# fine\nServerAdmin a@example.com\n');
      folder().write('httpd/extra.conf', '\n\nRewriteLogg x\n');
      const { verdict, code } = await verified('httpd/conf/httpd.conf');
      assert.deepEqual(places(verdict.problems), [
        "httpd/conf.d/b.conf:2 Invalid command 'Order'",
        "httpd/conf/httpd.conf:8 Invalid command 'SSLMutex'",
        "httpd/extra.conf:3 Invalid command 'RewriteLogg'",
      ]);
      assert.deepEqual([verdict.way, verdict.ok, code], ['copy', false, 1]);
    });

    it('calls a template a template, and shows no path of its copy', async () => {
      folder().write('t/httpd.conf', 'Listen 80\n<%- if @docroot -%>\n<%- end -%>\nServerName {{ name }}\n');
      const { out } = await folder().run(['verify', 't/httpd.conf']);
      assert.match(
        out,
        /^t\/httpd\.conf is a template: httpd cannot read placeholders such as @NAME@\. Lines\nwith placeholders are not checked\. [^]*\nt\/httpd\.conf:2: not checked \(also 2 other lines\): template text, .*\n/,
      );
      assert.match(out, /\nhttpd reports no error in the other lines\.\n/);
      assert.doesNotMatch(out, /\/tmp|files\/0\.conf|\\n/);
    });

    it('what a template line may load is not refused; a name that 2.4 does not have is', async () => {
      folder().write(
        't/httpd.conf.in',
        'ServerRoot @root@\nListen @port@\n@@LoadModule@@\nSSLMutex file:@run@/m\n<Directory @docs@>\nOrder allow,deny\n</Directory>\n',
      );
      const { verdict } = await verified('t/httpd.conf.in');
      assert.deepEqual(places(verdict.problems), ["t/httpd.conf.in:4 Invalid command 'SSLMutex'"]);
      assert.deepEqual(places(verdict.unchecked), [
        'null: no line here loads an MPM; a template line may load it',
        't/httpd.conf.in:2 template text',
        't/httpd.conf.in:3 template text',
        't/httpd.conf.in:6 this directive is in mod_access_compat',
      ]);
      assert.equal(verdict.accepted, false);
    });

    it('a user whose name is a variable of Debian is no missing account', async () => {
      folder().write(
        'd/apache2.conf',
        `${MODULES}User \${APACHE_RUN_USER}\nServerName a\nPidFile \${APACHE_PID_FILE}\n`,
      );
      const { verdict } = await verified('d/apache2.conf');
      const reason =
        'the variable APACHE_RUN_USER is not set here, so the user is not known; on Debian, /etc/apache2/envvars sets it';
      assert.deepEqual(
        verdict.unchecked.map(({ message }) => message),
        [reason],
      );
      const { out } = await folder().run(['verify', 'd/apache2.conf']);
      assert.match(
        out,
        /APACHE_PID_FILE\} is not defined \(AH00111\)\n {4}On Debian, \/etc\/apache2\/envvars sets this/,
      );
    });

    it('names links that are text files, once', async () => {
      for (const name of ['a', 'b']) folder().write(`l/sites-enabled/${name}`, `../sites-available/${name}`);
      folder().write('l/apache2.conf', 'ServerRoot /etc/apache2\nListen 80\nInclude sites-enabled/\n');
      const { out } = await folder().run(['verify', 'l/apache2.conf']);
      assert.equal(out.split('This file is a symbolic link on the server.').length, 2, out);
    });

    it('refuses a .htaccess file, which httpd reads only for a request', async () => {
      folder().write('.htaccess', 'DirectoryIndex a\n');
      const { code, err } = await verified('.htaccess');
      assert.equal(code, 2);
      assert.match(err, /verify reads main configuration files\. httpd reads \.htaccess only when a request comes/);
    });

    it('says of a tree that is right that nothing is refused', async () => {
      folder().write(
        'httpd/conf/httpd.conf',
        `ServerRoot "/etc/httpd"\n${MODULES}ServerName a\n<Directory /srv>\n    Require all denied\n</Directory>\n`,
      );
      const { out, code } = await folder().run(['verify', '--httpd', findHttpd()!.binary, 'httpd/conf/httpd.conf']);
      assert.match(
        out,
        /^httpd 2\.4\.\d+ \(.*\) read a temporary copy of 1 file\. In\s+the\s+copy,\s+paths\s+that\s+this\s+machine\s+does\s+not\s+have\s+are\s+replaced\.\nhttpd reports no error\.$/m,
      );
      assert.equal(code, 0);
    });

    it('says what httpd did not read, because it started without a name', async () => {
      folder().write(
        'httpd/conf/httpd.conf',
        `ServerRoot "/etc/httpd"\n${MODULES}ServerName a\nDefine OWN\n<IfDefine OWN>\nServerAdmin a@a.org\n</IfDefine>\n<IfDefine SSL>\nLoadModule x_module modules/mod_x.so\n<IfDefine HOST>\nInclude conf.d/a.conf\n</IfDefine>\n</IfDefine>\n<IfDefine !PLAIN>\nServerAlias x\n</IfDefine>\n`,
      );
      folder().write('httpd/conf.d/a.conf', '# a\n<VirtualHost *:80>\nNoSuchDirective on\n</VirtualHost>\n');
      const run = async (...names: string[]) => {
        const { verdict } = await verified(...names, 'httpd/conf/httpd.conf');
        return [verdict.accepted, places(verdict.problems), places(verdict.unchecked), verdict.unread] as const;
      };
      const alias = 'httpd/conf/httpd.conf:17 ServerAlias only used in <VirtualHost>';
      const unread = { lines: 5, virtualHosts: 1, conditions: ['SSL'], names: ['SSL', 'HOST'] };
      assert.deepEqual(await run(), [false, [alias], [], { ...unread, isKnown: false }]);
      assert.deepEqual(await run('-D', 'PLAIN', '-D', 'SSL'), [
        false,
        [],
        ['httpd/conf/httpd.conf:11 mod_x.so is not installed here'],
        { lines: 4, virtualHosts: 1, conditions: ['HOST', '!PLAIN'], names: ['HOST'], isKnown: true },
      ]);
      assert.deepEqual(await run('--answer', 'define:SSL=off', '--answer', 'define:PLAIN=on'), [
        true,
        [],
        [],
        { lines: 1, virtualHosts: 0, conditions: ['!PLAIN'], names: [], isKnown: true },
      ]);
    });

    it('does not ask for a name that a line of the files defines', async () => {
      const serveCgi =
        '<IfModule mod_mem_cache.c>\nDefine CGI\n<IfDefine X>\nServerAdmin a@a.org\n</IfDefine>\n</IfModule>\n<IfDefine CGI>\nServerAdmin a@a.org\n</IfDefine>\n<IfDefine !LOGS>\nDefine LOGS /x\n</IfDefine>\n<IfDefine !LOGS>\nServerSignature Off\n</IfDefine>\n';
      folder().write('httpd/conf/httpd.conf', `ServerRoot "/etc/httpd"\n${MODULES}ServerName a\n${serveCgi}`);
      const { verdict } = await verified('httpd/conf/httpd.conf');
      assert.deepEqual([verdict.accepted, verdict.unread], [true, null]);
      const { out } = await folder().run(['plan', '--format', 'json', 'httpd/conf/httpd.conf']);
      assert.equal(JSON.parse(out).configurations[0].openNames, undefined);
    });

    it('says plainly what it cannot check: modules, files and directories that are not here', async () => {
      folder().write(
        'httpd/conf/httpd.conf',
        `ServerRoot "/etc/httpd"\n${MODULES}LoadModule php5_module modules/libphp5.so\nphp_value a b\nphp_value c d\nPHPIniDir /nowhere\nInclude gone/x.conf\nErrorLog /nowhere/logs/x\nServerName a\nUser nobody-of-this-name\n<Perl>\n  system("touch owned");\n</Perl>\nLoadFile /usr/lib/libx.so\n`,
      );
      const { verdict, code } = await verified('httpd/conf/httpd.conf');
      assert.deepEqual(verdict.problems, []);
      assert.deepEqual(
        places(verdict.unchecked),
        [
          'httpd/conf/httpd.conf:13 <Perl> is a program',
          'httpd/conf/httpd.conf:16 a library of the server',
          'httpd/conf/httpd.conf:5 libphp5.so is not installed here',
          'httpd/conf/httpd.conf:6 this directive is in mod_php5',
          'httpd/conf/httpd.conf:7 this directive is in mod_php5',
          'httpd/conf/httpd.conf:8 this directive is in mod_php5',
          'httpd/conf/httpd.conf:9 the included file is not in this copy',
          'httpd/conf/httpd.conf:12 there is no user nobody-of-this-name here',
        ].sort(),
      );
      assert.equal(code, 0);
      assert.ok(!existsSync(folder().at('owned')));
    });

    it('does not call refused what a file that is not here may load', async () => {
      folder().write(
        'httpd/conf/httpd.conf',
        `ServerRoot "/etc/httpd"\n${MODULES}Include conf.modules.d/*.conf\nRewriteEngine on\nSSLMutex default\nCustomLog /nowhere/logs/a "%h"\nServerName a\n`,
      );
      const { verdict } = await verified('httpd/conf/httpd.conf');
      assert.deepEqual(places(verdict.problems), ["httpd/conf/httpd.conf:7 Invalid command 'SSLMutex'"]);
      assert.deepEqual(places(verdict.unchecked), [
        'httpd/conf/httpd.conf:5 the included file is not in this copy',
        'httpd/conf/httpd.conf:6 this directive is in mod_rewrite',
      ]);
    });

    it('does not call an error what the modules of a missing file may bring', async () => {
      const text = (head: string) =>
        `ServerRoot "/etc/httpd"\n${head}\nServerName a\nLogFormat "%{SSL_CIPHER}x %c" ssl\nLogFormat "%h %j" odd\nSSLMutex default\n`;
      const mpm = 'no line here loads an MPM';
      const ssl =
        '%x in LogFormat belongs to mod_ssl, which no line here loads; a file that is not in this copy may load it';
      for (const head of ['Include conf.modules.d/*.conf', 'IncludeOptional conf.modules.d/*.conf']) {
        folder().write('httpd/conf/httpd.conf', text(head));
        const { verdict } = await verified('httpd/conf/httpd.conf');
        assert.deepEqual(places(verdict.problems), [
          'httpd/conf/httpd.conf:5 Unrecognized LogFormat directive %j',
          "httpd/conf/httpd.conf:6 Invalid command 'SSLMutex'",
        ]);
        const messages = verdict.unchecked.map(({ message }) => message);
        assert.ok(messages.includes(ssl), messages.join('\n'));
        assert.ok(messages.some((message) => message.startsWith(mpm)));
      }
      // Nothing is missing in these copies.
      for (const head of [MODULES.trimEnd().split('\n')[0]!, 'Include extra/*.conf']) {
        folder().write('httpd/conf/httpd.conf', text(head));
        folder().write('httpd/extra/a.conf', 'Listen 80\n');
        const { verdict } = await verified('httpd/conf/httpd.conf');
        assert.deepEqual(verdict.unchecked, []);
        assert.ok(places(verdict.problems).includes('httpd/conf/httpd.conf:4 Unrecognized LogFormat directive %x'));
      }
    });

    it('does not call an error a line that httpd skips with a module of a missing file', async () => {
      const text = (head: string) =>
        `ServerRoot "/etc/httpd"\n${head}ServerName a\nSSLMutex default\n<IfModule !mod_rewrite.c>\nSSLMutex default\n</IfModule>\n`;
      const problem = (line: number) => `httpd/conf/httpd.conf:${line} Invalid command 'SSLMutex'`;
      const reason = 'httpd reads this line only without mod_rewrite; a file that is not in this copy may load it';
      folder().write('httpd/conf/httpd.conf', text('Include conf.modules.d/*.conf\n'));
      const { verdict } = await verified('httpd/conf/httpd.conf');
      assert.deepEqual(places(verdict.problems), [problem(4)]);
      assert.deepEqual(
        verdict.unchecked.filter(({ line }) => line === 5).map(({ message }) => message),
        [reason],
      );
      // Nothing is missing in this copy.
      folder().write('httpd/conf/httpd.conf', text(MODULES));
      const whole = await verified('httpd/conf/httpd.conf');
      assert.equal(whole.verdict.problems.length, 2);
    });

    it('reports once that two MPMs are loaded', async () => {
      folder().write('two.conf', `${MODULES}LoadModule mpm_worker_module modules/mod_mpm_worker.so\nServerName a\n`);
      const { verdict } = await verified('two.conf');
      assert.deepEqual(places(verdict.problems), ['null: Configuration error']);
      assert.match(verdict.problems[0]!.message, /More than one MPM loaded/);
    });

    it('expects no module of a file that another file includes', async () => {
      folder().write('ajp.conf', 'JkWorkersFile conf/workers.properties\nSSLEngine on\nSSLMutex default\nWrong x\n');
      const { verdict } = await verified('ajp.conf');
      assert.deepEqual(places(verdict.problems), [
        "ajp.conf:3 Invalid command 'SSLMutex'",
        "ajp.conf:4 Invalid command 'Wrong'",
      ]);
      assert.deepEqual(places(verdict.unchecked), [
        'ajp.conf:1 this directive is in mod_jk',
        'ajp.conf:2 this directive is in mod_ssl',
        'null: no line here loads an MPM; a file that is not in this copy may load it',
      ]);
    });

    it('expects all modules of a file that may be all that a server reads', async () => {
      for (const [name, text] of [
        ['httpd.conf', 'SSLEngine on\n'],
        ['server.conf', 'Listen 80\nUser nobody\nSSLEngine on\n'],
      ]) {
        folder().write(name, text);
        const { verdict, code } = await verified(name);
        assert.equal(code, 1);
        assert.deepEqual(verdict.unchecked, []);
        assert.deepEqual(
          verdict.problems.map(({ message }) => message.split(',')[0]),
          ['Configuration error: No MPM loaded.', "Invalid command 'SSLEngine'"],
        );
      }
    });

    it('says first what httpd read, if only the MPM is not checked', async () => {
      folder().write('a.conf', 'KeepAlive on\n');
      const { out } = await folder().run(['verify', 'a.conf']);
      assert.match(
        out.replaceAll('\n', ' '),
        /^httpd 2\.4.* The MPM is not checked: no line here loads an MPM; .* httpd reports no error in the lines that it read\. /,
      );
    });

    it('does not take a file with only a Listen line for a whole server: ssl.conf has one', async () => {
      folder().write('ssl.conf', 'Listen 443\nSSLMutex default\nAddType a/b .b\nSSLEngine on\nSSLOptions +Std\n');
      const { verdict } = await verified('ssl.conf');
      assert.deepEqual(places(verdict.problems), ["ssl.conf:2 Invalid command 'SSLMutex'"]);
      assert.deepEqual(places(verdict.unchecked), [
        'null: no line here loads an MPM; a file that is not in this copy may load it',
        'ssl.conf:4 this directive is in mod_ssl',
        'ssl.conf:5 this directive is in mod_ssl',
      ]);
      assert.equal(verdict.accepted, false);
    });

    it('reads the lines for 2.4 in a file without LoadModule lines', async () => {
      const site = (words: string) =>
        `Alias /a /srv/a\n<Directory /srv/a>\n  <IfModule mod_authz_core.c>\n    ${words}\n  </IfModule>\n  <IfModule !mod_authz_core.c>\n    Order allow,deny\n  </IfModule>\n</Directory>\n`;
      const mpm = 'null: no line here loads an MPM; a file that is not in this copy may load it';
      folder().write('site.conf', site('Require all grantd'));
      const wrong = await verified('site.conf');
      assert.deepEqual(places(wrong.verdict.problems), [
        "site.conf:4 Argument for 'Require all' must be 'granted' or 'denied'",
      ]);
      assert.deepEqual([places(wrong.verdict.unchecked), wrong.code], [[mpm], 1]);
      folder().write('site.conf', site('Require all granted'));
      const { verdict, code } = await verified('site.conf');
      assert.deepEqual([verdict.problems, places(verdict.unchecked), code], [[], [mpm], 0]);
      assert.ok(['alias', 'authz_core', 'authz_host'].every((name) => verdict.assumedModules.includes(name)));
      assert.equal(verdict.accepted, false);
      // The same in a main file whose LoadModule lines are in a missing file.
      folder().write('m/httpd.conf', `Include conf.modules.d/*.conf\n${site('Require all grantd')}`);
      assert.deepEqual(places((await verified('m/httpd.conf')).verdict.problems), [
        "m/httpd.conf:5 Argument for 'Require all' must be 'granted' or 'denied'",
      ]);
    });

    it('says which lines for another module or release it skipped', async () => {
      const reason = 'httpd reads this line only with mod_rewrite; a file that is not in this copy may load it';
      folder().write(
        's/site.conf',
        '<IfModule mod_rewrite.c>\nRewriteEngine onn\n<IfModule !mod_alias.c>\nWrong x\n</IfModule>\n</IfModule>\n<IfVersion < 2.4.5>\nWrong x\n</IfVersion>\n<IfVersion < 2.4>\nWrong x\n</IfVersion>\n<IfModule mod_mem_cache.c>\nWrong x\n</IfModule>\n<IfModule mod_rewrite>\nWrong x\n</IfModule>\n',
      );
      const { verdict } = await verified('s/site.conf');
      assert.deepEqual(verdict.problems, []);
      const skipped = verdict.unchecked.filter(({ line }) => line !== null);
      assert.deepEqual(
        skipped.slice(0, 3).map(({ line, message }) => [line, message]),
        [1, 2, 3].map((line) => [line, reason]),
      );
      assert.equal(skipped.length, 4);
      assert.match(
        `${skipped[3]!.line} ${skipped[3]!.message}`,
        /^7 only other releases than 2\.4\.\d+ read this line$/,
      );
      // A file that only such a section includes, and a module that this machine does not have.
      const head = `ServerRoot "/srv"\n${MODULES}LoadModule php5_module modules/libphp5.so\n`;
      folder().write(
        's/httpd.conf',
        `${head}<IfModule mod_php5.c>\nInclude php.conf\n</IfModule>\n<IfModule mod_rewrite.c>\nRewriteEngine on\n</IfModule>\n`,
      );
      folder().write('s/php.conf', 'php_value a b\n');
      const whole = await verified('s/httpd.conf');
      const php = 'httpd reads this line only with mod_php5';
      assert.deepEqual(places(whole.verdict.unchecked), [
        's/httpd.conf:5 libphp5.so is not installed here',
        `s/httpd.conf:7 ${php}`,
        `s/php.conf:1 ${php}`,
      ]);
    });

    it('does not call a provider of a module that another file may load an error', async () => {
      folder().write(
        'site.conf',
        '<Directory /srv>\nAuthBasicProvider ldap\nRequire group a\nRequire Group a\nRequire user b\nRequire unix-group a\n</Directory>\n',
      );
      const { verdict } = await verified('site.conf');
      assert.deepEqual(places(verdict.problems), ['site.conf:4 Unknown Authz provider']);
      const why = 'which no line here loads; a file that is not in this copy may load it';
      assert.deepEqual(
        verdict.unchecked.filter(({ line }) => line !== null).map(({ line, message }) => `${line! + 1} ${message}`),
        [
          `2 the Authn provider ldap belongs to mod_authnz_ldap, ${why}`,
          `3 the Authz provider group belongs to mod_authz_groupfile, ${why}`,
          `6 the Authz provider unix-group belongs to mod_authz_unixgroup, ${why}`,
        ],
      );
    });

    it('does not excuse a module that no 2.4 has', async () => {
      folder().write(
        'httpd/conf/httpd.conf',
        `ServerRoot "/etc/httpd"\n${MODULES}LoadModule authz_default_module modules/mod_authz_default.so\n`,
      );
      const { verdict } = await verified('httpd/conf/httpd.conf');
      assert.deepEqual(
        verdict.problems.map(({ line }) => line),
        [4],
      );
      assert.match(verdict.problems[0].message, /mod_authz_default\.so/);
      assert.doesNotMatch(verdict.problems[0].message, /httpd-upgrade-verify/);
    });

    it('reads on without an MPM', async () => {
      folder().write('httpd/conf/httpd.conf', 'ServerRoot "/etc/httpd"\nServerName a\nSSLMutex default\n');
      const { verdict } = await verified('httpd/conf/httpd.conf');
      assert.deepEqual(places(verdict.problems), [
        "httpd/conf/httpd.conf:3 Invalid command 'SSLMutex'",
        'null: Configuration error',
      ]);
    });

    it('takes it that the program of a server from source has an MPM', async () => {
      folder().write('apache2/conf/httpd.conf', 'ServerRoot "/usr/local/apache2"\nServerName a\nSSLMutex default\n');
      const { verdict } = await verified('apache2/conf/httpd.conf');
      assert.deepEqual(places(verdict.problems), ["apache2/conf/httpd.conf:3 Invalid command 'SSLMutex'"]);
    });

    it('reads a configuration where it lies, as it stands, when a user asks for that', async () => {
      folder().write(
        'etc/httpd.conf',
        `ServerRoot "${folder().at('etc')}"\n${loadModuleLines(findHttpd()!, ['authz_core']).join('\n')}\nDefaultRuntimeDir ${folder().at('etc')}\nListen 8099\nServerName a\n${accountLines().join('\n')}\n`,
      );
      mkdirSync(folder().at('etc/logs'));
      const { verdict } = await verified('--in-place', 'etc/httpd.conf');
      assert.deepEqual([verdict.way, verdict.ok], ['in-place', true]);
    });

    it('takes a command that leads to another machine, and maps what it says back', async () => {
      folder().write(
        'bin/docker',
        `#!/bin/sh
case "$*" in
  'exec web httpd -V') echo 'Server version: Apache/2.4.62 (Unix)'; echo ' -D HTTPD_ROOT="/etc/httpd"'; echo ' -D SERVER_CONFIG_FILE="conf/httpd.conf"';;
  'exec web httpd -l') echo '  core.c';;
  'exec web httpd -t -D A') echo "AH00526: Syntax error on line 2 of /etc/httpd/conf.d/a.conf:" >&2; echo "Invalid command 'Order', perhaps misspelled" >&2; exit 1;;
  *) echo "not asked so: $*" >&2; exit 3;;
esac
`,
      );
      chmodSync(folder().at('bin/docker'), 0o755);
      folder().write('web/conf/httpd.conf', 'ServerRoot "/etc/httpd"\nInclude conf.d/*.conf\n');
      folder().write('web/conf.d/a.conf', '\nOrder allow,deny\n');
      const { out, code } = await folder().run([
        'verify',
        '--format',
        'json',
        '-D',
        'A',
        '--httpd',
        `${folder().at('bin/docker')} exec web httpd`,
        'web/conf/httpd.conf',
      ]);
      const { way, problems } = JSON.parse(out) as Verdict;
      assert.deepEqual([way, places(problems), code], ['command', ["web/conf.d/a.conf:2 Invalid command 'Order'"], 1]);
    });

    it('has no shell in between', async () => {
      folder().write('httpd.conf', 'ServerName a\n');
      for (const program of [
        `${findHttpd()!.binary}; touch owned`,
        '$(touch owned)',
        '`touch owned`',
        `${findHttpd()!.binary} | touch owned`,
      ]) {
        const { code } = await folder().run(['verify', '--httpd', program, 'httpd.conf']);
        assert.equal(code, 2, program);
      }
      assert.ok(!existsSync(folder().at('owned')));
    });

    for (const [title, program, reason] of [
      ['what is not there', '/nowhere/httpd', /\/nowhere\/httpd: this program does not exist/],
      ['what is no httpd', '/bin/true', /\/bin\/true is not httpd, or it does not run/],
      ['an older one', 'old', /old is httpd 2\.2\.34, but the check needs httpd 2\.4/],
    ] as const) {
      it(`refuses ${title}`, async () => {
        folder().write('old', '#!/bin/sh\necho Server version: Apache/2.2.34\n');
        chmodSync(folder().at('old'), 0o755);
        folder().write('httpd.conf', 'ServerName a\n');
        const { err, code } = await folder().run([
          'verify',
          '--httpd',
          program === 'old' ? folder().at('old') : program,
          'httpd.conf',
        ]);
        assert.equal(code, 2);
        assert.match(err, reason);
      });
    }

    it('runs httpd a limited number of times, and says where it goes on', async () => {
      const { binary } = findHttpd()!;
      const program = folder().at('stops-at-each-line');
      folder().write('runs', '');
      folder().write(
        'stops-at-each-line',
        [
          '#!/bin/sh',
          `case "$1" in -t) ;; *) exec ${binary} "$@" ;; esac`,
          `echo run >>"${folder().at('runs')}"`,
          'while [ "$1" != -f ]; do shift; done',
          'row=$(grep -n -m1 LogLevel "$2" | cut -d: -f1)',
          'echo "AH00526: Syntax error on line $row of $2:" >&2',
          'echo "Log level keyword must be one of emerg/alert" >&2',
          'exit 1',
          '',
        ].join('\n'),
      );
      chmodSync(program, 0o755);
      folder().write('httpd.conf', `${'LogLevel x\n'.repeat(400)}`);
      const { verdict } = await verified('--httpd', program, 'httpd.conf');
      const runs = folder().text('runs').split('\n').length - 1;
      assert.ok(runs <= 100, `${runs} runs`);
      assert.deepEqual([verdict.problems.length, verdict.ok, verdict.accepted], [runs, false, false]);
      const [rest, ...others] = verdict.unchecked;
      assert.deepEqual([rest!.file, rest!.line, others], ['httpd.conf', runs - 1, []]);
      assert.match(rest!.message, new RegExp(`^what httpd reads after this line\\. .* it ran ${runs} times`));
    });

    it('takes the directory of a main file', async () => {
      folder().write('conf/httpd.conf', 'ServerRoot /nowhere\nListen 80\n');
      const [{ out }, listed] = [await folder().run(['verify', '.']), await folder().run(['includes', '.'])];
      assert.match(out, /read a temporary copy of 1 file/);
      assert.match(out, /^Main configuration file: conf\/httpd\.conf$/m);
      assert.match(listed.out, /^conf\/httpd\.conf {2}\(1 file\)$/m);
    });

    it('takes no copy that no server reads for the main file of a directory', async () => {
      const text = 'ServerRoot /nowhere\nListen 80\n';
      folder().write('o/conf/original/httpd.conf', text);
      const { code, err } = await folder().run(['verify', 'o']);
      assert.equal(code, 2);
      assert.match(err, /only copies that no server reads; if .*give its path: o\/conf\/original\/httpd\.conf/);
      // A main file at an unusual place goes before the copy.
      folder().write('o/own/web/httpd.conf', text);
      assert.match((await folder().run(['verify', 'o'])).out, /^Main configuration file: o\/own\/web\/httpd\.conf$/m);
      // The user may name the copy.
      const { out } = await folder().run(['verify', 'o/conf/original/httpd.conf']);
      assert.match(out, /read a temporary copy of 1 file/);
      assert.doesNotMatch(out, /Main configuration file/);
    });

    it('says what it takes', async () => {
      folder().write('a.conf', '');
      assert.match((await folder().run(['verify', 'a.conf', 'a.conf'])).err, /too many arguments for 'verify'/);
      assert.match(
        (await folder().run(['verify', '--format', 'html', 'a.conf'])).err,
        /argument 'html' is invalid\. Allowed choices are text, json/,
      );
      assert.match(
        (await folder().run(['verify', '.'])).err,
        /\.: has no main configuration file \(httpd\.conf or apache2\.conf\); give the path/,
      );
      assert.match((await folder().run(['verify', 'gone.conf'])).err, /gone\.conf: does not exist/);
      folder().write('site/.htaccess', 'Deny from all\n');
      folder().write('site/intern/.htaccess', 'Deny from all\n');
      assert.match((await folder().run(['verify', 'site'])).err, /site: has only \.htaccess files, and what they do/);
    });
  }),
);
