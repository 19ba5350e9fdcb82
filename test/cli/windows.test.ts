/**
 * Configurations of Windows on another machine: drives, backslashes, case, `--map`, `${SRVROOT}`,
 * copies of C:/xampp, and missing files.
 */
import assert from 'node:assert/strict';
import type { UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { withFolder } from './run';

const OPEN = '    Order allow,deny\n    Allow from all\n';
const CLOSED = '    Order deny,allow\n    Deny from all\n';
const section = (tag: string, body: string) => `<${tag}>\n${body}</${tag.split(' ')[0]}>\n`;
const XAMPP =
  'ServerRoot "C:/xampp/apache"\nListen 80\nDocumentRoot "c:\\xampp\\htdocs"\n' +
  section('Directory /', `    AllowOverride None\n${CLOSED}`) +
  section('Directory "C:/XAMPP/HtDocs"', `    AllowOverride All\n${OPEN}`) +
  'ScriptAlias /cgi-bin/ "C:/xampp/cgi-bin/"\n' +
  section('Directory "C:\\xampp\\cgi-bin"', `    AllowOverride None\n${OPEN}`) +
  'Include Conf\\Extra\\status.conf\n';
const STATUS = section('Location /server-status', `${CLOSED}    Allow from 127.0.0.1\n`);
const FORUM = 'Order deny,allow\nDeny from all\nAllow from 192.0.2.0/24\n';

describe(
  'configurations of Windows',
  withFolder((folder) => {
    const plan = async (...args: string[]) =>
      (JSON.parse((await folder().run(['plan', '--format', 'json', ...args])).out) as UpgradePlan).configurations[0];
    const write = (top: string) => {
      folder().write(`${top}/apache/conf/httpd.conf`, XAMPP);
      folder().write(`${top}/apache/conf/extra/status.conf`, STATUS);
      folder().write(`${top}/htdocs/forum/.htaccess`, FORUM);
    };
    const texts = (top: string) =>
      ['apache/conf/httpd.conf', 'apache/conf/extra/status.conf', 'htdocs/forum/.htaccess'].map((file) =>
        folder().text(`${top}/${file}`),
      );
    const isConverted = (top: string) => {
      const [main, status, forum] = texts(top);
      assert.doesNotMatch(main + status + forum, /Order|Allow from|Deny/);
      assert.match(main, /<Directory \/>\n    AllowOverride None\n    Require all denied\n/);
      assert.match(status, /Require ip 127\.0\.0\.1/);
      assert.equal(forum, 'Require ip 192.0.2.0/24\n');
    };

    it('are read by --map, with the .htaccess files below it', async () => {
      write('copy');
      const { code } = await folder().run([
        'fix',
        '--write',
        '--fail-on',
        'never',
        '--map',
        'C:/xampp=copy',
        'copy/apache/conf/httpd.conf',
      ]);
      assert.equal(code, 0);
      isConverted('copy');
    });

    for (const from of ['c:\\xampp', 'C:/XAMPP/', 'c:/Xampp']) {
      it(`are read by --map ${from}=…: neither slashes nor case matter`, async () => {
        write('copy');
        await folder().run(['fix', '--write', '--map', `${from}=copy`, 'copy/apache/conf/httpd.conf']);
        isConverted('copy');
      });
    }

    it('take the longest of several --map', async () => {
      write('copy');
      folder().write('www/forum/.htaccess', FORUM);
      await folder().run([
        'fix',
        '--write',
        '--map',
        'C:/xampp=copy',
        '--map',
        'C:/xampp/htdocs=www',
        'copy/apache/conf/httpd.conf',
      ]);
      assert.equal(folder().text('www/forum/.htaccess'), 'Require ip 192.0.2.0/24\n');
      assert.equal(folder().text('copy/htdocs/forum/.htaccess'), FORUM);
    });

    it('are read by pathMap in .httpd-upgrade.json', async () => {
      write('copy');
      folder().write('.httpd-upgrade.json', JSON.stringify({ pathMap: { 'C:\\xampp': 'copy' } }));
      const { code, err } = await folder().run(['fix', '--write', '--fail-on', 'never', 'copy/apache/conf/httpd.conf']);
      assert.equal(code, 0, err);
      isConverted('copy');
    });

    it('are read where a directory is a copy of the one at the top of the drive', async () => {
      write('backup/Xampp');
      await folder().run(['fix', '--write', 'backup/Xampp/apache/conf/httpd.conf']);
      isConverted('backup/Xampp');
    });

    it('ask once about directories that are not here, by their own names, with a command for Windows', async () => {
      folder().write('conf/httpd.conf', XAMPP);
      folder().write('conf/extra/status.conf', STATUS);
      const { questions, waiting, byHand } = await plan('conf/httpd.conf');
      const asked = questions.filter(({ kind }) => kind === 'htaccess-unseen');
      assert.deepEqual(
        asked.map(({ id, answers: [first] }) => [id, first.value]),
        [['htaccess-unseen:C:/xampp/htdocs', 'none']],
      );
      assert.match(
        asked[0].findOut,
        /^findstr \/s .* "C:\\xampp\\htdocs\\\.htaccess" & findstr \/i .* "C:\\xampp\\\.htaccess" "C:\\\.htaccess" & rem on the 2\.2 server, /,
      );
      assert.equal(waiting.filter(({ rule }) => rule === 'order-allow-deny').length, 4);
      assert.doesNotMatch(JSON.stringify(byHand), /missing \(|does not exist|is missing at|not an absolute/);
      const args = ['--answer', 'htaccess-unseen:C:/xampp/htdocs=none'];
      assert.equal(
        (await plan(...args, 'conf/httpd.conf')).waiting.filter(({ rule }) => rule === 'order-allow-deny').length,
        0,
      );
      await folder().run(['fix', '--write', ...args, 'conf/httpd.conf']);
      assert.doesNotMatch(folder().text('conf/httpd.conf'), /Order/);
    });

    it('are read by an answer that says where a directory is', async () => {
      write('copy');
      folder().write('conf/httpd.conf', XAMPP.replace(/Include.*\n/, ''));
      await folder().run([
        'fix',
        '--write',
        '--answer',
        'htaccess-unseen:C:/xampp/htdocs=here=copy/htdocs',
        'conf/httpd.conf',
      ]);
      assert.doesNotMatch(folder().text('conf/httpd.conf'), /Order/);
      assert.equal(folder().text('copy/htdocs/forum/.htaccess'), 'Require ip 192.0.2.0/24\n');
    });

    it('say nothing of files that they name and that cannot be here', async () => {
      folder().write(
        'httpd.conf',
        `${XAMPP.replace(/Include.*\n/, '')}TypesConfig "C:/xampp/apache/conf/mime.types"\nErrorLog "D:\\logs\\error.log"\nLoadFile "C:/php/php5ts.dll"\n`,
      );
      assert.doesNotMatch((await folder().run(['check', 'httpd.conf'])).out, /path-missing/);
      folder().write('httpd.conf', XAMPP.replace(/ServerRoot.*\n/, ''));
      assert.doesNotMatch((await folder().run(['check', 'httpd.conf'])).out, /path-missing/);
    });

    it('ask once about files on a drive that are included and not here', async () => {
      folder().write(
        'conf/httpd.conf',
        `${XAMPP.replace(/Include.*\n/, '')}Include "D:\\sites\\*.conf"\nInclude "d:/sites/one.conf"\n`,
      );
      const { questions } = await plan('conf/httpd.conf');
      const asked = questions.filter(({ kind }) => kind === 'include-unseen');
      assert.deepEqual(
        asked.map(({ id }) => id),
        ['include-unseen:D:/sites'],
      );
      assert.match(
        asked[0].findOut,
        /^findstr .* "D:\\sites\\\*\.conf" "D:\\sites\\one\.conf" & rem on the 2\.2 server, /,
      );
    });

    it('follow ${SRVROOT}', async () => {
      folder().write(
        'copy/Apache24/conf/httpd.conf',
        `Define SRVROOT "c:/Apache24"\nServerRoot "\${SRVROOT}"\nListen 80\nDocumentRoot "\${SRVROOT}/htdocs"\n${section('Directory /', '    AllowOverride None\n')}${section('Directory "${SRVROOT}/htdocs"', `    AllowOverride All\n${OPEN}`)}Include conf/extra/status.conf\n`,
      );
      folder().write('copy/Apache24/conf/extra/status.conf', STATUS);
      folder().write('copy/Apache24/htdocs/forum/.htaccess', FORUM);
      await folder().run(['fix', '--write', 'copy/Apache24/conf/httpd.conf']);
      assert.match(folder().text('copy/Apache24/conf/httpd.conf'), /AllowOverride All\n    Require all granted/);
      assert.match(folder().text('copy/Apache24/conf/extra/status.conf'), /Require ip 127/);
      assert.equal(folder().text('copy/Apache24/htdocs/forum/.htaccess'), 'Require ip 192.0.2.0/24\n');
    });

    it('inherit across spellings of a directory', async () => {
      folder().write(
        'httpd.conf',
        `ServerRoot "C:/x"\nListen 80\n${section('Directory "C:/www"', `${CLOSED}    Allow from 10.0.0.0/8\n`)}${section('Directory "c:\\WWW\\A"', '    AuthType Basic\n    AuthName x\n    AuthUserFile C:/p\n    Require valid-user\n')}`,
      );
      await folder().run(['fix', '--write', 'httpd.conf']);
      const text = folder().text('httpd.conf');
      assert.match(text, /<Directory "C:\/www">\n    Require ip 10\.0\.0\.0\/8\n/);
      assert.match(text, /<RequireAll>\s+Require valid-user\s+Require ip 10\.0\.0\.0\/8\s+<\/RequireAll>/);
    });

    for (const [why, tag, reason] of [
      ['a path without a drive', 'Directory "/www/a"', /no drive letter/],
      ['a short name', 'Directory "C:/PROGRA~1/www"', /short name/],
    ] as const) {
      it(`${why} may be any directory: what shares requests with it stays`, async () => {
        const text = `ServerRoot "C:/x"\nListen 80\n${section('Directory "C:/www"', `${CLOSED}    Allow from 10.0.0.0/8\n`)}${section(tag, OPEN)}`;
        folder().write('httpd.conf', text);
        assert.match((await folder().run(['check', 'httpd.conf'])).out.replace(/\s+/g, ' '), reason);
        await folder().run(['fix', '--write', 'httpd.conf']);
        assert.match(folder().text('httpd.conf'), /Allow from all/);
      });
    }

    it('a directory with Options that has none around it: the check comes to an end, in any case of the path', async () => {
      const of = async (...tags: string[]) => {
        folder().write(
          'httpd.conf',
          `ServerRoot "C:/x"\nListen 80\nDocumentRoot "C:/x/htdocs"\n${tags.map((tag) => section(tag, '    Options None\n')).join('')}`,
        );
        return /Options\s+FollowSymLinks/.test((await folder().run(['check', 'httpd.conf'])).out);
      };
      assert.deepEqual(
        [
          await of('Directory "C:/y"'),
          await of('Directory "c:/X/HTDOCS"'),
          await of('Directory "C:/"'),
          await of('Directory /'),
        ],
        [true, false, false, false],
      );
    });

    it('patterns of names match in any case', async () => {
      const text = `ServerRoot "C:/x"\nListen 80\n${section('Files "SECRET.TXT"', '    AuthType Basic\n    AuthName x\n    AuthUserFile C:/p\n    Require valid-user\n')}${section('FilesMatch "\\.txt$"', `${CLOSED}    Allow from 10.0.0.0/8\n`)}`;
      folder().write('httpd.conf', text);
      await folder().run(['fix', '--write', 'httpd.conf']);
      // The pattern applies after the file: where it matches, a login is required, too.
      assert.doesNotMatch(
        folder().text('httpd.conf'),
        /<FilesMatch "\\\.txt\$">\n    Require ip 10\.0\.0\.0\/8\n<\/FilesMatch>/,
      );
    });
  }),
);
