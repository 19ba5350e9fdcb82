/** The modules that the lines of a configuration use. */
import assert from 'node:assert/strict';
import { modulesUsedIn } from '../../server/src/analysis/used-modules';
import { Tree } from '../../server/src/syntax/document';

describe('the modules that lines use', () => {
  const used = (text: string) =>
    [...modulesUsedIn([Tree.parse(text)])].filter((name) => name.startsWith('mod_')).sort();

  for (const [text, modules] of [
    ['Alias /a /srv/a\n', ['mod_alias']],
    ['<Directory /srv>\nRequire valid-user\n</Directory>\n', ['mod_authz_core', 'mod_authz_user']],
    ['Require not ip 10\n', ['mod_authz_core', 'mod_authz_host']],
    ['Require all granted\n', ['mod_authz_core']],
    ['AuthType Basic\n', ['mod_auth_basic', 'mod_authn_core']],
    ['AuthBasicProvider dbm\n', ['mod_auth_basic', 'mod_authn_dbm']],
    ['<Proxy *>\n</Proxy>\n', ['mod_proxy']],
    ['# Alias /a /srv/a\n', []],
    ['<IfModule mod_dir.c>\nDirectoryIndex a\nAlias /a /srv/a\n</IfModule>\n', ['mod_alias']],
    ['<IfModule !mod_dir.c>\nDirectoryIndex a\n</IfModule>\n', ['mod_dir']],
  ] as const)
    it(JSON.stringify(text), () => assert.deepEqual(used(text), modules));
});
