/**
 * A main file that is at no place of a server, such as one of a repository from elsewhere, leads no
 * change out of its directory.
 */
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
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

    it('are named if the access control must change together with them', async () => {
      const old = (directory: string) => `<Directory ${directory}>\nOrder allow,deny\nAllow from all\n</Directory>\n`;
      folder().write('site/httpd.conf', `Listen 80\nInclude "${folder().at('other')}/a.conf"\n${old('/')}`);
      folder().write('other/a.conf', old('/srv'));
      const cwd = folder().at('site');
      const command = ['fix', '--write', '--assume-standalone', 'httpd.conf'];
      const { err } = await folder().run(command, { cwd });
      assert.equal(folder().text('other/a.conf'), old('/srv'));
      const text = err.replace(/\s+/g, ' ');
      assert.match(
        text,
        /The access control of httpd\.conf is not converted: \S*other\/a\.conf must change together with .*outside of what was given: give the directory with all files/,
      );
      // Naming the file, too, is enough.
      const named = await folder().run([...command, folder().at('other/a.conf')], { cwd });
      assert.match(folder().text('other/a.conf'), /Require all granted/, named.err);
      assert.doesNotMatch(named.err, /is not converted/);
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

    // The lines, names and links of a clone come from somebody else.
    for (const [title, files] of [
      ['a condition', { 'httpd.conf': '<IfModule core.c>\nServerRoot /\n</IfModule>\nServerRoot /nonexistent\n' }],
      ['an included ServerRoot', { 'a.conf': 'ServerRoot /\n', 'httpd.conf': 'Include a.conf\nServerRoot /none\n' }],
      ['a variable', { 'httpd.conf': 'Define X ""\nServerRoot "/${X}"\n' }],
      ['an unknown variable', { 'httpd.conf': 'ServerRoot /${NOPE}/x\nServerRoot /\n' }],
      ['a macro', { 'httpd.conf': '<Macro R $x>\nServerRoot $x\n</Macro>\nUse R /\nServerRoot /none\n' }],
      ['a host', { 'httpd.conf': '<VirtualHost *>\nServerRoot /\n</VirtualHost>\nServerRoot /none\n' }],
      ['the end of its path', { 'httpd.conf': 'ServerRoot /NAME\nInclude /other/*.conf\n' }],
      ['its whole path', { 'httpd.conf': 'ServerRoot "HERE/NAME"\n' }],
      ['settings', { '.httpd-upgrade.json': '{"serverRoot":"/proc/self/root"}', 'httpd.conf': '' }],
    ] as const)
      for (const name of ['clone', 'conf', 'etc'])
        it(`are not changed from a clone with the name ${name}, by ${title}`, async () => {
          folder().write(`${name}/.git/HEAD`, '');
          for (const [file, text] of Object.entries(files)) {
            const isMain = file === 'httpd.conf';
            const filledText = text.replace('HERE', folder().at('')).replaceAll('NAME', name);
            const includes = `Listen 80\n${filledText}Include "${folder().at('other')}/*.conf"\nInclude ../other/*.conf\n${OLD}`;
            folder().write(`${name}/${file}`, isMain ? includes : text);
          }
          folder().write('other/a.conf', `${OLD}<Directory /a>\nOptions None\n</Directory>\n`);
          const before = folder().text('other/a.conf');
          for (const words of [
            ['fix', '--write'],
            ['fix', '--write', '--unsafe', '--dormant'],
            ['format', '--write'],
          ]) {
            await folder().run([...words, 'httpd.conf'], { cwd: folder().at(name) });
            assert.equal(folder().text('other/a.conf'), before, words.join(' '));
          }
          assert.ok(folder().text(`${name}/httpd.conf`).includes(NEW));
        });

    it('are not changed by a link of a clone that the user names', async () => {
      folder().write('clone/.git/HEAD', '');
      folder().write('other/a.conf', `Listen 80\n${OLD}`);
      symlinkSync('../other/a.conf', folder().at('clone/httpd.conf'));
      symlinkSync('../other', folder().at('clone/conf'));
      for (const named of ['httpd.conf', 'conf', 'conf/a.conf']) {
        const { err, code } = await folder().run(['fix', '--write', named], { cwd: folder().at('clone') });
        assert.match(err, /is a link out of its checkout, to \S+; not written/);
        assert.equal(code, 2);
      }
      assert.equal(folder().text('other/a.conf'), `Listen 80\n${OLD}`);
    });

    it('are not changed by the facts of a collection in a clone', async () => {
      folder().write('other/httpd.conf', `Listen 80\n${OLD}`);
      folder().write(
        'clone/facts/collected',
        'version\t1\nmain\t/etc/httpd.conf\nroot\t/etc\ntook\t/../../other/b.conf\tdormant\n',
      );
      folder().write('other/b.conf', OLD);
      folder().write('clone/server/etc/x', '');
      symlinkSync('../../../other/httpd.conf', folder().at('clone/server/etc/httpd.conf'));
      for (const words of [
        ['fix', '--write'],
        ['fix', '--write', '--dormant'],
        ['format', '--write'],
      ])
        await folder().run([...words, '.'], { cwd: folder().at('clone') });
      assert.equal(folder().text('other/httpd.conf'), `Listen 80\n${OLD}`);
      assert.equal(folder().text('other/b.conf'), OLD);
    });
  }),
);
