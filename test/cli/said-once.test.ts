/**
 * The output of `check` for many equal places: the explanation once in a run, each place with its
 * own part, and long lists counted.
 */
import assert from 'node:assert/strict';
import { withFolder } from './run';

describe(
  'check of many places alike',
  withFolder((folder) => {
    const host = (number: number) =>
      `<VirtualHost *:80>\n<Directory /srv/${number}>\nOrder deny,allow\nDeny from all\nAllow from 10.0.${number}\n</Directory>\n</VirtualHost>\n`;
    const heads = (out: string) => out.split('\n').filter((row) => /^(error|warning|info|hint)\[/.test(row));

    it('explains once in a run, in whatever file, and tells of each place what it comes to', async () => {
      for (const number of [1, 2, 3])
        folder().write(
          `${number}.conf`,
          host(number) + (number === 3 ? '<Location /x>\nDeny from all\n</Location>\n' : ''),
        );
      const { out } = await folder().run(['check', '1.conf', '2.conf', '3.conf']);
      assert.deepEqual(heads(out), [
        ...[1, 2, 3].map(
          (number) =>
            `warning[order-allow-deny]: \`Order\`, \`Deny\`, \`Allow\`: access control of 2.2 · equivalent: \`Require ip 10.0.${number}\``,
        ),
        'warning[order-allow-deny]: `Deny`: access control of 2.2 · equivalent: `Require all denied`',
      ]);
      assert.equal(out.match(/= note: httpd 2\.4 accepts these lines only if mod_access_compat is loaded/g)?.length, 1);
      assert.equal(out.match(/= consequence: may not start/g)?.length, 4);
      assert.equal(out.match(/= suggestion: /g)?.length, 4, 'what can be done is said each time');
      assert.match(out, /^4 problems in 3 files: 4 warnings\.$/m);
    });

    it('what keeps sections from being converted is said', async () => {
      folder().write(
        'httpd.conf',
        `ServerRoot ${folder().path}\n${['A', 'B'].map((name) => `<Directory \${${name}}/x>\nSatisfy Any\nDeny from all\n</Directory>\n`).join('')}`,
      );
      const { out } = await folder().run(['check', 'httpd.conf']);
      assert.equal(heads(out).filter((row) => row.includes('order-allow-deny')).length, 2, out);
      assert.match(
        out.replace(/\n +/g, ' '),
        /= note: Not converted: the tag of this section contains a variable: replace the variable by its value, then run again\./,
      );
    });

    it('counts more than three of a kind in a file, and names their lines', async () => {
      folder().write(
        'a.conf',
        `${[...Array(14).keys()].map((n) => `<Location /${n}>\nDeny from all\n</Location>\n`).join('')}MaxClients 1\n`,
      );
      folder().write('b.conf', '<Location /x>\nDeny from all\n</Location>\n');
      const { out } = await folder().run(['check', 'a.conf', 'b.conf']);
      assert.equal(heads(out).length, 3 + 1 + 1 + 1, out);
      assert.match(
        out.replace(/\n +/g, ' '),
        /warning\[order-allow-deny\]: and 11 more like this in a\.conf: lines 11, 14, 17, 20, 23, 26, 29, 32, 35, 38, 41/,
      );
      assert.match(out, /^16 problems in 2 files/m, 'all are counted');
    });

    it('counts none as alike that is not converted for another reason', async () => {
      const section = (n: number, lines: string) => `<Directory /srv/\${X}/${n}>\n${lines}\n</Directory>\n`;
      folder().write(
        'httpd.conf',
        `ServerRoot ${folder().path}\n${[1, 2, 3, 4].map((n) => section(n, 'Deny from all')).join('')}` +
          '<Location /x>\nSatisfy any\nOrder allow,deny\nAllow from env=${X}\nRequire valid-user\n</Location>\n',
      );
      const { out } = await folder().run(['check', 'httpd.conf']);
      const reasons = out.replace(/\n +/g, ' ').match(/= note: Not converted: /g);
      assert.equal(reasons?.length, 3 + 1, out);
      assert.match(out, /and 1 more like this in httpd\.conf: line 12/);
    });

    it('what the fix does is not said above it, too', async () => {
      folder().write(
        'a.conf',
        'LockFile logs/accept.lock\nKeepAlive 1\n<Directory /x>\nOptions Indexes +Includes\n</Directory>\n',
      );
      const { out } = await folder().run(['check', 'a.conf']);
      assert.match(out, /= fix: Remove LockFile/);
      assert.doesNotMatch(out, /= help: Remove/);
    });

    it('a help that is the same goes with the first fix of its kind', async () => {
      folder().write('a.conf', 'ServerRoot /etc/httpd\nInclude conf.d/*.conf\nInclude more.d/*.conf\n');
      const { out } = await folder().run(['check', 'a.conf']);
      assert.equal(out.match(/= fix: Rename Include to IncludeOptional/g)?.length, 2, out);
      assert.equal(out.match(/= help: Use `IncludeOptional`/g)?.length, 1, out);
    });

    it('is readable at 80 columns', async () => {
      folder().write(
        'httpd.conf',
        `ServerRoot ${folder().path}\nUser a\nRewriteLog logs/rewrite.log\n<Directory /srv>\nOrder allow,deny\nAllow from 192.0.2.1 192.0.2.2 192.0.2.3 192.0.2.4\nDeny from 192.0.2.5\n</Directory>\n`,
      );
      const { out } = await folder().run(['check', 'httpd.conf']);
      const said = out.split('\n').filter((row) => / = | {8}/.test(row));
      assert.ok(said.length > 5);
      for (const row of said) assert.ok(row.length <= 80, row);
    });

    it('programs are told everything, each time', async () => {
      for (const number of [1, 2]) folder().write(`${number}.conf`, host(number));
      for (const format of ['json', 'sarif', 'github']) {
        const { out } = await folder().run(['check', '--format', format, '1.conf', '2.conf']);
        assert.equal(
          out.match(/httpd 2\.4 accepts these lines only if mod_access_compat is loaded/g)?.length,
          2,
          format,
        );
      }
    });
  }),
);
