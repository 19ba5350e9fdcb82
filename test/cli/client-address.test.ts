/** Lines by address, if a module of 2.2 sets the address of the client. */
import assert from 'node:assert/strict';
import { withFolder } from './run';

const HEAD = 'ServerRoot /srv\nListen 80\nDocumentRoot /srv/www\n';
const ACCESS =
  '<Directory />\n AllowOverride None\n</Directory>\n<VirtualHost *:80>\n<Location /server-status>\n Order deny,allow\n Deny from all\n Allow from 127.0.0.1\n</Location>\n</VirtualHost>\n<VirtualHost *:81>\n<Location /open>\n Order allow,deny\n Allow from all\n</Location>\n</VirtualHost>\n';
/** Of 2.4: beside it, nothing old is converted before it is known which version runs. */
const HOST = '<Directory /srv/b>\n Require host example.org\n</Directory>\n';
const RPAF =
  'LoadModule rpaf_module modules/mod_rpaf-2.0.so\n<IfModule mod_rpaf-2.0.c>\n RPAFenable On\n RPAFsethostname On\n RPAFproxy_ips 127.0.0.1 10.0.0.1\n RPAFheader X-Real-IP\n</IfModule>\n';

describe(
  'client-address',
  withFolder((folder) => {
    const findings = async (modules: string, ...args: string[]) => {
      folder().write('httpd.conf', HEAD + modules + ACCESS + HOST);
      const { out } = await folder().run(['check', '--format', 'json', ...args, 'httpd.conf']);
      const all = JSON.parse(out).files.flatMap((file: { findings: unknown[] }) => file.findings);
      return all.filter(({ rule }: { rule: string }) => rule === 'client-address') as {
        line: number;
        message: string;
      }[];
    };
    const fixed = async (modules: string, answer?: string) => {
      folder().write('httpd.conf', HEAD + modules + ACCESS);
      const answers = answer === undefined ? [] : ['--answer', `client-address=${answer}`];
      await folder().run(['fix', '--write', ...answers, 'httpd.conf']);
      return folder().text('httpd.conf');
    };

    it('names each line by address, and the module', async () => {
      const found = await findings(RPAF);
      assert.deepEqual(found.map(({ message }) => /`[^`]*`/.exec(message)![0]).sort(), [
        '`Allow from 127.0.0.1`',
        '`Require host example.org`',
        '`rpaf_module`',
      ]);
    });

    it('the same for each module of the kind; not where it is off, or mod_remoteip has taken over', async () => {
      for (const load of [
        'rpaf_module modules/mod_rpaf.so\nRPAFenable On\nRPAFproxy_ips 10.0.0.1',
        'realip2_module modules/mod_realip2.so\nRealIP On\nRealIPProxy 10.0.0.1',
        'cloudflare_module modules/mod_cloudflare.so',
        'extract_forwarded_module modules/mod_extract_forwarded.so',
        'myfixip_module modules/mod_myfixip.so\nRewriteIPAllow 10.0.0.1',
        'vgremoteip_module modules/mod_vgremoteip.so',
      ])
        assert.equal((await findings(`LoadModule ${load}\n`)).length, 3, load);
      for (const none of [
        '',
        'LoadModule rpaf_module modules/mod_rpaf.so\n',
        'LoadModule rpaf_module modules/mod_rpaf.so\nRPAFproxy_ips 10.0.0.1\n',
        'LoadModule rpaf_module modules/mod_rpaf.so\nRPAFenable On\n',
        'LoadModule rpaf_module modules/mod_rpaf.so\nRPAFenable Off\nRPAFproxy_ips 10.0.0.1\n',
        'LoadModule realip2_module modules/mod_realip2.so\nRealIPProxy 10.0.0.1\n',
        'LoadModule remoteip_module modules/mod_remoteip.so\nRemoteIPHeader X-Forwarded-For\n',
      ])
        assert.deepEqual(await findings(none), [], none);
      assert.deepEqual(await findings(RPAF, '--answer', 'client-address=module'), []);
    });

    it('files that no configuration reads: the lines of the module decide about those of the others', async () => {
      const old = '<Location /s>\n Order deny,allow\n Deny from all\n Allow from 127.0.0.1\n</Location>\n';
      folder().write('conf.d/rpaf.conf', RPAF);
      folder().write('conf.d/access.conf', old);
      const { out } = await folder().run(['check', '--format', 'json', 'conf.d']);
      const found = JSON.parse(out).files.flatMap((file: { path: string; findings: { rule: string }[] }) =>
        file.findings.filter((each) => each.rule.startsWith('client-address')).map(() => file.path),
      );
      assert.deepEqual(found, ['conf.d/rpaf.conf']);
      const fix = async (...args: string[]) => {
        await folder().run(['fix', '--write', '--assume-standalone', ...args, 'conf.d']);
        return folder().text('conf.d/access.conf');
      };
      assert.equal(await fix(), old);
      assert.equal(await fix('--answer', 'client-address=keep'), old);
      assert.match(await fix('--answer', 'client-address=remoteip'), /^<Location \/s>\n Require ip 127\.0\.0\.1\n/);
      assert.match(
        folder().text('conf.d/rpaf.conf'),
        / RemoteIPInternalProxy 127\.0\.0\.1 10\.0\.0\.1\n RemoteIPHeader X-Real-IP\n/,
      );
    });

    it('lines by address in further macros and in place of Include lines wait for the answer, too', async () => {
      const conf = HEAD + RPAF + '<Directory />\n AllowOverride None\n</Directory>\n';
      const section = (path: string, body: string) => `<Directory ${path}>\n${body}</Directory>\n`;
      const macro = `<Macro M $d $who>\n${section('$d', ' Deny from all\n Allow from $who\n')}</Macro>\n`;
      const byMacro = `${conf}${macro}Use M /srv/a all\nUse M /srv/b all\nUse M /srv/c 10\n`;
      const login = ' AuthType Basic\n AuthName x\n AuthUserFile /srv/passwd\n Require valid-user\n';
      const include = ' Include any.inc\n';
      const byFile = `${conf}${section('/srv/a', `${login} Deny from all\n Allow from 10\n`)}${section('/srv/a/b', include)}${section('/srv/c', include)}${section('/srv/d', include)}`;
      folder().write('any.inc', 'AuthType Basic\nRequire valid-user\nSatisfy Any\n');
      for (const text of [byMacro, byFile]) {
        const before = text.replace('ServerRoot /srv', `ServerRoot ${folder().path}`);
        const fixed = async (...args: string[]) => {
          folder().write('httpd.conf', before);
          await folder().run(['fix', '--write', ...args, 'httpd.conf']);
          return folder().text('httpd.conf');
        };
        assert.doesNotMatch(await fixed(), /Require (ip|host|all)/);
        assert.match(await fixed('--answer', 'client-address=remoteip'), /Require (ip|host) /);
      }
    });

    it('a module whose lines may be in a file that is not here counts as switched on', async () => {
      const found = await findings('LoadModule rpaf_module modules/mod_rpaf.so\nInclude conf.d/rpaf.conf\n');
      assert.equal(found.length, 3);
    });

    it('names all lines that compare the address, in .htaccess files, too', async () => {
      folder().write(
        'www/.htaccess',
        'Order allow,deny\nAllow from all\nDeny from 203.0.113.5\nSetEnvIf Remote_Addr ^10\\. office\nSetEnvIf User-Agent x y\nRewriteCond %{REMOTE_ADDR} !^10\\.\nRewriteCond %{HTTP_HOST} x\n',
      );
      folder().write(
        'httpd.conf',
        `ServerRoot ${folder().path}\nDocumentRoot ${folder().path}/www\n<Directory ${folder().path}/www>\n AllowOverride All\n</Directory>\n${RPAF}<Location /a>\n Require local\n</Location>\n<Location /b>\n Require not host example.org\n Require user 10.0.0.1\n</Location>\nRewriteCond %{REMOTE_HOST} example\n`,
      );
      const { out } = await folder().run(['check', '--format', 'json', '.']);
      const found = JSON.parse(out).files.flatMap((file: { findings: { rule: string; message: string }[] }) =>
        file.findings.filter(({ rule }) => rule === 'client-address'),
      );
      assert.deepEqual(found.map(({ message }: { message: string }) => /`[^`]*`/.exec(message)![0]).sort(), [
        '`Deny from 203.0.113.5`',
        '`Require local`',
        '`Require not host example.org`',
        '`RewriteCond %{REMOTE_ADDR} !^10\\.`',
        '`RewriteCond %{REMOTE_HOST} example`',
        '`SetEnvIf Remote_Addr ^10\\. office`',
        '`rpaf_module`',
      ]);
    });

    it('the answer keep keeps the lines by address, and no others', async () => {
      const kept = await fixed(RPAF, 'keep');
      assert.match(kept, /Allow from 127\.0\.0\.1/);
      assert.match(kept, /Require all granted/);
    });

    it('lines by address are not converted safely; others are, and all with an answer', async () => {
      const unanswered = await fixed(RPAF);
      assert.match(unanswered, /Allow from 127\.0\.0\.1/);
      assert.match(unanswered, /Require all granted/);
      const module = await fixed(RPAF, 'module');
      assert.match(module, /RPAFenable On/);
      assert.match(module, /Require ip 127\.0\.0\.1/);
      assert.match(await fixed(''), /Require ip 127\.0\.0\.1/);
    });

    it('mod_remoteip takes over the lines of the module', async () => {
      assert.match(
        await fixed(RPAF, 'remoteip'),
        /\nLoadModule remoteip_module modules\/mod_remoteip\.so\n<IfModule mod_remoteip\.c>\n RemoteIPInternalProxy 127\.0\.0\.1 10\.0\.0\.1\n RemoteIPHeader X-Real-IP\n<\/IfModule>\n/,
      );
      assert.match(
        await fixed('LoadModule cloudflare_module modules/mod_cloudflare.so\n', 'remoteip'),
        /\nLoadModule remoteip_module modules\/mod_remoteip\.so\nRemoteIPHeader CF-Connecting-IP\n/,
      );
      const refusing = await fixed(
        'LoadModule cloudflare_module modules/mod_cloudflare.so\nDenyAllButCloudFlare\n',
        'remoteip',
      );
      assert.match(refusing, /\nDenyAllButCloudFlare\n/);
      assert.match(refusing, /LoadModule cloudflare_module/);
    });
  }),
);
