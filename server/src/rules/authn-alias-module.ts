import { contentSpan, NOTHING, removeLine } from './edits';
import { loadInstead, loadModuleOf } from './load-module';
import type { LineRule } from './rule';

/** `LoadModule authn_alias_module`: `<AuthnProviderAlias>` belongs to mod_authn_core now. */
export const authnAliasModule: LineRule = {
  id: 'authn-alias-module',
  title: 'LoadModule of mod_authn_alias, now part of mod_authn_core',
  consequence: 'will not start',
  fix: 'safe',
  scope: 'line',
  names: ['loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authn_core.html',
  page: {
    what: '`LoadModule authn_alias_module …/mod_authn_alias.so`. In 2.4 mod_authn_core has `<AuthnProviderAlias>`.',
    why: 'What mod_authn_alias did, `<AuthnProviderAlias>`, is in mod_authn_core, which also has `AuthType` and `AuthName` and which every 2.4 server with logins loads.',
    httpd: '`Cannot load modules/mod_authn_alias.so into server: … cannot open shared object file: No such file or directory`.',
    fixing:
      'The line loads mod_authn_core instead. Safe: without it there is neither the section nor a login, and where another line loads it already, httpd only says so (AH01574) and goes on. The line can also be removed: a suggestion, because something has to load mod_authn_core.',
    sources: ['modules/aaa/mod_authn_alias.c of 2.2, mod_authn_core.c of 2.4', 'manual 2.4, upgrading', 'experiment: test/httpd/claims-modules.test.ts'],
  },
  examples: [
    {
      title: 'Other names for providers of logins',
      before: 'LoadModule authn_alias_module modules/mod_authn_alias.so\n',
      after: 'LoadModule authn_core_module modules/mod_authn_core.so\n',
      finds: ['merged'],
    },
  ],
  check({ line }) {
    const loaded = loadModuleOf(line);
    if (loaded === null || (loaded.identifier.value !== 'authn_alias_module' && loaded.fileName !== 'mod_authn_alias.so')) return NOTHING;
    return [
      {
        messageId: 'merged',
        what: '`authn_alias_module` is now part of mod_authn_core',
        cause: 'httpd 2.4 does not start: the file mod_authn_alias.so does not exist any more.',
        help: 'Load authn_core_module from mod_authn_core.so.',
        ...contentSpan(line),
        fixes: [
          { title: 'Load authn_core_module', safety: 'safe', edits: loadInstead(loaded, 'authn_core') },
          { title: 'Remove the line', safety: 'suggestion', assumes: 'another line loads mod_authn_core', edits: [removeLine(line)] },
        ],
      },
    ];
  },
};
