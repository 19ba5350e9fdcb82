/** What `check` says to people of many places alike: the explanation once in a run, each place with what is its own. */
import assert from 'node:assert/strict';
import { withFolder } from './run';

describe('check of many places alike', withFolder((folder) => {
  const host = (number: number) => `<VirtualHost *:80>\n<Directory /srv/${number}>\nOrder deny,allow\nDeny from all\nAllow from 10.0.${number}\n</Directory>\n</VirtualHost>\n`;
  const heads = (out: string) => out.split('\n').filter((row) => /^\S+\.conf:\d+:\d+: /.test(row));

  it('explains once in a run, in whatever file, and tells of each place what it comes to', async () => {
    for (const number of [1, 2, 3]) folder().write(`${number}.conf`, host(number) + (number === 3 ? '<Location /x>\nDeny from all\n</Location>\n' : ''));
    const { out } = await folder().run(['check', '1.conf', '2.conf', '3.conf']);
    assert.match(heads(out)[0], /^1\.conf:3:1: warning\[order-allow-deny\] These lines come to: Require ip 10\.0\.1\. Order is 2\.2's: .*\(Invalid command 'Order'\)\.$/);
    assert.deepEqual(heads(out).slice(1, 3), [2, 3].map((number) => `${number}.conf:3:1: warning[order-allow-deny] These lines come to: Require ip 10.0.${number}.`));
    assert.match(heads(out)[3], /Require all denied\. Deny is 2\.2's: /, 'another directive is explained by itself');
    assert.equal(out.match(/= suggestion: /g)?.length, 4, 'what can be done is said each time');
    assert.match(out, /^10 problems at 4 places in 3 files: 10 warnings\.$/m);
  });

  it('what keeps a section from being converted is said at each', async () => {
    folder().write('httpd.conf', `ServerRoot ${folder().path}\n${[1, 2].map((number) => `<Directory \${NOWHERE}/${number}>\nDeny from all\n</Directory>\n`).join('')}`);
    const { out } = await folder().run(['check', 'httpd.conf']);
    assert.equal(out.match(/Not converted with the rest of the configuration: a variable stands in its tag\./g)?.length, 2, out);
    assert.equal(out.match(/Deny is 2\.2's/g)?.length, 1, out);
  });

  it('of a message that comes again word for word the first sentence is left', async () => {
    folder().write('a.conf', 'MaxClients 1\nMaxClients 2\nMaxRequestsPerChild 3\n');
    const [first, second, third] = heads((await folder().run(['check', 'a.conf'])).out);
    const said = (row: string) => row.replace(/^.*?\] /, '');
    assert.match(said(first), /\. [A-Z]/);
    assert.equal(said(second), said(first).slice(0, said(first).indexOf('. ') + 1).trim() || said(first));
    assert.doesNotMatch(said(third), /MaxClients/);
  });

  it('a stop within parentheses or quotes ends no sentence', async () => {
    folder().write('a.conf', '<VirtualHost *:80>\nMaxClients 1\n</VirtualHost>\n<VirtualHost *:81>\nMaxClients 1\n</VirtualHost>\n');
    const rows = heads((await folder().run(['check', 'a.conf'])).out).filter((row) => row.includes('[directive-not-allowed-here]'));
    assert.match(rows[0], /section"\)\. It may stand in: server config\.$/);
    assert.match(rows[1], /section"\)\.$/);
  });

  it('programs are told everything, each time', async () => {
    for (const number of [1, 2]) folder().write(`${number}.conf`, host(number));
    for (const format of ['json', 'sarif', 'github']) {
      const { out } = await folder().run(['check', '--format', format, '1.conf', '2.conf']);
      assert.equal(out.match(/ is 2\.2's: httpd 2\.4 reads it with mod_access_compat only/g)?.length, 6, format);
    }
  });
}));
