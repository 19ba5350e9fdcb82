/** `httpd-upgrade explain --access FILE:LINE`. */
import assert from 'node:assert/strict';
import { withFolder } from './run';

const TEXT = `<Directory /srv>
    Options None
    <Limit GET>
        Order allow,deny
        Allow from 192.0.2
    </Limit>
</Directory>
<Directory /b>
    Options None
</Directory>
`;

describe(
  'explain --access',
  withFolder((folder) => {
    const ofLine = (line: number) => folder().run(['explain', '--access', `httpd.conf:${line}`]);

    it('takes an access line, and the tag of its section', async () => {
      folder().write('httpd.conf', TEXT);
      const { out, code } = await ofLine(4);
      assert.match(out, /^Who has access by the lines of `<Directory \/srv>`/);
      assert.equal(code, 0);
      for (const line of [1, 3, 5]) assert.equal((await ofLine(line)).out, out, `line ${line}`);
    });

    it('names an option that it does not take', async () => {
      folder().write('httpd.conf', TEXT);
      for (const words of [
        ['--answer', 'php=8', 'httpd.conf:4'],
        ['httpd.conf:4', '--answer=php=8'],
      ]) {
        const { err, code } = await folder().run(['explain', '--access', ...words]);
        assert.match(err, /^httpd-upgrade: --access takes no --answer: it shows/);
        assert.equal(code, 2);
      }
    });

    it('has no answer for other lines', async () => {
      folder().write('httpd.conf', TEXT);
      for (const line of [2, 7, 8, 9, 99]) {
        const { out, err, code } = await ofLine(line);
        assert.deepEqual([out, code], ['', 2], `line ${line}`);
        assert.match(err, /this line is not an Order, Allow, Deny or Satisfy line, and no section with such lines/);
      }
    });
  }),
);
