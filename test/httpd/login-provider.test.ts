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

  const statusWith = async (text: string): Promise<number> => {
    server = await serve(text, { modules: 'all-but-access_compat' });
    return (await server.request({ path: '/', user: 'bob', password: 'wrong' })).status;
  };

  it('are inherited, and any password is good', async () => assert.notEqual(await statusWith(TEXT), 401));

  it('are those of 2.2 after the fix', async () => {
    const fixed = fixedFiles(
      { [ROOT]: TEXT.replaceAll('@ROOT@', '/srv') },
      { rule: 'login-provider-inherited', unsafe: true },
    );
    assert.equal(await statusWith(fixed[ROOT]!.replaceAll('/srv', '@ROOT@')), 401);
  });
});
