/**
 * A section of files above a directory with Satisfy Any: the directory gets a copy of it. If it
 * cannot, the reason names two ways, and each of them converts.
 */
import assert from 'node:assert/strict';
import { withFolder } from '../cli/run';

const TOP = (satisfy: string) => `<Files config.php>\nOrder allow,deny\nDeny from all\n${satisfy}</Files>\n`;
const ADMIN =
  'AuthType Basic\nAuthName a\nAuthUserFile /srv/users\nRequire valid-user\nOrder deny,allow\nDeny from all\nAllow from 203.0.113.7\nSatisfy any\n';
const ANSWER = ['--answer', 'outside-unseen:.=none'];

describe(
  'Satisfy Any below a section of files',
  withFolder((folder) => {
    const fixed = async (top: string, admin: string) => {
      folder().write('.htaccess', top);
      folder().write('shop/admin/.htaccess', admin);
      await folder().run(['fix', '--write', '--fail-on', 'never', ...ANSWER, '.']);
      return [folder().text('.htaccess'), folder().text('shop/admin/.htaccess')] as const;
    };

    it('gets no copy behind a last line that goes on', async () => {
      for (const last of ['Options -Indexes \\\n', 'Options -Indexes \\\r\n', 'Options -Indexes \\'])
        assert.doesNotMatch((await fixed(TOP(''), ADMIN + last))[1], /<Files/, JSON.stringify(last));
    });

    it('gets a copy where a login opens the file in 2.2', async () => {
      const [top, admin] = await fixed(TOP(''), ADMIN);
      assert.equal(top, '<Files config.php>\nRequire all denied\n</Files>\n');
      assert.match(
        admin,
        /Require ip 203\.0\.113\.7\n# A login alone opens these files here, as in httpd 2\.2 because of Satisfy Any\.\n# Remove this section .*\n<Files config\.php>\nRequire valid-user\n<\/Files>\n$/,
      );
      const { out } = await folder().run(['check', ...ANSWER, '.']);
      assert.doesNotMatch(out, /order-allow-deny|access-/);
    });

    it('gets its copy after those of earlier sections, in a file without a last newline', async () => {
      const pattern = '<FilesMatch "^config">\nOrder allow,deny\nDeny from all\n</FilesMatch>\n';
      const [, admin] = await fixed(`${TOP('')}${pattern}`, ADMIN.trimEnd());
      assert.match(
        admin,
        /7\n\n#[^<]*\n<Files config\.php>\nRequire valid-user\n<\/Files>\n#[^<]*\n<FilesMatch "\^config">\nRequire valid-user\n<\/FilesMatch>$/,
      );
    });

    it('gets its copy in the order of httpd, in which sections of a directory come last', async () => {
      folder().write(
        'a.conf',
        `<Directory /srv>\n${TOP('')}</Directory>\n<Directory /srv/x>\n${ADMIN}</Directory>\n<FilesMatch "^config">\nOrder allow,deny\nAllow from 10\n</FilesMatch>\n`,
      );
      await folder().run(['fix', '--write', '--fail-on', 'never', ...ANSWER, 'a.conf']);
      assert.match(
        folder().text('a.conf'),
        /#[^<]*\n *<FilesMatch "\^config">\n[^<]*<\/FilesMatch>\n *#[^<]*\n *<Files config\.php>\n *Require valid-user\n *<\/Files>\n<\/Directory>/,
      );
    });

    it('gets no copy that would replace a later section', async () => {
      const pattern = '<FilesMatch "^config">\nOrder allow,deny\nDeny from all\nSatisfy All\n</FilesMatch>\n';
      folder().write('.htaccess', `${TOP('')}${pattern}`);
      folder().write('shop/admin/.htaccess', ADMIN);
      const { out } = await folder().run(['plan', ...ANSWER, '.']);
      const words = out.replace(/\s+/g, ' ');
      assert.match(
        words,
        /"Satisfy any" \(admin\/\.htaccess:8\) also applies to some requests for <Files config\.php>\./,
      );
      assert.match(
        words,
        /In 2\.2, a login alone is enough for the requests that also fall under admin\/\.htaccess, but not for the others\./,
      );
      assert.match(
        words,
        /If a login alone must never be enough: write Satisfy All into <Files config\.php>, then run again\./,
      );
      assert.match(
        words,
        /write Satisfy All into <Files config\.php>, and a copy of <Files config\.php>, with Satisfy Any, into admin\/\.htaccess, then run again\./,
      );
    });

    it('gets a copy that only 2.4 reads, for both versions', async () => {
      folder().write('.htaccess', TOP(''));
      folder().write('shop/admin/.htaccess', ADMIN);
      const fixForBoth = () => folder().run(['fix', '--write', '--keep-both', '--fail-on', 'never', ...ANSWER, '.']);
      await fixForBoth();
      const texts = () => [folder().text('.htaccess'), folder().text('shop/admin/.htaccess')] as const;
      const [top, admin] = texts();
      assert.equal(
        top,
        '<Files config.php>\n<IfModule mod_authz_core.c>\n    Require all denied\n</IfModule>\n<IfModule !mod_authz_core.c>\n    Order allow,deny\n    Deny from all\n</IfModule>\n</Files>\n',
      );
      assert.match(
        admin,
        /\n<IfModule mod_authz_core\.c>\n {4}# A login alone .*\n {4}# Remove .*\n {4}<Files config\.php>\n {4}Require valid-user\n {4}<\/Files>\n<\/IfModule>\n$/,
      );
      await fixForBoth();
      assert.deepEqual(texts(), [top, admin]);
      for (const options of [[], ['--answer', 'versions=both']]) {
        const { out } = await folder().run(['check', ...ANSWER, ...options, '.']);
        assert.doesNotMatch(out, /order-allow-deny|access-/);
      }
    });

    it('Satisfy All converts both files', async () => {
      const [top, admin] = await fixed(TOP('Satisfy All\n'), ADMIN);
      assert.equal(top, '<Files config.php>\nRequire all denied\n</Files>\n');
      assert.match(admin, /Require valid-user\nRequire ip 203\.0\.113\.7\n$/);
    });

    it('a copy with Satisfy Any keeps that a login opens the file', async () => {
      const [top, admin] = await fixed(TOP('Satisfy All\n'), `${ADMIN}${TOP('Satisfy Any\n')}`);
      assert.equal(top, '<Files config.php>\nRequire all denied\n</Files>\n');
      assert.match(admin, /<Files config\.php>\nRequire valid-user\n<\/Files>\n$/);
    });

    it('a copy in a <Directory> section does, too', async () => {
      folder().write(
        'a.conf',
        `<Directory /srv>\n${TOP('Satisfy All\n')}</Directory>\n<Directory /srv/x>\n${ADMIN}${TOP('Satisfy Any\n')}</Directory>\n`,
      );
      await folder().run(['fix', '--write', '--fail-on', 'never', ...ANSWER, 'a.conf']);
      assert.doesNotMatch(folder().text('a.conf'), /Satisfy|Order/);
      assert.match(folder().text('a.conf'), /<Files config\.php>\nRequire valid-user\n<\/Files>\n<\/Directory>\n$/);
    });
  }),
);
