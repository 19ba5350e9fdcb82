/**
 * A main file that is at no place of a server, such as one of a repository from elsewhere, leads no
 * change out of its directory.
 */
import assert from 'node:assert/strict';
import { withFolder } from './run';

const OLD = 'MaxRequestsPerChild 5\n';
const NEW = 'MaxConnectionsPerChild 5\n';

describe(
  'Files that a main file names elsewhere',
  withFolder((folder) => {
    const write = (mainFile: string, firstLine: string) => {
      folder().write(mainFile, `${firstLine}Listen 80\nInclude "${folder().at('other')}/*.conf"\n${OLD}`);
      folder().write('other/a.conf', OLD);
    };

    for (const [title, firstLine] of [
      ['without a ServerRoot', ''],
      ['whose ServerRoot is every directory', 'ServerRoot /\n'],
      ['whose ServerRoot is the directory of the process', 'ServerRoot /proc/self/cwd\n'],
      ['whose ServerRoot is above all', 'ServerRoot "$HERE"\n'],
    ] as const)
      describe(`of a main file ${title}`, () => {
        it('are not changed by fix, which says so', async () => {
          write('site/httpd.conf', firstLine.replace('$HERE', folder().at('')));
          const { err, code } = await folder().run(['fix', '--write', 'httpd.conf'], { cwd: folder().at('site') });
          assert.equal(folder().text('other/a.conf'), OLD, err);
          assert.ok(folder().text('site/httpd.conf').endsWith(NEW), err);
          assert.match(
            err,
            /other\/a\.conf: is outside of what was given.*; not written\. To change it, add this path/,
          );
          assert.equal(code, 2);
        });

        it('are not formatted', async () => {
          write('site/httpd.conf', firstLine.replace('$HERE', folder().at('')));
          const badlyIndented = `<Directory /a>\nOptions None\n</Directory>\n`;
          folder().write('other/a.conf', badlyIndented);
          folder().write('site/httpd.conf', `${folder().text('site/httpd.conf')}${badlyIndented}`);
          await folder().run(['format', '--write', 'httpd.conf'], { cwd: folder().at('site') });
          assert.match(folder().text('site/httpd.conf'), /^ +Options None/m);
          assert.equal(folder().text('other/a.conf'), badlyIndented);
        });

        it('are changed if the user names them', async () => {
          write('site/httpd.conf', firstLine.replace('$HERE', folder().at('')));
          const { err } = await folder().run(['fix', '--write', 'httpd.conf', folder().at('other')], {
            cwd: folder().at('site'),
          });
          assert.equal(folder().text('other/a.conf'), NEW, err);
        });
      });

    it('are changed if the main file is where its ServerRoot line says', async () => {
      for (const [mainFile, root] of [
        ['server/conf/httpd.conf', 'server'],
        ['server/etc/httpd.conf', 'server'],
        ['server/apache2.conf', 'server'],
      ] as const) {
        write(mainFile, `ServerRoot "${folder().at(root)}"\n`);
        const { err } = await folder().run(['fix', '--write', folder().at(mainFile)]);
        assert.equal(folder().text('other/a.conf'), NEW, `${mainFile}: ${err}`);
      }
    });

    it('stay with .htaccess files, and so does the access control that depends on them', async () => {
      const access = 'Order allow,deny\nDeny from all\n';
      folder().write('www/.htaccess', access);
      folder().write(
        'site/httpd.conf',
        `Listen 80\nDocumentRoot "${folder().at('www')}"\n<Directory "${folder().at('www')}">\nAllowOverride All\n${access}</Directory>\n`,
      );
      const before = folder().text('site/httpd.conf');
      const { err } = await folder().run(['fix', '--write', 'httpd.conf'], { cwd: folder().at('site') });
      assert.equal(folder().text('www/.htaccess'), access, err);
      assert.equal(folder().text('site/httpd.conf').includes('Deny from all'), before.includes('Deny from all'), err);
    });
  }),
);
