/** Files of a configuration on the command line: what the rest of it says about each, and what the command says of the server. */
import assert from 'node:assert/strict';
import { withFolder } from './run';

const COMPLETE = 'LoadModule mpm_event_module m\nLoadModule authz_core_module m\nLoadModule unixd_module m\n';

describe('a configuration on the command line', withFolder((folder) => {
  const check = async (...args: string[]) => {
    const { out } = await folder().run(['check', '--format', 'json', ...args]);
    const { files } = JSON.parse(out) as { files: { path: string; findings: { rule: string }[] }[] };
    return files.flatMap(({ path, findings }) => findings.map(({ rule }) => `${path.replace(/^.*\/(?=[^/]+$)/, '')}: ${rule}`)).filter((found) => /max-clients|proxy-pass/.test(found));
  };
  const write = (files: Record<string, string>) => Object.entries(files).forEach(([name, text]) => folder().write(name, text));

  it('is followed through its includes, and a snippet takes the context that it is included in', async () => {
    write({ 'conf/httpd.conf': 'ServerRoot /etc/httpd\n<Directory /a>\nInclude conf/in.inc\n</Directory>\n', 'conf/in.inc': 'ProxyPass / http://a/\n' });
    assert.deepEqual(await check('conf/httpd.conf'), ['in.inc: proxy-pass-in-directory']);
    assert.deepEqual(await check('conf/in.inc'), []);
  });

  it('leaves out what the server does not read', async () => {
    write({ 'conf/httpd.conf': `ServerRoot /etc/httpd\n${COMPLETE}Include conf/a.inc\nLoadModule status_module m\nInclude conf/b.inc\n`, 'conf/a.inc': '<IfModule mod_status.c>\nMaxClients 1\n</IfModule>\n', 'conf/b.inc': '<IfModule mod_status.c>\nMaxClients 1\n</IfModule>\n' });
    assert.deepEqual(await check('conf/httpd.conf'), ['b.inc: max-clients']);
  });

  it('is started with -D', async () => {
    write({ 'conf/httpd.conf': 'ServerRoot /etc/httpd\n<IfDefine A>\nMaxClients 1\n</IfDefine>\n<IfDefine B>\nMaxClients 1\n</IfDefine>\nInclude conf/${B}.inc\n', 'conf/in.inc': 'MaxClients 1\n' });
    assert.equal((await check('conf/httpd.conf')).length, 2);
    assert.equal((await check('-DA', 'conf/httpd.conf')).length, 1);
    assert.deepEqual(await check('-D', 'B=in', 'conf/httpd.conf'), ['httpd.conf: max-clients', 'in.inc: max-clients']);
  });

  it('runs on a server with these modules compiled in', async () => {
    write({ 'conf/httpd.conf': 'ServerRoot /etc/httpd\n<IfModule mod_logio.c>\nMaxClients 1\n</IfModule>\n' });
    assert.equal((await check('conf/httpd.conf')).length, 1, 'nobody knows');
    assert.equal((await check('--modules', 'debian', 'conf/httpd.conf')).length, 1);
    assert.equal((await check('--modules', 'rhel', 'conf/httpd.conf')).length, 0);
    assert.equal((await check('--modules', 'log_config,mod_logio.c', 'conf/httpd.conf')).length, 1);
  });

  it('may be from elsewhere', async () => {
    write({ 'main.conf': 'ServerRoot /etc/httpd\nInclude /etc/httpd/a.inc\nInclude /opt/b.inc\n', 'httpd/a.inc': 'MaxClients 1\n', 'opt/b.inc': 'MaxClients 1\n' });
    assert.deepEqual(await check('--map', '/etc/httpd=httpd', '--map', '/opt=opt', 'main.conf'), ['a.inc: max-clients', 'b.inc: max-clients']);
    assert.deepEqual(await check('--server-root', 'httpd', 'main.conf'), ['a.inc: max-clients']);
  });

  it('that includes a file twice, in different sections, finds what is wrong in one of them, once', async () => {
    write({ 'conf/httpd.conf': 'ServerRoot /etc/httpd\nInclude conf/in.inc\n<Directory /a>\nInclude conf/in.inc\n</Directory>\n', 'conf/in.inc': 'ProxyPass / http://a/\nMaxClients 1\n' });
    assert.deepEqual(await check('conf/httpd.conf'), ['in.inc: proxy-pass-in-directory', 'in.inc: max-clients']);
  });

  it('is shown as a tree', async () => {
    write({ 'conf/httpd.conf': 'ServerRoot /etc/httpd\nInclude conf.d/*.conf\n<VirtualHost *:80>\n  IncludeOptional conf/gone.inc\n</VirtualHost>\n', 'conf.d/b.conf': '', 'conf.d/a.conf': 'Include conf/in.inc\n', 'conf/in.inc': '' });
    const { out, code } = await folder().run(['includes', 'conf/httpd.conf']);
    assert.equal(out, [
      'conf/httpd.conf  (4 files; not everything is here)',
      '  2: Include conf.d/*.conf',
      '    conf.d/a.conf',
      '      1: Include conf/in.inc',
      '        conf/in.inc',
      '    conf.d/b.conf',
      '  4: IncludeOptional conf/gone.inc  (in <VirtualHost *:80>; not here)',
      '',
    ].join('\n'));
    assert.equal(code, 0);
    assert.equal((await folder().run(['includes', 'nothing.conf'])).code, 2);
  });
}));
