/** OpenBSD's httpd reads a file of the same name: it is not Apache's. */
import assert from 'node:assert/strict';
import { isOpenBsdHttpd, looksLikeHttpd } from '../../server/src/directives/recognize';
import { withFolder } from './run';

const OPENBSD = `# $OpenBSD: httpd.conf
ext_addr="*"
server "www.example.com" {
	listen on $ext_addr port 80
	directory auto index
	location "/pub/*" { directory auto index }
}
types { include "/usr/share/misc/mime.types" }
`;
const APACHE = 'ServerRoot /etc/httpd\nListen 80\nMaxClients 10\n<IfModule mod_x.c>\n# server "x" {\n</IfModule>\n';

describe(
  "OpenBSD's httpd.conf",
  withFolder((folder) => {
    it('is told from that of Apache', () => {
      for (const text of [OPENBSD, 'server default {\n listen on * port 80\n}\n', 'types {\n text/css css\n}\n'])
        assert.deepEqual([isOpenBsdHttpd(text), looksLikeHttpd(text)], [true, false], text);
      assert.equal(isOpenBsdHttpd(APACHE), false);
    });

    it('is not checked, planned or changed in a directory', async () => {
      folder().write('obsd/httpd.conf', OPENBSD);
      folder().write('conf/httpd.conf', APACHE);
      const { out } = await folder().run(['plan', '--format', 'json', '.']);
      const roots = (JSON.parse(out) as { configurations: { root: string }[] }).configurations.map(({ root }) => root);
      assert.deepEqual(
        roots.map((root) => root.replace('./', '')),
        ['conf/httpd.conf'],
      );
    });
  }),
);
