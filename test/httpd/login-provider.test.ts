/**
 * AuthBasicAuthoritative without AuthBasicProvider on a real httpd 2.4: the section inherits the
 * providers, and the fix of login-provider-inherited asks the password file, as 2.2 did.
 */
import assert from 'node:assert/strict';
import { fixedFiles } from '../support/configurations';
import { requireHttpd, serve, type Server } from './harness';

const ROOT = '/srv/conf/httpd.conf';
const TEXT = `<Directory @ROOT@>
AuthType Basic
AuthName x
AuthBasicProvider anon
Anonymous *
Anonymous_MustGiveEmail Off
Require valid-user
</Directory>
<Directory @ROOT@/htdocs>
AuthUserFile /dev/null
AuthBasicAuthoritative On
Require user bob
</Directory>
`;

describe('the providers of a login on a real httpd', function () {
  this.timeout(300_000);
  let server: Server;

  before(function () {
    requireHttpd(this);
  });

  afterEach(() => server?.stop());

  const statusWith = async (text: string, files: Readonly<Record<string, string>> = {}): Promise<number> => {
    server = await serve(text, { modules: 'all-but-access_compat', files });
    return (await server.request({ path: '/', user: 'bob', password: 'wrong' })).status;
  };

  it('are inherited, and any password is good', async () => assert.notEqual(await statusWith(TEXT), 401));

  it('are inherited in a .htaccess file, and where only 2.2 reads the provider', async () => {
    const file = '<IfVersion < 2.4>\nAuthBasicProvider file\n</IfVersion>\n';
    assert.notEqual(await statusWith(TEXT.replace('AuthBasicAuthoritative On\n', file)), 401);
    await server.stop();
    const outer = `${TEXT.slice(0, TEXT.indexOf('<Directory @ROOT@/htdocs>'))}`;
    const inner = 'AuthBasicAuthoritative On\nRequire user bob\n';
    const override = '<Directory @ROOT@/htdocs>\nAllowOverride AuthConfig\n</Directory>\n';
    assert.notEqual(await statusWith(outer + override, { 'htdocs/.htaccess': inner }), 401);
    await server.stop();
    const named = { 'htdocs/.htaccess': `AuthUserFile /dev/null\nAuthBasicProvider file\n${inner}` };
    assert.equal(await statusWith(outer + override, named), 401);
  });

  it('are those of 2.2 after the fix', async () => {
    const fixed = fixedFiles(
      { [ROOT]: TEXT.replaceAll('@ROOT@', '/srv') },
      { rule: 'login-provider-inherited', unsafe: true },
    );
    assert.equal(await statusWith(fixed[ROOT]!.replaceAll('/srv', '@ROOT@')), 401);
  });
});
