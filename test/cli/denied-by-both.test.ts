/** `explain --request` for a server that runs 2.4, where an Allow line loses against Require. */
import assert from 'node:assert/strict';
import { withFolder } from './run';

const HEAD = 'ServerRoot "/srv"\nListen 80\nServerName a\nDocumentRoot "/srv/www"\n';
const DENIED = '<Directory />\n    AllowOverride None\n    Require all denied\n</Directory>\n';
const OPEN = '<Directory "/srv/www">\n    Order allow,deny\n    Allow from all\n</Directory>\n';
const LINE =
  '[Sat Nov 28 10:00:00.000000 2026] [authz_core:error] [pid 1:tid 2] [client 203.0.113.9:3] AH01630: client denied by server configuration: /srv/www/';

describe(
  'explain: Allow and Require must both allow a request',
  withFolder((folder) => {
    const explain = async (text: string, ...words: string[]) => {
      folder().write('conf/httpd.conf', `${HEAD}${text}`);
      const { out } = await folder().run(['explain', ...words]);
      return out.replace(/\s+/g, ' ');
    };
    const REQUEST = ['--request', 'GET http://a/', '--from', '203.0.113.9', 'conf/httpd.conf'];

    it('says why the Allow line loses, and what to write', async () => {
      const text = await explain(`${DENIED}${OPEN}`, '--source', '2.4', ...REQUEST);
      assert.match(text, /Require denies the request, although Allow matches 203\.0\.113\.9: both must allow it\./);
      assert.match(
        text,
        /If the request must be allowed, replace all Order, Allow, Deny and Require lines of <Directory "\/srv\/www"> \(conf\/httpd\.conf:9\) by this line: Require all granted/,
      );
    });

    it('names no new line where the deciding Require is in an inner section', async () => {
      const inner = '<Directory "/srv/www">\n    Require all denied\n</Directory>\n';
      const outer = '<Directory />\n    Order allow,deny\n    Allow from all\n</Directory>\n';
      const text = await explain(`${outer}${inner}`, '--source', '2.4', ...REQUEST);
      assert.match(text, /Require denies the request\./);
      assert.doesNotMatch(text, /must be allowed/);
    });

    it('writes the addresses of the Allow lines', async () => {
      const limited = OPEN.replace('from all', 'from 203.0.113.0/24 10.0.0.1');
      const text = await explain(`${DENIED}${limited}`, '--source', '2.4', ...REQUEST);
      assert.match(text, / by this line: Require ip 203\.0\.113\.0\/24 10\.0\.0\.1/);
    });

    for (const option of [
      ['--source', '2.4'],
      ['--answer', 'running-version=2.4'],
    ])
      it(`shows 2.4 alone with ${option.join(' ')}`, async () => {
        const text = await explain(`${DENIED}${OPEN}`, ...option, ...REQUEST);
        assert.doesNotMatch(text, /2\.2/);
        assert.match(text, /^GET http:\/\/a\/ from 203\.0\.113\.9 httpd 2\.4 answers: denied \(403\)\./);
      });

    it('says that 2.2 does not have such a Require line', async () => {
      const text = await explain(`<Directory "/srv/www">\n    Require all granted\n</Directory>\n`, ...REQUEST);
      assert.match(
        text,
        /httpd 2\.2: config error \(500\) 2\.2 does not know Require all granted: it asks for a login, and no AuthType applies\./,
      );
    });

    it('has the answer of 2.4 first if only 2.2 has an error', async () => {
      const text = await explain(`<Directory "/srv/www">\n    Require all granted\n</Directory>\n`, ...REQUEST);
      const [place24, place22] = [text.indexOf('httpd 2.4, before'), text.indexOf('httpd 2.2: config error')];
      assert.ok(place24 !== -1 && place24 < place22, text);
    });

    it('does not send the reader of a log line to another page if it says what to write', async () => {
      const text = await explain(`${DENIED}${OPEN}`, '--source', '2.4', '--root', 'conf/httpd.conf', LINE);
      assert.match(text, / by this line: Require all granted/);
      assert.doesNotMatch(text, /httpd-upgrade explain AH01630/);
    });
  }),
);
